//! Parts of a model that `END` records divide, in files without `MODEL` records.
//!
//! Programs that put a receptor and its ligand together, file after file, leave the `END` of the first one. Other programs end each
//! frame of a trajectory so. A part goes on with the model if it begins with a chain that the model does not have yet, or with a hetero
//! residue that it does not have.

use super::{NEEDED, hetatm_in_any_case};
use crate::read::lines::lines;
use std::collections::HashSet;
use std::ops::Range;

/// The column of the chain id, counted from 0.
const CHAIN: usize = 21;
/// The columns of residue name, chain, number, and insertion code.
const RESIDUE: Range<usize> = 17..27;

/// The chains and residues of the current model. They are looked up only where an `END` is followed by more atoms.
#[derive(Debug, Default)]
pub(super) struct Parts<'a> {
    /// The columns of the model's first residue.
    first: Option<&'a [u8]>,
    chains: HashSet<u8>,
    residues: HashSet<&'a [u8]>,
    /// Where the text that is not looked up yet begins.
    from: usize,
}

impl<'a> Parts<'a> {
    /// Begins a model whose first atom, in `line`, is at `offset`.
    pub(super) fn begin(&mut self, offset: usize, line: &'a [u8]) {
        self.first = line.get(RESIDUE);
        self.chains.clear();
        self.residues.clear();
        self.from = offset;
    }

    /// Whether the atom at `offset` of the text, the first after an `END`, goes on with the model before it.
    pub(super) fn go_on(&mut self, text: &'a [u8], offset: usize, line: &[u8], hetatm: bool) -> bool {
        if line.get(RESIDUE) == self.first {
            // Each frame of a trajectory begins so, and none needs to be looked up.
            return false;
        }
        self.look_up(&text[self.from..offset]);
        self.from = offset;
        let Some(columns) = line.get(..NEEDED) else { return false };
        !self.chains.contains(&columns[CHAIN]) || hetatm && !self.residues.contains(&columns[RESIDUE])
    }

    fn look_up(&mut self, text: &'a [u8]) {
        for (_, line) in lines(text) {
            if let Some(columns) = line.get(..NEEDED).filter(|_| hetatm_in_any_case(line).is_some()) {
                self.chains.insert(columns[CHAIN]);
                self.residues.insert(&columns[RESIDUE]);
            }
        }
    }
}
