//! Heavy atoms in known arrangements, and closer together or deeper than in proteins.

use crate::synthetic::of_all_points;
use crate::{assert_right, run};
use prism_host::StructureInput;
use shared_types::feature::column::*;
use std::f32::consts::PI;
use tests::dice::Dice;

fn columns(structure: StructureInput, row: usize) -> [f32; 32] {
    run(&[structure], 8.0)[0].rows()[row].columns
}

/// Accessible area of an atom of radius 1.88 Å with a probe of 1.4 Å.
const WHOLE: f32 = 4.0 * PI * 3.28 * 3.28;

#[test]
fn an_atom_alone_is_all_exposed() {
    let found = columns(of_all_points("alone", [[0.0; 3]]), 0);
    assert!((found[SASA] - WHOLE).abs() < 1e-4, "{}", found[SASA]);
    assert_eq!(found[SASA_APOLAR], found[SASA], "it is a carbon");
    // An alanine.
    assert!((found[RSA] - WHOLE / 129.0).abs() < 1e-6 && found[RSA] > 1.0, "{} is not clipped", found[RSA]);
    assert!((found[CX] - (4188.79 - 20.1) / 20.1).abs() < 1e-3, "{}", found[CX]);
    assert_eq!((found[DEPTH], found[ATOMIC_CONTACTS]), (0.0, 0.0));
}

#[test]
fn only_carbon_and_sulfur_are_apolar() {
    let apolar = |radius: f32| {
        let mut structure = of_all_points("one", [[0.0; 3]]);
        structure.atoms[0].radius = radius;
        let found = columns(structure, 0);
        assert!(found[SASA] > 0.0);
        found[SASA_APOLAR] == found[SASA]
    };
    assert!([1.61, 1.76, 1.88, 1.77].into_iter().all(apolar));
    assert!(![1.64, 1.42, 1.46, 1.7].into_iter().any(apolar));
}

#[test]
fn exposure_counts_at_most_once_for_velocity() {
    let mut structure = of_all_points("alone", [[0.0; 3]]);
    structure.gisaid_velocity = vec![-0.25];
    assert_eq!(columns(structure.clone(), 0)[EXPOSED_VELOCITY], -0.25, "a relative area above 1 counts as 1");
    // The rsa of a tryptophan is below 1.
    structure.residue_types = vec![17];
    let found = columns(structure, 0);
    assert!(found[RSA] < 1.0);
    assert!((found[EXPOSED_VELOCITY] + 0.25 * found[RSA]).abs() < 1e-7);
}

#[test]
fn limits_of_distances_belong_to_what_is_near() {
    let at = |distance: f32| {
        let mut structure = of_all_points("two", [[0.0; 3], [distance, 0.0, 0.0]]);
        // Neighbours in a chain are not counted.
        assert_eq!(columns(structure.clone(), 0)[ATOMIC_CONTACTS], 0.0);
        (structure.chain_ids, structure.chains) = (vec![0, 1], vec!["A".to_owned(), "B".to_owned()]);
        let found = columns(structure, 0);
        (found[ATOMIC_CONTACTS], if found[CX] > 150.0 { 1 } else { 2 })
    };
    assert_eq!(at(4.5), (1.0, 2));
    assert_eq!(at(4.5f32.next_up()), (0.0, 2));
    assert_eq!(at(10.0), (0.0, 2));
    assert_eq!(at(10.0f32.next_up()), (0.0, 1));
}

#[test]
fn an_atom_in_a_larger_ones_place_is_covered_and_equal_ones_are_not() {
    let structure = of_all_points("two in one place", [[1.0, 2.0, 3.0]; 2]);
    let found = columns(structure.clone(), 0);
    assert!((found[SASA] - WHOLE).abs() < 1e-4);
    let mut structure = structure;
    structure.atoms[1].radius = 1.42;
    let found = run(&[structure], 8.0);
    assert!((found[0].rows()[0].columns[SASA] - WHOLE).abs() < 1e-4);
    assert_eq!(found[0].rows()[1].columns[SASA], 0.0);
    assert_eq!(found[0].rows()[1].columns[DEPTH], 0.0, "the atom that covers it lies in its place");
}

/// More neighbours than any atom of a protein has.
#[test]
fn crowds_are_counted_right() {
    let dice = &mut Dice::new(11);
    for (n, side) in [(150, 6.0), (400, 8.0), (600, 20.0)] {
        let points: Vec<[f32; 3]> = (0..n).map(|_| [0; 3].map(|_| side * dice.roll())).collect();
        let mut structure = of_all_points(&format!("{n} atoms within {side} Å"), points);
        for atom in &mut structure.atoms {
            atom.radius = [1.42, 1.64, 1.88][(3.0 * dice.roll()) as usize % 3];
        }
        assert_right(&[structure], 2.0);
    }
}

/// A dense ball, whose centre is several cells away from the nearest exposed atom.
#[test]
fn depth_is_found_however_deep() {
    let places = -6..=6;
    let points = places.clone().flat_map(|x| places.clone().flat_map(move |y| (-6..=6).map(move |z| [x, y, z])));
    let ball: Vec<[f32; 3]> = points
        .filter(|[x, y, z]| x * x + y * y + z * z <= 36)
        .map(|[x, y, z]| [2.53 * x as f32, 2.47 * y as f32, 2.51 * z as f32])
        .collect();
    let structure = of_all_points("ball", ball);
    let depths = run(std::slice::from_ref(&structure), 2.0)[0].column(DEPTH).fold(0.0, f32::max);
    assert!(depths > 10.5, "{depths}");
    assert_right(&[structure], 2.0);
}

/// A solid ball of 23,000 atoms, thicker than any protein: the search ends at 40 Å.
#[test]
fn atoms_deeper_than_any_have_no_depth() {
    let places = -18..=18;
    let points = places.clone().flat_map(|x| places.clone().flat_map(move |y| (-18..=18).map(move |z| [x, y, z])));
    let ball: Vec<[f32; 3]> =
        points.filter(|[x, y, z]| x * x + y * y + z * z <= 324).map(|at| at.map(|k| 2.5 * k as f32)).collect();
    let from_surface: Vec<f32> = ball.iter().map(|at| 45.0 - at.iter().map(|x| x * x).sum::<f32>().sqrt()).collect();
    let structure = of_all_points("ball", ball);
    let selection = prism_host::output::Columns::choose(["depth"]).unwrap().selection();
    let engine = prism_host::Engine::builder().backend(prism_host::Backend::Cpu).selection(selection).build().unwrap();
    let found = engine.run(&[structure]).unwrap();
    let depths = found[0].named("depth").unwrap();
    for (depth, least) in depths.iter().zip(&from_surface) {
        match *least {
            least if least > 42.0 => assert!(depth.is_nan(), "{depth} {least} Å below the surface"),
            least if least < 36.0 => assert!((depth - least).abs() < 4.0, "{depth} {least} Å below the surface"),
            _ => assert!(depth.is_nan() || *depth <= 40.0, "{depth}"),
        }
    }
    assert!(depths.iter().filter(|depth| depth.is_nan()).count() > 5);
}
