//! The program from a user's view. The workspace's own `new-kernel`, which has the same code, tests that a new crate builds
//! and passes its tests.

use std::fs;
use std::path::Path;
use std::process::{Command, Output};

fn cargo_kernel(folder: &Path, arguments: &[&str]) -> Output {
    // As cargo calls it.
    let mut command = Command::new(env!("CARGO_BIN_EXE_cargo-kernel"));
    command.current_dir(folder).arg("kernel").args(arguments).output().expect("the program starts")
}

fn told(output: &Output) -> String {
    String::from_utf8_lossy(&output.stdout).into_owned() + &String::from_utf8_lossy(&output.stderr)
}

#[test]
fn a_new_crate_takes_the_toolkit_from_a_folder_or_a_repository() {
    let folder = tempfile::tempdir().unwrap();
    let made = cargo_kernel(folder.path(), &["new", "waves"]);
    assert!(made.status.success(), "{}", told(&made));
    let manifest = fs::read_to_string(folder.path().join("waves/Cargo.toml")).unwrap();
    let toolkit = Path::new(env!("CARGO_MANIFEST_DIR")).join("..").canonicalize().unwrap();
    assert!(manifest.contains(&format!("cuda_std = {{ path = \"{}\" }}", toolkit.join("cuda_std").display())));
    assert!(manifest.contains("name = \"waves\""), "{manifest}");
    for file in ["build.rs", "clippy.toml", "src/lib.rs", "tests/saxpy.rs", "rust-toolchain.toml", ".gitignore"] {
        assert!(folder.path().join("waves").join(file).is_file(), "{file}");
    }
    let url = "https://example.org/toolkit.git";
    let made = cargo_kernel(folder.path(), &["new", "rivers", "--dir", "deep/rivers", "--git", url]);
    assert!(made.status.success(), "{}", told(&made));
    let manifest = fs::read_to_string(folder.path().join("deep/rivers/Cargo.toml")).unwrap();
    assert!(manifest.contains(&format!("cuda_host = {{ git = \"{url}\" }}")), "{manifest}");
}

#[test]
fn nothing_is_overwritten_and_no_toolkit_is_made_up() {
    let folder = tempfile::tempdir().unwrap();
    fs::create_dir(folder.path().join("waves")).unwrap();
    fs::write(folder.path().join("waves/mine"), "mine").unwrap();
    for (arguments, why) in [
        (&["new", "waves"][..], "is not empty"),
        (&["new", "My-Kernels"], "such as `my_kernels`"),
        (&["new", "ponds", "--toolkit", "nowhere"], "there is no toolkit at"),
        (&["bundle", "--out", "waves"], ""),
    ] {
        let output = cargo_kernel(folder.path(), arguments);
        assert!(!output.status.success() && told(&output).contains(why), "{arguments:?}: {}", told(&output));
    }
    assert_eq!(fs::read_to_string(folder.path().join("waves/mine")).unwrap(), "mine");
    assert!(!folder.path().join("ponds").exists());
}

#[test]
fn the_doctor_tells_what_is_there() {
    let output = cargo_kernel(Path::new(env!("CARGO_MANIFEST_DIR")), &["doctor", "."]);
    let told = told(&output);
    for name in ["device compiler", "ptxas", "CUDA driver"] {
        let line = told.lines().find(|line| line.get(6..).is_some_and(|line| line.starts_with(&format!("{name}: "))));
        let line = line.unwrap_or_else(|| panic!("`{name}` is missing in {told}"));
        assert!(["  ok  ", "  --  "].contains(&&line[..6]), "{line}");
    }
    assert!(told.contains("  ok  ptxas") || told.contains("cargo kernel ptxas --install"), "{told}");
    assert_eq!(told.contains("PTX can be built here."), output.status.success(), "{told}");
}

/// A program that fails with seed 3, does not end with seed 5, and otherwise launches two kernels, one of them twice.
#[cfg(unix)]
fn program_with_seeds(folder: &Path) -> String {
    let script = "#!/bin/sh
echo \"with $CUDA_SCHEDULE_SEED, $RUST_TEST_THREADS at a time, $1\"
printf 'sums %08x\\nsums 1%07x\\nscan 00000001\\n' $CUDA_SCHEDULE_SEED $CUDA_SCHEDULE_SEED >> \"$CUDA_SCHEDULE_REPORT\"
[ $CUDA_SCHEDULE_SEED = 3 ] && exit 7
[ $CUDA_SCHEDULE_SEED = 5 ] && sleep 60
exit 0
";
    let path = folder.join("program");
    fs::write(&path, script).unwrap();
    cargo_kernel::bundle::make_executable(&path).unwrap();
    path.to_str().unwrap().to_owned()
}

#[test]
#[cfg(unix)]
fn seeds_that_fail_or_hang_are_found_and_can_be_repeated() {
    let folder = tempfile::tempdir().unwrap();
    let program = program_with_seeds(folder.path());
    let fuzz = |more: &[&str]| {
        let output = cargo_kernel(folder.path(), &[&["fuzz", "--executable", &program][..], more].concat());
        (output.status.success(), told(&output))
    };
    let row = |text: &str, kernel: &str| {
        let line = text.lines().find(|line| line.starts_with(kernel)).unwrap_or_else(|| panic!("{text}"));
        line.split_whitespace().skip(1).map(|word| word.parse().unwrap()).collect::<Vec<u64>>()
    };

    let (passed, text) = fuzz(&["--from", "10", "--seeds", "4", "--", "some filter"]);
    assert!(
        passed && text.contains("4 of 4 runs of 1 executables with the seeds 10 to 13") && text.contains(" 0 failures"),
        "{text}"
    );
    assert_eq!((row(&text, "sums"), row(&text, "scan")), (vec![8, 8], vec![4, 1]));

    // One process at a time stops at the first failure.
    let (passed, text) = fuzz(&["--jobs", "1", "--", "some filter"]);
    assert!(!passed && text.contains("3 of 100 runs") && text.contains(" 1 failures"), "{text}");
    for part in [
        "FAILED with seed 3",
        "exit status: 7",
        "with 3, 1 at a time, some filter",
        "CUDA_SCHEDULE_SEED=3 CUDA_SCHEDULE_REPEAT=0 RUST_TEST_THREADS=1",
    ] {
        assert!(text.contains(part), "`{part}` is missing in {text}");
    }

    let (passed, text) = fuzz(&["--seeds", "6", "--limit", "1", "--keep-going"]);
    assert!(!passed && text.contains("6 of 6 runs") && text.contains(" 2 failures"), "{text}");
    assert!(text.contains("FAILED with seed 5") && text.contains("it did not end within 1 s"), "{text}");
    assert_eq!(row(&text, "sums"), [12, 12]);

    // No run begins after the time.
    let (passed, text) = fuzz(&["--time", "0"]);
    assert!(passed && text.contains("0 of 100 runs") && text.contains("no kernel was launched"), "{text}");
}

#[test]
fn fuzzing_nothing_is_an_error() {
    let folder = tempfile::tempdir().unwrap();
    let last = u64::MAX.to_string();
    for (arguments, why) in [
        (&["fuzz", "--executable", "nowhere"][..], "there is no executable nowhere"),
        (&["fuzz", "--seeds", "0"], "--seeds 0 tries nothing"),
        (&["fuzz", "--from", &last, "--seeds", "2"], "seeds end at"),
    ] {
        let output = cargo_kernel(folder.path(), arguments);
        assert!(!output.status.success() && told(&output).contains(why), "{arguments:?}: {}", told(&output));
    }
}
