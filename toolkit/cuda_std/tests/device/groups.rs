
/// A buffer and how it is read.
#[derive(Arguments)]
pub struct Scaled<'a> {
    x: &'a [f32],
    scale: f32,
}

/// Every kind of memory of a block, and a group.
#[derive(Arguments)]
pub struct Work<'a> {
    out: &'a mut Segment<'a, f32>,
    counts: &'a Atomics<'a, u32>,
    tile: &'a mut Shared<f32, 64>,
    input: Scaled<'a>,
}

#[kernel(threads = 64)]
pub fn by_groups_(block: &mut Block, work: Work<'_>, n: u32) {
    let Work { out, counts, tile, input: Scaled { x, scale } } = work;
    let x = View::of(x.part(out.start(), n));
    let tile = tile.fill(block, n.min(64), |i| x.get(i) * scale);
    out.fill(block, n, |i| tile.get(i % 64));
    block.for_each(n, |thread, i| {
        counts.add(thread, i % 2, 1);
    });
}

#[kernel(threads = 64)]
pub fn one_by_one(
    block: &mut Block,
    out: &mut Segment<f32>,
    counts: &Atomics<u32>,
    tile: &mut Shared<f32, 64>,
    x: &[f32],
    scale: f32,
    n: u32,
) {
    let x = View::of(x.part(out.start(), n));
    let tile = tile.fill(block, n.min(64), |i| x.get(i) * scale);
    out.fill(block, n, |i| tile.get(i % 64));
    block.for_each(n, |thread, i| {
        counts.add(thread, i % 2, 1);
    });
}

/// The same group twice, with an array each.
#[derive(Arguments)]
pub struct Tile<'a> {
    array: &'a mut Shared<u32, 64>,
    seed: u32,
}

#[kernel(threads = 64)]
pub fn twice(block: &mut Block, out: &mut Chunk<u32, 64>, a: Tile<'_>, b: Tile<'_>) {
    let n = out.len();
    let (first, second) = (a.array.fill(block, 64, |i| i + a.seed), b.array.fill(block, 64, |i| i + b.seed));
    out.fill(block, n, |i| first.get(63 - i) - second.get(63 - i));
}
