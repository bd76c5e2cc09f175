//! What was decided for the user, or is odd about a file.

/// Something that was decided while a file was read, or that is odd about it.
///
/// ```
/// use prism_host::read::{NoteKind, ReadOptions, read_bytes};
///
/// let pdb = b"\
/// ATOM      1  CA  GLY A   1       1.000   2.000   3.000  1.00 10.00           C
/// ATOM      2  O   HOH A   2       4.800   2.000   *.***  1.00 12.00           O
/// ";
/// let read = read_bytes(pdb, "one", &ReadOptions::default())?;
/// assert_eq!(read.notes[0].kind, NoteKind::IgnoredRecords);
/// assert!(!read.notes[0].kind.is_warning() && read.warnings.is_empty());
/// # Ok::<(), prism_host::ReadError>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Note {
    /// What it is about.
    pub kind: NoteKind,
    /// A sentence that does not repeat the file's name.
    pub text: String,
}

impl std::fmt::Display for Note {
    /// The kind's name, then the text.
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}: {}", self.kind.name(), self.text)
    }
}

impl Note {
    /// A note of its text with the kind's name before it; without such a name it is of [`NoteKind::Others`].
    pub(crate) fn of_text(text: &str) -> Self {
        let of_kind = |(name, text): (&str, &str)| {
            let kind = NoteKind::ALL.iter().find(|kind| kind.name() == name)?;
            Some(Self { kind: *kind, text: text.to_owned() })
        };
        text.split_once(": ")
            .and_then(of_kind)
            .unwrap_or_else(|| Self { kind: NoteKind::Others, text: text.to_owned() })
    }
}

macro_rules! kinds {
    ($($(#[$doc:meta])* $kind:ident = $name:literal, $about:literal;)*) => {
        /// What a note is about.
        ///
        /// The example of [`Note`] has one.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
        #[non_exhaustive]
        pub enum NoteKind {
            $($(#[$doc])* $kind,)*
        }

        impl NoteKind {
            /// Every kind, in the order in which runs tell of them.
            pub const ALL: &[Self] = &[$(Self::$kind),*];

            /// A word for tables.
            #[must_use]
            pub fn name(self) -> &'static str {
                match self { $(Self::$kind => $name,)* }
            }

            /// What there is in the inputs that have a note of the kind, for the end of a run.
            #[must_use]
            pub fn about(self) -> &'static str {
                match self { $(Self::$kind => $about,)* }
            }
        }
    };
}

kinds! {
    /// Alternate locations, of which one was chosen.
    Alternates = "alternates", "residues with alternate locations, of which one is taken (--altloc)";
    /// More models than are read.
    Models = "models", "further models, which are not read (--model)";
    /// Nucleic acid, which has no rows.
    NucleicAcid = "nucleic-acid", "nucleic acid, which has no rows";
    /// Residues whose tabulated columns are not defined.
    NoParent = "no-parent", "residues that stand for no standard amino acid";
    /// Amino acids in `HETATM` records that are part of no chain, and so have no row.
    Unlinked = "unlinked", "amino acids outside of chains, which have no rows";
    /// The B column is a confidence.
    Confidence = "confidence", "B columns taken for a predictor's confidence by their values";
    /// Records that are damaged, and would not have been used.
    IgnoredRecords = "ignored-records", "damaged records of atoms that would not be used";
    /// Lines that break the format, and can be read all the same.
    Repaired = "repaired", "lines that break their format, and are read all the same";
    /// B factors beyond all that is possible.
    BFactors = "b-factors", "B factors that cannot be, and are left out";
    /// The file may be cut.
    MaybeCut = "maybe-cut", "no end that says that they are whole";
    /// Rows of one identity.
    RepeatedIdentity = "repeated-identity", "rows with the chain, number and insertion code of another row";
    /// Atom records that repeat a name.
    Duplicates = "duplicates", "atom records that repeat a name";
    /// All atoms lie at one point.
    OnePoint = "one-point", "all atoms at one point";
    /// Residues lie on others.
    Coinciding = "coinciding", "residues that lie on others";
    /// A chain that was asked for is not there.
    MissingChain = "missing-chain", "no chain of a name that was asked for";
    /// An experiment and a predictor are both named.
    Contradiction = "contradiction", "both an experiment and a predictor";
    /// Substitutions of a lineage that were applied.
    Substitutions = "substitutions", "substitutions of their lineage, whose side chains end at CB";
    /// Changes of a lineage that could not be applied.
    NotSubstituted = "not-substituted", "changes of their lineage that are not applied (--status names the kind)";
    /// Other structures in the file are not read.
    Others = "others", "other structures that are not read";
}

impl NoteKind {
    /// Whether it may mean that the input is not what it should be. Each such note of a run is shown; others are counted.
    #[must_use]
    pub fn is_warning(self) -> bool {
        use NoteKind::*;
        matches!(self, Duplicates | OnePoint | Coinciding | MissingChain | Contradiction | Others)
    }
}
