//! Writing to computed indices.

use cuda_layout::DeviceLayout;
use cuda_std::launch::LaunchError;
use cuda_std::prelude::*;

/// Moves each element of `x` to its index in `to`, by any number of blocks. An instance moves whole rows of three.
#[kernel(threads = 64, requires(to.len() == x.len()), instances(moved_u8 = <u8>, moved_f64 = <f64>, moved_rows = <[f32; 3]>))]
fn moved<T: DeviceLayout>(block: &mut Block, out: &Scatter<T>, x: &[T], to: &[u32]) {
    let part = (x.len() as u32).div_ceil(block.grid().x);
    let first = block.index() * part;
    let n = (x.len() as u32).saturating_sub(first).min(part);
    block.for_each(n, |thread, i| out.put(thread, to.at(first + i), x.at(first + i)));
}

fn check<T: DeviceLayout + PartialEq + std::fmt::Debug>(x: &[T], nothing: T)
where
    moved::Kernel<T>: moved::Instance<T>,
{
    let n = x.len() as u32;
    // 3 has no divisor in common with the length.
    let to: Vec<u32> = (0..n).map(|i| i * 3 % n).collect();
    for (executor, blocks) in [(CpuExecutor::new(), 1), (CpuExecutor::new(), 7), (CpuExecutor::shuffled(2), 5)] {
        let mut out = vec![nothing; x.len() + 2];
        let args = moved::Args { out: &mut out[..], x, to: &to[..] };
        moved::launch::<T, _>(&executor, blocks, args).unwrap();
        assert!((0..x.len()).all(|i| out[i * 3 % x.len()] == x[i]));
        assert_eq!(out[x.len()..], [nothing; 2], "what nobody writes stays");
    }
}

#[test]
fn elements_go_where_the_data_say() {
    check::<u8>(&(0..200).map(|i| i as u8).collect::<Vec<_>>(), 255);
    check::<f64>(&(0..500).map(f64::from).collect::<Vec<_>>(), -1.0);
    check::<[f32; 3]>(&(0..1000).map(|i| [i as f32, 0.5, -1.0]).collect::<Vec<_>>(), [9.0; 3]);
}

#[test]
fn a_second_write_of_an_element_is_found_whichever_block_does_it() {
    let message = |to: &[u32], blocks| {
        let launched = moved::launch(
            &CpuExecutor::new(),
            blocks,
            moved::Args { out: &mut [0.0; 40][..], x: &[1.0f64; 40][..to.len()], to },
        );
        match launched {
            Ok(()) => None,
            Err(LaunchError::Panic(panic)) => {
                assert_eq!((panic.kernel.as_str(), panic.file.ends_with("scatter.rs")), ("moved_f64", true));
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
