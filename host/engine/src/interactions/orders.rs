//! Orders of bonds by geometry, for molecules whose bonds no table has: planar atoms, bond lengths, and functional groups.

use super::elements::{C, N, O, P, S, SE};
use super::geometry::{Point, angle, distance, dot, minus, normal};
use super::model::{Atom, Order};
use super::rings::{deviation, small_rings};
use std::collections::{HashMap, HashSet};

/// Three neighbours lie around a planar atom if it is no farther from their plane than this; a tetrahedral carbon is 0.5 Å from it.
const PLANAR: f64 = 0.2;
/// Rings whose atoms are farther from their plane are not aromatic.
pub(super) const FLAT: f64 = 0.15;

/// The bonds with their orders. `bonds` are those of one molecule.
pub(super) fn guess(atoms: &[Atom], bonds: &[(u32, u32)]) -> Vec<(u32, u32, Order)> {
    let mut near: HashMap<u32, Vec<u32>> = HashMap::new();
    for &(a, b) in bonds {
        near.entry(a).or_default().push(b);
        near.entry(b).or_default().push(a);
    }
    let of = |atom: u32| near.get(&atom).map_or(&[][..], Vec::as_slice);
    let at = |atom: u32| atoms[atom as usize].position;
    let element = |atom: u32| atoms[atom as usize].element;
    let apart = |a: u32, b: u32| distance(at(a), at(b));
    let mut members: Vec<u32> = near.keys().copied().collect();
    members.sort_unstable();
    let rings: Vec<Vec<u32>> = small_rings(&members, of)
        .into_iter()
        .filter(|ring| {
            let points: Vec<Point> = ring.iter().map(|&atom| at(atom)).collect();
            let lengths: f64 = (0..ring.len()).map(|k| apart(ring[k], ring[(k + 1) % ring.len()])).sum();
            let usual = |atom: &u32| [C, N, O, S, SE].contains(&element(*atom)) && of(*atom).len() <= 3;
            // Bonds of sulfur are longer.
            let longest = if ring.iter().any(|&atom| matches!(element(atom), S | SE)) { 1.60 } else { 1.46 };
            deviation(&points) <= FLAT && ring.iter().all(usual) && lengths / ring.len() as f64 <= longest
        })
        .collect();
    let ring_atoms: HashSet<u32> = rings.iter().flatten().copied().collect();
    let in_ring = |atom: u32| ring_atoms.contains(&atom);
    let terminal = |atom: u32, of_element| element(atom) == of_element && of(atom).len() == 1;
    let is_planar = |atom: u32| match *of(atom) {
        [a, b, c] => {
            let points = [at(a), at(b), at(c)];
            normal(&points, points[0]).is_some_and(|normal| dot(minus(at(atom), points[0]), normal).abs() < PLANAR)
        }
        _ => false,
    };
    // How much a bond is shorter than a single one.
    let shortening = |a: u32, b: u32| {
        let single = match (element(a), element(b)) {
            (C, C) => 1.54,
            (C, N) | (N, C) => 1.47,
            (C, O) | (O, C) => 1.43,
            (N, N) => 1.45,
            (N, O) | (O, N) => 1.43,
            (C, S) | (S, C) => 1.82,
            (P, O) | (O, P) => 1.63,
            (S, O) | (O, S) => 1.60,
            _ => return 0.0,
        };
        single - apart(a, b)
    };
    let is_unsaturated = |atom: u32| match (element(atom), of(atom)) {
        (C, [_, _, _]) => is_planar(atom),
        (C | N, [_, _]) if in_ring(atom) => true,
        (C, [a, b]) => angle(at(*a), at(atom), at(*b)) > 160.0 || shortening(atom, *a).max(shortening(atom, *b)) > 0.13,
        (N, [a, b]) => shortening(atom, *a).max(shortening(atom, *b)) > 0.13,
        (C, [a]) => shortening(atom, *a) > 0.13,
        (N, [a]) => shortening(atom, *a) > 0.16,
        (O | S, [a]) => shortening(atom, *a) > 0.13 || of(*a).iter().filter(|&&other| terminal(other, O)).count() > 1,
        _ => false,
    };
    let unsaturated: HashSet<u32> = members.iter().copied().filter(|&atom| is_unsaturated(atom)).collect();
    let mut orders: HashMap<(u32, u32), Order> = bonds.iter().map(|&bond| (bond, Order::Single)).collect();
    let key = |a: u32, b: u32| if orders.contains_key(&(a, b)) { (a, b) } else { (b, a) };
    let mut candidates: Vec<(f64, u32, u32)> = bonds
        .iter()
        .filter(|(a, b)| unsaturated.contains(a) && unsaturated.contains(b))
        .map(|&(a, b)| {
            // Carbonyls come first, and rings before what hangs on them.
            let bonus = if [a, b].iter().any(|&atom| terminal(atom, O)) { 1.0 } else { 0.0 };
            let bonus = if in_ring(a) && in_ring(b) { bonus + 0.1 } else { bonus };
            (shortening(a, b) + bonus, a, b)
        })
        .collect();
    candidates.sort_by(|x, y| y.0.total_cmp(&x.0).then((x.1, x.2).cmp(&(y.1, y.2))));
    let mut is_done: HashSet<u32> = HashSet::new();
    let mut chosen: Vec<((u32, u32), Order)> = Vec::new();
    for (_, a, b) in candidates {
        if is_done.contains(&a) || is_done.contains(&b) {
            continue;
        }
        // A nitrogen that ends a line is that of a nitrile.
        let is_line = |end: u32, middle: u32| {
            of(end).len() == 1 && matches!(*of(middle), [c, d] if angle(at(c), at(middle), at(d)) > 160.0)
        };
        let order = if is_line(a, b) || is_line(b, a) { Order::Triple } else { Order::Double };
        is_done.extend([a, b]);
        chosen.push((key(a, b), order));
    }
    // Sulfur and phosphorus have no planes: one double bond of a phosphate, two of a sulfone.
    for &atom in &members {
        let most = match element(atom) {
            P => 1,
            S if of(atom).len() >= 3 => 2,
            N if of(atom).len() == 3 && of(atom).iter().filter(|&&end| terminal(end, O)).count() == 2 => 1,
            _ => 0,
        };
        let oxygens = of(atom).iter().filter(|&&end| terminal(end, O) && !is_done.contains(&end));
        chosen.extend(oxygens.take(most).map(|&oxygen| (key(atom, oxygen), Order::Double)));
    }
    // What is left of an aromatic ring, in which not all atoms found a partner.
    for ring in &rings {
        for k in 0..ring.len() {
            let [a, b] = [ring[k], ring[(k + 1) % ring.len()]];
            let lacks = |atom: u32| element(atom) == C && !is_done.contains(&atom);
            if lacks(a) || lacks(b) {
                chosen.push((key(a, b), Order::Aromatic));
            }
        }
    }
    for (bond, order) in chosen {
        if let Some(own) = orders.get_mut(&bond)
            && *own == Order::Single
        {
            *own = order;
        }
    }
    bonds.iter().map(|&(a, b)| (a, b, orders[&(a, b)])).collect()
}
