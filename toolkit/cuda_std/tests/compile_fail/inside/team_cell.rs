//! A cell would tell the team's threads apart.
#![deny(unsafe_code)]
use cuda_std::prelude::*;
use std::cell::Cell;

#[kernel(threads = 64)]
fn step(block: &mut Block, out: &mut Chunk<u32, 64, WriteOnly>) {
    let n = out.len();
    out.fill_by_team::<32>(block, n, |team, _| {
        let leak = Cell::new(0);
        let sum = team.reduce(32, 0, |sum, k| { leak.set(k); sum + k }, |a, b| a + b);
        if leak.get() < 16 { team.reduce(32, 0, |sum, k| sum + k * k, |a, b| a + b) } else { sum }
    });
}

#[kernel(threads = 64)]
fn combine(block: &mut Block, out: &mut Chunk<u32, 64, WriteOnly>) {
    let n = out.len();
    out.fill_by_team::<32>(block, n, |team, _| {
        let leak = Cell::new(0);
        team.reduce(32, 0, |sum, k| sum + k, |a, b| { leak.set(a); a + b })
    });
}

#[kernel(threads = 64)]
fn collect(block: &mut Block, words: &mut Segment<u32>) {
    words.collect::<8, _>(block, 4, 10, |i| {
        let last = Cell::new(i);
        move |j| last.replace(j) % 2 == 0
    });
}

fn main() {}
