//! A kernel's panic on CPU cores is the error of its own launch, and of no other.

use crate::{message, panic_of};
use cuda_std::launch::LaunchError;
use cuda_std::prelude::*;
use std::sync::atomic::{AtomicUsize, Ordering};

/// The line of this constant. Lines of failures are relative to it.
const HERE: u32 = line!();
#[kernel(threads = 64)]
fn fail(block: &mut Block, out: &mut Segment<u32>, input: &[u32], what: u32, at: u32) {
    match what {
        0 => out.fill(block, 100, |i| if i == at { panic!("element is wrong") } else { i }),
        1 => out.fill(block, 100, |i| input.at(i)),
        2 => out.fill(block, 100, |i| input[i as usize]),
        3 => out.fill(block, 100, |i| u32::MAX - at + i),
        4 => _ = out.get(at),
        5 => panic!("formatted: {at}"),
        6 => out.fill(block, 100, |i| 1 / (i ^ at)),
        7 => _ = block.reduce(100, 0, |i| if i == at { panic!("reducing") } else { i }, |a, b| a + b),
        8 => _ = block.per_thread(|t| assert_ne!(t.index(), at, "in thread {at}")),
        9 => out.fill(block, 200, |i| i),
        10 => out.fill_by_team::<8>(block, 16, |_, i| if i == at { panic!("by a team") } else { i }),
        _ => out.fill(block, 100, |i| i),
    }
}

fn run(blocks: u32, what: u32, at: u32) -> Result<Vec<u32>, LaunchError> {
    let mut out = vec![7; 100 * blocks as usize];
    let offsets = Offsets::new((0..=blocks).map(|i| 100 * i).collect()).unwrap();
    let input = vec![1; 90];
    fail::launch(
        &CpuExecutor::new(),
        blocks,
        fail::Args { out: Segments { data: &mut out, offsets: &offsets }, input: &input, what, at },
    )?;
    Ok(out)
}

#[test]
fn the_error_says_where_and_why() {
    for (what, at, thread, message) in [
        (0, 70, 6, "element is wrong"),
        (1, 0, 26, "index out of bounds"),
        (2, 0, 26, "index out of bounds: the len is 90 but the index is 90"),
        (3, 37, 38, "attempt to add with overflow"),
        (4, 100, 0, "index out of bounds"),
        (5, 41, 0, "formatted: 41"),
        (6, 99, 35, "attempt to divide by zero"),
        (7, 66, 2, "reducing"),
        (8, 40, 40, "assertion `left != right` failed: in thread 40\n  left: 40\n right: 40"),
        (9, 0, 0, "index out of bounds"),
        (10, 11, 24, "by a team"),
    ] {
        let panic = panic_of(run(1, what, at));
        assert_eq!(panic.message.as_deref(), Some(message), "{what}");
        assert_eq!((panic.kernel.as_str(), panic.block), ("fail", [0; 3]), "{what}");
        assert_eq!(panic.thread, [thread, 0, 0], "{what}");
        assert!(panic.file.ends_with("tests/model/panics.rs"), "{what}: {}", panic.file);
        assert_eq!(panic.line, HERE + 4 + what, "{what}");
        assert!(panic.column >= 14, "{what}: column {}", panic.column);
    }
    let text = panic_of(run(1, 0, 3)).to_string();
    let line = HERE + 4;
    let place = format!("tests/model/panics.rs:{line}:");
    assert!(text.starts_with("kernel `fail` panicked at ") && text.contains(&place), "{text}");
    assert!(text.ends_with(" in block [0, 0, 0], thread [3, 0, 0]: element is wrong"), "{text}");
}

#[test]
fn one_of_many_panics_is_reported_and_the_next_launch_works() {
    for _ in 0..20 {
        let panic = panic_of(run(50, 0, 5));
        assert!(panic.block[0] < 50 && panic.block[1..] == [0, 0]);
        assert_eq!(panic.thread, [5, 0, 0]);
        let expected: Vec<u32> = (0..50).flat_map(|_| 0..100).collect();
        assert_eq!(run(50, 99, 0).unwrap(), expected);
    }
}

#[kernel(threads = 32)]
fn one_block(block: &mut Block, out: &mut Segment<u32>, bad: u32) {
    let index = block.index();
    out.fill(block, 1, |_| if index == bad { panic!("this one") } else { 1 });
}

#[test]
fn the_block_is_the_one_that_panicked() {
    let offsets = Offsets::new((0..=100).collect()).unwrap();
    for bad in [0, 1, 42, 99] {
        let mut out = [0; 100];
        let args = one_block::Args { out: Segments { data: &mut out[..], offsets: &offsets }, bad };
        assert_eq!(panic_of(one_block::launch(&CpuExecutor::new(), 100, args)).block, [bad, 0, 0]);
    }
}

/// Rayon's workers run blocks and other tasks in turn.
#[test]
fn panics_of_other_tasks_stay_their_own() {
    let (others, kernels) = (AtomicUsize::new(0), AtomicUsize::new(0));
    rayon::scope(|scope| {
        for i in 0..40 {
            let (others, kernels) = (&others, &kernels);
            scope.spawn(move |_| {
                if i % 2 == 0 {
                    let payload = std::panic::catch_unwind(|| panic!("task {i}")).unwrap_err();
                    assert_eq!(payload.downcast_ref::<String>(), Some(&format!("task {i}")));
                    others.fetch_add(1, Ordering::Relaxed);
                } else {
                    assert_eq!(message(run(8, 0, 5)), "element is wrong");
                    kernels.fetch_add(1, Ordering::Relaxed);
                }
            });
        }
    });
    assert_eq!((others.into_inner(), kernels.into_inner()), (20, 20));
}

#[test]
fn launches_at_the_same_time_have_their_own_errors() {
    std::thread::scope(|scope| {
        for (what, message) in [(0, Some("element is wrong")), (1, Some("index out of bounds")), (99, None)] {
            scope.spawn(move || {
                for _ in 0..50 {
                    match run(20, what, 70) {
                        Err(LaunchError::Panic(panic)) => {
                            assert_eq!((panic.message.as_deref(), panic.line), (message, HERE + 4 + what));
                        }
                        result => assert!(result.is_ok() && message.is_none(), "{what}: {result:?}"),
                    }
                }
            });
        }
    });
}
