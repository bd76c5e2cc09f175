//! Which records become atoms: the selection rule, the same for both formats.

use super::error::{Fault, Problem, bad_field};
use super::{ReadOptions, ReadStructure};
use crate::structure::StructureInput;
use shared_types::radii::protor_radius;
use shared_types::{Atom, NO_CA, RESIDUES, ResidueKind};
use std::collections::HashMap;

/// What differs between the formats once a record is split into fields.
#[derive(Clone, Copy)]
pub(super) struct Syntax {
    /// What the format calls the residue number, for errors.
    pub(super) number_field: &'static str,
    /// Its value.
    pub(super) residue_number: fn(&[u8]) -> Option<i32>,
    /// A B factor, where it is one.
    pub(super) b_factor: fn(&[u8]) -> Option<f64>,
}

/// Where a record stands: author chain id, residue number and insertion code as text without blanks around it
/// (but for a PDB file's blank chain).
#[derive(Clone, Copy, PartialEq)]
pub(super) struct Place<'a> {
    pub(super) chain: &'a [u8],
    pub(super) number: &'a [u8],
    pub(super) icode: &'a [u8],
}

/// An `ATOM` record.
pub(super) struct Record<'a> {
    /// Residue name, by [`pack`].
    pub(super) residue: u64,
    /// Atom name without blanks around it, by [`pack`].
    pub(super) name: u64,
    /// Alternate location, by [`pack`].
    pub(super) alternate: u64,
    pub(super) hydrogen: bool,
    /// Å.
    pub(super) position: [f64; 3],
    /// The B factor's text.
    pub(super) b_factor: &'a [u8],
}

/// Up to eight bytes as a word that compares like the text. Longer texts, which no standard name is, keep their
/// beginning.
#[inline]
pub(super) fn pack(text: &[u8]) -> u64 {
    let mut bytes = [0; 8];
    let n = text.len().min(8);
    bytes[..n].copy_from_slice(&text[..n]);
    u64::from_le_bytes(bytes)
}

/// The names of [`RESIDUES`], by [`pack`].
const NAMES: [u64; RESIDUES.len()] = {
    let mut names = [0; RESIDUES.len()];
    let mut kind = 0;
    while kind < names.len() {
        let &[a, b, c] = RESIDUES[kind].name.as_bytes() else { panic!("not three letters") };
        names[kind] = u64::from_le_bytes([a, b, c, 0, 0, 0, 0, 0]);
        kind += 1;
    }
    names
};

const CA: u64 = u64::from_le_bytes(*b"CA\0\0\0\0\0\0");

/// Whether an atom is a hydrogen or deuterium: by its element where that is one, else by its name's first letter
/// after digits.
#[inline]
pub(super) fn is_hydrogen(element: &[u8], name: &[u8]) -> bool {
    match element {
        [b'H' | b'h' | b'D' | b'd'] => true,
        [e] if e.is_ascii_alphabetic() && !matches!(e, b'X' | b'x') => false,
        [a, b] if a.is_ascii_alphabetic() && b.is_ascii_alphabetic() => false,
        _ => matches!(name.iter().find(|c| !c.is_ascii_digit()), Some(b'H' | b'D')),
    }
}

/// Gathers the kept atoms of a file, record by record.
pub(super) struct Selection<'a> {
    syntax: Syntax,
    wanted: Option<Vec<String>>,
    /// With `wanted`: every chain met, for messages.
    met: Vec<&'a [u8]>,
    /// The current run of records.
    place: Option<Place<'a>>,
    /// The run's residue name, packed, and kind; 0 until a standard one is met.
    residue: u64,
    kind: ResidueKind,
    /// Whether the run has an entry in `structure`.
    open: bool,
    names: Names,
    chain_index: HashMap<&'a [u8], u32>,
    /// The chain of the residue before, and its index.
    last_chain: Option<(&'a [u8], u32)>,
    duplicates: usize,
    /// x, y, z and radius in Å.
    atoms: Vec<[f64; 4]>,
    structure: StructureInput,
}

impl<'a> Selection<'a> {
    pub(super) fn new(options: &ReadOptions, syntax: Syntax, expected_atoms: usize) -> Self {
        Self {
            syntax,
            wanted: options.chains.clone(),
            met: Vec::new(),
            place: None,
            residue: 0,
            kind: 0,
            open: false,
            names: Names::default(),
            chain_index: HashMap::new(),
            last_chain: None,
            duplicates: 0,
            atoms: Vec::with_capacity(expected_atoms),
            structure: StructureInput::default(),
        }
    }

    /// Says where the records that follow stand: begins a run, unless this one goes on. To be called for every
    /// record (`HETATM` too) whose place differs from the one before. False if the chain is not wanted, and the
    /// record with it.
    pub(super) fn enter(&mut self, place: Place<'a>) -> bool {
        if let Some(wanted) = &self.wanted {
            if !self.met.contains(&place.chain) {
                self.met.push(place.chain);
            }
            let id = chain_name(place.chain);
            if !wanted.iter().any(|w| *w == id || w.is_empty() && id == " ") {
                return false;
            }
        }
        if self.place != Some(place) {
            self.place = Some(place);
            self.residue = 0;
            self.open = false;
            self.names.clear();
        }
        true
    }

    /// Takes an `ATOM` record of the place last entered.
    #[inline]
    pub(super) fn atom(&mut self, record: &Record<'_>) -> Result<(), Problem> {
        if record.residue != self.residue {
            // Another name in a run that has one is microheterogeneity.
            if self.residue != 0 {
                return Ok(());
            }
            let Some(kind) = NAMES.iter().position(|&name| name == record.residue) else { return Ok(()) };
            self.kind = kind as ResidueKind;
            self.residue = record.residue;
        }
        if record.hydrogen {
            return Ok(());
        }
        if let Some(first) = self.names.insert(record.name, record.alternate) {
            self.duplicates += usize::from(first == record.alternate);
            return Ok(());
        }
        if !self.open {
            self.open_residue()?;
        }
        if record.name == CA
            && let Some(index) = self.structure.ca_indices.last_mut()
            && let Some(bfactor) = self.structure.bfactor.last_mut()
            && let Some(b_column) = self.structure.b_column.last_mut()
        {
            *index = self.atoms.len() as u32;
            *bfactor = (self.syntax.b_factor)(record.b_factor).map_or(f32::NAN, |b| b as f32);
            *b_column = *bfactor;
        }
        let name = record.name.to_le_bytes();
        let [x, y, z] = record.position;
        self.atoms.push([x, y, z, f64::from(protor_radius(self.kind, trim_zeros(&name)))]);
        Ok(())
    }

    #[cold]
    fn too_many() -> Problem {
        Problem::TooManyAtoms(NO_CA - 1)
    }

    fn open_residue(&mut self) -> Result<(), Problem> {
        let Some(place) = self.place else { return Ok(()) };
        // A residue has fewer than 2^16 atoms of distinct name in any file that fits memory twice over; checking once
        // a residue keeps the offsets within 32 bits, and `finish` checks the last.
        let offset = u32::try_from(self.atoms.len()).ok().filter(|&n| n < NO_CA).ok_or_else(Self::too_many)?;
        let number = (self.syntax.residue_number)(place.number).ok_or_else(|| {
            let wrong = "is no residue number (a decimal integer; in PDB also hybrid-36, A000 being 10000)";
            bad_field(self.syntax.number_field, place.number, wrong)
        })?;
        let chain = match self.last_chain {
            Some((chain, index)) if chain == place.chain => index,
            _ => self.index_of_chain(place.chain),
        };
        let s = &mut self.structure;
        s.residue_atoms.push(offset);
        s.ca_indices.push(NO_CA);
        s.residue_types.push(self.kind);
        s.chain_ids.push(chain);
        s.residue_numbers.push(number);
        s.insertion_codes.push(chain_name(place.icode).into_boxed_str());
        s.bfactor.push(f32::NAN);
        s.b_column.push(f32::NAN);
        self.open = true;
        Ok(())
    }

    fn index_of_chain(&mut self, chain: &'a [u8]) -> u32 {
        let chains = &mut self.structure.chains;
        let index = *self.chain_index.entry(chain).or_insert_with(|| {
            chains.push(chain_name(chain));
            chains.len() as u32 - 1
        });
        self.last_chain = Some((chain, index));
        index
    }

    /// The structure of all atoms taken. `predicted`: the B column is no B factor.
    pub(super) fn finish(self, name: &str, predicted: bool, mut warnings: Vec<String>) -> Result<ReadStructure, Fault> {
        let n_residues = self.structure.n_residues();
        if n_residues == 0 {
            return Err(Fault::whole(Problem::NoProtein(self.chains_asked_for())));
        }
        let n_atoms = u32::try_from(self.atoms.len()).ok().filter(|&n| n < NO_CA);
        let n_atoms = n_atoms.ok_or_else(|| Fault::whole(Self::too_many()))?;
        self.warn(&mut warnings);
        let (low, high) = bounding_box(&self.atoms);
        let center = [0, 1, 2].map(|axis| 0.5 * (low[axis] + high[axis]));
        let repeats = self.coinciding_residues();
        if n_atoms > 1 && low == high {
            warnings.push(format!("all {n_atoms} atoms lie at one point"));
        } else if repeats > 0 {
            warnings.push(format!(
                "{repeats} of {n_residues} residues begin at the very point where one before them does; the file seems \
                 to hold atoms twice"
            ));
        }

        let mut structure = self.structure;
        structure.name = name.to_owned();
        structure.residue_atoms.push(n_atoms);
        structure.fill_absent();
        if predicted {
            structure.bfactor.fill(f32::NAN);
        }
        structure.center = center;
        let centred = |&[x, y, z, radius]: &[f64; 4]| Atom {
            x: (x - center[0]) as f32,
            y: (y - center[1]) as f32,
            z: (z - center[2]) as f32,
            radius: radius as f32,
        };
        structure.atoms = self.atoms.iter().map(centred).collect();
        Ok(ReadStructure { structure, warnings })
    }

    fn warn(&self, warnings: &mut Vec<String>) {
        if self.duplicates > 0 {
            warnings.push(format!(
                "{} atom records repeat a name of their residue in the same alternate location; the first of each is kept",
                self.duplicates
            ));
        }
        for id in self.wanted.iter().flatten() {
            if !self.structure.chains.iter().any(|c| c == id || id.is_empty() && c == " ") {
                warnings.push(format!("chain {id:?}, which was asked for, has no protein residues"));
            }
        }
    }

    /// Residues whose first atom lies exactly on an earlier residue's first atom.
    fn coinciding_residues(&self) -> usize {
        // Open addressing over at most half the slots; a slot holds a residue's first atom, or NO_CA when free.
        let slots = (2 * self.structure.n_residues()).next_power_of_two();
        let mut table = vec![NO_CA; slots];
        let mut repeats = 0;
        for &first in &self.structure.residue_atoms {
            let [x, y, z, _] = self.atoms[first as usize];
            let mix = |hash: u64, v: f64| (hash.rotate_left(23) ^ v.to_bits()).wrapping_mul(0x9e37_79b9_7f4a_7c15);
            let mut slot = (mix(mix(mix(0, x), y), z) >> 32) as usize & (slots - 1);
            while table[slot] != NO_CA {
                let other = self.atoms[table[slot] as usize];
                if other[..3] == [x, y, z] {
                    repeats += 1;
                    break;
                }
                slot = (slot + 1) & (slots - 1);
            }
            if table[slot] == NO_CA {
                table[slot] = first;
            }
        }
        repeats
    }

    fn chains_asked_for(&self) -> String {
        const SHOWN: usize = 20;
        let Some(wanted) = &self.wanted else { return String::new() };
        let mut met: Vec<String> = self.met.iter().take(SHOWN).map(|c| chain_name(c)).collect();
        if self.met.len() > SHOWN {
            met.push("…".to_owned());
        }
        format!(" in the chains asked for ({}); the file has {}", wanted.join(","), met.join(","))
    }
}

fn bounding_box(atoms: &[[f64; 4]]) -> ([f64; 3], [f64; 3]) {
    let (mut low, mut high) = ([f64::INFINITY; 3], [f64::NEG_INFINITY; 3]);
    for atom in atoms {
        for axis in 0..3 {
            low[axis] = low[axis].min(atom[axis]);
            high[axis] = high[axis].max(atom[axis]);
        }
    }
    (low, high)
}

/// A chain id or insertion code as text: UTF-8, or Latin-1 where it is not.
fn chain_name(id: &[u8]) -> String {
    match std::str::from_utf8(id) {
        Ok(text) => text.to_owned(),
        Err(_) => id.iter().map(|&b| char::from(b)).collect(),
    }
}

#[inline]
fn trim_zeros(bytes: &[u8; 8]) -> &[u8] {
    let used = 8 - (u64::from_le_bytes(*bytes).leading_zeros() / 8) as usize;
    &bytes[..used]
}

/// The atom names of a residue, each with its first alternate location.
#[derive(Default)]
struct Names {
    /// A bit for each name met, by hash: unset means new.
    filter: u64,
    few: Vec<(u64, u64)>,
    /// In use beyond [`Self::FEW`] names, which no amino acid has but a hostile file may.
    many: HashMap<u64, u64>,
}

impl Names {
    const FEW: usize = 64;

    fn clear(&mut self) {
        self.filter = 0;
        self.few.clear();
        if !self.many.is_empty() {
            self.many.clear();
        }
    }

    /// The alternate location under which the name is there already; `None` if it is new.
    #[inline]
    fn insert(&mut self, name: u64, alternate: u64) -> Option<u64> {
        let bit = 1 << (name.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 58);
        if self.filter & bit != 0 {
            if let Some(&(_, first)) = self.few.iter().find(|(known, _)| *known == name) {
                return Some(first);
            }
            if let Some(&first) = self.many.get(&name) {
                return Some(first);
            }
        }
        self.filter |= bit;
        if self.few.len() < Self::FEW {
            self.few.push((name, alternate));
        } else {
            self.many.insert(name, alternate);
        }
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hydrogens_by_element_then_by_name() {
        assert!(is_hydrogen(b"H", b"CA"));
        assert!(is_hydrogen(b"d", b"CA"));
        assert!(!is_hydrogen(b"HG", b"HG"));
        assert!(!is_hydrogen(b"C", b"HA"));
        for unknown in [&b""[..], b"X", b"1", b"C1"] {
            assert!(is_hydrogen(unknown, b"1HB"), "{unknown:?}");
            assert!(!is_hydrogen(unknown, b"CA"), "{unknown:?}");
        }
    }

    #[test]
    fn names_beyond_a_few_are_still_known() {
        let mut names = Names::default();
        for name in 1..1000 {
            assert_eq!(names.insert(name, name + 7), None);
        }
        for name in 1..1000 {
            assert_eq!(names.insert(name, 0), Some(name + 7));
        }
        names.clear();
        assert_eq!(names.insert(5, 1), None);
    }
}
