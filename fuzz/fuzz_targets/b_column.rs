//! Writing the B column of a file.
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| prism_fuzz::b_column(data));
