//! Frames a second of a trajectory's surface: `cargo bench -p tests --bench trajectory -- TOPOLOGY TRAJECTORY`, or as an executable on
//! another machine.
//!
//! Each repetition times, by the clock: decoding alone, as far as the topology's last atom; reading, which also makes structures, and
//! drops them; computing alone, from structures in memory, which stay there, to areas in memory; and reading and computing at the
//! same time, as a command does.

use anyhow::{Result, anyhow, ensure};
use clap::{Parser, ValueEnum};
use prism_host::engine::Selection;
use prism_host::pipeline::{self, Batch, Cancel, TrajectoryFrames};
use prism_host::read::ReadOptions;
use prism_host::trajectory::{Boundaries, Frame, Template, Trajectory, choose_frames};
use prism_host::{Backend, Engine};
use shared_types::FEATURES;
use std::panic::resume_unwind;
use std::path::PathBuf;
use std::sync::Arc;
use std::thread;
use std::time::Instant;
use tests::bench::{Record, median};

/// Time the surface of every frame of a trajectory
#[derive(Parser)]
struct Arguments {
    /// PDB, mmCIF, GRO, PSF or PRMTOP
    topology: PathBuf,

    /// XTC, TRR, DCD, AMBER NetCDF or GRO
    trajectory: PathBuf,

    /// Where to compute
    #[arg(long, value_enum, default_value_t = On::Cpu)]
    backend: On,

    /// Feature to compute
    #[arg(long, value_name = "COLUMN", default_value = "sasa")]
    column: String,

    /// Times that the trajectory is read in a repetition
    #[arg(long, value_name = "N", default_value_t = 1)]
    copies: usize,

    /// Repetitions after the warm-up
    #[arg(long, value_name = "N", default_value_t = 5, value_parser = clap::value_parser!(u16).range(1..))]
    repetitions: u16,

    #[command(flatten)]
    record: Record,
}

#[derive(Clone, Copy, Debug, ValueEnum)]
enum On {
    Cuda,
    Cpu,
}

fn main() -> Result<()> {
    let arguments = Arguments::parse();
    let (backend, on) = match arguments.backend {
        On::Cuda => (Backend::Cuda, "device"),
        On::Cpu => (Backend::Cpu, "cores"),
    };
    if matches!(arguments.backend, On::Cuda) {
        // As the command does.
        prism_host::huge_pages::prepare_heaps();
    }
    let features: Vec<_> = FEATURES.iter().filter(|feature| feature.name == arguments.column).collect();
    ensure!(!features.is_empty(), "--column {}: there is no such feature", arguments.column);
    let engine = Engine::builder().backend(backend).selection(Selection::new(features, false)).build()?;
    let open = || Trajectory::open(&arguments.trajectory);
    let files: Arc<[Trajectory]> = (0..arguments.copies).map(|_| open()).collect::<Result<_, _>>()?;
    let template = Template::read(&arguments.topology, "top", &files[0], &ReadOptions::default(), Boundaries::Whole);
    let template = Arc::new(template.map_err(|failure| anyhow!("{}: {}", failure.name, failure.reason))?);
    let chosen = choose_frames(&files, None, None)?;
    let source = || -> Result<TrajectoryFrames> {
        let (template, files, cancel) = (Arc::clone(&template), Arc::clone(&files), Cancel::default());
        let mut frames = TrajectoryFrames::new(template, files, chosen.clone(), usize::MAX, &cancel)?;
        if matches!(arguments.backend, On::Cuda) {
            // As the command does.
            frames.begin();
        }
        Ok(frames.sized_for(&engine))
    };
    // The sum of all areas, which must be the same each time.
    let compute = |batches: &mut (dyn Iterator<Item = Batch> + Send), finished: &mut dyn FnMut(Batch)| -> Result<f64> {
        let mut sum = 0.0;
        let ended = pipeline::run(&engine, batches, &Cancel::default(), |computed| {
            finished(computed.batch);
            for features in computed.results.iter() {
                sum += f64::from(features.map_err(ToString::to_string)?.summary.area);
            }
            Ok::<_, String>(())
        });
        ended.map_err(|stopped| anyhow!("{stopped:?}"))?;
        Ok(sum)
    };

    // Frames to positions, which are not kept.
    let decode_some = |share: &[(u32, u32, u32)]| {
        let mut frame = Frame::default();
        let mut read = |&(_, file, number): &(u32, u32, u32)| {
            files[file as usize].read(number as usize, template.atoms_to_read(), &mut frame)
        };
        share.iter().try_for_each(&mut read)
    };
    let decode = || {
        thread::scope(|scope| {
            let shares = chosen.chunks(chosen.len().div_ceil(cores()));
            let threads: Vec<_> = shares.map(|share| scope.spawn(move || decode_some(share))).collect();
            threads.into_iter().try_for_each(|thread| thread.join().unwrap_or_else(|panic| resume_unwind(panic)))
        })
    };

    let [mut decoding, mut reading, mut computing, mut together] = [const { Vec::new() }; 4];
    let mut expected = None;
    for _ in 0..=arguments.repetitions {
        let begin = Instant::now();
        decode()?;
        decoding.push(begin.elapsed().as_secs_f64());
        let begin = Instant::now();
        source()?.for_each(drop);
        reading.push(begin.elapsed().as_secs_f64());
        let batches: Vec<Batch> = source()?.collect();
        let begin = Instant::now();
        let mut kept = Vec::with_capacity(batches.len());
        let from_memory = compute(&mut batches.into_iter(), &mut |batch| kept.push(batch))?;
        computing.push(begin.elapsed().as_secs_f64());
        drop(kept);
        let begin = Instant::now();
        let from_file = compute(&mut source()?, &mut drop)?;
        together.push(begin.elapsed().as_secs_f64());
        let sum = *expected.get_or_insert(from_memory);
        let same = [from_memory, from_file].map(f64::to_bits) == [sum.to_bits(); 2];
        ensure!(same && sum.is_finite(), "the areas differ between repetitions, or are undefined");
    }

    let machine = format!("{} {on}", cores());
    let mut table = arguments.record.table(&machine);
    let bytes: u64 = files.iter().map(Trajectory::n_bytes).sum();
    let stages = [("decoding", &decoding), ("reading", &reading), ("computing", &computing), ("both", &together)];
    for (stage, seconds) in stages {
        // The first one warms up caches and devices.
        let seconds = median(&seconds[1..]);
        table.add([
            ("format", files[0].format().to_owned()),
            ("column", arguments.column.clone()),
            ("backend", on.to_owned()),
            ("stage", stage.to_owned()),
            ("frames", chosen.len().to_string()),
            ("atoms", template.n_atoms().to_string()),
            ("atoms_in_file", files[0].n_atoms().to_string()),
            ("median_s", format!("{seconds:.4}")),
            ("frames_per_s", format!("{:.0}", chosen.len() as f64 / seconds)),
            ("mb_per_s", format!("{:.1}", bytes as f64 / 1e6 / seconds)),
        ]);
    }
    table.print();
    arguments.record.write(&table).map_err(anyhow::Error::msg)
}

fn cores() -> usize {
    std::thread::available_parallelism().map_or(1, std::num::NonZero::get)
}
