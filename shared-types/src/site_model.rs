//! The model of ligand-binding sites. This file is generated: `data/sites/fit.py` makes it from `site_model.rs.in`.
//!
//! 84 structures of 61 families, 42781 residues of which 2453 line a ligand, 171 ligands, 54912 points; L2 penalty 1e-05.
//! In cross-validation by family: AUC 0.951, average precision 0.612, mean AUC 0.946, top-1 0.798, top-n 0.784, top-n+2 0.871.
//!
//! A *point* is a possible position of a probe's centre on the surface. Its score is a logistic function of a sum over the
//! atoms around it and of how one-sided these atoms lie. Each atom adds a weight that depends on its class, its residue's
//! type and its distance. The sum of an atom adds the weights of the points around it, which are their probabilities to the power
//! of 1.5. The scores of residues and sites are logistic functions of the logarithms of such sums.
//!
//! ```
//! use shared_types::site_model::{AROUND, CLOSE, DIRECTIONS, NEAR, REACH, RESIDUE_BEST, RESIDUE_WIDE, SITE_SLOPE, WIDE};
//!
//! // Directions have length 1, and a larger sum gives larger scores.
//! assert!(DIRECTIONS.iter().all(|[x, y, z]| (x * x + y * y + z * z - 1.0).abs() < 1e-6));
//! assert!(NEAR < REACH && CLOSE < AROUND && AROUND < WIDE);
//! assert!(RESIDUE_BEST > 0.0 && RESIDUE_WIDE > 0.0 && SITE_SLOPE > 0.0);
//! ```

/// Radius of the probe in Å.
pub const PROBE: f32 = 1.6;

/// Directions in which an atom may have points: every 6th of the 100 test points of the accessible surface, so that
/// an atom has no point if none of those is exposed.
#[rustfmt::skip]
pub const DIRECTIONS: [[f32; 3]; 16] = [
    [0.3847191, -0.2447268, 0.89],
    [0.19095623, 0.60879856, 0.77],
    [-0.7592853, 0.03139883, 0.65],
    [0.18611969, -0.82732064, 0.53],
    [0.80736846, 0.42433023, 0.41],
    [-0.64989704, 0.70251966, 0.29],
    [-0.524853, -0.8340439, 0.17],
    [0.95441747, -0.2942571, 0.05],
    [0.036353827, 0.99688435, -0.07],
    [-0.95678234, -0.22015339, -0.19],
    [0.4464121, -0.83941424, -0.31],
    [0.6597363, 0.61631817, -0.43],
    [-0.7090144, 0.44135985, -0.55],
    [-0.2152553, -0.7104683, -0.67],
    [0.61280125, -0.019354405, -0.79],
    [-0.09494092, 0.40359166, -0.91],
];

/// Number of test points of the accessible surface from which [`DIRECTIONS`] are chosen.
pub const SPIRAL: u32 = 100;

/// An atom gives points if at least this many heavy atoms, including itself, lie within 10 Å; others protrude.
pub const LEAST_CROWD: u32 = 120;

/// Most points of an atom. If it has more, this many are kept, evenly spaced.
pub const CAPACITY: u32 = 4;

/// Atoms closer to a point than this in Å add to its score.
pub const REACH: f32 = 10.0;

/// Atoms closer to a point than this in Å add a second term.
pub const NEAR: f32 = 8.0;

/// Number of atom classes.
pub const CLASSES: usize = 15;

/// Number of residue types.
pub const KINDS: usize = 20;

/// The unit of weights.
pub const WEIGHT_UNIT: f32 = 0.00024414062;

/// The weights of an atom by its residue's type and its class. An entry holds the upper 16 bits of two `f32`. The atom adds
/// the upper one times `(NEAR² - d²)²` within [`NEAR`], and the lower one times `(REACH² - d²)²`, in [`WEIGHT_UNIT`].
#[rustfmt::skip]
pub const WEIGHTS: [[u32; CLASSES]; KINDS] = [
    // backbone N, alpha carbon, backbone C, backbone O, aliphatic C, aromatic C, S, hydroxyl O, carboxylate O, amide O, amide N, charged N, His N, Trp N, polar C
    // ALA
    [0xbe15_be88, 0xc01b_be28, 0x403c_3fcc, 0xbfc0_bf9d, 0x3e30_be10, 0x3e5d_3c56, 0xbec4_3e81, 0xbe02_be14, 0x3b91_beab, 0x3eab_be8a, 0x3f52_bf2d, 0x3f28_be43, 0xbf15_3ea9, 0xbe1c_3ed2, 0x3ebf_3e5a],
    // ARG
    [0xbf02_be88, 0xc032_be28, 0x4025_3fcc, 0xbfee_bf9d, 0xbe43_be10, 0xbe15_3c56, 0xbf3f_3e81, 0xbefb_be14, 0xbeb7_beab, 0xbceb_be8a, 0x3eeb_bf2d, 0x3e97_be43, 0xbf71_3ea9, 0xbf04_3ed2, 0x3c29_3e5a],
    // ASN
    [0xbe2a_be88, 0xc01c_be28, 0x403a_3fcc, 0xbfc3_bf9d, 0x3e1b_be10, 0x3e49_3c56, 0xbecf_3e81, 0xbe17_be14, 0xbc82_beab, 0x3ea0_be8a, 0x3f4d_bf2d, 0x3f23_be43, 0xbf1a_3ea9, 0xbe30_3ed2, 0x3eb4_3e5a],
    // ASP
    [0xbe8d_be88, 0xc023_be28, 0x4033_3fcc, 0xbfd1_bf9d, 0x3d29_be10, 0x3db0_3c56, 0xbf04_3e81, 0xbe84_be14, 0xbe01_beab, 0x3e50_be8a, 0x3f31_bf2d, 0x3f07_be43, 0xbf36_3ea9, 0xbe91_3ed2, 0x3e78_3e5a],
    // CYS
    [0xbdeb_be88, 0xc019_be28, 0x403e_3fcc, 0xbfbc_bf9d, 0x3e50_be10, 0x3e7d_3c56, 0xbeb5_3e81, 0xbdc6_be14, 0x3d11_beab, 0x3ebb_be8a, 0x3f5a_bf2d, 0x3f30_be43, 0xbf0d_3ea9, 0xbdf8_3ed2, 0x3ecf_3e5a],
    // GLN
    [0xbf0b_be88, 0xc034_be28, 0x4022_3fcc, 0xbff3_bf9d, 0xbe66_be10, 0xbe38_3c56, 0xbf48_3e81, 0xbf06_be14, 0xbec9_beab, 0xbd80_be8a, 0x3eda_bf2d, 0x3e86_be43, 0xbf7a_3ea9, 0xbf0c_3ed2, 0xbcc1_3e5a],
    // GLU
    [0xbecb_be88, 0xc02b_be28, 0x402c_3fcc, 0xbfe0_bf9d, 0xbda1_be10, 0xbd0c_3c56, 0xbf22_3e81, 0xbec1_be14, 0xbe7c_beab, 0x3daa_be8a, 0x3f12_bf2d, 0x3ed0_be43, 0xbf55_3ea9, 0xbece_3ed2, 0x3dfa_3e5a],
    // GLY
    [0x3e9c_be88, 0xbffc_be28, 0x4059_3fcc, 0xbf86_bf9d, 0x3f1f_be10, 0x3f2b_3c56, 0x3d8a_3e81, 0x3ea6_be14, 0x3ee9_beab, 0x3f49_be8a, 0x3fa3_bf2d, 0x3f8e_be43, 0xbe05_3ea9, 0x3e99_3ed2, 0x3f53_3e5a],
    // HIS
    [0xbebf_be88, 0xc029_be28, 0x402d_3fcc, 0xbfdd_bf9d, 0xbd65_be10, 0xbc3d_3c56, 0xbf1c_3e81, 0xbeb6_be14, 0xbe65_beab, 0x3dd9_be8a, 0x3f18_bf2d, 0x3edc_be43, 0xbf4f_3ea9, 0xbec2_3ed2, 0x3e14_3e5a],
    // ILE
    [0xbe10_be88, 0xc01a_be28, 0x403c_3fcc, 0xbfbf_bf9d, 0x3e35_be10, 0x3e63_3c56, 0xbec2_3e81, 0xbdfa_be14, 0x3c1d_beab, 0x3ead_be8a, 0x3f54_bf2d, 0x3f2a_be43, 0xbf13_3ea9, 0xbe16_3ed2, 0x3ec1_3e5a],
    // LEU
    [0xbdab_be88, 0xc017_be28, 0x4040_3fcc, 0xbfb8_bf9d, 0x3e70_be10, 0x3e8f_3c56, 0xbea4_3e81, 0xbd85_be14, 0x3d89_beab, 0x3ecb_be8a, 0x3f62_bf2d, 0x3f38_be43, 0xbf05_3ea9, 0xbdb7_3ed2, 0x3edf_3e5a],
    // LYS
    [0xbed4_be88, 0xc02c_be28, 0x402b_3fcc, 0xbfe3_bf9d, 0xbdc7_be10, 0xbd59_3c56, 0xbf27_3e81, 0xbecb_be14, 0xbe88_beab, 0x3d84_be8a, 0x3f0d_bf2d, 0x3ec7_be43, 0xbf5a_3ea9, 0xbed8_3ed2, 0x3dd4_3e5a],
    // MET
    [0xbe04_be88, 0xc01a_be28, 0x403d_3fcc, 0xbfbe_bf9d, 0x3e41_be10, 0x3e6f_3c56, 0xbebc_3e81, 0xbde2_be14, 0x3caf_beab, 0x3eb3_be8a, 0x3f57_bf2d, 0x3f2d_be43, 0xbf10_3ea9, 0xbe0a_3ed2, 0x3ec7_3e5a],
    // PHE
    [0xbeef_be88, 0xc02f_be28, 0x4027_3fcc, 0xbfe9_bf9d, 0xbe19_be10, 0xbdd6_3c56, 0xbf34_3e81, 0xbee5_be14, 0xbea2_beab, 0x3c4f_be8a, 0x3f00_bf2d, 0x3eac_be43, 0xbf67_3ea9, 0xbef2_3ed2, 0x3d54_3e5a],
    // PRO
    [0xbedf_be88, 0xc02d_be28, 0x4029_3fcc, 0xbfe5_bf9d, 0xbdf1_be10, 0xbd96_3c56, 0xbf2c_3e81, 0xbed5_be14, 0xbe92_beab, 0x3d34_be8a, 0x3f08_bf2d, 0x3ebc_be43, 0xbf5f_3ea9, 0xbee2_3ed2, 0x3daa_3e5a],
    // SER
    [0xbe78_be88, 0xc021_be28, 0x4036_3fcc, 0xbfcc_bf9d, 0x3d9b_be10, 0x3df6_3c56, 0xbef6_3e81, 0xbe65_be14, 0xbdbb_beab, 0x3e73_be8a, 0x3f3a_bf2d, 0x3f10_be43, 0xbf2d_3ea9, 0xbe7e_3ed2, 0x3e8e_3e5a],
    // THR
    [0xbe40_be88, 0xc01d_be28, 0x4039_3fcc, 0xbfc6_bf9d, 0x3e05_be10, 0x3e32_3c56, 0xbeda_3e81, 0xbe2d_be14, 0xbd1a_beab, 0x3e95_be8a, 0x3f47_bf2d, 0x3f1e_be43, 0xbf20_3ea9, 0xbe47_3ed2, 0x3ea9_3e5a],
    // TRP
    [0xbef8_be88, 0xc030_be28, 0x4026_3fcc, 0xbfeb_bf9d, 0xbe2b_be10, 0xbdfb_3c56, 0xbf39_3e81, 0xbeef_be14, 0xbeab_beab, 0xbba6_be8a, 0x3ef7_bf2d, 0x3ea3_be43, 0xbf6b_3ea9, 0xbefb_3ed2, 0x3d0b_3e5a],
    // TYR
    [0xbece_be88, 0xc02b_be28, 0x402b_3fcc, 0xbfe1_bf9d, 0xbdad_be10, 0xbd25_3c56, 0xbf24_3e81, 0xbec4_be14, 0xbe81_beab, 0x3d9e_be8a, 0x3f11_bf2d, 0x3ecd_be43, 0xbf56_3ea9, 0xbed1_3ed2, 0x3dee_3e5a],
    // VAL
    [0xbdd5_be88, 0xc018_be28, 0x403e_3fcc, 0xbfbb_bf9d, 0x3e5b_be10, 0x3e84_3c56, 0xbeaf_3e81, 0xbdaf_be14, 0x3d3e_beab, 0x3ec0_be8a, 0x3f5d_bf2d, 0x3f33_be43, 0xbf0a_3ea9, 0xbde1_3ed2, 0x3ed4_3e5a],
];

/// The weight of how one-sided the atoms lie: the distance of their mean from the point, in Å.
pub const ONE_SIDED: f32 = 2.1939583;

/// The weight of the square of that distance.
pub const ONE_SIDED_SQUARED: f32 = -0.29738894;

/// The weight of each atom within [`REACH`].
pub const ATOMS: f32 = 0.16906875;

/// The weight of the square of their number.
pub const ATOMS_SQUARED: f32 = -0.00036309625;

/// The weight of their number times that distance.
pub const ATOMS_ONE_SIDED: f32 = -0.01733023;

/// The constant term of a point's logit.
pub const BIAS: f32 = -10.73041;

/// The weights of points (their probabilities to the power of 1.5) are summed as integers in units of 1 / this.
pub const SUM_UNIT: f32 = 16777216.0;

/// Points within this many Å of an atom add to its sum.
pub const AROUND: f32 = 6.75;

/// Points within this many Å of the best atom of a residue, which is the one with the largest sum, add to its close sum.
pub const CLOSE: f32 = 5.0;

/// Points within this many Å of the best atom of a residue add to its wide sum.
pub const WIDE: f32 = 9.0;

/// The logit of a residue's score is [`RESIDUE_BIAS`] plus four terms, each a weight times the natural logarithm of a sum (of
/// weights of points, plus 1 / [`SUM_UNIT`]). This is the weight of the sum of the residue's best atom.
pub const RESIDUE_BEST: f32 = 0.563209;

/// The weight of its close sum. See [`RESIDUE_BEST`].
pub const RESIDUE_CLOSE: f32 = 0.08429824;

/// The weight of its wide sum. See [`RESIDUE_BEST`].
pub const RESIDUE_WIDE: f32 = 0.70775557;

/// The weight of the largest sum of an atom in the structure, so that scores compare residues with the structure's first site. See
/// [`RESIDUE_BEST`].
pub const RESIDUE_TOP: f32 = -1.015847;

/// See [`RESIDUE_BEST`].
pub const RESIDUE_BIAS: f32 = 0.14202558;

/// The logit of the probability that a site binds a ligand is [`SITE_BIAS`] plus this times the logarithm of its score.
pub const SITE_SLOPE: f32 = 0.5609723;

/// See [`SITE_SLOPE`].
pub const SITE_BIAS: f32 = -0.46177396;

/// Atoms within this many Å of a site's centre belong to the site, as its peak does.
pub const APART: f32 = 10.0;

/// Most sites of a structure.
pub const MOST_SITES: usize = 20;

/// The default threshold of a residue's score to be part of a site. It has the best Matthews coefficient in
/// cross-validation.
pub const DEFAULT_THRESHOLD: f32 = 0.341;
