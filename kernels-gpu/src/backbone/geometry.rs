//! Dihedral angles of a residue, and the atoms of its hydrogen bonds.

use super::{Carbon, PeptideAtoms};
use crate::vector::{Vector, dihedral};
use cuda_std::math::{NAN, canonical};
use cuda_std::prelude::*;
use shared_types::backbone::{NO_ATOM, RoleAtoms};
use shared_types::feature::{BackboneRow, column};
use shared_types::residue::{PROLINE, parent_of};
use shared_types::{Atom, NO_CA};

/// The longest peptide bond in Å, squared: beyond it the chain breaks.
const PEPTIDE_BOND2: f32 = 2.5 * 2.5;

const NOWHERE: Vector = Vector { x: NAN, y: NAN, z: NAN };

/// The inputs of one structure.
pub struct Inputs<'a> {
    pub atoms: &'a [Atom],
    pub ca_indices: &'a [u32],
    pub residue_types: &'a [u8],
    pub chain_ids: &'a [u32],
    pub residue_atoms: &'a [u32],
    pub roles: &'a [[u32; 2]],
    pub closures: &'a [u32],
    pub n: u32,
}

/// N, CA, C and O of a residue; NaN where one is missing.
#[derive(Clone, Copy)]
struct Backbone {
    n: Vector,
    ca: Vector,
    c: Vector,
    o: Vector,
}

impl Backbone {
    #[inline(always)]
    fn is_complete(&self) -> bool {
        !(self.n.x.is_nan() || self.ca.x.is_nan() || self.c.x.is_nan() || self.o.x.is_nan())
    }
}

impl Inputs<'_> {
    #[inline(always)]
    fn roles(&self, i: u32) -> RoleAtoms {
        RoleAtoms::of_words(self.roles.at(i))
    }

    #[inline(always)]
    fn position(&self, atom: u32) -> Vector {
        let Atom { x, y, z, .. } = self.atoms.at(atom);
        Vector { x, y, z }
    }

    /// The position of atom number `role` of residue `i`.
    #[inline(always)]
    fn atom(&self, i: u32, role: u8) -> Vector {
        if role == NO_ATOM { NOWHERE } else { self.position(self.residue_atoms.at(i) + u32::from(role)) }
    }

    #[inline(always)]
    fn alpha(&self, i: u32) -> Vector {
        let index = self.ca_indices.at(i);
        if index == NO_CA { NOWHERE } else { self.position(index) }
    }

    #[inline(always)]
    fn backbone(&self, i: u32) -> Backbone {
        let roles = self.roles(i);
        Backbone { n: self.atom(i, roles.n), ca: self.alpha(i), c: self.atom(i, roles.c), o: self.atom(i, roles.o) }
    }

    /// Whether residue `i`, whose C is at `c`, is bound to the next row, whose N is at `n`.
    #[inline(always)]
    fn are_bound(&self, i: u32, c: Vector, n: Vector) -> bool {
        self.chain_ids.at(i) == self.chain_ids.at(i + 1) && n.minus(c).norm2() <= PEPTIDE_BOND2
    }

    /// The other end of the cyclic chain that residue `i` closes; `i` if there is none.
    #[inline(always)]
    fn closure(&self, i: u32) -> u32 {
        let other = self.closures.at(i);
        if other < self.n && self.chain_ids.at(other) == self.chain_ids.at(i) { other } else { i }
    }

    /// The direction from O to C of the complete residue that comes before; NaN if there is none.
    #[inline(always)]
    fn direction_before(&self, i: u32) -> Vector {
        let mut before = i;
        while before > 0 {
            before -= 1;
            let residue = self.backbone(before);
            if residue.is_complete() {
                return residue.c.minus(residue.o).unit();
            }
        }
        NOWHERE
    }

    /// The position of the hydrogen on N of residue `i`; NaN for proline, modified or not, and if no complete residue comes before.
    #[inline(always)]
    fn hydrogen(&self, i: u32, n: Vector) -> Vector {
        if parent_of(self.residue_types.at(i)) == Some(PROLINE) {
            return NOWHERE;
        }
        n.plus(self.direction_before(i))
    }

    #[inline(always)]
    pub fn carbon(&self, i: u32) -> Carbon {
        let own = self.backbone(i);
        if !own.is_complete() {
            return Carbon { position: [NAN; 3], tag: 0 };
        }
        let mut tag = Carbon::COMPLETE;
        if i + 1 < self.n {
            let next = self.backbone(i + 1);
            if next.is_complete() && self.are_bound(i, own.c, next.n) {
                tag |= Carbon::LINKED;
            }
        }
        if !self.hydrogen(i, own.n).x.is_nan() {
            tag |= Carbon::DONOR;
        }
        Carbon { position: own.ca.array(), tag }
    }

    #[inline(always)]
    pub fn peptide(&self, i: u32) -> PeptideAtoms {
        let own = self.backbone(i);
        let known = |v: Vector| v.array().map(canonical);
        let h = if own.is_complete() { self.hydrogen(i, own.n) } else { NOWHERE };
        PeptideAtoms { n: known(own.n), h: known(h), c: known(own.c), o: known(own.o) }
    }

    /// The row of residue `i` with its angles; other columns are NaN.
    #[inline(always)]
    pub fn angles(&self, i: u32) -> BackboneRow {
        let roles = self.roles(i);
        let (n, ca, c) = (self.atom(i, roles.n), self.alpha(i), self.atom(i, roles.c));
        let (mut phi, mut psi, mut omega) = (NAN, NAN, NAN);
        if i > 0 {
            let before = self.atom(i - 1, self.roles(i - 1).c);
            if self.are_bound(i - 1, before, n) {
                phi = dihedral(before, n, ca, c);
            }
        }
        if i + 1 < self.n {
            let next = self.atom(i + 1, self.roles(i + 1).n);
            if self.are_bound(i, c, next) {
                psi = dihedral(n, ca, c, next);
                omega = dihedral(ca, c, next, self.alpha(i + 1));
            }
        }
        // The ends of a cyclic chain are neighbours, too.
        let other = self.closure(i);
        if other > i {
            let before = self.atom(other, self.roles(other).c);
            if n.minus(before).norm2() <= PEPTIDE_BOND2 {
                phi = dihedral(before, n, ca, c);
            }
        } else if other < i {
            let next = self.atom(other, self.roles(other).n);
            if next.minus(c).norm2() <= PEPTIDE_BOND2 {
                psi = dihedral(n, ca, c, next);
                omega = dihedral(ca, c, next, self.alpha(other));
            }
        }
        let beta = self.atom(i, roles.beta);
        let gamma = self.atom(i, roles.gamma);
        let delta = self.atom(i, roles.delta);
        let epsilon = self.atom(i, roles.epsilon);
        let zeta = self.atom(i, roles.zeta);
        let mut columns = [NAN; 12];
        columns[column::PHI] = phi;
        columns[column::PSI] = psi;
        columns[column::OMEGA] = omega;
        columns[column::CHI1] = dihedral(n, ca, beta, gamma);
        columns[column::CHI2] = dihedral(ca, beta, gamma, delta);
        columns[column::CHI3] = dihedral(beta, gamma, delta, epsilon);
        columns[column::CHI4] = dihedral(gamma, delta, epsilon, zeta);
        BackboneRow { columns }
    }
}
