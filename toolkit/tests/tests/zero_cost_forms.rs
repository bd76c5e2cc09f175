//! Safe kernels compared with their baselines with raw pointers: the same bits, as the benchmark `zero_cost` assumes. The
//! safe ones also run on CPU cores. Without a GPU the rest is skipped, and a line says so.

use cuda_host::{CudaExecutor, DeviceBuffer, Machine};
use cuda_layout::DeviceLayout;
use cuda_std::compat::launch::{DevicePointer, DevicePointerMut, LaunchShape};
use cuda_std::launch::Matrix;
use test_kernels::{
    Quad, raw_gather, raw_histogram, raw_matmul, raw_saxpy, raw_sum, raw_transpose, safe_gather, safe_histogram,
    safe_matmul, safe_saxpy, safe_sum, safe_transpose,
};
use toolkit_tests::device::{Bits as _, Machines};
use toolkit_tests::dice::{numbers, words};

fn machines() -> Machines {
    Machines::new("test kernels", test_kernels::IMAGE)
}

fn upload<T: DeviceLayout>(gpu: &CudaExecutor, values: &[T]) -> DeviceBuffer<T> {
    DeviceBuffer::from_slice(gpu.stream(), values).expect("memory")
}

/// A raw kernel writes the expected elements. `launch` returns the buffers that it reads, which live until it ends.
fn raw<T: DeviceLayout, R>(
    machines: &Machines,
    expected: &[T],
    launch: impl FnOnce(&CudaExecutor, DevicePointerMut<T>) -> R,
) {
    let Some(gpu) = machines.gpu() else { return };
    let mut out = DeviceBuffer::zeroed(gpu.stream(), expected.len()).expect("memory");
    let inputs = launch(gpu, out.view_mut().pointer_mut());
    gpu.synchronize().unwrap();
    drop(inputs);
    let found = out.download(gpu.stream()).unwrap();
    assert!(found.bits() == expected.to_vec().bits(), "another result than the safe kernel's");
}

#[test]
fn saxpy() {
    let n = 3 * 4096 + 77;
    let (x, y, machines) = (numbers(n, 1), numbers(n, 2), machines());
    let found = machines.same(|on| {
        let (x, y, mut out) = (on.buffer(&x)?, on.buffer(&y)?, on.zeroed(n)?);
        safe_saxpy::launch(on, 4, safe_saxpy::Args { out: out.view_mut(), x: x.view(), y: y.view(), a: 1.25 })?;
        out.download()
    });
    let expected: Vec<f32> = x.iter().zip(&y).map(|(x, y)| 1.25f32.mul_add(*x, *y)).collect();
    assert_eq!(found.bits(), expected.bits());
    raw(&machines, &expected, |gpu, out| {
        let (x, y) = (upload(gpu, &x), upload(gpu, &y));
        let (from_x, from_y) = (x.view().pointer(), y.view().pointer());
        let args = raw_saxpy::Args { out, x: from_x, y: from_y, a: 1.25, n: n as u32, chunk: 4096 };
        // SAFETY: all have n elements.
        unsafe { raw_saxpy::launch(gpu, LaunchShape::linear(4, 256), args) }.unwrap();
        (x, y)
    });
}

#[test]
fn gather() {
    let (n, m) = (2 * 4096 + 77, 1000);
    let (x, machines) = (numbers(m, 8), machines());
    let mut index: Vec<u32> = words(n, 9).into_iter().map(|word| word % m as u32).collect();
    let run = |on: &Machine, index: &[u32]| {
        let (x, index, mut out) = (on.buffer(&x)?, on.buffer(index)?, on.buffer(&vec![9.0; n])?);
        let args = safe_gather::Args { out: out.view_mut(), x: x.view(), index: index.view() };
        safe_gather::launch(on, 3, args)?;
        out.download()
    };
    let expected: Vec<f32> = index.iter().map(|at| x[*at as usize]).collect();
    assert_eq!(machines.same(|on| run(on, &index)).bits(), expected.bits());
    raw(&machines, &expected, |gpu, out| {
        let (x, index) = (upload(gpu, &x), upload(gpu, &index));
        let (from_x, at) = (x.view().pointer(), index.view().pointer());
        let args = raw_gather::Args { out, x: from_x, index: at, n: n as u32, chunk: 4096 };
        // SAFETY: `out` and `index` have n elements; the safe kernel has found no index beyond `x`.
        unsafe { raw_gather::launch(gpu, LaunchShape::linear(3, 256), args) }.unwrap();
        (x, index)
    });
    // The check that the benchmark times exists: one of all indices is beyond the end.
    index[5000] = m as u32;
    let place = |on: &Machine| {
        let error = run(on, &index).unwrap_err();
        let panic = error.kernel_panic().unwrap_or_else(|| panic!("{on}: {error}"));
        (panic.line, panic.block, panic.thread)
    };
    let on_cpu = place(&Machine::cpu());
    assert_eq!((on_cpu.1, on_cpu.2), ([1, 0, 0], [(5000 - 4096) % 256, 0, 0]));
    let Some(gpu) = machines.gpu() else { return };
    assert_eq!(place(&gpu.clone().into()), on_cpu);
}

#[test]
fn sums() {
    let (n, chunk) = (5 * 4000 - 1234, 4000);
    let (input, machines) = (numbers(n, 3), machines());
    let sums = machines.same(|on| {
        let (input, mut sums) = (on.buffer(&input)?, on.zeroed(5)?);
        safe_sum::launch(on, 5, safe_sum::Args { sums: sums.view_mut(), input: input.view(), chunk })?;
        sums.download()
    });
    for (sum, part) in sums.iter().zip(input.chunks(chunk as usize)) {
        let exact: f64 = part.iter().map(|x| f64::from(*x)).sum();
        assert!((f64::from(*sum) - exact).abs() < 1e-3, "{sum} for {exact}");
    }
    raw(&machines, &sums, |gpu, sums| {
        let input = upload(gpu, &input);
        let args = raw_sum::Args { sums, input: input.view().pointer(), n: n as u32, chunk };
        // SAFETY: n elements, and a sum for each block.
        unsafe { raw_sum::launch(gpu, LaunchShape::linear(5, 1024), args) }.unwrap();
        input
    });
}

#[test]
fn transpose() {
    let (rows, columns) = (192u32, 320u32);
    let n = (rows * columns) as usize;
    let (input, machines) = (numbers(n, 4), machines());
    let grid = (rows / 64, columns / 64);
    let found = machines.same(|on| {
        let (input, mut out) = (on.buffer(&input)?, on.zeroed(n)?);
        let out_matrix = Matrix { data: out.view_mut(), columns: rows };
        safe_transpose::launch(on, grid, safe_transpose::Args { out: out_matrix, input: input.view(), columns })?;
        out.download()
    });
    let place = |i: usize| input[i % rows as usize * columns as usize + i / rows as usize];
    let expected: Vec<f32> = (0..n).map(place).collect();
    assert_eq!(found, expected);
    raw(&machines, &expected, |gpu, out| {
        let input = upload(gpu, &input);
        let args = raw_transpose::Args { out, input: input.view().pointer(), rows, columns };
        // SAFETY: both have rows times columns elements.
        unsafe { raw_transpose::launch(gpu, LaunchShape::linear(grid.0 * grid.1, 256), args) }.unwrap();
        input
    });
}

#[test]
fn histogram() {
    let (n, chunk) = (4 * 1000 - 321, 1000);
    let (words, machines) = (words(n, 5), machines());
    let mut expected = vec![0u32; 256];
    for byte in words.iter().flat_map(|word| word.to_le_bytes()) {
        expected[usize::from(byte)] += 1;
    }
    let found = machines.same(|on| {
        let (words, mut bins) = (on.buffer(&words)?, on.zeroed(256)?);
        safe_histogram::launch(on, 4, safe_histogram::Args { bins: bins.view_mut(), words: words.view(), chunk })?;
        bins.download()
    });
    assert_eq!(found, expected);
    raw(&machines, &expected, |gpu, bins| {
        let words = upload(gpu, &words);
        let args = raw_histogram::Args { bins, words: words.view().pointer(), n: n as u32, chunk };
        // SAFETY: n words, and 256 bins.
        unsafe { raw_histogram::launch(gpu, LaunchShape::linear(4, 256), args) }.unwrap();
        words
    });
}

#[test]
fn matmul() {
    let n = 256u32;
    let count = (n * n) as usize;
    let quads = |values: &[f32]| values.as_chunks().0.iter().map(|&elements| Quad { elements }).collect::<Vec<_>>();
    let (x, y, machines) = (numbers(count, 6), numbers(count, 7), machines());
    let (a, b) = (quads(&x), quads(&y));
    let found = machines.same(|on| {
        let (a, b, mut c) = (on.buffer(&a)?, on.buffer(&b)?, on.zeroed(count / 4)?);
        let c_matrix = Matrix { data: c.view_mut(), columns: n / 4 };
        let args = safe_matmul::Args { c: c_matrix, a: a.view(), b: b.view(), n };
        safe_matmul::launch(on, (n / 128, n / 128), args)?;
        c.download()
    });
    let size = n as usize;
    let element = |i: usize| {
        let (row, column) = (i / size, i % size);
        (0..size).fold(0.0f32, |sum, k| x[row * size + k].mul_add(y[k * size + column], sum))
    };
    let expected = quads(&(0..count).map(element).collect::<Vec<_>>());
    assert_eq!(found, expected);
    raw(&machines, &expected, |gpu, c| {
        let (a, b) = (upload(gpu, &a), upload(gpu, &b));
        let args = raw_matmul::Args {
            c: DevicePointerMut::from_address(c.address()),
            a: DevicePointer::from_address(a.view().pointer().address()),
            b: DevicePointer::from_address(b.view().pointer().address()),
            n,
        };
        // SAFETY: all have n times n numbers, aligned to 16 bytes, and n is a multiple of 128.
        unsafe { raw_matmul::launch(gpu, LaunchShape::linear(4, 256), args) }.unwrap();
        (a, b)
    });
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
