//! GRO of GROMACS: text with positions in nanometres, as frames one after the other, or as a topology.
//!
//! A frame is a title, which may have the time (`t= 12.5`), the number of atoms, a line for each, and the cell. Names have five columns
//! each. The distance between the points of coordinates is their width.

use crate::error::{Fault, Problem};
use crate::frame::{Cell, Frame, cell_of_vectors};
use crate::source::Source;
use crate::topology::{Topology, name};
use crate::{Entry, Index};

/// Bytes that are read at a time.
const CHUNK: u64 = 1 << 18;
/// The columns before the coordinates.
const NAMES: usize = 20;
/// A longer line is none of GRO.
const LONGEST: usize = 4096;

/// Lines of a file, from an offset.
struct Lines<'a> {
    source: &'a Source,
    /// Where the chunk begins, and the line within it.
    begin: u64,
    within: usize,
    chunk: Vec<u8>,
    /// How many lines were passed.
    passed: u64,
}

impl<'a> Lines<'a> {
    fn new(source: &'a Source, at: u64, chunk: Vec<u8>) -> Self {
        let mut lines = Self { source, begin: at, within: 0, chunk, passed: 0 };
        lines.chunk.clear();
        lines
    }

    fn at(&self) -> u64 {
        self.begin + self.within as u64
    }

    /// Whether the last line that was passed has an end.
    fn ends_a_line(&self) -> bool {
        self.within.checked_sub(1).is_some_and(|last| self.chunk[last] == b'\n')
    }

    /// The next line without its end; `None` at the end of the file.
    fn next(&mut self) -> Result<Option<&[u8]>, Fault> {
        loop {
            let rest = &self.chunk[self.within..];
            let end = memchr::memchr(b'\n', rest);
            let is_last = self.begin + self.chunk.len() as u64 >= self.source.len();
            if end.is_none() && !is_last {
                if rest.len() > LONGEST {
                    return Err(Fault::damaged(self.at(), "a line is too long for GRO"));
                }
                self.begin += self.within as u64;
                self.within = 0;
                let length = CHUNK.min(self.source.len() - self.begin);
                let mut chunk = std::mem::take(&mut self.chunk);
                self.source.take(self.begin, length, &mut chunk, "a line")?;
                self.chunk = chunk;
                continue;
            }
            let length = end.unwrap_or(rest.len());
            if end.is_none() && length == 0 {
                return Ok(None);
            }
            let begin = self.within;
            self.within += length + usize::from(end.is_some());
            self.passed += 1;
            let line = &self.chunk[begin..begin + length];
            return Ok(Some(line.strip_suffix(b"\r").unwrap_or(line)));
        }
    }
}

/// A frame's title and number of atoms; `None` at the end of the file.
fn head(lines: &mut Lines<'_>) -> Result<Option<(Option<f64>, usize)>, Fault> {
    let begin = lines.at();
    let time = match lines.next()? {
        None => return Ok(None),
        Some(title) => time(title),
    };
    let at = lines.at();
    let Some(line) = lines.next()? else {
        // Blank lines may follow the last frame.
        return match time {
            None if begin > 0 => Ok(None),
            None => Err(Problem::Format.into()),
            Some(_) => Err(Fault::at(begin, Problem::Cut("a frame"))),
        };
    };
    let atoms = text(line).trim().parse::<u32>().ok();
    match atoms {
        Some(atoms) => Ok(Some((time, atoms as usize))),
        None if begin == 0 => Err(Problem::Format.into()),
        None if line.trim_ascii().is_empty() => Ok(None),
        None => Err(Fault::damaged(at, format!("the number of atoms is {:?}", shown(line)))),
    }
}

pub(crate) fn index(source: &Source) -> Result<Index, Fault> {
    let mut index = Index::default();
    let mut lines = Lines::new(source, 0, Vec::new());
    loop {
        let at = lines.at();
        let (time, atoms) = match head(&mut lines) {
            Ok(Some(found)) => found,
            Ok(None) => break,
            // What does not even begin as a frame is no GRO.
            Err(fault) if at == 0 => return Err(fault),
            Err(fault) => {
                index.damage = Some(fault);
                break;
            }
        };
        match skip(&mut lines, atoms, at) {
            Ok(()) => {}
            Err(fault) if matches!(fault.problem, Problem::Format) => return Err(fault),
            Err(fault) => {
                index.damage = Some(fault);
                break;
            }
        }
        if !index.push(Entry::new(at, time), atoms) {
            break;
        }
    }
    Ok(index)
}

/// Passes the atoms and the cell of a frame.
fn skip(lines: &mut Lines<'_>, atoms: usize, begin: u64) -> Result<(), Fault> {
    const FEWER: &str = "the frame, which has fewer atoms than its second line says";
    const NO_CELL: &str = "the frame: its last line, the cell, is missing, or its second line counts too many atoms";
    let cut = |what| Fault::at(begin, Problem::Cut(what));
    let of_count = lines.passed;
    for atom in 0..atoms {
        let at = lines.at();
        let line = lines.next()?.ok_or_else(|| cut(FEWER))?;
        if atom == 0 && width(line).is_none() {
            // What does not even begin as a frame is no GRO.
            return Err(match begin {
                0 => Problem::Format.into(),
                _ => Fault::damaged(at, format!("an atom has the line {:?}", shown(line))),
            });
        }
    }
    let at = lines.at();
    let line = lines.next()?.ok_or_else(|| cut(NO_CELL))?;
    if cell(line).is_some() {
        return Ok(());
    }
    let (line, has_end) = (shown(line), lines.ends_a_line());
    if lines.at() >= lines.source.len() && !has_end {
        return Err(cut("the frame's cell"));
    }
    let (number, cell) = (lines.passed, "and not the cell, which has three or nine numbers");
    let what = format!("line {number} is {line:?}, {cell}; the number of atoms in line {of_count} is {atoms}");
    Err(Fault::damaged(at, what))
}

/// The time in a title.
fn time(title: &[u8]) -> Option<f64> {
    let title = text(title);
    let at = title.rfind("t=").filter(|at| *at == 0 || !title.as_bytes()[at - 1].is_ascii_alphanumeric())?;
    title[at + 2..].split_whitespace().next()?.parse().ok().filter(|time: &f64| time.is_finite())
}

fn text(line: &[u8]) -> &str {
    std::str::from_utf8(line).unwrap_or_default()
}

fn shown(line: &[u8]) -> String {
    String::from_utf8_lossy(&line[..line.len().min(40)]).into_owned()
}

/// The width of a coordinate in an atom's line.
fn width(line: &[u8]) -> Option<usize> {
    let coordinates = line.get(NAMES..)?;
    let first = memchr::memchr(b'.', coordinates)?;
    let second = memchr::memchr(b'.', &coordinates[first + 1..])?;
    Some(second + 1)
}

/// The coordinates of an atom's line in nanometres.
fn coordinates(line: &[u8], width: usize) -> Option<[f32; 3]> {
    let mut all = [0.0; 3];
    for (axis, value) in all.iter_mut().enumerate() {
        let begin = NAMES + axis * width;
        let field = line.get(begin..line.len().min(begin + width))?;
        let number: f64 = text(field).trim().parse().ok()?;
        *value = number as f32;
    }
    all.iter().all(|value| value.is_finite()).then_some(all)
}

/// The cell of a frame's last line; inner `None` if it spans none.
fn cell(line: &[u8]) -> Option<Option<Cell>> {
    let line = text(line).trim();
    let parsed =
        |words: Vec<&str>| words.into_iter().map(|word| word.trim().parse().ok()).collect::<Option<Vec<f64>>>();
    let numbers = parsed(line.split_whitespace().collect()).filter(|numbers| matches!(numbers.len(), 3 | 9));
    let side = |vector: [f64; 3]| vector.map(|value| value * 10.0);
    match numbers.or_else(|| parsed(in_columns(line)?))?[..] {
        [x, y, z] => Some(cell_of_vectors([[x, 0.0, 0.0], [0.0, y, 0.0], [0.0, 0.0, z]].map(side))),
        [xx, yy, zz, xy, xz, yx, yz, zx, zy] => {
            Some(cell_of_vectors([[xx, xy, xz], [yx, yy, yz], [zx, zy, zz]].map(side)))
        }
        _ => None,
    }
}

/// The numbers of a line that leave no blank between them: their last columns have equal distances.
fn in_columns(line: &str) -> Option<Vec<&str>> {
    let (first, second) = {
        let mut points = line.match_indices('.').map(|(at, _)| at);
        (points.next()?, points.next()?)
    };
    let decimals = line.len().checked_sub(line.rfind('.')? + 1)?;
    let (mut words, mut rest) = (Vec::new(), line.split_at_checked(first + 1 + decimals)?);
    loop {
        words.push(rest.0);
        if rest.1.is_empty() {
            return Some(words);
        }
        rest = rest.1.split_at_checked(second - first)?;
    }
}

/// What a frame has besides atoms: its time and cell. And the buffer, for the next frame.
type Passed = (Option<f64>, Option<Cell>, Vec<u8>);

/// Calls `take` with each atom's line of the frame at an offset, and its coordinates in nanometres.
fn each(
    source: &Source,
    at: u64,
    most: usize,
    buffer: Vec<u8>,
    mut take: impl FnMut(&[u8], [f32; 3]) -> Result<(), String>,
) -> Result<Passed, Fault> {
    let mut lines = Lines::new(source, at, buffer);
    let Some((time, atoms)) = head(&mut lines)? else { return Err(Fault::at(at, Problem::Cut("a frame"))) };
    let mut columns = 0;
    for atom in 0..atoms {
        let at = lines.at();
        let Some(line) = lines.next()? else { return Err(Fault::at(at, Problem::Cut("the frame's atoms"))) };
        if atom == 0 {
            columns = width(line).unwrap_or_default();
        }
        if atom < most {
            let wrong = || format!("an atom has the line {:?}", shown(line));
            let position = coordinates(line, columns).ok_or_else(wrong).map_err(|what| Fault::damaged(at, what))?;
            take(line, position).map_err(|what| Fault::damaged(at, what))?;
        }
    }
    let last = lines.next()?.unwrap_or_default();
    let cell = cell(last).flatten();
    Ok((time, cell, lines.chunk))
}

pub(crate) fn read(
    source: &Source,
    at: u64,
    most: usize,
    buffer: &mut Vec<u8>,
    frame: &mut Frame,
) -> Result<(), Fault> {
    frame.positions.clear();
    let positions = &mut frame.positions;
    let own = std::mem::take(buffer);
    let (time, cell, own) = each(source, at, most, own, |_, position| {
        positions.push(position.map(|value| value * 10.0));
        Ok(())
    })?;
    (frame.time, frame.cell, *buffer) = (time, cell, own);
    Ok(())
}

/// Whether a text's first lines are those of GRO.
pub(crate) fn is_one(source: &Source) -> bool {
    let mut lines = Lines::new(source, 0, Vec::new());
    match head(&mut lines) {
        Ok(Some((_, atoms))) => atoms > 0 && matches!(lines.next(), Ok(Some(line)) if width(line).is_some()),
        _ => false,
    }
}

/// The atoms of the first frame. Numbers of residues have five columns, so that they begin again after 99,999.
pub(crate) fn topology(source: &Source) -> Result<Topology, Fault> {
    let (mut found, mut positions) = (Topology::default(), Vec::new());
    let (_, cell, _) = each(source, 0, usize::MAX, Vec::new(), |line, position| {
        let field = |begin: usize| line.get(begin..begin + 5).unwrap_or_default().trim_ascii();
        let number = text(field(0)).parse().map_err(|_| format!("the residue number is {:?}", shown(field(0))))?;
        found.push(name(field(10)), name(field(5)), number, name(b""));
        positions.push(position.map(|value| value * 10.0));
        Ok(())
    })?;
    (found.positions, found.cell) = (Some(positions), cell);
    Ok(found)
}
