"""What Ray Data calls: without Ray, and on a local cluster, where a worker is killed."""

from __future__ import annotations

import os
import signal
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

import prism


def test_rows_of_a_batch(rbd: Path, crambin: Path) -> None:
    paths = [crambin, rbd]
    batch = pa.table({"bytes": [path.read_bytes() for path in paths], "path": [str(path) for path in paths]})
    table = prism.RayFeatures(["wcn"], "cpu")(batch)
    assert table.equals(prism.features(paths, ["wcn"], "cpu"))


class Killed(prism.RayFeatures):
    """The first worker that comes to it ends without a word, once."""

    def __init__(self, columns: Any, backend: Any, mark: str) -> None:
        super().__init__(columns, backend)
        self._mark = mark

    def __call__(self, batch: pa.Table) -> pa.Table:
        if any(path.endswith("13.pdb") for path in batch.column("path").to_pylist()):
            try:
                os.close(os.open(self._mark, os.O_CREAT | os.O_EXCL))
            except FileExistsError:
                pass
            else:
                os.kill(os.getpid(), signal.SIGKILL)
        return super().__call__(batch)


def test_a_killed_worker_loses_and_repeats_nothing(crambin: Path, tmp_path: Path) -> None:
    ray = pytest.importorskip("ray")
    folder, mark = tmp_path / "files", tmp_path / "killed"
    folder.mkdir()
    for index in range(24):
        (folder / f"{index:02}.pdb").write_bytes(crambin.read_bytes())
    # Workers find the package and this test where this process does.
    path = os.pathsep.join([str(Path(prism.__file__).parents[1]), str(Path(__file__).parent)])
    environment = {"env_vars": {"PYTHONPATH": path, "RAY_DATA_DISABLE_PROGRESS_BARS": "1"}}
    ray.init(num_cpus=2, include_dashboard=False, log_to_driver=False, runtime_env=environment, configure_logging=False)
    try:
        files = ray.data.read_binary_files(str(folder), include_paths=True)
        rows = files.map_batches(
            Killed,
            fn_constructor_args=(["wcn"], "cpu", str(mark)),
            batch_format="pyarrow",
            batch_size=4,
            concurrency=2,
            num_cpus=0.5,
        )
        found = pa.Table.from_pylist(rows.take_all())
    finally:
        ray.shutdown()
    assert mark.exists(), "no worker was killed"
    expected = prism.features(folder, ["wcn"], "cpu")
    order = [("structure", "ascending"), ("row", "ascending")]
    assert found.select(["structure", "row", "wcn"]).sort_by(order).to_pydict() == expected.select(["structure", "row", "wcn"]).to_pydict()
