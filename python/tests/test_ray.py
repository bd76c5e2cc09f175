"""What Ray calls, without Ray: a class whose instances take tables of bytes and paths."""

from __future__ import annotations

from pathlib import Path

import pyarrow as pa

import prism


def test_rows_of_a_batch(rbd: Path, crambin: Path) -> None:
    paths = [crambin, rbd]
    batch = pa.table({"bytes": [path.read_bytes() for path in paths], "path": [str(path) for path in paths]})
    table = prism.RayFeatures(["wcn"], "cpu")(batch)
    assert table.equals(prism.features(paths, ["wcn"], "cpu"))
