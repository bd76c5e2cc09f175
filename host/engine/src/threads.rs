//! Work in several threads at once. If the system gives no more threads, the calling thread does the rest.

use std::panic::resume_unwind;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};
use std::thread::{Builder, scope};

/// Runs each share in a thread of its own. The calling thread runs the first share, and those that get no thread. Returns the
/// results in the order of the shares.
pub(super) fn at_once<S: Send, T: Send>(shares: Vec<S>, work: impl Fn(S) -> T + Sync) -> Vec<T> {
    in_threads(shares, usize::MAX, work)
}

/// The same with at most `most` threads, for tests.
fn in_threads<S: Send, T: Send>(shares: Vec<S>, most: usize, work: impl Fn(S) -> T + Sync) -> Vec<T> {
    // If a thread cannot start, its share is lost with its closure. So shares are kept here.
    let shares: Vec<_> = shares.into_iter().map(|share| Mutex::new(Some(share))).collect();
    let done = |share: &Mutex<Option<S>>| {
        let share = share.lock().unwrap_or_else(PoisonError::into_inner).take();
        // Each share is taken once.
        share.map(&work)
    };
    let Some((first, others)) = shares.split_first() else { return Vec::new() };
    let results = scope(|scope| {
        let done = &done;
        let begin = |(index, share)| {
            if index >= most {
                return None;
            }
            let thread = Builder::new().name("engine".to_owned()).spawn_scoped(scope, move || done(share));
            thread.inspect_err(|error| tracing::debug!("one thread less at work: {error}")).ok()
        };
        let threads: Vec<_> = others.iter().enumerate().map(begin).collect();
        let mut results = vec![done(first)];
        for (share, thread) in others.iter().zip(threads) {
            results.push(match thread {
                Some(thread) => thread.join().unwrap_or_else(|panic| resume_unwind(panic)),
                None => done(share),
            });
        }
        results
    });
    results.into_iter().flatten().collect()
}

/// Computes something for each item in at most `most` threads, each of which takes the next item when it is done with one. Returns the
/// results in the order of the items. After a result with which it does not go on, no further item is begun.
///
/// The threads are no pool's, so they may wait for one, or for a device's slot: a pool's thread that waits takes up another task, which may
/// wait for what it has itself.
pub fn in_order<I: Sync, T: Send>(
    items: &[I],
    most: usize,
    goes_on: impl Fn(&T) -> bool + Sync,
    work: impl Fn(&I) -> T + Sync,
) -> Vec<T> {
    let next = AtomicUsize::new(0);
    let share = |()| {
        let mut done = Vec::new();
        loop {
            let index = next.fetch_add(1, Ordering::Relaxed);
            let Some(item) = items.get(index) else { return done };
            let result = work(item);
            if !goes_on(&result) {
                next.store(items.len(), Ordering::Relaxed);
            }
            done.push((index, result));
        }
    };
    let mut done: Vec<_> = at_once(vec![(); most.clamp(1, items.len().max(1))], share).into_iter().flatten().collect();
    done.sort_by_key(|(index, _)| *index);
    done.into_iter().map(|(_, result)| result).collect()
}

/// Runs both at once, the first in a thread of its own.
pub(super) fn both<A: Send, B>(first: impl FnOnce() -> A + Send, second: impl FnOnce() -> B) -> (A, B) {
    let first = Mutex::new(Some(first));
    let run = || {
        let first = first.lock().unwrap_or_else(PoisonError::into_inner).take();
        first.expect("it runs in the thread, or here if there is none")()
    };
    scope(|scope| {
        let thread = Builder::new().name("engine".to_owned()).spawn_scoped(scope, run);
        let second = second();
        let first = match thread {
            Ok(thread) => thread.join().unwrap_or_else(|panic| resume_unwind(panic)),
            Err(error) => {
                tracing::debug!("one thread less at work: {error}");
                run()
            }
        };
        (first, second)
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::panic::{AssertUnwindSafe, catch_unwind};
    use std::thread::current;

    #[test]
    fn every_share_is_done_with_as_many_threads_as_there_are() {
        for most in [0, 1, 3, usize::MAX] {
            let here = current().id();
            let results = in_threads((0..6).collect(), most, |share| (10 * share, current().id() == here));
            assert_eq!(results.iter().map(|(result, _)| *result).collect::<Vec<_>>(), [0, 10, 20, 30, 40, 50]);
            let elsewhere = results.iter().filter(|(_, here)| !here).count();
            assert_eq!(elsewhere, most.min(5));
        }
        assert_eq!(at_once(Vec::<()>::new(), |()| ()), []);
    }

    #[test]
    fn results_have_the_order_of_their_items() {
        for most in [0, 1, 3, 100] {
            let results = in_order(&[5, 1, 4, 2], most, |_| true, |item| 10 * item);
            assert_eq!(results, [50, 10, 40, 20]);
            let until = in_order(&[1, 2, 3, 4], most, |result| *result < 2, |item| *item);
            assert!(until.len() >= 2 && until[..2] == [1, 2]);
        }
        assert_eq!(in_order(&[1, 2, 3], 1, |_| false, |item| *item), [1]);
    }

    #[test]
    fn both_are_done() {
        let here = current().id();
        let mut second = false;
        let (first, ()) = both(|| current().id() != here, || second = true);
        assert!(first && second);
        let panicked = catch_unwind(|| both(|| panic!("the first"), || 2));
        assert_eq!(panicked.unwrap_err().downcast_ref::<&str>(), Some(&"the first"));
    }

    #[test]
    fn a_panic_goes_on_in_this_thread() {
        for most in [0, usize::MAX] {
            let work = |share| {
                if share == 4 {
                    panic!("share {share}")
                }
            };
            let panicked = catch_unwind(AssertUnwindSafe(|| in_threads((0..6).collect(), most, work)));
            assert_eq!(panicked.unwrap_err().downcast_ref::<String>().map(String::as_str), Some("share 4"));
        }
    }
}
