//! Compiles a kernel crate to PTX with a stock Rust compiler: no CUDA toolkit, no LLVM tools, no linker.
//!
//! [`CudaBuilder`] finds a device compiler ([`compiler`]), runs cargo with the device's profile and flags ([`flags`]),
//! verifies the result ([`ptx::verify`], [`canary`]) and stamps it with what it was made from ([`ptx::header`]). The same
//! sources and compiler give the same bytes in any directory. [`ptxas`] and [`budget`] measure and limit the resources of
//! kernels; the module `machine_code` (a feature, `machine-code`) makes code that drivers need not compile.
//!
//! The kernel crate stays an ordinary library, which the host links, too. Dependencies that only the host needs go under
//! `[target.'cfg(not(target_arch = "nvptx64"))'.dependencies]`; then they are neither compiled for the device nor part of
//! the digest. Unstable features are enabled only in the device's build. `core` is compiled with the kernels, and the first
//! time cargo fetches the few crates in its library's lock file: only that build needs the registry.
//!
//! A kernel crate may compile itself with its own build script, like the crates that `cargo xtask new-kernel` makes. The
//! device's build runs that script again, which must then do nothing: `CARGO_CFG_TARGET_ARCH` is `nvptx64`.

pub mod arch;
pub mod budget;
mod builder;
pub mod canary;
mod check;
pub mod compiler;
mod error;
mod file;
pub mod flags;
pub mod inputs;
#[cfg(feature = "machine-code")]
pub mod machine_code;
pub mod nested;
mod outside;
pub mod ptx;
pub mod ptxas;
mod script;
mod seal;

pub use arch::NvvmArch;
pub use budget::Budget;
pub use builder::{BuildOutput, CudaBuilder, PtxFile};
pub use check::Checked;
pub use compiler::{DeviceCompiler, Discovery};
pub use error::CudaBuilderError;
pub use file::FileError;
pub use flags::DebugInfo;
pub use ptxas::Ptxas;
pub use script::LINE_INFO_VARIABLE;
pub use seal::sealed;

/// The code of the package's README compiles.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
