/// An atomic number tells the code between phases which thread it runs in.
#[kernel(threads = 64)]
pub fn hang(block: &mut Block, out: &mut Chunk<u32, 64>) {
    let n = out.len();
    let leak = core::sync::atomic::AtomicU32::new(0);
    let mut own = block.per_thread(|_| 0u32);
    block.each(&mut own, |t, _| leak.store(t.index(), core::sync::atomic::Ordering::Relaxed));
    for _ in 0..leak.load(core::sync::atomic::Ordering::Relaxed) {
        out.fill(block, n, |i| i);
    }
}
