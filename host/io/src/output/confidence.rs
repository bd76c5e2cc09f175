//! The tables of scores of predicted complexes.

use super::{CellKind, Cells, DockqRelation, RelationColumn};
use prism_complexes::confidence::{PAIR_NUMBERS, RESIDUE_NUMBERS, STRUCTURE_NUMBERS, ScoreColumn, Scores};
use prism_complexes::dockq::Compared;
use serde_json::{Value, json};
use std::collections::{BTreeMap, HashSet};
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
            "design",
            CellKind::Text,
            "",
            "what the models of one design have in common: their path without sample, seed and rank",
        ),
        RelationColumn::new(
            "rank",
            CellKind::Optional,
            "",
            "the place by ranking, the highest first; equal values have equal places, and those without one none",
        ),
        RelationColumn::new(
            "rank_ipsae",
            CellKind::Optional,
            "",
            "the place by ipsae, the highest first; equal values have equal places, and those without one none",
        ),
        RelationColumn::new("chains", CellKind::Int, "", "the number of chains"),
        RelationColumn::new("tokens", CellKind::Int, "", "the number of the predictor's tokens"),
    ];
    with_numbers(&begin, &STRUCTURE_NUMBERS)
});

/// The columns of pairs of chains after [`PAIR_COLUMNS`] if models are compared with a reference, defined as in `prism dockq`.
const COMPARED_PAIR: [&str; 6] = ["reference_a", "reference_b", "dockq", "fnat", "irmsd", "lrmsd"];
/// The same of structures.
const COMPARED_STRUCTURE: [&str; 2] = ["dockq", "mapping"];

/// The columns of pairs of chains, with those of a comparison with a reference.
pub static COMPARED_PAIR_COLUMNS: LazyLock<Vec<RelationColumn>> =
    LazyLock::new(|| with_comparison(&PAIR_COLUMNS, &COMPARED_PAIR));

/// The columns of structures, with those of a comparison with a reference.
pub static COMPARED_STRUCTURE_COLUMNS: LazyLock<Vec<RelationColumn>> =
    LazyLock::new(|| with_comparison(&STRUCTURE_COLUMNS, &COMPARED_STRUCTURE));

fn with_comparison(columns: &[RelationColumn], more: &[&str]) -> Vec<RelationColumn> {
    let known = DockqRelation::columns().iter().filter(|column| more.contains(&column.name));
    columns.iter().chain(known).copied().collect()
}

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
            values.push(value);
        }
    }

    fn int(&mut self, value: i32) {
        if let Some(Cells::Int(values)) = self.cells.next() {
            values.push(value);
        }
    }

    fn optional(&mut self, value: Option<i32>) {
        if let Some(Cells::Optional(values)) = self.cells.next() {
            values.push(value);
        }
    }

    fn numbers(&mut self, numbers: &[f32]) {
        for (&number, cells) in numbers.iter().zip(&mut self.cells) {
            match cells {
                Cells::Int(values) => values.push(number as i32),
                Cells::Float(values) => values.push(number),
                Cells::Optional(_) | Cells::Text(_) => {}
            }
        }
    }
}

/// Appends the rows of [`PAIR_COLUMNS`], or of [`COMPARED_PAIR_COLUMNS`] if there are cells for these.
pub fn append_pairs(scores: &Scores, cells: &mut [Cells]) {
    for pair in &scores.pairs {
        let mut row = Row { cells: cells.iter_mut() };
        row.text(&scores.name);
        pair.chains.iter().for_each(|&chain| row.text(&scores.chains[chain]));
        row.text(if pair.is_max { "max" } else { "asym" });
        row.numbers(&pair.numbers);
        let (reference, numbers) = compared_pair(scores, pair.chains);
        reference.into_iter().for_each(|chain| row.text(chain));
        row.numbers(&numbers);
    }
}

/// What [`COMPARED_PAIR`] has of two chains; nothing if these are no interface of the reference.
fn compared_pair(scores: &Scores, chains: [usize; 2]) -> ([&str; 2], [f32; 4]) {
    let own = chains.map(|chain| scores.chains[chain].as_str());
    for interface in scores.compared.iter().flat_map(|compared| &compared.interfaces) {
        let [a, b] = interface.chains.each_ref().map(String::as_str);
        let [c, d] = interface.reference.each_ref().map(String::as_str);
        let of = &interface.scores;
        let numbers = [of.dockq, of.fnat, of.irmsd, of.lrmsd].map(|number| number as f32);
        match own {
            own if own == [a, b] => return ([c, d], numbers),
            own if own == [b, a] => return ([d, c], numbers),
            _ => {}
        }
    }
    ([""; 2], [f32::NAN; 4])
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

/// A row of [`COMPARED_STRUCTURE_COLUMNS`] without the ranks, which follow from all rows.
#[derive(Clone, Debug)]
pub struct StructureRow {
    name: String,
    design: String,
    counts: [usize; 2],
    numbers: [f32; STRUCTURE_NUMBERS.len()],
    /// What `ranking` is.
    ranked_by: Option<String>,
    dockq: f32,
    mapping: String,
}

impl StructureRow {
    /// The row of a prediction.
    #[must_use]
    pub fn new(scores: &Scores) -> Self {
        let of = &scores.structure;
        let compared = scores.compared.as_ref();
        Self {
            name: scores.name.clone(),
            design: scores.design.clone(),
            counts: [of.chains, of.tokens],
            numbers: of.numbers,
            ranked_by: scores.ranked_by.clone(),
            dockq: compared.map_or(f32::NAN, |compared| compared.dockq() as f32),
            mapping: compared.map_or_else(String::new, Compared::mapping_text),
        }
    }

    /// The highest ipSAE of its pairs of chains; NaN without pairs.
    #[must_use]
    pub fn ipsae(&self) -> f32 {
        self.number("ipsae")
    }

    fn number(&self, name: &str) -> f32 {
        let at = STRUCTURE_NUMBERS.iter().position(|column| column.name == name);
        at.map_or(f32::NAN, |at| self.numbers[at])
    }

    /// The row as JSON, for records of runs that go on later. Undefined numbers are null.
    #[must_use]
    pub fn to_json(&self) -> Value {
        let Self { name, design, counts, numbers, ranked_by, dockq, mapping } = self;
        json!({ "name": name, "design": design, "counts": counts, "numbers": numbers, "ranked_by": ranked_by, "dockq": dockq, "mapping": mapping })
    }

    /// The row of such a JSON, if it is one.
    #[must_use]
    pub fn of_json(json: &Value) -> Option<Self> {
        let text = |key: &str| json[key].as_str().map(str::to_owned);
        let number = |value: &Value| value.as_f64().map_or(f32::NAN, |value| value as f32);
        let mut row = Self {
            name: text("name")?,
            design: text("design")?,
            counts: [0; 2],
            numbers: [f32::NAN; STRUCTURE_NUMBERS.len()],
            ranked_by: text("ranked_by"),
            dockq: number(&json["dockq"]),
            mapping: text("mapping")?,
        };
        for (count, value) in row.counts.iter_mut().zip(json["counts"].as_array()?) {
            *count = value.as_u64()? as usize;
        }
        row.numbers.iter_mut().zip(json["numbers"].as_array()?).for_each(|(to, value)| *to = number(value));
        Some(row)
    }
}

/// The places of rows by a number, the highest first, of those that have one. Equal values have equal places.
fn ranks(rows: &[StructureRow], name: &str) -> Vec<Option<i32>> {
    let values: Vec<f32> = rows.iter().map(|row| row.number(name)).collect();
    let mut order: Vec<usize> = (0..rows.len()).filter(|&at| !values[at].is_nan()).collect();
    order.sort_by(|&one, &other| values[other].total_cmp(&values[one]));
    let mut ranks = vec![None; rows.len()];
    for (place, &at) in order.iter().enumerate() {
        ranks[at] = match place.checked_sub(1).map(|before| order[before]) {
            Some(before) if values[before] == values[at] => ranks[before],
            _ => Some(place as i32 + 1),
        };
    }
    ranks
}

/// Says which values `rank` compares, if they are of several formulas.
#[must_use]
pub fn several_rankings(rows: &[StructureRow]) -> Option<String> {
    let mut kinds: BTreeMap<&str, (usize, &str)> = BTreeMap::new();
    for row in rows {
        if let Some(by) = &row.ranked_by {
            kinds.entry(by).or_insert((0, &row.name)).0 += 1;
        }
    }
    let shown = kinds.iter().map(|(by, (count, first))| match count {
        1 => format!("{by} ({first})"),
        count => format!("{by} ({first} and {} more)", count - 1),
    });
    let shown = shown.collect::<Vec<_>>().join(", ");
    (kinds.len() > 1).then(|| format!("rank puts values of several kinds in one order: {shown}"))
}

/// Appends the rows of all structures, with their ranks: those of [`STRUCTURE_COLUMNS`], or of [`COMPARED_STRUCTURE_COLUMNS`] if
/// there are cells for these. With `best`, the rows of so many designs, the best model by ipSAE of each, in that order.
pub fn append_structures(rows: &[StructureRow], best: Option<usize>, cells: &mut [Cells]) {
    let [rank, rank_ipsae] = ["ranking", "ipsae"].map(|name| ranks(rows, name));
    let mut chosen: Vec<usize> = (0..rows.len()).collect();
    if let Some(best) = best {
        // Those without a place are the last.
        chosen.sort_by_key(|&at| rank_ipsae[at].unwrap_or(i32::MAX));
        let mut known = HashSet::new();
        chosen.retain(|&at| known.insert(rows[at].design.as_str()));
        chosen.truncate(best);
    }
    for at in chosen {
        let of = &rows[at];
        let mut row = Row { cells: cells.iter_mut() };
        row.text(&of.name);
        row.text(&of.design);
        row.optional(rank[at]);
        row.optional(rank_ipsae[at]);
        of.counts.iter().for_each(|&count| row.int(count as i32));
        row.numbers(&of.numbers);
        row.numbers(&[of.dockq]);
        row.text(&of.mapping);
    }
}
