"""Writes atoms_reference.csv: areas of the atoms of 1ubq.pdb.gz by FreeSASA.

    pip install gemmi==0.7.5 freesasa==2.2.1
    python tests/data/make_atoms_reference.py
"""

import csv
from pathlib import Path

import freesasa
import gemmi

HERE = Path(__file__).parent
KINDS = {
    "sr100": (freesasa.ShrakeRupley, "n-points", 100, 1.4, "protor"),
    "sr100_probe2": (freesasa.ShrakeRupley, "n-points", 100, 2.0, "protor"),
    "lr20": (freesasa.LeeRichards, "n-slices", 20, 1.4, "protor"),
    "lr50_naccess": (freesasa.LeeRichards, "n-slices", 50, 1.4, "naccess"),
    "sr200_naccess": (freesasa.ShrakeRupley, "n-points", 200, 1.4, "naccess"),
}

structure = gemmi.read_structure(str(HERE / "1ubq.pdb.gz"))
structure.remove_hydrogens()
structure.remove_waters()
atoms = [(residue, atom) for chain in structure[0] for residue in chain for atom in residue]
columns = {}
for kind, (algorithm, option, count, probe, name) in KINDS.items():
    classifier = freesasa.Classifier.getStandardClassifier(name)
    result = freesasa.calcCoord(
        [x for _, atom in atoms for x in atom.pos.tolist()],
        [classifier.radius(residue.name, atom.name) for residue, atom in atoms],
        freesasa.Parameters({"algorithm": algorithm, option: count, "probe-radius": probe, "n-threads": 1}),
    )
    columns[kind] = [result.atomArea(i) for i in range(len(atoms))]
naccess = freesasa.Classifier.getStandardClassifier("naccess")
with open(HERE / "atoms_reference.csv", "w", newline="") as file:
    out = csv.writer(file, lineterminator="\n")
    out.writerow(["resnum", "atom", "naccess_radius", "naccess_class", *KINDS])
    for i, (residue, atom) in enumerate(atoms):
        radius, kind = naccess.radius(residue.name, atom.name), naccess.classify(residue.name, atom.name)
        values = [f"{columns[kind][i]:.6f}" for kind in KINDS]
        out.writerow([residue.seqid.num, atom.name, f"{radius:.2f}", kind.lower(), *values])
