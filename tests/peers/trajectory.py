#!/usr/bin/env python3
"""Processor time of surfaces of every frame of a trajectory, by `prism` and zsasa in turn, one thread each.

    python3 tests/peers/trajectory.py top.pdb run.xtc --prism target/release/prism --csv trajectory.csv

Whole processes, with reading and writing. zsasa comes from Python's package index; it leaves hydrogens out and takes ProtOr's radii, as
prism does.
"""

import argparse
import csv
import resource
import shutil
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path


def seconds(command: list[str]) -> float:
    """The processor time of a process."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    done = subprocess.run(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, check=False)
    if done.returncode:
        sys.exit(f"{' '.join(command)}: {done.stderr.decode()}")
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime - before.ru_utime + after.ru_stime - before.ru_stime


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("topology")
    parser.add_argument("trajectory")
    parser.add_argument("--prism", default="prism")
    parser.add_argument("--zsasa", default=shutil.which("zsasa"), help="zsasa's program")
    parser.add_argument("--repetitions", type=int, default=5)
    parser.add_argument("--csv", required=True)
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        out = str(Path(folder) / "out.parquet")
        prism = [arguments.prism, "features", arguments.topology, "--trajectory", arguments.trajectory, "-j", "1"]
        prism += ["--backend", "cpu", "-o", out]
        zsasa = [arguments.zsasa, "traj", arguments.trajectory, arguments.topology, "--threads=1", "--no-hydrogens"]
        zsasa += ["--classifier=protor", f"--output={folder}/zsasa.csv"]
        programs = {
            "prism sasa": [*prism, "--columns", "sasa"],
            "prism sasa, mean": [*prism, "--columns", "sasa", "--reduce", "mean"],
            "prism all columns": prism,
            "zsasa bitmask": [*zsasa, "--use-bitmask"],
            "zsasa exact f32": zsasa,
        }
        if not arguments.zsasa:
            programs = {name: command for name, command in programs.items() if name.startswith("prism")}
        times: dict[str, list[float]] = {name: [] for name in programs}
        for _ in range(arguments.repetitions):
            for name, command in programs.items():
                times[name].append(seconds(command))
    with Path(arguments.csv).open("w", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(["program", "median_cpu_s", "least_cpu_s", "repetitions"])
        for name, own in times.items():
            writer.writerow([name, f"{statistics.median(own):.3f}", f"{min(own):.3f}", len(own)])
            print(f"{name:20} {statistics.median(own):.3f} s (least {min(own):.3f})")


if __name__ == "__main__":
    main()
