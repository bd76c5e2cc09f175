//! The code of each fuzz target. A target returns if all holds, and panics otherwise.
//!
//! A new input format needs a function here with its name in the test below, a file in `fuzz_targets`, an entry in `Cargo.toml`, and a folder in `corpus`.

mod archives;
mod binary;
mod bytes;
mod confidences;
mod kernels;
mod packed;
mod paths;
mod reading;
mod text;
mod trajectories;

pub use archives::{bzip2, database, tar, xz, zstd};
pub use binary::bcif;
pub use confidences::confidences;
pub use kernels::kernels;
pub use packed::{dataset, engine, packer};
pub use paths::mmcif_paths;
pub use text::{arrays, b_column, foldcomp, inflate, mmcif, pdb, pqr};
pub use trajectories::{topology, trajectory};

use prism_host::annotations::Annotations;
use prism_host::lineages::Lineages;
use prism_host::output::Columns;

/// Reads a file of annotations and applies them to a structure.
pub fn annotations(data: &[u8]) {
    if let Ok(annotations) = Annotations::from_reader(data, "fuzz.csv") {
        let mut structure = bytes::Bytes::new(data).structure("x.pdb");
        annotations.apply(&mut structure);
        // A carriage return also ends a line.
        let ends = data.iter().filter(|byte| matches!(**byte, b'\n' | b'\r')).count();
        let (used, all) = (annotations.unmatched(), ends + 1);
        assert!(used <= all, "{used} lines of {all} have matched nothing");
    }
}

/// Reads a table of lineages and makes their variants of a structure.
pub fn lineages(data: &[u8]) {
    let Ok(lineages) = Lineages::from_reader(data, "fuzz.csv") else { return };
    let structure = bytes::Bytes::new(data).structure("x.pdb");
    if structure.validate().is_err() {
        return;
    }
    let all = lineages.apply(&structure);
    assert!(all.len() >= lineages.len(), "each lineage was sampled somewhere");
    for (variant, _) in all {
        if let Err(error) = variant.validate() {
            panic!("what was made does not fit together: {error}");
        }
        assert!(variant.gisaid_freq.iter().all(|share| share.is_nan() || (0.0..=1.0).contains(share)));
    }
}

/// A list of columns, as `--columns` takes it.
pub fn columns(data: &[u8]) {
    let Ok(text) = str::from_utf8(data) else { return };
    if let Ok(columns) = Columns::choose(text.split(',')) {
        assert!(!columns.as_slice().is_empty());
        let selection = columns.selection();
        assert_eq!(selection, columns.selection());
    }
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::path::Path;

    /// The names of targets with their code.
    macro_rules! targets {
        ($($name:ident)+) => { [$((stringify!($name), super::$name as fn(&[u8]))),+] };
    }

    /// Inputs that once broke a target are among them.
    #[test]
    fn committed_inputs_break_no_target() {
        let targets = targets!(
            annotations arrays b_column bcif bzip2 columns confidences database dataset engine foldcomp inflate kernels
            lineages mmcif mmcif_paths packer pdb pqr tar topology trajectory xz zstd
        );
        let corpus = Path::new(env!("CARGO_MANIFEST_DIR")).join("corpus");
        let names =
            |folder: &Path| fs::read_dir(folder).expect("a folder").map(|entry| entry.expect("an entry").path());
        assert_eq!(names(&corpus).count(), targets.len(), "a target is missing above");
        for (target, run) in targets {
            for input in names(&corpus.join(target)) {
                println!("{}", input.display());
                run(&fs::read(&input).expect("an input"));
            }
        }
    }
}
