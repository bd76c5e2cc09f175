//! The residue whose records are being taken.

use super::{Fate, Named};
use shared_types::{ResidueKind, UNKNOWN};

/// The current run of records of one residue.
pub(super) struct Run {
    /// Its packed residue name; `None` until a record is taken.
    pub(super) residue: Option<u64>,
    pub(super) kind: ResidueKind,
    pub(super) fate: Fate,
    /// Whether it has an entry in the draft.
    pub(super) open: bool,
    /// Whether no record of it is an `ATOM`.
    pub(super) hetatm: bool,
    pub(super) in_chain: Option<bool>,
    /// Index of its first atom.
    pub(super) begin: usize,
    /// That of the record before.
    pub(super) record: Named,
    /// The B column of its first atom.
    pub(super) b_key: Option<u64>,
    /// Whether another atom has another one.
    pub(super) b_differs: bool,
    /// Whether it has the hydrogens of a chain's first residue.
    pub(super) is_start: bool,
    /// Sum and number of the B columns of its atoms, if their mean is asked for.
    pub(super) b: (f64, f64),
    /// The B column of its alpha carbon, if it has one under a nucleotide's name.
    pub(super) ca_b: Option<f32>,
    /// Whether it has a calcium that is called as alpha carbons are.
    pub(super) calcium: bool,
    /// Its atom that is a carbonyl oxygen if it has no O, counted from its first, and the rank of that atom's name.
    pub(super) end_oxygen: Option<(usize, usize)>,
    /// Whether it has phosphorus, and then whether it has a proton of a phosphate.
    pub(super) phosphate: Option<bool>,
    /// Whether it has Drude particles, and whether it has a hydrogen whose name may be one's.
    pub(super) has_drude: bool,
    pub(super) maybe_drude: bool,
    /// Whether it has atoms of a cap.
    pub(super) has_cap: bool,
    /// Atoms whose element column contradicts their name.
    pub(super) contradictions: u32,
    /// Pseudo-atoms.
    pub(super) pseudo_atoms: u32,
    /// Atoms whose element nothing says.
    pub(super) unknown_elements: u32,
}

impl Run {
    pub(super) const NEW: Self = Self {
        residue: None,
        kind: UNKNOWN,
        fate: Fate::Nothing,
        open: false,
        hetatm: true,
        in_chain: None,
        begin: 0,
        record: Named::NONE,
        b_key: None,
        b_differs: false,
        is_start: false,
        b: (0.0, 0.0),
        ca_b: None,
        calcium: false,
        end_oxygen: None,
        phosphate: None,
        has_drude: false,
        maybe_drude: false,
        has_cap: false,
        contradictions: 0,
        pseudo_atoms: 0,
        unknown_elements: 0,
    };
}
