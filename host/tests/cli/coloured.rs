//! Structure files rewritten with a column in their B column.

use crate::command::{Run, column, example, shipped};
use std::fs;
use std::path::Path;

#[test]
fn structures_have_the_values_of_a_column_in_their_b_column() {
    let run = Run::new();
    run.copy(&example(), "in/rbd.pdb");
    run.copy(&Path::new(env!("CARGO_MANIFEST_DIR")).join("../tests/data/1aki.cif.gz"), "in/deep/1aki.cif.gz");
    for (name, factor) in [("depth", 1.0), ("phi", 1.0), ("rsa", 100.0)] {
        let folder = format!("by_{name}");
        let arguments =
            ["in", "--columns", "contact_number", "--write-structures", &folder, "--color-by", name, "-o", "t.csv"];
        let outcome = run.features(&arguments);
        assert_eq!(outcome.status, 0, "{}", outcome.stderr);
        let table = fs::read_to_string(run.path("t.csv")).unwrap();
        assert!(!table.lines().next().unwrap().contains(name), "the table has the columns that were asked for");
        for (input, written) in [("in/rbd.pdb", "rbd.pdb"), ("in/deep/1aki.cif.gz", "deep/1aki.cif")] {
            let values = run.features(&[input, "--columns", name]).stdout;
            let written = format!("{folder}/{written}");
            let coloured = run.features(&[&written, "--columns", "b_factor"]).stdout;
            let (values, coloured) = (column(&values, name), column(&coloured, "b_factor"));
            // Which are neither B factors nor confidences.
            let others = run.features(&[&written, "-v", "--columns", "plddt,bfactor_z"]);
            assert!(
                ["plddt", "bfactor_z"].iter().all(|name| column(&others.stdout, name).iter().all(String::is_empty))
            );
            assert!(others.stderr.contains(&format!("its B column holds {name}")), "{}", others.stderr);
            assert_eq!(values.len(), coloured.len());
            for (value, shown) in values.iter().zip(&coloured) {
                let value: f64 = value.parse().map_or(-999.0, |value: f64| factor * value);
                // A PDB file has six characters, so -180 has one decimal.
                let near = if value <= -99.99 { 0.051 } else { 0.0051 };
                assert!((shown.parse::<f64>().unwrap() - value).abs() < near, "{written}: {value} {shown}");
            }
            for (extension, load) in [("pml", "load "), ("cxc", "open ")] {
                let script = fs::read_to_string(run.path(&format!("{written}.{extension}"))).unwrap();
                let line = script.lines().find(|line| line.starts_with(load)).unwrap();
                // The script lies beside the file, which it finds wherever the folder is moved.
                let file = Path::new(&written).file_name().unwrap().to_str().unwrap();
                assert!(line.strip_prefix(load).unwrap().starts_with(file) && script.contains(name), "{script}");
                assert!(!script.contains(&*run.path("").to_string_lossy()), "{script}");
                let shows_ligands = ["show sticks, structure and organic", "show #1 & (ligand | ions) atoms"];
                assert!(shows_ligands.iter().any(|line| script.lines().any(|own| own == *line)), "{script}");
            }
        }
    }
}

#[test]
fn what_cannot_be_written_again_is_reported() {
    let run = Run::new();
    run.copy(&shipped("1crn.pdb"), "in/a.pdb");
    run.copy(&shipped("1crn.pdb"), "in/b.pdb");
    assert_eq!(run.prism(&["pack", "in/b.pdb", "-o", "b.arrow"]).status, 0);
    let outcome =
        run.features(&["in/a.pdb", "b.arrow", "--columns", "wcn", "--write-structures", "out", "-o", "t.csv"]);
    outcome.says(3, "error: b.pdb: cannot be written again: it was not read from a file of its own");
    assert!(run.path("out/a.pdb").is_file() && !run.path("out/b.pdb").exists());
    assert_eq!(fs::read_to_string(run.path("t.csv")).unwrap().lines().count(), 1 + 2 * 46, "the table has both");
    for (arguments, status, message) in [
        (&["--write-structures", "none/out"][..], 1, "none/out"),
        (&["--write-structures", "out", "--color-by", "ss"], 2, "ss is no number"),
        (
            &["--write-structures", "out", "--color-by", "dpeth"],
            2,
            "there is no column `dpeth` (did you mean `depth`?)",
        ),
        (&["--write-structures", "out", "-o", "folder/"], 2, "a table in one file"),
        (&["--write-structures", "out", "--assembly", "1"], 2, "cannot be used with"),
        (&["--color-by", "depth"], 2, "--write-structures"),
    ] {
        run.features(&[&["in/a.pdb"], arguments].concat()).says(status, message);
    }
}

/// Molecules of one chain id, told apart by numbers and by segments, keep their order in the file.
#[test]
fn molecules_that_were_told_apart_are_written_again() {
    let run = Run::new();
    let atoms = fs::read_to_string(shipped("1ubq.pdb")).unwrap();
    let copy = |x: f64, chain: &str, segment: &str| -> String {
        let atoms = atoms.lines().filter(|line| line.starts_with("ATOM"));
        let line = |line: &str| {
            let x = line[30..38].trim().parse::<f64>().unwrap() + x;
            format!("{}{chain}{}{x:8.3}{}      {segment}{}\n", &line[..21], &line[22..30], &line[38..66], &line[76..])
        };
        atoms.map(line).collect()
    };
    for (name, second) in [("numbers.pdb", ["A", "    "]), ("segments.pdb", ["A", "PROB"]), ("ids.pdb", ["B", "    "])]
    {
        let first = if second[1] == "PROB" { "PROA" } else { "    " };
        fs::write(run.path(name), copy(0.0, "A", first) + &copy(25.0, second[0], second[1])).unwrap();
        let arguments = [name, "--columns", "depth", "--color-by", "depth", "--write-structures", "out", "-o", "t.csv"];
        let outcome = run.features(&arguments);
        assert_eq!(outcome.status, 0, "{name}: {}", outcome.stderr);
        let written = format!("out/{name}");
        let values = column(&fs::read_to_string(run.path("t.csv")).unwrap(), "depth");
        let shown = column(&run.features(&[&written, "--columns", "b_factor"]).stdout, "b_factor");
        assert_eq!((values.len(), shown.len()), (152, 152), "{name}");
        let number = |text: &String| text.parse::<f64>().unwrap();
        assert!(
            values.iter().zip(&shown).all(|(value, shown)| (number(value) - number(shown)).abs() < 0.0051),
            "{name}"
        );
        assert_ne!(shown[..76], shown[76..], "the molecules bury parts of each other");
    }
}
