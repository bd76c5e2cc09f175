//! Layer normalisation of each row, a block a row (llm.c `layernorm_forward`).

#[cfg(not(target_arch = "nvptx64"))]
use crate::host::*;
use cuda_std::prelude::*;

/// (x - mean) / sqrt(variance + epsilon) * weight + bias.
#[kernel(
    threads = 256,
    requires(x.len() == out.len(), bias.len() == weight.len(), stats.len() == grid.x as usize,
        out.end() == out.len(), out.len() == grid.x as usize * weight.len())
)]
fn layernorm(
    block: &mut Block,
    out: &mut Segment<f32, WriteOnly>,
    stats: &mut Chunk<[f32; 2], 1, WriteOnly>,
    x: &[f32],
    weight: &[f32],
    bias: &[f32],
    epsilon: f32,
) {
    let (n, first) = (out.len(), out.start());
    let x = View::of(x).part(first, n);
    let mean = block.reduce_ahead(n, 0.0, |i| x.get(i), |a, b| a + b) / n as f32;
    let variance = block.reduce_ahead(n, 0.0, |i| (x.get(i) - mean) * (x.get(i) - mean), |a, b| a + b) / n as f32;
    let scale = math::rsqrt(variance + epsilon);
    out.fill(block, n, |i| math::fma((x.get(i) - mean) * scale, weight.at(i), bias.at(i)));
    stats.fill(block, 1, |_| [mean, scale]);
}

#[cfg(not(target_arch = "nvptx64"))]
pub fn run(machine: &Machine) -> Answer {
    let (rows, columns) = (5u32, 768u32);
    let (x, weight, bias) = (floats(rows * columns), floats(columns), floats(2 * columns)[columns as usize..].to_vec());
    let (x_there, weight_there, bias_there) = (machine.buffer(&x)?, machine.buffer(&weight)?, machine.buffer(&bias)?);
    let (mut out, mut stats) = (machine.zeroed(x.len())?, machine.zeroed(rows as usize)?);
    let offsets = Offsets::new((0..=rows).map(|row| row * columns).collect()).expect("offsets that rise");
    let at = machine.offsets(&offsets)?;
    let args = layernorm::Args {
        out: Segments { data: out.view_mut(), offsets: &at },
        stats: stats.view_mut(),
        x: x_there.view(),
        weight: weight_there.view(),
        bias: bias_there.view(),
        epsilon: 1e-5,
    };
    layernorm::launch(machine, rows, args)?;
    let found = out.download()?;
    let exact = |i: usize| {
        let column = i % columns as usize;
        let row = &x[i - column..][..columns as usize];
        let mean = row.iter().map(|x| f64::from(*x)).sum::<f64>() / f64::from(columns);
        let variance = row.iter().map(|x| (f64::from(*x) - mean).powi(2)).sum::<f64>() / f64::from(columns);
        let scaled = (f64::from(x[i]) - mean) / (variance + 1e-5).sqrt();
        scaled * f64::from(weight[column]) + f64::from(bias[column])
    };
    assert_near(&found, exact, 1e-4);
    Ok(Report::new(format!("{rows} rows of {columns}"), &found))
}
