//! Scores and sites in f64, over all pairs, from the model.

use kernels_gpu::points::kinds::class as kernel_class;
use prism_host::{StructureFeatures, StructureInput};
use shared_types::feature::column;
use shared_types::radii::protor_radius;
use shared_types::residue::kind_of;
use shared_types::site_model::{
    APART, AROUND, ATOMS, ATOMS_ONE_SIDED, ATOMS_SQUARED, BIAS, CAPACITY, CLOSE, DEFAULT_THRESHOLD, DIRECTIONS,
    LEAST_CROWD, MOST_SITES, NEAR, ONE_SIDED, ONE_SIDED_SQUARED, PROBE, REACH, RESIDUE_BEST, RESIDUE_BIAS,
    RESIDUE_CLOSE, RESIDUE_TOP, RESIDUE_WIDE, SUM_UNIT, WEIGHT_UNIT, WEIGHTS, WIDE,
};
use shared_types::{NO_CA, RESIDUES};

type Position = [f64; 3];

fn distance(a: Position, b: Position) -> f64 {
    (0..3).map(|axis| (a[axis] - b[axis]).powi(2)).sum::<f64>().sqrt()
}

/// The class of an atom, given its residue's type, its radius, and its distance from the alpha carbon.
fn class(kind: usize, radius: f32, from_alpha: f64) -> usize {
    let is = |names: &str| names.split(' ').any(|name| name == RESIDUES[kind].name);
    let element = match radius {
        1.77 => 'S',
        r if r == 1.88 || r == 1.76 || r == 1.61 => 'C',
        1.64 => 'N',
        r if r == 1.42 || r == 1.46 => 'O',
        _ => '?',
    };
    match element {
        'S' => 6,
        'C' if from_alpha < 0.1 => 1,
        'C' if radius == 1.61 && from_alpha < 2.0 => 2,
        'C' if radius == 1.76 || radius == 1.61 && is("PHE TYR TRP HIS") => 5,
        'C' if radius == 1.61 => 14,
        'N' if from_alpha < 2.0 => 0,
        'N' if is("LYS ARG") => 11,
        'N' if is("HIS") => 12,
        'N' if is("TRP") => 13,
        'N' if is("ASN GLN") => 10,
        'N' => 0,
        'O' if radius == 1.42 && (from_alpha < 2.6 || !is("ASP GLU ASN GLN")) => 3,
        'O' if is("ASP GLU") => 8,
        'O' if is("ASN GLN") => 9,
        'O' => 7,
        _ => 4,
    }
}

/// Positions and properties of atoms.
struct Atoms {
    at: Vec<Position>,
    radius: Vec<f64>,
    kind: Vec<usize>,
    class: Vec<usize>,
}

impl Atoms {
    fn new(structure: &StructureInput) -> Self {
        let at: Vec<Position> = structure.atoms.iter().map(|atom| [atom.x, atom.y, atom.z].map(f64::from)).collect();
        let (mut kinds, mut classes) = (Vec::new(), Vec::new());
        for row in 0..structure.n_residues() {
            let kind = usize::from(structure.residue_types[row]);
            let (first, alpha) = (structure.residue_atoms[row] as usize, structure.ca_indices[row]);
            for i in first..structure.residue_atoms[row + 1] as usize {
                let away = if alpha == NO_CA { f64::INFINITY } else { distance(at[i], at[alpha as usize]) };
                kinds.push(kind);
                classes.push(class(kind, structure.atoms[i].radius, away));
            }
        }
        let radius = structure.atoms.iter().map(|atom| f64::from(atom.radius)).collect();
        Self { at, radius, kind: kinds, class: classes }
    }

    fn points(&self) -> Vec<Position> {
        let probe = f64::from(PROBE);
        let mut points = Vec::new();
        for (i, &center) in self.at.iter().enumerate() {
            if self.at.iter().filter(|&&at| distance(center, at) <= 10.0).count() < LEAST_CROWD as usize {
                continue;
            }
            let reach = self.radius[i] + probe;
            let near: Vec<usize> = (0..self.at.len())
                .filter(|&j| j != i && distance(center, self.at[j]) < reach + 2.0 * probe + 1.0)
                .collect();
            let own: Vec<Position> = DIRECTIONS
                .iter()
                .map(|unit| std::array::from_fn(|axis| center[axis] + reach * f64::from(unit[axis])))
                .filter(|&point| near.iter().all(|&j| distance(point, self.at[j]) >= self.radius[j] + probe))
                .collect();
            let most = CAPACITY as usize;
            let kept = own.len().min(most);
            points.extend((0..kept).map(|k| own[if own.len() > most { k * own.len() / most } else { k }]));
        }
        points
    }

    fn probability(&self, point: Position) -> f64 {
        let (mut weights, mut mean, mut count) = (0.0, [0.0; 3], 0.0);
        let point = rounded(point);
        for (i, &at) in self.at.iter().enumerate() {
            let at = rounded(at);
            let away = distance(point, at);
            if away < f64::from(REACH) {
                let word = WEIGHTS[self.kind[i]][self.class[i]];
                let [near, far] = [word >> 16, word & 0xffff].map(|half| f64::from(f32::from_bits(half << 16)));
                let inner = (f64::from(NEAR).powi(2) - away * away).max(0.0);
                weights += near * inner * inner + far * (f64::from(REACH).powi(2) - away * away).powi(2);
                for axis in 0..3 {
                    mean[axis] += at[axis] - point[axis];
                }
                count += 1.0;
            }
        }
        let one_sided = distance(mean, [0.0; 3]) / count;
        let terms = [
            (WEIGHT_UNIT, weights),
            (ONE_SIDED, one_sided),
            (ONE_SIDED_SQUARED, one_sided * one_sided),
            (ATOMS, count),
            (ATOMS_SQUARED, count * count),
            (ATOMS_ONE_SIDED, count * one_sided),
        ];
        logistic(terms.iter().map(|&(weight, of)| f64::from(weight) * of).sum::<f64>() + f64::from(BIAS))
    }
}

/// Coordinates around a point are rounded to this fraction of an Å.
fn rounded(at: Position) -> Position {
    at.map(|x| (x * 128.0).round() / 128.0)
}

/// How far a sum of integers may be from that in f64. Small sums are less exact.
fn error(sum: f64) -> f64 {
    2e-3 * sum + 5e-5
}

fn logistic(logit: f64) -> f64 {
    1.0 / (1.0 + (-logit).exp())
}

/// The expected values of a structure.
pub struct Defined {
    /// The scores of each residue by each of its atoms that may be the best one: whose sum is nearly the largest.
    scores: Vec<Vec<f64>>,
    /// Sites by rank: sum and centre.
    sites: Vec<(f64, Position)>,
}

impl Defined {
    pub fn new(structure: &StructureInput) -> Self {
        let atoms = Atoms::new(structure);
        let points: Vec<(Position, f64)> =
            atoms.points().into_iter().map(|point| (point, atoms.probability(point).powf(1.5))).collect();
        let within =
            |reach: f32, at: Position| points.iter().filter(move |(point, _)| distance(*point, at) <= f64::from(reach));
        let around = |at: Position| within(AROUND, at);
        let sums: Vec<f64> = atoms.at.iter().map(|&at| around(at).map(|(_, weight)| weight).sum()).collect();
        let top = sums.iter().copied().fold(0.0, f64::max);
        let term = |(weight, sum): (f32, f64)| f64::from(weight) * (sum + 1.0 / f64::from(SUM_UNIT)).ln();
        let score = |best: usize| {
            let sum = |reach: f32| within(reach, atoms.at[best]).map(|(_, weight)| weight).sum();
            let (close, wide) = (sum(CLOSE), sum(WIDE));
            let terms = [(RESIDUE_BEST, sums[best]), (RESIDUE_CLOSE, close), (RESIDUE_WIDE, wide), (RESIDUE_TOP, top)];
            logistic(terms.map(term).iter().sum::<f64>() + f64::from(RESIDUE_BIAS))
        };
        let scores = structure.residue_atoms.windows(2).map(|ends| {
            let own = ends[0] as usize..ends[1] as usize;
            let most = own.clone().map(|i| sums[i]).fold(0.0, f64::max);
            own.filter(|&i| sums[i] + error(most) >= most).map(score).collect()
        });
        let (mut sites, mut left) = (Vec::new(), vec![true; sums.len()]);
        while sites.len() < MOST_SITES {
            let best =
                (0..sums.len()).filter(|&i| left[i]).max_by(|&i, &j| sums[i].total_cmp(&sums[j]).then(j.cmp(&i)));
            let Some(peak) = best.filter(|&i| sums[i] > 0.0) else { break };
            let total: f64 = sums[peak];
            let center = std::array::from_fn(|axis| {
                around(atoms.at[peak]).map(|(point, weight)| point[axis] * weight).sum::<f64>() / total
            });
            sites.push((total, center));
            for (left, &at) in left.iter_mut().zip(&atoms.at) {
                *left &= distance(at, center) > f64::from(APART);
            }
            left[peak] = false;
        }
        Self { scores: scores.collect(), sites }
    }

    /// The differences from the computed features. Sites with nearly equal sums may be swapped, which may affect later
    /// sites.
    pub fn faults(&self, features: &StructureFeatures) -> Vec<String> {
        let mut faults = Vec::new();
        for (row, (found, expected)) in features.column(column::SITE_SCORE).zip(&self.scores).enumerate() {
            if expected.iter().all(|expected| (f64::from(found) - expected).abs() > 1e-3) {
                faults.push(format!("row {row} site_score: {found}, expected {expected:?}"));
            }
        }
        // Small sums have few units, so their relative rounding is larger.
        let apart = |k: usize| {
            let (sum, next) = (self.sites[k].0, self.sites.get(k + 1).map_or(0.0, |next| next.0));
            sum > 0.01 && sum - next > 1e-3 * sum
        };
        let sure = (0..self.sites.len()).take_while(|&k| apart(k)).count();
        for (k, ((sum, center), found)) in self.sites.iter().zip(&features.sites).take(sure).enumerate() {
            let near = distance(*center, found.center.map(f64::from)) < 0.02;
            if (f64::from(found.score) - sum).abs() > error(*sum) || !near {
                faults.push(format!("site {k}: {found:?}, expected {sum} at {center:?}"));
            }
        }
        faults
    }
}

/// Errors that no model can explain.
pub fn faults(features: &StructureFeatures) -> Vec<String> {
    let mut faults = Vec::new();
    let count = features.sites.len();
    if count != features.summary.sites as usize || count > MOST_SITES {
        faults.push(format!("summary: {} sites of {count}", features.summary.sites));
    }
    if !features.sites.is_sorted_by(|a, b| a.score >= b.score && a.probability >= b.probability) {
        faults.push("the scores of sites are not in decreasing order".to_owned());
    }
    for (row, (&id, score)) in features.site_ids.iter().zip(features.column(column::SITE_SCORE)).enumerate() {
        let is_part = score >= DEFAULT_THRESHOLD;
        let is_known = usize::try_from(id).is_ok_and(|id| id < count);
        // If the number of sites reaches its limit, some atoms belong to no site.
        let is_right = if is_known { is_part } else { id == -1 && (!is_part || count == MOST_SITES) };
        if !(0.0..=1.0).contains(&score) || !is_right {
            faults.push(format!("row {row}: site {id} of {count}, score {score}"));
        }
    }
    faults
}

#[test]
fn atoms_of_each_class_are_told_apart() {
    let expected = [
        ("ALA", "N", 1.46, 0),
        ("ALA", "CA", 0.0, 1),
        ("ALA", "C", 1.52, 2),
        ("ALA", "O", 2.4, 3),
        ("ALA", "CB", 1.53, 4),
        ("PHE", "CG", 2.5, 5),
        ("PHE", "CZ", 5.1, 5),
        ("HIS", "CE1", 3.6, 5),
        ("MET", "SD", 4.0, 6),
        ("SER", "OG", 2.4, 7),
        ("TYR", "OH", 6.5, 7),
        ("TYR", "CZ", 5.1, 5),
        ("ASP", "OD1", 2.8, 8),
        ("ASP", "OD2", 3.5, 8),
        ("GLU", "OE1", 3.5, 8),
        ("ASP", "O", 2.4, 3),
        ("ASN", "OD1", 2.8, 9),
        ("GLN", "NE2", 4.5, 10),
        ("ASN", "N", 1.46, 0),
        ("LYS", "NZ", 6.3, 11),
        ("ARG", "NE", 4.9, 11),
        ("ARG", "N", 1.46, 0),
        ("HIS", "ND1", 3.2, 12),
        ("TRP", "NE1", 4.5, 13),
        ("TRP", "CD2", 3.6, 5),
        ("ARG", "CZ", 6.0, 14),
        ("ASP", "CG", 2.5, 14),
        ("GLU", "CD", 3.8, 14),
        ("CYS", "SG", 2.8, 6),
        ("VAL", "CG1", 2.5, 4),
        ("ALA", "XX", 9.0, 4),
    ];
    for (residue, atom, away, wanted) in expected {
        let own = kind_of(residue.as_bytes()).expect(residue);
        let radius = protor_radius(own, atom.as_bytes());
        assert_eq!(kernel_class(u32::from(own), radius, away * away), wanted, "{residue} {atom}");
    }
    // Without an alpha carbon no atom is near one.
    assert_eq!(kernel_class(2, protor_radius(2, b"OD1"), f32::INFINITY), 9);
}
