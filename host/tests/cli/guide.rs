//! Every command of the user's guide, and of the page of trajectories, succeeds and writes the files that it names.

use crate::command::{Run, example, predictions, shipped};
use std::fs;
use std::io::Write;
use std::path::Path;
use std::process::Command;

/// The commands of a page: its code blocks marked `sh`.
fn blocks(page: &str) -> Vec<String> {
    let (mut blocks, mut open) = (Vec::new(), None);
    for line in page.lines() {
        match (&mut open, line) {
            (None, "```sh") => open = Some(String::new()),
            (Some(_), "```") => blocks.extend(open.take()),
            (Some(block), line) => block.extend([line, "\n"]),
            (None, _) => {}
        }
    }
    blocks
}

/// The files that a command writes, taken from its options.
fn outputs(block: &str) -> Vec<&str> {
    let mut outputs = Vec::new();
    for line in block.lines() {
        let mut words = line.split('#').next().unwrap_or_default().split_whitespace().peekable();
        while let Some(word) = words.next() {
            if [
                "-o",
                "--points",
                "--script",
                "--write-structure",
                "--write-structures",
                "--annotate",
                "--by-residue",
                "--by-structure",
                "--status",
                "--provenance",
                ">",
            ]
            .contains(&word)
            {
                outputs.extend(words.peek().filter(|name| name.parse::<u32>().is_err()));
            }
        }
    }
    outputs
}

fn guide() -> String {
    fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("../docs/guide.md")).unwrap()
}

#[test]
fn the_guide_has_every_option() {
    let (run, page) = (Run::new(), guide());
    let mut options = 0;
    for command in [
        "features",
        "sites",
        "edges",
        "interface",
        "ligands",
        "atoms",
        "confidence",
        "summary",
        "dssp",
        "check",
        "pack",
        "report",
        "merge",
        "info",
        "generate",
    ] {
        let help = run.prism(&[command, "--help"]).stdout;
        let begins = help.lines().map(str::trim_start).filter(|line| line.starts_with('-'));
        for line in begins {
            let names = line.split([' ', ',', '[', '<', '=']).filter(|word| word.starts_with('-'));
            let names: Vec<_> = names.map(|name| name.trim_end_matches("...")).collect();
            options += 1;
            let is_there = names.iter().any(|name| page.split([' ', '`', '\n']).any(|word| word == *name));
            assert!(is_there || names.contains(&"--help"), "{command}: {names:?} is not in the guide");
        }
    }
    assert!(options > 100, "{options} options");
}

#[test]
fn every_command_of_the_guide_runs() {
    let run = Run::new();
    let structures = run.path("structures");
    fs::create_dir(&structures).unwrap();
    for file in ["1crn.pdb", "1ubq.pdb"] {
        fs::copy(shipped(file), run.path(file)).unwrap();
        fs::copy(shipped(file), structures.join(file)).unwrap();
    }
    fs::copy(example(), run.path("6m0j_rbd.pdb")).unwrap();
    let complex = Path::new(env!("CARGO_MANIFEST_DIR")).join("../tests/data/4zhl.cif.gz");
    let haem = Path::new(env!("CARGO_MANIFEST_DIR")).join("../tests/data/1kx2_cut.pdb.gz");
    fs::copy(haem, run.path("haem.pdb.gz")).unwrap();
    fs::create_dir(run.path("models")).unwrap();
    fs::copy(&complex, run.path("models/4zhl.cif.gz")).unwrap();
    fs::copy(&complex, run.path("native.cif")).unwrap();
    let known = "structure,chain,resnum,icode,conservation\n6m0j_rbd.pdb,E,333,,0.5\n6m0j_rbd.pdb,E,334,,0.75\n";
    fs::write(run.path("known.csv"), known).unwrap();
    let domains =
        "structure,group,residues\nnative.cif,inhibitor,P\nnative.cif,first half,U:16-130\nnative.cif,rest,U:131-250\n";
    fs::write(run.path("domains.csv"), domains).unwrap();

    predictions(&run, "boltz", "boltz/");
    let mut folds = zip::ZipWriter::new(fs::File::create(run.path("folds.zip")).unwrap());
    for entry in fs::read_dir(shipped("predictions/af3_server")).unwrap() {
        let path = entry.unwrap().path();
        let name = path.file_name().unwrap().to_str().unwrap();
        folds.start_file(name, zip::write::SimpleFileOptions::default()).unwrap();
        folds.write_all(&fs::read(&path).unwrap()).unwrap();
    }
    folds.finish().unwrap();

    let trajectories = Path::new(env!("CARGO_MANIFEST_DIR")).join("trajectory/tests/data");
    for (made, name) in [("top.pdb", "top.pdb"), ("small.xtc", "run.xtc"), ("wrapped.xtc", "more.xtc")] {
        fs::copy(trajectories.join(made), run.path(name)).unwrap();
    }

    let page =
        guide() + &fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("../docs/trajectories.md")).unwrap();
    let blocks = blocks(&page);
    assert!(blocks.len() > 10, "the guide has commands");
    let program = Path::new(env!("CARGO_BIN_EXE_prism")).parent().unwrap();
    let path = format!("{}:{}", program.display(), std::env::var("PATH").unwrap());
    for block in &blocks {
        let done = Command::new("sh").args(["-eu", "-c", block]).current_dir(run.path("")).env("PATH", &path).output();
        let done = done.unwrap();
        assert!(done.status.success(), "{block}{}", String::from_utf8_lossy(&done.stderr));
        for output in outputs(block) {
            assert!(run.path(output).exists(), "{output} is missing after\n{block}");
        }
    }
}

#[test]
fn questions_have_the_answers_of_their_page() {
    let (run, root) = (Run::new(), Path::new(env!("CARGO_MANIFEST_DIR")).join(".."));
    let page = fs::read_to_string(root.join("docs/questions.md")).unwrap();
    for name in page.split_whitespace().filter(|word| word.ends_with(".gz")) {
        fs::copy(root.join("tests/data").join(name), run.path(name)).unwrap();
    }
    let program = Path::new(env!("CARGO_BIN_EXE_prism")).parent().unwrap();
    let path = format!("{}:{}", program.display(), std::env::var("PATH").unwrap());
    let (commands, answers) = (blocks(&page), blocks(&page.replace("```sh", "```").replace("```text", "```sh")));
    assert_eq!((commands.len(), answers.len()), (10, 10));
    for (command, answer) in commands.iter().zip(&answers) {
        let done =
            Command::new("sh").args(["-eu", "-c", command]).current_dir(run.path("")).env("PATH", &path).output();
        let done = done.unwrap();
        let output = String::from_utf8_lossy(&done.stdout) + String::from_utf8_lossy(&done.stderr);
        assert!(done.status.success(), "{command}{output}");
        for line in answer.lines().filter(|line| !line.is_empty()) {
            assert!(output.contains(line), "{line}\nis not what this prints:\n{command}{output}");
        }
    }
}

#[test]
fn readme_begins_with_what_its_command_prints() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let readme = fs::read_to_string(root.join("README.md")).unwrap();
    let (_, rest) = readme.split_once("```text\n$ prism ").expect("a command");
    let (command, rest) = rest.split_once('\n').expect("its output");
    let (shown, _) = rest.split_once("```").expect("its end");
    let arguments: Vec<&str> = command.split(' ').collect();
    let run = Run::new();
    fs::create_dir(run.path("data")).unwrap();
    fs::copy(example(), run.path("data/6m0j_rbd.pdb")).unwrap();
    let outcome = run.prism(&arguments);
    assert!(outcome.stdout.starts_with(shown), "README.md shows\n{shown}");
}
