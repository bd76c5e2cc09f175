"""Cuts entries of the wwPDB down to the surroundings of their ligands, and writes ligands_reference.csv about them.

    pip install gemmi==0.7.5 freesasa==2.2.1
    python tests/data/make_ligands_reference.py FOLDER

FOLDER holds the entries (1kx2.cif.gz and so on). A cut keeps the residues with an atom within 9 Å of a ligand, without hydrogens, waters
and all but the first alternate location. Neighbours, occupancies and B factors come from gemmi; areas from FreeSASA with 100 points
(Shrake and Rupley), ProtOr radii of proteins, and for other atoms the radii that prism states. A covalent bond is one that the entry
lists (struct_conn of type covale).
"""

import csv
import gzip
import math
import sys
from pathlib import Path

import freesasa
import gemmi

HERE = Path(__file__).parent
# What to cut, and the format of the cut.
ENTRIES = {"1kx2": "pdb", "1igy": "cif", "1fbl": "cif"}
RADII = {"C": 1.88, "N": 1.64, "O": 1.46, "S": 1.77, "P": 1.8, "FE": 2.44, "ZN": 2.39, "CA": 2.31}
PROTOR = freesasa.Classifier()


def is_protein(residue):
    return residue.entity_type == gemmi.EntityType.Polymer


def cut(path):
    structure = gemmi.read_structure(str(path))
    structure.setup_entities()
    while len(structure) > 1:
        del structure[1]
    structure.remove_hydrogens()
    structure.remove_waters()
    structure.remove_alternative_conformations()
    model = structure[0]
    others = [atom for chain in model for residue in chain if not is_protein(residue) for atom in residue]
    search = gemmi.NeighborSearch(model, gemmi.UnitCell(), 9).populate()
    near = {
        (mark.chain_idx, mark.residue_idx)
        for atom in others
        for mark in search.find_atoms(atom.pos, "\0", radius=9)
    }
    for index, chain in enumerate(model):
        for place in reversed(range(len(chain))):
            if (index, place) not in near:
                del chain[place]
    structure.remove_empty_chains()
    return structure


def radius(residue, atom):
    if is_protein(residue):
        return PROTOR.radius(residue.name, atom.name)
    return RADII[atom.element.name.upper()]


def area(pairs, own):
    """The area of the residue `own` among (residue, atom)s."""
    if len(pairs) == 1:
        # FreeSASA 2.2.1 crashes for an atom without neighbours.
        return 4 * math.pi * (radius(*pairs[0]) + 1.4) ** 2
    result = freesasa.calcCoord(
        [x for _, atom in pairs for x in atom.pos.tolist()],
        [radius(residue, atom) for residue, atom in pairs],
        freesasa.Parameters({"algorithm": freesasa.ShrakeRupley, "n-points": 100, "n-threads": 1}),
    )
    return sum(result.atomArea(i) for i, (residue, _) in enumerate(pairs) if residue is own)


def label(chain, residue):
    return f"{chain.name}_{residue.seqid}"


def main(folder):
    rows = []
    for entry, form in ENTRIES.items():
        structure = cut(Path(folder) / f"{entry}.cif.gz")
        name = f"{entry}_cut.{form}"
        if form == "pdb":
            text = structure.make_pdb_string()
        else:
            groups = gemmi.MmcifOutputGroups(False, atoms=True, entity=True, entity_poly=True, struct_asym=True)
            text = structure.make_mmcif_document(groups).as_string()
        (HERE / f"{name}.gz").write_bytes(gzip.compress(text.encode(), mtime=0))
        # As the file has it.
        structure = gemmi.read_structure(str(HERE / f"{name}.gz"))
        structure.setup_entities()
        model = structure[0]
        residues = [(chain, residue) for chain in model for residue in chain]
        pairs = [(residue, atom) for _, residue in residues for atom in residue]
        for chain, residue in residues:
            if is_protein(residue):
                continue
            near = {}
            for distance in (4, 5):
                near[distance] = [
                    label(other_chain, other)
                    for other_chain, other in residues
                    if is_protein(other)
                    and any(a.pos.dist(b.pos) <= distance for a in residue for b in other)
                ]
            bonds = [
                f"{label(other_chain, other)}:{b.name}-{a.name}"
                for a in residue
                for other_chain, other in residues
                if is_protein(other) and not a.element.is_metal
                for b in other
                if a.pos.dist(b.pos) < 2.1
            ]
            own = [(residue, atom) for atom in residue]
            alone = area(own, residue)
            rows.append(
                [
                    name, chain.name, residue.seqid.num, residue.name, len(residue),
                    f"{alone:.3f}", f"{area(pairs, residue):.3f}", " ".join(near[4]), " ".join(near[5]), " ".join(bonds),
                    f"{sum(a.occ for a in residue) / len(residue):.4f}", f"{sum(a.b_iso for a in residue) / len(residue):.4f}",
                ]
            )
    with open(HERE / "ligands_reference.csv", "w", newline="") as file:
        out = csv.writer(file, lineterminator="\n")
        out.writerow(
            "structure,chain,resnum,resname,atoms,alone,complex,near_4,near_5,bonds,occupancy,b_factor".split(",")
        )
        out.writerows(rows)


main(sys.argv[1])
