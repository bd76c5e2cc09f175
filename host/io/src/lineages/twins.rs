//! Structures that differ only in annotations share the features of their geometry.

use super::Lineages;
use prism_engine::injected::Injected;
use prism_engine::{Backend, Engine, Selection, StructureFeatures};
use prism_read::structure::StructureInput;
use prism_read::{ReadOptions, read_path};
use shared_types::{FEATURES, MegaFusedConfig};
use std::sync::atomic::Ordering;

/// Alpha and Beta have the same residues where the structure has any; Other has what the structure has.
const TABLE: &str = "\
lineage,country,date,count,substitutions
Alpha,UK,2021-12-01,80,N501Y
Beta,UK,2021-12-01,20,N501Y D614G
Omicron,UK,2021-12-01,5,N501Y E484A
Other,UK,2021-12-01,10,
Alpha,UK,2021-12-05,30,
Omicron,UK,2021-12-05,70,
Alpha,FR,2021-12-01,3,
Other,FR,2021-12-02,4,
Omicron,FR,2021-12-04,9,
";

/// The lineages' structures, then the structure itself, twice, and one that differs from all others.
fn structures() -> Vec<StructureInput> {
    let wild = read_path("../../data/6m0j_rbd.pdb", "rbd", &ReadOptions::default()).unwrap().structure;
    let lineages = Lineages::from_reader(TABLE.as_bytes(), "t.csv").unwrap();
    let mut all: Vec<_> = lineages.apply(&wild).into_iter().map(|(one, _)| one).collect();
    assert_eq!(all.len(), 7);
    // The first of three twins is the one without annotations.
    all[0].gisaid_freq.fill(f32::NAN);
    all[0].gisaid_velocity.fill(f32::NAN);
    all.extend([wild.clone(), wild.clone(), crate::synthetic::structure("other", 40, 7)]);
    all
}

fn bits(features: &StructureFeatures) -> (&str, &[u8], &[i32], &[u8]) {
    let rows = bytemuck::cast_slice(features.values());
    (&features.name, rows, &features.site_ids, bytemuck::bytes_of(&features.summary))
}

fn selections() -> Vec<Selection> {
    let of = |names: &[&str], sites| Selection::new(FEATURES.iter().filter(|one| names.contains(&one.name)), sites);
    let mut all = vec![
        Selection::default(),
        Selection::default().with_points(),
        of(&["exposed_velocity"], false),
        of(&["gisaid_freq", "ca_x", "ss"], false),
        of(&["freq_local", "sasa"], false),
        of(&["gisaid_velocity"], true),
        of(&["gisaid_velocity", "velocity_local"], false),
    ];
    all.extend(FEATURES.iter().map(|feature| of(&[feature.name], false)));
    all
}

#[test]
fn twins_have_the_bits_that_each_has_alone() {
    let structures = structures();
    for config in [0.0, 0.05].map(|min_feature_value| MegaFusedConfig { min_feature_value, ..Default::default() }) {
        let engine = Engine::builder().backend(Backend::Cpu).config(config).build().unwrap();
        let alone: Vec<_> =
            structures.iter().map(|one| engine.run(std::slice::from_ref(one)).unwrap().remove(0)).collect();
        for selection in selections() {
            let engine = engine.with_selection(selection.clone());
            let together = engine.run(&structures).unwrap();
            for (found, whole) in together.iter().zip(&alone) {
                assert_eq!((&found.name, found.n_residues), (&whole.name, whole.n_residues));
                for feature in selection.features() {
                    let bits =
                        |values: Option<&[f32]>| -> Vec<u32> { values.unwrap().iter().map(|x| x.to_bits()).collect() };
                    let same = bits(found.named(feature.name)) == bits(whole.named(feature.name));
                    assert!(same, "{} of {}", feature.name, found.name);
                }
                assert!(!selection.has_sites() || found.site_ids == whole.site_ids && found.sites == whole.sites);
            }
            // All else that a structure has by itself: points, and the summary of these steps.
            let one = engine.run(std::slice::from_ref(&structures[6])).unwrap().remove(0);
            assert_eq!(bits(&together[6]), bits(&one));
            assert_eq!(together[6].atom_points, one.atom_points);
        }
    }
}

#[test]
fn geometries_of_twins_are_computed_once() {
    let structures = structures();
    let lineages = &structures[..7];
    let worker = Injected::new("one", 1);
    let seen = worker.seen.clone();
    let engine = Engine::of_workers(vec![worker.boxed()], None, usize::MAX);
    engine.run(lineages).unwrap();
    // Alpha, Omicron and the structure as it is.
    let distinct = lineages[0].n_atoms() + lineages[2].n_atoms() + lineages[3].n_atoms();
    assert_eq!(seen.exposed_atoms.load(Ordering::SeqCst), distinct);
}

#[test]
fn twins_that_cannot_be_computed_each_get_their_error() {
    let mut structures = structures();
    let memory = structures[0].n_atoms() + 1;
    structures.truncate(2);
    structures[1].atoms.to_mut().truncate(3);
    let engine = Engine::of_workers(vec![Injected::new("one", 1).boxed()], None, usize::MAX);
    let each = engine.run_each(&structures).unwrap();
    assert!(each[0].is_ok() && each[1].as_ref().is_err_and(|error| error.structure_index() == Some(1)));

    let structures = &self::structures()[..2];
    let small = Injected::new("small", 1).with_memory(memory - 2);
    let each = Engine::of_workers(vec![small.boxed()], None, usize::MAX).run_each(structures).unwrap();
    let indices: Vec<_> = each.iter().map(|one| one.as_ref().unwrap_err().structure_index()).collect();
    assert_eq!(indices, [Some(0), Some(1)]);
}
