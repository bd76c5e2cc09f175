//! Kernels whose blocks meet.

use cuda_std::prelude::*;

fn mixed(a: u32, b: u32) -> u32 {
    (a ^ b.rotate_left(13)).wrapping_mul(0x9e37_79b9).rotate_left(7) ^ b
}

/// In each round every element depends on other elements of the previous round and on the sum of all, and every thread adds 1 to
/// `meetings`. If `bad` is an element, its thread panics in round `when`.
#[kernel(threads = 96, requires(other.len() == x.len() && meetings.len() == 1))]
pub fn rounds(
    grid: &mut WholeGrid,
    x: &mut GridMemory<u32>,
    other: &mut GridMemory<u32>,
    meetings: &Atomics<u32>,
    rounds: u32,
    bad: u32,
    when: u32,
) {
    let n = x.len();
    for round in 0..rounds {
        other.fill(grid, n, |thread, i| {
            assert!(i != bad || round != when, "the bad element");
            mixed(x.get(thread, mixed(i, round) % n), i)
        });
        let sum = grid.reduce(n, 0, |thread, i| other.get(thread, i), u32::wrapping_add);
        x.update(grid, n, |thread, i, x| *x = mixed(*x ^ sum, other.get(thread, n - 1 - i)));
        // The order of the operations shows in a float's bits.
        let floats = grid.reduce(n, 0.0, |thread, i| x.get(thread, i) as f32 * 1e-9, |a, b| a + b);
        x.update(grid, n.min(1), |_, _, x| *x ^= floats.to_bits());
        grid.for_each(grid.blocks() * grid.threads_per_block(), |thread, _| {
            meetings.add(thread, 0, 1);
        });
    }
}

/// In each round every element depends on two sums of all in the order of a block, and on the sum of a third kind. Scratch memory is
/// used in turn, and again at once. `sums` holds the last ones.
#[kernel(threads = 256, requires(other.len() == x.len() && scratch.len() == 2 * x.len()))]
pub fn ordered(
    grid: &mut WholeGrid,
    x: &mut GridMemory<f32>,
    other: &mut GridMemory<f32>,
    scratch: &mut GridMemory<f32>,
    sums: &mut GridMemory<f32>,
    rounds: u32,
    bad: u32,
) {
    let n = x.len();
    let (mut one, mut two) = scratch.split_at(n);
    for round in 0..rounds {
        let here = x.view();
        let first = other.fill_reduce(
            grid,
            &mut one,
            n,
            0.0,
            |thread, i| {
                let x = here.get(thread, mixed(i, round) % n);
                (x * 0.75 + 0.1, x)
            },
            |a, b| a + b,
        );
        let there = other.view();
        let second = x.update_reduce(
            grid,
            &mut two,
            n,
            0.0,
            |thread, i, x| {
                assert!(i != bad || round == 0, "the bad element");
                *x = there.get(thread, n - 1 - i) / first;
                *x * *x
            },
            |a, b| a + b,
        );
        let third =
            grid.reduce_in_order(&mut two, n, 0.0, |thread, i| x.get(thread, i) + there.get(thread, i), |a, b| a + b);
        x.update(grid, n, |_, _, x| *x = *x * third + second);
        // The scratch memory that blocks may still read.
        two.fill(grid, n, |_, i| i as f32);
        let values = [first, second, third];
        sums.fill(grid, 3, |_, i| values.at(i));
    }
}
