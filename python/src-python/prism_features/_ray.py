"""For engines that map batches of files, such as Ray Data."""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import TYPE_CHECKING, Literal

from . import _prism
from ._arguments import columns as check_columns
from ._arguments import on_error as check_on_error
from ._engine import Engine
from ._errors import PrismError
from ._options import Backend, Options, split
from ._signatures import spelled_out

if TYPE_CHECKING:
    import pyarrow as pa
    from typing_extensions import Unpack


class RayFeatures:
    """Computes features of batches of files that Ray Data has read.

    Each worker makes its engine once. The rows of a batch depend on that batch alone, so Ray can compute a batch again after
    a worker is lost, and no row is lost or repeated.

    Structures are named by the paths of their files, as Ray gives them, because a batch does not know which names other batches have.
    ``name_by="name"`` or ``"stem"`` names them by the files' names alone, where you know that these differ. Files of one batch
    whose names are equal then raise :class:`PrismError`.

    >>> files = ray.data.read_binary_files("structures/", include_paths=True)
    >>> table = files.map_batches(prism.RayFeatures, batch_format="pyarrow", concurrency=2, num_gpus=1)

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

    def __call__(self, batch: pa.Table) -> pa.Table:
        """Takes a batch with the columns ``bytes`` and ``path``, and returns a row for each residue."""
        if not hasattr(batch, "column_names"):
            raise PrismError(f'RayFeatures takes tables, not {type(batch).__name__}: map_batches(..., batch_format="pyarrow")')
        if not {"bytes", "path"} <= set(batch.column_names):
            raise PrismError("a batch lacks bytes or path: ray.data.read_binary_files(..., include_paths=True) reads both")
        paths = batch.column("path").to_pylist()
        names = [self._name(path) for path in paths]
        if self._name_by is not None:
            first: dict[str, str] = {}
            for name, path in zip(names, paths, strict=True):
                if first.setdefault(name, path) != path:
                    raise PrismError(
                        f"{first[name]} and {path} would have the same name {name!r}; leave out name_by, and paths are names"
                    )
        inputs = list(zip(names, batch.column("bytes").to_pylist(), strict=True))
        return self._engine.table("features", inputs, self._columns, on_error=self._on_error, **self._reading).arrow
