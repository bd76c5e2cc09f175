//! Ctrl-C: the first ends a run in order, the second at once. Neither leaves part of an output file.

use prism_host::pipeline::Cancel;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicI32, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

/// Listens to the signals with which people and systems end programs: SIGINT and SIGTERM.
#[derive(Clone, Default)]
pub struct Interrupt {
    cancel: Cancel,
    signal: Arc<AtomicI32>,
    partial: Arc<Mutex<Option<PathBuf>>>,
}

impl Interrupt {
    /// Begins to listen.
    #[cfg(unix)]
    pub fn listen() -> std::io::Result<Self> {
        use signal_hook::consts::{SIGINT, SIGTERM};
        let interrupt = Self::default();
        let mut signals = signal_hook::iterator::Signals::new([SIGINT, SIGTERM])?;
        let listener = interrupt.clone();
        std::thread::Builder::new().name("signals".to_owned()).spawn(move || {
            for signal in signals.forever() {
                listener.receive(signal);
            }
        })?;
        Ok(interrupt)
    }

    /// Begins to listen. A second Ctrl-C leaves the file that is being written, under its temporary name.
    #[cfg(not(unix))]
    pub fn listen() -> std::io::Result<Self> {
        use signal_hook::{consts::SIGINT, flag};
        let cancelled = Arc::default();
        flag::register_conditional_shutdown(SIGINT, i32::from(exit_status(SIGINT)), Arc::clone(&cancelled))?;
        flag::register(SIGINT, Arc::clone(&cancelled))?;
        Ok(Self { cancel: Cancel::from(cancelled), ..Self::default() })
    }

    #[cfg(unix)]
    fn receive(&self, signal: i32) {
        if self.cancel.is_cancelled() {
            if let Some(path) = self.partial().take() {
                let _ = std::fs::remove_file(path);
            }
            signal_hook::low_level::exit(i32::from(exit_status(signal)));
        }
        self.signal.store(signal, Ordering::SeqCst);
        self.cancel.cancel();
        super::report::stderr_line("interrupted: ending when the batches at hand are done; once more ends at once");
    }

    /// What the run is to look at.
    pub fn cancel(&self) -> &Cancel {
        &self.cancel
    }

    /// A file to be removed where the run ends at once.
    pub fn remove_on_exit(&self, path: &Path) {
        *self.partial() = Some(path.to_owned());
    }

    fn partial(&self) -> std::sync::MutexGuard<'_, Option<PathBuf>> {
        self.partial.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The exit status of a run that was interrupted.
    pub fn exit_status(&self) -> u8 {
        exit_status(self.signal.load(Ordering::SeqCst))
    }
}

/// As shells tell of a program that a signal has ended: 130 for Ctrl-C.
fn exit_status(signal: i32) -> u8 {
    const SIGINT: u8 = 2;
    128 + u8::try_from(signal).ok().filter(|&signal| (1..64).contains(&signal)).unwrap_or(SIGINT)
}
