//! The examples of the chapter on the kernel model, on CPU cores.

use cuda_std::launch::LaunchError;
use cuda_std::prelude::*;

// ANCHOR: centre
/// Each block subtracts the mean of its segment from the segment's elements.
#[kernel(threads = 128)]
pub fn centre(block: &mut Block, out: &mut Segment<f32>, input: &[f32]) {
    let (n, first) = (out.len(), out.start());
    let sum = block.reduce(n, 0.0, |i| input.at(first + i), |a, b| a + b);
    let mean = sum / n as f32;
    out.fill(block, n, |i| input.at(first + i) - mean);
}
// ANCHOR_END: centre

#[test]
fn segments_are_centred() -> Result<(), Box<dyn std::error::Error>> {
    let input = [1.0, 2.0, 3.0, 10.0, 20.0];
    let mut out = [0.0; 5];
    // ANCHOR: offsets
    let offsets = Offsets::new(vec![0, 3, 5])?;
    centre::launch(
        &CpuExecutor::new(),
        2,
        centre::Args { out: Segments { data: &mut out, offsets: &offsets }, input: &input },
    )?;
    // ANCHOR_END: offsets
    assert_eq!(out, [-1.0, 0.0, 1.0, -5.0, 5.0]);
    Ok(())
}

// ANCHOR: steps
/// Differences of the segment's elements, with the largest in its first element.
#[kernel(threads = 128)]
pub fn steps(block: &mut Block, out: &mut Segment<f32>, scratch: &mut Segment<f32>, input: &[f32]) {
    let (n, first) = (out.len(), out.start());
    scratch.fill(block, n, |i| math::canonical(input.at(first + i)));
    // Borrows `scratch`: no phase can write it while this view is in use.
    let seen = scratch.view(n);
    let largest = out.fill_reduce(
        block,
        n,
        0.0,
        |i| {
            let step = if i == 0 { 0.0 } else { seen.get(i) - seen.get(i - 1) };
            (step, step)
        },
        math::larger,
    );
    if n > 0 {
        out.set(block, 0, largest);
    }
}
// ANCHOR_END: steps

#[test]
fn steps_are_taken_within_segments() -> Result<(), LaunchError> {
    let (mut out, mut scratch) = ([9.0; 5], [9.0; 5]);
    let offsets = Offsets::new(vec![0, 3, 3, 5]).expect("offsets that never fall");
    steps::launch(
        &CpuExecutor::new(),
        3,
        steps::Args {
            out: Segments { data: &mut out, offsets: &offsets },
            scratch: Segments { data: &mut scratch, offsets: &offsets },
            input: &[1.0, 2.0, 4.0, 8.0, 4.0],
        },
    )?;
    assert_eq!(out, [2.0, 1.0, 2.0, 0.0, -4.0]);
    Ok(())
}

// ANCHOR: neighbours
/// The number of points of the segment closer than `radius` to each of them, including itself.
#[kernel(threads = 128)]
pub fn neighbours(block: &mut Block, counts: &mut Segment<u32>, x: &[f32], radius: f32, tile: &mut Shared<f32, 128>) {
    let n = counts.len();
    let x = x.part(counts.start(), n);
    let mut begin = 0;
    while begin < n {
        // A point and its count for each thread: registers on a GPU.
        let mut state = block.per_thread(|thread| {
            let i = begin + thread.index();
            (if i < n { x.at(i) } else { math::NAN }, 0u32)
        });
        let mut next = 0;
        while next < n {
            let m = tile.capacity().min(n - next);
            let tile = tile.fill(block, m, |k| x.at(next + k));
            block.each(&mut state, |_, (own, count)| {
                for k in 0..m {
                    if (tile.get(k) - *own).abs() < radius {
                        *count += 1;
                    }
                }
            });
            next += m;
        }
        counts.write(block, begin, &state, |_, (_, count)| *count);
        begin += block.threads();
    }
}
// ANCHOR_END: neighbours

// ANCHOR: halves
/// The sum of the differences to all points of a buffer, for 128 points per block.
#[kernel(threads = 128)]
pub fn differences(
    block: &mut Block,
    sums: &mut Chunk<f32, 128, WriteOnly>,
    x: &[f32],
    points: &[f32],
    tiles: &mut Shared<f32, 256>,
) {
    let (first, n, m) = (sums.start(), sums.len(), points.len() as u32);
    let mut tiles = tiles.halves(block);
    let mut state = block.per_thread(|thread| {
        let i = first + thread.index();
        (if thread.index() < n { x.at(i) } else { math::NAN }, 0.0)
    });
    let mut next = 0;
    while next < m {
        let tile = tiles.fill(block, tiles.capacity().min(m - next), |k| points.at(next + k));
        let tile = block.meet(tile);
        block.each(&mut state, |_, (own, sum)| {
            for k in 0..tile.len() {
                *sum += tile.get(k) - *own;
            }
        });
        next += tile.len();
    }
    sums.write(block, 0, &state, |_, (_, sum)| *sum);
}
// ANCHOR_END: halves

#[test]
fn differences_are_summed_up_tile_by_tile() -> Result<(), LaunchError> {
    let x: Vec<f32> = (0..200u8).map(f32::from).collect();
    for m in [0, 1, 128, 129, 300u16] {
        let points: Vec<f32> = (0..m).map(|k| f32::from(k % 7)).collect();
        let mut sums = vec![f32::NAN; x.len()];
        differences::launch(
            &CpuExecutor::shuffled(3),
            2,
            differences::Args { sums: &mut sums, x: &x, points: &points },
        )?;
        // Integers, whose sums are exact.
        let expected: Vec<f32> = x.iter().map(|own| points.iter().map(|point| point - own).sum()).collect();
        assert_eq!(sums, expected, "{m} points");
    }
    Ok(())
}

// ANCHOR: teams
/// The same counts: eight threads share the loop of one point.
#[kernel(threads = 128)]
pub fn neighbours_by_team(block: &mut Block, counts: &mut Segment<u32>, x: &[f32], radius: f32) {
    let n = counts.len();
    let x = x.part(counts.start(), n);
    counts.fill_by_team::<8>(block, n, |team, i| {
        let own = x.at(i);
        let near = |count, j| if (x.at(j) - own).abs() < radius { count + 1 } else { count };
        team.reduce(n, 0, near, |a: u32, b| a + b)
    });
}
// ANCHOR_END: teams

#[test]
fn neighbours_are_counted() -> Result<(), LaunchError> {
    let list = [0, 1, 300, 300, 700];
    let offsets = Offsets::new(list.to_vec()).expect("offsets that never fall");
    let x: Vec<f32> = (0..700u32).map(|i| (i.wrapping_mul(2_654_435_761) >> 20) as f32 / 64.0).collect();
    let radius = 1.5;
    let mut expected = Vec::new();
    for pair in list.windows(2) {
        let own = &x[pair[0] as usize..pair[1] as usize];
        expected.extend(own.iter().map(|a| own.iter().filter(|b| (*b - a).abs() < radius).count() as u32));
    }
    for executor in [CpuExecutor::new(), CpuExecutor::shuffled(7)] {
        let mut counts = vec![0; x.len()];
        neighbours::launch(
            &executor,
            4,
            neighbours::Args { counts: Segments { data: &mut counts, offsets: &offsets }, x: &x, radius },
        )?;
        assert_eq!(counts, expected);
        counts.fill(0);
        neighbours_by_team::launch(
            &executor,
            4,
            neighbours_by_team::Args { counts: Segments { data: &mut counts, offsets: &offsets }, x: &x, radius },
        )?;
        assert_eq!(counts, expected);
    }
    Ok(())
}

// ANCHOR: tree
/// The order in which `Block::reduce` adds numbers, as a loop.
pub fn sum(values: &[f32]) -> f32 {
    let mut slots = [0.0; 1024];
    for (i, value) in values.iter().enumerate() {
        slots[i % 1024] += value;
    }
    for group in [32, 1] {
        // Neighbours first: 1024 slots become 32 results, then one.
        for first in (0..32 * group).step_by(32) {
            for stride in [16, 8, 4, 2, 1] {
                for s in first..first + stride {
                    slots[s] += slots[s + stride];
                }
            }
        }
        for result in 0..group {
            slots[result] = slots[32 * result];
        }
    }
    slots[0]
}
// ANCHOR_END: tree

/// The sum of each segment.
#[kernel(threads = 96)]
fn total(block: &mut Block, out: &mut Segment<f32>, of: &mut Segment<f32>) {
    let n = of.len();
    let of = of.view(n);
    let sum = block.reduce(n, 0.0, |i| of.get(i), |a, b| a + b);
    out.set(block, 0, sum);
}

#[test]
fn reductions_follow_the_tree() -> Result<(), LaunchError> {
    for n in [0, 1, 31, 1000, 1024, 5000] {
        let mut values: Vec<f32> = (0..n).map(|i: u32| 1.0 / (i + 3) as f32).collect();
        let expected = sum(&values);
        let mut out = [1.0];
        let offsets = |end| Offsets::new(vec![0, end]).expect("offsets that never fall");
        total::launch(
            &CpuExecutor::new(),
            1,
            total::Args {
                out: Segments { data: &mut out, offsets: &offsets(1) },
                of: Segments { data: &mut values, offsets: &offsets(n) },
            },
        )?;
        assert_eq!(out[0].to_bits(), expected.to_bits(), "{n} values");
    }
    Ok(())
}

// ANCHOR: panic
#[test]
fn a_panic_names_its_place() -> Result<(), Box<dyn std::error::Error>> {
    let (mut out, offsets) = ([0.0; 5], Offsets::new(vec![0, 3, 5])?);
    let launched = centre::launch(
        &CpuExecutor::new(),
        2,
        // One element fewer than `out` has.
        centre::Args { out: Segments { data: &mut out, offsets: &offsets }, input: &[1.0, 2.0, 3.0, 10.0] },
    );
    let Err(LaunchError::Panic(panic)) = launched else { panic!("{launched:?}") };
    assert_eq!((panic.kernel.as_str(), panic.block), ("centre", [1, 0, 0]));
    assert!(panic.file.ends_with("model.rs") && panic.line > 0);
    assert_eq!(panic.message.as_deref(), Some("index out of bounds"));
    Ok(())
}
// ANCHOR_END: panic
