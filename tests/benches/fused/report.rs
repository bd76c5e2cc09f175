//! Output of measurements: a table for the terminal, and CSV.

use crate::Arguments;
use anyhow::Result;
use cuda_host::{DeviceInfo, KernelAttributes, driver_version};
use std::path::Path;
use tests::bench::{median, today};

/// The minimum work of a kernel; see where it is counted.
#[derive(Clone, Copy, Debug, Default)]
pub struct Work {
    /// Ordered pairs of residues.
    pub pairs: f64,
    /// Operations on f32.
    pub operations: f64,
    /// Bytes to and from memory.
    pub bytes: f64,
}

/// Comparison of a result with the first kernel's.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Bits {
    /// The same bits.
    Same,
    /// Equal except for rounding, because the order of sums differs.
    Rounded,
    /// Another result.
    Wrong,
}

/// A kernel on a batch.
pub struct Measurement {
    pub name: &'static str,
    pub structures: usize,
    pub residues: usize,
    /// One time per repetition.
    pub milliseconds: Vec<f64>,
    pub attributes: KernelAttributes,
    pub work: Work,
    /// The first kernel's time over this one's.
    pub ratio: Option<f64>,
    pub bits: Option<Bits>,
}

/// All results of one run.
pub struct Report {
    machine: String,
    driver: String,
    date: String,
    peak_tflops: Option<f64>,
    peak_gbs: Option<f64>,
    results: Vec<Measurement>,
}

/// Peaks of f32 arithmetic without tensor cores in TFLOP/s and of memory in GB/s, from NVIDIA's data sheets.
const PEAKS: [(&str, f64, f64); 4] = [
    ("H100 80GB HBM3", 66.9, 3352.0),
    ("H200", 66.9, 4800.0),
    ("H100 PCIe", 51.2, 2039.0),
    ("A100-SXM4-80GB", 19.5, 2039.0),
];

impl Report {
    pub fn new(arguments: &Arguments, device: &DeviceInfo) -> Result<Self> {
        let known = PEAKS.iter().find(|(name, ..)| device.name.contains(name));
        Ok(Self {
            machine: arguments.machine.clone().unwrap_or_else(|| device.name.clone()),
            driver: driver_version()?.to_string(),
            date: arguments.date.clone().unwrap_or_else(today),
            peak_tflops: arguments.peak_tflops.or(known.map(|(_, tflops, _)| *tflops)),
            peak_gbs: arguments.peak_gbs.or(known.map(|(.., gbs)| *gbs)),
            results: Vec::new(),
        })
    }

    pub fn add(&mut self, result: Measurement) {
        self.results.push(result);
    }

    /// Whether every kernel gave the expected result.
    pub fn all_right(&self) -> bool {
        self.results.iter().all(|result| result.bits != Some(Bits::Wrong))
    }

    pub fn print(&self) {
        for result in self.results.iter().filter(|result| result.ratio.is_some()) {
            println!(
                "Rust takes {:.3} of the time of {} ({})",
                result.ratio.unwrap_or(f64::NAN),
                result.name,
                bits(result.bits)
            );
        }
        println!("\n{}, CUDA {}, {}", self.machine, self.driver, self.date);
        println!(
            "{:28} {:>10} {:>9} {:>9} {:>9} {:>9} {:>5} {:>5} {:>6} {:>9} {:>8} {:>8}",
            "kernel",
            "structures",
            "residues",
            "median ms",
            "min ms",
            "Gpair/s",
            "regs",
            "local",
            "shared",
            "TFLOP/s",
            "GB/s",
            "roofline"
        );
        for result in &self.results {
            let milliseconds = median(&result.milliseconds);
            println!(
                "{:28} {:>10} {:>9} {:>9.3} {:>9.3} {:>9.1} {:>5} {:>5} {:>6} {:>9.2} {:>8.1} {:>8}",
                result.name,
                result.structures,
                result.residues,
                milliseconds,
                least(&result.milliseconds),
                result.work.pairs / milliseconds / 1e6,
                result.attributes.registers,
                result.attributes.local_bytes,
                result.attributes.shared_bytes,
                result.work.operations / milliseconds / 1e9,
                result.work.bytes / milliseconds / 1e6,
                self.roofline(result).map_or_else(|| "-".to_owned(), |share| format!("{:.1}%", 100.0 * share)),
            );
        }
    }

    /// The minimum time given by arithmetic and memory, divided by the measured time.
    fn roofline(&self, result: &Measurement) -> Option<f64> {
        let arithmetic = result.work.operations / (self.peak_tflops? * 1e12);
        let memory = result.work.bytes / (self.peak_gbs? * 1e9);
        Some(arithmetic.max(memory) * 1e3 / median(&result.milliseconds))
    }

    pub fn write_csv(&self, path: &Path) -> Result<()> {
        let mut csv = csv::Writer::from_path(path)?;
        csv.write_record([
            "date",
            "machine",
            "cuda",
            "kernel",
            "structures",
            "residues",
            "repetitions",
            "median_ms",
            "min_ms",
            "pairs",
            "operations",
            "bytes",
            "registers",
            "local_bytes",
            "shared_bytes",
            "rust_over_this",
            "bits",
            "roofline",
        ])?;
        for result in &self.results {
            let number = |value: Option<f64>| value.map_or_else(String::new, |value| format!("{value:.4}"));
            csv.write_record([
                self.date.clone(),
                self.machine.clone(),
                self.driver.clone(),
                result.name.to_owned(),
                result.structures.to_string(),
                result.residues.to_string(),
                result.milliseconds.len().to_string(),
                number(Some(median(&result.milliseconds))),
                number(Some(least(&result.milliseconds))),
                format!("{:.0}", result.work.pairs),
                format!("{:.0}", result.work.operations),
                format!("{:.0}", result.work.bytes),
                result.attributes.registers.to_string(),
                result.attributes.local_bytes.to_string(),
                result.attributes.shared_bytes.to_string(),
                number(result.ratio),
                result.bits.map_or("", |_| bits(result.bits)).to_owned(),
                number(self.roofline(result)),
            ])?;
        }
        csv.flush()?;
        Ok(())
    }
}

fn bits(bits: Option<Bits>) -> &'static str {
    match bits {
        Some(Bits::Same) => "same bits",
        Some(Bits::Rounded) => "same but for rounding",
        Some(Bits::Wrong) => "ANOTHER RESULT",
        None => "",
    }
}

fn least(values: &[f64]) -> f64 {
    values.iter().copied().fold(f64::INFINITY, f64::min)
}
