//! The bases of nucleotides: their planes, rings and edges.

use super::geometry::{Point, centroid, minus, normal, times};
use super::model::{Class, System};

/// The edge of a base (Leontis and Westhof 2001).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Edge {
    WatsonCrick,
    Hoogsteen,
    Sugar,
}

impl Edge {
    pub(super) const ALL: [Self; 3] = [Self::WatsonCrick, Self::Hoogsteen, Self::Sugar];

    /// Its letter in names of pairs.
    pub(super) fn letter(self) -> char {
        match self {
            Self::WatsonCrick => 'W',
            Self::Hoogsteen => 'H',
            Self::Sugar => 'S',
        }
    }
}

/// How a base is bound to its sugar, and so which edges its atoms are on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    /// By N9.
    Purine,
    /// By N1.
    Pyrimidine,
    /// By C5: pseudouridine.
    Turned,
}

/// The atoms of an edge.
fn atoms_of(kind: Kind, edge: Edge) -> &'static [&'static str] {
    match (kind, edge) {
        (Kind::Purine, Edge::WatsonCrick) => &["N1", "N2", "N6", "O6", "S6"],
        (Kind::Purine, Edge::Hoogsteen) => &["N6", "N7", "O6", "S6"],
        (Kind::Purine, Edge::Sugar) => &["N2", "N3", "O2'"],
        (_, Edge::WatsonCrick) => &["N3", "N4", "O2", "O4", "S2", "S4"],
        (Kind::Pyrimidine, Edge::Hoogsteen) => &["N4", "O4", "S4"],
        (Kind::Pyrimidine, Edge::Sugar) => &["O2", "O2'", "S2"],
        (Kind::Turned, Edge::Hoogsteen) => &["N1", "O2", "S2"],
        (Kind::Turned, Edge::Sugar) => &["O2'", "O4", "S4"],
    }
}

/// A base.
pub(super) struct Base {
    kind: Kind,
    pub(super) residue: u32,
    /// The centres of its rings: of six atoms, then of five.
    pub(super) rings: Vec<Point>,
    /// The atoms of its rings.
    pub(super) atoms: Box<[u32]>,
    /// Of its plane. Those of two bases of a Watson-Crick pair oppose each other.
    pub(super) normal: Point,
    /// The middle of the ring of six: of N1 and C4 of purines, N3 and C6 of pyrimidines (Lu et al. 1997).
    pub(super) origin: Point,
    /// From the base to the sugar, along the bond that joins them.
    pub(super) to_sugar: Point,
}

impl Base {
    /// The bases of a structure, in the order of their residues.
    pub(super) fn all(system: &System) -> Vec<Self> {
        let nucleotides = system.residues.iter().enumerate().filter(|(_, residue)| residue.class == Class::Nucleotide);
        nucleotides.filter_map(|(residue, _)| Self::of(system, residue as u32)).collect()
    }

    /// The base of a nucleotide; `None` if atoms of its ring of six, or its bond to the sugar, are missing.
    fn of(system: &System, residue: u32) -> Option<Self> {
        let atom = |name: &str| {
            let mut range = system.residues[residue as usize].range();
            range.find(|&atom| &*system.atoms[atom].name == name).map(|atom| atom as u32)
        };
        let all = |names: &[&str]| names.iter().map(|name| atom(name)).collect::<Option<Vec<u32>>>();
        let six = all(&["N1", "C2", "N3", "C4", "C5", "C6"])?;
        let five = all(&["N9", "C8", "N7", "C5", "C4"]);
        let sugar = atom("C1'")?;
        let ways = [("N9", Kind::Purine), ("N1", Kind::Pyrimidine), ("C5", Kind::Turned)];
        let (bound, kind) = ways.into_iter().find_map(|(name, kind)| {
            let bound = atom(name).filter(|&bound| system.bonds.are_bonded(bound, sugar))?;
            Some((bound, kind))
        })?;
        let points = |atoms: &[u32]| atoms.iter().map(|&atom| system.at(atom)).collect::<Vec<Point>>();
        let centre = centroid(&points(&six));
        let upward = normal(&points(&six), centre)?;
        let middle = |a: usize, b: usize| centroid(&[system.at(six[a]), system.at(six[b])]);
        Some(Self {
            kind,
            residue,
            rings: [centre].into_iter().chain(five.as_ref().map(|five| centroid(&points(five)))).collect(),
            atoms: six.iter().copied().chain(five.iter().flat_map(|five| five[..3].to_vec())).collect(),
            // The numbers of the atoms run the other way round in purines, as seen from the sugar.
            normal: if kind == Kind::Pyrimidine { upward } else { times(upward, -1.0) },
            origin: if kind == Kind::Purine { middle(0, 3) } else { middle(2, 5) },
            to_sugar: minus(system.at(sugar), system.at(bound)),
        })
    }

    /// The middle of its rings.
    pub(super) fn centre(&self) -> Point {
        centroid(&self.rings)
    }

    /// The edges on which an atom with a name is.
    pub(super) fn edges_of(&self, name: &str) -> impl Iterator<Item = Edge> {
        let kind = self.kind;
        let is_on = move |edge: &Edge| atoms_of(kind, *edge).contains(&name);
        Edge::ALL.into_iter().filter(is_on).collect::<Vec<_>>().into_iter()
    }
}
