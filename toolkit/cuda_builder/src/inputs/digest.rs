//! One digest of everything that determines a kernel crate's PTX, except the compiler.

use std::fmt::Write as _;

use sha2::{Digest, Sha256};

use super::graph::PackageGraph;
use super::sources::Source;

/// The digest as `sha256:` and 64 hexadecimal digits.
///
/// Every part is hashed with its name and length, so that adjacent inputs are distinct. The order is fixed: packages and
/// files by name, flags in the compiler's order.
///
/// ```
/// use cuda_builder::inputs::{digest::input_digest, graph::PackageGraph, sources::sources};
///
/// let graph = PackageGraph::load("../tests/kernels".as_ref())?;
/// let files = sources(&graph, &[])?;
/// let digest = |flag: &str| input_digest(&graph, &files, &[flag.to_owned()]);
/// assert_eq!(digest("-Ctarget-cpu=sm_75"), digest("-Ctarget-cpu=sm_75"));
/// assert_ne!(digest("-Ctarget-cpu=sm_75"), digest("-Ctarget-cpu=sm_90"));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn input_digest(graph: &PackageGraph, sources: &[Source], settings: &[String]) -> String {
    let mut digest = Framed::new();
    digest.part("kernel crate", graph.kernels.name.as_bytes());
    for setting in settings {
        digest.part("setting", setting.as_bytes());
    }
    for package in &graph.local {
        digest.part(&format!("manifest {}", package.name), package.manifest.as_bytes());
    }
    for source in sources {
        digest.part(&format!("source {}", source.label), &source.bytes);
    }
    for locked in &graph.locked {
        let line = format!("{} {} {} {}", locked.name, locked.version, locked.source, locked.checksum);
        digest.part("locked", line.as_bytes());
    }
    digest.finish()
}

/// The digest of a text.
///
/// ```
/// use cuda_builder::inputs::digest::text_digest;
///
/// assert!(text_digest(".version 6.3").starts_with("sha256:"));
/// assert_ne!(text_digest(".version 6.3"), text_digest(".version 6.4"));
/// ```
pub fn text_digest(text: &str) -> String {
    let mut digest = Framed::new();
    digest.part("text", text.as_bytes());
    digest.finish()
}

/// The first 16 digits of [`text_digest`], to tell files and directories apart by name.
///
/// ```
/// use cuda_builder::inputs::digest::{short_text_digest, text_digest};
///
/// assert_eq!(short_text_digest("sm_75"), text_digest("sm_75")[7..][..16]);
/// ```
pub fn short_text_digest(text: &str) -> String {
    text_digest(text)["sha256:".len()..][..16].to_owned()
}

/// The digest of machine code.
///
/// ```
/// use cuda_builder::inputs::digest::code_digest;
///
/// assert_ne!(code_digest(b"\x7fELF 1"), code_digest(b"\x7fELF 2"));
/// ```
pub fn code_digest(code: &[u8]) -> String {
    let mut digest = Framed::new();
    digest.part("code", code);
    digest.finish()
}

/// SHA-256 over named parts.
struct Framed(Sha256);

impl Framed {
    fn new() -> Self {
        Framed(Sha256::new())
    }

    fn part(&mut self, name: &str, bytes: &[u8]) {
        for field in [name.as_bytes(), bytes] {
            self.0.update((field.len() as u64).to_le_bytes());
            self.0.update(field);
        }
    }

    fn finish(self) -> String {
        let mut text = "sha256:".to_owned();
        for byte in self.0.finalize() {
            // Writing to a String does not fail.
            let _ = write!(text, "{byte:02x}");
        }
        text
    }
}
