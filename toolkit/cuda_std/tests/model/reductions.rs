//! The documented order of operations in reductions, written again as loops.

use cuda_std::prelude::*;

/// Neither associative nor commutative, so another order gives another result. 0 is neutral.
fn mix(a: u32, b: u32) -> u32 {
    match (a, b) {
        (0, other) | (other, 0) => other,
        _ => a.wrapping_mul(3).wrapping_add(b.wrapping_mul(5)).wrapping_add(1) | 1,
    }
}

/// The value of slot `i` after the passes with strides down to `stride`. The number of slots is a power of two.
fn halved(slots: &[u32], i: usize, stride: usize) -> u32 {
    if stride == slots.len() {
        slots[i]
    } else {
        mix(halved(slots, i, stride * 2), halved(slots, i + stride, stride * 2))
    }
}

/// The slots of interleaved values: slot `s` of `n` combines values `s`, `s + n`, ..
fn slots(values: &[u32], n: usize) -> Vec<u32> {
    (0..n).map(|s| values.iter().skip(s).step_by(n).fold(0, |a, b| mix(a, *b))).collect()
}

fn block_tree(values: &[u32]) -> u32 {
    let groups: Vec<u32> = slots(values, 1024).chunks(32).map(|group| halved(group, 0, 1)).collect();
    halved(&groups, 0, 1)
}

/// Reductions of every kind over the first `n` values. Their results must be equal.
fn reduce_all(block: &mut Block, results: &mut Segment<u32>, memory: &mut Segment<u32>, values: &[u32], n: u32) {
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

macro_rules! kernels {
    ($($name:ident $threads:tt)*) => {
        $(
            #[kernel(threads = $threads)]
            fn $name(block: &mut Block, results: &mut Segment<u32>, memory: &mut Segment<u32>, values: &[u32], n: u32) {
                reduce_all(block, results, memory, values, n);
            }
        )*

        /// Results and memory for every block size.
        fn by_every_block_size(executor: &CpuExecutor, values: &[u32], n: u32) -> Vec<(u32, Vec<u32>, Vec<u32>)> {
            vec![$({
                let (mut results, mut memory) = (vec![0; 3], vec![0; values.len()]);
                let of = |n: usize| Offsets::new(vec![0, n as u32]).unwrap();
                let (three, all) = (of(3), of(values.len()));
                let args = $name::Args {
                    results: Segments { data: &mut results[..], offsets: &three },
                    memory: Segments { data: &mut memory[..], offsets: &all },
                    values,
                    n,
                };
                $name::launch(executor, 1, args).unwrap();
                ($threads, results, memory)
            }),*]
        }
    };
}
kernels! { by_32 32 by_64 64 by_96 96 by_128 128 by_160 160 by_256 256 by_512 512 by_768 768 by_992 992 by_1024 1024 }

fn values(n: usize) -> Vec<u32> {
    (0..n as u32).map(|i| i.wrapping_mul(0x9e37_79b9) >> 7 | 1).collect()
}

#[test]
fn blocks_reduce_by_the_tree_that_is_promised_whatever_their_size() {
    // Interpreters take their time.
    let lengths: &[usize] = if cfg!(miri) {
        &[33, 1025]
    } else {
        &[0, 1, 2, 31, 32, 33, 63, 255, 256, 257, 1023, 1024, 1025, 2047, 2048, 2049, 5000]
    };
    let executors = &[CpuExecutor::new(), CpuExecutor::shuffled(1), CpuExecutor::shuffled(2)];
    for &n in lengths {
        let all = values(n + 3);
        let expected = block_tree(&all[..n]);
        for executor in if cfg!(miri) { &executors[1..2] } else { executors } {
            for (threads, results, memory) in by_every_block_size(executor, &all, n as u32) {
                assert_eq!(results, [expected; 3], "{n} values, {threads} threads, {executor:?}");
                assert_eq!(memory[..n], all[..n], "{n} values, {threads} threads, {executor:?}");
                assert_eq!(memory[n..], [0; 3], "{n} values, {threads} threads: nothing else is written");
            }
        }
    }
}

#[kernel(threads = 96)]
fn sums(block: &mut Block, out: &mut Segment<f32>, values: &[f32]) {
    let n = values.len() as u32;
    let sum = block.reduce(n, 0.0, |i| values.at(i), |a, b| a + b);
    out.set(block, 0, sum);
    let sum = block.reduce_ahead(n, 0.0, |i| values.at(i), |a, b| a + b);
    out.set(block, 1, sum);
}

/// The order for sums of floats: another order rounds differently.
#[test]
fn sums_have_the_bits_of_the_tree() {
    let values: Vec<f32> = (0..3000).map(|i| 1.0 / (1.0 + i as f32) * if i % 3 == 0 { -1e3 } else { 1.0 }).collect();
    let mut slots = vec![0.0f32; 1024];
    for (s, slot) in slots.iter_mut().enumerate() {
        *slot = values[s];
        values[s..].iter().step_by(1024).skip(1).for_each(|x| *slot += x);
    }
    let tree = |slots: &[f32]| {
        let mut slots = slots.to_vec();
        while slots.len() > 1 {
            let (low, high) = slots.split_at(slots.len() / 2);
            slots = low.iter().zip(high).map(|(a, b)| a + b).collect();
        }
        slots[0]
    };
    let expected = tree(&slots.chunks(32).map(tree).collect::<Vec<_>>());
    let mut out = [0.0; 2];
    let one = Offsets::new(vec![0, 2]).unwrap();
    let args = sums::Args { out: Segments { data: &mut out[..], offsets: &one }, values: &values[..] };
    sums::launch(&CpuExecutor::new(), 1, args).unwrap();
    assert_eq!(out.map(f32::to_bits), [expected.to_bits(); 2]);
    assert_ne!(out[0], values.iter().sum::<f32>(), "or this test would not see an order");
}

#[kernel(threads = 64)]
fn team_sums(block: &mut Block, out: &mut Segment<[u32; 3]>, values: &[u32], lanes: u32) {
    fn run<const L: u32>(block: &mut Block, out: &mut Segment<[u32; 3]>, values: &[u32]) {
        let n = out.len();
        // Element i reduces the first i values.
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

#[kernel(threads = 64)]
fn team_parts(block: &mut Block, out: &mut Segment<[f32; 4]>, x: &[f32], weights: &[f32]) {
    let (n, x, weights) = (out.len(), View::of(x), View::of(weights));
    let plus = |a: [f32; 2], b: [f32; 2]| [a[0] + b[0], a[1] + b[1]];
    // Element i reduces the first i values, once by steps and once by parts.
    let part = |j: u32, x: f32, weight: f32| [if j.is_multiple_of(3) { -0.0 } else { x }, weight];
    let add = |[sum, weights]: [f32; 2], [x, weight]: [f32; 2]| [math::fma(x, weight, sum), weights + weight];
    out.fill_by_team::<8>(block, n, |team, i| {
        let by_step = |sums, j| add(sums, part(j, x.get(j), weights.get(j)));
        let [a, b] = team.reduce(i, [0.0; 2], by_step, plus);
        let [c, d] = team.reduce_parts(i, (x, weights), [0.0; 2], part, add, plus);
        [a, b, c, d]
    });
}

#[test]
fn parts_are_added_in_the_order_of_steps() {
    let x: Vec<f32> = values(200).iter().map(|x| (*x as f32).sqrt() - 3e4).collect();
    let weights: Vec<f32> = x.iter().rev().map(|x| 1.0 / x).collect();
    let offsets = Offsets::new(vec![0, 201]).unwrap();
    let mut out = [[0.0; 4]; 201];
    let data = Segments { data: &mut out[..], offsets: &offsets };
    team_parts::launch(&CpuExecutor::new(), 1, team_parts::Args { out: data, x: &x, weights: &weights }).unwrap();
    for (i, [a, b, c, d]) in out.iter().enumerate() {
        assert_eq!([c.to_bits(), d.to_bits()], [a.to_bits(), b.to_bits()], "{i} values");
    }
    assert_ne!(out[200][0], out[199][0]);
    let few = &x[..100];
    let data = Segments { data: &mut out[..], offsets: &offsets };
    let result = team_parts::launch(&CpuExecutor::new(), 1, team_parts::Args { out: data, x: &x, weights: few });
    assert!(result.is_err(), "elements that do not exist");
}

#[kernel(threads = 64)]
fn team_near_parts(block: &mut Block, out: &mut Segment<[f32; 6]>, x: &[f32], weights: &[f32], lanes: u32) {
    match lanes {
        8 => near_parts::<8>(block, out, x, weights),
        16 => near_parts::<16>(block, out, x, weights),
        _ => near_parts::<32>(block, out, x, weights),
    }
}

fn near_parts<const L: u32>(block: &mut Block, out: &mut Segment<[f32; 6]>, x: &[f32], weights: &[f32]) {
    let (n, x, weights) = (out.len(), View::of(x), View::of(weights));
    let plus = |a: [f32; 3], b: [f32; 3]| [a[0] + b[0], a[1] + b[1], a[2] + b[2]];
    // Element i reduces the first i values, once by steps and once by parts. Below 16 values none is near, and some groups have
    // none.
    let is_near = |j: u32| j > 15 && !(64..112).contains(&j) && !j.is_multiple_of(5);
    let of_all = |j: u32, x: f32| (is_near(j), [x * x]);
    let add_of_all = |[all, near, weights]: [f32; 3], [x]: [f32; 1]| [all + x, near, weights];
    let part = |j: u32, x: f32, weight: f32| if is_near(j) { [x, weight] } else { [-0.0, -0.0] };
    let add = |[all, sum, weights]: [f32; 3], [x, weight]: [f32; 2]| [all, sum + x, weights + weight];
    out.fill_by_team::<L>(block, n, |team, i| {
        let by_step = |sums, j| {
            let (near, words) = of_all(j, x.get(j));
            let sums = add_of_all(sums, words);
            if near { add(sums, part(j, x.get(j), weights.get(j))) } else { sums }
        };
        let [a, b, c] = team.reduce(i, [-0.0; 3], by_step, plus);
        let found = team.reduce_near_parts(i, (x, weights), [-0.0; 3], (of_all, add_of_all), (part, add), plus);
        [a, b, c, found[0], found[1], found[2]]
    });
}

#[test]
fn near_parts_are_added_in_the_order_of_steps() {
    let x: Vec<f32> = values(200).iter().map(|x| (*x as f32).sqrt() - 3e3).collect();
    let weights: Vec<f32> = x.iter().rev().map(|x| 1.0 / x).collect();
    let offsets = Offsets::new(vec![0, 201]).unwrap();
    let mut out = [[0.0; 6]; 201];
    for lanes in [8, 16, 32] {
        let data = Segments { data: &mut out[..], offsets: &offsets };
        let args = team_near_parts::Args { out: data, x: &x[..], weights: &weights[..], lanes };
        team_near_parts::launch(&CpuExecutor::new(), 1, args).unwrap();
        for (i, sums) in out.iter().map(|sums| sums.map(f32::to_bits)).enumerate() {
            assert_eq!(sums[..3], sums[3..], "{i} values, {lanes} lanes");
        }
        assert_ne!(out[200][1], out[150][1]);
        let data = Segments { data: &mut out[..], offsets: &offsets };
        let args = team_near_parts::Args { out: data, x: &x[..100], weights: &weights[..], lanes };
        assert!(team_near_parts::launch(&CpuExecutor::new(), 1, args).is_err(), "elements that do not exist");
    }
}

#[test]
fn teams_reduce_by_interleaved_slots() {
    let values = values(200);
    let offsets = Offsets::new(vec![0, values.len() as u32 + 1]).unwrap();
    for lanes in [1, 2, 4, 8, 16, 32] {
        let mut out = vec![[0; 3]; values.len() + 1];
        let args =
            team_sums::Args { out: Segments { data: &mut out[..], offsets: &offsets }, values: &values[..], lanes };
        team_sums::launch(&CpuExecutor::new(), 1, args).unwrap();
        for (i, found) in out.iter().enumerate() {
            let expected = halved(&slots(&values[..i], lanes as usize), 0, 1);
            assert_eq!(found, &[expected; 3], "{i} values, {lanes} lanes");
        }
    }
}

/// Values of more than a word.
#[kernel(threads = 64)]
fn wide(block: &mut Block, out: &mut Segment<[u32; 8]>, n: u32) {
    let add = |a: [u32; 8], b: [u32; 8]| core::array::from_fn(|k| a[k] + b[k]);
    let sum = block.reduce(n, [0; 8], |i| core::array::from_fn(|k| i * k as u32), add);
    out.set(block, 0, sum);
}

#[test]
fn values_may_have_eight_words() {
    let mut out = [[0; 8]];
    let one = Offsets::new(vec![0, 1]).unwrap();
    let args = wide::Args { out: Segments { data: &mut out[..], offsets: &one }, n: 1500 };
    wide::launch(&CpuExecutor::new(), 1, args).unwrap();
    assert_eq!(out[0], core::array::from_fn(|k| 1500 * 1499 / 2 * k as u32));
}
