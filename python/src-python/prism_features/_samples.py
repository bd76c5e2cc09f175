"""Structures that come with the package."""

from __future__ import annotations

from pathlib import Path

from ._errors import PrismError

_FOLDER = Path(__file__).parent / "samples"


def samples() -> list[Path]:
    """The structures that come with the package, in the order of their names: small entries of the wwPDB, whole or in part, which are in the
    public domain (CC0). ``README.md`` in their folder says what each is.

    Returns:
        Their paths, which every function takes.

    Examples:
        >>> [path.name for path in prism.samples()][:4]
        ['1a8o.cif.gz', '1aki.cif.gz', '1bna.pdb.gz', '1crn.pdb.gz']
        >>> prism.features(prism.samples(), ["structure", "sasa"]).num_rows
        1315
    """
    return sorted(path for path in _FOLDER.iterdir() if path.suffix != ".md")


def sample(name: str) -> Path:
    """One of the structures that come with the package: see :func:`samples`.

    Args:
        name: Its name without extensions: ``1a8o``, ``1aki``, ``1crn``, ``1jcd``, ``1ubq``, ``4zhl`` and ``6m0j_rbd`` are proteins, ``1bna``
            is DNA, ``1lcd_cut`` both; ``1fbl_cut``, ``1igy_cut`` and ``1kx2_cut`` are what lies around ions, glycans and a haem.

    Returns:
        Its path.

    Raises:
        PrismError: There is no sample of this name.

    Examples:
        >>> prism.features(prism.sample("1ubq"), ["sasa"]).num_rows
        76
    """
    named = {path.name.partition(".")[0]: path for path in samples()}
    if name not in named:
        raise PrismError(f"there is no sample {name!r}; there are {', '.join(named)}")
    return named[name]
