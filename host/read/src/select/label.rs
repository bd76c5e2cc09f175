//! What an atom's record says of the atom beside its position, and of its residue in other tables.

use super::radius::symbol;
use super::{Record, Selection, Syntax};
use crate::structure::{AtomLabel, ResidueLabels};
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

/// An insertion code as text. Few residues have one.
pub(super) fn insertion_code(text: &[u8]) -> Box<str> {
    if text.is_empty() { Box::default() } else { text_of(text).into_boxed_str() }
}

impl Selection<'_> {
    /// Whether residues keep labels.
    pub(crate) fn takes_labels(&self) -> bool {
        self.label.is_some()
    }

    /// Sets the labels of the residues that follow.
    pub fn label(&mut self, asym_id: &[u8], seq_id: Option<i32>, entity_id: &[u8]) {
        if let Some(label) = &mut self.label {
            let text = |text: &[u8]| text_of(text).into_boxed_str();
            *label = ResidueLabels {
                asym_id: text(asym_id),
                seq_id,
                entity_id: text(entity_id),
                ..ResidueLabels::default()
            };
        }
    }
}
