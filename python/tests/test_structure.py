"""Arrays, and objects of other packages, are read by the rules for files."""

from __future__ import annotations

import pickle
import warnings
from pathlib import Path
from typing import Any

import pytest

import prism_features as prism

np = pytest.importorskip("numpy")

COLUMNS = ["wcn", "sasa", "depth", "b_factor", "chi1"]


def arrays(path: Path) -> dict[str, Any]:
    """What the records of a PDB file say."""
    lines = [line for line in path.read_text().splitlines() if line.startswith(("ATOM", "HETATM"))]
    return {
        "positions": np.array([[float(line[begin : begin + 8]) for begin in (30, 38, 46)] for line in lines]),
        "atom_names": np.array([line[12:16].strip() for line in lines]),
        "residue_names": [line[17:20].strip() for line in lines],
        "residue_numbers": np.array([int(line[22:26]) for line in lines]),
        "chain_ids": np.array([line[21] for line in lines], dtype="S1"),
        "insertion_codes": [line[26].strip() for line in lines],
        "altlocs": [line[16].strip() for line in lines],
        "elements": [line[76:78].strip() for line in lines],
        "hetero": [line.startswith("HETATM") for line in lines],
        "occupancies": [float(line[54:60]) for line in lines],
        "b_factors": [float(line[60:66]) for line in lines],
        "name": path.name,
    }


def test_arrays_give_the_files_rows(rbd: Path, crambin: Path) -> None:
    for path in (rbd, crambin):
        structure = prism.Structure(**arrays(path))
        assert prism.features(structure, COLUMNS, "cpu").equals(prism.features(path, COLUMNS, "cpu"))
    assert repr(structure) == "<prism.Structure '1crn.pdb': 327 atoms>"


@pytest.mark.filterwarnings("ignore::prism_features.InputWarning")
def test_what_is_left_out_is_not_known(rbd: Path) -> None:
    all_of = arrays(rbd)
    needed = {name: all_of[name] for name in ("positions", "atom_names", "residue_names", "residue_numbers")}
    table = prism.features(prism.Structure(**needed, chain_ids="E", name=rbd.name), COLUMNS, "cpu")
    expected = prism.features(rbd, COLUMNS, "cpu")
    assert table.drop_columns(["b_factor"]).equals(expected.drop_columns(["b_factor"]))
    assert table["b_factor"].null_count == len(table)


def test_single_precision_comes_back_with_decimals(rbd: Path) -> None:
    all_of = arrays(rbd)
    all_of["positions"] = all_of["positions"].astype("float32")
    expected = prism.features(rbd, COLUMNS, "cpu")
    assert not prism.features(prism.Structure(**all_of), COLUMNS, "cpu").equals(expected)
    assert prism.features(prism.Structure(**all_of, decimals=3), COLUMNS, "cpu").equals(expected)


def test_frames_share_their_atoms(rbd: Path) -> None:
    first = prism.Structure(**arrays(rbd))
    positions = arrays(rbd)["positions"]
    frames = (first.at(positions + shift, f"frame {shift}") for shift in range(300))
    names = []
    for batch in prism.stream(frames, ["sasa", "ca_x"], "cpu"):
        names += batch.column("structure").to_pylist()
    assert list(dict.fromkeys(names)) == [f"frame {shift}" for shift in range(300)]
    assert len(names) == 300 * 194


def test_other_processes_get_the_same(rbd: Path) -> None:
    structure = pickle.loads(pickle.dumps(prism.Structure(**arrays(rbd))))
    assert prism.features(structure, COLUMNS, "cpu").equals(prism.features(rbd, COLUMNS, "cpu"))


def test_texts_may_be_more_than_ascii(rbd: Path) -> None:
    structure = prism.Structure(**{**arrays(rbd), "chain_ids": "Ångström"})
    assert set(prism.features(structure, COLUMNS, "cpu")["chain"].to_pylist()) == {"Ångström"}


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ({"positions": np.zeros((3, 3))}, r"rbd.pdb: positions has the shape \(3, 3\); it takes \(\d+, 3\)"),
        ({"atom_names": ["CA"]}, "rbd.pdb: atom_names has 1 entries"),
        ({"hetero": [True]}, "rbd.pdb: hetero has 1 entries"),
        ({"residue_numbers": [[1]]}, "rbd.pdb: residue_numbers has the shape"),
        ({"elements": [["C"]]}, "rbd.pdb: elements has the shape"),
        ({"positions": np.zeros((1542, 3), complex)}, "rbd.pdb: positions has the type complex128; it takes numbers"),
        ({"positions": [[1, 2, 3], [1]]}, "rbd.pdb: "),
        ({"positions": np.ma.masked_less(np.zeros((1542, 3)), 1)}, "rbd.pdb: positions has masked values"),
        ({"residue_numbers": [1.5]}, r"residue_numbers has 1.5 for atom 0 \(counted from 0\)"),
        ({"residue_numbers": [7, 2**40]}, r"residue_numbers has 1099511627776 for atom 1"),
        ({"residue_numbers": [2**70]}, "rbd.pdb: "),
        ({"residue_numbers": ["7"]}, "residue_numbers has the type <U1; it takes integers"),
        ({"hetero": ["ATOM"]}, "hetero has the type <U4; it takes bool"),
        ({"hetero": np.zeros((1542, 1), bool)}, r"hetero has the shape \(1542, 1\); it takes \(atoms,\)"),
        ({"b_factors": np.zeros((771, 2))}, r"b_factors has the shape \(771, 2\); it takes \(atoms,\)"),
        ({"atom_names": [1.5]}, "atom_names has the type float64; it takes texts"),
        ({"chain_ids": [object()]}, "chain_ids has a object; it takes texts"),
        ({"chain_ids": "\ud800"}, "half of a surrogate pair"),
    ],
)
def test_wrong_arrays_are_reported(rbd: Path, wrong: dict[str, Any], message: str) -> None:
    with pytest.raises(prism.PrismError, match=message):
        prism.Structure(**{**arrays(rbd), **wrong})


def test_arrays_of_any_layout_give_the_same(rbd: Path) -> None:
    all_of = arrays(rbd)
    positions, numbers, names = all_of["positions"], all_of["residue_numbers"], all_of["atom_names"]
    wide = np.zeros((2 * len(positions), 6))
    wide[::2, ::2] = positions
    texts = np.array(names, dtype=object)
    layouts: list[dict[str, Any]] = [
        {"positions": np.asfortranarray(positions), "residue_numbers": numbers.astype(">i8"), "atom_names": names.astype(">U4")},
        {"positions": wide[::2, ::2], "residue_numbers": np.repeat(numbers, 2)[::2], "atom_names": np.repeat(names, 2)[::2]},
        {"positions": positions.astype(">f8"), "residue_numbers": numbers.astype(float), "atom_names": texts},
        {"positions": positions.tolist(), "residue_numbers": numbers.tolist(), "atom_names": [f" {name} " for name in names]},
    ]
    expected = prism.features(rbd, COLUMNS, "cpu")
    for layout in layouts:
        structure = prism.Structure(**{**all_of, **layout})
        # It has a copy.
        for array in layout.values():
            if isinstance(array, np.ndarray) and array.dtype.kind == "f":
                array *= 0
        assert prism.features(structure, COLUMNS, "cpu").equals(expected)


def test_missing_texts_are_empty(rbd: Path) -> None:
    expected = prism.features(rbd, COLUMNS, "cpu")
    all_of = arrays(rbd)
    atoms = len(all_of["positions"])
    missing: list[Any] = [[None] * atoms, [float("nan"), *[""] * (atoms - 1)], [None, float("nan")] * (atoms // 2)]
    pandas = pytest.importorskip("pandas")
    missing.append(pandas.Series([pandas.NA] * atoms, dtype="string"))
    for codes in missing:
        structure = prism.Structure(**{**all_of, "insertion_codes": codes})
        assert prism.features(structure, COLUMNS, "cpu").equals(expected)


def test_wrong_values_name_the_atom(rbd: Path) -> None:
    all_of = arrays(rbd)
    all_of["positions"][7, 1] = np.nan
    with pytest.raises(prism.InputError, match=r"rbd.pdb: atom 7 \(counted from 0\): position"):
        prism.features(prism.Structure(**all_of), COLUMNS, "cpu")


def read_gemmi(path: Path) -> Any:
    return pytest.importorskip("gemmi").read_structure(str(path))


def read_biopython(path: Path) -> Any:
    pytest.importorskip("Bio.PDB")
    from Bio.PDB import PDBParser

    return PDBParser(QUIET=True).get_structure(path.name, str(path))


def read_biotite(path: Path) -> Any:
    pytest.importorskip("biotite")
    from biotite.structure.io.pdb import PDBFile

    return PDBFile.read(str(path)).get_structure(model=1, altloc="all", extra_fields=["b_factor", "occupancy"])


def read_mdanalysis(path: Path) -> Any:
    package = pytest.importorskip("MDAnalysis")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return package.Universe(str(path))


def read_mdtraj(path: Path) -> Any:
    return pytest.importorskip("mdtraj").load_pdb(str(path))


READERS = [read_gemmi, read_biopython, read_biotite, read_mdanalysis, read_mdtraj]


@pytest.mark.parametrize("read", READERS)
@pytest.mark.parametrize("name", ["1crn.pdb", "1ubq.pdb", "1jcd.pdb"])
def test_objects_of_other_packages(read: Any, name: str, data: Path, tmp_path: Path) -> None:
    import gzip

    path = tmp_path / name
    path.write_bytes(gzip.decompress((data / f"{name}.gz").read_bytes()))
    # mdtraj keeps neither B factors nor the author's chain ids, and rounds in nm.
    columns = ["wcn", "sasa", "depth"] if read is read_mdtraj else COLUMNS
    value = read(path)
    table = prism.features(list(prism.structures(value, name, decimals=3)), columns, "cpu")
    expected = prism.features(path, columns, "cpu")
    left_out = ["chain"] if read is read_mdtraj else []
    assert table.drop_columns(left_out).equals(expected.drop_columns(left_out))
    # As an input itself, it has the name that the package gives it, or that of its index.
    own = prism.features([path, value], ["structure", "resname"], "cpu")
    assert own["resname"][len(expected) :].equals(expected["resname"])
    names = {read_gemmi: name[:4], read_biopython: name, read_mdanalysis: name}
    assert own["structure"][-1].as_py() == names.get(read, "input1")


def models(tmp_path: Path, crambin: Path) -> Path:
    """Crambin, twice."""
    atoms = "".join(line + "\n" for line in crambin.read_text().splitlines() if line.startswith("ATOM"))
    path = tmp_path / "two.pdb"
    path.write_text("".join(f"MODEL     {number:4}\n{atoms}ENDMDL\n" for number in (1, 2)) + "END\n")
    return path


@pytest.mark.parametrize("read", READERS)
def test_models_of_objects(read: Any, tmp_path: Path, crambin: Path) -> None:
    path = models(tmp_path, crambin)
    value = read(path)
    if read is read_biotite:
        from biotite.structure.io.pdb import PDBFile

        value = PDBFile.read(str(path)).get_structure()
    assert [one.name for one in prism.structures(value, "x", model="all")] == ["x#1", "x#2"]
    assert [one.name for one in prism.structures(value, "x", model=2)] == ["x"]
    taken = "current" if read is read_mdanalysis else "first"
    with pytest.warns(prism.InputWarning, match=f"has 2 models or frames, and the {taken} is taken; model=\"all\" takes all"):
        assert len(prism.features([value], ["wcn"], "cpu")) == 46
    assert len(prism.features([value], ["wcn"], "cpu", model="all")) == 92
    with pytest.raises(prism.InputError, match="no model 3; it has 1, 2"):
        prism.features(value, ["wcn"], "cpu", model=3)
    table = prism.features([value, path], ["wcn"], "cpu", model=3, on_error="report")
    assert len(table) == 0 and len(table.failures) == 2


def test_objects_without_atoms_are_inputs_that_fail(rbd: Path) -> None:
    gemmi = pytest.importorskip("gemmi")
    empty = prism.Structure([], [], [], [], [], name="none")
    table = prism.features([gemmi.Structure(), gemmi.Model(1), rbd, empty], ["wcn"], "cpu", on_error="report")
    assert len(table) == 194
    assert [failure.name for failure in table.failures] == ["input0", "input1", "none"]
    assert table.failures[0].reason == "has no model" and "no atoms" in table.failures[1].reason and "no atoms" in table.failures[2].reason


def test_an_object_that_lacks_what_is_needed_is_an_input_that_fails(rbd: Path) -> None:
    package = pytest.importorskip("MDAnalysis")
    universe = package.Universe.empty(3, trajectory=True)
    table = prism.features([universe, rbd], ["wcn"], "cpu", on_error="report")
    assert len(table) == 194 and len(table.failures) == 1
    assert "resid" in table.failures[0].reason or "names" in table.failures[0].reason


def test_other_objects_are_refused() -> None:
    with pytest.raises(prism.PrismError, match="builtins.dict is no structure of a known package"):
        list(prism.structures({}))


def test_parts_of_objects_are_refused_by_their_own_name(rbd: Path) -> None:
    # They can be iterated, and were refused by the name of what they hold.
    gemmi = pytest.importorskip("gemmi")
    residue = gemmi.read_structure(str(rbd))[0][0][0]
    with pytest.raises(prism.PrismError, match=r"gemmi\S*\.Residue is no input; see prism.structures"):
        prism.features(residue, backend="cpu")


def test_objects_of_one_name_are_told_apart_with_all_their_models(crambin: Path) -> None:
    gemmi = pytest.importorskip("gemmi")

    def read(second: int) -> Any:
        structure = gemmi.read_structure(str(crambin))
        model = structure[0].clone()
        model.num = second
        structure.add_model(model)
        return structure

    with pytest.warns(prism.InputWarning, match="1crn: is the name of several inputs"):
        table = prism.features([read(2), read(2)], ["wcn"], "cpu", model="all")
    names = list(dict.fromkeys(table["structure"].to_pylist()))
    assert names == ["1crn#1", "1crn#2", "1crn~2#1", "1crn~2#2"]
    with pytest.warns(prism.InputWarning, match="1crn#1: is the name of several inputs"):
        table = prism.features(read(1), ["wcn"], "cpu", model="all")
    assert list(dict.fromkeys(table["structure"].to_pylist())) == ["1crn#1", "1crn#1~2"]


def test_frames_that_keep_the_name_are_told_apart(rbd: Path) -> None:
    first = prism.Structure(**{**arrays(rbd), "name": "frame"})
    frames = [first, first.at(arrays(rbd)["positions"] + 1)]
    with pytest.warns(prism.InputWarning, match="frame: is the name of several inputs"):
        table = prism.features(frames, ["wcn"], "cpu")
    assert list(dict.fromkeys(table["structure"].to_pylist())) == ["frame", "frame~2"]
