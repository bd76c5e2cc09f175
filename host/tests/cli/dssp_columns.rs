//! DSSP's values as columns of residues and as edges, against the text of mkdssp.

use crate::command::{Run, column, shipped};
use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::io::Read;
use std::path::{Path, PathBuf};

fn data(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../tests/data").join(name)
}

/// The lines of residues in mkdssp's text, by their numbers there, in order.
fn lines(name: &str) -> BTreeMap<i32, String> {
    let file = std::fs::File::open(data(&format!("dssp/{name}.dssp.gz"))).unwrap();
    let mut text = String::new();
    flate2::read::MultiGzDecoder::new(file).read_to_string(&mut text).unwrap();
    let lines = text.lines().skip_while(|line| !line.starts_with("  #  RESIDUE")).skip(1);
    lines.filter(|line| !line.contains('!')).map(|line| (line[..5].trim().parse().unwrap(), line.to_owned())).collect()
}

/// The bonds of a line in the order of the columns: the number of the other residue, and the energy.
fn bonds(number: i32, line: &str) -> [Option<(i32, f64)>; 4] {
    [0, 2, 1, 3].map(|at| {
        let (apart, energy) = line[39 + 11 * at..50 + 11 * at].split_once(',').unwrap();
        let apart: i32 = apart.trim().parse().unwrap();
        (apart != 0).then(|| (number + apart, energy.trim().parse().unwrap()))
    })
}

#[test]
fn columns_of_residues_have_the_values_of_the_text() {
    let run = Run::new();
    for (file, name, residues) in [
        ("1crn.pdb.gz", "1crn", 46),
        ("1aki.cif.gz", "1aki", 129),
        ("1a8o.cif.gz", "1a8o", 70),
        ("4zhl.cif.gz", "4zhl", 257),
    ] {
        let bond = |of: &str| format!("dssp_{of}_row,dssp_{of}_energy");
        let bonds_of = ["nh_o_1", "nh_o_2", "o_nh_1", "o_nh_2"];
        let names = format!(
            "chain,resnum,icode,dssp_accessibility,dssp_bp1_row,dssp_bp2_row,dssp_ladder1,dssp_ladder2,dssp_sheet,{}",
            bonds_of.map(bond).join(",")
        );
        let table = run.prism(&["features", "--backend", "cpu", data(file).to_str().unwrap(), "--columns", &names]);
        assert_eq!(table.status, 0, "{}", table.stderr);
        let of = |name: &str| column(&table.stdout, name);
        let numbers = of("resnum").into_iter().zip(of("icode")).map(|(number, icode)| number + &icode);
        let row_of: HashMap<(String, String), usize> = of("chain").into_iter().zip(numbers).zip(0..).collect();
        let lines = lines(name);
        assert_eq!(lines.len(), residues, "{name}");
        let row = |line: &str| row_of[&(line[11..12].to_owned(), line[5..11].trim().to_owned())];
        let rows: HashMap<i32, usize> = lines.iter().map(|(number, line)| (*number, row(line))).collect();
        let text = |name: &str, row: usize| of(name)[row].to_owned();
        let partner = |name: &str, row: usize| of(name)[row].parse::<usize>().ok();
        for (number, line) in &lines {
            let row = rows[number];
            let about = format!("{name}, {line}");
            let area: f64 = text("dssp_accessibility", row).parse().unwrap();
            assert_eq!((area + 0.5).floor(), line[34..38].trim().parse::<f64>().unwrap(), "{about}");
            for (at, (bp, ladder)) in
                [("dssp_bp1_row", "dssp_ladder1"), ("dssp_bp2_row", "dssp_ladder2")].into_iter().enumerate()
            {
                let expected: i32 = line[25 + 4 * at..29 + 4 * at].trim().parse().unwrap();
                assert_eq!(partner(bp, row), rows.get(&expected).copied(), "{about}");
                assert_eq!(text(ladder, row), line[23 + at..24 + at].trim(), "{about}");
            }
            assert_eq!(text("dssp_sheet", row), line[33..34].trim(), "{about}");
            for (of, expected) in bonds_of.into_iter().zip(bonds(*number, line)) {
                let own = partner(&format!("dssp_{of}_row"), row);
                assert_eq!(own, expected.map(|(other, _)| rows[&other]), "{of} of {about}");
                if let Some((_, energy)) = expected {
                    let own: f64 = text(&format!("dssp_{of}_energy"), row).parse().unwrap();
                    assert!((own - energy).abs() < 0.051, "{own} for {energy}: {of} of {about}");
                }
            }
        }
    }
}

#[test]
fn edges_are_the_bonds_and_bridges_of_the_text() {
    let run = Run::new();
    let input = data("1aki.cif.gz");
    let kinds = "hbond_backbone,bridge";
    let table =
        run.prism(&["edges", "--backend", "cpu", "--kinds", kinds, "--ids", "residues", input.to_str().unwrap()]);
    assert_eq!(table.status, 0, "{}", table.stderr);
    let of = |name: &str| column(&table.stdout, name);
    let (kinds, a, b) = (of("kind"), of("resnum_a"), of("resnum_b"));
    let pairs = |kind: &str| -> BTreeSet<(i32, i32)> {
        let own = kinds.iter().zip(a.iter().zip(&b)).filter(|(own, _)| **own == kind);
        own.map(|(_, (a, b))| (a.parse().unwrap(), b.parse().unwrap())).collect()
    };
    // This chain has no gap, so that numbers in the text are those of residues.
    let (mut bonded, mut unsure, mut bridged) = (BTreeSet::new(), BTreeSet::new(), BTreeSet::new());
    for (number, line) in &lines("1aki") {
        for (other, energy) in bonds(*number, line)[..2].iter().flatten() {
            let set = if *energy < -0.5 { &mut bonded } else { &mut unsure };
            set.insert((*number, *other));
        }
        for at in [25, 29] {
            let other: i32 = line[at..at + 4].trim().parse().unwrap();
            if other > *number {
                bridged.insert((*number, other));
            }
        }
    }
    // An energy of -0.5 in the text is on either side of the limit.
    let own = pairs("hbond_backbone");
    assert!(own.is_superset(&bonded) && own.len() > 70, "{:?}", bonded.difference(&own));
    assert!(own.difference(&bonded).all(|pair| unsure.contains(pair)));
    assert!(!bridged.is_empty() && pairs("bridge") == bridged);
    let ladders: BTreeSet<char> = of("ladder").iter().flat_map(|ladder| ladder.chars()).collect();
    let expected: BTreeSet<char> = lines("1aki").values().flat_map(|line| line[23..25].trim().chars()).collect();
    assert!(expected.len() > 3 && ladders == expected, "{ladders:?}");
    let energies =
        of("energy").into_iter().zip(kinds).filter(|(energy, kind)| energy.is_empty() == (*kind == "hbond_backbone"));
    assert_eq!(energies.count(), 0);
    let explained = run.prism(&["edges", "--explain", "bridge"]);
    assert!(explained.stdout.contains("DSSP's bridge") && explained.stdout.contains("Kabsch"), "{}", explained.stdout);
}

#[test]
fn every_format_has_the_columns() {
    let run = Run::new();
    let names = "resnum,dssp_accessibility,dssp_bp1_row,dssp_sheet";
    let table = |to: &str| {
        let input = shipped("1crn.pdb");
        run.prism(&["features", "--backend", "cpu", input.to_str().unwrap(), "--columns", names, "-o", to])
            .says(0, "1 structure")
    };
    for to in ["t.csv", "t.jsonl", "t.parquet", "t.arrow", "t.npz"] {
        table(to);
    }
    let csv = std::fs::read_to_string(run.path("t.csv")).unwrap();
    let lines = std::fs::read_to_string(run.path("t.jsonl")).unwrap();
    for (csv, line) in csv.lines().skip(1).zip(lines.lines()) {
        let line: serde_json::Value = serde_json::from_str(line).unwrap();
        let fields: Vec<&str> = csv.split(',').collect();
        assert_eq!(line["dssp_accessibility"].as_f64().unwrap() as f32, fields[1].parse::<f32>().unwrap());
        assert_eq!(line["dssp_bp1_row"].as_i64().map(|row| row.to_string()).unwrap_or_default(), fields[2]);
        assert_eq!(line["dssp_sheet"].as_str().unwrap(), fields[3]);
    }
    use parquet::file::reader::FileReader;
    let file = std::fs::File::open(run.path("t.parquet")).unwrap();
    let parquet = parquet::file::reader::SerializedFileReader::new(file).unwrap();
    let rows: Vec<String> = parquet
        .get_row_iter(None)
        .unwrap()
        .map(|row| {
            let row = row.unwrap();
            let values = row.get_column_iter().map(|(_, value)| value.to_string().replace("null", "").replace('"', ""));
            values.collect::<Vec<_>>().join(",")
        })
        .collect();
    assert_eq!(rows.len(), 46);
    for (row, csv) in rows.iter().zip(csv.lines().skip(1)) {
        let number = |line: &str| line.split(',').nth(1).unwrap().parse::<f64>().unwrap();
        assert!((number(row) - number(csv)).abs() < 0.01);
        assert_eq!(row.split(',').skip(2).collect::<Vec<_>>(), csv.split(',').skip(2).collect::<Vec<_>>());
    }
    let explained = run.prism(&["features", "--explain", "dssp_accessibility"]);
    assert!(
        explained.stdout.contains("401 points") && explained.stdout.contains("Kabsch & Sander 1983"),
        "{}",
        explained.stdout
    );
}
