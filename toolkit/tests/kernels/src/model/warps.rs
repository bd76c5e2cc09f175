//! Warps, and teams that take different branches.

use cuda_std::prelude::*;

/// All operations of a warp: row `w` of `out` has the results of warp `w`'s lanes, one column per operation.
#[kernel(threads = 128)]
pub fn warp_operations(block: &mut Block, out: &mut Chunk<[u32; 16], 128>, input: &[u32]) {
    let first = out.start();
    let n = out.len();
    out.fill_by_lanes(block, n, |warp, at| {
        let values = warp.per_lane(|lane| input.at((first + at + lane.index()) % 1000));
        let [odd, twos] = warp.ballots(&values, |_, value, digit| value >> digit & 1 == 1);
        let some =
            u32::from(warp.any(&values, |_, value| *value > 900)) + 2 * u32::from(warp.all(&values, |_, v| *v > 9));
        let count = warp.count(&values, |lane, value| value % 32 > lane.index());
        let turned = warp.shuffle(&values, |lane| 31 - lane.index());
        let (up, down) = (warp.shuffle_up(&values, 3), warp.shuffle_down(&values, 40));
        let (crossed, fifth) = (warp.shuffle_xor(&values, 5), warp.broadcast(&values, 5));
        let sum = warp.reduce(&values, |a, b| a.wrapping_mul(3).wrapping_add(b));
        let running = warp.inclusive_scan(&values, |a, b| a.wrapping_mul(5).wrapping_add(b));
        let before = warp.exclusive_scan(&values, 77, u32::wrapping_add);
        let small = warp.map(&values, |_, value| value % 3);
        let same = warp.match_any(&small);
        let all_same = warp.match_all(&small).unwrap_or(99);
        // Halve all values until the warp's largest is small: a loop that all lanes take alike.
        let mut rounds = 0;
        let mut halved = warp.map(&values, |_, value| *value);
        while warp.reduce(&halved, |a, b| if a > b { a } else { b }) > 7 {
            warp.each(&mut halved, |_, value| *value /= 2);
            rounds += 1;
        }
        let mut row = warp.per_lane(|lane| {
            let mut row = [0; 16];
            row[..8].copy_from_slice(&[
                lane.thread().index(),
                odd ^ twos.rotate_left(1),
                some,
                count,
                fifth,
                sum,
                all_same,
                rounds,
            ]);
            row
        });
        warp.each_with(&mut row, &turned, |_, row, value| row[8] = *value);
        warp.each_with(&mut row, &up, |_, row, value| row[9] = *value);
        warp.each_with(&mut row, &down, |_, row, value| row[10] = *value);
        warp.each_with(&mut row, &crossed, |_, row, value| row[11] = *value);
        warp.each_with(&mut row, &running, |_, row, value| row[12] = *value);
        warp.each_with(&mut row, &before, |_, row, value| row[13] = *value);
        warp.each_with(&mut row, &same, |_, row, value| row[14] = *value);
        warp.each_with(&mut row, &halved, |_, row, value| row[15] = *value);
        row
    });
}

/// Sums by warps: of each 100 inputs, and of each warp's threads.
#[kernel(threads = 128)]
pub fn warp_sums(
    block: &mut Block,
    hundreds: &mut Segment<f32>,
    warps: &mut Segment<f32>,
    drawn: &Atomics<u32>,
    input: &[f32],
) {
    let n = hundreds.len();
    hundreds.fill_by_warp(block, n, |warp, i| {
        let mut sums = warp.per_lane(|_| 0.0f32);
        for step in 0..4 {
            warp.each(&mut sums, |lane, sum| {
                let at = step * 32 + lane.index();
                if at < 100 {
                    *sum += input.at(i * 100 + at);
                }
            });
        }
        warp.reduce(&sums, |a, b| a + b)
    });
    let mut state = block.per_thread(|t| input.at(t.index()));
    block.warps_with(&mut state, |warp, own| {
        let total = warp.reduce(own, |a, b| a + b);
        warp.each(own, |_, value| *value -= total / 32.0);
    });
    block.warps(|warp| {
        let index = warp.index();
        let mut unit = warp.per_lane(|_| ());
        warp.each(&mut unit, |lane, ()| {
            drawn.add(lane.thread(), index, lane.index());
        });
    });
    let largest = block.reduce_threads(&state, 0.0, |_, own| own.abs(), |a, b| if a > b { a } else { b });
    warps.write_by_warp(block, |warp| {
        let index = warp.index();
        let values = warp.per_lane(|lane| input.at(lane.thread().index()));
        warp.broadcast(&values, index) + largest
    });
}

/// Teams of one warp with different numbers of iterations, each determined by its own team's reductions.
#[kernel(threads = 64)]
pub fn team_turns(block: &mut Block, out: &mut Segment<u32>, input: &[u32]) {
    let n = out.len();
    out.fill_by_team::<4>(block, n, |team, i| {
        let mut left = input.at(i);
        let mut turns = 0;
        // The Collatz sequence, with steps computed by the team.
        while left > 1 {
            left = if left % 2 == 0 {
                team.reduce(left / 2, 0, |sum, _| sum + 1, |a, b| a + b)
            } else {
                team.reduce(3, 1, |sum, _| sum, |a, b| a + b) - 3 + 3 * left
            };
            turns += 1;
        }
        turns
    });
}

/// Iterates until lane 3 of a warp says stop. In warp 1 of block 0 it never does, but panics instead.
#[kernel(threads = 64)]
pub fn warp_panics(block: &mut Block, out: &mut Chunk<u32, 2>, limit: u32, fails: u32) {
    let number = block.index();
    out.write_by_warp(block, |warp| {
        let doomed = number == 0 && warp.index() == 1 && fails != 0;
        let mut turns = warp.per_lane(|_| 0u32);
        loop {
            warp.each(&mut turns, |lane, turns| {
                *turns += 1;
                if doomed && lane.index() == 3 && *turns == 10 {
                    panic!("lane 3 was told to fail");
                }
            });
            let of_third = warp.broadcast(&turns, 3);
            if of_third >= limit && !doomed {
                break of_third;
            }
        }
    });
}

/// Sums of a warp's thread indices by warps; 10 times a multiple of each index, and the warp that computed it; indices by lanes.
#[kernel(threads = 96)]
pub fn written_by_warps(
    block: &mut Block,
    by_warp: &mut Segment<u32>,
    by_index: &mut Segment<u32>,
    by_lane: &mut Segment<u32>,
) {
    by_warp.write_by_warp(block, |warp| {
        let lanes = warp.per_lane(|lane| lane.thread().index());
        warp.reduce(&lanes, |a, b| a + b)
    });
    let n = by_index.len();
    by_index.fill_by_warp(block, n, |warp, i| {
        let lanes = warp.per_lane(|lane| lane.index() * i);
        warp.reduce(&lanes, |a, b| a + b) * 10 + warp.index()
    });
    let n = by_lane.len();
    by_lane.fill_by_lanes(block, n, |warp, first| warp.per_lane(|lane| first + lane.index()));
}

/// Sorts the values of each warp by exchanging neighbours, in pairs from an even and from an odd lane on in turn, until two turns
/// exchange nothing.
#[kernel(threads = 64)]
pub fn sorted_by_warps(block: &mut Block, out: &mut Chunk<u32, 64>, input: &[u32]) {
    let first = out.start();
    let mut state = block.per_thread(|t| input.at(first + t.index()));
    block.warps_with(&mut state, |warp, own| {
        let (mut turn, mut unchanged) = (0, 0);
        while unchanged < 2 {
            // The last lane has itself above, and the first one itself below.
            let (above, below) = (warp.shuffle_down(own, 1), warp.shuffle_up(own, 1));
            let next = warp.map((&*own, &above, &below), |lane, (own, above, below)| {
                if (lane.index() + turn).is_multiple_of(2) { *own.min(above) } else { *own.max(below) }
            });
            let changed = warp.map((&*own, &next), |_, (own, next)| own != next);
            unchanged = if warp.any(&changed, |_, changed| *changed) { 0 } else { unchanged + 1 };
            warp.each_with(own, &next, |_, own, next| *own = *next);
            turn += 1;
        }
    });
    out.write(block, 0, &state, |_, own| *own);
}

/// Asks lanes nothing, and about no bits.
#[kernel(threads = 32)]
pub fn bits_of_no_words(block: &mut Block, out: &mut Chunk<u32, 1>) {
    out.fill_by_warp(block, 1, |warp, _| {
        let lanes = warp.per_lane(|lane| lane.index());
        let []: [u32; 0] = warp.any_of_bits([], &lanes, |_, _, _| true);
        let []: [u32; 0] = warp.ballots(&lanes, |_, _, _| true);
        7 + warp.count_none_of_bits([], &lanes, |_, _, _| true)
    });
}
