//! The comment at the head of a PTX file: its compiler, its inputs, and its kernels.

use std::fmt;

use crate::inputs::digest::text_digest;

/// The first line of every file that this package writes; the number changes with the header's format or the digested
/// inputs.
pub const TITLE: &str = "// PTX made by cuda_builder, format 1. Do not edit: change the kernels and build again.";

/// A PTX file's header.
///
/// ```
/// use cuda_builder::ptx::header::{Header, HeaderError, TITLE};
///
/// let header = Header {
///     package: "my-kernels".to_owned(),
///     target: "nvptx64-nvidia-cuda sm_75".to_owned(),
///     compiler: "rustc 1.95.0 (59807616e 2026-04-14)".to_owned(),
///     llvm: "22.1.2".to_owned(),
///     inputs: "sha256:00".to_owned(),
///     body: String::new(),
///     entries: vec!["scale".to_owned()],
/// };
/// let file = header.stamp(".version 6.3\n");
/// assert!(file.starts_with(TITLE));
/// let (read, body) = Header::read(&file)?;
/// assert_eq!((read.entries[0].as_str(), body), ("scale", ".version 6.3\n"));
/// assert_eq!(Header::read(&file.replace("6.3", "6.4")), Err(HeaderError::BodyChanged));
/// # Ok::<(), HeaderError>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Header {
    /// The kernel crate's name.
    pub package: String,
    /// `nvptx64-nvidia-cuda sm_75`.
    pub target: String,
    /// The first line of `rustc -vV`.
    pub compiler: String,
    /// The compiler's LLVM version.
    pub llvm: String,
    /// The digest of sources, locked dependencies and settings.
    pub inputs: String,
    /// The digest of the text below the header, to detect changes by hand.
    pub body: String,
    /// The kernels, sorted.
    pub entries: Vec<String>,
}

/// Why a file has no valid header.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum HeaderError {
    /// The first line differs.
    #[error("it does not start with the header of cuda_builder, format 1")]
    NoHeader,
    /// A line is missing or misplaced.
    #[error("its header lacks the `{0}` line")]
    MissingField(&'static str),
    /// The text below was changed.
    #[error("its text does not match the digest in its header: it was changed by hand")]
    BodyChanged,
}

const FIELDS: [&str; 7] = ["package", "target", "compiler", "llvm", "inputs", "body", "kernels"];

impl fmt::Display for Header {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "{TITLE}")?;
        let entries = self.entries.join(" ");
        let values = [&self.package, &self.target, &self.compiler, &self.llvm, &self.inputs, &self.body, &entries];
        for (field, value) in FIELDS.iter().zip(values) {
            writeln!(f, "// {field}: {value}")?;
        }
        Ok(())
    }
}

impl Header {
    /// Adds the header to a text. [`Header::body`] is set to the text's digest.
    pub fn stamp(mut self, body: &str) -> String {
        self.body = text_digest(body);
        format!("{self}{body}")
    }

    /// Reads the header of a file and checks its text against the digest.
    ///
    /// # Errors
    /// If there is no header of this format, or the text was changed.
    pub fn read(file: &str) -> Result<(Header, &str), HeaderError> {
        let mut rest =
            file.strip_prefix(TITLE).and_then(|rest| rest.strip_prefix('\n')).ok_or(HeaderError::NoHeader)?;
        let mut values = [""; FIELDS.len()];
        for (field, value) in FIELDS.iter().zip(&mut values) {
            let (line, after) = rest.split_once('\n').ok_or(HeaderError::MissingField(field))?;
            let text = line.strip_prefix("// ").and_then(|line| line.strip_prefix(field));
            *value = text.and_then(|text| text.strip_prefix(": ")).ok_or(HeaderError::MissingField(field))?;
            rest = after;
        }
        let [package, target, compiler, llvm, inputs, body, entries] = values.map(str::to_owned);
        if text_digest(rest) != body {
            return Err(HeaderError::BodyChanged);
        }
        let entries = entries.split(' ').map(str::to_owned).collect();
        Ok((Header { package, target, compiler, llvm, inputs, body, entries }, rest))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn header() -> Header {
        Header {
            package: "my-kernels".to_owned(),
            target: "nvptx64-nvidia-cuda sm_75".to_owned(),
            compiler: "rustc 1.95.0 (59807616e 2026-04-14)".to_owned(),
            llvm: "22.1.2".to_owned(),
            inputs: "sha256:00".to_owned(),
            body: String::new(),
            entries: vec!["a".to_owned(), "b".to_owned()],
        }
    }

    #[test]
    fn a_stamped_file_reads_back() {
        let file = header().stamp("//\n.version 6.3\n");
        let (read, body) = Header::read(&file).unwrap();
        assert_eq!(body, "//\n.version 6.3\n");
        assert_eq!(read, Header { body: read.body.clone(), ..header() });
        assert_eq!(read.stamp(body), file);
    }

    #[test]
    fn a_changed_text_is_noticed() {
        let file = header().stamp(".version 6.3\nadd.f32\n").replace("add.f32", "sub.f32");
        assert_eq!(Header::read(&file), Err(HeaderError::BodyChanged));
    }

    #[test]
    fn other_files_are_told_apart() {
        assert_eq!(Header::read(".version 6.3\n"), Err(HeaderError::NoHeader));
        let file = header().stamp("x").replace("// llvm: 22.1.2\n", "");
        assert_eq!(Header::read(&file), Err(HeaderError::MissingField("llvm")));
        assert_eq!(Header::read(&format!("{TITLE}\n")), Err(HeaderError::MissingField("package")));
    }
}
