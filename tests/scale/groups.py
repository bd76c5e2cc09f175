#!/usr/bin/env python3
"""Times groups of columns of mixed files on CPU cores and on a CUDA device, and compares the bytes of both.

    groups.py tests/data --prism target/release/prism [--copies 100] [--rounds 3] [--backends cpu,cuda] [--groups NAME,...] [--csv FILE]

The files are copies of the entries in tests/data: proteins, DNA and RNA, a protein with DNA, glycans, haem, ions and inhibitors. They lie in
memory (/dev/shm), and so do the tables, which are CSV. Each setting runs once to warm up, then once in each round; settings alternate.
A line of the CSV is a group on a backend: the median of seconds of whole processes and of their cores, the median of the device's
seconds for kernels and copies, added up over its streams, and whether its table has the bytes of the first backend's. Tables that
differ end the program with status 1. It needs only Python.
"""

import argparse
import csv
import filecmp
import json
import os
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

ENTRIES = [
    "1a8o.cif.gz", "1aki.cif.gz", "1bna.pdb.gz", "1crn.pdb.gz", "1ehz_cut.pdb.gz", "1fbl_cut.cif.gz", "1igy_cut.cif.gz", "1jcd.pdb.gz",
    "1jjp_cut.pdb.gz", "1kx2_cut.pdb.gz", "1lcd_cut.pdb.gz", "1ubq.pdb.gz", "4zhl.cif.gz",
]  # fmt: skip


def features(*columns, options=()):
    return ["features", *(["--columns", ",".join(columns)] if columns else []), *options]


GROUPS = {
    "positions": features("b_factor", "ca_x", "ca_y", "ca_z"),
    "areas": features("sasa", "sasa_apolar", "rsa"),
    "depth, protrusion, contacts of atoms": features("depth", "cx", "atomic_contacts"),
    "pairs and contact graph": features("contact_number", "wcn", "hse_up", "hse_down", "clustering", "hydropathy_local", "charge_local"),
    "centrality": features("centrality"),
    "backbone and secondary structure": features("phi", "psi", "omega", "chi1", "hbond_energy_nh", "ss"),
    "torsions and puckers of nucleotides": features(
        "alpha", "beta", "gamma", "delta", "epsilon", "zeta", "chi", "pucker_phase", "pucker_amplitude", "pucker"
    ),
    "sites": features("site_score", "site_id"),
    "all columns of amino acids and nucleotides": features(options=["--polymers", "all"]),
    "the same with rows of ligands": features(options=["--polymers", "all", "--het", "rows"]),
    "base pairs and stacks": ["edges", "--kinds", "base_pair,base_stack"],
    "interfaces of chains": ["interface"],
    "atoms with areas and depths": ["atoms", "--het", "cover"],
    "ligands with areas and sites": ["ligands"],
}  # fmt: skip
# Computed on CPU cores whatever the backend is.
CORES_ALONE = {
    "contacts with residues' names": ["edges", "--kinds", "ca,atom"],
    "interactions with chemistry": ["edges", "--kinds", "hbond,salt_bridge,pi_stack,t_stack,cation_pi,hydrophobic,metal,water_bridge,halogen"],
}
COLUMNS = ["group", "backend", "files", "wall_s", "cores_s", "kernels_s", "upload_s", "download_s", "same_bytes"]


def timings(text):
    """The device's seconds in what `--timings=json` prints; none without a device."""
    begin, end = text.find("{"), text.rfind("}")
    workers = json.loads(text[begin : end + 1])["workers"] if 0 <= begin < end else []
    devices = [worker["device"] for worker in workers if worker["device"]]
    return [sum(one[name] for one in devices) if devices else None for name in ("kernels_s", "upload_s", "download_s")]


class Setting:
    def __init__(self, prism, group, words, backend, source, scratch):
        self.group, self.backend = group, backend
        self.out = scratch / f"{len(list(scratch.glob('*.csv')))}-{group[:6].replace(' ', '_')}-{backend}.csv"
        self.out.touch()
        self.command = [prism, *words, source, "-q", "-o", self.out]
        if group not in CORES_ALONE:
            self.command += ["--backend", backend]
        # Tables that single files fill have no stages.
        self.is_timed = words[0] == "features"
        if self.is_timed:
            self.command.append("--timings=json")
        self.seconds = []

    def once(self, keep):
        begin, before = time.perf_counter(), os.times()
        done = subprocess.run(self.command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True, check=False)
        wall, after = time.perf_counter() - begin, os.times()
        if done.returncode != 0:
            raise SystemExit(f"{' '.join(map(str, self.command))}: status {done.returncode}\n{done.stderr}")
        cores = after.children_user + after.children_system - before.children_user - before.children_system
        if keep:
            self.seconds.append([wall, cores, *(timings(done.stderr) if self.is_timed else [None] * 3)])

    def medians(self):
        columns = list(zip(*self.seconds))
        return [f"{statistics.median(column):.4f}" if None not in column else "" for column in columns]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("data", type=Path)
    parser.add_argument("--prism", type=Path, default=Path("target/release/prism"))
    parser.add_argument("--copies", type=int, default=100)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--backends", default="cpu,cuda")
    parser.add_argument("--groups", help="names of groups, divided by semicolons [default: all]")
    parser.add_argument("--csv", type=Path)
    args = parser.parse_args()
    known = {**GROUPS, **CORES_ALONE}
    names = [name.strip() for name in args.groups.split(";")] if args.groups else list(known)
    backends = args.backends.split(",")
    memory = Path("/dev/shm")
    with tempfile.TemporaryDirectory(dir=memory if memory.is_dir() else None) as folder:
        scratch, source = Path(folder), Path(folder) / "files"
        source.mkdir()
        for entry in ENTRIES:
            name, _, extension = entry.partition(".")
            for copy in range(args.copies):
                shutil.copy(args.data / entry, source / f"{name}-{copy:04}.{extension}")
        files, lines, differ = len(ENTRIES) * args.copies, [], False
        for group in names:
            of = backends if group in GROUPS else ["cpu"]
            settings = [Setting(args.prism.resolve(), group, known[group], backend, source, scratch) for backend in of]
            for repetition in range(args.rounds + 1):
                for setting in settings:
                    setting.once(keep=repetition > 0)
            for setting in settings:
                same = filecmp.cmp(settings[0].out, setting.out, shallow=False) and setting.out.stat().st_size > 0
                differ |= not same
                lines.append([group, setting.backend, files, *setting.medians(), "yes" if same else "NO"])
                print(",".join(str(value) for value in lines[-1]), flush=True)
            for setting in settings:
                setting.out.unlink()
    if args.csv:
        with args.csv.open("w", newline="") as out:
            csv.writer(out, lineterminator="\n").writerows([COLUMNS, *lines])
    sys.exit("tables differ between backends" if differ else 0)


if __name__ == "__main__":
    main()
