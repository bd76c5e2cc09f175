//! Random programs: for any sequence of operations on streams, pools and graphs, buffers have the contents of a plain
//! program.

use crate::gpu;
use cuda_host::{
    CudaError, CudaExecutor, DeviceBuffer, GpuBufferPool, Graph, PinnedBuffer, PinnedPool, PoolOptions, Stream,
};
use std::cell::RefCell;
use std::rc::Rc;
use toolkit_tests::dice::Dice;

/// The contents of some memory in the plain program.
type Model = Rc<RefCell<Vec<u32>>>;

struct Program {
    random: Dice,
    streams: Vec<Stream>,
    memory: GpuBufferPool,
    staging: PinnedPool,
    live: Vec<(DeviceBuffer<u32>, Model)>,
    /// Each copies a number of elements of the first to the second, and clears as many after those.
    graphs: Vec<(Graph, Model, Model, usize)>,
    /// Downloads that have not been read, with their expected contents.
    late: Vec<(PinnedBuffer<u32>, Vec<u32>)>,
    next: u32,
}

impl Program {
    fn new(gpu: &CudaExecutor, seed: u64) -> Self {
        let options = PoolOptions::default().busy_blocks(seed as usize % 3);
        Self {
            random: Dice::new(seed),
            streams: (0..3).map(|_| gpu.context().stream().unwrap()).collect(),
            memory: GpuBufferPool::with_options(gpu.context(), options),
            staging: PinnedPool::with_options(gpu.context(), options),
            live: Vec::new(),
            graphs: Vec::new(),
            late: Vec::new(),
            next: 0,
        }
    }

    fn stream(&mut self) -> Stream {
        let at = self.random.below(self.streams.len());
        self.streams[at].clone()
    }

    fn step(&mut self, gpu: &CudaExecutor) -> Result<(), CudaError> {
        let stream = self.stream();
        let count = self.live.len();
        match self.random.below(10) {
            0..=2 if count < 6 => self.upload(&stream),
            0..=2 => {
                let at = self.random.below(count);
                drop(self.live.swap_remove(at));
                Ok(())
            }
            3 | 4 if count > 1 => self.copy(&stream),
            5 if count > 0 => self.download(&stream),
            6 if count > 0 => self.grow(&stream),
            7 if count > 1 && self.graphs.len() < 3 => self.record(gpu),
            7 | 8 if !self.graphs.is_empty() => self.launch(&stream),
            9 if !self.graphs.is_empty() && self.random.below(3) == 0 => {
                let at = self.random.below(self.graphs.len());
                drop(self.graphs.swap_remove(at));
                Ok(())
            }
            _ => self.look(),
        }
    }

    fn upload(&mut self, stream: &Stream) -> Result<(), CudaError> {
        let len = 1 + self.random.below(3000);
        let mut staging = self.staging.lease::<u32>(len)?;
        let elements: Vec<u32> = (0..len as u32).map(|i| self.next + i).collect();
        self.next += 10_000;
        staging.as_mut_slice()?.copy_from_slice(&elements);
        let mut buffer = self.memory.lease(stream, len)?;
        staging.upload(stream, buffer.view_mut())?;
        self.live.push((buffer, Rc::new(RefCell::new(elements))));
        Ok(())
    }

    /// Two buffers, and the number of elements that both have.
    fn pair(&mut self) -> (usize, usize, usize) {
        let from = self.random.below(self.live.len());
        let to = (from + 1 + self.random.below(self.live.len() - 1)) % self.live.len();
        (from, to, self.live[from].0.len().min(self.live[to].0.len()))
    }

    fn copy(&mut self, stream: &Stream) -> Result<(), CudaError> {
        let (from, to, len) = self.pair();
        let [(from, source), (to, target)] = self.live.get_disjoint_mut([from, to]).unwrap();
        to.slice_mut(..len)?.copy_from_device(stream, from.slice(..len)?)?;
        target.borrow_mut()[..len].copy_from_slice(&source.borrow()[..len]);
        Ok(())
    }

    fn grow(&mut self, stream: &Stream) -> Result<(), CudaError> {
        let (at, more) = (self.random.below(self.live.len()), 1 + self.random.below(2000));
        let (buffer, model) = &mut self.live[at];
        let len = buffer.len() + more;
        if len > buffer.capacity() {
            // Other memory: graphs keep the previous one.
            let copy = model.borrow().clone();
            *model = Rc::new(RefCell::new(copy));
        }
        buffer.grow(stream, len)?;
        let mut model = model.borrow_mut();
        let kept = model.len();
        if kept < len {
            model.resize(len, 0);
        }
        Ok(())
    }

    fn record(&mut self, gpu: &CudaExecutor) -> Result<(), CudaError> {
        let (from, to, len) = self.pair();
        let [(from, source), (to, target)] = self.live.get_disjoint_mut([from, to]).unwrap();
        let half = len / 2;
        let (graph, ()) = Graph::record::<_, CudaError>(gpu, |recorder| {
            to.slice_mut(..half)?.copy_from_device(recorder.stream(), from.slice(..half)?)?;
            to.slice_mut(half..2 * half)?.zero(recorder.stream())
        })?;
        self.graphs.push((graph, source.clone(), target.clone(), half));
        Ok(())
    }

    fn launch(&mut self, stream: &Stream) -> Result<(), CudaError> {
        let at = self.random.below(self.graphs.len());
        let (graph, from, to, half) = &mut self.graphs[at];
        graph.launch(stream)?;
        let mut to = to.borrow_mut();
        to[..*half].copy_from_slice(&from.borrow()[..*half]);
        to[*half..2 * *half].fill(0);
        Ok(())
    }

    fn download(&mut self, stream: &Stream) -> Result<(), CudaError> {
        let at = self.random.below(self.live.len());
        let (buffer, model) = &self.live[at];
        let mut staging = self.staging.lease(buffer.len())?;
        staging.download(stream, buffer.view())?;
        self.late.push((staging, model.borrow()[..buffer.len()].to_vec()));
        Ok(())
    }

    fn look(&mut self) -> Result<(), CudaError> {
        if !self.late.is_empty() {
            let at = self.random.below(self.late.len());
            let (found, expected) = self.late.swap_remove(at);
            assert_eq!(found.as_slice()?, expected);
        }
        Ok(())
    }
}

#[test]
fn random_programs_compute_what_plain_ones_do() {
    let Some(gpu) = gpu() else { return };
    let mut reuses = 0;
    for seed in 1..=40 {
        let mut program = Program::new(&gpu, seed);
        for step in 0..150 {
            program.step(&gpu).unwrap_or_else(|error| panic!("seed {seed}, step {step}: {error}"));
        }
        let stream = program.stream();
        for (buffer, model) in &program.live {
            assert_eq!(buffer.download(&stream).unwrap(), model.borrow()[..buffer.len()], "seed {seed}");
        }
        while !program.late.is_empty() {
            program.look().unwrap();
        }
        reuses += program.memory.statistics().reuses + program.staging.statistics().reuses;
        program.live.clear();
        program.graphs.clear();
        let (memory, staging) = (program.memory.statistics(), program.staging.statistics());
        assert_eq!((memory.blocks_in_use, staging.blocks_in_use), (0, 0));
    }
    assert!(reuses > 1000, "{reuses}");
}
