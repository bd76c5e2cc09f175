//! Warps: panics, and the shuffled order.

use crate::panic_of;
use cuda_std::prelude::*;

#[kernel(threads = 128)]
fn fails(block: &mut Block, out: &mut Chunk<u32, 4>, at: u32) {
    out.write_by_warp(block, |warp| {
        let lanes = warp.per_lane(|lane| if lane.thread().index() == at { panic!("told to") } else { 1 });
        warp.reduce(&lanes, |a, b| a + b)
    });
}

#[test]
fn a_panic_in_a_warp_names_the_thread() {
    for at in [0, 31, 70, 127] {
        let mut out = [0; 4];
        let panic = panic_of(fails::launch(&CpuExecutor::new(), 1, fails::Args { out: &mut out[..], at }));
        assert_eq!((panic.thread, panic.message.as_deref()), ([at, 0, 0], Some("told to")));
    }
    let mut out = [0; 4];
    fails::launch(&CpuExecutor::new(), 1, fails::Args { out: &mut out[..], at: 128 }).unwrap();
    assert_eq!(out, [32; 4]);
}

/// Wrong on purpose: the order of warps decides what each one draws.
#[kernel(threads = 512)]
fn first_come(block: &mut Block, out: &mut Chunk<u32, 16>, next: &Atomics<u32>) {
    out.write_by_warp(block, |warp| {
        let drawn = warp.per_lane(|lane| if lane.index() == 0 { next.add(lane.thread(), 0, 1) } else { 0 });
        warp.broadcast(&drawn, 0)
    });
}

#[test]
fn warps_come_in_a_shuffled_order() {
    let draw = |seed| {
        let (mut out, mut next) = ([0; 16], [0]);
        let args = first_come::Args { out: &mut out[..], next: &mut next[..] };
        first_come::launch(&CpuExecutor::shuffled(seed), 1, args).unwrap();
        out
    };
    assert_eq!(draw(1), draw(1));
    assert_ne!(draw(1), draw(2));
}
