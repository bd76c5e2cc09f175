#!/usr/bin/env python3
"""Processor time of reading a tar of compressed mmCIF files, beside programs that only decompress its members.

    tar.py target/release/prism CORPUS/*.cif.gz [--members 10000] [--rounds 3] [--folder /dev/shm] [--csv FILE]

The tar has the files in turn, as often as it takes. Times are user and system time of whole processes, each on one core, so that they
hold on a machine where other work runs, too; programs take turns. `prism check` reads every structure and computes nothing.
"""

import argparse
import csv
import os
import statistics
import subprocess
import tarfile
import tempfile
from pathlib import Path


def seconds(command):
    """User and system time of a process."""
    before = os.times()
    subprocess.run(command, check=False, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    after = os.times()
    return after.children_user - before.children_user + after.children_system - before.children_system


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("prism", help="the command")
    parser.add_argument("files", nargs="+", type=Path, help="compressed mmCIF files")
    parser.add_argument("--members", type=int, default=10_000)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--folder", type=Path, default="/dev/shm", help="where the tar and its members are put")
    parser.add_argument("--machine", default="unnamed", help="in the CSV")
    parser.add_argument("--csv", type=Path, help="write the results here, too")
    given = parser.parse_args()
    with tempfile.TemporaryDirectory(dir=given.folder) as name:
        folder = Path(name)
        shard, members = folder / "shard.tar", []
        with tarfile.open(shard, "w") as archive:
            for index in range(given.members):
                file = given.files[index % len(given.files)]
                archive.add(file, f"{index:05}-{file.name}")
        # Programs that decompress get each file as often, by its name.
        members = [os.fspath(given.files[index % len(given.files)]) for index in range(given.members)]
        one = ["taskset", "-c", "0"]
        features = [*one, given.prism, "features", shard, "--backend", "cpu", "--threads", "1", "-q", "-o", folder / "out.parquet"]
        runs = {
            "prism check": [*one, given.prism, "check", shard],
            "prism features --columns resnum": [*features, "--columns", "resnum"],
            "prism features --columns sasa": [*features, "--columns", "sasa"],
            "gzip -dc": [*one, "gzip", "-dc", *members],
            "libdeflate-gunzip -c": [*one, "libdeflate-gunzip", "-c", *members],
        }
        found = {run: [] for run in runs}
        for _ in range(given.rounds):
            for run, command in runs.items():
                taken = seconds(command)
                found[run].append(taken)
                print(f"{run:34} {taken:8.2f} s", flush=True)
        size = shard.stat().st_size
    lines = []
    for run, times in found.items():
        median = statistics.median(times)
        print(f"{run:34} median {median:8.2f} s, {given.members / median:6.0f} files a second")
        lines.append([given.machine, given.members, size, run, f"{median:.2f}", f"{min(times):.2f}", f"{max(times):.2f}", f"{given.members / median:.0f}"])
    if given.csv:
        with given.csv.open("w", newline="") as file:
            writer = csv.writer(file, lineterminator="\n")
            writer.writerow(["machine", "members", "tar_bytes", "run", "cpu_s", "least_s", "most_s", "files_per_s"])
            writer.writerows(lines)


if __name__ == "__main__":
    main()
