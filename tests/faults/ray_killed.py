#!/usr/bin/env python3
"""Kills a worker of Ray in the middle of a run, and compares the rows with those of one process.

    PYTHONPATH=target/python-site ray_killed.py [--files 20000] [--workers 2] [--csv FILE]

Files are crambin with atoms moved at random. Workers are processes on this machine, of one thread each. Once a third of the files is
computed, one of them is killed (SIGKILL) wherever it is. Ray's rows, written to Parquet, must be those of one process: each row
once, with the same bits. Prints the memory of each worker: the most that was resident, and of that the most that is its own
(the rest is Ray's store of objects, which all share, and libraries).
"""

import argparse
import csv
import gzip
import json
import os
import random
import resource
import signal
import sys
import tempfile
import threading
import time
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq

import prism_features as prism

ROOT = Path(__file__).resolve().parents[2]


class Watched(prism.RayFeatures):
    """Notes after each batch how many files the worker has computed, and its memory."""

    def __init__(self, notes):
        super().__init__(backend="cpu", name_by="name")
        self._note, self._files, self._own = Path(notes) / str(os.getpid()), 0, 0

    def __call__(self, batch):
        rows = super().__call__(batch)
        self._files += batch.num_rows
        status = dict(line.split(":", 1) for line in Path("/proc/self/status").read_text().splitlines())
        self._own = max(self._own, int(status["RssAnon"].split()[0]))
        note = {"files": self._files, "peak": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss, "own": self._own}
        whole = self._note.with_suffix(".new")
        whole.write_text(json.dumps(note))
        whole.rename(self._note)
        return rows


def notes_of(folder):
    """By process."""
    return {int(path.name): json.loads(path.read_text()) for path in folder.iterdir() if not path.suffix}


def write_files(folder, count, places=8):
    """Crambin, each time with other positions: of each atom one of some places."""
    lines = gzip.decompress((ROOT / "tests" / "data" / "1crn.pdb.gz").read_bytes()).decode().splitlines()
    shift = random.Random(7).uniform

    def moved(line):
        x, y, z = (float(line[at : at + 8]) + shift(-0.1, 0.1) for at in (30, 38, 46))
        return f"{line[:30]}{x:8.3f}{y:8.3f}{z:8.3f}{line[54:]}\n"

    atoms = [[moved(line) for _ in range(places)] for line in lines if line.startswith("ATOM")]
    folder.mkdir()
    for index in range(count):
        chosen = random.Random(index).choices(range(places), k=len(atoms))
        text = "".join([atom[place] for atom, place in zip(atoms, chosen, strict=True)])
        (folder / f"{index:05}.pdb").write_text(text)


class Killer(threading.Thread):
    """Kills a worker once so many files are computed."""

    def __init__(self, notes, after):
        super().__init__(daemon=True)
        self._notes, self._after, self.killed, self.ended = notes, after, None, threading.Event()

    def run(self):
        while not self.ended.wait(0.01):
            notes = notes_of(self._notes)
            if sum(note["files"] for note in notes.values()) >= self._after:
                self.killed = max(notes, key=lambda process: notes[process]["files"])
                os.kill(self.killed, signal.SIGKILL)
                return


def by_ray(folder, output, notes, given):
    """Answers which process was killed, and the seconds."""
    import ray

    # Otherwise workers give way to all else that runs.
    os.environ["RAY_worker_niceness"] = "0"
    path = os.pathsep.join([str(Path(prism.__file__).parents[1]), str(Path(__file__).parent)])
    variables = {"PYTHONPATH": path, "RAY_DATA_DISABLE_PROGRESS_BARS": "1", "RAYON_NUM_THREADS": "1"}
    ray.init(
        # Beside workers, tasks that read and write.
        num_cpus=given.workers + 2, include_dashboard=False, log_to_driver=False, runtime_env={"env_vars": variables},
        configure_logging=False, object_store_memory=1 << 30,
    )
    killer = Killer(notes, given.files // 3)
    try:
        ray.data.DataContext.get_current().enable_progress_bars = False
        killer.start()
        begin = time.monotonic()
        blocks = max(given.files // given.batch, given.workers)
        files = ray.data.read_binary_files(str(folder), include_paths=True, override_num_blocks=blocks)
        rows = files.map_batches(
            # By its module's name: a worker makes it of the class of this script, which it imports.
            sys.modules["ray_killed"].Watched,
            fn_constructor_args=(str(notes),),
            batch_format="pyarrow",
            batch_size=given.batch,
            concurrency=given.workers,
            num_cpus=1,
        )
        rows.write_parquet(str(output))
        return killer.killed, time.monotonic() - begin
    finally:
        killer.ended.set()
        ray.shutdown()


def sorted_rows(table):
    """Rows by structure, numbers by their bits."""
    table = table.replace_schema_metadata(None).sort_by([("structure", "ascending"), ("row", "ascending")])
    columns = {}
    for name in table.column_names:
        column = table[name].combine_chunks()
        columns[name] = column.view(pa.int32()) if column.type == pa.float32() else column
    return pa.table(columns)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--files", type=int, default=20_000)
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--batch", type=int, default=64, help="files of a batch")
    parser.add_argument("--folder", type=Path, help="where the files go, for a while; otherwise the system's temporary folder")
    parser.add_argument("--machine", default="unnamed", help="in the CSV")
    parser.add_argument("--csv", type=Path, help="write the results here, too")
    given = parser.parse_args()
    with tempfile.TemporaryDirectory(dir=given.folder) as name:
        folder, output, notes = (Path(name) / part for part in ("files", "rows", "notes"))
        notes.mkdir()
        write_files(folder, given.files)
        killed, seconds = by_ray(folder, output, notes, given)
        if killed is None:
            raise SystemExit("no worker was killed: the run was over before")
        found = sorted_rows(pq.read_table(output))
        begin = time.monotonic()
        expected = sorted_rows(prism.features(str(folder), backend="cpu"))
        alone = time.monotonic() - begin
        noted = notes_of(notes)
    same = found.equals(expected)
    print(f"{given.files} files, {expected.num_rows} rows of {expected.num_columns} columns: {seconds:.0f} s by {given.workers} workers,")
    print(f"{alone:.0f} s by one process. Ray's rows: {found.num_rows}, {'the same' if same else 'NOT THE SAME'}.")
    lines = []
    for process, note in noted.items():
        fate = "killed" if process == killed else "ended"
        print(f"worker {process}, {fate}: {note['files']} files, {note['peak'] >> 10} MiB at most, {note['own'] >> 10} MiB its own")
        lines.append([given.machine, given.files, expected.num_rows, fate, note["files"], note["peak"] >> 10, note["own"] >> 10, same])
    if given.csv:
        with given.csv.open("w", newline="") as file:
            writer = csv.writer(file, lineterminator="\n")
            writer.writerow(["machine", "files", "rows", "worker", "files_computed", "peak_mib", "own_mib", "rows_are_those_of_one_process"])
            writer.writerows(lines)
    return 0 if same else 1


if __name__ == "__main__":
    # Under its own name, so that workers find the class.
    import ray_killed

    sys.exit(ray_killed.main())
