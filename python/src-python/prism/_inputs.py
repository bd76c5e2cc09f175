"""Whatever a caller has, as the native side takes it."""

from __future__ import annotations

import os
from collections.abc import Iterable
from typing import Any

from ._atoms import adapted
from ._errors import PrismError

#: A path of a file or folder, or a structure's name and its bytes as a file has them.
Item = str | tuple[str, bytes]


def items(inputs: Any) -> list[Any]:
    """One input or many, in order."""
    one = _item(inputs)
    if one is not None:
        return [one]
    if not isinstance(inputs, Iterable):
        raise PrismError(f"{type(inputs).__name__} is no input; see prism.features for what is")
    found = []
    for index, value in enumerate(inputs):
        item = _item(value, f"input{index}")
        if item is None:
            raise PrismError(f"input {index}: {type(value).__name__} is no input; see prism.features for what is")
        found.append(item)
    return found


def _item(value: Any, name: str = "input") -> Any | None:
    if isinstance(value, str):
        return value
    if isinstance(value, os.PathLike):
        return os.fsdecode(value)
    if isinstance(value, (bytes, bytearray, memoryview)):
        return name, bytes(value)
    if isinstance(value, tuple) and len(value) == 2 and isinstance(value[0], str):
        if isinstance(value[1], (bytes, bytearray, memoryview)):
            return value[0], bytes(value[1])
        atoms = adapted(value[1])
        if atoms is not None:
            return packed(atoms, value[0])
    atoms = adapted(value)
    if atoms is not None:
        return packed(atoms, atoms.name)
    if hasattr(value, "read"):
        content = value.read()
        if isinstance(content, str):
            content = content.encode()
        called = getattr(value, "name", None)
        return os.path.basename(called) if isinstance(called, str) else name, content
    return None


def packed(atoms: Any, name: str) -> Any:
    """The atoms as contiguous arrays of bytes."""
    import numpy as np

    positions = np.ascontiguousarray(atoms.positions, dtype="<f8")
    n = positions.shape[0]
    if positions.shape != (n, 3):
        raise PrismError(f"{name}: positions have the shape {positions.shape}, not (n, 3)")

    def texts(field: str, default: str = "") -> tuple[int, bytes]:
        given = getattr(atoms, field)
        values = np.asarray([default] * n if len(given) == 0 else given, dtype=np.str_)
        if values.shape != (n,):
            raise PrismError(f"{name}: {field} has {values.size} entries for {n} atoms")
        encoded = np.char.encode(values, "utf-8") if n else np.zeros(0, dtype="S1")
        return encoded.dtype.itemsize, encoded.tobytes()

    def numbers(field: str, kind: str) -> bytes:
        given = getattr(atoms, field)
        values = np.full(n, np.nan) if len(given) == 0 else np.asarray(given)
        if values.shape != (n,):
            raise PrismError(f"{name}: {field} has {values.size} entries for {n} atoms")
        return np.ascontiguousarray(values, dtype=kind).tobytes()

    columns = [texts("names"), texts("resnames"), texts("chains", "A"), texts("icodes"), texts("elements")]
    return name, positions.tobytes(), columns, numbers("resnums", "<i4"), numbers("b_factors", "<f4")
