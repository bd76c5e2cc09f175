//! A team stays in the closure that all of its threads run.
#![deny(unsafe_code)]
use cuda_std::prelude::*;

#[kernel(threads = 32)]
fn kernel(block: &mut Block, out: &mut Chunk<u32, 4>, m: u32) {
    out.update_by_team(
        block,
        4,
        |team: &mut Team<8>, _| team,
        |team, item| *item = team.reduce(m, 0, |sum, k| sum + k, |a, b| a + b),
    );
}

#[kernel(threads = 32)]
fn by_value(block: &mut Block, out: &mut Chunk<u32, 4>, m: u32) {
    out.update_by_team(
        block,
        4,
        |team: &mut Team<8>, _| *team,
        |mut team, item| *item = team.reduce(m, 0, |sum, k| sum + k, |a, b| a + b),
    );
}

fn main() {}
