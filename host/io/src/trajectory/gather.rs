//! The atoms of a frame, in a structure's order.
//!
//! Frames are decoded in little more time than copying takes, so each pass over their atoms counts. One gathers them and finds what decides
//! about all that follows: their bounding box, and how wide residues are.

use prism_read::structure::{Atoms, SpreadError, WIDEST_GROUP, check_spread, is_spread_usual};
use shared_types::Atom;

/// Atoms as a frame has them.
pub(super) struct Gathered {
    pub(super) atoms: Vec<Atom>,
    whole: Extent,
    /// Along each axis, the largest extent of a residue in Å.
    widest: [f64; 3],
}

/// The corners of a box in Å. The fourth number is of no use, but lets vectors be whole.
#[derive(Clone, Copy)]
struct Extent {
    low: [f32; 4],
    high: [f32; 4],
}

impl Extent {
    const EMPTY: Self = Self { low: [f32::INFINITY; 4], high: [f32::NEG_INFINITY; 4] };

    #[inline]
    fn of(atoms: &[Atom]) -> Self {
        let corner = |atom: &Atom| [atom.x, atom.y, atom.z, atom.radius];
        atoms.iter().fold(Self::EMPTY, |all, atom| all.with(Self { low: corner(atom), high: corner(atom) }))
    }

    #[inline]
    fn with(self, other: Self) -> Self {
        // Not by `min` and `max`, which take several instructions because they look for NaN.
        let lower = |axis: usize| if other.low[axis] < self.low[axis] { other.low[axis] } else { self.low[axis] };
        let higher = |axis: usize| if other.high[axis] > self.high[axis] { other.high[axis] } else { self.high[axis] };
        Self { low: std::array::from_fn(lower), high: std::array::from_fn(higher) }
    }
}

impl Gathered {
    /// Atoms of residues: `residue_atoms` has the first atom of each and the number of atoms, `places` the index of each atom among
    /// `positions`, all of which must be there.
    pub(super) fn new(positions: &[[f32; 3]], places: &[u32], radii: &[f32], residue_atoms: &[u32]) -> Self {
        let mut atoms = Vec::with_capacity(places.len());
        let (mut whole, mut widest) = (Extent::EMPTY, [0.0_f32; 4]);
        for residue in residue_atoms.windows(2) {
            let range = residue[0] as usize..residue[1] as usize;
            atoms.extend(places[range.clone()].iter().zip(&radii[range.clone()]).map(|(&place, &radius)| {
                let [x, y, z] = positions[place as usize];
                Atom { x, y, z, radius }
            }));
            // In a loop of its own, which is done by vectors.
            let own = Extent::of(&atoms[range]);
            whole = whole.with(own);
            widest = std::array::from_fn(|axis| {
                let extent = own.high[axis] - own.low[axis];
                if extent > widest[axis] { extent } else { widest[axis] }
            });
        }
        let [x, y, z, _] = widest.map(f64::from);
        Self { atoms, whole, widest: [x, y, z] }
    }

    /// The largest magnitude of a coordinate in Å, NaN aside; infinite if an axis has nothing else.
    pub(super) fn farthest(&self) -> f32 {
        let Extent { low, high } = self.whole;
        let along = |axis: usize| if low[axis] <= high[axis] { high[axis].max(-low[axis]) } else { f32::INFINITY };
        (0..3).map(along).fold(0.0, f32::max)
    }

    /// At least the square of the distance of any two atoms of a residue.
    pub(super) fn widest2(&self) -> f64 {
        // Extents were rounded.
        1.000_001 * self.widest.iter().map(|extent| extent * extent).sum::<f64>()
    }

    pub(super) fn position(&self, atom: u32) -> [f64; 3] {
        let Atom { x, y, z, .. } = self.atoms[atom as usize];
        [x, y, z].map(f64::from)
    }

    /// The atoms relative to the midpoint of their bounding box, and that midpoint, as [`centred`](prism_read::centred) computes them.
    ///
    /// # Errors
    /// As there.
    pub(super) fn centred(self, residue_atoms: &[u32]) -> Result<(Atoms, [f64; 3]), SpreadError> {
        let corner = |[x, y, z, _]: [f32; 4]| [x, y, z].map(f64::from);
        let (low, high) = (corner(self.whole.low), corner(self.whole.high));
        let filled = residue_atoms.windows(2).filter(|residue| residue[0] < residue[1]);
        let residues = filled.map(|residue| (self.position(residue[0]), residue[1] - residue[0]));
        let stand_for_atoms = self.widest.iter().all(|extent| *extent <= WIDEST_GROUP);
        if !(stand_for_atoms && is_spread_usual(residues, low, high, self.atoms.len())) {
            check_spread(self.atoms.iter().map(|atom| [atom.x, atom.y, atom.z].map(f64::from)), low, high)?;
        }
        let center = [0, 1, 2].map(|axis| 0.5 * (low[axis] + high[axis]));
        Ok((Atoms::relative_to(center, self.atoms), center))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use prism_read::{ReadOptions, centred, read_path};

    /// Positions of three copies of a structure, each atom behind one that is no part of it; and their places, radii, and the first atoms
    /// of residues.
    fn frame() -> (Vec<[f32; 3]>, Vec<u32>, Vec<f32>, Vec<u32>) {
        const COPIES: u32 = 3;
        let one = read_path("../../data/6m0j_rbd.pdb", "rbd", &ReadOptions::default()).unwrap().structure;
        let copy = |copy: u32| one.atoms.iter().map(move |atom| [atom.x + 60.0 * copy as f32, atom.y - 4.1, atom.z]);
        let positions = (0..COPIES).flat_map(copy).flat_map(|position| [[f32::NAN; 3], position]).collect();
        let n = one.n_atoms() as u32;
        let places = (0..COPIES * n).map(|atom| 2 * atom + 1).collect();
        let radii = (0..COPIES).flat_map(|_| one.atoms.iter().map(|atom| atom.radius)).collect();
        let begins = &one.residue_atoms[..one.n_residues()];
        let residue_atoms = (0..COPIES).flat_map(|copy| begins.iter().map(move |begin| begin + copy * n));
        (positions, places, radii, residue_atoms.chain([COPIES * n]).collect())
    }

    /// The same as readers of files do it.
    fn as_in_a_file(positions: &[[f32; 3]], places: &[u32], radii: &[f32]) -> Centred {
        let atom = |(&place, &radius): (&u32, &f32)| {
            let [x, y, z] = positions[place as usize].map(f64::from);
            [x, y, z, f64::from(radius)]
        };
        let atoms: Vec<_> = places.iter().zip(radii).map(atom).collect();
        centred(&atoms).map(|(atoms, center)| (bits(&atoms), center)).map_err(|error| error.to_string())
    }

    type Centred = Result<(Vec<[u32; 4]>, [f64; 3]), String>;

    fn bits(atoms: &[Atom]) -> Vec<[u32; 4]> {
        atoms.iter().map(|atom| [atom.x, atom.y, atom.z, atom.radius].map(f32::to_bits)).collect()
    }

    #[test]
    fn a_frame_has_the_bits_of_its_file() {
        let (whole, places, radii, residue_atoms) = frame();
        // As it is; smaller than any protein, larger, and with a residue that is wide, with which atoms themselves are looked at.
        let scaled = |by: f32| whole.iter().map(|position| position.map(|along| along * by)).collect::<Vec<_>>();
        let mut wide = whole.clone();
        wide[1][0] += 40.0;
        let mut refused = 0;
        for positions in [&whole, &scaled(0.1), &scaled(0.01), &scaled(3.0), &wide] {
            let gathered = Gathered::new(positions, &places, &radii, &residue_atoms);
            let found = gathered.centred(&residue_atoms);
            let found = found.map(|(atoms, center)| (bits(&atoms), center)).map_err(|error| error.to_string());
            refused += usize::from(found.is_err());
            assert_eq!(found, as_in_a_file(positions, &places, &radii));
        }
        assert_eq!(refused, 2);
    }

    #[test]
    fn what_is_far_away_or_nowhere_is_found() {
        let (whole, places, radii, residue_atoms) = frame();
        let gathered = |positions: &[[f32; 3]]| Gathered::new(positions, &places, &radii, &residue_atoms);
        assert!(gathered(&whole).farthest() < 200.0);
        let mut one = whole.clone();
        one[7][1] = -2e6;
        assert_eq!(gathered(&one).farthest(), 2e6);
        one[7][1] = f32::NEG_INFINITY;
        assert_eq!(gathered(&one).farthest(), f32::INFINITY);
        assert_eq!(gathered(&vec![[0.0, f32::NAN, 0.0]; whole.len()]).farthest(), f32::INFINITY);
        one[7][1] = f32::NAN;
        let (atoms, _) = gathered(&one).centred(&residue_atoms).unwrap();
        assert!(!atoms.are_finite());
    }
}
