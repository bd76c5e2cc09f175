//! Images as a device loads them: the digests that the build wrote, and the machine code for a device.
//!
//! An [`Image`] is code, and safe code only gets one that a build made. The functions here find damage: nothing is passed to a driver
//! whose digest differs.

mod chip;
mod digest;
mod machine_code;

pub use chip::Chip;
pub use cuda_std::launch::Image;

use crate::{Context, CudaError};
use digest::{Header, text_digest};
use machine_code::{Code, Contents};

/// Compares everything in an image with the digests that the build wrote: each bit of the PTX, and of the machine code of all chips.
/// It needs no device. Loading does the same with the part that a device gets.
///
/// # Errors
/// [`CudaError::Damaged`] with the name of the file.
///
/// ```
/// use cuda_host::{Image, image};
///
/// // SAFETY: nothing is launched.
/// let image = unsafe { Image::from_files("kernels.sm_75.ptx", ".version 6.3\n.target sm_75\n", &[]) };
/// let error = image::check(&image).unwrap_err().to_string();
/// assert!(error.contains("`kernels.sm_75.ptx`") && error.contains("build it again"), "{error}");
/// ```
pub fn check(image: &Image<'_>) -> Result<(), CudaError> {
    check_ptx(image)?;
    let contents = contents(image)?;
    contents.codes.iter().try_for_each(|code| code.unpacked().map(drop)).map_err(|problem| of_code(image, problem))
}

/// The kinds of GPUs with machine code.
///
/// # Errors
/// [`CudaError::Damaged`] for a file that is damaged, or was made from other PTX.
///
/// ```
/// use cuda_host::{Image, image};
///
/// static PTX: &str = ".version 6.3\n.target sm_75\n.address_size 64\n";
/// // SAFETY: nothing is launched.
/// let alone = unsafe { Image::from_text("alone", PTX) };
/// assert!(image::chips(&alone)?.is_empty() && image::chip_for(&alone, (9, 0))?.is_none());
/// // SAFETY: nothing is launched.
/// let other = unsafe { Image::from_files("kernels.sm_75.ptx", PTX, b"something else") };
/// let error = image::chips(&other).unwrap_err().to_string();
/// assert!(error.contains("`kernels.sm_75.cubins`") && error.contains("build it again"), "{error}");
/// # Ok::<(), cuda_host::CudaError>(())
/// ```
pub fn chips(image: &Image<'_>) -> Result<Vec<Chip>, CudaError> {
    Ok(contents(image)?.codes.iter().map(|code| code.chip).collect())
}

/// The kind whose machine code a device of this compute capability gets; `None` if it gets the PTX.
///
/// # Errors
/// As [`chips`].
pub fn chip_for(image: &Image<'_>, compute_capability: (u32, u32)) -> Result<Option<Chip>, CudaError> {
    Ok(best(&contents(image)?.codes, compute_capability).map(|code| code.chip))
}

/// Compares the PTX with its digests. Text that no build here made has none.
pub(crate) fn check_ptx(image: &Image<'_>) -> Result<(), CudaError> {
    if !image.is_made() {
        return Ok(());
    }
    let damaged = |problem: &str| damaged(image.file(), problem.to_owned());
    let header =
        Header::read(image.ptx()).ok_or_else(|| damaged("it does not begin with the header of cuda_builder"))?;
    if text_digest(header.text) != header.digest {
        return Err(damaged("its text does not have the digest that its header names"));
    }
    // The last line, which files of earlier builds lack, is part of the text whose digest was right.
    match header.own_digest() {
        Some((written, found)) if written != found => {
            Err(damaged("its header does not have the digest below the text"))
        }
        _ => Ok(()),
    }
}

/// The machine code for a context's device, if any.
pub(crate) fn machine_code_for(image: &Image<'_>, context: &Context) -> Result<Option<(Chip, Vec<u8>)>, CudaError> {
    let Contents { package, codes } = contents(image)?;
    let compute_capability = context.compute_capability()?;
    let Some(code) = best(&codes, compute_capability) else {
        if !codes.is_empty() {
            let (major, minor) = compute_capability;
            tracing::info!("{package} has no machine code for compute capability {major}.{minor}: the driver compiles");
        }
        return Ok(None);
    };
    Ok(Some((code.chip, code.unpacked().map_err(|problem| of_code(image, problem))?)))
}

/// The file of machine code, whose header was checked.
fn contents<'a>(image: &Image<'a>) -> Result<Contents<'a>, CudaError> {
    let digest = Header::read(image.ptx()).map(|header| header.digest);
    Contents::read(image.machine_code(), digest).map_err(|problem| of_code(image, problem))
}

/// The most specific of those that run on a device.
fn best<'c, 'a>(codes: &'c [Code<'a>], compute_capability: (u32, u32)) -> Option<&'c Code<'a>> {
    codes.iter().filter(|code| code.chip.runs_on(compute_capability)).max_by_key(|code| code.chip)
}

fn damaged(file: &str, problem: String) -> CudaError {
    CudaError::Damaged { file: file.to_owned(), problem }
}

/// A problem of the file of machine code, which is beside that of the PTX.
fn of_code(image: &Image<'_>, problem: String) -> CudaError {
    let stem = image.file().strip_suffix(".ptx").unwrap_or(image.file());
    damaged(&format!("{stem}.cubins"), problem)
}

#[cfg(test)]
mod tests;
