//! Other schedules for kernels, which the environment asks for: see [`cuda_ptx::schedule`].
//!
//! With the variable `CUDA_SCHEDULE_SEED=17`, modules are loaded as PTX with delays, and each launch sets the seed of its delays
//! on its stream: a hash of the number, the kernel's name, and how many launches of that kernel were before. With
//! `CUDA_SCHEDULE_REPORT=FILE`, a line `KERNEL SEED` is added to the file for each launch.
//!
//! `CUDA_SCHEDULE_REPEAT=N` runs launches several times: see [`mod@repeats`].
//!
//! The seed is a variable of the module. If launches of one module overlap on several streams, a kernel may see that of another
//! launch, and so have other delays, which are as good; only repeating them is then a matter of chance.

mod repeats;

pub(crate) use repeats::Output;

use crate::driver::{CUdeviceptr, CUmodule};
use crate::slot::lock;
use crate::{Context, CudaError, Stream};
use cuda_ptx::schedule::{SEED, Scheduled, Site, with_delays};
use cuda_std::launch::schedule_seed;
use std::collections::{HashMap, HashSet};
use std::env;
use std::ffi::CString;
use std::fs::File;
use std::io::Write as _;
use std::sync::{Mutex, OnceLock};

/// The variable with the name of the file that lists launches.
const REPORT: &str = "CUDA_SCHEDULE_REPORT";
/// The variable with the number of times that a kernel's first launch runs before it runs for good.
const REPEAT: &str = "CUDA_SCHEDULE_REPEAT";

/// What the environment asks for.
pub(crate) struct Schedules {
    seed: u64,
    repeats: u64,
    report: Option<(String, Mutex<File>)>,
    /// How many schedules of each kernel there were.
    launches: Mutex<HashMap<&'static str, u64>>,
    /// How many launches of each kernel were repeated.
    repeated: Mutex<HashMap<&'static str, u64>>,
}

/// The schedules that the environment asks for, if it does. It is read once.
pub(crate) fn schedules() -> Result<Option<&'static Schedules>, CudaError> {
    static SCHEDULES: OnceLock<Result<Option<Schedules>, CudaError>> = OnceLock::new();
    let read = || {
        let Some(seed) = schedule_seed()? else { return Ok(None) };
        let report = env::var_os(REPORT).map(|file| file.to_string_lossy().into_owned());
        Schedules::new(seed, repeats()?, report).map(Some)
    };
    SCHEDULES.get_or_init(read).as_ref().map(Option::as_ref).map_err(Clone::clone)
}

impl Schedules {
    fn new(seed: u64, repeats: u64, report: Option<String>) -> Result<Self, CudaError> {
        let open = |file: String| {
            let opened = File::options().append(true).create(true).open(&file);
            opened.map_or_else(|error| Err(unwritten(&file, &error)), |opened| Ok((file.clone(), Mutex::new(opened))))
        };
        Ok(Self {
            seed,
            repeats,
            report: report.map(open).transpose()?,
            launches: Mutex::default(),
            repeated: Mutex::default(),
        })
    }

    /// How often the next launch of a kernel runs before it runs for good: N times if it is the kernel's first, N/2 if it is its
    /// second, and so on. So a kernel that many tests launch takes no longer than one that few do, by much.
    fn repeats(&self, kernel: &'static str) -> u64 {
        let mut repeated = lock(&self.repeated);
        let number = repeated.entry(kernel).or_default();
        *number += 1;
        self.repeats.div_ceil(*number)
    }

    /// The text with delays, and where it has them.
    pub(crate) fn scheduled(&self, module: &str, ptx: &str) -> Result<Scheduled, CudaError> {
        with_delays(ptx).map_err(|error| CudaError::Schedule {
            operation: format!("adding delays to the PTX of module `{module}`, because CUDA_SCHEDULE_SEED is set"),
            problem: error.to_string(),
        })
    }

    /// The seed for launching `kernels` together, which is never zero.
    fn next(&self, kernels: &[&'static str]) -> Result<u32, CudaError> {
        let first = kernels.first().copied().unwrap_or_default();
        let number = {
            let mut launches = lock(&self.launches);
            let number = launches.entry(first).or_default();
            *number += 1;
            *number
        };
        let name = first.bytes().fold(0xcbf2_9ce4_8422_2325, |hash: u64, byte| {
            (hash ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3)
        });
        let seed = mixed(mixed(self.seed) ^ mixed(name) ^ number) as u32;
        let seed = seed.max(1);
        if let Some((file, opened)) = &self.report {
            let lines: String = kernels.iter().map(|kernel| format!("{kernel} {seed:08x}\n")).collect();
            // One call, so that lines of several processes are not mixed.
            lock(opened).write_all(lines.as_bytes()).map_err(|error| unwritten(file, &error))?;
        }
        Ok(seed)
    }
}

/// How often a kernel's first launch runs before it runs for good.
fn repeats() -> Result<u64, CudaError> {
    let Some(value) = env::var_os(REPEAT) else { return Ok(0) };
    let value = value.to_string_lossy();
    value.parse().map_err(|_| CudaError::Schedule {
        operation: format!("reading the variable {REPEAT}"),
        problem: format!("it is `{value}`, and should be a number"),
    })
}

fn unwritten(file: &str, error: &std::io::Error) -> CudaError {
    CudaError::Schedule {
        operation: format!("listing a launch in `{file}`, because of the variable {REPORT}"),
        problem: error.to_string(),
    }
}

/// A step of SplitMix64 (Steele et al. 2014).
fn mixed(state: u64) -> u64 {
    let z = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
    let z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ (z >> 31)
}

/// The seed's variable in a loaded module.
pub(crate) struct Delays {
    schedules: &'static Schedules,
    address: CUdeviceptr,
    /// The kernels with atomic operations.
    atomic: HashSet<String>,
    /// Whether a function that kernels call has some, but for the one that reports panics.
    calls_atomic: bool,
}

/// The name of the function that reports panics ends with it.
const PANICS: &str = "rust_begin_unwind";

impl Delays {
    /// Finds the variable.
    pub(crate) fn of(
        schedules: &'static Schedules,
        context: &Context,
        module: &str,
        raw: CUmodule,
        scheduled: &Scheduled,
        entries: &[String],
    ) -> Result<Self, CudaError> {
        let name = CString::new(SEED).unwrap_or_default();
        let driver = context.driver();
        let (mut address, mut bytes) = (0, 0);
        // SAFETY: writes two numbers; the name ends with a NUL.
        unsafe { driver.module_get_global(&raw mut address, &raw mut bytes, raw, name.as_ptr()) }
            .check(driver, || format!("finding the seed of schedules in module `{module}`"))?;
        if bytes != size_of::<u32>() {
            let operation = format!("finding the seed of schedules in module `{module}`");
            return Err(CudaError::Schedule { operation, problem: format!("it has {bytes} bytes") });
        }
        let (mut atomic, mut calls_atomic) = (HashSet::new(), false);
        for (function, _) in scheduled.sites.iter().filter(|(_, sites)| sites.contains_key(&Site::Atomic)) {
            if entries.contains(function) {
                atomic.insert(function.clone());
            } else {
                calls_atomic |= !function.ends_with(PANICS);
            }
        }
        Ok(Self { schedules, address, atomic, calls_atomic })
    }

    /// Whether a kernel's results may depend on the order of its threads.
    fn depends_on_order(&self, kernel: &str) -> bool {
        self.calls_atomic || self.atomic.contains(kernel)
    }

    /// Sets the seed for launching `kernels` next on a stream, on which the context is current. Returns it.
    pub(crate) fn before(&self, kernels: &[&'static str], stream: &Stream) -> Result<u32, CudaError> {
        let seed = self.schedules.next(kernels)?;
        // SAFETY: four bytes of the module, which is loaded; kernels only read them, and no other memory is affected.
        let code = unsafe { stream.driver().memset_d32_async(self.address, seed, 1, stream.raw()) };
        stream.check(code, || format!("setting the seed of schedules for {kernels:?}"))?;
        Ok(seed)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn seeds(seed: u64, kernel: &'static str) -> Vec<u32> {
        let schedules = Schedules::new(seed, 0, None).unwrap();
        (0..100).map(|_| schedules.next(&[kernel]).unwrap()).collect()
    }

    #[test]
    fn each_launch_of_a_kernel_has_its_own_seed_and_repeats_it() {
        let mut all = [seeds(1, "a"), seeds(2, "a"), seeds(1, "b")].concat();
        assert_eq!(all, [seeds(1, "a"), seeds(2, "a"), seeds(1, "b")].concat());
        all.sort_unstable();
        all.dedup();
        assert!(all.len() == 300 && !all.contains(&0));
    }

    #[test]
    fn other_kernels_do_not_change_the_seeds_of_a_kernel() {
        let schedules = Schedules::new(1, 0, None).unwrap();
        let found: Vec<_> = (0..100)
            .map(|_| {
                schedules.next(&["b"]).unwrap();
                schedules.next(&["a"]).unwrap()
            })
            .collect();
        assert_eq!(found, seeds(1, "a"));
    }

    #[test]
    fn later_launches_of_a_kernel_are_repeated_less_often() {
        let schedules = Schedules::new(1, 10, None).unwrap();
        assert_eq!([(); 5].map(|()| schedules.repeats("a")), [10, 5, 4, 3, 2]);
        assert_eq!(schedules.repeats("b"), 10);
        assert_eq!(Schedules::new(1, 0, None).unwrap().repeats("a"), 0);
    }

    #[test]
    fn launches_are_listed_and_a_file_that_cannot_be_written_is_named() {
        let file = env::temp_dir().join(format!("schedules-{}", std::process::id()));
        let name = file.to_string_lossy().into_owned();
        let schedules = Schedules::new(5, 0, Some(name)).unwrap();
        let one = schedules.next(&["first"]).unwrap();
        let two = schedules.next(&["second", "first"]).unwrap();
        let text = std::fs::read_to_string(&file).unwrap();
        std::fs::remove_file(&file).unwrap();
        assert_eq!(text, format!("first {one:08x}\nsecond {two:08x}\nfirst {two:08x}\n"));

        let error = Schedules::new(5, 0, Some("/no folder/report".to_owned())).err().unwrap().to_string();
        assert!(error.contains("/no folder/report") && error.contains(REPORT), "{error}");
    }

    #[test]
    fn text_that_gets_no_delays_is_an_error_with_module_and_line() {
        let schedules = Schedules::new(5, 0, None).unwrap();
        let error =
            schedules.scheduled("m", ".version 6.0\n.target sm_75\n.address_size 64\n").unwrap_err().to_string();
        assert!(error.contains("`m`") && error.contains("line 1") && error.contains("CUDA_SCHEDULE_SEED"), "{error}");
    }
}
