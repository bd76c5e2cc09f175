//! PDBQT with branches: atoms stand in the order of the tree of bonds that turn, so that a residue's lie in several places.

use super::hetatm;
use crate::error::Fault;
use crate::lines::lines;
use crate::number::pdb_residue_number;
use memchr::memmem;

/// A text whose atoms stand residue by residue.
pub(super) struct Grouped {
    pub(super) text: Vec<u8>,
    /// Where its lines begin, and where they began before.
    places: Vec<(usize, usize)>,
}

impl Grouped {
    /// Takes atoms in the order of their residues; those of a residue stay in theirs.
    fn take(&mut self, atoms: &mut Vec<(usize, &[u8])>) {
        atoms.sort_by_key(|(_, line)| residue(line));
        atoms.drain(..).for_each(|(at, line)| self.push(at, line));
    }

    fn push(&mut self, at: usize, line: &[u8]) {
        self.places.push((self.text.len(), at));
        self.text.extend_from_slice(line);
        self.text.push(b'\n');
    }

    /// A fault by the place in the text as it was.
    pub(super) fn as_before(&self, fault: Fault) -> Fault {
        let before = |at: usize| {
            let line = self.places.partition_point(|(begin, _)| *begin <= at).checked_sub(1);
            line.map_or(at, |line| self.places[line].1 + (at - self.places[line].0))
        };
        Fault { offset: fault.offset.map(before), ..fault }
    }
}

/// Puts the atoms of each model in the order of their residues' chains and numbers; `None` if the text has no tree, which begins with
/// `ROOT`.
pub(super) fn grouped<'t>(text: &'t [u8]) -> Option<Grouped> {
    let before = |record: &[u8], text: &'t [u8]| memmem::find(text, record).map_or(text, |at| &text[..at]);
    // Atoms are near the beginning: most of the text is not searched.
    let head = before(b"\nHETATM", before(b"\nATOM  ", text));
    if !head.trim_ascii_end().ends_with(b"ROOT") {
        return None;
    }
    let mut grouped = Grouped { text: Vec::with_capacity(text.len() + 1), places: Vec::new() };
    let mut atoms = Vec::new();
    for (at, line) in lines(text) {
        if hetatm(line).is_some() {
            atoms.push((at, line));
            continue;
        }
        if [&b"MODEL"[..], b"ENDMDL", b"TER"].iter().any(|end| line.starts_with(end)) {
            grouped.take(&mut atoms);
        }
        grouped.push(at, line);
    }
    grouped.take(&mut atoms);
    Some(grouped)
}

/// What orders an atom's line: chain, number and insertion code of its residue.
fn residue(line: &[u8]) -> (Option<u8>, Option<i32>, Option<u8>) {
    let number = line.get(22..26).and_then(|number| pdb_residue_number(number.trim_ascii()));
    (line.get(21).copied(), number, line.get(26).copied())
}
