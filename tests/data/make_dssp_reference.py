#!/usr/bin/env python3
"""Writes what mkdssp 4 says of structure files, as CSV: structure, chain, resnum, icode, ss, phi, psi, nh, co.

    make_dssp_reference.py OUTPUT.csv FILE...

FILE is PDB or mmCIF, also gzipped; a line of OUTPUT is a residue that mkdssp lists. `ss` is `-` where mkdssp writes a
blank, angles are in degrees and empty where mkdssp writes 360, `nh` and `co` are the energies in kcal/mol of the
strongest hydrogen bond of N-H and of C=O, to 0.1. A PDB file without the HEADER and CRYST1 records that mkdssp asks for
gets them. Where mkdssp refuses the remarks of a PDB file, it gets the atoms, sequences and modified residues alone. Of alternate
locations in a PDB file it gets the first of each atom, for by itself it takes the last.
Files that mkdssp refuses are named on standard error. mkdssp comes with Debian's package dssp; the file
dssp_reference.csv is from version 4.2.2.
"""

import csv
import gzip
import pathlib
import subprocess
import sys
import tempfile

HEADER = "HEADER    PROTEIN                                 01-JAN-00   1ABC\n"
CRYST1 = "CRYST1    1.000    1.000    1.000  90.00  90.00  90.00 P 1           1\n"


def is_repeated(line, seen):
    """Whether an atom of the same name came before in the same residue of the same model."""
    if line.startswith("MODEL"):
        seen.clear()
    if not line.startswith(("ATOM", "HETATM", "ANISOU")):
        return False
    key = (line[:6].replace("HETATM", "ATOM  "), line[12:16], line[21:27])
    if key in seen:
        return True
    seen.add(key)
    return False


def prepared(path, bare):
    """The text of a file as mkdssp reads it."""
    data = path.read_bytes()
    if path.suffix == ".gz":
        data = gzip.decompress(data)
    text = data.decode("latin-1")
    if ".cif" in path.name:
        return text, ".cif"
    lines = [line + "\n" for line in text.splitlines()]
    if bare:
        lines = [line for line in lines if line.startswith(("ATOM", "HETATM", "TER", "MODEL", "ENDMDL", "SEQRES", "MODRES"))]
    seen = set()
    lines = [line for line in lines if not is_repeated(line, seen)]
    ends = [i for i, line in enumerate(lines) if line.startswith("ENDMDL")]
    if ends:
        lines = [line for line in lines[: ends[0]] if not line.startswith("MODEL")] + ["END\n"]
    if not any(line.startswith("CRYST1") for line in lines):
        first = next(i for i, line in enumerate(lines) if line.startswith(("ATOM", "HETATM")))
        lines.insert(first, CRYST1)
    if not lines[0].startswith("HEADER"):
        lines = [HEADER] + [line for line in lines if not line.startswith("HEADER")]
    return "".join(lines), ".pdb"


def run(path, folder, bare):
    text, suffix = prepared(path, bare)
    source = folder / ("input" + suffix)
    source.write_text(text, encoding="latin-1")
    target = folder / "output.dssp"
    command = ["mkdssp", "--quiet", "--output-format", "dssp", str(source), str(target)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode != 0 or not target.exists():
        message = (done.stderr.strip() or "no output").splitlines()[-1]
        raise RuntimeError(f"exit status {done.returncode}: {message}")
    lines = target.read_text().splitlines()
    target.unlink()
    begin = next(i for i, line in enumerate(lines) if line.startswith("  #  RESIDUE"))
    return [line for line in lines[begin + 1 :] if line[13] != "!"]


def angle(field):
    return "" if float(field) == 360.0 else field.strip()


def main():
    output, *files = sys.argv[1:]
    with open(output, "w", newline="") as handle, tempfile.TemporaryDirectory() as folder:
        writer = csv.writer(handle, lineterminator="\n")
        writer.writerow(["structure", "chain", "resnum", "icode", "ss", "phi", "psi", "nh", "co"])
        for path in map(pathlib.Path, files):
            lines = []
            for bare in (False, True):
                try:
                    lines = run(path, pathlib.Path(folder), bare)
                    break
                except (RuntimeError, StopIteration) as error:
                    print(f"{path.name}: {error}", file=sys.stderr)
            for line in lines:
                state = "-" if line[16] == " " else line[16]
                nh, co = line[39:50].split(",")[1].strip(), line[50:61].split(",")[1].strip()
                writer.writerow(
                    [path.name, line[11].strip(), line[5:10].strip(), line[10].strip(), state]
                    + [angle(line[103:109]), angle(line[109:115]), nh, co]
                )


if __name__ == "__main__":
    main()
