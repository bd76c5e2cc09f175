#!/usr/bin/env python3
"""Makes a mixed archive: entries of many sizes, compressed, most of them PDB files and every fifth mmCIF.

    python3 tests/scale/mixed.py data/6m0j_rbd.pdb OUT/ [--entries 4000] [--large 24] [--seed 1] [--plain]

The entries' residues are drawn from a log-normal distribution of median 440 and sigma 0.95, at least 9, which is about that of the
asymmetric units of the PDB (median 440, mean 690, one of a hundred above 4,000). `--large` entries more have 5,000 to 27,000 residues,
half of them in 100 chains and more. An entry consists of turned copies of the given file's first chain, cut to a length of 40 to
194 residues each, which lie side by side and touch. What does not fit into PDB (99,999 atoms, 62 chains) is mmCIF. The same seed makes the
same bytes.
"""

import argparse
import gzip
import math
import multiprocessing
import random
import string
from pathlib import Path

CHAINS = string.ascii_uppercase + string.ascii_lowercase + string.digits
COLUMNS = ["group_PDB", "id", "type_symbol", "label_atom_id", "label_alt_id", "label_comp_id", "label_asym_id", "label_entity_id",
           "label_seq_id", "pdbx_PDB_ins_code", "Cartn_x", "Cartn_y", "Cartn_z", "occupancy", "B_iso_or_equiv", "auth_seq_id",
           "auth_comp_id", "auth_asym_id", "auth_atom_id", "pdbx_PDB_model_num"]


def residues_of(path):
    """The residues of the first chain, around their centre: name and atoms, each with name, element, B factor and position."""
    residues, last, chain = [], None, None
    for line in open(path):
        if not line.startswith("ATOM"):
            continue
        chain = chain or line[21]
        if line[21] != chain:
            break
        if line[22:27] != last:
            last = line[22:27]
            residues.append((line[17:20], []))
        if any(atom[0] == line[12:16] for atom in residues[-1][1]):
            continue  # Another alternate location.
        position = [float(line[at:at + 8]) for at in (30, 38, 46)]
        residues[-1][1].append((line[12:16], line[76:78], float(line[60:66]), position))
    atoms = [atom for _, atoms in residues for atom in atoms]
    centre = [sum(atom[3][axis] for atom in atoms) / len(atoms) for axis in range(3)]
    for atom in atoms:
        atom[3][:] = [x - c for x, c in zip(atom[3], centre)]
    return residues


def rotation(dice):
    """A random rotation, from a random quaternion."""
    quaternion = [dice.gauss(0, 1) for _ in range(4)]
    w, x, y, z = (part / math.sqrt(sum(p * p for p in quaternion)) for part in quaternion)
    return [[1 - 2 * (y * y + z * z), 2 * (x * y - z * w), 2 * (x * z + y * w)],
            [2 * (x * y + z * w), 1 - 2 * (x * x + z * z), 2 * (y * z - x * w)],
            [2 * (x * z - y * w), 2 * (y * z + x * w), 1 - 2 * (x * x + y * y)]]


def chains_of(residues, count, dice):
    """Copies of the chain, until they have `count` residues together."""
    longest = len(residues)
    lengths = []
    while count > 0:
        length = min(count, dice.randint(min(40, longest), longest))
        lengths.append(length)
        count -= length
    side, step = math.ceil(round(len(lengths) ** (1 / 3), 6)), 38.0
    for at, length in enumerate(lengths):
        turn = rotation(dice)
        shift = [step * (at // side ** axis % side) + dice.uniform(-1, 1) for axis in range(3)]
        move = lambda p: [sum(row[k] * p[k] for k in range(3)) + s for row, s in zip(turn, shift)]
        yield [(name, [(*atom[:3], move(atom[3])) for atom in atoms]) for name, atoms in residues[:length]]


def pdb(chains):
    serial = 0
    for chain, residues in zip(CHAINS, chains):
        for number, (name, atoms) in enumerate(residues, 1):
            for atom, element, b, (x, y, z) in atoms:
                serial += 1
                yield f"ATOM  {serial:5} {atom} {name} {chain}{number:4}    {x:8.3f}{y:8.3f}{z:8.3f}  1.00{b:6.2f}          {element}  \n"
        serial += 1
        yield f"TER   {serial:5}      {name} {chain}{number:4}\n"
    yield "END\n"


def mmcif(chains):
    yield "data_MIXED\n#\nloop_\n" + "".join(f"_atom_site.{column} \n" for column in COLUMNS)
    serial = 0
    for index, residues in enumerate(chains):
        chain = CHAINS[index] if index < len(CHAINS) else f"{CHAINS[index // len(CHAINS) - 1]}{CHAINS[index % len(CHAINS)]}"
        for number, (name, atoms) in enumerate(residues, 1):
            for atom, element, b, (x, y, z) in atoms:
                serial += 1
                atom, element = atom.strip(), element.strip()
                yield (f"ATOM {serial:<6} {element:1} {atom:4} . {name} {chain:2} 1 {number:<4} ? {x:<8.3f} {y:<8.3f} {z:<8.3f} 1.00 "
                       f"{b:<6.2f} {number:<4} {name} {chain:2} {atom:4} 1 \n")
    yield "#\n"


def entry(job):
    source, folder, index, count, as_mmcif, plain, seed = job
    chains = list(chains_of(residues_of(source), count, random.Random(f"{seed} {index}")))
    atoms = sum(len(atoms) for chain in chains for _, atoms in chain) + len(chains)
    is_pdb = not as_mmcif and atoms <= 99_999 and len(chains) <= len(CHAINS)
    text = "".join(pdb(chains) if is_pdb else mmcif(chains)).encode()
    path = folder / f"{index:05}.{'pdb' if is_pdb else 'cif'}{'' if plain else '.gz'}"
    path.write_bytes(text if plain else gzip.compress(text, 6, mtime=0))
    return count, atoms, len(chains), len(text)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("source", type=Path)
    parser.add_argument("out", type=Path)
    parser.add_argument("--entries", type=int, default=4_000)
    parser.add_argument("--large", type=int, default=24)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--plain", action="store_true", help="not compressed")
    args = parser.parse_args()
    dice = random.Random(args.seed)
    sizes = [max(9, round(dice.lognormvariate(math.log(440), 0.95))) for _ in range(args.entries)]
    # Large entries lie anywhere among the others.
    for k in range(args.large):
        sizes.insert(dice.randrange(len(sizes) + 1), round(5_000 * (27_000 / 5_000) ** (k / max(1, args.large - 1))))
    args.out.mkdir(parents=True, exist_ok=True)
    jobs = [(args.source, args.out, k, size, k % 5 == 4, args.plain, args.seed) for k, size in enumerate(sizes)]
    with multiprocessing.Pool() as pool:
        made = pool.map(entry, jobs, chunksize=8)
    residues, atoms, chains, size = (sum(part) for part in zip(*made))
    print(f"{len(made)} entries of {residues} residues, {atoms} atoms, {chains} chains, {size / 1e9:.2f} GB of text in {args.out}")


if __name__ == "__main__":
    main()
