//! Unusual configurations and structures.

use crate::{backends, backends_with, one_of_each};
use kernels_gpu::scratch::contact_words;
use shared_types::MegaFusedConfig;
use shared_types::feature::column;
use tests::synthetic::{Annotation, Recipe, move_ca, remove_ca};

#[test]
fn contact_thresholds() {
    for contact_threshold in [6.0, 8.0, 12.0, 25.0] {
        let config = MegaFusedConfig { contact_threshold, ..MegaFusedConfig::default() };
        let Some(backends) = backends_with(config) else { return };
        let mut structures = one_of_each();
        structures.push(Recipe::new(900, 31).chains(2).build());
        let features = backends.compare(&structures);
        let contacts = features.iter().flat_map(|features| features.column(column::CONTACT_NUMBER));
        let most = contacts.fold(0.0, |most: f32, x| if x > most { x } else { most });
        if contact_threshold > 20.0 {
            assert!(most >= contact_words(contact_threshold) as f32, "lists overflow: {most} contacts");
        }
    }
}

#[test]
fn small_values_are_dropped() {
    let config = MegaFusedConfig { min_feature_value: 0.1, ..MegaFusedConfig::default() };
    let Some(backends) = backends_with(config) else { return };
    let features = backends.compare(&one_of_each());
    let rows = || features.iter().flat_map(|features| features.values()).copied();
    assert!(rows().all(|x| x == 0.0 || x.is_nan() || x.abs() >= 0.1));
    assert!(rows().any(|x| x.is_nan()) && rows().any(|x| x >= 0.1));
}

#[test]
fn missing_alpha_carbons() {
    let Some(backends) = backends() else { return };
    let missing = |n: usize, which: &dyn Fn(usize) -> bool| {
        let mut structure = Recipe::new(n, n as u64).annotation(Annotation::Whole).build();
        (0..n).filter(|i| which(*i)).for_each(|i| remove_ca(&mut structure, i));
        structure
    };
    let structures = [
        missing(300, &|i| i % 5 == 0),
        missing(300, &|i| i == 0 || i == 299),
        missing(65, &|i| i != 40),
        missing(40, &|_| true),
        missing(1, &|_| true),
    ];
    let features = backends.compare(&structures);
    assert!(features[3].summary.radius_of_gyration.is_nan());
    assert_eq!(features[3].summary.contacts, 0);
    assert!(
        features[0].rows()[5].columns[column::WCN].is_nan() && !features[0].rows()[6].columns[column::WCN].is_nan()
    );
}

#[test]
fn coinciding_atoms() {
    let Some(backends) = backends() else { return };
    let coinciding = |n: usize, which: &dyn Fn(usize) -> bool| {
        let mut structure = Recipe::new(n, n as u64).build();
        (1..n).filter(|i| which(*i)).for_each(|i| move_ca(&mut structure, i, 0));
        structure
    };
    let structures = [
        coinciding(2, &|_| true),
        coinciding(100, &|i| i == 50 || i == 1),
        coinciding(100, &|i| i % 2 == 0),
        coinciding(300, &|_| true),
    ];
    let features = backends.compare(&structures);
    // All residues are in contact with each other, and the lists have room for few.
    assert!(features[3].column(column::CONTACT_NUMBER).all(|x| x == 299.0) && contact_words(8.0) < 299);
    assert!(features[3].column(column::WCN).all(|x| x == 0.0));
}

#[test]
fn several_chains() {
    let Some(backends) = backends() else { return };
    let mut structures: Vec<_> = [2, 3, 16].iter().map(|&k| Recipe::new(333, 5).chains(k).build()).collect();
    structures.push(Recipe::new(50, 6).chains(50).build());
    // A chain that continues after another one.
    let mut woven = Recipe::new(200, 7).chains(2).build();
    woven.chain_ids.iter_mut().enumerate().for_each(|(i, chain)| *chain = u32::from(i / 10 % 2 == 1));
    structures.push(woven);
    let features = backends.compare(&structures);
    assert!(features[3].column(column::CA_ANGLE).all(f32::is_nan), "no two residues are of one chain");
}

#[test]
fn annotation_with_gaps() {
    let Some(backends) = backends() else { return };
    let mut structures: Vec<_> = [Annotation::None, Annotation::Partly, Annotation::Whole]
        .iter()
        .map(|&annotation| Recipe::new(280, 9).annotation(annotation).build())
        .collect();
    // A single value in the whole structure, and no B factors.
    let mut single = Recipe::new(280, 9).build();
    (single.gisaid_freq[279], single.bfactor) = (0.25, vec![f32::NAN; 280]);
    structures.push(single);
    let features = backends.compare(&structures);
    assert!(features[0].column(column::FREQ_LOCAL).all(f32::is_nan));
    assert!(features[2].column(column::CONSERVATION_LOCAL).all(|x| (0.0..=1.0).contains(&x)));
    assert_eq!(features[3].rows()[279].columns[column::FREQ_LOCAL], 0.25);
    // Annotation changes no other column.
    for (plain, whole) in features[0].rows().iter().zip(&features[2].rows()) {
        let [a, b] = [plain, whole].map(|row| row.columns[..column::CONSERVATION].iter().map(|x| x.to_bits()));
        assert!(a.eq(b));
    }
}
