//! `prism pack`: a packed data set gives the same results as its files.

use crate::command::{Outcome, Run, example, names, shipped};
use std::fs;

/// A folder with structures, one of them unreadable, and annotations.
fn folder() -> Run {
    let run = Run::new();
    run.copy(&shipped("1crn.cif"), "in/sub/crambin.cif");
    run.copy(&shipped("1ubq.pdb"), "in/b.ent");
    run.copy(&example(), "in/a.pdb");
    // Each atom twice, which causes a warning.
    let text = fs::read_to_string(shipped("1crn.pdb")).unwrap();
    let atoms: String = text.lines().filter(|line| line.starts_with("ATOM")).map(|line| format!("{line}\n")).collect();
    run.put("in/double.pdb", format!("{atoms}{}", atoms.replace(" A ", " B ")));
    run.put("notes.csv", "structure,chain,resnum,icode,conservation\nb.ent,A,7,,0.25\n");
    run
}

fn warnings(outcome: &Outcome) -> Vec<String> {
    outcome.stderr.lines().filter(|line| line.starts_with("warning: ")).map(str::to_owned).collect()
}

#[test]
fn a_data_set_gives_what_its_files_give() {
    let run = folder();
    let packed = run.prism(&["pack", "in", "-o", "set.arrow"]);
    assert_eq!((packed.status, packed.stdout.as_str()), (0, ""), "{}", packed.stderr);
    assert!(packed.stderr.contains("4 structures, 408 residues, 0 failed; 0."), "{}", packed.stderr);
    assert_eq!(warnings(&packed).len(), 1, "{}", packed.stderr);
    let labels = ["--columns", "label_asym_id,label_seq_id,entity_id,uniprot_accession,uniprot_number"];
    for more in [&[][..], &["--annotations", "notes.csv", "--points", "20"], &labels] {
        let files = run.features(&[&["in"], more].concat());
        let set = run.features(&[&["set.arrow"], more].concat());
        assert_eq!(set.status, 0, "{}", set.stderr);
        assert_eq!(set.stdout, files.stdout);
        assert_eq!(
            (warnings(&set).len(), warnings(&files).len()),
            (0, 1),
            "what packing has reported is not reported again"
        );
        let counted = "note: 1 structure was packed with warnings (prism check shows them again)";
        assert!(set.stderr.contains(counted) && !files.stderr.contains(counted), "{}", set.stderr);
        assert!(!set.stderr.contains("coincide"), "{}", set.stderr);
    }
    assert!(run.prism(&["check", "set.arrow"]).stdout.contains("begin at the very point"));
    assert!(run.features(&[&["set.arrow"][..], &labels].concat()).stdout.contains(",A,1,1,P01542,1\n"));
    let sites = |input| run.prism(&["sites", "--backend", "cpu", input]).stdout;
    assert_eq!(sites("set.arrow"), sites("in"));
}

#[test]
fn data_sets_stand_beside_files() {
    let run = folder();
    run.prism(&["pack", "in/sub", "in/b.ent", "-o", "set.arrow"]);
    let outcome = run.features(&["in/a.pdb", "set.arrow", "in/double.pdb"]);
    assert_eq!(names(&outcome.stdout), ["a.pdb", "crambin.cif", "b.ent", "double.pdb"]);
    run.features(&["in/b.ent", "set.arrow"]).says(2, "in/b.ent and set.arrow would have the same name \"b.ent\"");
    // Into one data set.
    let outcome = run.prism(&["pack", "set.arrow", "in/a.pdb", "-o", "both.arrow"]);
    assert_eq!(outcome.status, 0, "{}", outcome.stderr);
    assert_eq!(names(&run.features(&["both.arrow"]).stdout), ["crambin.cif", "b.ent", "a.pdb"]);
}

#[test]
fn a_data_set_without_labels_is_not_packed_again() {
    let run = folder();
    run.copy(&shipped("../../../fuzz/corpus/dataset/two.arrow"), "old.arrow");
    assert_eq!(run.features(&["old.arrow"]).status, 0);
    for outcome in [
        run.prism(&["pack", "old.arrow", "in/b.ent", "-o", "set.arrow"]),
        run.features(&["old.arrow", "--columns", "label_seq_id"]),
    ] {
        assert!(outcome.status == 2 && outcome.stderr.contains("old.arrow"), "{}", outcome.stderr);
        assert!(outcome.stderr.contains("do not keep label_asym_id") || outcome.stderr.contains("does not keep label"));
    }
    assert!(!run.path("set.arrow").exists());
}

#[test]
fn chains_are_chosen_when_packing() {
    let run = folder();
    assert_eq!(run.prism(&["pack", "in/double.pdb", "--chains", "B", "-o", "set.arrow"]).status, 0);
    let files = run.features(&["in/double.pdb", "--chains", "B"]).stdout;
    assert_eq!(run.features(&["set.arrow"]).stdout, files);
    run.features(&["set.arrow", "--chains", "A"]).says(2, "choose by `prism pack`");
}

#[test]
fn what_cannot_be_read_is_reported_and_the_rest_is_packed() {
    let run = folder();
    run.put("in/c.pdb", "");
    run.prism(&["pack", "in", "-o", "set.arrow"]).says(3, "error: c.pdb: the file is empty");
    assert_eq!(names(&run.features(&["set.arrow"]).stdout), ["a.pdb", "b.ent", "double.pdb", "sub/crambin.cif"]);
    let before = fs::read(run.path("set.arrow")).unwrap();
    for (arguments, status) in [
        (&["pack", "in", "-o", "set.arrow", "--fail-fast"][..], 1),
        (&["pack", "in/c.pdb", "-o", "set.arrow"], 1),
        (&["pack", "in", "-o", "set.csv"], 2),
        (&["pack", "in"], 2),
    ] {
        assert_eq!(run.prism(arguments).status, status, "{arguments:?}");
        assert_eq!(fs::read(run.path("set.arrow")).unwrap(), before);
    }
    assert_eq!(run.files(), ["in", "notes.csv", "set.arrow"]);
}

#[test]
fn what_is_no_data_set_is_an_input_that_failed() {
    let run = folder();
    run.prism(&["pack", "in", "-o", "set.arrow"]);
    let whole = fs::read(run.path("set.arrow")).unwrap();
    run.put("half.arrow", &whole[..whole.len() / 2]);
    run.put("text.arrow", "name\n");
    let outcome = run.features(&["half.arrow", "in/a.pdb", "text.arrow"]);
    assert_eq!(names(&outcome.stdout), ["a.pdb"]);
    outcome.says(3, "error: half.arrow: is incomplete");
    outcome.says(3, "error: text.arrow: is not a packed data set");
}

/// Tables of earlier runs may lie in a folder, too, and have the same extension.
#[test]
fn a_folder_gives_no_data_sets_and_says_so() {
    let run = folder();
    assert_eq!(run.features(&["in", "-o", "in/a_table.arrow", "--columns", "wcn"]).status, 0);
    assert_eq!(run.prism(&["pack", "in", "-o", "in/set.arrow"]).status, 0);
    let outcome = run.features(&["in", "--columns", "wcn", "-o", "t.csv"]);
    outcome.says(0, "note: in/set.arrow: a packed data set is read if it is named itself\n");
    assert!(outcome.stderr.contains("4 structures, ") && !outcome.stderr.contains("a_table"), "{}", outcome.stderr);
    let help = run.prism(&["features", "--help"]).stdout;
    assert!(help.contains("packed data sets, directories of files and archives, or - for standard input"), "{help}");
}
