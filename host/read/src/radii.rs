//! Sets of radii for `prism atoms`: NACCESS', Bondi's, or those of a file in FreeSASA's format.

use crate::elements;
use crate::nearest::suggestion;
use std::collections::HashMap;
use std::path::Path;
use std::sync::LazyLock;
use thiserror::Error;

/// Radii of NACCESS as FreeSASA has them.
const NACCESS: &str = include_str!("radii/naccess.config");
/// Radii of elements in Å: Bondi 1964, J Phys Chem 68:441, for carbon and others his Table I.
const BONDI: [(&str, f32); 15] = [
    ("C", 1.70),
    ("N", 1.55),
    ("O", 1.52),
    ("S", 1.80),
    ("P", 1.80),
    ("SE", 1.90),
    ("F", 1.47),
    ("CL", 1.75),
    ("BR", 1.85),
    ("I", 1.98),
    ("SI", 2.10),
    ("AS", 1.85),
    ("TE", 2.06),
    ("HE", 1.40),
    ("XE", 2.16),
];
/// Radii of elements that a set does not have by the names of atoms: FreeSASA's, of Mantina et al. 2009.
const FREESASA: [(&str, f32); 4] = [("C", 1.70), ("N", 1.55), ("O", 1.52), ("S", 1.80)];

/// What the surface of an atom is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AtomClass {
    /// Of nitrogen, oxygen and the like.
    Polar,
    /// Of carbon and sulphur.
    Apolar,
    /// Of an atom that nothing classifies.
    Unknown,
}

impl AtomClass {
    /// Its name in tables.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Polar => "polar",
            Self::Apolar => "apolar",
            Self::Unknown => "unknown",
        }
    }

    /// By the element's symbol.
    #[must_use]
    pub fn of_element(symbol: &str) -> Self {
        match symbol {
            "C" | "S" => Self::Apolar,
            "N" | "O" | "P" => Self::Polar,
            _ => Self::Unknown,
        }
    }
}

/// Radii by the names of residues and atoms, or by elements.
///
/// ```
/// use prism_read::radii::{AtomClass, RadiusSet};
///
/// let naccess: RadiusSet = RadiusSet::named("naccess").unwrap();
/// assert_eq!(naccess.get("ALA", "CB", "C"), Some((1.87, AtomClass::Apolar)));
/// let text = "types:\nCX 2.5 polar\natoms:\nANY CB CX\n";
/// assert_eq!(RadiusSet::parse(text)?.get("ALA", "CB", "C"), Some((2.5, AtomClass::Polar)));
/// # Ok::<(), prism_read::radii::RadiiError>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct RadiusSet {
    /// Of residues and atoms.
    atoms: HashMap<(String, String), (f32, AtomClass)>,
    elements: &'static [(&'static str, f32)],
}

/// Why a text is no set of radii.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
#[error("line {line}: {problem}")]
pub struct RadiiError {
    /// The line, from 1.
    pub line: usize,
    /// What is wrong.
    pub problem: String,
}

impl RadiusSet {
    /// A set by its name: `naccess` or `bondi`.
    #[must_use]
    pub fn named(name: &str) -> Option<Self> {
        static SHIPPED: LazyLock<Option<RadiusSet>> = LazyLock::new(|| RadiusSet::parse(NACCESS).ok());
        match name {
            "naccess" => SHIPPED.clone(),
            "bondi" => Some(Self { atoms: HashMap::new(), elements: &BONDI }),
            _ => None,
        }
    }

    /// A set from a file in FreeSASA's format.
    ///
    /// # Errors
    /// If it cannot be read, or has another format.
    pub fn read(path: &Path) -> Result<Self, String> {
        let shown = path.display();
        let text = std::fs::read_to_string(path).map_err(|error| format!("{shown}: cannot be read: {error}"))?;
        Self::parse(&text).map_err(|error| format!("{shown}: {error}"))
    }

    /// A set from a text in FreeSASA's format: after `types:` lines of a name, a radius in Å and `polar` or `apolar`; after `atoms:` lines
    /// of a residue (or `ANY`), an atom and a type. `#` begins a comment.
    ///
    /// # Errors
    /// If a line is another.
    pub fn parse(text: &str) -> Result<Self, RadiiError> {
        /// In Å.
        const LARGEST: f32 = 10.0;
        let mut types: HashMap<&str, (f32, AtomClass)> = HashMap::new();
        let mut atoms = HashMap::new();
        let mut section = "";
        let text = text.strip_prefix('\u{feff}').unwrap_or(text);
        for (line, text) in text.lines().enumerate() {
            let refused = |problem: String| RadiiError { line: line + 1, problem };
            let words: Vec<&str> = text.split('#').next().unwrap_or_default().split_whitespace().collect();
            match (section, &words[..]) {
                (_, []) => {}
                (_, ["types:"]) => section = "types",
                (_, ["atoms:"]) => section = "atoms",
                (_, ["name:", ..]) => section = "",
                ("types", [name, radius, class]) => {
                    let radius: Option<f32> = radius.parse().ok().filter(|radius| (0.0..=LARGEST).contains(radius));
                    let radius =
                        radius.ok_or_else(|| refused(format!("{:?} is no radius from 0 to {LARGEST} Å", words[1])))?;
                    let class = match &*class.to_ascii_lowercase() {
                        "polar" => AtomClass::Polar,
                        "apolar" => AtomClass::Apolar,
                        _ => return Err(refused(format!("{class:?} is no class; give polar or apolar"))),
                    };
                    if types.insert(name, (radius, class)).is_some() {
                        return Err(refused(format!("the type {name} is there already")));
                    }
                }
                ("atoms", [residue, atom, name]) => {
                    let Some(&own) = types.get(name) else {
                        let meant = suggestion(name, types.keys().copied());
                        return Err(refused(format!("there is no type {name:?}{meant}; types come before atoms")));
                    };
                    let key = ((*residue).to_owned(), (*atom).to_owned());
                    if atoms.insert(key, own).is_some_and(|before| before != own) {
                        return Err(refused(format!(
                            "the atom {atom} of {residue} is there already, with another type"
                        )));
                    }
                }
                ("types", _) => return Err(refused("a type is a name, a radius, and polar or apolar".to_owned())),
                ("atoms", _) => return Err(refused("an atom is a residue (or ANY), a name, and a type".to_owned())),
                _ => {
                    let known = "this is no configuration of FreeSASA, which has the sections `types:` and `atoms:`";
                    return Err(refused(known.to_owned()));
                }
            }
        }
        if atoms.is_empty() {
            let problem = "there are no atoms: a configuration of FreeSASA has a section `atoms:`".to_owned();
            return Err(RadiiError { line: text.lines().count().max(1), problem });
        }
        Ok(Self { atoms, elements: &FREESASA })
    }

    /// The radius in Å and the class of an atom that the set has by its names. A set of elements has none by names.
    #[must_use]
    pub fn get(&self, residue: &str, atom: &str, element: &str) -> Option<(f32, AtomClass)> {
        let of = |residue: &str| self.atoms.get(&(residue.to_owned(), atom.to_owned())).copied();
        let by_element = || {
            let radius = self.elements.iter().find(|(symbol, _)| *symbol == element)?.1;
            Some((radius, AtomClass::of_element(element)))
        };
        of(residue).or_else(|| of("ANY")).or_else(|| if self.atoms.is_empty() { by_element() } else { None })
    }

    /// The radius in Å of an atom by its element, where the set does not have it; `None` if nothing says it.
    #[must_use]
    pub fn of_element(&self, symbol: &str) -> Option<f32> {
        let own = self.elements.iter().find(|(own, _)| *own == symbol).map(|(_, radius)| *radius);
        let mut padded = [0; 2];
        let bytes = symbol.as_bytes().get(..2.min(symbol.len()))?;
        padded[..bytes.len()].copy_from_slice(bytes);
        own.or_else(|| elements::of_symbol(padded).map(elements::Element::van_der_waals))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sets_have_the_radii_of_their_sources() {
        let naccess = RadiusSet::named("naccess").unwrap();
        // vdw.radii of NACCESS.
        for (residue, atom, radius, class) in [
            ("ALA", "CA", 1.87, AtomClass::Apolar),
            ("TRP", "CD1", 1.76, AtomClass::Apolar),
            ("LYS", "NZ", 1.50, AtomClass::Polar),
            ("CYS", "SG", 1.85, AtomClass::Apolar),
            ("XYZ", "O", 1.40, AtomClass::Polar),
            ("DA", "P", 1.90, AtomClass::Apolar),
        ] {
            assert_eq!(naccess.get(residue, atom, ""), Some((radius, class)), "{residue} {atom}");
        }
        assert_eq!(naccess.get("HEM", "FE", "FE"), None);
        assert_eq!(
            (naccess.of_element("FE"), naccess.of_element("C"), naccess.of_element("")),
            (Some(2.44), Some(1.70), None)
        );
        let bondi = RadiusSet::named("bondi").unwrap();
        assert_eq!(bondi.get("ALA", "CB", "C"), Some((1.70, AtomClass::Apolar)));
        assert_eq!(bondi.get("LIG", "BR1", "BR"), Some((1.85, AtomClass::Unknown)));
    }

    #[test]
    fn other_texts_are_refused_with_the_line() {
        for (text, line, says) in [
            ("", 1, "no atoms"),
            ("types:\nC 1.7 apolar\n", 2, "no atoms"),
            ("ALA CB 1.7\n", 1, "no configuration"),
            ("types:\nC x apolar\n", 2, "no radius"),
            ("types:\nC -1 apolar\n", 2, "no radius"),
            ("types:\nC NaN apolar\n", 2, "no radius"),
            ("types:\nC 1.7 oily\n", 2, "no class"),
            ("types:\nC 1.7\n", 2, "a type is"),
            ("types:\nC 1.7 polar\nC 1.8 polar\n", 3, "already"),
            ("types:\nC_ALI 1.7 polar\natoms:\nANY CA C_AIL\n", 4, "did you mean `C_ALI`"),
            ("types:\nC 1.7 polar\natoms:\nANY CA\n", 4, "an atom is"),
        ] {
            let error = RadiusSet::parse(text).unwrap_err();
            assert!(error.line == line && error.problem.contains(says), "{text:?}: {error}");
        }
        let text = "# mine\nname: X\ntypes:\nC 1.7 Apolar # carbon\natoms:\nANY CA C\nANY CA C\n";
        assert_eq!(RadiusSet::parse(text).unwrap().get("GLY", "CA", "C"), Some((1.7, AtomClass::Apolar)));
    }
}
