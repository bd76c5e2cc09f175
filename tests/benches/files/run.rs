//! A run from a folder to features.

use anyhow::{Context as _, Result, ensure};
use prism_host::Engine;
use prism_host::engine::BatchResults;
use prism_host::inputs::discover;
use prism_host::output::{Columns, OutputFile, Provenance};
use prism_host::pipeline::{self, Cancel, Computed, Stopped, StructureFiles, Telemetry};
use prism_host::read::ReadOptions;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};

/// The destination of the features.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Output {
    Memory,
    Parquet,
}

impl Output {
    pub const ALL: [Self; 2] = [Self::Memory, Self::Parquet];

    pub fn name(self) -> &'static str {
        match self {
            Self::Memory => "memory",
            Self::Parquet => "Parquet",
        }
    }
}

/// Times and results of a run.
pub struct Run {
    /// Wall time of the run.
    pub wall: Duration,
    /// Part of it for finding the files.
    pub find: Duration,
    /// Part of it for finishing the output, which includes waiting for the disk.
    pub finish: Duration,
    /// CPU time of all cores.
    pub cpu: Duration,
    pub structures: usize,
    /// Size of the Parquet file; 0 for output in memory.
    pub output_bytes: u64,
    /// Checksum of the features in memory; 0 for output to a file.
    pub checksum: u64,
    pub telemetry: Telemetry,
}

/// Computes all features of the files below `folder` with the code that the `prism` command runs.
pub fn once(engine: &Engine, folder: &Path, output: Output, batch_atoms: usize) -> Result<Run> {
    let (begin, cpu) = (Instant::now(), cpu_time()?);
    let inputs = discover([folder])?;
    let find = begin.elapsed();
    let (options, cancel) = (ReadOptions::default(), Cancel::default());
    let source = StructureFiles::new(inputs.entries, options, Arc::default(), batch_atoms, &cancel)?;
    let (mut kept, mut structures) = (Vec::new(), 0);
    let mut file = match output {
        Output::Memory => None,
        Output::Parquet => {
            let provenance = Provenance::of(engine.config());
            Some(OutputFile::create(&output_path(folder), Columns::default(), &provenance)?)
        }
    };
    let consume = |computed: Computed| -> Result<()> {
        for (structure, result) in computed.batch.structures.iter().zip(computed.results.iter()) {
            if let Err(error) = result {
                anyhow::bail!("{}: {error}", structure.name);
            }
            structures += 1;
        }
        match &mut file {
            None => kept.push(computed.results),
            Some(file) => file.write_shared(&Arc::new(computed))?,
        }
        Ok(())
    };
    let telemetry = pipeline::run(engine, source, &cancel, consume).map_err(|stopped| match stopped {
        Stopped::Consumer(error) => error,
        Stopped::Engine(error) => (*error).into(),
        Stopped::Cancelled => anyhow::anyhow!("the run was cancelled"),
        Stopped::Threads(error) => error.into(),
    })?;
    let finish = Instant::now();
    let output_bytes = match file {
        Some(file) => file.commit()?,
        None => 0,
    };
    let (wall, finish, cpu) = (begin.elapsed(), finish.elapsed(), cpu_time()? - cpu);
    if output == Output::Parquet {
        fs::remove_file(output_path(folder))?;
    }
    ensure!(structures > 0, "no file gave features");
    Ok(Run { wall, find, finish, cpu, structures, output_bytes, checksum: checksum(&kept), telemetry })
}

/// Beside the folder of the files: a file in the folder would cause a note in the next run.
fn output_path(folder: &Path) -> PathBuf {
    folder.with_extension("parquet")
}

/// Checksum of the bits of all features, in order (FNV-1a, word by word).
fn checksum(results: &[BatchResults]) -> u64 {
    let mut hash = 0xcbf2_9ce4_8422_2325_u64;
    let mut add = |words: &[u32]| {
        for word in words {
            hash = (hash ^ u64::from(*word)).wrapping_mul(0x100_0000_01b3);
        }
    };
    for features in results.iter().flat_map(BatchResults::iter).flatten() {
        add(bytemuck::cast_slice(features.values));
        add(bytemuck::cast_slice(features.site_ids));
    }
    hash
}

/// CPU time of this process so far, with a resolution of 0.01 s.
fn cpu_time() -> Result<Duration> {
    /// The unit of times in /proc, independent of the kernel's clock.
    const TICKS_PER_SECOND: f64 = 100.0;
    let text = fs::read_to_string("/proc/self/stat").context("cannot read /proc/self/stat")?;
    // The program's name, in parentheses, may contain blanks. User and system time are fields 14 and 15.
    let after_name = text.rsplit_once(')').map_or("", |(_, rest)| rest);
    let ticks = after_name.split_ascii_whitespace().skip(11).take(2).map(str::parse::<f64>);
    let ticks: f64 = ticks.sum::<Result<_, _>>().context("/proc/self/stat is not as expected")?;
    Ok(Duration::from_secs_f64(ticks / TICKS_PER_SECOND))
}
