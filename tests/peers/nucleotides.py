#!/usr/bin/env python3
"""Compares torsions, base pairs and stacks of nucleotides with those of biotite.

    pip install biotite==2.0.0 hydride==1.2.3 gemmi==0.7.5 freesasa==2.2.1
    nucleotides.py FILE... --prism target/release/prism [--differences] [--csv FILE]

A file is PDB or mmCIF, plain or in gzip; both programs read its first model, and the first alternate location of each atom. A line of
the table is a file: nucleotides, torsions that both have and how many of them are within 0.01 degrees, torsions that one program alone
has, pairs that biotite keeps by default (`unique=True`), how many of them prism has, how many of these are `best`, and prism's pairs, all
and those that biotite has with `unique=False`, sides (cis or trans) and edges of shared pairs, and stacks. biotite knows edges where there
are hydrogens alone, so those that a file lacks come from hydride; prism reads the file as it is. `--differences` lists what is not the
same.

Torsions are those of `tests/data/make_nucleotides_reference.py`: biotite's, without those across chain breaks, and chi of pseudouridine by
C5.
"""

import argparse
import collections
import csv
import gzip
import io
import subprocess
import sys
import tempfile
import warnings
from pathlib import Path

import biotite.structure as struc
import biotite.structure.io.pdb as pdb
import biotite.structure.io.pdbx as pdbx
import hydride
import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "data"))
from make_nucleotides_reference import ANGLES, EDGES, SIDES, torsions  # noqa: E402

# Where an angle of two programs is the same, in degrees.
SAME = 0.01
COUNTS = [
    "nucleotides", "torsions", "torsions_same", "torsions_of_biotite", "torsions_of_prism", "pairs_of_biotite", "pairs_of_both",
    "pairs_best", "pairs_of_prism", "pairs_of_prism_in_biotite", "sides", "sides_same", "edges", "edges_same", "stacks_of_biotite", "stacks_of_both", "stacks_of_prism",
]  # fmt: skip


def atoms_of(path):
    """The nucleotides of a file, as biotite reads them."""
    opened = gzip.open(path, "rt") if path.suffix == ".gz" else path.open()
    with opened as file:
        text = io.StringIO(file.read())
    if ".cif" in path.name:
        atoms = pdbx.get_structure(pdbx.CIFFile.read(text), model=1, use_author_fields=True)
    else:
        atoms = pdb.PDBFile.read(text).get_structure(model=1)
    return atoms[struc.filter_nucleotides(atoms)]


def with_hydrogens(atoms):
    """The same with hydrogens, unless the file has some."""
    if "H" in atoms.element:
        return atoms
    atoms.bonds = struc.connect_via_residue_names(atoms)
    atoms.set_annotation("charge", np.zeros(len(atoms), dtype=int))
    whole = hydride.add_hydrogen(atoms)[0]
    # Of atoms with bonds biotite cannot take one twice, as its edges do.
    whole.bonds = None
    return whole


def identity(atom):
    return str(atom.chain_id), int(atom.res_id), str(atom.ins_code).strip()


def of_biotite(path):
    atoms = atoms_of(path)
    residues, angles = torsions(atoms)
    names = [identity(residue[0]) for residue in residues]
    values = {name: dict(zip(ANGLES, own)) for name, own in zip(names, angles)}
    atoms = with_hydrogens(atoms)
    found = struc.base_pairs(atoms)
    sides = struc.base_pairs_glycosidic_bond(atoms, found)
    edges = struc.base_pairs_edge(atoms, found)
    pairs = {}
    for (a, b), side, (first, second) in zip(found, sides, edges):
        pairs[identity(atoms[a]), identity(atoms[b])] = SIDES[side] + EDGES[first] + EDGES[second]
    every = {frozenset([identity(atoms[a]), identity(atoms[b])]) for a, b in struc.base_pairs(atoms, unique=False)}
    try:
        stacks = {frozenset([identity(atoms[a]), identity(atoms[b])]) for a, b in struc.base_stacking(atoms)}
    except TypeError:
        # It does not know a base.
        print(f"    {path.name}: biotite finds no stacks, as an error ends it", file=sys.stderr)
        stacks = None
    return values, pairs, every, stacks


def table(prism, command, path, scratch, *options):
    out = scratch / "t.csv"
    subprocess.run([prism, command, str(path), "--altloc", "first", "-q", "-o", str(out), *options], check=True)
    return list(csv.DictReader(out.open()))


def of_prism(prism, path, scratch):
    number = lambda text: float(text) if text else np.nan
    columns = ",".join(["chain", "resnum", "icode", *ANGLES])
    rows = table(prism, "features", path, scratch, "--polymers", "nucleic", "--columns", columns)
    values = {(row["chain"], int(row["resnum"]), row["icode"]): {name: number(row[name]) for name in ANGLES} for row in rows}
    pairs, best, stacks = {}, set(), set()
    for row in table(prism, "edges", path, scratch, "--kinds", "base_pair,base_stack"):
        ends = [(row[f"chain_{end}"], int(row[f"resnum_{end}"]), row[f"icode_{end}"]) for end in "ab"]
        if row["kind"] == "base_pair":
            pairs[tuple(ends)] = row["class"]
            if row["best"] == "yes":
                best.add(frozenset(ends))
        else:
            stacks.add(frozenset(ends))
    return values, pairs, best, stacks


def turned(pairs, ends):
    """The class of a pair with these ends in this order; empty if there is none."""
    if ends in pairs:
        return pairs[ends]
    found = pairs.get(ends[::-1], "")
    return found and found[0] + found[2] + found[1]


def compare(path, prism, scratch, differ):
    own, own_pairs, best, own_stacks = of_prism(prism, path, scratch)
    values, pairs, every, stacks = of_biotite(path)
    count = collections.Counter(dict.fromkeys(COUNTS, 0))
    count["nucleotides"] = len(own)
    shared = [name for name in values if name in own]
    for name in values.keys() ^ own.keys():
        differ("nucleotide", name, "prism" if name in own else "biotite", "alone")
    for name in shared:
        for angle in ANGLES:
            a, b = own[name][angle], values[name][angle]
            if np.isnan(a) and np.isnan(b):
                continue
            if np.isnan(a) or np.isnan(b):
                which = "biotite" if np.isnan(a) else "prism"
                count[f"torsions_of_{which}"] += 1
                differ(angle, name, which, "alone")
                continue
            count["torsions"] += 1
            off = abs((a - b + 180) % 360 - 180)
            count["torsions_same"] += off <= SAME
            if off > SAME:
                differ(angle, name, f"{a:.3f}", f"{b:.3f}")
    both = {name for name in shared}
    known = {ends for ends in own_pairs if both.issuperset(ends)}
    for ends, theirs in pairs.items():
        if not both.issuperset(ends):
            continue
        count["pairs_of_biotite"] += 1
        cls = turned(own_pairs, ends)
        count["pairs_of_both"] += bool(cls)
        count["pairs_best"] += frozenset(ends) in best
        if not cls:
            differ("pair", *ends, f"biotite {theirs} alone")
            continue
        for what, of, has in [("sides", slice(1), theirs[0] != "."), ("edges", slice(1, 3), "." not in theirs)]:
            count[what] += has
            count[f"{what}_same"] += has and cls[of] == theirs[of]
            if has and cls[of] != theirs[of]:
                differ(what, *ends, f"prism {cls}, biotite {theirs}")
    count["pairs_of_prism"] = len(known)
    for ends in known:
        count["pairs_of_prism_in_biotite"] += frozenset(ends) in every
        if frozenset(ends) not in every:
            differ("pair", *ends, f"prism {own_pairs[ends]} alone")
    if stacks is None:
        return count
    stacks = {ends for ends in stacks if both.issuperset(ends)}
    own_stacks = {ends for ends in own_stacks if both.issuperset(ends)}
    count.update(stacks_of_biotite=len(stacks), stacks_of_both=len(stacks & own_stacks), stacks_of_prism=len(own_stacks))
    for ends in stacks ^ own_stacks:
        differ("stack", *sorted(ends), ("prism" if ends in own_stacks else "biotite") + " alone")
    return count


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("files", nargs="+", type=Path)
    parser.add_argument("--prism", default="target/release/prism")
    parser.add_argument("--differences", action="store_true")
    parser.add_argument("--csv", type=Path)
    args = parser.parse_args()
    warnings.simplefilter("ignore")
    lines, total = [], collections.Counter()
    with tempfile.TemporaryDirectory() as scratch:
        for path in args.files:
            differ = lambda *words: args.differences and print("   ", path.name, *words)
            count = compare(path, args.prism, Path(scratch), differ)
            lines.append([path.name.split(".")[0].lower(), *(count[name] for name in COUNTS)])
            total.update(count)
    lines.append(["all", *(total[name] for name in COUNTS)])
    for line in [["file", *COUNTS], *lines]:
        print(",".join(str(value) for value in line))
    if args.csv:
        with args.csv.open("w", newline="") as out:
            writer = csv.writer(out, lineterminator="\n")
            writer.writerows([["file", *COUNTS], *lines])


if __name__ == "__main__":
    main()
