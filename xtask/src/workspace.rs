//! Where the workspace's kernel crates are.

use std::env;
use std::path::PathBuf;

use anyhow::{Context as _, Result};
use clap::ValueEnum;

/// A kernel crate of this workspace.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum KernelCrate {
    /// The kernels of the product
    KernelsGpu,
    /// The kernels of the toolkit's tests and benchmarks
    TestKernels,
}

impl KernelCrate {
    /// Every kernel crate.
    pub const ALL: [KernelCrate; 2] = [KernelCrate::KernelsGpu, KernelCrate::TestKernels];

    /// The crates that were named, or all where none was.
    pub fn chosen(named: &[KernelCrate]) -> &[KernelCrate] {
        if named.is_empty() { &Self::ALL } else { named }
    }

    /// Its directory, relative to the workspace's root.
    pub fn directory(self) -> &'static str {
        match self {
            KernelCrate::KernelsGpu => "kernels-gpu",
            KernelCrate::TestKernels => "toolkit/tests/kernels",
        }
    }
}

/// The workspace's root. Cargo says at run time where this package is, so that a moved workspace is found again.
pub fn root() -> Result<PathBuf> {
    let package = env::var_os("CARGO_MANIFEST_DIR").map_or_else(|| env!("CARGO_MANIFEST_DIR").into(), PathBuf::from);
    let root = package.parent().with_context(|| format!("{} has no parent directory", package.display()))?;
    root.canonicalize().with_context(|| format!("the workspace is not at {}; run `cargo xtask`", root.display()))
}

#[cfg(test)]
mod tests {
    use super::{KernelCrate, root};

    #[test]
    fn kernel_crates_are_where_they_are_said_to_be() {
        for kernels in KernelCrate::ALL {
            assert!(root().unwrap().join(kernels.directory()).join("Cargo.toml").is_file(), "{kernels:?}");
        }
        assert_eq!(KernelCrate::chosen(&[]), KernelCrate::ALL);
        assert_eq!(KernelCrate::chosen(&[KernelCrate::TestKernels]), [KernelCrate::TestKernels]);
    }
}
