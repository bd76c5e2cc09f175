//! Phases take a group's fields as they take parameters.
#![allow(unused_variables)]

use cuda_std::prelude::*;

#[derive(Arguments)]
struct Work<'a> {
    out: &'a mut Chunk<'a, f32, 32>,
    sums: &'a mut Chunk<'a, f32, 32, WriteOnly>,
    n: u32,
}

#[kernel(threads = 32)]
fn read_while_written(block: &mut Block, work: Work<'_>) {
    let view = work.out.view(32);
    work.out.fill(block, 32, |i| view.get(31 - i));
}

#[kernel(threads = 32)]
fn write_only_is_read(block: &mut Block, work: Work<'_>) {
    let view = work.sums.view(32);
}

#[kernel(threads = 32)]
fn whole_group_in_a_phase(block: &mut Block, work: Work<'_>) {
    work.out.fill(block, 32, |i| {
        let all = &work;
        all.n as f32
    });
}

#[kernel(threads = 32)]
fn a_phase_changes_a_field(block: &mut Block, mut work: Work<'_>) {
    work.out.fill(block, 32, |i| {
        work.n += 1;
        0.0
    });
}

fn main() {}
