//! Hydrogen bonds by the electrostatic energy of Kabsch and Sander.

use super::{Carbon, HydrogenBonds, NOBODY, PeptideAtoms, TEAM};
use crate::boxes::{Boxes, FAN};
#[cfg(not(target_arch = "nvptx64"))]
use crate::reach::{GROUP, WithinReach};
use bytemuck::{Pod, Zeroable};
use cuda_std::math::{fma, reciprocal_sqrt_bounded, round, smaller};
use cuda_std::prelude::*;

/// Alpha carbons of partners are closer than this, in Å.
pub const REACH: f32 = 9.0;
const REACH2: f32 = REACH * REACH;
/// Atoms closer than 0.5 Å, squared, give the lowest energy.
const COLLISION2: f32 = 0.5 * 0.5;
/// The lowest energy in kcal/mol.
const LOWEST: f32 = -9.9;
/// A bond is below this energy in kcal/mol.
const BOND: f32 = -0.5;
/// Charges of 0.42 e on C and O and of 0.20 e on N and H, times 332 Å kcal/mol/e^2.
const COUPLING: f32 = 27.888;
/// Residues that a thread tests at a time: one bit each.
const BATCH: u32 = 32;
#[cfg(not(target_arch = "nvptx64"))]
const _: () = assert!(BATCH == GROUP && BATCH == TEAM);
/// Near residues whose energies a core computes at a time, and the room in its list of them.
#[cfg(not(target_arch = "nvptx64"))]
const TURN: usize = 16;
#[cfg(not(target_arch = "nvptx64"))]
const LISTED: usize = 64;

/// The residues of one structure.
pub struct Chain<'a> {
    pub carbons: Clamped<'a, Carbon>,
    pub peptides: Clamped<'a, PeptideAtoms>,
    pub n: u32,
}

/// All rows of a small structure, for the loops of a core.
#[cfg(not(target_arch = "nvptx64"))]
pub struct AllRows<'a> {
    carbons: &'a [Carbon],
    /// Those behind the last whole batch, and incomplete ones.
    last: [Carbon; BATCH as usize],
    /// Where partners of the rows of this block may be.
    within_reach: WithinReach,
}

#[cfg(not(target_arch = "nvptx64"))]
impl<'a> AllRows<'a> {
    #[inline(always)]
    pub fn new(carbons: &'a [Carbon], within_reach: WithinReach) -> Self {
        let mut last = [Carbon::NOWHERE; BATCH as usize];
        let (_, rest) = carbons.as_chunks::<{ BATCH as usize }>();
        last[..rest.len()].copy_from_slice(rest);
        Self { carbons, last, within_reach }
    }
}

/// The bonds that a thread has found so far.
#[derive(Clone, Copy, Zeroable, Pod)]
#[repr(C)]
struct Found {
    /// Energies of the strongest two bonds of N-H, and their acceptors. Of equal energies the lower row comes first.
    energies: [f32; 2],
    acceptors: [u32; 2],
    /// Energy of the strongest bond of C=O.
    co: f32,
}

impl Found {
    const NOTHING: Self = Self { energies: [0.0; 2], acceptors: [NOBODY; 2], co: 0.0 };

    #[inline(always)]
    fn add(&mut self, energy: f32, acceptor: u32) {
        let before =
            |k: usize| energy < self.energies[k] || (energy == self.energies[k] && acceptor < self.acceptors[k]);
        let (first, second) = (before(0), before(1));
        if first {
            self.energies[1] = self.energies[0];
            self.acceptors[1] = self.acceptors[0];
            self.energies[0] = energy;
            self.acceptors[0] = acceptor;
        } else if second {
            self.energies[1] = energy;
            self.acceptors[1] = acceptor;
        }
    }

    /// Bonds are below [`BOND`].
    #[inline(always)]
    fn bonds(&self) -> HydrogenBonds {
        let bond = |k: usize| if self.energies[k] < BOND { self.acceptors[k] } else { NOBODY };
        HydrogenBonds { acceptors: [bond(0), bond(1)], nh: self.energies[0], co: self.co }
    }

    #[inline(always)]
    #[cfg(target_arch = "nvptx64")]
    fn and(mut self, other: Self) -> Self {
        self.add(other.energies[0], other.acceptors[0]);
        self.add(other.energies[1], other.acceptors[1]);
        self.co = smaller(self.co, other.co);
        self
    }
}

#[inline(always)]
fn distance2([ax, ay, az]: [f32; 3], [bx, by, bz]: [f32; 3]) -> f32 {
    let (x, y, z) = (bx - ax, by - ay, bz - az);
    fma(x, x, fma(y, y, z * z))
}

/// Energy in kcal/mol of a bond from the donor's N-H to the acceptor's C=O, rounded to 0.001.
#[inline(always)]
fn energy(donor: &PeptideAtoms, acceptor: &PeptideAtoms) -> f32 {
    let ho = distance2(donor.h, acceptor.o);
    let hc = distance2(donor.h, acceptor.c);
    let nc = distance2(donor.n, acceptor.c);
    let no = distance2(donor.n, acceptor.o);
    let collide = |a: bool, b: bool, c: bool, d: bool| {
        // Without a branch on a core, so that it computes several energies at a time.
        if cfg!(target_arch = "nvptx64") { a || b || c || d } else { a | b | c | d }
    };
    if collide(ho < COLLISION2, hc < COLLISION2, nc < COLLISION2, no < COLLISION2) {
        return LOWEST;
    }
    let near = reciprocal_sqrt_bounded(no) - reciprocal_sqrt_bounded(ho);
    let far = reciprocal_sqrt_bounded(hc) - reciprocal_sqrt_bounded(nc);
    let energy = round(COUPLING * 1000.0 * (near + far)) / 1000.0;
    if energy < LOWEST { LOWEST } else { energy }
}

impl Chain<'_> {
    /// The complete residue that comes before row `i`, or [`NOBODY`].
    #[inline(always)]
    fn before(&self, i: u32) -> u32 {
        let mut before = i;
        while before > 0 {
            before -= 1;
            if self.carbons.get(before).is(Carbon::COMPLETE) {
                return before;
            }
        }
        NOBODY
    }

    /// The bonds of row `i`, whose partners are looked for among all rows.
    #[inline(always)]
    pub fn bonds_of<V>(
        &self,
        team: &mut Team<TEAM>,
        i: u32,
        #[cfg(not(target_arch = "nvptx64"))] rows: &AllRows,
    ) -> HydrogenBonds {
        let Some(donor) = self.donor(i) else { return HydrogenBonds::NONE };
        #[cfg(target_arch = "nvptx64")]
        let found = self.found::<V>(team, &donor);
        #[cfg(not(target_arch = "nvptx64"))]
        let found = self.found::<V>(team, &donor, rows);
        found.bonds()
    }

    /// The same in a structure with a tree of boxes.
    #[inline(always)]
    pub fn near_bonds_of<V>(&self, team: &mut Team<FAN>, i: u32, boxes: Boxes) -> HydrogenBonds {
        let Some(own) = self.donor(i) else { return HydrogenBonds::NONE };
        let mut near = boxes.near::<V>(team, own.carbon.position, REACH2);
        #[cfg(target_arch = "nvptx64")]
        {
            let mut found = team.per_member(|_| Found::NOTHING);
            while let Some(leaf) = near.next::<V>(team) {
                team.each(&mut found, |k, found| {
                    let j = FAN.wrapping_mul(leaf).wrapping_add(k);
                    if self.is_near(&own, j) {
                        self.try_bonds(&own, j, found);
                    }
                });
            }
            team.combine(&found, Found::and).bonds()
        }
        #[cfg(not(target_arch = "nvptx64"))]
        {
            let mut list = Listed::default();
            let mut found = Found::NOTHING;
            while let Some(leaf) = near.next::<V>(team) {
                let near = team.votes(|k| self.is_near(&own, FAN.wrapping_mul(leaf).wrapping_add(k)));
                list.push(FAN * leaf, near);
                if !list.has_room(FAN) {
                    self.try_listed(&own, &mut list, &mut found);
                }
            }
            self.try_listed(&own, &mut list, &mut found);
            found.bonds()
        }
    }

    /// Row `i`, if it is complete.
    #[inline(always)]
    fn donor(&self, i: u32) -> Option<Own> {
        let carbon = self.carbons.get(i);
        carbon.is(Carbon::COMPLETE).then(|| Own { i, carbon, atoms: self.peptides.get(i), before: self.before(i) })
    }

    /// Whether row `j`, if there is one, may be a partner.
    #[inline(always)]
    fn is_near(&self, own: &Own, j: u32) -> bool {
        // The position of an incomplete residue is NaN.
        (own.carbon.to(self.carbons.get(j)).norm2() < REACH2) & (j < self.n) & (j != own.i)
    }

    /// Tries both bonds with row `j`.
    #[inline(always)]
    #[cfg(target_arch = "nvptx64")]
    fn try_bonds(&self, own: &Own, j: u32, found: &mut Found) {
        let other = self.carbons.get(j);
        let atoms = self.peptides.get(j);
        // An N-H does not bind to the residue before its own.
        if own.carbon.is(Carbon::DONOR) && j != own.before {
            found.add(energy(&own.atoms, &atoms), j);
        }
        if other.is(Carbon::DONOR) && (j < own.i || self.before(j) != own.i) {
            found.co = smaller(energy(&atoms, &own.atoms), found.co);
        }
    }

    /// The bonds that a complete row finds.
    #[inline(always)]
    #[cfg(target_arch = "nvptx64")]
    fn found<V>(&self, team: &mut Team<TEAM>, own: &Own) -> Found {
        let batches = TEAM * self.n.div_ceil(TEAM * BATCH);
        team.reduce_long(
            batches,
            Found::NOTHING,
            |mut found, k| {
                // Neighbouring threads test neighbouring rows.
                let first = k / TEAM * (TEAM * BATCH) + k % TEAM;
                let mut near = 0u32;
                for b in 0..BATCH {
                    if self.is_near(own, first + TEAM * b) {
                        near |= 1 << b;
                    }
                }
                while near != 0 {
                    self.try_bonds(own, first + TEAM * near.trailing_zeros(), &mut found);
                    near &= near - 1;
                }
                found
            },
            Found::and,
        )
    }

    /// The same on a core, which lists some near residues and then computes their energies, many at a time. The result does
    /// not depend on the order.
    #[inline(always)]
    #[cfg(not(target_arch = "nvptx64"))]
    fn found<V>(&self, team: &mut Team<TEAM>, own: &Own, rows: &AllRows) -> Found {
        let mut found = Found::NOTHING;
        let mut list = Listed::default();
        let mut first = 0;
        let (whole, _) = rows.carbons.as_chunks::<{ BATCH as usize }>();
        while first < self.n {
            let number = first / BATCH;
            let mut near = 0u32;
            if rows.within_reach.has(number) {
                let batch = whole.get(number as usize).unwrap_or(&rows.last);
                near = team.votes(|k| {
                    // An incomplete residue is not near anyway. But where a loop reads all words of its elements, the compiler
                    // leaves none of them to a slower loop.
                    let other = batch[k as usize % BATCH as usize];
                    (own.carbon.to(other).norm2() < REACH2) & (other.tag & Carbon::COMPLETE != 0)
                });
            }
            // The residue itself does not count.
            if own.i.wrapping_sub(first) < BATCH {
                near &= !(1 << (own.i - first));
            }
            list.push(first, near);
            first += BATCH;
            // The list has room for the next batch, and there is one.
            if list.has_room(BATCH) && first < self.n {
                continue;
            }
            self.try_listed(own, &mut list, &mut found);
        }
        found
    }

    /// Tries both bonds with each listed row, and empties the list.
    #[inline(always)]
    #[cfg(not(target_arch = "nvptx64"))]
    fn try_listed(&self, own: &Own, list: &mut Listed, found: &mut Found) {
        let mut begin = 0;
        while begin < list.count {
            let rows = &list.rows[begin..list.count.min(begin + TURN)];
            let mut words = [[0.0f32; TURN]; 12];
            for (k, j) in rows.iter().enumerate() {
                let PeptideAtoms { n, h, c, o } = self.peptides.get(*j);
                for axis in 0..3 {
                    words[axis][k] = n[axis];
                    words[3 + axis][k] = h[axis];
                    words[6 + axis][k] = c[axis];
                    words[9 + axis][k] = o[axis];
                }
            }
            let (mut of_nh, mut of_co) = ([0.0f32; TURN], [0.0f32; TURN]);
            for k in 0..TURN {
                let atom = |word: usize| [words[word][k], words[word + 1][k], words[word + 2][k]];
                let atoms = PeptideAtoms { n: atom(0), h: atom(3), c: atom(6), o: atom(9) };
                of_nh[k] = energy(&own.atoms, &atoms);
                of_co[k] = energy(&atoms, &own.atoms);
            }
            for (k, j) in rows.iter().enumerate() {
                // An N-H does not bind to the residue before its own.
                if own.carbon.is(Carbon::DONOR) && *j != own.before {
                    found.add(of_nh[k], *j);
                }
                if self.carbons.get(*j).is(Carbon::DONOR) && (*j < own.i || self.before(*j) != own.i) {
                    found.co = smaller(of_co[k], found.co);
                }
            }
            begin += TURN;
        }
        list.count = 0;
    }
}

/// A complete row that looks for partners.
struct Own {
    i: u32,
    carbon: Carbon,
    atoms: PeptideAtoms,
    /// The complete residue that comes before, or [`NOBODY`].
    before: u32,
}

/// Rows whose energies a core computes together.
#[cfg(not(target_arch = "nvptx64"))]
struct Listed {
    rows: [u32; LISTED],
    count: usize,
}

#[cfg(not(target_arch = "nvptx64"))]
impl Default for Listed {
    #[inline(always)]
    fn default() -> Self {
        Self { rows: [0; LISTED], count: 0 }
    }
}

#[cfg(not(target_arch = "nvptx64"))]
impl Listed {
    /// Adds `first + k` for every bit `k` that is set.
    #[inline(always)]
    fn push(&mut self, first: u32, mut near: u32) {
        while near != 0 {
            self.rows[self.count % LISTED] = first + near.trailing_zeros();
            self.count += 1;
            near &= near - 1;
        }
    }

    #[inline(always)]
    fn has_room(&self, more: u32) -> bool {
        self.count + more as usize <= LISTED
    }
}
