//! No output replaces an input or another output.

use crate::command::{Outcome, Run, shipped, trimer};
use std::fs;
use std::path::Path;

/// A folder with two structures, a packed data set, annotations and a list.
fn folder() -> Run {
    let run = Run::new();
    run.copy(&shipped("1ubq.pdb"), "w/u.pdb");
    run.copy(&shipped("1crn.pdb"), "w/c.pdb");
    run.copy(&shipped("1crn.pdb"), "x.csv");
    run.copy(&shipped("1crn.pdb"), "x.html");
    run.put("ann.csv", "structure,chain,resnum,icode,conservation\nu.pdb,A,1,,0.5\n");
    run.put("lineages.csv", "lineage,date,count,country,total,substitutions\nA,2024-01-01,1,X,2,A:Q2E\n");
    run.put("list.txt", "w/u.pdb\n");
    assert_eq!(run.prism(&["pack", "w", "-o", "set.arrow"]).status, 0);
    run
}

/// Runs a command that must be refused, and asserts that all files stay as they are.
#[track_caller]
fn refused(run: &Run, arguments: &[&str], says: &str) {
    let before = contents(run);
    let backend: &[&str] = if ["pack", "merge"].contains(&arguments[0]) { &[] } else { &["--backend", "cpu"] };
    let outcome = run.prism(&[arguments, backend].concat());
    outcome.says(2, says);
    assert_eq!(outcome.stdout, "");
    assert!(contents(run) == before, "{arguments:?} changed a file");
}

fn contents(run: &Run) -> Vec<(String, Vec<u8>)> {
    let mut names = run.files();
    names.extend(["c.pdb", "u.pdb"].map(|name| format!("w/{name}")));
    names.retain(|name| run.path(name).is_file());
    names.into_iter().map(|name| (name.clone(), fs::read(run.path(&name)).unwrap())).collect()
}

#[test]
fn no_output_replaces_an_input() {
    let run = folder();
    for (arguments, says) in [
        (
            &["features", "w/u.pdb", "--write-structures", "w", "-o", "t.csv"][..],
            "error: w/u.pdb: would be overwritten by --write-structures; choose another folder",
        ),
        (&["features", "w", "--write-structures", "w"], "w/c.pdb: would be overwritten by --write-structures"),
        (&["sites", "w/u.pdb", "--write-structure", "w/u.pdb"], "w/u.pdb: would be overwritten by --write-structure; "),
        (&["sites", "w/u.pdb", "--points", "w/../w/u.pdb"], "w/u.pdb: would be overwritten by --points; "),
        (&["sites", "w/u.pdb", "--status", "w/u.pdb"], "w/u.pdb: would be overwritten by --status; "),
        (
            &["summary", "set.arrow", "-o", "set.arrow"],
            "set.arrow: would be overwritten by the output; choose another name",
        ),
        (&["features", "set.arrow", "-o", "./set.arrow"], "set.arrow: would be overwritten by the output"),
        (&["edges", "set.arrow", "-o", "set.arrow"], "set.arrow: would be overwritten by the output"),
        (
            &["pack", "set.arrow", "x.csv", "-o", "set.arrow"],
            "set.arrow: would be overwritten by the output; choose another",
        ),
        (&["features", "x.csv", "-o", "x.csv"], "x.csv: would be overwritten by the output"),
        (&["interface", "x.csv", "--by-residue", "x.csv"], "x.csv: would be overwritten by --by-residue"),
        (&["report", "x.html", "-o", "x.html"], "x.html: would be overwritten by the output"),
        (
            &["features", "w/u.pdb", "--annotations", "ann.csv", "-o", "ann.csv"],
            "ann.csv: would be overwritten by the output",
        ),
        (
            &["features", "w/u.pdb", "--lineages", "lineages.csv", "--provenance", "lineages.csv"],
            "lineages.csv: would be overwritten by --provenance",
        ),
        (
            &["features", "--from-file", "list.txt", "--status", "list.txt"],
            "list.txt: would be overwritten by --status",
        ),
        (&["features", "--from-file", "list.txt", "--status", "w/u.pdb"], "w/u.pdb: would be overwritten by --status"),
        (&["features", "w", "--provenance", "w/c.pdb"], "w/c.pdb: would be overwritten by --provenance"),
    ] {
        refused(&run, arguments, says);
    }
    // An input that cannot be read stays, too.
    run.put("other.arrow", "no data set");
    refused(&run, &["features", "w/u.pdb", "other.arrow", "-o", "other.arrow"], "other.arrow: would be overwritten");
    run.copy(&shipped("1crn.pdb"), "list.arrow");
    fs::rename(run.path("list.txt"), run.path("list.arrow")).unwrap();
    refused(&run, &["pack", "--from-file", "list.arrow", "-o", "list.arrow"], "list.arrow: would be overwritten");
}

#[test]
fn no_output_replaces_another_one() {
    let run = folder();
    for (arguments, says) in [
        (
            &["features", "w/u.pdb", "-o", "t.csv", "--status", "./t.csv"][..],
            "error: ./t.csv: is both the output and --status; give them different names",
        ),
        (
            &["features", "w/u.pdb", "-o", "t.csv", "--provenance", "t.csv"],
            "t.csv: is both the output and --provenance",
        ),
        (
            &["sites", "w/u.pdb", "--points", "q.pdb", "--write-structure", "q.pdb"],
            "is both --points and --write-structure",
        ),
        (&["sites", "w/u.pdb", "--script", "s.pml", "--status", "s.pml"], "is both --script and --status"),
        (&["interface", "w/u.pdb", "-o", "t.csv", "--by-residue", "t.csv"], "t.csv: is both"),
        (&["report", "w", "-o", "r.html", "--status", "r.html"], "r.html: is both the output and --status"),
        (
            &["features", "w/u.pdb", "--write-structures", "out", "--status", "out/u.pdb.pml"],
            "is both --status and --write-structures",
        ),
        (&["features", "w", "-o", "parts/", "--status", "parts/manifest.json"], "is both --status and the output"),
    ] {
        fs::create_dir_all(run.path("out")).unwrap();
        refused(&run, arguments, says);
        assert!(!run.path("t.csv").exists());
    }
}

/// A file to which a shell redirects standard output.
#[cfg(unix)]
#[test]
fn standard_output_is_an_output() {
    let run = folder();
    let redirected = |arguments: &[&str], to: &str, append: bool| -> Outcome {
        let file = fs::OpenOptions::new().create(true).write(true).truncate(!append).append(append).open(run.path(to));
        run.command(arguments).stdout(file.unwrap()).output().unwrap().into()
    };
    for command in ["features", "sites", "edges", "interface", "summary"] {
        let outcome = redirected(&[command, "--backend", "cpu", "w/u.pdb", "--status", "t.csv"], "t.csv", false);
        outcome.says(2, "error: t.csv: is both standard output and --status; give them different names");
    }
    let features = |arguments: &[&str], to, append| {
        redirected(&[&["features", "--backend", "cpu"], arguments].concat(), to, append)
    };
    features(&["w", "--provenance", "./w/../t.json"], "t.json", false)
        .says(2, "is both standard output and --provenance");
    features(&["w"], "w/c.pdb", true).says(2, "w/c.pdb: would be overwritten by standard output");
    redirected(&["check", "w"], "w/c.pdb", true).says(2, "w/c.pdb: would be overwritten by standard output");
    assert!(fs::read(run.path("w/c.pdb")).unwrap() == fs::read(shipped("1crn.pdb")).unwrap());
    // A table in a file leaves standard output alone, and another file is no matter.
    features(&["w/u.pdb", "-o", "t.csv", "--status", "s.csv"], "s.csv", false).says(0, "76 residues");
    features(&["w/u.pdb", "--status", "s.csv"], "t.csv", false).says(0, "76 residues");
    redirected(&["check", "w/u.pdb"], "s.csv", false).says(0, "76 residues");
    assert_eq!(lines(&run.path("t.csv")), 77);
}

#[test]
fn a_part_is_not_merged_into_itself() {
    let run = folder();
    assert_eq!(run.features(&["w", "-o", "parts/", "--columns", "wcn"]).status, 0);
    let part = fs::read(run.path("parts/part-00000.parquet")).unwrap();
    run.prism(&["merge", "parts", "-o", "parts/part-00000.parquet"]).says(2, "would be overwritten by the output");
    assert!(fs::read(run.path("parts/part-00000.parquet")).unwrap() == part);
}

#[cfg(unix)]
#[test]
fn links_lead_to_the_same_file() {
    let run = folder();
    std::os::unix::fs::symlink("w/u.pdb", run.path("soft.csv")).unwrap();
    fs::hard_link(run.path("w/u.pdb"), run.path("hard.csv")).unwrap();
    std::os::unix::fs::symlink("w", run.path("also")).unwrap();
    for output in ["soft.csv", "hard.csv"] {
        refused(&run, &["features", "w/u.pdb", "-o", output], "w/u.pdb: would be overwritten by the output");
        refused(&run, &["features", output, "--status", "w/u.pdb"], "would be overwritten by --status");
    }
    refused(&run, &["features", "w/u.pdb", "--write-structures", "also"], "w/u.pdb: would be overwritten");
    refused(
        &run,
        &["features", "w/u.pdb", "-o", "also/t.csv", "--status", "w/t.csv"],
        "is both the output and --status",
    );
    refused(
        &run,
        &["features", "w/u.pdb", "-o", "soft.csv", "--status", "hard.csv"],
        "is both the output and --status",
    );
    // Devices are no files that could be lost.
    let both = ["w/u.pdb", "--annotations", "/dev/null", "--status", "/dev/null"];
    assert_ne!(run.features(&both).status, 2);
}

#[test]
fn results_of_an_earlier_run_are_replaced() {
    let run = folder();
    let table =
        ["w", "-o", "w/t.csv", "--status", "w/s.csv", "--provenance", "w/p.json", "--write-structures", "shown"];
    for _ in 0..2 {
        let outcome = run.features(&table);
        outcome.says(0, "2 structures, 122 residues, 0 failed");
    }
    for _ in 0..2 {
        assert_eq!(run.prism(&["pack", "w", "-o", "w/set.arrow"]).status, 0, "folders give no data sets");
        run.features(&["w", "-o", "w/t.arrow"]).says(0, "2 structures");
        run.features(&["w", "-o", "parts/", "--resume"]).says(0, "2 structures");
        let viewed = ["sites", "--backend", "cpu", "w/u.pdb", "--points", "q.pdb", "--write-structure", "b.pdb"];
        assert_eq!(run.prism(&viewed).status, 0);
    }
    // Structures that an earlier run wrote into the folder of its inputs are inputs of the next one.
    run.features(&["w", "--write-structures", "w/shown"]).says(0, "2 structures");
    let again = run.features(&["w", "--write-structures", "w/shown"]);
    again.says(2, "w/shown/c.pdb: would be overwritten by --write-structures; choose another folder");
}

#[test]
fn two_structures_with_one_path_are_not_both_written() {
    let run = Run::new();
    run.copy(&shipped("1crn.pdb"), "a");
    run.copy(&shipped("1ubq.pdb"), "a.pdb");
    run.copy(&trimer(), "b.pdb.gz");
    let outcome =
        run.features(&["a", "a.pdb", "b.pdb.gz", "--columns", "wcn", "--write-structures", "out", "-o", "t.csv"]);
    outcome.says(
        3,
        "error: a.pdb: cannot be written again: its file would replace that of a; give the structures other names",
    );
    let written = fs::read_to_string(run.path("out/a.pdb")).unwrap();
    // One line more: the remark that says what the B column holds.
    assert_eq!(written.lines().count(), lines(&shipped("1crn.pdb")) + 1);
    assert!(run.path("out/b.pdb").is_file());
}

fn lines(path: &Path) -> usize {
    fs::read_to_string(path).unwrap().lines().count()
}
