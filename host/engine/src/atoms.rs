//! Atoms: radii, accessible areas, depths, and which chains bury them, for `prism atoms`.

mod bodies;
mod lee_richards;

use crate::contacts::ATOM_CONTACT;
use crate::{Engine, EngineError};
use bodies::Bodies;
use prism_read::grid::Grid;
use prism_read::radii::{AtomClass, RadiusSet};
use prism_read::structure::{AtomLabel, Composition, StructureError, StructureInput};
use shared_types::{Atom, NO_CA, UNKNOWN};
use thiserror::Error;

/// The radius in Å of the probe in kernels.
const PROBE: f32 = 1.4;
/// Kernels find neighbours within this distance, in Å.
const REACH: f32 = 10.0;
/// Largest radius of a probe in Å.
const LARGEST_PROBE: f32 = 5.0;

/// How accessible areas are computed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Algorithm {
    /// By test points (Shrake and Rupley 1973), on the engine's device.
    ShrakeRupley,
    /// By this number of slices of each atom (Lee and Richards 1971), on CPU cores.
    LeeRichards(u32),
}

/// What is asked about atoms.
#[derive(Clone, Debug)]
pub struct AtomOptions {
    /// The radius of the probe in Å.
    pub probe: f32,
    /// The radii; those of the reader (ProtOr) if there is no set.
    pub radii: Option<RadiusSet>,
    /// How areas are computed.
    pub algorithm: Algorithm,
}

impl Default for AtomOptions {
    fn default() -> Self {
        Self { probe: PROBE, radii: None, algorithm: Algorithm::ShrakeRupley }
    }
}

/// An atom.
#[derive(Clone, Debug, PartialEq)]
pub struct DescribedAtom {
    /// Its residue: a row, or the place in [`Hetero::residues`](prism_read::structure::Hetero::residues).
    pub residue: Owner,
    /// Its place in the structure's atoms, or among the atoms without rows.
    pub atom: usize,
    /// Its radius in Å.
    pub radius: f32,
    /// What its surface is.
    pub class: AtomClass,
    /// Its accessible area in Å².
    pub area: f32,
    /// Its accessible area in Å² with its chain alone.
    pub alone: f32,
    /// Its distance in Å to the nearest atom with accessible area, by test points.
    pub depth: f32,
    /// Names of the chains that cover some of its area, in the order of the file.
    pub buried_by: Vec<String>,
    /// Heavy atoms within 4.5 Å of residues at least two rows apart or of other chains, or without rows.
    pub contacts: u32,
}

/// Where an atom belongs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Owner {
    /// A row.
    Row(usize),
    /// A residue without a row.
    Hetero(usize),
}

/// Atoms of a structure, and how many of them the set of radii does not have.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct DescribedAtoms {
    /// The atoms: those of rows, then those without.
    pub atoms: Vec<DescribedAtom>,
    /// Atoms that the set does not have, which have the radii of their elements.
    pub by_element: usize,
}

/// Why atoms cannot be described.
#[derive(Debug, Error)]
pub enum AtomsError {
    /// The structure was read without what its atoms are.
    #[error("what its atoms are was not read; data sets do not have it, so give its file")]
    NotRead,
    /// The probe has an impossible radius.
    #[error("a probe of {0} Å is not above 0 and at most {LARGEST_PROBE} Å")]
    Probe(f32),
    /// Spheres of atoms and probe are larger than kernels find neighbours of.
    #[error(
        "with a probe of {probe} Å and radii up to {largest} Å, atoms touch that are more than 10 Å apart, which test points do not find; \
         take a smaller probe, or slices (--algorithm lee-richards)"
    )]
    TooLarge {
        /// The probe's radius.
        probe: f32,
        /// The largest radius of an atom.
        largest: f32,
    },
    /// The computation failed.
    #[error(transparent)]
    Engine(Box<EngineError>),
    /// The structure is invalid.
    #[error(transparent)]
    Structure(#[from] StructureError),
}

impl From<EngineError> for AtomsError {
    fn from(error: EngineError) -> Self {
        Self::Engine(Box::new(error))
    }
}

/// Describes the atoms of a structure that was read with [`ReadOptions::atoms`](prism_read::ReadOptions::atoms). With `cover`, atoms without
/// rows are described, too, and cover others.
///
/// `engine` computes areas and depths, with its number of test points. An [`Engine::builder`] with the selection of `sasa` and `depth`
/// computes only those. Atoms are computed as residues of one atom each, so areas are those whose sums are a residue's `sasa`.
///
/// # Errors
/// If the structure was read without them, if the probe is too large, if atoms lie so that a search for neighbours would take too long, or
/// if the engine fails.
///
/// ```
/// use prism_engine::atoms::{AtomOptions, atoms};
/// use prism_read::{ReadOptions, read_path};
/// use prism_engine::{Backend, Engine};
///
/// let options = ReadOptions { atoms: true, ..ReadOptions::default() };
/// let ubiquitin = read_path("../tests/data/1ubq.pdb", "1ubq", &options)?.structure;
/// let engine = Engine::builder().backend(Backend::Cpu).build()?;
/// let found = atoms(&engine, &ubiquitin, &AtomOptions::default(), false)?.atoms;
/// let sasa = engine.run(std::slice::from_ref(&ubiquitin))?[0].named("sasa").unwrap()[0];
/// let first: f32 = found[..8].iter().map(|atom| atom.area).sum();
/// assert!((first - sasa).abs() < 1e-3 && found.len() == 602);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn atoms(
    engine: &Engine,
    structure: &StructureInput,
    options: &AtomOptions,
    cover: bool,
) -> Result<DescribedAtoms, AtomsError> {
    let hetero = structure.hetero.as_deref().ok_or(AtomsError::NotRead)?;
    if !(options.probe > 0.0 && options.probe <= LARGEST_PROBE) {
        return Err(AtomsError::Probe(options.probe));
    }
    let mut all = Vec::new();
    for row in 0..structure.n_rows() {
        let atoms = structure.residue_atoms[row] as usize..structure.residue_atoms[row + 1] as usize;
        all.extend(atoms.map(|atom| (Owner::Row(row), atom, structure.atoms[atom])));
    }
    if cover {
        for (place, residue) in hetero.residues.iter().enumerate() {
            all.extend(residue.atoms.clone().map(|atom| (Owner::Hetero(place), atom, hetero.atoms[atom])));
        }
    }
    let label = |owner: Owner, atom: usize| -> &AtomLabel {
        match owner {
            Owner::Row(_) => &structure.atom_labels[atom],
            Owner::Hetero(_) => &hetero.labels[atom],
        }
    };
    let (mut by_element, mut classes) = (0, Vec::with_capacity(all.len()));
    for (owner, index, atom) in &mut all {
        let label = label(*owner, *index);
        let residue = match owner {
            Owner::Row(row) => structure.resname(*row),
            Owner::Hetero(place) => &hetero.residues[*place].name,
        };
        let mut class = AtomClass::of_element(label.element());
        if let Some(set) = &options.radii {
            match set.get(residue, label.name(), label.element()) {
                Some(own) => (atom.radius, class) = own,
                None => {
                    by_element += 1;
                    atom.radius = set.of_element(label.element()).unwrap_or(atom.radius);
                }
            }
        }
        classes.push(class);
    }
    let placed: Vec<Atom> = all.iter().map(|(_, _, atom)| *atom).collect();
    let bodies = Bodies::of(structure, hetero, &all);
    let (whole, alone, covering) = bodies.areas(engine, structure, &placed, options)?;
    let contacts = contacts(structure, &all);
    let atom = |(place, (owner, atom, at)): (usize, &(Owner, usize, Atom))| {
        let in_trace = matches!(owner, Owner::Row(row) if structure.is_in_trace(*row));
        let known = |value: f32| if in_trace { f32::NAN } else { value };
        DescribedAtom {
            residue: *owner,
            atom: *atom,
            radius: at.radius,
            class: classes[place],
            area: known(whole.areas[place]),
            alone: known(alone[place]),
            depth: known(whole.depths[place]),
            buried_by: if in_trace {
                Vec::new()
            } else {
                covering[place].iter().map(|&body| bodies.names[body].clone()).collect()
            },
            contacts: contacts[place],
        }
    };
    Ok(DescribedAtoms { atoms: all.iter().enumerate().map(atom).collect(), by_element })
}

/// Of each atom, the number of atoms in contact.
fn contacts(structure: &StructureInput, all: &[(Owner, usize, Atom)]) -> Vec<u32> {
    let place = |atom: &Atom| [atom.x, atom.y, atom.z].map(f64::from);
    let grid = Grid::new(f64::from(ATOM_CONTACT), all.iter().map(|(_, _, atom)| place(atom)));
    let are_apart = |a: Owner, b: Owner| match (a, b) {
        (Owner::Row(a), Owner::Row(b)) => a.abs_diff(b) >= 2 || structure.chain_ids[a] != structure.chain_ids[b],
        (a, b) => a != b,
    };
    let of = |(owner, _, atom): &(Owner, usize, Atom)| {
        grid.near(place(atom)).filter(|(other, _)| are_apart(*owner, all[*other].0)).count() as u32
    };
    all.iter().map(of).collect()
}

/// Areas and depths of atoms.
struct Surface {
    areas: Vec<f32>,
    depths: Vec<f32>,
}

/// Computes areas of some sets of atoms; depths of the first set alone are needed.
fn surfaces(
    engine: &Engine,
    structure: &StructureInput,
    sets: &[Vec<Atom>],
    options: &AtomOptions,
) -> Result<Vec<Surface>, AtomsError> {
    let by_points = options.algorithm == Algorithm::ShrakeRupley;
    let computed = if by_points { sets } else { &sets[..1] };
    let inputs: Vec<StructureInput> =
        computed.iter().map(|atoms| residues_of_one_atom(structure, atoms, options)).collect::<Result<_, _>>()?;
    let features = engine.run(&inputs)?;
    let named = |of: usize, name: &str| features.get(of).and_then(|own| own.named(name)).unwrap_or_default().to_vec();
    let slices = |atoms: &[Atom], slices: u32| {
        let areas = lee_richards::areas(atoms, f64::from(options.probe), slices);
        areas.into_iter().map(|area| area as f32).collect()
    };
    let surface = |(place, atoms): (usize, &Vec<Atom>)| Surface {
        areas: match options.algorithm {
            Algorithm::ShrakeRupley => named(place, "sasa"),
            Algorithm::LeeRichards(count) => slices(atoms, count),
        },
        depths: named(place, "depth"),
    };
    Ok(sets.iter().enumerate().map(surface).collect())
}

/// Each atom as a residue. Kernels have a probe of 1.4 Å, so the radii make up for another one: the spheres are the same.
fn residues_of_one_atom(
    structure: &StructureInput,
    atoms: &[Atom],
    options: &AtomOptions,
) -> Result<StructureInput, AtomsError> {
    let largest = atoms.iter().map(|atom| atom.radius).fold(0.0, f32::max);
    let is_by_points = options.algorithm == Algorithm::ShrakeRupley;
    if is_by_points && 2.0 * (largest + options.probe) > REACH {
        return Err(AtomsError::TooLarge { probe: options.probe, largest });
    }
    let n = atoms.len();
    // Depths beside slices have the usual probe if the asked one is too large.
    let probe = if 2.0 * (largest + options.probe) > REACH { PROBE } else { options.probe };
    let sphere =
        |atom: &Atom| Atom { radius: if probe == PROBE { atom.radius } else { atom.radius + probe - PROBE }, ..*atom };
    let one = StructureInput {
        atoms: atoms.iter().map(sphere).collect(),
        center: structure.center,
        ..Composition {
            name: structure.name.clone(),
            residue_atoms: (0..=n as u32).collect(),
            ca_indices: vec![NO_CA; n],
            residue_types: vec![UNKNOWN; n],
            chain_ids: vec![0; n],
            chains: vec![String::new()],
            residue_numbers: vec![0; n],
            insertion_codes: vec![Box::default(); n],
            ..Composition::default()
        }
        .into()
    };
    one.check_spread()?;
    Ok(one)
}
