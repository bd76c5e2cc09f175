//! XTC of GROMACS: positions in nanometres with a fixed precision, compressed.

mod bits;
mod decode;

use crate::error::{Fault, Problem};
use crate::frame::{Frame, cell_of_vectors};
use crate::source::{Source, f32_at, u32_at};
use crate::{Entry, Index};

/// The number that each frame begins with.
const MAGIC: u32 = 1995;
/// That of frames in which the number of compressed bytes takes 64 bits.
const MAGIC_LARGE: u32 = 2023;
/// Bytes from the beginning of a frame to its positions.
const HEADER: usize = 56;
/// Bytes from there to the number of compressed bytes: precision, smallest and largest positions, and the size of small differences.
const PRELUDE: usize = 32;
/// Frames of so few atoms are not compressed.
const FEW: usize = 9;

pub(crate) fn is_one(head: &[u8]) -> bool {
    matches!(u32_at(head, 0), MAGIC | MAGIC_LARGE) && head.len() >= 4
}

/// What a frame's header says.
struct Header {
    atoms: usize,
    time: f32,
    /// Where the positions begin, or their compressed bytes.
    data: u64,
    /// Number of bytes from there.
    length: u64,
    /// Where the next frame begins.
    end: u64,
}

fn header(source: &Source, at: u64, bytes: &mut [u8; HEADER + PRELUDE + 8]) -> Result<Header, Fault> {
    const WHAT: &str = "the frame's header";
    let available = (source.len() - at).min(bytes.len() as u64) as usize;
    if available < HEADER {
        return Err(Fault::at(at, Problem::Cut(WHAT)));
    }
    source.fill(at, &mut bytes[..available], WHAT)?;
    let magic = u32_at(bytes, 0);
    if magic != MAGIC && magic != MAGIC_LARGE {
        return Err(Fault::damaged(at, format!("a frame of XTC begins with {MAGIC}, but here is {magic}")));
    }
    let (atoms, again) = (u32_at(bytes, 4), u32_at(bytes, 52));
    if atoms != again || i32::try_from(atoms).is_err() {
        let what = format!("the frame has {atoms} atoms in one place of its header and {again} in another");
        return Err(Fault::damaged(at + 4, what));
    }
    let (atoms, time) = (atoms as usize, f32_at(bytes, 12));
    let (data, length) = if atoms <= FEW {
        (HEADER, 12 * atoms as u64)
    } else {
        let wide = magic == MAGIC_LARGE;
        let begin = HEADER + PRELUDE + if wide { 8 } else { 4 };
        if available < begin {
            return Err(Fault::at(at, Problem::Cut(WHAT)));
        }
        let (first, second) =
            (u64::from(u32_at(bytes, HEADER + PRELUDE)), u64::from(u32_at(bytes, HEADER + PRELUDE + 4)));
        (begin, if wide { first << 32 | second } else { first })
    };
    let data = at + data as u64;
    let padded = length.checked_next_multiple_of(4);
    let end = padded.and_then(|padded| data.checked_add(padded)).filter(|end| *end <= source.len());
    let end = end.ok_or(Fault::at(at, Problem::Cut("the frame's positions")))?;
    Ok(Header { atoms, time, data, length, end })
}

pub(crate) fn index(source: &Source) -> Index {
    let mut bytes = [0; HEADER + PRELUDE + 8];
    Index::walk(source, |at| {
        let found = header(source, at, &mut bytes)?;
        Ok((Entry::new(at, Some(f64::from(found.time))), Some(found.atoms), found.end))
    })
}

/// Reads the first atoms of the frame at an offset.
pub(crate) fn read(
    source: &Source,
    at: u64,
    most: usize,
    buffer: &mut Vec<u8>,
    frame: &mut Frame,
) -> Result<(), Fault> {
    let positions = Positions::take(source, at, most, buffer, frame)?;
    // Each of them is then written.
    frame.positions.resize(positions.wanted, [0.0; 3]);
    positions.each(buffer, |atom, position| {
        if let Some(own) = frame.positions.get_mut(atom) {
            *own = position;
        }
    })
}

/// As [`read`], but gives the positions to `put`, in their order. Returns how many there are.
pub(crate) fn read_each(
    source: &Source,
    at: u64,
    most: usize,
    buffer: &mut Vec<u8>,
    frame: &mut Frame,
    put: impl FnMut(usize, [f32; 3]),
) -> Result<usize, Fault> {
    let positions = Positions::take(source, at, most, buffer, frame)?;
    positions.each(buffer, put)?;
    Ok(positions.wanted)
}

/// What the positions of a frame are decoded from, besides their bytes.
struct Positions {
    at: u64,
    prelude: [u8; PRELUDE],
    atoms: usize,
    wanted: usize,
}

impl Positions {
    /// Reads the bytes of a frame's positions, and its time and cell.
    fn take(source: &Source, at: u64, most: usize, buffer: &mut Vec<u8>, frame: &mut Frame) -> Result<Self, Fault> {
        let mut bytes = [0; HEADER + PRELUDE + 8];
        let found = header(source, at, &mut bytes)?;
        frame.time = Some(f64::from(found.time));
        let side = |row: usize| std::array::from_fn(|axis| f64::from(f32_at(&bytes, 16 + 12 * row + 4 * axis)) * 10.0);
        frame.cell = cell_of_vectors([side(0), side(1), side(2)]);
        // Before anything is allocated: the least that an atom takes is about two bits.
        if found.atoms as u64 > 8 * found.length {
            return Err(Fault::damaged(at + 4, format!("{} atoms in {} bytes", found.atoms, found.length)));
        }
        source.take(found.data, found.length, buffer, "the frame's positions")?;
        let prelude = std::array::from_fn(|index| bytes[HEADER + index]);
        Ok(Self { at, prelude, atoms: found.atoms, wanted: found.atoms.min(most) })
    }

    fn each(&self, buffer: &[u8], mut put: impl FnMut(usize, [f32; 3])) -> Result<(), Fault> {
        if self.atoms <= FEW {
            let value = |atom: usize, axis: usize| f32_at(buffer, 12 * atom + 4 * axis) * 10.0;
            (0..self.wanted).for_each(|atom| put(atom, [0, 1, 2].map(|axis| value(atom, axis))));
            return Ok(());
        }
        decode::decode(&self.prelude, buffer, self.atoms, self.wanted, put)
            .map_err(|what| Fault::damaged(self.at, what))
    }
}
