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
    format!("{body}{LINE}{}\n", digest(header))
}

const LINE: &str = "// header: ";

fn digest(header: &Header) -> String {
    text_digest(&Header { body: String::new(), ..header.clone() }.to_string())
}

/// Whether the text below a header names another header. That of earlier builds names none.
pub(crate) fn is_of_another(header: &Header, text: &str) -> bool {
    let last = text.lines().next_back().and_then(|line| line.strip_prefix(LINE));
    last.is_some_and(|written| written != digest(header))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_change_of_any_line_of_the_header_is_noticed() {
        let header = Header {
            package: "k".to_owned(),
            target: "nvptx64-nvidia-cuda sm_75".to_owned(),
            compiler: "rustc 1.99.1".to_owned(),
            llvm: "23.1.1".to_owned(),
            inputs: "sha256:00".to_owned(),
            body: String::new(),
            entries: vec!["a".to_owned()],
        };
        let text = sealed(&header, ".version 6.3\n");
        let file = header.stamp(&text);
        let (read, text) = Header::read(&file).unwrap();
        assert!(!is_of_another(&read, text) && !is_of_another(&read, ".version 6.3\n"));
        for (from, to) in [
            ("package: k", "package: l"),
            ("1.99.1", "1.99.2"),
            ("23.1", "23.2"),
            ("sm_75", "sm_80"),
            (":00", ":01"),
            (": a", ": b"),
        ] {
            let changed = file.replacen(from, to, 1);
            let (read, text) = Header::read(&changed).unwrap();
            assert!(is_of_another(&read, text), "{from} to {to}");
        }
    }
}
