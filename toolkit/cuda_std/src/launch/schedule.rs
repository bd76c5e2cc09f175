//! The seed of other schedules, which the environment gives to tests.

use super::LaunchError;
use std::sync::OnceLock;

/// The variable with the seed.
pub const SCHEDULE_SEED: &str = "CUDA_SCHEDULE_SEED";

/// The number in the variable `CUDA_SCHEDULE_SEED`, if it is set: the process is to run its kernels in an order that depends on
/// this number, on a GPU and on CPU cores. It is read once.
///
/// # Errors
/// [`LaunchError::ScheduleSeed`] if it is no number.
///
/// ```
/// use cuda_std::launch::schedule_seed;
///
/// match schedule_seed()? {
///     Some(seed) => println!("to repeat this: CUDA_SCHEDULE_SEED={seed}"),
///     None => println!("the usual order"),
/// }
/// # Ok::<(), cuda_std::launch::LaunchError>(())
/// ```
pub fn schedule_seed() -> Result<Option<u64>, LaunchError> {
    static SEED: OnceLock<Result<Option<u64>, String>> = OnceLock::new();
    let read = || std::env::var_os(SCHEDULE_SEED).map(|value| parse(&value.to_string_lossy())).transpose();
    SEED.get_or_init(read).clone().map_err(|value| LaunchError::ScheduleSeed { value })
}

fn parse(value: &str) -> Result<u64, String> {
    value.parse().map_err(|_| value.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_numbers_are_seeds() {
        assert_eq!((parse("0"), parse("18446744073709551615")), (Ok(0), Ok(u64::MAX)));
        for value in ["", " 1", "-1", "1e3", "18446744073709551616", "seed"] {
            let error = LaunchError::ScheduleSeed { value: parse(value).unwrap_err() }.to_string();
            assert!(error.contains(&format!("CUDA_SCHEDULE_SEED is `{value}`")), "{error}");
        }
    }
}
