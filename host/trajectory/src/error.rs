//! Why a trajectory or a frame cannot be read.

use thiserror::Error;

/// What is wrong with a trajectory, and where.
///
/// ```
/// use prism_trajectory::Trajectory;
///
/// let error = Trajectory::of_bytes("run.xtc", &b"\0\0\x07\xcb\0\0"[..]).unwrap_err();
/// assert_eq!(error.to_string(), "run.xtc: frame 0, at byte 0: the file ends within the frame's header; it is cut off");
/// ```
#[derive(Clone, Debug, Error, PartialEq, Eq)]
#[error("{name}: {}", self.reason())]
pub struct TrajectoryError {
    /// The file's name.
    pub name: String,
    /// The frame, counted from 0 in the file.
    pub frame: Option<usize>,
    /// The byte of the file.
    pub byte: Option<u64>,
    /// What is wrong.
    pub problem: Problem,
}

impl TrajectoryError {
    /// The message without the file's name.
    #[must_use]
    pub fn reason(&self) -> String {
        match (self.frame, self.byte) {
            (Some(frame), Some(byte)) => format!("frame {frame}, at byte {byte}: {}", self.problem),
            (Some(frame), None) => format!("frame {frame}: {}", self.problem),
            (None, Some(byte)) => format!("at byte {byte}: {}", self.problem),
            (None, None) => self.problem.to_string(),
        }
    }
}

/// What is wrong.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
#[non_exhaustive]
pub enum Problem {
    /// The file cannot be read.
    #[error("cannot be read: {0}")]
    Io(String),
    /// It has no known format.
    #[error("is no trajectory of a known format; the formats are XTC, TRR, DCD, AMBER NetCDF and GRO")]
    Format,
    /// It has none of a topology.
    #[error("is no topology of a known format; the formats are PDB, mmCIF, GRO, PSF (CHARMM, NAMD) and PRMTOP (AMBER)")]
    Topology,
    /// It is in a format that is not read.
    #[error("{0}")]
    Other(&'static str),
    /// It has no frame.
    #[error("has no frame")]
    Empty,
    /// The file ends too early.
    #[error("the file ends within {0}; it is cut off")]
    Cut(&'static str),
    /// Something has a value that it cannot have.
    #[error("{0}; the file is damaged")]
    Damaged(String),
    /// It is written in a way that is not read, and the text says where.
    #[error("{0}")]
    Unread(String),
    /// A frame has another number of atoms than the first.
    #[error("has {found} atoms, but the first frame has {expected}: trajectories of different systems were joined")]
    Atoms {
        /// Its number of atoms.
        found: usize,
        /// That of the first frame.
        expected: usize,
    },
    /// A frame has no positions.
    #[error("has no positions: only velocities or forces were written")]
    NoPositions,
    /// There is no such frame.
    #[error("there is no such frame; the file has {0}")]
    NoFrame(usize),
}

/// A problem and its byte, before frame and file are known.
#[derive(Debug)]
pub(crate) struct Fault {
    pub(crate) byte: Option<u64>,
    pub(crate) problem: Problem,
}

impl Fault {
    pub(crate) fn at(byte: u64, problem: Problem) -> Self {
        Self { byte: Some(byte), problem }
    }

    pub(crate) fn damaged(byte: u64, what: impl Into<String>) -> Self {
        Self::at(byte, Problem::Damaged(what.into()))
    }

    pub(crate) fn of(self, name: &str, frame: Option<usize>) -> TrajectoryError {
        TrajectoryError { name: name.to_owned(), frame, byte: self.byte, problem: self.problem }
    }
}

impl From<Problem> for Fault {
    fn from(problem: Problem) -> Self {
        Self { byte: None, problem }
    }
}
