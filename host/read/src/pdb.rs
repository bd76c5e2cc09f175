//! PDB: `ATOM` and `HETATM` records with fixed columns, model by model.

mod branches;
mod column_21;
mod columns;
mod copies;
mod cut;
mod divisions;
mod every;
mod header;
mod links;
mod no_atoms;
mod parts;
mod patterns;
mod records;
mod residue;

use super::atoms::element;
use super::confidence::BY_HEADER;
use super::draft::Draft;
use super::error::{Fault, Problem};
use super::facts::Facts;
use super::fixed::fixed_8_3;
use super::ions;
use super::lines::lines;
use super::masks::holds;
use super::note::{Note, NoteKind};
use super::number::{decimal, pdb_residue_number};
use super::options::{Models, ReadOptions, Residues};
use super::patterns::Patterns;
use super::select::{Record, Selection, Syntax};
use branches::grouped;
use columns::{
    B_END, Segments, cut_short, element_of, is_cut_record, is_shortened, line_residue, name, no_atom_name, position,
    shifted,
};
pub(super) use divisions::{Begin, Divisions};
pub(super) use every::{AtomLine, Records};
use header::Header;
pub(super) use header::says_predicted;
pub(super) use links::{Links, conect};
use memchr::{memchr, memmem};
use no_atoms::why_no_atoms;
pub(super) use parts::LineResidue;
use patterns::{Line, Names};
use records::{has_dots, is_atom, is_end, is_model, is_ter, misspelt, second_record};
pub(super) use records::{has_segment, hetatm, hetatm_in_any_case};
use residue::{Places, place_columns};
use std::sync::Arc;

/// Length of an atom's line with its line feed.
const ATOM_LINE: usize = 81;

pub(super) const SYNTAX: Syntax = Syntax {
    number_field: "residue number (columns 23-26)",
    residue_number: pdb_residue_number,
    b_factor: six_columns,
    occupancy: six_columns,
};

/// PDB whose columns of occupancy and B factor hold charges and radii.
pub(super) const PQR_SYNTAX: Syntax = Syntax { b_factor: |_| None, occupancy: |_| None, ..SYNTAX };

/// The note about a model that `END` divides.
pub const GOES_ON: &str = "atoms of another chain or molecule after an END are read with those before it";
/// Columns of an atom record up to its z coordinate: 1 to 54.
const NEEDED: usize = 54;

/// The requested models, and what the file says beside them.
pub(super) struct Found {
    /// The models with their numbers.
    pub(super) models: Vec<(i32, Draft)>,
    pub(super) facts: Facts,
    /// Number of models, read or not.
    pub(super) met: usize,
}

/// Reads the requested models.
pub fn read(text: &[u8], options: &ReadOptions, syntax: Syntax) -> Result<Found, Fault> {
    match grouped(text) {
        Some(grouped) => read_in_order(&grouped.text, options, syntax).map_err(|fault| grouped.as_before(fault)),
        None => read_in_order(text, options, syntax),
    }
}

/// Reads the requested models of a text in which the atoms of a residue follow each other.
fn read_in_order(text: &[u8], options: &ReadOptions, syntax: Syntax) -> Result<Found, Fault> {
    let mut patterns = patterns::of_thread((options.residues, options.polymers));
    let mut reader = Reader {
        text,
        options,
        syntax,
        header: Header::new(options),
        patterns: &mut patterns,
        models: Vec::new(),
        numbers: Vec::new(),
        divisions: Divisions::new(text, line_residue),
        uncounted: 0,
        rest: b"",
        number: None,
        reading: false,
        atoms: 0,
        columns: 0,
        has_unread: false,
    };
    let found = match reader.read_lines() {
        Ok(()) => reader.finish(),
        Err(fault) => Err(fault),
    };
    patterns::keep(patterns);
    found
}

/// What a text says that its B column holds.
pub(super) fn held(text: &[u8]) -> Option<String> {
    let mut header = Header::new(&ReadOptions::default());
    let others = lines(text).map(|(_, line)| line).filter(|line| hetatm(line).is_none());
    others.for_each(|line| header.record(line));
    header.held()
}

struct Reader<'o, 'a> {
    text: &'a [u8],
    options: &'o ReadOptions,
    syntax: Syntax,
    header: Header,
    patterns: &'o mut Patterns<Names>,
    models: Vec<(i32, AtomReader<'a>)>,
    /// The number of every model so far.
    numbers: Vec<i32>,
    divisions: Divisions<'a>,
    /// Models after the first one, if it alone is read.
    uncounted: usize,
    /// The text after the first model, if that is not read.
    rest: &'a [u8],
    /// The number of the last `MODEL` record.
    number: Option<i32>,
    /// Whether the current model is read.
    reading: bool,
    /// Atom records so far.
    atoms: usize,
    /// Length of the record before, in columns.
    columns: usize,
    /// Whether the text goes on, and is not read.
    has_unread: bool,
}

impl<'a> Reader<'_, 'a> {
    fn read_lines(&mut self) -> Result<(), Fault> {
        let text = self.text;
        let mut offset = 0;
        while offset < text.len() {
            let rest = &text[offset..];
            let end = line_end(rest);
            let mut line = &rest[..end.unwrap_or(rest.len())];
            if let [before @ .., b'\r'] = line {
                line = before;
            }
            let is_last = end.is_none();
            match line.first_chunk() {
                Some(b"ATOM") if is_atom(line) => match self.repeated(rest, end, offset)? {
                    0 => self.atom(line, false, is_last, offset)?,
                    lines => {
                        offset += lines * ATOM_LINE;
                        continue;
                    }
                },
                Some(b"HETA") if line.starts_with(b"HETATM") => self.atom(line, true, is_last, offset)?,
                Some(b"MODE") if is_model(line) => {
                    self.divisions.model_record();
                    self.number = line.get(6..).and_then(|rest| pdb_residue_number(rest.trim_ascii()));
                }
                Some(b"ENDM") if line.starts_with(b"ENDMDL") => {
                    self.divisions.model_record();
                    self.number = None;
                    if self.options.models == Models::First && !self.numbers.is_empty() {
                        self.count_models(&rest[line_length(end, rest)..]);
                        self.has_unread = true;
                        return Ok(());
                    }
                }
                None if is_last && is_cut_record(line) && self.atoms > 0 => {
                    return Err(Fault::at(offset, cut_short(line, self.columns)));
                }
                _ if is_ter(line) => self.end_chain(),
                _ if is_end(line) => {
                    self.divisions.end_record();
                    self.number = None;
                }
                Some(_) => self.other(line, is_last, offset)?,
                None => {}
            }
            offset += line_length(end, rest);
        }
        Ok(())
    }

    /// Ends a chain of the current model.
    fn end_chain(&mut self) {
        if let Some((_, reader)) = self.models.last_mut().filter(|_| self.reading && !self.divisions.is_between()) {
            reader.selection.end_chain();
        }
    }

    /// Counts the models in the rest of the text, which is not read.
    fn count_models(&mut self, rest: &'a [u8]) {
        self.rest = rest;
        let begins = memmem::find_iter(rest, b"\nMODEL ").count() + usize::from(rest.starts_with(b"MODEL "));
        let atoms = || memmem::find(rest, b"\nATOM  ").is_some() || rest.starts_with(b"ATOM  ");
        self.uncounted = if begins == 0 { usize::from(atoms()) } else { begins };
    }

    /// Handles a record that is not an atom's, by its name.
    #[inline]
    fn other(&mut self, line: &'a [u8], is_last: bool, offset: usize) -> Result<(), Fault> {
        self.header.record(line);
        // Only lines with the dots of coordinates need a closer look.
        if has_dots(line) {
            self.maybe_atom(line, is_last, offset)?;
        }
        Ok(())
    }

    /// A line with an unknown record name that may still be an atom's.
    #[cold]
    fn maybe_atom(&mut self, line: &'a [u8], is_last: bool, offset: usize) -> Result<(), Fault> {
        if let Some(hetatm) = hetatm_in_any_case(line) {
            self.atom(line, hetatm, is_last, offset)?;
            self.repaired(|| "a record name in lower case is read as if in upper case".to_owned());
            return Ok(());
        }
        misspelt(line).map_or(Ok(()), |problem| Err(Fault::at(offset, problem)))
    }

    fn repaired(&mut self, text: impl FnOnce() -> String) {
        if let Some((_, reader)) = self.models.last_mut() {
            reader.selection.repaired(text);
        }
    }

    /// Takes the lines of a residue that begins here, as far as it has the atoms of an earlier one. Returns their number.
    #[inline]
    fn repeated(&mut self, rest: &'a [u8], end: Option<usize>, offset: usize) -> Result<usize, Fault> {
        if end != Some(ATOM_LINE - 1) || self.divisions.is_between() || !self.reading {
            return Ok(0);
        }
        let Some((_, reader)) = self.models.last_mut() else { return Ok(0) };
        let lines = reader.repeated(rest, self.patterns).map_err(|problem| Fault::at(offset, problem))?;
        if lines > 0 {
            self.atoms += lines;
            self.columns = ATOM_LINE - 1;
        }
        Ok(lines)
    }

    #[inline]
    fn atom(&mut self, line: &'a [u8], hetatm: bool, is_last: bool, offset: usize) -> Result<(), Fault> {
        self.atoms += 1;
        if self.divisions.is_between() {
            self.begin(line, offset).map_err(|problem| Fault::at(offset, problem))?;
        }
        let before = std::mem::replace(&mut self.columns, line.len());
        if !self.reading {
            return Ok(());
        }
        let Some((_, reader)) = self.models.last_mut() else { return Ok(()) };
        if let Some(second) = second_record(line).map_err(|problem| Fault::at(offset, problem))? {
            let (first, second) = line.split_at(second);
            let hetatm_too = second.starts_with(b"HETATM");
            let taken = reader.record(first, hetatm, false, before, &self.header, self.patterns);
            taken
                .and_then(|()| reader.record(second, hetatm_too, is_last, before, &self.header, self.patterns))
                .map_err(|problem| Fault::at(offset, problem))?;
            self.repaired(|| "a line holds two records of atoms, and both are read".to_owned());
            return Ok(());
        }
        reader
            .record(line, hetatm, is_last, before, &self.header, self.patterns)
            .map_err(|problem| Fault::at(offset, problem))
    }

    /// Begins a model, or a part of the one before.
    #[cold]
    fn begin(&mut self, line: &'a [u8], offset: usize) -> Result<(), Problem> {
        match self.divisions.begin(offset, line) {
            Begin::Model => {
                self.begin_model();
                if self.numbers.len() == 2 && self.options.models == Models::First {
                    self.rest = &self.text[offset..];
                }
            }
            Begin::Part => {
                if let Some((_, reader)) = self.models.last_mut().filter(|_| self.reading) {
                    reader.leave()?;
                    reader.selection.end_chain();
                    reader.selection.repaired(|| GOES_ON.to_owned());
                }
            }
        }
        Ok(())
    }

    fn begin_model(&mut self) {
        let ordinal = self.numbers.len() as i32 + 1;
        let number = self.number.take().unwrap_or(ordinal);
        self.numbers.push(number);
        self.reading = match self.options.models {
            Models::First => ordinal == 1,
            Models::Number(wanted) => wanted == number && self.models.is_empty(),
            Models::All | Models::Join => true,
        };
        if self.reading {
            let room = if ordinal == 1 { self.text.len() / ATOM_LINE } else { 0 };
            let mut reader = AtomReader::new(self.text, self.options, self.syntax, room);
            if let Some((_, before)) = self.models.last() {
                reader.places = before.places.of_next_model();
            }
            self.models.push((number, reader));
        }
    }

    fn finish(mut self) -> Result<Found, Fault> {
        if self.atoms == 0 {
            return Err(Fault::whole(Problem::NoAtoms(why_no_atoms(self.text))));
        }
        if let (Models::Number(number), true) = (self.options.models, self.models.is_empty()) {
            return Err(Fault::whole(Problem::NoModel { number, numbers: self.numbers }));
        }
        let mut facts = Facts {
            predicted: self.header.is_predicted().then_some(BY_HEADER),
            experiment: self.header.experiment || self.header.signs,
            sequences: self.header.lengths(),
            cell: self.header.cell.take(),
            ..Facts::default()
        };
        if !self.has_unread && !self.divisions.is_ended() {
            facts.notes.extend(cut::note(self.text, &self.header));
        }
        let is_contradiction = facts.predicted.is_none() && self.header.names_predictor();
        self.header.take_into(&mut facts, self.options);
        if self.options.atoms {
            facts.links = Arc::new(crate::links::Links::of_pdb(self.text));
        }
        let is_contradiction = is_contradiction && facts.b_column.is_none();
        if is_contradiction {
            let text = "TITLE or REMARK names a predictor, but the file is of an experiment (EXPDTA, an entry's id, a unit cell or a \
                        refinement): its B column is taken for B factors";
            facts.notes.push(Note { kind: NoteKind::Contradiction, text: text.to_owned() });
        }
        let mut models = Vec::with_capacity(self.models.len());
        for (number, reader) in self.models {
            models.push((number, reader.selection.into_draft().map_err(Fault::whole)?));
        }
        if let Some((_, first)) = models.first_mut() {
            first.lacks_chains = copies::has_other_chain(first, self.rest);
        }
        facts.has_copies = models.first().is_some_and(|(_, first)| copies::follow(first, self.rest));
        Ok(Found { models, facts, met: self.numbers.len() + self.uncounted })
    }
}

/// Where the first line's line feed is. Mostly it is where an atom's line has it, which takes fewer steps than a search.
#[inline]
fn line_end(rest: &[u8]) -> Option<usize> {
    match rest.first_chunk::<ATOM_LINE>() {
        Some([columns @ .., b'\n']) if !holds(columns, b'\n') => Some(ATOM_LINE - 1),
        _ => memchr(b'\n', rest),
    }
}

fn line_length(end: Option<usize>, rest: &[u8]) -> usize {
    end.map_or(rest.len(), |end| end + 1)
}

struct AtomReader<'a> {
    text: &'a [u8],
    selection: Selection<'a>,
    /// The lines of the current residue whose names the selection does not know yet.
    repeated: &'a [Line],
    /// Columns 21 to 27 of the record before: chain, number, insertion code. The initial value matches no text.
    place: u64,
    /// Whether that record's chain is selected.
    wanted: bool,
    /// End of the residue name, which has columns 18 to 20 or 18 to 21.
    name_end: usize,
    /// A residue's name, and whether the header says that it belongs to its chain.
    in_chain: (u64, Option<bool>),
    /// Whether atoms' names begin in column 13, once that was looked up.
    left_aligned: Option<bool>,
    places: Places<'a>,
    segments: Segments,
    is_standard: bool,
}

impl<'a> AtomReader<'a> {
    fn new(text: &'a [u8], options: &ReadOptions, syntax: Syntax, room: usize) -> Self {
        Self {
            text,
            selection: Selection::new(options, syntax, room),
            repeated: &[],
            place: u64::MAX,
            wanted: true,
            name_end: 20,
            in_chain: (0, None),
            left_aligned: None,
            places: Places::new(text, options.residues == Residues::All),
            segments: Segments::NEW,
            is_standard: options.residues == Residues::Standard,
        }
    }

    #[inline]
    fn record(
        &mut self,
        line: &'a [u8],
        hetatm: bool,
        last: bool,
        before: usize,
        header: &Header,
        patterns: &mut Patterns<Names>,
    ) -> Result<(), Problem> {
        let Some(columns) = line.first_chunk::<NEEDED>() else {
            return Err(cut_short(line, before));
        };
        if last && is_shortened(line.len(), before) {
            return Err(cut_short(line, before));
        }
        if self.go_to(columns, patterns)? {
            self.selection.segment(self.segments.of(line));
        }
        if !self.wanted && !self.is_wanted_elsewhere(line) {
            return Ok(());
        }
        let fourth = if self.name_end == 20 { b' ' } else { columns[20] };
        let residue = u64::from(name(u32::from_le_bytes([columns[17], columns[18], columns[19], fourth])));
        let in_chain = if hetatm { self.in_chain(residue, columns, header) } else { None };
        let position = match position(columns, line) {
            Ok(position) => position,
            Err(problem) => {
                // In a line that is shifted, the usual columns hold parts of two fields.
                let shifted = shifted(line).map(|shifted| (u64::from(shifted.residue), None));
                let (residue, in_chain) = shifted.unwrap_or((residue, in_chain));
                if !self.selection.is_ignored(residue, hetatm, in_chain) {
                    return Err(problem);
                }
                self.selection.ignore(|| problem.to_string());
                return Ok(());
            }
        };
        if hetatm && self.is_standard && !self.selection.takes_cover() {
            return Ok(());
        }
        let name = name(u32::from_le_bytes([columns[12], columns[13], columns[14], columns[15]]));
        if name == 0 {
            return Err(no_atom_name(&columns[12..16]));
        }
        let record = Record {
            residue,
            name: u64::from(name),
            alternate: if columns[16] == b' ' { 0 } else { u64::from(columns[16]) },
            element: match element_of(line) {
                0 => self.element_in_name(residue, columns),
                element => element,
            },
            position,
            occupancy: line.get(NEEDED..60).unwrap_or_default(),
            b_factor: line.get(B_END - 6..B_END).unwrap_or_default(),
            hetatm,
            in_chain,
        };
        if !self.repeated.is_empty() {
            patterns.recall(std::mem::take(&mut self.repeated), &mut self.selection);
        }
        let taken = self.selection.atom(&record)?;
        patterns.note_line(line, residue, taken, &mut self.selection, !hetatm && self.name_end == 20);
        Ok(())
    }

    /// The element that columns 13 and 14 name, where an element column is empty.
    #[cold]
    fn element_in_name(&mut self, residue: u64, columns: &[u8; NEEDED]) -> u16 {
        let found = ions::element_in_name(residue, [columns[12], columns[13], columns[14], columns[15]]);
        match found {
            Some(symbol) if !*self.left_aligned.get_or_insert_with(|| ions::names_are_left_aligned(self.text)) => {
                element(&symbol)
            }
            _ => 0,
        }
    }

    /// Whether the line is shifted, so that another column than the usual one has its chain, and that chain is selected.
    #[inline]
    fn is_wanted_elsewhere(&self, line: &[u8]) -> bool {
        // A shifted line has no dots in the usual columns.
        !has_dots(line) && shifted(line).is_some_and(|shifted| self.selection.wants(&[shifted.chain]))
    }

    /// Takes the lines of a residue that begins here, as far as it has the atoms of an earlier one. Returns their number.
    #[inline]
    fn repeated(&mut self, text: &'a [u8], patterns: &mut Patterns<Names>) -> Result<usize, Problem> {
        let Some(columns) = text.first_chunk::<NEEDED>() else { return Ok(0) };
        if !self.go_to(columns, patterns)? {
            return Ok(0);
        }
        self.selection.segment(self.segments.of(text));
        if !self.wanted || self.name_end != 20 {
            return Ok(0);
        }
        if self.selection.is_at_first_record() {
            self.repeated = patterns.take(text, &mut self.selection)?;
        }
        Ok(self.repeated.len())
    }

    /// Ends the current residue. The next record is of another one, even if it has the same number.
    fn leave(&mut self) -> Result<(), Problem> {
        self.place = u64::MAX;
        self.selection.leave()
    }

    /// Enters the residue of a record if it is another one than that of the record before. Returns whether it is.
    #[inline]
    fn go_to(&mut self, columns: &'a [u8; NEEDED], patterns: &mut Patterns<Names>) -> Result<bool, Problem> {
        let place = place_columns(columns);
        if place == self.place {
            return Ok(false);
        }
        self.place = place;
        self.wanted = self.enter(columns)?;
        // Other columns may be the same residue, such as with a fourth letter of the name, and those of a chain that is not selected end none.
        if !self.repeated.is_empty() && !self.selection.is_at_first_record() {
            patterns.recall(self.repeated, &mut self.selection);
        }
        self.repeated = &[];
        patterns.begin();
        if !self.selection.is_at_first_record() {
            patterns.go_without();
        }
        Ok(true)
    }

    /// Enters the residue of a record.
    fn enter(&mut self, columns: &'a [u8; NEEDED]) -> Result<bool, Problem> {
        let place = self.places.of(columns)?;
        self.name_end = place.name_end;
        if let Some((rule, said)) = self.places.changed_rule() {
            self.selection.number_by(rule);
            if let Some(said) = said {
                self.selection.repaired(|| said.to_owned());
            }
        }
        self.selection.enter(place.id)
    }

    /// Whether the header says that a residue in `HETATM` records belongs to its chain.
    fn in_chain(&mut self, residue: u64, columns: &[u8; NEEDED], header: &Header) -> Option<bool> {
        if self.in_chain.0 != self.place ^ residue {
            let said = header.in_chain(residue, columns[21], &columns[22..26], columns[26]);
            self.in_chain = (self.place ^ residue, said);
        }
        self.in_chain.1
    }
}

/// The value of six columns: an occupancy or a B factor, mostly written as `%6.2f`.
fn six_columns(text: &[u8]) -> Option<f64> {
    // With a blank before it and a zero after it, the text has the columns of a coordinate.
    let widened =
        text.first_chunk().filter(|_| text.len() == 6).map(|&[a, b, c, d, e, f]| [b' ', a, b, c, d, e, f, b'0']);
    widened.and_then(fixed_8_3).or_else(|| decimal(text.trim_ascii()))
}
