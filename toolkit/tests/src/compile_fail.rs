//! Programs that must not compile, with the compiler's messages. Test programs include this file by its path.
//!
//! The messages of the pinned compiler must equal the `.stderr` files, word for word. It quotes lines of the standard library only
//! if its sources are installed, and later compilers use other words. In those cases only the kinds of errors are compared: their
//! codes, and the messages of this toolkit's macros.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

/// Set in a process that only runs the cases and writes the compiler's messages.
const ONLY_WRITE: &str = "CUDA_CASES";

/// Asserts that each program in the folders fails to compile, for its own reason. Folders are relative to the package. `test` is
/// the name of the test that calls this.
pub fn assert_wrong(test: &str, folders: &[&str]) {
    let written = folder_to_write();
    if written.is_some() || is_pinned() {
        let cases = trybuild::TestCases::new();
        let root = written.unwrap_or_default();
        folders.iter().for_each(|folder| cases.compile_fail(root.join(folder).join("*.rs")));
        return;
    }
    let package = Path::new(env!("CARGO_MANIFEST_DIR"));
    let copy = std::env::temp_dir().join(format!("{test}-{}", std::process::id()));
    for folder in folders {
        fs::create_dir_all(copy.join(folder)).unwrap();
        for case in programs(&package.join(folder)) {
            fs::copy(&case, copy.join(folder).join(case.file_name().unwrap())).unwrap();
        }
    }
    let output = write_messages(test, &copy);
    for folder in folders {
        for case in programs(&package.join(folder)) {
            let [expected, found] = [package, &copy].map(|root| {
                let path = root.join(folder).join(case.file_name().unwrap()).with_extension("stderr");
                fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}\n{output}", path.display()))
            });
            assert_eq!(kinds(&found), kinds(&expected), "{}: the compiler says\n{found}", case.display());
        }
    }
    fs::remove_dir_all(&copy).unwrap();
}

/// The folder, if this program only runs the cases and writes the compiler's messages.
pub fn folder_to_write() -> Option<PathBuf> {
    std::env::var_os(ONLY_WRITE).map(PathBuf::from)
}

/// Runs the test again, to write the compiler's messages beside each program of a folder. Returns the test's output.
pub fn write_messages(test: &str, folder: &Path) -> String {
    let mut again = Command::new(std::env::current_exe().unwrap());
    again.args(["--exact", test, "--nocapture"]).env(ONLY_WRITE, folder).env("TRYBUILD", "overwrite");
    let output = again.output().unwrap();
    let text = String::from_utf8_lossy(&output.stdout).into_owned() + &String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{text}");
    text
}

/// The Rust files of a folder.
fn programs(folder: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder).unwrap_or_else(|error| panic!("{}: {error}", folder.display()));
    let mut found: Vec<_> = entries.map(|entry| entry.unwrap().path()).collect();
    found.retain(|path| path.extension().is_some_and(|extension| extension == "rs"));
    assert!(!found.is_empty(), "{} has no program", folder.display());
    found.sort();
    found
}

/// The codes of the errors, each once, since compilers differ in how often they report one mistake; of errors without a code the whole
/// message.
fn kinds(stderr: &str) -> Vec<&str> {
    let errors = stderr.lines().filter(|line| line.starts_with("error"));
    let mut kinds: Vec<_> = errors.map(|line| line.find(']').map_or(line, |end| &line[..=end])).collect();
    kinds.sort_unstable();
    kinds.dedup();
    kinds
}

/// Whether the compiler is the one that `rust-toolchain.toml` pins, with its library's sources.
fn is_pinned() -> bool {
    let package = Path::new(env!("CARGO_MANIFEST_DIR"));
    let pinned = package.ancestors().find_map(|above| fs::read_to_string(above.join("rust-toolchain.toml")).ok());
    let rustc = |arguments: &[&str]| {
        let rustc = std::env::var_os("RUSTC").unwrap_or_else(|| "rustc".into());
        let output = Command::new(rustc).args(arguments).output().expect("rustc runs");
        String::from_utf8_lossy(&output.stdout).trim().to_owned()
    };
    let version = rustc(&["--version"]);
    let release = version.split(' ').nth(1).expect("a version").to_owned();
    let is_it = pinned.is_some_and(|text| text.contains(&format!("channel = \"{release}\"")));
    is_it && Path::new(&rustc(&["--print", "sysroot"])).join("lib/rustlib/src/rust/library").is_dir()
}

#[test]
fn errors_are_told_apart_by_their_kinds() {
    let one = kinds("error[E0502]: cannot borrow\n --> src\n\nerror: a kernel has a block\n\nerror[E0308]: types\n");
    assert_eq!(one, ["error: a kernel has a block", "error[E0308]", "error[E0502]"]);
    assert_eq!(
        one,
        kinds(
            "error[E0308]: mismatch\nerror[E0502]: other words\nnote: x\nerror: a kernel has a block\nerror[E0308]: again\n"
        )
    );
    assert_ne!(one, kinds("error[E0308]: mismatch\n"));
}
