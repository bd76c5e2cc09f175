#!/usr/bin/env python3
"""Times calls from Python whose results stay on a GPU, and says what the time is made of.

    PYTHONPATH=target/python-site device_calls.py FILE... [--repetitions 300] [--csv FILE]

Of each file and of its first four residues: `wall`, a whole call of `Engine.tensors(..., device="cuda")` by the clock; `read`, reading the
structure; `compute`, the engine's own run, of which the device reports `upload`, `kernels` and `download` by its events. `python` is what
the call adds: wall without read and compute. `host` is all but kernels. Beside the call, `take` is `from_dlpack` of PyTorch or CuPy, and
`drop` the end of what it has given, the device's wait included.
Inputs are bytes in memory, or a `prism.Structure` (arrays), which is not parsed. Figures are medians, in microseconds.
"""

import argparse
import csv
import statistics
import time
from pathlib import Path

import prism_features as prism
from calls import arrays_of, first_residues

PARTS = ["wall", "python", "read", "compute", "upload", "kernels", "download", "host", "take", "drop"]


class Timed(prism.Engine):
    """Keeps how long reading and computing took."""

    def _tell(self, batch, *arguments):
        self.seconds = batch.seconds
        super()._tell(batch, *arguments)


def taker():
    """What takes a tensor on the device: PyTorch or CuPy."""
    for name in ("torch", "cupy"):
        try:
            return getattr(__import__(name), "from_dlpack")
        except ImportError:
            continue
    raise SystemExit("takes PyTorch or CuPy")


def parts(engine, inputs, take, repetitions, columns):
    """Of each call, the parts in microseconds."""
    found = []
    for repetition in range(repetitions + 20):
        begin = time.perf_counter()
        (tensor,) = engine.tensors(inputs, columns, device="cuda")
        called = time.perf_counter()
        array = take(tensor)
        taken = time.perf_counter()
        del array, tensor
        dropped = time.perf_counter()
        wall = called - begin
        read, compute, _, (upload, kernels, download) = engine.seconds
        if repetition >= 20:
            of_call = wall, wall - read - compute, read, compute, upload, kernels, download, wall - kernels
            found.append((*of_call, taken - called, dropped - taken))
    return [statistics.median(values) * 1e6 for values in zip(*found, strict=True)]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("files", type=Path, nargs="+", help="PDB files, not compressed")
    parser.add_argument("--repetitions", type=int, default=300)
    parser.add_argument("--machine", default="unnamed", help="in the CSV")
    parser.add_argument("--csv", type=Path, help="write the results here, too")
    given = parser.parse_args()
    engine, take, rows = Timed("cuda"), taker(), []
    print(f"{'':58}" + "".join(f"{name:>10}" for name in PARTS))
    for path in given.files:
        content = path.read_bytes()
        few = first_residues(content)
        cases = {
            "four residues, bytes": [("few", few)],
            "four residues, arrays": prism.Structure(**arrays_of(few)),
            "all, bytes": [("all", content)],
            "all, arrays": prism.Structure(**arrays_of(content)),
        }
        for what, inputs in cases.items():
            for asked, columns in (("all columns", None), ("sasa", ["sasa"]), ("wcn", ["wcn"])):
                found = parts(engine, inputs, take, given.repetitions, columns)
                print(f"{path.name + ', ' + what + ', ' + asked:58}" + "".join(f"{value:10.1f}" for value in found))
                rows.append([given.machine, path.name, what, asked, *(f"{value:.1f}" for value in found)])
    if given.csv:
        with given.csv.open("w", newline="") as file:
            writer = csv.writer(file, lineterminator="\n")
            writer.writerow(["machine", "file", "input", "columns", *(f"{name}_us" for name in PARTS)])
            writer.writerows(rows)


if __name__ == "__main__":
    main()
