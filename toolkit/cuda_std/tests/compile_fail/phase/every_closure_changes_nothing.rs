//! No closure of any phase changes what it captures: each of these would carry something of one thread to where all are.
use cuda_std::prelude::*;

#[kernel(threads = 64)]
fn of_block(block: &mut Block, out: &mut Segment<u32>) {
    let mut last = 0;
    let mut own = block.per_thread(|thread| {
        last = thread.index();
        0u32
    });
    block.each(&mut own, |_, own| last = *own);
    block.for_each(9, |_, i| last = i);
    block.reduce(9, 0u32, |i| { last = i; i }, |a, _| a);
    block.reduce(9, 0u32, |i| i, |a, _| { last = a; a });
    block.reduce_ahead(9, 0u32, |i| { last = i; i }, |a, _| a);
    block.reduce_ahead(9, 0u32, |i| i, |a, _| { last = a; a });
    block.reduce_threads(&own, 0u32, |_, own| { last = *own; 0 }, |a, _| a);
    block.reduce_threads(&own, 0u32, |_, own| *own, |a, _| { last = a; a });
    block.count(9, |i| { last = i; true });
    block.any(9, |i| { last = i; true });
    block.all(9, |i| { last = i; true });
    block.count_threads(&own, |_, own| { last = *own; true });
    block.any_thread(&own, |_, own| { last = *own; true });
    block.all_threads(&own, |_, own| { last = *own; true });
    block.warps(|warp| last = warp.index());
    block.warps_with(&mut own, |warp, _| last = warp.index());
    out.set(block, 0, last);
}

#[kernel(threads = 64)]
fn of_memory(block: &mut Block, out: &mut Segment<u32>, list: &mut Shared<u32, 64>, starts: &mut Shared<u32, 2>) {
    let mut last = 0;
    let own = block.per_thread(|_| 0u32);
    out.fill(block, 9, |i| { last = i; 0 });
    out.fill_reduce(block, 9, 0u32, |i| { last = i; (0, 0) }, |a, _| a);
    out.fill_reduce(block, 9, 0u32, |_| (0, 0), |a, _| { last = a; a });
    out.update_reduce(block, 9, 0u32, |i, _| { last = i; 0 }, |a, _| a);
    out.update_reduce(block, 9, 0u32, |_, _| 0, |a, _| { last = a; a });
    out.update(block, 9, |i, _| last = i);
    out.write(block, 0, &own, |_, own| { last = *own; 0 });
    out.inclusive_scan(block, 9, 0, |i| { last = i; 0 }, |a, _| a);
    out.inclusive_scan(block, 9, 0, |_| 0, |a, _| { last = a; a });
    out.exclusive_scan(block, 9, 0, |i| { last = i; 0 }, |a, _| a);
    out.exclusive_scan(block, 9, 0, |_| 0, |a, _| { last = a; a });
    out.write_by_warp(block, |warp| { last = warp.index(); 0 });
    out.fill_by_warp(block, 9, |_, i| { last = i; 0 });
    out.update_by_warp(block, 9, |_, i, _| { last = i; 0 });
    out.fill_by_warp_with(block, 9, (&mut *list,), |_, _, i| { last = i; 0 });
    let tile = starts.fill(block, 2, |i| { last = i; 0 });
    out.write_parts_by_warp_with(block, &tile, (&mut *list,), |_, _, part| last = part.start());
    out.fill_by_lanes(block, 9, |warp, first| { last = first; warp.per_lane(|_| 0) });
    out.fill_by_lanes_with(block, 9, (&mut *list,), |warp, _, first| { last = first; warp.per_lane(|_| 0) });
    out.update_atomic(block, 9, |_, _, i| last = i);
    out.fill_by_team::<8>(block, 9, |_, i| { last = i; 0 });
    out.update_by_team::<8, _>(block, 9, |_, i| { last = i; 0 }, |_, _| ());
    out.update_by_team::<8, u32>(block, 9, |_, _| 0, |value, _| last = value);
    out.collect::<8, _>(block, 9, 9, |i| { last = i; |_| true });
    out.set(block, 0, last);
}

#[kernel(threads = 64)]
fn of_shared(
    block: &mut Block,
    out: &mut Segment<u32>,
    tile: &mut Shared<u32, 64>,
    dynamic: &mut DynamicShared<u32>,
    square: &mut Tile2d<u32, 8, 8>,
) {
    let mut last = 0;
    let own = block.per_thread(|_| 0u32);
    tile.fill(block, 9, |i| { last = i; 0 });
    tile.fill_all(block, |i| { last = i; 0 });
    tile.fill_by_team::<8>(block, 9, |_, i| { last = i; 0 });
    tile.write(block, 9, &own, |_, own| { last = *own; 0 });
    dynamic.fill(block, 9, |i| { last = i; 0 });
    dynamic.fill_by_team::<8>(block, 9, |_, i| { last = i; 0 });
    dynamic.write(block, 9, &own, |_, own| { last = *own; 0 });
    square.fill(block, |row, _| { last = row; 0 });
    square.write::<1, 1, _>(block, &own, |_, own, _, _| { last = *own; 0 });
    let mut halves = tile.halves(block);
    halves.fill(block, 9, |i| { last = i; 0 });
    halves.write(block, 9, &own, |_, own| { last = *own; 0 });
    halves.write_columns::<8, 4, 1, _>(block, &own, |_, own| { last = *own; [0] });
    out.set(block, 0, last);
}

#[kernel(threads = 64)]
fn of_steps(block: &mut Block, out: &mut Segment<u32>) {
    let mut last = 0;
    let mut own = block.per_thread(|_| 0u32);
    let other = block.per_thread(|_| 0u32);
    block.each_with(&mut own, &other, |_, _, other| last = *other);
    block.once(|thread| { last = thread.index(); 0 });
    out.inclusive_scan_from(block, 9, 0, 0, |i| { last = i; 0 }, |a, _| { last = a; a });
    out.exclusive_scan_from(block, 9, 0, 0, |i| { last = i; 0 }, |a, _| { last = a; a });
    out.inclusive_scan_in_place(block, 9, 0, |a, _| { last = a; a });
    out.exclusive_scan_in_place(block, 9, 0, |a, _| { last = a; a });
    out.fill_rows_by_warp(block, 3, 3, |_, row| last = row, |_, _, c| { last = c; c });
    out.set(block, 0, last);
}

fn main() {}
