//! The `prism` command from a user's view: its output, messages and exit status.

use crate::command::{Outcome, Run, column, example, names, shipped};
use std::fs;

#[test]
fn one_structure_to_standard_output() {
    let run = Run::new();
    let Outcome { status, stdout, stderr } = run.features(&[example().to_str().unwrap()]);
    assert_eq!(status, 0, "{stderr}");
    assert!(stdout.starts_with("structure,row,chain,resnum,icode,resname,parent,contact_number,wcn,"));
    assert_eq!(stdout.lines().count(), 1 + 194);
    assert_eq!(names(&stdout), ["6m0j_rbd.pdb"]);
    assert_eq!(column(&stdout, "row")[193], "193");
    assert_eq!(column(&stdout, "resnum")[..2], ["333", "334"]);
    assert_eq!(column(&stdout, "chain")[0], "E");
    assert_eq!(column(&stdout, "resname")[0], "THR");
    assert_eq!(column(&stdout, "contact_number")[0], "5.0");
    assert_eq!(column(&stdout, "ca_angle")[0], "", "not defined at the end of a chain");
    let last = stderr.lines().last().unwrap();
    assert!(last.starts_with("1 structure, 194 residues, 0 failed; CPU ("), "{last}");
    assert_eq!(run.files(), [""; 0]);
}

#[test]
fn a_file_has_what_standard_output_has() {
    let run = Run::new();
    let input = example();
    let stdout = run.features(&[input.to_str().unwrap()]).stdout;
    let written = run.features(&[input.to_str().unwrap(), "-o", "out.csv"]);
    assert_eq!((written.status, written.stdout.as_str()), (0, ""));
    assert_eq!(fs::read_to_string(run.path("out.csv")).unwrap(), stdout);
    assert_eq!(run.features(&[input.to_str().unwrap(), "-o", "-"]).stdout, stdout);
    for name in ["out.parquet", "out.npz"] {
        assert_eq!(run.features(&[input.to_str().unwrap(), "--output", name]).status, 0);
    }
    assert_eq!(fs::read(run.path("out.parquet")).unwrap()[..4], *b"PAR1");
    assert_eq!(fs::read(run.path("out.npz")).unwrap()[..2], *b"PK");
    assert_eq!(run.files(), ["out.csv", "out.npz", "out.parquet"]);
}

#[test]
fn directories_are_walked_and_formats_found_by_content() {
    let run = Run::new();
    run.copy(&shipped("1crn.cif"), "in/sub/crambin.cif");
    run.copy(&shipped("1crn.pdb"), "in/b.ent");
    run.copy(&shipped("1crn.cif"), "in/A.pdb");
    run.put("in/notes.txt", "nothing");
    let mut gzip = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    std::io::Write::write_all(&mut gzip, &fs::read(shipped("1ubq.pdb")).unwrap()).unwrap();
    run.put("in/z.pdb.gz", gzip.finish().unwrap());
    let Outcome { status, stdout, stderr } = run.features(&["in"]);
    assert_eq!(status, 0, "{stderr}");
    assert_eq!(names(&stdout), ["A.pdb", "b.ent", "sub/crambin.cif", "z.pdb"]);
    assert!(stderr.contains("note: in: 1 file is ignored") && !stderr.contains("notes.txt"), "{stderr}");
    let named = run.features(&["in", "-v"]).stderr;
    assert!(named.contains("note: in/notes.txt: ignored"), "{named}");
    run.copy(&example(), "rbd.pdb");
    let (verbose, silent) = (run.features(&["rbd.pdb", "-v"]).stderr, run.features(&["rbd.pdb"]).stderr);
    assert!(verbose.contains("note: rbd.pdb: ") && !silent.contains("note: rbd.pdb: "), "{verbose}");
    assert!(stderr.contains("4 structures, 214 residues, 0 failed"), "{stderr}");
}

#[test]
fn bad_inputs_are_reported_and_the_rest_is_written() {
    let run = Run::new();
    run.copy(&shipped("1crn.pdb"), "a.pdb");
    run.put("empty.pdb", "");
    run.put("broken.pdb", "ATOM      1  N   THR A   1      17.047  14.09x   3.625  1.00 13.79           N\n");
    run.copy(&shipped("1ubq.pdb"), "z.pdb");
    run.put("model.bcif", "x");
    let inputs = ["a.pdb", "empty.pdb", "missing.pdb", "broken.pdb", "model.bcif", "z.pdb"];
    let Outcome { status, stdout, stderr } = run.features(&inputs);
    assert_eq!(status, 3, "{stderr}");
    assert_eq!(names(&stdout), ["a.pdb", "z.pdb"]);
    let errors: Vec<&str> = stderr.lines().filter(|line| line.starts_with("error: ")).collect();
    assert_eq!(errors.len(), 4, "{stderr}");
    assert_eq!(errors[0], "error: empty.pdb: the file is empty");
    assert!(errors[1].starts_with("error: missing.pdb: No such file"), "{}", errors[1]);
    assert!(errors[2].starts_with("error: broken.pdb: line 1: "), "{}", errors[2]);
    assert!(errors[3].starts_with("error: model.bcif: no atoms: "), "{}", errors[3]);
    assert!(stderr.contains("2 structures, 122 residues, 4 failed; CPU ("), "{stderr}");

    // With a file as output, the result is the same.
    let written = run.features(&[&inputs[..], &["-o", "out.csv", "--keep-going"]].concat());
    assert_eq!(written.status, 3);
    assert_eq!(fs::read_to_string(run.path("out.csv")).unwrap(), stdout);
}

#[test]
fn nothing_is_written_when_nothing_can_be() {
    let run = Run::new();
    run.put("empty.pdb", "");
    run.put("out.csv", "before");
    let outcome = run.features(&["empty.pdb"]);
    assert_eq!((outcome.status, outcome.stdout.as_str()), (1, ""));
    assert_eq!(run.features(&["empty.pdb", "missing.pdb", "-o", "out.csv"]).status, 1);
    assert_eq!(fs::read_to_string(run.path("out.csv")).unwrap(), "before");
    run.put("dir/notes.txt", "");
    run.features(&["dir"]).says(1, "error: no structure files (.pdb, .pdb1 to .pdb9, .ent, .cif, .mmcif, .bcif, .fcz, .pqr, .pdbqt or .tar, each also .gz, .zst, .bz2, .xz; .zip) were found");
    assert_eq!(run.files(), ["dir", "empty.pdb", "out.csv"]);
}

#[test]
fn fail_fast_stops_at_the_first_failure() {
    let run = Run::new();
    run.copy(&shipped("1crn.pdb"), "a.pdb");
    run.put("bad.pdb", "");
    run.put("worse.pdb", "");
    let outcome = run.features(&["a.pdb", "bad.pdb", "worse.pdb", "--fail-fast", "-o", "out.csv"]);
    assert_eq!(outcome.status, 1, "{}", outcome.stderr);
    assert_eq!(outcome.stderr.matches("error: ").count(), 1, "{}", outcome.stderr);
    assert!(!run.path("out.csv").exists());
    assert!(run.files().iter().all(|name| !name.contains("part")), "{:?}", run.files());
    assert_eq!(run.features(&["a.pdb", "--fail-fast", "-o", "out.csv"]).status, 0);
}

#[test]
fn wrong_usage_is_status_2() {
    let run = Run::new();
    run.copy(&shipped("1crn.pdb"), "a.pdb");
    run.copy(&shipped("1crn.pdb"), "sub/a.pdb");
    let refused = |arguments: &[&str], says: &str| {
        let outcome = run.prism(arguments);
        outcome.says(2, says);
        assert_eq!(outcome.stdout, "");
    };
    refused(&[], "Usage");
    refused(&["features"], "<PATH>");
    refused(&["features", "a.pdb", "--speed"], "--speed");
    refused(&["features", "a.pdb", "-o", "out.txt"], "out.txt: the extension must be csv, tsv or jsonl");
    let unknown = "there is no column `wcm` (did you mean `wcn`?); `prism features --list` shows all features";
    refused(&["features", "a.pdb", "--columns", "wcn,wcm"], unknown);
    refused(&["features", "a.pdb", "--columns", "wcn,wcn"], "`wcn` is named twice");
    refused(&["features", "a.pdb", "--contact-threshold", "0"], "`contact_threshold` is 0");
    refused(&["features", "a.pdb", "--contact-threshold", "-8"], "`contact_threshold` is -8");
    refused(&["features", "a.pdb", "--contact-threshold", "near"], "near");
    refused(&["features", "a.pdb", "--points", "19"], "19 is not in 20..=5000");
    refused(&["features", "a.pdb", "--points", "5001"], "5001 is not in 20..=5000");
    refused(&["features", "a.pdb", "--points", "-100"], "-100 is not in 20..=5000");
    refused(&["features", "a.pdb", "--min-feature-value", "nan"], "`min_feature_value` is NaN");
    refused(&["features", "a.pdb", "--backend", "tpu"], "tpu");
    refused(&["features", "a.pdb", "--backend", "cpu", "--device", "0"], "the CPU backend has none");
    refused(&["features", "a.pdb", "--keep-going", "--fail-fast"], "cannot be used with");
    let named = ["features", "a.pdb", "sub/a.pdb", "--name-by", "name"];
    refused(&named, "a.pdb and sub/a.pdb would have the same name \"a.pdb\"");
    refused(&["features", "a.pdb", "a.pdb"], "would have the same name");
}

#[test]
fn columns_are_chosen() {
    let run = Run::new();
    run.copy(&shipped("1crn.pdb"), "a.pdb");
    let header = |columns: &str| {
        let stdout = run.features(&["a.pdb", "--columns", columns]).stdout;
        stdout.lines().next().unwrap_or_default().to_owned()
    };
    assert_eq!(header("wcn,contact_number"), "structure,row,chain,resnum,icode,resname,parent,wcn,contact_number");
    assert_eq!(header("resnum,wcn"), "resnum,wcn");
}

#[test]
fn chains_are_chosen() {
    let run = Run::new();
    run.copy(&example(), "a.pdb");
    assert_eq!(run.features(&["a.pdb", "--chains", "A,E"]).stdout.lines().count(), 195);
    let spaced = run.features(&["a.pdb", "--chains", "A, E"]);
    spaced.says(0, "warning: a.pdb: chain \"A\", which was requested");
    assert_eq!(spaced.stdout.lines().count(), 195);
    run.features(&["a.pdb", "--chains", "A"]).says(1, "error: a.pdb: no protein residues");
    // A blank chain is named, too.
    let blank = "error: a.pdb: no protein residues or nucleotides in the requested chains (\" \"); the file has E";
    run.features(&["a.pdb", "--chains", " "]).says(1, blank);
    run.features(&["a.pdb", "--chains", ""]).says(1, blank);
    run.features(&["a.pdb", "--chains", "E, "]).says(0, "warning: a.pdb: chain \" \", which was requested");
}

#[test]
fn the_configuration_reaches_the_features() {
    let run = Run::new();
    run.copy(&shipped("1crn.pdb"), "a.pdb");
    let contacts = |threshold: &str| -> f32 {
        let stdout = run.features(&["a.pdb", "--contact-threshold", threshold]).stdout;
        column(&stdout, "contact_number").iter().map(|number| number.parse::<f32>().unwrap()).sum()
    };
    assert!(contacts("6") < contacts("8") && contacts("8") < contacts("10"));
    let areas = |points: &str| column(&run.features(&["a.pdb", "--points", points]).stdout, "sasa");
    assert_ne!(areas("100"), areas("200"));
    assert_eq!(areas("100"), column(&run.features(&["a.pdb"]).stdout, "sasa"));
    let stdout = run.features(&["a.pdb", "--min-feature-value", "1e30"]).stdout;
    assert!(column(&stdout, "wcn").iter().all(|value| value == "0.0"));
}

#[test]
fn annotations_apply_by_residue() {
    let run = Run::new();
    run.copy(&shipped("1crn.pdb"), "a.pdb");
    run.put(
        "notes.csv",
        "structure,chain,resnum,icode,conservation,gisaid_freq\na.pdb,A,1,,0.5,\na.pdb,A,3,,,0.25\nb.pdb,A,1,,1,\n",
    );
    let outcome = run.features(&["a.pdb", "--annotations", "notes.csv"]);
    outcome.says(0, "warning: notes.csv: 1 line matches no residue");
    assert_eq!(column(&outcome.stdout, "conservation")[..3], ["0.5", "", ""]);
    assert_eq!(column(&outcome.stdout, "gisaid_freq")[..3], ["", "", "0.25"]);
    assert_eq!(column(&outcome.stdout, "conservation_local")[1], "0.5", "neighbours average what there is");

    run.put("bad.csv", "structure,chain,resnum,icode,conservation\na.pdb,A,1,,0.5\na.pdb,A,2,,much\n");
    let outcome = run.features(&["a.pdb", "--annotations", "bad.csv", "-o", "out.csv"]);
    outcome.says(1, "error: bad.csv: line 3: conservation \"much\" is not a number");
    assert!(!run.path("out.csv").exists());
    assert_eq!(run.features(&["a.pdb", "--annotations", "none.csv"]).status, 1);
}

#[test]
fn warnings_name_the_structure() {
    let run = Run::new();
    let text = fs::read_to_string(shipped("1crn.pdb")).unwrap();
    let (atoms, rest): (Vec<&str>, Vec<&str>) = text.lines().partition(|line| line.starts_with("ATOM"));
    let shifted = atoms.iter().map(|line| line.replace(" A ", " B "));
    let doubled: Vec<String> = atoms
        .iter()
        .map(|line| (*line).to_owned())
        .chain(shifted)
        .chain(rest.iter().map(|l| (*l).to_owned()))
        .collect();
    run.put("double.pdb", doubled.join("\n"));
    let outcome = run.features(&["double.pdb"]);
    outcome.says(0, "warning: double.pdb: ");
    assert!(column(&outcome.stdout, "wcn").iter().all(|wcn| wcn != "inf"));
}

#[test]
fn the_feature_table_is_listed() {
    let outcome = Run::new().prism(&["features", "--list"]);
    assert_eq!((outcome.status, outcome.stderr.as_str()), (0, ""));
    for feature in shared_types::FEATURES {
        let line = outcome.stdout.lines().find(|line| line.split_whitespace().next() == Some(feature.name));
        let line = line.unwrap_or_else(|| panic!("{} is not listed", feature.name));
        assert!(line.contains(feature.unit) && line.contains(feature.definition) && line.contains(feature.source));
    }
}

#[test]
fn info_tells_backend_and_kernels() {
    let outcome = Run::new().prism(&["info"]);
    assert_eq!(outcome.status, 0, "{}", outcome.stderr);
    for text in [
        "backend: ",
        "driver: ",
        "CPU: ",
        "machine code: ",
        "kernel mega_fused_batch_detection_prism4d",
        "fingerprint ",
    ] {
        assert!(outcome.stdout.contains(text), "{text}: {}", outcome.stdout);
    }
}

#[test]
fn order_and_bits_do_not_depend_on_what_is_beside() {
    let run = Run::new();
    run.copy(&example(), "rbd.pdb");
    run.copy(&shipped("1crn.pdb"), "crn.pdb");
    run.copy(&shipped("1ubq.pdb"), "ubq.pdb");
    let all = run.features(&["ubq.pdb", "rbd.pdb", "crn.pdb"]).stdout;
    let one = |name: &str| run.features(&[name]).stdout.split_once('\n').unwrap().1.to_owned();
    let header = all.lines().next().unwrap();
    assert_eq!(all, format!("{header}\n{}{}{}", one("ubq.pdb"), one("rbd.pdb"), one("crn.pdb")));
}

#[test]
fn viewers_get_points_and_scripts() {
    let run = Run::new();
    run.copy(&example(), "a.pdb");
    let show = |points: &str, script: &str| {
        let outcome = run.prism(&["sites", "a.pdb", "--backend", "cpu", "--points", points, "--script", script]);
        assert_eq!(outcome.status, 0, "{}", outcome.stderr);
        [points, script].map(|file| fs::read_to_string(run.path(file)).unwrap())
    };
    let [ply, chimerax] = show("p.ply", "s.cxc");
    let [pdb, pymol] = show("p.pdb", "s.pml");
    let vertices = ply.lines().skip_while(|line| *line != "end_header").count() - 1;
    assert!(vertices > 100, "{vertices}");
    let atoms: Vec<&str> = pdb.lines().filter(|line| line.starts_with("HETATM")).collect();
    assert_eq!(atoms.len(), vertices);
    assert!(atoms.iter().all(|line| (0.0..=100.0).contains(&line[60..66].trim().parse::<f64>().unwrap())));
    assert!(pymol.starts_with("load a.pdb") && pymol.contains("load p.pdb") && pymol.contains("site_1_centre"));
    assert!(chimerax.starts_with("open a.pdb") && chimerax.contains("marker #101"));
    // Characters that mean something to the viewers.
    run.copy(&example(), "a \"b\", (c);.pdb");
    for (script, lines) in [
        (
            "s.pml",
            [r#"/cmd.load("a \x22b\x22\x2c \x28c\x29\x3b.pdb", "protein")"#, r#"/cmd.load("p\x2cq.pdb", "points")"#],
        ),
        ("s.cxc", [r#"open "a \x22b\x22\x2c \x28c\x29\x3b.pdb""#, r#"open "p\x2cq.pdb" id 2"#]),
    ] {
        let arguments = ["sites", "a \"b\", (c);.pdb", "--backend", "cpu", "--points", "p,q.pdb", "--script", script];
        assert_eq!(run.prism(&arguments).status, 0);
        let text = fs::read_to_string(run.path(script)).unwrap();
        assert!(lines.iter().all(|line| text.lines().any(|own| own == *line)), "{text}");
    }
    assert_eq!(run.prism(&["sites", "a.pdb", "a.pdb", "--points", "p.ply"]).status, 2);
    assert_eq!(run.features(&["a.pdb", "--points", "p.ply"]).status, 2);
}

#[test]
fn the_structure_is_written_with_scores_in_its_b_column() {
    let run = Run::new();
    run.copy(&example(), "a.pdb");
    let ligand = "HETATM 9000  C1  ATP Z 900      10.000  20.000  30.000  1.00 20.00           C\n";
    let text = fs::read_to_string(run.path("a.pdb")).unwrap() + ligand;
    fs::write(run.path("a.pdb"), &text).unwrap();
    let outcome = run.prism(&["sites", "a.pdb", "--backend", "cpu", "--write-structure", "b.pdb"]);
    assert_eq!(outcome.status, 0, "{}", outcome.stderr);
    let written = fs::read_to_string(run.path("b.pdb")).unwrap();
    let (remarks, scored): (Vec<&str>, Vec<&str>) = written.lines().partition(|line| line.contains("B COLUMN HOLDS"));
    assert_eq!((remarks.len(), scored.len()), (1, text.lines().count()), "{remarks:?}");
    let table = run.features(&["a.pdb", "--columns", "resnum,site_score"]);
    let rows = table.stdout.lines().skip(1).map(|line| line.split_once(',').unwrap());
    let scores: std::collections::HashMap<_, f64> =
        rows.map(|(n, score)| (n.to_owned(), score.parse().unwrap())).collect();
    assert!(scores.values().any(|&score| score > 0.01));
    for (line, before) in scored.into_iter().zip(text.lines()) {
        let b = |line: &str| line[60..66].trim().parse::<f64>().unwrap();
        if line.starts_with("ATOM") {
            assert!((b(line) - 100.0 * scores[line[22..26].trim()]).abs() < 0.0051, "{line}");
            assert_eq!((&line[..60], &line[66..]), (&before[..60], &before[66..]));
        } else if line.starts_with("HETATM") {
            assert_eq!(b(line), 0.0, "{line}");
        } else {
            assert_eq!(line, before);
        }
    }
    let other = run.prism(&["sites", "a.pdb", "--backend", "cpu", "--write-structure", "b.cif"]);
    assert_ne!(other.status, 0);
    assert!(other.stderr.contains("a structure of a PDB file is written as pdb"), "{}", other.stderr);
}

/// Bound ligands must not influence any column: they may be missing or anywhere.
#[test]
fn ligands_do_not_leak_into_any_column() {
    let run = Run::new();
    let protein = fs::read_to_string(example()).unwrap();
    let atoms: String =
        protein.lines().filter(|line| line.starts_with("ATOM")).map(|line| format!("{line}\n")).collect();
    let ligand = |shift: f64| -> String {
        (0..20)
            .map(|i| {
                let x = shift + 1.4 * f64::from(i);
                format!(
                    "HETATM{:5}  C{:<2} ATP Z 900    {x:8.3}{:8.3}{:8.3}  1.00 20.00           C\n",
                    9000 + i,
                    i % 100,
                    10.0,
                    20.0
                )
            })
            .collect()
    };
    let tables = [atoms.clone(), atoms.clone() + &ligand(-30.0), ligand(25.0) + &atoms].map(|text| {
        fs::write(run.path("a.pdb"), text).unwrap();
        let features = run.features(&["a.pdb"]);
        assert_eq!(features.status, 0, "{}", features.stderr);
        (features.stdout, run.prism(&["sites", "a.pdb", "--backend", "cpu"]).stdout)
    });
    assert!(tables[0].1.lines().count() > 1);
    assert!(tables[0] == tables[1] && tables[0] == tables[2]);
}

#[test]
fn sites_do_not_depend_on_contacts_or_test_points() {
    let run = Run::new();
    run.copy(&example(), "a.pdb");
    let scores = |more: &[&str]| {
        let outcome = run.features(&[&["a.pdb", "--columns", "site_score,site_id"], more].concat());
        assert_eq!(outcome.status, 0, "{}", outcome.stderr);
        outcome.stdout
    };
    let expected = scores(&[]);
    assert_eq!(scores(&["--contact-threshold", "10"]), expected);
    // With other test points, the atoms without accessible area are unknown, so all atoms are tested.
    assert_eq!(scores(&["--points", "300"]), expected);
    assert_eq!(scores(&["--points", "20"]), expected);
}
