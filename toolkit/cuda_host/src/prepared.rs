//! A launch's arguments as its queueing needs them, from one visit.

use crate::allocation::Memory;
use crate::args::RawArgs;
use crate::schedule::Output;
use crate::usage::{Access, Begun};
use crate::{CudaError, Device, DeviceBuffer, DeviceView, DeviceViewMut, Stream};
use cuda_layout::DeviceLayout;
use cuda_std::launch::{ArgVisitor, DynamicLength, Matrix, Segments};
use std::ops::Range;

/// Most buffers of a launch; offsets count as one, too.
const MAX_BUFFERS: usize = 64;

/// How a launch uses a buffer.
#[derive(Clone, Copy)]
pub(crate) enum Use {
    Read,
    Write,
    /// A buffer that keeps what the launch does not write must be readable, too.
    Update,
}

impl Use {
    pub(crate) fn access(self) -> Access {
        match self {
            Self::Read => Access::Read,
            Self::Write | Self::Update => Access::Write,
        }
    }
}

/// A buffer of a launch.
pub(crate) struct Used<'v> {
    pub(crate) memory: &'v Memory,
    pub(crate) bytes: Range<usize>,
    pub(crate) how: Use,
    /// Once the launch is ordered after other work on the buffer.
    pub(crate) begun: Option<Begun>,
}

/// The buffers of a launch, on the stack.
pub(crate) struct Uses<'v> {
    buffers: [Option<Used<'v>>; MAX_BUFFERS],
    count: usize,
}

impl<'v> Uses<'v> {
    /// Has no effect beyond the limit: there are fewer buffers than raw parameters, whose number is checked.
    fn push(&mut self, memory: &'v Memory, bytes: Range<usize>, how: Use) {
        if let Some(place) = self.buffers.get_mut(self.count) {
            *place = Some(Used { memory, bytes, how, begun: None });
            self.count += 1;
        }
    }

    fn read<T: DeviceLayout>(&mut self, view: &DeviceView<'v, T>) {
        self.push(view.memory(), view.bytes(), Use::Read);
    }

    pub(crate) fn write<T: DeviceLayout>(&mut self, view: &DeviceViewMut<'v, T>) {
        self.push(view.memory(), view.bytes(), Use::Write);
    }

    /// Address and bytes of what the launch writes.
    pub(crate) fn outputs(&self) -> Vec<Output> {
        let written = self.buffers[..self.count].iter().flatten().filter(|used| !matches!(used.how, Use::Read));
        written.map(|used| (used.memory.address() + used.bytes.start as u64, used.bytes.len())).collect()
    }

    /// The buffers, in the order of the arguments.
    pub(crate) fn each(&mut self) -> impl Iterator<Item = &mut Used<'v>> {
        self.buffers[..self.count].iter_mut().flatten()
    }
}

/// Receives a launch's arguments.
pub(crate) struct Prepared<'v> {
    pub(crate) raw: RawArgs,
    pub(crate) uses: Uses<'v>,
    /// Bytes of dynamic shared memory, and the parameter that requests them.
    pub(crate) shared: (u32, &'static str),
    /// The stream, if the kernel checks that no element of a `Scatter` is written twice.
    checks: Option<&'v Stream>,
    /// For each such `Scatter`, a zero bit for each element. Dropping them waits for the launch.
    pub(crate) marks: Vec<DeviceBuffer<u32>>,
    /// The first error in allocating them.
    pub(crate) failed: Result<(), CudaError>,
}

impl<'v> Prepared<'v> {
    pub(crate) fn new(checks: Option<&'v Stream>) -> Self {
        let uses = Uses { buffers: [const { None }; MAX_BUFFERS], count: 0 };
        Self { raw: RawArgs::new(), uses, shared: (0, ""), checks, marks: Vec::new(), failed: Ok(()) }
    }

    fn mark(&mut self, name: &'static str, len: usize) -> Result<(), CudaError> {
        let Some(stream) = self.checks else { return Ok(()) };
        stream.check_runs("a launch that checks its writes")?;
        let marks = DeviceBuffer::zeroed(stream, len.div_ceil(32))?;
        self.raw.push(name, &marks.view().address());
        self.marks.push(marks);
        Ok(())
    }
}

impl<'v> ArgVisitor<'v, Device> for Prepared<'v> {
    fn slice<T: DeviceLayout>(&mut self, name: &'static str, buffer: &'v DeviceView<'_, T>) {
        ArgVisitor::<Device>::slice(&mut self.raw, name, buffer);
        self.uses.read(buffer);
    }

    fn segments<T: DeviceLayout>(&mut self, name: &'static str, segments: &'v Segments<'_, Device, T>) {
        self.raw.segments(name, segments);
        self.uses.write(&segments.data);
        self.uses.read(&segments.offsets.view());
    }

    fn chunks<T: DeviceLayout>(&mut self, name: &'static str, buffer: &'v DeviceViewMut<'_, T>, per_block: usize) {
        ArgVisitor::<Device>::chunks(&mut self.raw, name, buffer, per_block);
        self.uses.write(buffer);
    }

    fn matrix<T: DeviceLayout>(&mut self, name: &'static str, matrix: &'v Matrix<'_, Device, T>, tile: [usize; 2]) {
        self.raw.matrix(name, matrix, tile);
        self.uses.write(&matrix.data);
    }

    fn atomics<T: DeviceLayout>(&mut self, name: &'static str, buffer: &'v DeviceViewMut<'_, T>) {
        ArgVisitor::<Device>::atomics(&mut self.raw, name, buffer);
        self.uses.push(buffer.memory(), buffer.bytes(), Use::Update);
    }

    fn scatter<T: DeviceLayout>(&mut self, name: &'static str, buffer: &'v DeviceViewMut<'_, T>) {
        self.atomics(name, buffer);
        if self.failed.is_ok() {
            self.failed = self.mark(name, buffer.len());
        }
    }

    fn dynamic_shared<T: DeviceLayout>(&mut self, name: &'static str, length: DynamicLength) {
        ArgVisitor::<Device>::dynamic_shared::<T>(&mut self.raw, name, length);
        // The product is checked in the same visit.
        self.shared = (length.0.saturating_mul(size_of::<T>() as u32), name);
    }

    fn value<T: DeviceLayout>(&mut self, name: &'static str, value: &'v T) {
        ArgVisitor::<Device>::value(&mut self.raw, name, value);
    }
}
