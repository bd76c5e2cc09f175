//! The feature table: the one place that knows a column's index, name, unit, definition and source.

use bytemuck::{Pod, Zeroable};
use core::mem::{align_of, size_of};
use cuda_layout::DeviceLayout;

/// Width of a residue's row on the device: 32 columns of `f32`, 128 bytes, one cache line.
///
/// Columns that no feature of [`FEATURES`] names are never written out.
pub const ROW_WIDTH: usize = 32;

/// A residue's features on the device, indexed by [`Feature::column`]. Aligned so that rows are written 16 bytes at a
/// time.
///
/// ```
/// use shared_types::feature::{FeatureRow, ROW_WIDTH, column};
///
/// let mut row = FeatureRow { columns: [f32::NAN; ROW_WIDTH] };
/// row.columns[column::WCN] = 0.75;
/// assert_eq!(row.columns[1], 0.75);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Zeroable, Pod, DeviceLayout)]
#[repr(C, align(16))]
pub struct FeatureRow {
    /// The columns.
    pub columns: [f32; ROW_WIDTH],
}

const _: () = assert!(size_of::<FeatureRow>() == 128 && align_of::<FeatureRow>() == 16);

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
    /// Index in the device row, and order in the output.
    pub column: usize,
    /// Column name in the output.
    pub name: &'static str,
    /// Unit; empty for pure numbers.
    pub unit: &'static str,
    /// What it is. `r_c` is the contact threshold; a contact is two alpha carbons with d < r_c.
    pub definition: &'static str,
    /// Where the definition comes from; empty where it is this project's own or an input.
    pub source: &'static str,
}

macro_rules! features {
    ($($constant:ident = $column:literal, $name:literal, $unit:literal, $definition:literal, $source:literal;)*) => {
        /// Column indices by name.
        ///
        /// ```
        /// use shared_types::feature::{FEATURES, column};
        ///
        /// assert_eq!(FEATURES.iter().find(|feature| feature.column == column::SASA).unwrap().name, "sasa");
        /// ```
        pub mod column {
            $(#[doc = $definition] pub const $constant: usize = $column;)*
        }
        /// Every feature that is computed, by rising column.
        pub const FEATURES: &[Feature] = &[$(Feature {
            column: $column, name: $name, unit: $unit, definition: $definition, source: $source,
        }),*];
    };
}

features! {
    CONTACT_NUMBER = 0, "contact_number", "", "number of contacts", "";
    WCN = 1, "wcn", "Å^-2", "weighted contact number: sum of 1/d^2 over all other CAs; pairs at distance 0 add nothing", "Lin et al. 2008, Proteins 72:929";
    HSE_UP = 2, "hse_up", "", "half-sphere exposure: CAs of fragments within 12 Å (strict) on the side-chain side, d . v > 0 with v = unit(CA_i - CA_i-1) + unit(CA_i - CA_i+1); needs both neighbours linked", "Hamelryck 2005, Proteins 59:38";
    HSE_DOWN = 3, "hse_down", "", "half-sphere exposure: CAs of fragments within 12 Å (strict) on the other side, d . v <= 0", "Hamelryck 2005, Proteins 59:38";
    CENTRALITY = 4, "centrality", "", "eigenvector centrality of the contact graph, L2 norm 1 over the structure; 0 without contacts", "Bonacich 1972, J Math Sociol 2:113";
    CLUSTERING = 5, "clustering", "", "local clustering coefficient of the contact graph; 0 with fewer than two contacts", "Watts and Strogatz 1998, Nature 393:440";
    LONG_RANGE_CONTACTS = 6, "long_range_contacts", "", "contacts at least 12 rows away or in another chain", "Gromiha and Selvaraj 2001, J Mol Biol 310:27";
    CONTACT_ORDER = 7, "contact_order", "", "mean row distance to contacts of the same chain / rows of that chain; 0 without", "Plaxco et al. 1998, J Mol Biol 277:985";
    CA_ANGLE = 8, "ca_angle", "degree", "angle CA i-1, i, i+1 inside a fragment", "Levitt 1976, J Mol Biol 104:59";
    CA_DIHEDRAL = 9, "ca_dihedral", "degree", "dihedral CA i-1, i, i+1, i+2 inside a fragment, in (-180, 180]", "Levitt 1976, J Mol Biol 104:59";
    CENTROID_DISTANCE = 10, "centroid_distance", "", "distance of the CA to the CA centroid / radius of gyration of the CAs; 0 where that is 0", "";
    SASA = 11, "sasa", "Å^2", "solvent-accessible surface area of the residue's heavy atoms: probe 1.4 Å, ProtOr radii, N test points an atom", "Shrake and Rupley 1973, J Mol Biol 79:351; Tsai et al. 1999, J Mol Biol 290:253";
    RSA = 12, "rsa", "", "sasa / the residue's theoretical maximum, not clipped", "Tien et al. 2013, PLoS ONE 8:e80635";
    SASA_APOLAR = 13, "sasa_apolar", "Å^2", "the part of sasa on carbon and sulfur atoms", "";
    CX = 14, "cx", "", "protrusion: mean over the residue's atoms of (V_s - n V_a) / (n V_a), V_s = 4/3 pi (10 Å)^3, V_a = 20.1 Å^3, n = heavy atoms within 10 Å, itself counted", "Pintar et al. 2002, Bioinformatics 18:980";
    DEPTH = 15, "depth", "Å", "mean over the residue's atoms of the distance to the nearest atom whose accessible area is not zero", "Chakravarty and Varadarajan 1999, Structure 7:723";
    ATOMIC_CONTACTS = 16, "atomic_contacts", "", "distinct heavy atoms of residues at least 2 rows away or in another chain within 4.5 Å of any of its atoms", "";
    HYDROPATHY = 17, "hydropathy", "", "hydropathy of the residue", "Kyte and Doolittle 1982, J Mol Biol 157:105";
    HYDROPATHY_LOCAL = 18, "hydropathy_local", "", "mean hydropathy over CAs within 18 Å (strict), itself included, weighted exp(-d^2 / (2 (6 Å)^2))", "";
    CHARGE = 19, "charge", "e", "formal charge at pH 7: K, R +1; D, E -1; others 0", "";
    CHARGE_LOCAL = 20, "charge_local", "e", "sum of charge over CAs within 10 Å, itself included", "";
    VOLUME = 21, "volume", "Å^3", "volume of the residue", "Zamyatnin 1972, Prog Biophys Mol Biol 24:107";
    BFACTOR_Z = 22, "bfactor_z", "", "(B of the CA - mean) / population standard deviation over the structure's CAs; 0 where that is 0; not defined for predicted models", "";
    BFACTOR_LOCAL = 23, "bfactor_local", "", "mean of bfactor_z over contacts and itself", "";
    CONSERVATION = 24, "conservation", "", "input: conservation of the position", "";
    CONSERVATION_LOCAL = 25, "conservation_local", "", "mean conservation, weighted as hydropathy_local, over rows that have one", "";
    GISAID_FREQ = 26, "gisaid_freq", "", "input: frequency of the lineage's residue at this position, 0 to 1", "";
    GISAID_VELOCITY = 27, "gisaid_velocity", "1/day", "input: slope of ln(f / (1 - f)), the relative growth rate", "";
    FREQ_LOCAL = 28, "freq_local", "", "mean gisaid_freq, weighted as hydropathy_local, over rows that have one", "";
    VELOCITY_LOCAL = 29, "velocity_local", "1/day", "mean gisaid_velocity, weighted as hydropathy_local, over rows that have one", "";
    EXPOSED_VELOCITY = 30, "exposed_velocity", "1/day", "rsa, at most 1, times velocity_local", "";
    SITE_SCORE = 31, "site_score", "", "probability that the residue lines a ligand-binding site: a logistic model of the columns before conservation, fitted on structures with ligands; not defined where r_c is not the fit's", "";
}

const _: () = {
    let mut i = 0;
    while i < FEATURES.len() {
        assert!(FEATURES[i].column < ROW_WIDTH);
        assert!(i == 0 || FEATURES[i - 1].column < FEATURES[i].column, "columns rise");
        i += 1;
    }
};
