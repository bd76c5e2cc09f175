use super::{Point, RADII, areas};
use std::f64::consts::PI;

/// Areas by testing each point against every atom, as mkdssp does: points and distances in single precision, compared in double.
fn plain_areas(atoms: &[(u8, Point)]) -> Vec<f32> {
    let golden = (1.0 + 5.0_f32.sqrt()) / 2.0;
    let points: Vec<Point> = (-200..=200)
        .map(|i| {
            let latitude = ((2.0 * i as f32) / 401.0).asin();
            let longitude = ((f64::from(i) % f64::from(golden)) * 2.0 * PI / f64::from(golden)) as f32;
            [longitude.sin() * latitude.cos(), longitude.cos() * latitude.cos(), latitude.sin()]
        })
        .collect();
    let distance2 = |a: Point, b: Point| {
        let [x, y, z] = [0, 1, 2].map(|axis| a[axis] - b[axis]);
        f64::from(x * x + y * y + z * z)
    };
    let reach = |kind: u8| f64::from(RADII[usize::from(kind)]) + f64::from(1.4_f32);
    let area = |&(kind, place): &(u8, Point)| {
        let radius = RADII[usize::from(kind)] + 1.4;
        let touching = atoms.iter().filter(|(other, at)| {
            let distance2 = distance2(place, *at);
            distance2 > 0.0001 && distance2 < (reach(kind) + reach(*other)).powi(2)
        });
        let to = touching.map(|(other, at)| ([0, 1, 2].map(|axis| at[axis] - place[axis]), reach(*other).powi(2)));
        let to: Vec<(Point, f64)> = to.collect();
        let is_free = |point: &&Point| {
            let point = point.map(|along| along * radius);
            to.iter().all(|(to, reach2)| distance2(point, *to) > *reach2)
        };
        let weight = (4.0 * PI / 401.0) as f32;
        let sum = points.iter().filter(is_free).fold(0.0, |sum: f32, _| sum + weight);
        sum * radius * radius
    };
    atoms.iter().map(area).collect()
}

/// Atoms of all kinds in a box, some of them very close to another one.
fn atoms(number: usize, edge: f32, corner: f32) -> Vec<(u8, Point)> {
    let mut state = 7_u64;
    let mut random = || {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 40) as f32 / (1_u64 << 24) as f32
    };
    let mut atoms: Vec<(u8, Point)> = Vec::new();
    for index in 0..number {
        let kind = (random() * 5.0) as u8;
        let place = [(); 3].map(|()| corner + random() * edge);
        let shift = [0.0, 0.005, 0.011, 0.05][index / 16 % 4];
        atoms.push(match atoms.last() {
            Some((_, last)) if index % 16 == 0 => (kind, last.map(|along| along + shift)),
            _ => (kind, place),
        });
    }
    atoms
}

#[test]
fn areas_are_those_of_testing_every_point_against_every_atom() {
    for (number, edge, corner) in
        [(1, 1.0, 0.0), (2, 3.0, 5.0), (40, 14.0, -7.0), (700, 24.0, -12.0), (700, 24.0, 5000.0), (300, 6.0, 0.0)]
    {
        let atoms = atoms(number, edge, corner);
        assert_eq!(areas(&atoms), plain_areas(&atoms), "{number} atoms in {edge} Å from {corner} Å");
    }
}

#[test]
fn areas_are_right_in_the_directions_at_which_cells_of_the_tables_meet() {
    // Along axes and diagonals, and in planes between them.
    let steps = [-4.0, -2.0, -1.0, 0.0, 1.0, 2.0, 4.0];
    for (kind, other) in [(0, 4), (1, 3), (3, 1), (4, 4)] {
        for (x, y, z) in steps.iter().flat_map(|x| steps.iter().flat_map(move |y| steps.map(|z| (*x, *y, z)))) {
            let pair = [(kind, [0.0; 3]), (other, [x, y, z].map(|along: f32| along * 0.8))];
            assert_eq!(areas(&pair), plain_areas(&pair), "an atom in the direction {x}, {y}, {z}");
        }
    }
}
