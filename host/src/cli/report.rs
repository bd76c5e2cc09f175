//! Messages on standard error.

use super::failure::{ALL_DONE, NOTHING_WRITTEN, SOME_FAILED, stderr_line};
use indicatif::{HumanCount, ProgressBar, ProgressState, ProgressStyle};
use prism_host::inputs::InputFailure;
use prism_host::plural::{counted, form};
use prism_host::read::{Note, NoteKind};
use std::collections::BTreeMap;
use std::io::{IsTerminal, stderr};
use std::sync::atomic::{AtomicI8, Ordering};

/// -1: only errors; 0: the usual messages; 1 and more: more messages.
static VERBOSITY: AtomicI8 = AtomicI8::new(0);

/// Sets the amount of messages.
pub fn set_verbosity(level: i8) {
    VERBOSITY.store(level, Ordering::Relaxed);
}

/// Whether only errors are printed.
fn is_quiet() -> bool {
    VERBOSITY.load(Ordering::Relaxed) < 0
}

/// Whether each note is printed.
pub fn is_verbose() -> bool {
    VERBOSITY.load(Ordering::Relaxed) > 0
}

/// Prints a warning about the command line.
pub fn warn(text: &str) {
    if !is_quiet() {
        stderr_line(&format!("warning: {text}"));
    }
}

/// A message about the first of `all` inputs, with the number of the others.
pub fn first_of(first: &str, all: u64, [one, several]: [&str; 2]) -> String {
    match all {
        0 | 1 => first.to_owned(),
        _ => format!("{first}; the same holds for {} more {}, which -v names", all - 1, form(all - 1, one, several)),
    }
}

/// Counts the outcomes of inputs and reports them, with a progress bar on a terminal.
pub struct Report {
    bar: Option<ProgressBar>,
    /// Structures written.
    pub structures: u64,
    /// Their residues.
    pub residues: u64,
    /// Inputs that failed.
    pub failed: u64,
    /// The failed inputs with their reasons, if these are requested.
    pub kept: Option<Vec<(String, String)>>,
    /// Structures of several chains.
    pub joined: u64,
    /// Structures of one chain, in a table of pairs of chains.
    pub single: u64,
    /// Packed structures with oddities.
    packed_oddly: u64,
    /// Inputs with each kind of note.
    noted: BTreeMap<NoteKind, u64>,
    /// What inputs lack: the first of them with its advice, and the number of all.
    lacks: BTreeMap<&'static str, (String, u64)>,
    /// What is counted: one, and several.
    unit: [&'static str; 2],
}

impl Report {
    pub fn new(inputs: usize) -> Self {
        Self::counting(inputs, "files", ["structure", "structures"])
    }

    /// Of the frames of a trajectory.
    pub fn of_frames(frames: usize) -> Self {
        Self::counting(frames, "frames", ["frame", "frames"])
    }

    fn counting(inputs: usize, of: &str, unit: [&'static str; 2]) -> Self {
        let bar = (stderr().is_terminal() && !is_quiet()).then(|| {
            let template = format!("{{bar:30}} {{human_pos}}/{{human_len}} {of}, {{rate}} {}/s, {{eta}} left", unit[1]);
            let rate = |state: &ProgressState, out: &mut dyn std::fmt::Write| {
                // Failed inputs are few, so progress counts structures.
                let _ = write!(out, "{}", HumanCount(state.per_sec() as u64));
            };
            let style = ProgressStyle::with_template(&template);
            let style = style.unwrap_or_else(|_| ProgressStyle::default_bar()).with_key("rate", rate);
            ProgressBar::new(inputs as u64).with_style(style)
        });
        Self {
            bar,
            structures: 0,
            residues: 0,
            failed: 0,
            kept: None,
            joined: 0,
            single: 0,
            packed_oddly: 0,
            noted: BTreeMap::new(),
            lacks: BTreeMap::new(),
            unit,
        }
    }

    fn line(&self, text: &str) {
        match &self.bar {
            Some(bar) => bar.suspend(|| stderr_line(text)),
            None => stderr_line(text),
        }
    }

    /// A last line without a count of structures.
    pub fn line_of(&self, text: &str) {
        if !is_quiet() {
            self.line(text);
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

    /// Reports what an input lacks. All inputs of a folder may, so that the first is named at the end with the number of the others; on
    /// request, each is named here.
    pub fn lack(&mut self, name: &str, what: &'static str, advice: &str) {
        match is_verbose() {
            true => self.warning(name, &format!("{what}{advice}")),
            false => self.lacks.entry(what).or_insert_with(|| (format!("{name}: {what}{advice}"), 0)).1 += 1,
        }
    }

    /// Says what inputs lack.
    pub fn say_lacks(&self) {
        for (first, all) in self.lacks.values().filter(|_| !is_quiet()) {
            self.line(&format!("warning: {}", first_of(first, *all, self.unit)));
        }
    }

    /// Reports a failed input.
    pub fn error(&mut self, name: &str, reason: &str) {
        self.failed += 1;
        if let Some(kept) = &mut self.kept {
            kept.push((name.to_owned(), reason.to_owned()));
        }
        self.line(&format!("error: {name}: {reason}"));
    }

    /// Reports an input that gave no structure. An input without protein is not a failure of the run.
    pub fn failure(&mut self, failure: &InputFailure) {
        match failure.no_protein {
            true => self.note(&format!("{}: {}", failure.name, failure.reason)),
            false => self.error(&failure.name, &failure.reason),
        }
    }

    /// Reports a note about an input: a choice, or an oddity. Choices are summed up at the end, and printed here only on
    /// request. The oddities of a packed structure were printed when it was packed, and are repeated on request alone.
    pub fn notes(&mut self, name: &str, notes: &[Note], packed: bool) {
        self.packed_oddly += u64::from(packed && notes.iter().any(|note| note.kind.is_warning()));
        for note in notes {
            if note.kind.is_warning() && !packed {
                self.warning(name, &note.text);
            } else {
                if !note.kind.is_warning() {
                    *self.noted.entry(note.kind).or_default() += 1;
                }
                if is_verbose() {
                    self.note(&format!("{name}: {}", note.text));
                }
            }
        }
    }

    /// Counts finished inputs.
    pub fn advance(&self, inputs: usize) {
        if let Some(bar) = &self.bar {
            bar.inc(inputs as u64);
        }
    }

    /// Counts inputs that an earlier run has finished, which say nothing of this one's speed.
    pub fn skip(&self, inputs: usize) {
        if let Some(bar) = &self.bar {
            bar.inc(inputs as u64);
            bar.reset_eta();
        }
    }

    /// The exit status of a command that ran to its end.
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
        if is_quiet() {
            return;
        }
        let [one, several] = self.unit;
        for (kind, inputs) in &self.noted {
            let have = counted(*inputs, &format!("{one} has"), &format!("{several} have"));
            self.line(&format!("note: {have} {}", kind.about()));
        }
        self.say_lacks();
        if self.packed_oddly > 0 {
            let were = counted(self.packed_oddly, &format!("{one} was"), &format!("{several} were"));
            self.line(&format!("note: {were} packed with warnings (prism check shows them again)"));
        }
        if self.joined > 0 {
            let (have, each) = (
                counted(self.joined, "structure has", "structures have"),
                form(self.joined as usize, "it is", "each is"),
            );
            let text = "several chains, which bury surface in each other";
            self.line(&format!("note: {have} {text}: {each} computed as a whole (--each chain takes chains alone, --each assembly builds assemblies)"));
        }
        if self.single > 0 {
            let have = counted(self.single, "structure has", "structures have");
            let text = "one chain, and no row in the table of pairs; --by-structure has a row for each structure";
            self.line(&format!("note: {have} {text}"));
        }
        let structures = counted(self.structures, one, several);
        let residues = counted(self.residues, "residue", "residues");
        self.line(&format!("{structures}, {residues}, {} failed; {backend}", self.failed));
    }
}
