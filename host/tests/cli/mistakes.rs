//! Mistakes on the command line: the message says what was meant, and nothing is ignored.

use crate::command::{Run, shipped};

fn folder() -> Run {
    let run = Run::new();
    run.copy(&shipped("1crn.pdb"), "a.pdb");
    run
}

#[test]
fn names_of_columns_are_suggested_everywhere() {
    let run = folder();
    for (given, meant) in
        [("sassa", "sasa"), ("SASA", "sasa"), ("dpeth", "depth"), ("pLDTT", "plddt"), ("site-id", "site_id")]
    {
        let says = format!("there is no column `{given}` (did you mean `{meant}`?)");
        run.features(&["a.pdb", "--columns", given]).says(2, &says);
        run.features(&["--explain", given]).says(2, &says);
        run.features(&["a.pdb", "--write-structures", "out", "--color-by", given]).says(2, &says);
    }
    run.features(&["a.pdb", "--columns", "temperature"])
        .says(2, "there is no column `temperature`; `prism features --list`");
}

#[test]
fn options_are_suggested_if_they_are_meant() {
    let run = folder();
    for value in ["gpu", "GPU", "nvidia"] {
        let outcome = run.prism(&["features", "a.pdb", "--backend", value]);
        outcome.says(2, "a similar value exists: 'cuda'");
    }
    run.prism(&["features", "a.pdb", "--backend", "cpuu"]).says(2, "a similar value exists: 'cpu'");
    let probe = run.features(&["a.pdb", "--probe", "1.5"]);
    probe.says(2, "the probe has a radius of 1.4 Å");
    assert!(!probe.stderr.contains("--provenance"), "{}", probe.stderr);
    run.features(&["a.pdb", "--colums", "sasa"]).says(2, "a similar argument exists: '--columns'");
    run.features(&["a.pdb", "--gpu"]).says(2, "'--backend cuda' computes on a GPU");
}

#[test]
fn lists_divided_by_spaces_are_recognised() {
    let run = folder();
    run.features(&["--columns", "sasa", "rsa", "a.pdb"])
        .says(2, "rsa: no such file; if it belongs to --columns, divide the list by commas: --columns sasa,rsa");
    run.features(&["a.pdb", "--columns", "sasa,", "rsa"]).says(2, "--columns sasa,rsa");
    run.features(&["--chains", "A", "B", "a.pdb"])
        .says(2, "B: no such file; if it belongs to --chains, divide the list by commas: --chains A,B");
    run.prism(&["edges", "--kinds", "ca", "atom", "a.pdb"]).says(2, "--kinds ca,atom");
    // A file may be called so.
    run.copy(&shipped("1crn.pdb"), "rsa");
    assert_eq!(run.features(&["--columns", "sasa", "rsa", "a.pdb"]).status, 0);
}

#[test]
fn options_without_effect_are_refused() {
    let run = folder();
    for (arguments, says) in [
        (
            &["edges", "a.pdb", "--kinds", "atom", "--contact-threshold", "6"][..],
            "--contact-threshold has no effect on `prism edges`",
        ),
        (&["edges", "a.pdb", "--points", "500"], "--points has no effect on `prism edges`: edges need no surface"),
        (&["edges", "a.pdb", "--kinds", "ca", "--cutoff", "5"], "--cutoff has no effect on `prism edges`"),
        (&["edges", "a.pdb", "--ccd", "a.cif"], "--ccd has no effect on `prism edges`"),
        (&["edges", "a.pdb", "--kinds", "hbond", "--backend", "cpu"], "--backend has no effect on `prism edges`"),
        (&["edges", "a.pdb", "--kinds", "hbond", "--model", "2"], "interactions are those of the first model"),
        (&["edges", "a.pdb", "--kinds", "hbond", "--contact-threshold", "6"], "add the kind ca"),
        (&["edges", "a.pdb", "--site-threshold", "0.5"], "--site-threshold has no effect"),
        (&["interface", "a.pdb", "--contact-threshold", "6"], "--contact-threshold has no effect on `prism interface`"),
        (&["summary", "a.pdb", "--site-threshold", "0.5"], "--site-threshold has no effect"),
        (&["sites", "a.pdb", "--contact-threshold", "6"], "--contact-threshold has no effect on `prism sites`"),
        (&["ligands", "a.pdb", "--site-threshold", "0.5"], "--site-threshold has no effect on `prism ligands`"),
        (&["atoms", "a.pdb", "--slices", "5"], "add --algorithm lee-richards"),
        (&["atoms", "a.pdb", "--points", "50", "--algorithm", "lee-richards"], "--slices N sets their number"),
        (&["edges", "a.pdb", "--kinds", "hbond", "--polymers", "nucleic"], "--polymers has no effect on `prism edges`"),
        (&["features", "a.pdb", "--pbc", "none"], "--trajectory"),
    ] {
        run.prism(arguments).says(2, says);
    }
    for arguments in [
        &["edges", "a.pdb", "--kinds", "ca,atom", "--contact-threshold", "6", "--backend", "cpu"][..],
        &["edges", "a.pdb", "--contact-threshold", "6", "--backend", "cpu"],
        &["edges", "a.pdb", "--kinds", "atom", "--backend", "cpu"],
        &["summary", "a.pdb", "--contact-threshold", "6", "--backend", "cpu"],
    ] {
        let outcome = run.prism(arguments);
        assert_eq!(outcome.status, 0, "{}", outcome.stderr);
    }
}

#[test]
fn columns_that_nothing_fills_are_reported() {
    let run = folder();
    let asked = run.features(&["a.pdb", "--columns", "conservation,conservation_local,sasa"]);
    for name in ["conservation", "conservation_local"] {
        asked.says(
            0,
            &format!("warning: column {name} has no values: neither --annotations nor --lineages give conservation\n"),
        );
    }
    assert_eq!(asked.stderr.matches("warning").count(), 2, "{}", asked.stderr);
    run.put("known.csv", "structure,chain,resnum,icode,conservation\na.pdb,A,1,,0.5\n");
    let given = run.features(&["a.pdb", "--columns", "conservation", "--annotations", "known.csv"]);
    assert!(!given.stderr.contains("warning"), "{}", given.stderr);
    assert!(!run.features(&["a.pdb"]).stderr.contains("warning"));
}

#[test]
fn info_begins_with_what_computes() {
    let info = folder().prism(&["info"]).stdout;
    let line_of =
        |word: &str| info.lines().position(|line| line.starts_with(word)).unwrap_or_else(|| panic!("{word}: {info}"));
    assert_eq!(line_of("backend: "), 1);
    let devices = info.lines().position(|line| line.starts_with("device")).unwrap();
    assert!(
        devices < line_of("driver: ")
            && line_of("driver: ") < line_of("PTX module")
            && line_of("PTX module") < line_of("  kernel "),
        "{info}"
    );
}
