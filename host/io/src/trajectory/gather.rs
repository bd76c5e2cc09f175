//! The atoms of a frame, in a structure's order.
//!
//! Frames are decoded in little more time than copying takes, so each pass over their atoms counts. Decoding puts them in their places. One
//! pass then finds what decides about all that follows: their bounding box, and how wide residues are.

use prism_read::structure::{SpreadError, WIDEST_GROUP, check_spread, is_spread_usual, move_to};
use shared_types::Atom;

/// Where a structure has the atoms of a frame.
#[derive(Clone, Debug)]
pub(super) struct Places {
    /// For each of a frame's first atoms, its index in the structure and its radius. The index is [`NOWHERE`] if it is no part of it.
    of_frame: Vec<(u32, f32)>,
    /// The index in a frame of each of the structure's atoms.
    of_structure: Vec<u32>,
}

/// The index of what is no part of a structure.
const NOWHERE: u32 = u32::MAX;

impl Places {
    /// Of a structure's atoms, by the index of each in a frame, which no two have in common, and by its radius.
    pub(super) fn new(of_structure: Vec<u32>, radii: &[f32]) -> Self {
        let frame = of_structure.iter().max().map_or(0, |last| *last as usize + 1);
        let mut of_frame = vec![(NOWHERE, 0.0); frame];
        for (index, (&place, &radius)) in of_structure.iter().zip(radii).enumerate() {
            of_frame[place as usize] = (index as u32, radius);
        }
        Self { of_frame, of_structure }
    }

    /// Number of the structure's atoms.
    pub(super) fn n_atoms(&self) -> usize {
        self.of_structure.len()
    }

    /// How many of a frame's first atoms these are among.
    pub(super) fn frame(&self) -> usize {
        self.of_frame.len()
    }

    /// The index in a frame of each of the structure's atoms.
    pub(super) fn indices(&self) -> &[u32] {
        &self.of_structure
    }

    /// Puts an atom of a frame where the structure has it.
    #[inline]
    pub(super) fn put(&self, atoms: &mut [Atom], at: usize, [x, y, z]: [f32; 3]) {
        if let Some(&(index, radius)) = self.of_frame.get(at)
            && let Some(atom) = atoms.get_mut(index as usize)
        {
            *atom = Atom { x, y, z, radius };
        }
    }
}

/// Atoms as a frame has them, in a structure's order.
pub(super) struct Gathered<'a> {
    pub(super) atoms: &'a mut [Atom],
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

impl<'a> Gathered<'a> {
    /// Atoms of residues: `residue_atoms` has the first atom of each and the number of atoms.
    pub(super) fn new(atoms: &'a mut [Atom], residue_atoms: &[u32]) -> Self {
        let (mut whole, mut widest) = (Extent::EMPTY, [0.0_f32; 4]);
        for residue in residue_atoms.windows(2) {
            let own = Extent::of(&atoms[residue[0] as usize..residue[1] as usize]);
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

    /// Moves the atoms so that the midpoint of their bounding box is the origin, as [`centred`](prism_read::centred) does. Returns
    /// whether all are finite, and that midpoint.
    ///
    /// # Errors
    /// As there.
    pub(super) fn centred(self, residue_atoms: &[u32]) -> Result<(bool, [f64; 3]), SpreadError> {
        let corner = |[x, y, z, _]: [f32; 4]| [x, y, z].map(f64::from);
        let (low, high) = (corner(self.whole.low), corner(self.whole.high));
        let filled = residue_atoms.windows(2).filter(|residue| residue[0] < residue[1]);
        let residues = filled.map(|residue| (self.position(residue[0]), residue[1] - residue[0]));
        let stand_for_atoms = self.widest.iter().all(|extent| *extent <= WIDEST_GROUP);
        if !(stand_for_atoms && is_spread_usual(residues, low, high, self.atoms.len())) {
            check_spread(self.atoms.iter().map(|atom| [atom.x, atom.y, atom.z].map(f64::from)), low, high)?;
        }
        let center = [0, 1, 2].map(|axis| 0.5 * (low[axis] + high[axis]));
        Ok((move_to(center, self.atoms), center))
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

    /// The atoms of a frame, which is put into memory with other contents.
    fn put(positions: &[[f32; 3]], places: &[u32], radii: &[f32]) -> Vec<Atom> {
        let places = Places::new(places.to_vec(), radii);
        let mut atoms = vec![Atom { x: f32::NAN, ..Atom::default() }; places.n_atoms()];
        // Further atoms of the frame belong to nothing.
        for (at, &position) in positions.iter().chain([&[1e7; 3]; 2]).enumerate() {
            places.put(&mut atoms, at, position);
        }
        atoms
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
            let mut atoms = put(positions, &places, &radii);
            let found = Gathered::new(&mut atoms, &residue_atoms).centred(&residue_atoms);
            let found = found.map_err(|error| error.to_string()).map(|(are_finite, center)| {
                assert!(are_finite);
                (bits(&atoms), center)
            });
            refused += usize::from(found.is_err());
            assert_eq!(found, as_in_a_file(positions, &places, &radii));
        }
        assert_eq!(refused, 2);
    }

    #[test]
    fn what_is_far_away_or_nowhere_is_found() {
        let (whole, places, radii, residue_atoms) = frame();
        let put = |positions: &[[f32; 3]]| put(positions, &places, &radii);
        let farthest = |positions: &[[f32; 3]]| Gathered::new(&mut put(positions), &residue_atoms).farthest();
        assert!(farthest(&whole) < 200.0);
        let mut one = whole.clone();
        one[7][1] = -2e6;
        assert_eq!(farthest(&one), 2e6);
        one[7][1] = f32::NEG_INFINITY;
        assert_eq!(farthest(&one), f32::INFINITY);
        assert_eq!(farthest(&vec![[0.0, f32::NAN, 0.0]; whole.len()]), f32::INFINITY);
        one[7][1] = f32::NAN;
        assert!(!Gathered::new(&mut put(&one), &residue_atoms).centred(&residue_atoms).unwrap().0);
    }
}
