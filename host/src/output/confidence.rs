//! The tables of scores of predicted complexes.

use super::{CellKind, Cells, RelationColumn};
use crate::confidence::{PAIR_NUMBERS, RESIDUE_NUMBERS, STRUCTURE_NUMBERS, ScoreColumn, Scores};
use std::sync::LazyLock;

const STRUCTURE: RelationColumn =
    RelationColumn::new("structure", CellKind::Text, "", "the name of the structure: the path of its model");

/// The columns of pairs of chains.
pub static PAIR_COLUMNS: LazyLock<Vec<RelationColumn>> = LazyLock::new(|| {
    let begin = [
        STRUCTURE,
        RelationColumn::new("chain_a", CellKind::Text, "", "a chain, on whose residues both structures are aligned"),
        RelationColumn::new("chain_b", CellKind::Text, "", "another chain, whose errors are scored"),
        RelationColumn::new(
            "kind",
            CellKind::Text,
            "",
            "asym: this direction alone; max: the higher of both directions",
        ),
    ];
    with_numbers(&begin, &PAIR_NUMBERS)
});

/// The columns of residues.
pub static RESIDUE_COLUMNS: LazyLock<Vec<RelationColumn>> = LazyLock::new(|| {
    let begin = [
        STRUCTURE,
        RelationColumn::new(
            "chain",
            CellKind::Text,
            "",
            "the chain of the residue, on which both structures are aligned",
        ),
        RelationColumn::new("resnum", CellKind::Int, "", "the author's residue number"),
        RelationColumn::new("icode", CellKind::Text, "", "the insertion code, usually empty"),
        RelationColumn::new("resname", CellKind::Text, "", "the residue's name; a ligand has a row for each atom"),
        RelationColumn::new("chain_b", CellKind::Text, "", "another chain, whose errors are scored"),
    ];
    with_numbers(&begin, &RESIDUE_NUMBERS)
});

/// The columns of structures.
pub static STRUCTURE_COLUMNS: LazyLock<Vec<RelationColumn>> = LazyLock::new(|| {
    let begin = [
        STRUCTURE,
        RelationColumn::new(
            "rank",
            CellKind::Int,
            "",
            "the place by ranking, the highest first; those without one come last",
        ),
        RelationColumn::new("rank_ipsae", CellKind::Int, "", "the place by ipsae, the highest first"),
        RelationColumn::new("chains", CellKind::Int, "", "the number of chains"),
        RelationColumn::new("tokens", CellKind::Int, "", "the number of the predictor's tokens"),
    ];
    with_numbers(&begin, &STRUCTURE_NUMBERS)
});

fn with_numbers(begin: &[RelationColumn], numbers: &[ScoreColumn]) -> Vec<RelationColumn> {
    let kind = |column: &ScoreColumn| if column.is_count { CellKind::Int } else { CellKind::Float };
    let numbers =
        numbers.iter().map(|column| RelationColumn::new(column.name, kind(column), column.unit, column.definition));
    begin.iter().copied().chain(numbers).collect()
}

/// A row's values, column by column.
struct Row<'c> {
    cells: std::slice::IterMut<'c, Cells>,
}

impl Row<'_> {
    fn text(&mut self, value: &str) {
        if let Some(Cells::Text(values)) = self.cells.next() {
            values.push(value.to_owned());
        }
    }

    fn int(&mut self, value: i32) {
        if let Some(Cells::Int(values)) = self.cells.next() {
            values.push(value);
        }
    }

    fn numbers(&mut self, numbers: &[f32]) {
        for (&number, cells) in numbers.iter().zip(&mut self.cells) {
            match cells {
                Cells::Int(values) => values.push(number as i32),
                Cells::Float(values) => values.push(number),
                Cells::Text(_) => {}
            }
        }
    }
}

/// Appends the rows of [`PAIR_COLUMNS`].
pub fn append_pairs(scores: &Scores, cells: &mut [Cells]) {
    for pair in &scores.pairs {
        let mut row = Row { cells: cells.iter_mut() };
        row.text(&scores.name);
        pair.chains.iter().for_each(|&chain| row.text(&scores.chains[chain]));
        row.text(if pair.is_max { "max" } else { "asym" });
        row.numbers(&pair.numbers);
    }
}

/// Appends the rows of [`RESIDUE_COLUMNS`].
pub fn append_residues(scores: &Scores, cells: &mut [Cells]) {
    for residue in &scores.residues {
        let mut row = Row { cells: cells.iter_mut() };
        row.text(&scores.name);
        row.text(&scores.chains[residue.chains[0]]);
        row.int(residue.number);
        row.text(&residue.icode);
        row.text(&residue.name);
        row.text(&scores.chains[residue.chains[1]]);
        row.numbers(&residue.numbers);
    }
}

/// A row of [`STRUCTURE_COLUMNS`] without the ranks, which follow from all rows.
#[derive(Clone, Debug)]
pub struct StructureRow {
    name: String,
    counts: [usize; 2],
    numbers: [f32; STRUCTURE_NUMBERS.len()],
}

impl StructureRow {
    /// The row of a prediction.
    #[must_use]
    pub fn new(scores: &Scores) -> Self {
        let of = &scores.structure;
        Self { name: scores.name.clone(), counts: [of.chains, of.tokens], numbers: of.numbers }
    }

    fn number(&self, name: &str) -> f32 {
        let at = STRUCTURE_NUMBERS.iter().position(|column| column.name == name);
        at.map_or(f32::NAN, |at| self.numbers[at])
    }
}

/// Appends the rows of all structures, with their ranks.
pub fn append_structures(rows: &[StructureRow], cells: &mut [Cells]) {
    let [rank, rank_ipsae] = ["ranking", "ipsae"].map(|name| {
        let value = |at: &usize| -> f32 {
            Some(rows[*at].number(name)).filter(|value| !value.is_nan()).unwrap_or(f32::NEG_INFINITY)
        };
        let mut order: Vec<usize> = (0..rows.len()).collect();
        order.sort_by(|one, other| value(other).total_cmp(&value(one)));
        let mut ranks = vec![0; rows.len()];
        order.iter().enumerate().for_each(|(place, &at)| ranks[at] = place as i32 + 1);
        ranks
    });
    for (at, of) in rows.iter().enumerate() {
        let mut row = Row { cells: cells.iter_mut() };
        row.text(&of.name);
        row.int(rank[at]);
        row.int(rank_ipsae[at]);
        of.counts.iter().for_each(|&count| row.int(count as i32));
        row.numbers(&of.numbers);
    }
}
