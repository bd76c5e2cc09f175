//! Columns that CPU cores compute of a structure when a writer asks for them.

use super::super::value::{Kind, Value};
use prism_engine::dssp::{DsspRow, of_rows};
use prism_read::structure::StructureInput;

/// A column that CPU cores compute of a structure when a writer asks for it.
#[derive(Clone, Copy, Debug)]
pub struct DerivedColumn {
    /// The column's name.
    pub name: &'static str,
    /// The unit of its values; empty if they have none.
    pub unit: &'static str,
    /// What it is.
    pub definition: &'static str,
    /// The source of the definition.
    pub source: &'static str,
    of: Of,
}

/// How its value follows from what is computed.
#[derive(Clone, Copy, Debug)]
enum Of {
    Number(fn(&DsspRow) -> f32),
    Row(fn(&DsspRow) -> Option<u32>),
    Text(fn(&DsspRow) -> &str),
}

impl PartialEq for DerivedColumn {
    fn eq(&self, other: &Self) -> bool {
        self.name == other.name
    }
}

impl Eq for DerivedColumn {}

const KABSCH: &str = "Kabsch & Sander 1983; mkdssp 4";

const fn dssp(name: &'static str, unit: &'static str, definition: &'static str, of: Of) -> DerivedColumn {
    DerivedColumn { name, unit, definition, source: KABSCH, of }
}

impl DerivedColumn {
    /// All of them.
    pub const ALL: &'static [Self] = &[
        dssp(
            "dssp_accessibility",
            "Å^2",
            "accessible surface by DSSP's radii (N 1.65, CA 1.87, C 1.76, O 1.4, others 1.8 Å), a probe of 1.4 Å and 401 points, among \
             amino acids with N, CA, C and O: ACC of a .dssp file, before it is rounded; undefined where one of these atoms is missing",
            Of::Number(|row| row.accessibility),
        ),
        dssp(
            "dssp_bp1_row",
            "",
            "row of the first bridge partner (BP1); undefined if there is none",
            Of::Row(|row| row.partners[0]),
        ),
        dssp(
            "dssp_bp2_row",
            "",
            "row of the second bridge partner (BP2); undefined if there is none",
            Of::Row(|row| row.partners[1]),
        ),
        dssp(
            "dssp_ladder1",
            "",
            "label of the first bridge's ladder, A, B, .. AA: a small letter if strands are parallel; empty if there is none",
            Of::Text(|row| &row.ladders[0]),
        ),
        dssp(
            "dssp_ladder2",
            "",
            "label of the second bridge's ladder; empty if there is none",
            Of::Text(|row| &row.ladders[1]),
        ),
        dssp("dssp_sheet", "", "label of the residue's sheet; empty if it is in none", Of::Text(|row| &row.sheet)),
        dssp(
            "dssp_nh_o_1_row",
            "",
            "row whose O has the strongest hydrogen bond from this N-H (N-H-->O); undefined if there is none",
            Of::Row(|row| row.acceptors[0].map(|bond| bond.0)),
        ),
        dssp(
            "dssp_nh_o_1_energy",
            "kcal/mol",
            "its energy; below -0.5 it is a bond; undefined if there is none",
            Of::Number(|row| energy(row.acceptors[0])),
        ),
        dssp(
            "dssp_nh_o_2_row",
            "",
            "row whose O has the second strongest hydrogen bond from this N-H; undefined if there is none",
            Of::Row(|row| row.acceptors[1].map(|bond| bond.0)),
        ),
        dssp(
            "dssp_nh_o_2_energy",
            "kcal/mol",
            "its energy; undefined if there is none",
            Of::Number(|row| energy(row.acceptors[1])),
        ),
        dssp(
            "dssp_o_nh_1_row",
            "",
            "row whose N-H has the strongest hydrogen bond to this O (O-->H-N); undefined if there is none",
            Of::Row(|row| row.donors[0].map(|bond| bond.0)),
        ),
        dssp(
            "dssp_o_nh_1_energy",
            "kcal/mol",
            "its energy; below -0.5 it is a bond; undefined if there is none",
            Of::Number(|row| energy(row.donors[0])),
        ),
        dssp(
            "dssp_o_nh_2_row",
            "",
            "row whose N-H has the second strongest hydrogen bond to this O; undefined if there is none",
            Of::Row(|row| row.donors[1].map(|bond| bond.0)),
        ),
        dssp(
            "dssp_o_nh_2_energy",
            "kcal/mol",
            "its energy; undefined if there is none",
            Of::Number(|row| energy(row.donors[1])),
        ),
    ];

    pub(super) const fn is_number(&self) -> bool {
        matches!(self.of, Of::Number(_))
    }

    pub(in super::super) fn kind(&self) -> Kind {
        match self.of {
            Of::Number(_) => Kind::Float,
            Of::Row(_) => Kind::Optional,
            Of::Text(_) => Kind::Text,
        }
    }

    /// Its value in a row.
    pub(in super::super) fn value<'a>(&self, structure: &'a StructureInput, row: usize) -> Value<'a> {
        let of = of_rows(structure).get(row).and_then(Option::as_ref);
        match self.of {
            Of::Number(value) => Value::Float(of.map_or(f32::NAN, value)),
            Of::Row(value) => Value::Optional(of.and_then(value).map(|row| row as i32)),
            Of::Text(value) => Value::Text(of.map_or("", value)),
        }
    }

    /// Its value in a row, if that is a number; else NaN.
    pub(in super::super) fn number(&self, structure: &StructureInput, row: usize) -> f32 {
        match self.value(structure, row) {
            Value::Float(value) => value,
            _ => f32::NAN,
        }
    }
}

fn energy(bond: Option<(u32, f32)>) -> f32 {
    bond.map_or(f32::NAN, |bond| bond.1)
}
