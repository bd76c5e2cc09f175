//! Attention on CPU cores and a GPU, within a bound of its value in `f64`.

use cuda_host::{CudaError, Machine};
use cuda_std::prelude::*;
use tensor_kernels as k;
use tensor_tests::gpus;
use toolkit_tests::dice::Dice;

/// Heads with as many queries, keys and values each, row by row.
struct Heads {
    count: u32,
    length: u32,
    /// Rows of a head that count.
    used: u32,
    columns: u32,
    queries: Vec<bf16x8>,
    keys: Vec<bf16x8>,
    values: Vec<bf16x8>,
}

fn rows(dice: &mut Dice, n: u32, scale: f64) -> Vec<bf16x8> {
    (0..n / 8).map(|_| bf16x8::from_f32([0.0; 8].map(|_| (dice.normal() * scale) as f32))).collect()
}

impl Heads {
    fn random(dice: &mut Dice, [count, length, columns]: [u32; 3], scale: f64) -> Self {
        let n = count * length * columns;
        let [queries, keys, values] = [scale, scale, 1.0].map(|scale| rows(dice, n, scale));
        Self { count, length, used: length, columns, queries, keys, values }
    }

    /// The same, of which only the first `used` rows of each head count.
    fn with_used(mut self, used: u32) -> Self {
        self.used = used;
        self
    }

    /// Row `row` of one of the matrices.
    fn row(&self, of: &[bf16x8], row: u32) -> Vec<f64> {
        let parts = (self.columns / 8) as usize;
        of[row as usize * parts..][..parts].iter().flat_map(|part| part.to_f32()).map(f64::from).collect()
    }

    /// The value of row `row` of the result, and the mean of the weighted values' sizes.
    fn expected(&self, row: u32, scale: f64, causal: bool) -> Vec<(f64, f64)> {
        let (head, query) = (row / self.length * self.length, self.row(&self.queries, row));
        let end = if causal { row + 1 } else { head + self.used };
        let score = |key: u32| {
            let key = self.row(&self.keys, key);
            scale * query.iter().zip(key).map(|(x, y)| x * y).sum::<f64>()
        };
        let scores: Vec<f64> = (head..end).map(score).collect();
        let most = scores.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        let weights: Vec<f64> = scores.iter().map(|score| (score - most).exp()).collect();
        let total: f64 = weights.iter().sum();
        let mut sums = vec![(0.0, 0.0); self.columns as usize];
        for (key, weight) in (head..end).zip(weights) {
            for (sum, value) in sums.iter_mut().zip(self.row(&self.values, key)) {
                sum.0 += weight / total * value;
                sum.1 += weight / total * value.abs();
            }
        }
        sums
    }
}

/// Runs an instance of a kernel: its rows, keys at a time, columns and stages; and all numbers behind its columns, as the kernel has them.
macro_rules! run {
    ($kernel:ident, $on:expr, $heads:expr, $scale:expr, $causal:expr, <$rows:literal, $keys:literal, $columns:literal, $stages:literal>, $($number:literal)*) => {{
        let (on, heads): (&Machine, &Heads) = ($on, $heads);
        let [q, keys, values] = [&heads.queries, &heads.keys, &heads.values].map(|list| on.buffer(list));
        let (q, keys, values) = (q?, keys?, values?);
        let mut out = on.zeroed::<bf16>((heads.count * heads.length * heads.columns) as usize)?;
        let args = k::$kernel::Args {
            out: Matrix { data: out.view_mut(), columns: heads.columns },
            queries: q.view(),
            heads: k::HeadsArgs {
                keys: keys.view(),
                values: values.view(),
                length: heads.length,
                used: heads.used,
                scale: $scale,
                causal: u32::from($causal),
            },
            tiles: DynamicLength(2 * $stages * $keys * $columns / 8),
        };
        let grid = (1, heads.count * heads.length / $rows);
        k::$kernel::launch::<bf16x8, bf16, $rows, $keys, $columns, $($number,)* _>(on, grid, args)?;
        out.download()
    }};
}

/// Weights are rounded to 16 bits and so is the result; the rest is far smaller.
fn check(name: &str, heads: &Heads, scale: f32, causal: bool, found: &[bf16]) -> f64 {
    let mut worst = 0.0f64;
    let step = (heads.count * heads.length / 97).max(1);
    for row in (0..heads.count * heads.length).step_by(step as usize) {
        if row % heads.length >= heads.used {
            continue;
        }
        let found = &found[(row * heads.columns) as usize..][..heads.columns as usize];
        for (found, (value, size)) in found.iter().zip(heads.expected(row, scale.into(), causal)) {
            let bound = 2.0f64.powi(-8) * (1.01 * size + value.abs()) + 1e-5;
            let share = (f64::from(found.to_f32()) - value).abs() / bound;
            assert!(share <= 1.0, "{name}: {} instead of {value} in row {row}, beyond {bound}", found.to_f32());
            worst = worst.max(share);
        }
    }
    worst
}

fn on_each_machine(mut run: impl FnMut(&str, &Machine) -> Result<(), CudaError>) {
    run("CPU cores", &Machine::cpu()).unwrap();
    for (name, gpu) in gpus("sm_80") {
        run(name, &gpu.into()).unwrap();
    }
}

#[test]
fn attention_is_the_weighted_mean_of_values() {
    let mut dice = Dice::new(11);
    let (small, large) = (Heads::random(&mut dice, [2, 128, 64], 1.0), Heads::random(&mut dice, [2, 128, 128], 2.0));
    on_each_machine(|name, on| {
        for causal in [false, true] {
            let found = run!(attend, on, &small, 0.125, causal, <128, 32, 64, 3>, 2 4 8 3 1024)?;
            let first = check(name, &small, 0.125, causal, &found);
            let found = run!(attend, on, &large, 0.1, causal, <128, 32, 128, 3>, 2 4 16 3 2048)?;
            let second = check(name, &large, 0.1, causal, &found);
            let found = run!(attend_together, on, &small, 0.125, causal, <128, 128, 64, 2>, 16 4 8 2)?;
            let third = check(name, &small, 0.125, causal, &found);
            let found = run!(attend_together, on, &large, 0.1, causal, <128, 128, 128, 2>, 16 8 16 2)?;
            let fourth = check(name, &large, 0.1, causal, &found);
            println!("{name}, causal {causal}: at most {first:.3}, {second:.3}, {third:.3}, {fourth:.3} of the bound");
        }
        Ok(())
    });
}

#[test]
fn rows_that_fill_up_tiles_have_no_weight() {
    let mut dice = Dice::new(14);
    on_each_machine(|name, on| {
        for (length, used) in [(128, 1), (128, 127), (256, 129), (256, 200), (384, 353)] {
            let small = Heads::random(&mut dice, [2, length, 64], 1.0).with_used(used);
            let large = Heads::random(&mut dice, [1, length, 128], 1.5).with_used(used);
            for causal in [false, true] {
                let found = run!(attend, on, &small, 0.125, causal, <128, 32, 64, 3>, 2 4 8 3 1024)?;
                check(name, &small, 0.125, causal, &found);
                let found = run!(attend, on, &large, 0.1, causal, <128, 32, 128, 3>, 2 4 16 3 2048)?;
                check(name, &large, 0.1, causal, &found);
                let found = run!(attend_together, on, &small, 0.125, causal, <128, 128, 64, 2>, 16 4 8 2)?;
                check(name, &small, 0.125, causal, &found);
                let found = run!(attend_together, on, &large, 0.1, causal, <128, 128, 128, 2>, 16 8 16 2)?;
                check(name, &large, 0.1, causal, &found);
            }
        }
        Ok(())
    });
}

#[test]
fn many_keys_give_the_weighted_mean() {
    let mut dice = Dice::new(12);
    for (name, gpu) in gpus("sm_80") {
        let on = Machine::from(gpu);
        for (length, causal) in [(256, true), (1024, false), (1024, true), (4096, true)] {
            let heads = Heads::random(&mut dice, [3, length, 64], 1.5);
            let run = || run!(attend, &on, &heads, 0.125, causal, <128, 32, 64, 3>, 2 4 8 3 1024);
            check(name, &heads, 0.125, causal, &run().unwrap());
            let run = || run!(attend_together, &on, &heads, 0.125, causal, <128, 128, 64, 2>, 16 4 8 2);
            check(name, &heads, 0.125, causal, &run().unwrap());
            let heads = Heads::random(&mut dice, [3, length, 128], 1.0);
            let run = || run!(attend, &on, &heads, 0.0884, causal, <128, 32, 128, 3>, 2 4 16 3 2048);
            check(name, &heads, 0.0884, causal, &run().unwrap());
            let run = || run!(attend_together, &on, &heads, 0.0884, causal, <128, 128, 128, 2>, 16 8 16 2);
            check(name, &heads, 0.0884, causal, &run().unwrap());
        }
    }
}

#[test]
fn lengths_that_do_not_fit_are_refused() {
    let heads = Heads::random(&mut Dice::new(13), [2, 192, 64], 1.0);
    let run = || run!(attend, &Machine::cpu(), &heads, 0.125, false, <128, 32, 64, 3>, 2 4 8 3 1024);
    let error = run().unwrap_err().to_string();
    assert!(error.contains("heads.length.is_multiple_of"), "{error}");
    let heads = Heads::random(&mut Dice::new(13), [2, 128, 64], 1.0).with_used(129);
    let run = || run!(attend_together, &Machine::cpu(), &heads, 0.125, false, <128, 128, 64, 2>, 16 4 8 2);
    let error = run().unwrap_err().to_string();
    assert!(error.contains("heads.used <= heads.length"), "{error}");
}
