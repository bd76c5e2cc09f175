// A closure of every phase, each of which captures `last` and calls `last.store(number)`. `last!()` makes one. A test compiles
// this text with one that the closure would change, with a cell, and with an atomic: none of them may be captured.

use cuda_std::lists::{Pick, Questions};

/// With `last` in each closure.
#[kernel(threads = 64)]
pub fn of_block(block: &mut Block, out: &mut Segment<u32>) {
    let mut last = last!();
    let mut own = block.per_thread(|thread| { last.store(thread.index()); 0u32 });
    let mut last = last!();
    block.each(&mut own, |_, own| last.store(*own));
    let mut last = last!();
    block.for_each(9, |_, i| last.store(i));
    let mut last = last!();
    block.reduce(9, 0u32, |i| { last.store(i); i }, |a, _| a);
    let mut last = last!();
    block.reduce(9, 0u32, |i| i, |a, _| { last.store(a); a });
    let mut last = last!();
    block.reduce_ahead(9, 0u32, |i| { last.store(i); i }, |a, _| a);
    let mut last = last!();
    block.reduce_ahead(9, 0u32, |i| i, |a, _| { last.store(a); a });
    let mut last = last!();
    block.reduce_threads(&own, 0u32, |_, own| { last.store(*own); 0 }, |a, _| a);
    let mut last = last!();
    block.reduce_threads(&own, 0u32, |_, own| *own, |a, _| { last.store(a); a });
    let mut last = last!();
    block.count(9, |i| { last.store(i); true });
    let mut last = last!();
    block.any(9, |i| { last.store(i); true });
    let mut last = last!();
    block.all(9, |i| { last.store(i); true });
    let mut last = last!();
    block.count_threads(&own, |_, own| { last.store(*own); true });
    let mut last = last!();
    block.any_thread(&own, |_, own| { last.store(*own); true });
    let mut last = last!();
    block.all_threads(&own, |_, own| { last.store(*own); true });
    let mut last = last!();
    block.warps(|warp| last.store(warp.index()));
    let mut last = last!();
    block.warps_with(&mut own, |warp, _| last.store(warp.index()));
}

/// With `last` in each closure.
#[kernel(threads = 64)]
pub fn of_memory(block: &mut Block, out: &mut Segment<u32>, list: &mut Shared<u32, 64>, starts: &mut Shared<u32, 2>) {
    let own = block.per_thread(|_| 0u32);
    let mut last = last!();
    out.fill(block, 9, |i| { last.store(i); 0 });
    let mut last = last!();
    out.fill_reduce(block, 9, 0u32, |i| { last.store(i); (0, 0) }, |a, _| a);
    let mut last = last!();
    out.fill_reduce(block, 9, 0u32, |_| (0, 0), |a, _| { last.store(a); a });
    let mut last = last!();
    out.update_reduce(block, 9, 0u32, |i, _| { last.store(i); 0 }, |a, _| a);
    let mut last = last!();
    out.update_reduce(block, 9, 0u32, |_, _| 0, |a, _| { last.store(a); a });
    let mut last = last!();
    out.update(block, 9, |i, _| last.store(i));
    let mut last = last!();
    out.write(block, 0, &own, |_, own| { last.store(*own); 0 });
    let mut last = last!();
    out.inclusive_scan(block, 9, 0, |i| { last.store(i); 0 }, |a, _| a);
    let mut last = last!();
    out.inclusive_scan(block, 9, 0, |_| 0, |a, _| { last.store(a); a });
    let mut last = last!();
    out.exclusive_scan(block, 9, 0, |i| { last.store(i); 0 }, |a, _| a);
    let mut last = last!();
    out.exclusive_scan(block, 9, 0, |_| 0, |a, _| { last.store(a); a });
    let mut last = last!();
    out.write_by_warp(block, |warp| { last.store(warp.index()); 0 });
    let mut last = last!();
    out.fill_by_warp(block, 9, |_, i| { last.store(i); 0 });
    let mut last = last!();
    out.update_by_warp(block, 9, |_, i, _| { last.store(i); 0 });
    let mut last = last!();
    out.fill_by_warp_with(block, 9, (&mut *list,), |_, _, i| { last.store(i); 0 });
    let mut last = last!();
    let tile = starts.fill(block, 2, |i| { last.store(i); 0 });
    let mut last = last!();
    out.write_parts_by_warp_with(block, &tile, (&mut *list,), |_, _, part| last.store(part.start()));
    let mut last = last!();
    out.fill_by_lanes(block, 9, |warp, first| { last.store(first); warp.per_lane(|_| 0) });
    let mut last = last!();
    out.fill_by_lanes_with(block, 9, (&mut *list,), |warp, _, first| { last.store(first); warp.per_lane(|_| 0) });
    let mut last = last!();
    out.update_atomic(block, 9, |_, _, i| last.store(i));
    let mut own = block.per_thread(|_| 0u32);
    let mut last = last!();
    out.update_atomic_by_warp(block, &mut own, |warp, _, _| last.store(warp.index()));
    let mut last = last!();
    out.fill_by_team::<8>(block, 9, |_, i| { last.store(i); 0 });
    let mut last = last!();
    out.update_by_team::<8, _>(block, 9, |_, i| { last.store(i); 0 }, |_, _| ());
    let mut last = last!();
    out.update_by_team::<8, u32>(block, 9, |_, _| 0, |value, _| last.store(value));
    let mut last = last!();
    out.collect::<8, _>(block, 9, 9, |i| { last.store(i); |_| true });
    let mut last = last!();
    out.collect_of::<8, u32, _>(block, 9, View::of(&[]), |i| { last.store(i); |_, _| true });
    let mut last = last!();
    out.collect_by_team::<8>(block, 9, |_, i, _| last.store(i));
}

/// With `last` in each closure.
#[kernel(threads = 64)]
pub fn of_shared(
    block: &mut Block,
    out: &mut Segment<u32>,
    tile: &mut Shared<u32, 64>,
    dynamic: &mut DynamicShared<u32>,
    square: &mut Tile2d<u32, 8, 8>,
) {
    let own = block.per_thread(|_| 0u32);
    let mut last = last!();
    tile.fill(block, 9, |i| { last.store(i); 0 });
    let mut last = last!();
    tile.fill_by_thread(block, 9, |_, i| { last.store(i); 0 });
    let mut last = last!();
    dynamic.fill_by_thread(block, 9, |_, i| { last.store(i); 0 });
    let mut last = last!();
    tile.fill_all(block, |i| { last.store(i); 0 });
    let mut last = last!();
    tile.fill_by_team::<8>(block, 9, |_, i| { last.store(i); 0 });
    let mut last = last!();
    tile.write(block, 9, &own, |_, own| { last.store(*own); 0 });
    let mut last = last!();
    tile.scatter(block, 64, &own, |thread, _, slots| { last.store(0); slots.put(thread, thread.index(), 0) });
    let mut last = last!();
    dynamic.scatter(block, 64, &own, |thread, _, slots| { last.store(0); slots.put(thread, thread.index(), 0) });
    let mut last = last!();
    dynamic.fill(block, 9, |i| { last.store(i); 0 });
    let mut last = last!();
    dynamic.fill_by_team::<8>(block, 9, |_, i| { last.store(i); 0 });
    let mut last = last!();
    dynamic.write(block, 9, &own, |_, own| { last.store(*own); 0 });
    let mut last = last!();
    square.fill(block, |row, _| { last.store(row); 0 });
    let mut last = last!();
    square.write::<1, 1, _>(block, &own, |_, own, _, _| { last.store(*own); 0 });
    let mut last = last!();
    square.update(block, |row, _, _| last.store(row));
    let mut filled = tile.fill_all(block, |i| i);
    let mut last = last!();
    filled.scatter(block, &own, |thread, _, slots| { last.store(0); slots.put(thread, thread.index(), 0) });
    let mut last = last!();
    (&mut filled, &mut *out).fill(block, 9, |i| { last.store(i); (0, 0) });
    let mut last = last!();
    (&mut filled, &mut *out).write(block, 0, &own, |_, own| { last.store(*own); (0, 0) });
    let mut halves = tile.halves(block);
    let mut last = last!();
    halves.fill(block, 9, |i| { last.store(i); 0 });
    let mut last = last!();
    halves.write(block, 9, &own, |_, own| { last.store(*own); 0 });
    let mut last = last!();
    halves.write_columns::<8, 4, 1, _>(block, &own, |_, own| { last.store(*own); [0] });
}

/// With `last` in each closure.
#[kernel(threads = 64)]
pub fn of_warp(block: &mut Block, out: &mut Segment<u32>) {
    out.fill_by_warp(block, 9, |warp, _| {
        let mut last = last!();
        let mut own = warp.per_lane(|lane| { last.store(lane.index()); 0u32 });
        let other = warp.per_lane(|_| 0u32);
        let mut last = last!();
        warp.each(&mut own, |lane, _| last.store(lane.index()));
        let mut last = last!();
        warp.each_with(&mut own, &other, |lane, _, _| last.store(lane.index()));
        let mut last = last!();
        warp.map(&own, |lane, _| last.store(lane.index()));
        let mut last = last!();
        warp.ballot(&own, |lane, _| { last.store(lane.index()); true });
        let mut last = last!();
        warp.any(&own, |lane, _| { last.store(lane.index()); true });
        let mut last = last!();
        warp.all(&own, |lane, _| { last.store(lane.index()); true });
        let mut last = last!();
        warp.count(&own, |lane, _| { last.store(lane.index()); true });
        let mut last = last!();
        warp.shuffle(&own, |lane| { last.store(lane.index()); 0 });
        let mut last = last!();
        warp.reduce(&own, |a, _| { last.store(a); a });
        let mut last = last!();
        warp.inclusive_scan(&own, |a, _| { last.store(a); a });
        let mut last = last!();
        warp.exclusive_scan(&own, 0, |a, _| { last.store(a); a });
        0
    });
}

/// With `last` in each closure.
#[kernel(threads = 64)]
pub fn of_list(
    block: &mut Block,
    out: &mut Segment<u32>,
    x: &[[f32; 4]],
    list: &mut Shared<u32, 64>,
    picks: &mut Shared<Pick, 64>,
    more: &mut Shared<Pick, 64>,
) {
    let x = View::of(x).clamped();
    out.fill_by_warp_with(block, 9, (list, picks, more), |warp, (list, picks, more), _| {
        let own = warp.per_lane(|_| 0u32);
        let ranges = warp.per_lane(|_| [0, 1]);
        let mut last = last!();
        list.push_some(warp, &own, |lane, _| { last.store(lane.index()); true }, |_, own| Some(*own));
        let mut last = last!();
        list.push_some(warp, &own, |_, _| true, |lane, own| { last.store(lane.index()); Some(*own) });
        let mut last = last!();
        list.push_where(warp, &own, &own, |lane, _| { last.store(lane.index()); true });
        let mut last = last!();
        list.retain_from(warp, 0, |warp, items| { last.store(warp.index()); warp.map(items, |_, _| true) });
        let mut last = last!();
        picks.push_ranges_where(warp, &x, &ranges, |_, [x, ..]| { last.store(x as u32); true });
        let chosen = picks.items(warp);
        let read = chosen.picks(warp, &x, 0);
        let mut last = last!();
        more.push_picks_where(warp, &read, &own, |lane, _| { last.store(lane.index()); true });
        let items = list.items(warp);
        let mut last = last!();
        items.count_any(warp, &Questions::new(9), &own, |own, _| { last.store(*own); true });
        0
    });
}

/// With `last` in each closure.
#[kernel(threads = 64)]
pub fn of_team(block: &mut Block, out: &mut Segment<u32>) {
    out.fill_by_team::<8>(block, 9, |team, _| {
        let none: (View<u32>, View<u32>) = (View::of(&[]), View::of(&[]));
        let mut last = last!();
        team.reduce(9, 0u32, |_, k| { last.store(k); k }, |a, _| a);
        let mut last = last!();
        team.reduce(9, 0u32, |_, k| k, |a, _| { last.store(a); a });
        let mut last = last!();
        team.reduce_long(9, 0u32, |_, k| { last.store(k); k }, |a, _| a);
        let mut last = last!();
        team.reduce_long(9, 0u32, |_, k| k, |a, _| { last.store(a); a });
        let mut last = last!();
        team.reduce_parts(0, none, [0.0], |k, _, _| { last.store(k); [0.0] }, |a, _: [f32; 1]| a, |a, _| a);
        let mut last = last!();
        team.reduce_parts(0, none, [0.0], |_, _, _| [0.0], |a, _: [f32; 1]| { last.store(0); a }, |a, _| a);
        let mut last = last!();
        team.reduce_parts(0, none, [0.0], |_, _, _| [0.0], |a, _: [f32; 1]| a, |a, _| { last.store(0); a });
        let (words, part) = (|_, _| (true, [0.0]), |_, _, _| [0.0]);
        let add = |a, _: [f32; 1]| a;
        let mut last = last!();
        team.reduce_near_parts(0, none, [0.0], (|k, _| { last.store(k); (true, [0.0]) }, add), (part, add), |a, _| a);
        let mut last = last!();
        team.reduce_near_parts(0, none, [0.0], (words, |a, _: [f32; 1]| { last.store(0); a }), (part, add), |a, _| a);
        let mut last = last!();
        team.reduce_near_parts(0, none, [0.0], (words, add), (|k, _, _| { last.store(k); [0.0] }, add), |a, _| a);
        let mut last = last!();
        team.reduce_near_parts(0, none, [0.0], (words, add), (part, |a, _: [f32; 1]| { last.store(0); a }), |a, _| a);
        let mut last = last!();
        team.reduce_near_parts(0, none, [0.0], (words, add), (part, add), |a, _| { last.store(0); a });
        let mut last = last!();
        let _ = team.votes(|k| { last.store(k); true });
        let mut last = last!();
        let mut own = team.per_member(|k| { last.store(k); 0u32 });
        let mut last = last!();
        team.each(&mut own, |k, _| last.store(k));
        let mut last = last!();
        team.combine(&own, |a, _| { last.store(a); a });
        0
    });
}

/// With `last` in each closure.
#[kernel(threads = 64)]
pub fn of_steps(block: &mut Block, out: &mut Segment<u32>) {
    let mut own = block.per_thread(|_| 0u32);
    let other = block.per_thread(|_| 0u32);
    let mut last = last!();
    block.each_with(&mut own, &other, |_, _, other| last.store(*other));
    let mut last = last!();
    block.once(|thread| { last.store(thread.index()); 0 });
    let mut last = last!();
    out.inclusive_scan_from(block, 9, 0, 0, |i| { last.store(i); 0 }, |a, _| a);
    let mut last = last!();
    out.inclusive_scan_from(block, 9, 0, 0, |_| 0, |a, _| { last.store(a); a });
    let mut last = last!();
    out.exclusive_scan_from(block, 9, 0, 0, |i| { last.store(i); 0 }, |a, _| a);
    let mut last = last!();
    out.exclusive_scan_from(block, 9, 0, 0, |_| 0, |a, _| { last.store(a); a });
    let mut last = last!();
    out.inclusive_scan_in_place(block, 9, 0, |a, _| { last.store(a); a });
    let mut last = last!();
    out.exclusive_scan_in_place(block, 9, 0, |a, _| { last.store(a); a });
    let mut last = last!();
    out.fill_rows_by_warp(block, 3, 3, |_, row| last.store(row), |_, _, c| c);
    let mut last = last!();
    out.fill_rows_by_warp(block, 3, 3, |_, _| 0, |_, _, c| { last.store(c); c });
}

/// A row's shared data must not change, either.
#[kernel(threads = 64)]
pub fn of_rows(block: &mut Block, out: &mut Segment<u32>) {
    out.fill_rows_by_warp(block, 3, 3, |_, _| last!(), |own, _, c| { own.store(c); c });
}

/// With `last` in each closure.
#[kernel(threads = 32)]
pub fn of_tiles(block: &mut Block, out: &mut Tile2d<f32, 16, 8>, x: &[u32], tile: &mut Shared<u32, 128>) {
    let sums = block.per_thread(|_| MatrixSums::<f16, 1, 1>::zero());
    let mut last = last!();
    out.write_sums(block, &sums, |row, _, sum| { last.store(row); sum });
    let mut last = last!();
    tile.write_sums::<16, 8, _, 1, 1>(block, &sums, |row, _, _| { last.store(row); row });
    let mut last = last!();
    tile.halves(block).copy_ahead(block, 2, 64, |turn, i| { last.store(turn); x.at_ref(i) }, |_, _, _| ());
    let mut last = last!();
    tile.stages::<2>(block).copy_ahead(block, 2, 64, |turn, i| { last.store(turn); x.at_ref(i) }, |_, _, _| ());
    let mut last = last!();
    tile.stages::<2>(block).copy_parts_ahead(block, 2, 64, |_| (), |_, i| { last.store(i); x.at_ref(i) }, |_, _, _| ());
}

/// With `last` in each closure.
#[kernel(threads = 64)]
pub fn of_products(block: &mut Block, out: &mut Chunk<u32, 1>, x: &[f16x8], tiles: &mut Shared<f16x8, 1024>) {
    let mut product = block.per_thread(|_| MatrixProduct::<f16, 1, 1>::zero());
    let windows = Table::new(x, 32, 8).windows_across::<32, 8>(0);
    let mut last = last!();
    tiles.stages::<2>(block).add_products(block, (windows, windows), |warp| { last.store(warp); [0, 0] }, &mut product);
    out.fill(block, 1, |_| 0);
}
