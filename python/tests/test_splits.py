"""Parts of a set of structures without relatives in each other."""

from __future__ import annotations

import random
import shutil
from pathlib import Path

import pytest

import prism_features as prism

LETTERS = dict(zip("ARNDCQEGHILKMFPSTWYV", "ALA ARG ASN ASP CYS GLN GLU GLY HIS ILE LEU LYS MET PHE PRO SER THR TRP TYR VAL".split()))
BOTH = ["words", pytest.param("mmseqs", marks=pytest.mark.skipif(shutil.which("mmseqs") is None, reason="MMseqs2 is not installed"))]


def chain(sequence: str, name: str = "A", y: float = 0.0) -> str:
    """Alpha carbons on a line."""
    line = "ATOM  {:5d}  CA  {} {}{:4d}    {:8.3f}{:8.3f}   0.000  1.00  0.00           C  \n"
    return "".join(line.format(1 + at, LETTERS[letter], name, 1 + at, 3.8 * at, y) for at, letter in enumerate(sequence))


def protein(seed: int, length: int = 150) -> str:
    return "".join(random.Random(seed).choices("ARNDCQEGHILKMFPSTWYV", k=length))


def mutated(sequence: str, identity: float, seed: int) -> str:
    own = random.Random(seed)
    keep = set(own.sample(range(len(sequence)), int(identity * len(sequence))))
    return "".join(letter if at in keep else own.choice("ARNDCQEGHILKMFPSTWYV".replace(letter, "")) for at, letter in enumerate(sequence))


@pytest.mark.parametrize("by", BOTH)
def test_relatives_are_in_one_part(tmp_path: Path, by: str) -> None:
    families = [protein(seed) for seed in range(8)]
    for family, sequence in enumerate(families):
        (tmp_path / f"f{family}a.pdb").write_text(chain(sequence) + "END\n")
        (tmp_path / f"f{family}b.pdb").write_text(chain(mutated(sequence, 0.6, family)) + "END\n")
    # Two families have a complex together, and an entry two formats.
    (tmp_path / "complex.pdb").write_text(chain(families[0]) + chain(families[1], "B", 10.0) + "END\n")
    table = prism.splits(tmp_path, {"train": 0.5, "test": 0.5}, by=by)
    assert table.column_names == ["structure", "group", "part"] and table.num_rows == 17
    rows = {row["structure"].split(".")[0]: row for row in table.to_pylist()}
    groups = {rows[f"f{family}{copy}"]["group"] for family in (0, 1) for copy in "ab"} | {rows["complex"]["group"]}
    assert len(groups) == 1
    for family in range(2, 8):
        assert rows[f"f{family}a"]["group"] == rows[f"f{family}b"]["group"] not in groups
    assert len({row["group"] for row in rows.values()}) == 7
    part_of = {row["group"]: row["part"] for row in rows.values()}
    assert all(row["part"] == part_of[row["group"]] for row in rows.values())
    sizes = [sum(row["part"] == part for row in rows.values()) for part in ("train", "test")]
    assert sorted(sizes) == [8, 9]
    assert table.to_pylist() == prism.splits(tmp_path, {"train": 0.5, "test": 0.5}, by=by).to_pylist()


def test_formats_of_an_entry_stay_together(tmp_path: Path) -> None:
    # A chain of three residues has too few words to be anybody's relative.
    (tmp_path / "1abc.pdb").write_text(chain("ARN") + "END\n")
    (tmp_path / "1ABC.ent").write_text(chain("GGG") + "END\n")
    (tmp_path / "2abc.pdb").write_text(chain("GGA") + "END\n")
    rows = {row["structure"]: row["group"] for row in prism.splits(tmp_path, by="words").to_pylist()}
    groups = list(rows.values())
    assert len(groups) == 3 and len(set(groups)) == 2
    assert len({group for name, group in rows.items() if name.lower().startswith("1abc")}) == 1


def test_long_chains_are_no_relatives_by_chance(tmp_path: Path) -> None:
    for seed, length in enumerate((80, 300, 900, 900, 900)):
        (tmp_path / f"p{seed}.pdb").write_text(chain(protein(seed, length)) + "END\n")
    assert len({row["group"] for row in prism.splits(tmp_path, by="words").to_pylist()}) == 5


def test_wrong_arguments_are_refused(crambin: Path) -> None:
    for wrong, about in [({"parts": {"train": 0.0}}, "no finite share above 0"), ({"parts": {"train": float("inf")}}, "no finite share above 0"), ({"parts": {}}, "names no part"), ({"identity": 30}, "at most 1"), ({"by": "blast"}, "not 'blast'")]:
        with pytest.raises(prism.PrismError, match=about):
            prism.splits(crambin, **wrong)


def test_the_seed_changes_the_order_of_equal_groups(tmp_path: Path) -> None:
    for seed in range(12):
        (tmp_path / f"p{seed}.pdb").write_text(chain(protein(seed)) + "END\n")
    found = {tuple(prism.splits(tmp_path, by="words", seed=seed)["part"].to_pylist()) for seed in range(4)}
    assert len(found) > 1
