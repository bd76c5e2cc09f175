//! A structure's features as a tensor, which crosses by DLPack: whoever takes it reads the memory that they were computed into.

use crate::consume::Held;
use pyo3::exceptions::{PyBufferError, PyValueError};
use pyo3::ffi;
use pyo3::prelude::*;
use std::ffi::{CStr, c_char, c_void};
use std::sync::Arc;

/// `kDLCPU`, and its only device.
const CPU: (i32, i32) = (1, 0);
/// `kDLFloat`.
const FLOAT: u8 = 2;
const NEW: &CStr = c"dltensor";

/// `DLTensor` of DLPack before version 1, which every reader knows.
#[repr(C)]
struct DlTensor {
    data: *mut c_void,
    device: [i32; 2],
    n_axes: i32,
    code: u8,
    bits: u8,
    lanes: u16,
    shape: *mut i64,
    strides: *mut i64,
    byte_offset: u64,
}

/// `DLManagedTensor`.
#[repr(C)]
struct DlManagedTensor {
    tensor: DlTensor,
    context: *mut c_void,
    deleter: Option<unsafe extern "C" fn(*mut DlManagedTensor)>,
}

/// What lives as long as somebody reads a tensor.
struct Lent {
    shape: [i64; 2],
    strides: [i64; 2],
    _memory: Memory,
}

/// Where the values are.
#[expect(dead_code, reason = "held, not read: it keeps memory that a pointer leads to")]
enum Memory {
    Shared(Arc<Held>),
    Own(Vec<f32>),
}

/// A structure's features: `float32`, shape `(residues, columns)`, NaN where a feature is not defined. Torch, NumPy, CuPy and
/// others take it by `from_dlpack`, without a copy. It is to be read: all who take it, and `prism`, share the memory, and who wants
/// to write asks for `copy=True`. (DLPack below version 1 has no way to say so to a program.)
#[pyclass(frozen, module = "prism._prism")]
pub struct Tensor {
    held: Arc<Held>,
    /// The structure's place in its batch.
    place: usize,
}

impl Tensor {
    pub fn new(held: Arc<Held>, place: usize) -> Self {
        Self { held, place }
    }

    /// The values column by column, how many residues a column has, and how many of them have rows.
    fn values(&self) -> PyResult<(&[f32], usize, usize)> {
        let view = self.held.results.get(self.place);
        let view = view.map_err(|error| PyValueError::new_err(error.to_string()))?;
        let rows = view.n_residues.min(self.held.inputs.structures[self.place].n_rows());
        Ok((view.values, view.n_residues, rows))
    }
}

#[pymethods]
impl Tensor {
    /// The structure's name.
    #[getter]
    fn name(&self) -> &str {
        &self.held.inputs.structures[self.place].name
    }

    /// What the columns are, in the order of `prism.columns()`.
    #[getter]
    fn columns(&self) -> PyResult<Vec<&'static str>> {
        let view = self.held.results.get(self.place);
        let view = view.map_err(|error| PyValueError::new_err(error.to_string()))?;
        Ok(view.selection.features().iter().map(|feature| feature.name).collect())
    }

    /// Residues and columns.
    #[getter]
    fn shape(&self) -> PyResult<(usize, usize)> {
        let (values, n, rows) = self.values()?;
        Ok((rows, values.len().checked_div(n).unwrap_or(0)))
    }

    fn __dlpack_device__(&self) -> (i32, i32) {
        CPU
    }

    #[pyo3(signature = (*, stream = None, max_version = None, dl_device = None, copy = None))]
    fn __dlpack__<'py>(
        &self,
        py: Python<'py>,
        stream: Option<Bound<'py, PyAny>>,
        max_version: Option<(u32, u32)>,
        dl_device: Option<(i32, i32)>,
        copy: Option<bool>,
    ) -> PyResult<Bound<'py, PyAny>> {
        // A producer may give an older version than is asked for.
        let _ = max_version;
        if stream.is_some() {
            return Err(PyBufferError::new_err("the tensor is in the host's memory, where there are no streams"));
        }
        if dl_device.is_some_and(|device| device != CPU) {
            return Err(PyBufferError::new_err(
                "the tensor is in the host's memory; take it there, and copy it to the device",
            ));
        }
        let (values, n, rows) = self.values()?;
        let shape = [rows as i64, values.len().checked_div(n).unwrap_or(0) as i64];
        let strides = [1, n as i64];
        let (data, memory) = match copy {
            Some(true) => {
                let own = values.to_vec();
                (own.as_ptr(), Memory::Own(own))
            }
            _ => (values.as_ptr(), Memory::Shared(Arc::clone(&self.held))),
        };
        let lent = Box::into_raw(Box::new(Lent { shape, strides, _memory: memory }));
        let tensor = DlTensor {
            data: data.cast_mut().cast(),
            device: [CPU.0, CPU.1],
            n_axes: 2,
            code: FLOAT,
            bits: 32,
            lanes: 1,
            // SAFETY: `lent` was just made, and its fields stay where they are until `delete`.
            shape: unsafe { (&raw mut (*lent).shape).cast() },
            // SAFETY: as above.
            strides: unsafe { (&raw mut (*lent).strides).cast() },
            byte_offset: 0,
        };
        let managed = DlManagedTensor { tensor, context: lent.cast(), deleter: Some(delete) };
        let managed = Box::into_raw(Box::new(managed));
        // SAFETY: the name lives for ever, and the pointer is that of a tensor which `drop_unused` or its reader deletes.
        let capsule = unsafe { ffi::PyCapsule_New(managed.cast(), NEW.as_ptr(), Some(drop_unused)) };
        if capsule.is_null() {
            // SAFETY: nobody else has it.
            unsafe { delete(managed) };
            return Err(PyErr::fetch(py));
        }
        // SAFETY: a new reference, which is not null.
        Ok(unsafe { Bound::from_owned_ptr(py, capsule) })
    }
}

/// Ends a tensor: its reader calls this, from any thread.
///
/// # Safety
/// `managed` comes from [`Tensor::__dlpack__`] and is not used afterwards.
unsafe extern "C" fn delete(managed: *mut DlManagedTensor) {
    // SAFETY: both boxes were made there, and by the contract nobody deletes them twice. What they hold is `Send`.
    unsafe {
        let managed = Box::from_raw(managed);
        drop(Box::from_raw(managed.context.cast::<Lent>()));
    }
}

/// Deletes the tensor of a capsule that nobody has read: whoever does gives it another name.
///
/// # Safety
/// Python calls it with a capsule that it frees.
unsafe extern "C" fn drop_unused(capsule: *mut ffi::PyObject) {
    let name: *const c_char = NEW.as_ptr();
    // SAFETY: a capsule, with the interpreter's lock held.
    unsafe {
        if ffi::PyCapsule_IsValid(capsule, name) == 1 {
            delete(ffi::PyCapsule_GetPointer(capsule, name).cast());
        }
    }
}
