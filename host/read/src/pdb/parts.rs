//! Parts of a model that `END` records divide, in files without `MODEL` records.
//!
//! Programs that put a receptor and its ligand together, file after file, leave the `END` of the first one. Other programs end each
//! frame of a trajectory so. A part goes on with the model if it begins with a chain that the model does not have yet, or with a hetero
//! residue that it does not have, or if the model has no amino acid yet.

use crate::components::{Component, component};
use crate::lines::lines;
use crate::select::ResidueId;
use crate::word::pack;
use std::collections::HashSet;

/// What an atom's line says about its residue.
#[derive(Clone, Copy)]
pub(crate) struct LineResidue<'a> {
    pub(crate) name: &'a [u8],
    pub(crate) id: ResidueId<'a>,
    pub(crate) hetatm: bool,
}

/// The chains and residues of the current model. They are looked up only where an `END` is followed by more atoms.
pub(crate) struct Parts<'a> {
    /// Reads a line; `None` if it is not an atom's.
    read: fn(&'a [u8]) -> Option<LineResidue<'a>>,
    /// Name and identity of the model's first residue.
    first: Option<(&'a [u8], ResidueId<'a>)>,
    chains: HashSet<&'a [u8]>,
    residues: HashSet<(&'a [u8], ResidueId<'a>)>,
    has_amino_acids: bool,
    /// Where the text that is not looked up yet begins.
    from: usize,
}

impl<'a> Parts<'a> {
    pub fn new(read: fn(&'a [u8]) -> Option<LineResidue<'a>>) -> Self {
        Self { read, first: None, chains: HashSet::new(), residues: HashSet::new(), has_amino_acids: false, from: 0 }
    }

    /// Begins a model whose first atom, in `line`, is at `offset`.
    pub(crate) fn begin(&mut self, offset: usize, line: &'a [u8]) {
        self.first = (self.read)(line).map(|residue| (residue.name, residue.id));
        self.chains.clear();
        self.residues.clear();
        self.has_amino_acids = false;
        self.from = offset;
    }

    /// Whether the atom at `offset` of the text, the first after an `END`, goes on with the model before it.
    pub(crate) fn go_on(&mut self, text: &'a [u8], offset: usize, line: &'a [u8]) -> bool {
        let Some(begin) = (self.read)(line) else { return false };
        let residue = (begin.name, begin.id);
        if self.first == Some(residue) {
            // Each frame of a trajectory begins so, and none needs to be looked up.
            return false;
        }
        self.look_up(&text[self.from..offset]);
        self.from = offset;
        !self.has_amino_acids
            || !self.chains.contains(begin.id.chain)
            || begin.hetatm && !self.residues.contains(&residue)
    }

    fn look_up(&mut self, text: &'a [u8]) {
        for residue in lines(text).filter_map(|(_, line)| (self.read)(line)) {
            self.chains.insert(residue.id.chain);
            if self.residues.insert((residue.name, residue.id)) {
                self.has_amino_acids |= is_amino_acid(residue.name);
            }
        }
    }
}

/// Whether a residue is known to be an amino acid. Programs for docking call ligands `UNK`, too.
fn is_amino_acid(name: &[u8]) -> bool {
    let component = component(pack(name.trim_ascii()));
    !matches!(component, Component::Shared(_)) && component.amino_acid().is_some()
}
