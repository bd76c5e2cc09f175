//! Asks the system for huge pages, where a run fills hundreds of megabytes: fewer page faults, and less work when the process ends.
//! With 16 cores, faults take a sixth of the processor time of a run on a GPU, and they wait for each other.
//! `docs/benchmarks/README.md` has the times.

/// Asks for huge pages for the whole pages of some elements, if these are large.
pub(crate) fn under<T>(elements: &[T]) {
    /// Less memory has hardly a whole huge page.
    const LEAST: usize = 1 << 22;
    let range = elements.as_ptr_range();
    if size_of_val(elements) >= LEAST {
        advise(range.start.addr(), range.end.addr());
    }
}

/// Makes the heaps of threads that are started later whole from the beginning, instead of a little longer with every allocation: a
/// huge page needs its whole range. For runs on a device, which fill hundreds of megabytes. Nothing is filled by this.
pub fn prepare_heaps() {
    #[cfg(all(target_os = "linux", target_env = "gnu"))]
    {
        /// The most that the library allocates from heaps, which it also reaches by itself in time.
        const LARGEST: i32 = 32 << 20;
        let options =
            [(libc::M_TOP_PAD, HEAP as i32), (libc::M_TRIM_THRESHOLD, i32::MAX), (libc::M_MMAP_THRESHOLD, LARGEST)];
        for (option, value) in options {
            // SAFETY: it sets a number that the allocator reads under its own locks. If it refuses, nothing changes.
            unsafe { libc::mallopt(option, value) };
        }
    }
}

/// The GNU C library gives threads heaps of this size, at multiples of it.
const HEAP: usize = 64 << 20;

/// Asks for huge pages for the heap from which this thread allocates. For threads that will soon fill some megabytes: others would
/// take more memory than they need. (If the allocator is another one, the advice is about other memory, or none.)
pub fn under_this_threads_heap() {
    // Not so little that it would come from memory that another thread allocated and this one freed.
    let some = std::hint::black_box(vec![0_u8; 1 << 14]);
    let begin = some.as_ptr().addr() / HEAP * HEAP;
    advise(begin, begin + HEAP);
}

#[cfg(target_os = "linux")]
fn advise(begin: usize, end: usize) {
    use rustix::mm::{Advice, madvise};
    const PAGE: usize = 1 << 12;
    let (begin, end) = (begin.next_multiple_of(PAGE), end / PAGE * PAGE);
    if begin < end {
        let address = std::ptr::without_provenance_mut(begin);
        // SAFETY: this advice changes neither the contents of pages nor who may use them, whatever they are used for. Where the
        // system does not take it, or nothing is there, nothing changes.
        let _ = unsafe { madvise(address, end - begin, Advice::LinuxHugepage) };
    }
}

#[cfg(not(target_os = "linux"))]
fn advise(_: usize, _: usize) {}
