//! Structure files to [`StructureInput`]: PDB and mmCIF, plain or gzip, told apart by content.
//!
//! What is kept: the first model (PDB) or the first model of the first data block with atoms (mmCIF); `ATOM` records
//! of the 20 standard amino acids, without hydrogens and deuterium; of each atom name in a residue the first record
//! (alternate locations); of several residue names in one place (microheterogeneity) the first standard one. A residue
//! is a run of consecutive records, `HETATM` included, of one chain, number and insertion code; runs are never merged.
//! Author chain ids and numbers are used.
//!
//! What is refused: anything that would otherwise give a wrong number or a silently shorter structure. See
//! [`Problem`].

mod alignment;
mod atom_site;
mod cif;
mod error;
mod gzip;
mod masks;
mod number;
mod pdb;
mod select;

pub use error::{Problem, ReadError};

use crate::structure::StructureInput;
use error::Fault;
use select::Selection;
use std::borrow::Cow;
use std::path::Path;

/// What to read of a file.
///
/// The example of [`read_bytes`] has some; the default keeps every chain.
#[derive(Clone, Debug, Default)]
pub struct ReadOptions {
    /// Author chain ids to keep, all others being dropped before everything else; `None` keeps every chain.
    /// A PDB file's blank chain is `" "` (or `""`).
    pub chains: Option<Vec<String>>,
}

/// A structure, and what its reader should know about it.
#[derive(Clone, Debug)]
pub struct ReadStructure {
    /// The structure.
    pub structure: StructureInput,
    /// What is odd about the file but does not prevent its reading, in sentences that do not repeat
    /// its name.
    pub warnings: Vec<String>,
}

/// Reads a structure from a file. See [`read_bytes`].
///
/// # Errors
/// Where the file cannot be read, and as [`read_bytes`].
///
/// ```
/// use prism_host::read::{ReadOptions, read_path};
///
/// let read = read_path("../data/6m0j_rbd.pdb", "rbd", &ReadOptions::default())?;
/// let structure = &read.structure;
/// assert_eq!((structure.name.as_str(), structure.n_residues(), &structure.chains[..]), ("rbd", 194, &["E".to_owned()][..]));
/// for warning in &read.warnings {
///     println!("{}: {warning}", structure.name);
/// }
/// # Ok::<(), prism_host::ReadError>(())
/// ```
pub fn read_path(path: impl AsRef<Path>, name: &str, options: &ReadOptions) -> Result<ReadStructure, ReadError> {
    let bytes = std::fs::read(path).map_err(|error| ReadError {
        name: name.to_owned(),
        line: None,
        problem: Problem::Io(error),
    })?;
    read_bytes(&bytes, name, options)
}

/// Reads a structure from a file's bytes, whatever the file is called; `name` becomes the structure's name.
///
/// # Errors
/// Where the bytes are no whole PDB or mmCIF file (plain or gzip), where an atom's record is damaged, and where
/// nothing is left to compute on. Lines are those of the decompressed text.
///
/// ```
/// use prism_host::read::{ReadOptions, read_bytes};
///
/// let pdb = b"\
/// ATOM      1  CA  GLY A   1       1.000   2.000   3.000  1.00 10.00           C
/// ATOM      2  CA  ALA B   7       4.800   2.000   3.000  1.00 12.00           C
/// END
/// ";
/// let both = read_bytes(pdb, "two", &ReadOptions::default())?.structure;
/// assert_eq!((both.n_residues(), both.residue_numbers[1], both.bfactor[0]), (2, 7, 10.0));
/// assert_eq!(both.center, [2.9, 2.0, 3.0]);
///
/// let options = ReadOptions { chains: Some(vec!["B".to_owned()]) };
/// assert_eq!(read_bytes(pdb, "one", &options)?.structure.chains, ["B"]);
/// assert!(read_bytes(b"no structure", "none", &options).is_err());
/// # Ok::<(), prism_host::ReadError>(())
/// ```
pub fn read_bytes(bytes: &[u8], name: &str, options: &ReadOptions) -> Result<ReadStructure, ReadError> {
    let fail = |problem| ReadError { name: name.to_owned(), line: None, problem };
    let text =
        if gzip::is_gzip(bytes) { Cow::Owned(gzip::decompress(bytes).map_err(fail)?) } else { Cow::Borrowed(bytes) };
    let text: &[u8] = &text;
    let text = text.strip_prefix(b"\xef\xbb\xbf").unwrap_or(text);
    read_text(text, name, options).map_err(|fault| fault.into_error(name, text))
}

fn read_text(text: &[u8], name: &str, options: &ReadOptions) -> Result<ReadStructure, Fault> {
    match format_of(text) {
        Format::Empty => Err(Fault::whole(Problem::Empty)),
        Format::BinaryCif => Err(Fault::whole(Problem::BinaryCif)),
        Format::Pdb => {
            let mut selection = Selection::new(options, pdb::SYNTAX, text.len() / pdb::ATOM_LINE);
            let found = pdb::read(text, &mut selection)?;
            selection.finish(name, found.predicted, found.warnings)
        }
        Format::Cif => {
            let mut selection = Selection::new(options, atom_site::SYNTAX, text.len() / atom_site::ATOM_LINE);
            let found = cif::read(text, &mut selection)?;
            selection.finish(name, found.predicted, found.warnings)
        }
    }
}

#[derive(Clone, Copy, Debug, PartialEq)]
enum Format {
    Empty,
    Pdb,
    Cif,
    BinaryCif,
}

/// The format by content. mmCIF says so in its first word; all else is left to the PDB reader, which knows its
/// records and skips what it does not know.
fn format_of(text: &[u8]) -> Format {
    if text.is_empty() {
        return Format::Empty;
    }
    // BinaryCIF is a MessagePack map of at least these keys, in any order.
    if matches!(text[0], 0x80..=0x8f | 0xde | 0xdf) {
        let head = &text[..text.len().min(256)];
        let has = |key: &[u8]| memchr::memmem::find(head, key).is_some();
        if has(b"\xaadataBlocks") || has(b"\xa7encoder") || has(b"\xa7version") {
            return Format::BinaryCif;
        }
    }
    let starts =
        |word: &[u8], prefix: &str| word.get(..prefix.len()).is_some_and(|w| w.eq_ignore_ascii_case(prefix.as_bytes()));
    let mut rest = text;
    loop {
        rest = rest.trim_ascii_start();
        if rest.first() != Some(&b'#') {
            break;
        }
        rest = memchr::memchr(b'\n', rest).map_or(&[], |end| &rest[end..]);
    }
    if rest.first() == Some(&b'_') || ["data_", "loop_", "global_"].iter().any(|word| starts(rest, word)) {
        Format::Cif
    } else {
        Format::Pdb
    }
}
