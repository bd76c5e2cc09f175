/// The same within a warp.
#[kernel(threads = 64)]
pub fn hang(block: &mut Block, out: &mut Chunk<u32, 64>) {
    out.write_by_warp(block, |warp| {
        let leak = core::sync::atomic::AtomicU32::new(0);
        let lanes = warp.per_lane(|lane| {
            leak.store(lane.index(), core::sync::atomic::Ordering::Relaxed);
            1
        });
        let mut sum = 0;
        for _ in 0..leak.load(core::sync::atomic::Ordering::Relaxed) {
            sum += warp.reduce(&lanes, |a, b| a + b);
        }
        sum
    });
}
