"""Columns and labels of residues: what the model is fitted on and judged by."""

import math
import pathlib
import subprocess
import sys
import tempfile

import numpy as np
import pyarrow.parquet
from model import auc
from structures import REACH, distances, find, is_ligand, read_list, sequences

# Columns that the model reads, and how they are computed: the defaults of `prism features`.
INPUTS, CONTACT_THRESHOLD, POINTS = 24, 8.0, 100
# Columns before the features: structure, row, and who the residue is.
IDENTITY = 6


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


def listed_files(files, listed):
    """The files that the list names, all of them."""
    missing = [name for name in listed if name not in files]
    if missing:
        sys.exit(f"not found: {' '.join(missing)}")
    return {name: files[name] for name in listed}


def compare_with_rule(name, path, found):
    by_rule = distances(path, is_ligand)[1]
    if by_rule != found:
        print(f"{name}: by rule {' '.join(sorted(by_rule)) or 'none'}, by list {' '.join(sorted(found)) or 'none'}")


class Data:
    """Residues of all structures with a ligand: columns `x`, whether they line one `y`, index of the `structure`; and by
    structure the name of the file and the chains' sequences. A residue without an alpha carbon has no score and is left out.
    """

    def __init__(self, prism, directories, ligands, only_listed):
        listed = read_list(ligands) if ligands else {}
        files = find(directories)
        if only_listed:
            files = listed_files(files, listed)
        table = features(prism, files.values())
        rows_of = {}
        for row, name in enumerate(table["structure"].to_pylist()):
            rows_of.setdefault(name, []).append(row)
        who = [table[name].to_pylist() for name in ("chain", "resnum", "icode", "resname")]
        who = [(chain, number, code or "", name) for chain, number, code, name in zip(*who)]
        self.files, self.sequences, rows, lining, structure = [], [], [], [], []
        for name, path in files.items():
            own = rows_of.get(name.removesuffix(".gz"))
            if own is None:
                continue
            distance, found = distances(path, listed[name].__contains__ if name in listed else is_ligand)
            near = [distance.get(who[row], math.inf) <= REACH for row in own]
            if only_listed:
                compare_with_rule(name, path, found)
            if not any(near) or all(near):
                if name in listed or found:
                    print(f"{name}: left out, {sum(near)} of {len(own)} residues line a ligand")
                continue
            structure += [len(self.files)] * len(own)
            rows += own
            lining += near
            self.files.append(name)
            self.sequences.append(sequences([who[row] for row in own]))
        if not self.files:
            sys.exit("no structure has a ligand")
        self.names = table.column_names[IDENTITY : IDENTITY + INPUTS]
        column = lambda name: table[name].to_numpy(zero_copy_only=False).astype(np.float64)[rows]
        x = np.column_stack([column(name) for name in self.names])
        scored = ~np.isnan(x[:, 0])
        self.x, self.y, self.structure = x[scored], np.array(lining)[scored], np.array(structure)[scored]
        # What the command itself says, if it has the model already.
        self.written = column("site_score")[scored] if "site_score" in table.column_names else None

    def areas(self, score):
        """The area under the ROC curve within each structure."""
        own = [self.structure == k for k in range(len(self.files))]
        return np.array([auc(score[rows], self.y[rows]) for rows in own])

    def mean_of_structures(self, score):
        return float(self.areas(score).mean())
