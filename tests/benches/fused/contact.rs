//! Times the pass over pairs alone: the safe kernel and its baselines in CUDA C++.

use crate::Arguments;
use crate::features::pairs_within;
use crate::report::{Bits, Measurement, Report, Work};
use anyhow::{Context as _, Result, ensure};
use cuda_host::raw::{RawKernel, Word, load_image};
use cuda_host::{CudaExecutor, DeviceBuffer, DeviceOffsets, KernelAttributes, Stream};
use cuda_std::launch::{Offsets, Segments};
use prism_host::{PackedBatch, StructureInput};
use std::fs;
use std::path::Path;
use test_kernels::{Contact, Point, contacts};
use tests::bench::{Watch, in_turn, median};

/// Contact threshold in Å.
const THRESHOLD: f32 = 8.0;
const THREADS: u32 = 256;

/// A kernel with its results.
struct Contestant {
    name: &'static str,
    kernel: Option<RawKernel>,
    attributes: KernelAttributes,
    milliseconds: Vec<f64>,
    result: Vec<Contact>,
}

/// The batch on the device.
struct Batch {
    out: DeviceBuffer<Contact>,
    points: DeviceBuffer<Point>,
    offsets: DeviceOffsets,
    /// The same offsets in the form that a baseline reads.
    plain_offsets: DeviceBuffer<u32>,
    blocks: u32,
}

impl Batch {
    fn new(stream: &Stream, batch: &PackedBatch) -> Result<Self> {
        let (offsets, atoms): (&Offsets, _) = (batch.residue_offsets(), batch.atoms());
        let mut points = Vec::with_capacity(batch.n_residues());
        for descriptor in batch.descriptors() {
            let rows = descriptor.ca_offset as usize..(descriptor.ca_offset + descriptor.n_residues) as usize;
            points.extend(batch.ca_indices()[rows].iter().map(|ca| {
                let atom = atoms[(descriptor.atom_offset + ca) as usize];
                Point { x: atom.x, y: atom.y, z: atom.z, tag: 0 }
            }));
        }
        Ok(Self {
            out: DeviceBuffer::zeroed(stream, points.len())?,
            points: DeviceBuffer::from_slice(stream, &points)?,
            offsets: DeviceOffsets::new(stream, offsets)?,
            plain_offsets: DeviceBuffer::from_slice(stream, offsets.as_slice())?,
            blocks: u32::try_from(offsets.segments())?,
        })
    }

    fn launch(&mut self, executor: &CudaExecutor, kernel: Option<&RawKernel>) -> Result<()> {
        let Some(kernel) = kernel else {
            let out = Segments { data: self.out.view_mut(), offsets: &self.offsets };
            let args = contacts::Args { out, points: self.points.view(), threshold: THRESHOLD };
            return Ok(contacts::launch(executor, self.blocks, args)?);
        };
        let words = [
            Word::address_mut(&mut self.out.view_mut()),
            Word::address(&self.plain_offsets.view()),
            Word::address(&self.points.view()),
            Word::value(THRESHOLD),
        ];
        // SAFETY: the parameters match tests/baselines/fused.cu. `out` and `points` have an element for each residue up to
        // the last offset, and there is one more offset than blocks. All work is on this stream, which is synchronised
        // before results are read or memory is dropped.
        Ok(unsafe { kernel.launch(executor.stream(), self.blocks, THREADS, &words) }?)
    }
}

pub fn time(structures: &[StructureInput], arguments: &Arguments, report: &mut Report) -> Result<()> {
    let packed = PackedBatch::from_inputs(structures)?;
    let executor = CudaExecutor::open(0, "test kernels", test_kernels::IMAGE)?;
    let stream = executor.stream();
    let mut batch = Batch::new(stream, &packed)?;
    let mut contestants = contestants(&executor, arguments.baselines.as_deref())?;
    let watch = Watch::new(stream)?;
    let milliseconds = in_turn(contestants.len(), arguments.repetitions, |form, _| {
        watch.time(|| batch.launch(&executor, contestants[form].kernel.as_ref()))
    })?;
    for (contestant, milliseconds) in contestants.iter_mut().zip(milliseconds) {
        contestant.milliseconds = milliseconds;
        batch.out.view_mut().zero(stream)?;
        batch.launch(&executor, contestant.kernel.as_ref())?;
        stream.synchronize()?;
        contestant.result = batch.out.download(stream)?;
    }
    let work = work(structures);
    let [first, baselines @ ..] = &contestants[..] else { return Ok(()) };
    ensure!(first.result.iter().any(|contact| contact.number > 0.0), "no contact: nothing was computed");
    for contestant in &contestants {
        let is_first = std::ptr::eq(contestant, first);
        report.add(Measurement {
            name: contestant.name,
            structures: packed.n_structures(),
            residues: packed.n_residues(),
            milliseconds: contestant.milliseconds.clone(),
            attributes: contestant.attributes,
            work,
            ratio: (!is_first).then(|| ratio(first, contestant)),
            bits: (!is_first).then(|| compare(&first.result, contestant)),
        });
    }
    if baselines.is_empty() {
        println!("no baselines: --baselines FILE names tests/baselines/fused.cu as nvcc made it");
    }
    Ok(())
}

fn contestants(executor: &CudaExecutor, baselines: Option<&Path>) -> Result<Vec<Contestant>> {
    let contestant = |name, kernel, attributes| Contestant {
        name,
        kernel,
        attributes,
        milliseconds: Vec::new(),
        result: Vec::new(),
    };
    let ours = executor.kernel::<contacts::Kernel>()?.attributes();
    let mut all = vec![contestant("contacts, Rust", None, ours)];
    if let Some(path) = baselines {
        let image = fs::read(path).with_context(|| format!("cannot read {}", path.display()))?;
        // SAFETY: the caller names an image made by nvcc.
        let module = unsafe { load_image(executor.context(), "baselines", &image) }?;
        for (name, entry) in
            [("contacts, CUDA C++, team", "contact_team"), ("contacts, CUDA C++, direct", "contact_direct")]
        {
            let kernel = module.raw_kernel(entry)?;
            let attributes = kernel.attributes();
            all.push(contestant(name, Some(kernel), attributes));
        }
    }
    Ok(all)
}

/// Our time divided by the baseline's: the median of the ratios within repetitions. Below 1 is faster.
fn ratio(ours: &Contestant, baseline: &Contestant) -> f64 {
    let ratios = ours.milliseconds.iter().zip(&baseline.milliseconds).map(|(ours, baseline)| ours / baseline);
    median(&ratios.collect::<Vec<_>>())
}

/// The team baseline must give our bits. The direct baseline adds in another order, so its counts must be equal, and its
/// sums equal except for rounding.
fn compare(ours: &[Contact], baseline: &Contestant) -> Bits {
    if bytemuck::cast_slice::<_, u32>(ours) == bytemuck::cast_slice::<_, u32>(&baseline.result) {
        return Bits::Same;
    }
    let close = |a: &Contact, b: &Contact| {
        (a.number, a.up, a.down) == (b.number, b.up, b.down) && (a.weighted - b.weighted).abs() <= 1e-5 * a.weighted
    };
    let all_close = ours.len() == baseline.result.len() && ours.iter().zip(&baseline.result).all(|(a, b)| close(a, b));
    if all_close && !baseline.name.ends_with("team") { Bits::Rounded } else { Bits::Wrong }
}

/// Bytes: each residue's point (16) and result (16) once, and the offsets (4 per structure). Operations as in
/// [`crate::features`]: for every ordered pair the distance (8), a division and a sum (2); for each contact its count (1);
/// within 12 Å the half spheres' count and scalar product (1 + 5). The axes, about 30 per residue, are not counted.
fn work(structures: &[StructureInput]) -> Work {
    let mut work = Work::default();
    for structure in structures {
        let n = structure.n_residues() as f64;
        let [contact, half_sphere] = pairs_within(structure, [THRESHOLD, 12.0]);
        work.pairs += n * n;
        work.operations += n * n * 10.0 + contact + half_sphere * 6.0;
        work.bytes += n * 32.0 + 4.0;
    }
    work
}
