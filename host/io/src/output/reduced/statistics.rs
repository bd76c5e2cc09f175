//! Sums, extremes and quantiles of numbers that come one by one.

use super::Column;
use std::collections::BTreeMap;
use std::fmt;
use std::str::FromStr;

/// A statistic over frames.
///
/// ```
/// use prism_io::output::Statistic;
///
/// let names = ["mean", "sd", "min", "max", "median", "q05", "q97.5"];
/// assert!(names.iter().all(|name| name.parse::<Statistic>().unwrap().to_string() == *name));
/// assert!("q101".parse::<Statistic>().is_err() && "mode".parse::<Statistic>().is_err());
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Statistic {
    /// The mean.
    Mean,
    /// The standard deviation, with one less than the number of frames.
    Sd,
    /// The smallest value.
    Min,
    /// The largest value.
    Max,
    /// The value below which this share of a thousand lies, interpolated between the two next to it.
    Quantile(u16),
}

const MEDIAN: u16 = 500;

impl FromStr for Statistic {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let share = |digits: &str| {
            let percent: f64 = digits.parse().ok().filter(|percent| (0.0..=100.0).contains(percent))?;
            Some((10.0 * percent).round() as u16).filter(|share| f64::from(*share) == 10.0 * percent)
        };
        match text {
            "mean" => Ok(Self::Mean),
            "sd" => Ok(Self::Sd),
            "min" => Ok(Self::Min),
            "max" => Ok(Self::Max),
            "median" => Ok(Self::Quantile(MEDIAN)),
            _ => text.strip_prefix('q').and_then(share).map(Self::Quantile).ok_or_else(|| {
                "give mean, sd, min, max, median, or a quantile in percent with at most one decimal, such as q05 or q97.5"
                    .to_owned()
            }),
        }
    }
}

impl fmt::Display for Statistic {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Mean => f.write_str("mean"),
            Self::Sd => f.write_str("sd"),
            Self::Min => f.write_str("min"),
            Self::Max => f.write_str("max"),
            Self::Quantile(MEDIAN) => f.write_str("median"),
            Self::Quantile(share) if share % 10 == 0 => write!(f, "q{:02}", share / 10),
            Self::Quantile(share) => write!(f, "q{:02}.{}", share / 10, share % 10),
        }
    }
}

/// Statistics in an order, each once.
///
/// ```
/// use prism_io::output::Statistics;
///
/// assert_eq!("mean,q05".parse::<Statistics>()?.as_slice().len(), 2);
/// assert_eq!("median,q50".parse::<Statistics>().unwrap_err(), "median is named twice");
/// # Ok::<(), String>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Statistics(Vec<Statistic>);

impl Statistics {
    /// Those of some names.
    ///
    /// # Errors
    /// If one is not known, or named twice.
    pub fn choose<'a>(names: impl IntoIterator<Item = &'a str>) -> Result<Self, String> {
        let mut all: Vec<Statistic> = Vec::new();
        for name in names {
            let one = name.parse().map_err(|known| format!("{known}, not {name:?}"))?;
            if all.contains(&one) {
                return Err(format!("{one} is named twice"));
            }
            all.push(one);
        }
        Ok(Self(all))
    }

    /// All of them.
    #[must_use]
    pub fn as_slice(&self) -> &[Statistic] {
        &self.0
    }
}

impl FromStr for Statistics {
    type Err = String;

    /// Reads names with commas between them.
    fn from_str(text: &str) -> Result<Self, String> {
        Self::choose(text.split(','))
    }
}

impl Statistic {
    /// Whether angles on a circle have it.
    pub(super) fn is_on_circle(self) -> bool {
        matches!(self, Self::Mean | Self::Sd)
    }

    pub(super) fn about(self) -> &'static str {
        match self {
            Self::Mean => "mean",
            Self::Sd => "standard deviation",
            Self::Min => "smallest value",
            Self::Max => "largest value",
            Self::Quantile(_) => "quantile",
        }
    }
}

/// Up to so many values, quantiles are exact.
pub(super) const EXACT: usize = 1024;
/// Beyond, values are counted in bins whose edges have this ratio, so that a quantile is within 0.5% of a value of that rank.
const RATIO: f64 = 1.01;
/// Smaller magnitudes count as 0.
const SMALLEST: f64 = 1e-9;
/// Makes the numbers of bins of positive values positive.
const OFFSET: i32 = 2100;

/// The statistics of a number.
#[derive(Clone, Debug, Default)]
pub(super) struct Numbers {
    count: u32,
    /// From which differences are summed, so that large values lose no digits.
    first: f64,
    sum: f64,
    squares: f64,
    least: f32,
    most: f32,
    sketch: Sketch,
}

/// Values, or how many are in each bin.
#[derive(Clone, Debug)]
enum Sketch {
    Values(Vec<f32>),
    Bins(BTreeMap<i32, u32>),
}

impl Default for Sketch {
    fn default() -> Self {
        Self::Values(Vec::new())
    }
}

fn bin(value: f32) -> i32 {
    let magnitude = f64::from(value.abs());
    if magnitude < SMALLEST {
        return 0;
    }
    let bin = (magnitude.ln() / RATIO.ln()).ceil() as i32 + OFFSET;
    if value < 0.0 { -bin } else { bin }
}

/// A value of a bin that is within half its width of all.
fn middle(bin: i32) -> f64 {
    match bin {
        0 => 0.0,
        _ => f64::from(bin.signum()) * 2.0 * RATIO.powi(bin.abs() - OFFSET) / (1.0 + RATIO),
    }
}

impl Sketch {
    fn add(&mut self, value: f32) {
        match self {
            Self::Values(all) if all.len() < EXACT => all.push(value),
            Self::Values(all) => {
                let mut bins = BTreeMap::new();
                all.iter().chain([&value]).for_each(|value| *bins.entry(bin(*value)).or_default() += 1);
                *self = Self::Bins(bins);
            }
            Self::Bins(bins) => *bins.entry(bin(value)).or_default() += 1,
        }
    }

    fn quantile(&self, share: u16) -> f64 {
        let rank = |count: usize| f64::from(share) / 1000.0 * (count - 1) as f64;
        match self {
            Self::Values(all) if all.is_empty() => f64::NAN,
            Self::Values(all) => {
                let mut sorted = all.clone();
                sorted.sort_by(f32::total_cmp);
                let rank = rank(sorted.len());
                let (below, above) = (sorted[rank.floor() as usize], sorted[rank.ceil() as usize]);
                f64::from(below) + (f64::from(above) - f64::from(below)) * rank.fract()
            }
            Self::Bins(bins) => {
                let count: u32 = bins.values().sum();
                let rank = rank(count as usize).round() as u32;
                let mut before = 0;
                let found = bins.iter().find(|(_, count)| {
                    before += **count;
                    before > rank
                });
                found.map_or(f64::NAN, |(bin, _)| middle(*bin))
            }
        }
    }
}

impl Numbers {
    pub(super) fn add(&mut self, value: f32, sketches: bool) {
        if value.is_nan() {
            return;
        }
        if self.count == 0 {
            (self.first, self.least, self.most) = (f64::from(value), value, value);
        }
        self.count += 1;
        let difference = f64::from(value) - self.first;
        self.sum += difference;
        self.squares += difference * difference;
        self.least = self.least.min(value);
        self.most = self.most.max(value);
        if sketches {
            self.sketch.add(value);
        }
    }

    /// NaN without values; a standard deviation needs two.
    pub(super) fn statistic(&self, statistic: Statistic) -> f32 {
        if self.count == 0 {
            return f32::NAN;
        }
        let count = f64::from(self.count);
        let value = match statistic {
            Statistic::Mean => self.first + self.sum / count,
            Statistic::Sd => ((self.squares - self.sum * self.sum / count).max(0.0) / (count - 1.0)).sqrt(),
            Statistic::Min => f64::from(self.least),
            Statistic::Max => f64::from(self.most),
            // Bins may reach beyond the values.
            Statistic::Quantile(share) => {
                self.sketch.quantile(share).clamp(f64::from(self.least), f64::from(self.most))
            }
        };
        value as f32
    }
}

/// The statistics of a number without quantiles.
#[derive(Clone, Debug, Default)]
pub(in crate::output) struct Series(Numbers);

impl Series {
    pub(in crate::output) fn add(&mut self, value: f32) {
        self.0.add(value, false);
    }

    pub(in crate::output) fn mean(&self) -> f32 {
        self.0.statistic(Statistic::Mean)
    }

    pub(in crate::output) fn sd(&self) -> f32 {
        self.0.statistic(Statistic::Sd)
    }

    pub(in crate::output) fn min(&self) -> f32 {
        self.0.statistic(Statistic::Min)
    }

    pub(in crate::output) fn max(&self) -> f32 {
        self.0.statistic(Statistic::Max)
    }
}

/// The statistics of an angle in degrees.
#[derive(Clone, Debug, Default)]
pub(super) struct Circle {
    count: u32,
    sum: [f64; 2],
}

impl Circle {
    pub(super) fn add(&mut self, degrees: f32) {
        if !degrees.is_nan() {
            let (sin, cos) = f64::from(degrees).to_radians().sin_cos();
            self.count += 1;
            self.sum = [self.sum[0] + cos, self.sum[1] + sin];
        }
    }

    /// The mean direction, or the circular standard deviation √(-2 ln R) of the mean vector's length R.
    pub(super) fn statistic(&self, statistic: Statistic) -> f32 {
        let [cos, sin] = self.sum.map(|sum| sum / f64::from(self.count));
        let value = match (self.count, statistic) {
            (0, _) => f64::NAN,
            (_, Statistic::Mean) => sin.atan2(cos).to_degrees(),
            (1, Statistic::Sd) => f64::NAN,
            // Of equal angles it is 0, and not -0.
            (_, Statistic::Sd) => (-2.0 * cos.hypot(sin).min(1.0).ln() + 0.0).sqrt().to_degrees(),
            _ => f64::NAN,
        };
        value as f32
    }
}

/// The mean and the standard deviation of a column's values, as a [`ReducedRelation`](super::ReducedRelation) has them: those of dihedral
/// angles are on the circle.
///
/// ```
/// use prism_io::output::{Column, Moments};
///
/// let omega = Column::every().find(|column| column.name() == "omega").unwrap();
/// let mut moments = Moments::of(&omega);
/// [179.0, -179.0, 179.0, -179.0].iter().for_each(|&angle| moments.add(angle));
/// assert!((moments.mean().abs() - 180.0).abs() < 1e-3 && (moments.sd() - 1.0).abs() < 1e-3);
/// ```
#[derive(Clone, Debug)]
pub struct Moments(Of);

#[derive(Clone, Debug)]
enum Of {
    Numbers(Numbers),
    Angles(Circle),
}

impl Moments {
    /// Those of no values yet.
    #[must_use]
    pub fn of(column: &Column) -> Self {
        Self(if column.is_dihedral() { Of::Angles(Circle::default()) } else { Of::Numbers(Numbers::default()) })
    }

    /// Adds a value; NaN is none.
    pub fn add(&mut self, value: f32) {
        match &mut self.0 {
            Of::Numbers(numbers) => numbers.add(value, false),
            Of::Angles(circle) => circle.add(value),
        }
    }

    /// The mean; NaN without values.
    #[must_use]
    pub fn mean(&self) -> f32 {
        self.statistic(Statistic::Mean)
    }

    /// The standard deviation, which needs two values.
    #[must_use]
    pub fn sd(&self) -> f32 {
        self.statistic(Statistic::Sd)
    }

    fn statistic(&self, statistic: Statistic) -> f32 {
        match &self.0 {
            Of::Numbers(numbers) => numbers.statistic(statistic),
            Of::Angles(circle) => circle.statistic(statistic),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(values: &[f32]) -> Numbers {
        let mut numbers = Numbers::default();
        values.iter().for_each(|value| numbers.add(*value, true));
        numbers
    }

    #[test]
    fn few_values_have_exact_statistics() {
        // As numpy computes them: mean, std with ddof=1, quantile.
        let numbers = of(&[3.0, f32::NAN, 1.0, 4.0, 1.0, 5.0]);
        let told = ["mean", "sd", "min", "max", "median", "q10"].map(|name| numbers.statistic(name.parse().unwrap()));
        assert_eq!(told, [2.8, 1.7888544, 1.0, 5.0, 3.0, 1.0]);
        assert_eq!(numbers.statistic(Statistic::Quantile(900)), 4.6);
        assert!(of(&[]).statistic(Statistic::Mean).is_nan() && of(&[1.0]).statistic(Statistic::Sd).is_nan());
        assert_eq!(of(&[1e6; 9]).statistic(Statistic::Sd), 0.0);
    }

    #[test]
    fn quantiles_of_many_values_are_within_half_a_percent() {
        // From -100 to 300, in an order that looks random.
        let values: Vec<f32> = (0..40_001_u64).map(|i| (i * 7_919 % 40_001) as f32 / 100.0 - 100.0).collect();
        let numbers = of(&values);
        assert!(matches!(&numbers.sketch, Sketch::Bins(bins) if bins.len() < 2 * EXACT));
        for (share, exact) in [(0, -100.0), (50, -80.0), (500, 100.0), (950, 280.0), (1000, 300.0)] {
            let found = numbers.statistic(Statistic::Quantile(share));
            assert!((found - exact).abs() <= 0.005 * exact.abs() + 0.01, "{share}: {found} and {exact}");
        }
        assert_eq!(middle(bin(0.0)), 0.0);
    }

    #[test]
    fn angles_have_their_mean_on_the_circle() {
        let mut circle = Circle::default();
        [179.0, -179.0, f32::NAN, 179.0, -179.0].iter().for_each(|angle| circle.add(*angle));
        assert!((circle.statistic(Statistic::Mean).abs() - 180.0).abs() < 1e-4);
        // scipy.stats.circstd of these, in degrees.
        assert!((circle.statistic(Statistic::Sd) - 1.000_025_4).abs() < 1e-5, "{}", circle.statistic(Statistic::Sd));
        assert!(Circle::default().statistic(Statistic::Mean).is_nan());
        let mut constant = Circle::default();
        [90.0; 4].iter().for_each(|angle| constant.add(*angle));
        assert_eq!(constant.statistic(Statistic::Sd).to_bits(), 0.0_f32.to_bits());
    }
}
