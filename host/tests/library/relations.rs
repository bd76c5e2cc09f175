//! Relations: structures whose lines cannot be computed.

use prism_host::engine::Selection;
use prism_host::output::{InterfacesRelation, RelationFailures, RelationTable, StructureRows, Table};
use prism_host::read::{ReadOptions, read_path};
use prism_host::{Backend, Engine};

#[test]
fn a_structure_whose_interfaces_fail_is_reported_and_the_others_have_lines() {
    let read = |path: &str| read_path(path, path, &ReadOptions::default()).unwrap().structure;
    let structures = [read("../data/6m0j_rbd.pdb"), read("../tests/data/1jcd.pdb.gz")];
    let engine = |selection| Engine::builder().backend(Backend::Cpu).selection(selection).build().unwrap();
    let selection = || Selection::new(shared_types::FEATURES.iter().filter(|feature| feature.name == "sasa"), false);
    let results = engine(selection()).run(&structures).unwrap();
    let rows = structures.iter().zip(&results);
    let rows: Vec<_> =
        rows.map(|(structure, features)| StructureRows { structure, features: features.view() }).collect();
    let failures = RelationFailures::default();
    let between = Some(["A", "B"].map(str::to_owned));
    let relation = InterfacesRelation::new(engine(selection()), between, None, failures.clone());
    let mut text = Vec::new();
    let mut table = RelationTable::csv(&mut text, relation);
    table.write(&rows).unwrap();
    let [failure] = &failures.take()[..] else { panic!("one of the two has no such chains") };
    assert_eq!(failure.name, "../data/6m0j_rbd.pdb");
    assert!(failure.reason.starts_with("no interface: ") && failure.reason.contains("there is no chain \"A\""));
    assert!(failures.take().is_empty());
    Box::new(table).finish().unwrap();
    let text = String::from_utf8(text).unwrap();
    assert_eq!(text.lines().count(), 2);
    assert!(text.contains("\n../tests/data/1jcd.pdb.gz,A,B,"), "{text}");
}
