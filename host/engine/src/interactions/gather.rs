//! Gathers the atoms of a file to residues, and chooses among alternate locations.

use super::elements::{C, Element, N, O, P, S};
use super::model::{Atom, Class, Entity, Order, Residue};
use super::termini::Sequences;
use super::texts::Texts;
use foldhash::{HashMap, HashMapExt as _, HashSet, HashSetExt as _};
use prism_read::plural::counted;
use prism_read::{
    Alternates, AtomClass, AtomRecord, Classes, ComponentBond, LinkEnd, LinkKind, Problem, ResidueClass,
    SystemContents, as_text, text_of,
};
use std::collections::BTreeMap;
use std::sync::Arc;

/// Bonds of chemical components, by the component's name.
#[derive(Clone, Debug, Default)]
pub(super) struct Components(HashMap<Box<[u8]>, Vec<NamedBond>>);

type NamedBond = (Box<str>, Box<str>, Order);

impl Components {
    pub(super) fn of(&self, name: &str) -> Option<&[NamedBond]> {
        self.0.get(name.as_bytes()).map(Vec::as_slice)
    }

    pub fn add(&mut self, bond: ComponentBond<'_>) {
        let is_hydrogen = |name: &[u8]| matches!(name.iter().find(|c| !c.is_ascii_digit()), Some(b'H' | b'D'));
        // Hydrogens are counted by valences. A heavy atom such as HG of mercury has no more than one bond here.
        if bond.atoms.iter().any(|name| is_hydrogen(name)) {
            return;
        }
        let order = match &*bond.order.to_ascii_uppercase() {
            b"DOUB" => Order::Double,
            b"TRIP" => Order::Triple,
            b"AROM" | b"DELO" | b"PI" => Order::Aromatic,
            _ => Order::Single,
        };
        let [a, b] = bond.atoms.map(|name| text_of(name).into_boxed_str());
        match self.0.get_mut(bond.component) {
            Some(bonds) => bonds.push((a, b, order)),
            None => drop(self.0.insert(bond.component.into(), vec![(a, b, order)])),
        }
    }
}

/// An end of a bond that the file names.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) struct NamedEnd {
    pub(super) chain: Arc<str>,
    pub(super) number: i32,
    pub(super) icode: Arc<str>,
    pub(super) residue: Arc<str>,
    pub(super) atom: Arc<str>,
}

/// A bond between residues that the file names.
#[derive(Clone, Debug)]
pub(super) enum Named {
    Link(LinkKind, [NamedEnd; 2]),
    /// By the numbers of a PDB file's atoms.
    Serials([i32; 2]),
}

/// Chain, number, insertion code and name of a residue, with texts by their numbers.
type Identity = (u32, i32, u32, u32);

/// What gathers a file.
pub(super) struct Gathering<'o> {
    chains: Option<&'o [String]>,
    alternates: Alternates,
    texts: Texts,
    records: Vec<Record>,
    residues: Vec<Heading>,
    /// The residue of each identity, the last one of several.
    known: HashMap<Identity, usize>,
    /// The residue of the last record.
    current: Option<usize>,
    /// The atoms of each residue, by the number of the name and alternate location.
    seen: HashSet<(u32, u32, u8)>,
    pub(super) components: Components,
    pub(super) named: Vec<Named>,
    sequences: Sequences,
    pseudo_atoms: usize,
    /// Damaged records of water.
    damaged: usize,
    unknown: usize,
    /// Bonds to other copies in the crystal.
    to_copies: usize,
    /// Whether there are models or data blocks that are not read.
    has_more: bool,
}

struct Heading {
    residue: Residue,
    classes: Classes,
    /// Whether the file calls it water.
    is_water: bool,
}

struct Record {
    residue: u32,
    /// The number of its text.
    name: u32,
    /// `None` for a hydrogen.
    element: Option<Element>,
    position: [f64; 3],
    alternate: u8,
    occupancy: f64,
    serial: Option<i32>,
}

impl Record {
    fn has_letter(&self) -> bool {
        self.alternate != b' '
    }
}

/// What was gathered.
pub(super) struct Gathered {
    pub(super) residues: Vec<Residue>,
    pub(super) atoms: Vec<Atom>,
    /// Hydrogens with their residues.
    pub(super) hydrogens: Vec<(u32, [f64; 3])>,
    /// The atom of each number of a PDB file.
    pub(super) serials: HashMap<i32, u32>,
    pub(super) sequences: Sequences,
    pub(super) notes: Vec<String>,
    /// The number of bonds that the file declares to other copies in the crystal.
    pub(super) to_copies: usize,
}

impl<'o> Gathering<'o> {
    pub(super) fn new(chains: Option<&'o [String]>, alternates: Alternates) -> Self {
        Self {
            chains,
            alternates,
            texts: Texts::default(),
            records: Vec::new(),
            residues: Vec::new(),
            known: HashMap::new(),
            current: None,
            seen: HashSet::new(),
            components: Components::default(),
            named: Vec::new(),
            sequences: Sequences::default(),
            pseudo_atoms: 0,
            damaged: 0,
            unknown: 0,
            to_copies: 0,
            has_more: false,
        }
    }

    /// The residue of a record. A name that repeats begins another residue: programs number waters alike.
    fn residue(&mut self, atom: &AtomRecord<'_>, name: u32) -> usize {
        let letter = atom.alternate.first().copied().unwrap_or(b' ');
        let is_own = |index: &usize| {
            let own = &self.residues[*index].residue;
            own.number == atom.number
                && own.name.as_bytes() == atom.residue
                && own.chain.as_bytes() == atom.chain
                && own.icode.as_bytes() == atom.icode
        };
        if let Some(index) = self.current.filter(is_own)
            && self.seen.insert((index as u32, name, letter))
        {
            return index;
        }
        let [chain, icode, residue] =
            [atom.chain, atom.icode, atom.residue].map(|text| self.texts.number(&as_text(text)));
        let identity = (chain, atom.number, icode, residue);
        if let Some(&index) = self.known.get(&identity)
            && self.seen.insert((index as u32, name, letter))
        {
            self.current = Some(index);
            return index;
        }
        let classes = classes_of(atom);
        let (class, standard) = match classes.residue {
            ResidueClass::AminoAcid(standard) => (Class::AminoAcid, standard),
            ResidueClass::Nucleotide => (Class::Nucleotide, None),
            ResidueClass::Water => (Class::Water, None),
            ResidueClass::Dummy | ResidueClass::Other => (Class::Other, None),
        };
        let template = standard.map_or(residue, |standard| self.texts.number(standard));
        let index = self.residues.len();
        let residue = Residue {
            chain: self.texts.of(chain),
            number: atom.number,
            icode: self.texts.of(icode),
            entity: if class == Class::Water { Entity::Water } else { Entity::Ligand },
            template: self.texts.of(template),
            atoms: [0; 2],
            class,
            is_hetatm: atom.is_hetatm,
            in_sequence: atom.label.map(|(_, number)| number),
            is_trace: false,
            name: self.texts.of(residue),
        };
        self.known.insert(identity, index);
        self.residues.push(Heading { residue, classes, is_water: atom.is_water });
        self.seen.insert((index as u32, name, letter));
        self.current = Some(index);
        index
    }

    /// Chooses among alternate locations and sorts atoms by residue.
    pub(super) fn finish(mut self) -> Gathered {
        // Those of a residue stay in the order of the file, in which most are already. Each residue has one at least.
        let mut records = std::mem::take(&mut self.records);
        records.sort_by_key(|record| record.residue);
        let of_residue: Vec<&[Record]> = records.chunk_by(|one, next| one.residue == next.residue).collect();
        let others = self.other_residues(&of_residue);
        let mut notes = Vec::new();
        if self.has_more {
            notes.push("further models or data blocks are not read".to_owned());
        }
        let has = |chain: &str| self.residues.iter().any(|heading| heading.residue.chain.trim() == chain.trim());
        let missing = self.chains.unwrap_or_default().iter().filter(|chain| !has(chain));
        notes.extend(missing.map(|chain| format!("there is no chain {chain}")));
        let (mut residues, mut atoms) = (Vec::with_capacity(of_residue.len()), Vec::with_capacity(records.len()));
        let (mut hydrogens, mut serials) = (Vec::new(), HashMap::new());
        let (mut chosen, mut points) = (0, self.pseudo_atoms);
        let mut kept: Vec<&Record> = Vec::new();
        for (index, (heading, &own)) in self.residues.into_iter().zip(&of_residue).enumerate() {
            if others.contains_key(&index) {
                continue;
            }
            chosen += usize::from(choose(own, self.alternates, &mut kept));
            let shared = others.iter().filter(|(_, used)| **used == index).flat_map(|(other, _)| of_residue[*other]);
            kept.extend(shared.filter(|record| !record.has_letter()));
            let (begin, of_others) = (atoms.len() as u32, hydrogens.len());
            let Heading { mut residue, classes, .. } = heading;
            let is_ligand = || {
                let elements = kept.iter().filter_map(|record| record.element);
                classes.is_ligand(&elements.map(|element| element.0).collect::<Vec<_>>())
            };
            match classes.residue {
                ResidueClass::Dummy if !is_ligand() => {
                    points += own.len();
                    continue;
                }
                ResidueClass::Water if is_ligand() => (residue.class, residue.entity) = (Class::Other, Entity::Ligand),
                _ => {}
            }
            for record in &kept {
                let index = residues.len() as u32;
                match record.element {
                    None => hydrogens.push((index, record.position)),
                    Some(element) => {
                        serials.extend(record.serial.map(|serial| (serial, atoms.len() as u32)));
                        atoms.push(Atom {
                            name: self.texts.of(record.name),
                            position: record.position,
                            residue: index,
                            element,
                        });
                    }
                }
            }
            if atoms.len() as u32 > begin {
                residues.push(Residue { atoms: [begin, atoms.len() as u32], ..residue });
            } else {
                // A residue of hydrogens alone.
                hydrogens.truncate(of_others);
            }
        }
        let mut note = |count: usize, text: String| notes.extend((count > 0).then_some(text));
        note(
            chosen,
            format!("{} alternate locations; one is used (--altloc)", counted(chosen, "residue has", "residues have")),
        );
        let several = others.len();
        note(
            several,
            format!(
                "{} the place of another, and left out (--altloc)",
                counted(several, "residue is in", "residues are in")
            ),
        );
        note(points, format!("{} left out", counted(points, "pseudo-atom is", "pseudo-atoms are")));
        let damaged = self.damaged;
        note(
            damaged,
            format!("{} left out", counted(damaged, "damaged record of water is", "damaged records of water are")),
        );
        let unknown = self.unknown;
        note(
            unknown,
            format!(
                "{} no element, and that of the first letter of its name",
                counted(unknown, "atom has", "atoms have")
            ),
        );
        Gathered { residues, atoms, hydrogens, serials, sequences: self.sequences, notes, to_copies: self.to_copies }
    }

    /// Residues of other names in the place of one that is used, each with the one that is.
    ///
    /// They have letters. One of them may also have the atoms that all of them share, without a letter.
    fn other_residues(&self, of_residue: &[&[Record]]) -> BTreeMap<usize, usize> {
        let mut places: HashMap<(&str, i32, &str), Vec<usize>> = HashMap::new();
        for (index, heading) in self.residues.iter().enumerate() {
            let own = &heading.residue;
            if of_residue[index].iter().any(Record::has_letter) {
                places.entry((&own.chain, own.number, &own.icode)).or_default().push(index);
            }
        }
        let shares = |index: &&usize| !of_residue[**index].iter().all(Record::has_letter);
        let mean = |index: usize| {
            let own = of_residue[index].iter().filter(|record| record.has_letter());
            own.clone().map(|record| record.occupancy).sum::<f64>() / own.count() as f64
        };
        let mut others = BTreeMap::new();
        for several in places.values().filter(|several| several.iter().filter(shares).count() < 2) {
            let named = match self.alternates {
                Alternates::Named(letter) => several
                    .iter()
                    .copied()
                    .find(|&index| of_residue[index].iter().any(|record| char::from(record.alternate) == letter)),
                Alternates::First => several.first().copied(),
                Alternates::Highest => None,
            };
            // The first of equal ones.
            let highest =
                || several.iter().copied().reduce(|best, other| if mean(other) > mean(best) { other } else { best });
            let Some(used) = named.or_else(highest) else { continue };
            others.extend(several.iter().filter(|&&index| index != used).map(|&index| (index, used)));
        }
        others
    }
}

/// Collects the records of a residue to use. Returns whether there was a choice.
fn choose<'r>(records: &'r [Record], alternates: Alternates, kept: &mut Vec<&'r Record>) -> bool {
    kept.clear();
    let mut letters: Vec<u8> = Vec::new();
    for record in records.iter().filter(|record| record.has_letter()) {
        if !letters.contains(&record.alternate) {
            letters.push(record.alternate);
        }
    }
    if letters.is_empty() {
        kept.extend(records);
        return false;
    }
    let mean = |letter: u8| {
        let own: Vec<f64> = records.iter().filter(|r| r.alternate == letter).map(|r| r.occupancy).collect();
        own.iter().sum::<f64>() / own.len() as f64
    };
    let means: HashMap<u8, f64> = letters.iter().map(|&letter| (letter, mean(letter))).collect();
    // A stable sort: the first of equal ones is best.
    let mut ranked = letters.clone();
    ranked.sort_by(|a, b| means[b].total_cmp(&means[a]));
    match alternates {
        Alternates::Named(letter) if letter.is_ascii() && letters.contains(&(letter as u8)) => {
            ranked.retain(|&other| other != letter as u8);
            ranked.insert(0, letter as u8);
        }
        Alternates::First => ranked = letters,
        _ => {}
    }
    let rank =
        |record: &Record| ranked.iter().position(|&letter| letter == record.alternate).map_or(0, |rank| rank + 1);
    let mut best: HashMap<u32, usize> = HashMap::new();
    for record in records {
        let least = best.entry(record.name).or_insert(usize::MAX);
        *least = rank(record).min(*least);
    }
    kept.extend(records.iter().filter(|record| rank(record) == best[&record.name]));
    true
}

/// What an atom's record and its residue are.
fn classes_of(atom: &AtomRecord<'_>) -> Classes {
    let classes = Classes::of(atom.residue, atom.is_hetatm);
    if atom.is_water { classes.as_water() } else { classes }
}

impl SystemContents for Gathering<'_> {
    fn atom(&mut self, atom: AtomRecord<'_>) -> Result<(), Problem> {
        if self.chains.is_some_and(|chains| {
            let own = text_of(atom.chain);
            !chains.iter().any(|chain| *chain == own || chain.is_empty() && own.trim().is_empty())
        }) {
            return Ok(());
        }
        let known = self.current.map(|index| &self.residues[index]);
        let classes = match known.filter(|heading| heading.residue.name.as_bytes() == atom.residue) {
            Some(heading) if (heading.residue.is_hetatm, heading.is_water) == (atom.is_hetatm, atom.is_water) => {
                heading.classes
            }
            _ => classes_of(&atom),
        };
        let (name, element) = match classes.atom(atom.name, atom.element) {
            AtomClass::Pseudo => {
                self.pseudo_atoms += 1;
                return Ok(());
            }
            AtomClass::Hydrogen => (self.texts.number(&as_text(atom.name)), None),
            AtomClass::Heavy { name, symbol } => {
                let mut element = Element(symbol);
                if !element.is_known() {
                    self.unknown += 1;
                    let first =
                        name.bytes().find(u8::is_ascii_alphabetic).map(|c| Element([c.to_ascii_uppercase(), 0]));
                    element = first.filter(|first| [C, N, O, P, S].contains(first)).unwrap_or_default();
                }
                let name = match classes.residue {
                    ResidueClass::Nucleotide => self.texts.number(&super::templates::nucleic_atom(&name)),
                    _ => self.texts.number(&name),
                };
                (name, Some(element))
            }
        };
        let residue = self.residue(&atom, name) as u32;
        self.records.push(Record {
            residue,
            name,
            element,
            position: atom.position,
            alternate: atom.alternate.first().copied().unwrap_or(b' '),
            occupancy: atom.occupancy,
            serial: atom.serial,
        });
        Ok(())
    }

    fn further(&mut self) {
        self.has_more = true;
    }

    fn left_out(&mut self, records: usize) {
        self.damaged += records;
    }

    fn link(&mut self, kind: LinkKind, ends: [LinkEnd<'_>; 2]) {
        let named = |end: LinkEnd<'_>| {
            let [chain, icode, residue, atom] = [end.chain, end.icode, end.residue, end.atom].map(|text| {
                let number = self.texts.number(&as_text(text));
                self.texts.of(number)
            });
            NamedEnd { chain, number: end.number, icode, residue, atom }
        };
        self.named.push(Named::Link(kind, ends.map(named)));
    }

    fn to_copy(&mut self) {
        self.to_copies += 1;
    }

    fn conect(&mut self, serials: [i32; 2]) {
        self.named.push(Named::Serials(serials));
    }

    fn component_bond(&mut self, bond: ComponentBond<'_>) {
        self.components.add(bond);
    }

    fn sequence(&mut self, chain: &[u8], name: &[u8]) {
        self.sequences.add(text_of(chain).into(), text_of(name).into());
    }

    fn unobserved(&mut self, chain: &[u8], number: i32) {
        self.sequences.add_unobserved(text_of(chain).into(), number);
    }
}

impl SystemContents for Components {
    fn atom(&mut self, _: AtomRecord<'_>) -> Result<(), Problem> {
        Ok(())
    }

    fn further(&mut self) {}

    fn left_out(&mut self, _: usize) {}

    fn link(&mut self, _: LinkKind, _: [LinkEnd<'_>; 2]) {}

    fn to_copy(&mut self) {}

    fn conect(&mut self, _: [i32; 2]) {}

    fn component_bond(&mut self, bond: ComponentBond<'_>) {
        self.add(bond);
    }

    fn sequence(&mut self, _: &[u8], _: &[u8]) {}

    fn unobserved(&mut self, _: &[u8], _: i32) {}
}
