//! Who uses a piece of device memory, and in which order.
//!
//! Every allocation notes which work of which stream read or wrote it. Work on another stream that must come
//! later first waits, on the device, for that stream. Nothing is recorded per launch but a number: the event
//! that a wait needs is made when the wait is.

use crate::CudaError;
use crate::slot::{Watch, lock};
use cuda_std::panic::KernelPanic;
use std::ops::Range;
use std::sync::Mutex;

/// Something that work is queued on: a stream.
pub(crate) trait Lane: Clone {
    /// Whether both are one.
    fn is(&self, other: &Self) -> bool;
    /// Number of the newest work queued on it.
    fn newest(&self) -> u64;
    /// Whether the host knows that it is done with work number `work`.
    fn has_done(&self, work: u64) -> bool;
    /// Makes what is queued on `self` from now on begin after `other` has done work number `work`.
    fn follow(&self, other: &Self, work: u64) -> Result<(), CudaError>;
    /// Waits until everything queued on it until now is done.
    fn wait_idle(&self) -> Result<(), CudaError>;
}

/// What work does to memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Access {
    Read,
    Write,
}

struct Mark<L> {
    lane: L,
    access: Access,
    work: u64,
    sequence: u64,
}

struct Marks<L> {
    sequence: u64,
    marks: Vec<Mark<L>>,
}

/// Uses of one allocation. [`begin`](Self::begin) before work is queued, [`end`](Self::end) after.
pub(crate) struct Usage<L>(Mutex<Marks<L>>);

/// What [`Usage::begin`] has waited for.
#[derive(Clone, Copy)]
pub(crate) struct Begun(u64);

impl<L: Lane> Usage<L> {
    pub(crate) fn new() -> Self {
        Self(Mutex::new(Marks { sequence: 0, marks: Vec::new() }))
    }

    /// Makes work that is now queued on `lane` come after all work that it conflicts with.
    pub(crate) fn begin(&self, lane: &L, access: Access) -> Result<Begun, CudaError> {
        let marks = lock(&self.0);
        for mark in &marks.marks {
            let conflicts = access == Access::Write || mark.access == Access::Write;
            if conflicts && !mark.lane.is(lane) && !mark.lane.has_done(mark.work) {
                lane.follow(&mark.lane, mark.work)?;
            }
        }
        Ok(Begun(marks.sequence))
    }

    /// Notes the work that was queued on `lane` since `begun`.
    ///
    /// Other threads may have begun and ended uses of other parts in between: their marks stay.
    pub(crate) fn end(&self, lane: &L, access: Access, begun: Begun) {
        let mut marks = lock(&self.0);
        if access == Access::Write {
            // Whoever comes after this write comes after what this write came after.
            marks.marks.retain(|mark| mark.sequence >= begun.0);
        }
        let sequence = marks.sequence;
        marks.sequence += 1;
        let work = lane.newest();
        match marks.marks.iter_mut().find(|mark| mark.access == access && mark.lane.is(lane)) {
            Some(mark) => (mark.work, mark.sequence) = (work, sequence),
            None => marks.marks.push(Mark { lane: lane.clone(), access, work, sequence }),
        }
    }

    /// Waits until nobody uses the memory any more.
    pub(crate) fn wait(&self) -> Result<(), CudaError> {
        for mark in &lock(&self.0).marks {
            if !mark.lane.has_done(mark.work) {
                mark.lane.wait_idle()?;
            }
        }
        Ok(())
    }
}

/// Which bytes of an allocation were written by launches that may turn out to have panicked.
#[derive(Default)]
pub(crate) struct Written(Mutex<Vec<(Range<usize>, Watch)>>);

impl Written {
    /// Notes work on a stream that writes `bytes`, a launch or a copy on the device, and that stream's watch from
    /// before it was queued.
    pub(crate) fn by_launch(&self, bytes: Range<usize>, watch: Watch) {
        let mut parts = lock(&self.0);
        parts.retain(|(part, _)| !(bytes.start <= part.start && part.end <= bytes.end));
        match parts.iter_mut().find(|(_, known)| known.same(&watch)) {
            Some((part, _)) => *part = part.start.min(bytes.start)..part.end.max(bytes.end),
            None => parts.push((bytes, watch)),
        }
    }

    /// Notes that `bytes` were written by the host.
    pub(crate) fn by_host(&self, bytes: &Range<usize>) {
        lock(&self.0).retain(|(part, _)| !(bytes.start <= part.start && part.end <= bytes.end));
    }

    /// The panic of a launch that wrote some of `bytes`.
    pub(crate) fn panic(&self, bytes: &Range<usize>) -> Option<KernelPanic> {
        let parts = lock(&self.0);
        parts.iter().filter(|(part, _)| overlap(part, bytes)).find_map(|(_, watch)| watch.panic())
    }

    /// As [`panic`](Self::panic), if somebody was told of it.
    ///
    /// Asked before work is queued that reads them: what is not known yet is found when that work is waited for.
    pub(crate) fn known_panic(&self, bytes: &Range<usize>) -> Option<KernelPanic> {
        let parts = lock(&self.0);
        parts.iter().filter(|(part, _)| overlap(part, bytes)).find_map(|(_, watch)| watch.known_panic())
    }
}

fn overlap(a: &Range<usize>, b: &Range<usize>) -> bool {
    a.start < b.end && b.start < a.end
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::slot::Slot;
    use std::cell::RefCell;
    use std::rc::Rc;

    /// A stream that notes what its work waits for: for each lane, how much of it is done before.
    #[derive(Clone)]
    struct FakeLane(Rc<Fake>);

    struct Fake {
        index: usize,
        state: RefCell<State>,
    }

    #[derive(Default)]
    struct State {
        /// What comes before the next work: `after[lane]` pieces of each lane.
        after: Vec<u64>,
        /// The same for each piece of work queued.
        work: Vec<Vec<u64>>,
        done: u64,
    }

    impl FakeLane {
        fn many(n: usize) -> Vec<Self> {
            let state = || RefCell::new(State { after: vec![0; n], ..State::default() });
            (0..n).map(|index| Self(Rc::new(Fake { index, state: state() }))).collect()
        }

        fn queue(&self) -> u64 {
            let mut state = self.0.state.borrow_mut();
            let before = state.after.clone();
            state.work.push(before);
            let number = state.work.len() as u64;
            state.after[self.0.index] = number;
            number
        }

        /// Whether work `number` of this lane comes after work `other_number` of `other`.
        fn is_after(&self, number: u64, other: &Self, other_number: u64) -> bool {
            self.0.state.borrow().work[number as usize - 1][other.0.index] >= other_number
        }
    }

    impl Lane for FakeLane {
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
            let mut state = self.0.state.borrow_mut();
            for (mine, theirs) in state.after.iter_mut().zip(theirs) {
                *mine = theirs.max(*mine);
            }
            Ok(())
        }
        fn wait_idle(&self) -> Result<(), CudaError> {
            let mut state = self.0.state.borrow_mut();
            state.done = state.work.len() as u64;
            Ok(())
        }
    }

    #[test]
    fn conflicting_work_is_ordered_whatever_streams_it_is_on() {
        let mut random = 1u64;
        let mut next = |n: u64| {
            random = random.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
            (random >> 33) % n
        };
        for _ in 0..200 {
            let lanes = FakeLane::many(3);
            let usage = Usage::new();
            let mut history: Vec<(FakeLane, Access, u64)> = Vec::new();
            for _ in 0..20 {
                let lane = &lanes[next(3) as usize];
                let access = if next(2) == 0 { Access::Read } else { Access::Write };
                let begun = usage.begin(lane, access).unwrap();
                let number = lane.queue();
                usage.end(lane, access, begun);
                for (other, before, other_number) in &history {
                    let conflict = access == Access::Write || *before == Access::Write;
                    assert!(!conflict || lane.is_after(number, other, *other_number));
                }
                history.push((lane.clone(), access, number));
            }
        }
    }

    #[test]
    fn reads_do_not_wait_for_reads() {
        let lanes = FakeLane::many(2);
        let usage = Usage::new();
        for lane in &lanes {
            let begun = usage.begin(lane, Access::Read).unwrap();
            lane.queue();
            usage.end(lane, Access::Read, begun);
        }
        assert!(!lanes[1].is_after(1, &lanes[0], 1));
    }

    #[test]
    fn a_write_that_ends_late_keeps_marks_that_came_in_between() {
        // Two threads write two halves of one buffer; the third use must come after both.
        let lanes = FakeLane::many(3);
        let usage = Usage::new();
        let first = usage.begin(&lanes[0], Access::Write).unwrap();
        let second = usage.begin(&lanes[1], Access::Write).unwrap();
        lanes[0].queue();
        lanes[1].queue();
        usage.end(&lanes[0], Access::Write, first);
        usage.end(&lanes[1], Access::Write, second);
        let begun = usage.begin(&lanes[2], Access::Read).unwrap();
        lanes[2].queue();
        usage.end(&lanes[2], Access::Read, begun);
        assert!(lanes[2].is_after(1, &lanes[0], 1) && lanes[2].is_after(1, &lanes[1], 1));
    }

    #[test]
    fn freeing_waits_for_every_stream_that_uses_the_memory() {
        let lanes = FakeLane::many(2);
        let usage = Usage::new();
        for lane in &lanes {
            let begun = usage.begin(lane, Access::Read).unwrap();
            lane.queue();
            usage.end(lane, Access::Read, begun);
        }
        usage.wait().unwrap();
        assert!(lanes.iter().all(|lane| lane.has_done(1)));
    }

    #[test]
    fn what_a_panicked_launch_wrote_is_known_until_it_is_written_again() {
        let slot = Slot::without_device();
        let written = Written::default();
        written.by_launch(0..100, Watch::new(&slot));
        written.by_launch(200..300, Watch::new(&slot));
        assert_eq!(written.panic(&(0..300)), None);
        slot.panic_in("usage_test", 5);
        assert_eq!(written.panic(&(99..101)).expect("panicked").line, 5);
        written.by_host(&(0..50));
        assert!(written.panic(&(0..100)).is_some(), "a part is still the launch's");
        written.by_host(&(0..300));
        assert_eq!(written.panic(&(0..300)), None);

        written.by_launch(0..100, Watch::new(&slot));
        assert_eq!(written.panic(&(0..100)), None, "a new launch is not the one that panicked");
        slot.panic_in("usage_test", 6);
        assert_eq!(written.known_panic(&(0..1)), None, "nobody has looked");
        assert_eq!(written.panic(&(100..101)), None, "beyond what the launch wrote");
        assert_eq!(written.panic(&(0..1)).expect("panicked").line, 6);
        assert_eq!(written.known_panic(&(0..1)).expect("known now").line, 6);
    }
}
