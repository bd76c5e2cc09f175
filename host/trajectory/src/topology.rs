//! Topologies: the atoms of a trajectory by name, in order.

mod prmtop;
mod psf;

use crate::error::{Fault, Problem, TrajectoryError};
use crate::frame::Cell;
use crate::gro;
use crate::source::Source;
use std::path::Path;

/// A name, filled up with zeros.
pub type Name = [u8; 8];

/// The first eight bytes of a name without the blanks around it.
pub(crate) fn name(text: &[u8]) -> Name {
    let text = text.trim_ascii();
    let mut name = [0; 8];
    let length = text.len().min(8);
    name[..length].copy_from_slice(&text[..length]);
    name
}

/// The atoms of GRO, PSF or PRMTOP, one entry each.
///
/// ```
/// use prism_trajectory::Topology;
///
/// let gro = b"one\n    2\n    1GLY      N    1   0.100   0.200   0.300\n    1GLY     CA    2   0.246   0.200   0.300\n   3.0   3.0   3.0\n";
/// let topology = Topology::of_bytes("one.gro", &gro[..])?;
/// assert_eq!((topology.len(), topology.residue_numbers[1], &topology.names[1]), (2, 1, b"CA\0\0\0\0\0\0"));
/// assert_eq!(topology.positions.unwrap()[1], [2.46, 2.0, 3.0]);
/// # Ok::<(), prism_trajectory::TrajectoryError>(())
/// ```
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Topology {
    /// Names of atoms.
    pub names: Vec<Name>,
    /// Names of their residues.
    pub residue_names: Vec<Name>,
    /// Numbers of their residues.
    pub residue_numbers: Vec<i32>,
    /// Chains or segments; empty where the file has none.
    pub segments: Vec<Name>,
    /// Atomic numbers, if the file has them; 0 where it does not say.
    pub elements: Vec<u8>,
    /// Bonds, as indices of atoms.
    pub bonds: Vec<[u32; 2]>,
    /// Positions in Å, if the file has them.
    pub positions: Option<Vec<[f32; 3]>>,
    /// The periodic cell, if the file has one.
    pub cell: Option<Cell>,
}

impl Topology {
    /// Reads a topology. Its content decides the format.
    ///
    /// # Errors
    /// If it cannot be read, or is damaged.
    pub fn open(path: impl AsRef<Path>) -> Result<Self, TrajectoryError> {
        let path = path.as_ref();
        let name = path.file_name().unwrap_or(path.as_os_str()).to_string_lossy().into_owned();
        match std::fs::read(path) {
            Ok(bytes) => Self::of_bytes(&name, bytes),
            Err(error) => {
                Err(TrajectoryError { name, frame: None, byte: None, problem: Problem::Io(error.to_string()) })
            }
        }
    }

    /// As [`Topology::open`], of a file's bytes.
    ///
    /// # Errors
    /// As [`Topology::open`].
    pub fn of_bytes(name: &str, bytes: impl Into<Vec<u8>>) -> Result<Self, TrajectoryError> {
        let bytes = bytes.into();
        let read = match kind(&bytes) {
            Some(Kind::Psf) => psf::read(&bytes),
            Some(Kind::Prmtop) => prmtop::read(&bytes),
            None => gro::topology(&Source::Memory(bytes.into())),
        };
        read.map_err(|fault| match fault.problem {
            Problem::Format => Fault::from(Problem::Topology).of(name, None),
            _ => fault.of(name, None),
        })
    }

    /// Number of atoms.
    #[must_use]
    pub fn len(&self) -> usize {
        self.names.len()
    }

    /// Whether there are no atoms.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.names.is_empty()
    }

    pub(crate) fn push(&mut self, name: Name, residue: Name, number: i32, segment: Name) {
        self.names.push(name);
        self.residue_names.push(residue);
        self.residue_numbers.push(number);
        self.segments.push(segment);
    }
}

enum Kind {
    Psf,
    Prmtop,
}

fn kind(bytes: &[u8]) -> Option<Kind> {
    match bytes.trim_ascii_start() {
        text if text.starts_with(b"PSF") => Some(Kind::Psf),
        text if text.starts_with(b"%VERSION") || text.starts_with(b"%FLAG") => Some(Kind::Prmtop),
        _ => None,
    }
}

/// Whether bytes are a topology that [`Topology::of_bytes`] reads.
#[must_use]
pub fn is_topology(bytes: &[u8]) -> bool {
    /// The lines that decide are within these.
    const HEAD: usize = 4096;
    kind(bytes).is_some() || gro::is_one(&Source::Memory(bytes[..bytes.len().min(HEAD)].into()))
}
