//! Safe kernels compared with their baselines with raw pointers: the same bits, as the benchmark `zero_cost` assumes. The
//! safe ones also run on CPU cores. Without a GPU the rest is skipped, and a line says so.

use cuda_host::{CudaExecutor, DeviceBuffer};
use cuda_layout::DeviceLayout;
use cuda_std::compat::launch::{DevicePointer, DevicePointerMut, LaunchShape};
use cuda_std::launch::{CpuExecutor, LaunchError, Matrix};
use test_kernels::{
    Quad, raw_gather, raw_histogram, raw_matmul, raw_saxpy, raw_sum, raw_transpose, safe_gather, safe_histogram,
    safe_matmul, safe_saxpy, safe_sum, safe_transpose,
};

fn gpu() -> Option<CudaExecutor> {
    toolkit_tests::device::is_there()
        .then(|| CudaExecutor::open(0, "test kernels", test_kernels::PTX).expect("a device that opens"))
}

fn upload<T: DeviceLayout>(gpu: &CudaExecutor, values: &[T]) -> DeviceBuffer<T> {
    DeviceBuffer::from_slice(gpu.stream(), values).expect("memory")
}

fn words(n: usize, seed: u32) -> Vec<u32> {
    let mut state = seed;
    let step = |_| {
        state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        state ^ state >> 15
    };
    (0..n).map(step).collect()
}

/// Different numbers between -1 and 1.
fn numbers(n: usize, seed: u32) -> Vec<f32> {
    words(n, seed).into_iter().map(|word| (word >> 8) as f32 / (1 << 23) as f32 - 1.0).collect()
}

fn bits(values: &[f32]) -> Vec<u32> {
    values.iter().map(|x| x.to_bits()).collect()
}

#[test]
fn saxpy() {
    let n = 3 * 4096 + 77;
    let (x, y, mut out) = (numbers(n, 1), numbers(n, 2), vec![0.0; n]);
    let args = safe_saxpy::Args { out: &mut out[..], x: &x[..], y: &y[..], a: 1.25 };
    safe_saxpy::launch(&CpuExecutor::new(), 4, args).unwrap();
    let expected: Vec<f32> = x.iter().zip(&y).map(|(x, y)| 1.25f32.mul_add(*x, *y)).collect();
    assert_eq!(bits(&out), bits(&expected));
    let Some(gpu) = gpu() else { return };
    let (x, y, mut safe, mut raw) = (upload(&gpu, &x), upload(&gpu, &y), upload(&gpu, &out), upload(&gpu, &out));
    safe.view_mut().zero(gpu.stream()).unwrap();
    raw.view_mut().zero(gpu.stream()).unwrap();
    let args = safe_saxpy::Args { out: safe.view_mut(), x: x.view(), y: y.view(), a: 1.25 };
    safe_saxpy::launch(&gpu, 4, args).unwrap();
    assert_eq!(bits(&safe.download(gpu.stream()).unwrap()), bits(&expected));
    let (out, x, y) = (raw.view_mut().pointer_mut(), x.view().pointer(), y.view().pointer());
    let args = raw_saxpy::Args { out, x, y, a: 1.25, n: n as u32, chunk: 4096 };
    // SAFETY: all have n elements.
    unsafe { raw_saxpy::launch(&gpu, LaunchShape::linear(4, 256), args) }.unwrap();
    gpu.synchronize().unwrap();
    assert_eq!(bits(&raw.download(gpu.stream()).unwrap()), bits(&expected));
}

#[test]
fn gather() {
    let (n, m) = (2 * 4096 + 77, 1000);
    let (x, mut out) = (numbers(m, 8), vec![0.0; n]);
    let mut index: Vec<u32> = words(n, 9).into_iter().map(|word| word % m as u32).collect();
    let args = safe_gather::Args { out: &mut out[..], x: &x[..], index: &index[..] };
    safe_gather::launch(&CpuExecutor::new(), 3, args).unwrap();
    let expected: Vec<f32> = index.iter().map(|at| x[*at as usize]).collect();
    assert_eq!(bits(&out), bits(&expected));
    if let Some(gpu) = gpu() {
        let (x, index) = (upload(&gpu, &x), upload(&gpu, &index));
        let (mut safe, mut raw) = (upload(&gpu, &vec![9.0; n]), upload(&gpu, &vec![9.0; n]));
        let args = safe_gather::Args { out: safe.view_mut(), x: x.view(), index: index.view() };
        safe_gather::launch(&gpu, 3, args).unwrap();
        assert_eq!(bits(&safe.download(gpu.stream()).unwrap()), bits(&expected));
        let (out, x, index) = (raw.view_mut().pointer_mut(), x.view().pointer(), index.view().pointer());
        let args = raw_gather::Args { out, x, index, n: n as u32, chunk: 4096 };
        // SAFETY: `out` and `index` have n elements; the safe kernel has found no index beyond `x`.
        unsafe { raw_gather::launch(&gpu, LaunchShape::linear(3, 256), args) }.unwrap();
        gpu.synchronize().unwrap();
        assert_eq!(bits(&raw.download(gpu.stream()).unwrap()), bits(&expected));
    }
    // The check that the benchmark times exists: one of all indices is beyond the end.
    index[5000] = m as u32;
    let args = safe_gather::Args { out: &mut out[..], x: &x[..], index: &index[..] };
    let Err(LaunchError::Panic(panic)) = safe_gather::launch(&CpuExecutor::new(), 3, args) else {
        panic!("it must fail")
    };
    assert_eq!((panic.block, panic.thread), ([1, 0, 0], [(5000 - 4096) % 256, 0, 0]));
    let Some(gpu) = gpu() else { return };
    let (x, index, mut out) = (upload(&gpu, &x), upload(&gpu, &index), upload(&gpu, &out));
    let args = safe_gather::Args { out: out.view_mut(), x: x.view(), index: index.view() };
    safe_gather::launch(&gpu, 3, args).unwrap();
    let error = out.download(gpu.stream()).unwrap_err();
    assert_eq!(
        error.kernel_panic().map(|on_gpu| (on_gpu.line, on_gpu.block, on_gpu.thread)),
        Some((panic.line, panic.block, panic.thread))
    );
}

#[test]
fn sums() {
    let (n, chunk) = (5 * 4000 - 1234, 4000);
    let (input, mut sums) = (numbers(n, 3), vec![0.0; 5]);
    safe_sum::launch(&CpuExecutor::new(), 5, safe_sum::Args { sums: &mut sums, input: &input, chunk }).unwrap();
    for (sum, part) in sums.iter().zip(input.chunks(chunk as usize)) {
        let exact: f64 = part.iter().map(|x| f64::from(*x)).sum();
        assert!((f64::from(*sum) - exact).abs() < 1e-3, "{sum} for {exact}");
    }
    let Some(gpu) = gpu() else { return };
    let (input, mut safe, mut raw) = (upload(&gpu, &input), upload(&gpu, &[0.0; 5]), upload(&gpu, &[0.0; 5]));
    let args = safe_sum::Args { sums: safe.view_mut(), input: input.view(), chunk };
    safe_sum::launch(&gpu, 5, args).unwrap();
    assert_eq!(bits(&safe.download(gpu.stream()).unwrap()), bits(&sums));
    let pointer = raw.view_mut().pointer_mut();
    let args = raw_sum::Args { sums: pointer, input: input.view().pointer(), n: n as u32, chunk };
    // SAFETY: n elements, and a sum for each block.
    unsafe { raw_sum::launch(&gpu, LaunchShape::linear(5, 1024), args) }.unwrap();
    gpu.synchronize().unwrap();
    assert_eq!(bits(&raw.download(gpu.stream()).unwrap()), bits(&sums));
}

#[test]
fn transpose() {
    let (rows, columns) = (96u32, 160u32);
    let n = (rows * columns) as usize;
    let (input, mut out) = (numbers(n, 4), vec![0.0; n]);
    let grid = (rows / 32, columns / 32);
    let args = safe_transpose::Args { out: Matrix { data: &mut out[..], columns: rows }, input: &input[..], columns };
    safe_transpose::launch(&CpuExecutor::new(), grid, args).unwrap();
    let place = |i: usize| input[i % rows as usize * columns as usize + i / rows as usize];
    let expected: Vec<f32> = (0..n).map(place).collect();
    assert_eq!(out, expected);
    let Some(gpu) = gpu() else { return };
    let zeros = vec![0.0; n];
    let (input, mut safe, mut raw) = (upload(&gpu, &input), upload(&gpu, &zeros), upload(&gpu, &zeros));
    let matrix = Matrix { data: safe.view_mut(), columns: rows };
    safe_transpose::launch(&gpu, grid, safe_transpose::Args { out: matrix, input: input.view(), columns }).unwrap();
    assert_eq!(safe.download(gpu.stream()).unwrap(), expected);
    let pointer = raw.view_mut().pointer_mut();
    let args = raw_transpose::Args { out: pointer, input: input.view().pointer(), rows, columns };
    // SAFETY: both have rows times columns elements.
    unsafe { raw_transpose::launch(&gpu, LaunchShape::linear(grid.0 * grid.1, 256), args) }.unwrap();
    gpu.synchronize().unwrap();
    assert_eq!(raw.download(gpu.stream()).unwrap(), expected);
}

#[test]
fn histogram() {
    let (n, chunk) = (4 * 1000 - 321, 1000);
    let (words, mut bins) = (words(n, 5), vec![0u32; 256]);
    let mut expected = vec![0u32; 256];
    for byte in words.iter().flat_map(|word| word.to_le_bytes()) {
        expected[usize::from(byte)] += 1;
    }
    safe_histogram::launch(&CpuExecutor::new(), 4, safe_histogram::Args { bins: &mut bins, words: &words, chunk })
        .unwrap();
    assert_eq!(bins, expected);
    let Some(gpu) = gpu() else { return };
    let zeros = [0u32; 256];
    let (words, mut safe, mut raw) = (upload(&gpu, &words), upload(&gpu, &zeros), upload(&gpu, &zeros));
    let args = safe_histogram::Args { bins: safe.view_mut(), words: words.view(), chunk };
    safe_histogram::launch(&gpu, 4, args).unwrap();
    assert_eq!(safe.download(gpu.stream()).unwrap(), expected);
    let pointer = raw.view_mut().pointer_mut();
    let args = raw_histogram::Args { bins: pointer, words: words.view().pointer(), n: n as u32, chunk };
    // SAFETY: n words, and 256 bins.
    unsafe { raw_histogram::launch(&gpu, LaunchShape::linear(4, 256), args) }.unwrap();
    gpu.synchronize().unwrap();
    assert_eq!(raw.download(gpu.stream()).unwrap(), expected);
}

#[test]
fn matmul() {
    let n = 256u32;
    let count = (n * n) as usize;
    let quads = |values: &[f32]| values.as_chunks().0.iter().map(|&elements| Quad { elements }).collect::<Vec<_>>();
    let (x, y) = (numbers(count, 6), numbers(count, 7));
    let (a, b, zeros) = (quads(&x), quads(&y), quads(&vec![0.0; count]));
    let mut c = zeros.clone();
    let args = safe_matmul::Args { c: Matrix { data: &mut c[..], columns: n / 4 }, a: &a[..], b: &b[..], n };
    safe_matmul::launch(&CpuExecutor::new(), (n / 128, n / 128), args).unwrap();
    let size = n as usize;
    let element = |i: usize| {
        let (row, column) = (i / size, i % size);
        (0..size).fold(0.0f32, |sum, k| x[row * size + k].mul_add(y[k * size + column], sum))
    };
    let expected = quads(&(0..count).map(element).collect::<Vec<_>>());
    assert_eq!(c, expected);
    let Some(gpu) = gpu() else { return };
    let (a, b) = (upload(&gpu, &a), upload(&gpu, &b));
    let (mut safe, mut raw) = (upload(&gpu, &zeros), upload(&gpu, &zeros));
    let matrix = Matrix { data: safe.view_mut(), columns: n / 4 };
    let args = safe_matmul::Args { c: matrix, a: a.view(), b: b.view(), n };
    safe_matmul::launch(&gpu, (n / 128, n / 128), args).unwrap();
    assert_eq!(safe.download(gpu.stream()).unwrap(), expected);
    let args = raw_matmul::Args {
        c: DevicePointerMut::from_address(raw.view_mut().pointer_mut().address()),
        a: DevicePointer::from_address(a.view().pointer().address()),
        b: DevicePointer::from_address(b.view().pointer().address()),
        n,
    };
    // SAFETY: all have n times n numbers, aligned to 16 bytes, and n is a multiple of 128.
    unsafe { raw_matmul::launch(&gpu, LaunchShape::linear(4, 256), args) }.unwrap();
    gpu.synchronize().unwrap();
    assert_eq!(raw.download(gpu.stream()).unwrap(), expected);
}

/// Number of barriers in a kernel's PTX.
fn barriers(kernel: &str) -> usize {
    let entry = format!(".entry {kernel}(");
    let text = test_kernels::PTX.split(&entry).nth(1).expect("a kernel of this name");
    let body = text.split("\n}").next().unwrap_or_default();
    body.matches("bar.sync").count() + body.matches("barrier").count()
}

#[test]
fn safe_kernels_have_no_more_barriers_than_raw_ones() {
    for (safe, raw) in [
        ("safe_saxpy", "raw_saxpy"),
        ("safe_sum", "raw_sum"),
        ("safe_transpose", "raw_transpose"),
        ("safe_matmul", "raw_matmul"),
    ] {
        let (ours, theirs) = (barriers(safe), barriers(raw));
        assert!(ours > 0 && ours <= theirs, "{safe} has {ours}, {raw} {theirs}");
    }
}
