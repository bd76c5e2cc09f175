//! Limits that the system sets a process: running into one is an error with words, as any other.

use super::Failure;
use anyhow::anyhow;

/// Starts the requested number of threads, or one per core, and prepares for limits of memory and processor time.
pub fn prepare(threads: Option<usize>) -> Result<(), Failure> {
    #[cfg(unix)]
    {
        signals().map_err(Failure::work)?;
        panics_without_memory();
    }
    let pool = rayon::ThreadPoolBuilder::new().num_threads(threads.unwrap_or(0));
    pool.build_global().map_err(|error| no_threads(&error))
}

/// Threads that compute or read could not be begun.
pub fn no_threads(error: &rayon::ThreadPoolBuildError) -> Failure {
    no_thread(std::error::Error::source(error).unwrap_or(error))
}

/// A thread could not be begun.
pub fn no_thread(error: &dyn std::error::Error) -> Failure {
    let advice = "allow more (ulimit -u, or -n for open files, or the container's limits), or ask for fewer: \
                  --threads 1";
    Failure::Work(anyhow!("cannot begin a thread: {error}; {advice}"))
}

/// A file-size limit makes writing fail, which is told of then, and does not end the process without a word. Memory that
/// has run out makes the process say which input was too much for it.
#[cfg(unix)]
fn signals() -> std::io::Result<()> {
    use signal_hook::consts::{SIGABRT, SIGXFSZ};
    use std::sync::Arc;
    signal_hook::flag::register(SIGXFSZ, Arc::default())?;
    // SAFETY: the handler reads atomics and memory that is there from the beginning, tries a lock without waiting for it,
    // writes to a file descriptor and ends the process. It does not allocate, and it does not return.
    unsafe { signal_hook::low_level::register(SIGABRT, last_words) }?;
    Ok(())
}

/// The standard library panics in a thread that begins without memory, and then cannot unwind its stack. That is no error of
/// the program: the last words are said in its place.
#[cfg(unix)]
fn panics_without_memory() {
    let before = std::panic::take_hook();
    std::panic::set_hook(Box::new(move |panic| {
        // What the system says of error 12, ENOMEM, in the words of an `io::Error`.
        if panic.payload_as_str().is_some_and(|message| message.contains("(os error 12)")) {
            last_words();
        }
        before(panic);
    }));
}

/// The standard library has just said how much memory it could not get, or what panicked twice.
#[cfg(unix)]
fn last_words() {
    let say = |text: &[u8]| {
        let _ = rustix::io::write(rustix::stdio::stderr(), text);
    };
    say(b"error: ended ");
    prism_host::at_hand::tell(say);
    say(b"; if memory is short, allow more (ulimit -v, or the container's limit), take fewer --threads, or leave out the \
        largest structures. No output is written.\n");
    signal_hook::low_level::exit(i32::from(super::failure::NOTHING_WRITTEN));
}
