//! Records of a PDB file other than atoms.

use crate::assembly::Remark350;
use crate::b_column::{of_program, of_record, of_remark};
use crate::components::standard;
use crate::deposited::{self, Listed};
use crate::facts::{Facts, title};
use crate::molecules::Cell;
use crate::number::{decimal, pdb_residue_number};
use crate::options::{Each, ReadOptions};
use crate::references::References;
use crate::word::{pack, text_of};
use memchr::memchr2_iter;
use std::collections::{HashMap, HashSet};
use std::sync::Arc;

/// Facts from the records other than atoms.
#[derive(Debug, Default)]
pub(super) struct Header {
    /// Whether TITLE names a predictor or its confidence.
    predictor_in_title: bool,
    /// Whether a REMARK does.
    predictor_in_remark: bool,
    /// What a REMARK says that the B column holds.
    b_column: Option<String>,
    /// The same in the words of other programs, which counts in predicted models.
    b_column_of_model: Option<String>,
    /// Whether HEADER has the id of an entry of the PDB, which takes no predictions.
    is_entry: bool,
    /// Whether EXPDTA names an experiment.
    pub(super) experiment: bool,
    /// Whether the file has something else that only experiments have: a unit cell, a refinement, anisotropic B factors.
    pub(super) signs: bool,
    /// MODRES: name, chain, number and insertion code.
    modified: HashSet<(u64, u8, i32, u8)>,
    /// SEQRES: chains, in order; they may repeat.
    chains: Vec<u8>,
    /// SEQRES: chains and names, but of standard amino acids, which nothing asks for.
    sequences: HashSet<(u8, u64)>,
    /// SEQRES: the number of residues of each chain.
    lengths: Vec<(u8, usize)>,
    /// CRYST1.
    pub(super) cell: Option<Cell>,
    /// REMARK 350.
    pub(super) remark_350: Remark350,
    /// DBREF, if labels are requested.
    pub(super) references: References,
    takes_references: bool,
    /// The lines of TITLE and of COMPND, if they are requested.
    titles: [Vec<u8>; 2],
    takes_titles: bool,
}

impl Header {
    pub(super) fn new(options: &ReadOptions) -> Self {
        Self { takes_references: options.labels, takes_titles: options.atoms, ..Self::default() }
    }

    /// Takes a record, known by its first six columns.
    pub(super) fn record(&mut self, line: &[u8]) {
        match line.get(..6).unwrap_or(line) {
            b"SEQRES" => self.sequence(line),
            b"MODRES" => self.modified_residue(line),
            b"CRYST1" => {
                self.signs |= line.get(6..15).is_some_and(|a| !matches!(a.trim_ascii(), b"1.000" | b"0.000" | b""));
                self.cell = cell(line);
            }
            b"REMARK" => {
                self.signs = self.signs || matches!(line.get(7..10), Some(b"  3")) && has_word(line, b"REFINEMENT");
                if let Some(held) = of_record(line) {
                    self.b_column = Some(text_of(held));
                }
                let names_predictor = says_predicted(line);
                self.predictor_in_remark |= names_predictor;
                if self.b_column_of_model.is_none() && !names_predictor {
                    self.b_column_of_model = of_remark(line).or_else(|| of_program(line));
                }
                if line.get(7..10) == Some(b"350") {
                    self.remark_350.line(&String::from_utf8_lossy(&line[10..]));
                }
            }
            b"DBREF " | b"DBREF1" | b"DBREF2" if self.takes_references => self.references.record(line),
            b"EXPDTA" => self.experiment = !has_word(line, b"MODEL"),
            b"ANISOU" => self.signs = true,
            b"HEADER" => self.is_entry = line.get(62..66).is_some_and(is_entry_id),
            head if head.starts_with(b"TITLE") => {
                self.predictor_in_title = self.predictor_in_title || says_predicted(line);
                self.title(0, line);
            }
            b"COMPND" => self.title(1, line),
            _ => {}
        }
    }

    /// Whether the file names a predictor or its confidence.
    pub(super) fn names_predictor(&self) -> bool {
        self.predictor_in_title || self.predictor_in_remark
    }

    /// Whether the file says that it is a prediction. An experiment may name a predictor whose model it began with, mostly in a
    /// REMARK.
    pub(super) fn is_predicted(&self) -> bool {
        let is_experiment = self.signs || self.is_entry;
        !self.experiment && (self.predictor_in_title || self.predictor_in_remark && !is_experiment)
    }

    /// What the file says that its B column holds.
    pub(super) fn held(&self) -> Option<String> {
        let is_experiment = self.experiment || self.signs || self.is_entry;
        let in_other_words = || self.b_column_of_model.clone().filter(|_| !is_experiment);
        self.b_column.clone().or_else(in_other_words)
    }

    /// Adds what it says of assemblies and sequence databases.
    pub(super) fn take_into(self, facts: &mut Facts, options: &ReadOptions) {
        let [titles, compounds] = &self.titles;
        let molecule = title(&compounds.split(|c| *c == b'\n').collect::<Vec<_>>());
        let molecule = molecule.split_once("MOLECULE: ").map_or("", |(_, name)| name.split(';').next().unwrap_or(name));
        facts.title = title(&titles.split(|c| *c == b'\n').collect::<Vec<_>>());
        if facts.title.is_empty() {
            facts.title = molecule.to_owned();
        }
        facts.b_column = self.held();
        if let Some(id) = &options.assembly {
            let generators = self.remark_350.of(id).map_err(|problem| problem.to_string());
            facts.assembly = Some(Arc::new(generators));
        } else if options.each == Each::Model {
            facts.notes.extend(deposited::note_of(&self.remark_350.generators));
        }
        if options.each == Each::Assembly {
            facts.listed = Listed::of_generators(&self.remark_350.generators);
        }
        if options.labels {
            facts.references = Some(Arc::new(self.references));
        }
    }

    /// Takes a line of TITLE or COMPND.
    fn title(&mut self, which: usize, line: &[u8]) {
        if self.takes_titles {
            self.titles[which].extend_from_slice(line.get(10..).unwrap_or_default());
            self.titles[which].push(b'\n');
        }
    }

    fn sequence(&mut self, line: &[u8]) {
        let Some(&chain) = line.get(11) else { return };
        // Each line of a chain has the same number.
        if self.lengths.last().is_none_or(|(last, _)| *last != chain) {
            let length = line.get(13..17).and_then(|length| pdb_residue_number(length.trim_ascii()));
            self.lengths.extend(length.and_then(|length| Some((chain, usize::try_from(length).ok()?))));
        }
        let names = line.get(19..).unwrap_or_default().split(|c| *c == b' ').filter(|name| !name.is_empty()).map(pack);
        let mut names = names.peekable();
        if names.peek().is_some() && self.chains.last() != Some(&chain) {
            self.chains.push(chain);
        }
        self.sequences.extend(names.filter(|name| standard(*name).is_none()).map(|name| (chain, name)));
    }

    fn modified_residue(&mut self, line: &[u8]) {
        let (Some(name), Some(&chain), Some(number)) = (line.get(12..15), line.get(16), line.get(18..22)) else {
            return;
        };
        if let Some(number) = pdb_residue_number(number.trim_ascii()) {
            let icode = line.get(22).copied().unwrap_or(b' ');
            self.modified.insert((pack(name.trim_ascii()), chain, number, icode));
        }
    }

    /// The chains that SEQRES names; they may repeat.
    pub(super) fn chains(&self) -> impl Iterator<Item = u8> {
        self.chains.iter().copied()
    }

    /// The number of residues that SEQRES lists for each chain.
    pub(super) fn lengths(&self) -> HashMap<String, usize> {
        self.lengths.iter().map(|(chain, length)| (text_of(&[*chain]), *length)).collect()
    }

    /// Whether the file says that a residue in `HETATM` records belongs to its chain. A standard amino acid may also be a
    /// ligand, whatever the chain's sequence contains.
    pub(super) fn in_chain(&self, name: u64, chain: u8, number: &[u8], icode: u8) -> Option<bool> {
        if self.sequences.contains(&(chain, name)) {
            return Some(true);
        }
        if self.modified.is_empty() {
            return None;
        }
        let number = pdb_residue_number(number.trim_ascii())?;
        self.modified.contains(&(name, chain, number, icode)).then_some(true)
    }
}

/// The cell of a CRYST1 record: three lengths, three angles.
fn cell(line: &[u8]) -> Option<Cell> {
    let columns = [6..15, 15..24, 24..33, 33..40, 40..47, 47..54];
    let numbers: Option<Vec<f64>> = columns.into_iter().map(|at| decimal(line.get(at)?.trim_ascii())).collect();
    Cell::new(numbers?.try_into().ok()?)
}

/// Whether four columns are an id of the PDB: a digit, and letters or digits.
fn is_entry_id(id: &[u8]) -> bool {
    id[0].is_ascii_digit() && id.iter().all(u8::is_ascii_alphanumeric)
}

fn has_word(line: &[u8], word: &[u8]) -> bool {
    line.windows(word.len()).any(|found| found == word)
}

/// Whether a TITLE or REMARK names a predictor or its confidence.
pub(crate) fn says_predicted(line: &[u8]) -> bool {
    // The position of the D in each word, counted from the end.
    const WORDS: [(&[u8], usize); 3] = [(b"ALPHAFOLD", 8), (b"ESMFOLD", 6), (b"PLDDT", 2)];
    memchr2_iter(b'D', b'd', line).any(|d| {
        WORDS.iter().any(|(word, before)| {
            let begin = d.checked_sub(*before);
            begin.and_then(|b| line.get(b..b + word.len())).is_some_and(|found| found.eq_ignore_ascii_case(word))
        })
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn predictors_are_named_in_any_case() {
        for line in ["TITLE     ALPHAFOLD MONOMER V2.0", "REMARK  1 esmfold v1", "REMARK mean pLDDT 92", "REMARK PLDDT"]
        {
            assert!(says_predicted(line.as_bytes()), "{line}");
        }
        for line in ["TITLE     ALPHA FOLD", "REMARK PLDD", "REMARK FOLD", "REMARK D", "TITLE DDDD"] {
            assert!(!says_predicted(line.as_bytes()), "{line}");
        }
    }
}
