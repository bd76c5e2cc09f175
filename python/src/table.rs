//! Results as Arrow arrays. Names, types and rows are those of the command's tables.

use crate::consume::Message;
use crate::engine::within;
use crate::every_atom::edge_kinds;
use crate::frames_table::{Followed, Kind, with_frames};
use crate::options::{Options, refuse};
use crate::process;
use arrow_array::RecordBatch;
use arrow_schema::Schema;
use prism_host::Engine;
use prism_host::annotations::Annotations;
use prism_host::atoms::{AtomOptions, atoms};
use prism_host::confidence::PredictionFiles;
use prism_host::contacts::{EdgeKind, EdgeRules, interfaces};
use prism_host::dockq::Reference;
use prism_host::engine::Selection;
use prism_host::ligands::ligands;
use prism_host::nearest::suggestion;
use prism_host::output::{
    AreasFormat, AreasText, AtomLines, AtomsRelation, CellKind, Cells, Column, ColumnError, Columns, DockqRelation,
    EdgeAttribute, EdgesRelation, InterfacePairs, InterfaceResidues, InterfacesRelation, KnownPockets, LigandLines,
    LinesOf, MeasuredRelation, RecordBatches, ReferenceAreas, Relation, RelationColumn, RelationFailures,
    SitesRelation, StructureRows, SummaryRelation, Table as _, Texts, WithErrors, relation_batch,
};
use prism_host::sites::SiteLimits;
use pyo3::PyResult;
use pyo3::exceptions::PyValueError;
use rayon::ThreadPool;
use rayon::prelude::*;
use shared_types::{FEATURES, Group};
use std::collections::HashMap;
use std::sync::Arc;

/// The table that a run makes.
pub enum Table {
    /// A row for each residue: its columns, and the maker of batches.
    Features(Columns, RecordBatches),
    /// No table, but the features of each structure as a tensor, in the host's memory or on the device that computes them.
    Tensors(Selection),
    /// A row for each site.
    Sites(SiteLimits),
    /// A row for each pair of residues.
    Edges(EdgesRelation),
    /// A row for each pair of chains, or for each residue. The engine computes accessible areas.
    Interface { engine: Box<Engine>, between: Option<[String; 2]>, by_residue: bool },
    /// A row for each ligand, ion and residue of a glycan. The engine computes accessible areas.
    Ligands(Box<Engine>),
    /// A row for each heavy atom, with those of residues without rows or not. The engine computes areas and depths.
    Atoms { engine: Box<Engine>, options: AtomOptions, cover: bool },
    /// A row for each structure, with its areas as a file of FreeSASA or NACCESS.
    Areas { engine: Box<Engine>, options: AtomOptions, cover: bool, format: AreasFormat, reference: ReferenceAreas },
    /// A row for each structure, and one for each chain.
    Summary,
    /// A row for each pocket whose residues are known: the volume that they line.
    Measured(KnownPockets),
    /// A row for each model, and one for each interface of the reference.
    Dockq(Arc<Reference>),
    /// A table of edges or of pairs of chains with the predicted aligned errors beside the models.
    Predicted { of: Arc<Self>, predictions: Arc<HashMap<String, PredictionFiles>> },
    /// A table of each frame of a trajectory, with columns of the frame.
    OfFrames(Arc<Self>),
    /// A table that follows the frames of a trajectory.
    Followed(Followed),
}

const AREAS: &[RelationColumn] = &[
    RelationColumn::new("structure", CellKind::Text, "", "the structure's name"),
    RelationColumn::new("text", CellKind::Text, "", "the file"),
];

/// The rows of some structures, those that have none, and what is odd about the others.
type Batch = (RecordBatch, Vec<Refused>, Vec<Message>);

/// A structure without rows: its name, and why it has none.
pub type Refused = (String, String);

impl Table {
    /// `engine` waits for the engine, for tables that compute with one of their own.
    pub fn new(
        name: &str,
        columns: Option<Vec<String>>,
        options: &Options,
        engine: impl Fn() -> PyResult<Arc<Engine>>,
    ) -> PyResult<Self> {
        if options.has_hetero_rows() && !matches!(name, "features" | "tensors" | "device tensors") {
            return Err(PyValueError::new_err(
                "het=\"rows\" is for features and tensors; take \"cover\" or \"none\" here",
            ));
        }
        Ok(match name {
            "features" => Self::features(feature_columns(columns, options)?),
            "tensors" => Self::Tensors(tensor_columns(columns)?.selection()),
            "device tensors" => Self::Tensors(tensor_columns(columns)?.selection().on_device()),
            "sites" => Self::Sites(options.sites()?),
            "edges" => Self::Edges(Self::edges(options, engine)?),
            "sites of frames" => Self::Followed(Followed::new(Kind::Sites(options.sites()?))),
            "pockets" => Self::Followed(Followed::new(Kind::Pockets(options.sites()?))),
            "occupancy" => Self::Followed(Followed::new(Kind::Occupancy(Self::edges(options, engine)?))),
            "reduced" => Self::Followed(Followed::new(Kind::reduced(feature_columns(columns, options)?, options)?)),
            "interface" if options.pae && options.by_residue => {
                return Err(PyValueError::new_err("pae is of pairs of chains; leave out by_residue"));
            }
            "interface" => {
                let between = match options.between.clone() {
                    Some((a, b)) if a == b => return refuse("between", "two chains", &a),
                    between => between.map(|(a, b)| [a, b]),
                };
                let engine = Box::new(engine()?.with_selection(selection(&["sasa"])));
                Self::Interface { engine, between, by_residue: options.by_residue }
            }
            "ligands" if options.het == "cover" => {
                return refuse("het", "\"none\" for ligands, since sites are those without them", &options.het);
            }
            "ligands" => Self::Ligands(Box::new(engine()?.with_selection(selection(&["sasa"])))),
            "atoms" => Self::Atoms {
                engine: Box::new(engine()?.with_selection(selection(&["sasa", "depth"]))),
                options: options.atoms()?,
                cover: options.het == "cover",
            },
            "areas" => {
                let (format, reference) = options.areas()?;
                Self::Areas {
                    engine: Box::new(engine()?.with_selection(selection(&["sasa", "depth"]))),
                    options: options.atoms()?,
                    cover: options.het == "cover",
                    format,
                    reference,
                }
            }
            "measured" => Self::Measured(options.known_pockets()?),
            "summary" => Self::Summary,
            "dockq" => Self::Dockq(Arc::new(options.reference()?)),
            other => {
                return refuse(
                    "table",
                    "\"features\", \"sites\", \"edges\", \"interface\", \"ligands\", \"atoms\", \"areas\", \"summary\" or \"dockq\"",
                    other,
                );
            }
        })
    }

    /// Which edges, by which rules.
    fn edges(options: &Options, engine: impl Fn() -> PyResult<Arc<Engine>>) -> PyResult<EdgesRelation> {
        let kind = |name: &String| {
            let found = EdgeKind::ALL.into_iter().find(|kind| kind.name() == name);
            found.map_or_else(|| refuse("kinds", &format!("of {}", edge_kinds()), name), Ok)
        };
        let kinds = options.kinds.iter().map(kind).collect::<PyResult<_>>()?;
        let named = match options.ids.as_deref() {
            None | Some("rows") => false,
            Some("residues") => true,
            Some(other) => return refuse("ids", "\"rows\", \"residues\" or None", other),
        };
        if !(options.cutoff > 0.0 && options.cutoff <= 20.0) {
            return refuse("cutoff", "above 0 and at most 20 Å", &options.cutoff.to_string());
        }
        let threshold = engine()?.config().contact_threshold;
        for (name, value) in [("neighbors", options.neighbors), ("steps", options.steps)] {
            if !(1..=100_000).contains(&value) {
                return refuse(name, "from 1 to 100,000", &value.to_string());
            }
        }
        let rules = EdgeRules {
            threshold,
            cutoff: options.cutoff,
            neighbours: options.neighbors as usize,
            steps: options.steps,
        };
        let attribute = |name: &String| {
            let found = EdgeAttribute::ALL.into_iter().find(|own| own.name() == name);
            let known = || EdgeAttribute::ALL.map(EdgeAttribute::name).join(", ");
            found.map_or_else(|| refuse("attributes", &format!("of {}", known()), name), Ok)
        };
        let attributes = options.attributes.iter().map(attribute).collect::<PyResult<Vec<_>>>()?;
        Ok(EdgesRelation::new(rules, kinds, named).with_attributes(&attributes))
    }

    /// The same with the errors of some predictions, by the names of structures.
    pub fn with_errors(self: Arc<Self>, predictions: HashMap<String, PredictionFiles>) -> Arc<Self> {
        Arc::new(Self::Predicted { of: self, predictions: Arc::new(predictions) })
    }

    /// The features that it needs.
    pub fn selection(&self) -> Selection {
        match self {
            Self::Features(columns, _) => columns.selection(),
            // Kept, because every call asks for it.
            Self::Tensors(selection) => selection.clone(),
            Self::Sites(_) | Self::Ligands(_) => Selection::new(named(&["site_score"]), true),
            Self::Predicted { of, .. } | Self::OfFrames(of) => of.selection(),
            Self::Followed(followed) => followed.selection(),
            Self::Edges(_) | Self::Interface { .. } | Self::Atoms { .. } | Self::Areas { .. } => selection(&[]),
            Self::Measured(_) | Self::Dockq(_) => selection(&[]),
            Self::Summary => selection(&SummaryRelation::FEATURES),
        }
    }

    /// Whether it has other tables' names of residues.
    pub fn has_labels(&self) -> bool {
        matches!(self, Self::Features(columns, _) if columns.has_labels())
    }

    /// Whether it asks what atoms are, and for residues without rows.
    pub fn has_atoms(&self) -> bool {
        matches!(self, Self::Ligands(_) | Self::Atoms { .. } | Self::Areas { .. })
    }

    /// Leaves out columns that no input gives, and adds those of lineages.
    pub fn with_given(self, chosen: bool, annotations: &Annotations, lineages: bool) -> Self {
        let given = |name: &str| annotations.has(name) || lineages && name.starts_with("gisaid_");
        let mut columns = match self {
            Self::Features(columns, _) => columns,
            Self::Tensors(own) if !chosen => {
                let Ok(all) = tensor_columns(None) else { return Self::Tensors(own) };
                let filled = all.without_annotations(given).selection();
                return Self::Tensors(if own.stays_on_device() { filled.on_device() } else { filled });
            }
            Self::Followed(followed) if !chosen => return Self::Followed(followed.without_annotations(given)),
            other => return other,
        };
        if !chosen {
            columns = columns.without_annotations(given);
        }
        Self::features(if lineages { columns.with_lineages() } else { columns })
    }

    /// The table with the columns of frames.
    pub fn of_frames(self: &Arc<Self>) -> Arc<Self> {
        match &**self {
            Self::Features(columns, _) => Arc::new(Self::features(columns.clone().with_frames())),
            Self::Sites(limits) => Arc::new(Self::Followed(Followed::new(Kind::Sites(*limits)).of_frames())),
            Self::Followed(followed) => Arc::new(Self::Followed(followed.of_frames())),
            _ => Arc::new(Self::OfFrames(Arc::clone(self))),
        }
    }

    /// The table for a run, which keeps nothing of other runs.
    pub fn for_run(self: &Arc<Self>) -> Arc<Self> {
        match &**self {
            Self::Followed(followed) => Arc::new(Self::Followed(followed.again())),
            _ => Arc::clone(self),
        }
    }

    /// The rows that follow those of all structures, if the table has such rows.
    pub fn last(&self) -> Option<Result<RecordBatch, String>> {
        if let Self::Followed(followed) = self { followed.last() } else { None }
    }

    fn features(columns: Columns) -> Self {
        let rows = RecordBatches::new(columns.clone(), HashMap::new());
        Self::Features(columns, rows)
    }

    /// The rows of some structures, the structures that have none, and what is odd about those that have. `pool` makes the columns of
    /// features. Tables that compute with an engine wait for it, for which one of its threads must not be kept.
    ///
    /// # Errors
    /// If the texts of a batch have more than 2 GiB, which Arrow refuses.
    pub fn batch(&self, parts: &[StructureRows<'_>], pool: Option<&ThreadPool>) -> Result<Batch, String> {
        match self {
            Self::Features(..) | Self::Tensors(_) => within(pool, || self.rows(parts)),
            _ => process::within(|| self.rows(parts))?,
        }
    }

    fn rows(&self, parts: &[StructureRows<'_>]) -> Result<Batch, String> {
        let (mut refused, mut odd) = (Vec::new(), Vec::new());
        let batch = match self {
            Self::Features(_, rows) => rows.batch(parts).map_err(|error| error.to_string()),
            Self::Tensors(_) => return Ok((RecordBatch::new_empty(Arc::new(Schema::empty())), refused, odd)),
            Self::Sites(limits) => {
                let relation = SitesRelation::new(*limits);
                let tally = relation.tally();
                let batch = lines(relation, parts);
                odd = tally.take_warnings();
                batch
            }
            Self::Edges(relation) => lines(relation.clone(), parts),
            Self::Predicted { of, predictions } => {
                let (failures, predictions) = (RelationFailures::default(), Arc::clone(predictions));
                let batch = match &**of {
                    Self::Interface { engine, between, .. } => {
                        let engine = engine.with_selection(selection(&["sasa"]));
                        let (between, failures) = (between.clone(), failures.clone());
                        let relation = InterfacesRelation::new(engine, between, None, failures.clone());
                        lines(WithErrors { relation, lines: LinesOf::Interfaces, predictions, failures }, parts)
                    }
                    Self::Edges(relation) => {
                        let (relation, failures) = (relation.clone(), failures.clone());
                        lines(WithErrors { relation, lines: LinesOf::Edges, predictions, failures }, parts)
                    }
                    other => return other.rows(parts),
                };
                refused = failures.take().into_iter().map(|failure| (failure.name, failure.reason)).collect();
                odd = failures.take_notes().into_iter().map(|(name, note)| (name, note.text)).collect();
                batch
            }
            Self::Summary => lines(SummaryRelation, parts),
            Self::Measured(pockets) => {
                let failures = RelationFailures::default();
                let batch = lines(MeasuredRelation::new(pockets.clone(), failures.clone()), parts);
                refused = failures.take().into_iter().map(|failure| (failure.name, failure.reason)).collect();
                batch
            }
            Self::Dockq(reference) => {
                let failures = RelationFailures::default();
                let batch = lines(DockqRelation::new(Arc::clone(reference), failures.clone()), parts);
                refused = failures.take().into_iter().map(|failure| (failure.name, failure.reason)).collect();
                batch
            }
            Self::Interface { engine, between, by_residue } => {
                let columns = if *by_residue { InterfaceResidues.columns() } else { InterfacePairs.columns() };
                let mut cells = Cells::of(columns);
                let between = between.as_ref().map(|[a, b]| [a.as_str(), b.as_str()]);
                for part in parts {
                    match interfaces(engine, part.structure, between) {
                        Ok(found) if *by_residue => InterfaceResidues::lines(part, &found, &mut cells),
                        Ok(found) => InterfacePairs::lines(part, &found, &mut cells),
                        Err(error) => refused.push((part.structure.name.clone(), error.to_string())),
                    }
                }
                relation_batch(columns, cells).map_err(|error| error.to_string())
            }
            Self::Atoms { engine, options, cover } => {
                let mut cells = Cells::of(AtomLines.columns());
                for part in parts {
                    match atoms(engine, part.structure, options, *cover) {
                        Ok(found) => AtomLines::lines(part, &found, &mut cells),
                        Err(error) => refused.push((part.structure.name.clone(), error.to_string())),
                    }
                }
                relation_batch(AtomLines.columns(), cells).map_err(|error| error.to_string())
            }
            Self::Areas { engine, options, cover, format, reference } => {
                let (mut names, mut texts) = (Texts::default(), Texts::default());
                for part in parts {
                    let failures = RelationFailures::default();
                    let engine = engine.with_selection(selection(&["sasa", "depth"]));
                    let relation = AtomsRelation::new(engine, options.clone(), *cover, failures.clone());
                    let mut text = Vec::new();
                    let mut file = AreasText::new(&mut text, relation, *format, *reference);
                    file.write(std::slice::from_ref(part)).map_err(|error| error.to_string())?;
                    drop(file);
                    let failed = failures.take();
                    if failed.is_empty() {
                        names.push(&part.structure.name);
                        texts.push(String::from_utf8_lossy(&text));
                    }
                    refused.extend(failed.into_iter().map(|failure| (failure.name, failure.reason)));
                    odd.extend(failures.take_notes().into_iter().map(|(name, note)| (name, note.text)));
                }
                relation_batch(AREAS, vec![Cells::Text(names), Cells::Text(texts)]).map_err(|error| error.to_string())
            }
            Self::OfFrames(of) => {
                // Tables that compute with an engine wait for it, and find nothing at a time.
                let each: Vec<Result<Batch, String>> = match &**of {
                    Self::Edges(_) | Self::Measured(_) | Self::Dockq(_) | Self::Summary => {
                        parts.par_iter().map(|part| of.rows(std::slice::from_ref(part))).collect()
                    }
                    _ => parts.iter().map(|part| of.rows(std::slice::from_ref(part))).collect(),
                };
                let mut frames = Vec::with_capacity(parts.len());
                for (part, found) in parts.iter().zip(each) {
                    let (rows, own, warnings) = found?;
                    refused.extend(own);
                    odd.extend(warnings);
                    frames.push((*part, rows));
                }
                with_frames(&of.rows(&[])?.0, &frames)
            }
            Self::Followed(followed) => {
                let (rows, warnings) = followed.take(parts)?;
                odd = warnings;
                Ok(rows)
            }
            Self::Ligands(engine) => {
                let mut cells = Cells::of(LigandLines.columns());
                for part in parts {
                    match ligands(engine, part.structure, &part.features) {
                        Ok(found) => LigandLines::lines(part, &found, &mut cells),
                        Err(error) => refused.push((part.structure.name.clone(), error.to_string())),
                    }
                }
                relation_batch(LigandLines.columns(), cells).map_err(|error| error.to_string())
            }
        };
        Ok((batch?, refused, odd))
    }
}

fn named(names: &[&str]) -> impl Iterator<Item = &'static shared_types::Feature> {
    FEATURES.iter().filter(move |feature| names.contains(&feature.name))
}

fn selection(names: &[&str]) -> Selection {
    Selection::new(named(names), false)
}

fn feature_columns(names: Option<Vec<String>>, options: &Options) -> PyResult<Columns> {
    let is_whole = names.is_none();
    let named_parent = names.iter().flatten().any(|name| name.trim() == Column::Parent.name());
    let columns = match names {
        Some(names) => Columns::choose(names).map_err(|error| {
            PyValueError::new_err(match error {
                ColumnError::Unknown(_) => format!("{error}; prism.columns() lists the features"),
                error => error.to_string(),
            })
        })?,
        None => Columns::default(),
    };
    // A standard residue is its own parent.
    let is_standard = options.residues == "standard";
    let columns = if is_standard && !named_parent { columns.without(Column::Parent) } else { columns };
    let columns = match options.polymers.as_deref() {
        None => columns,
        Some("nucleic" | "all") if is_whole => columns.with_polymers().with_nucleotides(),
        Some(_) => columns.with_polymers(),
    };
    Ok(if options.has_hetero_rows() { columns.with_polymers() } else { columns })
}

/// Warnings about columns that were chosen and that no input fills.
pub fn unfilled(names: &[String], annotations: &Annotations, lineages: bool) -> Vec<String> {
    let given = |name: &str| annotations.has(name) || lineages && name.starts_with("gisaid_");
    let lacking = Columns::choose(names).map(|columns| columns.lacking_annotations(given)).unwrap_or_default();
    let warning = |(column, annotation)| {
        format!("column {column} has no values: neither annotations nor lineages give {annotation}")
    };
    lacking.into_iter().map(warning).collect()
}

/// Features alone. The other columns are no numbers.
fn tensor_columns(names: Option<Vec<String>>) -> PyResult<Columns> {
    let of_proteins = || FEATURES.iter().filter(|feature| feature.group != Group::Nucleotide);
    let names = names.unwrap_or_else(|| of_proteins().map(|feature| feature.name.to_owned()).collect());
    if let Some(other) = names.iter().find(|name| !FEATURES.iter().any(|feature| feature.name == name.trim())) {
        let meant = suggestion(other, FEATURES.iter().map(|feature| feature.name));
        let message = format!("{other:?} is no feature{meant}; tensors have features alone: see prism.columns()");
        return Err(PyValueError::new_err(message));
    }
    Columns::choose(names).map_err(|error| PyValueError::new_err(error.to_string()))
}

/// The lines of a relation.
fn lines(mut relation: impl Relation, parts: &[StructureRows<'_>]) -> Result<RecordBatch, String> {
    let columns = relation.columns();
    let mut cells = Cells::of(columns);
    relation.prepare(parts);
    for part in parts {
        relation.append(part, &mut cells).map_err(|error| error.to_string())?;
    }
    relation_batch(columns, cells).map_err(|error| error.to_string())
}
