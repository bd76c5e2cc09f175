//! Structures smaller and larger than a block, few and many.

use crate::backends;
use prism_host::StructureInput;
use shared_types::feature::column;
use tests::dice::Dice;
use tests::synthetic::{Annotation, Recipe};

#[test]
fn around_a_block() {
    let Some(backends) = backends() else { return };
    let sizes = [1, 2, 3, 7, 8, 9, 31, 32, 33, 127, 255, 256, 257, 511, 513];
    let structures: Vec<_> = sizes.iter().map(|&n| Recipe::new(n, n as u64).build()).collect();
    let features = backends.compare(&structures);
    assert_eq!(features[0].column(column::CONTACT_NUMBER).collect::<Vec<_>>(), [0.0], "one residue is alone");
}

/// The size of a viral capsid; one block computes all of it.
#[test]
fn twenty_six_thousand_residues() {
    let Some(backends) = backends() else { return };
    let structure = Recipe::new(26_000, 26).chains(60).annotation(Annotation::Partly).build();
    let features = backends.compare(&[structure]);
    assert_eq!(features[0].summary.residues, 26_000);
    assert!(features[0].summary.contacts > 26_000);
}

#[test]
fn twenty_thousand_tiny_structures() {
    let Some(backends) = backends() else { return };
    let mut dice = Dice::new(20);
    let tiny = |seed| Recipe::new(1 + dice.below(12), seed).annotation(Annotation::Partly).build();
    let structures: Vec<StructureInput> = (0..20_000).map(tiny).collect();
    for n in 1..=12 {
        assert!(structures.iter().any(|structure| structure.n_residues() == n), "one of {n} residues");
    }
    backends.compare(&structures);
}
