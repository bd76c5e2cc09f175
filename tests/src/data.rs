//! Locations of the files that tests read.

use prism_host::StructureInput;
use prism_host::read::{ReadOptions, read_path};
use std::env;
use std::path::{Path, PathBuf};

/// The variable that names the workspace's root, for executables that run on another machine than they were built on.
pub const ROOT_VARIABLE: &str = "PRISM_TEST_ROOT";

/// The path of a file, given relative to the workspace's root.
pub fn path(below_root: impl AsRef<Path>) -> PathBuf {
    let root = env::var_os(ROOT_VARIABLE)
        .map_or_else(|| Path::new(env!("CARGO_MANIFEST_DIR")).join(".."), |root| PathBuf::from(&root));
    root.join(below_root)
}

/// The structure files of the repository.
pub const SHIPPED: [&str; 4] =
    ["data/6m0j_rbd.pdb", "host/tests/data/1crn.cif", "host/tests/data/1crn.pdb", "host/tests/data/1ubq.pdb"];

/// Reads [`SHIPPED`].
pub fn shipped() -> Vec<StructureInput> {
    let read = |name: &&str| match read_path(path(name), name, &ReadOptions::standard()) {
        Ok(read) => read.structure,
        Err(error) => panic!("{error}; {ROOT_VARIABLE} must name the folder that has it"),
    };
    SHIPPED.iter().map(read).collect()
}
