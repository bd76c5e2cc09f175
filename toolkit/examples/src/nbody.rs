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

// ANCHOR: all_pairs
/// The acceleration of each body; `softening` is the square of a length.
#[kernel(threads = 256, requires(bodies.len() == out.len(), softening > 0.0))]
pub fn accelerations(
    block: &mut Block,
    out: &mut Chunk<[f32; 3], TILE, WriteOnly>,
    bodies: &[Body],
    softening: f32,
    tiles: &mut Shared<Body, { 2 * TILE }>,
) {
    let (first, bodies) = (out.start(), View::of(bodies));
    let mut own = block.per_thread(|thread| (bodies.clamped().get(first + thread.index()).at, [0.0f32; 3]));
    block.each_of_all(&mut own, bodies, tiles, |_, (at, sum), other| {
        let d = [other.at[0] - at[0], other.at[1] - at[1], other.at[2] - at[2]];
        let r2 = math::fma(d[0], d[0], math::fma(d[1], d[1], math::fma(d[2], d[2], softening)));
        let inverse = 1.0 / math::sqrt(r2);
        let s = other.mass * (inverse * inverse * inverse);
        *sum = [0, 1, 2].map(|k| math::fma(d[k], s, sum[k]));
    });
    // One NaN for all backends: on CPU cores operations may give others.
    out.write(block, 0, &own, |_, (_, sum)| sum.map(math::canonical));
}
// ANCHOR_END: all_pairs

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
