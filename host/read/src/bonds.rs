//! Bonds between residues that a file declares, found among a structure's atoms.

use super::elements;
use super::grid::Grid;
use super::links::{End, LinkKind, Links};
use super::note::{Note, NoteKind};
use super::options::{Each, ReadOptions};
use crate::plural::{counted, form};
use crate::structure::{AtomLabel, AtomPlace, DeclaredBond, Hetero, HeteroResidue, StructureInput};
use std::collections::{HashMap, HashSet};
use std::ops::Range;

/// Declared bonds are no longer, in Å: other ones lead to another copy in the crystal.
const FARTHEST: f64 = 4.0;
/// Bonds of metals are no longer, in Å: those of potassium and larger ones (Harding 2006).
const FARTHEST_OF_METALS: f64 = 3.5;
/// How many bonds a note lists.
const LISTED: usize = 3;

/// A residue by its names.
struct Residue<'a> {
    /// Its chain in the file, and its number.
    place: (&'a str, i32),
    icode: &'a str,
    name: &'a str,
    atoms: Range<usize>,
    /// What makes places of these atoms.
    of: fn(usize) -> AtomPlace,
}

/// The atoms of a structure with what they are.
struct Atoms<'a> {
    structure: &'a StructureInput,
    hetero: &'a Hetero,
    /// The author's chains, by the index of the chain, if they are others.
    authors: &'a [String],
    /// Names of copies of chains in an assembly.
    copies: HashSet<&'a str>,
}

impl<'a> Atoms<'a> {
    fn label(&self, place: AtomPlace) -> Option<&'a AtomLabel> {
        match place {
            AtomPlace::Row(atom) => self.structure.atom_labels.get(atom),
            AtomPlace::Hetero(atom) => self.hetero.labels.get(atom),
        }
    }

    /// The chain of the file that a chain is, or is a copy of.
    fn in_file(&self, chain: &'a str) -> &'a str {
        let copied = chain.rsplit_once('-').filter(|_| self.copies.contains(chain));
        copied.map_or(chain, |(own, _)| own).trim()
    }

    /// All residues that have numbers.
    fn residues(&self) -> impl Iterator<Item = Residue<'a>> {
        let (s, hetero) = (self.structure, self.hetero);
        let row = |row: usize| {
            let chain = s.chain_ids[row] as usize;
            Residue {
                place: (self.in_file(self.authors.get(chain).unwrap_or(&s.chains[chain])), s.residue_numbers[row]),
                icode: &s.insertion_codes[row],
                name: s.resname(row),
                atoms: s.residue_atoms[row] as usize..s.residue_atoms[row + 1] as usize,
                of: AtomPlace::Row,
            }
        };
        let other = |residue: &'a HeteroResidue| {
            Some(Residue {
                place: (self.in_file(&residue.chain), residue.number?),
                icode: &residue.icode,
                name: &residue.name,
                atoms: residue.atoms.clone(),
                of: AtomPlace::Hetero,
            })
        };
        (0..s.n_rows()).map(row).chain(hetero.residues.iter().filter_map(other))
    }

    /// The atoms that have the names of each end.
    fn of_ends(&self, ends: &[&End]) -> Vec<Vec<AtomPlace>> {
        let mut wanted: HashMap<(&str, i32), Vec<usize>> = HashMap::new();
        for (index, end) in ends.iter().enumerate() {
            wanted.entry((end.chain.trim(), end.number)).or_default().push(index);
        }
        let mut found = vec![Vec::new(); ends.len()];
        for residue in self.residues() {
            let Some(indices) = wanted.get(&residue.place) else { continue };
            for atom in residue.atoms.clone().map(residue.of) {
                let Some(label) = self.label(atom) else { continue };
                for &index in indices {
                    let end = ends[index];
                    if (&*end.icode, &*end.residue, &*end.atom) == (residue.icode, residue.name, label.name()) {
                        found[index].push(atom);
                    }
                }
            }
        }
        found
    }

    /// The pairs of atoms that a declaration means: those of its two ends, or in copies of chains the atoms that are nearest to each other.
    fn pairs(&self, a: &[AtomPlace], b: &[AtomPlace]) -> Vec<[AtomPlace; 2]> {
        if let (&[a], &[b]) = (a, b) {
            return vec![[a, b]];
        }
        let nearest = |from: &[AtomPlace], to: &[AtomPlace]| -> Vec<Option<usize>> {
            let at = |place: &AtomPlace| self.label(*place).map_or([f64::NAN; 3], |label| label.position);
            let grid = Grid::new(FARTHEST, to.iter().map(at));
            let nearest =
                |place: &AtomPlace| grid.near(at(place)).min_by(|x, y| x.1.total_cmp(&y.1).then(x.0.cmp(&y.0)));
            from.iter().map(|place| nearest(place).map(|(index, _)| index)).collect()
        };
        let (of_a, of_b) = (nearest(a, b), nearest(b, a));
        let is_mutual = |(index, other): (usize, Option<usize>)| {
            other.filter(|&other| of_b[other] == Some(index)).map(|b| (index, b))
        };
        of_a.into_iter().enumerate().filter_map(is_mutual).map(|(x, y)| [a[x], b[y]]).collect()
    }
}

/// The distance of two atoms in Å.
fn distance(a: &AtomLabel, b: &AtomLabel) -> f64 {
    (0..3).map(|axis| (a.position[axis] - b.position[axis]).powi(2)).sum::<f64>().sqrt()
}

/// The longest usual bond of a kind between two atoms, in Å.
fn longest(kind: LinkKind, a: &AtomLabel, b: &AtomLabel) -> f64 {
    let of = |label: &AtomLabel| elements::of_symbol(label.element);
    match (kind, of(a), of(b)) {
        (LinkKind::Metal, ..) => FARTHEST_OF_METALS,
        (_, Some(a), Some(b)) => a.longest_bond(b),
        _ => FARTHEST,
    }
}

/// Finds the declared bonds of a structure. `hetero` are its residues without rows. Returns them sorted, with notes about those that are not
/// used or are long.
pub(super) fn find(
    structure: &StructureInput,
    hetero: &Hetero,
    authors: &[String],
    links: &Links,
    options: &ReadOptions,
) -> (Vec<DeclaredBond>, Vec<Note>) {
    let renamed = structure.renamed_chains.iter().map(|&chain| chain as usize);
    let names = renamed.flat_map(|chain| [structure.chains.get(chain), authors.get(chain)]).flatten();
    let atoms = Atoms { structure, hetero, authors, copies: names.map(String::as_str).collect() };
    let ends: Vec<&End> = links.within.iter().flat_map(|(_, ends)| ends).collect();
    let places = if ends.is_empty() { Vec::new() } else { atoms.of_ends(&ends) };
    let (mut bonds, mut missing, mut far, mut long) = (Vec::new(), 0, 0, Vec::new());
    for ((kind, ends), [of_a, of_b]) in links.within.iter().zip(places.as_chunks().0) {
        let pairs = atoms.pairs(of_a, of_b);
        missing += usize::from(pairs.is_empty() && !ends.iter().any(is_water));
        for pair in pairs {
            let [Some(a), Some(b)] = pair.map(|place| atoms.label(place)) else { continue };
            let is_metal =
                |label: &AtomLabel| elements::of_symbol(label.element).is_some_and(|element| element.is_metal);
            let kind = kind.of_atoms(is_metal(a) || is_metal(b), a.element() == "S" && b.element() == "S");
            let distance = distance(a, b);
            if distance > FARTHEST {
                far += 1;
                continue;
            }
            if distance > longest(kind, a, b) {
                long.push(format!("{} with {} ({distance:.2} Å)", shown(&ends[0]), shown(&ends[1])));
            }
            bonds.push(DeclaredBond { kind, ends: [pair[0].min(pair[1]), pair[0].max(pair[1])], distance });
        }
    }
    bonds.sort_by_key(|bond| (bond.ends, bond.kind));
    bonds.dedup_by_key(|bond| bond.ends);
    let is_whole =
        options.chains.is_none() && options.select.is_none() && matches!(options.each, Each::Model | Each::Assembly);
    (bonds, notes(links.to_copies, if is_whole { missing } else { 0 }, far, &long))
}

/// Whether an end is water, which is no residue of structures.
fn is_water(end: &End) -> bool {
    use super::components::{Component, component};
    component(super::word::pack(end.residue.as_bytes())) == Component::Water
}

fn shown(end: &End) -> String {
    format!("{}_{}{}:{}", end.chain.trim(), end.number, end.icode, end.atom)
}

fn declared(count: usize) -> String {
    counted(count, "bond that the file declares", "bonds that the file declares")
}

/// What is said of bonds that lead to other copies in the crystal; `None` if there are none.
#[must_use]
pub fn of_copies(count: usize) -> Option<String> {
    let leads =
        form(count, "leads to another copy in the crystal, and is", "lead to other copies in the crystal, and are");
    (count > 0).then(|| format!("{} {leads} not used", declared(count)))
}

fn notes(to_copies: usize, missing: usize, far: usize, long: &[String]) -> Vec<Note> {
    let mut texts: Vec<String> = of_copies(to_copies).into_iter().collect();
    if far > 0 {
        let is = form(far, "would be longer than 4 Å, and is", "would be longer than 4 Å, and are");
        texts.push(format!("{} {is} not used", declared(far)));
    }
    if missing > 0 {
        let names = form(missing, "names an atom that was", "name atoms that were");
        texts.push(format!("{} {names} not read", declared(missing)));
    }
    if !long.is_empty() {
        let more = if long.len() > LISTED { ", ..." } else { "" };
        let is = form(long.len(), "is unusually long, and counts", "are unusually long, and count");
        texts.push(format!("{} {is}: {}{more}", declared(long.len()), long[..long.len().min(LISTED)].join(", ")));
    }
    texts.into_iter().map(|text| Note { kind: NoteKind::Bonds, text }).collect()
}
