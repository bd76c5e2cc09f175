//! Signals, full disks, limits and closed pipes: no output is lost or half written.

use crate::command::{Outcome, Run, example, names, shipped, signal};
use std::fs;
use std::io::{BufRead, BufReader, Read};
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::PermissionsExt;
use std::process::{Child, Command, Stdio};
use std::time::Duration;

/// Atoms at random positions, `residues` residues of five atoms each, as in a simulation's file.
fn many_residues(residues: usize) -> String {
    let mut state = 1_u64;
    let mut coordinate = || {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
        (state >> 33) as f64 % 200.0
    };
    let mut text = String::new();
    for residue in 0..residues {
        let chain = (b'A' + (residue / 9000) as u8) as char;
        for name in ["N ", "CA", "C ", "O ", "CB"] {
            let (x, y, z) = (coordinate(), coordinate(), coordinate());
            let (number, element) = (residue % 9000 + 1, &name[..1]);
            text.push_str(&format!(
                "ATOM      1  {name}  ALA {chain}{number:4}    {x:8.3}{y:8.3}{z:8.3}  1.00 10.00           {element}\n"
            ));
        }
    }
    text
}

impl Run {
    /// Runs a script in a shell, for which `$0` is `prism`.
    fn shell(&self, script: &str, arguments: &[&str]) -> Outcome {
        let mut command = Command::new("bash");
        command.args(["-c", script, env!("CARGO_BIN_EXE_prism")]).args(arguments).current_dir(self.path(""));
        command.env("RUST_BACKTRACE", "0").stdin(Stdio::null()).output().unwrap().into()
    }

    /// Runs `prism` in a shell that has set a limit.
    pub fn limited(&self, limit: &str, arguments: &[&str]) -> Outcome {
        self.shell(&format!("{limit} && exec \"$0\" \"$@\""), arguments)
    }
}

/// Starts a run that computes for longer than the test lasts.
fn busy(run: &Run, output: &str) -> Child {
    run.put("in/large.pdb", many_residues(60_000));
    run.copy(&shipped("1crn.pdb"), "in/a.pdb");
    let arguments = ["features", "--backend", "cpu", "--points", "5000", "in", "-o", output];
    run.command(&arguments).stderr(Stdio::piped()).spawn().unwrap()
}

#[test]
fn whatever_ends_a_run_leaves_no_temporary_file() {
    for (name, output, status) in
        [("-HUP", "out.csv", Some(129)), ("-KILL", "out.parquet", None), ("-KILL", "out.npz", None)]
    {
        let run = Run::new();
        run.put(output, "before");
        let mut child = busy(&run, output);
        std::thread::sleep(Duration::from_millis(600));
        signal(&child, name);
        assert_eq!(child.wait().unwrap().code(), status, "{name}");
        assert_eq!(run.files(), ["in", output], "{name}");
        assert_eq!(fs::read_to_string(run.path(output)).unwrap(), "before");
    }
}

#[test]
fn an_interrupted_run_ends_and_leaves_nothing() {
    let run = Run::new();
    let mut child = busy(&run, "out.csv");
    std::thread::sleep(Duration::from_millis(700));
    let mut stderr = BufReader::new(child.stderr.take().unwrap());
    signal(&child, "-INT");
    let status = child.wait().unwrap();
    let mut messages = String::new();
    stderr.read_to_string(&mut messages).unwrap();
    assert_eq!(status.code(), Some(130), "{messages}");
    assert!(
        messages.contains("interrupted: ") && messages.ends_with("error: interrupted before the end\n"),
        "{messages}"
    );
    assert_eq!(run.files(), ["in"]);
}

/// A named pipe is read once, like standard input. A run that waits for its writer can be interrupted.
#[test]
fn a_pipe_that_is_named_is_read_and_can_be_left() {
    let run = Run::new();
    run.copy(&shipped("1crn.pdb"), "a.pdb");
    let features = r#""$0" features --backend cpu --columns sasa --digests --provenance p.json"#;
    let expected = run.features(&["a.pdb", "--columns", "sasa"]).stdout;
    let Outcome { stdout: table, stderr, .. } = run.shell(&format!("{features} <(gzip -c a.pdb)"), &[]);
    let values =
        |table: &str| table.lines().skip(1).map(|l| l.split_once(',').unwrap().1.to_owned()).collect::<Vec<_>>();
    assert_eq!(values(&table), values(&expected), "{stderr}");
    let Outcome { stdout: table, stderr, .. } = run.shell(&format!("{features} <(tar c a.pdb)"), &[]);
    assert_eq!(values(&table), values(&expected), "{stderr}");
    assert!(names(&table)[0].ends_with("/a.pdb"), "{table}");

    assert!(Command::new("mkfifo").arg(run.path("fifo.pdb")).status().unwrap().success());
    let arguments = ["features", "--backend", "cpu", "fifo.pdb", "-o", "out.csv"];
    let mut child = run.command(&arguments).stderr(Stdio::null()).spawn().unwrap();
    std::thread::sleep(Duration::from_millis(400));
    assert!(child.try_wait().unwrap().is_none(), "somebody may still write to it");
    signal(&child, "-INT");
    assert_eq!(child.wait().unwrap().code(), Some(130));
    assert!(!run.path("out.csv").exists());
}

#[test]
fn a_file_size_limit_is_an_error_with_words() {
    let run = Run::new();
    for copy in 0..4 {
        run.copy(&example(), &format!("in/{copy}.pdb"));
    }
    for output in ["out.csv", "out.parquet", "out.npz"] {
        let arguments = ["features", "--backend", "cpu", "in", "-o", output];
        let outcome = run.limited("ulimit -f 8", &arguments);
        assert_eq!(outcome.status, 1, "{output}: {}", outcome.stderr);
        let error = outcome.stderr.lines().next().unwrap_or_default();
        assert!(error.starts_with(&format!("error: {output}: cannot be written: ")), "{error}");
        assert_eq!(outcome.stderr.lines().count(), 1, "{}", outcome.stderr);
        assert!(error.contains("ulimit -f"), "{error}");
        assert_eq!(error.matches("os error").count(), 1, "{error}");
        assert_eq!(run.files(), ["in"]);
    }
    run.limited("ulimit -f 8", &["pack", "in", "-o", "set.arrow"]).says(1, "error: set.arrow: ");
    assert_eq!(run.files(), ["in"]);
}

#[test]
fn a_full_disk_is_an_error_with_words() {
    let run = Run::new();
    run.copy(&example(), "a.pdb");
    let full = fs::OpenOptions::new().write(true).open("/dev/full").unwrap();
    let outcome: Outcome =
        run.command(&["features", "--backend", "cpu", "a.pdb"]).stdout(full).output().unwrap().into();
    outcome.says(1, "error: cannot write the table: No space left on device (os error 28)");
}

#[test]
fn memory_that_runs_out_is_reported_with_the_input() {
    let run = Run::new();
    run.put("in/large.pdb", many_residues(5_000));
    run.copy(&shipped("1crn.pdb"), "in/a.pdb");
    let mut refused = 0;
    // Begin with what loading the program needs, which depends on the build.
    let loads = |kilobytes: &i32| run.limited(&format!("ulimit -v {kilobytes}"), &["--version"]).status == 0;
    let limits: Vec<i32> = (20_000..400_000).step_by(2_000).collect();
    let least = *limits.get(limits.partition_point(|limit| !loads(limit))).expect("the program is loaded in 400 MB");
    for more in [0, 4_000, 8_000, 12_000, 16_000, 20_000, 30_000, 50_000] {
        let kilobytes = least + more;
        let limit = format!("ulimit -v {kilobytes}");
        let outcome = run.limited(&limit, &["-j", "2", "features", "--backend", "cpu", "in", "-o", "out.csv"]);
        let Outcome { status, stderr, .. } = &outcome;
        assert!([0, 1, 3].contains(status), "{kilobytes} kB: status {status}: {stderr}");
        assert!(!stderr.contains("panicked"), "{kilobytes} kB: {stderr}");
        if *status == 1 {
            refused += 1;
            let error = stderr.lines().find(|line| line.starts_with("error: ")).unwrap_or_default();
            let named =
                ["large.pdb", "a.pdb", "before any structure", "thread"].iter().any(|what| error.contains(what));
            assert!(named, "{kilobytes} kB: {stderr}");
        }
        assert!(run.files().iter().all(|name| !name.ends_with("part")), "{:?}", run.files());
    }
    assert!(refused > 0, "no limit was small enough to try");
}

#[test]
fn a_limit_of_open_files_loses_no_archive() {
    let run = Run::new();
    for copy in 0..40 {
        run.copy(&shipped("1crn.pdb"), &format!("in/{copy:02}.pdb"));
    }
    for file in ["foldcomp", "foldcomp.index", "foldcomp.lookup", "foldcomp.dbtype"] {
        run.copy(&shipped(file), &format!("db/{file}"));
    }
    let mut tar = tar::Builder::new(fs::File::create(run.path("t.tar")).unwrap());
    tar.append_path_with_name(shipped("1crn.pdb"), "1crn.pdb").unwrap();
    tar.finish().unwrap();
    let status = |files: u32, inputs: &[&str]| {
        let arguments = [&["-j", "4", "features", "--backend", "cpu"], inputs, &["-o", "out.csv"]].concat();
        let Outcome { status, stderr, .. } = run.limited(&format!("ulimit -n {files}"), &arguments);
        (status, stderr)
    };
    // As many as the database alone needs, one more for the tar, which is opened while the database is closed, and one for the
    // other threads.
    let least = (4..40).find(|files| status(*files, &["db/foldcomp"]).0 == 0).expect("40 files are enough");
    for files in least + 2..least + 6 {
        let (status, stderr) = status(files, &["in", "db/foldcomp", "t.tar"]);
        assert_eq!(status, 0, "{files} files: {stderr}");
        assert!(stderr.contains("43 structures"), "{stderr}");
    }
}

#[test]
fn a_limit_of_open_files_loses_no_input() {
    let run = Run::new();
    for copy in 0..40 {
        run.copy(&shipped("1crn.pdb"), &format!("in/{copy}.pdb"));
    }
    let (mut refused, mut whole) = (0, 0);
    for files in 3..20 {
        let limit = format!("ulimit -n {files}");
        let Outcome { status, stderr, .. } =
            run.limited(&limit, &["-j", "4", "features", "--backend", "cpu", "in", "-o", "out.csv"]);
        match status {
            0 => whole += 1,
            _ => refused += 1,
        }
        // The system cannot even load the program with 3 of them.
        let not_loaded = status == 127 && stderr.contains("shared libraries");
        assert!(status <= 1 || not_loaded, "{files} files: status {status}: {stderr}");
        assert_eq!(run.files().contains(&"out.csv".to_owned()), status == 0, "{files} files: {stderr}");
        let _ = fs::remove_file(run.path("out.csv"));
    }
    assert!(refused > 0 && whole > 0, "{refused} refused, {whole} whole");
}

/// The limit counts the user's processes, so the test uses a user of its own.
#[test]
fn threads_that_cannot_be_had_are_an_error_with_words() {
    let as_nobody =
        |script: &str| Command::new("setpriv").args(["--reuid=65533", "--clear-groups", "bash", "-c", script]).output();
    if !as_nobody("true").is_ok_and(|output| output.status.success()) {
        eprintln!("skipped: setpriv cannot make a process of another user here");
        return;
    }
    let run = Run::new();
    fs::set_permissions(run.path(""), fs::Permissions::from_mode(0o777)).unwrap();
    // That user may not have access elsewhere.
    fs::copy(env!("CARGO_BIN_EXE_prism"), run.path("prism")).unwrap();
    run.copy(&shipped("1crn.pdb"), "a.pdb");
    let folder = run.path("").display().to_string();
    let mut refused = 0;
    for limit in [1, 2, 3, 5, 7, 9, 12] {
        let command = "./prism -j 3 features --backend cpu a.pdb -o out.csv";
        let script = format!("cd {folder} && ulimit -u {limit} && exec {command}");
        let outcome = Outcome::from(as_nobody(&script).unwrap());
        if outcome.status != 0 {
            refused += 1;
            outcome.says(1, "error: cannot begin a thread: ");
            assert!(!run.path("out.csv").exists());
        }
    }
    assert!(refused > 0, "no limit was small enough to try");
}

#[test]
fn a_closed_pipe_is_no_error_for_any_command() {
    let run = Run::new();
    // More lines than fit into a pipe.
    let known: String = (0..100).map(|copy| format!("{copy:04}.pdb\n")).collect();
    let text = fs::read(example()).unwrap();
    for name in known.lines() {
        run.put(&format!("in/{}{name}", "a-long-name-to-fill-the-pipe-soon-".repeat(5)), &text);
    }
    let mut child = run
        .command(&["sites", "--backend", "cpu", "--points", "20", "in"])
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let mut first = String::new();
    BufReader::with_capacity(16, child.stdout.take().unwrap()).read_line(&mut first).unwrap();
    let output = child.wait_with_output().unwrap();
    assert_eq!(first, "structure,rank,score,probability,x,y,z,area,volume,residues,plddt\n");
    assert_eq!(output.status.code(), Some(0));
    assert_eq!(String::from_utf8(output.stderr).unwrap(), "");
    for arguments in [&["features", "--list"][..], &["info"], &["--help"]] {
        let mut child = run.command(arguments).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
        drop(child.stdout.take());
        let output = child.wait_with_output().unwrap();
        assert_eq!(output.status.code(), Some(0), "{arguments:?}: {}", String::from_utf8_lossy(&output.stderr));
    }
}

#[test]
fn a_read_only_output_stays() {
    let run = Run::new();
    run.copy(&shipped("1crn.pdb"), "a.pdb");
    run.put("out.csv", "before");
    fs::set_permissions(run.path("out.csv"), fs::Permissions::from_mode(0o444)).unwrap();
    let outcome = run.features(&["a.pdb", "-o", "out.csv"]);
    assert_eq!(outcome.status, 1);
    assert_eq!(outcome.stderr.lines().count(), 1, "{}", outcome.stderr);
    assert!(outcome.stderr.starts_with("error: out.csv: is read-only and stays as it is"), "{}", outcome.stderr);
    assert_eq!(fs::read_to_string(run.path("out.csv")).unwrap(), "before");
}

#[test]
fn a_missing_output_folder_is_reported_in_one_line_before_anything_is_read() {
    let run = Run::new();
    run.put("broken.pdb", "");
    for arguments in [
        &["features", "broken.pdb", "-o", "none/out.csv"][..],
        &["sites", "broken.pdb", "-o", "none/out.csv"],
        &["pack", "broken.pdb", "-o", "none/out.arrow"],
        &["features", "broken.pdb", "--provenance", "none/p.json"],
    ] {
        let outcome = run.prism(arguments);
        assert_eq!(outcome.status, 1, "{}", outcome.stderr);
        let output = arguments[3];
        assert_eq!(outcome.stderr, format!("error: {output}: there is no folder none; make it first\n"));
    }
}

#[test]
fn names_that_are_no_text_are_told_apart() {
    let run = Run::new();
    let text = fs::read(shipped("1crn.pdb")).unwrap();
    fs::create_dir(run.path("in")).unwrap();
    for byte in [0xfe, 0xff] {
        let name = [b"x", &[byte][..], b".pdb"].concat();
        fs::write(run.path("in").join(std::ffi::OsStr::from_bytes(&name)), &text).unwrap();
    }
    let outcome = run.features(&["in"]);
    assert_eq!(outcome.status, 0, "{}", outcome.stderr);
    assert_eq!(names(&outcome.stdout), ["x\\xFE.pdb", "x\\xFF.pdb"]);
    // Scripts for viewers are text.
    let name = std::ffi::OsStr::from_bytes(b"in/x\xff.pdb");
    let mut sites = run.command(&["sites", "--backend", "cpu", "--script", "s.pml"]);
    let refused = Outcome::from(sites.arg(name).output().unwrap());
    refused.says(2, "which is no text (UTF-8); rename the file or its folder");
    assert!(!run.path("s.pml").exists());
}

#[test]
fn two_runs_on_one_output_leave_what_one_of_them_wrote() {
    let run = Run::new();
    run.copy(&example(), "a.pdb");
    run.copy(&shipped("1ubq.pdb"), "b.pdb");
    let expected = ["a.pdb", "b.pdb"].map(|input| run.features(&[input]).stdout);
    for _ in 0..5 {
        let begin = |input| {
            let arguments = ["features", "--backend", "cpu", input, "-o", "out.csv"];
            run.command(&arguments).stderr(Stdio::null()).spawn().unwrap()
        };
        let children = ["a.pdb", "b.pdb"].map(begin);
        for mut child in children {
            assert!(child.wait().unwrap().success());
        }
        let written = fs::read_to_string(run.path("out.csv")).unwrap();
        assert!(expected.contains(&written));
        assert_eq!(run.files(), ["a.pdb", "b.pdb", "out.csv"]);
    }
}

/// A packed data set is overwritten or cut while a run reads it. Structures that were read before are written, and the rest
/// are errors.
#[test]
fn a_data_set_that_changes_during_a_run_ends_no_run() {
    let run = Run::new();
    let text = fs::read(shipped("1crn.pdb")).unwrap();
    for copy in 0..600 {
        run.put(&format!("in/{copy:04}.pdb"), &text);
    }
    assert_eq!(run.prism(&["pack", "-q", "in", "-o", "set.arrow"]).status, 0);
    let whole = fs::read(run.path("set.arrow")).unwrap();
    let expected = run.features(&["in/0000.pdb", "--columns", "sasa,resnum"]).stdout;
    let mut refused = 0;
    for turn in 0..4_u64 {
        fs::write(run.path("set.arrow"), &whole).unwrap();
        let arguments = ["features", "--backend", "cpu", "--columns", "sasa,resnum", "set.arrow", "-o", "out.csv"];
        let child = run.command(&arguments).stderr(Stdio::piped()).spawn().unwrap();
        std::thread::sleep(Duration::from_millis(20 + 50 * turn));
        let file = fs::OpenOptions::new().write(true).open(run.path("set.arrow")).unwrap();
        if turn % 2 == 0 {
            file.set_len(100_000).unwrap();
        } else {
            let noise: Vec<u8> = (0..whole.len() / 2).map(|i| ((i * i) >> 7) as u8).collect();
            std::os::unix::fs::FileExt::write_all_at(&file, &noise, 50_000).unwrap();
        }
        let Outcome { status, stderr, .. } = child.wait_with_output().unwrap().into();
        assert!([0, 1, 3].contains(&status), "turn {turn}: {status}: {stderr}");
        assert!(!stderr.contains("panicked"), "{stderr}");
        refused += usize::from(status != 0);
        if status != 1 {
            // Every structure that was written is correct.
            let rows = fs::read_to_string(run.path("out.csv")).unwrap();
            let (head, rows) = rows.split_once('\n').unwrap();
            let rows: Vec<_> = rows.lines().collect();
            assert_eq!(rows.len() % 46, 0);
            for rows in rows.chunks(46) {
                assert_eq!(format!("{head}\n{}\n", rows.join("\n")), expected, "turn {turn}");
            }
        }
        let _ = fs::remove_file(run.path("out.csv"));
    }
    assert!(refused > 0, "every run had read all before anything changed");
}
