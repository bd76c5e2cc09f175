//! The model of ligand-binding sites. This file is generated: `data/sites/fit.py` makes it from `site_model.rs.in`.
//!
//! 383 structures of 238 families, 214446 residues of which 12211 line a ligand, 835 ligands, 268061 points; L2 penalty 0.0001.
//! In cross-validation by family: AUC 0.964, average precision 0.660, mean AUC 0.963, top-1 0.859, top-n 0.825, top-n+2 0.907.
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
    [0x3d43_3ed0, 0xbf9d_bec1, 0x3fb4_3ede, 0xbf3a_bf2f, 0xbe7d_3da8, 0xbe23_3e04, 0xbec2_3ea0, 0xbfb0_3e98, 0xbe1d_bd9c, 0x3d55_be50, 0x3c53_bd22, 0xbef6_3e3e, 0xbfa9_3f2c, 0xc009_3f21, 0xbf09_3e93],
    // ARG
    [0x3eb3_3e76, 0xbf6e_bf0b, 0x3fdb_3e89, 0xbed9_bf59, 0x3d61_bdae, 0x3e13_bd1c, 0xbd9e_3e16, 0xbf89_3e05, 0x3e19_be79, 0x3eb5_bebd, 0x3ea1_be53, 0xbe37_3c99, 0xbf82_3f01, 0xbfec_3eed, 0xbe6f_3df9],
    // ASN
    [0x3de6_3eb5, 0xbf95_bedd, 0x3fbd_3ec2, 0xbf29_bf3c, 0xbe3b_3ce8, 0xbdc0_3d99, 0xbea1_3e85, 0xbfa7_3e78, 0xbdb5_be05, 0x3def_be83, 0x3d9f_bdbf, 0xbed5_3e07, 0xbfa0_3f1e, 0xc005_3f14, 0xbef1_3e70],
    // ASP
    [0x3e8c_3e8e, 0xbf80_bf02, 0x3fd1_3e9c, 0xbf00_bf50, 0xbca8_bd42, 0x3d8b_ba2f, 0xbe1c_3e3c, 0xbf93_3e2b, 0x3d97_be52, 0x3e8f_beaa, 0x3e75_be2d, 0xbe82_3d66, 0xbf8c_3f0b, 0xbff6_3f00, 0xbe9e_3e23],
    // CYS
    [0xbec0_3f0a, 0xbfd3_be7d, 0x3f7c_3f10, 0xbf93_bf0d, 0xbf2b_3e5a, 0xbf15_3e85, 0xbf4d_3ee3, 0xbfe6_3eda, 0xbf13_3d5f, 0xbebd_bd94, 0xbed1_3dbb, 0xbf67_3ea2, 0xbfdf_3f4d, 0xc024_3f43, 0xbf75_3ed6],
    // GLN
    [0x3e87_3e97, 0xbf82_befb, 0x3fd0_3ea4, 0xbf03_bf4b, 0xbd02_bcfd, 0x3d68_3c81, 0xbe28_3e4d, 0xbf94_3e3c, 0x3d7f_be42, 0x3e89_bea2, 0x3e6a_be1c, 0xbe88_3d95, 0xbf8d_3f0f, 0xbff7_3f04, 0xbea4_3e33],
    // GLU
    [0x3e99_3e81, 0xbf7b_bf09, 0x3fd4_3e8e, 0xbef4_bf57, 0x3b83_bd97, 0x3dbd_bce0, 0xbe03_3e21, 0xbf90_3e10, 0x3dc9_be6e, 0x3e9b_beb8, 0x3e87_be48, 0xbe6b_3cf1, 0xbf89_3f04, 0xbff3_3ef3, 0xbe92_3e07],
    // GLY
    [0xbf1e_3f2c, 0xbff3_bde5, 0x3f3e_3f33, 0xbfb2_bed5, 0xbf6a_3eb2, 0xbf53_3eca, 0xbf86_3f14, 0xc002_3f10, 0xbf52_3e42, 0xbf1d_3d81, 0xbf27_3e68, 0xbf93_3ee7, 0xbffe_3f70, 0xc034_3f65, 0xbf9a_3f0e],
    // HIS
    [0x3e8d_3e78, 0xbf80_bf0b, 0x3fd1_3e89, 0xbeff_bf59, 0xbc9d_bdaa, 0x3d8e_bd16, 0xbe1b_3e17, 0xbf93_3e06, 0x3d99_be77, 0x3e8f_bebc, 0x3e76_be51, 0xbe82_3ca6, 0xbf8c_3f02, 0xbff6_3eee, 0xbe9d_3dfc],
    // ILE
    [0xbe2e_3ee0, 0xbfb9_beb1, 0x3f98_3eee, 0xbf72_bf27, 0xbeee_3de7, 0xbec1_3e23, 0xbf19_3eb0, 0xbfcc_3ea7, 0xbebe_bd39, 0xbe2a_be30, 0xbe52_bc0d, 0xbf33_3e5d, 0xbfc5_3f34, 0xc017_3f29, 0xbf41_3ea3],
    // LEU
    [0xbcb8_3ecc, 0xbfa6_bec6, 0x3fab_3ed9, 0xbf4c_bf31, 0xbea2_3d96, 0xbe6a_3df6, 0xbee6_3e9c, 0xbfb9_3e93, 0xbe64_bdae, 0xbc95_be59, 0xbd6a_bd45, 0xbf0d_3e35, 0xbfb2_3f2a, 0xc00e_3f1f, 0xbf1b_3e8f],
    // LYS
    [0x3d6e_3ea8, 0xbf9c_beea, 0x3fb6_3eb6, 0xbf37_bf43, 0xbe72_3b49, 0xbe18_3d4b, 0xbebd_3e70, 0xbfae_3e5e, 0xbe12_be1f, 0x3d80_be90, 0x3cbf_bdf2, 0xbef1_3dda, 0xbfa7_3f18, 0xc009_3f0d, 0xbf06_3e56],
    // MET
    [0xbdc6_3ecb, 0xbfb0_bec7, 0x3fa2_3ed8, 0xbf5f_bf31, 0xbec9_3d92, 0xbe9b_3df1, 0xbf06_3e9b, 0xbfc2_3e92, 0xbe98_bdb2, 0xbdbe_be5b, 0xbe07_bd4e, 0xbf20_3e33, 0xbfbb_3f29, 0xc013_3f1f, 0xbf2e_3e8e],
    // PHE
    [0x3b39_3eb8, 0xbfa3_beda, 0x3fae_3ec5, 0xbf46_bf3b, 0xbe95_3d0c, 0xbe50_3da5, 0xbed9_3e88, 0xbfb5_3e7e, 0xbe4b_bdfe, 0x3bea_be80, 0xbd03_bdb3, 0xbf07_3e0d, 0xbfaf_3f20, 0xc00c_3f15, 0xbf15_3e76],
    // PRO
    [0x3e75_3e85, 0xbf85_bf06, 0x3fcd_3e93, 0xbf09_bf54, 0xbd64_bd85, 0x3d05_bc96, 0xbe41_3e2a, 0xbf97_3e19, 0x3d1d_be64, 0x3e79_beb3, 0x3e51_be3f, 0xbe94_3d1e, 0xbf90_3f06, 0xbffa_3ef7, 0xbeb0_3e11],
    // SER
    [0x3e5a_3eb3, 0xbf88_bede, 0x3fc9_3ec1, 0xbf10_bf3d, 0xbda8_3cd2, 0x3bd2_3d94, 0xbe5b_3e83, 0xbf9b_3e75, 0x3c47_be08, 0x3e5e_be85, 0x3e36_bdc4, 0xbea2_3e04, 0xbf94_3f1e, 0xbffe_3f13, 0xbebe_3e6d],
    // THR
    [0x3eb0_3e9e, 0xbf6f_bef4, 0x3fda_3eab, 0xbedd_bf48, 0x3d47_bc8c, 0x3e0c_3cf1, 0xbdab_3e5b, 0xbf8a_3e4a, 0x3e12_be33, 0x3eb2_be9b, 0x3e9e_be0e, 0xbe3e_3db1, 0xbf83_3f13, 0xbfed_3f08, 0xbe75_3e41],
    // TRP
    [0x3e35_3ea3, 0xbf8d_beee, 0x3fc5_3eb1, 0xbf19_bf45, 0xbdf2_bbbc, 0xbcf6_3d27, 0xbe80_3e66, 0xbf9f_3e55, 0xbcc6_be28, 0x3e39_be95, 0x3e11_be02, 0xbeb4_3dc8, 0xbf98_3f16, 0xc001_3f0b, 0xbed0_3e4d],
    // TYR
    [0x3dfe_3ea6, 0xbf94_beeb, 0x3fbe_3eb4, 0xbf26_bf44, 0xbe2f_b833, 0xbda9_3d3f, 0xbe9b_3e6c, 0xbfa6_3e5b, 0xbd9d_be22, 0x3e04_be92, 0x3db7_bdf9, 0xbecf_3dd4, 0xbf9f_3f17, 0xc004_3f0c, 0xbeeb_3e53],
    // VAL
    [0xbdec_3ee0, 0xbfb2_beb2, 0x3f9f_3eed, 0xbf64_bf27, 0xbed2_3de5, 0xbea5_3e22, 0xbf0b_3eb0, 0xbfc5_3ea7, 0xbea2_bd3d, 0xbde3_be31, 0xbe1a_bc1a, 0xbf25_3e5d, 0xbfbe_3f34, 0xc014_3f29, 0xbf33_3ea3],
];

/// The weight of how one-sided the atoms lie: the distance of their mean from the point, in Å.
pub const ONE_SIDED: f32 = -0.5002443;

/// The weight of the square of that distance.
pub const ONE_SIDED_SQUARED: f32 = -0.14644054;

/// The weight of each atom within [`REACH`].
pub const ATOMS: f32 = 0.053499237;

/// The weight of the square of their number.
pub const ATOMS_SQUARED: f32 = -0.00008313647;

/// The weight of their number times that distance.
pub const ATOMS_ONE_SIDED: f32 = -0.00037122992;

/// The constant term of a point's logit.
pub const BIAS: f32 = -2.3942225;

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
pub const RESIDUE_BEST: f32 = 0.57771873;

/// The weight of its close sum. See [`RESIDUE_BEST`].
pub const RESIDUE_CLOSE: f32 = 0.096559614;

/// The weight of its wide sum. See [`RESIDUE_BEST`].
pub const RESIDUE_WIDE: f32 = 0.7070682;

/// The weight of the largest sum of an atom in the structure, so that scores compare residues with the structure's first site. See
/// [`RESIDUE_BEST`].
pub const RESIDUE_TOP: f32 = -1.0624698;

/// See [`RESIDUE_BEST`].
pub const RESIDUE_BIAS: f32 = 0.3424803;

/// The logit of the probability that a site binds a ligand is [`SITE_BIAS`] plus this times the logarithm of its score.
pub const SITE_SLOPE: f32 = 0.62462366;

/// See [`SITE_SLOPE`].
pub const SITE_BIAS: f32 = -0.38257164;

/// Atoms within this many Å of a site's centre belong to the site, as its peak does.
pub const APART: f32 = 10.0;

/// Most sites of a structure.
pub const MOST_SITES: usize = 20;

/// The default threshold of a residue's score to be part of a site. It has the best Matthews coefficient in
/// cross-validation.
pub const DEFAULT_THRESHOLD: f32 = 0.33;
