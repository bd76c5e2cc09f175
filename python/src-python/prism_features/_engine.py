"""An engine, for programs that call often."""

from __future__ import annotations

import atexit
import logging
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any, Literal, overload

import pyarrow as pa

from . import _prism
from ._arguments import check
from ._arguments import columns as check_columns
from ._arguments import on_error as check_on_error
from ._errors import InputFailure, PrismError, input_error, warn
from ._inputs import Share, items
from ._options import (
    Backend,
    Device,
    EngineOptions,
    OnError,
    ReadingOptions,
    TableName,
    TableOptions,
    engine_options,
    table_options,
)

if TYPE_CHECKING:
    from typing_extensions import Unpack

_log = logging.getLogger("prism_features")

# Threads that still work at the end of the interpreter must not ask for its lock.
atexit.register(_prism.end)

#: The most jobs that an engine keeps.
_MOST_JOBS = 64

Report = tuple[pa.Table, list[InputFailure]]


class Engine:
    """A backend with its memory. Any number of threads may use one engine.

    Functions of the module make an engine for each call, or take that of the last small call. If you call often, keep one.

    Args:
        backend: ``"cuda"``, ``"cpu"`` or ``"auto"``. ``"auto"`` begins on CPU cores, and adds a GPU where there is one and enough work
            for it. Results have the same bits.
        options: See :class:`prism.EngineOptions`.

    Raises:
        PrismError: You ask for CUDA and it cannot be used, or an argument has a wrong value.
        TypeError: An argument is of a wrong type, or there is no such option.
    """

    def __init__(self, backend: Backend = "auto", **options: Unpack[EngineOptions]) -> None:
        check("backend", backend)
        engine_options(options)
        devices = options.get("devices")
        # The native side takes an empty list as all devices.
        chosen = None if devices is None else [] if devices == "all" else list(devices) or None
        try:
            self._native = _prism.Engine(
                backend,
                chosen,
                options.get("contact_threshold"),
                options.get("points"),
                options.get("site_threshold"),
                options.get("min_feature_value"),
            )
        except (OverflowError, RuntimeError, ValueError) as error:
            raise PrismError(str(error)) from None
        self._jobs: dict[Any, _Job] = {}
        self._usual_jobs: dict[tuple[str, tuple[str, ...] | None], _Job] = {}

    @property
    def description(self) -> str:
        """The backend, and why it was chosen."""
        return self._native.description

    def __repr__(self) -> str:
        return f"<prism.Engine: {self.description}>"

    @overload
    def features(
        self,
        inputs: Any,
        columns: str | Sequence[str] | None = ...,
        *,
        on_error: Literal["raise", "skip"] = ...,
        progress: bool = ...,
        **options: Unpack[ReadingOptions],
    ) -> pa.Table: ...
    @overload
    def features(
        self,
        inputs: Any,
        columns: str | Sequence[str] | None = ...,
        *,
        on_error: Literal["report"],
        progress: bool = ...,
        **options: Unpack[ReadingOptions],
    ) -> Report: ...

    def features(
        self,
        inputs: Any,
        columns: str | Sequence[str] | None = None,
        *,
        on_error: OnError = "raise",
        progress: bool = False,
        **options: Unpack[ReadingOptions],
    ) -> pa.Table | Report:
        """As :func:`prism.features`, with this engine."""
        return self.table("features", inputs, columns, on_error=on_error, progress=progress, **options)

    def table(
        self,
        table: TableName,
        inputs: Any,
        columns: str | Sequence[str] | None = None,
        *,
        on_error: OnError = "raise",
        progress: bool = False,
        **options: Unpack[TableOptions],
    ) -> Any:
        """Any table: ``"features"``, ``"sites"``, ``"edges"``, ``"interface"``, ``"ligands"``, ``"atoms"``, ``"summary"`` or ``"dockq"``, with the options of the
        function of that name. Returns a :class:`pyarrow.Table`, or ``(table, failures)`` with ``on_error="report"``."""
        check_on_error(on_error, ("raise", "skip", "report"))
        job, run = self._begin(table, inputs, columns, options)
        failures: list[InputFailure] = []
        only = None if progress else run.only()
        if only is not None:
            self._tell(only, on_error, failures)
            batches = [job.arrow(only)]
        else:
            batches = [job.arrow(batch) for batch in self._batches(run, on_error, progress, failures)]
        whole = pa.Table.from_batches(batches or [job.arrow(run.empty())])
        return (whole, failures) if on_error == "report" else whole

    def stream(
        self,
        inputs: Any,
        columns: str | Sequence[str] | None = None,
        *,
        table: TableName = "features",
        on_error: Literal["raise", "skip"] = "raise",
        progress: bool = False,
        **options: Unpack[TableOptions],
    ) -> Iterator[pa.RecordBatch]:
        """As :func:`prism.stream`, with this engine."""
        check_on_error(on_error, of=" of a stream")
        # Begins here and not at the first batch, so that wrong arguments raise at once.
        job, run = self._begin(table, inputs, columns, options)
        return (job.arrow(batch) for batch in self._batches(run, on_error, progress, []))

    def tensors(
        self,
        inputs: Any,
        columns: str | Sequence[str] | None = None,
        *,
        device: Device = "cpu",
        on_error: Literal["raise", "skip"] = "raise",
        progress: bool = False,
        **options: Unpack[ReadingOptions],
    ) -> Iterator[_prism.Tensor]:
        """As :func:`prism.tensors`, with this engine. ``device="cuda"`` needs an engine with the backend ``"cuda"``. A tensor is on the
        device that computed it."""
        check_on_error(on_error, of=" of tensors")
        check("device", device)
        if device not in ("cpu", "cuda"):
            raise PrismError(f'device must be "cpu" or "cuda", not {device!r}; prism.Engine("cuda", devices=[1]) is on another')
        _, run = self._begin("tensors" if device == "cpu" else "device tensors", inputs, columns, options)
        return (tensor for batch in self._batches(run, on_error, progress, []) for tensor in batch.tensors())

    def _share_of_tensors(
        self, share: Share | None, inputs: list[Any], columns: list[str], on_error: Literal["raise", "skip"], options: Any
    ) -> Iterator[_prism.Tensor]:
        """Tensors of those inputs that are this worker's."""
        check_on_error(on_error, of=" of tensors")
        _, run = self._begin("tensors", inputs, columns, options, share)
        return (tensor for batch in self._batches(run, on_error, False, []) for tensor in batch.tensors())

    def _frames(
        self, frames: _prism.Frames, columns: list[str] | None, options: Any, most: int | None
    ) -> Iterator[pa.RecordBatch]:
        """The table of features of some frames, batch by batch."""
        try:
            job = _Job(self._native.job("features", columns, table_options(options)))
            run = job.native.stream_frames(frames, most)
        except (RuntimeError, ValueError) as error:
            raise PrismError(str(error)) from None
        for text in job.native.warnings:
            warn(text)
        return (job.arrow(batch) for batch in self._batches(run, "raise", False, []))

    def _begin(
        self, table: str, inputs: Any, columns: str | Sequence[str] | None, options: Any, share: Share | None = None
    ) -> tuple[_Job, _prism.Stream]:
        chosen = check_columns(columns)
        if table in ("sites", "edges", "interface", "ligands", "atoms", "summary", "dockq") and chosen is not None:
            raise TypeError(f"columns is for the table features; {table} has columns of its own")
        check("table", table)
        try:
            # Without options, as in most small calls, there is less to look at.
            job = self._job(table, chosen, table_options(options, table)) if options else self._usual_job(table, chosen)
        except (RuntimeError, ValueError) as error:
            raise PrismError(str(error)) from None
        for text in job.native.warnings:
            warn(text)
        try:
            return job, job.native.stream(items(inputs, options.get("model"), share), share)
        except (RuntimeError, ValueError) as error:
            raise PrismError(str(error)) from None

    def _usual_job(self, table: str, columns: list[str] | None) -> _Job:
        """A job without options."""
        key = (table, None if columns is None else tuple(columns))
        kept = self._usual_jobs.get(key)
        if kept is None:
            kept = self._job(table, columns, table_options({}))
            if len(self._usual_jobs) >= _MOST_JOBS:
                self._usual_jobs.clear()
            self._usual_jobs[key] = kept
        return kept

    def _job(self, table: str, columns: list[str] | None, options: dict[str, Any]) -> _Job:
        """A job, which later calls reuse. Files of annotations and lineages may change, so their jobs are not reused."""
        if options["annotations"] is not None or options["lineages"] is not None:
            return _Job(self._native.job(table, columns, options))
        # Sorted, so that their order does not matter. With their types, since 1 == True.
        values = [tuple(value) if isinstance(value, list) else value for value in options.values()]
        key = (table, columns and tuple(columns), *((type(value), value) for value in values))
        kept = self._jobs.get(key)
        if kept is None:
            kept = _Job(self._native.job(table, columns, options))
            if len(self._jobs) >= _MOST_JOBS:
                self._jobs.clear()
            self._jobs[key] = kept
        return kept

    def _batches(
        self, run: _prism.Stream, on_error: OnError, progress: bool, failures: list[InputFailure]
    ) -> Iterator[_prism.Batch]:
        with _Bar(progress, run.total) as bar:
            try:
                for batch in run:
                    self._tell(batch, on_error, failures)
                    bar.advance(batch.inputs)
                    yield batch
            except GeneratorExit:
                # Dropping the run ends it. An exception that is raised here, such as that of Ctrl-C, would be lost.
                raise
            except RuntimeError as error:
                run.cancel()
                raise PrismError(str(error)) from None
            except BaseException:
                run.cancel()
                raise

    def _tell(self, batch: _prism.Batch, on_error: OnError, failures: list[InputFailure]) -> None:
        """Reports failures and warnings of a batch's inputs."""
        for name, reason in batch.failures:
            failure = InputFailure(name, reason)
            if on_error == "raise":
                raise input_error(failure)
            if on_error == "skip":
                warn(f"{name}: {reason}")
            failures.append(failure)
        for name, told in batch.warnings:
            warn(f"{name}: {told}")
        if _log.isEnabledFor(logging.INFO):
            for name, told in batch.notes:
                _log.info("%s: %s", name, told)


class _Job:
    """A native job, and the schema of its table once that is known: importing it again would take longer than the rest of a call."""

    def __init__(self, native: _prism.Job) -> None:
        self.native = native
        self._schema: pa.Schema | None = None

    def arrow(self, batch: _prism.Batch) -> pa.RecordBatch:
        if self._schema is None:
            found = pa.record_batch(batch)
            self._schema = found.schema
            return found
        return pa.RecordBatch._import_from_c(batch.address(), self._schema)


class _Bar:
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

    def __enter__(self) -> _Bar:
        return self

    def __exit__(self, *_: object) -> None:
        if self._bar is not None:
            self._bar.close()
