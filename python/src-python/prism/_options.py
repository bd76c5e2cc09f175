"""What a call may ask for: the command's options, under their names."""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import Any, Literal, TypedDict

Backend = Literal["auto", "cuda", "cpu"]
Device = Literal["cpu", "cuda"]
OnError = Literal["raise", "skip", "report"]
TableName = Literal["features", "sites", "edges", "interface", "summary"]


class ReadingOptions(TypedDict, total=False):
    """Which structures are read of inputs, and what of them. Every one may be left out.

    Attributes:
        chains: Author chain ids to read. All if ``None``.
        residues: Which residues get a row. ``"all"``: every amino acid of a chain, modified ones among them. ``"standard"``:
            the 20 standard names in ATOM records alone.
        altloc: Of a residue's alternate locations, that of the ``"highest"`` mean occupancy, the ``"first"`` record of each
            atom, or the one of this letter.
        model: Which models: one by its number, or ``"all"``, each as a structure of its own (``x.pdb#2``). The first if
            ``None``.
        assembly: The biological assembly to build, by its id in the file.
        het: Whether ligands, ions and the like cover surface: ``"cover"`` or ``"none"``.
        name_by: What files are called: by ``"name"``, ``"path"`` or ``"stem"``. ``None`` is the name, with as many folders as
            tell equal names apart.
        annotations: A CSV file of values for each residue (see the command's documentation).
        lineages: A CSV file of lineages (see the command's documentation).
    """

    chains: Sequence[str] | None
    residues: Literal["all", "standard"]
    altloc: str
    model: int | Literal["all"] | None
    assembly: str | None
    het: Literal["none", "cover"]
    name_by: Literal["name", "path", "stem"] | None
    annotations: str | os.PathLike[str] | None
    lineages: str | os.PathLike[str] | None


class EngineOptions(TypedDict, total=False):
    """How features are computed. Every one may be left out.

    Attributes:
        devices: Ordinals of the CUDA devices to use, or ``"all"``. The first usable one if ``None``.
        contact_threshold: Alpha carbons closer than this are in contact. Å, above 0; 8.
        points: Test points on each atom's sphere for accessible areas, 20 to 5,000; 100.
        site_threshold: Residues with at least this ``site_score`` may be part of a site. Above 0, at most 1; 0.3.
        min_feature_value: Features of smaller magnitude are 0. Not below 0; 0.
    """

    devices: Sequence[int] | Literal["all"] | None
    contact_threshold: float
    points: int
    site_threshold: float
    min_feature_value: float


class Options(ReadingOptions, EngineOptions, total=False):
    """What functions of the module take by keyword, beside their own arguments: all of :class:`ReadingOptions` and
    :class:`EngineOptions`, which see."""


class TableOptions(ReadingOptions, total=False):
    """What single tables take: see :func:`prism.sites`, :func:`prism.edges`, :func:`prism.interface`."""

    max_sites: int
    min_score: float
    kinds: Sequence[str]
    between: tuple[str, str] | None
    by_residue: bool


class StreamOptions(TableOptions, EngineOptions, total=False):
    """What :func:`prism.stream` takes: all of :class:`TableOptions`, :class:`ReadingOptions` and :class:`EngineOptions`."""


_TABLE: dict[str, Any] = {
    "chains": None,
    "residues": "all",
    "altloc": "highest",
    "model": None,
    "assembly": None,
    "het": "none",
    "name_by": None,
    "annotations": None,
    "lineages": None,
    "max_sites": 20,
    "min_score": 0.0,
    "kinds": ("ca", "atom"),
    "between": None,
    "by_residue": False,
}
_ENGINE = frozenset(EngineOptions.__annotations__)


def table_options(options: TableOptions) -> dict[str, Any]:
    """All options of a table, as the native side takes them."""
    unknown = set(options) - _TABLE.keys()
    if unknown:
        raise TypeError(f"there is no option {sorted(unknown)[0]!r}; there are {', '.join(sorted(_TABLE))}")
    filled: dict[str, Any] = {**_TABLE, **options}
    for several in ("chains", "kinds"):
        if isinstance(filled[several], str):
            raise TypeError(f"{several} takes a list of texts, not one text")
        if filled[several] is not None:
            filled[several] = list(filled[several])
    return filled


def split(options: Any) -> tuple[EngineOptions, TableOptions]:
    """What concerns the engine, and the rest."""
    engine: Any = {name: value for name, value in options.items() if name in _ENGINE}
    table: Any = {name: value for name, value in options.items() if name not in _ENGINE}
    return engine, table
