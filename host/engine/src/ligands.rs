//! Ligands, ions and sugars: where they sit, what they bury, and what they are bonded to, for `prism ligands`.

mod bonds;
mod water;

pub use bonds::{Basis, Bond, Partner};
pub use prism_read::structure::LigandKind;

use crate::sites::MIN_PROBABILITY;
use crate::{Engine, EngineError, StructureFeatures, StructureView};
use prism_read::grid::Grid;
use prism_read::mean::mean;
use prism_read::structure::{AtomLabel, Composition, Hetero, HeteroResidue, StructureError, StructureInput, Water};
use shared_types::{Atom, NO_CA, UNKNOWN};
use std::collections::BTreeSet;
use thiserror::Error;

/// Distances in Å within which residues are listed.
pub const NEAR: [f64; 2] = [4.0, 5.0];
/// A ligand sits in a site whose centre is this close to one of its atoms, in Å: the usual criterion of predictions (DCA).
pub const IN_SITE: f64 = 4.0;

/// What a ligand consists of.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Subject {
    /// A residue, by its place in [`Hetero::residues`].
    Residue(usize),
    /// Waters, by their places in [`Hetero::waters`].
    Waters(Vec<usize>),
}

/// A ligand, an ion, a residue of a glycan, or a cluster of buried waters.
#[derive(Clone, Debug, PartialEq)]
pub struct Ligand {
    /// What it consists of.
    pub subject: Subject,
    /// What it is.
    pub kind: LigandKind,
    /// Its accessible area in Å² by itself.
    pub alone: f32,
    /// Its accessible area in Å² among everything except water; NaN next to chains of alpha carbons or backbones alone.
    pub complex: f32,
    /// Rows with an atom within each distance of [`NEAR`] of one of its atoms.
    pub near: [Vec<usize>; 2],
    /// The rank, from 1, of the best site in which it sits, of those with a probability of at least
    /// [`MIN_PROBABILITY`].
    pub site: Option<usize>,
    /// Distance in Å from the centre of that site, or else of the nearest one, to its nearest atom; NaN if there is no site.
    pub site_distance: f32,
    /// Its bonds to other residues.
    pub bonds: Vec<Bond>,
    /// Mean occupancy of its atoms; NaN if the file has none.
    pub occupancy: f32,
    /// Mean B factor of its atoms in Å²; NaN if the file has none.
    pub b_factor: f32,
}

impl Ligand {
    /// Its place in [`Hetero::residues`]; `None` if it is water.
    #[must_use]
    pub fn residue(&self) -> Option<usize> {
        match self.subject {
            Subject::Residue(residue) => Some(residue),
            Subject::Waters(_) => None,
        }
    }

    /// The area in Å² that its surroundings cover.
    #[must_use]
    pub fn buried(&self) -> f32 {
        self.alone - self.complex
    }
}

/// Why ligands cannot be described.
#[derive(Debug, Error)]
pub enum LigandError {
    /// The structure was read without its ligands.
    #[error("its ligands were not read; data sets have none, so give its file")]
    NotRead,
    /// The computation failed.
    #[error(transparent)]
    Engine(Box<EngineError>),
    /// The structure is invalid.
    #[error(transparent)]
    Structure(#[from] StructureError),
}

impl From<EngineError> for LigandError {
    fn from(error: EngineError) -> Self {
        Self::Engine(Box::new(error))
    }
}

/// Describes every residue without a row, except water, and residues of polymers that have no rows. The structure must have been read with
/// [`ReadOptions::atoms`](prism_read::ReadOptions::atoms). If it was read with [`ReadOptions::water`](prism_read::ReadOptions::water), too,
/// clusters of buried water follow: two waters or more whose oxygens are at most 3.5 Å from the next one, none of which has accessible
/// area. Structures with chains of alpha carbons or backbones alone have none.
///
/// `engine` computes accessible areas: of each residue by itself, and of all of them with the residues with rows, as structures of one
/// batch. An [`Engine::builder`] with the selection `sasa` computes only that. `features` are those of the structure, with its sites.
///
/// # Errors
/// If the structure was read without them, if its atoms lie so that a search for neighbours would take too long, or if the engine fails.
///
/// ```
/// use prism_engine::ligands::{LigandKind, ligands};
/// use prism_read::{ReadOptions, read_path};
/// use prism_engine::{Backend, Engine};
///
/// let options = ReadOptions { atoms: true, ..ReadOptions::default() };
/// let lysozyme = read_path("../../tests/data/1aki.cif.gz", "1aki", &options)?.structure;
/// let engine = Engine::builder().backend(Backend::Cpu).build()?;
/// let features = &engine.run(std::slice::from_ref(&lysozyme))?[0];
/// // This entry has water alone.
/// assert_eq!(ligands(&engine, &lysozyme, &features.view())?, []);
/// assert_eq!(LigandKind::Ion.name(), "ion");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn ligands(
    engine: &Engine,
    structure: &StructureInput,
    features: &StructureView<'_>,
) -> Result<Vec<Ligand>, LigandError> {
    let hetero = structure.hetero.as_deref().ok_or(LigandError::NotRead)?;
    let complex = complex_of(structure, hetero);
    complex.check_spread()?;
    let residues = hetero.ligands(&structure.residue_types[..structure.n_rows()]);
    let mut described: Vec<Subject> = residues.into_iter().map(Subject::Residue).collect();
    if structure.traces.is_empty() {
        described.extend(water::buried(engine, &complex, &hetero.waters)?.into_iter().map(Subject::Waters));
    }
    if described.is_empty() {
        return Ok(Vec::new());
    }
    let alone = described.iter().map(|subject| alone(structure, hetero, subject));
    let inputs: Vec<StructureInput> = std::iter::once(complex).chain(alone).collect();
    let computed = engine.run(&inputs)?;
    let rows = Rows::of(structure);
    let bonds = bonds::bonds(structure, hetero, &rows);
    let ligand = |(place, subject): (usize, Subject)| {
        let (own, labels) = atoms_of(hetero, &subject);
        let near = NEAR.map(|distance| rows.within(&own, distance));
        let in_trace = near[1].iter().any(|&row| structure.is_in_trace(row));
        let (site, site_distance) = site_of(features, &own);
        let (kind, complex, bonds) = match subject {
            Subject::Residue(residue) => {
                let of = &hetero.residues[residue];
                let complex = if in_trace { f32::NAN } else { area(&computed[0])[structure.n_rows() + residue] };
                let own = bonds.iter().filter(|bond| of.atoms.contains(&bond.own));
                (LigandKind::of(of, &labels), complex, own.copied().collect())
            }
            // No water of a cluster has accessible area.
            Subject::Waters(_) => (LigandKind::Water, 0.0, Vec::new()),
        };
        Ligand {
            subject,
            kind,
            alone: area(&computed[place + 1]).iter().sum(),
            complex,
            near,
            site,
            site_distance,
            bonds,
            occupancy: mean(labels.iter().map(|label| label.occupancy)),
            b_factor: mean(labels.iter().map(|label| label.b_factor)),
        }
    };
    Ok(described.into_iter().enumerate().map(ligand).collect())
}

/// The accessible area of each residue in Å².
fn area(computed: &StructureFeatures) -> &[f32] {
    computed.named("sasa").unwrap_or_default()
}

/// The atoms of a ligand, and what they are.
fn atoms_of(hetero: &Hetero, subject: &Subject) -> (Vec<Atom>, Vec<AtomLabel>) {
    match subject {
        Subject::Residue(residue) => {
            let atoms = hetero.residues[*residue].atoms.clone();
            (hetero.atoms[atoms.clone()].to_vec(), hetero.labels[atoms].to_vec())
        }
        Subject::Waters(waters) => {
            waters.iter().map(|&water| (hetero.waters[water].atom, hetero.waters[water].label)).unzip()
        }
    }
}

fn place(atom: &Atom) -> [f64; 3] {
    [atom.x, atom.y, atom.z].map(f64::from)
}

/// The atoms of residues with rows.
struct Rows {
    grid: Grid,
    /// The row of each atom.
    row_of: Vec<usize>,
}

impl Rows {
    fn of(structure: &StructureInput) -> Self {
        let atoms = &structure.atoms[..structure.n_atoms_of_rows()];
        let rows = structure.residue_atoms.windows(2).take(structure.n_rows()).enumerate();
        let row_of = rows.flat_map(|(row, ends)| (ends[0]..ends[1]).map(move |_| row)).collect();
        Self { grid: Grid::new(NEAR[1], atoms.iter().map(place)), row_of }
    }

    /// Rows with an atom within a distance of some atoms.
    fn within(&self, atoms: &[Atom], distance: f64) -> Vec<usize> {
        let near = atoms.iter().flat_map(|atom| self.grid.near(place(atom)));
        let rows: BTreeSet<usize> = near
            .filter(|(_, distance2)| *distance2 <= distance * distance)
            .map(|(atom, _)| self.row_of[atom])
            .collect();
        rows.into_iter().collect()
    }
}

/// The rank of the best site in which some atoms sit, and the distance to its centre, or to that of the nearest one.
fn site_of(features: &StructureView<'_>, atoms: &[Atom]) -> (Option<usize>, f32) {
    let distance = |center: [f32; 3]| {
        let squared = |atom: &Atom| {
            let at = place(atom);
            (0..3).map(|axis| (at[axis] - f64::from(center[axis])).powi(2)).sum::<f64>()
        };
        atoms.iter().map(squared).fold(f64::INFINITY, f64::min).sqrt()
    };
    let likely = features.sites.iter().enumerate().filter(|(_, site)| site.probability >= MIN_PROBABILITY);
    let all: Vec<(usize, f64)> = likely.map(|(index, site)| (index + 1, distance(site.center))).collect();
    match all.iter().find(|(_, distance)| *distance <= IN_SITE) {
        Some((rank, distance)) => (Some(*rank), *distance as f32),
        None => (None, all.iter().map(|(_, distance)| *distance as f32).fold(f32::NAN, f32::min)),
    }
}

/// The residues with rows, and each other one as a residue of its own.
fn complex_of(structure: &StructureInput, hetero: &Hetero) -> StructureInput {
    let (rows, atoms) = (structure.n_rows(), structure.n_atoms_of_rows());
    let mut all = Composition {
        name: structure.name.clone(),
        residue_atoms: structure.residue_atoms[..=rows].to_vec(),
        ca_indices: structure.ca_indices[..rows].to_vec(),
        residue_types: structure.residue_types[..rows].to_vec(),
        chain_ids: structure.chain_ids[..rows].to_vec(),
        chains: structure.chains.clone(),
        residue_numbers: structure.residue_numbers[..rows].to_vec(),
        insertion_codes: structure.insertion_codes[..rows].to_vec(),
        ..Composition::default()
    };
    all.chains.push(String::new());
    for residue in &hetero.residues {
        push(&mut all, residue, (atoms + residue.atoms.end) as u32);
    }
    let atoms = structure.atoms[..atoms].iter().chain(&hetero.atoms).copied().collect();
    StructureInput { atoms, center: structure.center, ..all.into() }
}

fn push(all: &mut Composition, residue: &HeteroResidue, end: u32) {
    all.residue_atoms.push(end);
    all.ca_indices.push(NO_CA);
    all.residue_types.push(UNKNOWN);
    all.chain_ids.push(all.chains.len() as u32 - 1);
    all.residue_numbers.push(residue.number.unwrap_or(0));
    all.insertion_codes.push(residue.icode.clone());
}

/// A ligand by itself.
fn alone(structure: &StructureInput, hetero: &Hetero, subject: &Subject) -> StructureInput {
    let one = Composition { residue_atoms: vec![0], chains: vec![String::new()], ..Composition::default() };
    let mut one = StructureInput { center: structure.center, ..one.into() };
    match subject {
        Subject::Residue(residue) => {
            let residue = &hetero.residues[*residue];
            one.name = format!("{} {}", structure.name, residue.name);
            one.atoms = hetero.atoms[residue.atoms.clone()].to_vec().into();
            push(&mut one, residue, residue.atoms.len() as u32);
        }
        Subject::Waters(waters) => {
            let waters: Vec<Water> = waters.iter().map(|&water| hetero.waters[water].clone()).collect();
            one.name = format!("{} water", structure.name);
            one = water::with(one, &waters);
        }
    }
    one
}
