//! Workers that fail like devices, for tests. They compute on the CPU.

use super::cpu::CpuWorker;
use super::results::BatchFeatures;
use super::selection::Request;
use super::worker::{DeviceTimes, Worker};
use super::{DeviceError, DeviceErrorKind, EngineError};
use crate::pack::PackedBatch;
use shared_types::{MegaFusedConfig, Steps};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Barrier};
use std::time::Duration;

/// A record of a worker's batches.
#[derive(Debug, Default)]
pub struct Seen {
    /// The number of batches that it was given.
    pub tried: AtomicUsize,
    /// The number of batches that it computed.
    pub done: AtomicUsize,
    /// Batches at once: now, and at most.
    pub now: AtomicUsize,
    pub most: AtomicUsize,
    pub released: AtomicUsize,
    /// The number of heavy atoms whose surface it computed.
    pub exposed_atoms: AtomicUsize,
}

/// A worker that runs out of memory, or breaks.
#[derive(Debug)]
pub struct Injected {
    name: String,
    slots: usize,
    cpu: CpuWorker,
    /// Its memory, in atoms of all batches at once.
    memory: usize,
    used: AtomicUsize,
    /// The number of batches after which it breaks.
    breaks_after: usize,
    /// The number of batches after which it panics.
    panics_after: usize,
    slowness: Duration,
    /// Its first batch waits here for those of other workers.
    meeting: Option<Arc<Barrier>>,
    pub seen: Arc<Seen>,
}

impl Injected {
    pub fn new(name: &str, slots: usize) -> Self {
        Self {
            name: name.to_owned(),
            slots,
            cpu: CpuWorker::new(MegaFusedConfig::default().points),
            memory: usize::MAX,
            used: AtomicUsize::new(0),
            breaks_after: usize::MAX,
            panics_after: usize::MAX,
            slowness: Duration::ZERO,
            meeting: None,
            seen: Arc::default(),
        }
    }

    pub fn with_memory(self, atoms: usize) -> Self {
        Self { memory: atoms, ..self }
    }

    pub fn breaking_after(self, batches: usize) -> Self {
        Self { breaks_after: batches, ..self }
    }

    pub fn panicking_after(self, batches: usize) -> Self {
        Self { panics_after: batches, ..self }
    }

    pub fn taking(self, slowness: Duration) -> Self {
        Self { slowness, ..self }
    }

    pub fn meeting(self, others: Arc<Barrier>) -> Self {
        Self { meeting: Some(others), ..self }
    }

    pub fn boxed(self) -> Box<dyn Worker> {
        Box::new(self)
    }

    fn compute(&self, batch: &PackedBatch, request: &Request) -> Result<BatchFeatures, EngineError> {
        std::thread::sleep(self.slowness);
        let tried = self.seen.tried.fetch_add(1, Ordering::SeqCst);
        if let Some(others) = self.meeting.as_ref().filter(|_| tried == 0) {
            others.wait();
        }
        assert!(tried != self.panics_after, "a defect");
        if tried >= self.breaks_after {
            return Err(EngineError::Device(broken(&self.name)));
        }
        let before = self.used.fetch_add(batch.n_atoms(), Ordering::SeqCst);
        let result = if before + batch.n_atoms() > self.memory {
            let message = format!("{} of {} bytes are left", self.memory.saturating_sub(before), self.memory);
            Err(EngineError::Device(DeviceError::new(DeviceErrorKind::OutOfMemory, message)))
        } else {
            self.cpu.run(batch, request)
        };
        self.used.fetch_sub(batch.n_atoms(), Ordering::SeqCst);
        let features = result?;
        self.seen.done.fetch_add(1, Ordering::SeqCst);
        if request.selection.steps().has(Steps::EXPOSURE) {
            self.seen.exposed_atoms.fetch_add(batch.n_atoms(), Ordering::SeqCst);
        }
        let one = Duration::from_nanos(1);
        Ok(features.timed(DeviceTimes { upload: one, kernels: 2 * one, download: 3 * one }))
    }
}

/// A backend's error for a lost device.
pub fn broken(name: &str) -> DeviceError {
    DeviceError::lost(format!("waiting for a stream of {name}: an illegal memory access was encountered"))
}

impl Worker for Injected {
    fn name(&self) -> &str {
        &self.name
    }

    fn slots(&self) -> usize {
        self.slots
    }

    fn run(&self, batch: &PackedBatch, request: &Request) -> Result<BatchFeatures, EngineError> {
        let now = self.seen.now.fetch_add(1, Ordering::SeqCst) + 1;
        self.seen.most.fetch_max(now, Ordering::SeqCst);
        let result = self.compute(batch, request);
        self.seen.now.fetch_sub(1, Ordering::SeqCst);
        result
    }

    fn release(&self) {
        assert_eq!(self.seen.now.load(Ordering::SeqCst), 0, "nobody computes while memory is given back");
        self.seen.released.fetch_add(1, Ordering::SeqCst);
    }
}
