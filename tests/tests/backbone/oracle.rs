//! Angles, bonds and states in f64, one residue after another, from the rules of Kabsch and Sander and of mkdssp 4.
//!
//! Unlike the kernels, it copies complete residues to a separate list, tests every pair for every pattern, and stores
//! ladders as lists of rows.

use prism_host::StructureInput;
use shared_types::NO_CA;
use shared_types::backbone::{NO_ATOM, RoleAtoms};
use tests::vector::{Point, cross, dot, length, minus};

fn distance(a: Point, b: Point) -> f64 {
    length(minus(a, b))
}

/// Dihedral in degrees: the angle between the planes, with the sign of the triple product.
fn dihedral(points: [Option<Point>; 4]) -> Option<f64> {
    let [Some(a), Some(b), Some(c), Some(d)] = points else { return None };
    let (left, right) = (cross(minus(b, a), minus(c, b)), cross(minus(c, b), minus(d, c)));
    let lengths = (dot(left, left) * dot(right, right)).sqrt();
    if lengths == 0.0 {
        return None;
    }
    let angle = (dot(left, right) / lengths).clamp(-1.0, 1.0).acos().to_degrees();
    Some(if dot(left, minus(d, c)) < 0.0 { -angle } else { angle })
}

/// The atoms of a residue by role.
struct Residue {
    chain: u32,
    proline: bool,
    n: Option<Point>,
    ca: Option<Point>,
    c: Option<Point>,
    o: Option<Point>,
    side: [Option<Point>; 5],
}

fn residues(structure: &StructureInput) -> Vec<Residue> {
    let point = |atom: usize| {
        let atom = structure.atoms[atom];
        [f64::from(atom.x), f64::from(atom.y), f64::from(atom.z)]
    };
    (0..structure.n_residues())
        .map(|i| {
            let first = structure.residue_atoms[i] as usize;
            let roles = RoleAtoms::of_words(structure.roles[i]);
            let atom = |role: u8| (role != NO_ATOM).then(|| point(first + usize::from(role)));
            let ca = structure.ca_indices[i];
            Residue {
                chain: structure.chain_ids[i],
                proline: shared_types::RESIDUES[usize::from(structure.residue_types[i])].name == "PRO",
                n: atom(roles.n),
                ca: (ca != NO_CA).then(|| point(ca as usize)),
                c: atom(roles.c),
                o: atom(roles.o),
                side: [roles.beta, roles.gamma, roles.delta, roles.epsilon, roles.zeta].map(atom),
            }
        })
        .collect()
}

/// The expected values of a residue.
#[derive(Clone, Debug, Default)]
pub struct Expected {
    /// phi, psi, omega, chi1 to chi4 in degrees.
    pub angles: [Option<f64>; 7],
    pub nh: Option<f64>,
    pub co: Option<f64>,
    /// A letter; `None` if the residue is incomplete.
    pub state: Option<char>,
}

/// The expected values of a structure, and whether rounding decides one of its states.
pub struct Answer {
    pub rows: Vec<Expected>,
    pub doubtful: bool,
}

/// A complete residue: an entry of their list.
struct Complete {
    row: usize,
    /// Increases by one along the chain, and by more at a break.
    number: usize,
    chain: u32,
    n: Point,
    ca: Point,
    c: Point,
    o: Point,
    h: Option<Point>,
    /// Energies of the two strongest bonds of N-H, with the partners.
    bonds: Vec<(f64, usize)>,
    co: f64,
}

struct List {
    all: Vec<Complete>,
    doubtful: bool,
}

fn bound(a: &Residue, b: &Residue) -> bool {
    a.chain == b.chain && matches!((a.c, b.n), (Some(c), Some(n)) if distance(c, n) <= 2.5)
}

impl List {
    fn new(residues: &[Residue]) -> Self {
        let mut all: Vec<Complete> = Vec::new();
        let mut doubtful = false;
        for (row, residue) in residues.iter().enumerate() {
            let (Some(n), Some(ca), Some(c), Some(o)) = (residue.n, residue.ca, residue.c, residue.o) else { continue };
            let (number, h) = match all.last() {
                None => (0, None),
                Some(before) => {
                    let long = distance(before.c, n);
                    doubtful |= (long - 2.5).abs() < 1e-5;
                    let goes_on = long <= 2.5 && before.chain == residue.chain && before.row + 1 == row;
                    let length = distance(before.c, before.o);
                    let h = [0, 1, 2].map(|k| n[k] + (before.c[k] - before.o[k]) / length);
                    (before.number + if goes_on { 1 } else { 2 }, (!residue.proline && length > 0.0).then_some(h))
                }
            };
            all.push(Complete { row, number, chain: residue.chain, n, ca, c, o, h, bonds: Vec::new(), co: 0.0 });
        }
        let mut list = Self { all, doubtful };
        list.find_bonds();
        list
    }

    fn find_bonds(&mut self) {
        let n = self.all.len();
        let mut co = vec![0.0f64; n];
        for donor in 0..n {
            let mut bonds: Vec<(f64, usize)> = Vec::new();
            for (acceptor, strongest) in co.iter_mut().enumerate() {
                let (d, a) = (&self.all[donor], &self.all[acceptor]);
                let apart = distance(d.ca, a.ca);
                let Some(h) = d.h else { continue };
                if donor == acceptor || donor == acceptor + 1 || apart >= 9.0 + 1e-5 {
                    continue;
                }
                let pairs = [distance(h, a.o), distance(h, a.c), distance(d.n, a.c), distance(d.n, a.o)];
                let exact = if pairs.iter().any(|&r| r < 0.5) {
                    -9.9
                } else {
                    27.888 * (-1.0 / pairs[0] + 1.0 / pairs[1] - 1.0 / pairs[2] + 1.0 / pairs[3])
                };
                let energy = ((exact * 1000.0).round() / 1000.0).max(-9.9);
                if energy < 0.0 {
                    // Values that affect no state, such as a weak energy at the limit of distance, cause no doubt.
                    self.doubtful |= (apart - 9.0).abs() < 1e-5 && energy < -0.45;
                    self.doubtful |= (exact + 0.5005).abs() < 2e-5 || pairs.iter().any(|r| (r - 0.5).abs() < 1e-5);
                    if apart < 9.0 {
                        bonds.push((energy, acceptor));
                        *strongest = strongest.min(energy);
                    }
                }
            }
            bonds.sort_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
            // Which two of three bonds are the strongest, if that matters.
            self.doubtful |= bonds.len() > 2 && bonds[2].0 < -0.45 && bonds[2].0 - bonds[1].0 < 0.0011;
            bonds.truncate(2);
            self.all[donor].bonds = bonds;
        }
        for (residue, co) in self.all.iter_mut().zip(co) {
            residue.co = co;
        }
    }

    fn has_bond(&self, donor: usize, acceptor: usize) -> bool {
        self.all[donor].bonds.iter().any(|&(energy, to)| to == acceptor && energy < -0.5)
    }

    fn unbroken(&self, first: usize, last: usize) -> bool {
        last < self.all.len()
            && self.all[first].chain == self.all[last].chain
            && self.all[last].number - self.all[first].number == last - first
    }

    /// `Some(true)` for a parallel bridge.
    fn bridge(&self, i: usize, j: usize) -> Option<bool> {
        if !self.unbroken(i - 1, i + 1) || !self.unbroken(j - 1, j + 1) {
            return None;
        }
        let bond = |donor, acceptor| self.has_bond(donor, acceptor);
        if (bond(i + 1, j) && bond(j, i - 1)) || (bond(j + 1, i) && bond(i, j - 1)) {
            Some(true)
        } else if (bond(i + 1, j - 1) && bond(j + 1, i - 1)) || (bond(j, i) && bond(i, j)) {
            Some(false)
        } else {
            None
        }
    }

    /// Ladders as pairs of sorted lists of rows.
    fn ladders(&self) -> Vec<(bool, Vec<usize>, Vec<usize>)> {
        let n = self.all.len();
        let mut ladders: Vec<(bool, Vec<usize>, Vec<usize>)> = Vec::new();
        for i in 1..n.saturating_sub(4) {
            for j in i + 3..n - 1 {
                let Some(parallel) = self.bridge(i, j) else { continue };
                let goes_on = ladders.iter_mut().find(|(kind, left, right)| {
                    *kind == parallel
                        && left[left.len() - 1] + 1 == i
                        && if parallel { right[right.len() - 1] + 1 == j } else { right[0] == j + 1 }
                });
                match goes_on {
                    Some((_, left, right)) => {
                        left.push(i);
                        if parallel { right.push(j) } else { right.insert(0, j) }
                    }
                    None => ladders.push((parallel, vec![i], vec![j])),
                }
            }
        }
        ladders.sort_by_key(|(_, left, _)| left[0]);
        let mut at = 0;
        while at < ladders.len() {
            let mut other = at + 1;
            while other < ladders.len() {
                if self.is_bulge(&ladders[at], &ladders[other]) {
                    let (_, left, right) = ladders.remove(other);
                    let joined = &mut ladders[at];
                    joined.1.extend(left);
                    joined.2.extend(right);
                    joined.2.sort_unstable();
                } else {
                    other += 1;
                }
            }
            at += 1;
        }
        ladders
    }

    fn is_bulge(&self, a: &(bool, Vec<usize>, Vec<usize>), b: &(bool, Vec<usize>, Vec<usize>)) -> bool {
        let ends = |rows: &[usize]| (rows[0], rows[rows.len() - 1]);
        let ((ai, ai_end), (aj, aj_end)) = (ends(&a.1), ends(&a.2));
        let ((bi, bi_end), (bj, bj_end)) = (ends(&b.1), ends(&b.2));
        if a.0 != b.0 || bi <= ai_end || bi - ai_end >= 6 {
            return false;
        }
        if !self.unbroken(ai, bi_end) || !self.unbroken(aj.min(bj), aj_end.max(bj_end)) {
            return false;
        }
        let gap = if a.0 { bj.checked_sub(aj_end) } else { aj.checked_sub(bj_end) };
        gap.is_some_and(|gap| gap < 3 || (gap < 6 && bi - ai_end < 3))
    }

    fn states(&mut self, angles: &[[Option<f64>; 7]]) -> Vec<char> {
        let n = self.all.len();
        let mut states = vec!['-'; n];
        for (_, left, right) in self.ladders() {
            let state = if left.len() > 1 { 'E' } else { 'B' };
            for rows in [left, right] {
                for old in &mut states[rows[0]..=rows[rows.len() - 1]] {
                    if *old != 'E' {
                        *old = state;
                    }
                }
            }
        }
        let turn = |size: usize| -> Vec<bool> {
            (0..n).map(|i| i + size < n && self.unbroken(i, i + size) && self.has_bond(i + size, i)).collect()
        };
        let turns = [turn(3), turn(4), turn(5)];
        for (size, letter) in [(4, 'H'), (3, 'G'), (5, 'I')] {
            for i in 1..n {
                if turns[size - 3][i] && turns[size - 3][i - 1] {
                    let rows = i..i + size;
                    let free = rows
                        .clone()
                        .all(|k| states[k] == '-' || states[k] == letter || (letter == 'I' && states[k] == 'H'));
                    if letter == 'H' || free {
                        states[rows].fill(letter);
                    }
                }
            }
        }
        for i in 1..n.saturating_sub(1) {
            if states[i] == '-' {
                let in_turn = (3..6).any(|size| (1..size).any(|back| i >= back && turns[size - 3][i - back]));
                if in_turn {
                    states[i] = 'T';
                } else if i >= 2 && self.unbroken(i - 2, (i + 2).min(n)) {
                    let to = minus(self.all[i].ca, self.all[i - 2].ca);
                    let from = minus(self.all[i + 2].ca, self.all[i].ca);
                    let lengths = (dot(to, to) * dot(from, from)).sqrt();
                    let kappa = if lengths > 0.0 { (dot(to, from) / lengths).acos().to_degrees() } else { 90.0 };
                    self.doubtful |= (kappa - 70.0).abs() < 1e-3;
                    if kappa > 70.0 {
                        states[i] = 'S';
                    }
                }
            }
        }
        let mut doubtful = false;
        let polyproline: Vec<bool> = (0..n)
            .map(|i| {
                let [Some(phi), Some(psi), ..] = angles[self.all[i].row] else { return false };
                doubtful |= [(phi, -75.0), (psi, 145.0)].iter().any(|(x, at)| ((x - at).abs() - 29.0).abs() < 1e-3);
                let inside = i > 0 && self.unbroken(i - 1, i + 1);
                inside && (phi + 75.0).abs() <= 29.0 && (psi - 145.0).abs() <= 29.0
            })
            .collect();
        self.doubtful |= doubtful;
        for i in 0..n.saturating_sub(2) {
            if polyproline[i..i + 3].iter().all(|&is| is) {
                states[i..i + 3].iter_mut().filter(|state| **state == '-').for_each(|state| *state = 'P');
            }
        }
        states
    }
}

/// Computes the expected values of a structure.
pub fn answer(structure: &StructureInput) -> Answer {
    let residues = residues(structure);
    let angles: Vec<[Option<f64>; 7]> = (0..residues.len())
        .map(|i| {
            let own = &residues[i];
            let before = i.checked_sub(1).map(|i| &residues[i]).filter(|before| bound(before, own));
            let after = residues.get(i + 1).filter(|after| bound(own, after));
            // The ends of a cyclic chain of at least three residues.
            let of_chain = |residue: &&Residue| residue.chain == own.chain;
            let count = residues.iter().filter(of_chain).count();
            let (first, last) = (residues.iter().find(of_chain), residues.iter().rfind(of_chain));
            let is = |end: Option<&Residue>| count > 2 && end.is_some_and(|end| std::ptr::eq(end, own));
            let closes = |c: &Residue, n: &Residue| matches!((c.c, n.n), (Some(c), Some(n)) if distance(c, n) <= 2.0);
            let before = before.or_else(|| last.filter(|last| is(first) && closes(last, own)));
            let after = after.or_else(|| first.filter(|first| is(last) && closes(own, first)));
            let [b, g, d, e, z] = own.side;
            [
                dihedral([before.and_then(|r| r.c), own.n, own.ca, own.c]),
                dihedral([own.n, own.ca, own.c, after.and_then(|r| r.n)]),
                dihedral([own.ca, own.c, after.and_then(|r| r.n), after.and_then(|r| r.ca)]),
                dihedral([own.n, own.ca, b, g]),
                dihedral([own.ca, b, g, d]),
                dihedral([b, g, d, e]),
                dihedral([g, d, e, z]),
            ]
        })
        .collect();
    let mut list = List::new(&residues);
    let states = list.states(&angles);
    let mut rows: Vec<Expected> = angles.into_iter().map(|angles| Expected { angles, ..Expected::default() }).collect();
    for (complete, state) in list.all.iter().zip(states) {
        let row = &mut rows[complete.row];
        row.state = Some(state);
        row.nh = complete.h.map(|_| complete.bonds.first().map_or(0.0, |bond| bond.0));
        row.co = Some(complete.co);
    }
    Answer { rows, doubtful: list.doubtful }
}
