//! The examples of the chapter on guarantees, on CPU cores: what is not enforced.

use cuda_std::launch::LaunchError;
use cuda_std::prelude::*;

// ANCHOR: before
/// Wrong on purpose: reads the first element before it is written.
#[kernel(threads = 64)]
pub fn read_before(block: &mut Block, out: &mut Chunk<u32, 64>) {
    let old = out.get(0);
    out.fill(block, 64, |i| old + i);
}

#[test]
fn what_was_in_a_buffer_is_read_until_it_is_written() -> Result<(), LaunchError> {
    for before in [7, 20] {
        let mut out = vec![before; 64];
        read_before::launch(&CpuExecutor::new(), 1, read_before::Args { out: &mut out })?;
        assert_eq!(out[..3], [before, before + 1, before + 2]);
    }
    Ok(())
}
// ANCHOR_END: before

// ANCHOR: lists
/// Wrong on purpose: takes the first multiple of `i + 2` below 10, and the third one, which may not exist.
#[kernel(threads = 64)]
pub fn beyond_the_count(block: &mut Block, out: &mut Chunk<[u32; 2], 8>, words: &mut Segment<u32>) {
    // Eight lists with room for five indices each.
    let lists = words.collect::<4, _>(block, 8, 10, |i| move |j| j > 0 && j % (i + 2) == 0);
    out.fill(block, 8, |i| [lists.get(i, 0), lists.get(i, 2)]);
}

#[test]
fn what_was_in_memory_is_read_beyond_a_lists_count() -> Result<(), LaunchError> {
    let (mut out, mut words, offsets) = ([[0; 2]; 8], [77; 48], Offsets::new(vec![0, 48]).expect("offsets"));
    beyond_the_count::launch(
        &CpuExecutor::new(),
        1,
        beyond_the_count::Args { out: &mut out, words: Segments { data: &mut words, offsets: &offsets } },
    )?;
    // Multiples of 2 and 3 have a third one, 6 and 9. Those of 4 are 4 and 8.
    assert_eq!(out[..3], [[2, 6], [3, 9], [4, 77]]);
    Ok(())
}
// ANCHOR_END: lists
