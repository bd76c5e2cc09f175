//! Features of structures as they are read: chains without side chains, elements that a program guessed.

use crate::read_common::{UBIQUITIN_PDB, read, structure, ubiquitin_atoms};
use prism_host::read::NoteKind;
use prism_host::{Backend, Engine, StructureFeatures, StructureInput};

fn computed(structures: &[StructureInput]) -> Vec<StructureFeatures> {
    Engine::builder().backend(Backend::Cpu).build().unwrap().run(structures).unwrap()
}

/// The number that a note of a kind begins with or contains.
fn counted(text: &str, kind: NoteKind) -> Option<usize> {
    let read = read(text);
    let note = read.notes.iter().find(|note| note.kind == kind)?;
    note.text.split_whitespace().find_map(|word| word.parse().ok())
}

#[test]
fn wrong_elements_change_no_area() {
    let unknown: String =
        ubiquitin_atoms(233).lines().map(|line| format!("{:>2}\n", format!("{} X", &line[..76]))).collect();
    // By FreeSASA 2.2.1, which ignores the column: Lee and Richards, 100 slices.
    let features = &computed(&[structure(unknown)])[0];
    let sum = |name: &str| features.named(name).unwrap().iter().sum::<f32>();
    for (name, area) in [("sasa", 2768.8), ("sasa_apolar", 1706.8)] {
        assert!((sum(name) / area - 1.0).abs() < 0.01, "{name} {}", sum(name));
    }
}

#[test]
fn traces_have_no_features_of_whole_residues() {
    let of = |names: &[&str]| -> String {
        let own = |line: &&str| line.starts_with("ATOM") && names.contains(&line[12..16].trim());
        UBIQUITIN_PDB.lines().filter(own).map(|line| format!("{line}\n")).collect()
    };
    let texts = [of(&["CA"]), of(&["N", "CA", "C", "O", "CB"]), ubiquitin_atoms(602)];
    let read: Vec<_> = texts.iter().map(read).collect();
    let structures: Vec<StructureInput> = read.iter().map(|one| one.structure.clone()).collect();
    let features = computed(&structures);
    for (index, one) in features.iter().enumerate() {
        let is_whole = index == 2;
        for name in ["sasa", "rsa", "sasa_apolar", "cx", "depth", "atomic_contacts", "site_score"] {
            let values = one.named(name).unwrap();
            assert!(values.iter().all(|value| value.is_nan() != is_whole), "{name}");
        }
        for name in ["wcn", "contact_number", "ca_angle", "charge_local"] {
            assert!(one.named(name).unwrap()[1..74].iter().all(|value| !value.is_nan()), "{name}");
        }
        assert_eq!(one.view().sites.is_empty(), !is_whole);
        assert_eq!(read[index].notes.iter().any(|note| note.kind == NoteKind::Traces), !is_whole);
    }
    let ss = |index: usize| features[index].named("ss").unwrap();
    assert!(ss(0).iter().all(|state| state.is_nan()));
    assert_eq!(ss(1), ss(2), "the backbone is there");
    // Single side chains that are cut keep their values.
    let cut: String = ubiquitin_atoms(602)
        .lines()
        .filter(|line| !line.contains(" NZ  LYS"))
        .map(|line| format!("{line}\n"))
        .collect();
    assert_eq!(counted(&cut, NoteKind::Incomplete), Some(7));
    assert!(structure(&cut).traces.is_empty());
}

#[test]
fn traces_bury_no_area_and_touch_with_no_atoms() {
    use prism_host::contacts::{EdgeKind, edges, interfaces};
    let moved = |chain: char, all: bool| -> String {
        let own = ubiquitin_atoms(602);
        let line = |line: &str| {
            let x: f64 = line[30..38].trim().parse().unwrap();
            let by = if chain == 'A' { 0.0 } else { 24.0 };
            format!("{}{chain}{}{:8.3}{}\n", &line[..21], &line[22..30], x + by, &line[38..])
        };
        own.lines().filter(|line| all || line[12..16].trim() == "CA").map(line).collect()
    };
    let engine = Engine::builder().backend(Backend::Cpu).build().unwrap();
    let pair = |whole: [bool; 2]| structure(moved('A', whole[0]) + &moved('B', whole[1]));
    for whole in [[true, true], [true, false], [false, false]] {
        let s = pair(whole);
        assert_eq!(s.traces.len(), whole.iter().filter(|whole| !**whole).count());
        let found = interfaces(&engine, &s, None).unwrap();
        let areas: Vec<f32> = found.pairs.iter().map(|pair| pair.buried_area).collect();
        assert!(areas.len() == 1 && areas[0].is_nan() == (whole != [true, true]), "{areas:?}");
        let undefined = found.residues.iter().filter(|residue| residue.buried().is_nan()).count();
        assert_eq!(undefined, 76 * s.traces.len());
        let of_traces = edges(&s, 8.0, &[EdgeKind::Atoms]);
        let of_traces =
            of_traces.iter().filter(|edge| s.is_in_trace(edge.row_i as usize) || s.is_in_trace(edge.row_j as usize));
        assert_eq!(of_traces.count(), 0);
        let sites = prism_host::sites::sites(
            &s,
            &engine.run(std::slice::from_ref(&s)).unwrap()[0].view(),
            &prism_host::sites::SiteLimits::ALL,
        );
        assert!(sites.iter().all(|site| site.residues.iter().all(|&row| !s.is_in_trace(row))));
        assert!(sites.is_empty() || whole != [false, false]);
    }
}
