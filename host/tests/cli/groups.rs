//! `prism interface --groups`: interfaces of groups that a table lists.

use crate::command::{Run, column, example, trimer};
use std::fs;

/// The trimer as `three.pdb`, and a table of groups with these lines.
fn run_with(lines: &str) -> Run {
    let run = Run::new();
    run.copy(&trimer(), "three.pdb.gz");
    run.put("groups.csv", format!("structure,group,residues\n{lines}"));
    run
}

#[test]
fn pairs_of_listed_groups_are_those_of_two_given_ones() {
    let run = run_with("three.pdb,one,A\nthree.pdb,two,B:1-20\nthree.pdb,three,C\nthree.pdb,two,B:21-60\n");
    let listed = run.prism(&["interface", "three.pdb.gz", "--groups", "groups.csv"]);
    listed.says(0, "3 interfaces");
    let pairs: Vec<[String; 2]> = column(&listed.stdout, "group_a")
        .into_iter()
        .zip(column(&listed.stdout, "group_b"))
        .map(|(a, b)| [a.to_owned(), b.to_owned()])
        .collect();
    assert_eq!(pairs, [["one", "two"], ["one", "three"], ["two", "three"]]);
    // Two lines make the chain, whose numbers are 1 to 56.
    let lines: Vec<&str> = listed.stdout.lines().skip(1).collect();
    for (line, [names, between]) in lines.iter().zip([["one,two", "A,B"], ["one,three", "A,C"], ["two,three", "B,C"]]) {
        let given = run.prism(&["interface", "three.pdb.gz", "--all-atoms", "--between", between]);
        let given = given.stdout.lines().nth(1).unwrap().to_owned();
        assert_eq!(**line, given.replacen(between, names, 1));
    }
    // A run into a folder goes on with the same table alone.
    let resumed = || run.prism(&["interface", "three.pdb.gz", "--groups", "groups.csv", "-o", "parts/", "--resume"]);
    run.prism(&["interface", "three.pdb.gz", "--groups", "groups.csv", "-o", "parts/"]).says(0, "3 interfaces");
    assert!(run.path("parts/part-00000.parquet").exists());
    resumed().says(0, "1 of 1 part is done already");
    run.put("groups.csv", "structure,group,residues\nthree.pdb,one,A\nthree.pdb,two,B\n");
    resumed().says(1, "holds another run (other options)");
}

#[test]
fn ranges_and_selections_take_the_same_residues() {
    let run = run_with("");
    let of = |a: &str| {
        run.put("g.tsv", format!("residues\tstructure\tgroup\n{a}\tthree.pdb\thalf\nB\tthree.pdb\tother\n"));
        let made = run.prism(&["interface", "three.pdb.gz", "--groups", "g.tsv"]);
        assert_eq!(made.status, 0, "{}", made.stderr);
        made.stdout
    };
    let half = of("A:1-25");
    assert_eq!(of("chain A and resnum 1-25"), half);
    assert_eq!(of("A:1-10+A:11-25"), half);
    assert_eq!(of("chain A, C and not chain C and not resnum 26-99"), half);
    let area = |text: &str| column(text, "buried_area")[0].parse::<f64>().unwrap();
    assert!(area(&half) < area(&of("A")), "{half}");
    // The hot residues are within the range.
    let hot = column(&half, "hot_a")[0].to_owned();
    assert!(hot.split(' ').all(|one| one[2..].parse::<i32>().unwrap() <= 25), "{hot}");
    let given = run.prism(&["interface", "three.pdb.gz", "--between", "A:1-25,chain B"]);
    assert_eq!(given.stdout.replacen("A:1-25,chain B", "half,other", 1), half);
    let near = run.prism(&["interface", "three.pdb.gz", "--between", "A,chain B and within 3.5 of chain A"]);
    let near = column(&near.stdout, "residues_b")[0].parse::<u32>().unwrap();
    let all = run.prism(&["interface", "three.pdb.gz", "--between", "A,B", "--all-atoms"]);
    assert!((1..column(&all.stdout, "residues_b")[0].parse().unwrap()).contains(&near), "{near}");
}

#[test]
fn what_the_table_has_wrong_is_named_by_its_line() {
    let groups = |run: &Run, more: &[&str]| {
        run.prism(&[&["interface", "three.pdb.gz", "--groups", "groups.csv"], more].concat())
    };
    for (lines, status, says) in [
        (
            "three.pdb,a,A\nthree.pdb,b,X\n",
            1,
            "three.pdb: group b (X) on line 3 of groups.csv has no residues; the file has the chains A, B, C",
        ),
        ("three.pdb,a,A\nthree.pdb,b,B+X\n", 1, "chain X in group b (B+X) on line 3 of groups.csv has no residues"),
        ("three.pdb,a,A\nthree.pdb,b,B:900-950\n", 1, "has no residues; the file has residues "),
        ("three.pdb,a,A\nthree.pdb,b,chain X\n", 1, "group b (chain X) on line 3 of groups.csv has no residues"),
        ("three.pdb,a,A\nthree.pdb,b,A:1-30\n", 1, "is in both groups a and b of groups.csv"),
        ("three.pdb,a,A\n", 1, "--groups groups.csv: line 2: three.pdb has the single group a"),
        ("three.pdb,a,chian A\nthree.pdb,b,B\n", 1, "not \"chian\" (did you mean `chain`?) in \"chian A\""),
        ("three.pdb,a,A:9-1\nthree.pdb,b,B\n", 1, "--groups groups.csv: line 2: \"A:9-1\" ends before it begins"),
    ] {
        groups(&run_with(lines), &[]).says(status, says);
    }
    let run = run_with("three.pdb,a,A\nthree.pdb,b,B\nfour.pdb,a,A\nfour.pdb,b,B\n");
    groups(&run, &[]).says(0, "groups.csv has groups of structures that no input has: four.pdb");
    // A structure without a line is a failed input.
    run.copy(&example(), "one.pdb");
    let both = groups(&run, &["one.pdb", "--status", "s.csv"]);
    both.says(3, "error: one.pdb: groups.csv has no line of it; its structures are four.pdb, three.pdb");
    let errors = fs::read_to_string(run.path("s.csv")).unwrap();
    assert!(column(&errors, "error")[1].starts_with("groups.csv has no line of it"), "{errors}");
    groups(&run, &["--between", "A,B"]).says(2, "cannot be used with");
    groups(&run, &["--by-residue", "r.csv"]).says(2, "--by-residue has no effect");
    groups(&run, &["-o", "groups.csv"]).says(2, "groups.csv: would be overwritten");
    run.prism(&["interface", "three.pdb.gz", "--groups", "no.csv"]).says(1, "no.csv: cannot be read");
}
