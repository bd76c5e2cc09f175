//! Files that the build writes carry their digests: a bit that is changed anywhere is an error with the file's name, on any machine.

use cuda_builder::machine_code::MachineCode;
use cuda_builder::ptx::header::Header;
use cuda_builder::{NvvmArch, sealed};
use cuda_host::{Chip, CudaError, Image, image};

const FILE: &str = "k.sm_75.ptx";

/// PTX as the build writes it.
fn ptx() -> String {
    let header = Header {
        package: "k".to_owned(),
        target: "nvptx64-nvidia-cuda sm_75".to_owned(),
        compiler: "rustc 1.99.1".to_owned(),
        llvm: "22.1.2".to_owned(),
        inputs: "sha256:00".to_owned(),
        body: String::new(),
        entries: vec!["a".to_owned(), "b".to_owned()],
    };
    let text = "//\n.version 6.3\n.target sm_75\n.address_size 64\n.visible .entry a()\n{\n\tret;\n}\n";
    let body = sealed(&header, text);
    header.stamp(&body)
}

/// Machine code of that PTX for two chips.
fn machine_code(ptx: &str) -> Vec<u8> {
    let (header, _) = Header::read(ptx).unwrap();
    let mut code = MachineCode::none(&header.package, &header.body);
    for (chip, bytes) in [(NvvmArch::Compute80, &b"\x7fELF of 80"[..]), (NvvmArch::Compute90, b"\x7fELF of 90")] {
        code.add(chip, bytes).unwrap();
    }
    code.to_bytes()
}

fn checked(ptx: &str, machine_code: &[u8]) -> Result<(), CudaError> {
    // SAFETY: nothing is loaded.
    image::check(&unsafe { Image::from_files(FILE, ptx, machine_code) })
}

/// The name of the file that a check refuses.
#[track_caller]
fn refused(result: Result<(), CudaError>) -> String {
    match result.unwrap_err() {
        CudaError::Damaged { file, .. } => file,
        other => panic!("{other}"),
    }
}

#[test]
fn what_the_build_writes_is_intact() {
    let ptx = ptx();
    let code = machine_code(&ptx);
    checked(&ptx, &[]).unwrap();
    checked(&ptx, &code).unwrap();
    // SAFETY: nothing is loaded.
    let image = unsafe { Image::from_files(FILE, &ptx, &code) };
    assert_eq!(image::chip_for(&image, (9, 0)).unwrap(), Some(Chip { major: 9, minor: 0 }));
}

#[test]
fn a_changed_bit_anywhere_in_ptx_is_named() {
    let ptx = ptx();
    let mut texts = 0;
    for bit in 0..8 * ptx.len() {
        let mut changed = ptx.clone().into_bytes();
        changed[bit / 8] ^= 1 << (bit % 8);
        // Other bytes are no text, which a program cannot embed as PTX.
        if let Ok(changed) = std::str::from_utf8(&changed) {
            assert_eq!(refused(checked(changed, &[])), FILE, "bit {bit}: {changed}");
            texts += 1;
        }
    }
    assert_eq!(texts, 7 * ptx.len());
}

#[test]
fn a_changed_bit_anywhere_in_machine_code_is_named() {
    let ptx = ptx();
    let code = machine_code(&ptx);
    for bit in 0..8 * code.len() {
        let mut changed = code.clone();
        changed[bit / 8] ^= 1 << (bit % 8);
        assert_eq!(refused(checked(&ptx, &changed)), "k.sm_75.cubins", "bit {bit}");
    }
}

/// An executable of another file's header, with addresses that point beyond its end: it is refused before a driver reads them.
#[test]
fn machine_code_that_was_put_in_by_hand_is_named() {
    let ptx = ptx();
    let (header, _) = Header::read(&ptx).unwrap();
    let code = machine_code(&ptx);
    let mut crafted = MachineCode::none(&header.package, &header.body);
    let mut elf = b"\x7fELF of 90".to_vec();
    elf[5..].fill(0xff);
    crafted.add(NvvmArch::Compute80, b"\x7fELF of 80").unwrap();
    crafted.add(NvvmArch::Compute90, &elf).unwrap();
    let crafted = crafted.to_bytes();
    // The header of the one, and the code of the other, which has as many bytes.
    let end = |file: &[u8]| file.windows(2).position(|two| two == b"\n\n").unwrap() + 2;
    let mixed = [&code[..end(&code)], &crafted[end(&crafted)..]].concat();
    assert_ne!(mixed, code);
    assert_eq!(refused(checked(&ptx, &mixed)), "k.sm_75.cubins");
}

#[test]
fn text_and_machine_code_of_two_builds_do_not_go_together() {
    let ptx = ptx();
    let code = machine_code(&ptx);
    let other = sealed(&Header::read(&ptx).unwrap().0, ".version 6.4\n");
    let other = Header::read(&ptx).unwrap().0.stamp(&other);
    checked(&other, &[]).unwrap();
    assert_eq!(refused(checked(&other, &code)), "k.sm_75.cubins");
}

#[test]
fn the_committed_ptx_of_the_tests_is_intact() {
    image::check(&test_kernels::IMAGE).expect("`cargo xtask build-ptx` makes it");
}
