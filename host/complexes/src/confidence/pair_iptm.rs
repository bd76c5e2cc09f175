//! The predictor's ipTM of pairs of chains: how its files write it, and which chains of the model these are.

use super::json::shown;
use super::model::{Model, Token};
use prism_read::plural::counted;
use serde_json::Value;

/// What a predictor wrote.
#[derive(Clone, Debug, Default)]
pub(super) enum Written {
    #[default]
    Nothing,
    /// Something that cannot be read, and is named elsewhere.
    Unread,
    /// Of each ordered pair, by the indices of both chains among the tokens; NaN where it gives none.
    Indexed(Vec<Vec<f32>>),
    /// By the ids of both: "A-B".
    Named(Vec<(String, f32)>),
}

/// Whether a member of a JSON object has ipTM of pairs.
pub(super) fn is_it(name: &str) -> bool {
    matches!(name, "chain_pair_iptm" | "per_chain_pair_iptm" | "pair_chains_iptm" | "pairwise_iptm")
}

impl Written {
    /// Reads such a member. Returns what is wrong with its values, too, of which those are left out.
    ///
    /// # Errors
    /// If the value has another form.
    pub(super) fn of_json(name: &str, value: &Value) -> Result<(Self, Option<String>), String> {
        let mut odd = None;
        let mut number = |value: &Value| {
            let number = value.as_f64().map(|number| number as f32).filter(|number| number.is_finite());
            if number.is_none() && !value.is_null() {
                odd.get_or_insert_with(|| format!("has {} where a number belongs", shown(value)));
            }
            number.unwrap_or(f32::NAN)
        };
        let written = match (name, value) {
            (_, Value::Null) => Self::Nothing,
            ("pairwise_iptm", Value::Object(all)) => {
                Self::Named(all.iter().map(|(name, value)| (name.clone(), number(value))).collect())
            }
            ("pairwise_iptm", _) => return Err("is no object of pairs of chains".to_owned()),
            _ => {
                let mut rows = items(value)?;
                // One more level, as of several samples.
                if let [Value::Array(only)] = &rows[..]
                    && only.iter().all(Value::is_array)
                {
                    rows = only.iter().collect();
                }
                let rows: Result<Vec<Vec<f32>>, String> =
                    rows.into_iter().map(|row| Ok(items(row)?.into_iter().map(&mut number).collect())).collect();
                let rows = rows?;
                match rows.iter().all(|row| row.len() == rows.len()) {
                    // Boltz writes the chain that is scored first, and then the one on which both structures are aligned.
                    true if name == "pair_chains_iptm" => Self::Indexed(transposed(&rows)),
                    true => Self::Indexed(rows),
                    false => return Err("is not square".to_owned()),
                }
            }
        };
        Ok((written, odd))
    }

    /// Takes a square array, row by row. Returns what is wrong with its values, too, of which those are left out.
    pub(super) fn of_array(values: &[f32]) -> (Self, Option<String>) {
        let odd = values.iter().find(|value| !value.is_finite());
        let odd = odd.map(|value| format!("has {value} where a number belongs"));
        let finite = |value: &f32| if value.is_finite() { *value } else { f32::NAN };
        let rows = values.chunks(values.len().isqrt().max(1)).map(|row| row.iter().map(finite).collect());
        (Self::Indexed(rows.collect()), odd)
    }

    /// Those of ordered pairs of the model's chains; none if the predictor wrote none.
    pub(super) fn of_model(&self, model: &Model, tokens: &[Token], warnings: &mut Vec<String>) -> Vec<Vec<f32>> {
        let n = model.chains.len();
        let mut found = vec![vec![f32::NAN; n]; n];
        match self {
            Self::Nothing => return Vec::new(),
            Self::Unread => {}
            Self::Indexed(own) => {
                let order = order_of_chains(model, tokens);
                let mut groups: Vec<Vec<usize>> = Vec::new();
                for &chain in &order {
                    // Molecules that share an id may be one chain to the file.
                    let is_same = |group: &Vec<usize>| model.authors[group[0]] == model.authors[chain];
                    match groups.iter_mut().find(|group| own.len() < order.len() && is_same(group)) {
                        Some(group) => group.push(chain),
                        None => groups.push(vec![chain]),
                    }
                }
                if own.len() == groups.len() {
                    for (row, of_a) in own.iter().zip(&groups) {
                        for (&value, of_b) in row.iter().zip(&groups).filter(|(_, of_b)| *of_b != of_a) {
                            of_a.iter().for_each(|&a| of_b.iter().for_each(|&b| found[a][b] = value));
                        }
                    }
                } else {
                    warnings.push(format!(
                        "the predictor's ipTM of pairs is of {}, and the model has {}: it is left out",
                        counted(own.len(), "chain", "chains"),
                        order.len()
                    ));
                }
            }
            Self::Named(all) => {
                let indices = |id: &str| -> Vec<usize> { (0..n).filter(|&chain| model.authors[chain] == id).collect() };
                for (name, value) in all {
                    let both = name.split_once('-').map(|(a, b)| [indices(a), indices(b)]);
                    match both.filter(|both| both.iter().all(|own| !own.is_empty())) {
                        Some([of_a, of_b]) => {
                            for (&a, &b) in of_a.iter().flat_map(|a| of_b.iter().map(move |b| (a, b))) {
                                found[a][b] = *value;
                                // Written once for both directions.
                                if found[b][a].is_nan() {
                                    found[b][a] = *value;
                                }
                            }
                        }
                        None => warnings.push(format!(
                            "the predictor's ipTM of {name:?} is of no two chains of the model: it is left out"
                        )),
                    }
                }
            }
        }
        let pairs = (0..n).flat_map(|a| (0..n).map(move |b| [a, b])).filter(|[a, b]| a != b);
        let impossible = pairs.map(|[a, b]| ([a, b], found[a][b])).find(|(_, value)| is_impossible(*value));
        warnings.extend(impossible.map(|([a, b], value)| {
            let [a, b] = [a, b].map(|chain| &model.chains[chain]);
            format!("the predictor's ipTM of chains {a} and {b} is {value}, and ipTM is from 0 to 1: its file may be damaged")
        }));
        found
    }
}

/// Whether a value is none of TM-scores.
fn is_impossible(value: f32) -> bool {
    !value.is_nan() && !(0.0..=1.0).contains(&value)
}

/// The chains in the order of tokens.
fn order_of_chains(model: &Model, tokens: &[Token]) -> Vec<usize> {
    let mut order: Vec<usize> = Vec::new();
    for token in tokens {
        let chain = model.residues[token.residue as usize].chain as usize;
        if order.last() != Some(&chain) && !order.contains(&chain) {
            order.push(chain);
        }
    }
    order
}

fn transposed(rows: &[Vec<f32>]) -> Vec<Vec<f32>> {
    (0..rows.len()).map(|column| rows.iter().map(|row| row[column]).collect()).collect()
}

/// The values of an array, or of an object whose names are the indices.
fn items(value: &Value) -> Result<Vec<&Value>, String> {
    match value {
        Value::Array(values) => Ok(values.iter().collect()),
        Value::Object(all) => (0..all.len())
            .map(|index| all.get(&index.to_string()))
            .collect::<Option<_>>()
            .ok_or_else(|| format!("has {} names, which are not the indices of chains from 0", all.len())),
        _ => Err(format!("has {value} where values of chains belong")),
    }
}
