//! Wall time from structure files to features: `cargo bench -p tests --bench files`, or as an executable on another
//! machine.
//!
//! The files are copies of one chain's PDB file (6M0J's receptor-binding domain), each with its own jitter and rotation. A
//! repetition begins with the name of their folder. It ends when all features are in host memory, or in a finished Parquet
//! file; the engine is created before. Every repetition runs all backends and outputs in turn, after one run that warms up
//! caches and devices. All must give the same bits.
//!
//! `--memory` checks that memory does not grow with the number of files.

mod peak;
mod report;
mod run;
mod set;

use anyhow::{Error, Result, ensure};
use clap::{Parser, ValueEnum};
use cuda_host::Device;
use prism_host::{Backend, Engine, pipeline};
use report::{Measurement, Report};
use run::Output;
use set::FileSet;
use shared_types::MegaFusedConfig;
use std::path::PathBuf;
use std::process::ExitCode;
use tests::bench::{Record, Table};

/// Time the way from structure files to features
#[derive(Parser)]
struct Arguments {
    /// Files in the set
    #[arg(long, value_name = "N", default_value_t = 14_917, value_parser = set::count)]
    structures: usize,

    /// Where to compute
    #[arg(long, value_enum, default_value_t = BackendArgument::Auto)]
    backend: BackendArgument,

    /// Repetitions after the warm-up
    #[arg(long, value_name = "N", default_value_t = 5, value_parser = clap::value_parser!(u16).range(1..))]
    repetitions: u16,

    /// Test points on an atom's sphere
    #[arg(long, value_name = "N", default_value_t = 100)]
    points: u32,

    /// Most atoms of a batch [default: the pipeline's choice]
    #[arg(long, value_name = "N")]
    batch_atoms: Option<usize>,

    /// Where the files are, or are to be written, and stay; the Parquet file is written there, too, and removed
    /// [default: a temporary folder]
    #[arg(long, value_name = "DIR")]
    folder: Option<PathBuf>,

    /// Instead of times, the largest resident memory of a process that takes so many files (10,000 at most) to Parquet, and
    /// of one that takes ten times as many
    #[arg(long)]
    memory: bool,

    /// Write the files and do nothing else
    #[arg(long, requires = "folder")]
    write_only: bool,

    #[command(flatten)]
    record: Record,

    /// Of the process whose memory is measured: the folder that it reads
    #[arg(long, hide = true, value_name = "DIR")]
    measured: Option<PathBuf>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum BackendArgument {
    /// Both where there is a GPU, else the CPU
    Auto,
    Cuda,
    Cpu,
}

impl Arguments {
    fn engine(&self, backend: Backend) -> Result<Engine> {
        let config = MegaFusedConfig { points: self.points, ..MegaFusedConfig::default() };
        Ok(Engine::builder().backend(backend).config(config).build()?)
    }

    fn batch_atoms(&self, engine: &Engine) -> usize {
        self.batch_atoms.unwrap_or_else(|| pipeline::batch_atoms(engine))
    }

    fn backends(&self) -> Vec<Backend> {
        match self.backend {
            BackendArgument::Cuda => vec![Backend::Cuda],
            BackendArgument::Cpu => vec![Backend::Cpu],
            BackendArgument::Auto if Device::count().is_ok() => vec![Backend::Cuda, Backend::Cpu],
            BackendArgument::Auto => vec![Backend::Cpu],
        }
    }

    /// A table of results, with the GPU's name and the number of cores.
    fn table(&self) -> Table {
        let cores = std::thread::available_parallelism().map_or(1, |cores| cores.get());
        let gpu = Device::info(0).map_or_else(|_| "no GPU".to_owned(), |device| device.name);
        self.record.table(&format!("{gpu}, {cores} cores"))
    }
}

fn main() -> Result<ExitCode> {
    let arguments = Arguments::parse();
    if let Some(folder) = &arguments.measured {
        return peak::measured(&arguments, folder).map(|()| ExitCode::SUCCESS);
    }
    let wanted = if arguments.memory { arguments.structures.min(peak::FEW) } else { arguments.structures };
    let set = FileSet::new(arguments.folder.as_deref(), wanted)?;
    if arguments.write_only {
        return Ok(ExitCode::SUCCESS);
    }
    if arguments.memory {
        return peak::compare(&arguments, &set).map(|()| ExitCode::SUCCESS);
    }
    let engines = arguments.backends().into_iter().map(|backend| arguments.engine(backend));
    let engines = engines.collect::<Result<Vec<_>>>()?;
    let report = Report { points: arguments.points, measurements: time(&arguments, &set, &engines)? };
    report.print();
    let mut table = arguments.table();
    report.fill(&mut table);
    table.print();
    arguments.record.write(&table).map_err(Error::msg)?;
    Ok(if report.same_bits() { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

fn time<'a>(arguments: &Arguments, set: &FileSet, engines: &'a [Engine]) -> Result<Vec<Measurement<'a>>> {
    let once = |engine, output| run::once(engine, &set.folder, output, arguments.batch_atoms(engine));
    let mut measurements = Vec::new();
    for engine in engines {
        let warm_up = once(engine, Output::Memory)?;
        ensure!(warm_up.structures == set.len, "{} of {} files gave features", warm_up.structures, set.len);
        for output in Output::ALL {
            measurements.push(Measurement { engine, output, checksum: warm_up.checksum, runs: Vec::new() });
        }
    }
    for _ in 0..arguments.repetitions {
        for measurement in &mut measurements {
            measurement.runs.push(once(measurement.engine, measurement.output)?);
        }
    }
    Ok(measurements)
}
