//! Residues with a name of water or of points that are no atoms, which ligands of the dictionary have, too. Their atoms decide.

use super::fate::AMINO_ACIDS_BEGIN;
use super::{Fate, Record, Selection, Taken};
use crate::atoms::{Atom, Rules};
use crate::components::{Component, MOST_POINTS};
use crate::elements;
use crate::error::Problem;
use crate::options::Residues;
use crate::word::{pack, trim_zeros};
use shared_types::UNKNOWN;

/// The symbols of the atoms of water, and of coarse-grained models' beads of it, whose names begin like tungsten's.
const OXYGEN: u16 = b'O' as u16;
const BEAD: u16 = b'W' as u16;

/// The name of the point that carries the charge in some models of water, which is called as an oxygen is.
const CHARGE_SITE: u64 = u16::from_le_bytes(*b"OM") as u64;

/// What an atom says about its residue.
#[derive(Clone, Copy, PartialEq)]
enum Sign {
    /// It is one of few atoms of water, or of few points.
    One,
    /// It is the oxygen of water.
    Oxygen,
    /// No more than that it is a point.
    None,
    /// The residue is a molecule, and no water.
    Molecule,
}

/// A record that is kept until another one shows what it belongs to.
pub(super) struct Held<'a> {
    name: u64,
    alternate: u64,
    element: u16,
    position: [f64; 3],
    occupancy: &'a [u8],
    /// By [`pack`].
    b_factor: u64,
    hetatm: bool,
    in_chain: Option<bool>,
    sign: Sign,
}

impl<'a> Held<'a> {
    /// The record again.
    fn record<'r>(&self, residue: u64, b_factor: &'r [u8]) -> Record<'r, 'a> {
        let &Self { name, alternate, element, position, occupancy, hetatm, in_chain, .. } = self;
        Record { residue, name, alternate, element, position, occupancy, b_factor, hetatm, in_chain }
    }
}

impl<'a> Selection<'a> {
    /// Keeps a record of a residue that has a name of water or points. Where its atoms are those of another molecule, all are taken.
    #[inline(never)]
    pub(super) fn hold(&mut self, record: &Record<'_, 'a>) -> Result<Taken, Problem> {
        let sign = sign(record, self.run.fate);
        if sign != Sign::Molecule && self.fits(record.name, sign) && !self.has_backbone_with(record.name) {
            let &Record { name, alternate, element, position, occupancy, hetatm, in_chain, .. } = record;
            let b_factor = pack(record.b_factor);
            self.held.push(Held { name, alternate, element, position, occupancy, b_factor, hetatm, in_chain, sign });
            return Ok(Taken::Nothing);
        }
        self.run.fate = match self.residues {
            Residues::Standard => Fate::Cover,
            Residues::All => self.fate_of(Component::Other, record).1,
        };
        self.run.record.rules = Rules::of(Component::Other);
        for held in std::mem::take(&mut self.held) {
            let b_factor = held.b_factor.to_le_bytes();
            self.atom(&held.record(record.residue, trim_zeros(&b_factor)))?;
        }
        self.atom(record)
    }

    /// Whether water or points may have one more atom.
    fn fits(&self, name: u64, sign: Sign) -> bool {
        let has_oxygen = || self.held.iter().any(|held| held.sign == Sign::Oxygen);
        let is_one_more = !(sign == Sign::Oxygen && has_oxygen()) && self.has_room();
        is_one_more || sign == Sign::None || self.held.iter().any(|held| held.name == name)
    }

    /// Whether points, with one more, have the names of a peptide's backbone.
    fn has_backbone_with(&self, name: u64) -> bool {
        let is_there = |own: &u64| *own == name || self.held.iter().any(|held| held.name == *own);
        self.run.fate == Fate::Points && AMINO_ACIDS_BEGIN.contains(&name) && AMINO_ACIDS_BEGIN.iter().all(is_there)
    }

    /// Whether fewer atoms of different names are kept than water or points may have.
    fn has_room(&self) -> bool {
        let of_atoms = || self.held.iter().enumerate().filter(|(_, held)| held.sign != Sign::None);
        let is_first = |(at, held): &(usize, &Held<'_>)| self.held[..*at].iter().all(|other| other.name != held.name);
        self.held.len() < MOST_POINTS || of_atoms().filter(is_first).count() < MOST_POINTS
    }

    /// Leaves out what is kept, but for water's oxygen, if that is asked for.
    pub(super) fn drop_held(&mut self) -> Result<(), Problem> {
        if self.run.fate == Fate::Points {
            self.draft.tally.pseudo_atoms += self.held.len();
        }
        let oxygens = std::mem::take(&mut self.held);
        let oxygens = oxygens.into_iter().filter(|held| held.sign == Sign::Oxygen);
        for held in oxygens.filter(|_| self.water && self.run.fate == Fate::Water).collect::<Vec<_>>() {
            let b_factor = held.b_factor.to_le_bytes();
            let record = held.record(self.run.residue.unwrap_or_default(), trim_zeros(&b_factor));
            self.keep_water(&record)?;
        }
        Ok(())
    }
}

/// What the usual names of water's atoms say, for which no rule need be asked: boxes of water are most of many files.
fn usual_of_water(name: u64, element: u16) -> Option<Sign> {
    const fn word(name: [u8; 3]) -> u64 {
        let [first, second, third] = name;
        u64::from_le_bytes([first, second, third, 0, 0, 0, 0, 0])
    }
    const OXYGENS: [u64; 3] = [word(*b"OW\0"), word(*b"OH2"), word(*b"O\0\0")];
    /// Hydrogens, and the point of four-site models.
    const OTHERS: [u64; 5] = [word(*b"HW1"), word(*b"HW2"), word(*b"H1\0"), word(*b"H2\0"), word(*b"MW\0")];
    let sign = match () {
        () if OXYGENS.contains(&name) => Sign::Oxygen,
        () if OTHERS.contains(&name) => Sign::One,
        () => return None,
    };
    (element == 0 || element == u16::from(name as u8)).then_some(sign)
}

fn sign(record: &Record<'_, '_>, fate: Fate) -> Sign {
    if fate != Fate::Points
        && let Some(sign) = usual_of_water(record.name, record.element)
    {
        return sign;
    }
    let element = match Rules::Other.atom(record.residue, UNKNOWN, record.name, record.element).0 {
        Atom::Pseudo => return Sign::None,
        Atom::Hydrogen => return Sign::One,
        Atom::Heavy { element, .. } | Atom::Cap { element, .. } => element,
    };
    let [first, second, ..] = record.name.to_le_bytes();
    match element {
        _ if fate == Fate::Points => Sign::One,
        _ if record.name == CHARGE_SITE => Sign::None,
        OXYGEN => Sign::Oxygen,
        // MW and IW are points in models of water, and their element column may be empty.
        _ if element == BEAD || first == b'W' || first == b'M' || second == b'W' => Sign::One,
        _ if elements::of_symbol(element.to_le_bytes()).is_none() => Sign::One,
        _ => Sign::Molecule,
    }
}
