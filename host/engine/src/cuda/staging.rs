//! Copies through page-locked memory.

use crate::threads::at_once;
use cuda_host::{
    Context, CudaError, DeviceView, DeviceViewMut, GpuBufferPool, Parcel, PinnedBuffer, PinnedPool, PoolOptions,
    PoolStatistics, Stream,
};
use cuda_layout::DeviceLayout;
use std::num::NonZero;
use std::sync::{Arc, OnceLock};
use std::thread;

/// The bytes of one piece: few enough to stay in the processor's cache until the device has read them, and enough to hide the
/// driver's cost for each copy.
const PIECE_BYTES: usize = 2 << 20;
/// The pieces of a thread: one is in flight while it works on the other.
const PIECES_PER_THREAD: usize = 2;
/// The bytes in which small copies are collected. The size is always the same, so that each parcel reuses the memory of the one
/// before the last.
const PARCEL_BYTES: usize = 1 << 20;
/// The threads of a copy. More threads gain no bandwidth.
const MOST_THREADS: usize = 6;

/// Copies between a device and host memory that is not page-locked. Several threads copy the data in pieces to or from
/// page-locked memory, while the device's copies run. Cheap to clone; clones share the memory.
///
/// For a copy of a slice, the driver does the same with one thread, which waits. That thread is then also the first to touch the
/// pages of new memory. Here all threads share this.
///
/// ```no_run
/// use cuda_host::{Context, DeviceBuffer};
/// use prism_engine::Staging;
///
/// let context = Context::new(0)?;
/// let (stream, staging) = (context.stream()?, Staging::new(&context, 2)?);
/// let numbers: Vec<u32> = (0..6_000_000).collect();
/// let mut buffer = DeviceBuffer::<u32>::zeroed(&stream, numbers.len())?;
/// staging.upload(&stream, buffer.view_mut(), &numbers)?;
/// let mut found = vec![0; numbers.len()];
/// staging.download(&stream, buffer.view(), &mut found)?;
/// assert_eq!(found, numbers);
/// # Ok::<(), cuda_host::CudaError>(())
/// ```
///
/// The tests of `cuda_host_gpu` run it on a device (`slices_go_through_page_locked_memory_in_pieces`).
///
/// The driver takes 0.4 ms to lock a megabyte of pages. So a process that computes one structure locks few of them: the pieces
/// for copies by several threads are locked at the first such copy.
#[derive(Clone, Debug)]
pub struct Staging {
    context: Context,
    /// Pieces for copies by one thread.
    few: PinnedPool,
    /// Pieces for copies by several threads, after the first such copy.
    many: Arc<OnceLock<Result<PinnedPool, CudaError>>>,
    copies: usize,
    threads: usize,
}

impl Staging {
    /// Staging for `copies` copies at a time. Several threads share a large copy. More copies at a time lock more pages.
    ///
    /// # Errors
    /// [`CudaError::OutOfPinnedMemory`], and those of the driver.
    pub fn new(context: &Context, copies: usize) -> Result<Self, CudaError> {
        let cores = thread::available_parallelism().map_or(1, NonZero::get);
        Self::with_threads(context, copies, (cores / copies.max(1)).min(MOST_THREADS))
    }

    /// As [`new`](Self::new), with at most `threads` threads per copy, and at least 1.
    ///
    /// # Errors
    /// The same.
    pub fn with_threads(context: &Context, copies: usize, threads: usize) -> Result<Self, CudaError> {
        let few = locked(context, copies * PIECES_PER_THREAD)?;
        Ok(Self { context: context.clone(), few, many: Arc::default(), copies, threads: threads.max(1) })
    }

    /// The allocations for it so far.
    #[must_use]
    pub fn statistics(&self) -> PoolStatistics {
        let mut all = self.few.statistics();
        if let Some(Ok(many)) = self.many.get() {
            all += many.statistics();
        }
        all
    }

    /// Copies elements to the device. Returns when they have been read. The copies may still be in flight.
    ///
    /// # Errors
    /// [`CudaError::OutOfBounds`] when there is no room for all of them, and those of the driver.
    pub fn upload<T: DeviceLayout + Send + Sync>(
        &self,
        stream: &Stream,
        to: DeviceViewMut<'_, T>,
        from: &[T],
    ) -> Result<(), CudaError> {
        self.gather(stream, to, &[from])
    }

    /// As [`upload`](Self::upload), of elements that lie in several parts, in their order.
    ///
    /// # Errors
    /// As [`upload`](Self::upload).
    pub fn gather<T: DeviceLayout + Send + Sync>(
        &self,
        stream: &Stream,
        to: DeviceViewMut<'_, T>,
        from: &[&[T]],
    ) -> Result<(), CudaError> {
        let len: usize = from.iter().map(|part| part.len()).sum();
        let (pool, threads) = self.pieces(len * size_of::<T>())?;
        let (mut shares, mut rest) = (Vec::new(), to);
        for share in pieces_of(from, len.div_ceil(threads)) {
            let (head, tail) = rest.split_at_mut(share.iter().map(|part| part.len()).sum())?;
            shares.push((head, share));
            rest = tail;
        }
        all(shares, |(to, from)| {
            let mut rest = to;
            for piece in pieces_of(&from, piece_len::<T>()) {
                let mut staged = pool.lease(piece_len::<T>())?;
                let (to, mut filled) = (staged.as_mut_slice()?, 0);
                for part in piece {
                    to[filled..filled + part.len()].copy_from_slice(part);
                    filled += part.len();
                }
                let (head, tail) = rest.split_at_mut(filled)?;
                staged.upload(stream, head)?;
                rest = tail;
            }
            Ok(())
        })
    }

    /// Makes the pool hold memory for two parcels: one for a batch, and one for the next batch. If there is too little memory, it
    /// is allocated when it is needed.
    pub(super) fn make_room_for_parcels(&self, pool: &GpuBufferPool, stream: &Stream) {
        // Both leases are held at once, so that the pool gets two pieces.
        let room = [(); 2].map(|()| pool.lease::<u8>(stream, PARCEL_BYTES));
        drop(room);
    }

    /// A parcel for many small copies to the device, which become one copy.
    pub(super) fn parcel(&self, pool: &GpuBufferPool, stream: &Stream) -> Result<Parcel, CudaError> {
        Parcel::new(pool, stream, self.few.lease(PIECE_BYTES)?, PARCEL_BYTES)
    }

    /// Copies elements from the device, after all work on the stream is done.
    ///
    /// # Errors
    /// A kernel's panic, [`CudaError::OutOfBounds`] if there are too few elements, and those of the driver.
    pub fn download<T: DeviceLayout + Send + Sync>(
        &self,
        stream: &Stream,
        from: DeviceView<'_, T>,
        to: &mut [T],
    ) -> Result<(), CudaError> {
        // This thread alone waits for the kernels, so a panic is reported once.
        stream.synchronize()?;
        let (pool, threads) = self.pieces(size_of_val(to))?;
        let share = to.len().div_ceil(threads).max(1);
        let shares = to.chunks_mut(share).enumerate().map(|(index, to)| {
            let begin = index * share;
            Ok((from.slice(begin..begin + to.len())?, to))
        });
        all(shares.collect::<Result<Vec<_>, CudaError>>()?, |(from, to)| {
            let mut before: Option<(PinnedBuffer<T>, &mut [T])> = None;
            for (index, to) in to.chunks_mut(piece_len::<T>()).enumerate() {
                let begin = index * piece_len::<T>();
                let mut staged = pool.lease(piece_len::<T>())?;
                staged.download(stream, from.slice(begin..begin + to.len())?)?;
                // The device copies this piece meanwhile.
                before.replace((staged, to)).map_or(Ok(()), take)?;
            }
            before.map_or(Ok(()), take)
        })
    }

    /// The size of the pieces for a copy of `bytes` bytes, and the number of threads that copy them.
    fn pieces(&self, bytes: usize) -> Result<(&PinnedPool, usize), CudaError> {
        // A thread is not worth it if starting it takes longer than its work.
        let threads = (bytes / PIECE_BYTES).clamp(1, self.threads);
        if threads == 1 {
            return Ok((&self.few, 1));
        }
        let lock = || {
            let many = locked(&self.context, self.copies * self.threads * PIECES_PER_THREAD);
            if let Err(error @ CudaError::OutOfPinnedMemory { .. }) = &many {
                tracing::warn!("copies take longer: {error}");
            }
            many
        };
        match self.many.get_or_init(lock) {
            Ok(many) => Ok((many, threads)),
            Err(CudaError::OutOfPinnedMemory { .. }) => Ok((&self.few, 1)),
            Err(error) => Err(error.clone()),
        }
    }
}

/// Page-locks `pieces` pieces. A copy waits for a free piece: that is faster than page-locking another one.
fn locked(context: &Context, pieces: usize) -> Result<PinnedPool, CudaError> {
    let pool = PinnedPool::with_options(context, PoolOptions::default().headroom_percent(0).busy_blocks(0));
    let pieces = (0..pieces).map(|_| pool.lease::<u8>(PIECE_BYTES));
    // All leases are held at once, so that the pool gets as many pieces.
    drop(pieces.collect::<Result<Vec<_>, _>>()?);
    Ok(pool)
}

/// Cuts what lies in several parts into pieces of so many elements; the last one may be shorter.
fn pieces_of<'a, T>(parts: &[&'a [T]], len: usize) -> Vec<Vec<&'a [T]>> {
    let (mut pieces, mut piece, mut room) = (Vec::new(), Vec::new(), len);
    for part in parts {
        let mut rest = *part;
        while !rest.is_empty() {
            let (own, others) = rest.split_at(room.min(rest.len()));
            piece.push(own);
            (rest, room) = (others, room - own.len());
            if room == 0 {
                pieces.push(std::mem::take(&mut piece));
                room = len;
            }
        }
    }
    if !piece.is_empty() {
        pieces.push(piece);
    }
    pieces
}

/// The number of elements in a piece.
fn piece_len<T>() -> usize {
    (PIECE_BYTES / size_of::<T>().max(1)).max(1)
}

/// Waits for a copy to page-locked memory, and takes the data.
fn take<T: DeviceLayout>((staged, to): (PinnedBuffer<T>, &mut [T])) -> Result<(), CudaError> {
    to.copy_from_slice(&staged.as_slice()?[..to.len()]);
    Ok(())
}

/// Runs `work` on all shares at once. Returns the error of the first share that failed.
fn all<S: Send>(shares: Vec<S>, work: impl Fn(S) -> Result<(), CudaError> + Sync) -> Result<(), CudaError> {
    at_once(shares, work).into_iter().collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_piece_has_whole_elements() {
        assert_eq!(piece_len::<u8>(), PIECE_BYTES);
        assert_eq!(piece_len::<[f32; 32]>() * 128, PIECE_BYTES);
        assert_eq!(piece_len::<[u8; PIECE_BYTES + 1]>(), 1);
    }

    #[test]
    fn parts_are_cut_into_pieces_of_one_length() {
        let numbers: Vec<u32> = (0..23).collect();
        let parts = [&numbers[..5], &numbers[5..5], &numbers[5..6], &numbers[6..20], &numbers[20..]];
        for len in [1, 4, 5, 7, 22, 23, 40] {
            let pieces = pieces_of(&parts, len);
            let found: Vec<Vec<u32>> = pieces.iter().map(|piece| piece.concat()).collect();
            let expected: Vec<Vec<u32>> = numbers.chunks(len).map(<[u32]>::to_vec).collect();
            assert_eq!(found, expected, "{len}");
            assert!(pieces.iter().flatten().all(|part| !part.is_empty()));
        }
        assert_eq!(pieces_of::<u32>(&[], 0), Vec::<Vec<&[u32]>>::new());
    }
}
