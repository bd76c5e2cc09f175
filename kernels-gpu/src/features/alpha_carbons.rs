//! The values of a residue that other residues read: position, chain, values from tables and inputs.

use crate::scratch::{AlphaCarbon, Traits};
use crate::vector::Vector;
use bytemuck::{Pod, Zeroable};
use cuda_std::math::{self, NAN};
use cuda_std::prelude::*;
use shared_types::residue::{CHARGE, FIRST_NUCLEOTIDE, HYDROPATHY};
use shared_types::{Atom, NO_CA};

/// Consecutive alpha carbons of one chain closer than 4.3 Å are linked (the rule of Biopython's CaPPBuilder).
const LINK2: f32 = 4.3 * 4.3;

/// The inputs of one structure.
pub struct Inputs<'a> {
    pub atoms: View<'a, Atom>,
    pub ca_indices: View<'a, u32>,
    pub residue_types: View<'a, u8>,
    pub chain_ids: View<'a, u32>,
}

/// Position of residue `i`'s alpha carbon, NaN if it has none.
#[inline(always)]
pub fn position(atoms: View<Atom>, ca_indices: View<u32>, i: u32) -> [f32; 3] {
    let index = ca_indices.get(i);
    if index == NO_CA {
        return [NAN; 3];
    }
    let atom = atoms.get(index);
    [atom.x, atom.y, atom.z]
}

impl Inputs<'_> {
    /// Type of residue `i`.
    #[inline(always)]
    pub fn kind(&self, i: u32) -> u32 {
        u32::from(self.residue_types.get(i))
    }

    /// Whether residue `i` is a nucleotide.
    #[inline(always)]
    fn is_nucleotide(&self, i: u32) -> bool {
        self.kind(i) >= u32::from(FIRST_NUCLEOTIDE)
    }

    /// Position of residue `i`'s alpha carbon, NaN if it has none.
    #[inline(always)]
    fn position(&self, i: u32) -> [f32; 3] {
        position(self.atoms, self.ca_indices, i)
    }

    /// Whether rows `i` and `i + 1` are linked.
    #[inline(always)]
    fn linked(&self, i: u32) -> bool {
        let ([ax, ay, az], [bx, by, bz]) = (self.position(i), self.position(i + 1));
        self.chain_ids.get(i) == self.chain_ids.get(i + 1)
            && !self.is_nucleotide(i)
            && !self.is_nucleotide(i + 1)
            && Vector { x: bx - ax, y: by - ay, z: bz - az }.norm2() < LINK2
    }
}

/// Whether two alpha carbons that follow each other in the file are linked. Nucleotides have none.
#[inline(always)]
pub fn linked(a: AlphaCarbon, b: AlphaCarbon) -> bool {
    a.same_protein(b) && a.to(b).norm2() < LINK2
}

/// Gathers the alpha carbon of every residue.
#[inline(always)]
pub fn gather<V>(block: &mut Block, inputs: &Inputs, n: u32, alpha_carbons: &mut Segment<AlphaCarbon>) {
    alpha_carbons.fill(block, n, |i| {
        let in_fragment = (i > 0 && inputs.linked(i - 1)) || (i + 1 < n && inputs.linked(i));
        let chain = inputs.chain_ids.get(i);
        let charge = CHARGE.at(inputs.kind(i));
        // Unknown values add nothing to the sums of others.
        AlphaCarbon::new(
            inputs.position(i),
            chain,
            if charge.is_nan() { 0.0 } else { charge },
            inputs.is_nucleotide(i),
            in_fragment,
        )
    });
}

/// Gathers the traits of every residue, from its type and its annotations: conservation, lineage frequency and velocity.
#[inline(always)]
pub fn gather_traits<V>(
    block: &mut Block,
    inputs: &Inputs,
    [conservation, freq, velocity]: [View<f32>; 3],
    n: u32,
    traits: &mut Segment<Traits>,
) {
    traits.fill(block, n, |i| Traits {
        hydropathy: HYDROPATHY.at(inputs.kind(i)),
        conservation: conservation.get(i),
        freq: freq.get(i),
        velocity: velocity.get(i),
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

/// Standardises the B factors over the structure's alpha carbons: column `bfactor_z`. NaN where one or its B factor is missing.
#[inline(always)]
pub fn standardise_bfactors<V>(
    block: &mut Block,
    inputs: &Inputs,
    bfactor: View<f32>,
    n: u32,
    bfactor_z: &mut Segment<f32>,
) {
    let bfactor = |i| if inputs.ca_indices.get(i) == NO_CA { NAN } else { bfactor.get(i) };
    let none = Readable { count: 0.0, sum: 0.0, smallest: f32::INFINITY, largest: f32::NEG_INFINITY };
    let all = block.reduce(
        n,
        none,
        |i| {
            let b = bfactor(i);
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
            let off = bfactor(i) - mean;
            if off.is_nan() { 0.0 } else { off * off }
        },
        |a, b| a + b,
    );
    let deviation = math::sqrt(squares / all.count);
    let flat = all.smallest == all.largest || deviation == 0.0;
    bfactor_z.fill(block, n, |i| {
        let b = bfactor(i);
        if b.is_nan() {
            NAN
        } else if flat {
            0.0
        } else {
            (b - mean) / deviation
        }
    });
}
