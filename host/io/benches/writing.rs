//! Writing speed of one core: `cargo bench -p prism-io --bench writing`.
//!
//! Measures results in memory to a table in memory, all columns, in rows per second. Structures are some of the repository, again and again;
//! `PRISM_CORPUS` adds those of its `dev/`. The name of a format (`parquet`) measures that one alone.

#[path = "../../benches/rate/mod.rs"]
mod rate;

use prism_engine::{Backend, Engine};
use prism_io::output::{ArrowTable, Columns, CsvTable, OutputError, ParquetTable, Provenance, StructureRows, Table};
use prism_io::pipeline::Computed;
use prism_read::{ReadOptions, read_path};
use std::path::{Path, PathBuf};
use std::sync::Arc;

const FILES: [&str; 4] =
    ["data/6m0j_rbd.pdb", "host/tests/data/1ubq.pdb", "tests/data/4zhl.cif.gz", "tests/data/1jcd.pdb.gz"];
/// Several row groups.
const ROWS: usize = 1 << 18;

fn files() -> Vec<PathBuf> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let dev = std::env::var_os("PRISM_CORPUS").and_then(|corpus| Path::new(&corpus).join("dev").read_dir().ok());
    let wide = dev.into_iter().flatten().flatten().map(|entry| entry.path());
    FILES.iter().map(|file| root.join(file)).chain(wide).collect()
}

fn main() {
    let options = ReadOptions::default();
    let read = |path: &PathBuf| read_path(path, &path.file_stem()?.to_string_lossy(), &options).ok();
    let structures: Vec<_> = files().iter().filter_map(read).map(|read| read.structure).collect();
    let engine = Engine::builder().backend(Backend::Cpu).build().expect("an engine");
    let features = engine.run(&structures).expect("results");
    let each = structures.iter().zip(&features);
    let each: Vec<_> =
        each.map(|(structure, features)| StructureRows { structure, features: features.view() }).collect();
    let (mut all, mut rows) = (Vec::new(), 0);
    while rows < ROWS {
        all.extend_from_slice(&each);
        rows += each.iter().map(|one| one.structure.n_rows()).sum::<usize>();
    }
    let shared = Arc::new(Computed::from(&all[..]));
    let provenance = Provenance::of(engine.config());
    let one = rayon::ThreadPoolBuilder::new().num_threads(1).build().expect("a thread");
    let wanted: Vec<_> = std::env::args().skip(1).filter(|arg| !arg.starts_with('-')).collect();
    let measure = |name: &str, table: &(dyn Fn(Vec<u8>) -> Result<Box<dyn Table>, OutputError> + Sync)| {
        let write = || {
            let mut table = table(Vec::new())?;
            table.write_shared(&shared)?;
            table.finish()
        };
        if wanted.is_empty() || wanted.iter().any(|wanted| wanted == name) {
            rate::print(name, rows as f64, "row", || one.install(write).expect("memory does not fail"));
        }
    };
    let columns = Columns::default;
    measure("parquet", &|out| Ok(Box::new(ParquetTable::new(out, columns(), &provenance)?)));
    measure("arrow", &|out| Ok(Box::new(ArrowTable::new(out, columns(), &provenance)?)));
    measure("csv", &|out| Ok(Box::new(CsvTable::new(out, columns()))));
}
