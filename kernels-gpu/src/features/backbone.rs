//! Angles along the chain of alpha carbons (Levitt 1976).

use super::Rows;
use super::alpha_carbons::linked;
use crate::scratch::AlphaCarbon;
use cuda_std::math::{NAN, atan2, canonical, sqrt};
use cuda_std::prelude::*;
use shared_types::FeatureRow;
use shared_types::feature::column;

const DEGREES: f32 = 180.0 / core::f32::consts::PI;

/// Columns `ca_angle` and `ca_dihedral`.
#[inline(always)]
pub fn angles<V>(block: &mut Block, rows: Rows, alpha_carbons: View<AlphaCarbon>, output: &mut Segment<FeatureRow>) {
    let n = rows.all;
    output.update(block, rows.count, |at, row| {
        let i = rows.row(at);
        let (mut angle, mut dihedral) = (NAN, NAN);
        if i > 0 && i + 1 < n {
            let (a, b, c) = (alpha_carbons.get(i - 1), alpha_carbons.get(i), alpha_carbons.get(i + 1));
            if linked(a, b) && linked(b, c) {
                let (ba, bc) = (b.to(a), b.to(c));
                if ba.norm2() > 0.0 && bc.norm2() > 0.0 {
                    angle = atan2(sqrt(ba.cross(bc).norm2()), ba.dot(bc)) * DEGREES;
                }
                if i + 2 < n && linked(c, alpha_carbons.get(i + 2)) {
                    let (ab, cd) = (a.to(b), c.to(alpha_carbons.get(i + 2)));
                    let (left, right) = (ab.cross(bc), bc.cross(cd));
                    // Three collinear atoms, or two at one position, define no plane.
                    if left.norm2() > 0.0 && right.norm2() > 0.0 {
                        let y = left.cross(right).dot(bc) / sqrt(bc.norm2());
                        let turn = atan2(y, left.dot(right)) * DEGREES;
                        // -180 and 180 degrees are one angle; the interval contains 180.
                        dihedral = if turn == -180.0 { 180.0 } else { turn };
                    }
                }
            }
        }
        row.columns[column::CA_ANGLE] = canonical(angle);
        row.columns[column::CA_DIHEDRAL] = canonical(dihedral);
    });
}
