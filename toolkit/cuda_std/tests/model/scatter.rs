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
