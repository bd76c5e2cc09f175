//! Kernels that check that no element is written twice, on CPU cores and on a GPU.

use cuda_host::{CudaError, CudaExecutor, DeviceBuffer};
use cuda_std::launch::LaunchError;
use cuda_std::panic::KernelPanic;
use cuda_std::prelude::*;
use tensor_kernels::scattered;
use tensor_tests::gpus;

const N: u32 = 2500;

/// The position to which each element goes: the multiples of `step`, modulo the length.
fn places(step: u32) -> Vec<u32> {
    (0..N).map(|i| i * step % N).collect()
}

type Outputs = (Vec<u32>, Vec<[u8; 3]>);

fn on_cpu(first: &[u32], second: &[u32]) -> Result<Outputs, LaunchError> {
    let (x, mut words, mut bytes) = (places(77), vec![9; N as usize + 1], vec![[9; 3]; N as usize + 1]);
    let args = scattered::Args { words: &mut words[..], bytes: &mut bytes[..], x: &x[..], first, second };
    scattered::launch(&CpuExecutor::new(), N.div_ceil(100), args)?;
    Ok((words, bytes))
}

fn on_gpu(gpu: &CudaExecutor, first: &[u32], second: &[u32]) -> Result<Outputs, CudaError> {
    let stream = gpu.stream();
    let [x, first, second] = [&places(77), first, second].map(|list| DeviceBuffer::from_slice(stream, list));
    let (x, first, second) = (x?, first?, second?);
    let mut words = DeviceBuffer::from_slice(stream, &vec![9; N as usize + 1])?;
    let mut bytes = DeviceBuffer::from_slice(stream, &vec![[9; 3]; N as usize + 1])?;
    let (to_words, to_bytes) = (words.view_mut(), bytes.view_mut());
    let args =
        scattered::Args { words: to_words, bytes: to_bytes, x: x.view(), first: first.view(), second: second.view() };
    scattered::launch(gpu, N.div_ceil(100), args)?;
    Ok((words.download(stream)?, bytes.download(stream)?))
}

/// The line of a panic. The thread is left out, because a device does not determine which of two writers comes second.
fn line(panic: &KernelPanic) -> u32 {
    assert_eq!(panic.message.as_deref(), Some("element written twice"));
    panic.line
}

#[test]
fn elements_that_are_written_once_have_the_bits_of_the_cpu() {
    let (first, second) = (places(7), places(2499));
    let expected = on_cpu(&first, &second).unwrap();
    for (name, gpu) in &gpus("sm_75") {
        assert!(gpu.kernel::<scattered::Kernel>().unwrap().checks_writes(), "{name}");
        // The second launch finds nothing marked.
        for _ in 0..2 {
            assert!(on_gpu(gpu, &first, &second).unwrap() == expected, "{name}");
        }
    }
}

#[test]
fn a_second_write_panics_with_its_position() {
    for twice in [1, 2499] {
        // By another block, and by the same one.
        for from in [0, twice - 1] {
            let good = places(7);
            let mut bad = good.clone();
            bad[twice] = bad[from];
            for (first, second) in [(&bad, &good), (&good, &bad)] {
                let Err(LaunchError::Panic(expected)) = on_cpu(first, second) else { panic!("no panic on CPU cores") };
                let expected = line(&expected);
                for (name, gpu) in &gpus("sm_75") {
                    let Err(CudaError::Panic(found)) = on_gpu(gpu, first, second) else { panic!("{name}: no panic") };
                    let blocks = [twice, from].map(|i| i as u32 / 100);
                    assert!(blocks.contains(&found.block[0]), "{name}: {found:?}");
                    assert_eq!(line(&found), expected, "{name}");
                    // The device still works.
                    assert!(on_gpu(gpu, &good, &good).is_ok(), "{name}");
                }
            }
        }
    }
}
