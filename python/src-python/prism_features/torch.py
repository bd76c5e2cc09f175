"""Structures as tensors, for PyTorch's data loaders. This module imports PyTorch."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from difflib import get_close_matches
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

import torch
from torch.utils.data import IterableDataset, get_worker_info
from torch.utils.dlpack import from_dlpack

from . import _prism
from ._api import columns as all_columns
from ._arguments import columns as check_columns
from ._arguments import on_error as check_on_error
from ._engine import Engine
from ._errors import PrismError
from ._inputs import check_several, is_one
from ._options import Backend, Options, engine_options, split, table_options

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

    Workers of a data loader share the inputs: each takes every n-th file, those in folders too, or structure in memory, and has its own
    engine. Names do not depend on the number of workers. Forked workers cannot use a GPU or threads that the parent has used: give the
    loader ``multiprocessing_context="spawn"``.

    Samples are in the host's memory. Where ``columns`` have the order of :func:`prism.columns`, a sample is the memory that it was
    computed into; else it is a copy in the order that you ask for.

    Args:
        inputs: An input of :func:`prism.features`, or a list of them.
        columns: Features, by name. All if ``None``.
        backend: As of :class:`prism.Engine`.
        on_error: ``"raise"`` or ``"skip"``.
        options: As of :func:`prism.features`.
    """

    def __init__(
        self,
        inputs: Any,
        columns: Sequence[str] | None = None,
        backend: Backend = "auto",
        on_error: Literal["raise", "skip"] = "raise",
        **options: Unpack[Options],
    ) -> None:
        # Wrong arguments raise here, and not in a worker. An engine is made there alone.
        if backend not in ("auto", "cuda", "cpu"):
            raise PrismError(f'backend must be "auto", "cuda" or "cpu", not {backend!r}')
        check_on_error(on_error, of=" of StructureDataset")
        engine, reading = split(options)
        engine_options(engine)
        try:
            _prism.check_options(table_options(reading, "tensors"))
        except ValueError as error:
            raise PrismError(str(error)) from None
        features = [column.name for column in all_columns()]
        chosen = check_columns(columns) or features
        for name in chosen:
            if name not in features:
                near = get_close_matches(name.lower(), features, 1)
                meant = f" (did you mean `{near[0]}`?)" if near else ""
                raise PrismError(f"{name!r} is no feature{meant}: see prism.columns()")
        if is_one(inputs):
            self._inputs = [inputs]
        else:
            check_several(inputs)
            self._inputs = list(inputs)
        self._columns = chosen
        self._backend: Backend = backend
        self._on_error: Literal["raise", "skip"] = on_error
        self._options = options

    def __iter__(self) -> Iterator[Sample]:
        worker = get_worker_info()
        share = None if worker is None else (worker.id, worker.num_workers)
        engine, reading = split(self._options)
        of_engine = Engine(self._backend, **engine)
        for tensor in of_engine._share_of_tensors(share, self._inputs, self._columns, self._on_error, reading):
            values: torch.Tensor = from_dlpack(tensor)  # type: ignore[no-untyped-call,unused-ignore]
            found = tensor.columns
            if found != self._columns:
                values = values[:, [found.index(name) for name in self._columns]]
            yield Sample(tensor.name, values)
