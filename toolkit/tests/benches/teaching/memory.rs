//! Memory: the order of reads, copies from and to the host, allocation.

use crate::{About, Clock, Lesson};
use anyhow::Result;
use cuda_host::{CudaExecutor, DeviceBuffer, GpuBufferPool, PinnedBuffer};
use test_kernels::strided_copy;

/// Copies on the device with increasing distance between reads.
pub struct Strides {
    n: u32,
    from: DeviceBuffer<f32>,
    to: DeviceBuffer<f32>,
    last: u32,
}

impl Strides {
    const STRIDES: [u32; 6] = [1, 2, 4, 8, 16, 32];

    pub fn new(gpu: &CudaExecutor, n: u32) -> Result<Self> {
        let values: Vec<f32> = (0..n).map(|i| (i % (1 << 24)) as f32).collect();
        let from = DeviceBuffer::from_slice(gpu.stream(), &values)?;
        Ok(Self { n, from, to: DeviceBuffer::zeroed(gpu.stream(), n as usize)?, last: 1 })
    }
}

impl Lesson for Strides {
    fn about(&self) -> About {
        let name = "coalescing";
        let strides = Self::STRIDES.iter().map(|stride| format!("reads {stride} apart"));
        let forms = std::iter::once("the driver's copy".to_owned()).chain(strides).collect();
        About { name, clock: Clock::Device, forms, bytes: 8.0 * f64::from(self.n) }
    }

    fn run(&mut self, gpu: &CudaExecutor, form: usize) -> Result<()> {
        let Some(stride) = form.checked_sub(1).map(|form| Self::STRIDES[form]) else {
            self.last = 1;
            return Ok(self.to.view_mut().copy_from_device(gpu.stream(), self.from.view())?);
        };
        self.last = stride;
        let args = strided_copy::Args { out: self.to.view_mut(), input: self.from.view(), stride };
        Ok(strided_copy::launch(gpu, self.n.div_ceil(4096), args)?)
    }

    fn is_right(&self, gpu: &CudaExecutor) -> Result<bool> {
        let found = self.to.slice(..1000)?.download(gpu.stream())?;
        Ok(found.iter().zip(0..).all(|(x, i)| *x == (i * self.last % (1 << 24)) as f32))
    }
}

/// The direction of a copy.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Way {
    Up,
    Down,
}

/// Copies between host and device, with a vector and with page-locked memory.
pub struct Transfers {
    way: Way,
    pageable: Vec<f32>,
    pinned: PinnedBuffer<f32>,
    device: DeviceBuffer<f32>,
}

impl Transfers {
    pub fn new(gpu: &CudaExecutor, n: u32, way: Way) -> Result<Self> {
        let n = n as usize;
        let mut pinned = PinnedBuffer::zeroed(gpu.context(), n)?;
        pinned.as_mut_slice()?.fill(2.0);
        // Written, so that its pages exist.
        let pageable = vec![2.0f32; n];
        let device = DeviceBuffer::from_slice(gpu.stream(), &pageable)?;
        Ok(Self { way, pageable, pinned, device })
    }
}

impl Lesson for Transfers {
    fn about(&self) -> About {
        let name = match self.way {
            Way::Up => "copy to the device",
            Way::Down => "copy from the device",
        };
        let forms = ["pageable memory", "page-locked memory"].map(str::to_owned).to_vec();
        About { name, clock: Clock::Host, forms, bytes: 4.0 * self.pageable.len() as f64 }
    }

    fn run(&mut self, gpu: &CudaExecutor, form: usize) -> Result<()> {
        let stream = gpu.stream();
        match (form, self.way) {
            (0, Way::Up) => self.device.upload(stream, &self.pageable)?,
            (0, Way::Down) => self.device.download_into(stream, &mut self.pageable)?,
            (_, Way::Up) => self.pinned.upload(stream, self.device.view_mut())?,
            (_, Way::Down) => self.pinned.download(stream, self.device.view())?,
        }
        Ok(())
    }

    fn is_right(&self, gpu: &CudaExecutor) -> Result<bool> {
        let device = self.device.slice(..1000)?.download(gpu.stream())?;
        let of = |values: &[f32]| values[..1000].iter().all(|x| *x == 2.0);
        Ok(of(&device) && of(&self.pageable) && of(self.pinned.as_slice()?))
    }
}

/// The memory of a batch: three buffers that are each written once.
pub struct Allocations {
    pool: GpuBufferPool,
}

impl Allocations {
    const BUFFERS: usize = 3;
    const LEN: usize = 4 << 20;

    pub fn new(gpu: &CudaExecutor) -> Self {
        Self { pool: GpuBufferPool::new(gpu.context()) }
    }
}

impl Lesson for Allocations {
    fn about(&self) -> About {
        let name = "memory of a batch";
        let forms = ["allocated for each batch", "leased from a pool"].map(str::to_owned).to_vec();
        About { name, clock: Clock::Host, forms, bytes: (Self::BUFFERS * Self::LEN * 4) as f64 }
    }

    fn run(&mut self, gpu: &CudaExecutor, form: usize) -> Result<()> {
        let stream = gpu.stream();
        for _ in 0..Self::BUFFERS {
            // A batch would have all of them at once; in sequence they take as long.
            match form {
                0 => drop(DeviceBuffer::<f32>::zeroed(stream, Self::LEN)?),
                _ => drop(self.pool.lease_zeroed::<f32>(stream, Self::LEN)?),
            }
        }
        Ok(())
    }

    fn is_right(&self, _: &CudaExecutor) -> Result<bool> {
        Ok(self.pool.statistics().allocations <= 1)
    }
}
