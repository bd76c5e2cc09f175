//! Reads a topology.

use super::gather::Places;
use super::places::places;
use super::whole::{Cell, Links};
use super::{Frame, Template, Trajectory, astray};
use crate::inputs::{InputFailure, structure_name};
use prism_read::plural::counted;
use prism_read::{
    AtomArrays, Models, Note, NoteKind, Problem, ReadError, ReadOptions, ReadStructure, Texts, contents, each_atom,
    plain, read_arrays, read_bytes,
};
use prism_trajectory::{Topology, is_topology};
use std::path::Path;

/// What to do where a periodic boundary divides a molecule.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Boundaries {
    /// Put it together.
    #[default]
    Whole,
    /// Take positions as they are.
    AsWritten,
}

impl Template {
    /// The name of a topology: that of its file, without the extension of a compression.
    #[must_use]
    pub fn name_of(path: &Path) -> String {
        structure_name(path.file_name().map_or(path, Path::new))
    }

    /// Reads a topology for a trajectory: PDB, mmCIF, GRO, PSF or PRMTOP. `name` becomes the name of every structure. The first frame
    /// that is whole gives positions where the topology has none.
    ///
    /// # Errors
    /// If it cannot be read, has no protein, or has another number of atoms than the trajectory, or another order of them.
    pub fn read(
        path: &Path,
        name: &str,
        run: &Trajectory,
        options: &ReadOptions,
        boundaries: Boundaries,
    ) -> Result<Self, InputFailure> {
        let failure = |why: String| InputFailure::new(name, why);
        if options.assembly.is_some() || options.models != Models::First || options.cover {
            let why = "as the topology of a trajectory it is read as it is: without --assembly, --model and --het";
            return Err(failure(why.to_owned()));
        }
        let bytes = contents(path).map_err(|problem| failure(problem.to_string()))?;
        let text = plain(&bytes).map_err(|problem| failure(problem.to_string()))?;
        let (read, positions, has_positions) = match is_topology(&text) {
            true => of_topology(&text, name, run, options)?,
            false => {
                let mut positions = Vec::new();
                let each = each_atom(&text, name, &mut |atom| {
                    positions.push(atom.position);
                    Ok(())
                });
                each.map_err(as_topology)?;
                check_number(name, positions.len(), run)?;
                (read_bytes(&text, name, options).map_err(InputFailure::from)?, positions, true)
            }
        };
        let ReadStructure { mut structure, mut notes, .. } = read;
        let (places, shared) = places(&structure, &positions).map_err(|atom| {
            failure(format!("atom {atom} of its residues has no record of its own; write the topology anew"))
        })?;
        if shared > 0 {
            let atoms = counted(shared, "atom shares its point", "atoms share their points");
            let text =
                format!("{atoms} with others in the topology; which is which in frames follows the order of the file");
            notes.push(Note { kind: NoteKind::Coinciding, text });
        }
        let links = Links::of(&structure);
        let atoms = std::mem::take(&mut structure.atoms);
        let radii: Vec<f32> = atoms.iter().map(|atom| atom.radius).collect();
        structure.name = name.to_owned();
        let mut template = Self { structure, places: Places::new(places, &radii), links, boundaries, notes };
        if let Some(note) = template.check(run, has_positions.then_some(&atoms))? {
            // Without positions of the topology, the reader said the same of a frame's.
            template.notes.retain(|known| known.kind != note.kind || !note.text.ends_with(&known.text));
            template.notes.push(note);
        }
        Ok(template)
    }
}

/// A reader's error, about a topology.
fn as_topology(error: ReadError) -> InputFailure {
    match error.problem {
        // What it says of a topology holds here, too.
        Problem::OtherFormat(what) if what != prism_read::TPR => {
            let why = "is no topology; the formats are PDB, mmCIF, GRO, PSF (CHARMM, NAMD) and PRMTOP (AMBER)";
            InputFailure::new(&error.name, why.to_owned())
        }
        _ => error.into(),
    }
}

fn check_number(name: &str, atoms: usize, run: &Trajectory) -> Result<(), InputFailure> {
    let frames = run.n_atoms();
    if atoms == frames {
        return Ok(());
    }
    let cause = if atoms > frames {
        "usually the trajectory was written without water, or of a part of the system: give a topology of the same atoms"
    } else {
        "usually the topology has no hydrogens or no water: give that of the simulation, or write both of the same atoms"
    };
    let has = counted(atoms, "atom", "atoms");
    let why = format!(
        "has {has}, but {} has {frames} in each frame; {cause} (gmx trjconv -s run.tpr -dump 0 -o top.pdb)",
        run.name()
    );
    Err(InputFailure::new(name, why))
}

/// Reads GRO, PSF or PRMTOP. Returns the positions of all its atoms, too, and whether it has them itself.
fn of_topology(
    text: &[u8],
    name: &str,
    run: &Trajectory,
    options: &ReadOptions,
) -> Result<(ReadStructure, Vec<[f64; 3]>, bool), InputFailure> {
    let topology = Topology::of_bytes(name, text).map_err(|error| InputFailure::new(name, error.reason()))?;
    check_number(name, topology.len(), run)?;
    let (given, cell) = match &topology.positions {
        Some(positions) => (positions.clone(), topology.cell),
        None => {
            let Frame { positions, cell, .. } = first_whole(run)?;
            (positions, cell)
        }
    };
    let mut positions: Vec<[f64; 4]> = given.iter().map(|&[x, y, z]| [x.into(), y.into(), z.into(), 0.0]).collect();
    if let Some(cell) = cell.as_ref().and_then(Cell::new).filter(|cell| !cell.is_too_small()) {
        Links::of_topology(&topology).join(&cell, &mut positions);
    }
    let positions: Vec<[f64; 3]> = positions.into_iter().map(|[x, y, z, _]| [x, y, z]).collect();
    let read = read_arrays(&arrays(&topology), &positions, name, options).swap_remove(0);
    Ok((read.map_err(InputFailure::from)?, positions, topology.positions.is_some()))
}

/// The first frame whose atoms all are somewhere.
fn first_whole(run: &Trajectory) -> Result<Frame, InputFailure> {
    let mut frame = Frame::default();
    let mut read = |number: usize| {
        run.read(number, usize::MAX, &mut frame).map_err(|error| InputFailure::new(&error.name, error.reason()))?;
        match astray(frame.positions.iter().copied().enumerate()) {
            Some(why) => Err(InputFailure::new(run.name(), format!("frame {number}: {why}"))),
            None => Ok(std::mem::take(&mut frame)),
        }
    };
    // If none is, the first one says why.
    let first = read(0);
    first.or_else(|failure| (1..run.n_frames()).find_map(|number| read(number).ok()).ok_or(failure))
}

/// The atoms of a topology as the reader takes them.
fn arrays(topology: &Topology) -> AtomArrays {
    let texts = |names: &[[u8; 8]]| Texts::new(8, names.as_flattened().to_vec()).unwrap_or_default();
    /// Symbols of the elements of proteins and of what is around them; names say the others.
    const ELEMENTS: [(u8, &[u8]); 7] =
        [(1, b"H"), (6, b"C"), (7, b"N"), (8, b"O"), (15, b"P"), (16, b"S"), (34, b"SE")];
    let symbol = |number: &u8| {
        let found = ELEMENTS.iter().find(|(own, _)| own == number).map_or(&b""[..], |(_, symbol)| symbol);
        let mut padded = [0; 2];
        padded[..found.len()].copy_from_slice(found);
        padded
    };
    let elements: Vec<[u8; 2]> = topology.elements.iter().map(symbol).collect();
    AtomArrays {
        atom_names: texts(&topology.names),
        residue_names: texts(&topology.residue_names),
        chains: texts(&topology.segments),
        residue_numbers: topology.residue_numbers.clone(),
        elements: Texts::new(2, elements.as_flattened().to_vec()).unwrap_or_default(),
        ..AtomArrays::default()
    }
}
