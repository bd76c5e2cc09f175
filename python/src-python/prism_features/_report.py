"""The report: one HTML file, which the command makes."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Union

from ._arguments import check
from ._errors import InputFailure, PrismError, input_error
from ._options import DEFAULTS, Backend, Options
from ._signatures import spelled_out

if TYPE_CHECKING:
    from typing_extensions import Unpack

#: A path, or several.
Paths = Union[str, "os.PathLike[str]", Sequence[Union[str, "os.PathLike[str]"]]]
#: Options that the command's reports do not have, since they are of tables of residues.
_OF_TABLES = ("annotations", "lineages", "min_feature_value")
#: Where the command's name is another.
_NAMES = {"devices": "device"}


@spelled_out
def report(
    inputs: Paths,
    output: str | os.PathLike[str],
    backend: Backend = "auto",
    *,
    details: int = 500,
    title: str | None = None,
    pae: bool = False,
    full_paths: bool = False,
    **options: Unpack[Options],
) -> Path:
    """Shows structures, features and sites in one self-contained HTML file, as ``prism report`` does, which runs in a process of its own.

    Args:
        inputs: Paths of files, archives, packed data sets and folders.
        output: The file, an ``.html``.
        backend: As of :class:`Engine`.
        details: So many structures, from the first, get a page of their own.
        title: The report's title. ``None`` takes the number of structures, or the name of a single one.
        pae: Show predicted aligned errors and scores of chains, from the files beside each model.
        full_paths: Show inputs with their folders, which others may not be meant to see.
        options: What is read, and how features are computed: see :class:`Options`.

    Returns:
        The path of the file.

    Raises:
        InputError: There is nothing at a path, and so it is a :class:`FileNotFoundError`.
        PrismError: The command failed: the error has its message.
        TypeError: An argument is of a wrong type, or there is no such option.

    Examples:
        >>> str(prism.report("1crn.pdb", "report.html"))
        'report.html'
    """
    check("details", details)
    check("backend", backend)
    paths = [inputs] if isinstance(inputs, (str, os.PathLike)) else list(inputs)
    if not paths:
        raise PrismError("a report is made of structures, and there are no inputs; give one path at least")
    for path in paths:
        if not isinstance(path, (str, os.PathLike)):
            raise TypeError(f"a report is made of files; give paths, not {type(path).__name__}")
    words = ["report", "--quiet", "--output", os.fspath(output), "--backend", backend, "--details", str(int(details))]
    if title is not None:
        check("title", title)
        words.append(f"--title={title}")
    check("pae", pae)
    check("full_paths", full_paths)
    words += [word for word, wanted in [("--pae", pae), ("--full-paths", full_paths)] if wanted]
    words += _words(options)
    # Names that begin with a hyphen are no options.
    command = [sys.executable, "-m", __package__, *words, "--", *(os.fspath(path) for path in paths)]
    done = subprocess.run(command, capture_output=True, text=True, encoding="utf-8", errors="replace")
    if done.returncode != 0:
        for path in [os.fspath(path) for path in paths]:
            begin = f"error: {path}: "
            reasons = [line.removeprefix(begin) for line in done.stderr.splitlines() if line.startswith(begin)]
            if reasons and not os.path.exists(path):
                raise input_error(InputFailure(path, reasons[0], True))
        raise PrismError(done.stderr.strip() or f"prism report ended with status {done.returncode}")
    return Path(output)


def _words(options: Any) -> list[str]:
    """Options as the command takes them."""
    words = []
    for name, value in options.items():
        if name not in Options.__annotations__ or name in _OF_TABLES:
            raise TypeError(f"there is no option {name!r} of a report")
        check(name, value)
        if value == DEFAULTS[name]:
            continue
        text = ",".join(map(str, value)) if isinstance(value, (list, tuple)) else str(value)
        words.append(f"--{_NAMES.get(name, name).replace('_', '-')}={text}")
    return words
