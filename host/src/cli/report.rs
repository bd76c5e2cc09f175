//! What goes to standard error.

use super::failure::{ALL_DONE, NOTHING_WRITTEN, SOME_FAILED};
use indicatif::{HumanCount, ProgressBar, ProgressState, ProgressStyle};
use std::io::{IsTerminal, Write, stderr};
use std::sync::atomic::{AtomicI8, Ordering};

/// -1: errors alone; 0: what is usual; 1 and more: more.
static VERBOSITY: AtomicI8 = AtomicI8::new(0);

/// Sets how much is said.
pub fn set_verbosity(level: i8) {
    VERBOSITY.store(level, Ordering::Relaxed);
}

/// Whether anything but errors is said.
fn is_quiet() -> bool {
    VERBOSITY.load(Ordering::Relaxed) < 0
}

/// Writes one line to standard error, whatever the text; that nobody may read it is no error.
pub fn stderr_line(text: &str) {
    let line: String = text.chars().map(|c| if c.is_control() { ' ' } else { c }).collect();
    let _ = writeln!(stderr(), "{line}");
}

/// Counts what happens to the inputs and tells of it; with a progress bar on a terminal.
pub struct Report {
    bar: Option<ProgressBar>,
    /// Structures written.
    pub structures: u64,
    /// Their residues.
    pub residues: u64,
    /// Inputs that failed.
    pub failed: u64,
}

impl Report {
    pub fn new(inputs: usize) -> Self {
        let bar = (stderr().is_terminal() && !is_quiet()).then(|| {
            let style =
                ProgressStyle::with_template("{bar:30} {human_pos}/{human_len} files, {rate} structures/s, {eta} left");
            let rate = |state: &ProgressState, out: &mut dyn std::fmt::Write| {
                // Failed inputs are not many: what is done is structures.
                let _ = write!(out, "{}", HumanCount(state.per_sec() as u64));
            };
            let style = style.unwrap_or_else(|_| ProgressStyle::default_bar()).with_key("rate", rate);
            ProgressBar::new(inputs as u64).with_style(style)
        });
        Self { bar, structures: 0, residues: 0, failed: 0 }
    }

    fn line(&self, text: &str) {
        match &self.bar {
            Some(bar) => bar.suspend(|| stderr_line(text)),
            None => stderr_line(text),
        }
    }

    pub fn note(&self, text: &str) {
        if !is_quiet() {
            self.line(&format!("note: {text}"));
        }
    }

    pub fn warning(&self, name: &str, text: &str) {
        if !is_quiet() {
            self.line(&format!("warning: {name}: {text}"));
        }
    }

    /// An input failed.
    pub fn error(&mut self, name: &str, reason: &str) {
        self.failed += 1;
        self.line(&format!("error: {name}: {reason}"));
    }

    /// Some inputs are done with.
    pub fn advance(&self, inputs: usize) {
        if let Some(bar) = &self.bar {
            bar.inc(inputs as u64);
        }
    }

    /// Of a command that has come to its end.
    pub fn exit_status(&self) -> u8 {
        match (self.failed, self.structures) {
            (_, 0) => NOTHING_WRITTEN,
            (0, _) => ALL_DONE,
            _ => SOME_FAILED,
        }
    }

    pub fn clear_bar(&self) {
        if let Some(bar) = &self.bar {
            bar.finish_and_clear();
        }
    }

    /// The last line.
    pub fn sum_up(&self, backend: &str) {
        let count = |n: u64, what: &str| format!("{n} {what}{}", if n == 1 { "" } else { "s" });
        let (structures, residues) = (count(self.structures, "structure"), count(self.residues, "residue"));
        if is_quiet() {
            return;
        }
        self.line(&format!("{structures}, {residues}, {} failed; {backend}", self.failed));
    }
}
