//! DCD of CHARMM, NAMD, X-PLOR, LAMMPS and OpenMM: positions in Å, one axis after the other, in records of FORTRAN.
//!
//! Numbers have either order of bytes, and records either 32 or 64 bits for their length. A frame has as many records as the header
//! says; if atoms are fixed, frames after the first have the others alone.

use crate::error::{Fault, Problem};
use crate::frame::{Cell, Frame, cell_of, cell_of_vectors};
use crate::source::Source;
use crate::{Entry, Index};

const CORD: &[u8] = b"CORD";
/// Bytes of the header's first record.
const HEADER: u64 = 84;
/// A unit of time of CHARMM in ps.
const AKMA: f64 = 4.888_821e-2;

/// What all frames share.
#[derive(Debug)]
pub(crate) struct Shape {
    is_big: bool,
    /// Bytes of a record's length.
    marker: u64,
    atoms: usize,
    /// The atoms that move, if others are fixed.
    moving: Option<Vec<u32>>,
    /// Whether a frame begins with its cell.
    has_cell: bool,
    /// Where the first frame begins, and its length and that of others.
    first: u64,
    first_length: u64,
    length: u64,
}

pub(crate) fn is_one(head: &[u8]) -> bool {
    head.get(4..8) == Some(CORD) || head.get(8..12) == Some(CORD)
}

/// Numbers and records in a file's own form.
struct Form {
    is_big: bool,
    marker: u64,
}

impl Form {
    fn u32(&self, bytes: &[u8]) -> u32 {
        let four = bytes.first_chunk::<4>().copied().unwrap_or_default();
        if self.is_big { u32::from_be_bytes(four) } else { u32::from_le_bytes(four) }
    }

    fn f64(&self, bytes: &[u8]) -> f64 {
        let eight = bytes.first_chunk::<8>().copied().unwrap_or_default();
        if self.is_big { f64::from_be_bytes(eight) } else { f64::from_le_bytes(eight) }
    }

    fn length(&self, source: &Source, at: u64) -> Result<u64, Fault> {
        const WHAT: &str = "a record";
        if self.marker == 4 {
            return Ok(u64::from(self.u32(&source.array::<4>(at, WHAT)?)));
        }
        let eight: [u8; 8] = source.array(at, WHAT)?;
        Ok(if self.is_big { u64::from_be_bytes(eight) } else { u64::from_le_bytes(eight) })
    }

    /// The record at an offset: where its data begin, their length, and where the next one begins.
    fn record(&self, source: &Source, at: u64) -> Result<(u64, u64, u64), Fault> {
        let length = self.length(source, at)?;
        let data = at + self.marker;
        let end = data.checked_add(length).filter(|end| source.has(*end, self.marker));
        let end = end.ok_or(Fault::at(at, Problem::Cut("a record")))?;
        let again = self.length(source, end)?;
        match again == length {
            true => Ok((data, length, end + self.marker)),
            false => Err(Fault::damaged(at, format!("a record begins with the length {length} and ends with {again}"))),
        }
    }

    /// Where the record of titles ends. A version of MDAnalysis wrote a wrong length before it; the number of titles counts.
    fn after_titles(&self, source: &Source, at: u64) -> Result<u64, Fault> {
        match self.record(source, at) {
            Err(Fault { problem: Problem::Damaged(what), byte }) => {
                let titles = u64::from(self.u32(&source.array::<4>(at + self.marker, "the header")?));
                let end = at + self.marker + 4 + 80 * titles;
                let length = self.length(source, at)?;
                let is_end = source.has(end, self.marker) && self.length(source, end)? == length;
                if is_end { Ok(end + self.marker) } else { Err(Fault { problem: Problem::Damaged(what), byte }) }
            }
            other => other.map(|(_, _, next)| next),
        }
    }
}

pub(crate) fn index(source: &Source) -> Result<(Shape, Index), Fault> {
    let head: [u8; 12] = source.array(0, "the header")?;
    let marker = if &head[4..8] == CORD { 4 } else { 8 };
    let is_big = head[0] == 0;
    let form = Form { is_big, marker };
    let (data, length, mut at) = form.record(source, 0)?;
    if length != HEADER {
        return Err(Fault::damaged(0, format!("the header has {length} bytes, and not {HEADER}")));
    }
    let header: [u8; HEADER as usize] = source.array(data, "the header")?;
    let control = |index: usize| form.u32(&header[4 + 4 * index..]);
    // Programs of CHARMM's kind give their version, and then tell what frames have; X-PLOR has a time step in double precision there.
    let is_charmm = control(19) != 0;
    let step = match is_charmm {
        true => f64::from(f32::from_bits(control(9))),
        false => form.f64(&header[4 + 36..]),
    };
    let (begin, every, fixed) = (control(1) as i32, control(2) as i32, control(8));
    let (has_cell, has_fourth) = (is_charmm && control(10) != 0, is_charmm && control(11) != 0);
    at = form.after_titles(source, at)?;
    let (data, length, next) = form.record(source, at)?;
    if length != 4 {
        return Err(Fault::damaged(at, format!("the number of atoms has {length} bytes, and not 4")));
    }
    let atoms = form.u32(&source.array::<4>(data, "the header")?);
    at = next;
    if i32::try_from(atoms).is_err() || fixed > atoms {
        return Err(Fault::damaged(data, format!("{atoms} atoms, of which {fixed} are fixed")));
    }
    let moving = match fixed {
        0 => None,
        _ => {
            let (data, length, next) = form.record(source, at)?;
            if length != 4 * u64::from(atoms - fixed) {
                let what = format!("{length} bytes for the numbers of {} moving atoms", atoms - fixed);
                return Err(Fault::damaged(at, what));
            }
            let mut bytes = Vec::new();
            source.take(data, length, &mut bytes, "the header")?;
            at = next;
            let numbers: Vec<u32> =
                bytes.as_chunks::<4>().0.iter().map(|four| form.u32(four).wrapping_sub(1)).collect();
            if let Some(wrong) = numbers.iter().find(|number| **number >= atoms) {
                return Err(Fault::damaged(data, format!("moving atom {} of {atoms}", wrong.wrapping_add(1))));
            }
            Some(numbers)
        }
    };
    let around = 2 * marker;
    // What stands for the cell has 48 bytes in all programs that are known, but its length is written.
    let cell = if has_cell { form.length(source, at).unwrap_or(48) + around } else { 0 };
    let axes = if has_fourth { 4 } else { 3 };
    let of = |atoms: u32| cell.saturating_add(axes * (4 * u64::from(atoms) + around));
    let shape = Shape {
        is_big,
        marker,
        atoms: atoms as usize,
        has_cell,
        first: at,
        first_length: of(atoms),
        length: of(atoms - fixed),
        moving,
    };
    let mut index = Index::default();
    let step = step * AKMA * f64::from(every.max(1));
    let time = |frame: usize| {
        let time = (frame as f64 + f64::from(begin) / f64::from(every.max(1))) * step;
        time.is_finite().then_some(time)
    };
    while at < source.len() {
        let frame = index.entries.len();
        let length = if frame == 0 { shape.first_length } else { shape.length };
        if !source.has(at, length) {
            index.damage = Some(Fault::at(at, Problem::Cut("the frame's positions")));
            break;
        }
        index.push(Entry::new(at, time(frame)), shape.atoms);
        at += length;
    }
    Ok((shape, index))
}

impl Shape {
    fn form(&self) -> Form {
        Form { is_big: self.is_big, marker: self.marker }
    }

    pub(crate) fn read(
        &self,
        source: &Source,
        at: u64,
        most: usize,
        buffer: &mut Vec<u8>,
        frame: &mut Frame,
    ) -> Result<(), Fault> {
        let atoms = self.atoms.min(most);
        frame.positions.clear();
        frame.positions.resize(atoms, [0.0; 3]);
        let is_first = at == self.first;
        if let (Some(moving), false) = (&self.moving, is_first) {
            let end = self.axes(source, self.first, buffer, None, &mut frame.positions)?;
            debug_assert!(end <= self.first + self.first_length);
            frame.cell = self.cell(source, at)?;
            self.axes(source, at, buffer, Some(moving), &mut frame.positions)?;
            return Ok(());
        }
        frame.cell = self.cell(source, at)?;
        self.axes(source, at, buffer, None, &mut frame.positions)?;
        Ok(())
    }

    /// Reads the three axes of the frame at an offset, of all atoms or those that move.
    fn axes(
        &self,
        source: &Source,
        mut at: u64,
        buffer: &mut Vec<u8>,
        moving: Option<&[u32]>,
        positions: &mut [[f32; 3]],
    ) -> Result<u64, Fault> {
        let form = self.form();
        if self.has_cell {
            at = form.record(source, at)?.2;
        }
        let atoms = moving.map_or(self.atoms, <[u32]>::len);
        for axis in 0..3 {
            let (data, length, next) = form.record(source, at)?;
            if length != 4 * atoms as u64 {
                let what = format!("an axis has {length} bytes, and not 4 for each of {atoms} atoms");
                return Err(Fault::damaged(at, what));
            }
            let needed = if moving.is_some() { atoms } else { positions.len() };
            source.take(data, 4 * needed as u64, buffer, "the frame's positions")?;
            let values = buffer.as_chunks::<4>().0.iter().map(|four| f32::from_bits(form.u32(four)));
            match moving {
                None => positions.iter_mut().zip(values).for_each(|(position, value)| position[axis] = value),
                Some(moving) => {
                    for (&atom, value) in moving.iter().zip(values) {
                        if let Some(position) = positions.get_mut(atom as usize) {
                            position[axis] = value;
                        }
                    }
                }
            }
            at = next;
        }
        Ok(at)
    }

    fn cell(&self, source: &Source, at: u64) -> Result<Option<Cell>, Fault> {
        if !self.has_cell {
            return Ok(None);
        }
        let form = self.form();
        let (data, length, _) = form.record(source, at)?;
        if length != 48 {
            return Ok(None);
        }
        let bytes: [u8; 48] = source.array(data, "the frame's cell")?;
        Ok(cell([0, 1, 2, 3, 4, 5].map(|index| form.f64(&bytes[8 * index..]))))
    }
}

/// The cell from its six numbers. Programs have three forms: lengths between angles or their cosines, or the lower half of a symmetric
/// matrix.
fn cell(six: [f64; 6]) -> Option<Cell> {
    let [a, gamma, b, beta, alpha, c] = six;
    let angles = [alpha, beta, gamma];
    let is_any = |test: fn(f64) -> bool| angles.iter().any(|&angle| test(angle));
    if angles.iter().all(|angle| (-1.0..=1.0).contains(angle)) {
        let [alpha, beta, gamma] = angles.map(|cosine| 90.0 - cosine.asin().to_degrees());
        return cell_of([a, b, c, alpha, beta, gamma]);
    }
    if is_any(|angle| angle < 0.0 || angle > 180.0) || a < 0.0 || b < 0.0 || c < 0.0 {
        let [xx, xy, yy, xz, yz, zz] = six;
        return cell_of_vectors([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]]);
    }
    cell_of([a, b, c, alpha, beta, gamma])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cells_have_three_forms() {
        let cube = Some([[30.0, 0.0, 0.0], [0.0, 40.0, 0.0], [0.0, 0.0, 50.0]]);
        assert_eq!(cell([30.0, 90.0, 40.0, 90.0, 90.0, 50.0]), cube);
        assert_eq!(cell([30.0, 0.0, 40.0, 0.0, 0.0, 50.0]), cube, "cosines");
        assert_eq!(cell([0.0; 6]), None);
        let matrix = cell([30.0, -1.0, 40.0, 2.0, 3.0, 50.0]).unwrap();
        assert_eq!(matrix, [[30.0, -1.0, 2.0], [-1.0, 40.0, 3.0], [2.0, 3.0, 50.0]]);
        let sheared = cell([10.0, 60.0, 10.0, 90.0, 90.0, 10.0]).unwrap();
        assert!((sheared[1][0] - 5.0).abs() < 1e-9 && (sheared[1][1] - 75f64.sqrt()).abs() < 1e-9);
    }
}
