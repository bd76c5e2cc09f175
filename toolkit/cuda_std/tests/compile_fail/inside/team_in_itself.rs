//! A team cannot reduce inside its own reduction, where its threads are in different iterations.
#![deny(unsafe_code)]
use cuda_std::prelude::*;

#[kernel(threads = 32)]
fn kernel(block: &mut Block, out: &mut Chunk<f32, 4>, x: &[f32], m: u32) {
    out.fill_by_team::<8>(block, 4, |team, _| {
        let inner = |k| team.reduce(m, 0.0, |sum, j| sum + x.at(j) * x.at(k), |a, b| a + b);
        team.reduce(m, 0.0, |sum, k| sum + inner(k), |a, b| a + b)
    });
}

#[kernel(threads = 32)]
fn at_once(block: &mut Block, out: &mut Chunk<f32, 4>, x: &[f32], m: u32) {
    out.fill_by_team::<8>(block, 4, |team, _| {
        team.reduce(
            m,
            0.0,
            |sum, j| sum + x.at(j) * team.reduce(m, 0.0, |sum, k| sum + x.at(k), |a, b| a + b),
            |a, b| a + b,
        )
    });
}

fn main() {}
