"""The Python of all documents runs, on structures with what is unusual in real sets: an unknown residue, a modified one, a predicted
model, an ensemble of models."""

from __future__ import annotations

import ast
import doctest
import gzip
import inspect
import os
import re
import shutil
import subprocess
import sys
from datetime import date, timedelta
from pathlib import Path
from typing import Any

import pytest

import prism_features as prism

ROOT = Path(__file__).resolve().parents[2]
DOCUMENTS = [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md")), ROOT / "python" / "README.md"]


#: Their examples are of clusters: `test_ray.py` and `tests/faults/ray_killed.py` run such.
OF_CLUSTERS = {"RayFeatures", "spark_features"}


def examples() -> list[str]:
    """What has examples in its docstring: the package, its functions, and methods that no function has."""
    public = {name: getattr(prism, name) for name in prism.__all__}
    public |= {f"Trajectory.{name}": value for name, value in vars(prism.Trajectory).items() if inspect.isfunction(value)}
    return ["", *(name for name, value in public.items() if ">>>" in (inspect.getdoc(value) or "") and name not in OF_CLUSTERS)]


def blocks() -> list[tuple[str, str]]:
    """Where each block of Python begins, and its text."""
    found = []
    for document in DOCUMENTS:
        text = document.read_text(encoding="utf-8")
        for match in re.finditer(r"^```python\n(.*?)^```$", text, re.DOTALL | re.MULTILINE):
            line = text.count("\n", 0, match.start()) + 2
            found.append((f"{document.relative_to(ROOT)}:{line}", match[1]))
    return found


def with_b(line: str, b: float) -> str:
    return f"{line[:60]}{b:6.2f}{line[66:]}"


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory, command: Path, rbd: Path, data: Path) -> Path:
    """A folder with the files that the documents name."""
    folder = tmp_path_factory.mktemp("documents")
    structures = folder / "structures"
    structures.mkdir()
    (structures / rbd.name).write_bytes(rbd.read_bytes())
    for name in ["1aki.cif.gz", "1jcd.pdb.gz"]:
        (structures / name).write_bytes((data / name).read_bytes())
    # Selenomethionine.
    (structures / "modified.cif.gz").write_bytes((data / "1a8o.cif.gz").read_bytes())
    crambin = gzip.decompress((data / "1crn.pdb.gz").read_bytes()).decode().splitlines(keepends=True)
    ubiquitin = gzip.decompress((data / "1ubq.pdb.gz").read_bytes()).decode().splitlines(keepends=True)
    atoms = [line for line in crambin if line.startswith("ATOM")]
    unknown = [f"{line[:17]}UNK{line[20:]}" if line[22:26] == "  10" else line for line in crambin]
    (structures / "unknown.pdb").write_text("".join(unknown))
    model = [with_b(line, 40 + int(line[22:26]) * 7 % 60) for line in ubiquitin if line.startswith("ATOM")]
    (structures / "predicted.pdb").write_text("".join(["TITLE     ALPHAFOLD MONOMER V2.0\n", *model, "END\n"]))
    ensemble = [f"MODEL     {number:4}\n{''.join(atoms)}ENDMDL\n" for number in (1, 2)]
    (structures / "ensemble.pdb").write_text("".join(["EXPDTA    SOLUTION NMR\n", *ensemble, "END\n"]))
    made = ROOT / "host" / "trajectory" / "tests" / "data"
    for source, name in [("top.pdb", "top.pdb"), ("small.xtc", "run.xtc")]:
        (folder / name).write_bytes((made / source).read_bytes())
    # Of the docstrings.
    (folder / rbd.name).write_bytes(rbd.read_bytes())
    for name in ["1crn.pdb", "1jcd.pdb", "1kx2_cut.pdb", "4zhl.cif"]:
        (folder / name).write_bytes(gzip.decompress((data / f"{name}.gz").read_bytes()))
    shutil.copytree(ROOT / "host" / "tests" / "data" / "predictions", folder / "predictions")
    for output in ["features.parquet", "features.csv.gz"]:
        run = [command, "features", "structures", "--backend", "cpu", "-q", "-o", output]
        subprocess.run(run, check=True, cwd=folder)
    # One variant displaces another.
    lines = ["date,cases,total,BA.1,BA.2\n"]
    for day in range(29):
        lines.append(f"{date(2022, 2, 1) + timedelta(day)},{day},1000,{900 - 30 * day},{30 * day + 50}\n")
    (folder / "uk_lineage_daily_counts.csv").write_text("".join(lines))
    return folder


def test_the_set_is_what_it_should_be(folder: Path) -> None:
    table = prism.features(folder / "structures", ["resname", "parent", "structure", "rsa", "plddt"], "cpu").to_pylist()
    assert {row["structure"] for row in table if row["parent"] is None} == {"unknown.pdb"}
    assert {row["structure"] for row in table if row["rsa"] is None} == {"unknown.pdb"}
    assert {row["resname"] for row in table if row["structure"] == "modified.cif"} > {"MSE"}
    assert {row["structure"] for row in table if row["plddt"] is not None} == {"predicted.pdb"}
    assert sum(row["structure"] == "ensemble.pdb" for row in table) == 46


@pytest.mark.parametrize(("location", "code"), blocks(), ids=lambda value: value if len(value) < 60 else "")
def test_code_runs(folder: Path, location: str, code: str) -> None:
    for node in ast.walk(ast.parse(code)):
        names = [name.name for name in node.names] if isinstance(node, ast.Import) else []
        names += [node.module or ""] if isinstance(node, ast.ImportFrom) else []
        for name in names:
            pytest.importorskip(name.split(".")[0])
    if '"cuda"' in code:
        try:
            prism.Engine("cuda")
        except prism.PrismError as error:
            pytest.skip(f"{location} needs a GPU: {error}")
    # Threads of scikit-learn would only wait for each other in loops: the tables are small.
    environment = {**os.environ, "PYTHONPATH": str(Path(prism.__file__).parents[1]), "OMP_NUM_THREADS": "1"}
    script = folder / "block.py"
    script.write_text(code, encoding="utf-8")
    done = subprocess.run([sys.executable, script], capture_output=True, text=True, env=environment, cwd=folder)
    assert done.returncode == 0, f"{location}: {done.stderr}"


@pytest.mark.parametrize("name", examples())
def test_docstrings_show_their_outputs(folder: Path, name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    for package in ("numpy", "pandas", "gemmi"):
        pytest.importorskip(package)
    value: Any = prism
    for part in name.split(".") if name else []:
        value = getattr(value, part)
    monkeypatch.chdir(folder)
    monkeypatch.setenv("PYTHONPATH", str(Path(prism.__file__).parents[1]))
    parsed = doctest.DocTestParser().get_doctest(inspect.getdoc(value) or "", {"prism": prism}, name, None, None)
    output: list[str] = []
    # Versions of pandas pad columns differently.
    doctest.DocTestRunner(optionflags=doctest.NORMALIZE_WHITESPACE).run(parsed, out=output.append)
    assert not output, "".join(output)
    assert any(example.want for example in parsed.examples)


def test_every_function_of_tables_shows_an_example() -> None:
    functions = [name for name in prism.__all__ if inspect.isfunction(getattr(prism, name))]
    tables = {name for name in functions if inspect.signature(getattr(prism, name)).return_annotation == "Table"}
    assert len(tables) > 10 and tables <= set(examples())


def test_every_document_is_read() -> None:
    documents = {location.split(":")[0] for location, _ in blocks()}
    assert {"docs/guide.md", "docs/inputs.md", "python/README.md"} <= documents


def test_the_packages_own_page_has_links_that_an_index_can_follow() -> None:
    """An index shows it without the repository around it."""
    text = (ROOT / "python" / "README.md").read_text(encoding="utf-8")
    links = re.findall(r"\]\(([^)]+)\)", text)
    assert not [link for link in links if not link.startswith("https://")]
