//! Rows of atoms that are [usual lines](Line). Their words are found once for all lines that have them in the same places, and what
//! identifies a residue is compared with the line before as bytes.

use super::alike::Alike;
use super::repeated::names_of;
use super::{AtomSite, Columns, Common, Item, NAMES, Raw, Values};
use crate::cif::line::{BLOCKS, Line};
use crate::error::Problem;
use crate::masks::{Task, Vectors};

/// The items that identify a residue, and decide what its atoms are. Where the table lacks the first item or has no value, the second
/// one counts.
const IDENTITY: [(Item, Item); 8] = [
    (Item::Model, Item::Model),
    (Item::Group, Item::Group),
    (Item::Chain, Item::LabelChain),
    (Item::Number, Item::LabelNumber),
    (Item::LabelNumber, Item::LabelNumber),
    (Item::Icode, Item::Icode),
    (Item::Residue, Item::AuthResidue),
    (Item::Entity, Item::Entity),
];

/// Most columns of a table whose lines are usual: each has a byte, and a blank before the next.
const MOST_COLUMNS: usize = 32 * BLOCKS;

/// Lines that have their words in the same places as one before them, after which others are expected to have them there, too.
const LEAST_SAME: u32 = 2;

/// What is known of the usual lines so far.
pub(super) struct Usual {
    /// Where the words of the last line begin, as a bit for each byte; empty if that is not known.
    starts: [u64; BLOCKS],
    blocks: usize,
    /// Where its items begin, in bytes from the beginning of the line. Items that the table lacks begin at a blank.
    pub(super) begins: [u8; NAMES.len()],
    /// The same for the items of [`IDENTITY`].
    identity: [u8; IDENTITY.len()],
    /// What identifies the residue of the row before, if that is a usual line, and what its atoms have in common, if they are read.
    pub(super) before: Option<(Words<{ IDENTITY.len() }>, Option<Common>)>,
    /// The number of lines so far that have their words in the same places, one after another.
    pub(super) same: u32,
    /// How lines in these places are compared, once that was found.
    pub(super) alike: Option<Alike>,
}

impl Usual {
    pub(super) fn new() -> Self {
        Self {
            starts: [0; BLOCKS],
            blocks: 0,
            begins: [0; NAMES.len()],
            identity: [0; IDENTITY.len()],
            before: None,
            same: 0,
            alike: None,
        }
    }

    /// Keeps the next row from being compared with the one before.
    pub(super) fn forget(&mut self) {
        self.before = None;
    }

    /// Finds where the items of a line begin. Returns false if it does not have a word for each column.
    #[inline(always)]
    fn find(&mut self, line: &Line<'_>, columns: &Columns) -> bool {
        let starts = line.starts();
        // One by one: they were just written so.
        let is_same = starts.len() == self.blocks && starts.iter().zip(&self.starts).all(|(own, before)| own == before);
        self.same = self.same.saturating_add(1);
        is_same || self.find_anew(line, columns)
    }

    fn find_anew(&mut self, line: &Line<'_>, columns: &Columns) -> bool {
        let mut begins = [0; MOST_COLUMNS + 1];
        (self.blocks, self.same, self.alike) = (0, 0, None);
        if line.begins(&mut begins) != columns.count || columns.count < 2 {
            return false;
        }
        // The blank before the second word.
        begins[columns.count] = begins[1] - 1;
        for (begin, column) in self.begins.iter_mut().zip(columns.column) {
            *begin = begins[column];
        }
        for (begin, (first, second)) in self.identity.iter_mut().zip(IDENTITY) {
            let is_there = columns.column[first as usize] < columns.count;
            *begin = self.begins[if is_there { first } else { second } as usize];
        }
        self.blocks = line.starts().len();
        self.starts[..self.blocks].copy_from_slice(line.starts());
        true
    }
}

/// Some values of a row with the blanks after them: the first eight bytes of each, and which of them count.
#[derive(Clone, Copy)]
pub(super) struct Words<const N: usize>([(u64, u64); N]);

/// A row that is a usual line.
pub(super) struct UsualRow<'r, 'a> {
    pub(super) line: &'r Line<'a>,
    /// Where the line begins in the text.
    pub(super) at: usize,
    pub(super) begins: &'r [u8; NAMES.len()],
}

impl UsualRow<'_, '_> {
    /// Where an item begins in the text.
    #[inline(always)]
    pub(super) fn begin(&self, item: Item) -> usize {
        self.at + usize::from(self.begins[item as usize])
    }

    #[inline(always)]
    fn eight_bytes(&self, begin: u8) -> u64 {
        let begin = usize::from(begin);
        self.line.bytes[begin..begin + 8].first_chunk().map_or(0, |bytes| u64::from_le_bytes(*bytes))
    }

    /// Whether the text has an item's value, and the blank after it, at another byte, too. May be false for long values.
    #[inline(always)]
    pub(super) fn is_word_at(&self, item: Item, text: &[u8], at: usize) -> bool {
        let begin = self.begins[item as usize];
        let length = self.line.length_of(begin);
        let other = text.get(at..).and_then(|rest| rest.first_chunk());
        let differences = other.map_or(u64::MAX, |other| u64::from_le_bytes(*other) ^ self.eight_bytes(begin));
        length < 8 && differences & (u64::MAX >> (56 - 8 * length)) == 0
    }

    /// The coordinates in Å if they have three decimals and are as close as in archives.
    #[inline(always)]
    pub(super) fn position(&self, vectors: impl Vectors) -> Option<[f64; 3]> {
        let begins = self.begins([Item::X, Item::Y, Item::Z]);
        let lengths = self.line.three_lengths(begins)?;
        let [x, y, z] = begins;
        vectors.three_words([self.eight_bytes(x), self.eight_bytes(y), self.eight_bytes(z)], lengths)
    }

    /// Where some items begin in the line.
    #[inline(always)]
    pub(super) fn begins<const N: usize>(&self, items: [Item; N]) -> [u8; N] {
        let mut begins = [0; N];
        for (begin, item) in begins.iter_mut().zip(items) {
            *begin = self.begins[item as usize];
        }
        begins
    }

    /// Whether the values that begin at some bytes of the line are the same as those of another row.
    #[inline(always)]
    pub(super) fn agrees<const N: usize>(&self, begins: &[u8; N], words: &Words<N>) -> bool {
        let mut differences = 0;
        for (begin, (value, own)) in begins.iter().zip(&words.0) {
            differences |= (self.eight_bytes(*begin) ^ value) & own;
        }
        differences == 0
    }

    /// The values that begin at some bytes of the line, to compare others with; `None` if one is too long.
    #[inline(always)]
    pub(super) fn words<const N: usize>(&self, begins: &[u8; N]) -> Option<Words<N>> {
        let mut words = [(0, 0); N];
        for (word, begin) in words.iter_mut().zip(begins) {
            let length = self.line.length_of(*begin);
            if length >= 8 {
                return None;
            }
            *word = (self.eight_bytes(*begin), u64::MAX >> (56 - 8 * length));
        }
        Some(Words(words))
    }

    /// What identifies the row's residue, if there is a value wherever another item could take its place.
    #[inline(always)]
    fn identity(&self, begins: &[u8; IDENTITY.len()]) -> Option<Words<{ IDENTITY.len() }>> {
        let words = self.words(begins)?;
        let lacks = |((first, second), (value, _)): (&(Item, Item), &(u64, u64))| {
            *first as usize != *second as usize && matches!(*value as u8, b'.' | b'?')
        };
        (!IDENTITY.iter().zip(&words.0).any(lacks)).then_some(words)
    }
}

impl Values for UsualRow<'_, '_> {
    #[inline(always)]
    fn raw(&self, item: Item) -> Raw {
        let length = self.line.length_of(self.begins[item as usize]);
        let head = self.eight_bytes(self.begins[item as usize]);
        let head = if length < 8 { head & !(u64::MAX << (8 * length)) } else { head };
        let begin = self.begin(item);
        Raw { head, begin, end: begin + length }
    }
}

/// Takes the rows that follow and are usual lines, the first of them behind byte `at`, which ends a line.
pub(in crate::cif) struct UsualRows<'r, 'o, 'a> {
    pub(in crate::cif) atoms: &'r mut AtomSite<'o, 'a>,
    pub(in crate::cif) at: usize,
}

impl Task for UsualRows<'_, '_, '_> {
    /// The end of the last of them, or `at`. An error comes with the byte at which its row begins.
    type Output = Result<usize, (usize, Problem)>;

    #[inline(always)]
    fn run(self, vectors: impl Vectors) -> Self::Output {
        let Self { atoms, mut at } = self;
        let mut line = Line::new();
        while atoms.text.get(at) == Some(&b'\n')
            && line.read(atoms.text, at + 1, vectors)
            && atoms.usual.find(&line, &atoms.columns)
        {
            let begins = atoms.usual.begins;
            let row = UsualRow { line: &line, at: at + 1, begins: &begins };
            let common = match &atoms.usual.before {
                Some((identity, common)) if row.agrees(&atoms.usual.identity, identity) => Ok(*common),
                _ => atoms.another_residue(&row),
            };
            let taken = match common {
                Ok(Some(common)) => atoms.usual_atom(&row, common),
                Ok(None) => Ok(()),
                Err(problem) => Err(problem),
            };
            taken.map_err(|problem| (at + 1 + line.first(), problem))?;
            at += 1 + line.length;
            if atoms.usual.same >= LEAST_SAME {
                at = atoms.take_alike(&mut line, at, vectors)?;
            }
        }
        atoms.settle_and_recall().map_err(|problem| (at, problem))?;
        Ok(at)
    }
}

impl<'a> AtomSite<'_, 'a> {
    /// Enters the residue of a row, which may be another one than that of the row before. Returns what its atoms have in common, if
    /// they are read.
    #[inline(always)]
    fn another_residue(&mut self, row: &UsualRow<'_, 'a>) -> Result<Option<Common>, Problem> {
        let settled = self.settle()?;
        let common = self.enter(row)?;
        if let Some(settled) = settled
            && (self.current != Some(settled.model) || !self.models[settled.model].1.is_at_first_record())
        {
            self.recall(settled);
        }
        self.usual.before = row.identity(&self.usual.identity).map(|identity| (identity, common));
        if let Some(common) = common {
            self.follow(common);
        }
        Ok(common)
    }

    /// Takes the atom of a row, whose residue was entered.
    #[inline(always)]
    fn usual_atom(&mut self, row: &UsualRow<'_, 'a>, common: Common) -> Result<(), Problem> {
        if self.repeats(row, None) {
            return Ok(());
        }
        self.settle_and_recall()?;
        let taken = self.atom(row, common)?;
        self.note(common, || names_of(row), taken);
        Ok(())
    }
}
