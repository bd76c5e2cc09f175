//! Predicted aligned errors in a ModelCIF: `_ma_qa_metric` says what each metric is, and a table has a row for each model, metric and
//! pair of residues.

use super::matrix::Matrix;
use prism_read::{Problem, each_row};
use std::collections::BTreeSet;

/// The table of pairs of residues.
pub(super) const PAIRWISE: &[u8] = b"_ma_qa_metric_local_pairwise.";
const METRICS: &[u8] = b"_ma_qa_metric.";

/// A matrix, and what is odd about its table.
pub(super) type Found = (Matrix, Option<String>);

/// What the pairs of a file are of.
struct Metrics {
    /// The id, the name and the type of each; `None` if no table says.
    known: Option<Vec<[Vec<u8>; 3]>>,
    /// The metric that is taken.
    taken: Option<Vec<u8>>,
    /// Other metrics of pairs, as the file calls them.
    others: BTreeSet<String>,
}

impl Metrics {
    fn read(file: &str, bytes: &[u8]) -> Result<Self, String> {
        let mut known = Vec::new();
        let is_there = each_row(bytes, file, METRICS, [b"id", b"name", b"type"], &mut |items| {
            known.push(items.map(<[u8]>::to_vec));
            Ok(true)
        });
        let is_there = is_there.map_err(|error| error.problem.to_string())?;
        Ok(Self { known: is_there.then_some(known), taken: None, others: BTreeSet::new() })
    }

    /// Whether a row of a metric counts.
    fn takes(&mut self, id: &[u8]) -> Result<bool, Problem> {
        if self.taken.as_deref() == Some(id) {
            return Ok(true);
        }
        let metric = self.known.as_ref().and_then(|known| known.iter().find(|[own, _, _]| own == id));
        let is_taken = match metric {
            Some([_, name, kind]) => is_errors(name, kind),
            None => self.known.is_none(),
        };
        if !is_taken {
            let shown = match metric {
                Some([_, name, kind]) => format!("{} (type {})", text_of(name), text_of(kind)),
                None => format!("metric {}", text_of(id)),
            };
            self.others.insert(shown);
            return Ok(false);
        }
        match &self.taken {
            None => self.taken = Some(id.to_vec()),
            Some(first) => {
                let (first, second) = (text_of(first), text_of(id));
                return Err(pairwise(match self.known {
                    Some(_) => format!(
                        "metrics {first} and {second} are both predicted aligned errors; leave one of them in it"
                    ),
                    None => format!(
                        "it has metrics {first} and {second}, and no _ma_qa_metric says which has predicted aligned errors"
                    ),
                }));
            }
        }
        Ok(true)
    }
}

/// Whether a metric is the predicted aligned error. Its type decides, unless that is none of the dictionary's.
fn is_errors(name: &[u8], kind: &[u8]) -> bool {
    let (name, kind) = (name.to_ascii_lowercase(), kind.to_ascii_lowercase());
    let has = |word: &[u8]| memchr::memmem::find(&name, word).is_some();
    match &kind[..] {
        b"pae" => true,
        b"" | b"other" => name == b"pae" || has(b"predicted aligned error") || has(b"predicted_aligned_error"),
        _ => false,
    }
}

/// Reads the matrix of a file's first model, in the order of `tokens` tokens; `None` if there is no table of pairs.
/// `token_of` finds a token by chain and number.
///
/// # Errors
/// If the table has no predicted aligned errors of that model, two of one pair, or not those of all pairs.
pub(super) fn matrix(
    file: &str,
    bytes: &[u8],
    tokens: usize,
    token_of: &dyn Fn(&[u8], i32) -> Option<usize>,
) -> Result<Option<Found>, String> {
    const ITEMS: [&[u8]; 7] = [
        b"model_id",
        b"metric_id",
        b"label_asym_id_1",
        b"label_seq_id_1",
        b"label_asym_id_2",
        b"label_seq_id_2",
        b"metric_value",
    ];
    let in_file = |error: prism_read::ReadError| error.problem.to_string();
    let mut metrics = Metrics::read(file, bytes)?;
    // The first model is read.
    let mut own: Option<Vec<u8>> = None;
    each_row(bytes, file, b"_atom_site.", [b"pdbx_PDB_model_num"], &mut |[number]| {
        own = (!number.is_empty()).then(|| number.to_vec());
        Ok(false)
    })
    .map_err(in_file)?;
    let mut other_models = BTreeSet::new();
    let mut values = vec![f32::NAN; tokens * tokens];
    let mut given = 0_usize;
    let found = each_row(bytes, file, PAIRWISE, ITEMS, &mut |[model, metric, a, i, b, j, value]| {
        if !metrics.takes(metric)? {
            return Ok(true);
        }
        if !model.is_empty() && own.get_or_insert_with(|| model.to_vec()) != model {
            other_models.insert(text_of(model));
            return Ok(true);
        }
        let end = |chain: &[u8], seq: &[u8]| {
            let at = number::<i32>(seq).and_then(|seq| token_of(chain, seq));
            let shown = if seq.is_empty() { "?".to_owned() } else { text_of(seq) };
            at.ok_or_else(|| pairwise(format!("residue {shown} of chain {} has no atoms", text_of(chain))))
        };
        let number = number::<f32>(value).ok_or_else(|| pairwise(format!("{:?} is no number", text_of(value))))?;
        let cell = &mut values[end(a, i)? * tokens + end(b, j)?];
        if !cell.is_nan() {
            let ends = [a, i, b, j].map(text_of);
            let [a, i, b, j] = ends;
            return Err(pairwise(format!(
                "it has two errors of residue {j} of chain {b}, aligned on residue {i} of chain {a}"
            )));
        }
        given += 1;
        *cell = number;
        Ok(true)
    })
    .map_err(in_file)?;
    if !found {
        return Ok(None);
    }
    if given == 0 {
        let others = |all: BTreeSet<String>| all.into_iter().collect::<Vec<_>>().join(", ");
        let has = match (other_models.is_empty(), metrics.others.is_empty()) {
            (false, _) => {
                let own = own.map_or_else(String::new, |own| format!(" {}", text_of(&own)));
                format!("has those of model {}, and the first model{own} is read", others(other_models))
            }
            (true, false) => format!("has {}, and none of type PAE", others(metrics.others)),
            (true, true) => "has no rows".to_owned(),
        };
        return Err(format!(
            "there is no matrix of predicted aligned errors for it: its table _ma_qa_metric_local_pairwise {has}"
        ));
    }
    if given < values.len() {
        return Err(format!(
            "its table _ma_qa_metric_local_pairwise gives {given} of {} pairs of residues; take the file of all pairs",
            values.len()
        ));
    }
    let odd = metrics.known.is_none().then(|| {
        let id = metrics.taken.as_deref().map_or_else(String::new, text_of);
        format!("no _ma_qa_metric says what metric {id} of its pairs is: it is taken for predicted aligned errors")
    });
    Ok(Some((Matrix::new(values)?, odd)))
}

fn number<T: std::str::FromStr>(text: &[u8]) -> Option<T> {
    std::str::from_utf8(text).ok()?.parse().ok()
}

fn pairwise(text: String) -> Problem {
    Problem::Syntax(format!("_ma_qa_metric_local_pairwise: {text}"))
}

fn text_of(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}
