//! The mapping between the atoms of two equally bonded molecules with the smallest sum of squared distances.

/// Which atoms are bonded.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Graph(Vec<Vec<usize>>);

impl Graph {
    /// The neighbours of each atom, in increasing order.
    pub(super) fn new(neighbours: Vec<Vec<usize>>) -> Self {
        Self(neighbours)
    }
}

/// A mapping.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Closest {
    /// The sum of squared distances.
    pub(super) sum: f64,
    /// Whether no other mapping has a smaller one.
    pub(super) is_best: bool,
}

/// Steps of the search before it ends with the best that it knows.
const MOST_STEPS: usize = 1_000_000;

/// The best of all mappings that keep bonds. `distance2(a, b)` is that of atom `a` of the first to `b` of the second one. `None` if
/// there is none.
pub(super) fn closest_mapping(
    first: &Graph,
    second: &Graph,
    distance2: &dyn Fn(usize, usize) -> f64,
) -> Option<Closest> {
    let n = first.0.len();
    if second.0.len() != n {
        return None;
    }
    let [own, others] = classes([first, second])?;
    let alike = |a: usize| (0..n).filter(|&b| own[a] == others[b]).collect::<Vec<_>>();
    let lowest: Vec<f64> =
        (0..n).map(|a| alike(a).into_iter().map(|b| distance2(a, b)).fold(f64::INFINITY, f64::min)).collect();
    let order = order(first, &own);
    let mut rest = vec![0.0; n + 1];
    for (at, &(atom, _)) in order.iter().enumerate().rev() {
        rest[at] = rest[at + 1] + lowest[atom];
    }
    let graphs = [first, second];
    let to = vec![usize::MAX; n];
    let mut search = Search {
        graphs,
        classes: [own, others],
        distance2,
        order,
        rest,
        to,
        from: vec![false; n],
        best: None,
        steps: 0,
    };
    search.visit(0, 0.0);
    let is_best = search.steps <= MOST_STEPS;
    search.best.map(|sum| Closest { sum, is_best })
}

/// Classes of atoms that no mapping mixes: by the number of bonds, and then by the classes of the neighbours until nothing changes.
/// `None` if the two molecules have other classes.
fn classes(graphs: [&Graph; 2]) -> Option<[Vec<usize>; 2]> {
    let mut own = graphs.map(|graph| graph.0.iter().map(Vec::len).collect::<Vec<usize>>());
    let mut count = 0;
    loop {
        let signatures = [0, 1].map(|side| {
            let signature = |atom: usize| {
                let mut around: Vec<usize> = graphs[side].0[atom].iter().map(|&other| own[side][other]).collect();
                around.sort_unstable();
                (own[side][atom], around)
            };
            (0..own[side].len()).map(signature).collect::<Vec<_>>()
        });
        let mut sorted = signatures.clone();
        sorted.iter_mut().for_each(|signatures| signatures.sort_unstable());
        if sorted[0] != sorted[1] {
            return None;
        }
        let mut known = sorted[0].clone();
        known.dedup();
        own = signatures.map(|signatures| {
            signatures.iter().map(|signature| known.binary_search(signature).unwrap_or_default()).collect()
        });
        if known.len() == count {
            return Some(own);
        }
        count = known.len();
    }
}

/// An order in which each atom but the first of a molecule has a bonded one before it, with that one. Atoms of rare classes begin.
fn order(graph: &Graph, classes: &[usize]) -> Vec<(usize, Option<usize>)> {
    let n = classes.len();
    let mut sizes = vec![0; n];
    classes.iter().for_each(|&class| sizes[class] += 1);
    let mut roots: Vec<usize> = (0..n).collect();
    roots.sort_by_key(|&atom| sizes[classes[atom]]);
    let (mut found, mut is_known) = (Vec::with_capacity(n), vec![false; n]);
    for root in roots {
        if std::mem::replace(&mut is_known[root], true) {
            continue;
        }
        let mut at = found.len();
        found.push((root, None));
        while let Some(&(atom, _)) = found.get(at) {
            for &other in &graph.0[atom] {
                if !std::mem::replace(&mut is_known[other], true) {
                    found.push((other, Some(atom)));
                }
            }
            at += 1;
        }
    }
    found
}

struct Search<'a> {
    graphs: [&'a Graph; 2],
    classes: [Vec<usize>; 2],
    distance2: &'a dyn Fn(usize, usize) -> f64,
    order: Vec<(usize, Option<usize>)>,
    /// The least that the atoms from an index of the order on can add.
    rest: Vec<f64>,
    /// The counterpart of each atom so far.
    to: Vec<usize>,
    /// Which atoms of the second molecule are taken.
    from: Vec<bool>,
    best: Option<f64>,
    steps: usize,
}

impl Search<'_> {
    fn visit(&mut self, at: usize, sum: f64) {
        let Some(&(atom, parent)) = self.order.get(at) else {
            self.best = Some(self.best.map_or(sum, |best| best.min(sum)));
            return;
        };
        let all: Vec<usize> = match parent {
            Some(parent) => self.graphs[1].0[self.to[parent]].clone(),
            None => (0..self.to.len()).collect(),
        };
        let may = |&other: &usize| !self.from[other] && self.fits(atom, other);
        let mut choices: Vec<(f64, usize)> =
            all.into_iter().filter(may).map(|other| ((self.distance2)(atom, other), other)).collect();
        choices.sort_by(|a, b| a.0.total_cmp(&b.0));
        for (added, other) in choices {
            self.steps += 1;
            if self.steps > MOST_STEPS {
                return;
            }
            let sum = sum + added;
            if self.best.is_some_and(|best| sum + self.rest[at + 1] >= best) {
                continue;
            }
            (self.to[atom], self.from[other]) = (other, true);
            self.visit(at + 1, sum);
            (self.to[atom], self.from[other]) = (usize::MAX, false);
        }
    }

    /// Whether an atom's bonds to atoms that have counterparts are those of another one.
    fn fits(&self, atom: usize, other: usize) -> bool {
        if self.classes[0][atom] != self.classes[1][other] {
            return false;
        }
        let known = |&near: &usize| Some(self.to[near]).filter(|&to| to != usize::MAX);
        let mut bonded = self.graphs[0].0[atom].iter().filter_map(known);
        let taken = self.graphs[1].0[other].iter().filter(|&&near| self.from[near]).count();
        bonded.clone().count() == taken && bonded.all(|to| self.graphs[1].0[other].contains(&to))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn graph(n: usize, bonds: &[(usize, usize)]) -> Graph {
        let mut all = vec![Vec::new(); n];
        bonds.iter().for_each(|&(a, b)| {
            all[a].push(b);
            all[b].push(a);
        });
        all.iter_mut().for_each(|near| near.sort_unstable());
        Graph::new(all)
    }

    /// A ring with a tail of two atoms at its first.
    fn ring_with_tail() -> Graph {
        graph(8, &[(0, 1), (1, 2), (2, 3), (3, 4), (4, 5), (0, 5), (0, 6), (6, 7)])
    }

    #[test]
    fn a_ring_that_is_turned_over_is_the_same() {
        // The second has the atoms of the ring the other way round.
        let turned = [0, 5, 4, 3, 2, 1, 6, 7];
        let distance2 = |a: usize, b: usize| if turned[a] == b { 0.0 } else { 1.0 };
        let found = closest_mapping(&ring_with_tail(), &ring_with_tail(), &distance2).unwrap();
        assert_eq!(found, Closest { sum: 0.0, is_best: true });
        // No mapping puts the tail elsewhere.
        let moved = |a: usize, b: usize| if (a, b) == (7, 7) { 4.0 } else { distance2(a, b) };
        assert_eq!(closest_mapping(&ring_with_tail(), &ring_with_tail(), &moved).unwrap().sum, 4.0);
    }

    /// Expected by trying all 720 permutations.
    #[test]
    fn the_smallest_sum_of_all_mappings_is_found() {
        let bonds = [(0, 1), (1, 2), (2, 3), (3, 0), (4, 5)];
        let (first, second) = (graph(6, &bonds), graph(6, &[(1, 2), (2, 4), (4, 5), (5, 1), (0, 3)]));
        let mut state = 7_u64;
        for _ in 0..20 {
            let mut next = || {
                state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
                (state >> 40) as f64 / f64::from(1 << 24)
            };
            let table: Vec<Vec<f64>> = (0..6).map(|_| (0..6).map(|_| next()).collect()).collect();
            let mut lowest = f64::INFINITY;
            for code in 0..6_usize.pow(6) {
                let to: Vec<usize> = (0..6).map(|at| code / 6_usize.pow(at) % 6).collect();
                let is_one = (0..6).all(|a| to.iter().filter(|&&b| b == a).count() == 1);
                if is_one && bonds.iter().all(|&(a, b)| second.0[to[a]].contains(&to[b])) {
                    lowest = lowest.min((0..6).map(|at| table[at][to[at]]).sum());
                }
            }
            let found = closest_mapping(&first, &second, &|a, b| table[a][b]).unwrap();
            assert!((found.sum - lowest).abs() < 1e-12 && found.is_best, "{found:?} {lowest}");
        }
    }

    #[test]
    fn molecules_that_are_bonded_otherwise_have_no_mapping() {
        let (line, star) = (graph(4, &[(0, 1), (1, 2), (2, 3)]), graph(4, &[(0, 1), (0, 2), (0, 3)]));
        assert_eq!(closest_mapping(&line, &star, &|_, _| 0.0), None);
        // Equal classes are not enough: a ring of six, and two of three.
        let (six, threes) = (
            graph(6, &[(0, 1), (1, 2), (2, 3), (3, 4), (4, 5), (5, 0)]),
            graph(6, &[(0, 1), (1, 2), (2, 0), (3, 4), (4, 5), (5, 3)]),
        );
        assert_eq!(closest_mapping(&six, &threes, &|_, _| 0.0), None);
    }
}
