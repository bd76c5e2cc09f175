//! Safe functions of `compat`, and of the functions that generated code calls, return what is the same for all threads of a grid.
//! Otherwise safe code between phases could take separate ways, and not reach a barrier together.

use std::fs;
use std::path::Path;

/// The safe functions, each with the reason why code between phases may call it.
const SAFE: [(&str, &str); 22] = [
    ("$name", "of a list: the other test has its names"),
    ("address", "of a pointer, and making one is unsafe"),
    ("array_bytes", "a constant"),
    ("block_dim", "the launch's"),
    ("blocks_per_sm", "a constant"),
    ("cast", "of a pointer, and making one is unsafe"),
    ("clone", "of a pointer, and making one is unsafe"),
    ("combine", "a function of its arguments"),
    ("crosses", "returns nothing"),
    ("declared_bytes", "a constant"),
    ("device_fence", "returns nothing"),
    ("dynamic_smem_size", "the launch's"),
    ("grid_dim", "the launch's"),
    ("grid_fence", "returns nothing"),
    ("into_inner", "of a value that nothing has changed: changing it is unsafe"),
    ("map_words", "a function of its arguments"),
    ("nanosleep", "returns nothing"),
    ("new", "a function of its arguments"),
    ("system_fence", "returns nothing"),
    ("threads_in_block", "a constant"),
    ("warp_size", "a constant"),
    ("wrapping_add", "of a pointer, and making one is unsafe"),
];

/// The source of a module without its host's half.
fn source(path: &str) -> String {
    let text = fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("src").join(path)).unwrap();
    text.split("#[cfg(not(target_arch = \"nvptx64\"))]\nmod host").next().unwrap().to_owned()
}

#[test]
fn safe_functions_for_raw_kernels_return_what_all_threads_have() {
    let files = ["atomic", "misc", "shared", "thread", "warp"].map(|file| format!("compat/{file}.rs"));
    let mut found = Vec::new();
    for file in files.iter().map(String::as_str).chain(["launch/private.rs"]) {
        for line in source(file).lines().map(str::trim_start).filter(|line| !line.starts_with("//")) {
            let line = line.strip_prefix("pub ").unwrap_or(line);
            let line = line.strip_prefix("const ").unwrap_or(line);
            if let Some(declared) = line.strip_prefix("fn ") {
                let name = declared.split(['(', '<']).next().unwrap();
                // Private helpers of the module are not reached from elsewhere.
                if !["along", "clamp", "same_group"].contains(&name) && !declared.ends_with(';') {
                    found.push((file.to_owned(), name.to_owned()));
                }
            }
        }
    }
    assert!(found.len() > 10, "the sources are read: {found:?}");
    let unknown: Vec<_> = found.iter().filter(|(_, name)| !SAFE.iter().any(|(safe, _)| safe == name)).collect();
    assert!(unknown.is_empty(), "safe, and for code between phases, without a reason in this test: {unknown:?}");
    let gone: Vec<_> = SAFE.iter().filter(|(safe, _)| !found.iter().any(|(_, name)| name == safe)).collect();
    assert!(gone.is_empty(), "not there any more: {gone:?}");
}

#[test]
fn registers_that_are_read_safely_are_the_launchs() {
    let text = source("compat/thread.rs");
    let list = text.split("\nregisters! {").nth(1).and_then(|rest| rest.split("\n}").next()).expect("the list");
    let names: Vec<_> = list.lines().filter_map(|line| line.trim().split_once(" = ")).map(|(name, _)| name).collect();
    let of = |what: &str| ["x", "y", "z"].map(|axis| format!("{what}_{axis}"));
    assert_eq!(names, [of("block_dim"), of("grid_dim")].concat());
}
