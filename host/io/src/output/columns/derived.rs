//! Columns that CPU cores compute of a structure when a writer asks for them.

use super::super::value::{Kind, Value};
use prism_engine::dssp::{self, DsspRow};
use prism_engine::residue_frames::{self, ResidueFrame};
use prism_engine::{residue_depth, three_di};
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
    Number(fn(Place<'_>) -> f32),
    Row(fn(Place<'_>) -> Option<u32>),
    Text(for<'a> fn(Place<'a>) -> &'a str),
}

/// A row of a structure.
#[derive(Clone, Copy, Debug)]
struct Place<'a> {
    structure: &'a StructureInput,
    row: usize,
}

impl<'a> Place<'a> {
    fn dssp(self) -> Option<&'a DsspRow> {
        dssp::of_rows(self.structure).get(self.row)?.as_ref()
    }

    /// A hydrogen bond by DSSP.
    fn bond(self, of: impl Fn(&DsspRow) -> Option<(u32, f32)>) -> Option<(u32, f32)> {
        self.dssp().and_then(of)
    }

    fn frame(self, of: impl Fn(&ResidueFrame) -> f64) -> f32 {
        let frame = residue_frames::of_rows(self.structure).get(self.row).and_then(Option::as_ref);
        frame.map_or(f32::NAN, |frame| of(frame) as f32)
    }

    fn three_di(self) -> Option<three_di::ThreeDi> {
        three_di::of_rows(self.structure).get(self.row).copied().flatten()
    }

    fn depth(self, of: impl Fn(&residue_depth::ResidueDepth) -> f32) -> f32 {
        residue_depth::of_rows(self.structure).get(self.row).map_or(f32::NAN, of)
    }
}

impl PartialEq for DerivedColumn {
    fn eq(&self, other: &Self) -> bool {
        self.name == other.name
    }
}

impl Eq for DerivedColumn {}

const KABSCH: &str = "Kabsch & Sander 1983; mkdssp 4";

const PROTEIN_MPNN: &str = "Dauparas et al. 2022, Science 378:49";
const ALPHAFOLD: &str = "Jumper et al. 2021, Nature 596:583, supplement, algorithm 21";
const FOLDSEEK: &str = "van Kempen et al. 2024, Nat Biotechnol 42:243; mini3di 0.2.1";
const DEPTH: &str = "Chakravarty & Varadarajan 1999, Structure 7:723";

macro_rules! virtual_cb {
    () => {
        "the virtual beta carbon in the file's frame: CA - 0.58273431 a + 0.56802827 b - 0.54067466 c with b = CA - N, c = C - CA and \
         a = b x c; undefined without N, CA or C"
    };
}
macro_rules! e1 {
    () => {
        "the local frame's first axis, from CA to C, a unit vector in the file's frame (origin CA; e1, e2, e3 are the columns of the \
         rotation from local to the file's coordinates); undefined without N, CA or C"
    };
}
macro_rules! e2 {
    () => {
        "the local frame's second axis, perpendicular to the first one, on N's side of it in the plane of N, CA and C"
    };
}
macro_rules! e3 {
    () => {
        "the local frame's third axis, e1 x e2"
    };
}

const fn column(
    name: &'static str,
    unit: &'static str,
    definition: &'static str,
    source: &'static str,
    of: Of,
) -> DerivedColumn {
    DerivedColumn { name, unit, definition, source, of }
}

const fn dssp(name: &'static str, unit: &'static str, definition: &'static str, of: Of) -> DerivedColumn {
    column(name, unit, definition, KABSCH, of)
}

impl DerivedColumn {
    /// All of them.
    pub const ALL: &'static [Self] = &[
        dssp(
            "dssp_accessibility",
            "Å^2",
            "accessible surface by DSSP's radii (N 1.65, CA 1.87, C 1.76, O 1.4, others 1.8 Å), a probe of 1.4 Å and 401 points, among \
             amino acids with N, CA, C and O: ACC of a .dssp file, before it is rounded; undefined where one of these atoms is missing",
            Of::Number(|at| at.dssp().map_or(f32::NAN, |row| row.accessibility)),
        ),
        dssp(
            "dssp_bp1_row",
            "",
            "row of the first bridge partner (BP1); undefined if there is none",
            Of::Row(|at| at.dssp()?.partners[0]),
        ),
        dssp(
            "dssp_bp2_row",
            "",
            "row of the second bridge partner (BP2); undefined if there is none",
            Of::Row(|at| at.dssp()?.partners[1]),
        ),
        dssp(
            "dssp_ladder1",
            "",
            "label of the first bridge's ladder, A, B, .. AA: a small letter if strands are parallel; empty if there is none",
            Of::Text(|at| at.dssp().map_or("", |row| &row.ladders[0])),
        ),
        dssp(
            "dssp_ladder2",
            "",
            "label of the second bridge's ladder; empty if there is none",
            Of::Text(|at| at.dssp().map_or("", |row| &row.ladders[1])),
        ),
        dssp(
            "dssp_sheet",
            "",
            "label of the residue's sheet; empty if it is in none",
            Of::Text(|at| at.dssp().map_or("", |row| &row.sheet)),
        ),
        dssp(
            "dssp_nh_o_1_row",
            "",
            "row whose O has the strongest hydrogen bond from this N-H (N-H-->O); undefined if there is none",
            Of::Row(|at| at.bond(|row| row.acceptors[0]).map(|bond| bond.0)),
        ),
        dssp(
            "dssp_nh_o_1_energy",
            "kcal/mol",
            "its energy; below -0.5 it is a bond; undefined if there is none",
            Of::Number(|at| energy(at.bond(|row| row.acceptors[0]))),
        ),
        dssp(
            "dssp_nh_o_2_row",
            "",
            "row whose O has the second strongest hydrogen bond from this N-H; undefined if there is none",
            Of::Row(|at| at.bond(|row| row.acceptors[1]).map(|bond| bond.0)),
        ),
        dssp(
            "dssp_nh_o_2_energy",
            "kcal/mol",
            "its energy; undefined if there is none",
            Of::Number(|at| energy(at.bond(|row| row.acceptors[1]))),
        ),
        dssp(
            "dssp_o_nh_1_row",
            "",
            "row whose N-H has the strongest hydrogen bond to this O (O-->H-N); undefined if there is none",
            Of::Row(|at| at.bond(|row| row.donors[0]).map(|bond| bond.0)),
        ),
        dssp(
            "dssp_o_nh_1_energy",
            "kcal/mol",
            "its energy; below -0.5 it is a bond; undefined if there is none",
            Of::Number(|at| energy(at.bond(|row| row.donors[0]))),
        ),
        dssp(
            "dssp_o_nh_2_row",
            "",
            "row whose N-H has the second strongest hydrogen bond to this O; undefined if there is none",
            Of::Row(|at| at.bond(|row| row.donors[1]).map(|bond| bond.0)),
        ),
        dssp(
            "dssp_o_nh_2_energy",
            "kcal/mol",
            "its energy; undefined if there is none",
            Of::Number(|at| energy(at.bond(|row| row.donors[1]))),
        ),
        column(
            "virtual_cb_x",
            "Å",
            concat!("x of ", virtual_cb!()),
            PROTEIN_MPNN,
            Of::Number(|at| at.frame(|frame| frame.virtual_cb[0])),
        ),
        column(
            "virtual_cb_y",
            "Å",
            concat!("y of ", virtual_cb!()),
            PROTEIN_MPNN,
            Of::Number(|at| at.frame(|frame| frame.virtual_cb[1])),
        ),
        column(
            "virtual_cb_z",
            "Å",
            concat!("z of ", virtual_cb!()),
            PROTEIN_MPNN,
            Of::Number(|at| at.frame(|frame| frame.virtual_cb[2])),
        ),
        column(
            "frame_e1_x",
            "",
            concat!("x of ", e1!()),
            ALPHAFOLD,
            Of::Number(|at| at.frame(|frame| frame.axes[0][0])),
        ),
        column(
            "frame_e1_y",
            "",
            concat!("y of ", e1!()),
            ALPHAFOLD,
            Of::Number(|at| at.frame(|frame| frame.axes[0][1])),
        ),
        column(
            "frame_e1_z",
            "",
            concat!("z of ", e1!()),
            ALPHAFOLD,
            Of::Number(|at| at.frame(|frame| frame.axes[0][2])),
        ),
        column(
            "frame_e2_x",
            "",
            concat!("x of ", e2!()),
            ALPHAFOLD,
            Of::Number(|at| at.frame(|frame| frame.axes[1][0])),
        ),
        column(
            "frame_e2_y",
            "",
            concat!("y of ", e2!()),
            ALPHAFOLD,
            Of::Number(|at| at.frame(|frame| frame.axes[1][1])),
        ),
        column(
            "frame_e2_z",
            "",
            concat!("z of ", e2!()),
            ALPHAFOLD,
            Of::Number(|at| at.frame(|frame| frame.axes[1][2])),
        ),
        column(
            "frame_e3_x",
            "",
            concat!("x of ", e3!()),
            ALPHAFOLD,
            Of::Number(|at| at.frame(|frame| frame.axes[2][0])),
        ),
        column(
            "frame_e3_y",
            "",
            concat!("y of ", e3!()),
            ALPHAFOLD,
            Of::Number(|at| at.frame(|frame| frame.axes[2][1])),
        ),
        column(
            "frame_e3_z",
            "",
            concat!("z of ", e3!()),
            ALPHAFOLD,
            Of::Number(|at| at.frame(|frame| frame.axes[2][2])),
        ),
        column(
            "three_di",
            "",
            "letter of foldseek's 3Di alphabet, those of a chain in order as foldseek has them: D also where it is undefined, which is at \
             both ends of a chain and beside missing N, CA or C; empty without an alpha carbon",
            FOLDSEEK,
            Of::Text(|at| at.three_di().map_or("", |own| own.letter)),
        ),
        column(
            "three_di_partner_row",
            "",
            "row of the residue whose surroundings the letter describes: the one of the chain whose virtual centre is nearest; undefined \
             where the letter is",
            FOLDSEEK,
            Of::Row(|at| at.three_di()?.partner),
        ),
        column(
            "residue_depth",
            "Å",
            "mean over the residue's heavy atoms of the least distance to the solvent-excluded surface (probe 1.5 Å, radii of sasa; without \
             surfaces of cavities): ResidueDepth of Biopython with MSMS; undefined for chains of alpha carbons or backbones alone",
            DEPTH,
            Of::Number(|at| at.depth(|depth| depth.mean)),
        ),
        column(
            "ca_depth",
            "Å",
            "least distance of the alpha carbon to that surface; undefined without one",
            DEPTH,
            Of::Number(|at| at.depth(|depth| depth.ca)),
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
        let at = Place { structure, row };
        match self.of {
            Of::Number(value) => Value::Float(value(at)),
            Of::Row(value) => Value::Optional(value(at).map(|row| row as i32)),
            Of::Text(value) => Value::Text(value(at)),
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
