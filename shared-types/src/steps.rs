//! The computation steps of a run, and what each step needs.
//!
//! Features name their steps in [`crate::feature::FEATURES`]. The dependencies of steps are declared only here. A run takes
//! the steps of the requested columns, and no others.

/// A set of steps.
///
/// ```
/// use shared_types::Steps;
///
/// let asked = Steps::NETWORK.and(Steps::EXPOSURE);
/// assert!(asked.has(Steps::NETWORK) && !asked.has(Steps::CONTACTS));
/// // Network features of a residue need the contact graph.
/// assert!(asked.complete().has(Steps::CONTACTS) && !asked.complete().has(Steps::PAIRS));
/// assert_eq!(Steps::from_bits(asked.bits()), asked);
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Steps(u32);

macro_rules! steps {
    ($($(#[$doc:meta])* $name:ident = $bit:literal, needs $needs:expr;)*) => {
        impl Steps {
            $($(#[$doc])* pub const $name: Self = Self(1 << $bit);)*
            /// All steps.
            pub const ALL: Self = Self(0 $(| 1 << $bit)*);
            /// Each step with the steps it needs.
            const NEEDS: &[(Self, Self)] = &[$((Self::$name, $needs)),*];
        }
    };
}

steps! {
    /// Rows of the first group; alone, the tabulated and given columns.
    ROWS = 0, needs Self::NONE;
    /// Sums over residues that are near.
    PAIRS = 1, needs Self::ROWS;
    /// Angles along the chain of alpha carbons.
    CHAIN = 2, needs Self::ROWS;
    /// Centroid and radius of gyration.
    SHAPE = 3, needs Self::ROWS;
    /// Heavy atoms: accessible surface.
    EXPOSURE = 4, needs Self::ROWS;
    /// The contact graph.
    CONTACTS = 5, needs Self::ROWS;
    /// Network features of each residue.
    NETWORK = 6, needs Self::CONTACTS;
    /// The eigenvector of the contact graph.
    CENTRALITY = 7, needs Self::CONTACTS;
    /// Surface points, residue scores, and sites. Points lie on atoms that have accessible surface and enough atoms around them.
    SITES = 8, needs Self::PROTRUSION;
    /// Rows of the group of positions.
    POSITION = 9, needs Self::NONE;
    /// Rows of the backbone group; alone, dihedral angles.
    BACKBONE = 10, needs Self::NONE;
    /// Hydrogen bonds and secondary structure.
    SECONDARY_STRUCTURE = 11, needs Self::BACKBONE;
    /// The distance of heavy atoms to those with accessible surface.
    DEPTH = 12, needs Self::EXPOSURE;
    /// Contacts of heavy atoms.
    ATOMIC_CONTACTS = 13, needs Self::EXPOSURE;
    /// Heavy atoms around each heavy atom.
    PROTRUSION = 14, needs Self::EXPOSURE;
    /// Weighted contact numbers, from all pairs of residues. A small structure has them from the pass that makes the other sums.
    WCN = 15, needs Self::PAIRS;
    /// Rows of the group of nucleotides.
    NUCLEOTIDES = 16, needs Self::NONE;
}

impl Steps {
    /// No steps.
    pub const NONE: Self = Self(0);
    /// The steps of the first group's rows, without sites.
    pub const ALL_OF_ROWS: Self = Self::PAIRS
        .and(Self::CHAIN)
        .and(Self::SHAPE)
        .and(Self::EXPOSURE)
        .and(Self::DEPTH)
        .and(Self::ATOMIC_CONTACTS)
        .and(Self::PROTRUSION)
        .and(Self::NETWORK)
        .and(Self::CENTRALITY)
        .and(Self::ROWS)
        .and(Self::CONTACTS);

    /// The steps of either set.
    #[must_use]
    pub const fn and(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }

    /// The steps that are in both sets.
    #[must_use]
    pub const fn only(self, other: Self) -> Self {
        Self(self.0 & other.0)
    }

    /// Whether all steps of `others` are in this set.
    #[inline]
    #[must_use]
    pub const fn has(self, others: Self) -> bool {
        self.0 & others.0 == others.0
    }

    /// Adds all steps that these steps need.
    #[must_use]
    pub const fn complete(self) -> Self {
        let mut all = self;
        loop {
            let before = all.0;
            let mut i = 0;
            while i < Self::NEEDS.len() {
                let (step, needs) = Self::NEEDS[i];
                if all.has(step) {
                    all = all.and(needs);
                }
                i += 1;
            }
            if all.0 == before {
                return all;
            }
        }
    }

    /// One bit per step, as kernels have them.
    #[inline]
    #[must_use]
    pub const fn bits(self) -> u32 {
        self.0
    }

    /// The set of [`bits`](Self::bits).
    #[inline]
    #[must_use]
    pub const fn from_bits(bits: u32) -> Self {
        Self(bits)
    }
}

/// The union of sets of steps, with all steps that they need.
///
/// ```
/// use shared_types::{FEATURES, Steps, steps::of};
///
/// let sasa = FEATURES.iter().filter(|feature| feature.name == "sasa");
/// assert_eq!(of(sasa.map(|feature| feature.steps)), Steps::EXPOSURE.and(Steps::ROWS));
/// ```
pub fn of(steps: impl IntoIterator<Item = Steps>) -> Steps {
    steps.into_iter().fold(Steps::NONE, Steps::and).complete()
}
