//! Sorts keys with values of any type, by digits of four bits: a generic kernel whose elements go where the data say.
//!
//! ```sh
//! cargo run --release -p cuda_std --example radix_sort
//! ```

use cuda_layout::DeviceLayout;
use cuda_std::prelude::*;
use std::time::Instant;

/// Keys of a block.
const PART: usize = 2048;
/// Values of a digit.
const DIGITS: usize = 16;
/// Groups of 32 keys in a block.
const GROUPS: u32 = PART as u32 / 32;

fn digit(key: u32, shift: u32) -> u32 {
    key >> shift & 15
}

/// How often a block has each digit: digit by digit, so that a scan gives places.
#[kernel(threads = 256, requires(counts.len() == DIGITS * grid.x as usize, keys.len().div_ceil(PART) == grid.x as usize))]
fn count_digits(block: &mut Block, counts: &Scatter<u32>, keys: &[u32], shift: u32, own: &mut Shared<u32, DIGITS>) {
    let first = block.index() * PART as u32;
    let n = (keys.len() as u32 - first).min(PART as u32);
    let mut own = own.fill(block, DIGITS as u32, |_| 0);
    own.update_atomic(block, n, |thread, cells, i| {
        cells.add(thread, digit(keys.at(first + i), shift), 1);
    });
    let (part, parts) = (block.index(), block.grid().x);
    block.for_each(DIGITS as u32, |thread, d| counts.put(thread, d * parts + part, own.get(d)));
}

/// Where the keys of each digit of each block begin, by one block.
#[kernel(threads = 1024, requires(counts.segments() == 1))]
fn begins(block: &mut Block, counts: &mut Segment<u32>) {
    let n = counts.len();
    counts.exclusive_scan_in_place(block, n, 0, u32::wrapping_add);
}

/// Moves keys and values to where their digits belong; equal digits keep their order.
#[kernel(
    threads = 256,
    requires(keys_out.len() == keys.len(), values_out.len() == keys.len(), values.len() == keys.len(),
        begins.len() == DIGITS * grid.x as usize, keys.len().div_ceil(PART) == grid.x as usize),
    instances(move_indices = <u32>, move_points = <[f32; 3]>)
)]
#[allow(clippy::too_many_arguments)]
fn move_by_digit<V: DeviceLayout>(
    block: &mut Block,
    keys_out: &Scatter<u32>,
    values_out: &Scatter<V>,
    keys: &[u32],
    values: &[V],
    begins: &[u32],
    shift: u32,
    ranks: &mut Shared<u32, PART>,
    counts: &mut Shared<u32, { DIGITS * GROUPS as usize }>,
) {
    const CELLS: u32 = DIGITS as u32 * GROUPS;
    let (part, parts) = (block.index(), block.grid().x);
    let first = part * PART as u32;
    let n = (keys.len() as u32 - first).min(PART as u32);
    let (keys, values) = (View::of(keys).part(first, n), View::of(values).part(first, n));
    // A key's rank among the equal digits of its group of 32.
    let mut ranks = ranks.fill(block, n, |_| 0);
    ranks.fill_by_lanes(block, n, |warp, group| {
        let digits = warp.per_lane(|lane| {
            let i = group + lane.index();
            if i < n { digit(keys.get(i), shift) } else { 99 }
        });
        let peers = warp.match_any(&digits);
        warp.map(&peers, |lane, peers| (peers & ((1 << lane.index()) - 1)).count_ones())
    });
    // What the groups before it have of the digit, and the digits before that.
    let mut counts = counts.fill(block, CELLS, |_| 0);
    counts.update_atomic(block, n, |thread, cells, i| {
        cells.add(thread, digit(keys.get(i), shift) * GROUPS + i / 32, 1);
    });
    counts.exclusive_scan_in_place(block, CELLS, 0, |a, b| a + b);
    block.for_each(n, |thread, i| {
        let d = digit(keys.get(i), shift);
        let within = counts.get(d * GROUPS + i / 32) - counts.get(d * GROUPS) + ranks.get(i);
        let to = begins.at(d * parts + part) + within;
        keys_out.put(thread, to, keys.get(i));
        values_out.put(thread, to, values.get(i));
    });
}

/// Sorts by the whole key.
fn sort<V: DeviceLayout>(executor: &CpuExecutor, keys: &mut Vec<u32>, values: &mut Vec<V>)
where
    move_by_digit::Kernel<V>: move_by_digit::Instance<V>,
{
    let blocks = keys.len().div_ceil(PART);
    let (mut keys_out, mut values_out) = (keys.clone(), values.clone());
    let mut counts = vec![0; DIGITS * blocks];
    let whole = Offsets::new(vec![0, counts.len() as u32]).expect("offsets that rise");
    for shift in (0..32).step_by(4) {
        let grid = blocks as u32;
        count_digits::launch(executor, grid, count_digits::Args { counts: &mut counts[..], keys: &keys[..], shift })
            .expect("counts");
        let segment = Segments { data: &mut counts[..], offsets: &whole };
        begins::launch(executor, 1, begins::Args { counts: segment }).expect("a scan");
        let args = move_by_digit::Args {
            keys_out: &mut keys_out[..],
            values_out: &mut values_out[..],
            keys: &keys[..],
            values: &values[..],
            begins: &counts[..],
            shift,
        };
        move_by_digit::launch(executor, grid, args).expect("every element is written once");
        std::mem::swap(keys, &mut keys_out);
        std::mem::swap(values, &mut values_out);
    }
}

fn main() {
    let keys: Vec<u32> = (0..100_000u32).map(|i| i.wrapping_mul(2_654_435_761) % 5_000_000).collect();
    let mut expected: Vec<(u32, u32)> = keys.iter().copied().zip(0..).collect();
    expected.sort();
    for executor in [CpuExecutor::new(), CpuExecutor::shuffled(1)] {
        let (mut sorted, mut indices) = (keys.clone(), (0..keys.len() as u32).collect());
        let start = Instant::now();
        sort(&executor, &mut sorted, &mut indices);
        println!("{} keys in {:.1} ms", keys.len(), start.elapsed().as_secs_f64() * 1e3);
        assert!(expected.iter().copied().eq(sorted.iter().copied().zip(indices)), "sorted, and equal keys in order");
        let (mut again, mut points) = (keys.clone(), keys.iter().map(|key| [*key as f32, 0.5, -1.0]).collect());
        sort(&executor, &mut again, &mut points);
        assert!(again == sorted && points.iter().zip(&again).all(|(point, key)| point[0] == *key as f32));
    }
    println!("the same in another order of blocks, warps and threads, and with points in place of indices");
}
