"""Whatever a caller has, as the native side takes it."""

from __future__ import annotations

import os
from collections.abc import Iterable
from typing import Any

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
    if hasattr(value, "read"):
        content = value.read()
        if isinstance(content, str):
            content = content.encode()
        called = getattr(value, "name", None)
        return os.path.basename(called) if isinstance(called, str) else name, content
    return None
