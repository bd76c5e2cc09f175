//! Prices of call options by Black and Scholes: logarithms and exponentials with the same bits everywhere.

#[cfg(not(target_arch = "nvptx64"))]
use crate::host::*;
use cuda_std::prelude::*;

/// The distribution function of the normal distribution (Abramowitz and Stegun 26.2.17, to 7.5e-8).
fn normal(x: f32) -> f32 {
    let t = 1.0 / math::fma(0.231_641_9, x.abs(), 1.0);
    let terms = [1.330_274_5, -1.821_255_9, 1.781_477_9, -0.356_563_78, 0.319_381_54];
    let sum = terms.iter().fold(0.0, |sum, term| math::fma(sum, t, *term)) * t;
    let above = sum * math::exp(-0.5 * x * x) * 0.398_942_3;
    if x < 0.0 { above } else { 1.0 - above }
}

/// Call options.
#[derive(Arguments)]
struct Options<'a> {
    strikes: &'a [f32],
    years: &'a [f32],
}

/// Prices of options at a share's price, an interest rate and a volatility.
#[kernel(threads = 256, requires(options.strikes.len() == out.len(), options.years.len() == out.len()))]
fn prices(
    block: &mut Block,
    out: &mut Chunk<f32, 512, WriteOnly>,
    options: Options<'_>,
    spot: f32,
    rate: f32,
    volatility: f32,
) {
    let (Options { strikes, years }, n, first) = (options, out.len(), out.start());
    out.fill(block, n, |i| {
        let (strike, years) = (strikes.at(first + i), years.at(first + i));
        let spread = volatility * math::sqrt(years);
        let drift = math::fma(0.5 * volatility, volatility, rate) * years;
        let d = (math::ln(spot / strike) + drift) / spread;
        spot * normal(d) - strike * math::exp(-rate * years) * normal(d - spread)
    });
}

#[cfg(not(target_arch = "nvptx64"))]
pub fn run(machine: &Machine) -> Answer {
    let strikes: Vec<f32> = (0..10_000).map(|i| 50.0 + 0.01 * i as f32).collect();
    let years: Vec<f32> = floats(10_000).into_iter().map(|x| 2.0 + x).collect();
    let (on_machine, years_on_machine) = (machine.buffer(&strikes)?, machine.buffer(&years)?);
    let grid = blocks(strikes.len(), 512);
    let mut out = machine.zeroed(strikes.len())?;
    let options = OptionsArgs { strikes: on_machine.view(), years: years_on_machine.view() };
    let args = prices::Args { out: out.view_mut(), options, spot: 100.0, rate: 0.05, volatility: 0.2 };
    prices::launch(machine, grid, args)?;
    let found = out.download()?;
    // An option has a positive value, at most the price of its share.
    assert!(found.iter().all(|price| (-1e-4..100.0).contains(price)));
    // At a strike price of 100 and one year the price is 10.4506. The times here differ, and the price increases with them.
    let near = found[5000];
    assert!((5.0..20.0).contains(&near), "{near}");
    Ok(Report::new(format!("{} options; one at 100 is worth {near}", found.len()), &found))
}
