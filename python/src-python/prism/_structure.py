"""Structures as arrays."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from . import _prism
from ._errors import PrismError

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    Texts = Sequence[str] | npt.NDArray[Any] | str

#: A text for each atom: kind, characters in each, memory.
_Column = tuple[str, int, bytes]


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
        import numpy as np

        self.name = name
        numbers = np.ascontiguousarray(residue_numbers, dtype=np.int32)
        if numbers.ndim != 1:
            raise PrismError(f"{name}: residue_numbers has the shape {numbers.shape}; it takes (atoms,)")

        def texts(values: Texts, what: str) -> _Column:
            array = np.full(len(numbers), values) if isinstance(values, str) else np.asarray(values)
            if array.dtype.kind not in "SU":
                array = array.astype("U")
            if array.ndim != 1:
                raise PrismError(f"{name}: {what} has the shape {array.shape}; it takes (atoms,)")
            width = array.dtype.itemsize // (4 if array.dtype.kind == "U" else 1)
            # NumPy gives arrays without any text a width of 0 or 1.
            return array.dtype.kind, width, array.astype(array.dtype.newbyteorder("="), copy=False).tobytes()

        def optional(values: Texts | None, what: str) -> _Column | None:
            return None if values is None else texts(values, what)

        def memory(values: npt.ArrayLike | None, kind: Any) -> bytes | None:
            return None if values is None else np.asarray(values).astype(kind, copy=False).tobytes()

        try:
            self._atoms = _prism.Atoms(
                texts(atom_names, "atom_names"),
                texts(residue_names, "residue_names"),
                texts(chain_ids, "chain_ids"),
                numbers.tobytes(),
                insertion_codes=optional(insertion_codes, "insertion_codes"),
                altlocs=optional(altlocs, "altlocs"),
                elements=optional(elements, "elements"),
                hetero=memory(hetero, np.bool_),
                in_chain=memory(in_chain, np.bool_),
                occupancies=memory(occupancies, np.float64),
                b_factors=memory(b_factors, np.float64),
            )
        except (TypeError, ValueError) as error:
            raise PrismError(f"{name}: {error}") from None
        self._positions = self._memory(positions, decimals)

    def at(self, positions: npt.ArrayLike, name: str | None = None, *, decimals: int | None = None) -> Structure:
        """The same atoms at other positions (Å, shape ``(atoms, 3)``): a frame of a trajectory. Both share all but the positions."""
        frame = Structure.__new__(Structure)
        frame.name = self.name if name is None else name
        frame._atoms = self._atoms
        frame._positions = frame._memory(positions, decimals)
        return frame

    def _memory(self, positions: npt.ArrayLike, decimals: int | None) -> bytes:
        import numpy as np

        array: npt.NDArray[np.float64] = np.asarray(positions, dtype=np.float64)
        if array.shape != (len(self._atoms), 3):
            raise PrismError(f"{self.name}: positions has the shape {array.shape}; it takes ({len(self._atoms)}, 3)")
        return (array if decimals is None else np.round(array, decimals)).tobytes()

    def __len__(self) -> int:
        return len(self._atoms)

    def __repr__(self) -> str:
        return f"<prism.Structure {self.name!r}: {len(self)} atoms>"

    @property
    def item(self) -> tuple[str, _prism.Atoms, bytes]:
        """As the native side takes it."""
        return self.name, self._atoms, self._positions
