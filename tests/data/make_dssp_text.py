"""Writes `dssp/*.dssp.gz`: the text of mkdssp for structures of this folder, without the line that has the date; and
`dssp/*.categories.cif.gz`: the categories that it adds to mmCIF.

Needs mkdssp 4.2.2 (Debian 12's package `dssp`). `dssp/made.pdb.gz` is made here from crambin: everything that files have rarely.
"""

import gzip
import pathlib
import subprocess
import tempfile

HERE = pathlib.Path(__file__).parent
STRUCTURES = ["1crn.pdb.gz", "1aki.cif.gz", "1a8o.cif.gz", "1bna.pdb.gz", "4zhl.cif.gz", "dssp/made.pdb.gz"]


def numbered(line: str, chain: str, number: int, icode: str = " ", shift: float = 0.0) -> str:
    x = float(line[30:38]) + shift
    return f"{line[:21]}{chain}{number:4}{icode}   {x:8.3f}{line[38:]}"


def alternates(line: str, shift: float, other: str | None = None) -> list[str]:
    second = numbered(line, line[21], int(line[22:26]), line[26], shift)
    name = other or line[17:20]
    return [f"{line[:16]}A{line[17:]}", f"{second[:16]}B{name}{second[20:]}"]


def made() -> list[str]:
    """Two copies of crambin that touch, with what is rare."""
    with gzip.open(HERE / "1crn.pdb.gz", "rt") as file:
        lines = [line.rstrip("\n") for line in file]
    atoms = [line for line in lines if line.startswith("ATOM")]
    first, second = [], []
    for line in atoms:
        number, name = int(line[22:26]), line[12:16].strip()
        # Alternate locations of a backbone, of a side chain, and of the sulphur of a disulfide.
        if number in (9, 10) or (number, name) == (3, "SG") or number == 17 and name not in ("N", "CA", "C", "O"):
            first += alternates(line, 0.4)
        # Two names at one position.
        elif number == 22:
            first += alternates(line, 0.3, "SER")
        else:
            first.append(line)
        # The other copy lacks residues and single atoms, and has insertion codes, negative numbers and a modified residue.
        if 18 <= number <= 20 or (number, name) in ((30, "O"), (41, "CB")):
            continue
        if number == 2:
            line = f"HETATM{line[6:17]}TPO{line[20:]}"
        icode, own = (" ", number - 6) if number < 35 else ("ABC"[number - 35], 28) if number < 38 else (" ", number - 9)
        second.append(numbered(line, "B", own, icode, 21.0))
    names = [line for line in lines if line.startswith("SEQRES")]
    other = [line[:11] + "B" + line[12:] for line in names]
    other[0] = other[0].replace("THR THR", "THR TPO", 1)
    bonds = [line for line in lines if line.startswith("SSBOND")]
    head = [line for line in lines if line[:6] in ("HEADER", "TITLE ", "COMPND", "SOURCE", "KEYWDS", "EXPDTA", "AUTHOR")]
    # A ligand with the atoms of a backbone is no residue.
    ligand = [f"HETATM{line[6:17]}GLY{line[20:]}" for line in atoms if int(line[22:26]) == 46 and line[13:16] in ("N  ", "CA ", "C  ", "O  ")]
    ligand = [numbered(line, "A", 201, " ", -9.0) for line in ligand]
    helix = [line for line in lines if line.startswith(("HELIX", "SHEET"))]
    model = first + [f"{'TER':80}"] + second + [f"{'TER':80}"] + ligand
    again = [numbered(line, line[21], int(line[22:26]), line[26], 1.0) for line in first]
    return (
        head + names + other + helix + bonds + [f"{'MODEL        1':80}"] + model + [f"{'ENDMDL':80}"]
        + [f"{'MODEL        2':80}"] + again + [f"{'ENDMDL':80}"] + [f"{'END':80}"]
    )


def zipped(path: pathlib.Path, text: str) -> None:
    path.write_bytes(gzip.compress(text.encode(), 9, mtime=0))


def categories(structure: str) -> str:
    command = ["mkdssp", "--quiet", "--write-experimental", "--output-format", "mmcif", str(HERE / structure)]
    text = subprocess.run(command, check=True, capture_output=True, text=True).stdout
    names = ("_struct_conf", "_struct_sheet", "_pdbx_struct_sheet_hbond.", "_dssp_")
    parts = text.split("\n# \n")
    return "\n#\n".join(part for part in parts if part.removeprefix("loop_").strip().startswith(names)) + "\n#\n"


def main() -> None:
    zipped(HERE / "dssp/made.pdb.gz", "\n".join(made()) + "\n")
    for name in ("1aki", "4zhl"):
        zipped(HERE / f"dssp/{name}.categories.cif.gz", categories(f"{name}.cif.gz"))
    for structure in STRUCTURES:
        with tempfile.TemporaryDirectory() as folder:
            out = pathlib.Path(folder) / "out.dssp"
            subprocess.run(["mkdssp", "--quiet", str(HERE / structure), str(out)], check=True)
            text = out.read_text().split("\n", 1)[1]
        zipped(HERE / "dssp" / (pathlib.Path(structure).name.split(".")[0] + ".dssp.gz"), text)


main()
