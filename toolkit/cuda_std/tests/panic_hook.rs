//! The application's panic hook and kernels on CPU cores. (A process has one hook, so this test is alone in its process.)

use cuda_std::launch::LaunchError;
use cuda_std::prelude::*;
use std::panic::{catch_unwind, set_hook};
use std::sync::Mutex;

static SEEN: Mutex<Vec<String>> = Mutex::new(Vec::new());

fn seen() -> Vec<String> {
    std::mem::take(&mut SEEN.lock().unwrap())
}

#[kernel(threads = 32)]
fn fail(block: &mut Block, out: &mut Segment<u32>, bad: u32) {
    out.fill(block, 1, |i| if i == bad { panic!("in the kernel") } else { i });
}

fn run(bad: u32) -> Result<(), LaunchError> {
    let mut out = [0];
    let one = Offsets::new(vec![0, 1]).unwrap();
    fail::launch(&CpuExecutor::new(), 1, fail::Args { out: Segments { data: &mut out[..], offsets: &one }, bad })
}

fn message(result: Result<(), LaunchError>) -> Option<String> {
    match result {
        Err(LaunchError::Panic(panic)) => panic.message,
        other => panic!("{other:?}"),
    }
}

/// Launches and panics when its thread ends.
struct Late;

impl Drop for Late {
    fn drop(&mut self) {
        assert_eq!(run(1), Ok(()));
        catch_unwind(|| panic!("late")).unwrap_err();
        assert!(matches!(run(0), Err(LaunchError::Panic(_))));
        // Without its place, a kernel's panic is one of the application's to the hook.
        seen().iter().for_each(|panic| assert!(["late", "in the kernel"].contains(&panic.as_str())));
        SEEN.lock().unwrap().push("late".to_owned());
    }
}

thread_local! {
    static LATE: Late = const { Late };
}

#[test]
fn the_applications_hook_sees_its_own_panics_and_no_kernels() {
    set_hook(Box::new(|info| {
        SEEN.lock().unwrap().push(info.payload_as_str().unwrap_or("?").to_owned());
    }));
    assert_eq!(message(run(0)).as_deref(), Some("in the kernel"));
    assert_eq!(run(1), Ok(()));
    assert!(seen().is_empty());
    catch_unwind(|| panic!("elsewhere")).unwrap_err();
    assert_eq!(seen(), ["elsewhere"]);
    assert_eq!(message(run(0)).as_deref(), Some("in the kernel"));
    catch_unwind(|| panic!("after it")).unwrap_err();
    assert_eq!(seen(), ["after it"]);

    // At the end of a thread that has launched kernels, too.
    std::thread::spawn(|| {
        LATE.with(|_| {});
        assert_eq!(run(1), Ok(()));
    })
    .join()
    .unwrap();
    assert_eq!(seen(), ["late"]);

    // A hook that is set later replaces the one that records where a kernel panicked. Then the location is unknown, but
    // the panic is still the launch's error.
    set_hook(Box::new(|_| {}));
    let Err(LaunchError::Panic(panic)) = run(0) else { panic!("it must fail") };
    assert_eq!((panic.kernel.as_str(), panic.message.as_deref()), ("fail", Some("in the kernel")));
    assert_eq!((panic.line, panic.block, panic.thread), (0, [0; 3], [0; 3]));
    assert!(panic.to_string().contains("the panic hook was replaced"), "{panic}");
    assert_eq!(run(1), Ok(()));
}
