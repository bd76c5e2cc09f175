"""Structures that a program has as arrays."""

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
    """Atoms as arrays: what a file's records would say. NumPy is imported when the first one is made.

    A residue is a run of atoms of one chain, number and insertion code. Which residues get rows, what becomes of hydrogens,
    waters and alternate locations, is decided by the same rules as for files.

    Args:
        positions: Å, shape ``(atoms, 3)``. ``float64``, or what becomes that.
        atom_names: As PDB files have them (``"CA"``), shape ``(atoms,)``: an array of texts or a sequence of ``str``.
        residue_names: The same of residues (``"ALA"``).
        residue_numbers: The author's, shape ``(atoms,)``.
        chain_ids: Author chain ids, or one text for all atoms.
        insertion_codes: Texts.
        altlocs: Alternate locations: texts, empty where there is one place alone.
        elements: Symbols.
        hetero: Whether atoms are HETATM records; ``bool``. None is if it is not given.
        in_chain: Whether residues in HETATM records are part of a chain, where that is known; ``bool``.
        occupancies: NaN where one is not known.
        b_factors: Å²; NaN where one is not known.
        name: What the structure is called, in the column ``structure``.
        decimals: Round positions to so many decimals. Files have 3; programs that keep ``float32`` have lost some digits
            of a file's numbers, and get them back so, and with them the bits of what is computed from the file.

    Raises:
        PrismError: Arrays whose lengths differ, or of the wrong shape or type.
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
            # A NumPy without any text has a width of 0 or 1.
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
        """The same atoms at other positions (Å, shape ``(atoms, 3)``), which share all else: a frame of a trajectory."""
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
