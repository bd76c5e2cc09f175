//! Writing to computed indices: an element that is written twice is found.

use cuda_std::launch::LaunchError;
use cuda_std::prelude::*;

/// Moves each element of `x` to its index in `to`, by any number of blocks.
#[kernel(threads = 64, requires(to.len() == x.len()))]
fn scattered(block: &mut Block, out: &Scatter<f64>, x: &[f64], to: &[u32]) {
    let part = (x.len() as u32).div_ceil(block.grid().x);
    let first = block.index() * part;
    let n = (x.len() as u32).saturating_sub(first).min(part);
    block.for_each(n, |thread, i| out.put(thread, to.at(first + i), x.at(first + i)));
}

#[test]
fn a_second_write_of_an_element_is_found_whichever_block_does_it() {
    let message = |to: &[u32], blocks| {
        let launched = scattered::launch(
            &CpuExecutor::new(),
            blocks,
            scattered::Args { out: &mut [0.0; 40][..], x: &[1.0f64; 40][..to.len()], to },
        );
        match launched {
            Ok(()) => None,
            Err(LaunchError::Panic(panic)) => {
                assert_eq!((panic.kernel.as_str(), panic.file.ends_with("scatter.rs")), ("scattered", true));
                panic.message
            }
            Err(other) => panic!("{other}"),
        }
    };
    assert_eq!(message(&[3, 39, 4, 0], 2), None);
    for blocks in 1..=4 {
        assert_eq!(message(&[3, 39, 4, 39], blocks).as_deref(), Some("element written twice"));
        assert_eq!(message(&[3, 39, 4, 40], blocks).as_deref(), Some("index out of bounds"));
    }
    // The next launch begins anew.
    assert_eq!(message(&[3, 39, 4, 0], 2), None);
}

/// Each thread puts its index at `to` in a tile that holds 100 everywhere. No thread does that for `u32::MAX`.
#[kernel(threads = 64, requires(to.len() == 64))]
fn within_tile(block: &mut Block, out: &mut Chunk<u32, 64>, to: &[u32], tile: &mut Shared<u32, 64>) {
    let own = block.per_thread(|thread| to.at(thread.index()));
    let mut tile = tile.fill_all(block, |_| 100);
    tile.scatter(block, &own, |thread, to, slots| {
        if *to != u32::MAX {
            slots.put(thread, *to, thread.index());
        }
    });
    out.fill(block, 64, |i| tile.get(i));
}

#[test]
fn within_a_tile_elements_may_stay_but_are_not_written_twice() {
    let run = |to: &[u32]| {
        let mut out = [0; 64];
        within_tile::launch(&CpuExecutor::new(), 1, within_tile::Args { out: &mut out, to }).map(|()| out)
    };
    let mut to = [u32::MAX; 64];
    (to[3], to[40]) = (63, 0);
    let found = run(&to).unwrap();
    assert_eq!((found[63], found[0], found[1]), (3, 40, 100));
    to[41] = 63;
    let twice = run(&to);
    assert!(
        matches!(twice, Err(LaunchError::Panic(panic)) if panic.message.as_deref() == Some("element written twice"))
    );
}
