//! TRR of GROMACS: positions in nanometres, in single or double precision.

use crate::error::{Fault, Problem};
use crate::frame::{Frame, cell_of_vectors};
use crate::source::{Source, f32_at, f64_at, u32_at};
use crate::{Entry, Index};

const MAGIC: u32 = 1993;
/// The text in each frame's header, as XDR writes it: its length with the end, its length, itself.
const VERSION: &[u8] = b"\0\0\0\x0d\0\0\0\x0cGMX_trn_file";
/// Bytes from the beginning of a frame to the sizes of its parts.
const SIZES: usize = 24;
/// Bytes from there to the time.
const TIME: usize = 13 * 4;
const HEADER: usize = SIZES + TIME;

pub(crate) fn is_one(head: &[u8]) -> bool {
    u32_at(head, 0) == MAGIC && head.len() >= 4
}

struct Header {
    atoms: usize,
    time: f64,
    is_double: bool,
    /// Where the cell is, if there is one.
    cell: Option<u64>,
    /// Where the positions are, if there are any.
    positions: Option<u64>,
    end: u64,
}

fn header(source: &Source, at: u64) -> Result<Header, Fault> {
    let bytes: [u8; HEADER] = source.array(at, "the frame's header")?;
    if u32_at(&bytes, 0) != MAGIC || &bytes[4..SIZES] != VERSION {
        return Err(Fault::damaged(
            at,
            format!("a frame of TRR begins with {MAGIC} and GMX_trn_file, which is not here"),
        ));
    }
    let part = |index: usize| u64::from(u32_at(&bytes, SIZES + 4 * index));
    // Input records, energies, cell, virial, pressure, topology, symbols, positions, velocities, forces.
    let (cell, positions, velocities, forces) = (part(2), part(7), part(8), part(9));
    let atoms = part(10);
    let scalar = |count: u64, bytes: u64| (bytes > 0 && count > 0).then(|| bytes / count);
    let width =
        scalar(9, cell).or_else(|| [positions, velocities, forces].into_iter().find_map(|all| scalar(3 * atoms, all)));
    let is_double = match width {
        Some(4) | None => false,
        Some(8) => true,
        Some(_) => {
            let what = format!("{positions} bytes of positions and {cell} of the cell, for {atoms} atoms");
            return Err(Fault::damaged(at + SIZES as u64, what));
        }
    };
    let real = if is_double { 8 } else { 4 };
    if (positions != 0 && positions != 3 * real * atoms) || (cell != 0 && cell != 9 * real) {
        let what = format!("{positions} bytes of positions and {cell} of the cell, for {atoms} atoms");
        return Err(Fault::damaged(at + SIZES as u64, what));
    }
    let after = at + (HEADER as u64) + 2 * real;
    let time = at + HEADER as u64;
    let begin_of = |index: usize| after + (0..index).map(part).sum::<u64>();
    let end = begin_of(10);
    if end > source.len() {
        return Err(Fault::at(at, Problem::Cut("the frame's positions, velocities or forces")));
    }
    let time = match is_double {
        true => f64_at(&source.array::<8>(time, "the frame's header")?, 0),
        false => f64::from(f32_at(&source.array::<4>(time, "the frame's header")?, 0)),
    };
    Ok(Header {
        atoms: atoms as usize,
        time,
        is_double,
        cell: (cell > 0).then(|| begin_of(2)),
        positions: (positions > 0).then(|| begin_of(7)),
        end,
    })
}

pub(crate) fn index(source: &Source) -> Index {
    Index::walk(source, |at| {
        let found = header(source, at)?;
        // In others, only velocities or forces were written.
        let atoms = found.positions.map(|_| found.atoms);
        Ok((Entry::new(at, Some(found.time)), atoms, found.end))
    })
}

pub(crate) fn read(
    source: &Source,
    at: u64,
    most: usize,
    buffer: &mut Vec<u8>,
    frame: &mut Frame,
) -> Result<(), Fault> {
    let found = header(source, at)?;
    frame.time = Some(found.time);
    frame.positions.clear();
    let value = |bytes: &[u8], index: usize| match found.is_double {
        true => f64_at(bytes, 8 * index) as f32,
        false => f32_at(bytes, 4 * index),
    };
    let real = if found.is_double { 8 } else { 4 };
    frame.cell = None;
    if let Some(cell) = found.cell {
        source.take(cell, 9 * real, buffer, "the frame's cell")?;
        let wide = |index: usize| match found.is_double {
            true => f64_at(buffer, 8 * index),
            false => f64::from(f32_at(buffer, 4 * index)),
        };
        let side = |row: usize| std::array::from_fn(|axis| wide(3 * row + axis) * 10.0);
        frame.cell = cell_of_vectors([side(0), side(1), side(2)]);
    }
    let positions = found.positions.ok_or(Fault::at(at, Problem::NoPositions))?;
    let atoms = found.atoms.min(most);
    source.take(positions, 3 * real * atoms as u64, buffer, "the frame's positions")?;
    let of = |atom: usize| [0, 1, 2].map(|axis| value(buffer, 3 * atom + axis) * 10.0);
    frame.positions.extend((0..atoms).map(of));
    Ok(())
}
