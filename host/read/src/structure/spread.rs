//! Checks that atoms are neither so dense nor so far apart that a search for neighbours takes unbounded time.
//!
//! The search sorts atoms into cells of some Å, at most three cells per atom. If no cell is denser than matter, its time is
//! proportional to the number of atoms. It becomes quadratic if all atoms lie in one place, or if a few lie so far from the
//! rest that few cells must span the whole extent.

use thiserror::Error;

/// Why a search for neighbours of a structure's atoms would take too long for its size.
///
/// ```
/// use prism_read::structure::SpreadError;
/// use prism_read::{Problem, ReadOptions, read_bytes};
///
/// let ca = |i| format!("ATOM      1  CA  GLY A{i:4}       1.000   2.000   3.000  1.00 10.00           C\n");
/// let text: String = (0..3000).map(ca).collect();
/// let error = read_bytes(text.as_bytes(), "x", &ReadOptions::default()).unwrap_err();
/// assert!(matches!(error.problem, Problem::Spread(SpreadError::Dense { atoms: 3000, .. })));
/// ```
#[derive(Clone, Debug, Error, PartialEq)]
#[non_exhaustive]
pub enum SpreadError {
    /// The atoms are denser than matter.
    #[error(
        "the {atoms} atoms lie {times:.0} times as close together as in any protein: copies in one place, or coordinates in nm?"
    )]
    Dense {
        /// Number of atoms.
        atoms: usize,
        /// Neighbours per atom, relative to a protein.
        times: f64,
    },
    /// Many atoms lie close together and some far away.
    #[error("some of the {atoms} atoms lie {extent:.0} Å from others; leave out atoms that are far from the rest")]
    Sparse {
        /// Number of atoms.
        atoms: usize,
        /// Largest extent along an axis in Å.
        extent: f64,
    },
}

/// Edge of a cell in Å: the distance up to which neighbours are counted.
const EDGE: f64 = 10.0;
/// Most cells per atom in the search.
const CELLS_PER_ATOM: f64 = 3.0;
/// Typical number of atoms in such a cell of a protein.
const USUAL: f64 = 50.0;
/// Pairs within cells that any structure may have: those of 1,400 atoms in one place, which take a second.
const PAIRS: f64 = 2e6;
/// Further pairs per atom: eight times the number in a protein.
const PAIRS_PER_ATOM: f64 = 8.0 * USUAL;
/// Most pairs that may be tested if cells have to be large: some seconds of work.
const LOOKED_AT: f64 = 4e9;

/// Groups that are wider than this, in Å along an axis, do not stand for their atoms.
pub const WIDEST_GROUP: f64 = EDGE;
/// Which part of the limit groups must keep to, instead of their atoms.
const PART_FOR_GROUPS: f64 = 0.25;

/// Whether atoms surely pass the check, judged by groups of them, such as residues: a point of each and its number of atoms. It takes a
/// fraction of the time. The answer is no if their atoms must be looked at.
///
/// Groups are at most [`WIDEST_GROUP`] wide, so an atom is in the cell of its group's point or in one beside it. A cell has then at most
/// the atoms of 27 cells of points, and the sum of squares is at most 27² times that of points. So this accepts no quadratic time either.
pub fn is_usual(groups: impl Iterator<Item = ([f64; 3], u32)>, low: [f64; 3], high: [f64; 3], atoms: usize) -> bool {
    let most = PAIRS + PAIRS_PER_ATOM * atoms as f64;
    let cells = cells(low, high, EDGE);
    cells.iter().product::<f64>() <= CELLS_PER_ATOM * atoms as f64
        && pairs_in_grid(groups, low, EDGE, cells) <= PART_FOR_GROUPS * most
}

fn cells(low: [f64; 3], high: [f64; 3], edge: f64) -> [f64; 3] {
    [0, 1, 2].map(|axis| ((high[axis] - low[axis]) / edge).floor() + 1.0)
}

/// Checks that atoms in a box allow a search for neighbours.
pub fn check(
    atoms: impl ExactSizeIterator<Item = [f64; 3]> + Clone,
    low: [f64; 3],
    high: [f64; 3],
) -> Result<(), SpreadError> {
    let n = atoms.len();
    // Even if all atoms lie in one cell.
    let most = PAIRS + PAIRS_PER_ATOM * n as f64;
    if (n as f64) * (n as f64) <= most {
        return Ok(());
    }
    let few = |edge: f64| cells(low, high, edge).iter().product::<f64>() <= CELLS_PER_ATOM * n as f64;
    let is_compact = few(EDGE);
    let pairs = if is_compact {
        pairs_in_grid(atoms.clone().map(|atom| (atom, 1)), low, EDGE, cells(low, high, EDGE))
    } else {
        pairs_anywhere(atoms.clone(), low)
    };
    if pairs > most {
        return Err(SpreadError::Dense { atoms: n, times: pairs / n as f64 / USUAL });
    }
    if is_compact {
        return Ok(());
    }
    let mut edge = EDGE;
    while !few(edge) {
        edge *= 1.25;
    }
    if pairs_in_grid(atoms.clone().map(|atom| (atom, 1)), low, edge, cells(low, high, edge))
        > LOOKED_AT + PAIRS_PER_ATOM * n as f64
    {
        let extent = [0, 1, 2].map(|axis| high[axis] - low[axis]).into_iter().fold(0.0, f64::max);
        return Err(SpreadError::Sparse { atoms: n, extent });
    }
    Ok(())
}

/// The sum over cells of the squared number of atoms. Each point has a number of them.
fn pairs_in_grid(points: impl Iterator<Item = ([f64; 3], u32)>, low: [f64; 3], edge: f64, cells: [f64; 3]) -> f64 {
    let size = cells.map(|cells| cells as usize);
    let last = cells.map(|cells| cells - 1.0);
    let mut counts = vec![0_u32; size.iter().product()];
    let per_edge = 1.0 / edge;
    for (point, atoms) in points {
        let cell = |axis: usize| {
            let at = (point[axis] - low[axis]) * per_edge;
            // To 32 bits, as this takes fewer instructions. More cells in a row would need more than a billion atoms.
            (if at < last[axis] { at } else { last[axis] }) as u32 as usize
        };
        counts[(cell(2) * size[1] + cell(1)) * size[0] + cell(0)] += atoms;
    }
    counts.iter().map(|&count| f64::from(count) * f64::from(count)).sum()
}

/// The same for cells of [`EDGE`], whatever their number.
fn pairs_anywhere(atoms: impl Iterator<Item = [f64; 3]>, low: [f64; 3]) -> f64 {
    let cell = |atom: [f64; 3]| [0, 1, 2].map(|axis| ((atom[axis] - low[axis]) / EDGE) as u64);
    let mut cells: Vec<_> = atoms.map(cell).collect();
    cells.sort_unstable();
    cells.chunk_by(|a, b| a == b).map(|cell| cell.len() as f64 * cell.len() as f64).sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(atoms: &[[f64; 3]]) -> Result<(), SpreadError> {
        let bound = |of: fn(f64, f64) -> f64| {
            [0, 1, 2].map(|axis| atoms.iter().map(|atom| atom[axis]).reduce(of).unwrap_or_default())
        };
        super::check(atoms.iter().copied(), bound(f64::min), bound(f64::max))
    }

    /// Atoms on a cubic lattice.
    fn lattice(side: usize, spacing: f64) -> Vec<[f64; 3]> {
        let at = |k: usize| k as f64 * spacing;
        (0..side.pow(3)).map(|i| [at(i % side), at(i / side % side), at(i / side / side)]).collect()
    }

    #[test]
    fn what_is_as_dense_as_matter_passes_at_any_size() {
        // A heavy atom takes 20 Å^3 in a protein. Sparse, long and flat lattices pass, too.
        for (side, spacing) in [(5, 2.7), (40, 2.7), (60, 2.0), (30, 9.0), (30, 400.0)] {
            assert_eq!(check(&lattice(side, spacing)), Ok(()), "{side} {spacing}");
        }
        let line: Vec<_> = (0..200_000).map(|i| [f64::from(i) * 0.3, 0.0, 0.0]).collect();
        assert_eq!(check(&line), Ok(()));
        assert_eq!(check(&[]), Ok(()));
    }

    #[test]
    fn crowds_are_refused_unless_they_are_small() {
        assert_eq!(check(&vec![[1.0, 2.0, 3.0]; 1_400]), Ok(()));
        assert!(
            matches!(check(&vec![[1.0, 2.0, 3.0]; 5_000]), Err(SpreadError::Dense { atoms: 5_000, times }) if times > 90.0)
        );
        // In nm; in two places far from each other; on a line.
        assert!(matches!(check(&lattice(30, 0.27)), Err(SpreadError::Dense { .. })));
        let two: Vec<_> = (0..20_000).map(|i| [f64::from(i % 2) * 1e8; 3]).collect();
        assert!(matches!(check(&two), Err(SpreadError::Dense { .. })));
        let line: Vec<_> = (0..1_000_000).map(|i| [f64::from(i) * 0.01, 0.0, 0.0]).collect();
        assert!(matches!(check(&line), Err(SpreadError::Dense { .. })));
        let error = check(&lattice(30, 0.27)).unwrap_err().to_string();
        assert!(error.contains("27000 atoms lie") && error.ends_with("or coordinates in nm?"), "{error}");
    }

    #[test]
    fn groups_stand_for_atoms_that_are_far_from_the_limit() {
        // In rows of four: as dense as a protein, five times as dense, nanometres, and one group far from the others.
        let is_usual = |atoms: &[[f64; 3]]| {
            let bound = |of: fn(f64, f64) -> f64| {
                [0, 1, 2].map(|axis| atoms.iter().map(|atom| atom[axis]).reduce(of).unwrap_or_default())
            };
            let groups = atoms.chunks(4).map(|group| (group[0], group.len() as u32));
            super::is_usual(groups, bound(f64::min), bound(f64::max), atoms.len())
        };
        for (side, spacing, expected) in [(40, 2.7, true), (40, 1.2, false), (40, 0.27, false), (30, 9.0, true)] {
            assert_eq!(is_usual(&lattice(side, spacing)), expected, "{spacing}");
        }
        let mut far = lattice(40, 2.7);
        far.push([1e5; 3]);
        assert!(!is_usual(&far));
    }

    #[test]
    fn many_atoms_with_one_far_away_are_refused() {
        let with_one_far = |side| {
            let mut atoms = lattice(side, 2.7);
            atoms.push([1e8, -1e8, 1e8]);
            check(&atoms)
        };
        assert_eq!(with_one_far(30), Ok(()));
        assert!(matches!(with_one_far(42), Err(SpreadError::Sparse { atoms: 74_089, extent }) if extent > 9e7));
    }
}
