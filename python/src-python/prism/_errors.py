"""What can go wrong, and for which input."""

from __future__ import annotations

from typing import NamedTuple


class InputFailure(NamedTuple):
    """An input that has no rows.

    Attributes:
        name: What the input is called, as in the column ``structure``.
        reason: What is wrong with it.
    """

    name: str
    reason: str


class PrismError(Exception):
    """A run that failed, or arguments that make no run."""


class InputError(PrismError):
    """An input that cannot be read or computed, with ``on_error="raise"``.

    Attributes:
        failure: The input's name and what is wrong.
    """

    def __init__(self, failure: InputFailure) -> None:
        super().__init__(f"{failure.name}: {failure.reason}")
        self.failure = failure


class InputWarning(UserWarning):
    """An input that was left out, with ``on_error="skip"``, or that was read and is odd."""
