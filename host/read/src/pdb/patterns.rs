//! Lines of residues that list the same atoms as an earlier residue.
//!
//! Most residues have the atoms of others of their name, in the same order. Their lines differ in coordinates, numbers and B
//! factors alone. So the lines of one residue of each name are remembered. As long as the lines of another agree with them, only
//! coordinates are read. Where a line does not agree, the reader goes on record by record, from the same state as if it had read
//! all records so.

use super::columns::{B_END, ELEMENT_END, field, name, usual_position};
use super::{ATOM_LINE, NEEDED};
use crate::error::Problem;
use crate::masks::holds;
use crate::options::Residues;
use crate::select::{BColumns, Known, Selection, Taken};
use shared_types::ResidueKind;
use std::cell::Cell;

/// A line with its line feed.
pub(super) type Line = [u8; ATOM_LINE];

/// Most lines of a pattern: no amino acid has more, with hydrogens.
const MOST_LINES: usize = 48;
/// Places for patterns, by the residues' names.
const PLACES: usize = 256;

/// An atom of a pattern.
#[derive(Clone, Copy)]
struct AtomLine {
    /// Columns 13 to 20: atom name, alternate location (none), residue name.
    names: [u8; 8],
    /// Columns 77 to 80: element and charge.
    element: [u8; 4],
    /// The radius of a heavy atom in Å.
    radius: Option<f64>,
    /// What is known of the residue after this line.
    known: Known,
}

/// The lines of a residue.
#[derive(Default)]
struct Pattern {
    kind: ResidueKind,
    lines: Vec<AtomLine>,
}

impl Pattern {
    fn is_of(&self, residue: [u8; 3]) -> bool {
        self.lines.first().is_some_and(|line| residue_of(line.names) == residue)
    }

    /// The heavy atoms of lines that agree with it.
    fn heavy<'l>(&self, lines: &'l [Line]) -> impl Iterator<Item = (&AtomLine, &'l Line)> {
        self.lines.iter().zip(lines).filter(|(known, _)| known.radius.is_some())
    }

    /// Adds the heavy atoms of lines that agree with it, as far as the coordinates are written as usual. Returns the number of lines.
    // In a function of its own all constants of the loop have registers.
    #[inline(never)]
    fn take_positions(&self, lines: &[Line], atoms: &mut Vec<[f64; 4]>) -> usize {
        atoms.reserve(lines.len());
        for (taken, (known, line)) in self.lines.iter().zip(lines).enumerate() {
            let Some([x, y, z]) = line.first_chunk::<NEEDED>().and_then(|columns| usual_position(columns, line)) else {
                return taken;
            };
            if let Some(radius) = known.radius {
                atoms.push([x, y, z, radius]);
            }
        }
        lines.len()
    }
}

/// The patterns that a thread knows.
pub(super) struct Patterns {
    /// The policy, on which radii depend.
    residues: Residues,
    places: Vec<Pattern>,
    /// The lines of the current residue, if all lines so far can be part of a pattern.
    current: Pattern,
    is_plain: bool,
    /// The place of the pattern that the current residue began with, and the number of its lines.
    begun: Option<(usize, usize)>,
}

thread_local! {
    static KEPT: Cell<Option<Box<Patterns>>> = const { Cell::new(None) };
}

impl Patterns {
    /// The patterns of this thread: files of one source have the same ones.
    pub(super) fn of_thread(residues: Residues) -> Box<Self> {
        let kept = KEPT.try_with(Cell::take).ok().flatten().filter(|kept| kept.residues == residues);
        let mut patterns = kept.unwrap_or_else(|| Box::new(Self::new(residues)));
        patterns.begin();
        patterns
    }

    /// Keeps them for the next file that this thread reads.
    pub(super) fn keep(self: Box<Self>) {
        // At the end of the thread there is nothing to keep them for.
        let _ = KEPT.try_with(|kept| kept.set(Some(self)));
    }

    fn new(residues: Residues) -> Self {
        let places = std::iter::repeat_with(Pattern::default).take(PLACES).collect();
        Self { residues, places, current: Pattern::default(), is_plain: false, begun: None }
    }

    /// Begins another residue.
    pub(super) fn begin(&mut self) {
        if self.is_plain
            && let Some(first) = self.current.lines.first()
        {
            let place = place_of(residue_of(first.names));
            std::mem::swap(&mut self.places[place], &mut self.current);
        }
        self.current.lines.clear();
        (self.is_plain, self.begun) = (true, None);
    }

    /// Takes the lines at the start of `text`, as far as they agree with the pattern of the residue that begins there. Returns them.
    pub(super) fn take<'a>(&mut self, text: &'a [u8], selection: &mut Selection<'a>) -> Result<&'a [Line], Problem> {
        let lines = text.as_chunks::<ATOM_LINE>().0;
        let Some(first) = lines.first() else { return Ok(&[]) };
        let residue = [first[17], first[18], first[19]];
        let place = place_of(residue);
        let pattern = &self.places[place];
        if !pattern.is_of(residue) || selection.averages_b() || selection.keeps_records() {
            return Ok(&[]);
        }
        let residue_id = place_column(first);
        let agree = |(known, line): &(&AtomLine, &Line)| agrees(line, known) && place_column(line) == residue_id;
        let lines = &lines[..pattern.lines.iter().zip(lines).take_while(agree).count()];
        let begin = selection.atoms().len();
        let lines = &lines[..pattern.take_positions(lines, selection.atoms())];
        let Some(last) = lines.len().checked_sub(1).map(|last| &pattern.lines[last]) else { return Ok(&[]) };
        let mut b_columns = pattern.heavy(lines).map(|(_, line)| b_column(line));
        let ca = last.known.ca().and_then(|ca| pattern.heavy(lines).nth(ca)).map(|(_, line)| b_column(line));
        let first_b = b_columns.next().unwrap_or_default();
        let is_uniform = selection.b_is_uniform() && b_columns.all(|b| b == first_b);
        let b = BColumns { ca: ca.as_ref().map_or(&[], |b| b), first: &first_b, is_uniform };
        selection.repeat(begin, (packed(residue), pattern.kind), &last.known, &b)?;
        self.begun = Some((place, lines.len()));
        Ok(lines)
    }

    /// Tells the selection the names of the lines that [`Self::take`] returned, before it takes another record of their residue.
    #[cold]
    pub(super) fn recall<'a>(&self, lines: &'a [Line], selection: &mut Selection<'a>) {
        let Some((place, _)) = self.begun else { return };
        for (known, line) in self.places[place].heavy(lines) {
            selection.recall(atom_name(known.names), occupancy_column(line));
        }
    }

    /// Takes note of a line of the current residue that was read without a pattern.
    // A call takes a fifth more instructions.
    #[inline(always)]
    pub(super) fn note(&mut self, line: &[u8], taken: Taken, selection: &mut Selection<'_>, is_usual: bool) {
        if !self.is_plain {
            return;
        }
        self.is_plain = is_usual && self.add(line, taken, selection).is_some();
    }

    fn add(&mut self, line: &[u8], taken: Taken, selection: &mut Selection<'_>) -> Option<()> {
        if line.len() != ATOM_LINE - 1 || line[16] != b' ' {
            return None;
        }
        if let Some((place, taken)) = self.begun.take() {
            self.current.lines.extend_from_slice(&self.places[place].lines[..taken]);
        }
        let known = selection.known()?;
        let names = field(line.first_chunk()?, 12);
        let lines = &mut self.current.lines;
        let before = lines.last().map_or(0, |line| line.known.atoms);
        let radius = match (known.atoms.checked_sub(before)?, taken) {
            (0, Taken::Light) => None,
            (1, Taken::Heavy) => Some(selection.atoms().last()?[3]),
            // It repeats a name.
            _ => return None,
        };
        if lines.len() == MOST_LINES || lines.first().is_some_and(|first| residue_of(first.names) != residue_of(names))
        {
            return None;
        }
        let element = *line[ELEMENT_END - 2..].first_chunk()?;
        lines.push(AtomLine { names, element, radius, known });
        self.current.kind = selection.kind();
        Some(())
    }
}

/// Whether a line is whole, an `ATOM` record, and has the names and element of an atom.
#[inline]
fn agrees(line: &Line, known: &AtomLine) -> bool {
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

fn residue_of(names: [u8; 8]) -> [u8; 3] {
    [names[5], names[6], names[7]]
}

fn atom_name(names: [u8; 8]) -> u64 {
    u64::from(name(u32::from_le_bytes([names[0], names[1], names[2], names[3]])))
}

fn packed([a, b, c]: [u8; 3]) -> u64 {
    u64::from(name(u32::from_le_bytes([a, b, c, b' '])))
}

/// Where a residue's pattern is. Amino acids, also those of force fields, have places of their own.
fn place_of([a, b, c]: [u8; 3]) -> usize {
    (u32::from_le_bytes([a, b, c, 0]).wrapping_mul(0x9e37_7a3f) >> 24) as usize % PLACES
}

#[cfg(test)]
mod tests {
    use super::*;
    use shared_types::{RESIDUES, UNKNOWN};
    use std::collections::HashSet;

    #[test]
    fn amino_acids_have_places_of_their_own() {
        let standard = &RESIDUES[..usize::from(UNKNOWN)];
        let names = standard.iter().filter_map(|residue| residue.name.as_bytes().first_chunk::<3>());
        let places: HashSet<_> = names.clone().map(|name| place_of(*name)).collect();
        assert_eq!(places.len(), names.count());
    }
}
