//! Substitutions of residues.

use prism_read::structure::{Composition, StructureInput};
use shared_types::backbone::{NO_ATOM, RoleAtoms};
use shared_types::{NO_CA, RESIDUES, ResidueKind};
use std::fmt::{Display, Formatter};
use std::str::FromStr;

/// A substitution of one residue by another, such as `N501Y`, or `E:N501Y` for chain E only.
///
/// ```
/// use prism_io::lineages::Substitution;
///
/// let one: Substitution = "E:N501Y".parse()?;
/// assert_eq!((one.chain.as_deref(), one.number, one.to_string()), (Some("E"), 501, "E:N501Y".to_owned()));
/// assert!("501Y".parse::<Substitution>().is_err() && "H69-".parse::<Substitution>().is_err());
/// # Ok::<(), String>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Substitution {
    /// The author's chain id, or none for every chain.
    pub chain: Option<String>,
    /// The original residue, as its index in [`RESIDUES`].
    pub from: ResidueKind,
    /// The author's residue number.
    pub number: i32,
    /// The new residue.
    pub to: ResidueKind,
}

/// The letters of the 20 residues, in the order of [`RESIDUES`].
const LETTERS: &[u8; 20] = b"ARNDCQEGHILKMFPSTWYV";

fn kind(letter: char) -> Option<ResidueKind> {
    LETTERS.iter().position(|own| char::from(*own) == letter.to_ascii_uppercase()).map(|place| place as ResidueKind)
}

impl FromStr for Substitution {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let wrong = || format!("{text:?} is not a substitution such as N501Y or E:N501Y");
        let (chain, rest) = match text.rsplit_once(':') {
            Some((chain, rest)) => (Some(chain.to_owned()), rest),
            None => (None, text),
        };
        let mut letters = rest.chars();
        let (Some(from), Some(to)) = (letters.next(), letters.next_back()) else { return Err(wrong()) };
        let (Some(from), Some(to)) = (kind(from), kind(to)) else { return Err(wrong()) };
        let number = letters.as_str().parse().map_err(|_| wrong())?;
        Ok(Self { chain, from, number, to })
    }
}

impl Display for Substitution {
    fn fmt(&self, f: &mut Formatter<'_>) -> std::fmt::Result {
        let letter = |kind: ResidueKind| LETTERS.get(usize::from(kind)).map_or('?', |letter| char::from(*letter));
        if let Some(chain) = &self.chain {
            write!(f, "{chain}:")?;
        }
        write!(f, "{}{}{}", letter(self.from), self.number, letter(self.to))
    }
}

impl Substitution {
    /// Whether a row is the residue at this position.
    pub(super) fn is_at(&self, structure: &StructureInput, row: usize) -> bool {
        structure.residue_numbers[row] == self.number
            && structure.insertion_codes[row].is_empty()
            && self.chain.as_ref().is_none_or(|chain| structure.chains[structure.chain_ids[row] as usize] == *chain)
    }

    /// Whether the structure has the chain that it is for.
    pub(super) fn has_chain(&self, structure: &StructureInput) -> bool {
        self.chain.as_ref().is_none_or(|chain| structure.chains.contains(chain))
    }

    /// Whether a row has the original residue.
    pub(super) fn fits(&self, structure: &StructureInput, row: usize) -> bool {
        shared_types::residue::parent_of(structure.residue_types[row]) == Some(self.from)
    }
}

/// Changes rows to another residue type. The atoms that all types share stay: N, CA, C, O and, except for glycine, CB.
/// Returns the number of dropped atoms.
pub(super) fn apply(structure: &mut StructureInput, rows: &[usize], to: ResidueKind) -> usize {
    let glycine = RESIDUES[usize::from(to)].name == "GLY";
    let before = std::mem::take(&mut structure.atoms);
    let own: &mut Composition = structure;
    let named = !own.residue_names.is_empty();
    let mut atoms = Vec::with_capacity(before.len());
    let mut begins = Vec::with_capacity(own.residue_atoms.len());
    for row in 0..own.n_residues() {
        let (begin, end) = (own.residue_atoms[row] as usize, own.residue_atoms[row + 1] as usize);
        let new_begin = atoms.len();
        begins.push(new_begin as u32);
        let ca = own.ca_indices[row];
        if !rows.contains(&row) {
            if ca != NO_CA {
                own.ca_indices[row] = ca - begin as u32 + new_begin as u32;
            }
            atoms.extend_from_slice(&before[begin..end]);
            continue;
        }
        let old = RoleAtoms::of_words(own.roles[row]);
        let mut roles = RoleAtoms::NONE;
        for (place, atom) in before[begin..end].iter().enumerate() {
            let place = u8::try_from(place).unwrap_or(NO_ATOM);
            let new_place = (atoms.len() - new_begin) as u8;
            let role = match place {
                NO_ATOM => continue,
                place if place == old.n => Some(&mut roles.n),
                place if place == old.c => Some(&mut roles.c),
                place if place == old.o => Some(&mut roles.o),
                place if place == old.beta && !glycine => Some(&mut roles.beta),
                place if ca != NO_CA && begin + usize::from(place) == ca as usize => None,
                _ => continue,
            };
            match role {
                Some(role) => *role = new_place,
                None => own.ca_indices[row] = atoms.len() as u32,
            }
            atoms.push(*atom);
        }
        if atoms.len() == new_begin {
            // A residue without any of these atoms keeps all of its atoms, since a residue must have some.
            own.ca_indices[row] = NO_CA;
            atoms.extend_from_slice(&before[begin..end]);
            roles = RoleAtoms::NONE;
        }
        own.roles[row] = roles.words();
        own.residue_types[row] = to;
        if named {
            own.residue_names[row] = RESIDUES[usize::from(to)].name.into();
        }
    }
    begins.push(atoms.len() as u32);
    own.residue_atoms = begins;
    structure.atoms = atoms.into();
    before.len() - structure.atoms.len()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn letters_are_those_of_the_table() {
        let names = [
            "ALA", "ARG", "ASN", "ASP", "CYS", "GLN", "GLU", "GLY", "HIS", "ILE", "LEU", "LYS", "MET", "PHE", "PRO",
            "SER", "THR", "TRP", "TYR", "VAL",
        ];
        assert!(names.iter().zip(RESIDUES).all(|(name, residue)| *name == residue.name));
        for text in ["A1R", "E:N501Y", "V-3A"] {
            assert_eq!(text.parse::<Substitution>().unwrap().to_string(), text);
        }
        for wrong in ["", "N", "NY", "501", "N501", "N501del", "B501Y", "ins214EPE", "H69-"] {
            assert!(wrong.parse::<Substitution>().is_err(), "{wrong}");
        }
    }
}
