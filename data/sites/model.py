"""The logistic model: fitting, cross-validation, and how good scores are."""

import math
import sys

import numpy as np
from scipy.stats import rankdata

FOLDS = 10
PENALTIES = [1e-5, 1e-4, 1e-3, 3e-3, 1e-2, 3e-2, 1e-1]


def auc(score, positive):
    """Area under the ROC curve; equal scores count half."""
    ranks, of = rankdata(score), positive.sum()
    return float((ranks[positive].sum() - of * (of + 1) / 2) / (of * (len(score) - of)))


def sigmoid(z):
    return 1 / (1 + np.exp(-z))


def importance(data, family):
    """What a residue counts in the loss. Within a structure, those that line a ligand count as much as those that do
    not; a structure counts as the square root of how many do, and a family divides that by its members."""
    near = np.bincount(data.structure, weights=data.y)
    far = np.bincount(data.structure) - near
    share = np.where(data.y, 1 / near[data.structure], 1 / far[data.structure])
    return share * (np.sqrt(near) / np.bincount(family)[family])[data.structure]


def newton(x, y, weight, penalty):
    """Weights of standardised columns, the intercept last: the minimum of the penalised logistic loss."""
    x = np.column_stack([x, np.ones(len(x))])
    weight = weight / weight.sum()
    ridge = np.r_[np.full(x.shape[1] - 1, penalty), 0]
    w = np.zeros(x.shape[1])
    for _ in range(100):
        p = sigmoid(x @ w)
        gradient = x.T @ (weight * (p - y)) + ridge * w
        hessian = (x * (weight * p * (1 - p))[:, None]).T @ x + np.diag(ridge)
        step = np.linalg.solve(hessian, gradient)
        w -= step
        if np.abs(step).max() < 1e-12:
            return w
    sys.exit("the fit does not converge")


def calibrated(z, y):
    """The intercept with which the mean score is the share of residues that line a ligand."""
    low, high = -50.0, 50.0
    for _ in range(100):
        middle = (low + high) / 2
        low, high = (low, middle) if sigmoid(z + middle).mean() > y.mean() else (middle, high)
    return low


class Model:
    """Logistic in the raw columns; a value that is not defined counts as the mean."""

    def __init__(self, data, rows, weight, penalty):
        x, y = data.x[rows], data.y[rows]
        self.means = np.nanmean(x, axis=0)
        deviation = np.nanstd(x, axis=0)
        standard = np.where(np.isnan(x), 0, (x - self.means) / deviation)
        self.standard = newton(standard, y, weight[rows], penalty)[:-1]
        self.weights = self.standard / deviation
        self.bias = calibrated(standard @ self.standard, y) - self.weights @ self.means

    def score(self, x):
        return sigmoid(np.where(np.isnan(x), self.means, x) @ self.weights + self.bias)


def folds(data, family):
    """The fold of each structure. Families stay whole; the largest comes first, each into the emptiest fold."""
    size = np.bincount(family[data.structure])
    fold, filled = np.zeros(len(size), dtype=int), np.zeros(FOLDS)
    for one in np.argsort(-size, kind="stable"):
        fold[one] = np.argmin(filled)
        filled[fold[one]] += size[one]
    return fold[family]


def cross_validated(data, fold, weight, penalty):
    """The score of each residue by a model that saw no structure of its fold."""
    score, fold = np.zeros(len(data.y)), fold[data.structure]
    for k in range(FOLDS):
        score[fold == k] = Model(data, fold != k, weight, penalty).score(data.x[fold == k])
    return score


def matthews(predicted, y):
    """Matthews' coefficient, and precision and recall."""
    tp, fp, fn, tn = ((a & b).sum() for a, b in ((predicted, y), (predicted, ~y), (~predicted, y), (~predicted, ~y)))
    product = float(tp + fp) * float(tp + fn) * float(tn + fp) * float(tn + fn)
    value = (float(tp) * tn - float(fp) * fn) / math.sqrt(product) if product else 0.0
    return value, tp / max(tp + fp, 1), tp / max(tp + fn, 1)


def single_columns(data):
    """Areas under the curve of each column alone, in its better direction: over all residues, mean of structures."""
    found = {}
    for k, name in enumerate(data.names):
        column = data.x[:, k]
        known = column[~np.isnan(column)]
        # Predicted models have no B factors.
        column = np.where(np.isnan(column), known.mean() if len(known) else 0.0, column)
        found[name] = [max(area, 1 - area) for area in (auc(column, data.y), data.mean_of_structures(column))]
    return found


def best_column(singles, k):
    name = max(singles, key=lambda name: singles[name][k])
    return name, singles[name][k]
