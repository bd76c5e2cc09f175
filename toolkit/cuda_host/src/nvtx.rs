//! Named ranges in the timelines of NVIDIA's profilers, with the feature `nvtx`.
//!
//! They need NVIDIA's library: `libnvtx3interop`, which comes with the Python package `nvidia-nvtx` and with profilers, or
//! `libnvToolsExt` of CUDA toolkits up to 12. If neither is found, a range does nothing.

use libloading::Library;
use std::ffi::{CString, c_char};
use std::fmt;
use std::sync::OnceLock;

/// The library's files.
const NAMES: &[&str] = if cfg!(windows) {
    &["nvToolsExt64_1.dll"]
} else {
    &["libnvtx3interop.so.1", "libnvtx3interop.so", "libnvToolsExt.so.1", "libnvToolsExt.so"]
};

/// Functions of the library, which is never unloaded.
struct Functions {
    begin: unsafe extern "C" fn(*const c_char) -> u64,
    end: unsafe extern "C" fn(u64),
}

impl Functions {
    fn load() -> Option<Self> {
        // SAFETY: NVIDIA's library by its name. When it is loaded, it only looks for a profiler.
        let library = NAMES.iter().find_map(|name| unsafe { Library::new(*name) }.ok())?;
        // SAFETY: the functions have these types in its headers, and the library is never unloaded.
        let functions = unsafe {
            let (begin, end) = (library.get(b"nvtxRangeStartA\0").ok()?, library.get(b"nvtxRangeEnd\0").ok()?);
            Self { begin: *begin, end: *end }
        };
        std::mem::forget(library);
        Some(functions)
    }

    fn get() -> Option<&'static Self> {
        static FUNCTIONS: OnceLock<Option<Functions>> = OnceLock::new();
        FUNCTIONS.get_or_init(Self::load).as_ref()
    }
}

/// A range of a program's time, from [`begin`](Self::begin) until it is dropped, in any thread.
///
/// ```
/// use cuda_host::nvtx::Range;
///
/// let range = Range::begin("batch 7");
/// // Launches, copies, whatever takes time.
/// drop(range);
/// ```
///
/// A profiler counts only what is in a range, or shows ranges beside the device's work:
///
/// ```sh
/// ncu --nvtx --nvtx-include "batch 7" ./program
/// nsys profile --trace=cuda,nvtx ./program
/// ```
///
/// Without a profiler, `NVTX_INJECTION64_PATH` names a library that gets the ranges.
#[must_use = "it ends when it is dropped"]
pub struct Range(Option<(&'static Functions, u64)>);

impl Range {
    /// Begins a range.
    pub fn begin(name: &str) -> Self {
        Self(Functions::get().map(|functions| {
            let name = CString::new(name.replace('\0', " ")).expect("zeroes have been replaced");
            // SAFETY: the text ends with zero, and the library copies it.
            (functions, unsafe { (functions.begin)(name.as_ptr()) })
        }))
    }

    /// Whether the library was found, so that a profiler can see the range.
    #[must_use]
    pub fn is_visible(&self) -> bool {
        self.0.is_some()
    }
}

impl Drop for Range {
    fn drop(&mut self) {
        if let Some((functions, number)) = self.0 {
            // SAFETY: a range that has begun and ends once.
            unsafe { (functions.end)(number) };
        }
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

    /// `NVTX_REQUIRE` says that the library is there.
    #[test]
    fn a_range_needs_no_library() {
        let (outer, inner) = (Range::begin("outer"), Range::begin("a name with a zero: \0"));
        assert_eq!(outer.is_visible(), inner.is_visible());
        assert!(outer.is_visible() || std::env::var_os("NVTX_REQUIRE").is_none(), "the library was not found");
    }
}
