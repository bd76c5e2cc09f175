"""Files that the repository ships, and its command."""

from __future__ import annotations

import gzip
import os
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture(scope="session")
def rbd() -> Path:
    """The receptor-binding domain, 194 residues."""
    return ROOT / "data" / "6m0j_rbd.pdb"


@pytest.fixture(scope="session")
def data() -> Path:
    """Entries of the wwPDB, in gzip."""
    return ROOT / "tests" / "data"


@pytest.fixture(scope="session")
def crambin(data: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Crambin, 46 residues, without compression."""
    path = tmp_path_factory.mktemp("files") / "1crn.pdb"
    path.write_bytes(gzip.decompress((data / "1crn.pdb.gz").read_bytes()))
    return path


@pytest.fixture(scope="session")
def command() -> Path:
    """The `prism` command: `PRISM_COMMAND`, or where cargo builds it."""
    target = Path(os.environ.get("CARGO_TARGET_DIR", ROOT / "target"))
    named = os.environ.get("PRISM_COMMAND")
    for path in [Path(named)] if named else [target / "debug" / "prism", target / "release" / "prism"]:
        if path.is_file():
            return path
    if named:
        pytest.fail(f"PRISM_COMMAND={named} is no file")
    pytest.skip("there is no prism command to compare with: `cargo build -p prism-host` makes one")
