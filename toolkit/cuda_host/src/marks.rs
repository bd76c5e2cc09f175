//! Marks of what a launch has written, for kernels that check that no element of a `Scatter` is written twice.

use crate::module::LoadedKernel;
use crate::{CudaError, DeviceBuffer, Stream};
use cuda_layout::DeviceLayout;
use cuda_std::launch::{ArgVisitor, DynamicLength, Kernel, Matrix, Segments, Space};

/// For each `Scatter` of a launch, a zero bit for each element. Dropping them waits for the launch.
pub(crate) fn marks<K: Kernel, S: Space>(
    kernel: &LoadedKernel,
    stream: &Stream,
    args: &mut K::Args<'_, S>,
) -> Result<Vec<DeviceBuffer<u32>>, CudaError> {
    struct Lengths(Vec<usize>);
    impl<S: Space> ArgVisitor<S> for Lengths {
        fn slice<T: DeviceLayout>(&mut self, _: &'static str, _: &mut S::Ref<'_, T>) {}
        fn segments<T: DeviceLayout>(&mut self, _: &'static str, _: &mut Segments<'_, S, T>) {}
        fn chunks<T: DeviceLayout>(&mut self, _: &'static str, _: &mut S::Mut<'_, T>, _: usize) {}
        fn matrix<T: DeviceLayout>(&mut self, _: &'static str, _: &mut Matrix<'_, S, T>, _: [usize; 2]) {}
        fn atomics<T: DeviceLayout>(&mut self, _: &'static str, _: &mut S::Mut<'_, T>) {}
        fn scatter<T: DeviceLayout>(&mut self, _: &'static str, buffer: &mut S::Mut<'_, T>) {
            self.0.push(S::len_mut(buffer));
        }
        fn dynamic_shared<T: DeviceLayout>(&mut self, _: &'static str, _: DynamicLength) {}
        fn value<T: DeviceLayout>(&mut self, _: &'static str, _: &T) {}
    }
    if !kernel.checks_writes() {
        return Ok(Vec::new());
    }
    stream.check_runs("a launch that checks its writes")?;
    let mut lengths = Lengths(Vec::new());
    K::visit(args, &mut lengths);
    lengths.0.into_iter().map(|len| DeviceBuffer::zeroed(stream, len.div_ceil(32))).collect()
}
