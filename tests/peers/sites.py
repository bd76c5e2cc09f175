# /// script
# requires-python = ">=3.11"
# dependencies = ["biopython==1.88", "gemmi==0.7.5", "numpy==2.4.6", "scipy==1.17.1", "pyKVFinder==0.9.6", "pocketeer==0.3.0"]
# ///
"""Finds binding sites with several programs, and judges all by one rule.

    sites.py [--prism PRISM] [--fpocket FPOCKET] [--concavity CONCAVITY] [--ligands CSV] [--held-out JSON] [--most N] FOLDER...

takes structures with ligands (PDB or mmCIF, plain or gzip), gives each program the protein alone (ATOM records, and modified
residues of chains), and prints how often ligands are found, with intervals by family, and seconds a structure. Programs are
those that are given or on the PATH, and packages that Python has: fpocket (https://github.com/Discngine/fpocket), concavity
(Debian), pyKVFinder and pocketeer (PyPI). On structures that its model was fitted on, prism is better than it should be; `fit.py --held-out` writes what
models say that have not seen a structure's family.

A residue's score is that of the best site that it is part of, of concavity its own. data/sites/measures.py has the rule.
"""

import argparse
import collections
import csv
import json
import pathlib
import shutil
import subprocess
import sys
import tempfile
import time

import gemmi
import numpy as np

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "data/sites"))
import measures  # noqa: E402
import points  # noqa: E402
from structures import families, find, is_ligand, read_list, sequences  # noqa: E402

LINING = 4.0


class Case:
    """A structure, and its protein alone in a PDB file."""

    def __init__(self, path, counts_as_ligand, folder):
        self.path, self.structure = path, points.Structure(path, counts_as_ligand)
        s = self.structure
        self.near = measures.lining(s.xyz, s.rows, len(s.keys), s.ligands)
        self.bound = measures.bound(s.xyz, s.ligands)
        self.protein = folder / (path.name.split(".")[0] + ".pdb")
        self.write()

    def write(self):
        """The protein with chains and residues renumbered, so that every one has a name of its own in a PDB file."""
        s, chain_of, number = self.structure, {}, {}
        letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789"
        self.row_of, lines = {}, []
        atoms = iter(zip(s.names, s.elements, s.xyz, s.rows, s.kinds))
        for serial, (name, element, (x, y, z), row, kind) in enumerate(atoms, 1):
            chain = chain_of.setdefault(s.keys[row][0], letters[len(chain_of) % len(letters)])
            seqid = number.setdefault(row, sum(1 for other in number if chain_of[s.keys[other][0]] == chain) + 1)
            self.row_of[chain, seqid] = row
            padded = f" {name:<3}" if len(name) < 4 else name
            residue = points.STANDARD[kind]
            lines.append(
                f"ATOM  {serial % 100000:5d} {padded} {residue} {chain}{seqid:4d}    "
                f"{x:8.3f}{y:8.3f}{z:8.3f}  1.00  0.00          {element:>2}"
            )
        self.protein.write_text("\n".join([*lines, "TER", "END", ""]))

    def rows(self, residues):
        return [self.row_of[key] for key in residues if key in self.row_of]

    def result(self, sites, scores=None):
        """`sites`: centre, score, and residues of each, by rank."""
        if scores is None:
            scores = np.zeros(len(self.near))
            for _, score, rows in sites:
                scores[rows] = np.maximum(scores[rows], score)
        return measures.Result(scores, [centre for centre, *_ in sites], self.near, self.bound)


def run(command, folder):
    subprocess.run([str(word) for word in command], cwd=folder, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)


def fpocket_sites(case, folder, program):
    """Pockets with their own score, and their druggability; the centre is that of the alpha spheres."""
    run([program, "-f", case.protein], folder)
    out = case.protein.with_name(case.protein.stem + "_out")
    spheres = collections.defaultdict(list)
    lines = (out / f"{case.protein.stem}_out.pdb").read_text().splitlines()
    for line in lines:
        if line.startswith("HETATM") and line[17:20] == "STP":
            spheres[int(line[22:26])].append([float(line[k : k + 8]) for k in (30, 38, 46)])
    found = []
    for number, own in spheres.items():
        text = (out / "pockets" / f"pocket{number}_atm.pdb").read_text().splitlines()
        value = lambda what: float(next(line for line in text if what in line).split(":")[1])
        rows = case.rows({(line[21], int(line[22:26])) for line in text if line.startswith("ATOM")})
        found.append((np.mean(own, axis=0), value("Pocket Score"), value("Drug Score"), rows))
    shutil.rmtree(out)
    return found


def fpocket(case, folder, program):
    found = fpocket_sites(case, folder, program)
    ranked = lambda k: sorted(((one[0], one[k], one[3]) for one in found), key=lambda one: -one[1])
    return {"fpocket, its score": case.result(ranked(1)), "fpocket, druggability": case.result(ranked(2))}


def kvfinder(case, _folder, package):
    atomic = package.read_pdb(str(case.protein))
    vertices = package.get_vertices(atomic)
    _, cavities = package.detect(atomic, vertices)
    if cavities is None or cavities.max() < 2:
        return {"pyKVFinder, volume": case.result([])}
    _, volume, _ = package.spatial(cavities)
    residues = package.constitutional(cavities, atomic, vertices)
    origin, found = vertices[0], []
    for name, size in volume.items():
        # Cavities are numbered from 2, in the order of their names.
        number = 2 + list(volume).index(name)
        centre = origin + 0.6 * np.argwhere(cavities == number).mean(0)
        rows = case.rows({(chain, int(seqid)) for seqid, chain, _ in residues.get(name, [])})
        found.append((centre, float(size), rows))
    return {"pyKVFinder, volume": case.result(sorted(found, key=lambda one: -one[1]))}


def pocketeer(case, _folder, package):
    pockets = package.find_pockets(package.load_structure(str(case.protein)))
    found = []
    for pocket in pockets:
        residues = {(str(residue[0]), int(residue[1])) for residue in pocket.residues}
        found.append((np.array(pocket.centroid), float(pocket.score), case.rows(residues)))
    return {"pocketeer": case.result(sorted(found, key=lambda one: -one[1]))}


def concavity(case, folder, program):
    run([program, "-print_grid_pdb", "1", case.protein.name, "sites"], folder)
    scores = np.zeros(len(case.near))
    for file in folder.glob(f"{case.protein.stem}*sites.scores"):
        file.unlink()
    (out,) = folder.glob(f"{case.protein.stem}*sites_residue.pdb")
    for line in out.read_text().splitlines():
        if line.startswith("ATOM") and (key := (line[21], int(line[22:26]))) in case.row_of:
            scores[case.row_of[key]] = float(line[60:66])
    grid = collections.defaultdict(list)
    (out,) = folder.glob(f"{case.protein.stem}*sites_pocket.pdb")
    for line in out.read_text().splitlines():
        if line.startswith(("ATOM", "HETATM")):
            grid[int(line[22:26])].append([float(line[k : k + 8]) for k in (30, 38, 46)] + [float(line[60:66])])
    for file in folder.glob(f"{case.protein.stem}*sites*"):
        file.unlink()
    found = []
    for own in map(np.array, grid.values()):
        found.append((own[:, :3].mean(0), own[:, 3].sum(), []))
    return {"concavity": case.result(sorted(found, key=lambda one: -one[1]), scores)}


def prism(case, folder, program):
    out, rows = folder / "sites.csv", folder / "rows.csv"
    run([program, "sites", case.protein, "-o", out], folder)
    with open(out, newline="") as lines:
        centres = [[float(line[axis]) for axis in "xyz"] for line in csv.DictReader(lines)]
    run([program, "features", case.protein, "--columns", "chain,resnum,site_score", "-o", rows], folder)
    scores = np.zeros(len(case.near))
    with open(rows, newline="") as lines:
        for line in csv.DictReader(lines):
            scores[case.row_of[line["chain"], int(line["resnum"])]] = float(line["site_score"] or 0)
    return {"prism": case.result([(centre, 0, []) for centre in centres], scores)}


def held_out(case, _folder, told):
    """What fit.py --held-out has written: models that have seen no structure of the family."""
    own = told[case.path.name]
    return {"prism, held out": case.result([(centre, 0, []) for centre in own["centres"]], own["residues"])}


def centroid(case, _folder, _program):
    return {"the centroid": case.result([(case.structure.xyz.mean(0), 1.0, [])])}


def package(name):
    try:
        return __import__(name)
    except ImportError:
        return None


def programs(arguments):
    """What can be run: by name, the function and what it takes."""
    on_path = lambda given, name: given or shutil.which(name)
    all_of_them = {
        "fpocket": (fpocket, on_path(arguments.fpocket, "fpocket")),
        "pyKVFinder": (kvfinder, package("pyKVFinder")),
        "pocketeer": (pocketeer, package("pocketeer")),
        "concavity": (concavity, on_path(arguments.concavity, "concavity")),
        "prism": (prism, arguments.prism),
        "prism, held out": (held_out, arguments.held_out and json.loads(pathlib.Path(arguments.held_out).read_text())),
        "the centroid": (centroid, True),
    }
    chosen = {name: of for name, of in all_of_them.items() if of[1]}
    print("left out, not found:", ", ".join(set(all_of_them) - set(chosen)) or "none")
    return chosen


def compare(name, path, listed, folder, chosen, results, seconds, cases):
    """Gives a structure to all programs."""
    case = Case(path, listed[name].__contains__ if listed else is_ligand, folder)
    if not case.near.any() or not case.bound:
        return
    found = {}
    for program, (find_sites, given) in chosen.items():
        begin = time.perf_counter()
        try:
            found |= find_sites(case, folder, given)
        except Exception as error:  # noqa: BLE001 a program may fail on a structure; then it has found nothing there
            print(f"{name}: {program} failed: {error!r:.120}", flush=True)
            known = [key for key in results if key.split(",")[0] == program] or [program]
            found |= {key: case.result([]) for key in known}
        seconds[program] += time.perf_counter() - begin
    cases.append(case)
    for key, result in found.items():
        results[key].append(result)
    print(f"{name}: {', '.join(f'{p} {seconds[p]:.1f} s' for p in chosen)} so far", file=sys.stderr, flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    for name in ("prism", "fpocket", "concavity"):
        parser.add_argument(f"--{name}", help=f"the program {name}")
    parser.add_argument("--held-out", metavar="JSON", help="what `fit.py --held-out` has written")
    parser.add_argument("--ligands", metavar="CSV", help="names of ligands by file, else all that look like ligands")
    parser.add_argument("--most", type=int, default=10**9, metavar="N", help="take N structures at most")
    parser.add_argument("folders", nargs="+", metavar="FOLDER")
    arguments = parser.parse_args()
    for name in ("prism", "fpocket", "concavity"):
        if given := getattr(arguments, name):
            setattr(arguments, name, str(pathlib.Path(given).resolve()))
    listed = read_list(arguments.ligands) if arguments.ligands else {}
    chosen, results, seconds, cases = programs(arguments), collections.defaultdict(list), collections.Counter(), []
    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder)
        try:
            for name, path in find(arguments.folders).items():
                if len(cases) < arguments.most and (not listed or name in listed):
                    compare(name, path, listed, folder, chosen, results, seconds, cases)
        except KeyboardInterrupt:
            print("interrupted; what was compared so far:")
    family = families([sequences(case.structure.keys) for case in cases])
    print(f"{len(cases)} structures of {family.max() + 1} families, {sum(len(case.bound) for case in cases)} ligands\n")
    print("| program | " + " | ".join(measures.MEASURES) + " | s a structure |\n" + "|---" * (len(measures.MEASURES) + 2) + "|")
    for key, own in results.items():
        values, (low, high) = measures.measure(own), measures.intervals(own, family, 200)
        cells = [f"{v:.3f} ({a:.2f}-{b:.2f})" for v, a, b in zip(values, low, high)]
        print(f"| {key} | {' | '.join(cells)} | {seconds[key if key in seconds else key.split(',')[0]] / len(cases):.2f} |")


if __name__ == "__main__":
    main()
