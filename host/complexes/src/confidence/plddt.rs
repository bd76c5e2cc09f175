//! The confidences (pLDDT) of a model's residues and atoms, whichever file has them, from 0 to 100.

use super::given::Given;
use super::json::Runs;
use super::model::{Model, Token};

/// Confidences of one prediction.
pub(super) struct Plddt {
    values: Vec<f32>,
    by: By,
    /// 100 if they are from 0 to 1, else 1; 0 if there are none.
    scale: f32,
}

/// What the values are of.
#[derive(Clone, Copy, PartialEq, Eq)]
enum By {
    Token,
    Residue,
    /// Records of atoms, hydrogens included.
    Record,
    Atom,
}

impl Plddt {
    /// The predictor's values of tokens or residues, else of atoms, else the B column.
    pub(super) fn new(
        model: &Model,
        tokens: &[Token],
        given: &Given,
        notes: &mut Vec<String>,
        warnings: &mut Vec<String>,
    ) -> Self {
        let mut left_out = Vec::new();
        let mut usable = |values: &Option<(Vec<f32>, String)>, placed: &dyn Fn(&[f32]) -> Result<Placed, String>| {
            let (values, file) = values.as_ref()?;
            let placed = checked(values).and_then(|()| placed(values));
            placed.map_err(|reason| left_out.push(format!("{file} has {reason}"))).ok()
        };
        let of_tokens = usable(&given.plddt, &|values| of_tokens(model, tokens, values));
        let of_atoms = usable(&given.atom_plddt, &|values| of_atoms(model, tokens, &given.atom_chains, values));
        let chosen = of_tokens.or(of_atoms);
        let is_predictors = chosen.is_some();
        let instead = if is_predictors { "they are left out" } else { "the B column is taken" };
        warnings.extend(left_out.into_iter().map(|reason| format!("{reason}: {instead}")));
        let (values, by) = chosen.unwrap_or_else(|| {
            let column: Vec<f32> = model.atoms.iter().map(|atom| atom.b).collect();
            warnings.extend(outside(&column).map(|some| format!("its B column has {some}: they are left out")));
            (column, By::Atom)
        });
        let most = values.iter().copied().filter(|value| is_confidence(*value)).fold(0.0, f32::max);
        let scale = match most {
            0.0 => 0.0,
            most if most <= 1.0 => 100.0,
            _ => 1.0,
        };
        if scale == 100.0 {
            notes.push("its confidences (pLDDT) from 0 to 1 are written from 0 to 100".to_owned());
        }
        let found = Self { values, by, scale };
        if is_predictors {
            warnings.extend(found.doubt(model, tokens));
        }
        found
    }

    /// Whether there are none.
    pub(super) fn is_missing(&self) -> bool {
        self.scale == 0.0
    }

    /// Compares the predictor's values with the B column. Predictors write the same to both, so that other values are those of another
    /// model, or of chains in another order. The matrix lies beside them.
    fn doubt(&self, model: &Model, tokens: &[Token]) -> Option<String> {
        /// A difference of confidences from 0 to 100 that rounding to integers explains.
        const MOST: f32 = 0.51;
        let column = || model.atoms.iter().map(|atom| atom.b);
        let most = column().fold(0_f32, f32::max);
        // Some programs write the same everywhere.
        let first = model.atoms.first()?.b;
        if self.scale == 0.0 || !(0.0..=100.0).contains(&most) || column().all(|b| b == first) {
            return None;
        }
        let scale = if most <= 1.0 { 100.0 } else { 1.0 };
        let (mut differ, mut largest, mut last) = (0, 0_f32, None);
        for (row, token) in tokens.iter().enumerate() {
            let atoms = token.atoms(model);
            let b = |atom: u32| scale * model.atoms[atom as usize].b;
            let own = |atom: u32| self.at(model, (row, token), atom);
            let difference = match self.by {
                By::Record | By::Atom => atoms.map(|atom| (own(atom) - b(atom)).abs()).fold(0.0, f32::max),
                // One value for all atoms.
                By::Token | By::Residue => {
                    let count = atoms.len() as f32;
                    (own(atoms.start) - atoms.map(b).sum::<f32>() / count).abs()
                }
            };
            if difference > MOST {
                differ += usize::from(last != Some(token.residue));
                last = Some(token.residue);
            }
            largest = largest.max(difference);
        }
        (differ > 0).then(|| {
            format!(
                "its confidences (pLDDT) differ from the model's B column in {differ} of {} residues, by up to {largest:.1}: the files \
                 beside it may be those of another model, or have its chains in another order",
                model.residues.len()
            )
        })
    }

    /// The confidence of a token at one of its atoms; NaN if it has none.
    pub(super) fn at(&self, model: &Model, (row, token): (usize, &Token), atom: u32) -> f32 {
        let at = match self.by {
            By::Token => row,
            By::Residue => token.residue as usize,
            By::Record => model.atoms[atom as usize].record as usize,
            By::Atom => atom as usize,
        };
        let value = self.scale * self.values[at];
        if self.scale > 0.0 && is_confidence(value) { value } else { f32::NAN }
    }

    /// The mean confidence of each residue's atoms; NaN if it has none.
    pub(super) fn of_residues(&self, model: &Model, tokens: &[Token]) -> Vec<f32> {
        let mut sums = vec![(0.0_f64, 0_usize); model.residues.len()];
        for (row, token) in tokens.iter().enumerate() {
            let (sum, count) = &mut sums[token.residue as usize];
            for value in token.atoms(model).map(|atom| self.at(model, (row, token), atom)) {
                *sum += f64::from(value);
                *count += 1;
            }
        }
        sums.into_iter().map(|(sum, count)| (sum / count as f64) as f32).collect()
    }
}

/// Values, and what they are of.
type Placed = (Vec<f32>, By);

fn is_confidence(value: f32) -> bool {
    (0.0..=100.0).contains(&value)
}

/// Refuses values that cannot be confidences. The B column has what the predictor wrote there.
fn checked(values: &[f32]) -> Result<(), String> {
    match outside(values) {
        Some(some) => Err(some),
        None if values.iter().all(|value| *value == 0.0) => Err("no confidence (pLDDT) above 0".to_owned()),
        None => Ok(()),
    }
}

/// Says how many values are no confidences.
fn outside(values: &[f32]) -> Option<String> {
    let mut others = values.iter().filter(|value| !is_confidence(**value));
    let first = others.next()?;
    let count = 1 + others.count();
    Some(format!("{count} of {} confidences (pLDDT) that are not from 0 to 100, such as {first}", values.len()))
}

/// Places the confidences of tokens, or of residues.
fn of_tokens(model: &Model, tokens: &[Token], values: &[f32]) -> Result<Placed, String> {
    match values.len() {
        count if count == tokens.len() => Ok((values.to_vec(), By::Token)),
        count if count == model.residues.len() && is_in_order(model, tokens) => Ok((values.to_vec(), By::Residue)),
        count => Err(format!("{count} confidences (pLDDT), and the matrix {} rows", tokens.len())),
    }
}

/// Places the confidences of atoms: by the chains that their file names, else in the order of the tokens.
fn of_atoms(model: &Model, tokens: &[Token], chains: &Runs, values: &[f32]) -> Result<Placed, String> {
    let (count, heavy) = (values.len(), model.atoms.len());
    let mut placed = vec![f32::NAN; heavy];
    if count == heavy && !chains.is_empty() {
        for (atom, value) in by_chain(model, chains, count)?.into_iter().zip(values) {
            placed[atom as usize] = *value;
        }
        return Ok((placed, By::Atom));
    }
    let in_order = is_in_order(model, tokens);
    let order = || tokens.iter().flat_map(|token| token.atoms(model));
    match count {
        count if count == model.records && in_order => Ok((values.to_vec(), By::Record)),
        count if count == heavy && in_order => Ok((values.to_vec(), By::Atom)),
        count if count == heavy && count == order().count() => {
            order().zip(values).for_each(|(atom, value)| placed[atom as usize] = *value);
            Ok((placed, By::Atom))
        }
        count => Err(format!("{count} confidences (pLDDT) of atoms, and the model has {} atoms", model.records)),
    }
}

/// Whether the atoms of tokens are in the order of the model.
fn is_in_order(model: &Model, tokens: &[Token]) -> bool {
    tokens.is_sorted_by_key(|token| token.atoms(model).start)
}

/// The model's atoms in the order of a file that names the chain of each of its `count` atoms.
fn by_chain(model: &Model, chains: &Runs, count: usize) -> Result<Vec<u32>, String> {
    // Molecules that share an id are one chain to the file.
    let first = |id: &str| model.authors.iter().position(|own| own == id);
    let firsts: Vec<Option<usize>> = model.authors.iter().map(|id| first(id)).collect();
    let mut of_chains: Vec<Vec<u32>> = vec![Vec::new(); model.chains.len()];
    for residue in &model.residues {
        let chain = residue.chain as usize;
        of_chains[firsts[chain].unwrap_or(chain)].extend(residue.atoms.clone());
    }
    let named: usize = chains.iter().map(|(_, run)| run).sum();
    if named != count {
        return Err(format!("{count} confidences (pLDDT) of atoms, and the chains of {named} atoms"));
    }
    let mut order = Vec::with_capacity(count);
    let mut taken = vec![0; of_chains.len()];
    for (id, run) in chains {
        let chain = first(id);
        let next = chain.and_then(|chain| of_chains[chain].get(taken[chain]..taken[chain] + run));
        let (Some(chain), Some(next)) = (chain, next) else {
            let whole: usize = chains.iter().filter(|(own, _)| own == id).map(|(_, run)| run).sum();
            let own = chain.map_or(0, |chain| of_chains[chain].len());
            return Err(format!(
                "{whole} confidences (pLDDT) of atoms of chain {id}, and the model has {own} atoms there"
            ));
        };
        order.extend(next);
        taken[chain] += run;
    }
    Ok(order)
}
