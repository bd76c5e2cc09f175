//! Kinds of GPUs.

use std::fmt;

/// A kind of GPU, identified by its compute capability.
///
/// ```
/// use cuda_host::Chip;
///
/// let chip = Chip { major: 8, minor: 6 };
/// assert_eq!(chip.to_string(), "sm_86");
/// // Machine code runs on its own kind and on later ones of the same major number.
/// assert!(chip.runs_on((8, 9)) && !chip.runs_on((8, 0)) && !chip.runs_on((9, 0)));
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Chip {
    /// The major number.
    pub major: u32,
    /// The minor number.
    pub minor: u32,
}

impl Chip {
    /// Whether a device with that compute capability runs machine code of this kind.
    #[must_use]
    pub fn runs_on(self, (major, minor): (u32, u32)) -> bool {
        self.major == major && self.minor <= minor
    }

    pub(super) fn parse(text: &str) -> Option<Self> {
        let number = text.strip_prefix("sm_")?;
        // No other chip has the major number of Hopper, so its own features do not limit its code any further.
        let number: u32 = if number == "90a" { 90 } else { number.parse().ok()? };
        Some(Self { major: number / 10, minor: number % 10 })
    }
}

impl fmt::Display for Chip {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "sm_{}{}", self.major, self.minor)
    }
}
