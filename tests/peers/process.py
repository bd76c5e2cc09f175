#!/usr/bin/env python3
"""Measures the wall-clock time of `prism` as a process: one structure and many, on CPU cores, CUDA and both, with the driver's
cache unchanged, empty, and off.

    process.py bin/prism data/6m0j_rbd.pdb --csv process.csv

It needs only Python. Copies of the structure go to a folder in memory (/dev/shm). Settings alternate in every repetition, after one
warm-up run of each. A line of the CSV is one setting: medians, ratios to the better of cpu and cuda, and which backend computed in
the last run. Within `--budget` seconds it measures as much as it can, the most important settings first, and names the rest.
"""

import argparse
import csv
import os
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

COUNTS = [1, 10, 100, 500, 1000, 5000, 14917]
BACKENDS = ["cpu", "cuda", "auto"]
FLOOR = r"""
import ctypes, os, sys, time
begin = time.perf_counter()
cuda = ctypes.CDLL("libcuda.so.1")
context, device = ctypes.c_void_p(), ctypes.c_int()
steps = [("load", 0)]
def step(name, code):
    global begin
    now = time.perf_counter()
    steps.append((name, now - begin)); begin = now
    if code: sys.exit(f"{name}: {code}")
step("library", 0)
step("cuInit", cuda.cuInit(0))
cuda.cuDeviceGet(ctypes.byref(device), 0)
step("context", cuda.cuDevicePrimaryCtxRetain(ctypes.byref(context), device))
print(" ".join(f"{name}={seconds:.4f}" for name, seconds in steps[1:]), flush=True)
os._exit(0)
"""


def run(command, environment):
    """Wall-clock seconds, seconds of all cores, and the last line on standard error."""
    begin, before = time.perf_counter(), os.times()
    done = subprocess.run(command, env=environment, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
    wall, after = time.perf_counter() - begin, os.times()
    if done.returncode != 0:
        raise SystemExit(f"{' '.join(map(str, command))}: status {done.returncode}\n{done.stderr}")
    cores = after.children_user + after.children_system - before.children_user - before.children_system
    lines = [line for line in done.stderr.splitlines() if line.strip()]
    return wall, cores, (lines[-1] if lines else "")


class Setting:
    def __init__(self, prism, source, count, backend, output, cache, scratch):
        self.count, self.backend, self.output, self.cache = count, backend, output, cache
        target = scratch / f"out.{output}"
        self.command = [prism, "features", source, "-o", target, "--backend", backend]
        self.scratch, self.walls, self.cores, self.said = scratch, [], [], ""

    def name(self):
        return f"{self.count} {self.backend} {self.output} {self.cache}"

    def once(self, keep):
        environment = dict(os.environ)
        fresh = None
        if self.cache == "empty":
            fresh = tempfile.mkdtemp(dir=self.scratch)
            environment["CUDA_CACHE_PATH"] = fresh
        elif self.cache == "off":
            environment["CUDA_CACHE_DISABLE"] = "1"
        wall, cores, self.said = run(self.command, environment)
        if fresh:
            shutil.rmtree(fresh, ignore_errors=True)
        if keep:
            self.walls.append(wall)
            self.cores.append(cores)


def measure(settings, repetitions, deadline):
    """Whether everything was measured before the deadline, with at least three repetitions."""
    for setting in settings:
        setting.once(keep=False)
    for repetition in range(repetitions):
        if time.monotonic() > deadline and repetition >= 3:
            return False
        # The order rotates, so that none is always first.
        shift = repetition % len(settings)
        for setting in settings[shift:] + settings[:shift]:
            setting.once(keep=True)
    return True


def files(structure, folder, count):
    folder.mkdir(parents=True, exist_ok=True)
    text = structure.read_bytes()
    for index in range(count):
        path = folder / f"{index:05}.pdb"
        if not path.exists():
            path.write_bytes(text)
    return folder


def machine():
    try:
        query = ["nvidia-smi", "--query-gpu=name,driver_version", "--format=csv,noheader"]
        gpu = subprocess.run(query, capture_output=True, text=True, check=True).stdout.splitlines()[0]
    except (OSError, subprocess.CalledProcessError, IndexError):
        gpu = "no GPU"
    return f"{gpu}, {len(os.sched_getaffinity(0))} cores"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("prism", type=Path)
    parser.add_argument("structure", type=Path)
    parser.add_argument("--csv", type=Path, default=Path("process.csv"))
    parser.add_argument("--folder", type=Path, default=Path("/dev/shm"))
    parser.add_argument("--repetitions", type=int, default=7)
    parser.add_argument("--budget", type=float, default=540, help="seconds, after which nothing new is begun")
    parser.add_argument("--counts", type=lambda text: [int(one) for one in text.split(",")], default=COUNTS)
    parser.add_argument("--backends", type=lambda text: text.split(","), default=BACKENDS)
    options = parser.parse_args()
    prism, structure = options.prism.resolve(), options.structure.resolve()
    deadline = time.monotonic() + options.budget
    scratch = Path(tempfile.mkdtemp(prefix="prism-process-", dir=options.folder))
    results, left_out = [], []
    here = machine()
    print(here, flush=True)
    try:
        if "cuda" in options.backends:
            for _ in range(3):
                begin = time.perf_counter()
                floor = subprocess.run([sys.executable, "-c", FLOOR], capture_output=True, text=True)
                told = floor.stdout.strip() or floor.stderr.strip()
                print(f"floor (with Python's own start): {time.perf_counter() - begin:.3f} s, {told}", flush=True)

        def settings(count, output, caches, packed=False):
            folder = files(structure, scratch / f"copies-{count}", count) if count > 1 else structure
            if packed:
                data = scratch / f"copies-{count}.arrow"
                if not data.exists():
                    run([prism, "pack", folder, "-o", data], dict(os.environ))
                folder = data
            made = []
            for backend in options.backends:
                for cache in caches if backend != "cpu" else caches[:1]:
                    name = "packed" if packed else "files"
                    one = Setting(prism, folder, count, backend, output, cache, scratch)
                    one.source = name
                    made.append(one)
            return made

        most = max(options.counts)
        plan = [("one structure", settings(1, "csv", ["warm", "empty", "off"]))] if 1 in options.counts else []
        later = [count for count in options.counts if count != 1]
        for count in sorted(later, key=lambda count: (count != most, count)):
            plan.append((f"{count} files", lambda count=count: settings(count, "parquet", ["warm"])))
        plan.append((f"{most} packed", lambda: settings(most, "parquet", ["warm"], packed=True)))
        if 1 in options.counts:
            plan.append(("1 file to Parquet", lambda: settings(1, "parquet", ["warm"])))
        if len(options.counts) > 1:
            plan.append((f"{most} files, cache empty", lambda: settings(most, "parquet", ["empty"])))
        for name, group in plan:
            if time.monotonic() > deadline:
                left_out.append(name)
                continue
            group = group() if callable(group) else group
            if not measure(group, options.repetitions, deadline):
                left_out.append(f"{name}: fewer repetitions")
            medians = {one.backend: statistics.median(one.walls) for one in group if one.cache == group[0].cache}
            better = min((medians[one] for one in ("cpu", "cuda") if one in medians), default=None)
            for one in group:
                median = statistics.median(one.walls)
                row = {
                    "machine": here,
                    "structures": one.count,
                    "source": one.source,
                    "output": one.output,
                    "backend": one.backend,
                    "driver_cache": one.cache,
                    "over_better_of_cpu_and_cuda": f"{median / better:.3f}" if better else "",
                    "median_s": f"{median:.4f}",
                    "min_s": f"{min(one.walls):.4f}",
                    "max_s": f"{max(one.walls):.4f}",
                    "cores_s": f"{statistics.median(one.cores):.3f}",
                    "structures_per_s": f"{one.count / median:.0f}",
                    "repetitions": len(one.walls),
                    "said": one.said,
                }
                results.append(row)
                print(f"{one.source:7}{one.name():32} {median:.3f} s  {one.said}", flush=True)
                with options.csv.open("w", newline="") as file:
                    writer = csv.DictWriter(file, fieldnames=list(row))
                    writer.writeheader()
                    writer.writerows(results)
        for count in (1, most):
            # The time of each part of one run.
            source = structure if count == 1 else scratch / f"copies-{count}"
            for backend in options.backends:
                command = [prism, "features", source, "-o", scratch / "told.parquet", "--backend", backend, "--timings"]
                told = subprocess.run(command, capture_output=True, text=True).stderr
                print(f"\n{count} {backend}\n{told}", flush=True)
        print(subprocess.run([prism, "info"], capture_output=True, text=True).stdout[:1500])
        if left_out:
            print("left out for lack of time:", "; ".join(left_out))
    finally:
        shutil.rmtree(scratch, ignore_errors=True)


if __name__ == "__main__":
    main()
