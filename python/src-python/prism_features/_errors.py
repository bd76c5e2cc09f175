"""What can go wrong, and for which input."""

from __future__ import annotations

import errno
import os
import sys
import warnings
from typing import NamedTuple


#: What stands before the name of a reference.
_REFERENCE = "reference: "


class InputFailure(NamedTuple):
    """An input without rows.

    Attributes:
        name: What the input is called, as in the column ``structure``.
        reason: What is wrong with it.
        missing: Whether there is nothing at its path.
    """

    name: str
    reason: str
    missing: bool = False


class PrismError(Exception):
    """A run failed, or an argument is wrong."""


class InputError(PrismError, ValueError):
    """An input cannot be read or computed, and ``on_error`` is ``"raise"``.

    Attributes:
        failure: The input's name and what is wrong.
    """

    def __init__(self, failure: InputFailure) -> None:
        super().__init__(f"{failure.name}: {failure.reason}")
        self.failure = failure

    def __reduce__(self) -> tuple[type[InputError], tuple[InputFailure]]:
        # Another process makes the exception again from these arguments: the failure, not the text.
        return type(self), (self.failure,)


class MissingInputError(InputError, FileNotFoundError):
    """There is no file or folder at an input's path.

    Attributes:
        filename: The path.
    """

    def __init__(self, failure: InputFailure) -> None:
        super().__init__(failure)
        self.errno, self.strerror = errno.ENOENT, failure.reason
        self.filename = failure.name.removeprefix(_REFERENCE)

    def __str__(self) -> str:
        # As of other inputs, without the number of the error.
        return f"{self.failure.name}: {self.failure.reason}"


def input_error(failure: InputFailure) -> InputError:
    """The error of an input, by what is wrong with it."""
    return (MissingInputError if failure.missing else InputError)(failure)


def reference_error(reference: str | os.PathLike[str], reason: str) -> InputError:
    """The error of the structure with which models are compared."""
    path = os.fspath(reference)
    # The reason may name it already.
    reason = reason.removeprefix(_REFERENCE).removeprefix(f"{path}: ")
    return input_error(InputFailure(_REFERENCE + path, reason, not os.path.exists(path)))


class InputWarning(UserWarning):
    """An input was left out (``on_error="skip"``), or it was read and something about it is odd."""


def warn(text: str) -> None:
    """A warning that names the caller's own line."""
    own = os.path.dirname(__file__)
    if sys.version_info >= (3, 12):
        warnings.warn(text, InputWarning, skip_file_prefixes=(own,))
        return
    frame, level = sys._getframe(), 1
    while frame.f_back is not None and frame.f_code.co_filename.startswith(own):
        frame, level = frame.f_back, level + 1
    warnings.warn(text, InputWarning, stacklevel=level)
