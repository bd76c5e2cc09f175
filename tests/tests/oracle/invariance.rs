//! What must not matter: order and division of a batch (equal bits), position and orientation (equal except for rounding).

use crate::atoms::Atoms;
use crate::residues::residues;
use crate::synthetic::zoo;
use crate::{engine, expected, run, shipped};
use prism_host::{Backend, Engine, StructureInput};
use shared_types::feature::column::*;
use shared_types::{Group, MegaFusedConfig};
use tests::dice::Dice;
use tests::same::assert_same;

fn everything() -> Vec<StructureInput> {
    let mut all = zoo();
    all.extend(shipped::structures());
    all
}

#[test]
fn bits_do_not_depend_on_the_order_of_a_batch() {
    let structures = everything();
    let expected = run(&structures, 12.0);
    let dice = &mut Dice::new(9);
    for _ in 0..3 {
        let mut order: Vec<usize> = (0..structures.len()).collect();
        dice.shuffle(&mut order);
        let shuffled: Vec<_> = order.iter().map(|&i| structures[i].clone()).collect();
        for (&i, features) in order.iter().zip(run(&shuffled, 12.0)) {
            assert_same(&expected[i], &features, "shuffled");
        }
    }
}

#[test]
fn bits_do_not_depend_on_the_cut_of_a_batch() {
    let structures = everything();
    for contact_threshold in [8.0, 25.0] {
        let expected = run(&structures, contact_threshold);
        for atoms in [0, 1, 300, 1000] {
            let config = MegaFusedConfig { contact_threshold, ..MegaFusedConfig::default() };
            let engine = Engine::builder().backend(Backend::Cpu).config(config).batch_atoms(atoms).build().unwrap();
            for (a, b) in expected.iter().zip(&engine.run(&structures).unwrap()) {
                assert_same(a, b, "cut");
            }
        }
        for (i, a) in expected.iter().enumerate() {
            let alone = engine(contact_threshold, 0.0).run(&structures[i..=i]).unwrap();
            assert_same(a, &alone[0], "alone");
        }
    }
}

/// Rotates and moves a structure; f32 rounds each coordinate once more.
fn moved(structure: &StructureInput, shift: [f64; 3]) -> StructureInput {
    // Rotation by a unit quaternion.
    let [w, x, y, z] = [0.5f64, 0.1, -0.7, 0.5].map(|q| q / (1.0f64).sqrt());
    let norm = w * w + x * x + y * y + z * z;
    let s = 2.0 / norm;
    let rows = [
        [1.0 - s * (y * y + z * z), s * (x * y - z * w), s * (x * z + y * w)],
        [s * (x * y + z * w), 1.0 - s * (x * x + z * z), s * (y * z - x * w)],
        [s * (x * z - y * w), s * (y * z + x * w), 1.0 - s * (x * x + y * y)],
    ];
    let mut moved = structure.clone();
    for atom in &mut moved.atoms {
        let p = [atom.x, atom.y, atom.z].map(f64::from);
        let [a, b, c] = [0, 1, 2].map(|i| {
            let turned: f64 = rows[i].iter().zip(p).map(|(r, p)| r * p).sum();
            (turned + shift[i]) as f32
        });
        (atom.x, atom.y, atom.z) = (a, b, c);
    }
    moved
}

/// Allowed change of a column when coordinates change by 4e-6 Å: absolute, and relative to the value.
fn drift(column: usize) -> (f32, f32) {
    match column {
        CONTACT_NUMBER | HSE_UP | HSE_DOWN | LONG_RANGE_CONTACTS | CHARGE_LOCAL => (0.0, 0.0),
        CA_ANGLE | CA_DIHEDRAL => (2e-2, 0.0),
        // The change of an eigenvector is the residual divided by the gap.
        CENTRALITY => (4e-3, 0.0),
        WCN | CENTROID_DISTANCE => (1e-5, 1e-5),
        CX => (1e-5, 1e-5),
        ATOMIC_CONTACTS => (0.0, 0.0),
        // Test points do not rotate with the structure, so areas have the sampling error of that many points. The depths of
        // other atoms depend on which of the barely exposed atoms have area.
        SASA | SASA_APOLAR => (4.0, 0.0),
        RSA => (0.03, 0.0),
        DEPTH => (4.0, 0.0),
        _ => (2e-5, 0.0),
    }
}

#[test]
fn position_and_orientation_do_not_matter() {
    // Structures whose second eigenvalue is below 0.95 of the first.
    let structures: Vec<_> = shipped::structures().into_iter().filter(|s| s.name != "1jcd.pdb").collect();
    let config = MegaFusedConfig { points: 1000, ..MegaFusedConfig::default() };
    let engine = Engine::builder().backend(Backend::Cpu).config(config).build().unwrap();
    let expected = engine.run(&structures).unwrap();
    for shift in [[0.0; 3], [31.0, -17.0, 5.0]] {
        let others: Vec<_> = structures.iter().map(|structure| moved(structure, shift)).collect();
        for ((structure, a), b) in structures.iter().zip(&expected).zip(&engine.run(&others).unwrap()) {
            let doubtful = expected::rows(&residues(structure), 8.0, 1e-4);
            assert!(doubtful.iter().filter(|row| row.doubtful).count() * 20 < doubtful.len(), "{}", a.name);
            assert!((a.summary.area / b.summary.area - 1.0).abs() < 5e-3, "{}: area", a.name);
            let counts = Atoms::new(structure, 20, 1e-4);
            let (rows, others) = (a.rows(), b.rows());
            let apart = |i: usize| (rows[i].columns[SITE_SCORE] - others[i].columns[SITE_SCORE]).abs();
            let mean = (0..a.n_residues).map(apart).sum::<f32>() / a.n_residues as f32;
            assert!(mean < 0.06, "{}: site_score, {mean} apart", a.name);
            for i in (0..a.n_residues).filter(|&i| !doubtful[i].doubtful) {
                let doubtful = counts.doubtful_counts(i);
                for feature in Group::Residue.features() {
                    let (x, y) = (rows[i].columns[feature.column], others[i].columns[feature.column]);
                    if doubtful.contains(&feature.column) {
                        continue;
                    }
                    let (absolute, relative) = match feature.column {
                        // Points do not rotate with the structure.
                        SITE_SCORE => (0.5, 0.0),
                        column => drift(column),
                    };
                    let mut off = (x - y).abs();
                    if feature.column == CA_DIHEDRAL {
                        off = off.min((360.0 - off).abs());
                    }
                    let alike = if x.is_nan() { y.is_nan() } else { off <= absolute + relative * x.abs() };
                    assert!(alike, "{} row {i} {}: {x}, then {y}", a.name, feature.name);
                }
            }
        }
    }
}
