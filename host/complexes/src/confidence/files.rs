//! The files of one prediction, and how they are read.

use super::folder::{stem, without_compression};
use super::given::{Given, PICKLE};
use super::input_files::InputFile;
use super::model::Model;
use super::modelcif::PAIRWISE;
use super::names::{Wanted, design_of};
use super::prediction::{Cutoffs, Lack, Prediction, Scores};
use crate::dockq::{Compared, Reference, reading};
use prism_read::{ReadOptions, plain, read_bytes};
use std::path::{Path, PathBuf};

/// The files of a prediction.
#[derive(Clone, Debug)]
pub struct PredictionFiles {
    /// The prediction's name: the path of its model below the given folder.
    pub name: String,
    /// Its design: what the paths of its models have in common, with the given path if other paths have one of that name.
    pub design: String,
    /// The path under which it was found, as it was given.
    pub(super) root: PathBuf,
    pub(super) model: InputFile,
    pub(super) beside: Vec<InputFile>,
    /// Files of all models of the folder.
    pub(super) lists: Vec<InputFile>,
    /// A file that has the matrices of several models, and this model's index there.
    pub(super) stacked: Option<(InputFile, usize)>,
    /// The names of its files in the layouts that it may be of.
    pub(super) wanted: Wanted,
    /// What the predictor calls the model, if that is not a part of its file's name.
    pub(super) tag: Option<String>,
}

impl PredictionFiles {
    pub(super) fn of(model: InputFile, beside: Vec<InputFile>) -> Self {
        let name = without_compression(&model.path).to_owned();
        Self {
            design: design_of(&name),
            name,
            root: PathBuf::new(),
            model,
            beside,
            lists: Vec::new(),
            stacked: None,
            wanted: Wanted::default(),
            tag: None,
        }
    }

    /// Reads a prediction.
    ///
    /// # Errors
    /// If a file is damaged or lacks its other half, or the matrix has another size than the model. The text names the file.
    pub fn read(&self) -> Result<Prediction, String> {
        self.read_given(Given::default())
    }

    /// Reads a prediction with its probabilities of contacts, where the predictor wrote them.
    ///
    /// # Errors
    /// As [`read`](Self::read).
    pub fn read_with_contacts(&self) -> Result<Prediction, String> {
        self.read_given(Given { wants_contacts: true, ..Given::default() })
    }

    fn read_given(&self, mut given: Given) -> Result<Prediction, String> {
        let bytes = self.model.read()?;
        let model = Model::read(&bytes, &self.name).map_err(|error| {
            let line = error.line.map_or_else(String::new, |line| format!("line {line}: "));
            format!("{line}{}", error.problem)
        })?;
        let (pickles, files): (Vec<&InputFile>, Vec<&InputFile>) =
            self.beside.iter().partition(|file| file.name().ends_with(".pkl"));
        let mut damaged = Vec::new();
        for file in files {
            let taken = file.read().and_then(|bytes| given.take(file.name(), &bytes));
            damaged.extend(taken.err().map(|reason| format!("{}: {reason}", file.name())));
            // Files of any name may have matrices of anything.
            let first = given.matrix.as_ref().map(|(_, file)| file.as_str());
            if let Some(first) =
                first.filter(|named| self.is_named(named) && !self.is_named(file.name()) && given.conflict.is_some())
            {
                let name = file.name();
                given.left_out.push(format!(
                    "{name}: has another matrix than {first}, which is named for the model: it is left out"
                ));
                given.conflict = None;
            }
        }
        if let Some((file, index)) = &self.stacked {
            given.stacked = Some(*index);
            let taken = file.read().and_then(|bytes| given.take(file.name(), &bytes));
            damaged.extend(taken.err().map(|reason| format!("{}: {reason}", file.name())));
        }
        let beside = given.matrix.is_some();
        if !beside || has_pairs(&bytes) {
            let name = self.model.name();
            match model.take_matrix(&mut given, name, &bytes) {
                Err(reason) if beside => {
                    given.left_out.push(format!("{name}: {reason}: the matrix beside it is taken"));
                }
                taken => taken?,
            }
        }
        if let Some(conflict) = given.conflict.take() {
            return Err(conflict);
        }
        if given.matrix.is_none() {
            // The matrix may be in a damaged file.
            if !damaged.is_empty() {
                return Err(damaged.swap_remove(0));
            }
            if let Some(pickle) = pickles.first() {
                return Err(format!("{}: {PICKLE}", pickle.name()));
            }
        }
        for file in &self.lists {
            let name = self.tag.as_deref().unwrap_or(self.model.name());
            match file.read().and_then(|bytes| given.take_from_list(file.name(), &bytes, name)) {
                Ok(true) => {}
                Ok(false) => given.left_out.push(format!("{}: has no scores of {name}", file.name())),
                Err(reason) => damaged.push(format!("{}: {reason}", file.name())),
            }
        }
        let stacked = self.stacked.iter().map(|(file, _)| file);
        let names: Vec<&str> = self.beside.iter().chain(stacked).map(InputFile::name).collect();
        let mut looked = if names.is_empty() { String::new() } else { format!(" in {}", names.join(", ")) };
        looked.extend(given.other_arrays.drain(..).map(|other| format!("; {other}")));
        looked += &match &self.wanted.matrices[..] {
            [] => ADVICE.to_owned(),
            names => format!("; it should be in {} (.json or .npz)", names.join(" or ")),
        };
        let mut prediction = Prediction::new(self.name.clone(), model, given, &looked)?;
        if [prediction.iptm, prediction.ptm, prediction.ranking].iter().all(Option::is_none) {
            self.say_unscored(&mut prediction);
        }
        prediction.warnings.extend(damaged.into_iter().map(|reason| format!("{reason}; its scores are left out")));
        Ok(prediction)
    }

    /// Whether a file has a name that a layout gives to one about this model.
    fn is_named(&self, file: &str) -> bool {
        self.wanted.names.iter().any(|name| name == stem(file))
    }

    /// Says that the predictor's own scores are missing. That is odd if its layout has a file for them, which is not there.
    fn say_unscored(&self, prediction: &mut Prediction) {
        let what = "the predictor's ipTM, pTM and ranking are in no file beside it, and left empty";
        let names = &self.wanted.summaries;
        let is_there =
            self.beside.iter().chain(&self.lists).any(|file| names.iter().any(|name| name == stem(file.name())));
        match names.is_empty() || is_there {
            true => prediction.notes.push(what.to_owned()),
            false => {
                let advice = format!("; they should be in {} (.json or .npz)", names.join(" or "));
                prediction.lacks.push(Lack { what, advice });
            }
        }
    }

    /// Reads a prediction and computes its scores, compared with a reference if one is given. A model that cannot be compared keeps
    /// its other scores, and gets a warning.
    ///
    /// # Errors
    /// As [`read`](Self::read).
    pub fn scores(&self, cutoffs: Cutoffs, reference: Option<&Reference>) -> Result<Scores, String> {
        self.scores_with(cutoffs, reference, true)
    }

    /// The same without the scores of residues, which take memory.
    ///
    /// # Errors
    /// As [`read`](Self::read).
    pub fn scores_of_chains(&self, cutoffs: Cutoffs, reference: Option<&Reference>) -> Result<Scores, String> {
        self.scores_with(cutoffs, reference, false)
    }

    fn scores_with(
        &self,
        cutoffs: Cutoffs,
        reference: Option<&Reference>,
        of_residues: bool,
    ) -> Result<Scores, String> {
        let mut scores = self.read()?.scores_with(cutoffs, of_residues);
        scores.design.clone_from(&self.design);
        let Some(reference) = reference else { return Ok(scores) };
        match self.compare(reference) {
            Ok(compared) => {
                scores.notes.extend(compared.remarks.iter().cloned());
                scores.compared = Some(compared);
            }
            Err(error) => scores.warnings.push(format!("not compared with {}: {error}", reference.name())),
        }
        Ok(scores)
    }

    /// Compares the model with a reference.
    fn compare(&self, reference: &Reference) -> Result<Compared, String> {
        let read = read_bytes(&self.model.read()?, &self.name, &reading(ReadOptions::default()));
        let structure = read.map_err(|error| error.problem.to_string())?.structure;
        reference.compare(&structure).map_err(|error| error.to_string())
    }

    /// The file on disk that has its model: the model's own, or an archive.
    #[must_use]
    pub fn model_path(&self) -> &Path {
        self.model.on_disk()
    }

    /// The bytes of its files; of members of archives, as stored there.
    #[must_use]
    pub fn size(&self) -> u64 {
        self.files().map(InputFile::size).sum()
    }

    fn files(&self) -> impl Iterator<Item = &InputFile> {
        let stacked = self.stacked.iter().map(|(file, _)| file);
        std::iter::once(&self.model).chain(&self.beside).chain(stacked).chain(&self.lists)
    }

    /// The files on disk that it is read from.
    pub fn paths(&self) -> impl Iterator<Item = &Path> {
        self.files().map(InputFile::on_disk)
    }

    /// The folder of its model.
    pub(super) fn folder(&self) -> &str {
        self.model.folder()
    }

    /// What two of the same model have in common.
    pub(super) fn identity(&self) -> (PathBuf, u64) {
        self.model.identity()
    }

    /// Whether it has the same model and matrix as another: a copy under another name, whose summary may be written otherwise.
    pub(super) fn is_copy_of(&self, other: &Self) -> bool {
        let (Some(own), Some(others)) = (self.beside.first(), other.beside.first()) else { return false };
        // Two samples rarely have texts of the same length, so that few are read.
        let has_size = |one: &InputFile, other: &InputFile| one.size() == other.size();
        let is_same =
            |one: &InputFile, other: &InputFile| matches!((one.read(), other.read()), (Ok(one), Ok(two)) if one == two);
        has_size(&self.model, &other.model)
            && has_size(own, others)
            && is_same(&self.model, &other.model)
            && is_same(own, others)
    }
}

/// Where predictors write the matrix.
const ADVICE: &str = "; AlphaFold 3 has it in *_confidences.json or *_full_data_N.json, Boltz in pae_*.npz (--write_full_pae), Chai in \
                      pae.model_idx_N.npz, ColabFold in *_scores_*.json";

/// Whether a model is a ModelCIF that has its matrix in it.
pub(super) fn has_own_matrix(model: &InputFile) -> bool {
    model.read().is_ok_and(|bytes| has_pairs(&bytes))
}

fn has_pairs(model: &[u8]) -> bool {
    plain(model).is_ok_and(|text| memchr::memmem::find(&text, PAIRWISE).is_some())
}
