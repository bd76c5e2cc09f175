//! Polymers of PDB files. The table of residues that mmCIF has is made as libcifpp makes it, which mkdssp reads files by: chains in the order
//! of `DBREF`, `SEQRES` and atoms; residues of `SEQRES` with the numbers of the atoms; residues of one position with different names one
//! after the other; no residue of a ligand's name or after `TER`. What libcifpp refuses is read from the atoms alone, and a note says so.

use super::seqres::{Numbered, align};
use super::{Filling, PolymerAtoms, Position, asym_of, header};
use crate::error::{Fault, Problem};
use crate::lines::lines;
use crate::links::LinkEnd;
use crate::number::pdb_residue_number;
use crate::pdb::{AtomLine, Links, Records};
use crate::word::text_of;
use std::collections::{BTreeSet, HashMap, HashSet};

/// The names that are residues of polymers wherever they are.
const KNOWN: [&[u8]; 31] = [
    b"ALA", b"ARG", b"ASN", b"ASP", b"CYS", b"GLN", b"GLU", b"GLY", b"HIS", b"ILE", b"LEU", b"LYS", b"MET", b"PHE",
    b"PRO", b"SER", b"THR", b"TRP", b"TYR", b"VAL", b"GLX", b"ASX", b"A", b"C", b"G", b"T", b"U", b"DA", b"DC", b"DG",
    b"DT",
];

fn is_known(name: &[u8]) -> bool {
    KNOWN.contains(&name)
}

/// Records that come before those of the secondary structure.
const BEFORE: [&[u8]; 26] = [
    b"HEADER", b"OBSLTE", b"TITLE ", b"SPLIT ", b"CAVEAT", b"COMPND", b"SOURCE", b"KEYWDS", b"EXPDTA", b"NUMMDL",
    b"MDLTYP", b"AUTHOR", b"REVDAT", b"SPRSDE", b"JRNL  ", b"REMARK", b"DBREF ", b"DBREF1", b"DBREF2", b"SEQADV",
    b"SEQRES", b"MODRES", b"HET   ", b"HETNAM", b"HETSYN", b"FORMUL",
];
/// Those after them.
const AFTER: [&[u8]; 22] = [
    b"HELIX ", b"SHEET ", b"SSBOND", b"LINK  ", b"LINKR ", b"CISPEP", b"SITE  ", b"CRYST1", b"ORIGX1", b"ORIGX2",
    b"ORIGX3", b"SCALE1", b"SCALE2", b"SCALE3", b"MTRIX1", b"MTRIX2", b"MTRIX3", b"MODEL ", b"ATOM  ", b"HETATM",
    b"ANISOU", b"TER   ",
];

/// A residue by the author's numbering: chain, number, insertion code.
type Place<'a> = (&'a [u8], i32, u8);

/// Residues of a sequence by number and insertion code.
type ByNumber = HashMap<(i32, u8), Vec<usize>>;

struct Atom<'a> {
    place: Place<'a>,
    name: &'a [u8],
    residue: &'a [u8],
    alternate: u8,
    element: &'a [u8],
    position: [f64; 3],
}

/// A chain of the file.
#[derive(Default)]
struct Chain<'a> {
    id: &'a [u8],
    /// Its sequence, by `SEQRES` or the atoms.
    sequence: Vec<Numbered>,
    /// The names of residues that share a position of the sequence with the sequence's own.
    others: HashMap<usize, BTreeSet<&'a [u8]>>,
    /// Runs of atoms of known residues.
    met: Vec<Numbered>,
    /// Which residues of the sequence have the name and number of an atom.
    seen: Vec<bool>,
    /// How many of those are before `TER`; 0 if there is none.
    ends: usize,
    /// The number of the next residue in `SEQRES`.
    next: i32,
}

/// Columns of a line, counted from 1, without blanks around them.
pub(super) fn of(line: &[u8], first: usize, last: usize) -> &[u8] {
    line.get(first - 1..last.min(line.len())).unwrap_or_default().trim_ascii()
}

/// A column of a line, counted from 1.
fn at(line: &[u8], column: usize) -> u8 {
    line.get(column - 1).copied().unwrap_or(b' ')
}

/// A chain in a column, counted from 1.
fn chain(line: &[u8], column: usize) -> &[u8] {
    line.get(column - 1..column).unwrap_or(b" ")
}

/// The residue of a record.
fn place<'a>(atom: &AtomLine<'a>, number: i32) -> Place<'a> {
    (atom.place.id.chain, number, atom.place.id.icode.first().copied().unwrap_or(b' '))
}

fn number(line: &[u8], first: usize, last: usize) -> Option<i32> {
    pdb_residue_number(of(line, first, last))
}

#[derive(Default)]
struct Reader<'a> {
    chains: Vec<Chain<'a>>,
    atoms: Vec<Atom<'a>>,
    /// Residues that `HET` records or atoms name as ligands.
    ligands: HashSet<(Place<'a>, &'a [u8])>,
    /// Alternate locations of the sulphur of each residue.
    sulphurs: HashMap<Place<'a>, BTreeSet<u8>>,
    bonds: Vec<([Place<'a>; 2], [&'a [u8]; 2])>,
    /// The residue of the last record, and all so far.
    last: Option<Place<'a>>,
    met: HashSet<Place<'a>>,
    has_repeats: bool,
    /// The residue of the last alpha carbon, and how many residues had one.
    last_alpha: Option<Place<'a>>,
    alpha_carbons: usize,
    /// Whether the first record after those about the sequence has something in the column of alternate locations.
    marked: bool,
    notes: Vec<String>,
}

pub(super) fn read(text: &[u8]) -> Result<PolymerAtoms, Fault> {
    let mut reader = Reader::default();
    reader.records(text)?;
    if reader.atoms.is_empty() {
        return Err(Fault::whole(Problem::NoAtoms("no line is an ATOM or HETATM record")));
    }
    reader.sequences();
    reader.positions();
    let names = |chain: &Chain<'_>| chain.sequence.iter().map(|residue| residue.name.clone()).collect();
    let chains: Vec<header::ChainNames<'_>> = reader.chains.iter().map(|chain| (chain.id, names(chain))).collect();
    let header = header::read(text, &chains);
    let mut polymers = reader.finish();
    polymers.header = header;
    Ok(polymers)
}

impl<'a> Reader<'a> {
    fn chain(&mut self, id: &'a [u8]) -> &mut Chain<'a> {
        let found = self.chains.iter().position(|chain| chain.id == id);
        let found = found.unwrap_or_else(|| {
            self.chains.push(Chain { id, next: 1, ..Chain::default() });
            self.chains.len() - 1
        });
        &mut self.chains[found]
    }

    fn records(&mut self, text: &'a [u8]) -> Result<(), Fault> {
        let (mut ended, mut is_known_marked, mut has_more) = (HashSet::new(), false, false);
        let (mut records, mut links) = (Records::new(text), Links::new(text));
        for (offset, line) in lines(text) {
            let head: &[u8] = line.get(..6).unwrap_or_default();
            let fault = |problem| Fault::at(offset, problem);
            if !is_known_marked && !BEFORE.contains(&head) && AFTER.contains(&head) {
                (self.marked, is_known_marked) = (at(line, 17) != b' ', true);
            }
            let found = match records.line(offset, line) {
                Ok(found) => found,
                // Of further models little is read.
                Err(_) if records.model() > 1 => continue,
                Err(problem) => return Err(fault(problem)),
            };
            let in_first = records.model() <= 1;
            for atom in found.iter().flatten() {
                self.sulphur(atom);
                if in_first {
                    self.atom(atom, &ended).map_err(fault)?;
                } else {
                    has_more = true;
                }
            }
            let line = line.trim_ascii_end();
            match head {
                b"TER   " if in_first => {
                    let id = chain(line, 22);
                    let chain = self.chain(id);
                    if chain.ends == 0 {
                        chain.ends = chain.met.len();
                    }
                    ended.insert(id);
                }
                b"DBREF " | b"DBREF1" => {
                    let first = number(line, 15, 18).unwrap_or(0);
                    self.chain(chain(line, 13)).next = first;
                }
                b"SEQRES" => {
                    let chain = self.chain(chain(line, 12));
                    for name in of(line, 20, 70).split(|&c| c == b' ').filter(|name| !name.is_empty()) {
                        chain.sequence.push(Numbered { name: name.to_vec(), number: chain.next, icode: b' ' });
                        chain.next = chain.next.saturating_add(1);
                    }
                }
                b"HET   " => {
                    let place = (chain(line, 13), number(line, 14, 17).unwrap_or(0), at(line, 18));
                    self.ligands.insert((place, of(line, 8, 10)));
                }
                b"SSBOND" => {
                    let place = |end: LinkEnd<'a>| (end.chain, end.number, end.icode.first().copied().unwrap_or(b' '));
                    let operators = [of(line, 60, 65), of(line, 67, 72)];
                    self.bonds.extend(links.of(line).map(|declared| (declared.ends.map(place), operators)));
                }
                _ => {}
            }
        }
        if has_more {
            self.notes.push("the first model is read, and no other".to_owned());
        }
        Ok(())
    }

    fn atom(&mut self, atom: &AtomLine<'a>, ended: &HashSet<&'a [u8]>) -> Result<(), Problem> {
        let place = place(atom, atom.number()?);
        let residue = atom.residue();
        let is_ended = ended.contains(place.0);
        let chain = self.chain(place.0);
        let is_same = |last: &Numbered| (last.number, last.icode) == (place.1, place.2);
        if is_known(residue) && !chain.met.last().is_some_and(is_same) {
            chain.met.push(Numbered { name: residue.to_vec(), number: place.1, icode: place.2 });
        }
        if !is_known(residue) || is_ended {
            self.ligands.insert((place, residue));
        }
        if self.last.replace(place) != Some(place) && !self.met.insert(place) {
            self.has_repeats |= atom.columns[16] == b' ';
        }
        let name = atom.name()?;
        if name == b"CA" && atom.element() != b"CA" && self.last_alpha.replace(place) != Some(place) {
            self.alpha_carbons += 1;
        }
        self.atoms.push(Atom {
            place,
            name,
            residue,
            alternate: atom.columns[16],
            element: atom.element(),
            position: atom.position()?,
        });
        Ok(())
    }

    /// Takes note of the alternate locations of sulphur, in all models.
    fn sulphur(&mut self, atom: &AtomLine<'a>) {
        if atom.columns[12..16].trim_ascii() == b"SG" && atom.columns[16] != b' ' {
            let place = place(atom, atom.number().unwrap_or(0));
            self.sulphurs.entry(place).or_default().insert(atom.columns[16]);
        }
    }

    /// Numbers the sequences, or makes them from the atoms.
    fn sequences(&mut self) {
        self.chains.retain(|chain| !chain.met.is_empty() || !chain.sequence.is_empty());
        for chain in &mut self.chains {
            if !chain.sequence.is_empty() && !chain.met.is_empty() {
                if chain.ends > 0 {
                    chain.met.truncate(chain.ends);
                }
                chain.seen = vec![false; chain.sequence.len()];
                let mut sequence = chain.sequence.clone();
                if let Some(last) = align(&mut sequence, &chain.met) {
                    chain.sequence = sequence;
                    if last > 0 && last + 1 < chain.met.len() {
                        chain.ends = last + 1;
                    }
                    continue;
                }
                let id = text_of(chain.id);
                self.notes.push(format!("the atoms of chain {id} do not fit its SEQRES records, which are not used"));
                chain.sequence.clear();
            }
            if chain.sequence.is_empty() {
                // All runs are of known residues.
                chain.ends = chain.met.len();
                chain.sequence.clone_from(&chain.met);
                chain.seen = vec![true; chain.sequence.len()];
            }
            chain.seen.resize(chain.sequence.len(), false);
        }
    }

    /// Finds residues that share a position, and ligands.
    fn positions(&mut self) {
        let mut index: HashMap<&[u8], (usize, ByNumber)> = HashMap::new();
        for (at, chain) in self.chains.iter().enumerate() {
            let mut by_number = ByNumber::new();
            for (place, residue) in chain.sequence.iter().enumerate() {
                by_number.entry((residue.number, residue.icode)).or_default().push(place);
            }
            index.insert(chain.id, (at, by_number));
        }
        let mut atoms_of: HashMap<&[u8], usize> = HashMap::new();
        for atom in &self.atoms {
            let (id, number, icode) = atom.place;
            let count = atoms_of.entry(id).or_insert(0);
            *count += 1;
            let Some((at, by_number)) = index.get(&id) else { continue };
            let chain = &mut self.chains[*at];
            let same = by_number.get(&(number, icode)).map_or(&[][..], Vec::as_slice);
            let own = same.iter().find(|&&place| chain.sequence[place].name == atom.residue);
            if let Some(&place) = own {
                chain.seen[place] = true;
            } else if let (true, Some(&place)) = (self.marked, same.first()) {
                chain.seen[place] = true;
                chain.others.entry(place).or_default().insert(atom.residue);
            }
            // libcifpp compares the number of atoms so far with that of residues.
            if chain.ends > 0 && *count >= chain.ends {
                self.ligands.insert((atom.place, atom.residue));
            }
        }
    }

    /// Fills the table of residues with atoms.
    fn finish(self) -> PolymerAtoms {
        let mut filling = Filling::default();
        // Later residues take the place of earlier ones with the same number.
        let mut places: HashMap<Place<'_>, (u32, i32)> = HashMap::new();
        for (at, chain) in self.chains.iter().enumerate() {
            let asym = filling.asym(asym_of(at).as_bytes());
            for (place, residue) in chain.sequence.iter().enumerate() {
                let seq = place as i32 + 1;
                places.insert((chain.id, residue.number, residue.icode), (asym, seq));
                let mut names: BTreeSet<&[u8]> = chain.others.get(&place).cloned().unwrap_or_default();
                names.insert(&residue.name);
                // Residues without atoms of their own are told apart by another letter.
                let icode = [residue.icode, if chain.seen[place] { b' ' } else { b'A' }];
                let icode = icode.trim_ascii();
                for name in names {
                    let position = Position { asym, seq, name: name.to_vec() };
                    filling.row(position, chain.id, residue.number, icode);
                }
            }
        }
        for (place, name) in &self.ligands {
            let chain = self.chains.iter().find(|chain| chain.id == place.0);
            let in_sequence = chain.is_some_and(|chain| {
                let is_it = |own: &Numbered| (own.number, own.icode, &own.name[..]) == (place.1, place.2, *name);
                chain.sequence.iter().any(is_it)
            });
            if !in_sequence {
                places.remove(place);
            }
        }
        let mut of_rows: Vec<(usize, &Atom<'_>)> = Vec::with_capacity(self.atoms.len());
        for atom in &self.atoms {
            let Some(&(asym, seq)) = places.get(&atom.place) else { continue };
            let position = Position { asym, seq, name: atom.residue.to_vec() };
            of_rows.extend(filling.rows.get(&position).map(|&row| (row, atom)));
        }
        of_rows.sort_by_key(|(row, _)| *row);
        for own in of_rows.chunk_by_mut(|a, b| a.0 == b.0) {
            by_name(own);
            for (row, atom) in own.iter() {
                filling.atom(*row, atom.name, atom.element, atom.position);
            }
        }
        let (mut disulfides, mut operators) = (Vec::new(), Vec::new());
        for ([a, b], of) in &self.bonds {
            let (Some(&from), Some(&to)) = (places.get(a), places.get(b)) else { continue };
            let locations = |place| self.sulphurs.get(place).map_or(1, BTreeSet::len);
            // Each pair of alternate locations is a bond of its own.
            let count = locations(a) * locations(b);
            disulfides.extend(std::iter::repeat_n([from, to], count));
            operators.extend(std::iter::repeat_n(of.map(operator), count));
        }
        let mut polymers = filling.finish(&disulfides, &operators);
        (polymers.notes, polymers.alpha_carbons) = (self.notes, self.alpha_carbons);
        polymers.has_repeats = self.has_repeats;
        polymers
    }
}

/// A symmetry operator of a bond as mmCIF writes it: `2655` is `2_655`.
fn operator(of: &[u8]) -> String {
    match of.split_at_checked(of.len().saturating_sub(3)) {
        Some((number, cells)) if !number.is_empty() => format!("{}_{}", text_of(number), text_of(cells)),
        _ => String::new(),
    }
}

/// Puts alternate locations of an atom side by side, sorted, from the first atom that has any.
fn by_name(atoms: &mut [(usize, &Atom<'_>)]) {
    let Some(first) = atoms.iter().position(|(_, atom)| atom.alternate != b' ') else { return };
    let rest = &mut atoms[first..];
    let mut order: HashMap<&[u8], usize> = HashMap::new();
    for (_, atom) in rest.iter() {
        let next = order.len();
        order.entry(atom.name).or_insert(next);
    }
    rest.sort_by_key(|(_, atom)| (order[atom.name], atom.alternate));
}
