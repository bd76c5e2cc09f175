//! Pairs and stacks of bases: candidates, which a kernel tests, and what its results mean.

use crate::EngineError;
use crate::base_pairs::Candidates;
use crate::interactions::bases::{Base, Edge, Prepared, is_polar};
use crate::interactions::cells::each_pair;
use crate::interactions::geometry::{Point, degrees, least};
use crate::interactions::kinds::Kind;
use crate::interactions::search::Search;
use crate::interactions::{BasePair, Interaction, TestPairs};
use kernels_gpu::bases::{CONTACT, EDGES, STACKED, TestedPair};
use std::collections::{BTreeSet, HashMap};

/// The bases of a structure, and what the kernel found of pairs of them.
struct Tested<'s> {
    search: &'s Search,
    bases: Vec<Base>,
    prepared: Prepared,
    pairs: Vec<([usize; 2], TestedPair)>,
}

/// Adds pairs and stacks of bases, as far as they are among the kinds. Returns a note, if there is something to say.
pub(in crate::interactions) fn find_of_bases(
    search: &Search,
    kinds: &[Kind],
    test: &TestPairs<'_>,
    found: &mut Vec<Interaction>,
) -> Result<Option<String>, EngineError> {
    let bases = Base::all(&search.system);
    let prepared = Prepared::of(search, &bases);
    let mut candidates: BTreeSet<[u32; 2]> = BTreeSet::new();
    if kinds.contains(&Kind::BasePair) {
        side_by_side(search, &bases, &mut candidates);
    }
    if kinds.contains(&Kind::BaseStack) {
        on_each_other(&bases, &mut candidates);
    }
    let pairs: Vec<[u32; 2]> = candidates.into_iter().collect();
    let Prepared { bases: of_bases, polars, hydrogens, .. } = &prepared;
    let tested = test(&Candidates { bases: of_bases, polars, hydrogens, pairs: &pairs })?;
    let pairs = pairs.into_iter().map(|pair| pair.map(|base| base as usize)).zip(tested).collect();
    let all = Tested { search, bases, prepared, pairs };
    if kinds.contains(&Kind::BasePair) {
        all.add_pairs(found);
    }
    if kinds.contains(&Kind::BaseStack) {
        all.add_stacks(found);
    }
    let cut = all.prepared.cut;
    Ok((cut > 0).then(|| {
        format!("{cut} nucleotides have more than 64 nitrogens and oxygens, of which pairs have the first 64 alone")
    }))
}

/// Adds the bases that have nitrogens and oxygens near each other.
fn side_by_side(search: &Search, bases: &[Base], candidates: &mut BTreeSet<[u32; 2]>) {
    let of_residue: HashMap<u32, u32> = bases.iter().zip(0..).map(|(base, index)| (base.residue, index)).collect();
    for near in search.dry().filter(|near| near.distance <= CONTACT) {
        let [a, b] = [near.a, near.b]
            .map(|atom| of_residue.get(&search.residue(atom)).filter(|_| is_polar(&search.system, atom)).copied());
        if let (Some(a), Some(b)) = (a, b) {
            candidates.insert([a.min(b), a.max(b)]);
        }
    }
}

/// Adds the bases that have rings near each other.
fn on_each_other(bases: &[Base], candidates: &mut BTreeSet<[u32; 2]>) {
    let rings: Vec<(u32, Point)> =
        bases.iter().zip(0..).flat_map(|(base, index)| base.rings.iter().map(move |&ring| (index, ring))).collect();
    let points: Vec<Point> = rings.iter().map(|(_, ring)| *ring).collect();
    each_pair(&points, STACKED, |a, b, _| {
        let [a, b] = [a, b].map(|ring| rings[ring as usize].0);
        if a != b {
            candidates.insert([a.min(b), a.max(b)]);
        }
    });
}

impl Tested<'_> {
    fn add_pairs(&self, found: &mut Vec<Interaction>) {
        let pairs = self.pairs.iter().filter(|(_, tested)| tested.has(TestedPair::PAIR));
        let mut pairs: Vec<(Interaction, [u32; 3])> = pairs.map(|(bases, tested)| self.pair(*bases, tested)).collect();
        // Of several pairs of a base the one with the most hydrogen bonds is its best, of equal ones cWW, then the one with the most
        // contacts, then the first.
        let mut best: HashMap<u32, usize> = HashMap::new();
        for (index, (pair, rank)) in pairs.iter().enumerate() {
            for residue in pair.residues {
                let own = best.entry(residue).or_insert(index);
                if *rank > pairs[*own].1 {
                    *own = index;
                }
            }
        }
        for (index, (pair, _)) in pairs.iter_mut().enumerate() {
            let is_best = pair.residues.iter().all(|residue| best[residue] == index);
            if let Some(own) = &mut pair.pair {
                own.is_best = is_best;
            }
        }
        found.extend(pairs.into_iter().map(|(pair, _)| pair));
    }

    /// A pair, and its rank among those of a base.
    fn pair(&self, bases: [usize; 2], tested: &TestedPair) -> (Interaction, [u32; 3]) {
        let letter = |edge: u32| match edge {
            1..=EDGES => Edge::ALL[edge as usize - 1].letter(),
            _ => '.',
        };
        let side = if tested.has(TestedPair::CIS) { 'c' } else { 't' };
        let class = format!("{side}{}{}", letter(tested.edges[0]), letter(tested.edges[1]));
        let rank = [tested.hydrogen_bonds, u32::from(class == "cWW"), tested.near];
        let [one, other] = [0, 1].map(|end| self.atoms(bases[end], tested.contacts[end]));
        let interaction = Interaction {
            angle: least(degrees(tested.cosine)),
            pair: Some(BasePair { class: class.into(), hydrogen_bonds: tested.hydrogen_bonds, is_best: false }),
            ..self.search.of_groups(Kind::BasePair, &one, &other, tested.distance)
        };
        (interaction, rank)
    }

    /// The polar atoms of a base that are in a set.
    fn atoms(&self, base: usize, set: u64) -> Vec<u32> {
        let own = &self.prepared.bases[base];
        let (first, all) = (own.first as usize, own.polars as usize);
        (0..all).filter(|bit| set >> bit & 1 == 1).map(|bit| self.prepared.atoms[first + bit]).collect()
    }

    fn add_stacks(&self, found: &mut Vec<Interaction>) {
        for (bases, tested) in self.pairs.iter().filter(|(_, tested)| tested.has(TestedPair::STACK)) {
            let [one, other] = bases.map(|base| &self.bases[base]);
            found.push(Interaction {
                angle: degrees(tested.cosine),
                ..self.search.of_groups(Kind::BaseStack, &one.atoms, &other.atoms, tested.rings)
            });
        }
    }
}
