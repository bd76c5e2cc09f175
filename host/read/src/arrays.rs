//! Atoms given as arrays by a program instead of as records of a file.

use super::atoms::element;
use super::draft::Draft;
use super::error::{Fault, Problem, ReadError, bad_field};
use super::facts::Facts;
use super::models::{Model, models};
use super::note::ReadStructure;
use super::options::{Each, Models, ReadOptions};
use super::select::{Record, ResidueId, Selection, Syntax};
use super::word::pack;

/// Largest coordinate in Å; no molecule is this far from its origin.
const FARTHEST: f64 = 1e6;
/// Longest name of an atom or residue, in bytes.
const LONGEST_NAME: usize = 8;

/// Numbers are passed to the selection as their bytes, where other formats pass text.
pub(super) const SYNTAX: Syntax = Syntax {
    number_field: "residue number",
    residue_number: |bytes| bytes.try_into().ok().map(i32::from_ne_bytes),
    b_factor: number,
    occupancy: number,
};

fn number(bytes: &[u8]) -> Option<f64> {
    bytes.try_into().ok().map(f64::from_ne_bytes).filter(|value| !value.is_nan())
}

/// One text per atom, stored as bytes of equal width; shorter texts end in zeros.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Texts {
    width: usize,
    bytes: Vec<u8>,
}

impl Texts {
    /// Splits `bytes` into texts of `width` bytes each.
    ///
    /// # Errors
    /// If the length is not a multiple of `width`: the number of bytes left over.
    pub fn new(width: usize, bytes: Vec<u8>) -> Result<Self, usize> {
        match bytes.len() % width.max(1) {
            0 => Ok(Self { width, bytes }),
            rest => Err(rest),
        }
    }

    /// The width in bytes, and all bytes.
    #[must_use]
    pub fn parts(&self) -> (usize, &[u8]) {
        (self.width, &self.bytes)
    }

    /// Number of texts.
    #[must_use]
    pub fn len(&self) -> usize {
        self.bytes.len() / self.width.max(1)
    }

    /// Whether there are no texts.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.bytes.is_empty()
    }

    /// A text without surrounding zeros and blanks; empty if there is no such index.
    #[inline]
    fn at(&self, index: usize) -> &[u8] {
        let text = self.bytes.get(index * self.width..(index + 1) * self.width).unwrap_or_default();
        let end = text.iter().rposition(|&byte| byte != 0).map_or(0, |last| last + 1);
        text[..end].trim_ascii()
    }
}

impl<T: AsRef<str>> FromIterator<T> for Texts {
    fn from_iter<I: IntoIterator<Item = T>>(texts: I) -> Self {
        let texts: Vec<T> = texts.into_iter().collect();
        let width = texts.iter().map(|text| text.as_ref().len()).max().unwrap_or(0).max(1);
        let mut bytes = vec![0; width * texts.len()];
        for (text, room) in texts.iter().zip(bytes.chunks_mut(width)) {
            room[..text.as_ref().len()].copy_from_slice(text.as_ref().as_bytes());
        }
        Self { width, bytes }
    }
}

/// Everything about the atoms of a structure except positions: one entry per atom, in the order of a file. Frames can share
/// it.
///
/// A residue is a run of atoms with the same chain, number and insertion code, as in a file. The first four arrays are
/// required. The others may be empty.
///
/// ```
/// use prism_read::{AtomArrays, ReadOptions, read_arrays};
///
/// let names = ["N", "CA", "C", "O"];
/// let atoms = AtomArrays {
///     atom_names: names.iter().cycle().take(8).collect(),
///     residue_names: [["GLY"; 4], ["ALA"; 4]].concat().into_iter().collect(),
///     chains: ["A"; 8].into_iter().collect(),
///     residue_numbers: vec![1, 1, 1, 1, 2, 2, 2, 2],
///     ..AtomArrays::default()
/// };
/// let positions: Vec<[f64; 3]> = (0..8).map(|i| [f64::from(i) * 1.4, f64::from(i % 2), 0.0]).collect();
/// let pair = read_arrays(&atoms, &positions, "pair", &ReadOptions::default()).remove(0)?.structure;
/// assert_eq!((pair.n_residues(), pair.n_atoms(), &pair.chains[..]), (2, 8, &["A".to_owned()][..]));
/// assert!(read_arrays(&atoms, &positions[1..], "short", &ReadOptions::default())[0].is_err());
/// # Ok::<(), prism_read::ReadError>(())
/// ```
#[derive(Clone, Debug, Default, PartialEq)]
pub struct AtomArrays {
    /// Atom names as PDB files have them: `CA`.
    pub atom_names: Texts,
    /// Residue names: `ALA`.
    pub residue_names: Texts,
    /// Author chain ids. As in a PDB file, a blank chain is called `" "`.
    pub chains: Texts,
    /// The author's residue numbers.
    pub residue_numbers: Vec<i32>,
    /// Insertion codes.
    pub insertion_codes: Texts,
    /// Alternate locations.
    pub alternates: Texts,
    /// Element symbols.
    pub elements: Texts,
    /// Whether the atoms are `HETATM` records; if empty, none is.
    pub hetero: Vec<bool>,
    /// Whether the residues belong to a chain, as mmCIF's `label_seq_id` says for residues in `HETATM` records.
    pub in_chain: Vec<bool>,
    /// Occupancies; NaN if unknown.
    pub occupancies: Vec<f64>,
    /// B factors in Å²; NaN if unknown.
    pub b_factors: Vec<f64>,
}

impl AtomArrays {
    /// Number of atoms.
    #[must_use]
    pub fn len(&self) -> usize {
        self.residue_numbers.len()
    }

    /// Whether there are no atoms.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.residue_numbers.is_empty()
    }

    /// The name and length of the first array whose length is not the number of atoms.
    #[must_use]
    pub fn unequal(&self) -> Option<(&'static str, usize)> {
        let needed = [
            ("atom_names", self.atom_names.len()),
            ("residue_names", self.residue_names.len()),
            ("chains", self.chains.len()),
        ];
        let optional = [
            ("insertion_codes", self.insertion_codes.len()),
            ("alternates", self.alternates.len()),
            ("elements", self.elements.len()),
            ("hetero", self.hetero.len()),
            ("in_chain", self.in_chain.len()),
            ("occupancies", self.occupancies.len()),
            ("b_factors", self.b_factors.len()),
        ];
        let mut all = needed.into_iter().chain(optional.into_iter().filter(|(_, length)| *length > 0));
        all.find(|(_, length)| *length != self.len())
    }
}

/// Reads a structure from atoms and their positions (Å), by the same rules as a file's records. `name` becomes the
/// structure's name. Returns one result, or those of
/// [`Each`] part. Arrays describe no assembly, and count as the requested model.
#[must_use]
pub fn read_arrays(
    atoms: &AtomArrays,
    positions: &[[f64; 3]],
    name: &str,
    options: &ReadOptions,
) -> Vec<Result<ReadStructure, ReadError>> {
    let options = &ReadOptions { models: Models::First, ..options.clone() };
    let found = match &options.assembly {
        Some(id) => Err(Problem::NoAssembly(format!("no assembly {id}; arrays describe none"))),
        None if options.each == Each::Assembly => {
            Err(Problem::NoAssembly("arrays describe no assembly, each of which is asked for".to_owned()))
        }
        None => select(atoms, positions, options),
    };
    let found = found.map(|draft| vec![(1, draft)]).map_err(Fault::whole);
    let read = |(_, model): (String, Result<Model, Fault>)| {
        let read = match model {
            Ok(model) => model.draft.finish(name, &model.facts, options),
            Err(fault) => vec![(name.to_owned(), Err(fault))],
        };
        read.into_iter().map(|(name, read)| read.map_err(|fault| fault.into_error(&name, b""))).collect::<Vec<_>>()
    };
    let facts = Facts::default();
    models(found, "", 1, &facts, options).into_iter().flat_map(read).collect()
}

fn select(atoms: &AtomArrays, positions: &[[f64; 3]], options: &ReadOptions) -> Result<Draft, Problem> {
    if atoms.is_empty() {
        return Err(Problem::NoAtoms("the arrays are empty"));
    }
    if let Some((field, found)) = atoms.unequal() {
        return Err(Problem::Lengths { field, found, expected: atoms.len() });
    }
    if positions.len() != atoms.len() {
        return Err(Problem::Lengths { field: "positions", found: positions.len(), expected: atoms.len() });
    }
    let mut selection = Selection::new(options, SYNTAX, atoms.len());
    let (mut place, mut wanted) = (None, true);
    for (index, &position) in positions.iter().enumerate() {
        let at = |problem| Problem::Atom { atom: index, problem: Box::new(problem) };
        let chain = match atoms.chains.at(index) {
            b"" => b" ",
            chain => chain,
        };
        let number = bytemuck::bytes_of(&atoms.residue_numbers[index]);
        let here = ResidueId { chain, number, icode: atoms.insertion_codes.at(index) };
        if place != Some(here) {
            place = Some(here);
            wanted = selection.enter(here).map_err(at)?;
        }
        if !wanted {
            continue;
        }
        let (name, residue) = (atoms.atom_names.at(index), atoms.residue_names.at(index));
        for (field, text) in [("atom name", name), ("residue name", residue)] {
            if text.len() > LONGEST_NAME {
                return Err(at(bad_field(field, text, "is longer than 8 characters")));
            }
        }
        if !position.iter().all(|value| value.abs() <= FARTHEST) {
            let shown = format!("{position:?}");
            return Err(at(bad_field("position", shown.as_bytes(), "is not a point within a million Å of the origin")));
        }
        let symbol = atoms.elements.at(index);
        let record = Record {
            residue: pack(residue),
            name: pack(name),
            alternate: pack(atoms.alternates.at(index)),
            element: element(symbol),
            position,
            occupancy: atoms.occupancies.get(index).map_or(b"", bytemuck::bytes_of),
            b_factor: atoms.b_factors.get(index).map_or(b"", bytemuck::bytes_of),
            hetatm: atoms.hetero.get(index).copied().unwrap_or(false),
            in_chain: atoms.in_chain.get(index).copied(),
        };
        selection.atom(&record).map_err(at)?;
    }
    selection.into_draft()
}
