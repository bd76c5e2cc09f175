//! `prism dssp`: secondary structure in the files of mkdssp.

use super::args::{DsspArgs, DsspFormatArg};
use super::failure::Failure;
use super::files::{Files, OUTPUT};
use super::folder::is_one;
use super::interrupt::Interrupt;
use super::job::{note_ignored, refuse_nothing};
use super::limits::no_thread;
use super::report::Report;
use super::whole_files::{Work, each_batch};
use crate::report::today;
use anyhow::anyhow;
use prism_host::ReadError;
use prism_host::dssp::{Dssp, DsspOptions};
use prism_host::inputs::{InputFailure, InputFile, stem};
use prism_host::output::{check_place, write_whole};
use rayon::prelude::*;
use std::collections::{HashMap, HashSet};
use std::io::{Write as _, stdout};
use std::path::{Component, Path, PathBuf};

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
    let files = match output {
        Some(folder) if by_name.is_none() => Files::default().writes_into(OUTPUT, Some(folder), |entries| {
            let both = [DsspFormatArg::Dssp, DsspFormatArg::Mmcif];
            let names = both.map(|format| Names::of(entries.iter().flatten(), format));
            let of = |file: &InputFile| names.iter().map(|names| names.get(&file.name)).collect::<Vec<_>>();
            entries.iter().flatten().flat_map(of).collect()
        }),
        file => Files::default().writes_table(file),
    };
    let inputs = args.read.discover(&args.paths, files)?;
    let mut report = Report::new(inputs.entries.len());
    note_ignored(&inputs, &report);
    refuse_nothing(&inputs)?;
    let to = match output {
        None => To::StandardOutput,
        Some(file) if by_name.is_some() => {
            check_place(file)?;
            To::File(file)
        }
        Some(folder) if folder.extension().is_none() || is_one(folder) => {
            std::fs::create_dir_all(folder)
                .map_err(|error| Failure::work(anyhow!("{}: cannot be made: {error}", folder.display())))?;
            To::Folder(folder, Names::of(inputs.entries.iter().flatten(), format))
        }
        Some(other) => {
            let advice = "give a .dssp or .cif for one structure, or a folder, ending with /";
            return Err(Failure::usage(anyhow!("{}: {advice}", other.display())));
        }
    };
    let mut run = Run {
        to,
        format,
        options: DsspOptions { shortest_polyproline: usize::from(args.min_pp_stretch) },
        date: today(),
        report: &mut report,
        written: HashMap::new(),
        fail_fast: args.read.fail_fast,
    };
    each_batch(inputs.entries, |work| match interrupt.cancel().is_cancelled() {
        true => Err(Failure::Interrupted(interrupt.exit_status())),
        false => run.compute(work),
    })?;
    report.clear_bar();
    report.sum_up("secondary structure by DSSP");
    Ok(report.exit_status())
}

/// Where files go.
enum To<'a> {
    StandardOutput,
    File(&'a Path),
    Folder(&'a Path, Names),
}

/// The names of files in a folder: those of structures without extensions, or with them if that would give a name twice.
struct Names {
    twice: HashSet<PathBuf>,
    extension: &'static str,
}

impl Names {
    fn of<'a>(inputs: impl Iterator<Item = &'a InputFile>, format: DsspFormatArg) -> Self {
        let (mut seen, extension) = (HashSet::new(), format.extension());
        let names = inputs.map(|input| short(&input.name, extension));
        Self { twice: names.filter(|name| !seen.insert(name.clone())).collect(), extension }
    }

    fn get(&self, name: &str) -> PathBuf {
        let short = short(name, self.extension);
        if self.twice.contains(&short) { long(name, self.extension) } else { short }
    }
}

/// The place of a structure's file in the folder.
fn long(name: &str, extension: &str) -> PathBuf {
    let mut place: PathBuf = Path::new(name).components().filter(|part| matches!(part, Component::Normal(_))).collect();
    place.as_mut_os_string().push(format!(".{extension}"));
    place
}

fn short(name: &str, extension: &str) -> PathBuf {
    let path = Path::new(name);
    long(&path.with_file_name(stem(path)).to_string_lossy(), extension)
}

struct Run<'a> {
    to: To<'a>,
    format: DsspFormatArg,
    options: DsspOptions,
    date: String,
    report: &'a mut Report,
    /// The structures whose files were written, by those.
    written: HashMap<PathBuf, String>,
    fail_fast: bool,
}

impl Run<'_> {
    /// Computes structures side by side, and writes them in order. Returns whether to go on.
    fn compute(&mut self, work: Vec<Work>) -> Result<bool, Failure> {
        let (format, options, date) = (self.format, self.options, &self.date);
        // Errors without the name, which the report has.
        let reason = |error: ReadError| InputFailure::from(error).reason;
        let of = |bytes: &[u8], name: &str| {
            let dssp = Dssp::of_bytes(bytes, name, &options).map_err(reason)?;
            let text = match format {
                DsspFormatArg::Dssp => dssp.text(date),
                DsspFormatArg::Mmcif => dssp.annotated(bytes, name).map_err(reason)?,
            };
            Ok((dssp, text))
        };
        let done: Vec<_> = work.into_par_iter().map(|work| work.compute(of)).collect();
        for (name, result) in done {
            match result {
                Ok((dssp, text)) => {
                    self.write(&name, &text)?;
                    self.report.structures += 1;
                    self.report.residues += dssp.residues.len() as u64;
                    for note in &dssp.notes {
                        self.report.note(&format!("{name}: {note}"));
                    }
                }
                Err(reason) => self.report.error(&name, &reason),
            }
            self.report.advance(1);
            if self.fail_fast && self.report.failed > 0 {
                return Ok(false);
            }
        }
        Ok(true)
    }

    fn write(&mut self, name: &str, text: &str) -> Result<(), Failure> {
        let place = match &self.to {
            To::StandardOutput => PathBuf::from("-"),
            To::File(file) => file.to_path_buf(),
            To::Folder(folder, names) => folder.join(names.get(name)),
        };
        if let Some(first) = self.written.get(&place) {
            let advice = match self.to {
                To::Folder(..) => "give the structures other names (--name-by path)",
                _ => "a file holds one structure: give a folder, ending with /",
            };
            return Err(Failure::work(anyhow!("{name}: its text would replace that of {first}; {advice}")));
        }
        match self.to {
            To::StandardOutput => stdout().write_all(text.as_bytes()).and_then(|()| stdout().flush())?,
            To::File(_) => write_whole(&place, text.as_bytes())?,
            To::Folder(..) => {
                if let Some(folder) = place.parent() {
                    std::fs::create_dir_all(folder)
                        .map_err(|error| Failure::work(anyhow!("{}: cannot be made: {error}", folder.display())))?;
                }
                write_whole(&place, text.as_bytes())?;
            }
        }
        self.written.insert(place, name.to_owned());
        Ok(())
    }
}
