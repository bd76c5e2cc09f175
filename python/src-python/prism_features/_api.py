"""The functions of the module: those of an engine, which they make or keep."""

from __future__ import annotations

import inspect
import os
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

import pyarrow as pa

from . import _prism
from ._arguments import check
from ._engine import Engine
from ._errors import PrismError
from ._every_atom import are_interactions
from ._options import Backend, EngineOptions, OnError, Options, StreamOptions, TableName, engine_options, split
from ._runs import Stream
from ._signatures import expanded, spelled_out
from ._table import Table

if TYPE_CHECKING:
    from typing_extensions import Unpack

#: The engine of the last small call, one at most: making an engine takes longer than a small call.
_kept: dict[Any, Engine] = {}
#: A call with more rows than these does not keep its engine.
_FEW_ROWS = 10_000


def columns() -> Table:
    """All columns of :func:`features`, in their order: a row for each, with

    - ``name``;
    - ``role``: ``"identity"`` (which residue a row is of), ``"feature"`` (a number, which tensors have, too), ``"state"`` (a letter, which
      tensors have as a number: see :data:`STATES`), ``"other"``, or ``"on request"`` (in no table that does not name it);
    - ``dtype``: the type in Arrow's words;
    - ``unit``, ``definition``, ``source``.

    Examples:
        >>> prism.columns().select(["name", "role", "dtype", "unit"]).to_pandas()[7:11]
                      name     role  dtype  unit
        7   contact_number  feature  float
        8              wcn  feature  float  Å^-2
        9           hse_up  feature  float
        10        hse_down  feature  float
    """
    names = ("name", "role", "dtype", "unit", "definition", "source")
    return Table(pa.table([pa.array(values) for values in zip(*_prism.columns(), strict=True)], names=names))


def _engine_of(backend: Backend, options: EngineOptions, inputs: Any) -> tuple[Any, Engine]:
    """The engine that was kept for such a call, or another; and the key of it."""
    check("backend", backend)
    # A forked process cannot use its parent's.
    key: tuple[Any, ...] = (os.getpid(), backend)
    if options:
        engine_options(options)
        devices = options.get("devices")
        named = {**options, "devices": devices if devices is None or isinstance(devices, str) else tuple(devices)}
        key += tuple(sorted(named.items()))
    return key, _kept.get(key) or Engine._begun(backend, options, inputs)


def _keep(key: Any, engine: Engine, rows: int, backend: Backend) -> None:
    if rows > _FEW_ROWS or backend == "cuda":
        # Its memory is worth more to others.
        _kept.pop(key, None)
    elif key not in _kept:
        _kept.clear()
        _kept[key] = engine


def _of_module(method: Callable[..., Table]) -> Callable[..., Table]:
    """A method of :class:`Engine` as a function that makes the engine, or takes that of the last small call. The backend follows the
    method's own positional arguments."""
    own = list(inspect.signature(method).parameters.values())[1:]
    position = sum(one.kind is inspect.Parameter.POSITIONAL_OR_KEYWORD for one in own)
    name = method.__name__

    def function(*given: Any, **options: Any) -> Table:
        backend: Backend = options.pop("backend", "auto") if len(given) <= position else given[position]
        if len(given) > position + 1:
            raise TypeError(f"{name} takes {position + 1} arguments without their names, not {len(given)}")
        if len(given) > position and "backend" in options:
            raise TypeError(f"{name} has two values for backend")
        if "columns" in options and name != "features":
            raise TypeError(f"columns is for prism.features; {name} has columns of its own")
        engine, rest = split(options) if options else ({}, options)
        if name == "edges":
            _check_edges(engine, rest)
        inputs = given[0] if given else rest.get("inputs")
        key, of_call = _engine_of(backend, engine, inputs)
        table = method(of_call, *given[:position], **rest)
        _keep(key, of_call, table.arrow.num_rows, backend)
        return table

    signature = inspect.signature(method)
    backend_of = inspect.Parameter("backend", inspect.Parameter.POSITIONAL_OR_KEYWORD, default="auto", annotation="Backend")
    options = inspect.Parameter("options", inspect.Parameter.VAR_KEYWORD, annotation="Unpack[Options]")
    own = [*own[:position], backend_of, *(one for one in own[position:] if one.kind is inspect.Parameter.KEYWORD_ONLY), options]
    function.__signature__ = expanded(signature.replace(parameters=own))  # type: ignore[attr-defined]
    function.__name__ = function.__qualname__ = name
    function.__module__ = "prism_features"
    function.__doc__ = method.__doc__
    return function


def _check_edges(engine: EngineOptions, rest: Any) -> None:
    kinds = rest.get("kinds", ("ca", "atom"))
    if engine and are_interactions(kinds):
        raise PrismError(f"{next(iter(engine))} has no effect on interactions, which are those of every atom")
    if "contact_threshold" in engine and not isinstance(kinds, str) and "ca" not in list(kinds):
        raise PrismError('contact_threshold has no effect on kinds=["atom"], heavy atoms within 4.5 Å; add the kind "ca"')


features = _of_module(Engine.features)
sites = _of_module(Engine.sites)
edges = _of_module(Engine.edges)
interface = _of_module(Engine.interface)
ligands = _of_module(Engine.ligands)
atoms = _of_module(Engine.atoms)
areas = _of_module(Engine.areas)
summary = _of_module(Engine.summary)
dockq = _of_module(Engine.dockq)


@spelled_out
def stream(
    inputs: Any,
    columns: str | Sequence[str] | None = None,
    backend: Backend = "auto",
    *,
    table: TableName = "features",
    on_error: OnError = "raise",
    progress: bool = False,
    **options: Unpack[StreamOptions],
) -> Stream[pa.RecordBatch]:
    engine, rest = split(options)
    of_call = Engine._begun(backend, engine, inputs)
    return of_call.stream(inputs, columns, table=table, on_error=on_error, progress=progress, **rest)


@spelled_out
def tensors(
    inputs: Any,
    columns: str | Sequence[str] | None = None,
    backend: Backend = "auto",
    *,
    device: str = "cpu",
    on_error: OnError = "raise",
    progress: bool = False,
    **options: Unpack[Options],
) -> Stream[_prism.Tensor]:
    engine, rest = split(options)
    reading: Any = rest
    check("device", device)
    place, colon, ordinal = device.partition(":")
    if colon:
        if place != "cuda" or not ordinal.isdecimal() or engine.get("devices") is not None:
            raise PrismError(f'device must be "cpu", "cuda", or "cuda:1" without devices=, not {device!r}')
        engine["devices"] = [int(ordinal)]
    if place == "cuda" and backend == "auto":
        backend = "cuda"
    where: Any = place
    return Engine._begun(backend, engine, inputs).tensors(
        inputs, columns, device=where, on_error=on_error, progress=progress, **reading
    )


stream.__doc__ = Engine.stream.__doc__
tensors.__doc__ = (Engine.tensors.__doc__ or "").replace(
    "that takes the backend ``\"cuda\"``.", "the backend is ``\"cuda\"`` then. ``\"cuda:1\"`` means ``devices=[1]``."
)
