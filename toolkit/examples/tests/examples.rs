//! Every example gives the results of plain Rust, on CPU cores in several orders, and a GPU gives the same bits.

use cuda_host::{CudaExecutor, Device, Machine};
use cuda_std::prelude::CpuExecutor;
use toolkit_examples::{EXAMPLES, IMAGE};

/// A GPU. Without one, this prints a line; CUDA_REQUIRE_GPU=1 makes it a failure.
fn gpu() -> Option<Machine> {
    let why = match (IMAGE, Device::count()) {
        (Ok(image), Ok(_)) => {
            return Some(CudaExecutor::open(0, "examples", image).expect("a device that opens").into());
        }
        (Err(why), _) => why.to_owned(),
        (_, Err(error)) => error.to_string(),
    };
    assert!(std::env::var("CUDA_REQUIRE_GPU").as_deref() != Ok("1"), "CUDA_REQUIRE_GPU=1, but {why}");
    println!("skipped: no GPU for the examples ({why})");
    None
}

#[test]
fn every_example_has_the_same_bits_on_every_machine() {
    let gpu = gpu();
    for example in EXAMPLES {
        let expected = (example.run)(&Machine::cpu()).unwrap_or_else(|error| panic!("{}: {error}", example.name));
        assert!(!expected.bytes.is_empty() && !expected.text.is_empty(), "{}", example.name);
        let shuffled = [1, 2].map(|seed| Machine::from(CpuExecutor::shuffled(seed))).into_iter();
        for machine in shuffled.chain(gpu.clone()) {
            let found =
                (example.run)(&machine).unwrap_or_else(|error| panic!("{} on {machine}: {error}", example.name));
            assert!(found.bytes == expected.bytes, "{} has other bits on {machine}", example.name);
        }
    }
}

#[test]
fn there_are_at_least_twenty() {
    assert!(EXAMPLES.len() >= 20);
}

/// No item of a crate can stand in for what the build script wrote.
mod shadowed {
    #![allow(unused_macros, dead_code, non_snake_case, non_camel_case_types)]

    macro_rules! include_str {
        ($($any:tt)*) => {
            ".version 6.3"
        };
    }
    macro_rules! include {
        ($($any:tt)*) => {
            ()
        };
    }
    macro_rules! concat {
        ($($any:tt)*) => {
            "elsewhere"
        };
    }
    macro_rules! env {
        ($($any:tt)*) => {
            "elsewhere"
        };
    }
    const fn Ok<T: Copy>(_: T) {}
    mod launch {
        pub struct Image;
    }
    struct str;

    pub const IMAGE: Result<cuda_std::launch::Image<'_>, &'static core::primitive::str> = cuda_std::built_image!();
}

#[test]
fn the_image_is_what_the_build_script_wrote() {
    let texts = [IMAGE, shadowed::IMAGE].map(|image| image.map(|image| image.ptx()));
    assert_eq!(texts[0], texts[1]);
    if let Ok(image) = IMAGE {
        cuda_host::image::check(&image).unwrap();
    }
}
