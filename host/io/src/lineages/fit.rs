//! Frequencies and their slopes.

/// Estimates for a share of samples.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Estimate {
    /// From 0 to 1; NaN if there are no samples.
    pub(super) frequency: f64,
    /// The slope of the logit per day; NaN if there is none.
    pub(super) velocity: f64,
    /// The standard error of the slope.
    pub(super) error: f64,
}

/// A day's samples: its date, the number in the share, and the total.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Day {
    pub(super) date: i64,
    pub(super) count: f64,
    pub(super) total: f64,
}

/// The slope of the logit by weighted least squares, and its standard error; both NaN if the days do not determine them.
pub(super) fn slope(days: &[Day]) -> (f64, f64) {
    const NONE: (f64, f64) = (f64::NAN, f64::NAN);
    let some = days.iter().any(|day| day.count > 0.0);
    let others = days.iter().any(|day| day.count < day.total);
    if !some || !others {
        return NONE;
    }
    let points: Vec<[f64; 3]> = days
        .iter()
        .map(|day| {
            let (own, other) = (day.count + 0.5, day.total - day.count + 0.5);
            [day.date as f64, (own / other).ln(), 1.0 / (1.0 / own + 1.0 / other)]
        })
        .collect();
    let sum = |of: &dyn Fn(&[f64; 3]) -> f64| points.iter().map(of).sum::<f64>();
    let weight = sum(&|p| p[2]);
    let (mean_t, mean_y) = (sum(&|p| p[2] * p[0]) / weight, sum(&|p| p[2] * p[1]) / weight);
    let spread = sum(&|p| p[2] * (p[0] - mean_t).powi(2));
    if spread <= 0.0 || !spread.is_finite() {
        return NONE;
    }
    let slope = sum(&|p| p[2] * (p[0] - mean_t) * (p[1] - mean_y)) / spread;
    let chi2 = sum(&|p| p[2] * (p[1] - mean_y - slope * (p[0] - mean_t)).powi(2));
    let freedom = points.len() as f64 - 2.0;
    let excess = if freedom > 0.0 { (chi2 / freedom).max(1.0) } else { 1.0 };
    (slope, (excess / spread).sqrt())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Expected: NumPy's `polyfit(t, y, 1, w=sqrt(w), cov='unscaled')` of the same days.
    #[test]
    fn slopes_are_those_of_numpy() {
        let counts = [3.0, 5.0, 4.0, 9.0, 14.0, 13.0, 25.0, 30.0];
        let days: Vec<Day> = counts
            .iter()
            .enumerate()
            .map(|(date, &count)| Day { date: date as i64, count, total: 60.0 + date as f64 })
            .collect();
        let (slope, error) = slope(&days);
        assert!((slope - SLOPE).abs() < 1e-9 && (error - ERROR).abs() < 1e-9, "{slope} {error}");
    }

    const SLOPE: f64 = 0.384_215_132_434_248_26;
    const ERROR: f64 = 0.056_146_149_745_511_714;

    #[test]
    fn one_day_or_one_residue_has_no_slope() {
        let day = |date, count| Day { date, count, total: 10.0 };
        assert!(slope(&[day(1, 4.0)]).0.is_nan());
        assert!(slope(&[day(1, 10.0), day(2, 10.0)]).0.is_nan());
        assert!(slope(&[day(1, 0.0), day(2, 0.0)]).0.is_nan());
        assert!(slope(&[]).0.is_nan());
    }
}
