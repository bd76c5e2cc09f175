//! Frames of trajectories as structures: residues and atoms come from a topology once, positions from each frame.
//!
//! A topology is any file that [`prism_read`] takes, or GRO, PSF or PRMTOP, by the same rules. Which atoms get rows is decided there, so
//! every frame has the same rows. Residues and chains that a periodic boundary divides are put together (`whole`).

mod choose;
mod places;
mod topology;
mod whole;

pub use choose::{ChooseError, FrameRange, choose_frames};
pub use prism_read::structure::FrameOf;
pub use prism_trajectory::{Frame, IndexFolder, Trajectory, TrajectoryError};
pub use topology::Boundaries;

use crate::inputs::InputFailure;
use prism_read::centred;
use prism_read::structure::StructureInput;
use std::cell::Cell;
use whole::{Cell as Periodic, Links};

/// What all frames of a trajectory have in common.
///
/// ```
/// use prism_read::ReadOptions;
/// use prism_io::trajectory::{Boundaries, Frame, Template, Trajectory};
///
/// let run = Trajectory::open("../trajectory/tests/data/small.xtc")?;
/// let (top, options) = ("../trajectory/tests/data/top.pdb", ReadOptions::default());
/// let template = Template::read(top.as_ref(), "top.pdb", &run, &options, Boundaries::Whole).map_err(|failure| failure.reason)?;
/// // Waters come after the protein, and are not decoded.
/// assert_eq!((template.structure().n_residues(), template.atoms_to_read(), run.n_atoms()), (46, 327, 417));
///
/// let mut frame = Frame::default();
/// run.read(3, template.atoms_to_read(), &mut frame)?;
/// let (structure, was_divided) = template.structure_of(&frame, 3).map_err(|failure| failure.reason)?;
/// assert_eq!((structure.n_atoms(), structure.frame.unwrap().time, was_divided), (327, 30.0, false));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
pub struct Template {
    /// Everything but atoms.
    structure: StructureInput,
    radii: Vec<f64>,
    /// The place of each atom in a frame.
    places: Vec<u32>,
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
        self.places.len()
    }

    /// How many of a frame's first atoms have to be read.
    #[must_use]
    pub fn atoms_to_read(&self) -> usize {
        self.places.iter().max().map_or(0, |last| *last as usize + 1)
    }

    /// The structure of a frame, and whether a periodic boundary divided it.
    ///
    /// # Errors
    /// If positions are not finite, or so far apart that a search for neighbours would take too long.
    pub fn structure_of(&self, frame: &Frame, number: u32) -> Result<(StructureInput, bool), InputFailure> {
        let failure =
            |why: String| InputFailure::new(&self.structure.name, format!("frame {number}: {why}; it is left out"));
        let mut atoms = POSITIONS.take();
        atoms.clear();
        for (&place, &radius) in self.places.iter().zip(&self.radii) {
            let Some(position) = frame.positions.get(place as usize) else {
                return Err(failure(format!("has no atom {place}, of {}", frame.positions.len())));
            };
            let [x, y, z] = position.map(f64::from);
            if !(x.abs() <= FARTHEST && y.abs() <= FARTHEST && z.abs() <= FARTHEST) {
                let why = format!(
                    "atom {place} (counted from 0) is at {position:?}, and not within a million Å of the origin"
                );
                return Err(failure(why));
            }
            atoms.push([x, y, z, radius]);
        }
        let cell = frame.cell.as_ref().filter(|_| self.boundaries == Boundaries::Whole).and_then(Periodic::new);
        let was_divided = cell.is_some_and(|cell| self.links.join(&cell, &mut atoms));
        let positions = atoms;
        let (atoms, center) = centred(&positions).map_err(|error| failure(error.to_string()))?;
        let time = frame.time.map_or(f32::NAN, |time| time as f32);
        let mut structure = StructureInput {
            atoms: atoms.into(),
            center,
            frame: Some(FrameOf { number, time }),
            ..self.structure.clone()
        };
        structure.find_closures();
        for (label, &[x, y, z, _]) in structure.atom_labels.iter_mut().zip(&positions) {
            label.position = [x, y, z];
        }
        POSITIONS.set(positions);
        // Where they are in the core's caches: who packs them asks for it.
        let _ = structure.atoms.are_finite();
        Ok((structure, was_divided))
    }
}

thread_local! {
    /// Memory for the positions and radii of a frame, which is used again.
    static POSITIONS: Cell<Vec<[f64; 4]>> = const { Cell::new(Vec::new()) };
}

/// Largest coordinate in Å.
const FARTHEST: f64 = 1e6;
