//! The model of ligand-binding sites. This file is generated: `data/sites/fit.py` makes it from `site_model.rs.in`.
//!
//! 383 structures of 238 families, 214446 residues of which 12211 line a ligand, 835 ligands, 268061 points; L2 penalty 1e-05.
//! In cross-validation by family: AUC 0.964, average precision 0.661, mean AUC 0.963, top-1 0.859, top-n 0.825, top-n+2 0.909.
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
    [0xbeea_3eac, 0xbfb8_bf5a, 0x4009_3fa7, 0xbf64_bf88, 0xbe77_3da0, 0xbdef_3de5, 0xbe71_3e73, 0xbfb2_3e8f, 0x3e3a_be61, 0x3f09_bece, 0x3ebd_be46, 0xbe99_3dca, 0xbfc5_3f40, 0xc00d_3f22, 0xbfa4_3f19],
    // ARG
    [0xbd6a_3e11, 0xbf85_bf86, 0x4023_3f8e, 0xbefa_bfa0, 0x3e22_bded, 0x3e91_bda8, 0x3e28_3d33, 0xbf7d_3dae, 0x3f15_bed4, 0x3f6f_bf18, 0x3f45_bec6, 0x3dd0_bdc3, 0xbf92_3f0e, 0xbfe7_3ee0, 0xbf62_3ece],
    // ASN
    [0xbeba_3e8c, 0xbfac_bf6a, 0x400f_3f9f, 0xbf4c_bf90, 0xbe17_3c84, 0xbcbd_3d4c, 0xbe11_3e34, 0xbfa6_3e5e, 0x3e8d_be90, 0x3f21_beed, 0x3eed_be83, 0xbe52_3d15, 0xbfb9_3f30, 0xc007_3f12, 0xbf98_3f09],
    // ASP
    [0xbe25_3e3c, 0xbf93_bf81, 0x401c_3f94, 0xbf18_bf9b, 0x3d60_bd96, 0x3e38_bd21, 0x3d78_3db1, 0xbf8c_3e03, 0x3ef5_bebe, 0x3f55_bf0e, 0x3f2a_beb0, 0xbb24_bd58, 0xbf9f_3f19, 0xbff5_3ef6, 0xbf7d_3ee4],
    // CYS
    [0xbf6a_3ef6, 0xbff3_bf35, 0x3fd9_3fba, 0xbfac_bf6a, 0xbf33_3e65, 0xbf13_3e84, 0xbf31_3ec4, 0xbfec_3ed9, 0xbe8c_bd98, 0x3da0_be83, 0xbdb1_bd43, 0xbf41_3e7a, 0xbfff_3f65, 0xc02b_3f47, 0xbfdf_3f3e],
    // GLN
    [0xbe46_3e56, 0xbf97_bf7b, 0x401a_3f97, 0xbf20_bf98, 0x3cb9_bd45, 0x3e17_bc6a, 0x3cea_3de4, 0xbf90_3e1c, 0x3ee4_beb1, 0x3f4c_bf07, 0x3f22_bea3, 0xbd0d_bce3, 0xbfa3_3f20, 0xbff9_3f01, 0xbf82_3ef1],
    // GLU
    [0xbdf7_3e1d, 0xbf8d_bf84, 0x401f_3f90, 0xbf0d_bf9f, 0x3dc3_bdd4, 0x3e61_bd8f, 0x3dcf_3d64, 0xbf87_3dc7, 0x3f05_bece, 0x3f5f_bf15, 0x3f35_bec0, 0x3d1b_bdaa, 0xbf9a_3f11, 0xbff0_3ee6, 0xbf72_3ed4],
    // GLY
    [0xbf94_3f1c, 0xc009_bf14, 0x3fba_3fcb, 0xbfcb_bf49, 0xbf70_3eb5, 0xbf50_3ec7, 0xbf6f_3f04, 0xc005_3f0e, 0xbf04_3d68, 0xbe27_be00, 0xbea8_3daa, 0xbf7f_3ec0, 0xc00f_3f83, 0xc03a_3f68, 0xbffd_3f5f],
    // HIS
    [0xbdf1_3e0c, 0xbf8d_bf87, 0x401f_3f8e, 0xbf0d_bfa1, 0x3dc8_bdf6, 0x3e64_bdb0, 0x3dd5_3d22, 0xbf86_3da6, 0x3f06_bed6, 0x3f60_bf1a, 0x3f36_bec8, 0x3d27_bdcc, 0xbf99_3f0d, 0xbfef_3ede, 0xbf71_3ecc],
    // ILE
    [0xbf26_3eb7, 0xbfd1_bf55, 0x3ffa_3faa, 0xbf8a_bf85, 0xbede_3dcd, 0xbe9e_3e09, 0xbedb_3e85, 0xbfca_3e9a, 0xbc1b_be4a, 0x3eaf_bec2, 0x3e36_be2f, 0xbefb_3df7, 0xbfdd_3f46, 0xc01a_3f27, 0xbfbd_3f1e],
    // LEU
    [0xbf00_3ea3, 0xbfbe_bf5f, 0x4007_3fa5, 0xbf6f_bf8a, 0xbe92_3d78, 0xbe25_3dc2, 0xbe8f_3e61, 0xbfb7_3e86, 0x3e0d_be73, 0x3efb_bed7, 0x3ea7_be58, 0xbeaf_3da6, 0xbfca_3f3b, 0xc010_3f1d, 0xbfaa_3f14],
    // LYS
    [0xbee1_3e83, 0xbfb6_bf6e, 0x400b_3f9d, 0xbf5f_bf92, 0xbe66_b9b0, 0xbdcc_3d09, 0xbe60_3e23, 0xbfaf_3e4d, 0x3e4c_be99, 0x3f0d_bef6, 0x3ec6_be8b, 0xbe90_3ca5, 0xbfc3_3f2c, 0xc00c_3f0d, 0xbfa2_3f05],
    // MET
    [0xbf19_3ea7, 0xbfca_bf5d, 0x4001_3fa6, 0xbf84_bf89, 0xbec3_3d8d, 0xbe83_3dd3, 0xbec0_3e6a, 0xbfc3_3e8a, 0x3d30_be6a, 0x3eca_bed2, 0x3e6c_be4f, 0xbee0_3db7, 0xbfd7_3f3e, 0xc016_3f1f, 0xbfb6_3f16],
    // PHE
    [0xbef4_3e8f, 0xbfbb_bf68, 0x4008_3fa0, 0xbf69_bf8f, 0xbe86_3cbc, 0xbe0b_3d68, 0xbe83_3e3b, 0xbfb4_3e65, 0x3e27_be8d, 0x3f04_beea, 0x3eb3_be7e, 0xbea3_3d31, 0xbfc7_3f32, 0xc00f_3f13, 0xbfa7_3f0b],
    // PRO
    [0xbe65_3e34, 0xbf9a_bf81, 0x4018_3f93, 0xbf28_bf9c, 0xbc00_bda5, 0x3def_bd40, 0xbafc_3da1, 0xbf94_3df6, 0x3ed5_bec2, 0x3f45_bf0f, 0x3f1a_beb4, 0xbd85_bd77, 0xbfa7_3f17, 0xbffd_3ef2, 0xbf86_3ee0],
    // SER
    [0xbe8b_3e8e, 0xbfa1_bf69, 0x4015_3fa0, 0xbf34_bf8f, 0xbd62_3ca3, 0x3d8e_3d5c, 0xbd4a_3e38, 0xbf9a_3e62, 0x3ebd_be8e, 0x3f38_beeb, 0x3f0e_be81, 0xbde6_3d25, 0xbfad_3f31, 0xc001_3f13, 0xbf8c_3f0a],
    // THR
    [0xbdf2_3e69, 0xbf8d_bf76, 0x401f_3f99, 0xbf0d_bf95, 0x3dc7_bcf2, 0x3e63_3b8e, 0x3dd3_3e05, 0xbf86_3e2f, 0x3f05_bea8, 0x3f5f_bf02, 0x3f35_be9a, 0x3d24_bc15, 0xbf99_3f24, 0xbfef_3f06, 0xbf72_3efa],
    // TRP
    [0xbe9a_3e77, 0xbfa4_bf72, 0x4013_3f9b, 0xbf3c_bf94, 0xbdaf_bc78, 0x3d21_3c99, 0xbda3_3e14, 0xbf9e_3e3e, 0x3ead_bea0, 0x3f31_befd, 0x3f07_be93, 0xbe12_3bad, 0xbfb1_3f28, 0xc003_3f0a, 0xbf90_3f01],
    // TYR
    [0xbeb0_3e7a, 0xbfaa_bf72, 0x4011_3f9c, 0xbf47_bf93, 0xbe03_bc50, 0xbb6c_3cad, 0xbdfb_3e16, 0xbfa3_3e41, 0x3e97_be9f, 0x3f26_befc, 0x3ef7_be91, 0xbe3e_3bfd, 0xbfb6_3f29, 0xc006_3f0a, 0xbf96_3f01],
    // VAL
    [0xbf18_3eb7, 0xbfca_bf55, 0x4001_3faa, 0xbf83_bf85, 0xbec1_3dcd, 0xbe82_3e09, 0xbebe_3e85, 0xbfc3_3e9a, 0x3d3b_be4a, 0x3ecc_bec2, 0x3e6f_be2f, 0xbedf_3df7, 0xbfd6_3f46, 0xc016_3f27, 0xbfb6_3f1e],
];

/// The weight of how one-sided the atoms lie: the distance of their mean from the point, in Å.
pub const ONE_SIDED: f32 = 1.4130961;

/// The weight of the square of that distance.
pub const ONE_SIDED_SQUARED: f32 = -0.26330668;

/// The weight of each atom within [`REACH`].
pub const ATOMS: f32 = 0.14567764;

/// The weight of the square of their number.
pub const ATOMS_SQUARED: f32 = -0.00030437423;

/// The weight of their number times that distance.
pub const ATOMS_ONE_SIDED: f32 = -0.010706182;

/// The constant term of a point's logit.
pub const BIAS: f32 = -10.215301;

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
pub const RESIDUE_BEST: f32 = 0.57497644;

/// The weight of its close sum. See [`RESIDUE_BEST`].
pub const RESIDUE_CLOSE: f32 = 0.096922375;

/// The weight of its wide sum. See [`RESIDUE_BEST`].
pub const RESIDUE_WIDE: f32 = 0.6894677;

/// The weight of the largest sum of an atom in the structure, so that scores compare residues with the structure's first site. See
/// [`RESIDUE_BEST`].
pub const RESIDUE_TOP: f32 = -1.0488776;

/// See [`RESIDUE_BEST`].
pub const RESIDUE_BIAS: f32 = 0.34645966;

/// The logit of the probability that a site binds a ligand is [`SITE_BIAS`] plus this times the logarithm of its score.
pub const SITE_SLOPE: f32 = 0.63599;

/// See [`SITE_SLOPE`].
pub const SITE_BIAS: f32 = -0.3784551;

/// Atoms within this many Å of a site's centre belong to the site, as its peak does.
pub const APART: f32 = 10.0;

/// Most sites of a structure.
pub const MOST_SITES: usize = 20;

/// The default threshold of a residue's score to be part of a site. It has the best Matthews coefficient in
/// cross-validation.
pub const DEFAULT_THRESHOLD: f32 = 0.326;
