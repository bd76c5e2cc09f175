//! The system's limits for a process. Exceeding one is reported like any other error.

use super::Failure;
use anyhow::anyhow;

/// Prepares for limits of memory and file sizes. Comes first, because anything may find that there is no memory.
pub fn prepare() -> Result<(), Failure> {
    #[cfg(unix)]
    {
        signals().map_err(Failure::work)?;
        panics_without_memory();
    }
    Ok(())
}

/// Starts the requested number of threads, or one per core.
pub fn begin_threads(threads: Option<usize>) -> Result<(), Failure> {
    let pool = rayon::ThreadPoolBuilder::new().num_threads(threads.unwrap_or(0));
    pool.build_global().map_err(|error| no_threads(&error))
}

/// A pool's threads could not be started.
pub fn no_threads(error: &rayon::ThreadPoolBuildError) -> Failure {
    no_thread(std::error::Error::source(error).unwrap_or(error))
}

/// A thread could not be started.
pub fn no_thread(error: &dyn std::error::Error) -> Failure {
    let advice = "allow more (ulimit -u, or -n for open files, or the container's limits), or ask for fewer: \
                  --threads 1";
    Failure::Work(anyhow!("cannot begin a thread: {error}; {advice}"))
}

/// Makes a write beyond the file-size limit fail, which is reported, instead of ending the process silently. When memory runs
/// out, the process names the inputs that it was reading.
#[cfg(unix)]
fn signals() -> std::io::Result<()> {
    use signal_hook::consts::{SIGABRT, SIGXFSZ};
    use std::sync::Arc;
    signal_hook::flag::register(SIGXFSZ, Arc::default())?;
    // SAFETY: the handler reads atomics and memory that exists from the start, tries a lock without waiting for it, writes
    // to a file descriptor and ends the process. It does not allocate, and it does not return.
    unsafe { signal_hook::low_level::register(SIGABRT, last_words) }?;
    Ok(())
}

/// If a thread begins without memory, the standard library panics in it and then cannot unwind its stack. This is not an error
/// of the program, so the last words are printed instead.
#[cfg(unix)]
fn panics_without_memory() {
    let before = std::panic::take_hook();
    std::panic::set_hook(Box::new(move |panic| {
        // The text of an `io::Error` for ENOMEM.
        if panic.payload_as_str().is_some_and(|message| message.contains("(os error 12)")) {
            last_words();
        }
        before(panic);
    }));
}

/// Names the input that is read, or the largest so far. The standard library has just printed why it aborts.
#[cfg(unix)]
fn last_words() {
    // Written at once: other threads may be writing that they have no memory either.
    let (mut line, mut len) = ([0_u8; 1024], 0);
    let mut say = |text: &[u8]| {
        let room = &mut line[len..];
        let taken = text.len().min(room.len());
        room[..taken].copy_from_slice(&text[..taken]);
        len += taken;
    };
    say(b"error: ended ");
    prism_host::crash_context::write_to(&mut say);
    say(b"; if memory is short, allow more (ulimit -v, or the container's limit), take fewer --threads, or leave out the \
        largest structures. No output is written.\n");
    let _ = rustix::io::write(rustix::stdio::stderr(), &line[..len]);
    signal_hook::low_level::exit(i32::from(super::failure::NOTHING_WRITTEN));
}
