//! Readers of the same file find the same residues and atoms. Every text that tests read is compared.

use prism_read::{
    AtomRecord, ComponentBond, LinkEnd, LinkKind, NamedResidue, NoteKind, Problem, ReadError, ReadStructure,
    SystemContents, each_atom, read_polymers, read_system, with_b_column,
};
use std::cell::RefCell;
use std::collections::{HashMap, HashSet};

/// A residue of a file: chain, number, insertion code.
type ResidueId = (String, i32, String);

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

/// The atoms of each residue.
#[derive(Default, PartialEq, Debug)]
struct Atoms(HashMap<ResidueId, Vec<[f64; 3]>>);

impl Atoms {
    fn add(&mut self, atom: &AtomRecord<'_>) {
        self.0.entry((text(atom.chain), atom.number, text(atom.icode))).or_default().push(atom.position);
    }
}

impl SystemContents for Atoms {
    fn atom(&mut self, atom: AtomRecord<'_>) -> Result<(), Problem> {
        self.add(&atom);
        Ok(())
    }
    fn further(&mut self) {}
    fn left_out(&mut self, _: usize) {}
    fn link(&mut self, _: LinkKind, _: [LinkEnd<'_>; 2]) {}
    fn to_copy(&mut self) {}
    fn conect(&mut self, _: [i32; 2]) {}
    fn component_bond(&mut self, _: ComponentBond<'_>) {}
    fn sequence(&mut self, _: &[u8], _: &[u8]) {}
    fn unobserved(&mut self, _: &[u8], _: i32) {}
}

/// What a reader finds; `None` if it does not take the format, or refuses damaged records of atoms that have no rows.
#[track_caller]
fn taken<T>(found: Result<T, ReadError>, read: &ReadStructure) -> Option<T> {
    match found {
        Ok(found) => Some(found),
        Err(ReadError { problem: Problem::OtherFormat(_), .. }) => None,
        Err(_) if read.notes.iter().any(|note| note.kind == NoteKind::IgnoredRecords) => None,
        Err(error) => panic!("another reader refuses it: {error}"),
    }
}

/// Asserts that readers of every atom find the residues of a file that `read_bytes` found, with their atoms.
#[track_caller]
pub fn assert_same(bytes: &[u8], read: &ReadStructure) {
    let mut each = Atoms::default();
    let found = each_atom(bytes, "x", &mut |atom| {
        each.add(&atom);
        Ok(())
    });
    let each = taken(found, read).map(|_| each);
    let mut system = Atoms::default();
    let system = taken(read_system(bytes, "x", &mut system), read).map(|()| system);
    if let (Some(each), Some(system)) = (&each, &system) {
        assert_eq!(each, system);
    }
    if let Some(system) = &system {
        assert_has_rows(system, read);
    }
    if let (Some(each), Some(polymers)) = (&each, taken(read_polymers(bytes, "x"), read)) {
        for own in &polymers.residues {
            let residue = (own.chain.clone(), own.number, own.icode.clone());
            let has_atoms = !own.others.is_empty() || own.backbone != [[0.0; 3]; 4];
            assert!(!has_atoms || each.0.contains_key(&residue), "read_polymers alone has {residue:?}");
        }
    }
    let named = RefCell::new(HashSet::new());
    let changed = with_b_column(bytes, "x", "zero", |NamedResidue { chain, number, insertion_code, .. }| {
        named.borrow_mut().insert((chain.to_owned(), number, insertion_code.to_owned()));
        0.0
    });
    let has_no_b = |error: &ReadError| error.to_string().contains("B_iso_or_equiv");
    if let Some(each) = each
        && !changed.as_ref().is_err_and(has_no_b)
    {
        taken(changed, read);
        for residue in each.0.keys() {
            assert!(named.borrow().contains(residue), "with_b_column has no {residue:?}");
        }
    }
}

/// Asserts that the rows of a structure are among the residues of a file, but for molecules that were told apart.
#[track_caller]
fn assert_has_rows(atoms: &Atoms, read: &ReadStructure) {
    let s = &read.structure;
    for row in (0..s.n_residues()).filter(|row| !s.renamed_chains.contains(&s.chain_ids[*row])) {
        let chain = s.chains[s.chain_ids[row] as usize].clone();
        let residue = (chain, s.residue_numbers[row], s.insertion_codes[row].to_string());
        let found = atoms.0.get(&residue).unwrap_or_else(|| panic!("another reader has no {residue:?}"));
        for atom in &s.atoms[s.residue_atoms[row] as usize..s.residue_atoms[row + 1] as usize] {
            let at = [(atom.x, 0), (atom.y, 1), (atom.z, 2)].map(|(along, axis)| f64::from(along) + s.center[axis]);
            let is_it = |other: &[f64; 3]| (0..3).all(|axis| (at[axis] - other[axis]).abs() < 2e-3);
            assert!(found.iter().any(is_it), "another reader has no atom of {residue:?} at {at:?}");
        }
    }
}
