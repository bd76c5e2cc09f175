//! Pairs and stacks of bases: whether candidates are one, and what is between them.
//!
//! What follows from one base alone (its plane, its nitrogens and oxygens, where their hydrogens can be) is prepared on the host, as
//! are the candidates, whose atoms are near. The rules are those of the kinds `base_pair` and `base_stack` (Leontis and Westhof 2001,
//! Lu et al. 2015, Gabb et al. 1996). Angles are compared by their cosines.

use crate::double::{Point, cosine, cross, distance, dot, minus, plus, times, unit};
use bytemuck::{Pod, Zeroable};
use cuda_layout::DeviceLayout;
use cuda_std::prelude::*;

/// Nitrogen and oxygen of a pair are no farther apart, in Å.
pub const CONTACT: f64 = 3.6;
/// A hydrogen bond: from the hydrogen to the acceptor, in Å, and the cosine of 120 degrees at the hydrogen.
const HYDROGEN: f64 = 2.5;
const AT_HYDROGEN: f64 = -0.5;
/// The height between two bases of a pair in Å, and the cosine of the 65 degrees between their planes.
const HEIGHT: f64 = 2.5;
const PLANES: f64 = 0.422_618_261_740_699_4;
/// Stacked bases: distance of the centres of rings in Å, the cosine of the 23 degrees between planes, and of the 40 degrees between normals
/// and the line of centres.
pub const STACKED: f64 = 4.5;
const STACKED_PLANES: f64 = 0.920_504_853_452_440_4;
const STACKED_SHIFT: f64 = 0.766_044_443_118_978;
/// The cosine and sine of the angle of a tetrahedron, 109.47 degrees.
const TETRAHEDRON: (f64, f64) = (-1.0 / 3.0, 0.942_809_041_582_063_4);

/// Candidates of a block.
pub const CANDIDATES_PER_BLOCK: u32 = 64;
/// The most nitrogens and oxygens of a base: one for each bit of [`TestedPair::contacts`].
pub const MOST_POLARS: usize = 64;

/// A base with its sugar.
#[derive(Clone, Copy, Debug, PartialEq, Zeroable, Pod, DeviceLayout)]
#[repr(C)]
pub struct Base {
    /// Of its plane. Those of two bases of a Watson-Crick pair oppose each other.
    pub normal: Point,
    /// The middle of the ring of six.
    pub origin: Point,
    /// From the base to the sugar, along the bond that joins them.
    pub to_sugar: Point,
    /// The middle of its rings.
    pub centre: Point,
    /// The centres of its rings: of six atoms, then of five.
    pub rings: [Point; 2],
    /// Its first polar atom.
    pub first: u32,
    /// The number of its polar atoms.
    pub polars: u32,
    /// The number of its rings.
    pub n_rings: u32,
    /// 1 if the file has its hydrogens, which then say where there is no bond; else 0.
    pub has_hydrogens: u32,
}

/// A nitrogen or oxygen of a base or its sugar.
#[derive(Clone, Copy, Debug, PartialEq, Zeroable, Pod, DeviceLayout)]
#[repr(C)]
pub struct Polar {
    /// Where it is, in Å.
    pub at: Point,
    /// The direction of its only bond, around which its hydrogen may turn, if it is [`CONE`](Self::CONE).
    pub axis: Point,
    /// The length of its bond to hydrogen in Å, if it is [`CONE`](Self::CONE) or [`FREE`](Self::FREE).
    pub length: f64,
    /// The first of the places where its hydrogens are.
    pub first: u32,
    /// The number of these places.
    pub places: u32,
    /// A set of the bits below.
    pub is: u32,
    /// Zero.
    pub padding: u32,
}

impl Polar {
    /// It has a hydrogen to give.
    pub const DONATES: u32 = 1;
    /// It has a free pair.
    pub const ACCEPTS: u32 = 2;
    /// It is of the base, not of the sugar.
    pub const OF_BASE: u32 = 4;
    /// Its hydrogen is anywhere on a cone.
    pub const CONE: u32 = 8;
    /// Its hydrogen is in any direction.
    pub const FREE: u32 = 16;
    /// It is on the Watson-Crick edge; the bits that follow are those of the Hoogsteen edge and of the sugar's.
    pub const EDGE: u32 = 32;

    #[inline(always)]
    fn has(&self, bit: u32) -> bool {
        self.is & bit != 0
    }
}

/// The edges of a base, in the order of their bits: Watson-Crick, Hoogsteen, sugar.
pub const EDGES: u32 = 3;

/// What two bases are.
#[derive(Clone, Copy, Debug, PartialEq, Zeroable, Pod, DeviceLayout)]
#[repr(C)]
pub struct TestedPair {
    /// For each base, the polar atoms of its contacts that count: of its hydrogen bonds with the other base, or of all contacts if there is none.
    pub contacts: [u64; 2],
    /// The cosine of the angle between the normals.
    pub cosine: f64,
    /// The distance of the middles in Å.
    pub distance: f64,
    /// The distance of the nearest centres of rings in Å.
    pub rings: f64,
    /// The number of hydrogen bonds.
    pub hydrogen_bonds: u32,
    /// The number of contacts.
    pub near: u32,
    /// For each base, its edge with the most contacts that count, from 1; 0 if none has any.
    pub edges: [u32; 2],
    /// A set of the bits below.
    pub is: u32,
    /// Zero.
    pub padding: u32,
}

impl TestedPair {
    /// The bases are a pair.
    pub const PAIR: u32 = 1;
    /// The bases are stacked.
    pub const STACK: u32 = 2;
    /// The sugars are on the same side of the line of centres.
    pub const CIS: u32 = 4;

    /// Whether it has a bit.
    #[inline(always)]
    #[must_use]
    pub fn has(&self, bit: u32) -> bool {
        self.is & bit != 0
    }
}

/// Tests candidates. Block `i` takes those of segment `i`.
///
/// - `output`: one for each candidate.
/// - `candidates`: two bases each.
/// - `polars`: the nitrogens and oxygens of all bases.
/// - `hydrogens`: the places of their hydrogens.
#[kernel(threads = 64)]
pub fn base_pairs(
    block: &mut Block,
    output: &mut Segment<TestedPair>,
    candidates: &[[u32; 2]],
    bases: &[Base],
    polars: &[Polar],
    hydrogens: &[Point],
) {
    let (first, n) = (output.start(), output.len());
    output.fill(block, n, |at| {
        let [a, b] = candidates.at(first + at);
        let inputs = Inputs { polars, hydrogens };
        inputs.tested(&bases.at(a), &bases.at(b))
    });
}

/// The place of a hydrogen as seen from a donor and an acceptor: the cosine of the angle at the hydrogen, and the distance to the acceptor in Å.
#[derive(Clone, Copy, Debug)]
pub struct Pointing {
    /// The cosine of the angle donor, hydrogen, acceptor.
    pub cosine: f64,
    /// The distance of hydrogen and acceptor.
    pub distance: f64,
}

impl Pointing {
    /// Of a donor, a hydrogen at a place, and an acceptor.
    #[inline(always)]
    #[must_use]
    pub fn of(donor: Point, place: Point, acceptor: Point) -> Self {
        Self { cosine: cosine(minus(donor, place), minus(acceptor, place)), distance: distance(place, acceptor) }
    }
}

/// The hydrogen at a donor that is nearest to a target, if it may be in any direction. `None` if both are at one place.
#[inline(always)]
#[must_use]
pub fn free(at: Point, length: f64, target: Point) -> Option<Point> {
    let towards = unit(minus(target, at))?;
    Some(plus(at, times(towards, length)))
}

/// The hydrogen on the cone around a bond, whose direction is `to`, that is nearest to a target.
#[inline(always)]
#[must_use]
pub fn cone(at: Point, to: Point, length: f64, target: Point) -> Option<Point> {
    let towards = unit(minus(target, at))?;
    let side = match unit(cross(cross(to, towards), to)) {
        Some(side) => side,
        None => match unit(cross(to, [1.0, 0.0, 0.0])) {
            Some(side) => side,
            None => unit(cross(to, [0.0, 1.0, 0.0]))?,
        },
    };
    let (along, across) = TETRAHEDRON;
    Some(plus(at, times(plus(times(to, along), times(side, across)), length)))
}

/// The polar atoms of all bases, and where their hydrogens are.
struct Inputs<'a> {
    polars: &'a [Polar],
    hydrogens: &'a [Point],
}

impl Inputs<'_> {
    /// Whether a donor's hydrogen that points best at an acceptor makes a bond.
    #[inline(always)]
    fn are_bound(&self, donor: &Polar, acceptor: &Polar) -> bool {
        if !(donor.has(Polar::DONATES) && acceptor.has(Polar::ACCEPTS)) {
            return false;
        }
        let (at, target) = (donor.at, acceptor.at);
        let mut best = Pointing { cosine: 2.0, distance: 0.0 };
        if donor.has(Polar::CONE) {
            if let Some(place) = cone(at, donor.axis, donor.length, target) {
                best = Pointing::of(at, place, target);
            }
        } else if donor.has(Polar::FREE) {
            if let Some(place) = free(at, donor.length, target) {
                best = Pointing::of(at, place, target);
            }
        } else {
            let mut place = 0;
            while place < donor.places {
                let pointing = Pointing::of(at, self.hydrogens.at(donor.first + place), target);
                if pointing.cosine <= best.cosine {
                    best = pointing;
                }
                place += 1;
            }
        }
        best.cosine <= AT_HYDROGEN && best.distance <= HYDROGEN
    }

    #[inline(always)]
    fn tested(&self, one: &Base, other: &Base) -> TestedPair {
        let contacts = self.contacts(one, other);
        let parallel = cosine(one.normal, other.normal);
        let tilt = if parallel < 0.0 { -parallel } else { parallel };
        let (rings, is_along) = lines(one, other);
        let is_stack = is_along && tilt > STACKED_PLANES;
        let counts = contacts.hydrogen_bonds > 0 || one.has_hydrogens + other.has_hydrogens == 0;
        let is_pair = contacts.near > 0 && counts && tilt >= PLANES && are_level(one, other) && !is_stack;
        let line = minus(other.centre, one.centre);
        let is_cis = dot(cross(line, one.to_sugar), cross(line, other.to_sugar)) >= 0.0;
        let mut is = if is_pair { TestedPair::PAIR } else { 0 };
        is |= if is_stack { TestedPair::STACK } else { 0 };
        is |= if is_cis { TestedPair::CIS } else { 0 };
        TestedPair {
            contacts: contacts.counted,
            cosine: parallel,
            distance: distance(one.centre, other.centre),
            rings,
            hydrogen_bonds: contacts.hydrogen_bonds,
            near: contacts.near,
            edges: [most(contacts.on[0]), most(contacts.on[1])],
            is,
            padding: 0,
        }
    }

    /// The contacts of two bases, or of a base and the other's sugar.
    #[inline(always)]
    fn contacts(&self, one: &Base, other: &Base) -> Contacts {
        let (mut bonds, mut all) = (Contacts::NONE, Contacts::NONE);
        let mut i = 0;
        while i < one.polars {
            let a = self.polars.at(one.first + i);
            let mut j = 0;
            while j < other.polars {
                let b = self.polars.at(other.first + j);
                if distance(a.at, b.at) <= CONTACT && (a.has(Polar::OF_BASE) || b.has(Polar::OF_BASE)) {
                    all.add(i, j, &a, &b);
                    if self.are_bound(&a, &b) || self.are_bound(&b, &a) {
                        bonds.add(i, j, &a, &b);
                    }
                }
                j += 1;
            }
            i += 1;
        }
        let counted = if bonds.near > 0 { bonds } else { all };
        Contacts { hydrogen_bonds: bonds.near, near: all.near, ..counted }
    }
}

/// Contacts of two bases.
#[derive(Clone, Copy)]
struct Contacts {
    counted: [u64; 2],
    /// For each base, the number of contacts of atoms on each edge, of ten bits each.
    on: [u32; 2],
    hydrogen_bonds: u32,
    near: u32,
}

/// The bits of a number of contacts: a base has at most 64 atoms, of which few are on an edge.
const COUNT_BITS: u32 = 10;
const COUNT: u32 = (1 << COUNT_BITS) - 1;

impl Contacts {
    const NONE: Self = Self { counted: [0; 2], on: [0; 2], hydrogen_bonds: 0, near: 0 };

    #[inline(always)]
    fn add(&mut self, i: u32, j: u32, a: &Polar, b: &Polar) {
        self.near += 1;
        self.counted[0] |= 1 << i;
        self.counted[1] |= 1 << j;
        self.on[0] += on_edges(a);
        self.on[1] += on_edges(b);
    }
}

/// One for each edge that an atom is on, as in [`Contacts`].
#[inline(always)]
fn on_edges(polar: &Polar) -> u32 {
    on_edge(polar, 0) + on_edge(polar, 1) + on_edge(polar, 2)
}

#[inline(always)]
fn on_edge(polar: &Polar, edge: u32) -> u32 {
    if polar.has(Polar::EDGE << edge) { 1 << (COUNT_BITS * edge) } else { 0 }
}

/// The edge with the most contacts, from 1; of equal ones the first. 0 if there is none.
#[inline(always)]
fn most(on: u32) -> u32 {
    let (mut best, mut most, mut edge) = (0, 0, 0);
    while edge < EDGES {
        let own = (on >> (COUNT_BITS * edge)) & COUNT;
        if own > most {
            (best, most) = (edge + 1, own);
        }
        edge += 1;
    }
    best
}

/// Whether the origins of two bases are at one height along the mean of the normals.
#[inline(always)]
fn are_level(one: &Base, other: &Base) -> bool {
    let side = if dot(one.normal, other.normal) < 0.0 { -1.0 } else { 1.0 };
    match unit(plus(one.normal, times(other.normal, side))) {
        Some(mean) => {
            let height = dot(minus(other.origin, one.origin), mean);
            (if height < 0.0 { -height } else { height }) <= HEIGHT
        }
        None => false,
    }
}

/// The distance of the nearest centres of rings of two bases, and whether all lines between near ones lie along both normals; not if there is none.
#[inline(always)]
fn lines(one: &Base, other: &Base) -> (f64, bool) {
    let (mut nearest2, mut near, mut along) = (f64::INFINITY, 0, 0);
    let mut i = 0;
    while i < one.n_rings {
        let mut j = 0;
        while j < other.n_rings {
            let line = minus(
                if j == 0 { other.rings[0] } else { other.rings[1] },
                if i == 0 { one.rings[0] } else { one.rings[1] },
            );
            let distance2 = dot(line, line);
            nearest2 = if distance2 < nearest2 { distance2 } else { nearest2 };
            if distance2 <= STACKED * STACKED {
                near += 1;
                let (a, b) = (cosine(one.normal, line), cosine(other.normal, line));
                let (a, b) = (if a < 0.0 { -a } else { a }, if b < 0.0 { -b } else { b });
                along += if a > STACKED_SHIFT && b > STACKED_SHIFT { 1 } else { 0 };
            }
            j += 1;
        }
        i += 1;
    }
    (cuda_std::math::f64::sqrt(nearest2), near > 0 && along == near)
}
