//! Copies of one real chain.

use crate::data;
use crate::synthetic::Dice;
use prism_host::StructureInput;
use shared_types::{Atom, NO_CA};

/// How far atoms are moved at random, in Å (standard deviation along each axis).
const JITTER: f64 = 0.1;

/// The receptor-binding domain that is shipped, each time jittered and turned anew; the same in every run.
///
/// # Panics
/// Where the file is missing.
#[must_use]
pub fn jittered(count: usize) -> Vec<StructureInput> {
    let chain = &data::shipped()[0];
    (0..count).map(|index| copy(chain, index)).collect()
}

fn copy(chain: &StructureInput, index: usize) -> StructureInput {
    let dice = &mut Dice::new(index as u64);
    let turn = rotation(dice);
    let atoms = chain.atoms.iter().map(|atom| {
        let place = [atom.x, atom.y, atom.z].map(|x| f64::from(x) + JITTER * dice.normal());
        let [x, y, z] = turn.map(|row| (row[0] * place[0] + row[1] * place[1] + row[2] * place[2]) as f32);
        Atom { x, y, z, radius: atom.radius }
    });
    StructureInput { name: format!("copy {index}"), atoms: atoms.collect(), ..chain.clone() }
}

/// A rotation, even over all: of a unit quaternion of four normal numbers.
fn rotation(dice: &mut Dice) -> [[f64; 3]; 3] {
    let q = [dice.normal(), dice.normal(), dice.normal(), dice.normal()];
    let length = q.iter().map(|x| x * x).sum::<f64>().sqrt();
    let [w, x, y, z] = q.map(|part| part / length);
    [
        [1.0 - 2.0 * (y * y + z * z), 2.0 * (x * y - w * z), 2.0 * (x * z + w * y)],
        [2.0 * (x * y + w * z), 1.0 - 2.0 * (x * x + z * z), 2.0 * (y * z - w * x)],
        [2.0 * (x * z - w * y), 2.0 * (y * z + w * x), 1.0 - 2.0 * (x * x + y * y)],
    ]
}

/// Copies side by side in one structure, as a capsid has many of one chain: each is a chain of its own.
///
/// # Panics
/// Where the file is missing.
#[must_use]
pub fn crowd(count: usize) -> StructureInput {
    /// Å from one to the next.
    const APART: f32 = 80.0;
    let mut all =
        StructureInput { name: format!("crowd of {count}"), residue_atoms: vec![0], ..StructureInput::default() };
    let side = (1..).find(|side| side * side * side >= count).unwrap_or(1);
    for (index, one) in jittered(count).into_iter().enumerate() {
        let place = [index % side, index / side % side, index / (side * side)].map(|at| at as f32 * APART);
        let first = all.atoms.len() as u32;
        let moved = |atom: &Atom| Atom { x: atom.x + place[0], y: atom.y + place[1], z: atom.z + place[2], ..*atom };
        all.atoms.extend(one.atoms.iter().map(moved));
        all.residue_atoms.extend(one.residue_atoms[1..].iter().map(|atom| first + atom));
        all.ca_indices.extend(one.ca_indices.iter().map(|ca| if *ca == NO_CA { NO_CA } else { first + ca }));
        all.chain_ids.extend(one.chain_ids.iter().map(|_| index as u32));
        all.chains.push(index.to_string());
        all.residue_types.extend(one.residue_types);
        all.residue_numbers.extend(one.residue_numbers);
        all.insertion_codes.extend(one.insertion_codes);
        all.bfactor.extend(one.bfactor);
        all.conservation.extend(one.conservation);
        all.gisaid_freq.extend(one.gisaid_freq);
        all.gisaid_velocity.extend(one.gisaid_velocity);
    }
    all
}
