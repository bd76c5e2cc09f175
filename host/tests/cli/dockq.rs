//! `prism dockq` from a user's view. `tests/data/make_dockq_reference.py` makes the same models for DockQ.

use crate::command::{Outcome, Run, column, trimer};
use std::fs;
use std::io::Read;
use std::path::Path;

/// The atoms of an entry, without water.
fn entry(path: &Path) -> Vec<String> {
    let mut text = String::new();
    flate2::read::MultiGzDecoder::new(fs::File::open(path).unwrap()).read_to_string(&mut text).unwrap();
    let is_atom = |line: &&str| line.starts_with("ATOM") || line.starts_with("HETATM") && &line[17..20] != "HOH";
    text.lines().filter(is_atom).map(str::to_owned).collect()
}

fn shipped(name: &str) -> Vec<String> {
    entry(&Path::new(env!("CARGO_MANIFEST_DIR")).join("../tests/data").join(name))
}

/// The protein of 1jcd.
fn atoms() -> Vec<String> {
    entry(Path::new(&trimer())).into_iter().filter(|line| line.starts_with("ATOM")).collect()
}

/// A double strand of DNA.
fn dna() -> Vec<String> {
    shipped("1bna.pdb.gz")
}

/// A protein with haem, which has a chain of its own.
fn haem() -> Vec<String> {
    let own = |line: String| if line.starts_with("HETATM") { with_chain(&line, 'L') } else { line };
    shipped("1kx2_cut.pdb.gz").into_iter().map(own).collect()
}

/// The reference of a model.
fn reference_of(model: &str) -> Vec<String> {
    match model.split('_').next() {
        Some("dna") => dna(),
        Some("haem") => haem(),
        _ => atoms(),
    }
}

fn chain(line: &str) -> char {
    char::from(line.as_bytes()[21])
}

fn number(line: &str) -> i32 {
    line[22..26].trim().parse().unwrap()
}

/// The atom of a chain after a rotation about an axis parallel to z, and a shift.
fn moved(line: &str, of: char, degrees: f64, shift: [f64; 3]) -> String {
    if chain(line) != of {
        return line.to_owned();
    }
    let [x, y, z] = [30, 38, 46].map(|begin| line[begin..begin + 8].trim().parse::<f64>().unwrap());
    let ((sin, cos), about) = (degrees.to_radians().sin_cos(), [1.25, 0.7]);
    let [x, y] = [x - about[0], y - about[1]];
    let turned = [cos * x - sin * y + about[0], sin * x + cos * y + about[1], z];
    let fields: String = turned.iter().zip(shift).map(|(a, b)| format!("{:8.3}", a + b)).collect();
    format!("{}{fields}{}", &line[..30], &line[54..])
}

/// Its chains B and C moved a little.
fn near() -> Vec<String> {
    let both = |line: &String| moved(&moved(line, 'B', 5.0, [1.5, -1.0, 0.5]), 'C', -3.0, [0.0, 0.5, 1.0]);
    atoms().iter().map(both).collect()
}

fn with_chain(line: &str, id: char) -> String {
    format!("{}{id}{}", &line[..21], &line[22..])
}

fn model(name: &str) -> Vec<String> {
    let is_lost = |line: &String| chain(line) == 'A' && number(line) % 5 == 0;
    let near = near().into_iter();
    match name {
        "near" => near.collect(),
        "incomplete" => {
            let renumbered = near.map(|line| format!("{}{:4}{}", &line[..22], number(&line) + 100, &line[26..]));
            renumbered.filter(|line| !is_lost(line)).collect()
        }
        "lacking" => near.filter(|line| !is_lost(line)).collect(),
        // Numbers go on over a gap.
        "gap" => {
            let kept = near.filter(|line| !(chain(line) == 'A' && (20..32).contains(&number(line))));
            let shift = |line: &str| if chain(line) == 'A' && number(line) > 20 { 12 } else { 0 };
            kept.map(|line| format!("{}{:4}{}", &line[..22], number(&line) - shift(&line), &line[26..])).collect()
        }
        "swapped" => {
            let next = |id: char| if id == 'C' { 'A' } else { char::from(id as u8 + 1) };
            near.map(|line| with_chain(&line, next(chain(&line)))).collect()
        }
        "pair" => near.filter(|line| chain(line) != 'C').collect(),
        "far" => near.map(|line| moved(&line, 'C', 0.0, [12.0, 0.0, 9.0])).collect(),
        "clashing" => near.map(|line| moved(&line, 'B', 20.0, [-5.0, 4.0, 0.0])).collect(),
        "dna" => dna().iter().map(|line| moved(line, 'B', 6.0, [1.0, -0.5, 1.5])).collect(),
        "dna_lacking" => model("dna").into_iter().filter(|line| !is_lost(line)).collect(),
        "haem" => haem().iter().map(|line| moved(line, 'L', 8.0, [0.5, 0.5, -1.0])).collect(),
        // Oxygens of the propionates change their names, which bonds do not tell apart.
        "haem_renamed" => {
            let renamed = |line: String| match line[12..16].trim() {
                name @ ("O1A" | "O2A" | "O1D" | "O2D") => {
                    let other = if name.contains('1') { name.replace('1', "2") } else { name.replace('2', "1") };
                    format!("{} {other}{}", &line[..12], &line[16..])
                }
                _ => line,
            };
            model("haem").into_iter().map(renamed).collect()
        }
        "backbone" => near.filter(|line| ["N", "CA", "C", "O"].contains(&line[12..16].trim())).collect(),
        other => panic!("no model {other}"),
    }
}

fn put(run: &Run, name: &str, lines: &[String]) {
    run.put(name, format!("{}\nEND\n", lines.join("\n")));
}

/// A folder with the reference.
fn folder() -> Run {
    let run = Run::new();
    put(&run, "reference.pdb", &atoms());
    run
}

fn dockq(run: &Run, arguments: &[&str]) -> Outcome {
    run.prism(&[&["dockq", "--backend", "cpu", "--reference", "reference.pdb"], arguments].concat())
}

const VALUES: [&str; 7] = ["dockq", "fnat", "fnonnat", "irmsd", "lrmsd", "f1", "clashes"];

#[test]
fn scores_are_those_of_dockq() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../tests/data/dockq_reference.csv");
    let expected = fs::read_to_string(path).unwrap();
    let of = |name: &str| column(&expected, name);
    let run = folder();
    let cases: Vec<(String, String)> = of("model").into_iter().zip(of("options")).collect();
    let mut begin = 0;
    for rows in cases.chunk_by(|a, b| a == b) {
        let (name, options) = &rows[0];
        put(&run, "reference.pdb", &reference_of(name));
        put(&run, "model.pdb", &model(name));
        let found = dockq(&run, &[&["model.pdb"], &options.split_whitespace().collect::<Vec<_>>()[..]].concat());
        assert_eq!(found.status, 0, "{name}: {}", found.stderr);
        let here = begin..begin + rows.len();
        begin = here.end;
        // The first line is the whole model's.
        let own = |name: &str| column(&found.stdout, name)[1..].to_vec();
        for name in ["chain_a", "chain_b", "reference_a", "reference_b"] {
            assert_eq!(own(name), of(name)[here.clone()], "{rows:?} {name}");
        }
        let close = |own: &str, other: &str| {
            let [own, other] = [own, other].map(|text| text.parse::<f64>().unwrap());
            (own - other).abs() < 1e-4
        };
        // Of a ligand's pose DockQ reports the distance alone.
        let values = if name.starts_with("haem") { &["dockq", "lrmsd"][..] } else { &VALUES };
        for &value in values {
            let pairs = own(value).into_iter().zip(of(value)[here.clone()].to_vec());
            pairs.for_each(|(own, other)| assert!(close(&own, &other), "{rows:?} {value}: {own}, {other}"));
        }
        let (mean, whole) = (&of("mean")[here.start], &column(&found.stdout, "dockq")[0]);
        assert!(close(mean, whole), "{rows:?}: {mean}, {whole}");
        assert_eq!(column(&found.stdout, "fnat")[0], "");
    }
    assert_eq!(begin, cases.len());
}

#[test]
fn many_models_are_compared_with_one_reference() {
    let run = folder();
    for name in ["near", "pair", "far"] {
        put(&run, &format!("models/{name}.pdb"), &model(name));
    }
    let table = dockq(&run, &["models"]);
    assert_eq!(table.status, 0, "{}", table.stderr);
    let whole: Vec<(String, String)> = column(&table.stdout, "structure")
        .into_iter()
        .zip(column(&table.stdout, "chain_a"))
        .zip(column(&table.stdout, "mapping"))
        .filter(|((_, chain), _)| chain.is_empty())
        .map(|((name, _), mapping)| (name, mapping))
        .collect();
    let names: Vec<&str> = whole.iter().map(|(name, _)| name.as_str()).collect();
    assert_eq!(names, ["far.pdb", "near.pdb", "pair.pdb"]);
    assert_eq!(whole[2].1.split(',').count(), 2);
    assert!(table.stderr.contains("1 structure has chains or residues without a counterpart"), "{}", table.stderr);
    for (output, begins) in [("t.parquet", &b"PAR1"[..]), ("t.json", b"[\n{\"structure\":\"far.pdb\"")] {
        assert_eq!(dockq(&run, &["models", "-o", output]).status, 0);
        assert!(fs::read(run.path(output)).unwrap().starts_with(begins), "{output}");
    }
    let verbose = dockq(&run, &["models/pair.pdb", "-v"]);
    verbose.says(0, "without a counterpart, left out");
    // What ends there is the end of a molecule for the reader.
    let mut gap = model("gap");
    let end = gap.iter().position(|line| chain(line) == 'A' && number(line) == 20).unwrap();
    gap.insert(end, "TER".to_owned());
    put(&run, "gap.pdb", &gap);
    dockq(&run, &["gap.pdb", "-v"]).says(0, "in the model A~2 is part of chain A, whose numbers go on");
}

#[test]
fn models_that_cannot_be_compared_fail_alone() {
    let run = folder();
    put(&run, "near.pdb", &near());
    let one: Vec<String> = near().into_iter().filter(|line| chain(line) == 'A').collect();
    put(&run, "one.pdb", &one);
    let mutated = |line: String| {
        if chain(&line) == 'B' && number(&line) == 30 { format!("{}TRP{}", &line[..17], &line[20..]) } else { line }
    };
    let mutant: Vec<String> = near().into_iter().map(mutated).collect();
    put(&run, "mutant.pdb", &mutant);
    let table = dockq(&run, &["near.pdb", "one.pdb", "mutant.pdb"]);
    table.says(3, "error: one.pdb: not compared: one.pdb has fewer than two chains of protein or nucleic acid");
    // Each chain of the reference has two counterparts, but the three together have only those two.
    table.says(
        3,
        "not compared: mutant.pdb and reference.pdb have different numbers of chains of one sequence; choose chains by --mapping",
    );
    assert_eq!(column(&table.stdout, "structure"), ["near.pdb"; 4]);
    assert_eq!(dockq(&run, &["mutant.pdb", "--allowed-mismatches", "1", "-q"]).status, 0);
    // Alone, the chain has no counterpart at all.
    let fixed = dockq(&run, &["mutant.pdb", "--mapping", "A:A,C:B,*:C"]);
    fixed.says(1, "no chain of mutant.pdb has the sequence of chain C of reference.pdb (1 residue differs");
    fixed.says(1, "--allowed-mismatches 1");
}

#[test]
fn mistakes_are_reported_before_models_are_read() {
    let run = folder();
    put(&run, "near.pdb", &near());
    let with = |mapping: &str| dockq(&run, &["near.pdb", "--mapping", mapping]);
    with("A:X").says(2, "--reference: --mapping: reference.pdb has no chain \"X\" to compare; it has A,B,C");
    with("A:A,B:A").says(2, "chain \"A\" is named twice on one side");
    with("AB").says(2, "give pairs MODEL:REFERENCE of chains, as in A:H,B:L");
    with("X:A,*:*").says(1, "near.pdb has no chain \"X\" to compare; it has A,B,C");
    let reference = |path: &str| run.prism(&["dockq", "--reference", path, "near.pdb"]);
    reference("none.pdb").says(2, "--reference: none.pdb: ");
    reference("-").says(2, "give a file; standard input is for models");
    let one: Vec<String> = near().into_iter().filter(|line| chain(line) == 'A').collect();
    put(&run, "one.pdb", &one);
    reference("one.pdb").says(2, "--reference: one.pdb has fewer than two chains of protein or nucleic acid");
    let apart: Vec<String> = near()
        .iter()
        .map(|line| moved(&moved(line, 'B', 0.0, [300.0, 0.0, 0.0]), 'C', 0.0, [0.0, 300.0, 0.0]))
        .collect();
    put(&run, "apart.pdb", &apart);
    reference("apart.pdb").says(2, "no two chains of the reference apart.pdb that are compared touch each other");
    // The output is not written over the reference.
    put(&run, "kept.csv", &atoms());
    let over = run.prism(&["dockq", "--reference", "kept.csv", "near.pdb", "-o", "kept.csv"]);
    over.says(2, "kept.csv: would be overwritten by the output");
}

#[test]
fn ligands_are_compared_if_they_are_asked_for() {
    let run = Run::new();
    put(&run, "reference.pdb", &haem());
    put(&run, "model.pdb", &model("haem"));
    run.prism(&["dockq", "--reference", "reference.pdb", "model.pdb"])
        .says(2, "has fewer than two chains of protein or nucleic acid");
    // In the chain of its protein the ligand is called by name and number, on either side.
    put(&run, "inside.pdb", &model("haem").iter().map(|line| with_chain(line, 'A')).collect::<Vec<_>>());
    let inside = dockq(&run, &["inside.pdb", "--small-molecules"]);
    assert_eq!(column(&inside.stdout, "mapping")[0], "A:A,A/HEC90:L", "{}", inside.stderr);
    assert!((column(&inside.stdout, "lrmsd")[1].parse::<f64>().unwrap() - 1.159_405).abs() < 1e-4);
    // Ions that the model lacks are left out; atoms that it lacks are reported.
    let ion = "HETATM  999 ZN    ZN Z   1       5.000   4.000   1.000  1.00 10.00          ZN".to_owned();
    put(&run, "reference.pdb", &[haem(), vec![ion]].concat());
    let lacking = |line: &String| !(line.starts_with("HETATM") && line[12..16].trim().starts_with('O'));
    put(&run, "model.pdb", &model("haem").into_iter().filter(lacking).collect::<Vec<_>>());
    let found = dockq(&run, &["model.pdb", "--small-molecules", "-v"]);
    found.says(0, "1 chain of the reference (Z) without a counterpart, left out");
    found.says(0, "4 atoms of a ligand of the reference have no counterpart in the model");
    assert_eq!(column(&found.stdout, "reference_b"), ["", "L"]);
    dockq(&run, &["model.pdb", "--small-molecules", "--mapping", "A:A,L:A"]).says(2, "chain \"A\" is named twice");
    dockq(&run, &["model.pdb", "--small-molecules", "--mapping", "A:L,*:*"])
        .says(1, "A of the model and L of the reference are a ligand and a chain");
}

/// A strand keeps its letters under another name, in mmCIF and by the names of old files.
#[test]
fn rna_is_compared_by_the_names_of_any_time() {
    let run = Run::new();
    let rna = |line: &String| {
        let base = line[19..20].replace('T', "U");
        format!("{}  {base}{}", &line[..17], &line[20..])
    };
    put(&run, "reference.pdb", &dna().iter().map(rna).collect::<Vec<_>>());
    let old = |line: &String| rna(line).replace('\'', "*").replace("OP1", "O1P").replace("OP2", "O2P");
    put(&run, "old.pdb", &model("dna").iter().map(old).collect::<Vec<_>>());
    let found = dockq(&run, &["old.pdb"]);
    assert!((column(&found.stdout, "dockq")[1].parse::<f64>().unwrap() - 0.809_626).abs() < 1e-4, "{}", found.stderr);
    // DNA is no RNA: of its thymines, none is a uracil.
    put(&run, "dna.pdb", &model("dna"));
    dockq(&run, &["dna.pdb"]).says(1, "no chain of dna.pdb has the sequence of chains A,B of reference.pdb");
}
