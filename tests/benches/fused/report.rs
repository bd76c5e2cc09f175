//! Measurements as rows of a table.

use crate::Arguments;
use cuda_host::KernelAttributes;
use tests::bench::{Table, least, median};

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
    pub fn new(arguments: &Arguments, device: &str) -> Self {
        let known = PEAKS.iter().find(|(name, ..)| device.contains(name));
        Self {
            peak_tflops: arguments.peak_tflops.or(known.map(|(_, tflops, _)| *tflops)),
            peak_gbs: arguments.peak_gbs.or(known.map(|(.., gbs)| *gbs)),
            results: Vec::new(),
        }
    }

    pub fn add(&mut self, result: Measurement) {
        self.results.push(result);
    }

    /// Whether every kernel gave the expected result.
    pub fn all_right(&self) -> bool {
        self.results.iter().all(|result| result.bits != Some(Bits::Wrong))
    }

    /// Adds the results to a table, after a line for each baseline.
    pub fn fill(&self, table: &mut Table) {
        let number = |value: Option<f64>| value.map_or_else(String::new, |value| format!("{value:.4}"));
        for result in &self.results {
            if let Some(ratio) = result.ratio {
                println!("Rust takes {ratio:.3} of the time of {} ({})", result.name, bits(result.bits));
            }
            let (milliseconds, work) = (median(&result.milliseconds), &result.work);
            table.add([
                ("kernel", result.name.to_owned()),
                ("structures", result.structures.to_string()),
                ("residues", result.residues.to_string()),
                ("repetitions", result.milliseconds.len().to_string()),
                ("median_ms", format!("{milliseconds:.4}")),
                ("min_ms", format!("{:.4}", least(&result.milliseconds))),
                ("pairs", format!("{:.0}", work.pairs)),
                ("operations", format!("{:.0}", work.operations)),
                ("bytes", format!("{:.0}", work.bytes)),
                ("registers", result.attributes.registers.to_string()),
                ("local_bytes", result.attributes.local_bytes.to_string()),
                ("shared_bytes", result.attributes.shared_bytes.to_string()),
                ("rust_over_this", number(result.ratio)),
                ("bits", bits(result.bits).to_owned()),
                ("roofline", number(self.roofline(result))),
                ("tflop_per_s", format!("{:.2}", work.operations / milliseconds / 1e9)),
                ("gb_per_s", format!("{:.1}", work.bytes / milliseconds / 1e6)),
            ]);
        }
    }

    /// The minimum time given by arithmetic and memory, divided by the measured time.
    fn roofline(&self, result: &Measurement) -> Option<f64> {
        let arithmetic = result.work.operations / (self.peak_tflops? * 1e12);
        let memory = result.work.bytes / (self.peak_gbs? * 1e9);
        Some(arithmetic.max(memory) * 1e3 / median(&result.milliseconds))
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
