//! Structure files to [`StructureInput`]: PDB, mmCIF and others, plain or compressed, told apart by content.
//!
//! A residue is a run of consecutive records, `HETATM` included, with the same chain, number and insertion code. Runs are
//! never merged. A residue has a row if it is an amino acid of a chain ([`Residues`]). A run with `ATOM` records is an
//! amino acid if its name is standard, a force field's, `UNK`, or a component that the Chemical Component Dictionary links
//! into peptides, or if its N, CA and C are bonded to each other. A run of `HETATM` records alone must also belong to a
//! chain: the file says so (mmCIF `label_seq_id`; PDB MODRES and SEQRES), or it is bonded to a neighbour, C to N below 2 Å.
//!
//! Hydrogens and deuterium are left out. A residue keeps one of its alternate locations ([`Alternates`]). Each requested
//! model ([`Models`]) of each data block with atoms becomes a structure. Chain ids and numbers are the author's.
//!
//! Each such choice is reported as a [`Note`]. A file is refused if reading it would give a wrong number or silently drop
//! part of the structure. See [`Problem`].

mod alignment;
mod arrays;
mod assembly;
mod atom_site;
mod b_column;
mod bcif;
mod cif;
mod components;
mod compressed;
mod contents;
mod draft;
mod error;
mod foldcomp;
mod frames;
mod gzip;
mod masks;
mod note;
mod number;
mod options;
mod pdb;
mod pqr;
mod references;
mod select;
mod tables;

pub use arrays::{AtomArrays, Texts, read_arrays};
pub(crate) use b_column::is_cif;
pub use b_column::{NamedResidue, with_b_column};
pub use compressed::COMPRESSED;
pub(crate) use compressed::{Compression, Unfolding};
pub(crate) use contents::contents;
pub use error::{Problem, ReadError};
pub use note::{Note, NoteKind};
pub use options::{Alternates, Models, ReadOptions, Residues};

use crate::structure::StructureInput;
use compressed::plain;
use draft::{Draft, Facts};
use error::Fault;
use std::borrow::Cow;
use std::collections::HashSet;
use std::path::Path;

/// A structure, and what its reader reports about the file.
#[derive(Clone, Debug)]
pub struct ReadStructure {
    /// The structure.
    pub structure: StructureInput,
    /// Oddities of the file that do not prevent reading, as sentences without the file's name. The notes include them.
    pub warnings: Vec<String>,
    /// Notes: choices that were made, and oddities.
    pub notes: Vec<Note>,
    /// Number of models in the file or data block, read or not.
    pub models: usize,
}

/// Reads a structure from a file. See [`read_bytes`].
///
/// # Errors
/// If the file cannot be read, and as [`read_bytes`].
///
/// ```
/// use prism_host::read::{ReadOptions, read_path};
///
/// let read = read_path("../data/6m0j_rbd.pdb", "rbd", &ReadOptions::default())?;
/// let structure = &read.structure;
/// assert_eq!((structure.name.as_str(), structure.n_residues()), ("rbd", 194));
/// assert_eq!(structure.chains, ["E"]);
/// for warning in &read.warnings {
///     println!("{}: {warning}", structure.name);
/// }
/// # Ok::<(), prism_host::ReadError>(())
/// ```
pub fn read_path(path: impl AsRef<Path>, name: &str, options: &ReadOptions) -> Result<ReadStructure, ReadError> {
    let bytes = contents(path.as_ref()).map_err(|problem| ReadError { name: name.to_owned(), line: None, problem })?;
    read_bytes(&bytes, name, options)
}

/// Reads a structure from a file's bytes; the format follows from the content. `name` becomes the structure's name. If the
/// bytes hold several structures, it returns the first, with a warning; [`read_structures`] returns all.
///
/// # Errors
/// If the bytes are not a complete file of a known format, if an atom's record is damaged, or if no residues remain. Line
/// numbers refer to the decompressed text.
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
/// let options = ReadOptions { chains: Some(vec!["B".to_owned()]), ..ReadOptions::default() };
/// assert_eq!(read_bytes(pdb, "one", &options)?.structure.chains, ["B"]);
/// assert!(read_bytes(b"no structure", "none", &options).is_err());
/// # Ok::<(), prism_host::ReadError>(())
/// ```
pub fn read_bytes(bytes: &[u8], name: &str, options: &ReadOptions) -> Result<ReadStructure, ReadError> {
    let mut all = read_structures(bytes, name, options);
    let others = all.len() - 1;
    let mut first = all.swap_remove(0)?;
    if others > 0 {
        let read = std::mem::replace(&mut first.structure.name, name.to_owned());
        let text = format!("{read:?} is read; {others} more after it are not");
        first.warnings.push(text.clone());
        first.notes.push(Note { kind: NoteKind::Others, text });
    }
    Ok(first)
}

/// Reads all structures of a file's bytes: each requested model of each data block with atoms. If there are several, `#`
/// and the block's name or the model's number are added to `name`. Returns at least one result.
///
/// ```
/// use prism_host::read::{Models, ReadOptions, read_structures};
///
/// let model = |number: i32, x: f64| {
///     format!("MODEL     {number:4}\nATOM      1  CA  GLY A   1    {x:8.3}   2.000   3.000  1.00 10.00           C\nENDMDL\n")
/// };
/// let text = format!("{}{}END\n", model(1, 0.0), model(2, 1.5));
/// let options = ReadOptions { models: Models::All, ..ReadOptions::default() };
/// let read = |options: &ReadOptions| -> Vec<String> {
///     read_structures(text.as_bytes(), "x.pdb", options).into_iter().map(|read| read.unwrap().structure.name).collect()
/// };
/// assert_eq!(read(&options), ["x.pdb#1", "x.pdb#2"]);
/// assert_eq!(read(&ReadOptions::default()), ["x.pdb"]);
/// ```
#[must_use]
pub fn read_structures(bytes: &[u8], name: &str, options: &ReadOptions) -> Vec<Result<ReadStructure, ReadError>> {
    let text = match plain(bytes) {
        Ok(text) => text,
        Err(problem) => return vec![Err(ReadError { name: name.to_owned(), line: None, problem })],
    };
    let text = text.strip_prefix(b"\xef\xbb\xbf").unwrap_or(&text);
    let text =
        if is_binary(text) || text.starts_with(foldcomp::MAGIC) { Cow::Borrowed(text) } else { with_line_feeds(text) };
    match read_text(&text, options) {
        Ok(mut models) => {
            number_repeated(&mut models);
            let finished = |(suffix, model): (String, Result<Model, Fault>)| {
                let name = format!("{name}{suffix}");
                let read = model.and_then(|model| model.draft.finish(&name, &model.facts, options));
                read.map_err(|fault| fault.into_error(&name, &text))
            };
            models.into_iter().map(finished).collect()
        }
        Err(fault) => vec![Err(fault.into_error(name, &text))],
    }
}

/// Replaces carriage returns by line feeds if the text ends its lines with carriage returns alone.
fn with_line_feeds(text: &[u8]) -> Cow<'_, [u8]> {
    if memchr::memchr(b'\n', text).is_some() || memchr::memchr(b'\r', text).is_none() {
        return Cow::Borrowed(text);
    }
    Cow::Owned(text.iter().map(|&c| if c == b'\r' { b'\n' } else { c }).collect())
}

/// A model to read as a structure.
struct Model {
    draft: Draft,
    facts: Facts,
}

/// The structures of a text, each with the suffix of its name; each may fail by itself.
type Found = Vec<(String, Result<Model, Fault>)>;

fn read_text(text: &[u8], options: &ReadOptions) -> Result<Found, Fault> {
    let format = format_of(text);
    match format {
        Format::Empty => Err(Fault::whole(Problem::Empty)),
        Format::Foreign(what) => Err(Fault::whole(Problem::OtherFormat(what))),
        Format::Pdb | Format::Pqr | Format::FoldComp => {
            let found = match format {
                Format::Pqr => pqr::read(text, options)?,
                Format::FoldComp => foldcomp::read(text, options)?,
                _ => read_pdb(text, options)?,
            };
            Ok(models(Ok(found.models), "", found.met, &found.facts, options))
        }
        Format::Cif | Format::BinaryCif => {
            let blocks = match format {
                Format::Cif => cif::read(text, options)?,
                _ => bcif::read(text, options)?,
            };
            let several = blocks.len() > 1;
            let of_block = |block: cif::Block| {
                let suffix = if several { format!("#{}", block.name) } else { String::new() };
                models(block.models, &suffix, block.met, &block.facts, options)
            };
            Ok(blocks.into_iter().flat_map(of_block).collect())
        }
    }
}

/// Makes names unique where data blocks have the same name, or models the same number: the second becomes `#NAME#2`.
fn number_repeated(found: &mut Found) {
    if found.len() < 2 {
        return;
    }
    let mut known = HashSet::new();
    for (suffix, _) in found {
        let mut place = 2;
        let mut name = suffix.clone();
        while !known.insert(name.clone()) {
            name = format!("{suffix}#{place}");
            place += 1;
        }
        *suffix = name;
    }
}

/// Frames without `MODEL` records have no numbers to select by until all of them are read.
fn read_pdb(text: &[u8], options: &ReadOptions) -> Result<pdb::Found, Fault> {
    match pdb::read(text, options) {
        Err(Fault { problem: Problem::NoModel { met: 1, .. }, .. }) => {
            pdb::read(text, &ReadOptions { models: Models::All, ..options.clone() })
        }
        found => found,
    }
}

/// The models of one block, with the suffixes of their names.
fn models(
    found: Result<Vec<(i32, Draft)>, Fault>,
    suffix: &str,
    met: usize,
    facts: &Facts,
    options: &ReadOptions,
) -> Found {
    let found = match found {
        Ok(found) => found,
        Err(fault) => return vec![(suffix.to_owned(), Err(fault))],
    };
    let (found, met) = frames::split(found, met, options);
    let mut facts = Facts { models: met, ..facts.clone() };
    if met > 1 && options.models == Models::First {
        facts.notes.push(Note { kind: NoteKind::Models, text: format!("the first of {met} models is read") });
    }
    if let (Models::Number(number), true) = (options.models, found.is_empty()) {
        return vec![(suffix.to_owned(), Err(Fault::whole(Problem::NoModel { number, met })))];
    }
    let several = options.models == Models::All && met > 1;
    let model = |(number, draft)| {
        let suffix = if several { format!("{suffix}#{number}") } else { suffix.to_owned() };
        (suffix, Ok(Model { draft, facts: facts.clone() }))
    };
    found.into_iter().map(model).collect()
}

#[derive(Clone, Copy, Debug, PartialEq)]
enum Format {
    Empty,
    Pdb,
    Pqr,
    Cif,
    BinaryCif,
    FoldComp,
    /// A format that is not read, with a hint what to do.
    Foreign(&'static str),
}

/// Whether the bytes are a MessagePack map rather than text.
fn is_binary(text: &[u8]) -> bool {
    matches!(text.first(), Some(0x80..=0x8f | 0xde | 0xdf))
}

/// Why a text in a known format of another kind is not read.
fn foreign_text(text: &[u8]) -> Option<&'static str> {
    /// Where what names the format stands.
    const HEAD: usize = 4096;
    let text = text.trim_ascii_start();
    let head = text[..text.len().min(HEAD)].to_ascii_lowercase();
    let has = |word: &[u8]| memchr::memmem::find(&head, word).is_some();
    match text.first() {
        Some(b'<') if has(b"pdbx") => Some(PDBML),
        Some(b'<') if has(b"<html") || has(b"<!doctype html") => Some(HTML),
        Some(b'{') if has(b"\"data_") || has(b"atom_site") => Some(MMJSON),
        _ => None,
    }
}

pub(crate) const PDBML: &str = "PDBML is not supported; fetch the .cif file";
pub(crate) const MMJSON: &str = "mmJSON is not supported; fetch the .cif file";
const HTML: &str = "is a web page and no structure; the server may have answered with an error: fetch the file again";

/// Determines the format from the content. mmCIF declares itself in its first word. Everything else goes to the PDB reader,
/// which skips records that it does not know.
fn format_of(text: &[u8]) -> Format {
    if text.is_empty() {
        return Format::Empty;
    }
    // BinaryCIF is a MessagePack map of at least these keys, in any order.
    if is_binary(text) {
        let head = &text[..text.len().min(256)];
        let has = |key: &[u8]| memchr::memmem::find(head, key).is_some();
        if has(b"mmtfVersion") {
            return Format::Foreign(
                "MMTF is not supported, and no longer published: fetch the .bcif.gz or .cif.gz file",
            );
        }
        if has(b"\xaadataBlocks") || has(b"\xa7encoder") || has(b"\xa7version") {
            return Format::BinaryCif;
        }
    }
    if text.starts_with(foldcomp::MAGIC) {
        return Format::FoldComp;
    }
    if let Some(what) = foreign_text(text) {
        return Format::Foreign(what);
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
    } else if pqr::is_one(text) {
        Format::Pqr
    } else {
        Format::Pdb
    }
}
