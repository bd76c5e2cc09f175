#!/usr/bin/env python3
"""Makes one large structure from an mmCIF file: copies side by side on a lattice, each with chains of its own.

    python3 tests/scale/assembly.py ENTRY.cif[.gz] COPIES OUT.cif [--overlap]

Copies do not touch, unless `--overlap` pushes them into each other by a twentieth of their width. Time such structures by

    /usr/bin/time -v target/release/prism features OUT.cif --columns contact_number --backend cpu -o out.parquet
"""

import argparse
import gzip
import itertools
import math

COLUMNS = ["group_PDB", "type_symbol", "label_atom_id", "label_alt_id", "label_comp_id", "label_asym_id", "label_seq_id",
           "pdbx_PDB_ins_code", "Cartn_x", "Cartn_y", "Cartn_z", "occupancy", "B_iso_or_equiv", "auth_seq_id", "auth_asym_id"]
POSITION = COLUMNS.index("Cartn_x")


def atoms(path):
    """The atoms of the first model, as the texts of COLUMNS. Lines of atom sites have no value with blanks."""
    names, model = [], None
    with (gzip.open if path.endswith(".gz") else open)(path, "rt") as lines:
        for line in lines:
            if line.startswith("_atom_site."):
                names.append(line.split(".")[1].strip())
                places = None
            elif names and line.startswith(("ATOM", "HETATM")):
                if places is None:
                    places, of_model = [names.index(column) for column in COLUMNS], names.index("pdbx_PDB_model_num")
                words = line.split()
                model = model or words[of_model]
                if words[of_model] == model:
                    yield [words[place] for place in places]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("entry")
    parser.add_argument("copies", type=int)
    parser.add_argument("out")
    parser.add_argument("--overlap", action="store_true")
    args = parser.parse_args()
    one = list(atoms(args.entry))
    at = [[float(words[POSITION + axis]) for words in one] for axis in range(3)]
    extents = [max(along) - min(along) for along in at]
    steps = [0.95 * extent if args.overlap else extent + 12 for extent in extents]
    side = math.ceil(round(args.copies ** (1 / 3), 6))
    serial = 0
    with open(args.out, "w") as out:
        out.write("data_assembly\nloop_\n_atom_site.id\n" + "".join(f"_atom_site.{column}\n" for column in COLUMNS))
        places = itertools.islice(itertools.product(range(side), repeat=3), args.copies)
        for copy, place in enumerate(places):
            shift = [step * along for step, along in zip(steps, place)]
            lines = []
            for k, words in enumerate(one):
                serial += 1
                x, y, z = (f"{at[axis][k] + shift[axis]:.3f}" for axis in range(3))
                lines.append(" ".join([str(serial), *words[:5], f"{words[5]}-{copy}", *words[6:POSITION], x, y, z,
                                       *words[POSITION + 3:-1], f"{words[-1]}-{copy}\n"]))
            out.write("".join(lines))
    print(f"{args.copies} copies of {len(one)} atoms in {args.out}")


if __name__ == "__main__":
    main()
