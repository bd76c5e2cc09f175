//! What an atom's record says of the atom, beside its position.

use super::radius::symbol;
use super::{Record, Syntax};
use crate::structure::AtomLabel;
use crate::word::{text_of, trim_zeros};

impl Syntax {
    /// What an atom is, with its element as the rules have it.
    pub fn label(&self, record: &Record<'_, '_>, element: u16) -> AtomLabel {
        let number = |value: Option<f64>| value.map_or(f32::NAN, |value| value as f32);
        AtomLabel {
            name: record.name.to_le_bytes(),
            element: symbol(record.name, element),
            position: record.position,
            alternate: text_of(trim_zeros(&record.alternate.to_le_bytes())).chars().next(),
            occupancy: number((self.occupancy)(record.occupancy)),
            b_factor: number((self.b_factor)(record.b_factor)),
        }
    }
}
