//! The same text read by pdbtbx, compared as far as the selection rules allow.

use pdbtbx::{Format, ReadOptions, StrictnessLevel};
use prism_read::StructureInput;
use shared_types::residue::kind_of;
use std::collections::{BTreeMap, BTreeSet};
use std::io::{BufReader, Cursor};

/// Chain, number, insertion code.
type Key = (String, i64, String);

/// A residue as pdbtbx reads it.
#[derive(Default)]
struct Theirs {
    /// Positions in Å of its heavy `ATOM` atoms in standard residues, all alternate locations.
    positions: Vec<[f64; 3]>,
    /// Distinct names of those atoms, by residue name.
    names: BTreeMap<String, BTreeSet<String>>,
}

/// Amounts of compared data.
#[derive(Clone, Debug, PartialEq)]
pub struct Compared {
    pub residues: usize,
    pub atoms: usize,
}

/// Compares residues, atom counts and positions. `Err` describes a difference between the readers; `Ok(None)` means that
/// pdbtbx does not read the text.
pub fn compare(text: &[u8], cif: bool, ours: &StructureInput) -> Result<Option<Compared>, String> {
    let Some(theirs) = read(text, cif) else { return Ok(None) };
    let mut rows: BTreeMap<Key, Vec<usize>> = BTreeMap::new();
    for row in 0..ours.n_residues() {
        let chain = ours.chains[ours.chain_ids[row] as usize].trim().to_owned();
        let key = (chain, i64::from(ours.residue_numbers[row]), ours.insertion_codes[row].to_string());
        rows.entry(key).or_default().push(row);
    }
    let missing: Vec<_> = theirs.keys().filter(|key| !rows.contains_key(*key)).collect();
    if !missing.is_empty() {
        return Err(format!("only pdbtbx has {} residues, such as {:?}", missing.len(), missing[0]));
    }
    for (key, rows) in &rows {
        let Some(residue) = theirs.get(key) else { return Err(format!("pdbtbx does not have {key:?}")) };
        let atoms: usize = rows.iter().map(|&row| atoms_of(ours, row).len()).sum();
        let name = shared_types::RESIDUES[usize::from(ours.residue_types[rows[0]])].name;
        let names = residue.names.get(name).map_or(0, BTreeSet::len);
        // pdbtbx merges rows of the same identity into one residue.
        if rows.len() == 1 && names != atoms {
            return Err(format!("{key:?} {name} has {atoms} atoms, in pdbtbx {names}"));
        }
        for position in rows.iter().flat_map(|&row| atoms_of(ours, row)) {
            if !residue.positions.iter().any(|p| (0..3).all(|axis| (p[axis] - position[axis]).abs() < 2e-4)) {
                return Err(format!("{key:?} has an atom at {position:?}, which pdbtbx does not have"));
            }
        }
    }
    Ok(Some(Compared { residues: ours.n_residues(), atoms: ours.n_atoms() }))
}

/// Absolute positions in Å of a row's atoms.
fn atoms_of(s: &StructureInput, row: usize) -> Vec<[f64; 3]> {
    let range = s.residue_atoms[row] as usize..s.residue_atoms[row + 1] as usize;
    let absolute = |a: &shared_types::Atom| {
        [f64::from(a.x) + s.center[0], f64::from(a.y) + s.center[1], f64::from(a.z) + s.center[2]]
    };
    s.atoms[range].iter().map(absolute).collect()
}

fn read(text: &[u8], cif: bool) -> Option<BTreeMap<Key, Theirs>> {
    let format = if cif { Format::Mmcif } else { Format::Pdb };
    let text = text.to_vec();
    // pdbtbx panics on some files.
    let read = std::panic::catch_unwind(|| {
        let mut options = ReadOptions::new();
        options.set_format(format).set_level(StrictnessLevel::Loose);
        options.read_raw(BufReader::new(Cursor::new(text))).ok().map(|(pdb, _)| pdb)
    });
    let pdb = read.ok().flatten()?;
    let mut residues: BTreeMap<Key, Theirs> = BTreeMap::new();
    for chain in pdb.model(0)?.chains() {
        for residue in chain.residues() {
            let (number, icode) = residue.id();
            let key = (chain.id().trim().to_owned(), number as i64, icode.unwrap_or_default().to_owned());
            for conformer in residue.conformers().filter(|c| kind_of(c.name().as_bytes()).is_some()) {
                for atom in conformer.atoms().filter(|a| !a.hetero() && !is_hydrogen(a)) {
                    let theirs = residues.entry(key.clone()).or_default();
                    let (x, y, z) = atom.pos();
                    theirs.positions.push([x, y, z]);
                    theirs.names.entry(conformer.name().to_owned()).or_default().insert(atom.name().to_owned());
                }
            }
        }
    }
    Some(residues)
}

fn is_hydrogen(atom: &pdbtbx::Atom) -> bool {
    let by_name = || atom.name().trim_start_matches(|c: char| c.is_ascii_digit()).starts_with(['H', 'D']);
    atom.element().map_or_else(by_name, |element| *element == pdbtbx::Element::H)
}
