//! Conventions of commands: help, manual, completions, formats, silence, and a report of what was done.

use crate::command::{Run, column, example, names, shipped};
use serde_json::Value;
use std::fs;

#[test]
fn short_help_has_the_most_used_options_and_long_help_all_in_groups() {
    let run = Run::new();
    let (short, long) = (run.prism(&["features", "-h"]).stdout, run.prism(&["features", "--help"]).stdout);
    let position = |text: &str, what: &str| text.find(what).unwrap_or_else(|| panic!("no {what} in {text}"));
    assert!(short.lines().count() < long.lines().count() / 2);
    for option in
        ["--output", "--columns", "--list", "--explain", "--chains", "--backend", "--device", "--points", "-j"]
    {
        position(&short, option);
    }
    for option in ["--timings", "--min-feature-value", "--digests", "--fail-fast"] {
        assert!(!short.contains(option), "{option} is for the long help");
        position(&long, option);
    }
    let headings = ["Options:", "Computing:", "Reading:", "Running:", "Provenance:", "Global options:"];
    let positions: Vec<usize> = headings.iter().map(|heading| position(&long, heading)).collect();
    assert!(positions.is_sorted(), "{positions:?}: {long}");
    assert!(position(&long, "--output") < positions[1], "what is used most comes first");
    // The other commands do the same. The long help tells how options of one command affect another.
    for (command, option) in
        [("sites", "--output"), ("sites", "--max-sites"), ("edges", "--kinds"), ("interface", "--between")]
    {
        let help = run.prism(&[command, "-h"]).stdout;
        assert!(position(&help, option) < position(&help, "Computing:"), "{command}: {help}");
        assert!(help.lines().all(|line| line.chars().count() < 230), "{command}: {help}");
    }
}

#[test]
fn manual_and_completions_are_generated() {
    let run = Run::new();
    let man = run.prism(&["generate", "man"]);
    assert_eq!(man.status, 0, "{}", man.stderr);
    for text in [".TH prism 1", ".TH prism-features 1", "\\-\\-columns", ".TH prism-check 1"] {
        assert!(man.stdout.contains(text), "{text}");
    }
    assert_eq!(run.prism(&["generate", "man", "-o", "out"]).status, 0);
    assert!(run.path("out/prism.1").is_file() && run.path("out/prism-sites.1").is_file());
    for (shell, file) in
        [("bash", "prism.bash"), ("zsh", "_prism"), ("fish", "prism.fish"), ("powershell", "_prism.ps1")]
    {
        let what = format!("complete-{shell}");
        let text = run.prism(&["generate", &what]);
        assert!(text.status == 0 && text.stdout.contains("fail-fast") && text.stdout.contains("sites"), "{shell}");
        assert_eq!(run.prism(&["generate", &what, "-o", "out"]).status, 0);
        assert_eq!(fs::read_to_string(run.path("out").join(file)).unwrap(), text.stdout);
    }
    run.put("none", "");
    assert_eq!(run.prism(&["generate", "man", "-o", "none"]).status, 1);
    // Shells accept them.
    let script = "source <(\"$0\" generate complete-bash) && complete -p prism";
    let bash = std::process::Command::new("bash").args(["-c", script, env!("CARGO_BIN_EXE_prism")]).output();
    if let Ok(output) = bash {
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    }
}

#[test]
fn quiet_says_errors_alone() {
    let run = Run::new();
    run.copy(&example(), "in/a.pdb");
    run.put("in/notes.txt", "");
    let usual = run.features(&["in"]);
    assert!(usual.stderr.contains("note: ") && usual.stderr.contains("1 structure"), "{}", usual.stderr);
    let quiet = run.features(&["in", "-q"]);
    assert_eq!((quiet.status, quiet.stderr.as_str()), (0, ""));
    assert_eq!(quiet.stdout, usual.stdout);
    run.put("in/b.pdb", "");
    assert_eq!(run.features(&["in", "--quiet"]).stderr, "error: b.pdb: the file is empty\n");
    assert_eq!(run.features(&["in", "-q", "-v"]).status, 2);
}

#[test]
fn threads_change_nothing_but_time() {
    let run = Run::new();
    run.copy(&example(), "a.pdb");
    let one = run.features(&["a.pdb", "-j", "1"]);
    assert_eq!(one.status, 0, "{}", one.stderr);
    assert_eq!(one.stdout, run.features(&["a.pdb", "--threads=3"]).stdout);
    assert_eq!(run.features(&["a.pdb", "-j", "0"]).status, 2);
}

#[test]
fn provenance_goes_beside_formats_that_have_no_room() {
    let run = Run::new();
    run.copy(&shipped("1crn.pdb"), "a.pdb");
    let outcome = run.features(&["a.pdb", "--points", "50", "--provenance", "p.json", "--digests"]);
    assert_eq!(outcome.status, 0, "{}", outcome.stderr);
    let value: Value = serde_json::from_slice(&fs::read(run.path("p.json")).unwrap()).unwrap();
    assert_eq!(value["prism.points"], "50");
    assert_eq!(value["prism.command"], "prism features --backend cpu a.pdb --points 50 --provenance p.json --digests");
    let sum = std::process::Command::new("sha256sum").arg(run.path("a.pdb")).output();
    if let Ok(output) = sum {
        let expected = String::from_utf8(output.stdout).unwrap();
        assert_eq!(value["inputs"][0]["sha256"].as_str(), expected.split_whitespace().next());
        assert_eq!(value["inputs"][0]["path"], "a.pdb");
    }
}

#[test]
fn info_and_lists_are_json_for_programs() {
    let run = Run::new();
    let json = |arguments: &[&str]| -> Value {
        let outcome = run.prism(arguments);
        assert_eq!(outcome.status, 0, "{}", outcome.stderr);
        serde_json::from_str(&outcome.stdout).unwrap()
    };
    let info = json(&["info", "--format", "json"]);
    assert_eq!(info["version"], env!("CARGO_PKG_VERSION"));
    assert!(info["machine_code"].is_array() && info["machine_code_error"].is_null(), "{info}");
    assert!(
        info["kernels"].as_array().unwrap().iter().all(|kernel| kernel["fingerprint"].as_str().unwrap().len() == 16)
    );
    let list = json(&["features", "--list", "--format=json"]);
    let named: Vec<&str> = list.as_array().unwrap().iter().map(|one| one["name"].as_str().unwrap()).collect();
    assert!(named.iter().eq(shared_types::FEATURES.iter().map(|feature| &feature.name)));
}

#[test]
fn a_column_is_explained() {
    let run = Run::new();
    let outcome = run.prism(&["features", "--explain", "depth"]);
    assert_eq!(outcome.status, 0, "{}", outcome.stderr);
    for text in ["depth\n", "nearest atom", "Chakravarty", "Å", "undefined"] {
        assert!(outcome.stdout.contains(text), "{text}: {}", outcome.stdout);
    }
    let areas = run.prism(&["features", "--explain", "sasa"]).stdout;
    assert!(areas.contains("accuracy") && areas.contains("--points 1000"), "{areas}");
    run.prism(&["features", "--explain", "depht"]).says(2, "there is no column `depht` (did you mean `depth`?)");
}

/// The explanation of a column holds for an experimental structure, a residue without an alpha carbon, and an unknown one.
#[test]
fn what_is_undefined_is_explained() {
    let run = Run::new();
    let atoms = fs::read_to_string(example()).unwrap();
    let (residue, atom) = (|line: &str| line[22..26].trim().to_owned(), |line: &str| line[12..16].trim().to_owned());
    let lines = atoms.lines().filter(|line| line.starts_with("ATOM"));
    let lines = lines.filter(|line| residue(line) != "360" || atom(line) != "CA").map(|line| match &*residue(line) {
        "400" => format!("{}UNK{}\n", &line[..17], &line[20..]),
        _ => format!("{line}\n"),
    });
    run.put("a.pdb", lines.collect::<String>());
    let every = shared_types::FEATURES.iter().map(|feature| feature.name).collect::<Vec<_>>().join(",");
    let csv = run.features(&["a.pdb", "--columns", &every]).stdout;
    let row = |number: &str| column(&csv, "resnum").iter().position(|one| *one == number).unwrap();
    let (bare, unknown) = (row("360"), row("400"));
    for feature in shared_types::FEATURES {
        let explained = run.prism(&["features", "--explain", feature.name, "--format", "json"]).stdout;
        let explained: Value = serde_json::from_str(&explained).unwrap();
        let (name, undefined) = (feature.name, explained["undefined"].as_str().unwrap());
        let values = column(&csv, name);
        let missing = values.iter().filter(|value| value.is_empty()).count();
        assert_eq!(missing == 0, undefined == "nowhere", "{name}: {missing} rows are empty, and: {undefined}");
        if missing == values.len() {
            continue;
        }
        let of_atoms = ["alpha carbon", "atom N, CA", "an atom of"].iter().any(|of| undefined.contains(of));
        assert_eq!(values[bare].is_empty(), of_atoms, "{name} without an alpha carbon, and: {undefined}");
        let of_names = undefined.starts_with("where no standard amino acid");
        assert!(!of_names || values[unknown].is_empty(), "{name} of an unknown residue, and: {undefined}");
    }
}

#[test]
fn inputs_are_checked_without_computing() {
    let run = Run::new();
    run.copy(&example(), "in/a.pdb");
    run.put("in/broken.pdb", "");
    run.copy(&shipped("1ubq.pdb"), "in/z.pdb");
    let outcome = run.prism(&["check", "in"]);
    assert_eq!(outcome.status, 3, "{}", outcome.stderr);
    let lines: Vec<&str> = outcome.stdout.lines().filter(|line| !line.starts_with(' ')).collect();
    assert!(lines[0].starts_with("a.pdb: 194 residues, 1"), "{}", lines[0]);
    assert!(lines[0].ends_with("chain E (194)"), "{}", lines[0]);
    assert_eq!(lines[1], "broken.pdb: refused: the file is empty");
    assert!(lines[2].starts_with("z.pdb: 76 residues"), "{}", lines[2]);
    let json = run.prism(&["check", "in", "--format", "json"]).stdout;
    let values: Vec<Value> = json.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert_eq!(values[0]["chains"][0]["residues"], 194);
    assert_eq!((values[1]["status"].as_str(), values[2]["status"].as_str()), (Some("refused"), Some("read")));
    assert_eq!(run.prism(&["check", "in/broken.pdb"]).status, 1);
    assert_eq!(run.prism(&["check", "in/a.pdb", "-q"]).status, 0);
    assert!(names(&run.features(&["in"]).stdout).len() == 2, "the same are computed");
}

#[test]
fn messages_say_one_row_and_two_rows() {
    let run = Run::new();
    let atom = |number: u32, x: u32| {
        format!(
            "ATOM      1  CA  GLY A{number:4}    {:8.3}{:8.3}{:8.3}  1.00 10.00           C\n",
            f64::from(x),
            0.0,
            0.0
        )
    };
    run.put("in/one.pdb", atom(1, 1));
    run.put("in/two.pdb", atom(1, 1) + &atom(2, 5));
    run.put("in/text.md", "");
    let outcome = run.prism(&["check", "in"]);
    assert!(outcome.stdout.contains("one.pdb: 1 residue, 1 heavy atom, chain A (1)\n"), "{}", outcome.stdout);
    assert!(outcome.stdout.contains("two.pdb: 2 residues, 2 heavy atoms, chain A (2)\n"), "{}", outcome.stdout);
    outcome.says(0, "note: in: 1 file is ignored; ");
    run.features(&["in", "-o", "parts/"]);
    run.features(&["in", "-o", "parts/", "--resume"]).says(0, "note: 1 of 1 part is done already\n");
    run.features(&["in", "-o", "parts/", "--resume", "--shard", "2/2"])
        .says(0, "there is 1 part, and none is this shard's");
}
