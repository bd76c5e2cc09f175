//! Puts together what a periodic boundary divides.
//!
//! Each atom goes to the image that is nearest to its residue's alpha carbon, each alpha carbon to the image nearest to that of the residue
//! before in its chain. Then chains are placed as a whole. The first one stays where it is. Again and again, of the others the one that
//! comes nearest to any that is placed, in any image, is placed there: a chain that touches two others keeps both, wherever files have it.
//! Of chains that are equally near, the earlier one is taken, and of such images the one where the chain is. Positions of a frame that is
//! whole keep their bits.

use super::gather::Gathered;
use prism_read::structure::StructureInput;
use prism_trajectory::Topology;
use shared_types::NO_CA;

/// A periodic cell in Å.
#[derive(Clone, Debug)]
pub(super) struct Cell {
    vectors: [[f64; 3]; 3],
    /// Turns a vector into multiples of the cell's vectors.
    inverse: [[f64; 3]; 3],
    /// The square of half the smallest distance of two faces: a shorter vector has no shorter image.
    near2: f64,
    /// The distances of opposite faces.
    heights: [f64; 3],
}

type Vector = [f64; 3];

/// The smallest distance in Å of opposite faces of a cell that is taken: twice the 7 Å from an alpha carbon to the end of the longest
/// side chain, arginine's. In a smaller one an atom may be nearer to another residue's image than to its own residue, and putting
/// residues together would fold side chains. It holds no simulation (cutoffs need more), but files without a cell have such ones: 1 Å.
const SMALLEST: f64 = 14.0;

fn cross(a: Vector, b: Vector) -> Vector {
    [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]
}

fn dot(a: Vector, b: Vector) -> f64 {
    a[0] * b[0] + a[1] * b[1] + a[2] * b[2]
}

fn add(a: Vector, b: Vector) -> Vector {
    [a[0] + b[0], a[1] + b[1], a[2] + b[2]]
}

fn between(a: Vector, b: Vector) -> Vector {
    [b[0] - a[0], b[1] - a[1], b[2] - a[2]]
}

fn position(&[x, y, z, _]: &[f64; 4]) -> Vector {
    [x, y, z]
}

impl Cell {
    /// `None` if the vectors span no cell.
    pub(super) fn new(vectors: &[[f64; 3]; 3]) -> Option<Self> {
        let [a, b, c] = *vectors;
        let normals = [cross(b, c), cross(c, a), cross(a, b)];
        let volume = dot(a, normals[0]);
        if !(volume.is_finite() && volume != 0.0) {
            return None;
        }
        let inverse = normals.map(|normal| normal.map(|value| value / volume));
        let heights2 = normals.map(|normal| volume * volume / dot(normal, normal));
        let smallest = heights2.into_iter().fold(f64::INFINITY, f64::min);
        Some(Self { vectors: *vectors, inverse, near2: 0.25 * smallest, heights: heights2.map(f64::sqrt) })
    }

    /// Whether it is too small to tell which image of an atom belongs to its residue.
    pub(super) fn is_too_small(&self) -> bool {
        4.0 * self.near2 < SMALLEST * SMALLEST
    }

    fn whole(&self, multiples: Vector) -> Vector {
        std::array::from_fn(|axis| (0..3).map(|side| multiples[side] * self.vectors[side][axis]).sum())
    }

    /// What to add to a vector for the shortest of its images; `None` if no other is shorter.
    fn shift(&self, vector: Vector) -> Option<Vector> {
        let length2 = dot(vector, vector);
        if length2 <= self.near2 {
            return None;
        }
        let moved2 = |shift: &Vector| {
            let moved = add(vector, *shift);
            dot(moved, moved)
        };
        let shortest = self.images(vector).min_by(|a, b| moved2(a).total_cmp(&moved2(b)));
        shortest.filter(|shift| moved2(shift) < length2)
    }

    /// A vector in multiples of the cell's vectors.
    fn multiples(&self, vector: Vector) -> Vector {
        self.inverse.map(|row| dot(row, vector))
    }

    /// A number that is not above the square of the distance of any image of one place to any image of another, where both may be as far
    /// from the given ones as `reach` says, in multiples: along the normal of a face, images are multiples of the faces' distance apart.
    fn least2(&self, from: Vector, to: Vector, reach: Vector) -> f64 {
        /// Without a fraction, because a double of this size has none.
        const WHOLE: f64 = 1.5 * (1_u64 << 52) as f64;
        /// In Å, more than what rounding adds.
        const ROUNDING: f64 = 1e-6;
        let along = |side: usize| {
            let apart = to[side] - from[side];
            // To the nearest whole number, without a call.
            let apart = (apart - ((apart + WHOLE) - WHOLE)).abs() - reach[side];
            (apart * self.heights[side] - ROUNDING).max(0.0)
        };
        [0, 1, 2].map(|side| along(side).powi(2)).into_iter().fold(0.0, f64::max)
    }

    /// The shifts to images around the one that is nearest by multiples.
    fn images(&self, vector: Vector) -> impl Iterator<Item = Vector> {
        let nearest = self.multiples(vector).map(|along| -along.round());
        (0..27).map(move |i| {
            let step = [i % 3, i / 3 % 3, i / 9].map(|step| f64::from(step) - 1.0);
            self.whole(std::array::from_fn(|side| nearest[side] + step[side]))
        })
    }
}

/// Which atoms belong together.
#[derive(Clone, Debug, Default)]
pub(super) struct Links {
    /// Atoms, and those to which they are near: chain by chain, in the order in which they are placed.
    chains: Vec<Vec<[u32; 2]>>,
    /// Alpha carbons of residues that follow each other in a chain.
    neighbours: Vec<[u32; 2]>,
    /// Alpha carbons of each chain, some of them.
    samples: Vec<Vec<u32>>,
}

/// Alpha carbons of a chain that stand for all where distances of chains are measured.
const SAMPLES: usize = 32;

impl Links {
    pub(super) fn of(structure: &StructureInput) -> Self {
        let mut links = Self::default();
        let chains = structure.rows_of_chains();
        for &(chain, _) in &chains {
            let (mut own, mut anchors) = (Vec::new(), Vec::new());
            for row in (0..structure.n_rows()).filter(|&row| structure.chain_ids[row] == chain) {
                let atoms = structure.residue_atoms[row]..structure.residue_atoms[row + 1];
                if atoms.is_empty() {
                    continue;
                }
                let anchor = match structure.ca_indices[row] {
                    NO_CA => atoms.start,
                    ca => ca,
                };
                let before = anchors.last().map(|&before| [before, anchor]);
                links.neighbours.extend(before);
                own.extend(before);
                own.extend(atoms.filter(|&atom| atom != anchor).map(|atom| [anchor, atom]));
                anchors.push(anchor);
            }
            let step = anchors.len().div_ceil(SAMPLES).max(1);
            links.samples.push(anchors.into_iter().step_by(step).collect());
            links.chains.push(own);
        }
        links
    }

    /// Of all atoms of a topology, by its bonds; without any, by its residues. What is not a part of a chain stays.
    pub(super) fn of_topology(topology: &Topology) -> Self {
        let n = topology.len();
        if !topology.bonds.is_empty() {
            return Self { chains: vec![trees(n, &topology.bonds)], ..Self::default() };
        }
        let mut own = Vec::new();
        let (mut begin, mut before) = (0, None);
        for end in 1..=n {
            let residue = |atom: usize| (topology.residue_numbers[atom], topology.residue_names[atom]);
            if end < n && residue(end) == residue(begin) {
                continue;
            }
            own.extend((begin as u32 + 1..end as u32).map(|atom| [begin as u32, atom]));
            // Residues of a chain follow each other; ions and waters have no alpha carbon.
            let is_amino = topology.names[begin..end].contains(b"CA\0\0\0\0\0\0") && end - begin > 1;
            let place = own.len() - (end - begin - 1);
            if let (true, Some(before)) = (is_amino, before) {
                own.insert(place, [before, begin as u32]);
            }
            before = is_amino.then_some(begin as u32);
            begin = end;
        }
        Self { chains: vec![own], ..Self::default() }
    }

    /// Whether [`join`](Self::join) would surely leave a structure's atoms as they are. Where residues are smaller than half the cell,
    /// this looks at a few atoms of each.
    pub(super) fn are_whole(&self, cell: &Cell, atoms: &Gathered) -> bool {
        let at = |atom: u32| atoms.position(atom);
        let is_near = |&[a, b]: &[u32; 2]| {
            let vector = between(at(a), at(b));
            dot(vector, vector) <= cell.near2
        };
        atoms.widest2() <= cell.near2
            && self.neighbours.iter().all(is_near)
            && self.placements(cell, at).all(|(_, shift)| shift.is_none())
    }

    /// Moves atoms together. Returns whether any was moved.
    pub(super) fn join(&self, cell: &Cell, atoms: &mut [[f64; 4]]) -> bool {
        let mut was_moved = false;
        for links in &self.chains {
            for &[from, to] in links {
                let vector = between(position(&atoms[from as usize]), position(&atoms[to as usize]));
                if let Some(shift) = cell.shift(vector) {
                    was_moved = true;
                    move_by(&mut atoms[to as usize], shift);
                }
            }
        }
        let placed: Vec<_> = self.placements(cell, |atom| position(&atoms[atom as usize])).collect();
        for (chain, shift) in placed {
            let (Some(shift), Some(&first)) = (shift, self.samples[chain].first()) else { continue };
            was_moved = true;
            move_by(&mut atoms[first as usize], shift);
            // Every other atom of the chain is moved once: it is placed once.
            self.chains[chain].iter().for_each(|&[_, to]| move_by(&mut atoms[to as usize], shift));
        }
        was_moved
    }

    /// The chains but the first, in the order in which they are placed, and the shift of each to the image that is nearest to a chain
    /// placed before; `None` if it is that one. This is how Prim's algorithm spans a tree.
    fn placements(&self, cell: &Cell, at: impl Fn(u32) -> Vector) -> impl Iterator<Item = (usize, Option<Vector>)> {
        // One chain has nothing to go to.
        let samples = if self.samples.len() > 1 { &self.samples[..] } else { &[] };
        let mut chains: Vec<Sampled> = samples.iter().map(|samples| Sampled::new(cell, samples, &at)).collect();
        // Those that are not placed, by their numbers, with the nearest image.
        let mut open: Vec<(usize, Image)> = (1..chains.len()).map(|chain| (chain, Image::NONE)).collect();
        let mut last = 0;
        std::iter::from_fn(move || {
            for (chain, nearest) in &mut open {
                *nearest = chains[last].image(cell, &chains[*chain], *nearest);
            }
            let of_open = |(_, a): &(usize, (usize, Image)), (_, b): &(usize, (usize, Image))| {
                // Of equal ones the first: `open` keeps its order.
                a.1.distance2.total_cmp(&b.1.distance2)
            };
            let (next, _) = open.iter().copied().enumerate().min_by(of_open)?;
            let (chain, Image { shift, .. }) = open.remove(next);
            if let Some(shift) = shift {
                chains[chain].move_by(shift);
            }
            last = chain;
            Some((chain, shift))
        })
    }
}

/// An image of a chain, by its shift, and the square of its distance from another chain.
#[derive(Clone, Copy)]
struct Image {
    shift: Option<Vector>,
    distance2: f64,
}

impl Image {
    /// Farther than any.
    const NONE: Self = Self { shift: None, distance2: f64::INFINITY };
}

/// Where some atoms of a chain are.
struct Sampled {
    /// In Å, and in multiples of the cell's vectors, which stay when a chain is moved: they tell apart what is no image of each other.
    places: Vec<(Vector, Vector)>,
    /// Of all, in multiples, and how far any is from there.
    middle: Vector,
    reach: Vector,
}

impl Sampled {
    fn new(cell: &Cell, samples: &[u32], at: impl Fn(u32) -> Vector) -> Self {
        let place = |&atom: &u32| (at(atom), cell.multiples(at(atom)));
        let places: Vec<(Vector, Vector)> = samples.iter().map(place).collect();
        let (mut low, mut high) = ([f64::INFINITY; 3], [f64::NEG_INFINITY; 3]);
        for (_, multiples) in &places {
            for side in 0..3 {
                (low[side], high[side]) = (low[side].min(multiples[side]), high[side].max(multiples[side]));
            }
        }
        let half = |of: fn(f64, f64) -> f64| std::array::from_fn(|side| 0.5 * of(high[side], low[side]));
        Self { places, middle: half(|high, low| high + low), reach: half(|high, low| high - low) }
    }

    /// The image of another chain that is nearest to this one, or one that is known and not farther. Of equal ones, the one without a
    /// shift, so that a chain that touches stays.
    fn image(&self, cell: &Cell, other: &Self, known: Image) -> Image {
        let mut nearest = known;
        if cell.least2(self.middle, other.middle, add(self.reach, other.reach)) > nearest.distance2 {
            return nearest;
        }
        for &(from, from_multiples) in &self.places {
            for &(to, to_multiples) in &other.places {
                if cell.least2(from_multiples, to_multiples, [0.0; 3]) > nearest.distance2 {
                    continue;
                }
                let vector = between(from, to);
                let shift = cell.shift(vector);
                let moved = add(vector, shift.unwrap_or_default());
                let distance2 = dot(moved, moved);
                if distance2 < nearest.distance2
                    || (distance2 == nearest.distance2 && shift.is_none() && nearest.shift.is_some())
                {
                    nearest = Image { shift, distance2 };
                }
            }
        }
        nearest
    }

    fn move_by(&mut self, shift: Vector) {
        self.places.iter_mut().for_each(|(place, _)| *place = add(*place, shift));
    }
}

/// Bonds in an order in which each begins at an atom that has been placed: trees that reach every bonded atom once.
fn trees(atoms: usize, bonds: &[[u32; 2]]) -> Vec<[u32; 2]> {
    let mut first = vec![0_usize; atoms + 1];
    bonds.iter().flatten().for_each(|&atom| first[atom as usize + 1] += 1);
    (0..atoms).for_each(|atom| first[atom + 1] += first[atom]);
    let (mut next, mut partners) = (first.clone(), vec![0; 2 * bonds.len()]);
    for &[a, b] in bonds {
        for (own, other) in [(a, b), (b, a)] {
            partners[next[own as usize]] = other;
            next[own as usize] += 1;
        }
    }
    let (mut order, mut is_placed, mut open) = (Vec::with_capacity(atoms), vec![false; atoms], Vec::new());
    for root in 0..atoms as u32 {
        if std::mem::replace(&mut is_placed[root as usize], true) {
            continue;
        }
        open.push(root);
        while let Some(atom) = open.pop() {
            for &partner in &partners[first[atom as usize]..first[atom as usize + 1]] {
                if !std::mem::replace(&mut is_placed[partner as usize], true) {
                    order.push([atom, partner]);
                    open.push(partner);
                }
            }
        }
    }
    order
}

fn move_by(atom: &mut [f64; 4], shift: Vector) {
    (0..3).for_each(|axis| atom[axis] += shift[axis]);
}

#[cfg(test)]
mod tests {
    use super::super::gather::{Gathering, Places};
    use super::*;
    use prism_read::{ReadOptions, read_path};
    use shared_types::Atom;

    /// A structure of three chains, its positions, and a cell that is larger than it.
    fn trimer() -> (Links, Vec<[f64; 4]>, [[f64; 3]; 3]) {
        let read = read_path("../../tests/data/1jcd.pdb.gz", "1jcd", &ReadOptions::default()).unwrap();
        let links = Links::of(&read.structure);
        let atoms = read.structure.atoms.iter().map(|a| [a.x, a.y, a.z, a.radius].map(f64::from)).collect();
        (links, atoms, [[90.0, 0.0, 0.0], [30.0, 85.0, 0.0], [-30.0, 28.0, 80.0]])
    }

    /// Each atom on its own in the cell at the origin, moved before.
    fn wrapped(atoms: &[[f64; 4]], cell: &Cell, by: Vector) -> Vec<[f64; 4]> {
        let wrap = |atom: &[f64; 4]| {
            let moved = add([atom[0], atom[1], atom[2]], by);
            let [x, y, z] = add(moved, cell.whole(cell.inverse.map(|row| -dot(row, moved).floor())));
            [x, y, z, atom[3]]
        };
        atoms.iter().map(wrap).collect()
    }

    #[test]
    fn wrapped_chains_are_put_together_in_a_triclinic_cell() {
        let (links, atoms, vectors) = trimer();
        let cell = Cell::new(&vectors).unwrap();
        for by in [[0.0; 3], [45.0, 0.0, 0.0], [10.0, 40.0, -30.0], [-31.0, 77.0, 12.0]] {
            let mut all = wrapped(&atoms, &cell, by);
            assert!(links.join(&cell, &mut all));
            // All differences are those of the structure.
            for (own, other) in atoms.iter().zip(&all) {
                let (a, b) = (between(position(&atoms[0]), position(own)), between(position(&all[0]), position(other)));
                assert!((0..3).all(|axis| (a[axis] - b[axis]).abs() < 1e-6), "{by:?}: {a:?} and {b:?}");
            }
        }
    }

    /// Whether a structure with these atoms is known to be whole.
    fn are_whole(links: &Links, cell: &Cell, structure: &StructureInput, atoms: &[[f64; 4]]) -> bool {
        let places = Places::new((0..atoms.len() as u32).collect(), &vec![1.0; atoms.len()]);
        let mut memory = vec![Atom::default(); atoms.len()];
        let mut gathering = Gathering::new(&places, &structure.residue_atoms, &mut memory);
        for (at, [x, y, z, _]) in atoms.iter().enumerate() {
            gathering.put(at, [x, y, z].map(|along| *along as f32));
        }
        links.are_whole(cell, &gathering.gathered())
    }

    #[test]
    fn whole_structures_are_recognised() {
        let read = read_path("../../tests/data/1jcd.pdb.gz", "1jcd", &ReadOptions::default()).unwrap();
        let (links, atoms, vectors) = trimer();
        let cell = Cell::new(&vectors).unwrap();
        let are_whole = |cell: &Cell, atoms: &[[f64; 4]]| are_whole(&links, cell, &read.structure, atoms);
        assert!(are_whole(&cell, &atoms));
        for by in [[45.0, 0.0, 0.0], [10.0, 40.0, -30.0]] {
            assert!(!are_whole(&cell, &wrapped(&atoms, &cell, by)));
        }
        // A chain as a whole in another image.
        let mut moved = atoms.clone();
        let last = read.structure.chain_ids.iter().position(|&chain| chain == 2).unwrap();
        let begin = read.structure.residue_atoms[last] as usize;
        moved[begin..].iter_mut().for_each(|atom| move_by(atom, vectors[1]));
        assert!(!are_whole(&cell, &moved));
        // A cell that is smaller than two residues.
        let small = Cell::new(&[[14.5, 0.0, 0.0], [0.0, 90.0, 0.0], [0.0, 0.0, 90.0]]).unwrap();
        assert!(!are_whole(&small, &atoms));
    }

    #[test]
    fn no_image_is_nearer_than_the_bound() {
        let cells = [
            [[90.0, 0.0, 0.0], [30.0, 85.0, 0.0], [-30.0, 28.0, 80.0]],
            [[20.0, 0.0, 0.0], [0.0, 70.0, 0.0], [0.0, 0.0, 9.0]],
        ];
        let mut bounds = Vec::new();
        for vectors in cells {
            let cell = Cell::new(&vectors).unwrap();
            for i in 0..1000 {
                let place = |i: i32| [i * 37 % 401, i * 53 % 397, i * 71 % 389].map(|along| f64::from(along) - 190.0);
                let (from, to) = (place(i), place(7 * i + 3));
                let distance2 = |from, to| {
                    let vector = between(from, to);
                    let moved = add(vector, cell.shift(vector).unwrap_or_default());
                    dot(moved, moved)
                };
                let multiples = [from, to].map(|place| cell.multiples(place));
                let least2 = cell.least2(multiples[0], multiples[1], [0.0; 3]);
                bounds.push(least2 / distance2(from, to));
                // Of places near the second one.
                let reach = cell.multiples([4.0, -3.0, 2.0]).map(f64::abs);
                bounds
                    .push(cell.least2(multiples[0], multiples[1], reach) / distance2(from, add(to, [4.0, -3.0, 2.0])));
            }
        }
        assert!(bounds.iter().all(|part| (0.0..=1.0).contains(part)) && bounds.iter().any(|part| *part > 0.9));
    }

    #[test]
    fn chains_go_to_the_images_of_all_pairs() {
        let (links, atoms, vectors) = trimer();
        let cell = Cell::new(&vectors).unwrap();
        for by in [[0.0; 3], [45.0, 0.0, 0.0], [10.0, 40.0, -30.0], [-31.0, 77.0, 12.0]] {
            let atoms = wrapped(&atoms, &cell, by);
            let at = |chain: usize| links.samples[chain].iter().map(|&atom| position(&atoms[atom as usize]));
            let mut placed: Vec<Vector> = at(0).collect();
            let mut open = vec![1, 2];
            let found: Vec<_> = links.placements(&cell, |atom| position(&atoms[atom as usize])).collect();
            assert_eq!(found.len(), 2);
            for (chain, found) in found {
                let (mut best, mut nearest) = ((0, [0.0; 3]), f64::INFINITY);
                for &chain in &open {
                    for (from, to) in placed.iter().flat_map(|&from| at(chain).map(move |to| (from, to))) {
                        let vector = between(from, to);
                        let shift = cell.shift(vector).unwrap_or_default();
                        let moved = add(vector, shift);
                        if dot(moved, moved) < nearest {
                            (best, nearest) = ((chain, shift), dot(moved, moved));
                        }
                    }
                }
                assert_eq!((chain, found.unwrap_or_default()), best);
                placed.extend(at(chain).map(|place| add(place, best.1)));
                open.retain(|other| *other != chain);
            }
        }
    }

    /// Chains of one atom each along x, in a cell of 100 Å along each axis.
    fn row(x: &[f64]) -> (Links, Cell, Vec<[f64; 4]>) {
        let samples = (0..x.len() as u32).map(|atom| vec![atom]).collect();
        let links = Links { chains: vec![Vec::new(); x.len()], samples, ..Links::default() };
        let cell = Cell::new(&[[100.0, 0.0, 0.0], [0.0, 100.0, 0.0], [0.0, 0.0, 100.0]]).unwrap();
        (links, cell, x.iter().map(|x| [*x, 0.0, 0.0, 0.0]).collect())
    }

    #[test]
    fn the_nearest_chain_is_placed_first_wherever_it_is_in_the_file() {
        let along = |x: &[f64]| {
            let (links, cell, mut atoms) = row(x);
            let are_whole = links.placements(&cell, |atom| position(&atoms[atom as usize])).all(|one| one.1.is_none());
            assert_eq!(links.join(&cell, &mut atoms), !are_whole);
            atoms.iter().map(|atom| atom[0]).collect::<Vec<_>>()
        };
        // The last one is between both, which are nearer to each other across the boundary than as they are.
        assert_eq!(along(&[20.0, 72.0, 46.0]), [20.0, 72.0, 46.0]);
        // Each goes to where the one before it was placed.
        assert_eq!(along(&[70.0, 22.0, 96.0]), [70.0, 122.0, 96.0]);
        // Equally near on both sides.
        assert_eq!(along(&[0.0, 50.0]), [0.0, 50.0]);
        assert_eq!(along(&[60.0, 10.0]), [60.0, 10.0]);
        // Equally near chains: the earlier one decides where the other goes.
        assert_eq!(along(&[50.0, 10.0, 90.0]), [50.0, 10.0, -10.0]);
    }

    /// Two residues of a chain, an ion and a water.
    fn topology(bonds: &[[u32; 2]]) -> Topology {
        let atoms: [(&[u8; 8], &[u8; 8], i32); 8] = [
            (b"N\0\0\0\0\0\0\0", b"GLY\0\0\0\0\0", 1),
            (b"CA\0\0\0\0\0\0", b"GLY\0\0\0\0\0", 1),
            (b"N\0\0\0\0\0\0\0", b"ALA\0\0\0\0\0", 2),
            (b"CA\0\0\0\0\0\0", b"ALA\0\0\0\0\0", 2),
            (b"CB\0\0\0\0\0\0", b"ALA\0\0\0\0\0", 2),
            (b"CA\0\0\0\0\0\0", b"CAL\0\0\0\0\0", 3),
            (b"OW\0\0\0\0\0\0", b"SOL\0\0\0\0\0", 4),
            (b"HW1\0\0\0\0\0", b"SOL\0\0\0\0\0", 4),
        ];
        Topology {
            names: atoms.iter().map(|atom| *atom.0).collect(),
            residue_names: atoms.iter().map(|atom| *atom.1).collect(),
            residue_numbers: atoms.iter().map(|atom| atom.2).collect(),
            segments: vec![[0; 8]; 8],
            bonds: bonds.to_vec(),
            ..Topology::default()
        }
    }

    #[test]
    fn atoms_of_a_topology_are_put_together_by_bonds_or_residues() {
        // Along x in a cell of 10 Å, with the boundary between the residues, and within the water.
        let whole = [8.0, 9.5, 10.8, 12.2, 13.0, 4.0, 9.9, 10.8];
        let cell = Cell::new(&[[10.0, 0.0, 0.0], [0.0, 10.0, 0.0], [0.0, 0.0, 10.0]]).unwrap();
        let bonds = [[4, 3], [0, 1], [1, 2], [2, 3], [6, 7]];
        for bonds in [&bonds[..], &[]] {
            let mut atoms: Vec<[f64; 4]> = whole.iter().map(|x| [x % 10.0, 5.0, 5.0, 0.0]).collect();
            assert!(Links::of_topology(&topology(bonds)).join(&cell, &mut atoms));
            for (atom, x) in atoms.iter().zip(whole) {
                assert!((atom[0] - x).abs() < 1e-9, "{bonds:?}: {atoms:?}");
            }
        }
    }

    #[test]
    fn what_is_whole_keeps_its_bits() {
        let (links, atoms, vectors) = trimer();
        let mut all = atoms.clone();
        assert!(!links.join(&Cell::new(&vectors).unwrap(), &mut all));
        assert_eq!(all, atoms);
        assert!(Cell::new(&[[0.0; 3]; 3]).is_none());
    }

    #[test]
    fn a_cell_is_too_small_by_the_distance_of_its_faces() {
        let is_too_small = |vectors: [[f64; 3]; 3]| Cell::new(&vectors).unwrap().is_too_small();
        for side in [1.0, 5.0, 13.9] {
            assert!(is_too_small([[side, 0.0, 0.0], [0.0, 90.0, 0.0], [0.0, 0.0, 90.0]]), "{side}");
        }
        assert!(!is_too_small([[14.1, 0.0, 0.0], [0.0, 14.1, 0.0], [0.0, 0.0, 14.1]]));
        // Long vectors of a flat cell.
        assert!(is_too_small([[40.0, 0.0, 0.0], [39.0, 10.0, 0.0], [0.0, 0.0, 40.0]]));
    }
}
