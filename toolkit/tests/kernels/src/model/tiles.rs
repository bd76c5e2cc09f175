//! Shared arrays in halves, whole arrays, parts of tiles, and windows of matrices.

use cuda_std::prelude::*;

/// Adds up rows of 32 numbers, tile by tile. A thread loads four numbers at a time.
#[kernel(threads = 64, requires(out.len() == 64, x.len().is_multiple_of(256)))]
pub fn column_sums(block: &mut Block, out: &mut Chunk<u32, 64>, x: &[u32], tiles: &mut Shared<u32, 512>) {
    let mut tiles = tiles.halves(block);
    let mut own = block.per_thread(|_| ([0; 4], 0));
    for turn in 0..x.len() as u32 / 256 {
        block.each(&mut own, |t, (loaded, _)| *loaded = [0, 1, 2, 3].map(|k| x.at(turn * 256 + t.index() * 4 + k)));
        // Eight rows of 32: thread t has elements 4 (t % 2) .. of column t / 2.
        let tile = tiles.write_columns::<8, 32, 4, _>(block, &own, |_, (loaded, _)| *loaded);
        let tile = block.meet(tile);
        block.each(&mut own, |t, (_, sum)| {
            let (row, column) = (t.index() / 32, t.index() % 32);
            *sum += tile.part(32 * row, 32).get(column) * (turn + 1);
        });
    }
    out.write(block, 0, &own, |_, (_, sum)| *sum);
}

/// Turns rows of four into quads, each of which is read at once: those from `first` on, each `at` quads later.
#[kernel(threads = 32)]
pub fn quads(
    block: &mut Block,
    out: &mut Chunk<[u32; 4], 16, WriteOnly>,
    tile: &mut Shared<u32, 64>,
    first: u32,
    at: u32,
) {
    let quads = tile.fill_all(block, |i| 10 * i).arrays::<4>();
    let part = quads.part(first, 16 - first);
    out.fill(block, 16, |i| if i < part.len() { part.get(i + at) } else { [0; 4] });
}

/// What [`fn@half_of_array`] writes in place of an element that its half does not have.
pub const NO_ELEMENT: u32 = 99;

/// Writes `n` elements of half an array, by indices or by threads.
#[kernel(threads = 32)]
pub fn half_of_array(block: &mut Block, out: &mut Chunk<u32, 32>, tiles: &mut Shared<u32, 96>, n: u32, by_thread: u32) {
    let own = block.per_thread(|t| t.index());
    let mut tiles = tiles.halves(block);
    let tile = if by_thread == 1 { tiles.write(block, n, &own, |_, own| *own) } else { tiles.fill(block, n, |i| i) };
    let tile = block.meet(tile);
    out.fill(block, 32, |i| if i < tile.len() { tile.get(i) } else { NO_ELEMENT });
}

/// Turns of 40 elements; every third element comes from the kernel's own table. Before and after them, tiles are filled.
#[kernel(threads = 64)]
pub fn copied_ahead(block: &mut Block, out: &mut Chunk<u32, 64>, x: &[u32], turns: u32, tiles: &mut Shared<u32, 96>) {
    let table = [7, 8, 9, 10];
    let mut tiles = tiles.halves(block);
    let before = tiles.fill(block, 48, |i| i);
    let before = block.meet(before);
    let mut sums = block.per_thread(|thread| before.get(thread.index() % 48));
    let mut seen = 0;
    tiles.copy_ahead(
        block,
        turns,
        40,
        |turn, i| if i.is_multiple_of(3) { &table[turn as usize % 4] } else { x.at_ref(40 * turn + i) },
        |block, turn, mut tile| {
            // The body may write its tile.
            tile.update(block, 1, |_, item| *item += turn);
            block.each(&mut sums, |thread, sum| *sum += (turn + 1) * tile.get((thread.index() + turn) % 40));
            seen += 1;
        },
    );
    let after = tiles.fill(block, 2, |i| 1000 * seen + i);
    let after = block.meet(after);
    out.write(block, 0, &sums, |thread, sum| *sum + after.get(thread.index() % 2));
}

/// A window of 2 x 3 elements, each plus 1000 times the rows and 10,000 times the columns of its table.
#[kernel(threads = 32)]
pub fn window_of_table(
    block: &mut Block,
    out: &mut Chunk<u32, 6>,
    data: &[u32],
    rows: u32,
    columns: u32,
    row: u32,
    column: u32,
) {
    let table = Table::new(data, rows, columns);
    let window = table.window::<2, 3>(row, column);
    out.fill(block, 6, |i| window.at(i / 3, i % 3) + 1000 * table.rows() + 10_000 * table.columns());
}

/// An element of a window of 2 x 2 elements in a table of 4 x 4.
#[kernel(threads = 32)]
pub fn element_of_window(block: &mut Block, out: &mut Chunk<u32, 4>, data: &[u32], row: u32, column: u32) {
    let window = Table::new(data, 4, 4).window::<2, 2>(0, 0);
    out.fill(block, 4, |i| window.at(row, column) + i);
}

/// The last element of window `i` of 2 x 3 elements from row `first` on, and 1000 times the number of these windows.
#[kernel(threads = 32)]
pub fn windows_across(
    block: &mut Block,
    out: &mut Chunk<u32, 1>,
    data: &[u32],
    rows: u32,
    columns: u32,
    first: u32,
    i: u32,
) {
    let table = Table::new(data, rows, columns);
    let across = table.windows_across::<2, 3>(first);
    let last = across.window(i).at(1, 2);
    out.fill(block, 1, |_| last + 1000 * across.count());
}

/// Element (`row`, `column`) of a table, by itself, of its row or of its column, and how many elements that has.
#[kernel(threads = 32)]
pub fn element_of_table(
    block: &mut Block,
    out: &mut Chunk<u32, 2>,
    data: &[u32],
    rows: u32,
    columns: u32,
    row: u32,
    column: u32,
    way: u32,
) {
    let table = Table::new(data, rows, columns);
    let (element, count) = match way {
        0 => (table.at(row, column), 1),
        1 => (table.row(row).at(column), table.row(row).len() as u32),
        _ => (table.column(column).at(row), table.column(column).len()),
    };
    out.fill(block, 2, |i| if i == 0 { element } else { count });
}

/// Each thread puts its index at `to`, if that is not `u32::MAX`, twice: what the first time left is below 100.
#[kernel(threads = 64, requires(to.len() == 64))]
pub fn scattered_in_tile(block: &mut Block, out: &mut Chunk<u32, 80>, to: &[u32], tile: &mut Shared<u32, 80>) {
    let mut tile = tile.fill_all(block, |i| 1000 + i);
    for turn in 0..2 {
        // From the tile as it is before anybody writes.
        let own = block.per_thread(|thread| thread.index() + turn * tile.get(79 - thread.index()));
        tile.scatter(block, &own, |thread, own, slots| {
            let at = to.at(thread.index());
            if at != u32::MAX {
                slots.put(thread, at, *own);
            }
        });
    }
    out.fill(block, 80, |i| tile.get(i));
}

/// Reverses the first `n` of each 100 elements, through shared memory.
#[kernel(threads = 64, requires(x.len() == grid.x as usize * 100))]
pub fn reversed_in_place(block: &mut Block, x: &Atomics<u32>, n: u32, copy: &mut Shared<u32, 90>) {
    let first = 100 * block.index();
    let copy = copy.fill_by_thread(block, n, |thread, i| x.load(thread, first + i));
    block.for_each(n, |thread, i| x.store(thread, first + i, copy.get(n - 1 - i)));
}

/// Quotients and remainders by 7 of the first `n` indices, and which remainders are 3; from element 70 on, two of them get the threads'
/// indices plus 1000.
#[kernel(threads = 64)]
pub fn several_outputs(
    block: &mut Block,
    quotients: &mut Chunk<u32, 100, WriteOnly>,
    remainders: &mut Chunk<u64, 100>,
    flags: &mut Chunk<u8, 100, WriteOnly>,
    n: u32,
) {
    let first = quotients.start();
    (&mut *quotients, &mut *remainders, flags).fill(block, n, |i| {
        let x = first + i;
        (x / 7, u64::from(x % 7), u8::from(x % 7 == 3))
    });
    let own = block.per_thread(|thread| 1000 + thread.index());
    (quotients, remainders).write(block, 70, &own, |_, own| (*own, u64::from(*own)));
}

/// Adds 100 times the row and the column to each element, in tiles of 5 x 16.
#[kernel(threads = 64)]
pub fn updated_tile(block: &mut Block, out: &mut Tile2d<u32, 5, 16>) {
    let (top, left) = (out.first_row(), out.first_column());
    out.update(block, |row, column, x| *x += 100 * (top + row) + left + column);
    out.update(block, |_, _, x| *x *= 2);
}

/// The row and column of each element, in tiles of 5 x 16.
#[kernel(threads = 64)]
pub fn rows_and_columns(block: &mut Block, out: &mut Tile2d<[u32; 2], 5, 16>) {
    let (top, left) = (out.first_row(), out.first_column());
    out.fill(block, |row, column| [top + row, left + column]);
}

/// Reads the tile that it has written: one column for the row after the first by `beyond`.
#[kernel(threads = 32)]
pub fn reread_tile(block: &mut Block, out: &mut Tile2d<u32, 4, 4>, beyond: u32) {
    out.fill(block, |row, column| 10 * row + column);
    let rows = out.rows();
    let last = out.get(rows - 1 + beyond, 0);
    out.fill(block, |row, _| row + last);
}

/// 1000 times the sum of `1..=used`, in shared memory whose length the launch gives, plus this length.
#[kernel(threads = 32)]
pub fn sum_in_dynamic_memory(block: &mut Block, out: &mut Chunk<u32, 1>, scratch: &mut DynamicShared<u32>, used: u32) {
    let capacity = scratch.capacity();
    let tile = scratch.fill(block, used, |i| i + 1);
    let sum = block.reduce(tile.len(), 0, |i| tile.get(i), |a, b| a + b);
    out.set(block, 0, sum * 1000 + capacity);
}
