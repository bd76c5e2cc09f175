//! Launches that run several times, each time with another seed, before they run for good.
//!
//! A process that tries one seed takes much longer than its kernels. So `CUDA_SCHEDULE_REPEAT=N` lets a kernel's first launch run N
//! more times in its process, its second N/2 times, its third N/3 times. Before each time its outputs get back the bytes that they
//! had, and after it they are compared with those of the first time, unless the kernel has atomic operations, whose results may depend
//! on the order of threads.

use super::Delays;
use crate::allocation::DeviceBlock;
use crate::driver::{CUdeviceptr, Code};
use crate::slot::Watch;
use crate::{CudaError, Stream};
use std::ffi::c_void;

/// Launches whose outputs have more bytes run once: copying them would take longer than other launches' kernels.
const MOST_COPIED: usize = 64 << 20;
/// Outputs of more bytes are not compared, because they would go to the host each time.
const MOST_COMPARED: usize = 1 << 20;

/// An output's address and bytes.
pub(crate) type Output = (CUdeviceptr, usize);

impl Delays {
    /// Runs a launch as often as the environment asks, and restores its outputs. Waits for the stream if it does.
    ///
    /// # Errors
    /// [`CudaError::Schedule`] if the outputs depend on the seed; those of the driver.
    pub(crate) fn repeat(
        &self,
        kernel: &'static str,
        stream: &Stream,
        outputs: &[Output],
        launch: &mut dyn FnMut() -> Code,
    ) -> Result<(), CudaError> {
        let total: usize = outputs.iter().map(|(_, bytes)| bytes).sum();
        if total > MOST_COPIED {
            return Ok(());
        }
        let repeats = self.schedules.repeats(kernel);
        if repeats == 0 {
            return Ok(());
        }
        let saved = DeviceBlock::allocate(stream.context(), total)?;
        copy_all(stream, outputs, &saved, Direction::Save)?;
        let compares = total <= MOST_COMPARED && !self.depends_on_order(kernel);
        let mut first: Option<(u32, Vec<u8>)> = None;
        for _ in 0..repeats {
            let watch = Watch::new(stream.slot());
            let seed = self.before(&[kernel], stream)?;
            stream.check(launch(), || format!("launching kernel `{kernel}` again, with the seed {seed:08x}"))?;
            let found = if compares { Some(download(stream, outputs, total)?) } else { None };
            copy_all(stream, outputs, &saved, Direction::Restore)?;
            wait(stream)?;
            // What a kernel has written when it panics is not specified.
            if watch.panic().is_some() {
                break;
            }
            match (&first, found) {
                (None, Some(found)) => first = Some((seed, found)),
                (Some((with, expected)), Some(found)) if *expected != found => {
                    return Err(differ(kernel, [*with, seed], expected, &found, outputs));
                }
                _ => {}
            }
        }
        Ok(())
    }
}

fn differ(kernel: &str, [first, second]: [u32; 2], a: &[u8], b: &[u8], outputs: &[Output]) -> CudaError {
    let at = a.iter().zip(b).position(|(a, b)| a != b).unwrap_or_default();
    let (mut index, mut from) = (0, at);
    while let Some((_, bytes)) = outputs.get(index).filter(|(_, bytes)| from >= *bytes) {
        from -= bytes;
        index += 1;
    }
    CudaError::Schedule {
        operation: format!("running kernel `{kernel}` with the seeds {first:08x} and {second:08x}"),
        problem: format!("its results differ, first in byte {from} of output {index}, counted from 0"),
    }
}

#[derive(Clone, Copy)]
enum Direction {
    Save,
    Restore,
}

/// Queues copies of all outputs to `saved`, one behind the other, or back.
fn copy_all(stream: &Stream, outputs: &[Output], saved: &DeviceBlock, direction: Direction) -> Result<(), CudaError> {
    let mut place = saved.address();
    for &(address, bytes) in outputs.iter().filter(|(_, bytes)| *bytes > 0) {
        let (to, from) = match direction {
            Direction::Save => (place, address),
            Direction::Restore => (address, place),
        };
        // SAFETY: both are allocated, the output by the launch that this belongs to, whose stream has waited for other work on it.
        let code = unsafe { stream.driver().memcpy_async(to, from, bytes, stream.raw()) };
        stream.check(code, || format!("copying {bytes} bytes of a launch that runs several times"))?;
        place += bytes as CUdeviceptr;
    }
    Ok(())
}

/// The bytes of all outputs, one behind the other.
fn download(stream: &Stream, outputs: &[Output], total: usize) -> Result<Vec<u8>, CudaError> {
    let mut found = vec![0_u8; total];
    let mut place = found.as_mut_ptr();
    for &(address, bytes) in outputs.iter().filter(|(_, bytes)| *bytes > 0) {
        let to = place.cast::<c_void>().expose_provenance() as CUdeviceptr;
        // SAFETY: the output is allocated, and the vector has room for the bytes of all of them. It is not used before `wait`.
        let code = unsafe { stream.driver().memcpy_async(to, address, bytes, stream.raw()) };
        if let Err(error) = stream.check(code, || format!("reading {bytes} bytes of a launch's output")) {
            wait(stream)?;
            return Err(error);
        }
        place = place.wrapping_add(bytes);
    }
    if let Err(error) = wait(stream) {
        // The driver may still write to it.
        std::mem::forget(found);
        return Err(error);
    }
    Ok(found)
}

fn wait(stream: &Stream) -> Result<(), CudaError> {
    // SAFETY: the stream exists.
    let code = unsafe { stream.driver().stream_synchronize(stream.raw()) };
    stream.check(code, || "waiting for a launch that runs several times".to_owned())
}
