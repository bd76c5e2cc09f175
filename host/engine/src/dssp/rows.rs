//! What DSSP assigns to the rows of a structure, for columns and edges.

use super::residue::{self, Bridge, HydrogenBond, Residue};
use super::{Statistics, hydrogen_bonds, ladders, surface};
use crate::mmcif::id;
use prism_read::PolymerResidue;
use prism_read::structure::StructureInput;
use shared_types::NO_CA;
use shared_types::backbone::{NO_ATOM, RoleAtoms};

/// Bonds are below, in kcal/mol.
const WEAKEST: f32 = -0.5;

/// What DSSP assigns to a row.
#[derive(Clone, Debug, PartialEq)]
pub struct DsspRow {
    /// Accessible surface in Å², by DSSP's radii and points.
    pub accessibility: f32,
    /// The two strongest bonds from its N-H: the other row, and the energy in kcal/mol.
    pub acceptors: [Option<(u32, f32)>; 2],
    /// The two strongest bonds to its O.
    pub donors: [Option<(u32, f32)>; 2],
    /// The rows that it has bridges to.
    pub partners: [Option<u32>; 2],
    /// Labels of the ladders of these bridges, A, B, .. AA; lower-case if strands are parallel. Empty if there is none.
    pub ladders: [String; 2],
    /// The label of its sheet; empty if it is in none.
    pub sheet: String,
}

/// The rows of a structure, computed once.
struct Assigned(Vec<Option<DsspRow>>);

/// What DSSP assigns to each row; `None` where N, CA, C or O is missing, and for nucleotides. It is computed once for a structure.
///
/// Residues are those with rows and atoms those that the structure has, one location each, where [`Dssp::of_bytes`](super::Dssp::of_bytes)
/// has every location of the first model. Ladders and sheets are labelled in the order of author chain ids.
///
/// ```
/// use prism_engine::dssp::of_rows;
/// use prism_read::{ReadOptions, read_path};
///
/// let crambin = read_path("../tests/data/1crn.pdb", "1crn", &ReadOptions::default())?.structure;
/// let second = of_rows(&crambin)[1].as_ref().unwrap();
/// assert_eq!((second.partners[0], second.ladders[0].as_str(), second.sheet.as_str()), (Some(33), "A", "A"));
/// # Ok::<(), prism_read::ReadError>(())
/// ```
#[must_use]
pub fn of_rows(structure: &StructureInput) -> &[Option<DsspRow>] {
    &structure.derived.get_or_init(|| Assigned(assigned(structure))).0
}

/// Hydrogen bonds of backbones: the row of N-H, the row of O, and the energy.
pub(crate) fn bonds_of_rows(structure: &StructureInput) -> impl Iterator<Item = (u32, u32, f32)> {
    let bonds = |row: &DsspRow| row.acceptors.into_iter().flatten().filter(|(_, energy)| *energy < WEAKEST);
    each(structure).flat_map(move |(donor, row)| bonds(row).map(move |(acceptor, energy)| (donor, acceptor, energy)))
}

/// Bridges: both rows, the lower one first, and the label of the ladder.
pub(crate) fn bridges_of_rows(structure: &StructureInput) -> impl Iterator<Item = (u32, u32, &str)> {
    (0..structure.n_rows() as u32).flat_map(|row| bridges_from(structure, row)).filter(|(own, other, _)| own < other)
}

/// The bridges of a row, as [`bridges_of_rows`] has them, with both partners.
pub(crate) fn bridges_from(structure: &StructureInput, own: u32) -> impl Iterator<Item = (u32, u32, &str)> {
    of_rows(structure)[own as usize].iter().flat_map(move |row| {
        let bridges = row.partners.iter().zip(&row.ladders);
        bridges.filter_map(move |(other, ladder)| Some((own, (*other)?, ladder.as_str())))
    })
}

fn each(structure: &StructureInput) -> impl Iterator<Item = (u32, &DsspRow)> {
    (0..).zip(of_rows(structure)).filter_map(|(index, row)| Some((index, row.as_ref()?)))
}

fn assigned(structure: &StructureInput) -> Vec<Option<DsspRow>> {
    let complete = (0..structure.n_rows()).filter_map(|row| Some((row, polymer(structure, row)?)));
    let (rows, polymers): (Vec<usize>, Vec<PolymerResidue>) = complete.unzip();
    let mut all = vec![None; structure.n_rows()];
    if rows.is_empty() {
        return all;
    }
    let mut statistics = Statistics::default();
    let mut residues = residue::numbered(&polymers, &mut statistics);
    hydrogen_bonds::assign(&mut residues, &polymers);
    ladders::assign(&mut residues, &structure.chains, &mut statistics);
    let areas = surface::accessibilities(&polymers);
    for ((row, residue), area) in rows.iter().zip(&residues).zip(areas) {
        // Without side chains, a chain has less surface than the file's molecule.
        let area = if structure.is_in_trace(*row) { f32::NAN } else { area };
        all[*row] = Some(described(residue, area, &rows));
    }
    all
}

fn described(residue: &Residue, accessibility: f32, rows: &[usize]) -> DsspRow {
    let bond = |bond: HydrogenBond| (rows[bond.residue] as u32, bond.energy as f32);
    let ladder = |bridge: Option<Bridge>| match bridge {
        None => String::new(),
        Some(Bridge { ladder, is_parallel: true, .. }) => id(ladder as usize).to_ascii_lowercase(),
        Some(Bridge { ladder, .. }) => id(ladder as usize),
    };
    DsspRow {
        accessibility,
        acceptors: residue.acceptors.map(|own| own.map(bond)),
        donors: residue.donors.map(|own| own.map(bond)),
        partners: residue.bridges.map(|own| own.map(|bridge| rows[bridge.residue] as u32)),
        ladders: residue.bridges.map(ladder),
        sheet: residue.sheet.checked_sub(1).map_or_else(String::new, |sheet| id(sheet as usize)),
    }
}

/// A row as a residue of a polymer, if it has N, CA, C and O.
pub(super) fn polymer(structure: &StructureInput, row: usize) -> Option<PolymerResidue> {
    let ends = structure.residue_atoms[row] as usize..structure.residue_atoms[row + 1] as usize;
    let roles = RoleAtoms::of_words(*structure.roles.get(row)?);
    let ca = structure.ca_indices[row];
    if ca == NO_CA || [roles.n, roles.c, roles.o].contains(&NO_ATOM) {
        return None;
    }
    let backbone =
        [roles.n.into(), ca as usize - ends.start, roles.c.into(), roles.o.into()].map(|own: usize| ends.start + own);
    let place = |atom: usize| {
        let own = structure.atoms[atom];
        // As single precision has the file's coordinates.
        [(own.x, 0), (own.y, 1), (own.z, 2)].map(|(along, axis)| (f64::from(along) + structure.center[axis]) as f32)
    };
    Some(PolymerResidue {
        asym: structure.chain_ids[row],
        seq: row as i32,
        name: structure.resname(row).to_owned(),
        backbone: backbone.map(place),
        others: ends.filter(|atom| !backbone.contains(atom)).map(place).collect(),
        ..PolymerResidue::default()
    })
}
