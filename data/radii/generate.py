"""Writes host/read/src/radii/naccess.config: the radii of NACCESS (Hubbard and Thornton) as FreeSASA has them, in FreeSASA's format.

    pip install freesasa==2.2.1 biotite==1.6.0
    python data/radii/generate.py

Each heavy atom of the standard amino acids and nucleotides in the Chemical Component Dictionary is looked up in FreeSASA's classifier.
Those that all residues have alike become atoms of ANY.
"""

from collections import defaultdict
from pathlib import Path

import freesasa
from biotite.structure.info import residue

AMINO_ACIDS = "ALA ARG ASN ASP CYS GLN GLU GLY HIS ILE LEU LYS MET PHE PRO SER THR TRP TYR VAL MSE SEC".split()
NUCLEOTIDES = "A C G U I DA DC DG DT DU DI".split()
classifier = freesasa.Classifier.getStandardClassifier("naccess")

known = {}
for name in AMINO_ACIDS + NUCLEOTIDES:
    atoms = residue(name)
    for atom, element in zip(atoms.atom_name, atoms.element):
        radius = classifier.radius(name, str(atom))
        if element not in ("H", "D") and radius > 0:
            known[name, str(atom)] = (round(radius, 2), classifier.classify(name, str(atom)).lower())
# What an unknown residue has.
fallback = {}
for atom in sorted({atom for _, atom in known}):
    radius = classifier.radius("NON", atom)
    if radius > 0 and classifier.classify("NON", atom) != "Unknown":
        fallback[atom] = (round(radius, 2), classifier.classify("NON", atom).lower())
types = {}
for value in sorted({*known.values(), *fallback.values()}):
    types[value] = f"T{len(types) + 1}"
lines = ["# Radii of NACCESS as FreeSASA 2.2.1 has them. Written by data/radii/generate.py.", "name: NACCESS", "", "types:"]
lines += [f"{name} {radius:.2f} {kind}" for (radius, kind), name in types.items()]
lines += ["", "atoms:"]
lines += [f"ANY {atom} {types[value]}" for atom, value in fallback.items()]
lines += [f"{name} {atom} {types[value]}" for (name, atom), value in known.items() if fallback.get(atom) != value]
path = Path(__file__).parents[2] / "host/read/src/radii/naccess.config"
path.write_text("\n".join(lines) + "\n")
print(len(known), len(fallback), types)
