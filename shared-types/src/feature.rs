//! The feature table, the only place that defines a column's group, index, name, unit, definition, source and steps.

use crate::backbone::SecondaryStructure;
use crate::nucleotide::pucker;
use crate::steps::Steps;
use bytemuck::{Pod, Zeroable};
use core::mem::{align_of, size_of};
use cuda_layout::DeviceLayout;

/// Declares the groups of features, each with its row type and the row's width.
macro_rules! groups {
    ($($(#[$doc:meta])* $group:ident: $(#[$row_doc:meta])* $row:ident, $width:expr;)*) => {
        /// Features that are computed together, with their own row type, kernels and buffers.
        ///
        /// ```
        /// use shared_types::{Group, ROW_WIDTH};
        ///
        /// assert_eq!(Group::Residue.width(), ROW_WIDTH);
        /// assert!(Group::Position.features().all(|feature| feature.group == Group::Position));
        /// assert_eq!(Group::Position.features().next().unwrap().name, "b_factor");
        /// assert_eq!(Group::ALL[0], Group::Residue);
        /// ```
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub enum Group {
            $($(#[$doc])* $group,)*
        }

        impl Group {
            /// All groups.
            pub const ALL: &[Self] = &[$(Self::$group),*];

            /// Number of `f32` in a row.
            #[must_use]
            pub const fn width(self) -> usize {
                match self {
                    $(Self::$group => $width,)*
                }
            }

            /// Its features, in the order of the output.
            pub fn features(self) -> impl Iterator<Item = &'static Feature> {
                FEATURES.iter().filter(move |feature| feature.group == self)
            }
        }

        $(
            $(#[$row_doc])*
            #[derive(Clone, Copy, Debug, PartialEq, Zeroable, Pod, DeviceLayout)]
            #[repr(C, align(16))]
            pub struct $row {
                /// The columns.
                pub columns: [f32; $width],
            }

            // Rows are written in units of 16 bytes.
            const _: () = assert!(size_of::<$row>() == 4 * $width && align_of::<$row>() == 16);
        )*
    };
}

/// Width of a residue's row in the first group: 32 columns of `f32`, 128 bytes, one cache line.
pub const ROW_WIDTH: usize = 32;

groups! {
    /// The features of a residue: a row of the fused kernel.
    Residue:
    /// A residue's row in the first group, indexed by [`Feature::column`].
    ///
    /// ```
    /// use shared_types::feature::{FeatureRow, ROW_WIDTH, column};
    ///
    /// let mut row = FeatureRow { columns: [f32::NAN; ROW_WIDTH] };
    /// row.columns[column::WCN] = 0.75;
    /// assert_eq!(row.columns[1], 0.75);
    /// ```
    FeatureRow, ROW_WIDTH;

    /// The position of a residue in the file's frame, and its B column.
    Position:
    /// A residue's row in the group of positions, indexed by [`Feature::column`].
    ///
    /// ```
    /// use shared_types::feature::{PositionRow, column};
    ///
    /// let mut row = PositionRow { columns: [f32::NAN; 4] };
    /// row.columns[column::CA_X] = 12.5;
    /// assert_eq!(row.columns[1], 12.5);
    /// ```
    PositionRow, 4;

    /// Dihedral angles, hydrogen bonds and secondary structure.
    Backbone:
    /// A residue's row in the group of the backbone, indexed by [`Feature::column`]; columns without a feature are
    /// unspecified.
    ///
    /// ```
    /// use shared_types::backbone::SecondaryStructure;
    /// use shared_types::feature::{BackboneRow, column};
    ///
    /// let mut row = BackboneRow { columns: [f32::NAN; 12] };
    /// row.columns[column::SS] = SecondaryStructure::Strand as u32 as f32;
    /// assert_eq!(SecondaryStructure::letter(row.columns[9]), "E");
    /// ```
    BackboneRow, 12;

    /// Torsions and sugar puckers of nucleotides; undefined for other residues.
    Nucleotide:
    /// A residue's row in the group of nucleotides, indexed by [`Feature::column`]; columns without a feature are
    /// unspecified.
    ///
    /// ```
    /// use shared_types::feature::{NucleotideRow, column};
    /// use shared_types::nucleotide::pucker;
    ///
    /// let mut row = NucleotideRow { columns: [f32::NAN; 12] };
    /// row.columns[column::PUCKER] = 4.0;
    /// assert_eq!(pucker(row.columns[9]), "C2'-endo");
    /// ```
    NucleotideRow, 12;
}

/// One feature: a column of the output.
///
/// ```
/// use shared_types::feature::{FEATURES, column};
///
/// let feature = FEATURES.iter().find(|feature| feature.name == "depth").unwrap();
/// assert_eq!((feature.column, feature.unit), (column::DEPTH, "Å"));
/// assert!(feature.source.starts_with("Chakravarty") && feature.definition.contains("nearest atom"));
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Feature {
    /// The group it belongs to.
    pub group: Group,
    /// Index in a row of its group.
    pub column: usize,
    /// Column name in the output.
    pub name: &'static str,
    /// Unit; empty for pure numbers.
    pub unit: &'static str,
    /// The definition. `r_c` is the contact threshold; a contact is two alpha carbons with d < r_c.
    pub definition: &'static str,
    /// The source of the definition; empty for this project's own definitions and for inputs.
    pub source: &'static str,
    /// The steps that compute it, without the steps that those need.
    pub steps: Steps,
}

impl Feature {
    /// Whether its numbers represent states, which are written as texts.
    ///
    /// ```
    /// use shared_types::FEATURES;
    ///
    /// let states: Vec<_> = FEATURES.iter().filter(|feature| feature.is_state()).map(|feature| feature.name).collect();
    /// assert_eq!(states, ["ss", "pucker"]);
    /// ```
    #[must_use]
    pub const fn is_state(&self) -> bool {
        matches!(self.group, Group::Backbone) && self.column == column::SS
            || matches!(self.group, Group::Nucleotide) && self.column == column::PUCKER
    }

    /// The text of a state; empty for NaN, and if the numbers represent no states.
    ///
    /// ```
    /// use shared_types::FEATURES;
    ///
    /// let named = |name: &str| FEATURES.iter().find(|feature| feature.name == name).unwrap();
    /// assert_eq!((named("ss").state(1.0), named("pucker").state(0.0)), ("H", "C3'-endo"));
    /// assert_eq!((named("pucker").state(f32::NAN), named("sasa").state(1.0)), ("", ""));
    /// ```
    #[must_use]
    pub fn state(&self, value: f32) -> &'static str {
        match self.group {
            Group::Backbone if self.is_state() => SecondaryStructure::letter(value),
            Group::Nucleotide if self.is_state() => pucker(value),
            _ => "",
        }
    }
}

macro_rules! features {
    ($($group:ident $constant:ident = $column:literal, $name:literal, $unit:literal, $definition:literal, $source:literal, $steps:expr;)*) => {
        /// Column indices in the row of a feature's group, by feature name.
        ///
        /// ```
        /// use shared_types::feature::{FEATURES, column};
        ///
        /// assert_eq!(FEATURES.iter().find(|feature| feature.name == "sasa").unwrap().column, column::SASA);
        /// ```
        pub mod column {
            $(#[doc = $definition] pub const $constant: usize = $column;)*
        }
        /// All features, in the order of the output.
        pub const FEATURES: &[Feature] = &[$(Feature {
            group: Group::$group, column: $column, name: $name, unit: $unit, definition: $definition, source: $source,
            steps: $steps,
        }),*];
    };
}

features! {
    Residue CONTACT_NUMBER = 0, "contact_number", "", "number of contacts", "", Steps::NETWORK;
    Residue WCN = 1, "wcn", "Å^-2", "weighted contact number: sum of 1/d^2 over all other CAs; pairs at distance 0 add nothing", "Lin et al. 2008, Proteins 72:929", Steps::WCN;
    Residue HSE_UP = 2, "hse_up", "", "half-sphere exposure: CAs of fragments within 12 Å (strict) on the side-chain side, d . v > 0 with v = unit(CA_i - CA_i-1) + unit(CA_i - CA_i+1); needs both neighbours linked", "Hamelryck 2005, Proteins 59:38", Steps::PAIRS;
    Residue HSE_DOWN = 3, "hse_down", "", "half-sphere exposure: CAs of fragments within 12 Å (strict) on the other side, d . v <= 0", "Hamelryck 2005, Proteins 59:38", Steps::PAIRS;
    Residue CENTRALITY = 4, "centrality", "", "eigenvector centrality of the contact graph, L2 norm 1 over the structure; 0 without contacts", "Bonacich 1972, J Math Sociol 2:113", Steps::CENTRALITY;
    Residue CLUSTERING = 5, "clustering", "", "local clustering coefficient of the contact graph; 0 with fewer than two contacts", "Watts and Strogatz 1998, Nature 393:440", Steps::NETWORK;
    Residue LONG_RANGE_CONTACTS = 6, "long_range_contacts", "", "contacts at least 12 rows away or in another chain", "Gromiha and Selvaraj 2001, J Mol Biol 310:27", Steps::NETWORK;
    Residue CONTACT_ORDER = 7, "contact_order", "", "mean row distance to contacts of the same chain / rows of that chain; 0 without contacts", "Plaxco et al. 1998, J Mol Biol 277:985", Steps::NETWORK;
    Residue CA_ANGLE = 8, "ca_angle", "degree", "angle CA i-1, i, i+1 inside a fragment", "Levitt 1976, J Mol Biol 104:59", Steps::CHAIN;
    Residue CA_DIHEDRAL = 9, "ca_dihedral", "degree", "dihedral CA i-1, i, i+1, i+2 inside a fragment, in (-180, 180]", "Levitt 1976, J Mol Biol 104:59", Steps::CHAIN;
    Residue CENTROID_DISTANCE = 10, "centroid_distance", "", "distance of the CA to the CA centroid / radius of gyration of the CAs; 0 if the radius is 0", "", Steps::SHAPE;
    Residue SASA = 11, "sasa", "Å^2", "solvent-accessible surface area of the residue's heavy atoms: probe 1.4 Å, ProtOr radii, N test points per atom", "Shrake and Rupley 1973, J Mol Biol 79:351; Tsai et al. 1999, J Mol Biol 290:253", Steps::EXPOSURE;
    Residue RSA = 12, "rsa", "", "sasa / the residue's theoretical maximum, not clipped", "Tien et al. 2013, PLoS ONE 8:e80635", Steps::EXPOSURE;
    Residue SASA_APOLAR = 13, "sasa_apolar", "Å^2", "the part of sasa on carbon and sulfur atoms", "", Steps::EXPOSURE;
    Residue CX = 14, "cx", "", "protrusion: mean over the residue's atoms of (V_s - n V_a) / (n V_a), V_s = 4/3 pi (10 Å)^3, V_a = 20.1 Å^3, n = heavy atoms within 10 Å, including itself", "Pintar et al. 2002, Bioinformatics 18:980", Steps::PROTRUSION;
    Residue DEPTH = 15, "depth", "Å", "mean over the residue's atoms of the distance to the nearest atom whose accessible area is not zero; none beyond 40 Å", "Chakravarty and Varadarajan 1999, Structure 7:723", Steps::DEPTH;
    Residue ATOMIC_CONTACTS = 16, "atomic_contacts", "", "distinct heavy atoms of residues at least 2 rows away or in another chain within 4.5 Å of any of its atoms", "", Steps::ATOMIC_CONTACTS;
    Residue HYDROPATHY = 17, "hydropathy", "", "hydropathy of the residue; undefined for modified amino acids", "Kyte and Doolittle 1982, J Mol Biol 157:105", Steps::ROWS;
    Residue HYDROPATHY_LOCAL = 18, "hydropathy_local", "", "mean hydropathy over CAs within 18 Å (strict), including itself, weighted by exp(-d^2 / (2 (6 Å)^2))", "", Steps::PAIRS;
    Residue CHARGE = 19, "charge", "e", "formal charge at pH 7: K, R +1; D, E -1; others 0; that of protonation states and common modified amino acids by their names", "", Steps::ROWS;
    Residue CHARGE_LOCAL = 20, "charge_local", "e", "sum of charge over CAs within 10 Å, including itself", "", Steps::PAIRS;
    Residue VOLUME = 21, "volume", "Å^3", "volume of the residue; undefined for modified amino acids", "Zamyatnin 1972, Prog Biophys Mol Biol 24:107", Steps::ROWS;
    Residue BFACTOR_Z = 22, "bfactor_z", "", "(B of the CA - mean) / population standard deviation over the structure's CAs; 0 if the deviation is 0; undefined for predicted models", "", Steps::NETWORK;
    Residue BFACTOR_LOCAL = 23, "bfactor_local", "", "mean of bfactor_z over contacts and itself", "", Steps::NETWORK;
    Residue CONSERVATION = 24, "conservation", "", "input: conservation of the position", "", Steps::ROWS;
    Residue CONSERVATION_LOCAL = 25, "conservation_local", "", "mean conservation, weighted as in hydropathy_local, over rows that have a value", "", Steps::PAIRS;
    Residue GISAID_FREQ = 26, "gisaid_freq", "", "input: frequency of the lineage's residue at this position, 0 to 1", "", Steps::ROWS;
    Residue GISAID_VELOCITY = 27, "gisaid_velocity", "1/day", "input: slope of ln(f / (1 - f)), the relative growth rate", "", Steps::ROWS;
    Residue FREQ_LOCAL = 28, "freq_local", "", "mean gisaid_freq, weighted as in hydropathy_local, over rows that have a value", "", Steps::PAIRS;
    Residue VELOCITY_LOCAL = 29, "velocity_local", "1/day", "mean gisaid_velocity, weighted as in hydropathy_local, over rows that have a value", "", Steps::PAIRS;
    Residue EXPOSED_VELOCITY = 30, "exposed_velocity", "1/day", "rsa, at most 1, times velocity_local", "", Steps::PAIRS.and(Steps::EXPOSURE);
    Residue SITE_SCORE = 31, "site_score", "", "probability that the residue lines a ligand-binding site: logistic in the logarithms of the largest sum, over its atoms, of probabilities to the power of 1.5 of the surface points within 6.75 Å, of that atom's sums within 5 Å and 9 Å, and of the structure's largest sum; the probability of a point is logistic in its surroundings within 10 Å", "", Steps::SITES;
    Position B_FACTOR = 0, "b_factor", "", "B column of the CA: Å^2 in experimental structures, a confidence in predicted models", "", Steps::POSITION;
    Position CA_X = 1, "ca_x", "Å", "x of the CA in the file's frame", "", Steps::POSITION;
    Position CA_Y = 2, "ca_y", "Å", "y of the CA in the file's frame", "", Steps::POSITION;
    Position CA_Z = 3, "ca_z", "Å", "z of the CA in the file's frame", "", Steps::POSITION;
    Backbone PHI = 0, "phi", "degree", "dihedral C i-1, N, CA, C in (-180, 180]; rows i-1 and i of one chain, or its ends if it is cyclic, C to N at most 2.5 Å", "IUPAC-IUB 1970, Biochemistry 9:3471", Steps::BACKBONE;
    Backbone PSI = 1, "psi", "degree", "dihedral N, CA, C, N i+1, as phi", "IUPAC-IUB 1970, Biochemistry 9:3471", Steps::BACKBONE;
    Backbone OMEGA = 2, "omega", "degree", "dihedral CA, C, N i+1, CA i+1, as phi", "IUPAC-IUB 1970, Biochemistry 9:3471", Steps::BACKBONE;
    Backbone CHI1 = 3, "chi1", "degree", "dihedral N, CA, CB and CG, CG1, SG, OG or OG1, in (-180, 180]", "IUPAC-IUB 1970, Biochemistry 9:3471", Steps::BACKBONE;
    Backbone CHI2 = 4, "chi2", "degree", "dihedral CA, CB, the atom of chi1, and CD, CD1, SD, SE, OD1 or ND1", "IUPAC-IUB 1970, Biochemistry 9:3471", Steps::BACKBONE;
    Backbone CHI3 = 5, "chi3", "degree", "dihedral CB, the atoms of chi1 and chi2, and NE, OE1 or CE", "IUPAC-IUB 1970, Biochemistry 9:3471", Steps::BACKBONE;
    Backbone CHI4 = 6, "chi4", "degree", "dihedral of the atoms of chi1, chi2 and chi3, and CZ or NZ", "IUPAC-IUB 1970, Biochemistry 9:3471", Steps::BACKBONE;
    Backbone HBOND_ENERGY_NH = 7, "hbond_energy_nh", "kcal/mol", "energy of the strongest hydrogen bond of N-H, rounded to 0.001; 0 without one, undefined for proline", "Kabsch and Sander 1983, Biopolymers 22:2577", Steps::SECONDARY_STRUCTURE;
    Backbone HBOND_ENERGY_CO = 8, "hbond_energy_co", "kcal/mol", "energy of the strongest hydrogen bond of C=O, rounded to 0.001; 0 without one", "Kabsch and Sander 1983, Biopolymers 22:2577", Steps::SECONDARY_STRUCTURE;
    Backbone SS = 9, "ss", "", "secondary structure by the rules of mkdssp 4: H alpha, G 3-10 and I pi helix, E strand, B bridge, P polyproline II helix, T turn, S bend, - none; empty without N, CA, C or O", "Kabsch and Sander 1983, Biopolymers 22:2577; Adzhubei and Sternberg 1993, J Mol Biol 229:472", Steps::SECONDARY_STRUCTURE;
    Nucleotide ALPHA = 0, "alpha", "degree", "dihedral O3' i-1, P, O5', C5' in (-180, 180]; rows i-1 and i of one chain, O3' to P at most 2.5 Å", "IUPAC-IUB 1983, Eur J Biochem 131:9", Steps::NUCLEOTIDES;
    Nucleotide BETA = 1, "beta", "degree", "dihedral P, O5', C5', C4', in (-180, 180]", "IUPAC-IUB 1983, Eur J Biochem 131:9", Steps::NUCLEOTIDES;
    Nucleotide GAMMA = 2, "gamma", "degree", "dihedral O5', C5', C4', C3'", "IUPAC-IUB 1983, Eur J Biochem 131:9", Steps::NUCLEOTIDES;
    Nucleotide DELTA = 3, "delta", "degree", "dihedral C5', C4', C3', O3'", "IUPAC-IUB 1983, Eur J Biochem 131:9", Steps::NUCLEOTIDES;
    Nucleotide EPSILON = 4, "epsilon", "degree", "dihedral C4', C3', O3', P i+1, as alpha", "IUPAC-IUB 1983, Eur J Biochem 131:9", Steps::NUCLEOTIDES;
    Nucleotide ZETA = 5, "zeta", "degree", "dihedral C3', O3', P i+1, O5' i+1, as alpha", "IUPAC-IUB 1983, Eur J Biochem 131:9", Steps::NUCLEOTIDES;
    Nucleotide CHI = 6, "chi", "degree", "dihedral O4', C1' and N9, C4 of purines, N1, C2 of pyrimidines, or C5, C4 of pseudouridine, in (-180, 180]", "IUPAC-IUB 1983, Eur J Biochem 131:9", Steps::NUCLEOTIDES;
    Nucleotide PUCKER_PHASE = 7, "pucker_phase", "degree", "phase of the sugar's pseudorotation in [0, 360): its tangent is ((nu4 + nu1) - (nu3 + nu0)) / (2 nu2 (sin 36 + sin 72)), in the quadrant of both parts; nu0 to nu4 are the dihedrals about O4'-C1', C1'-C2', C2'-C3', C3'-C4', C4'-O4'", "Altona and Sundaralingam 1972, J Am Chem Soc 94:8205", Steps::NUCLEOTIDES;
    Nucleotide PUCKER_AMPLITUDE = 8, "pucker_amplitude", "degree", "amplitude of the sugar's pseudorotation: nu2 / cos(pucker_phase)", "Altona and Sundaralingam 1972, J Am Chem Soc 94:8205", Steps::NUCLEOTIDES;
    Nucleotide PUCKER = 9, "pucker", "", "the sugar's pucker, by 36 degrees of pucker_phase from 0 on: C3'-endo, C4'-exo, O4'-endo, C1'-exo, C2'-endo, C3'-exo, C4'-endo, O4'-exo, C1'-endo, C2'-exo", "Altona and Sundaralingam 1972, J Am Chem Soc 94:8205", Steps::NUCLEOTIDES;
}

const _: () = {
    let mut i = 0;
    while i < FEATURES.len() {
        assert!(FEATURES[i].column < FEATURES[i].group.width());
        let mut j = 0;
        while j < i {
            let same = FEATURES[i].group as usize == FEATURES[j].group as usize;
            assert!(!same || FEATURES[i].column != FEATURES[j].column, "a column has one feature");
            j += 1;
        }
        i += 1;
    }
};
