//! Outputs divided among blocks (chunks, tiles of matrices, atomics) or written at positions from data, and memory (dynamic shared arrays, tables).

use cuda_layout::DeviceLayout;
use cuda_std::prelude::*;

/// `out[i] = a[i] + scale * b[i]`; a contract requires equal lengths.
#[kernel(threads = 128, requires(a.len() == out.len(), b.len() == out.len()))]
pub fn add(block: &mut Block, out: &mut Chunk<f32, 512>, a: &[f32], b: &[f32], scale: f32) {
    let (n, first) = (out.len(), out.start());
    out.fill(block, n, |i| math::fma(scale, b.at(first + i), a.at(first + i)));
}

/// Rows of four as elements of a chunk: each holds its index, and the sums of two neighbouring inputs.
#[kernel(threads = 64)]
pub fn scaled_rows(block: &mut Block, out: &mut Chunk<[f32; 4], 96>, input: &[f32]) {
    let (n, first) = (out.len(), out.start());
    out.fill(block, n, |i| [(first + i) as f32, 0.0, 0.0, 0.0]);
    let total = out.update_reduce(
        block,
        n,
        0.0,
        |i, row| {
            let (a, b) = (input.at(first + i), input.at(first + i + 1));
            (row[1], row[2]) = (a + b, a - b);
            a
        },
        |a, b| a + b,
    );
    out.update(block, n, |_, row| row[3] = total);
}

/// The transpose of a matrix of `columns` columns, through a padded tile in shared memory.
#[kernel(threads = 256, requires(input.len() == out.len(), out.columns() > 0))]
pub fn transposed(
    block: &mut Block,
    out: &mut Tile2d<f32, 32, 32>,
    input: &[f32],
    tile: &mut Shared<f32, { 32 * 33 }>,
) {
    let [out_rows, columns] = out.matrix();
    let (first_row, first_column) = (out.first_column(), out.first_row());
    let tile = tile.fill(block, 32 * 33, |at| {
        let (row, column) = (first_row + at / 33, first_column + at % 33);
        if at % 33 < 32 && row < columns && column < out_rows { input.at(row * out_rows + column) } else { 0.0 }
    });
    out.fill(block, |row, column| tile.get(column * 33 + row));
}

/// `out[row][column] = row * 1000 + column`, by threads that each write 4 x 2 elements. The last third has none.
#[kernel(threads = 96)]
pub fn written_in_parts(block: &mut Block, out: &mut Tile2d<u32, 16, 32>) {
    let (first_row, first_column) = (out.first_row(), out.first_column());
    let columns = block.per_thread(|t| first_column + t.index() % 16 * 2);
    out.write::<4, 2, _>(block, &columns, |t, column, i, j| (first_row + t.index() / 16 * 4 + i) * 1000 + column + j);
}

/// A histogram of 256 bins: each block counts its elements in shared memory and adds the result to `bins`.
#[kernel(threads = 256)]
pub fn histogram(
    block: &mut Block,
    bins: &Atomics<u32>,
    values: &[u32],
    per_block: u32,
    counts: &mut Shared<u32, 256>,
) {
    let first = block.index() * per_block;
    let end = first + per_block;
    let n = if end < values.len() as u32 { per_block } else { values.len() as u32 - first };
    let mut counts = counts.fill(block, 256, |_| 0);
    counts.update_atomic(block, n, |t, cells, i| {
        cells.add(t, values.at(first + i) % 256, 1);
    });
    block.for_each(256, |t, bin| {
        if counts.get(bin) != 0 {
            bins.add(t, bin, counts.get(bin));
        }
    });
}

/// Writes elements of several sizes to the positions in `to`, by any number of blocks.
#[kernel(
    threads = 128,
    requires(to.len() == x.len()),
    instances(scattered_u8 = <u8>, scattered_u16 = <u16>, scattered_f64 = <f64>, scattered_rows = <[f32; 3]>)
)]
pub fn scattered<T: DeviceLayout>(block: &mut Block, out: &Scatter<T>, x: &[T], to: &[u32]) {
    let part = (x.len() as u32).div_ceil(block.grid().x);
    let first = block.index() * part;
    let n = (x.len() as u32).saturating_sub(first).min(part);
    block.for_each(n, |thread, i| out.put(thread, to.at(first + i), x.at(first + i)));
}

/// Each part of 64 words in the order of their lowest bits, and equal ones in the order of the words: ranks by warps, then a scatter in
/// shared memory, then one to the buffer.
#[kernel(threads = 64, requires(out.len() == x.len(), x.len() == 64 * grid.x as usize))]
pub fn ranked(
    block: &mut Block,
    out: &Scatter<[u32; 2]>,
    x: &[u32],
    counts: &mut Shared<u32, 16>,
    in_order: &mut Shared<[u32; 2], 64>,
) {
    let first = 64 * block.index();
    let mut own = block.per_thread(|thread| [x.at(first + thread.index()) % 8, 0]);
    let mut counts = counts.fill(block, 16, |_| 0);
    counts.update_atomic_by_warp(block, &mut own, |warp, own, cells| {
        // Each digit has two counts, one after the other: one for each warp.
        let row = warp.index();
        let digits = warp.map(&*own, |_, own| own[0]);
        let peers = warp.match_bits::<3>(&digits);
        // Half of them, then the other half, which finds what the first one left.
        for half in 0..2 {
            warp.each_with(own, &peers, |lane, [digit, rank], peers| {
                if lane.index() / 16 == half {
                    let of_half = peers & 0xffff << (16 * half);
                    let before = cells.load(lane.thread(), 2 * *digit + row);
                    *rank = before + (of_half & ((1 << lane.index()) - 1)).count_ones();
                }
            });
            warp.meet();
            warp.each_with(own, &peers, |lane, [digit, rank], peers| {
                let of_half = peers & 0xffff << (16 * half);
                if lane.index() / 16 == half && of_half >> lane.index() == 1 {
                    cells.store(lane.thread(), 2 * *digit + row, *rank + 1);
                }
            });
            warp.meet();
        }
    });
    counts.exclusive_scan_in_place(block, 16, 0, |a, b| a + b);
    let in_order = in_order.scatter(block, 64, &own, |thread, [digit, rank], slots| {
        slots.put(thread, counts.get(2 * digit + thread.index() / 32) + rank, [*digit, thread.index()]);
    });
    block.for_each(32, |thread, i| {
        out.put_each(thread, [first + i, first + 32 + i], [in_order.get(i), in_order.get(32 + i)]);
    });
}

/// All atomic operations whose final state does not depend on the order, on numbers of all four types, in the block's own
/// memory and in memory of all blocks.
#[kernel(threads = 96)]
pub fn extremes(
    block: &mut Block,
    own: &mut Segment<i32>,
    words: &Atomics<u32>,
    signed: &Atomics<i32>,
    long: &Atomics<u64>,
    floats: &Atomics<f32>,
    system: &Atomics<u32, scope::System>,
    values: &[f32],
) {
    let n = values.len() as u32;
    own.update_atomic(block, n, |t, cells, i| {
        let value = values.at(i) as i32;
        cells.add(t, 0, value);
        cells.min(t, 1, value);
        cells.max(t, 2, value);
        cells.xor(t, 3, value);
    });
    block.for_each(n, |t, i| {
        let value = values.at(i);
        let word = value.to_bits();
        words.add(t, 0, word);
        words.min(t, 1, word);
        words.max(t, 2, word);
        words.and(t, 3, word | 0xff);
        words.or(t, 4, word & 0xffff);
        words.xor(t, 5, word);
        signed.add(t, 0, word as i32);
        signed.min(t, 1, word as i32);
        signed.max(t, 2, word as i32);
        long.add(t, 0, u64::from(word) << 20);
        long.min(t, 1, u64::from(word) << 20);
        long.max(t, 2, u64::from(word) << 20);
        floats.min(t, 0, value);
        floats.max(t, 1, value);
        // Integers so small that their sum is exact in every order.
        floats.add(t, 2, (word % 16) as f32);
        system.add(t, 0, 1);
    });
    // Increases a number with compare-and-exchange only.
    block.for_each(n, |t, i| {
        let word = values.at(i).to_bits();
        let mut old = system.load(t, 1);
        while old < word {
            let found = system.compare_exchange(t, 1, old, word);
            if found == old {
                break;
            }
            old = found;
        }
    });
}

/// Threads draw tickets. Their order is unspecified: the result differs from run to run.
#[kernel(threads = 64)]
pub fn tickets(block: &mut Block, out: &mut Chunk<u32, 64>, next: &Atomics<u32>) {
    let drawn = block.per_thread(|t| next.add(t, 0, 1));
    out.write(block, 0, &drawn, |_, ticket| *ticket);
}

/// The sum of each segment's part of `input`, reduced in shared memory whose size the launch gives.
#[kernel(threads = 128, requires(!scratch.is_empty()))]
pub fn sums_of_parts(
    block: &mut Block,
    out: &mut Segment<f32>,
    input: &[f32],
    per_block: u32,
    scratch: &mut DynamicShared<f32>,
) {
    let (room, first) = (scratch.capacity(), block.index() * per_block);
    let rounds = per_block.div_ceil(room);
    let mut sum = 0.0;
    for round in 0..rounds {
        let rest = per_block - round * room;
        let n = if rest < room { rest } else { room };
        let mut tile = scratch.fill(block, n, |i| input.at(first + round * room + i));
        tile.update(block, n, |_, item| *item *= 2.0);
        sum += block.reduce(n, 0.0, |i| tile.get(i), |a, b| a + b);
    }
    out.set(block, 0, sum);
}

/// The squares of the first primes: a constant array, which becomes read-only memory of the module.
const SQUARES: [u32; 12] = [4, 9, 25, 49, 121, 169, 289, 361, 529, 841, 961, 1369];

/// `out[i] = SQUARES[index[i]]`.
#[kernel(threads = 32, requires(index.len() == out.len()))]
pub fn table_look_up(block: &mut Block, out: &mut Chunk<u32, 64>, index: &[u32]) {
    let (n, first) = (out.len(), out.start());
    out.fill(block, n, |i| SQUARES.at(index.at(first + i)));
}

/// The index of each element's part, and its index there. The parameters have the names that the entry's own once had.
#[kernel(threads = 32)]
pub fn named_alike(
    block: &mut Block,
    out: &mut Chunk<u32, 64>,
    out_len: &mut Shared<u32, 64>,
    parts: &mut Tile2d<u32, 1, 64>,
    parts_rows: &mut Shared<u32, 32>,
    panic_record: u32,
    kernel_id: &[u32],
    kernel_id_len: u64,
) {
    let own = out_len.fill(block, 64, |i| i + panic_record);
    let part = block.index();
    let parts_rows = parts_rows.fill(block, 1, |_| part + kernel_id.at(0) + kernel_id_len as u32);
    let n = out.len();
    out.fill(block, n, |i| own.get(i));
    parts.fill(block, |_, _| parts_rows.get(0));
}
