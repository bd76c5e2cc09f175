//! Work on many things by several threads, whose results are taken in order.

use crate::cli::failure::Failure;
use crate::cli::limits::no_thread;
use std::collections::BTreeMap;
use std::sync::mpsc::channel;
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::thread::{Builder, scope};

/// Results of a thread that may wait for one before them.
const AHEAD: usize = 8;

/// What is computed next.
#[derive(Debug, Default)]
struct Progress {
    begun: usize,
    taken: usize,
    /// Nothing more is begun.
    ended: bool,
}

/// The progress, and what wakes those who wait for it.
#[derive(Debug, Default)]
struct Turns {
    progress: Mutex<Progress>,
    changed: Condvar,
}

impl Turns {
    fn progress(&self) -> MutexGuard<'_, Progress> {
        self.progress.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The next of `count` to compute. Waits while `ahead` of them are not taken.
    fn next(&self, count: usize, ahead: usize) -> Option<usize> {
        let mut progress = self.progress();
        while !progress.ended && progress.begun < count && progress.begun >= progress.taken + ahead {
            progress = self.changed.wait(progress).unwrap_or_else(PoisonError::into_inner);
        }
        let at = progress.begun;
        progress.begun += 1;
        (!progress.ended && at < count).then_some(at)
    }

    fn taken(&self) {
        self.progress().taken += 1;
        self.changed.notify_all();
    }
}

/// Ends the work when it is dropped, at the latest when a thread panics: the others do not wait for its result.
struct End<'a> {
    turns: &'a Turns,
    only_in_panic: bool,
}

impl Drop for End<'_> {
    fn drop(&mut self) {
        if !self.only_in_panic || std::thread::panicking() {
            self.turns.progress().ended = true;
            self.turns.changed.notify_all();
        }
    }
}

/// Computes something for each item, and passes the results to `take` in the order of the items, until it returns `false` or fails.
/// No thread waits for the slowest of a batch, or while results are taken.
///
/// # Errors
/// The first of `take`, or if no thread can be begun.
pub fn side_by_side<I: Sync, T: Send>(
    items: &[I],
    threads: usize,
    compute: impl Fn(&I) -> T + Sync,
    mut take: impl FnMut(&I, T) -> Result<bool, Failure>,
) -> Result<(), Failure> {
    let (turns, compute) = (&Turns::default(), &compute);
    scope(|scope| {
        let _end = End { turns, only_in_panic: false };
        let (send, results) = channel();
        for _ in 0..threads.min(items.len()) {
            let send = send.clone();
            let work = move || {
                let _end = End { turns, only_in_panic: true };
                while let Some(at) = turns.next(items.len(), AHEAD * threads) {
                    if send.send((at, compute(&items[at]))).is_err() {
                        return;
                    }
                }
            };
            Builder::new().spawn_scoped(scope, work).map_err(|error| no_thread(&error))?;
        }
        drop(send);
        let (mut early, mut next) = (BTreeMap::new(), 0);
        for (at, result) in results {
            early.insert(at, result);
            while let Some(result) = early.remove(&next) {
                if !take(&items[next], result)? {
                    return Ok(());
                }
                next += 1;
                turns.taken();
            }
        }
        Ok(())
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::atomic::{AtomicUsize, Ordering};
    use std::time::Duration;

    #[test]
    fn results_come_in_order_and_few_wait() {
        for threads in [1, 3] {
            let items: Vec<usize> = (0..200).collect();
            let (begun, mut found) = (AtomicUsize::new(0), Vec::new());
            let compute = |&item: &usize| {
                begun.fetch_add(1, Ordering::SeqCst);
                // The first takes longest.
                std::thread::sleep(Duration::from_micros(if item == 0 { 20_000 } else { 10 }));
                item * item
            };
            let take = |&item: &usize, square| {
                assert!(begun.load(Ordering::SeqCst) <= item + 1 + AHEAD * threads);
                found.push(square);
                Ok(true)
            };
            side_by_side(&items, threads, compute, take).unwrap();
            assert_eq!(found, items.iter().map(|item| item * item).collect::<Vec<_>>());
        }
    }

    #[test]
    fn nothing_is_begun_after_the_end() {
        let (items, mut taken) = ((0..1000).collect::<Vec<usize>>(), 0);
        let begun = AtomicUsize::new(0);
        let compute = |_: &usize| begun.fetch_add(1, Ordering::SeqCst);
        let mut until = |end: Result<bool, Failure>| {
            let mut end = Some(end);
            taken = 0;
            side_by_side(&items, 2, compute, |_, _| {
                taken += 1;
                if taken == 5 { end.take().unwrap_or(Ok(false)) } else { Ok(true) }
            })
        };
        until(Ok(false)).unwrap();
        assert!(begun.load(Ordering::SeqCst) <= 5 + 2 * AHEAD);
        assert!(matches!(until(Err(Failure::Interrupted(130))), Err(Failure::Interrupted(130))));
        assert_eq!(taken, 5);
        side_by_side(&items[..0], 2, compute, |_, _| Ok(true)).unwrap();
    }

    #[test]
    #[should_panic(expected = "scoped thread panicked")]
    fn a_thread_that_panics_keeps_nobody_waiting() {
        let items: Vec<usize> = (0..1000).collect();
        let _ = side_by_side(&items, 3, |&item| assert!(item != 7), |_, ()| Ok(true));
    }
}
