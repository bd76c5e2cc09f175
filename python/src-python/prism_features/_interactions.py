"""Interactions of every atom, for :func:`prism.edges`."""

from __future__ import annotations

import logging
import os
from collections.abc import Sequence
from typing import Any

import pyarrow as pa

from . import _prism
from ._arguments import on_error as check_on_error
from ._errors import InputFailure, PrismError, input_error, warn
from ._inputs import items
from ._options import OnError, table_options
from ._table import Table, with_metadata

_log = logging.getLogger("prism_features")

#: The options that they take, beside the kinds and the bonds of ligands.
_TAKEN = ("chains", "altloc", "name_by")


def are_interactions(kinds: Any) -> bool:
    """Whether some of the kinds are interactions, and not contacts of proteins' residues."""
    known = set(_prism.interaction_kinds())
    return not isinstance(kinds, str) and any(kind in known for kind in kinds)


def interactions(
    inputs: Any, kinds: Sequence[str], ccd: str | os.PathLike[str] | None, on_error: OnError, options: dict[str, Any]
) -> Table:
    contacts = [kind for kind in kinds if kind in ("ca", "atom")]
    if contacts:
        raise PrismError(f"kinds: {contacts[0]!r} is of rows of proteins, and interactions have ends without rows; ask for one at a time")
    for name in options:
        if name not in _TAKEN:
            raise PrismError(f"{name} has no effect on interactions, which are those of every atom; they take {', '.join(_TAKEN)}, ccd")
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
            raise PrismError("interactions are computed from files: give paths, bytes, or (name, bytes)")
    filled = table_options({**options, "kinds": list(kinds)}, "edges")  # type: ignore[typeddict-item]
    batch = _prism.interactions(given, None if ccd is None else os.fspath(ccd), filled)
    for name, note in batch.notes:
        _log.info("%s: %s", name, note)
    failures += [InputFailure(*failure) for failure in batch.failures]
    if failures and on_error == "raise":
        raise input_error(failures[0])
    if on_error == "skip":
        for failure in failures:
            warn(f"{failure.name}: {failure.reason}")
    return Table(with_metadata(pa.table(batch)), failures)
