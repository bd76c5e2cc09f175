//! The memory of arrays that buffers use on a device: written memory belongs to one buffer alone.

use crate::dlpack::Lent;
use cuda_host::{DeviceView, ForeignBuffer};
use cuda_layout::DeviceLayout;
use pyo3::PyResult;
use pyo3::exceptions::PyValueError;
use std::ops::Range;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

struct Use {
    number: u64,
    device: usize,
    range: Range<u64>,
    is_written: bool,
}

struct Uses {
    next: u64,
    list: Vec<Use>,
}

static USES: Mutex<Uses> = Mutex::new(Uses { next: 0, list: Vec::new() });

fn uses() -> MutexGuard<'static, Uses> {
    USES.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Keeps a tensor, and others from its memory, until the work that uses it has ended.
pub(crate) struct Owner {
    number: u64,
    _lent: Arc<Lent>,
}

/// Notes that a buffer uses the memory of a tensor.
///
/// # Errors
/// If another buffer uses some of it, and one of them writes.
pub(crate) fn lend(lent: Arc<Lent>, device: usize, range: Range<u64>, is_written: bool) -> PyResult<Owner> {
    let mut uses = uses();
    let shares = |other: &&Use| {
        other.device == device && range.start < other.range.end && other.range.start < range.end && !range.is_empty()
    };
    if uses.list.iter().filter(shares).any(|other| is_written || other.is_written) {
        let message = "an array that is written shares memory with another that is in use; copy one of them";
        return Err(PyValueError::new_err(message));
    }
    let number = uses.next;
    uses.next += 1;
    uses.list.push(Use { number, device, range, is_written });
    Ok(Owner { number, _lent: lent })
}

impl Drop for Owner {
    fn drop(&mut self) {
        uses().list.retain(|other| other.number != self.number);
    }
}

/// The elements of an [`Array`](crate::Array) on a GPU, to read.
#[derive(Debug)]
pub struct DeviceArray<'call, T: DeviceLayout>(ForeignBuffer<'call, T>);

impl<'call, T: DeviceLayout> DeviceArray<'call, T> {
    pub(crate) fn new(buffer: ForeignBuffer<'call, T>) -> Self {
        Self(buffer)
    }

    /// All of them.
    #[must_use]
    pub fn view(&self) -> DeviceView<'_, T> {
        self.0.view()
    }
}
