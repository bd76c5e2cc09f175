//! Structure files to [`StructureInput`]: PDB, mmCIF and others, plain or compressed, told apart by content.
//!
//! A residue is a run of consecutive records, `HETATM` included, with the same chain, number and insertion code. Runs are
//! never merged. A residue has a row if it is an amino acid of a chain ([`Residues`]). A run with `ATOM` records is an
//! amino acid if its name is standard, a force field's, `UNK`, or a component that the Chemical Component Dictionary links
//! into peptides, or if its N, CA and C are bonded to each other. A run of `HETATM` records alone must also belong to a
//! chain: the file says so (mmCIF `label_seq_id`; PDB MODRES and SEQRES), or it is bonded to a neighbour, C to N below 2 Å.
//! Programs that number no residue in `HETATM` records leave this to the bond, too.
//!
//! Hydrogens and deuterium are left out. A residue keeps one of its alternate locations ([`Alternates`]). Each requested
//! model ([`Models`]) of each data block with atoms becomes a structure. Chain ids and numbers are the author's; molecules that
//! have one chain id become chains of their own.
//!
//! Each such choice is reported as a [`Note`]. A file is refused if reading it would give a wrong number or silently drop
//! part of the structure. See [`Problem`].

mod arrays;
mod assembly;
pub(crate) mod atoms;
mod b_column;
mod bcif;
mod bonds;
mod cif;
mod classes;
mod components;
mod compressed;
mod confidence;
mod contents;
mod deposited;
mod draft;
mod each;
#[doc(hidden)]
pub mod elements;
mod error;
mod every_atom;
mod facts;
mod failure;
mod finish;
mod fixed;
mod foldcomp;
mod foreign;
mod format;
mod frames;
#[doc(hidden)]
pub mod grid;
mod gzip;
mod ions;
mod joined;
mod lines;
mod links;
mod masks;
#[doc(hidden)]
pub mod mean;
mod models;
mod molecules;
mod named_residue;
#[doc(hidden)]
pub mod nearest;
mod note;
mod number;
mod options;
mod patterns;
mod pdb;
mod placeholders;
#[doc(hidden)]
pub mod plural;
mod polymers;
mod pqr;
pub mod radii;
mod records;
mod references;
mod scale;
mod select;
mod selected;
pub mod selection;
pub mod structure;
mod system;
mod tables;
mod virtual_sites;
mod without;
mod word;

pub use arrays::{AtomArrays, Texts, read_arrays};
#[doc(hidden)]
pub use b_column::is_cif;
pub use b_column::with_b_column;
#[doc(hidden)]
pub use bonds::of_copies;
#[doc(hidden)]
#[doc(hidden)]
pub use cif::quoted;
pub use classes::{AtomClass, Classes, ResidueClass};
pub use compressed::COMPRESSED;
#[doc(hidden)]
pub use compressed::{Compression, Unfolding};
#[doc(hidden)]
pub use confidence::from_b_column;
#[doc(hidden)]
pub use contents::{contents, open, with_contents};
pub use error::{Problem, ReadError};
#[doc(hidden)]
pub use every_atom::{AtomRecord, each_atom, each_atom_but_damaged_water, each_row};
pub use facts::ADDED_METRIC;
pub use failure::InputFailure;
#[doc(hidden)]
pub use finish::centred;
#[doc(hidden)]
pub use foreign::{GRO, MMJSON, PDBML, SMALL_MOLECULE, TPR, TRAJECTORY, unmarked};
#[doc(hidden)]
pub use links::LinkEnd;
pub use links::LinkKind;
#[doc(hidden)]
pub use molecules::author_chain;
pub use named_residue::NamedResidue;
pub use note::{Note, NoteKind, ReadStructure};
pub use options::{Alternates, Each, Models, Polymers, ReadOptions, Residues};
#[doc(hidden)]
pub use placeholders::is_without_place;
#[doc(hidden)]
pub use polymers::{Header, HeaderOfPdb, MONTHS, Molecule, PolymerAtoms, PolymerResidue, asym_of, read_polymers};
#[doc(hidden)]
pub use scale::unit_doubt;
pub use structure::{Composition, ResidueLabels, StructureError, StructureInput};
#[doc(hidden)]
pub use system::{ComponentBond, SystemContents, read_components, read_system};
#[doc(hidden)]
pub use without::{Category, first_model, take_categories, unquoted, without_categories};
#[doc(hidden)]
pub use word::{as_text, listed_ids, residue_name, text_of};

#[doc(hidden)]
pub use compressed::plain;
use error::Fault;
use format::{Format, Named, format_of_named, normal};
use models::{Found, Model, models, number_repeated};
use select::Syntax;
use std::borrow::Cow;
use std::path::Path;

/// Reads a structure from a file. See [`read_bytes`], and [`read_path_structures`] for the part that the file's name has.
///
/// # Errors
/// If the file cannot be read, and as [`read_bytes`].
///
/// ```
/// use prism_read::{ReadOptions, read_path};
///
/// let read = read_path("../../data/6m0j_rbd.pdb", "rbd", &ReadOptions::default())?;
/// let structure = &read.structure;
/// assert_eq!((structure.name.as_str(), structure.n_residues()), ("rbd", 194));
/// assert_eq!(structure.chains, ["E"]);
/// for warning in &read.warnings {
///     println!("{}: {warning}", structure.name);
/// }
/// # Ok::<(), prism_read::ReadError>(())
/// ```
pub fn read_path(path: impl AsRef<Path>, name: &str, options: &ReadOptions) -> Result<ReadStructure, ReadError> {
    first(read_path_structures(path, name, options), name)
}

/// Reads all structures of a file, as [`read_structures`] those of its bytes. Where the content could be PDB or PQR, the file's own
/// name decides, which `name` need not end with.
///
/// ```
/// use prism_read::{ReadOptions, read_path_structures};
///
/// let all = read_path_structures("../../data/6m0j_rbd.pdb", "rbd", &ReadOptions::default());
/// assert_eq!(all[0].as_ref().unwrap().structure.name, "rbd");
/// assert!(read_path_structures("no/such/file.pdb", "none", &ReadOptions::default())[0].is_err());
/// ```
#[must_use]
pub fn read_path_structures(
    path: impl AsRef<Path>,
    name: &str,
    options: &ReadOptions,
) -> Vec<Result<ReadStructure, ReadError>> {
    let path = path.as_ref();
    let file = path.file_name().map_or_else(|| Cow::Borrowed(name), std::ffi::OsStr::to_string_lossy);
    with_contents(path, |bytes| of_bytes(bytes, Named { structure: name, file: &file }, options))
        .unwrap_or_else(|problem| vec![Err(ReadError { name: name.to_owned(), line: None, problem })])
}

/// Reads a structure from a file's bytes; the format follows from the content. `name` becomes the structure's name. If the
/// bytes hold several structures, it returns the first, with a warning; [`read_structures`] returns all.
///
/// # Errors
/// If the bytes are not a complete file of a known format, if an atom's record is damaged, or if no residues remain. Line
/// numbers refer to the decompressed text.
///
/// ```
/// use prism_read::{ReadOptions, read_bytes};
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
/// # Ok::<(), prism_read::ReadError>(())
/// ```
pub fn read_bytes(bytes: &[u8], name: &str, options: &ReadOptions) -> Result<ReadStructure, ReadError> {
    first(read_structures(bytes, name, options), name)
}

/// The first of a file's structures, with a warning if there are others.
fn first(mut all: Vec<Result<ReadStructure, ReadError>>, name: &str) -> Result<ReadStructure, ReadError> {
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
/// use prism_read::{Models, ReadOptions, read_structures};
///
/// let model = |number: i32, x: f64| {
///     format!("MODEL     {number:4}\nATOM      1  CA  GLY A   1    {x:8.3}   2.000   3.000  1.00 10.00           C\nENDMDL\n")
/// };
/// let text = format!("{}{}END\n", model(1, 0.0), model(2, 1.5));
/// let options = ReadOptions { models: Models::All, ..ReadOptions::default() };
/// let read = |options: &ReadOptions| -> Vec<String> {
///     read_structures(text.as_bytes(), "x.pdb", options).into_iter().map(|read| read.unwrap().structure.name.clone()).collect()
/// };
/// assert_eq!(read(&options), ["x.pdb#1", "x.pdb#2"]);
/// assert_eq!(read(&ReadOptions::default()), ["x.pdb"]);
/// ```
#[must_use]
pub fn read_structures(bytes: &[u8], name: &str, options: &ReadOptions) -> Vec<Result<ReadStructure, ReadError>> {
    of_bytes(bytes, Named::both(name), options)
}

fn of_bytes(bytes: &[u8], name: Named<'_>, options: &ReadOptions) -> Vec<Result<ReadStructure, ReadError>> {
    let text = match plain(bytes) {
        Ok(text) => text,
        Err(problem) => return vec![Err(ReadError { name: name.structure.to_owned(), line: None, problem })],
    };
    let all = read_plain(&text, name, options);
    if let Cow::Owned(text) = text {
        gzip::keep(text);
    }
    all
}

/// All structures of a text that is not compressed.
fn read_plain(text: &[u8], name: Named<'_>, options: &ReadOptions) -> Vec<Result<ReadStructure, ReadError>> {
    let text = normal(text);
    if options.each == Each::Assembly {
        return read_assemblies(&text, name, options);
    }
    let mut all = read_models(&text, name, options, options);
    if let Some(chains) = &options.chains
        && lacking(&all, chains) > 0
        && chains.iter().any(|chain| pdb::has_segment(&text, chain))
    {
        // Segments become chains only where all records are read.
        let whole = ReadOptions { chains: None, ..options.clone() };
        let by_segment = read_models(&text, name, &whole, options);
        if lacking(&by_segment, chains) < lacking(&all, chains) {
            all = by_segment;
        }
    }
    if options.models != Models::All
        && let [Err(ReadError { problem: Problem::NoResidues(_, place), .. })] = &mut all[..]
    {
        *place += &model_with_protein(&text, name, options);
    }
    all
}

/// The structures of a text: `reading` says which records to read, `options` which structures to make of them.
fn read_models(
    text: &[u8],
    name: Named<'_>,
    reading: &ReadOptions,
    options: &ReadOptions,
) -> Vec<Result<ReadStructure, ReadError>> {
    let mut models = match read_text(text, name, reading) {
        Ok(models) => models,
        Err(fault) => return vec![Err(fault.into_error(name.structure, text))],
    };
    number_repeated(&mut models);
    let finished = |(suffix, model): (String, Result<Model, Fault>)| {
        let name = format!("{}{suffix}", name.structure);
        let read = match model {
            Ok(model) => model.draft.finish(&name, &model.facts, options),
            Err(fault) => vec![(name, Err(fault))],
        };
        read.into_iter().map(|(name, read)| read.map_err(|fault| fault.into_error(&name, text))).collect::<Vec<_>>()
    };
    models.into_iter().flat_map(finished).collect()
}

/// Every assembly of a text as a structure of its own. The text is read once for each of them.
fn read_assemblies(text: &[u8], name: Named<'_>, options: &ReadOptions) -> Vec<Result<ReadStructure, ReadError>> {
    let refused = |fault: Fault| vec![Err(fault.into_error(name.structure, text))];
    if options.assembly.is_some() {
        return refused(Fault::whole(Problem::NoAssembly(
            "one assembly is asked for, and each of them: give only one of both".to_owned(),
        )));
    }
    let found = match read_once(text, name, options) {
        Ok(found) => found,
        Err(fault) => return refused(fault),
    };
    let mut ids: Vec<String> = Vec::new();
    for (_, model) in found {
        match model {
            Ok(model) => {
                ids.extend(model.facts.listed.ids().into_iter().filter(|id| !ids.contains(id)).collect::<Vec<_>>())
            }
            Err(fault) => return refused(fault),
        }
    }
    if ids.is_empty() {
        let text = "the file describes no assembly, each of which is asked for; without --each assembly its chains are read as they are";
        return refused(Fault::whole(Problem::NoAssembly(text.to_owned())));
    }
    let mut all = Vec::new();
    for id in ids {
        let own = ReadOptions { each: Each::Model, assembly: Some(id.clone()), ..options.clone() };
        for mut read in read_models(text, name, &own, &own) {
            match &mut read {
                Ok(read) => read.structure.name = format!("{}:{id}", read.structure.name),
                Err(error) => error.name = format!("{}:{id}", error.name),
            }
            all.push(read);
        }
    }
    all
}

/// How many of the requested chains structures lack.
fn lacking(all: &[Result<ReadStructure, ReadError>], chains: &[String]) -> usize {
    let lacks = |read: &ReadStructure| read.notes.iter().filter(|note| note.kind == NoteKind::MissingChain).count();
    all.iter().map(|read| read.as_ref().map_or(chains.len(), lacks)).sum()
}

/// For a model without protein, the first one that has some; empty if none has.
#[cold]
fn model_with_protein(text: &[u8], name: Named<'_>, options: &ReadOptions) -> String {
    let all = ReadOptions { models: Models::All, ..options.clone() };
    let read = read_models(text, Named { structure: "", ..name }, &all, &all).into_iter().flatten().next();
    let number = |read: &ReadStructure| read.structure.name.rsplit_once('#').map(|(_, number)| number.to_owned());
    read.as_ref().and_then(number).map_or_else(String::new, |number| {
        format!(" in the model that was read; model {number} has some (--model {number}, or --model all)")
    })
}

/// Reads a text. It is read again if its atoms have confidences of their own, which a first reading does not collect: files say
/// behind their atoms, too, that they are predicted.
fn read_text(text: &[u8], name: Named<'_>, options: &ReadOptions) -> Result<Found, Fault> {
    let found = read_once(text, name, options)?;
    let has_own = |model: &Model| {
        !model.draft.b_is_uniform() && confidence::source(&model.draft, name.structure, &model.facts).is_some()
    };
    if !options.average_b && found.iter().any(|(_, model)| model.as_ref().is_ok_and(has_own)) {
        return read_once(text, name, &ReadOptions { average_b: true, ..options.clone() });
    }
    Ok(found)
}

fn read_once(text: &[u8], name: Named<'_>, options: &ReadOptions) -> Result<Found, Fault> {
    let format = format_of_named(text, name.file);
    match format {
        Format::Empty => Err(Fault::whole(Problem::Empty)),
        Format::Foreign(what) => Err(Fault::whole(Problem::OtherFormat(what))),
        Format::Pdb | Format::Pqr | Format::PqrColumns | Format::FoldComp => {
            let found = match format {
                Format::Pqr => pqr::read(text, options)?,
                Format::PqrColumns => read_pqr_columns(text, options)?,
                Format::FoldComp => foldcomp::read(text, options)?,
                _ => read_pdb(text, options, pdb::SYNTAX)?,
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

/// Frames without `MODEL` records have no numbers to select by until all of them are read.
fn read_pdb(text: &[u8], options: &ReadOptions, syntax: Syntax) -> Result<pdb::Found, Fault> {
    match pdb::read(text, options, syntax) {
        Err(Fault { problem: Problem::NoModel { numbers, .. }, .. }) if numbers.len() == 1 => {
            pdb::read(text, &ReadOptions { models: Models::All, ..options.clone() }, syntax)
        }
        found => found,
    }
}

fn read_pqr_columns(text: &[u8], options: &ReadOptions) -> Result<pdb::Found, Fault> {
    let mut found = read_pdb(text, options, pdb::PQR_SYNTAX)?;
    let text =
        "PQR in the columns of PDB: what stands as occupancy and B factor are charges and radii, which are not used";
    found.facts.notes.push(Note { kind: NoteKind::Repaired, text: text.to_owned() });
    Ok(found)
}
