"""Points on a structure's surface and their surroundings, as the kernels compute them (kernels-gpu/src/points).

The tables here are written to shared-types/src/site_model.rs, so that kernels and fit use the same numbers. Sums are in double
precision here and in integers there; they differ by less than the rounding of a weight.
"""

import math

import gemmi
import numpy as np
from scipy.spatial import cKDTree
from structures import SMALLEST_LIGAND

STANDARD = "ALA ARG ASN ASP CYS GLN GLU GLY HIS ILE LEU LYS MET PHE PRO SER THR TRP TYR VAL".split()
KIND = {name: kind for kind, name in enumerate(STANDARD)}
# The radius in Å of the probe whose centre is a point.
PROBE = 1.6
# Directions of points from an atom: every sixth of the 100 on which `sasa` is counted by default. So an atom without
# accessible area has no point either.
SPIRAL, FIRST, STEP, DIRECTIONS = 100, 5, 6, 16
# An atom gives points if at least this many heavy atoms, including itself, are within 10 Å. Then the most points of an atom.
CROWDED, LEAST_CROWD, CAPACITY = 10.0, 120, 4
# Atoms within these distances in Å count for a point.
NEAR, REACH = 8.0, 10.0
# Points within this distance in Å count for an atom. Each counts with its probability to this power.
AROUND, POWER = 6.75, 1.5
# Points within these distances in Å of a residue's best atom count for the residue, too.
CLOSE, WIDE = 5.0, 9.0
# Atoms within this distance in Å of a site's centre, and its peak, belong to this site and to no later one.
APART = 10.0
MOST_SITES = 20
CLASSES = (
    "backbone N|alpha carbon|backbone C|backbone O|aliphatic C|aromatic C|S|hydroxyl O|carboxylate O|amide O|"
    "amide N|charged N|His N|Trp N|polar C"
).split("|")
# What is summed up by, within both distances.
GROUPS = [("classes", len(CLASSES)), ("kinds", len(STANDARD))]
# The columns after those.
OTHERS = ["one_sided", "one_sided_squared", "atoms", "atoms_squared", "atoms_one_sided"]
# ProtOr radii in Å by atom (Tsai et al. 1999), equal to those in shared-types/src/radii.rs.
ELEMENTS = {"C": 1.88, "N": 1.64, "O": 1.46, "S": 1.77}
BARE = {"ASN CG", "ASP CG", "HIS CG", "PHE CG", "TRP CG", "TYR CG", "GLN CD", "GLU CD", "ARG CZ", "TYR CZ", "TRP CD2", "TRP CE2"}
AROMATIC = {
    *(f"{name} {atom}" for name in ("PHE", "TYR") for atom in ("CD1", "CD2", "CE1", "CE2")),
    *("PHE CZ|HIS CD2|HIS CE1|TRP CD1|TRP CE3|TRP CH2|TRP CZ2|TRP CZ3".split("|")),
}
CARBONYL = {"ASN OD1", "ASP OD1", "GLN OE1", "GLU OE1"}


def radius(name, atom):
    """The radius in Å of an atom of a residue."""
    key = f"{name} {atom}"
    if atom == "C" or key in BARE:
        return 1.61
    if key in AROMATIC:
        return 1.76
    if atom == "O" or key in CARBONYL:
        return 1.42
    return ELEMENTS.get(next((letter for letter in atom if not letter.isdigit()), ""), 1.7)


def directions():
    """Unit vectors, as f32."""
    k = np.arange(FIRST, SPIRAL, STEP)
    z = 1 - (2 * k + 1) / SPIRAL
    phi, r = k * math.pi * (3 - math.sqrt(5)), np.sqrt(1 - z * z)
    return np.stack([r * np.cos(phi), r * np.sin(phi), z], 1).astype(np.float32)


def classes(kinds, radii, from_alpha):
    """The class of each atom, by its residue's kind, its radius and its squared distance from the residue's alpha carbon in
    Å^2 (infinite if there is none), as in the kernels."""
    kind = lambda *names: np.isin(kinds, [KIND[name] for name in names])
    is_radius = lambda *values: np.isin(np.round(radii, 2), values)
    backbone = from_alpha < 2.0**2
    carbon, nitrogen, oxygen = is_radius(1.88, 1.76, 1.61), is_radius(1.64), is_radius(1.42, 1.46)
    acid, amide = kind("ASP", "GLU"), kind("ASN", "GLN")
    # The carbonyl's oxygen is 2.4 Å away; side-chain oxygens with the same radius are at least 2.8 Å away.
    own_oxygen = is_radius(1.42) & (~(acid | amide) | (from_alpha < 2.6**2))
    aromatic = is_radius(1.76) | (is_radius(1.61) & kind("PHE", "TYR", "TRP", "HIS"))
    rules = [
        (is_radius(1.77), 6),
        (carbon & (from_alpha < 0.1**2), 1),
        (is_radius(1.61) & backbone, 2),
        (aromatic, 5),
        (is_radius(1.61), 14),
        (carbon, 4),
        (nitrogen & backbone, 0),
        (nitrogen & kind("LYS", "ARG"), 11),
        (nitrogen & kind("HIS"), 12),
        (nitrogen & kind("TRP"), 13),
        (nitrogen & amide, 10),
        (nitrogen, 0),
        (own_oxygen, 3),
        (oxygen & acid, 8),
        (oxygen & amide, 9),
        (oxygen, 7),
    ]
    return np.select([rule for rule, _ in rules], [number for _, number in rules], 4)


class Structure:
    """Heavy atoms of a file's protein, residue by residue, and its ligands.

    Modified amino acids within a chain belong to the protein, as the residue from which they derive. Of several atoms with
    the same name in a residue, the first one counts.
    """

    def __init__(self, path, counts_as_ligand):
        self.keys, self.ligands, self.names, self.elements = [], [], [], []
        xyz, radii, kinds, rows, alpha = [], [], [], [], []
        file = gemmi.read_structure(str(path))
        file.setup_entities()
        for chain in file[0]:
            for residue in chain:
                first = {}
                for atom in residue:
                    if not atom.is_hydrogen():
                        first.setdefault(atom.name, atom)
                parent = parent_of(residue, first)
                if parent and first:
                    row, carbon = len(self.keys), first.get("CA")
                    self.keys.append((chain.name, residue.seqid.num, residue.seqid.icode.strip(), residue.name))
                    for name, atom in first.items():
                        self.names.append(name)
                        self.elements.append(atom.element.name)
                        xyz.append(atom.pos.tolist())
                        radii.append(radius(parent, name))
                        kinds.append(KIND[parent])
                        rows.append(row)
                        alpha.append(atom.pos.dist(carbon.pos) ** 2 if carbon else math.inf)
                elif residue.het_flag == "H" and len(first) >= SMALLEST_LIGAND and counts_as_ligand(residue.name):
                    self.ligands.append(np.array([a.pos.tolist() for a in residue if not a.is_hydrogen()]))
        self.xyz, self.radii, self.rows = np.array(xyz).reshape(-1, 3), np.array(radii), np.array(rows, dtype=int)
        self.kinds = np.array(kinds, dtype=int)
        self.classes = classes(self.kinds, self.radii, np.array(alpha)) if xyz else np.zeros(0, int)

    def best_atoms(self, values):
        """Of each residue, the first of the atoms with the largest value."""
        order = np.lexsort((-np.arange(len(values)), values))
        best = np.zeros(len(self.keys), dtype=int)
        best[self.rows[order]] = order
        return best


def parent_of(residue, atoms):
    """The standard amino acid that a residue of a chain is or derives from; None if it is not part of a protein."""
    if residue.name in KIND:
        return None if residue.het_flag == "H" else residue.name
    known = gemmi.find_tabulated_residue(residue.name)
    in_chain = residue.entity_type == gemmi.EntityType.Polymer and {"N", "CA", "C"} <= atoms.keys()
    if known is None or not known.is_amino_acid() or not in_chain:
        return None
    letter = known.one_letter_code.upper()
    return next((name for name in STANDARD if gemmi.find_tabulated_residue(name).one_letter_code == letter), None)


def points(structure, turn=np.eye(3)):
    """Points on the surface: their positions and their atoms. `turn` is a rotation of the directions."""
    xyz, reach, unit = structure.xyz, structure.radii + PROBE, directions().astype(float) @ turn
    tree = cKDTree(xyz)
    inside = np.nonzero(tree.query_ball_point(xyz, CROWDED, return_length=True) >= LEAST_CROWD)[0]
    if not len(inside):
        return np.zeros((0, 3)), inside
    place = (xyz[inside, None] + reach[inside, None, None] * unit).reshape(-1, 3)
    owner = np.repeat(inside, DIRECTIONS)
    pairs = cKDTree(place).sparse_distance_matrix(tree, reach.max(), output_type="coo_matrix")
    point, other = pairs.row, pairs.col
    near = ((place[point] - xyz[other]) ** 2).sum(1) < reach[other] ** 2
    near &= (other != owner[point]) & ((xyz[other] != xyz[owner[point]]).any(1) | (reach[other] > reach[owner[point]]))
    exposed = np.ones(len(place), dtype=bool)
    exposed[point[near]] = False
    # If an atom has too many points, this keeps the allowed number, evenly spaced.
    exposed = exposed.reshape(-1, DIRECTIONS)
    for atom in np.nonzero(exposed.sum(1) > CAPACITY)[0]:
        own = np.nonzero(exposed[atom])[0]
        exposed[atom] = False
        exposed[atom, own[np.arange(CAPACITY) * len(own) // CAPACITY]] = True
    exposed = exposed.ravel()
    return place[exposed], owner[exposed]


def surroundings(structure, place):
    """A row of columns for each point: sums over near atoms by class and by kind, the same over farther ones; then how one-sided atoms
    lie, how many there are, and products of these."""
    pairs = cKDTree(place).sparse_distance_matrix(cKDTree(structure.xyz), REACH, output_type="coo_matrix")
    point, atom = pairs.row, pairs.col
    between = structure.xyz[atom] - place[point]
    squared = (between**2).sum(1)
    inside = squared < REACH**2
    point, atom, between, squared = point[inside], atom[inside], between[inside], squared[inside]
    columns = []
    for reach in (NEAR, REACH):
        weights = np.maximum(reach**2 - squared, 0) ** 2
        for name, count in GROUPS:
            sums = np.bincount(point * count + getattr(structure, name)[atom], weights=weights, minlength=len(place) * count)
            columns.append(sums.reshape(len(place), count))
    number = np.maximum(np.bincount(point, minlength=len(place)), 1)
    mean = [np.bincount(point, weights=between[:, axis], minlength=len(place)) / number for axis in range(3)]
    away = np.sqrt(sum(one**2 for one in mean))
    return np.column_stack([*columns, away, away**2, number, number**2, number * away])


def gathered(xyz, place, weight, reach):
    """The sum of the weights of the points within `reach` of each atom."""
    near = cKDTree(place).query_ball_point(xyz, reach) if len(place) else [[] for _ in xyz]
    return np.array([weight[one].sum() for one in near])


def sites(structure, place, weight, sums):
    """Sites by decreasing score, from the weights of points and the sums of atoms: their centres, scores, and the atoms of their peaks."""
    left, tree = sums > 0, cKDTree(place) if len(place) else None
    centres, scores, peaks = [], [], []
    while left.any() and len(scores) < MOST_SITES:
        peak = int(np.argmax(np.where(left, sums, -1)))
        near = tree.query_ball_point(structure.xyz[peak], AROUND)
        centres.append((place[near] * weight[near, None]).sum(0) / weight[near].sum())
        scores.append(sums[peak])
        peaks.append(peak)
        left &= ((structure.xyz - centres[-1]) ** 2).sum(1) > APART**2
        left[peak] = False
    return np.array(centres).reshape(-1, 3), np.array(scores), np.array(peaks, dtype=int)
