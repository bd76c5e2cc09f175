#!/usr/bin/env python3
"""Runs many small structures in tars through shards of `prism features`, and counts what comes out.

    python3 tests/scale/shards.py target/release/prism [--structures 1000000] [--tars 100] [--shards 4] [--folder DIR]

Each structure is a helix of eight residues with coordinates of its own. Shards run one after another, so that each has all cores;
every one prints its time and its peak of resident memory. Fails unless all rows are there, and each structure once. The tars take
4.4 GB for a million structures, the output less than a tenth of that.
"""

import argparse
import io
import json
import math
import os
import pathlib
import subprocess
import sys
import tarfile
import tempfile
import time

RESIDUES = 8
ATOMS = [("N", -0.5, 1.2, "N"), ("CA", 0.0, 2.3, "C"), ("C", 0.9, 1.7, "C"), ("O", 1.4, 2.0, "O"), ("CB", -0.6, 3.3, "C")]


def structure(number):
    """A PDB file of alanines: a helix, whose rise depends on the number."""
    lines, serial, rise = [], 1, 1.5 + number % 997 / 5000
    for residue in range(RESIDUES):
        for name, along, radius, element in ATOMS:
            angle = math.radians(100 * residue + 40 * along)
            x, y, z = radius * math.cos(angle), radius * math.sin(angle), rise * residue + along
            lines.append(f"ATOM  {serial:5}  {name:<3} ALA A{residue + 1:4}    {x:8.3f}{y:8.3f}{z:8.3f}  1.00{20 + residue:6.2f}"
                         f"          {element:>2}\n")
            serial += 1
    return "".join([*lines, "END\n"]).encode()


def make(folder, structures, tars):
    per_tar = structures // tars
    for tar in range(tars):
        with tarfile.open(folder / f"{tar:04}.tar", "w") as out:
            for number in range(tar * per_tar, (tar + 1) * per_tar):
                text = structure(number)
                info = tarfile.TarInfo(f"{number:07}.pdb")
                info.size = len(text)
                out.addfile(info, io.BytesIO(text))
    return per_tar * tars


def main():
    arguments = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    arguments.add_argument("prism", type=pathlib.Path)
    arguments.add_argument("--structures", type=int, default=1_000_000)
    arguments.add_argument("--tars", type=int, default=100)
    arguments.add_argument("--shards", type=int, default=4)
    arguments.add_argument("--folder", type=pathlib.Path, help="where the tars go; by default the system's temporary folder")
    given = arguments.parse_args()
    with tempfile.TemporaryDirectory(dir=given.folder) as name:
        folder = pathlib.Path(name)
        (folder / "in").mkdir()
        structures = make(folder / "in", given.structures, given.tars)
        wall = user = 0.0
        for shard in range(1, given.shards + 1):
            begin = time.monotonic()
            command = [given.prism.resolve(), "features", "-q", "--backend", "cpu", "in", "-o", "out/", "--resume",
                       "--shard", f"{shard}/{given.shards}"]
            process = subprocess.Popen(command, cwd=folder)
            _, status, usage = os.wait4(process.pid, 0)
            seconds, cpu = time.monotonic() - begin, usage.ru_utime + usage.ru_stime
            if status != 0:
                raise SystemExit(f"shard {shard} ended with status {status}")
            wall, user = wall + seconds, user + cpu
            print(f"shard {shard}: {seconds:.1f} s, {cpu:.1f} core-seconds, {usage.ru_maxrss / 1024:.0f} MiB at most", flush=True)
        parts = [json.loads(path.read_text()) for path in sorted((folder / "out").glob("part-*.json"))]
        found, rows = sum(part["structures"] for part in parts), sum(part["residues"] for part in parts)
        print(f"{found} structures, {rows} rows, {len(parts)} parts")
        print(f"{structures / wall:.0f} structures a second, {structures / user:.0f} a core-second")
        if (found, rows) != (structures, structures * RESIDUES):
            raise SystemExit(f"{structures} structures and {structures * RESIDUES} rows were wanted")
        begin = time.monotonic()
        subprocess.run([given.prism.resolve(), "merge", "-q", "out/", "-o", "all.parquet"], cwd=folder, check=True)
        print(f"merged in {time.monotonic() - begin:.1f} s, {(folder / 'all.parquet').stat().st_size / 1e6:.0f} MB")


if __name__ == "__main__":
    sys.exit(main())
