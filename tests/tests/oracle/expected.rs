//! All columns from their definitions, over all pairs, in f64.

use crate::graph::Graph;
use crate::residues::*;
use shared_types::RESIDUES;
use shared_types::feature::column;
use tests::vector::{cross, dot, length, minus, plus, unit};

/// A value of a residue that may be missing.
type Given = fn(&Residue) -> Option<f64>;

/// The expected value of a column.
#[derive(Clone, Copy, Debug)]
pub struct Expected {
    pub column: usize,
    /// `None` is NaN.
    pub value: Option<f64>,
    /// Largest allowed difference.
    pub tolerance: f64,
    /// Whether differences are modulo 360.
    pub periodic: bool,
}

/// The expected columns of a residue.
pub struct ExpectedRow {
    pub columns: Vec<Expected>,
    /// Whether something is so close to a limit that f32 may put it on the other side.
    pub doubtful: bool,
}

impl Expected {
    /// Whether `found` agrees.
    pub fn admits(&self, found: f32) -> bool {
        let Some(value) = self.value else { return found.to_bits() == 0x7fc0_0000 };
        let mut off = (f64::from(found) - value).abs();
        if self.periodic {
            off = off.min((360.0 - off).abs());
        }
        off <= self.tolerance
    }
}

/// A structure with values that several columns need.
struct Definitions<'a> {
    residues: &'a [Residue],
    graph: Graph,
    bfactor_z: Vec<Option<f64>>,
    /// Tolerance of a standardised B factor.
    bfactor_tolerance: f64,
    centroid: [f64; 3],
    radius_of_gyration: f64,
}

/// All rows without the centrality, which [`Graph::fault`] checks. Values within `margin` (Å) of a limit are doubtful.
pub fn rows(residues: &[Residue], threshold: f64, margin: f64) -> Vec<ExpectedRow> {
    let definitions = Definitions::new(residues, threshold);
    let near = |limits: &[f64]| -> Vec<bool> {
        (0..residues.len()).map(|i| definitions.near_a_limit(i, limits, margin)).collect()
    };
    let (contacts, others) = (near(&[threshold]), near(&[10.0, 12.0, 18.0]));
    let neighbours = &definitions.graph.neighbours;
    (0..residues.len())
        .map(|i| ExpectedRow {
            columns: definitions.row(i),
            // Clustering depends on the contacts of contacts.
            doubtful: definitions.has_one_sideways(i, margin)
                || others[i]
                || contacts[i]
                || neighbours[i].iter().any(|&j| contacts[j]),
        })
        .collect()
}

/// Radius of gyration of the alpha carbons; NaN without one.
pub fn radius_of_gyration(residues: &[Residue]) -> f64 {
    Definitions::new(residues, 1.0).radius_of_gyration
}

fn mean(values: impl Iterator<Item = f64>) -> f64 {
    let (sum, count) = values.fold((0.0, 0.0), |(sum, count), x| (sum + x, count + 1.0));
    sum / count
}

impl<'a> Definitions<'a> {
    fn new(residues: &'a [Residue], threshold: f64) -> Self {
        let bfactors: Vec<f64> = residues.iter().filter_map(|r| r.bfactor).collect();
        let average = mean(bfactors.iter().copied());
        let deviation = mean(bfactors.iter().map(|b| (b - average).powi(2))).sqrt();
        let flat = bfactors.iter().all(|b| *b == bfactors[0]) || deviation == 0.0;
        let z = |b: f64| if flat { 0.0 } else { (b - average) / deviation };
        let bfactor_z = residues.iter().map(|r| r.bfactor.map(z)).collect();
        // The mean of n f32 has an error of some of their spacings.
        let largest = bfactors.iter().fold(0.0, |a: f64, b| a.max(b.abs()));
        let bfactor_tolerance = if flat { 0.0 } else { 1e-6 * (1.0 + largest / deviation) * 4.0 };
        let places: Vec<[f64; 3]> = residues.iter().filter_map(|r| r.ca).collect();
        let centroid = [0, 1, 2].map(|axis| mean(places.iter().map(|p| p[axis])));
        let radius_of_gyration = mean(places.iter().map(|p| length(minus(*p, centroid)).powi(2))).sqrt();
        let graph = Graph::new(residues, threshold);
        Self { residues, graph, bfactor_z, bfactor_tolerance, centroid, radius_of_gyration }
    }

    /// Alpha carbons of other residues, with their distances.
    fn others(&self, i: usize) -> impl Iterator<Item = (usize, f64)> {
        (0..self.residues.len())
            .filter(move |&j| i != j)
            .filter_map(move |j| Some((j, distance(&self.residues[i], &self.residues[j])?)))
    }

    fn near_a_limit(&self, i: usize, limits: &[f64], margin: f64) -> bool {
        self.others(i).any(|(_, d)| limits.iter().any(|limit| (d - limit).abs() < margin))
    }

    /// Whether a residue lies in the plane between the half spheres within rounding.
    fn has_one_sideways(&self, i: usize, margin: f64) -> bool {
        let (Some(axis), Some(here)) = (self.axis(i), self.residues[i].ca) else { return false };
        self.others(i).filter(|(_, d)| *d < 13.0).any(|(j, d)| {
            let side = dot(minus(self.residues[j].ca.unwrap(), here), axis).abs();
            // Exactly in the plane only if the numbers have few bits.
            side > 0.0 && side < d * margin
        })
    }

    fn row(&self, i: usize) -> Vec<Expected> {
        let residue = &self.residues[i];
        let property = &RESIDUES[residue.kind];
        let here = |value: f64| residue.ca.map(|_| value);
        let mut columns = Vec::new();
        let mut put = |column, value, tolerance| {
            columns.push(Expected { column, value, tolerance, periodic: column == column::CA_DIHEDRAL });
        };
        let contacts = self.graph.neighbours[i].len();
        put(column::CONTACT_NUMBER, here(contacts as f64), 0.0);
        let wcn = self.others(i).filter(|(_, d)| *d > 0.0).map(|(_, d)| 1.0 / (d * d)).sum::<f64>();
        put(column::WCN, here(wcn), 2e-6 * wcn);
        let [up, down] = self.half_spheres(i);
        put(column::HSE_UP, up, 0.0);
        put(column::HSE_DOWN, down, 0.0);
        put(column::CLUSTERING, here(self.clustering(i)), 1e-6);
        put(column::LONG_RANGE_CONTACTS, here(self.long_range_contacts(i)), 0.0);
        let order = self.contact_order(i);
        put(column::CONTACT_ORDER, here(order), 1e-6 * order);
        put(column::CA_ANGLE, self.angle(i), 2e-3);
        let (dihedral, tolerance) = self.dihedral(i).unzip();
        put(column::CA_DIHEDRAL, dihedral, tolerance.unwrap_or(0.0));
        let off_centre = residue.ca.map(|ca| length(minus(ca, self.centroid)));
        let scaled = off_centre.map(|d| if self.radius_of_gyration == 0.0 { 0.0 } else { d / self.radius_of_gyration });
        put(column::CENTROID_DISTANCE, scaled, 2e-6);

        // Properties that the tables lack are undefined, and add nothing to other residues.
        let known = |value: f32| (!value.is_nan()).then_some(f64::from(value));
        put(column::HYDROPATHY, known(property.hydropathy), 0.0);
        put(column::CHARGE, known(property.charge), 0.0);
        put(column::VOLUME, known(property.volume), 0.0);
        let hydropathy: Given = |r| Some(RESIDUES[r.kind].hydropathy).filter(|value| !value.is_nan()).map(f64::from);
        put(column::HYDROPATHY_LOCAL, self.gaussian_mean(i, hydropathy), 1e-5);
        let charge = |j: usize| known(RESIDUES[self.residues[j].kind].charge).unwrap_or(0.0);
        let charges = charge(i) + self.others(i).filter(|(_, d)| *d <= 10.0).map(|(j, _)| charge(j)).sum::<f64>();
        put(column::CHARGE_LOCAL, here(charges), 0.0);

        let z = self.bfactor_z[i];
        put(column::BFACTOR_Z, z, self.bfactor_tolerance);
        let around: Vec<f64> = self.graph.neighbours[i].iter().chain([&i]).filter_map(|&j| self.bfactor_z[j]).collect();
        let around = (residue.ca.is_some() && !around.is_empty()).then(|| mean(around.into_iter()));
        put(column::BFACTOR_LOCAL, around, self.bfactor_tolerance);

        let given: [(_, _, Given); 3] = [
            (column::CONSERVATION, column::CONSERVATION_LOCAL, |r| r.conservation),
            (column::GISAID_FREQ, column::FREQ_LOCAL, |r| r.freq),
            (column::GISAID_VELOCITY, column::VELOCITY_LOCAL, |r| r.velocity),
        ];
        for (own, local, of) in given {
            let largest = self.residues.iter().filter_map(of).fold(0.0, |a: f64, x| a.max(x.abs()));
            put(own, of(residue), 0.0);
            put(local, self.gaussian_mean(i, of), 3e-6 * largest);
        }
        columns
    }

    /// The sum of the unit vectors from both neighbours; `None` unless both are linked.
    fn axis(&self, i: usize) -> Option<[f64; 3]> {
        if i == 0 || !linked(self.residues, i - 1) || !linked(self.residues, i) {
            return None;
        }
        let ca = |i: usize| self.residues[i].ca.expect("a linked residue has one");
        Some(plus(unit(minus(ca(i), ca(i - 1)))?, unit(minus(ca(i), ca(i + 1)))?))
    }

    fn half_spheres(&self, i: usize) -> [Option<f64>; 2] {
        let Some(axis) = self.axis(i) else { return [None; 2] };
        let (mut up, mut down) = (0.0, 0.0);
        for (j, d) in self.others(i) {
            if d < 12.0 && in_fragment(self.residues, j) {
                let to = minus(self.residues[j].ca.unwrap(), self.residues[i].ca.unwrap());
                *(if dot(to, axis) > 0.0 { &mut up } else { &mut down }) += 1.0;
            }
        }
        [Some(up), Some(down)]
    }

    fn clustering(&self, i: usize) -> f64 {
        let near = &self.graph.neighbours[i];
        if near.len() < 2 {
            return 0.0;
        }
        let mut among = vec![false; self.residues.len()];
        near.iter().for_each(|&j| among[j] = true);
        let edges: usize = near.iter().map(|&a| self.graph.neighbours[a].iter().filter(|&&b| among[b]).count()).sum();
        // Each edge was counted from both ends.
        edges as f64 / (near.len() * (near.len() - 1)) as f64
    }

    fn long_range_contacts(&self, i: usize) -> f64 {
        let far = |j: usize| self.residues[i].chain != self.residues[j].chain || i.abs_diff(j) >= 12;
        self.graph.neighbours[i].iter().filter(|&&j| far(j)).count() as f64
    }

    fn contact_order(&self, i: usize) -> f64 {
        let same = |j: &usize| self.residues[*j].chain == self.residues[i].chain;
        let near: Vec<f64> =
            self.graph.neighbours[i].iter().filter(|j| same(j)).map(|j| i.abs_diff(*j) as f64).collect();
        let rows = (0..self.residues.len()).filter(same).count() as f64;
        if near.is_empty() { 0.0 } else { mean(near.into_iter()) / rows }
    }

    fn angle(&self, i: usize) -> Option<f64> {
        self.axis(i)?;
        let ca = |i: usize| self.residues[i].ca.unwrap();
        let (back, ahead) = (unit(minus(ca(i - 1), ca(i)))?, unit(minus(ca(i + 1), ca(i)))?);
        // Half the angle from both sums, which is exact where the cosine is not.
        Some(2.0 * length(minus(back, ahead)).atan2(length(plus(back, ahead))).to_degrees())
    }

    /// With its tolerance: near a straight line the planes are poorly determined.
    fn dihedral(&self, i: usize) -> Option<(f64, f64)> {
        if i == 0 || !(i - 1..=i + 1).all(|k| linked(self.residues, k)) {
            return None;
        }
        let ca = |i: usize| self.residues[i].ca.unwrap();
        let (a, b, c) = (minus(ca(i), ca(i - 1)), minus(ca(i + 1), ca(i)), minus(ca(i + 2), ca(i + 1)));
        let (left, right) = (cross(a, b), cross(b, c));
        if length(left) == 0.0 || length(right) == 0.0 {
            return None;
        }
        let angle = (length(b) * dot(a, right)).atan2(dot(left, right)).to_degrees();
        let sines = (length(left) / length(a) / length(b)).min(length(right) / length(b) / length(c));
        Some((angle, 1e-3 / sines))
    }

    fn gaussian_mean(&self, i: usize, of: impl Fn(&Residue) -> Option<f64>) -> Option<f64> {
        self.residues[i].ca?;
        let (mut sum, mut weights) = (0.0, 0.0);
        for (j, d) in self.others(i).chain([(i, 0.0)]).filter(|(_, d)| *d < 18.0) {
            if let Some(value) = of(&self.residues[j]) {
                let weight = (-d * d / 72.0).exp();
                sum += weight * value;
                weights += weight;
            }
        }
        (weights > 0.0).then(|| sum / weights)
    }
}
