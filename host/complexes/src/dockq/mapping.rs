//! The mapping of chains with the highest sum of scores.

/// Scores of choices for two slots, if both belong to an interface of the reference: `scores[i][j]` for choice `i` of the
/// earlier slot and `j` of the later one. NaN where the scores are undefined.
pub(super) type PairScores = Vec<Vec<Option<f64>>>;

/// What each slot may have, and the scores of pairs of slots.
pub(super) struct Problem {
    /// The chain of each choice of each slot. No two slots may have one chain.
    pub(super) choices: Vec<Vec<usize>>,
    /// By earlier, then later slot; `None` if none of their choices is an interface.
    pub(super) scores: Vec<Vec<Option<PairScores>>>,
}

/// An assignment of a choice to each slot.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Solution {
    pub(super) choices: Vec<usize>,
    /// Whether no other assignment has a higher sum.
    pub(super) is_best: bool,
}

/// Steps of the search before it ends with the best that it knows.
const MOST_STEPS: usize = 2_000_000;
/// Sums that differ by less are equal.
const EQUAL: f64 = 1e-9;

/// Finds the assignment with the highest sum, the first of equal ones: a depth-first search that leaves out what cannot
/// exceed the best so far. `None` if the slots cannot all be filled.
pub(super) fn solve(problem: &Problem) -> Option<Solution> {
    let known = problem.improve(problem.first()?);
    let mut search = Search {
        bounds: problem.bounds(),
        problem,
        best: problem.sum(&known) - EQUAL,
        found: None,
        chosen: Vec::new(),
        steps: 0,
    };
    search.visit(0.0);
    let is_best = search.steps <= MOST_STEPS;
    Some(Solution { choices: search.found.unwrap_or(known), is_best })
}

impl Problem {
    /// The score of two choices; 0 where it is undefined or there is no interface.
    fn score(&self, [k, i]: [usize; 2], [l, j]: [usize; 2]) -> f64 {
        let score = self.scores[k][l].as_ref().and_then(|scores| scores[i][j]);
        score.filter(|score| !score.is_nan()).unwrap_or(0.0)
    }

    fn sum(&self, choices: &[usize]) -> f64 {
        let pairs = (0..choices.len()).flat_map(|k| (k + 1..choices.len()).map(move |l| (k, l)));
        pairs.map(|(k, l)| self.score([k, choices[k]], [l, choices[l]])).sum()
    }

    /// An assignment of different chains, by augmenting paths.
    fn first(&self) -> Option<Vec<usize>> {
        let chains = self.choices.iter().flatten().max().map_or(0, |most| most + 1);
        let mut owners: Vec<Option<usize>> = vec![None; chains];
        let mut chosen = vec![0; self.choices.len()];
        for slot in 0..self.choices.len() {
            if !self.augment(slot, &mut owners, &mut chosen, &mut vec![false; chains]) {
                return None;
            }
        }
        Some(chosen)
    }

    fn augment(&self, slot: usize, owners: &mut [Option<usize>], chosen: &mut [usize], seen: &mut [bool]) -> bool {
        for (choice, &chain) in self.choices[slot].iter().enumerate() {
            if std::mem::replace(&mut seen[chain], true) {
                continue;
            }
            if owners[chain].is_none_or(|owner| self.augment(owner, owners, chosen, seen)) {
                (owners[chain], chosen[slot]) = (Some(slot), choice);
                return true;
            }
        }
        false
    }

    /// Moves slots to free chains, and exchanges the chains of two slots, as long as that raises the sum.
    fn improve(&self, mut chosen: Vec<usize>) -> Vec<usize> {
        let mut sum = self.sum(&chosen);
        loop {
            let before = sum;
            for slot in 0..chosen.len() {
                for choice in 0..self.choices[slot].len() {
                    let Some(changed) = self.changed(&chosen, slot, choice) else { continue };
                    let changed_sum = self.sum(&changed);
                    if changed_sum > sum + EQUAL {
                        (chosen, sum) = (changed, changed_sum);
                    }
                }
            }
            if sum <= before {
                return chosen;
            }
        }
    }

    /// With another choice for a slot; the slot that had this chain gets the chain that becomes free.
    fn changed(&self, chosen: &[usize], slot: usize, choice: usize) -> Option<Vec<usize>> {
        let chain_of = |slot: usize| self.choices[slot][chosen[slot]];
        let (old, new) = (chain_of(slot), self.choices[slot][choice]);
        let mut changed = chosen.to_vec();
        changed[slot] = choice;
        if let Some(other) = (0..chosen.len()).find(|&other| other != slot && chain_of(other) == new) {
            changed[other] = self.choices[other].iter().position(|&chain| chain == old)?;
        }
        (old != new).then_some(changed)
    }

    fn bounds(&self) -> Bounds {
        let n = self.choices.len();
        let mut of_choice = vec![Vec::new(); n];
        let mut of_slots = vec![vec![0.0; n]; n];
        for k in 0..n {
            of_choice[k] = vec![vec![0.0; n]; self.choices[k].len()];
            for l in k + 1..n {
                for (i, of_choice) in of_choice[k].iter_mut().enumerate() {
                    let scores = (0..self.choices[l].len()).map(|j| self.score([k, i], [l, j]));
                    let most = scores.fold(0.0, f64::max);
                    of_choice[l] = most;
                    of_slots[k][l] = f64::max(of_slots[k][l], most);
                }
            }
        }
        // Pairs of slots from each slot on.
        let mut rest = vec![0.0; n + 1];
        for k in (0..n).rev() {
            rest[k] = rest[k + 1] + of_slots[k].iter().sum::<f64>();
        }
        Bounds { of_choice, rest }
    }
}

/// The most that pairs of slots can add.
struct Bounds {
    /// By slot, choice, and later slot.
    of_choice: Vec<Vec<Vec<f64>>>,
    /// For all pairs of slots from a slot on.
    rest: Vec<f64>,
}

struct Search<'a> {
    problem: &'a Problem,
    bounds: Bounds,
    best: f64,
    found: Option<Vec<usize>>,
    chosen: Vec<usize>,
    steps: usize,
}

impl Search<'_> {
    /// Tries the choices of the next slot. `sum` is that of the slots so far.
    fn visit(&mut self, sum: f64) {
        let (slot, n) = (self.chosen.len(), self.problem.choices.len());
        if slot == n {
            if sum > self.best {
                self.best = sum;
                self.found = Some(self.chosen.clone());
            }
            return;
        }
        for choice in 0..self.problem.choices[slot].len() {
            self.steps += 1;
            if self.steps > MOST_STEPS {
                return;
            }
            let chain = self.problem.choices[slot][choice];
            if self.chosen.iter().enumerate().any(|(k, &i)| self.problem.choices[k][i] == chain) {
                continue;
            }
            let added = self.chosen.iter().enumerate().map(|(k, &i)| self.problem.score([k, i], [slot, choice]));
            let sum = sum + added.sum::<f64>();
            self.chosen.push(choice);
            let open = self
                .chosen
                .iter()
                .enumerate()
                .map(|(k, &i)| self.bounds.of_choice[k][i][slot + 1..].iter().sum::<f64>());
            if sum + open.sum::<f64>() + self.bounds.rest[slot + 1] > self.best {
                self.visit(sum);
            }
            self.chosen.pop();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Random scores of `n` slots with the chains 0 to `chains`.
    fn random(n: usize, chains: usize, seed: u64) -> Problem {
        let mut state = seed;
        let mut next = || {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (state >> 40) as f64 / (1 << 24) as f64
        };
        let choices = vec![(0..chains).collect::<Vec<_>>(); n];
        let mut scores = vec![vec![None; n]; n];
        for (k, of_slot) in scores.iter_mut().enumerate() {
            for of_pair in of_slot.iter_mut().skip(k + 1) {
                let is_interface = next() < 0.7;
                let own: PairScores = (0..chains).map(|_| (0..chains).map(|_| Some(next())).collect()).collect();
                *of_pair = is_interface.then_some(own);
            }
        }
        Problem { choices, scores }
    }

    /// The highest sum among all permutations.
    fn highest(problem: &Problem, chosen: &mut Vec<usize>) -> f64 {
        if chosen.len() == problem.choices.len() {
            return problem.sum(chosen);
        }
        let mut best = f64::NEG_INFINITY;
        for choice in 0..problem.choices[chosen.len()].len() {
            if !chosen.contains(&choice) {
                chosen.push(choice);
                best = best.max(highest(problem, chosen));
                chosen.pop();
            }
        }
        best
    }

    #[test]
    fn the_search_finds_the_highest_sum_of_all_permutations() {
        for seed in 0..40 {
            let (n, chains) = (1 + seed as usize % 6, 1 + seed as usize % 6 + seed as usize % 2);
            let problem = random(n, chains, seed);
            let found = solve(&problem).unwrap();
            assert!(found.is_best);
            assert!((problem.sum(&found.choices) - highest(&problem, &mut Vec::new())).abs() < 1e-9, "{seed}");
        }
    }

    #[test]
    fn the_first_of_equal_mappings_is_taken() {
        let mut problem = random(4, 4, 1);
        for scores in problem.scores.iter_mut().flatten().flatten().flatten().flatten() {
            *scores = Some(0.5);
        }
        assert_eq!(solve(&problem).unwrap().choices, [0, 1, 2, 3]);
    }

    #[test]
    fn a_search_that_takes_too_long_ends_with_a_good_mapping() {
        let problem = random(14, 14, 3);
        let found = solve(&problem).unwrap();
        let mut chains = found.choices.clone();
        chains.sort_unstable();
        assert!(!found.is_best && chains == (0..14).collect::<Vec<_>>());
        assert!(problem.sum(&found.choices) > problem.sum(&(0..14).collect::<Vec<_>>()));
    }

    #[test]
    fn slots_that_compete_for_one_chain_have_no_mapping() {
        let problem = Problem { choices: vec![vec![0], vec![0]], scores: vec![vec![None; 2]; 2] };
        assert_eq!(solve(&problem), None);
    }
}
