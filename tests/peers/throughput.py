#!/usr/bin/env python3
"""Processor time, and time on the wall, of many files from Python, beside the command's on the same files.

    PYTHONPATH=target/python-site throughput.py target/release/prism FILE [--files 14917] [--rounds 3] [--csv FILE]

FILE gets so many names in a folder of its own. In turn, processes compute all columns of all of them on CPU cores: the command, which
writes an Arrow file; `prism.stream`, whose batches are taken and dropped; and `prism.features`, which gives one table. Times are user and
system time of a process from begin to end, start of the interpreter included, so that they hold on a machine where other work runs, too;
and the time on the wall, which holds on one that does nothing else.
"""

import argparse
import csv
import os
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path

STREAM = "import sys, prism_features as prism; rows = sum(batch.num_rows for batch in prism.stream(sys.argv[1], backend='cpu')); print(rows)"
TABLE = "import sys, prism_features as prism; print(prism.features(sys.argv[1], backend='cpu').num_rows)"


def seconds(command):
    """User and system time of a process, its time on the wall, and what it prints."""
    before = os.times()
    said = subprocess.run(command, check=True, capture_output=True, text=True).stdout
    after = os.times()
    cpu = after.children_user - before.children_user + after.children_system - before.children_system
    return cpu, after.elapsed - before.elapsed, said.strip()


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("prism", help="the command")
    parser.add_argument("file", type=Path)
    parser.add_argument("--files", type=int, default=14_917)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--folder", type=Path, help="where the names go, on the file's file system; otherwise beside the file")
    parser.add_argument("--machine", default="unnamed", help="in the CSV")
    parser.add_argument("--csv", type=Path, help="write the results here, too")
    given = parser.parse_args()
    with tempfile.TemporaryDirectory(dir=given.folder or given.file.parent) as name:
        folder, output = Path(name) / "in", Path(name) / "out.arrow"
        folder.mkdir()
        for index in range(given.files):
            os.link(given.file, folder / f"{index:05}{given.file.suffix}")
        runs = {
            "command, to Arrow": [given.prism, "features", folder, "--backend", "cpu", "-q", "-o", output],
            "prism.stream": [sys.executable, "-c", STREAM, folder],
            "prism.features": [sys.executable, "-c", TABLE, folder],
        }
        found = {run: [] for run in runs}
        for _ in range(given.rounds):
            for run, command in runs.items():
                cpu, wall, said = seconds(command)
                found[run].append((cpu, wall))
                print(f"{run:20} {cpu:8.2f} s, {wall:8.2f} s on the wall {said}", flush=True)
    base, base_wall = (statistics.median(times) for times in zip(*found["command, to Arrow"]))
    lines = []
    for run, pairs in found.items():
        times, walls = zip(*pairs)
        median, wall = statistics.median(times), statistics.median(walls)
        print(f"{run:20} median {median:8.2f} s, {median / base:.3f} of the command's; on the wall {wall:.2f} s, {wall / base_wall:.3f}")
        of_times = [f"{median:.2f}", f"{min(times):.2f}", f"{max(times):.2f}", f"{median / base:.3f}"]
        lines.append([given.machine, given.files, run, *of_times, f"{wall:.2f}", f"{wall / base_wall:.3f}"])
    if given.csv:
        with given.csv.open("w", newline="") as file:
            writer = csv.writer(file, lineterminator="\n")
            writer.writerow(["machine", "files", "run", "cpu_s", "least_s", "most_s", "over_command", "wall_s", "wall_over_command"])
            writer.writerows(lines)


if __name__ == "__main__":
    main()
