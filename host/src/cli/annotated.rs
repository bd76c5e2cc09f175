//! `--annotate`: structures as mmCIF with columns of the table, by which viewers colour them.

use super::failure::Failure;
use super::files::Files;
use super::folder::is_one;
use super::job::Stop;
use super::report::{Report, warn};
use super::texts::{Names, Texts, To, make_folder};
use anyhow::anyhow;
use prism_host::inputs::{InputFailure, InputFile};
use prism_host::output::{AnnotatedStructures, Columns, OutputError, StructureRows, check_place};
use std::path::{Path, PathBuf};

/// The option's name.
const OPTION: &str = "--annotate";
/// The extension of its files.
const CIF: &str = "cif";

/// Where structures are written, and with what.
pub struct Annotated {
    path: PathBuf,
    structures: AnnotatedStructures,
    texts: Texts,
}

/// Whether a path is that of a file for one structure.
fn is_file(path: &Path) -> bool {
    let is_cif = |extension: &std::ffi::OsStr| [CIF, "mmcif"].iter().any(|own| extension.eq_ignore_ascii_case(own));
    !is_one(path) && path.extension().is_some_and(is_cif)
}

impl Annotated {
    /// Checks the place, and the columns of the table, of which all numbers are written if they `are_named`.
    pub fn of(path: &Path, columns: &Columns, are_named: bool) -> Result<Self, Failure> {
        if path.extension().is_some() && !is_file(path) && !is_one(path) {
            let advice = "give a .cif for one structure, or a folder, ending with /";
            return Err(Failure::usage(anyhow!("{OPTION} {}: {advice}", path.display())));
        }
        let structures = AnnotatedStructures::of(columns, are_named);
        if structures.names().is_empty() {
            let advice = "no column of --columns is a feature that is a number; name one, such as rsa";
            return Err(Failure::usage(anyhow!("{OPTION}: {advice}")));
        }
        if are_named {
            match &AnnotatedStructures::left_out(columns)[..] {
                [] => {}
                [name] => warn(&format!("{OPTION}: {name} is no feature that is a number, and is left out")),
                [names @ .., last] => {
                    let names = names.join(", ");
                    warn(&format!("{OPTION}: {names} and {last} are no features that are numbers, and are left out"));
                }
            }
        }
        if is_file(path) {
            check_place(path)?;
        }
        Ok(Self { path: path.to_owned(), structures, texts: Texts::new(To::StandardOutput) })
    }

    /// Adds what is written to a run's files.
    pub fn files(path: Option<&Path>, files: Files) -> Files {
        match path {
            Some(path) if is_file(path) => files.writes(OPTION, Some(path)),
            Some(path) => files.writes_into(OPTION, Some(path), names),
            None => files,
        }
    }

    /// Adds the files of structures.
    pub fn know<'a>(&mut self, inputs: impl Iterator<Item = &'a InputFile> + Clone) -> Result<(), Failure> {
        self.texts = Texts::new(match is_file(&self.path) {
            true => To::File(self.path.clone()),
            false => {
                make_folder(&self.path)?;
                To::Folder(self.path.clone(), Names::of(inputs.clone(), CIF))
            }
        });
        self.structures.know(inputs);
        Ok(())
    }

    /// Writes a structure, or reports why it cannot be written.
    pub fn write(&mut self, part: &StructureRows<'_>, report: &mut Report) -> Result<(), Stop> {
        let name = &part.structure.name;
        match self.structures.text(part) {
            Err(OutputError::ViewInput { problem, .. }) => {
                report.error(name, &format!("cannot be written as mmCIF: {problem}"));
            }
            Err(error) => return Err(error.into()),
            Ok(annotated) => {
                for (what, which) in &annotated.notes {
                    report.lack(name, what, which);
                }
                self.texts.write(name, &annotated.text)?;
            }
        }
        Ok(())
    }
}

fn names(entries: &[Result<InputFile, InputFailure>]) -> Vec<PathBuf> {
    let inputs = || entries.iter().flatten();
    let names = Names::of(inputs(), CIF);
    inputs().map(|input| names.get(&input.name)).collect()
}
