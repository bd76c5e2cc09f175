/// Arrays and elements of no bytes.
#[kernel(threads = 64)]
pub fn no_bytes(
    block: &mut Block,
    out: &mut Chunk<[u32; 0], 64>,
    sum: &mut Chunk<u32, 1>,
    none: &mut Shared<u32, 0>,
    empty: &mut Shared<[u32; 0], 64>,
    nothing: [u32; 0],
) {
    let n = out.len();
    let tile = empty.fill(block, 64, |_| nothing);
    out.fill(block, n, |i| tile.get(i));
    let none = none.fill(block, 0, |i| i);
    let _ = block.reduce(70, nothing, |_| nothing, |a, _| a);
    sum.set(block, 0, none.len());
}
