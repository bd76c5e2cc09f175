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
    "flexible": ["sklearn", "pandas", "matplotlib"],
    "graph": ["sklearn", "pandas"],
    "loader": ["torch"],
    "trajectory": ["MDAnalysis", "matplotlib", "pandas"],
}
SAID = {
    "dask_features": "12 files, ",
    "flexible": "924 residues of 7 structures, area under the ROC curve 0.",
    "graph": "2 steps of messages: area under the ROC curve 0.",
    "loader": "12 structures in batches of ",
    "trajectory": "60 frames, 194 residues, 11640 areas",
}


def code_of(notebook: Path) -> str:
    """Its cells of code, one after another, as a kernel runs them."""
    cells = json.loads(notebook.read_text(encoding="utf-8"))["cells"]
    return "\n\n".join("".join(cell["source"]) for cell in cells if cell["cell_type"] == "code")


@pytest.mark.parametrize("notebook", sorted(EXAMPLES.glob("*.ipynb")), ids=lambda path: path.name)
def test_notebooks_show_their_outputs(notebook: Path) -> None:
    cells = [cell for cell in json.loads(notebook.read_text(encoding="utf-8"))["cells"] if cell["cell_type"] == "code"]
    outputs = [output for cell in cells for output in cell["outputs"]]
    assert outputs and all(output["output_type"] != "error" for output in outputs)
    assert any(SAID[notebook.stem] in "".join(output.get("text", "")) for output in outputs)


@pytest.mark.parametrize("name", sorted(path.name for kind in ("*.py", "*.ipynb") for path in EXAMPLES.glob(kind)))
def test_example(name: str, tmp_path: Path) -> None:
    example = EXAMPLES / name
    for package in NEEDED[example.stem]:
        pytest.importorskip(package)
    # Alone in a folder, as a person has it who took nothing else of the repository.
    script = tmp_path / f"{example.stem}.py"
    script.write_text(code_of(example) if example.suffix == ".ipynb" else example.read_text(encoding="utf-8"), encoding="utf-8")
    environment = {**os.environ, "PYTHONPATH": str(Path(prism.__file__).parents[1]), "MPLBACKEND": "Agg"}
    done = subprocess.run(
        [sys.executable, script], capture_output=True, text=True, encoding="utf-8", env=environment, cwd=tmp_path
    )
    assert done.returncode == 0, done.stderr
    assert SAID[example.stem] in done.stdout
    for line in done.stdout.splitlines():
        if line.startswith("LEFT OUT"):
            warnings.warn(f"{name}: {line}", stacklevel=1)
