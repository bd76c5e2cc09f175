//! Phases that write memory, its views, and the place of a block in its grid.

use cuda_std::prelude::*;

/// Fills `n` elements, updates them, sets one, and reads in each phase what another thread wrote in the phase before.
#[kernel(threads = 64)]
pub fn phases(block: &mut Block, out: &mut Segment<u32>, n: u32) {
    out.fill(block, n, |i| 10 * i);
    out.update(block, n, |i, item| *item += i);
    out.set(block, 2, 1000);
    let last = n - 1;
    let copy = out.get(last);
    out.update(block, n, |_, item| *item += copy);
}

/// Writes the threads' states from element `first` on, as far as there is room.
#[kernel(threads = 64)]
pub fn written_states(block: &mut Block, out: &mut Segment<u32>, first: u32) {
    let mut state = block.per_thread(|t| 100 + t.index());
    block.each(&mut state, |t, own| *own += 1000 * t.index());
    out.write(block, first, &state, |t, own| own + t.index());
}

/// Writes memory as words, in two parts of which one is read, and as arrays.
#[kernel(threads = 32)]
pub fn written_by_views(block: &mut Block, out: &mut Segment<[u32; 4]>) {
    let mut whole = out.whole();
    let mut words = whole.flatten();
    let n = words.len();
    words.fill(block, n, |i| i);
    let (mut head, mut tail) = words.split_at(6);
    // Both parts at the same time: one is read, the other written.
    let before = head.view(6);
    tail.update(block, n - 6, |i, item| *item += 1000 * before.get(i % 6));
    let mut pairs = head.arrays::<4>();
    // Four of the six words; two are left over.
    let m = pairs.len();
    pairs.update(block, m, |i, four| four[3] = 90 + i + m);
}

/// Elements of two shared arrays, then the sum of the arrays' capacities.
#[kernel(threads = 32)]
pub fn shared_arrays(
    block: &mut Block,
    out: &mut Segment<u32>,
    tile: &mut Shared<u32, 100>,
    other: &mut Shared<[u32; 2], 4>,
) {
    let capacities = tile.capacity() + other.capacity();
    let mut filled = tile.fill(block, 50, |i| i * i);
    filled.update(block, 10, |_, item| *item += 1);
    filled.set(block, 49, 5);
    let pairs = other.fill_by_team::<4>(block, 3, |team, i| [i, team.reduce(i, 0, |a, j| a + j, |a, b| a + b)]);
    let n = out.len();
    out.fill(block, n, |i| {
        if i < filled.len() {
            filled.get(i)
        } else if i - filled.len() < pairs.len() {
            pairs.get(i - filled.len())[1]
        } else {
            capacities
        }
    });
}

/// The length of `n` elements of `values` from `first` on, and the one `at` an index there.
#[kernel(threads = 64)]
pub fn part_of_input(block: &mut Block, out: &mut Chunk<u32, 2>, values: &[u32], first: u32, n: u32, at: u32) {
    let part = values.part(first, n);
    let (len, item) = (part.len() as u32, part.at(at));
    out.fill(block, 2, |i| if i == 0 { len } else { item });
}

/// The start and length of the block's segment, its index, and its threads.
#[kernel(threads = 32)]
pub fn segment_of_block(block: &mut Block, out: &mut Segment<[u32; 4]>) {
    let (start, len, index, threads) = (out.start(), out.len(), block.index(), block.threads());
    out.fill(block, len, |_| [start, len, index, threads]);
}

/// Each block writes its number, its position, and the grid.
#[kernel(threads = 32, grid = 3)]
pub fn place_in_grid(block: &mut Block, out: &mut Segment<[u32; 7]>) {
    let (index, [x, y, z], grid) = (block.index(), block.index_3d(), block.grid());
    out.fill(block, 1, |_| [index, x, y, z, grid.x, grid.y, grid.z]);
}

/// States of threads, a phase over indices, teams and a reduction of floats, whose order of additions is fixed.
#[kernel(threads = 64)]
pub fn mixture(block: &mut Block, out: &mut Segment<f32>, input: &[f32]) {
    let n = out.len();
    let mut state = block.per_thread(|t| t.index() as f32 * 0.1);
    block.each(&mut state, |t, own| *own = *own * 1.7 + input.at(t.index()));
    out.fill(block, n, |i| input.at(i) * 3.1);
    out.update_by_team::<4, _>(
        block,
        n,
        |team, i| team.reduce(i, 0.0, |sum, j| sum + input.at(j), |a, b| a + b),
        |sum, item| *item += sum,
    );
    out.write(block, n - 64, &state, |_, own| *own);
    let sum = block.reduce(n, 0.0, |i| input.at(i), |a, b| a + b);
    out.set(block, 0, sum);
}
