//! Turns, helices and bends.

use super::hydrogen_bonds::is_bonded;
use super::residue::{HelixPart, Residue, State, UNDEFINED, is_unbroken};
use super::{BINS, Statistics};

/// Residues of the turns of 3-10, alpha and pi helices.
const STRIDES: [usize; 3] = [3, 4, 5];

/// Bends are above, in degrees.
const BEND: f32 = 70.0;

/// Assigns helices, turns and bends.
pub(super) fn assign(residues: &mut [Residue], statistics: &mut Statistics) {
    for (kind, stride) in STRIDES.into_iter().enumerate() {
        turns(residues, kind, stride);
    }
    for residue in residues.iter_mut() {
        residue.is_bend = residue.kappa != UNDEFINED && residue.kappa > BEND;
    }
    for (kind, state) in [(1, State::AlphaHelix), (0, State::Helix3), (2, State::Helix5)] {
        helices(residues, kind, state);
    }
    for i in 1..residues.len().saturating_sub(1) {
        if residues[i].state != State::Loop {
            continue;
        }
        let begins = |(kind, stride): (usize, usize)| (1..stride).any(|k| i >= k && starts(&residues[i - k], kind));
        if STRIDES.into_iter().enumerate().any(begins) {
            residues[i].state = State::Turn;
        } else if residues[i].is_bend {
            residues[i].state = State::Bend;
        }
    }
    lengths(residues, statistics);
}

fn starts(residue: &Residue, kind: usize) -> bool {
    matches!(residue.helices[kind], HelixPart::Start | HelixPart::StartAndEnd)
}

/// Marks turns: the N-H of a residue is bonded to the O of the one a stride before.
fn turns(residues: &mut [Residue], kind: usize, stride: usize) {
    for i in 0..residues.len().saturating_sub(stride) {
        if !is_unbroken(residues, i, i + stride) || !is_bonded(residues, i + stride, i) {
            continue;
        }
        residues[i + stride].helices[kind] = HelixPart::End;
        for residue in &mut residues[i + 1..i + stride] {
            if residue.helices[kind] == HelixPart::None {
                residue.helices[kind] = HelixPart::Middle;
            }
        }
        let first = &mut residues[i].helices[kind];
        *first = if *first == HelixPart::End { HelixPart::StartAndEnd } else { HelixPart::Start };
    }
}

/// Marks helices: two turns one after the other. Alpha helices take everything, 3-10 helices what is free, and pi helices what is free or
/// in an alpha helix.
fn helices(residues: &mut [Residue], kind: usize, state: State) {
    let stride = STRIDES[kind];
    for i in 1..residues.len().saturating_sub(stride) {
        if !starts(&residues[i], kind) || !starts(&residues[i - 1], kind) {
            continue;
        }
        let is_free = |residue: &Residue| match state {
            State::AlphaHelix => true,
            State::Helix5 => matches!(residue.state, State::Loop | State::Helix5 | State::AlphaHelix),
            _ => matches!(residue.state, State::Loop | State::Helix3),
        };
        if residues[i..i + stride].iter().all(is_free) {
            residues[i..i + stride].iter_mut().for_each(|residue| residue.state = state);
        }
    }
}

/// Counts alpha helices by their lengths. One at its chain's end is not counted, as in mkdssp.
fn lengths(residues: &[Residue], statistics: &mut Statistics) {
    let (mut asym, mut length) = (None, 0);
    for residue in residues {
        if asym != Some(residue.asym) {
            (asym, length) = (Some(residue.asym), 0);
        }
        if residue.state == State::AlphaHelix {
            length += 1;
        } else if length > 0 {
            statistics.helices[length.min(BINS) - 1] += 1;
            length = 0;
        }
    }
}

/// Marks poly-proline helices: stretches with phi and psi within 29 degrees of -75 and 145.
pub(super) fn assign_polyproline(residues: &mut [Residue], shortest: usize) {
    const KIND: usize = 3;
    let n = residues.len();
    // mkdssp has 0 for the first and the last residue.
    let is_in = |i: usize, residue: &Residue| {
        let (phi, psi) = if i == 0 || i + 1 == n { (0.0, 0.0) } else { (residue.phi, residue.psi) };
        (-104.0..=-46.0).contains(&phi) && (116.0..=174.0).contains(&psi)
    };
    let fits: Vec<bool> = residues.iter().enumerate().map(|(i, residue)| is_in(i, residue)).collect();
    for i in 1..n.saturating_sub(3) {
        if !fits[i..i + shortest].iter().all(|fits| *fits) {
            continue;
        }
        let first = &mut residues[i].helices[KIND];
        *first = match *first {
            HelixPart::None => HelixPart::Start,
            HelixPart::End if shortest == 2 => HelixPart::Middle,
            HelixPart::End => HelixPart::StartAndEnd,
            other => other,
        };
        for residue in &mut residues[i + 1..i + shortest] {
            residue.helices[KIND] = HelixPart::Middle;
        }
        residues[i + shortest - 1].helices[KIND] = HelixPart::End;
        for residue in &mut residues[i..i + shortest] {
            if residue.state == State::Loop {
                residue.state = State::Polyproline;
            }
        }
    }
}
