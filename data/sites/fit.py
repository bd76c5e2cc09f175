# /// script
# requires-python = ">=3.11"
# dependencies = ["biopython==1.88", "gemmi==0.7.5", "numpy==2.4.6", "pyarrow==26.0.1", "scipy==1.17.1"]
# ///
"""Fits the model of ligand-binding sites, column `site_score`, and says how good it is.

    fit.py fit      --prism PRISM [--ligands CSV] DIR...
        writes shared-types/src/site_model.rs and the tables of docs/sites.md
    fit.py evaluate --prism PRISM [--ligands CSV] DIR...
        says how well the committed model does on these structures

DIR holds structures (PDB or mmCIF, plain or gzip), PRISM is the command built from this repository. CSV has the columns
file,ligands: residue names with their counts (`ATPx1 MGDx2`). For `fit` it is ligands.csv beside this script, and the files
that it names are taken, and no others. `evaluate` takes every file that has a ligand; where CSV does not name the file, a
rule over names of residues says what a ligand is (structures.py). docs/sites.md tells the method.
"""

import argparse
import datetime
import math
import pathlib
import re

import numpy as np
from dataset import CONTACT_THRESHOLD, INPUTS, POINTS, Data
from model import FOLDS, PENALTIES, Model, auc, best_column, cross_validated, folds, importance, matthews, sigmoid
from model import single_columns
from structures import families

ROOT = pathlib.Path(__file__).resolve().parents[2]
LIGANDS = pathlib.Path(__file__).with_name("ligands.csv")
TEMPLATE = pathlib.Path(__file__).with_name("site_model.rs.in")
MODEL = ROOT / "shared-types/src/site_model.rs"
PAGE = ROOT / "docs/sites.md"
# Of penalties whose areas differ by no more than this, the strongest is taken.
TELLS_APART = 0.001


def rust(value):
    """Shortest decimal that reads back as the same f32."""
    return np.format_float_positional(np.float32(value), unique=True, trim="0")


def run_fit(arguments):
    data = Data(arguments.prism, arguments.directories, arguments.ligands or LIGANDS, only_listed=True)
    family = families(data.sequences)
    weight, fold = importance(data, family), folds(data, family)
    tried = {}
    for penalty in PENALTIES:
        score = cross_validated(data, fold, weight, penalty)
        tried[penalty] = (auc(score, data.y), data.mean_of_structures(score), score)
        areas = tried[penalty][:2]
        print("penalty {:g}: AUC {:.4f} over all residues, {:.4f} mean of structures".format(penalty, *areas))
    area = {one: np.mean(tried[one][:2]) for one in PENALTIES}
    penalty = max(one for one in PENALTIES if area[one] >= max(area.values()) - TELLS_APART)
    pooled, mean, score = tried[penalty]
    threshold = max(np.arange(10, 900) / 1000, key=lambda t: matthews(score >= t, data.y)[0])
    model = Model(data, np.ones(len(data.y), dtype=bool), weight, penalty)
    own = data.areas(score)
    of_families = [own[family == k].mean() for k in range(family.max() + 1)]
    in_fold = [fold[data.structure] == k for k in range(FOLDS)]
    singles = single_columns(data)
    edges = np.quantile(score, np.linspace(0, 1, 11))
    tenth = np.clip(np.searchsorted(edges, score, side="right") - 1, 0, 9)
    record = {
        "structures": len(data.files),
        "families": family.max() + 1,
        "chains": sum(len(chains) for chains in data.sequences),
        "residues": len(data.y),
        "positive": data.y.sum(),
        "penalty": penalty,
        "penalties": {one: tried[one][:2] for one in PENALTIES},
        "threshold": threshold,
        "at_threshold": matthews(score >= threshold, data.y),
        "pooled": pooled,
        "mean": mean,
        "of_folds": np.mean([auc(score[rows], data.y[rows]) for rows in in_fold]),
        "of_families": np.mean(of_families),
        "error": np.std(of_families, ddof=1) / math.sqrt(len(of_families)),
        "trained": (auc(model.score(data.x), data.y), data.mean_of_structures(model.score(data.x))),
        "best_pooled": best_column(singles, 0),
        "best_mean": best_column(singles, 1),
        "singles": singles,
        "calibration": [(score[tenth == k].mean(), data.y[tenth == k].mean()) for k in range(10)],
    }
    write_model(data, model, record)
    write_page(data, model, record)


def write_model(data, model, record):
    template = TEMPLATE.read_text()
    lines = lambda values, note: "\n".join(f"    {rust(value)}, // {text}" for value, text in zip(values, note))
    old = MODEL.read_text() if MODEL.exists() else ""
    fill = {
        "date": datetime.date.today().isoformat(),
        "penalty": f"{record['penalty']:g}",
        "folds": FOLDS,
        "best_column": record["best_pooled"][0],
        "best_column_auc": f"{record['best_pooled'][1]:.3f}",
        "mcc": f"{record['at_threshold'][0]:.3f}",
        "contact_threshold": rust(CONTACT_THRESHOLD),
        "points": POINTS,
        "inputs": INPUTS,
        "default_threshold": rust(record["threshold"]),
        "bias": rust(model.bias),
        "weights": lines(model.weights, [f"{name}, {w:+.3f}" for name, w in zip(data.names, model.standard)]),
        "means_of_columns": lines(model.means, data.names),
        **{name: record[name] for name in ("structures", "families", "chains", "residues", "positive")},
        **{name: f"{record[name]:.3f}" for name in ("pooled", "mean")},
    }
    new = re.sub(r"@(\w+)@", lambda match: str(fill[match[1]]), template)
    date = re.compile(r"\d{4}-\d\d-\d\d")
    # The same fit keeps its date.
    if date.sub("", new) != date.sub("", old):
        MODEL.write_text(new)
        print(f"written: {MODEL}")
    else:
        print(f"as it was: {MODEL}")


def write_page(data, model, record):
    mcc, precision, recall = record["at_threshold"]
    (pooled, pooled_area), (mean, mean_area) = record["best_pooled"], record["best_mean"]
    results = [
        "| cross-validated | site_score | best single column | on what it was fitted on |\n|---|---|---|---|",
        f"| AUC, all residues | {record['pooled']:.3f} | {pooled_area:.3f} (`{pooled}`) | {record['trained'][0]:.3f} |",
        f"| AUC, mean of structures | {record['mean']:.3f} | {mean_area:.3f} (`{mean}`) | {record['trained'][1]:.3f} |",
        f"| AUC, mean of families | {record['of_families']:.3f} ± {record['error']:.3f} | | |",
        f"| AUC, mean of folds | {record['of_folds']:.3f} | | |",
        f"| at a threshold of {rust(record['threshold'])}: Matthews' coefficient, precision, recall "
        f"| {mcc:.3f}, {precision:.3f}, {recall:.3f} | | |",
    ]
    counts = "{structures} structures of {families} families, {chains} chains, {residues} residues, {positive} of which "
    results = [(counts + "line a ligand; L2 penalty {penalty:g}.\n").format(**record), *results]
    penalties = ["| penalty | all residues | mean of structures |\n|---|---|---|"]
    penalties += [f"| {one:g} | {areas[0]:.4f} | {areas[1]:.4f} |" for one, areas in record["penalties"].items()]
    calibration = [f"| tenth of residues | {' | '.join(map(str, range(1, 11)))} |\n|---{'|---' * 10}|"]
    for k, name in enumerate(("mean score", "share that lines a ligand")):
        calibration.append(f"| {name} | {' | '.join(f'{pair[k]:.3f}' for pair in record['calibration'])} |")
    weights = ["| column | weight | mean | per standard deviation | AUC alone | mean of structures |"]
    weights.append("|---" * 6 + "|")
    for k, name in enumerate(data.names):
        own = [f"`{name}`", rust(model.weights[k]), rust(model.means[k]), f"{model.standard[k]:+.3f}"]
        weights.append(f"| {' | '.join([*own, *(f'{area:.3f}' for area in record['singles'][name])])} |")
    text = PAGE.read_text()
    tables = {"results": results, "penalties": penalties, "calibration": calibration, "weights": weights}
    for name, lines in tables.items():
        begin, end = f"<!-- {name} -->\n", f"<!-- /{name} -->"
        before, rest = text.split(begin, 1)
        text = before + begin + "\n".join(lines) + "\n" + end + rest.split(end, 1)[1]
    PAGE.write_text(text)


def committed():
    """Bias, weights, means and threshold that stand in the Rust source."""
    text = MODEL.read_text()
    one = lambda name: np.float32(re.search(rf"const {name}: f32 = ([^;]+);", text)[1])
    block = lambda name: re.search(rf"const {name}: \[f32; INPUTS\] = \[(.*?)\n\];", text, re.S)[1]
    many = lambda name: np.array(re.findall(r"^\s*([-\d.]+),", block(name), re.M), dtype=np.float32)
    return one("BIAS"), many("WEIGHTS"), many("MEANS"), one("DEFAULT_THRESHOLD")


def run_evaluate(arguments):
    data = Data(arguments.prism, arguments.directories, arguments.ligands, only_listed=False)
    bias, weights, means, threshold = committed()
    score = sigmoid(np.where(np.isnan(data.x), means, data.x) @ weights.astype(np.float64) + bias)
    for k, name in enumerate(data.files):
        own = data.structure == k
        area = auc(score[own], data.y[own])
        print(f"{name}: {own.sum()} residues, {data.y[own].sum()} line a ligand, AUC {area:.3f}")
    if data.written is not None:
        print(f"the command's own site_score differs by at most {np.nanmax(np.abs(data.written - score)):.1e}")
    print(f"{len(data.files)} structures, {len(data.y)} residues, {data.y.sum()} line a ligand")
    print(f"AUC {auc(score, data.y):.4f} over all residues, {data.mean_of_structures(score):.4f} mean of structures")
    at_threshold = matthews(score >= threshold, data.y)
    print("at {}: Matthews' coefficient {:.3f}, precision {:.3f}, recall {:.3f}".format(threshold, *at_threshold))
    singles = single_columns(data)
    best = (*best_column(singles, 0), *best_column(singles, 1))
    print("best single column: {} {:.4f} over all residues, {} {:.4f} mean of structures".format(*best))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("what", choices=["fit", "evaluate"])
    parser.add_argument("--prism", required=True, help="the command that computes the columns")
    parser.add_argument("--ligands", metavar="CSV", help="names of ligands by file")
    parser.add_argument("directories", nargs="+", metavar="DIR")
    arguments = parser.parse_args()
    {"fit": run_fit, "evaluate": run_evaluate}[arguments.what](arguments)


if __name__ == "__main__":
    main()
