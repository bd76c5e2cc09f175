//! The examples of the guide's chapter about algorithms.

use cuda_algorithms::{PairSort, Scan, Sum, reduce, reduce_by_key, sort_by_key};
use cuda_host::{CudaError, Machine};
use cuda_std::prelude::*;

#[test]
fn values_are_sorted_with_their_keys() -> Result<(), CudaError> {
    let machine = &Machine::cpu();
    // ANCHOR: sort
    let mut distances = machine.buffer(&[2.5f32, 0.5, 1.0, 0.5])?;
    let mut atoms = machine.buffer(&[0u32, 1, 2, 3])?;
    sort_by_key(machine, distances.view_mut(), atoms.view_mut())?;
    assert_eq!(atoms.download()?, [1, 3, 2, 0]); // equal keys keep their order
    // ANCHOR_END: sort
    Ok(())
}

#[test]
fn values_of_a_key_are_added_up() -> Result<(), CudaError> {
    let machine = &Machine::cpu();
    // ANCHOR: by_key
    let mut cells = machine.buffer(&[7u32, 3, 7, 3, 7])?;
    let mut contacts = machine.buffer(&[1u32, 2, 3, 4, 5])?;
    sort_by_key(machine, cells.view_mut(), contacts.view_mut())?;
    let (mut each, mut sums) = (machine.zeroed(5)?, machine.zeroed(5)?);
    let out = (each.view_mut(), sums.view_mut());
    let n = reduce_by_key(machine, Sum, (cells.view(), contacts.view()), out)?;
    assert_eq!((&each.download()?[..n], &sums.download()?[..n]), (&[3, 7][..], &[6, 9][..]));
    // ANCHOR_END: by_key
    Ok(())
}

#[test]
fn memory_is_used_again() -> Result<(), CudaError> {
    let machine = &Machine::cpu();
    // ANCHOR: again
    let mut sort = PairSort::new(machine, 1_000_000)?.descending();
    for frame in 0..3u32 {
        let scores: Vec<f32> = (0..1000).map(|i| (i * (frame + 7) % 101) as f32).collect();
        let mut scores = machine.buffer(&scores)?;
        let mut places = machine.buffer(&(0..1000u32).collect::<Vec<_>>())?;
        sort.run(scores.view_mut(), places.view_mut())?; // does not wait for a GPU
        assert!(scores.download()?.is_sorted_by(|a, b| a >= b));
    }
    // ANCHOR_END: again
    Ok(())
}

// ANCHOR: own
/// How many of each part of 256 numbers are odd.
#[kernel(threads = 256, requires(counts.len() == x.len().div_ceil(256)))]
pub fn odd(block: &mut Block, counts: &mut Chunk<u32, 1, WriteOnly>, x: &[u32]) {
    let first = 256 * block.index();
    let n = (x.len() as u32 - first).min(256);
    let count = block.count(n, |i| x.at(first + i) % 2 == 1);
    counts.set(block, 0, count);
}

/// Where the odd numbers of each part would begin, and their number.
fn begins(machine: &Machine, x: &[u32]) -> Result<(Vec<u32>, u32), CudaError> {
    let (x, parts) = (machine.buffer(x)?, x.len().div_ceil(256));
    let (mut counts, mut begins) = (machine.zeroed(parts)?, machine.zeroed(parts)?);
    odd::launch(machine, parts as u32, odd::Args { counts: counts.view_mut(), x: x.view() })?;
    Scan::new(machine, Sum, parts)?.run_exclusive(counts.view(), begins.view_mut())?;
    Ok((begins.download()?, reduce(machine, Sum, counts.view())?))
}

/// Both kinds of kernels in the same order, on the same buffers.
fn program(machine: &Machine) -> Result<(), CudaError> {
    let machine = machine.with("algorithms", cuda_algorithms::IMAGE)?;
    let x: Vec<u32> = (0..600).map(|i| i / 3).collect();
    assert_eq!(begins(&machine, &x)?, (vec![0, 127, 255], 300));
    Ok(())
}
// ANCHOR_END: own

#[test]
fn a_program_has_kernels_of_its_own() -> Result<(), CudaError> {
    program(&Machine::cpu())
}
