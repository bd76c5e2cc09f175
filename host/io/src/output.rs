//! Features to files: CSV, TSV, JSON lines, Arrow, Parquet, npz.

mod ahead;
mod annotated;
mod areas;
mod arrow;
mod atoms;
mod behind;
mod coloured;
mod columnar;
mod columns;
mod computed;
mod confidence;
mod csv;
mod dockq;
mod edges;
mod error;
mod file;
mod gzip;
mod in_order;
mod input_files;
mod interactions;
mod json;
mod ligands;
mod measured;
mod merge;
mod npz;
mod occupancy;
mod of_frames;
mod parquet;
mod pockets;
mod prank;
mod predicted;
mod reduced;
mod relation;
mod relations;
mod rows;
mod script_names;
mod sink;
mod site_ids;
mod sites;
mod status;
mod text;
mod value;
mod view;
mod whole;

pub use annotated::{AnnotatedStructures, AnnotatedText};
pub use areas::{AreasFormat, AreasText, ReferenceAreas};
pub use arrow::{ArrowTable, RecordBatches};
pub use atoms::{AtomLines, AtomsRelation};
pub use coloured::ColouredStructures;
pub use columns::{Column, ColumnError, Columns, DerivedColumn, FrameColumn, Label, LineageColumn};
pub use confidence::{
    COMPARED_PAIR_COLUMNS, COMPARED_STRUCTURE_COLUMNS, PAIR_COLUMNS, RESIDUE_COLUMNS, STRUCTURE_COLUMNS, StructureRow,
    append_pairs, append_residues, append_structures, several_rankings,
};
pub use csv::CsvTable;
pub use dockq::DockqRelation;
pub use edges::{EdgeAttribute, EdgesRelation};
pub use error::OutputError;
pub use file::{LinesFile, OutputFile};
pub use interactions::{
    BASE_PAIR_COLUMNS, INTERACTION_COLUMNS, append_group_interfaces, append_interactions, group_interface_columns,
    interaction_columns,
};
pub use json::JsonTable;
pub use ligands::{LigandLines, LigandsRelation};
pub use measured::{KnownPockets, MeasuredRelation};
pub use merge::merge_parquet;
pub use npz::NpzTable;
pub use occupancy::OccupancyRelation;
pub use of_frames::OfFrames;
pub use parquet::ParquetTable;
pub use pockets::{PocketsRelation, PocketsSummary};
pub use prank::PrankFolder;
pub use predicted::{LinesOf, WithErrors, matrix_rows, prediction_of, predictions_beside};
pub use reduced::{Moments, ReducedRelation, Statistic, Statistics};
pub use relation::{
    CellKind, CellTable, Cells, LineTable, Relation, RelationColumn, RelationTable, Texts, relation_batch,
};
pub use relations::{
    InterfacePairs, InterfaceResidues, InterfaceResiduesFile, InterfacesRelation, RelationFailures, SummaryRelation,
};
pub use sites::{SiteCounts, SitesRelation, SitesTally, ViewedSites};
pub use status::StatusFile;
pub use value::Value;
pub use view::SitesView;
pub use whole::{WholeFile, check_place, write_whole};

use crate::pipeline::Computed;
use input_files::InputFiles;
use prism_engine::StructureView;
use prism_engine::sites::ranks;
use prism_read::residue_name;
use prism_read::structure::StructureInput;
use shared_types::{Feature, MegaFusedConfig};
use std::path::Path;
use std::sync::Arc;

/// One structure's part of the table.
///
/// The examples of the tables, [`CsvTable`] first, make one.
#[derive(Clone, Copy, Debug)]
pub struct StructureRows<'a> {
    /// Whose rows they are.
    pub structure: &'a StructureInput,
    /// Its results.
    pub features: StructureView<'a>,
}

impl<'a> StructureRows<'a> {
    /// Rows that both sides have; they agree when the features are this structure's.
    pub fn len(&self) -> usize {
        self.features.n_residues.min(self.structure.n_rows_with_hetero())
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The values of a feature; none where it was not computed.
    fn values(&self, feature: &Feature) -> &'a [f32] {
        self.features.feature(feature).unwrap_or_default()
    }

    /// The values of each column that is a feature, looked up once; none for other columns.
    fn values_of(&self, columns: &Columns) -> Vec<&'a [f32]> {
        columns.as_slice().iter().map(|column| self.values_in(column)).collect()
    }

    /// The values of a column that is a feature; none for another column, or if it was not computed.
    fn values_in(&self, column: &Column) -> &'a [f32] {
        match column {
            Column::Feature(feature) | Column::State(feature) => self.values(feature),
            _ => &[],
        }
    }

    /// The values of a column of numbers; none if it was not computed.
    fn numbers(&self, column: &Column) -> Vec<f32> {
        match column {
            Column::Plddt => (0..self.len()).map(|row| self.plddt(row)).collect(),
            Column::Derived(column) => (0..self.len()).map(|row| column.number(self.structure, row)).collect(),
            column => self.values_in(column).to_vec(),
        }
    }

    /// Computes what a column needs that CPU cores compute.
    fn derive(&self, column: &Column) {
        if let (Column::Derived(column), false) = (column, self.is_empty()) {
            column.value(self.structure, 0);
        }
    }

    /// The value of a feature in a row; NaN where it was not computed.
    fn feature(&self, feature: &Feature, row: usize) -> f32 {
        self.values(feature).get(row).copied().unwrap_or(f32::NAN)
    }

    /// The text of a feature that is a state; empty if it was not computed or is undefined.
    fn state(&self, feature: &Feature, row: usize) -> &'static str {
        feature.state(self.feature(feature, row))
    }

    /// The confidence of a predicted model in a row, from 0 to 100; NaN if there is none.
    fn plddt(&self, row: usize) -> f32 {
        self.structure.plddt.get(row).copied().unwrap_or(f32::NAN)
    }

    /// A name that other tables give a row, if it is a text.
    fn label_text(&self, label: Label, row: usize) -> &str {
        self.structure.labels.get(row).map_or("", |labels| match label {
            Label::AsymId => &labels.asym_id,
            Label::EntityId => &labels.entity_id,
            Label::UniprotAccession => &labels.uniprot_accession,
            Label::SeqId | Label::UniprotNumber => "",
        })
    }

    /// A number that other tables give a row.
    fn label_number(&self, label: Label, row: usize) -> Option<i32> {
        self.structure.labels.get(row).and_then(|labels| match label {
            Label::SeqId => labels.seq_id,
            Label::UniprotNumber => labels.uniprot_number,
            Label::AsymId | Label::EntityId | Label::UniprotAccession => None,
        })
    }

    /// A text about the lineage of a structure.
    fn lineage_text(&self, column: LineageColumn) -> &str {
        self.structure.lineage.as_deref().map_or("", |lineage| match column {
            LineageColumn::Name => &lineage.name,
            LineageColumn::Country => &lineage.country,
            LineageColumn::VelocityError => "",
        })
    }

    /// The standard error of the velocity in a row; NaN if there is none.
    fn velocity_error(&self, row: usize) -> f32 {
        let errors = self.structure.lineage.as_deref().map_or(&[][..], |lineage| &lineage.velocity_error);
        errors.get(row).copied().unwrap_or(f32::NAN)
    }

    /// The rank of each row's site, if `column` has it; else nothing, because it takes a pass over the atoms.
    fn site_ids_in(&self, column: &Column) -> Vec<Option<i32>> {
        if *column != Column::SiteId {
            return Vec::new();
        }
        let ranks = ranks(self.structure, &self.features).into_iter().map(|rank| rank.map(|rank| rank as i32));
        // Ligands line no site.
        ranks.chain(std::iter::repeat(None)).take(self.len()).collect()
    }

    /// The same for some columns.
    fn site_ids_of(&self, columns: &Columns) -> Vec<Option<i32>> {
        let column = columns.as_slice().iter().find(|column| **column == Column::SiteId);
        column.map(|column| self.site_ids_in(column)).unwrap_or_default()
    }

    /// Which residue a row is, by [`residue_name`].
    pub fn residue(&self, row: usize) -> String {
        residue_name(self.chain(row), self.structure.residue_numbers[row], &self.structure.insertion_codes[row])
    }

    /// The author chain id of a row.
    fn chain(&self, row: usize) -> &str {
        self.structure.chains.get(self.structure.chain_ids[row] as usize).map_or("", String::as_str)
    }

    /// The residue name of a row, as its file has it.
    fn resname(&self, row: usize) -> &str {
        self.structure.resname(row)
    }
}

/// Whether two texts are equal. No bytes are not compared: an empty string's address is that of no memory, from which some
/// processors take a hundred times as long to read nothing.
fn is_same(a: &str, b: &str) -> bool {
    a.len() == b.len() && (a.is_empty() || a == b)
}

/// A table that is being written, structure by structure.
///
/// ```
/// use prism_io::output::{Columns, CsvTable, OutputError, Table};
///
/// /// A table of nothing, in any format.
/// fn end(table: impl Table) -> Result<(), OutputError> {
///     Box::new(table).finish()
/// }
/// let mut text = Vec::new();
/// end(CsvTable::new(&mut text, Columns::choose(["wcn"])?))?;
/// assert_eq!(text, b"structure,row,chain,resnum,icode,resname,parent,wcn\n");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub trait Table {
    /// Appends the rows of some structures.
    ///
    /// # Errors
    /// If the file cannot be written.
    fn write(&mut self, structures: &[StructureRows<'_>]) -> Result<(), OutputError>;

    /// Appends the rows of a batch. Tables whose threads read them where they are keep the batch until these are done, and this
    /// returns earlier.
    ///
    /// # Errors
    /// If the file cannot be written; these rows may cause the error of a later call.
    fn write_shared(&mut self, computed: &Arc<Computed>) -> Result<(), OutputError> {
        self.write(&computed.rows().collect::<Vec<_>>())
    }

    /// Writes buffered rows and ends the table.
    ///
    /// # Errors
    /// If the file cannot be written.
    fn finish(self: Box<Self>) -> Result<(), OutputError>;
}

/// A format of tables.
///
/// ```
/// use prism_io::output::{Format, OutputError};
///
/// assert_eq!(Format::of_path("features.Parquet".as_ref())?, Format::Parquet);
/// assert_eq!(Format::of_path("features.csv.gz".as_ref())?, Format::CsvGz);
/// let error = Format::of_path("features.xlsx".as_ref()).unwrap_err();
/// assert!(matches!(&error, OutputError::UnknownFormat { path } if path == "features.xlsx"));
/// # Ok::<(), OutputError>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Format {
    /// Text: a header line, then a line for each residue, with commas between the fields.
    Csv,
    /// The same in gzip.
    CsvGz,
    /// Text: a header line, then a line for each residue, with tabs between the fields.
    Tsv,
    /// The same in gzip.
    TsvGz,
    /// Text: a JSON object for each residue, on a line of its own.
    JsonLines,
    /// The same in gzip.
    JsonLinesGz,
    /// Arrow IPC, which is Feather's second version.
    Arrow,
    /// Apache Parquet, compressed by zstd.
    Parquet,
    /// NumPy's archive: one array a column.
    Npz,
}

impl Format {
    /// Each format with its extension.
    pub const ALL: [(&'static str, Self); 9] = [
        ("csv", Self::Csv),
        ("csv.gz", Self::CsvGz),
        ("tsv", Self::Tsv),
        ("tsv.gz", Self::TsvGz),
        ("jsonl", Self::JsonLines),
        ("jsonl.gz", Self::JsonLinesGz),
        ("arrow", Self::Arrow),
        ("parquet", Self::Parquet),
        ("npz", Self::Npz),
    ];

    /// Whether it is a text in gzip.
    fn is_gzip(self) -> bool {
        match self {
            Self::CsvGz | Self::TsvGz | Self::JsonLinesGz => true,
            Self::Csv | Self::Tsv | Self::JsonLines | Self::Arrow | Self::Parquet | Self::Npz => false,
        }
    }

    /// The format that a file's extension asks for.
    ///
    /// # Errors
    /// [`OutputError::UnknownFormat`] for any other than those of [`ALL`](Self::ALL).
    pub fn of_path(path: &Path) -> Result<Self, OutputError> {
        let name = path.file_name().unwrap_or_default().to_string_lossy().to_ascii_lowercase();
        let has = |extension: &str| name.strip_suffix(extension).is_some_and(|name| name.ends_with('.'));
        let format = Self::ALL.into_iter().find(|(extension, _)| has(extension));
        format.map(|(_, format)| format).ok_or_else(|| OutputError::UnknownFormat { path: path.display().to_string() })
    }
}

/// The provenance of a table. Formats with room for it store it: Parquet's key-value metadata, Arrow's schema, the
/// comments of npz and of gzip.
#[derive(Clone, Debug)]
pub struct Provenance {
    /// The backend that computed it.
    pub config: MegaFusedConfig,
    /// More to keep, by name: the command line, the backend.
    pub more: Vec<(&'static str, String)>,
}

impl Provenance {
    /// The configuration alone.
    #[must_use]
    pub fn of(config: MegaFusedConfig) -> Self {
        Self { config, more: Vec::new() }
    }

    /// Names and values.
    #[must_use]
    pub fn entries(&self) -> Vec<(&'static str, String)> {
        let mut entries = vec![
            ("prism.version", env!("CARGO_PKG_VERSION").to_owned()),
            ("prism.contact_threshold", self.config.contact_threshold.to_string()),
            ("prism.site_threshold", self.config.site_threshold.to_string()),
            ("prism.points", self.config.points.to_string()),
            ("prism.min_feature_value", self.config.min_feature_value.to_string()),
        ];
        entries.extend(self.more.iter().cloned());
        entries
    }

    /// All of it in a line.
    fn line(&self) -> String {
        let entries = self.entries();
        entries.iter().map(|(name, value)| format!("{name}={value}")).collect::<Vec<_>>().join("; ")
    }
}
