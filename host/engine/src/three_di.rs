//! 3Di letters, foldseek's alphabet of tertiary contacts (van Kempen et al. 2024, Nat Biotechnol 42:243).
//!
//! A letter describes a residue and its partner, the residue of the chain whose virtual centre is nearest: ten numbers from the alpha
//! carbons around both, encoded in a plane by a small network, where the nearest centroid has the letter. Steps and precision are those of
//! mini3di 0.2.1.

mod model;

use crate::residue_frames::{Backbone, alpha_carbon, backbone};
use kernels_gpu::double::{Point, cross, distance, dot, minus, plus, times, unit};
use model::{Dense, FIRST, LAST, LETTERS, SECOND};
use prism_read::structure::StructureInput;
use std::collections::BTreeMap;

/// The letter that foldseek writes where there is no descriptor.
const UNDEFINED: &str = "D";
/// From CA to a CB that is missing, in Å.
const BETA: f64 = 1.5336;

/// What a row is in foldseek's alphabet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ThreeDi {
    /// Its letter; D also where it is undefined.
    pub letter: &'static str,
    /// The row of its partner; `None` where the letter is undefined.
    pub partner: Option<u32>,
}

struct Letters(Vec<Option<ThreeDi>>);

/// The 3Di letter of each row that has an alpha carbon, chain by chain. It is computed once for a structure.
///
/// The letters of a chain's rows, one after the other, are its sequence as foldseek has it. As there, they are undefined at both ends of a
/// chain, and where N, CA or C of the residue, of its partner, or of a residue beside either of them is missing.
///
/// ```
/// use prism_engine::three_di;
/// use prism_read::{ReadOptions, read_path};
///
/// let crambin = read_path("../tests/data/1crn.pdb", "1crn", &ReadOptions::default())?.structure;
/// let letters: String = three_di::of_rows(&crambin).iter().flatten().map(|own| own.letter).collect();
/// assert_eq!(letters, "DKFAQDPVLVVQLVVCPPVPPDSVVSCVVRVIDDDPDDDDDPRRHD");
/// # Ok::<(), prism_read::ReadError>(())
/// ```
#[must_use]
pub fn of_rows(structure: &StructureInput) -> &[Option<ThreeDi>] {
    &structure.derived.get_or_init(|| Letters(letters(structure))).0
}

fn letters(structure: &StructureInput) -> Vec<Option<ThreeDi>> {
    let mut all = vec![None; structure.n_rows()];
    // The rows of a chain need not lie together.
    let mut chains: BTreeMap<u32, Vec<usize>> = BTreeMap::new();
    for row in (0..structure.n_rows()).filter(|&row| alpha_carbon(structure, row).is_some()) {
        chains.entry(structure.chain_ids[row]).or_default().push(row);
    }
    for rows in chains.values() {
        let residues: Vec<Option<Backbone>> = rows.iter().map(|&row| backbone(structure, row)).collect();
        for (&row, own) in rows.iter().zip(of_chain(&residues)) {
            all[row] = Some(match own {
                Some((letter, partner)) => ThreeDi { letter, partner: Some(rows[partner] as u32) },
                None => ThreeDi { letter: UNDEFINED, partner: None },
            });
        }
    }
    all
}

/// The letter of each residue of a chain, and its partner.
fn of_chain(residues: &[Option<Backbone>]) -> Vec<Option<(&'static str, usize)>> {
    let centres: Vec<Option<Point>> = residues.iter().map(|own| own.as_ref().and_then(virtual_centre)).collect();
    let ca = |at: usize| Some(residues[at]?.ca.map(|along| along as f32));
    let around = |at: usize| Some([ca(at - 1)?, ca(at)?, ca(at + 1)?]);
    let of = |own: usize| {
        let other = partner(&centres, own)?;
        Some((letter(&descriptor(around(own)?, around(other)?, other as i64 - own as i64)), other))
    };
    (0..residues.len()).map(|own| if own == 0 || own + 1 == residues.len() { None } else { of(own) }).collect()
}

/// Where foldseek looks for partners: 2 CB-CA lengths from CA, perpendicular to CA-CB in the plane of N.
fn virtual_centre(own: &Backbone) -> Option<Point> {
    let beta = own.beta.map_or_else(|| missing_beta(own), Some)?;
    let to_beta = minus(beta, own.ca);
    let axis = unit(cross(to_beta, minus(own.n, own.ca)))?;
    // A turn by 270 degrees about the axis.
    Some(plus(own.ca, times(cross(axis, to_beta), -2.0)))
}

/// A tetrahedral CB.
fn missing_beta(own: &Backbone) -> Option<Point> {
    let (to_c, to_n) = (unit(minus(own.c, own.ca))?, unit(minus(own.n, own.ca))?);
    let third = times(to_c, 1.0 / 3.0);
    let middle = plus(to_n, third);
    let (u1, u2) = (unit(middle)?, unit(cross(to_c, middle))?);
    let out = plus(times(u1, -0.5), times(u2, -0.5 * 3.0_f64.sqrt()));
    let to_beta = minus(times(out, 8.0_f64.sqrt() / 3.0), third);
    Some(plus(own.ca, times(to_beta, BETA)))
}

/// The residue whose centre is nearest; the ends of the chain are no partners.
fn partner(centres: &[Option<Point>], own: usize) -> Option<usize> {
    let from = centres[own]?;
    let mut nearest = None;
    for (other, centre) in centres.iter().enumerate().take(centres.len() - 1).skip(1) {
        if let (Some(centre), true) = (centre, other != own) {
            let apart = distance(from, *centre);
            if nearest.is_none_or(|(_, least)| apart < least) {
                nearest = Some((other, apart));
            }
        }
    }
    nearest.map(|(other, _)| other)
}

/// Cosines between the steps of both backbones, their distance in Å, and how many residues lie between them.
fn descriptor([a, own, b]: [[f32; 3]; 3], [c, other, d]: [[f32; 3]; 3], apart: i64) -> [f32; 10] {
    let step = |from: [f32; 3], to: [f32; 3]| {
        let between = [to[0] - from[0], to[1] - from[1], to[2] - from[2]];
        let length = cosine(between, between).sqrt();
        (if length == 0.0 { between } else { between.map(|along| along / length) }, length)
    };
    let [u1, u2, u3, u4, u5] = [(a, own), (own, b), (c, other), (other, d), (own, other)].map(|(a, b)| step(a, b).0);
    let logarithm = ((apart.unsigned_abs() + 1) as f64).ln() as f32;
    [
        cosine(u1, u2),
        cosine(u3, u4),
        cosine(u1, u5),
        cosine(u3, u5),
        cosine(u1, u4),
        cosine(u2, u3),
        cosine(u1, u3),
        step(other, own).1,
        apart.clamp(-4, 4) as f32,
        if apart < 0 { -logarithm } else { logarithm },
    ]
}

fn cosine(a: [f32; 3], b: [f32; 3]) -> f32 {
    a[0] * b[0] + a[1] * b[1] + a[2] * b[2]
}

fn letter(descriptor: &[f32; 10]) -> &'static str {
    let rectified = |values: [f64; 10]| values.map(|value| if value > 0.0 { value } else { 0.0 });
    let hidden = rectified(through(&FIRST, &descriptor.map(f64::from)));
    let [x, y] = through(&LAST, &rectified(through(&SECOND, &hidden)));
    let away = |[a, b]: [f64; 2]| dot([x - a, y - b, 0.0], [x - a, y - b, 0.0]);
    let first = (LETTERS[0].0, away(LETTERS[0].1));
    let nearer = |best: (&'static str, f64), (letter, centroid): &(&'static str, [f64; 2])| {
        let own = away(*centroid);
        if own < best.1 { (*letter, own) } else { best }
    };
    LETTERS[1..].iter().fold(first, nearer).0
}

fn through<const INPUTS: usize, const OUTPUTS: usize>(
    layer: &Dense<INPUTS, OUTPUTS>,
    inputs: &[f64; INPUTS],
) -> [f64; OUTPUTS] {
    let mut sums = layer.biases.map(f64::from);
    for (input, weights) in inputs.iter().zip(&layer.weights) {
        for (sum, weight) in sums.iter_mut().zip(weights) {
            *sum += input * f64::from(*weight);
        }
    }
    sums
}
