#!/usr/bin/env python3
"""Processor time of surfaces of every frame of a trajectory, by `prism` and others in turn, one thread each.

    python3 tests/peers/trajectory.py top.pdb run.xtc --prism target/release/prism --csv trajectory.csv

Whole processes, with reading and writing; of mdtraj and MDAnalysis without the time of importing them. zsasa, mdtraj and MDAnalysis come
from Python's package index, and those that are missing are left out, by name. zsasa leaves hydrogens out and takes ProtOr's radii, as
prism does; mdtraj's surface is that of the heavy atoms with its own radii and 100 points, from frames in memory. Lines of reading decode
every frame: all atoms there, and in prism as far as the protein goes, with a column of little work.
"""

import argparse
import csv
import importlib.util
import os
import resource
import shutil
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path


def seconds(command: list[str], is_printed: bool) -> float:
    """The processor time of a process, or what it prints."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    environment = {**os.environ, "OMP_NUM_THREADS": "1"}
    done = subprocess.run(command, capture_output=True, check=False, env=environment)
    if done.returncode:
        sys.exit(f"{' '.join(command)}: {done.stderr.decode()}")
    if is_printed:
        return float(done.stdout)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime - before.ru_utime + after.ru_stime - before.ru_stime


#: Programs in Python: the package, and what is timed. `top` and `run` are the files.
PYTHON = {
    "mdtraj surface": (
        "mdtraj",
        "t = mdtraj.load(run, top=top); t = t.atom_slice(t.topology.select('element != H')); "
        "mdtraj.shrake_rupley(t, n_sphere_points=100, mode='residue')",
    ),
    "mdtraj reading": ("mdtraj", "mdtraj.load(run, top=top)"),
    "MDAnalysis reading": (
        "MDAnalysis",
        "u = MDAnalysis.Universe(top, run); [frame.positions[0] for frame in u.trajectory]",
    ),
}


def timed(package: str, work: str, topology: str, trajectory: str) -> list[str]:
    """A program that prints the processor time of some work."""
    code = f"import sys, time, warnings, {package}; warnings.simplefilter('ignore'); top, run = sys.argv[1:]; "
    code += f"begin = time.process_time(); {work}; print(time.process_time() - begin)"
    return [sys.executable, "-c", code, topology, trajectory]


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
        programs["prism reading"] = [*prism, "--columns", "ca_x"]
        missing = [] if arguments.zsasa else ["zsasa bitmask", "zsasa exact f32"]
        missing += [name for name, (package, _) in PYTHON.items() if importlib.util.find_spec(package) is None]
        if missing:
            print(f"left out, because it is not installed: {', '.join(missing)}")
        programs = {name: command for name, command in programs.items() if name not in missing}
        for name, (package, work) in PYTHON.items():
            if name not in missing:
                programs[name] = timed(package, work, arguments.topology, arguments.trajectory)
        times: dict[str, list[float]] = {name: [] for name in programs}
        for _ in range(arguments.repetitions):
            for name, command in programs.items():
                times[name].append(seconds(command, is_printed=name in PYTHON))
    with Path(arguments.csv).open("w", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(["program", "median_cpu_s", "least_cpu_s", "repetitions"])
        for name, own in times.items():
            writer.writerow([name, f"{statistics.median(own):.3f}", f"{min(own):.3f}", len(own)])
            print(f"{name:20} {statistics.median(own):.3f} s (least {min(own):.3f})")


if __name__ == "__main__":
    main()
