//! 3Di letters, local frames, virtual beta carbons, depths and attributes of edges, against other programs.

use crate::command::{Run, column, shipped};
use std::collections::HashMap;
use std::path::{Path, PathBuf};

fn data(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../tests/data").join(name)
}

const FILES: [(&str, &str, usize); 4] = [
    ("1crn", "1crn.pdb.gz", 46),
    ("1aki", "1aki.cif.gz", 129),
    ("1jcd", "1jcd.pdb.gz", 152),
    ("1a8o", "1a8o.cif.gz", 70),
];

/// The reference, by structure, chain and number.
fn reference() -> (Vec<String>, HashMap<[String; 3], Vec<String>>) {
    let text = std::fs::read_to_string(data("geometry_reference.csv")).unwrap();
    let mut lines = text.lines().map(|line| line.split(',').map(str::to_owned).collect::<Vec<String>>());
    let names = lines.next().unwrap()[3..].to_vec();
    let of = |mut line: Vec<String>| {
        let values = line.split_off(3);
        (<[String; 3]>::try_from(line).unwrap(), values)
    };
    (names, lines.map(of).collect())
}

#[test]
fn columns_have_the_values_of_other_programs() {
    let (run, (names, reference)) = (Run::new(), reference());
    for (structure, file, residues) in FILES {
        let columns = format!("chain,resnum,{}", names.join(","));
        let table = run.prism(&["features", "--backend", "cpu", data(file).to_str().unwrap(), "--columns", &columns]);
        assert_eq!(table.status, 0, "{}", table.stderr);
        let [chains, numbers] = ["chain", "resnum"].map(|name| column(&table.stdout, name));
        let found: Vec<Option<&Vec<String>>> = chains
            .iter()
            .zip(&numbers)
            .map(|(chain, number)| reference.get(&[structure, chain, number].map(|part| part.to_string())))
            .collect();
        assert_eq!(found.iter().flatten().count(), residues, "{structure}");
        for (at, name) in names.iter().enumerate() {
            for ((own, expected), number) in column(&table.stdout, name).into_iter().zip(&found).zip(&numbers) {
                let Some(expected) = expected.map(|values| &values[at]) else { continue };
                let about = format!("{name} of {structure} {number}: {own} for {expected}");
                // Dots of the surface are not those of MSMS, and a neck as wide as the probe may be open for one of them.
                let most = match name.as_str() {
                    "three_di" => {
                        assert_eq!(own, *expected, "{about}");
                        continue;
                    }
                    "residue_depth" | "ca_depth" => 0.12,
                    _ => 1e-3,
                };
                let [own, expected] = [&own, expected].map(|text| text.parse::<f64>().unwrap());
                assert!((own - expected).abs() < most, "{about}");
            }
        }
    }
}

#[test]
fn letters_have_a_partner_where_they_are_defined() {
    let run = Run::new();
    let names = "three_di,three_di_partner_row,virtual_cb_x";
    let trace = data("1crn.pdb.gz");
    let table = run.prism(&["features", "--backend", "cpu", trace.to_str().unwrap(), "--columns", names]);
    let partners = column(&table.stdout, "three_di_partner_row");
    assert_eq!(partners.len(), 46, "{}", table.stderr);
    // The ends of a chain have none, and are none.
    let missing: Vec<usize> = (0..46).filter(|&row| partners[row].is_empty()).collect();
    assert_eq!(missing, [0, 45]);
    assert!(partners.iter().enumerate().all(|(row, partner)| *partner != row.to_string() && partner != "0"));

    // Alpha carbons alone have neither descriptors nor frames nor a surface, and nucleotides no letters at all.
    let text: String = std::fs::read_to_string(shipped("1crn.pdb"))
        .unwrap()
        .lines()
        .filter(|line| line.starts_with("ATOM") && &line[12..16] == " CA ")
        .map(|line| format!("{line}\n"))
        .collect();
    std::fs::write(run.path("ca.pdb"), text + "END\n").unwrap();
    let names = "resnum,three_di,frame_e3_z,virtual_cb_x,residue_depth,ca_depth";
    let table = run.prism(&["features", "--backend", "cpu", "ca.pdb", "--columns", names]);
    assert!(column(&table.stdout, "three_di").iter().all(|letter| letter == "D"), "{}", table.stdout);
    assert!(table.stdout.lines().skip(1).all(|line| line.ends_with(",D,,,,")), "{}", table.stdout);
    let dna = data("1bna.pdb.gz");
    let table =
        run.prism(&["features", "--polymers", "all", dna.to_str().unwrap(), "--columns", "resnum,three_di,frame_e1_x"]);
    assert!(table.stdout.lines().count() == 25 && table.stdout.lines().skip(1).all(|line| line.ends_with(",,")));
}

#[test]
fn edges_have_gaussians_and_relative_frames() {
    let run = Run::new();
    let input = data("1aki.cif.gz");
    let input = input.to_str().unwrap();
    let kinds = ["--kinds", "knn,bridge", "--neighbors", "8"];
    let words = [&["edges", "--backend", "cpu", input, "--attributes", "rbf,frame"][..], &kinds].concat();
    let table = run.prism(&words);
    assert_eq!(table.status, 0, "{}", table.stderr);
    let numbers = |name: &str| -> Vec<f64> {
        column(&table.stdout, name).iter().map(|text| text.parse().unwrap_or(f64::NAN)).collect()
    };
    let distances = numbers("distance");
    assert!(distances.len() > 8 * 129);
    for number in 1..=16 {
        let centre = 2.0 + 20.0 * f64::from(number - 1) / 15.0;
        for (own, distance) in numbers(&format!("rbf_{number}")).into_iter().zip(&distances) {
            assert!((own - (-((distance - centre) / 1.25).powi(2)).exp()).abs() < 1e-5);
        }
    }
    // The frames of the columns, by matrices.
    let names: Vec<String> =
        (1..=3).flat_map(|axis| ["x", "y", "z"].map(|along| format!("frame_e{axis}_{along}"))).collect();
    let names = format!("row,ca_x,ca_y,ca_z,{}", names.join(","));
    let features = run.prism(&["features", "--backend", "cpu", input, "--columns", &names]);
    let rows: Vec<Vec<f64>> = features
        .stdout
        .lines()
        .skip(1)
        .map(|line| line.split(',').skip(1).map(|text| text.parse().unwrap()).collect())
        .collect();
    let [i, j] = ["row_i", "row_j"].map(&numbers);
    let local = ["local_x", "local_y", "local_z"].map(&numbers);
    let turn = ["turn_w", "turn_x", "turn_y", "turn_z"].map(&numbers);
    for line in 0..distances.len() {
        let (own, other) = (&rows[i[line] as usize], &rows[j[line] as usize]);
        let axis = |row: &[f64], axis: usize| [0, 1, 2].map(|along| row[3 + 3 * axis + along]);
        let dot = |a: [f64; 3], b: [f64; 3]| a.iter().zip(b).map(|(a, b)| a * b).sum::<f64>();
        let between = [0, 1, 2].map(|along| other[along] - own[along]);
        let [w, x, y, z] = [0, 1, 2, 3].map(|part| turn[part][line]);
        assert!(w >= 0.0 && (w * w + x * x + y * y + z * z - 1.0).abs() < 1e-5);
        let matrix = [
            [1.0 - 2.0 * (y * y + z * z), 2.0 * (x * y - w * z), 2.0 * (x * z + w * y)],
            [2.0 * (x * y + w * z), 1.0 - 2.0 * (x * x + z * z), 2.0 * (y * z - w * x)],
            [2.0 * (x * z - w * y), 2.0 * (y * z + w * x), 1.0 - 2.0 * (x * x + y * y)],
        ];
        for (row, local) in local.iter().enumerate() {
            assert!((local[line] - dot(axis(own, row), between)).abs() < 1e-3);
            for (axis_of_other, value) in matrix[row].iter().enumerate() {
                assert!((value - dot(axis(own, row), axis(other, axis_of_other))).abs() < 1e-4);
            }
        }
    }
    let explained = run.prism(&["edges", "--explain", "rbf"]);
    assert!(explained.stdout.contains("2 to 22 Å") && explained.stdout.contains("ProteinMPNN"), "{}", explained.stdout);
    run.prism(&["edges", input, "--kinds", "hbond", "--attributes", "rbf"]).says(2, "--attributes have no effect");
}

#[test]
fn every_format_has_attributes_of_edges() {
    let run = Run::new();
    let input = shipped("1crn.pdb");
    let input = input.to_str().unwrap();
    for to in ["t.csv", "t.jsonl", "t.parquet", "t.arrow"] {
        let words = ["edges", "--backend", "cpu", input, "--kinds", "ca", "--attributes", "frame", "-o", to];
        run.prism(&words).says(0, "1 structure");
    }
    let csv = std::fs::read_to_string(run.path("t.csv")).unwrap();
    assert_eq!(
        csv.lines().next().unwrap(),
        "structure,row_i,row_j,distance,kind,local_x,local_y,local_z,turn_w,turn_x,turn_y,turn_z"
    );
    let first = std::fs::read_to_string(run.path("t.jsonl")).unwrap();
    let first: serde_json::Value = serde_json::from_str(first.lines().next().unwrap()).unwrap();
    let fields: Vec<&str> = csv.lines().nth(1).unwrap().split(',').collect();
    assert_eq!(first["turn_w"].as_f64().unwrap() as f32, fields[8].parse::<f32>().unwrap());
    use parquet::file::reader::FileReader;
    let file = std::fs::File::open(run.path("t.parquet")).unwrap();
    let parquet = parquet::file::reader::SerializedFileReader::new(file).unwrap();
    assert_eq!(parquet.metadata().file_metadata().num_rows() as usize, csv.lines().count() - 1);
}
