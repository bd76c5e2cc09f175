//! What the files of a predictor say about a model, whatever they are called: each file's content decides what it is.

use super::folder::without_compression;
use super::json::{Runs, members, runs, shown, small};
use super::matrix::{Matrix, numbers};
use super::npz::Arrays;
use super::pair_iptm::{self, Written};
use prism_read::plural::counted;
use prism_read::{plain, unmarked};
use serde_json::Value;

/// What was found in the files of one prediction. Nothing is computed here.
#[derive(Clone, Debug, Default)]
pub(super) struct Given {
    /// The predicted aligned errors, and the file that has them.
    pub(super) matrix: Option<(Matrix, String)>,
    /// A confidence for each token or residue, from 0 to 1 or to 100, and its file.
    pub(super) plddt: Option<(Vec<f32>, String)>,
    /// A confidence for each atom, and its file.
    pub(super) atom_plddt: Option<(Vec<f32>, String)>,
    /// The chains of these atoms, in their order.
    pub(super) atom_chains: Runs,
    /// The chain and the residue number of each token.
    pub(super) token_chains: Vec<String>,
    pub(super) token_numbers: Vec<i32>,
    /// The index of each token's chain, where the file has no ids.
    pub(super) token_indices: Vec<i32>,
    pub(super) iptm: Option<f32>,
    pub(super) ptm: Option<f32>,
    /// The value by which the predictor ranks its models.
    pub(super) ranking: Option<f32>,
    /// How the predictor calls that value, even if it is no number.
    pub(super) ranked_by: Option<String>,
    pub(super) pair_iptm: Written,
    /// Whether probabilities of contacts are read, a matrix of which few have a use.
    pub(super) wants_contacts: bool,
    /// The probability that two tokens are in contact.
    pub(super) contacts: Option<Matrix>,
    /// The index of the model's arrays in files that have those of several models.
    pub(super) stacked: Option<usize>,
    /// The largest error that the matrix's file names.
    pub(super) largest: Option<f32>,
    /// Values that are left out, and why.
    pub(super) left_out: Vec<String>,
    /// Files of arrays that have none of a name that is known, and the names of theirs.
    pub(super) other_arrays: Vec<String>,
    /// Two files that have different matrices.
    pub(super) conflict: Option<String>,
}

impl Given {
    /// Takes what a file says. Returns whether it says anything that is known.
    ///
    /// # Errors
    /// If the file is damaged, or of a format that is not read.
    pub(super) fn take(&mut self, file: &str, bytes: &[u8]) -> Result<bool, String> {
        if bytes.starts_with(b"PK\x03\x04") {
            return self.take_arrays(file, Arrays::open(bytes)?);
        }
        let text = plain(bytes).map_err(|problem| problem.to_string())?;
        if is_pickle(&text) {
            return Err(PICKLE.to_owned());
        }
        if text.starts_with(b"\x93NUMPY") {
            // The array has no name in its file. Others than these, such as distances' errors, are not read.
            let name = ["pae", "plddt"].into_iter().find(|name| is_part(file, name));
            return name.map_or(Ok(false), |name| self.take_arrays(file, Arrays::Npy(name, &text)));
        }
        let is_npz = without_compression(file).to_ascii_lowercase().ends_with(".npz");
        if is_npz && !text.trim_ascii_start().starts_with(b"{") {
            return Err("is no npz, or damaged; fetch it again".to_owned());
        }
        self.take_json(file, &text)
    }

    fn take_json(&mut self, file: &str, text: &[u8]) -> Result<bool, String> {
        let mut known = false;
        let mut listed: [Option<Vec<f32>>; 3] = [None, None, None];
        let text = unmarked(text);
        for (name, value) in members(&text)? {
            let in_member = |error: String| format!("{name:?}: {error}");
            let is_array = value.starts_with(b"[");
            match &*name {
                "pae" | "predicted_aligned_error" | "token_pair_pae" if is_array => {
                    self.set_matrix(file, Matrix::of_json(value).map_err(in_member)?);
                }
                // The first form of AlphaFold's database: the elements one after the other.
                "residue1" if is_array => listed[0] = Some(numbers(value).map_err(in_member)?),
                "residue2" if is_array => listed[1] = Some(numbers(value).map_err(in_member)?),
                "distance" if is_array => listed[2] = Some(numbers(value).map_err(in_member)?),
                "token_chain_ids" => {
                    let read = serde_json::from_slice(value).map(|chains| self.token_chains = chains);
                    self.note_unread(file, &name, read, OF_MODEL);
                }
                "token_asym_id" => {
                    let read = serde_json::from_slice(value).map(|indices| self.token_indices = indices);
                    self.note_unread(file, &name, read, OF_MODEL);
                }
                "token_res_ids" => {
                    let read = serde_json::from_slice(value).map(|numbers| self.token_numbers = numbers);
                    self.note_unread(file, &name, read, OF_RESIDUES);
                }
                _ => match self.take_score(file, &name, value, is_array) {
                    Ok(true) => {}
                    Ok(false) => continue,
                    // Other scores do not need it.
                    Err(reason) => self.left_out.push(format!("{file}: {name:?} {reason}: it is left out")),
                },
            }
            known = true;
        }
        if let (Some(matrix), None) = (of_pairs(listed)?, &self.matrix) {
            self.set_matrix(file, matrix);
        }
        Ok(known)
    }

    /// Takes a member without which the matrix can be scored. Returns whether it is known.
    fn take_score(&mut self, file: &str, name: &str, value: &[u8], is_array: bool) -> Result<bool, String> {
        match name {
            "contact_probs" if is_array && self.wants_contacts => self.contacts = Some(Matrix::of_json(value)?),
            "plddt" | "confidenceScore" if is_array => self.plddt = Some((numbers(value)?, file.to_owned())),
            "atom_plddts" | "atom_plddt" if is_array => self.atom_plddt = Some((numbers(value)?, file.to_owned())),
            "atom_chain_ids" => self.atom_chains = runs(value).ok_or("is no array of names")?,
            "max_pae" | "max_predicted_aligned_error" => self.largest = number(&small(value)?)?.or(self.largest),
            "iptm" => self.iptm = number(&small(value)?)?.or(self.iptm),
            "ptm" => self.ptm = number(&small(value)?)?.or(self.ptm),
            "ranking_score" | "confidence_score" | "ranking_confidence" | "aggregate_score" => {
                self.ranked_by = Some(name.to_owned());
                self.ranking = Some(number(&small(value)?)?.ok_or("is null, and no number")?);
            }
            _ if pair_iptm::is_it(name) => {
                self.pair_iptm = Written::Unread;
                let (written, odd) = Written::of_json(name, &small(value)?)?;
                self.pair_iptm = written;
                self.left_out.extend(odd.map(|odd| format!("{file}: {name:?} {odd}: it is left out")));
            }
            _ => return Ok(false),
        }
        Ok(true)
    }

    fn take_arrays(&mut self, file: &str, mut arrays: Arrays<'_>) -> Result<bool, String> {
        let mut known = false;
        if let Some(values) = arrays.square("pae", self.stacked)? {
            self.set_matrix(file, Matrix::new(values)?);
            known = true;
        }
        known |= match self.take_small_arrays(file, &mut arrays) {
            Ok(known) => known,
            Err(reason) => {
                self.left_out.push(format!("{file}: {reason}: it is left out"));
                true
            }
        };
        if !known {
            let names = arrays.names();
            let have = counted(names.len(), "array", "arrays");
            self.other_arrays.push(format!("{file} has {have}, called {}; the matrix is called pae", names.join(", ")));
        }
        Ok(known)
    }

    /// Takes arrays without which the matrix can be scored. Returns whether there are any.
    fn take_small_arrays(&mut self, file: &str, arrays: &mut Arrays<'_>) -> Result<bool, String> {
        const PAIRS: &str = "per_chain_pair_iptm";
        let mut known = false;
        if let Some(values) = arrays.values("plddt")? {
            self.plddt = Some((values, file.to_owned()));
            known = true;
        }
        if self.wants_contacts
            && let Some(values) = arrays.square("contact_probs", self.stacked)?
        {
            self.contacts = Some(Matrix::new(values)?);
            known = true;
        }
        let ranking = "aggregate_score";
        for (name, to) in [("iptm", &mut self.iptm), ("ptm", &mut self.ptm), (ranking, &mut self.ranking)] {
            if let Some(first) = arrays.values(name)?.and_then(|values| values.first().copied()) {
                match first.is_finite() {
                    true => *to = Some(first),
                    false => self.left_out.push(format!("{file}: {name:?} is {first}, and no number: it is left out")),
                }
                if name == ranking {
                    self.ranked_by = Some(name.to_owned());
                }
                known = true;
            }
        }
        let before = std::mem::replace(&mut self.pair_iptm, Written::Unread);
        match arrays.square(PAIRS, None)? {
            None => self.pair_iptm = before,
            Some(values) => {
                let (written, odd) = Written::of_array(&values);
                self.pair_iptm = written;
                self.left_out.extend(odd.map(|odd| format!("{file}: {PAIRS:?} {odd}: it is left out")));
                known = true;
            }
        }
        Ok(known)
    }

    /// Notes why a list about the tokens is left out, and what is done instead.
    fn note_unread(&mut self, file: &str, name: &str, read: serde_json::Result<()>, instead: &str) {
        let left_out = read.err().map(|error| format!("{file}: {}: {instead}", unread(name, &error)));
        self.left_out.extend(left_out);
    }

    /// Takes a matrix. That of another file may be the same one, as ColabFold writes its best.
    pub(super) fn set_matrix(&mut self, file: &str, matrix: Matrix) {
        match &self.matrix {
            None => self.matrix = Some((matrix, file.to_owned())),
            Some((first, _)) if first.is_like(&matrix) => {}
            Some((_, other)) => {
                self.conflict.get_or_insert_with(|| {
                    format!(
                        "{file}: has another matrix of predicted aligned errors than {other}; give one of them with the model"
                    )
                });
            }
        }
    }

    /// Takes the scores of one model from a file that has those of all, as AlphaFold 2's `iptm_ptm.json` and `ranking_debug.json`
    /// do. A model is found by a part of its file's name. Returns whether it is there.
    pub(super) fn take_from_list(&mut self, file: &str, text: &[u8], model: &str) -> Result<bool, String> {
        let text = plain(text).map_err(|problem| problem.to_string())?;
        let text = unmarked(&text);
        let is_it = |tag: &str| !tag.is_empty() && is_part(model, tag);
        let mut is_there = false;
        for (name, value) in members(&text)? {
            if !value.starts_with(b"{") {
                continue;
            }
            let of_all = match &*name {
                "iptm+ptm" => Some(WEIGHTED),
                "plddts" => Some(&*name),
                _ => None,
            };
            if let (Some(by), None) = (of_all, &self.ranked_by) {
                self.ranked_by = Some(by.to_owned());
            }
            let scores = small(value).map_err(|error| format!("{name:?} {error}"))?;
            let scores = scores.as_object().into_iter().flatten();
            let left_out = &mut self.left_out;
            let mut score = |what: &str, value: &Value| {
                let number = match number(value) {
                    // The ranking is never left out by predictors.
                    Ok(None) if !matches!(what, "iptm" | "ptm") => Err(format!("is {value}, and no number")),
                    number => number,
                };
                let leave_out = |reason| left_out.push(format!("{file}: {what:?} of {model} {reason}: it is left out"));
                number.map_err(leave_out).ok().flatten()
            };
            if is_it(&name) {
                // A member for each model, with its scores.
                for (key, value) in scores {
                    match &**key {
                        "iptm" => self.iptm = self.iptm.or_else(|| score(key, value)),
                        "ptm" => self.ptm = self.ptm.or_else(|| score(key, value)),
                        "ranking_confidence" => {
                            self.ranking = self.ranking.or_else(|| score(key, value));
                            self.ranked_by.get_or_insert_with(|| key.clone());
                        }
                        _ => {}
                    }
                }
                is_there = true;
            } else if let Some((_, value)) = scores.into_iter().find(|(tag, _)| is_it(tag)) {
                // A member for each score, with its models.
                match &*name {
                    "iptm" => self.iptm = self.iptm.or_else(|| score(&name, value)),
                    "ptm" => self.ptm = self.ptm.or_else(|| score(&name, value)),
                    "iptm+ptm" | "plddts" => self.ranking = self.ranking.or_else(|| score(&name, value)),
                    _ => {}
                }
                is_there = true;
            }
        }
        Ok(is_there)
    }
}

/// The matrix of a list of pairs: the residues on which is aligned, the others, and the errors. Without residues they are in order, row
/// by row.
fn of_pairs([first, second, errors]: [Option<Vec<f32>>; 3]) -> Result<Option<Matrix>, String> {
    let Some(errors) = errors else { return Ok(None) };
    let (first, second) = match (first, second) {
        (None, None) => return Matrix::new(errors).map(Some),
        (Some(first), Some(second)) if first.len() == errors.len() && second.len() == errors.len() => (first, second),
        (first, second) => {
            let [first, second] = [first, second].map(|residues| residues.map_or(0, |residues| residues.len()));
            let count = errors.len();
            return Err(format!(
                "has {first} values of residue1, {second} of residue2, and {count} of distance: it is damaged"
            ));
        }
    };
    let size = errors.len().isqrt();
    if size * size != errors.len() {
        return Err(format!("{} errors are no square matrix", errors.len()));
    }
    let mut values = vec![None; errors.len()];
    for ((&i, &j), error) in first.iter().zip(&second).zip(errors) {
        let index = |residue: f32| (1.0..=size as f32).contains(&residue).then(|| residue as usize - 1);
        let at = index(i).zip(index(j)).map(|(i, j)| i * size + j);
        match at.and_then(|at| values.get_mut(at)) {
            Some(value @ None) => *value = Some(error),
            Some(_) => return Err(format!("has the error of residues {i} and {j} twice")),
            None => {
                return Err(format!(
                    "has an error of residues {i} and {j}, and {} errors: it is damaged",
                    values.len()
                ));
            }
        }
    }
    // As many as the matrix has entries, and none twice.
    Matrix::new(values.into_iter().flatten().collect()).map(Some)
}

/// AlphaFold 2's ranking of complexes.
pub(super) const WEIGHTED: &str = "0.8 ipTM + 0.2 pTM";

/// What a pickle's refusal advises.
pub(super) const PICKLE: &str = "is a Python pickle, and reading it would run whatever code it contains; write its arrays as JSON where it was made: \
     python -c \"import pickle,json,sys; r=pickle.load(open(sys.argv[1],'rb')); json.dump({k: getattr(r[k],'tolist',lambda: r[k])() \
     for k in ('predicted_aligned_error','plddt','iptm','ptm','ranking_confidence') if k in r}, open(sys.argv[1][:-4]+'.json','w'))\" FILE.pkl";

fn is_pickle(bytes: &[u8]) -> bool {
    matches!(bytes, [0x80, 2..=5, ..])
}

/// Whether a tag is a part of a name that ends where words end: `model_1` is no part of `model_11`.
fn is_part(name: &str, tag: &str) -> bool {
    let ends = |c: Option<char>| c.is_none_or(|c| !c.is_alphanumeric());
    let found = |at: usize| ends(name[..at].chars().next_back()) && ends(name[at + tag.len()..].chars().next());
    name.match_indices(tag).any(|(at, _)| found(at))
}

/// What is done without lists about the tokens.
const OF_MODEL: &str = "tokens are counted in the order of the model";
const OF_RESIDUES: &str = "the tokens of each chain are counted in the order of its residues";

fn unread(name: &str, error: &serde_json::Error) -> String {
    format!("{name:?} cannot be read: {error}")
}

/// A number, or the first of an array; `None` for null.
fn number(value: &Value) -> Result<Option<f32>, String> {
    let first = if let Value::Array(values) = value { values.first() } else { Some(value) };
    match first {
        None | Some(Value::Null) => Ok(None),
        Some(first) => {
            let number = first.as_f64().map(|number| number as f32).filter(|number| number.is_finite());
            number.map(Some).ok_or_else(|| format!("is {}, and no number", shown(first)))
        }
    }
}
