//! The group of positions, compared with the text of the files.

use prism_host::read::{ReadOptions, read_bytes};
use prism_host::{Backend, Engine};

/// One alpha carbon per line, with the given columns.
fn pdb(lines: &[(&str, &str, &str, &str)]) -> String {
    let line = |(i, (x, y, z, b)): (usize, &(&str, &str, &str, &str))| {
        let number = i + 1;
        format!("ATOM  {number:>5}  CA  ALA A{number:>4}    {x:>8}{y:>8}{z:>8}  1.00{b:>6}           C\n")
    };
    lines.iter().enumerate().map(line).collect()
}

/// All far from the origin and from each other, so that coordinates relative to the centre are rounded.
#[test]
fn coordinates_are_those_of_the_file_to_the_bit() {
    let lines: Vec<_> = (0..2000)
        .map(|i| {
            let at = |scale: i64, shift: i64| {
                let thousandths = (i * scale * 7919) % 1_999_983 - 999_991 + shift;
                let sign = if thousandths < 0 { "-" } else { "" };
                format!("{sign}{}.{:03}", thousandths.abs() / 1000, thousandths.abs() % 1000)
            };
            (at(1, 0), at(3, 1), at(11, -2), format!("{}.{:02}", i % 150, i % 100))
        })
        .collect();
    let lines: Vec<_> = lines.iter().map(|(x, y, z, b)| (&**x, &**y, &**z, &**b)).collect();
    let read = read_bytes(pdb(&lines).as_bytes(), "far", &ReadOptions::default()).unwrap();
    let engine = Engine::builder().backend(Backend::Cpu).build().unwrap();
    let features = &engine.run(&[read.structure]).unwrap()[0];
    let column = |name: &str| features.named(name).expect("a column").to_vec();
    let found = [column("ca_x"), column("ca_y"), column("ca_z"), column("b_factor")];
    for (row, (x, y, z, b)) in lines.iter().enumerate() {
        for (text, found) in [x, y, z, b].into_iter().zip(&found) {
            let expected: f32 = text.parse().unwrap();
            assert_eq!(found[row], expected, "row {row}: {text}");
        }
    }
}

/// A predicted model's confidences are not B factors, but are still written.
#[test]
fn a_confidence_is_a_b_column() {
    let lines = [("1.000", "2.000", "3.000", "91.50"), ("4.800", "2.000", "3.000", "40.25")];
    let text = format!("TITLE     ALPHAFOLD MONOMER V2.0 PREDICTION\n{}", pdb(&lines));
    let read = read_bytes(text.as_bytes(), "predicted", &ReadOptions::default()).unwrap();
    assert!(read.structure.bfactor.iter().all(|b| b.is_nan()));
    let features = &Engine::builder().backend(Backend::Cpu).build().unwrap().run(&[read.structure]).unwrap()[0];
    assert_eq!(features.named("b_factor"), Some(&[91.5, 40.25][..]));
    assert!(features.named("bfactor_z").is_some_and(|z| z.iter().all(|z| z.is_nan())));
}

#[test]
fn a_residue_without_an_alpha_carbon_is_nowhere() {
    let text = "\
ATOM      1  CB  ALA A   1       1.000   2.000   3.000  1.00 10.00           C
ATOM      2  CA  ALA A   2       4.800   2.000   3.000  1.00 12.00           C
";
    let read = read_bytes(text.as_bytes(), "two", &ReadOptions::default()).unwrap();
    let features = &Engine::builder().backend(Backend::Cpu).build().unwrap().run(&[read.structure]).unwrap()[0];
    for name in ["ca_x", "ca_y", "ca_z", "b_factor"] {
        let column = features.named(name).expect("a column");
        assert_eq!(column[0].to_bits(), 0x7fc0_0000, "{name}");
        assert!(column[1].is_finite(), "{name}");
    }
}

/// The error of a coordinate with more decimals is at most the rounding to `f32`.
#[test]
fn other_coordinates_are_as_near_as_they_can_be() {
    use prism_host::{Composition, StructureInput};
    use shared_types::Atom;
    let center = [1_000.123_456_789, -0.000_4, 37.5];
    let relative = [0.000_123_4_f32, 17.250_11, -99.999_99];
    let structure = StructureInput {
        atoms: vec![Atom { x: relative[0], y: relative[1], z: relative[2], radius: 1.88 }].into(),
        center,
        ..Composition {
            name: "one".to_owned(),
            residue_atoms: vec![0, 1],
            ca_indices: vec![0],
            residue_types: vec![0],
            chain_ids: vec![0],
            chains: vec!["A".to_owned()],
            residue_numbers: vec![1],
            insertion_codes: vec!["".into()],
            ..Composition::default()
        }
        .into()
    };
    let features = &Engine::builder().backend(Backend::Cpu).build().unwrap().run(&[structure]).unwrap()[0];
    for (axis, name) in ["ca_x", "ca_y", "ca_z"].into_iter().enumerate() {
        let expected = f64::from(relative[axis]) + center[axis];
        let found = f64::from(features.named(name).expect("a column")[0]);
        let spacing = f64::from(f32::EPSILON) * (expected.abs() + f64::from(relative[axis].abs()));
        assert!((found - expected).abs() <= spacing, "{name}: {found}, expected {expected}");
    }
}
