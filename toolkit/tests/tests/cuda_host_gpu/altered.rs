//! PTX from other sources than this program's is refused. The error names the kernel and the difference.
//!
//! The kernels `altered_..` have one source for the device and another one for the host. The difference can be tested
//! without a GPU, too.

use crate::{gpu, ragged};
use cuda_host::{CudaError, Difference, Image, Module, SignaturePart};
use cuda_std::launch::{Kernel, Segments};
use test_kernels::{
    PTX, altered_count, altered_field, altered_grid, altered_order, altered_signature, altered_threads, altered_type,
    echo, roots,
};

/// The description of a kernel in its PTX.
fn described(kernel: &str) -> String {
    let symbol = format!("__cuda_std_description_{kernel}[");
    let line = PTX.lines().find(|line| line.contains(&symbol)).unwrap_or_else(|| panic!("{kernel} is not described"));
    let (_, bytes) = line.split_once('{').expect("a list of bytes");
    let bytes = bytes.trim_end_matches(['}', ';']).split(',').map(|byte| byte.trim().parse().expect("a byte"));
    String::from_utf8(bytes.collect()).expect("text")
}

fn parameter(name: &str) -> SignaturePart {
    SignaturePart::Parameter(name.to_owned())
}

fn field(parameter: &str, field: &str) -> SignaturePart {
    SignaturePart::Field { parameter: parameter.to_owned(), field: field.to_owned() }
}

/// Each kernel with the part where its PTX differs from this program, and both texts.
fn cases() -> [(&'static str, &'static str, SignaturePart, &'static str, &'static str); 7] {
    fn names<K: Kernel>() -> (&'static str, &'static str) {
        (K::NAME, K::DESCRIPTION)
    }
    let case = |(name, host), part, device, text| (name, host, part, device, text);
    [
        case(names::<altered_order::Kernel>(), field("points", "y"), "x:f32@0", "y:f32@0"),
        case(names::<altered_type::Kernel>(), field("weight", "count"), "count:u32@4", "count:i32@4"),
        case(names::<altered_field::Kernel>(), field("out", "mass"), "x:f32@0", "mass:f32@0"),
        case(names::<altered_signature::Kernel>(), parameter("shift"), "scale:f32", "shift:f32"),
        case(names::<altered_count::Kernel>(), SignaturePart::ParameterCount, "out, scale", "out, scale, shift"),
        case(names::<altered_threads::Kernel>(), SignaturePart::Threads, "64", "32"),
        case(names::<altered_grid::Kernel>(), SignaturePart::Dimensions, "1", "2"),
    ]
}

#[test]
fn descriptions_tell_altered_sources_apart() {
    assert_eq!(Difference::between(&described("echo"), echo::Kernel::DESCRIPTION), None);
    assert_eq!(Difference::between(&described("roots"), roots::Kernel::DESCRIPTION), None);
    for (kernel, host, part, device_text, host_text) in cases() {
        let found = Difference::between(&described(kernel), host).unwrap_or_else(|| panic!("{kernel} is not altered"));
        assert_eq!((&found.part, &*found.device, &*found.host), (&part, device_text, host_text), "{kernel}");
    }
}

#[test]
fn kernels_of_altered_sources_are_refused() {
    let Some(gpu) = gpu() else { return };
    let module = &gpu.modules()[0];
    let errors = [
        module.kernel::<altered_order::Kernel>().map(drop),
        module.kernel::<altered_type::Kernel>().map(drop),
        module.kernel::<altered_field::Kernel>().map(drop),
        module.kernel::<altered_signature::Kernel>().map(drop),
        module.kernel::<altered_count::Kernel>().map(drop),
        module.kernel::<altered_threads::Kernel>().map(drop),
        module.kernel::<altered_grid::Kernel>().map(drop),
    ];
    for (error, (name, _, part, device_text, host_text)) in errors.into_iter().zip(cases()) {
        let error = error.unwrap_err();
        let text = error.to_string();
        println!("{text}");
        let CudaError::Description { kernel, difference, .. } = error else { panic!("{text}") };
        assert_eq!((kernel, &difference.part), (name, &part));
        assert!([name, device_text, host_text].iter().all(|part| text.contains(part)), "{text}");
    }
    module.kernel::<roots::Kernel>().expect("the others are as they were");
}

#[test]
fn a_launch_of_an_altered_kernel_runs_nothing() {
    let Some(gpu) = gpu() else { return };
    let (mut out, at) = ragged::<f32>(&gpu, &[0, 40]);
    for _ in 0..2 {
        let segments = Segments { data: out.view_mut(), offsets: &at };
        let args = altered_signature::Args { out: segments, shift: 1.0, scale: 2.0 };
        let error = altered_signature::launch(&gpu, 1, args).unwrap_err();
        assert!(matches!(error, CudaError::Description { kernel: "altered_signature", .. }), "{error}");
    }
    assert_eq!(out.download(gpu.stream()).unwrap(), [0.0; 40]);
}

/// A module that was not made by this toolkit: a kernel with the right name, which does nothing.
const FOREIGN: &str =
    ".version 6.4\n.target sm_75\n.address_size 64\n.visible .entry roots(\n.param .u64 out\n)\n{\nret;\n}\n";

#[test]
fn foreign_ptx_is_refused_by_the_kernels_name() {
    let Some(gpu) = gpu() else { return };
    // SAFETY: no kernel of it is launched.
    let image = unsafe { Image::from_text("foreign", FOREIGN) };
    let module = Module::load(gpu.context(), "foreign", image).unwrap();
    let error = module.kernel::<roots::Kernel>().map(drop).unwrap_err();
    assert_eq!(error, CudaError::NoDescription { kernel: "roots", module: "foreign".into() });
    println!("{error}");
    let error = module.kernel::<echo::Kernel>().map(drop).unwrap_err().to_string();
    assert!(error.contains("no kernel `echo` in module `foreign`") && error.contains("`roots`"), "{error}");
}

#[test]
fn ptx_that_ends_between_two_kernels_lacks_those_behind() {
    let Some(gpu) = gpu() else { return };
    // Up to the end of the first kernel, it is a complete module for the driver's compiler.
    let first = PTX.find(".entry").expect("a kernel");
    let end = first + PTX[first..].find("\n}").expect("its end") + "\n}\n".len();
    // SAFETY: no kernel of it is launched.
    let image = unsafe { Image::from_text("cut", &PTX[..end]) };
    let module = match Module::load(gpu.context(), "cut", image) {
        Ok(module) => module,
        // Or it calls a function that does not exist.
        Err(CudaError::Jit { module, .. }) => return assert_eq!(module, "cut"),
        Err(other) => panic!("{other}"),
    };
    assert_eq!(module.entries().len(), 1);
    let error = module.kernel::<roots::Kernel>().map(drop).unwrap_err().to_string();
    assert!(error.contains("no kernel `roots` in module `cut`"), "{error}");
}
