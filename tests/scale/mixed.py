#!/usr/bin/env python3
"""Makes a mixed archive: entries of many sizes, compressed, most of them PDB files and every fifth mmCIF.

    python3 tests/scale/mixed.py data/6m0j_rbd.pdb OUT/ [--entries 4000] [--large 24] [--seed 1] [--plain] [--bcif]

The entries' residues are drawn from a log-normal distribution of median 440 and sigma 0.95, at least 9, which is about that of the
asymmetric units of the PDB (median 440, mean 690, one of a hundred above 4,000). `--large` entries more have 5,000 to 27,000 residues,
half of them in 100 chains and more. An entry consists of turned copies of the given file's first chain, cut to a length of 40 to
194 residues each, which lie side by side and touch. What does not fit into PDB (99,999 atoms, 62 chains) is mmCIF. With `--bcif` these
entries are BinaryCIF, encoded as the PDB's own files are (it takes the package `msgpack`). The same seed makes the same bytes.
"""

import argparse
import gzip
import math
import multiprocessing
import random
import string
import sys
from array import array
from itertools import accumulate
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


def chain_id(index):
    return CHAINS[index] if index < len(CHAINS) else f"{CHAINS[index // len(CHAINS) - 1]}{CHAINS[index % len(CHAINS)]}"


def mmcif(chains):
    yield "data_MIXED\n#\nloop_\n" + "".join(f"_atom_site.{column} \n" for column in COLUMNS)
    serial = 0
    for index, residues in enumerate(chains):
        chain = chain_id(index)
        for number, (name, atoms) in enumerate(residues, 1):
            for atom, element, b, (x, y, z) in atoms:
                serial += 1
                atom, element = atom.strip(), element.strip()
                yield (f"ATOM {serial:<6} {element:1} {atom:4} . {name} {chain:2} 1 {number:<4} ? {x:<8.3f} {y:<8.3f} {z:<8.3f} 1.00 "
                       f"{b:<6.2f} {number:<4} {name} {chain:2} {atom:4} 1 \n")
    yield "#\n"


def packed(values):
    """Differences of integers, in two bytes each: one that does not fit follows from several."""
    low, high = -(1 << 15), (1 << 15) - 1
    parts, last = array("h"), values[0]
    for value in values:
        rest, last = value - last, value
        while rest >= high or rest <= low:
            parts.append(high if rest > 0 else low)
            rest -= parts[-1]
        parts.append(rest)
    encoding = [{"kind": "Delta", "origin": values[0], "srcType": 3},
                {"kind": "IntegerPacking", "byteCount": 2, "srcSize": len(values), "isUnsigned": False},
                {"kind": "ByteArray", "type": 2}]
    return {"encoding": encoding, "data": little_endian(parts)}


def fixed(values, factor):
    column = packed([round(value * factor) for value in values])
    column["encoding"].insert(0, {"kind": "FixedPoint", "factor": factor, "srcType": 32})
    return column


def strings(values):
    places = {text: place for place, text in enumerate(dict.fromkeys(values))}
    ends = [0, *accumulate(len(text) for text in places)]
    indices, offsets = packed([places[text] for text in values]), packed(ends)
    encoding = {"kind": "StringArray", "dataEncoding": indices["encoding"], "stringData": "".join(places),
                "offsetEncoding": offsets["encoding"], "offsets": offsets["data"]}
    return {"encoding": [encoding], "data": indices["data"]}


def little_endian(numbers):
    if sys.byteorder == "big":
        numbers.byteswap()
    return numbers.tobytes()


def bcif(chains):
    import msgpack
    rows = []
    for index, residues in enumerate(chains):
        chain = chain_id(index)
        for number, (name, atoms) in enumerate(residues, 1):
            for atom, element, b, position in atoms:
                rows.append((element.strip(), atom.strip(), name, chain, number, *position, b))
    elements, atoms, names, ids, numbers, x, y, z, b = map(list, zip(*rows))
    count = len(rows)
    of = dict(zip(COLUMNS, [
        strings(["ATOM"] * count), packed(range(1, count + 1)), strings(elements), strings(atoms), strings([""] * count), strings(names),
        strings(ids), strings(["1"] * count), packed(numbers), strings([""] * count), fixed(x, 1000), fixed(y, 1000), fixed(z, 1000),
        fixed([1.0] * count, 100), fixed(b, 100), packed(numbers), strings(names), strings(ids), strings(atoms), packed([1] * count)]))
    missing = {"label_alt_id": b"\1", "pdbx_PDB_ins_code": b"\2"}
    masks = {column: {"encoding": [{"kind": "ByteArray", "type": 4}], "data": kind * count} for column, kind in missing.items()}
    columns = [{"name": column, "data": data, "mask": masks.get(column)} for column, data in of.items()]
    category = {"name": "_atom_site", "rowCount": count, "columns": columns}
    return msgpack.packb({"version": "0.3.0", "encoder": "mixed.py", "dataBlocks": [{"header": "MIXED", "categories": [category]}]})


def entry(job):
    source, folder, index, count, as_mmcif, plain, as_bcif, seed = job
    chains = list(chains_of(residues_of(source), count, random.Random(f"{seed} {index}")))
    atoms = sum(len(atoms) for chain in chains for _, atoms in chain) + len(chains)
    is_pdb = not as_mmcif and atoms <= 99_999 and len(chains) <= len(CHAINS)
    kind = "pdb" if is_pdb else "bcif" if as_bcif else "cif"
    text = bcif(chains) if kind == "bcif" else "".join(pdb(chains) if is_pdb else mmcif(chains)).encode()
    path = folder / f"{index:05}.{kind}{'' if plain else '.gz'}"
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
    parser.add_argument("--bcif", action="store_true", help="BinaryCIF instead of mmCIF")
    args = parser.parse_args()
    dice = random.Random(args.seed)
    sizes = [max(9, round(dice.lognormvariate(math.log(440), 0.95))) for _ in range(args.entries)]
    # Large entries lie anywhere among the others.
    for k in range(args.large):
        sizes.insert(dice.randrange(len(sizes) + 1), round(5_000 * (27_000 / 5_000) ** (k / max(1, args.large - 1))))
    args.out.mkdir(parents=True, exist_ok=True)
    jobs = [(args.source, args.out, k, size, k % 5 == 4, args.plain, args.bcif, args.seed) for k, size in enumerate(sizes)]
    with multiprocessing.Pool() as pool:
        made = pool.map(entry, jobs, chunksize=8)
    residues, atoms, chains, size = (sum(part) for part in zip(*made))
    print(f"{len(made)} entries of {residues} residues, {atoms} atoms, {chains} chains, {size / 1e9:.2f} GB before compression in {args.out}")


if __name__ == "__main__":
    main()
