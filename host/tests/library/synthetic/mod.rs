//! Synthetic structures for tests.
#![allow(dead_code, reason = "each test file uses some of it")]

use prism_read::{Composition, StructureInput};
use shared_types::{Atom, NO_CA};

/// Random numbers from 0 to 1 that are the same in every run.
pub struct Dice(u64);

impl Dice {
    pub fn new(seed: u64) -> Self {
        Self(seed)
    }

    pub fn roll(&mut self) -> f32 {
        // Splitmix64.
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        ((z ^ (z >> 31)) >> 40) as f32 / (1u64 << 24) as f32
    }
}

/// A folded chain of `n` residues with two to four atoms each: steps of 3.8 Å that turn at random within a ball. Some
/// residues lack their alpha carbon. From 20 residues on, there are two chains.
pub fn structure(name: &str, n: usize, seed: u64) -> StructureInput {
    let mut dice = Dice::new(seed);
    let radius = 4.0 * (n as f32).cbrt();
    let mut position = [0.0f32; 3];
    let mut atoms = Vec::new();
    let mut structure = Composition {
        name: name.to_owned(),
        residue_atoms: vec![0],
        chains: vec!["A".to_owned(), "B".to_owned()],
        ..Composition::default()
    };
    for residue in 0..n {
        let next = loop {
            let step = [dice.roll() - 0.5, dice.roll() - 0.5, dice.roll() - 0.5];
            let length = step.iter().map(|x| x * x).sum::<f32>().sqrt();
            let next: Vec<f32> = position.iter().zip(step).map(|(x, dx)| x + 3.8 * dx / length).collect();
            if next.iter().map(|x| x * x).sum::<f32>().sqrt() < radius.max(8.0) {
                break [next[0], next[1], next[2]];
            }
        };
        position = next;
        let begin = atoms.len() as u32;
        for atom in 0..2 + (dice.roll() * 3.0) as usize {
            let [x, y, z] = position.map(|x| if atom == 1 { x } else { x + 3.0 * (dice.roll() - 0.5) });
            atoms.push(Atom { x, y, z, radius: 1.88 });
        }
        structure.residue_atoms.push(atoms.len() as u32);
        structure.ca_indices.push(if n > 3 && residue % 17 == 5 { NO_CA } else { begin + 1 });
        structure.residue_types.push((dice.roll() * 20.0) as u8 % 20);
        structure.chain_ids.push(u32::from(n >= 20 && residue >= n / 2));
        structure.residue_numbers.push(residue as i32 + 1);
        structure.insertion_codes.push("".into());
        structure.bfactor.push(10.0 + 30.0 * dice.roll());
        structure.conservation.push(if residue % 3 == 0 { dice.roll() } else { f32::NAN });
        structure.gisaid_freq.push(dice.roll());
        structure.gisaid_velocity.push(if n > 50 { f32::NAN } else { dice.roll() });
    }
    StructureInput { atoms: atoms.into(), ..structure.into() }
}
