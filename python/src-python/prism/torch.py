"""Structures as tensors, for PyTorch's data loaders. This module imports PyTorch."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

import torch
from torch.utils.data import IterableDataset, get_worker_info
from torch.utils.dlpack import from_dlpack

from ._api import columns as all_columns
from ._engine import Engine
from ._options import Backend, Options, split

if TYPE_CHECKING:
    from typing_extensions import Unpack


class Sample(NamedTuple):
    """The features of one structure.

    Attributes:
        name: The structure's name, as in the column ``structure``.
        features: ``float32``, shape ``(residues, columns)``; NaN where a feature is not defined.
    """

    name: str
    features: torch.Tensor


class StructureDataset(IterableDataset[Sample]):
    """Gives a sample for each structure, in the order of the inputs. The next ones are computed meanwhile.

    Workers of a data loader share the inputs: each takes every n-th, and has its own engine. Forked workers cannot use a GPU or
    threads that the parent has used: give the loader ``multiprocessing_context="spawn"``.

    Samples are in the host's memory. Where ``columns`` have the order of :func:`prism.columns`, a sample is the memory that it was
    computed into; else it is a copy in the order that you ask for.

    Args:
        inputs: A list of inputs of :func:`prism.features`.
        columns: Features, by name. All if ``None``.
        backend: As of :class:`prism.Engine`.
        on_error: ``"raise"`` or ``"skip"``.
        options: As of :func:`prism.features`.
    """

    def __init__(
        self,
        inputs: Sequence[Any],
        columns: Sequence[str] | None = None,
        backend: Backend = "auto",
        on_error: Literal["raise", "skip"] = "raise",
        **options: Unpack[Options],
    ) -> None:
        self._inputs = list(inputs)
        self._columns = [column.name for column in all_columns()] if columns is None else list(columns)
        self._backend: Backend = backend
        self._on_error: Literal["raise", "skip"] = on_error
        self._options = options

    def __iter__(self) -> Iterator[Sample]:
        worker = get_worker_info()
        # Inputs without a name are named by their position among all inputs.
        named = [
            (f"input{place}", bytes(one)) if isinstance(one, (bytes, bytearray, memoryview)) else one
            for place, one in enumerate(self._inputs)
        ]
        mine = named if worker is None else named[worker.id :: worker.num_workers]
        engine, reading = split(self._options)
        rest: Any = reading
        for tensor in Engine(self._backend, **engine).tensors(mine, self._columns, on_error=self._on_error, **rest):
            values: torch.Tensor = from_dlpack(tensor)  # type: ignore[no-untyped-call,unused-ignore]
            found = tensor.columns
            if found != self._columns:
                values = values[:, [found.index(name) for name in self._columns]]
            yield Sample(tensor.name, values)
