"""Cuts entries of the wwPDB with nucleic acids, and writes nucleotides_reference.csv and base_pairs_reference.csv about them.

    pip install biotite==2.0.0 gemmi==0.7.5 freesasa==2.2.1
    python tests/data/make_nucleotides_reference.py FOLDER

FOLDER holds the entries (1ehz.cif and so on). A cut keeps the first model without waters and with the first alternate location; hydrogens
stay where HYDROGENS says so. Torsions, pairs and stacks come from biotite, the sugar's pucker from the definition of Altona and
Sundaralingam 1972 in f64. Areas come from FreeSASA with 100 points (Shrake and Rupley) and the radii of its ProtOr classifier, of
modified nucleotides those of their parent; atoms that the parent does not have get the radius of their element. Parents are those of
the Chemical Component Dictionary that biotite ships.

biotite has angles across chain breaks and between chains, which are left out here, and measures chi of pseudouridine (PSU) by N1, to which
the sugar is not bound: the CSV has it by C5, from biotite's `dihedral`.
"""

import csv
import gzip
import sys
import warnings
from pathlib import Path

import biotite.structure as struc
import biotite.structure.io.pdb as pdb
import freesasa
import gemmi
import numpy as np
from biotite.structure.info.ccd import get_ccd

HERE = Path(__file__).parent
ENTRIES = ["1bna", "1ehz", "1jjp", "1lcd"]
HYDROGENS = {"1jjp"}
RADII = {"C": 1.88, "N": 1.64, "O": 1.46, "S": 1.77, "P": 1.8}
PROTOR = freesasa.Classifier.getStandardClassifier("protor")
ANGLES = ["alpha", "beta", "gamma", "delta", "epsilon", "zeta", "chi"]
EDGES, SIDES = ".WHS", ".ct"
NUCLEOTIDES = {"A", "C", "G", "U", "I", "DA", "DC", "DG", "DT", "DU", "DI"}
COMPONENTS = get_ccd()["chem_comp"]
PARENTS = dict(zip(COMPONENTS["id"].as_array(), COMPONENTS["mon_nstd_parent_comp_id"].as_array()))


def cut(folder, name):
    path = next(path for path in (folder / f"{name}{end}" for end in (".cif", ".cif.gz", ".pdb.gz")) if path.exists())
    structure = gemmi.read_structure(str(path))
    structure.setup_entities()
    while len(structure) > 1:
        del structure[1]
    if name not in HYDROGENS:
        structure.remove_hydrogens()
    structure.remove_waters()
    structure.remove_alternative_conformations()
    structure.remove_empty_chains()
    structure.raw_remarks = []
    text = structure.make_pdb_string(gemmi.PdbWriteOptions(minimal=True, ter_records=True))
    with gzip.GzipFile(HERE / f"{name}_cut.pdb.gz", "wb", mtime=0) as out:
        out.write(text.encode())


def parent(name):
    named = str(PARENTS.get(name, ""))
    return named if named in NUCLEOTIDES else name


def pucker(residue):
    """Phase and amplitude of the pseudorotation."""
    at = {name: position.astype(float) for name, position in zip(residue.atom_name, residue.coord)}
    ring = ["C4'", "O4'", "C1'", "C2'", "C3'"]
    nu = [struc.dihedral(*(at[ring[(first + k) % 5]] for k in range(4))) for first in range(5)]
    y, x = (nu[4] + nu[1]) - (nu[3] + nu[0]), 2 * nu[2] * (np.sin(np.radians(36)) + np.sin(np.radians(72)))
    phase = np.degrees(np.arctan2(y, x)) % 360
    return phase, np.degrees(nu[2]) / np.cos(np.radians(phase))


def areas(atoms):
    radii = []
    for name, residue, element in zip(atoms.atom_name, atoms.res_name, atoms.element):
        radius = PROTOR.radius(parent(residue), name)
        radii.append(radius if radius > 0 else RADII[element])
    parameters = freesasa.Parameters()
    parameters.setAlgorithm(freesasa.ShrakeRupley)
    parameters.setNPoints(100)
    result = freesasa.calcCoord(atoms.coord.astype(float).round(3).flatten(), radii, parameters)
    return np.array([result.atomArea(atom) for atom in range(len(atoms))])


def torsions(atoms):
    """Each residue's torsions in degrees; NaN where it is not bound to the neighbour."""
    angles = list(struc.nucleotide_dihedral_backbone(atoms))
    starts = struc.get_residue_starts(atoms, add_exclusive_stop=True)
    residues = [atoms[a:b] for a, b in zip(starts, starts[1:])]
    one = lambda residue, name: residue.coord[residue.atom_name == name]
    for row in range(len(residues)):
        bound = lambda a, b: len(a) and len(b) and np.linalg.norm(a[0] - b[0]) <= 2.5
        before = row > 0 and bound(one(residues[row - 1], "O3'"), one(residues[row], "P"))
        after = row + 1 < len(residues) and bound(one(residues[row], "O3'"), one(residues[row + 1], "P"))
        if not before:
            angles[0][row] = np.nan
        if not after:
            angles[4][row] = angles[5][row] = np.nan
    chi = struc.nucleotide_dihedral_side_chain(atoms)
    for row, residue in enumerate(residues):
        if residue.res_name[0] == "PSU":
            chi[row] = struc.dihedral(*(one(residue, name)[0] for name in ("O4'", "C1'", "C5", "C4")))
    return residues, np.degrees(np.array(angles + [chi])).T


def main(folder):
    warnings.simplefilter("ignore")
    rows, pairs = [], []
    for name in ENTRIES:
        if name != "1bna":
            cut(folder, name)
        file = "1bna.pdb" if name == "1bna" else f"{name}_cut.pdb"
        with gzip.open(HERE / f"{file}.gz", "rt") as text:
            all_atoms = pdb.PDBFile.read(text).get_structure(model=1)
        nucleic = struc.filter_nucleotides(all_atoms)
        polymer = nucleic | struc.filter_amino_acids(all_atoms)
        heavy = all_atoms[polymer & (all_atoms.element != "H")]
        area = areas(heavy)
        atoms = all_atoms[nucleic]
        identity = lambda atom: (str(atom.chain_id), int(atom.res_id))
        residues, angles = torsions(atoms)
        for residue, own in zip(residues, angles):
            chain, number = identity(residue[0])
            own_area = area[(heavy.chain_id == chain) & (heavy.res_id == number)].sum()
            values = [*own, *pucker(residue)]
            shown = ["" if np.isnan(value) else f"{value:.3f}" for value in values]
            resname = str(residue.res_name[0])
            rows.append([file, chain, number, resname, parent(resname), f"{own_area:.4f}", *shown])
        found = struc.base_pairs(atoms)
        sides = struc.base_pairs_glycosidic_bond(atoms, found)
        edges = struc.base_pairs_edge(atoms, found) if "H" in atoms.element else [[0, 0]] * len(found)
        for (a, b), side, (first, second) in zip(found, sides, edges):
            cls = SIDES[side] + EDGES[first] + EDGES[second]
            pairs.append([file, "base_pair", *identity(atoms[a]), *identity(atoms[b]), cls])
        for a, b in struc.base_stacking(atoms):
            pairs.append([file, "base_stack", *identity(atoms[a]), *identity(atoms[b]), ""])
    header = ["structure", "chain", "resnum", "resname", "parent", "sasa", *ANGLES, "pucker_phase", "pucker_amplitude"]
    for file, first, lines in [
        ("nucleotides_reference.csv", header, rows),
        ("base_pairs_reference.csv", ["structure", "kind", "chain_a", "resnum_a", "chain_b", "resnum_b", "class"], pairs),
    ]:
        with open(HERE / file, "w", newline="") as out:
            writer = csv.writer(out, lineterminator="\n")
            writer.writerow(first)
            writer.writerows(lines)
    print(len(rows), "nucleotides", len(pairs), "pairs and stacks")


if __name__ == "__main__":
    main(Path(sys.argv[1]))
