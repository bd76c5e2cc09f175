//! Measurements: ratios, and rows of a table.

use crate::{Form, Work};
use cuda_host::KernelAttributes;
use toolkit_tests::bench::{Table, least, median};

/// A form of an operation.
pub struct Line {
    pub operation: String,
    pub form: Form,
    pub work: Work,
    pub attributes: KernelAttributes,
    /// One time per repetition.
    pub milliseconds: Vec<f64>,
    /// Microseconds of the host for each launch.
    pub queueing: Vec<f64>,
    /// Whether the outputs equal those of the operation's first form.
    pub same: bool,
}

/// All results of one run.
#[derive(Default)]
pub struct Report {
    lines: Vec<Line>,
}

impl Report {
    pub fn add(&mut self, line: Line) {
        self.lines.push(line);
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

    /// Prints the ratios, and adds the measurements to a table. The device copies `copy_gbs` GB/s.
    pub fn fill(&self, table: &mut Table, copy_gbs: f64) {
        for (of, to) in [(Form::Safe, Form::Raw), (Form::Safe, Form::Cuda), (Form::Raw, Form::Cuda)] {
            for line in self.lines.iter().filter(|line| line.form == of) {
                if let Some(ratio) = self.ratio(line, to) {
                    println!("{ratio:.3} {} over {}: {}", of.name(), to.name(), line.operation);
                }
            }
        }
        let number = |value: Option<f64>| value.map_or_else(String::new, |value| format!("{value:.4}"));
        for line in &self.lines {
            let milliseconds = median(&line.milliseconds);
            let gbs = line.work.bytes / milliseconds / 1e6;
            table.add([
                ("operation", line.operation.clone()),
                ("form", line.form.name().to_owned()),
                ("repetitions", line.milliseconds.len().to_string()),
                ("median_ms", format!("{milliseconds:.5}")),
                ("min_ms", format!("{:.5}", least(&line.milliseconds))),
                ("launch_us", format!("{:.2}", median(&line.queueing))),
                ("operations", format!("{:.0}", line.work.operations)),
                ("bytes", format!("{:.0}", line.work.bytes)),
                ("registers", line.attributes.registers.to_string()),
                ("local_bytes", line.attributes.local_bytes.to_string()),
                ("shared_bytes", line.attributes.shared_bytes.to_string()),
                ("over_raw", number(self.ratio(line, Form::Raw))),
                ("over_cuda", number(self.ratio(line, Form::Cuda))),
                ("same_bits", line.same.to_string()),
                ("copy_gbs", format!("{copy_gbs:.1}")),
                ("gb_per_s", format!("{gbs:.1}")),
                ("tflop_per_s", format!("{:.3}", line.work.operations / milliseconds / 1e9)),
            ]);
        }
    }
}
