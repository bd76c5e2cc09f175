//! Ctrl-C and other signals that end programs. The first ends a run in order, within two seconds; the second ends it
//! immediately. Neither leaves part of an output file.

use prism_host::pipeline::Cancel;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicI32, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

/// Handles SIGINT, SIGTERM and SIGHUP.
#[derive(Clone, Default)]
pub struct Interrupt {
    cancel: Cancel,
    signal: Arc<AtomicI32>,
    partial: Arc<Mutex<Option<PathBuf>>>,
}

impl Interrupt {
    /// Starts to listen.
    #[cfg(unix)]
    pub fn listen() -> std::io::Result<Self> {
        use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM};
        let interrupt = Self::default();
        let mut signals = signal_hook::iterator::Signals::new([SIGINT, SIGTERM, SIGHUP])?;
        let listener = interrupt.clone();
        std::thread::Builder::new().name("signals".to_owned()).spawn(move || {
            if let Some(signal) = signals.forever().next() {
                listener.receive(signal, &mut signals);
            }
        })?;
        Ok(interrupt)
    }

    /// Starts to listen. A second Ctrl-C leaves the file that is being written, under its temporary name.
    #[cfg(not(unix))]
    pub fn listen() -> std::io::Result<Self> {
        use signal_hook::consts::SIGINT;
        use signal_hook::flag;
        let cancelled = Arc::default();
        flag::register_conditional_shutdown(SIGINT, i32::from(exit_status(SIGINT)), Arc::clone(&cancelled))?;
        flag::register(SIGINT, Arc::clone(&cancelled))?;
        Ok(Self { cancel: Cancel::from(cancelled), ..Self::default() })
    }

    /// Handles the first signal. If the current work takes too long, the process ends without it.
    #[cfg(unix)]
    fn receive(&self, first: i32, signals: &mut signal_hook::iterator::Signals) {
        use std::time::{Duration, Instant};
        const PATIENCE: Duration = Duration::from_millis(1500);
        self.signal.store(first, Ordering::SeqCst);
        self.cancel.cancel();
        super::failure::stderr_line("interrupted: ending when the batches at hand are done; once more ends at once");
        let begin = Instant::now();
        let mut last = first;
        while begin.elapsed() < PATIENCE {
            if let Some(second) = signals.pending().next() {
                last = second;
                break;
            }
            std::thread::sleep(Duration::from_millis(10));
        }
        if let Some(path) = self.partial().take() {
            let _ = std::fs::remove_file(path);
        }
        super::failure::stderr_line("error: interrupted before the end");
        signal_hook::low_level::exit(i32::from(exit_status(last)));
    }

    /// The flag that the run checks.
    pub fn cancel(&self) -> &Cancel {
        &self.cancel
    }

    /// A file to remove if the run ends at once. There is rarely one, since incomplete files have no name.
    pub fn remove_on_exit(&self, path: Option<&Path>) {
        *self.partial() = path.map(Path::to_owned);
    }

    fn partial(&self) -> std::sync::MutexGuard<'_, Option<PathBuf>> {
        self.partial.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The exit status of a run that was interrupted.
    pub fn exit_status(&self) -> u8 {
        exit_status(self.signal.load(Ordering::SeqCst))
    }
}

/// The exit status that shells give a program ended by a signal: 130 for Ctrl-C.
fn exit_status(signal: i32) -> u8 {
    const SIGINT: u8 = 2;
    128 + u8::try_from(signal).ok().filter(|&signal| (1..64).contains(&signal)).unwrap_or(SIGINT)
}
