#!/usr/bin/env python3
"""Times other programs that compute solvent-accessible surface beside `prism`, on the same files and cores.

    sasa.py FOLDER --prism target/release/prism [--threads 16] [--peers zsasa-f32,zsasa-bitmask] [--csv FILE]

All count points on spheres (Shrake and Rupley 1973), the same number for each atom, from plain PDB files. Programs that write no
output by themselves write none. `prism` also computes all of its features, and writes the surface as Parquet. Programs alternate in
every repetition, on the same cores, each as a process of its own, and times include its start. Times are medians, and ratios are
within repetitions.

Peers (from the Python package index): `zsasa`, `freesasa`, `rust-sasa-python`. Those that are not installed are left out. Only
`zsasa` processes folders by itself; the other two get one process for each core here. `--zsasa` names its executable, which needs
no Python package.

`--prepare` first rewrites the files, uncompressed and with the atoms that all programs accept: heavy atoms of the 20 standard
residues, in the first model, with the first of alternate locations and of alternate residues. Without it, the folder must hold such files.
"""

import argparse
import csv
import gzip
import importlib.util
import multiprocessing
import os
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from datetime import datetime, timezone
from pathlib import Path

BACKBONE = {"N", "CA", "C", "O", "OXT"}
SIDE_CHAINS = {
    "ALA": "CB",
    "ARG": "CB CG CD NE CZ NH1 NH2",
    "ASN": "CB CG OD1 ND2",
    "ASP": "CB CG OD1 OD2",
    "CYS": "CB SG",
    "GLN": "CB CG CD OE1 NE2",
    "GLU": "CB CG CD OE1 OE2",
    "GLY": "",
    "HIS": "CB CG ND1 CD2 CE1 NE2",
    "ILE": "CB CG1 CG2 CD1",
    "LEU": "CB CG CD1 CD2",
    "LYS": "CB CG CD CE NZ",
    "MET": "CB CG SD CE",
    "PHE": "CB CG CD1 CD2 CE1 CE2 CZ",
    "PRO": "CB CG CD",
    "SER": "CB OG",
    "THR": "CB OG1 CG2",
    "TRP": "CB CG CD1 CD2 NE1 CE2 CE3 CZ2 CZ3 CH2",
    "TYR": "CB CG CD1 CD2 CE1 CE2 CZ OH",
    "VAL": "CB CG1 CG2",
}
HEAVY = {residue: BACKBONE | set(names.split()) for residue, names in SIDE_CHAINS.items()}
ZSASA = {
    "zsasa-f32": ["--precision=f32"],
    "zsasa-f64": ["--precision=f64"],
    "zsasa-bitmask": ["--precision=f32", "--use-bitmask"],
}
LIBRARIES = {"freesasa": "freesasa", "rust-sasa": "rust_sasa_python"}


def with_freesasa(job: tuple[str, int]) -> None:
    import freesasa

    path, points = job
    freesasa.setVerbosity(freesasa.silent)
    options = {"algorithm": freesasa.ShrakeRupley, "n-points": points, "n-threads": 1}
    freesasa.calc(freesasa.Structure(path), freesasa.Parameters(options))


def with_rust_sasa(job: tuple[str, int]) -> None:
    import rust_sasa_python

    path, points = job
    rust_sasa_python.SASACalculator(path).with_n_points(points).calculate_residue()


def one_file_at_a_time(peer: str, folder: str, points: int, threads: int) -> None:
    """Runs a peer that takes single files, when this script calls itself."""
    work = {"freesasa": with_freesasa, "rust-sasa": with_rust_sasa}[peer]
    jobs = [(str(path), points) for path in sorted(Path(folder).iterdir())]
    with multiprocessing.Pool(threads) as pool:
        for _ in pool.imap_unordered(work, jobs, chunksize=8):
            pass


def prepared(path: Path) -> list[str]:
    """The atom records that all programs can read."""
    text = (gzip.open(path, "rt") if path.suffix == ".gz" else path.open()).read()
    kept, seen, names = [], set(), {}
    for line in text.splitlines():
        if line.startswith("ENDMDL"):
            break
        if not line.startswith("ATOM") or line[17:20] not in HEAVY or len(line) < 54:
            continue
        name, residue = line[12:16].strip(), line[21:27]
        atom = (residue, name)
        if name in HEAVY[line[17:20]] and atom not in seen and names.setdefault(residue, line[17:20]) == line[17:20]:
            seen.add(atom)
            serial = len(kept) % 99_999 + 1
            kept.append(f"ATOM  {serial:5}{line[11:16]} {line[17:54]}  1.00  0.00          {name[0]:>2}  ")
    return kept


def prepare(folder: Path, to: Path, copies: int) -> None:
    for path in sorted(folder.iterdir()):
        if not path.name.endswith((".pdb", ".ent", ".pdb.gz", ".ent.gz")):
            continue
        lines = prepared(path)
        if lines:
            text = "\n".join([*lines, "END", ""])
            for copy in range(copies):
                (to / f"{path.name.split('.')[0]}-{copy}.pdb").write_text(text)


class Contestant:
    def __init__(self, name: str, command: list[str], environment: dict[str, str]):
        self.name, self.command, self.environment = name, command, environment
        self.wall: list[float] = []
        self.cpu: list[float] = []

    def run(self, cores: set[int], counts: bool) -> None:
        begin = time.perf_counter()
        # Its threads and processes inherit its cores.
        process = subprocess.Popen(
            self.command,
            env={**os.environ, **self.environment},
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
            preexec_fn=lambda: os.sched_setaffinity(0, cores),
        )
        said = process.stderr.read()
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
        wall = time.perf_counter() - begin
        if process.returncode != 0:
            sys.exit(f"{self.name}: {' '.join(self.command)} gave {process.returncode}:\n{said.decode()[-2000:]}")
        if counts:
            self.wall.append(wall)
            self.cpu.append(usage.ru_utime + usage.ru_stime)


def zsasa_executable(named: str | None) -> str | None:
    if named:
        return named
    spec = importlib.util.find_spec("zsasa")
    inside = Path(spec.origin).parent / "zsasa" if spec and spec.origin else None
    return str(inside) if inside and inside.is_file() else shutil.which("zsasa")


def contestants(arguments: argparse.Namespace, folder: Path, scratch: Path) -> list[Contestant]:
    threads, points = str(arguments.threads), str(arguments.points)
    one_thread = {name: "1" for name in ("RAYON_NUM_THREADS", "OMP_NUM_THREADS")}
    wanted = arguments.peers.split(",") if arguments.peers else [*ZSASA, *LIBRARIES]
    chosen = []
    if arguments.prism:
        output = str(scratch / "surface.parquet")
        command = [arguments.prism, "features", str(folder), "--backend", arguments.backend, "--points", points]
        command += ["--columns", "sasa,rsa,sasa_apolar", "-o", output]
        chosen.append(Contestant(f"prism, {arguments.backend}", command, {"RAYON_NUM_THREADS": threads}))
    for peer in wanted:
        if peer in ZSASA:
            program = zsasa_executable(arguments.zsasa)
            command = [program, "batch", str(folder), f"--threads={threads}", f"--n-points={points}", "-q"]
            command += ["--classifier=protor", *ZSASA[peer]]
            found = program is not None
        elif peer in LIBRARIES:
            itself = [sys.executable, __file__, str(folder), "--one-file-at-a-time", peer]
            command = [*itself, "--threads", threads, "--points", points]
            found = importlib.util.find_spec(LIBRARIES[peer]) is not None
        else:
            sys.exit(f"no peer is called {peer}; there are {', '.join([*ZSASA, *LIBRARIES])}")
        if found:
            chosen.append(Contestant(peer, command, one_thread if peer in LIBRARIES else {}))
        else:
            print(f"left out: {peer} is not installed")
    return chosen


def report(arguments: argparse.Namespace, all_of: list[Contestant], folder: Path) -> None:
    files = list(folder.iterdir())
    structures, size = len(files), sum(path.stat().st_size for path in files)
    first = all_of[0]

    def over_first(one: Contestant, times: str) -> float:
        pairs = zip(getattr(one, times), getattr(first, times))
        return statistics.median(mine / base for mine, base in pairs)

    date = datetime.now(timezone.utc).strftime("%Y-%m-%d")
    print(f"\n{structures} structures, {size / 1e6:.1f} MB, {arguments.points} points, {arguments.threads} threads")
    print(f"{'program':16} {'over first':>10} {'cpu over':>9} {'median s':>9} {'min s':>9} {'cpu s':>9} {'struct./s':>10}")
    rows = []
    for one in all_of:
        wall, cpu = statistics.median(one.wall), statistics.median(one.cpu)
        ratios = [over_first(one, "wall"), over_first(one, "cpu")]
        speed = structures / wall
        print(
            f"{one.name:16} {ratios[0]:10.2f} {ratios[1]:9.2f} {wall:9.3f} {min(one.wall):9.3f} {cpu:9.3f} {speed:10.1f}"
        )
        numbers = [f"{ratio:.3f}" for ratio in ratios] + [f"{x:.4f}" for x in (wall, min(one.wall), cpu)]
        identity = [date, arguments.machine, one.name]
        sizes = [structures, size, arguments.points, arguments.threads, len(one.wall)]
        rows.append([*identity, *numbers, f"{speed:.1f}", *sizes])
    if arguments.csv:
        heading = "date machine program over_first cpu_over_first median_s min_s cpu_s structures_per_s structures"
        heading += " text_bytes points threads repetitions"
        with open(arguments.csv, "w", newline="") as file:
            writer = csv.writer(file, lineterminator="\n")
            writer.writerow(heading.split())
            writer.writerows(rows)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path, help="structure files")
    parser.add_argument("--prism", help="the executable; left out if not given")
    parser.add_argument("--backend", default="cpu", help="prism's: cpu (default), cuda or auto")
    parser.add_argument("--zsasa", help="its executable [default: the installed package's]")
    parser.add_argument("--peers", help=f"of {','.join([*ZSASA, *LIBRARIES])} [default: all]")
    parser.add_argument("--threads", type=int, default=len(os.sched_getaffinity(0)), help="[default: all cores]")
    parser.add_argument("--points", type=int, default=100, help="test points an atom [default: 100]")
    parser.add_argument("--repetitions", type=int, default=3, help="after one that warms up [default: 3]")
    parser.add_argument("--prepare", action="store_true", help="write the files anew, as all can take them")
    parser.add_argument("--copies", type=int, default=1, help="of each file that is prepared [default: 1]")
    parser.add_argument("--machine", default=os.uname().nodename, help="in the CSV [default: the host's name]")
    parser.add_argument("--csv", help="write the results here, too")
    parser.add_argument("--one-file-at-a-time", metavar="PEER", help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.one_file_at_a_time:
        peer = arguments.one_file_at_a_time
        one_file_at_a_time(peer, str(arguments.folder), arguments.points, arguments.threads)
        return
    with tempfile.TemporaryDirectory(prefix="sasa-") as made:
        scratch, folder = Path(made), arguments.folder
        if arguments.prepare:
            folder = scratch / "files"
            folder.mkdir()
            prepare(arguments.folder, folder, arguments.copies)
        all_of = contestants(arguments, folder, scratch)
        if not all_of or not any(folder.iterdir()):
            sys.exit("there is nothing to compare")
        cores = set(sorted(os.sched_getaffinity(0))[: arguments.threads])
        for repetition in range(arguments.repetitions + 1):
            for one in all_of:
                one.run(cores, counts=repetition > 0)
        report(arguments, all_of, folder)


if __name__ == "__main__":
    main()
