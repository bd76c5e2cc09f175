#!/usr/bin/env python3
"""Times the interactions of `prism edges` beside those of other programs, on the same files.

    interactions_time.py FOLDER --prism target/release/prism [--peers prolif,plip,hbat,arpeggio] [--copies 84] [--csv FILE]

FOLDER holds mmCIF files, plain or in gzip. A peer's time is the processor time of its own work, once for each file, after its packages
are imported: of prolif, plip and hbat that of the functions in interactions.py (PLIP takes what concerns ligands alone, prolif all pairs of
residues with implicit hydrogens), of pdbe-arpeggio that of its command. prism reads `--copies` of each file in one process, computes all
kinds of interactions, and writes Parquet: its time is that of the whole process, divided by the copies. Peers that fail at a file are
named, and left out there.
"""

import argparse
import csv
import importlib.util
import os
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import gemmi
from interactions import PEERS, cleaned, component_tables

KINDS = "hbond,salt_bridge,pi_stack,t_stack,cation_pi,hydrophobic,disulfide,covalent,metal,water_bridge,halogen,weak_hbond,clash"


def of_children():
    times = os.times()
    return times.children_user + times.children_system


def of_prism(prism, path, copies, scratch):
    source = scratch / "copies"
    source.mkdir()
    extension = path.name.partition(".")[2]
    for copy in range(copies):
        shutil.copy(path, source / f"{copy:04}.{extension}")
    before = of_children()
    subprocess.run([prism, "edges", source, "--kinds", KINDS, "-q", "-o", scratch / "t.parquet"], check=True)
    seconds = (of_children() - before) / copies
    shutil.rmtree(source)
    return seconds


def of_arpeggio(path, scratch):
    plain = scratch / "x.cif"
    gemmi.cif.read(str(path)).write_file(str(plain))
    command = Path(sys.executable).parent / "pdbe-arpeggio"
    before = of_children()
    subprocess.run([command, "-o", scratch, plain], check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    return of_children() - before


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--prism", required=True)
    parser.add_argument("--peers", default="prolif,plip,hbat,arpeggio")
    parser.add_argument("--copies", type=int, default=84)
    parser.add_argument("--csv", type=Path)
    args = parser.parse_args()
    tables, lines = component_tables(args.folder), []
    peers = [name for name in args.peers.split(",") if name]
    for name in peers:
        if importlib.util.find_spec(name) is None:
            raise SystemExit(f"{name} is not installed")
    with tempfile.TemporaryDirectory(prefix="interactions-") as made:
        scratch = Path(made)
        warm = True
        for path in sorted(args.folder.glob("*.cif*")):
            entry = path.name.split(".")[0]
            structure = cleaned(path, scratch / "x.pdb")
            residues = sum(len(chain) for chain in structure[0])
            found = {"prism": of_prism(args.prism, path, args.copies, scratch)}
            for name in peers:
                try:
                    if name == "arpeggio":
                        found[name] = of_arpeggio(path, scratch)
                        continue
                    if warm:
                        PEERS[name](structure, tables, scratch / "x.pdb")  # It imports its packages.
                    before = time.process_time()
                    PEERS[name](structure, tables, scratch / "x.pdb")
                    found[name] = time.process_time() - before
                except Exception as error:  # A peer may fail on a file that others can take.
                    print(f"{entry}: {name} failed: {error!r}"[:300], file=sys.stderr)
            warm = False
            for name, seconds in found.items():
                lines.append([entry, residues, name, f"{seconds:.4f}"])
                print(",".join(str(value) for value in lines[-1]), flush=True)
    for name in peers:
        both = {entry for entry, _, program, _ in lines if program == name}
        total = lambda of: sum(float(line[3]) for line in lines if line[2] == of and line[0] in both)
        if both:
            print(f"{name}: {total(name) / total('prism'):.0f} times prism's time, on {len(both)} entries")
    if args.csv:
        with args.csv.open("w", newline="") as out:
            csv.writer(out, lineterminator="\n").writerows([["entry", "residues", "program", "core_s"], *lines])


if __name__ == "__main__":
    main()
