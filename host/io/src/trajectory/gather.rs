//! The atoms of a frame, in a structure's order.
//!
//! Frames are decoded in little more time than copying takes, so each pass over their atoms counts. Decoding puts them in their places.
//! What decides about all that follows is found meanwhile, while they are in the nearest cache: their bounding box, and how wide residues
//! are. The last pass moves them, and writes them past the caches if a device takes them.

use prism_read::is_without_place;
use prism_read::structure::{SpreadError, WIDEST_GROUP, check_spread, is_spread_usual, move_past_caches, move_to};
use shared_types::Atom;

/// Where a structure has the atoms of a frame.
#[derive(Clone, Debug)]
pub(super) struct Places {
    /// For each of a frame's first atoms, its index in the structure and its radius. The index is [`NOWHERE`] if it is no part of it.
    of_frame: Vec<(u32, f32)>,
    /// The index in a frame of each of the structure's atoms.
    of_structure: Vec<u32>,
    /// Whether the structure has them in the order of frames.
    are_in_order: bool,
}

/// The index of what is no part of a structure.
const NOWHERE: u32 = u32::MAX;
/// Atoms that are measured together, which fit into a core's nearest cache.
const MEASURED: usize = 512;

impl Places {
    /// Of a structure's atoms, by the index of each in a frame, which no two have in common, and by its radius.
    pub(super) fn new(of_structure: Vec<u32>, radii: &[f32]) -> Self {
        let frame = of_structure.iter().max().map_or(0, |last| *last as usize + 1);
        let mut of_frame = vec![(NOWHERE, 0.0); frame];
        for (index, (&place, &radius)) in of_structure.iter().zip(radii).enumerate() {
            of_frame[place as usize] = (index as u32, radius);
        }
        let are_in_order = of_structure.is_sorted();
        Self { of_frame, of_structure, are_in_order }
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

    /// The number of the structure's atoms that are measured next, if so many were, and the index in a frame of the last one of these.
    fn next_measured(&self, measured: usize) -> (usize, usize) {
        let count = measured + MEASURED;
        match self.of_structure.get(count - 1).filter(|_| self.are_in_order) {
            Some(&last) => (count, last as usize),
            None => (self.n_atoms(), usize::MAX),
        }
    }
}

/// Puts the atoms of a frame in their places, and measures them.
pub(super) struct Gathering<'a> {
    places: &'a Places,
    residue_atoms: &'a [u32],
    atoms: &'a mut [Atom],
    measures: Measures,
    /// The atoms that are measured next, and the index in a frame of the last one of these.
    next: (usize, usize),
}

impl<'a> Gathering<'a> {
    /// Into memory for the atoms of residues: `residue_atoms` has the first atom of each and the number of atoms.
    pub(super) fn new(places: &'a Places, residue_atoms: &'a [u32], atoms: &'a mut [Atom]) -> Self {
        Self { places, residue_atoms, atoms, measures: Measures::NOTHING, next: places.next_measured(0) }
    }

    /// Puts the next atom of a frame where the structure has it.
    #[inline]
    pub(super) fn put(&mut self, at: usize, position: [f32; 3]) {
        self.places.put(self.atoms, at, position);
        if at == self.next.1 {
            self.measure();
        }
    }

    #[inline(never)]
    fn measure(&mut self) {
        let (end, _) = self.next;
        self.measures.add(self.atoms, self.residue_atoms, end);
        self.next = self.places.next_measured(end);
    }

    /// All of them, when the frame was read.
    pub(super) fn gathered(mut self) -> Gathered<'a> {
        self.measures.add(self.atoms, self.residue_atoms, self.atoms.len());
        let Measures { whole, widest: [x, y, z, _], lack_places, .. } = self.measures;
        Gathered { atoms: self.atoms, whole, widest: [x, y, z].map(f64::from), lack_places }
    }
}

/// What is known of the first residues.
struct Measures {
    residues: usize,
    whole: Extent,
    /// The largest extent of a residue along each axis.
    widest: [f32; 4],
    /// Whether a residue's middle or last atom lies where atoms without a place are written.
    lack_places: bool,
}

impl Measures {
    const NOTHING: Self = Self { residues: 0, whole: Extent::EMPTY, widest: [0.0; 4], lack_places: false };

    /// Adds the next residues whose atoms are among the first `end`.
    fn add(&mut self, atoms: &[Atom], residue_atoms: &[u32], end: usize) {
        for residue in residue_atoms[self.residues..].windows(2) {
            if residue[1] as usize > end {
                break;
            }
            let own = &atoms[residue[0] as usize..residue[1] as usize];
            // As readers of files look for them: side chains come last or in the middle.
            let is_without = |atom: &Atom| is_without_place([atom.x, atom.y, atom.z].map(f64::from));
            self.lack_places |= own.last().is_some_and(is_without) || own.get(own.len() / 2).is_some_and(is_without);
            let own = Extent::of(own);
            self.whole = self.whole.with(own);
            self.widest = std::array::from_fn(|axis| {
                let extent = own.high[axis] - own.low[axis];
                if extent > self.widest[axis] { extent } else { self.widest[axis] }
            });
            self.residues += 1;
        }
    }
}

/// Atoms as a frame has them, in a structure's order.
pub(super) struct Gathered<'a> {
    pub(super) atoms: &'a mut [Atom],
    whole: Extent,
    /// Along each axis, the largest extent of a residue in Å.
    widest: [f64; 3],
    lack_places: bool,
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

impl Gathered<'_> {
    /// The largest magnitude of a coordinate in Å, NaN aside; infinite if an axis has nothing else.
    pub(super) fn farthest(&self) -> f32 {
        let Extent { low, high } = self.whole;
        let along = |axis: usize| if low[axis] <= high[axis] { high[axis].max(-low[axis]) } else { f32::INFINITY };
        (0..3).map(along).fold(0.0, f32::max)
    }

    /// The index of the first atom that lies where atoms without a place are written, as readers of files decide it: one atom at the
    /// origin may be there by chance.
    pub(super) fn first_without_place(&self) -> Option<usize> {
        if !self.lack_places {
            return None;
        }
        let is_without = |atom: &Atom| is_without_place([atom.x, atom.y, atom.z].map(f64::from));
        let mut all = self.atoms.iter().enumerate().filter(|(_, atom)| is_without(atom));
        let (index, first) = all.next()?;
        (first.x != 0.0 || all.next().is_some()).then_some(index)
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

    /// Moves the atoms so that the midpoint of their bounding box is the origin, as [`centred`](prism_read::centred) does: where they are,
    /// or to other memory. Returns whether all are finite, and that midpoint.
    ///
    /// # Errors
    /// As there.
    pub(super) fn centred(
        self,
        residue_atoms: &[u32],
        to: Option<&mut [Atom]>,
    ) -> Result<(bool, [f64; 3]), SpreadError> {
        let corner = |[x, y, z, _]: [f32; 4]| [x, y, z].map(f64::from);
        let (low, high) = (corner(self.whole.low), corner(self.whole.high));
        let filled = residue_atoms.windows(2).filter(|residue| residue[0] < residue[1]);
        let residues = filled.map(|residue| (self.position(residue[0]), residue[1] - residue[0]));
        let stand_for_atoms = self.widest.iter().all(|extent| *extent <= WIDEST_GROUP);
        if !(stand_for_atoms && is_spread_usual(residues, low, high, self.atoms.len())) {
            check_spread(self.atoms.iter().map(|atom| [atom.x, atom.y, atom.z].map(f64::from)), low, high)?;
        }
        let center = [0, 1, 2].map(|axis| 0.5 * (low[axis] + high[axis]));
        let are_finite = match to {
            Some(to) => move_past_caches(center, self.atoms, to),
            None => move_to(center, self.atoms),
        };
        Ok((are_finite, center))
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

    /// Memory for atoms with other contents.
    fn memory(n: usize) -> Vec<Atom> {
        vec![Atom { x: f32::NAN, ..Atom::default() }; n]
    }

    /// The atoms of a frame, which is put into memory with other contents.
    fn put<'a>(
        positions: &[[f32; 3]],
        places: &'a Places,
        residue_atoms: &'a [u32],
        atoms: &'a mut [Atom],
    ) -> Gathered<'a> {
        let mut gathering = Gathering::new(places, residue_atoms, atoms);
        // Further atoms of the frame belong to nothing.
        for (at, &position) in positions.iter().chain([&[1e7; 3]; 2]).enumerate() {
            gathering.put(at, position);
        }
        gathering.gathered()
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
            let expected = as_in_a_file(positions, &places, &radii);
            for elsewhere in [false, true] {
                let of = Places::new(places.clone(), &radii);
                let [mut atoms, mut others] = [(); 2].map(|()| memory(places.len()));
                let gathered = put(positions, &of, &residue_atoms, &mut atoms);
                let found = gathered.centred(&residue_atoms, elsewhere.then_some(&mut others[..]));
                let moved = if elsewhere { &others } else { &atoms };
                let found = found.map_err(|error| error.to_string()).map(|(are_finite, center)| {
                    assert!(are_finite);
                    (bits(moved), center)
                });
                refused += usize::from(found.is_err());
                assert_eq!(found, expected);
            }
        }
        assert_eq!(refused, 4);
    }

    #[test]
    fn atoms_in_another_order_are_measured_alike() {
        let (positions, places, radii, residue_atoms) = frame();
        let mut mixed = places.clone();
        // The first atom of each residue comes last.
        residue_atoms.windows(2).for_each(|own| mixed[own[0] as usize..own[1] as usize].rotate_left(1));
        let measured = |places: &[u32]| {
            let (places, mut atoms) = (Places::new(places.to_vec(), &radii), memory(radii.len()));
            let Gathered { whole, widest, .. } = put(&positions, &places, &residue_atoms, &mut atoms);
            (places.are_in_order, [whole.low, whole.high].map(|[x, y, z, _]| [x, y, z]), widest)
        };
        let (in_order, mixed) = (measured(&places), measured(&mixed));
        assert!(in_order.0 && !mixed.0);
        assert_eq!((in_order.1, in_order.2), (mixed.1, mixed.2));
    }

    #[test]
    fn atoms_without_a_place_are_found() {
        let (whole, places, radii, residue_atoms) = frame();
        let of = Places::new(places.clone(), &radii);
        let found = |positions: &[[f32; 3]]| {
            put(positions, &of, &residue_atoms, &mut memory(radii.len())).first_without_place()
        };
        // The last atom of a residue, and the one before it.
        let last = residue_atoms[5] as usize - 1;
        let with = |place: f32, atoms: &[usize]| {
            let mut positions = whole.clone();
            atoms.iter().for_each(|&atom| positions[places[atom] as usize] = [place; 3]);
            found(&positions)
        };
        assert_eq!((found(&whole), with(0.0, &[last])), (None, None), "one may be there by chance");
        assert_eq!((with(0.0, &[last - 1, last]), with(9999.0, &[last])), (Some(last - 1), Some(last)));
        assert_eq!(with(12.0, &[last - 1, last]), None);
        assert_eq!(found(&vec![[0.0; 3]; whole.len()]), Some(0));
    }

    #[test]
    fn what_is_far_away_or_nowhere_is_found() {
        let (whole, places, radii, residue_atoms) = frame();
        let places = Places::new(places, &radii);
        let farthest =
            |positions: &[[f32; 3]]| put(positions, &places, &residue_atoms, &mut memory(radii.len())).farthest();
        assert!(farthest(&whole) < 200.0);
        let mut one = whole.clone();
        one[7][1] = -2e6;
        assert_eq!(farthest(&one), 2e6);
        one[7][1] = f32::NEG_INFINITY;
        assert_eq!(farthest(&one), f32::INFINITY);
        assert_eq!(farthest(&vec![[0.0, f32::NAN, 0.0]; whole.len()]), f32::INFINITY);
        one[7][1] = f32::NAN;
        let mut atoms = memory(radii.len());
        assert!(!put(&one, &places, &residue_atoms, &mut atoms).centred(&residue_atoms, None).unwrap().0);
    }
}
