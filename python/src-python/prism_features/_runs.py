"""A run: what it makes, batch by batch, and its progress."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, TypeVar

import pyarrow as pa

from . import _prism
from ._errors import InputFailure, PrismError

if TYPE_CHECKING:
    from typing_extensions import Self

_Item = TypeVar("_Item")


class Stream(Iterator[_Item]):
    """Batches or tensors of a run, one by one. Others are computed meanwhile. Several threads may share one: each batch goes to one of them.
    Leaving a ``with`` block, :meth:`close` and dropping it end the run.

    Attributes:
        failures: The inputs without rows so far, with reasons, where ``on_error`` is not ``"raise"``.
    """

    def __init__(self, values: Iterator[_Item], failures: list[InputFailure]) -> None:
        self._values = values
        self.failures = failures
        # Of generators, one thread may ask at a time. A handler of signals may close the stream that its own thread waits for.
        self._lock = threading.RLock()

    def __next__(self) -> _Item:
        with self._lock:
            return next(self._values)

    def close(self) -> None:
        """Ends the run."""
        with self._lock:
            self._values.close()  # type: ignore[attr-defined]

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


class Job:
    """A native job, and the schema of its table once that is known: importing it again would take longer than the rest of a call."""

    def __init__(self, native: _prism.Job) -> None:
        self.native = native
        #: What is odd about the columns.
        self.warnings = native.warnings
        self._schema: pa.Schema | None = None

    def arrow(self, batch: _prism.Batch) -> pa.RecordBatch:
        if self._schema is None:
            # Files of the command say how they were made, too.
            self._schema = pa.record_batch(batch).schema.with_metadata(dict(self.native.metadata()))
        return pa.RecordBatch._import_from_c(batch.address(), self._schema)


class Bar:
    """A progress bar by tqdm, if requested."""

    def __init__(self, wanted: bool, total: int | None) -> None:
        self._bar: Any = None
        if wanted:
            try:
                from tqdm.auto import tqdm
            except ImportError:
                raise PrismError("progress=True needs the package tqdm: pip install tqdm") from None
            self._bar = tqdm(unit=" structures", total=total)

    def advance(self, inputs: int) -> None:
        if self._bar is not None:
            self._bar.update(inputs)

    def __enter__(self) -> Bar:
        return self

    def __exit__(self, *_: object) -> None:
        if self._bar is not None:
            self._bar.close()
