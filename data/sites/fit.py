# /// script
# requires-python = ">=3.11"
# dependencies = ["biopython==1.88", "gemmi==0.7.5", "numpy==2.4.6", "pyarrow==26.0.1", "scipy==1.17.1"]
# ///
"""Fits the model of ligand-binding sites, column `site_score`, and says how good it is.

    fit.py fit      --prism PRISM --ligands ligands.csv DIR...     writes shared-types/src/site_model.rs
    fit.py evaluate --prism PRISM --ligands ligands.csv DIR...     how well the committed model does on other structures

DIR holds structures (PDB or mmCIF, plain or gzip); ligands.csv has the columns file,ligands, where ligands are residue
names with their counts (`ATPx1 MGDx2`): HETATM groups of at least 6 heavy atoms that are no solvent, ion, buffer,
cryoprotectant, glycan or modified residue. Files that the list does not name are left out. PRISM is the command built from
this repository.

A residue is positive when one of its heavy atoms is within 4.0 A of a heavy atom of a ligand. The model is logistic in the
first 24 columns, a missing value taking the mean; the loss has an L2 penalty on standardised weights, and in it every
family of structures counts the same, and in a structure those that are positive as much as those that are not. Scale and
intercept are then fitted again with all residues of a family alike, so that the score is a probability. Families are structures linked by chains that are at least 30% identical over the shorter
one, aligned globally with free ends (else a short chain finds its letters all over a long one); cross-validation keeps a family on one side.
"""

import argparse
import collections
import datetime
import pathlib
import subprocess
import tempfile

import gemmi
import numpy as np
import pyarrow.parquet
from Bio import Align
from scipy.optimize import minimize

INPUTS = 24
REACH = 4.0
IDENTITY = 0.30
FOLDS = 10
# Chains shorter than this are peptides: too short to say that two are related.
SHORTEST = 30
PENALTIES = [1e-4, 1e-3, 3e-3, 1e-2, 3e-2, 1e-1]
STANDARD = set("ALA ARG ASN ASP CYS GLN GLU GLY HIS ILE LEU LYS MET PHE PRO SER THR TRP TYR VAL".split())
ROOT = pathlib.Path(__file__).resolve().parents[2]
MODEL = ROOT / "shared-types/src/site_model.rs"


def find(directories, listed):
    files = {path.name: path for directory in directories for path in sorted(pathlib.Path(directory).iterdir())}
    missing = [name for name in listed if name not in files]
    if missing:
        print(f"not found, and left out: {' '.join(missing)}")
    return {name: files[name] for name in listed if name in files}


def ligands(path):
    lines = [line.strip().split(",") for line in open(path) if line.strip()][1:]
    return {name: {word.rsplit("x", 1)[0] for word in words.split()} for name, words in lines}


def features(prism, files, columns=None):
    """Rows of all structures, by the file's name without .gz."""
    with tempfile.TemporaryDirectory() as folder:
        table = pathlib.Path(folder) / "features.parquet"
        command = [prism, "features", "--backend", "cpu", "-o", table, *files.values()]
        subprocess.run(command, check=True, stderr=subprocess.DEVNULL)
        return pyarrow.parquet.read_table(table)


def near_ligands(path, names):
    """Keys (chain, number, insertion code) of the residues that line a ligand, and the sequences of chains."""
    structure = gemmi.read_structure(str(path))
    structure.remove_hydrogens()
    model = structure[0]
    search = gemmi.NeighborSearch(model, gemmi.UnitCell(), REACH + 0.1).populate(include_h=False)
    keys, found = set(), 0
    for chain in model:
        for residue in chain:
            if residue.het_flag == "H" and residue.name in names and len(residue) >= 6:
                found += 1
                for atom in residue:
                    for mark in search.find_atoms(atom.pos, "\0", radius=REACH):
                        other = mark.to_cra(model)
                        if other.residue.het_flag != "H" and other.residue.name in STANDARD:
                            if other.atom.pos.dist(atom.pos) <= REACH:
                                number = other.residue.seqid
                                keys.add((other.chain.name, number.num, number.icode.strip()))
    letters = []
    for chain in model:
        sequence = [gemmi.find_tabulated_residue(r.name).one_letter_code for r in chain if r.name in STANDARD and r.het_flag != "H"]
        if len(sequence) >= SHORTEST:
            letters.append("".join(sequence))
    return keys, found, set(letters)


def families(sequences):
    """A family number for each structure."""
    aligner = Align.PairwiseAligner(mode="global")
    aligner.substitution_matrix = Align.substitution_matrices.load("BLOSUM62")
    aligner.open_gap_score, aligner.extend_gap_score, aligner.end_gap_score = -11, -1, 0
    parent = list(range(len(sequences)))

    def root(i):
        while parent[i] != i:
            i = parent[i]
        return i

    def related(a, b):
        if a == b:
            return True
        counts = aligner.align(a, b)[0].counts()
        return counts.identities >= IDENTITY * min(len(a), len(b))

    for i in range(len(sequences)):
        for j in range(i):
            if root(i) != root(j) and any(related(a, b) for a in sequences[i] for b in sequences[j]):
                parent[root(i)] = root(j)
    roots = [root(i) for i in range(len(sequences))]
    return np.array([sorted(set(roots)).index(r) for r in roots])


def auc(score, positive):
    order = np.argsort(score, kind="stable")
    ranks = np.empty(len(score))
    values = score[order]
    edges = np.flatnonzero(np.r_[True, values[1:] != values[:-1], True])
    for first, end in zip(edges[:-1], edges[1:]):
        ranks[order[first:end]] = (first + end + 1) / 2
    p = positive.sum()
    return (ranks[positive].sum() - p * (p + 1) / 2) / (p * (len(score) - p))


def fit(x, y, weight, penalty):
    """Weights on standardised columns, the intercept last."""
    weight = weight / weight.sum()

    def loss(w):
        z = x @ w[:-1] + w[-1]
        value = (weight * (np.logaddexp(0, z) - y * z)).sum() + 0.5 * penalty * (w[:-1] ** 2).sum()
        off = weight * (1 / (1 + np.exp(-z)) - y)
        return value, np.r_[x.T @ off + penalty * w[:-1], off.sum()]

    return minimize(loss, np.zeros(x.shape[1] + 1), jac=True, method="L-BFGS-B", options={"maxiter": 5000, "ftol": 1e-14, "gtol": 1e-10}).x


def fit_probability(x, y, balanced, weight, penalty):
    """Weights of balanced classes, with scale and intercept of all residues."""
    w = fit(x, y, balanced, penalty)
    scale, shift = fit((x @ w[:-1])[:, None], y, weight, 0)
    return np.r_[scale * w[:-1], shift]


class Data:
    def __init__(self, arguments):
        named = ligands(arguments.ligands)
        files = find(arguments.directories, named)
        table = features(arguments.prism, files)
        self.names = table.column_names[6 : 6 + INPUTS]
        structure = np.array([name for name in table["structure"].to_pylist()])
        keys = list(zip(table["chain"].to_pylist(), table["resnum"].to_pylist(), table["icode"].to_pylist()))
        self.x = np.column_stack([np.array(table[name].to_numpy(zero_copy_only=False), dtype=np.float64) for name in self.names])
        self.score = np.array(table["site_score"].to_numpy(zero_copy_only=False), dtype=np.float64)
        self.y = np.zeros(len(keys), dtype=bool)
        self.structure = np.zeros(len(keys), dtype=int)
        self.files, sequences = [], []
        for name, path in files.items():
            rows = np.flatnonzero(structure == name.removesuffix(".gz"))
            near, found, chains = near_ligands(path, named[name])
            if len(rows) == 0 or not near:
                print(f"{name}: {len(rows)} rows, {found} ligands, nothing near; left out")
                continue
            self.structure[rows] = len(self.files)
            self.y[rows] = [keys[row] in near for row in rows]
            self.files.append(name)
            sequences.append(chains)
        used = np.isin(structure, [name.removesuffix(".gz") for name in self.files]) & ~np.isnan(self.x[:, 0])
        self.x, self.y, self.structure, self.score = self.x[used], self.y[used], self.structure[used], self.score[used]
        self.family = families(sequences)
        # A family counts as one, whatever its size.
        rows = np.bincount(self.structure)
        positive = np.bincount(self.structure, weights=self.y)
        members = np.bincount(self.family)[self.family]
        self.weight = (1 / (rows * members))[self.structure]
        self.balanced = np.where(self.y, (1 / positive)[self.structure], (1 / (rows - positive))[self.structure])
        self.balanced /= members[self.structure]

    def per_structure(self, score):
        values = [auc(score[self.structure == k], self.y[self.structure == k]) for k in range(len(self.files))]
        return float(np.mean(values))


def standardise(x, weight, rows):
    """Means and deviations of the columns over some rows; missing values take the mean."""
    known = ~np.isnan(x[rows])
    w = weight[rows][:, None] * known
    mean = (w * np.nan_to_num(x[rows])).sum(0) / w.sum(0)
    deviation = np.sqrt((w * (np.nan_to_num(x[rows]) - mean) ** 2).sum(0) / w.sum(0))
    deviation[deviation == 0] = 1
    filled = np.where(np.isnan(x), mean, x)
    return mean, deviation, (filled - mean) / deviation


def cross_validate(data, penalty):
    """Scores of each residue by a model that saw none of its family."""
    order = np.argsort(-np.bincount(data.family[data.structure]), kind="stable")
    fold_of = np.zeros(len(order), dtype=int)
    filled = np.zeros(FOLDS)
    for family in order:
        fold = int(np.argmin(filled))
        fold_of[family] = fold
        filled[fold] += (data.family[data.structure] == family).sum()
    fold = fold_of[data.family[data.structure]]
    score = np.zeros(len(data.y))
    for k in range(FOLDS):
        train = fold != k
        _, _, z = standardise(data.x, data.weight, train)
        w = fit_probability(z[train], data.y[train], data.balanced[train], data.weight[train], penalty)
        score[~train] = 1 / (1 + np.exp(-(z[~train] @ w[:-1] + w[-1])))
    return score


def best_threshold(score, y):
    candidates = np.round(np.arange(0.02, 0.9, 0.005), 3)
    def mcc(t):
        p = score >= t
        tp, fp, fn, tn = (p & y).sum(), (p & ~y).sum(), (~p & y).sum(), (~p & ~y).sum()
        bottom = np.sqrt(float(tp + fp) * (tp + fn) * (tn + fp) * (tn + fn))
        return (float(tp) * tn - float(fp) * fn) / bottom if bottom else 0.0
    values = [mcc(t) for t in candidates]
    return float(candidates[int(np.argmax(values))]), max(values)


def single_columns(data):
    """Each column's own area under the curve, in the better direction, pooled."""
    result = {}
    for k, name in enumerate(data.names):
        column = np.where(np.isnan(data.x[:, k]), np.nanmean(data.x[:, k]), data.x[:, k])
        area = auc(column, data.y)
        result[name] = max(area, 1 - area)
    return result


def run_fit(arguments):
    data = Data(arguments)
    print(f"{len(data.files)} structures, {len(set(data.family))} families, {len(data.y)} residues, {data.y.sum()} positive")
    tried = {}
    for penalty in PENALTIES:
        score = cross_validate(data, penalty)
        tried[penalty] = (auc(score, data.y), data.per_structure(score), score)
        print(f"penalty {penalty:g}: cross-validated AUC {tried[penalty][0]:.4f} pooled, {tried[penalty][1]:.4f} mean of structures")
    penalty = max(tried, key=lambda p: tried[p][1])
    pooled, mean, score = tried[penalty]
    threshold, mcc = best_threshold(score, data.y)
    singles = sorted(single_columns(data).items(), key=lambda item: -item[1])
    best = singles[0]
    print("single columns:", ", ".join(f"{name} {area:.3f}" for name, area in singles[:5]))
    print(f"threshold {threshold}, MCC {mcc:.4f}")
    average, deviation, z = standardise(data.x, data.weight, np.ones(len(data.y), dtype=bool))
    w = fit_probability(z, data.y, data.balanced, data.weight, penalty)
    weights = w[:-1] / deviation
    bias = w[-1] - (weights * average).sum()
    write(data, weights, bias, average, w[:-1], penalty, pooled, mean, best, threshold, mcc)


def number(value):
    text = repr(float(np.float32(value)).__float__())
    short = np.format_float_positional(np.float32(value), unique=True, trim="0")
    return short if "." in short else text


def write(data, weights, bias, means, standard, penalty, pooled, mean, best, threshold, mcc):
    rows = "\n".join(f"    {number(w)}, // {name}, {s:+.3f}" for w, name, s in zip(weights, data.names, standard))
    averages = "\n".join(f"    {number(m)}, // {name}" for m, name in zip(means, data.names))
    MODEL.write_text(f'''//! The model of ligand-binding sites, as `data/sites/fit.py` has fitted it. Written by that script: change it there.
//!
//! Fitted on {datetime.date.today().isoformat()} on {len(data.files)} structures of {len(set(data.family))} families ({len(data.y)}
//! residues, {data.y.sum()} of which line a ligand), with an L2 penalty of {penalty:g}, at a contact threshold of 8.0 Å and 100
//! test points an atom. In cross-validation by family ({FOLDS} folds) the area under the ROC curve is {pooled:.3f} over all
//! residues, and {mean:.3f} as the mean over structures; the best single column, `{best[0]}`, has {best[1]:.3f} over
//! all residues. At the default threshold Matthews' coefficient is {mcc:.3f}.

/// Columns that the model reads: the first ones.
pub const INPUTS: usize = {INPUTS};

/// Contact threshold in Å of the columns it was fitted on. With any other there is no score.
pub const CONTACT_THRESHOLD: f32 = 8.0;

/// The score from which a residue may be part of a site, where nothing else is said: that of the best Matthews
/// coefficient in cross-validation.
pub const DEFAULT_THRESHOLD: f32 = {number(threshold)};

/// The score is 1 / (1 + exp(-(BIAS + sum of WEIGHTS times columns))).
pub const BIAS: f32 = {number(bias)};

/// A weight a column. Beside it, the column's name and its weight by standard deviation.
#[rustfmt::skip]
pub const WEIGHTS: [f32; INPUTS] = [
{rows}
];

/// What a column counts as where it is not defined: its mean in the structures of the fit.
#[rustfmt::skip]
pub const MEANS: [f32; INPUTS] = [
{averages}
];
''')
    print(f"written: {MODEL}")


def run_evaluate(arguments):
    data = Data(arguments)
    print(f"{len(data.files)} structures, {len(data.y)} residues, {data.y.sum()} positive")
    print(f"site_score: AUC {auc(data.score, data.y):.4f} pooled, {data.per_structure(data.score):.4f} mean of structures")
    singles = sorted(single_columns(data).items(), key=lambda item: -item[1])
    print("single columns:", ", ".join(f"{name} {area:.3f}" for name, area in singles[:5]))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("what", choices=["fit", "evaluate"])
    parser.add_argument("--prism", required=True)
    parser.add_argument("--ligands", default=pathlib.Path(__file__).with_name("ligands.csv"))
    parser.add_argument("directories", nargs="+")
    arguments = parser.parse_args()
    {"fit": run_fit, "evaluate": run_evaluate}[arguments.what](arguments)


if __name__ == "__main__":
    main()
