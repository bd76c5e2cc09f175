//! Depth of residues below the solvent-excluded surface.

use crate::interactions::cells::Cells;
use crate::interactions::surface::{Dot, Sphere, dots};
use crate::residue_frames::alpha_carbon;
use kernels_gpu::double::{Point, distance, dot, minus, plus, times, unit};
use prism_read::structure::StructureInput;

/// Radius of the probe in Å, as Biopython has it of MSMS.
const PROBE: f64 = 1.5;
/// Dots in 1 Å²: those of MSMS are 1 by default.
const DENSITY: f64 = 5.0;
/// Centres of probes within this distance in Å may be neighbours on one surface; those of neighbouring dots are within 0.9.
const LINKED: f64 = 1.2;
/// In how many steps it is tested that the probe gets from one to the other.
const STEPS: u32 = 10;
/// How far in Å the probe may be off the straight way between two centres where it rolls over atoms.
const OFF_THE_WAY: f64 = 0.2;
/// How deep in Å an atom may be in the way of the probe, by rounding.
const IN_THE_WAY: f64 = 1e-3;
/// Three times the volume of a cavity is more than this, in Å³: the probe alone has 42, of which few dots may give half.
const CAVITY: f64 = 21.0;
/// The distance in Å within which the surface is looked for at first.
const FIRST_REACH: f64 = 2.5;

/// How deep a residue is.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ResidueDepth {
    /// Mean over its heavy atoms of the least distance in Å to the surface.
    pub mean: f32,
    /// The same of its alpha carbon; NaN if it has none.
    pub ca: f32,
}

struct Depths(Vec<ResidueDepth>);

/// The depth of each row below the solvent-excluded surface of all rows' heavy atoms; NaN for chains of alpha carbons or backbones alone.
/// It is computed once for a structure.
///
/// As Biopython's `ResidueDepth` has it with MSMS (Chakravarty & Varadarajan 1999, Structure 7:723), but with this package's radii, for a
/// probe of 1.5 Å. Surfaces of cavities do not count: depth is below the solvent around the molecule. The surface is one of dots, 5 in
/// 1 Å², so that depths are too large by some hundredths of 1 Å. Whether a pocket is a cavity is uncertain where its neck is within
/// some hundredths of 1 Å as wide as the probe.
///
/// ```
/// use prism_engine::residue_depth;
/// use prism_read::{ReadOptions, read_path};
///
/// let crambin = read_path("../tests/data/1crn.pdb", "1crn", &ReadOptions::default())?.structure;
/// let depths = residue_depth::of_rows(&crambin);
/// // No atom is nearer to the surface than its radius.
/// assert!(depths.iter().all(|depth| depth.mean > 1.4 && depth.ca > 1.8));
/// # Ok::<(), prism_read::ReadError>(())
/// ```
#[must_use]
pub fn of_rows(structure: &StructureInput) -> &[ResidueDepth] {
    &structure.derived.get_or_init(|| Depths(depths(structure))).0
}

fn depths(structure: &StructureInput) -> Vec<ResidueDepth> {
    let atoms: Vec<Sphere> = structure
        .atoms
        .iter()
        .map(|atom| Sphere { centre: [atom.x, atom.y, atom.z].map(f64::from), radius: f64::from(atom.radius) })
        .collect();
    let all = dots(&atoms, &vec![true; atoms.len()], PROBE, DENSITY);
    let surface = outside(&all, &atoms);
    let centres: Vec<Point> = atoms.iter().map(|atom| atom.centre).collect();
    let least = least_distances(&centres, &surface);
    (0..structure.n_rows())
        .map(|row| {
            let own = &least[structure.residue_atoms[row] as usize..structure.residue_atoms[row + 1] as usize];
            match structure.is_in_trace(row) {
                true => ResidueDepth { mean: f32::NAN, ca: f32::NAN },
                false => ResidueDepth {
                    mean: (own.iter().sum::<f64>() / own.len() as f64) as f32,
                    ca: alpha_carbon(structure, row).map_or(f32::NAN, |ca| least[ca] as f32),
                },
            }
        })
        .collect()
}

/// Where the dots are that are not on the surface of a cavity.
///
/// Dots belong to one surface if the probe can get from one to the other. The volume inside is negative for a cavity, because normals
/// point to the probe.
fn outside(dots: &[Dot], atoms: &[Sphere]) -> Vec<Point> {
    // Dots that follow each other have the same probe where it touches several atoms.
    let mut centres: Vec<Point> = Vec::new();
    let of_dots: Vec<usize> = dots
        .iter()
        .map(|dot| {
            let centre = plus(dot.at, times(dot.normal, PROBE));
            if centres.last().is_none_or(|last| distance(*last, centre) > 1e-6) {
                centres.push(centre);
            }
            centres.len() - 1
        })
        .collect();
    let cells = Cells::new(&centres, LINKED);
    let places: Vec<Point> = atoms.iter().map(|atom| atom.centre).collect();
    let widest = atoms.iter().map(|atom| atom.radius).fold(0.0, f64::max) + PROBE;
    let blocking = Cells::new(&places, widest);
    // How deep a place is in the sphere that keeps the probe's centre away from an atom, and the atom: of the deepest.
    let deepest = |place: Point| {
        let mut deepest = (0.0, None);
        blocking.near(place, widest, |atom, distance2| {
            let depth = atoms[atom as usize].radius + PROBE - distance2.sqrt();
            if depth > deepest.0 {
                deepest = (depth, Some(atom as usize));
            }
        });
        deepest
    };
    // Whether the probe can be about there: it gives way to an atom, or to two in turn. Three close a neck.
    let is_free = |mut place: Point| {
        let (mut moved, mut touched) = (0.0, [None; 2]);
        while let (depth, Some(atom)) = deepest(place) {
            moved += depth;
            if depth < IN_THE_WAY || moved > OFF_THE_WAY {
                break;
            }
            match touched {
                [Some(one), _] | [_, Some(one)] if one == atom => {}
                [None, _] => touched[0] = Some(atom),
                [_, None] => touched[1] = Some(atom),
                _ => return false,
            }
            let Some(away) = unit(minus(place, atoms[atom].centre)) else { return false };
            place = plus(place, times(away, depth));
        }
        moved <= OFF_THE_WAY
    };
    let gets_through = |from: Point, way: Point| {
        (1..STEPS).all(|step| is_free(plus(from, times(way, f64::from(step) / f64::from(STEPS)))))
    };
    let mut sets = Sets((0..centres.len() as u32).collect());
    for (one, &centre) in (0..).zip(&centres) {
        cells.near(centre, LINKED, |other, _| {
            // Each pair is met twice.
            if other > one {
                let [a, b] = [one, other].map(|centre| sets.of(centre));
                if a != b && gets_through(centre, minus(centres[other as usize], centre)) {
                    sets.join(a, b);
                }
            }
        });
    }
    let own: Vec<usize> = of_dots.into_iter().map(|centre| sets.of(centre as u32) as usize).collect();
    // Three times the volume inside, counted from a probe at the surface, so that little cancels.
    let mut volumes = vec![0.0; centres.len()];
    for (one, &surface) in dots.iter().zip(&own) {
        volumes[surface] += one.area * dot(one.normal, minus(one.at, centres[surface]));
    }
    dots.iter().zip(&own).filter(|(_, surface)| volumes[**surface] > -CAVITY).map(|(one, _)| one.at).collect()
}

/// Sets of probes, each with another one of its set, up to the first one, which has itself.
struct Sets(Vec<u32>);

impl Sets {
    /// The first one of a probe's set.
    fn of(&mut self, mut probe: u32) -> u32 {
        while self.0[probe as usize] != probe {
            let next = self.0[self.0[probe as usize] as usize];
            self.0[probe as usize] = next;
            probe = next;
        }
        probe
    }

    fn join(&mut self, a: u32, b: u32) {
        self.0[a.max(b) as usize] = a.min(b);
    }
}

/// The distance from each place to the nearest point of a surface, in Å; NaN if it has none.
fn least_distances(places: &[Point], surface: &[Point]) -> Vec<f64> {
    let mut least = vec![f64::NAN; places.len()];
    let mut open: Vec<usize> = if surface.is_empty() { Vec::new() } else { (0..places.len()).collect() };
    let mut reach = FIRST_REACH;
    while !open.is_empty() {
        let cells = Cells::new(surface, reach);
        open.retain(|&place| {
            let mut nearest = f64::INFINITY;
            cells.near(places[place], reach, |_, distance2| nearest = nearest.min(distance2));
            least[place] = nearest.sqrt();
            nearest.is_infinite()
        });
        reach *= 2.0;
    }
    least
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sphere(centre: Point, radius: f64) -> Sphere {
        Sphere { centre, radius }
    }

    fn surface(atoms: &[Sphere]) -> Vec<Point> {
        outside(&dots(atoms, &vec![true; atoms.len()], PROBE, DENSITY), atoms)
    }

    #[test]
    fn cavities_do_not_count() {
        // A closed shell of atoms whose cavity has room for the probe, and an atom far away.
        let directions = crate::points::directions(150);
        let mut atoms: Vec<Sphere> = directions.map(|direction| sphere(times(direction, 7.0), 1.7)).collect();
        let shell = surface(&atoms);
        let from_middle = |points: &[Point]| points.iter().map(|at| dot(*at, *at).sqrt()).fold(f64::INFINITY, f64::min);
        assert!(from_middle(&shell) > 7.0, "{}", from_middle(&shell));
        // From the middle, all 150 atoms are at 7 Å, and the surface their radius farther, or a little less between them.
        let depth = least_distances(&[[0.0; 3]], &shell)[0];
        assert!((8.0..8.7).contains(&depth), "{depth}");
        atoms.push(sphere([30.0, 0.0, 0.0], 1.7));
        let both = surface(&atoms);
        assert!((least_distances(&[[30.0, 0.0, 0.0]], &both)[0] - 1.7).abs() < 1e-9);
        // Through a hole the solvent gets in.
        let open: Vec<Sphere> = atoms.into_iter().filter(|atom| atom.centre[2] < 4.0).collect();
        assert!(from_middle(&surface(&open)) < 5.5);
    }

    #[test]
    fn distances_are_to_the_nearest_point_however_far() {
        let surface = [[0.0, 0.0, 0.0], [0.0, 50.0, 0.0]];
        assert_eq!(least_distances(&[[1.0, 0.0, 0.0], [0.0, 28.0, 0.0]], &surface), [1.0, 22.0]);
        assert!(least_distances(&[[0.0; 3]], &[])[0].is_nan());
    }
}
