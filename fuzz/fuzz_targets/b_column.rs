//! Files whose B column is written.
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| prism_fuzz::b_column(data));
