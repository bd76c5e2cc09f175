//! Values that stay on the device that computed them, for other libraries.

use super::DeviceError;
use std::fmt;
use std::ops::Range;
use std::sync::Arc;

/// Memory of a device with the values of a chunk of a batch: structure by structure, feature by feature, residue by residue. All
/// values are complete.
///
/// A backend's [`Worker`](super::Worker) implements it if it has a device.
pub(super) trait ValuesMemory: fmt::Debug + Send + Sync {
    /// The device's number.
    fn device(&self) -> usize;

    /// The device address of the first value.
    fn address(&self) -> u64;

    /// The number of features of a residue.
    fn width(&self) -> usize;

    /// Copies some values to the host.
    fn download(&self, range: Range<usize>) -> Result<Vec<f32>, DeviceError>;
}

/// A structure's values on a device: feature by feature in the order of [`Selection::features`](super::Selection::features),
/// residue by residue. They are complete, so any stream may read them at once. The memory lives as long as a clone of this.
/// Dropping the last clone waits for all work of the device, which may still be reading it.
///
/// ```no_run
/// use prism_engine::Selection;
/// use prism_read::{ReadOptions, read_path};
/// use prism_engine::{Backend, Engine};
///
/// let rbd = read_path("../../data/6m0j_rbd.pdb", "rbd", &ReadOptions::default())?.structure;
/// let engine = Engine::builder().backend(Backend::Cuda).selection(Selection::default().on_device()).build()?;
/// let results = engine.run_structures(&[rbd])?;
/// let values = results.device_values(0).expect("they stayed there");
/// println!("{} values at {:#x} of device {}", values.len(), values.address(), values.device());
/// assert_eq!(values.download()?.len(), values.len());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// The tests of `engine_gpu` run it (`lent`).
#[derive(Clone, Debug)]
pub struct DeviceValues {
    memory: Arc<dyn ValuesMemory>,
    /// The index in the chunk.
    residues: Range<usize>,
}

impl DeviceValues {
    pub(super) fn new(memory: Arc<dyn ValuesMemory>, residues: Range<usize>) -> Self {
        Self { memory, residues }
    }

    fn range(&self) -> Range<usize> {
        let width = self.memory.width();
        self.residues.start * width..self.residues.end * width
    }

    /// The device's number.
    #[must_use]
    pub fn device(&self) -> usize {
        self.memory.device()
    }

    /// The device address of the first value.
    #[must_use]
    pub fn address(&self) -> u64 {
        self.memory.address() + (self.range().start * size_of::<f32>()) as u64
    }

    /// Number of values.
    #[must_use]
    pub fn len(&self) -> usize {
        self.range().len()
    }

    /// Whether there are no values.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Copies the values to the host.
    ///
    /// # Errors
    /// Those of the device.
    pub fn download(&self) -> Result<Vec<f32>, DeviceError> {
        self.memory.download(self.range())
    }
}
