//! The first launch of a process is in a destructor that a panic runs. (So this test is alone in its process.)

use cuda_std::launch::LaunchError;
use cuda_std::prelude::*;
use std::panic::catch_unwind;

#[kernel(threads = 32)]
fn fail(block: &mut Block, out: &mut Chunk<u32, 1>, bad: u32) {
    out.fill(block, 1, |i| if i == bad { panic!("in the kernel") } else { i });
}

fn run(bad: u32) -> Result<(), LaunchError> {
    fail::launch(&CpuExecutor::new(), 1, fail::Args { out: &mut [9][..], bad })
}

struct Launches;

impl Drop for Launches {
    fn drop(&mut self) {
        assert_eq!(run(1), Ok(()));
    }
}

#[test]
fn later_launches_are_like_others() {
    catch_unwind(|| {
        let _launches = Launches;
        panic!("elsewhere");
    })
    .unwrap_err();
    assert_eq!(run(1), Ok(()));
    let Err(LaunchError::Panic(panic)) = run(0) else { panic!("it must fail") };
    assert!(panic.file.ends_with("first_launch_while_panicking.rs") && panic.line > 0, "{panic}");
}
