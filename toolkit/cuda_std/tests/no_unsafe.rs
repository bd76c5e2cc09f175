//! A crate that forbids unsafe code can have kernels with all kinds of parameters.
#![forbid(unsafe_code)]
use cuda_std::prelude::*;

#[kernel(threads = 64, grid = 2, requires(!out.is_empty()))]
fn kernel(
    block: &mut Block,
    out: &mut Chunk<f32, 64>,
    rows: &mut Segment<u32>,
    met: &Atomics<u32>,
    x: &[f32],
    array: &mut Shared<f32, 64>,
    more: &mut DynamicShared<u32>,
    a: f32,
) {
    let (n, m) = (out.len(), rows.len());
    let array = array.fill(block, 64, |i| x.at(i % x.len() as u32));
    let more = more.fill(block, 1, |_| 7);
    out.fill(block, n, |i| a * array.get(i));
    rows.fill(block, m, |_| more.get(0));
    block.for_each(n, |thread, _| {
        met.add(thread, 0, 1);
    });
}

#[test]
fn what_the_attribute_writes_is_allowed() {
    let (mut out, mut rows, mut met) = ([0.0; 3], [0; 2], [0]);
    let offsets = Offsets::new(vec![0, 2]).unwrap();
    let args = kernel::Args {
        out: &mut out[..],
        rows: Segments { data: &mut rows[..], offsets: &offsets },
        met: &mut met[..],
        x: &[1.0, 2.0][..],
        more: DynamicLength(1),
        a: 3.0,
    };
    kernel::launch(&CpuExecutor::new(), (1, 1), args).unwrap();
    assert_eq!((out, rows, met), ([3.0, 6.0, 3.0], [7; 2], [3]));
}
