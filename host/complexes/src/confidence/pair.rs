//! The scores of two chains.

use super::columns::together;
use super::matrix::Matrix;
use super::model::Kind;
use super::prediction::{Cutoffs, PairScores, Prediction, ResidueScores, Scores};
use super::scores::{self, ByErrors, Near, RowScores};
use super::units::Unit;
use std::ops::Range;

/// Two chains whose scores are computed.
pub(super) struct PairOfChains<'a> {
    of: &'a Prediction,
    pae: &'a Matrix,
    chains: [usize; 2],
    cutoffs: Cutoffs,
    is_ligand: bool,
    both: [ByErrors; 2],
    /// Pairs up to 8 Å or the cut-off by the atoms of contacts.
    near: Vec<Near>,
    /// Pairs up to 8 Å by the atoms of actifpTM.
    near_of_actifptm: Vec<Near>,
    /// The scale of actifpTM.
    d0: f64,
}

impl<'a> PairOfChains<'a> {
    pub(super) fn new(
        of: &'a Prediction,
        pae: &'a Matrix,
        chains: [usize; 2],
        cutoffs: Cutoffs,
        polymers: usize,
    ) -> Self {
        let [a, b] = chains.map(|chain| of.units.ranges[chain].clone());
        let nucleic = chains.iter().any(|&chain| of.is_nucleic(chain));
        let is_ligand = chains.iter().any(|&chain| of.is_ligand(chain));
        let errors =
            |a: &Range<usize>, b: &Range<usize>| scores::by_errors(pae, a.clone(), b.clone(), cutoffs.pae, nucleic);
        let both = [errors(&a, &b), errors(&b, &a)];
        let near = scores::near(&of.units.all, a.clone(), b.clone(), cutoffs.distance.max(8.0), |unit| unit.contact);
        // Nucleotides meet by C1' there, and by C3' elsewhere.
        let position = |unit: &Unit| if unit.kind == Kind::Nucleic { unit.anchor } else { unit.contact };
        let near_of_actifptm = match (is_ligand, nucleic) {
            (true, _) => Vec::new(),
            (false, true) => scores::near(&of.units.all, a, b, 8.0, position),
            (false, false) => near.clone(),
        };
        let d0 = scores::d0_of_predictors(polymers);
        Self { of, pae, chains, cutoffs, is_ligand, both, near, near_of_actifptm, d0 }
    }

    /// The units of pDockQ's contacts.
    pub(super) fn touching(&self) -> impl Iterator<Item = usize> {
        scores::contacts(&self.near).flat_map(|near| [near.a, near.b])
    }

    /// Whether a near pair counts as a contact in a direction.
    fn counts(&self, near: &Near, forward: bool) -> bool {
        near.distance < self.cutoffs.distance && self.error(near, forward) < self.cutoffs.pae
    }

    fn error(&self, near: &Near, forward: bool) -> f32 {
        if forward { self.pae.at(near.a, near.b) } else { self.pae.at(near.b, near.a) }
    }

    /// The numbers of a direction.
    fn numbers(&self, forward: bool) -> [f32; 28] {
        let by = &self.both[usize::from(!forward)];
        let chains = if forward { self.chains } else { [self.chains[1], self.chains[0]] };
        let touching: Vec<&Near> = scores::contacts(&self.near).collect();
        let errors = || touching.iter().map(|near| self.error(near, forward));
        let plddt =
            scores::plddt_of_contacts(&self.of.units.all, touching.iter().flat_map(|near| [near.a, near.b]).collect());
        let best = by.best(|row| row.ipsae);
        let highest = |score: fn(&RowScores) -> f64| score(&by.best(score)) as f32;
        let polymers = |value: f64| if self.is_ligand { f32::NAN } else { value as f32 };
        let clis = scores::clis(errors());
        let pairs = scores::contacts_of_actifptm(&self.near_of_actifptm);
        let pairs = pairs.map(|near| if forward { (near.a, near.b) } else { (near.b, near.a) });
        let mut ends: [Vec<usize>; 2] = Default::default();
        let mut contacts = 0;
        for near in self.near.iter().filter(|near| self.counts(near, forward)) {
            contacts += 1;
            let [a, b] = if forward { [near.a, near.b] } else { [near.b, near.a] };
            ends[0].push(a);
            ends[1].push(b);
        }
        let ends = ends.map(|mut ends| {
            ends.sort_unstable();
            ends.dedup();
            ends.len() as f32
        });
        [
            self.of.iptm_of(chains),
            self.of.ptm.unwrap_or(f32::NAN),
            self.of.ranking.unwrap_or(f32::NAN),
            best.ipsae as f32,
            highest(|row| row.ipsae_d0chn),
            highest(|row| row.ipsae_d0dom),
            highest(|row| row.iptm_d0chn),
            polymers(scores::pdockq(plddt, touching.len())),
            polymers(scores::pdockq2(plddt, errors())),
            by.lis as f32,
            clis as f32,
            scores::ilis(by.lis, clis) as f32,
            polymers(scores::actifptm(self.pae, pairs, self.d0)),
            by.pae_mean as f32,
            by.pae_min,
            plddt as f32,
            contacts as f32,
            touching.len() as f32,
            best.n0res as f32,
            by.n0chn as f32,
            by.n0dom as f32,
            best.d0res as f32,
            by.d0chn as f32,
            by.d0dom as f32,
            by.residues[0] as f32,
            by.residues[1] as f32,
            ends[0],
            ends[1],
        ]
    }

    pub(super) fn push(&self, found: &mut Scores) {
        let directions = [self.numbers(true), self.numbers(false)];
        let reversed = [self.chains[1], self.chains[0]];
        let max = together(directions);
        for (chains, is_max, numbers) in
            [(self.chains, false, directions[0]), (reversed, false, directions[1]), (self.chains, true, max)]
        {
            found.pairs.push(PairScores { chains, is_max, numbers });
        }
    }

    /// Adds the scores of each residue with the other chain.
    pub(super) fn push_residues(&self, found: &mut Scores) {
        let reversed = [self.chains[1], self.chains[0]];
        for (forward, chains) in [(true, self.chains), (false, reversed)] {
            let by = &self.both[usize::from(!forward)];
            let mut contacts = vec![0_u32; by.rows.len()];
            let begin = self.of.units.ranges[chains[0]].start;
            for near in self.near.iter().filter(|near| self.counts(near, forward)) {
                contacts[if forward { near.a } else { near.b } - begin] += 1;
            }
            for (at, (row, contacts)) in by.rows.iter().zip(contacts).enumerate() {
                let unit = &self.of.units.all[begin + at];
                let residue = &self.of.model.residues[unit.residue as usize];
                found.residues.push(ResidueScores {
                    chains,
                    number: residue.number,
                    icode: residue.icode.to_string(),
                    name: residue.name.to_string(),
                    numbers: [
                        unit.plddt,
                        row.ipsae as f32,
                        row.ipsae_d0chn as f32,
                        row.ipsae_d0dom as f32,
                        row.iptm_d0chn as f32,
                        row.n0res as f32,
                        row.d0res as f32,
                        row.pae_mean as f32,
                        row.pae_min,
                        contacts as f32,
                    ],
                });
            }
        }
    }
}
