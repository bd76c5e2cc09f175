//! Residues that mkdssp's rules lose: they know a residue by its chain id, number, insertion code and name, so that the second of two
//! molecules with one chain id, water whose numbers start again, or a file without sequences hides residues.

use super::rows::polymer;
use prism_read::plural::counted;
use prism_read::structure::StructureInput;
use prism_read::{PolymerAtoms, PolymerResidue};
use shared_types::residue::kind_of;
use std::collections::{BTreeSet, HashMap};

/// Alternate locations of an alpha carbon are within this distance of each other, in Å.
const SAME: f32 = 4.0;
/// The most names of residues in a note.
const NAMES: usize = 8;

/// The residues that are to be described: those of mkdssp's rules, or the rows of the structure where the rules do not hold because the file
/// has ids that repeat, and hide standard residues, or no residue that they know. Notes say which rows are left out. Returns whether it is the rows.
pub(super) fn complete(polymers: PolymerAtoms, structure: &StructureInput) -> (PolymerAtoms, bool) {
    let rows: Vec<PolymerResidue> = (0..structure.n_rows()).filter_map(|row| named(structure, row)).collect();
    let own = Places::of(&polymers.residues);
    let lost: Vec<&PolymerResidue> = rows.iter().filter(|row| own.find(row).is_none()).collect();
    if lost.is_empty() {
        return (polymers, false);
    }
    let count = counted(lost.len(), "residue", "residues");
    let mut notes = polymers.notes.clone();
    let is_standard = |residue: &&PolymerResidue| kind_of(residue.name.as_bytes()).is_some();
    let holds = !polymers.has_repeats || !lost.iter().any(is_standard);
    if holds && !polymers.residues.is_empty() {
        let names: BTreeSet<&str> = lost.iter().map(|residue| residue.name.as_str()).collect();
        let names = names.into_iter().take(NAMES).collect::<Vec<_>>().join(", ");
        notes.push(format!("mkdssp's rules leave out {count} that prism features has ({names})"));
        return (PolymerAtoms { notes, ..polymers }, false);
    }
    let new = Places::of(&rows);
    let bond = |[a, b]: &[usize; 2]| Some([new.find(&polymers.residues[*a])?, new.find(&polymers.residues[*b])?]);
    notes.push(format!(
        "residues are those of prism features, with one location of each atom, because mkdssp's rules lose {count} of this file"
    ));
    let (header, asyms) = (polymers.header.clone(), structure.chains.clone());
    let disulfides = polymers.disulfides.iter().filter_map(bond).collect();
    (PolymerAtoms { header, asyms, disulfides, residues: rows, notes, ..PolymerAtoms::default() }, true)
}

/// A row with the names of its residue, if it has a backbone.
fn named(structure: &StructureInput, row: usize) -> Option<PolymerResidue> {
    let residue = polymer(structure, row)?;
    Some(PolymerResidue {
        chain: structure.chains[structure.chain_ids[row] as usize].clone(),
        number: structure.residue_numbers[row],
        icode: structure.insertion_codes[row].trim().to_owned(),
        ..residue
    })
}

/// Residues by number and insertion code, with their alpha carbons.
struct Places<'r>(HashMap<(i32, &'r str), Vec<Place>>);

/// The index of a residue, and its alpha carbon.
type Place = (usize, [f32; 3]);

impl<'r> Places<'r> {
    fn of(residues: &'r [PolymerResidue]) -> Self {
        let mut places: HashMap<(i32, &str), Vec<Place>> = HashMap::new();
        for (index, residue) in residues.iter().enumerate() {
            places.entry((residue.number, &residue.icode)).or_default().push((index, residue.backbone[1]));
        }
        Self(places)
    }

    /// The residue that is the same, which is at the same place.
    fn find(&self, residue: &PolymerResidue) -> Option<usize> {
        let distance2 =
            |place: [f32; 3]| (0..3).map(|axis| (place[axis] - residue.backbone[1][axis]).powi(2)).sum::<f32>();
        let all = self.0.get(&(residue.number, residue.icode.as_str()))?;
        let nearest = all.iter().min_by(|a, b| distance2(a.1).total_cmp(&distance2(b.1)))?;
        (distance2(nearest.1) < SAME * SAME).then_some(nearest.0)
    }
}
