"""Tables of every atom, which are computed from files as a whole: interactions, interfaces of groups, and mkdssp's files."""

from __future__ import annotations

import logging
import os
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, Literal

import pyarrow as pa

from . import _prism
from ._arguments import check
from ._arguments import on_error as check_on_error
from ._errors import InputFailure, PrismError, input_error, warn
from ._inputs import items
from ._options import OnError, table_options
from ._table import Table, with_metadata

if TYPE_CHECKING:
    Path = str | os.PathLike[str]

_log = logging.getLogger("prism_features")

#: Kinds of edges between residues with rows.
ROW_KINDS = ("ca", "atom", "knn", "sequence", "hbond_backbone", "bridge")
#: The options of reading that they take.
_TAKEN = ("chains", "altloc", "name_by")


def are_interactions(kinds: Any) -> bool:
    """Whether some of the kinds are interactions, and not contacts of proteins' residues."""
    known = set(_prism.interaction_kinds())
    return not isinstance(kinds, str) and any(kind in known for kind in kinds)


def are_groups(between: Any) -> bool:
    """Whether an interface is between groups, and not between two chains.

    Raises:
        PrismError: A group is none.
    """
    check("between", between)
    try:
        return between is not None and _prism.are_groups(*between)
    except ValueError as error:
        raise PrismError(str(error)) from None


def interactions(inputs: Any, kinds: Sequence[str], ccd: Path | None, on_error: OnError, options: dict[str, Any]) -> Table:
    """The table of :func:`prism.edges` for interactions."""
    of_rows = [kind for kind in kinds if kind in ROW_KINDS]
    if of_rows:
        raise PrismError(f"kinds: {of_rows[0]!r} is of rows of proteins, and interactions have ends without rows; ask for one at a time")
    _refuse(options, "interactions", "ccd")
    filled = table_options({**options, "kinds": list(kinds)}, "edges")  # type: ignore[typeddict-item]
    return _table(inputs, on_error, lambda given: _prism.interactions(given, _fspath(ccd), filled))


def interfaces(
    engine: _prism.Engine,
    inputs: Any,
    between: tuple[str, str] | None,
    groups: Path | None,
    ccd: Path | None,
    shape: bool,
    on_error: OnError,
    options: dict[str, Any],
) -> Table:
    """The table of :func:`prism.interface` for every atom."""
    _refuse(options, "interfaces of every atom", "between, groups, shape, ccd")
    filled = table_options({**options, "between": between}, "interface")  # type: ignore[typeddict-item]
    return _table(inputs, on_error, lambda given: _prism.interfaces(engine, given, _fspath(ccd), _fspath(groups), bool(shape), filled))


def dssp(
    inputs: Any,
    *,
    format: Literal["dssp", "mmcif"] = "dssp",
    min_pp_stretch: int = 3,
    name_by: Literal["name", "path", "stem"] | None = None,
    on_error: OnError = "raise",
) -> Table:
    """Secondary structure in mkdssp's files, as ``prism dssp`` writes them: a row for each structure, with its number of residues and the
    ``text`` of the file. (The columns ``ss``, ``phi``, ... of :func:`features` have the states of residues as a table.)

    Args:
        inputs: Paths, ``bytes``, or ``(name, bytes)``: one or several.
        format: ``"dssp"``, mkdssp's text, or ``"mmcif"``, the structure as mmCIF with mkdssp's categories.
        min_pp_stretch: Residues of the shortest poly-proline helix, 2 or 3.
        name_by: As of :func:`features`.
        on_error: As of :func:`features`.

    Raises:
        InputError: An input failed.
        PrismError: An argument has a wrong value.

    Examples:
        >>> text = prism.dssp("1crn.pdb")["text"][0].as_py()
        >>> text.splitlines()[-1][:38]
        '   46   46 A N              0   0   76'
    """
    check("format", format)
    check("min_pp_stretch", min_pp_stretch)
    filled = table_options({"name_by": name_by}, "features")
    return _table(inputs, on_error, lambda given: _prism.dssp(given, format, min_pp_stretch, filled))


def _refuse(options: dict[str, Any], of: str, others: str) -> None:
    for name in options:
        if name not in _TAKEN:
            raise PrismError(f"{name} has no effect on {of}, which are those of every atom; they take {', '.join(_TAKEN)}, {others}")


def _fspath(path: Path | None) -> str | None:
    return None if path is None else os.fspath(path)


def _table(inputs: Any, on_error: OnError, compute: Callable[[list[Any]], _prism.Batch]) -> Table:
    check_on_error(on_error, ("raise", "skip", "report"))
    given: list[Any] = []
    failures: list[InputFailure] = []
    for item in items(inputs):
        if isinstance(item, str):
            given.append(item)
        elif isinstance(item, tuple) and len(item) == 2 and isinstance(item[1], (bytes, bytearray, memoryview)):
            given.append((item[0], bytes(item[1])))
        elif isinstance(item, tuple) and len(item) == 2 and isinstance(item[1], str):
            failures.append(InputFailure(*item))
        else:
            raise PrismError("this is computed from files: give paths, bytes, or (name, bytes)")
    try:
        batch = compute(given)
    except (RuntimeError, ValueError) as error:
        raise PrismError(str(error)) from None
    for name, note in batch.notes:
        _log.info("%s: %s", name, note)
    failures += [InputFailure(*failure) for failure in batch.failures]
    if failures and on_error == "raise":
        raise input_error(failures[0])
    if on_error == "skip":
        for failure in failures:
            warn(f"{failure.name}: {failure.reason}")
    return Table(with_metadata(pa.table(batch)), failures)
