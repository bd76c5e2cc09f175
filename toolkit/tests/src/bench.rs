//! Shared by benchmarks.

use cuda_host::{CudaError, Event, Stream};
use std::time::{SystemTime, UNIX_EPOCH};

/// A timer on a stream.
#[derive(Debug)]
pub struct Watch<'s> {
    stream: &'s Stream,
    begin: Event,
    end: Event,
}

impl<'s> Watch<'s> {
    /// # Errors
    /// Those of the driver.
    pub fn new(stream: &'s Stream) -> Result<Self, CudaError> {
        Ok(Self { stream, begin: Event::new(stream.context())?, end: Event::new(stream.context())? })
    }

    /// Milliseconds from the first to the last work that `queue` queues.
    ///
    /// # Errors
    /// Those of `queue`, and of the driver.
    pub fn time<E: From<CudaError>>(&self, queue: impl FnOnce() -> Result<(), E>) -> Result<f64, E> {
        self.begin.record(self.stream)?;
        queue()?;
        self.end.record(self.stream)?;
        self.stream.synchronize()?;
        Ok(f64::from(self.end.elapsed_ms(&self.begin)?))
    }
}

/// The median; the mean of the middle two for an even number, NaN for an empty list.
#[must_use]
pub fn median(values: &[f64]) -> f64 {
    let mut sorted = values.to_vec();
    sorted.sort_by(f64::total_cmp);
    let n = sorted.len();
    match n {
        0 => f64::NAN,
        _ => (sorted[(n - 1) / 2] + sorted[n / 2]) / 2.0,
    }
}

/// The date in UTC.
#[must_use]
pub fn today() -> String {
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
