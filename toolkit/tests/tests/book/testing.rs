//! The examples of the chapter on testing kernels, on CPU cores.

use cuda_std::launch::LaunchError;
use cuda_std::prelude::*;
use std::fmt::Debug;

// ANCHOR: kernel
/// The number of elements of each row within `range` of the row's mean, and that mean.
#[kernel(threads = 64, requires(matrix.len() == means.len() * columns as usize, near.len() == means.len()))]
pub fn around_mean(
    block: &mut Block,
    means: &mut Chunk<f32, 32>,
    near: &mut Chunk<u32, 32, WriteOnly>,
    matrix: &[f32],
    columns: u32,
    range: f32,
) {
    let (n, first) = (means.len(), means.start());
    let row = |i| matrix.part((first + i) * columns, columns);
    means.fill_by_team::<4>(block, n, |team, i| {
        let sum = team.reduce(columns, 0.0, |sum, k| sum + row(i).at(k), |a, b| a + b);
        math::canonical(sum / columns as f32)
    });
    let means = means.view(n);
    near.fill_by_team::<4>(block, n, |team, i| {
        let is_near = |k| (row(i).at(k) - means.get(i)).abs() <= range;
        team.reduce(columns, 0, |count, k| count + u32::from(is_near(k)), |a: u32, b| a + b)
    });
}
// ANCHOR_END: kernel

// ANCHOR: plain
/// The same from the definition, in double precision: the mean, and how many elements are certainly near and how many may
/// be.
fn expected(row: &[f32], range: f32) -> (f64, usize, usize) {
    let mean = row.iter().map(|x| f64::from(*x)).sum::<f64>() / row.len() as f64;
    let within = |range: f64| row.iter().filter(|x| (f64::from(**x) - mean).abs() <= range).count();
    (mean, within(f64::from(range) - 1e-5), within(f64::from(range) + 1e-5))
}
// ANCHOR_END: plain

// ANCHOR: orders
/// The result of `run` with the usual order of blocks and threads, which must be the same in other orders.
fn in_every_order<T: PartialEq + Debug>(run: impl Fn(&CpuExecutor) -> T) -> T {
    let result = run(&CpuExecutor::new());
    for seed in 0..5 {
        assert_eq!(run(&CpuExecutor::shuffled(seed)), result, "in the order of seed {seed}");
    }
    result
}
// ANCHOR_END: orders

// ANCHOR: sizes
#[test]
fn rows_are_compared_with_the_definition() {
    for rows in [1, 31, 32, 33, 100] {
        for columns in [1, 3, 4, 5, 70] {
            let word = |i: u32| i.wrapping_mul(2_654_435_761) >> 8;
            let matrix: Vec<f32> = (0..rows * columns).map(|i| word(i) as f32 / (1 << 24) as f32).collect();
            let (means, near) = in_every_order(|executor| {
                // Elements that are not written stay wrong.
                let (mut means, mut near) = (vec![f32::NAN; rows as usize], vec![u32::MAX; rows as usize]);
                around_mean::launch(
                    executor,
                    rows.div_ceil(32),
                    around_mean::Args { means: &mut means, near: &mut near, matrix: &matrix, columns, range: 0.25 },
                )
                .unwrap();
                // Bits: NaN is not equal to itself.
                (means.into_iter().map(f32::to_bits).collect::<Vec<_>>(), near)
            });
            for (i, row) in matrix.chunks(columns as usize).enumerate() {
                let (mean, least, most) = expected(row, 0.25);
                let found = f64::from(f32::from_bits(means[i]));
                assert!((found - mean).abs() < 1e-6, "row {i} of {rows} x {columns}: {found} for {mean}");
                assert!((least..=most).contains(&(near[i] as usize)), "row {i} of {rows} x {columns}");
            }
        }
    }
}
// ANCHOR_END: sizes

// ANCHOR: wrong
/// Wrong on purpose: keeps the elements above a limit, in the order in which threads arrive.
#[kernel(threads = 128)]
pub fn kept_in_any_order(block: &mut Block, out: &Atomics<u32>, next: &Atomics<u32>, x: &[u32], limit: u32) {
    block.for_each(x.len() as u32, |thread, i| {
        if x.at(i) > limit {
            let place = next.add(thread, 0, 1);
            out.store(thread, place, x.at(i));
        }
    });
}

#[test]
fn a_shuffled_order_finds_what_the_usual_one_does_not() {
    let x: Vec<u32> = (0..100u32).map(|i| i * 37 % 101).collect();
    let kept = |executor: &CpuExecutor| {
        let (mut out, mut next) = (vec![0; 100], [0]);
        let args = kept_in_any_order::Args { out: &mut out[..], next: &mut next[..], x: &x[..], limit: 50 };
        kept_in_any_order::launch(executor, 1, args).unwrap();
        out.truncate(next[0] as usize);
        out
    };
    let expected: Vec<u32> = x.iter().copied().filter(|x| *x > 50).collect();
    // By luck: on a CPU core, threads run one after another.
    assert_eq!(kept(&CpuExecutor::new()), expected);
    // What a GPU might do.
    let mut found = kept(&CpuExecutor::shuffled(1));
    assert_ne!(found, expected);
    // A seed gives one order, so a failure can be repeated.
    assert_eq!(kept(&CpuExecutor::shuffled(1)), found);
    // Nothing is lost; only the order is wrong.
    let mut sorted = expected;
    sorted.sort_unstable();
    found.sort_unstable();
    assert_eq!(found, sorted);
}
// ANCHOR_END: wrong

// ANCHOR: panic
#[kernel(threads = 64)]
pub fn checked(block: &mut Block, out: &mut Chunk<u32, 100>, x: &[u32], most: u32) {
    let (n, first) = (out.len(), out.start());
    out.fill(block, n, |i| {
        let value = x.at(first + i);
        assert!(value <= most, "a value is beyond {most}");
        value
    });
}

#[test]
fn an_error_says_where_and_why() {
    let mut x = vec![5; 300];
    (x[270], x[40]) = (8, 9);
    let run = |x: &[u32]| {
        let mut out = vec![0; 300];
        let launched = checked::launch(&CpuExecutor::shuffled(0), 3, checked::Args { out: &mut out, x, most: 7 });
        let Err(LaunchError::Panic(panic)) = launched else { panic!("{launched:?}") };
        panic
    };
    // If two blocks panic, the first to do so is reported.
    let panic = run(&x);
    let where_it_was = (panic.kernel.as_str(), panic.block, panic.thread);
    // Element 40 of block 0, or 70 of block 2.
    assert!([("checked", [0; 3], [40, 0, 0]), ("checked", [2, 0, 0], [6, 0, 0])].contains(&where_it_was), "{panic}");
    assert_eq!(panic.message.as_deref(), Some("a value is beyond 7"));
    // Another kind of panic: there is no element 299.
    let panic = run(&[0; 299]);
    assert_eq!((panic.block, panic.thread), ([2, 0, 0], [35, 0, 0]));
    let text = panic.to_string();
    assert!(
        text.starts_with("kernel `checked` panicked at ") && text.contains("tests/tests/book/testing.rs:"),
        "{text}"
    );
    assert!(text.ends_with("in block [2, 0, 0], thread [35, 0, 0]: index out of bounds"), "{text}");
}
// ANCHOR_END: panic
