//! To which side limits belong, and where columns are undefined.

use crate::synthetic::{annotate, coil, of_all_points, of_points};
use crate::{engine, name_of, run, shipped};
use prism_host::StructureInput;
use shared_types::Group;
use shared_types::feature::column::*;
use tests::dice::Dice;

/// Lysines, whose charge is 1, at the given distances from the first.
fn at_distances(distances: &[f32]) -> StructureInput {
    // Directions of Pythagorean triples make the distances exact and keep the residues apart.
    let points = distances.iter().enumerate().map(|(i, d)| match i % 3 {
        0 => [0.6 * d, 0.8 * d, 0.0],
        1 => [-d, 0.0, 0.0],
        _ => [0.0, 0.0, -d],
    });
    let mut structure = of_all_points("distances", [[0.0; 3]].into_iter().chain(points));
    structure.residue_types = vec![11; distances.len() + 1];
    structure
}

#[test]
fn a_contact_is_closer_than_the_threshold() {
    let next_below = 8.0f32.next_down();
    for (distances, expected) in [(vec![8.0, 8.0, 8.0], 0.0), (vec![next_below, next_below, 8.0], 2.0)] {
        let found = run(&[at_distances(&distances[1..])], 8.0)[0].rows()[0].columns[CONTACT_NUMBER];
        assert_eq!(found, if expected == 0.0 { 0.0 } else { 1.0 }, "{distances:?}");
    }
}

#[test]
fn charges_reach_to_10_angstroms_and_no_further() {
    let found = run(&[at_distances(&[10.0, 10.0, 10.0f32.next_up()])], 8.0)[0].rows()[0].columns[CHARGE_LOCAL];
    assert_eq!(found, 3.0, "itself, and two at 10 Å");
}

#[test]
fn weighted_means_reach_to_18_angstroms() {
    let mut structure = at_distances(&[18.0, 18.0, 18.0f32.next_down()]);
    structure.conservation = vec![f32::NAN, 0.25, 0.25, 0.5];
    let found = run(&[structure], 8.0)[0].rows()[0].columns;
    assert_eq!(found[CONSERVATION_LOCAL], 0.5, "the one that is closer than 18 Å");
    assert!(found[CONSERVATION].is_nan());
}

/// Three linked residues in an arch whose side chain points along +y, and linked pairs elsewhere.
fn arch(others: &[[f32; 3]]) -> StructureInput {
    let mut points = vec![[-3.0, -2.0, 0.0], [0.0, 0.0, 0.0], [3.0, -2.0, 0.0]];
    points.extend(others);
    let mut structure = of_all_points("arch", points);
    for i in 3..structure.n_residues() {
        structure.chain_ids[i] = 1 + (i as u32 - 3) / 2;
    }
    structure.chains = (0..structure.n_residues()).map(|i| i.to_string()).collect();
    structure
}

#[test]
fn half_spheres_have_their_limits() {
    let half_spheres = |others: &[[f32; 3]]| {
        let row = run(&[arch(others)], 8.0)[0].rows()[1].columns;
        (row[HSE_UP], row[HSE_DOWN])
    };
    // The two neighbours lie below.
    assert_eq!(half_spheres(&[]), (0.0, 2.0));
    assert_eq!(half_spheres(&[[0.0, 9.0, 0.0], [0.0, 11.0, 0.0]]), (2.0, 2.0));
    assert_eq!(half_spheres(&[[0.0, 9.0, 0.0], [0.0, 12.0, 0.0]]), (1.0, 2.0), "12 Å are too far");
    assert_eq!(half_spheres(&[[0.0, 0.0, 9.0], [0.0, 0.0, 10.0]]), (0.0, 4.0), "sideways is down");
    assert_eq!(half_spheres(&[[0.0, 0.0, 0.0], [0.0, 1.0, 0.0]]), (1.0, 3.0), "so is what lies in its own place");
    assert_eq!(half_spheres(&[[0.0, 9.0, 0.0]]), (0.0, 2.0), "a residue alone is no fragment");
    assert_eq!(half_spheres(&[[0.0, 5.0, 0.0], [0.0, 9.5, 0.0]]), (0.0, 2.0), "nor are two that are 4.5 Å apart");
}

#[test]
fn angles_are_those_of_known_figures() {
    let points = [[3.0, 0.0, 0.0], [0.0, 0.0, 0.0], [0.0, 3.0, 0.0]];
    let dihedral = |fourth: [f32; 3]| {
        let structure = of_all_points("figure", points.into_iter().chain([fourth]));
        let rows = &run(&[structure], 8.0)[0].rows();
        assert_eq!(rows[1].columns[CA_ANGLE], 90.0);
        assert!(rows[0].columns[CA_ANGLE].is_nan() && rows[3].columns[CA_ANGLE].is_nan());
        assert!(rows[2].columns[CA_DIHEDRAL].is_nan(), "it has no row two further on");
        rows[1].columns[CA_DIHEDRAL]
    };
    assert_eq!(dihedral([3.0, 3.0, 0.0]), 0.0, "cis");
    assert_eq!(dihedral([-3.0, 3.0, 0.0]), 180.0, "trans");
    assert_eq!(dihedral([0.0, 3.0, 3.0]), -90.0, "anticlockwise, seen along the middle");
    assert_eq!(dihedral([0.0, 3.0, -3.0]), 90.0, "clockwise");
    assert!(dihedral([0.0, 6.0, 0.0]).is_nan(), "no plane");
    assert!(dihedral([0.0, 3.0, 0.0]).is_nan(), "in one place");
    assert!(dihedral([0.0, 8.0, 0.0]).is_nan(), "not linked");
}

/// The interval of dihedrals is (-180, 180].
#[test]
fn a_dihedral_is_never_minus_180() {
    let mut structures = Vec::new();
    for exponent in 1..40 {
        for z in [2.0f32.powi(-exponent), -(2.0f32.powi(-exponent))] {
            let points = [[3.0, 0.0, 0.0], [0.0, 0.0, 0.0], [0.0, 3.0, 0.0], [-3.0, 3.0, z]];
            structures.push(of_all_points(&format!("z = {z:e}"), points));
        }
    }
    for features in run(&structures, 8.0) {
        let dihedral = features.rows()[1].columns[CA_DIHEDRAL];
        assert!(dihedral > -180.0 && dihedral <= 180.0, "{}: {dihedral}", features.name);
    }
}

/// Columns that a residue without an alpha carbon lacks.
const NEED_A_CA: &[usize] = &[0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 18, 20, 22, 23, 25, 28, 29, 30];

#[test]
fn without_an_alpha_carbon_no_place_is_known() {
    let dice = &mut Dice::new(5);
    let mut points: Vec<_> = coil(30, dice).into_iter().map(Some).collect();
    points[12] = None;
    let mut structure = annotate(of_points("hole", &points), dice);
    // The B factor belongs to another atom, and must not count.
    structure.bfactor[12] = 1e9;
    (structure.conservation[12], structure.gisaid_freq[12], structure.gisaid_velocity[12]) = (0.5, 0.25, 0.125);
    let rows = &run(&[structure], 8.0)[0].rows();
    for feature in Group::Residue.features() {
        let value = rows[12].columns[feature.column];
        assert_eq!(value.is_nan(), NEED_A_CA.contains(&feature.column), "{}: {value}", feature.name);
    }
    assert!(rows.iter().all(|row| row.columns[BFACTOR_Z].is_nan() || row.columns[BFACTOR_Z].abs() < 6.0));
}

/// Input NaNs may have any bits; output NaNs have fixed bits.
#[test]
fn every_nan_is_written_alike() {
    let dice = &mut Dice::new(6);
    let mut structure = annotate(of_all_points("NaNs", coil(40, dice)), dice);
    for (i, bits) in [0x7fc0_0001, 0xffc0_0000, 0x7f80_0001, 0xffff_ffff, 0x7fff_ffff].into_iter().enumerate() {
        let nan = f32::from_bits(bits);
        (structure.conservation[i], structure.gisaid_freq[i]) = (nan, nan);
        (structure.gisaid_velocity[i], structure.bfactor[i]) = (nan, nan);
    }
    for row in &run(&[structure], 8.0)[0].rows() {
        for (column, value) in row.columns.iter().enumerate() {
            assert!(!value.is_nan() || value.to_bits() == 0x7fc0_0000, "{}: {:x}", name_of(column), value.to_bits());
        }
    }
}

#[test]
fn small_features_are_written_as_0_and_nothing_else_changes() {
    let structures = shipped::structures();
    let whole = run(&structures[..2], 8.0);
    for least in [0.02f32, 0.1, 2.0] {
        let cut = engine(8.0, least).run(&structures[..2]).unwrap();
        let mut zeroed = 0;
        for (a, b) in whole.iter().zip(&cut) {
            assert_eq!(a.summary, b.summary);
            for (a, b) in a.rows().iter().zip(&b.rows()) {
                for (a, b) in a.columns.iter().zip(b.columns) {
                    let expected = if a.abs() < least { 0.0 } else { *a };
                    zeroed += usize::from(expected.to_bits() != a.to_bits());
                    assert_eq!(expected.to_bits(), b.to_bits(), "{a} at {least}");
                }
            }
        }
        assert!(zeroed > 0, "{least}");
    }
    // A value of exactly this magnitude stays.
    let mut edge = of_all_points("edge", [[0.0; 3]]);
    edge.conservation = vec![-0.5];
    assert_eq!(engine(8.0, 0.5).run(&[edge]).unwrap()[0].rows()[0].columns[CONSERVATION], -0.5);
}
