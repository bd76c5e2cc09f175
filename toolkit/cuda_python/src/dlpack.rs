//! Tensors that other libraries lend by DLPack.

use crate::Place;
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

/// `DLTensor` of DLPack before version 1, which every library gives.
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

/// A tensor until it is given back.
pub struct Lent(*mut Managed);

// SAFETY: the protocol lets any thread read a tensor and give it back.
unsafe impl Send for Lent {}
// SAFETY: as above; nothing here changes it.
unsafe impl Sync for Lent {}

impl Lent {
    /// What an array lends.
    pub fn of(object: &Bound<'_, PyAny>) -> PyResult<Self> {
        let Ok(device) = object.call_method0("__dlpack_device__") else {
            let name = object.get_type().name()?;
            let told =
                format!("an array is needed that others may read (by DLPack: NumPy's, PyTorch's, CuPy's), not {name}");
            return Err(PyTypeError::new_err(told));
        };
        let (kind, _): (i32, i32) = device.extract()?;
        let options = PyDict::new(object.py());
        if kind == CUDA {
            // Nothing need be ordered: all work is waited for.
            options.set_item("stream", -1)?;
        }
        let capsule = object.call_method("__dlpack__", (), Some(&options))?;
        // SAFETY: an object; the name ends with a zero.
        let pointer = unsafe { ffi::PyCapsule_GetPointer(capsule.as_ptr(), NEW.as_ptr()) };
        if pointer.is_null() {
            return Err(PyErr::fetch(object.py()));
        }
        // From here on the tensor is this one's to give back.
        // SAFETY: a capsule of the other name; the new one lives for ever.
        if unsafe { ffi::PyCapsule_SetName(capsule.as_ptr(), USED.as_ptr()) } != 0 {
            return Err(PyErr::fetch(object.py()));
        }
        let lent = Self(pointer.cast());
        if lent.tensor().axes < 0 {
            return Err(PyValueError::new_err("the array has less than no axes"));
        }
        Ok(lent)
    }

    pub fn tensor(&self) -> &Tensor {
        // SAFETY: a capsule of that name has one, which lives until it is given back.
        unsafe { &(*self.0).tensor }
    }

    /// Where it is, or what is to be said of a place that kernels do not reach.
    pub fn place(&self) -> Result<Place, String> {
        let tensor = self.tensor();
        match tensor.kind {
            CPU | PAGE_LOCKED => Ok(Place::Host),
            CUDA => Ok(Place::Device(tensor.number as usize)),
            other => Err(format!(
                "the array is on a device of DLPack's kind {other}; copy it to the host or to a CUDA device"
            )),
        }
    }

    pub fn address(&self) -> u64 {
        let tensor = self.tensor();
        tensor.data.expose_provenance() as u64 + tensor.byte_offset
    }

    fn lengths(&self) -> &[i64] {
        let tensor = self.tensor();
        // SAFETY: there is a length for each axis.
        if tensor.axes == 0 { &[] } else { unsafe { std::slice::from_raw_parts(tensor.shape, tensor.axes as usize) } }
    }

    /// Number of elements.
    pub fn len(&self) -> Option<usize> {
        let product = self.lengths().iter().try_fold(1i64, |all, &len| all.checked_mul(len))?;
        usize::try_from(product).ok()
    }

    /// Whether elements follow each other, the last axis first.
    pub fn is_consecutive(&self) -> bool {
        let (tensor, lengths) = (self.tensor(), self.lengths());
        if tensor.strides.is_null() || lengths.contains(&0) {
            return true;
        }
        // SAFETY: where there are strides, there is one for each axis.
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
        // Deleters of some libraries take the interpreter's lock by themselves, others need it.
        Python::attach(|_| {
            // SAFETY: it is given back once, here.
            unsafe {
                if let Some(deleter) = (*self.0).deleter {
                    deleter(self.0);
                }
            }
        });
    }
}
