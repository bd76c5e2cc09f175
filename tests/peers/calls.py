#!/usr/bin/env python3
"""Times calls from Python on single structures: `prism` beside packages that compute surfaces, in one process, on one core.

    PYTHONPATH=target/python-site calls.py FILE... [--repetitions 200] [--csv FILE]

A call takes a path and returns areas of residues (`prism`: also all columns). Times are CPU times, the least of alternating
repetitions, so that other load on the machine counts little. Ratios are relative to `prism` with the same content.

`overhead` is what a call from Python adds to the same work in Rust: the wall time of a call until it returns, without reading the
structure, computing, and making the columns, which the engine times within the same call (`inside`). Of the first four residues and of the
whole structure; as bytes in memory, as a path, and as arrays (a `prism.Structure`, and `making` is the time that making one of NumPy's
arrays takes). `columns` is the part of `inside` that makes the columns of the table and drops the structure, `drop` the time that the caller
takes to drop what it got. Medians of the repetitions; of overheads the least, too. Missing packages are left out and named.
"""

import argparse
import csv
import importlib.util
import os
import statistics
import tempfile
import time
from pathlib import Path

# Before anything starts threads.
for variable in ("RAYON_NUM_THREADS", "OMP_NUM_THREADS"):
    os.environ[variable] = "1"


def prism_calls(path):
    import prism_features as prism

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


PARTS = ("overhead", "least", "inside", "columns", "drop")


def overheads(path, repetitions):
    """Of each call, its parts in microseconds. And what making structures of arrays takes."""
    import prism_features as prism
    from prism_features import _api

    class Timed(prism.Engine):
        def _tell(self, batch, *arguments):
            Timed.seconds = batch.seconds
            super()._tell(batch, *arguments)

    # That of `prism.features`, too, and none that was kept before.
    _api.Engine = Timed
    _api._kept.clear()
    engine, calls, found = Timed("cpu"), {}, {}
    content = path.read_bytes()
    with tempfile.TemporaryDirectory() as folder:
        for size, own in (("four residues", first_residues(content)), ("whole", content)):
            file, arrays = Path(folder) / f"{size}.pdb", arrays_of(own)
            file.write_bytes(own)
            inputs = {"bytes": [(size, own)], "path": str(file), "arrays": prism.Structure(**arrays)}
            found[f"{size}, making a Structure"] = made(lambda arrays=arrays: prism.Structure(**arrays), repetitions)
            for kind, one in inputs.items():
                calls[f"{size}, {kind}, all columns"] = lambda one=one: engine.features(one)
                calls[f"{size}, {kind}, surface"] = lambda one=one: engine.features(one, ["sasa"])
                calls[f"{size}, {kind}, tensors"] = lambda one=one: list(engine.tensors(one))
            calls[f"{size}, bytes, prism.features"] = lambda one=inputs["bytes"]: prism.features(one, backend="cpu")
        for name, call in calls.items():
            found[name] = parts_of(call, Timed, repetitions)
    return found


def parts_of(call, timed, repetitions):
    """As `PARTS` says, in microseconds."""
    taken = []
    # The first calls import, and make what later ones reuse.
    for repetition in range(-5, repetitions):
        begin = time.perf_counter()
        result = call()
        returned = time.perf_counter()
        del result
        dropped = time.perf_counter()
        read, compute, rows, _ = timed.seconds
        if repetition >= 0:
            inside = read + compute + rows
            taken.append((returned - begin - inside, inside, rows, dropped - returned))
    overhead, inside, rows, drop = ([1e6 * value for value in values] for values in zip(*taken, strict=True))
    median = statistics.median
    return dict(zip(PARTS, (median(overhead), min(overhead), median(inside), median(rows), median(drop)), strict=True))


def made(call, repetitions):
    """The microseconds that it takes, as the overhead of what it makes."""
    taken = []
    for _ in range(repetitions):
        begin = time.perf_counter()
        call()
        taken.append(1e6 * (time.perf_counter() - begin))
    return {"overhead": statistics.median(taken), "least": min(taken)}


def arrays_of(content):
    """The atoms of a PDB file, as `prism.Structure` takes them: NumPy's arrays."""
    import numpy as np

    lines = [line for line in content.decode().splitlines() if line.startswith("ATOM") and line[16] in " A"]
    return {
        "positions": np.array([[float(line[at : at + 8]) for at in (30, 38, 46)] for line in lines]),
        "atom_names": np.array([line[12:16].strip() for line in lines]),
        "residue_names": np.array([line[17:20].strip() for line in lines]),
        "residue_numbers": np.array([int(line[22:26]) for line in lines]),
        "chain_ids": np.array([line[21] for line in lines]),
        "elements": np.array([line[76:78].strip() for line in lines]),
    }


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
    import prism_features as prism

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
        print(f"{'':40}" + "".join(f"{part:>10}" for part in PARTS))
        for name, parts in overheads(path, 2 * given.repetitions).items():
            print(f"{name:40}" + "".join(f"{parts[part]:10.1f}" for part in PARTS if part in parts))
            rows += [[given.machine, path.name, f"{name}: {part}", f"{value:.1f}", ""] for part, value in parts.items()]
    if given.csv:
        with given.csv.open("w", newline="") as file:
            writer = csv.writer(file, lineterminator="\n")
            writer.writerow(["machine", "file", "call", "microseconds", "over_prism_surface"])
            writer.writerows(rows)


if __name__ == "__main__":
    main()
