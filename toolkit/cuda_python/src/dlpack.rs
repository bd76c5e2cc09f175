//! Tensors that other libraries lend through DLPack.

use crate::MemorySpace;
use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::ffi;
use pyo3::prelude::*;
use pyo3::types::PyDict;
use std::ffi::{CStr, c_void};

/// DLPack's kinds of devices: `kDLCPU`, `kDLCUDA`, `kDLCUDAHost`.
const CPU: i32 = 1;
const CUDA: i32 = 2;
const PAGE_LOCKED: i32 = 3;
const NEW: &CStr = c"dltensor";
const USED: &CStr = c"used_dltensor";

/// `DLTensor` of DLPack before version 1, which every library provides.
#[repr(C)]
pub struct Tensor {
    data: *mut c_void,
    kind: i32,
    number: i32,
    axes: i32,
    pub code: u8,
    pub bits: u8,
    pub lanes: u16,
    shape: *const i64,
    strides: *const i64,
    byte_offset: u64,
}

/// `DLManagedTensor`.
#[repr(C)]
struct Managed {
    tensor: Tensor,
    context: *mut c_void,
    deleter: Option<unsafe extern "C" fn(*mut Managed)>,
}

/// A borrowed tensor, until it is returned.
pub struct Lent(*mut Managed);

// SAFETY: the protocol lets any thread read a tensor and return it.
unsafe impl Send for Lent {}
// SAFETY: as above; nothing here changes it.
unsafe impl Sync for Lent {}

impl Lent {
    /// The tensor of an array.
    pub fn of(object: &Bound<'_, PyAny>) -> PyResult<Self> {
        let Ok(device) = object.call_method0("__dlpack_device__") else {
            let name = object.get_type().name()?;
            let message = format!("expected an array that supports DLPack (of NumPy, PyTorch or CuPy), not {name}");
            return Err(PyTypeError::new_err(message));
        };
        let (kind, _): (i32, i32) = device.extract()?;
        let options = PyDict::new(object.py());
        if kind == CUDA {
            // No ordering is needed: all work is waited for.
            options.set_item("stream", -1)?;
        }
        let capsule = object.call_method("__dlpack__", (), Some(&options))?;
        // SAFETY: an object; the name ends with a zero.
        let pointer = unsafe { ffi::PyCapsule_GetPointer(capsule.as_ptr(), NEW.as_ptr()) };
        if pointer.is_null() {
            return Err(PyErr::fetch(object.py()));
        }
        // From here on this object must return the tensor.
        // SAFETY: a capsule of the old name; the new name is static.
        if unsafe { ffi::PyCapsule_SetName(capsule.as_ptr(), USED.as_ptr()) } != 0 {
            return Err(PyErr::fetch(object.py()));
        }
        let lent = Self(pointer.cast());
        if lent.tensor().axes < 0 {
            return Err(PyValueError::new_err("the array has a negative number of axes"));
        }
        Ok(lent)
    }

    pub fn tensor(&self) -> &Tensor {
        // SAFETY: a capsule of that name has a tensor, which lives until it is returned.
        unsafe { &(*self.0).tensor }
    }

    /// Where it is, or an error for a place that kernels cannot access.
    pub fn memory_space(&self) -> Result<MemorySpace, String> {
        let tensor = self.tensor();
        match tensor.kind {
            CPU | PAGE_LOCKED => Ok(MemorySpace::Host),
            CUDA => Ok(MemorySpace::Device(tensor.number as usize)),
            other => Err(format!(
                "the array is on a device of DLPack's kind {other}; copy it to the host or to a CUDA device"
            )),
        }
    }

    pub fn address(&self) -> u64 {
        let tensor = self.tensor();
        tensor.data.expose_provenance() as u64 + tensor.byte_offset
    }

    /// The length of each axis.
    pub fn lengths(&self) -> &[i64] {
        let tensor = self.tensor();
        // SAFETY: there is a length for each axis.
        if tensor.axes == 0 { &[] } else { unsafe { std::slice::from_raw_parts(tensor.shape, tensor.axes as usize) } }
    }

    /// Number of elements.
    pub fn len(&self) -> Option<usize> {
        self.lengths().iter().try_fold(1usize, |all, &len| all.checked_mul(usize::try_from(len).ok()?))
    }

    /// Whether elements are contiguous, the last axis first.
    pub fn is_consecutive(&self) -> bool {
        let (tensor, lengths) = (self.tensor(), self.lengths());
        if tensor.strides.is_null() || lengths.contains(&0) {
            return true;
        }
        // SAFETY: if there are strides, there is one for each axis.
        let strides = unsafe { std::slice::from_raw_parts(tensor.strides, lengths.len()) };
        let mut expected = 1;
        lengths.iter().zip(strides).rev().all(|(&len, &stride)| {
            let fits = len == 1 || stride == expected;
            expected *= len;
            fits
        })
    }
}

impl Drop for Lent {
    fn drop(&mut self) {
        // The deleters of some libraries take the interpreter's lock themselves, others need it.
        Python::attach(|_| {
            // SAFETY: it is returned once, here.
            unsafe {
                if let Some(deleter) = (*self.0).deleter {
                    deleter(self.0);
                }
            }
        });
    }
}
