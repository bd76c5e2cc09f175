//! Output of measurements: ratios, then a table; and CSV.

use crate::{Arguments, Form, Work};
use anyhow::Result;
use cuda_host::{DeviceInfo, KernelAttributes, driver_version};
use std::path::Path;

/// A form of an operation.
pub struct Line {
    pub operation: String,
    pub form: Form,
    pub work: Work,
    pub attributes: KernelAttributes,
    /// One time per repetition.
    pub milliseconds: Vec<f64>,
    /// Whether the outputs equal those of the operation's first form.
    pub same: bool,
}

/// All results of one run.
pub struct Report {
    machine: String,
    driver: String,
    date: String,
    copy_gbs: f64,
    lines: Vec<Line>,
}

impl Report {
    pub fn new(arguments: &Arguments, device: &DeviceInfo) -> Result<Self> {
        let machine = arguments.machine.clone().unwrap_or_else(|| device.name.clone());
        let driver = driver_version()?.to_string();
        Ok(Self { machine, driver, date: arguments.date.clone(), copy_gbs: f64::NAN, lines: Vec::new() })
    }

    pub fn add(&mut self, line: Line) {
        self.lines.push(line);
    }

    pub fn copies(&mut self, gbs: f64) {
        self.copy_gbs = gbs;
    }

    /// Whether all forms of every operation gave the same bits.
    pub fn all_right(&self) -> bool {
        self.lines.iter().all(|line| line.same)
    }

    /// A line's time divided by that of another form of its operation: the median within repetitions. Below 1 is faster.
    fn ratio(&self, line: &Line, to: Form) -> Option<f64> {
        let other = self.lines.iter().find(|other| other.operation == line.operation && other.form == to)?;
        let pairs = line.milliseconds.iter().zip(&other.milliseconds);
        (line.form != to).then(|| median(&pairs.map(|(ours, theirs)| ours / theirs).collect::<Vec<_>>()))
    }

    pub fn print(&self) {
        for (of, to) in [(Form::Safe, Form::Raw), (Form::Safe, Form::Cuda), (Form::Raw, Form::Cuda)] {
            for line in self.lines.iter().filter(|line| line.form == of) {
                if let Some(ratio) = self.ratio(line, to) {
                    println!("{ratio:.3} {} over {}: {}", of.name(), to.name(), line.operation);
                }
            }
        }
        println!("\n{}, CUDA {}, copies {:.0} GB/s {}", self.machine, self.driver, self.copy_gbs, self.date);
        println!(
            "{:26} {:10} {:>9} {:>9} {:>8} {:>8} {:>8} {:>5} {:>5} {:>6}  bits",
            "operation", "form", "median ms", "min ms", "GB/s", "of copy", "TFLOP/s", "regs", "local", "shared"
        );
        for line in &self.lines {
            let milliseconds = median(&line.milliseconds);
            let gbs = line.work.bytes / milliseconds / 1e6;
            println!(
                "{:26} {:10} {milliseconds:>9.4} {:>9.4} {gbs:>8.1} {:>7.1}% {:>8.3} {:>5} {:>5} {:>6}  {}",
                line.operation,
                line.form.name(),
                least(&line.milliseconds),
                100.0 * gbs / self.copy_gbs,
                line.work.operations / milliseconds / 1e9,
                line.attributes.registers,
                line.attributes.local_bytes,
                line.attributes.shared_bytes,
                if line.same { "same" } else { "OTHERS" },
            );
        }
    }

    pub fn write_csv(&self, path: &Path) -> Result<()> {
        let mut csv = csv::Writer::from_path(path)?;
        csv.write_record([
            "date",
            "machine",
            "cuda",
            "operation",
            "form",
            "repetitions",
            "median_ms",
            "min_ms",
            "operations",
            "bytes",
            "registers",
            "local_bytes",
            "shared_bytes",
            "over_raw",
            "over_cuda",
            "same_bits",
            "copy_gbs",
        ])?;
        for line in &self.lines {
            let number = |value: Option<f64>| value.map_or_else(String::new, |value| format!("{value:.4}"));
            csv.write_record([
                self.date.clone(),
                self.machine.clone(),
                self.driver.clone(),
                line.operation.clone(),
                line.form.name().to_owned(),
                line.milliseconds.len().to_string(),
                format!("{:.5}", median(&line.milliseconds)),
                format!("{:.5}", least(&line.milliseconds)),
                format!("{:.0}", line.work.operations),
                format!("{:.0}", line.work.bytes),
                line.attributes.registers.to_string(),
                line.attributes.local_bytes.to_string(),
                line.attributes.shared_bytes.to_string(),
                number(self.ratio(line, Form::Raw)),
                number(self.ratio(line, Form::Cuda)),
                line.same.to_string(),
                format!("{:.1}", self.copy_gbs),
            ])?;
        }
        csv.flush()?;
        Ok(())
    }
}

/// The median; the mean of the middle two for an even number.
pub fn median(values: &[f64]) -> f64 {
    let mut sorted = values.to_vec();
    sorted.sort_by(f64::total_cmp);
    match sorted.len() {
        0 => f64::NAN,
        n => (sorted[(n - 1) / 2] + sorted[n / 2]) / 2.0,
    }
}

fn least(values: &[f64]) -> f64 {
    values.iter().copied().fold(f64::INFINITY, f64::min)
}
