//! Pairs and stacks of bases.

use crate::interactions::bases::{Base, Edge};
use crate::interactions::cells::each_pair;
use crate::interactions::elements::{N, O};
use crate::interactions::geometry::{Point, acute, between, cross, distance, dot, minus, plus, times, unit};
use crate::interactions::hydrogens::pointing;
use crate::interactions::kinds::Kind;
use crate::interactions::search::Search;
use crate::interactions::{BasePair, Interaction};
use std::collections::{BTreeMap, HashMap};

/// Nitrogen and oxygen of a pair are no farther apart, in Å.
const CONTACT: f64 = 3.6;
/// A hydrogen bond: from the hydrogen to the acceptor, in Å, and the angle at the hydrogen.
const HYDROGEN: f64 = 2.5;
const AT_HYDROGEN: f64 = 120.0;
/// The height between two bases of a pair in Å, and the angle between their planes.
const HEIGHT: f64 = 2.5;
const PLANES: f64 = 65.0;
/// Stacked bases: distance of the centres of rings in Å, the angle between planes, and those between normals and the line of centres.
const STACKED: f64 = 4.5;
const STACKED_PLANES: f64 = 23.0;
const STACKED_SHIFT: f64 = 40.0;

/// Two atoms of two bases or sugars.
struct Contact {
    atoms: [u32; 2],
    is_hydrogen_bond: bool,
}

/// Finds the pairs.
pub(super) fn find_pairs(search: &Search, found: &mut Vec<Interaction>) {
    let bases = Base::all(&search.system);
    let of_residue: HashMap<u32, &Base> = bases.iter().map(|base| (base.residue, base)).collect();
    let mut pairs: Vec<(Interaction, [usize; 3])> = Vec::new();
    for ([a, b], Contacts { counted, near }) in contacts(search, &of_residue) {
        let (one, other) = (of_residue[&a], of_residue[&b]);
        if are_side_by_side(one, other) && !are_stacked(one, other) {
            let pair = pair(search, one, other, &counted);
            let rank = pair
                .pair
                .as_ref()
                .map_or([0; 3], |own| [own.hydrogen_bonds as usize, usize::from(&*own.class == "cWW"), near]);
            pairs.push((pair, rank));
        }
    }
    // Of several pairs of a base the one with the most hydrogen bonds is its best, of equal ones cWW, then the one with the most contacts, then
    // the first.
    let mut best: HashMap<u32, usize> = HashMap::new();
    for (index, (pair, rank)) in pairs.iter().enumerate() {
        for residue in pair.residues {
            let own = best.entry(residue).or_insert(index);
            if *rank > pairs[*own].1 {
                *own = index;
            }
        }
    }
    for (index, (mut pair, _)) in pairs.into_iter().enumerate() {
        let is_best = pair.residues.iter().all(|residue| best[residue] == index);
        if let Some(own) = &mut pair.pair {
            own.is_best = is_best;
        }
        found.push(pair);
    }
}

/// The contacts of two bases, or of a base and the other's sugar.
#[derive(Default)]
struct Contacts {
    /// The hydrogen bonds among them, or all if there is none.
    counted: Vec<Contact>,
    /// The number of all.
    near: usize,
}

/// Contacts by the residues of both bases.
fn contacts(search: &Search, bases: &HashMap<u32, &Base>) -> BTreeMap<[u32; 2], Contacts> {
    let system = &search.system;
    let is_polar = |atom: u32| [N, O].contains(&system.element(atom));
    let name = |atom: u32| &*system.atoms[atom as usize].name;
    let is_of_chain = |atom: u32| matches!(name(atom), "O5'" | "OP1" | "OP2" | "OP3");
    let is_of_base = |atom: u32| !name(atom).ends_with('\'');
    let mut all: BTreeMap<[u32; 2], Contacts> = BTreeMap::new();
    for near in search.near.iter().filter(|near| near.distance <= CONTACT) {
        let (mut atoms, residues) = ([near.a, near.b], [near.a, near.b].map(|atom| search.residue(atom)));
        let are_of_bases = residues.iter().all(|residue| bases.contains_key(residue));
        if !are_of_bases
            || atoms.iter().any(|&atom| !is_polar(atom) || is_of_chain(atom))
            || !atoms.iter().any(|&atom| is_of_base(atom))
        {
            continue;
        }
        if residues[0] > residues[1] {
            atoms.swap(0, 1);
        }
        let is_hydrogen_bond = are_bound(search, atoms[0], atoms[1]) || are_bound(search, atoms[1], atoms[0]);
        let key = atoms.map(|atom| search.residue(atom));
        let own = all.entry(key).or_default();
        own.near += 1;
        own.counted.push(Contact { atoms, is_hydrogen_bond });
    }
    for Contacts { counted, .. } in all.values_mut() {
        if counted.iter().any(|contact| contact.is_hydrogen_bond) {
            counted.retain(|contact| contact.is_hydrogen_bond);
        }
        counted.sort_by_key(|contact| contact.atoms);
    }
    // Where hydrogens are in the file, they say that there is no bond.
    let has_hydrogens = |residue: u32| {
        system.residues[residue as usize].range().any(|atom| !system.hydrogens_of(atom as u32).is_empty())
    };
    all.retain(|residues, contacts| {
        contacts.counted.iter().any(|contact| contact.is_hydrogen_bond)
            || !residues.iter().any(|&residue| has_hydrogens(residue))
    });
    all
}

/// Whether a donor's hydrogen points at an acceptor.
fn are_bound(search: &Search, donor: u32, acceptor: u32) -> bool {
    let [of_donor, of_acceptor] = [donor, acceptor].map(|atom| search.chemistry[atom as usize]);
    of_donor.donates
        && of_acceptor.accepts
        && pointing(&search.system, of_donor.hydrogens, donor, search.system.at(acceptor))
            .is_some_and(|best| best.distance <= HYDROGEN && best.angle >= AT_HYDROGEN)
}

/// Whether two bases lie about in one plane.
fn are_side_by_side(one: &Base, other: &Base) -> bool {
    let side = if dot(one.normal, other.normal) < 0.0 { -1.0 } else { 1.0 };
    let Some(mean) = unit(plus(one.normal, times(other.normal, side))) else { return false };
    dot(minus(other.origin, one.origin), mean).abs() <= HEIGHT && acute(one.normal, other.normal) <= PLANES
}

/// The lines between centres of rings of two bases that are near.
fn lines(one: &Base, other: &Base) -> Vec<Point> {
    let all = one.rings.iter().flat_map(|a| other.rings.iter().map(move |b| minus(*b, *a)));
    all.filter(|line| dot(*line, *line) <= STACKED * STACKED).collect()
}

fn are_stacked(one: &Base, other: &Base) -> bool {
    let lines = lines(one, other);
    let is_along = |line: &Point| [one, other].iter().all(|base| acute(base.normal, *line) < STACKED_SHIFT);
    !lines.is_empty() && acute(one.normal, other.normal) < STACKED_PLANES && lines.iter().all(is_along)
}

fn pair(search: &Search, one: &Base, other: &Base, contacts: &[Contact]) -> Interaction {
    let name = |atom: u32| &*search.system.atoms[atom as usize].name;
    let edge = |end: usize, base: &Base| {
        let on = |edge: &Edge| {
            contacts.iter().filter(|contact| base.edges_of(name(contact.atoms[end])).any(|own| own == *edge)).count()
        };
        // The first of equal ones.
        let most = Edge::ALL.iter().map(on).max().unwrap_or(0);
        Edge::ALL.into_iter().find(|edge| most > 0 && on(edge) == most).map_or('.', Edge::letter)
    };
    let line = minus(other.centre(), one.centre());
    let is_cis = dot(cross(line, one.to_sugar), cross(line, other.to_sugar)) >= 0.0;
    let class = format!("{}{}{}", if is_cis { 'c' } else { 't' }, edge(0, one), edge(1, other));
    let atoms = |end: usize| {
        let mut atoms: Vec<u32> = contacts.iter().map(|contact| contact.atoms[end]).collect();
        atoms.sort_unstable();
        atoms.dedup();
        atoms
    };
    let bonds = contacts.iter().filter(|contact| contact.is_hydrogen_bond).count() as u32;
    Interaction {
        angle: acute(one.normal, other.normal),
        pair: Some(BasePair { class: class.into(), hydrogen_bonds: bonds, is_best: false }),
        ..search.of_groups(Kind::BasePair, &atoms(0), &atoms(1), distance(one.centre(), other.centre()))
    }
}

/// Finds the stacks.
pub(super) fn find_stacks(search: &Search, found: &mut Vec<Interaction>) {
    let bases = Base::all(&search.system);
    let rings: Vec<(usize, Point)> =
        bases.iter().enumerate().flat_map(|(index, base)| base.rings.iter().map(move |&ring| (index, ring))).collect();
    let points: Vec<Point> = rings.iter().map(|(_, ring)| *ring).collect();
    let mut near: BTreeMap<[usize; 2], f64> = BTreeMap::new();
    each_pair(&points, STACKED, |a, b, distance2| {
        let [a, b] = [a, b].map(|ring| rings[ring as usize].0);
        if a != b {
            let least = near.entry([a.min(b), a.max(b)]).or_insert(distance2);
            *least = least.min(distance2);
        }
    });
    for ([a, b], distance2) in near {
        let (one, other) = (&bases[a], &bases[b]);
        if are_stacked(one, other) {
            found.push(Interaction {
                angle: between(one.normal, other.normal),
                ..search.of_groups(Kind::BaseStack, &one.atoms, &other.atoms, distance2.sqrt())
            });
        }
    }
}
