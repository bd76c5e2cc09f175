//! The cost of the safe form: kernels in safe Rust, in Rust with raw pointers, and in CUDA C++, with the same algorithm.
//! `cargo bench -p toolkit-tests --bench zero_cost`, or as an executable on a GPU machine.
//!
//! Times come from events around one launch. The device is still busy with a copy when the host queues the launch, so they are
//! the kernel's own; the table also has the host's time for a launch. All forms of an operation run in turn in every repetition,
//! each time starting with a different one, so a change of clock rates affects all alike. A ratio is the median of the ratios
//! within repetitions.
//! Memory-bound operations alternate between two inputs, each larger than the L2 cache. All forms must give the same bits.

mod gather;
mod gpu;
mod matmul;
mod memory;
mod report;

use anyhow::{Context as _, Error, Result, ensure};
use clap::Parser;
use cuda_host::{DeviceBuffer, DeviceViewMut, KernelAttributes};
use cuda_layout::DeviceLayout;
use gather::Order;
use gpu::Gpu;
use report::{Line, Report};
use std::path::PathBuf;
use std::process::ExitCode;
use std::time::Instant;
use toolkit_tests::bench::{Record, Watch, in_turn};

/// Time safe kernels against their baselines on the first GPU
#[derive(Parser)]
struct Arguments {
    /// Elements of the inputs of memory-bound operations, in units of 2^20
    #[arg(long, value_name = "N", default_value_t = 64, value_parser = clap::value_parser!(u32).range(1..=512))]
    mebi_elements: u32,

    /// Rows and columns of the multiplied matrices: multiples of 128
    #[arg(long, value_name = "N", value_delimiter = ',', default_values_t = [1024, 2048, 4096])]
    matrices: Vec<u32>,

    /// Repetitions after the warm-up
    #[arg(long, value_name = "N", default_value_t = 21, value_parser = clap::value_parser!(u16).range(1..))]
    repetitions: u16,

    /// baselines/zero_cost.cu compiled by nvcc, cubin or PTX: the baselines are timed beside the kernels
    #[arg(long, value_name = "FILE")]
    baselines: Option<PathBuf>,

    #[command(flatten)]
    record: Record,
}

/// The form of a kernel.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Form {
    Safe,
    Raw,
    Cuda,
}

impl Form {
    fn name(self) -> &'static str {
        match self {
            Self::Safe => "safe Rust",
            Self::Raw => "raw Rust",
            Self::Cuda => "CUDA C++",
        }
    }
}

/// The minimum work of an operation.
#[derive(Clone, Copy, Debug, Default)]
struct Work {
    /// Operations on f32; a fused one counts twice.
    operations: f64,
    /// Bytes to and from memory.
    bytes: f64,
}

/// An operation that all forms compute, with its output.
struct Operation<T: DeviceLayout> {
    name: String,
    work: Work,
    /// The forms that there are, with the resources of their kernels.
    forms: Vec<(Form, KernelAttributes)>,
    out: DeviceBuffer<T>,
    /// Queues one launch on input set number `turn`, modulo the number of sets.
    launch: Launch<T>,
}

type Launch<T> = Box<dyn FnMut(&Gpu, DeviceViewMut<'_, T>, Form, usize) -> Result<()>>;

impl<T: DeviceLayout> Operation<T> {
    fn launch(&mut self, gpu: &Gpu, form: Form, turn: usize) -> Result<()> {
        (self.launch)(gpu, self.out.view_mut(), form, turn).with_context(|| self.context(form))
    }

    fn context(&self, form: Form) -> String {
        format!("{}, {}", self.name, form.name())
    }
}

fn main() -> Result<ExitCode> {
    let arguments = Arguments::parse();
    if !toolkit_tests::device::is_there() {
        return Ok(ExitCode::SUCCESS);
    }
    let gpu = Gpu::new(arguments.baselines.as_deref())?;
    let mut report = Report::default();
    let n = arguments.mebi_elements << 20;
    time(&gpu, &arguments, memory::saxpy(&gpu, n)?, &mut report)?;
    for order in [Order::Rising, Order::Near, Order::Far] {
        time(&gpu, &arguments, gather::gather(&gpu, n, order)?, &mut report)?;
    }
    time(&gpu, &arguments, memory::sum(&gpu, n)?, &mut report)?;
    time(&gpu, &arguments, memory::transpose(&gpu, n)?, &mut report)?;
    time(&gpu, &arguments, memory::histogram(&gpu, n)?, &mut report)?;
    for &n in &arguments.matrices {
        ensure!(n > 0 && n.is_multiple_of(128) && n <= 16384, "--matrices: {n} is no multiple of 128 up to 16384");
        time(&gpu, &arguments, matmul::matmul(&gpu, n)?, &mut report)?;
    }
    let mut table = arguments.record.table_of_gpu()?;
    report.fill(&mut table, memory::copy_gbs(&gpu, n, arguments.repetitions)?);
    table.print();
    if arguments.baselines.is_none() {
        println!("no baselines in CUDA C++: --baselines FILE names baselines/zero_cost.cu as nvcc made it");
    }
    arguments.record.write(&table).map_err(Error::msg)?;
    Ok(if report.all_right() { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

fn time<T: DeviceLayout>(
    gpu: &Gpu,
    arguments: &Arguments,
    mut operation: Operation<T>,
    report: &mut Report,
) -> Result<()> {
    let (forms, stream) = (std::mem::take(&mut operation.forms), gpu.executor.stream());
    let watch = Watch::new(stream)?;
    let mut queueing = vec![Vec::new(); forms.len()];
    let milliseconds = in_turn(forms.len(), arguments.repetitions, |form, turn| {
        gpu.occupy()?;
        watch.time(|| {
            let begin = Instant::now();
            operation.launch(gpu, forms[form].0, turn)?;
            queueing[form].push(begin.elapsed().as_secs_f64() * 1e6);
            Ok::<_, Error>(())
        })
    })?;
    let mut results = Vec::new();
    for (form, _) in &forms {
        operation.out.view_mut().zero(stream)?;
        operation.launch(gpu, *form, 0)?;
        let result = operation.out.download(stream).with_context(|| operation.context(*form))?;
        results.push(bytemuck::cast_slice::<T, u8>(&result).to_vec());
    }
    let Operation { name, work, .. } = operation;
    ensure!(results.iter().all(|result| result.iter().any(|byte| *byte != 0)), "{name}: nothing was computed");
    let measured = milliseconds.into_iter().zip(queueing);
    for (((form, attributes), (milliseconds, queueing)), result) in forms.into_iter().zip(measured).zip(&results) {
        let same = *result == results[0];
        report.add(Line { operation: name.clone(), form, work, attributes, milliseconds, queueing, same });
    }
    Ok(())
}
