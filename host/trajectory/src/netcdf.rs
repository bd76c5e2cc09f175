//! AMBER's trajectories in NetCDF, in its classic format: positions in Å.
//!
//! The classic format is a header that lists dimensions and variables, and numbers in big-endian order at the places that it gives. The
//! crate for it (`netcdf3`) reads through one position in the file, so that threads would wait for each other, and does not know CDF-5.

use crate::error::{Fault, Problem};
use crate::frame::{Frame, cell_of};
use crate::source::{Source, f32_at, f64_at, u32_at};
use crate::{Entry, Index};

const WHAT: &str = "the header";
const DIMENSIONS: u32 = 10;
const VARIABLES: u32 = 11;
const ATTRIBUTES: u32 = 12;
/// More of anything in a header is damage.
const MOST: u64 = 4096;

pub(crate) fn is_one(head: &[u8]) -> bool {
    head.starts_with(b"CDF") && matches!(head.get(3), Some(1 | 2 | 5))
}

/// A type of numbers.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Kind {
    F32,
    F64,
    /// Another, with its bytes.
    Other(u64),
}

impl Kind {
    fn of(code: u32) -> Option<Self> {
        Some(match code {
            5 => Self::F32,
            6 => Self::F64,
            1 | 2 | 7 => Self::Other(1),
            3 | 8 => Self::Other(2),
            4 | 9 => Self::Other(4),
            10 | 11 => Self::Other(8),
            _ => return None,
        })
    }

    fn bytes(self) -> u64 {
        match self {
            Self::F32 => 4,
            Self::F64 => 8,
            Self::Other(bytes) => bytes,
        }
    }

    fn value(self, bytes: &[u8], index: usize) -> f64 {
        match self {
            Self::F64 => f64_at(bytes, 8 * index),
            _ => f64::from(f32_at(bytes, 4 * index)),
        }
    }
}

/// Reads the header from its beginning.
struct Header<'a> {
    source: &'a Source,
    at: u64,
    is_wide: bool,
    has_wide_offsets: bool,
}

impl Header<'_> {
    fn word(&mut self) -> Result<u32, Fault> {
        let four: [u8; 4] = self.source.array(self.at, WHAT)?;
        self.at += 4;
        Ok(u32_at(&four, 0))
    }

    fn wide(&mut self) -> Result<u64, Fault> {
        Ok(u64::from(self.word()?) << 32 | u64::from(self.word()?))
    }

    /// A number of elements.
    fn count(&mut self) -> Result<u64, Fault> {
        if self.is_wide { self.wide() } else { self.word().map(u64::from) }
    }

    fn offset(&mut self) -> Result<u64, Fault> {
        if self.has_wide_offsets { self.wide() } else { self.word().map(u64::from) }
    }

    fn name(&mut self) -> Result<Vec<u8>, Fault> {
        let (at, length) = (self.at, self.count()?);
        if length > MOST {
            return Err(Fault::damaged(at, format!("a name of {length} bytes")));
        }
        let mut name = Vec::new();
        self.source.take(self.at, length, &mut name, WHAT)?;
        self.at += length.next_multiple_of(4);
        Ok(name)
    }

    /// The number of entries in a list of the header.
    fn list(&mut self, tag: u32) -> Result<u64, Fault> {
        let at = self.at;
        let (own, count) = (self.word()?, self.count()?);
        match (own, count) {
            (0, 0) => Ok(0),
            _ if own == tag && count <= MOST => Ok(count),
            _ => Err(Fault::damaged(at, format!("a list of {count} with the tag {own}, and not {tag}"))),
        }
    }

    /// The attributes `Conventions`, `scale_factor` and `units` of a list.
    fn attributes(&mut self) -> Result<Attributes, Fault> {
        let mut found = Attributes::default();
        for _ in 0..self.list(ATTRIBUTES)? {
            let name = self.name()?;
            let at = self.at;
            let (code, count) = (self.word()?, self.count()?);
            let kind = Kind::of(code).ok_or_else(|| Fault::damaged(at, format!("the type {code}")))?;
            let length =
                count.checked_mul(kind.bytes()).ok_or_else(|| Fault::damaged(at, format!("{count} values")))?;
            let mut bytes = Vec::new();
            self.source.take(self.at, length, &mut bytes, WHAT)?;
            self.at += length.next_multiple_of(4);
            match &name[..] {
                b"Conventions" => found.conventions = bytes,
                b"units" => found.units = bytes,
                b"scale_factor" if kind != Kind::Other(kind.bytes()) && count == 1 => {
                    found.scale = Some(kind.value(&bytes, 0));
                }
                _ => {}
            }
        }
        Ok(found)
    }
}

#[derive(Default)]
struct Attributes {
    conventions: Vec<u8>,
    units: Vec<u8>,
    scale: Option<f64>,
}

/// A variable of which each frame has a part.
#[derive(Clone, Debug)]
struct Variable {
    kind: Kind,
    scale: Option<f64>,
    begin: u64,
    /// Bytes from one frame's part to the next one's.
    stride: u64,
    /// Bytes of each part.
    length: u64,
}

/// The units that a variable may have, each with what it is in the first one.
struct Units(&'static [(&'static [&'static str], f64)]);

/// Positions are copied as they are, so no other unit is taken of lengths.
const LENGTHS: Units = Units(&[(&["angstrom", "angstroms", "å"], 1.0)]);
const ANGLES: Units =
    Units(&[(&["degree", "degrees", "deg"], 1.0), (&["radian", "radians", "rad"], 180.0 / std::f64::consts::PI)]);
const TIMES: Units = Units(&[
    (&["picosecond", "picoseconds", "ps"], 1.0),
    (&["femtosecond", "femtoseconds", "fs"], 1e-3),
    (&["nanosecond", "nanoseconds", "ns"], 1e3),
    (&["microsecond", "microseconds", "us"], 1e6),
]);

impl Units {
    /// By what a variable's numbers are multiplied to be in the first unit, which they have if nothing is said.
    fn factor_of(&self, variable: &Listed) -> Result<f64, Fault> {
        let [name, unit] = [&variable.name, &variable.attributes.units].map(|text| String::from_utf8_lossy(text));
        let unit = unit.trim_matches(|one: char| one.is_whitespace() || one == '\0');
        if unit.is_empty() {
            return Ok(1.0);
        }
        let lower = unit.to_lowercase();
        let found = self.0.iter().find(|(names, _)| names.contains(&&*lower));
        found.map(|(_, factor)| *factor).ok_or_else(|| {
            let known: Vec<&str> = self.0.iter().map(|(names, _)| names[0]).collect();
            let known = known.join(" or ");
            Problem::Unread(format!("`{name}` has the unit {unit:?}, which is not read; write it in {known}")).into()
        })
    }
}

/// What all frames share.
#[derive(Debug)]
pub(crate) struct Shape {
    atoms: usize,
    coordinates: Variable,
    lengths: Option<Variable>,
    angles: Option<Variable>,
}

/// A variable of the header.
struct Listed {
    name: Vec<u8>,
    dimensions: Vec<u64>,
    is_record: bool,
    attributes: Attributes,
    kind: Kind,
    begin: u64,
    /// Bytes of a record, or of all of it.
    bytes: u64,
}

pub(crate) fn index(source: &Source) -> Result<(Shape, Index), Fault> {
    let head: [u8; 4] = source.array(0, WHAT)?;
    let version = head[3];
    let mut header = Header { source, at: 4, is_wide: version == 5, has_wide_offsets: version != 1 };
    let streamed = if header.is_wide { u64::MAX } else { u64::from(u32::MAX) };
    let records = Some(header.count()?).filter(|records| *records != streamed);
    let mut dimensions = Vec::new();
    for _ in 0..header.list(DIMENSIONS)? {
        let name = header.name()?;
        dimensions.push((name, header.count()?));
    }
    let about = header.attributes()?;
    let words = about.conventions.split(|byte| matches!(byte, b',' | b' ' | b'\0'));
    if !words.into_iter().any(|word| matches!(word, b"AMBER" | b"AMBERRESTART")) {
        let what = "is NetCDF, but no trajectory by AMBER's conventions: its attribute Conventions does not say AMBER";
        return Err(Problem::Other(what).into());
    }
    let mut all = Vec::new();
    for _ in 0..header.list(VARIABLES)? {
        all.push(variable(&mut header, &dimensions)?);
    }
    // A record has a part of each variable that grows by frames. One alone is not padded.
    let of_records: Vec<u64> = all.iter().filter(|one| one.is_record).map(|one| one.bytes).collect();
    let record = match of_records[..] {
        [one] => one,
        _ => of_records.iter().fold(0, |sum: u64, bytes| sum.saturating_add(bytes.saturating_add(3) / 4 * 4)),
    };
    let named = |name: &[u8]| all.iter().find(|one| one.name == name);
    let Some(coordinates) = named(b"coordinates") else {
        return Err(Problem::Other("has no variable `coordinates`; write the positions, too").into());
    };
    LENGTHS.factor_of(coordinates)?;
    let (fixed_frames, atoms) = match (&coordinates.dimensions[..], coordinates.is_record) {
        (&[_, atoms, 3], true) => (None, atoms),
        (&[frames, atoms, 3], false) => (Some(frames), atoms),
        (&[atoms, 3], false) => (Some(1), atoms),
        _ => {
            let what =
                format!("`coordinates` has the dimensions {:?}, and not frame, atom and 3", coordinates.dimensions);
            return Err(Fault::damaged(coordinates.begin, what));
        }
    };
    if i32::try_from(atoms).is_err() {
        return Err(Fault::damaged(coordinates.begin, format!("{atoms} atoms")));
    }
    let part = |one: &Listed, elements: u64, factor: f64| -> Option<Variable> {
        let scale = one.attributes.scale.unwrap_or(1.0) * factor;
        let length = elements * one.kind.bytes();
        // A restart file has one frame and no dimension for it.
        let is_enough = one.is_record || one.bytes >= length;
        (one.kind != Kind::Other(one.kind.bytes()) && is_enough).then_some(Variable {
            kind: one.kind,
            scale: Some(scale).filter(|scale| (scale - 1.0).abs() > 1e-9),
            begin: one.begin,
            stride: if one.is_record { record } else { length },
            length,
        })
    };
    let damaged = || Fault::damaged(coordinates.begin, "`coordinates` has no floating-point numbers");
    let own = part(coordinates, 3 * atoms, 1.0).ok_or_else(damaged)?;
    let other = |name: &[u8], elements: u64, units: &Units| -> Result<Option<Variable>, Fault> {
        let Some(one) = named(name) else { return Ok(None) };
        Ok(part(one, elements, units.factor_of(one)?))
    };
    let time = other(b"time", 1, &TIMES)?;
    let (lengths, angles) = (other(b"cell_lengths", 3, &LENGTHS)?, other(b"cell_angles", 3, &ANGLES)?);
    let shape = Shape { atoms: atoms as usize, coordinates: own, lengths, angles };
    let mut index = Index::default();
    let expected = fixed_frames.or(records).unwrap_or(u64::MAX);
    let mut bytes = Vec::new();
    for frame in 0..expected {
        let Some(at) = offset(&shape.coordinates, frame).filter(|at| source.has(*at, shape.coordinates.length)) else {
            // Programs that stream leave the number of frames open.
            if expected != u64::MAX {
                let at = offset(&shape.coordinates, frame).unwrap_or(u64::MAX).min(source.len());
                index.damage = Some(Fault::at(at, Problem::Cut("the frame's positions")));
            }
            break;
        };
        if shape.coordinates.stride == 0 && frame > 0 {
            break;
        }
        let time = time.as_ref().and_then(|time| {
            source.take(offset(time, frame)?, time.length, &mut bytes, WHAT).ok()?;
            Some(time.kind.value(&bytes, 0) * time.scale.unwrap_or(1.0))
        });
        index.push(Entry::new(at, time), shape.atoms);
    }
    Ok((shape, index))
}

fn variable(header: &mut Header<'_>, all: &[(Vec<u8>, u64)]) -> Result<Listed, Fault> {
    let name = header.name()?;
    let (at, count) = (header.at, header.count()?);
    if count > MOST {
        return Err(Fault::damaged(at, format!("a variable of {count} dimensions")));
    }
    let mut own = Vec::new();
    for _ in 0..count {
        let (at, id) = (header.at, header.count()?);
        let dimension = usize::try_from(id).ok().and_then(|id| all.get(id));
        own.push(dimension.ok_or_else(|| Fault::damaged(at, format!("dimension {id} of {}", all.len())))?.1);
    }
    let attributes = header.attributes()?;
    let (at, code) = (header.at, header.word()?);
    let kind = Kind::of(code).ok_or_else(|| Fault::damaged(at, format!("the type {code}")))?;
    // The size follows from the dimensions; large files do not have it.
    header.count()?;
    let begin = header.offset()?;
    let is_record = own.first() == Some(&0);
    let elements = own[usize::from(is_record)..].iter().try_fold(1_u64, |product, one| product.checked_mul(*one));
    let bytes = elements.and_then(|elements| elements.checked_mul(kind.bytes()));
    let bytes = bytes.ok_or_else(|| Fault::damaged(at, format!("dimensions {own:?}")))?;
    Ok(Listed { name, dimensions: own, is_record, attributes, kind, begin, bytes })
}

/// Where a frame's part of a variable is.
fn offset(variable: &Variable, frame: u64) -> Option<u64> {
    frame.checked_mul(variable.stride)?.checked_add(variable.begin)
}

impl Shape {
    pub(crate) fn read(
        &self,
        source: &Source,
        frame: usize,
        most: usize,
        buffer: &mut Vec<u8>,
        into: &mut Frame,
    ) -> Result<(), Fault> {
        let number = frame as u64;
        let mut six = [90.0; 6];
        into.cell = None;
        if let (Some(lengths), Some(angles)) = (&self.lengths, &self.angles) {
            for (first, variable) in [(0, lengths), (3, angles)] {
                let at = offset(variable, number).unwrap_or(u64::MAX);
                source.take(at, variable.length, buffer, "the frame's cell")?;
                for axis in 0..3 {
                    six[first + axis] = variable.kind.value(buffer, axis) * variable.scale.unwrap_or(1.0);
                }
            }
            into.cell = cell_of(six);
        }
        let Variable { kind, scale, .. } = self.coordinates;
        let atoms = self.atoms.min(most);
        into.positions.clear();
        let at = offset(&self.coordinates, number).unwrap_or(u64::MAX);
        source.take(at, 3 * kind.bytes() * atoms as u64, buffer, "the frame's positions")?;
        let value = |index: usize| match (kind, scale) {
            (Kind::F64, None) => f64_at(buffer, 8 * index) as f32,
            (_, None) => f32_at(buffer, 4 * index),
            (_, Some(scale)) => (kind.value(buffer, index) * scale) as f32,
        };
        into.positions.extend((0..atoms).map(|atom| [0, 1, 2].map(|axis| value(3 * atom + axis))));
        Ok(())
    }
}
