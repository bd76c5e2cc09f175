//! What residues and their atoms are, for readers of every atom: amino acids, nucleotides, water, and the rest.

use super::atoms::{Atom, Rules};
use super::components::{Component, MOST_POINTS, component_of, is_certain, is_point};
use super::elements;
use super::word::{as_text, pack, text_of, trim_zeros};
use shared_types::residue::{STANDARD, parent_of};
use shared_types::{RESIDUES, ResidueKind, UNKNOWN};
use std::borrow::Cow;

/// What a residue's name means.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ResidueClass {
    /// An amino acid: the standard one whose atoms it has, if it is one.
    AminoAcid(Option<&'static str>),
    /// A nucleotide of DNA or RNA.
    Nucleotide,
    /// Water.
    Water,
    /// Points that a program wrote as atoms.
    Dummy,
    /// Any other component.
    Other,
}

/// What an atom's record is about.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum AtomClass<'n> {
    /// A heavy atom: its standard name, and its element's symbol in upper case; empty if it is not known.
    Heavy {
        /// The standard name, which is mostly that of the file.
        name: Cow<'n, str>,
        /// The element's symbol.
        symbol: [u8; 2],
    },
    /// Hydrogen or deuterium.
    Hydrogen,
    /// A point that is no atom.
    Pseudo,
}

/// The meaning of a residue's name, and the rules for its atoms.
#[derive(Clone, Copy, Debug)]
pub struct Classes {
    /// What the residue's name means.
    pub residue: ResidueClass,
    name: u64,
    kind: ResidueKind,
    rules: Rules,
    /// Whether water or points are nothing else, whatever their atoms are.
    is_certain: bool,
}

/// The symbols of the heavy atoms of water, and of coarse-grained models' beads of it.
const OF_WATER: [[u8; 2]; 2] = [*b"O\0", *b"W\0"];

impl Classes {
    /// Those of a residue by its name. In `HETATM` records some names mean something else.
    pub fn of(residue: &[u8], is_hetatm: bool) -> Self {
        let name = pack(residue);
        let component = component_of(name, is_hetatm);
        let kind = component.amino_acid().unwrap_or(UNKNOWN);
        let residue = match component {
            Component::Standard(kind) | Component::Variant(kind) => {
                let parent = parent_of(kind).filter(|&parent| usize::from(parent) < STANDARD);
                ResidueClass::AminoAcid(parent.map(|parent| RESIDUES[usize::from(parent)].name))
            }
            Component::Modified(_) | Component::Shared(_) | Component::Unknown => ResidueClass::AminoAcid(None),
            Component::Nucleic(_) => ResidueClass::Nucleotide,
            Component::Water => ResidueClass::Water,
            Component::Dummy => ResidueClass::Dummy,
            Component::Other => ResidueClass::Other,
        };
        // Atoms of nucleotides keep the names that the file gives them.
        let rules = if component.nucleotide().is_some() { Rules::Other } else { Rules::of(component) };
        Self { residue, name, kind, rules, is_certain: is_certain(name) }
    }

    /// Those of a residue that the file calls water.
    pub fn as_water(self) -> Self {
        Self { residue: ResidueClass::Water, kind: UNKNOWN, rules: Rules::Other, is_certain: true, ..self }
    }

    /// Whether a residue that its name calls water or points is another molecule by its heavy atoms, given their elements' symbols. Ligands
    /// of the dictionary have such names, too.
    pub fn is_ligand(&self, symbols: &[[u8; 2]]) -> bool {
        match self.residue {
            _ if self.is_certain => false,
            ResidueClass::Water => {
                symbols.iter().any(|symbol| !OF_WATER.contains(symbol) && elements::of_symbol(*symbol).is_some())
            }
            ResidueClass::Dummy => symbols.len() > MOST_POINTS,
            _ => false,
        }
    }

    /// What one of its atoms is, by its name and the element column.
    pub fn atom<'n>(&self, name: &'n [u8], symbol: &[u8]) -> AtomClass<'n> {
        if self.residue == ResidueClass::Other && is_point(self.name, pack(name)) {
            return AtomClass::Pseudo;
        }
        let (atom, _) = self.rules.atom(self.name, self.kind, pack(name), super::atoms::element(symbol));
        match atom {
            // Packed names are cut after eight bytes.
            Atom::Heavy { element, .. } | Atom::Cap { element, .. } if name.len() > 8 => {
                AtomClass::Heavy { name: as_text(name), symbol: element.to_le_bytes() }
            }
            Atom::Heavy { name: standard, element } | Atom::Cap { name: standard, element } => {
                let standard = standard.to_le_bytes();
                let standard = trim_zeros(&standard);
                let name = if standard == name { as_text(name) } else { text_of(standard).into() };
                AtomClass::Heavy { name, symbol: element.to_le_bytes() }
            }
            Atom::Hydrogen => AtomClass::Hydrogen,
            Atom::Pseudo => AtomClass::Pseudo,
        }
    }
}
