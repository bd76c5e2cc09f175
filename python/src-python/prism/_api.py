"""The functions that most people call."""

from __future__ import annotations

import warnings
from collections.abc import Iterator, Sequence
from typing import Any, Literal, NamedTuple, overload

import pyarrow as pa

from . import _prism
from ._errors import InputError, InputFailure, InputWarning, PrismError
from ._inputs import items

Backend = Literal["auto", "cuda", "cpu"]
OnError = Literal["raise", "skip", "report"]


class Column(NamedTuple):
    """A feature: its column's name, its unit, what it is, and where the definition comes from."""

    name: str
    unit: str
    definition: str
    source: str


def columns() -> list[Column]:
    """Every feature that can be asked for, in the order of the table."""
    return [Column(*column) for column in _prism.columns()]


class Engine:
    """What computes: a backend with its memory, made once. Any number of threads may use one.

    Functions of the module make one for each call. Whoever calls often keeps one.

    Args:
        backend: ``"cuda"``, ``"cpu"``, or ``"auto"``: the GPU where one is usable, else CPU cores. Results have the
            same bits.
        contact_threshold: Two alpha carbons closer than this are in contact. Å.
        points: Test points an atom for accessible areas, 1 to 5,000 or so; see the command's documentation.
    """

    def __init__(self, backend: Backend = "auto", *, contact_threshold: float = 8.0, points: int = 100) -> None:
        try:
            self._native = _prism.Engine(backend, contact_threshold, points)
        except RuntimeError as error:
            raise PrismError(str(error)) from None

    @property
    def description(self) -> str:
        """Which backend it is, and why."""
        return self._native.description

    def __repr__(self) -> str:
        return f"<prism.Engine: {self.description}>"

    @overload
    def features(
        self,
        inputs: Any,
        columns: Sequence[str] | None = ...,
        *,
        chains: Sequence[str] | None = ...,
        on_error: Literal["raise", "skip"] = ...,
        progress: bool = ...,
    ) -> pa.Table: ...
    @overload
    def features(
        self,
        inputs: Any,
        columns: Sequence[str] | None = ...,
        *,
        chains: Sequence[str] | None = ...,
        on_error: Literal["report"],
        progress: bool = ...,
    ) -> tuple[pa.Table, list[InputFailure]]: ...

    def features(
        self,
        inputs: Any,
        columns: Sequence[str] | None = None,
        *,
        chains: Sequence[str] | None = None,
        on_error: OnError = "raise",
        progress: bool = False,
    ) -> pa.Table | tuple[pa.Table, list[InputFailure]]:
        """As :func:`prism.features`, with this engine."""
        return self._table("features", inputs, columns, chains, on_error, progress)

    def sites(
        self,
        inputs: Any,
        *,
        chains: Sequence[str] | None = None,
        on_error: OnError = "raise",
        progress: bool = False,
    ) -> pa.Table | tuple[pa.Table, list[InputFailure]]:
        """As :func:`prism.sites`, with this engine."""
        return self._table("sites", inputs, None, chains, on_error, progress)

    def stream(
        self,
        inputs: Any,
        columns: Sequence[str] | None = None,
        *,
        table: str = "features",
        chains: Sequence[str] | None = None,
        on_error: Literal["raise", "skip"] = "raise",
        progress: bool = False,
    ) -> Iterator[pa.RecordBatch]:
        """As :func:`prism.stream`, with this engine."""
        if on_error not in ("raise", "skip"):
            raise PrismError(f'on_error of a stream must be "raise" or "skip", not {on_error!r}')
        # Made here and not at the first batch: wrong arguments are told at once.
        run = self._begin(table, inputs, columns, chains)
        return self._batches(run, on_error, progress, [])

    def _begin(
        self, table: str, inputs: Any, columns: Sequence[str] | None, chains: Sequence[str] | None
    ) -> _prism.Stream:
        chosen = None if columns is None else list(columns)
        wanted = None if chains is None else list(chains)
        try:
            return self._native.stream(items(inputs), chosen, wanted, table)
        except (RuntimeError, ValueError) as error:
            raise PrismError(str(error)) from None

    def _batches(
        self, run: _prism.Stream, on_error: OnError, progress: bool, failures: list[InputFailure]
    ) -> Iterator[pa.RecordBatch]:
        with _Bar(progress) as bar:
            try:
                for batch in run:
                    for name, reason in batch.failures:
                        failure = InputFailure(name, reason)
                        if on_error == "raise":
                            raise InputError(failure)
                        if on_error == "skip":
                            warnings.warn(f"{name}: {reason}", InputWarning, stacklevel=4)
                        failures.append(failure)
                    for name, note in batch.notes:
                        warnings.warn(f"{name}: {note}", InputWarning, stacklevel=4)
                    bar.advance(batch.inputs)
                    yield from pa.table(batch).to_batches()
            except RuntimeError as error:
                raise PrismError(str(error)) from None
            finally:
                run.cancel()

    def _table(
        self,
        table: str,
        inputs: Any,
        columns: Sequence[str] | None,
        chains: Sequence[str] | None,
        on_error: OnError,
        progress: bool,
    ) -> pa.Table | tuple[pa.Table, list[InputFailure]]:
        if on_error not in ("raise", "skip", "report"):
            raise PrismError(f'on_error must be "raise", "skip" or "report", not {on_error!r}')
        run = self._begin(table, inputs, columns, chains)
        failures: list[InputFailure] = []
        schema = pa.table(run.empty()).schema
        whole = pa.Table.from_batches(self._batches(run, on_error, progress, failures), schema)
        return (whole, failures) if on_error == "report" else whole


class _Bar:
    """Progress by tqdm, where it is installed and asked for."""

    def __init__(self, wanted: bool) -> None:
        self._bar: Any = None
        if wanted:
            try:
                from tqdm.auto import tqdm
            except ImportError:
                raise PrismError("progress=True takes the package tqdm") from None
            self._bar = tqdm(unit=" structures")

    def advance(self, inputs: int) -> None:
        if self._bar is not None:
            self._bar.update(inputs)

    def __enter__(self) -> _Bar:
        return self

    def __exit__(self, *_: object) -> None:
        if self._bar is not None:
            self._bar.close()


@overload
def features(
    inputs: Any,
    columns: Sequence[str] | None = ...,
    backend: Backend = ...,
    *,
    chains: Sequence[str] | None = ...,
    contact_threshold: float = ...,
    points: int = ...,
    on_error: Literal["raise", "skip"] = ...,
    progress: bool = ...,
) -> pa.Table: ...
@overload
def features(
    inputs: Any,
    columns: Sequence[str] | None = ...,
    backend: Backend = ...,
    *,
    chains: Sequence[str] | None = ...,
    contact_threshold: float = ...,
    points: int = ...,
    on_error: Literal["report"],
    progress: bool = ...,
) -> tuple[pa.Table, list[InputFailure]]: ...


def features(
    inputs: Any,
    columns: Sequence[str] | None = None,
    backend: Backend = "auto",
    *,
    chains: Sequence[str] | None = None,
    contact_threshold: float = 8.0,
    points: int = 100,
    on_error: OnError = "raise",
    progress: bool = False,
) -> pa.Table | tuple[pa.Table, list[InputFailure]]:
    """A table of features, a row a residue, as ``prism features`` writes it: same rows, order and bits.

    Args:
        inputs: One input or an iterable of them: a path of a file or folder; ``bytes``, or ``(name, bytes)``, as a
            file has them; a file object.
        columns: Features to compute, by name; :func:`columns` lists them. All if ``None``. Columns that identify a
            residue come before them.
        backend: See :class:`Engine`.
        chains: Author chain ids to keep.
        contact_threshold: Å; see :class:`Engine`.
        points: See :class:`Engine`.
        on_error: ``"raise"``: the first input that fails raises :class:`InputError`. ``"skip"``: it is left out with an
            :class:`InputWarning`. ``"report"``: the result is ``(table, failures)``.
        progress: Show a bar (takes tqdm).

    Returns:
        A table. Undefined values are null. Fields have their unit, definition and source as metadata.

    Raises:
        InputError: An input failed; it names the input.
        PrismError: A wrong argument, or a backend that failed.
    """
    engine = Engine(backend, contact_threshold=contact_threshold, points=points)
    return engine._table("features", inputs, columns, chains, on_error, progress)


def sites(
    inputs: Any,
    backend: Backend = "auto",
    *,
    chains: Sequence[str] | None = None,
    points: int = 100,
    on_error: OnError = "raise",
    progress: bool = False,
) -> pa.Table | tuple[pa.Table, list[InputFailure]]:
    """Where ligands may bind, a row a site, as ``prism sites`` writes it. Arguments are those of :func:`features`."""
    engine = Engine(backend, points=points)
    return engine._table("sites", inputs, None, chains, on_error, progress)


def stream(
    inputs: Any,
    columns: Sequence[str] | None = None,
    backend: Backend = "auto",
    *,
    table: str = "features",
    chains: Sequence[str] | None = None,
    contact_threshold: float = 8.0,
    points: int = 100,
    on_error: Literal["raise", "skip"] = "raise",
    progress: bool = False,
) -> Iterator[pa.RecordBatch]:
    """Batches of the table of :func:`features`, in order, while others are computed. Memory is bounded, however many
    inputs there are. Leaving the loop, or Ctrl-C, ends the run.

    Args:
        table: ``"features"`` or ``"sites"``. Other arguments are those of :func:`features`.
    """
    engine = Engine(backend, contact_threshold=contact_threshold, points=points)
    return engine.stream(
        inputs, columns, table=table, chains=chains, on_error=on_error, progress=progress
    )
