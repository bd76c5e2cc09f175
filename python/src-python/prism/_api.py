"""The functions that most people call."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, overload

import pyarrow as pa

from . import _prism
from ._engine import Engine, Report
from ._errors import PrismError
from ._options import Backend, OnError, Options, StreamOptions, TableName, split

if TYPE_CHECKING:
    from typing_extensions import Unpack


#: The engine of the last call, for calls on small inputs: to make one takes longer than they do. There is one at most.
_kept: dict[Any, Engine] = {}
#: Rows of a call whose engine is kept, at most.
_FEW_ROWS = 10_000


class Column(NamedTuple):
    """A feature: its column's name, its unit, what it is, and where the definition comes from."""

    name: str
    unit: str
    definition: str
    source: str


def columns() -> list[Column]:
    """Every feature that can be asked for, in the order of the table."""
    return [Column(*column) for column in _prism.columns()]


def _table(
    table: TableName, inputs: Any, columns: Sequence[str] | None, backend: Backend, run: dict[str, Any], options: Any
) -> Any:
    engine, rest = split(options)
    devices = engine.get("devices")
    named = {**engine, "devices": devices if devices is None or isinstance(devices, str) else tuple(devices)}
    # A process that was forked has none of its parent's threads.
    key = (os.getpid(), backend, *sorted(named.items()))
    kept = _kept.get(key) if backend != "cuda" else None
    if kept is None:
        kept = Engine(backend, **engine)
    found = kept.table(table, inputs, columns, **run, **rest)
    rows = (found[0] if isinstance(found, tuple) else found).num_rows
    if rows > _FEW_ROWS or backend == "cuda":
        # Its memory is worth more to others.
        _kept.pop(key, None)
    elif key not in _kept:
        for old in [old for old in _kept if old[0] == os.getpid()]:
            del _kept[old]
        _kept[key] = kept
    return found


@overload
def features(
    inputs: Any,
    columns: Sequence[str] | None = ...,
    backend: Backend = ...,
    *,
    on_error: Literal["raise", "skip"] = ...,
    progress: bool = ...,
    **options: Unpack[Options],
) -> pa.Table: ...
@overload
def features(
    inputs: Any,
    columns: Sequence[str] | None = ...,
    backend: Backend = ...,
    *,
    on_error: Literal["report"],
    progress: bool = ...,
    **options: Unpack[Options],
) -> Report: ...
@overload
def features(
    inputs: Any,
    columns: Sequence[str] | None = ...,
    backend: Backend = ...,
    *,
    device: str,
    on_error: Literal["raise", "skip"] = ...,
    progress: bool = ...,
    **options: Unpack[Options],
) -> list[_prism.Tensor]: ...


def features(
    inputs: Any,
    columns: Sequence[str] | None = None,
    backend: Backend = "auto",
    *,
    device: str | None = None,
    on_error: OnError = "raise",
    progress: bool = False,
    **options: Unpack[Options],
) -> pa.Table | Report | list[_prism.Tensor]:
    """A table of features, a row a residue, as ``prism features`` writes it: same rows, order and bits.

    Args:
        inputs: One input or an iterable of them. An input is

            - a path of a file, a tar, a packed data set, or a folder, which is walked;
            - ``bytes``, or ``(name, bytes)``, as a file or tar has them, compressed or not;
            - a file object, which is read to its end;
            - a :class:`Structure`: arrays;
            - an object of gemmi, Biopython, Biotite, MDAnalysis or mdtraj: see :func:`structures`.

            An iterator is advanced by another thread while earlier inputs are computed, and never far ahead.
        columns: Features to compute, by name; :func:`columns` lists them. All if ``None``. Columns that say which residue
            a row is come before them; where one of those is named too, exactly what is named is given.
        backend: See :class:`Engine`.
        device: Where named, the result is a list of tensors there, one a structure: see :func:`tensors`.
        on_error: ``"raise"``: the first input that fails raises :class:`InputError`. ``"skip"``: it is left out with an
            :class:`InputWarning`. ``"report"``: the result is ``(table, failures)``.
        progress: Show a bar (takes tqdm).
        options: What is read, and how it is computed: see :class:`Options`.

    Returns:
        A table. Undefined values are null. Fields have their unit, definition and source as metadata. What was decided while
        reading (alternate locations, say) is logged by the logger ``prism`` at level INFO, what is odd is an
        :class:`InputWarning`.

    Raises:
        InputError: An input failed; it names the input.
        PrismError: A wrong argument, or a backend that failed.

    >>> table = prism.features("structures/", columns=["sasa", "wcn"])
    """
    if device is not None:
        if on_error == "report":
            raise PrismError('on_error of tensors must be "raise" or "skip", not \'report\'')
        return list(tensors(inputs, columns, backend, device=device, on_error=on_error, progress=progress, **options))
    return _table("features", inputs, columns, backend, {"on_error": on_error, "progress": progress}, options)


@overload
def sites(
    inputs: Any,
    backend: Backend = ...,
    *,
    max_sites: int = ...,
    min_score: float = ...,
    on_error: Literal["raise", "skip"] = ...,
    progress: bool = ...,
    **options: Unpack[Options],
) -> pa.Table: ...
@overload
def sites(
    inputs: Any,
    backend: Backend = ...,
    *,
    max_sites: int = ...,
    min_score: float = ...,
    on_error: Literal["report"],
    progress: bool = ...,
    **options: Unpack[Options],
) -> Report: ...


def sites(
    inputs: Any,
    backend: Backend = "auto",
    *,
    max_sites: int = 20,
    min_score: float = 0.0,
    on_error: OnError = "raise",
    progress: bool = False,
    **options: Unpack[Options],
) -> pa.Table | Report:
    """Where ligands may bind, a row a site, as ``prism sites`` writes it: rank, score, probability, centre (Å), area (Å²), volume
    (Å³), and its residues as ``A_120``, divided by spaces.

    Args:
        max_sites: Sites of a structure, at most.
        min_score: Sites with a lower score are left out.

    Other arguments, and errors, are those of :func:`features`.
    """
    run = {"on_error": on_error, "progress": progress, "max_sites": max_sites, "min_score": min_score}
    return _table("sites", inputs, None, backend, run, options)


@overload
def edges(
    inputs: Any,
    backend: Backend = ...,
    *,
    kinds: Sequence[Literal["ca", "atom"]] = ...,
    on_error: Literal["raise", "skip"] = ...,
    progress: bool = ...,
    **options: Unpack[Options],
) -> pa.Table: ...
@overload
def edges(
    inputs: Any,
    backend: Backend = ...,
    *,
    kinds: Sequence[Literal["ca", "atom"]] = ...,
    on_error: Literal["report"],
    progress: bool = ...,
    **options: Unpack[Options],
) -> Report: ...


def edges(
    inputs: Any,
    backend: Backend = "auto",
    *,
    kinds: Sequence[Literal["ca", "atom"]] = ("ca", "atom"),
    on_error: OnError = "raise",
    progress: bool = False,
    **options: Unpack[Options],
) -> pa.Table | Report:
    """Pairs of residues in contact, a row a pair, as ``prism edges`` writes it: the rows of both in :func:`features`, their distance
    (Å), and the kind.

    Args:
        kinds: ``"ca"``: alpha carbons closer than ``contact_threshold``. ``"atom"``: heavy atoms within 4.5 Å, of residues at
            least two rows apart or of different chains.

    Other arguments, and errors, are those of :func:`features`.
    """
    run = {"on_error": on_error, "progress": progress, "kinds": kinds}
    return _table("edges", inputs, None, backend, run, options)


@overload
def interface(
    inputs: Any,
    backend: Backend = ...,
    *,
    between: tuple[str, str] | None = ...,
    by_residue: bool = ...,
    on_error: Literal["raise", "skip"] = ...,
    progress: bool = ...,
    **options: Unpack[Options],
) -> pa.Table: ...
@overload
def interface(
    inputs: Any,
    backend: Backend = ...,
    *,
    between: tuple[str, str] | None = ...,
    by_residue: bool = ...,
    on_error: Literal["report"],
    progress: bool = ...,
    **options: Unpack[Options],
) -> Report: ...


def interface(
    inputs: Any,
    backend: Backend = "auto",
    *,
    between: tuple[str, str] | None = None,
    by_residue: bool = False,
    on_error: OnError = "raise",
    progress: bool = False,
    **options: Unpack[Options],
) -> pa.Table | Report:
    """The surface (Å²) that chains bury in each other, a row a pair of chains that touch, as ``prism interface`` writes it.

    Args:
        between: The interface between these two chains alone, as if there were no others. A structure without one of them fails.
        by_residue: A row a residue instead: its surface alone, in the complex, and buried (``--by-residue``).

    Other arguments, and errors, are those of :func:`features`.
    """
    run = {"on_error": on_error, "progress": progress, "between": between, "by_residue": by_residue}
    return _table("interface", inputs, None, backend, run, options)


@overload
def summary(
    inputs: Any,
    backend: Backend = ...,
    *,
    on_error: Literal["raise", "skip"] = ...,
    progress: bool = ...,
    **options: Unpack[Options],
) -> pa.Table: ...
@overload
def summary(
    inputs: Any,
    backend: Backend = ...,
    *,
    on_error: Literal["report"],
    progress: bool = ...,
    **options: Unpack[Options],
) -> Report: ...


def summary(
    inputs: Any,
    backend: Backend = "auto",
    *,
    on_error: OnError = "raise",
    progress: bool = False,
    **options: Unpack[Options],
) -> pa.Table | Report:
    """Structures summed up, as ``prism summary`` writes it: a row for each, with an empty ``chain``, then one for each of its
    chains. Areas are in Å², radii of gyration in Å.

    Arguments, and errors, are those of :func:`features`.
    """
    return _table("summary", inputs, None, backend, {"on_error": on_error, "progress": progress}, options)


def stream(
    inputs: Any,
    columns: Sequence[str] | None = None,
    backend: Backend = "auto",
    *,
    table: TableName = "features",
    on_error: Literal["raise", "skip"] = "raise",
    progress: bool = False,
    **options: Unpack[StreamOptions],
) -> Iterator[pa.RecordBatch]:
    """Batches of a table, in order, while others are computed. Memory is bounded, however many inputs there are. Leaving
    the loop, or Ctrl-C, ends the run.

    Args:
        table: Which: ``"features"``, ``"sites"``, ``"edges"``, ``"interface"`` or ``"summary"``, with the options of the function of
            that name.

    Other arguments, and errors, are those of :func:`features`.
    """
    engine, rest = split(options)
    return Engine(backend, **engine).stream(
        inputs, columns, table=table, on_error=on_error, progress=progress, **rest
    )


def tensors(
    inputs: Any,
    columns: Sequence[str] | None = None,
    backend: Backend = "auto",
    *,
    device: str = "cpu",
    on_error: Literal["raise", "skip"] = "raise",
    progress: bool = False,
    **options: Unpack[Options],
) -> Iterator[_prism.Tensor]:
    """A tensor a structure, in the order of the inputs: ``float32``, shape ``(residues, columns)``, NaN where a feature is not defined.

    A tensor crosses by DLPack without a copy (``torch.from_dlpack``, ``cupy.from_dlpack``, ``numpy.from_dlpack``), and may be used
    after the engine is gone, by any thread and, on a device, on any stream: the values are there when you get it.

    Args:
        device: Where tensors are: ``"cpu"``, in the host's memory, whichever backend computed them; or ``"cuda"``, where they
            were computed, never having been in the host's memory. ``"cuda"`` takes the backend ``"cuda"``, which ``"auto"`` becomes
            then; ``"cuda:1"`` is for ``devices=[1]``. The memory is kept until the last reader drops it. Then all work
            of the device is waited for; a CUDA graph that is being recorded meanwhile fails.
        columns: Features, by name; columns of the tensor are in the order of :func:`columns`, as its ``columns`` say.

    Other arguments, and errors, are those of :func:`features`.
    """
    engine, rest = split(options)
    reading: Any = rest
    place, colon, ordinal = device.partition(":")
    if colon:
        if place != "cuda" or not ordinal.isdecimal() or engine.get("devices") is not None:
            raise PrismError(f'device must be "cpu", "cuda", or "cuda:1" without devices=, not {device!r}')
        engine["devices"] = [int(ordinal)]
    if place == "cuda" and backend == "auto":
        backend = "cuda"
    where: Any = place
    return Engine(backend, **engine).tensors(
        inputs, columns, device=where, on_error=on_error, progress=progress, **reading
    )
