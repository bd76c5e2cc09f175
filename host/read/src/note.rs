//! What reading returns: a structure, and notes about the file.

use crate::structure::StructureInput;

/// A structure, and what its reader reports about the file.
#[derive(Clone, Debug)]
pub struct ReadStructure {
    /// The structure.
    pub structure: StructureInput,
    /// Oddities of the file that do not prevent reading, as sentences without the file's name. The notes include them.
    pub warnings: Vec<String>,
    /// Notes: choices that were made, and oddities.
    pub notes: Vec<Note>,
    /// Number of models in the file or data block, read or not.
    pub models: usize,
}

/// A choice that was made while reading a file, or an oddity of the file.
///
/// ```
/// use prism_read::{NoteKind, ReadOptions, read_bytes};
///
/// let pdb = b"\
/// ATOM      1  CA  GLY A   1       1.000   2.000   3.000  1.00 10.00           C
/// ATOM      2  O   HOH A   2       4.800   2.000   *.***  1.00 12.00           O
/// ";
/// let read = read_bytes(pdb, "one", &ReadOptions::default())?;
/// assert_eq!(read.notes[0].kind, NoteKind::IgnoredRecords);
/// assert!(!read.notes[0].kind.is_warning() && read.warnings.is_empty());
/// # Ok::<(), prism_read::ReadError>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Note {
    /// Its subject.
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
    /// A note from its text with the kind's name before it; [`NoteKind::Others`] if there is no such name.
    pub fn of_text(text: &str) -> Self {
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
        /// The subject of a note. See [`Note`] for an example.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
        #[non_exhaustive]
        pub enum NoteKind {
            $($(#[$doc])* $kind,)*
        }

        impl NoteKind {
            /// Every kind, in the order in which runs report them.
            pub const ALL: &[Self] = &[$(Self::$kind),*];

            /// A word for tables.
            #[must_use]
            pub fn name(self) -> &'static str {
                match self { $(Self::$kind => $name,)* }
            }

            /// What inputs with such a note have in common, for the summary of a run.
            #[must_use]
            pub fn about(self) -> &'static str {
                match self { $(Self::$kind => $about,)* }
            }
        }
    };
}

kinds! {
    /// Alternate locations, one of which was chosen.
    Alternates = "alternates", "residues with alternate locations; one is used (--altloc)";
    /// The file has models that are not read.
    Models = "models", "further models that are not read (--model)";
    /// The element column contradicts the names of amino acids' atoms.
    Elements = "elements", "element columns that contradict atoms' names, which count";
    /// Points that are no atoms: lone pairs, dummy atoms of membranes and the like.
    PseudoAtoms = "pseudo-atoms", "pseudo-atoms, which are left out";
    /// Atoms without a place.
    Placeholders = "placeholders", "atoms whose coordinates stand for unknown ones, which are left out";
    /// Standard amino acids with heavy atoms that these do not have.
    OtherAtoms = "other-atoms", "standard amino acids with a phosphate or other heavy atoms that these do not have";
    /// Atoms whose element nothing says.
    UnknownElements = "unknown-elements", "atoms of unknown elements, whose radius is taken as 1.7 Å";
    /// Atoms that the chosen set of radii does not have.
    RadiiByElement = "radii-by-element", "atoms that are not in the set of --radii, with the radii of their elements";
    /// Residues that lack heavy atoms.
    Incomplete = "incomplete", "residues without some of their heavy atoms";
    /// Chains of alpha carbons or backbones alone.
    Traces = "traces", "chains of alpha carbons or backbones alone, where features of whole residues are undefined";
    /// No residue has an alpha carbon.
    NoAlphaCarbon = "no-alpha-carbon", "no alpha carbons";
    /// The file's models are copies of an assembly or have chains of their own, and only the first is read.
    Copies = "copies", "models that are copies of an assembly or have chains of their own, of which the first is read (--model join)";
    /// Chains whose ids are longer than a format has room for.
    ChainLetters = "chain-letters", "chains written with a letter of their own, because the format has room for one";
    /// Names of residues are longer than a format has room for.
    ShortNames = "short-names", "residue names that are shortened, because the format has room for four letters";
    /// Molecules of one chain id became chains of their own.
    Molecules = "molecules", "molecules with one chain id, which are told apart (A, A~2, or by their segments)";
    /// Residue numbers jump within a chain.
    Jumps = "jumps", "residue numbers that jump, or ends that are far apart, within a chain, which may be the begin of another molecule";
    /// Nucleic acid, or protein, which was not asked for and has no rows.
    NucleicAcid = "nucleic-acid", "nucleic acid, or protein, which has no rows (--polymers)";
    /// Nucleotides have rows beside amino acids.
    Nucleotides = "nucleotides", "nucleotides that have rows beside amino acids, and cover them (--polymers protein)";
    /// The file's assembly differs from its chains.
    Assembly = "assembly", "an assembly that differs from the chains of the file, which are read as they are (--assembly)";
    /// Residues without a standard parent; tabulated columns are undefined for them.
    NoParent = "no-parent", "residues without a standard amino acid as parent";
    /// Amino acids in `HETATM` records that belong to no chain and have no row.
    Unlinked = "unlinked", "amino acids outside of chains, which have no rows";
    /// The B column is a confidence.
    Confidence = "confidence", "a predictor's confidence in the B column (column plddt)";
    /// The B column may be a confidence, and is taken for B factors.
    MaybeConfidence = "maybe-confidence", "B columns that may be a predictor's confidence, and are taken for B factors";
    /// The B column holds other values.
    OtherValues = "other-values", "B columns that hold neither B factors nor confidences, as the files say";
    /// Damaged records that would not have been used.
    IgnoredRecords = "ignored-records", "damaged atom records that would not be used";
    /// Lines that break the format but can be read.
    Repaired = "repaired", "lines that break their format but can be read";
    /// Impossibly large B factors.
    BFactors = "b-factors", "impossible B factors, which are ignored";
    /// The file may be cut.
    MaybeCut = "maybe-cut", "no mark at the end, and may be cut";
    /// Several rows have the same identity.
    RepeatedIdentity = "repeated-identity", "rows with the chain, number and insertion code of another row";
    /// Atom records that repeat a name.
    Duplicates = "duplicates", "atom records that repeat a name";
    /// All atoms lie at one point.
    OnePoint = "one-point", "all atoms at one point";
    /// Coordinates that are not those of whole molecules in Å.
    Scale = "scale", "coordinates in nm, or molecules that the border of a periodic cell cuts";
    /// Residues coincide with other residues.
    Coinciding = "coinciding", "residues that coincide with others";
    /// Bonds between residues that the file declares, and that are not as declared.
    Bonds = "bonds", "declared bonds between residues that lead elsewhere or are long, or close atoms without one";
    /// A selection names residues that have no rows.
    Unselected = "unselected", "selected names of residues that have no rows (--het cover)";
    /// Residues without rows that go with no part of the file.
    WithoutPart = "without-part", "residues without rows whose chain id no chain with rows has (--each)";
    /// A requested chain does not exist.
    MissingChain = "missing-chain", "no chain of a requested name";
    /// The file names both an experiment and a predictor.
    Contradiction = "contradiction", "both an experiment and a predictor";
    /// Substitutions of a lineage were applied.
    Substitutions = "substitutions", "substitutions of a lineage, whose side chains end at CB";
    /// Changes of a lineage could not be applied.
    NotSubstituted = "not-substituted", "changes of a lineage that were not applied (--status names the kind)";
    /// No chains touch each other.
    NoInterface = "no-interface", "no two chains that touch each other";
    /// Chains or residues of a model, or of the reference, without a counterpart in the other.
    Unmatched = "unmatched", "chains or residues without a counterpart that are not compared";
    /// No matrix of predicted aligned errors lies beside the file, or it cannot be read.
    NoMatrix = "no-matrix", "no matrix of predicted aligned errors that can be read";
    /// The structure is so large that `wcn` is computed only on request.
    LargeWcn = "large-wcn", "more than 32,768 residues, so that wcn is left out (--columns wcn)";
    /// The file has other structures that are not read.
    Others = "others", "other structures that are not read";
}

impl NoteKind {
    /// Whether the note may mean that the input is wrong. A run shows each warning and counts the other notes.
    #[must_use]
    pub fn is_warning(self) -> bool {
        use NoteKind::*;
        matches!(self, Copies | Duplicates | OnePoint | Scale | Coinciding | MissingChain | NoMatrix | Others)
    }
}
