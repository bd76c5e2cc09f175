const THREADS: u32 = 64;
const DIMENSIONS: u32 = 64;
const TEXT: u32 = 64;

/// Names that are keywords, of the fields of a group.
#[derive(Arguments)]
pub struct Keywords<'a> {
    r#use: &'a mut Shared<u32, 64>,
    r#in: &'a mut DynamicShared<u32>,
    r#for: u32,
}

/// Names that are keywords, of a kernel and of every kind of parameter that has more than one part.
#[kernel(threads = THREADS)]
pub fn r#loop(
    r#gen: &mut Block,
    r#type: &mut Segment<u32>,
    r#as: &mut Chunk<u32, 64>,
    r#match: &mut Tile2d<u32, 8, 8>,
    r#dyn: &[u32],
    r#fn: &Atomics<u32>,
    r#mod: &Scatter<u32>,
    r#move: Keywords<'_>,
) {
    let (Keywords { r#use, r#in, r#for }, n) = (r#move, r#as.len());
    let tile = r#use.fill(r#gen, 64, |i| r#dyn.at(i));
    r#as.fill(r#gen, n, |i| tile.get(i) + r#for);
    let _ = (r#type.len(), r#match.rows(), r#fn.len(), r#mod.len(), r#in.fill(r#gen, 0, |_| 0).len());
}

/// Blocks that meet, and names of what the attribute writes.
#[kernel(threads = DIMENSIONS)]
pub fn named(r#mut: &mut WholeGrid, block: &mut GridMemory<u32>, kernel_id: u32, grid_state: u32, p: u32) {
    let n = block.len();
    block.fill(r#mut, n, |_, i| i + kernel_id + grid_state + p);
}

/// An instance with such a name.
#[kernel(threads = TEXT, instances(r#enum = <f32>))]
pub fn r#struct<T: bytemuck::Pod + Sync>(block: &mut Block, out: &mut Chunk<T, 64>, r#x: T) {
    let n = out.len();
    out.fill(block, n, |_| r#x);
}
