//! Kernels of other compilers, for comparisons: launched with raw parameters without type checks.
//!
//! Kernels of this workspace are launched through [`CudaExecutor`](crate::CudaExecutor), which needs no `unsafe`.

use super::{Inner, KernelAttributes, Module};
use crate::driver::CUfunction;
use crate::slot::kernel_id;
use crate::{Context, CudaError, DeviceView, DeviceViewMut, Stream};
use cuda_layout::DeviceLayout;
use std::ffi::c_void;
use std::ptr;
use std::sync::Arc;

/// Loads the output of another compiler: a cubin, a fatbin, or PTX.
///
/// # Errors
/// Those of the driver.
///
/// # Safety
/// `image` is a complete module as such a compiler writes it. (The driver takes its length from its own header.)
pub unsafe fn load_image(context: &Context, name: &str, image: &[u8]) -> Result<Module, CudaError> {
    // PTX ends with a NUL, which binary modules tolerate.
    let image: Vec<u8> = image.iter().copied().chain([0]).collect();
    context.bind()?;
    let driver = context.driver();
    let mut raw = ptr::null_mut();
    // SAFETY: the caller ensures that the image is a module; it outlives the call; there are no options.
    unsafe { driver.module_load_data_ex(&raw mut raw, image.as_ptr().cast(), 0, ptr::null_mut(), ptr::null_mut()) }
        .check(driver, || format!("loading the {} bytes of module `{name}`", image.len() - 1))?;
    let (context, name) = (context.clone(), name.to_owned());
    let (entries, parameters) = (Vec::new(), Vec::new());
    // No delays: other compilers write instructions that this library does not know.
    let inner = Inner { context, raw, name, entries, parameters, machine_code: None, delays: None };
    Ok(Module(Arc::new(inner)))
}

/// A kernel known only by name.
///
/// ```no_run
/// use cuda_host::raw::{Word, load_image};
/// use cuda_host::{Context, CudaError, DeviceBuffer};
///
/// let context = Context::new(0)?;
/// let stream = context.stream()?;
/// // SAFETY: nvcc wrote it.
/// let module = unsafe { load_image(&context, "twin", &std::fs::read("twin.cubin").unwrap())? };
/// let kernel = module.raw_kernel("saxpy")?;
/// let (x, mut y) = (DeviceBuffer::from_slice(&stream, &[1.0f32; 512])?, DeviceBuffer::<f32>::zeroed(&stream, 512)?);
/// let words = [Word::value(2.0f32), Word::address(&x.view()), Word::address_mut(&mut y.view_mut()), Word::value(512u32)];
/// // SAFETY: the kernel takes a number, two pointers to as many elements as the last number, and that number.
/// unsafe { kernel.launch(&stream, 2, 256, &words)? };
/// stream.synchronize()?;
/// # Ok::<(), CudaError>(())
/// ```
#[derive(Clone)]
pub struct RawKernel {
    module: Module,
    name: &'static str,
    function: CUfunction,
    attributes: KernelAttributes,
    /// Offset and size of each raw parameter, if the driver can report them.
    parameters: Option<Vec<(usize, usize)>>,
}

// SAFETY: functions may be used by several threads; the handle is only a name.
unsafe impl Send for RawKernel {}
// SAFETY: as above.
unsafe impl Sync for RawKernel {}

/// A parameter of at most 8 bytes in the driver's form: its bytes in memory order, then padding.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Word(u64);

impl Word {
    /// A number that the kernel takes by value.
    #[must_use]
    pub fn value<T: Into<Word>>(value: T) -> Self {
        value.into()
    }

    /// The address of elements that the kernel reads.
    #[must_use]
    pub fn address<T: DeviceLayout>(view: &DeviceView<'_, T>) -> Self {
        Self(view.address())
    }

    /// The address of elements that the kernel writes.
    #[must_use]
    pub fn address_mut<T: DeviceLayout>(view: &mut DeviceViewMut<'_, T>) -> Self {
        Self(view.address())
    }
}

impl From<u64> for Word {
    fn from(value: u64) -> Self {
        Self(value)
    }
}

impl From<u32> for Word {
    fn from(value: u32) -> Self {
        Self(u64::from(value))
    }
}

impl From<f32> for Word {
    fn from(value: f32) -> Self {
        value.to_bits().into()
    }
}

impl Module {
    /// Finds a kernel by name. Its signature is not checked.
    ///
    /// # Errors
    /// [`CudaError::UnknownKernel`], and those of the driver.
    pub fn raw_kernel(&self, name: &'static str) -> Result<RawKernel, CudaError> {
        let function = self.function(name)?;
        let attributes = self.attributes(name, function)?;
        // SAFETY: the function belongs to this module.
        let parameters = unsafe { self.context().driver().parameters(function, None) };
        Ok(RawKernel { module: self.clone(), name, function, attributes, parameters })
    }
}

impl RawKernel {
    /// Its resources on the device.
    #[must_use]
    pub fn attributes(&self) -> KernelAttributes {
        self.attributes
    }

    /// Queues a launch of `blocks` blocks of `threads` threads.
    ///
    /// # Errors
    /// [`CudaError::OtherDevice`], [`CudaError::Parameters`] if the driver can report that the number of parameters differs
    /// or that one is wider than a word, and those of the driver.
    ///
    /// # Safety
    /// - The kernel takes these parameters in this order.
    /// - It accesses only live memory of the stream's device that nothing else uses at the same time: buffers do not know
    ///   of this launch. Using, changing or dropping one of its buffers on another stream or on the host requires waiting
    ///   for it first.
    pub unsafe fn launch(&self, stream: &Stream, blocks: u32, threads: u32, words: &[Word]) -> Result<(), CudaError> {
        stream.check_device(self.module.context(), "launching a kernel")?;
        stream.check_runs("launching a raw kernel")?;
        self.check(words.len())?;
        let context = stream.context();
        context.bind()?;
        let driver = context.driver();
        let mut words = words.to_vec();
        let mut pointers: Vec<*mut c_void> = words.iter_mut().map(|word| (&raw mut word.0).cast()).collect();
        // SAFETY: the caller ensures that these are the kernel's parameters; each has 8 bytes, and both lists outlive the
        // call, which copies them.
        let queued = unsafe {
            driver.launch_kernel(
                self.function,
                blocks,
                1,
                1,
                threads,
                1,
                1,
                0,
                stream.raw(),
                pointers.as_mut_ptr(),
                ptr::null_mut(),
            )
        };
        stream.note_launch(kernel_id(self.name));
        stream.check(queued, || format!("launching {blocks} blocks of {threads} threads of kernel `{}`", self.name))
    }

    /// Compares with the driver's data about the kernel.
    fn check(&self, given: usize) -> Result<(), CudaError> {
        let Some(parameters) = &self.parameters else { return Ok(()) };
        for index in 0..given.max(parameters.len()) {
            let device = parameters.get(index).map(|(offset, size)| (*offset, *size));
            if index >= given || device.is_none_or(|(_, size)| size > 8) {
                return Err(CudaError::Parameters {
                    kernel: self.name,
                    index,
                    argument: "a raw word",
                    host: if index < given { "at most 8".to_owned() } else { "missing".to_owned() },
                    device: device.map_or_else(|| "missing".to_owned(), |(offset, size)| format!("{size} at {offset}")),
                });
            }
        }
        Ok(())
    }
}
