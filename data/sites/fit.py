# /// script
# requires-python = ">=3.11"
# dependencies = ["biopython==1.88", "gemmi==0.7.5", "numpy==2.4.6", "pyarrow==26.0.1", "scipy==1.17.1"]
# ///
"""Fits the model of ligand-binding sites, column `site_score`, and says how good it is.

    fit.py fit      --prism PRISM [--ligands CSV] DIR...   writes shared-types/src/site_model.rs, tables of docs/src/sites.md
    fit.py evaluate --prism PRISM [--ligands CSV] DIR...   how well the committed model does on these structures

DIR holds structures (PDB or mmCIF, plain or gzip), PRISM is the command built from this repository. CSV has the columns
file,ligands: residue names with their counts (`ATPx1 MGDx2`); it is ligands.csv beside this script for `fit`, which takes
the files that it names and no others. `evaluate` takes every file that has a ligand, and where CSV does not name the
file goes by the rule that the list was made with (`is_ligand`). docs/src/sites.md tells the method.
"""

import argparse
import csv
import datetime
import math
import pathlib
import re
import subprocess
import sys
import tempfile

import gemmi
import numpy as np
import pyarrow.parquet
from Bio import Align
from scipy.spatial import cKDTree
from scipy.stats import rankdata

# Columns that the model reads, and how they are computed: the defaults of `prism features`.
INPUTS, CONTACT_THRESHOLD, POINTS = 24, 8.0, 100
# A residue lines a ligand when two of their heavy atoms are at most this far apart, in Å.
REACH = 4.0
# Chains are homologous from this identity on, over the shorter one; shorter ones are peptides, too short to tell.
IDENTITY, SHORTEST_CHAIN = 0.30, 30
FOLDS = 10
PENALTIES = [1e-5, 1e-4, 1e-3, 3e-3, 1e-2, 3e-2, 1e-1]
SMALLEST_LIGAND = 6
STANDARD = set(
    "ALA ARG ASN ASP CYS GLN GLU GLY HIS ILE LEU LYS MET PHE PRO SER THR TRP TYR VAL".split()
)
# gemmi's table of residue kinds knows most buffers and cryoprotectants, sugars, modified amino acids and nucleotides.
# These it does not know, or calls something else.
ADDITIVES = set("1PE PE3 PE5 PE8 P6G PG4 PG5 PG6 PEG PEU XPE 7PE MES EPE HED FLC DTT DTV MLA OLC OLA UNL UNX".split())
GLYCANS = set("FUL XYS NDG NGA A2G SGN IDS".split())
# Kinds are by name alone; these are bound as ligands where they were seen.
LIGANDS_NONETHELESS = set("GLA SAL TAU".split())
SUFFIXES = (".pdb", ".ent", ".cif", ".mmcif")
ROOT = pathlib.Path(__file__).resolve().parents[2]
MODEL = ROOT / "shared-types/src/site_model.rs"
PAGE = ROOT / "docs/src/sites.md"


def is_ligand(name):
    """Whether a HETATM group of this name is a ligand, where no list says so."""
    if name in LIGANDS_NONETHELESS:
        return True
    known = gemmi.find_tabulated_residue(name)
    kind = gemmi.ResidueKind
    modified = [kind.AA, kind.AAD, kind.PAA, kind.MAA, kind.RNA, kind.DNA]
    other = known is not None and known.kind in modified + [kind.BUF, kind.HOH, kind.PYR, kind.KET]
    return not (other or name in ADDITIVES or name in GLYCANS)


def find(directories):
    """Structure files by name."""
    files = {}
    for path in (path for directory in directories for path in sorted(pathlib.Path(directory).iterdir())):
        if path.name.removesuffix(".gz").endswith(SUFFIXES):
            if path.name in files:
                sys.exit(f"two files have one name: {files[path.name]} and {path}")
            files[path.name] = path
    return files


def read_list(path):
    """Names of ligands by file name."""
    with open(path, newline="") as lines:
        words = {line["file"]: line["ligands"].split() for line in csv.DictReader(lines)}
    return {file: {word.rsplit("x", 1)[0] for word in ligands} for file, ligands in words.items()}


def features(prism, files):
    """The rows of all structures, as the command writes them."""
    with tempfile.TemporaryDirectory() as folder:
        output = pathlib.Path(folder) / "features.parquet"
        options = ["--contact-threshold", str(CONTACT_THRESHOLD), "--points", str(POINTS), "-o", output]
        done = subprocess.run([prism, "features", *options, *files], stderr=subprocess.PIPE, text=True)
        # 3: some inputs failed, the others are written.
        if done.returncode not in (0, 3):
            sys.exit(f"{prism} features ended with status {done.returncode}:\n{done.stderr}")
        if done.returncode == 3:
            print(done.stderr, end="")
        return pyarrow.parquet.read_table(output)


def heavy_atoms(residue):
    """Positions of heavy atoms: of each name the first, as `prism` takes them, however many alternate locations."""
    first = {}
    for atom in residue:
        if not atom.is_hydrogen():
            first.setdefault(atom.name, atom.pos.tolist())
    return list(first.values())


def distances(path, counts_as_ligand):
    """How far each residue is from the nearest ligand, by chain, number, insertion code and name; names of ligands."""
    ligand, names, residues = [], set(), {}
    for chain in gemmi.read_structure(str(path))[0]:
        for residue in chain:
            atoms = heavy_atoms(residue)
            if residue.het_flag == "H":
                if len(atoms) >= SMALLEST_LIGAND and counts_as_ligand(residue.name):
                    names.add(residue.name)
                    # Wherever an atom was seen, the residue beside it lines the ligand.
                    ligand += [atom.pos.tolist() for atom in residue if not atom.is_hydrogen()]
            elif residue.name in STANDARD and atoms:
                key = (chain.name, residue.seqid.num, residue.seqid.icode.strip(), residue.name)
                residues.setdefault(key, []).extend(atoms)
    if not ligand:
        return {}, names
    tree = cKDTree(ligand)
    return {key: tree.query(atoms)[0].min() for key, atoms in residues.items()}, names


class Data:
    """Rows of all structures with a ligand: columns `x`, labels `y`, index of the `structure`."""

    def __init__(self, arguments, only_listed):
        listed = read_list(arguments.ligands) if arguments.ligands else {}
        files = find(arguments.directories)
        if only_listed:
            missing = [name for name in listed if name not in files]
            if missing:
                sys.exit(f"not found: {' '.join(missing)}")
            files = {name: files[name] for name in listed}
        table = features(arguments.prism, files.values())
        self.names = table.column_names[6 : 6 + INPUTS]
        rows_of = {}
        for row, name in enumerate(table["structure"].to_pylist()):
            rows_of.setdefault(name, []).append(row)
        identity = [table[name].to_pylist() for name in ("chain", "resnum", "icode", "resname")]
        keys = [(chain, number, code or "", name) for chain, number, code, name in zip(*identity)]
        rows, self.files, structure, near, self.sequences = [], [], [], [], []
        for name, path in files.items():
            own = rows_of.get(name.removesuffix(".gz"), [])
            if not own:
                continue
            names = listed.get(name)
            distance, found = distances(path, is_ligand if names is None else names.__contains__)
            if only_listed:
                by_rule = distances(path, is_ligand)[1]
                if by_rule != found:
                    print(f"{name}: by rule {' '.join(sorted(by_rule)) or 'none'}, by list {' '.join(sorted(names))}")
            lining = [distance.get(keys[row], math.inf) <= REACH for row in own]
            if not any(lining) or all(lining):
                if only_listed or found:
                    print(f"{name}: left out, {sum(lining)} of {len(own)} residues line a ligand of at least 6 atoms")
                continue
            rows += own
            near += lining
            structure += [len(self.files)] * len(own)
            self.files.append(name)
            self.sequences.append(sequences([keys[row] for row in own]))
        column = lambda name: table[name].to_numpy(zero_copy_only=False).astype(np.float64)[rows]
        self.x, self.y, self.structure = np.empty((len(rows), INPUTS)), np.array(near), np.array(structure)
        for k, name in enumerate(self.names):
            self.x[:, k] = column(name)
        self.written = column("site_score") if "site_score" in table.column_names else None
        # A residue without an alpha carbon has no score.
        scored = ~np.isnan(self.x[:, 0])
        self.x, self.y, self.structure = self.x[scored], self.y[scored], self.structure[scored]
        self.written = None if self.written is None else self.written[scored]

    def mean_of_structures(self, score):
        """Mean over structures of the area under the curve within each."""
        own = [self.structure == k for k in range(len(self.files))]
        return float(np.mean([auc(score[rows], self.y[rows]) for rows in own]))


def sequences(keys):
    """One-letter sequences by chain."""
    chains = {}
    for chain, _, _, name in keys:
        chains.setdefault(chain, []).append(gemmi.find_tabulated_residue(name).one_letter_code)
    return ["".join(letters) for letters in chains.values()]


def families(structures):
    """A family number for each structure: they are linked by homologous chains."""
    aligner = Align.PairwiseAligner(mode="global")
    aligner.substitution_matrix = Align.substitution_matrices.load("BLOSUM62")
    # Ends are free: else a short chain finds its letters all over a long one.
    aligner.open_gap_score, aligner.extend_gap_score, aligner.end_gap_score = -11, -1, 0

    def homologous(a, b):
        return a == b or aligner.align(a, b)[0].counts().identities >= IDENTITY * min(len(a), len(b))

    chains = [sorted({chain for chain in chains if len(chain) >= SHORTEST_CHAIN}) for chains in structures]
    family = list(range(len(chains)))
    for i in range(len(chains)):
        for j in range(i):
            if family[i] != family[j] and any(homologous(a, b) for a in chains[i] for b in chains[j]):
                family = [family[j] if one == family[i] else one for one in family]
    return np.unique(family, return_inverse=True)[1]


def auc(score, positive):
    """Area under the ROC curve; equal scores count half."""
    ranks, of = rankdata(score), positive.sum()
    return float((ranks[positive].sum() - of * (of + 1) / 2) / (of * (len(score) - of)))


def sigmoid(z):
    return 1 / (1 + np.exp(-z))


def importance(data, family):
    """What a residue counts in the loss. Within a structure, those that line a ligand count as much as those that do not;
    a structure counts as the square root of how many do, and a family divides that by its members."""
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
        column = np.where(np.isnan(data.x[:, k]), np.nanmean(data.x[:, k]), data.x[:, k])
        found[name] = [max(area, 1 - area) for area in (auc(column, data.y), data.mean_of_structures(column))]
    return found


def best_column(singles, k):
    name = max(singles, key=lambda name: singles[name][k])
    return name, singles[name][k]


def rust(value):
    """Shortest decimal that reads back as the same f32."""
    return np.format_float_positional(np.float32(value), unique=True, trim="0")


def run_fit(arguments):
    data = Data(arguments, only_listed=True)
    family = families(data.sequences)
    weight, fold = importance(data, family), folds(data, family)
    tried = {}
    for penalty in PENALTIES:
        score = cross_validated(data, fold, weight, penalty)
        tried[penalty] = (auc(score, data.y), data.mean_of_structures(score), score)
        print("penalty {:g}: AUC {:.4f} over all residues, {:.4f} mean of structures".format(penalty, *tried[penalty][:2]))
    penalty = max(tried, key=lambda one: sum(tried[one][:2]))
    pooled, mean, score = tried[penalty]
    threshold = max(np.arange(10, 900) / 1000, key=lambda t: matthews(score >= t, data.y)[0])
    model = Model(data, np.ones(len(data.y), dtype=bool), weight, penalty)
    own = [auc(score[data.structure == k], data.y[data.structure == k]) for k in range(len(data.files))]
    of_families = [np.mean(np.array(own)[family == k]) for k in range(family.max() + 1)]
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
    template = pathlib.Path(__file__).with_name("site_model.rs.in").read_text()
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
        **{name: f"{record[name]:.3f}" for name in ("pooled", "mean", "error")},
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
    counts = "{structures} structures of {families} families, {chains} chains, {residues} residues, {positive} of which line "
    results = [(counts + "a ligand; L2 penalty {penalty:g}.\n").format(**record), *results]
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
    for name, lines in (("results", results), ("penalties", penalties), ("calibration", calibration), ("weights", weights)):
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
    data = Data(arguments, only_listed=False)
    if not data.files:
        sys.exit("no structure has a ligand")
    bias, weights, means, threshold = committed()
    score = sigmoid(np.where(np.isnan(data.x), means, data.x) @ weights.astype(np.float64) + bias)
    for k, name in enumerate(data.files):
        own = data.structure == k
        print(f"{name}: {own.sum()} residues, {data.y[own].sum()} line a ligand, AUC {auc(score[own], data.y[own]):.3f}")
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
    parser.add_argument("--ligands", help="names of ligands by file")
    parser.add_argument("directories", nargs="+")
    arguments = parser.parse_args()
    if arguments.what == "fit":
        arguments.ligands = arguments.ligands or pathlib.Path(__file__).with_name("ligands.csv")
        run_fit(arguments)
    else:
        run_evaluate(arguments)


if __name__ == "__main__":
    main()
