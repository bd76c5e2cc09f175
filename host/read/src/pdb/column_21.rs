//! Column 21: the fourth letter of a residue's name, or the first of a two-letter chain id. The format leaves it blank.
//!
//! Programs for simulations write names of four letters (`POPC`, `HSPP`, `LYS+`), others chain ids of two where there are more chains than
//! letters. A name may say which it is; otherwise the whole file does:
//! - residues that are bonded in one chain and differ in the column have names of four letters;
//! - files with chain ids of two letters have polymers in such chains. Where polymers leave the column blank, it is of names.

use super::columns::{name, position};
use super::{NEEDED, hetatm};
use crate::components::{self, Component};
use crate::draft::BOND2;
use crate::lines::lines;
use std::collections::HashSet;
use std::sync::Arc;

/// Names of lipids in CHARMM, Martini and Slipids, by their last letters: each of the names before them, with each of these.
const LIPIDS: [(&str, &str); 2] = [("POP DOP DPP DMP DLP DSP PLP SOP SAP SDP", "CEGSAI"), ("CHL", "1")];

/// What a file's records have in column 21.
pub(super) struct Column21<'a> {
    text: &'a [u8],
    /// Column 22 of the last record whose column 21 was blank; 0 if there was none.
    plain_chain: u8,
    /// That of the first such record of the file, once that was looked up.
    first_plain: Option<u8>,
    /// What the whole file shows, once that was looked up.
    shown: Option<Arc<Shown>>,
    /// The last name with what it was found by, and where it ends: waters of a box have the same.
    last: Option<([u8; 6], (usize, usize))>,
}

/// What a whole file shows about the column.
struct Shown {
    /// Whether residues that are bonded in one chain differ in it.
    bonds_differ: bool,
    /// The chain ids of two letters that polymers and water have, if these letters are no part of names.
    chains: HashSet<[u8; 2]>,
}

impl<'a> Column21<'a> {
    pub(super) fn new(text: &'a [u8]) -> Self {
        Self { text, plain_chain: 0, first_plain: None, shown: None, last: None }
    }

    /// The same at the beginning of another model. What was looked up is not looked up again: a file may have many models.
    pub(super) fn of_next_model(&self) -> Self {
        Self { plain_chain: 0, shown: self.shown.clone(), ..*self }
    }

    /// Takes note of a record whose column 21 is blank: of its column 22.
    #[inline]
    pub(super) fn see_plain(&mut self, chain: u8) {
        self.plain_chain = chain;
    }

    /// Where a record's residue name ends, and where its chain id, which ends with column 22, begins, if column 21 is not blank: columns
    /// counted from 0.
    #[cold]
    pub(super) fn divide(&mut self, columns: &[u8; NEEDED]) -> (usize, usize) {
        let key = [columns[17], columns[18], columns[19], columns[20], columns[21], self.plain_chain];
        if let Some((_, found)) = self.last.filter(|(last, _)| *last == key) {
            return found;
        }
        let found = match self.is_of_name(columns) {
            true => (21, 21),
            false if columns[20].is_ascii_graphic() && columns[21] != b' ' => (20, 20),
            false => (20, 21),
        };
        self.last = Some((key, found));
        found
    }

    /// Whether the column, which is not blank, goes on with a record's residue name.
    fn is_of_name(&mut self, columns: &[u8; NEEDED]) -> bool {
        if !columns[20].is_ascii_graphic() || columns[17] == b' ' {
            return false;
        }
        let is_listed = is_listed(columns);
        if is_listed && (!is_known(component(columns, b' ')) || columns[21] == b' ') {
            return true;
        }
        if is_listed && columns[21] == self.plain() {
            return true;
        }
        let shown = self.shown.get_or_insert_with(|| Arc::new(Shown::of(self.text)));
        shown.bonds_differ
            || !shown.chains.contains(&[columns[20], columns[21]]) && (shown.chains.is_empty() || is_lipid(columns))
    }

    /// The chain of the records around one: column 22 where column 21 is blank.
    fn plain(&mut self) -> u8 {
        if self.plain_chain == 0 {
            let text = self.text;
            let first = || {
                lines(text)
                    .filter(|(_, line)| hetatm(line).is_some() && line.get(20) == Some(&b' '))
                    .find_map(|(_, line)| line.get(21).copied())
            };
            // A file may begin with such a name: its next residues show what the column is.
            self.plain_chain = *self.first_plain.get_or_insert_with(|| first().unwrap_or(b' '));
        }
        self.plain_chain
    }
}

impl Shown {
    fn of(text: &[u8]) -> Self {
        let mut shown = Self { bonds_differ: false, chains: HashSet::new() };
        let mut carbon: Option<(&[u8], [f64; 3])> = None;
        for (_, line) in lines(text).filter(|(_, line)| hetatm(line).is_some()) {
            let Some(columns) = line.first_chunk::<NEEDED>() else { continue };
            match &columns[12..16] {
                b" C  " | b"C   " => carbon = position(columns, line).ok().map(|place| (&columns[20..22], place)),
                b" N  " | b"N   " => {
                    let before = carbon.filter(|(chain, _)| *chain != &columns[20..22] && chain[1] == columns[21]);
                    let (Some((_, before)), Ok(place)) = (before, position(columns, line)) else { continue };
                    let distance2: f64 = (0..3).map(|axis| (place[axis] - before[axis]).powi(2)).sum();
                    if distance2 < BOND2 {
                        shown.bonds_differ = true;
                        return shown;
                    }
                }
                _ if columns[20] != b' ' && is_of_polymer(columns) => {
                    shown.chains.insert([columns[20], columns[21]]);
                }
                _ => {}
            }
        }
        shown
    }
}

/// The meaning of a record's residue name that ends with this letter.
fn component(columns: &[u8; NEEDED], last: u8) -> Component {
    let word = u32::from_le_bytes([columns[17], columns[18], columns[19], last]);
    components::component(u64::from(name(word)))
}

fn is_known(component: Component) -> bool {
    matches!(component, Component::Standard(_) | Component::Variant(_) | Component::Water)
}

/// Whether a name of four letters is that of an amino acid or water. The dictionary's names of modified residues have three letters, or more
/// than PDB has room for.
fn is_listed(columns: &[u8; NEEDED]) -> bool {
    let long = component(columns, columns[20]);
    columns[17] != b' ' && (is_known(long) || matches!(long, Component::Modified(_)))
}

/// Whether a record is of a polymer or of water by the three letters of its name, and no part of a longer one.
fn is_of_polymer(columns: &[u8; NEEDED]) -> bool {
    let short = component(columns, b' ');
    let is_anchor = match short {
        Component::Water => true,
        Component::Standard(_) | Component::Variant(_) => matches!(&columns[12..16], b" CA " | b"CA  "),
        _ => short.is_standard_nucleotide() && matches!(&columns[12..16], b" C1'" | b" C1*" | b" P  "),
    };
    is_anchor && !is_listed(columns)
}

fn is_lipid(columns: &[u8; NEEDED]) -> bool {
    let listed = |names: &str| names.split(' ').any(|own| own.as_bytes() == &columns[17..20]);
    LIPIDS.iter().any(|(names, letters)| listed(names) && letters.as_bytes().contains(&columns[20]))
}
