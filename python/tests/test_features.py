"""The table is the command's, whatever the inputs come as."""

from __future__ import annotations

import gc
import pickle
import subprocess
import sys
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

import prism_features as prism


def test_import_is_silent_and_starts_nothing() -> None:
    code = "import sys, prism_features as prism; assert not {'torch', 'ray', 'gemmi'} & set(sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert (done.stdout, done.stderr) == ("", "")


def test_tables_need_no_numpy(rbd: Path) -> None:
    code = f"import sys; sys.modules['numpy'] = None; import prism_features as prism; assert prism.features({str(rbd)!r}).num_rows == 194"
    subprocess.run([sys.executable, "-c", code], check=True)


def test_a_file_is_a_table(rbd: Path) -> None:
    table = prism.features(rbd, backend="cpu")
    assert table.num_rows == 194
    assert table.column_names[:6] == ["structure", "row", "chain", "resnum", "icode", "resname"]
    assert table.schema.field("sasa").metadata[b"unit"] == b"\xc3\x85^2"
    assert table.schema.field("sasa").type == pa.float32()
    assert set(table["chain"].to_pylist()) == {"E"}


def test_bytes_pairs_files_and_folders_give_the_same_rows(rbd: Path, tmp_path: Path) -> None:
    columns = ["wcn", "sasa", "depth"]
    expected = prism.features(rbd, columns, "cpu")
    content = rbd.read_bytes()
    (tmp_path / rbd.name).write_bytes(content)
    with rbd.open("rb") as file:
        for inputs in [str(rbd), [(rbd.name, content)], file, [tmp_path]]:
            assert prism.features(inputs, columns, "cpu").equals(expected), inputs


def test_order_is_that_of_the_inputs(rbd: Path, crambin: Path) -> None:
    inputs = [crambin, ("memory", rbd.read_bytes()), rbd]
    names = prism.features(inputs, ["wcn"], "cpu")["structure"].to_pylist()
    assert list(dict.fromkeys(names)) == ["1crn.pdb", "memory", "6m0j_rbd.pdb"]
    assert len(names) == 46 + 194 + 194


def test_no_inputs_give_the_columns() -> None:
    table = prism.features([], ["wcn"], "cpu")
    assert (table.num_rows, table.column_names[-1]) == (0, "wcn")


def test_failures_name_the_input(rbd: Path) -> None:
    inputs = [("broken", b"no structure"), rbd]
    with pytest.raises(prism.InputError, match="^broken: ") as raised:
        prism.features(inputs, ["wcn"], "cpu")
    assert raised.value.failure.name == "broken"
    with pytest.warns(prism.InputWarning, match="^broken: ") as warned:
        assert prism.features(inputs, ["wcn"], "cpu", on_error="skip").num_rows == 194
        more = [*inputs, *((str(index), rbd.read_bytes()) for index in range(5))]
        assert prism.Engine("cpu").features(more, ["wcn"], on_error="skip").num_rows == 6 * 194
    assert {warning.filename for warning in warned} == {__file__}
    table = prism.features(inputs, ["wcn"], "cpu", on_error="report")
    assert table.num_rows == 194
    assert [failure.name for failure in table.failures] == ["broken"]
    # Other processes send errors as they are.
    assert pickle.loads(pickle.dumps(raised.value)).failure == raised.value.failure


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"columns": ["wnc"]}, "no column `wnc`"),
        ({"backend": "gpu"}, "backend must be"),
        ({"on_error": "ignore"}, "on_error must be"),
        ({"residues": "some"}, "residues must be"),
        ({"altloc": "AB"}, "altloc must be"),
        ({"het": "all"}, "het must be"),
        ({"model": "last"}, "model must be"),
        ({"name_by": "title"}, "name_by must be"),
        ({"points": 3}, "points"),
        ({"points": -3}, "points must be from 20 to 5000"),
        ({"contact_threshold": 0.0}, "contact_threshold"),
        ({"annotations": "no/such/file.csv"}, "no/such/file.csv"),
    ],
)
def test_wrong_arguments_are_reported(rbd: Path, arguments: dict[str, object], message: str) -> None:
    with pytest.raises((prism.PrismError, ValueError), match=message):
        prism.features(rbd, **{"backend": "cpu", **arguments})  # type: ignore[call-arg]


def test_unknown_options_are_reported(rbd: Path) -> None:
    with pytest.raises(TypeError, match=r"no option 'chain' \(did you mean 'chains'\?\); there are"):
        prism.features(rbd, backend="cpu", chain="A")  # type: ignore[call-arg]
    with pytest.raises(TypeError, match=r"no option 'point' \(did you mean 'points'\?\); there are"):
        prism.Engine("cpu", point=3)  # type: ignore[call-arg]
    with pytest.raises(TypeError, match="chains takes a list"):
        prism.features(rbd, backend="cpu", chains="E")
    assert prism.features(rbd, "sasa", "cpu").equals(prism.features(rbd, ["sasa"], "cpu"))
    with pytest.raises(TypeError, match="^chains takes a list"):
        prism.features(rbd, backend="cpu", chains=[1])  # type: ignore[list-item]
    with pytest.raises(TypeError, match="^device takes a text, not 1"):
        prism.tensors(rbd, device=1)  # type: ignore[arg-type]


WRONG: list[tuple[str, str, Any, str]] = [
    # The function, the argument, a value that it does not take, and a part of the message.
    ("features", "columns", 3, 'takes a list of texts, such as ["sasa"], not 3'),
    ("features", "columns", [3], "takes a list of texts"),
    ("features", "columns", [], "is empty"),
    ("features", "backend", None, "takes a text, not None"),
    ("features", "chains", 3, "takes a list of texts"),
    ("features", "chains", [], "is empty"),
    ("features", "residues", None, "takes a text"),
    ("features", "model", 1.5, 'takes a number of 32 bits, "all" or None, not 1.5'),
    ("features", "model", 10**12, "takes a number of 32 bits"),
    ("features", "assembly", 1, 'takes a text, such as "1", or None, not 1'),
    ("features", "name_by", 3, "takes a text or None"),
    ("features", "annotations", 3, "takes a path or None"),
    ("features", "devices", 0, "takes a list of numbers"),
    ("features", "devices", [-1], "takes a list of numbers"),
    ("features", "devices", iter([0]), "takes a list of numbers"),
    ("features", "contact_threshold", "8", "takes a number, not '8'"),
    ("features", "points", 1.5, "takes a whole number, not 1.5"),
    ("features", "points", 10**30, "takes a whole number"),
    ("features", "min_feature_value", "x", "takes a number"),
    ("features", "threads", 0, "takes a whole number from 1 to 4096, or None, not 0"),
    # It would start them all.
    ("features", "threads", 1_000_000, "takes a whole number from 1 to 4096, or None"),
    # Options that would have no effect are refused.
    ("features", "decimals", 3, "is an option of prism.structures and prism.Structure"),
    ("features", "max_sites", 3, "is an option of the table sites, and not of features"),
    ("sites", "kinds", ["ca"], "is an option of the table edges, and not of sites"),
    ("summary", "by_residue", True, "is an option of the table interface, and not of summary"),
    ("tensors", "between", ("A", "B"), "is an option of the table interface, and not of tensors"),
    ("stream", "min_probability", 1.0, "is an option of the table sites, and not of features"),
    ("sites", "columns", ["sasa"], "is for prism.features; sites has columns of its own"),
    ("sites", "device", "cpu", "is no option of the table sites"),
    ("sites", "max_sites", -1, "takes a whole number, not below 0, not -1"),
    ("sites", "min_probability", float("nan"), "takes a number from 0 to 1, not nan"),
    ("sites", "min_plddt", 101, "takes a number from 0 to 100, or None, not 101"),
    ("sites", "all", 1, "takes True or False, not 1"),
    ("edges", "kinds", "ca", "takes a list of texts"),
    ("edges", "kinds", [], "is empty"),
    ("interface", "between", ("A",), 'takes two chains, such as ("A", "B"), or None'),
    ("interface", "by_residue", "x", "takes True or False"),
]


@pytest.mark.parametrize(("function", "name", "value", "message"), WRONG)
def test_messages_name_the_argument_and_what_it_takes(function: str, name: str, value: Any, message: str) -> None:
    with pytest.raises((TypeError, prism.PrismError)) as error:
        getattr(prism, function)(b"", **{name: value})
    assert str(error.value).startswith(name) and message in str(error.value)


def test_numbers_of_numpy_are_numbers_and_its_arrays_are_not(rbd: Path) -> None:
    np = pytest.importorskip("numpy")
    table = prism.sites(rbd, "cpu", points=np.int64(50), contact_threshold=np.float32(8.0), min_probability=np.float64(0.5))
    assert table.equals(prism.sites(rbd, "cpu", points=50, contact_threshold=8.0, min_probability=0.5))
    assert prism.interface(rbd, by_residue=np.True_).equals(prism.interface(rbd, by_residue=True))
    for name, value in {"contact_threshold": [8.0], "points": 100, "min_probability": 0.5, "max_sites": 3}.items():
        with pytest.raises(TypeError, match=f"^{name} takes a .*number.*, not array"):
            prism.sites(rbd, **{name: np.array(value)})  # type: ignore[arg-type]


def test_messages_of_engines_name_what_they_take(rbd: Path) -> None:
    engine = prism.Engine("cpu")
    with pytest.raises(TypeError, match="points is an option of prism.Engine, and not of its calls"):
        engine.features(rbd, points=50)  # type: ignore[call-arg]
    with pytest.raises(TypeError, match="columns is for the table features; sites has columns of its own"):
        engine.table("sites", rbd, ["sasa"])
    with pytest.raises(TypeError, match="table takes a text, not 3"):
        engine.table(3, rbd)  # type: ignore[arg-type]
    with pytest.raises(prism.PrismError, match=r"no column `nope`; prism.columns\(\) lists"):
        engine.features(rbd, ["nope"])
    # A list may be a pair.
    engine.table("interface", rbd, between=["A", "E"], on_error="report")  # type: ignore[arg-type]


def test_what_is_no_input_is_reported() -> None:
    with pytest.raises(prism.PrismError, match="int is no input"):
        prism.features(3, backend="cpu")
    with pytest.raises(prism.PrismError, match="input 1: int is no input"):
        prism.features([b"", 3], backend="cpu")
    with pytest.raises(prism.PrismError, match="dict is no input; its items"):
        prism.features({"name": b""}, backend="cpu")
    # A loop over it gives the names of its columns.
    with pytest.raises(prism.PrismError, match="Table is no input; a column of paths is"):
        prism.features(pa.table({"path": ["1crn.pdb"]}), backend="cpu")
    with pytest.raises(prism.PrismError, match=r"input 0: \(name, text\) is no input; give bytes"):
        prism.features([("name", "text")], backend="cpu")
    with pytest.raises(prism.InputError, match="^input: is a text of several lines, and no path"):
        prism.features("ATOM\nATOM\n", backend="cpu")


def test_columns_are_described(rbd: Path) -> None:
    table = prism.columns()
    assert table.column_names == ["name", "role", "dtype", "unit", "definition", "source"]
    described = {row["name"]: row for row in table.to_pylist()}
    assert described["sasa"]["unit"] == "Å^2" and described["sasa"]["role"] == "feature"
    assert "Shrake" in described["sasa"]["source"]
    # Of every column of a table, and of those on request, it says what the table has.
    features = prism.features(rbd, backend="cpu")
    for field in features.schema:
        assert (described[field.name]["dtype"], described[field.name]["unit"]) == (str(field.type), field.metadata[b"unit"].decode())
    roles = {role: [name for name, row in described.items() if row["role"] == role] for role in table["role"].unique().to_pylist()}
    assert roles["identity"] == ["structure", "row", "chain", "resnum", "icode", "resname", "parent"]
    assert roles["state"] == ["ss"] and {"site_id", "plddt"} <= set(roles["other"]) and "uniprot_number" in roles["on request"]
    assert features.rows.column_names == roles["identity"] and features.rows["resnum"].equals(features["resnum"])


def test_later_tables_of_an_engine_are_those_of_the_first(rbd: Path, crambin: Path) -> None:
    engine = prism.Engine("cpu")
    first = {path: engine.features(path) for path in (rbd, crambin)}
    # Texts, integers and floats; with nulls and without.
    assert {str(field.type) for field in first[rbd].schema} == {"string", "int32", "float"}
    assert 0 < first[rbd]["phi"].null_count < 194 and first[rbd]["wcn"].null_count == 0
    for path in (rbd, crambin, rbd):
        table = engine.features(path)
        table.validate(full=True)
        assert table.equals(first[path], check_metadata=True)
    # A column outlives its table, and rows that nobody takes are freed.
    column = engine.features(rbd)["phi"]
    gc.collect()
    engine.features(crambin)
    assert column.equals(first[rbd]["phi"])
    for batch in engine._native.job("features", None, engine_options()).stream([str(rbd)]):
        assert batch.address() != 0 and batch.address() != 0


def engine_options() -> dict[str, object]:
    from prism_features._options import table_options

    return table_options({})


def test_frames_of_pandas_and_polars(rbd: Path) -> None:
    table = prism.features(rbd, ["wcn"], "cpu")
    assert len(pytest.importorskip("pandas").DataFrame(table.to_pandas())) == 194
    assert len(pytest.importorskip("polars").from_arrow(table)) == 194
