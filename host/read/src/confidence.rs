//! Predicted models: whether a B column holds a predictor's confidence (pLDDT), and its values from 0 to 100.
//!
//! A file may say so, in mmCIF by `_ma_qa_metric`, in PDB by TITLE or REMARK, or by its name. Without that, values that every atom of a
//! residue shares are taken for a confidence if nothing indicates an experiment, and they are like those of predictors. Programs write
//! areas, fluctuations, charges and scores there, too. What cannot be told is taken for B factors, with a note. A file may also say that its
//! B column holds something else: by its own item, another metric, or a REMARK.

use super::b_column;
use super::draft::Draft;
use super::facts::Facts;
use super::note::{Note, NoteKind};
use crate::plural::counted;
use crate::structure::Composition;

/// How the note about `_ma_qa_metric` begins to say what the values are.
pub(super) const BY_METRIC: &str = "as its _ma_qa_metric says";
/// Of a PDB file's header.
pub(super) const BY_HEADER: &str = "as its TITLE or REMARK says";
/// Of the title of a compressed entry.
pub(super) const BY_TITLE: &str = "as its title says";
const BY_NAME: &str = "as its file's name says, and nothing in it indicates an experiment";
/// Where the file's B column was written with its content.
const BY_CONTENT: &str = "as the file says";
const BY_VALUES: &str =
    "as it seems: it has one value for each residue, between 0 and 100, and there is no sign of an experiment";

/// The mean of B factors in Å^2 is rarely higher, that of confidences rarely lower.
const LEAST_MEAN: f32 = 40.0;
/// Confidences are rarely lower, even where a chain is disordered.
const LEAST: f32 = 15.0;
/// The mean difference of neighbours, in standard deviations: 0.1 to 0.3 for confidences, about 1 for values that do not go along the chain.
const MOST_ROUGH: f32 = 0.7;

/// What says that the B column of a draft is a confidence, if anything does.
pub(super) fn source(draft: &Draft, name: &str, facts: &Facts) -> Option<&'static str> {
    if let Some(held) = facts.held() {
        return (b_column::name(&held) == b_column::PLDDT).then_some(BY_CONTENT);
    }
    let predicted = facts.predicted.filter(|source| *source == BY_METRIC || !is_empty(draft));
    let predicted = predicted.filter(|_| in_range(draft));
    predicted.or_else(|| {
        if facts.experiment || is_empty(draft) || draft.tally.alternates > 0 || !in_range(draft) {
            None
        } else if names_predictor(name) {
            (mean(draft) >= LEAST_MEAN / 2.0).then_some(BY_NAME)
        } else {
            (is_uniform(draft) && is_like_confidences(draft)).then_some(BY_VALUES)
        }
    })
}

/// The note about a B column that holds other values, as the file says.
pub(super) fn others(facts: &Facts) -> Option<Note> {
    let held = facts.others()?;
    let text =
        format!("its B column holds {held}, as the file says, and is taken for neither B factors nor confidences");
    Some(Note { kind: NoteKind::OtherValues, text })
}

/// A note about a B column that is not taken for confidences, but may be.
pub(super) fn doubt(draft: &Draft, name: &str, facts: &Facts) -> Option<Note> {
    let said = |text: &str| Some(Note { kind: NoteKind::MaybeConfidence, text: text.to_owned() });
    if facts.held().is_some() {
        return None;
    }
    if facts.predicted.is_some() && is_empty(draft) {
        return said(
            "the file says that its B column is a predictor's confidence, but all of its values are 0, or all are 1: another program seems to \
             have left them out",
        );
    }
    if facts.predicted.is_some() {
        return said(
            "the file says that its B column is a predictor's confidence, but values are negative or above 100: another program seems to \
             have written its own there, which are taken for B factors",
        );
    }
    let is_plain = !facts.experiment && draft.tally.alternates == 0 && !is_empty(draft) && in_range(draft);
    if is_plain && (names_predictor(name) || is_uniform(draft)) {
        return said(
            "its B column has one value for each residue or the name of a predicted model, but the values are unlike confidences, as areas, \
             fluctuations or scores that a program writes: it is taken for B factors. A TITLE or REMARK with AlphaFold or ESMFold decides it",
        );
    }
    if facts.experiment || draft.tally.alternates > 0 || !draft.b_differs || !in_range(draft) || !differ(draft) {
        return None;
    }
    let (most, sum, count) =
        known(draft).fold((0_f32, 0.0, 0.0), |(most, sum, count), b| (most.max(b), sum + b, count + 1.0));
    let text = "its B column may be a predictor's confidence for each atom: the values lie between 0 and 100, and nothing in the \
                file indicates an experiment or a predictor; it is taken for B factors. A TITLE, REMARK or file name with \
                AlphaFold or ESMFold decides it";
    (most <= 1.0 || sum / count >= LEAST_MEAN).then(|| Note { kind: NoteKind::MaybeConfidence, text: text.to_owned() })
}

/// The confidence of each residue from 0 to 100, by values of the B column that are known to be confidences.
pub fn from_b_column(b: &[f32]) -> Vec<f32> {
    scaled(b, BY_VALUES, false).0
}

/// The confidence of each residue from 0 to 100, and the note that says where it is from. `b` are the values of the B column: those of
/// the alpha carbons or, if `averaged`, the means over each residue's atoms.
pub(super) fn scaled(b: &[f32], source: &str, averaged: bool) -> (Vec<f32>, Note) {
    let is_share = are_shares(b);
    let known = |b: &f32| !b.is_nan();
    let values: Vec<f32> = b.iter().map(|b| in_range_of_100(*b, is_share)).collect();
    let left_out = b.iter().filter(|b| known(b)).count() - values.iter().filter(|b| known(b)).count();
    let mut text = format!("its B column is a predictor's confidence (pLDDT), {source}");
    if is_share {
        text.push_str("; its values from 0 to 1 are written from 0 to 100");
    }
    if averaged {
        text.push_str("; atoms of a residue have their own, of which the mean is taken");
    }
    let mean = values.iter().filter(|b| known(b)).sum::<f32>() / values.iter().filter(|b| known(b)).count() as f32;
    if mean < LEAST_MEAN / 2.0 && source != BY_CONTENT {
        text.push_str(&format!(
            "; their mean of {mean:.1} is low for confidences: another program may have written its own values there"
        ));
    }
    if left_out > 0 {
        let residues = counted(left_out, "residue has a value", "residues have values");
        text.push_str(&format!(
            "; {residues} outside of 0 to 100, which {} left out",
            if left_out == 1 { "is" } else { "are" }
        ));
    }
    (values, Note { kind: NoteKind::Confidence, text })
}

/// The confidences of the residues after the first `rows`, which are no residues of polymers: the means over their atoms, on the scale of
/// the polymers' values.
pub(super) fn of_hetero(composition: &Composition, rows: usize) -> Vec<f32> {
    let is_share = are_shares(&composition.bfactor[..rows]);
    composition.b_column[rows..].iter().map(|b| in_range_of_100(*b, is_share)).collect()
}

/// Whether values go from 0 to 1.
fn are_shares(b: &[f32]) -> bool {
    let most = b.iter().filter(|b| !b.is_nan()).fold(0_f32, |most, b| most.max(*b));
    most > 0.0 && most <= 1.0
}

/// A value from 0 to 100; NaN if it is none.
fn in_range_of_100(b: f32, is_share: bool) -> f32 {
    // As many digits as the file has: a product of f32 would end in others.
    let value = if is_share { ((f64::from(b) * 1e7).round() / 1e5) as f32 } else { b };
    if (0.0..=100.0).contains(&value) { value } else { f32::NAN }
}

/// The values from 0 to 100.
fn in_hundredths(draft: &Draft) -> impl Iterator<Item = f32> {
    let factor = if known(draft).all(|b| b <= 1.0) { 100.0 } else { 1.0 };
    known(draft).map(move |b| factor * b)
}

fn mean(draft: &Draft) -> f32 {
    let (sum, count) = in_hundredths(draft).fold((0.0, 0.0), |(sum, count), b| (sum + b, count + 1.0));
    sum / count
}

/// Whether values are as high as confidences, and change along the chain as slowly.
fn is_like_confidences(draft: &Draft) -> bool {
    let (mean, values) = (mean(draft), || in_hundredths(draft));
    /// Fewer residues do not show how values go along a chain.
    const SHOWS: f32 = 10.0;
    let count = values().count() as f32;
    let deviation = (values().map(|b| (b - mean).powi(2)).sum::<f32>() / count).sqrt();
    let step = values().zip(values().skip(1)).map(|(a, b)| (a - b).abs()).sum::<f32>() / (count - 1.0);
    mean >= LEAST_MEAN && values().all(|b| b >= LEAST) && (count < SHOWS || step <= MOST_ROUGH * deviation)
}

fn known(draft: &Draft) -> impl Iterator<Item = f32> {
    draft.structure.bfactor.iter().copied().filter(|b| !b.is_nan())
}

/// Whether all values are those of confidences.
fn in_range(draft: &Draft) -> bool {
    known(draft).all(|b| (0.0..=100.0).contains(&b))
}

/// Whether all values are 0, or all are 1, as programs write where they have none.
fn is_empty(draft: &Draft) -> bool {
    [0.0, 1.0].into_iter().any(|none| known(draft).all(|b| b == none))
}

/// Whether not all residues have the same value.
fn differ(draft: &Draft) -> bool {
    known(draft).next().is_some_and(|first| known(draft).any(|b| b != first))
}

/// Whether each standard residue has one value, and enough residues have several atoms to show it.
fn is_uniform(draft: &Draft) -> bool {
    /// Residues of fewer atoms are no evidence.
    const ATOMS: usize = 4;
    let rows = draft.structure.bfactor.len();
    let is_full = |row: usize| draft.atoms_of(row).len() >= ATOMS && Draft::shows_b(draft.structure.residue_types[row]);
    let full = (0..rows).filter(|&row| is_full(row)).count();
    !draft.b_differs && full > 1 && 2 * full > rows && differ(draft)
}

/// Whether a file's name is one that a predictor or its database gives: `AF-P69905-F1-model_v4.pdb`,
/// `x_unrelaxed_rank_001_alphafold2_ptm_model_3_seed_000.pdb`.
fn names_predictor(name: &str) -> bool {
    let file = name.rsplit(['/', '\\']).next().unwrap_or_default().to_ascii_lowercase();
    let of_database = || file.starts_with("af-") && file.contains("-f") && file.contains("-model_v");
    ["alphafold", "esmfold", "colabfold", "openfold", "omegafold"].iter().any(|word| file.contains(word))
        || of_database()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_predictors_are_known() {
        for name in ["AF-P69905-F1-model_v4.pdb", "a/b/x_alphafold2_ptm_model_3.pdb", "t.tar/ESMFold_1.pdb"] {
            assert!(names_predictor(name), "{name}");
        }
        for name in ["1abc.pdb", "alphafold/1abc.pdb", "af-1.pdb", "plddt_per_atom.pdb", ""] {
            assert!(!names_predictor(name), "{name}");
        }
    }

    #[test]
    fn shares_become_hundredths_with_the_digits_of_the_file() {
        let (values, note) = scaled(&[0.64, 0.57, 0.123_456, 1.0, f32::NAN], BY_HEADER, false);
        assert_eq!(values[..4], [64.0, 57.0, 12.3456, 100.0]);
        assert!(values[4].is_nan() && note.text.contains("from 0 to 1 are written from 0 to 100"), "{note:?}");
        let (values, note) = scaled(&[0.64, 64.0, 101.0], BY_METRIC, true);
        assert!(values[..2] == [0.64, 64.0] && values[2].is_nan(), "{values:?}");
        assert!(note.text.contains("1 residue has a value outside of 0 to 100, which is left out"), "{note:?}");
    }
}
