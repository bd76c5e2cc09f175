"""Signatures list every option, results are of one kind, and engines are what a with statement takes."""

from __future__ import annotations

import errno
import inspect
import json
import os
import pickle
import subprocess
import sys
import sysconfig
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import prism_features as prism
from prism_features import _prism

PYTHON = Path(__file__).resolve().parents[1]
TABLES = ["features", "sites", "edges", "interface", "ligands", "atoms", "areas", "summary"]


@pytest.mark.parametrize("name", [*TABLES, "dockq", "stream", "tensors", "trajectory", "report"])
def test_signatures_list_every_option(name: str) -> None:
    function = inspect.signature(getattr(prism, name)).parameters
    assert not [one for one in function.values() if one.kind is inspect.Parameter.VAR_KEYWORD]
    for option, default in {"chains": None, "altloc": "highest", "points": 100, "threads": None, "backend": "auto"}.items():
        assert function[option].default == default
    if name in TABLES:
        method = inspect.signature(getattr(prism.Engine, name)).parameters
        # An engine has its own options already.
        engine = set(inspect.signature(prism.Engine).parameters)
        assert set(method) - {"self"} == set(function) - engine
        assert all(method[one].default == function[one].default for one in method if one != "self")
        assert getattr(prism, name).__doc__ == getattr(prism.Engine, name).__doc__


def test_defaults_are_those_of_the_engine(rbd: Path) -> None:
    own = inspect.signature(prism.Engine).parameters
    names = ("contact_threshold", "points", "site_threshold", "min_feature_value")
    assert [own[name].default for name in names] == pytest.approx(list(_prism.engine_defaults()))
    # Every default that is listed may be given.
    for name in TABLES:
        of = inspect.signature(getattr(prism, name)).parameters.values()
        options = {one.name: one.default for one in of if one.kind is inspect.Parameter.KEYWORD_ONLY}
        assert getattr(prism, name)(rbd, backend="cpu", **options).equals(getattr(prism, name)(rbd, backend="cpu"))


def test_what_editors_read_is_up_to_date() -> None:
    environment = {**os.environ, "PYTHONPATH": str(Path(prism.__file__).parents[1])}
    done = subprocess.run(
        [sys.executable, PYTHON / "stubs.py", "--check"], env=environment, cwd=PYTHON, capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr


#: What a type checker must refuse, and the name that it must give.
WRONG = {
    "engine.features(paths, cahins=['A'])": "cahins",
    "prism.features(paths, altloc=1)": "altloc",
    "prism.sites(paths, columns=['sasa'])": "columns",
    "prism.features(paths, on_error='ignore')": "on_error",
}


def test_a_program_of_real_use_runs(rbd: Path) -> None:
    made = PYTHON.parent / "host" / "trajectory" / "tests" / "data"
    environment = {**os.environ, "PYTHONPATH": str(Path(prism.__file__).parents[1])}
    command = [sys.executable, PYTHON / "tests" / "real_use.py", rbd, made / "top.pdb", made / "small.xtc"]
    done = subprocess.run(command, env=environment, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith(f"{rbd.name} (194, 2) ") and "no-such-file.pdb" in done.stdout.splitlines()[-1]


@pytest.mark.parametrize("checker", ["mypy", "pyright"])
def test_type_checkers_know_options_and_results(checker: str, tmp_path: Path) -> None:
    pytest.importorskip(checker)
    (tmp_path / "use.py").write_text((PYTHON / "tests" / "real_use.py").read_text())
    wrong = "".join(f"    {line}\n" for line in WRONG)
    (tmp_path / "wrong.py").write_text(f"import prism_features as prism\ndef main(engine: prism.Engine, paths: list[str]) -> None:\n{wrong}")
    package = str(Path(prism.__file__).parents[1])
    # mypy refuses to be told of an environment's own packages.
    environment = {**os.environ, **({} if package in sys.path and package.endswith("site-packages") else {"MYPYPATH": package})}
    command = [sys.executable, "-m", "mypy", "--strict", "--config-file", os.devnull, "--follow-imports=silent"]
    command += ["--cache-dir", str(tmp_path / "cache")]
    if checker == "pyright":
        # Without the stubs, pyright knows no batches, and takes their absence for an error.
        pytest.importorskip("pyarrow-stubs", reason="pip install pyarrow-stubs")
        (tmp_path / "pyrightconfig.json").write_text(json.dumps({"typeCheckingMode": "strict", "extraPaths": [package]}))
        command = [sys.executable, "-m", "pyright", "--pythonpath", sys.executable, "--project", str(tmp_path)]
    found = {}
    for name in ("use", "wrong"):
        files = [] if checker == "pyright" else [f"{name}.py"]
        done = subprocess.run([*command, *files], env=environment, cwd=tmp_path, capture_output=True, text=True)
        assert done.returncode in (0, 1), done.stdout + done.stderr
        lines = [line.strip().rpartition("/")[2] for line in done.stdout.splitlines() if "error" in line]
        found[name] = [line for line in lines if line.startswith(f"{name}.py:")]
    assert found["use"] == []
    for number, name in enumerate(WRONG.values(), 3):
        assert any(line.startswith(f"wrong.py:{number}:") and name in line for line in found["wrong"]), found["wrong"]


def test_a_table_is_arrows_and_has_its_failures(rbd: Path) -> None:
    table = prism.features([rbd, ("broken", b"")], ["sasa", "ss"], "cpu", on_error="report")
    assert isinstance(table, prism.Table) and isinstance(table.arrow, pa.Table)
    assert [failure.name for failure in table.failures] == ["broken"]
    assert pa.table(table).equals(table.arrow) and pickle.loads(pickle.dumps(table)) == table
    assert table == table.arrow and len(table) == table.num_rows == 194
    assert table.rows.column_names == ["structure", "row", "chain", "resnum", "icode", "resname", "parent"]
    # The methods of Arrow's tables are there, too.
    assert table.group_by("chain").aggregate([("sasa", "sum")]).num_rows == 1
    assert table.select(["sasa"]).column_names == ["sasa"]
    for columns in (table.to_pydict(), table.select(["sasa"]).to_pydict()):
        assert len(columns["sasa"]) == 194
    with pytest.raises(AttributeError, match="sassa"):
        table.sassa
    assert repr(table).startswith("<prism.Table: 194 rows, 1 failed>")
    assert pytest.importorskip("polars").DataFrame(table).shape == (194, 9) == table.to_polars().shape


def test_a_missing_file_is_a_file_that_is_not_found(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError) as missing:
        prism.features(tmp_path / "none.pdb", backend="cpu")
    assert isinstance(missing.value, prism.InputError) and isinstance(missing.value, ValueError)
    assert missing.value.filename == str(tmp_path / "none.pdb") and missing.value.errno == errno.ENOENT
    assert str(missing.value).startswith(f"{tmp_path / 'none.pdb'}: ")
    again = pickle.loads(pickle.dumps(missing.value))
    assert (type(again), again.filename, str(again)) == (type(missing.value), missing.value.filename, str(missing.value))
    # Whatever the words are.
    other = tmp_path / "No such file.pdb"
    other.write_text("No such file or directory\n")
    with pytest.raises(prism.InputError) as broken:
        prism.features(other, backend="cpu")
    assert not isinstance(broken.value, FileNotFoundError)
    with pytest.raises(FileNotFoundError):
        prism.edges("no/such.pdb", kinds=["hbond"])
    with pytest.raises(FileNotFoundError, match="nothing is downloaded"):
        prism.features("1crn", backend="cpu")


@pytest.mark.parametrize("name", [name for name in TABLES if name != "areas"])
def test_tables_say_how_they_were_made_as_files_do(command: Path, name: str, crambin: Path, tmp_path: Path) -> None:
    output = tmp_path / "table.arrow"
    # The command refuses what has no effect.
    points = {} if name == "edges" else {"points": 200}
    arguments = ["--points", "200"] if points else []
    subprocess.run([command, name, crambin, "-q", "--backend", "cpu", *arguments, "-o", output], check=True)
    with pa.memory_map(str(output)) as file:
        expected = pa.ipc.open_file(file).schema.metadata
    table = getattr(prism, name)(crambin, backend="cpu", **points)
    metadata = table.schema.metadata
    assert metadata == {key: value for key, value in expected.items() if key != b"prism.command"}
    # A file that is written keeps it.
    pq.write_table(table.arrow, tmp_path / "again.parquet")
    assert pq.read_schema(tmp_path / "again.parquet").metadata[b"prism.points"] == metadata[b"prism.points"]


def test_undefined_texts_are_null(rbd: Path, crambin: Path, tmp_path: Path) -> None:
    text = "".join(line[:17] + "UNK" + line[20:] if line[22:26] == "  10" else line for line in crambin.read_text().splitlines(keepends=True))
    carbons = "".join(line for line in text.splitlines(keepends=True) if line[22:26] != "  20" or line[12:16] == " CA ")
    table = prism.features(("x.pdb", carbons.encode()), ["structure", "resnum", "icode", "parent", "ss", "site_id", "label_asym_id"], "cpu")
    rows = {row["resnum"]: row for row in table.to_pylist()}
    assert rows[10]["parent"] is None and rows[20]["ss"] is None
    assert rows[9]["parent"] is not None and rows[9]["ss"] == "H"
    # There is no insertion code, which is known. A PDB file has no label ids.
    assert table["icode"].null_count == 0 and table["label_asym_id"].null_count == table.num_rows
    assert "" not in table["parent"].to_pylist() + table["ss"].to_pylist()
    table.validate(full=True)


def test_an_engine_gives_its_memory_back(rbd: Path) -> None:
    with prism.Engine("cpu", threads=2) as engine:
        assert engine.features(rbd, ["sasa"]).equals(prism.features(rbd, ["sasa"], "cpu"))
        kept = engine
    assert repr(kept) == "<prism.Engine: closed>"
    for call in (kept.features, kept.sites, kept.stream, kept.tensors):
        with pytest.raises(prism.PrismError, match="the engine is closed"):
            call(rbd)
    kept.close()


def test_threads_limit_an_engine(rbd: Path) -> None:
    many = [(str(index), rbd.read_bytes()) for index in range(4)]
    engine = prism.Engine("cpu", threads=1)
    assert engine.description.startswith("CPU (1 core")
    status = Path("/proc/self/status")
    for name, options in [("features", {}), ("atoms", {"algorithm": "lee-richards"}), ("interface", {}), ("sites", {})]:
        own = getattr(engine, name)(many, **options)
        assert own.equals(getattr(prism, name)(many, backend="cpu", **options))
    if status.is_file():
        names = {one.read_text().strip() for one in Path("/proc/self/task").glob("*/comm")}
        assert not any(name.startswith("prism 1") for name in names) and any(name.startswith("prism 0") for name in names)
    for wrong in (0, -1, 1.5, "2", True):
        with pytest.raises(TypeError, match="threads takes a whole number from 1 to 4096, or None"):
            prism.features(rbd, threads=wrong)  # type: ignore[arg-type]


def test_threads_share_an_engine(rbd: Path, data: Path) -> None:
    """At once, where the interpreter has no global lock: importing the package does not bring it back."""
    files: list[Any] = [rbd, *sorted(data.glob("*.pdb.gz"))]
    small = [(path.name, path.read_bytes()) for path in files]
    calls: dict[str, Any] = {
        "features": lambda engine, of: engine.features(of, ["sasa", "ss"]),
        "edges": lambda engine, of: engine.edges(of, kinds=["ca"]),
        "summary": lambda engine, of: engine.summary(of),
        "stream": lambda engine, of: prism.Table(pa.Table.from_batches(list(engine.stream(iter([of]), ["sasa"])))),
        "module": lambda engine, of: prism.features(of, ["wcn"], "cpu"),
        "tensors": lambda engine, of: pa.table({"rows": [repr(tensor) for tensor in engine.tensors(of, ["sasa"])]}),
    }
    work = [(name, one) for _ in range(4) for one in small for name in calls]
    with prism.Engine("cpu") as engine:
        expected = {(name, one[0]): calls[name](engine, one) for name, one in work}
        with ThreadPoolExecutor(8) as pool:
            found = list(pool.map(lambda of: calls[of[0]](engine, of[1]), work))
    for (name, one), table in zip(work, found, strict=True):
        assert table.equals(expected[name, one[0]]), (name, one[0])
    if sysconfig.get_config_var("Py_GIL_DISABLED"):
        assert not getattr(sys, "_is_gil_enabled")()


def test_leaving_a_stream_ends_its_run(rbd: Path) -> None:
    many: Any = ((str(index), rbd.read_bytes()) for index in range(5000))
    before = threading.active_count()
    with prism.stream(many, ["wcn"], "cpu", on_error="skip") as stream:
        assert next(stream).num_rows > 0
    with pytest.raises(StopIteration):
        next(stream)
    time.sleep(0.1)
    assert threading.active_count() == before
    stream = prism.Engine("cpu").stream([("x", b""), rbd], ["wcn"], on_error="report")
    assert sum(batch.num_rows for batch in stream) == 194 and [failure.name for failure in stream.failures] == ["x"]


def test_functions_take_their_arguments_by_name_and_position(rbd: Path) -> None:
    expected = prism.features(rbd, ["wcn"], "cpu")
    assert prism.features(inputs=rbd, columns=["wcn"], backend="cpu").equals(expected)
    with pytest.raises(TypeError, match="features takes 3 arguments without their names, not 4"):
        prism.features(rbd, ["wcn"], "cpu", "raise")  # type: ignore[misc]
    with pytest.raises(TypeError, match="features has two values for backend"):
        prism.features(rbd, ["wcn"], "cpu", backend="cpu")  # type: ignore[misc]
    with pytest.raises(TypeError, match="columns is for prism.features; sites has columns of its own"):
        prism.sites(rbd, columns=["sasa"])  # type: ignore[call-arg]
    with pytest.raises(TypeError, match="inputs"):
        prism.features()  # type: ignore[call-arg]
