//! Frames without separators: the same residues again, in the same place.

use super::draft::Draft;
use super::options::{Models, ReadOptions};
use std::collections::HashMap;
use std::ops::Range;

/// Alpha carbons of different residues are always farther apart than this, in Å.
const NEAR: f64 = 2.0;

/// Splits models whose residues start over with the first one, if the repetition overlaps what it repeats: two molecules
/// cannot. Copies of a molecule in other places stay one model. Returns the requested models and the number of all.
pub(super) fn split(found: Vec<(i32, Draft)>, met: usize, options: &ReadOptions) -> (Vec<(i32, Draft)>, usize) {
    if met != 1 || found.len() != 1 || options.models == Models::Join {
        return (found, met);
    }
    let draft = &found[0].1;
    let begins = frames(draft);
    if begins.len() < 2 {
        return (found, met);
    }
    let n = draft.structure.n_residues();
    let end_of = |frame: usize| begins.get(frame + 1).copied().unwrap_or(n);
    let rows = |frame: usize| (begins[frame]..end_of(frame)).collect::<Vec<_>>();
    let wanted = match options.models {
        Models::First => 0..1,
        Models::Number(number) => match usize::try_from(number - 1) {
            Ok(frame) if frame < begins.len() => frame..frame + 1,
            _ => 0..0,
        },
        Models::All | Models::Join => 0..begins.len(),
    };
    (wanted.map(|frame| (frame as i32 + 1, draft.rows(&rows(frame)))).collect(), begins.len())
}

/// The residues at which frames begin; one entry if the draft is a single frame.
fn frames(draft: &Draft) -> Vec<usize> {
    let n = draft.structure.n_residues();
    let mut begins = vec![0];
    let Some(&length) = draft.restarts.first() else { return begins };
    // Every frame has the residues of the first, in the same order.
    if length == 0 || !n.is_multiple_of(length) {
        return begins;
    }
    let same = |row: usize| {
        let (s, first) = (&draft.structure, row % length);
        draft.names[row] == draft.names[first]
            && s.residue_numbers[row] == s.residue_numbers[first]
            && s.chain_ids[row] == s.chain_ids[first]
            && s.insertion_codes[row] == s.insertion_codes[first]
    };
    if (length..n).all(same) && overlap((draft, 0..length), (draft, length..2 * length)) {
        begins.extend((length..n).step_by(length));
    }
    begins
}

/// Whether half of the second residues lie on some of the first.
pub(super) fn overlap(first: (&Draft, Range<usize>), second: (&Draft, Range<usize>)) -> bool {
    let place = |draft: &Draft, row: usize| draft.atoms_of(row).next().map(|atom| draft.atoms[atom]);
    let cell = |[x, y, z, _]: [f64; 4]| [x, y, z].map(|v| (v / NEAR).floor() as i64);
    let mut cells: HashMap<[i64; 3], Vec<[f64; 4]>> = HashMap::new();
    for at in first.1.filter_map(|row| place(first.0, row)) {
        let of_cell = cells.entry(cell(at)).or_default();
        // The first 64 atoms of a cell suffice.
        if of_cell.len() < 64 {
            of_cell.push(at);
        }
    }
    let near = |at: [f64; 4]| {
        let [x, y, z] = cell(at);
        let offsets = (0..27).map(|i| [x + i % 3 - 1, y + i / 3 % 3 - 1, z + i / 9 - 1]);
        offsets
            .filter_map(|cell| cells.get(&cell))
            .flatten()
            .any(|other| (0..3).map(|axis| (at[axis] - other[axis]).powi(2)).sum::<f64>() < NEAR * NEAR)
    };
    let residues = second.1.len();
    let covered = second.1.filter_map(|row| place(second.0, row)).filter(|at| near(*at)).count();
    residues > 0 && 2 * covered >= residues
}
