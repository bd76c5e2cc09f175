"""Structures as tensors, for PyTorch's data loaders. Importing this module takes PyTorch."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa
import torch
from torch.utils.data import IterableDataset, get_worker_info

from ._api import Backend, Engine


class Sample(NamedTuple):
    """What was computed of one structure.

    Attributes:
        name: The structure, as in the column ``structure``.
        features: ``float32``, shape ``(residues, columns)``; NaN where a feature is not defined.
    """

    name: str
    features: torch.Tensor


class StructureDataset(IterableDataset[Sample]):
    """A sample a structure, in the order of the inputs, computed while they are taken.

    Workers of a data loader share the inputs: each takes every n-th and has an engine of its own. Workers that are
    forked cannot use a GPU that the parent has used; give the loader ``multiprocessing_context="spawn"`` then.

    Args:
        inputs: A list of what :func:`prism.features` takes.
        columns: Features, by name.
        backend: As of :class:`prism.Engine`.
        on_error: ``"raise"`` or ``"skip"``.
    """

    def __init__(
        self,
        inputs: Sequence[Any],
        columns: Sequence[str],
        backend: Backend = "auto",
        on_error: Any = "raise",
    ) -> None:
        self._inputs = list(inputs)
        self._columns = list(columns)
        self._backend: Backend = backend
        self._on_error = on_error

    def __iter__(self) -> Iterator[Sample]:
        worker = get_worker_info()
        mine = self._inputs if worker is None else self._inputs[worker.id :: worker.num_workers]
        engine = Engine(self._backend)
        for batch in engine.stream(mine, ["structure", "row", *self._columns], on_error=self._on_error):
            # A structure's rows are in one batch; several of them are.
            yield from self._samples(batch)

    def _samples(self, batch: pa.RecordBatch) -> Iterator[Sample]:
        names = batch.column("structure")
        begins = np.flatnonzero(batch.column("row").to_numpy() == 0)
        values = [batch.column(name).to_numpy(zero_copy_only=False) for name in self._columns]
        table = torch.from_numpy(np.column_stack(values).astype(np.float32, copy=False))
        for begin, end in zip(begins, [*begins[1:], batch.num_rows], strict=True):
            yield Sample(names[int(begin)].as_py(), table[int(begin) : int(end)])
