//! The space that some residues line: the volume of a pocket whose residues are known, also where it has no site.
//!
//! What is enclosed is decided nearly as for the pocket around a site (`cavity`). A free cell belongs to the residue of the nearest atom, so the
//! space moves with its residues, and frames of a trajectory need not be superposed.

use super::cavity::{CELL, Map, within_probe};
use prism_read::structure::StructureInput;

/// Cells that are farther from every atom's surface, in Å, are lined by none.
const FARTHEST: f32 = 4.0;
/// At least so many of seven lines meet protein on both sides of an enclosed cell: one more than around a site, as what residues line may be
/// open to the outside, and no centre says where it ends.
const ENCLOSED: usize = 4;

/// The volume in Å³ that some residues line: the free cells of 1 Å whose nearest atom is one of theirs, within 4 Å of its surface, and that are
/// within 1.4 Å of cells that a probe of 1.4 Å fits into and that protein encloses along at least 4 of 7 lines.
///
/// ```
/// use prism_engine::sites::lined_volume;
/// use prism_read::{ReadOptions, read_path};
///
/// let rbd = read_path("../../data/6m0j_rbd.pdb", "rbd", &ReadOptions::default())?.structure;
/// let all: Vec<usize> = (0..rbd.n_rows()).collect();
/// let halves = all.split_at(97);
/// let sum = lined_volume(&rbd, halves.0) + lined_volume(&rbd, halves.1);
/// // Space belongs to one half or the other, but for the cells, which lie about the middle of the rows' atoms.
/// let whole = lined_volume(&rbd, &all);
/// assert!(whole > 100.0 && (whole - sum).abs() < 0.2 * whole);
/// assert_eq!(lined_volume(&rbd, &[]), 0.0);
/// # Ok::<(), prism_read::ReadError>(())
/// ```
///
/// # Panics
/// If there is no such row.
#[must_use]
pub fn lined_volume(structure: &StructureInput, rows: &[usize]) -> f32 {
    let atoms_of = |row: &usize| structure.residue_atoms[*row]..structure.residue_atoms[*row + 1];
    let (mut low, mut high) = ([f32::INFINITY; 3], [f32::NEG_INFINITY; 3]);
    let mut own = vec![false; structure.atoms.len()];
    for atom in rows.iter().flat_map(atoms_of) {
        let at = &structure.atoms[atom as usize];
        for (axis, along) in [at.x, at.y, at.z].into_iter().enumerate() {
            low[axis] = low[axis].min(along - at.radius - FARTHEST);
            high[axis] = high[axis].max(along + at.radius + FARTHEST);
        }
        own[atom as usize] = true;
    }
    if !own.contains(&true) {
        return 0.0;
    }
    let center = [0, 1, 2].map(|axis| 0.5 * (low[axis] + high[axis]));
    let widest = (0..3).map(|axis| high[axis] - low[axis]).fold(0.0, f32::max);
    let within = (0.5 * widest / CELL).ceil() as i32;
    let map = Map::new(structure, center, within + 1, FARTHEST);
    // Neighbours ask for the same cells.
    let mut known = vec![None; map.cells()];
    let mut is_pocket = |place| *known[map.index_of(place)].get_or_insert_with(|| map.is_pocket(place, ENCLOSED));
    let is_own = |place| map.lining_atom(place).is_some_and(|atom| own[atom as usize]);
    let cells = map
        .places(within)
        .filter(|place| is_own(*place) && within_probe(*place).into_iter().any(&mut is_pocket))
        .count();
    cells as f32 * CELL.powi(3)
}

#[cfg(test)]
mod tests {
    use super::super::cavity::{cavity, tests::block};
    use super::*;

    #[test]
    fn a_hole_is_lined_by_what_is_around_it() {
        // A cavity is the same around a point in it, and between the residues around it.
        let ball = block(|x, y, z| x * x + y * y + z * z < 36.0);
        let (lined, around) = (lined_volume(&ball, &[0]), cavity(&ball, [0.0; 3]).volume);
        assert!((lined - around).abs() < 0.05 * around, "{lined} {around}");
        // A well counts as deep as it is enclosed, and a shallow one does not.
        let well = |depth: f32| lined_volume(&block(move |x, y, z| x * x + y * y < 25.0 && z > 18.0 - depth), &[0]);
        let [deep, half, shallow] = [18.0, 12.0, 3.0].map(well);
        assert!(deep > 300.0 && deep > 1.5 * half && shallow == 0.0, "{deep} {half} {shallow}");
        assert_eq!(lined_volume(&ball, &[]), 0.0);
    }

    #[test]
    fn space_belongs_to_the_nearest_residue() {
        let mut ball = block(|x, y, z| x * x + y * y + z * z < 36.0);
        // Atoms come by rising x.
        let left = ball.atoms.iter().filter(|atom| atom.x < 0.0).count() as u32;
        let end = ball.residue_atoms[1];
        ball.residue_atoms = vec![0, left, end];
        let [left, right, both] = [&[0][..], &[1], &[0, 1]].map(|rows| lined_volume(&ball, rows));
        assert!(left > 0.3 * both && right > 0.3 * both, "{left} {right}");
        assert!((left + right - both).abs() < 0.1 * both, "{left} {right} {both}");
    }
}
