//! Checks existing PTX files without writing any.

use std::path::PathBuf;

use crate::builder::{Compiled, CudaBuilder};
use crate::compiler::Origin;
use crate::error::CudaBuilderError;
use crate::file::read_text;
use crate::ptx::header::{Header, HeaderError};
use crate::seal::is_of_another;

/// The extent to which a file could be checked.
///
/// ```no_run
/// use cuda_builder::{Checked, CudaBuilder};
///
/// for (path, checked) in CudaBuilder::new("../tests/kernels").check()? {
///     match checked {
///         Checked::SameBytes => println!("{}: the same bytes", path.display()),
///         Checked::SameInputs { made_by, here } => println!("{}: by {made_by}, here is {here:?}", path.display()),
///     }
/// }
/// # Ok::<(), cuda_builder::CudaBuilderError>(())
/// ```
///
/// (This compiles kernels if the compiler is installed; `cuda_builder/tests/device.rs` does that.)
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Checked {
    /// The compiler that made the file made the same bytes again.
    SameBytes,
    /// The file matches these sources and settings and was not changed; the compiler that made it is not installed.
    SameInputs {
        /// The compiler in the file's header.
        made_by: String,
        /// The compiler of this machine, if there is one.
        here: Option<String>,
    },
}

impl CudaBuilder {
    /// Checks that the PTX files are what [`build`](Self::build) would make, without writing. The digest of sources and
    /// settings needs no compiler; if the compiler named in a file is installed, the bytes are compared, too.
    ///
    /// # Errors
    /// If a file is missing, out of date, changed by hand, or differs from the result of a build.
    pub fn check(&self) -> Result<Vec<(PathBuf, Checked)>, CudaBuilderError> {
        let paths = self.paths()?;
        let prepared = self.prepare()?;
        let mut checked = Vec::new();
        for (&arch, path) in self.archs.iter().zip(paths) {
            if matches!(path.try_exists(), Ok(false)) {
                return Err(CudaBuilderError::Missing(path));
            }
            let file = read_text(&path)?;
            let refused = |source| CudaBuilderError::Header { path: path.clone(), source };
            let (header, text) = Header::read(&file).map_err(refused)?;
            if is_of_another(&header, text) {
                return Err(refused(HeaderError::BodyChanged));
            }
            let digest = self.digest(&prepared, arch);
            if header.inputs != digest {
                return Err(CudaBuilderError::OutOfDate { path, recorded: header.inputs, now: digest });
            }
            let result = match self.discovery().find_preferring(&header.compiler, &header.llvm) {
                Ok(compiler) if (&compiler.version, &compiler.llvm) == (&header.compiler, &header.llvm) => {
                    let Compiled { text, .. } = self.compile(&prepared, &compiler, arch, digest)?;
                    if text != file {
                        return Err(CudaBuilderError::other_bytes(path, &file, &text));
                    }
                    Checked::SameBytes
                }
                Ok(other) => Checked::SameInputs { made_by: header.compiler, here: Some(other.version) },
                // An explicit choice that fails must not look like a machine without compilers.
                Err(none) if none.tried.iter().any(|(origin, _)| *origin == Origin::Explicit) => {
                    return Err(none.into());
                }
                Err(_) => Checked::SameInputs { made_by: header.compiler, here: None },
            };
            checked.push((path, result));
        }
        Ok(checked)
    }
}
