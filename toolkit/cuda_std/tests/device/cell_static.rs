struct Shared(core::cell::Cell<u32>);
#[allow(unsafe_code)]
// SAFETY: there is none, which is what this is about.
unsafe impl Sync for Shared {}
static CELL: Shared = Shared(core::cell::Cell::new(7));

/// All threads of all blocks share a mutable static, even if its author declares it `Sync`.
#[kernel(threads = 64)]
pub fn kernel(block: &mut Block, out: &mut Chunk<u32, 64>) {
    let n = out.len();
    out.fill(block, n, |i| {
        CELL.0.set(CELL.0.get() + i);
        CELL.0.get()
    });
}
