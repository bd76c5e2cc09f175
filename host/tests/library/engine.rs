//! The engine: results do not depend on how the work is split, and invalid input is refused.

use crate::synthetic::structure;
use prism_host::engine::{Backend, Engine, EngineError, Selection};
use prism_host::{PackedBatch, StructureFeatures, StructureInput};
use shared_types::feature::column;
use shared_types::{FEATURES, Feature, Group, MAX_POINTS, MIN_POINTS, MegaFusedConfig, NO_CA};

fn cpu() -> Engine {
    Engine::builder().backend(Backend::Cpu).build().unwrap()
}

/// Sizes around the size of a block, and some with many contacts.
fn mixed() -> Vec<StructureInput> {
    let sizes = [1, 2, 3, 255, 256, 257, 31, 64, 500];
    sizes.iter().enumerate().map(|(i, &n)| structure(&format!("s{i}"), n, i as u64)).collect()
}

/// All results of a structure, as bits.
fn bits(features: &StructureFeatures) -> (Vec<u32>, Vec<u8>) {
    let values = features.values().iter().map(|value| value.to_bits()).collect();
    (values, bytemuck::bytes_of(&features.summary).to_vec())
}

fn assert_same_bits(left: &StructureFeatures, right: &StructureFeatures, how: &str) {
    assert_eq!(left.name, right.name, "{how}");
    for (i, (a, b)) in left.rows().iter().zip(&right.rows()).enumerate() {
        for feature in Group::Residue.features() {
            let (a, b) = (a.columns[feature.column], b.columns[feature.column]);
            assert_eq!(a.to_bits(), b.to_bits(), "{how}: {} row {i} {}: {a} and {b}", left.name, feature.name);
        }
    }
    assert!(bits(left) == bits(right), "{how}: {} differs beside the features", left.name);
}

#[test]
fn no_structure_is_no_error() {
    assert!(cpu().run(&[]).unwrap().is_empty());
    assert!(cpu().run_each(&[]).unwrap().is_empty());
    let features = cpu().run_batch(&PackedBatch::from_inputs(&[]).unwrap()).unwrap();
    assert_eq!((features.n_structures(), features.n_residues()), (0, 0));
    assert!(features.values().is_empty());
}

#[test]
fn a_batch_knows_its_structures() {
    let inputs = mixed();
    let features = cpu().run_batch(&PackedBatch::from_inputs(&inputs).unwrap()).unwrap();
    let expected = cpu().run(&inputs).unwrap();
    for (index, one) in expected.iter().enumerate() {
        let view = features.structure(index);
        assert_eq!((view.name, view.n_residues), (one.name.as_str(), one.n_residues));
        assert_eq!(bytemuck::cast_slice::<_, u32>(view.values), bits(one).0);
        assert_eq!(features.summaries()[index].residues as usize, one.n_residues);
        assert_eq!(view.site_ids, one.site_ids);
    }
}

/// A selection of columns gives them the same bits as all columns together.
#[test]
fn what_is_asked_for_has_the_bits_that_it_has_among_all() {
    let mut inputs = mixed();
    // A structure for which the kernels for large structures run.
    inputs.push(structure("large", 1100, 7));
    let all = cpu().run(&inputs).unwrap();
    let ask = |features: Vec<&'static Feature>, sites| {
        let selection = Selection::new(features, sites);
        Engine::builder().backend(Backend::Cpu).selection(selection).build().unwrap().run(&inputs).unwrap()
    };
    let every = FEATURES.iter().map(|feature| (vec![feature], false));
    let several = ["sasa", "ca_z", "contact_number", "wcn", "exposed_velocity"];
    let several = FEATURES.iter().filter(|feature| several.contains(&feature.name)).collect();
    for (features, sites) in every.chain([(several, false), (Vec::new(), true), (Vec::new(), false)]) {
        for (found, expected) in ask(features.clone(), sites).iter().zip(&all) {
            assert_eq!(found.values().len(), features.len() * found.n_residues);
            for feature in &features {
                let bits = |one: &StructureFeatures| {
                    let values = one.named(feature.name).expect("it was asked for");
                    values.iter().map(|value| value.to_bits()).collect::<Vec<_>>()
                };
                assert!(bits(found) == bits(expected), "{} of {}", feature.name, found.name);
            }
            assert_eq!(found.site_ids, if sites { &expected.site_ids[..] } else { &[] });
            assert_eq!(found.named("cx").is_some(), features.iter().any(|feature| feature.name == "cx"));
        }
    }
}

/// Two residues whose alpha carbons are 5 Å apart.
fn pair() -> StructureInput {
    let mut pair = structure("pair", 2, 1);
    let (first, second) = (pair.ca_indices[0] as usize, pair.ca_indices[1] as usize);
    for (index, x) in [(first, 1.0), (second, 6.0)] {
        (pair.atoms[index].x, pair.atoms[index].y, pair.atoms[index].z) = (x, 2.0, 3.0);
    }
    pair
}

#[test]
fn a_pair_has_the_features_of_a_pair() {
    let features = &cpu().run(&[pair()]).unwrap()[0];
    let both = |column| features.column(column).collect::<Vec<_>>();
    assert_eq!(both(column::CONTACT_NUMBER), [1.0, 1.0]);
    assert!(both(column::WCN).iter().all(|wcn| (wcn - 0.04).abs() < 1e-7), "{:?}", both(column::WCN));
    assert!(both(column::CENTRALITY).iter().all(|v| (v - 0.5f32.sqrt()).abs() < 1e-4));
    assert!(both(column::CA_ANGLE).iter().all(|angle| angle.is_nan()));
    assert_eq!((features.summary.contacts, features.summary.residues), (1, 2));
}

#[test]
fn the_configuration_counts() {
    let run = |contact_threshold, min_feature_value| {
        let config = MegaFusedConfig { contact_threshold, min_feature_value, ..MegaFusedConfig::default() };
        let engine = Engine::builder().backend(Backend::Cpu).config(config).build().unwrap();
        assert_eq!(engine.config(), config);
        let row = engine.run(&[pair()]).unwrap()[0].rows()[0].columns;
        (row[column::CONTACT_NUMBER], row[column::WCN])
    };
    assert_eq!(run(5.0, 0.0).0, 0.0, "a contact is closer than the threshold");
    assert_eq!(run(5.1, 0.0).0, 1.0);
    assert_eq!(run(8.0, 0.1), (1.0, 0.0));
}

#[test]
fn configurations_that_make_no_sense_are_refused() {
    let refused = |contact_threshold, min_feature_value| {
        let config = MegaFusedConfig { contact_threshold, min_feature_value, ..MegaFusedConfig::default() };
        let error = Engine::builder().backend(Backend::Cpu).config(config).build().unwrap_err();
        matches!(error, EngineError::Config { .. })
    };
    for threshold in [0.0, -8.0, f32::NAN, f32::INFINITY] {
        assert!(refused(threshold, 0.0), "{threshold}");
    }
    for minimum in [-1.0, f32::NAN, f32::INFINITY] {
        assert!(refused(8.0, minimum), "{minimum}");
    }
    for points in [0, MIN_POINTS - 1, MAX_POINTS + 1, u32::MAX] {
        let config = MegaFusedConfig { points, ..MegaFusedConfig::default() };
        let error = Engine::builder().backend(Backend::Cpu).config(config).build().unwrap_err();
        assert_eq!(error.to_string(), format!("`points` is {points}; it must be from 20 to 5000"));
    }
    let error = Engine::builder().backend(Backend::Cpu).devices([0]).build().unwrap_err();
    assert!(matches!(error, EngineError::DevicesWithoutCuda), "{error}");
}

#[test]
fn a_device_that_is_not_there_is_an_error() {
    for backend in [Backend::Cuda, Backend::Auto] {
        let error = Engine::builder().backend(backend).devices([1_000_000]).build().unwrap_err();
        assert!(matches!(error, EngineError::NoCuda(_)), "{error}");
    }
}

#[test]
fn auto_always_has_a_backend() {
    let engine = Engine::builder().build().unwrap();
    assert!(engine.backend_description().starts_with(engine.backend_name()));
    assert!(["CPU (", "CUDA on "].iter().any(|name| engine.backend_name().starts_with(name)));
    assert_eq!(engine.run(&[pair()]).unwrap().len(), 1);
}

#[test]
fn the_structure_to_blame_is_named_and_the_others_are_computed() {
    let mut inputs = mixed();
    inputs[4].residue_types[7] = 255;
    let engine = Engine::builder().backend(Backend::Cpu).batch_atoms(900).build().unwrap();
    let error = engine.run(&inputs).unwrap_err();
    assert_eq!(error.structure_index(), Some(4));
    assert!(error.to_string().contains("\"s4\", residue 7"), "{error}");

    let each = engine.run_each(&inputs).unwrap();
    assert_eq!(each[4].as_ref().unwrap_err().structure_index(), Some(4));
    inputs.remove(4);
    let expected = engine.run(&inputs).unwrap();
    for (features, other) in expected.iter().zip(each.iter().flatten()) {
        assert_same_bits(features, other, "beside one that failed");
    }
    assert_eq!(each.iter().flatten().count(), expected.len());
}

#[test]
fn structures_may_come_one_by_one() {
    let inputs = mixed();
    let engine = Engine::builder().backend(Backend::Cpu).batch_atoms(100).build().unwrap();
    let expected = engine.run(&inputs).unwrap();
    let mut taken = 0;
    let mut one_by_one = engine.run_iter(inputs.iter().cloned().inspect(|_| taken += 1));
    assert_same_bits(&expected[0], &one_by_one.next().unwrap().unwrap(), "the first");
    let rest: Vec<_> = one_by_one.map(Result::unwrap).collect();
    assert_eq!((rest.len(), taken), (inputs.len() - 1, inputs.len()));
    for (features, other) in expected[1..].iter().zip(&rest) {
        assert_same_bits(features, other, "one by one");
    }

    // Inputs are taken only as needed, and an error names the index in the whole input.
    let mut endless = (0..).map(|i| {
        let mut structure = structure(&i.to_string(), 40, i);
        if i == 30 {
            structure.residue_types.clear();
        }
        structure
    });
    let failed = engine.run_iter(&mut endless).find_map(Result::err).unwrap();
    assert_eq!(failed.structure_index(), Some(30));
    assert!(endless.next().unwrap().name.parse::<u32>().unwrap() < 60);
    assert_eq!(engine.run_iter([]).count(), 0);
}

#[test]
fn threads_share_an_engine() {
    let engine = cpu();
    let inputs = mixed();
    let expected = engine.run(&inputs).unwrap();
    std::thread::scope(|scope| {
        for _ in 0..4 {
            scope.spawn(|| {
                for (features, other) in expected.iter().zip(&engine.run(&inputs).unwrap()) {
                    assert_same_bits(features, other, "at the same time as others");
                }
            });
        }
    });
}

/// Asserts the values of heavy-atom columns for a residue without atoms.
fn assert_no_atoms(columns: [f32; 32]) {
    assert_eq!([columns[column::SASA], columns[column::RSA], columns[column::ATOMIC_CONTACTS]], [0.0; 3]);
    assert!(columns[column::CX].is_nan() && columns[column::DEPTH].is_nan());
}

#[test]
fn a_residue_without_atoms_has_no_area() {
    for empty in 0..2 {
        let mut structure = pair();
        structure.atoms.to_mut().truncate(1);
        structure.residue_atoms = if empty == 0 { vec![0, 0, 1] } else { vec![0, 1, 1] };
        structure.ca_indices = vec![0; 2];
        structure.ca_indices[empty] = NO_CA;
        let features = &Engine::builder().backend(Backend::Cpu).build().unwrap().run(&[structure]).unwrap()[0];
        assert_no_atoms(features.rows()[empty].columns);
        let area = features.rows()[1 - empty].columns[column::SASA];
        assert!(area > 100.0);
        assert_eq!((features.summary.area, features.summary.atoms), (area, 1));
    }
}
