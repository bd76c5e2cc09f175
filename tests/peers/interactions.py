#!/usr/bin/env python3
"""Compares the interactions of `prism edges` with those of other programs, kind by kind.

    interactions.py FOLDER --prism target/release/prism [--peers prolif,plip,hbat] [--differences hbond] [--csv FILE]

FOLDER holds mmCIF files, and beside NAME.cif.gz the contacts that PDBe-Arpeggio wrote, if there are any, as NAME.contacts.csv.gz (columns
chain_a, number_a, name_a, atom_a, the same with b, kinds). Peers from the Python package index: `prolif` (implicit hydrogens; molecules
by RDKit from the bonds in the file), `plip`, `hbat` (both with hydrogens of Open Babel), `gemmi` for all of them. Those that are not
installed are left out.

A line of the table is a kind: how many pairs of residues a program finds, how many of these prism finds (recall of prism), and how
many of prism's the program finds (precision), counted among the pairs that the program looks at: PLIP pairs ligands with the rest, and
Arpeggio's tables have what is near the selected ligands. `two` are the pairs that at least two programs agree on.
"""

import argparse
import collections
import csv
import gzip
import importlib.util
import json
import logging
import os
import subprocess
import sys
import tempfile
from pathlib import Path

KINDS = ["hbond", "salt_bridge", "aromatic", "cation_pi", "metal", "halogen"]
# Kinds of prism that other programs have in one.
PRISM = {"pi_stack": "aromatic", "t_stack": "aromatic"}
ARPEGGIO = {"hbond": "hbond", "ionic": "salt_bridge", "aromatic": "aromatic", "metal_complex": "metal", "xbond": "halogen"}
WATER = {"HOH", "WAT", "DOD"}

Pair = frozenset  # of two residues: chain and number
Found = dict[str, set[Pair]]


def pair(a: tuple[str, int], b: tuple[str, int]) -> Pair:
    return frozenset([a, b])


def of_prism(prism: str, path: Path, scratch: Path) -> Found:
    kinds = "hbond,salt_bridge,pi_stack,t_stack,cation_pi,metal,halogen"
    table = scratch / "prism.csv"
    subprocess.run([prism, "edges", str(path), "--kinds", kinds, "-q", "-o", str(table)], check=True)
    found = collections.defaultdict(set)
    for row in csv.DictReader(table.open()):
        ends = [(row[f"chain_{end}"], int(row[f"resnum_{end}"])) for end in "ab"]
        found[PRISM.get(row["kind"], row["kind"])].add(pair(*ends))
    return found


def of_arpeggio(path: Path) -> tuple[Found, set[Pair]] | None:
    import gemmi

    table = path.with_name(path.name.split(".")[0] + ".contacts.csv.gz")
    if not table.exists():
        return None
    # It names chains by label_asym_id, and residues by the author's numbers.
    block = gemmi.cif.read(str(path)).sole_block()
    chains = {}
    for label, author, number in block.find("_atom_site.", ["label_asym_id", "auth_asym_id", "auth_seq_id"]):
        chains[label, int(number)] = author
    found, looked = collections.defaultdict(set), set()
    for row in csv.DictReader(gzip.open(table, "rt")):
        ends = [(row[f"chain_{end}"], int(row[f"number_{end}"])) for end in "ab"]
        ends = [(chains.get(end, end[0]), end[1]) for end in ends]
        if ends[0] == ends[1]:
            continue
        looked.add(pair(*ends))
        if not WATER & {row["name_a"], row["name_b"]} or "metal_complex" in row["kinds"]:
            for kind in row["kinds"].split():
                if kind in ARPEGGIO:
                    found[ARPEGGIO[kind]].add(pair(*ends))
    return found, looked


def cleaned(path: Path, to: Path):
    """The first model with one conformation and without hydrogens, as PDB. Returns gemmi's structure."""
    import gemmi

    structure = gemmi.make_structure_from_block(gemmi.cif.read(str(path)).sole_block())
    structure.setup_entities()
    structure.remove_alternative_conformations()
    structure.remove_hydrogens()
    while len(structure) > 1:
        del structure[1]
    structure.write_pdb(str(to))
    return structure


def component_tables(folder: Path) -> dict[str, list[tuple[str, str, str]]]:
    """The bonds of all components that any file has."""
    import gemmi

    tables = {}
    for path in sorted(folder.glob("*.cif*")):
        own = collections.defaultdict(list)
        block = gemmi.cif.read(str(path)).sole_block()
        for component, a, b, order in block.find("_chem_comp_bond.", ["comp_id", "atom_id_1", "atom_id_2", "value_order"]):
            own[component].append((gemmi.cif.as_string(a), gemmi.cif.as_string(b), order.upper()))
        tables.update(own)
    return tables


def connected(residue, bonds):
    """The atoms that hang together with the first one: ProLIF takes no residue in pieces."""
    names = {atom.name for atom in residue}
    reached, ends = set(), [residue[0].name]
    while ends:
        end = ends.pop()
        if end not in reached:
            reached.add(end)
            ends += [b for a, b, _ in bonds if a == end and b in names] + [a for a, b, _ in bonds if b == end and a in names]
    return [atom for atom in residue if atom.name in reached]


# ProLIF takes no negative residue numbers.
SHIFT = 10_000
CHARGES = {("ARG", "NH2"): 1, ("LYS", "NZ"): 1, ("ASP", "OD2"): -1, ("GLU", "OE2"): -1}


def molecule(structure, tables):
    """RDKit's molecule of a file with the bonds of its components, which `tables` have; without other molecules."""
    import gemmi
    from rdkit import Chem, RDLogger
    from rdkit.Geometry import Point3D

    RDLogger.DisableLog("rdApp.*")
    orders = {"SING": Chem.BondType.SINGLE, "DOUB": Chem.BondType.DOUBLE, "TRIP": Chem.BondType.TRIPLE}
    bonds = {name: [(a, b, orders.get(order, Chem.BondType.SINGLE)) for a, b, order in own] for name, own in tables.items()}
    mol, places, index = Chem.RWMol(), [], {}
    for chain in structure[0]:
        before = None
        for residue in chain:
            if residue.name in WATER:
                continue
            own = {}
            if len(residue) > 1 and residue.name not in bonds:
                continue  # its bonds are not known
            for atom in connected(residue, bonds.get(residue.name, [])):
                new = Chem.Atom(atom.element.atomic_number)
                metal = atom.element.is_metal
                charge = 2 if metal and len(residue) == 1 else CHARGES.get((residue.name, atom.name), 0)
                if atom.element.name in ("Cl", "Br", "I") and len(residue) == 1:
                    charge = -1
                if atom.name == "OXT":
                    charge = -1
                new.SetFormalCharge(charge)
                info = Chem.AtomPDBResidueInfo()
                info.SetName(f" {atom.name:<3}"), info.SetResidueName(residue.name), info.SetChainId(chain.name)
                info.SetResidueNumber(residue.seqid.num + SHIFT), info.SetInsertionCode(residue.seqid.icode)
                new.SetPDBResidueInfo(info)
                own[atom.name] = mol.AddAtom(new)
                places.append(atom.pos)
            for a, b, order in bonds.get(residue.name, []):
                if a in own and b in own:
                    mol.AddBond(own[a], own[b], order)
            if before and "C" in before[1] and "N" in own:
                if places[before[1]["C"]].dist(places[own["N"]]) < 1.8:
                    mol.AddBond(before[1]["C"], own["N"], Chem.BondType.SINGLE)
            before = (residue, own)
            index.update({(chain.name, residue.seqid.num, residue.name): own})
    # Acids lose their protons, amines take one.
    mol.UpdatePropertyCache(strict=False)
    acid = Chem.MolFromSmarts("[$([OX1H1,OX1H0-0;D1]-[CX3]=[OX1]),$([O;D1;H1]-[P,S]=O)]")
    amine = Chem.MolFromSmarts("[N;D1,D2,D3;+0;!$(N~[!#6]);!$(N-[C,N,S,P;!X4]);!$(N=*);!$(N#*);!$(N-a)]")
    for (atom,) in mol.GetSubstructMatches(acid):
        mol.GetAtomWithIdx(atom).SetFormalCharge(-1)
    for (atom,) in mol.GetSubstructMatches(amine):
        mol.GetAtomWithIdx(atom).SetFormalCharge(1)
    for atom in mol.GetAtoms():
        if atom.GetAtomicNum() == 7 and sum(bond.GetBondTypeAsDouble() for bond in atom.GetBonds()) == 4:
            atom.SetFormalCharge(1)
        if atom.GetAtomicNum() == 8 and atom.GetDegree() == 1 and any(n.GetFormalCharge() == 1 and n.GetAtomicNum() == 7 for n in atom.GetNeighbors()):
            if all(bond.GetBondTypeAsDouble() == 1 for bond in atom.GetBonds()):
                atom.SetFormalCharge(-1)
    conformer = Chem.Conformer(mol.GetNumAtoms())
    for number, place in enumerate(places):
        conformer.SetAtomPosition(number, Point3D(place.x, place.y, place.z))
    mol.AddConformer(conformer)
    Chem.SanitizeMol(mol, catchErrors=True)
    return mol.GetMol()


PROLIF = {"ImplicitHBDonor": "hbond", "ImplicitHBAcceptor": "hbond", "Cationic": "salt_bridge", "Anionic": "salt_bridge"}
PROLIF |= {"CationPi": "cation_pi", "PiCation": "cation_pi", "PiStacking": "aromatic", "MetalDonor": "metal", "MetalAcceptor": "metal"}
PROLIF |= {"XBAcceptor": "halogen", "XBDonor": "halogen"}


def of_prolif(structure, tables, _: Path) -> Found | None:
    import prolif

    mol = molecule(structure, tables)
    whole = prolif.Molecule(mol)
    fingerprint = prolif.Fingerprint(
        ["HBDonor", "HBAcceptor", "Cationic", "Anionic", "CationPi", "PiCation", "PiStacking", "MetalDonor", "MetalAcceptor", "XBAcceptor", "XBDonor"],
        implicit_hydrogens=True,
    )
    found = collections.defaultdict(set)
    for ends, interactions in fingerprint.generate(whole, whole, metadata=True).items():
        if ends[0] == ends[1]:
            continue
        residues = [(end.chain, end.number - SHIFT) for end in ends]
        for name in interactions:
            found[PROLIF[name]].add(pair(*residues))
    return found


def of_plip(structure, tables, pdb: Path) -> tuple[Found, set] | None:
    from openbabel import pybel
    from plip.basic import config
    from plip.structure.preparation import PDBComplex

    pybel.ob.obErrorLog.SetOutputLevel(0)
    logging.disable(logging.CRITICAL)
    config.QUIET = config.SILENT = True
    config.NOHYDRO = False
    complex_ = PDBComplex()
    complex_.load_pdb(str(pdb))
    complex_.analyze()
    found, ligands = collections.defaultdict(set), set()
    for site in complex_.interaction_sets.values():
        ligands |= {(chain, number) for _, chain, number in site.lig_members}
        groups = {
            "hbond": site.all_hbonds_ldon + site.all_hbonds_pdon,
            "salt_bridge": site.saltbridge_lneg + site.saltbridge_pneg,
            "aromatic": site.pistacking,
            "cation_pi": site.all_pication_laro + site.all_pication_paro,
            "metal": site.metal_complexes,
            "halogen": site.halogen_bonds,
        }
        for kind, all_of in groups.items():
            for one in all_of:
                ends = [(one.reschain, one.resnr), (one.reschain_l, one.resnr_l)]
                names = {one.restype, one.restype_l}
                if kind == "metal" or not names & WATER:
                    found[kind].add(pair(*ends))
    return found, ligands


def of_hbat(structure, tables, pdb: Path) -> Found | None:
    from hbat.constants.parameters import AnalysisParameters
    from hbat.core.np_analyzer import NPMolecularInteractionAnalyzer

    parameters = AnalysisParameters(fix_pdb_enabled=True, fix_pdb_method="openbabel", fix_pdb_add_hydrogens=True)
    analyzer = NPMolecularInteractionAnalyzer(parameters)
    with open(os.devnull, "w") as nowhere:
        real, sys.stdout = sys.stdout, nowhere
        try:
            analyzer.analyze_file(str(pdb))
        finally:
            sys.stdout = real
    found = collections.defaultdict(set)

    def residue(atom):
        return (atom.chain_id, atom.res_seq)

    for one in analyzer.hydrogen_bonds:
        ends = [one.get_donor_atom(), one.get_acceptor_atom()]
        if one.get_donor_atom().element != "C" and not {end.res_name for end in ends} & WATER:
            found["hbond"].add(pair(*map(residue, ends)))
    for one in analyzer.halogen_bonds:
        found["halogen"].add(pair(residue(one.get_donor_atom()), residue(one.get_acceptor_atom())))
    for one in analyzer.pi_pi_interactions:
        found["aromatic"].add(pair(residue(one.ring1_atoms[0]), residue(one.ring2_atoms[0])))
    return {kind: {p for p in pairs if len(p) == 2} for kind, pairs in found.items()}


PEERS = {"prolif": of_prolif, "plip": of_plip, "hbat": of_hbat}


def compared(path: Path, tables: dict, arguments: argparse.Namespace, scratch: Path) -> dict:
    """What each program finds in a file, and which pairs it looks at: a function of the pair."""
    programs = {"prism": (of_prism(arguments.prism, path, scratch), lambda _: True)}
    if (arpeggio := of_arpeggio(path)) is not None:
        programs["arpeggio"] = (arpeggio[0], lambda p, looked=arpeggio[1]: p in looked)
    pdb = scratch / (path.name.split(".")[0] + ".pdb")
    structure = cleaned(path, pdb)
    known = set(tables)
    ligands = {r.name for chain in structure[0] for r in chain if len(r) > 1 and r.name not in WATER}
    unknown = {(chain.name, r.seqid.num) for chain in structure[0] for r in chain if r.name in ligands - known}
    for name in arguments.peers.split(","):
        if importlib.util.find_spec(name) is None:
            print(f"left out: {name} is not installed")
            continue
        kept = Path(arguments.keep) / f"{path.name.split('.')[0]}.{name}.json" if arguments.keep else None
        if kept and kept.exists():
            found, looked = json.loads(kept.read_text())
            found = {kind: {pair(*map(tuple, p)) for p in pairs} for kind, pairs in found.items()}
            looked = {tuple(one) for one in looked}
        else:
            try:
                result = PEERS[name](structure, tables, pdb)
            except Exception as error:  # A peer may fail on a file that others can take.
                print(f"{path.name}: {name} failed: {error!r}"[:300])
                continue
            found, looked = result if isinstance(result, tuple) else (result, set())
            if kept:
                plain = {kind: [sorted(p) for p in pairs if len(p) == 2] for kind, pairs in found.items()}
                kept.write_text(json.dumps([plain, sorted(looked)]))
        if name == "plip":
            programs[name] = (found, lambda p, ligands=looked: bool(p & ligands))
        elif name == "prolif":
            programs[name] = (found, lambda p: not p & unknown)
        else:
            programs[name] = (found, lambda _: True)
    return programs


# Kinds that a program does not look for.
LACKS = {"hbat": {"salt_bridge", "cation_pi", "metal"}, "arpeggio": {"cation_pi"}}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path, help="mmCIF files, plain or .gz")
    parser.add_argument("--prism", required=True, help="the executable")
    parser.add_argument("--peers", default=",".join(PEERS), help="[default: all]")
    parser.add_argument("--keep", help="a folder for the peers' results, which are read there if they exist")
    parser.add_argument("--differences", metavar="KIND", help="print the pairs of two programs that prism lacks, and where it is alone")
    parser.add_argument("--csv", help="write the table here, too")
    arguments = parser.parse_args()
    total = collections.defaultdict(lambda: collections.defaultdict(collections.Counter))
    tables = component_tables(arguments.folder)
    with tempfile.TemporaryDirectory(prefix="interactions-") as made:
        for path in sorted(arguments.folder.glob("*.cif*")):
            programs = compared(path, tables, arguments, Path(made))
            own, _ = programs.pop("prism")
            for kind in KINDS:
                votes = collections.Counter()
                for name, (found, looks) in programs.items():
                    if kind in LACKS.get(name, ()):
                        continue
                    theirs = {p for p in found.get(kind, ()) if len(p) == 2}
                    ours = {p for p in own.get(kind, ()) if looks(p)}
                    votes.update(theirs)
                    total[kind][name].update(theirs=len(theirs), ours=len(ours), both=len(theirs & ours))
                two = {p for p, count in votes.items() if count > 1}
                total[kind]["two"].update(theirs=len(two), both=len(two & own.get(kind, set())))
                if arguments.differences == kind:
                    for p in sorted(map(sorted, two - own.get(kind, set()))):
                        print(f"{path.name}: lacks {p}: {[n for n, (f, _) in programs.items() if frozenset(p) in f.get(kind, ())]}")
                    alone = {p for p in own.get(kind, set()) if not votes[p]}
                    for p in sorted(map(sorted, alone)):
                        looking = [n for n, (_, looks) in programs.items() if kind not in LACKS.get(n, ()) and looks(frozenset(p))]
                        if len(looking) > 1:
                            print(f"{path.name}: alone {p}, not {looking}")
    rows = []
    print("| kind | program | its pairs | of these here | recall | here | of these there | precision |\n|---|---|---|---|---|---|---|---|")
    for kind in KINDS:
        for name, count in total[kind].items():
            recall = f"{count['both'] / count['theirs']:.2f}" if count["theirs"] else "-"
            precision = f"{count['both'] / count['ours']:.2f}" if count["ours"] else "-"
            row = [kind, name, count["theirs"], count["both"], recall]
            row += ["-", "-", "-"] if name == "two" else [count["ours"], count["both"], precision]
            print("| " + " | ".join(map(str, row)) + " |")
            rows.append(row)
    if arguments.csv:
        with open(arguments.csv, "w", newline="") as file:
            writer = csv.writer(file, lineterminator="\n")
            writer.writerow("kind program theirs both recall here both_again precision".split())
            writer.writerows(rows)


if __name__ == "__main__":
    main()
