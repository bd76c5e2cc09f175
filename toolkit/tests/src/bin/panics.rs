//! Kernels that panic on CPU cores, as a program: each panic becomes the error of its launch, and the program continues.
//!
//! Tests are always compiled with unwinding panics, whatever their profile says; programs are not. So this is a program:
//! `cargo run --release --bin panics` fails if a release build does not do what the documentation says.

use cuda_std::launch::LaunchError;
use cuda_std::panic::KernelPanic;
use cuda_std::prelude::*;
use std::error::Error;
use std::sync::atomic::{AtomicU32, Ordering};

/// The line of this constant; other lines are relative to it.
const HERE: u32 = line!();
#[kernel(threads = 64)]
fn fail(block: &mut Block, out: &mut Chunk<u32, 64>, input: &[u32], bad_block: u32, bad_thread: u32, what: u32) {
    let (first, index) = (out.start(), block.index());
    let fails = move |thread| (index == bad_block || bad_block == ALL) && (thread == bad_thread || bad_thread == ALL);
    out.fill(block, 64, |i| match what {
        0 if fails(i) => panic!("told to fail"),
        1 if fails(i) => input.at(first + i + BLOCKS * 64),
        2 if fails(i) => input.at(first + i) + u32::MAX,
        _ => input.at(first + i),
    });
}

const BLOCKS: u32 = 100;
/// All blocks, or all threads.
const ALL: u32 = u32::MAX;
/// No block.
const NONE: u32 = u32::MAX - 1;

fn launch(bad_block: u32, bad_thread: u32, what: u32) -> Result<Vec<u32>, LaunchError> {
    let input: Vec<u32> = (1..=BLOCKS * 64).collect();
    let mut out = vec![0; input.len()];
    let args = fail::Args { out: &mut out[..], input: &input[..], bad_block, bad_thread, what };
    fail::launch(&CpuExecutor::new(), BLOCKS, args)?;
    Ok(out)
}

fn panic_of(bad_block: u32, bad_thread: u32, what: u32) -> Result<KernelPanic, String> {
    match launch(bad_block, bad_thread, what) {
        Err(LaunchError::Panic(panic)) => Ok(panic),
        other => Err(format!("expected a panic, and got {other:?}")),
    }
}

/// Number of calls of the application's own panic hook; kernels must not call it.
static HOOK_CALLS: AtomicU32 = AtomicU32::new(0);

fn ensure(holds: bool, otherwise: impl FnOnce() -> String) -> Result<(), String> {
    if holds { Ok(()) } else { Err(otherwise()) }
}

fn main() -> Result<(), Box<dyn Error>> {
    std::panic::set_hook(Box::new(|_| _ = HOOK_CALLS.fetch_add(1, Ordering::Relaxed)));
    for (what, message) in [(0, "told to fail"), (1, "index out of bounds"), (2, "attempt to add with overflow")] {
        let line = HERE + 6 + what;
        // One thread panics, and the error names it.
        let panic = panic_of(7, 41, what)?;
        println!("{panic}");
        let found = (panic.kernel.as_str(), panic.line, panic.block, panic.thread);
        ensure(found == ("fail", line, [7, 0, 0], [41, 0, 0]), || format!("wrong location: {panic:?}"))?;
        ensure(panic.file.ends_with("panics.rs") && panic.column > 20, || {
            format!("the source file does not exist: {panic:?}")
        })?;
        ensure(panic.message.as_deref() == Some(message), || format!("wrong message: {panic:?}"))?;
        // All threads of all blocks panic, on all cores: this is still one error of one thread.
        let panic = panic_of(ALL, ALL, what)?;
        let found = (panic.line, panic.block[0] < BLOCKS, panic.thread);
        ensure(found == (line, true, [0; 3]), || format!("this thread cannot have been first: {panic:?}"))?;
        // The next launch works.
        let out = launch(NONE, ALL, what)?;
        ensure(out == (1..=BLOCKS * 64).collect::<Vec<_>>(), || "the next launch has other results".to_owned())?;
    }
    let calls = HOOK_CALLS.load(Ordering::Relaxed);
    ensure(calls == 0, || format!("the program's panic hook was called {calls} times, for a kernel's panic"))?;
    println!("each panic was one error, and the program went on");
    Ok(())
}
