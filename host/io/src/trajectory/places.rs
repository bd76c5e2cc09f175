//! Where the atoms of a structure stand in the file that it was read from.

use prism_read::structure::StructureInput;
use shared_types::Atom;
use std::collections::HashMap;

/// The index in the file of each atom of a structure, given the positions of all atoms of the file; and how many of these atoms share their
/// point with another one. Readers choose atoms, but never change their positions: a position names an atom. Of several at one point, the
/// earlier ones come first.
///
/// # Errors
/// The index of the first atom that stands at no position of the file.
pub(super) fn places(structure: &StructureInput, positions: &[[f64; 3]]) -> Result<(Vec<u32>, usize), usize> {
    let center = structure.center;
    let key = |position: [f32; 3]| position.map(f32::to_bits);
    let mut at: HashMap<[u32; 3], Vec<u32>> = HashMap::with_capacity(positions.len());
    for (index, position) in positions.iter().enumerate().rev() {
        let centred = std::array::from_fn(|axis| (position[axis] - center[axis]) as f32);
        at.entry(key(centred)).or_default().push(index as u32);
    }
    let mut shared = 0;
    let place = |(index, atom): (usize, &Atom)| {
        let here = at.get_mut(&key([atom.x, atom.y, atom.z])).ok_or(index)?;
        shared += usize::from(here.len() > 1);
        here.pop().ok_or(index)
    };
    let places = structure.atoms.iter().enumerate().map(place).collect::<Result<_, _>>()?;
    Ok((places, shared))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn atoms_are_found_by_their_positions() {
        let atom = |x: f32| Atom { x, y: 0.0, z: 0.0, radius: 1.0 };
        let structure = |atoms: &[f32]| StructureInput {
            atoms: atoms.iter().map(|x| atom(*x)).collect(),
            center: [10.0, 0.0, 0.0],
            ..StructureInput::default()
        };
        let positions = [9.0, 8.5, 11.0, 9.0, 12.0].map(|x| [x, 0.0, 0.0]);
        assert_eq!(places(&structure(&[2.0, 1.0]), &positions), Ok((vec![4, 2], 0)));
        // Two at one point, in the order of the file.
        assert_eq!(places(&structure(&[-1.0, -1.5, -1.0]), &positions), Ok((vec![0, 1, 3], 1)));
        assert_eq!(places(&structure(&[1.0, 5.0]), &positions), Err(1));
    }
}
