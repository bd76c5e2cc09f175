//! Which memory holds results of launches that may turn out to have panicked.

use crate::slot::{Watch, lock};
use cuda_std::panic::KernelPanic;
use std::ops::Range;
use std::sync::Mutex;

/// The bytes of an allocation that were written by launches that may turn out to have panicked.
#[derive(Default)]
pub(crate) struct Written(Mutex<Vec<(Range<usize>, Watch)>>);

impl Written {
    /// Records work on a stream that writes `bytes` (a launch or a copy on the device), with that stream's watch from
    /// before it was queued.
    pub(crate) fn by_launch(&self, bytes: Range<usize>, watch: Watch) {
        self.by_graph(bytes, [watch]);
    }

    /// As [`by_launch`](Self::by_launch), for a launch that reports to one slot and depends on the panics of others.
    pub(crate) fn by_graph<const N: usize>(&self, bytes: Range<usize>, watches: [Watch; N]) {
        let mut parts = lock(&self.0);
        parts.retain(|(part, _)| !(bytes.start <= part.start && part.end <= bytes.end));
        for watch in watches {
            match parts.iter_mut().find(|(_, known)| known.same(&watch)) {
                Some((part, _)) => *part = part.start.min(bytes.start)..part.end.max(bytes.end),
                None => parts.push((bytes.clone(), watch)),
            }
        }
    }

    /// Forgets everything: the memory's new user is independent of earlier results.
    pub(crate) fn forget(&self) {
        lock(&self.0).clear();
    }

    /// Records that the host wrote `bytes`.
    pub(crate) fn by_host(&self, bytes: &Range<usize>) {
        lock(&self.0).retain(|(part, _)| !(bytes.start <= part.start && part.end <= bytes.end));
    }

    /// The panic of a launch that wrote some of `bytes`.
    pub(crate) fn panic(&self, bytes: &Range<usize>) -> Option<KernelPanic> {
        let parts = lock(&self.0);
        parts.iter().filter(|(part, _)| overlap(part, bytes)).find_map(|(_, watch)| watch.panic())
    }

    /// As [`panic`](Self::panic), if it was reported.
    ///
    /// Checked before work is queued that reads them: unreported panics are found when that work is waited for.
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
