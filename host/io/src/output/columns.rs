//! The columns of a table.

mod definition;
mod derived;

pub use derived::DerivedColumn;

use super::value::Kind;
use prism_engine::{FEATURES_OF, Selection};
use prism_read::nearest::suggestion;
use shared_types::{Feature, Group};
use thiserror::Error;

/// A column of the table.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Column {
    /// The structure's name.
    Structure,
    /// The residue's index in its structure, from 0.
    Row,
    /// The author chain id.
    Chain,
    /// The author's residue number.
    Resnum,
    /// The insertion code, mostly empty.
    Icode,
    /// The residue's name in its file.
    Resname,
    /// The standard amino acid or nucleotide that the residue is or derives from; empty if there is none.
    Parent,
    /// What the residue is part of: protein, DNA or RNA; written only on request.
    Polymer,
    /// A feature that is a number.
    Feature(&'static Feature),
    /// A feature that is a state, written as its letter.
    State(&'static Feature),
    /// The rank of the site that the residue lines, from 1; undefined if there is none.
    SiteId,
    /// A predicted model's confidence, from 0 to 100.
    Plddt,
    /// An identifier of the residue in other tables; written only on request.
    Label(Label),
    /// The lineage that the structure represents; written if there are lineages.
    Lineage(LineageColumn),
    /// The frame of a trajectory that the structure is; written if there is a trajectory.
    Frame(FrameColumn),
    /// What is computed of the structure on CPU cores; written only on request.
    Derived(&'static DerivedColumn),
}

/// A column of frames.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FrameColumn {
    /// The frame's number.
    Number,
    /// Its time.
    Time,
}

impl FrameColumn {
    /// All of them.
    pub const ALL: [Self; 2] = [Self::Number, Self::Time];

    const fn name(self) -> &'static str {
        match self {
            Self::Number => "frame",
            Self::Time => "time_ps",
        }
    }
}

/// A column of lineages.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LineageColumn {
    /// The lineage's name.
    Name,
    /// The country.
    Country,
    /// The standard error of `gisaid_velocity`.
    VelocityError,
}

impl LineageColumn {
    /// All of them.
    pub const ALL: [Self; 3] = [Self::Name, Self::Country, Self::VelocityError];

    const fn name(self) -> &'static str {
        match self {
            Self::Name => "lineage",
            Self::Country => "country",
            Self::VelocityError => "gisaid_velocity_error",
        }
    }
}

/// A column with a residue's identifier in other tables.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Label {
    /// mmCIF's `label_asym_id`.
    AsymId,
    /// mmCIF's `label_seq_id`.
    SeqId,
    /// mmCIF's `label_entity_id`.
    EntityId,
    /// The accession of its sequence in UniProt.
    UniprotAccession,
    /// Its number in that sequence.
    UniprotNumber,
}

impl Label {
    /// All of them.
    pub const ALL: [Self; 5] = [Self::AsymId, Self::SeqId, Self::EntityId, Self::UniprotAccession, Self::UniprotNumber];

    const fn name(self) -> &'static str {
        match self {
            Self::AsymId => "label_asym_id",
            Self::SeqId => "label_seq_id",
            Self::EntityId => "entity_id",
            Self::UniprotAccession => "uniprot_accession",
            Self::UniprotNumber => "uniprot_number",
        }
    }
}

impl Column {
    /// The columns that identify the residue.
    pub const IDENTITY: [Self; 7] =
        [Self::Structure, Self::Row, Self::Chain, Self::Resnum, Self::Icode, Self::Resname, Self::Parent];

    /// The column's name in the output.
    #[must_use]
    pub const fn name(&self) -> &'static str {
        match self {
            Self::Structure => "structure",
            Self::Row => "row",
            Self::Chain => "chain",
            Self::Resnum => "resnum",
            Self::Icode => "icode",
            Self::Resname => "resname",
            Self::Parent => "parent",
            Self::Polymer => "polymer",
            Self::Feature(feature) | Self::State(feature) => feature.name,
            Self::SiteId => "site_id",
            Self::Plddt => "plddt",
            Self::Label(label) => label.name(),
            Self::Lineage(column) => column.name(),
            Self::Frame(column) => column.name(),
            Self::Derived(column) => column.name,
        }
    }

    /// The type of its values in Arrow's words: `string`, `int32` or `float`.
    #[must_use]
    pub fn data_type(&self) -> &'static str {
        match self.kind() {
            Kind::Text => "string",
            Kind::Int | Kind::Optional => "int32",
            Kind::Float => "float",
        }
    }

    /// Whether its values are numbers of residues: features, and the confidence of predicted models.
    #[must_use]
    pub const fn is_number(&self) -> bool {
        match self {
            Self::Feature(_) | Self::Plddt => true,
            Self::Derived(column) => column.is_number(),
            _ => false,
        }
    }

    /// Whether its values are from 0 to 1 by their definition.
    #[must_use]
    pub fn is_fraction(&self) -> bool {
        const FRACTIONS: [&str; 5] = ["centrality", "clustering", "gisaid_freq", "freq_local", "site_score"];
        FRACTIONS.contains(&self.name())
    }

    /// The feature, if the column is a numeric one.
    pub fn number(&self) -> Option<&'static Feature> {
        match self {
            Self::Feature(feature) => Some(feature),
            _ => None,
        }
    }

    fn by_name(name: &str) -> Option<Self> {
        Self::every().find(|column| column.name() == name)
    }

    /// Every column: those of the whole table in order, then those that are written only on request.
    pub fn every() -> impl Iterator<Item = Self> {
        Self::whole()
            .chain([Self::Polymer])
            .chain(Self::nucleotides())
            .chain(Label::ALL.map(Self::Label))
            .chain(LineageColumn::ALL.map(Self::Lineage))
            .chain(FrameColumn::ALL.map(Self::Frame))
            .chain(DerivedColumn::ALL.iter().map(Self::Derived))
    }

    /// The column of a feature.
    fn of(feature: &'static Feature) -> Self {
        if feature.is_state() { Self::State(feature) } else { Self::Feature(feature) }
    }

    /// The columns of nucleotides' torsions, in order; written only on request.
    fn nucleotides() -> impl Iterator<Item = Self> {
        Group::Nucleotide.features().map(Self::of)
    }

    /// The columns of the whole table of proteins, in order.
    fn whole() -> impl Iterator<Item = Self> {
        // The site keeps its position from before there were other groups: after the first group.
        let of = Self::of;
        let others = Group::ALL.iter().filter(|group| !matches!(group, Group::Residue | Group::Nucleotide));
        let others = others.flat_map(|group| group.features()).map(of);
        let first = Group::Residue.features().map(of);
        // The confidence follows the B column, because it is taken from there.
        let others = others.flat_map(|column| match column {
            Self::Feature(feature) if feature.name == "b_factor" => vec![column, Self::Plddt],
            column => vec![column],
        });
        Self::IDENTITY.into_iter().chain(first).chain([Self::SiteId]).chain(others)
    }
}

/// The columns of a table, in order.
///
/// ```
/// use prism_io::output::{Column, ColumnError, Columns};
///
/// // Only features: the columns that identify the residue come before them.
/// let columns = Columns::choose(["wcn", "site_id"])?;
/// assert_eq!(columns.as_slice()[..7], Column::IDENTITY);
/// let names: Vec<_> = columns.as_slice()[7..].iter().map(Column::name).collect();
/// assert_eq!(names, ["wcn", "site_id"]);
/// // Otherwise exactly the named columns.
/// assert_eq!(Columns::choose(["resnum", "wcn"])?.as_slice().len(), 2);
/// assert_eq!(Columns::choose(["wnc"]), Err(ColumnError::Unknown("wnc".to_owned())));
/// # Ok::<(), ColumnError>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Columns {
    all: Vec<Column>,
    by_name: bool,
}

/// An invalid choice of columns.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
pub enum ColumnError {
    /// No such column.
    #[error("there is no column `{0}`{meant}", meant = suggestion(.0, Column::every().map(|column| column.name())))]
    Unknown(String),
    /// A column is named twice.
    #[error("column `{0}` is named twice")]
    Twice(String),
    /// No column is named.
    #[error("no column is named")]
    None,
}

impl Default for Columns {
    /// Identifiers, features of the first group, the site, then features of the other groups.
    fn default() -> Self {
        Self { all: Column::whole().collect(), by_name: false }
    }
}

impl Columns {
    /// A choice by name. If only features are named, the identity columns come before them. If an identity column is named too,
    /// the table has exactly the named columns.
    ///
    /// # Errors
    /// [`ColumnError`].
    pub fn choose<S: AsRef<str>>(names: impl IntoIterator<Item = S>) -> Result<Self, ColumnError> {
        let mut chosen = Vec::new();
        for name in names {
            let name = name.as_ref().trim();
            let column = Column::by_name(name).ok_or_else(|| ColumnError::Unknown(name.to_owned()))?;
            if chosen.contains(&column) {
                return Err(ColumnError::Twice(name.to_owned()));
            }
            chosen.push(column);
        }
        if chosen.is_empty() {
            return Err(ColumnError::None);
        }
        if !chosen.iter().any(|column| Column::IDENTITY.contains(column)) {
            chosen.splice(0..0, Column::IDENTITY);
        }
        Ok(Self { all: chosen, by_name: true })
    }

    /// All columns except one.
    #[must_use]
    pub fn without(mut self, column: Column) -> Self {
        self.all.retain(|own| *own != column);
        self
    }

    /// With the columns of lineages: the lineage after the identity columns, and the error of the velocity after the velocity.
    ///
    /// ```
    /// use prism_io::output::{Column, Columns};
    ///
    /// let columns = Columns::choose(["gisaid_velocity", "sasa"])?.with_lineages();
    /// let names: Vec<_> = columns.as_slice()[7..].iter().map(Column::name).collect();
    /// assert_eq!(names, ["lineage", "country", "gisaid_velocity", "gisaid_velocity_error", "sasa"]);
    /// # Ok::<(), prism_io::output::ColumnError>(())
    /// ```
    #[must_use]
    pub fn with_lineages(mut self) -> Self {
        let mut add = |after: &dyn Fn(&Column) -> bool, columns: &[LineageColumn]| {
            let new: Vec<Column> =
                columns.iter().map(|one| Column::Lineage(*one)).filter(|one| !self.all.contains(one)).collect();
            if let Some(place) = self.all.iter().rposition(after) {
                self.all.splice(place + 1..place + 1, new);
            }
        };
        add(&|column| column.name() == "gisaid_velocity", &[LineageColumn::VelocityError]);
        add(&|column| Column::IDENTITY.contains(column), &[LineageColumn::Name, LineageColumn::Country]);
        self
    }

    /// With the column of polymers after the identity columns.
    ///
    /// ```
    /// use prism_io::output::{Column, Columns};
    ///
    /// let columns = Columns::choose(["sasa"])?.with_polymers();
    /// assert_eq!(columns.as_slice()[6..8], [Column::Parent, Column::Polymer]);
    /// # Ok::<(), prism_io::output::ColumnError>(())
    /// ```
    #[must_use]
    pub fn with_polymers(mut self) -> Self {
        if !self.all.contains(&Column::Polymer) {
            let identity = self.all.iter().rposition(|column| Column::IDENTITY.contains(column));
            let place = identity.map_or(0, |place| place + 1);
            self.all.insert(place, Column::Polymer);
        }
        self
    }

    /// With the columns of nucleotides at the end: their torsions and puckers.
    ///
    /// ```
    /// use prism_io::output::{Column, Columns};
    ///
    /// let columns = Columns::choose(["sasa"])?.with_nucleotides();
    /// assert_eq!(columns.as_slice().last().map(Column::name), Some("pucker"));
    /// # Ok::<(), prism_io::output::ColumnError>(())
    /// ```
    #[must_use]
    pub fn with_nucleotides(mut self) -> Self {
        let new: Vec<Column> = Column::nucleotides().filter(|column| !self.all.contains(column)).collect();
        self.all.extend(new);
        self
    }

    /// With the columns of frames, after the structure's name.
    ///
    /// ```
    /// use prism_io::output::{Column, Columns};
    ///
    /// let columns = Columns::choose(["sasa"])?.with_frames();
    /// let names: Vec<_> = columns.as_slice()[..4].iter().map(Column::name).collect();
    /// assert_eq!(names, ["structure", "frame", "time_ps", "row"]);
    /// # Ok::<(), prism_io::output::ColumnError>(())
    /// ```
    #[must_use]
    pub fn with_frames(mut self) -> Self {
        let new = FrameColumn::ALL.map(Column::Frame).into_iter().filter(|one| !self.all.contains(one));
        let (new, place): (Vec<_>, _) = (new.collect(), self.all.iter().position(|own| *own == Column::Structure));
        let place = place.map_or(0, |place| place + 1);
        self.all.splice(place..place, new);
        self
    }

    /// Whether they include identifiers in other tables, which readers keep on request
    /// ([`ReadOptions::labels`](prism_read::ReadOptions::labels)).
    #[must_use]
    pub fn has_labels(&self) -> bool {
        self.all.iter().any(|column| matches!(column, Column::Label(_)))
    }

    /// All columns except those of annotations that no input gives, which would be undefined everywhere. `given` tells whether
    /// there is an annotation of a name.
    #[must_use]
    pub fn without_annotations(mut self, given: impl Fn(&str) -> bool) -> Self {
        for (_, columns) in FEATURES_OF.iter().filter(|(annotation, _)| !given(annotation)) {
            self.all.retain(|own| !columns.contains(&own.name()));
        }
        self
    }

    /// The columns that are undefined everywhere because no input gives an annotation, each with the name of that annotation. `given` is as
    /// for [`without_annotations`](Self::without_annotations).
    #[must_use]
    pub fn lacking_annotations(&self, given: impl Fn(&str) -> bool) -> Vec<(&'static str, &'static str)> {
        let lacking = FEATURES_OF.into_iter().filter(|(annotation, _)| !given(annotation));
        let columns = |(annotation, columns): (&'static str, &'static [&'static str])| {
            let own = self.all.iter().map(Column::name).filter(|name| columns.contains(name));
            own.map(move |name| (name, annotation)).collect::<Vec<_>>()
        };
        lacking.flat_map(columns).collect()
    }

    /// One line per column: name, unit in brackets, and definition.
    #[must_use]
    pub fn described(&self) -> String {
        let line = |column: &Column| format!("{} [{}]: {}\n", column.name(), column.unit(), column.definition());
        self.all.iter().map(line).collect()
    }

    /// The steps that they need.
    #[must_use]
    pub fn selection(&self) -> Selection {
        let features = self.all.iter().filter_map(|column| match column {
            Column::Feature(feature) | Column::State(feature) => Some(*feature),
            _ => None,
        });
        let selection = Selection::new(features, self.all.contains(&Column::SiteId));
        if self.by_name { selection } else { selection.without_large_wcn() }
    }

    /// The columns, in order.
    #[must_use]
    pub fn as_slice(&self) -> &[Column] {
        &self.all
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use shared_types::FEATURES;

    fn names(columns: &Columns) -> Vec<&'static str> {
        columns.as_slice().iter().map(Column::name).collect()
    }

    #[test]
    fn the_whole_table_is_identity_then_features() {
        let names = names(&Columns::default());
        assert_eq!(names[..8], ["structure", "row", "chain", "resnum", "icode", "resname", "parent", "contact_number"]);
        assert_eq!(names.len(), 7 + FEATURES.len() - Group::Nucleotide.features().count() + 2);
        assert_eq!(names[7 + 32..][..7], ["site_id", "b_factor", "plddt", "ca_x", "ca_y", "ca_z", "phi"]);
    }

    #[test]
    fn features_alone_keep_the_identity() {
        let columns = Columns::choose(["wcn", " contact_number"]).unwrap();
        assert_eq!(names(&columns)[7..], ["wcn", "contact_number"]);
        assert_eq!(names(&columns)[..7], names(&Columns::default())[..7]);
    }

    #[test]
    fn annotations_have_columns_where_there_are_any() {
        let with = |given: &str| names(&Columns::default().without_annotations(|name| name == given)).len();
        let all = Columns::default().as_slice().len();
        assert_eq!([with("none"), with("conservation"), with("gisaid_velocity")], [all - 7, all - 5, all - 4]);
    }

    #[test]
    fn labels_are_written_on_request_alone() {
        let columns = Columns::choose(["wcn", "label_seq_id"]).unwrap();
        assert_eq!(names(&columns)[7..], ["wcn", "label_seq_id"]);
        assert!(columns.has_labels() && !Columns::default().has_labels());
    }

    #[test]
    fn naming_identity_gives_what_is_named() {
        let columns = Columns::choose(["wcn", "structure"]).unwrap();
        assert_eq!(names(&columns), ["wcn", "structure"]);
    }

    #[test]
    fn what_is_not_needed_is_not_computed() {
        use shared_types::Steps;
        let steps = |names: &[&str]| Columns::choose(names).unwrap().selection().steps();
        assert_eq!(steps(&["structure", "row"]), Steps::NONE);
        assert_eq!(steps(&["sasa"]), Steps::EXPOSURE.and(Steps::ROWS));
        assert_eq!(steps(&["cx"]), steps(&["sasa"]).and(Steps::PROTRUSION));
        assert_eq!(steps(&["depth"]), steps(&["sasa"]).and(Steps::DEPTH));
        assert_eq!(steps(&["atomic_contacts"]), steps(&["sasa"]).and(Steps::ATOMIC_CONTACTS));
        assert_eq!(steps(&["hydropathy"]), Steps::ROWS);
        assert_eq!(steps(&["ca_x"]), Steps::POSITION);
        assert_eq!(steps(&["chi1"]), Steps::BACKBONE);
        assert_eq!(steps(&["ss"]), Steps::BACKBONE.and(Steps::SECONDARY_STRUCTURE));
        let contacts = steps(&["contact_number", "wcn"]);
        assert_eq!(contacts, Steps::ROWS.and(Steps::PAIRS).and(Steps::CONTACTS).and(Steps::NETWORK).and(Steps::WCN));
        assert_eq!(steps(&["site_id"]), steps(&["site_score"]));
        assert_eq!(steps(&["chi", "pucker"]), Steps::NUCLEOTIDES);
        assert_eq!(Columns::default().with_nucleotides().selection().steps(), Steps::ALL);
        assert!(!Columns::default().selection().steps().has(Steps::NUCLEOTIDES));
    }

    #[test]
    fn wrong_choices_are_refused() {
        let unknown = Columns::choose(["wcm"]).unwrap_err();
        assert_eq!(unknown, ColumnError::Unknown("wcm".into()));
        // What lists the columns is for the command and the Python package to say.
        assert_eq!(unknown.to_string(), "there is no column `wcm` (did you mean `wcn`?)");
        assert_eq!(ColumnError::Unknown("SASA".into()).to_string(), "there is no column `SASA` (did you mean `sasa`?)");
        assert_eq!(Columns::choose(["wcn", "wcn"]), Err(ColumnError::Twice("wcn".into())));
        assert_eq!(Columns::choose([""]), Err(ColumnError::Unknown(String::new())));
        assert_eq!(Columns::choose::<&str>([]), Err(ColumnError::None));
    }
}
