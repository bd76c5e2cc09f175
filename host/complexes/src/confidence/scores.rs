//! The scores of two chains, each a function of its own with its definition.
//!
//! A chain is a list of [`Unit`]s. `pae` is their matrix of predicted aligned errors,
//! with the units of a chain side by side.

use super::matrix::Matrix;
use super::sums::{smallest, sums};
use super::units::Unit;
use std::ops::Range;

/// The distance in Å below which a predicted aligned error counts for LIS.
const LIS_PAE: f32 = 12.0;
/// The distance in Å up to which CB atoms are in contact for pDockQ, pDockQ2, cLIS and actifpTM.
const CONTACT: f64 = 8.0;
/// The scale in Å of pDockQ2's errors.
const PDOCKQ2_D0: f64 = 10.0;

/// The TM-score's scale in Å for `length` residues (Zhang and Skolnick 2004), of at least 27; at least 1 Å, and 2 Å with nucleic acids.
pub(super) fn d0(length: usize, nucleic: bool) -> f64 {
    let least: f64 = if nucleic { 2.0 } else { 1.0 };
    (1.24 * (length.max(27) as f64 - 15.0).cbrt() - 1.8).max(least)
}

/// The scale in Å of pTM and actifpTM, as AlphaFold has it: for at least 19 residues, with no least value.
pub(super) fn d0_of_predictors(length: usize) -> f64 {
    1.24 * (length.max(19) as f64 - 15.0).cbrt() - 1.8
}

/// The TM-score's term of an error.
pub(super) fn term(pae: f32, d0: f64) -> f64 {
    let share = f64::from(pae) / d0;
    1.0 / (1.0 + share * share)
}

/// Defines functions over whole matrices, which are compiled with AVX2, too, and so run with it where the processor has it. Sums have
/// the same lanes with and without it, and so the same bits.
macro_rules! over_matrices {
    ($($(#[$doc:meta])* fn $name:ident($($arg:ident: $type:ty),*) -> $result:ty = $with:ident;)*) => {
        $($(#[$doc])*
        pub(super) fn $name($($arg: $type),*) -> $result {
            #[cfg(target_arch = "x86_64")]
            if is_x86_feature_detected!("avx2") {
                // SAFETY: the processor has the instructions.
                return unsafe { x86::$name($($arg),*) };
            }
            $with($($arg),*)
        })*

        #[cfg(target_arch = "x86_64")]
        mod x86 {
            use super::*;

            $(#[target_feature(enable = "avx2")]
            pub(super) fn $name($($arg: $type),*) -> $result {
                $with($($arg),*)
            })*
        }
    };
}

over_matrices! {
    /// ipSAE (Dunbrack 2025) with its three scales, the ipTM of the matrix, LIS (Kim 2024), mean and minimum of the errors.
    ///
    /// ipSAE of a direction is the highest of its residues' scores. LIS is the mean of (12 - e) / 12 over all errors e of at most 12 Å.
    fn by_errors(pae: &Matrix, a: Range<usize>, b: Range<usize>, cutoff: f32, nucleic: bool) -> ByErrors = by_errors_with;
    /// The scores of all chains together. `ends` are those of the chains.
    fn of_whole(pae: &Matrix, ends: &[usize]) -> OfWhole = of_whole_with;
    /// The pairs of units of two chains up to a distance in Å from each other, by their positions and first indices.
    fn near_positions(a: (usize, &[[f64; 3]]), b: (usize, &[[f64; 3]]), limit: f64) -> Vec<Near> = near_positions_with;
}

/// The TM-score's term of an error, for sums over many; `scale` is that of [`terms`].
#[inline(always)]
fn of_many(pae: f32, scale: f32) -> f32 {
    1.0 / (1.0 + pae * pae * scale)
}

/// The scale of [`of_many`].
fn terms(d0: f64) -> f32 {
    (1.0 / (d0 * d0)) as f32
}

/// The mean of a sum; 0 of nothing.
fn mean(sum: f64, count: f64) -> f64 {
    if count > 0.0 { sum / count } else { 0.0 }
}

/// The scores of a residue of the first chain, on which both structures are aligned, over the residues of the second.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct RowScores {
    /// The mean term of residues whose error is below the cut-off, with the scale of their number.
    pub(super) ipsae: f64,
    /// The same with the scale of both chains together.
    pub(super) ipsae_d0chn: f64,
    /// The same with the scale of all residues of both chains that have such an error.
    pub(super) ipsae_d0dom: f64,
    /// The mean term of all residues with the scale of both chains.
    pub(super) iptm_d0chn: f64,
    /// The number of residues whose error is below the cut-off.
    pub(super) n0res: usize,
    pub(super) d0res: f64,
    pub(super) pae_mean: f64,
    pub(super) pae_min: f32,
}

/// The scores by the matrix alone, of one direction.
#[derive(Clone, Debug, Default)]
pub(super) struct ByErrors {
    /// Those of each residue of the first chain.
    pub(super) rows: Vec<RowScores>,
    pub(super) n0chn: usize,
    pub(super) d0chn: f64,
    pub(super) n0dom: usize,
    pub(super) d0dom: f64,
    /// Residues of either chain with an error below the cut-off.
    pub(super) residues: [usize; 2],
    pub(super) lis: f64,
    pub(super) pae_mean: f64,
    pub(super) pae_min: f32,
}

impl ByErrors {
    /// The row with the highest of a score, the first of equal ones.
    pub(super) fn best(&self, score: impl Fn(&RowScores) -> f64) -> RowScores {
        let mut best = RowScores::default();
        for (at, row) in self.rows.iter().enumerate() {
            if at == 0 || score(row) > score(&best) {
                best = *row;
            }
        }
        best
    }
}

#[inline(always)]
fn by_errors_with(pae: &Matrix, a: Range<usize>, b: Range<usize>, cutoff: f32, nucleic: bool) -> ByErrors {
    let n0chn = a.len() + b.len();
    let d0chn = d0(n0chn, nucleic);
    let mut found = ByErrors { n0chn, d0chn, pae_min: f32::INFINITY, ..ByErrors::default() };
    let mut least = vec![f32::INFINITY; b.len()];
    let (mut lis, mut below, mut sum) = (0.0, 0.0, 0.0);
    let (valid, scale) = (|pae: f32| if pae < cutoff { 1.0 } else { 0.0 }, terms(d0chn));
    for i in a.clone() {
        let row = &pae.row(i)[b.clone()];
        let [all, chosen, count, errors, score, counted] = sums(row, |pae| {
            let (term, own) = (of_many(pae, scale), valid(pae));
            let near = if pae <= LIS_PAE { 1.0 } else { 0.0 };
            [term, term * own, own, pae, (LIS_PAE - pae) * (1.0 / LIS_PAE) * near, near]
        });
        least.iter_mut().zip(row).for_each(|(least, &pae)| *least = if pae < *least { pae } else { *least });
        let d0res = d0(count as usize, nucleic);
        let own_scale = terms(d0res);
        let [own] = if count > 0.0 { sums(row, |pae| [of_many(pae, own_scale) * valid(pae)]) } else { [0.0] };
        (lis, below, sum) = (lis + score, below + counted, sum + errors);
        found.residues[0] += usize::from(count > 0.0);
        let pae_min = smallest(row);
        found.pae_min = found.pae_min.min(pae_min);
        found.rows.push(RowScores {
            ipsae: mean(own, count),
            ipsae_d0chn: mean(chosen, count),
            ipsae_d0dom: mean(chosen, count),
            iptm_d0chn: mean(all, row.len() as f64),
            n0res: count as usize,
            d0res,
            pae_mean: mean(errors, row.len() as f64),
            pae_min,
        });
    }
    found.residues[1] = least.iter().filter(|&&pae| pae < cutoff).count();
    found.n0dom = found.residues.iter().sum();
    found.d0dom = d0(found.n0dom, nucleic);
    // In small confident complexes all residues count, and the scales are equal.
    if found.d0dom != d0chn {
        let scale = terms(found.d0dom);
        for (i, scores) in a.clone().zip(&mut found.rows).filter(|(_, scores)| scores.n0res > 0) {
            let [own] = sums(&pae.row(i)[b.clone()], |pae| [of_many(pae, scale) * valid(pae)]);
            scores.ipsae_d0dom = mean(own, scores.n0res as f64);
        }
    }
    found.lis = mean(lis, below);
    found.pae_mean = mean(sum, (a.len() * b.len()) as f64);
    found
}

/// Two units of different chains that are near each other.
#[derive(Clone, Copy, Debug)]
pub(super) struct Near {
    pub(super) a: usize,
    pub(super) b: usize,
    /// In Å.
    pub(super) distance: f64,
}

/// The pairs of units of two chains up to a distance in Å from each other.
pub(super) fn near(
    units: &[Unit],
    a: Range<usize>,
    b: Range<usize>,
    limit: f64,
    position: impl Fn(&Unit) -> [f64; 3],
) -> Vec<Near> {
    let [own, others] = [&a, &b].map(|chain| units[chain.clone()].iter().map(&position).collect::<Vec<_>>());
    near_positions((a.start, &own), (b.start, &others), limit)
}

#[inline(always)]
fn near_positions_with(
    (first_a, own): (usize, &[[f64; 3]]),
    (first_b, others): (usize, &[[f64; 3]]),
    limit: f64,
) -> Vec<Near> {
    /// Units that are compared at once.
    const AT_ONCE: usize = 8;
    // Side by side by axis. The last ones are blanks, near nothing.
    let blocks: Vec<[[f64; AT_ONCE]; 3]> = others
        .chunks(AT_ONCE)
        .map(|some| {
            let axis = |axis: usize| std::array::from_fn(|at| some.get(at).map_or(f64::NAN, |position| position[axis]));
            [axis(0), axis(1), axis(2)]
        })
        .collect();
    let mut pairs = Vec::new();
    for (i, [x, y, z]) in (first_a..).zip(own) {
        for (block, [u, v, w]) in blocks.iter().enumerate() {
            let mut squares = [0.0; AT_ONCE];
            for (at, square) in squares.iter_mut().enumerate() {
                let (x, y, z) = (x - u[at], y - v[at], z - w[at]);
                *square = x * x + y * y + z * z;
            }
            // Few blocks have any.
            if squares.iter().fold(false, |any, &square| any | (square <= limit * limit)) {
                let near = squares.iter().enumerate().filter(|(_, square)| **square <= limit * limit);
                let first = first_b + AT_ONCE * block;
                pairs.extend(near.map(|(at, square)| Near { a: i, b: first + at, distance: square.sqrt() }));
            }
        }
    }
    pairs
}

/// Pairs in contact for pDockQ, pDockQ2, cLIS.
pub(super) fn contacts(pairs: &[Near]) -> impl Iterator<Item = &Near> {
    pairs.iter().filter(|pair| pair.distance <= CONTACT)
}

/// The mean confidence of units in contact, each counted once, at the atoms of contacts; NaN of none.
pub(super) fn plddt_of_contacts(units: &[Unit], mut which: Vec<usize>) -> f64 {
    which.sort_unstable();
    which.dedup();
    let sum: f64 = which.iter().map(|&at| f64::from(units[at].plddt_at_contact)).sum();
    sum / which.len() as f64
}

/// The mean confidence of all units that have one; NaN of none.
pub(super) fn mean_plddt(units: &[Unit]) -> f64 {
    let known = units.iter().filter(|unit| !unit.plddt.is_nan());
    let (sum, count) = known.fold((0.0, 0.0), |(sum, count), unit| (sum + f64::from(unit.plddt), count + 1.0));
    sum / count
}

/// pDockQ (Bryant, Pozzati and Elofsson 2022): a sigmoid of the mean pLDDT of residues in contact, times the logarithm of the number
/// of contacts. 0 without contacts.
pub(super) fn pdockq(plddt: f64, contacts: usize) -> f64 {
    if contacts == 0 {
        return 0.0;
    }
    let x = plddt * (contacts as f64).log10();
    0.724 / (1.0 + (-0.052 * (x - 152.611)).exp()) + 0.018
}

/// pDockQ2 (Zhu, Shenoy, Kundrotas and Elofsson 2023), as ipSAE's program computes it: a sigmoid of the mean pLDDT of residues in
/// contact, times the mean term of the contacts' errors with a scale of 10 Å. 0 without contacts.
pub(super) fn pdockq2(plddt: f64, errors: impl Iterator<Item = f32>) -> f64 {
    let (sum, count) = errors.fold((0.0, 0_usize), |(sum, count), pae| (sum + term(pae, PDOCKQ2_D0), count + 1));
    if count == 0 {
        return 0.0;
    }
    let x = plddt * sum / count as f64;
    1.31 / (1.0 + (-0.075 * (x - 84.733)).exp()) + 0.005
}

/// cLIS (Kim 2024): LIS of contacts alone. 0 without contacts of an error of at most 12 Å.
pub(super) fn clis(errors: impl Iterator<Item = f32>) -> f64 {
    let near = errors.filter(|pae| *pae <= LIS_PAE);
    let (sum, count) =
        near.fold((0.0, 0.0), |(sum, count), pae| (sum + f64::from((LIS_PAE - pae) / LIS_PAE), count + 1.0));
    mean(sum, count)
}

/// iLIS (AFM-LIS): the geometric mean of LIS and cLIS.
pub(super) fn ilis(lis: f64, clis: f64) -> f64 {
    (lis * clis).sqrt()
}

/// actifpTM (Varga, Ovchinnikov and Schueler-Furman 2025) by the matrix, as reactifptm computes it: of each residue of the first chain
/// the mean term of its contacts closer than 8 Å, and the highest of these. The scale is that of all residues. NaN without contacts.
pub(super) fn actifptm(pae: &Matrix, pairs: impl Iterator<Item = (usize, usize)>, d0: f64) -> f64 {
    let mut rows: Vec<(usize, usize)> = pairs.collect();
    rows.sort_unstable();
    let of_row =
        |row: &[(usize, usize)]| row.iter().map(|&(i, j)| term(pae.at(i, j), d0)).sum::<f64>() / row.len() as f64;
    rows.chunk_by(|one, other| one.0 == other.0).map(of_row).fold(f64::NAN, f64::max)
}

/// Pairs in contact for actifpTM.
pub(super) fn contacts_of_actifptm(pairs: &[Near]) -> impl Iterator<Item = &Near> {
    pairs.iter().filter(|pair| pair.distance < CONTACT)
}

/// The scores of a matrix that need all chains.
#[derive(Clone, Copy, Debug)]
pub(super) struct OfWhole {
    /// pTM (Zhang and Skolnick 2004, Jumper 2021): the highest mean term of a row.
    pub(super) ptm: f64,
    /// ipTM: the same over the columns of other chains alone (Evans 2021); NaN if there is one chain.
    pub(super) iptm: f64,
    /// The mean of all errors but those on the diagonal, of units aligned on themselves.
    pub(super) pae_mean: f64,
}

#[inline(always)]
fn of_whole_with(pae: &Matrix, ends: &[usize]) -> OfWhole {
    let (size, d0) = (pae.size(), d0_of_predictors(pae.size()));
    let (mut ptm, mut iptm, mut errors, scale) = (0_f64, f64::NAN, 0.0, terms(d0));
    let mut begin = 0;
    for &end in ends {
        for at in begin..end {
            let row = pae.row(at);
            errors += sums(row, |pae| [pae])[0] - f64::from(row[at]);
            let mut parts = [0.0; 3];
            for (sum, part) in parts.iter_mut().zip([&row[..begin], &row[begin..end], &row[end..]]) {
                [*sum] = sums(part, |pae| [of_many(pae, scale)]);
            }
            let [before, own, after] = parts;
            ptm = ptm.max((before + own + after) / size as f64);
            if end - begin < size {
                iptm = iptm.max((before + after) / (size - (end - begin)) as f64);
            }
        }
        begin = end;
    }
    OfWhole { ptm, iptm, pae_mean: errors / (size * size.saturating_sub(1)) as f64 }
}
