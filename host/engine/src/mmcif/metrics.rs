//! Values of residues as local metrics of quality, the categories of ModelCIF that viewers colour structures by.
//!
//! [ModelCIF](https://mmcif.wwpdb.org/dictionaries/mmcif_ma.dic/Index/): `_ma_qa_metric` lists metrics, `_ma_qa_metric_local` has their
//! values.

use super::places::{self, Chains};
use super::{Disulfide, Polymers, Table, divide, from_pdb};
use prism_read::structure::StructureInput;
use prism_read::{
    ADDED_METRIC, Category, Header, Problem, ReadError, ReadOptions, first_model, read_bytes, read_polymers,
    take_categories, unquoted,
};
use std::collections::HashSet;

/// The categories. Names end with a dot.
const CATEGORIES: [&str; 2] = ["_ma_qa_metric.", "_ma_qa_metric_local."];
const METRIC: [&str; 7] = ["id", "name", "description", "type", "mode", "type_other_details", "software_group_id"];
const LOCAL: [&str; 7] =
    ["ordinal_id", "model_id", "label_asym_id", "label_seq_id", "label_comp_id", "metric_id", "metric_value"];

/// What is wrong with mmCIF by which no value is found.
const NO_LABELS: &str = "no residue with a value has label_asym_id and label_seq_id, by which viewers find values; give the file of the entry, \
                         or convert the file to PDB";

/// What the values of a metric are.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum MetricType {
    /// From 0 to 1.
    Normalized,
    /// The confidence of a predicted model, from 0 to 100.
    Plddt,
    /// Something else, in a unit or with another remark.
    Other(String),
}

impl MetricType {
    /// The type in the dictionary's words, and what it is where that says nothing.
    fn words(&self) -> [&str; 2] {
        match self {
            Self::Normalized => ["normalized score", "."],
            Self::Plddt => ["pLDDT", "."],
            Self::Other(details) => ["other", details],
        }
    }
}

/// A value for some residues of a structure.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LocalMetric {
    /// Its name.
    pub name: String,
    /// What it is.
    pub description: String,
    /// What its values are.
    pub of: MetricType,
    /// Rows of the structure with their values, as text.
    pub values: Vec<(usize, String)>,
}

/// A structure with metrics.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WithMetrics {
    /// The text of an mmCIF file.
    pub text: String,
    /// The metrics that were not added because the file has others of their names, whatever their case. Those that were added by an
    /// earlier call are replaced.
    pub known: Vec<String>,
    /// How many rows with values are residues that mmCIF has no number for, and so have none in the file.
    pub unplaced: usize,
}

/// A file as mmCIF with metrics of its residues behind those that it has. `name` is the file's name in errors.
///
/// The structure is that of the file's first model with [labels](prism_read::ReadOptions::labels).
///
/// # Errors
/// If the file cannot be read, is neither PDB, mmCIF nor BinaryCIF, or does not tell its residues apart; or if no value has a place in it.
///
/// ```
/// use prism_engine::mmcif::{LocalMetric, MetricType, with_metrics};
/// use prism_read::{ReadOptions, read_bytes};
///
/// let bytes = std::fs::read("../../tests/data/1ubq.pdb.gz")?;
/// let structure = read_bytes(&bytes, "1ubq", &ReadOptions::default())?.structure;
/// let first = LocalMetric {
///     name: "first".to_owned(),
///     description: "1 for the first residue".to_owned(),
///     of: MetricType::Normalized,
///     values: vec![(0, "1".to_owned())],
/// };
/// let annotated = with_metrics(&structure, &bytes, "1ubq", vec![first])?;
/// assert!(annotated.text.contains("\n_ma_qa_metric_local.label_seq_id 1\n"));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn with_metrics(
    structure: &StructureInput,
    bytes: &[u8],
    name: &str,
    metrics: Vec<LocalMetric>,
) -> Result<WithMetrics, ReadError> {
    let (mut text, categories, places, unknown) = match take_categories(bytes, name, &CATEGORIES)? {
        Some((text, categories)) => (text, categories, places::of_labels(structure), NO_LABELS),
        None => {
            let (text, places) = text_of_pdb(structure, bytes, name)?;
            (text, CATEGORIES.map(|_| Category::default()).into(), places, places::NOT_TOLD_APART)
        }
    };
    places::check(&places, name)?;
    let place = |row: usize| places.get(row).and_then(Option::as_ref);
    let rows: HashSet<usize> = metrics.iter().flat_map(|metric| metric.values.iter().map(|(row, _)| *row)).collect();
    let unplaced = rows.iter().filter(|row| place(**row).is_none()).count();
    if unplaced == rows.len() {
        return Err(ReadError { name: name.to_owned(), line: None, problem: Problem::OtherFormat(unknown) });
    }
    let model = first_model(&text, name)?;
    let [mut of_file, mut local_of_file] = <[Category; 2]>::try_from(categories).unwrap_or_default();
    replace_own(&mut of_file, &mut local_of_file, &metrics);
    let names = local_names(&of_file);
    let (known, new): (Vec<_>, Vec<_>) =
        metrics.into_iter().partition(|metric| names.contains(&metric.name.to_ascii_lowercase()));
    let (last, last_ordinal) = (largest(&of_file, "id"), largest(&local_of_file, "ordinal_id"));
    let mut listed = Table::behind(of_file, "ma_qa_metric", &METRIC);
    let mut local = Table::behind(local_of_file, "ma_qa_metric_local", &LOCAL);
    for (id, metric) in (last + 1..).map(|id| id.to_string()).zip(new) {
        let [kind, details] = metric.of.words().map(str::to_owned);
        listed.rows.push(vec![
            id.clone(),
            metric.name,
            format!("{ADDED_METRIC}{}", metric.description),
            kind,
            "local".to_owned(),
            details,
            ".".to_owned(),
        ]);
        for (row, value) in metric.values {
            let Some((asym, seq)) = place(row) else { continue };
            let ordinal = (last_ordinal + 1 + local.rows.len() as u64).to_string();
            let residue = structure.resname(row).to_owned();
            local.rows.push(vec![ordinal, model.clone(), asym.clone(), seq.to_string(), residue, id.clone(), value]);
        }
    }
    divide(&mut text);
    listed.write(&mut text);
    local.write(&mut text);
    Ok(WithMetrics { text, known: known.into_iter().map(|metric| metric.name).collect(), unplaced })
}

/// A PDB file as mmCIF, and the places of a structure's rows in it. Polymers are the rows that the file can have: those of the structure may be
/// a part of them.
fn text_of_pdb(
    structure: &StructureInput,
    bytes: &[u8],
    name: &str,
) -> Result<(String, Vec<Option<places::Place>>), ReadError> {
    let own = read_polymers(bytes, name)?;
    let options = ReadOptions { polymers: prism_read::Polymers::All, labels: true, ..ReadOptions::default() };
    let whole = read_bytes(bytes, name, &options);
    let whole = whole.as_ref().map_or(structure, |read| &read.structure);
    // Copies in an assembly, and molecules that were told apart, have no such names in the file.
    let chains = Chains::of(structure, name).and_then(|_| Chains::of(whole, name))?;
    let Header { id, of_pdb, .. } = &own.header;
    // The values, the file's name and its remarks may say what it is, of which mmCIF has nothing.
    let known = if structure.predicted { "plddt" } else { "b_factor" };
    let disulfides = own.disulfides.iter().zip(&own.operators).map(|(ends, operators)| {
        let ends = ends.map(|of| &own.residues[of]);
        Disulfide { ends, operators }
    });
    let polymers = Polymers {
        entry: id,
        header: of_pdb,
        b_column: Some(of_pdb.b_column.as_deref().unwrap_or(known)),
        asyms: &chains.asyms,
        ids: chains.ids.clone(),
        residues: [&chains.residues, &[]],
        disulfides: disulfides.collect(),
        references: &chains.references,
        share_positions: true,
    };
    Ok((from_pdb(&polymers, bytes, name)?, chains.places(structure)))
}

/// The names of local metrics, in lower case.
fn local_names(metrics: &Category) -> HashSet<String> {
    let modes = column(metrics, "mode").map(|mode| mode.eq_ignore_ascii_case("local"));
    let names = column(metrics, "name").zip(modes).filter(|(_, is_local)| *is_local);
    names.map(|(name, _)| name.to_ascii_lowercase()).collect()
}

/// Takes out the metrics that an earlier run added and that are to be added again, with what was made of them (`NAME (...)`).
fn replace_own(of_file: &mut Category, local_of_file: &mut Category, new: &[LocalMetric]) {
    let is_replaced = |name: &str| {
        let of = |rest: &str| rest.is_empty() || rest.starts_with(" (");
        new.iter().any(|metric| name.strip_prefix(metric.name.as_str()).is_some_and(of))
    };
    let place = |category: &Category, item: &str| category.items.iter().position(|own| own.eq_ignore_ascii_case(item));
    let places = ["id", "name", "description"].map(|item| place(of_file, item));
    let [Some(id), Some(name), Some(description)] = places else { return };
    let mut replaced: HashSet<String> = HashSet::new();
    of_file.rows.retain(|row| {
        let is_own = unquoted(&row[description]).starts_with(ADDED_METRIC) && is_replaced(unquoted(&row[name]));
        if is_own {
            replaced.insert(unquoted(&row[id]).to_owned());
        }
        !is_own
    });
    if let Some(metric) = place(local_of_file, "metric_id").filter(|_| !replaced.is_empty()) {
        local_of_file.rows.retain(|row| !replaced.contains(unquoted(&row[metric])));
    }
}

/// The values of an item.
fn column<'c>(category: &'c Category, item: &str) -> impl Iterator<Item = &'c str> {
    let place = category.items.iter().position(|own| own.eq_ignore_ascii_case(item));
    place.into_iter().flat_map(|place| category.rows.iter().map(move |row| unquoted(&row[place])))
}

/// The largest number in an item; 0 if there is none.
fn largest(category: &Category, item: &str) -> u64 {
    column(category, item).filter_map(|value| value.parse().ok()).max().unwrap_or(0)
}
