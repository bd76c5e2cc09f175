static COUNT: core::sync::atomic::AtomicU32 = core::sync::atomic::AtomicU32::new(0);

/// A mutable static tells threads apart, too.
#[kernel(threads = 64)]
pub fn hang(block: &mut Block, out: &mut Chunk<u32, 64>) {
    let n = out.len();
    if COUNT.fetch_add(1, core::sync::atomic::Ordering::Relaxed) % 2 == 0 {
        out.fill(block, n, |i| i);
    }
}
