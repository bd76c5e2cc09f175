//! Puts together what a periodic boundary divides.
//!
//! Each atom goes to the image that is nearest to its residue's alpha carbon, each alpha carbon to the image nearest to that of the residue
//! before in its chain, and each further chain as a whole to the image that comes nearest to the chains before. The first chain stays
//! where it is. Positions of a frame that is whole keep their bits.

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

    fn whole(&self, multiples: Vector) -> Vector {
        std::array::from_fn(|axis| (0..3).map(|side| multiples[side] * self.vectors[side][axis]).sum())
    }

    /// What to add to a vector for the shortest of its images; `None` if it is the shortest.
    fn shift(&self, vector: Vector) -> Option<Vector> {
        if dot(vector, vector) <= self.near2 {
            return None;
        }
        self.images(vector)
            .min_by(|a, b| {
                let length = |shift: &Vector| {
                    let moved = add(vector, *shift);
                    dot(moved, moved)
                };
                length(a).total_cmp(&length(b))
            })
            .filter(|shift| *shift != [0.0; 3])
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
            && (1..self.samples.len()).all(|chain| self.nearest(cell, chain, at).is_none())
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
        for (chain, links) in self.chains.iter().enumerate().skip(1) {
            let nearest = self.nearest(cell, chain, |atom| position(&atoms[atom as usize]));
            let (Some(shift), Some(&first)) = (nearest, self.samples[chain].first()) else { continue };
            was_moved = true;
            move_by(&mut atoms[first as usize], shift);
            // Every other atom of the chain is moved once: it is placed once.
            links.iter().for_each(|&[_, to]| move_by(&mut atoms[to as usize], shift));
        }
        was_moved
    }

    /// The shift of a chain to the image that is nearest to the chains before; `None` if it is that one.
    fn nearest(&self, cell: &Cell, chain: usize, at: impl Fn(u32) -> Vector) -> Option<Vector> {
        let own = Sampled::new(cell, &self.samples[chain], &at);
        let (mut best, mut nearest) = (None, f64::INFINITY);
        for before in self.samples[..chain].iter().map(|samples| Sampled::new(cell, samples, &at)) {
            let reach = add(before.reach, own.reach);
            if cell.least2(before.middle, own.middle, reach) >= nearest {
                continue;
            }
            for &(from, from_multiples) in &before.places {
                for &(to, to_multiples) in &own.places {
                    if cell.least2(from_multiples, to_multiples, [0.0; 3]) >= nearest {
                        continue;
                    }
                    let vector = between(from, to);
                    let shift = cell.shift(vector).unwrap_or_default();
                    let moved = add(vector, shift);
                    let distance2 = dot(moved, moved);
                    // Of equal ones, the first, so that a chain that touches stays.
                    if distance2 < nearest {
                        (best, nearest) = (Some(shift), distance2);
                    }
                }
            }
        }
        best.filter(|shift| *shift != [0.0; 3])
    }
}

/// Where some atoms of a chain are.
struct Sampled {
    /// In Å, and in multiples of the cell's vectors.
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
        let small = Cell::new(&[[9.0, 0.0, 0.0], [0.0, 90.0, 0.0], [0.0, 0.0, 90.0]]).unwrap();
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
    fn a_chain_goes_to_the_image_of_all_pairs() {
        let (links, atoms, vectors) = trimer();
        let cell = Cell::new(&vectors).unwrap();
        let at = |atoms: &[[f64; 4]], atom: u32| position(&atoms[atom as usize]);
        for by in [[0.0; 3], [45.0, 0.0, 0.0], [10.0, 40.0, -30.0], [-31.0, 77.0, 12.0]] {
            let atoms = wrapped(&atoms, &cell, by);
            for chain in 1..links.samples.len() {
                let (mut best, mut nearest) = ([0.0; 3], f64::INFINITY);
                for before in links.samples[..chain].iter().flatten() {
                    for own in &links.samples[chain] {
                        let vector = between(at(&atoms, *before), at(&atoms, *own));
                        let shift = cell.shift(vector).unwrap_or_default();
                        let moved = add(vector, shift);
                        if dot(moved, moved) < nearest {
                            (best, nearest) = (shift, dot(moved, moved));
                        }
                    }
                }
                let found = links.nearest(&cell, chain, |atom| at(&atoms, atom));
                assert_eq!(found.unwrap_or_default(), best);
            }
        }
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
}
