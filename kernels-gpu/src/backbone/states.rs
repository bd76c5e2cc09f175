//! The state of each residue, from bonds along the chain, ladders, bends and angles.

use super::ladders::{BRIDGE, STRAND};
use super::marks::{BEND, POLYPROLINE, TURN};
use cuda_std::prelude::*;
use shared_types::backbone::SecondaryStructure;

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
