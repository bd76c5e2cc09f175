//! Heavy-atom columns from their definitions, over all pairs of atoms, in f64.
//!
//! If rounding decides a count, its lower and upper bounds are known, and so are those of derived values. The expected
//! value is the middle of the interval, and half the interval is part of its tolerance.

use crate::expected::Expected;
use prism_host::StructureInput;
use prism_host::engine::sphere_points;
use shared_types::RESIDUES;
use shared_types::feature::column;
use std::f64::consts::PI;
use std::ops::Range;
use tests::vector::{length, minus};

/// Radius of the probe in Å.
const PROBE: f64 = 1.4;

/// The possible values of a number.
#[derive(Clone, Copy, Debug, Default)]
struct Interval {
    low: f64,
    high: f64,
}

impl Interval {
    fn count(&mut self, certain: bool, possible: bool) {
        self.low += f64::from(u8::from(certain));
        self.high += f64::from(u8::from(possible));
    }

    /// Applies an increasing or decreasing function.
    fn map(self, f: impl Fn(f64) -> f64) -> Self {
        let (a, b) = (f(self.low), f(self.high));
        Self { low: a.min(b), high: a.max(b) }
    }

    fn plus(self, other: Self) -> Self {
        Self { low: self.low + other.low, high: self.high + other.high }
    }

    fn expected(self, column: usize, tolerance: f64) -> Expected {
        let value = Some((self.low + self.high) / 2.0);
        Expected { column, value, tolerance: tolerance + (self.high - self.low) / 2.0, periodic: false }
    }
}

#[derive(Clone, Copy)]
struct Atom {
    place: [f64; 3],
    radius: f64,
    row: usize,
    chain: u32,
}

impl Atom {
    fn distance(&self, other: &Self) -> f64 {
        let ([ax, ay, az], [bx, by, bz]) = (self.place, other.place);
        ((ax - bx) * (ax - bx) + (ay - by) * (ay - by) + (az - bz) * (az - bz)).sqrt()
    }
}

/// The heavy atoms of a structure.
pub struct Atoms {
    atoms: Vec<Atom>,
    rows: Vec<Range<usize>>,
    kinds: Vec<usize>,
    points: Vec<[f64; 3]>,
    /// Distance in Å from a limit within which rounding decides.
    margin: f64,
    /// Number of exposed test points on each atom.
    exposed: Vec<Interval>,
}

impl Atoms {
    pub fn new(structure: &StructureInput, points: u32, margin: f64) -> Self {
        let rows: Vec<Range<usize>> =
            structure.residue_atoms.windows(2).map(|ends| ends[0] as usize..ends[1] as usize).collect();
        let atom = |i: usize, row: usize| {
            let atom = structure.atoms[i];
            let place = [atom.x, atom.y, atom.z].map(f64::from);
            Atom { place, radius: f64::from(atom.radius), row, chain: structure.chain_ids[row] }
        };
        let atoms = rows.iter().enumerate().flat_map(|(row, own)| own.clone().map(move |i| atom(i, row))).collect();
        let points = sphere_points(points).iter().map(|point| point.map(f64::from)).collect();
        let kinds = structure.residue_types.iter().map(|&kind| usize::from(kind)).collect();
        let mut atoms = Self { atoms, rows, kinds, points, margin, exposed: Vec::new() };
        atoms.exposed = (0..atoms.atoms.len()).map(|i| atoms.exposed_points(i)).collect();
        atoms
    }

    fn exposed_points(&self, i: usize) -> Interval {
        let atom = self.atoms[i];
        let reach = atom.radius + PROBE;
        let near: Vec<&Atom> = (0..self.atoms.len())
            .filter(|&j| j != i)
            .map(|j| &self.atoms[j])
            .filter(|other| atom.distance(other) < reach + other.radius + PROBE + self.margin)
            .collect();
        // Of spheres around one point, the larger one covers the smaller, and equal ones do not cover each other.
        if near.iter().any(|other| other.place == atom.place && other.radius > atom.radius) {
            return Interval::default();
        }
        let mut exposed = Interval::default();
        for point in &self.points {
            let place = [0, 1, 2].map(|axis| atom.place[axis] + reach * point[axis]);
            // Distance outside of the nearest sphere.
            let outside = near
                .iter()
                .filter(|other| other.place != atom.place)
                .map(|other| length(minus(place, other.place)) - other.radius - PROBE)
                .fold(f64::INFINITY, f64::min);
            exposed.count(outside > self.margin, outside > -self.margin);
        }
        exposed
    }

    /// Number of atoms within `limit`, including the atom itself.
    fn atoms_within(&self, i: usize, limit: f64) -> Interval {
        let mut count = Interval::default();
        for other in &self.atoms {
            let off = self.atoms[i].distance(other) - limit;
            count.count(off < -self.margin, off <= self.margin);
        }
        count
    }

    /// Distance to the nearest exposed atom; `None` if there is none within 40 Å.
    fn depth(&self, i: usize) -> Option<Interval> {
        if self.exposed[i].low > 0.0 {
            return Some(Interval::default());
        }
        let nearest = |open: &dyn Fn(&Interval) -> bool| {
            let others = (0..self.atoms.len()).filter(|&j| open(&self.exposed[j]));
            others.map(|j| self.atoms[i].distance(&self.atoms[j])).min_by(f64::total_cmp)
        };
        let low = nearest(&|exposed| exposed.high > 0.0).filter(|low| *low <= 40.0)?;
        Some(Interval { low, high: nearest(&|exposed| exposed.low > 0.0).unwrap_or(low) })
    }

    fn contacts(&self, row: usize) -> Interval {
        let own = &self.atoms[self.rows[row].clone()];
        let mut contacts = Interval::default();
        for other in &self.atoms {
            let apart = other.row.abs_diff(row) >= 2 || own.first().is_some_and(|atom| atom.chain != other.chain);
            if apart {
                let off = own.iter().map(|atom| atom.distance(other) - 4.5).fold(f64::INFINITY, f64::min);
                contacts.count(off < -self.margin, off <= self.margin);
            }
        }
        contacts
    }

    /// Columns of a residue that count atoms within a distance, if rounding decides one.
    pub fn doubtful_counts(&self, row: usize) -> Vec<usize> {
        let doubtful = |counts: &Interval| counts.low < counts.high;
        let mut columns = Vec::new();
        if self.rows[row].clone().any(|i| doubtful(&self.atoms_within(i, 10.0))) {
            columns.push(column::CX);
        }
        if doubtful(&self.contacts(row)) {
            columns.push(column::ATOMIC_CONTACTS);
        }
        columns
    }

    /// Accessible area of an atom in Å^2.
    fn area(&self, i: usize) -> Interval {
        let reach = self.atoms[i].radius + PROBE;
        self.exposed[i].map(|count| 4.0 * PI * reach * reach * count / self.points.len() as f64)
    }

    /// Accessible area of all residues.
    pub fn whole_area(&self) -> Expected {
        let all = (0..self.atoms.len()).map(|i| self.area(i)).fold(Interval::default(), Interval::plus);
        all.expected(column::SASA, 2e-6 * all.high)
    }

    /// A residue's columns, given the expected `velocity_local`.
    pub fn row(&self, row: usize, velocity: Expected) -> Vec<Expected> {
        let own = self.rows[row].clone();
        let sum = |of: &dyn Fn(usize) -> Interval| own.clone().map(of).fold(Interval::default(), Interval::plus);
        let area = sum(&|i| self.area(i));
        let apolar = sum(&|i| if is_apolar(self.atoms[i].radius) { self.area(i) } else { Interval::default() });
        let largest = f64::from(RESIDUES[self.kinds[row]].max_area);
        let relative = area.map(|area| area / largest);
        let none = |column| Expected { column, value: None, tolerance: 0.0, periodic: false };
        let mut columns = vec![
            area.expected(column::SASA, 1e-6 * area.high),
            if largest.is_nan() { none(column::RSA) } else { relative.expected(column::RSA, 1e-6 * relative.high) },
            apolar.expected(column::SASA_APOLAR, 1e-6 * apolar.high),
            self.contacts(row).expected(column::ATOMIC_CONTACTS, 0.0),
        ];

        let count = own.len() as f64;
        let sphere = 4.0 / 3.0 * PI * 1000.0;
        let protrusion = |i| self.atoms_within(i, 10.0).map(|n| (sphere - 20.1 * n) / (20.1 * n));
        let mean = sum(&protrusion).map(|sum| sum / count);
        columns.push(match own.is_empty() {
            true => none(column::CX),
            false => mean.expected(column::CX, 1e-6 * (1.0 + mean.high)),
        });
        let depths: Option<Vec<Interval>> = own.clone().map(|i| self.depth(i)).collect();
        columns.push(match depths.filter(|depths| !depths.is_empty()) {
            None => none(column::DEPTH),
            Some(depths) => {
                let mean = depths.into_iter().fold(Interval::default(), Interval::plus).map(|sum| sum / count);
                mean.expected(column::DEPTH, 1e-6 * mean.high)
            }
        });
        let exposed = relative.map(|relative| relative.min(1.0));
        columns.push(match velocity.value.filter(|_| !largest.is_nan()) {
            None => none(column::EXPOSED_VELOCITY),
            Some(value) => exposed
                .map(|exposed| exposed * value)
                .expected(column::EXPOSED_VELOCITY, exposed.high * velocity.tolerance + 1e-6 * value.abs()),
        });
        columns
    }
}

/// Whether a radius is that of carbon or sulfur in ProtOr's table.
fn is_apolar(radius: f64) -> bool {
    [1.61, 1.76, 1.88, 1.77].iter().any(|known| (radius - known).abs() < 1e-6)
}
