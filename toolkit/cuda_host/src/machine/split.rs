//! Elements that several machines share.

use super::{Buffer, Machine};
use crate::CudaError;
use crate::buffer::byte_len;
use cuda_layout::DeviceLayout;
use std::fmt;
use std::ops::Range;
use std::thread;

/// Elements that are cut into parts, one for each of several [`Machine`]s, so that each of them runs a kernel on its part.
///
/// Cuts are between the blocks of the kernel. Each machine gets as many blocks as the others, or one more, in the machines' order. A
/// kernel sees its part as if it were all: `start` of its output counts from the part's beginning. So the results have the same bits
/// on any number of machines if the kernel reads only inputs that are cut in the same way, or are whole on each machine and read
/// without the place of the output.
///
/// ```
/// use cuda_host::{CudaError, Machine, Split};
/// use cuda_std::prelude::*;
///
/// #[kernel(threads = 128)]
/// pub fn scaled(block: &mut Block, out: &mut Chunk<f32, 1024>, x: &[f32], a: f32) {
///     let (n, first) = (out.len(), out.start());
///     out.update(block, n, |i, y| *y = a * x.at(first + i));
/// }
///
/// # fn main() -> Result<(), CudaError> {
/// // `Machine::all("my kernels", IMAGE)` has every GPU, or the CPU cores if there is none.
/// let machines = [Machine::cpu(), Machine::cpu()];
/// let numbers: Vec<f32> = (0..5000).map(|i| i as f32).collect();
/// let x = Split::from_slice(&machines, &numbers, 1024)?;
/// let mut out = Split::zeroed(&machines, x.len(), 1024)?;
/// for (part, machine) in machines.iter().enumerate() {
///     let args = scaled::Args { out: out.part_mut(part).view_mut(), x: x.part(part).view(), a: 2.0 };
///     scaled::launch(machine, x.blocks(part), args)?;
/// }
/// assert_eq!((x.range(0), x.range(1)), (0..3072, 3072..5000));
/// assert_eq!(out.download()?[4999], 9998.0);
/// # Ok(())
/// # }
/// ```
pub struct Split<T: DeviceLayout> {
    parts: Vec<Buffer<T>>,
    per_block: usize,
}

impl<T: DeviceLayout> Split<T> {
    /// Cuts the elements of a slice. A block of the kernel has `per_block` of them: 256 if its output is a `Chunk<T, 256>`.
    ///
    /// # Errors
    /// Those of [`Machine::buffer`].
    ///
    /// # Panics
    /// If there is no machine, or a block has no elements.
    pub fn from_slice(machines: &[Machine], elements: &[T], per_block: usize) -> Result<Self, CudaError> {
        let ranges = ranges(elements.len(), per_block, machines.len());
        let parts = side_by_side(machines.iter().zip(ranges), |(machine, range)| machine.buffer(&elements[range]))?;
        Ok(Self { parts, per_block })
    }

    /// Cuts `len` elements whose bytes are zero.
    ///
    /// # Errors
    /// Those of [`Machine::zeroed`].
    ///
    /// # Panics
    /// As [`from_slice`](Self::from_slice).
    pub fn zeroed(machines: &[Machine], len: usize, per_block: usize) -> Result<Self, CudaError> {
        byte_len::<T>(len)?;
        let ranges = ranges(len, per_block, machines.len());
        let parts: Result<_, _> =
            machines.iter().zip(ranges).map(|(machine, range)| machine.zeroed(range.len())).collect();
        Ok(Self { parts: parts?, per_block })
    }

    counted!(self => self.parts.iter().map(Buffer::len).sum());

    /// The elements of a machine.
    ///
    /// # Panics
    /// If there are not so many machines.
    #[must_use]
    pub fn part(&self, machine: usize) -> &Buffer<T> {
        &self.parts[machine]
    }

    /// The elements of a machine, which a launch may write.
    ///
    /// # Panics
    /// As [`part`](Self::part).
    pub fn part_mut(&mut self, machine: usize) -> &mut Buffer<T> {
        &mut self.parts[machine]
    }

    /// Those of all machines, in their order: to exchange the edges of parts, for example.
    pub fn parts_mut(&mut self) -> &mut [Buffer<T>] {
        &mut self.parts
    }

    /// The indices of a machine's elements among all.
    ///
    /// # Panics
    /// As [`part`](Self::part).
    #[must_use]
    pub fn range(&self, machine: usize) -> Range<usize> {
        let begin = self.parts[..machine].iter().map(Buffer::len).sum();
        begin..begin + self.part(machine).len()
    }

    /// The blocks for a machine's elements: the grid of its launch. It may have none.
    ///
    /// # Panics
    /// As [`part`](Self::part), and if a grid cannot have so many.
    #[must_use]
    pub fn blocks(&self, machine: usize) -> u32 {
        let blocks = self.part(machine).len().div_ceil(self.per_block);
        u32::try_from(blocks).expect("a grid has fewer blocks")
    }

    /// Copies all elements to a new vector after the launches that write them, from all devices at the same time.
    ///
    /// # Errors
    /// As [`DeviceBuffer::download`](crate::DeviceBuffer::download).
    pub fn download(&self) -> Result<Vec<T>, CudaError> {
        let mut all = vec![T::zeroed(); self.len()];
        let mut rest = &mut all[..];
        let places: Vec<&mut [T]> =
            self.parts.iter().map(|part| rest.split_off_mut(..part.len()).expect("as long as all parts")).collect();
        side_by_side(self.parts.iter().map(Buffer::view).zip(places), |(part, to)| part.download_into(to))?;
        Ok(all)
    }
}

impl<T: DeviceLayout> fmt::Debug for Split<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Split").field("parts", &self.parts).field("per_block", &self.per_block).finish()
    }
}

/// The elements of each machine: whole blocks, of which all but the last one are full.
fn ranges(len: usize, per_block: usize, machines: usize) -> impl Iterator<Item = Range<usize>> {
    assert!(machines > 0, "elements are cut for one machine or more");
    assert!(per_block > 0, "a block has elements");
    let blocks = len.div_ceil(per_block);
    let begin = move |machine: usize| {
        let before = machine * (blocks / machines) + machine.min(blocks % machines);
        before.saturating_mul(per_block).min(len)
    };
    (0..machines).map(move |machine| begin(machine)..begin(machine + 1))
}

/// Calls a function for each item at the same time: copies between host and device wait for their end.
fn side_by_side<I: Send, R: Send>(
    items: impl Iterator<Item = I>,
    call: impl Fn(I) -> Result<R, CudaError> + Sync,
) -> Result<Vec<R>, CudaError> {
    thread::scope(|scope| {
        let call = &call;
        let threads: Vec<_> = items.map(|item| scope.spawn(move || call(item))).collect();
        let join = |thread: thread::ScopedJoinHandle<'_, _>| match thread.join() {
            Ok(result) => result,
            Err(panic) => std::panic::resume_unwind(panic),
        };
        threads.into_iter().map(join).collect()
    })
}

impl Machine {
    /// Every GPU that can run kernels, or the CPU cores if there is none or `image` is an `Err`, as for [`best`](Self::best). They are
    /// opened at the same time. [`Split`] cuts a program's elements for them.
    ///
    /// # Errors
    /// If one of the GPUs cannot be opened or refuses the image.
    ///
    /// ```no_run
    /// use cuda_host::{Image, Machine};
    ///
    /// const IMAGE: Result<Image, &str> = Err("no compiler for GPUs"); // `cuda_std::built_image!()`
    /// for machine in Machine::all("my kernels", IMAGE)? {
    ///     println!("{machine}"); // CPU cores (no compiler for GPUs)
    /// }
    /// # Ok::<(), cuda_host::CudaError>(())
    /// ```
    pub fn all(name: &str, image: Result<crate::Image<'_>, &str>) -> Result<Vec<Self>, CudaError> {
        match Self::usable(image)? {
            Ok((image, devices)) => side_by_side(devices.into_iter(), |device| {
                Ok(crate::CudaExecutor::open(device.ordinal, name, image)?.into())
            }),
            Err(cpu) => Ok(vec![cpu]),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_are_whole_blocks_as_equal_as_they_can_be() {
        let cut = |len, per_block, machines| ranges(len, per_block, machines).collect::<Vec<_>>();
        assert_eq!(cut(5000, 1024, 2), [0..3072, 3072..5000]);
        assert_eq!(cut(7, 3, 4), [0..3, 3..6, 6..7, 7..7]);
        assert_eq!(cut(0, 3, 2), [0..0, 0..0]);
        for (len, per_block, machines) in [(1000, 7, 3), (12, 5, 8), (1 << 20, 256, 5)] {
            let parts = cut(len, per_block, machines);
            let blocks = parts.iter().map(|part| part.len().div_ceil(per_block)).collect::<Vec<_>>();
            assert!(blocks.iter().max().unwrap() - blocks.iter().min().unwrap() <= 1, "{blocks:?}");
            assert!(parts.windows(2).all(|two| two[0].end == two[1].start), "{parts:?}");
            assert_eq!((parts[0].start, parts[machines - 1].end), (0, len));
        }
    }

    #[test]
    fn what_is_too_large_is_an_error() {
        let machines = [Machine::cpu(), Machine::cpu()];
        assert!(matches!(Split::<u64>::zeroed(&machines, usize::MAX, 1), Err(CudaError::TooLarge { .. })));
    }
}
