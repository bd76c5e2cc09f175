//! Sorts keys with values of any type by digits of four bits (Satish et al. 2009; CUB): a generic kernel that writes to computed indices.

#[cfg(not(target_arch = "nvptx64"))]
use crate::host::*;
use cuda_layout::DeviceLayout;
use cuda_std::prelude::*;

/// Keys per block.
pub const PART: usize = 2048;
/// Values of a digit.
pub const DIGITS: usize = 16;
/// Groups of 32 keys in a block.
const GROUPS: u32 = PART as u32 / 32;

fn digit(key: u32, shift: u32) -> u32 {
    key >> shift & 15
}

/// The number of keys with each digit in each block, ordered by digit, so that a scan gives positions.
#[kernel(threads = 256, requires(counts.len() == DIGITS * grid.x as usize, keys.len().div_ceil(PART) == grid.x as usize))]
pub fn count_digits(block: &mut Block, counts: &Scatter<u32>, keys: &[u32], shift: u32, own: &mut Shared<u32, DIGITS>) {
    let first = block.index() * PART as u32;
    let n = (keys.len() as u32 - first).min(PART as u32);
    let mut own = own.fill(block, DIGITS as u32, |_| 0);
    own.update_atomic(block, n, |thread, cells, i| {
        cells.add(thread, digit(keys.at(first + i), shift), 1);
    });
    let (part, parts) = (block.index(), block.grid().x);
    block.for_each(DIGITS as u32, |thread, d| counts.put(thread, d * parts + part, own.get(d)));
}

/// Where the keys of each digit and block begin. One block computes this.
#[kernel(threads = 1024, requires(counts.segments() == 1))]
pub fn begins(block: &mut Block, counts: &mut Segment<u32>) {
    let n = counts.len();
    counts.exclusive_scan_in_place(block, n, 0, u32::wrapping_add);
}

/// Keys, and a value for each.
#[derive(Arguments)]
pub struct Pairs<'a, V: DeviceLayout> {
    keys: &'a [u32],
    values: &'a [V],
}

/// The same at their new places.
#[derive(Arguments)]
pub struct Moved<'a, V: DeviceLayout> {
    keys: &'a Scatter<'a, u32>,
    values: &'a Scatter<'a, V>,
}

/// Moves keys and values to the positions of their digits. Equal digits keep their order.
#[kernel(
    threads = 256,
    requires(moved.keys.len() == pairs.keys.len(), moved.values.len() == pairs.keys.len(),
        pairs.values.len() == pairs.keys.len(), begins.len() == DIGITS * grid.x as usize,
        pairs.keys.len().div_ceil(PART) == grid.x as usize),
    instances(move_indices = <u32>, move_points = <[f32; 3]>)
)]
pub fn move_by_digit<V: DeviceLayout>(
    block: &mut Block,
    moved: Moved<'_, V>,
    pairs: Pairs<'_, V>,
    begins: &[u32],
    shift: u32,
    ranks: &mut Shared<u32, PART>,
    counts: &mut Shared<u32, { DIGITS * GROUPS as usize }>,
) {
    const CELLS: u32 = DIGITS as u32 * GROUPS;
    let (Moved { keys: keys_out, values: values_out }, Pairs { keys, values }) = (moved, pairs);
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
    // How many keys with the digit earlier groups have, and how many keys have smaller digits.
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
#[cfg(not(target_arch = "nvptx64"))]
fn sorted<V: DeviceLayout>(machine: &Machine, keys: &[u32], values: &[V]) -> Result<(Vec<u32>, Vec<V>), CudaError>
where
    move_by_digit::Kernel<V>: move_by_digit::Instance<V>,
{
    let grid = blocks(keys.len(), PART);
    let (mut keys, mut values) = (machine.buffer(keys)?, machine.buffer(values)?);
    let (mut keys_out, mut values_out) = (machine.zeroed(keys.len())?, machine.zeroed(values.len())?);
    let mut counts = machine.zeroed(DIGITS * grid as usize)?;
    let whole = machine.offsets(&Offsets::new(vec![0, counts.len() as u32]).expect("offsets that rise"))?;
    for shift in (0..32).step_by(4) {
        let args = count_digits::Args { counts: counts.view_mut(), keys: keys.view(), shift };
        count_digits::launch(machine, grid, args)?;
        let segment = Segments { data: counts.view_mut(), offsets: &whole };
        begins::launch(machine, 1, begins::Args { counts: segment })?;
        let args = move_by_digit::Args {
            moved: MovedArgs { keys: keys_out.view_mut(), values: values_out.view_mut() },
            pairs: PairsArgs { keys: keys.view(), values: values.view() },
            begins: counts.view(),
            shift,
        };
        move_by_digit::launch(machine, grid, args)?;
        std::mem::swap(&mut keys, &mut keys_out);
        std::mem::swap(&mut values, &mut values_out);
    }
    Ok((keys.download()?, values.download()?))
}

#[cfg(not(target_arch = "nvptx64"))]
pub fn run(machine: &Machine) -> Answer {
    let keys: Vec<u32> = words(20_000).into_iter().map(|word| word % 5000).collect();
    let indices: Vec<u32> = (0..keys.len() as u32).collect();
    let mut expected: Vec<(u32, u32)> = keys.iter().copied().zip(0..).collect();
    expected.sort_unstable();
    let (found, places) = sorted(machine, &keys, &indices)?;
    assert!(expected.iter().copied().eq(found.iter().copied().zip(places)), "sorted, and equal keys in order");
    let points: Vec<[f32; 3]> = keys.iter().map(|key| [*key as f32, 0.5, -1.0]).collect();
    let (again, points) = sorted(machine, &keys, &points)?;
    assert!(again == found && points.iter().zip(&found).all(|(point, key)| point[0] == *key as f32));
    Ok(Report::new(format!("{} keys with indices, and with points", keys.len()), &found))
}
