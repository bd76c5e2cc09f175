//! The structures in `data/`, embedded in the executable so that it needs no files.

use prism_host::StructureInput;
use prism_host::read::{ReadOptions, read_bytes};

macro_rules! files {
    ($($name:literal)*) => {
        const FILES: &[(&str, &[u8])] = &[$(($name, include_bytes!(concat!("../../data/", $name, ".gz")))),*];
    };
}
files!("1crn.pdb" "1ubq.pdb" "1aki.cif" "1a8o.cif" "1jcd.pdb" "4zhl.cif");

/// All of them, with the names that the reference uses.
pub fn structures() -> Vec<StructureInput> {
    FILES
        .iter()
        .map(|(name, bytes)| read_bytes(bytes, name, &ReadOptions::standard()).expect("these are whole").structure)
        .collect()
}
