//! The kernel model on CPU cores: what each operation does, and what ends in an error.

mod atomics;
mod called_directly;
mod double_buffer;
mod generic;
mod grids;
mod half;
mod launch;
mod lists;
mod matrix;
mod memory;
mod outputs;
mod panics;
mod parts;
mod products;
mod reductions;
mod scans;
mod scatter;
mod signatures;
mod sound;
mod steps;
mod tables;
mod warp_lists;
mod warps;
