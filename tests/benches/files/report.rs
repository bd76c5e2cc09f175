//! Output of measurements: a table for the terminal, and CSV.

use crate::Arguments;
use crate::run::{Output, Run};
use anyhow::Result;
use prism_host::Engine;
use prism_host::pipeline::{Stage, Telemetry};
use std::path::Path;
use std::time::Duration;
use tests::bench::{median, today};

/// Measurements of one backend with one output.
pub struct Measurement<'a> {
    pub engine: &'a Engine,
    pub output: Output,
    /// Checksum of the backend's features.
    pub checksum: u64,
    /// One run per repetition.
    pub runs: Vec<Run>,
}

impl Measurement<'_> {
    fn seconds(&self) -> Vec<f64> {
        self.runs.iter().map(|run| run.wall.as_secs_f64()).collect()
    }

    /// The run with the median time (the lower one of two).
    fn middle(&self) -> &Run {
        let mut runs: Vec<&Run> = self.runs.iter().collect();
        runs.sort_by_key(|run| run.wall);
        runs[(runs.len() - 1) / 2]
    }
}

/// All results of one call.
pub struct Report<'a> {
    machine: String,
    date: String,
    points: u32,
    measurements: Vec<Measurement<'a>>,
}

impl<'a> Report<'a> {
    pub fn new(arguments: &Arguments, measurements: Vec<Measurement<'a>>) -> Self {
        Self {
            machine: arguments.machine(),
            date: arguments.date.clone().unwrap_or_else(today),
            points: arguments.points,
            measurements,
        }
    }

    /// Whether all backends gave the same features.
    pub fn same_bits(&self) -> bool {
        self.measurements.windows(2).all(|pair| pair[0].checksum == pair[1].checksum)
    }

    /// A backend's speed relative to the last one with the same output: the median of the ratios within repetitions.
    fn over_last(&self, one: &Measurement<'_>) -> Option<f64> {
        let last = self.measurements.iter().rev().find(|other| other.output == one.output)?;
        let ratios = last.seconds().into_iter().zip(one.seconds()).map(|(last, one)| last / one);
        (!std::ptr::eq(last, one)).then(|| median(&ratios.collect::<Vec<_>>()))
    }

    pub fn print(&self) {
        for one in &self.measurements {
            if let Some(ratio) = self.over_last(one) {
                let bits = if self.same_bits() { "same bits" } else { "OTHER BITS" };
                println!(
                    "{} to {}: {ratio:.2} times as fast as the last ({bits})",
                    one.engine.backend_name(),
                    one.output.name()
                );
            }
        }
        println!("\n{}, {}, {} points", self.machine, self.date, self.points);
        println!(
            "{:44} {:>8} {:>8} {:>8} {:>12} {:>8} {:>7} {:>8}",
            "from files to", "median s", "min s", "find s", "structures/s", "GB/s", "cores", "finish s"
        );
        for one in &self.measurements {
            let (seconds, run) = (one.seconds(), one.middle());
            println!(
                "{:44} {:>8.3} {:>8.3} {:>8.3} {:>12.0} {:>8.3} {:>7.2} {:>8.3}",
                format!("{}, {}", one.output.name(), one.engine.backend_name()),
                median(&seconds),
                least(&seconds),
                run.find.as_secs_f64(),
                run.structures as f64 / median(&seconds),
                run.telemetry.read.amount.bytes as f64 / median(&seconds) / 1e9,
                run.cpu.as_secs_f64() / run.wall.as_secs_f64(),
                run.finish.as_secs_f64(),
            );
            for (name, stage) in stages(&run.telemetry) {
                println!("    {name:8} {}", shares(&stage, run.telemetry.wall));
            }
        }
    }

    pub fn write_csv(&self, path: &Path) -> Result<()> {
        let mut csv = csv::Writer::from_path(path)?;
        let mut heading = vec!["date", "machine", "backend", "output", "over_cpu", "same_bits", "structures_per_s"];
        heading.extend(["text_gb_per_s", "structures", "residues", "text_bytes", "output_bytes", "points"]);
        heading.extend(["repetitions", "median_s", "min_s", "find_s", "finish_s", "cpu_s", "peak_batches"]);
        let stage_names = ["read", "pack", "compute", "write"];
        let stage_columns: Vec<String> = stage_names
            .iter()
            .flat_map(|stage| ["busy_s", "waiting_s", "blocked_s"].map(|time| format!("{stage}_{time}")))
            .collect();
        csv.write_record(heading.into_iter().chain(stage_columns.iter().map(String::as_str)))?;
        for one in &self.measurements {
            let (seconds, run) = (one.seconds(), one.middle());
            let telemetry = &run.telemetry;
            let (middle, read) = (median(&seconds), telemetry.read.amount);
            let mut record = vec![self.date.clone(), self.machine.clone(), one.engine.backend_name().to_owned()];
            record.push(one.output.name().to_owned());
            record.push(self.over_last(one).map_or_else(String::new, |ratio| format!("{ratio:.3}")));
            record.push(self.same_bits().to_string());
            record.push(format!("{:.0}", run.structures as f64 / middle));
            record.push(format!("{:.3}", read.bytes as f64 / middle / 1e9));
            record.extend([run.structures as u64, read.residues, read.bytes, run.output_bytes].map(|n| n.to_string()));
            record.extend([self.points.to_string(), one.runs.len().to_string()]);
            record.extend([middle, least(&seconds)].map(|seconds| format!("{seconds:.4}")));
            record.extend([run.find, run.finish, run.cpu].map(in_seconds));
            record.push(telemetry.peak_batches.to_string());
            for (_, stage) in stages(telemetry) {
                record.extend([stage.busy, stage.waiting, stage.blocked].map(in_seconds));
            }
            csv.write_record(record)?;
        }
        Ok(csv.flush()?)
    }
}

fn stages(telemetry: &Telemetry) -> [(&'static str, Stage); 4] {
    let Telemetry { read, pack, compute, write, .. } = *telemetry;
    [("read", read), ("pack", pack), ("compute", compute), ("write", write)]
}

/// The shares of the run's time of a stage's threads.
fn shares(stage: &Stage, wall: Duration) -> String {
    let share = |time: Duration| 100.0 * time.as_secs_f64() / wall.as_secs_f64() / stage.threads.max(1) as f64;
    format!(
        "{:3.0}% at work, {:3.0}% waiting for the previous stage, {:3.0}% for the next one; {} threads",
        share(stage.busy),
        share(stage.waiting),
        share(stage.blocked),
        stage.threads
    )
}

fn in_seconds(time: Duration) -> String {
    format!("{:.4}", time.as_secs_f64())
}

fn least(values: &[f64]) -> f64 {
    values.iter().copied().fold(f64::INFINITY, f64::min)
}
