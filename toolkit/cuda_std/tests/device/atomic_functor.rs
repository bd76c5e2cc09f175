use core::sync::atomic::{AtomicU32, Ordering};

/// The methods that a generic kernel's phase calls.
pub trait Step: Sync {
    /// Makes one.
    fn new() -> Self;
    /// In a thread.
    fn take(&self, i: u32);
    /// Between phases.
    fn taken(&self) -> u32;
}

/// Tells the code between phases which thread it runs in.
pub struct Leak(AtomicU32);

impl Step for Leak {
    fn new() -> Self {
        Self(AtomicU32::new(0))
    }
    fn take(&self, i: u32) {
        self.0.store(i, Ordering::Relaxed);
    }
    fn taken(&self) -> u32 {
        self.0.load(Ordering::Relaxed)
    }
}

/// The types that its closures hold are known only for each instance.
#[kernel(threads = 64, instances(hang_by_leak = <Leak>))]
pub fn hang<S: Step>(block: &mut Block, out: &mut Chunk<u32, 64>) {
    let (n, step) = (out.len(), S::new());
    block.for_each(n, |_, i| step.take(i));
    for _ in 0..step.taken() {
        out.fill(block, n, |i| i);
    }
}
