"""Logistic functions: fitting, calibration, and quality at a threshold."""

import math
import sys

import numpy as np


def sigmoid(z):
    return 1 / (1 + np.exp(-z))


def newton(x, y, weight, penalty):
    """Weights of the columns and, last, the intercept: the minimum of the mean loss, with an L2 penalty on the weights."""
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
        if np.abs(step).max() < 1e-10:
            return w
    sys.exit("the fit does not converge")


def standardised(x, y, weight, penalty):
    """The weights of the original columns, which are standardised for the fit."""
    mean, deviation = x.mean(0), x.std(0) + 1e-9
    w = newton((x - mean) / deviation, y, weight, penalty)
    weights = w[:-1] / deviation
    return weights, float(w[-1] - weights @ mean)


def matthews(predicted, y):
    """Matthews' correlation coefficient, precision and recall."""
    tp, fp, fn, tn = ((a & b).sum() for a, b in ((predicted, y), (predicted, ~y), (~predicted, y), (~predicted, ~y)))
    product = float(tp + fp) * float(tp + fn) * float(tn + fp) * float(tn + fn)
    value = (float(tp) * tn - float(fp) * fn) / math.sqrt(product) if product else 0.0
    return value, tp / max(tp + fp, 1), tp / max(tp + fn, 1)
