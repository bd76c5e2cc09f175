//! A record batch as Arrow's C data interface has it, in two allocations. Arrow's own export makes several for each column, which takes
//! longer than all else of a small call.

use arrow_array::cast::AsArray;
use arrow_array::types::{Float32Type, Int32Type};
use arrow_array::{Array, RecordBatch};
use arrow_schema::DataType;
use std::ffi::c_void;
use std::ptr;
use std::sync::Arc;

/// Buffers of a column, at most: validity, offsets, values.
const MOST_BUFFERS: usize = 3;

/// `struct ArrowArray`.
#[repr(C)]
struct ArrowArray {
    length: i64,
    null_count: i64,
    offset: i64,
    n_buffers: i64,
    n_children: i64,
    buffers: *const *const c_void,
    children: *const *mut ArrowArray,
    dictionary: *mut ArrowArray,
    release: Option<unsafe extern "C" fn(*mut ArrowArray)>,
    /// An `Arc<Shared>`: each array has one of its own, since a reader may keep a column and release the others.
    private_data: *mut c_void,
}

/// The memory to which all arrays of a batch point.
struct Shared {
    /// Keeps the buffers.
    _batch: RecordBatch,
    columns: Box<[Column]>,
    /// The addresses of the arrays of `columns`.
    children: Box<[*mut ArrowArray]>,
}

// SAFETY: nobody writes it, except that readers release arrays, each its own. Dropping the last reference frees it.
unsafe impl Send for Shared {}
// SAFETY: as above.
unsafe impl Sync for Shared {}

struct Column {
    array: ArrowArray,
    buffers: [*const c_void; MOST_BUFFERS],
}

/// A batch for a reader, which takes the struct array of its columns from the address.
pub struct Exported(Box<ArrowArray>);

// SAFETY: it owns the array, which points to memory that is `Send` and `Sync`.
unsafe impl Send for Exported {}

impl Exported {
    /// # Panics
    /// If a column has neither texts nor 32-bit numbers, which is so in no table.
    pub fn new(batch: &RecordBatch) -> Self {
        let columns: Box<[Column]> = batch.columns().iter().map(|column| Column::of(&**column)).collect();
        let children = vec![ptr::null_mut(); columns.len()].into();
        let mut shared = Arc::new(Shared { _batch: batch.clone(), columns, children });
        let own = Arc::get_mut(&mut shared).expect("nobody else has it yet");
        for (child, column) in own.children.iter_mut().zip(&mut own.columns) {
            // The boxes keep their addresses when the rest moves.
            column.array.buffers = column.buffers.as_ptr();
            *child = &raw mut column.array;
        }
        let children: Vec<*mut ArrowArray> = own.children.to_vec();
        for child in children {
            // SAFETY: the column exists, and no reader has it yet.
            unsafe { (*child).private_data = Arc::into_raw(Arc::clone(&shared)).cast_mut().cast() };
        }
        Self(Box::new(ArrowArray {
            length: batch.num_rows() as i64,
            null_count: 0,
            offset: 0,
            n_buffers: 1,
            n_children: shared.children.len() as i64,
            // Without validity: one null pointer.
            buffers: NO_VALIDITY.0.as_ptr(),
            children: shared.children.as_ptr(),
            dictionary: ptr::null_mut(),
            release: Some(release),
            private_data: Arc::into_raw(shared).cast_mut().cast(),
        }))
    }

    pub fn address(&self) -> usize {
        (&raw const *self.0).expose_provenance()
    }
}

impl Drop for Exported {
    fn drop(&mut self) {
        if let Some(release) = self.0.release {
            // SAFETY: no reader has taken it.
            unsafe { release(&raw mut *self.0) };
        }
    }
}

struct NoValidity([*const c_void; 1]);

// SAFETY: a null pointer points nowhere.
unsafe impl Sync for NoValidity {}

static NO_VALIDITY: NoValidity = NoValidity([ptr::null()]);

impl Column {
    /// Without `private_data` and the address of its buffers.
    fn of(column: &dyn Array) -> Self {
        let validity = match column.nulls() {
            None => ptr::null(),
            Some(nulls) => {
                assert_eq!(nulls.offset(), 0, "columns are made as a whole");
                nulls.validity().as_ptr().cast()
            }
        };
        let (n_buffers, buffers) = match column.data_type() {
            DataType::Float32 => {
                (2, [validity, column.as_primitive::<Float32Type>().values().as_ptr().cast(), ptr::null()])
            }
            DataType::Int32 => {
                (2, [validity, column.as_primitive::<Int32Type>().values().as_ptr().cast(), ptr::null()])
            }
            DataType::Utf8 => {
                let texts = column.as_string::<i32>();
                (3, [validity, texts.value_offsets().as_ptr().cast(), texts.value_data().as_ptr().cast()])
            }
            other => panic!("a table has no columns of {other}"),
        };
        let array = ArrowArray {
            length: column.len() as i64,
            null_count: column.null_count() as i64,
            offset: 0,
            n_buffers,
            n_children: 0,
            buffers: ptr::null(),
            children: ptr::null(),
            dictionary: ptr::null_mut(),
            release: Some(release),
            private_data: ptr::null_mut(),
        };
        Self { array, buffers }
    }
}

/// Releases an array, and those of its columns that nobody has taken.
///
/// # Safety
/// `array` is one of [`Exported`], or what a reader has moved it to, and was not released.
unsafe extern "C" fn release(array: *mut ArrowArray) {
    // SAFETY: by the contract the array and all that it points to exist: it has a reference to them, which is dropped last.
    unsafe {
        let shared = Arc::from_raw((*array).private_data.cast_const().cast::<Shared>());
        for index in 0..(*array).n_children as usize {
            let child = *(*array).children.add(index);
            if let Some(release) = (*child).release {
                release(child);
            }
        }
        (*array).release = None;
        drop(shared);
    }
}
