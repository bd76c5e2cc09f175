//! Modules: which PTX is accepted, and which errors describe it.

use crate::gpu;
use cuda_host::{Context, CudaError, CudaExecutor, Device, Image, Module, driver_version};
use test_kernels::{PTX, echo, fail, roots, spin, turn};

#[test]
fn the_device_is_described() {
    let Some(gpu) = gpu() else { return };
    let devices = Device::list().unwrap();
    let device = &devices[0];
    println!("{device}, CUDA {}", driver_version().unwrap());
    assert!(device.is_supported() && !device.name.is_empty() && device.pci_bus_id.contains(':'));
    assert!(device.multiprocessors > 0 && device.max_threads_per_block >= 1024);
    assert!(device.shared_memory_per_block >= 48 * 1024);
    // The tests have a context on it.
    assert!(device.free_memory.unwrap() <= device.total_memory && device.total_memory > 1 << 30);
    assert!(driver_version().unwrap().major >= 12);
    let memory = gpu.context().memory().unwrap();
    assert!(memory.free > 0 && memory.free <= memory.total);
    let error = Context::new(devices.len()).unwrap_err();
    assert_eq!(error, CudaError::NoSuchDevice { ordinal: devices.len(), count: devices.len() });
}

#[test]
fn every_kernel_is_the_programs() {
    let Some(gpu) = gpu() else { return };
    let module = &gpu.modules()[0];
    let entries = module.entries();
    let ours = ["contacts", "echo", "fail", "roots", "spin", "turn"];
    assert!(ours.iter().all(|kernel| entries.iter().any(|entry| entry == kernel)), "{entries:?}");
    module.kernel::<echo::Kernel>().unwrap();
    module.kernel::<fail::Kernel>().unwrap();
    module.kernel::<spin::Kernel>().unwrap();
    let roots = module.kernel::<roots::Kernel>().unwrap();
    let turn = gpu.kernel::<turn::Kernel>().unwrap();
    let attributes = turn.attributes();
    assert!(attributes.shared_bytes >= 256 * 4, "{attributes:?}");
    assert!((1..=255).contains(&attributes.registers) && attributes.max_threads >= 64, "{attributes:?}");
    assert!(roots.attributes().shared_bytes < attributes.shared_bytes);
    // Two pointers, pointer and length, a number and its padding, and the two hidden arguments.
    assert!(matches!(roots.argument_bytes(), None | Some(52)), "{:?}", roots.argument_bytes());
}

#[test]
fn ptx_with_other_parameters_than_it_says_is_refused() {
    let Some(gpu) = gpu() else { return };
    if gpu.kernel::<roots::Kernel>().unwrap().argument_bytes().is_none() {
        println!("skipped: this driver does not tell a kernel's parameters");
        return;
    }
    let wide = PTX.replace(".param .f32 roots_param_4", ".param .f64 roots_param_4");
    assert_ne!(wide, PTX);
    // SAFETY: as the kernel was, with a wider parameter; its launch is refused.
    let module = Module::load(gpu.context(), "wide", unsafe { Image::from_text("wide", &wide) }).unwrap();
    let gpu = CudaExecutor::new(gpu.stream(), [module]).unwrap();
    let (mut out, device) = crate::ragged::<f32>(&gpu, &[0, 1]);
    let input = cuda_host::DeviceBuffer::<f32>::zeroed(gpu.stream(), 1).unwrap();
    let segments = cuda_std::launch::Segments { data: out.view_mut(), offsets: &device };
    let error = roots::launch(&gpu, 1, roots::Args { out: segments, input: input.view(), scale: 1.0 }).unwrap_err();
    match error {
        CudaError::Parameters { kernel: "roots", index: 4, argument: "scale", .. } => {}
        other => panic!("{other}"),
    }
}

#[test]
fn text_that_is_no_module_is_refused_with_the_compilers_words() {
    let Some(gpu) = gpu() else { return };
    let half = PTX.len() / 2;
    let cut = &PTX[..(half..).find(|end| PTX.is_char_boundary(*end)).unwrap()];
    let cases =
        [("cut", cut.to_owned()), ("empty", String::new()), ("prose", "not PTX".into()), ("nul", format!("{PTX}\0x"))];
    for (name, text) in cases {
        // SAFETY: it is no module.
        match Module::load(gpu.context(), name, unsafe { Image::from_text(name, &text) }) {
            Err(CudaError::Jit { module, name: code, log, .. }) => {
                assert_eq!(module, name);
                assert!(code.starts_with("CUDA_ERROR_"), "{code}");
                assert!(name != "cut" || !log.is_empty(), "the log says where the text ends");
                println!("{name}: {code}: {log}");
            }
            other => panic!("{name}: {other:?}"),
        }
    }
    let newer = PTX.replacen(".version ", ".version 9", 1);
    // SAFETY: no driver takes this version.
    let error = Module::load(gpu.context(), "newer", unsafe { Image::from_text("newer", &newer) }).unwrap_err();
    println!("newer: {error}");
    assert!(matches!(error, CudaError::Jit { .. }), "{error}");
    gpu.synchronize().unwrap();
}

#[test]
fn a_kernel_that_is_not_there_is_refused_with_those_that_are() {
    let Some(gpu) = gpu() else { return };
    let renamed = PTX.replace("roots", "roofs");
    // SAFETY: no kernel of it is launched.
    let module = Module::load(gpu.context(), "renamed", unsafe { Image::from_text("renamed", &renamed) }).unwrap();
    let other = CudaExecutor::new(gpu.stream(), [module]).unwrap();
    let error = other.kernel::<roots::Kernel>().map(|_| ()).unwrap_err().to_string();
    assert!(error.contains("no kernel `roots` in module `renamed`") && error.contains("`roofs`"), "{error}");
    let error = other.modules()[0].kernel::<roots::Kernel>().map(|_| ()).unwrap_err().to_string();
    assert!(error.contains("no kernel `roots`"), "{error}");
    // Of several modules, the one with the kernel is used.
    let both = CudaExecutor::new(gpu.stream(), other.modules().iter().chain(gpu.modules()).cloned()).unwrap();
    assert_eq!(both.kernel::<roots::Kernel>().unwrap().module().name(), "test kernels");
}

#[test]
fn devices_that_are_hidden_are_an_ordinary_answer() {
    const CHILD: &str = "CUDA_HOST_TEST_CHILD";
    if std::env::var_os(CHILD).is_some() {
        let error = Device::count().unwrap_err();
        assert!(error.is_unavailable(), "{error}");
        assert_eq!(Context::new(0).unwrap_err(), error);
        return;
    }
    let Some(_) = gpu() else { return };
    let status = std::process::Command::new(std::env::current_exe().unwrap())
        .args(["--exact", "modules::devices_that_are_hidden_are_an_ordinary_answer"])
        .env(CHILD, "1")
        .env("CUDA_VISIBLE_DEVICES", "-1")
        .status()
        .unwrap();
    assert!(status.success());
}
