"""For mkdocs: the roles of docstrings (``:func:`` and the like), which editors know, as the names alone."""

import re
from typing import Any

ROLE = re.compile(r":(?:func|class|meth|data|attr):(?=<code>)")


def on_page_content(html: str, **_: Any) -> str:
    """A page without roles."""
    return ROLE.sub("", html)
