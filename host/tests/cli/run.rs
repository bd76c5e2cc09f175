//! Progress of a `prism` run, and how it is interrupted.

use crate::command::{Run, example, names, shipped};
use serde_json::Value;

/// The last line of a run's standard error.
fn last_line(stderr: &str) -> &str {
    stderr.lines().last().unwrap_or_default()
}

#[test]
fn timings_are_a_table_or_json() {
    let run = Run::new();
    run.copy(&example(), "a.pdb");
    run.copy(&shipped("1crn.pdb"), "b.pdb");
    let plain = run.features(&["a.pdb", "b.pdb"]);
    let text = run.features(&["a.pdb", "b.pdb", "--timings"]);
    assert_eq!((text.status, &text.stdout), (0, &plain.stdout));
    let table: Vec<&str> = text.stderr.lines().skip_while(|line| !line.starts_with("stage")).collect();
    let heading: Vec<&str> = table[0].split_whitespace().collect();
    assert_eq!(heading[..4], ["stage", "threads", "busy", "s"]);
    for (line, stage) in [(1, "read"), (2, "files"), (3, "pack"), (4, "compute"), (5, "CPU"), (6, "write")] {
        assert_eq!(table[line].split_whitespace().next(), Some(stage), "{}", text.stderr);
    }
    assert_eq!(table[1].len(), table[0].len(), "columns end where their headings do");

    let json = run.features(&["a.pdb", "b.pdb", "--timings=json", "-o", "out.csv"]);
    let value: Value = serde_json::from_str(last_line(&json.stderr)).unwrap();
    for stage in ["read", "pack", "compute", "write"] {
        let stage = &value["stages"][stage];
        assert_eq!((&stage["structures"], &stage["residues"]), (&2.into(), &(194 + 46).into()), "{value}");
        assert!(stage["busy_s"].as_f64().unwrap() > 0.0);
    }
    let size = |name: &str| run.path(name).metadata().unwrap().len();
    assert_eq!(value["stages"]["read"]["bytes"], size("a.pdb") + size("b.pdb"));
    assert_eq!(value["stages"]["write"]["bytes"], size("out.csv"));
    assert_eq!(value["workers"][0]["batches"], 1);
    let of = |name: &str| value[name].as_f64().unwrap();
    assert!(of("cores_s") <= of("run_s") * of("cores") + 0.05, "more than there are: {value}");
    assert!(of("start_cores_s") > 0.0);
    assert!(value["stages"]["read"]["files_s"].as_f64().unwrap() > 0.0);
    let json = run.features(&["a.pdb", "--timings=json"]);
    let value: Value = serde_json::from_str(last_line(&json.stderr)).unwrap();
    assert_eq!(value["stages"]["write"]["bytes"], json.stdout.len());
    assert_eq!(run.features(&["a.pdb", "--timings=xml"]).status, 2);
}

#[test]
fn devices_are_numbers_or_all() {
    let run = Run::new();
    run.copy(&shipped("1crn.pdb"), "a.pdb");
    for (devices, says) in [("0,x", "give numbers of devices, or `all`"), ("-1", "-1")] {
        run.prism(&["features", "a.pdb", &format!("--devices={devices}")]).says(2, says);
    }
    for devices in ["--device=all", "--devices=0,1"] {
        run.features(&["a.pdb", devices]).says(2, "the CPU backend has none");
    }
    // All devices, of which there may be none.
    let outcome = run.prism(&["features", "a.pdb", "--devices", "all"]);
    assert_eq!((outcome.status, names(&outcome.stdout)), (0, vec!["a.pdb".to_owned()]), "{}", outcome.stderr);
}

#[cfg(unix)]
mod interrupted {
    use crate::command::{Run, shipped, signal};
    use std::fs::{File, OpenOptions};
    use std::io::{BufRead, BufReader, Write};
    use std::process::{Child, ChildStderr, Command, Stdio};

    /// A run that waits for its second input.
    struct Waiting {
        run: Run,
        child: Child,
        stderr: BufReader<ChildStderr>,
        input: File,
    }

    impl Waiting {
        fn new(output: &str) -> Self {
            let run = Run::new();
            run.copy(&shipped("1crn.pdb"), "a.pdb");
            run.put(output, "before");
            let made = Command::new("mkfifo").arg(run.path("b.pdb")).status().unwrap();
            assert!(made.success());
            let arguments = ["features", "--backend", "cpu", "a.pdb", "b.pdb", "-o", output];
            let mut child = run.command(&arguments).stderr(Stdio::piped()).spawn().unwrap();
            // Opening waits for the reader.
            let input = OpenOptions::new().write(true).open(run.path("b.pdb")).unwrap();
            let stderr = BufReader::new(child.stderr.take().unwrap());
            Self { run, child, stderr, input }
        }

        fn line(&mut self) -> String {
            let mut line = String::new();
            self.stderr.read_line(&mut line).unwrap();
            line
        }

        /// Returns the exit status, and checks that the output is as it was before the run.
        fn ends(mut self, output: &str) -> i32 {
            let status = self.child.wait().unwrap();
            assert_eq!(self.run.files(), ["a.pdb", "b.pdb", output]);
            assert_eq!(std::fs::read_to_string(self.run.path(output)).unwrap(), "before");
            status.code().expect("it ends by itself")
        }
    }

    #[test]
    fn once_it_ends_in_order() {
        for (name, status) in [("-INT", 130), ("-TERM", 143)] {
            let mut waiting = Waiting::new("out.csv");
            signal(&waiting.child, name);
            assert!(waiting.line().starts_with("interrupted: "));
            // It may have ended before that.
            if let Err(error) = waiting.input.write_all(&std::fs::read(shipped("1ubq.pdb")).unwrap()) {
                assert_eq!(error.kind(), std::io::ErrorKind::BrokenPipe);
            }
            waiting.input = OpenOptions::new().write(true).open("/dev/null").unwrap();
            assert!(waiting.line().starts_with("error: interrupted"));
            assert_eq!(waiting.ends("out.csv"), status);
        }
    }

    #[test]
    fn twice_it_ends_at_once() {
        for output in ["out.npz", "out.parquet"] {
            let mut waiting = Waiting::new(output);
            signal(&waiting.child, "-INT");
            assert!(waiting.line().starts_with("interrupted: "));
            signal(&waiting.child, "-INT");
            assert_eq!(waiting.ends(output), 130);
        }
    }
}

/// As in a container with one core, or under `taskset`.
#[test]
#[cfg(target_os = "linux")]
fn threads_are_as_many_as_the_process_has_cores() {
    let run = Run::new();
    run.copy(&example(), "a.pdb");
    let prism = env!("CARGO_BIN_EXE_prism");
    let arguments = ["-c", "0", prism, "features", "a.pdb", "--backend", "cpu", "--timings=json", "-o", "out.csv"];
    let output = match std::process::Command::new("taskset").args(arguments).current_dir(run.path("")).output() {
        Ok(output) if !output.status.success() && String::from_utf8_lossy(&output.stderr).contains("affinity") => {
            println!("skipped: core 0 is not this process's");
            return;
        }
        Ok(output) => output,
        Err(error) => {
            println!("skipped: no taskset ({error})");
            return;
        }
    };
    let stderr = String::from_utf8(output.stderr).unwrap();
    let value: Value = serde_json::from_str(last_line(&stderr)).unwrap_or_else(|error| panic!("{error}: {stderr}"));
    assert_eq!(value["cores"], 1, "{value}");
    let name = value["workers"][0]["name"].as_str().unwrap();
    assert!(name.starts_with("CPU (1 core, "), "{name}");
    // An explicit number of threads is respected.
    let json = run.features(&["a.pdb", "--timings=json", "-o", "out.csv", "--threads", "3"]);
    let value: Value = serde_json::from_str(last_line(&json.stderr)).unwrap();
    assert!(value["workers"][0]["name"].as_str().unwrap().starts_with("CPU (3 cores, "), "{value}");
}
