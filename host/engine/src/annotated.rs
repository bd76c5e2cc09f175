//! Which features are computed with annotations.

use shared_types::Feature;

/// The features of each annotation: what is computed with it.
pub const FEATURES_OF: [(&str, &[&str]); 3] = [
    ("conservation", &["conservation", "conservation_local"]),
    ("gisaid_freq", &["gisaid_freq", "freq_local"]),
    ("gisaid_velocity", &["gisaid_velocity", "velocity_local", "exposed_velocity"]),
];

/// Whether a feature is computed with annotations.
pub(crate) fn is_of_annotations(feature: &Feature) -> bool {
    FEATURES_OF.iter().any(|(_, features)| features.contains(&feature.name))
}
