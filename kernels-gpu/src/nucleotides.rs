//! Torsions and sugar puckers of nucleotides.

use crate::vector::{DEGREES, Vector, dihedral};
use cuda_std::math::{NAN, atan2, canonical, sqrt};
use cuda_std::prelude::*;
use shared_types::feature::{NucleotideRow, column};
use shared_types::nucleotide::{ABSENT, NO_NUCLEOTIDE, NucleotideAtoms};
use shared_types::{Atom, BatchStructureDesc, NO_CA};

/// The longest bond of O3' and P in Å, squared: beyond it the chain breaks.
const BOND2: f32 = 2.5 * 2.5;
/// Twice the sum of the sines of 36 and 72 degrees.
const SINES: f32 = 3.077_683_5;
/// Degrees of a pucker.
const PUCKER: f32 = 36.0;

const NOWHERE: Vector = Vector { x: NAN, y: NAN, z: NAN };

/// Writes the torsions of every nucleotide; rows of other residues are NaN. Block `i` takes structure `i`.
///
/// - `output`: one row per residue.
/// - `residue_atoms`: per residue, its first atom, counted from the structure's first atom.
/// - `nucleotide_atoms`: per residue, [`NucleotideAtoms`] as words.
/// - `atoms`, `ca_indices`, `descriptors`, `chain_ids`: as in the fused kernel; a nucleotide has its C1' in `ca_indices`.
#[kernel(threads = 128, blocks_per_sm = 8)]
pub fn nucleotide_torsions(
    block: &mut Block,
    output: &mut Segment<NucleotideRow>,
    atoms: &[Atom],
    ca_indices: &[u32],
    descriptors: &[BatchStructureDesc],
    chain_ids: &[u32],
    residue_atoms: &[u32],
    nucleotide_atoms: &[[u32; 3]],
) {
    let structure = descriptors.at(block.index());
    let (first, n) = (structure.ca_offset, structure.n_residues);
    let inputs = Inputs {
        atoms: atoms.part(structure.atom_offset, structure.n_atoms),
        ca_indices: ca_indices.part(first, n),
        chain_ids: chain_ids.part(first, n),
        residue_atoms: residue_atoms.part(first, n),
        nucleotide_atoms: nucleotide_atoms.part(first, n),
        n,
    };
    output.fill(block, n, |i| inputs.row(i));
}

/// The inputs of one structure.
struct Inputs<'a> {
    atoms: &'a [Atom],
    ca_indices: &'a [u32],
    chain_ids: &'a [u32],
    residue_atoms: &'a [u32],
    nucleotide_atoms: &'a [[u32; 3]],
    n: u32,
}

impl Inputs<'_> {
    #[inline(always)]
    fn named(&self, i: u32) -> NucleotideAtoms {
        NucleotideAtoms::of_words(self.nucleotide_atoms.at(i))
    }

    #[inline(always)]
    fn position(&self, atom: u32) -> Vector {
        let Atom { x, y, z, .. } = self.atoms.at(atom);
        Vector { x, y, z }
    }

    /// The position of atom number `offset` of residue `i`.
    #[inline(always)]
    fn atom(&self, i: u32, offset: u8) -> Vector {
        if offset == ABSENT { NOWHERE } else { self.position(self.residue_atoms.at(i) + u32::from(offset)) }
    }

    /// Whether residue `i`, whose O3' is at `o3`, is bound to the next row, whose P is at `p`.
    #[inline(always)]
    fn are_bound(&self, i: u32, o3: Vector, p: Vector) -> bool {
        self.chain_ids.at(i) == self.chain_ids.at(i + 1) && p.minus(o3).norm2() <= BOND2
    }

    #[inline(always)]
    fn row(&self, i: u32) -> NucleotideRow {
        let mut columns = [NAN; 12];
        if self.nucleotide_atoms.at(i) == NO_NUCLEOTIDE {
            return NucleotideRow { columns };
        }
        let own = self.named(i);
        let (p, o5, c5) = (self.atom(i, own.p), self.atom(i, own.o5), self.atom(i, own.c5));
        let (c4, c3, o3) = (self.atom(i, own.c4), self.atom(i, own.c3), self.atom(i, own.o3));
        let (c2, o4) = (self.atom(i, own.c2), self.atom(i, own.o4));
        let index = self.ca_indices.at(i);
        let c1 = if index == NO_CA { NOWHERE } else { self.position(index) };
        if i > 0 {
            let before = self.atom(i - 1, self.named(i - 1).o3);
            if self.are_bound(i - 1, before, p) {
                columns[column::ALPHA] = dihedral(before, p, o5, c5);
            }
        }
        columns[column::BETA] = dihedral(p, o5, c5, c4);
        columns[column::GAMMA] = dihedral(o5, c5, c4, c3);
        columns[column::DELTA] = dihedral(c5, c4, c3, o3);
        if i + 1 < self.n {
            let next = self.named(i + 1);
            let after = self.atom(i + 1, next.p);
            if self.are_bound(i, o3, after) {
                columns[column::EPSILON] = dihedral(c4, c3, o3, after);
                columns[column::ZETA] = dihedral(c3, o3, after, self.atom(i + 1, next.o5));
            }
        }
        columns[column::CHI] = dihedral(o4, c1, self.atom(i, own.base), self.atom(i, own.chi));
        let (phase, amplitude) = pseudorotation([
            dihedral(c4, o4, c1, c2),
            dihedral(o4, c1, c2, c3),
            dihedral(c1, c2, c3, c4),
            dihedral(c2, c3, c4, o4),
            dihedral(c3, c4, o4, c1),
        ]);
        columns[column::PUCKER_PHASE] = phase;
        columns[column::PUCKER_AMPLITUDE] = amplitude;
        columns[column::PUCKER] = if phase.is_nan() { NAN } else { (phase / PUCKER) as u32 as f32 };
        NucleotideRow { columns }
    }
}

/// Phase and amplitude in degrees of a ring's torsions (Altona and Sundaralingam 1972), the phase in [0, 360).
#[inline(always)]
fn pseudorotation(nu: [f32; 5]) -> (f32, f32) {
    let (y, x) = ((nu[4] + nu[1]) - (nu[3] + nu[0]), nu[2] * SINES);
    let turn = atan2(y, x) * DEGREES;
    let turn = if turn < 0.0 { turn + 360.0 } else { turn };
    // A small negative angle and 360 add up to 360.
    let phase = if turn >= 360.0 { 0.0 } else { turn };
    (canonical(phase), canonical(sqrt(y * y + x * x) / SINES))
}
