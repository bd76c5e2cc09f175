"""For engines that map batches of files, such as Ray Data."""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import TYPE_CHECKING, Literal

from ._engine import Engine
from ._options import Backend, Options, split

if TYPE_CHECKING:
    import pyarrow as pa
    from typing_extensions import Unpack


class RayFeatures:
    """Computes features of batches of files that Ray Data has read.

    Each worker makes its engine once. The rows of a batch depend on that batch alone, so Ray can compute a batch again after
    a worker is lost, and no row is lost or repeated.

    >>> files = ray.data.read_binary_files("structures/", include_paths=True)
    >>> table = files.map_batches(prism.RayFeatures, batch_format="pyarrow", concurrency=2, num_gpus=1)

    Args:
        columns: As of :func:`prism.features`.
        backend: As of :class:`prism.Engine`.
        on_error: ``"raise"``, or ``"skip"``, which leaves out inputs that fail and warns in the worker's log.
        options: As of :func:`prism.features`.
    """

    def __init__(
        self,
        columns: Sequence[str] | None = None,
        backend: Backend = "auto",
        on_error: Literal["raise", "skip"] = "skip",
        **options: Unpack[Options],
    ) -> None:
        engine, self._reading = split(options)
        self._engine = Engine(backend, **engine)
        self._columns = columns
        self._on_error: Literal["raise", "skip"] = on_error

    def __call__(self, batch: pa.Table) -> pa.Table:
        """Takes a batch with the columns ``bytes`` and ``path``, and returns a row for each residue."""
        names = [os.path.basename(path) for path in batch.column("path").to_pylist()]
        inputs = list(zip(names, batch.column("bytes").to_pylist(), strict=True))
        table: pa.Table = self._engine.table(
            "features", inputs, self._columns, on_error=self._on_error, **self._reading
        )
        return table
