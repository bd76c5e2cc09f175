//! What the files of a predictor say about a model, whatever they are called: each file's content decides what it is.

use super::json::members;
use super::matrix::{Matrix, numbers};
use super::npz::Arrays;
use prism_read::{Problem, each_row, plain};
use serde_json::Value;
use std::collections::HashMap;

/// What was found in the files of one prediction. Nothing is computed here.
#[derive(Clone, Debug, Default)]
pub(super) struct Given {
    /// The predicted aligned errors, and the file that has them.
    pub(super) matrix: Option<(Matrix, String)>,
    /// A confidence for each token or residue, from 0 to 1 or to 100, and its file.
    pub(super) plddt: Option<(Vec<f32>, String)>,
    /// A confidence for each atom, and its file.
    pub(super) atom_plddt: Option<(Vec<f32>, String)>,
    /// The chain and the residue number of each token.
    pub(super) token_chains: Vec<String>,
    pub(super) token_numbers: Vec<i32>,
    pub(super) iptm: Option<f32>,
    pub(super) ptm: Option<f32>,
    /// The value by which the predictor ranks its models.
    pub(super) ranking: Option<f32>,
    /// The predictor's ipTM of each ordered pair of chains; NaN where it gives none.
    pub(super) pair_iptm: Vec<Vec<f32>>,
    /// Whether probabilities of contacts are read, a matrix of which few have a use.
    pub(super) wants_contacts: bool,
    /// The probability that two tokens are in contact.
    pub(super) contacts: Option<Matrix>,
    /// The place of the model's arrays in files that have those of several models.
    pub(super) stacked: Option<usize>,
}

impl Given {
    /// Takes what a file says. Returns whether it says anything that is known.
    ///
    /// # Errors
    /// If the file is damaged, of a format that is not read, or repeats what another file gave.
    pub(super) fn take(&mut self, file: &str, bytes: &[u8]) -> Result<bool, String> {
        if bytes.starts_with(b"PK\x03\x04") {
            return self.take_arrays(file, bytes);
        }
        let text = plain(bytes).map_err(|problem| problem.to_string())?;
        if is_pickle(&text) {
            return Err(PICKLE.to_owned());
        }
        self.take_json(file, &text)
    }

    fn take_json(&mut self, file: &str, text: &[u8]) -> Result<bool, String> {
        let mut known = false;
        let mut flat = None;
        for (name, value) in members(text)? {
            let in_member = |error: String| format!("{name:?}: {error}");
            let is_array = value.starts_with(b"[");
            match name {
                "pae" | "predicted_aligned_error" | "token_pair_pae" if is_array => {
                    self.set_matrix(file, Matrix::of_json(value).map_err(in_member)?)?;
                }
                "contact_probs" if is_array && self.wants_contacts => {
                    self.contacts = Some(Matrix::of_json(value).map_err(in_member)?);
                }
                // The first form of AlphaFold's database: the elements one after the other.
                "distance" if is_array => flat = Some(numbers(value).map_err(in_member)?),
                "plddt" | "confidenceScore" if is_array => {
                    self.plddt = Some((numbers(value).map_err(in_member)?, file.to_owned()));
                }
                "atom_plddts" | "atom_plddt" if is_array => {
                    self.atom_plddt = Some((numbers(value).map_err(in_member)?, file.to_owned()));
                }
                "token_chain_ids" => {
                    self.token_chains = serde_json::from_slice(value).map_err(|error| unread(name, &error))?
                }
                "token_res_ids" => {
                    self.token_numbers = serde_json::from_slice(value).map_err(|error| unread(name, &error))?
                }
                "iptm" => self.iptm = number(value).or(self.iptm),
                "ptm" => self.ptm = number(value).or(self.ptm),
                "ranking_score" | "confidence_score" | "ranking_confidence" | "aggregate_score" => {
                    self.ranking = number(value).or(self.ranking);
                }
                "chain_pair_iptm" | "pair_chains_iptm" | "per_chain_pair_iptm" => {
                    self.pair_iptm = pairs(&serde_json::from_slice(value).map_err(|error| unread(name, &error))?);
                }
                _ => continue,
            }
            known = true;
        }
        if let (Some(values), None) = (flat, &self.matrix) {
            self.set_matrix(file, Matrix::new(values)?)?;
        }
        Ok(known)
    }

    fn take_arrays(&mut self, file: &str, bytes: &[u8]) -> Result<bool, String> {
        let mut arrays = Arrays::open(bytes)?;
        let mut known = false;
        if let Some(values) = arrays.square("pae", self.stacked)? {
            self.set_matrix(file, Matrix::new(values)?)?;
            known = true;
        }
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
        for (name, to) in [("iptm", &mut self.iptm), ("ptm", &mut self.ptm), ("aggregate_score", &mut self.ranking)] {
            if let Some(first) = arrays.values(name)?.and_then(|values| values.first().copied()) {
                *to = Some(first);
                known = true;
            }
        }
        if let Some(values) = arrays.square("per_chain_pair_iptm", None)? {
            self.pair_iptm = values.chunks(values.len().isqrt().max(1)).map(<[f32]>::to_vec).collect();
            known = true;
        }
        Ok(known)
    }

    fn set_matrix(&mut self, file: &str, matrix: Matrix) -> Result<(), String> {
        if let Some((_, other)) = &self.matrix {
            return Err(format!(
                "has a second matrix of predicted aligned errors, beside that of {other}; give one of them"
            ));
        }
        self.matrix = Some((matrix, file.to_owned()));
        Ok(())
    }

    /// Takes the scores of one model from a file that has those of all, as AlphaFold 2's `iptm_ptm.json` and `ranking_debug.json`
    /// do. A model is found by a part of its file's name.
    pub(super) fn take_from_list(&mut self, text: &[u8], model: &str) -> Result<(), String> {
        let text = plain(text).map_err(|problem| problem.to_string())?;
        let is_it = |tag: &str| !tag.is_empty() && is_part(model, tag);
        for (name, value) in members(&text)? {
            if !value.starts_with(b"{") {
                continue;
            }
            let scores: HashMap<String, Value> = serde_json::from_slice(value).map_err(|error| unread(name, &error))?;
            let score = |key: &str| scores.get(key).and_then(Value::as_f64).map(|value| value as f32);
            if is_it(name) {
                // A member for each model, with its scores.
                self.iptm = self.iptm.or(score("iptm"));
                self.ptm = self.ptm.or(score("ptm"));
                self.ranking = self.ranking.or(score("ranking_confidence"));
            } else if let Some(own) = scores.keys().find(|tag| is_it(tag)) {
                // A member for each score, with its models.
                match name {
                    "iptm" => self.iptm = self.iptm.or(score(own)),
                    "ptm" => self.ptm = self.ptm.or(score(own)),
                    "iptm+ptm" | "plddts" => self.ranking = self.ranking.or(score(own)),
                    _ => {}
                }
            }
        }
        Ok(())
    }

    /// Takes the matrix from the model's own file, if that is a ModelCIF that has one. `place` finds a token by chain and number.
    pub(super) fn take_model(
        &mut self,
        file: &str,
        bytes: &[u8],
        tokens: usize,
        place: &dyn Fn(&[u8], i32) -> Option<usize>,
    ) -> Result<bool, String> {
        const ITEMS: [&[u8]; 5] =
            [b"label_asym_id_1", b"label_seq_id_1", b"label_asym_id_2", b"label_seq_id_2", b"metric_value"];
        let mut values = vec![f32::NAN; tokens * tokens];
        let mut given = 0_usize;
        let number = |text: &[u8]| std::str::from_utf8(text).ok().and_then(|text| text.parse::<f32>().ok());
        let found = each_row(bytes, file, PAIRWISE, ITEMS, &mut |[a, i, b, j, value]| {
            let end = |chain: &[u8], seq: &[u8]| {
                let seq = number(seq).map(|seq| seq as i32);
                let at = seq.and_then(|seq| place(chain, seq));
                at.ok_or_else(|| pairwise(format!("residue {} of chain {} has no atoms", shown(seq), text_of(chain))))
            };
            fn shown(seq: Option<i32>) -> String {
                seq.map_or_else(|| "?".to_owned(), |seq| seq.to_string())
            }
            let number = number(value).ok_or_else(|| pairwise(format!("{:?} is no number", text_of(value))))?;
            let cell = &mut values[end(a, i)? * tokens + end(b, j)?];
            given += usize::from(cell.is_nan());
            *cell = number;
            Ok(true)
        })
        .map_err(|error| error.problem.to_string())?;
        if !found {
            return Ok(false);
        }
        if given < values.len() {
            return Err(format!(
                "its table _ma_qa_metric_local_pairwise gives {given} of {} pairs of residues; take the file of all pairs",
                values.len()
            ));
        }
        self.set_matrix(file, Matrix::new(values)?)?;
        Ok(true)
    }
}

/// The table of ModelCIF with predicted aligned errors.
pub(super) const PAIRWISE: &[u8] = b"_ma_qa_metric_local_pairwise.";

/// What a pickle's refusal advises.
pub(super) const PICKLE: &str = "is a Python pickle, and reading it would run whatever code it contains; write its arrays as JSON where it was made: \
     python -c \"import pickle,json,sys; r=pickle.load(open(sys.argv[1],'rb')); json.dump({k: getattr(r[k],'tolist',lambda: r[k])() \
     for k in ('predicted_aligned_error','plddt','iptm','ptm','ranking_confidence') if k in r}, open(sys.argv[1][:-4]+'.json','w'))\" FILE.pkl";

fn is_pickle(bytes: &[u8]) -> bool {
    matches!(bytes, [0x80, 2..=5, ..])
}

fn pairwise(text: String) -> Problem {
    Problem::Syntax(format!("_ma_qa_metric_local_pairwise: {text}"))
}

fn text_of(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

/// Whether a tag is a part of a name that ends where words end: `model_1` is no part of `model_11`.
fn is_part(name: &str, tag: &str) -> bool {
    let ends = |c: Option<char>| c.is_none_or(|c| !c.is_alphanumeric());
    let found = |at: usize| ends(name[..at].chars().next_back()) && ends(name[at + tag.len()..].chars().next());
    name.match_indices(tag).any(|(at, _)| found(at))
}

fn unread(name: &str, error: &serde_json::Error) -> String {
    format!("{name:?} cannot be read: {error}")
}

/// A number, or the first of an array.
fn number(text: &[u8]) -> Option<f32> {
    match serde_json::from_slice(text).ok()? {
        Value::Array(values) => values.first().and_then(Value::as_f64),
        value => value.as_f64(),
    }
    .map(|value| value as f32)
}

/// Rows of numbers, from arrays of arrays or from objects whose names are the indices.
fn pairs(value: &Value) -> Vec<Vec<f32>> {
    let inner = |value: &Value| -> Vec<Value> {
        match value {
            Value::Array(values) => values.clone(),
            Value::Object(all) => {
                let mut all: Vec<_> =
                    all.iter().filter_map(|(name, value)| Some((name.parse::<usize>().ok()?, value))).collect();
                all.sort_unstable_by_key(|(index, _)| *index);
                all.into_iter().map(|(_, value)| value.clone()).collect()
            }
            _ => Vec::new(),
        }
    };
    let mut rows: Vec<Value> = inner(value);
    // One more level, as of several samples.
    if let [Value::Array(only)] = &rows[..]
        && only.iter().all(Value::is_array)
    {
        rows = only.clone();
    }
    let number = |value: &Value| value.as_f64().map_or(f32::NAN, |value| value as f32);
    rows.iter().map(|row| inner(row).iter().map(number).collect()).collect()
}
