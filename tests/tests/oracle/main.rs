//! Features compared with oracles: every column is computed again in f64, over all pairs, from its definition.

mod atoms;
mod boundaries;
mod centrality;
mod crowded;
mod expected;
mod graph;
mod invariance;
mod large;
mod order;
mod position;
mod residues;
mod shipped;
mod sites;
mod synthetic;

use atoms::Atoms;
use prism_host::{Backend, Engine, StructureFeatures, StructureInput};
use residues::residues;
use shared_types::feature::column;
use shared_types::{Group, MegaFusedConfig};
use tests::dice::Dice;

/// The CPU backend; other backends have its bits.
fn engine(contact_threshold: f32, min_feature_value: f32) -> Engine {
    let config = MegaFusedConfig { contact_threshold, min_feature_value, ..MegaFusedConfig::default() };
    Engine::builder().backend(Backend::Cpu).config(config).build().unwrap()
}

fn run(structures: &[StructureInput], contact_threshold: f32) -> Vec<StructureFeatures> {
    engine(contact_threshold, 0.0).run(structures).unwrap()
}

fn name_of(column: usize) -> &'static str {
    Group::Residue.features().find(|feature| feature.column == column).map_or("?", |feature| feature.name)
}

/// The errors in a structure's features. Rows with values within `margin` (Å) of a limit are skipped and counted.
fn faults(
    structure: &StructureInput,
    features: &StructureFeatures,
    threshold: f32,
    margin: f64,
) -> (Vec<String>, usize) {
    let residues = residues(structure);
    let mut expected = expected::rows(&residues, f64::from(threshold), margin);
    let atoms = Atoms::new(structure, MegaFusedConfig::default().points, ATOM_MARGIN);
    for (i, row) in expected.iter_mut().enumerate() {
        let velocity = *row.columns.iter().find(|value| value.column == column::VELOCITY_LOCAL).expect("a column");
        row.columns.extend(atoms.row(i, velocity));
    }
    let mut faults = Vec::new();
    let mut say = |text: String| faults.push(format!("{} at {threshold} Å: {text}", structure.name));
    for (i, (expected, found)) in expected.iter().zip(&features.rows()).enumerate() {
        for value in expected.columns.iter().filter(|_| !expected.doubtful) {
            let found = found.columns[value.column];
            if !value.admits(found) {
                say(format!("row {i} {}: {found}, expected {value:?}", name_of(value.column)));
            }
        }
        for (column, value) in found.columns.iter().enumerate() {
            if value.is_nan() && value.to_bits() != 0x7fc0_0000 {
                say(format!("row {i} {}: a NaN of bits {:x}", name_of(column), value.to_bits()));
            }
        }
    }
    if expected.len() != features.n_residues {
        say(format!("{} rows of {}", features.n_residues, expected.len()));
    }
    let doubtful = expected.iter().filter(|row| row.doubtful).count();

    let graph = graph::Graph::new(&residues, f64::from(threshold));
    let centrality: Vec<f32> = features.column(column::CENTRALITY).collect();
    if doubtful == 0
        && let Some(fault) = graph.fault(&centrality, &residues)
    {
        say(format!("centrality: {fault}"));
    }
    for fault in sites::faults(features) {
        say(fault);
    }
    let summary = features.summary;
    let counts = (summary.residues as usize, summary.atoms as usize);
    if counts != (structure.n_residues(), structure.n_atoms()) {
        say(format!("summary: {counts:?}"));
    }
    if doubtful == 0 && summary.contacts as usize != graph.contacts() {
        say(format!("summary: {} contacts of {}", summary.contacts, graph.contacts()));
    }
    if !atoms.whole_area().admits(summary.area) {
        say(format!("summary: area {}, expected {:?}", summary.area, atoms.whole_area()));
    }
    let radius = expected::radius_of_gyration(&residues);
    let found = summary.radius_of_gyration;
    let agree = if radius.is_nan() {
        found.to_bits() == 0x7fc0_0000
    } else {
        (f64::from(found) - radius).abs() <= 1e-6 * radius
    };
    if !agree {
        say(format!("summary: radius of gyration {found} (bits {:x}), expected {radius}", found.to_bits()));
    }
    (faults, doubtful)
}

/// The same for atoms that cover test points, whose positions are rounded, too.
const ATOM_MARGIN: f64 = 2e-5;

/// If something is closer to a limit than this in Å, the rounding of f32 decides. (A coordinate of 64 Å has a spacing of
/// 8e-6 Å, but is exact; differences and squares are rounded.)
const MARGIN: f64 = 3e-6;

fn assert_right(structures: &[StructureInput], threshold: f32) {
    for (structure, features) in structures.iter().zip(run(structures, threshold)) {
        let (faults, doubtful) = faults(structure, &features, threshold, MARGIN);
        assert!(faults.is_empty(), "{} faults:\n{}", faults.len(), faults[..faults.len().min(20)].join("\n"));
        assert!(
            doubtful * 50 <= structure.n_residues(),
            "{} at {threshold} Å: {doubtful} rows depend on rounding; take another seed",
            structure.name
        );
    }
}

#[test]
fn real_structures_have_the_features_that_are_defined() {
    assert_right(&shipped::structures(), 8.0);
}

#[test]
fn real_structures_have_the_sites_that_are_defined() {
    let structures = shipped::structures();
    for (structure, features) in structures.iter().zip(run(&structures, 8.0)) {
        let faults = sites::Defined::new(structure).faults(&features);
        assert!(
            faults.is_empty(),
            "{}: {} faults:\n{}",
            structure.name,
            faults.len(),
            faults[..faults.len().min(20)].join("\n")
        );
        assert!(features.sites.len() >= 5, "{}: {} sites", structure.name, features.sites.len());
    }
}

#[test]
fn real_structures_with_annotation_too() {
    let dice = &mut Dice::new(3);
    let structures: Vec<_> = shipped::structures().into_iter().take(3).map(|s| synthetic::annotate(s, dice)).collect();
    assert_right(&structures, 8.0);
}

#[test]
fn odd_structures_have_the_features_that_are_defined() {
    assert_right(&synthetic::zoo(), 8.0);
}

/// At 12 Å some contact lists overflow, at 30 Å most of them; below 3 Å hardly any contact is left.
#[test]
fn every_contact_threshold_gives_what_is_defined() {
    let mut structures = synthetic::zoo();
    structures.extend(shipped::structures().into_iter().take(2));
    for threshold in [2.0, 6.0, 12.0, 30.0] {
        assert_right(&structures, threshold);
    }
}

/// The oracle gives intervals for rows in which rounding decides, and these are few.
#[test]
fn the_oracle_knows_areas_of_most_rows_exactly() {
    for structure in shipped::structures() {
        let atoms = Atoms::new(&structure, MegaFusedConfig::default().points, ATOM_MARGIN);
        let velocity =
            expected::Expected { column: column::VELOCITY_LOCAL, value: None, tolerance: 0.0, periodic: false };
        let vague = |&row: &usize| atoms.row(row, velocity).iter().any(|value| value.tolerance > 1e-3);
        let rows = (0..structure.n_residues()).filter(vague).count();
        assert!(rows * 20 <= structure.n_residues(), "{}: {rows} rows", structure.name);
    }
}

#[test]
fn the_oracle_sees_a_wrong_number() {
    let structures = shipped::structures();
    let right = &run(&structures[..1], 8.0)[0];
    let defined = sites::Defined::new(&structures[0]);
    for feature in Group::Residue.features() {
        let mut wrong = right.clone();
        let value = &mut wrong.named_mut(feature.name).expect("a feature")[20];
        *value = if value.is_nan() { 0.0 } else { *value * 1.1 + 0.01 };
        let (faults, _) = faults(&structures[0], &wrong, 8.0, MARGIN);
        // Another oracle checks scores.
        let faults = if feature.column == column::SITE_SCORE { defined.faults(&wrong) } else { faults };
        assert_eq!(faults.len(), 1, "{}: {faults:?}", feature.name);
    }
    let mut wrong = right.clone();
    wrong.site_ids[20] += 1;
    let (faults, _) = faults(&structures[0], &wrong, 8.0, MARGIN);
    assert_eq!(faults.len(), 1, "{faults:?}");
}
