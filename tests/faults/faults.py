#!/usr/bin/env python3
"""Ends runs of `prism` at random moments and by various limits, many times, and checks what they leave behind.

    python3 tests/faults/faults.py target/release/prism [--trials N] [--seed S]

An output must be complete, or as it was before the run, and nothing else may lie beside it. Prints how runs ended, by fault and by
what they left, and fails if anything was lost, half written, or left behind. Every fault is tried N times for each kind of output.
"""

import argparse
import collections
import os
import pathlib
import random
import resource
import shutil
import signal
import subprocess
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parents[2]
OUTPUTS = ["csv", "parquet", "npz", "jsonl", "set.arrow"]
SIGNALS = {
    "SIGKILL": [signal.SIGKILL],
    "SIGINT": [signal.SIGINT],
    "SIGINT twice": [signal.SIGINT, signal.SIGINT],
    "SIGTERM": [signal.SIGTERM],
    "SIGHUP": [signal.SIGHUP],
}
#: Limits: how each is set, and the range from which it is drawn.
LIMITS = {
    "file size": (resource.RLIMIT_FSIZE, (0, 400_000)),
    "memory": (resource.RLIMIT_AS, (40_000_000, 400_000_000)),
    "open files": (resource.RLIMIT_NOFILE, (3, 24)),
    "processor time": (resource.RLIMIT_CPU, (0, 1)),
}


class Trials:
    def __init__(self, prism, folder, rng):
        self.prism, self.folder, self.rng = prism, folder, rng
        self.ends = collections.Counter()
        self.losses = []
        self.whole, self.seconds = {}, {}

    def command(self, kind, output):
        if kind == "set.arrow":
            return [self.prism, "pack", "-q", "in", "-o", output]
        return [self.prism, "features", "-q", "--backend", "cpu", "--columns", "sasa,depth", "in", "-o", output]

    def reference(self):
        for kind in OUTPUTS:
            begin = time.monotonic()
            # Under the same name, because tables contain the command that made them.
            output = self.folder / f"out.{kind}"
            subprocess.run(self.command(kind, output.name), cwd=self.folder, check=True)
            self.seconds[kind] = time.monotonic() - begin
            self.whole[kind] = output.read_bytes()
            output.unlink()

    def trial(self, fault, kind, start, end):
        """A run that `start` begins and `end` ends."""
        output = self.folder / f"out.{kind}"
        before = b"before" if self.rng.random() < 0.5 else None
        if before is not None:
            output.write_bytes(before)
        process = start(self.command(kind, output.name))
        end(process, self.seconds[kind])
        try:
            stderr = process.communicate(timeout=60)[1].decode(errors="replace")
        except subprocess.TimeoutExpired:
            process.kill()
            stderr = process.communicate()[1].decode(errors="replace")
            self.losses.append(f"{fault}, {kind}: hangs")
        if not output.exists():
            state = "nothing" if before is None else "LOST"
        elif before is not None and output.read_bytes() == before:
            state = "as before"
        elif output.read_bytes() == self.whole[kind]:
            state = "whole"
        else:
            state = "HALF"
        beside = [name for name in os.listdir(self.folder) if name.startswith((".prism", ".tmp")) or name.endswith(".part")]
        if beside:
            state += ", LEFT BEHIND"
        status = process.returncode
        # It was ended by a signal that nobody sent, or by a panic.
        sent = {-number for numbers in SIGNALS.values() for number in numbers}
        if (status < 0 and status not in sent and fault != "processor time") or status == 101 or "panicked" in stderr:
            state += f", STATUS {status}"
        if any(word.isupper() and len(word) > 3 for word in state.replace(",", " ").split()):
            self.losses.append(f"{fault}, {kind}: {state}; said: {stderr[-300:]}")
        self.ends[fault, state] += 1
        for name in [output.name, *beside]:
            (self.folder / name).unlink(missing_ok=True)

    def start(self, limit=None):
        def start(command):
            def prepare():
                if limit:
                    which, value = limit
                    resource.setrlimit(which, (value, resource.getrlimit(which)[1]))
            return subprocess.Popen(command, cwd=self.folder, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                                    stderr=subprocess.PIPE, preexec_fn=prepare, env={**os.environ, "RUST_BACKTRACE": "0"})
        return start

    def signals(self, numbers):
        def end(process, seconds):
            time.sleep(self.rng.random() * seconds * 1.05)
            for number in numbers:
                process.send_signal(number)
                time.sleep(self.rng.choice([0, 0.001, 0.05]))
        return end


def small_disk(folder):
    """A separate small file system, or nothing if it cannot be made."""
    disk = folder / "disk"
    disk.mkdir()
    mounted = subprocess.run(["mount", "-t", "tmpfs", "-o", "size=256k", "tmpfs", disk], capture_output=True)
    return disk if mounted.returncode == 0 else None


def main():
    arguments = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    arguments.add_argument("prism", type=pathlib.Path)
    arguments.add_argument("--trials", type=int, default=20)
    arguments.add_argument("--seed", type=int, default=1)
    given = arguments.parse_args()
    rng = random.Random(given.seed)
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        (folder / "in").mkdir()
        for copy in range(120):
            shutil.copy(ROOT / "data/6m0j_rbd.pdb", folder / "in" / f"{copy:03}.pdb")
        trials = Trials(given.prism.resolve(), folder, rng)
        trials.reference()
        for _ in range(given.trials):
            for kind in OUTPUTS:
                for fault, numbers in SIGNALS.items():
                    trials.trial(fault, kind, trials.start(), trials.signals(numbers))
                for fault, (which, (least, most)) in LIMITS.items():
                    limit = (which, rng.randint(least, most))
                    trials.trial(fault, kind, trials.start(limit), lambda *_: None)
        disk = small_disk(folder)
        if disk is None:
            print("skipped: no file system can be mounted here to be full")
        else:
            try:
                full = Trials(given.prism.resolve(), disk, rng)
                full.whole, full.seconds, full.ends = trials.whole, trials.seconds, trials.ends
                full.losses = trials.losses
                (disk / "in").symlink_to(folder / "in")
                for _ in range(given.trials):
                    for kind in OUTPUTS:
                        (disk / "filler").write_bytes(b"x" * rng.randint(150_000, 240_000))
                        full.trial("full disk", kind, full.start(), lambda *_: None)
            finally:
                subprocess.run(["umount", disk], check=False)
    for (fault, state), count in sorted(trials.ends.items()):
        print(f"{fault:15} {state:30} {count:6}")
    print(f"{sum(trials.ends.values())} runs, {len(trials.losses)} that lost or left something")
    for loss in trials.losses[:20]:
        print(loss)
    return 1 if trials.losses else 0


if __name__ == "__main__":
    sys.exit(main())
