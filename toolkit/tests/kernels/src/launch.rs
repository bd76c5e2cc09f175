//! Basics of launches: arguments, segments, shared memory, order and panics.

use bytemuck::{Pod, Zeroable};
use core::hint::black_box;
use cuda_layout::DeviceLayout;
use cuda_std::prelude::*;

/// An argument that must be aligned.
#[derive(Clone, Copy, Debug, DeviceLayout, Zeroable, Pod)]
#[repr(C, align(16))]
pub struct Wide {
    /// Four words.
    pub words: [u32; 4],
}

/// An argument of six bytes.
#[derive(Clone, Copy, Debug, DeviceLayout, Zeroable, Pod)]
#[repr(C)]
pub struct Triple {
    /// First.
    pub a: u16,
    /// Second.
    pub b: u16,
    /// Third.
    pub c: u16,
}

/// An argument of eight bytes that fits into a register.
#[derive(Clone, Copy, Debug, DeviceLayout, Zeroable, Pod)]
#[repr(C)]
pub struct Pair {
    /// First.
    pub x: f32,
    /// Second.
    pub n: u32,
}

/// Arguments of [`fn@echo`] in a group.
#[derive(Arguments)]
pub struct Others<'a> {
    /// Three bytes.
    pub triple: Triple,
    /// A value of 8 bytes.
    pub long: u64,
    /// A value of 2 bytes.
    pub short: i16,
    /// A buffer.
    pub empty: &'a [u64],
    /// Two fields of different types.
    pub pair: Pair,
}

/// Writes its arguments into the first words of each segment: 4 of `wide`, 3 of `triple`, 2 of `pair`, `byte`,
/// the two halves of `long`, `short`, the length of `list`, the sum of `list`, the length of `empty`.
#[kernel(threads = 32)]
pub fn echo(block: &mut Block, out: &mut Segment<u32>, byte: u8, wide: Wide, list: &[u16], others: Others<'_>) {
    let (Others { triple, long, short, empty, pair }, n) = (others, out.len());
    out.fill(block, n, |i| match i {
        0..4 => wide.words[i as usize],
        4 => u32::from(triple.a),
        5 => u32::from(triple.b),
        6 => u32::from(triple.c),
        7 => pair.x.to_bits(),
        8 => pair.n,
        9 => u32::from(byte),
        10 => long as u32,
        11 => (long >> 32) as u32,
        12 => i32::from(short) as u32,
        13 => list.len() as u32,
        14 => list.iter().map(|word| u32::from(*word)).sum(),
        15 => empty.len() as u32,
        _ => 0,
    });
}

/// `out = sqrt(input * scale + index)` for the corresponding elements of `input`.
#[kernel(threads = 128)]
pub fn roots(block: &mut Block, out: &mut Segment<f32>, input: &[f32], scale: f32) {
    let (n, first) = (out.len(), out.start());
    out.fill(block, n, |i| math::sqrt(math::fma(input.at(first + i), scale, i as f32)));
}

/// The segment's part of `input` in reverse order, through shared memory. A segment has at most 256 elements.
#[kernel(threads = 64)]
pub fn turn(block: &mut Block, out: &mut Segment<u32>, input: &[u32], tile: &mut Shared<u32, 256>) {
    let (n, first) = (out.len(), out.start());
    let tile = tile.fill(block, n, |i| input.at(first + i));
    out.fill(block, n, |i| tile.get(n - 1 - i));
}

/// Steps a random number generator `rounds` times from each element of `input`: arbitrarily slow.
#[kernel(threads = 64)]
pub fn spin(block: &mut Block, out: &mut Segment<u32>, input: &[u32], rounds: u32) {
    let (n, first) = (out.len(), out.start());
    out.fill(block, n, |i| {
        let mut state = input.at(first + i);
        for _ in 0..rounds {
            // Hidden from the compiler, which would combine many steps into one.
            state = black_box(state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223));
        }
        state
    });
}

/// Copies `input`, but in block `block_to_fail` element 5 panics: with an out-of-bounds index if `index` is one, with a
/// message if `index` is `u32::MAX`.
#[kernel(threads = 64)]
pub fn fail(block: &mut Block, out: &mut Segment<u32>, input: &[u32], block_to_fail: u32, index: u32) {
    let (n, first, fails) = (out.len(), out.start(), block.index() == block_to_fail);
    out.fill(block, n, |i| {
        if fails && i == 5 {
            if index == u32::MAX {
                panic!("told to fail");
            }
            return input.at(index);
        }
        input.at(first + i)
    });
}
