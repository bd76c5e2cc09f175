//! Times the counting kernel and its baseline in turn.

use crate::{Arguments, Line};
use anyhow::{Context as _, Result};
use cuda_host::raw::{RawKernel, Word, load_image};
use cuda_host::{CudaExecutor, DeviceBuffer, DeviceOffsets, Stream};
use cuda_std::launch::{Offsets, Segments};
use kernels_gpu::groups::{AtomItemsArgs, MadeCellsArgs, SortedAtomsArgs, UnsortedAtomsArgs};
use kernels_gpu::scratch::{ATOMS_PER_ITEM, AtomSurface, CellWords, Frame, WorkItem};
use kernels_gpu::{atom_cells as cells, atom_surfaces as surfaces};
use prism_host::PackedBatch;
use prism_host::engine::point_groups;
use shared_types::{Atom, BatchStructureDesc, PointGroup, Steps};
use std::fs;
use std::path::Path;
use tests::bench::{Watch, in_turn, median};

const THREADS: u32 = 224;

// The sizes that tests/baselines/surface.cu asserts, too: it reads these types.
const _: () = assert!(
    size_of::<WorkItem>() == 16
        && size_of::<BatchStructureDesc>() == 24
        && size_of::<Frame>() == 48
        && size_of::<PointGroup>() == 4_196_448
        && size_of::<CellWords>() == 36
);

pub struct Compared {
    /// Median of our time divided by the baseline's within a repetition.
    pub ratio: f64,
    pub same: bool,
    pub lines: Vec<Line>,
}

/// Inputs and outputs of the kernel.
struct Buffers {
    descriptors: DeviceBuffer<BatchStructureDesc>,
    points: DeviceBuffer<PointGroup>,
    n_points: u32,
    sorted: DeviceBuffer<Atom>,
    cells: DeviceBuffer<CellWords>,
    frames: DeviceBuffer<Frame>,
    items: DeviceBuffer<WorkItem>,
    offsets: DeviceOffsets,
    /// The same offsets in the form that a baseline reads.
    plain_offsets: DeviceBuffer<u32>,
    owners: DeviceBuffer<u32>,
    chain_ids: DeviceBuffer<u32>,
    residue_atoms: DeviceBuffer<u32>,
    atoms: DeviceBuffer<Atom>,
    surface: DeviceBuffer<AtomSurface>,
    blocks: u32,
}

impl Buffers {
    /// With atoms sorted into cells.
    fn new(executor: &CudaExecutor, batch: &PackedBatch, points: u32) -> Result<Self> {
        let stream = executor.stream();
        let n_atoms = batch.atom_offsets().end() as usize;
        let (mut items, mut firsts) = (Vec::new(), Vec::new());
        for (index, (descriptor, &atoms)) in batch.descriptors().iter().zip(batch.atom_offsets().as_slice()).enumerate()
        {
            // As in the engine.
            let share = descriptor.n_atoms.div_ceil(descriptor.n_atoms.div_ceil(ATOMS_PER_ITEM));
            for first in (0..descriptor.n_atoms).step_by(share as usize) {
                items.push(WorkItem { structure: index as u32, atoms, boxes: 0, first });
                firsts.push(atoms + first);
            }
        }
        firsts.push(batch.atom_offsets().end());
        let mut buffers = Self {
            descriptors: DeviceBuffer::from_slice(stream, batch.descriptors())?,
            points: DeviceBuffer::from_slice(stream, &point_groups(points))?,
            n_points: points,
            sorted: DeviceBuffer::zeroed(stream, n_atoms)?,
            cells: DeviceBuffer::zeroed(stream, n_atoms)?,
            frames: DeviceBuffer::zeroed(stream, batch.n_structures())?,
            items: DeviceBuffer::from_slice(stream, &items)?,
            plain_offsets: DeviceBuffer::from_slice(stream, &firsts)?,
            offsets: DeviceOffsets::new(stream, &Offsets::new(firsts)?)?,
            owners: DeviceBuffer::zeroed(stream, n_atoms)?,
            chain_ids: DeviceBuffer::from_slice(stream, batch.chain_ids())?,
            residue_atoms: DeviceBuffer::from_slice(stream, batch.residue_atoms())?,
            atoms: DeviceBuffer::from_slice(stream, batch.atoms())?,
            surface: DeviceBuffer::zeroed(stream, n_atoms)?,
            blocks: u32::try_from(items.len())?,
        };
        buffers.sort(executor, batch)?;
        Ok(buffers)
    }

    fn sort(&mut self, executor: &CudaExecutor, batch: &PackedBatch) -> Result<()> {
        let stream = executor.stream();
        let by_structure = DeviceOffsets::new(stream, batch.structure_offsets())?;
        let by_atom = DeviceOffsets::new(stream, batch.atom_offsets())?;
        let args = cells::Args {
            made: MadeCellsArgs {
                frames: Segments { data: self.frames.view_mut(), offsets: &by_structure },
                sorted: Segments { data: self.sorted.view_mut(), offsets: &by_atom },
                cells: Segments { data: self.cells.view_mut(), offsets: &by_atom },
                owners: Segments { data: self.owners.view_mut(), offsets: &by_atom },
            },
            unsorted: UnsortedAtomsArgs {
                atoms: self.atoms.view(),
                descriptors: self.descriptors.view(),
                chain_ids: self.chain_ids.view(),
                residue_atoms: self.residue_atoms.view(),
            },
            largest: u32::MAX,
        };
        cells::launch(executor, u32::try_from(batch.n_structures())?, args)?;
        Ok(stream.synchronize()?)
    }

    fn launch(&mut self, executor: &CudaExecutor) -> Result<()> {
        let args = surfaces::Args {
            surface: Segments { data: self.surface.view_mut(), offsets: &self.offsets },
            atoms: AtomItemsArgs {
                items: self.items.view(),
                descriptors: self.descriptors.view(),
                atoms: SortedAtomsArgs {
                    sorted: self.sorted.view(),
                    cells: self.cells.view(),
                    frames: self.frames.view(),
                },
            },
            points: self.points.view(),
            n_points: self.n_points,
            steps: Steps::ALL.bits(),
        };
        Ok(surfaces::launch(executor, self.blocks, args)?)
    }

    fn launch_baseline(&mut self, stream: &Stream, baseline: &RawKernel) -> Result<()> {
        let words = [
            Word::address_mut(&mut self.surface.view_mut()),
            Word::address(&self.plain_offsets.view()),
            Word::address(&self.items.view()),
            Word::address(&self.descriptors.view()),
            Word::address(&self.sorted.view()),
            Word::address(&self.cells.view()),
            Word::address(&self.frames.view()),
            Word::address(&self.points.view()),
            Word::value(self.n_points),
        ];
        // SAFETY: the parameters match those in tests/baselines/surface.cu, and have the same types. Items name structures
        // with a descriptor and a frame; their atoms lie in `sorted` and, sorted into cells, in `cells`. `surface` has an
        // element for each atom, and there is one more offset than blocks. All work is on this stream, which is
        // synchronised before results are read or memory is dropped.
        Ok(unsafe { baseline.launch(stream, self.blocks, THREADS, &words) }?)
    }
}

fn words(surface: &[AtomSurface]) -> &[u32] {
    bytemuck::cast_slice(surface)
}

pub fn time(executor: &CudaExecutor, batch: &PackedBatch, image: &Path, arguments: &Arguments) -> Result<Compared> {
    let stream = executor.stream();
    let mut buffers = Buffers::new(executor, batch, arguments.points)?;
    let bytes = fs::read(image).with_context(|| format!("cannot read {}", image.display()))?;
    // SAFETY: the caller names an image made by nvcc.
    let baseline = unsafe { load_image(executor.context(), "baseline", &bytes) }?.raw_kernel("surfaces")?;
    let watch = Watch::new(stream)?;
    let mut milliseconds = in_turn(2, arguments.repetitions, |form, _| {
        watch.time(|| if form == 0 { buffers.launch(executor) } else { buffers.launch_baseline(stream, &baseline) })
    })?;
    buffers.launch(executor)?;
    let our_counts = buffers.surface.download(stream)?;
    buffers.launch_baseline(stream, &baseline)?;
    let same = words(&our_counts) == words(&buffers.surface.download(stream)?);
    let (theirs, ours) = (milliseconds.remove(1), milliseconds.remove(0));
    let ratio = median(&ours.iter().zip(&theirs).map(|(a, b)| a / b).collect::<Vec<_>>());
    let lines = vec![
        Line { stage: "counts alone, Rust", milliseconds: ours },
        Line { stage: "counts alone, CUDA C++", milliseconds: theirs },
    ];
    Ok(Compared { ratio, same, lines })
}
