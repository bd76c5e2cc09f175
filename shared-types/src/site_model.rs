//! The model of ligand-binding sites. Generated: `data/sites/fit.py` writes this file from `data/sites/site_model.rs.in`.
//!
//! Fitted on 2026-11-21 on 84 structures of 61 families (147 chains, 42714 residues, 2453 of
//! which line a ligand), with an L2 penalty of 1e-05, at a contact threshold of 8.0 Å and 100 test points an atom.
//! In cross-validation by family (10 folds) the area under the ROC curve is 0.769 over all residues, and 0.769 ±
//! 0.014 as the mean of structures; the best single column, `centroid_distance`, has 0.670 over all residues. At the
//! default threshold Matthews' coefficient is 0.217. `docs/src/sites.md` tells the method and what it can do.

/// Columns that the model reads: the first ones.
pub const INPUTS: usize = 24;

/// Contact threshold in Å of the columns it was fitted on. With any other there is no score.
pub const CONTACT_THRESHOLD: f32 = 8.0;

/// The score from which a residue may be part of a site, where nothing else is said: that of the best Matthews
/// coefficient in cross-validation.
pub const DEFAULT_THRESHOLD: f32 = 0.113;

/// The score is 1 / (1 + exp(-(BIAS + sum of WEIGHTS times columns))).
pub const BIAS: f32 = -3.1015358;

/// A weight a column, in one over the column's unit. Beside it, the column's name and its weight by standard deviation.
#[rustfmt::skip]
pub const WEIGHTS: [f32; INPUTS] = [
    -0.049435392, // contact_number, -0.136
    -0.065327786, // wcn, -0.029
    0.085893184, // hse_up, +0.648
    0.034557663, // hse_down, +0.178
    1.2634022, // centrality, +0.046
    0.7769693, // clustering, +0.099
    0.006045439, // long_range_contacts, +0.017
    -0.8909548, // contact_order, -0.069
    0.007164582, // ca_angle, +0.120
    0.000073766816, // ca_dihedral, +0.008
    -1.2985044, // centroid_distance, -0.419
    -0.0075205336, // sasa, -0.330
    -1.3772808, // rsa, -0.296
    0.017669208, // sasa_apolar, +0.478
    -0.6344359, // cx, -0.373
    -0.9017452, // depth, -1.172
    -0.035899013, // atomic_contacts, -0.332
    -0.049429968, // hydropathy, -0.151
    -0.033072628, // hydropathy_local, -0.021
    -0.0038287458, // charge, -0.002
    -0.04375066, // charge_local, -0.076
    0.009078992, // volume, +0.350
    -0.82057863, // bfactor_z, -0.819
    0.34448487, // bfactor_local, +0.280
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
