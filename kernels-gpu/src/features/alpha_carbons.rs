//! The values of a residue that other residues read: position, chain, values from tables and inputs.

use crate::scratch::{AlphaCarbon, Traits};
use crate::vector::Vector;
use bytemuck::{Pod, Zeroable};
use cuda_std::math::{self, NAN};
use cuda_std::prelude::*;
use shared_types::residue::{CHARGE, HYDROPATHY};
use shared_types::{Atom, BatchStructureDesc, NO_CA};

/// Consecutive alpha carbons of one chain closer than 4.3 Å are linked (the rule of Biopython's CaPPBuilder).
const LINK2: f32 = 4.3 * 4.3;

/// The inputs of one structure.
pub struct Inputs<'a> {
    pub atoms: &'a [Atom],
    pub ca_indices: &'a [u32],
    pub residue_types: &'a [u8],
    pub conservation: &'a [f32],
    pub bfactor: &'a [f32],
    pub gisaid_freq: &'a [f32],
    pub gisaid_velocity: &'a [f32],
    pub chain_ids: &'a [u32],
    pub structure: BatchStructureDesc,
}

impl Inputs<'_> {
    /// The row of residue `i` in the batch.
    #[inline(always)]
    fn row(&self, i: u32) -> u32 {
        self.structure.ca_offset + i
    }

    /// Type of residue `i`.
    #[inline(always)]
    pub fn kind(&self, i: u32) -> u32 {
        u32::from(self.residue_types.at(self.row(i)))
    }

    /// Position of residue `i`'s alpha carbon, NaN if it has none.
    #[inline(always)]
    fn position(&self, i: u32) -> [f32; 3] {
        let index = self.ca_indices.at(self.row(i));
        if index == NO_CA {
            return [NAN; 3];
        }
        let atom = self.atoms.at(self.structure.atom_offset + index);
        [atom.x, atom.y, atom.z]
    }

    /// Whether rows `i` and `i + 1` are linked.
    #[inline(always)]
    fn linked(&self, i: u32) -> bool {
        let ([ax, ay, az], [bx, by, bz]) = (self.position(i), self.position(i + 1));
        self.chain_ids.at(self.row(i)) == self.chain_ids.at(self.row(i + 1))
            && Vector { x: bx - ax, y: by - ay, z: bz - az }.norm2() < LINK2
    }

    /// B factor of residue `i`'s alpha carbon, NaN if either is missing.
    #[inline(always)]
    fn bfactor(&self, i: u32) -> f32 {
        if self.ca_indices.at(self.row(i)) == NO_CA { NAN } else { self.bfactor.at(self.row(i)) }
    }
}

/// Whether two alpha carbons that follow each other in the file are linked.
#[inline(always)]
pub fn linked(a: AlphaCarbon, b: AlphaCarbon) -> bool {
    a.same_chain(b) && a.to(b).norm2() < LINK2
}

/// Gathers alpha carbon and traits of every residue.
#[inline(always)]
pub fn gather<V>(
    block: &mut Block,
    inputs: &Inputs,
    n: u32,
    alpha_carbons: &mut Segment<AlphaCarbon>,
    traits: &mut Segment<Traits>,
) {
    alpha_carbons.fill(block, n, |i| {
        let in_fragment = (i > 0 && inputs.linked(i - 1)) || (i + 1 < n && inputs.linked(i));
        let chain = inputs.chain_ids.at(inputs.row(i));
        let charge = CHARGE.at(inputs.kind(i));
        // Unknown values add nothing to the sums of others.
        AlphaCarbon::new(inputs.position(i), chain, if charge.is_nan() { 0.0 } else { charge }, in_fragment)
    });
    traits.fill(block, n, |i| Traits {
        hydropathy: HYDROPATHY.at(inputs.kind(i)),
        conservation: inputs.conservation.at(inputs.row(i)),
        freq: inputs.gisaid_freq.at(inputs.row(i)),
        velocity: inputs.gisaid_velocity.at(inputs.row(i)),
    });
}

/// Whether any residue has an annotation. If not, the sums over annotations are left out.
#[inline(always)]
pub fn is_annotated<V>(block: &mut Block, traits: View<Traits>, n: u32) -> bool {
    let any = block.reduce(
        n,
        0u32,
        |i| {
            let t = traits.get(i);
            u32::from(!(t.conservation.is_nan() && t.freq.is_nan() && t.velocity.is_nan()))
        },
        |a, b| a | b,
    );
    any != 0
}

#[derive(Clone, Copy, Zeroable, Pod)]
#[repr(C)]
struct Readable {
    count: f32,
    sum: f32,
    smallest: f32,
    largest: f32,
}

/// Standardises the B factors over the structure's alpha carbons: column `bfactor_z`.
#[inline(always)]
pub fn standardise_bfactors<V>(block: &mut Block, inputs: &Inputs, n: u32, bfactor_z: &mut Segment<f32>) {
    let none = Readable { count: 0.0, sum: 0.0, smallest: f32::INFINITY, largest: f32::NEG_INFINITY };
    let all = block.reduce(
        n,
        none,
        |i| {
            let b = inputs.bfactor(i);
            if b.is_nan() { none } else { Readable { count: 1.0, sum: b, smallest: b, largest: b } }
        },
        |a, b| Readable {
            count: a.count + b.count,
            sum: a.sum + b.sum,
            smallest: math::smaller(a.smallest, b.smallest),
            largest: math::larger(a.largest, b.largest),
        },
    );
    let mean = all.sum / all.count;
    let squares = block.reduce(
        n,
        0.0,
        |i| {
            let off = inputs.bfactor(i) - mean;
            if off.is_nan() { 0.0 } else { off * off }
        },
        |a, b| a + b,
    );
    let deviation = math::sqrt(squares / all.count);
    let flat = all.smallest == all.largest || deviation == 0.0;
    bfactor_z.fill(block, n, |i| {
        let b = inputs.bfactor(i);
        if b.is_nan() {
            NAN
        } else if flat {
            0.0
        } else {
            (b - mean) / deviation
        }
    });
}
