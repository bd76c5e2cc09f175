"""Options of calls. They have the names of the command's options."""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from difflib import get_close_matches
from typing import Any, Literal, TypedDict

from ._arguments import check, texts

Backend = Literal["auto", "cuda", "cpu"]
Device = Literal["cpu", "cuda"]
OnError = Literal["raise", "skip", "report"]
TableName = Literal["features", "sites", "edges", "interface", "ligands", "atoms", "areas", "summary", "dockq"]
FrameTable = Literal["features", "sites", "edges", "interface", "atoms", "summary", "dockq"]


class ReadingOptions(TypedDict, total=False):
    """Which structures are read, and which parts of them. All are optional.

    Attributes:
        chains: Author chain ids to read. All if ``None``.
        select: Residues to read, in a small language: ``"chain A and resnum 10-50 or resname HEM"``. All if ``None``.
        each: What becomes a structure of its own: each ``"chain"`` (``x.pdb:A``), ``"molecule"`` (chains that are bonded to each
            other), biological ``"assembly"``, or ``"model"``. ``None`` makes one of all chains of the first model.
        residues: Which residues get a row. ``"all"``: every amino acid of a chain, modified ones among them. ``"standard"``:
            the 20 standard names in ATOM records alone.
        polymers: Polymers whose residues get a row: ``"protein"``, ``"nucleic"`` or ``"all"``. If it is given, tables of residues have
            a column ``polymer``. ``None`` takes all.
        altloc: Which alternate location of a residue is taken: ``"highest"``, the one with the highest mean occupancy;
            ``"first"``, the first record of each atom; or the one with this letter.
        model: Which models: one by its number, or ``"all"``. Then each is a structure of its own (``x.pdb#2``). ``"join"`` takes all
            models as one structure, as in files of assemblies with a model for each copy. ``None`` takes the first.
        assembly: The biological assembly to build, by its id in the file.
        het: Whether ligands, ions and the like cover surface: ``"cover"`` or ``"none"``. With ``"rows"`` they do, and features and
            tensors have rows of them after those of the polymers, with a column ``polymer`` that says what they are.
        name_by: What names structures of files: their ``"name"``, ``"path"`` or ``"stem"``. ``None`` takes the name. Where two
            files have the same name, folders are added that tell them apart. A second structure in memory that is called ``x``
            is named ``x~2``.
        annotations: A CSV file of values for each residue (see the command's documentation).
        lineages: A CSV file of lineages (see the command's documentation).
    """

    chains: Sequence[str] | None
    select: str | None
    each: Literal["chain", "molecule", "assembly", "model"] | None
    residues: Literal["all", "standard"]
    polymers: Literal["protein", "nucleic", "all"] | None
    altloc: str
    model: int | Literal["all", "join"] | None
    assembly: str | None
    het: Literal["none", "cover", "rows"]
    name_by: Literal["name", "path", "stem"] | None
    annotations: str | os.PathLike[str] | None
    lineages: str | os.PathLike[str] | None


class EngineOptions(TypedDict, total=False):
    """How features are computed. All are optional.

    Attributes:
        devices: Numbers of the CUDA devices to use, or ``"all"``. ``None`` takes the first that can be used.
        threads: So many threads read and compute on CPU cores, at most 4,096. ``None`` takes one for each core.
        contact_threshold: Alpha carbons closer than this are in contact. Å, above 0; 8.
        points: Test points on each atom's sphere for accessible areas, 20 to 5,000; 100.
        site_threshold: Residues with at least this ``site_score`` line the site of their best atom, wherever its centre is. Above 0, at
            most 1; 0.3.
        min_feature_value: Features of smaller magnitude are 0. Not below 0; 0.
    """

    devices: Sequence[int] | Literal["all"] | None
    threads: int | None
    contact_threshold: float
    points: int
    site_threshold: float
    min_feature_value: float


class Options(ReadingOptions, EngineOptions, total=False):
    """Keywords that functions of the module take, beside their own arguments: those of :class:`ReadingOptions` and of
    :class:`EngineOptions`. See both."""


class OwnOptions(TypedDict, total=False):
    """Options of single tables. See :func:`prism.sites`, :func:`prism.edges`, :func:`prism.interface`,
    :func:`prism.atoms`, :func:`prism.areas` and :func:`prism.dockq`."""

    max_sites: int
    min_probability: float
    all: bool
    min_plddt: float | None
    pocket_shape: bool
    kinds: Sequence[str]
    attributes: Sequence[Literal["rbf", "frame"]]
    ids: Literal["rows", "residues"] | None
    cutoff: float
    neighbors: int
    steps: int
    between: tuple[str, str] | None
    by_residue: bool
    probe: float
    radii: str | os.PathLike[str]
    algorithm: Literal["shrake-rupley", "lee-richards"]
    slices: int
    format: Literal["rsa", "naccess", "pdb"]
    reference: str | os.PathLike[str] | None
    mapping: Sequence[str] | None
    allowed_mismatches: int
    by_number: bool
    peptide: bool
    small_molecules: bool
    pae: bool


class TableOptions(OwnOptions, ReadingOptions, total=False):
    """Keywords of :meth:`Engine.table <prism_features.Engine.table>`: those of :class:`ReadingOptions`, and of the function of the
    table."""


class StreamOptions(TableOptions, EngineOptions, total=False):
    """Keywords of :func:`prism.stream`: those of :class:`TableOptions`, :class:`ReadingOptions` and :class:`EngineOptions`."""


_READING: dict[str, Any] = {
    "chains": None,
    "select": None,
    "each": None,
    "residues": "all",
    "polymers": None,
    "altloc": "highest",
    "model": None,
    "assembly": None,
    "het": "none",
    "name_by": None,
    "annotations": None,
    "lineages": None,
}
#: Options of single tables, by table.
_OF_TABLES: dict[str, dict[str, Any]] = {
    "sites": {"max_sites": 20, "min_probability": 0.1, "all": False, "min_plddt": None, "pocket_shape": False},
    "edges": {"kinds": ("ca", "atom"), "attributes": (), "ids": None, "cutoff": 4.5, "neighbors": 30, "steps": 1, "pae": False},
    "interface": {"between": None, "by_residue": False, "pae": False},
    "atoms": {"probe": 1.4, "radii": "protor", "algorithm": "shrake-rupley", "slices": 20},
    "areas": {"format": "rsa", "probe": 1.4, "radii": "protor", "algorithm": "shrake-rupley", "slices": 20},
    "dockq": {"reference": None, "mapping": None, "allowed_mismatches": 0, "by_number": False, "peptide": False, "small_molecules": False},
}
#: Of tables of all frames of a trajectory together.
_OF_TRAJECTORIES: dict[str, dict[str, Any]] = {
    "occupancy": {"kinds": ("ca", "atom"), "attributes": (), "cutoff": 4.5, "neighbors": 30, "steps": 1},
    "reduced": {"statistics": ("mean", "sd")},
    "pockets": _OF_TABLES["sites"],
    "measured": {"known_pockets": None},
    "sites of frames": _OF_TABLES["sites"],
}
_OF_TABLES |= _OF_TRAJECTORIES
_TABLE: dict[str, Any] = _READING | {name: value for of in _OF_TABLES.values() for name, value in of.items()}
_ENGINE: dict[str, Any] = {
    "devices": None,
    "threads": None,
    "contact_threshold": 8.0,
    "points": 100,
    "site_threshold": 0.326,
    "min_feature_value": 0.0,
}
#: Of every option.
DEFAULTS: dict[str, Any] = _TABLE | _ENGINE
#: Tables that have columns of their own.
RELATIONS: frozenset[str] = frozenset({"sites", "edges", "interface", "ligands", "atoms", "areas", "summary", "dockq", *_OF_TRAJECTORIES} - {"reduced"})


def table_options(options: TableOptions, table: str = "features") -> dict[str, Any]:
    """All options of a table, as the native side takes them.

    Raises:
        TypeError: The table has no such option, or the option does not take the value.
    """
    known = _READING.keys() | _OF_TABLES.get(table, {}).keys()
    for name in options:
        if name not in known:
            raise TypeError(_unknown(name, table, known))
    filled: dict[str, Any] = {**_TABLE, **options}
    for name, value in options.items():
        check(name, value)
    if filled["chains"] is not None:
        filled["chains"] = texts("chains", filled["chains"], '"A"')
    filled["kinds"] = texts("kinds", filled["kinds"], '"ca", "atom"')
    filled["statistics"] = texts("statistics", filled["statistics"], '"mean", "sd"')
    if filled["mapping"] is not None:
        filled["mapping"] = texts("mapping", filled["mapping"], '"A:H", "B:L"')
    if filled["between"] is not None:
        filled["between"] = tuple(filled["between"])
    return filled


def _unknown(name: str, table: str, known: Iterable[str]) -> str:
    for other, of in _OF_TABLES.items():
        if name in of:
            return f"{name} is an option of the table {other}, and not of {table}"
    if name in _ENGINE:
        return f"{name} is an option of prism.Engine, and not of its calls"
    if name == "min_score":
        return "there is no option min_score, since scores have no upper bound; min_probability, from 0 to 1, leaves out weak sites"
    if name == "decimals":
        return "decimals is an option of prism.structures and prism.Structure, which make inputs"
    if name == "device":
        return f"device is no option of the table {table}; prism.tensors gives tensors, there or in the host's memory"
    if name == "columns":
        return f"columns is no option of the table {table}"
    return _no_option(name, [*sorted(known), *EngineOptions.__annotations__])


def _no_option(name: str, known: list[str]) -> str:
    # With arguments that are no options.
    near = get_close_matches(name, [*known, "columns", "backend", "on_error", "progress"], 1)
    meant = f" (did you mean {near[0]!r}?)" if near else ""
    return f"there is no option {name!r}{meant}; there are {', '.join(known)}"


def engine_options(options: EngineOptions) -> None:
    """Checks options of an engine.

    Raises:
        TypeError: There is no such option, or the option does not take the value.
    """
    for name, value in options.items():
        if name not in _ENGINE:
            raise TypeError(_no_option(name, list(EngineOptions.__annotations__)))
        # `None` is the usual value.
        if value is not None:
            check(name, value)


def split(options: Any) -> tuple[EngineOptions, TableOptions]:
    """The engine's options, and the others."""
    engine: Any = {name: value for name, value in options.items() if name in _ENGINE}
    table: Any = {name: value for name, value in options.items() if name not in _ENGINE}
    return engine, table
