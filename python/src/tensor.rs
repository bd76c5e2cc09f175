//! A structure's features as a tensor, by DLPack. Readers get the memory that the features were computed into, the host's or a
//! device's.

use crate::consume::{Batch, Done};
use crate::ending::detached;
use crate::lock::Unlocked;
use prism_host::engine::{BatchResults, DeviceValues, Selection, StructureView};
use prism_host::output::{Column, Columns, RecordBatches, StructureRows};
use prism_host::pipeline;
use prism_host::plural::counted;
use pyo3::exceptions::{PyBufferError, PyRuntimeError, PyTypeError, PyValueError};
use pyo3::ffi;
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict};
use shared_types::residue::{FIRST_NUCLEOTIDE, NUCLEOTIDES, RESIDUES, ResidueKind, STANDARD, nucleotide_of, parent_of};
use std::collections::HashMap;
use std::ffi::{CStr, c_char, c_void};
use std::sync::Arc;

/// `kDLCPU`, and its only device.
const CPU: (i32, i32) = (1, 0);
/// `kDLCUDA`.
const CUDA: i32 = 2;
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

/// What a tensor's reader needs until it drops the tensor.
struct Lent {
    shape: [i64; 2],
    strides: [i64; 2],
    _memory: Memory,
}

/// The memory that a tensor points to.
#[expect(dead_code, reason = "nobody reads it: it keeps the memory alive")]
enum Memory {
    Shared(Arc<Held>),
    Own(Vec<f32>),
    Device(Unlocked<DeviceValues>),
}

/// The memory of the values. They are stored column by column.
enum Values<'a> {
    Host(&'a [f32]),
    Device(DeviceValues),
}

/// Structures and their results, which tensors share.
pub struct Held {
    pub inputs: pipeline::Batch,
    /// Some may be on a device.
    pub results: Unlocked<BatchResults>,
    /// The requested features.
    pub selection: Selection,
}

/// A structure's features: `float32`, shape `(residues, columns)`, NaN where a feature is not defined. `from_dlpack` of PyTorch, NumPy,
/// CuPy and others takes it without a copy. The memory is kept until the last reader drops it.
/// The tensor is read-only by agreement: all readers share the memory, and DLPack below version 1 has no flag for it. To write, take a
/// copy (`copy=True`).
#[pyclass(frozen, module = "prism_features._prism")]
pub struct Tensor {
    held: Arc<Held>,
    /// The structure's index in its batch.
    index: usize,
}

impl Tensor {
    pub fn new(held: Arc<Held>, index: usize) -> Self {
        Self { held, index }
    }

    fn view(&self) -> PyResult<StructureView<'_>> {
        self.held.results.get(self.index).map_err(|error| PyValueError::new_err(error.to_string()))
    }

    fn values(&self) -> PyResult<Values<'_>> {
        Ok(match self.held.results.device_values(self.index) {
            Some(values) => Values::Device(values),
            None => Values::Host(self.view()?.values),
        })
    }

    /// The shape (residues and columns), and the strides in elements.
    fn axes(&self) -> PyResult<([i64; 2], [i64; 2])> {
        let residues = self.view()?.n_residues;
        let rows = residues.min(self.held.inputs.structures[self.index].n_rows_with_hetero());
        Ok(([rows as i64, self.held.selection.width() as i64], [1, residues as i64]))
    }
}

#[pymethods]
impl Tensor {
    /// The structure's name.
    #[getter]
    fn name(&self) -> &str {
        &self.held.inputs.structures[self.index].name
    }

    /// The names of the columns, in the order of `prism.columns()`.
    #[getter]
    fn columns(&self) -> Vec<&'static str> {
        self.held.selection.features().iter().map(|feature| feature.name).collect()
    }

    /// The residues of its rows: a `pyarrow.RecordBatch` of the columns that identify them.
    #[getter]
    fn rows<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        let runtime_error = |error: String| PyRuntimeError::new_err(error);
        let columns = Columns::choose(Column::IDENTITY.iter().map(Column::name))
            .map_err(|error| runtime_error(error.to_string()))?;
        let part = StructureRows { structure: &self.held.inputs.structures[self.index], features: self.view()? };
        let rows = RecordBatches::new(columns, HashMap::new())
            .batch(&[part])
            .map_err(|error| runtime_error(error.to_string()))?;
        let batch = Batch::from(Done::of_rows(rows, Vec::new(), Vec::new(), 1));
        py.import("pyarrow")?.call_method1("record_batch", (batch,))
    }

    /// The type of each residue, as a NumPy array of `uint8`: the index in `prism.RESIDUES` of what it is or derives from.
    #[getter]
    fn residue_types<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        let (rows, _) = self.shape()?;
        let structure = &self.held.inputs.structures[self.index];
        let types: Vec<u8> = structure.residue_types[..rows as usize].iter().map(|kind| residue_type(*kind)).collect();
        py.import("numpy")?.call_method1("frombuffer", (PyBytes::new(py, &types), "uint8"))
    }

    /// The numbers of residues and of columns.
    #[getter]
    fn shape(&self) -> PyResult<(i64, i64)> {
        self.axes().map(|([rows, columns], _)| (rows, columns))
    }

    fn __repr__(&self) -> PyResult<String> {
        const SHOWN: usize = 4;
        let (columns, (rows, _)) = (self.columns(), self.shape()?);
        let more = if columns.len() > SHOWN { ", ..." } else { "" };
        let shown = columns[..columns.len().min(SHOWN)].join(", ");
        let (residues, count) = (counted(rows, "residue", "residues"), counted(columns.len(), "column", "columns"));
        Ok(format!("<prism.Tensor {:?}: {residues}, {count}: {shown}{more}>", self.name()))
    }

    /// As a NumPy array, which shares the memory where it can.
    #[pyo3(signature = (dtype = None, copy = None))]
    fn __array__<'py>(
        this: &Bound<'py, Self>,
        dtype: Option<Bound<'py, PyAny>>,
        copy: Option<bool>,
    ) -> PyResult<Bound<'py, PyAny>> {
        if let Values::Device(_) = this.get().values()? {
            let message = "the tensor is on a GPU; numpy.from_dlpack(tensor, device=\"cpu\") copies it";
            return Err(PyTypeError::new_err(message));
        }
        let numpy = this.py().import("numpy")?;
        let array = numpy.call_method1("from_dlpack", (this,))?;
        let how = PyDict::new(this.py());
        how.set_item("dtype", dtype)?;
        how.set_item("copy", copy)?;
        numpy.call_method("array", (array,), Some(&how))
    }

    /// The kind of device, as DLPack numbers them, and its ordinal.
    fn __dlpack_device__(&self) -> PyResult<(i32, i32)> {
        Ok(match self.values()? {
            Values::Host(_) => CPU,
            Values::Device(values) => (CUDA, values.device() as i32),
        })
    }

    #[pyo3(signature = (*, stream = None, max_version = None, dl_device = None, copy = None))]
    fn __dlpack__<'py>(
        &self,
        py: Python<'py>,
        stream: Option<i64>,
        max_version: Option<(u32, u32)>,
        dl_device: Option<(i32, i32)>,
        copy: Option<bool>,
    ) -> PyResult<Bound<'py, PyAny>> {
        // A producer may give an older version than the requested one.
        let _ = max_version;
        let refuse = |message: &str| Err(PyBufferError::new_err(message.to_owned()));
        let found = self.__dlpack_device__()?;
        let wanted = dl_device.unwrap_or(found);
        let (data, memory) = match self.values()? {
            Values::Host(_) if stream.is_some_and(|stream| stream != -1) => {
                return refuse("the tensor is in the host's memory, where there are no streams");
            }
            Values::Host(_) if wanted != CPU => {
                return refuse("the tensor is in the host's memory; take it there, and copy it to the device");
            }
            Values::Host(values) if copy == Some(true) => own(values.to_vec()),
            Values::Host(values) => (values.as_ptr().cast(), Memory::Shared(Arc::clone(&self.held))),
            Values::Device(values) if wanted == CPU && copy != Some(false) => {
                let copied = detached(py, || values.download());
                own(copied.map_err(|error| PyRuntimeError::new_err(error.to_string()))?)
            }
            Values::Device(_) if wanted != found => {
                return refuse("the tensor is on another device; take it there, and copy it from there");
            }
            Values::Device(_) if copy == Some(true) => {
                return refuse("the tensor is given as it is; take it without copy, and copy it then");
            }
            Values::Device(_) if stream.is_some_and(|stream| stream < -1 || stream == 0) => {
                return refuse(
                    "a stream is None, 1 (the legacy default stream), 2 (that of the thread), a handle, or -1",
                );
            }
            // The values are complete, so any stream may read them.
            Values::Device(values) => {
                (std::ptr::with_exposed_provenance(values.address() as usize), Memory::Device(Unlocked::new(values)))
            }
        };
        let (shape, strides) = self.axes()?;
        capsule(py, data, wanted, Lent { shape, strides, _memory: memory })
    }
}

/// Names of the types of residues: the standard amino acids, one for all others, and nucleotides.
pub fn residue_types() -> Vec<&'static str> {
    let amino_acids = RESIDUES[..STANDARD].iter().map(|residue| residue.name);
    amino_acids.chain(["UNK"]).chain(NUCLEOTIDES.iter().map(|(name, _)| *name)).collect()
}

/// The index of a residue's type there.
fn residue_type(kind: ResidueKind) -> u8 {
    let other = STANDARD as u8;
    match (parent_of(kind), nucleotide_of(kind)) {
        (Some(parent), _) => parent.min(other),
        (None, Some(nucleotide)) => other + 1 + (nucleotide - FIRST_NUCLEOTIDE),
        (None, None) => other,
    }
}

/// Values that belong to one tensor alone.
fn own(values: Vec<f32>) -> (*const c_void, Memory) {
    (values.as_ptr().cast(), Memory::Own(values))
}

/// The capsule that a reader takes: a tensor at `data`. `lent` keeps that memory.
fn capsule<'py>(py: Python<'py>, data: *const c_void, device: (i32, i32), lent: Lent) -> PyResult<Bound<'py, PyAny>> {
    let lent = Box::into_raw(Box::new(lent));
    let tensor = DlTensor {
        data: data.cast_mut(),
        device: [device.0, device.1],
        n_axes: 2,
        code: FLOAT,
        bits: 32,
        lanes: 1,
        // SAFETY: `lent` was just made, and its fields keep their addresses until `delete`.
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

/// Drops a tensor. Its reader calls this, on any thread, with Python's lock or without it.
///
/// # Safety
/// `managed` comes from [`capsule`] and is not used afterwards.
unsafe extern "C" fn delete(managed: *mut DlManagedTensor) {
    // SAFETY: both boxes were made there, and by the contract nobody deletes them twice. What they hold is `Send`.
    unsafe {
        let managed = Box::from_raw(managed);
        drop(Box::from_raw(managed.context.cast::<Lent>()));
    }
}

/// Drops the tensor of a capsule that nobody has taken. A reader that takes one gives the capsule another name.
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
