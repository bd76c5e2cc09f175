struct Shared(core::cell::Cell<u32>);
#[allow(unsafe_code)]
// SAFETY: there is none, which is what this is about.
unsafe impl Sync for Shared {}
static CELL: Shared = Shared(core::cell::Cell::new(7));

/// Whatever its author says of it, a static that changes is shared by all threads of all blocks.
#[kernel(threads = 64)]
pub fn kernel(block: &mut Block, out: &mut Chunk<u32, 64>) {
    let n = out.len();
    out.fill(block, n, |i| {
        CELL.0.set(CELL.0.get() + i);
        CELL.0.get()
    });
}
