"""Signatures that list every option with its default, from the one place where options are declared."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any, TypeVar

from . import _options

_Function = TypeVar("_Function", bound=Callable[..., Any])

_KEYWORDS = inspect.Parameter.VAR_KEYWORD
_ALONE = inspect.Parameter.KEYWORD_ONLY


def _options_of(annotation: str, known: set[str]) -> list[inspect.Parameter]:
    """The options of a `TypedDict` that is named as `Unpack[Name]`, without those that the function lists itself."""
    declared = getattr(_options, annotation.removeprefix("Unpack[").removesuffix("]"))
    # Strings, since this package's modules do not evaluate annotations.
    types = {name: getattr(of, "__forward_arg__", of) for name, of in declared.__annotations__.items()}
    return [
        inspect.Parameter(name, _ALONE, default=_options.DEFAULTS[name], annotation=of)
        for name, of in types.items()
        if name not in known
    ]


def expanded(signature: inspect.Signature) -> inspect.Signature:
    """The signature with the options that it takes as keywords, one by one."""
    own = [one for one in signature.parameters.values() if one.kind is not _KEYWORDS]
    for one in signature.parameters.values():
        if one.kind is _KEYWORDS:
            own += _options_of(str(one.annotation), {one.name for one in own})
    return signature.replace(parameters=own)


def spelled_out(function: _Function) -> _Function:
    """Gives a function its whole signature. What it takes stays the same."""
    function.__signature__ = expanded(inspect.signature(function))  # type: ignore[attr-defined]
    return function
