//! Bonds within residues by templates, the dictionary or geometry, and between residues by the file and by distance.

use super::cells::each_pair;
use super::elements::{C, Element, H, N, O, P, S};
use super::gather::{Components, Gathered, Named, NamedEnd};
use super::geometry::distance;
use super::model::{Class, Order, Residue};
use super::orders;
use super::search::Near;
use super::templates::template;
use foldhash::{HashMap, HashMapExt as _, HashSet};
use prism_read::LinkKind;
use std::collections::hash_map::Entry;
use std::sync::Arc;

/// Two atoms are bonded where they are closer than the sum of their covalent radii and this, as in Open Babel (Meng and Lewis 1991,
/// J. Comput. Chem. 12:891).
const TOLERANCE: f64 = 0.45;
/// The same between residues, where atoms of different molecules may come near.
const TOLERANCE_BETWEEN: f64 = 0.25;
/// Bonds between residues are shorter than that sum by no more. One of the inhibitor in 4EJD is by 0.29 Å.
const SHORTER_BETWEEN: f64 = 0.3;
/// Two residues have no more bonds that the file does not name.
const MOST_BETWEEN: usize = 2;
/// Atoms closer than this are alternatives of one atom.
const TOO_NEAR: f64 = 0.6;
/// Atoms of different residues closer than this clash: the shortest bond of two heavy atoms, that of N2, is 1.10 Å long.
const TOO_NEAR_BETWEEN: f64 = 1.0;
/// No bond of elements with a radius is longer.
const LONGEST: f64 = 3.3;
/// Bonds of a polymer's backbone are no longer.
const BACKBONE: f64 = 2.0;
/// Sulfurs of a disulfide are no farther apart.
const DISULFIDE: f64 = 2.5;

/// A bond between residues that is not of a polymer's backbone.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Link {
    pub(super) kind: LinkKind,
    pub(super) atoms: [u32; 2],
}

/// The bonds of a structure.
pub(super) struct Found {
    pub(super) bonds: Vec<(u32, u32, Order)>,
    pub(super) links: Vec<Link>,
    /// Names of components whose bonds follow from geometry.
    pub(super) by_geometry: Vec<Arc<str>>,
}

/// Finds the bonds. `near` are pairs of atoms of different residues, none of them water. Of several tables of components that have a
/// name, the first counts.
pub(super) fn find(from: &Gathered, near: &[Near], components: &[&Components], named: &[Named]) -> Found {
    let mut found = Found { bonds: Vec::new(), links: Vec::new(), by_geometry: Vec::new() };
    within_residues(from, components, &mut found);
    found.by_geometry.sort_unstable();
    found.by_geometry.dedup();
    let within = found.bonds.len();
    backbone(from, &mut found.bonds);
    by_name(from, named, &mut found.links);
    by_distance(from, near, &found.bonds[within..], &mut found.links);
    found.links.sort_by_key(|link| link.atoms);
    found.links.dedup_by_key(|link| link.atoms);
    let covalent = found.links.iter().filter(|link| link.kind != LinkKind::Metal);
    found.bonds.extend(covalent.map(|link| (link.atoms[0], link.atoms[1], Order::Single)));
    found
}

/// Whether a peptide's or nucleotide's atoms by their standard names make the residue one of a polymer.
fn has(residue: &Residue, from: &Gathered, name: &str) -> Option<u32> {
    residue.range().find(|&atom| &*from.atoms[atom].name == name).map(|atom| atom as u32)
}

/// A bond between two atoms of a residue, which are counted from its first one.
type Own = (u32, u32, Order);

/// Adds the bonds within residues.
fn within_residues(from: &Gathered, components: &[&Components], found: &mut Found) {
    // Residues of a name mostly have the same atoms in the same order.
    let mut known: HashMap<[&str; 2], (&Residue, Vec<Own>)> = HashMap::new();
    for residue in from.residues.iter().filter(|residue| residue.range().len() > 1) {
        let entry = match known.entry([&residue.template, &residue.name]) {
            Entry::Occupied(entry) if have_same_names(from, entry.get().0, residue) => Some(entry),
            entry => by_names(residue, from, components).map(|bonds| entry.insert_entry((residue, bonds))),
        };
        match entry {
            Some(entry) => {
                let [begin, _] = residue.atoms;
                found.bonds.extend(entry.get().1.iter().map(|&(a, b, order)| (begin + a, begin + b, order)));
            }
            None => {
                found.by_geometry.push(Arc::clone(&residue.name));
                by_geometry(residue, from, &mut found.bonds);
            }
        }
    }
}

/// Whether atoms of two residues have the same names in the same order. Each name is kept once.
fn have_same_names(from: &Gathered, one: &Residue, other: &Residue) -> bool {
    let [one, other] = [one, other].map(|residue| &from.atoms[residue.range()]);
    one.len() == other.len() && one.iter().zip(other).all(|(one, other)| Arc::ptr_eq(&one.name, &other.name))
}

/// The bonds of a residue by the names of its atoms, if a table has them.
fn by_names(residue: &Residue, from: &Gathered, components: &[&Components]) -> Option<Vec<Own>> {
    let own = &from.atoms[residue.range()];
    // A residue has few atoms. Of several with a name, the last one counts.
    let index = |name: &str| own.iter().rposition(|atom| &*atom.name == name).map(|index| index as u32);
    let bond = |a: &str, b: &str, order| Some((index(a)?, index(b)?, order));
    if let Some(bonds) = template(&residue.template) {
        return Some(bonds.iter().filter_map(|&(a, b, order)| bond(a, b, order)).collect());
    }
    // A component with other names of atoms is another one.
    let names_all = |bonds: &&[(Box<str>, Box<str>, Order)]| {
        let known = |name: &str| bonds.iter().any(|(a, b, _)| [a, b].iter().any(|own| &***own == name));
        own.iter().all(|atom| known(&atom.name))
    };
    let bonds = components.iter().find_map(|all| all.of(&residue.name).filter(names_all))?;
    Some(bonds.iter().filter_map(|(a, b, order)| bond(a, b, *order)).collect())
}

/// Adds the bonds of a residue by the distances of its atoms.
fn by_geometry(residue: &Residue, from: &Gathered, found: &mut Vec<(u32, u32, Order)>) {
    let [begin, _] = residue.atoms;
    let own = &from.atoms[residue.range()];
    let points: Vec<[f64; 3]> = own.iter().map(|atom| atom.position).collect();
    let mut bonds = Vec::new();
    each_pair(&points, LONGEST, |a, b, distance2| {
        if are_bonded(own[a as usize].element, own[b as usize].element, distance2.sqrt()) {
            bonds.push((begin + a, begin + b));
        }
    });
    bonds.sort_unstable();
    found.extend(orders::guess(&from.atoms, &bonds));
}

fn are_bonded(a: Element, b: Element, distance: f64) -> bool {
    let radii = (a.covalent_radius(), b.covalent_radius());
    matches!(radii, (Some(a), Some(b)) if (TOO_NEAR..a + b + TOLERANCE).contains(&distance))
}

/// The same for atoms of different residues.
fn are_bonded_between(a: Element, b: Element, distance: f64) -> bool {
    let radii = (a.covalent_radius(), b.covalent_radius());
    matches!(radii, (Some(a), Some(b)) if (a + b - SHORTER_BETWEEN..a + b + TOLERANCE_BETWEEN).contains(&distance))
}

/// Bonds between consecutive residues of a polymer: C with N, and O3' with P.
fn backbone(from: &Gathered, bonds: &mut Vec<(u32, u32, Order)>) {
    for pair in from.residues.windows(2) {
        let [one, next] = pair else { continue };
        let ends = match (one.class, next.class) {
            (Class::AminoAcid, Class::AminoAcid) => [has(one, from, "C"), has(next, from, "N")],
            (Class::Nucleotide, Class::Nucleotide) => [has(one, from, "O3'"), has(next, from, "P")],
            _ => continue,
        };
        let [Some(a), Some(b)] = ends else { continue };
        let apart = distance(from.atoms[a as usize].position, from.atoms[b as usize].position);
        if (TOO_NEAR..BACKBONE).contains(&apart) {
            bonds.push((a, b, Order::Single));
        }
    }
}

/// Bonds that the file names, unless they lead through the crystal: no bond is that long.
fn by_name(from: &Gathered, named: &[Named], links: &mut Vec<Link>) {
    const FARTHEST: f64 = 4.0;
    let mut places: HashMap<NamedEnd, u32> = HashMap::new();
    let wanted: HashSet<(&str, i32)> = named
        .iter()
        .filter_map(|one| if let Named::Link(_, ends) = one { Some(ends) } else { None })
        .flatten()
        .map(|end| (&*end.chain, end.number))
        .collect();
    for residue in from.residues.iter().filter(|residue| wanted.contains(&(&*residue.chain, residue.number))) {
        for atom in residue.range() {
            let end = NamedEnd {
                chain: residue.chain.clone(),
                number: residue.number,
                icode: residue.icode.clone(),
                residue: residue.name.clone(),
                atom: from.atoms[atom].name.clone(),
            };
            places.entry(end).or_insert(atom as u32);
        }
    }
    for one in named {
        let (kind, ends) = match one {
            Named::Link(kind, ends) => (*kind, [places.get(&ends[0]).copied(), places.get(&ends[1]).copied()]),
            Named::Serials(serials) => (LinkKind::Covalent, serials.map(|serial| from.serials.get(&serial).copied())),
        };
        let [Some(a), Some(b)] = ends else { continue };
        let [one, other] = [a, b].map(|atom| &from.atoms[atom as usize]);
        if one.residue == other.residue || distance(one.position, other.position) > FARTHEST {
            continue;
        }
        let is_metal = one.element.is_metal() || other.element.is_metal();
        let is_backbone = |a: &str, b: &str| matches!((a, b), ("C", "N") | ("O3'", "P"));
        let next = one.residue.abs_diff(other.residue) == 1;
        if next && (is_backbone(&one.name, &other.name) || is_backbone(&other.name, &one.name)) {
            continue;
        }
        let kind = kind.of_atoms(is_metal, one.element == S && other.element == S);
        links.push(Link { kind, atoms: [a.min(b), a.max(b)] });
    }
}

/// Atoms of different residues as close as bonded ones. `polymer` are the bonds between residues that are known.
fn by_distance(from: &Gathered, near: &[Near], polymer: &[(u32, u32, Order)], links: &mut Vec<Link>) {
    let polymer: HashSet<(u32, u32)> = polymer.iter().map(|&(a, b, _)| (a.min(b), a.max(b))).collect();
    let begin = links.len();
    for near in near.iter().filter(|near| (TOO_NEAR_BETWEEN..=DISULFIDE).contains(&near.distance)) {
        let ends = [near.a, near.b];
        let [one, other] = ends.map(|atom| from.atoms[atom as usize].element);
        // Most bonds between residues are of sulfur, carbon, nitrogen, oxygen or phosphorus. Hydrogens are no ends.
        if ![C, N, O, S, P].contains(&one) || other == H || polymer.contains(&(near.a, near.b)) {
            continue;
        }
        if one == S && other == S {
            links.push(Link { kind: LinkKind::Disulfide, atoms: ends });
        } else if are_bonded_between(one, other, near.distance) {
            links.push(Link { kind: LinkKind::Covalent, atoms: ends });
        }
    }
    // Residues with many such pairs lie on each other.
    let residues = |link: &Link| {
        let [a, b] = link.atoms.map(|atom| from.atoms[atom as usize].residue);
        [a.min(b), a.max(b)]
    };
    let mut of_pair: HashMap<[u32; 2], usize> = HashMap::new();
    links[begin..].iter().for_each(|link| *of_pair.entry(residues(link)).or_default() += 1);
    let mut found = links.split_off(begin);
    found.retain(|link| of_pair[&residues(link)] <= MOST_BETWEEN);
    links.append(&mut found);
}
