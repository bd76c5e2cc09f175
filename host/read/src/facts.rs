//! What a file says besides its atoms.

use super::assembly::{self, Generator};
use super::b_column::{ITEM, are_others};
use super::confidence::BY_METRIC;
use super::deposited::Listed;
use super::links::Links;
use super::molecules::Cell;
use super::note::Note;
use super::options::ReadOptions;
use super::references::References;
use super::tables::Tables;
use super::word::text_of;
use std::collections::HashMap;
use std::sync::Arc;

/// The item of mmCIF with the title.
const TITLE: &[u8] = b"_struct.title";

/// The items of mmCIF that describe scores of models.
pub(super) const METRIC: [&[u8]; 4] =
    [b"_ma_qa_metric.mode", b"_ma_qa_metric.name", b"_ma_qa_metric.type", b"_ma_qa_metric.description"];

/// How descriptions of metrics begin that this package adds to a file. Its B column has none of them.
pub const ADDED_METRIC: &str = "computed by prism: ";

/// A title of several lines as one; a hyphen at a line's end stays.
pub(super) fn title(lines: &[&[u8]]) -> String {
    let mut all = String::new();
    for word in lines.iter().flat_map(|line| line.split(u8::is_ascii_whitespace).filter(|word| !word.is_empty())) {
        let is_cut = all.ends_with('-') && !all.ends_with(" -");
        let space = if all.is_empty() || is_cut { "" } else { " " };
        all.push_str(space);
        all.push_str(&text_of(word));
    }
    all
}

/// What a file says besides its atoms.
#[derive(Clone, Debug, Default)]
pub(super) struct Facts {
    /// What says that its B column is a predictor's confidence, if anything does.
    pub(super) predicted: Option<&'static str>,
    /// What it says that its B column holds, where a program wrote other values there.
    pub(super) b_column: Option<String>,
    /// `_ma_qa_metric`: the mode, name, type and description of each metric.
    pub(super) metrics: [Vec<String>; 4],
    /// Whether there are signs of an experiment.
    pub(super) experiment: bool,
    pub(super) notes: Vec<Note>,
    /// Its title, or its first molecule's name.
    pub(super) title: String,
    /// Number of models, read or not.
    pub(super) models: usize,
    /// Whether models that are not read are copies of an assembly.
    pub(super) has_copies: bool,
    /// Number of residues that SEQRES lists for each chain.
    pub(super) sequences: HashMap<String, usize>,
    /// Whether it names the types of its entities.
    pub(super) names_entities: bool,
    /// The periodic cell.
    pub(super) cell: Option<Cell>,
    /// The assemblies that an mmCIF file lists.
    pub(super) listed: Listed,
    /// The requested assembly, or the message that there is none.
    pub(super) assembly: Option<Arc<Result<Vec<Generator>, String>>>,
    /// References to sequence databases, if labels are requested.
    pub(super) references: Option<Arc<References>>,
    /// The bonds between residues that it declares, if what atoms are is requested.
    pub(super) links: Arc<Links>,
}

impl Facts {
    /// Takes the value of an mmCIF item, without quotes.
    pub(super) fn item(&mut self, tag: &[u8], value: &[u8]) {
        if Listed::takes(tag) {
            return self.listed.item(tag, value);
        }
        let is_in = |category: &[u8]| tag.get(..category.len()).is_some_and(|head| head.eq_ignore_ascii_case(category));
        let has = |word: &[u8]| value.windows(word.len()).any(|found| found.eq_ignore_ascii_case(word));
        if tag.eq_ignore_ascii_case(ITEM.as_bytes()) {
            self.b_column = Some(text_of(value));
        } else if tag.eq_ignore_ascii_case(TITLE) {
            self.title = title(&[if matches!(value, b"?" | b".") { b"" } else { value }]);
        } else if let Some(item) = Self::item_of_metric(tag) {
            self.metrics[item].push(text_of(value));
            if matches!(item, 1 | 2) {
                self.predicted = self.predicted.or(has(b"pLDDT").then_some(BY_METRIC));
            }
        } else if tag.eq_ignore_ascii_case(b"_exptl.method") || is_in(b"_refine.") || is_in(b"_em_3d_reconstruction.") {
            self.experiment |= !matches!(value, b"?" | b"." | b"") && !has(b"MODEL");
        }
    }

    /// Whether the item's value is used.
    pub(super) fn takes(tag: &[u8]) -> bool {
        let is_in = |category: &[u8]| tag.get(..category.len()).is_some_and(|head| head.eq_ignore_ascii_case(category));
        Self::item_of_metric(tag).is_some()
            || tag.eq_ignore_ascii_case(ITEM.as_bytes())
            || tag.eq_ignore_ascii_case(TITLE)
            || Listed::takes(tag)
            || tag.eq_ignore_ascii_case(b"_exptl.method")
            || is_in(b"_refine.")
            || is_in(b"_em_3d_reconstruction.")
    }

    /// Which of the [`METRIC`] items a tag is.
    fn item_of_metric(tag: &[u8]) -> Option<usize> {
        METRIC.iter().position(|item| tag.eq_ignore_ascii_case(item))
    }

    /// What the file says that its B column holds: in an item or remark, or as the metrics of each residue, if none of all is a pLDDT, and there
    /// was no experiment, whose B factors stay there.
    pub(super) fn held(&self) -> Option<String> {
        let [modes, names, _, descriptions] = &self.metrics;
        let is_of_file = |row: usize| descriptions.get(row).is_none_or(|text| !text.starts_with(ADDED_METRIC));
        let is_of_residues = |row: &usize| modes[*row].eq_ignore_ascii_case("local") && is_of_file(*row);
        let of_residues = || (0..modes.len().min(names.len())).filter(is_of_residues);
        let of_metrics = || of_residues().map(|row| names[row].as_str()).collect::<Vec<_>>().join(" or ");
        let has_others = || self.predicted != Some(BY_METRIC) && !self.experiment && of_residues().next().is_some();
        self.b_column.clone().or_else(|| has_others().then(of_metrics))
    }

    /// The same if the values are neither B factors nor confidences.
    pub(super) fn others(&self) -> Option<String> {
        self.held().filter(|held| are_others(held))
    }

    /// Takes what the options need from the tables.
    pub(super) fn take_tables(&mut self, tables: &Tables, options: &ReadOptions) {
        if let Some(id) = &options.assembly {
            let generators = assembly::generators(tables, id);
            self.assembly = Some(Arc::new(generators.map_err(|problem| problem.to_string())));
        }
        if options.assembly.is_some() || options.labels {
            self.listed = Listed::of(tables);
        }
        if options.atoms {
            self.links = Arc::new(Links::of_tables(tables));
        }
        if options.labels {
            self.references = Some(Arc::new(References::of(tables)));
        }
    }
}
