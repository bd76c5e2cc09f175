//! Measurements: what the terminal shows of them, and rows of a table.

use crate::run::{Output, Run};
use prism_host::Engine;
use prism_host::pipeline::{Stage, Telemetry};
use std::time::Duration;
use tests::bench::{Table, least, median};

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
    pub points: u32,
    pub measurements: Vec<Measurement<'a>>,
}

impl Report<'_> {
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
        for one in &self.measurements {
            println!("\n{} to {}", one.engine.backend_name(), one.output.name());
            let telemetry = &one.middle().telemetry;
            for (name, stage) in stages(telemetry) {
                println!("    {name:8} {}", shares(&stage, telemetry.wall));
            }
        }
    }

    /// Adds the measurements to a table.
    pub fn fill(&self, table: &mut Table) {
        for one in &self.measurements {
            let (seconds, run) = (one.seconds(), one.middle());
            let telemetry = &run.telemetry;
            let (middle, read) = (median(&seconds), telemetry.read.amount);
            let mut row = vec![
                ("backend", one.engine.backend_name().to_owned()),
                ("output", one.output.name().to_owned()),
                ("over_cpu", self.over_last(one).map_or_else(String::new, |ratio| format!("{ratio:.3}"))),
                ("same_bits", self.same_bits().to_string()),
                ("structures_per_s", format!("{:.0}", run.structures as f64 / middle)),
                ("text_gb_per_s", format!("{:.3}", read.bytes as f64 / middle / 1e9)),
                ("structures", run.structures.to_string()),
                ("residues", read.residues.to_string()),
                ("text_bytes", read.bytes.to_string()),
                ("output_bytes", run.output_bytes.to_string()),
                ("points", self.points.to_string()),
                ("repetitions", one.runs.len().to_string()),
                ("median_s", format!("{middle:.4}")),
                ("min_s", format!("{:.4}", least(&seconds))),
                ("find_s", in_seconds(run.find)),
                ("finish_s", in_seconds(run.finish)),
                ("cpu_s", in_seconds(run.cpu)),
                ("peak_batches", telemetry.peak_batches.to_string()),
            ];
            let names = [
                ["read_busy_s", "read_waiting_s", "read_blocked_s"],
                ["pack_busy_s", "pack_waiting_s", "pack_blocked_s"],
                ["compute_busy_s", "compute_waiting_s", "compute_blocked_s"],
                ["write_busy_s", "write_waiting_s", "write_blocked_s"],
            ];
            for (names, (_, stage)) in names.into_iter().zip(stages(telemetry)) {
                row.extend(names.into_iter().zip([stage.busy, stage.waiting, stage.blocked].map(in_seconds)));
            }
            table.add(row);
        }
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
