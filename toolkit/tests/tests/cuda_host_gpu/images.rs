//! Machine code beside PTX: which device gets which, on a simulated driver.

use cuda_builder::NvvmArch;
use cuda_builder::machine_code::MachineCode;
use cuda_builder::ptx::header::Header;
use cuda_host::{Context, CudaError, Image, Module};
use test_kernels::{PTX, roots};
use toolkit_tests::simulated::with_driver;

/// A file of machine code for these chips, in the simulated driver's format. Code for a chip records which `of` it is. It has the
/// declarations alone, since the compression of all instructions takes seconds.
fn file(chips: &[(NvvmArch, &str)]) -> Vec<u8> {
    let (header, _) = Header::read(PTX).unwrap();
    let mut file = MachineCode::none(&header.package, &header.body);
    let declares = |line: &&str| line.trim_start().starts_with(['.', ')']) && !line.contains(".reg");
    let declarations: Vec<_> = PTX.lines().filter(declares).collect();
    let declarations = declarations.join("\n");
    for (chip, code_of) in chips {
        file.add(*chip, format!("\x7fELF{code_of}\n{declarations}\n").as_bytes()).unwrap();
    }
    file.to_bytes()
}

fn image<'a>(ptx: &'a str, file: &'a [u8]) -> Image<'a> {
    // SAFETY: a simulated driver runs nothing.
    unsafe { Image::from_files("test_kernels.sm_75.ptx", ptx, file) }
}

const CHIPS: [(NvvmArch, &str); 4] = [
    (NvvmArch::Compute80, "80"),
    (NvvmArch::Compute86, "86"),
    (NvvmArch::Compute90, "90"),
    (NvvmArch::Compute120, "120"),
];

/// The machine code that a device gets, by name; its kernels exist in any case.
fn loaded(file: &[u8]) -> Option<String> {
    let module = Module::load(&Context::new(0).unwrap(), "test kernels", image(PTX, file)).unwrap();
    module.kernel::<roots::Kernel>().expect("code and description of the kernel");
    assert!(module.entries().iter().any(|entry| entry == "roots"));
    module.machine_code().map(|chip| chip.to_string())
}

#[test]
fn a_device_gets_the_machine_code_of_its_kind() {
    if with_driver("images::a_device_gets_the_machine_code_of_its_kind", &["-DCAPABILITY=90"]) {
        assert_eq!(loaded(&file(&CHIPS)).as_deref(), Some("sm_90"));
        assert_eq!(loaded(&file(&[])), None, "a file without any");
        assert_eq!(loaded(&[]), None, "no file");
    }
}

#[test]
fn a_device_without_its_own_gets_that_of_an_older_one_of_its_generation() {
    if with_driver("images::a_device_without_its_own_gets_that_of_an_older_one_of_its_generation", &["-DCAPABILITY=89"])
    {
        assert_eq!(loaded(&file(&CHIPS)).as_deref(), Some("sm_86"));
    }
}

#[test]
fn a_newer_device_gets_the_ptx() {
    if with_driver("images::a_newer_device_gets_the_ptx", &["-DCAPABILITY=130"]) {
        assert_eq!(loaded(&file(&CHIPS)), None);
    }
}

#[test]
fn machine_code_that_the_driver_refuses_gives_way_to_ptx() {
    if with_driver("images::machine_code_that_the_driver_refuses_gives_way_to_ptx", &["-DCAPABILITY=90"]) {
        assert_eq!(loaded(&file(&[(NvvmArch::Compute90, "120")])), None);
    }
}

#[test]
fn machine_code_of_other_ptx_is_an_error_and_not_replaced_in_silence() {
    if !with_driver("images::machine_code_of_other_ptx_is_an_error_and_not_replaced_in_silence", &[]) {
        return;
    }
    let context = Context::new(0).unwrap();
    let other = PTX.replacen("// body: sha256:", "// body: sha256:0", 1);
    let file = file(&CHIPS);
    let error = Module::load(&context, "mixed", image(&other, &file)).unwrap_err();
    assert!(matches!(&error, CudaError::Damaged { file, .. } if file == "test_kernels.sm_75.cubins"), "{error}");
    assert!(error.to_string().contains("made from other PTX") && error.to_string().contains("build-ptx"), "{error}");
    // Damaged code does not make it fall back to something that was not requested.
    let mut damaged = file_of_90();
    *damaged.last_mut().unwrap() ^= 1;
    let cut = &file[..file.len() - 1];
    for (file, words) in [(&damaged[..], "the code for sm_90 does not have the digest"), (cut, "cut short")] {
        let error = Module::load(&context, "damaged", image(PTX, file)).unwrap_err();
        assert!(matches!(error, CudaError::Damaged { .. }) && error.to_string().contains(words), "{error}");
    }
}

#[test]
fn ptx_with_a_changed_bit_does_not_reach_the_driver() {
    if with_driver("images::ptx_with_a_changed_bit_does_not_reach_the_driver", &[]) {
        let changed = PTX.replacen("st.global", "st.globam", 1);
        assert_ne!(changed, PTX);
        let error = Module::load(&Context::new(0).unwrap(), "changed", image(&changed, &[])).unwrap_err();
        assert!(matches!(&error, CudaError::Damaged { file, .. } if file == "test_kernels.sm_75.ptx"), "{error}");
    }
}

fn file_of_90() -> Vec<u8> {
    file(&[(NvvmArch::Compute90, "90")])
}
