//! The records of atoms one by one, for readers of every atom. Their residues and models are those that [`read`](super::read) finds.

use super::columns::{
    B_END, cut_short, is_cut_record, is_shortened, line_residue, no_atom_name, position, shifted, symbol_of,
};
use super::divisions::{Begin, Divisions};
use super::records::{hetatm, is_end, is_model, misspelt, second_record};
use super::residue::{NumberRule, Place, Places, place_columns};
use super::{NEEDED, SYNTAX, hetatm_in_any_case, six_columns};
use crate::components::is_unused;
use crate::error::Problem;
use crate::select::no_residue_number;
use crate::word::pack;

/// An atom's record, and what its columns say about its residue.
pub(crate) struct AtomLine<'a> {
    /// The record, which ends before another one in the same line.
    pub(crate) line: &'a [u8],
    /// Where the record begins in the text.
    pub(crate) offset: usize,
    /// The columns up to the coordinates.
    pub(crate) columns: &'a [u8; NEEDED],
    pub(crate) hetatm: bool,
    /// Chain, number and insertion code as they are written, and where the name ends.
    pub(crate) place: Place<'a>,
    number: Option<i32>,
}

impl<'a> AtomLine<'a> {
    /// The residue's number.
    pub(crate) fn number(&self) -> Result<i32, Problem> {
        self.number.ok_or_else(|| no_residue_number(SYNTAX.number_field, self.place.id.number))
    }

    /// The atom's name.
    pub(crate) fn name(&self) -> Result<&'a [u8], Problem> {
        let columns = &self.columns[12..16];
        match columns.trim_ascii() {
            b"" => Err(no_atom_name(columns)),
            name => Ok(name),
        }
    }

    /// The element's symbol as it is written, or as the atom type of AutoDock means; empty if there is none.
    pub(crate) fn element(&self) -> &'a [u8] {
        symbol_of(self.line)
    }

    /// In Å.
    pub(crate) fn position(&self) -> Result<[f64; 3], Problem> {
        position(self.columns, self.line)
    }

    pub(crate) fn occupancy(&self) -> Option<f64> {
        six_columns(self.line.get(NEEDED..NEEDED + 6)?)
    }

    /// The value of the B column.
    pub(crate) fn b(&self) -> Option<f64> {
        six_columns(self.line.get(B_END - 6..)?.get(..6).unwrap_or_default())
    }

    /// Whether a damaged record can be left out, because it is of water or of no atom. In a line that is shifted, the usual columns hold
    /// parts of two fields.
    pub(crate) fn is_unused(&self) -> bool {
        shifted(self.line)
            .map_or_else(|| is_unused(pack(self.residue())), |shifted| is_unused(u64::from(shifted.residue)))
    }

    /// The residue's name.
    pub(crate) fn residue(&self) -> &'a [u8] {
        self.columns[17..self.place.name_end].trim_ascii()
    }
}

/// Reads the lines of a text in order.
pub(crate) struct Records<'a> {
    text: &'a [u8],
    divisions: Divisions<'a>,
    places: Places<'a>,
    rule: NumberRule,
    /// The columns of the residue before, what they say, and its number.
    last: Option<(u64, Place<'a>, Option<i32>)>,
    /// Length of the record before, in columns.
    columns: usize,
    /// Whether records of further models are left out.
    first_only: bool,
}

impl<'a> Records<'a> {
    pub(crate) fn new(text: &'a [u8]) -> Self {
        Self {
            text,
            divisions: Divisions::new(text, line_residue),
            places: Places::new(text, true),
            rule: SYNTAX.residue_number,
            last: None,
            columns: 0,
            first_only: false,
        }
    }

    /// The same, without records of further models.
    pub(crate) fn of_first_model(text: &'a [u8]) -> Self {
        Self { first_only: true, ..Self::new(text) }
    }

    /// The model of the last record, counted from 1.
    pub(crate) fn model(&self) -> usize {
        self.divisions.met()
    }

    /// Takes the line at `offset` of the text, without its end. Returns its records of atoms: none, one, or two if a line end is
    /// lost.
    pub(crate) fn line(&mut self, offset: usize, line: &'a [u8]) -> Result<[Option<AtomLine<'a>>; 2], Problem> {
        let Some(is_hetatm) = hetatm(line).or_else(|| hetatm_in_any_case(line)) else {
            return self.other(offset, line).map(|()| [None, None]);
        };
        if self.divisions.is_between() {
            if self.divisions.begin(offset, line) == Begin::Model {
                (self.places, self.rule) = (self.places.of_next_model(), SYNTAX.residue_number);
            }
            self.last = None;
        }
        if self.first_only && self.model() > 1 {
            return Ok([None, None]);
        }
        let before = std::mem::replace(&mut self.columns, line.len());
        let is_last = offset + line.len() == self.text.len();
        let Some(second) = second_record(line)? else {
            return Ok([Some(self.record(offset, line, is_hetatm, is_last, before)?), None]);
        };
        let begin = offset + second;
        let (first, second) = line.split_at(second);
        let is_second_hetatm = second.starts_with(b"HETATM");
        let first = self.record(offset, first, is_hetatm, false, before)?;
        Ok([Some(first), Some(self.record(begin, second, is_second_hetatm, is_last, before)?)])
    }

    /// Takes a line that is not an atom's.
    fn other(&mut self, offset: usize, line: &'a [u8]) -> Result<(), Problem> {
        if is_end(line) {
            self.divisions.end_record();
        } else if is_model(line) || line.starts_with(b"ENDMDL") {
            self.divisions.model_record();
        } else if let Some(problem) = misspelt(line) {
            return Err(problem);
        } else if self.columns > 0 && offset + line.len() == self.text.len() && is_cut_record(line) {
            return Err(cut_short(line, self.columns));
        }
        Ok(())
    }

    fn record(
        &mut self,
        offset: usize,
        line: &'a [u8],
        hetatm: bool,
        is_last: bool,
        before: usize,
    ) -> Result<AtomLine<'a>, Problem> {
        let Some(columns) = line.first_chunk::<NEEDED>() else { return Err(cut_short(line, before)) };
        if is_last && is_shortened(line.len(), before) {
            return Err(cut_short(line, before));
        }
        let own = place_columns(columns);
        let (place, number) = match self.last {
            Some((last, place, number)) if last == own => (place, number),
            _ => self.place(columns)?,
        };
        self.last = Some((own, place, number));
        Ok(AtomLine { line, offset, columns, hetatm, place, number })
    }

    fn place(&mut self, columns: &'a [u8; NEEDED]) -> Result<(Place<'a>, Option<i32>), Problem> {
        let place = self.places.of(columns)?;
        if let Some((rule, _)) = self.places.changed_rule() {
            self.rule = rule;
        }
        Ok((place, (self.rule)(place.id.number)))
    }
}
