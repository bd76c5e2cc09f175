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

#[cfg(test)]
mod tests {
    use super::*;
    use prism_engine::StructureFeatures;
    use prism_read::StructureInput;
    use shared_types::Atom;

    #[test]
    fn steps_have_all_structures_in_order_and_a_large_one_by_itself() {
        let most = ATOMS_AHEAD * rayon::current_num_threads();
        let of = |atoms: usize| StructureInput { atoms: vec![Atom::default(); atoms].into(), ..Default::default() };
        let structures = [1, most - 1, 1, most + 1, 0, 2].map(of);
        let features = StructureFeatures::from_rows("none", &[], &[]);
        let rows = structures.each_ref().map(|structure| StructureRows { structure, features: features.view() });
        let sizes = |step: &[StructureRows<'_>]| step.iter().map(|part| part.structure.atoms.len()).collect::<Vec<_>>();
        let found: Vec<_> = steps(&rows).map(sizes).collect();
        assert_eq!(found, [vec![1, most - 1], vec![1], vec![most + 1], vec![0, 2]]);
        assert_eq!(steps(&[]).count(), 0);

        let mut ahead = Ahead::default();
        ahead.compute(&rows, |part| part.structure.atoms.len());
        let taken: Vec<usize> = (0..7).map(|_| ahead.next(|| 77)).collect();
        assert_eq!(taken, [1, most - 1, 1, most + 1, 0, 2, 77]);
    }
}
