//! Atoms of residues that have those of an earlier one; see [`Patterns`].

use super::usual::{UsualRow, Words};
use super::{AtomSite, Common, Item, Raw, Values, content};
use crate::error::Problem;
use crate::number::integer;
use crate::options::{Polymers, Residues};
use crate::patterns::Patterns;
use crate::select::{BColumns, Taken};
use crate::word::{pack, word_length};
use std::cell::Cell;

/// What rows of the same atom have in common: its name, its element, and that it has no alternate location.
pub(super) type Names = Words<3>;

const NAMES: [Item; 3] = [Item::Name, Item::Element, Item::Alternate];

thread_local! {
    static KEPT: Cell<Option<Box<Patterns<Names>>>> = const { Cell::new(None) };
}

/// The patterns of this thread: files of one source have the same ones.
pub(super) fn of_thread(policy: (Residues, Polymers)) -> Box<Patterns<Names>> {
    Patterns::of(KEPT.try_with(Cell::take).ok().flatten(), policy)
}

/// Keeps patterns for the next file that this thread reads.
pub(super) fn keep(patterns: Box<Patterns<Names>>) {
    // At the end of the thread there is nothing to keep them for.
    let _ = KEPT.try_with(|kept| kept.set(Some(patterns)));
}

/// The rows of the current residue that agree with a pattern. Until they are [settled](AtomSite::settle), the selection has nothing
/// of them but the atoms' positions.
#[derive(Default)]
pub(super) struct Repeated {
    /// The pattern's place and the number of rows; `None` if the residue follows no pattern.
    pub(super) follows: Option<(usize, usize)>,
    /// Name and chain of the residue.
    residue: u64,
    in_chain: Option<bool>,
    /// Index of its first atom.
    begin: usize,
    /// Where the occupancies of its heavy atoms begin in the text.
    occupancies: Vec<usize>,
    /// Where the B factors of its first heavy atom and of its alpha carbon begin.
    first_b: usize,
    ca_b: Option<usize>,
    /// Whether all B factors are the same, if that matters.
    is_uniform: bool,
}

/// The rows of a residue that were settled: their model, pattern and number.
#[derive(Clone, Copy)]
pub(super) struct Settled {
    pub(super) model: usize,
    place: usize,
    taken: usize,
}

impl<'a> AtomSite<'_, 'a> {
    /// Begins a residue, which was entered, with the pattern of its name, if there is one.
    #[inline]
    pub(super) fn follow(&mut self, common: Common) {
        let (Some(current), Some(residue_id)) = (self.current, &self.residue_id) else { return };
        let selection = &mut self.models[current].1;
        if common.hetatm || !selection.is_at_first_record() || integer(residue_id[1].text).is_none() {
            return;
        }
        let Some(place) = self.patterns.find(common.residue, selection) else { return };
        self.repeated.occupancies.clear();
        self.repeated = Repeated {
            follows: Some((place, 0)),
            residue: common.residue,
            in_chain: common.in_chain,
            begin: selection.atoms().len(),
            occupancies: std::mem::take(&mut self.repeated.occupancies),
            first_b: 0,
            ca_b: None,
            is_uniform: selection.b_is_uniform(),
        };
    }

    /// Takes a row if it agrees with the pattern that its residue follows. Returns false for other rows. Its position may be known.
    #[inline(always)]
    pub(super) fn repeats(&mut self, row: &UsualRow<'_, 'a>, position: Option<[f64; 3]>) -> bool {
        let (Some((place, taken)), Some(current)) = (self.repeated.follows, self.current) else { return false };
        let Some(atom) = self.patterns.at(place).atoms.get(taken) else { return false };
        if !row.agrees(&row.begins(NAMES), &atom.names) {
            return false;
        }
        let [x, y, z] = match position {
            Some(position) => position,
            None => match self.position(row) {
                Ok(position) => position,
                Err(_) => return false,
            },
        };
        if let Some(radius) = atom.radius {
            let b = row.begin(Item::BFactor);
            if self.repeated.occupancies.is_empty() {
                self.repeated.first_b = b;
            } else if self.repeated.is_uniform {
                let is_same = |at: usize, other: usize| pack(self.value_at(at)) == pack(self.value_at(other));
                self.repeated.is_uniform = row.is_word_at(Item::BFactor, self.text, self.repeated.first_b)
                    || is_same(b, self.repeated.first_b);
            }
            if atom.known.ends_with_ca() {
                self.repeated.ca_b = Some(b);
            }
            self.repeated.occupancies.push(row.begin(Item::Occupancy));
            self.models[current].1.atoms().push([x, y, z, radius]);
        }
        self.repeated.follows = Some((place, taken + 1));
        true
    }

    /// Lets the selection have the rows that agreed with a pattern, as if it had taken them one by one, but for the names, which
    /// [`recall`](Self::recall) adds.
    #[inline]
    pub(super) fn settle(&mut self) -> Result<Option<Settled>, Problem> {
        let (Some((place, taken @ 1..)), Some(model)) = (self.repeated.follows.take(), self.current) else {
            return Ok(None);
        };
        let Repeated { residue, in_chain, begin, first_b, ca_b, is_uniform, .. } = self.repeated;
        // The first one is compared with those of other atoms, unless values differ anyway.
        let first = if self.models[model].1.b_is_uniform() { self.value_at(first_b) } else { b"" };
        let ca = ca_b.map_or(&[][..], |ca| self.value_at(ca));
        let pattern = self.patterns.at(place);
        let known = &pattern.atoms[taken - 1].known;
        let b = BColumns { ca, first, is_uniform };
        self.models[model].1.repeat(begin, (residue, pattern.kind), in_chain, known, &b)?;
        self.patterns.begin_with(place, taken);
        Ok(Some(Settled { model, place, taken }))
    }

    /// Tells the selection the names of the rows that were settled last, before it takes another row of their residue.
    #[cold]
    pub(super) fn recall(&mut self, Settled { model, place, taken }: Settled) {
        let atoms = self.patterns.at(place).atoms[..taken].iter().filter(|atom| atom.radius.is_some());
        for (atom, &occupancy) in atoms.zip(&self.repeated.occupancies) {
            let occupancy = self.value_at(occupancy);
            self.models[model].1.recall(atom.name, occupancy);
        }
    }

    /// Does both.
    #[inline(always)]
    pub(super) fn settle_and_recall(&mut self) -> Result<(), Problem> {
        if self.repeated.follows.is_some()
            && let Some(settled) = self.settle()?
        {
            self.recall(settled);
        }
        Ok(())
    }

    /// Takes note of an atom that was read without a pattern.
    #[inline(always)]
    pub(super) fn note(&mut self, common: Common, names: impl FnOnce() -> Option<Names>, taken: Taken) {
        if let Some(current) = self.current {
            let names = || if common.hetatm { None } else { names() };
            self.patterns.note(common.residue, names, taken, &mut self.models[current].1);
        }
    }

    /// The content of the value that begins at a byte of the text.
    fn value_at(&self, begin: usize) -> &'a [u8] {
        let text = self.text;
        let end = begin + word_length(&text[begin..]);
        content(text, Raw { head: pack(&text[begin..end]), begin, end }).text
    }
}

/// The names of a row, if it can be part of a pattern.
pub(super) fn names_of(row: &UsualRow<'_, '_>) -> Option<Names> {
    let is_given = |item: Item| !matches!(row.raw(item).head as u8, b'?' | b'.');
    if !is_given(Item::Name)
        || row.raw(Item::Name).head == 0
        || is_given(Item::Alternate) && row.raw(Item::Alternate).head != 0
    {
        return None;
    }
    row.words(&row.begins(NAMES))
}
