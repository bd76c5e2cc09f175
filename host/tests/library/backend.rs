//! A backend other than CUDA and the CPU is one module, like this file, which uses only the public interface.

use cuda_layout::DeviceLayout;
use cuda_std::launch::{CpuExecutor, Host, Offsets};
use prism_host::engine::{
    BatchFeatures, DeviceError, DeviceErrorKind, EngineError, HostMemory, InputBuffers, Largest, Memory,
    OutOfHostMemory, Request, Worker, Workspace, launch_mega_fused_batch, point_groups,
};
use prism_host::read::{ReadOptions, read_path};
use prism_host::{Backend, Engine, PackedBatch, StructureInput};
use std::cell::Cell;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

/// The limited memory of an imaginary device.
struct SmallMemory {
    bytes: usize,
    used: Cell<usize>,
}

/// A buffer in that memory.
struct SmallBuffer<T>(Vec<T>);

#[derive(Debug)]
enum SmallError {
    /// Number of requested bytes.
    Full(usize),
    Host(OutOfHostMemory),
}

impl From<OutOfHostMemory> for SmallError {
    fn from(error: OutOfHostMemory) -> Self {
        Self::Host(error)
    }
}

impl Memory for SmallMemory {
    type Space = Host;
    type Error = SmallError;
    type Buffer<T: DeviceLayout> = SmallBuffer<T>;
    type Offsets = Offsets;

    fn empty<T: DeviceLayout>(&self) -> Result<SmallBuffer<T>, SmallError> {
        Ok(SmallBuffer(Vec::new()))
    }

    fn reserve<T: DeviceLayout>(&self, buffer: &mut SmallBuffer<T>, len: usize) -> Result<(), SmallError> {
        let wanted = len.saturating_sub(buffer.0.len()) * size_of::<T>();
        if self.used.get() + wanted > self.bytes {
            return Err(SmallError::Full(wanted));
        }
        self.used.set(self.used.get() + wanted);
        Ok(HostMemory.reserve(&mut buffer.0, len)?)
    }

    fn copy_to<T: DeviceLayout + Send + Sync>(
        &self,
        buffer: &mut SmallBuffer<T>,
        elements: &[T],
    ) -> Result<(), SmallError> {
        self.reserve(buffer, elements.len())?;
        Ok(HostMemory.copy_to(&mut buffer.0, elements)?)
    }

    fn copy_from<T: DeviceLayout + Send + Sync>(
        &self,
        buffer: &SmallBuffer<T>,
        to: &mut [T],
    ) -> Result<(), SmallError> {
        Ok(HostMemory.copy_from(&buffer.0, to)?)
    }

    fn no_offsets(&self) -> Result<Offsets, SmallError> {
        Ok(HostMemory.no_offsets()?)
    }

    fn set(&self, offsets: &mut Offsets, to: &Offsets) -> Result<(), SmallError> {
        Ok(HostMemory.set(offsets, to)?)
    }

    fn view<T: DeviceLayout>(buffer: &SmallBuffer<T>, len: usize) -> &[T] {
        HostMemory::view(&buffer.0, len)
    }

    fn view_mut<T: DeviceLayout>(buffer: &mut SmallBuffer<T>) -> &mut [T] {
        HostMemory::view_mut(&mut buffer.0)
    }

    fn offsets(offsets: &Offsets) -> &Offsets {
        HostMemory::offsets(offsets)
    }
}

/// The imaginary device: it runs threads in another order, has little memory, and may break.
#[derive(Debug)]
struct MadeUp {
    bytes: usize,
    breaks_after: usize,
    batches: AtomicUsize,
    refused: AtomicUsize,
}

impl MadeUp {
    fn new(bytes: usize, breaks_after: usize) -> Arc<Self> {
        Arc::new(Self { bytes, breaks_after, batches: AtomicUsize::new(0), refused: AtomicUsize::new(0) })
    }

    fn error(&self, error: SmallError) -> EngineError {
        match error {
            SmallError::Full(wanted) => {
                self.refused.fetch_add(1, Ordering::Relaxed);
                let message = format!("the made-up device has no {wanted} bytes left");
                EngineError::Device(DeviceError::new(DeviceErrorKind::OutOfMemory, message))
            }
            SmallError::Host(error) => error.into(),
        }
    }

    fn engine(self: &Arc<Self>) -> Engine {
        Engine::builder().workers([Arc::clone(self) as Arc<dyn Worker>]).build().unwrap()
    }
}

impl Worker for MadeUp {
    fn name(&self) -> &str {
        "a made-up device"
    }

    fn slots(&self) -> usize {
        2
    }

    fn run(&self, batch: &PackedBatch, request: &Request) -> Result<BatchFeatures, EngineError> {
        if self.batches.fetch_add(1, Ordering::Relaxed) >= self.breaks_after {
            return Err(EngineError::Device(DeviceError::lost("the made-up device fell off the bus")));
        }
        let memory = SmallMemory { bytes: self.bytes, used: Cell::new(0) };
        let failed = |error| self.error(error);
        let (chunk, config) = (batch.whole(), request.config);
        let mut points = memory.empty().map_err(failed)?;
        memory.copy_to(&mut points, &point_groups(config.points)).map_err(failed)?;
        let mut inputs = InputBuffers::new(&memory).map_err(failed)?;
        let mut work = Workspace::new(&memory).map_err(failed)?;
        work.prepare(&memory, &chunk, request, Largest { residues: 100, atoms: 700, centrality: 150, rows: 50 })
            .map_err(failed)?;
        inputs.upload(&memory, &chunk).map_err(failed)?;
        launch_mega_fused_batch(&CpuExecutor::shuffled(11), inputs.view(&points, config.points), &mut work, config)
            .map_err(|error| EngineError::of_launch(error, &chunk, &work))?;
        let mut features = BatchFeatures::room(batch, request)?;
        work.results(&memory, &mut features).map_err(failed)?;
        Ok(features)
    }
}

fn structures() -> Vec<StructureInput> {
    let read = |name: &str| read_path(format!("tests/data/{name}"), name, &ReadOptions::default()).unwrap().structure;
    ["1crn.pdb", "1ubq.pdb", "1crn.cif"].into_iter().cycle().take(6).map(read).collect()
}

#[test]
fn it_has_the_bits_of_cpu_cores() {
    let (structures, device) = (structures(), MadeUp::new(usize::MAX, usize::MAX));
    let engine = device.engine();
    assert_eq!(engine.backend_name(), "a made-up device");
    let expected = Engine::builder().backend(Backend::Cpu).build().unwrap().run(&structures).unwrap();
    let bits = |values: &[f32]| values.iter().map(|value| value.to_bits()).collect::<Vec<_>>();
    for (found, expected) in engine.run(&structures).unwrap().iter().zip(&expected) {
        assert_eq!(bits(found.values()), bits(expected.values()), "{}", found.name);
        assert_eq!((&found.site_ids, found.summary), (&expected.site_ids, expected.summary), "{}", found.name);
    }
}

#[test]
fn the_engine_halves_batches_for_it_and_names_what_never_fits() {
    let structures = structures();
    // Room for the tables of masks and a few structures.
    let tables = size_of_val(&*point_groups(Request::default().config.points));
    let device = MadeUp::new(tables + (1 << 19), usize::MAX);
    assert_eq!(device.engine().run(&structures).unwrap().len(), structures.len());
    assert!(device.refused.load(Ordering::Relaxed) > 0, "all of them at once do not fit");

    let device = MadeUp::new(1 << 10, usize::MAX);
    let each = device.engine().run_each(&structures[..2]).unwrap();
    for (index, result) in each.iter().enumerate() {
        let error = result.as_ref().unwrap_err();
        assert!(error.is_out_of_memory() && error.structure_index() == Some(index), "{error}");
    }
}

#[test]
fn the_engine_says_that_it_broke() {
    let device = MadeUp::new(usize::MAX, 1);
    let (engine, structures) = (device.engine(), structures());
    engine.run(&structures).unwrap();
    let error = engine.run(&structures).unwrap_err();
    assert!(error.to_string().contains("fell off the bus"), "{error}");
    assert_eq!(engine.lost()[0].name, "a made-up device");
}
