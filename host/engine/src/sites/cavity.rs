//! The pocket in which a site lies: all space around it that a probe can reach and that protein encloses, as LIGSITE defines it
//! (Hendlich, Rippmann and Barnickel, J Mol Graph Model 15 (1997) 359-363).

use prism_read::structure::StructureInput;
use shared_types::residue::HYDROPATHY;
use std::collections::BTreeSet;

/// Edge of cells in Å.
pub(super) const CELL: f32 = 1.0;
/// The farthest cell of a pocket from its site's centre, in cells.
const REACH: i32 = 12;
/// How far protein is looked for from a cell, in cells along an axis, and along a diagonal of the cube.
const LINES: [i32; 2] = [10, 6];
/// Radius of the probe in Å.
pub(super) const PROBE: f32 = 1.4;
/// A cell is enclosed if at least this many of seven lines meet protein on both sides: the axes, and the diagonals of the cube.
const ENCLOSED: usize = 3;
/// The pocket begins at cells within this distance of the centre, in Å.
const BEGIN: f32 = 4.0;
/// Faces of cells have this share more area than the surface that they are steps of, over all directions.
const STEPS: f32 = 1.5;

/// The pocket in which a site lies.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Cavity {
    /// Volume in Å³ of the free cells within the probe's radius of its cells; 0 if there is no pocket.
    pub volume: f32,
    /// Distance in Å from its opening to the cell farthest from it; NaN if it has none.
    pub depth: f32,
    /// Area of its opening to the outside in Å²; 0 if it is closed.
    pub mouth: f32,
    /// Mean hydropathy (Kyte and Doolittle) of the residues that line it; NaN if none has one.
    pub hydropathy: f32,
    /// Mean of their B factors' standard scores in the structure; NaN if they are unknown.
    pub flexibility: f32,
}

pub(super) type Place = [i32; 3];

/// The nearest atom's surface at each cell of a cube around a centre.
pub(super) struct Map {
    /// Cells along each edge.
    side: i32,
    /// An atom is near up to so many Å from its surface.
    reach: f32,
    /// Distance from a cell's middle to the surface of the nearest atom, below 0 inside; infinite where none is near.
    gaps: Vec<f32>,
    /// That atom.
    owners: Vec<u32>,
}

impl Map {
    /// The cube that has all cells up to `within` cells from the centre along each axis, and what may enclose them. An atom is near up to
    /// `reach` Å from its surface.
    pub(super) fn new(structure: &StructureInput, center: [f32; 3], within: i32, reach: f32) -> Self {
        let side = 2 * (within + LINES[0]);
        let cells = (side * side * side) as usize;
        let mut map = Self { side, reach, gaps: vec![f32::INFINITY; cells], owners: vec![0; cells] };
        let half = side as f32 / 2.0 * CELL;
        // From farther cells only lines come, which ask whether a cell lies in an atom.
        let inner = (within + 2) as f32 * CELL;
        for (index, atom) in structure.atoms.iter().enumerate() {
            let from = [atom.x - center[0], atom.y - center[1], atom.z - center[2]];
            let farthest = from[0].abs().max(from[1].abs()).max(from[2].abs());
            let reach = atom.radius + if farthest > inner + atom.radius + reach { 0.0 } else { reach };
            if farthest > half + reach {
                continue;
            }
            // The cells whose middles are less than `reach` from a place along an axis, in cells from the first one's middle, and maybe one more
            // at each end. (A cast rounds down what is above 0, faster than `floor`.)
            let cells = |at: f32, reach: f32| {
                let end = |along: f32| (along as i32).clamp(0, side);
                end((at - reach) / CELL)..end((at + reach) / CELL + 2.0)
            };
            // The square of the way from the atom to the middle of a cell, along an axis.
            let squared = |axis: usize, cell: i32| {
                let way = (cell as f32 + 0.5) * CELL - half - from[axis];
                way * way
            };
            let middle = from.map(|along| along + half - 0.5 * CELL);
            for x in cells(middle[0], reach) {
                let along_x = squared(0, x);
                for y in cells(middle[1], reach) {
                    let in_plane = along_x + squared(1, y);
                    let left = reach * reach - in_plane;
                    if left < 0.0 {
                        continue;
                    }
                    let row = map.index_of([x, y, 0]);
                    for z in cells(middle[2], left.sqrt()) {
                        let gap = (in_plane + squared(2, z)).sqrt() - atom.radius;
                        let place = row + z as usize;
                        if gap < map.gaps[place] {
                            map.gaps[place] = gap;
                            map.owners[place] = index as u32;
                        }
                    }
                }
            }
        }
        map
    }

    /// Places of cells up to `within` cells from the centre along each axis.
    pub(super) fn places(&self, within: i32) -> impl Iterator<Item = Place> + use<> {
        let (first, n) = (self.side / 2 - within, 2 * within);
        (0..n * n * n).map(move |cell| [cell / (n * n), cell / n % n, cell % n].map(|along| first + along))
    }

    /// The number of cells.
    pub(super) fn cells(&self) -> usize {
        self.gaps.len()
    }

    /// The number of a cell, which is in the cube.
    pub(super) fn index_of(&self, [x, y, z]: Place) -> usize {
        ((x * self.side + y) * self.side + z) as usize
    }

    /// The atom that is nearest to a free cell, if one is near.
    pub(super) fn lining_atom(&self, place: Place) -> Option<u32> {
        let gap = self.gap(place);
        (0.0..=self.reach).contains(&gap).then(|| self.owners[self.index_of(place)])
    }

    fn gap(&self, place: Place) -> f32 {
        if self.has(place, 0) { self.gaps[self.index_of(place)] } else { f32::INFINITY }
    }

    /// Whether a place is in the cube, at least `from` cells from each face.
    fn has(&self, [x, y, z]: Place, from: i32) -> bool {
        let end = self.side - from;
        x >= from && x < end && y >= from && y < end && z >= from && z < end
    }

    /// Whether a cell is part of a pocket: a probe fits into it, and at least so many lines meet protein on both sides.
    pub(super) fn is_pocket(&self, place: Place, lines: usize) -> bool {
        self.is_open(place) && self.is_enclosed(place, lines)
    }

    /// The square of a cell's distance from the centre, in cells.
    fn squared_from_center(&self, place: Place) -> f32 {
        let [x, y, z] = place.map(|along| along as f32 + 0.5 - self.side as f32 / 2.0);
        x * x + y * y + z * z
    }

    /// Whether a probe fits into a cell.
    fn is_open(&self, place: Place) -> bool {
        self.gap(place) >= PROBE
    }

    /// Whether a cell lies between protein.
    fn is_enclosed(&self, place: Place, lines: usize) -> bool {
        const AXES: [Place; 7] = [[1, 0, 0], [0, 1, 0], [0, 0, 1], [1, 1, 1], [1, 1, -1], [1, -1, 1], [1, -1, -1]];
        assert!(self.has(place, LINES[0]), "lines do not leave the cube");
        let mut enclosing = 0;
        for [x, y, z] in AXES {
            // Neighbours along a line are as far apart in memory.
            let stride = ((x * self.side + y) * self.side + z) as isize;
            let length = LINES[usize::from(y * z != 0)];
            let meets = |step| self.meets(self.index_of(place), step, length);
            enclosing += usize::from(meets(stride) && meets(-stride));
        }
        enclosing >= lines
    }

    /// Whether one of so many cells behind another one, `step` apart in memory, lies in an atom.
    fn meets(&self, mut index: usize, step: isize, length: i32) -> bool {
        // A plain loop, because most of the time goes here, without optimisation, too.
        let mut left = length;
        while left > 0 {
            index = index.wrapping_add_signed(step);
            if self.gaps[index] < 0.0 {
                return true;
            }
            left -= 1;
        }
        false
    }
}

/// Cells that share a face with one.
fn beside([x, y, z]: Place) -> [Place; 6] {
    [[x - 1, y, z], [x + 1, y, z], [x, y - 1, z], [x, y + 1, z], [x, y, z - 1], [x, y, z + 1]]
}

/// A cell and those that share a face or an edge with it: their middles are within 1.4 Å, the probe's radius.
pub(super) fn within_probe([x, y, z]: Place) -> [Place; 19] {
    const STEPS: [Place; 19] = {
        let (mut steps, mut count, mut cell) = ([[0; 3]; 19], 0, 0);
        while cell < 27 {
            let step = [cell / 9 - 1, cell / 3 % 3 - 1, cell % 3 - 1];
            if step[0] * step[0] + step[1] * step[1] + step[2] * step[2] <= 2 {
                steps[count] = step;
                count += 1;
            }
            cell += 1;
        }
        steps
    };
    STEPS.map(|[a, b, c]| [x + a, y + b, z + c])
}

/// Measures the pocket around a centre.
pub(super) fn cavity(structure: &StructureInput, center: [f32; 3]) -> Cavity {
    let map = Map::new(structure, center, REACH, PROBE);
    let begins = |place: &Place| map.squared_from_center(*place) <= BEGIN * BEGIN && map.is_pocket(*place, ENCLOSED);
    let mut pocket: Vec<Place> = map.places(BEGIN as i32).filter(begins).collect();
    let mut known: Vec<bool> = vec![false; map.gaps.len()];
    pocket.iter().for_each(|place| known[map.index_of(*place)] = true);
    // Places where the pocket opens to the outside, and the number of faces there.
    let (mut opening, mut faces, mut done) = (Vec::new(), 0_u32, 0);
    while let Some(&place) = pocket.get(done) {
        done += 1;
        for other in beside(place) {
            if map.squared_from_center(other) > (REACH * REACH) as f32
                || known[map.index_of(other)]
                || !map.is_open(other)
            {
                continue;
            }
            if map.is_enclosed(other, ENCLOSED) {
                known[map.index_of(other)] = true;
                pocket.push(other);
            } else {
                faces += 1;
                opening.push(other);
            }
        }
    }
    opening.sort_unstable();
    opening.dedup();
    let (mut volume, mut rows, mut counted) = (0_u32, BTreeSet::new(), vec![false; map.gaps.len()]);
    for &place in &pocket {
        for cell in within_probe(place) {
            let index = map.index_of(cell);
            if map.gaps[index] < PROBE {
                let atom = map.owners[index];
                rows.insert(structure.residue_atoms.partition_point(|&first| first <= atom) - 1);
            }
            if map.gaps[index] >= 0.0 && !std::mem::replace(&mut counted[index], true) {
                volume += 1;
            }
        }
    }
    let rows: Vec<usize> = rows.into_iter().filter(|&row| row < structure.n_rows()).collect();
    Cavity {
        volume: volume as f32 * CELL.powi(3),
        depth: depth(&pocket, &opening),
        mouth: faces as f32 * CELL * CELL / STEPS,
        hydropathy: mean(rows.iter().map(|&row| HYDROPATHY[usize::from(structure.residue_types[row])])),
        flexibility: flexibility(structure, &rows),
    }
}

/// The largest distance of a cell from the nearest one of the opening.
fn depth(pocket: &[Place], opening: &[Place]) -> f32 {
    let apart = |a: &Place, b: &Place| (0..3).map(|axis| (a[axis] - b[axis]).pow(2)).sum::<i32>();
    let nearest = |place: &Place| opening.iter().map(|other| apart(place, other)).min();
    pocket.iter().filter_map(nearest).max().map_or(f32::NAN, |squared| (squared as f32).sqrt() * CELL)
}

fn flexibility(structure: &StructureInput, rows: &[usize]) -> f32 {
    let known = || structure.bfactor.iter().take(structure.n_rows()).filter(|b| !b.is_nan()).map(|b| f64::from(*b));
    let count = known().count() as f64;
    let center = known().sum::<f64>() / count;
    let deviation = (known().map(|b| (b - center).powi(2)).sum::<f64>() / count).sqrt();
    let score =
        |row: &usize| structure.bfactor.get(*row).map_or(f32::NAN, |b| ((f64::from(*b) - center) / deviation) as f32);
    match deviation {
        0.0 => 0.0,
        _ => mean(rows.iter().map(score)),
    }
}

/// The mean of the values that are known.
fn mean(values: impl Iterator<Item = f32>) -> f32 {
    let known = values.filter(|value| value.is_finite()).map(f64::from);
    let (sum, count) = known.fold((0.0, 0.0), |(sum, count), value| (sum + value, count + 1.0));
    (sum / count) as f32
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;
    use prism_read::Composition;
    use shared_types::{Atom, NO_CA};

    /// A block of atoms with a hole along z, from a depth to the top.
    pub(in super::super) fn block(hole: impl Fn(f32, f32, f32) -> bool) -> StructureInput {
        let along = || (-12..=12).map(|step| step as f32 * 1.5);
        let mut atoms = Vec::new();
        for x in along() {
            for y in along() {
                for z in along() {
                    if !hole(x, y, z) {
                        atoms.push(Atom { x, y, z, radius: 1.7 });
                    }
                }
            }
        }
        let isoleucine = Composition {
            residue_atoms: vec![0, atoms.len() as u32],
            ca_indices: vec![NO_CA],
            residue_types: vec![9],
            ..Composition::default()
        };
        StructureInput { atoms: atoms.into(), ..isoleucine.into() }
    }

    #[test]
    fn a_hole_is_as_large_as_it_was_made() {
        // A cavity: a ball of 6 Å to atoms' centres. Its free volume by many points; cells of 1 Å lose some of it at the wall.
        let ball = block(|x, y, z| x * x + y * y + z * z < 36.0);
        let near: Vec<&Atom> = ball.atoms.iter().filter(|atom| atom.x.hypot(atom.y).hypot(atom.z) < 8.0).collect();
        let apart = |a: [f32; 3], b: &Atom| (a[0] - b.x).hypot(a[1] - b.y).hypot(a[2] - b.z);
        let along = || (-12..12).map(|step| (step as f32 + 0.5) * 0.5);
        let points = along().flat_map(|x| along().flat_map(move |y| along().map(move |z| [x, y, z])));
        let free = points.filter(|point| near.iter().all(|atom| apart(*point, atom) >= atom.radius)).count();
        let expected = free as f32 * 0.125;
        let closed = cavity(&ball, [0.0; 3]);
        assert!((0.65..1.1).contains(&(closed.volume / expected)), "{} {expected}", closed.volume);
        assert!(closed.mouth == 0.0 && closed.depth.is_nan(), "{closed:?}");
        // A shaft between atoms 12 Å apart, from z = 10.7 Å to the surface at 19.7 Å.
        let shaft = block(|x, y, z| x.abs() < 5.0 && y.abs() < 5.0 && z > 10.0);
        let open = cavity(&shaft, [0.0, 0.0, 13.0]);
        assert!((1.0..9.0).contains(&open.depth), "{open:?}");
        assert!((15.0..60.0).contains(&open.mouth), "{open:?}");
        // Without a hole there is none.
        let solid = cavity(&block(|_, _, _| false), [0.0; 3]);
        assert!(solid.volume == 0.0 && solid.mouth == 0.0 && solid.hydropathy.is_nan(), "{solid:?}");
        // On a flat side there is none either.
        assert_eq!(cavity(&block(|_, _, _| false), [0.0, 0.0, 21.0]).volume, 0.0);
    }
}
