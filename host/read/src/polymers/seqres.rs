//! Aligns the residues of a chain's atoms with its `SEQRES` records.

use std::collections::HashMap;

/// A residue of a sequence, with the author's number.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Numbered {
    pub(super) name: Vec<u8>,
    pub(super) number: i32,
    pub(super) icode: u8,
}

/// The most cells of an alignment, a byte each.
const MOST: usize = 1 << 30;

/// The direction in which the best alignment came to a cell.
const BOTH: i8 = 0;
const SEQUENCE: i8 = 1;
const ATOMS: i8 = -1;

/// Gives the residues of a sequence the numbers of the residues in atoms' records, by the best local alignment: 5 for equal names, -10 for
/// others, 10 for the first residue of a gap and 0.1 for the next; nothing for the first one where numbers jump. Residues that are not
/// aligned are numbered onwards from their neighbours. Returns the index of the last aligned residue in the atoms' records; `None`, and the
/// sequence is spoilt, if a residue of the atoms' records is not in the sequence.
///
/// The scores and their order are those of libcifpp, so that mkdssp's numbers follow.
pub(super) fn align(sequence: &mut [Numbered], atoms: &[Numbered]) -> Option<usize> {
    let (width, height) = (sequence.len(), atoms.len());
    if width.checked_mul(height).is_none_or(|cells| cells > MOST) {
        return None;
    }
    // Numbers instead of names, which are compared in every cell.
    let mut numbers = HashMap::new();
    let [own_names, atom_names] = [&*sequence, atoms].map(|residues| numbers_of_names(residues, &mut numbers));
    let mut came = vec![BOTH; width * height];
    // The row of the residue before, of best scores and of scores with a gap in the atoms.
    let (mut best_above, mut gap_above) = (vec![0_f32; height], vec![0_f32; height]);
    let (mut high, mut last) = (0_f32, (0, 0));
    for (x, own_name) in own_names.into_iter().enumerate() {
        let (mut diagonal, mut gap_left) = (0_f32, 0_f32);
        for (y, atom) in atoms.iter().enumerate() {
            let in_atoms = if x > 0 { gap_above[y] } else { 0.0 };
            let in_sequence = if y > 0 { gap_left } else { 0.0 };
            let mut both: f32 = if own_name == atom_names[y] { 5.0 } else { -10.0 };
            if x > 0 && y > 0 {
                both += diagonal;
            }
            let jumps = atoms.get(y + 1).is_some_and(|next| next.number > atom.number.saturating_add(1));
            let open: f32 = if y == 0 || jumps { 0.0 } else { 10.0 };
            let open_in_atoms = if x + 1 < width { open } else { 0.0 };
            let open_in_sequence = if y + 1 < height { open } else { 0.0 };
            let (score, from);
            diagonal = best_above[y];
            if both >= in_atoms && both >= in_sequence {
                (score, from) = (both, BOTH);
                gap_above[y] = both - open_in_atoms;
                gap_left = both - open_in_sequence;
            } else if in_atoms >= in_sequence {
                (score, from) = (in_atoms, SEQUENCE);
                gap_above[y] = in_atoms - 0.1;
                gap_left = larger(both - open_in_sequence, in_sequence - 0.1);
            } else {
                (score, from) = (in_sequence, ATOMS);
                gap_above[y] = larger(both - open_in_atoms, in_atoms - 0.1);
                gap_left = in_sequence - 0.1;
            }
            best_above[y] = score;
            came[x * height + y] = from;
            if high < score {
                (high, last) = (score, (x, y));
            }
        }
    }
    let mut numbers: Vec<Option<(i32, u8)>> = vec![None; width];
    let (mut x, mut y) = (last.0 as isize, last.1 as isize);
    while x >= 0 && y >= 0 {
        let (column, row) = (x as usize, y as usize);
        match came[column * height + row] {
            ATOMS => return None,
            SEQUENCE => x -= 1,
            _ => {
                sequence[column].name.clone_from(&atoms[row].name);
                numbers[column] = Some((atoms[row].number, atoms[row].icode));
                (x, y) = (x - 1, y - 1);
            }
        }
    }
    for x in 1..width {
        if let (None, Some((before, _))) = (numbers[x], numbers[x - 1]) {
            numbers[x] = Some((before.saturating_add(1), b' '));
        }
    }
    for x in (0..width).rev() {
        if numbers[x].is_none() {
            numbers[x] = Some((numbers.get(x + 1).copied().flatten()?.0.saturating_sub(1), b' '));
        }
    }
    for (own, number) in sequence.iter_mut().zip(numbers) {
        (own.number, own.icode) = number?;
    }
    Some(last.1)
}

/// A number for each residue's name: that of the first name like it.
fn numbers_of_names<'a>(residues: &'a [Numbered], numbers: &mut HashMap<&'a [u8], usize>) -> Vec<usize> {
    let number = |residue: &'a Numbered| {
        let next = numbers.len();
        *numbers.entry(&residue.name).or_insert(next)
    };
    residues.iter().map(number).collect()
}

fn larger(a: f32, b: f32) -> f32 {
    if a < b { b } else { a }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn residues(names: &str, numbers: &[i32]) -> Vec<Numbered> {
        let one = |(name, number): (u8, &i32)| Numbered { name: vec![name], number: *number, icode: b' ' };
        names.bytes().zip(numbers).map(one).collect()
    }

    #[test]
    fn a_gap_lies_where_numbers_jump_and_missing_residues_are_numbered_onwards() {
        let mut sequence = residues("MAGGGKL", &[1, 2, 3, 4, 5, 6, 7]);
        assert_eq!(align(&mut sequence, &residues("MAGGKL", &[11, 12, 13, 15, 16, 17])), Some(5));
        let numbers: Vec<i32> = sequence.iter().map(|residue| residue.number).collect();
        assert_eq!(numbers, [11, 12, 13, 14, 15, 16, 17]);
    }

    #[test]
    fn a_residue_that_is_not_in_the_sequence_is_refused() {
        let mut sequence = residues("MAKLV", &[1, 2, 3, 4, 5]);
        assert_eq!(align(&mut sequence, &residues("MAWKLV", &[1, 2, 3, 4, 5, 6])), None);
    }
}
