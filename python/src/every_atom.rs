//! Tables of every atom, which are computed from files as a whole: interactions, interfaces of groups, and mkdssp's files.

use crate::consume::{Batch, Done, Failed, Message, failed};
use crate::ending::detached;
use crate::engine::Engine;
use crate::options::{Options, refuse};
use crate::process;
use prism_host::contacts::EdgeKind;
use prism_host::dssp::{Dssp, DsspOptions};
use prism_host::engine::Selection;
use prism_host::groups::GroupTable;
use prism_host::inputs::{InputFailure, InputFile, Inputs};
use prism_host::interactions::{
    Dictionary, Group, Kind, Options as Wanted, group_interfaces, interactions as find_interactions,
};
use prism_host::output::{
    CellKind, Cells, RelationColumn, append_group_interfaces, append_interactions, group_interface_columns,
    interaction_columns, relation_batch,
};
use prism_host::report::today;
use pyo3::exceptions::{PyRuntimeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::PyBytes;
use rayon::prelude::*;
use shared_types::FEATURES;
use std::path::PathBuf;

/// An input.
#[derive(FromPyObject)]
pub enum Given<'py> {
    /// A file in memory, by its name.
    Bytes(String, Bound<'py, PyBytes>),
    Path(PathBuf),
}

type Append = Box<dyn FnOnce(&mut [Cells]) + Send>;

/// What is found in a file: lines for the table's columns, and notes.
struct Found {
    append: Append,
    notes: Vec<String>,
}

/// A structure's name and what is found in it, or why nothing is.
type Outcome = Result<(String, Found), InputFailure>;

const DSSP_COLUMNS: &[RelationColumn] = &[
    RelationColumn::new("structure", CellKind::Text, "", "the structure's name"),
    RelationColumn::new("residues", CellKind::Int, "", "number of residues that mkdssp takes"),
    RelationColumn::new("text", CellKind::Text, "", "the file: mkdssp's text, or mmCIF with mkdssp's categories"),
];

/// The names of all kinds of edges, for messages.
pub fn edge_kinds() -> String {
    let of_rows = EdgeKind::ALL.iter().map(|kind| kind.name());
    of_rows.chain(Kind::ALL.iter().map(|kind| kind.name())).collect::<Vec<_>>().join(", ")
}

/// The names of all kinds of interactions.
#[pyfunction]
pub fn interaction_kinds() -> Vec<&'static str> {
    Kind::ALL.iter().map(|kind| kind.name()).collect()
}

/// Whether one of two groups is more than a chain, so that every atom counts.
#[pyfunction]
pub fn are_groups(a: &str, b: &str) -> PyResult<bool> {
    Ok(groups(a, b)?.is_some_and(|groups| !groups.iter().all(Group::is_chain)))
}

fn groups(a: &str, b: &str) -> PyResult<Option<[Group; 2]>> {
    let group = |text: &str| text.parse().map_err(|error| PyValueError::new_err(format!("between: {error}")));
    // A blank chain has the empty name.
    Ok(if a.is_empty() || b.is_empty() || a == b { None } else { Some([group(a)?, group(b)?]) })
}

/// The interactions of all inputs. All cores read and compute.
#[pyfunction]
pub fn interactions(py: Python<'_>, inputs: Vec<Given<'_>>, ccd: Option<PathBuf>, options: Options) -> PyResult<Batch> {
    let kinds: Vec<Kind> = options
        .kinds
        .iter()
        .map(|kind| kind.parse().or_else(|_| refuse("kinds", &format!("of {}", edge_kinds()), kind)))
        .collect::<PyResult<_>>()?;
    let alternates = options.alternates()?;
    let (dictionary, columns) = (dictionary(ccd)?, interaction_columns(&kinds));
    let chains = options.chains.as_deref();
    let of = Wanted { kinds: &kinds, chains, alternates, dictionary: dictionary.as_ref() };
    table(py, inputs, &options, (columns, true), |bytes, name| {
        let mut all = find_interactions(bytes, name, &of).map_err(InputFailure::from)?;
        let (notes, name) = (std::mem::take(&mut all.notes), name.to_owned());
        Ok(Found { notes, append: Box::new(move |cells| append_interactions(&name, &all, cells)) })
    })
}

/// The interfaces of groups, or of all chains, ligands and the like.
#[pyfunction]
pub fn interfaces(
    py: Python<'_>,
    engine: &Engine,
    inputs: Vec<Given<'_>>,
    ccd: Option<PathBuf>,
    groups_table: Option<PathBuf>,
    shape: bool,
    options: Options,
) -> PyResult<Batch> {
    let listed = groups_table.map(GroupTable::read).transpose();
    let listed = listed.map_err(|error| PyValueError::new_err(format!("groups: {error}")))?;
    let between = match &options.between {
        None => None,
        Some((a, b)) => match groups(a, b)? {
            None => return refuse("between", "two groups, such as (\"H+L\", \"A\")", &format!("{a},{b}")),
            groups => groups,
        },
    };
    let areas = FEATURES.iter().filter(|feature| ["sasa", "sasa_apolar"].contains(&feature.name));
    let engine = engine.whole(py)?.with_selection(Selection::new(areas, false));
    let (dictionary, alternates) = (dictionary(ccd)?, options.alternates()?);
    let of =
        Wanted { kinds: Kind::ALL, chains: options.chains.as_deref(), alternates, dictionary: dictionary.as_ref() };
    table(py, inputs, &options, (group_interface_columns(shape), false), |bytes, name| {
        let groups = match (&listed, &between) {
            (Some(listed), _) => Some(listed.of(name).map_err(|reason| InputFailure::new(name, reason))?),
            (None, between) => between.as_ref().map(|groups| &groups[..]),
        };
        let all = group_interfaces(bytes, name, &of, groups, shape, &engine);
        let mut all = all.map_err(|error| InputFailure::new(name, error.to_string()))?;
        let (notes, name) = (std::mem::take(&mut all.notes), name.to_owned());
        Ok(Found { notes, append: Box::new(move |cells| append_group_interfaces(&name, &all, cells)) })
    })
}

/// Secondary structure in mkdssp's files.
#[pyfunction]
pub fn dssp(
    py: Python<'_>,
    inputs: Vec<Given<'_>>,
    format: &str,
    shortest_polyproline: usize,
    options: Options,
) -> PyResult<Batch> {
    let annotates = match format {
        "dssp" => false,
        "mmcif" => true,
        other => return refuse("format", "\"dssp\" or \"mmcif\"", other),
    };
    if !(2..=3).contains(&shortest_polyproline) {
        return refuse("min_pp_stretch", "2 or 3", &shortest_polyproline.to_string());
    }
    let (date, of) = (today(), DsspOptions { shortest_polyproline });
    table(py, inputs, &options, (DSSP_COLUMNS, true), |bytes, name| {
        let mut dssp = Dssp::of_bytes(bytes, name, &of).map_err(InputFailure::from)?;
        let text = if annotates { dssp.annotated(bytes, name).map_err(InputFailure::from)? } else { dssp.text(&date) };
        let (notes, name, residues) = (std::mem::take(&mut dssp.notes), name.to_owned(), dssp.residues.len());
        let append = move |cells: &mut [Cells]| {
            let [Cells::Text(names), Cells::Int(counts), Cells::Text(texts)] = cells else { return };
            names.push(name);
            counts.push(residues as i32);
            texts.push(text);
        };
        Ok(Found { notes, append: Box::new(append) })
    })
}

fn dictionary(path: Option<PathBuf>) -> PyResult<Option<Dictionary>> {
    let dictionary = path.map(|path| Dictionary::read(&path)).transpose();
    dictionary.map_err(|error| PyValueError::new_err(format!("ccd: {error}")))
}

/// The table of all inputs. They are computed side by side, unless an engine does that, for which threads must not wait.
fn table(
    py: Python<'_>,
    inputs: Vec<Given<'_>>,
    options: &Options,
    (columns, side_by_side): (&[RelationColumn], bool),
    find: impl Fn(&[u8], &str) -> Result<Found, InputFailure> + Sync + Send,
) -> PyResult<Batch> {
    let mut all = Inputs::default();
    for given in inputs {
        match given {
            Given::Path(path) => all.find(&path, "stdin"),
            Given::Bytes(name, bytes) => all.entries.push(Ok(InputFile::of_bytes(&name, bytes.as_bytes().to_vec()))),
        }
    }
    all.name_by(options.name_by()?, |_| false).map_err(|error| PyValueError::new_err(error.to_string()))?;
    let entries = all.entries;
    let work = || match side_by_side {
        true => process::within(|| entries.into_par_iter().map(|entry| compute(entry, &find)).collect()),
        false => Ok(entries.into_iter().map(|entry| compute(entry, &find)).collect()),
    };
    let computed: Vec<Vec<Outcome>> = detached(py, work).map_err(PyRuntimeError::new_err)?;
    let (mut cells, mut count) = (Cells::of(columns), 0);
    let (mut failures, mut notes): (Vec<Failed>, Vec<Message>) = Default::default();
    for outcome in computed.into_iter().flatten() {
        count += 1;
        match outcome {
            Ok((name, found)) => {
                (found.append)(&mut cells);
                notes.extend(found.notes.into_iter().map(|note| (name.clone(), note)));
            }
            Err(failure) => failures.push(failed(failure)),
        }
    }
    let rows = relation_batch(columns, cells).map_err(|error| PyRuntimeError::new_err(error.to_string()))?;
    Ok(Done::of_rows(rows, failures, notes, count).into())
}

fn compute(
    entry: Result<InputFile, InputFailure>,
    find: &impl Fn(&[u8], &str) -> Result<Found, InputFailure>,
) -> Vec<Outcome> {
    let file = match entry {
        Ok(file) => file,
        Err(failure) => return vec![Err(failure)],
    };
    let mut all = Vec::new();
    file.each_file(&mut |name, bytes| {
        all.push(bytes.and_then(|bytes| Ok((name.to_owned(), find(bytes, name)?))));
        true
    });
    all
}
