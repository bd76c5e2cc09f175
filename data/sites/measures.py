"""The quality of predicted sites, by the same rules for every program."""

import numpy as np
from scipy.spatial import cKDTree
from scipy.stats import rankdata

# A residue lines a ligand if two of their heavy atoms are at most this far apart, in Å. A predicted centre finds a ligand
# that is at most this far away.
REACH = 4.0
# Parts of one ligand are bonded: they are closer than this, in Å.
BOND = 1.9
# A ligand counts if one of its atoms is within REACH of the protein, and its centre within this distance in Å.
CENTRE = 5.5


def auc(score, positive):
    """The area under the ROC curve. Equal scores count half."""
    ranks, of = rankdata(score), positive.sum()
    return float((ranks[positive].sum() - of * (of + 1) / 2) / (of * (len(score) - of)))


def average_precision(score, positive):
    """The mean precision over recall. Equal scores form one step."""
    order = np.argsort(-score, kind="stable")
    score, positive = score[order], positive[order]
    found, last = np.cumsum(positive), np.r_[np.nonzero(np.diff(score))[0], len(score) - 1]
    precision, recall = found[last] / (last + 1), found[last] / positive.sum()
    return float(np.sum(np.diff(np.r_[0, recall]) * precision))


def lining(xyz, rows, residues, ligands):
    """Whether each residue lines a ligand."""
    near = np.zeros(residues, dtype=bool)
    if ligands:
        near[rows[cKDTree(np.concatenate(ligands)).query(xyz)[0] <= REACH]] = True
    return near


def bound(xyz, ligands):
    """The ligands that count, with bonded parts joined."""
    group, trees = list(range(len(ligands))), [cKDTree(one) for one in ligands]
    for i in range(len(ligands)):
        for j in range(i):
            if group[i] != group[j] and trees[i].query(ligands[j])[0].min() < BOND:
                group = [group[j] if one == group[i] else one for one in group]
    whole = [np.concatenate([one for one, own in zip(ligands, group) if own == k]) for k in sorted(set(group))]
    protein = cKDTree(xyz)
    return [
        one for one in whole if protein.query(one)[0].min() <= REACH and protein.query(one.mean(0))[0] <= CENTRE
    ]


def hits(centres, ligands, most):
    """For each ligand, whether one of the first `most` centres is within REACH of one of its atoms."""
    first = np.asarray(centres, dtype=float).reshape(-1, 3)[:most]
    return [bool(len(first)) and bool(cKDTree(one).query(first)[0].min() <= REACH) for one in ligands]


class Result:
    """A program's prediction for one structure, and the truth. `score` of its residues, `centres` of sites by rank."""

    def __init__(self, score, centres, near, ligands):
        self.score, self.near = np.asarray(score, dtype=float), near
        self.first = any(hits(centres, ligands, 1)) if ligands else None
        self.top = [hits(centres, ligands, len(ligands) + more) for more in (0, 2)]


MEASURES = ["AUC", "average precision", "mean AUC", "top-1", "top-n", "top-n+2"]


def measure(results):
    """The measures of `MEASURES` over structures: of residues over all together and as the mean of structures; how often the
    first site finds a ligand; the share of ligands found by as many sites as there are, and two more."""
    score, near = (np.concatenate([getattr(one, name) for one in results]) for name in ("score", "near"))
    own = [auc(one.score, one.near) for one in results if one.near.any() and not one.near.all()]
    firsts = [one.first for one in results if one.first is not None]
    tops = [np.mean([hit for one in results for hit in one.top[k]]) for k in (0, 1)]
    return np.array([auc(score, near), average_precision(score, near), np.mean(own), np.mean(firsts), *tops])


def intervals(results, family, draws=500):
    """The 2.5% and 97.5% quantiles of the measures over families drawn with replacement."""
    random, members = np.random.default_rng(0), {}
    for one, own in zip(results, family):
        members.setdefault(own, []).append(one)
    members = list(members.values())
    drawn = []
    for _ in range(draws):
        chosen = random.integers(0, len(members), len(members))
        drawn.append(measure([one for k in chosen for one in members[k]]))
    return np.quantile(drawn, [0.025, 0.975], axis=0)
