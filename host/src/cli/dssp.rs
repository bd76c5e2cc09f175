//! `prism dssp`: secondary structure in the files of mkdssp.

use super::args::{DsspArgs, DsspFormatArg};
use super::failure::{ALL_DONE, Failure, NOTHING_WRITTEN, SOME_FAILED};
use super::files::{Files, OUTPUT};
use super::folder::is_one;
use super::interrupt::Interrupt;
use super::job::{note_ignored, refuse_nothing};
use super::limits::no_thread;
use super::provenance::{self, Digests};
use super::texts::{Names, Texts, To, make_folder};
use super::whole_files::{Computed, Walk};
use crate::report::today;
use anyhow::anyhow;
use prism_host::ReadError;
use prism_host::dssp::{Dssp, DsspOptions};
use prism_host::inputs::{InputFailure, InputFile};
use prism_host::output::{OutputFile, check_place};
use prism_host::plural::counted;
use shared_types::MegaFusedConfig;
use std::cell::RefCell;
use std::path::Path;

impl DsspFormatArg {
    /// The extension of its files.
    fn extension(self) -> &'static str {
        match self {
            Self::Dssp => "dssp",
            Self::Mmcif => "cif",
        }
    }

    /// The format of a file by its name.
    fn of(path: &Path) -> Option<Self> {
        match path.extension()?.to_str()?.to_ascii_lowercase().as_str() {
            "dssp" => Some(Self::Dssp),
            "cif" | "mmcif" => Some(Self::Mmcif),
            _ => None,
        }
    }
}

/// Assigns secondary structure. Returns the exit status.
pub fn run(args: &DsspArgs) -> Result<u8, Failure> {
    if args.read.chooses() {
        let advice = "prism dssp takes the first model of each file as a whole, as mkdssp does; leave out options that choose parts of it";
        return Err(Failure::usage(anyhow!(advice)));
    }
    let interrupt = Interrupt::listen().map_err(|error| no_thread(&error))?;
    let output = args.output.as_deref().filter(|path| *path != Path::new("-"));
    let by_name = output.filter(|path| !is_one(path)).and_then(DsspFormatArg::of);
    let format = args.format.or(by_name).unwrap_or(DsspFormatArg::Dssp);
    let folder = output.filter(|_| by_name.is_none());
    if let Some(other) = folder.filter(|folder| folder.extension().is_some() && !is_one(folder)) {
        let advice = "give a .dssp or .cif for one structure, or a folder, ending with /";
        return Err(Failure::usage(anyhow!("{}: {advice}", other.display())));
    }
    if args.resume && folder.is_none() {
        return Err(Failure::usage(anyhow!("--resume is for a run into a folder: -o FOLDER/")));
    }
    args.status.as_deref().map_or(Ok(()), OutputFile::check_relation)?;
    let files = match folder {
        Some(folder) => Files::default().writes_into(OUTPUT, Some(folder), |entries| {
            let both = [DsspFormatArg::Dssp, DsspFormatArg::Mmcif];
            let names = both.map(|format| Names::of(entries.iter().flatten(), format.extension()));
            let of = |file: &InputFile| names.iter().map(|names| names.get(&file.name)).collect::<Vec<_>>();
            entries.iter().flatten().flat_map(of).collect()
        }),
        None => Files::default().writes_table(output),
    };
    let mut inputs = args.read.discover(&args.paths, files.writes("--status", args.status.as_deref()))?;
    refuse_nothing(&inputs)?;
    let to = match (output, folder) {
        (_, Some(folder)) => {
            make_folder(folder)?;
            // Of all inputs, so that each share has the same names.
            To::Folder(folder.to_owned(), Names::of(inputs.entries.iter().flatten(), format.extension()))
        }
        (Some(file), None) => {
            check_place(file)?;
            To::File(file.to_owned())
        }
        (None, None) => To::StandardOutput,
    };
    if let Some(shard) = args.shard {
        inputs.entries = shard.of_inputs(inputs.entries).map_err(Failure::work)?;
    }
    let provenance = provenance::without_engine(MegaFusedConfig::default(), &Digests::default());
    let mut walk =
        Walk::new(interrupt, inputs.entries.len(), args.status.as_deref(), &provenance, args.read.fail_fast)?;
    note_ignored(&inputs, &walk.report);
    let (options, date) = (DsspOptions { shortest_polyproline: usize::from(args.min_pp_stretch) }, today());
    // Errors without the name, which the report has.
    let reason = |error: ReadError| InputFailure::from(error).reason;
    let compute = |bytes: &[u8], name: &str| {
        let mut dssp = Dssp::of_bytes(bytes, name, &options).map_err(reason)?;
        let of = match format {
            DsspFormatArg::Dssp => {
                let chains = dssp.chains_of_one_letter().join(", ");
                if !chains.is_empty() {
                    dssp.notes.push(format!(
                        "the text has the first letter of a chain's id alone, which is shared by {chains}"
                    ));
                }
                dssp.text(&date)
            }
            DsspFormatArg::Mmcif => dssp.annotated(bytes, name).map_err(reason)?,
        };
        Ok(Computed { size: [dssp.residues.len(), dssp.n_atoms()], lines: dssp.residues.len(), notes: dssp.notes, of })
    };
    let texts = RefCell::new(Texts::new(to));
    let mut kept = 0;
    let is_done = |name: &str| {
        let is_there = args.resume && texts.borrow_mut().keep(name);
        kept += usize::from(is_there);
        is_there
    };
    walk.over(inputs.entries, true, is_done, &compute, |name, text: String| texts.borrow_mut().write(name, &text))?;
    walk.end_status()?;
    if kept > 0 {
        let kept = counted(kept, "structure has its file", "structures have their files");
        walk.report.note(&format!("{kept} already"));
    }
    walk.sum_up("secondary structure by DSSP");
    Ok(match walk.report.exit_status() {
        NOTHING_WRITTEN if kept > 0 && walk.report.failed == 0 => ALL_DONE,
        NOTHING_WRITTEN if kept > 0 => SOME_FAILED,
        status => status,
    })
}
