//! Programs of phases.
#![no_main]

libfuzzer_sys::fuzz_target!(
    // A launch returns a kernel's panic as an error. libFuzzer's panic hook would end the process.
    init: std::panic::set_hook(Box::new(|_| {})),
    |data: &[u8]| prism_fuzz::kernels(data)
);
