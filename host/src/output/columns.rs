//! Which columns a table has.

use crate::engine::Selection;
use shared_types::{FEATURES, Feature, Group};
use thiserror::Error;

/// A column of the table.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Column {
    /// The structure's name.
    Structure,
    /// The residue's place in its structure, from 0.
    Row,
    /// The author chain id.
    Chain,
    /// The author's residue number.
    Resnum,
    /// The insertion code, mostly empty.
    Icode,
    /// The residue's name, as its file has it.
    Resname,
    /// The standard amino acid that it is or was made of; empty where there is none.
    Parent,
    /// A feature that is a number.
    Feature(&'static Feature),
    /// A feature that is a state, written as its letter.
    State(&'static Feature),
    /// The site that the residue is part of, counted from 0 in its structure, or -1.
    SiteId,
}

impl Column {
    /// The columns that say which residue a row is.
    pub const IDENTITY: [Self; 7] =
        [Self::Structure, Self::Row, Self::Chain, Self::Resnum, Self::Icode, Self::Resname, Self::Parent];

    /// The column's name in the output.
    #[must_use]
    pub fn name(&self) -> &'static str {
        match self {
            Self::Structure => "structure",
            Self::Row => "row",
            Self::Chain => "chain",
            Self::Resnum => "resnum",
            Self::Icode => "icode",
            Self::Resname => "resname",
            Self::Parent => "parent",
            Self::Feature(feature) | Self::State(feature) => feature.name,
            Self::SiteId => "site_id",
        }
    }

    fn by_name(name: &str) -> Option<Self> {
        Self::every().find(|column| column.name() == name)
    }

    /// Every column there is, in the order of the whole table.
    pub fn every() -> impl Iterator<Item = Self> {
        // The site stands where it stood before there were other groups: after the first.
        let of = |feature: &'static Feature| match feature.is_state() {
            true => Self::State(feature),
            false => Self::Feature(feature),
        };
        let others = FEATURES.iter().filter(|feature| feature.group != Group::Residue).map(of);
        let first = Group::Residue.features().map(of);
        Self::IDENTITY.into_iter().chain(first).chain([Self::SiteId]).chain(others)
    }
}

/// The columns of a table, in order.
///
/// ```
/// use prism_host::output::{Column, ColumnError, Columns};
///
/// // Features alone: which residue it is comes before them.
/// let columns = Columns::choose(["wcn", "site_id"])?;
/// assert_eq!(columns.as_slice()[..7], Column::IDENTITY);
/// let names: Vec<_> = columns.as_slice()[7..].iter().map(Column::name).collect();
/// assert_eq!(names, ["wcn", "site_id"]);
/// // Else exactly what is named.
/// assert_eq!(Columns::choose(["resnum", "wcn"])?.as_slice().len(), 2);
/// assert_eq!(Columns::choose(["wnc"]), Err(ColumnError::Unknown("wnc".to_owned())));
/// # Ok::<(), ColumnError>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Columns(Vec<Column>);

/// Why a choice of columns is refused.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
pub enum ColumnError {
    /// No such column.
    #[error("there is no column `{0}`; `prism features --list` shows all features")]
    Unknown(String),
    /// A column twice.
    #[error("column `{0}` is named twice")]
    Twice(String),
    /// Nothing named.
    #[error("no column is named")]
    None,
}

impl Default for Columns {
    /// Identity, the features of the first group, the site, then those of the other groups.
    fn default() -> Self {
        Self(Column::every().collect())
    }
}

impl Columns {
    /// A choice by name. Where only features are named, the identity columns come before them; where an identity
    /// column is named too, the table has exactly what is named.
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
        if chosen.iter().all(|column| matches!(column, Column::Feature(_) | Column::State(_) | Column::SiteId)) {
            chosen.splice(0..0, Column::IDENTITY);
        }
        Ok(Self(chosen))
    }

    /// All but one column.
    #[must_use]
    pub fn without(mut self, column: Column) -> Self {
        self.0.retain(|own| *own != column);
        self
    }

    /// What has to be computed for them.
    #[must_use]
    pub fn selection(&self) -> Selection {
        let features = self.0.iter().filter_map(|column| match column {
            Column::Feature(feature) | Column::State(feature) => Some(*feature),
            _ => None,
        });
        Selection::new(features, self.0.contains(&Column::SiteId))
    }

    /// The columns, in order.
    #[must_use]
    pub fn as_slice(&self) -> &[Column] {
        &self.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(columns: &Columns) -> Vec<&'static str> {
        columns.as_slice().iter().map(Column::name).collect()
    }

    #[test]
    fn the_whole_table_is_identity_then_features() {
        let names = names(&Columns::default());
        assert_eq!(names[..8], ["structure", "row", "chain", "resnum", "icode", "resname", "parent", "contact_number"]);
        assert_eq!(names.len(), 7 + FEATURES.len() + 1);
        assert_eq!(names[7 + 32..][..6], ["site_id", "b_factor", "ca_x", "ca_y", "ca_z", "phi"]);
    }

    #[test]
    fn features_alone_keep_the_identity() {
        let columns = Columns::choose(["wcn", " contact_number"]).unwrap();
        assert_eq!(names(&columns)[7..], ["wcn", "contact_number"]);
        assert_eq!(names(&columns)[..7], names(&Columns::default())[..7]);
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
        assert_eq!(steps(&["hydropathy"]), Steps::ROWS);
        assert_eq!(steps(&["ca_x"]), Steps::POSITION);
        assert_eq!(steps(&["chi1"]), Steps::BACKBONE);
        assert_eq!(steps(&["ss"]), Steps::BACKBONE.and(Steps::SECONDARY_STRUCTURE));
        let contacts = steps(&["contact_number", "wcn"]);
        assert_eq!(contacts, Steps::ROWS.and(Steps::PAIRS).and(Steps::CONTACTS).and(Steps::NETWORK));
        assert_eq!(steps(&["site_id"]), steps(&["site_score"]));
        assert_eq!(Columns::default().selection().steps(), Steps::ALL);
    }

    #[test]
    fn wrong_choices_are_refused() {
        assert_eq!(Columns::choose(["wcm"]), Err(ColumnError::Unknown("wcm".into())));
        assert_eq!(Columns::choose(["wcn", "wcn"]), Err(ColumnError::Twice("wcn".into())));
        assert_eq!(Columns::choose([""]), Err(ColumnError::Unknown(String::new())));
        assert_eq!(Columns::choose::<&str>([]), Err(ColumnError::None));
    }
}
