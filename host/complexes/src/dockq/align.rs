//! Global alignment of two chains' residues, as DockQ aligns them.
//!
//! Gotoh 1982, J Mol Biol 162:705, with the scores of DockQ 2.1.3: 5 for equal residues, 0 for others, -4 for a gap's first
//! residue and -0.5 for each further one, at the ends, too. Where several alignments have the highest score, the one is taken
//! that Biopython lists first: from the end, a pair comes before a gap in the second chain, and that before a gap in the first.

/// Twice the scores, so that they are integers.
const EQUAL: i32 = 10;
const DIFFERENT: i32 = 0;
const OPEN: i32 = -8;
const EXTEND: i32 = -1;
/// The score of what cannot be; sums with it do not overflow.
const NEVER: i32 = i32::MIN / 2;

/// The most pairs of residues of two chains; each takes two bytes.
const MOST_PAIRS: usize = 1 << 28;

/// States of the alignment's last column, as bits.
const PAIR: u16 = 1;
const FIRST: u16 = 2;
const SECOND: u16 = 4;
/// Bits of a state's predecessors.
const BITS: u16 = 3;

/// Which residues of two chains are paired.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Alignment {
    /// Pairs of equal residues, by increasing index.
    pub(super) equal: Vec<[u32; 2]>,
    /// Number of pairs of different residues.
    pub(super) mismatches: usize,
}

/// Two chains are too long to be aligned.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct TooLong;

/// Aligns two chains whose residues are given by a code each.
pub(super) fn align(first: &[u32], second: &[u32]) -> Result<Alignment, TooLong> {
    // No other alignment reaches the score of equal chains.
    if first == second {
        let equal = (0..first.len() as u32).map(|index| [index; 2]).collect();
        return Ok(Alignment { equal, mismatches: 0 });
    }
    if first.is_empty() || second.is_empty() {
        return Ok(Alignment { equal: Vec::new(), mismatches: 0 });
    }
    let columns = second.len() + 1;
    if first.len().saturating_mul(columns) > MOST_PAIRS {
        return Err(TooLong);
    }
    let (before, end) = predecessors(first, second);
    let (mut i, mut j, mut state) = (first.len(), second.len(), end);
    let (mut equal, mut mismatches) = (Vec::new(), 0);
    while i + j > 0 {
        let all = before[i * columns + j];
        let own = match state {
            PAIR => {
                (i, j) = (i - 1, j - 1);
                match first[i] == second[j] {
                    true => equal.push([i as u32, j as u32]),
                    false => mismatches += 1,
                }
                all
            }
            FIRST => {
                i -= 1;
                all >> BITS
            }
            _ => {
                j -= 1;
                all >> (2 * BITS)
            }
        };
        state = [PAIR, FIRST, SECOND].into_iter().find(|bit| own & bit != 0).unwrap_or(PAIR);
    }
    equal.reverse();
    Ok(Alignment { equal, mismatches })
}

/// For each pair of prefixes, the states from which each of its three states is reached with the highest score: a pair, a
/// residue of the first chain alone, and one of the second alone. And the state of the whole.
fn predecessors(first: &[u32], second: &[u32]) -> (Vec<u16>, u16) {
    let columns = second.len() + 1;
    let mut before = vec![0u16; (first.len() + 1) * columns];
    let gap = |length: usize| OPEN + EXTEND * (length as i32 - 1);
    let of_gap = |length: usize, own: u16| if length == 1 { PAIR } else { own };
    // The scores of a row, by state.
    let mut row: Vec<[i32; 3]> = (0..columns).map(|j| [NEVER, NEVER, gap(j)]).collect();
    row[0] = [0, NEVER, NEVER];
    for (j, before) in before.iter_mut().enumerate().take(columns).skip(1) {
        *before = of_gap(j, SECOND) << (2 * BITS);
    }
    for i in 1..=first.len() {
        let mut diagonal = std::mem::replace(&mut row[0], [NEVER, gap(i), NEVER]);
        before[i * columns] = of_gap(i, FIRST) << BITS;
        for j in 1..columns {
            let (above, left) = (row[j], row[j - 1]);
            let (pair, from_pair) = best(diagonal, [0; 3]);
            let (alone_first, from_first) = best(above, [OPEN, EXTEND, OPEN]);
            let (alone_second, from_second) = best(left, [OPEN, OPEN, EXTEND]);
            let score = if first[i - 1] == second[j - 1] { EQUAL } else { DIFFERENT };
            row[j] = [pair + score, alone_first, alone_second].map(|score| score.max(NEVER));
            before[i * columns + j] = from_pair | (from_first << BITS) | (from_second << (2 * BITS));
            diagonal = above;
        }
    }
    let (_, end) = best(row[columns - 1], [0; 3]);
    (before, [PAIR, FIRST, SECOND].into_iter().find(|bit| end & bit != 0).unwrap_or(PAIR))
}

/// The highest of three scores after the cost of each, and the states that have it.
#[inline]
fn best(scores: [i32; 3], costs: [i32; 3]) -> (i32, u16) {
    let [a, b, c] = [scores[0] + costs[0], scores[1] + costs[1], scores[2] + costs[2]];
    let highest = a.max(b).max(c);
    let bit = |score: i32, bit: u16| if score == highest { bit } else { 0 };
    (highest, bit(a, PAIR) | bit(b, FIRST) | bit(c, SECOND))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn codes(text: &str) -> Vec<u32> {
        text.bytes().map(u32::from).collect()
    }

    /// The alignment in three lines, as Biopython writes it.
    fn shown(first: &str, second: &str) -> [String; 2] {
        let pairs = align(&codes(first), &codes(second)).unwrap().equal;
        let own = |which: usize, text: &str| -> String {
            let letter = |(index, letter): (usize, char)| {
                if pairs.iter().any(|pair| pair[which] as usize == index) {
                    letter
                } else {
                    letter.to_ascii_lowercase()
                }
            };
            text.chars().enumerate().map(letter).collect()
        };
        [own(0, first), own(1, second)]
    }

    /// Expected: `Align.PairwiseAligner` of Biopython 1.88 with these scores; lower case for residues without an equal one.
    #[test]
    fn equal_residues_are_those_of_biopythons_first_alignment() {
        for (first, second, expected) in include!("align_cases.in") {
            assert_eq!(shown(first, second), expected, "{first} {second}");
        }
    }

    #[test]
    fn chains_that_share_nothing_have_no_equal_residues() {
        assert_eq!(align(&codes("AAAA"), &codes("GG")).unwrap().equal, [[0u32; 2]; 0]);
        assert_eq!(align(&[], &codes("GG")).unwrap(), Alignment { equal: Vec::new(), mismatches: 0 });
        assert_eq!(align(&codes("ACD"), &codes("AGD")).unwrap().mismatches, 1);
    }

    #[test]
    fn chains_too_long_to_align_are_refused() {
        let long: Vec<u32> = (0..20_000).collect();
        assert_eq!(align(&long, &long[1..]), Err(TooLong));
        assert_eq!(align(&long, &long).unwrap().equal.len(), 20_000);
    }
}
