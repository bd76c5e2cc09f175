use core::sync::atomic::{AtomicU32, Ordering};

static COUNT: AtomicU32 = AtomicU32::new(0);

#[inline(never)]
fn load() -> u32 {
    COUNT.fetch_add(1, Ordering::Relaxed)
}

#[inline(never)]
fn one() -> u32 {
    1
}

static TABLE: [fn() -> u32; 2] = [load, one];

#[kernel(threads = 64)]
pub fn by_function(block: &mut Block, out: &mut Chunk<u32, 64>, which: u32) {
    out.fill(block, 64, |_| TABLE[which as usize % 2]());
}
