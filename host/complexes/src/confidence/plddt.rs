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
        let (values, by) = match (&given.plddt, &given.atom_plddt) {
            (Some((values, _)), _) if values.len() == tokens.len() => (values.clone(), By::Token),
            (Some((values, _)), _) if values.len() == model.residues.len() => (values.clone(), By::Residue),
            (_, Some((values, _))) if values.len() == model.records => (values.clone(), By::Record),
            (_, Some((values, _))) if values.len() == model.atoms.len() => (values.clone(), By::Atom),
            (of_tokens, of_atoms) => {
                if let Some((values, file)) = of_tokens.as_ref().or(of_atoms.as_ref()) {
                    notes.push(format!(
                        "{file} has {} confidences (pLDDT), and the model {} tokens and {} atoms: the B column is taken",
                        values.len(),
                        tokens.len(),
                        model.records
                    ));
                }
                (model.atoms.iter().map(|atom| atom.b).collect(), By::Atom)
            }
        };
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
        warnings.extend(found.doubt(model, tokens));
        found
    }

    /// Compares the values of tokens or residues with the B columns of their atoms. Predictors write the same to both, so that other
    /// values are those of another model, or of chains in another order. The matrix lies beside them.
    fn doubt(&self, model: &Model, tokens: &[Token]) -> Option<String> {
        /// A mean difference of confidences from 0 to 100 that rounding and averaging over atoms do not explain.
        const MOST: f32 = 3.0;
        if self.scale == 0.0 || !matches!(self.by, By::Token | By::Residue) {
            return None;
        }
        let b = |token: &Token| {
            let atoms =
                token.atom.map_or_else(|| model.residues[token.residue as usize].atoms.clone(), |atom| atom..atom + 1);
            let count = atoms.len() as f32;
            atoms.map(|atom| model.atoms[atom as usize].b).sum::<f32>() / count
        };
        let column: Vec<f32> = tokens.iter().map(b).collect();
        let most = column.iter().fold(0_f32, |most, b| most.max(*b));
        // Some programs write the same everywhere.
        if !(0.0..=100.0).contains(&most) || column.iter().all(|b| *b == column[0]) {
            return None;
        }
        let scale = if most <= 1.0 { 100.0 } else { 1.0 };
        let of = |(row, token): (usize, &Token)| {
            self.at(model, (row, token), model.residues[token.residue as usize].atoms.start)
        };
        let difference = |(token, b): ((usize, &Token), &f32)| (of(token) - scale * b).abs();
        let sum: f32 = tokens.iter().enumerate().zip(&column).map(difference).sum();
        let mean = sum / tokens.len() as f32;
        (mean > MOST).then(|| {
            format!(
                "its confidences (pLDDT) differ from the model's B column by {mean:.0} on average: the files beside it may be those of \
                 another model, or have its chains in another order"
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
}
