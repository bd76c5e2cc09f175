"""Checks of arguments, before anything is read. A message names the argument and says what it takes."""

from __future__ import annotations

import os
import reprlib
from collections.abc import Callable, Hashable, Iterable, Iterator, Sequence
from typing import Any

from ._errors import PrismError
from ._prism import MOST_THREADS

#: Of each argument: whether it takes a value, and what it takes. Which texts it takes is for the native side to say.
_TAKES: dict[str, tuple[Callable[[Any], bool], str]] = {}


def _takes(what: str, *names: str) -> Callable[[Callable[[Any], bool]], Callable[[Any], bool]]:
    def register(check: Callable[[Any], bool]) -> Callable[[Any], bool]:
        _TAKES.update(dict.fromkeys(names, (check, what)))
        return check

    return register


@_takes("a text", "backend", "column", "device", "table", "name", "residues", "altloc", "het", "algorithm", "format", "title")
def _is_text(value: Any) -> bool:
    return isinstance(value, str)


@_takes("a text or None", "name_by", "select", "each", "polymers", "ids")
def _is_text_or_none(value: Any) -> bool:
    return value is None or isinstance(value, str)


@_takes('a text, such as "1", or None', "assembly")
def _is_assembly(value: Any) -> bool:
    return _is_text_or_none(value)


@_takes("a whole number or None", "decimals")
def _is_whole_or_none(value: Any) -> bool:
    return value is None or _is_whole(value)


@_takes("a path or None", "annotations", "lineages")
def _is_path(value: Any) -> bool:
    return value is None or isinstance(value, (str, os.PathLike))


@_takes("a path", "reference", "radii")
def _is_named_path(value: Any) -> bool:
    return isinstance(value, (str, os.PathLike))


@_takes("True or False", "by_residue", "by_structure", "all", "by_number", "peptide", "small_molecules", "pae", "full_paths", "all_atoms", "shape", "pocket_shape")
def _is_bool(value: Any) -> bool:
    # NumPy's is a type of its own, `bool_` before version 2.
    is_of_numpy = type(value).__module__ == "numpy" and type(value).__name__ in ("bool", "bool_")
    return isinstance(value, bool) or is_of_numpy


@_takes('a number of 32 bits, "all" or None', "model")
def _is_model(value: Any) -> bool:
    return value is None or isinstance(value, str) or _is_whole(value) and -(2**31) <= value < 2**31


@_takes("a whole number, not below 0", "max_sites", "allowed_mismatches", "slices", "min_pp_stretch", "details")
def _is_count(value: Any) -> bool:
    return _is_whole(value) and 0 <= value < 2**63


@_takes("a whole number above 0", "neighbors", "steps")
def _is_above_0(value: Any) -> bool:
    return _is_whole(value) and 0 < value < 2**32


@_takes(f"a whole number from 1 to {MOST_THREADS}, or None", "threads")
def _are_threads(value: Any) -> bool:
    return value is None or _is_whole(value) and 0 < value <= MOST_THREADS


@_takes("a whole number above 0, or None", "best")
def _is_best(value: Any) -> bool:
    return value is None or _is_count(value) and value > 0


@_takes("a whole number", "points")
def _is_points(value: Any) -> bool:
    return _is_whole(value) and abs(value) < 2**63


def _is_whole(value: Any) -> bool:
    return _is_single(value) and hasattr(value, "__index__")


@_takes("a number from 0 to 1", "min_probability")
def _is_probability(value: Any) -> bool:
    return _is_number(value) and 0 <= value <= 1


@_takes("a number from 0 to 100, or None", "min_plddt")
def _is_confidence(value: Any) -> bool:
    return value is None or _is_number(value) and 0 <= value <= 100


@_takes(
    "a number",
    "pae_cutoff",
    "distance_cutoff",
    "cutoff",
    "probe",
    "contact_threshold",
    "site_threshold",
    "min_feature_value",
)
def _is_number(value: Any) -> bool:
    return _is_single(value) and (hasattr(value, "__float__") or hasattr(value, "__index__"))


def _is_single(value: Any) -> bool:
    # Arrays of NumPy, even of one number, cannot be hashed, and options are keys of what is kept for the next call.
    return isinstance(value, Hashable) and not isinstance(value, bool)


@_takes('two chains, such as ("A", "B"), or None', "between")
def _is_pair(value: Any) -> bool:
    return value is None or isinstance(value, (tuple, list)) and len(value) == 2 and all(map(_is_text, value))


@_takes('a list of numbers, such as [0, 1], "all" or None', "devices")
def _are_devices(value: Any) -> bool:
    if value is None or isinstance(value, str):
        return value in (None, "all")
    # An iterator would have no numbers left after this.
    return isinstance(value, Iterable) and not isinstance(value, Iterator) and all(_is_count(number) for number in value)


def check(name: str, value: Any) -> None:
    """Whether an argument takes a value.

    Raises:
        TypeError: It does not.
    """
    takes = _TAKES.get(name)
    if takes is not None and not takes[0](value):
        raise TypeError(f"{name} takes {takes[1]}, not {reprlib.repr(value)}")


def texts(name: str, values: Any, such_as: str) -> list[str]:
    """A list of texts, one at least.

    Raises:
        TypeError: The value is another.
        PrismError: It is empty.
    """
    listed = list(values) if isinstance(values, Iterable) and not isinstance(values, (str, bytes)) else None
    if listed is None or not all(isinstance(value, str) for value in listed):
        raise TypeError(f"{name} takes a list of texts, such as [{such_as}], not {reprlib.repr(values)}")
    if not listed:
        raise PrismError(f"{name} is empty; it takes a list of texts, such as [{such_as}]")
    return listed


def columns(values: Any) -> list[str] | None:
    """Names of columns: one, or as :func:`texts`."""
    if isinstance(values, str):
        return [values]
    return None if values is None else texts("columns", values, '"sasa"')


def on_error(value: Any, known: Sequence[str] = ("raise", "skip"), of: str = "") -> None:
    """Whether ``on_error`` is one of some texts."""
    if value not in known:
        *others, last = [f'"{one}"' for one in known]
        raise PrismError(f"on_error{of} must be {', '.join(others)} or {last}, not {value!r}")
