//! Python arrays as the arguments of kernels: of NumPy and PyTorch in host memory, of CuPy and PyTorch on a GPU. They are
//! passed through DLPack. On a GPU, kernels use them in place. In host memory they use a copy: other Python threads may write
//! an array at any time, with or without the interpreter's lock, and a Rust slice must not change meanwhile.
//!
//! A function of a Python module takes [`Array`]s and [`ArrayMut`]s. An object that is not a contiguous array of that type
//! raises a `TypeError` or a `ValueError` with an explanation. [`memory_space`] says where all of them are, and refuses an array
//! to write that shares memory with another one. `cargo xtask new-kernel NAME --python` makes a crate that does so:
//!
//! ```
//! use cuda_python::{Array, ArrayMut, MemorySpace, memory_space};
//! use pyo3::prelude::*;
//!
//! #[pyfunction]
//! fn total(mut sums: ArrayMut<f32>, x: Array<f32>) -> PyResult<()> {
//!     match memory_space(&[&sums], &[&x])? {
//!         MemorySpace::Host => Ok(sums.host()[0] = x.host().iter().sum()), // written back when the copy is dropped
//!         MemorySpace::Device(_) => Err(pyo3::exceptions::PyValueError::new_err("the sum is taken on the host")),
//!     }
//! }
//! ```
//!
//! As with NumPy's functions, other Python threads should not write an array while a kernel uses it: the result is then
//! unspecified.

mod dlpack;
mod foreign;
mod in_use;

use cuda_host::{CallersContext, CudaError, CudaExecutor, ForeignBuffer, ForeignScope, Image};
use cuda_layout::DeviceLayout;
use cuda_std::{bf16, bf16x2, bf16x8, f16, f16x2, f16x8};
use dlpack::Lent;
pub use foreign::HostMut;
pub use in_use::DeviceArray;
use pyo3::exceptions::{PyIndexError, PyRuntimeError, PyTypeError, PyValueError};
use pyo3::prelude::*;
use std::collections::BTreeMap;
use std::fmt::Display;
use std::marker::PhantomData;
use std::ops::Range;
use std::sync::{Arc, Mutex, PoisonError};

/// Elements of Python arrays: numbers, with DLPack's code of their kind (0 signed integers, 1 unsigned integers, 2 floats, 4
/// bfloat16), and their name; or vectors of 16-bit floats, of which a row has several.
///
/// ```
/// use cuda_python::Element;
/// use cuda_std::bf16x8;
///
/// assert_eq!((f32::KIND, f32::NAME, f32::NUMBERS), (2, "float32", 1));
/// assert_eq!((bf16x8::KIND, bf16x8::NAME, bf16x8::NUMBERS), (4, "bfloat16", 8));
/// ```
pub trait Element: DeviceLayout {
    /// DLPack's code of the kind.
    const KIND: u8;
    /// The name that NumPy and PyTorch give the numbers.
    const NAME: &'static str;
    /// The numbers of the array in an element.
    const NUMBERS: usize = 1;
}

macro_rules! elements {
    ($($type:ty, $kind:literal, $name:literal;)*) => {
        $(impl Element for $type {
            const KIND: u8 = $kind;
            const NAME: &'static str = $name;
        })*

        fn name_of(kind: u8, bits: u8) -> String {
            match (kind, usize::from(bits)) {
                $(($kind, size) if size == 8 * size_of::<$type>() => $name.to_owned(),)*
                _ => format!("of kind {kind} with {bits} bits"),
            }
        }
    };
}

elements! {
    f32, 2, "float32";
    f64, 2, "float64";
    i8, 0, "int8";
    i16, 0, "int16";
    i32, 0, "int32";
    i64, 0, "int64";
    u8, 1, "uint8";
    u16, 1, "uint16";
    u32, 1, "uint32";
    u64, 1, "uint64";
    f16, 2, "float16";
    bf16, 4, "bfloat16";
}

macro_rules! vectors {
    ($($type:ty, $number:ty;)*) => {
        $(impl Element for $type {
            const KIND: u8 = <$number>::KIND;
            const NAME: &'static str = <$number>::NAME;
            const NUMBERS: usize = size_of::<Self>() / size_of::<$number>();
        })*
    };
}

vectors! {
    f16x2, f16;
    f16x8, f16;
    bf16x2, bf16;
    bf16x8, bf16;
}

/// An array that a kernel reads, with any number of axes, in row-major order. See the crate's example.
pub struct Array<T> {
    lent: Arc<Lent>,
    len: usize,
    element: PhantomData<T>,
}

/// An array that a kernel writes. See the crate's example.
pub struct ArrayMut<T>(Array<T>);

impl<'py, T: Element> FromPyObject<'_, 'py> for Array<T> {
    type Error = PyErr;

    fn extract(object: Borrowed<'_, 'py, PyAny>) -> PyResult<Self> {
        let lent = Lent::of(&object)?;
        let tensor = lent.tensor();
        let found = (tensor.code, tensor.bits, tensor.lanes);
        if found != (T::KIND, (8 * size_of::<T>() / T::NUMBERS) as u8, 1) {
            let name = name_of(tensor.code, tensor.bits);
            return Err(PyTypeError::new_err(format!("expected an array of {}, not {name}; convert it", T::NAME)));
        }
        if !lent.is_consecutive() {
            let message = "expected a contiguous array in row-major order; numpy.ascontiguousarray makes one";
            return Err(PyValueError::new_err(message));
        }
        let len = lent.len().ok_or_else(|| PyValueError::new_err("the array's shape is invalid"))?;
        if lent.address() % align_of::<T>() as u64 != 0 {
            return Err(PyValueError::new_err("the array is not aligned for its elements; copy it"));
        }
        let row = lent.lengths().last().map_or(1, |&row| row as usize);
        if !row.is_multiple_of(T::NUMBERS) {
            let message = format!("the array has rows of {row}; expected a multiple of {}", T::NUMBERS);
            return Err(PyValueError::new_err(message));
        }
        Ok(Self { lent: Arc::new(lent), len: len / T::NUMBERS, element: PhantomData })
    }
}

impl<'py, T: Element> FromPyObject<'_, 'py> for ArrayMut<T> {
    type Error = PyErr;

    // DLPack does not lend read-only arrays in this form.
    fn extract(object: Borrowed<'_, 'py, PyAny>) -> PyResult<Self> {
        Array::extract(object).map(Self)
    }
}

impl<T: Element> Array<T> {
    /// Number of elements.
    #[must_use]
    pub fn len(&self) -> usize {
        self.len
    }

    /// Whether it is empty.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// The lengths of the axes, in numbers.
    #[must_use]
    pub fn shape(&self) -> Vec<usize> {
        self.lent.lengths().iter().map(|&length| length as usize).collect()
    }

    /// A copy of the elements of an array in host memory.
    ///
    /// # Panics
    /// If the array is on a GPU: see [`memory_space`].
    #[must_use]
    pub fn host(&self) -> Vec<T> {
        // SAFETY: as many elements of this type are there, aligned, as was checked, until the tensor is given back.
        unsafe { foreign::load(self.pointer(), self.len) }
    }

    fn pointer(&self) -> *mut T {
        assert_eq!(self.lent.memory_space(), Ok(MemorySpace::Host), "an array on a GPU is no slice");
        std::ptr::with_exposed_provenance_mut(self.lent.address() as usize)
    }

    /// The elements, on the GPU of a [call](Executors::call). Waits for all work there, which may write them.
    ///
    /// # Errors
    /// Those of the driver, and where a buffer that is written has the same memory.
    ///
    /// # Panics
    /// If the array is not there: see [`memory_space`].
    pub fn device<'call>(&self, call: &ForeignScope<'call>) -> PyResult<DeviceArray<'call, T>> {
        self.on_device(call, false).map(DeviceArray::new)
    }

    fn on_device<'call>(&self, call: &ForeignScope<'call>, is_written: bool) -> PyResult<ForeignBuffer<'call, T>> {
        let ordinal = call.context().ordinal();
        assert_eq!(self.lent.memory_space(), Ok(MemorySpace::Device(ordinal)), "the array is elsewhere");
        without_the_lock(|| call.wait_for_others()).map_err(of_device)?;
        let (address, (_, range)) = (self.lent.address(), self.memory());
        let owner = in_use::lend(Arc::clone(&self.lent), ordinal, range, is_written)?;
        // SAFETY: there are as many aligned elements of this type until the tensor is returned, as was checked. All other
        // work was waited for. No other buffer here writes this memory, or reads what this one writes. Other code queues new
        // work when the call returns, after the scope's end.
        unsafe { call.buffer(address, self.len, owner) }.map_err(of_device)
    }
}

impl<T: Element> ArrayMut<T> {
    /// Number of elements.
    #[must_use]
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// Whether it is empty.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// As [`Array::shape`].
    #[must_use]
    pub fn shape(&self) -> Vec<usize> {
        self.0.shape()
    }

    /// As [`Array::host`], to write: the elements are written back when the copy is dropped.
    ///
    /// # Panics
    /// The same.
    pub fn host(&mut self) -> HostMut<'_, T> {
        let (pointer, len) = (self.0.pointer(), self.0.len);
        // SAFETY: as of `Array::host`; the tensor is borrowed as long as the copy lives.
        unsafe { HostMut::new(pointer, len) }
    }

    /// As [`Array::device`], to write.
    ///
    /// # Errors
    /// The same, and where any other buffer has the same memory.
    ///
    /// # Panics
    /// The same.
    pub fn device<'call>(&mut self, call: &ForeignScope<'call>) -> PyResult<ForeignBuffer<'call, T>> {
        self.0.on_device(call, true)
    }
}

/// The place of arrays. See the crate's example.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MemorySpace {
    /// In the host's memory.
    Host,
    /// On the CUDA device with this number.
    Device(usize),
}

/// An array of any type, for [`memory_space`].
pub trait AnyArray {
    #[doc(hidden)]
    fn memory(&self) -> (Result<MemorySpace, String>, Range<u64>);
}

impl<T: Element> AnyArray for Array<T> {
    fn memory(&self) -> (Result<MemorySpace, String>, Range<u64>) {
        let first = self.lent.address();
        (self.lent.memory_space(), first..first + (self.len * size_of::<T>()) as u64)
    }
}

impl<T: Element> AnyArray for ArrayMut<T> {
    fn memory(&self) -> (Result<MemorySpace, String>, Range<u64>) {
        self.0.memory()
    }
}

/// The place of all arrays of a call.
///
/// # Errors
/// If they are not in one place, or one that is written shares memory with another.
pub fn memory_space(written: &[&dyn AnyArray], read: &[&dyn AnyArray]) -> PyResult<MemorySpace> {
    let refuse = |message: String| Err(PyValueError::new_err(message));
    let all: Vec<_> = written.iter().chain(read).map(|array| array.memory()).collect();
    let mut found = None;
    for (index, (space, range)) in all.iter().enumerate() {
        let space = space.clone().map_err(PyValueError::new_err)?;
        if found.is_some_and(|found| found != space) {
            return refuse("the arrays are in different places; copy them to one device, or to the host".to_owned());
        }
        found = Some(space);
        let shares = |other: &Range<u64>| range.start < other.end && other.start < range.end;
        if index < written.len() && all.iter().enumerate().any(|(other, (_, at))| other != index && shares(at)) {
            return refuse("an array to write shares memory with another one; copy one of them".to_owned());
        }
    }
    found.ok_or_else(|| PyValueError::new_err("there is no array"))
}

/// Converts the result of a launch on CPU cores: a kernel's panic becomes an `IndexError` if an index was out of bounds,
/// otherwise a `RuntimeError`.
///
/// # Errors
/// Those of the launch.
pub fn of_launch<E: Display>(launched: Result<(), E>) -> PyResult<()> {
    launched.map_err(|error| {
        let message = error.to_string();
        if message.contains("out of bounds") {
            PyIndexError::new_err(message)
        } else {
            PyRuntimeError::new_err(message)
        }
    })
}

/// Waits for a device while other threads of Python go on: what the device is to do first may be waiting for one of them.
fn without_the_lock<R: Send>(wait: impl FnOnce() -> R + Send) -> R {
    Python::attach(|python| python.detach(wait))
}

/// Converts an error of a device to a Python exception.
pub fn of_device(error: CudaError) -> PyErr {
    PyRuntimeError::new_err(error.to_string())
}

/// Executors of a crate's kernels, one per device, created on first use.
///
/// ```
/// use cuda_python::Executors;
///
/// static EXECUTORS: Executors = Executors::new("waves");
/// assert!(EXECUTORS.call(0, Err("this build has no PTX"), |_, _| Ok(())).is_err());
/// ```
#[derive(Debug)]
pub struct Executors {
    name: &'static str,
    open: Mutex<BTreeMap<usize, CudaExecutor>>,
}

impl Executors {
    /// Executors of kernels with this name.
    #[must_use]
    pub const fn new(name: &'static str) -> Self {
        Self { name, open: Mutex::new(BTreeMap::new()) }
    }

    /// Runs `launches` with the executor of a device, which has the kernels of `image` (or the reason why there is none), and
    /// with the scope that arrays are [lent](Array::device) to it for. Then it waits, so that other libraries may use the
    /// arrays when the function returns, whatever has become of their buffers. The thread keeps its current device.
    ///
    /// # Errors
    /// If there is no image, those of `launches`, a kernel's panic, and those of the driver.
    pub fn call<R>(
        &self,
        ordinal: usize,
        image: Result<Image<'_>, &str>,
        launches: impl for<'call> FnOnce(&CudaExecutor, &ForeignScope<'call>) -> PyResult<R>,
    ) -> PyResult<R> {
        let _callers = CallersContext::keep();
        let executor = self.on(ordinal, image)?;
        let wait = |wait: &(dyn Fn() + Sync)| without_the_lock(wait);
        let launched = ForeignScope::lent(executor.context(), wait, |scope| launches(&executor, scope));
        // All of it has ended: this tells of panics.
        let ended = without_the_lock(|| executor.synchronize());
        let result = launched.map_err(of_device)??;
        of_launch(ended).map(|()| result)
    }

    fn on(&self, ordinal: usize, image: Result<Image<'_>, &str>) -> PyResult<CudaExecutor> {
        let image = image.map_err(|why| PyRuntimeError::new_err(why.to_owned()))?;
        let mut open = self.open.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(executor) = open.get(&ordinal) {
            return Ok(executor.clone());
        }
        let executor = CudaExecutor::open(ordinal, self.name, image).map_err(of_device)?;
        open.insert(ordinal, executor.clone());
        Ok(executor)
    }
}
