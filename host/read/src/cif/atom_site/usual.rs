//! Rows of atoms that are [usual lines](Line). Their words are found once for all lines that have them in the same places, and what
//! identifies a residue is compared with the line before as bytes.

use super::repeated::names_of;
use super::{AtomSite, Columns, Common, Item, NAMES, Raw, Values};
use crate::cif::line::{BLOCKS, Line};
use crate::error::Problem;

/// The items that identify a residue, and decide what its atoms are.
const IDENTITY: [Item; 10] = [
    Item::Model,
    Item::Group,
    Item::Chain,
    Item::LabelChain,
    Item::Number,
    Item::LabelNumber,
    Item::Icode,
    Item::Residue,
    Item::AuthResidue,
    Item::Entity,
];

/// Most columns of a table whose lines are usual: each has a byte, and a blank before the next.
const MOST_COLUMNS: usize = 32 * BLOCKS;

/// What is known of the usual lines so far.
pub(super) struct Usual {
    /// Where the words of the last line begin, as a bit for each byte.
    starts: Option<[u64; BLOCKS]>,
    /// Where its items begin, in bytes from the beginning of the line. Items that the table lacks begin at a blank.
    begins: [u8; NAMES.len()],
    /// What identifies the residue of the row before, if that is a usual line, and what its atoms have in common, if they are read.
    before: Option<(Words<{ IDENTITY.len() }>, Option<Common>)>,
}

impl Usual {
    pub(super) fn new() -> Self {
        Self { starts: None, begins: [0; NAMES.len()], before: None }
    }

    /// Keeps the next row from being compared with the one before.
    pub(super) fn forget(&mut self) {
        self.before = None;
    }

    /// Finds where the items of a line begin. Returns false if it does not have a word for each column.
    #[inline(always)]
    fn find(&mut self, line: &Line<'_>, columns: &Columns) -> bool {
        self.starts == Some(line.starts) || self.find_anew(line, columns)
    }

    fn find_anew(&mut self, line: &Line<'_>, columns: &Columns) -> bool {
        let mut begins = [0; MOST_COLUMNS + 1];
        self.starts = None;
        if line.begins(&mut begins) != columns.count || columns.count < 2 {
            return false;
        }
        // The blank before the second word.
        begins[columns.count] = begins[1] - 1;
        for (begin, column) in self.begins.iter_mut().zip(columns.column) {
            *begin = begins[column];
        }
        self.starts = Some(line.starts);
        true
    }
}

/// Some values of a row with the blanks after them: the first eight bytes of each, and which of them count.
#[derive(Clone, Copy)]
pub(super) struct Words<const N: usize>([(u64, u64); N]);

/// A row that is a usual line.
pub(super) struct UsualRow<'r, 'a> {
    line: &'r Line<'a>,
    /// Where the line begins in the text.
    at: usize,
    begins: [u8; NAMES.len()],
}

impl UsualRow<'_, '_> {
    /// Where an item begins in the text.
    #[inline(always)]
    pub(super) fn begin(&self, item: Item) -> usize {
        self.at + usize::from(self.begins[item as usize])
    }

    #[inline(always)]
    fn eight_bytes(&self, item: Item) -> u64 {
        let begin = usize::from(self.begins[item as usize]);
        self.line.bytes[begin..begin + 8].first_chunk().map_or(0, |bytes| u64::from_le_bytes(*bytes))
    }

    /// Whether some values are the same as those of another row.
    #[inline(always)]
    pub(super) fn agrees<const N: usize>(&self, items: [Item; N], words: &Words<N>) -> bool {
        let mut differences = 0;
        for (item, (value, own)) in items.iter().zip(&words.0) {
            differences |= (self.eight_bytes(*item) ^ value) & own;
        }
        differences == 0
    }

    /// Some values to compare others with; `None` if one is too long.
    pub(super) fn words<const N: usize>(&self, items: [Item; N]) -> Option<Words<N>> {
        let mut words = [(0, 0); N];
        for (word, item) in words.iter_mut().zip(items) {
            let length = self.line.length_of(self.begins[item as usize]);
            if length >= 8 {
                return None;
            }
            *word = (self.eight_bytes(item), u64::MAX >> (56 - 8 * length));
        }
        Some(Words(words))
    }
}

impl Values for UsualRow<'_, '_> {
    #[inline(always)]
    fn raw(&self, item: Item) -> Raw {
        let length = self.line.length_of(self.begins[item as usize]);
        let head = self.eight_bytes(item);
        let head = if length < 8 { head & !(u64::MAX << (8 * length)) } else { head };
        let begin = self.begin(item);
        Raw { head, begin, end: begin + length }
    }
}

impl<'a> AtomSite<'_, 'a> {
    /// Takes the rows that follow and are usual lines, the first of them behind byte `at`, which ends a line. Returns the end of the
    /// last of them, or `at`. An error comes with the byte at which its row begins.
    pub(crate) fn usual_rows(&mut self, mut at: usize) -> Result<usize, (usize, Problem)> {
        while self.text.get(at) == Some(&b'\n')
            && let Some(line) = Line::usual(self.text, at + 1)
            && self.usual.find(&line, &self.columns)
        {
            let row = UsualRow { line: &line, at: at + 1, begins: self.usual.begins };
            let taken = match &self.usual.before {
                Some((identity, common)) if row.agrees(IDENTITY, identity) => match *common {
                    Some(common) => self.usual_atom(&row, common),
                    None => Ok(()),
                },
                _ => self.another_residue(&row),
            };
            taken.map_err(|problem| (at + 1 + line.first(), problem))?;
            at += 1 + line.length;
        }
        self.settle_and_recall().map_err(|problem| (at, problem))?;
        Ok(at)
    }

    /// Takes a row whose residue may be another one than that of the row before.
    fn another_residue(&mut self, row: &UsualRow<'_, 'a>) -> Result<(), Problem> {
        let settled = self.settle()?;
        let common = self.enter(row)?;
        if let Some(settled) = settled
            && (self.current != Some(settled.model) || !self.models[settled.model].1.is_at_first_record())
        {
            self.recall(settled);
        }
        self.usual.before = row.words(IDENTITY).map(|identity| (identity, common));
        let Some(common) = common else { return Ok(()) };
        self.follow(common);
        self.usual_atom(row, common)
    }

    /// Takes the atom of a row, whose residue was entered.
    #[inline(always)]
    fn usual_atom(&mut self, row: &UsualRow<'_, 'a>, common: Common) -> Result<(), Problem> {
        if self.repeats(row) {
            return Ok(());
        }
        self.settle_and_recall()?;
        let taken = self.atom(row, common)?;
        self.note(common, || names_of(row), taken);
        Ok(())
    }
}
