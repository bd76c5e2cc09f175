//! The last line of PTX: the digest of its header.
//!
//! The header has the digest of the text below it. With the header's own digest in that text, a change anywhere in the file is
//! found without building it again.

use crate::inputs::digest::text_digest;
use crate::ptx::header::Header;

/// The text below a header, with the digest of what the header says. The header's line for the text itself is left empty in it.
///
/// ```
/// # use cuda_builder::ptx::header::Header;
/// # let header = Header {
/// #     package: "k".into(), target: String::new(), compiler: "rustc 1.95.0".into(), llvm: String::new(), inputs: String::new(),
/// #     body: String::new(), entries: Vec::new(),
/// # };
/// use cuda_builder::sealed;
///
/// let text = sealed(&header, ".version 6.3\n");
/// assert!(text.starts_with(".version 6.3\n// header: sha256:"));
/// let other = Header { compiler: "rustc 1.96.0".into(), ..header };
/// assert_ne!(sealed(&other, ".version 6.3\n"), text);
/// ```
#[must_use]
pub fn sealed(header: &Header, body: &str) -> String {
    let without_body = Header { body: String::new(), ..header.clone() };
    format!("{body}// header: {}\n", text_digest(&without_body.to_string()))
}
