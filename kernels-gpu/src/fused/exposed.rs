//! What the structure's heavy atoms gave their residues: columns `sasa`, `rsa`, `sasa_apolar`, `cx`, `depth`,
//! `atomic_contacts`, and what follows from them, `exposed_velocity`.

use crate::scratch::ResidueExposure;
use cuda_std::math::canonical;
use cuda_std::prelude::*;
use shared_types::FeatureRow;
use shared_types::feature::column;

/// Writes the columns, and returns the area of all residues in Å^2.
#[inline(always)]
pub fn features(block: &mut Block, exposure: &[ResidueExposure], output: &mut Segment<FeatureRow>) -> f32 {
    let n = output.len();
    output.update_reduce(
        block,
        n,
        0.0,
        |i, row| {
            let found = exposure.at(i);
            let columns = &mut row.columns;
            columns[column::SASA] = found.area;
            columns[column::RSA] = found.relative;
            columns[column::SASA_APOLAR] = found.apolar;
            columns[column::CX] = found.protrusion;
            columns[column::DEPTH] = found.depth;
            columns[column::ATOMIC_CONTACTS] = found.contacts;
            let exposed = if found.relative > 1.0 { 1.0 } else { found.relative };
            columns[column::EXPOSED_VELOCITY] = canonical(exposed * columns[column::VELOCITY_LOCAL]);
            found.area
        },
        |a, b| a + b,
    )
}
