//! Generic kernels on a GPU: every instance gives the bits of CPU cores, and is found by its types and constants.

use cuda_host::{CudaError, CudaExecutor, DeviceBuffer, Place};
use cuda_layout::DeviceLayout;
use cuda_std::launch::{Kernel, LaunchError};
use cuda_std::prelude::*;
use test_kernels as k;

fn gpu() -> Option<CudaExecutor> {
    toolkit_tests::device::is_there()
        .then(|| CudaExecutor::open(0, "test kernels", k::PTX).expect("a device that opens"))
}

fn upload<T: DeviceLayout>(gpu: &CudaExecutor, values: &[T]) -> DeviceBuffer<T> {
    DeviceBuffer::from_slice(gpu.stream(), values).expect("memory")
}

/// As generic as its kernel: both executors run any instance.
fn weighted<T: DeviceLayout, const N: usize>(gpu: &Option<CudaExecutor>, x: &[T], factor: T)
where
    k::weighted::Kernel<T, N>: k::weighted::Instance<T>,
{
    let blocks = x.len().div_ceil(N) as u32;
    let mut expected = x.to_vec();
    let args = k::weighted::Args { out: &mut expected[..], x, factor };
    k::weighted::launch::<T, N, _>(&CpuExecutor::new(), blocks, args).unwrap();
    let Some(gpu) = gpu else { return };
    let (x, mut out) = (upload(gpu, x), upload(gpu, x));
    let args = k::weighted::Args { out: out.view_mut(), x: x.view(), factor };
    k::weighted::launch::<T, N, _>(gpu, blocks, args).unwrap();
    let found = out.download(gpu.stream()).unwrap();
    assert_eq!(bytemuck::cast_slice::<T, u8>(&found), bytemuck::cast_slice::<T, u8>(&expected), "{N}");
}

#[test]
fn instances_over_types_and_sizes_have_the_bits_of_the_cpu() {
    let gpu = gpu();
    for n in [1, 255, 256, 1000, 5000] {
        let x: Vec<f64> = (0..n).map(|i| f64::from(i * 7919 % 1009) / 7.0 - 60.0).collect();
        weighted::<f64, 128>(&gpu, &x, 1.7);
        weighted::<f32, 256>(&gpu, &x.iter().map(|x| *x as f32).collect::<Vec<_>>(), 1.7);
        weighted::<u32, 1024>(&gpu, &(0..n as u32).map(|i| i % 100).collect::<Vec<_>>(), 3);
    }
}

#[test]
fn functors_have_the_bits_of_the_cpu() {
    fn curve<F: k::Curve>(gpu: &Option<CudaExecutor>, f: F)
    where
        k::curve::Kernel<F>: k::curve::Instance<F>,
    {
        let x: Vec<f32> = (0..2000).map(|i| i as f32 * 0.37 - 300.0).collect();
        let mut expected = vec![0.0; x.len()];
        k::curve::launch(&CpuExecutor::new(), 4, k::curve::Args { out: &mut expected[..], x: &x[..], f }).unwrap();
        assert!(x.iter().zip(&expected).all(|(x, y)| y.to_bits() == f.at(*x).to_bits()));
        let Some(gpu) = gpu else { return };
        let (x, mut out) = (upload(gpu, &x), upload(gpu, &vec![0.0f32; 2000]));
        k::curve::launch(gpu, 4, k::curve::Args { out: out.view_mut(), x: x.view(), f }).unwrap();
        let found = out.download(gpu.stream()).unwrap();
        assert!(found.iter().zip(&expected).all(|(a, b)| a.to_bits() == b.to_bits()));
    }
    let gpu = gpu();
    curve(&gpu, k::Line { slope: 0.3, begin: -2.0 });
    curve(&gpu, k::Wave { height: 3.0, frequency: 0.9 });
}

#[test]
fn operations_have_the_bits_of_the_cpu() {
    fn joined<O: k::Operation, const WIDTH: u32>(gpu: &Option<CudaExecutor>)
    where
        k::joined::Kernel<O, WIDTH>: k::joined::Instance,
    {
        let x: Vec<u32> = (0..200 * WIDTH).map(|i| i.wrapping_mul(2_654_435_761) >> 5).collect();
        let expected: Vec<u32> = x.chunks(WIDTH as usize).map(|x| x.iter().copied().reduce(O::join).unwrap()).collect();
        let mut on_cpu = vec![0; 200];
        let args = k::joined::Args { out: &mut on_cpu[..], x: &x[..] };
        k::joined::launch::<O, WIDTH, _>(&CpuExecutor::new(), 4, args).unwrap();
        assert_eq!(on_cpu, expected);
        let Some(gpu) = gpu else { return };
        let (x, mut out) = (upload(gpu, &x), upload(gpu, &on_cpu));
        let args = k::joined::Args { out: out.view_mut(), x: x.view() };
        k::joined::launch::<O, WIDTH, _>(gpu, 4, args).unwrap();
        assert_eq!(out.download(gpu.stream()).unwrap(), expected);
    }
    let gpu = gpu();
    joined::<k::Sum, 8>(&gpu);
    joined::<k::Largest, 8>(&gpu);
    joined::<k::Largest, 32>(&gpu);
}

#[test]
fn errors_name_the_instance() {
    let Some(gpu) = gpu() else { return };
    let (x, mut out) = (upload(&gpu, &[1.0f64; 99]), upload(&gpu, &[0.0f64; 100]));
    let args = k::weighted::Args { out: out.view_mut(), x: x.view(), factor: 1.0 };
    let refused = k::weighted::launch::<f64, 128, _>(&gpu, 2, args);
    let Err(CudaError::Launch(error)) = refused else { panic!("{refused:?}") };
    assert!(matches!(*error, LaunchError::Chunks { kernel: "weighted_f64", needed: 1, .. }), "{error}");
    let args = k::weighted::Args { out: out.view_mut(), x: x.view(), factor: 1.0 };
    k::weighted::launch::<f64, 128, _>(&gpu, 1, args).unwrap();
    let error = out.download(gpu.stream()).unwrap_err();
    let panic = error.kernel_panic().unwrap_or_else(|| panic!("{error}"));
    assert_eq!((panic.kernel.as_str(), panic.thread), ("weighted_f64", [99, 0, 0]));
}

#[test]
fn an_instance_of_other_types_is_refused() {
    type Altered = k::altered_operation::Kernel<k::Largest>;
    assert_eq!(Altered::DESCRIPTION, "altered_instance<Largest>(out:&mut Chunk<u32,32>;x:u32;)x32");
    let Some(gpu) = gpu() else { return };
    let mut out = upload(&gpu, &[0u32; 32]);
    let args = k::altered_operation::Args { out: out.view_mut(), x: 1 };
    match k::altered_operation::launch::<k::Largest, _>(&gpu, 1, args) {
        Err(CudaError::Description { kernel, difference, .. }) => {
            assert_eq!((kernel, &difference.place), ("altered_instance", &Place::Name));
            assert_eq!(difference.device, "altered_instance<Sum>");
        }
        other => panic!("{other:?}"),
    }
}
