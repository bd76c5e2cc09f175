"""For engines that map batches of files: Ray Data, and Spark."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Literal

import pyarrow as pa

from . import _prism
from ._arguments import columns as check_columns
from ._arguments import on_error as check_on_error
from ._engine import Engine
from ._errors import PrismError
from ._options import Backend, Options, split
from ._signatures import spelled_out

if TYPE_CHECKING:
    from typing_extensions import Unpack


class RayFeatures:
    """Computes features of batches of files that Ray Data has read.

    Each worker makes its engine once. The rows of a batch depend on that batch alone, so Ray can compute a batch again after
    a worker is lost, and no row is lost or repeated.

    Structures are named by the paths of their files, as Ray gives them, because a batch does not know which names other batches have.
    ``name_by="name"`` or ``"stem"`` names them by the files' names alone, where you know that these differ. Files of one batch
    whose names are equal then raise :class:`PrismError`.

    >>> files = ray.data.read_binary_files("structures/", include_paths=True)
    >>> table = files.map_batches(prism.RayFeatures, concurrency=2, num_gpus=1)

    Args:
        columns: As of :func:`prism.features`.
        backend: As of :class:`prism.Engine`.
        on_error: ``"raise"``, or ``"skip"``, which leaves out inputs that fail and warns in the worker's log.
        options: As of :func:`prism.features`.
    """

    @spelled_out
    def __init__(
        self,
        columns: Sequence[str] | None = None,
        backend: Backend = "auto",
        on_error: Literal["raise", "skip"] = "skip",
        **options: Unpack[Options],
    ) -> None:
        check_on_error(on_error, of=" of RayFeatures")
        engine, self._reading = split(options)
        by = self._reading.get("name_by")
        if by not in (None, "name", "path", "stem"):
            raise PrismError(f'name_by must be "name", "path" or "stem", not {by!r}')
        self._name_by = None if by == "path" else by
        self._engine = Engine(backend, **engine)
        self._columns = check_columns(columns)
        self._on_error: Literal["raise", "skip"] = on_error
        # Wrong arguments raise here, and not at the first batch.
        self._engine.table("features", [], self._columns, **self._reading)

    def _name(self, path: str) -> str:
        if self._name_by == "name":
            return os.path.basename(path)
        return path if self._name_by is None else _prism.stem(path)

    def __call__(self, batch: Any) -> pa.Table:
        """Takes a batch with the columns ``bytes`` and ``path``, in whichever of Ray's formats, and returns a row for each residue."""
        return self._of_files(batch, "bytes", "ray.data.read_binary_files(..., include_paths=True) reads both")

    def _of_files(self, batch: Any, content: str, advice: str) -> pa.Table:
        if isinstance(batch, (pa.Table, pa.RecordBatch)):
            columns: Mapping[str, Any] = batch.to_pydict()
        elif isinstance(batch, Mapping) or hasattr(batch, "to_dict"):
            # Arrays of NumPy, or a data frame of pandas.
            columns = {name: list(batch[name]) for name in batch.keys()}
        else:
            raise PrismError(f"{type(batch).__name__} is no batch of files: it takes tables, dictionaries of arrays, and data frames")
        if not {content, "path"} <= columns.keys():
            raise PrismError(f"a batch lacks {content} or path: {advice}")
        paths = [str(path) for path in columns["path"]]
        names = [self._name(path) for path in paths]
        if self._name_by is not None:
            first: dict[str, str] = {}
            for name, path in zip(names, paths, strict=True):
                if first.setdefault(name, path) != path:
                    raise PrismError(
                        f"{first[name]} and {path} would have the same name {name!r}; leave out name_by, and paths are names"
                    )
        inputs = [(name, bytes(value)) for name, value in zip(names, columns[content], strict=True)]
        return self._engine.table("features", inputs, self._columns, on_error=self._on_error, **self._reading).arrow


@spelled_out
def spark_features(
    columns: Sequence[str] | None = None,
    backend: Backend = "auto",
    on_error: Literal["raise", "skip"] = "skip",
    **options: Unpack[Options],
) -> tuple[Callable[[Iterator[pa.RecordBatch]], Iterator[pa.RecordBatch]], str]:
    """A function for Spark's ``mapInArrow``, and the schema of what it returns. It computes features of files that Spark has read with its
    format ``binaryFile``, in each worker with an engine of its own. Names are the paths of files, as for :class:`RayFeatures`.

    >>> function, schema = prism.spark_features(["sasa", "ss"])
    >>> files = spark.read.format("binaryFile").load("structures/*.cif.gz")
    >>> table = files.select("path", "content").mapInArrow(function, schema)

    Arguments are those of :class:`RayFeatures`.
    """
    # Wrong arguments raise here. The function is sent to workers, which make their engines.
    empty = RayFeatures(columns, backend, on_error, **options)._engine.table(
        "features", [], check_columns(columns), **split(options)[1]
    )
    of_spark = {"string": "string", "int32": "int", "float": "float"}
    schema = ", ".join(f"{field.name} {of_spark[str(field.type)]}" for field in empty.schema)

    def function(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        features = RayFeatures(columns, backend, on_error, **options)
        for batch in batches:
            advice = 'spark.read.format("binaryFile").load(...).select("path", "content") has both'
            yield from features._of_files(batch, "content", advice).to_batches()

    return function, schema
