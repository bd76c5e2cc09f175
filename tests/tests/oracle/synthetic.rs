//! Synthetic structures with only alpha carbons.

use prism_host::{Composition, StructureInput};
use shared_types::{Atom, NO_CA};
use tests::dice::Dice;

/// A structure with the given alpha carbons: one chain of alanines, without B factors and annotation.
pub fn of_points(name: &str, points: &[Option<[f32; 3]>]) -> StructureInput {
    let n = points.len();
    let atom = |point: &Option<[f32; 3]>| {
        // A residue without an alpha carbon has another atom.
        let [x, y, z] = point.unwrap_or([1.0, 2.0, 3.0]);
        Atom { x, y, z, radius: 1.88 }
    };
    StructureInput {
        atoms: points.iter().map(atom).collect(),
        ..Composition {
            name: name.to_owned(),
            residue_atoms: (0..=n as u32).collect(),
            ca_indices: (0..).zip(points).map(|(i, point)| if point.is_some() { i } else { NO_CA }).collect(),
            residue_types: vec![0; n],
            chain_ids: vec![0; n],
            chains: vec!["A".to_owned()],
            residue_numbers: (1..=n as i32).collect(),
            insertion_codes: vec!["".into(); n],
            bfactor: vec![f32::NAN; n],
            conservation: vec![f32::NAN; n],
            gisaid_freq: vec![f32::NAN; n],
            gisaid_velocity: vec![f32::NAN; n],
            ..Composition::default()
        }
        .into()
    }
}

pub fn of_all_points(name: &str, points: impl IntoIterator<Item = [f32; 3]>) -> StructureInput {
    of_points(name, &points.into_iter().map(Some).collect::<Vec<_>>())
}

/// Randomly placed residues, as dense as in proteins; they are linked only by chance.
pub fn gas(n: usize, dice: &mut Dice) -> Vec<[f32; 3]> {
    let side = (n as f32 * 130.0).cbrt();
    (0..n).map(|_| [0; 3].map(|_| side * (dice.roll() - 0.5))).collect()
}

/// A chain with steps of 3.8 Å that turn at random within a ball.
pub fn coil(n: usize, dice: &mut Dice) -> Vec<[f32; 3]> {
    let radius = 4.0 * (n as f32).cbrt() + 4.0;
    let mut here = [0.0f32; 3];
    let mut points = vec![here];
    while points.len() < n {
        let step = [0; 3].map(|_| dice.roll() - 0.5);
        let length = step.iter().map(|x| x * x).sum::<f32>().sqrt();
        let next = [0, 1, 2].map(|axis| here[axis] + 3.8 * step[axis] / length);
        if next.iter().map(|x| x * x).sum::<f32>().sqrt() < radius {
            here = next;
            points.push(here);
        }
    }
    points
}

/// Sets types, B factors and, with gaps, annotation of residues.
pub fn annotate(mut structure: StructureInput, dice: &mut Dice) -> StructureInput {
    for i in 0..structure.n_residues() {
        structure.residue_types[i] = (dice.roll() * 20.0) as u8 % 20;
        structure.bfactor[i] = if dice.roll() < 0.1 { f32::NAN } else { 5.0 + 60.0 * dice.roll() };
        structure.conservation[i] = if dice.roll() < 0.3 { f32::NAN } else { dice.roll() };
        structure.gisaid_freq[i] = if dice.roll() < 0.9 { f32::NAN } else { dice.roll() };
        structure.gisaid_velocity[i] = if dice.roll() < 0.5 { f32::NAN } else { 0.2 * (dice.roll() - 0.5) };
    }
    structure
}

/// Divides it into chains of equal length; the first chain continues at the end.
pub fn cut(mut structure: StructureInput, chains: usize) -> StructureInput {
    let n = structure.n_residues();
    structure.chain_ids = (0..n).map(|i| (i * (chains + 1) / n % chains) as u32).collect();
    structure.chains = (0..chains).map(|i| format!("C{i}")).collect();
    structure
}

/// Difficult cases, one structure each.
pub fn zoo() -> Vec<StructureInput> {
    let dice = &mut Dice::new(7);
    let mut all = Vec::new();
    for n in [1, 2, 3, 4, 31, 33, 120, 256, 257] {
        let points = coil(n, dice);
        all.push(annotate(of_all_points(&format!("coil of {n}"), points), dice));
    }
    let points = gas(300, dice);
    all.push(annotate(of_all_points("gas", points), dice));
    let points = coil(200, dice);
    all.push(annotate(cut(of_all_points("chains", points), 3), dice));

    let holes: Vec<_> = coil(150, dice).into_iter().map(|p| (dice.roll() > 0.2).then_some(p)).collect();
    all.push(annotate(cut(of_points("holes", &holes), 2), dice));
    all.push(annotate(of_points("nothing", &[None; 5]), dice));
    let mut lonely = [None; 7];
    lonely[3] = Some([1.0, 2.0, 3.0]);
    all.push(annotate(of_points("one of seven", &lonely), dice));

    // Every fourth residue coincides with the one before it; some distant ones coincide, too.
    let mut doubled = coil(120, dice);
    for i in (3..120).step_by(4) {
        doubled[i] = doubled[i - 1];
    }
    doubled[100] = doubled[10];
    doubled[60] = doubled[10];
    all.push(annotate(of_all_points("coinciding", doubled), dice));
    all.push(annotate(of_all_points("all in one place", [[1.5, -2.5, 3.5]; 9]), dice));

    // On a straight line: no planes.
    all.push(annotate(of_all_points("straight", (0..20).map(|i| [3.625 * i as f32, 0.0, 0.0])), dice));

    // Equal B factors, and B factors of only one residue.
    let mut flat = annotate(of_all_points("flat", coil(20, dice)), &mut Dice::new(1));
    flat.bfactor = vec![17.3; 20];
    all.push(flat);
    let mut single = annotate(of_all_points("one B factor", coil(20, dice)), &mut Dice::new(2));
    single.bfactor = vec![f32::NAN; 20];
    single.bfactor[11] = 17.3;
    all.push(single);

    // A structure without annotation takes another path in the kernel.
    all.push(of_all_points("plain", coil(90, dice)));
    all
}
