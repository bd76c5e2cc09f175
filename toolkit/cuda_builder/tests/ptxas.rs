//! Finding and running an assembler, tested with a fake one.
#![cfg(unix)]

use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};

use cuda_builder::ptxas::{PtxasError, installed_below};
use cuda_builder::{NvvmArch, Ptxas};
use tempfile::TempDir;

/// A script that answers like ptxas: it accepts sm_75 and refuses every other chip.
const SCRIPT: &str = "#!/bin/sh
case \"$*\" in
--version) echo 'Cuda compilation tools, release 13.5, V13.5.37'; echo 'Build cuda_13.5.r13.5/compiler.1_0';;
'-arch=sm_75 -v -o /dev/null -') cat >&2 <<END
ptxas info    : Compiling entry function 'k' for 'sm_75'
ptxas info    : Function properties for k
    8 bytes stack frame, 4 bytes spill stores, 4 bytes spill loads
ptxas info    : Used 32 registers, used 1 barriers, 8 bytes cumulative stack size, 2048 bytes smem, 360 bytes cmem[0]
END
;;
*) echo 'ptxas fatal   : Value is not defined for option gpu-name' >&2; exit 255;;
esac
";

fn installed(directory: &Path) -> PathBuf {
    let bin = directory.join("lib/python3.11/site-packages/nvidia/cu13/bin");
    fs::create_dir_all(&bin).unwrap();
    let path = bin.join("ptxas");
    fs::write(&path, SCRIPT).unwrap();
    fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).unwrap();
    path
}

#[test]
fn an_assembler_in_a_python_environment_is_found_and_asked() {
    let directory = TempDir::new().unwrap();
    // The environment may have the name of the program.
    let environment = directory.path().join("ptxas");
    assert_eq!(installed_below(&environment), None);
    let path = installed(&environment);
    assert_eq!(installed_below(&environment), Some(path.clone()));

    let ptxas = Ptxas::at(&path).unwrap();
    assert_eq!(ptxas.version, "13.5.37");
    let ptx = directory.path().join("k.ptx");
    fs::write(&ptx, ".target sm_75\n").unwrap();
    let used = ptxas.resources(&ptx, NvvmArch::Compute75).unwrap();
    assert_eq!((used[0].registers, used[0].stack, used[0].shared), (32, 8, 2048));
    let error = ptxas.resources(&ptx, NvvmArch::Compute90).unwrap_err();
    assert!(matches!(&error, PtxasError::Refused { arch: NvvmArch::Compute90, .. }));
    assert!(error.to_string().contains("not defined for option gpu-name"), "its own words: {error}");
}

#[test]
fn another_program_is_no_assembler() {
    assert!(matches!(Ptxas::at(Path::new("/bin/true")), Err(PtxasError::File(_))));
    assert!(matches!(Ptxas::at(Path::new("/nowhere/ptxas")), Err(PtxasError::File(_))));
}
