//! Results that must have the same bits.

use bytemuck::{Pod, cast_slice};
use prism_host::{BatchFeatures, StructureFeatures};
use shared_types::StructureSummary;

/// Asserts that a structure has the same results twice: all values, sites and the summary with its padding.
///
/// # Panics
/// If they differ; the message names `how` they were computed, and the first row and feature.
#[track_caller]
pub fn assert_same(expected: &StructureFeatures, found: &StructureFeatures, how: &str) {
    let name = &expected.name;
    assert_eq!((name, expected.n_residues), (&found.name, found.n_residues), "{how}");
    assert_eq!(expected.view().selection, found.view().selection, "{how}: {name}");
    for feature in expected.view().selection.features() {
        let of = |one: &StructureFeatures| one.named(feature.name).expect("a selected feature").to_vec();
        for (row, (a, b)) in of(expected).into_iter().zip(of(found)).enumerate() {
            assert_eq!(a.to_bits(), b.to_bits(), "{how}: {name}, row {row}, {}: {a} and {b}", feature.name);
        }
    }
    assert_eq!(expected.site_ids, found.site_ids, "{how}: {name}");
    assert_bytes(&expected.sites, &found.sites, how, name);
    assert_bytes(&[expected.summary], &[found.summary], how, name);
}

/// As [`assert_same`], for all structures of a batch.
#[track_caller]
pub fn assert_same_batch(expected: &BatchFeatures, found: &BatchFeatures, how: &str) {
    assert_same_parts(expected, (found.values(), found.site_ids(), found.summaries()), how);
}

/// As [`assert_same_batch`], for values, site ids and summaries that are not in one object.
#[track_caller]
pub fn assert_same_parts(
    expected: &BatchFeatures,
    (values, site_ids, summaries): (&[f32], &[i32], &[StructureSummary]),
    how: &str,
) {
    assert_bytes(expected.values(), values, how, "values");
    assert_eq!(expected.site_ids(), site_ids, "{how}");
    assert_bytes(expected.summaries(), summaries, how, "summaries");
}

#[track_caller]
fn assert_bytes<T: Pod>(expected: &[T], found: &[T], how: &str, what: &str) {
    assert!(cast_slice::<_, u8>(expected) == cast_slice::<_, u8>(found), "{how}: {what} differ");
}
