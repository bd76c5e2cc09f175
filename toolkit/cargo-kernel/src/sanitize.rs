//! `sanitize`: tests under compute-sanitizer.

use std::fmt;
use std::fs;
use std::path::Path;
use std::process::ExitCode;

use anyhow::{Context as _, Result, ensure};
use clap::ValueEnum;

use crate::programs::{self, Executable};
use crate::tool;

/// Run a crate's tests, or a program of it, under compute-sanitizer, and fail if one of its checks finds an error
///
/// `cargo kernel sanitize -- --test sums` checks the tests in tests/sums.rs, `cargo kernel sanitize --check racecheck -- --bin waves` the
/// program `waves`. Arguments after a second `--` are those of the executable. One test runs at a time, unless RUST_TEST_THREADS is set.
#[derive(clap::Args)]
pub struct Arguments {
    /// The checks, separated by commas
    #[arg(long, value_name = "CHECK", value_delimiter = ',', default_value = "memcheck,racecheck,initcheck,synccheck")]
    check: Vec<Check>,

    /// Pass this option to compute-sanitizer, as in `--pass=--kernel-name=regex:sum` (repeatable)
    #[arg(long, value_name = "OPTION", allow_hyphen_values = true)]
    pass: Vec<String>,

    #[command(flatten)]
    programs: programs::Selection,
}

/// A tool of compute-sanitizer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Check {
    /// Accesses out of bounds, and errors of calls
    Memcheck,
    /// Races in shared memory
    Racecheck,
    /// Reads of global memory that nothing has written
    Initcheck,
    /// Barriers that not all threads reach
    Synccheck,
}

/// The tool's exit code for findings. Neither a test's (101) nor a shell's.
const FOUND: i32 = 86;
/// What the tool writes about a program that never called the driver.
const NO_CALL: &str = "before first instrumented API call";

/// How a check ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Verdict {
    Clean,
    /// The executable used no GPU.
    NoCall,
    Found,
    Failed(Option<i32>),
}

/// Runs the command.
pub fn run(arguments: &Arguments) -> Result<ExitCode> {
    let sanitizer = tool::SANITIZER.find()?;
    let chosen = arguments.programs.choose(programs::Fallback::Tests, true)?;
    let folder = tempfile::tempdir().context("cannot make a folder for the tool's output")?;
    let mut verdicts = Vec::new();
    for executable in &chosen.executables {
        for &check in &arguments.check {
            let log = folder.path().join("log");
            println!("== {check}: {}", executable.name);
            let options = options(check, &log, &arguments.pass);
            let code = tool::code(&mut tool::command(Some((&sanitizer, &options)), executable, &chosen.arguments))?;
            let text = fs::read(&log).map(|bytes| String::from_utf8_lossy(&bytes).into_owned()).unwrap_or_default();
            let _ = fs::remove_file(&log);
            let verdict = Verdict::of(code, &text);
            if !matches!(verdict, Verdict::Clean | Verdict::NoCall) {
                println!("{text}");
            }
            verdicts.push((executable, check, verdict));
        }
    }
    print!("{}", table(&verdicts));
    ensure!(
        verdicts.iter().any(|(_, _, verdict)| *verdict != Verdict::NoCall),
        "nothing was checked: no executable has used a GPU"
    );
    let is_clean = |verdict| matches!(verdict, Verdict::Clean | Verdict::NoCall);
    Ok(if verdicts.iter().all(|(_, _, verdict)| is_clean(*verdict)) { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

/// The tool's options.
fn options(check: Check, log: &Path, more: &[String]) -> Vec<String> {
    let mut options = vec![
        format!("--tool={check}"),
        format!("--error-exitcode={FOUND}"),
        // The output of the executable stays apart.
        format!("--log-file={}", log.display()),
        // Tests that need no GPU are no error.
        "--require-cuda-init=no".to_owned(),
    ];
    options.extend(more.iter().cloned());
    options
}

impl Verdict {
    fn of(code: Option<i32>, log: &str) -> Self {
        match code {
            Some(FOUND) => Verdict::Found,
            Some(0) if log.contains(NO_CALL) => Verdict::NoCall,
            Some(0) => Verdict::Clean,
            code => Verdict::Failed(code),
        }
    }
}

impl fmt::Display for Check {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Check::Memcheck => "memcheck",
            Check::Racecheck => "racecheck",
            Check::Initcheck => "initcheck",
            Check::Synccheck => "synccheck",
        })
    }
}

impl fmt::Display for Verdict {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Verdict::Clean => f.write_str("no errors"),
            Verdict::NoCall => f.write_str("no call of CUDA"),
            Verdict::Found => f.write_str("ERRORS, see above"),
            Verdict::Failed(code) => write!(f, "FAILED: {}", tool::ended(*code)),
        }
    }
}

fn table(verdicts: &[(&Executable, Check, Verdict)]) -> String {
    let width = verdicts.iter().map(|(executable, ..)| executable.name.len()).max().unwrap_or(0);
    let row = |(executable, check, verdict): &(&Executable, Check, Verdict)| {
        format!("{:width$}  {check}  {verdict}\n", executable.name)
    };
    verdicts.iter().map(row).collect()
}
