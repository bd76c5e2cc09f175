"""Writes `__init__.pyi`, which editors and type checkers read: every function with all of its options, their defaults and its text.

    PYTHONPATH=... python python/stubs.py            # writes the file beside the sources
    PYTHONPATH=... python python/stubs.py --check    # says whether it is up to date

The options are declared in `_options.py` alone.
"""

from __future__ import annotations

import inspect
import re
import sys
import textwrap
from pathlib import Path
from typing import Any

import prism_features as prism

FILE = Path(__file__).parent / "src-python" / "prism_features" / "__init__.pyi"
#: Functions whose options are declared elsewhere, and the classes that have such methods.
FUNCTIONS = [
    "features", "sites", "edges", "interface", "ligands", "atoms", "areas", "summary", "dockq", "stream", "tensors", "trajectory", "report", "columns",
    "spark_features", "splits",
]  # fmt: skip
CLASSES = ["Engine", "RayFeatures", "Trajectory"]
#: What only functions make.
MADE = ["Trajectory"]
HEAD = '''"""Per-residue features and binding sites of protein structures. (This file is written by `python/stubs.py`.)"""

import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, Literal

import numpy as np
import numpy.typing as npt
import pyarrow as pa
from typing_extensions import Self

'''


def of_function(function: Any, indent: str = "") -> str:
    """A function's declaration, a parameter a line."""
    signature = inspect.signature(function)
    lines = []
    for one in signature.parameters.values():
        if one.kind is inspect.Parameter.KEYWORD_ONLY and "    *," not in lines:
            lines.append("    *,")
        name = f"*{one.name}" if one.kind is inspect.Parameter.VAR_POSITIONAL else one.name
        text = name if one.annotation is inspect.Parameter.empty else f"{name}: {one.annotation}"
        lines.append(f"    {text}{'' if one.default is inspect.Parameter.empty else f' = {one.default!r}'},")
    returned = str(signature.return_annotation).replace("_prism.", "")
    body = ": ..."
    text = inspect.getdoc(function)
    if text is not None and not function.__name__.startswith("__"):
        body = ':\n    """' + textwrap.indent(text, "    ").lstrip() + '\n    """'
    parameters = "\n" + "\n".join(lines) + "\n" if lines else ""
    if [one.name for one in signature.parameters.values()] in (["self"], ["cls"]):
        parameters = lines[0].strip(" ,")
    whole = f"def {function.__name__}({parameters}) -> {returned}{body}"
    return re.sub(r"[ \t]+$", "", textwrap.indent(whole, indent), flags=re.MULTILINE) + "\n"


def of_class(name: str) -> str:
    """A class with its public methods and properties."""
    kind = getattr(prism, name)
    text = textwrap.indent(inspect.getdoc(kind) or "", "    ").lstrip()
    parts = [f'class {name}:\n    """{text}\n    """\n']
    for member, value in vars(kind).items():
        if name in MADE and member == "__init__":
            continue
        if isinstance(value, property) and not member.startswith("_"):
            parts.append("    @property\n" + of_function(value.fget, "    "))
        elif inspect.isfunction(value) and (not member.startswith("_") or member in ("__init__", "__call__", "__enter__", "__exit__")):
            parts.append(of_function(value, "    "))
    return re.sub(r"[ \t]+$", "", "\n".join(parts), flags=re.MULTILINE)


def imports() -> str:
    """What is declared where it is written."""
    own = {*FUNCTIONS, *CLASSES}
    source = (FILE.parent / "__init__.py").read_text(encoding="utf-8")
    lines = []
    for module, names in re.findall(r"^from (\.\w+) import (.+)$", source, re.MULTILINE):
        for name in names.split(", "):
            if name not in own and " as " not in name:
                lines.append(f"from {module} import {name} as {name}")
    types = "from ._options import Backend, Device, FrameTable, OnError, TableName\nfrom ._report import Paths"
    return "\n".join(dict.fromkeys([*lines, *types.splitlines()])) + "\n"


def stub() -> str:
    names = ",\n".join(f'    "{name}"' for name in prism.__all__)
    parts = [HEAD + imports(), f"__all__ = [\n{names},\n]\n"]
    parts += [of_function(getattr(prism, name)) for name in FUNCTIONS]
    parts += [of_class(name) for name in CLASSES]
    return "\n".join(parts)


if __name__ == "__main__":
    if sys.argv[1:] == ["--check"]:
        sys.exit(FILE.read_text(encoding="utf-8") != stub() and f"{FILE} is out of date: python python/stubs.py writes it")
    FILE.write_text(stub(), encoding="utf-8")
