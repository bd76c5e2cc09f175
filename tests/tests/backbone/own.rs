//! Rows compared with the oracle, and equal bits however they are computed.

use crate::{launch, oracle};
use cuda_std::launch::CpuExecutor;
use prism_host::{Backend, Engine, StructureInput};
use shared_types::Group;
use shared_types::backbone::{NO_ATOM, RoleAtoms, SecondaryStructure};
use shared_types::feature::{BackboneRow, column};
use tests::data;
use tests::dice::Dice;
use tests::synthetic::{self, Recipe};

fn run(structures: &[StructureInput]) -> Vec<Vec<BackboneRow>> {
    launch::rows(&CpuExecutor::new(), structures, 64, u32::MAX)
}

/// The errors in a row.
fn faults(expected: &oracle::Expected, row: &BackboneRow, with_state: bool) -> Vec<String> {
    let mut faults = Vec::new();
    let names = ["phi", "psi", "omega", "chi1", "chi2", "chi3", "chi4"];
    for (name, (expected, found)) in names.iter().zip(expected.angles.iter().zip(row.columns)) {
        let right = match expected {
            None => found.to_bits() == 0x7fc0_0000,
            Some(angle) => {
                let off = (f64::from(found) - angle + 540.0).rem_euclid(360.0) - 180.0;
                off.abs() < 5e-3 && found > -180.0 && found <= 180.0
            }
        };
        if !right {
            faults.push(format!("{name} {found}, expected {expected:?}"));
        }
    }
    let energies = [("nh", expected.nh, column::HBOND_ENERGY_NH), ("co", expected.co, column::HBOND_ENERGY_CO)];
    for (name, expected, at) in energies {
        let found = row.columns[at];
        let right = match expected {
            None => found.to_bits() == 0x7fc0_0000,
            // Rounding may change the last digit.
            Some(energy) => (f64::from(found) - energy).abs() < 1.001e-3,
        };
        if !right {
            faults.push(format!("{name} {found}, expected {expected:?}"));
        }
    }
    let state = SecondaryStructure::letter(row.columns[column::SS]);
    if with_state && state != expected.state.map_or(String::new(), String::from) {
        faults.push(format!("{state:?}, expected {:?}", expected.state));
    }
    faults
}

/// Compares structures. Returns the number of structures without doubtful states, and the letters of all.
fn check(structures: &[StructureInput]) -> (usize, String) {
    let (mut certain, mut letters) = (0, String::new());
    for (structure, rows) in structures.iter().zip(run(structures)) {
        let answer = oracle::answer(structure);
        certain += usize::from(!answer.doubtful);
        for (i, (expected, row)) in answer.rows.iter().zip(&rows).enumerate() {
            let faults = faults(expected, row, !answer.doubtful);
            assert!(faults.is_empty(), "{} row {i}: {}", structure.name, faults.join(", "));
        }
        letters.extend(rows.iter().map(|row| SecondaryStructure::letter(row.columns[column::SS])));
    }
    (certain, letters)
}

/// A real structure with moved atoms, so that bonds, ladders and turns change.
fn shaken(structure: &StructureInput, shift: f64, seed: u64) -> StructureInput {
    let dice = &mut Dice::new(seed);
    let mut shaken = structure.clone();
    for atom in &mut shaken.atoms {
        for x in [&mut atom.x, &mut atom.y, &mut atom.z] {
            *x += (shift * dice.normal()) as f32;
        }
    }
    shaken.name = format!("{} shaken by {shift} with seed {seed}", structure.name);
    shaken
}

#[test]
fn shipped_structures_have_what_is_defined() {
    let structures = data::shipped();
    let (certain, letters) = check(&structures);
    assert!(certain * 2 > structures.len(), "{certain} of {}", structures.len());
    for state in "-HBEGPTS".chars() {
        assert!(letters.contains(state), "no {state} in {letters}");
    }
}

#[test]
fn shaken_structures_have_what_is_defined() {
    let shipped = data::shipped();
    let structures: Vec<_> =
        (0..30).map(|seed| shaken(&shipped[seed % shipped.len()], 0.05 + 0.01 * seed as f64, seed as u64)).collect();
    let (certain, letters) = check(&structures);
    assert!(certain * 2 > structures.len(), "{certain} of {}", structures.len());
    for state in "-HBEGIPTS".chars() {
        assert!(letters.contains(state), "no {state} in {letters}");
    }
}

#[test]
fn odd_structures_have_what_is_defined() {
    let mut structures = Vec::new();
    for n in [1, 2, 3, 4, 5, 6, 31, 32, 33, 127, 128, 129, 300] {
        structures.push(Recipe::new(n, n as u64).chains(1 + n / 50).build());
    }
    // Residues that lack one of their atoms, also at the ends.
    let mut holes = data::shipped().remove(0);
    for (i, words) in holes.roles.iter_mut().enumerate() {
        let mut roles = RoleAtoms::of_words(*words);
        match i % 13 {
            0 => roles.o = NO_ATOM,
            4 => roles.n = NO_ATOM,
            9 => roles.c = NO_ATOM,
            _ => {}
        }
        *words = roles.words();
    }
    (0..holes.n_residues()).step_by(17).for_each(|residue| synthetic::remove_ca(&mut holes, residue));
    structures.push(holes);
    // All atoms of one residue at one point, and C on O.
    let mut crowded = Recipe::new(60, 4).build();
    for atom in 80..120 {
        crowded.atoms[atom] = crowded.atoms[80];
    }
    crowded.atoms[10] = crowded.atoms[11];
    structures.push(crowded);
    check(&structures);
}

/// A cyclic peptide of glycines: its atoms lie on a circle, and alternate in height so that all dihedral angles are defined.
fn ring(residues: usize, first: usize) -> StructureInput {
    let atoms = 3 * residues;
    let radius = 1.4 / (2.0 * (std::f64::consts::PI / atoms as f64).sin());
    let place = |step: usize, away: f64| {
        let turn = std::f64::consts::TAU * step as f64 / atoms as f64;
        let height = [0.3, -0.2, 0.1, 0.25, -0.35][step % atoms % 5];
        [(radius + away) * turn.cos(), (radius + away) * turn.sin(), height]
    };
    let mut text = String::new();
    for number in 0..residues {
        let step = 3 * ((first + number) % residues);
        for (name, at) in [
            ("N", place(step, 0.0)),
            ("CA", place(step + 1, 0.0)),
            ("C", place(step + 2, 0.0)),
            ("O", place(step + 2, 1.2)),
        ] {
            let [x, y, z] = at;
            text += &format!(
                "ATOM      1  {name:<3} GLY A{:4}    {x:8.3}{y:8.3}{z:8.3}  1.00 10.00           {}\n",
                number + 1,
                &name[..1]
            );
        }
    }
    prism_host::read::read_bytes(text.as_bytes(), "ring", &Default::default()).expect("a peptide").structure
}

#[test]
fn cyclic_peptides_have_the_same_angles_wherever_they_begin() {
    for n in [3, 4, 5, 12, 200] {
        let angles = |first: usize| -> Vec<[f32; 3]> {
            let structure = ring(n, first);
            assert_eq!(structure.closures[0], n as u32 - 1);
            check(std::slice::from_ref(&structure));
            let rows = run(&[structure]).remove(0);
            rows.iter().map(|row| [column::PHI, column::PSI, column::OMEGA].map(|at| row.columns[at])).collect()
        };
        let expected = angles(0);
        assert!(expected.iter().flatten().all(|angle| angle.is_finite()), "{expected:?}");
        for first in [1, 2, n - 1] {
            for (i, row) in angles(first).iter().enumerate() {
                let same = row.iter().zip(expected[(first + i) % n]);
                // The centre that positions are relative to differs in its last bits.
                assert!(
                    same.clone().all(|(a, b)| ((a - b + 540.0).rem_euclid(360.0) - 180.0).abs() < 0.01),
                    "{n} {first} {i}"
                );
            }
        }
    }
}

#[test]
fn a_ring_that_is_open_is_linear() {
    let mut structure = ring(12, 0);
    let n = structure.residue_atoms[0] as usize;
    structure.atoms[n].z += 8.0;
    structure.find_closures();
    let rows = run(&[structure]).remove(0);
    assert!(rows[0].columns[column::PHI].is_nan() && rows[11].columns[column::PSI].is_nan());
}

#[test]
fn no_roles_are_rows_of_nothing() {
    let mut structure = Recipe::new(5, 1).build();
    structure.roles.clear();
    for row in &run(&[structure])[0] {
        assert_eq!(row.columns.map(f32::to_bits), [0x7fc0_0000; 12]);
    }
}

#[test]
fn order_items_and_company_change_no_bit() {
    let mut structures = data::shipped();
    structures.extend((0..8).map(|seed| shaken(&structures[0], 0.2, seed)).collect::<Vec<_>>());
    structures.push(Recipe::new(700, 3).chains(4).build());
    let words = |rows: &[Vec<BackboneRow>]| -> Vec<Vec<u32>> {
        rows.iter().map(|rows| bytemuck::cast_slice(rows).to_vec()).collect()
    };
    let expected = words(&run(&structures));
    for (seed, largest) in [(0, u32::MAX), (1, 0), (2, 100)] {
        let executor = CpuExecutor::shuffled(seed);
        assert_eq!(words(&launch::rows(&executor, &structures, 37 + seed as u32, largest)), expected);
    }
    for (structure, expected) in structures.iter().zip(&expected) {
        assert_eq!(&words(&run(std::slice::from_ref(structure)))[0], expected, "{}", structure.name);
    }
}

/// The engine's columns equal the kernels' rows, also if only angles are requested.
#[test]
fn the_engine_computes_the_same_rows() {
    let mut structures = data::shipped();
    structures.push(Recipe::new(1200, 5).chains(2).build());
    let expected = run(&structures);
    let engine = Engine::builder().backend(Backend::Cpu).build().unwrap();
    for (found, rows) in engine.run(&structures).unwrap().iter().zip(&expected) {
        for feature in Group::Backbone.features() {
            let values: Vec<u32> =
                found.view().feature(feature).expect("asked for").iter().map(|x| x.to_bits()).collect();
            let right: Vec<u32> = rows.iter().map(|row| row.columns[feature.column].to_bits()).collect();
            assert!(values == right, "{} of {}", feature.name, found.name);
        }
    }
}

#[test]
fn a_wrong_value_is_seen() {
    let structure = data::shipped().remove(1);
    let (answer, rows) = (oracle::answer(&structure), run(std::slice::from_ref(&structure)));
    let right = rows[0][20];
    let wrong: [fn(&mut [f32; 12]); 6] = [
        |columns| columns[column::PHI] += 0.1,
        |columns| columns[column::OMEGA] = -columns[column::OMEGA],
        |columns| columns[column::CHI1] = f32::NAN,
        |columns| columns[column::HBOND_ENERGY_NH] -= 0.002,
        |columns| columns[column::HBOND_ENERGY_CO] = f32::NAN,
        |columns| columns[column::SS] = (columns[column::SS] + 1.0) % 9.0,
    ];
    assert!(faults(&answer.rows[20], &right, true).is_empty());
    for change in wrong {
        let mut row = right;
        change(&mut row.columns);
        assert_eq!(faults(&answer.rows[20], &row, true).len(), 1);
    }
}
