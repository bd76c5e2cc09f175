//! The kernel crates of the workspace.

use std::env;
use std::path::{Path, PathBuf};

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

    /// The named crates, or all if none is named.
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

/// A kernel crate that a command works on.
pub struct KernelPackage {
    /// Its directory.
    pub directory: PathBuf,
    /// Whether it belongs to this workspace, which commits its PTX.
    pub is_ours: bool,
    /// Whether machine code is committed beside the PTX.
    pub has_machine_code: bool,
}

impl KernelPackage {
    /// The named crates of the workspace and those in the given directories; all crates of the workspace if neither is
    /// given.
    pub fn chosen(root: &Path, named: &[KernelCrate], directories: &[PathBuf]) -> Vec<KernelPackage> {
        let others = directories.iter().map(|directory| KernelPackage {
            directory: directory.clone(),
            is_ours: false,
            has_machine_code: false,
        });
        let ours = if named.is_empty() && !directories.is_empty() { &[] } else { KernelCrate::chosen(named) };
        let ours = ours.iter().map(|kernels| KernelPackage {
            directory: root.join(kernels.directory()),
            is_ours: true,
            has_machine_code: *kernels == KernelCrate::KernelsGpu,
        });
        ours.chain(others).collect()
    }

    /// Its name in messages: the path as given, or relative to the root.
    pub fn name<'p>(&'p self, root: &Path) -> std::path::Display<'p> {
        self.directory.strip_prefix(root).unwrap_or(&self.directory).display()
    }
}

/// The workspace's root. Cargo gives this package's location at run time, so a moved workspace is found.
pub fn root() -> Result<PathBuf> {
    let package = env::var_os("CARGO_MANIFEST_DIR").map_or_else(|| env!("CARGO_MANIFEST_DIR").into(), PathBuf::from);
    let root = package.parent().with_context(|| format!("{} has no parent directory", package.display()))?;
    root.canonicalize().with_context(|| format!("the workspace is not at {}; run `cargo xtask`", root.display()))
}

#[cfg(test)]
mod tests {
    use super::{KernelCrate, KernelPackage, root};
    use std::path::Path;

    #[test]
    fn kernel_crates_are_where_they_are_said_to_be() {
        for kernels in KernelCrate::ALL {
            assert!(root().unwrap().join(kernels.directory()).join("Cargo.toml").is_file(), "{kernels:?}");
        }
        assert_eq!(KernelCrate::chosen(&[]), KernelCrate::ALL);
        assert_eq!(KernelCrate::chosen(&[KernelCrate::TestKernels]), [KernelCrate::TestKernels]);
    }

    #[test]
    fn crates_elsewhere_are_looked_at_alone_unless_ours_are_named_too() {
        let root = Path::new("/root");
        let names = |named: &[KernelCrate], others: &[&str]| {
            let others: Vec<_> = others.iter().map(Into::into).collect();
            let packages = KernelPackage::chosen(root, named, &others);
            packages.iter().map(|package| (package.name(root).to_string(), package.is_ours)).collect::<Vec<_>>()
        };
        let (ours, test) = (("kernels-gpu".to_owned(), true), ("toolkit/tests/kernels".to_owned(), true));
        let waves = ("../waves".to_owned(), false);
        assert_eq!(names(&[], &[]), [ours.clone(), test]);
        assert_eq!(names(&[], &["../waves"]), std::slice::from_ref(&waves));
        assert_eq!(names(&[KernelCrate::KernelsGpu], &["../waves"]), [ours, waves]);
    }
}
