//! Cutting work into batches, and going on when one structure is to blame.

use super::EngineError;
use crate::pack::{ATOM_LIMIT, RESIDUE_LIMIT};
use crate::structure::StructureInput;
use std::ops::Range;
use std::sync::atomic::{AtomicUsize, Ordering};

/// Atoms and residues.
pub(super) fn size_of(structure: &StructureInput) -> (u64, u64) {
    (structure.n_atoms() as u64, structure.n_residues() as u64)
}

/// Cuts structures of the given sizes into batches: before `batch_atoms` is passed, and before a limit of the packed
/// form is reached. A structure that is larger is a batch of its own.
pub(super) fn batches(sizes: impl Iterator<Item = (u64, u64)>, batch_atoms: usize) -> Vec<Range<usize>> {
    let mut ranges = Vec::new();
    let (mut begin, mut end, mut atoms, mut residues) = (0, 0, 0_u64, 0_u64);
    for (more_atoms, more_residues) in sizes {
        let full =
            atoms + more_atoms > (batch_atoms as u64).min(ATOM_LIMIT - 1) || residues + more_residues >= RESIDUE_LIMIT;
        if full && begin < end {
            ranges.push(begin..end);
            (begin, atoms, residues) = (end, 0, 0);
        }
        (end, atoms, residues) = (end + 1, atoms + more_atoms, residues + more_residues);
    }
    if begin < end {
        ranges.push(begin..end);
    }
    ranges
}

/// Runs `work` on every range with up to `lanes` at once; results in the order of the ranges. Of several errors the
/// first by place is returned; after an error no new range is begun.
pub(super) fn in_lanes<T: Send>(
    lanes: usize,
    ranges: Vec<Range<usize>>,
    work: impl Fn(Range<usize>) -> Result<T, EngineError> + Sync,
) -> Result<Vec<T>, EngineError> {
    let lanes = lanes.min(ranges.len());
    if lanes <= 1 {
        return ranges.into_iter().map(work).collect();
    }
    let (next, ranges, work) = (AtomicUsize::new(0), &ranges, &work);
    let lane = || {
        let mut done = Vec::new();
        loop {
            let index = next.fetch_add(1, Ordering::Relaxed);
            let Some(range) = ranges.get(index) else { return done };
            let result = work(range.clone());
            if result.is_err() {
                next.store(ranges.len(), Ordering::Relaxed);
            }
            done.push((index, result));
        }
    };
    let mut done: Vec<_> = std::thread::scope(|scope| {
        let threads: Vec<_> = (0..lanes).map(|_| scope.spawn(lane)).collect();
        threads
            .into_iter()
            .flat_map(|thread| thread.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic)))
            .collect()
    });
    done.sort_by_key(|(index, _)| *index);
    done.into_iter().map(|(_, result)| result).collect()
}

/// Runs `compute` on the structures; as long as it blames one of them, that one gets the error and the others are
/// computed again without it. Indices in the errors are places in `structures` plus `first`.
pub(super) fn each<S: Copy, T>(
    structures: &[S],
    first: usize,
    compute: impl Fn(&[S]) -> Result<Vec<T>, EngineError>,
) -> Result<Vec<Result<T, EngineError>>, EngineError> {
    let mut results: Vec<Option<Result<T, EngineError>>> = structures.iter().map(|_| None).collect();
    let mut left: Vec<usize> = (0..structures.len()).collect();
    loop {
        let inputs: Vec<S> = left.iter().map(|&index| structures[index]).collect();
        match compute(&inputs) {
            Ok(computed) => {
                for (index, features) in left.into_iter().zip(computed) {
                    results[index] = Some(Ok(features));
                }
                return Ok(results.into_iter().flatten().collect());
            }
            Err(error) => match error.structure_index().filter(|&index| index < left.len()) {
                Some(index) => {
                    let place = left.remove(index);
                    results[place] = Some(Err(error.shifted(first + place - index)));
                }
                None => return Err(error),
            },
        }
    }
}

/// Runs `work` on a range; where its batch does not fit the device's memory, on the halves one after the other.
pub(super) fn halved<T>(
    range: Range<usize>,
    work: &impl Fn(Range<usize>) -> Result<Vec<T>, EngineError>,
) -> Result<Vec<T>, EngineError> {
    match work(range.clone()) {
        Err(error) if error.is_out_of_memory() && range.len() > 1 => {
            tracing::warn!(structures = range.len(), "{error}; halving the batch");
            let middle = range.start + range.len() / 2;
            let mut all = halved(range.start..middle, work)?;
            all.extend(halved(middle..range.end, work)?);
            Ok(all)
        }
        result => result,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use cuda_host::CudaError;
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
    fn lanes_keep_the_order_and_the_first_error() {
        let ranges: Vec<_> = (0..50).map(|i| i..i + 1).collect();
        for lanes in [1, 4] {
            let all = in_lanes(lanes, ranges.clone(), |range| Ok(range.start)).unwrap();
            assert_eq!(all, (0..50).collect::<Vec<_>>());
            let error = in_lanes(lanes, ranges.clone(), |range| {
                if range.start < 7 { Ok(()) } else { Err(panicked(range.start as u32)) }
            });
            assert_eq!(error.unwrap_err().structure_index(), Some(7));
        }
    }

    #[test]
    fn a_batch_that_does_not_fit_is_halved() {
        let limit = |most: usize| {
            halved(3..10, &move |range: Range<usize>| {
                if range.len() <= most {
                    return Ok(range.collect::<Vec<_>>());
                }
                let operation = "allocating".to_owned();
                Err(EngineError::Cuda(CudaError::OutOfMemory { operation, bytes: 2, free: 1, total: 1 }))
            })
        };
        assert_eq!(limit(7).unwrap(), (3..10).collect::<Vec<_>>());
        assert_eq!(limit(1).unwrap(), (3..10).collect::<Vec<_>>());
        assert!(limit(0).unwrap_err().is_out_of_memory());
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

    #[test]
    fn the_others_are_computed_when_one_is_to_blame() {
        let compute = |inputs: &[i32]| match inputs.iter().position(|&input| input < 0) {
            Some(index) => Err(panicked(index as u32)),
            None => Ok(inputs.iter().map(|input| input * 10).collect()),
        };
        let results = each(&[1, -2, 3, -4], 100, compute).unwrap();
        assert_eq!(results[0].as_ref().unwrap(), &10);
        assert_eq!(results[1].as_ref().unwrap_err().structure_index(), Some(101));
        assert_eq!(results[2].as_ref().unwrap(), &30);
        assert_eq!(results[3].as_ref().unwrap_err().structure_index(), Some(103));
    }

    #[test]
    fn what_is_no_structures_fault_stops_everything() {
        let compute = |_: &[i32]| Err::<Vec<i32>, _>(EngineError::Cuda(CudaError::NoLibrary));
        assert!(matches!(each(&[1, 2], 0, compute), Err(EngineError::Cuda(_))));
    }
}
