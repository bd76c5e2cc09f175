//! The files of each prediction among those of folders and archives.
//!
//! A model and the files about it lie in one folder, and the model's name says which files these are ([`names`]). What a
//! file says is decided by its content when it is read.

use super::files::{PredictionFiles, has_own_matrix};
use super::given::PICKLE;
use super::input_files::{INPUT, InputFile, Opened, is_archive, members, members_of_input};
use super::json;
use super::names::{self, GIVEN_FOLDER, Wanted};
use prism_read::{COMPRESSED, InputFailure, plain};
use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};
use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use walkdir::WalkDir;

/// What was found.
#[derive(Clone, Debug, Default)]
pub struct Predictions {
    /// In byte order of the paths, path by path as given.
    pub files: Vec<PredictionFiles>,
    /// Files that lack their other half, and paths that cannot be read.
    pub failures: Vec<InputFailure>,
    /// What was left out, and why.
    pub notes: Vec<String>,
    /// Which of several models that have one matrix is taken: the relaxed one of two, or one form of a file.
    pub choices: Vec<String>,
    /// The models that are not among `files` because another one there has the same matrix: copies, and those that were not chosen.
    pub replaced: Vec<PredictionFiles>,
}

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
        let (mut named, mut has_input) = (Vec::new(), false);
        for path in paths {
            let shown = path.display().to_string();
            let before = (found.files.len(), found.failures.len());
            let files = match std::fs::metadata(path) {
                _ if path == Path::new(INPUT) && std::mem::replace(&mut has_input, true) => {
                    found.notes.push(format!("{INPUT}: {TWICE}"));
                    continue;
                }
                _ if path == Path::new(INPUT) => match found.opened(INPUT, members_of_input("stdin/")) {
                    Some(files) => files,
                    None => continue,
                },
                Ok(metadata) if metadata.is_dir() => found.walk(path),
                Ok(metadata) if metadata.is_file() && is_archive(&shown) => {
                    let name = path.file_name().unwrap_or_default().to_string_lossy();
                    let Some(files) = found.open(path, &name) else { continue };
                    files
                }
                Ok(metadata) if metadata.is_file() => {
                    named.push(path.clone());
                    continue;
                }
                Ok(_) => {
                    let reason = "is neither a file nor a folder; predictions are read from those, and from tars and zip archives";
                    found.fail(&shown, reason);
                    continue;
                }
                Err(error) => {
                    let missing = error.kind() == ErrorKind::NotFound;
                    found.failures.push(InputFailure { missing, ..InputFailure::new(&shown, error.to_string()) });
                    continue;
                }
            };
            let models: Vec<String> =
                files.iter().filter(|file| is_model(file.name())).map(|file| file.path.clone()).collect();
            found.pair(files, None);
            // The name of an archive is a part of the paths in it.
            let root = if path.is_dir() { path } else { path.parent().unwrap_or(Path::new("")) };
            found.files[before.0..].iter_mut().for_each(|files| root.clone_into(&mut files.root));
            if (found.files.len(), found.failures.len()) == before {
                let reason = match models.first() {
                    Some(first) => format!("{first}: {NO_FILES} (.json or .npz of the same name)"),
                    None => {
                        "has no model (.cif, .pdb) with a matrix of predicted aligned errors (.json, .npz)".to_owned()
                    }
                };
                found.fail(&shown, reason);
            }
        }
        found.named(&named);
        found.count_once();
        found.tell_apart();
        found.tell_designs_apart();
        found
    }

    fn fail(&mut self, path: &str, reason: impl std::fmt::Display) {
        self.failures.push(InputFailure::new(path, reason.to_string()));
    }

    /// A file that lacks its other half. The other half may be behind the end of an archive that was cut, which is an error already.
    fn lacks(&mut self, file: &InputFile, reason: &str) {
        match file.is_of_cut() {
            true => self.notes.push(format!("{}: {reason}; its archive is cut", file.path)),
            false => self.fail(&file.path, reason),
        }
    }

    /// The files of a folder, and of archives in it.
    fn walk(&mut self, folder: &Path) -> Vec<InputFile> {
        let mut files = Vec::new();
        for entry in WalkDir::new(folder).follow_links(true).min_depth(1).sort_by_file_name() {
            let entry = match entry {
                Ok(entry) => entry,
                Err(error) => {
                    let path = error.path().unwrap_or(folder).display().to_string();
                    self.fail(&path, error);
                    continue;
                }
            };
            if !entry.file_type().is_file() {
                continue;
            }
            let path = entry.path().strip_prefix(folder).unwrap_or(entry.path());
            let path = path.iter().map(|part| part.to_string_lossy()).collect::<Vec<_>>().join("/");
            match is_archive(&path) {
                true => files.extend(self.open(entry.path(), &path).unwrap_or_default()),
                false => files.push(InputFile::new(path, entry.into_path())),
            }
        }
        files
    }

    /// The members of an archive, whose paths begin with its name, as those of other commands do.
    fn open(&mut self, path: &Path, name: &str) -> Option<Vec<InputFile>> {
        self.opened(&path.display().to_string(), members(path, &format!("{}/", without_compression(name))))
    }

    fn opened(&mut self, shown: &str, opened: Result<Opened, String>) -> Option<Vec<InputFile>> {
        match opened {
            Ok(Opened { files, cut, twice, notes }) => {
                self.notes.extend(notes);
                twice
                    .iter()
                    .for_each(|name| self.fail(name, "is a second member of this name; only the first is read"));
                cut.into_iter().for_each(|reason| self.fail(shown, reason));
                Some(files)
            }
            Err(reason) if shown == INPUT => {
                let advice = "a model and its matrix on standard input are members of one tar or zip archive";
                self.fail(shown, format!("{reason}; {advice}"));
                None
            }
            Err(reason) => {
                self.fail(shown, reason);
                None
            }
        }
    }

    /// Takes files that were named one by one.
    fn named(&mut self, paths: &[PathBuf]) {
        let mut folders: BTreeMap<PathBuf, Vec<InputFile>> = BTreeMap::new();
        for path in paths {
            let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
            let folder = path.parent().map(Path::to_owned).unwrap_or_default();
            folders.entry(folder).or_default().push(InputFile::new(name, path.clone()));
        }
        let models: usize = folders.values().flatten().filter(|file| is_model(file.name())).count();
        let before = self.files.len();
        if models == 1 && paths.len() > 1 {
            // A model and the files about it, whatever they are called.
            let files = folders.into_values().flatten();
            let (model, beside): (Vec<InputFile>, Vec<InputFile>) = files.partition(|file| is_model(file.name()));
            let [model] = <[InputFile; 1]>::try_from(model).unwrap_or_else(|_| unreachable!("it was counted"));
            let beside = beside.into_iter().filter(|file| is_about(file.name())).collect();
            self.files.push(PredictionFiles::of(model, beside));
        } else {
            for (folder, mut files) in folders {
                let begin = self.files.len();
                let own: HashSet<String> = files.iter().map(|file| file.path.clone()).collect();
                let shown = if folder.as_os_str().is_empty() { Path::new(".") } else { &folder };
                let entries = std::fs::read_dir(shown).into_iter().flatten().flatten();
                let siblings = entries.filter_map(|entry| {
                    let name = entry.file_name().to_string_lossy().into_owned();
                    (!own.contains(&name)).then(|| InputFile::new(name, entry.path()))
                });
                let mut siblings: Vec<InputFile> = siblings.collect();
                siblings.sort_by(|one, other| one.path.cmp(&other.path));
                files.extend(siblings);
                self.pair(files, Some(&own));
                self.files[begin..].iter_mut().for_each(|files| files.root.clone_from(&folder));
            }
        }
        let used: HashSet<PathBuf> =
            self.files[before..].iter().flat_map(PredictionFiles::paths).map(Path::to_owned).collect();
        let unused = paths.iter().filter(|path| !is_model(&path.to_string_lossy()) && !used.contains(*path));
        for path in unused.collect::<Vec<_>>() {
            let shown = path.display().to_string();
            match () {
                () if shown.ends_with(".pkl") => self.fail(&shown, PICKLE),
                () if is_about(&shown) => {
                    let reason = "is about a model, and none is given with it; give the model (.cif, .pdb), too, or the folder of both";
                    self.fail(&shown, reason);
                }
                () => {
                    let reason = "is neither a model (.cif, .pdb), nor a file about one (.json, .npz), nor an archive (.tar, .zip)";
                    self.fail(&shown, reason);
                }
            }
        }
    }

    /// Finds the predictions among files. `named`: the models that the user named, if the others only lie beside them.
    fn pair(&mut self, files: Vec<InputFile>, named: Option<&HashSet<String>>) {
        let begin = self.files.len();
        let mut folders: BTreeMap<String, Vec<InputFile>> = BTreeMap::new();
        for file in files {
            folders.entry(file.folder().to_owned()).or_default().push(file);
        }
        for (_, files) in folders {
            let (models, others): (Vec<InputFile>, Vec<InputFile>) =
                files.into_iter().partition(|file| is_model(file.name()));
            let about: Vec<InputFile> = others.into_iter().filter(|file| is_about(file.name())).collect();
            self.pair_folder(models, about, named);
        }
        if named.is_none() {
            self.leave_out_copies(begin);
        }
    }

    fn pair_folder(&mut self, mut models: Vec<InputFile>, about: Vec<InputFile>, named: Option<&HashSet<String>>) {
        let (lists, about): (Vec<InputFile>, Vec<InputFile>) = about.into_iter().partition(|file| is_list(file.name()));
        let is_only = models.iter().map(|model| stem(model.name())).collect::<BTreeSet<_>>().len() == 1;
        let jobs: Vec<String> = models.iter().map(|model| stem(model.name()).to_owned()).collect();
        models.retain(|model| named.is_none_or(|named| named.contains(&model.path)));
        let order = order_of_ranks(&models, &lists);
        let mut claims: Vec<Claim> = models.into_iter().map(|model| Claim::new(model, &order)).collect();
        let (is_taken, stacked, notes) = claim_files(&mut claims, &about, is_only);
        self.notes.extend(notes);
        let mut is_stacked_taken = false;
        let files_of = |claim: Claim, stacked: Option<(InputFile, usize)>| {
            let Claim { model, wanted, beside, tag, .. } = claim;
            let beside = beside.into_iter().map(|at| about[at].clone()).collect();
            PredictionFiles { lists: lists.clone(), stacked, wanted, tag, ..PredictionFiles::of(model, beside) }
        };
        let (best, replaced) = self.best_of_each(claims);
        self.replaced.extend(replaced.into_iter().map(|claim| files_of(claim, None)));
        for claim in best {
            let index = names::index_of(stem(claim.model.name()));
            let stacked = index.and_then(|index| Some((about[stacked?].clone(), index)));
            is_stacked_taken |= stacked.is_some();
            let Claim { model, wanted, beside, matrix, .. } = &claim;
            let is_alone = beside.is_empty() && stacked.is_none() && named.is_none() && !has_own_matrix(model);
            let reason = || match &wanted.matrices[..] {
                [] => format!("{NO_FILES} (.json or .npz of the same name)"),
                names => format!("{NO_FILES}: {} (.json or .npz)", names.join(" or ")),
            };
            // Templates, inputs, and what others put there, are no predictions; among predictions a model should have its matrix.
            if is_alone && (about.is_empty() || names::may_be_alone(stem(model.name()))) {
                self.notes.push(format!("{}: is left out: {}", model.path, reason()));
            } else if is_alone || model.is_of_cut() && matrix.is_none() && stacked.is_none() {
                self.lacks(model, &reason());
            } else {
                self.files.push(files_of(claim, stacked));
            }
        }
        if named.is_some() {
            return;
        }
        for (at, file) in about.iter().enumerate().filter(|(at, _)| !is_taken[*at]) {
            let name = stem(file.name());
            // Of a model of AlphaFold 2 that is there under its rank alone, or not at all.
            if order.iter().any(|tag| name == format!("pae_{tag}")) {
                self.notes.push(format!("{}: is left out: its model is not beside it", file.path));
                continue;
            }
            let is_of_best = |job: &str| jobs.iter().any(|model| model.starts_with(job));
            if Some(at) == stacked && is_stacked_taken || names::job_of(name).is_some_and(is_of_best) {
                continue;
            } else if Some(at) == stacked || names::is_matrix(name) {
                self.lacks(file, "there is no model beside it (.cif, .pdb) of the same name");
            } else if names::says_which(name) && !file.name().ends_with(".pkl") {
                self.notes.push(format!("{}: is left out: there is no model beside it of the same name", file.path));
            }
        }
    }

    /// Leaves out models that have the matrix of a better one: the relaxed model of two, the other form of a file.
    /// Returns those that are taken, and the others.
    fn best_of_each(&mut self, claims: Vec<Claim>) -> (Vec<Claim>, Vec<Claim>) {
        let (mut best, mut replaced, mut index_of) = (Vec::<Claim>::new(), Vec::new(), HashMap::<usize, usize>::new());
        for claim in claims {
            let first = claim.matrix.or(claim.beside.first().copied());
            let Some(&known) = first.and_then(|first| index_of.get(&first)) else {
                index_of.extend(first.map(|first| (first, best.len())));
                best.push(claim);
                continue;
            };
            let mut left = claim;
            if preference(left.model.name()) < preference(best[known].model.name()) {
                std::mem::swap(&mut left, &mut best[known]);
            }
            let taken = &best[known].model.path;
            self.choices.push(format!("{}: has the matrix of {taken}, which is taken instead", left.model.path));
            replaced.push(left);
        }
        (best, replaced)
    }

    /// Leaves out the best sample of a job of AlphaFold 3, which is there once more in the folder of its samples.
    fn leave_out_copies(&mut self, begin: usize) {
        let all = &self.files[begin..];
        let mut samples: HashMap<&str, Vec<&PredictionFiles>> = HashMap::new();
        for sample in all {
            let (parent, own) = sample.folder().rsplit_once('/').unwrap_or(("", sample.folder()));
            if own.starts_with("seed-") {
                samples.entry(parent).or_default().push(sample);
            }
        }
        let copies = all.iter().map(|files| {
            let sample = samples.get(files.folder())?.iter().find(|sample| files.is_copy_of(sample))?;
            Some(sample.name.clone())
        });
        let copies: Vec<Option<String>> = copies.collect();
        let all = self.files.split_off(begin);
        for (files, sample) in all.into_iter().zip(copies) {
            match sample {
                None => self.files.push(files),
                Some(sample) => {
                    self.notes.push(format!("{}: is left out: it is a copy of {sample}", files.name));
                    self.replaced.push(files);
                }
            }
        }
    }

    /// Leaves out what was given twice.
    fn count_once(&mut self) {
        let mut known = HashSet::new();
        let notes = &mut self.notes;
        self.files.retain(|files| {
            let is_new = known.insert(files.identity());
            if !is_new {
                notes.push(format!("{}: {TWICE}", files.name));
            }
            is_new
        });
    }

    /// Adds the given path to names that are not alone.
    fn tell_apart(&mut self) {
        let mut known: BTreeMap<String, usize> = BTreeMap::new();
        self.files.iter().for_each(|files| *known.entry(files.name.clone()).or_default() += 1);
        for files in self.files.iter_mut().filter(|files| known[&files.name] > 1) {
            let on_disk = files.model_path().to_owned();
            let shown = without_compression(&on_disk.to_string_lossy()).to_owned();
            // That of an archive's member begins with the archive's.
            let folder = on_disk.parent().unwrap_or(Path::new("")).join(&files.name);
            files.name = if shown.ends_with(&files.name) { shown } else { folder.display().to_string() };
        }
    }

    /// Adds the given path to the names of designs that several of these have.
    fn tell_designs_apart(&mut self) {
        let mut known: BTreeMap<String, BTreeSet<PathBuf>> = BTreeMap::new();
        for files in &self.files {
            known.entry(files.design.clone()).or_default().insert(files.root.clone());
        }
        for files in self.files.iter_mut().filter(|files| known[&files.design].len() > 1) {
            // Without a slash at the end.
            let mut design: PathBuf = files.root.components().collect();
            if files.design != GIVEN_FOLDER {
                design.push(&files.design);
            }
            files.design =
                if design.as_os_str().is_empty() { files.design.clone() } else { design.display().to_string() };
        }
    }
}

const TWICE: &str = "is given twice, and counted once";
const NO_FILES: &str = "there is no file beside it with its matrix of predicted aligned errors";

/// A model and the files that are its own, by their indices in a list.
struct Claim {
    model: InputFile,
    wanted: Wanted,
    beside: Vec<usize>,
    /// The first of them that has a matrix by its name.
    matrix: Option<usize>,
    /// What the predictor calls the model, if that is not a part of its file's name.
    tag: Option<String>,
}

impl Claim {
    fn new(model: InputFile, order: &[String]) -> Self {
        let own = stem(model.name());
        let tag = names::rank_of(own).and_then(|rank| order.get(rank)).cloned();
        let wanted = match &tag {
            Some(tag) => Wanted::of(&format!("unrelaxed_{tag}")),
            None => Wanted::of(own),
        };
        Self { model, wanted, beside: Vec::new(), matrix: None, tag }
    }

    fn take(&mut self, at: usize, has_matrix: bool) {
        self.beside.push(at);
        self.matrix = self.matrix.or(has_matrix.then_some(at));
    }
}

/// Gives each model its files. Returns which are taken, the file that has the matrices of several models, and what is odd.
fn claim_files(claims: &mut [Claim], about: &[InputFile], is_only: bool) -> (Vec<bool>, Option<usize>, Vec<String>) {
    let mut by_name: HashMap<&str, Vec<usize>> = HashMap::new();
    about.iter().enumerate().for_each(|(at, file)| by_name.entry(stem(file.name())).or_default().push(at));
    let indices = |name: &String| by_name.get(name.as_str()).into_iter().flatten().copied();
    let mut is_taken = vec![false; about.len()];
    for claim in &mut *claims {
        for at in claim.wanted.names.iter().flat_map(indices).collect::<Vec<_>>() {
            claim.take(at, names::is_matrix(stem(about[at].name())));
            is_taken[at] = true;
        }
    }
    let notes = settle(claims, about);
    // Names that no layout has.
    let free: Vec<usize> = (0..about.len()).filter(|&at| !is_taken[at]).collect();
    for claim in claims.iter_mut().filter(|claim| claim.matrix.is_none()) {
        let any = Wanted::of_any(stem(claim.model.name()));
        for at in any.names.iter().flat_map(indices).filter(|at| free.contains(at)).collect::<Vec<_>>() {
            claim.take(at, true);
            is_taken[at] = true;
        }
    }
    let stacked = about.iter().position(|file| matches!(file.name(), "pae.npz" | "pae.npy"));
    if is_only {
        // Of the only model, whatever they are called; but not if their names say that they are of another.
        let free: Vec<usize> = (0..about.len()).filter(|&at| !is_taken[at]).collect();
        for claim in claims {
            let is_named = !claim.wanted.names.is_empty();
            let has_stacked = names::index_of(stem(claim.model.name())).is_some();
            for &at in &free {
                let name = stem(about[at].name());
                if !(is_named && names::says_which(name) || has_stacked && Some(at) == stacked) {
                    claim.take(at, false);
                    is_taken[at] = true;
                }
            }
        }
    }
    (is_taken, stacked, notes)
}

/// Decides whose a file is that has a name of two kinds: `x_summary_confidences` has scores of x, or the matrix of x_summary.
fn settle(claims: &mut [Claim], about: &[InputFile]) -> Vec<String> {
    let is_own = |claim: &Claim, at: usize| claim.wanted.matrices.iter().any(|name| name == stem(about[at].name()));
    let of_matrices: BTreeSet<usize> =
        claims.iter().flat_map(|claim| claim.beside.iter().copied().filter(|&at| is_own(claim, at))).collect();
    let mut notes = Vec::new();
    for at in of_matrices {
        if claims.iter().all(|claim| !claim.beside.contains(&at) || is_own(claim, at)) {
            continue;
        }
        let text = about[at].read().ok();
        let text = text.as_deref().and_then(|bytes| plain(bytes).ok());
        let has_matrix = text.is_some_and(|text| json::has(&text, "pae"));
        for claim in claims.iter_mut().filter(|claim| claim.beside.contains(&at)) {
            if is_own(claim, at) != has_matrix {
                claim.beside.retain(|&own| own != at);
                claim.matrix = claim.matrix.filter(|&own| own != at);
                let (model, what) = (&claim.model.path, if has_matrix { "the matrix" } else { "the scores" });
                notes.push(format!("{}: is not of {model}: it has {what} of another model", about[at].path));
            }
        }
    }
    notes
}

/// Which of several models with one matrix is taken: the first of these.
fn preference(model: &str) -> usize {
    match model {
        _ if model.starts_with("ranked_") => 2,
        _ if model.contains("relaxed_") && !model.contains("unrelaxed") => 0,
        _ => 1,
    }
}

/// The names of AlphaFold 2's models by rank, if models are called by their ranks.
fn order_of_ranks(models: &[InputFile], lists: &[InputFile]) -> Vec<String> {
    if !models.iter().any(|model| names::rank_of(stem(model.name())).is_some()) {
        return Vec::new();
    }
    let order = |list: &InputFile| {
        let bytes = list.read().ok()?;
        let list = json::small(&plain(&bytes).ok()?).ok()?;
        let names = list["order"].as_array()?.iter().map(|name| name.as_str().map(str::to_owned));
        names.collect::<Option<Vec<_>>>()
    };
    lists.iter().find_map(order).unwrap_or_default()
}

/// A name without the extension of a compression.
pub(super) fn without_compression(name: &str) -> &str {
    let end = name.rsplit_once('.').filter(|(_, end)| COMPRESSED.contains(&end.to_ascii_lowercase().as_str()));
    end.map_or(name, |(stem, _)| stem)
}

/// A name without its extensions.
pub(super) fn stem(name: &str) -> &str {
    let name = without_compression(name);
    name.rsplit_once('.').map_or(name, |(stem, _)| stem)
}

fn ends_with(name: &str, extensions: &[&str]) -> bool {
    let name = without_compression(name).to_ascii_lowercase();
    name.rsplit_once('.').is_some_and(|(stem, end)| !stem.is_empty() && extensions.contains(&end))
}

fn is_model(name: &str) -> bool {
    ends_with(name, &["cif", "mmcif", "pdb", "ent", "bcif"]) && !name.starts_with("._")
}

fn is_about(name: &str) -> bool {
    ends_with(name, &["json", "npz", "npy", "pkl"]) && !name.starts_with("._")
}

/// Whether a file has the scores of all models of its folder, by the names that AlphaFold 2 gives them.
fn is_list(name: &str) -> bool {
    matches!(without_compression(name), "ranking_debug.json" | "iptm_ptm.json")
}
