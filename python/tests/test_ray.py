"""What Ray Data calls: without Ray, and on a local cluster, where a worker is killed."""

from __future__ import annotations

import gzip
import os
import signal
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

import prism_features as prism


def test_rows_of_a_batch(rbd: Path, crambin: Path) -> None:
    paths = [crambin, rbd]
    for by in ("name", "stem", "path"):
        table = prism.RayFeatures(["wcn"], "cpu", name_by=by)(batch_of(paths))
        assert table.equals(prism.features(paths, ["wcn"], "cpu", name_by=by).arrow)
    assert prism.RayFeatures(["wcn"], "cpu")(batch_of(paths)).equals(table)


def batch_of(paths: list[Path]) -> pa.Table:
    return pa.table({"bytes": [path.read_bytes() for path in paths], "path": [str(path) for path in paths]})


def test_batches_of_every_format_are_taken(rbd: Path, crambin: Path) -> None:
    np, pandas = pytest.importorskip("numpy"), pytest.importorskip("pandas")
    batch = batch_of([crambin, rbd])
    features = prism.RayFeatures(["wcn"], "cpu")
    # Ray gives dictionaries of arrays, if nothing else is requested.
    arrays = {"bytes": np.array(batch["bytes"].to_pylist(), dtype=object), "path": np.array(batch["path"].to_pylist())}
    frame = pandas.DataFrame({name: list(values) for name, values in arrays.items()})
    for given in (arrays, frame, batch.to_batches()[0]):
        assert features(given).equals(features(batch))


def test_spark_maps_batches(rbd: Path, crambin: Path) -> None:
    function, schema = prism.spark_features(["wcn", "ss"], "cpu")
    assert schema.startswith("structure string, row int, chain string, resnum int") and schema.endswith("wcn float, ss string")
    batches = [
        pa.RecordBatch.from_pydict({"path": [f"file:{path}"], "content": [path.read_bytes()]}) for path in (crambin, rbd)
    ]
    rows = pa.Table.from_batches(list(function(iter(batches))))
    expected = prism.features([(f"file:{path}", path.read_bytes()) for path in (crambin, rbd)], ["wcn", "ss"], "cpu")
    assert rows.equals(expected.arrow)
    # Spark sends the function to workers.
    cloudpickle = pytest.importorskip("cloudpickle")
    again = cloudpickle.loads(cloudpickle.dumps(function))
    assert pa.Table.from_batches(list(again(iter(batches)))).equals(rows)
    with pytest.raises(prism.PrismError, match="a batch lacks content or path"):
        next(function(iter([pa.RecordBatch.from_pydict({"path": ["x"]})])))
    with pytest.raises(prism.PrismError, match="no column `nope`"):
        prism.spark_features(["nope"])


def test_files_of_one_name_in_two_folders_are_told_apart(crambin: Path, tmp_path: Path) -> None:
    paths = []
    for folder in ("a", "b"):
        (tmp_path / folder).mkdir()
        (tmp_path / folder / "x.pdb.gz").write_bytes(gzip.compress(crambin.read_bytes()))
        paths.append(tmp_path / folder / "x.pdb.gz")
    features = prism.RayFeatures(["wcn"], "cpu")
    expected = [f"{tmp_path}/a/x.pdb", f"{tmp_path}/b/x.pdb"]
    assert list(dict.fromkeys(features(batch_of(paths))["structure"].to_pylist())) == expected
    # Nor do names depend on the batch.
    assert [features(batch_of([path]))["structure"][0].as_py() for path in paths] == expected
    with pytest.raises(prism.PrismError, match="would have the same name 'x.pdb.gz'"):
        prism.RayFeatures(["wcn"], "cpu", name_by="name")(batch_of(paths))
    with pytest.raises(prism.PrismError, match='name_by must be "name", "path" or "stem"'):
        prism.RayFeatures(name_by="folder")  # type: ignore[arg-type]


def test_wrong_arguments_and_batches_are_reported(crambin: Path) -> None:
    with pytest.raises(prism.PrismError, match='on_error of RayFeatures must be "raise" or "skip"'):
        prism.RayFeatures(on_error="report")  # type: ignore[arg-type]
    with pytest.raises(prism.PrismError, match="no column `nope`"):
        prism.RayFeatures(["nope"])
    features = prism.RayFeatures(["wcn"], "cpu")
    with pytest.raises(prism.PrismError, match="list is no batch of files"):
        features([b""])
    with pytest.raises(prism.PrismError, match="a batch lacks bytes or path"):
        features({"bytes": [b""]})
    with pytest.raises(prism.PrismError, match="include_paths=True"):
        features(batch_of([crambin]).drop_columns(["path"]))


class Killed(prism.RayFeatures):
    """The first worker that comes to it ends without a word, once."""

    def __init__(self, columns: Any, backend: Any, mark: str) -> None:
        super().__init__(columns, backend, name_by="name")
        self._mark = mark

    def __call__(self, batch: Any) -> pa.Table:
        if any(str(path).endswith("13.pdb") for path in batch["path"]):
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
