"""Compares `prism dockq` with DockQ on models, to 1e-4 (of the value above 1).

    pip install DockQ==2.1.3 gemmi
    python tests/peers/dockq.py REFERENCE [MODEL...] [--small-molecules] [--prism target/release/prism]

Without models, it makes four of the reference: each chain turned by some degrees and shifted by some Å, without a few residues in two of
them. Waters, hydrogens and alternate locations are left out then, and each ligand gets a chain of its own, because DockQ needs that.
The exit status is 1 if a number differs.
"""

import argparse
import csv
import io
import json
import subprocess
import sys
import tempfile
from pathlib import Path

import gemmi
import numpy as np

COLUMNS = ["DockQ", "fnat", "fnonnat", "iRMSD", "LRMSD", "F1", "clashes"]
TOLERANCE = 1e-4


def chains_of(path, ligands):
    """The first model's chains; ligands, if they count, under names of their own."""
    entry = gemmi.read_structure(str(path))
    entry.setup_entities()
    entry.remove_hydrogens()
    entry.remove_waters()
    entry.remove_alternative_conformations()
    found, loose = {}, []
    for chain in entry[0]:
        for residue in chain:
            if residue.het_flag == "H":
                loose.append(residue.clone())
            else:
                found.setdefault(chain.name, []).append(residue.clone())
    names = (name for name in "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz" if name not in found)
    return found | {name: [residue] for name, residue in zip(names, loose) if ligands}


def write(chains, path):
    structure, model = gemmi.Structure(), gemmi.Model(1)
    for name, residues in chains.items():
        chain = gemmi.Chain(name)
        for residue in residues:
            chain.add_residue(residue)
        model.add_chain(chain)
    structure.add_model(model)
    structure.write_pdb(str(path))


def moved(chains, rng, degrees, shift, lacking):
    """Chains that are turned about their centres and shifted, without each seventh residue of long ones if `lacking`."""
    found = {}
    for name, residues in chains.items():
        kept = [residue.clone() for at, residue in enumerate(residues) if not (lacking and len(residues) > 8 and at % 7 == 3)]
        atoms = [atom for residue in kept for atom in residue]
        at = np.array([atom.pos.tolist() for atom in atoms])
        axis = rng.normal(size=3)
        x, y, z = axis / np.linalg.norm(axis)
        cross, angle = np.array([[0, -z, y], [z, 0, -x], [-y, x, 0]]), np.radians(degrees * rng.uniform())
        turn = np.eye(3) + np.sin(angle) * cross + (1 - np.cos(angle)) * cross @ cross
        new = (at - at.mean(0)) @ turn.T + at.mean(0) + rng.normal(size=3) * shift
        for atom, place in zip(atoms, new):
            atom.pos = gemmi.Position(*np.round(place, 3))
        found[name] = kept
    return found


def compare(prism, model, reference, ligands):
    """The numbers that were compared, and those that differ."""
    with tempfile.NamedTemporaryFile(suffix=".json") as out:
        command = ["DockQ", model, reference, "--json", out.name, "--n_cpu", "1", *["--small_molecule"][: int(ligands)]]
        done = subprocess.run(command, capture_output=True, text=True)
        text = Path(out.name).read_text()
    if not text:
        print(f"{model}: DockQ fails: {(done.stderr or done.stdout).strip().splitlines()[-1:]}")
        return 0, 0
    theirs = json.loads(text)
    command = [prism, "dockq", "-q", "--backend", "cpu", "--reference", reference, model, *["--small-molecules"][: int(ligands)]]
    rows = list(csv.DictReader(io.StringIO(subprocess.run(command, check=True, capture_output=True, text=True).stdout)))
    own = {row["reference_a"] + row["reference_b"]: row for row in rows}
    pairs = [(own[""]["dockq"], theirs["GlobalDockQ"], "GlobalDockQ")]
    for chains, values in theirs["best_result"].items():
        row = own.get(chains) or own.get(chains[::-1]) or {}
        columns = ["DockQ", "LRMSD"] if values["is_het"] else COLUMNS
        pairs += [(row.get(column.lower(), ""), values[column], f"{chains} {column}") for column in columns]
    differs = lambda one, other: not one or abs(float(one) - other) > TOLERANCE * max(1.0, abs(other))
    differing = [pair for pair in pairs if differs(*pair[:2])]
    for one, other, what in differing:
        print(f"{model}: {what}: {other:.6g}, here {one or 'none'}")
    return len(pairs), len(differing)


def main():
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("reference", type=Path)
    arguments.add_argument("models", type=Path, nargs="*")
    arguments.add_argument("--small-molecules", action="store_true")
    arguments.add_argument("--prism", default="target/release/prism")
    given = arguments.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        models, reference = given.models, given.reference
        if not models:
            chains, rng = chains_of(reference, given.small_molecules), np.random.default_rng(3)
            reference = Path(folder, "reference.pdb")
            write(chains, reference)
            for at, (degrees, shift) in enumerate([(2, 0.3), (8, 1.0), (8, 1.0), (30, 4.0)]):
                models.append(Path(folder, f"model_{at}.pdb"))
                # Residues around ligands are other ones in DockQ if some are lacking.
                write(moved(chains, rng, degrees, shift, at % 2 == 1 and not given.small_molecules), models[-1])
        counts = [compare(given.prism, model, reference, given.small_molecules) for model in models]
    compared, differing = map(sum, zip(*counts))
    print(f"{given.reference}: {compared} numbers compared; {differing} differ")
    sys.exit(1 if differing or not compared else 0)


if __name__ == "__main__":
    main()
