//! The state of each residue, from bonds along the chain, ladders, bends and angles.

use super::ladders::{BRIDGE, Pattern, STRAND};
use cuda_std::math::sqrt;
use cuda_std::prelude::*;
use shared_types::backbone::SecondaryStructure;
use shared_types::feature::{BackboneRow, column};

/// Bit of a row at which a turn of three, four or five residues begins: `TURN << 0`, `<< 1`, `<< 2`.
const TURN: u32 = 1;
/// The chain bends by more than 70 degrees.
const BEND: u32 = 8;
/// Phi and psi are those of a polyproline helix.
const POLYPROLINE: u32 = 16;

/// cos 70 degrees.
const COS_BEND: f32 = 0.342_020_15;
/// Phi and psi of polyproline II in degrees, and how far a residue's may be from them.
const PHI: f32 = -75.0;
const PSI: f32 = 145.0;
const EPSILON: f32 = 29.0;

/// The marks of row `i`.
#[inline(always)]
pub fn marks(pattern: &Pattern, rows: View<BackboneRow>, i: u32) -> u32 {
    let n = pattern.n;
    let mut marks = 0;
    for size in 0..3 {
        let last = i + 3 + size;
        if last < n && pattern.has_bond(last, i) && pattern.is_unbroken(i, last) {
            marks |= TURN << size;
        }
    }
    if i >= 2 && i + 2 < n && pattern.is_unbroken(i - 2, i + 2) {
        let (before, here, after) = (pattern.carbons.get(i - 2), pattern.carbons.get(i), pattern.carbons.get(i + 2));
        let (to, from) = (before.to(here), here.to(after));
        let lengths2 = to.norm2() * from.norm2();
        // Where two alpha carbons coincide, the angle counts as 90 degrees.
        if lengths2 == 0.0 || to.dot(from) < COS_BEND * sqrt(lengths2) {
            marks |= BEND;
        }
    }
    if i > 0 && pattern.is_linked(i - 1) && pattern.is_linked(i) {
        let row = rows.get(i).columns;
        if (row[column::PHI] - PHI).abs() <= EPSILON && (row[column::PSI] - PSI).abs() <= EPSILON {
            marks |= POLYPROLINE;
        }
    }
    marks
}

/// The marks and strands of all rows of a structure.
pub struct Marked<'a> {
    pub marks: View<'a, u32>,
    pub strands: View<'a, u32>,
}

impl Marked<'_> {
    /// Whether row `i`, which may be out of range, has a mark.
    #[inline(always)]
    fn has(&self, i: u32, mark: u32) -> bool {
        i < self.marks.len() && self.marks.get(i) & mark != 0
    }

    /// Whether turns of `size` begin at both rows `i - 1` and `i`.
    #[inline(always)]
    fn turns_meet(&self, i: u32, size: u32) -> bool {
        self.has(i, TURN << size) && self.has(i.wrapping_sub(1), TURN << size)
    }

    #[inline(always)]
    fn is_in_sheet(&self, i: u32) -> bool {
        self.strands.get(i) & (STRAND | BRIDGE) != 0
    }

    #[inline(always)]
    fn is_alpha(&self, i: u32) -> bool {
        (0..4).any(|back| self.turns_meet(i.wrapping_sub(back), 1))
    }

    /// Whether rows `i` to `i + 2` are a turn of a 3-10 helix. They must not be in an alpha helix or a sheet.
    #[inline(always)]
    fn is_310_from(&self, i: u32) -> bool {
        self.turns_meet(i, 0) && (i..i + 3).all(|k| !self.is_alpha(k) && !self.is_in_sheet(k))
    }

    #[inline(always)]
    fn is_310(&self, i: u32) -> bool {
        (0..3).any(|back| self.is_310_from(i.wrapping_sub(back)))
    }

    /// Whether rows `i` to `i + 4` are a turn of a pi helix, which takes precedence over an alpha helix.
    #[inline(always)]
    fn is_pi_from(&self, i: u32) -> bool {
        self.turns_meet(i, 2) && (i..i + 5).all(|k| self.is_alpha(k) || (!self.is_in_sheet(k) && !self.is_310(k)))
    }

    #[inline(always)]
    fn is_pi(&self, i: u32) -> bool {
        (0..5).any(|back| self.is_pi_from(i.wrapping_sub(back)))
    }

    /// Whether row `i` lies inside a turn.
    #[inline(always)]
    fn is_in_turn(&self, i: u32) -> bool {
        (0..3).any(|size| (1..3 + size).any(|back| self.has(i.wrapping_sub(back), TURN << size)))
    }

    /// Whether row `i` is one of three neighbours with angles of polyproline.
    #[inline(always)]
    fn is_polyproline(&self, i: u32) -> bool {
        (0..3).any(|back| (0..3).all(|k| self.has(i.wrapping_sub(back).wrapping_add(k), POLYPROLINE)))
    }

    /// The state of row `i`.
    #[inline(always)]
    pub fn state(&self, i: u32) -> SecondaryStructure {
        if self.is_pi(i) {
            SecondaryStructure::PiHelix
        } else if self.is_alpha(i) {
            SecondaryStructure::AlphaHelix
        } else if self.strands.get(i) & STRAND != 0 {
            SecondaryStructure::Strand
        } else if self.is_in_sheet(i) {
            SecondaryStructure::Bridge
        } else if self.is_310(i) {
            SecondaryStructure::Helix310
        } else if self.is_in_turn(i) {
            SecondaryStructure::Turn
        } else if self.has(i, BEND) {
            SecondaryStructure::Bend
        } else if self.is_polyproline(i) {
            SecondaryStructure::PolyprolineHelix
        } else {
            SecondaryStructure::Loop
        }
    }
}
