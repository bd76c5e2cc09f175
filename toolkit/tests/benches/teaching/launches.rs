//! Launches: batches on one and several streams, many launches and a single graph.

use crate::{About, Clock, Lesson};
use anyhow::Result;
use cuda_host::{CudaError, CudaExecutor, DeviceBuffer, DeviceOffsets, Graph, PinnedBuffer};
use cuda_std::launch::{Offsets, Segments};
use test_kernels::{polynomial, spin};

/// A batch: its upload, kernel and download.
struct Batch {
    up: PinnedBuffer<u32>,
    input: DeviceBuffer<u32>,
    out: DeviceBuffer<u32>,
    down: PinnedBuffer<u32>,
    executor: CudaExecutor,
}

/// Batches that are uploaded, computed and downloaded in turn on one, two or three streams.
pub struct Streams {
    batches: Vec<Batch>,
    at: DeviceOffsets,
}

impl Streams {
    const STREAMS: usize = 3;
    const BATCHES: usize = 12;
    const LEN: usize = 4 << 20;
    const BLOCK: usize = 1024;
    /// The kernel then takes about as long as a copy on a data-centre GPU.
    const ROUNDS: u32 = 300;

    pub fn new(gpu: &CudaExecutor) -> Result<Self> {
        let offsets = (0..=Self::LEN / Self::BLOCK).map(|block| (block * Self::BLOCK) as u32).collect();
        let batch = |_| -> Result<Batch> {
            let context = gpu.context();
            let executor = gpu.on(&context.stream()?)?;
            let mut up = PinnedBuffer::zeroed(context, Self::LEN)?;
            up.as_mut_slice()?.fill(1);
            let input = DeviceBuffer::zeroed(executor.stream(), Self::LEN)?;
            let out = DeviceBuffer::zeroed(executor.stream(), Self::LEN)?;
            Ok(Batch { up, input, out, down: PinnedBuffer::zeroed(context, Self::LEN)?, executor })
        };
        let batches = (0..Self::STREAMS).map(batch).collect::<Result<_>>()?;
        Ok(Self { batches, at: DeviceOffsets::new(gpu.stream(), &Offsets::new(offsets)?)? })
    }
}

impl Lesson for Streams {
    fn about(&self) -> About {
        let name = "12 batches: up, kernel, down";
        let forms = ["on one stream", "on two streams", "on three streams"].map(str::to_owned).to_vec();
        About { name, clock: Clock::Host, forms, bytes: (2 * Self::BATCHES * Self::LEN * 4) as f64 }
    }

    fn run(&mut self, _: &CudaExecutor, form: usize) -> Result<()> {
        let streams = form + 1;
        for batch in 0..Self::BATCHES {
            let Batch { up, input, out, down, executor } = &mut self.batches[batch % streams];
            let stream = executor.stream();
            up.upload(stream, input.view_mut())?;
            let segments = Segments { data: out.view_mut(), offsets: &self.at };
            let args = spin::Args { out: segments, input: input.view(), rounds: Self::ROUNDS };
            spin::launch(executor, (Self::LEN / Self::BLOCK) as u32, args)?;
            down.download(stream, out.view())?;
        }
        for batch in &self.batches[..streams] {
            batch.executor.synchronize()?;
        }
        Ok(())
    }

    fn is_right(&self, _: &CudaExecutor) -> Result<bool> {
        let step = |x: u32, _| x.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        let expected = (0..Self::ROUNDS).fold(1, step);
        let first = self.batches[0].down.as_slice()?;
        Ok([0, Self::LEN / 2, Self::LEN - 1].iter().all(|i| first[*i] == expected))
    }
}

/// A hundred small kernels in sequence.
pub struct Launches {
    x: DeviceBuffer<f32>,
    out: DeviceBuffer<f32>,
    graph: Graph,
}

impl Launches {
    const LAUNCHES: usize = 100;
    const LEN: usize = 512;

    pub fn new(gpu: &CudaExecutor) -> Result<Self> {
        let x = DeviceBuffer::from_slice(gpu.stream(), &[3.0f32; Self::LEN])?;
        let mut out = DeviceBuffer::zeroed(gpu.stream(), Self::LEN)?;
        let (graph, ()) = Graph::record::<_, CudaError>(gpu, |recorder| launch_all(recorder.executor(), &x, &mut out))?;
        Ok(Self { x, out, graph })
    }
}

fn launch_all(executor: &CudaExecutor, x: &DeviceBuffer<f32>, out: &mut DeviceBuffer<f32>) -> Result<(), CudaError> {
    for _ in 0..Launches::LAUNCHES {
        polynomial::launch(executor, 1, polynomial::Args { out: out.view_mut(), x: x.view(), a: 1.0, b: 2.0, c: 3.0 })?;
    }
    Ok(())
}

impl Lesson for Launches {
    fn about(&self) -> About {
        let name = "100 small kernels";
        let forms = ["100 launches", "one launch of a graph"].map(str::to_owned).to_vec();
        About { name, clock: Clock::Host, forms, bytes: (Self::LAUNCHES * 2 * 4 * Self::LEN) as f64 }
    }

    fn run(&mut self, gpu: &CudaExecutor, form: usize) -> Result<()> {
        match form {
            0 => Ok(launch_all(gpu, &self.x, &mut self.out)?),
            _ => Ok(self.graph.launch(gpu.stream())?),
        }
    }

    fn is_right(&self, gpu: &CudaExecutor) -> Result<bool> {
        Ok(self.out.download(gpu.stream())? == [18.0; Self::LEN])
    }
}
