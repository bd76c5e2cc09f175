//! Predicted aligned errors beside edges and interfaces.

use super::relations::float;
use super::{
    Cells, EdgesRelation, InterfacePairs, OutputError, Relation, RelationColumn, RelationFailures, StructureRows,
};
use crate::inputs::{InputFailure, InputFile, Source, structure_name};
use prism_complexes::confidence::{Prediction, PredictionFiles, Predictions};
use prism_engine::contacts::{ATOM_CONTACT, atom_contacts};
use prism_read::NoteKind;
use prism_read::structure::StructureInput;
use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::{Arc, LazyLock};

/// What the lines of a relation are about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LinesOf {
    /// Two residues, as in [`EdgesRelation`].
    Edges,
    /// Two chains, as in [`InterfacePairs`].
    Interfaces,
}

/// The columns of edges with errors, as [`EdgesRelation::every`] has them, and of interfaces.
static COLUMNS: LazyLock<Vec<Vec<RelationColumn>>> = LazyLock::new(|| {
    let of_pairs = [
        float(
            "pae",
            "Å",
            "with --pae: mean of the two predicted aligned errors, of either residue aligned on the other",
        ),
        float("pae_min", "Å", "with --pae: the smaller of the two"),
        float("contact_probability", "", "with --pae: the predictor's probability of their contact, if it wrote one"),
    ];
    let of_chains = [
        float("pae", "Å", "with --pae: mean predicted aligned error of the pairs of contacts, of both directions"),
        float("pae_min", "Å", "with --pae: the smallest of these errors"),
        float(
            "contact_probability",
            "",
            "with --pae: mean of the predictor's probabilities of these contacts, if it wrote them",
        ),
    ];
    let of_edges = EdgesRelation::every().map(|own| (own, of_pairs));
    let all = of_edges.chain([(InterfacePairs.columns(), of_chains)]);
    all.map(|(own, errors)| own.iter().copied().chain(errors).collect()).collect()
});

impl LinesOf {
    /// All columns that there can be, with those of errors.
    #[must_use]
    pub fn columns(self) -> &'static [RelationColumn] {
        match self {
            Self::Edges => &COLUMNS[EdgesRelation::WHOLE],
            Self::Interfaces => COLUMNS.last().map_or(&[], Vec::as_slice),
        }
    }
}

/// The columns of a relation with those of errors.
fn with_errors(own: &[RelationColumn]) -> &'static [RelationColumn] {
    let begins = |all: &&Vec<RelationColumn>| {
        let names = all.iter().map(|column| column.name);
        all.len() == own.len() + 3 && names.zip(own).all(|(name, own)| name == own.name)
    };
    COLUMNS.iter().find(begins).expect("a relation of pairs of rows or chains")
}

/// The predictions under some paths, by the names of the structures that are read from there. A structure that is left out of scores,
/// because another one has the same matrix, has it here.
#[must_use]
pub fn predictions_beside(
    inputs: &[Result<InputFile, InputFailure>],
    paths: &[PathBuf],
) -> HashMap<String, PredictionFiles> {
    let place = |path: &Path| path.canonicalize().unwrap_or_else(|_| path.to_owned());
    let names: HashMap<PathBuf, &InputFile> =
        inputs.iter().flatten().map(|input| (place(&input.path), input)).collect();
    let named = |files: PredictionFiles| {
        let name = match names.get(&place(files.model_path())) {
            Some(input) if matches!(input.source, Source::Archive) => {
                // A member is called by its path there, behind the archive's name.
                let archive = format!("{}/", structure_name(Path::new(input.path.file_name().unwrap_or_default())));
                let member = files.name.split_once(&archive).map_or(&*files.name, |(_, member)| member);
                format!("{}/{member}", input.name)
            }
            Some(input) => input.name.clone(),
            None => files.name.clone(),
        };
        (name, files)
    };
    let Predictions { files, replaced, .. } = Predictions::find(paths);
    replaced.into_iter().chain(files).map(named).collect()
}

/// The prediction of a structure, which may be a part of it (`NAME:PART`).
#[must_use]
pub fn prediction_of<'a>(
    predictions: &'a HashMap<String, PredictionFiles>,
    structure: &str,
) -> Option<&'a PredictionFiles> {
    let whole = || predictions.get(structure.rsplit_once(':')?.0);
    predictions.get(structure).or_else(whole)
}

/// A relation with the errors of its pairs of residues, read from the matrix beside each model. A matrix is in memory while its
/// model's lines are made.
pub struct WithErrors<R> {
    /// The relation.
    pub relation: R,
    /// What its lines are about.
    pub lines: LinesOf,
    /// The predictions by the names of structures.
    pub predictions: Arc<HashMap<String, PredictionFiles>>,
    /// Gets notes about structures without a matrix.
    pub failures: RelationFailures,
}

impl<R: Relation> Relation for WithErrors<R> {
    fn columns(&self) -> &'static [RelationColumn] {
        with_errors(self.relation.columns())
    }

    fn prepare(&mut self, parts: &[StructureRows<'_>]) {
        self.relation.prepare(parts);
    }

    fn append(&mut self, part: &StructureRows<'_>, cells: &mut [Cells]) -> Result<(), OutputError> {
        let (own, errors) = cells.split_at_mut(self.relation.columns().len());
        let before = lines(own);
        self.relation.append(part, own)?;
        let structure = part.structure;
        let found = match prediction_of(&self.predictions, &structure.name) {
            Some(files) => files.read_with_contacts(),
            None => Err("no file with predicted aligned errors lies beside it".to_owned()),
        };
        let found = found.unwrap_or_else(|reason| {
            self.failures.note(&structure.name, NoteKind::NoMatrix, format!("--pae: {reason}"));
            Prediction::default()
        });
        let pairs = Pairs::new(structure, &found);
        let of_lines: Vec<[f32; 3]> = match self.lines {
            LinesOf::Edges => {
                let [Cells::Int(i), Cells::Int(j)] = &own[1..3] else { unreachable!("rows are integers") };
                let rows = i[before..].iter().zip(&j[before..]).map(|(i, j)| [*i as usize, *j as usize]);
                rows.map(|rows| pairs.mean([rows].into_iter())).collect()
            }
            LinesOf::Interfaces => {
                let [Cells::Text(a), Cells::Text(b)] = &own[1..3] else { unreachable!("chains are texts") };
                // Those of the column `contacts`, in the order of rows.
                let mut contacts: Vec<[usize; 2]> =
                    atom_contacts(structure, ATOM_CONTACT).into_keys().map(|(i, j)| [i as usize, j as usize]).collect();
                contacts.sort_unstable();
                let chains = |rows: &[usize; 2]| rows.map(|row| part.chain(row));
                let between = |a: &str, b: &str| {
                    let is_one = |rows: &&[usize; 2]| chains(rows) == [a, b] || chains(rows) == [b, a];
                    pairs.mean(contacts.iter().filter(is_one).copied())
                };
                a.from(before).zip(b.from(before)).map(|(a, b)| between(a, b)).collect()
            }
        };
        for line in of_lines {
            for (cells, value) in errors.iter_mut().zip(line) {
                if let Cells::Float(values) = cells {
                    values.push(value);
                }
            }
        }
        Ok(())
    }

    fn finish(self: Box<Self>) -> Result<(), OutputError> {
        Box::new(self.relation).finish()
    }
}

/// The number of lines.
fn lines(cells: &[Cells]) -> usize {
    match cells.first() {
        Some(Cells::Text(names)) => names.len(),
        _ => 0,
    }
}

/// The errors between rows of a structure.
struct Pairs<'a> {
    of: &'a Prediction,
    /// The row of the matrix of each row of the structure.
    rows: Vec<Option<usize>>,
}

impl<'a> Pairs<'a> {
    fn new(structure: &StructureInput, of: &'a Prediction) -> Self {
        Self { of, rows: matrix_rows(structure, of) }
    }

    /// The mean and the smallest error of some pairs of rows, and the mean probability of their contact. Pairs without errors do not
    /// count; NaN of none.
    fn mean(&self, pairs: impl Iterator<Item = [usize; 2]>) -> [f32; 3] {
        let (mut sum, mut least, mut contact, mut count) = (0.0, f32::NAN, 0.0, 0);
        for [i, j] in pairs.filter_map(|[i, j]| Some([self.rows[i]?, self.rows[j]?])) {
            let errors = [self.of.pae.at(i, j), self.of.pae.at(j, i)];
            sum += f64::from(errors[0]) + f64::from(errors[1]);
            least = least.min(errors[0]).min(errors[1]);
            contact += self.of.contacts.as_ref().map_or(f64::NAN, |contacts| f64::from(contacts.at(i, j)));
            count += 1;
        }
        let count = f64::from(count);
        [(sum / (2.0 * count)) as f32, least, (contact / count) as f32]
    }
}

/// The row of a prediction's matrix for each row of its model.
pub fn matrix_rows(structure: &StructureInput, of: &Prediction) -> Vec<Option<usize>> {
    let known = of.rows_of_residues();
    let row = |row: usize| {
        let chain = &*structure.chains[structure.chain_ids[row] as usize];
        let (number, icode) = (structure.residue_numbers[row], structure.insertion_codes[row].trim());
        known.get(&(chain, number, icode)).copied()
    };
    (0..structure.n_rows()).map(row).collect()
}
