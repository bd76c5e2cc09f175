# /// script
# requires-python = ">=3.11"
# dependencies = ["biopython==1.88", "gemmi==0.7.5", "numpy==2.4.6", "scipy==1.17.1"]
# ///
"""Fits the model of ligand-binding sites, and measures its quality.

    fit.py [--ligands CSV] [--held-out JSON] DIR...

reads the structures named in CSV (by default ligands.csv beside this script) from the directories, and writes
shared-types/src/site_model.rs, and the tables and the diagram of the page on sites. CSV has the columns file,ligands: residue names with their
counts (`ATPx1 MGDx2`). The same inputs give the same bytes.
"""

import argparse
import json
import pathlib
import re
import sys

import measures
import numpy as np
import points
from diagram import reliability
from logistic import matthews, sigmoid, standardised
from scipy.spatial import cKDTree
from scipy.spatial.transform import Rotation
from structures import SMALLEST_LIGAND, families, find, read_list, sequences

ROOT = pathlib.Path(__file__).resolve().parents[2]
LIGANDS = pathlib.Path(__file__).with_name("ligands.csv")
TEMPLATE = pathlib.Path(__file__).with_name("site_model.rs.in")
MODEL = ROOT / "shared-types/src/site_model.rs"
DIAGRAM = ROOT / "docs/sites-reliability.svg"
PAGES = [ROOT / "docs/sites.md", ROOT / "docs/src/sites.md"]
# Points at most this far in Å from a ligand's atom are at a ligand; beyond the second distance they are elsewhere.
AT, AWAY = 3.0, 5.0
# The most points elsewhere that are used from each structure.
MOST_AWAY = 1500
FOLDS = 10
PENALTIES = [1e-5, 1e-4, 1e-3, 1e-2]
# The strongest penalty whose quality is within this distance of the best one is used.
TELLS_APART = 0.0001
# Directions of points do not rotate with a structure, so measures depend on its orientation: they are also given as means over the
# file's orientation and these.
TURNS = [Rotation.random(random_state=seed).as_matrix() for seed in (1, 2, 3)]
# The unit of the integer sums of points' weights. Their logarithm begins here.
UNIT = 2.0**24
# The unit of the integer weights.
WEIGHT_UNIT = 2.0**12


class Sample:
    """A structure: its points, their surroundings, and the residues that line a ligand."""

    def __init__(self, name, structure, turn=np.eye(3)):
        s = self.structure = structure
        self.name = name
        self.place, self.owner = points.points(s, turn)
        self.x = points.surroundings(s, self.place)
        self.near = measures.lining(s.xyz, s.rows, len(s.keys), s.ligands)
        self.bound = measures.bound(s.xyz, s.ligands)
        self.distance = cKDTree(np.concatenate(s.ligands)).query(self.place)[0]


def training(samples):
    """Columns, labels and weights of points. A structure counts by how many points it has at a ligand, but less and less."""
    random, x, y, weight = np.random.default_rng(0), [], [], []
    for one in samples:
        at, away = np.nonzero(one.distance <= AT)[0], np.nonzero(one.distance > AWAY)[0]
        some = np.sort(random.permutation(away)[:MOST_AWAY])
        counts = 1 / np.sqrt(len(at) + 20)
        x += [one.x[at], one.x[some]]
        y += [np.ones(len(at)), np.zeros(len(some))]
        weight += [np.full(len(at), counts), np.full(len(some), counts * len(away) / max(len(some), 1))]
    return np.vstack(x), np.concatenate(y), np.concatenate(weight)


def folds(samples, family):
    """The fold of each structure. Families stay whole. Each, the largest first, goes to the emptiest fold."""
    size = np.bincount(family, weights=[len(one.near) for one in samples])
    fold, filled = np.zeros(len(size), dtype=int), np.zeros(FOLDS)
    for one in np.argsort(-size, kind="stable"):
        fold[one] = np.argmin(filled)
        filled[fold[one]] += size[one]
    return fold[family]


class Held:
    """The prediction for each structure by a model of points that was fitted without it."""

    def __init__(self, sample, weights, bias):
        s = sample.structure
        weight = sigmoid(sample.x @ weights + bias) ** points.POWER
        sums = points.gathered(s.xyz, sample.place, weight, points.AROUND)
        self.centres, self.scores, self.peaks = points.sites(s, sample.place, weight, sums)
        best = s.best_atoms(sums)
        close, wide = (points.gathered(s.xyz[best], sample.place, weight, reach) for reach in (points.CLOSE, points.WIDE))
        top = np.full(len(best), sums.max(initial=0.0))
        self.x = logarithm(np.column_stack([sums[best], close, wide, top]))

    def score_residues(self, sample, weights, bias):
        """Scores by a model of residues."""
        self.residues = sigmoid(self.x @ weights + bias)
        self.result = measures.Result(self.residues, self.centres, sample.near, sample.bound)


def held_out(samples, fold, penalty):
    """The predictions for structures by models that were fitted without their folds, and the models of points and of residues of each
    fold."""
    held, models = [None] * len(samples), []
    for k in range(FOLDS):
        models.append([standardised(*training([one for one, own in zip(samples, fold) if own != k]), penalty)])
        for i in np.nonzero(fold == k)[0]:
            held[i] = Held(samples[i], *models[k][0])
    for k in range(FOLDS):
        models[k].append(of_residues([(one, by) for one, by, own in zip(samples, held, fold) if own != k]))
        for i in np.nonzero(fold == k)[0]:
            held[i].score_residues(samples[i], *models[k][1])
    return held, models


def turned(samples, fold, models, turn):
    """The measures of held-out predictions in another orientation."""
    results = []
    for one, own in zip(samples, fold):
        sample = Sample(one.name, one.structure, turn)
        held = Held(sample, *models[own][0])
        held.score_residues(sample, *models[own][1])
        results.append(held.result)
    return measures.measure(results)


def of_residues(pairs):
    """The model of residues: weights of the logarithms of their sums, and the constant term."""
    near = np.concatenate([one.near for one, _ in pairs])
    return calibrated(np.vstack([by.x for _, by in pairs]), near)


def logarithm(sums):
    """The variable in which scores are logistic."""
    return np.log(np.asarray(sums) + 1 / UNIT)


def calibrated(x, right):
    """Weights and constant term of the logit with which something is right."""
    return standardised(x, right.astype(float), np.ones(len(right)), 1e-9)


def upper_half(value):
    """The upper 16 bits of the nearest `f32` whose lower 16 bits are 0."""
    bits = np.asarray(value, dtype=np.float32).view(np.uint32).astype(np.uint64)
    return (bits + 0x7FFF + (bits >> 16 & 1)) >> 16


def tabulated(weights):
    """The weights that kernels sum, by an atom's residue kind and class: near and far, as two halves of a word."""
    near, far = (of[: len(points.CLASSES)] + of[len(points.CLASSES) :, None] for of in np.split(weights * WEIGHT_UNIT, 2))
    largest = (np.abs(near) * points.NEAR**4 + np.abs(far) * points.REACH**4).max()
    if largest >= 2**22:
        sys.exit(f"a weight of {largest:.0f} has no room")
    return upper_half(near) << 16 | upper_half(far)


def rust(value):
    """The shortest decimal that reads back as the same f32."""
    return np.format_float_positional(np.float32(value), unique=True, trim="0")


def rows_of(table, names, form=str):
    lines = []
    for name, row in zip(names, table):
        lines.append(f"    // {name}")
        lines.append("    [" + ", ".join(form(value) for value in row) + "],")
    return "\n".join(lines)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--ligands", metavar="CSV", default=LIGANDS, help="names of ligands by file")
    parser.add_argument("--held-out", metavar="JSON", help="write what models say of structures that they have not seen")
    parser.add_argument("directories", nargs="+", metavar="DIR")
    arguments = parser.parse_args()
    listed, files = read_list(arguments.ligands), find(arguments.directories)
    missing = [name for name in listed if name not in files]
    if missing:
        sys.exit(f"not found: {' '.join(missing)}")
    samples = []
    for name, ligands in listed.items():
        structure = points.Structure(files[name], ligands.__contains__)
        if structure.ligands:
            samples.append(Sample(name, structure))
        else:
            print(f"{name}: left out, no ligand of at least {SMALLEST_LIGAND} heavy atoms")
    family = families([sequences(one.structure.keys) for one in samples])
    fold = folds(samples, family)
    tried = {}
    for penalty in PENALTIES:
        tried[penalty] = held_out(samples, fold, penalty)
        values = measures.measure([one.result for one in tried[penalty][0]])
        print(f"penalty {penalty:g}: " + ", ".join(f"{n} {v:.3f}" for n, v in zip(measures.MEASURES, values)), flush=True)
    quality = {one: measures.measure([h.result for h in held])[:2].mean() for one, (held, _) in tried.items()}
    penalty = max(one for one in PENALTIES if quality[one] >= max(quality.values()) - TELLS_APART)
    if arguments.held_out:
        told = lambda held: {"residues": held.residues.tolist(), "centres": held.centres.tolist()}
        pairs = zip(samples, tried[penalty][0])
        pathlib.Path(arguments.held_out).write_text(json.dumps({one.name: told(held) for one, held in pairs}))
    report(samples, family, fold, *tried[penalty], penalty)


def report(samples, family, fold, held, models, penalty):
    weights, bias = standardised(*training(samples), penalty)
    near = np.concatenate([one.near for one in samples])
    score = np.concatenate([one.residues for one in held])
    residue = of_residues(list(zip(samples, held)))
    threshold = max(np.arange(10, 900) / 1000, key=lambda t: matthews(score >= t, near)[0])
    right, strength = [], []
    for one, sample in zip(held, samples):
        right += [any(measures.hits(centre, sample.bound, 1)) for centre in one.centres]
        strength += list(one.scores)
    right, strength = np.array(right), np.array(strength)
    site = calibrated(logarithm(strength)[:, None], right)
    probability = sigmoid(logarithm(strength) * site[0][0] + site[1])
    results = [one.result for one in held]
    values, (low, high) = measures.measure(results), measures.intervals(results, family)
    all_turns = np.mean([values, *(turned(samples, fold, models, turn) for turn in TURNS)], axis=0)
    seen = [Held(one, weights, bias) for one in samples]
    for one, sample in zip(seen, samples):
        one.score_residues(sample, *residue)
    seen = measures.measure([one.result for one in seen])
    mcc, precision, recall = matthews(score >= threshold, near)
    ligands = sum(len(one.bound) for one in samples)
    counts = (
        f"{len(samples)} structures of {family.max() + 1} families, {len(near)} residues of which {near.sum()} line a ligand, "
        f"{ligands} ligands, {sum(len(one.place) for one in samples)} points; L2 penalty {penalty:g}."
    )
    names = ["cross-validated", "value", "95% interval", "mean of four orientations", "on what it was fitted on"]
    table = [counts, "", f"| {' | '.join(names)} |", "|---|---|---|---|---|"]
    for name, *row in zip(measures.MEASURES, values, low, high, all_turns, seen):
        table.append("| {} | {:.3f} | {:.3f} to {:.3f} | {:.3f} | {:.3f} |".format(name, *row))
    table.append(f"| at a threshold of {threshold:g}: Matthews' coefficient, precision, recall | {mcc:.3f}, {precision:.3f}, {recall:.3f} | | | |")
    tables = {"results": table, "calibration": tenths("residues", score, near), "sites": tenths("sites", probability, right)}
    for name, lines in tables.items():
        print("\n".join([f"\n{name}", *lines]))
    DIAGRAM.write_text(reliability([("residues", score, near), ("sites", probability, right)]))
    write_model(weights, bias, residue, site, threshold, counts, values)
    for page in PAGES:
        if page.exists():
            write_page(page, tables)


def tenths(what, score, right):
    order = np.array_split(np.argsort(score, kind="stable"), 10)
    lines = [f"| tenth of {what} | {' | '.join(map(str, range(1, 11)))} |", f"|---{'|---' * 10}|"]
    lines.append("| mean score | " + " | ".join(f"{score[own].mean():.3f}" for own in order) + " |")
    return [*lines, "| observed share | " + " | ".join(f"{right[own].mean():.3f}" for own in order) + " |"]


def write_model(weights, bias, residue, site, threshold, counts, values):
    others = weights[-len(points.OTHERS) :]
    fill = {
        "counts": counts,
        "measures": ", ".join(f"{name} {value:.3f}" for name, value in zip(measures.MEASURES, values)),
        "probe": rust(points.PROBE),
        "reach": rust(points.REACH),
        "near": rust(points.NEAR),
        "crowd": points.LEAST_CROWD,
        "around": rust(points.AROUND),
        "apart": rust(points.APART),
        "sites": points.MOST_SITES,
        "capacity": points.CAPACITY,
        "count": points.DIRECTIONS,
        "step": points.STEP,
        "spiral": points.SPIRAL,
        "directions": "\n".join(f"    [{', '.join(map(rust, one))}]," for one in points.directions()),
        "classes": len(points.CLASSES),
        "class_names": ", ".join(points.CLASSES),
        "weights": rows_of(tabulated(weights[: -len(points.OTHERS)]), points.STANDARD, lambda word: f"0x{word >> 16:04x}_{word & 0xffff:04x}"),
        **{name: rust(one) for name, one in zip(points.OTHERS, others)},
        "weight_unit": rust(1 / WEIGHT_UNIT),
        "bias": rust(bias),
        "sum_unit": rust(UNIT),
        "close": rust(points.CLOSE),
        "wide": rust(points.WIDE),
        **dict(zip(("residue_best", "residue_close", "residue_wide", "residue_top"), map(rust, residue[0]))),
        "residue_bias": rust(residue[1]),
        "site_slope": rust(site[0][0]),
        "site_bias": rust(site[1]),
        "threshold": rust(threshold),
    }
    MODEL.write_text(re.sub(r"@(\w+)@", lambda match: str(fill[match[1]]), TEMPLATE.read_text()))
    print(f"\nwritten: {MODEL.relative_to(ROOT)}")


def write_page(page, tables):
    text = page.read_text()
    for name, lines in tables.items():
        begin, end = f"<!-- {name} -->\n", f"<!-- /{name} -->"
        if begin in text:
            before, rest = text.split(begin, 1)
            text = before + begin + "\n".join(lines) + "\n" + end + rest.split(end, 1)[1]
    page.write_text(text)
    print(f"written: {page.relative_to(ROOT)}")


if __name__ == "__main__":
    main()
