//! `--select` and `--each`: which residues are read, and what is one structure.

use crate::command::{Run, column, example, trimer};

#[test]
fn chains_alone_have_the_rows_of_single_runs() {
    let run = Run::new();
    let input = trimer();
    let input = input.to_str().unwrap();
    let each = run.features(&["--each", "chain", "--columns", "sasa,depth", "--name-by", "stem", input]);
    assert_eq!(each.status, 0, "{}", each.stderr);
    assert!(each.stderr.contains("3 structures") && !each.stderr.contains("several chains"), "{}", each.stderr);
    let mut lines = each.stdout.lines().skip(1);
    for chain in ["A", "B", "C"] {
        let alone = run.features(&["--chains", chain, "--columns", "sasa,depth", "--name-by", "stem", input]);
        for line in alone.stdout.lines().skip(1) {
            assert_eq!(lines.next().map(str::to_owned), Some(line.replacen("1jcd,", &format!("1jcd:{chain},"), 1)));
        }
    }
    assert_eq!(lines.next(), None);
}

#[test]
fn a_note_says_once_that_chains_were_taken_together() {
    let run = Run::new();
    run.copy(&trimer(), "in/a.pdb.gz");
    run.copy(&trimer(), "in/b.pdb.gz");
    run.copy(&example(), "in/c.pdb");
    let notes = |arguments: &[&str]| {
        let outcome = run.prism(arguments);
        assert_eq!(outcome.status, 0, "{}", outcome.stderr);
        outcome.stderr.lines().filter(|line| line.contains("several chains")).map(str::to_owned).collect::<Vec<_>>()
    };
    let whole = notes(&["features", "--backend", "cpu", "--columns", "sasa", "in"]);
    assert!(whole.len() == 1 && whole[0].contains("2 structures") && whole[0].contains("--each chain"), "{whole:?}");
    assert_eq!(notes(&["sites", "--backend", "cpu", "in"]).len(), 1);
    // Who chose chains, or asks about chains, knows.
    for arguments in [
        &["features", "--columns", "sasa", "--chains", "A,B,E", "in"][..],
        &["features", "--columns", "sasa", "--each", "molecule", "in"],
        &["summary", "in"],
        &["interface", "in"],
        &["features", "--columns", "sasa", "in/c.pdb"],
    ] {
        assert_eq!(notes(&[arguments, &["--backend", "cpu"]].concat()), [""; 0], "{arguments:?}");
    }
}

#[test]
fn a_selection_is_read_by_every_command() {
    let run = Run::new();
    let input = trimer();
    let input = input.to_str().unwrap();
    let selected = ["--select", "chain A C and resnum 10-30", input];
    let features = run.features(&[&["--columns", "chain,resnum"], &selected[..]].concat());
    assert_eq!(
        features.stdout.lines().skip(1).collect::<std::collections::BTreeSet<_>>().len(),
        42,
        "{}",
        features.stdout
    );
    for command in ["sites", "edges", "interface", "summary", "check"] {
        let mut arguments = [&[command][..], &selected].concat();
        if command != "check" {
            arguments.extend(["--backend", "cpu"]);
        }
        let outcome = run.prism(&arguments);
        assert_eq!(outcome.status, 0, "{command}: {}", outcome.stderr);
        if command == "interface" {
            assert_eq!(
                column(&outcome.stdout, "chain_a")
                    .into_iter()
                    .chain(column(&outcome.stdout, "chain_b"))
                    .collect::<String>(),
                "AC"
            );
        }
    }
    let wrong = run.features(&["--select", "chain A and resnm 10", input]);
    wrong.says(2, "did you mean `resnum`");
    assert!(wrong.stderr.contains("chain A and resnm 10\n"), "{}", wrong.stderr);
    run.features(&["--select", "chain X", input])
        .says(1, "no protein residues or nucleotides in the selection (chain X)");
}

#[test]
fn options_that_exclude_each_other_are_refused() {
    let run = Run::new();
    let input = trimer();
    let input = input.to_str().unwrap();
    run.features(&["--each", "model", "--model", "2", input]).says(2, "only one of both");
    run.features(&["--each", "assembly", "--assembly", "1", input]).says(2, "only one of both");
    run.prism(&["pack", input, "-o", "x.arrow"]);
    run.features(&["--each", "chain", "x.arrow"]).says(2, "prism pack");
    run.features(&["--select", "chain A", "x.arrow"]).says(2, "prism pack");
}
