//! Programs of phases.
#![no_main]

libfuzzer_sys::fuzz_target!(
    // A kernel's panic is an error that the launch returns; what libFuzzer puts in place would end the process.
    init: std::panic::set_hook(Box::new(|_| {})),
    |data: &[u8]| prism_fuzz::kernels(data)
);
