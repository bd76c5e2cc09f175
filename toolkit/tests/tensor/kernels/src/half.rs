//! 16-bit floats: conversions, arithmetic, memory and warps.

use cuda_std::prelude::*;

/// A number that depends on each of the values and on their order.
fn mixed(i: u32, value: u32) -> u32 {
    (value ^ i.wrapping_mul(0x9e37_79b9)).wrapping_mul(0x85eb_ca6b).rotate_left(i % 31)
}

/// For block `b`, a digest of the conversions to both formats of the 65,536 floats whose upper half is `b step`.
#[kernel(threads = 256)]
pub fn narrowed(block: &mut Block, out: &mut Chunk<[u32; 2], 1>, step: u32) {
    let upper = block.index().wrapping_mul(step) << 16;
    let value = |i: u32| {
        let x = f32::from_bits(upper | i);
        [mixed(i, f16::from_f32(x).to_bits().into()), mixed(i, bf16::from_f32(x).to_bits().into())]
    };
    let add = |a: [u32; 2], b: [u32; 2]| [a[0].wrapping_add(b[0]), a[1].wrapping_add(b[1])];
    let sums = block.reduce(1 << 16, [0; 2], value, add);
    out.set(block, 0, sums);
}

/// As [`fn@narrowed`], to both 8-bit formats.
#[kernel(threads = 256)]
pub fn narrowed_to_8_bits(block: &mut Block, out: &mut Chunk<[u32; 2], 1>, step: u32) {
    let upper = block.index().wrapping_mul(step) << 16;
    let value = |i: u32| {
        let x = f32::from_bits(upper | i);
        [mixed(i, e4m3::from_f32(x).to_bits().into()), mixed(i, e5m2::from_f32(x).to_bits().into())]
    };
    let add = |a: [u32; 2], b: [u32; 2]| [a[0].wrapping_add(b[0]), a[1].wrapping_add(b[1])];
    let sums = block.reduce(1 << 16, [0; 2], value, add);
    out.set(block, 0, sums);
}

/// The bits of each 8-bit number as `f32`, in both formats.
#[kernel(threads = 256)]
pub fn widened_from_8_bits(block: &mut Block, out: &mut Chunk<[u32; 2], 256>) {
    out.fill(block, 256, |i| {
        let bits = i as u8;
        [e4m3::from_bits(bits).to_f32().to_bits(), e5m2::from_bits(bits).to_f32().to_bits()]
    });
}

/// Converts pairs of floats to pairs of both formats.
#[kernel(threads = 256)]
pub fn narrowed_pairs(block: &mut Block, out: &mut Chunk<[u32; 2], 1024>, x: &[[f32; 2]]) {
    let (n, first) = (out.len(), out.start());
    out.fill(block, n, |i| {
        let x = x.at(first + i);
        [f16x2::from_f32(x).to_bits(), bf16x2::from_f32(x).to_bits()]
    });
}

/// The bits of each 16-bit number as `f32`, in both formats.
#[kernel(threads = 256)]
pub fn widened(block: &mut Block, out: &mut Chunk<[u32; 2], 1024>) {
    let (n, first) = (out.len(), out.start());
    out.fill(block, n, |i| {
        let bits = (first + i) as u16;
        [f16::from_bits(bits).to_f32().to_bits(), bf16::from_bits(bits).to_f32().to_bits()]
    });
}

/// Sum, difference, product, `x y + z`, minimum and maximum of pairs, in both formats.
#[kernel(threads = 256)]
pub fn arithmetic(block: &mut Block, out: &mut Chunk<[u32; 12], 1024>, words: &[[u32; 3]]) {
    let (n, first) = (out.len(), out.start());
    out.fill(block, n, |i| {
        let [x, y, z] = words.at(first + i);
        let [a, b, c] = [x, y, z].map(f16x2::from_bits);
        let [d, e, f] = [x, y, z].map(bf16x2::from_bits);
        let halves = [a + b, a - b, a * b, a.fma(b, c), a.min(b), a.max(b)].map(f16x2::to_bits);
        let others = [d + e, d - e, d * e, d.fma(e, f), d.min(e), d.max(e)].map(bf16x2::to_bits);
        let mut all = [0; 12];
        all[..6].copy_from_slice(&halves);
        all[6..].copy_from_slice(&others);
        all
    });
}

/// For block `b`, a digest of the sums and products of number `b step` with all others, in both formats.
#[kernel(threads = 256)]
pub fn all_sums(block: &mut Block, out: &mut Chunk<[u32; 4], 1>, step: u32) {
    let x = block.index().wrapping_mul(step) as u16;
    let value = |i: u32| {
        let (a, b) = (f16::from_bits(x), f16::from_bits(i as u16));
        let (c, d) = (bf16::from_bits(x), bf16::from_bits(i as u16));
        let bits = [(a + b).to_bits(), (a * b).to_bits(), (c + d).to_bits(), (c * d).to_bits()];
        bits.map(|bits| mixed(i, bits.into()))
    };
    let sums = block.reduce(1 << 16, [0; 4], value, |a: [u32; 4], b: [u32; 4]| {
        [0, 1, 2, 3].map(|k: usize| a[k].wrapping_add(b[k]))
    });
    out.set(block, 0, sums);
}

/// Eight inputs at a time, from the slice's start on, times a number, through shared memory.
#[kernel(threads = 64, requires(out.len() * 8 <= x.len()))]
pub fn eights(
    block: &mut Block,
    out: &mut Chunk<bf16x8, 128>,
    x: &[bf16],
    by: bf16,
    tile: &mut Shared<bf16x8, 128>,
    turned: &mut Shared<bf16, 1024>,
) {
    let (n, first) = (out.len(), out.start());
    let x = Vectors::<_, 8>::of(x);
    let tile = tile.fill(block, n, |i| bf16x8::from_array(x.get(first + i)) * bf16x8::splat(by)).elements();
    // In reverse, by single elements.
    let turned = turned.fill(block, tile.len(), |i| tile.get(tile.len() - 1 - i)).arrays::<8>();
    out.fill(block, n, |i| bf16x8::from_array(turned.get(i)));
}

/// Exchanges between lanes: each lane's number from lane `31 - lane`, from the lane above, the sum, and the maximum of
/// teams of eight.
#[kernel(threads = 64)]
pub fn lanes(block: &mut Block, out: &mut Chunk<[f16; 4], 64>, x: &[f16]) {
    let (n, first) = (out.len(), out.start());
    let at = |i: u32| x.at(i % x.len() as u32);
    out.fill_by_lanes(block, n, |warp, begin| {
        let own = warp.per_lane(|lane| at(first + begin + lane.index()));
        let turned = warp.shuffle(&own, |lane| 31 - lane.index());
        let above = warp.shuffle_down(&own, 1);
        let sum = warp.reduce(&own, |a, b| a + b);
        warp.map((&turned, &above), |_, (turned, above)| [*turned, *above, sum, f16::ZERO])
    });
    let most = |team: &mut Team<8>, i| team.reduce(20, at(first + i), |most, k| most.max(at(i + k)), f16::max);
    out.update_by_team(block, n, most, |most, item| item[3] = most);
}

/// Numbers of both formats in all kinds of memory: sums of `x` times the lower number of `by` from a shared array in halves, as lanes
/// exchange them, and the numbers of a shared array as the other format.
#[kernel(threads = 64)]
pub fn memories(
    block: &mut Block,
    out: &mut Segment<[f16; 4]>,
    wide: &mut Chunk<bf16x8, 4, WriteOnly>,
    x: &[f16],
    by: f16x2,
    array: &mut Shared<f16, 64>,
    halves: &mut Shared<f16, 128>,
) {
    let n = out.len();
    let tile = array.fill(block, 64, |i| x.at(i % x.len() as u32) * by.low());
    let mut halves = halves.halves(block);
    let sums = halves.fill(block, 32, |i| tile.get(i) + tile.get(i + 32));
    let sums = block.meet(sums);
    out.fill_by_lanes(block, n, |warp, first| {
        let own = warp.per_lane(|lane| sums.get((first + lane.index()) % 32));
        let (up, most) = (warp.shuffle_up(&own, 1), warp.reduce(&own, f16::max));
        let last = warp.broadcast(&own, 31);
        warp.map((&own, &up), |_, (own, up)| [*own, *up, most, last])
    });
    wide.fill(block, 4, |i| {
        bf16x8::from_array([0, 1, 2, 3, 4, 5, 6, 7].map(|k| bf16::from_f32(tile.get(8 * i + k).into())))
    });
}
