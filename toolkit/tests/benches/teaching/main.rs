//! Benchmarks that teach: the cost of a habit on this machine, compared with its alternatives. `cargo bench -p
//! toolkit-tests --bench teaching`, or as an executable on a GPU machine.
//!
//! The forms of a lesson run in turn in every repetition, each time starting with a different one, so a change of clock rates
//! affects all alike. Events time work of the device alone. Wall time until the device is done times work that involves the
//! host. Bytes count both reads and writes.

mod devices;
mod launches;
mod memory;
mod sums;

use anyhow::{Context as _, Error, Result, ensure};
use clap::Parser;
use cuda_host::CudaExecutor;
use std::process::ExitCode;
use std::time::Instant;
use toolkit_tests::bench::{Record, WARM_UP, Watch, in_turn, least, median};

/// Time the guide's lessons on the first GPU, and one of them on all GPUs
#[derive(Parser)]
struct Arguments {
    /// Elements of the large inputs, in units of 2^20
    #[arg(long, value_name = "N", default_value_t = 64, value_parser = clap::value_parser!(u32).range(1..=512))]
    mebi_elements: u32,

    /// Repetitions after the warm-up
    #[arg(long, value_name = "N", default_value_t = 21, value_parser = clap::value_parser!(u16).range(1..))]
    repetitions: u16,

    #[command(flatten)]
    record: Record,
}

/// How a form is timed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Clock {
    /// By events around the queued work.
    Device,
    /// Wall time from the call until the device is done.
    Host,
}

struct About {
    name: &'static str,
    clock: Clock,
    /// The first form is the reference.
    forms: Vec<String>,
    /// Bytes that a form moves in the memory that the lesson is about.
    bytes: f64,
}

/// A lesson: the same work, done in several ways.
trait Lesson {
    fn about(&self) -> About;
    /// Queues the work once in the given form.
    fn run(&mut self, gpu: &CudaExecutor, form: usize) -> Result<()>;
    /// Whether the form that ran last gave the right result. All work is done.
    fn is_right(&self, gpu: &CudaExecutor) -> Result<bool>;
}

/// A form of a lesson.
struct Line {
    lesson: &'static str,
    clock: Clock,
    form: String,
    bytes: f64,
    /// One time per repetition.
    milliseconds: Vec<f64>,
    /// The time of the lesson's first form divided by this one's: the median within repetitions.
    faster: f64,
}

fn main() -> Result<ExitCode> {
    let arguments = Arguments::parse();
    if !toolkit_tests::device::is_there() {
        return Ok(ExitCode::SUCCESS);
    }
    let gpu = CudaExecutor::open(0, "test kernels", test_kernels::IMAGE)?;
    let n = arguments.mebi_elements << 20;
    let mut lines = Vec::new();
    let mut time = |lesson: &mut dyn Lesson| -> Result<()> {
        lines.extend(measure(&gpu, lesson, arguments.repetitions).with_context(|| lesson.about().name)?);
        Ok(())
    };
    time(&mut memory::Strides::new(&gpu, n)?)?;
    time(&mut memory::Transfers::new(&gpu, n, memory::Way::Up)?)?;
    time(&mut memory::Transfers::new(&gpu, n, memory::Way::Down)?)?;
    time(&mut memory::Allocations::new(&gpu))?;
    time(&mut launches::Streams::new(&gpu)?)?;
    time(&mut launches::Launches::new(&gpu)?)?;
    time(&mut sums::Sums::new(&gpu, n)?)?;
    time(&mut devices::Gpus::new(n)?)?;

    let mut table = arguments.record.table_of_gpu()?;
    for line in lines {
        let milliseconds = median(&line.milliseconds);
        table.add([
            ("lesson", line.lesson.to_owned()),
            ("form", line.form),
            ("timed_by", if line.clock == Clock::Device { "events" } else { "clock" }.to_owned()),
            ("repetitions", line.milliseconds.len().to_string()),
            ("median_ms", format!("{milliseconds:.5}")),
            ("min_ms", format!("{:.5}", least(&line.milliseconds))),
            ("bytes", format!("{:.0}", line.bytes)),
            ("gb_per_s", format!("{:.2}", line.bytes / milliseconds / 1e6)),
            ("times_as_fast", format!("{:.3}", line.faster)),
        ]);
    }
    table.print();
    arguments.record.write(&table).map_err(Error::msg)?;
    Ok(ExitCode::SUCCESS)
}

fn measure(gpu: &CudaExecutor, lesson: &mut dyn Lesson, repetitions: u16) -> Result<Vec<Line>> {
    let About { name, clock, forms, bytes } = lesson.about();
    let watch = Watch::new(gpu.stream())?;
    let milliseconds = in_turn(forms.len(), repetitions, |form, turn| {
        let took = match clock {
            Clock::Device => watch.time(|| lesson.run(gpu, form))?,
            Clock::Host => {
                gpu.synchronize()?;
                let begin = Instant::now();
                lesson.run(gpu, form)?;
                gpu.synchronize()?;
                begin.elapsed().as_secs_f64() * 1e3
            }
        };
        ensure!(turn >= forms.len() * WARM_UP || lesson.is_right(gpu)?, "{} gives a wrong result", forms[form]);
        Ok(took)
    })?;
    let first = milliseconds[0].clone();
    let line = |(form, milliseconds): (String, Vec<f64>)| {
        let ratios: Vec<f64> = first.iter().zip(&milliseconds).map(|(first, this)| first / this).collect();
        Line { lesson: name, clock, form, bytes, milliseconds, faster: median(&ratios) }
    };
    Ok(forms.into_iter().zip(milliseconds).map(line).collect())
}
