//! `profile`: the kernels of a program under Nsight Compute, or its timeline by Nsight Systems.

use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};

use anyhow::{Context as _, Result, bail, ensure};

use crate::{finish, programs, tool};

/// The columns of the printed table: ncu's metrics, and their names.
const COLUMNS: [(&str, &str); 5] = [
    ("gpu__time_duration.sum", "time"),
    ("sm__throughput.avg.pct_of_peak_sustained_elapsed", "compute"),
    ("gpu__compute_memory_throughput.avg.pct_of_peak_sustained_elapsed", "memory"),
    ("sm__warps_active.avg.pct_of_peak_sustained_active", "occupancy"),
    ("launch__registers_per_thread", "registers"),
];

/// Measure the kernels of a crate's program, or of a test, with Nsight Compute (ncu), and print what it found
///
/// Build scripts compile the kernels with line information, so the report, which `ncu-ui FILE` opens, shows time and stalls at each line.
/// `cargo kernel profile -- --release --bin waves -- 1000` measures the program `waves` with the argument 1000.
#[derive(clap::Args)]
pub struct Arguments {
    /// Record when kernels, copies and calls run instead, with Nsight Systems (nsys)
    #[arg(long, conflicts_with_all = ["kernel", "launches", "skip", "set"])]
    timeline: bool,

    /// The report [default: NAME.ncu-rep or NAME.nsys-rep in the current folder]. An older one is replaced
    #[arg(long, value_name = "FILE")]
    out: Option<PathBuf>,

    /// Measure only kernels whose name matches this regular expression
    #[arg(long, value_name = "REGEX")]
    kernel: Option<String>,

    /// Measure at most so many launches
    #[arg(long, value_name = "N", default_value = "10")]
    launches: u32,

    /// Let so many launches pass first
    #[arg(long, value_name = "N", default_value = "0")]
    skip: u32,

    /// What ncu measures: basic, detailed or full
    #[arg(long, value_name = "SET", default_value = "full")]
    set: String,

    /// Print everything that was measured, instead of a table with a line for each launch
    #[arg(long, conflicts_with = "timeline")]
    details: bool,

    /// Pass this option to the tool, as in `--pass=--clock-control=none` (repeatable)
    #[arg(long, value_name = "OPTION", allow_hyphen_values = true)]
    pass: Vec<String>,

    #[command(flatten)]
    programs: programs::Selection,
}

/// Runs the command.
pub fn run(arguments: &Arguments) -> Result<ExitCode> {
    let profiler = if arguments.timeline { tool::TIMELINE } else { tool::PROFILER }.find()?;
    let chosen = arguments.programs.choose(programs::Fallback::Programs, true)?;
    let (executable, own) = chosen.only()?;
    let extension = if arguments.timeline { "nsys-rep" } else { "ncu-rep" };
    let out = arguments.out.clone().unwrap_or_else(|| format!("{}.{extension}", executable.name).into());
    let out = std::path::absolute(&out).with_context(|| format!("{} is not a path", out.display()))?;
    let options = if arguments.timeline {
        of_timeline(arguments, &out)
    } else {
        of_kernels(arguments, &out, &arguments.programs.sources()?)
    };
    let code = tool::code(&mut tool::command(Some((&profiler, &options)), &executable, &own))?;
    ensure!(code == Some(0), "{} of {}: {}", profiler.display(), executable.name, tool::ended(code));
    let mut shown = Command::new(&profiler);
    shown.arg("--import").arg(&out);
    if arguments.details {
        finish(shown.args(["--page", "details"]), "show the report")?;
    } else if !arguments.timeline {
        let metrics = COLUMNS.map(|(metric, _)| metric).join(",");
        let output = shown.args(["--page", "raw", "--csv", "--metrics", &metrics]).output();
        let output = output.context("cannot show the report")?;
        print!("{}", table(&String::from_utf8_lossy(&output.stdout))?);
    }
    let viewer = if arguments.timeline { "nsys-ui" } else { "ncu-ui" };
    println!("{}: written; `{viewer}` shows it", out.display());
    Ok(ExitCode::SUCCESS)
}

/// A line of CSV without its first and last quotation mark.
fn inner(line: &str) -> &str {
    line.strip_prefix('"').and_then(|line| line.strip_suffix('"')).unwrap_or(line)
}

/// A table of ncu's CSV, whose first two lines are the columns' names and units.
fn table(csv: &str) -> Result<String> {
    let mut lines = csv
        .lines()
        .filter(|line| line.starts_with('"'))
        .map(|line| inner(line).split("\",\"").map(str::to_owned).collect::<Vec<_>>());
    let (Some(names), Some(units)) = (lines.next(), lines.next()) else {
        bail!("the report has no launch; does `--kernel` match a name?")
    };
    let column = |name: &str| names.iter().position(|column| column == name);
    let kernel = column("Kernel Name").context("the report does not name its kernels")?;
    let columns: Vec<_> = COLUMNS.iter().filter_map(|(metric, name)| Some((column(metric)?, *name))).collect();
    let cell = |row: &[String], at: usize| row.get(at).cloned().unwrap_or_default();
    // Whole numbers stay, others get two digits.
    let number = |text: String| match text.parse::<f64>() {
        Ok(number) if text.contains('.') => format!("{number:.2}"),
        _ => text,
    };
    let mut table = vec![
        [&["kernel".to_owned()][..], &columns.iter().map(|(_, name)| (*name).to_owned()).collect::<Vec<_>>()].concat(),
    ];
    for row in lines {
        let values = columns.iter().map(|&(at, _)| {
            let unit = Some(cell(&units, at)).filter(|unit| ["ns", "us", "ms", "s", "%"].contains(&unit.as_str()));
            let value = number(cell(&row, at));
            unit.map_or_else(|| value.clone(), |unit| format!("{value} {unit}"))
        });
        table.push([cell(&row, kernel)].into_iter().chain(values).collect());
    }
    let widths: Vec<usize> =
        (0..=columns.len()).map(|at| table.iter().map(|row| row[at].len()).max().unwrap_or(0)).collect();
    let line = |row: &Vec<String>| {
        let cells = row.iter().zip(&widths).skip(1).map(|(cell, width)| format!("  {cell:>width$}"));
        format!("{:width$}{}\n", row[0], cells.collect::<String>(), width = widths[0])
    };
    Ok(table.iter().map(line).collect())
}

fn of_kernels(arguments: &Arguments, out: &Path, sources: &Path) -> Vec<String> {
    let mut options = vec![
        "--force-overwrite".to_owned(),
        format!("--export={}", out.display()),
        format!("--set={}", arguments.set),
        "--import-source=yes".to_owned(),
        // Lines name files relative to a workspace.
        format!("--source-folders={}", sources.display()),
        format!("--launch-skip={}", arguments.skip),
        format!("--launch-count={}", arguments.launches),
    ];
    options.extend(arguments.kernel.iter().map(|kernel| format!("--kernel-name=regex:{kernel}")));
    options.extend(arguments.pass.iter().cloned());
    options
}

fn of_timeline(arguments: &Arguments, out: &Path) -> Vec<String> {
    let mut options = vec![
        "profile".to_owned(),
        "--force-overwrite=true".to_owned(),
        format!("--output={}", out.display()),
        "--trace=cuda,nvtx".to_owned(),
        "--stats=true".to_owned(),
    ];
    options.extend(arguments.pass.iter().cloned());
    options
}

#[cfg(test)]
mod tests {
    use super::table;

    #[test]
    fn the_table_has_a_line_for_each_launch() {
        let csv = "==PROF== note\n\"ID\",\"Kernel Name\",\"launch__registers_per_thread\",\"gpu__time_duration.sum\"\n\
                   \"\",\"\",\"register/thread\",\"us\"\n\"0\",\"sums\",\"16\",\"1013.250000\"\n\"1\",\"scan_of_blocks\",\"8\",\"2.000000\"\n";
        assert_eq!(
            table(csv).unwrap(),
            "kernel                time  registers\nsums            1013.25 us         16\nscan_of_blocks     2.00 us          8\n"
        );
        assert!(table("==WARNING== No kernels were profiled.\n").unwrap_err().to_string().contains("no launch"));
    }
}
