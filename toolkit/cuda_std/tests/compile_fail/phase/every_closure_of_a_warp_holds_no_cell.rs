//! No closure of a warp's or a team's phases captures a cell.
use cuda_std::prelude::*;
use std::cell::Cell;

#[kernel(threads = 64)]
fn of_warp(block: &mut Block, out: &mut Segment<u32>) {
    out.fill_by_warp(block, 9, |warp, _| {
        let last = Cell::new([0u32; 1]);
        let mut own = warp.per_lane(|lane| { last.set([lane.index(); 1]); 0u32 });
        let other = warp.per_lane(|_| 0u32);
        let last = Cell::new([0u32; 2]);
        warp.each(&mut own, |lane, _| last.set([lane.index(); 2]));
        let last = Cell::new([0u32; 3]);
        warp.each_with(&mut own, &other, |lane, _, _| last.set([lane.index(); 3]));
        let last = Cell::new([0u32; 4]);
        warp.map(&own, |lane, _| last.set([lane.index(); 4]));
        let last = Cell::new([0u32; 5]);
        warp.ballot(&own, |lane, _| { last.set([lane.index(); 5]); true });
        let last = Cell::new([0u32; 6]);
        warp.any(&own, |lane, _| { last.set([lane.index(); 6]); true });
        let last = Cell::new([0u32; 7]);
        warp.all(&own, |lane, _| { last.set([lane.index(); 7]); true });
        let last = Cell::new([0u32; 8]);
        warp.count(&own, |lane, _| { last.set([lane.index(); 8]); true });
        let last = Cell::new([0u32; 9]);
        warp.shuffle(&own, |lane| { last.set([lane.index(); 9]); 0 });
        let last = Cell::new([0u32; 10]);
        warp.reduce(&own, |a, _| { last.set([a; 10]); a });
        let last = Cell::new([0u32; 11]);
        warp.inclusive_scan(&own, |a, _| { last.set([a; 11]); a });
        let last = Cell::new([0u32; 12]);
        warp.exclusive_scan(&own, 0, |a, _| { last.set([a; 12]); a });
        let last = Cell::new([0u32; 13]);
        warp.or_words(&own, |lane, _| { last.set([lane.index(); 13]); [0] });
        0
    });
}

#[kernel(threads = 64)]
fn of_list(
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
        let last = Cell::new([0u32; 14]);
        list.push_some(warp, &own, |lane, _| { last.set([lane.index(); 14]); true }, |_, own| Some(*own));
        let last = Cell::new([0u32; 15]);
        list.push_some(warp, &own, |_, _| true, |lane, own| { last.set([lane.index(); 15]); Some(*own) });
        let last = Cell::new([0u32; 16]);
        list.push_where(warp, &own, &own, |lane, _| { last.set([lane.index(); 16]); true });
        let last = Cell::new([0u32; 17]);
        list.retain_from(warp, 0, |warp, items| { last.set([warp.index(); 17]); warp.map(items, |_, _| true) });
        let last = Cell::new([0u32; 18]);
        picks.push_ranges_where(warp, &x, &ranges, |[x, ..]| { last.set([x as u32; 18]); true });
        let chosen = picks.items(warp);
        let read = chosen.picks(warp, &x, 0);
        let last = Cell::new([0u32; 19]);
        more.push_picks_where(warp, &read, &own, |lane, _| { last.set([lane.index(); 19]); true });
        let items = list.items(warp);
        let last = Cell::new([0u32; 20]);
        items.count_any(warp, &Questions::new(9), &own, |own, _| { last.set([*own; 20]); true });
        0
    });
}

#[kernel(threads = 64)]
fn of_team(block: &mut Block, out: &mut Segment<u32>) {
    out.fill_by_team::<8>(block, 9, |team, _| {
        let last = Cell::new([0u32; 21]);
        team.reduce(9, 0u32, |_, k| { last.set([k; 21]); k }, |a, _| a);
        let last = Cell::new([0u32; 22]);
        team.reduce(9, 0u32, |_, k| k, |a, _| { last.set([a; 22]); a });
        let last = Cell::new([0u32; 23]);
        team.reduce_long(9, 0u32, |_, k| { last.set([k; 23]); k }, |a, _| a);
        let last = Cell::new([0u32; 24]);
        team.reduce_long(9, 0u32, |_, k| k, |a, _| { last.set([a; 24]); a });
        0
    });
}

fn main() {}
