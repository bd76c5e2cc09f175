//! Rows that have their words where the row before has them, as in files whose columns are as wide as their longest value. Such a row is
//! compared with the one before as a whole, and only what differs is read.

use super::usual::{Usual, UsualRow};
use super::{AtomSite, Common, Item};
use crate::cif::line::{Bits, Layout, Line};
use crate::error::Problem;
use crate::masks::Vectors;

/// The items that residues of a chain have in common.
const OF_CHAIN: [Item; 6] = [Item::Model, Item::Group, Item::Chain, Item::LabelChain, Item::Icode, Item::Entity];
/// Those in which they differ.
const OF_RESIDUE: [Item; 4] = [Item::Number, Item::LabelNumber, Item::Residue, Item::AuthResidue];

/// Where lines of a layout have what they are compared by.
pub(super) struct Alike {
    layout: Layout,
    model: Bits,
    chain: Bits,
    /// What identifies a residue.
    residue: Bits,
}

impl Alike {
    fn new(line: &Line<'_>, usual: &Usual) -> Option<Self> {
        let layout = line.layout()?;
        let columns = |items: &[Item]| {
            items.iter().map(|item| layout.column(usual.begins[*item as usize], line.length)).fold([0; 2], either)
        };
        let (model, chain) = (columns(&[Item::Model]), columns(&OF_CHAIN));
        let residue = either(chain, columns(&OF_RESIDUE));
        Some(Self { layout, model, chain, residue })
    }
}

fn either(one: Bits, other: Bits) -> Bits {
    [one[0] | other[0], one[1] | other[1]]
}

/// Whether two lines agree where the bits are set.
#[inline(always)]
fn agree(differences: Bits, bits: Bits) -> bool {
    differences[0] & bits[0] | differences[1] & bits[1] == 0
}

impl<'a> AtomSite<'_, 'a> {
    /// Takes the rows after a line that are like it: of a model that is not read, or of residues that follow patterns. The line was taken
    /// and ends at byte `at`. Returns the end of the last of them. An error comes with the byte at which its row begins.
    #[inline(always)]
    pub(super) fn take_alike(
        &mut self,
        line: &mut Line<'a>,
        mut at: usize,
        vectors: impl Vectors,
    ) -> Result<usize, (usize, Problem)> {
        let common = match &self.usual.before {
            Some((_, Some(_))) if self.repeated.follows.is_none() => return Ok(at),
            Some((_, common)) if common.is_some() || self.current.is_none() => *common,
            _ => return Ok(at),
        };
        if self.usual.alike.as_ref().is_none_or(|alike| alike.layout.length() != line.length) {
            self.usual.alike = Alike::new(line, &self.usual);
        }
        let Some(alike) = self.usual.alike.take() else { return Ok(at) };
        let taken = match common {
            Some(common) => self.take_residues(line, &mut at, &alike, common, vectors),
            None => {
                while let Some(differences) = line.advance(self.text, at + 1, &alike.layout, vectors)
                    && agree(differences, alike.model)
                {
                    at += 1 + alike.layout.length();
                }
                Ok(())
            }
        };
        self.usual.alike = Some(alike);
        taken.map_err(|problem| (at + 1 + line.first(), problem)).map(|()| at)
    }

    #[inline(always)]
    fn take_residues(
        &mut self,
        line: &mut Line<'a>,
        at: &mut usize,
        alike: &Alike,
        mut common: Common,
        vectors: impl Vectors,
    ) -> Result<(), Problem> {
        let begins = self.usual.begins;
        while let Some(differences) = line.advance(self.text, *at + 1, &alike.layout, vectors) {
            let row = UsualRow { line: &*line, at: *at + 1, begins: &begins };
            if !agree(differences, alike.residue)
                && (!agree(differences, alike.chain) || !self.next_of_chain(&row, &mut common)?)
            {
                break;
            }
            if !self.repeats(&row, row.position(vectors)) {
                break;
            }
            *at += 1 + alike.layout.length();
        }
        Ok(())
    }

    /// Enters the residue of a row if it is another one than before, in the same chain and with a number in its sequence. Returns false if
    /// it is not; then nothing was done.
    #[inline(always)]
    fn next_of_chain(&mut self, row: &UsualRow<'_, 'a>, common: &mut Common) -> Result<bool, Problem> {
        let (Some(current), Some([chain, before, icode, _])) = (self.current, self.residue_id) else {
            return Ok(false);
        };
        let number = self.either(row, Item::Number, Item::LabelNumber);
        let label = self.word(row, Item::LabelNumber);
        let is_numbered = common.in_chain == Some(true) && !label.is_empty();
        // The row before may have another entity than its residue, which has that of its first row.
        let is_of_entity = self.entity == Some(self.word(row, Item::Entity));
        if !is_numbered || !is_of_entity || number == before || self.models[current].1.takes_labels() {
            return Ok(false);
        }
        self.settle()?;
        self.usual.before = None;
        self.residue_id = Some([chain, number, icode, label]);
        self.patterns.begin();
        self.models[current].1.enter_next(number.text)?;
        let asym = self.word(row, Item::LabelChain).head;
        self.models[current].1.polymer(asym);
        common.residue = self.either(row, Item::Residue, Item::AuthResidue).head;
        self.follow(*common);
        Ok(true)
    }
}
