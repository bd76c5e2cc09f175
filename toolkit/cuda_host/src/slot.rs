//! Where a stream's kernels report a panic, and which results it makes invalid.

use crate::host_memory::HostMemory;
use crate::{Context, CudaError};
use bytemuck::Zeroable;
use cuda_std::panic::{KernelPanic, PANIC_NONE, PANIC_RECORDED, PanicRecord};
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// A lock that stays usable after another thread's panic: its data are valid after every statement.
pub(crate) fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// A stream's panic record, in memory that host and device both access.
///
/// Reading a record moves the slot to its next *generation*. A caller that knows the generation before a launch can tell
/// later whether that launch may have panicked, even if the panic was reported elsewhere.
pub(crate) struct Slot {
    record: *mut PanicRecord,
    device_address: u64,
    reported: Mutex<Reported>,
    _memory: Option<HostMemory>,
}

// SAFETY: the record is read under the lock, and written by the device as `PanicRecord` describes.
unsafe impl Send for Slot {}
// SAFETY: as above.
unsafe impl Sync for Slot {}

#[derive(Default)]
struct Reported {
    generation: u64,
    last: Option<KernelPanic>,
}

impl Slot {
    pub(crate) fn new(context: &Context) -> Result<Self, CudaError> {
        let memory = HostMemory::new(context, size_of::<PanicRecord>())?;
        let device_address = memory.device_address()?;
        let record = memory.pointer().as_ptr().cast();
        Ok(Self { record, device_address, reported: Mutex::default(), _memory: Some(memory) })
    }

    /// The address that a launch passes to its kernel.
    pub(crate) fn device_address(&self) -> u64 {
        self.device_address
    }

    /// Reads and clears the record, and returns the generation.
    ///
    /// A kernel may run on the slot's stream at the same time: nothing writes a complete record until it is cleared, and a
    /// panic after that is a new one.
    fn poll(&self) -> MutexGuard<'_, Reported> {
        let mut reported = lock(&self.reported);
        // SAFETY: the record lives as long as the slot; the host reads it under the lock.
        unsafe {
            let state = AtomicU32::from_ptr(&raw mut (*self.record).state);
            if state.load(Ordering::Acquire) == PANIC_RECORDED {
                reported.last = self.record.read_volatile().read(kernel_name);
                reported.generation += 1;
                // Also clears the texts' lengths, which the device does not set without a text. The state is last, because
                // it returns the record to the device.
                let mut empty = PanicRecord::zeroed();
                empty.state = PANIC_RECORDED;
                self.record.write_volatile(empty);
                state.store(PANIC_NONE, Ordering::Release);
            }
        }
        reported
    }

    /// Checks for panics that happened so far.
    pub(crate) fn look(&self) {
        drop(self.poll());
    }

    /// Treats the slot's stream as if `panic` had happened on it: its work depends on that of the kernel.
    pub(crate) fn taint(&self, panic: KernelPanic) {
        let mut reported = lock(&self.reported);
        reported.generation += 1;
        reported.last = Some(panic);
    }
}

/// Watches a slot from a certain time on.
#[derive(Clone)]
pub(crate) struct Watch {
    slot: Arc<Slot>,
    generation: u64,
}

impl Watch {
    pub(crate) fn new(slot: &Arc<Slot>) -> Self {
        Self { slot: slot.clone(), generation: lock(&slot.reported).generation }
    }

    /// The last panic since the watch began that was reported.
    pub(crate) fn known_panic(&self) -> Option<KernelPanic> {
        let reported = lock(&self.slot.reported);
        if reported.generation == self.generation { None } else { reported.last.clone() }
    }

    /// The last panic since the watch began; checks for new ones.
    pub(crate) fn panic(&self) -> Option<KernelPanic> {
        self.slot.look();
        self.known_panic()
    }

    /// As [`panic`](Self::panic), and restarts the watch.
    pub(crate) fn take_panic(&mut self) -> Option<KernelPanic> {
        let reported = self.slot.poll();
        if reported.generation == self.generation {
            return None;
        }
        self.generation = reported.generation;
        reported.last.clone()
    }

    /// Whether both watch the same slot.
    pub(crate) fn is_of_slot(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.slot, &other.slot)
    }

    /// Moves the watch's beginning to that of another watch of the slot, if that is later.
    pub(crate) fn skip_what_was_seen(&mut self, other: &Self) {
        if self.is_of_slot(other) {
            self.generation = self.generation.max(other.generation);
        }
    }

    /// Whether both watch the same slot from the same time on.
    pub(crate) fn same(&self, other: &Self) -> bool {
        self.is_of_slot(other) && self.generation == other.generation
    }
}

static NAMES: Mutex<Vec<&'static str>> = Mutex::new(Vec::new());

/// The number of a kernel for the device.
pub(crate) fn kernel_id(name: &'static str) -> u32 {
    let mut names = lock(&NAMES);
    let index = names.iter().position(|known| *known == name).unwrap_or_else(|| {
        names.push(name);
        names.len() - 1
    });
    index as u32
}

/// The kernel with a number.
pub(crate) fn kernel_name(id: u32) -> String {
    lock(&NAMES).get(id as usize).map_or_else(|| format!("number {id}"), |name| (*name).to_owned())
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;

    impl Slot {
        /// A slot without a device.
        pub(crate) fn without_device() -> Arc<Self> {
            let record = Box::leak(Box::new(PanicRecord::zeroed()));
            Arc::new(Self { record, device_address: 0, reported: Mutex::default(), _memory: None })
        }

        /// Simulates a kernel's first panic.
        pub(crate) fn panic_in(&self, kernel: &'static str, line: u32) {
            // SAFETY: the test's own record.
            let record = unsafe { &mut *self.record };
            if record.state == PANIC_NONE {
                record.kernel = kernel_id(kernel);
                record.line = line;
                record.state = PANIC_RECORDED;
            }
        }
    }

    #[test]
    fn a_panic_is_reported_to_every_watch_once_and_to_none_that_began_later() {
        let slot = Slot::without_device();
        let (mut first, second) = (Watch::new(&slot), Watch::new(&slot));
        assert_eq!(first.take_panic(), None);
        slot.panic_in("slot_test", 7);
        let panic = first.take_panic().expect("reported");
        assert_eq!((panic.kernel.as_str(), panic.line), ("slot_test", 7));
        assert_eq!(first.take_panic(), None);
        assert_eq!(second.panic(), Some(panic));
        assert_eq!(Watch::new(&slot).panic(), None);
    }

    #[test]
    fn the_record_is_free_again_after_it_was_read() {
        let slot = Slot::without_device();
        let mut watch = Watch::new(&slot);
        slot.panic_in("slot_test", 1);
        slot.panic_in("slot_test", 2);
        assert_eq!(watch.take_panic().expect("the first panic").line, 1);
        slot.panic_in("slot_test", 3);
        assert_eq!(watch.take_panic().expect("a new panic").line, 3);
    }

    #[test]
    fn a_panic_that_was_seen_is_skipped_and_a_later_one_is_not() {
        let (slot, another) = (Slot::without_device(), Slot::without_device());
        let old = Watch::new(&slot);
        slot.panic_in("slot_test", 1);
        let mut seen = old.clone();
        assert!(seen.take_panic().is_some());
        let mut inherited = old.clone();
        inherited.skip_what_was_seen(&Watch::new(&another));
        assert!(inherited.clone().take_panic().is_some(), "another slot's panics are others");
        inherited.skip_what_was_seen(&seen);
        assert_eq!(inherited.take_panic(), None);
        slot.panic_in("slot_test", 2);
        assert_eq!(inherited.take_panic().expect("a new one").line, 2);
        seen.skip_what_was_seen(&old);
        assert_eq!(seen.take_panic().expect("an older watch takes nothing back").line, 2);
    }

    #[test]
    fn a_kernel_keeps_its_number() {
        let (a, b) = (kernel_id("slot_test_a"), kernel_id("slot_test_b"));
        assert_ne!(a, b);
        assert_eq!(kernel_id("slot_test_a"), a);
        assert_eq!(kernel_name(b), "slot_test_b");
        assert_eq!(kernel_name(u32::MAX), "number 4294967295");
    }
}
