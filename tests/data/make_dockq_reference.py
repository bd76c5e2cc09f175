#!/usr/bin/env python3
"""Writes what DockQ says of models made from 1jcd.pdb.gz, compared with it, as CSV: a row for each interface.

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

ATOMS = [line.rstrip("\n") for line in gzip.open("1jcd.pdb.gz", "rt") if line.startswith("ATOM")]


def moved(line, chain, degrees, shift, about=(1.25, 0.7)):
    """The atom of a chain after a rotation about an axis parallel to z, and a shift."""
    if line[21] != chain:
        return line
    x, y, z = (float(line[begin : begin + 8]) for begin in (30, 38, 46))
    cos, sin = math.cos(math.radians(degrees)), math.sin(math.radians(degrees))
    x, y = x - about[0], y - about[1]
    x, y = cos * x - sin * y + about[0], sin * x + cos * y + about[1]
    return line[:30] + "".join(f"{a + b:8.3f}" for a, b in zip((x, y, z), shift)) + line[54:]


def models():
    """Names and lines."""
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
}

with tempfile.TemporaryDirectory() as folder:
    reference = pathlib.Path(folder, "reference.pdb")
    reference.write_text("".join(line + "\n" for line in ATOMS) + "END\n")
    out = csv.writer(sys.stdout, lineterminator="\n")
    names = ["DockQ", "fnat", "fnonnat", "iRMSD", "LRMSD", "F1", "clashes"]
    out.writerow(["model", "options", "chain_a", "chain_b", "reference_a", "reference_b", *map(str.lower, names), "mean"])
    for name, lines in models():
        model, found = pathlib.Path(folder, "model.pdb"), pathlib.Path(folder, "found.json")
        model.write_text("".join(line + "\n" for line in lines) + "END\n")
        for own, options in OPTIONS.get(name, [("", "")]):
            command = ["DockQ", model, reference, "--json", found, "--n_cpu", "1", *own.split()]
            subprocess.run(command, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
            told = json.loads(found.read_text())
            for (a, b), one in told["best_result"].items():
                values = [round(one[key], 6) for key in names]
                out.writerow([name, options, one["chain1"], one["chain2"], a, b, *values, round(told["GlobalDockQ"], 6)])
