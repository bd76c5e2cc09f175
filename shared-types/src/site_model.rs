//! The model of ligand-binding sites. This file is generated: `data/sites/fit.py` makes it from `site_model.rs.in`.
//!
//! 84 structures of 61 families, 42781 residues of which 2453 line a ligand, 171 ligands, 192734 points; L2 penalty 0.0001.
//! In cross-validation by family: AUC 0.940, average precision 0.578, mean AUC 0.937, top-1 0.750, top-n 0.737, top-n+2 0.807.
//!
//! A *point* is where the centre of a probe may lie on the surface. Its score is logistic in sums over the atoms around it,
//! each of which adds a weight by its class, its residue's kind and its distance, and in how one-sided those atoms lie. An
//! atom's sum is that of the squared probabilities of the points around it. Scores of residues and of sites are logistic in
//! the logarithm of sums.
//!
//! ```
//! use shared_types::site_model::{BINS, DIRECTIONS, PER_DISTANCE, REACH, RESIDUE_SLOPE, SITE_SLOPE};
//!
//! // Directions have length 1, and a sum that rises raises both scores.
//! assert!(DIRECTIONS.iter().all(|[x, y, z]| (x * x + y * y + z * z - 1.0).abs() < 1e-6));
//! assert!(PER_DISTANCE[BINS - 1] < PER_DISTANCE[0] && PER_DISTANCE[BINS - 1] > 1.0 / REACH);
//! assert!(RESIDUE_SLOPE > 0.0 && SITE_SLOPE > 0.0);
//! ```

/// Radius in Å of the probe whose centre a point is.
pub const PROBE: f32 = 1.6;

/// Directions in which an atom may have points: every 6th of the 100 test points of the accessible surface, so that
/// an atom of which none of those is exposed has no point.
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

/// Test points of the accessible surface of which [`DIRECTIONS`] are a part.
pub const SPIRAL: u32 = 100;

/// Most points that an atom gives; of more, as many are kept, in even steps.
pub const CAPACITY: u32 = 4;

/// Atoms closer than this in Å count for a point.
pub const REACH: f32 = 10.0;

/// Bins of squared distance, from 0 to [`REACH`]^2.
pub const BINS: usize = 32;

/// Classes of atoms.
pub const CLASSES: usize = 15;

/// Kinds of residues.
pub const KINDS: usize = 20;

/// What a weight counts.
pub const WEIGHT_UNIT: f32 = 0.00024414062;

/// The weight of an atom by its class and the bin of its distance, in [`WEIGHT_UNIT`].
#[rustfmt::skip]
pub const CLASS_WEIGHTS: [[i16; BINS]; CLASSES] = [
    // backbone N
    [3237, 2717, 2360, 2069, 1817, 1593, 1388, 1198, 1020, 853, 694, 543, 506, 473, 441, 410, 380, 351, 323, 296, 269, 243, 218, 193, 169, 145, 121, 98, 76, 54, 32, 11],
    // alpha carbon
    [-1764, -1236, -872, -577, -321, -93, 116, 309, 489, 659, 821, 975, 916, 857, 799, 743, 689, 637, 586, 536, 488, 441, 395, 350, 305, 262, 220, 178, 138, 97, 58, 19],
    // backbone C
    [1148, 987, 876, 786, 708, 639, 575, 516, 461, 409, 360, 313, 293, 274, 255, 237, 220, 203, 187, 171, 156, 141, 126, 112, 98, 84, 70, 57, 44, 31, 19, 6],
    // backbone O
    [-7630, -6507, -5733, -5104, -4561, -4075, -3631, -3221, -2837, -2475, -2132, -1805, -1686, -1576, -1469, -1367, -1267, -1171, -1077, -986, -897, -811, -726, -643, -562, -482, -405, -328, -253, -179, -107, -35],
    // aliphatic C
    [-293, -223, -174, -135, -101, -71, -43, -18, 6, 29, 50, 71, 67, 62, 58, 54, 50, 46, 43, 39, 36, 32, 29, 25, 22, 19, 16, 13, 10, 7, 4, 1],
    // aromatic C
    [1352, 1194, 1086, 998, 921, 853, 791, 733, 680, 629, 581, 535, 501, 468, 436, 406, 376, 348, 320, 293, 266, 241, 216, 191, 167, 143, 120, 97, 75, 53, 32, 10],
    // S
    [1202, 1270, 1318, 1356, 1389, 1419, 1446, 1471, 1494, 1516, 1537, 1557, 1460, 1365, 1273, 1184, 1098, 1014, 933, 854, 777, 702, 629, 557, 487, 418, 350, 284, 219, 155, 92, 31],
    // hydroxyl O
    [-1585, -1311, -1123, -970, -838, -719, -611, -511, -418, -330, -246, -167, -155, -145, -135, -126, -116, -108, -99, -91, -82, -74, -67, -59, -52, -44, -37, -30, -23, -16, -10, -3],
    // carboxylate O
    [-3782, -3206, -2809, -2486, -2208, -1958, -1731, -1520, -1324, -1138, -962, -794, -741, -693, -646, -601, -557, -515, -474, -434, -395, -356, -319, -283, -247, -212, -178, -144, -111, -79, -47, -16],
    // amide O
    [-467, -440, -421, -406, -393, -381, -370, -360, -351, -342, -334, -326, -305, -285, -266, -247, -229, -212, -195, -178, -162, -147, -131, -116, -102, -87, -73, -59, -46, -32, -19, -6],
    // amide N
    [-5301, -4473, -3903, -3439, -3038, -2680, -2353, -2050, -1767, -1500, -1247, -1006, -939, -877, -818, -761, -706, -652, -600, -549, -500, -451, -404, -358, -313, -269, -225, -183, -141, -100, -59, -20],
    // charged N
    [1037, 873, 760, 668, 589, 518, 453, 393, 337, 284, 234, 186, 174, 162, 151, 141, 131, 121, 111, 102, 92, 84, 75, 66, 58, 50, 42, 34, 26, 18, 11, 4],
    // His N
    [2118, 2067, 2032, 2004, 1979, 1957, 1937, 1919, 1902, 1885, 1870, 1855, 1739, 1625, 1516, 1410, 1307, 1208, 1111, 1017, 926, 836, 749, 663, 580, 498, 417, 338, 261, 185, 110, 36],
    // Trp N
    [2829, 2465, 2215, 2011, 1835, 1678, 1535, 1402, 1277, 1160, 1049, 943, 882, 825, 769, 715, 663, 613, 564, 516, 470, 424, 380, 337, 294, 253, 212, 172, 132, 94, 56, 18],
    // polar C
    [2660, 2318, 2082, 1890, 1725, 1577, 1442, 1317, 1200, 1089, 985, 885, 828, 774, 722, 671, 623, 575, 529, 484, 441, 398, 357, 316, 276, 237, 199, 161, 124, 88, 52, 17],
];

/// The weight of an atom by its residue's kind and the bin of its distance, in [`WEIGHT_UNIT`]. It is added to that of its
/// class.
#[rustfmt::skip]
pub const KIND_WEIGHTS: [[i16; BINS]; KINDS] = [
    // ALA
    [219, 189, 169, 152, 138, 125, 113, 102, 92, 83, 74, 65, 57, 49, 41, 34, 27, 20, 13, 6, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0],
    // ARG
    [-1253, -1083, -966, -871, -789, -716, -649, -586, -528, -474, -422, -372, -325, -279, -236, -193, -152, -112, -74, -36, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0],
    // ASN
    [142, 122, 109, 98, 89, 81, 73, 66, 60, 53, 48, 42, 37, 32, 27, 22, 17, 13, 8, 4, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0],
    // ASP
    [-215, -185, -165, -149, -135, -122, -111, -100, -90, -81, -72, -64, -56, -48, -40, -33, -26, -19, -13, -6, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0],
    // CYS
    [80, 69, 62, 56, 50, 46, 41, 37, 34, 30, 27, 24, 21, 18, 15, 12, 10, 7, 5, 2, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0],
    // GLN
    [-1265, -1094, -976, -880, -797, -722, -655, -592, -534, -478, -426, -376, -328, -282, -238, -195, -154, -113, -74, -36, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0],
    // GLU
    [-716, -619, -552, -498, -451, -409, -371, -335, -302, -271, -241, -213, -186, -160, -135, -110, -87, -64, -42, -21, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0],
    // GLY
    [2176, 1881, 1678, 1513, 1370, 1243, 1126, 1018, 918, 823, 732, 647, 564, 485, 409, 335, 264, 195, 128, 62, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0],
    // HIS
    [-1323, -1144, -1020, -920, -833, -756, -685, -619, -558, -500, -445, -393, -343, -295, -249, -204, -161, -119, -78, -38, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0],
    // ILE
    [-344, -297, -265, -239, -217, -196, -178, -161, -145, -130, -116, -102, -89, -77, -65, -53, -42, -31, -20, -10, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0],
    // LEU
    [51, 44, 39, 35, 32, 29, 26, 24, 21, 19, 17, 15, 13, 11, 10, 8, 6, 5, 3, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0],
    // LYS
    [-1298, -1122, -1001, -903, -817, -741, -672, -608, -547, -491, -437, -386, -337, -289, -244, -200, -158, -116, -76, -37, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0],
    // MET
    [-227, -196, -175, -158, -143, -130, -118, -106, -96, -86, -76, -68, -59, -51, -43, -35, -28, -20, -13, -7, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0],
    // PHE
    [-1258, -1087, -970, -875, -792, -718, -651, -589, -530, -475, -423, -374, -326, -280, -236, -194, -153, -113, -74, -36, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0],
    // PRO
    [-1013, -876, -781, -704, -638, -578, -524, -474, -427, -383, -341, -301, -263, -226, -190, -156, -123, -91, -60, -29, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0],
    // SER
    [-311, -269, -240, -216, -196, -177, -161, -145, -131, -117, -105, -92, -81, -69, -58, -48, -38, -28, -18, -9, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0],
    // THR
    [-301, -260, -232, -209, -189, -172, -156, -141, -127, -114, -101, -89, -78, -67, -56, -46, -36, -27, -18, -9, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0],
    // TRP
    [-1054, -911, -813, -733, -664, -602, -546, -493, -445, -399, -355, -313, -273, -235, -198, -163, -128, -94, -62, -30, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0],
    // TYR
    [-864, -747, -666, -601, -544, -493, -447, -404, -364, -327, -291, -257, -224, -193, -162, -133, -105, -77, -51, -25, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0],
    // VAL
    [151, 131, 117, 105, 95, 86, 78, 71, 64, 57, 51, 45, 39, 34, 28, 23, 18, 14, 9, 4, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0],
];

/// 1 / d for each bin, in 1/Å: what makes a unit vector of a difference.
#[rustfmt::skip]
pub const PER_DISTANCE: [f32; BINS] = [0.8, 0.4618802, 0.3577709, 0.3023716, 0.26666668, 0.24120907, 0.22188008, 0.2065591, 0.1940285, 0.18353258, 0.17457432, 0.16681153, 0.16, 0.15396008, 0.14855628, 0.14368424, 0.13926212, 0.13522469, 0.13151918, 0.12810253, 0.12493901, 0.121998854, 0.11925696, 0.11669199, 0.114285715, 0.11202241, 0.10988845, 0.10787198, 0.10596259, 0.10415113, 0.1024295, 0.10079052];

/// The weight of how one-sided atoms lie: the length of the mean of unit vectors to them.
pub const ONE_SIDED: f32 = -9.935176;

/// What all points begin with.
pub const BIAS: f32 = 1.4394205;

/// Squared probabilities are added up as integers in this part of 1.
pub const SUM_UNIT: f32 = 16777216.0;

/// Points within this many Å of an atom count for it.
pub const AROUND: f32 = 6.0;

/// The logit of a residue's score is this times the natural logarithm of the largest sum of its atoms (in units of
/// probability, and one [`SUM_UNIT`]th more), and [`RESIDUE_BIAS`].
pub const RESIDUE_SLOPE: f32 = 0.80564415;

/// See [`RESIDUE_SLOPE`].
pub const RESIDUE_BIAS: f32 = -0.9590636;

/// The logit of the probability that a site is a ligand's is this times the logarithm of its score, and [`SITE_BIAS`].
pub const SITE_SLOPE: f32 = 0.57282835;

/// See [`SITE_SLOPE`].
pub const SITE_BIAS: f32 = -0.20192115;

/// Atoms within this many Å of a site's peak are part of the site.
pub const APART: f32 = 10.0;

/// Most sites of a structure.
pub const MOST_SITES: usize = 20;

/// The score from which a residue may be part of a site, where nothing else is said: that of the best Matthews coefficient
/// in cross-validation.
pub const DEFAULT_THRESHOLD: f32 = 0.302;
