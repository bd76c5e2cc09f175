//! Means of residues' B columns, which are confidences of atoms.

use super::Selection;

impl Selection<'_> {
    /// Adds an atom's B column to the mean of its residue.
    #[cold]
    pub(super) fn average_b(&mut self, text: &[u8]) {
        let value = self.b_factor(text);
        if !value.is_nan()
            && let Some(mean) = self.draft.structure.bfactor.last_mut()
        {
            // Programs write 0 for atoms that they add to a prediction.
            let (sum, count) = self.run.b;
            self.run.b = (sum + f64::from(value), count + if value == 0.0 { 0.0 } else { 1.0 });
            *mean = (self.run.b.0 / self.run.b.1.max(1.0)) as f32;
        }
    }

    /// Whether the B column of every atom is needed.
    pub(crate) fn averages_b(&self) -> bool {
        self.averages_b
    }
}
