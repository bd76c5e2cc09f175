"""The examples run, where their packages are."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

import prism

EXAMPLES = Path(__file__).resolve().parents[1] / "examples"
NEEDED = {
    "dask_features": ["dask"],
    "graph": ["torch", "torch_geometric", "pandas"],
    "loader": ["torch"],
    "sites": ["sklearn", "pandas"],
    "trajectory": ["MDAnalysis", "pandas"],
}
SAID = {
    "dask_features": "6 files, ",
    "graph": "3 graphs, ",
    "loader": "6 structures in batches of ",
    "sites": " residues of 6 structures, area under the ROC curve 0.",
    "trajectory": "50 frames, 9700 rows of all columns, ",
}


@pytest.mark.parametrize("name", sorted(path.stem for path in EXAMPLES.glob("*.py")))
def test_example(name: str) -> None:
    for package in NEEDED[name]:
        pytest.importorskip(package)
    environment = {**os.environ, "PYTHONPATH": str(Path(prism.__file__).parents[1])}
    done = subprocess.run([sys.executable, EXAMPLES / f"{name}.py"], capture_output=True, text=True, env=environment)
    assert done.returncode == 0, done.stderr
    assert SAID[name] in done.stdout
