//! No closure of any phase captures a cell. (Each is of another type: the compiler speaks once of each.)
use cuda_std::prelude::*;
use std::cell::Cell;

#[kernel(threads = 64)]
fn of_block(block: &mut Block, out: &mut Segment<u32>) {
    let last = Cell::new([0u32; 1]);
    let mut own = block.per_thread(|thread| {
        last.set([thread.index(); 1]);
        0u32
    });
    let last = Cell::new([0u32; 2]);
    block.each(&mut own, |_, own| last.set([*own; 2]));
    let last = Cell::new([0u32; 3]);
    block.for_each(9, |_, i| last.set([i; 3]));
    let last = Cell::new([0u32; 4]);
    block.reduce(9, 0u32, |i| { last.set([i; 4]); i }, |a, _| a);
    let last = Cell::new([0u32; 5]);
    block.reduce(9, 0u32, |i| i, |a, _| { last.set([a; 5]); a });
    let last = Cell::new([0u32; 6]);
    block.reduce_ahead(9, 0u32, |i| { last.set([i; 6]); i }, |a, _| a);
    let last = Cell::new([0u32; 7]);
    block.reduce_ahead(9, 0u32, |i| i, |a, _| { last.set([a; 7]); a });
    let last = Cell::new([0u32; 8]);
    block.reduce_threads(&own, 0u32, |_, own| { last.set([*own; 8]); 0 }, |a, _| a);
    let last = Cell::new([0u32; 9]);
    block.reduce_threads(&own, 0u32, |_, own| *own, |a, _| { last.set([a; 9]); a });
    let last = Cell::new([0u32; 10]);
    block.count(9, |i| { last.set([i; 10]); true });
    let last = Cell::new([0u32; 11]);
    block.any(9, |i| { last.set([i; 11]); true });
    let last = Cell::new([0u32; 12]);
    block.all(9, |i| { last.set([i; 12]); true });
    let last = Cell::new([0u32; 13]);
    block.count_threads(&own, |_, own| { last.set([*own; 13]); true });
    let last = Cell::new([0u32; 14]);
    block.any_thread(&own, |_, own| { last.set([*own; 14]); true });
    let last = Cell::new([0u32; 15]);
    block.all_threads(&own, |_, own| { last.set([*own; 15]); true });
    let last = Cell::new([0u32; 16]);
    block.warps(|warp| last.set([warp.index(); 16]));
    let last = Cell::new([0u32; 17]);
    block.warps_with(&mut own, |warp, _| last.set([warp.index(); 17]));
}

#[kernel(threads = 64)]
fn of_memory(block: &mut Block, out: &mut Segment<u32>, list: &mut Shared<u32, 64>, starts: &mut Shared<u32, 2>) {
    let own = block.per_thread(|_| 0u32);
    let last = Cell::new([0u32; 18]);
    out.fill(block, 9, |i| { last.set([i; 18]); 0 });
    let last = Cell::new([0u32; 19]);
    out.fill_reduce(block, 9, 0u32, |i| { last.set([i; 19]); (0, 0) }, |a, _| a);
    let last = Cell::new([0u32; 20]);
    out.fill_reduce(block, 9, 0u32, |_| (0, 0), |a, _| { last.set([a; 20]); a });
    let last = Cell::new([0u32; 21]);
    out.update_reduce(block, 9, 0u32, |i, _| { last.set([i; 21]); 0 }, |a, _| a);
    let last = Cell::new([0u32; 22]);
    out.update_reduce(block, 9, 0u32, |_, _| 0, |a, _| { last.set([a; 22]); a });
    let last = Cell::new([0u32; 23]);
    out.update(block, 9, |i, _| last.set([i; 23]));
    let last = Cell::new([0u32; 24]);
    out.write(block, 0, &own, |_, own| { last.set([*own; 24]); 0 });
    let last = Cell::new([0u32; 25]);
    out.inclusive_scan(block, 9, 0, |i| { last.set([i; 25]); 0 }, |a, _| a);
    let last = Cell::new([0u32; 26]);
    out.inclusive_scan(block, 9, 0, |_| 0, |a, _| { last.set([a; 26]); a });
    let last = Cell::new([0u32; 27]);
    out.exclusive_scan(block, 9, 0, |i| { last.set([i; 27]); 0 }, |a, _| a);
    let last = Cell::new([0u32; 28]);
    out.exclusive_scan(block, 9, 0, |_| 0, |a, _| { last.set([a; 28]); a });
    let last = Cell::new([0u32; 29]);
    out.write_by_warp(block, |warp| { last.set([warp.index(); 29]); 0 });
    let last = Cell::new([0u32; 30]);
    out.fill_by_warp(block, 9, |_, i| { last.set([i; 30]); 0 });
    let last = Cell::new([0u32; 31]);
    out.update_by_warp(block, 9, |_, i, _| { last.set([i; 31]); 0 });
    let last = Cell::new([0u32; 32]);
    out.fill_by_warp_with(block, 9, (&mut *list,), |_, _, i| { last.set([i; 32]); 0 });
    let last = Cell::new([0u32; 33]);
    let tile = starts.fill(block, 2, |i| { last.set([i; 33]); 0 });
    let last = Cell::new([0u32; 34]);
    out.write_parts_by_warp_with(block, &tile, (&mut *list,), |_, _, part| last.set([part.start(); 34]));
    let last = Cell::new([0u32; 35]);
    out.fill_by_lanes(block, 9, |warp, first| { last.set([first; 35]); warp.per_lane(|_| 0) });
    let last = Cell::new([0u32; 36]);
    out.fill_by_lanes_with(block, 9, (&mut *list,), |warp, _, first| { last.set([first; 36]); warp.per_lane(|_| 0) });
    let last = Cell::new([0u32; 37]);
    out.update_atomic(block, 9, |_, _, i| last.set([i; 37]));
    let last = Cell::new([0u32; 38]);
    out.fill_by_team::<8>(block, 9, |_, i| { last.set([i; 38]); 0 });
    let last = Cell::new([0u32; 39]);
    out.update_by_team::<8, _>(block, 9, |_, i| { last.set([i; 39]); 0 }, |_, _| ());
    let last = Cell::new([0u32; 40]);
    out.update_by_team::<8, u32>(block, 9, |_, _| 0, |value, _| last.set([value; 40]));
    let last = Cell::new([0u32; 41]);
    out.collect::<8, _>(block, 9, 9, |i| { last.set([i; 41]); |_| true });
}

#[kernel(threads = 64)]
fn of_shared(
    block: &mut Block,
    out: &mut Segment<u32>,
    tile: &mut Shared<u32, 64>,
    dynamic: &mut DynamicShared<u32>,
    square: &mut Tile2d<u32, 8, 8>,
) {
    let own = block.per_thread(|_| 0u32);
    let last = Cell::new([0u32; 42]);
    tile.fill(block, 9, |i| { last.set([i; 42]); 0 });
    let last = Cell::new([0u32; 43]);
    tile.fill_all(block, |i| { last.set([i; 43]); 0 });
    let last = Cell::new([0u32; 44]);
    tile.fill_by_team::<8>(block, 9, |_, i| { last.set([i; 44]); 0 });
    let last = Cell::new([0u32; 45]);
    tile.write(block, 9, &own, |_, own| { last.set([*own; 45]); 0 });
    let last = Cell::new([0u32; 46]);
    dynamic.fill(block, 9, |i| { last.set([i; 46]); 0 });
    let last = Cell::new([0u32; 47]);
    dynamic.fill_by_team::<8>(block, 9, |_, i| { last.set([i; 47]); 0 });
    let last = Cell::new([0u32; 48]);
    dynamic.write(block, 9, &own, |_, own| { last.set([*own; 48]); 0 });
    let last = Cell::new([0u32; 49]);
    square.fill(block, |row, _| { last.set([row; 49]); 0 });
    let last = Cell::new([0u32; 50]);
    square.write::<1, 1, _>(block, &own, |_, own, _, _| { last.set([*own; 50]); 0 });
    let mut halves = tile.halves(block);
    let last = Cell::new([0u32; 51]);
    halves.fill(block, 9, |i| { last.set([i; 51]); 0 });
    let last = Cell::new([0u32; 52]);
    halves.write(block, 9, &own, |_, own| { last.set([*own; 52]); 0 });
    let last = Cell::new([0u32; 53]);
    halves.write_columns::<8, 4, 1, _>(block, &own, |_, own| { last.set([*own; 53]); [0] });
}

#[kernel(threads = 64)]
fn of_steps(block: &mut Block, out: &mut Segment<u32>) {
    let mut own = block.per_thread(|_| 0u32);
    let other = block.per_thread(|_| 0u32);
    let last = Cell::new([0u32; 54]);
    block.each_with(&mut own, &other, |_, _, other| last.set([*other; 54]));
    let last = Cell::new([0u32; 55]);
    block.once(|thread| { last.set([thread.index(); 55]); 0 });
    let last = Cell::new([0u32; 56]);
    out.inclusive_scan_from(block, 9, 0, 0, |i| { last.set([i; 56]); 0 }, |a, _| a);
    let last = Cell::new([0u32; 57]);
    out.inclusive_scan_from(block, 9, 0, 0, |_| 0, |a, _| { last.set([a; 57]); a });
    let last = Cell::new([0u32; 58]);
    out.exclusive_scan_from(block, 9, 0, 0, |i| { last.set([i; 58]); 0 }, |a, _| a);
    let last = Cell::new([0u32; 59]);
    out.exclusive_scan_from(block, 9, 0, 0, |_| 0, |a, _| { last.set([a; 59]); a });
    let last = Cell::new([0u32; 60]);
    out.inclusive_scan_in_place(block, 9, 0, |a, _| { last.set([a; 60]); a });
    let last = Cell::new([0u32; 61]);
    out.exclusive_scan_in_place(block, 9, 0, |a, _| { last.set([a; 61]); a });
    let last = Cell::new([0u32; 62]);
    out.fill_rows_by_warp(block, 3, 3, |_, row| last.set([row; 62]), |_, _, c| c);
    let last = Cell::new([0u32; 63]);
    out.fill_rows_by_warp(block, 3, 3, |_, _| 0, |_, _, c| { last.set([c; 63]); c });
}

fn main() {}
