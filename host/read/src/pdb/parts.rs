//! Parts of a model that `END` records divide, in files without `MODEL` records.
//!
//! Programs that put a receptor and its ligand together, file after file, leave the `END` of the first one. Other programs end each
//! frame of a trajectory so. A part goes on with the model if it begins with a chain that the model does not have yet, or with a hetero
//! residue that it does not have, if the model has no amino acid yet, or if most residues of the part are others than the model's: by
//! name, number or segment.

use crate::components::{Component, component};
use crate::lines::lines;
use crate::select::ResidueId;
use crate::word::pack;
use memchr::memmem;
use std::collections::HashSet;

/// What an atom's line says about its residue.
#[derive(Clone, Copy)]
pub(crate) struct LineResidue<'a> {
    pub(crate) name: &'a [u8],
    pub(crate) id: ResidueId<'a>,
    pub(crate) hetatm: bool,
    /// Its segment id, packed; 0 for none.
    pub(crate) segment: u64,
}

/// What tells a residue from others.
type Key<'a> = (&'a [u8], ResidueId<'a>, u64);

impl<'a> LineResidue<'a> {
    fn key(&self) -> Key<'a> {
        (self.name, self.id, self.segment)
    }
}

/// The chains and residues of the current model. They are looked up only where an `END` is followed by more atoms.
pub(crate) struct Parts<'a> {
    /// Reads a line; `None` if it is not an atom's.
    read: fn(&'a [u8]) -> Option<LineResidue<'a>>,
    chains: HashSet<&'a [u8]>,
    residues: HashSet<Key<'a>>,
    has_amino_acids: bool,
    /// Where the model begins.
    begin: usize,
    /// Where the text that is not looked up yet begins.
    from: usize,
}

impl<'a> Parts<'a> {
    pub fn new(read: fn(&'a [u8]) -> Option<LineResidue<'a>>) -> Self {
        Self { read, chains: HashSet::new(), residues: HashSet::new(), has_amino_acids: false, begin: 0, from: 0 }
    }

    /// Begins a model whose first atom is at `offset`.
    pub(crate) fn begin(&mut self, offset: usize) {
        self.chains.clear();
        self.residues.clear();
        self.has_amino_acids = false;
        (self.begin, self.from) = (offset, offset);
    }

    /// Whether the atom at `offset` of the text, the first after an `END`, goes on with the model before it.
    pub(crate) fn go_on(&mut self, text: &'a [u8], offset: usize, line: &'a [u8]) -> bool {
        let Some(begin) = (self.read)(line) else { return false };
        let rest = &text[offset..];
        let part = &rest[..memmem::find(rest, b"\nEND").unwrap_or(rest.len())];
        if self.repeats(&text[self.begin..offset], part) {
            // Each frame of a trajectory does, and none needs to be looked up.
            return false;
        }
        self.look_up(&text[self.from..offset]);
        self.from = offset;
        !self.has_amino_acids
            || !self.chains.contains(begin.id.chain)
            || begin.hetatm && !self.residues.contains(&begin.key())
            || self.has_others(part)
    }

    /// Whether the lines of a part are about the residues that the model begins with.
    fn repeats(&self, model: &'a [u8], part: &'a [u8]) -> bool {
        let residues = |text| lines(text).filter_map(|(_, line)| (self.read)(line)).map(|residue| residue.key());
        let mut of_model = residues(model);
        residues(part).all(|residue| of_model.next() == Some(residue))
    }

    /// Whether most residues of a part are none of the model's.
    fn has_others(&self, part: &'a [u8]) -> bool {
        let of_part: HashSet<Key<'a>> =
            lines(part).filter_map(|(_, line)| (self.read)(line)).map(|residue| residue.key()).collect();
        2 * of_part.intersection(&self.residues).count() < of_part.len()
    }

    fn look_up(&mut self, text: &'a [u8]) {
        for residue in lines(text).filter_map(|(_, line)| (self.read)(line)) {
            self.chains.insert(residue.id.chain);
            if self.residues.insert(residue.key()) {
                self.has_amino_acids |= is_amino_acid(residue.name);
            }
        }
    }
}

/// Whether a residue is known to be an amino acid. Programs for docking call ligands `UNK`, too.
pub(super) fn is_amino_acid(name: &[u8]) -> bool {
    let component = component(pack(name.trim_ascii()));
    !matches!(component, Component::Shared(_)) && component.amino_acid().is_some()
}
