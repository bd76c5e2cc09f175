//! Cutting work into batches.

use super::EngineError;
use super::threads::in_order;
use crate::pack::{ATOM_LIMIT, RESIDUE_LIMIT};
use prism_read::structure::StructureInput;
use std::ops::Range;

/// A number of atoms and of residues.
pub fn size_of(structure: &StructureInput) -> (u64, u64) {
    (structure.n_atoms() as u64, structure.n_residues() as u64)
}

/// Cuts a sequence of structures into batches. A batch ends before it exceeds the given number of atoms or reaches a limit of the
/// packed form. A larger structure gets a batch of its own.
#[derive(Clone, Copy, Debug)]
pub struct Cut {
    most_atoms: u64,
    structures: usize,
    atoms: u64,
    residues: u64,
}

impl Cut {
    /// A cut into batches of about this number of atoms.
    pub fn new(batch_atoms: usize) -> Self {
        Self { most_atoms: (batch_atoms as u64).min(ATOM_LIMIT - 1), structures: 0, atoms: 0, residues: 0 }
    }

    /// Whether the current batch must end before a structure of this size. Then the structure begins the next batch.
    pub fn before(&mut self, (atoms, residues): (u64, u64)) -> bool {
        let full = self.atoms + atoms > self.most_atoms || self.residues + residues >= RESIDUE_LIMIT;
        let ends = full && self.structures > 0;
        if ends {
            (self.structures, self.atoms, self.residues) = (0, 0, 0);
        }
        self.structures += 1;
        self.atoms += atoms;
        self.residues += residues;
        ends
    }
}

/// Cuts structures of the given sizes as [`Cut`] does.
pub(super) fn batches(sizes: impl Iterator<Item = (u64, u64)>, batch_atoms: usize) -> Vec<Range<usize>> {
    let mut cut = Cut::new(batch_atoms);
    let (mut ranges, mut begin, mut end) = (Vec::new(), 0, 0);
    for size in sizes {
        if cut.before(size) {
            ranges.push(begin..end);
            begin = end;
        }
        end += 1;
    }
    if begin < end {
        ranges.push(begin..end);
    }
    ranges
}

/// Runs `work` on every range, in up to `slots` slots at once. Results are in the order of the ranges. Returns the error of the
/// first range that failed. After an error no further range is begun.
pub(super) fn in_slots<T: Send>(
    slots: usize,
    ranges: Vec<Range<usize>>,
    work: impl Fn(Range<usize>) -> Result<T, EngineError> + Sync,
) -> Result<Vec<T>, EngineError> {
    in_order(&ranges, slots, Result::is_ok, |range| work(range.clone())).into_iter().collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use cuda_std::panic::KernelPanic;

    fn cut(sizes: &[(u64, u64)], batch_atoms: usize) -> Vec<Range<usize>> {
        batches(sizes.iter().copied(), batch_atoms)
    }

    #[test]
    fn batches_are_cut_by_atoms() {
        assert_eq!(cut(&[], 10), vec![]);
        assert_eq!(cut(&[(5, 1), (5, 1), (5, 1)], 10), [0..2, 2..3]);
        assert_eq!(cut(&[(50, 1), (1, 1), (50, 1)], 10), [0..1, 1..2, 2..3]);
        assert_eq!(cut(&[(1, 1); 4], 0), [0..1, 1..2, 2..3, 3..4]);
    }

    #[test]
    fn batches_end_before_the_limits() {
        assert_eq!(cut(&[(1 << 30, 1), ((1 << 30) - 1, 1), (1, 1)], usize::MAX), [0..2, 2..3]);
        assert_eq!(cut(&[(1, 1 << 25), (1, (1 << 25) - 1), (1, 1)], usize::MAX), [0..2, 2..3]);
    }

    #[test]
    fn slots_keep_the_order_and_the_first_error() {
        let ranges: Vec<_> = (0..50).map(|i| i..i + 1).collect();
        for slots in [1, 4] {
            let all = in_slots(slots, ranges.clone(), |range| Ok(range.start)).unwrap();
            assert_eq!(all, (0..50).collect::<Vec<_>>());
            let error = in_slots(slots, ranges.clone(), |range| {
                if range.start < 7 { Ok(()) } else { Err(panicked(range.start as u32)) }
            });
            assert_eq!(error.unwrap_err().structure_index(), Some(7));
        }
    }

    fn panicked(block: u32) -> EngineError {
        let panic = KernelPanic {
            kernel: "k".into(),
            file: "k.rs".into(),
            line: 1,
            column: 1,
            block: [block, 0, 0],
            thread: [0; 3],
            message: None,
        };
        EngineError::KernelPanic { index: block as usize, structure: block.to_string(), panic: Box::new(panic) }
    }
}
