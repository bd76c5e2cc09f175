//! What mmCIF calls the rows of a structure.

use prism_read::structure::StructureInput;
use prism_read::{PolymerAtoms, PolymerResidue, Problem, ReadError, author_chain};
use std::collections::{HashMap, HashSet};

/// What is wrong with a file whose residues do not have names of their own.
pub(super) const NOT_TOLD_APART: &str = "has residues that its chain ids, numbers and names do not tell apart, so that mmCIF cannot \
                                         refer to them; give each molecule a chain id of its own";

/// `label_asym_id` and `label_seq_id` of a residue.
pub(super) type Place = (String, i32);

/// The places of rows of an mmCIF file, which has them; `None` for ligands, and where the file has none.
pub(super) fn of_labels(structure: &StructureInput) -> Vec<Option<Place>> {
    let of = |row: usize| {
        let labels = structure.labels.get(row)?;
        labels.seq_id.filter(|_| !labels.asym_id.is_empty()).map(|seq| (labels.asym_id.to_string(), seq))
    };
    (0..structure.n_rows()).map(of).collect()
}

/// The places of rows of a PDB file, whose chains are made of its sequences and atoms; `None` for residues of no chain's sequence.
///
/// `name` is the file's name in errors.
///
/// # Errors
/// If the file has one name for several molecules.
pub(super) fn of_polymers(
    structure: &StructureInput,
    polymers: &PolymerAtoms,
    name: &str,
) -> Result<Vec<Option<Place>>, ReadError> {
    fn key(own: &PolymerResidue) -> (&str, i32, &str, &str) {
        (own.chain.trim(), own.number, own.icode.trim(), &own.name)
    }
    let all = || polymers.residues.iter().chain(&polymers.incomplete);
    let places: HashMap<_, &PolymerResidue> = all().map(|own| (key(own), own)).collect();
    let chains: HashSet<&str> = all().map(|own| own.chain.trim()).collect();
    let of = |row: usize| {
        let chain = structure.chains[structure.chain_ids[row] as usize].trim();
        if !chains.contains(chain) && chains.contains(author_chain(chain).trim()) {
            return Err(not_told_apart(name));
        }
        let (number, icode) = (structure.residue_numbers[row], structure.insertion_codes[row].trim());
        let own = places.get(&(chain, number, icode, structure.resname(row)));
        Ok(own.map(|own| (polymers.asyms[own.asym as usize].clone(), own.seq)))
    };
    (0..structure.n_rows()).map(of).collect()
}

/// Refuses places that several rows have.
pub(super) fn check(places: &[Option<Place>], name: &str) -> Result<(), ReadError> {
    let mut seen = HashSet::new();
    if places.iter().flatten().all(|place| seen.insert(place)) { Ok(()) } else { Err(not_told_apart(name)) }
}

fn not_told_apart(name: &str) -> ReadError {
    ReadError { name: name.to_owned(), line: None, problem: Problem::OtherFormat(NOT_TOLD_APART) }
}
