//! Tasks on rayon's threads, whose results are taken in order.

use rayon::prelude::*;
use std::collections::VecDeque;
use std::sync::mpsc::{Receiver, TryRecvError, channel};

/// The results of tasks, in the order in which the tasks were begun.
pub(super) struct InOrder<T>(VecDeque<Task<T>>);

enum Task<T> {
    Done(T),
    Begun(Receiver<T>),
}

impl<T> Default for InOrder<T> {
    fn default() -> Self {
        Self(VecDeque::new())
    }
}

impl<T: Send + 'static> InOrder<T> {
    /// Begins tasks. A thread of the pool completes them here: it must not wait for other threads of the pool, because there may
    /// be none.
    pub(super) fn begin(&mut self, tasks: Vec<impl FnOnce() -> T + Send + 'static>) {
        if rayon::current_thread_index().is_some() {
            let done: Vec<T> = tasks.into_par_iter().map(|task| task()).collect();
            self.0.extend(done.into_iter().map(Task::Done));
            return;
        }
        let begin = |task| {
            let (send, receive) = channel();
            self.0.push_back(Task::Begun(receive));
            (task, send)
        };
        let tasks: Vec<_> = tasks.into_iter().map(begin).collect();
        // One of the pool's threads passes them on to the others, which takes this thread less time.
        rayon::spawn(move || {
            for (task, send) in tasks {
                rayon::spawn_fifo(move || {
                    // The receiver is gone if the table was dropped.
                    let _ = send.send(task());
                });
            }
        });
    }

    /// The next result. `None` if there is none yet, and no more than `most` tasks are begun; waits for it if there are more.
    ///
    /// # Errors
    /// If the task has ended without a result.
    pub(super) fn next(&mut self, most: usize) -> Option<Result<T, Lost>> {
        let result = match self.0.front()? {
            Task::Done(_) => None,
            Task::Begun(result) => match result.try_recv() {
                Ok(result) => Some(Ok(result)),
                Err(TryRecvError::Empty) if self.0.len() <= most => return None,
                Err(TryRecvError::Empty) => Some(result.recv().map_err(|_| Lost)),
                Err(TryRecvError::Disconnected) => Some(Err(Lost)),
            },
        };
        let first = self.0.pop_front()?;
        Some(match (first, result) {
            (Task::Done(result), _) => Ok(result),
            (Task::Begun(_), result) => result.unwrap_or(Err(Lost)),
        })
    }
}

/// A task ended without a result.
#[derive(Debug)]
pub(super) struct Lost;

impl From<Lost> for std::io::Error {
    fn from(_: Lost) -> Self {
        Self::other("a thread that encoded a part of the table has ended")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn results_come_in_order() {
        for threads in [1, 3] {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
            let count = || {
                let mut numbers = InOrder::default();
                let mut found = Vec::new();
                for first in [0, 10, 20] {
                    numbers.begin((first..first + 10).map(|number| move || number).collect());
                    while let Some(number) = numbers.next(5) {
                        found.push(number.unwrap());
                    }
                    assert!(found.len() >= first as usize + 5);
                }
                while let Some(number) = numbers.next(0) {
                    found.push(number.unwrap());
                }
                assert_eq!(found, (0..30).collect::<Vec<_>>());
            };
            pool.install(count);
            count();
        }
    }
}
