//! When a kernel panics, the right structure is blamed, whatever the batch's limits are.

use super::assert_same;
use crate::cpu::{new_work, run_on};
use crate::pack::PackedBatch;
use crate::results::{BatchFeatures, ResultPool};
use crate::synthetic::structure;
use crate::worker::Worker;
use crate::{Backend, Engine, EngineError, Largest, Request, Selection, kernels, point_groups};
use cuda_layout::DeviceLayout;
use cuda_std::Grid;
use cuda_std::launch::{CpuExecutor, Executor, Host, Kernel, LaunchError, Offsets, Transfer};
use shared_types::FEATURES;
use std::convert::Infallible;

/// Limits that differ from the usual ones.
const LIMITS: Largest = Largest { residues: 80, atoms: 200, centrality: 100, rows: 50 };
/// A kernel panics on this structure, the last one of its batch.
const VICTIM: &str = "victim";

/// Launches one kernel with an input that lacks its last structure or residue. So the last structure reads beyond the end and
/// panics.
struct Shortening {
    kernel: &'static str,
}

impl Executor for Shortening {
    type Space = Host;
    type Error = LaunchError;

    fn launch<K: Kernel>(&self, grid: Grid, args: K::Args<'_, Host>) -> Result<(), LaunchError> {
        let shorten = K::NAME == self.kernel;
        let Ok(args) = K::transfer::<Host, Host, _>(args, &mut Shorten(shorten));
        CpuExecutor::new().launch::<K>(grid, args)
    }
}

/// Passes buffers on, some of them without their last element if asked for.
struct Shorten(bool);

impl<'a> Transfer<'a, Host, Host> for Shorten {
    type Error = Infallible;

    fn read<T: DeviceLayout>(&mut self, name: &'static str, buffer: &'a [T]) -> Result<&'a [T], Infallible> {
        let shorter = self.0 && ["descriptors", "places"].contains(&name);
        Ok(if shorter { &buffer[..buffer.len() - 1] } else { buffer })
    }

    fn write<T: DeviceLayout>(&mut self, _: &'static str, buffer: &'a mut [T]) -> Result<&'a mut [T], Infallible> {
        Ok(buffer)
    }

    fn offsets(&mut self, _: &'static str, offsets: &'a Offsets) -> Result<&'a Offsets, Infallible> {
        Ok(offsets)
    }
}

/// Computes on cores, and panics in one kernel if the batch contains the victim.
#[derive(Debug)]
struct Panicking {
    kernel: &'static str,
}

impl Worker for Panicking {
    fn name(&self) -> &str {
        self.kernel
    }

    fn slots(&self) -> usize {
        1
    }

    fn run(&self, batch: &PackedBatch, request: &Request) -> Result<BatchFeatures, EngineError> {
        let (points, results, whole) = (point_groups(request.config.points), ResultPool::default(), batch.whole());
        let has_victim = batch.names().last().is_some_and(|name| name == VICTIM);
        let kernel = if has_victim { self.kernel } else { "none" };
        let executor = Shortening { kernel };
        run_on(&executor, &whole, &points, &mut new_work()?, request, LIMITS, &results)
    }
}

#[test]
fn a_panic_names_its_structure_and_the_others_are_computed() {
    // One structure fits in a block, and one needs several. All columns are computed, and then one column, which another
    // kernel computes.
    let one = || FEATURES.iter().filter(|feature| feature.name == "wcn");
    let asked = [Selection::default(), Selection::new(one(), false)];
    let cases = [60, 110].into_iter().flat_map(|n| asked.iter().map(move |asked| (n, asked)));
    let cases: Vec<_> = cases
        .map(|(residues, selection)| {
            let sizes = [40, 120, 3, 90, 7];
            let mut structures: Vec<_> =
                sizes.iter().enumerate().map(|(i, &n)| structure(&format!("s{i}"), n, i as u64)).collect();
            structures.push(structure(VICTIM, residues, 99));
            let cpu = Engine::builder().backend(Backend::Cpu).selection(selection.clone()).build().unwrap();
            let whole = cpu.run(&structures).unwrap();
            (structures, selection, whole)
        })
        .collect();
    // Pairs of bases are of no batch.
    for kernel in kernels().iter().filter(|kernel| kernel.name != "base_pairs") {
        let mut panics = 0;
        for (structures, selection, whole) in &cases {
            let mut engine = Engine::of_workers(vec![Box::new(Panicking { kernel: kernel.name })], None, usize::MAX);
            engine.request.selection = (*selection).clone();
            let each = engine.run_each(structures).unwrap();
            let (mut computed, mut failed) = (Vec::new(), Vec::new());
            for (index, one) in each.into_iter().enumerate() {
                match one {
                    Ok(features) => computed.push(features),
                    Err(error) => failed.push((index, error)),
                }
            }
            assert_same(&computed, &whole[..computed.len()]);
            for (index, error) in &failed {
                panics += 1;
                assert_eq!((*index, error.structure_index()), (5, Some(5)), "{}: {error}", kernel.name);
                let EngineError::KernelPanic { structure, panic, .. } = error else { panic!("{error}") };
                assert_eq!((structure.as_str(), &*panic.kernel), (VICTIM, kernel.name));
            }
            assert!(failed.len() <= 1 && computed.len() + failed.len() == structures.len());
        }
        // The kernels of points read their inputs through clamped views, which have an element for every index.
        assert!(panics > 0 || kernel.name.starts_with("site_"), "{} panics on no structure", kernel.name);
    }
}
