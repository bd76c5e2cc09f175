//! Files compressed by bzip2.
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| prism_fuzz::bzip2(data));
