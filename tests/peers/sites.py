# /// script
# requires-python = ">=3.11"
# dependencies = ["biopython==1.88", "gemmi==0.7.5", "numpy==2.4.6", "scipy==1.17.1", "pyKVFinder==0.9.6", "pocketeer==0.3.0", "pocketnet==0.3.0"]
# ///
"""Finds binding sites with several programs, and measures all by the same rules.

    sites.py [--prism PRISM] [--fpocket FPOCKET] [--concavity CONCAVITY] [--grasp REPOSITORY] [--ligands CSV] [--held-out JSON]
             [--results JSONL] [--csv CSV] [--most N] FOLDER...

takes structures with ligands (PDB or mmCIF, plain or gzip), gives each program only the protein (ATOM records, and modified
residues of chains), and prints how often ligands are found, with intervals by family, and seconds of CPU time per structure.
Programs are given by options or on the PATH, or are installed Python packages: fpocket (https://github.com/Discngine/fpocket), concavity
(Debian), pyKVFinder, pocketeer and pocketnet (PyPI), and GrASP (a clone of its repository, and packages: see grasp.py). On structures that its model was fitted on, the quality of prism is overestimated;
`fit.py --held-out` writes the predictions of models that were fitted without a structure's family. With `--results`, the sites of
each program are appended to a file as they are found, and those in the file are not computed again: an interrupted run resumes.

A residue's score is that of the best site that contains it; for concavity and PocketNet, its own. data/sites/measures.py has the rules.
"""

import argparse
import collections
import contextlib
import csv
import json
import pathlib
import resource
import shutil
import subprocess
import sys
import tempfile

import gemmi
import numpy as np
import scipy.spatial

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "data/sites"))
import measures  # noqa: E402
import points  # noqa: E402
from structures import families, find, is_ligand, read_list, sequences  # noqa: E402

LINING = 4.0


class Case:
    """A structure, and a PDB file of its protein only."""

    def __init__(self, path, counts_as_ligand, folder):
        self.path, self.structure = path, points.Structure(path, counts_as_ligand)
        s = self.structure
        self.near = measures.lining(s.xyz, s.rows, len(s.keys), s.ligands)
        self.bound = measures.bound(s.xyz, s.ligands)
        self.protein = folder / (path.name.split(".")[0] + ".pdb")
        self.write()

    def write(self):
        """The protein with chains and residues renumbered, so that each has a unique name in a PDB file."""
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

    def found(self, sites, scores=None):
        """`sites`: the centre, score and residues of each, by rank."""
        if scores is None:
            scores = np.zeros(len(self.near))
            for _, score, rows in sites:
                scores[rows] = np.maximum(scores[rows], score)
        return {"score": [float(one) for one in scores], "centres": [[float(x) for x in centre] for centre, *_ in sites]}

    def result(self, found):
        return measures.Result(found["score"], found["centres"], self.near, self.bound)


def run(command, folder):
    subprocess.run([str(word) for word in command], cwd=folder, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)


def fpocket_sites(case, folder, program):
    """Pockets with their score and druggability. The centre is the centre of the alpha spheres."""
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
    return {"fpocket, its score": case.found(ranked(1)), "fpocket, druggability": case.found(ranked(2))}


def kvfinder(case, _folder, package):
    atomic = package.read_pdb(str(case.protein))
    vertices = package.get_vertices(atomic)
    _, cavities = package.detect(atomic, vertices)
    if cavities is None or cavities.max() < 2:
        return {"pyKVFinder, volume": case.found([])}
    _, volume, _ = package.spatial(cavities)
    residues = package.constitutional(cavities, atomic, vertices)
    origin, found = vertices[0], []
    for name, size in volume.items():
        # Cavities are numbered from 2 in the order of their names.
        number = 2 + list(volume).index(name)
        centre = origin + 0.6 * np.argwhere(cavities == number).mean(0)
        rows = case.rows({(chain, int(seqid)) for seqid, chain, _ in residues.get(name, [])})
        found.append((centre, float(size), rows))
    return {"pyKVFinder, volume": case.found(sorted(found, key=lambda one: -one[1]))}


def pocketeer(case, _folder, package):
    pockets = package.find_pockets(package.load_structure(str(case.protein)))
    found = []
    for pocket in pockets:
        residues = {(str(residue[0]), int(residue[1])) for residue in pocket.residues}
        found.append((np.array(pocket.centroid), float(pocket.score), case.rows(residues)))
    return {"pocketeer": case.found(sorted(found, key=lambda one: -one[1]))}


def pocketnet(case, _folder, package):
    """At most ten pockets; the network scores residues as well."""
    result = package.predict(str(case.protein), device="cpu")
    scores = np.zeros(len(case.near))
    for name, score in result.residue_scores.items():
        chain, number = name.split(":", 1)
        for row in case.rows([(chain, int(number))]):
            scores[row] = score
    return {"PocketNet": case.found([(pocket.center, pocket.score, []) for pocket in result.pockets], scores)}


def grasp(case, _folder, model):
    """Its network scores atoms. A residue's score is that of its best atom."""
    positions, probabilities, sites = model.predict(case.protein)
    scores = np.zeros(len(case.near))
    away, nearest = scipy.spatial.cKDTree(case.structure.xyz).query(positions)
    assert away.max() < 0.01, "GrASP has moved atoms"
    np.maximum.at(scores, np.asarray(case.structure.rows)[nearest], probabilities)
    return {"GrASP": case.found([(centre, score, []) for centre, score in sites], scores)}


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
    return {"concavity": case.found(sorted(found, key=lambda one: -one[1]), scores)}


def prism(case, folder, program):
    out, rows = folder / "sites.csv", folder / "rows.csv"
    # Other programs list weak sites, too.
    run([program, "sites", case.protein, "--all", "-o", out], folder)
    with open(out, newline="") as lines:
        centres = [[float(line[axis]) for axis in "xyz"] for line in csv.DictReader(lines)]
    run([program, "features", case.protein, "--columns", "chain,resnum,site_score", "-o", rows], folder)
    scores = np.zeros(len(case.near))
    with open(rows, newline="") as lines:
        for line in csv.DictReader(lines):
            # A chain that goes on after another one is named `A~2`.
            chain = line["chain"].split("~")[0]
            scores[case.row_of[chain, int(line["resnum"])]] = float(line["site_score"] or 0)
    return {"prism": case.found([(centre, 0, []) for centre in centres], scores)}


def held_out(case, _folder, told):
    """The output of fit.py --held-out: models that were fitted without the family."""
    own = told[case.path.name]
    return {"prism, held out": case.found([(centre, 0, []) for centre in own["centres"]], own["residues"])}


def centroid(case, _folder, _program):
    return {"the centroid": case.found([(case.structure.xyz.mean(0), 1.0, [])])}


def package(name):
    try:
        return __import__(name)
    except ImportError:
        return None


def programs(arguments):
    """The available programs: by name, the function and its arguments."""
    on_path = lambda given, name: given or shutil.which(name)
    all_of_them = {
        "fpocket": (fpocket, on_path(arguments.fpocket, "fpocket")),
        "pyKVFinder": (kvfinder, package("pyKVFinder")),
        "pocketeer": (pocketeer, package("pocketeer")),
        "PocketNet": (pocketnet, package("pocketnet")),
        "GrASP": (grasp, arguments.grasp and package("grasp").Grasp(arguments.grasp)),
        "concavity": (concavity, on_path(arguments.concavity, "concavity")),
        "prism": (prism, arguments.prism),
        "prism, held out": (held_out, arguments.held_out and json.loads(pathlib.Path(arguments.held_out).read_text())),
        "the centroid": (centroid, True),
    }
    chosen = {name: of for name, of in all_of_them.items() if of[1]}
    print("left out, not found:", ", ".join(set(all_of_them) - set(chosen)) or "none")
    return chosen


def cpu_seconds():
    """The time of this process and of those that it has waited for."""
    used = [resource.getrusage(of) for of in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    return sum(one.ru_utime + one.ru_stime for one in used)


def compare(case, folder, chosen, known, write):
    """Runs the programs that have not yet processed a structure."""
    for program, (find_sites, given) in chosen.items():
        key = case.path.name, program
        if key in known:
            continue
        begin, failed = cpu_seconds(), None
        try:
            found = find_sites(case, folder, given)
        except Exception as error:  # noqa: BLE001 a program may fail on a structure; then it has found nothing there
            found, failed = {}, f"{error!r:.200}"
        known[key] = {"file": key[0], "program": program, "cpu_s": cpu_seconds() - begin, "failed": failed, "found": found}
        write(known[key])


def table(cases, known, out):
    """A line for each ranking of each program that has processed all structures. Writes them as CSV to `out`, if given."""
    rows = csv.writer(out) if out else None
    if rows:
        ends = [f"{name} {end}" for name in measures.MEASURES for end in ("value", "low", "high")]
        rows.writerow(["program", "structures", *ends, "CPU s a structure", "failed"])
    family = families([sequences(case.structure.keys) for case in cases])
    print(f"{len(cases)} structures of {family.max() + 1} families, {sum(len(case.bound) for case in cases)} ligands\n")
    print("| program | " + " | ".join(measures.MEASURES) + " | CPU s a structure |\n" + "|---" * (len(measures.MEASURES) + 2) + "|")
    for program in dict.fromkeys(program for _, program in known):
        own = [known.get((case.path.name, program)) for case in cases]
        if None in own:
            print(f"{program}: {own.count(None)} structures are missing", file=sys.stderr)
            continue
        for one in own:
            if one["failed"]:
                print(f"{one['file']}: {program} failed: {one['failed']}", file=sys.stderr)
        for label in dict.fromkeys(label for one in own for label in one["found"]):
            results = [case.result(one["found"].get(label) or case.found([])) for case, one in zip(cases, own)]
            values, (low, high) = measures.measure(results), measures.intervals(results, family, 200)
            if rows:
                numbers = [f"{one:.4f}" for ends in zip(values, low, high) for one in ends]
                cpu, failed = np.mean([one["cpu_s"] for one in own]), sum(bool(one["failed"]) for one in own)
                rows.writerow([label, len(cases), *numbers, f"{cpu:.3f}", failed])
            cells = [f"{v:.3f} ({a:.2f}-{b:.2f})" for v, a, b in zip(values, low, high)]
            print(f"| {label} | {' | '.join(cells)} | {np.mean([one['cpu_s'] for one in own]):.2f} |")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    for name in ("prism", "fpocket", "concavity"):
        parser.add_argument(f"--{name}", help=f"the program {name}")
    parser.add_argument("--grasp", metavar="REPOSITORY", help="a clone of GrASP's repository")
    parser.add_argument("--held-out", metavar="JSON", help="what `fit.py --held-out` has written")
    parser.add_argument("--ligands", metavar="CSV", help="names of ligands by file, else all that look like ligands")
    parser.add_argument("--results", metavar="JSONL", help="what programs have found; what is missing is added")
    parser.add_argument("--csv", metavar="CSV", help="write the table here, too")
    parser.add_argument("--most", type=int, default=10**9, metavar="N", help="take N structures at most")
    parser.add_argument("folders", nargs="+", metavar="FOLDER")
    arguments = parser.parse_args()
    for name in ("prism", "fpocket", "concavity"):
        if given := getattr(arguments, name):
            setattr(arguments, name, str(pathlib.Path(given).resolve()))
    listed = read_list(arguments.ligands) if arguments.ligands else {}
    chosen, known, cases = programs(arguments), {}, []
    results = pathlib.Path(arguments.results) if arguments.results else None
    if results and results.exists():
        for one in map(json.loads, results.read_text().splitlines()):
            known[one["file"], one["program"]] = one

    def write(one):
        print(f"{one['file']}: {one['program']} {one['cpu_s']:.1f} s", file=sys.stderr, flush=True)
        if results:
            with open(results, "a") as lines:
                lines.write(json.dumps(one) + "\n")

    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder)
        for name, path in find(arguments.folders).items():
            if len(cases) == arguments.most or listed and name not in listed:
                continue
            case = Case(path, listed[name].__contains__ if listed else is_ligand, folder)
            if case.near.any() and case.bound:
                compare(case, folder, chosen, known, write)
                cases.append(case)
    with open(arguments.csv, "w", newline="") if arguments.csv else contextlib.nullcontext() as out:
        table(cases, known, out)


if __name__ == "__main__":
    main()
