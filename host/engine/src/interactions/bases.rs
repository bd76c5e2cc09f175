//! The bases of nucleotides: their planes, rings and edges, and what the kernel reads of them.

use super::elements::{N, O};
use super::geometry::{Point, centroid, minus, normal, times};
use super::hydrogens::Places;
use super::model::{Class, System};
use super::search::Search;
use kernels_gpu::bases::{self, MOST_POLARS, Polar};

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

    /// The bits of the edges on which an atom with a name is.
    fn edges_of(&self, name: &str) -> u32 {
        let bit = |(k, edge): (u32, Edge)| if atoms_of(self.kind, edge).contains(&name) { Polar::EDGE << k } else { 0 };
        (0..).zip(Edge::ALL).map(bit).sum()
    }
}

/// The bases of a structure as the kernel reads them.
#[derive(Default)]
pub(super) struct Prepared {
    pub(super) bases: Vec<bases::Base>,
    pub(super) polars: Vec<Polar>,
    pub(super) hydrogens: Vec<Point>,
    /// The atom of each polar one.
    pub(super) atoms: Vec<u32>,
    /// The number of bases whose further nitrogens and oxygens are not looked at.
    pub(super) cut: usize,
}

impl Prepared {
    pub(super) fn of(search: &Search, all: &[Base]) -> Self {
        let mut prepared = Self::default();
        for base in all {
            prepared.push(search, base);
        }
        prepared
    }

    fn push(&mut self, search: &Search, base: &Base) {
        let system = &search.system;
        let range = system.residues[base.residue as usize].range();
        let first = self.polars.len();
        let polar = range.clone().map(|atom| atom as u32).filter(|&atom| is_polar(system, atom));
        for atom in polar {
            if self.polars.len() - first == MOST_POLARS {
                self.cut += 1;
                break;
            }
            self.push_polar(search, base, atom);
        }
        let nowhere = [f64::NAN; 3];
        let [six, five] = [0, 1].map(|ring| base.rings.get(ring).copied().unwrap_or(nowhere));
        self.bases.push(bases::Base {
            normal: base.normal,
            origin: base.origin,
            to_sugar: base.to_sugar,
            centre: centroid(&base.rings),
            rings: [six, five],
            first: first as u32,
            polars: (self.polars.len() - first) as u32,
            n_rings: base.rings.len() as u32,
            has_hydrogens: range.into_iter().any(|atom| !system.hydrogens_of(atom as u32).is_empty()).into(),
        });
    }

    fn push_polar(&mut self, search: &Search, base: &Base, atom: u32) {
        let (chemistry, name) = (search.chemistry[atom as usize], &*search.system.atoms[atom as usize].name);
        let places = if chemistry.donates { Places::of(&search.system, chemistry.hydrogens, atom) } else { None };
        let bit = |has: bool, bit: u32| if has { bit } else { 0 };
        let mut polar = Polar {
            at: search.system.at(atom),
            axis: [0.0; 3],
            length: 0.0,
            first: self.hydrogens.len() as u32,
            places: 0,
            is: bit(places.is_some(), Polar::DONATES)
                | bit(chemistry.accepts, Polar::ACCEPTS)
                | bit(!name.ends_with('\''), Polar::OF_BASE)
                | base.edges_of(name),
            padding: 0,
        };
        match places {
            Some(Places::At(places)) => {
                polar.places = places.len() as u32;
                self.hydrogens.extend(places);
            }
            Some(Places::Cone(axis, length)) => {
                (polar.axis, polar.length) = (axis, length);
                polar.is |= Polar::CONE;
            }
            Some(Places::Free(length)) => {
                polar.length = length;
                polar.is |= Polar::FREE;
            }
            None => {}
        }
        self.polars.push(polar);
        self.atoms.push(atom);
    }
}

/// Whether an atom of a nucleotide is a nitrogen or oxygen of the base or sugar, not of the chain.
pub(super) fn is_polar(system: &System, atom: u32) -> bool {
    let is_of_chain = |name: &str| matches!(name, "O5'" | "OP1" | "OP2" | "OP3");
    [N, O].contains(&system.element(atom)) && !is_of_chain(&system.atoms[atom as usize].name)
}
