//! Where the atoms of a structure stand in the file that it was read from.

use crate::structure::StructureInput;
use std::collections::HashMap;

/// The index in the file of each atom of a structure, given the positions of all atoms of the file. Readers choose atoms, but never
/// change their positions: a position names an atom. Of several at one point, the earlier ones come first.
///
/// # Errors
/// The index of the first atom that stands at no position of the file.
pub(super) fn places(structure: &StructureInput, positions: &[[f64; 3]]) -> Result<Vec<u32>, usize> {
    let center = structure.center;
    let key = |position: [f32; 3]| position.map(f32::to_bits);
    let mut at: HashMap<[u32; 3], Vec<u32>> = HashMap::with_capacity(positions.len());
    for (index, position) in positions.iter().enumerate().rev() {
        let centred = std::array::from_fn(|axis| (position[axis] - center[axis]) as f32);
        at.entry(key(centred)).or_default().push(index as u32);
    }
    let place = |(index, atom): (usize, &shared_types::Atom)| {
        at.get_mut(&key([atom.x, atom.y, atom.z])).and_then(Vec::pop).ok_or(index)
    };
    structure.atoms.iter().enumerate().map(place).collect()
}
