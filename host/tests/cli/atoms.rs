//! `prism atoms` from a user's view.

use crate::command::{Run, column, shipped, trimer};
use std::path::Path;

const CONFIGURATION: &str = "\
name: mine
types:
C 1.7 apolar
X 1.5 polar
atoms:
ANY N X
ANY CA C
ANY C C
ANY O X
ANY CB C
";

#[test]
fn options_change_what_they_should() {
    let run = Run::new();
    let input = shipped("1crn.pdb");
    let input = input.to_str().unwrap();
    run.put("mine.config", CONFIGURATION);
    let atoms = |options: &[&str]| {
        let outcome = run.prism(&[&["atoms", "--backend", "cpu", input], options].concat());
        assert_eq!(outcome.status, 0, "{}", outcome.stderr);
        outcome
    };
    let sum = |text: &str| column(text, "sasa").iter().map(|area| area.parse::<f64>().unwrap()).sum::<f64>();
    let plain = atoms(&[]);
    assert_eq!(plain.stdout.lines().count(), 1 + 327);
    // The first line of the file.
    assert_eq!(["x", "y", "z"].map(|axis| column(&plain.stdout, axis)[0].clone()), ["17.047", "14.099", "3.625"]);
    assert_eq!(column(&plain.stdout, "atom")[..4], ["N", "CA", "C", "O"]);
    assert_eq!(column(&plain.stdout, "radius")[..4], ["1.64", "1.88", "1.61", "1.42"]);
    // Of FreeSASA 2.2.1 (calcCoord of this file's heavy atoms with its ProtOr radii, 20 slices; 100 points).
    let slices = sum(&atoms(&["--algorithm", "lee-richards"]).stdout);
    assert!((slices - 2999.325).abs() < 0.01, "{slices}");
    assert!((sum(&plain.stdout) - 3001.132).abs() < 4.0);
    assert!(sum(&atoms(&["--probe", "2"]).stdout) != sum(&plain.stdout));
    let naccess = atoms(&["--radii", "naccess"]);
    assert_eq!(column(&naccess.stdout, "radius")[..4], ["1.65", "1.87", "1.76", "1.4"]);
    let mine = atoms(&["--radii", "mine.config"]);
    assert_eq!(column(&mine.stdout, "radius")[..4], ["1.5", "1.7", "1.7", "1.5"]);
    assert!(mine.stderr.contains("not in the set of --radii"), "{}", mine.stderr);
    assert_eq!(column(&atoms(&["--radii", "bondi"]).stdout, "radius")[..4], ["1.55", "1.7", "1.7", "1.52"]);
}

#[test]
fn mistakes_name_the_option() {
    let run = Run::new();
    let input = shipped("1crn.pdb");
    let input = input.to_str().unwrap();
    run.put("broken.config", "types:\nC 1.7 oily\n");
    for (options, says) in [
        (&["--probe", "0"][..], "--probe: 0 is not above 0"),
        (&["--probe", "-1"], "--probe: -1 is not above 0"),
        (&["--radii", "broken.config"], "broken.config: line 2: \"oily\" is no class"),
        (&["--radii", "none.config"], "none.config: cannot be read"),
        (&["--radii", "protar"], "give protor, naccess, bondi, or a file"),
        (&["--slices", "0"], "--slices"),
    ] {
        run.prism(&[&["atoms", "--backend", "cpu", input], options].concat()).says(2, says);
    }
    run.prism(&["atoms", "--backend", "cpu", "--probe", "3.5", input]).says(1, "--algorithm lee-richards");
    let explained = run.prism(&["atoms", "--explain", "buried_by"]);
    assert!(explained.stdout.contains("covers some of its area"), "{}", explained.stdout);
}

#[test]
fn chains_that_bury_an_atom_are_named() {
    let run = Run::new();
    let input = trimer();
    let input = input.to_str().unwrap();
    let table = run.prism(&["atoms", "--backend", "cpu", input, "-o", "t.parquet"]);
    assert_eq!(table.status, 0, "{}", table.stderr);
    let table = run.prism(&["atoms", "--backend", "cpu", input]);
    let buried: std::collections::BTreeSet<String> = column(&table.stdout, "buried_by").into_iter().collect();
    let expected = ["", "A", "A B", "A C", "B", "B C", "C"];
    assert_eq!(buried.into_iter().collect::<Vec<_>>(), expected);
    let one = run.prism(&["atoms", "--backend", "cpu", "--select", "chain A", input]);
    assert!(column(&one.stdout, "buried_by").iter().all(String::is_empty));
}

/// Compares lines whose numbers may differ in their last digit.
#[track_caller]
fn same_but_the_last_digit(own: &str, expected: &str) {
    // Columns are compared by their position: the formats have no separators.
    assert_eq!(own.len(), expected.len(), "{own}\n{expected}");
    let words = |line: &str| line.split_whitespace().map(str::to_owned).collect::<Vec<_>>();
    let (own_words, expected_words) = (words(own), words(expected));
    assert_eq!(own_words.len(), expected_words.len(), "{own}\n{expected}");
    for (a, b) in own_words.iter().zip(&expected_words).filter(|(a, b)| a != b) {
        let (a, b): (f64, f64) = (a.parse().unwrap(), b.parse().unwrap());
        assert!((a - b).abs() < 0.11, "{own}\n{expected}");
    }
}

#[test]
fn areas_are_written_as_freesasa_writes_them() {
    // By `tests/data/make_areas.sh`.
    let run = Run::new();
    run.copy(&shipped("1ubq.pdb"), "1ubq.pdb");
    let data = Path::new(env!("CARGO_MANIFEST_DIR")).join("../tests/data/areas");
    for (arguments, name) in
        [(&["--algorithm", "lee-richards"][..], "slices.rsa"), (&["--radii", "naccess"], "naccess.rsa")]
    {
        let outcome = run.prism(&[&["atoms", "--backend", "cpu", "1ubq.pdb", "-o", "x.rsa"], arguments].concat());
        assert_eq!(outcome.status, 0, "{}", outcome.stderr);
        let own = std::fs::read_to_string(run.path("x.rsa")).unwrap();
        let expected = std::fs::read_to_string(data.join(name)).unwrap();
        assert_eq!(own.lines().count(), expected.lines().count());
        for (own, expected) in own.lines().zip(expected.lines()).skip(1) {
            same_but_the_last_digit(own, expected);
        }
        // Ubiquitin's first methionine: sulphur counts as polar with ProtOr's radii alone.
        assert!(own.lines().nth(9).unwrap().starts_with("RES MET A   1 "), "{own}");
    }
    // Bio.PDB.NACCESS reads numbers at these columns, which N/A is not. Ubiquitin's 10th residue is a glycine.
    let naccess = ["--radii", "naccess", "--rsa", "naccess", "-o", "naccess.rsa"];
    run.prism(&[&["atoms", "--backend", "cpu", "1ubq.pdb"], &naccess[..]].concat()).says(0, "1 structure");
    let own = std::fs::read_to_string(run.path("naccess.rsa")).unwrap();
    let glycine = own.lines().find(|line| line.starts_with("RES GLY A  10")).unwrap();
    assert!(glycine.contains("  0.00 -99.9"), "{glycine}");
    for line in own.lines().filter(|line| line.starts_with("RES ")) {
        for begin in [16, 29, 42, 55, 68] {
            let number = |from: usize, to: usize| line[from..to].trim().parse::<f64>().unwrap();
            assert!(number(begin, begin + 6) >= 0.0 && number(begin + 7, begin + 12) >= -99.9, "{line}");
        }
    }
    // Copies of an assembly have ids that the format has no room for.
    let copies = Path::new(env!("CARGO_MANIFEST_DIR")).join("../tests/data/1a8o.cif.gz");
    run.prism(&["atoms", "--backend", "cpu", copies.to_str().unwrap(), "--assembly", "1", "-o", "copies.pdb"])
        .says(0, "chains written with a letter of their own");
    let own = std::fs::read_to_string(run.path("copies.pdb")).unwrap();
    let letters: std::collections::BTreeSet<&str> =
        own.lines().filter(|line| line.starts_with("ATOM")).map(|line| &line[21..22]).collect();
    assert!(letters.iter().eq(&["A", "B"]) && own.contains("REMARK 999 Chain B is A-2\n"), "{letters:?}");
    // So have names of five letters; those of four take the column before the chain.
    let ligand = |name: &str, x: f64| format!("HETATM 7 C C1 . {name} B . {x:.3} 0.000 0.000 1.00 10.00 1 {x:.0} B\n");
    let items = "group_PDB id type_symbol label_atom_id label_alt_id label_comp_id label_asym_id label_seq_id Cartn_x Cartn_y Cartn_z \
                 occupancy B_iso_or_equiv pdbx_PDB_model_num auth_seq_id auth_asym_id";
    let tags: String = items.split(' ').map(|item| format!("_atom_site.{item}\n")).collect();
    let row = "ATOM 1 C CA . GLY A 1 0.000 0.000 0.000 1.00 10.00 1 1 A\n";
    let ligands = ["LIG1", "A1LU6", "A1LU7"].iter().zip([10.0, 20.0, 30.0]).map(|(name, x)| ligand(name, x));
    run.put("long.cif", format!("data_x\nloop_\n{tags}{row}{}#\n", ligands.collect::<String>()));
    run.prism(&["atoms", "--backend", "cpu", "long.cif", "--het", "cover", "-o", "long.pdb"])
        .says(0, "residue names that are shortened");
    let own = std::fs::read_to_string(run.path("long.pdb")).unwrap();
    let columns: Vec<&str> = own.lines().filter(|line| line.starts_with("HETATM")).map(|line| &line[17..38]).collect();
    assert_eq!(columns, ["LIG1B  10      10.000", "A1L B  20      20.000", "~00 B  30      30.000"]);
    assert!(own.contains("REMARK 999 Residue A1L is A1LU6\n"), "{own}");
    run.prism(&["atoms", "1ubq.pdb", "--rsa", "naccess", "-o", "x.csv"]).says(2, "give -o FILE.rsa");
    run.prism(&["atoms", "--backend", "cpu", "1ubq.pdb", "--radii", "bondi", "-o", "x.rsa"]).says(0, "1 structure");
    let own = std::fs::read_to_string(run.path("x.rsa")).unwrap();
    assert!(own.contains("No reference values") && own.lines().nth(9).unwrap().matches("N/A").count() == 5, "{own}");

    run.prism(&["atoms", "--backend", "cpu", "1ubq.pdb", "--algorithm", "lee-richards", "-o", "x.pdb"])
        .says(0, "1 structure");
    let own = std::fs::read_to_string(run.path("x.pdb")).unwrap();
    let mut expected = String::new();
    let file = std::fs::File::open(data.join("slices.pdb.gz")).unwrap();
    std::io::Read::read_to_string(&mut flate2::read::MultiGzDecoder::new(file), &mut expected).unwrap();
    for (own, expected) in own.lines().zip(expected.lines()).skip(1) {
        same_but_the_last_digit(own.trim_end(), expected.trim_end());
    }
    assert_eq!(own.lines().count(), expected.lines().count());
}
