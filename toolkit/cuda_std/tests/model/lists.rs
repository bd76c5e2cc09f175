//! Lists that only CPU cores pad.

use cuda_std::lists::Pick;
use cuda_std::prelude::*;

/// A padded list whose last lanes have no memory.
#[kernel(threads = 32)]
fn padded(block: &mut Block, out: &mut Chunk<u32, 1>, x: &[[f32; 4]], list: &mut Shared<Pick, 40>) {
    let x = View::of(x).clamped();
    out.fill_by_warp_with(block, 1, (list,), |warp, (list,), _| {
        let ranges = warp.per_lane(|lane| [0, u32::from(lane.index() == 0)]);
        list.push_ranges_where(warp, &x, &ranges, |_, _| true);
        list.pad(warp, [0.0; 4]);
        list.items(warp).len()
    });
}

#[test]
fn only_a_list_of_whole_turns_is_padded() {
    let mut out = [0];
    let error = padded::launch(&CpuExecutor::new(), 1, padded::Args { out: &mut out, x: &[[1.0; 4]] }).unwrap_err();
    assert!(error.to_string().contains("room for a multiple of 32 items"), "{error}");
}
