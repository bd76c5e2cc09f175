#!/usr/bin/env python3
"""Compares what prism reads of structure files with what MDAnalysis and mdtraj read: residues of proteins, their heavy atoms, and chains.

    pip install MDAnalysis==2.11.0 MDAnalysisTests==2.11.0 mdtraj==1.11.1
    inputs.py bin/prism [FOLDER]... [--csv inputs.csv]

It reads every PDB, PDBQT, PQR and mmCIF file among the tests of MDAnalysis, in mdtraj's package, and in the folders given. A line of the
CSV is a file: each program's three numbers, or why it read nothing. Files whose numbers differ are printed. Neither program is right by
itself: MDAnalysis and mdtraj take residues by lists of names, prism by their backbone, too; all three take the first model.
"""

import argparse
import contextlib
import csv
import io
import json
import re
import subprocess
import warnings
from pathlib import Path

ENDINGS = (".pdb", ".ent", ".pdb1", ".cif", ".mmcif", ".pdbqt", ".pqr")
COMPRESSED = ("", ".gz", ".bz2")


SUMMARY = re.compile(r": (\d+) residues?, (\d+) heavy atoms?, chains? (.*)")
REFUSED = re.compile(r": refused: (.*)")
HYDROGEN = re.compile(r"[0-9]*[HDT]")
CAPS = {"ACE", "NME", "NMA", "NH2", "FOR"}


def read_prism(prism, path):
    done = subprocess.run([prism, "check", "--polymers", "protein", path], capture_output=True, text=True)
    found = SUMMARY.search(done.stdout)
    if not found:
        refused = REFUSED.search(done.stdout)
        reason = refused[1] if refused else done.stderr
        return (0, 0, 0) if reason.startswith("no protein") else reason
    residues, heavy, chains = found.groups()
    return int(residues), int(heavy), len(re.findall(r" \(\d+\)", chains))


def counted(atoms):
    """Residues, heavy atoms and chains of atoms: residue, its name, the atom's name, its chain. Caps are no residues, atoms of alternate
    locations count once, and names say what a hydrogen is, since the elements that a program guesses of names may be mercury."""
    atoms = [(residue, name, chain) for residue, resname, name, chain in atoms if resname not in CAPS]
    heavy = {(residue, name) for residue, name, _ in atoms if not HYDROGEN.match(name)}
    return len({atom[0] for atom in atoms}), len(heavy), len({atom[2] for atom in atoms})


def read_mdanalysis(path):
    import MDAnalysis

    protein = MDAnalysis.Universe(str(path)).select_atoms("protein")
    return counted([(atom.resindex, atom.resname, atom.name, atom.segid) for atom in protein])


def read_mdtraj(path):
    import mdtraj

    residues = [residue for residue in mdtraj.load_frame(str(path), 0).topology.residues if residue.is_protein]
    atoms = [(residue, atom) for residue in residues for atom in residue.atoms]
    return counted([(residue.index, residue.name, atom.name, residue.chain.index) for residue, atom in atoms])


def tried(read, *arguments):
    """What a program reads, or why it reads nothing."""
    try:
        with contextlib.redirect_stdout(io.StringIO()), warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return read(*arguments)
    except (Exception, SystemExit) as error:
        return f"{type(error).__name__}: {str(error).splitlines()[0] if str(error) else ''}"[:80]


def find(folders):
    for folder in folders:
        for path in sorted(Path(folder).rglob("*")):
            if path.is_file() and any(path.name.lower().endswith(e + c) for e in ENDINGS for c in COMPRESSED):
                yield path


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("prism")
    parser.add_argument("folders", nargs="*")
    parser.add_argument("--csv")
    given = parser.parse_args()
    import MDAnalysisTests
    import mdtraj

    folders = [Path(MDAnalysisTests.__file__).parent / "data", Path(mdtraj.__file__).parent, *given.folders]
    same, rows = 0, []
    for path in find(folders):
        found = {
            "prism": tried(read_prism, given.prism, path),
            "MDAnalysis": tried(read_mdanalysis, path),
            "mdtraj": tried(read_mdtraj, path),
        }
        rows.append([path.name, *(json.dumps(value) for value in found.values())])
        read = [value for value in found.values() if isinstance(value, tuple)]
        if isinstance(found["prism"], tuple) and len(set(read)) == 1:
            same += 1
            continue
        print(path.name, *(f"{program} {value}" for program, value in found.items()), sep="\n    ", flush=True)
    print(f"{same} of {len(rows)} files: all programs that read a file read the same")
    if given.csv:
        with open(given.csv, "w", newline="") as file:
            csv.writer(file).writerows([["file", "prism", "MDAnalysis", "mdtraj"], *rows])


if __name__ == "__main__":
    main()
