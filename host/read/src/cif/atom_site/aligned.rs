//! Further atoms of a residue, from lines aligned with its first.

use super::{AtomSite, Columns, Common, Item};
use crate::alignment::Alignment;
use crate::error::Problem;
use crate::fixed::three_fixed_8_3;
use crate::number::is_digits;
use crate::select::Record;

const SPACES: u64 = 0x2020_2020_2020_2020;
const ONES: u64 = u64::MAX / 255;
const HIGH: u64 = ONES << 7;

/// The alignment of a table's lines, as far as it is known.
pub(super) struct AlignedAtoms {
    /// The columns that differ between a residue's atoms; `None` if the table lacks a required one.
    columns: Option<Free<usize>>,
    found: Option<(Alignment, Free<usize>)>,
    /// Offset of the last value of the row before, in bytes from the row's start.
    last_begin: usize,
    /// Rows until the next attempt to find an alignment, and until the attempt after that. This limits the cost on tables
    /// that are not aligned.
    wait: u32,
    penalty: u32,
}

/// One value per free column.
#[derive(Clone, Copy)]
struct Free<T> {
    element: T,
    name: T,
    position: [T; 3],
    id: Option<T>,
    auth_name: Option<T>,
    alternate: Option<T>,
    b_factor: Option<T>,
}

impl<T: Copy> Free<T> {
    fn map<U>(self, f: impl Fn(T) -> U) -> Free<U> {
        Free {
            element: f(self.element),
            name: f(self.name),
            position: self.position.map(&f),
            id: self.id.map(&f),
            auth_name: self.auth_name.map(&f),
            alternate: self.alternate.map(&f),
            b_factor: self.b_factor.map(&f),
        }
    }

    fn to_vec(self) -> Vec<T> {
        let optional = [self.id, self.auth_name, self.alternate, self.b_factor];
        let needed = [self.element, self.name].into_iter().chain(self.position);
        needed.chain(optional.into_iter().flatten()).collect()
    }
}

impl AlignedAtoms {
    const LONGEST_WAIT: u32 = 127;
    /// An alignment that takes this many lines halves the penalty. A few lines are alike in any table.
    const WORTH: u32 = 4;

    pub(super) fn new(columns: &Columns) -> Self {
        let column = |item: Item| Some(columns.column[item as usize]).filter(|&column| column < columns.count);
        let free = || {
            Some(Free {
                element: column(Item::Element)?,
                name: column(Item::Name)?,
                position: [column(Item::X)?, column(Item::Y)?, column(Item::Z)?],
                id: columns.id,
                auth_name: column(Item::AuthName),
                alternate: column(Item::Alternate),
                b_factor: column(Item::BFactor),
            })
        };
        Self { columns: free(), found: None, last_begin: 0, wait: 0, penalty: 0 }
    }

    /// Sets `found` to the alignment of a row. Returns false if the row has none, or if no attempt is due.
    #[inline]
    fn find(&mut self, text: &[u8], edges: &[usize]) -> bool {
        // If values are not aligned, few rows pass this check.
        let last_begin = edges[edges.len() - 2] - edges[0];
        std::mem::replace(&mut self.last_begin, last_begin) == last_begin && self.find_likely(text, edges)
    }

    fn find_likely(&mut self, text: &[u8], edges: &[usize]) -> bool {
        if self.found.as_ref().is_some_and(|(alignment, _)| alignment.fits(text, edges)) {
            return true;
        }
        let Some(columns) = self.columns else { return false };
        if self.wait > 0 {
            self.wait -= 1;
            return false;
        }
        (self.wait, self.penalty) = (self.penalty, (2 * self.penalty + 1).min(Self::LONGEST_WAIT));
        self.found = Alignment::of(text, edges, &columns.to_vec()).map(|alignment| {
            let places = columns.map(|column| alignment.begin_of(column));
            (alignment, places)
        });
        self.found.is_some()
    }
}

impl AtomSite<'_, '_> {
    /// Takes the atoms of the row's residue from aligned lines below the row. `edges` are those of the row, which was taken
    /// last. Returns the end of the last such line, if there is one. An error comes with the byte at which its line begins.
    #[inline]
    pub(crate) fn aligned_rows(&mut self, edges: &[usize]) -> Result<Option<usize>, (usize, Problem)> {
        let (Some(common), Some(current)) = (self.common, self.current) else { return Ok(None) };
        // The last two edges belong to columns that the table does not have.
        let edges = &edges[..edges.len() - 2];
        if !self.aligned.find(self.text, edges) {
            return Ok(None);
        }
        let Some((alignment, places)) = &self.aligned.found else { return Ok(None) };
        let (mut begin, mut taken) = (edges[0], 0);
        while alignment.continues(self.text, begin) {
            let next = begin + alignment.stride();
            let Some(record) = atom(&self.text[next..], places, common) else { break };
            self.models[current].1.atom(&record).map_err(|problem| (next, problem))?;
            (begin, taken) = (next, taken + 1);
        }
        let end = begin + alignment.stride() - 1;
        self.aligned.penalty >>= (taken / AlignedAtoms::WORTH).min(31);
        Ok((taken > 0).then_some(end))
    }
}

/// The atom of an aligned line, if each free value has its most common form. Other lines are read as rows of values.
// Inlined: it is called for each atom, and a call would cost as much as part of the work.
#[inline(always)]
fn atom<'a>(line: &'a [u8], places: &Free<usize>, common: Common<'a>) -> Option<Record<'a, 'a>> {
    if let Some(place) = places.id {
        let (word, length) = word(line, place)?;
        // Digits, moved to the end of the word.
        let foreign = 8 * (8 - length);
        if length == 8 || !is_digits((word << foreign) ^ ((u64::MAX << foreign) & (ONES * u64::from(b'0')))) {
            return None;
        }
    }
    let (name, length) = word(line, places.name)?;
    let own = u64::MAX >> (64 - 8 * length);
    // Keywords have five letters or more.
    if length > 4 || !(name as u8).is_ascii_alphanumeric() || !is_ink(name, own) {
        return None;
    }
    if let Some(place) = places.auth_name {
        // Including the blank after it.
        let differences = bytes(line, place)? ^ name;
        if differences & (own << 8 | 0xff) != 0 {
            return None;
        }
    }
    let element = match &bytes(line, places.element)?.to_le_bytes() {
        [symbol @ (b'C' | b'N' | b'O' | b'S' | b'H' | b'D'), b' ', ..] => u16::from(*symbol),
        _ => return None,
    };
    let alternate = match places.alternate {
        None => 0,
        Some(place) => match &bytes(line, place)?.to_le_bytes() {
            [b'.' | b'?', b' ', ..] => 0,
            &[letter, b' ', ..] if letter.is_ascii_alphanumeric() => u64::from(letter),
            _ => return None,
        },
    };
    let [x, y, z] = places.position;
    let position = three_fixed_8_3([coordinate(line, x)?, coordinate(line, y)?, coordinate(line, z)?])?;
    let b_factor = match places.b_factor {
        None => &[],
        Some(place) => {
            let (word, length) = word(line, place)?;
            let first = word as u8;
            if length == 8 || !(first.is_ascii_digit() || first == b'-') || !is_ink(word, u64::MAX >> (64 - 8 * length))
            {
                return None;
            }
            &line[place..place + length as usize]
        }
    };
    let Common { residue, hetatm, in_chain, occupancy } = common;
    Some(Record { residue, name: name & own, alternate, element, position, occupancy, b_factor, hetatm, in_chain })
}

#[inline(always)]
fn bytes(line: &[u8], place: usize) -> Option<u64> {
    line.get(place..)?.first_chunk().map(|bytes| u64::from_le_bytes(*bytes))
}

/// The first eight bytes of a value, and how many of them precede the first blank (at least one).
#[inline(always)]
fn word(line: &[u8], place: usize) -> Option<(u64, u32)> {
    let word = bytes(line, place)?;
    let blanks = word ^ SPACES;
    // The lowest high bit marks the first blank.
    let length = (blanks.wrapping_sub(ONES) & !blanks & HIGH).trailing_zeros() / 8;
    (length > 0).then_some((word, length))
}

/// Whether the masked bytes have no control character and no blank.
#[inline(always)]
fn is_ink(word: u64, own: u64) -> bool {
    let word = word & own | !own & (ONES * u64::from(b'0'));
    word.wrapping_sub(ONES * 0x21) & !word & HIGH == 0
}

/// A coordinate in eight columns, right-justified.
#[inline(always)]
fn coordinate(line: &[u8], place: usize) -> Option<[u8; 8]> {
    let (word, length) = word(line, place)?;
    if length == 8 && line.get(place + 8) != Some(&b' ') {
        return None;
    }
    let foreign = 8 * (8 - length);
    Some(((word << foreign) | (SPACES & !(u64::MAX << foreign))).to_le_bytes())
}
