//! Options for readers, and what must hold for every structure that they return.

use prism_host::ReadOptions;
use prism_host::read::{Alternates, Each, Models, ReadError, ReadStructure, Residues};
use std::sync::Arc;

/// Options from the last byte. A line feed there gives the default options.
pub(crate) fn options(data: &[u8]) -> ReadOptions {
    let bits = data.last().map_or(0, |last| last ^ b'\n');
    let has = |bit: u8| bits >> bit & 1 == 1;
    ReadOptions {
        chains: has(0).then(|| vec!["A".to_owned(), " ".to_owned()]),
        residues: if has(1) { Residues::Standard } else { Residues::All },
        alternates: [Alternates::Highest, Alternates::First, Alternates::Named('B')][usize::from(bits >> 2 & 3) % 3],
        models: [Models::First, Models::All, Models::Number(2)][usize::from(bits >> 4 & 3) % 3],
        cover: has(6),
        labels: has(7),
        each: if has(6) && has(5) { Each::Molecule } else { Each::Model },
        select: (has(7) && has(4))
            .then(|| Arc::new("within 5 of resnum 1-50 and not chain B".parse().expect("a selection"))),
        ..ReadOptions::default()
    }
}

pub(crate) type Outcome = Result<ReadStructure, ReadError>;

/// Checks that every structure is consistent, with at least one row and a note for each warning.
pub(crate) fn check(read: &[Outcome]) {
    assert!(!read.is_empty(), "there is a result");
    for read in read.iter().flatten() {
        if let Err(error) = read.structure.validate() {
            panic!("what was read does not fit together: {error}");
        }
        assert!(read.structure.n_rows() > 0);
        assert!(read.warnings.len() <= read.notes.len());
    }
}

/// Builds the first assembly, if the file has assemblies.
pub(crate) fn assembly(data: &[u8]) -> Option<String> {
    let has = |word: &[u8]| data.windows(word.len()).any(|own| own == word);
    (has(b"_struct_assembly") || has(b"REMARK 350")).then(|| "1".to_owned())
}
