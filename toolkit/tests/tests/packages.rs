//! The published packages can be packaged.

use std::fs;
use std::path::Path;
use std::process::Command;

const PACKAGES: [&str; 7] =
    ["cuda_layout_derive", "cuda_layout", "cuda_std_macros", "cuda_std", "cuda_ptx", "cuda_builder", "cuda_host"];

#[test]
fn every_package_can_be_packaged() {
    let here = Path::new(env!("CARGO_MANIFEST_DIR"));
    let root = here.ancestors().find(|folder| folder.join("Cargo.lock").is_file()).expect("a workspace");
    let target = Path::new(env!("CARGO_TARGET_TMPDIR")).join("packages");
    let _ = fs::remove_dir_all(&target);
    let mut cargo = Command::new(env!("CARGO"));
    cargo.args(["package", "--offline", "--no-verify", "--exclude-lockfile", "--allow-dirty", "--target-dir"]);
    cargo.arg(&target).args(PACKAGES.iter().flat_map(|name| ["--package", name])).current_dir(root);
    let output = cargo.output().expect("cargo");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    for name in PACKAGES {
        let file = target.join(format!("package/{name}-{}.crate", env!("CARGO_PKG_VERSION")));
        assert!(file.is_file(), "{} is not there", file.display());
    }
}
