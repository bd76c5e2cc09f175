//! Layer normalisation of each row, one block per row (llm.c `layernorm_forward`).

use crate::FourFloats;
#[cfg(not(target_arch = "nvptx64"))]
use crate::host::*;
use cuda_std::prelude::*;

/// What a model has learned, one element per column.
#[derive(Arguments)]
pub struct Learned<'a> {
    weight: &'a [f32],
    bias: &'a [f32],
}

/// (x - mean) / sqrt(variance + epsilon) * weight + bias for each row. The number of columns is a multiple of 4, at most 4096 (16
/// per thread).
#[kernel(
    threads = 256,
    requires(
        !learned.weight.is_empty() && learned.weight.len().is_multiple_of(4) && learned.weight.len() <= 4096,
        learned.bias.len() == learned.weight.len() && stats.len() == grid.x as usize,
        x.len() == 4 * out.len() && x.len() == grid.x as usize * learned.weight.len(),
    )
)]
pub fn layernorm(
    block: &mut Block,
    out: &Scatter<FourFloats>,
    stats: &mut Chunk<[f32; 2], 1, WriteOnly>,
    x: &[f32],
    learned: Learned<'_>,
    epsilon: f32,
) {
    let [x, weight, bias] = [x, learned.weight, learned.bias].map(Vectors::<_, 4>::of);
    let (n, first) = (weight.len(), block.index() * weight.len());
    let (sum, add) = (|x: [f32; 4]| x[0] + x[1] + (x[2] + x[3]), |a: f32, b: f32| a + b);
    let mut own = block.striped::<_, 4>(n, [0.0; 4], |i| x.get(first + i));
    let mean = block.reduce_threads(&own, 0.0, |_, own| sum(own.map(sum)), add) / (4 * n) as f32;
    block.each_striped(&mut own, n, |_, _, own| *own = own.map(|x| x - mean));
    let squares = block.reduce_threads(&own, 0.0, |_, own| sum(own.map(|x| sum(x.map(|x| x * x)))), add);
    let scale = math::rsqrt(squares / (4 * n) as f32 + epsilon);
    block.each_striped(&mut own, n, |thread, i, own| {
        let (w, b) = (weight.get(i), bias.get(i));
        out.put(thread, first + i, FourFloats { all: [0, 1, 2, 3].map(|k| math::fma(own[k] * scale, w[k], b[k])) });
    });
    stats.fill(block, 1, |_| [mean, scale]);
}

#[cfg(not(target_arch = "nvptx64"))]
pub fn run(machine: &Machine) -> Answer {
    let (rows, columns) = (5u32, 768u32);
    let (x, weight, bias) = (floats(rows * columns), floats(columns), floats(2 * columns)[columns as usize..].to_vec());
    let (x_there, weight_there, bias_there) = (machine.buffer(&x)?, machine.buffer(&weight)?, machine.buffer(&bias)?);
    let (mut out, mut stats) = (machine.zeroed::<FourFloats>(x.len() / 4)?, machine.zeroed(rows as usize)?);
    let args = layernorm::Args {
        out: out.view_mut(),
        stats: stats.view_mut(),
        x: x_there.view(),
        learned: LearnedArgs { weight: weight_there.view(), bias: bias_there.view() },
        epsilon: 1e-5,
    };
    layernorm::launch(machine, rows, args)?;
    let found: Vec<f32> = bytemuck::cast_slice(&out.download()?).to_vec();
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
