//! Errors, and what to do about them.

mod advice;

pub(crate) use advice::advice;

use crate::description::Difference;
use cuda_std::launch::LaunchError;
use cuda_std::panic::KernelPanic;
use std::ops::Range;

/// Why an operation on a GPU failed.
///
/// Every message names the failed operation with its sizes, and says what to do.
///
/// ```
/// use cuda_host::{CudaError, Device};
///
/// let error = CudaError::NoSuchDevice { ordinal: 3, count: 1 };
/// assert_eq!(error.to_string(), "no CUDA device 3: this machine has 1, numbered from 0");
/// // There is a GPU, and less work would not help.
/// assert!(!error.is_unavailable() && !error.is_out_of_memory() && !error.is_context_lost());
/// assert!(error.kernel_panic().is_none());
/// assert!(CudaError::NoLibrary.is_unavailable());
/// ```
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum CudaError {
    /// This machine has no CUDA driver library.
    #[error("no CUDA library on this machine (libcuda.so.1, nvcuda.dll); install NVIDIA's driver, or run on CPU cores")]
    NoLibrary,
    /// The driver library lacks a function.
    #[error("the NVIDIA driver is too old: its library has no `{symbol}`; install driver 525 (CUDA 12.0) or later")]
    DriverTooOld {
        /// The function.
        symbol: &'static str,
    },
    /// There is a driver, but no GPU that it may use.
    #[error("no CUDA device: the driver reports {name}; see `nvidia-smi` and the variable CUDA_VISIBLE_DEVICES")]
    NoDevice {
        /// CUDA's name for the error.
        name: String,
    },
    /// A device number that is too high.
    #[error("no CUDA device {ordinal}: this machine has {count}, numbered from 0")]
    NoSuchDevice {
        /// The requested number.
        ordinal: usize,
        /// The number of devices.
        count: usize,
    },
    /// A device that the kernels are not compiled for.
    #[error(
        "CUDA device {ordinal} ({name}) has compute capability {}.{}, but at least {}.{} is needed; choose another device, or run on CPU cores",
        found.0, found.1, needed.0, needed.1
    )]
    DeviceTooOld {
        /// The device's number.
        ordinal: usize,
        /// Its name.
        name: String,
        /// Its compute capability.
        found: (u32, u32),
        /// The lowest one that works.
        needed: (u32, u32),
    },
    /// Device or page-locked memory has run out.
    #[error(
        "{operation}: out of memory (CUDA_ERROR_OUT_OF_MEMORY): {bytes} bytes wanted, {free} of the device's {total} free; use smaller batches, or free buffers"
    )]
    OutOfMemory {
        /// The operation that failed.
        operation: String,
        /// Requested bytes.
        bytes: usize,
        /// Bytes free on the device.
        free: usize,
        /// Bytes of the device.
        total: usize,
    },
    /// Page-locked memory has run out.
    #[error(
        "allocating {bytes} bytes of page-locked memory: out of memory (CUDA_ERROR_OUT_OF_MEMORY); use smaller staging buffers, or let the process lock more pages (`ulimit -l`)"
    )]
    OutOfPinnedMemory {
        /// Requested bytes.
        bytes: usize,
    },
    /// The limit of a pool is reached.
    #[error(
        "a pool has less than {bytes} bytes left: {in_use} of its limit of {limit} are in use; drop buffers, or give the pool a higher limit"
    )]
    PoolLimit {
        /// Requested bytes.
        bytes: usize,
        /// Bytes in use by buffers.
        in_use: usize,
        /// Most bytes of the pool.
        limit: usize,
    },
    /// A source of memory returned a block that is too small.
    #[error("a pool's source of memory gave {given} bytes instead of {bytes}; correct the source")]
    ShortBlock {
        /// Requested bytes.
        bytes: usize,
        /// Bytes of the block.
        given: usize,
    },
    /// Memory that a graph or another buffer of a parcel uses. A graph may be launched at any time, so the host must not
    /// access its memory.
    #[error(
        "{operation}: a graph, which may be launched at any time, or another buffer of a parcel uses that memory; drop that first, or \
         copy"
    )]
    InGraph {
        /// The operation that failed.
        operation: &'static str,
    },
    /// A device whose unified memory the host must not access during its work.
    #[error(
        "device {ordinal} has no unified memory that the host may touch while kernels run (as under Windows); use mapped memory, or copy"
    )]
    NoUnifiedMemory {
        /// Its number.
        ordinal: usize,
    },
    /// An operation on the stream of a graph's recorder that no graph can contain.
    #[error(
        "{operation}: not on the stream of a graph's recorder, whose work does not run before the graph is launched; use another stream, before or after"
    )]
    Recorded {
        /// The operation that failed.
        operation: &'static str,
    },
    /// Page-locked memory that another graph owns.
    #[error("{operation}: that page-locked memory belongs to another graph; use what this graph's recorder has given")]
    OtherGraph {
        /// The operation that failed.
        operation: &'static str,
    },
    /// The driver reported an error of earlier work.
    #[error(
        "{operation}: {name} ({code}): {description}; {}{advice}",
        suspects(kernel.as_deref(), *launches)
    )]
    EarlierWork {
        /// The operation during which it was found.
        operation: String,
        /// CUDA's number.
        code: u32,
        /// CUDA's name.
        name: String,
        /// CUDA's description.
        description: String,
        /// The kernel launched last on the stream, if one was.
        kernel: Option<Box<str>>,
        /// Launches on the stream since it was last known to be good: the driver does not say which of them failed.
        launches: u64,
        /// What to do, or empty.
        advice: &'static str,
    },
    /// The driver reported an error.
    #[error("{operation}: {name} ({code}): {description}{advice}")]
    Driver {
        /// The operation that failed, with its sizes.
        operation: String,
        /// CUDA's number.
        code: u32,
        /// CUDA's name.
        name: String,
        /// CUDA's description.
        description: String,
        /// What to do, or empty.
        advice: &'static str,
    },
    /// The driver did not accept a module's PTX.
    #[error(
        "the PTX of module `{module}` was refused: {name} ({code}){}; {advice}",
        if log.is_empty() { String::new() } else { format!(": {log}") }
    )]
    Jit {
        /// The module's name.
        module: String,
        /// CUDA's number.
        code: u32,
        /// CUDA's name.
        name: String,
        /// The output of the driver's compiler.
        log: String,
        /// What to do.
        advice: &'static str,
    },
    /// A file of PTX or machine code whose digest is not the one that its build wrote, or that was made from other PTX.
    #[error("`{file}` is damaged or out of date: {problem}; build it again (`build-ptx`, or `cargo kernel build`)")]
    Damaged {
        /// The file's name.
        file: String,
        /// The problem.
        problem: String,
    },
    /// No module has the kernel.
    #[error("no kernel `{kernel}` in module {}; the PTX has {}", list(modules), list(entries))]
    UnknownKernel {
        /// The kernel's name.
        kernel: &'static str,
        /// The modules that were searched.
        modules: Vec<String>,
        /// The kernels in these modules.
        entries: Vec<String>,
    },
    /// The kernels of a module were not compiled for GPUs.
    #[error("there is no PTX of `{module}`: {why}")]
    NoImage {
        /// The module's name.
        module: String,
        /// Why its build made none.
        why: String,
    },
    /// No module has the name.
    #[error("no module `{module}`; the modules are {}", list(modules))]
    UnknownModule {
        /// The requested name.
        module: String,
        /// The existing names.
        modules: Vec<String>,
    },
    /// A kernel's PTX has no description of its signature.
    #[error(
        "kernel `{kernel}`: module `{module}` has no description of it (`__cuda_std_description_{kernel}`), so its signature cannot be checked; build the PTX with this workspace's builder"
    )]
    NoDescription {
        /// The kernel.
        kernel: &'static str,
        /// The module.
        module: String,
    },
    /// A kernel's PTX was compiled from another signature or layout than this program.
    #[error("kernel `{kernel}`: module `{module}` was built from other sources: {difference}; build the PTX again")]
    Description {
        /// The kernel.
        kernel: &'static str,
        /// The module.
        module: String,
        /// The first difference.
        difference: Box<Difference>,
    },
    /// The driver reports other parameters than the launch has.
    #[error(
        "kernel `{kernel}`: parameter {index} (`{argument}`) is {host} here and {device} in the PTX (bytes, and where they begin); build the PTX again"
    )]
    Parameters {
        /// The kernel.
        kernel: &'static str,
        /// Index of the raw parameter, from 0.
        index: usize,
        /// The kernel's parameter that it belongs to.
        argument: &'static str,
        /// The size and offset that the launch would pass.
        host: String,
        /// The size and offset according to the driver.
        device: String,
    },
    /// More arguments than a launch has room for.
    #[error("kernel `{kernel}`: its arguments take more than {limit}; pass large values in a buffer")]
    TooManyArguments {
        /// The kernel.
        kernel: &'static str,
        /// The available room.
        limit: &'static str,
    },
    /// A block that the device cannot run.
    #[error(
        "kernel `{kernel}`: a block has {threads} threads, but the device runs at most {limit} of it ({registers} registers per thread); use fewer threads"
    )]
    BlockTooLarge {
        /// The kernel.
        kernel: &'static str,
        /// Threads in a block.
        threads: u32,
        /// The most threads on this device.
        limit: u32,
        /// Registers per thread.
        registers: u32,
    },
    /// A raw kernel was launched in blocks of another size than declared.
    #[error("kernel `{kernel}` runs in blocks of {expected} threads, but was launched in blocks of {threads}")]
    BlockSize {
        /// The kernel.
        kernel: &'static str,
        /// Threads in a block of the launch.
        threads: u64,
        /// Threads in a block as declared by the kernel.
        expected: u32,
    },
    /// More shared memory than a block of this device can have.
    #[error(
        "kernel `{kernel}`: {dynamic} bytes of shared memory for `{argument}` and {fixed} of its own are more than the {limit} that a block of this device has; ask for fewer elements"
    )]
    SharedMemory {
        /// The kernel.
        kernel: &'static str,
        /// The parameter.
        argument: &'static str,
        /// Bytes that the launch requests.
        dynamic: u32,
        /// Bytes of the kernel's static arrays.
        fixed: u32,
        /// Bytes that are available.
        limit: u32,
    },
    /// A copy between memories of different lengths.
    #[error("{operation}: {from} elements do not fit exactly into {to}; take a slice of the longer one")]
    Length {
        /// The operation that failed.
        operation: &'static str,
        /// Elements at the source.
        from: usize,
        /// Elements at the destination.
        to: usize,
    },
    /// A slice beyond its buffer.
    #[error("elements {}..{} are not within a device buffer of {len}", range.start, range.end)]
    OutOfBounds {
        /// The requested range.
        range: Range<usize>,
        /// The length of the buffer.
        len: usize,
    },
    /// A size larger than any memory.
    #[error("{elements} elements of {element_bytes} bytes each are more than any memory holds")]
    TooLarge {
        /// Number of elements.
        elements: usize,
        /// Size of each.
        element_bytes: usize,
    },
    /// Memory, a module or an event of another device than the operation's.
    #[error(
        "{operation}: device {expected} does this, but a part of it belongs to device {found}; make everything on one device, or copy between devices with `copy_from_device`"
    )]
    OtherDevice {
        /// The operation that failed.
        operation: &'static str,
        /// The device of the memory, module or event.
        found: usize,
        /// The operation's device, which is its stream's.
        expected: usize,
    },
    /// A GPU's buffer in a launch on CPU cores, or the other way round.
    #[error(
        "kernel `{kernel}` was launched on {machine}, but `{argument}` is not in its memory; make the buffer with the machine that launches"
    )]
    OtherMachine {
        /// The kernel.
        kernel: &'static str,
        /// The parameter.
        argument: &'static str,
        /// The executor of the launch.
        machine: &'static str,
    },
    /// The environment asks for other schedules (`CUDA_SCHEDULE_SEED`), and they cannot be had.
    #[error("{operation}: {problem}")]
    Schedule {
        /// The operation that failed.
        operation: String,
        /// The reason.
        problem: String,
    },
    /// The arguments are unsuitable for the launch.
    #[error(transparent)]
    Launch(Box<LaunchError>),
    /// Blocks that meet wait for each other, and not all of a launch would be on the device at the same time.
    #[error(
        "the blocks of kernel `{kernel}` meet, so that all must run at the same time: {blocks} were asked for, and this device runs {most} at once; launch at most as many as `CudaExecutor::most_blocks_that_meet` says"
    )]
    TooManyBlocksToMeet {
        /// The kernel.
        kernel: &'static str,
        /// The number of requested blocks.
        blocks: u32,
        /// The number that the device runs at once.
        most: u32,
    },
    /// A kernel did not end in time. On a GPU it continues: everything that frees or reads memory that it uses waits for
    /// it.
    #[error(
        "kernel `{kernel}` did not end within {limit:?}; its blocks may wait for each other, or loop forever. On a GPU it continues until the process ends, and dropping its buffers waits for it: exit with std::process::exit"
    )]
    TimeLimit {
        /// The last launched kernel.
        kernel: Box<str>,
        /// The time limit.
        limit: std::time::Duration,
    },
    /// A kernel panicked. The context survives.
    #[error("{0}; memory written on its stream since the last synchronisation must not be used")]
    Panic(Box<KernelPanic>),
    /// A buffer holds results of a launch that panicked.
    #[error(
        "{operation}: the buffer holds results of a stream on which a kernel panicked; write it again first ({panic})"
    )]
    Poisoned {
        /// The operation that failed.
        operation: &'static str,
        /// The panic.
        panic: Box<KernelPanic>,
    },
}

impl CudaError {
    /// Whether the error means that this machine has no usable GPU, which is not the program's fault.
    #[must_use]
    pub fn is_unavailable(&self) -> bool {
        matches!(self, Self::NoLibrary | Self::DriverTooOld { .. } | Self::NoDevice { .. } | Self::DeviceTooOld { .. })
    }

    /// Whether memory has run out, so that less work at a time may succeed.
    #[must_use]
    pub fn is_out_of_memory(&self) -> bool {
        matches!(self, Self::OutOfMemory { .. } | Self::OutOfPinnedMemory { .. } | Self::PoolLimit { .. })
    }

    /// Whether the device's context is lost, so that every later call fails and the program has to start again.
    #[must_use]
    pub fn is_context_lost(&self) -> bool {
        matches!(self, Self::EarlierWork { .. })
    }

    /// The same error of the driver, attributed to earlier work on a stream.
    pub(crate) fn of_earlier_work(self, kernel: Option<Box<str>>, launches: u64) -> Self {
        match self {
            Self::Driver { operation, code, name, description, advice } => {
                Self::EarlierWork { operation, code, name, description, kernel, launches, advice }
            }
            other => other,
        }
    }

    /// The kernel's panic, if this is one.
    #[must_use]
    pub fn kernel_panic(&self) -> Option<&KernelPanic> {
        match self {
            Self::Panic(panic) | Self::Poisoned { panic, .. } => Some(panic),
            _ => None,
        }
    }
}

impl From<LaunchError> for CudaError {
    fn from(error: LaunchError) -> Self {
        match error {
            LaunchError::Panic(panic) => Self::Panic(Box::new(panic)),
            LaunchError::TimeLimit { kernel, limit } => Self::TimeLimit { kernel: kernel.into(), limit },
            other => Self::Launch(Box::new(other)),
        }
    }
}

fn suspects(kernel: Option<&str>, launches: u64) -> String {
    match (kernel, launches) {
        (Some(kernel), 1) => {
            format!("one kernel was launched on the stream since it was last known to be good, `{kernel}`")
        }
        (Some(kernel), 2..) => format!(
            "{launches} kernels were launched on the stream since it was last known to be good, the last of them `{kernel}` \
             (CUDA_LAUNCH_BLOCKING=1 finds which it was)"
        ),
        _ => "no kernel was launched on the stream since it was last known to be good: it was one on another stream"
            .to_owned(),
    }
}

fn list(names: &[String]) -> String {
    match names {
        [] => "none".to_owned(),
        names => names.iter().map(|name| format!("`{name}`")).collect::<Vec<_>>().join(", "),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn messages_say_what_how_much_and_what_helps() {
        let error = CudaError::OutOfMemory { operation: "allocating".into(), bytes: 4096, free: 100, total: 2000 };
        let text = error.to_string();
        for part in ["allocating", "CUDA_ERROR_OUT_OF_MEMORY", "4096 bytes", "100 of", "2000", "smaller batches"] {
            assert!(text.contains(part), "`{part}` is missing in: {text}");
        }
        assert!(error.is_out_of_memory() && !error.is_unavailable());

        let text =
            CudaError::DeviceTooOld { ordinal: 1, name: "Old".into(), found: (6, 1), needed: (7, 5) }.to_string();
        for part in ["device 1", "Old", "6.1", "7.5", "CPU"] {
            assert!(text.contains(part), "`{part}` is missing in: {text}");
        }

        let text =
            CudaError::UnknownKernel { kernel: "k", modules: vec!["m".into()], entries: vec!["a".into(), "b".into()] };
        assert_eq!(text.to_string(), "no kernel `k` in module `m`; the PTX has `a`, `b`");
    }

    #[test]
    fn a_panic_inside_a_launch_error_is_a_panic() {
        let panic = KernelPanic {
            kernel: "k".into(),
            file: "a.rs".into(),
            line: 3,
            column: 1,
            block: [2, 0, 0],
            thread: [7, 0, 0],
            message: None,
        };
        let error = CudaError::from(LaunchError::Panic(panic.clone()));
        assert_eq!(error.kernel_panic(), Some(&panic));
        let error =
            CudaError::from(LaunchError::TooFewSegments { kernel: "k", argument: "out", segments: 1, blocks: 2 });
        assert_eq!(error.kernel_panic(), None);
        assert!(error.to_string().contains("`out` has 1 segments, but 2 blocks"));
    }

    #[test]
    fn an_error_of_earlier_work_names_whom_to_suspect() {
        let driver = CudaError::Driver {
            operation: "waiting for a stream".into(),
            code: 700,
            name: "CUDA_ERROR_ILLEGAL_ADDRESS".into(),
            description: "an illegal memory access was encountered".into(),
            advice: advice(700),
        };
        let text = |kernel: Option<&str>, launches| {
            let error = driver.clone().of_earlier_work(kernel.map(Into::into), launches);
            assert!(error.is_context_lost() && !driver.is_context_lost());
            error.to_string()
        };
        for (text, parts) in [
            (text(Some("k"), 1), ["waiting for a stream: CUDA_ERROR_ILLEGAL_ADDRESS (700)", "one kernel", "`k`"]),
            (text(Some("k"), 7), ["7 kernels", "the last of them `k`", "CUDA_LAUNCH_BLOCKING=1"]),
            (text(Some("k"), 0), ["no kernel", "another stream", "the context is lost"]),
            (text(None, 0), ["no kernel", "another stream", "start the program again"]),
        ] {
            for part in parts {
                assert!(text.contains(part), "`{part}` is missing in: {text}");
            }
        }
    }

    #[test]
    fn every_lack_of_memory_is_one() {
        let errors = [
            CudaError::OutOfMemory { operation: "x".into(), bytes: 4096, free: 1, total: 2 },
            CudaError::OutOfPinnedMemory { bytes: 4096 },
            CudaError::PoolLimit { bytes: 4096, in_use: 1, limit: 2 },
        ];
        for error in errors {
            assert!(error.is_out_of_memory() && error.to_string().contains("4096 bytes"), "{error}");
        }
    }
}
