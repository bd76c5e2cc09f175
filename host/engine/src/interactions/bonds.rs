//! Bonds within residues by templates, the dictionary or geometry, and between residues by the file and by distance.

use super::cells::{Cells, each_pair};
use super::elements::{C, Element, H, N, O, P, S};
use super::gather::{Components, Gathered, Named, NamedEnd};
use super::geometry::distance;
use super::model::{Class, Order, Residue};
use super::orders;
use super::templates::template;
use prism_read::LinkKind;
use std::collections::{HashMap, HashSet};

/// Two atoms are bonded where they are closer than the sum of their covalent radii and this, as in Open Babel (Meng and Lewis 1991,
/// J. Comput. Chem. 12:891).
const TOLERANCE: f64 = 0.45;
/// The same between residues, where atoms of different molecules may come near.
const TOLERANCE_BETWEEN: f64 = 0.25;
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
    pub(super) by_geometry: Vec<Box<str>>,
}

/// Finds the bonds. Of several tables of components that have a name, the first counts.
pub(super) fn find(from: &Gathered, components: &[&Components], named: &[Named]) -> Found {
    let mut found = Found { bonds: Vec::new(), links: Vec::new(), by_geometry: Vec::new() };
    for residue in &from.residues {
        within(residue, from, components, &mut found);
    }
    found.by_geometry.sort_unstable();
    found.by_geometry.dedup();
    backbone(from, &mut found.bonds);
    let polymer = found.bonds.len();
    by_name(from, named, &mut found.links);
    by_distance(from, &found.bonds, polymer, &mut found.links);
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

fn within(residue: &Residue, from: &Gathered, components: &[&Components], found: &mut Found) {
    let range = residue.range();
    if range.len() < 2 {
        return;
    }
    let mut add = |bonds: &mut dyn Iterator<Item = (&str, &str, Order)>| {
        let index: HashMap<&str, u32> = residue.range().map(|atom| (&*from.atoms[atom].name, atom as u32)).collect();
        for (a, b, order) in bonds {
            if let (Some(&a), Some(&b)) = (index.get(a), index.get(b)) {
                found.bonds.push((a, b, order));
            }
        }
    };
    if let Some(bonds) = template(&residue.template) {
        return add(&mut bonds.iter().copied());
    }
    let names = |bonds: &[(Box<str>, Box<str>, Order)]| {
        let known = |name: &str| bonds.iter().any(|(a, b, _)| [a, b].iter().any(|own| &***own == name));
        residue.range().all(|atom| known(&from.atoms[atom].name))
    };
    // A component with other names of atoms is another one.
    if let Some(bonds) = components.iter().find_map(|all| all.of(&residue.name).filter(|bonds| names(bonds))) {
        return add(&mut bonds.iter().map(|(a, b, order)| (&**a, &**b, *order)));
    }
    found.by_geometry.push(residue.name.clone());
    let mut bonds = Vec::new();
    let own = &from.atoms[range.clone()];
    let points: Vec<[f64; 3]> = own.iter().map(|atom| atom.position).collect();
    each_pair(&points, LONGEST, |a, b, distance2| {
        if are_bonded(own[a as usize].element, own[b as usize].element, distance2.sqrt(), TOLERANCE) {
            bonds.push((range.start as u32 + a, range.start as u32 + b));
        }
    });
    bonds.sort_unstable();
    found.bonds.extend(orders::guess(&from.atoms, &bonds));
}

fn are_bonded(a: Element, b: Element, distance: f64, tolerance: f64) -> bool {
    let radii = (a.covalent_radius(), b.covalent_radius());
    matches!(radii, (Some(a), Some(b)) if (TOO_NEAR..a + b + tolerance).contains(&distance))
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

/// Atoms of different residues as close as bonded ones.
fn by_distance(from: &Gathered, bonds: &[(u32, u32, Order)], known: usize, links: &mut Vec<Link>) {
    // Hydrogens are no ends, and water has no bonds to others.
    let candidates: Vec<u32> = (0..from.atoms.len() as u32)
        .filter(|&atom| {
            let own = &from.atoms[atom as usize];
            own.element.covalent_radius().is_some()
                && own.element != H
                && from.residues[own.residue as usize].class != Class::Water
        })
        .collect();
    let points: Vec<[f64; 3]> = candidates.iter().map(|&atom| from.atoms[atom as usize].position).collect();
    let cells = Cells::new(&points, DISULFIDE);
    let polymer: HashSet<(u32, u32)> = bonds[..known].iter().map(|&(a, b, _)| (a.min(b), a.max(b))).collect();
    for (k, &a) in candidates.iter().enumerate() {
        let one = &from.atoms[a as usize];
        // Most bonds between residues are of sulfur, carbon, nitrogen, oxygen or phosphorus.
        if ![C, N, O, S, P].contains(&one.element) {
            continue;
        }
        cells.near(points[k], DISULFIDE, |other, distance2| {
            let b = candidates[other as usize];
            let other = &from.atoms[b as usize];
            if b <= a || one.residue == other.residue || polymer.contains(&(a, b)) {
                return;
            }
            let apart = distance2.sqrt();
            if apart < TOO_NEAR_BETWEEN {
                return;
            }
            if one.element == S && other.element == S && apart <= DISULFIDE {
                links.push(Link { kind: LinkKind::Disulfide, atoms: [a, b] });
            } else if are_bonded(one.element, other.element, apart, TOLERANCE_BETWEEN) {
                links.push(Link { kind: LinkKind::Covalent, atoms: [a, b] });
            }
        });
    }
}
