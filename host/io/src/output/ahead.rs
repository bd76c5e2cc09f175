//! What is computed of structures before their lines are appended.

use super::StructureRows;
use prism_engine::threads::in_order;
use std::collections::VecDeque;

/// Atoms for each thread that are computed before lines are appended. What comes of them is in memory meanwhile.
const ATOMS_AHEAD: usize = 1 << 15;

/// What was computed of the structures whose lines are appended next.
#[derive(Clone, Debug)]
pub(super) struct Ahead<T>(VecDeque<T>);

impl<T> Default for Ahead<T> {
    fn default() -> Self {
        Self(VecDeque::new())
    }
}

impl<T: Send> Ahead<T> {
    /// Computes structures side by side, in as many threads as there are.
    pub(super) fn compute<'p>(&mut self, parts: &[StructureRows<'p>], of: impl Fn(&StructureRows<'p>) -> T + Sync) {
        self.0 = in_order(parts, rayon::current_num_threads(), |_| true, of).into();
    }

    /// What was computed of the next structure; computes it now if nothing was.
    pub(super) fn next(&mut self, of: impl FnOnce() -> T) -> T {
        self.0.pop_front().unwrap_or_else(of)
    }
}

/// Divides structures into those that are computed before their lines are appended, and the next ones.
pub(super) fn steps<'s, 'p>(mut rest: &'s [StructureRows<'p>]) -> impl Iterator<Item = &'s [StructureRows<'p>]> {
    let most = ATOMS_AHEAD.saturating_mul(rayon::current_num_threads());
    std::iter::from_fn(move || {
        let mut atoms = 0;
        let fitting = rest.iter().take_while(|part| {
            atoms += part.structure.n_atoms();
            atoms <= most
        });
        // A larger one is computed by itself.
        let (step, others) = rest.split_at_checked(fitting.count().max(1))?;
        rest = others;
        Some(step)
    })
}
