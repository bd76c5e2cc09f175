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

    @classmethod
    def from_atom37(
        cls,
        positions: npt.ArrayLike,
        aatype: npt.ArrayLike,
        mask: npt.ArrayLike | None = None,
        *,
        residue_numbers: npt.ArrayLike | None = None,
        chain_index: npt.ArrayLike | None = None,
        b_factors: npt.ArrayLike | None = None,
        name: str = "structure",
        decimals: int | None = None,
    ) -> Structure:
        """Atoms in AlphaFold's arrays of 37 atoms for each residue.

        Args:
            positions: Å, shape ``(residues, 37, 3)``.
            aatype: The number of each amino acid in the order of their letters' names (``ARNDCQEGHILKMFPSTWYV``), 20 for another one,
                shape ``(residues,)``.
            mask: Whether there is such an atom, shape ``(residues, 37)``. ``None`` takes the atoms that each amino acid has, except
                those whose position is 0 or NaN. Terminal oxygens (``OXT``) are the last of the 37.
            residue_numbers: The residues' numbers, from 1 if ``None``, shape ``(residues,)``.
            chain_index: The number of each residue's chain, from 0 (``A``). One chain if ``None``.
            b_factors: For each residue (pLDDT, say) or each atom, shape ``(residues,)`` or ``(residues, 37)``.
            name: As of :class:`Structure`.
            decimals: As of :class:`Structure`.

        Raises:
            PrismError: An array has a wrong shape or type.
        """
        return _of_padded(cls, 37, positions, aatype, mask, residue_numbers, chain_index, b_factors, name, decimals)

    @classmethod
    def from_atom14(
        cls,
        positions: npt.ArrayLike,
        aatype: npt.ArrayLike,
        mask: npt.ArrayLike | None = None,
        *,
        residue_numbers: npt.ArrayLike | None = None,
        chain_index: npt.ArrayLike | None = None,
        b_factors: npt.ArrayLike | None = None,
        name: str = "structure",
        decimals: int | None = None,
    ) -> Structure:
        """Atoms in AlphaFold's arrays of 14 atoms for each residue: as :meth:`from_atom37`, of shape ``(residues, 14, 3)``. They have no
        place for a terminal oxygen."""
        return _of_padded(cls, 14, positions, aatype, mask, residue_numbers, chain_index, b_factors, name, decimals)

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


#: AlphaFold's 20 amino acids in its order, and their heavy atoms in the order of its arrays of 14 (Jumper et al. 2021, supplement 1.2).
_ATOM14 = """
ALA N CA C O CB
ARG N CA C O CB CG CD NE CZ NH1 NH2
ASN N CA C O CB CG OD1 ND2
ASP N CA C O CB CG OD1 OD2
CYS N CA C O CB SG
GLN N CA C O CB CG CD OE1 NE2
GLU N CA C O CB CG CD OE1 OE2
GLY N CA C O
HIS N CA C O CB CG ND1 CD2 CE1 NE2
ILE N CA C O CB CG1 CG2 CD1
LEU N CA C O CB CG CD1 CD2
LYS N CA C O CB CG CD CE NZ
MET N CA C O CB CG SD CE
PHE N CA C O CB CG CD1 CD2 CE1 CE2 CZ
PRO N CA C O CB CG CD
SER N CA C O CB OG
THR N CA C O CB OG1 CG2
TRP N CA C O CB CG CD1 CD2 NE1 CE2 CE3 CZ2 CZ3 CH2
TYR N CA C O CB CG CD1 CD2 CE1 CE2 CZ OH
VAL N CA C O CB CG1 CG2
"""
#: Its arrays of 37.
_ATOM37 = (
    "N CA C CB O CG CG1 CG2 OG OG1 SG CD CD1 CD2 ND1 ND2 OD1 OD2 SD CE CE1 CE2 CE3 NE NE1 NE2 OE1 OE2 CH2 NH1 NH2 OH CZ CZ2 CZ3 NZ OXT"
)


def _of_padded(
    cls: type[Structure],
    width: int,
    positions: Any,
    aatype: Any,
    mask: Any,
    residue_numbers: Any,
    chain_index: Any,
    b_factors: Any,
    name: str,
    decimals: int | None,
) -> Structure:
    import numpy as np

    try:
        coordinates, kinds = _floats(positions, "positions"), _integers(aatype, "aatype")
        residues = len(kinds)
        if coordinates.shape != (residues, width, 3):
            raise ValueError(f"positions has the shape {coordinates.shape}; it takes ({residues}, {width}, 3)")
        if residues and not (0 <= kinds.min() and kinds.max() <= 20):
            raise ValueError("aatype takes numbers from 0 to 20")
        lines = [line.split() for line in _ATOM14.split("\n") if line]
        names = np.full((21, width), "", dtype="U4")
        if width == 14:
            for kind, (_, *atoms) in enumerate(lines):
                names[kind, : len(atoms)] = atoms
            # Of an unknown residue, the backbone.
            names[20, :4] = ["N", "CA", "C", "O"]
        else:
            names[:] = _ATOM37.split()
        if mask is None:
            # A terminal oxygen is an atom of every residue.
            own = [[name in (*atoms, "OXT") for name in names[kind]] for kind, (_, *atoms) in enumerate(lines)]
            own.append([name in ("N", "CA", "C", "O", "OXT") for name in names[20]])
            there = np.array(own)[kinds] & np.isfinite(coordinates).all(axis=2) & (coordinates != 0.0).any(axis=2)
        else:
            there = np.asarray(mask, dtype=bool)
            if there.shape != (residues, width):
                raise ValueError(f"mask has the shape {there.shape}; it takes ({residues}, {width})")
            if bool((there & (names[kinds] == "")).any()):
                residue, atom = np.argwhere(there & (names[kinds] == ""))[0]
                raise ValueError(f"mask has an atom {atom} for residue {residue}, whose amino acid has no such atom")
        residue, _ = np.nonzero(there)
        codes = np.array([line[0] for line in lines] + ["UNK"])
        numbers = np.arange(1, residues + 1) if residue_numbers is None else _integers(residue_numbers, "residue_numbers")
        chains = np.zeros(residues, int) if chain_index is None else _integers(chain_index, "chain_index")
        if residues and chains.min() < 0:
            raise ValueError("chain_index takes numbers from 0")
        for what, array in (("residue_numbers", numbers), ("chain_index", chains)):
            if len(array) != residues:
                raise ValueError(f"{what} has {len(array)} entries for {residues} residues")
        values = None
        if b_factors is not None:
            values = _floats(b_factors, "b_factors")
            values = values[:, None].repeat(width, axis=1) if values.ndim == 1 else values
            if values.shape != (residues, width):
                raise ValueError(f"b_factors has the shape {values.shape}; it takes ({residues},) or ({residues}, {width})")
            values = values[there]
        atom_names = names[kinds][there]
    except (OverflowError, TypeError, ValueError) as error:
        raise PrismError(f"{name}: {error}") from None
    return cls(
        coordinates[there],
        atom_names,
        codes[kinds][residue],
        numbers[residue],
        np.array([letters(int(chain)) for chain in chains], dtype="U4")[residue],
        elements=np.array([one[0] for one in atom_names], dtype="U1"),
        b_factors=values,
        name=name,
        decimals=decimals,
    )


def letters(number: int) -> str:
    """The id of a chain by its number from 0: A, B, ..., Z, AA, AB, ..."""
    text = ""
    while True:
        text = chr(ord("A") + number % 26) + text
        number = number // 26 - 1
        if number < 0:
            return text
