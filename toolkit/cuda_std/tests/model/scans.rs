//! Prefix sums follow the documented tree; votes and reductions of threads.

use cuda_std::prelude::*;

macro_rules! kernels {
    ($($name:ident $threads:literal)*) => {$(
        #[kernel(threads = $threads)]
        fn $name(block: &mut Block, inclusive: &mut Segment<f32>, exclusive: &mut Segment<f32>, input: &[f32]) {
            let n = input.len() as u32;
            let first = inclusive.inclusive_scan(block, n, 0.0, |i| input.at(i), |a, b| a + b);
            let second = exclusive.exclusive_scan(block, n, 0.0, |i| input.at(i), |a, b| a + b);
            inclusive.set(block, n, first);
            exclusive.set(block, n, second);
        }
    )*};
}

kernels!(scan_32 32 scan_96 96 scan_256 256 scan_1024 1024);

/// The documented tree, written again: groups of 32, rounds of 32 groups, a carry from round to round.
fn expected(input: &[f32]) -> (Vec<f32>, Vec<f32>) {
    fn scan(values: &[f32]) -> [f32; 32] {
        let mut now = [0.0; 32];
        now[..values.len()].copy_from_slice(values);
        for below in [1, 2, 4, 8, 16] {
            let old = now;
            (below..32).for_each(|k| now[k] = old[k - below] + old[k]);
        }
        now
    }
    let (mut inclusive, mut exclusive, mut carry) = (Vec::new(), Vec::new(), 0.0);
    for round in input.chunks(1024) {
        let groups: Vec<_> = round.chunks(32).map(scan).collect();
        let totals = scan(&groups.iter().map(|group| group[31]).collect::<Vec<_>>());
        for (i, _) in round.iter().enumerate() {
            let (group, k) = (i / 32, i % 32);
            let prefix = carry + if group == 0 { 0.0 } else { totals[group - 1] };
            inclusive.push(prefix + groups[group][k]);
            exclusive.push(prefix + if k == 0 { 0.0 } else { groups[group][k - 1] });
        }
        carry += totals[31];
    }
    inclusive.push(carry);
    exclusive.push(carry);
    (inclusive, exclusive)
}

/// The number of executors. For an interpreter, one in order and one shuffled are enough.
fn executors() -> usize {
    if cfg!(miri) { 2 } else { 3 }
}

#[test]
fn prefix_sums_follow_one_tree_for_every_block_size_and_order() {
    // Interpreters take their time.
    let lengths: &[u32] =
        if cfg!(miri) { &[0, 33, 1025] } else { &[0, 1, 31, 32, 33, 255, 1000, 1023, 1024, 1025, 2048, 5000] };
    for &n in lengths {
        let input: Vec<f32> = (0..n).map(|i| (i.wrapping_mul(2_654_435_761) >> 8) as f32 * 1e-4 - 800.0).collect();
        let (inclusive, exclusive) = expected(&input);
        let offsets = Offsets::new(vec![0, n + 1]).unwrap();
        for executor in &[CpuExecutor::new(), CpuExecutor::shuffled(1), CpuExecutor::shuffled(2)][..executors()] {
            macro_rules! check {
                ($($name:ident)*) => {$(
                    let (mut a, mut b) = (vec![9.0; n as usize + 1], vec![9.0; n as usize + 1]);
                    let args = $name::Args {
                        inclusive: Segments { data: &mut a[..], offsets: &offsets },
                        exclusive: Segments { data: &mut b[..], offsets: &offsets },
                        input: &input[..],
                    };
                    $name::launch(executor, 1, args).unwrap();
                    let same = |a: &[f32], b: &[f32]| a.iter().zip(b).all(|(a, b)| a.to_bits() == b.to_bits());
                    assert!(same(&a, &inclusive) && same(&b, &exclusive), "{n} elements, {}", stringify!($name));
                )*};
            }
            check!(scan_32 scan_96 scan_256 scan_1024);
        }
    }
}

/// The order of the operands, by an operation that is associative but not commutative: `b`, unless it is neutral.
#[kernel(threads = 64)]
fn last_of(block: &mut Block, out: &mut Segment<u32>, input: &[u32]) {
    let n = input.len() as u32;
    out.inclusive_scan(block, n, 0, |i| input.at(i), |a, b| if b == 0 { a } else { b });
}

#[test]
fn the_lower_one_is_the_left_operand() {
    let input: Vec<u32> = (0..3000u32).map(|i| if i % 7 == 3 { i } else { 0 }).collect();
    let offsets = Offsets::new(vec![0, 3000]).unwrap();
    let mut out = vec![9; 3000];
    let args = last_of::Args { out: Segments { data: &mut out[..], offsets: &offsets }, input: &input[..] };
    last_of::launch(&CpuExecutor::new(), 1, args).unwrap();
    for (i, found) in (0i64..).zip(out) {
        assert_eq!(i64::from(found), ((i - 3).div_euclid(7) * 7 + 3).max(0), "element {i}");
    }
}

#[kernel(threads = 64)]
fn asked(block: &mut Block, out: &mut Chunk<[u32; 7], 1>, limit: u32, n: u32) {
    let state = block.per_thread(|t| t.index() * 3);
    let found = [
        block.count(n, |i| i < limit),
        u32::from(block.any(n, |i| i < limit)),
        u32::from(block.all(n, |i| i < limit)),
        block.count_threads(&state, |_, own| *own < limit),
        u32::from(block.any_thread(&state, |_, own| *own < limit)),
        u32::from(block.all_threads(&state, |t, own| *own < limit && t.index() < 64)),
        block.reduce_threads(&state, 0, |t, own| own * 2 + t.index(), |a, b| a + b),
    ];
    out.set(block, 0, found);
}

#[test]
fn blocks_ask_their_indices_and_their_threads() {
    for (limit, n) in [(0, 100), (50, 100), (100, 100), (5000, 4000), (10, 0)] {
        let mut out = [[0; 7]];
        asked::launch(&CpuExecutor::new(), 1, asked::Args { out: &mut out[..], limit, n }).unwrap();
        let threads = (0..64).filter(|t| t * 3 < limit).count() as u32;
        let number = |b| u32::from(b);
        let expected = [
            n.min(limit),
            number(n.min(limit) > 0),
            number(n <= limit),
            threads,
            number(threads > 0),
            number(threads == 64),
            (0..64).map(|t| t * 7).sum(),
        ];
        assert_eq!(out[0], expected, "limit {limit}, {n} indices");
    }
}

/// The same sums, in place and with an initial value.
#[kernel(threads = 96)]
fn from_a_number(
    block: &mut Block,
    inclusive: &mut Segment<f32>,
    exclusive: &mut Segment<f32>,
    input: &[f32],
    initial: f32,
) {
    let n = input.len() as u32;
    let first = inclusive.inclusive_scan_from(block, n, initial, 0.0, |i| input.at(i), |a, b| a + b);
    let second = exclusive.exclusive_scan_from(block, n, initial, 0.0, |i| input.at(i), |a, b| a + b);
    inclusive.set(block, n, first);
    exclusive.set(block, n, second);
}

#[kernel(threads = 96)]
fn in_place(block: &mut Block, inclusive: &mut Segment<f32>, exclusive: &mut Segment<f32>) {
    let n = inclusive.len() - 1;
    let first = inclusive.inclusive_scan_in_place(block, n, 0.0, |a, b| a + b);
    let second = exclusive.exclusive_scan_in_place(block, n, 0.0, |a, b| a + b);
    inclusive.set(block, n, first);
    exclusive.set(block, n, second);
}

#[test]
fn scans_in_place_and_from_a_number_follow_the_same_tree() {
    let lengths: &[u32] = if cfg!(miri) { &[0, 33] } else { &[0, 1, 31, 32, 33, 1000, 1024, 1025, 5000] };
    for &n in lengths {
        let offsets = Offsets::new(vec![0, n + 1]).unwrap();
        // Whole numbers, because an initial value changes the order of additions.
        let input: Vec<f32> = (0..n).map(|i| (i.wrapping_mul(2_654_435_761) >> 24) as f32).collect();
        let (mut inclusive, mut exclusive) = expected(&input);
        for executor in &[CpuExecutor::new(), CpuExecutor::shuffled(1)] {
            let mut both = [0, 1].map(|_| [&input[..], &[7.0]].concat());
            let [a, b] = &mut both;
            let args = in_place::Args {
                inclusive: Segments { data: &mut a[..], offsets: &offsets },
                exclusive: Segments { data: &mut b[..], offsets: &offsets },
            };
            in_place::launch(executor, 1, args).unwrap();
            assert_eq!(both, [&inclusive[..], &exclusive[..]], "{n} in place");
        }
        inclusive.iter_mut().chain(&mut exclusive).for_each(|sum| *sum += 100.0);
        let mut both = [0, 1].map(|_| vec![9.0; n as usize + 1]);
        let [a, b] = &mut both;
        let args = from_a_number::Args {
            inclusive: Segments { data: &mut a[..], offsets: &offsets },
            exclusive: Segments { data: &mut b[..], offsets: &offsets },
            input: &input[..],
            initial: 100.0,
        };
        from_a_number::launch(&CpuExecutor::new(), 1, args).unwrap();
        assert_eq!(both, [&inclusive[..], &exclusive[..]], "{n} from a number");
    }
}
