//! Databases of FoldComp entries.
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| prism_fuzz::database(data));
