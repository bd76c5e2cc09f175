//! Structures as mmCIF with columns of the table as local metrics of ModelCIF, by which Mol* colours them.

use super::{Column, Columns, InputFiles, OutputError, StructureRows};
use crate::inputs::{InputFailure, InputFile};
use prism_engine::mmcif::{LocalMetric, MetricType, with_metrics};
use prism_read::contents;
use prism_read::plural::counted;

/// The columns that are written where none is named. Mol* colours by the first one first.
const USUAL: [&str; 5] = ["rsa", "depth", "site_score", "conservation", "plddt"];

/// What follows a column's name in the name of the metric that has its colours. Mol* has colours for metrics with QMEAN in their names
/// and pLDDT alone.
const COLOURS: &str = " (QMEAN colours)";
/// Mol*'s colours for QMEAN scores go from this value to 1. Lower ones have one colour.
const LOWEST: f64 = 0.5;

/// The text of structures as mmCIF, with the values of columns.
///
/// A column is a metric of its name, with the table's values; undefined values have no row. Another metric, `NAME (QMEAN colours)`, has its
/// colours in Mol*: the values scaled so that the structure's lowest is 0.5 and its highest 1, or, if they are from 0 to 1 by their
/// definition, so that 0 is 0.5. `plddt`, which has colours of its own, has no other metric.
///
/// ```
/// use prism_io::output::{AnnotatedStructures, Columns};
///
/// let structures = AnnotatedStructures::of(&Columns::choose(["ss", "wcn"])?, true);
/// assert_eq!(structures.names(), ["wcn"]);
/// assert_eq!(AnnotatedStructures::of(&Columns::default(), false).names()[0], "rsa");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug)]
pub struct AnnotatedStructures {
    columns: Vec<Column>,
    are_named: bool,
    files: InputFiles,
}

/// A structure's text, and what is to be said of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AnnotatedText {
    /// The text of an mmCIF file.
    pub text: String,
    /// Columns, and residues, that have no values in it: what, and which or how many.
    pub notes: Vec<(&'static str, String)>,
}

impl AnnotatedStructures {
    /// Structures with those of a table's columns that are numbers, or, unless they `are_named`, with some of them.
    #[must_use]
    pub fn of(columns: &Columns, are_named: bool) -> Self {
        let numbers = columns.as_slice().iter().filter(|column| column.is_number()).copied();
        let columns = match are_named {
            true => numbers.collect(),
            false => {
                let mut usual: Vec<Column> = numbers.filter(|column| USUAL.contains(&column.name())).collect();
                usual.sort_by_key(|column| USUAL.iter().position(|name| *name == column.name()));
                usual
            }
        };
        Self { columns, are_named, files: InputFiles::default() }
    }

    /// The columns whose values are written.
    #[must_use]
    pub fn names(&self) -> Vec<&'static str> {
        self.columns.iter().map(Column::name).collect()
    }

    /// The columns of a table that are no numbers, besides those that say which residue it is.
    #[must_use]
    pub fn left_out(columns: &Columns) -> Vec<&'static str> {
        let others = columns.as_slice().iter().filter(|column| !column.is_number());
        let says_which = |column: &&Column| Column::IDENTITY.contains(column) || **column == Column::Polymer;
        others.filter(|column| !says_which(column)).map(Column::name).collect()
    }

    /// Adds the files of structures.
    pub fn know<'a>(&mut self, inputs: impl IntoIterator<Item = &'a InputFile>) {
        self.files.know(inputs);
    }

    /// The text of a structure, which must have been read with [labels](prism_read::ReadOptions::labels).
    ///
    /// # Errors
    /// [`OutputError::ViewInput`] if a structure has no file of its own, has no values, or its file cannot be written as mmCIF.
    pub fn text(&self, part: &StructureRows<'_>) -> Result<AnnotatedText, OutputError> {
        let name = &part.structure.name;
        let unwritten = |problem| OutputError::ViewInput { path: name.clone(), problem };
        let input = self.files.of(name).map_err(unwritten)?;
        let bytes = contents(input).map_err(|problem| unwritten(problem.to_string()))?;
        let (mut metrics, mut without) = (Vec::new(), Vec::new());
        for column in &self.columns {
            let own = metrics_of(part, column);
            if own.is_empty() {
                without.push(column.name());
            }
            metrics.extend(own);
        }
        if metrics.is_empty() {
            return Err(unwritten(format!("no residue has a value of {}", without.join(", "))));
        }
        let annotated = with_metrics(part.structure, &bytes, name, metrics);
        let annotated = annotated.map_err(|error| unwritten(InputFailure::from(error).reason))?;
        let mut notes = Vec::new();
        if self.are_named && !without.is_empty() {
            notes.push(("columns without values are not in the mmCIF", format!(": {}", without.join(", "))));
        }
        if !annotated.known.is_empty() {
            let what = "the file's own metrics are kept, and none of their names are added";
            notes.push((what, format!(": {}", annotated.known.join(", "))));
        }
        if annotated.unplaced > 0 {
            let what = "residues without a label_seq_id have no values in the mmCIF";
            notes.push((what, format!(": {}", counted(annotated.unplaced, "residue", "residues"))));
        }
        Ok(AnnotatedText { text: annotated.text, notes })
    }
}

/// The metrics of a column; none if no row has a value.
fn metrics_of(part: &StructureRows<'_>, column: &Column) -> Vec<LocalMetric> {
    let values = part.numbers(column);
    let values: Vec<(usize, f32)> = values.into_iter().enumerate().filter(|(_, value)| value.is_finite()).collect();
    let Some(&(_, first)) = values.first() else { return Vec::new() };
    let (low, high) = values.iter().fold((first, first), |(low, high), (_, value)| (low.min(*value), high.max(*value)));
    let name = column.name();
    // The dictionary has ASCII alone.
    let ascii = |text: &str| text.replace('\u{c5}', "A");
    let texts = |text: &dyn Fn(f32) -> String| values.iter().map(|(row, value)| (*row, text(*value))).collect();
    let of = match column {
        Column::Plddt => MetricType::Plddt,
        column if column.is_fraction() => MetricType::Normalized,
        column if column.unit().is_empty() => MetricType::Other("no unit".to_owned()),
        column => MetricType::Other(format!("in {}", ascii(column.unit()))),
    };
    // Of fractions, equal values of structures have equal colours.
    let (low, high) = if column.is_fraction() { (0.0, 1.0) } else { (low, high) };
    // One value alone has one colour.
    let is_scaled = *column != Column::Plddt && low < high;
    let shortest = |value: f32| zmij::Buffer::new().format(value).to_owned();
    let own =
        LocalMetric { name: name.to_owned(), description: ascii(column.definition()), of, values: texts(&shortest) };
    let scale = |value: f32| {
        let share = (f64::from(value) - f64::from(low)) / (f64::from(high) - f64::from(low));
        LOWEST + (1.0 - LOWEST) * share
    };
    let scaled = is_scaled.then(|| LocalMetric {
        name: format!("{name}{COLOURS}"),
        description: format!("{name} from {} to {} as {LOWEST} to 1", shortest(low), shortest(high)),
        of: MetricType::Normalized,
        values: texts(&|value| format!("{:.4}", scale(value))),
    });
    [own].into_iter().chain(scaled).collect()
}
