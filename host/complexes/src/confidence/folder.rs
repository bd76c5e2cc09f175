//! The files of each prediction among those of folders and archives.
//!
//! A model and the files about it lie in one folder, and their names are equal but for words that say what a file is: `x_model_0.cif`,
//! `pae_x_model_0.npz`, `confidence_x_model_0.json`. What a file says is decided by its content when it is read.

use super::given::{Given, PAIRWISE, PICKLE};
use super::model::Model;
use super::places::{Place, is_archive, members};
use super::prediction::{Cutoffs, Prediction, Scores};
use crate::dockq::{Compared, Reference, reading};
use prism_read::{COMPRESSED, InputFailure, ReadOptions, plain, read_bytes};
use std::collections::{BTreeMap, BTreeSet, HashSet};
use std::path::{Path, PathBuf};
use walkdir::WalkDir;

/// The files of a prediction.
#[derive(Clone, Debug)]
pub struct PredictionFiles {
    /// The prediction's name: the path of its model below the given folder.
    pub name: String,
    model: Place,
    beside: Vec<Place>,
    /// Files of all models of the folder.
    lists: Vec<Place>,
    /// The place of the model's matrix in a file that has those of several.
    stacked: Option<usize>,
}

/// What was found.
#[derive(Clone, Debug, Default)]
pub struct Predictions {
    /// In byte order of the paths, path by path as given.
    pub files: Vec<PredictionFiles>,
    /// Files that lack their other half, and paths that cannot be read.
    pub failures: Vec<InputFailure>,
    /// What was left out, and why.
    pub notes: Vec<String>,
}

/// Words that say what a file is of its prediction.
const ROLES: &str = "model pred pae plddt pde confidence confidences summary full data scores score unrelaxed relaxed predicted \
                     aligned error result ranking";

impl Predictions {
    /// Finds the predictions under some paths: folders, tars, zip archives, and models and matrices by name. A model that is named
    /// alone has the files beside it.
    ///
    /// ```no_run
    /// use prism_complexes::confidence::{Cutoffs, Predictions};
    ///
    /// for files in Predictions::find(&["boltz_results_design/".into()]).files {
    ///     let prediction = files.read()?;
    ///     for pair in prediction.scores(Cutoffs::default()).pairs {
    ///         println!("{} {:?}: ipSAE {}", prediction.name, pair.chains, pair.numbers[3]);
    ///     }
    /// }
    /// # Ok::<(), String>(())
    /// ```
    #[must_use]
    pub fn find(paths: &[PathBuf]) -> Self {
        let mut found = Self::default();
        let mut named = Vec::new();
        for path in paths {
            let shown = path.display().to_string();
            let places = match std::fs::metadata(path) {
                Ok(metadata) if metadata.is_dir() => found.walk(path),
                Ok(metadata) if metadata.is_file() && is_archive(&shown) => found.open(path, "").unwrap_or_default(),
                Ok(metadata) if metadata.is_file() => {
                    named.push(path.clone());
                    continue;
                }
                Ok(_) => {
                    let reason = "is neither a file nor a folder; predictions are read from those, and from tars and zip archives";
                    found.failures.push(InputFailure::new(&shown, reason.to_owned()));
                    continue;
                }
                Err(error) => {
                    found.failures.push(InputFailure::new(&shown, error.to_string()));
                    continue;
                }
            };
            let models: Vec<String> =
                places.iter().filter(|place| is_model(place.name())).map(|place| place.path.clone()).collect();
            let before = (found.files.len(), found.failures.len());
            found.pair(places, false);
            if (found.files.len(), found.failures.len()) == before {
                let reason = match models.first() {
                    Some(first) => format!("{first}: {NO_FILES}"),
                    None => {
                        "has no model (.cif, .pdb) with a matrix of predicted aligned errors (.json, .npz)".to_owned()
                    }
                };
                found.failures.push(InputFailure::new(&shown, reason));
            }
        }
        found.named(&named);
        found.tell_apart(paths);
        found
    }

    /// The files of a folder, and of archives in it.
    fn walk(&mut self, folder: &Path) -> Vec<Place> {
        let mut places = Vec::new();
        for entry in WalkDir::new(folder).follow_links(true).min_depth(1).sort_by_file_name() {
            let entry = match entry {
                Ok(entry) => entry,
                Err(error) => {
                    let path = error.path().unwrap_or(folder).display().to_string();
                    self.failures.push(InputFailure::new(&path, error.to_string()));
                    continue;
                }
            };
            if !entry.file_type().is_file() {
                continue;
            }
            let path = entry.path().strip_prefix(folder).unwrap_or(entry.path());
            let path = path.iter().map(|part| part.to_string_lossy()).collect::<Vec<_>>().join("/");
            match is_archive(&path) {
                true => places.extend(self.open(entry.path(), &format!("{path}/")).unwrap_or_default()),
                false => places.push(Place::file(path, entry.into_path())),
            }
        }
        places
    }

    fn open(&mut self, path: &Path, prefix: &str) -> Option<Vec<Place>> {
        match members(path, prefix) {
            Ok(places) => places,
            Err(reason) => {
                self.failures.push(InputFailure::new(&path.display().to_string(), reason));
                None
            }
        }
    }

    /// Takes files that were named one by one.
    fn named(&mut self, paths: &[PathBuf]) {
        let mut folders: BTreeMap<PathBuf, Vec<Place>> = BTreeMap::new();
        for path in paths {
            let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
            let folder = path.parent().map(Path::to_owned).unwrap_or_default();
            folders.entry(folder).or_default().push(Place::file(name, path.clone()));
        }
        let models: usize = folders.values().flatten().filter(|place| is_model(place.name())).count();
        if models == 1 && paths.len() > 1 {
            // A model and the files about it, whatever they are called.
            let places: Vec<Place> = folders.into_values().flatten().collect();
            let (model, beside): (Vec<Place>, Vec<Place>) =
                places.into_iter().partition(|place| is_model(place.name()));
            let [model] = <[Place; 1]>::try_from(model).unwrap_or_else(|_| unreachable!("it was counted"));
            self.files.push(PredictionFiles::of(model, beside));
            return;
        }
        for (folder, mut places) in folders {
            let own: HashSet<String> = places.iter().map(|place| place.path.clone()).collect();
            let shown = if folder.as_os_str().is_empty() { Path::new(".") } else { &folder };
            // The files beside a model that is named alone.
            let entries = std::fs::read_dir(shown).into_iter().flatten().flatten();
            let siblings = entries.filter_map(|entry| {
                let name = entry.file_name().to_string_lossy().into_owned();
                (!is_model(&name) && is_about(&name) && !own.contains(&name)).then(|| Place::file(name, entry.path()))
            });
            let mut siblings: Vec<Place> = siblings.collect();
            siblings.sort_by(|one, other| one.path.cmp(&other.path));
            places.extend(siblings);
            self.pair(places, true);
        }
    }

    /// Finds the predictions among files. `named`: the models were named by the user, and the other files only lie beside them.
    fn pair(&mut self, places: Vec<Place>, named: bool) {
        let mut folders: BTreeMap<String, Vec<Place>> = BTreeMap::new();
        for place in places {
            folders.entry(place.folder().to_owned()).or_default().push(place);
        }
        for (_, places) in folders {
            let (models, others): (Vec<Place>, Vec<Place>) =
                places.into_iter().partition(|place| is_model(place.name()));
            let about: Vec<Place> = others.into_iter().filter(|place| is_about(place.name())).collect();
            self.pair_folder(models, about, named);
        }
    }

    fn pair_folder(&mut self, models: Vec<Place>, about: Vec<Place>, named: bool) {
        let (lists, about): (Vec<Place>, Vec<Place>) = about.into_iter().partition(|place| is_list(place.name()));
        if let ([model], false) = (&models[..], about.is_empty() || named) {
            // The only model of its folder, whatever the others are called.
            self.files.push(PredictionFiles { lists, ..PredictionFiles::of(model.clone(), about) });
            return;
        }
        let mut groups: BTreeMap<Vec<String>, (Vec<Place>, Vec<Place>)> = BTreeMap::new();
        for model in models {
            groups.entry(key(model.name())).or_default().0.push(model);
        }
        let has_others = !about.is_empty();
        let mut alone = Vec::new();
        for place in about {
            match groups.get_mut(&key(place.name())) {
                Some(group) => group.1.push(place),
                None => alone.push(place),
            }
        }
        let stacked = alone.iter().position(|place| place.name() == "pae.npz").map(|at| alone.swap_remove(at));
        let firsts: BTreeSet<String> = groups.keys().filter_map(|key| key.first().cloned()).collect();
        for (key, (models, mut beside)) in groups {
            let mut models = models.into_iter();
            let Some(mut model) = models.next() else { continue };
            for other in models {
                let is_better = other.name().contains("relaxed_") && !other.name().contains("unrelaxed");
                let (taken, left) = if is_better { (other, model) } else { (model, other) };
                self.notes.push(format!("{}: has the matrix of {}, which is taken instead", left.path, taken.path));
                model = taken;
            }
            let index = key.last().and_then(|last| last.parse().ok()).filter(|_| stacked.is_some());
            if let (Some(_), Some(stacked)) = (index, &stacked) {
                beside.push(stacked.clone());
            }
            if beside.is_empty() && !named && !has_own_matrix(&model) {
                // Templates, inputs, and what others put there, are no predictions; among predictions a model should have its matrix.
                match has_others && !model.name().starts_with("ranked_") {
                    true => self.failures.push(InputFailure::new(&model.path, NO_FILES.to_owned())),
                    false => self.notes.push(format!("{}: is left out: {NO_FILES}", model.path)),
                }
                continue;
            }
            self.files.push(PredictionFiles {
                lists: lists.clone(),
                stacked: index,
                ..PredictionFiles::of(model, beside)
            });
        }
        for place in alone.iter().filter(|place| !named && is_matrix(place.name())) {
            // ColabFold writes the matrix of its best model once more, in the form of AlphaFold's database.
            if key(place.name()).first().is_some_and(|first| firsts.contains(first)) {
                continue;
            }
            self.failures.push(InputFailure::new(
                &place.path,
                "there is no model beside it (.cif, .pdb) of the same name".to_owned(),
            ));
        }
    }

    /// Adds the given path to names that are not alone.
    fn tell_apart(&mut self, _paths: &[PathBuf]) {
        let mut known: BTreeMap<String, usize> = BTreeMap::new();
        self.files.iter().for_each(|files| *known.entry(files.name.clone()).or_default() += 1);
        for files in self.files.iter_mut().filter(|files| known[&files.name] > 1) {
            let on_disk = files.model.on_disk().display().to_string();
            files.name = if on_disk.ends_with(&files.name) { on_disk } else { format!("{on_disk}/{}", files.name) };
        }
    }
}

const NO_FILES: &str =
    "there is no file beside it with its matrix of predicted aligned errors (.json or .npz of the same name)";

impl PredictionFiles {
    fn of(model: Place, beside: Vec<Place>) -> Self {
        Self { name: without_compression(&model.path).to_owned(), model, beside, lists: Vec::new(), stacked: None }
    }

    /// Reads a prediction.
    ///
    /// # Errors
    /// If a file is damaged or lacks its other half, or the matrix has another size than the model. The text names the file.
    pub fn read(&self) -> Result<Prediction, String> {
        self.read_given(Given { stacked: self.stacked, ..Given::default() })
    }

    /// Reads a prediction with its probabilities of contacts, where the predictor wrote them.
    ///
    /// # Errors
    /// As [`read`](Self::read).
    pub fn read_with_contacts(&self) -> Result<Prediction, String> {
        self.read_given(Given { stacked: self.stacked, wants_contacts: true, ..Given::default() })
    }

    fn read_given(&self, mut given: Given) -> Result<Prediction, String> {
        let bytes = self.model.read()?;
        let model = Model::read(&bytes, &self.name).map_err(|error| {
            let line = error.line.map_or_else(String::new, |line| format!("line {line}: "));
            format!("{line}{}", error.problem)
        })?;
        let (pickles, files): (Vec<&Place>, Vec<&Place>) =
            self.beside.iter().partition(|place| place.name().ends_with(".pkl"));
        for place in files {
            let taken = place.read().and_then(|bytes| given.take(place.name(), &bytes));
            taken.map_err(|reason| format!("{}: {reason}", place.name()))?;
        }
        if given.matrix.is_none() {
            model.take_matrix(&mut given, self.model.name(), &bytes)?;
        }
        if given.matrix.is_none()
            && let Some(pickle) = pickles.first()
        {
            return Err(format!("{}: {PICKLE}", pickle.name()));
        }
        for place in &self.lists {
            let taken = place.read().and_then(|bytes| given.take_from_list(&bytes, self.model.name()));
            taken.map_err(|reason| format!("{}: {reason}", place.name()))?;
        }
        let names: Vec<&str> = self.beside.iter().map(Place::name).collect();
        let looked = if names.is_empty() { String::new() } else { format!(" in {}", names.join(", ")) };
        Prediction::new(self.name.clone(), model, given, &looked)
    }

    /// Reads a prediction and computes its scores, compared with a reference if one is given. A model that cannot be compared keeps
    /// its other scores, and gets a warning.
    ///
    /// # Errors
    /// As [`read`](Self::read).
    pub fn scores(&self, cutoffs: Cutoffs, reference: Option<&Reference>) -> Result<Scores, String> {
        let mut scores = self.read()?.scores(cutoffs);
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
        self.places().map(Place::size).sum()
    }

    fn places(&self) -> impl Iterator<Item = &Place> {
        std::iter::once(&self.model).chain(&self.beside).chain(&self.lists)
    }

    /// The files on disk that it is read from.
    pub fn paths(&self) -> impl Iterator<Item = &Path> {
        self.places().map(Place::on_disk)
    }
}

/// Whether a model is a ModelCIF that has its matrix in it.
fn has_own_matrix(model: &Place) -> bool {
    let is_one = |bytes: &[u8]| memchr::memmem::find(bytes, PAIRWISE).is_some();
    model.read().is_ok_and(|bytes| plain(&bytes).is_ok_and(|text| is_one(&text)))
}

/// A name without the extension of a compression.
fn without_compression(name: &str) -> &str {
    let end = name.rsplit_once('.').filter(|(_, end)| COMPRESSED.contains(&end.to_ascii_lowercase().as_str()));
    end.map_or(name, |(stem, _)| stem)
}

fn ends_with(name: &str, extensions: &[&str]) -> bool {
    let name = without_compression(name).to_ascii_lowercase();
    name.rsplit_once('.').is_some_and(|(stem, end)| !stem.is_empty() && extensions.contains(&end))
}

fn is_model(name: &str) -> bool {
    ends_with(name, &["cif", "mmcif", "pdb", "ent", "bcif"]) && !name.starts_with("._")
}

fn is_about(name: &str) -> bool {
    ends_with(name, &["json", "npz", "pkl"]) && !name.starts_with("._")
}

/// Whether a file has the scores of all models of its folder, by the names that AlphaFold 2 gives them.
fn is_list(name: &str) -> bool {
    matches!(without_compression(name), "ranking_debug.json" | "iptm_ptm.json")
}

/// Whether a file's name says that it has a matrix.
fn is_matrix(name: &str) -> bool {
    let words = words(name);
    let has = |word: &str| words.iter().any(|own| own == word);
    (has("pae") || has("aligned") || has("full") && has("data") || has("confidences") && !has("summary"))
        && ends_with(name, &["json", "npz"])
}

fn words(name: &str) -> Vec<String> {
    let name = without_compression(name);
    let stem = name.rsplit_once('.').map_or(name, |(stem, _)| stem);
    stem.split(['_', '.', '-', ' ']).filter(|word| !word.is_empty()).map(str::to_lowercase).collect()
}

/// The words of a name that tell predictions apart.
fn key(name: &str) -> Vec<String> {
    words(name).into_iter().filter(|word| !ROLES.split_ascii_whitespace().any(|role| role == word)).collect()
}
