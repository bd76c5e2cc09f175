//! `fuzz`: a crate's tests under many schedules of their kernels.

mod process;
mod report;

use std::collections::VecDeque;
use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::{Mutex, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use anyhow::{Context as _, Result, ensure};

use crate::programs::{self, Chosen, Executable, Fallback};
use process::Run;
use report::Schedules;

/// Run a crate's tests under many schedules of their kernels, which seeds determine
///
/// On a GPU, threads are late around barriers, atomic operations, asynchronous copies and fences; on CPU cores, blocks and threads run
/// in another order (in debug builds, or with the feature `shuffled` of cuda_std). The same seed gives the same delays. A test that fails,
/// or does not end, is printed with the command that repeats it. At the end a table has the number of schedules of each kernel.
///
/// Arguments after `--` are those of `cargo test`, and after a second `--` those of the tests: `cargo kernel fuzz -- --release --test sums
/// -- --skip slow`.
#[derive(clap::Args)]
pub struct Arguments {
    /// How many seeds
    #[arg(long, value_name = "N", default_value = "100")]
    seeds: u64,

    /// The first seed
    #[arg(long, value_name = "SEED", default_value = "1")]
    from: u64,

    /// How often a kernel's first launch on a GPU runs, with another seed each time and the outputs put back, before it runs for
    /// good; its second runs half as often, its third a third as often. If results depend on the seed, the launch fails, unless the
    /// kernel has atomic operations
    #[arg(long, value_name = "N", default_value = "0")]
    repeat: u64,

    /// How many processes run at the same time
    #[arg(long, value_name = "N", default_value = "4")]
    jobs: NonZeroUsize,

    /// Run this test executable, built elsewhere, in the current folder instead of building tests (repeatable; arguments after `--` are its
    /// own)
    #[arg(long = "executable", value_name = "PATH", conflicts_with_all = ["directory", "bundle"])]
    executables: Vec<PathBuf>,

    /// Seconds after which a process is ended and counts as a failure. With the first seed, for which the driver compiles the kernels, ten
    /// times as many
    #[arg(long, value_name = "SECONDS", default_value = "60")]
    limit: u64,

    /// Begin no process after so many seconds
    #[arg(long, value_name = "SECONDS")]
    time: Option<u64>,

    /// Go on after a failure
    #[arg(long)]
    keep_going: bool,

    #[command(flatten)]
    programs: programs::Selection,
}

/// How much longer the first process of an executable may take.
const FIRST: u32 = 10;
/// How often progress is printed.
const PROGRESS: Duration = Duration::from_secs(20);

/// Runs the command.
pub fn run(arguments: &Arguments) -> Result<ExitCode> {
    ensure!(arguments.seeds > 0, "--seeds 0 tries nothing: give a number from 1 on");
    let last = arguments.from.checked_add(arguments.seeds - 1);
    let last = last
        .with_context(|| format!("--from {} --seeds {}: seeds end at {}", arguments.from, arguments.seeds, u64::MAX))?;
    let (programs, own) = programs(arguments)?;
    let folder = tempfile::tempdir().context("cannot make a folder for the output of tests")?;
    let runs = Runs { arguments, own, folder: folder.path(), begin: Instant::now(), state: Mutex::default() };

    // The driver keeps what it has compiled, so the first process of each executable compiles for all.
    let first = programs.iter().map(|program| (program, arguments.from)).collect();
    runs.all(first, Duration::from_secs(arguments.limit) * FIRST);
    let seeds = arguments.from..=last;
    let rest = seeds.skip(1).flat_map(|seed| programs.iter().map(move |program| (program, seed))).collect();
    runs.all(rest, Duration::from_secs(arguments.limit));

    let state = runs.state.into_inner().unwrap_or_else(PoisonError::into_inner);
    print!("{}", state.schedules);
    let wanted = programs.len() as u64 * arguments.seeds;
    println!(
        "{} of {wanted} runs of {} executables with the seeds {} to {last}, in {} s: {} failures",
        state.done,
        programs.len(),
        arguments.from,
        runs.begin.elapsed().as_secs(),
        state.failures
    );
    Ok(if state.failures == 0 { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

/// The executables, and their arguments.
fn programs(arguments: &Arguments) -> Result<(Vec<Executable>, Vec<String>)> {
    if arguments.executables.is_empty() {
        let Chosen { executables, arguments } = arguments.programs.choose(Fallback::Tests, false)?;
        return Ok((executables, arguments));
    }
    let folder = std::env::current_dir().context("the current folder is not there")?;
    let program = |path: &PathBuf| {
        let path = path.canonicalize().with_context(|| format!("there is no executable {}", path.display()))?;
        let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        Ok(Executable { name, path, folder: folder.clone() })
    };
    let programs = arguments.executables.iter().map(program).collect::<Result<_>>()?;
    Ok((programs, arguments.programs.arguments.clone()))
}

/// The runs of all executables.
struct Runs<'a> {
    arguments: &'a Arguments,
    /// The executables' arguments.
    own: Vec<String>,
    /// A folder for output and reports.
    folder: &'a Path,
    begin: Instant,
    state: Mutex<State>,
}

#[derive(Default)]
struct State {
    done: u64,
    failures: u64,
    printed: Option<Instant>,
    schedules: Schedules,
}

impl Runs<'_> {
    /// Runs each executable with its seed, several at a time.
    fn all(&self, queue: VecDeque<(&Executable, u64)>, limit: Duration) {
        let jobs = self.arguments.jobs.get().min(queue.len());
        let queue = Mutex::new(queue);
        thread::scope(|scope| {
            for job in 0..jobs {
                let queue = &queue;
                scope.spawn(move || {
                    while self.goes_on() {
                        let next = queue.lock().unwrap_or_else(PoisonError::into_inner).pop_front();
                        let Some((program, seed)) = next else { break };
                        let folder = &self.folder.join(job.to_string());
                        let run = Run { program, seed, repeat: self.arguments.repeat, arguments: &self.own, folder };
                        self.note(&run, run.finish(limit));
                    }
                });
            }
        });
    }

    /// Whether another run begins.
    fn goes_on(&self) -> bool {
        let late = self.arguments.time.is_some_and(|seconds| self.begin.elapsed() >= Duration::from_secs(seconds));
        let state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        !late && (self.arguments.keep_going || state.failures == 0)
    }

    fn note(&self, run: &Run<'_>, result: Result<process::Finished>) {
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        state.done += 1;
        let problem = match result {
            Ok(finished) => match state.schedules.add(&finished.report) {
                Ok(()) => finished.problem,
                Err(error) => Some(format!("{error:#}")),
            },
            Err(error) => Some(format!("{error:#}")),
        };
        if let Some(problem) = problem {
            state.failures += 1;
            println!(
                "FAILED with seed {}: {}: {problem}\nrepeat it with: {}",
                run.seed,
                run.program.path.display(),
                run.command()
            );
        }
        let printed = state.printed.get_or_insert(self.begin);
        if printed.elapsed() >= PROGRESS {
            *printed = Instant::now();
            eprintln!("{} runs, {} failures, {} s", state.done, state.failures, self.begin.elapsed().as_secs());
        }
    }
}
