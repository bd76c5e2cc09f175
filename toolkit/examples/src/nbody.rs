//! Gravity between all pairs, by tiles (Nyland et al., GPU Gems 3; CUDA Samples `nbody`).

#[cfg(not(target_arch = "nvptx64"))]
use crate::host::*;
use bytemuck::{Pod, Zeroable};
use cuda_layout::DeviceLayout;
use cuda_std::prelude::*;

/// A position and a mass: a `float4` in CUDA C++.
#[derive(Clone, Copy, Debug, PartialEq, DeviceLayout, Zeroable, Pod)]
#[repr(C, align(16))]
pub struct Body {
    /// Position.
    pub at: [f32; 3],
    /// Mass.
    pub mass: f32,
}

/// Bodies per block, and per tile.
pub const TILE: usize = 256;

/// The acceleration of each body; `softening` is the square of a length.
#[kernel(threads = 256, requires(bodies.len() == out.len(), softening > 0.0))]
pub fn accelerations(
    block: &mut Block,
    out: &mut Chunk<[f32; 3], TILE, WriteOnly>,
    bodies: &[Body],
    softening: f32,
    tiles: &mut Shared<Body, { 2 * TILE }>,
) {
    let (first, all) = (out.start(), bodies.len() as u32);
    let own = block.per_thread(|thread| bodies.at((first + thread.index()).min(all - 1)).at);
    let mut sums = block.per_thread(|_| [0.0f32; 3]);
    let mut tiles = tiles.halves(block);
    for begin in (0..all).step_by(TILE) {
        let m = (all - begin).min(TILE as u32);
        let tile = tiles.fill(block, m, |i| bodies.at(begin + i));
        let tile = block.meet(tile);
        block.each_with(&mut sums, &own, |_, sum, at| {
            let mut add = |other: Body| {
                let d = [other.at[0] - at[0], other.at[1] - at[1], other.at[2] - at[2]];
                let r2 = math::fma(d[0], d[0], math::fma(d[1], d[1], math::fma(d[2], d[2], softening)));
                let inverse = 1.0 / math::sqrt(r2);
                let s = other.mass * (inverse * inverse * inverse);
                for k in 0..3 {
                    sum[k] = math::fma(d[k], s, sum[k]);
                }
            };
            // Four bodies at a time, then what is left over.
            for i in 0..m / 4 {
                let four = tile.part(4 * i, 4);
                add(four.get(0));
                add(four.get(1));
                add(four.get(2));
                add(four.get(3));
            }
            for i in m / 4 * 4..m {
                add(tile.get(i));
            }
        });
    }
    // One NaN for all backends: on CPU cores operations may give others.
    out.write(block, 0, &sums, |_, sum| sum.map(math::canonical));
}

#[cfg(not(target_arch = "nvptx64"))]
pub fn run(machine: &Machine) -> Answer {
    let numbers = floats(4 * 700);
    let all: Vec<Body> = numbers.chunks(4).map(|x| Body { at: [x[0], x[1], x[2]], mass: x[3] + 2.0 }).collect();
    let (bodies, mut out) = (machine.buffer(&all)?, machine.zeroed(all.len())?);
    let args = accelerations::Args { out: out.view_mut(), bodies: bodies.view(), softening: 0.01 };
    accelerations::launch(machine, blocks(all.len(), TILE), args)?;
    let found = out.download()?;
    let exact = |i: usize| -> f64 {
        let (body, k) = (&all[i / 3], i % 3);
        let pull = |other: &Body| {
            let d = [0, 1, 2].map(|k| f64::from(other.at[k]) - f64::from(body.at[k]));
            let r2 = d.iter().map(|d| d * d).sum::<f64>() + f64::from(0.01f32);
            f64::from(other.mass) * d[k] / (r2 * r2.sqrt())
        };
        all.iter().map(pull).sum()
    };
    assert_near(found.as_flattened(), exact, 1e-3);
    Ok(Report::new(format!("{} bodies", found.len()), &found))
}
