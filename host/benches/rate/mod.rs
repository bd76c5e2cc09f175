//! How fast something is, shared by benchmarks.

use std::hint::black_box;
use std::time::{Duration, Instant};

/// How long repetitions warm up, and how long they are timed.
const WARM_UP: Duration = Duration::from_millis(300);
const TIMED: Duration = Duration::from_secs(1);

/// Prints how many `unit`s a second go through `run`, which takes `amount` of them: in the fastest, the median, and the slowest
/// repetition.
pub fn print<R>(name: &str, amount: f64, unit: &str, mut run: impl FnMut() -> R) {
    let mut repeated = |time: Duration| {
        let begin = Instant::now();
        let mut rates = Vec::new();
        while rates.is_empty() || begin.elapsed() < time {
            let start = Instant::now();
            black_box(run());
            rates.push(amount / start.elapsed().as_secs_f64());
        }
        rates
    };
    repeated(WARM_UP);
    let mut rates = repeated(TIMED);
    rates.sort_by(f64::total_cmp);
    let (slowest, median, fastest) = (rates[0], rates[rates.len() / 2], rates[rates.len() - 1]);
    println!("{name:40} {median:12.4e} {unit}/s ({slowest:.4e} to {fastest:.4e}, {} times)", rates.len());
}
