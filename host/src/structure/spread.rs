//! How atoms lie in space: not so dense, and not so far apart, that looking for neighbours takes time without a bound.
//!
//! Who is near is found by cells of some Å, each with the atoms in it, and no more than three cells an atom. So the time
//! follows the number of atoms where a cell has as many as matter has. It follows their square where all lie in one place, and
//! where some lie so far from the rest that few cells have to reach from one end to the other.

use thiserror::Error;

/// Why the neighbours of a structure's atoms cannot be found in a time that its size gives.
///
/// ```
/// use prism_host::structure::SpreadError;
/// use prism_host::read::{Problem, ReadOptions, read_bytes};
///
/// let ca = |i| format!("ATOM      1  CA  GLY A{i:4}       1.000   2.000   3.000  1.00 10.00           C\n");
/// let text: String = (0..3000).map(ca).collect();
/// let error = read_bytes(text.as_bytes(), "x", &ReadOptions::default()).unwrap_err();
/// assert!(matches!(error.problem, Problem::Spread(SpreadError::Dense { atoms: 3000, .. })));
/// ```
#[derive(Clone, Debug, Error, PartialEq)]
#[non_exhaustive]
pub enum SpreadError {
    /// Atoms that no matter holds.
    #[error(
        "the {atoms} atoms lie {times:.0} times as close together as in any protein: copies in one place, or coordinates in nm?"
    )]
    Dense {
        /// Number of atoms.
        atoms: usize,
        /// Atoms that an atom finds near it, over what it finds in a protein.
        times: f64,
    },
    /// Many atoms here, and some far away.
    #[error("of the {atoms} atoms some lie {extent:.0} Å from others; leave out what is far from the rest")]
    Sparse {
        /// Number of atoms.
        atoms: usize,
        /// How far apart they lie along an axis, at most, in Å.
        extent: f64,
    },
}

/// Edge of a cell in Å: as far as neighbours are counted.
const EDGE: f64 = 10.0;
/// Cells an atom, at most, in which neighbours are looked for.
const CELLS_PER_ATOM: f64 = 3.0;
/// Atoms in such a cell of a protein, about.
const USUAL: f64 = 50.0;
/// Pairs of atoms in one cell that any structure may have: those of 1,400 atoms in one place, a second's work.
const PAIRS: f64 = 2e6;
/// And for each atom: eight times what a protein has.
const PAIRS_PER_ATOM: f64 = 8.0 * USUAL;
/// Pairs that are looked at for being near, where cells have to be large: some seconds' work.
const LOOKED_AT: f64 = 4e9;

/// Whether atoms in a box lie so that their neighbours can be found.
pub(crate) fn check(
    atoms: impl ExactSizeIterator<Item = [f64; 3]> + Clone,
    low: [f64; 3],
    high: [f64; 3],
) -> Result<(), SpreadError> {
    let n = atoms.len();
    if (n as f64) * (n as f64) <= PAIRS {
        return Ok(());
    }
    let extents = [0, 1, 2].map(|axis| high[axis] - low[axis]);
    let cells = |edge: f64| extents.map(|extent| (extent / edge).floor() + 1.0);
    let few = |edge: f64| cells(edge).iter().product::<f64>() <= CELLS_PER_ATOM * n as f64;
    let is_compact = few(EDGE);
    let pairs = if is_compact {
        pairs_in_grid(atoms.clone(), low, EDGE, cells(EDGE))
    } else {
        pairs_anywhere(atoms.clone(), low)
    };
    if pairs > PAIRS + PAIRS_PER_ATOM * n as f64 {
        return Err(SpreadError::Dense { atoms: n, times: pairs / n as f64 / USUAL });
    }
    if is_compact {
        return Ok(());
    }
    let mut edge = EDGE;
    while !few(edge) {
        edge *= 1.25;
    }
    if pairs_in_grid(atoms, low, edge, cells(edge)) > LOOKED_AT + PAIRS_PER_ATOM * n as f64 {
        let extent = extents.into_iter().fold(0.0, f64::max);
        return Err(SpreadError::Sparse { atoms: n, extent });
    }
    Ok(())
}

/// The sum of the squares of the numbers of atoms in cells.
fn pairs_in_grid(atoms: impl Iterator<Item = [f64; 3]>, low: [f64; 3], edge: f64, cells: [f64; 3]) -> f64 {
    let size = cells.map(|cells| cells as usize);
    let mut counts = vec![0_u32; size.iter().product()];
    let per_edge = 1.0 / edge;
    for atom in atoms {
        let cell = |axis: usize| (((atom[axis] - low[axis]) * per_edge) as usize).min(size[axis] - 1);
        counts[(cell(2) * size[1] + cell(1)) * size[0] + cell(0)] += 1;
    }
    counts.iter().map(|&count| f64::from(count) * f64::from(count)).sum()
}

/// The same for cells of [`EDGE`], however many there would be.
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

    /// Atoms at the corners of cubes.
    fn lattice(side: usize, spacing: f64) -> Vec<[f64; 3]> {
        let at = |k: usize| k as f64 * spacing;
        (0..side.pow(3)).map(|i| [at(i % side), at(i / side % side), at(i / side / side)]).collect()
    }

    #[test]
    fn what_is_as_dense_as_matter_passes_at_any_size() {
        // A heavy atom has 20 Å^3 in a protein; sparse, long and flat ones are no different.
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
