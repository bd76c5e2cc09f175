//! The examples of the chapter on launching, on a GPU. Without one each test prints a line and passes, unless
//! CUDA_REQUIRE_GPU=1 requires a GPU.

// ANCHOR: imports
use cuda_host::{
    Context, CudaError, CudaExecutor, Device, DeviceBuffer, DeviceOffsets, Event, Image, Module, PinnedBuffer,
};
use cuda_std::launch::Space;
use cuda_std::prelude::*;
use test_kernels::{fail, roots};
// ANCHOR_END: imports
use toolkit_tests::device::is_there;

// ANCHOR: devices
/// An executor on the device with the most memory, or `None` on a machine without a usable GPU.
fn open(image: Image<'_>) -> Result<Option<CudaExecutor>, CudaError> {
    let devices = match Device::list() {
        Ok(devices) => devices,
        Err(error) if error.is_unavailable() => return Ok(None),
        Err(error) => return Err(error),
    };
    let usable = devices.into_iter().filter(|device| device.is_supported());
    match usable.max_by_key(|device| device.total_memory) {
        Some(device) => CudaExecutor::open(device.ordinal, "my_kernels", image).map(Some),
        None => Ok(None),
    }
}
// ANCHOR_END: devices

#[test]
fn a_device_is_opened_or_there_is_none() -> Result<(), CudaError> {
    let executor = open(test_kernels::IMAGE)?;
    assert_eq!(executor.is_some(), is_there());
    Ok(())
}

/// Square roots of three numbers, `rows` of them in the first segment.
fn expected(input: &[f32], rows: usize) -> Vec<f32> {
    let index = |i| if i < rows { i } else { i - rows };
    input.iter().enumerate().map(|(i, x)| x.mul_add(4.0, index(i) as f32).sqrt()).collect()
}

#[test]
fn a_kernel_is_launched() -> Result<(), Box<dyn std::error::Error>> {
    if !is_there() {
        return Ok(());
    }
    // ANCHOR: launch
    let executor = CudaExecutor::open(0, "my_kernels", test_kernels::IMAGE)?;
    let stream = executor.stream();
    let input = DeviceBuffer::from_slice(stream, &[1.0f32, 2.0, 3.0])?;
    let mut out = DeviceBuffer::<f32>::zeroed(stream, 3)?;
    let offsets = DeviceOffsets::new(stream, &Offsets::new(vec![0, 2, 3])?)?;
    roots::launch(
        &executor,
        2,
        roots::Args { out: Segments { data: out.view_mut(), offsets: &offsets }, input: input.view(), scale: 4.0 },
    )?;
    let result = out.download(stream)?;
    // ANCHOR_END: launch
    assert_eq!(result, expected(&[1.0, 2.0, 3.0], 2));
    Ok(())
}

// ANCHOR: anywhere
/// `sqrt(input * scale + index)` in the executor's buffers.
fn roots_on<'a, E: Executor>(
    executor: &E,
    out: Segments<'a, E::Space, f32>,
    input: <E::Space as Space>::Ref<'a, f32>,
) -> Result<(), E::Error> {
    roots::launch(executor, 2, roots::Args { out, input, scale: 4.0 })
}
// ANCHOR_END: anywhere

#[test]
fn one_function_launches_anywhere() -> Result<(), Box<dyn std::error::Error>> {
    let input = [1.0, 2.0, 3.0];
    let offsets = Offsets::new(vec![0, 2, 3])?;
    let mut out = [0.0; 3];
    roots_on(&CpuExecutor::new(), Segments { data: &mut out, offsets: &offsets }, &input)?;
    assert_eq!(out.to_vec(), expected(&input, 2));
    Ok(())
}

#[test]
fn streams_and_copies_overlap() -> Result<(), Box<dyn std::error::Error>> {
    if !is_there() {
        return Ok(());
    }
    // ANCHOR: streams
    let context = Context::new(0)?;
    let (copies, kernels) = (context.stream()?, context.stream()?);
    let executor = CudaExecutor::new(&kernels, [Module::load(&context, "my_kernels", test_kernels::IMAGE)?])?;

    let mut upload = PinnedBuffer::<f32>::zeroed(&context, 3)?;
    upload.as_mut_slice()?.copy_from_slice(&[1.0, 2.0, 3.0]);
    let mut download = PinnedBuffer::<f32>::zeroed(&context, 3)?;
    let mut input = DeviceBuffer::<f32>::zeroed(&copies, 3)?;
    let mut out = DeviceBuffer::<f32>::zeroed(&copies, 3)?;
    let offsets = DeviceOffsets::new(&copies, &Offsets::new(vec![0, 3])?)?;

    let (start, end) = (Event::new(&context)?, Event::new(&context)?);
    // None of these waits. The buffers order the kernel after the copy, and the next copy after the kernel.
    upload.upload(&copies, input.view_mut())?;
    start.record(&kernels)?;
    roots::launch(
        &executor,
        1,
        roots::Args { out: Segments { data: out.view_mut(), offsets: &offsets }, input: input.view(), scale: 4.0 },
    )?;
    end.record(&kernels)?;
    download.download(&copies, out.view())?;
    // Reading waits.
    let result = download.as_slice()?.to_vec();
    println!("the kernel took {} ms", end.elapsed_ms(&start)?);
    // ANCHOR_END: streams
    assert_eq!(result, expected(&[1.0, 2.0, 3.0], 3));
    Ok(())
}

#[test]
fn a_panic_is_an_error_and_not_the_end() -> Result<(), Box<dyn std::error::Error>> {
    if !is_there() {
        return Ok(());
    }
    let executor = CudaExecutor::open(0, "my_kernels", test_kernels::IMAGE)?;
    // ANCHOR: errors
    let stream = executor.stream();
    let input = DeviceBuffer::from_slice(stream, &[7u32; 64])?;
    let mut out = DeviceBuffer::<u32>::zeroed(stream, 64)?;
    let offsets = DeviceOffsets::new(stream, &Offsets::new(vec![0, 32, 64])?)?;
    fail::launch(
        &executor,
        2,
        fail::Args {
            out: Segments { data: out.view_mut(), offsets: &offsets },
            input: input.view(),
            block_to_fail: 1,
            index: 1000,
        },
    )?;
    // The launch was queued. Its kernel's panic becomes known when the program waits.
    let error = out.download(stream).expect_err("the kernel reads beyond its input");
    let panic = error.kernel_panic().expect("an index out of bounds is a panic");
    assert_eq!((panic.kernel.as_str(), panic.block[0]), ("fail", 1));
    // The results of that launch are refused until they are written again. The context survives.
    assert!(matches!(out.download(stream), Err(CudaError::Poisoned { .. })));
    out.view_mut().zero(stream)?;
    assert_eq!(out.download(stream)?, [0; 64]);
    // ANCHOR_END: errors
    Ok(())
}
