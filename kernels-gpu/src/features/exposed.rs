//! Columns from the results of heavy atoms: `sasa`, `rsa`, `sasa_apolar`, `cx`, `depth`, `atomic_contacts`, and
//! `exposed_velocity`, which follows from them.

use super::Rows;
use crate::scratch::ResidueExposure;
use cuda_std::math::canonical;
use cuda_std::prelude::*;
use shared_types::FeatureRow;
use shared_types::feature::column;

/// Writes the columns.
#[inline(always)]
pub fn features<V>(block: &mut Block, rows: Rows, exposure: &[ResidueExposure], output: &mut Segment<FeatureRow>) {
    output.update(block, rows.count, |at, row| {
        let found = exposure.at(rows.row(at));
        let columns = &mut row.columns;
        columns[column::SASA] = found.area;
        columns[column::RSA] = found.relative;
        columns[column::SASA_APOLAR] = found.apolar;
        columns[column::CX] = found.protrusion;
        columns[column::DEPTH] = found.depth;
        columns[column::ATOMIC_CONTACTS] = found.contacts;
        let velocity = columns[column::VELOCITY_LOCAL];
        columns[column::EXPOSED_VELOCITY] = exposed_velocity(found.relative, velocity);
    });
}

/// The feature of that name: `rsa`, at most 1, times `velocity_local`.
#[inline(always)]
#[must_use]
pub fn exposed_velocity(relative: f32, velocity: f32) -> f32 {
    let exposed = if relative > 1.0 { 1.0 } else { relative };
    canonical(exposed * velocity)
}
