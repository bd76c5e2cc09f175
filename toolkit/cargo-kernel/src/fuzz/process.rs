//! A process with a seed, a time limit, and its output.

use std::fs::{self, File};
use std::path::Path;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use anyhow::{Context as _, Result};

use crate::programs::Executable;

/// The most lines of a failed test's output that are printed.
const LINES: usize = 200;
/// How often it is asked whether a process has ended.
const PAUSE: Duration = Duration::from_millis(5);

/// An executable with a seed.
pub(super) struct Run<'a> {
    pub program: &'a Executable,
    pub seed: u64,
    pub repeat: u64,
    pub arguments: &'a [String],
    /// The names of its files begin so.
    pub folder: &'a Path,
}

/// What a process has done.
pub(super) struct Finished {
    /// What failed, with the output.
    pub problem: Option<String>,
    /// Its launches, a line each.
    pub report: String,
}

impl Run<'_> {
    /// Runs the process to its end.
    pub fn finish(&self, limit: Duration) -> Result<Finished> {
        let (output, report) = (self.folder.with_extension("output"), self.folder.with_extension("report"));
        let _ = fs::remove_file(&report);
        let file = File::create(&output).with_context(|| format!("cannot write {}", output.display()))?;
        let mut command = Command::new(&self.program.path);
        command.args(self.arguments).current_dir(&self.program.folder).stdin(Stdio::null());
        command.env("CUDA_SCHEDULE_SEED", self.seed.to_string()).env("CUDA_SCHEDULE_REPORT", &report);
        command.env("CUDA_SCHEDULE_REPEAT", self.repeat.to_string());
        if std::env::var_os("RUST_TEST_THREADS").is_none() {
            command.env("RUST_TEST_THREADS", "1");
        }
        command.stdout(file.try_clone().context("cannot share a file")?).stderr(file);
        in_its_own_group(&mut command);
        let mut child = command.spawn().with_context(|| format!("{} does not start", self.program.path.display()))?;
        let ended = wait(&mut child, limit)?;
        let what = match ended {
            Some(status) if status.success() => None,
            Some(status) => Some(status.to_string()),
            None => Some(format!("it did not end within {} s", limit.as_secs())),
        };
        // A program without a launch on a GPU writes none.
        let report = fs::read_to_string(&report).unwrap_or_default();
        let problem = what.map(|what| {
            let text = fs::read(&output).map(|bytes| String::from_utf8_lossy(&bytes).into_owned()).unwrap_or_default();
            format!("{what}\n{}", last_lines(&text))
        });
        Ok(Finished { problem, report })
    }

    /// A shell's command for the same.
    pub fn command(&self) -> String {
        let quoted = |text: &str| {
            let plain = |c: char| c.is_ascii_alphanumeric() || "/._-=:+,@%".contains(c);
            if !text.is_empty() && text.chars().all(plain) {
                text.to_owned()
            } else {
                format!("'{}'", text.replace('\'', "'\\''"))
            }
        };
        let threads = std::env::var("RUST_TEST_THREADS").unwrap_or_else(|_| "1".to_owned());
        let mut words = vec![
            format!("cd {} &&", quoted(&self.program.folder.to_string_lossy())),
            format!("CUDA_SCHEDULE_SEED={}", self.seed),
            format!("CUDA_SCHEDULE_REPEAT={}", self.repeat),
            format!("RUST_TEST_THREADS={}", quoted(&threads)),
            quoted(&self.program.path.to_string_lossy()),
        ];
        words.extend(self.arguments.iter().map(|argument| quoted(argument)));
        words.join(" ")
    }
}

/// Waits for a process; `None` if it was ended after the limit, with those that it has started.
fn wait(child: &mut Child, limit: Duration) -> Result<Option<ExitStatus>> {
    let begin = Instant::now();
    loop {
        if let Some(status) = child.try_wait().context("cannot wait for a process")? {
            return Ok(Some(status));
        }
        if begin.elapsed() >= limit {
            end_group(child);
            child.kill().context("cannot end a process")?;
            child.wait().context("cannot wait for a process")?;
            return Ok(None);
        }
        thread::sleep(PAUSE);
    }
}

#[cfg(unix)]
fn in_its_own_group(command: &mut Command) {
    std::os::unix::process::CommandExt::process_group(command, 0);
}

#[cfg(not(unix))]
fn in_its_own_group(_: &mut Command) {}

/// Ends the processes of a group. Where that is not possible, the process alone is ended.
fn end_group(child: &Child) {
    if cfg!(unix) {
        let mut kill = Command::new("kill");
        let _ = kill.args(["-KILL", "--", &format!("-{}", child.id())]).stderr(Stdio::null()).status();
    }
}

fn last_lines(text: &str) -> String {
    let lines: Vec<&str> = text.lines().collect();
    match lines.len().checked_sub(LINES) {
        Some(left_out @ 1..) => format!("({left_out} lines before)\n{}", lines[left_out..].join("\n")),
        _ => lines.join("\n"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_end_of_long_output_is_printed_and_says_what_is_left_out() {
        let text: String = (0..LINES + 3).map(|line| format!("{line}\n")).collect();
        let last = last_lines(&text);
        assert!(last.starts_with("(3 lines before)\n3\n") && last.ends_with(&(LINES + 2).to_string()), "{last}");
        assert_eq!(last_lines("a\nb\n"), "a\nb");
    }

    #[test]
    fn the_command_that_repeats_a_run_can_be_pasted() {
        let program = Executable { name: "t".into(), path: "/a b/t".into(), folder: "/c".into() };
        let arguments = ["--skip".to_owned(), "it's".to_owned()];
        let command =
            Run { program: &program, seed: 7, repeat: 0, arguments: &arguments, folder: Path::new("") }.command();
        assert!(
            command.starts_with("cd /c && CUDA_SCHEDULE_SEED=7 CUDA_SCHEDULE_REPEAT=0 RUST_TEST_THREADS="),
            "{command}"
        );
        assert!(command.ends_with("'/a b/t' --skip 'it'\\''s'"), "{command}");
    }
}
