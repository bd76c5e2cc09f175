//! The test kernel of the pass over pairs, and launches with raw words only.

use cuda_host::raw::{Word, load_image};
use cuda_host::{CudaError, DeviceBuffer, DeviceOffsets};
use cuda_std::launch::{CpuExecutor, Offsets, Segments};
use test_kernels::{Contact, Point, contacts};
use toolkit_tests::device;
use toolkit_tests::dice::Dice;

/// A random walk with steps of 3.8 that returns near itself.
fn points(n: usize, seed: u64) -> Vec<Point> {
    let mut dice = Dice::new(seed);
    let mut at = [0.0; 3];
    let step = |_| {
        let to = [0; 3].map(|_| dice.normal());
        let length = to.iter().map(|x| x * x).sum::<f64>().sqrt();
        (0..3).for_each(|k| at[k] += 3.8 * to[k] / length);
        let [x, y, z] = at.map(|x| x as f32);
        Point { x, y, z, tag: 0 }
    };
    (0..n).map(step).collect()
}

#[test]
fn the_contact_kernel_counts_what_is_near() {
    // Four in a row, 5 apart, except one that is 30 away.
    let points = [0.0, 5.0, 10.0, 40.0].map(|x| Point { x, y: 0.0, z: 0.0, tag: 0 });
    let mut out: [Contact; 4] = bytemuck::Zeroable::zeroed();
    let offsets = Offsets::new(vec![0, 4]).unwrap();
    let segments = Segments { data: &mut out[..], offsets: &offsets };
    let args = contacts::Args { out: segments, points: &points[..], threshold: 8.0 };
    contacts::launch(&CpuExecutor::new(), 1, args).unwrap();
    assert_eq!(out.iter().map(|c| c.number).collect::<Vec<_>>(), [1.0, 2.0, 1.0, 0.0]);
    // On a line the unit vectors from both neighbours cancel.
    assert_eq!(
        out.iter().map(|c| (c.up, c.down)).collect::<Vec<_>>(),
        [(0.0, 2.0), (0.0, 2.0), (0.0, 2.0), (0.0, 0.0)]
    );
    let expected = 1.0 / 25.0 + 1.0 / 100.0 + 1.0 / 1600.0;
    assert!((out[0].weighted - expected).abs() < 1e-6);
}

#[test]
fn the_contact_kernel_gives_the_bits_of_the_cpu() {
    let Some(gpu) = device::executor("test kernels", test_kernels::IMAGE) else { return };
    let sizes = [1, 2, 300, 257, 9];
    let points: Vec<Point> = sizes.iter().flat_map(|&n| points(n, n as u64)).collect();
    let ends = sizes.iter().scan(0, |end, n| {
        *end += *n as u32;
        Some(*end)
    });
    let offsets = Offsets::new(std::iter::once(0).chain(ends).collect()).unwrap();
    let mut expected: Vec<Contact> = vec![bytemuck::Zeroable::zeroed(); points.len()];
    let out = Segments { data: &mut expected[..], offsets: &offsets };
    contacts::launch(&CpuExecutor::new(), 5, contacts::Args { out, points: &points, threshold: 8.0 }).unwrap();

    let stream = gpu.stream();
    let device_offsets = DeviceOffsets::new(stream, &offsets).unwrap();
    let points = DeviceBuffer::from_slice(stream, &points).unwrap();
    let mut found = DeviceBuffer::<Contact>::zeroed(stream, points.len()).unwrap();
    let out = Segments { data: found.view_mut(), offsets: &device_offsets };
    contacts::launch(&gpu, 5, contacts::Args { out, points: points.view(), threshold: 8.0 }).unwrap();
    let found = found.download(stream).unwrap();
    assert_eq!(bytemuck::cast_slice::<_, u32>(&found), bytemuck::cast_slice::<_, u32>(&expected));
}

/// Adds `step` to the first of `out`; written by hand.
const FOREIGN: &str = ".version 6.3\n.target sm_75\n.address_size 64\n\
    .visible .entry add_to_first(.param .u64 out, .param .f32 step)\n{\n\
    .reg .b64 %rd<3>;\n.reg .f32 %f<4>;\n\
    ld.param.u64 %rd1, [out];\nld.param.f32 %f1, [step];\ncvta.to.global.u64 %rd2, %rd1;\n\
    ld.global.f32 %f2, [%rd2];\nadd.f32 %f3, %f1, %f2;\nst.global.f32 [%rd2], %f3;\nret;\n}\n";

#[test]
fn a_kernel_of_another_compiler_is_launched_with_raw_words() {
    let Some(gpu) = device::executor("test kernels", test_kernels::IMAGE) else { return };
    let stream = gpu.stream();
    // SAFETY: the text is complete.
    let module = unsafe { load_image(gpu.context(), "foreign", FOREIGN.as_bytes()) }.unwrap();
    let kernel = module.raw_kernel("add_to_first").unwrap();
    assert!(kernel.attributes().registers > 0);
    assert!(matches!(module.raw_kernel("absent"), Err(CudaError::UnknownKernel { kernel: "absent", .. })));
    let mut out = DeviceBuffer::from_slice(stream, &[1.0f32, 2.0]).unwrap();
    let words = [Word::address_mut(&mut out.view_mut()), Word::value(0.5f32)];
    for _ in 0..3 {
        // SAFETY: an address of 8 bytes and a number of 4, and one thread writes one element.
        unsafe { kernel.launch(stream, 1, 1, &words) }.unwrap();
    }
    stream.synchronize().unwrap();
    assert_eq!(out.download(stream).unwrap(), [2.5, 2.0]);
    let tells = gpu.kernel::<contacts::Kernel>().unwrap().argument_bytes().is_some();
    if tells {
        // SAFETY: refused before the launch.
        let error = unsafe { kernel.launch(stream, 1, 1, &words[..1]) }.unwrap_err();
        assert!(matches!(error, CudaError::Parameters { index: 1, .. }), "{error}");
    }
}
