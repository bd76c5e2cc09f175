//! mmCIF files, read by two paths.
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| prism_fuzz::mmcif_paths(data));
