"""Files that the repository ships."""

from __future__ import annotations

import gzip
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture(scope="session")
def rbd() -> Path:
    """The receptor-binding domain, 194 residues."""
    return ROOT / "data" / "6m0j_rbd.pdb"


@pytest.fixture(scope="session")
def crambin(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Crambin, 46 residues, without compression."""
    path = tmp_path_factory.mktemp("files") / "1crn.pdb"
    path.write_bytes(gzip.decompress((ROOT / "tests" / "data" / "1crn.pdb.gz").read_bytes()))
    return path
