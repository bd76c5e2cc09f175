//! Files beside the table that cannot be written when it is.

use crate::command::{Outcome, Run, shipped};
use std::fs;
use std::io::Write;
use std::process::{Child, Stdio};
use std::time::{Duration, Instant};

/// Runs a command on crambin, and takes the folder `gone` away when it has made the files there that it makes before it reads.
fn without_the_folder(run: &Run, arguments: &[&str], waits: bool) -> Outcome {
    fs::create_dir_all(run.path("gone")).unwrap();
    let mut command = run.command(&[arguments, &["--backend", "cpu", "-"]].concat());
    let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    let mut input = child.stdin.take().unwrap();
    let crambin = fs::read(shipped("1crn.pdb")).unwrap();
    input.write_all(&crambin[..1000]).unwrap();
    let begin = Instant::now();
    while waits && !has_open(&child, &run.path("gone").display().to_string()) {
        assert!(begin.elapsed() < Duration::from_secs(20), "no file in the folder");
        std::thread::sleep(Duration::from_millis(10));
    }
    if !waits {
        // Its path is checked before anything is read.
        std::thread::sleep(Duration::from_millis(300));
    }
    fs::remove_dir_all(run.path("gone")).unwrap();
    input.write_all(&crambin[1000..]).unwrap();
    drop(input);
    child.wait_with_output().unwrap().into()
}

/// Whether a process has a file open in a folder.
fn has_open(child: &Child, folder: &str) -> bool {
    let files = fs::read_dir(format!("/proc/{}/fd", child.id())).unwrap();
    let links = files.filter_map(|file| fs::read_link(file.unwrap().path()).ok());
    links.into_iter().any(|link| link.to_string_lossy().starts_with(folder))
}

#[test]
fn a_table_beside_which_a_file_fails_is_written_and_reported() {
    let run = Run::new();
    for (option, file, waits) in [("--status", "gone/s.csv", true), ("--provenance", "gone/p.json", false)] {
        for command in ["features", "summary"] {
            let outcome = without_the_folder(&run, &[command, "-o", "t.csv", option, file], waits);
            outcome.says(3, &format!("error: {file}: "));
            assert!(outcome.stderr.contains("; the table is written\n"), "{}", outcome.stderr);
            assert!(outcome.stderr.contains("1 structure, 46 residues, 0 failed"), "{}", outcome.stderr);
            assert!(fs::read_to_string(run.path("t.csv")).unwrap().lines().count() > 1);
            fs::remove_file(run.path("t.csv")).unwrap();
        }
    }
    // On standard output, too.
    let outcome = without_the_folder(&run, &["features", "--status", "gone/s.csv"], true);
    outcome.says(3, "; the table is written");
    assert_eq!(outcome.stdout.lines().count(), 47);
}
