#!/usr/bin/env python3
"""Makes predicted complexes of two chains in AlphaFold 3's layout, a folder each, for timing `prism confidence`.

    python3 tests/scale/designs.py OUT/ [--designs 10000] [--tokens 300] [--distinct 500]

`--distinct` designs have numbers of their own; the others are copies of them, with bytes of their own on the disk.
"""

import argparse
import math
import multiprocessing
import random
import shutil
from pathlib import Path

COLUMNS = ["group_PDB", "id", "type_symbol", "label_atom_id", "label_alt_id", "label_comp_id", "label_asym_id", "label_entity_id",
           "label_seq_id", "pdbx_PDB_ins_code", "Cartn_x", "Cartn_y", "Cartn_z", "occupancy", "B_iso_or_equiv", "auth_seq_id",
           "auth_asym_id", "pdbx_PDB_model_num"]
ATOMS = ["N", "CA", "C", "O", "CB", "CG", "CD1", "CD2"]


def design(job):
    folder, index, tokens = job
    dice = random.Random(index)
    half = tokens // 2
    place = [("A", token + 1) if token < half else ("B", token - half + 1) for token in range(tokens)]
    model, plddts = ["data_made\nloop_\n" + "".join(f"_atom_site.{column}\n" for column in COLUMNS)], []
    for chain, number in place:
        for k, atom in enumerate(ATOMS):
            # C is bonded to N of the next residue.
            at, turned, below = (number + 1, 0, 1.3) if atom == "C" else (number, k, 0)
            turn = math.radians(at * 100 + turned * 28)
            x, y, z = (0 if chain == "A" else 9) + 2.3 * math.cos(turn), 2.3 * math.sin(turn), 1.5 * at - below
            plddts.append(f"{dice.uniform(50, 100):.2f}")
            model.append(f"ATOM {len(plddts)} {atom[0]} {atom} . LEU {chain} 1 {number} ? {x:.3f} {y:.3f} {z:.3f} 1.00 {plddts[-1]} {number} {chain} 1\n")
    errors, chances = [f"{k // 10}.{k % 10}" for k in range(310)], [f"0.{k:02}" for k in range(100)]
    matrix = lambda words: ",".join(f"[{','.join(dice.choices(words, k=tokens))}]" for _ in range(tokens))
    confidences = (f'{{"atom_plddts": [{",".join(plddts)}],\n"contact_probs": [{matrix(chances)}],\n"pae": [{matrix(errors)}],\n'
                   f'"token_chain_ids": [{",".join(chr(34) + chain + chr(34) for chain, _ in place)}],\n'
                   f'"token_res_ids": [{",".join(str(number) for _, number in place)}]}}')
    name = folder.name
    folder.mkdir(parents=True, exist_ok=True)
    (folder / f"{name}_model.cif").write_text("".join(model))
    (folder / f"{name}_confidences.json").write_text(confidences)
    (folder / f"{name}_summary_confidences.json").write_text(f'{{"iptm": 0.7, "ptm": 0.75, "ranking_score": {dice.random():.2f}}}')


def copy(job):
    source, folder = job
    folder.mkdir(parents=True, exist_ok=True)
    for file in source.iterdir():
        shutil.copyfile(file, folder / file.name.replace(source.name, folder.name))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("out", type=Path)
    parser.add_argument("--designs", type=int, default=10_000)
    parser.add_argument("--tokens", type=int, default=300)
    parser.add_argument("--distinct", type=int, default=500)
    args = parser.parse_args()
    folders = [args.out / f"design_{index:05}" for index in range(args.designs)]
    distinct = folders[:args.distinct]
    with multiprocessing.Pool() as pool:
        pool.map(design, [(folder, index, args.tokens) for index, folder in enumerate(distinct)])
        pool.map(copy, [(distinct[index % len(distinct)], folder) for index, folder in enumerate(folders) if index >= len(distinct)], 16)
    size = sum(file.stat().st_size for folder in folders for file in folder.iterdir())
    print(f"{len(folders)} designs of {args.tokens} tokens, {size / 1e9:.2f} GB in {args.out}")


if __name__ == "__main__":
    main()
