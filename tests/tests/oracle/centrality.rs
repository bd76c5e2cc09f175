//! Eigenvector centrality on graphs that are difficult for iterations: several components, equal components, close
//! eigenvalues.

use crate::graph::Graph;
use crate::residues::residues;
use crate::run;
use crate::synthetic::{coil, of_all_points, of_points};
use prism_host::StructureInput;
use shared_types::feature::column;
use std::f32::consts::TAU;
use tests::dice::Dice;

/// Points on a line, each in contact only with its neighbours.
fn line(n: usize, at: [f32; 3]) -> Vec<[f32; 3]> {
    (0..n).map(|i| [at[0] + 5.0 * i as f32, at[1], at[2]]).collect()
}

fn ring(n: usize, at: [f32; 3]) -> Vec<[f32; 3]> {
    let radius = 5.0 / (2.0 * (TAU / 2.0 / n as f32).sin());
    (0..n)
        .map(|i| {
            let angle = TAU * i as f32 / n as f32;
            [at[0] + radius * angle.cos(), at[1] + radius * angle.sin(), at[2]]
        })
        .collect()
}

/// A centre, and points around it that are in contact only with it.
fn star(at: [f32; 3]) -> Vec<[f32; 3]> {
    let tips =
        [[7.5, 0.0, 0.0], [-7.5, 0.0, 0.0], [0.0, 7.5, 0.0], [0.0, -7.5, 0.0], [0.0, 0.0, 7.5], [0.0, 0.0, -7.5]];
    [[0.0; 3]].into_iter().chain(tips).map(|tip| [0, 1, 2].map(|axis| at[axis] + tip[axis])).collect()
}

/// Points that are all in contact with each other.
fn clique(n: usize, at: [f32; 3], dice: &mut Dice) -> Vec<[f32; 3]> {
    (0..n).map(|_| at.map(|x| x + 3.0 * dice.roll())).collect()
}

fn helix(n: usize) -> Vec<[f32; 3]> {
    let angle = |i: usize| (i as f32 * 100.0).to_radians();
    (0..n).map(|i| [2.3 * angle(i).cos(), 2.3 * angle(i).sin(), 1.5 * i as f32]).collect()
}

fn assert_leading(structures: &[StructureInput]) {
    for (structure, features) in structures.iter().zip(run(structures, 8.0)) {
        let residues = residues(structure);
        let centrality: Vec<f32> = features.column(column::CENTRALITY).collect();
        if let Some(fault) = Graph::new(&residues, 8.0).fault(&centrality, &residues) {
            panic!("{}: {fault}", structure.name);
        }
    }
}

#[test]
fn it_is_a_leading_eigenvector_of_every_graph() {
    let dice = &mut Dice::new(11);
    let far = [0.0, 500.0, 0.0];
    let both = |name: &str, mut a: Vec<[f32; 3]>, b: Vec<[f32; 3]>| {
        a.extend(b);
        of_all_points(name, a)
    };
    let mut structures = vec![
        of_all_points("ring", ring(30, [0.0; 3])),
        of_all_points("odd ring", ring(31, [0.0; 3])),
        of_all_points("large ring", ring(1500, [0.0; 3])),
        of_all_points("star", star([0.0; 3])),
        of_all_points("clique", clique(40, [0.0; 3], dice)),
        of_all_points("helix", helix(60)),
        of_all_points("long helix", helix(1200)),
        both("two equal rings", ring(30, [0.0; 3]), ring(30, far)),
        both("two equal stars", star([0.0; 3]), star(far)),
        both("two equal lines", line(40, [0.0; 3]), line(40, far)),
        both("ring and line", ring(30, [0.0; 3]), line(40, far)),
        both("line and clique", line(200, [0.0; 3]), clique(4, far, dice)),
        both("coil and coil", coil(80, dice), coil(80, dice).iter().map(|p| [p[0], p[1] + 500.0, p[2]]).collect()),
    ];
    for n in [2, 3, 10, 33, 300, 2000] {
        structures.push(of_all_points(&format!("line of {n}"), line(n, [0.0; 3])));
    }
    let mut holes: Vec<_> = line(60, [0.0; 3]).into_iter().map(Some).collect();
    (holes[10], holes[31], holes[32]) = (None, None, None);
    structures.push(of_points("line with holes", &holes));
    assert_leading(&structures);
}

/// Pairs, each of which has the largest eigenvalue, 1.
#[test]
fn many_equal_components_are_no_difficulty() {
    let pairs = (0..100).flat_map(|i| line(2, [0.0, 100.0 * i as f32, 0.0]));
    assert_leading(&[of_all_points("pairs", pairs)]);
}

/// The larger of two components has all of the centrality, in either order in the file.
#[test]
fn the_component_of_the_largest_eigenvalue_takes_all() {
    let star_first = star([0.0; 3]).into_iter().chain(line(3, [0.0, 500.0, 0.0]));
    let line_first = line(3, [0.0, 500.0, 0.0]).into_iter().chain(star([0.0; 3]));
    let found = run(&[of_all_points("a", star_first), of_all_points("b", line_first)], 8.0);
    let column = |i: usize| found[i].column(column::CENTRALITY).collect::<Vec<_>>();
    let (a, b) = (column(0), column(1));
    for v in a[7..].iter().chain(&b[..3]) {
        assert!(*v < 1e-4, "{v}");
    }
    // The centre of a star has 1 / sqrt 2; its tips share the rest.
    for v in [&a[..7], &b[3..]] {
        assert!((v[0] - 0.5f32.sqrt()).abs() < 1e-4, "{v:?}");
        assert!(v[1..].iter().all(|tip| (tip - (1.0f32 / 12.0).sqrt()).abs() < 1e-4), "{v:?}");
    }
}

#[test]
fn without_a_contact_it_is_0() {
    let lonely = (0..20).map(|i| [10.0 * i as f32, 0.0, 0.0]);
    let found = run(&[of_all_points("lonely", lonely), of_all_points("single", [[0.0; 3]])], 8.0);
    for features in &found {
        assert!(features.column(column::CENTRALITY).all(|v| v.to_bits() == 0), "{}", features.name);
    }
}
