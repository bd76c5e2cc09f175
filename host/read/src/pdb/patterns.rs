//! Lines of residues that list the same atoms as an earlier residue; see [`Patterns`].

use super::columns::{B_END, ELEMENT_END, field, name, usual_position};
use super::{ATOM_LINE, NEEDED};
use crate::error::Problem;
use crate::masks::holds;
use crate::options::{Polymers, Residues};
use crate::patterns::{AtomPattern, Pattern, Patterns};
use crate::select::{BColumns, Selection, Taken};
use std::cell::Cell;

/// A line with its line feed.
pub(super) type Line = [u8; ATOM_LINE];

/// What lines of the same atom have in common.
#[derive(Clone, Copy)]
pub(super) struct Names {
    /// Columns 13 to 20: atom name, alternate location (none), residue name.
    names: [u8; 8],
    /// Columns 77 to 80: element and charge.
    element: [u8; 4],
}

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

/// The heavy atoms of lines that agree with a pattern.
fn heavy<'p, 'l>(
    atoms: &'p [AtomPattern<Names>],
    lines: &'l [Line],
) -> impl Iterator<Item = (&'p AtomPattern<Names>, &'l Line)> {
    atoms.iter().zip(lines).filter(|(known, _)| known.radius.is_some())
}

/// Adds the heavy atoms of lines that agree with a pattern, as far as the coordinates are written as usual. Returns the number of lines.
// In a function of its own all constants of the loop have registers.
#[inline(never)]
fn take_positions(pattern: &Pattern<Names>, lines: &[Line], atoms: &mut Vec<[f64; 4]>) -> usize {
    atoms.reserve(lines.len());
    for (taken, (known, line)) in pattern.atoms.iter().zip(lines).enumerate() {
        let Some([x, y, z]) = line.first_chunk::<NEEDED>().and_then(|columns| usual_position(columns, line)) else {
            return taken;
        };
        if let Some(radius) = known.radius {
            atoms.push([x, y, z, radius]);
        }
    }
    lines.len()
}

impl Patterns<Names> {
    /// Takes the lines at the start of `text`, as far as they agree with the pattern of the residue that begins there. Returns them.
    pub(super) fn take<'a>(&mut self, text: &'a [u8], selection: &mut Selection<'a>) -> Result<&'a [Line], Problem> {
        let lines = text.as_chunks::<ATOM_LINE>().0;
        let Some(first) = lines.first() else { return Ok(&[]) };
        let residue = packed([first[17], first[18], first[19]]);
        let Some(place) = self.find(residue, selection) else { return Ok(&[]) };
        let pattern = self.at(place);
        let residue_id = place_column(first);
        let agree = |(known, line): &(&AtomPattern<Names>, &Line)| {
            agrees(line, &known.names) && place_column(line) == residue_id
        };
        let lines = &lines[..pattern.atoms.iter().zip(lines).take_while(agree).count()];
        let begin = selection.atoms().len();
        let lines = &lines[..take_positions(pattern, lines, selection.atoms())];
        let Some(last) = lines.len().checked_sub(1).map(|last| &pattern.atoms[last]) else { return Ok(&[]) };
        let mut b_columns = heavy(&pattern.atoms, lines).map(|(_, line)| b_column(line));
        let ca = last.known.ca().and_then(|ca| heavy(&pattern.atoms, lines).nth(ca)).map(|(_, line)| b_column(line));
        let first_b = b_columns.next().unwrap_or_default();
        let is_uniform = selection.b_is_uniform() && b_columns.all(|b| b == first_b);
        drop(b_columns);
        let b = BColumns { ca: ca.as_ref().map_or(&[], |b| b), first: &first_b, is_uniform };
        selection.repeat(begin, (residue, pattern.kind), None, &last.known, &b)?;
        self.begin_with(place, lines.len());
        Ok(lines)
    }

    /// Tells the selection the names of the lines that [`Self::take`] returned, before it takes another record of their residue.
    #[cold]
    pub(super) fn recall<'a>(&self, lines: &'a [Line], selection: &mut Selection<'a>) {
        for (known, line) in heavy(self.begun(), lines) {
            selection.recall(known.name, occupancy_column(line));
        }
    }

    /// Takes note of a line of the current residue that was read without a pattern.
    #[inline(always)]
    pub(super) fn note_line(
        &mut self,
        line: &[u8],
        residue: u64,
        taken: Taken,
        selection: &mut Selection<'_>,
        is_usual: bool,
    ) {
        self.note(residue, || if is_usual { names_of(line) } else { None }, taken, selection);
    }
}

/// The names in a line as a pattern has them.
fn names_of(line: &[u8]) -> Option<Names> {
    if line.len() != ATOM_LINE - 1 || line[16] != b' ' {
        return None;
    }
    Some(Names { names: field(line.first_chunk()?, 12), element: *line[ELEMENT_END - 2..].first_chunk()? })
}

/// Whether a line is whole, an `ATOM` record, and has the names and element of an atom.
#[inline]
fn agrees(line: &Line, known: &Names) -> bool {
    let [columns @ .., b'\n'] = line else { return false };
    columns[..4] == *b"ATOM"
        && columns[4..6] == *b"  "
        && columns[12..20] == known.names
        && columns[ELEMENT_END - 2..] == known.element
        && !holds(columns, b'\n')
}

/// Columns 21 to 27: chain, number, insertion code.
#[inline]
fn place_column(line: &Line) -> u64 {
    let mut place = [0; 8];
    place.copy_from_slice(&line[20..28]);
    u64::from_le_bytes(place) << 8
}

/// Columns 61 to 66: the B factor.
#[inline]
fn b_column(line: &Line) -> [u8; 6] {
    let mut b = [0; 6];
    b.copy_from_slice(&line[B_END - 6..B_END]);
    b
}

/// Columns 55 to 60: the occupancy.
#[inline]
fn occupancy_column(line: &Line) -> &[u8] {
    &line[NEEDED..B_END - 6]
}

fn packed([a, b, c]: [u8; 3]) -> u64 {
    u64::from(name(u32::from_le_bytes([a, b, c, b' '])))
}
