//! Nor does any closure of a warp's or a team's phases.
use cuda_std::prelude::*;

#[kernel(threads = 64)]
fn of_warp(block: &mut Block, out: &mut Segment<u32>) {
    out.fill_by_warp(block, 9, |warp, _| {
        let mut last = 0;
        let mut own = warp.per_lane(|lane| { last = lane.index(); 0u32 });
        let other = warp.per_lane(|_| 0u32);
        warp.each(&mut own, |lane, _| last = lane.index());
        warp.each_with(&mut own, &other, |lane, _, _| last = lane.index());
        warp.map(&own, |lane, _| last = lane.index());
        warp.ballot(&own, |lane, _| { last = lane.index(); true });
        warp.any(&own, |lane, _| { last = lane.index(); true });
        warp.all(&own, |lane, _| { last = lane.index(); true });
        warp.count(&own, |lane, _| { last = lane.index(); true });
        warp.shuffle(&own, |lane| { last = lane.index(); 0 });
        warp.reduce(&own, |a, _| { last = a; a });
        warp.inclusive_scan(&own, |a, _| { last = a; a });
        warp.exclusive_scan(&own, 0, |a, _| { last = a; a });
        warp.or_words(&own, |lane, _| { last = lane.index(); [0] });
        last
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
        let mut last = 0;
        let own = warp.per_lane(|_| 0u32);
        let ranges = warp.per_lane(|_| [0, 1]);
        list.push_some(warp, &own, |lane, _| { last = lane.index(); true }, |_, own| Some(*own));
        list.push_some(warp, &own, |_, _| true, |lane, own| { last = lane.index(); Some(*own) });
        list.push_where(warp, &own, &own, |lane, _| { last = lane.index(); true });
        list.retain_from(warp, 0, |warp, items| { last = warp.index(); warp.map(items, |_, _| true) });
        picks.push_ranges_where(warp, &x, &ranges, |[x, ..]| { last = x as u32; true });
        let chosen = picks.items(warp);
        let read = chosen.picks(warp, &x, 0);
        more.push_picks_where(warp, &read, &own, |lane, _| { last = lane.index(); true });
        let items = list.items(warp);
        items.count_any(warp, &Questions::new(9), &own, |own, _| { last = *own; true });
        last
    });
}

#[kernel(threads = 64)]
fn of_team(block: &mut Block, out: &mut Segment<u32>) {
    out.fill_by_team::<8>(block, 9, |team, _| {
        let mut last = 0;
        team.reduce(9, 0u32, |_, k| { last = k; k }, |a, _| a);
        team.reduce(9, 0u32, |_, k| k, |a, _| { last = a; a });
        team.reduce_long(9, 0u32, |_, k| { last = k; k }, |a, _| a);
        team.reduce_long(9, 0u32, |_, k| k, |a, _| { last = a; a });
        last
    });
}

fn main() {}
