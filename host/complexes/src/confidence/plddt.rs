//! The confidences (pLDDT) of a model's residues and atoms, whichever file has them, from 0 to 100.

use super::given::Given;
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
        let mut usable = |values: &Option<(Vec<f32>, String)>| -> Option<(Vec<f32>, String)> {
            let (values, file) = values.as_ref()?;
            if let Some(other) = values.iter().find(|value| !value.is_finite()) {
                notes.push(format!("{file} has {other} among its confidences (pLDDT): they are left out"));
                return None;
            }
            Some((values.clone(), file.clone()))
        };
        let (of_tokens, of_atoms) = (usable(&given.plddt), usable(&given.atom_plddt));
        let was_given = given.plddt.is_some() || given.atom_plddt.is_some();
        let chosen = chosen(model, tokens, of_tokens.as_ref().map(|of| &of.0), of_atoms.as_ref().map(|of| &of.0));
        let is_predictors = chosen.is_some();
        let (values, by) = chosen.unwrap_or_else(|| {
            if let Some((values, file)) = of_tokens.as_ref().or(of_atoms.as_ref()) {
                notes.push(format!(
                    "{file} has {} confidences (pLDDT), and the model {} tokens and {} atoms: the B column is taken",
                    values.len(),
                    tokens.len(),
                    model.records
                ));
            } else if was_given {
                notes.push("the confidences (pLDDT) of the B column are taken".to_owned());
            }
            (model.atoms.iter().map(|atom| atom.b).collect(), By::Atom)
        });
        let most = values.iter().fold(0_f32, |most, value| if *value > most { *value } else { most });
        let scale = match most {
            0.0 => 0.0,
            most if most <= 1.0 => 100.0,
            _ => 1.0,
        };
        match scale {
            0.0 => notes.push("it has no confidences (pLDDT): scores that need them are undefined".to_owned()),
            100.0 => notes.push("its confidences (pLDDT) from 0 to 1 are written from 0 to 100".to_owned()),
            _ => {}
        }
        let found = Self { values, by, scale };
        if is_predictors {
            warnings.extend(found.doubt(model, tokens));
        }
        found
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
        if self.scale > 0.0 && (0.0..=100.0).contains(&value) { value } else { f32::NAN }
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

/// The predictor's values and what they are of, if their number is that of tokens, residues or atoms. Files may have their tokens in
/// another order than the model has its atoms.
fn chosen(
    model: &Model,
    tokens: &[Token],
    of_tokens: Option<&Vec<f32>>,
    of_atoms: Option<&Vec<f32>>,
) -> Option<(Vec<f32>, By)> {
    let order: Vec<u32> = tokens.iter().flat_map(|token| token.atoms(model)).collect();
    let is_in_order = order.is_sorted();
    match (of_tokens, of_atoms) {
        (Some(values), _) if values.len() == tokens.len() => Some((values.clone(), By::Token)),
        (Some(values), _) if values.len() == model.residues.len() && is_in_order => Some((values.clone(), By::Residue)),
        (_, Some(values)) if values.len() == model.records && is_in_order => Some((values.clone(), By::Record)),
        (_, Some(values)) if values.len() == model.atoms.len() && is_in_order => Some((values.clone(), By::Atom)),
        (_, Some(values)) if values.len() == model.atoms.len() && values.len() == order.len() => {
            let mut sorted = vec![f32::NAN; values.len()];
            order.iter().zip(values).for_each(|(&atom, &value)| sorted[atom as usize] = value);
            Some((sorted, By::Atom))
        }
        _ => None,
    }
}
