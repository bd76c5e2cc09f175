//! Machine code beside PTX, so that a driver need not compile it: one small file for several chips, made by NVIDIA's
//! assembler without a GPU, and valid only for the PTX that it was made from.
//!
//! The file begins with lines of text: the package, the digest of the PTX's text, the assembler, for each chip the compressed and
//! decompressed size of its code and the digests of both forms, and the digest of these lines. After an empty line, the code of each
//! chip follows, compressed (zstd, with a checksum). `cuda_host` reads the file, and compares the digests of what it loads.

use std::fs;
use std::io;
use std::num::NonZero;
use std::path::{Path, PathBuf};
use std::thread;

use crate::arch::NvvmArch;
use crate::file::{FileError, read_text};
use crate::inputs::digest::{code_digest, text_digest};
use crate::ptx::header::{Header, HeaderError};
use crate::ptxas::{Ptxas, PtxasError};

/// The first line; its number changes with the format.
const TITLE: &str = "machine code made by cuda_builder, format 1";
/// The last line of the header: its digest.
const HEADER: &str = "header: ";
/// The best compression: the file is compressed once, and stored in every copy of a repository.
const LEVEL: i32 = 19;

/// Machine code of one PTX file.
///
/// ```
/// use cuda_builder::machine_code::{MachineCode, beside};
/// use cuda_builder::NvvmArch;
///
/// assert!(beside("ptx/kernels.sm_75.ptx".as_ref()).ends_with("kernels.sm_75.cubins"));
/// let mut code = MachineCode::none("kernels", "sha256:00");
/// code.add(NvvmArch::Compute90, b"\x7fELF and so on")?;
/// let read = MachineCode::read(&code.to_bytes()).expect("what was written");
/// assert_eq!(read, code);
/// assert_eq!(read.chips().collect::<Vec<_>>(), [NvvmArch::Compute90]);
/// # Ok::<(), std::io::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MachineCode {
    package: String,
    /// The digest of the PTX's text.
    ptx: String,
    /// The assembler; `None` if there is no code.
    assembler: Option<String>,
    codes: Vec<Code>,
}

/// The code of one chip.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Code {
    chip: NvvmArch,
    packed: Vec<u8>,
    bytes: usize,
    digest: String,
}

/// The result of [`make`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Made {
    /// The file already matched this PTX, these chips and this assembler.
    UpToDate,
    /// It was written; its size in bytes.
    Written(usize),
    /// There is no assembler: the file now records that there is no machine code for this PTX.
    Emptied,
}

/// The extent of a [`check`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum CheckedCode {
    /// The assembler made the same bytes again, for all chips that were to be compared.
    SameBytes,
    /// It matches this PTX and is intact; the assembler that made it is not installed.
    SameDigests {
        /// The assembler.
        made_by: String,
    },
}

/// Why machine code cannot be made, or is wrong.
///
/// ```
/// use cuda_builder::machine_code::{MachineCodeError, check};
/// use cuda_builder::NvvmArch;
///
/// let chips = [NvvmArch::Compute90];
/// let error = check("no/such.ptx".as_ref(), None, &chips, &chips).unwrap_err();
/// assert!(matches!(error, MachineCodeError::File(_)));
/// ```
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum MachineCodeError {
    /// A file cannot be read, written or run.
    #[error(transparent)]
    File(#[from] FileError),
    /// The PTX was not made by this package, or was changed.
    #[error("{} is not usable, build it again", path.display())]
    Header {
        /// The PTX.
        path: PathBuf,
        /// The problem.
        source: HeaderError,
    },
    /// The assembler fails.
    #[error(transparent)]
    Assembler(#[from] PtxasError),
    /// The file has another format, or is damaged.
    #[error("{} is not a machine code file, or is damaged; make it again", .0.display())]
    Damaged(PathBuf),
    /// It was made from other PTX.
    #[error(
        "{} is out of date: it was made from PTX {recorded}, the PTX is {now}; make it again with the assembler",
        path.display()
    )]
    OutOfDate {
        /// The file.
        path: PathBuf,
        /// The digest in it.
        recorded: String,
        /// The digest of the PTX.
        now: String,
    },
    /// Its chips differ from the requested ones.
    #[error("{} has machine code for {found}, not for {wanted}; make it again with the assembler", path.display())]
    OtherChips {
        /// The file.
        path: PathBuf,
        /// The chips that it has.
        found: String,
        /// The requested chips.
        wanted: String,
    },
    /// The same assembler gives other bytes.
    #[error("{}: {assembler} makes other code for {chip} from the same PTX", path.display())]
    OtherBytes {
        /// The file.
        path: PathBuf,
        /// The assembler.
        assembler: String,
        /// The chip.
        chip: NvvmArch,
    },
}

/// The file of machine code beside a PTX file.
pub fn beside(ptx: &Path) -> PathBuf {
    ptx.with_extension("cubins")
}

/// Makes the machine code beside a PTX file for some chips. Without an assembler, code of this PTX is kept, and code of
/// other PTX is removed, since no driver would load it.
///
/// # Errors
/// If files cannot be read or written, or the assembler fails.
pub fn make(ptx: &Path, ptxas: Option<&Ptxas>, chips: &[NvvmArch]) -> Result<Made, MachineCodeError> {
    let (package, digest) = name_and_digest(ptx)?;
    let path = beside(ptx);
    let old = fs::read(&path).ok().and_then(|bytes| MachineCode::read(&bytes)).filter(|old| old.ptx == digest);
    let new = match (ptxas, old) {
        (None, Some(_)) => return Ok(Made::UpToDate),
        (None, None) => MachineCode::none(&package, &digest),
        (Some(ptxas), Some(old)) if old.is_by(ptxas) && old.chips().eq(chips.iter().copied()) => {
            return Ok(Made::UpToDate);
        }
        (Some(ptxas), _) => {
            let mut new = MachineCode::none(&package, &digest);
            new.assembler = Some(ptxas.to_string());
            for (&chip, code) in chips.iter().zip(assembled(ptx, ptxas, chips)?) {
                new.add(chip, &code).map_err(FileError::write(&path))?;
            }
            new
        }
    };
    let bytes = new.to_bytes();
    fs::write(&path, &bytes).map_err(FileError::write(&path))?;
    Ok(if ptxas.is_some() { Made::Written(bytes.len()) } else { Made::Emptied })
}

/// Checks that the file beside a PTX file is what [`make`] would write for some chips, without writing. The bytes of the chips
/// `compared` are assembled again.
///
/// # Errors
/// If it is missing, damaged, for other PTX or chips, or has other bytes.
pub fn check(
    ptx: &Path,
    ptxas: Option<&Ptxas>,
    chips: &[NvvmArch],
    compared: &[NvvmArch],
) -> Result<CheckedCode, MachineCodeError> {
    let (_, now) = name_and_digest(ptx)?;
    let path = beside(ptx);
    let bytes = fs::read(&path).map_err(FileError::read(&path))?;
    let file = MachineCode::read(&bytes).ok_or_else(|| MachineCodeError::Damaged(path.clone()))?;
    if file.ptx != now {
        return Err(MachineCodeError::OutOfDate { path, recorded: file.ptx, now });
    }
    if !file.chips().eq(chips.iter().copied()) {
        let (found, wanted) = (list(file.chips()), list(chips.iter().copied()));
        return Err(MachineCodeError::OtherChips { path, found, wanted });
    }
    for code in &file.codes {
        let unpacked = zstd::bulk::decompress(&code.packed, code.bytes);
        if !unpacked.is_ok_and(|unpacked| code_digest(&unpacked) == code.digest) {
            return Err(MachineCodeError::Damaged(path));
        }
    }
    let Some(ptxas) = ptxas.filter(|ptxas| file.is_by(ptxas)) else {
        return Ok(CheckedCode::SameDigests { made_by: file.assembler.unwrap_or_default() });
    };
    let codes: Vec<&Code> = file.codes.iter().filter(|code| compared.contains(&code.chip)).collect();
    let chips: Vec<NvvmArch> = codes.iter().map(|code| code.chip).collect();
    for (code, now) in codes.into_iter().zip(assembled(ptx, ptxas, &chips)?) {
        if code_digest(&now) != code.digest {
            return Err(MachineCodeError::OtherBytes { path, assembler: ptxas.to_string(), chip: code.chip });
        }
    }
    Ok(CheckedCode::SameBytes)
}

fn name_and_digest(ptx: &Path) -> Result<(String, String), MachineCodeError> {
    let text = read_text(ptx)?;
    let (header, _) =
        Header::read(&text).map_err(|source| MachineCodeError::Header { path: ptx.to_owned(), source })?;
    Ok((header.package, header.body))
}

/// Assembles the code for each chip, on as many threads as there are cores.
fn assembled(ptx: &Path, ptxas: &Ptxas, chips: &[NvvmArch]) -> Result<Vec<Vec<u8>>, PtxasError> {
    let cores = thread::available_parallelism().map_or(1, NonZero::get);
    let mut codes = Vec::with_capacity(chips.len());
    for some in chips.chunks(cores) {
        let assembled: Vec<_> = thread::scope(|scope| {
            let threads: Vec<_> = some.iter().map(|&chip| scope.spawn(move || ptxas.machine_code(ptx, chip))).collect();
            let joined = threads.into_iter().map(|thread| thread.join());
            joined.map(|code| code.unwrap_or_else(|panic| std::panic::resume_unwind(panic))).collect()
        });
        for code in assembled {
            codes.push(code?);
        }
    }
    Ok(codes)
}

impl MachineCode {
    /// A file for PTX with this package and digest, without code yet.
    pub fn none(package: &str, ptx: &str) -> Self {
        Self { package: package.to_owned(), ptx: ptx.to_owned(), assembler: None, codes: Vec::new() }
    }

    /// Adds the code for a chip.
    ///
    /// # Errors
    /// If it cannot be compressed.
    pub fn add(&mut self, chip: NvvmArch, code: &[u8]) -> io::Result<()> {
        let mut compressor = zstd::bulk::Compressor::new(LEVEL)?;
        compressor.include_checksum(true)?;
        let packed = compressor.compress(code)?;
        self.codes.push(Code { chip, packed, bytes: code.len(), digest: code_digest(code) });
        Ok(())
    }

    /// The chips with code.
    pub fn chips(&self) -> impl Iterator<Item = NvvmArch> + '_ {
        self.codes.iter().map(|code| code.chip)
    }

    fn is_by(&self, ptxas: &Ptxas) -> bool {
        self.assembler.as_ref().is_some_and(|assembler| *assembler == ptxas.to_string())
    }

    /// The file's bytes.
    pub fn to_bytes(&self) -> Vec<u8> {
        let Self { package, ptx, assembler, codes } = self;
        let assembler = assembler.as_deref().unwrap_or("none");
        let mut header = format!("{TITLE}\npackage: {package}\nptx: {ptx}\nassembler: {assembler}\n");
        for Code { chip, packed, bytes, digest } in codes {
            header.push_str(&format!("chip: {chip} {} {bytes} {digest} {}\n", packed.len(), code_digest(packed)));
        }
        let digest = text_digest(&header);
        let mut file = format!("{header}{HEADER}{digest}\n\n").into_bytes();
        codes.iter().for_each(|code| file.extend_from_slice(&code.packed));
        file
    }

    /// Reads a file; `None` if it has another format or is damaged.
    pub fn read(file: &[u8]) -> Option<Self> {
        let end = file.windows(2).position(|two| two == b"\n\n")?;
        let (mut header, mut rest) = (std::str::from_utf8(&file[..end]).ok()?, &file[end + 2..]);
        // Files of earlier builds have no digest of the header.
        if let Some(at) = header.find(&format!("\n{HEADER}")) {
            let (before, digest) = header.split_at(at + 1);
            if text_digest(before) != digest[HEADER.len()..] {
                return None;
            }
            header = before;
        }
        let mut lines = header.lines();
        let mut value = |name: &str| lines.next()?.strip_prefix(name);
        value(TITLE).filter(|rest| rest.is_empty())?;
        let mut read = Self::none(value("package: ")?, value("ptx: ")?);
        read.assembler = Some(value("assembler: ")?.to_owned()).filter(|name| name != "none");
        for line in lines {
            let words: Vec<&str> = line.strip_prefix("chip: ")?.split(' ').collect();
            let (&[chip, packed, bytes, digest], of_packed) = words.split_first_chunk()?;
            let (code, others) = rest.split_at_checked(packed.parse().ok()?)?;
            if !matches!(of_packed, [] | [_]) || of_packed.iter().any(|digest| *digest != code_digest(code)) {
                return None;
            }
            let (chip, bytes, digest) = (chip.parse().ok()?, bytes.parse().ok()?, digest.to_owned());
            read.codes.push(Code { chip, packed: code.to_vec(), bytes, digest });
            rest = others;
        }
        rest.is_empty().then_some(read)
    }
}

fn list(chips: impl Iterator<Item = NvvmArch>) -> String {
    let names: Vec<String> = chips.map(NvvmArch::sm).collect();
    if names.is_empty() { "no chip".to_owned() } else { names.join(", ") }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ptx_of(folder: &Path, body: &str) -> PathBuf {
        let header = Header {
            package: "kernels".to_owned(),
            target: "nvptx64-nvidia-cuda sm_75".to_owned(),
            compiler: "rustc".to_owned(),
            llvm: "22".to_owned(),
            inputs: "sha256:00".to_owned(),
            body: String::new(),
            entries: vec!["a".to_owned()],
        };
        let path = folder.join("kernels.sm_75.ptx");
        fs::write(&path, header.stamp(body)).unwrap();
        path
    }

    const CHIPS: [NvvmArch; 2] = [NvvmArch::Compute80, NvvmArch::Compute90];

    /// The result of [`make`] with an assembler.
    fn code_of(ptx: &Path) -> MachineCode {
        let (package, digest) = name_and_digest(ptx).unwrap();
        let mut code = MachineCode::none(&package, &digest);
        code.assembler = Some("ptxas 1.2.3".to_owned());
        for chip in CHIPS {
            code.add(chip, format!("\x7fELF {chip}").as_bytes()).unwrap();
        }
        code
    }

    #[test]
    fn what_is_written_reads_back_and_a_part_of_it_does_not() {
        let folder = tempfile::tempdir().unwrap();
        let code = code_of(&ptx_of(folder.path(), ".version 6.3\n"));
        let bytes = code.to_bytes();
        assert_eq!(MachineCode::read(&bytes), Some(code));
        for end in 0..bytes.len() {
            assert_eq!(MachineCode::read(&bytes[..end]), None, "{end} bytes");
        }
        assert_eq!(MachineCode::read(&[&bytes[..], b"x"].concat()), None);
    }

    #[test]
    fn code_of_other_ptx_is_refused_and_without_an_assembler_taken_out() {
        let folder = tempfile::tempdir().unwrap();
        let ptx = ptx_of(folder.path(), ".version 6.3\n");
        fs::write(beside(&ptx), code_of(&ptx).to_bytes()).unwrap();
        assert_eq!(
            check(&ptx, None, &CHIPS, &CHIPS).unwrap(),
            CheckedCode::SameDigests { made_by: "ptxas 1.2.3".to_owned() }
        );
        assert_eq!(make(&ptx, None, &CHIPS).unwrap(), Made::UpToDate);

        let ptx = ptx_of(folder.path(), ".version 6.4\n");
        let error = check(&ptx, None, &CHIPS, &CHIPS).unwrap_err().to_string();
        assert!(error.contains("out of date") && error.contains("with the assembler"), "{error}");
        assert_eq!(make(&ptx, None, &CHIPS).unwrap(), Made::Emptied);
        let empty = MachineCode::read(&fs::read(beside(&ptx)).unwrap()).unwrap();
        assert_eq!((empty.chips().count(), empty.ptx), (0, name_and_digest(&ptx).unwrap().1));
        // Nothing wrong would be loaded, but the code is missing.
        let error = check(&ptx, None, &CHIPS, &CHIPS).unwrap_err().to_string();
        assert!(error.contains("no chip") && error.contains("sm_80, sm_90"), "{error}");
    }

    #[test]
    fn a_changed_bit_is_noticed() {
        let folder = tempfile::tempdir().unwrap();
        let ptx = ptx_of(folder.path(), ".version 6.3\n");
        let bytes = code_of(&ptx).to_bytes();
        for bit in 0..8 * bytes.len() {
            let mut changed = bytes.clone();
            changed[bit / 8] ^= 1 << (bit % 8);
            fs::write(beside(&ptx), changed).unwrap();
            assert!(matches!(check(&ptx, None, &CHIPS, &CHIPS), Err(MachineCodeError::Damaged(_))), "bit {bit}");
        }
    }
}
