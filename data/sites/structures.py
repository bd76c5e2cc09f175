"""Structure files: their ligands, the residues that line them, and related structures."""

import csv
import pathlib
import sys

import gemmi
import numpy as np
from Bio import Align

# Chains are homologous from this identity on, over the shorter one. Chains below the second number are too short to decide.
SMALLEST_LIGAND = 6
IDENTITY, SHORTEST_CHAIN = 0.30, 30
# gemmi's table of residue kinds knows most buffers and cryoprotectants, sugars, modified amino acids and nucleotides.
# It does not know these, or classifies them differently.
ADDITIVES = set("1PE 2PE PE3 PE5 PE8 P6G PG4 PG5 PG6 PEG PEU XPE 7PE MES EPE HED FLC DTT DTV MLA OLC OLA UNL UNX".split())
GLYCANS = set("FUL XYS NDG NGA A2G SGN IDS".split())
# Kinds follow from names alone; these occurred as bound ligands.
LIGANDS_NONETHELESS = set("GLA SAL TAU".split())
SUFFIXES = (".pdb", ".ent", ".cif", ".mmcif")


def is_ligand(name):
    """Whether a HETATM group of this name is a ligand, if it is in no list."""
    if name in LIGANDS_NONETHELESS:
        return True
    known = gemmi.find_tabulated_residue(name)
    kind = gemmi.ResidueKind
    modified = [kind.AA, kind.AAD, kind.PAA, kind.MAA, kind.RNA, kind.DNA]
    other = known is not None and known.kind in modified + [kind.BUF, kind.HOH, kind.PYR, kind.KET]
    return not (other or name in ADDITIVES or name in GLYCANS)


def find(directories):
    """Structure files by name."""
    files = {}
    for path in (path for directory in directories for path in sorted(pathlib.Path(directory).iterdir())):
        if path.name.removesuffix(".gz").endswith(SUFFIXES):
            if path.name in files:
                sys.exit(f"two files have one name: {files[path.name]} and {path}")
            files[path.name] = path
    return files


def read_list(path):
    """Names of ligands by file name."""
    with open(path, newline="") as lines:
        words = {line["file"]: line["ligands"].split() for line in csv.DictReader(lines)}
    return {file: {word.rsplit("x", 1)[0] for word in ligands} for file, ligands in words.items()}


def sequences(keys):
    """One-letter sequences by chain."""
    chains = {}
    for chain, _, _, name in keys:
        chains.setdefault(chain, []).append(gemmi.find_tabulated_residue(name).one_letter_code.upper())
    return ["".join(letters) for letters in chains.values()]


def families(structures):
    """A family number for each structure: they are linked by homologous chains."""
    aligner = Align.PairwiseAligner(mode="global")
    aligner.substitution_matrix = Align.substitution_matrices.load("BLOSUM62")
    # Gaps at the ends are free. Otherwise a short chain would be spread over a long one.
    aligner.open_gap_score, aligner.extend_gap_score, aligner.end_gap_score = -11, -1, 0

    def homologous(a, b):
        return a == b or aligner.align(a, b)[0].counts().identities >= IDENTITY * min(len(a), len(b))

    chains = [sorted({chain for chain in chains if len(chain) >= SHORTEST_CHAIN}) for chains in structures]
    family = list(range(len(chains)))
    for i in range(len(chains)):
        for j in range(i):
            if family[i] != family[j] and any(homologous(a, b) for a in chains[i] for b in chains[j]):
                family = [family[j] if one == family[i] else one for one in family]
    return np.unique(family, return_inverse=True)[1]
