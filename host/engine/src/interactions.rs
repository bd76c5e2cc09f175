//! Interactions between residues, ligands, nucleotides, ions and waters, with their chemistry: hydrogen bonds, salt bridges, stacked
//! rings, metals and more, for `prism edges --kinds`.
//!
//! Every atom of a file's first model counts. Bonds come from tables of the standard residues, from the Chemical Component
//! Dictionary (`_chem_comp_bond` in the file, or a file that is given), or else from geometry; what an atom can do follows from its
//! bonds. Hydrogens of the file are used where it has them; others stand where the neighbours of their atom leave them, or anywhere on
//! a cone. [`Kind`] has the rules.

mod bases;
mod bonds;
pub(crate) mod cells;
mod chemistry;
mod complementarity;
mod elements;
mod gather;
mod geometry;
mod group;
mod groups;
mod hydrogens;
mod kinds;
mod model;
mod of_structure;
mod orders;
mod rings;
mod rows;
mod rules;
mod search;
pub(crate) mod surface;
mod templates;
mod termini;
mod texts;

pub use complementarity::{Fit, Shape};
pub use group::{Group, ParseGroupError};
pub use groups::{GroupError, GroupInterface, GroupInterfaces, group_interfaces};
pub use kinds::{Kind, UnknownKind};
pub use model::{Atom, Entity, Residue};

use crate::base_pairs::{Candidates, tested_here};
use crate::{Engine, EngineError};
use bonds::{Found, Link};
use gather::{Components, Gathered, Gathering};
use kernels_gpu::bases::TestedPair;
use model::{Bonds, Class, System};
use prism_read::structure::{StructureInput, check_spread};
use prism_read::{
    Alternates, Note, NoteKind, Polymers, Problem, ReadError, ReadOptions, contents, of_copies, read_bytes,
    read_components, read_system,
};
use rings::small_rings;
use rules::find_of_bases;
use search::{NearPairs, Search};
use std::path::Path;

/// Bonds of chemical components, from the Chemical Component Dictionary or files of single components.
#[derive(Clone, Debug, Default)]
pub struct Dictionary(Components);

impl Dictionary {
    /// Reads a file in mmCIF, plain or compressed.
    ///
    /// # Errors
    /// If it cannot be read, or has no `_chem_comp_bond` table.
    pub fn read(path: &Path) -> Result<Self, ReadError> {
        let name = path.display().to_string();
        let bytes = contents(path).map_err(|problem| ReadError { name: name.clone(), line: None, problem })?;
        let mut components = Components::default();
        read_components(&bytes, &name, &mut components)?;
        Ok(Self(components))
    }
}

/// What to look for.
#[derive(Clone, Copy, Debug)]
pub struct Options<'o> {
    /// Which kinds.
    pub kinds: &'o [Kind],
    /// Author chain ids to keep; `None` keeps all.
    pub chains: Option<&'o [String]>,
    /// Which alternate location to use.
    pub alternates: Alternates,
    /// Bonds of ligands that count before those of the file.
    pub dictionary: Option<&'o Dictionary>,
}

/// An interaction of two residues.
#[derive(Clone, Debug, PartialEq)]
pub struct Interaction {
    /// Its kind, which says what the ends are.
    pub kind: Kind,
    /// The residues of both ends.
    pub residues: [u32; 2],
    /// The atoms of both ends.
    pub atoms: [Box<[u32]>; 2],
    /// The distance in Å of the nearest atoms, or of the centres of rings and cations. For a bridge, that of the farther end to the
    /// water.
    pub distance: f64,
    /// In degrees; NaN if the kind has none.
    pub angle: f64,
    /// The water of a bridge.
    pub water: Option<u32>,
    /// What a pair of bases is.
    pub pair: Option<BasePair>,
}

/// What a pair of bases is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BasePair {
    /// Its class (Leontis and Westhof 2001): `c` or `t` by the sides of the sugars, and the edge of each base, `W`, `H` or `S`; `.` if
    /// none of its atoms is on an edge.
    pub class: Box<str>,
    /// Hydrogen bonds between the bases, or a base and the other's sugar.
    pub hydrogen_bonds: u32,
    /// Whether no other pair of either base has more hydrogen bonds, or as many and is cWW, or also has more contacts of N and O within 3.6 Å.
    pub is_best: bool,
}

/// The interactions of a structure.
#[derive(Clone, Debug)]
pub struct Interactions {
    /// Its residues.
    pub residues: Vec<Residue>,
    /// Their heavy atoms.
    pub atoms: Vec<Atom>,
    /// The interactions, sorted by residues, kinds and atoms.
    pub found: Vec<Interaction>,
    /// What was chosen or left out, as sentences.
    pub notes: Vec<String>,
}

/// Finds the interactions of a structure in a PDB, mmCIF or BinaryCIF file, given as its bytes.
///
/// # Errors
/// If the bytes are no such file, or a record is damaged.
///
/// ```
/// use prism_engine::interactions::{Kind, Options, interactions};
///
/// let bytes = std::fs::read("../../tests/data/1crn.pdb.gz")?;
/// let options = Options { kinds: &[Kind::Disulfide], chains: None, alternates: Default::default(), dictionary: None };
/// let crambin = interactions(&bytes, "1crn", &options)?;
/// let numbers = crambin.found.iter().map(|one| one.residues.map(|residue| crambin.residues[residue as usize].number));
/// assert_eq!(numbers.collect::<Vec<_>>(), [[3, 40], [4, 32], [16, 26]]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn interactions(bytes: &[u8], name: &str, options: &Options<'_>) -> Result<Interactions, ReadError> {
    all_of(searched(bytes, name, options)?, name, options, &tested_here)
}

/// As [`interactions`], but pairs of bases are tested by an engine's first worker: a device, if it was chosen.
///
/// # Errors
/// As [`interactions`], and those of the worker.
pub fn interactions_with(
    engine: &Engine,
    bytes: &[u8],
    name: &str,
    options: &Options<'_>,
) -> Result<Interactions, ReadError> {
    all_of(searched(bytes, name, options)?, name, options, &|given| engine.test_pairs(given))
}

/// Finds the interactions of a structure that was read with [`ReadOptions::atoms`](prism_read::ReadOptions::atoms): a frame, a model,
/// chains, an assembly. It has no water and no hydrogens.
///
/// # Errors
/// If its atoms lie so that a search takes too long, or none of them is known.
pub fn interactions_of(structure: &StructureInput, options: &Options<'_>) -> Result<Interactions, ReadError> {
    let mut gathering = Gathering::new(options.chains, options.alternates);
    let refused = |problem| ReadError { name: structure.name.clone(), line: None, problem };
    of_structure::each_atom(structure, &mut gathering).map_err(refused)?;
    all_of(prepared(gathering, &structure.name, options, Some(structure))?, &structure.name, options, &tested_here)
}

/// Tests pairs of bases.
type TestPairs<'t> = dyn Fn(&Candidates<'_>) -> Result<Vec<TestedPair>, EngineError> + 't;

/// All interactions of what was prepared.
fn all_of(
    (search, links, mut notes): (Search, Vec<Link>, Vec<String>),
    name: &str,
    options: &Options<'_>,
    test: &TestPairs<'_>,
) -> Result<Interactions, ReadError> {
    let mut found = found_in(&search, &links, options.kinds);
    if options.kinds.iter().any(|kind| kind.is_of_bases()) {
        let failed = |error: EngineError| ReadError {
            name: name.to_owned(),
            line: None,
            problem: Problem::Failed(error.to_string()),
        };
        notes.extend(find_of_bases(&search, options.kinds, test, &mut found).map_err(failed)?);
        sort(&mut found);
    }
    let System { residues, atoms, .. } = search.system;
    Ok(Interactions { residues, atoms, found, notes })
}

/// Reads a structure and prepares the search. Returns its bonds between residues, and notes, too.
fn searched(bytes: &[u8], name: &str, options: &Options<'_>) -> Result<(Search, Vec<Link>, Vec<String>), ReadError> {
    let mut gathering = Gathering::new(options.chains, options.alternates);
    read_system(bytes, name, &mut gathering)?;
    // A file without polymers has no rows.
    let reading = ReadOptions { polymers: Polymers::All, alternates: options.alternates, ..ReadOptions::default() };
    let rows = read_bytes(bytes, name, &reading).ok();
    let (search, links, mut notes) = prepared(gathering, name, options, rows.as_ref().map(|read| &read.structure))?;
    let is_told = |note: &&Note| matches!(note.kind, NoteKind::Molecules | NoteKind::Traces);
    let of_rows = rows.iter().flat_map(|read| &read.notes).filter(is_told);
    notes.extend(of_rows.map(|note| note.text.clone()));
    Ok((search, links, notes))
}

/// Prepares the search in what was gathered. `rows` has the rows of the same structure, if it has any.
fn prepared(
    mut gathering: Gathering<'_>,
    name: &str,
    options: &Options<'_>,
    rows: Option<&StructureInput>,
) -> Result<(Search, Vec<Link>, Vec<String>), ReadError> {
    let refused = |problem| ReadError { name: name.to_owned(), line: None, problem };
    let components = std::mem::take(&mut gathering.components);
    let named = std::mem::take(&mut gathering.named);
    let mut gathered = gathering.finish();
    if gathered.atoms.is_empty() {
        return Err(refused(Problem::NoAtoms("none are left in the requested chains (--chains)")));
    }
    check(&gathered).map_err(refused)?;
    let tables: Vec<&Components> = options.dictionary.iter().map(|given| &given.0).chain([&components]).collect();
    let near = NearPairs::of(&gathered.residues, &gathered.atoms);
    let Found { bonds, links, by_geometry } = bonds::find(&gathered, &near.dry, &tables, &named);
    let mut notes = std::mem::take(&mut gathered.notes);
    if options.kinds.iter().any(|kind| matches!(kind, Kind::Covalent | Kind::Disulfide | Kind::Metal)) {
        notes.extend(of_copies(gathered.to_copies));
    }
    if !by_geometry.is_empty() {
        let listed = by_geometry.join(", ");
        notes.push(format!("bonds of {listed} follow from geometry; --ccd FILE gives those of the dictionary"));
    }
    let mut system = system(gathered, &bonds);
    if let Some(rows) = rows {
        rows::apply(&mut system, rows);
    }
    Ok((Search::new(system, near), links, notes))
}

/// The interactions of some kinds but those of bases, sorted.
fn found_in(search: &Search, links: &[Link], kinds: &[Kind]) -> Vec<Interaction> {
    let mut kinds = kinds.to_vec();
    kinds.sort_unstable();
    kinds.dedup();
    let mut found = Vec::new();
    kinds.into_iter().for_each(|kind| rules::find(kind, search, links, &mut found));
    // An alpha carbon stands for its residue, and is no carbon that touches others.
    let stands_alone = |residue: u32| {
        let residue = &search.system.residues[residue as usize];
        residue.is_trace && residue.range().len() == 1
    };
    found.retain(|one| !one.residues.into_iter().any(stands_alone));
    sort(&mut found);
    found
}

/// Sorts by residues, kinds and atoms.
fn sort(found: &mut [Interaction]) {
    fn key(one: &Interaction) -> ([u32; 2], Kind, &[Box<[u32]>; 2]) {
        let [a, b] = one.residues;
        ([a.min(b), a.max(b)], one.kind, &one.atoms)
    }
    found.sort_by(|one, other| key(one).cmp(&key(other)));
}

/// Refuses atoms that lie so that a search takes too long.
fn check(gathered: &Gathered) -> Result<(), Problem> {
    let points = gathered.atoms.iter().map(|atom| atom.position);
    let (mut low, mut high) = ([f64::INFINITY; 3], [f64::NEG_INFINITY; 3]);
    for point in points.clone() {
        low = [0, 1, 2].map(|axis| low[axis].min(point[axis]));
        high = [0, 1, 2].map(|axis| high[axis].max(point[axis]));
    }
    check_spread(points, low, high).map_err(Problem::Spread)
}

/// The structure with its bonds, hydrogens and entities.
fn system(gathered: Gathered, bonds: &[(u32, u32, model::Order)]) -> System {
    let Gathered { residues, atoms, hydrogens, sequences, .. } = gathered;
    let bonds = Bonds::new(atoms.len(), bonds);
    let mut system = System { residues, atoms, bonds, hydrogens: Vec::new(), sequences };
    for (residue, place) in hydrogens {
        let near = system.residues[residue as usize]
            .range()
            .map(|atom| (atom as u32, geometry::distance(system.atoms[atom].position, place)));
        // No bond to hydrogen is longer, that of sulfur is 1.34 Å.
        if let Some((atom, _)) = near.min_by(|a, b| a.1.total_cmp(&b.1)).filter(|(_, distance)| *distance < 1.5) {
            system.hydrogens.push((atom, place));
        }
    }
    system.hydrogens.sort_by_key(|&(atom, _)| atom);
    let entities: Vec<Entity> = (0..system.residues.len()).map(|residue| entity(&system, residue)).collect();
    system.residues.iter_mut().zip(entities).for_each(|(residue, entity)| residue.entity = entity);
    system
}

/// What a residue belongs to. Amino acids and nucleotides in `HETATM` records are of a polymer if they are bonded to another one.
fn entity(system: &System, index: usize) -> Entity {
    let residue = &system.residues[index];
    let is_polymer = || {
        !residue.is_hetatm
            || residue.in_sequence.is_some()
            || residue.range().any(|atom| {
                let mut ends = system.bonds.of(atom as u32).iter().map(|&(end, _)| system.residue_of(end));
                ends.any(|other| other.class == residue.class && other.atoms != residue.atoms)
            })
    };
    match residue.class {
        Class::Water => Entity::Water,
        Class::AminoAcid if is_polymer() => Entity::Protein,
        Class::Nucleotide if is_polymer() => Entity::Nucleic,
        _ if residue.range().len() == 1 => Entity::Ion,
        _ if is_sugar(system, residue) => Entity::Glycan,
        _ => Entity::Ligand,
    }
}

/// Whether a residue is a sugar: its only ring has one oxygen and carbons without double bonds, most of them with an oxygen.
fn is_sugar(system: &System, residue: &Residue) -> bool {
    use elements::{C, N, O};
    let range = residue.range();
    // Disaccharides and nucleotides have more.
    if !(9..=24).contains(&range.len()) || range.clone().any(|atom| ![C, N, O].contains(&system.atoms[atom].element)) {
        return false;
    }
    let inside = |atom: usize| -> Vec<u32> {
        let ends = system.bonds.of(atom as u32).iter().map(|&(end, _)| end);
        ends.filter(|end| range.contains(&(*end as usize))).collect()
    };
    let near: Vec<Vec<u32>> = range.clone().map(inside).collect();
    let members: Vec<u32> = range.clone().map(|atom| atom as u32).collect();
    let rings = small_rings(&members, |atom| &near[atom as usize - range.start]);
    let [ring] = &rings[..] else { return false };
    let is = |atom: u32, element| system.element(atom) == element;
    let carbons = ring.iter().filter(|&&atom| is(atom, C));
    let substituted = carbons.clone().filter(|&&atom| {
        system.bonds.of(atom).iter().any(|&(end, _)| !ring.contains(&end) && (is(end, O) || is(end, N)))
    });
    ring.iter().filter(|&&atom| is(atom, O)).count() == 1
        && carbons.clone().count() == ring.len() - 1
        && 2 * substituted.count() >= ring.len() - 1
}
