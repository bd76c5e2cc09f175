//! Shared by benchmarks.

use clap::Args;
use cuda_host::{CudaError, Device, Event, Stream, driver_version};
use std::path::PathBuf;
use std::time::{SystemTime, UNIX_EPOCH};

/// Where results go besides the terminal, and what identifies them.
#[derive(Args, Debug)]
pub struct Record {
    /// Write the results here, too
    #[arg(long, value_name = "FILE")]
    csv: Option<PathBuf>,

    /// Date in the CSV [default: today, by the system's clock]
    #[arg(long, value_name = "YYYY-MM-DD")]
    date: Option<String>,

    /// Machine in the CSV [default: the GPU's name]
    #[arg(long, value_name = "TEXT")]
    machine: Option<String>,

    /// What `cargo bench` passes
    #[arg(long, hide = true)]
    bench: bool,
}

impl Record {
    /// A table of results from a machine, unless an argument names another.
    pub fn table(&self, machine: &str) -> Table {
        let date = self.date.clone().unwrap_or_else(today);
        let machine = self.machine.clone().unwrap_or_else(|| machine.to_owned());
        Table { shared: vec![("date", date), ("machine", machine)], names: Vec::new(), rows: Vec::new() }
    }

    /// A table of results from the first GPU.
    pub fn table_of_gpu(&self) -> Result<Table, CudaError> {
        let mut table = self.table(&Device::info(0)?.name);
        table.shared.push(("cuda", driver_version()?.to_string()));
        Ok(table)
    }

    /// Writes the file, if one was asked for.
    pub fn write(&self, table: &Table) -> Result<(), String> {
        let Some(path) = &self.csv else { return Ok(()) };
        std::fs::write(path, table.csv()).map_err(|error| format!("cannot write {}: {error}", path.display()))
    }
}

/// Results, as a table for the terminal and as CSV.
#[derive(Debug)]
pub struct Table {
    /// Cells that all rows share.
    shared: Vec<(&'static str, String)>,
    names: Vec<&'static str>,
    rows: Vec<Vec<String>>,
}

impl Table {
    /// Adds a row. All rows have the same names, in the same order.
    pub fn add(&mut self, cells: impl IntoIterator<Item = (&'static str, String)>) {
        let row;
        (self.names, row) = cells.into_iter().unzip();
        self.rows.push(row);
    }

    /// Prints the rows in aligned columns.
    pub fn print(&self) {
        let shared: Vec<&str> = self.shared.iter().map(|(_, value)| value.as_str()).collect();
        println!("\n{}", shared.join(", "));
        let names = self.names.iter().map(|name| (*name).to_owned()).collect();
        let all: Vec<&Vec<String>> = [&names].into_iter().chain(&self.rows).collect();
        let width = |at: usize| all.iter().map(|row| row[at].chars().count()).max().unwrap_or(0);
        let widths: Vec<usize> = (0..names.len()).map(width).collect();
        for row in all {
            let cells = row.iter().zip(&widths).map(|(cell, &width)| {
                let is_text = cell.starts_with(|c: char| c.is_alphabetic());
                if is_text { format!("{cell:width$}") } else { format!("{cell:>width$}") }
            });
            println!("{}", cells.collect::<Vec<_>>().join("  ").trim_end());
        }
    }

    fn csv(&self) -> String {
        let quoted = |cell: &str| match cell.contains([',', '"', '\n']) {
            true => format!("\"{}\"", cell.replace('"', "\"\"")),
            false => cell.to_owned(),
        };
        let (shared, values): (Vec<&str>, Vec<&str>) =
            self.shared.iter().map(|(name, value)| (*name, value.as_str())).unzip();
        let mut lines = vec![[shared, self.names.clone()].concat()];
        lines
            .extend(self.rows.iter().map(|row| values.iter().copied().chain(row.iter().map(String::as_str)).collect()));
        lines.iter().map(|line| line.iter().map(|cell| quoted(cell)).collect::<Vec<_>>().join(",") + "\n").collect()
    }
}

/// A timer on a stream.
#[derive(Debug)]
pub struct Watch<'s> {
    stream: &'s Stream,
    begin: Event,
    end: Event,
}

impl<'s> Watch<'s> {
    /// A watch for work on a stream.
    pub fn new(stream: &'s Stream) -> Result<Self, CudaError> {
        Ok(Self { stream, begin: Event::new(stream.context())?, end: Event::new(stream.context())? })
    }

    /// Milliseconds from the first to the last work that `queue` queues.
    pub fn time<E: From<CudaError>>(&self, queue: impl FnOnce() -> Result<(), E>) -> Result<f64, E> {
        self.begin.record(self.stream)?;
        queue()?;
        self.end.record(self.stream)?;
        self.stream.synchronize()?;
        Ok(f64::from(self.end.elapsed_ms(&self.begin)?))
    }

    /// The times of some repetitions after the warm-up.
    pub fn repeated<E: From<CudaError>>(
        &self,
        repetitions: u16,
        mut queue: impl FnMut() -> Result<(), E>,
    ) -> Result<Vec<f64>, E> {
        Ok(in_turn(1, repetitions, |_, _| self.time(&mut queue))?.remove(0))
    }
}

/// Repetitions before those whose times count.
pub const WARM_UP: usize = 3;

/// The times of each form in milliseconds. `run(form, turn)` runs a form once and returns its time. All forms run in turn in every
/// repetition, each time starting with a different one, so a change of clock rates affects all alike.
pub fn in_turn<E>(
    forms: usize,
    repetitions: u16,
    mut run: impl FnMut(usize, usize) -> Result<f64, E>,
) -> Result<Vec<Vec<f64>>, E> {
    let mut milliseconds = vec![Vec::new(); forms];
    for turn in 0..forms * (WARM_UP + usize::from(repetitions)) {
        let (repetition, position) = (turn / forms, turn % forms);
        let form = (position + repetition) % forms;
        let took = run(form, turn)?;
        if repetition >= WARM_UP {
            milliseconds[form].push(took);
        }
    }
    Ok(milliseconds)
}

/// The median; the mean of the middle two for an even number, NaN for an empty list.
pub fn median(values: &[f64]) -> f64 {
    let mut sorted = values.to_vec();
    sorted.sort_by(f64::total_cmp);
    let n = sorted.len();
    match n {
        0 => f64::NAN,
        _ => (sorted[(n - 1) / 2] + sorted[n / 2]) / 2.0,
    }
}

/// The least; infinity for an empty list.
pub fn least(values: &[f64]) -> f64 {
    values.iter().copied().fold(f64::INFINITY, f64::min)
}

/// The date in UTC.
fn today() -> String {
    let days = SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |since| since.as_secs() / 86_400);
    let (year, month, day) = civil(days as i64);
    format!("{year:04}-{month:02}-{day:02}")
}

/// The date `days` days after 1970-01-01 (Hinnant's algorithm `civil_from_days`).
fn civil(days: i64) -> (i64, i64, i64) {
    let z = days + 719_468;
    let era = z.div_euclid(146_097);
    let day_of_era = z.rem_euclid(146_097);
    let year_of_era = (day_of_era - day_of_era / 1460 + day_of_era / 36_524 - day_of_era / 146_096) / 365;
    let day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let shifted = (5 * day_of_year + 2) / 153;
    let month = if shifted < 10 { shifted + 3 } else { shifted - 9 };
    (year_of_era + era * 400 + i64::from(month <= 2), month, day_of_year - (153 * shifted + 2) / 5 + 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dates_are_those_of_the_calendar() {
        assert_eq!([0, 59, 11_016, 20_635].map(civil), [(1970, 1, 1), (1970, 3, 1), (2000, 2, 29), (2026, 7, 1)]);
    }

    #[test]
    fn cells_with_commas_and_quotes_are_quoted() {
        let mut table = Table { shared: vec![("machine", "GPU, 2 cores".to_owned())], names: vec![], rows: vec![] };
        table.add([("kernel", "a \"b\"".to_owned()), ("ms", "1.5".to_owned())]);
        assert_eq!(table.csv(), "machine,kernel,ms\n\"GPU, 2 cores\",\"a \"\"b\"\"\",1.5\n");
    }
}
