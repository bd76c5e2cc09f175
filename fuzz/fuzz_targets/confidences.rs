//! Files of predicted aligned errors.
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| prism_fuzz::confidences(data));
