//! The model of ligand-binding sites. This file is generated: `data/sites/fit.py` makes it from `site_model.rs.in`.
//!
//! Fitted on 2026-11-21 on 84 structures of 61 families (147 chains, 42714 residues, 2453 of
//! which line a ligand), with an L2 penalty of 0.003, at a contact threshold of 8.0 Å and 100 test
//! points an atom. In cross-validation by family (10 folds) the area under the ROC curve is 0.768 over all
//! residues, and 0.769 as the mean of structures; the best single column, `centroid_distance`, has 0.670 over
//! all residues. At the default threshold Matthews' coefficient is 0.216. `docs/sites.md` tells the method and what
//! it can do.
//!
//! ```
//! use shared_types::site_model::{BIAS, DEFAULT_THRESHOLD, INPUTS, MEANS, WEIGHTS};
//!
//! // The score of a residue of which nothing is known: the mean counts for each column.
//! let sum: f32 = (0..INPUTS).map(|column| WEIGHTS[column] * MEANS[column]).sum();
//! let score = 1.0 / (1.0 + (-(BIAS + sum)).exp());
//! assert!(score > 0.0 && score < 1.0 && (0.0..1.0).contains(&DEFAULT_THRESHOLD));
//! ```

/// Columns that the model reads: the first ones.
pub const INPUTS: usize = 24;

/// Contact threshold in Å of the columns it was fitted on. With any other there is no score.
pub const CONTACT_THRESHOLD: f32 = 8.0;

/// The score from which a residue may be part of a site, where nothing else is said: that of the best Matthews
/// coefficient in cross-validation.
pub const DEFAULT_THRESHOLD: f32 = 0.109;

/// The score is 1 / (1 + exp(-(BIAS + sum of WEIGHTS times columns))).
pub const BIAS: f32 = -2.91947;

/// A weight a column, in one over the column's unit. Beside it, the column's name and its weight by standard deviation.
#[rustfmt::skip]
pub const WEIGHTS: [f32; INPUTS] = [
    -0.050150793, // contact_number, -0.138
    -0.024321094, // wcn, -0.011
    0.07745402, // hse_up, +0.584
    0.029807342, // hse_down, +0.153
    1.3311496, // centrality, +0.049
    0.5400543, // clustering, +0.069
    0.0043440964, // long_range_contacts, +0.012
    -0.8256347, // contact_order, -0.064
    0.007107785, // ca_angle, +0.119
    0.000066819266, // ca_dihedral, +0.007
    -1.2525356, // centroid_distance, -0.404
    -0.005714855, // sasa, -0.251
    -1.2785146, // rsa, -0.275
    0.015476899, // sasa_apolar, +0.418
    -0.6594091, // cx, -0.387
    -0.8442384, // depth, -1.097
    -0.032085057, // atomic_contacts, -0.297
    -0.040539507, // hydropathy, -0.124
    -0.026103402, // hydropathy_local, -0.017
    0.007397953, // charge, +0.004
    -0.042698003, // charge_local, -0.074
    0.008329403, // volume, +0.321
    -0.66179466, // bfactor_z, -0.660
    0.17255074, // bfactor_local, +0.140
];

/// What a column counts as where it is not defined: its mean in the structures of the fit.
#[rustfmt::skip]
pub const MEANS: [f32; INPUTS] = [
    9.972983, // contact_number
    1.3831525, // wcn
    13.238583, // hse_up
    17.475527, // hse_down
    0.024787813, // centrality
    0.53502476, // clustering
    3.2858548, // long_range_contacts
    0.068913326, // contact_order
    105.31988, // ca_angle
    -4.7075057, // ca_dihedral
    0.94653594, // centroid_distance
    43.817326, // sasa
    0.22446445, // rsa
    24.245428, // sasa_apolar
    0.5554531, // cx
    1.416452, // depth
    22.760921, // atomic_contacts
    -0.23385076, // hydropathy
    -0.09215177, // hydropathy_local
    -0.011237534, // charge
    -0.12644567, // charge_local
    135.08443, // volume
    -0.0000000021352877, // bfactor_z
    -0.034574546, // bfactor_local
];
