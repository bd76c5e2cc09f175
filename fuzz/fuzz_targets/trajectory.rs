//! Trajectories of every format.
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| prism_fuzz::trajectory(data));
