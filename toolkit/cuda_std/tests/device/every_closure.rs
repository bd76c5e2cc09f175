use core::sync::atomic::{AtomicU32, Ordering};

/// An atomic in each closure.
#[kernel(threads = 64)]
pub fn of_block(block: &mut Block, out: &mut Segment<u32>) {
    let last = AtomicU32::new(0);
    let mut own = block.per_thread(|thread| { last.store(thread.index(), Ordering::Relaxed); 0u32 });
    let last = AtomicU32::new(0);
    block.each(&mut own, |_, own| last.store(*own, Ordering::Relaxed));
    let last = AtomicU32::new(0);
    block.for_each(9, |_, i| last.store(i, Ordering::Relaxed));
    let last = AtomicU32::new(0);
    block.reduce(9, 0u32, |i| { last.store(i, Ordering::Relaxed); i }, |a, _| a);
    let last = AtomicU32::new(0);
    block.reduce(9, 0u32, |i| i, |a, _| { last.store(a, Ordering::Relaxed); a });
    let last = AtomicU32::new(0);
    block.reduce_ahead(9, 0u32, |i| { last.store(i, Ordering::Relaxed); i }, |a, _| a);
    let last = AtomicU32::new(0);
    block.reduce_ahead(9, 0u32, |i| i, |a, _| { last.store(a, Ordering::Relaxed); a });
    let last = AtomicU32::new(0);
    block.reduce_threads(&own, 0u32, |_, own| { last.store(*own, Ordering::Relaxed); 0 }, |a, _| a);
    let last = AtomicU32::new(0);
    block.reduce_threads(&own, 0u32, |_, own| *own, |a, _| { last.store(a, Ordering::Relaxed); a });
    let last = AtomicU32::new(0);
    block.count(9, |i| { last.store(i, Ordering::Relaxed); true });
    let last = AtomicU32::new(0);
    block.any(9, |i| { last.store(i, Ordering::Relaxed); true });
    let last = AtomicU32::new(0);
    block.all(9, |i| { last.store(i, Ordering::Relaxed); true });
    let last = AtomicU32::new(0);
    block.count_threads(&own, |_, own| { last.store(*own, Ordering::Relaxed); true });
    let last = AtomicU32::new(0);
    block.any_thread(&own, |_, own| { last.store(*own, Ordering::Relaxed); true });
    let last = AtomicU32::new(0);
    block.all_threads(&own, |_, own| { last.store(*own, Ordering::Relaxed); true });
    let last = AtomicU32::new(0);
    block.warps(|warp| last.store(warp.index(), Ordering::Relaxed));
    let last = AtomicU32::new(0);
    block.warps_with(&mut own, |warp, _| last.store(warp.index(), Ordering::Relaxed));
}

/// An atomic in each closure.
#[kernel(threads = 64)]
pub fn of_memory(block: &mut Block, out: &mut Segment<u32>, list: &mut Shared<u32, 64>, starts: &mut Shared<u32, 2>) {
    let own = block.per_thread(|_| 0u32);
    let last = AtomicU32::new(0);
    out.fill(block, 9, |i| { last.store(i, Ordering::Relaxed); 0 });
    let last = AtomicU32::new(0);
    out.fill_reduce(block, 9, 0u32, |i| { last.store(i, Ordering::Relaxed); (0, 0) }, |a, _| a);
    let last = AtomicU32::new(0);
    out.fill_reduce(block, 9, 0u32, |_| (0, 0), |a, _| { last.store(a, Ordering::Relaxed); a });
    let last = AtomicU32::new(0);
    out.update_reduce(block, 9, 0u32, |i, _| { last.store(i, Ordering::Relaxed); 0 }, |a, _| a);
    let last = AtomicU32::new(0);
    out.update_reduce(block, 9, 0u32, |_, _| 0, |a, _| { last.store(a, Ordering::Relaxed); a });
    let last = AtomicU32::new(0);
    out.update(block, 9, |i, _| last.store(i, Ordering::Relaxed));
    let last = AtomicU32::new(0);
    out.write(block, 0, &own, |_, own| { last.store(*own, Ordering::Relaxed); 0 });
    let last = AtomicU32::new(0);
    out.inclusive_scan(block, 9, 0, |i| { last.store(i, Ordering::Relaxed); 0 }, |a, _| a);
    let last = AtomicU32::new(0);
    out.inclusive_scan(block, 9, 0, |_| 0, |a, _| { last.store(a, Ordering::Relaxed); a });
    let last = AtomicU32::new(0);
    out.exclusive_scan(block, 9, 0, |i| { last.store(i, Ordering::Relaxed); 0 }, |a, _| a);
    let last = AtomicU32::new(0);
    out.exclusive_scan(block, 9, 0, |_| 0, |a, _| { last.store(a, Ordering::Relaxed); a });
    let last = AtomicU32::new(0);
    out.write_by_warp(block, |warp| { last.store(warp.index(), Ordering::Relaxed); 0 });
    let last = AtomicU32::new(0);
    out.fill_by_warp(block, 9, |_, i| { last.store(i, Ordering::Relaxed); 0 });
    let last = AtomicU32::new(0);
    out.update_by_warp(block, 9, |_, i, _| { last.store(i, Ordering::Relaxed); 0 });
    let last = AtomicU32::new(0);
    out.fill_by_warp_with(block, 9, (&mut *list,), |_, _, i| { last.store(i, Ordering::Relaxed); 0 });
    let last = AtomicU32::new(0);
    let tile = starts.fill(block, 2, |i| { last.store(i, Ordering::Relaxed); 0 });
    let last = AtomicU32::new(0);
    out.write_parts_by_warp_with(block, &tile, (&mut *list,), |_, _, part| last.store(part.start(), Ordering::Relaxed));
    let last = AtomicU32::new(0);
    out.fill_by_lanes(block, 9, |warp, first| { last.store(first, Ordering::Relaxed); warp.per_lane(|_| 0) });
    let last = AtomicU32::new(0);
    out.fill_by_lanes_with(block, 9, (&mut *list,), |warp, _, first| { last.store(first, Ordering::Relaxed); warp.per_lane(|_| 0) });
    let last = AtomicU32::new(0);
    out.update_atomic(block, 9, |_, _, i| last.store(i, Ordering::Relaxed));
    let last = AtomicU32::new(0);
    out.fill_by_team::<8>(block, 9, |_, i| { last.store(i, Ordering::Relaxed); 0 });
    let last = AtomicU32::new(0);
    out.update_by_team::<8, _>(block, 9, |_, i| { last.store(i, Ordering::Relaxed); 0 }, |_, _| ());
    let last = AtomicU32::new(0);
    out.update_by_team::<8, u32>(block, 9, |_, _| 0, |value, _| last.store(value, Ordering::Relaxed));
    let last = AtomicU32::new(0);
    out.collect::<8, _>(block, 9, 9, |i| { last.store(i, Ordering::Relaxed); |_| true });
}

/// An atomic in each closure.
#[kernel(threads = 64)]
pub fn of_shared(
    block: &mut Block,
    out: &mut Segment<u32>,
    tile: &mut Shared<u32, 64>,
    dynamic: &mut DynamicShared<u32>,
    square: &mut Tile2d<u32, 8, 8>,
) {
    let own = block.per_thread(|_| 0u32);
    let last = AtomicU32::new(0);
    tile.fill(block, 9, |i| { last.store(i, Ordering::Relaxed); 0 });
    let last = AtomicU32::new(0);
    tile.fill_all(block, |i| { last.store(i, Ordering::Relaxed); 0 });
    let last = AtomicU32::new(0);
    tile.fill_by_team::<8>(block, 9, |_, i| { last.store(i, Ordering::Relaxed); 0 });
    let last = AtomicU32::new(0);
    tile.write(block, 9, &own, |_, own| { last.store(*own, Ordering::Relaxed); 0 });
    let last = AtomicU32::new(0);
    dynamic.fill(block, 9, |i| { last.store(i, Ordering::Relaxed); 0 });
    let last = AtomicU32::new(0);
    dynamic.fill_by_team::<8>(block, 9, |_, i| { last.store(i, Ordering::Relaxed); 0 });
    let last = AtomicU32::new(0);
    dynamic.write(block, 9, &own, |_, own| { last.store(*own, Ordering::Relaxed); 0 });
    let last = AtomicU32::new(0);
    square.fill(block, |row, _| { last.store(row, Ordering::Relaxed); 0 });
    let last = AtomicU32::new(0);
    square.write::<1, 1, _>(block, &own, |_, own, _, _| { last.store(*own, Ordering::Relaxed); 0 });
    let mut halves = tile.halves(block);
    let last = AtomicU32::new(0);
    halves.fill(block, 9, |i| { last.store(i, Ordering::Relaxed); 0 });
    let last = AtomicU32::new(0);
    halves.write(block, 9, &own, |_, own| { last.store(*own, Ordering::Relaxed); 0 });
    let last = AtomicU32::new(0);
    halves.write_columns::<8, 4, 1, _>(block, &own, |_, own| { last.store(*own, Ordering::Relaxed); [0] });
}

/// An atomic in each closure.
#[kernel(threads = 64)]
pub fn of_warp(block: &mut Block, out: &mut Segment<u32>) {
    out.fill_by_warp(block, 9, |warp, _| {
        let last = AtomicU32::new(0);
        let mut own = warp.per_lane(|lane| { last.store(lane.index(), Ordering::Relaxed); 0u32 });
        let other = warp.per_lane(|_| 0u32);
        let last = AtomicU32::new(0);
        warp.each(&mut own, |lane, _| last.store(lane.index(), Ordering::Relaxed));
        let last = AtomicU32::new(0);
        warp.each_with(&mut own, &other, |lane, _, _| last.store(lane.index(), Ordering::Relaxed));
        let last = AtomicU32::new(0);
        warp.map(&own, |lane, _| last.store(lane.index(), Ordering::Relaxed));
        let last = AtomicU32::new(0);
        warp.ballot(&own, |lane, _| { last.store(lane.index(), Ordering::Relaxed); true });
        let last = AtomicU32::new(0);
        warp.any(&own, |lane, _| { last.store(lane.index(), Ordering::Relaxed); true });
        let last = AtomicU32::new(0);
        warp.all(&own, |lane, _| { last.store(lane.index(), Ordering::Relaxed); true });
        let last = AtomicU32::new(0);
        warp.count(&own, |lane, _| { last.store(lane.index(), Ordering::Relaxed); true });
        let last = AtomicU32::new(0);
        warp.shuffle(&own, |lane| { last.store(lane.index(), Ordering::Relaxed); 0 });
        let last = AtomicU32::new(0);
        warp.reduce(&own, |a, _| { last.store(a, Ordering::Relaxed); a });
        let last = AtomicU32::new(0);
        warp.inclusive_scan(&own, |a, _| { last.store(a, Ordering::Relaxed); a });
        let last = AtomicU32::new(0);
        warp.exclusive_scan(&own, 0, |a, _| { last.store(a, Ordering::Relaxed); a });
        let last = AtomicU32::new(0);
        warp.or_words(&own, |lane, _| { last.store(lane.index(), Ordering::Relaxed); [0] });
        0
    });
}

/// An atomic in each closure.
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
        let last = AtomicU32::new(0);
        list.push_some(warp, &own, |lane, _| { last.store(lane.index(), Ordering::Relaxed); true }, |_, own| Some(*own));
        let last = AtomicU32::new(0);
        list.push_some(warp, &own, |_, _| true, |lane, own| { last.store(lane.index(), Ordering::Relaxed); Some(*own) });
        let last = AtomicU32::new(0);
        list.push_where(warp, &own, &own, |lane, _| { last.store(lane.index(), Ordering::Relaxed); true });
        let last = AtomicU32::new(0);
        list.retain_from(warp, 0, |warp, items| { last.store(warp.index(), Ordering::Relaxed); warp.map(items, |_, _| true) });
        let last = AtomicU32::new(0);
        picks.push_ranges_where(warp, &x, &ranges, |[x, ..]| { last.store(x as u32, Ordering::Relaxed); true });
        let chosen = picks.items(warp);
        let read = chosen.picks(warp, &x, 0);
        let last = AtomicU32::new(0);
        more.push_picks_where(warp, &read, &own, |lane, _| { last.store(lane.index(), Ordering::Relaxed); true });
        let items = list.items(warp);
        let last = AtomicU32::new(0);
        items.count_any(warp, &Questions::new(9), &own, |own, _| { last.store(*own, Ordering::Relaxed); true });
        0
    });
}

/// An atomic in each closure.
#[kernel(threads = 64)]
pub fn of_team(block: &mut Block, out: &mut Segment<u32>) {
    out.fill_by_team::<8>(block, 9, |team, _| {
        let last = AtomicU32::new(0);
        team.reduce(9, 0u32, |_, k| { last.store(k, Ordering::Relaxed); k }, |a, _| a);
        let last = AtomicU32::new(0);
        team.reduce(9, 0u32, |_, k| k, |a, _| { last.store(a, Ordering::Relaxed); a });
        let last = AtomicU32::new(0);
        team.reduce_long(9, 0u32, |_, k| { last.store(k, Ordering::Relaxed); k }, |a, _| a);
        let last = AtomicU32::new(0);
        team.reduce_long(9, 0u32, |_, k| k, |a, _| { last.store(a, Ordering::Relaxed); a });
        0
    });
}

/// An atomic in each closure.
#[kernel(threads = 64)]
pub fn of_steps(block: &mut Block, out: &mut Segment<u32>) {
    let mut own = block.per_thread(|_| 0u32);
    let other = block.per_thread(|_| 0u32);
    let last = AtomicU32::new(0);
    block.each_with(&mut own, &other, |_, _, other| last.store(*other, Ordering::Relaxed));
    let last = AtomicU32::new(0);
    block.once(|thread| { last.store(thread.index(), Ordering::Relaxed); 0 });
    let last = AtomicU32::new(0);
    out.inclusive_scan_from(block, 9, 0, 0, |i| { last.store(i, Ordering::Relaxed); 0 }, |a, _| a);
    let last = AtomicU32::new(0);
    out.inclusive_scan_from(block, 9, 0, 0, |_| 0, |a, _| { last.store(a, Ordering::Relaxed); a });
    let last = AtomicU32::new(0);
    out.exclusive_scan_from(block, 9, 0, 0, |i| { last.store(i, Ordering::Relaxed); 0 }, |a, _| a);
    let last = AtomicU32::new(0);
    out.exclusive_scan_from(block, 9, 0, 0, |_| 0, |a, _| { last.store(a, Ordering::Relaxed); a });
    let last = AtomicU32::new(0);
    out.inclusive_scan_in_place(block, 9, 0, |a, _| { last.store(a, Ordering::Relaxed); a });
    let last = AtomicU32::new(0);
    out.exclusive_scan_in_place(block, 9, 0, |a, _| { last.store(a, Ordering::Relaxed); a });
    let last = AtomicU32::new(0);
    out.fill_rows_by_warp(block, 3, 3, |_, row| last.store(row, Ordering::Relaxed), |_, _, c| c);
    let last = AtomicU32::new(0);
    out.fill_rows_by_warp(block, 3, 3, |_, _| 0, |_, _, c| { last.store(c, Ordering::Relaxed); c });
    // What is known of a row counts as held, too.
    out.fill_rows_by_warp(block, 3, 3, |_, _| AtomicU32::new(0), |own, _, c| { own.store(c, Ordering::Relaxed); c });
}

/// An atomic in each closure.
#[kernel(threads = 32)]
pub fn of_tiles(block: &mut Block, out: &mut Tile2d<f32, 16, 8>, x: &[u32], tile: &mut Shared<u32, 128>) {
    let sums = block.per_thread(|_| MatrixSums::<f16, 1, 1>::zero());
    let last = AtomicU32::new(0);
    out.write_sums(block, &sums, |row, _, sum| { last.store(row, Ordering::Relaxed); sum });
    let last = AtomicU32::new(0);
    tile.write_sums::<16, 8, _, 1, 1>(block, &sums, |row, _, _| { last.store(row, Ordering::Relaxed); row });
    let last = AtomicU32::new(0);
    tile.halves(block).copy_ahead(block, 2, 64, |turn, i| { last.store(turn, Ordering::Relaxed); x.at_ref(i) }, |_, _, _| ());
    let last = AtomicU32::new(0);
    tile.stages::<2>(block).copy_ahead(block, 2, 64, |turn, i| { last.store(turn, Ordering::Relaxed); x.at_ref(i) }, |_, _, _| ());
    let last = AtomicU32::new(0);
    tile.stages::<2>(block).copy_parts_ahead(block, 2, 64, |_| (), |_, i| { last.store(i, Ordering::Relaxed); x.at_ref(i) }, |_, _, _| ());
}

/// An atomic in each closure.
#[kernel(threads = 64)]
pub fn of_products(block: &mut Block, out: &mut Chunk<u32, 1>, x: &[f16x8], tiles: &mut Shared<f16x8, 1024>) {
    let mut product = block.per_thread(|_| MatrixProduct::<f16, 1, 1>::zero());
    let windows = Table::new(x, 32, 8).windows_across::<32, 8>(0);
    let last = AtomicU32::new(0);
    tiles.stages::<2>(block).add_products(block, (windows, windows), |warp| { last.store(warp, Ordering::Relaxed); [0, 0] }, &mut product);
    out.fill(block, 1, |_| 0);
}
