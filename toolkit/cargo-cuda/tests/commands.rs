//! The program from a user's view. The workspace's own `new-kernel`, which has the same code, tests that a new crate builds
//! and passes its tests.

use std::fs;
use std::path::Path;
use std::process::{Command, Output};

fn cargo_cuda(folder: &Path, arguments: &[&str]) -> Output {
    // As cargo calls it.
    let mut command = Command::new(env!("CARGO_BIN_EXE_cargo-cuda"));
    command.current_dir(folder).arg("cuda").args(arguments).output().expect("the program starts")
}

fn told(output: &Output) -> String {
    String::from_utf8_lossy(&output.stdout).into_owned() + &String::from_utf8_lossy(&output.stderr)
}

#[test]
fn a_new_crate_takes_the_toolkit_from_a_folder_or_a_repository() {
    let folder = tempfile::tempdir().unwrap();
    let made = cargo_cuda(folder.path(), &["new", "waves"]);
    assert!(made.status.success(), "{}", told(&made));
    let manifest = fs::read_to_string(folder.path().join("waves/Cargo.toml")).unwrap();
    let toolkit = Path::new(env!("CARGO_MANIFEST_DIR")).join("..").canonicalize().unwrap();
    assert!(manifest.contains(&format!("cuda_std = {{ path = \"{}\" }}", toolkit.join("cuda_std").display())));
    assert!(manifest.contains("name = \"waves\""), "{manifest}");
    for file in ["build.rs", "clippy.toml", "src/lib.rs", "tests/saxpy.rs", "rust-toolchain.toml", ".gitignore"] {
        assert!(folder.path().join("waves").join(file).is_file(), "{file}");
    }
    let url = "https://example.org/toolkit.git";
    let made = cargo_cuda(folder.path(), &["new", "rivers", "--dir", "deep/rivers", "--git", url]);
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
        let output = cargo_cuda(folder.path(), arguments);
        assert!(!output.status.success() && told(&output).contains(why), "{arguments:?}: {}", told(&output));
    }
    assert_eq!(fs::read_to_string(folder.path().join("waves/mine")).unwrap(), "mine");
    assert!(!folder.path().join("ponds").exists());
}

#[test]
fn the_doctor_tells_what_is_there() {
    let output = cargo_cuda(Path::new(env!("CARGO_MANIFEST_DIR")), &["doctor", "."]);
    let told = told(&output);
    for name in ["device compiler", "ptxas", "CUDA driver"] {
        let line = told.lines().find(|line| line.get(6..).is_some_and(|line| line.starts_with(&format!("{name}: "))));
        let line = line.unwrap_or_else(|| panic!("`{name}` is missing in {told}"));
        assert!(["  ok  ", "  --  "].contains(&&line[..6]), "{line}");
    }
    assert!(told.contains("  ok  ptxas") || told.contains("cargo cuda ptxas --install"), "{told}");
    assert_eq!(told.contains("PTX can be built here."), output.status.success(), "{told}");
}
