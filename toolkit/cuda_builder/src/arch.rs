//! The GPU architectures that a kernel crate can be compiled for.

use std::fmt;
use std::str::FromStr;

macro_rules! archs {
    ($($variant:ident = $digits:literal),+ $(,)?) => {
        /// A GPU architecture, named as in Rust-CUDA. PTX for one architecture runs on it and on every later one, except
        /// for the `a` and `f` variants, which are limited to one chip or family.
        ///
        /// ```
        /// use cuda_builder::NvvmArch;
        ///
        /// let arch: NvvmArch = "sm_90a".parse()?;
        /// assert_eq!((arch, arch.digits()), (NvvmArch::Compute90a, "90a"));
        /// assert_eq!("compute_75".parse(), Ok(NvvmArch::default()));
        /// assert!(NvvmArch::Compute86 < NvvmArch::Compute90 && NvvmArch::ALL.contains(&arch));
        /// assert_eq!(NvvmArch::Compute120.sm(), "sm_120");
        /// # Ok::<(), cuda_builder::arch::UnknownArch>(())
        /// ```
        #[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
        #[non_exhaustive]
        #[allow(missing_docs)] // The names say it all: compute capability 7.5 and so on.
        pub enum NvvmArch { #[default] $($variant),+ }

        impl NvvmArch {
            /// Every architecture, oldest first.
            pub const ALL: &[NvvmArch] = &[$(NvvmArch::$variant),+];

            /// The digits of the name: `75` or `90a`.
            pub fn digits(self) -> &'static str {
                match self { $(NvvmArch::$variant => $digits),+ }
            }
        }
    };
}

// The oldest architecture that CUDA 13 supports is first, and the default.
archs! {
    Compute75 = "75", Compute80 = "80", Compute86 = "86", Compute87 = "87", Compute88 = "88", Compute89 = "89",
    Compute90 = "90", Compute90a = "90a",
    Compute100 = "100", Compute100f = "100f", Compute100a = "100a",
    Compute103 = "103", Compute103f = "103f", Compute103a = "103a",
    Compute110 = "110", Compute110f = "110f", Compute110a = "110a",
    Compute120 = "120", Compute120f = "120f", Compute120a = "120a",
    Compute121 = "121", Compute121f = "121f", Compute121a = "121a",
}

impl NvvmArch {
    /// The number in the name: 90 of `sm_90a`.
    ///
    /// ```
    /// assert_eq!(cuda_builder::NvvmArch::Compute90a.number(), 90);
    /// ```
    pub fn number(self) -> u32 {
        let number = self.digits().trim_end_matches(|letter: char| letter.is_ascii_alphabetic());
        number.parse().expect("names begin with a number")
    }

    /// The name that rustc, PTX and ptxas use: `sm_75`.
    pub fn sm(self) -> String {
        format!("sm_{}", self.digits())
    }
}

impl fmt::Display for NvvmArch {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "sm_{}", self.digits())
    }
}

/// A text that is not the name of an architecture.
///
/// ```
/// use cuda_builder::{NvvmArch, arch::UnknownArch};
///
/// assert_eq!("sm_52".parse::<NvvmArch>(), Err(UnknownArch("sm_52".to_owned())));
/// ```
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("`{0}` is not a GPU architecture known here; write it like sm_75 or sm_90a (known: {known})", known = known())]
pub struct UnknownArch(pub String);

fn known() -> String {
    NvvmArch::ALL.iter().map(|arch| arch.sm()).collect::<Vec<_>>().join(" ")
}

impl FromStr for NvvmArch {
    type Err = UnknownArch;

    /// Reads `sm_75`, `compute_75` or `75`.
    ///
    /// # Errors
    /// [`UnknownArch`] for any other text, and for chips that are not in [`NvvmArch::ALL`].
    fn from_str(text: &str) -> Result<Self, UnknownArch> {
        let digits = text.strip_prefix("sm_").or_else(|| text.strip_prefix("compute_")).unwrap_or(text);
        Self::ALL.iter().copied().find(|arch| arch.digits() == digits).ok_or_else(|| UnknownArch(text.to_owned()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_round_trip() {
        for &arch in NvvmArch::ALL {
            assert_eq!(arch.sm().parse(), Ok(arch));
            assert_eq!(format!("compute_{}", arch.digits()).parse(), Ok(arch));
        }
        assert_eq!(NvvmArch::default().sm(), "sm_75");
    }

    #[test]
    fn an_unknown_name_is_told_with_the_known_ones() {
        let message = "sm_52".parse::<NvvmArch>().unwrap_err().to_string();
        assert!(message.contains("`sm_52`") && message.contains("sm_75"), "{message}");
    }
}
