"""The examples run, and all cells of the notebooks, where their packages are."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import warnings
from pathlib import Path

import pytest

import prism_features as prism

EXAMPLES = Path(__file__).resolve().parents[1] / "examples"
NEEDED = {
    "dask_features": ["dask"],
    "graph": [],
    "loader": ["torch"],
    "sites": ["sklearn", "pandas"],
    "trajectory": ["MDAnalysis"],
}
SAID = {
    "dask_features": "13 files, ",
    "graph": "3 graphs, ",
    "loader": "13 structures in batches of ",
    "sites": " residues of 13 structures, area under the ROC curve 0.",
    "trajectory": "50 frames, 9700 rows of all columns, ",
}


def code_of(notebook: Path) -> str:
    """Its cells of code, one after another, as a kernel runs them."""
    cells = json.loads(notebook.read_text(encoding="utf-8"))["cells"]
    return "\n\n".join("".join(cell["source"]) for cell in cells if cell["cell_type"] == "code")


@pytest.mark.parametrize("name", sorted(path.name for kind in ("*.py", "*.ipynb") for path in EXAMPLES.glob(kind)))
def test_example(name: str, tmp_path: Path) -> None:
    example = EXAMPLES / name
    for package in NEEDED[example.stem]:
        pytest.importorskip(package)
    script = example
    if example.suffix == ".ipynb":
        script = tmp_path / f"{example.stem}.py"
        script.write_text(code_of(example), encoding="utf-8")
    environment = {**os.environ, "PYTHONPATH": str(Path(prism.__file__).parents[1])}
    # Notebooks are run in their folder.
    done = subprocess.run(
        [sys.executable, script], capture_output=True, text=True, encoding="utf-8", env=environment, cwd=EXAMPLES
    )
    assert done.returncode == 0, done.stderr
    assert SAID[example.stem] in done.stdout
    for line in done.stdout.splitlines():
        if line.startswith("LEFT OUT"):
            warnings.warn(f"{name}: {line}", stacklevel=1)
