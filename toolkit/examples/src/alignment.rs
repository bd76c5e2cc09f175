//! The score of the best alignment of two texts, tile by tile, where a warp goes through a tile in a wave (Rodinia `nw`).

#[cfg(not(target_arch = "nvptx64"))]
use crate::host::*;
use cuda_std::prelude::*;

/// Rows and columns of a tile: one column for each lane.
pub const SIDE: u32 = 32;
/// What a letter without a partner costs.
pub const GAP: i32 = 3;

/// The tiles of one diagonal: block `i` has the one in column `first + i` and row `last - i`. `scores` has a row and a column more than
/// there are letters. Tiles read the last row and column of tiles of earlier launches, and no element is written twice.
#[kernel(
    threads = 32,
    requires(scores.len() == (a.len() + 1) * (b.len() + 1), a.len().is_multiple_of(SIDE as usize) && b.len().is_multiple_of(SIDE as usize))
)]
pub fn diagonal(block: &mut Block, scores: &Atomics<i32>, a: &[u8], b: &[u8], first: u32, last: u32) {
    let (top, left) = ((last - block.index()) * SIDE, (first + block.index()) * SIDE);
    let columns = b.len() as u32 + 1;
    let (a, b) = (a.part(top, SIDE), b.part(left, SIDE));
    block.warps(|warp| {
        // The index is checked where it is used.
        let at = |row: u32, column: u32| (top + row).wrapping_mul(columns).wrapping_add(left + column);
        // The last score of a lane's column, which is the border above at first, and the score left of that.
        let mut above = warp.per_lane(|lane| scores.load(lane.thread(), at(0, lane.index() + 1)));
        let mut corner = warp.per_lane(|lane| scores.load(lane.thread(), at(0, lane.index())));
        // The border on the left: a row for each lane.
        let border = warp.per_lane(|lane| scores.load(lane.thread(), at(lane.index() + 1, 0)));
        for step in 0..2 * SIDE - 1 {
            // Each lane is a row behind the lane before it, which has just computed what is on its left.
            let row = |lane: u32| step.wrapping_sub(lane);
            let edge = warp.broadcast(&border, step.min(SIDE - 1));
            let mut before = warp.shuffle_up(&above, 1);
            warp.each(&mut before, |lane, before| *before = if lane.index() == 0 { edge } else { *before });
            warp.each_with(&mut above, (&before, &corner), |lane, above, (before, corner)| {
                let (row, column) = (row(lane.index()), lane.index());
                if row < SIDE {
                    let pair = corner + if a.at(row) == b.at(column) { 2 } else { -1 };
                    *above = pair.max((*before).max(*above) - GAP);
                    scores.store(lane.thread(), at(row + 1, column + 1), *above);
                }
            });
            warp.each_with(&mut corner, &before, |lane, corner, before| {
                *corner = if row(lane.index()) < SIDE { *before } else { *corner };
            });
        }
    });
}

#[cfg(not(target_arch = "nvptx64"))]
pub fn run(machine: &Machine) -> Answer {
    let (rows, columns) = (5 * SIDE as usize, 3 * SIDE as usize);
    let a: Vec<u8> = words(rows as u32).iter().map(|word| b"ACGT"[*word as usize % 4]).collect();
    // Parts of the first text.
    let b: Vec<u8> = (0..columns).map(|i| a[i + i / 20 * 8]).collect();
    let is_border = |i: usize| i <= columns || i.is_multiple_of(columns + 1);
    let border = |i: usize| if i <= columns { i } else { i / (columns + 1) };
    let mut expected: Vec<i32> = (0..(rows + 1) * (columns + 1))
        .map(|i| if is_border(i) { -GAP * border(i) as i32 } else { 0 })
        .collect();
    let mut scores = machine.buffer(&expected)?;
    let (a_there, b_there) = (machine.buffer(&a)?, machine.buffer(&b)?);
    let (tall, wide) = (rows as u32 / SIDE, columns as u32 / SIDE);
    for line in 0..tall + wide - 1 {
        let (first, last) = (line.saturating_sub(tall - 1), line.min(tall - 1));
        let args = diagonal::Args { scores: scores.view_mut(), a: a_there.view(), b: b_there.view(), first, last };
        diagonal::launch(machine, line.min(wide - 1) - first + 1, args)?;
    }
    for i in (0..expected.len()).filter(|i| !is_border(*i)) {
        let (row, column) = (i / (columns + 1), i % (columns + 1));
        let pair = expected[i - columns - 2] + if a[row - 1] == b[column - 1] { 2 } else { -1 };
        expected[i] = pair.max(expected[i - 1].max(expected[i - columns - 1]) - GAP);
    }
    let found = scores.download()?;
    assert_eq!(found, expected);
    Ok(Report::new(format!("{rows} and {columns} letters, score {}", found[found.len() - 1]), &found))
}
