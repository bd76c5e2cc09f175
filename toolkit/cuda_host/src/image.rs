//! The source of a module: PTX, and machine code that was made from it.

use crate::{Context, CudaError};
use std::fmt;

/// The first line of a file of machine code, which `cuda_builder::machine_code` writes.
const TITLE: &str = "machine code made by cuda_builder, format 1";

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

    fn parse(text: &str) -> Option<Self> {
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

/// PTX with machine code for some kinds of GPUs, which loads in milliseconds. Other devices get the PTX, which their driver
/// compiles.
///
/// `cuda_builder::machine_code` makes the file of machine code. It contains the digest in the header of its PTX; an image
/// with other PTX is refused. PTX alone is an image, too.
///
/// ```
/// use cuda_host::Image;
///
/// static PTX: &str = ".version 6.3\n.target sm_75\n.address_size 64\n";
/// let image = Image::from(PTX);
/// assert!(image.chips()?.is_empty() && image.chip_for((9, 0))?.is_none());
/// // let image = Image::new(PTX, include_bytes!("kernels.sm_75.cubins"));
/// let error = Image::new(PTX, b"something else").chips().unwrap_err();
/// assert!(error.to_string().contains("make it again"), "{error}");
/// # Ok::<(), cuda_host::CudaError>(())
/// ```
#[derive(Clone, Copy)]
pub struct Image<'a> {
    ptx: &'a str,
    machine_code: &'a [u8],
}

/// The content of a machine code file.
struct Contents<'a> {
    package: &'a str,
    codes: Vec<(Chip, &'a [u8], usize)>,
}

impl<'a> Image<'a> {
    /// PTX with a machine code file, which may be empty. Nothing is checked yet.
    #[must_use]
    pub const fn new(ptx: &'a str, machine_code: &'a [u8]) -> Self {
        Self { ptx, machine_code }
    }

    /// The PTX.
    #[must_use]
    pub fn ptx(&self) -> &'a str {
        self.ptx
    }

    /// Whether a device of this compute capability can compile the PTX: one of its target or newer. PTX with features of one chip
    /// (`sm_90a`) runs on no other one, and PTX with features of a family (`sm_100f`) on no other major number. PTX without a target
    /// runs nowhere.
    ///
    /// A program that has PTX for several kinds of chips loads the last one that runs:
    ///
    /// ```
    /// # use cuda_host::Image;
    /// let images = ["sm_75", "sm_90", "sm_90a"].map(|target| format!(".version 8.0\n.target {target}\n"));
    /// let best = |chip| images.iter().rposition(|ptx| Image::from(ptx).runs_on(chip));
    /// assert_eq!([(7, 0), (8, 6), (9, 0), (10, 0)].map(best), [None, Some(0), Some(2), Some(1)]);
    /// ```
    #[must_use]
    pub fn runs_on(&self, compute_capability: (u32, u32)) -> bool {
        let Some(target) = self.ptx.lines().find_map(|line| line.strip_prefix(".target sm_")) else { return false };
        let digits = target.bytes().take_while(u8::is_ascii_digit).count();
        let Ok(number) = target[..digits].parse::<u32>() else { return false };
        let oldest = (number / 10, number % 10);
        match target[digits..].bytes().next() {
            Some(b'a') => compute_capability == oldest,
            Some(b'f') => compute_capability.0 == oldest.0 && compute_capability >= oldest,
            _ => compute_capability >= oldest,
        }
    }

    /// The kinds of GPUs with machine code.
    ///
    /// # Errors
    /// [`CudaError::MachineCode`] for a file that is damaged, or was made from other PTX.
    pub fn chips(&self) -> Result<Vec<Chip>, CudaError> {
        let contents = self.read().map_err(|problem| unusable("", problem))?;
        Ok(contents.codes.iter().map(|(chip, ..)| *chip).collect())
    }

    /// The kind whose machine code a device of this compute capability gets; `None` if it gets the PTX.
    ///
    /// # Errors
    /// As [`chips`](Self::chips).
    pub fn chip_for(&self, compute_capability: (u32, u32)) -> Result<Option<Chip>, CudaError> {
        Ok(best(self.chips()?, compute_capability))
    }

    /// The machine code for a context's device, if any.
    pub(crate) fn machine_code_for(
        &self,
        module: &str,
        context: &Context,
    ) -> Result<Option<(Chip, Vec<u8>)>, CudaError> {
        let Contents { package, codes } = self.read().map_err(|problem| unusable(module, problem))?;
        let compute_capability = context.compute_capability()?;
        let Some(chip) = best(codes.iter().map(|(chip, ..)| *chip), compute_capability) else {
            if !codes.is_empty() {
                let (major, minor) = compute_capability;
                tracing::info!(
                    "{package} has no machine code for compute capability {major}.{minor}: the driver compiles"
                );
            }
            return Ok(None);
        };
        let (_, packed, bytes) = codes.iter().find(|(one, ..)| *one == chip).expect("it was chosen from these");
        let code = zstd::bulk::decompress(packed, *bytes)
            .map_err(|error| unusable(module, format!("that for {chip} cannot be unpacked: {error}")))?;
        if code.len() != *bytes || !code.starts_with(b"\x7fELF") {
            return Err(unusable(module, format!("that for {chip} does not have {bytes} bytes of machine code")));
        }
        Ok(Some((chip, code)))
    }

    fn read(&self) -> Result<Contents<'a>, String> {
        if self.machine_code.is_empty() {
            return Ok(Contents { package: "", codes: Vec::new() });
        }
        let damaged = || "its file is not a machine code file, or is cut short".to_owned();
        let end = self.machine_code.windows(2).position(|two| two == b"\n\n").ok_or_else(damaged)?;
        let (header, mut rest) = (&self.machine_code[..end], &self.machine_code[end + 2..]);
        let mut lines = std::str::from_utf8(header).map_err(|_| damaged())?.lines();
        if lines.next() != Some(TITLE) {
            return Err(damaged());
        }
        let (mut package, mut made_from, mut codes) = ("", None, Vec::new());
        for line in lines {
            match line.split_once(": ").ok_or_else(damaged)? {
                ("package", name) => package = name,
                ("ptx", digest) => made_from = Some(digest),
                ("chip", of_chip) => {
                    let mut words = of_chip.split(' ');
                    let mut word = || words.next().ok_or_else(damaged);
                    let chip = Chip::parse(word()?).ok_or_else(damaged)?;
                    let mut size = || word()?.parse::<usize>().map_err(|_| damaged());
                    let (packed, bytes) = (size()?, size()?);
                    let (code, others) = rest.split_at_checked(packed).ok_or_else(damaged)?;
                    codes.push((chip, code, bytes));
                    rest = others;
                }
                // Lines for tools that check the file (the assembler), and future ones.
                _ => {}
            }
        }
        if !rest.is_empty() {
            return Err(damaged());
        }
        let made_from = made_from.ok_or_else(damaged)?;
        match digest_of(self.ptx) {
            Some(digest) if digest == made_from => Ok(Contents { package, codes }),
            Some(digest) => Err(format!("it was made from other PTX ({made_from}; the PTX is {digest})")),
            None => Err(format!("it was made from other PTX ({made_from}; the PTX has no digest in its header)")),
        }
    }
}

/// The most specific of those that run on a device.
fn best(chips: impl IntoIterator<Item = Chip>, compute_capability: (u32, u32)) -> Option<Chip> {
    chips.into_iter().filter(|chip| chip.runs_on(compute_capability)).max()
}

/// The digest of the PTX's text, from its header.
fn digest_of(ptx: &str) -> Option<&str> {
    ptx.lines().take_while(|line| line.starts_with("//")).find_map(|line| line.strip_prefix("// body: "))
}

fn unusable(module: &str, problem: String) -> CudaError {
    CudaError::MachineCode { module: module.to_owned(), problem }
}

impl fmt::Debug for Image<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (ptx, machine_code) = (self.ptx.len(), self.machine_code.len());
        f.debug_struct("Image").field("ptx_bytes", &ptx).field("machine_code_bytes", &machine_code).finish()
    }
}

impl<'a> From<&'a str> for Image<'a> {
    fn from(ptx: &'a str) -> Self {
        Self::new(ptx, &[])
    }
}

impl<'a> From<&'a String> for Image<'a> {
    fn from(ptx: &'a String) -> Self {
        Self::new(ptx, &[])
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const PTX: &str = "// PTX\n// body: sha256:aa\n//\n.version 6.3\n";

    fn file(ptx: &str, chips: &[(&str, usize)]) -> Vec<u8> {
        let lines: String = chips.iter().map(|(chip, bytes)| format!("chip: {chip} {bytes} 9 sha256:00\n")).collect();
        let header = format!("{TITLE}\npackage: k\nptx: {ptx}\nassembler: ptxas 1.2.3\n{lines}\n");
        let code = vec![7; chips.iter().map(|(_, bytes)| bytes).sum()];
        [header.into_bytes(), code].concat()
    }

    fn chosen(chips: &[(&str, usize)], compute_capability: (u32, u32)) -> Option<String> {
        let file = file("sha256:aa", chips);
        Image::new(PTX, &file).chip_for(compute_capability).unwrap().map(|chip| chip.to_string())
    }

    #[test]
    fn code_with_the_features_of_hopper_is_for_its_chip() {
        let file = file("sha256:aa", &[("sm_90a", 1)]);
        let image = Image::new(PTX, &file);
        assert_eq!(image.chips().unwrap(), [Chip { major: 9, minor: 0 }]);
        let runs = |target: &str, device| {
            Image::from(format!(".target {target}, texmode_independent\n").as_str()).runs_on(device)
        };
        assert!(runs("sm_100f", (10, 3)) && !runs("sm_100f", (12, 0)) && !runs("sm_103f", (10, 0)));
        assert!(
            runs("sm_120a", (12, 0)) && !runs("sm_120a", (12, 1)) && runs("sm_75", (12, 1)) && !runs("sm_80", (7, 5))
        );
        assert!(!Image::from("not PTX").runs_on((9, 0)) && !runs("sm_x", (9, 0)));
    }

    #[test]
    fn a_device_gets_the_nearest_of_its_own_generation() {
        let chips = [("sm_80", 3), ("sm_86", 2), ("sm_90", 1), ("sm_100", 4), ("sm_120", 1)];
        let cases = [
            ((8, 0), Some("sm_80")),
            ((8, 6), Some("sm_86")),
            ((8, 9), Some("sm_86")),
            ((9, 0), Some("sm_90")),
            ((10, 3), Some("sm_100")),
            ((12, 1), Some("sm_120")),
            // Older than all, and newer.
            ((7, 5), None),
            ((11, 0), None),
            ((13, 0), None),
        ];
        for (compute_capability, expected) in cases {
            assert_eq!(chosen(&chips, compute_capability).as_deref(), expected, "{compute_capability:?}");
        }
        assert_eq!(chosen(&[], (9, 0)), None);
    }

    #[test]
    fn machine_code_of_other_ptx_is_an_error_that_says_what_to_do() {
        let file = file("sha256:bb", &[("sm_90", 1)]);
        for (ptx, found) in [(PTX, "the PTX is sha256:aa"), (".version 6.3\n", "has no digest")] {
            let error = Image::new(ptx, &file).chip_for((9, 0)).unwrap_err();
            let text = error.to_string();
            assert!(text.contains("made from other PTX (sha256:bb") && text.contains(found), "{text}");
            assert!(text.contains("make it again from its PTX (`build-ptx`"), "{text}");
            assert!(!error.is_unavailable(), "it must not pass for a machine without a GPU");
        }
    }

    #[test]
    fn a_file_that_is_cut_or_too_long_is_refused() {
        let whole = file("sha256:aa", &[("sm_80", 30), ("sm_90", 40)]);
        assert!(Image::new(PTX, &whole).chips().is_ok());
        for end in 1..whole.len() {
            assert!(Image::new(PTX, &whole[..end]).chips().is_err(), "{end} of {} bytes", whole.len());
        }
        assert!(Image::new(PTX, &[&whole[..], b"x"].concat()).chips().is_err());
        assert!(Image::new(PTX, b"\n\n").chips().is_err());
    }
}
