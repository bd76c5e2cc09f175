//! Reads trajectories of molecular dynamics: frames in any order, by many threads at a time.
//!
//! Opening a file finds its frames, without decoding them ([`Trajectory::open`]). A frame is then read from its offset
//! ([`Trajectory::read`]), of which a file can be asked for the first atoms alone. Positions are in Å, times in ps. A file that is
//! damaged or cut off gives the frames before the damage, and says where it is ([`Trajectory::damage`]).

mod dcd;
mod error;
mod frame;
mod gro;
mod kept;
mod netcdf;
mod source;
mod topology;
mod trr;
mod xtc;

pub use error::{Problem, TrajectoryError};
pub use frame::{Cell, Frame};
pub use kept::IndexFolder;
pub use topology::{Topology, is_topology};

use error::Fault;
use kept::Key;
use source::Source;
use std::cell::Cell as Local;
use std::path::Path;
use std::sync::Arc;

/// A trajectory whose frames have been found.
///
/// ```
/// use prism_trajectory::{Frame, Trajectory};
///
/// let run = Trajectory::open("tests/data/small.xtc")?;
/// assert_eq!((run.format(), run.n_frames(), run.n_atoms()), ("XTC", 6, 417));
/// // The first 20 atoms of the last frame.
/// let mut frame = Frame::default();
/// run.read(5, 20, &mut frame)?;
/// assert_eq!((frame.positions.len(), frame.time), (20, Some(50.0)));
/// assert!(run.read(6, 20, &mut frame).is_err() && run.damage().is_none());
/// # Ok::<(), prism_trajectory::TrajectoryError>(())
/// ```
#[derive(Debug)]
pub struct Trajectory {
    name: String,
    source: Source,
    format: Format,
    index: Index,
}

#[derive(Debug)]
enum Format {
    Xtc,
    Trr,
    Dcd(dcd::Shape),
    NetCdf(netcdf::Shape),
    Gro,
}

/// Where a frame begins, and its time. A long file has many, so they are small.
#[derive(Clone, Copy, Debug)]
struct Entry {
    at: u64,
    /// NaN if it is unknown.
    time: f64,
}

impl Entry {
    fn new(at: u64, time: Option<f64>) -> Self {
        Self { at, time: time.unwrap_or(f64::NAN) }
    }

    fn time(&self) -> Option<f64> {
        (!self.time.is_nan()).then_some(self.time)
    }
}

/// The frames of a file.
#[derive(Debug, Default)]
struct Index {
    entries: Vec<Entry>,
    atoms: usize,
    /// Why frames after the last one are not there.
    damage: Option<Fault>,
    /// Frames that have none.
    without_positions: usize,
}

impl Index {
    /// Finds frames by their headers, from the beginning of a file. `header` reads the one at an offset: the frame, its number of atoms
    /// if it has positions, and where the next frame begins.
    fn walk(source: &Source, mut header: impl FnMut(u64) -> Result<(Entry, Option<usize>, u64), Fault>) -> Self {
        let (mut index, mut at) = (Self::default(), 0);
        while at < source.len() {
            match header(at) {
                Ok((entry, atoms, end)) => {
                    if atoms.is_some_and(|atoms| !index.push(entry, atoms)) {
                        break;
                    }
                    index.without_positions += usize::from(atoms.is_none());
                    at = end;
                }
                Err(fault) => {
                    index.damage = Some(fault);
                    break;
                }
            }
        }
        index.entries.shrink_to_fit();
        index
    }

    /// Adds a frame, unless it has another number of atoms than the first. Returns whether it was added.
    fn push(&mut self, entry: Entry, atoms: usize) -> bool {
        if self.entries.is_empty() {
            self.atoms = atoms;
        } else if self.atoms != atoms {
            let problem = Problem::Atoms { found: atoms, expected: self.atoms };
            self.damage = Some(Fault::at(entry.at, problem));
            return false;
        }
        self.entries.push(entry);
        true
    }
}

thread_local! {
    /// The bytes of a frame.
    static BUFFER: Local<Vec<u8>> = const { Local::new(Vec::new()) };
}

impl Trajectory {
    /// Opens a file and finds its frames. Its content decides the format.
    ///
    /// # Errors
    /// If it cannot be read, is in no known format, or has no whole frame.
    pub fn open(path: impl AsRef<Path>) -> Result<Self, TrajectoryError> {
        Self::open_indexed(path, None)
    }

    /// As [`Trajectory::open`]. Finding the frames of a long file takes a while, because each has to be looked at; so the index of a long
    /// file is kept in a folder.
    ///
    /// # Errors
    /// As [`Trajectory::open`]. That an index cannot be read or written is no error.
    pub fn open_indexed(path: impl AsRef<Path>, indices: Option<&IndexFolder>) -> Result<Self, TrajectoryError> {
        let path = path.as_ref();
        // Runs of one system often have the same file names in other folders.
        let name = path.display().to_string();
        let source = Source::open(path).map_err(|fault| fault.of(&name, None))?;
        let kept = indices.and_then(|folder| Some((folder, Key::of(path, &source)?)));
        if let Some((format, index)) = kept.as_ref().and_then(|(folder, key)| folder.load(key)) {
            return Ok(Self { name, source, format, index });
        }
        let opened = Self::of(name, source)?;
        if let Some((folder, key)) = kept {
            folder.keep(&key, &opened.format, &opened.index);
        }
        Ok(opened)
    }

    /// As [`Trajectory::open`], of a file's bytes. `name` is the file's name in errors.
    ///
    /// # Errors
    /// As [`Trajectory::open`].
    pub fn of_bytes(name: &str, bytes: impl Into<Arc<[u8]>>) -> Result<Self, TrajectoryError> {
        Self::of(name.to_owned(), Source::Memory(bytes.into()))
    }

    fn of(name: String, source: Source) -> Result<Self, TrajectoryError> {
        let (format, index) = indexed(&source).map_err(|fault| fault.of(&name, None))?;
        match (index.entries.is_empty(), index.damage) {
            (true, Some(damage)) => Err(damage.of(&name, Some(0))),
            (true, None) if index.without_positions > 0 => Err(Fault::from(Problem::NoPositions).of(&name, Some(0))),
            (true, None) => Err(Fault::from(Problem::Empty).of(&name, None)),
            (false, damage) => Ok(Self { name, source, format, index: Index { damage, ..index } }),
        }
    }

    /// The file's path as it was given.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The format's name.
    #[must_use]
    pub fn format(&self) -> &'static str {
        match self.format {
            Format::Xtc => "XTC",
            Format::Trr => "TRR",
            Format::Dcd(_) => "DCD",
            Format::NetCdf(_) => "AMBER NetCDF",
            Format::Gro => "GRO",
        }
    }

    /// Number of frames with positions.
    #[must_use]
    pub fn n_frames(&self) -> usize {
        self.index.entries.len()
    }

    /// Number of frames that have no positions, but velocities or forces, and are not counted.
    #[must_use]
    pub fn without_positions(&self) -> usize {
        self.index.without_positions
    }

    /// Number of atoms of each frame.
    #[must_use]
    pub fn n_atoms(&self) -> usize {
        self.index.atoms
    }

    /// Bytes of the file.
    #[must_use]
    pub fn n_bytes(&self) -> u64 {
        self.source.len()
    }

    /// A SHA-256 digest of the first and the last 64 KiB of the file, which tells runs apart that have one size. A copy has the same.
    ///
    /// # Errors
    /// If they cannot be read.
    pub fn digest_of_ends(&self) -> Result<[u8; 32], TrajectoryError> {
        kept::ends(&self.source).map_err(|fault| fault.of(&self.name, None))
    }

    /// The time of a frame in ps, if the file has times.
    #[must_use]
    pub fn time(&self, frame: usize) -> Option<f64> {
        self.index.entries.get(frame).and_then(Entry::time)
    }

    /// Why frames after the last one cannot be read, if the file is damaged or cut off.
    #[must_use]
    pub fn damage(&self) -> Option<TrajectoryError> {
        let Fault { byte, problem } = self.index.damage.as_ref()?;
        let frame = Some(self.n_frames() + self.without_positions());
        Some(TrajectoryError { name: self.name.clone(), frame, byte: *byte, problem: problem.clone() })
    }

    /// Reads a frame: its first atoms, as many as `most`, or all if there are fewer. Where a format allows it, others are not even
    /// decoded.
    ///
    /// # Errors
    /// If there is no such frame, or it is damaged; other frames may be whole.
    pub fn read(&self, frame: usize, most: usize, into: &mut Frame) -> Result<(), TrajectoryError> {
        self.read_by(frame, into, |at, buffer, into| match &self.format {
            Format::Xtc => xtc::read(&self.source, at, most, buffer, into),
            Format::Trr => trr::read(&self.source, at, most, buffer, into),
            Format::Dcd(shape) => shape.read(&self.source, at, most, buffer, into),
            Format::NetCdf(shape) => shape.read(&self.source, frame, most, buffer, into),
            Format::Gro => gro::read(&self.source, at, most, buffer, into),
        })
    }

    /// As [`read`](Self::read), but gives each position to `put`, with the atom's number, instead of putting it into the frame: of a
    /// compressed format they are not in memory before. Returns how many there were. The frame's positions mean nothing then.
    ///
    /// ```
    /// use prism_trajectory::{Frame, Trajectory};
    ///
    /// let run = Trajectory::open("tests/data/small.xtc")?;
    /// let (mut whole, mut frame, mut some) = (Frame::default(), Frame::default(), vec![[0.0; 3]; 20]);
    /// run.read(5, 20, &mut whole)?;
    /// let read = run.read_each(5, 20, &mut frame, |atom, position| some[atom] = position)?;
    /// assert_eq!((read, frame.time, some), (20, whole.time, whole.positions));
    /// # Ok::<(), prism_trajectory::TrajectoryError>(())
    /// ```
    ///
    /// # Errors
    /// As [`read`](Self::read). Some positions may have been given before.
    pub fn read_each(
        &self,
        frame: usize,
        most: usize,
        into: &mut Frame,
        mut put: impl FnMut(usize, [f32; 3]),
    ) -> Result<usize, TrajectoryError> {
        if let Format::Xtc = self.format {
            return self
                .read_by(frame, into, |at, buffer, into| xtc::read_each(&self.source, at, most, buffer, into, put));
        }
        self.read(frame, most, into)?;
        into.positions.iter().enumerate().for_each(|(atom, &position)| put(atom, position));
        Ok(into.positions.len())
    }

    /// Reads a frame from its offset by `read`, which gets memory for its bytes.
    fn read_by<T>(
        &self,
        frame: usize,
        into: &mut Frame,
        read: impl FnOnce(u64, &mut Vec<u8>, &mut Frame) -> Result<T, Fault>,
    ) -> Result<T, TrajectoryError> {
        let Some(entry) = self.index.entries.get(frame) else {
            return Err(Fault::from(Problem::NoFrame(self.n_frames())).of(&self.name, Some(frame)));
        };
        let mut buffer = BUFFER.take();
        into.time = entry.time();
        let read = read(entry.at, &mut buffer, into);
        BUFFER.set(buffer);
        read.map_err(|fault| fault.of(&self.name, Some(frame)))
    }
}

fn indexed(source: &Source) -> Result<(Format, Index), Fault> {
    let mut head = [0; 12];
    let length = source.len().min(12) as usize;
    source.fill(0, &mut head[..length], "its first bytes")?;
    let head = &head[..length];
    if head.is_empty() {
        return Err(Problem::Empty.into());
    }
    if xtc::is_one(head) {
        return Ok((Format::Xtc, xtc::index(source)));
    }
    if trr::is_one(head) {
        return Ok((Format::Trr, trr::index(source)));
    }
    if dcd::is_one(head) {
        return dcd::index(source).map(|(shape, index)| (Format::Dcd(shape), index));
    }
    if netcdf::is_one(head) {
        return netcdf::index(source).map(|(shape, index)| (Format::NetCdf(shape), index));
    }
    if let Some(what) = foreign(head) {
        return Err(Problem::Other(what).into());
    }
    Ok((Format::Gro, gro::index(source)?))
}

/// What a file is, if it is in another format that is known.
fn foreign(head: &[u8]) -> Option<&'static str> {
    const MODELS: &str = "is a structure and no trajectory; if it has a model for each frame, give it alone, and take them by --model all";
    const COMPRESSED: &str = "is compressed, so its frames cannot be read in any order; unpack it";
    let formats: [(&[u8], &str); 14] = [
        (b"ATOM  ", MODELS),
        (b"HETATM", MODELS),
        (b"HEADER", MODELS),
        (b"CRYST1", MODELS),
        (b"MODEL ", MODELS),
        (b"REMARK", MODELS),
        (b"TITLE ", MODELS),
        (b"data_", MODELS),
        (b"\x89HDF", "is in HDF5 (H5MD, or NetCDF 4), which is not read; write it as XTC or DCD"),
        (b"\x1f\x8b", COMPRESSED),
        (b"BZh", COMPRESSED),
        (b"\xfd7zXZ", COMPRESSED),
        (b"\x28\xb5\x2f\xfd", COMPRESSED),
        (b"\0\0\0\0\0\0\0\x01", "is in TNG, which is not read; convert it with `gmx trjconv -o run.xtc`"),
    ];
    // The size and the content of an input of `gmx mdrun` begin with the version of GROMACS.
    if head.starts_with(b"\0\0\0") && head.get(8..12) == Some(b"VERS") {
        return Some("is an input of `gmx mdrun` (TPR) and no trajectory; give the XTC or TRR file that the run wrote");
    }
    formats.into_iter().find(|(beginning, _)| head.starts_with(beginning)).map(|(_, what)| what)
}
