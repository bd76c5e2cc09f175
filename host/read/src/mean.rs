//! The mean of what is known.

/// The mean of the numbers that are not NaN, added up in double precision; NaN if there is none.
pub fn mean(values: impl Iterator<Item = f32>) -> f32 {
    let known = values.filter(|value| !value.is_nan());
    let (sum, count) = known.fold((0.0, 0.0), |(sum, count), value| (sum + f64::from(value), count + 1.0));
    (sum / count) as f32
}
