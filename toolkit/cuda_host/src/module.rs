//! Modules: machine code on a device, or PTX that the driver has compiled for it.

pub mod raw;

use crate::description::Difference;
use crate::driver::{CUfunction, CUfunction_attribute, CUjit_option, CUmodule, Code};
use crate::error::advice;
use crate::image::{self, Chip, Image};
use crate::schedule::{Delays, schedules};
use crate::slot::kernel_id;
use crate::stream::Launched;
use crate::{Context, CudaError, Stream};
use cuda_std::launch::{CHECKS_WRITES, Kernel};
use std::ffi::{CString, c_void};
use std::fmt;
use std::ptr;
use std::sync::Arc;

/// The most bytes of the driver's compile log that an error shows.
const LOG_BYTES: usize = 4096;

/// PTX, or machine code made from it, loaded on a device. Cheap to clone.
///
/// PTX is code, so only an [`Image`] is loaded: what the crate's build made, or what an unsafe function was told to trust.
///
/// ```no_run
/// use cuda_host::{Context, CudaError, Image, Module};
/// use cuda_std::prelude::*;
///
/// #[kernel(threads = 128)]
/// fn double(block: &mut Block, out: &mut Chunk<f32, 1024>) {
///     let n = out.len();
///     out.update(block, n, |_, x| *x *= 2.0);
/// }
///
/// # fn main() -> Result<(), CudaError> {
/// let ptx = std::fs::read_to_string("kernels.sm_75.ptx").unwrap();
/// // SAFETY: `cargo kernel build` made it from this crate.
/// let image = unsafe { Image::from_files("kernels.sm_75.ptx", &ptx, &[]) };
/// let module = Module::load(&Context::new(0)?, "kernels", image)?;
/// // Refused if the PTX has another signature.
/// let kernel = module.kernel::<double::Kernel>()?;
/// let takes = kernel.attributes();
/// println!("{}: {} registers, {} bytes of stack", module.name(), takes.registers, takes.local_bytes);
/// println!("{} blocks at a time", kernel.blocks_per_multiprocessor(128, 0)?);
/// # Ok(())
/// # }
/// ```
///
/// This needs a GPU: `tests/tests/cuda_host_gpu/modules.rs` runs such code if there is one.
#[derive(Clone)]
pub struct Module(Arc<Inner>);

struct Inner {
    context: Context,
    raw: CUmodule,
    name: String,
    entries: Vec<String>,
    /// The number of raw parameters of each kernel, if the module's text is known.
    parameters: Vec<usize>,
    machine_code: Option<Chip>,
    /// If its text has delays.
    delays: Option<Delays>,
}

// SAFETY: modules may be used by several threads; the handle is only a name.
unsafe impl Send for Inner {}
// SAFETY: as above.
unsafe impl Sync for Inner {}

impl Module {
    /// Loads an [`Image`]. `name` is for messages.
    ///
    /// If it has machine code for the device, that is loaded in milliseconds. Otherwise, or if the driver refuses it, the
    /// driver compiles the PTX, which takes seconds the first time. What is loaded is first compared with its digest.
    ///
    /// With the variable `CUDA_SCHEDULE_SEED`, which [`cargo kernel fuzz`](cuda_std::launch::schedule_seed) sets, the driver always
    /// compiles the PTX, with delays in it that change how the threads of each launch meet.
    ///
    /// # Errors
    /// [`CudaError::Damaged`] for PTX or machine code with another digest, and for machine code of other PTX, and
    /// [`CudaError::Jit`] with the log of the driver's compiler if it refuses the text. [`CudaError::Schedule`] if delays are asked
    /// for and the text has an instruction that is not known.
    pub fn load(context: &Context, name: &str, image: Image<'_>) -> Result<Self, CudaError> {
        let ptx = image.ptx();
        // The driver reads as many bytes of a binary module as its header says, so only checked modules are passed.
        if let Some(log) = no_ptx(ptx) {
            return Err(refused(name, Code::INVALID_PTX, "CUDA_ERROR_INVALID_PTX".to_owned(), log.to_owned()));
        }
        let schedules = schedules()?;
        let scheduled = schedules.map(|schedules| schedules.scheduled(name, ptx)).transpose()?;
        let compile = || {
            image::check_ptx(&image)?;
            load(context, name, scheduled.as_ref().map_or(ptx, |scheduled| &scheduled.text).as_bytes())
        };
        // Machine code has no delays.
        let made = if schedules.is_some() { None } else { image::machine_code_for(&image, context)? };
        let (raw, machine_code) = match made {
            Some((chip, code)) => match load(context, name, &code) {
                Ok(raw) => (raw, Some(chip)),
                Err(error @ CudaError::Jit { .. }) => {
                    tracing::warn!("the driver compiles the PTX, because: machine code for {chip}: {error}");
                    (compile()?, None)
                }
                Err(error) => return Err(error),
            },
            None => (compile()?, None),
        };
        let (entries, parameters) = entries(ptx).into_iter().map(|(name, count)| (name.to_owned(), count)).unzip();
        let (context, name) = (context.clone(), name.to_owned());
        let mut module = Inner { context, raw, name, entries, parameters, machine_code, delays: None };
        if let (Some(schedules), Some(scheduled)) = (schedules, &scheduled) {
            let delays = Delays::of(schedules, &module.context, &module.name, raw, scheduled, &module.entries)?;
            module.delays = Some(delays);
        }
        Ok(Self(Arc::new(module)))
    }

    /// The chip of the loaded machine code, or `None` if the driver compiled the PTX, now or earlier for its cache.
    #[must_use]
    pub fn machine_code(&self) -> Option<Chip> {
        self.0.machine_code
    }

    /// The name it was loaded with.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.0.name
    }

    /// Names of its kernels, in the PTX's order.
    #[must_use]
    pub fn entries(&self) -> &[String] {
        &self.0.entries
    }

    /// The context that it belongs to.
    #[must_use]
    pub fn context(&self) -> &Context {
        &self.0.context
    }

    /// Finds a kernel and checks that it was compiled from this program's signature and layouts.
    ///
    /// # Errors
    /// [`CudaError::UnknownKernel`], [`CudaError::NoDescription`], [`CudaError::Description`] with the first
    /// difference, [`CudaError::BlockTooLarge`], and those of the driver.
    pub fn kernel<K: Kernel>(&self) -> Result<LoadedKernel, CudaError> {
        self.checked(K::NAME, K::DESCRIPTION, K::THREADS)
    }

    /// Finds a kernel. Checks its description, and that the device can run a block of its threads.
    pub(crate) fn checked(
        &self,
        kernel: &'static str,
        expected: &'static str,
        threads: u32,
    ) -> Result<LoadedKernel, CudaError> {
        let function = self.function(kernel)?;
        let description = self.description(kernel)?;
        let unchecked = description.strip_suffix(CHECKS_WRITES);
        if let Some(difference) = Difference::between(unchecked.unwrap_or(&description), expected) {
            return Err(CudaError::Description { kernel, module: self.name().to_owned(), difference });
        }
        let attributes = self.attributes(kernel, function)?;
        if threads > attributes.max_threads {
            let (limit, registers) = (attributes.max_threads, attributes.registers);
            return Err(CudaError::BlockTooLarge { kernel, threads, limit, registers });
        }
        let count = self.entries().iter().position(|entry| entry == kernel).and_then(|at| self.0.parameters.get(at));
        // SAFETY: the function is this module's.
        let parameters = unsafe { self.context().driver().parameters(function, count.copied()) };
        let (module, id, checks_writes) = (self.clone(), kernel_id(kernel), unchecked.is_some());
        Ok(LoadedKernel { module, function, id, attributes, parameters, checks_writes })
    }

    fn function(&self, kernel: &'static str) -> Result<CUfunction, CudaError> {
        let unknown = || CudaError::UnknownKernel {
            kernel,
            modules: vec![self.name().to_owned()],
            entries: self.entries().to_vec(),
        };
        let symbol = CString::new(kernel).map_err(|_| unknown())?;
        self.context().bind()?;
        let driver = self.context().driver();
        let mut function = ptr::null_mut();
        // SAFETY: writes a handle; the name ends with a NUL.
        match unsafe { driver.module_get_function(&raw mut function, self.0.raw, symbol.as_ptr()) } {
            Code::NOT_FOUND => Err(unknown()),
            code => code.check(driver, || format!("finding kernel `{kernel}`")).map(|()| function),
        }
    }

    /// A kernel's description in the PTX.
    fn description(&self, kernel: &'static str) -> Result<String, CudaError> {
        let missing = || CudaError::NoDescription { kernel, module: self.name().to_owned() };
        let symbol = CString::new(format!("__cuda_std_description_{kernel}")).map_err(|_| missing())?;
        let driver = self.context().driver();
        let (mut address, mut bytes) = (0, 0);
        // SAFETY: writes two numbers; the name ends with a NUL.
        match unsafe { driver.module_get_global(&raw mut address, &raw mut bytes, self.0.raw, symbol.as_ptr()) } {
            Code::NOT_FOUND => return Err(missing()),
            code => code.check(driver, || format!("finding the description of kernel `{kernel}`"))?,
        }
        let mut text = vec![0u8; bytes];
        // SAFETY: the global has these bytes, and so has the vector.
        unsafe { driver.memcpy_dtoh(text.as_mut_ptr().cast(), address, bytes) }
            .check(driver, || format!("reading the {bytes} bytes of the description of kernel `{kernel}`"))?;
        Ok(String::from_utf8_lossy(&text).into_owned())
    }

    fn attributes(&self, kernel: &'static str, function: CUfunction) -> Result<KernelAttributes, CudaError> {
        use CUfunction_attribute as A;
        let driver = self.context().driver();
        let get = |attribute| {
            let mut value = 0;
            // SAFETY: writes a number; the function is this module's.
            unsafe { driver.func_get_attribute(&raw mut value, attribute, function) }
                .check(driver, || format!("reading {attribute:?} of kernel `{kernel}`"))?;
            Ok::<u32, CudaError>(u32::try_from(value).unwrap_or(0))
        };
        Ok(KernelAttributes {
            registers: get(A::CU_FUNC_ATTRIBUTE_NUM_REGS)?,
            local_bytes: get(A::CU_FUNC_ATTRIBUTE_LOCAL_SIZE_BYTES)?,
            shared_bytes: get(A::CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES)?,
            max_threads: get(A::CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK)?,
        })
    }
}

impl Module {
    /// For a graph, which keeps the module loaded.
    pub(crate) fn kept(&self) -> Arc<dyn Launched<Stream>> {
        self.0.clone()
    }

    /// Called before a kernel is launched on a stream whose work runs.
    pub(crate) fn before_launch(&self, kernel: &'static str, stream: &Stream) -> Result<(), CudaError> {
        self.0.before_launch(&[kernel], stream)
    }

    /// Its delays, if it has some.
    pub(crate) fn delays(&self) -> Option<&Delays> {
        self.0.delays.as_ref()
    }
}

impl Launched<Stream> for Inner {
    fn before_launch(&self, kernels: &[&'static str], stream: &Stream) -> Result<(), CudaError> {
        self.delays.as_ref().map_or(Ok(()), |delays| delays.before(kernels, stream).map(drop))
    }
}

impl fmt::Debug for Module {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Module").field("name", &self.name()).field("entries", &self.entries()).finish_non_exhaustive()
    }
}

impl Drop for Inner {
    /// Waits for the device, because one of its kernels may run. If waiting fails, the module is leaked.
    fn drop(&mut self) {
        if let Err(error) = self.context.wait_idle() {
            tracing::warn!("module `{}` is not unloaded: {error}", self.name);
            return;
        }
        let driver = self.context.driver();
        // SAFETY: loaded once; functions keep their module.
        unsafe { driver.module_unload(self.raw) }.warn(driver, "unloading a module");
    }
}

/// Resources of a kernel on a device.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct KernelAttributes {
    /// Registers per thread.
    pub registers: u32,
    /// Bytes of local memory per thread: stack and spilled registers.
    pub local_bytes: u32,
    /// Bytes of static shared memory per block.
    pub shared_bytes: u32,
    /// The most threads that a block can have on this device.
    pub max_threads: u32,
}

/// A kernel of a loaded module that was checked against this program.
#[derive(Clone)]
pub struct LoadedKernel {
    pub(crate) module: Module,
    pub(crate) function: CUfunction,
    pub(crate) id: u32,
    attributes: KernelAttributes,
    /// Offset and size of each raw parameter, if the driver reports them.
    pub(crate) parameters: Option<Vec<(usize, usize)>>,
    checks_writes: bool,
}

// SAFETY: functions may be used by several threads; the handle is only a name.
unsafe impl Send for LoadedKernel {}
// SAFETY: as above.
unsafe impl Sync for LoadedKernel {}

impl LoadedKernel {
    /// Its resources.
    #[must_use]
    pub fn attributes(&self) -> KernelAttributes {
        self.attributes
    }

    /// Whether it was built to check that no element of a [`Scatter`](cuda_std::Scatter) is written twice.
    #[must_use]
    pub fn checks_writes(&self) -> bool {
        self.checks_writes
    }

    /// Its module.
    #[must_use]
    pub fn module(&self) -> &Module {
        &self.module
    }

    /// Bytes of its raw arguments, if the driver reports them (since CUDA 12.4).
    #[must_use]
    pub fn argument_bytes(&self) -> Option<usize> {
        let parameters = self.parameters.as_ref()?;
        Some(parameters.last().map_or(0, |(offset, size)| offset + size))
    }
}

/// Passes PTX or a binary module to the driver.
fn load(context: &Context, name: &str, code: &[u8]) -> Result<CUmodule, CudaError> {
    let mut image = Vec::with_capacity(code.len() + 64);
    image.extend_from_slice(code);
    // A NUL ends the text, and a header can be read.
    image.resize(code.len() + 64, 0u8);
    context.bind()?;
    let mut log = vec![0u8; LOG_BYTES];
    let mut options = vec![CUjit_option::CU_JIT_ERROR_LOG_BUFFER, CUjit_option::CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES];
    let mut values = vec![log.as_mut_ptr().cast::<c_void>(), ptr::without_provenance_mut(LOG_BYTES)];
    if has_lines(code) {
        // Otherwise the driver's compiler drops the lines of the PTX.
        options.push(CUjit_option::CU_JIT_GENERATE_LINE_INFO);
        values.push(ptr::without_provenance_mut(1));
    }
    let mut raw = ptr::null_mut();
    let driver = context.driver();
    // SAFETY: the image ends with a NUL, the log is as long as said, and both outlive the call.
    let answer = unsafe {
        driver.module_load_data_ex(
            &raw mut raw,
            image.as_ptr().cast(),
            options.len() as u32,
            options.as_mut_ptr(),
            values.as_mut_ptr(),
        )
    };
    if answer == Code::SUCCESS {
        return Ok(raw);
    }
    if answer == Code::OUT_OF_MEMORY {
        context.memory_result(answer, code.len(), || format!("loading module `{name}`"))?;
    }
    let end = log.iter().position(|byte| *byte == 0).unwrap_or(LOG_BYTES);
    let log = String::from_utf8_lossy(&log[..end]).trim().to_owned();
    Err(refused(name, answer, driver.error_name(answer), log))
}

/// Whether this is PTX with line information.
fn has_lines(code: &[u8]) -> bool {
    let is_ptx = !code.starts_with(b"\x7fELF");
    is_ptx && code.split(|byte| *byte == b'\n').any(|line| line.trim_ascii_start().starts_with(b".loc\t"))
}

fn refused(module: &str, code: Code, name: String, log: String) -> CudaError {
    CudaError::Jit { module: module.to_owned(), code: code.0, name, log, advice: jit_advice(code.0) }
}

/// Why a text is not PTX; `None` if it is. PTX begins with `.version`, after comments.
fn no_ptx(text: &str) -> Option<&'static str> {
    if text.contains('\0') {
        return Some("the text has a NUL byte");
    }
    let first = text.lines().map(str::trim).find(|line| !line.is_empty() && !line.starts_with("//"));
    match first {
        Some(line) if line.starts_with(".version") => None,
        Some(_) => Some("the text does not begin with `.version`"),
        None => Some("there is no text"),
    }
}

/// The kernels of a module's text, with the number of raw parameters between each name and the next closing parenthesis. It
/// takes one pass, because the text is long.
fn entries(ptx: &str) -> Vec<(&str, usize)> {
    let mut entries = Vec::new();
    let mut from = 0;
    while let Some(at) = ptx[from..].find(".entry").map(|at| from + at) {
        from = at + ".entry".len();
        let begin = ptx[..at].rfind('\n').map_or(0, |newline| newline + 1);
        if ptx[begin..at].trim_start().starts_with("//") {
            continue;
        }
        let name = ptx[from..].trim_start();
        let end = name.find(|c: char| !(c.is_ascii_alphanumeric() || c == '_' || c == '$')).unwrap_or(name.len());
        if end > 0 {
            let list = name[end..].trim_start().strip_prefix('(').and_then(|rest| rest.split(')').next());
            entries.push((&name[..end], list.map_or(0, |list| list.matches(".param").count())));
        }
    }
    entries
}

fn jit_advice(code: u32) -> &'static str {
    match code {
        // CUDA_ERROR_UNSUPPORTED_PTX_VERSION
        222 => "the driver is older than the PTX: update the driver, or build the PTX for an older version",
        // CUDA_ERROR_NO_BINARY_FOR_GPU
        209 => "the PTX is for a newer device: build it for this one",
        200 | 218 => "the text is no whole PTX module: build it again",
        code => match advice(code).strip_prefix("; ") {
            Some(advice) => advice,
            None => "build the PTX again",
        },
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn entries_are_read_from_the_text() {
        let ptx =
            "// .entry none\n.visible .entry first(\n\t.param .u64 a\n)\n.func helper()\n.entry second_2 ()\n.entry";
        assert_eq!(entries(ptx), [("first", 1), ("second_2", 0)]);
    }

    #[test]
    fn the_parameters_of_each_entry_are_counted() {
        let ptx = ".entry first(\n\t.param .u64 a,\n\t.param .align 4 .b8 b[12]\n)\n{ }\n.entry first_2 ()\n{ }\n\
                   .func f(.param .b32 x)\n.entry third(.param .u32 c)";
        assert_eq!(entries(ptx), [("first", 2), ("first_2", 0), ("third", 1)]);
    }

    #[test]
    fn only_ptx_goes_to_the_driver() {
        assert_eq!(no_ptx("// made by\n\n  .version 6.3\n"), None);
        for text in ["", "// only\n", "prose", "\u{7f}ELF\u{2}", ".version 6.3\0"] {
            assert!(no_ptx(text).is_some(), "{text:?}");
        }
    }

    #[test]
    fn line_information_is_seen_in_ptx_alone() {
        assert!(has_lines(b".version 7.8\n{\n\t.loc\t1 7 3\n\tret;\n}\n"));
        for code in ["", ".version 7.8\n\t.local .b8 a[4];\n// .loc 1 7 3\n", "\x7fELF\n.loc\t1 7 3\n"] {
            assert!(!has_lines(code.as_bytes()), "{code:?}");
        }
    }

    #[test]
    fn a_refused_module_gets_the_log_and_advice() {
        let error = CudaError::Jit {
            module: "m".into(),
            code: 218,
            name: "CUDA_ERROR_INVALID_PTX".into(),
            log: "line 3; error: Parsing error".into(),
            advice: jit_advice(218),
        };
        assert_eq!(
            error.to_string(),
            "the PTX of module `m` was refused: CUDA_ERROR_INVALID_PTX (218): line 3; error: Parsing error; the text is no whole PTX module: build it again"
        );
    }
}
