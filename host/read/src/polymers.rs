//! The residues of polymers with all of their atoms, as programs take them that follow mmCIF's table of residues
//! (`_pdbx_poly_seq_scheme`): alternate locations are not chosen, and residues with different names at one position stay.
//!
//! PDB files have no such table. It is made from `SEQRES` and the atoms, by the rules of `pdb`.

mod cif;
mod header;
mod pdb;
mod seqres;

pub(crate) use cif::{block_with_atoms, end_of_block};
pub use header::MONTHS;

use super::compressed::plain;
use super::error::{Fault, Problem, ReadError};
use super::format::{Format, format_of_named, normal};
use crate::structure::check_spread;
use std::collections::HashMap;

/// The polymers of a file's first model.
#[derive(Clone, Debug, Default)]
pub struct PolymerAtoms {
    /// What the file says about itself.
    pub header: Header,
    /// mmCIF's ids of chains, in the order of the file.
    pub asyms: Vec<String>,
    /// Residues with N, CA, C and O, in the order of the file's sequences.
    pub residues: Vec<PolymerResidue>,
    /// Residues that lack some of those atoms.
    pub incomplete: Vec<PolymerResidue>,
    /// How many residues of the model have an alpha carbon, of a polymer or not, each stretch of records for one.
    pub alpha_carbons: usize,
    /// Whether records of one chain id, number and insertion code lie apart, without alternate locations: of several residues, most likely.
    pub has_repeats: bool,
    /// Residues that are bonded by disulfides, in the order of the file.
    pub disulfides: Vec<[usize; 2]>,
    /// Of each disulfide in a PDB file, the symmetry operators of its ends as mmCIF writes them, which may be empty.
    pub operators: Vec<[String; 2]>,
    /// Choices, and what is odd about the file.
    pub notes: Vec<String>,
}

/// A residue of a polymer.
#[derive(Clone, Debug, Default)]
pub struct PolymerResidue {
    /// Index of mmCIF's id of its chain.
    pub asym: u32,
    /// Its number in mmCIF's own numbering.
    pub seq: i32,
    /// Its name.
    pub name: String,
    /// The author's chain id.
    pub chain: String,
    /// The author's residue number.
    pub number: i32,
    /// Empty if there is none.
    pub icode: String,
    /// N, CA, C and O in Å. Of alternate locations it is the last.
    pub backbone: [[f32; 3]; 4],
    /// All other atoms but hydrogens.
    pub others: Vec<[f32; 3]>,
}

/// What a file says about itself, in the words of mmCIF.
#[derive(Clone, Debug, Default)]
pub struct Header {
    /// The entry's id.
    pub id: String,
    /// The classification, if the file has a place for it.
    pub keywords: Option<String>,
    /// The date of deposition as `YYYY-MM-DD`.
    pub date: String,
    /// Its polymers.
    pub molecules: Vec<Molecule>,
    /// Names as `Hendrickson, W.A.`.
    pub authors: Vec<String>,
    /// What else a PDB file says.
    pub of_pdb: HeaderOfPdb,
}

/// What a PDB file says about itself that files made from it say as well.
#[derive(Clone, Debug, Default)]
pub struct HeaderOfPdb {
    /// `TITLE`.
    pub title: String,
    /// The methods of `EXPDTA`, in their order.
    pub methods: Vec<String>,
    /// What the B column holds, if the file says so.
    pub b_column: Option<String>,
}

/// Names and values of a polymer's description, as the records `COMPND` and `SOURCE` list them.
#[derive(Clone, Debug, Default)]
pub struct Molecule {
    /// What it is.
    pub compound: Vec<(&'static str, String)>,
    /// Where it comes from.
    pub source: Vec<(&'static str, String)>,
}

/// Reads the polymers of a PDB, mmCIF or BinaryCIF file, plain or compressed. `name` is the file's name in errors.
///
/// # Errors
/// If the file has another format or no atoms, or if a record is damaged.
pub fn read_polymers(bytes: &[u8], name: &str) -> Result<PolymerAtoms, ReadError> {
    let text = plain(bytes).map_err(|problem| ReadError { name: name.to_owned(), line: None, problem })?;
    let text = normal(&text);
    let read = match format_of_named(&text, name) {
        Format::Empty => Err(Fault::whole(Problem::Empty)),
        Format::Foreign(what) => Err(Fault::whole(Problem::OtherFormat(what))),
        Format::BinaryCif => cif::read_binary(&text),
        Format::Cif => cif::read(&text),
        Format::Pdb => pdb::read(&text),
        Format::Pqr | Format::PqrColumns | Format::FoldComp => Err(Fault::whole(Problem::OtherFormat(
            "only PDB, mmCIF and BinaryCIF files are taken here; convert the file, or give the .cif or .pdb file of the entry",
        ))),
    };
    read.and_then(checked).map_err(|fault| fault.into_error(name, &text))
}

/// Refuses atoms that lie so that a search for neighbours takes too long.
fn checked(polymers: PolymerAtoms) -> Result<PolymerAtoms, Fault> {
    let all = polymers.residues.iter().flat_map(|residue| residue.backbone.iter().chain(&residue.others));
    let points: Vec<[f64; 3]> = all.map(|place| place.map(f64::from)).collect();
    let (mut low, mut high) = ([f64::INFINITY; 3], [f64::NEG_INFINITY; 3]);
    for point in &points {
        low = [0, 1, 2].map(|axis| low[axis].min(point[axis]));
        high = [0, 1, 2].map(|axis| high[axis].max(point[axis]));
    }
    if !points.is_empty() {
        check_spread(points.into_iter(), low, high).map_err(|error| Fault::whole(Problem::Spread(error)))?;
    }
    Ok(polymers)
}

/// A row of the table of residues.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
struct Position {
    asym: u32,
    seq: i32,
    name: Vec<u8>,
}

/// Fills residues with atoms.
#[derive(Default)]
struct Filling {
    polymers: PolymerAtoms,
    /// The rows by what identifies them.
    rows: HashMap<Position, usize>,
    /// Of each row, the atoms of the backbone that were met.
    seen: Vec<[bool; 4]>,
    by_asym: HashMap<Vec<u8>, u32>,
}

impl Filling {
    /// The index of a chain's id.
    fn asym(&mut self, id: &[u8]) -> u32 {
        let asyms = &mut self.polymers.asyms;
        *self.by_asym.entry(id.to_vec()).or_insert_with(|| {
            asyms.push(super::text_of(id));
            asyms.len() as u32 - 1
        })
    }

    /// Adds a residue without atoms. One that is repeated has none.
    fn row(&mut self, position: Position, chain: &[u8], number: i32, icode: &[u8]) {
        let row = self.polymers.residues.len();
        self.polymers.residues.push(PolymerResidue {
            asym: position.asym,
            seq: position.seq,
            name: super::text_of(&position.name),
            chain: super::text_of(chain),
            number,
            icode: super::text_of(icode),
            ..PolymerResidue::default()
        });
        self.seen.push([false; 4]);
        self.rows.entry(position).or_insert(row);
    }

    /// Adds an atom to a residue.
    fn atom(&mut self, row: usize, name: &[u8], element: &[u8], position: [f64; 3]) {
        let position = position.map(|along| along as f32);
        let residue = &mut self.polymers.residues[row];
        match [b"N".as_slice(), b"CA", b"C", b"O"].iter().position(|own| *own == name) {
            Some(place) => {
                residue.backbone[place] = position;
                self.seen[row][place] = true;
            }
            None if element == b"H" => {}
            None => residue.others.push(position),
        }
    }

    /// Forgets all atoms.
    fn clear(&mut self) {
        self.polymers.residues.iter_mut().for_each(|residue| residue.others.clear());
        self.seen.fill([false; 4]);
    }

    /// Whether a residue has its whole backbone.
    fn has_any(&self) -> bool {
        self.seen.contains(&[true; 4])
    }

    /// Leaves out residues without the whole backbone. `disulfides` are pairs of chains and numbers of mmCIF, `operators` theirs, if the
    /// file's format has them.
    fn finish(self, disulfides: &[[(u32, i32); 2]], operators: &[[String; 2]]) -> PolymerAtoms {
        let Self { mut polymers, seen, .. } = self;
        for (residue, seen) in std::mem::take(&mut polymers.residues).into_iter().zip(seen) {
            match seen {
                [true, true, true, true] => polymers.residues.push(residue),
                [false, false, false, false] if residue.others.is_empty() => {}
                _ => polymers.incomplete.push(residue),
            }
        }
        let mut first: HashMap<(u32, i32), usize> = HashMap::new();
        for (index, residue) in polymers.residues.iter().enumerate() {
            first.entry((residue.asym, residue.seq)).or_insert(index);
        }
        let find = |[a, b]: &[(u32, i32); 2]| Some([*first.get(a)?, *first.get(b)?]);
        let found = disulfides.iter().enumerate().filter_map(|(at, ends)| Some((find(ends)?, operators.get(at))));
        for (residues, operators) in found {
            polymers.disulfides.push(residues);
            polymers.operators.extend(operators.cloned());
        }
        polymers
    }
}

/// mmCIF's id of a chain by its number, from 0: A to Z, AA, AB and so on.
#[doc(hidden)]
#[must_use]
pub fn asym_of(number: usize) -> String {
    let (mut rest, mut letters) = (number + 1, Vec::new());
    while rest > 0 {
        letters.push(b'A' + ((rest - 1) % 26) as u8);
        rest = (rest - 1) / 26;
    }
    letters.reverse();
    super::text_of(&letters)
}
