//! Reductions of every kind, by blocks of every size and by teams.

use cuda_std::prelude::*;

/// Neither associative nor commutative, so another order gives another result. 0 is neutral.
pub fn mix(a: u32, b: u32) -> u32 {
    match (a, b) {
        (0, other) | (other, 0) => other,
        _ => a.wrapping_mul(3).wrapping_add(b.wrapping_mul(5)).wrapping_add(1) | 1,
    }
}

/// Reductions of every kind over the first `n` values, by [`mix`]. Their results must be equal.
#[kernel(
    threads = N,
    instances(
        reduced_by_32 = <32>, reduced_by_64 = <64>, reduced_by_96 = <96>, reduced_by_128 = <128>, reduced_by_160 = <160>,
        reduced_by_256 = <256>, reduced_by_512 = <512>, reduced_by_768 = <768>, reduced_by_992 = <992>, reduced_by_1024 = <1024>
    )
)]
pub fn reduced<const N: usize>(
    block: &mut Block,
    results: &mut Chunk<u32, 3>,
    memory: &mut Segment<u32>,
    values: &[u32],
    n: u32,
) {
    let plain = block.reduce(n, 0, |i| values.at(i), mix);
    results.set(block, 0, plain);
    let filled = memory.fill_reduce(block, n, 0, |i| (values.at(i) ^ 0xff, values.at(i)), mix);
    results.set(block, 1, filled);
    let updated = memory.update_reduce(
        block,
        n,
        0,
        |_, item| {
            *item ^= 0xff;
            *item
        },
        mix,
    );
    results.set(block, 2, updated);
}

/// The sum of floats, twice.
#[kernel(threads = 96)]
pub fn float_sums(block: &mut Block, out: &mut Chunk<f32, 2>, values: &[f32]) {
    let n = values.len() as u32;
    let sum = block.reduce(n, 0.0, |i| values.at(i), |a, b| a + b);
    out.set(block, 0, sum);
    let sum = block.reduce_ahead(n, 0.0, |i| values.at(i), |a, b| a + b);
    out.set(block, 1, sum);
}

/// Element `i` reduces the first `i` values by [`mix`], in three ways.
#[kernel(threads = 64)]
pub fn team_sums(block: &mut Block, out: &mut Segment<[u32; 3]>, values: &[u32], lanes: u32) {
    fn run<const L: u32>(block: &mut Block, out: &mut Segment<[u32; 3]>, values: &[u32]) {
        let n = out.len();
        out.fill_by_team::<L>(block, n, |team, i| {
            // Step by step.
            let mut sums = team.per_member(|_| 0);
            let mut first = 0;
            while team.votes(|k| first + k < i) != 0 {
                team.each(&mut sums, |k, sum| {
                    if first + k < i {
                        *sum = mix(*sum, values.at(first + k));
                    }
                });
                first += L;
            }
            [team.reduce(i, 0, |sum, j| mix(sum, values.at(j)), mix), 0, team.combine(&sums, mix)]
        });
        out.update_by_team::<L, u32>(
            block,
            n,
            |team, i| team.reduce(i, 0, |sum, j| mix(sum, values.at(j)), mix),
            |sum, item| item[1] = sum,
        );
    }
    match lanes {
        1 => run::<1>(block, out, values),
        2 => run::<2>(block, out, values),
        4 => run::<4>(block, out, values),
        8 => run::<8>(block, out, values),
        16 => run::<16>(block, out, values),
        _ => run::<32>(block, out, values),
    }
}

/// Element `i`: two sums over the first `i` of `x` and `weights`, by steps and by parts.
#[kernel(threads = 96)]
pub fn sums_of_pairs(block: &mut Block, out: &mut Chunk<[f32; 4], 300, WriteOnly>, x: &[f32], weights: &[f32]) {
    let (n, first, x, weights) = (out.len(), out.start(), View::of(x), View::of(weights));
    let part = |j: u32, x: f32, weight: f32| [if j.is_multiple_of(3) { -0.0 } else { x }, weight, x * weight];
    let add =
        |[sum, all]: [f32; 2], [x, weight, product]: [f32; 3]| [math::fma(x, weight, sum), all + product * weight];
    let plus = |a: [f32; 2], b: [f32; 2]| [a[0] + b[0], a[1] + b[1]];
    out.fill_by_team::<8>(block, n, |team, i| {
        let by_step = |sums, j| add(sums, part(j, x.get(j), weights.get(j)));
        let [a, b] = team.reduce(first + i, [0.0; 2], by_step, plus);
        let [c, d] = team.reduce_parts(first + i, (x, weights), [0.0; 2], part, add, plus);
        [a, b, c, d]
    });
}

/// Whether element `j` is near: below 16 none is, and some groups have none.
pub fn is_near(j: u32, x: f32) -> bool {
    j > 15 && !(64..112).contains(&j) && x < 0.0
}

/// Element `i`: the sums over the first `i` of the squares of `x`, and of `x` and `weights` where [`is_near`] holds, by steps and by
/// parts.
#[kernel(threads = 96)]
pub fn sums_of_near(
    block: &mut Block,
    out: &mut Chunk<[f32; 6], 300, WriteOnly>,
    x: &[f32],
    weights: &[f32],
    lanes: u32,
) {
    fn run<const L: u32>(block: &mut Block, out: &mut Chunk<[f32; 6], 300, WriteOnly>, x: &[f32], weights: &[f32]) {
        let (n, first, x, weights) = (out.len(), out.start(), View::of(x), View::of(weights));
        let plus = |a: [f32; 3], b: [f32; 3]| [a[0] + b[0], a[1] + b[1], a[2] + b[2]];
        let of_all = |j: u32, x: f32| (is_near(j, x), [x * x]);
        let add_of_all = |[all, near, weights]: [f32; 3], [x]: [f32; 1]| [all + x, near, weights];
        let part = |j: u32, x: f32, weight: f32| if is_near(j, x) { [x, weight] } else { [-0.0, -0.0] };
        let add = |[all, sum, weights]: [f32; 3], [x, weight]: [f32; 2]| [all, sum + x, weights + weight];
        out.fill_by_team::<L>(block, n, |team, i| {
            let by_step = |sums, j| {
                let (near, words) = of_all(j, x.get(j));
                let sums = add_of_all(sums, words);
                if near { add(sums, part(j, x.get(j), weights.get(j))) } else { sums }
            };
            let [a, b, c] = team.reduce(first + i, [-0.0; 3], by_step, plus);
            let found =
                team.reduce_near_parts(first + i, (x, weights), [-0.0; 3], (of_all, add_of_all), (part, add), plus);
            [a, b, c, found[0], found[1], found[2]]
        });
    }
    match lanes {
        8 => run::<8>(block, out, x, weights),
        16 => run::<16>(block, out, x, weights),
        _ => run::<32>(block, out, x, weights),
    }
}

/// A sum of values of more than a word: element `k` is `k` times the sum of the numbers below `n`.
#[kernel(threads = 64)]
pub fn wide_sum(block: &mut Block, out: &mut Chunk<[u32; 8], 1>, n: u32) {
    let add = |a: [u32; 8], b: [u32; 8]| core::array::from_fn(|k| a[k] + b[k]);
    let sum = block.reduce(n, [0; 8], |i| core::array::from_fn(|k| i * k as u32), add);
    out.set(block, 0, sum);
}
