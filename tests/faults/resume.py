#!/usr/bin/env python3
"""Kills runs into a folder at random moments, resumes them, and compares the final files.

    python3 tests/faults/resume.py target/release/prism [--kills N] [--files N] [--part-inputs N] [--seed S]

A run of many files is killed (SIGKILL) at a random moment of its duration, and started again with `--resume`, until N kills have
hit. Each run that finishes must leave the same files, byte for byte, as an undisturbed run. The same is done on a file system that
becomes full at a random point, if one can be mounted.
"""

import argparse
import hashlib
import pathlib
import random
import shutil
import signal
import subprocess
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parents[2]


def contents(folder):
    """The digests of the files below a folder, by name."""
    files = (path for path in folder.rglob("*") if path.is_file())
    return {str(path.relative_to(folder)): hashlib.sha256(path.read_bytes()).hexdigest() for path in files}


class Runs:
    def __init__(self, prism, folder, part_inputs):
        self.folder = folder
        self.command = [prism, "features", "-q", "--backend", "cpu", "--columns", "sasa,wcn", "in", "-o", "out/",
                        "--part-inputs", str(part_inputs), "--resume"]

    def start(self):
        return subprocess.Popen(self.command, cwd=self.folder, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)

    def undisturbed(self):
        begin = time.monotonic()
        if self.start().wait() != 0:
            raise SystemExit("a run that nobody disturbs fails")
        seconds, whole = time.monotonic() - begin, contents(self.folder / "out")
        self.kib = sum(path.stat().st_size for path in (self.folder / "out").rglob("*")) // 1024 + 16
        shutil.rmtree(self.folder / "out")
        return seconds, whole


def kills(runs, rng, wanted, seconds, whole):
    """Returns how many runs were killed, how many finished, and what was wrong."""
    hit, ended, wrong = 0, 0, []
    while hit < wanted:
        process = runs.start()
        try:
            process.wait(timeout=rng.uniform(0.0, 0.5) * seconds)
        except subprocess.TimeoutExpired:
            process.send_signal(signal.SIGKILL)
            process.communicate()
            hit += 1
            continue
        error = process.communicate()[1].decode(errors="replace")
        ended += 1
        if process.returncode != 0:
            wrong.append(f"after {hit} kills: status {process.returncode}: {error[-300:]}")
        elif contents(runs.folder / "out") != whole:
            wrong.append(f"after {hit} kills: other bytes")
        shutil.rmtree(runs.folder / "out", ignore_errors=True)
    return hit, ended, wrong


def full_disks(runs, rng, trials, whole):
    """The folder is on a disk that becomes full. Then space is freed, and the run resumes."""
    disk, wrong, failed = runs.folder / "out", [], 0
    for trial in range(trials):
        disk.mkdir()
        room = rng.randint(16, runs.kib)
        mount = ["mount", "-t", "tmpfs", "-o", f"size={room}k", "tmpfs", disk]
        if subprocess.run(mount, capture_output=True).returncode != 0:
            disk.rmdir()
            return None
        try:
            process = runs.start()
            error = process.communicate()[1].decode(errors="replace")
            failed += process.returncode != 0
            if process.returncode != 0 and "space" not in error.lower():
                wrong.append(f"full disk {trial}: does not say so: {error[-300:]}")
            subprocess.run(["mount", "-o", f"remount,size={16 * runs.kib + 4096}k", disk], check=True)
            process = runs.start()
            error = process.communicate()[1].decode(errors="replace")
            if process.returncode != 0:
                wrong.append(f"full disk {trial}: status {process.returncode}: {error[-300:]}")
            elif contents(disk) != whole:
                wrong.append(f"full disk {trial}: other bytes")
        finally:
            subprocess.run(["umount", disk], check=True)
            disk.rmdir()
    return failed, wrong


def main():
    arguments = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    arguments.add_argument("prism", type=pathlib.Path)
    arguments.add_argument("--kills", type=int, default=50)
    arguments.add_argument("--disks", type=int, default=10)
    arguments.add_argument("--files", type=int, default=2000)
    arguments.add_argument("--part-inputs", type=int, default=100)
    arguments.add_argument("--seed", type=int, default=1)
    given = arguments.parse_args()
    rng = random.Random(given.seed)
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        (folder / "in").mkdir()
        text = (ROOT / "data/6m0j_rbd.pdb").read_bytes()
        for copy in range(given.files):
            (folder / "in" / f"{copy:05}.pdb").write_bytes(text)
        runs = Runs(given.prism.resolve(), folder, given.part_inputs)
        seconds, whole = runs.undisturbed()
        print(f"{given.files} files, {seconds:.1f} s, {len(whole)} files of output")
        hit, ended, wrong = kills(runs, rng, given.kills, seconds, whole)
        print(f"{hit} runs killed, {ended} that came to their end, {len(wrong)} wrong")
        shutil.rmtree(folder / "out", ignore_errors=True)
        disks = full_disks(runs, rng, given.disks, whole)
        if disks is None:
            print("skipped: no file system can be mounted here to be full")
        else:
            failed, more = disks
            print(f"{given.disks} disks, {failed} of them full before the end, {len(more)} wrong")
            wrong += more
    for line in wrong[:20]:
        print(line)
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
