//! Ranges with names in the timeline of Nsight Systems, by the feature `nvtx`.
//!
//! They need NVIDIA's library `libnvToolsExt`, which comes with CUDA toolkits up to 12 and with profilers. Where it is not found, a range
//! does nothing.

use cudarc::nvtx::{safe, sys};
use std::fmt;
use std::sync::OnceLock;

/// A range of a program's time, from [`begin`](Self::begin) until it is dropped.
///
/// ```
/// use cuda_host::nvtx::Range;
///
/// let range = Range::begin("batch 7");
/// // Launches, copies, whatever takes time.
/// drop(range);
/// ```
#[must_use = "it ends when it is dropped"]
pub struct Range(Option<safe::Range>);

impl Range {
    /// Begins a range.
    pub fn begin(name: &str) -> Self {
        static IS_THERE: OnceLock<bool> = OnceLock::new();
        // SAFETY: loads NVIDIA's library by its name, as the ranges themselves do.
        let is_there = *IS_THERE.get_or_init(|| unsafe { sys::is_culib_present() });
        Self(is_there.then(|| safe::scoped_range(name.replace('\0', " "))))
    }

    /// Whether a profiler can see it: the library was found.
    #[must_use]
    pub fn is_visible(&self) -> bool {
        self.0.is_some()
    }
}

impl fmt::Debug for Range {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Range").field("is_visible", &self.is_visible()).finish()
    }
}

#[cfg(test)]
mod tests {
    use super::Range;

    #[test]
    fn a_range_needs_no_library() {
        let (outer, inner) = (Range::begin("outer"), Range::begin("a name with a zero: \0"));
        assert_eq!(outer.is_visible(), inner.is_visible());
    }
}
