"""Parts of structures, arrays of machine learning, and more packages as inputs; features written back into objects."""

from __future__ import annotations

import gzip
import warnings
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

import prism_features as prism
from test_structure import arrays, read_biopython, read_biotite, read_gemmi, read_mdanalysis

np = pytest.importorskip("numpy")

COLUMNS = ["wcn", "sasa", "depth", "b_factor", "chi1"]


def read_prody(path: Path) -> Any:
    package = pytest.importorskip("prody")
    package.confProDy(verbosity="none")
    return package.parsePDB(str(path), altloc="all")


def read_openmm(path: Path) -> Any:
    pytest.importorskip("openmm")
    from openmm.app import PDBFile

    return PDBFile(str(path))


@pytest.mark.parametrize("name", ["1crn.pdb", "1ubq.pdb"])
def test_prody_has_the_files_rows(name: str, data: Path, tmp_path: Path) -> None:
    path = tmp_path / name
    path.write_bytes(gzip.decompress((data / f"{name}.gz").read_bytes()))
    value = read_prody(path)
    expected = prism.features(path, COLUMNS, "cpu")
    assert prism.features(list(prism.structures(value, name)), COLUMNS, "cpu").equals(expected)
    chain = next(iter(value.getHierView()))
    for part in (chain, value.select("protein")):
        assert prism.features(list(prism.structures(part, name)), COLUMNS, "cpu").equals(expected)
    assert set(prism.features(value, ["wcn"], "cpu")["structure"].to_pylist()) == {name[:4]}


def test_openmm_has_the_files_rows(crambin: Path, tmp_path: Path) -> None:
    value = read_openmm(crambin)
    # OpenMM keeps neither B factors nor occupancies.
    columns = ["wcn", "sasa", "depth", "chi1"]
    expected = prism.features(crambin, columns, "cpu")
    pair = (value.topology, value.positions)
    in_nm = (value.topology, np.array(value.positions.value_in_unit(value.positions.unit)))
    from openmm.app import Modeller

    for given in (value, pair, in_nm, Modeller(*pair)):
        assert prism.features(list(prism.structures(given, "1crn.pdb", decimals=3)), columns, "cpu").equals(expected)
    assert len(prism.features([pair, crambin], columns, "cpu")) == 2 * 46


def test_parts_of_structures(rbd: Path, crambin: Path, data: Path) -> None:
    gemmi = pytest.importorskip("gemmi")
    expected = prism.features(rbd, COLUMNS, "cpu")
    structure = gemmi.read_structure(str(rbd))
    (chain,) = [one for one in structure[0] if one.name == "E"]
    assert prism.features(list(prism.structures(chain, rbd.name)), COLUMNS, "cpu").equals(expected)
    assert set(prism.features(chain, ["wcn"], "cpu")["structure"].to_pylist()) == {"E"}
    file = data / "1aki.cif.gz"
    block = gemmi.cif.read(str(file)).sole_block()
    assert prism.features(list(prism.structures(block, "1aki.cif")), COLUMNS, "cpu").equals(prism.features(file, COLUMNS, "cpu"))
    assert set(prism.features(block, ["wcn"], "cpu")["structure"].to_pylist()) == {"1AKI"}
    residue = next(iter(read_biopython(crambin).get_residues()))
    alone = prism.features(residue, ["sasa"], "cpu").to_pylist()
    assert [(row["structure"], row["chain"], row["resnum"], row["resname"]) for row in alone] == [("THR1", "A", 1, "THR")]


def atom37(path: Path) -> dict[str, Any]:
    """The arrays as AlphaFold's pipeline makes them."""
    from prism_features._structure import _ATOM14, _ATOM37

    codes = [line.split()[0] for line in _ATOM14.split("\n") if line]
    of = arrays(path)
    row_of: dict[int, int] = {}
    for number in of["residue_numbers"]:
        row_of.setdefault(int(number), len(row_of))
    positions, mask = np.zeros((len(row_of), 37, 3)), np.zeros((len(row_of), 37), bool)
    aatype, b_factors = np.zeros(len(row_of), int), np.zeros((len(row_of), 37))
    for index, number in enumerate(of["residue_numbers"]):
        row, column = row_of[int(number)], _ATOM37.split().index(of["atom_names"][index])
        positions[row, column], mask[row, column] = of["positions"][index], True
        aatype[row], b_factors[row, column] = codes.index(of["residue_names"][index]), of["b_factors"][index]
    return {"positions": positions, "aatype": aatype, "mask": mask, "residue_numbers": list(row_of), "b_factors": b_factors}


def assert_close(table: prism.Table, expected: prism.Table) -> None:
    """Atoms of a residue in another order add up in another order."""
    assert table.rows.equals(expected.rows)
    for name in expected.column_names[7:]:
        np.testing.assert_allclose(table[name].to_numpy(), expected[name].to_numpy(), rtol=1e-5, err_msg=name)


def test_arrays_of_37_and_14_atoms(crambin: Path) -> None:
    expected = prism.features(crambin, COLUMNS, "cpu")
    of = atom37(crambin)
    # The last residue has a terminal oxygen, which is an atom.
    assert of["mask"][-1, 36]
    for mask in (of["mask"], None):
        structure = prism.Structure.from_atom37(**{**of, "mask": mask}, name=crambin.name)
        assert_close(prism.features(structure, COLUMNS, "cpu"), expected)
    from prism_features._structure import _ATOM14, _ATOM37

    names = [line.split()[1:] for line in _ATOM14.split("\n") if line]
    positions = np.zeros((46, 14, 3))
    for row, kind in enumerate(of["aatype"]):
        for atom, name in enumerate(names[kind]):
            positions[row, atom] = of["positions"][row, _ATOM37.split().index(name)]
    structure = prism.Structure.from_atom14(positions, of["aatype"], name=crambin.name)
    without = "".join(line + "\n" for line in crambin.read_text().splitlines() if " OXT " not in line)
    table = prism.features(structure, ["wcn", "sasa", "chi1"], "cpu")
    assert_close(table, prism.features((crambin.name, without.encode()), ["wcn", "sasa", "chi1"], "cpu"))
    # A number for each residue, and two chains.
    half = [0] * 20 + [1] * 26
    options = {**of, "b_factors": np.full(46, 87.5), "chain_index": half}
    table = prism.features(prism.Structure.from_atom37(**options), ["chain", "b_factor"], "cpu")
    assert table["chain"].to_pylist() == ["A"] * 20 + ["B"] * 26 and set(table["b_factor"].to_pylist()) == {87.5}


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ({"positions": np.zeros((46, 14, 3))}, r"positions has the shape \(46, 14, 3\); it takes \(46, 37, 3\)"),
        ({"aatype": [21] * 46}, "aatype takes numbers from 0 to 20"),
        ({"mask": np.ones((46, 36))}, r"mask has the shape \(46, 36\)"),
        ({"residue_numbers": [1]}, "residue_numbers has 1 entries for 46 residues"),
        ({"chain_index": [-1] * 46}, "chain_index takes numbers from 0"),
        ({"b_factors": [1.0]}, r"b_factors has the shape \(1, 37\)"),
    ],
)
def test_wrong_arrays_of_machine_learning_are_reported(crambin: Path, wrong: dict[str, Any], message: str) -> None:
    with pytest.raises(prism.PrismError, match=message):
        prism.Structure.from_atom37(**{**atom37(crambin), **wrong})


def test_oxygens_at_the_end_have_names_of_force_fields(crambin: Path) -> None:
    of = arrays(crambin)
    last = of["residue_numbers"] == of["residue_numbers"].max()
    names = of["atom_names"].astype("U4")
    for own, terminal in (("OT1", "OT2"), ("OC1", "OC2"), ("O1", "O2")):
        renamed = np.where(last & (names == "O"), own, np.where(last & (names == "OXT"), terminal, names))
        structure = prism.Structure(**{**of, "atom_names": renamed})
        assert prism.features(structure, COLUMNS, "cpu").equals(prism.features(crambin, COLUMNS, "cpu"))


def test_biotites_author_ids_are_taken_where_there_are_both(data: Path, tmp_path: Path) -> None:
    pytest.importorskip("biotite")
    from biotite.structure.io.pdbx import CIFFile, get_structure

    path = tmp_path / "4zhl.cif"
    path.write_bytes(gzip.decompress((data / "4zhl.cif.gz").read_bytes()))
    file = CIFFile.read(str(path))
    options = {"model": 1, "altloc": "all"}
    # The default before version 2 is not that after it.
    expected = prism.features(get_structure(file, **options, use_author_fields=True), ["wcn"], "cpu")
    labels = {**options, "use_author_fields": False}
    both = get_structure(file, **labels, extra_fields=["auth_asym_id", "auth_seq_id"])
    assert prism.features(both, ["wcn"], "cpu").equals(expected)
    of_file = prism.features(path, ["wcn"], "cpu")
    label_ids = prism.features(get_structure(file, **labels), ["wcn"], "cpu")
    for name in ("chain", "resnum", "icode", "resname"):
        assert expected[name].equals(of_file[name])
    assert not label_ids["resnum"].equals(of_file["resnum"])


def test_what_biotite_was_not_asked_for_is_not_known(rbd: Path) -> None:
    """Without extra fields its arrays have no B factors."""
    pytest.importorskip("biotite")
    from biotite.structure.io.pdb import PDBFile

    table = prism.features(PDBFile.read(str(rbd)).get_structure(model=1), ["sasa", "b_factor"], "cpu")
    assert table["b_factor"].null_count == len(table) == 194 and table["sasa"].null_count == 0


def first_of(value: Any, name: str, residue: int) -> Any:
    """A column at the alpha carbon of a residue, as users of the package ask for it."""
    package = type(value).__module__.partition(".")[0]
    if package == "biotite":
        return value.get_annotation(name)[(value.res_id == residue) & (value.atom_name == "CA")][0]
    if package == "Bio":
        return value[0]["E"][residue].xtra.get(name)
    if package == "MDAnalysis":
        return getattr(value.select_atoms(f"resid {residue} and name CA"), name)[0]
    return value.select(f"resnum {residue} and name CA").getData(name)[0]


def b_factors_of(value: Any, residue: int) -> list[float]:
    package = type(value).__module__.partition(".")[0]
    if package == "biotite":
        return value.b_factor[value.res_id == residue].tolist()
    if package == "Bio":
        return [atom.bfactor for atom in value[0]["E"][residue]]
    if package == "gemmi":
        return [atom.b_iso for chain in value[0] for one in chain if one.seqid.num == residue for atom in one]
    if package == "MDAnalysis":
        return value.select_atoms(f"resid {residue}").tempfactors.tolist()
    return value.select(f"resnum {residue}").getBetas().tolist()


@pytest.mark.parametrize("read", [read_biotite, read_biopython, read_gemmi, read_mdanalysis, read_prody])
def test_features_are_written_back(read: Any, rbd: Path) -> None:
    value = read(rbd)
    table = prism.features(rbd, ["sasa", "ss", "phi"], "cpu")
    rows = {row["resnum"]: row for row in table.to_pylist()}
    if read is read_gemmi:
        with pytest.raises(prism.PrismError, match="gemmi's objects have no place for columns"):
            prism.annotate(value, table)
        prism.annotate(value, table, b_factors="sasa")
    else:
        prism.annotate(value, table, b_factors="sasa", columns=["sasa", "ss", "phi"])
        for number in (400, 450):
            assert first_of(value, "sasa", number) == pytest.approx(rows[number]["sasa"])
            assert first_of(value, "ss", number) == rows[number]["ss"]
        undefined = first_of(value, "phi", 333)
        assert rows[333]["phi"] is None and (undefined is None or np.isnan(undefined))
    for number in (400, 450):
        assert b_factors_of(value, number) == pytest.approx([rows[number]["sasa"]] * len(b_factors_of(value, number)))
    # Later values replace them.
    prism.annotate(value, table.arrow.set_column(7, "sasa", pa.array([1.0] * 194, pa.float32())), b_factors="sasa")
    assert set(b_factors_of(value, 400)) == {1.0}


def test_what_cannot_be_written_back_is_reported(rbd: Path, crambin: Path) -> None:
    value = read_biopython(rbd)
    table = prism.features(rbd, ["sasa", "ss"], "cpu")
    for wrong, message in [
        ((value, table, "wcn"), "the table has no column 'wcn'"),
        ((value, prism.features([rbd, crambin], ["sasa"], "cpu")), "the table has several structures"),
        ((value, prism.features(crambin, ["sasa"], "cpu")), "no row of the table is of a residue of this object"),
        ((str(rbd), table), "builtins.str is of no package that annotate knows"),
    ]:
        with pytest.raises(prism.PrismError, match=message):
            prism.annotate(*wrong)
    with pytest.raises(TypeError, match="table takes rows as prism.features gives them, not NoneType"):
        prism.annotate(value, None)  # type: ignore[arg-type]
    with pytest.raises(prism.PrismError, match="b_factors takes a column of numbers, and ss has texts"):
        prism.annotate(value, table, b_factors="ss")
