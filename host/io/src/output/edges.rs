//! Edges of residues, with attributes for networks.

use super::ahead::Ahead;
use super::relations::{STRUCTURE, Value, float, int, push, text};
use super::{Cells, OutputError, Relation, RelationColumn, StructureRows};
use prism_engine::contacts::{Edge, EdgeKind, EdgeRules, edges_by, ladder};
use prism_engine::residue_frames;
use prism_read::structure::StructureInput;
use std::sync::LazyLock;

/// Pairs of residues, one per line, sorted by rows. It needs no feature.
///
/// [`prism_engine::contacts::edges`] computes the lines and has an example.
#[derive(Clone, Debug)]
pub struct EdgesRelation {
    /// The numbers in the rules.
    pub rules: EdgeRules,
    /// Which edges.
    pub kinds: Vec<EdgeKind>,
    columns: &'static [RelationColumn],
    attributes: Vec<EdgeAttribute>,
    /// Whether lines name residues by chain, number, insertion code and name, not by rows.
    named: bool,
    ahead: Ahead<Vec<Edge>>,
}

/// The last columns of edges.
const EDGE_COLUMNS: [RelationColumn; 4] = [
    float(
        "distance",
        "Å",
        "distance of the alpha carbons, of the nearest heavy atoms (kind atom), or of N and O (hbond_backbone)",
    ),
    text("kind", "what makes the edge: prism edges --explain KIND"),
    float("energy", "kcal/mol", "DSSP's energy of the hydrogen bond; undefined for other kinds than hbond_backbone"),
    text(
        "ladder",
        "DSSP's label of the bridge's ladder, a small letter if strands are parallel; empty for other kinds than bridge",
    ),
];

impl EdgesRelation {
    /// Edges of these kinds. `named` lines name residues by chain, number, insertion code and name, not by rows. Where DSSP's kinds are
    /// among them, lines have energies and ladders.
    #[must_use]
    pub fn new(rules: EdgeRules, kinds: Vec<EdgeKind>, named: bool) -> Self {
        let (columns, attributes) = (columns_of(named, &kinds, &[]), Vec::new());
        Self { rules, kinds, columns, attributes, named, ahead: Ahead::default() }
    }

    /// The same with attributes, in the order of [`EdgeAttribute::ALL`].
    ///
    /// ```
    /// use prism_engine::contacts::{EdgeKind, EdgeRules};
    /// use prism_io::output::{EdgeAttribute, EdgesRelation, Relation};
    ///
    /// let edges = EdgesRelation::new(EdgeRules::default(), vec![EdgeKind::Nearest], false);
    /// let names = edges.with_attributes(&[EdgeAttribute::Radial]).columns().iter().map(|column| column.name);
    /// assert_eq!(names.skip(3).take(4).collect::<Vec<_>>(), ["distance", "kind", "rbf_1", "rbf_2"]);
    /// ```
    #[must_use]
    pub fn with_attributes(mut self, attributes: &[EdgeAttribute]) -> Self {
        self.attributes = EdgeAttribute::ALL.into_iter().filter(|own| attributes.contains(own)).collect();
        self.columns = columns_of(self.named, &self.kinds, &self.attributes);
        self
    }

    /// Which one of [`every`](Self::every) is by rows and has all other columns.
    pub(super) const WHOLE: usize = 0b111;

    /// The columns of every table of edges that there can be.
    pub(super) fn every() -> impl Iterator<Item = &'static [RelationColumn]> {
        EDGES.iter().map(Vec::as_slice)
    }

    /// The edges of a structure.
    pub(super) fn edges(&self, structure: &StructureInput) -> Vec<Edge> {
        edges_by(structure, &self.rules, &self.kinds)
    }

    /// The values of an edge's attributes, in the order of the columns.
    fn attributes<'a>(&self, part: &StructureRows<'_>, edge: &Edge) -> Vec<Value<'a>> {
        let of = |attribute: &EdgeAttribute| match attribute {
            EdgeAttribute::Radial => radial(edge.distance).to_vec(),
            EdgeAttribute::Frame => relative(part, edge).to_vec(),
        };
        self.attributes.iter().flat_map(of).map(Value::Float).collect()
    }
}

/// Further columns of edges, as networks take them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EdgeAttribute {
    /// Radial basis functions of the distance.
    Radial,
    /// Where the second residue is in the frame of the first one, and how it is turned.
    Frame,
}

impl EdgeAttribute {
    /// All of them.
    pub const ALL: [Self; 2] = [Self::Radial, Self::Frame];

    /// Its name on the command line.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Radial => "rbf",
            Self::Frame => "frame",
        }
    }

    /// The rule of its values.
    #[must_use]
    pub const fn rule(self) -> &'static str {
        match self {
            Self::Radial => {
                "16 Gaussians of the distance, exp(-((distance - centre) / 1.25 Å)^2), with centres from 2 to 22 Å, 4/3 Å apart"
            }
            Self::Frame => {
                "the alpha carbon of the second residue in the local frame of the first one, and the quaternion of the turn from the \
                 frame of the first residue to that of the second one (prism features --explain frame_e1_x has the frames)"
            }
        }
    }

    /// The source of the rule.
    #[must_use]
    pub const fn source(self) -> &'static str {
        match self {
            Self::Radial => "ProteinMPNN: Dauparas et al. 2022, Science 378:49",
            Self::Frame => "frames: Jumper et al. 2021, Nature 596:583, supplement, algorithm 21",
        }
    }

    const fn columns(self) -> &'static [RelationColumn] {
        match self {
            Self::Radial => &RADIAL,
            Self::Frame => &FRAME,
        }
    }
}

macro_rules! radial {
    ($number:literal, $centre:literal) => {
        float(
            concat!("rbf_", $number),
            "",
            concat!("with --attributes rbf: exp(-((distance - ", $centre, ") / 1.25)^2), distance in Å"),
        )
    };
}

const RADIAL: [RelationColumn; 16] = [
    radial!(1, "2"),
    radial!(2, "3.333"),
    radial!(3, "4.667"),
    radial!(4, "6"),
    radial!(5, "7.333"),
    radial!(6, "8.667"),
    radial!(7, "10"),
    radial!(8, "11.333"),
    radial!(9, "12.667"),
    radial!(10, "14"),
    radial!(11, "15.333"),
    radial!(12, "16.667"),
    radial!(13, "18"),
    radial!(14, "19.333"),
    radial!(15, "20.667"),
    radial!(16, "22"),
];

const FRAME: [RelationColumn; 7] = [
    float(
        "local_x",
        "Å",
        "with --attributes frame: x of the second alpha carbon in the local frame of the first residue; undefined where N, CA or C is \
         missing",
    ),
    float("local_y", "Å", "the same of y"),
    float("local_z", "Å", "the same of z"),
    float(
        "turn_w",
        "",
        "with --attributes frame: w, at least 0, of the unit quaternion that turns the first residue's frame into the second one's, in \
         coordinates of the first; undefined where N, CA or C of either is missing",
    ),
    float("turn_x", "", "x of that quaternion"),
    float("turn_y", "", "y of that quaternion"),
    float("turn_z", "", "z of that quaternion"),
];

/// The centres of Gaussians begin at 2 Å, and are so far apart.
const APART: f64 = 20.0 / 15.0;
const WIDTH: f64 = 1.25;

fn radial(distance: f32) -> [f32; 16] {
    let from = |number: usize| (f64::from(distance) - 2.0 - number as f64 * APART) / WIDTH;
    std::array::from_fn(|number| (-from(number).powi(2)).exp() as f32)
}

fn relative(part: &StructureRows<'_>, edge: &Edge) -> [f32; 7] {
    let frames = residue_frames::of_rows(part.structure);
    let [own, other] = [edge.row_i, edge.row_j].map(|row| frames[row as usize].as_ref());
    match (own, other) {
        (Some(own), Some(other)) => {
            let ([x, y, z], [w, i, j, k]) = (own.local(other.origin), own.turn(other));
            [x, y, z, w, i, j, k].map(|value| value as f32)
        }
        _ => [f32::NAN; 7],
    }
}

/// Whether there are columns of DSSP's kinds.
fn is_of_dssp(kinds: &[EdgeKind]) -> bool {
    kinds.iter().any(|kind| matches!(kind, EdgeKind::BackboneBond | EdgeKind::Bridge))
}

fn columns_of(named: bool, kinds: &[EdgeKind], attributes: &[EdgeAttribute]) -> &'static [RelationColumn] {
    let given = EdgeAttribute::ALL.map(|own| attributes.contains(&own));
    let bits = [named, is_of_dssp(kinds), given[0], given[1]];
    &EDGES[bits.into_iter().fold(0, |index, bit| 2 * index + usize::from(bit))]
}

/// The columns of edges by rows, and by names; of each without and with those of DSSP's kinds; of each without and with those of each
/// attribute.
static EDGES: LazyLock<Vec<Vec<RelationColumn>>> = LazyLock::new(|| {
    const ROWS: &[RelationColumn] = &[
        STRUCTURE,
        int("row_i", "row of the first residue in its structure, from 0"),
        int("row_j", "row of the second residue, larger than row_i but for knn and hbond_backbone"),
    ];
    const NAMES: &[RelationColumn] = &[
        STRUCTURE,
        text("chain_a", "author chain id of the first residue"),
        int("resnum_a", "the author's number of the first residue"),
        text("icode_a", "insertion code of the first residue, usually empty"),
        text("resname_a", "name of the first residue"),
        text("chain_b", "author chain id of the second residue"),
        int("resnum_b", "the author's number of the second residue"),
        text("icode_b", "insertion code of the second residue, usually empty"),
        text("resname_b", "name of the second residue"),
    ];
    let with = |before: Vec<Vec<RelationColumn>>, more: &[RelationColumn]| -> Vec<Vec<RelationColumn>> {
        before.into_iter().flat_map(|own| [own.clone(), [own, more.to_vec()].concat()]).collect()
    };
    let (always, of_dssp) = EDGE_COLUMNS.split_at(2);
    let ends = [ROWS, NAMES].map(|ends| [ends, always].concat()).to_vec();
    EdgeAttribute::ALL.into_iter().fold(with(ends, of_dssp), |before, own| with(before, own.columns()))
});

impl Relation for EdgesRelation {
    fn columns(&self) -> &'static [RelationColumn] {
        self.columns
    }

    fn prepare(&mut self, parts: &[StructureRows<'_>]) {
        self.ahead.compute(parts, |part| edges_by(part.structure, &self.rules, &self.kinds));
    }

    fn append(&mut self, part: &StructureRows<'_>, cells: &mut [Cells]) -> Result<(), OutputError> {
        let structure = part.structure;
        for edge in self.ahead.next(|| edges_by(structure, &self.rules, &self.kinds)) {
            let mut line = vec![Value::Text(&structure.name)];
            for row in [edge.row_i, edge.row_j].map(|row| row as usize) {
                match self.named {
                    false => line.push(Value::Int(row)),
                    true => line.extend([
                        Value::Text(part.chain(row)),
                        Value::Signed(structure.residue_numbers[row]),
                        Value::Text(&structure.insertion_codes[row]),
                        Value::Text(part.resname(row)),
                    ]),
                }
            }
            line.extend([Value::Float(edge.distance), Value::Text(edge.kind.name())]);
            if is_of_dssp(&self.kinds) {
                line.extend([Value::Float(edge.energy), Value::Text(ladder(structure, &edge))]);
            }
            line.extend(self.attributes(part, &edge));
            push(cells, &line);
        }
        Ok(())
    }
}
