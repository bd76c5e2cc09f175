#!/usr/bin/env python3
"""Times programs that compute features of residues beside `prism`, one core each, on the same files.

    features.py FOLDER --prism target/release/prism [--fpocket PROGRAM] [--mkdssp PROGRAM] [--rust-sasa PROGRAM] [--csv FILE]

Every program runs as one process for the whole folder if it can, otherwise as one process for each file. Times include the start.
They are core-seconds (user and system), medians of the repetitions, with ratios to `prism` with all columns in the same repetition.
Missing programs are left out and named. Files are rewritten as for `sasa.py`, which has the other surface programs.
"""

import argparse
import csv
import importlib.util
import shutil
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path

from sasa import Contestant, prepare, zsasa_executable

#: The lines that DSSP requires before a PDB file's atoms.
HEADER = "HEADER    PROTEIN                                 01-JAN-00   1ABC              \n" \
    "CRYST1    1.000    1.000    1.000  90.00  90.00  90.00 P 1           1\n"


def biopython(folder):
    """Half-sphere exposure, surface and the cheaper part of depth: the columns of prism that its packages have."""
    from Bio.PDB import HSExposureCA, PDBParser
    from Bio.PDB.SASA import ShrakeRupley

    for path in sorted(Path(folder).iterdir()):
        model = PDBParser(QUIET=True).get_structure(path.stem, path)[0]
        HSExposureCA(model, radius=12.0)
        ShrakeRupley(n_points=100).compute(model, level="R")


def freesasa(folder):
    import freesasa as library

    library.setVerbosity(library.silent)
    options = library.Parameters({"algorithm": library.ShrakeRupley, "n-points": 100, "n-threads": 1})
    for path in sorted(Path(folder).iterdir()):
        library.calc(library.Structure(str(path)), options).residueAreas()


def mdtraj(folder):
    import mdtraj as library

    for path in sorted(Path(folder).iterdir()):
        frames = library.load(str(path))
        library.shrake_rupley(frames, n_sphere_points=100, mode="residue")
        library.compute_dssp(frames, simplified=False)


def prism_in_python(folder):
    import prism_features as prism

    prism.features(folder, backend="cpu")


LIBRARIES = {"prism in Python": ("prism_features", prism_in_python), "biopython": ("Bio", biopython),
             "freesasa": ("freesasa", freesasa), "mdtraj": ("mdtraj", mdtraj)}


def for_each(name, command, folder, scratch):
    """A shell that runs a command for each file in turn, discards its output, and reports failures."""
    failed = f'basename "$file" >>"{scratch}/failed-{name}"'
    loop = f'for file in "{folder}"/*.pdb; do cp "$file" "{scratch}/one.pdb"; {command} >/dev/null 2>&1 || {failed}; done'
    return ["sh", "-c", loop]


def contestants(given, folder, scratch):
    one = {"RAYON_NUM_THREADS": "1", "OMP_NUM_THREADS": "1"}
    prism = [given.prism, "features", str(folder), "-q", "--backend", "cpu", "-j", "1", "-o", str(scratch / "x.parquet")]
    found = [
        Contestant("prism, all columns", prism, {}),
        Contestant("prism, surface", [*prism, "--columns", "sasa"], {}),
        Contestant("prism, backbone", [*prism, "--columns", "ss,phi,psi"], {}),
        Contestant("prism sites", [given.prism, "sites", str(folder), "-q", "--backend", "cpu", "-j", "1",
                                   "-o", str(scratch / "x.csv")], {}),
    ]
    program = zsasa_executable(None)
    if program:
        batch = [program, "batch", str(folder), "--threads=1", "--n-points=100", "-q", "--classifier=protor"]
        found += [Contestant("zsasa", [*batch, "--precision=f32"], {}),
                  Contestant("zsasa, bitmask", [*batch, "--precision=f32", "--use-bitmask"], {})]
    left_out = [] if program else ["zsasa"]
    rust_sasa = given.rust_sasa or shutil.which("rust-sasa")
    if rust_sasa:
        (scratch / "rust-sasa").mkdir()
        options = ["--format=json", "--n-points=100", "--threads=1"]
        command = [rust_sasa, str(folder), str(scratch / "rust-sasa"), *options]
        found.append(Contestant("rust-sasa", command, one))
    else:
        left_out.append("rust-sasa")
    for name, (package, _) in LIBRARIES.items():
        if importlib.util.find_spec(package):
            found.append(Contestant(name, [sys.executable, __file__, str(folder), "--library", name], one))
        else:
            left_out.append(name)
    mkdssp, fpocket = given.mkdssp or shutil.which("mkdssp"), given.fpocket or shutil.which("fpocket")
    if mkdssp:
        command = f'"{mkdssp}" --output-format dssp "{scratch}/one.pdb" "{scratch}/one.dssp"'
        found.append(Contestant("mkdssp", for_each("mkdssp", command, folder, scratch), one))
    if fpocket:
        command = f'"{fpocket}" -f "{scratch}/one.pdb"'
        found.append(Contestant("fpocket", for_each("fpocket", command, folder, scratch), one))
    left_out += [name for name, there in [("mkdssp", mkdssp), ("fpocket", fpocket)] if not there]
    if left_out:
        print("left out, not installed:", ", ".join(left_out))
    return found


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path, help="structure files")
    parser.add_argument("--prism", help="the executable")
    parser.add_argument("--fpocket", help="the executable [default: of the path]")
    parser.add_argument("--mkdssp", help="the executable [default: of the path]")
    parser.add_argument("--rust-sasa", help="the executable, of cargo install rust-sasa --features cli [default: of the path]")
    parser.add_argument("--copies", type=int, default=1, help="of each file [default: 1]")
    parser.add_argument("--repetitions", type=int, default=3)
    parser.add_argument("--machine", default="unnamed", help="in the CSV")
    parser.add_argument("--csv", help="write the results here, too")
    parser.add_argument("--library", help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.library:
        LIBRARIES[given.library][1](given.folder)
        return
    with tempfile.TemporaryDirectory(prefix="features-") as made:
        scratch, folder = Path(made), Path(made) / "files"
        folder.mkdir()
        prepare(given.folder, folder, given.copies)
        for path in folder.iterdir():
            path.write_text(HEADER + path.read_text())
        files = len(list(folder.iterdir()))
        all_of = contestants(given, folder, scratch)
        for _ in range(given.repetitions):
            for one in all_of:
                one.run({0}, counts=True)
        print(f"{files} files, one core\n{'program':20} {'over prism':>10} {'core-s':>8}")
        rows = []
        for one in all_of:
            ratio = statistics.median(a / b for a, b in zip(one.cpu, all_of[0].cpu))
            rows.append([given.machine, one.name, files, f"{ratio:.3f}", f"{statistics.median(one.cpu):.3f}"])
            print(f"{one.name:20} {ratio:10.2f} {statistics.median(one.cpu):8.2f}")
        for notes in sorted(scratch.glob("failed-*")):
            names = set(notes.read_text().split())
            print(f"{notes.name.removeprefix('failed-')} fails for {len(names)}: {', '.join(sorted(names)[:5])}")
        if given.csv:
            with open(given.csv, "w", newline="") as file:
                out = csv.writer(file, lineterminator="\n")
                out.writerow(["machine", "program", "files", "over_prism", "core_seconds"])
                out.writerows(rows)


if __name__ == "__main__":
    main()
