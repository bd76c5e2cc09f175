//! Errors that end a command, with their exit statuses.

use prism_host::dataset::DatasetError;
use prism_host::engine::EngineError;
use prism_host::output::{ColumnError, OutputError};
use std::io::{Write, stderr};

/// Exit status: all done.
pub const ALL_DONE: u8 = 0;
/// Exit status: nothing was written.
pub const NOTHING_WRITTEN: u8 = 1;
/// Exit status: wrong usage.
pub const USAGE: u8 = 2;
/// Exit status: some inputs failed, or a file beside the table; the rest is written.
pub const SOME_FAILED: u8 = 3;

/// Why a command ends early.
#[derive(Debug)]
pub enum Failure {
    /// The command line is invalid.
    Usage(anyhow::Error),
    /// The work cannot be done.
    Work(anyhow::Error),
    /// The reader of standard output closed it. This is not an error of the program.
    Closed,
    /// A signal ended the run, which determines the exit status.
    Interrupted(u8),
}

impl Failure {
    pub fn usage(error: impl Into<anyhow::Error>) -> Self {
        Self::Usage(error.into())
    }

    pub fn work(error: impl Into<anyhow::Error>) -> Self {
        Self::Work(error.into())
    }

    /// Prints that this is why a file beside the table could not be written. Returns the exit status.
    pub fn report_beside(&self, table: &str) -> u8 {
        match self {
            Self::Usage(error) | Self::Work(error) => {
                stderr_line(&format!("error: {}; {table}", shown(error)));
                SOME_FAILED
            }
            Self::Closed | Self::Interrupted(_) => self.report(),
        }
    }

    /// Prints the error to standard error, and returns the exit status.
    pub fn report(&self) -> u8 {
        match self {
            Self::Usage(error) => {
                stderr_line(&format!("error: {}", shown(error)));
                stderr_line("For more information, try 'prism --help'.");
                USAGE
            }
            Self::Work(error) => {
                stderr_line(&format!("error: {}", shown(error)));
                NOTHING_WRITTEN
            }
            Self::Closed => ALL_DONE,
            Self::Interrupted(status) => {
                stderr_line("error: interrupted before the end");
                *status
            }
        }
    }
}

/// An error with its causes. Many errors already contain their cause, which is not repeated.
fn shown(error: &anyhow::Error) -> String {
    let mut text = String::new();
    for cause in error.chain().map(ToString::to_string).filter(|cause| !cause.is_empty()) {
        if text.is_empty() {
            text = cause;
        } else if !text.contains(&cause) {
            text = format!("{text}: {cause}");
        }
    }
    text
}

impl From<EngineError> for Failure {
    fn from(error: EngineError) -> Self {
        match error {
            EngineError::Config { .. } | EngineError::DevicesWithoutCuda => Self::usage(error),
            _ => Self::work(error),
        }
    }
}

impl From<OutputError> for Failure {
    fn from(error: OutputError) -> Self {
        match error {
            OutputError::Closed => Self::Closed,
            OutputError::UnknownFormat { .. } | OutputError::ViewFormat { .. } | OutputError::RelationFormat { .. } => {
                Self::usage(error)
            }
            _ => Self::work(error),
        }
    }
}

impl From<DatasetError> for Failure {
    fn from(error: DatasetError) -> Self {
        Self::work(error)
    }
}

impl From<ColumnError> for Failure {
    fn from(error: ColumnError) -> Self {
        match error {
            ColumnError::Unknown(_) => {
                Self::usage(anyhow::anyhow!("{error}; `prism features --list` shows all features"))
            }
            error => Self::usage(error),
        }
    }
}

/// An error on standard output.
impl From<std::io::Error> for Failure {
    fn from(error: std::io::Error) -> Self {
        OutputError::from(error).into()
    }
}

/// Writes a line to standard error. A closed standard error is no error.
pub fn stderr_line(text: &str) {
    let line: String = text.chars().map(|c| if c.is_control() { ' ' } else { c }).collect();
    let _ = writeln!(stderr(), "{line}");
}
