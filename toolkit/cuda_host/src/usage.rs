//! The uses of device memory, and their order.
//!
//! Every allocation records which work of which stream read or wrote it. Conflicting work on another stream first waits for
//! that stream on the device. A launch records only a number; the event for a wait is made at the wait.

use crate::CudaError;
use crate::slot::lock;
use std::sync::Mutex;

/// A queue of work: a stream.
pub(crate) trait Queue: Clone {
    /// A point in the queue.
    type Moment;
    /// Whether both are the same.
    fn is(&self, other: &Self) -> bool;
    /// Number of the newest queued work.
    fn newest(&self) -> u64;
    /// Whether the host knows that work number `work` is done.
    fn has_done(&self, work: u64) -> bool;
    /// Makes later work on `self` begin after `other` has done work number `work`.
    fn follow(&self, other: &Self, work: u64) -> Result<(), CudaError>;
    /// Waits until everything queued so far is done.
    fn wait_idle(&self) -> Result<(), CudaError>;
    /// The point after everything queued so far. `old` is a point that is no longer needed, for reuse.
    fn moment(&self, old: Option<Self::Moment>) -> Result<Self::Moment, CudaError>;
    /// Whether the point was reached.
    fn has_come(moment: &Self::Moment) -> bool;
    /// Makes later work on `self` begin after the point. Panics of earlier work there do not concern it.
    fn come_after(&self, moment: &Self::Moment) -> Result<(), CudaError>;
}

/// The kind of access of work.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Access {
    Read,
    Write,
}

struct Mark<Q: Queue> {
    queue: Q,
    access: Access,
    work: u64,
    sequence: u64,
    /// The point when the work is done, if it was recorded; otherwise a wait covers all work queued by then.
    moment: Option<Q::Moment>,
}

struct Marks<Q: Queue> {
    sequence: u64,
    marks: Vec<Mark<Q>>,
    /// Unused points.
    spare: Vec<Q::Moment>,
}

/// Uses of one allocation. Call [`begin`](Self::begin) before work is queued, and [`end`](Self::end) after.
pub(crate) struct Usage<Q: Queue>(Mutex<Marks<Q>>);

/// The result of [`Usage::begin`].
#[derive(Clone, Copy)]
pub(crate) struct Begun(u64);

impl Begun {
    /// For work that is only recorded and waits for nothing.
    pub(crate) const NOTHING: Self = Self(0);
}

impl<Q: Queue> Usage<Q> {
    pub(crate) fn new() -> Self {
        Self(Mutex::new(Marks { sequence: 0, marks: Vec::new(), spare: Vec::new() }))
    }

    /// Orders the next work on `queue` after all work that it conflicts with.
    pub(crate) fn begin(&self, queue: &Q, access: Access) -> Result<Begun, CudaError> {
        let marks = lock(&self.0);
        for mark in &marks.marks {
            let conflicts = access == Access::Write || mark.access == Access::Write;
            if conflicts && !mark.queue.is(queue) && !mark.queue.has_done(mark.work) {
                match &mark.moment {
                    Some(moment) => queue.come_after(moment)?,
                    None => queue.follow(&mark.queue, mark.work)?,
                }
            }
        }
        Ok(Begun(marks.sequence))
    }

    /// Records the work that was queued on `queue` since `begun`.
    ///
    /// Other threads may have begun and ended uses of other parts in between: their marks stay.
    pub(crate) fn end(&self, queue: &Q, access: Access, begun: Begun) {
        let mut marks = lock(&self.0);
        if access == Access::Write {
            // Work ordered after this write is also ordered after everything before it.
            marks.forget(|mark| mark.sequence < begun.0);
        }
        let sequence = marks.sequence;
        marks.sequence += 1;
        let work = queue.newest();
        match marks.marks.iter_mut().find(|mark| mark.access == access && mark.queue.is(queue)) {
            Some(mark) => {
                (mark.work, mark.sequence) = (work, sequence);
                let outdated = mark.moment.take();
                marks.spare.extend(outdated);
            }
            None => marks.marks.push(Mark { queue: queue.clone(), access, work, sequence, moment: None }),
        }
    }

    /// Records the points when all work queued so far is done, for the memory's next user. Must not be called between the
    /// begin and end of a use.
    pub(crate) fn retire(&self) -> Result<(), CudaError> {
        let mut marks = lock(&self.0);
        marks.forget(Mark::is_done);
        let Marks { marks, spare, .. } = &mut *marks;
        for mark in marks.iter_mut().filter(|mark| mark.moment.is_none()) {
            mark.moment = Some(mark.queue.moment(spare.pop())?);
        }
        Ok(())
    }

    /// Whether work on `queue` may use the memory in any way without waiting for another queue.
    pub(crate) fn is_quiet(&self, queue: &Q) -> bool {
        lock(&self.0).marks.iter().all(|mark| mark.queue.is(queue) || mark.is_done())
    }

    /// Waits until the memory is not used any more.
    pub(crate) fn wait(&self) -> Result<(), CudaError> {
        for mark in &lock(&self.0).marks {
            if !mark.queue.has_done(mark.work) {
                mark.queue.wait_idle()?;
            }
        }
        Ok(())
    }
}

impl<Q: Queue> Marks<Q> {
    fn forget(&mut self, is_over: impl Fn(&Mark<Q>) -> bool) {
        let spare = &mut self.spare;
        self.marks.retain_mut(|mark| {
            let over = is_over(mark);
            if over {
                spare.extend(mark.moment.take());
            }
            !over
        });
    }
}

impl<Q: Queue> Mark<Q> {
    fn is_done(&self) -> bool {
        self.queue.has_done(self.work) || self.moment.as_ref().is_some_and(Q::has_come)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::cell::RefCell;
    use std::rc::Rc;

    /// A stream that records what its work waits for: for each queue, how much of it is done before.
    #[derive(Clone)]
    struct FakeQueue(Rc<Fake>);

    struct Fake {
        index: usize,
        state: RefCell<State>,
    }

    #[derive(Default)]
    struct State {
        /// The work before the next work: `after[queue]` pieces of each queue.
        after: Vec<u64>,
        /// The same for each piece of work queued.
        work: Vec<Vec<u64>>,
        done: u64,
    }

    impl FakeQueue {
        fn many(n: usize) -> Vec<Self> {
            let state = || RefCell::new(State { after: vec![0; n], ..State::default() });
            (0..n).map(|index| Self(Rc::new(Fake { index, state: state() }))).collect()
        }

        fn add(&self) -> u64 {
            let mut state = self.0.state.borrow_mut();
            let before = state.after.clone();
            state.work.push(before);
            let number = state.work.len() as u64;
            state.after[self.0.index] = number;
            number
        }

        fn wait_for(&self, theirs: &[u64]) {
            let mut state = self.0.state.borrow_mut();
            for (mine, theirs) in state.after.iter_mut().zip(theirs) {
                *mine = *theirs.max(mine);
            }
        }

        /// Whether work `number` of this queue comes after work `other_number` of `other`.
        fn is_after(&self, number: u64, other: &Self, other_number: u64) -> bool {
            self.0.state.borrow().work[number as usize - 1][other.0.index] >= other_number
        }
    }

    impl Queue for FakeQueue {
        /// The work of each queue that is done by then.
        type Moment = (FakeQueue, Vec<u64>);

        fn moment(&self, _: Option<Self::Moment>) -> Result<Self::Moment, CudaError> {
            Ok((self.clone(), self.0.state.borrow().after.clone()))
        }
        fn has_come((queue, after): &Self::Moment) -> bool {
            queue.has_done(after[queue.0.index])
        }
        fn come_after(&self, (_, after): &Self::Moment) -> Result<(), CudaError> {
            self.wait_for(after);
            Ok(())
        }
        fn is(&self, other: &Self) -> bool {
            Rc::ptr_eq(&self.0, &other.0)
        }
        fn newest(&self) -> u64 {
            self.0.state.borrow().work.len() as u64
        }
        fn has_done(&self, work: u64) -> bool {
            self.0.state.borrow().done >= work
        }
        fn follow(&self, other: &Self, work: u64) -> Result<(), CudaError> {
            let theirs = other.0.state.borrow().after.clone();
            assert!(theirs[other.0.index] >= work, "an event covers what was queued before it");
            self.wait_for(&theirs);
            Ok(())
        }
        fn wait_idle(&self) -> Result<(), CudaError> {
            let mut state = self.0.state.borrow_mut();
            state.done = state.work.len() as u64;
            Ok(())
        }
    }

    /// Random numbers below a limit.
    fn random(mut state: u64) -> impl FnMut(u64) -> u64 {
        move |limit| {
            state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
            (state >> 33) % limit
        }
    }

    fn use_on(usage: &Usage<FakeQueue>, queue: &FakeQueue, access: Access) -> u64 {
        let begun = usage.begin(queue, access).unwrap();
        let number = queue.add();
        usage.end(queue, access, begun);
        number
    }

    #[test]
    fn conflicting_work_is_ordered_whatever_streams_it_is_on() {
        let mut next = random(1);
        for _ in 0..200 {
            let queues = FakeQueue::many(3);
            let usage = Usage::new();
            let mut history: Vec<(FakeQueue, Access, u64)> = Vec::new();
            for _ in 0..20 {
                let queue = &queues[next(3) as usize];
                let access = if next(2) == 0 { Access::Read } else { Access::Write };
                let number = use_on(&usage, queue, access);
                for (other, before, other_number) in &history {
                    let conflict = access == Access::Write || *before == Access::Write;
                    assert!(!conflict || queue.is_after(number, other, *other_number));
                }
                history.push((queue.clone(), access, number));
            }
        }
    }

    #[test]
    fn reads_do_not_wait_for_reads() {
        let queues = FakeQueue::many(2);
        let usage = Usage::new();
        for queue in &queues {
            use_on(&usage, queue, Access::Read);
        }
        assert!(!queues[1].is_after(1, &queues[0], 1));
    }

    #[test]
    fn a_write_that_ends_late_keeps_marks_that_came_in_between() {
        // Two threads write two halves of one buffer; the third use must come after both.
        let queues = FakeQueue::many(3);
        let usage = Usage::new();
        let first = usage.begin(&queues[0], Access::Write).unwrap();
        let second = usage.begin(&queues[1], Access::Write).unwrap();
        queues[0].add();
        queues[1].add();
        usage.end(&queues[0], Access::Write, first);
        usage.end(&queues[1], Access::Write, second);
        use_on(&usage, &queues[2], Access::Read);
        assert!(queues[2].is_after(1, &queues[0], 1) && queues[2].is_after(1, &queues[1], 1));
    }

    #[test]
    fn the_next_owner_waits_for_the_last_use_and_no_longer() {
        let queues = FakeQueue::many(3);
        let usage = Usage::new();
        let last = use_on(&usage, &queues[0], Access::Write);
        let read = use_on(&usage, &queues[1], Access::Read);
        usage.retire().unwrap();
        // Later work of these does not concern the memory.
        let (other_0, other_1) = (queues[0].add(), queues[1].add());
        assert!(!usage.is_quiet(&queues[0]) && !usage.is_quiet(&queues[2]));
        let next = use_on(&usage, &queues[2], Access::Write);
        assert!(queues[2].is_after(next, &queues[0], last) && queues[2].is_after(next, &queues[1], read));
        assert!(!queues[2].is_after(next, &queues[0], other_0) && !queues[2].is_after(next, &queues[1], other_1));
        assert!(usage.is_quiet(&queues[2]), "in order on its own queue");

        usage.retire().unwrap();
        queues[2].wait_idle().unwrap();
        assert!(usage.is_quiet(&queues[0]), "done");
        // A use after that has no point.
        let (first, second) = (use_on(&usage, &queues[0], Access::Write), queues[0].add());
        let after = use_on(&usage, &queues[1], Access::Read);
        assert!(queues[1].is_after(after, &queues[0], first) && queues[1].is_after(after, &queues[0], second));
    }

    #[test]
    fn order_holds_however_often_memory_changes_hands() {
        let mut next = random(7);
        for _ in 0..200 {
            let queues = FakeQueue::many(3);
            let usage = Usage::new();
            // Queue, access, number, and whether the host has waited for it or for something after it.
            let mut history: Vec<(usize, Access, u64, bool)> = Vec::new();
            for _ in 0..30 {
                let waiting = next(3) as usize;
                match next(8) {
                    0..3 => usage.retire().unwrap(),
                    3 if queues[waiting].newest() > 0 => {
                        queues[waiting].wait_idle().unwrap();
                        let newest = queues[waiting].newest();
                        for (other, _, number, done) in &mut history {
                            let itself = waiting == *other;
                            *done |= itself || queues[waiting].is_after(newest, &queues[*other], *number);
                        }
                    }
                    _ => {}
                }
                let (queue, access) = (next(3) as usize, [Access::Read, Access::Write][next(2) as usize]);
                let number = use_on(&usage, &queues[queue], access);
                for (other, before, other_number, done) in &history {
                    let conflict = access == Access::Write || *before == Access::Write;
                    assert!(!conflict || *done || queues[queue].is_after(number, &queues[*other], *other_number));
                }
                history.push((queue, access, number, false));
            }
        }
    }

    #[test]
    fn freeing_waits_for_every_stream_that_uses_the_memory() {
        let queues = FakeQueue::many(2);
        let usage = Usage::new();
        for queue in &queues {
            use_on(&usage, queue, Access::Read);
        }
        usage.wait().unwrap();
        assert!(queues.iter().all(|queue| queue.has_done(1)));
    }
}
