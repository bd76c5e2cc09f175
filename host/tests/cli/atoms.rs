//! `prism atoms` from a user's view.

use crate::command::{Run, column, shipped, trimer};

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
