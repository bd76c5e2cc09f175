//! Places the backbone of a chain by bond lengths, angles and torsions.

use super::geometry::{Point, Turn, angle_at, place};
use super::residues::Residue;

/// Bond lengths in Å: N to CA, CA to C, C to the next N.
const LENGTHS: [f32; 3] = [1.4581, 1.5281, 1.3311];
/// N to CA in Å of the residue after a proline, when placing from the first residue to the last.
const PROLINE: f32 = 1.353;

/// The step to the next residue: torsions and angles in degrees.
///
/// An entry stores it in 64 bits, highest bit first: 5 for the residue's type, 11 for omega, 12 for psi, 12 for phi, 8 each
/// for the angles at C, the next N and the next CA.
#[derive(Clone, Copy)]
pub(super) struct Step {
    /// Psi, omega, and the next residue's phi.
    pub(super) torsions: [f32; 3],
    /// At C, at the next N, at the next CA.
    pub(super) angles: [f32; 3],
}

impl Step {
    /// Decodes a residue's code and the step after it.
    pub(super) fn of(word: [u8; 8], least: &[f32; 6], steps: &[f32; 6]) -> (u8, Self) {
        let word = u64::from_be_bytes(word);
        let value = |which: usize, shift: u32, bits: u32| {
            let level = (word >> shift & ((1 << bits) - 1)) as u16;
            f32::from(level) * steps[which] + least[which]
        };
        let (phi, psi, omega) = (value(0, 24, 12), value(1, 36, 12), value(2, 48, 11));
        let angles = [value(4, 16, 8), value(5, 8, 8), value(3, 0, 8)];
        ((word >> 59) as u8, Self { torsions: [psi, omega, phi], angles })
    }
}

/// A chain, placed from anchor to anchor.
pub(super) struct Chain<'a> {
    pub(super) anchors: &'a [(usize, [Point; 3])],
    pub(super) steps: &'a [(&'static Residue, Step)],
}

impl Chain<'_> {
    /// N, CA and C of each residue.
    pub(super) fn backbone(&self) -> Vec<[Point; 3]> {
        let mut all: Vec<[Point; 3]> = Vec::with_capacity(self.steps.len());
        let mut begin = self.anchors[0].1;
        for pair in self.anchors.windows(2) {
            let (from, (to, end)) = (pair[0].0, pair[1]);
            let between = self.between(from..to, begin, end);
            // The end of a stretch is the beginning of the next.
            all.truncate(from);
            all.extend_from_slice(between.as_chunks::<3>().0);
            begin = *between.last_chunk().unwrap_or(&begin);
        }
        all
    }

    /// The atoms of a stretch, placed from both ends and averaged with weights by position.
    fn between(&self, residues: std::ops::Range<usize>, begin: [Point; 3], end: [Point; 3]) -> Vec<Point> {
        let steps = &self.steps[residues];
        let mut forward = Vec::with_capacity(3 * steps.len() + 3);
        forward.extend(begin);
        for (residue, step) in steps {
            let n_ca = if residue.name == "PRO" { PROLINE } else { LENGTHS[0] };
            for (i, length) in [LENGTHS[2], n_ca, LENGTHS[1]].into_iter().enumerate() {
                let (angle, torsion) = (Turn::of_degrees(step.angles[i]), Turn::of_degrees(step.torsions[i]));
                let last = *forward.last_chunk().unwrap_or(&begin);
                forward.push(place(last, length, angle, torsion));
            }
        }
        let total = forward.len();
        let mut backward = forward.clone();
        backward[total - 3..].copy_from_slice(&end);
        for i in (0..total - 3).rev() {
            let angle = Turn::of_degrees(angle_at(forward[i], forward[i + 1], forward[i + 2]));
            let torsion = Turn::of_degrees(steps[i / 3].1.torsions[i % 3]);
            backward[i] = place([backward[i + 3], backward[i + 2], backward[i + 1]], LENGTHS[i % 3], angle, torsion);
        }
        let mean = |i: usize| {
            let (from, to) = (forward[i], backward[i]);
            [0, 1, 2].map(|axis| (from[axis] * (total - i) as f32 + to[axis] * i as f32) / total as f32)
        };
        (0..total).map(mean).collect()
    }
}
