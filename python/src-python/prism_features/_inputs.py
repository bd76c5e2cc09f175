"""Turns a caller's inputs into what the native side takes."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from ._adapters import is_known, is_of_known_package, kind, n_models, own_name, structures
from ._errors import PrismError, warn
from ._structure import Structure

#: The most inputs that are all read before a run begins. The native side computes so few inputs without starting threads.
_FEW = 4


#: The number of a worker, and of all that share the inputs.
Share = tuple[int, int]


def items(inputs: Any, model: Any = None, share: Share | None = None) -> list[Any] | Iterator[Any]:
    """One input or many, in order: a list if all are in memory or are paths, else an iterator that reads them one by one. Of those in
    memory, a worker reads its share; the native side shares files."""
    # Lists first, because small calls have them.
    if not isinstance(inputs, list) and is_one(inputs):
        all_of_one = _items(inputs, 0, "input", model)
        # The models of an object may be a trajectory, which is read frame by frame.
        return all_of_one if model == "all" and is_known(inputs) else list(all_of_one)
    if isinstance(inputs, (list, tuple)):
        if share is None and _are_all_named_bytes(inputs):
            return list(inputs)
        if all(_is_ready(value) for value in inputs):
            return [item for index, value in enumerate(inputs) for item in _shared(value, index, model, share)]
        # Raises at once if one is no input.
        for index, value in enumerate(inputs):
            _check(value, index)
        all_of = _each(inputs, model, share)
        return list(all_of) if len(inputs) <= _FEW and model is None else all_of
    check_several(inputs)
    return _each(inputs, model, share)


def paths(inputs: Any) -> list[str]:
    """The paths among inputs that are not read for this: what else there is gives no paths, and neither does an iterator."""
    several = [inputs] if isinstance(inputs, (str, os.PathLike)) else inputs if isinstance(inputs, (list, tuple)) else []
    return [os.fsdecode(one) for one in several if isinstance(one, (str, os.PathLike))]


def check_several(inputs: Any) -> None:
    """Whether these are several inputs, as far as can be told without reading them.

    Raises:
        PrismError: They are not.
    """
    if is_of_known_package(inputs):
        raise PrismError(f"{kind(inputs)} is no input; see prism.structures for the objects that are")
    if isinstance(inputs, Mapping):
        raise PrismError(f"{type(inputs).__name__} is no input; its items() may be, as (name, bytes)")
    if hasattr(inputs, "columns"):
        # A loop over pandas' frame gives the names of its columns.
        raise PrismError(f"{type(inputs).__name__} is no input; a column of paths is: frame[\"path\"].to_list()")
    if not isinstance(inputs, Iterable):
        raise PrismError(f"{type(inputs).__name__} is no input; see prism.features for what is")


def _each(inputs: Iterable[Any], model: Any, share: Share | None) -> Iterator[Any]:
    for index, value in enumerate(inputs):
        _check(value, index)
        yield from _shared(value, index, model, share)


def _shared(value: Any, index: int, model: Any, share: Share | None) -> Iterator[Any]:
    name = f"input{index}"
    if share is None or index % share[1] == share[0] or isinstance(value, (str, os.PathLike)):
        return _items(value, index, name, model)
    # Another worker reads it. Here it has a name alone, and whether that is a file's.
    if isinstance(value, Structure):
        return iter([(value.name, False)])
    if is_known(value):
        return iter([((index, own_name(value) or name, ""), False)])
    return iter([(value[0] if isinstance(value, tuple) else _name_of_file(value, name), True)])


def _check(value: Any, index: int) -> None:
    if isinstance(value, tuple) and len(value) == 2 and all(isinstance(part, str) for part in value):
        raise PrismError(f"input {index}: (name, text) is no input; give bytes: (name, text.encode())")
    if not is_one(value):
        raise PrismError(f"input {index}: {type(value).__name__} is no input; see prism.features for what is")


def _is_ready(value: Any) -> bool:
    """Whether it is in memory or a path, so that nothing has to be read from it now."""
    return isinstance(value, (str, os.PathLike, bytes, Structure)) or _is_named_bytes(value)


def _are_all_named_bytes(values: Sequence[Any]) -> bool:
    # Without a generator, which takes longer than all else here.
    for value in values:
        if not (type(value) is tuple and len(value) == 2 and type(value[0]) is str and type(value[1]) is bytes):
            return False
    return True


def _is_named_bytes(value: Any) -> bool:
    return (
        isinstance(value, tuple)
        and len(value) == 2
        and isinstance(value[0], str)
        and isinstance(value[1], (bytes, bytearray, memoryview))
    )


def is_one(value: Any) -> bool:
    """Whether it is an input, and not several."""
    return (
        _is_ready(value) or isinstance(value, (bytearray, memoryview)) or is_known(value) or hasattr(value, "read")
    )


def _items(value: Any, index: int, name: str, model: Any) -> Iterator[Any]:
    if isinstance(value, str):
        is_content = "\n" in value and not os.path.exists(value)
        yield (name, "is a text of several lines, and no path; give a file's content as bytes") if is_content else value
    elif isinstance(value, Structure):
        yield value.item
    elif isinstance(value, os.PathLike):
        yield os.fsdecode(value)
    elif isinstance(value, tuple) and isinstance(value[0], str):
        yield value[0], bytes(value[1])
    elif isinstance(value, (bytes, bytearray, memoryview)):
        yield name, bytes(value)
    elif is_known(value):
        yield from _structures(value, index, own_name(value) or name, model)
    else:
        yield _read(value, name)


def _structures(value: Any, index: int, name: str, model: Any) -> Iterator[Any]:
    """Its structures. An error, of its package or here, is a failure of this input and not of the run."""
    try:
        count = 1 if model is not None else n_models(value)
        if count > 1:
            taken = "current" if hasattr(value, "universe") else "first"
            warn(f"{name}: has {count} models or frames, and the {taken} is taken; model=\"all\" takes all")
        for structure in structures(value, name, model=model):
            # In parts, so that all models of an object whose name another input has get the same new name.
            called, *rest = structure.item
            yield (index, name, called.removeprefix(name)), *rest
    except Exception as error:
        yield (index, name, ""), str(error).removeprefix(f"{name}: ") or type(error).__name__


def _name_of_file(value: Any, name: str) -> str:
    called = getattr(value, "name", None)
    return os.path.basename(called) if isinstance(called, str) else name


def _read(value: Any, name: str) -> tuple[str, bytes | str]:
    """The name and content of a file object, or why it cannot be read."""
    name = _name_of_file(value, name)
    try:
        content = value.read()
    except Exception as error:
        return name, f"cannot be read: {str(error) or type(error).__name__}"
    if isinstance(content, str):
        return name, content.encode()
    if isinstance(content, (bytes, bytearray, memoryview)):
        return name, bytes(content)
    return name, f"read() returns {type(content).__name__} and not bytes"
