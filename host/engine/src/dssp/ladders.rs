//! Bridges between residues, ladders of bridges, and sheets of ladders.

use super::hydrogen_bonds::{bonds, is_bonded};
use super::order::sort;
use super::residue::{Bridge, Residue, State, is_unbroken};
use super::{BINS, Statistics};
use std::collections::{HashMap, VecDeque};

/// Consecutive bridges of one kind, with bulges.
struct Ladder {
    is_parallel: bool,
    /// Residues of both strands, ascending.
    i: VecDeque<usize>,
    j: VecDeque<usize>,
}

/// Assigns bridges, ladders, sheets and the states of their residues.
pub(super) fn assign(residues: &mut [Residue], asyms: &[String], statistics: &mut Statistics) {
    let ladders = joined(residues, ordered(residues, asyms, consecutive(residues)));
    for ladder in &ladders {
        let bridges = &mut statistics.ladders[usize::from(!ladder.is_parallel)];
        bridges[ladder.i.len().min(BINS) - 1] += 1;
    }
    let numbers = sheets(residues.len(), &ladders, statistics);
    for (ladder, [number, sheet]) in ladders.iter().zip(numbers) {
        mark(residues, ladder, number, sheet, statistics);
    }
}

/// The kind of bridge between two residues: whether it is parallel.
fn bridge(residues: &[Residue], b: usize, e: usize) -> Option<bool> {
    let last = residues.len() - 1;
    if b == 0 || e == 0 || b == last || e == last {
        return None;
    }
    let (a, c, d, f) = (b - 1, b + 1, e - 1, e + 1);
    if !is_unbroken(residues, a, c) || !is_unbroken(residues, d, f) {
        return None;
    }
    let bonded = |donor, acceptor| is_bonded(residues, donor, acceptor);
    if bonded(c, e) && bonded(e, a) || bonded(f, b) && bonded(b, d) {
        Some(true)
    } else if bonded(c, d) && bonded(f, a) || bonded(e, b) && bonded(b, e) {
        Some(false)
    } else {
        None
    }
}

/// Stretches of bridges without bulges.
fn consecutive(residues: &[Residue]) -> Vec<Ladder> {
    // Every kind of bridge has a bond from one of these.
    let mut pairs: Vec<(usize, usize)> = bonds(residues)
        .flat_map(|(donor, acceptor)| {
            let (donor, acceptor) = (donor as i64, acceptor as i64);
            [
                (donor - 1, acceptor),
                (acceptor, donor - 1),
                (donor - 1, acceptor + 1),
                (acceptor, donor),
                (donor, acceptor),
                (acceptor + 1, donor - 1),
            ]
        })
        .filter(|&(i, j)| i >= 1 && j >= i + 3 && (i + 4) < residues.len() as i64 && j + 1 < residues.len() as i64)
        .map(|(i, j)| (i as usize, j as usize))
        .collect();
    pairs.sort_unstable();
    pairs.dedup();
    let mut ladders: Vec<Ladder> = Vec::new();
    // Ladders by the pair that would go on with them.
    let mut next: HashMap<(bool, usize, usize), usize> = HashMap::new();
    for (i, j) in pairs {
        let Some(is_parallel) = bridge(residues, i, j) else { continue };
        let place = match next.remove(&(is_parallel, i, j)) {
            Some(place) => {
                let ladder = &mut ladders[place];
                ladder.i.push_back(i);
                if is_parallel {
                    ladder.j.push_back(j)
                } else {
                    ladder.j.push_front(j)
                }
                place
            }
            None => {
                ladders.push(Ladder { is_parallel, i: [i].into(), j: [j].into() });
                ladders.len() - 1
            }
        };
        next.insert((is_parallel, i + 1, if is_parallel { j + 1 } else { j - 1 }), place);
    }
    ladders
}

/// Ladders by the chain and the first residue of their first strand.
fn ordered(residues: &[Residue], asyms: &[String], ladders: Vec<Ladder>) -> Vec<Ladder> {
    let key = |ladder: &Ladder| (asyms[residues[ladder.i[0]].asym as usize].as_str(), ladder.i[0]);
    let keys: Vec<_> = ladders.iter().map(key).collect();
    let mut places: Vec<usize> = (0..ladders.len()).collect();
    sort(&mut places, &|a, b| keys[a] < keys[b]);
    let mut ladders: Vec<Option<Ladder>> = ladders.into_iter().map(Some).collect();
    places.into_iter().filter_map(|place| ladders[place].take()).collect()
}

/// Joins ladders that a bulge divides: at most one residue in one strand, and four in the other.
fn joined(residues: &[Residue], mut ladders: Vec<Ladder>) -> Vec<Ladder> {
    // Differences in place of negative ones are large, as those of unsigned numbers.
    let apart = |a: usize, b: usize| a.checked_sub(b).unwrap_or(usize::MAX);
    let ends = |of: &VecDeque<usize>| (of[0], of[of.len() - 1]);
    let mut a = 0;
    while a < ladders.len() {
        let mut b = a + 1;
        while b < ladders.len() {
            let ((ibi, iei), (jbi, jei)) = (ends(&ladders[a].i), ends(&ladders[a].j));
            let ((ibj, iej), (jbj, jej)) = (ends(&ladders[b].i), ends(&ladders[b].j));
            let is_parallel = ladders[a].is_parallel;
            let between = if is_parallel { apart(jbj, jei) } else { apart(jbi, jej) };
            let is_bulge = is_parallel == ladders[b].is_parallel
                && apart(ibj, iei) < 6
                && !(iei >= ibj && ibi <= iej)
                && is_unbroken(residues, ibi.min(ibj), iei.max(iej))
                && is_unbroken(residues, jbi.min(jbj), jei.max(jej))
                && (between < 6 && apart(ibj, iei) < 3 || between < 3);
            if !is_bulge {
                b += 1;
                continue;
            }
            let other = ladders.remove(b);
            let own = &mut ladders[a];
            own.i.extend(other.i);
            if is_parallel {
                own.j.extend(other.j);
            } else {
                other.j.into_iter().rev().for_each(|j| own.j.push_front(j));
            }
        }
        a += 1;
    }
    ladders
}

/// The number of each ladder from 0, and of its sheet from 1: ladders that share residues are of one sheet.
fn sheets(residues: usize, ladders: &[Ladder], statistics: &mut Statistics) -> Vec<[u32; 2]> {
    let mut of_residue: Vec<Vec<usize>> = vec![Vec::new(); residues];
    for (place, ladder) in ladders.iter().enumerate() {
        ladder.i.iter().chain(&ladder.j).for_each(|&residue| of_residue[residue].push(place));
    }
    let mut sheet_of: Vec<u32> = vec![0; ladders.len()];
    let mut numbers = vec![[0; 2]; ladders.len()];
    let (mut sheet, mut number) = (0, 0);
    for first in 0..ladders.len() {
        if sheet_of[first] != 0 {
            continue;
        }
        sheet += 1;
        sheet_of[first] = sheet;
        let (mut members, mut done) = (vec![first], 0);
        while let Some(&member) = members.get(done) {
            done += 1;
            for &residue in ladders[member].i.iter().chain(&ladders[member].j) {
                for &other in &of_residue[residue] {
                    if sheet_of[other] == 0 {
                        sheet_of[other] = sheet;
                        members.push(other);
                    }
                }
            }
        }
        members.sort_unstable();
        for &member in &members {
            numbers[member] = [number, sheet];
            number += 1;
        }
        if members.len() > 1 || ladders[first].i.len() > 1 {
            statistics.sheets[members.len().min(BINS) - 1] += 1;
        }
    }
    numbers
}

/// Writes a ladder to its residues.
fn mark(residues: &mut [Residue], ladder: &Ladder, number: u32, sheet: u32, statistics: &mut Statistics) {
    let Ladder { is_parallel, i, j } = ladder;
    let ends = |of: &VecDeque<usize>| of[0]..=of[of.len() - 1];
    let (of_i, of_j) = (ends(i), ends(j));
    statistics.hydrogen_bonds[if *is_parallel { 1 } else { 2 }] += of_i.end() + 2 - of_i.start();
    // A strand that has a partner already has the second one here.
    let place = |residues: &[Residue], of: &VecDeque<usize>| {
        usize::from(of.iter().any(|&own| residues[own].bridges[0].is_some()))
    };
    let (place_i, place_j) = (place(residues, i), place(residues, j));
    let pairs: Vec<(usize, usize)> = match is_parallel {
        true => i.iter().copied().zip(j.iter().copied()).collect(),
        false => i.iter().copied().zip(j.iter().rev().copied()).collect(),
    };
    let mut set = |own: usize, place: usize, residue: usize| {
        residues[own].bridges[place] = Some(Bridge { residue, ladder: number, is_parallel: *is_parallel });
    };
    pairs.iter().for_each(|&(own, other)| set(own, place_i, other));
    pairs.iter().for_each(|&(other, own)| set(own, place_j, other));
    let state = if i.len() > 1 { State::Strand } else { State::Bridge };
    for residue in of_i.chain(of_j) {
        let residue = &mut residues[residue];
        if residue.state != State::Strand {
            residue.state = state;
        }
        residue.sheet = sheet;
    }
}
