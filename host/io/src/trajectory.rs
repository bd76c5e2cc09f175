//! Frames of trajectories as structures: residues and atoms come from a topology once, positions from each frame.
//!
//! A topology is any file that [`prism_read`] takes, or GRO, PSF or PRMTOP, by the same rules. Which atoms get rows is decided there, so
//! every frame has the same rows. Residues and chains that a periodic boundary divides are put together (`whole`).

mod check;
mod choose;
mod gather;
mod places;
mod topology;
mod whole;

pub use choose::{ChooseError, FrameRange, choose_frames};
pub use prism_read::structure::FrameOf;
pub use prism_trajectory::{Frame, IndexFolder, Trajectory, TrajectoryError};
pub use topology::Boundaries;

use crate::inputs::InputFailure;
use gather::{Gathered, Gathering, Places};
use prism_read::centred;
use prism_read::structure::{Atoms, SpreadError, StructureInput};
use shared_types::Atom;
use std::cell::Cell;
use whole::{Cell as Periodic, Links};

/// What the periodic boundary of a frame did. See [`Template`] for an example.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Boundary {
    /// It divides nothing, there is none, or positions are taken as they are.
    Uncrossed,
    /// It divided what was put together.
    Crossed,
    /// Its cell is too small for a residue, and was taken as none.
    TooSmall,
}

/// What all frames of a trajectory have in common.
///
/// ```
/// use prism_read::ReadOptions;
/// use prism_io::trajectory::{Boundaries, Boundary, Frame, Template, Trajectory};
///
/// let run = Trajectory::open("../trajectory/tests/data/small.xtc")?;
/// let (top, options) = ("../trajectory/tests/data/top.pdb", ReadOptions::default());
/// let template = Template::read(top.as_ref(), "top.pdb", &run, &options, Boundaries::Whole).map_err(|failure| failure.reason)?;
/// // Waters come after the protein, and are not decoded.
/// assert_eq!((template.structure().n_residues(), template.atoms_to_read(), run.n_atoms()), (46, 327, 417));
///
/// let mut frame = Frame::default();
/// run.read(3, template.atoms_to_read(), &mut frame)?;
/// let (structure, boundary) = template.structure_of(&frame, 3).map_err(|failure| failure.reason)?;
/// assert_eq!((structure.n_atoms(), structure.frame.unwrap().time, boundary), (327, 30.0, Boundary::Uncrossed));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
pub struct Template {
    /// Everything but atoms.
    structure: StructureInput,
    places: Places,
    links: Links,
    boundaries: Boundaries,
    /// What is noted about the topology.
    notes: Vec<prism_read::Note>,
}

impl Template {
    /// The structure without its atoms.
    #[must_use]
    pub fn structure(&self) -> &StructureInput {
        &self.structure
    }

    /// The same to change: annotations and the name.
    pub fn structure_mut(&mut self) -> &mut StructureInput {
        &mut self.structure
    }

    /// Notes about the topology.
    #[must_use]
    pub fn notes(&self) -> &[prism_read::Note] {
        &self.notes
    }

    /// Number of atoms of a structure.
    #[must_use]
    pub fn n_atoms(&self) -> usize {
        self.places.n_atoms()
    }

    /// How many of a frame's first atoms have to be read.
    #[must_use]
    pub fn atoms_to_read(&self) -> usize {
        self.places.frame()
    }

    /// The structure of a frame, and what its periodic boundary did.
    ///
    /// # Errors
    /// If positions are not finite, are where atoms without a place are written, or are so far apart that a search for neighbours would
    /// take too long.
    pub fn structure_of(&self, frame: &Frame, number: u32) -> Result<(StructureInput, Boundary), InputFailure> {
        let mut atoms = vec![Atom::default(); self.n_atoms()];
        let mut gathering = self.gathering(&mut atoms);
        frame.positions.iter().enumerate().for_each(|(at, position)| gathering.put(at, *position));
        let (read, positions) = (frame.positions.len(), || frame.positions.clone());
        let of = (&*self.structure.name, number);
        let placed = self.placed(frame, number, of, (read, &positions), || gathering.gathered(), None)?;
        Ok(placed.with_atoms(Atoms::of_finite(atoms)))
    }

    fn gathering<'a>(&'a self, atoms: &'a mut [Atom]) -> Gathering<'a> {
        Gathering::new(&self.places, &self.structure.residue_atoms, atoms)
    }

    /// Reads a frame as [`structure_of`](Self::structure_of) does, with the atoms in given memory for as many. The structure gets them by
    /// [`Placed::with_atoms`]. `frame` is of no use but to be used again.
    pub(crate) fn read_into(
        &self,
        memory: FrameMemory<'_>,
        run: &Trajectory,
        (at, number): (usize, u32),
        frame: &mut Frame,
    ) -> Result<Placed, InputFailure> {
        let most = self.atoms_to_read();
        let (atoms, to) = match memory {
            FrameMemory::Own(atoms) => (atoms, None),
            FrameMemory::OfDevice { atoms, scratch } => {
                scratch.resize(atoms.len(), Atom::default());
                (&mut scratch[..], Some(atoms))
            }
        };
        let mut gathering = self.gathering(atoms);
        let read = run.read_each(at, most, frame, |at, position| gathering.put(at, position));
        let read = read.map_err(|error| InputFailure::new(&error.name, error.reason()))?;
        let positions = || {
            let mut again = Frame::default();
            run.read(at, most, &mut again).map(|()| again.positions).unwrap_or_default()
        };
        self.placed(frame, number, (run.name(), at as u32), (read, &positions), || gathering.gathered(), to)
    }

    /// The structure of a frame, of which as many atoms as `read` were put in their places; `positions` are the frame's. Its atoms go to
    /// other memory, or stay. `of` is its file, and its number there.
    fn placed<'a>(
        &self,
        frame: &Frame,
        number: u32,
        of: (&str, u32),
        (read, positions): (usize, &dyn Fn() -> Vec<[f32; 3]>),
        gathered: impl FnOnce() -> Gathered<'a>,
        to: Option<&mut [Atom]>,
    ) -> Result<Placed, InputFailure> {
        let failure = |why: String| InputFailure::new(of.0, format!("frame {}: {why}; it is left out", of.1));
        if read < self.atoms_to_read() {
            let last = self.atoms_to_read().saturating_sub(1);
            return Err(failure(format!("has no atom {last}, of {read}")));
        }
        let mut structure = self.structure.clone();
        let residue_atoms = &self.structure.residue_atoms;
        let gathered = gathered();
        if gathered.farthest() > FARTHEST {
            return Err(failure(self.astray(&positions())));
        }
        if let Some(index) = gathered.first_without_place() {
            let (place, position) = (self.places.indices()[index], gathered.position(index as u32));
            let why =
                format!("atom {place} (counted from 0) is at {position:?}, where programs write atoms without a place");
            return Err(failure(why));
        }
        for (label, atom) in structure.atom_labels.iter_mut().zip(&*gathered.atoms) {
            label.position = [atom.x, atom.y, atom.z].map(f64::from);
        }
        let cell = frame.cell.as_ref().filter(|_| self.boundaries == Boundaries::Whole).and_then(Periodic::new);
        let is_too_small = cell.as_ref().is_some_and(Periodic::is_too_small);
        let cell = cell.filter(|cell| !is_too_small && !self.links.are_whole(cell, &gathered));
        let (centred, boundary) = match cell {
            Some(cell) => {
                let atoms = gathered.atoms;
                let (centred, was_divided) = self.joined(&cell, atoms, &mut structure);
                to.into_iter().for_each(|to| to.copy_from_slice(atoms));
                (centred, if was_divided { Boundary::Crossed } else { Boundary::Uncrossed })
            }
            None => {
                let boundary = if is_too_small { Boundary::TooSmall } else { Boundary::Uncrossed };
                (gathered.centred(residue_atoms, to), boundary)
            }
        };
        let (are_finite, center) = centred.map_err(|error| failure(error.to_string()))?;
        if !are_finite {
            return Err(failure(self.astray(&positions())));
        }
        let time = frame.time.map_or(f32::NAN, |time| time as f32);
        structure.frame = Some(FrameOf { number, time });
        structure.center = center;
        Ok(Placed { structure, boundary })
    }

    /// Puts together what a boundary divides, and centres it. Returns whether anything was moved.
    fn joined(&self, cell: &Periodic, atoms: &mut [Atom], structure: &mut StructureInput) -> (Centred, bool) {
        let mut positions = POSITIONS.take();
        positions.clear();
        positions.extend(atoms.iter().map(|atom| [atom.x, atom.y, atom.z, atom.radius].map(f64::from)));
        let was_divided = self.links.join(cell, &mut positions);
        for (label, &[x, y, z, _]) in structure.atom_labels.iter_mut().zip(&positions) {
            label.position = [x, y, z];
        }
        let centred = centred(&positions).map(|(moved, center)| {
            atoms.copy_from_slice(&moved);
            (Atoms::from(moved).are_finite(), center)
        });
        POSITIONS.set(positions);
        (centred, was_divided)
    }

    /// Which atom of a frame is too far away, or nowhere.
    fn astray(&self, positions: &[[f32; 3]]) -> String {
        let of_frame = |&place: &u32| Some((place as usize, *positions.get(place as usize)?));
        astray(self.places.indices().iter().filter_map(of_frame)).unwrap_or_else(|| "has no atoms".to_owned())
    }
}

/// The first of some atoms of a frame that is too far away, or nowhere.
fn astray(mut atoms: impl Iterator<Item = (usize, [f32; 3])>) -> Option<String> {
    let (place, position) = atoms.find(|(_, position)| !position.iter().all(|along| along.abs() <= FARTHEST))?;
    Some(format!("atom {place} (counted from 0) is at {position:?}, and not within a million Å of the origin"))
}

/// Memory for the atoms of a frame, as many as a structure has.
pub(crate) enum FrameMemory<'a> {
    /// A core reads them next.
    Own(&'a mut [Atom]),
    /// A device reads them next. Until they are moved they lie in `scratch`, which stays in a core's cache from frame to frame.
    OfDevice {
        /// Where the device reads them.
        atoms: &'a mut [Atom],
        /// Of any contents.
        scratch: &'a mut Vec<Atom>,
    },
}

/// Whether all atoms relative to the midpoint of their bounding box are finite, and that midpoint.
type Centred = Result<(bool, [f64; 3]), SpreadError>;

/// A frame's structure whose atoms were put elsewhere.
pub(crate) struct Placed {
    structure: StructureInput,
    boundary: Boundary,
}

impl Placed {
    /// The structure with its atoms, which are finite, and what its periodic boundary did.
    pub(crate) fn with_atoms(self, atoms: Atoms) -> (StructureInput, Boundary) {
        let mut structure = self.structure;
        structure.atoms = atoms;
        structure.find_closures();
        (structure, self.boundary)
    }
}

thread_local! {
    /// Memory for the positions and radii of a frame that is put together, which is used again.
    static POSITIONS: Cell<Vec<[f64; 4]>> = const { Cell::new(Vec::new()) };
}

/// Largest coordinate in Å.
const FARTHEST: f32 = 1e6;

#[cfg(test)]
mod tests {
    use super::*;
    use prism_read::ReadOptions;

    #[test]
    fn a_frame_with_an_atom_astray_is_refused_by_the_atoms_number() {
        let run = Trajectory::open("../trajectory/tests/data/small.xtc").unwrap();
        let (top, options) = ("../trajectory/tests/data/top.pdb", ReadOptions::default());
        let template = Template::read(top.as_ref(), "top.pdb", &run, &options, Boundaries::Whole).unwrap();
        let mut whole = Frame::default();
        run.read(2, template.atoms_to_read(), &mut whole).unwrap();
        let last = template.places.indices()[template.n_atoms() - 1];
        for along in [f32::NAN, f32::INFINITY, -1.5e6] {
            // With a cell, and without.
            for cell in [whole.cell, None] {
                let mut frame = Frame { cell, ..whole.clone() };
                frame.positions[last as usize][2] = along;
                let why = template.structure_of(&frame, 7).unwrap_err().reason;
                let atom = format!("frame 7: atom {last} (counted from 0) is at ");
                assert!(why.starts_with(&atom) && why.contains("within a million Å"), "{along}: {why}");
            }
        }
        let short = Frame { positions: whole.positions[..last as usize].to_vec(), ..whole.clone() };
        let why = template.structure_of(&short, 7).unwrap_err().reason;
        assert!(why.starts_with(&format!("frame 7: has no atom {last}, of {last};")), "{why}");
        assert!(template.structure_of(&whole, 7).is_ok());
    }
}
