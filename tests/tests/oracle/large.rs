//! Sites of very large structures.

use crate::shipped;
use prism_host::engine::Selection;
use prism_host::{Backend, Composition, Engine, StructureInput};
use shared_types::FEATURES;
use shared_types::site_model::MOST_SITES;

/// Copies side by side in one structure, farther apart than any interaction.
fn side_by_side(one: &StructureInput, copies: usize) -> StructureInput {
    // A multiple of the rounding unit of coordinates.
    const APART: f32 = 96.0;
    let mut all = StructureInput {
        center: one.center,
        ..Composition { name: "many".to_owned(), chains: one.chains.clone(), ..Composition::default() }.into()
    };
    for copy in 0..copies {
        let at = |k: usize| APART * (k % 6) as f32;
        let shift = [at(copy), at(copy / 6), at(copy / 36)];
        let first = all.atoms.len() as u32;
        for atom in &one.atoms {
            let mut atom = *atom;
            (atom.x, atom.y, atom.z) = (atom.x + shift[0], atom.y + shift[1], atom.z + shift[2]);
            all.atoms.to_mut().push(atom);
        }
        all.residue_atoms.extend(one.residue_atoms[..one.n_residues()].iter().map(|atom| first + atom));
        all.ca_indices.extend(one.ca_indices.iter().map(|atom| first + atom));
        all.residue_types.extend(&one.residue_types);
        all.chain_ids.extend(&one.chain_ids);
        all.residue_numbers.extend(&one.residue_numbers);
        all.insertion_codes.extend(one.insertion_codes.iter().cloned());
    }
    let end = all.atoms.len() as u32;
    all.residue_atoms.push(end);
    all
}

#[test]
fn sites_of_26_000_residues_are_those_of_their_parts() {
    let one =
        shipped::structures().into_iter().find(|structure| structure.name.starts_with("1aki")).expect("is shipped");
    let copies = 26_000_usize.div_ceil(one.n_residues());
    let selection = Selection::new(FEATURES.iter().filter(|feature| feature.name == "site_score"), true);
    let engine = Engine::builder().backend(Backend::Cpu).selection(selection).build().unwrap();
    let many = side_by_side(&one, copies);
    let [alone, all] = &engine.run(&[one, many]).unwrap()[..] else { panic!("two structures") };
    assert!(all.n_residues >= 26_000);
    // Coordinates far from the centre are rounded more, so a point may appear or vanish.
    let expected = alone.named("site_score").unwrap();
    let found = all.named("site_score").unwrap();
    let apart: f32 = found.iter().zip(expected.iter().cycle()).map(|(a, b)| (a - b).abs()).sum();
    assert!(apart / (found.len() as f32) < 1e-3, "{apart} of {}", found.len());
    // The best site of the copy occurs again in each copy.
    assert_eq!(all.sites.len(), MOST_SITES);
    let best = alone.sites[0];
    for site in &all.sites {
        assert!((site.score / best.score - 1.0).abs() < 0.05, "{site:?}, expected {best:?}");
    }
    assert!(all.sites.is_sorted_by(|a, b| a.score >= b.score));
    assert!(all.site_ids.iter().all(|&id| (-1..MOST_SITES as i32).contains(&id)));
}
