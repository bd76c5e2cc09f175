//! Raw kernels, written as for Rust-CUDA, on a GPU, compared with plain computations. Without a GPU each test prints a line
//! and passes, unless CUDA_REQUIRE_GPU=1 requires a GPU.

use cuda_host::{CudaError, CudaExecutor, DeviceBuffer};
use cuda_layout::DeviceLayout;
use cuda_std::compat::launch::{DevicePointer, DevicePointerMut, DeviceSlice, GpuOnly, LaunchShape, RawKernel};
use cuda_std::launch::CpuExecutor;
use test_kernels::{MATRIX_TILE, PROBE_WORDS, block_sum, gemm_tiled, probe, probe_atomics, vecadd};
use toolkit_tests::dice::{bits, numbers};

fn gpu() -> Option<CudaExecutor> {
    toolkit_tests::device::executor("test kernels", test_kernels::IMAGE)
}

fn upload<T: DeviceLayout>(gpu: &CudaExecutor, values: &[T]) -> DeviceBuffer<T> {
    DeviceBuffer::from_slice(gpu.stream(), values).expect("memory")
}

#[test]
fn vectors_are_added() {
    let Some(gpu) = gpu() else { return };
    let (x, y) = (numbers(1000, 1), numbers(1000, 2));
    let (a, b, mut c) = (upload(&gpu, &x), upload(&gpu, &y), upload(&gpu, &[0.0f32; 1000]));
    // ANCHOR: launch
    let args = vecadd::Args { a: a.view().raw_slice(), b: b.view().raw_slice(), c: c.view_mut().pointer_mut() };
    // SAFETY: all have 1000 elements; the stream is synchronised before they are read.
    unsafe { vecadd::launch(&gpu, LaunchShape::linear(8, 128), args) }.unwrap();
    gpu.synchronize().unwrap();
    // ANCHOR_END: launch
    let expected: Vec<f32> = x.iter().zip(&y).map(|(x, y)| x + y).collect();
    assert_eq!(bits(&c.download(gpu.stream()).unwrap()), bits(&expected));
}

#[test]
fn a_panic_is_reported_and_the_context_lives_on() {
    let Some(gpu) = gpu() else { return };
    let (a, mut c) = (upload(&gpu, &[1.0f32; 300]), upload(&gpu, &[0.0f32; 300]));
    let short = DeviceSlice { pointer: a.view().pointer(), len: 290 };
    let args = |b| vecadd::Args { a: a.view().raw_slice(), b, c: DevicePointerMut::null() };
    let pointer = c.view_mut().pointer_mut();
    // SAFETY: `c` has 300 elements; an index check prevents reads beyond the 290 elements of `b`.
    unsafe { vecadd::launch(&gpu, LaunchShape::linear(3, 128), vecadd::Args { c: pointer, ..args(short) }) }.unwrap();
    let Err(CudaError::Panic(panic)) = gpu.synchronize() else { panic!("an index out of bounds was not reported") };
    assert_eq!((panic.kernel.as_str(), panic.block), ("vecadd", [2, 0, 0]));
    assert!((290 - 256..300 - 256).contains(&panic.thread[0]), "{panic}");
    assert!(panic.file.ends_with("compat/examples.rs"), "{panic}");
    let whole = a.view().raw_slice();
    // SAFETY: as above, and now all have 300.
    unsafe { vecadd::launch(&gpu, LaunchShape::linear(3, 128), vecadd::Args { c: pointer, ..args(whole) }) }.unwrap();
    gpu.synchronize().unwrap();
    assert_eq!(c.download(gpu.stream()).unwrap(), [2.0; 300]);
}

#[test]
fn matrices_are_multiplied() {
    let Some(gpu) = gpu() else { return };
    let tile = MATRIX_TILE as u32;
    for (m, n, k) in [(1, 1, 1), (16, 16, 16), (37, 50, 70), (64, 33, 128)] {
        let (x, y, z) = (numbers(m * k, 1), numbers(k * n, 2), numbers(m * n, 3));
        let (alpha, beta) = (1.5, -0.25);
        let (a, b, mut c) = (upload(&gpu, &x), upload(&gpu, &y), upload(&gpu, &z));
        let args = gemm_tiled::Args {
            a: a.view().raw_slice(),
            b: b.view().raw_slice(),
            c: c.view_mut().pointer_mut(),
            m: m as u32,
            n: n as u32,
            k: k as u32,
            alpha,
            beta,
        };
        let grid = [(n as u32).div_ceil(tile), (m as u32).div_ceil(tile), 1];
        let shape = LaunchShape { grid, block: [tile, tile, 1], dynamic_shared_bytes: 0 };
        // SAFETY: the matrices have these sizes, and the grid has a block for each tile.
        unsafe { gemm_tiled::launch(&gpu, shape, args) }.unwrap();
        gpu.synchronize().unwrap();
        let expected: Vec<f32> = (0..m * n)
            .map(|at| {
                let (row, column) = (at / n, at % n);
                // The kernel continues with zeros to the end of the last tile, which changes no bit of a sum that began
                // with +0.
                let sum = (0..k).fold(0.0f32, |sum, i| x[row * k + i].mul_add(y[i * n + column], sum));
                alpha.mul_add(sum, beta * z[at])
            })
            .collect();
        assert_eq!(bits(&c.download(gpu.stream()).unwrap()), bits(&expected), "{m} x {n} x {k}");
    }
}

#[test]
fn blocks_sum_up_their_elements() {
    let Some(gpu) = gpu() else { return };
    for threads in [64u32, 128, 1024] {
        let values = numbers(5000, threads);
        let blocks = 5000u32.div_ceil(threads);
        let (input, mut sums) = (upload(&gpu, &values), upload(&gpu, &vec![0.0f32; blocks as usize]));
        let args = block_sum::Args { input: input.view().raw_slice(), sums: sums.view_mut().pointer_mut() };
        let shape = LaunchShape { dynamic_shared_bytes: 4 * threads, ..LaunchShape::linear(blocks, threads) };
        // SAFETY: a sum for each block, and four bytes for each thread.
        unsafe { block_sum::launch(&gpu, shape, args) }.unwrap();
        gpu.synchronize().unwrap();
        let sum = |chunk: &[f32]| {
            let mut values = chunk.to_vec();
            values.resize(threads as usize, 0.0);
            while values.len() > 1 {
                let (low, high) = values.split_at(values.len() / 2);
                values = low.iter().zip(high).map(|(a, b)| a + b).collect();
            }
            values[0]
        };
        let expected: Vec<f32> = values.chunks(threads as usize).map(sum).collect();
        assert_eq!(bits(&sums.download(gpu.stream()).unwrap()), bits(&expected), "{threads} threads");
    }
}

/// The words of the thread with this index in blocks of 8 x 4 x 2 threads and a grid of 3 x 2 blocks.
fn probed(index: u32) -> [u32; PROBE_WORDS] {
    let (block, thread) = (index / 64, index % 64);
    let (bx, by) = (block % 3, block / 3);
    let (tx, ty, tz) = (thread % 8, thread / 8 % 4, thread / 32);
    let (lane, warp) = (thread % 32, index - thread % 32);
    let multiples = (block * 64..block * 64 + 64).filter(|i| i.is_multiple_of(3)).count() as u32;
    let (down, up) = (lane % 16 < 13, lane % 8 >= 3);
    [
        index,
        bx * 8 + tx,
        by * 4 + ty,
        tz,
        u32::from(index == 0),
        lane,
        32,
        multiples,
        1,
        1,
        0,
        if down { index + 3 } else { index },
        u32::from(down),
        if up { index - 3 } else { index },
        u32::from(up),
        warp + (lane ^ 5),
        (warp + lane / 8 * 8 + 1) & 255,
        1,
        0,
        0x5555_5555,
        0xf << (lane / 4 * 4),
        0xff << (lane / 8 * 8),
        u32::MAX,
        1,
        496,
        -28i32 as u32,
        1,
        // The hardware decides which lanes run together, but this one does.
        1 << lane,
        80,
        64,
        6,
        0,
    ]
}

#[test]
fn indices_barriers_and_warps_do_what_their_names_say() {
    let Some(gpu) = gpu() else { return };
    let shape = LaunchShape { grid: [3, 2, 1], block: [8, 4, 2], dynamic_shared_bytes: 80 };
    let mut out = upload(&gpu, &vec![0u32; 6 * 64 * PROBE_WORDS]);
    // SAFETY: there are enough words for each of 6 x 64 threads.
    unsafe { probe::launch(&gpu, shape, probe::Args { out: out.view_mut().pointer_mut() }) }.unwrap();
    gpu.synchronize().unwrap();
    for (index, words) in out.download(gpu.stream()).unwrap().chunks(PROBE_WORDS).enumerate() {
        let expected = probed(index as u32);
        for (word, (got, expected)) in words.iter().zip(expected).enumerate() {
            let got = if word == 27 { got & expected } else { *got };
            assert_eq!(got, expected, "word {word} of thread {index}");
        }
    }
}

#[test]
fn atomic_operations_lose_nothing() {
    let Some(gpu) = gpu() else { return };
    let (blocks, n) = (50u32, 50 * 64u32);
    let mut words = upload(&gpu, &[0, 0, 0, u32::MAX, 0, 0, 0, 0, 0, 0, 0, 0]);
    let mut sum = upload(&gpu, &[0.0f32]);
    let args = probe_atomics::Args { words: words.view_mut().pointer_mut(), sum: sum.view_mut().pointer_mut() };
    // SAFETY: twelve words, and a number.
    unsafe { probe_atomics::launch(&gpu, LaunchShape::linear(blocks, 64), args) }.unwrap();
    gpu.synchronize().unwrap();
    let xor = (0..n).fold(0, |a, b| a ^ b);
    let long = u64::from(n) << 31;
    let expected =
        [n, 2 * n, n - 1, 0, u32::MAX, xor, (1 - n as i32) as u32, n, long as u32, (long >> 32) as u32, n, 3 * n];
    assert_eq!(words.download(gpu.stream()).unwrap(), expected);
    assert_eq!(sum.download(gpu.stream()).unwrap(), [n as f32 / 2.0]);
}

#[test]
fn a_block_of_another_size_than_the_kernel_says_is_refused() {
    let Some(gpu) = gpu() else { return };
    let args = probe_atomics::Args { words: DevicePointerMut::null(), sum: DevicePointerMut::null() };
    // SAFETY: it is not launched.
    let error = unsafe { probe_atomics::launch(&gpu, LaunchShape::linear(1, 32), args) }.unwrap_err();
    assert_eq!(error, CudaError::BlockSize { kernel: "probe_atomics", threads: 32, expected: 64 });
    let args = probe::Args { out: DevicePointerMut::null() };
    // SAFETY: as above.
    let error = unsafe { probe::launch(&gpu, LaunchShape::linear(1, 2048), args) }.unwrap_err();
    assert!(matches!(error, CudaError::BlockTooLarge { kernel: "probe", threads: 2048, .. }), "{error}");
}

// ANCHOR: refused
#[test]
fn on_cpu_cores_a_raw_kernel_is_refused_with_its_name() {
    let nothing = DeviceSlice { pointer: DevicePointer::null(), len: 0 };
    let args = vecadd::Args { a: nothing, b: nothing, c: DevicePointerMut::null() };
    // SAFETY: it is not launched.
    let error = unsafe { vecadd::launch(&CpuExecutor::new(), LaunchShape::linear(1, 32), args) }.unwrap_err();
    assert_eq!(error, GpuOnly { kernel: "vecadd" });
    assert!(error.to_string().starts_with("kernel `vecadd` is a raw kernel, and raw kernels run on the GPU only"));
}
// ANCHOR_END: refused

#[test]
fn a_description_tells_pointers_apart() {
    assert_eq!(vecadd::Kernel::DESCRIPTION, "vecadd(a:&[f32];b:&[f32];c:*mut f32;)xany");
    assert_eq!(vecadd::Kernel::THREADS, None);
    assert_eq!(test_kernels::raw_saxpy::Kernel::THREADS, Some(256));
    let description = test_kernels::raw_saxpy::Kernel::DESCRIPTION;
    assert_eq!(description, "raw_saxpy(out:*mut f32;x:*const f32;y:*const f32;a:f32;n:u32;chunk:u32;)x256");
}
