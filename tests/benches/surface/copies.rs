//! Copies of one chain.

use prism_host::StructureInput;
use shared_types::Atom;
use tests::data;
use tests::synthetic::Dice;

/// How far atoms are moved at random, in Å (standard deviation along each axis).
const JITTER: f64 = 0.1;

/// The chain, each time jittered and turned anew; the same in every run.
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
