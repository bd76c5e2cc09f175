//! Generic kernels: every instance computes with its types and constants, and is found by them.

use crate::machines;
use cuda_host::{CudaError, DeviceBuffer, SignaturePart};
use cuda_layout::DeviceLayout;
use cuda_std::launch::{Kernel, LaunchError};
use test_kernels as k;
use toolkit_tests::device::Machines;

#[test]
fn instances_over_types_and_sizes_have_the_bits_of_the_cpu() {
    /// Sums of `f64` are within `error` of their sizes.
    fn weighted<T: DeviceLayout + Into<f64>, const N: usize>(machines: &Machines, x: &[T], factor: T, error: f64)
    where
        k::weighted::Kernel<T, N>: k::weighted::Instance<T>,
    {
        let found = machines.same(|on| {
            let (input, mut out) = (on.buffer(x)?, on.buffer(x)?);
            let args = k::weighted::Args { out: out.view_mut(), x: input.view(), factor };
            k::weighted::launch::<T, N, _>(on, x.len().div_ceil(N) as u32, args)?;
            out.download()
        });
        for (part, found) in x.chunks(N).zip(found.chunks(N)) {
            let scaled: Vec<f64> = part.iter().map(|x| (*x).into() * factor.into()).collect();
            let (whole, mut sum, mut size) = (scaled.iter().sum::<f64>(), 0.0, 0.0);
            for (x, found) in scaled.iter().rev().zip(found) {
                sum += x + whole;
                size += x.abs() + scaled.iter().map(|x| x.abs()).sum::<f64>();
                assert!(
                    ((*found).into() - sum).abs() <= error * size,
                    "{N} threads: {} in place of {sum}",
                    (*found).into()
                );
            }
        }
    }
    let machines = machines();
    for n in [1, 255, 256, 1000, 5000] {
        let x: Vec<f64> = (0..n).map(|i| f64::from(i * 7919 % 1009) / 7.0 - 60.0).collect();
        weighted::<f64, 128>(&machines, &x, 1.7, 1e-14);
        weighted::<f32, 256>(&machines, &x.iter().map(|x| *x as f32).collect::<Vec<_>>(), 1.7, 1e-6);
        weighted::<u32, 1024>(&machines, &(0..n as u32).map(|i| i % 100).collect::<Vec<_>>(), 3, 0.0);
    }
}

#[test]
fn functors_have_the_bits_of_the_cpu() {
    fn curve<F: k::Curve>(machines: &Machines, f: F)
    where
        k::curve::Kernel<F>: k::curve::Instance<F>,
    {
        let x: Vec<f32> = (0..2000).map(|i| i as f32 * 0.37 - 300.0).collect();
        let found = machines.same(|on| {
            let (x, mut out) = (on.buffer(&x)?, on.zeroed::<f32>(x.len())?);
            k::curve::launch(on, 4, k::curve::Args { out: out.view_mut(), x: x.view(), f })?;
            out.download()
        });
        assert!(x.iter().zip(&found).all(|(x, y)| y.to_bits() == f.at(*x).to_bits()));
    }
    let machines = machines();
    curve(&machines, k::Line { slope: 0.3, begin: -2.0 });
    curve(&machines, k::Wave { height: 3.0, frequency: 0.9 });
}

#[test]
fn operations_have_the_bits_of_the_cpu() {
    fn joined<O: k::Operation, const WIDTH: u32>(machines: &Machines)
    where
        k::joined::Kernel<O, WIDTH>: k::joined::Instance,
    {
        let x: Vec<u32> = (0..200 * WIDTH).map(|i| i.wrapping_mul(2_654_435_761) >> 5).collect();
        let expected: Vec<u32> = x.chunks(WIDTH as usize).map(|x| x.iter().copied().reduce(O::join).unwrap()).collect();
        let found = machines.same(|on| {
            let (x, mut out) = (on.buffer(&x)?, on.zeroed(200)?);
            k::joined::launch::<O, WIDTH, _>(on, 4, k::joined::Args { out: out.view_mut(), x: x.view() })?;
            out.download()
        });
        assert_eq!(found, expected);
    }
    let machines = machines();
    joined::<k::Sum, 8>(&machines);
    joined::<k::Largest, 8>(&machines);
    joined::<k::Largest, 32>(&machines);
}

#[test]
fn errors_name_the_instance() {
    let machines = machines();
    let Some(gpu) = machines.gpu() else { return };
    let x = DeviceBuffer::from_slice(gpu.stream(), &[1.0f64; 99]).unwrap();
    let mut out = DeviceBuffer::zeroed(gpu.stream(), 100).unwrap();
    let args = k::weighted::Args { out: out.view_mut(), x: x.view(), factor: 1.0 };
    let refused = k::weighted::launch::<f64, 128, _>(gpu, 2, args);
    let Err(CudaError::Launch(error)) = refused else { panic!("{refused:?}") };
    assert!(matches!(*error, LaunchError::Chunks { kernel: "weighted_f64", needed: 1, .. }), "{error}");
    let args = k::weighted::Args { out: out.view_mut(), x: x.view(), factor: 1.0 };
    k::weighted::launch::<f64, 128, _>(gpu, 1, args).unwrap();
    let error = out.download(gpu.stream()).unwrap_err();
    let panic = error.kernel_panic().unwrap_or_else(|| panic!("{error}"));
    assert_eq!((panic.kernel.as_str(), panic.thread), ("weighted_f64", [99, 0, 0]));
}

#[test]
fn an_instance_of_other_types_is_refused() {
    type Altered = k::altered_operation::Kernel<k::Largest>;
    assert_eq!(Altered::DESCRIPTION, "altered_instance<Largest>(out:&mut Chunk<u32,32>;x:u32;)x32 grid 1");
    let machines = machines();
    let Some(gpu) = machines.gpu() else { return };
    let mut out = DeviceBuffer::zeroed(gpu.stream(), 32).unwrap();
    let args = k::altered_operation::Args { out: out.view_mut(), x: 1 };
    match k::altered_operation::launch::<k::Largest, _>(gpu, 1, args) {
        Err(CudaError::Description { kernel, difference, .. }) => {
            assert_eq!((kernel, &difference.part), ("altered_instance", &SignaturePart::Name));
            assert_eq!(difference.device, "altered_instance<Sum>");
        }
        other => panic!("{other:?}"),
    }
}
