//! Values of the structure as a whole.

use super::Rows;
use crate::graph::ContactGraph;
use crate::scratch::{AlphaCarbon, ResidueExposure, Shape};
use bytemuck::{Pod, Zeroable};
use cuda_std::math::{NAN, canonical, sqrt};
use cuda_std::prelude::*;
use shared_types::feature::column;
use shared_types::{FeatureRow, StructureSummary};

impl Shape {
    #[inline(always)]
    fn distance2(self, carbon: AlphaCarbon) -> f32 {
        let (x, y, z) = (carbon.x - self.x, carbon.y - self.y, carbon.z - self.z);
        math::fma(x, x, math::fma(y, y, z * z))
    }
}

#[derive(Clone, Copy, Zeroable, Pod)]
#[repr(C)]
struct Sum {
    x: f32,
    y: f32,
    z: f32,
    count: f32,
}

/// Centroid and radius of gyration of the alpha carbons.
#[inline(always)]
pub fn shape<V>(block: &mut Block, n: u32, alpha_carbons: View<AlphaCarbon>) -> Shape {
    let sum = block.reduce(
        n,
        Sum::zeroed(),
        |i| {
            let p = alpha_carbons.get(i);
            if p.exists() { Sum { x: p.x, y: p.y, z: p.z, count: 1.0 } } else { Sum::zeroed() }
        },
        |a, b| Sum { x: a.x + b.x, y: a.y + b.y, z: a.z + b.z, count: a.count + b.count },
    );
    let mut shape = Shape { x: sum.x / sum.count, y: sum.y / sum.count, z: sum.z / sum.count, radius: NAN };
    let squares = block.reduce(
        n,
        0.0,
        |i| {
            let carbon = alpha_carbons.get(i);
            if carbon.exists() { shape.distance2(carbon) } else { 0.0 }
        },
        |a, b| a + b,
    );
    shape.radius = canonical(sqrt(squares / sum.count));
    shape
}

/// Column `centroid_distance`.
#[inline(always)]
pub fn centroid_distances<V>(
    block: &mut Block,
    rows: Rows,
    alpha_carbons: View<AlphaCarbon>,
    shape: Shape,
    output: &mut Segment<FeatureRow>,
) {
    output.update(block, rows.count, |at, row| {
        let carbon = alpha_carbons.get(rows.row(at));
        row.columns[column::CENTROID_DISTANCE] = if !carbon.exists() {
            NAN
        } else if shape.radius > 0.0 {
            sqrt(shape.distance2(carbon)) / shape.radius
        } else {
            0.0
        };
    });
}

/// Accessible area of all residues in Å^2.
#[inline(always)]
pub fn area<V>(block: &mut Block, n: u32, exposure: &[ResidueExposure]) -> f32 {
    block.reduce(n, 0.0, |i| exposure.at(i).area, |a, b| a + b)
}

/// Number of contacts.
#[inline(always)]
pub fn contacts<V>(block: &mut Block, graph: ContactGraph, n: u32) -> u64 {
    block.reduce(n, 0u64, |i| u64::from(graph.degree(i)), |a, b| a + b) / 2
}

/// The structure's summary without its sites, which come later.
#[inline(always)]
pub fn summarise<V>(
    block: &mut Block,
    contacts: u64,
    n: u32,
    atoms: u32,
    area: f32,
    shape: Shape,
    summaries: &mut Segment<StructureSummary>,
) {
    summaries.set(
        block,
        0,
        StructureSummary {
            contacts,
            residues: n,
            atoms,
            radius_of_gyration: shape.radius,
            area,
            sites: 0,
            _padding: 0,
        },
    );
}
