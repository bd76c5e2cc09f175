//! The kernel model where there is no device: what a launch refuses, contracts, panics, and shuffled orders. What kernels compute, on
//! CPU cores and on a GPU, is in the test `model` of `toolkit-tests`.

mod atomics;
mod attacks;
mod called_directly;
mod checks;
mod generic;
mod grids;
mod groups;
mod half;
mod launch;
mod lengths;
mod lists;
mod matrix;
mod memory;
mod outputs;
mod panics;
mod scatter;
mod signatures;
mod sound;
mod warps;
mod whole_grids;

use cuda_std::launch::LaunchError;
use cuda_std::panic::KernelPanic;
use std::fmt::Debug;

/// The panic that ended a launch.
#[track_caller]
fn panic_of<T: Debug>(launched: Result<T, LaunchError>) -> KernelPanic {
    match launched {
        Err(LaunchError::Panic(panic)) => panic,
        other => panic!("no panic: {other:?}"),
    }
}

/// Its message.
#[track_caller]
fn message<T: Debug>(launched: Result<T, LaunchError>) -> String {
    panic_of(launched).message.unwrap_or_default()
}
