//! Models compared with a reference, as a relation.

use super::ahead::Ahead;
use super::relations::{RelationFailures, STRUCTURE, Value, float, int, push, text};
use super::{CellKind, Cells, OutputError, Relation, RelationColumn, StructureRows};
use prism_complexes::dockq::{Compared, DockqError, Reference, Scores};
use prism_read::NoteKind;
use std::sync::Arc;

/// A line for each model, then one for each interface of the reference. It needs no feature.
pub struct DockqRelation {
    reference: Arc<Reference>,
    failures: RelationFailures,
    ahead: Ahead<Result<Compared, DockqError>>,
}

impl DockqRelation {
    /// A table of models compared with `reference`. `failures` gets those that cannot be compared.
    #[must_use]
    pub fn new(reference: Arc<Reference>, failures: RelationFailures) -> Self {
        Self { reference, failures, ahead: Ahead::default() }
    }

    /// Its columns.
    #[must_use]
    pub fn columns() -> &'static [RelationColumn] {
        const {
            &[
                STRUCTURE,
                text("reference", "name of the reference"),
                text("chain_a", "chain or ligand of the model; empty in the line of the whole model"),
                text("chain_b", "its other chain"),
                text("reference_a", "chain of the reference that corresponds to chain_a"),
                text("reference_b", "chain of the reference that corresponds to chain_b, in contact with reference_a"),
                float(
                    "dockq",
                    "",
                    "DockQ, 0 to 1: mean of fnat, 1/(1+(irmsd/1.5)^2) and 1/(1+(lrmsd/8.5)^2); for the whole model, the mean \
                     over the interfaces of the reference; of a ligand, the mean of 0, 1 and the last term",
                ),
                float(
                    "fnat",
                    "",
                    "share of the reference's contacts (residues with heavy atoms closer than 5 Å) that the model has",
                ),
                float("fnonnat", "", "share of the model's contacts that the reference lacks"),
                float(
                    "irmsd",
                    "Å",
                    "RMSD of the backbone atoms (N, CA, C and O; phosphate and sugar) of the residues within 10 Å of the other chain \
                     in the reference, superposed",
                ),
                float(
                    "lrmsd",
                    "Å",
                    "RMSD of the shorter chain's backbone atoms after superposition of the longer chain; of chains with equally \
                     many residues in the reference, the second is superposed; of a ligand, that of its atoms after superposition of \
                     the chain's residues within 10 Å",
                ),
                float("f1", "", "harmonic mean of precision and recall of the model's contacts"),
                int(
                    "clashes",
                    "pairs of residues of the model, one of each chain, with heavy atoms closer than 2 Å; those of a \
                     ligand may be bonds",
                ),
                RelationColumn::new(
                    "mapping",
                    CellKind::Text,
                    "",
                    "the model's chains with those of the reference (A:B,B:A): the mapping with the highest sum of dockq",
                ),
            ]
        }
    }
}

/// Appends the lines of a model.
pub(crate) fn lines(structure: &str, reference: &str, compared: &Compared, cells: &mut [Cells]) {
    let mapping = compared.mapping_text();
    let mut line = |chains: [&str; 4], dockq: f64, scores: Option<&Scores>, clashes: usize| {
        let [a, b, reference_a, reference_b] = chains.map(Value::Text);
        let value = |of: fn(&Scores) -> f64| Value::Float(scores.map_or(f64::NAN, of) as f32);
        push(
            cells,
            &[
                Value::Text(structure),
                Value::Text(reference),
                a,
                b,
                reference_a,
                reference_b,
                Value::Float(dockq as f32),
                value(|scores| scores.fnat),
                value(|scores| scores.fnonnat),
                value(|scores| scores.irmsd),
                value(|scores| scores.lrmsd),
                value(|scores| scores.f1),
                Value::Int(clashes),
                Value::Text(&mapping),
            ],
        );
    };
    let clashes = compared.interfaces.iter().map(|interface| interface.scores.clashes).sum();
    line([""; 4], compared.dockq(), None, clashes);
    for interface in &compared.interfaces {
        let ([a, b], [c, d]) = (&interface.chains, &interface.reference);
        line([a, b, c, d], interface.scores.dockq, Some(&interface.scores), interface.scores.clashes);
    }
}

impl Relation for DockqRelation {
    fn columns(&self) -> &'static [RelationColumn] {
        Self::columns()
    }

    fn prepare(&mut self, parts: &[StructureRows<'_>]) {
        self.ahead.compute(parts, |part| self.reference.compare(part.structure));
    }

    fn append(&mut self, part: &StructureRows<'_>, cells: &mut [Cells]) -> Result<(), OutputError> {
        let structure = part.structure;
        match self.ahead.next(|| self.reference.compare(structure)) {
            Ok(compared) => {
                lines(&structure.name, self.reference.name(), &compared, cells);
                for remark in compared.remarks {
                    self.failures.note(&structure.label(), NoteKind::Unmatched, remark);
                }
            }
            Err(error) => self.failures.fail(&structure.label(), format!("not compared: {error}")),
        }
        Ok(())
    }
}
