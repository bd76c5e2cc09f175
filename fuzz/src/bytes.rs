//! Values made from bytes.

use prism_host::{Composition, StructureInput};
use shared_types::{Atom, NO_CA, RESIDUES};

/// Takes bytes one by one; after the last one, it gives zeros.
pub struct Bytes<'a>(std::slice::Iter<'a, u8>);

impl<'a> Bytes<'a> {
    pub fn new(data: &'a [u8]) -> Self {
        Self(data.iter())
    }

    pub fn is_empty(&self) -> bool {
        self.0.as_slice().is_empty()
    }

    pub fn byte(&mut self) -> u8 {
        self.0.next().copied().unwrap_or(0)
    }

    /// A number below `end`.
    pub fn below(&mut self, end: usize) -> usize {
        usize::from(self.byte()) % end.max(1)
    }

    pub fn word(&mut self) -> u32 {
        u32::from_le_bytes([(); 4].map(|()| self.byte()))
    }

    /// The next bytes, at most `most`.
    pub fn take(&mut self, most: usize) -> &'a [u8] {
        let all = self.0.as_slice();
        let (taken, rest) = all.split_at(most.min(all.len()));
        self.0 = rest.iter();
        taken
    }

    /// A typical coordinate of a structure or, rarely, any number.
    pub fn coordinate(&mut self) -> f32 {
        match self.byte() {
            255 => f32::from_bits(self.word()),
            254 => 1e8 * f32::from(self.byte() as i8),
            253 => 0.0,
            byte => f32::from(byte) * 0.25 - 20.0 + f32::from(self.byte()) / 1024.0,
        }
    }

    /// A structure of at most 40 residues; most are valid.
    pub fn structure(&mut self, name: &str) -> StructureInput {
        let residues = self.below(41);
        let mut structure = StructureInput {
            center: [f64::from(self.byte()), 0.0, 0.0],
            ..Composition {
                name: name.to_owned(),
                residue_atoms: vec![0],
                chains: vec!["A".to_owned(), String::new()],
                ..Composition::default()
            }
            .into()
        };
        for _ in 0..residues {
            let begin = structure.atoms.len() as u32;
            let atoms = self.below(6) as u32;
            for _ in 0..atoms {
                let (x, y, z) = (self.coordinate(), self.coordinate(), self.coordinate());
                let radius = [0.0, -1.0, 1e30, 1.61, 1.42].get(self.below(64)).copied().unwrap_or(1.88);
                structure.atoms.to_mut().push(Atom { x, y, z, radius });
            }
            structure.residue_atoms.push(begin + atoms);
            let ca = self.below(8) as u32;
            structure.ca_indices.push(if ca < atoms { begin + ca } else { NO_CA });
            structure.residue_types.push(self.below(RESIDUES.len()) as u8);
            structure.chain_ids.push(self.below(2) as u32);
            structure.residue_numbers.push(i32::from(self.byte() as i8));
            structure.insertion_codes.push(if self.byte() > 250 { "A" } else { "" }.into());
            structure.bfactor.push(self.coordinate());
        }
        match self.byte() {
            0..200 => {}
            200..210 => structure.bfactor.clear(),
            210..215 => structure.environment = true,
            // An inconsistent value.
            byte => {
                let value = self.word() >> (byte % 32);
                let place = self.below(residues);
                // One borrow for three fields.
                let own = &mut *structure;
                let lists = [&mut own.residue_atoms, &mut own.ca_indices, &mut own.chain_ids];
                if let Some(element) = lists.into_iter().nth(usize::from(byte) % 4).and_then(|list| list.get_mut(place))
                {
                    *element = value;
                } else {
                    structure.residue_types.pop();
                }
            }
        }
        structure
    }
}
