//! What a row has of the pattern of bonds and angles along the chain: a set of bits.

use super::ladders::Pattern;
use cuda_std::math::sqrt;
use cuda_std::prelude::*;
use shared_types::feature::{BackboneRow, column};

/// Bit of a row at which a turn of three, four or five residues begins: `TURN << 0`, `<< 1`, `<< 2`.
pub const TURN: u32 = 1;
/// The chain bends by more than 70 degrees.
pub const BEND: u32 = 8;
/// Phi and psi are those of a polyproline helix.
pub const POLYPROLINE: u32 = 16;
/// The row is bound to the next one.
pub const LINKED: u32 = 32;
/// The bits from this one on hold the number of ladders that begin at the row. Most rows have none.
pub const STARTS_SHIFT: u32 = 8;

/// cos 70 degrees.
const COS_BEND: f32 = 0.342_020_15;
/// Phi and psi of polyproline II in degrees, and how far a residue's may be from them.
const PHI: f32 = -75.0;
const PSI: f32 = 145.0;
const EPSILON: f32 = 29.0;

/// The marks of row `i`, where so many ladders begin.
#[inline(always)]
pub fn of(pattern: &Pattern, rows: View<BackboneRow>, i: u32, starts: u32) -> u32 {
    let n = pattern.n;
    let mut marks = starts << STARTS_SHIFT;
    if pattern.is_linked(i) {
        marks |= LINKED;
    }
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
