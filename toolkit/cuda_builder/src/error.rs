//! Errors of a build or check.

use std::path::PathBuf;

use crate::canary::CanaryError;
use crate::compiler::NoCompiler;
use crate::file::FileError;
use crate::inputs::graph::GraphError;
use crate::nested::NestedError;
use crate::ptx::header::HeaderError;
use crate::ptx::verify::Refusal;

/// An error of [`CudaBuilder`](crate::CudaBuilder).
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum CudaBuilderError {
    /// The kernel crate is not at the given path.
    #[error("{} is not a crate: it has no Cargo.toml", .0.display())]
    CratePathDoesntExist(PathBuf),
    /// One file was given for several architectures.
    #[error("{} cannot hold PTX for {archs} architectures; name a directory instead", path.display())]
    OneFileForSeveral {
        /// The file.
        path: PathBuf,
        /// The number of architectures.
        archs: usize,
    },
    /// There is no compiler.
    #[error(transparent)]
    NoCompiler(#[from] NoCompiler),
    /// A manifest or the lock file is unusable.
    #[error(transparent)]
    Graph(#[from] GraphError),
    /// The compiler fails the canaries.
    #[error(transparent)]
    Canary(#[from] CanaryError),
    /// The crate does not compile.
    #[error(transparent)]
    BuildFailed(#[from] NestedError),
    /// The PTX is refused.
    #[error("the PTX of `{package}` is refused:{}", list(refusals))]
    Refused {
        /// The kernel crate.
        package: String,
        /// All reasons.
        refusals: Vec<Refusal>,
    },
    /// The compiler read a file that the digest does not cover.
    #[error("`{package}` uses {}, which its digest does not cover; name it with extra_input", path.display())]
    InputOutside {
        /// The kernel crate.
        package: String,
        /// The file.
        path: PathBuf,
    },
    /// A launch bound of the module is malformed, or does not name one of its kernels.
    #[error(
        "`{package}`: `{mark}` does not read `// .launch_bounds KERNEL THREADS BLOCKS` with a kernel of this module"
    )]
    LaunchBounds {
        /// The kernel crate.
        package: String,
        /// The line.
        mark: String,
    },
    /// A source changed during the compilation, so the state of the PTX is unknown.
    #[error("the sources of `{0}` changed while they were compiled; build again")]
    ChangedMeanwhile(String),
    /// A file cannot be read, written or run.
    #[error(transparent)]
    File(#[from] FileError),
    /// A PTX file to check does not exist.
    #[error("{} is missing; build it", .0.display())]
    Missing(PathBuf),
    /// A PTX file to check was not made by this package, or was changed.
    #[error("{} is not usable, build it again", path.display())]
    Header {
        /// The file.
        path: PathBuf,
        /// The problem.
        source: HeaderError,
    },
    /// A PTX file comes from other sources or settings.
    #[error("{} is out of date: it was made from {recorded}, the sources are {now}; build it again", path.display())]
    OutOfDate {
        /// The file.
        path: PathBuf,
        /// The digest in its header.
        recorded: String,
        /// The digest of the current sources.
        now: String,
    },
    /// The same compiler gives other bytes for the same sources.
    #[error(
        "{} comes out differently from the same sources and compiler, first in line {line}:\n  \
         file: {file}\n  now:  {now}",
        path.display()
    )]
    OtherBytes {
        /// The file.
        path: PathBuf,
        /// The first differing line, from 1.
        line: usize,
        /// That line in the file.
        file: String,
        /// That line now.
        now: String,
    },
}

fn list(refusals: &[Refusal]) -> String {
    refusals.iter().map(|refusal| format!("\n  {refusal}")).collect()
}

impl CudaBuilderError {
    pub(crate) fn other_bytes(path: PathBuf, file: &str, now: &str) -> Self {
        let same = file.lines().zip(now.lines()).take_while(|(a, b)| a == b).count();
        let line = |text: &str| text.lines().nth(same).unwrap_or("(end of the file)").to_owned();
        CudaBuilderError::OtherBytes { path, line: same + 1, file: line(file), now: line(now) }
    }
}
