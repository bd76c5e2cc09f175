//! Follows sites through the frames of a trajectory.
//!
//! A pocket is a site that appears again: the sites of each frame are compared with the pockets so far, by the residues that line them.

use super::FoundSite;
use std::collections::BTreeMap;

/// A site belongs to a pocket if at least this share of their residues is common.
const COMMON: f64 = 0.3;

/// A pocket: a site of some frames.
#[derive(Clone, Debug, Default)]
pub struct Pocket {
    /// Number of frames with it.
    pub frames: usize,
    /// The first and the last of them, counted from 0 among those that were given.
    pub first: usize,
    /// See `first`.
    pub last: usize,
    /// In how many of them a residue lines it.
    residues: BTreeMap<usize, usize>,
}

impl Pocket {
    /// The residues that line it in at least half of its frames.
    #[must_use]
    pub fn usual_residues(&self) -> Vec<usize> {
        self.residues.iter().filter(|(_, frames)| 2 * **frames >= self.frames).map(|(row, _)| *row).collect()
    }

    /// The share of residues that a site has in common with it. A residue of the pocket counts as the share of frames in which it lines it.
    fn common(&self, site: &FoundSite) -> f64 {
        let share = |frames: &usize| *frames as f64 / self.frames as f64;
        let common: f64 = site.residues.iter().filter_map(|row| self.residues.get(row)).map(share).sum();
        let own: f64 = self.residues.values().map(share).sum();
        let all = own + site.residues.len() as f64 - common;
        if all > 0.0 { common / all } else { 0.0 }
    }
}

/// The pockets of a trajectory so far, in the order in which they appeared.
///
/// ```
/// use prism_engine::sites::{FoundSite, Pockets};
///
/// let site = |residues: &[usize]| FoundSite { residues: residues.to_vec(), ..FoundSite::default() };
/// let mut pockets = Pockets::default();
/// assert_eq!(pockets.follow(&[site(&[1, 2, 3, 4]), site(&[20, 21])]), [1, 2]);
/// // In the next frame the other one has the higher score, and the first has lost a residue.
/// assert_eq!(pockets.follow(&[site(&[20, 21, 22]), site(&[2, 3, 4]), site(&[40])]), [2, 1, 3]);
/// assert_eq!((pockets.frames(), pockets.all()[0].frames, &pockets.all()[1].usual_residues()[..]), (2, 2, &[20, 21, 22][..]));
/// ```
#[derive(Clone, Debug, Default)]
pub struct Pockets {
    all: Vec<Pocket>,
    frames: usize,
}

impl Pockets {
    /// Takes the sites of the next frame, the best first. Returns the number of each one's pocket, from 1. The two with most in common go
    /// together first; a site with no pocket that is left begins one.
    pub fn follow(&mut self, sites: &[FoundSite]) -> Vec<usize> {
        let mut near: Vec<(f64, usize, usize)> = Vec::new();
        for (site, found) in sites.iter().enumerate() {
            let common = self.all.iter().enumerate().map(|(pocket, own)| (own.common(found), site, pocket));
            near.extend(common.filter(|(common, ..)| *common >= COMMON));
        }
        // The most first; of equal ones the better site, and the older pocket.
        near.sort_by(|a, b| b.0.total_cmp(&a.0).then((a.1, a.2).cmp(&(b.1, b.2))));
        let (mut of, mut is_taken) = (vec![None; sites.len()], vec![false; self.all.len()]);
        for (_, site, pocket) in near {
            if of[site].is_none() && !is_taken[pocket] {
                (of[site], is_taken[pocket]) = (Some(pocket), true);
            }
        }
        let frame = self.frames;
        self.frames += 1;
        let number = |(found, pocket): (&FoundSite, Option<usize>)| {
            let place = pocket.unwrap_or_else(|| {
                self.all.push(Pocket { first: frame, ..Pocket::default() });
                self.all.len() - 1
            });
            let own = &mut self.all[place];
            own.frames += 1;
            own.last = frame;
            found.residues.iter().for_each(|&row| *own.residues.entry(row).or_default() += 1);
            place + 1
        };
        sites.iter().zip(of).map(number).collect()
    }

    /// All of them.
    #[must_use]
    pub fn all(&self) -> &[Pocket] {
        &self.all
    }

    /// Number of frames.
    #[must_use]
    pub fn frames(&self) -> usize {
        self.frames
    }
}
