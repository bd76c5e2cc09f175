//! The times of a run, as text or as JSON.

use super::args::FormatArg;
use super::failure::stderr_line;
use prism_host::pipeline::{Amount, Stage, Telemetry, WorkerTime};
use prism_host::plural::counted;
use serde_json::{Value, json};
use std::time::Duration;

/// A run's times, including those before and after the pipeline.
pub struct Timings {
    /// Finding the inputs and building the engine.
    pub start: Duration,
    /// Processor time until the pipeline began. Inputs are read meanwhile if a device is opened.
    pub start_cores: Duration,
    pub telemetry: Telemetry,
    /// Finishing the output file.
    pub finish: Duration,
}

impl Timings {
    /// Prints them to standard error.
    pub fn tell(&self, form: FormatArg) {
        match form {
            FormatArg::Text => self.text().iter().for_each(|line| stderr_line(line)),
            FormatArg::Json => stderr_line(&self.json().to_string()),
        }
    }

    fn text(&self) -> Vec<String> {
        let Telemetry { wall, halvings, peak_batches, .. } = self.telemetry;
        let mut lines = vec![format!(
            "start {:.3} s, run {:.3} s, finish {:.3} s; at most {} in memory, {halvings} halved",
            self.start.as_secs_f64(),
            wall.as_secs_f64(),
            self.finish.as_secs_f64(),
            counted(peak_batches, "batch", "batches")
        )];
        lines.extend(self.cores());
        lines.extend(aligned(&self.rows()));
        lines
    }

    /// The processor time of the run, as a share of what the cores had, and that before the run. The threads of stages share it.
    fn cores(&self) -> Option<String> {
        let (wall, taken) = (self.telemetry.wall.as_secs_f64(), self.telemetry.cores.as_secs_f64());
        let (cores, threads) = (available_cores(), rayon::current_num_threads());
        let there = wall * cores as f64;
        (taken > 0.0).then(|| {
            let share = 100.0 * taken / there.max(taken);
            let start = self.start_cores.as_secs_f64();
            format!(
                "{cores} cores gave {taken:.3} of {there:.3} s ({share:.0}%), and {start:.3} s at the start; threads that compute: {threads}"
            )
        })
    }

    /// A heading, then a row per stage.
    fn rows(&self) -> Vec<Vec<String>> {
        let heading = [
            "stage",
            "threads",
            "busy s",
            "waiting s",
            "blocked s",
            "batches",
            "structures",
            "residues",
            "atoms",
            "MB",
        ];
        let mut rows = vec![heading.map(str::to_owned).to_vec()];
        for (name, stage) in self.stages() {
            let Stage { threads, busy, waiting, blocked, amount, .. } = stage;
            let times = [threads.to_string(), seconds(busy), seconds(waiting), seconds(blocked)];
            rows.push([vec![name.to_owned()], times.to_vec(), figures(amount)].concat());
            if name == "read" {
                rows.push(["  files".to_owned(), String::new(), seconds(self.telemetry.reading)].to_vec());
            }
            if name == "compute" {
                self.active_workers().for_each(|worker| worker_rows(worker, &mut rows));
            }
        }
        rows
    }

    fn stages(&self) -> [(&'static str, Stage); 4] {
        let Telemetry { read, pack, compute, write, .. } = self.telemetry;
        [("read", read), ("pack", pack), ("compute", compute), ("write", write)]
    }

    fn active_workers(&self) -> impl Iterator<Item = &WorkerTime> {
        self.telemetry.workers.iter().filter(|worker| worker.amount.batches > 0)
    }

    fn json(&self) -> Value {
        let stages = self.stages().map(|(name, stage)| {
            let Stage { threads, busy, waiting, blocked, amount, .. } = stage;
            let mut value = json!({
                "threads": threads,
                "busy_s": busy.as_secs_f64(),
                "waiting_s": waiting.as_secs_f64(),
                "blocked_s": blocked.as_secs_f64(),
                "bytes": amount.bytes,
            });
            extend(&mut value, amount);
            if name == "read" {
                value["files_s"] = self.telemetry.reading.as_secs_f64().into();
            }
            (name.to_owned(), value)
        });
        let workers = self.active_workers().map(|worker| {
            let device = worker.device.map(|times| {
                json!({
                    "upload_s": times.upload.as_secs_f64(),
                    "kernels_s": times.kernels.as_secs_f64(),
                    "download_s": times.download.as_secs_f64(),
                })
            });
            let mut value = json!({ "name": worker.name, "busy_s": worker.busy.as_secs_f64(), "device": device });
            extend(&mut value, worker.amount);
            value
        });
        json!({
            "start_s": self.start.as_secs_f64(),
            "start_cores_s": self.start_cores.as_secs_f64(),
            "run_s": self.telemetry.wall.as_secs_f64(),
            "cores": available_cores(),
            "cores_s": self.telemetry.cores.as_secs_f64(),
            "finish_s": self.finish.as_secs_f64(),
            "peak_batches": self.telemetry.peak_batches,
            "halvings": self.telemetry.halvings,
            "stages": serde_json::Map::from_iter(stages),
            "workers": workers.collect::<Vec<_>>(),
        })
    }
}

/// The cores that the process may use, which `taskset` and containers may restrict.
fn available_cores() -> usize {
    std::thread::available_parallelism().map_or(1, std::num::NonZero::get)
}

fn extend(value: &mut Value, amount: Amount) {
    let Amount { batches, structures, residues, atoms, .. } = amount;
    for (name, figure) in [("batches", batches), ("structures", structures), ("residues", residues), ("atoms", atoms)] {
        value[name] = figure.into();
    }
}

fn worker_rows(worker: &WorkerTime, rows: &mut Vec<Vec<String>>) {
    let blank = String::new;
    let row = |name: String, busy| vec![name, blank(), seconds(busy), blank(), blank()];
    let mut counts = figures(worker.amount);
    counts.pop();
    rows.push([row(format!("  {}", worker.name), worker.busy), counts].concat());
    if let Some(times) = worker.device {
        for (name, time) in [("upload", times.upload), ("kernels", times.kernels), ("download", times.download)] {
            rows.push(row(format!("    {name}"), time));
        }
    }
}

fn seconds(time: Duration) -> String {
    format!("{:.3}", time.as_secs_f64())
}

fn figures(amount: Amount) -> Vec<String> {
    let Amount { batches, structures, residues, atoms, bytes, .. } = amount;
    let mut figures: Vec<String> = [batches, structures, residues, atoms].map(|figure| figure.to_string()).to_vec();
    figures.push(format!("{:.1}", bytes as f64 / 1e6));
    figures
}

/// Rows as lines. The first column is aligned to the left, the others to the right.
fn aligned(rows: &[Vec<String>]) -> Vec<String> {
    let columns = rows.iter().map(Vec::len).max().unwrap_or(0);
    let width = |column: usize| rows.iter().filter_map(|row| row.get(column)).map(|text| text.chars().count()).max();
    let widths: Vec<usize> = (0..columns).map(|column| width(column).unwrap_or(0)).collect();
    let line = |row: &Vec<String>| {
        let mut line = format!("{:<1$}", row[0], widths[0]);
        for (text, width) in row.iter().zip(&widths).skip(1) {
            line.push_str(&format!("  {text:>width$}"));
        }
        line.trim_end().to_owned()
    };
    rows.iter().map(line).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_are_aligned() {
        let rows = [vec!["stage", "busy s"], vec!["  a longer name", "1.250"], vec!["b"]];
        let rows = rows.map(|row| row.into_iter().map(str::to_owned).collect::<Vec<_>>());
        assert_eq!(aligned(&rows), ["stage            busy s", "  a longer name   1.250", "b"]);
    }
}
