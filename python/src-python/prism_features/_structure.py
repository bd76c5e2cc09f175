"""Structures as arrays."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from . import _prism
from ._arguments import check
from ._errors import PrismError

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    Texts = Sequence[str] | npt.NDArray[Any] | str

#: A text for each atom: kind, characters in each, memory.
_Column = tuple[str, int, bytes]
#: Bytes of the texts that NumPy makes of a list that mixes numbers and texts.
_OF_NUMBERS = 4 * 21


class Structure:
    """Atoms as arrays, an element for each record that a file would have. The first structure imports NumPy.

    Atoms that follow each other and have the same chain, number and insertion code are a residue. The rules for files decide
    which residues get rows, and what becomes of hydrogens, waters and alternate locations.

    Args:
        positions: Å, ``float64``, shape ``(atoms, 3)``. Other types are converted.
        atom_names: Names as in PDB files (``"CA"``), shape ``(atoms,)``: an array of texts or a sequence of ``str``.
        residue_names: Names of the atoms' residues (``"ALA"``), in the same form.
        residue_numbers: The author's numbers, integers, shape ``(atoms,)``.
        chain_ids: The author's chain ids, as texts, or one text for all atoms.
        insertion_codes: Texts, mostly empty.
        altlocs: Alternate locations: texts, empty for an atom that has one location.
        elements: Symbols (``"C"``), as texts.
        hetero: Whether an atom is a HETATM record, ``bool``. ``None`` means that no atom is.
        in_chain: Whether a residue in HETATM records is part of a chain, ``bool``. ``None`` means that it is not known.
        occupancies: ``float64``, NaN where one is not known.
        b_factors: Å², ``float64``, NaN where one is not known.
        name: The structure's name in the column ``structure``.
        decimals: Round positions to so many decimals. Files have 3. A package that keeps ``float32`` changes the last digits;
            ``decimals=3`` gives the file's numbers back, and the bits that are computed from the file.

    Raises:
        PrismError: Arrays differ in length, or one has a wrong shape or type.
    """

    __slots__ = ("_atoms", "_positions", "name")

    def __init__(
        self,
        positions: npt.ArrayLike,
        atom_names: Texts,
        residue_names: Texts,
        residue_numbers: npt.ArrayLike,
        chain_ids: Texts = "A",
        *,
        insertion_codes: Texts | None = None,
        altlocs: Texts | None = None,
        elements: Texts | None = None,
        hetero: npt.ArrayLike | None = None,
        in_chain: npt.ArrayLike | None = None,
        occupancies: npt.ArrayLike | None = None,
        b_factors: npt.ArrayLike | None = None,
        name: str = "structure",
        decimals: int | None = None,
    ) -> None:
        check("name", name)
        self.name = name
        try:
            numbers = _integers(residue_numbers, "residue_numbers")
            atoms = len(numbers)

            def optional(values: Texts | None, what: str) -> _Column | None:
                return None if values is None else _texts(values, what, atoms)

            def flags(values: npt.ArrayLike | None, what: str) -> bytes | None:
                return None if values is None else _flags(values, what).tobytes()

            def floats(values: npt.ArrayLike | None, what: str) -> bytes | None:
                return None if values is None else _one_axis(_floats(values, what), what).tobytes()

            self._atoms = _prism.Atoms(
                _texts(atom_names, "atom_names", atoms),
                _texts(residue_names, "residue_names", atoms),
                _texts(chain_ids, "chain_ids", atoms),
                numbers.tobytes(),
                insertion_codes=optional(insertion_codes, "insertion_codes"),
                altlocs=optional(altlocs, "altlocs"),
                elements=optional(elements, "elements"),
                hetero=flags(hetero, "hetero"),
                in_chain=flags(in_chain, "in_chain"),
                occupancies=floats(occupancies, "occupancies"),
                b_factors=floats(b_factors, "b_factors"),
            )
        except (OverflowError, TypeError, ValueError) as error:
            raise PrismError(f"{name}: {error}") from None
        self._positions = self._memory(positions, decimals)

    def at(self, positions: npt.ArrayLike, name: str | None = None, *, decimals: int | None = None) -> Structure:
        """The same atoms at other positions (Å, shape ``(atoms, 3)``): a frame of a trajectory. Both share all but the positions."""
        frame = Structure.__new__(Structure)
        if name is not None:
            check("name", name)
        frame.name = self.name if name is None else name
        frame._atoms = self._atoms
        frame._positions = frame._memory(positions, decimals)
        return frame

    def _memory(self, positions: npt.ArrayLike, decimals: int | None) -> bytes:
        check("decimals", decimals)
        try:
            array = _floats(positions, "positions")
        except (OverflowError, TypeError, ValueError) as error:
            raise PrismError(f"{self.name}: {error}") from None
        if array.size == 0 and len(self) == 0:
            # An empty list has no second axis.
            array = array.reshape(0, 3)
        if array.shape != (len(self), 3):
            raise PrismError(f"{self.name}: positions has the shape {array.shape}; it takes ({len(self)}, 3)")
        return (array if decimals is None else array.round(decimals)).tobytes()

    def __len__(self) -> int:
        return len(self._atoms)

    def __repr__(self) -> str:
        return f"<prism.Structure {self.name!r}: {len(self)} {'atom' if len(self) == 1 else 'atoms'}>"

    @property
    def item(self) -> tuple[str, _prism.Atoms, bytes]:
        """As the native side takes it."""
        return self.name, self._atoms, self._positions


def _array(values: Any, what: str, kinds: str, taken: str) -> npt.NDArray[Any]:
    """The values as an array of one of the kinds: NumPy would turn much else into numbers, or into texts such as ``"None"``."""
    import numpy as np

    if isinstance(values, np.ma.MaskedArray) and values.mask.any():
        raise ValueError(f"{what} has masked values; fill them first")
    array = np.asarray(values)
    # NumPy makes an empty list an array of float64.
    if array.dtype.kind not in kinds and array.size > 0:
        raise TypeError(f"{what} has the type {array.dtype}; it takes {taken}")
    return array


def _one_axis(array: npt.NDArray[Any], what: str) -> npt.NDArray[Any]:
    if array.ndim != 1:
        raise ValueError(f"{what} has the shape {array.shape}; it takes (atoms,)")
    return array


def _floats(values: Any, what: str) -> npt.NDArray[np.float64]:
    import numpy as np

    return _array(values, what, "fiuO", "numbers").astype(np.float64, copy=False)


def _integers(values: Any, what: str) -> npt.NDArray[np.int32]:
    import numpy as np

    array = _one_axis(_array(values, what, "iufO", "integers"), what)
    # Values out of range wrap around, and fractions are cut off. Both are detected below.
    with np.errstate(invalid="ignore"):
        numbers = array.astype(np.int32)
    wrong = np.flatnonzero(numbers != array)
    if wrong.size > 0:
        raise ValueError(f"{what} has {array[wrong[0]]!s} for atom {wrong[0]} (counted from 0); it takes integers of 32 bits")
    return numbers


def _flags(values: Any, what: str) -> npt.NDArray[np.bool_]:
    import numpy as np

    return _one_axis(_array(values, what, "biu", "bool"), what).astype(np.bool_, copy=False)


def _texts(values: Any, what: str, atoms: int) -> _Column:
    import numpy as np

    array = np.full(atoms, values) if isinstance(values, str) else _array(values, what, "SUTOiu", "texts")
    if array.dtype.kind in "TO" or array.dtype.itemsize >= _OF_NUMBERS and not isinstance(values, np.ndarray):
        array = np.asarray(values, dtype=object)
        array = np.array([_text(value, what) for value in _one_axis(array, what)], dtype="U")
    elif array.dtype.kind not in "SU":
        array = array.astype("U")
    width = _one_axis(array, what).dtype.itemsize // (4 if array.dtype.kind == "U" else 1)
    # NumPy gives arrays without any text a width of 0 or 1.
    return array.dtype.kind, width, array.astype(array.dtype.newbyteorder("="), copy=False).tobytes()


def _text(value: Any, what: str) -> str:
    """The text, or an empty one for ``None``, NaN, and pandas' ``NA``."""
    if isinstance(value, str):
        return value
    if isinstance(value, bytes):
        return value.decode()
    if value is None or type(value).__name__ == "NAType" or isinstance(value, float) and value != value:
        return ""
    if hasattr(value, "__index__"):
        return str(int(value))
    raise TypeError(f"{what} has a {type(value).__name__}; it takes texts")
