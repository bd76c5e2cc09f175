#!/usr/bin/env python3
"""Writes what DockQ says of models made from 1jcd.pdb.gz (protein), 1bna.pdb.gz (DNA) and 1kx2_cut.pdb.gz (protein with haem), compared
with them, as CSV: a row for each interface.

    make_dockq_reference.py > dockq_reference.csv

Run it in this folder. The models are the ones that host/tests/cli/dockq.rs makes. `pip install DockQ==2.1.3`; the file is from
DockQ 2.1.3 with Biopython 1.88.
"""

import csv
import gzip
import json
import math
import pathlib
import subprocess
import sys
import tempfile



def read(name, records=("ATOM",)):
    lines = (line.rstrip("\n") for line in gzip.open(name, "rt"))
    return [line for line in lines if line.startswith(records) and line[17:20] != "HOH"]


ATOMS = read("1jcd.pdb.gz")
DNA = read("1bna.pdb.gz")
# Haem gets a chain of its own.
HAEM = [line[:21] + "L" + line[22:] if line.startswith("HETATM") else line for line in read("1kx2_cut.pdb.gz", ("ATOM", "HETATM"))]


def moved(line, chain, degrees, shift, about=(1.25, 0.7)):
    """The atom of a chain after a rotation about an axis parallel to z, and a shift."""
    if line[21] != chain:
        return line
    x, y, z = (float(line[begin : begin + 8]) for begin in (30, 38, 46))
    cos, sin = math.cos(math.radians(degrees)), math.sin(math.radians(degrees))
    x, y = x - about[0], y - about[1]
    x, y = cos * x - sin * y + about[0], sin * x + cos * y + about[1]
    return line[:30] + "".join(f"{a + b:8.3f}" for a, b in zip((x, y, z), shift)) + line[54:]


def renamed(line, names):
    """The atom under another name, if it has one."""
    name = line[12:16].strip()
    return line[:12] + f" {names.get(name, name):3}" + line[16:] if name in names else line


def models():
    """Names, lines, and those of the reference."""
    for name, lines in of_protein():
        yield name, lines, ATOMS
    dna = [moved(line, "B", 6.0, (1.0, -0.5, 1.5)) for line in DNA]
    yield "dna", dna, DNA
    yield "dna_lacking", [line for line in dna if not (line[21] == "A" and int(line[22:26]) % 5 == 0)], DNA
    haem = [moved(line, "L", 8.0, (0.5, 0.5, -1.0)) for line in HAEM]
    yield "haem", haem, HAEM
    # Oxygens of the propionates change their names, which bonds do not tell apart.
    swap = {"O1A": "O2A", "O2A": "O1A", "O1D": "O2D", "O2D": "O1D"}
    yield "haem_renamed", [renamed(line, swap) if line.startswith("HETATM") else line for line in haem], HAEM


def of_protein():
    near = [moved(moved(line, "B", 5.0, (1.5, -1.0, 0.5)), "C", -3.0, (0.0, 0.5, 1.0)) for line in ATOMS]
    number = lambda line: int(line[22:26])
    renumbered = [line[:22] + f"{number(line) + 100:4}" + line[26:] for line in near]
    yield "near", near
    yield "incomplete", [line for line in renumbered if not (line[21] == "A" and number(line) % 5 == 0)]
    yield "lacking", [line for line in near if not (line[21] == "A" and number(line) % 5 == 0)]
    lost = [line for line in near if not (line[21] == "A" and 20 <= number(line) < 32)]
    yield "gap", [line[:22] + f"{number(line) - 12 * (line[21] == 'A' and number(line) > 20):4}" + line[26:] for line in lost]
    yield "swapped", [line[:21] + {"A": "B", "B": "C", "C": "A"}[line[21]] + line[22:] for line in near]
    yield "pair", [line for line in near if line[21] != "C"]
    yield "far", [moved(line, "C", 0.0, (12.0, 0.0, 9.0)) for line in near]
    yield "clashing", [moved(line, "B", 20.0, (-5.0, 4.0, 0.0)) for line in near]
    yield "backbone", [line for line in near if line[12:16].strip() in ("N", "CA", "C", "O")]


# DockQ's options, and those of `prism dockq`.
OPTIONS = {
    "near": [("", ""), ("--capri_peptide", "--peptide"), ("--mapping CBA:ABC", "--mapping C:A,B:B,A:C"),
             ("--mapping :BC", "--mapping *:B,*:C"), ("--mapping B*:A*", "--mapping B:A,*:*")],
    "lacking": [("", ""), ("--no_align", "--by-number")],
    "dna_lacking": [("", ""), ("--no_align --mapping AB:AB", "--by-number --mapping A:A,B:B")],
    "haem": [("--small_molecule", "--small-molecules")],
    "haem_renamed": [("--small_molecule", "--small-molecules")],
}

with tempfile.TemporaryDirectory() as folder:
    reference = pathlib.Path(folder, "reference.pdb")
    out = csv.writer(sys.stdout, lineterminator="\n")
    names = ["DockQ", "fnat", "fnonnat", "iRMSD", "LRMSD", "F1", "clashes"]
    out.writerow(["model", "options", "chain_a", "chain_b", "reference_a", "reference_b", *map(str.lower, names), "mean"])
    for name, lines, of_reference in models():
        reference.write_text("".join(line + "\n" for line in of_reference) + "END\n")
        model, found = pathlib.Path(folder, "model.pdb"), pathlib.Path(folder, "found.json")
        model.write_text("".join(line + "\n" for line in lines) + "END\n")
        for own, options in OPTIONS.get(name, [("", "")]):
            command = ["DockQ", model, reference, "--json", found, "--n_cpu", "1", *own.split()]
            subprocess.run(command, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
            told = json.loads(found.read_text())
            for (a, b), one in told["best_result"].items():
                # Of a ligand's pose DockQ reports the distance alone.
                values = [round(one[key], 6) if not one["is_het"] or key in ("DockQ", "LRMSD") else "" for key in names]
                out.writerow([name, options, one["chain1"], one["chain2"], a, b, *values, round(told["GlobalDockQ"], 6)])
