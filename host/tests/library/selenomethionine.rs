//! Selenomethionine gives the results of methionine in its place, except for the selenium.

use prism_host::read::{ReadOptions, read_bytes};
use prism_host::{Backend, Engine, StructureInput};
use shared_types::FEATURES;
use std::io::Read;

/// HIV capsid with four selenomethionines, and with methionines in their place.
fn both() -> [StructureInput; 2] {
    let mut text = String::new();
    let file = std::fs::File::open("../tests/data/1a8o.cif.gz").unwrap();
    flate2::read::GzDecoder::new(file).read_to_string(&mut text).unwrap();
    let line = |line: &str| {
        if line.starts_with("ATOM") && line.contains(" MSE ") {
            // Element, name, and the author's name.
            return line.replace("MSE", "MET").replace("SE SE  .", "S  SD  .").replace(" SE  ", " SD  ") + "\n";
        }
        line.to_owned() + "\n"
    };
    let renamed: String = text.lines().map(line).collect();
    [text, renamed].map(|text| read_bytes(text.as_bytes(), "1a8o", &ReadOptions::default()).unwrap().structure)
}

#[test]
fn neighbours_are_those_of_methionine() {
    let [selenium, sulfur] = both();
    assert_eq!((selenium.n_residues(), sulfur.n_residues()), (70, 70));
    let rows: Vec<usize> = (0..70).filter(|&row| selenium.resname(row) == "MSE").collect();
    assert_eq!(rows.len(), 4);
    assert!(
        rows.iter()
            .all(|&row| sulfur.resname(row) == "MET" && selenium.residue_types[row] == sulfur.residue_types[row])
    );
    let other: Vec<usize> =
        (0..selenium.n_atoms()).filter(|&atom| selenium.atoms[atom] != sulfur.atoms[atom]).collect();
    assert_eq!(other.len(), 4, "selenium alone");
    assert!(other.iter().all(|&atom| selenium.atoms[atom].radius == 1.9 && sulfur.atoms[atom].radius < 1.9));

    let engine = Engine::builder().backend(Backend::Cpu).build().unwrap();
    let computed = engine.run(&[selenium.clone(), sulfur]).unwrap();
    // Selenium covers more than sulfur: atoms that it nearly touches, with the probe between them.
    let near = |row: usize| {
        let atoms = selenium.residue_atoms[row] as usize..selenium.residue_atoms[row + 1] as usize;
        atoms.into_iter().any(|a| {
            other.iter().any(|&se| {
                let (a, b) = (selenium.atoms[a], selenium.atoms[se]);
                let distance2 = (a.x - b.x).powi(2) + (a.y - b.y).powi(2) + (a.z - b.z).powi(2);
                distance2 < (a.radius + b.radius + 2.8).powi(2)
            })
        })
    };
    let surface = ["sasa", "rsa", "sasa_apolar", "depth", "site_score", "exposed_velocity"];
    for feature in FEATURES {
        let [of_selenium, of_sulfur] =
            [0, 1].map(|which| computed[which].view().feature(feature).expect("it is computed").to_vec());
        for row in 0..70 {
            let (a, b) = (of_selenium[row], of_sulfur[row]);
            let same = a.to_bits() == b.to_bits() || a.is_nan() && b.is_nan();
            match feature.name {
                // These columns depend on exposed atoms and sites at some distance; and selenium differs itself.
                "depth" | "site_score" => {}
                name if surface.contains(&name) && rows.contains(&row) => {}
                name if surface.contains(&name) && near(row) => {
                    assert!(
                        !feature.name.starts_with("sasa") || (a - b).abs() < 6.0,
                        "{name} of row {row}: {a}, not {b}"
                    );
                }
                name => assert!(same, "{name} of row {row}: {a}, not {b}"),
            }
        }
    }
    assert!((0..70).filter(|&row| !near(row)).count() > 30, "most residues are far from selenium");
}
