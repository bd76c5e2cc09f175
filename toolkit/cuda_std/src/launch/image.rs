//! The kernels of a crate in the form for devices: what its build made.

/// PTX, and machine code made from it for some kinds of GPUs.
///
/// An image is code that a device runs, as trusted as a library that a program is linked with. So safe code only gets images that a
/// build made: [`built_image!`](macro@crate::built_image) has what the crate's build script compiled. Every other way is an unsafe
/// function, whose caller says where the code comes from.
///
/// Whoever loads an image compares it with the digests that the build wrote into it, so that one that is damaged is an error.
///
/// ```compile_fail,E0133
/// let image = cuda_std::launch::Image::from_text("mine", ".version 6.3\n.target sm_75\n");
/// ```
/// ```compile_fail,E0451
/// use cuda_std::launch::Image;
/// fn altered(image: Image<'static>) -> Image<'static> {
///     Image { ptx: ".version 6.3\n", ..image }
/// }
/// ```
#[derive(Clone, Copy)]
pub struct Image<'a> {
    file: &'a str,
    ptx: &'a str,
    machine_code: &'a [u8],
    is_made: bool,
}

impl<'a> Image<'a> {
    /// Files that `cuda_builder` made, for example by `cargo kernel build`: PTX, and the machine code beside it, which may be empty.
    /// `file` is the name of the PTX file, for messages.
    ///
    /// The files carry their digests, which are compared when a device loads them. The digests find damage, and machine code of
    /// other PTX. They do not show who made the files.
    ///
    /// # Safety
    /// `cuda_builder` made the files from the sources of the kernels that are launched with them. (`cargo kernel check` compares the
    /// bytes with a new build.)
    #[must_use]
    pub const unsafe fn from_files(file: &'a str, ptx: &'a str, machine_code: &'a [u8]) -> Self {
        Self { file, ptx, machine_code, is_made: true }
    }

    /// Any other PTX, which nothing is compared with. `name` is for messages.
    ///
    /// # Safety
    /// A kernel of this text that is launched by its description here does what the kernel here does: it accesses the memory of its
    /// arguments as its signature says, and no other, and its threads do not race. A kernel that is launched as a raw one does what
    /// the launch's caller claims.
    #[must_use]
    pub const unsafe fn from_text(name: &'a str, ptx: &'a str) -> Self {
        Self { file: name, ptx, machine_code: &[], is_made: false }
    }

    /// What a build script wrote: PTX, or why there is none.
    ///
    /// # Safety
    /// As for [`from_files`](Self::from_files).
    #[doc(hidden)]
    pub const unsafe fn from_build_script(ptx: &'a str, why_none: &'a str) -> Result<Self, &'a str> {
        // SAFETY: the caller's.
        if ptx.is_empty() { Err(why_none) } else { Ok(unsafe { Self::from_files("kernels.ptx", ptx, &[]) }) }
    }

    /// The name of the PTX file, or of the text.
    #[must_use]
    pub const fn file(&self) -> &'a str {
        self.file
    }

    /// The PTX.
    #[must_use]
    pub const fn ptx(&self) -> &'a str {
        self.ptx
    }

    /// The file of machine code; empty if there is none.
    #[must_use]
    pub const fn machine_code(&self) -> &'a [u8] {
        self.machine_code
    }

    /// Whether `cuda_builder` made it, so that it carries its digests.
    #[must_use]
    pub const fn is_made(&self) -> bool {
        self.is_made
    }

    /// Whether a device of this compute capability can compile the PTX: one of its target or newer. PTX with features of one chip
    /// (`sm_90a`) runs on no other one, and PTX with features of a family (`sm_100f`) on no other major number. PTX without a target
    /// runs nowhere.
    ///
    /// A program that has PTX for several kinds of chips loads the last one that runs:
    ///
    /// ```
    /// # use cuda_std::launch::Image;
    /// # let texts = ["sm_75", "sm_90", "sm_90a"].map(|target| format!(".version 8.0\n.target {target}\n"));
    /// # // SAFETY: nothing is launched.
    /// # let images = texts.each_ref().map(|ptx| unsafe { Image::from_text("", ptx) });
    /// let best = |chip| images.iter().rposition(|image| image.runs_on(chip));
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
}

impl std::fmt::Debug for Image<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let (ptx, machine_code) = (self.ptx.len(), self.machine_code.len());
        f.debug_struct("Image")
            .field("file", &self.file)
            .field("ptx_bytes", &ptx)
            .field("machine_code_bytes", &machine_code)
            .finish()
    }
}

/// The kernels that the crate's build script compiled for devices by `CudaBuilder::build_for_include`: a `Result<Image, &str>`, whose
/// error says why they could not be built.
///
/// ```ignore
/// #[cfg(not(target_arch = "nvptx64"))]
/// pub const IMAGE: Result<cuda_std::launch::Image<'_>, &str> = cuda_std::built_image!();
/// ```
///
/// It takes no argument: what it contains was written by the build script into `OUT_DIR`, where no source of the crate reaches. A
/// build script is a program of its own, which could as well link foreign machine code; it is what this trusts.
#[macro_export]
macro_rules! built_image {
    () => {{
        // An error of the kernels' build stops this one.
        const _: () = $crate::__private::include!($crate::__private::concat!(
            $crate::__private::env!("OUT_DIR"),
            "/kernels_errors.rs"
        ));
        // By paths of this crate and without an identifier of the caller's, so that no item there can be meant instead.
        // SAFETY: the build script has just compiled this crate's kernels.
        unsafe {
            $crate::launch::Image::from_build_script(
                $crate::__private::include_str!($crate::__private::concat!(
                    $crate::__private::env!("OUT_DIR"),
                    "/kernels.ptx"
                )),
                $crate::__private::include_str!($crate::__private::concat!(
                    $crate::__private::env!("OUT_DIR"),
                    "/kernels_none.txt"
                )),
            )
        }
    }};
}

#[cfg(test)]
mod tests {
    use super::Image;

    #[test]
    fn ptx_runs_on_its_target_and_newer_chips_unless_it_has_features_of_one() {
        let runs = |target: &str, device| {
            let text = format!(".target {target}, texmode_independent\n");
            // SAFETY: nothing is loaded.
            unsafe { Image::from_text("", &text) }.runs_on(device)
        };
        assert!(runs("sm_100f", (10, 3)) && !runs("sm_100f", (12, 0)) && !runs("sm_103f", (10, 0)));
        assert!(runs("sm_120a", (12, 0)) && !runs("sm_120a", (12, 1)));
        assert!(runs("sm_75", (12, 1)) && !runs("sm_80", (7, 5)) && !runs("sm_x", (9, 0)));
        // SAFETY: nothing is loaded.
        assert!(!unsafe { Image::from_text("", "not PTX") }.runs_on((9, 0)));
    }
}
