#!/usr/bin/env python3
"""Times calls from Python on single structures: `prism` beside packages that compute surfaces, in one process, on one core.

    PYTHONPATH=target/python-site calls.py FILE... [--repetitions 200] [--csv FILE]

A call takes a path and returns areas of residues (`prism`: also all columns). Times are CPU times, the least of alternating
repetitions, so that other load on the machine counts little. Ratios are relative to `prism` with the same content. `overhead` is the
wall time of a call until it returns, without reading and computing the structure, which the engine measures within the same call: the
least and the median of the repetitions, for the first four residues in memory and for the whole structure. `drop` is the time that the
caller takes to drop what it got, and `inside` that of reading and computing. Missing packages are left out and named.
"""

import argparse
import csv
import importlib.util
import os
import statistics
import time
from pathlib import Path

# Before anything starts threads.
for variable in ("RAYON_NUM_THREADS", "OMP_NUM_THREADS"):
    os.environ[variable] = "1"


def prism_calls(path):
    import prism

    engine = prism.Engine("cpu")
    return {
        "prism, all columns": lambda: engine.features(path),
        "prism, surface": lambda: engine.features(path, ["sasa"]),
        "prism.features, surface": lambda: prism.features(path, ["sasa"], "cpu"),
    }


def freesasa_call(path):
    import freesasa

    freesasa.setVerbosity(freesasa.silent)
    options = freesasa.Parameters({"algorithm": freesasa.ShrakeRupley, "n-points": 100, "n-threads": 1})
    return lambda: freesasa.calc(freesasa.Structure(path), options).residueAreas()


def biopython_call(path):
    from Bio.PDB import PDBParser
    from Bio.PDB.SASA import ShrakeRupley

    def call():
        model = PDBParser(QUIET=True).get_structure("x", path)[0]
        ShrakeRupley(n_points=100).compute(model, level="R")

    return call


def mdtraj_call(path):
    import mdtraj

    return lambda: mdtraj.shrake_rupley(mdtraj.load(path), n_sphere_points=100, mode="residue")


PEERS = {"freesasa": ("freesasa", freesasa_call), "biopython": ("Bio", biopython_call), "mdtraj": ("mdtraj", mdtraj_call)}


def least(calls, repetitions):
    """The least seconds of each call over the repetitions. Slow calls are repeated less often."""
    taken = {name: [] for name in calls}
    for call in calls.values():
        call()
    for repetition in range(repetitions):
        for name, call in calls.items():
            if repetition >= 3 and sum(taken[name]) > 2.0:
                continue
            begin = time.process_time()
            call()
            taken[name].append(time.process_time() - begin)
    return {name: min(times) for name, times in taken.items()}


def overheads(path, few, repetitions):
    """Of each call, the microseconds beside reading and computing, least and median; of dropping the result; and of both inside."""
    import prism
    from prism import _api

    class Timed(prism.Engine):
        def _batches(self, *arguments):
            for batch in super()._batches(*arguments):
                Timed.seconds = batch.seconds
                yield batch

    # That of `prism.features`, too.
    _api.Engine = Timed
    engine, whole = Timed("cpu"), [("whole", path.read_bytes())]
    calls = {
        "overhead, four residues, all columns": lambda: engine.features(few),
        "overhead, four residues, surface": lambda: engine.features(few, ["sasa"]),
        "overhead, four residues, prism.features": lambda: prism.features(few, backend="cpu"),
        "overhead, four residues, tensors": lambda: list(engine.tensors(few)),
        "overhead, whole, all columns": lambda: engine.features(whole),
        "overhead, whole, surface": lambda: engine.features(whole, ["sasa"]),
        "overhead, whole, tensors": lambda: list(engine.tensors(whole)),
        "overhead, path, all columns": lambda: engine.features(str(path)),
    }
    found = {}
    for name, call in calls.items():
        times, drops, insides = [], [], []
        for _ in range(repetitions):
            begin = time.perf_counter()
            result = call()
            returned = time.perf_counter()
            del result
            drops.append(1e6 * (time.perf_counter() - returned))
            read, compute, _ = Timed.seconds
            insides.append(1e6 * (read + compute))
            times.append(1e6 * (returned - begin) - insides[-1])
        found[name] = min(times), statistics.median(times), statistics.median(drops), statistics.median(insides)
    return found


def first_residues(content, most=4):
    """The first residues of a PDB file."""
    kept, seen = [], []
    for line in content.decode().splitlines(keepends=True):
        if not line.startswith("ATOM"):
            continue
        if line[17:27] not in seen:
            seen.append(line[17:27])
        if len(seen) > most:
            break
        kept.append(line)
    return "".join(kept).encode()


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("files", type=Path, nargs="+", help="structure files, not compressed: peers read them")
    parser.add_argument("--repetitions", type=int, default=200)
    parser.add_argument("--machine", default="unnamed", help="in the CSV")
    parser.add_argument("--csv", type=Path, help="write the results here, too")
    given = parser.parse_args()
    import prism

    rows = []
    for path in given.files:
        calls = prism_calls(str(path))
        for name, (package, make) in PEERS.items():
            if importlib.util.find_spec(package):
                calls[name] = make(str(path))
            else:
                print("left out, not installed:", name)
        found = least(calls, given.repetitions)
        print(f"\n{path.name}: {len(prism.features(path, ['sasa'], 'cpu'))} residues")
        for name, seconds in found.items():
            ratio = seconds / found["prism, surface"]
            print(f"{name:32} {seconds * 1e6:10.0f} us {ratio:8.2f}")
            rows.append([given.machine, path.name, name, f"{seconds * 1e6:.0f}", f"{ratio:.3f}"])
        few, engine = [("few", first_residues(path.read_bytes()))], prism.Engine("cpu")
        small = {
            "four residues, all columns": lambda: engine.features(few),
            "four residues, surface": lambda: engine.features(few, ["sasa"]),
            "four residues, prism.features": lambda: prism.features(few, backend="cpu"),
            "four residues, tensors": lambda: list(engine.tensors(few)),
        }
        for name, seconds in least(small, 5 * given.repetitions).items():
            print(f"{name:32} {seconds * 1e6:10.0f} us")
            rows.append([given.machine, path.name, name, f"{seconds * 1e6:.0f}", ""])
        for name, (shortest, *medians) in overheads(path, few, 2 * given.repetitions).items():
            median, drop, inside = medians
            print(f"{name:40} {shortest:10.0f} us, median {median:.0f} us; drop {drop:.0f} us, inside {inside:.0f} us")
            rows.append([given.machine, path.name, name, f"{shortest:.0f}", ""])
            for part, value in zip(("median", "drop", "inside"), medians, strict=True):
                rows.append([given.machine, path.name, f"{name}, {part}", f"{value:.0f}", ""])
    if given.csv:
        with given.csv.open("w", newline="") as file:
            writer = csv.writer(file, lineterminator="\n")
            writer.writerow(["machine", "file", "call", "microseconds", "over_prism_surface"])
            writer.writerows(rows)


if __name__ == "__main__":
    main()
