//! The model of ligand-binding sites, as `data/sites/fit.py` has fitted it. Written by that script: change it there.
//!
//! Fitted on 2026-11-21 on 85 structures of 62 families (42837
//! residues, 2554 of which line a ligand), with an L2 penalty of 0.0001, at a contact threshold of 8.0 Å and 100
//! test points an atom. In cross-validation by family (10 folds) the area under the ROC curve is 0.758 over all
//! residues, and 0.768 as the mean over structures; the best single column, `centroid_distance`, has 0.665 over
//! all residues. At the default threshold Matthews' coefficient is 0.203.

/// Columns that the model reads: the first ones.
pub const INPUTS: usize = 24;

/// Contact threshold in Å of the columns it was fitted on. With any other there is no score.
pub const CONTACT_THRESHOLD: f32 = 8.0;

/// The score from which a residue may be part of a site, where nothing else is said: that of the best Matthews
/// coefficient in cross-validation.
pub const DEFAULT_THRESHOLD: f32 = 0.16;

/// The score is 1 / (1 + exp(-(BIAS + sum of WEIGHTS times columns))).
pub const BIAS: f32 = -2.20848;

/// A weight a column. Beside it, the column's name and its weight by standard deviation.
#[rustfmt::skip]
pub const WEIGHTS: [f32; INPUTS] = [
    -0.03156988, // contact_number, -0.087
    -0.036674, // wcn, -0.014
    0.060154453, // hse_up, +0.458
    0.017465526, // hse_down, +0.090
    1.0328753, // centrality, +0.046
    0.6188434, // clustering, +0.080
    0.0060321144, // long_range_contacts, +0.017
    -1.0502216, // contact_order, -0.087
    0.0050266557, // ca_angle, +0.083
    0.000075836455, // ca_dihedral, +0.008
    -1.2263098, // centroid_distance, -0.391
    -0.003954956, // sasa, -0.179
    -1.1537958, // rsa, -0.256
    0.013402592, // sasa_apolar, +0.374
    -0.5676722, // cx, -0.358
    -0.69092405, // depth, -0.874
    -0.028128177, // atomic_contacts, -0.261
    -0.03981692, // hydropathy, -0.121
    -0.03977609, // hydropathy_local, -0.027
    -0.016044782, // charge, -0.008
    -0.046258252, // charge_local, -0.080
    0.0074338517, // volume, +0.286
    -0.618712, // bfactor_z, -0.609
    0.29907906, // bfactor_local, +0.236
];

/// What a column counts as where it is not defined: its mean in the structures of the fit.
#[rustfmt::skip]
pub const MEANS: [f32; INPUTS] = [
    9.788476, // contact_number
    1.1903031, // wcn
    12.45252, // hse_up
    16.994055, // hse_down
    0.03494485, // centrality
    0.54368174, // clustering
    3.0637646, // long_range_contacts
    0.07469223, // contact_order
    105.169586, // ca_angle
    -5.3716908, // ca_dihedral
    0.947919, // centroid_distance
    47.361004, // sasa
    0.2439036, // rsa
    26.18959, // sasa_apolar
    0.62752765, // cx
    1.3383538, // depth
    22.212181, // atomic_contacts
    -0.26236105, // hydropathy
    -0.11409611, // hydropathy_local
    -0.014819266, // charge
    -0.16008133, // charge_local
    134.56595, // volume
    -0.000000012030085, // bfactor_z
    -0.037741426, // bfactor_local
];
