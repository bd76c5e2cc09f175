//! Reading speed of one core: `cargo bench -p prism-read --bench reading`.
//!
//! Measures text in memory to a `StructureInput`, with all checks, in bytes of text per second; gzip in decompressed bytes
//! per second; and whole files, opened and read, in structures per second. `PRISM_CORPUS` adds larger entries in both
//! formats.

#[path = "../../benches/rate/mod.rs"]
mod rate;

use flate2::read::MultiGzDecoder;
use prism_read::{ReadOptions, read_bytes, read_path};
use std::io::Read;
use std::path::{Path, PathBuf};

/// Files of the repository, relative to its root.
const FILES: [&str; 6] = [
    "data/6m0j_rbd.pdb",
    "host/tests/data/1ubq.pdb",
    "../tests/data/1jcd.pdb.gz",
    "host/tests/data/1crn.cif",
    "../tests/data/1aki.cif.gz",
    "../tests/data/4zhl.cif.gz",
];
/// Files of the corpus' `dev/`: a virus capsid, an ensemble, and output of different programs.
const CORPUS: [&str; 9] = [
    "2btv.pdb.gz",
    "3nig.pdb.gz",
    "af-p04637-f1.pdb.gz",
    "3nig.cif.gz",
    "4hhb.cif.gz",
    "7cth.cif.gz",
    "1d3z.cif.gz",
    "af-q57552-f1-model_v4.cif.gz",
    "boltz2_olanzapine_p28335.cif.gz",
];

fn files() -> Vec<PathBuf> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let corpus = std::env::var_os("PRISM_CORPUS").map(|corpus| Path::new(&corpus).join("dev"));
    let wide = corpus.iter().flat_map(|dev| CORPUS.map(|file| dev.join(file)));
    FILES.iter().map(|file| root.join(file)).chain(wide).collect()
}

fn name_of(path: &Path) -> String {
    path.file_name().unwrap_or_default().to_string_lossy().into_owned()
}

fn text_of(bytes: &[u8]) -> Option<Vec<u8>> {
    let mut text = Vec::new();
    bytes.starts_with(&[0x1f, 0x8b]).then(|| MultiGzDecoder::new(bytes).read_to_end(&mut text).expect("whole"))?;
    Some(text)
}

fn main() {
    let options = ReadOptions::default();
    for path in files() {
        let bytes = std::fs::read(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
        let name = name_of(&path);
        let read = |bytes: &[u8]| read_bytes(bytes, &name, &options).unwrap_or_else(|error| panic!("{error}"));
        let unpacked = text_of(&bytes);
        let text = unpacked.as_ref().unwrap_or(&bytes);
        let size = text.len() as f64;
        let format = if name.contains(".cif") { "mmcif" } else { "pdb" };
        rate::print(&format!("{format}/{}", name.trim_end_matches(".gz")), size, "byte", || read(text));
        if unpacked.is_some() {
            rate::print(&format!("gzip/{name}"), size, "byte", || read(&bytes));
        }
        rate::print(&format!("file/{name}"), 1.0, "file", || read_path(&path, &name, &options).map(drop));
    }
}
