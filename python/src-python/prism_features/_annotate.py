"""Features written back into objects of other packages."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

import pyarrow as pa

from ._adapters import chains_of_mdanalysis, kind
from ._errors import PrismError
from ._table import IDENTITY, Table

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

#: Chain, number and insertion code.
_Key = tuple[str, int, str]


def annotate(
    value: Any, table: Table | pa.Table, columns: str | Sequence[str] | None = None, *, b_factors: str | None = None
) -> None:
    """Writes columns of a table of residues into the object that it was computed from, which viewers and scripts of that package read.

    =============  =========================================================  =======================
    package        columns                                                    B factors
    =============  =========================================================  =======================
    Biotite        an annotation of each atom: ``array.get_annotation(name)``  ``array.b_factor``
    Biopython      of each residue: ``residue.xtra[name]``                    ``atom.bfactor``
    MDAnalysis     an attribute of residues and atoms: ``atoms.sasa``         ``atoms.tempfactors``
    gemmi          none: it has no place for them                             ``atom.b_iso``
    ProDy          data of each atom: ``atoms.getData(name)``                 ``atoms.getBetas()``
    =============  =========================================================  =======================

    Rows and residues correspond by chain, number and insertion code. What has no row, such as water, and what is undefined, gets NaN, or an
    empty text; in Biopython no entry, and as a B factor 0.

    Args:
        value: A structure, model or array of :func:`structures`.
        table: Rows of this structure alone, as :func:`features` returns them.
        columns: Their names. ``None`` takes all that do not identify the residue, or none if ``b_factors`` is given.
        b_factors: The column of numbers that becomes the B factors. They are written to files, and viewers colour by them.

    Raises:
        PrismError: The object is of another kind, the table has several structures or no such column, or no row is of a residue of the
            object.

    Examples:
        >>> import gemmi
        >>> structure = gemmi.read_structure("1crn.pdb")
        >>> prism.annotate(structure, prism.features(structure, ["sasa"]), b_factors="sasa")
        >>> structure[0]["A"][0]["CA"][0].b_iso
        77.2030029296875
    """
    rows = table.arrow if isinstance(table, Table) else table
    if not isinstance(rows, pa.Table):
        raise TypeError(f"table takes rows as prism.features gives them, not {type(table).__name__}")
    names = [columns] if isinstance(columns, str) else columns
    if names is None:
        names = [] if b_factors is not None else [name for name in rows.column_names if name not in IDENTITY]
    for name in [*names, *([] if b_factors is None else [b_factors]), "chain", "resnum", "icode"]:
        if name not in rows.column_names:
            raise PrismError(f"the table has no column {name!r}; it has {', '.join(rows.column_names)}")
    if b_factors is not None and not pa.types.is_floating(rows.schema.field(b_factors).type):
        raise PrismError(f"b_factors takes a column of numbers, and {b_factors} has texts or whole numbers")
    if "structure" in rows.column_names and len(set(rows.column("structure").to_pylist())) > 1:
        raise PrismError("the table has several structures; filter it to the rows of this one")
    writer = next((of for package, of in _WRITERS.items() if type(value).__module__.partition(".")[0] == package), None)
    if writer is None:
        raise PrismError(f"{kind(value)} is of no package that annotate knows: {', '.join(_WRITERS)}")
    keys = zip(rows.column("chain").to_pylist(), rows.column("resnum").to_pylist(), rows.column("icode").to_pylist(), strict=True)
    writer(value, _Rows({key: row for row, key in enumerate(keys)}, rows), list(names), b_factors)


class _Rows:
    """The rows of a table, by residue."""

    def __init__(self, row_of: dict[_Key, int], rows: pa.Table) -> None:
        self.row_of = row_of
        self.rows = rows

    def of(self, keys: Sequence[_Key]) -> npt.NDArray[np.int64]:
        """The row of each atom or residue, -1 where it has none."""
        import numpy as np

        found = np.array([self.row_of.get(key, -1) for key in keys], dtype=np.int64)
        if not (found >= 0).any():
            raise PrismError("no row of the table is of a residue of this object: chains, numbers or insertion codes differ")
        return found

    def values(self, name: str, at: npt.NDArray[np.int64], missing: float = float("nan")) -> npt.NDArray[Any]:
        """The values of a column there: numbers, or texts."""
        import numpy as np

        column = self.rows.column(name)
        if pa.types.is_string(column.type):
            texts = np.array([value or "" for value in column.to_pylist()] + [""])
            return texts[at]
        numbers = np.append(column.cast(pa.float32()).to_numpy(zero_copy_only=False), np.float32(missing))
        return np.where(np.isnan(numbers), np.float32(missing), numbers)[at].astype(np.float32)


def _biotite(value: Any, rows: _Rows, names: list[str], b_factors: str | None) -> None:
    keys = zip(value.chain_id.tolist(), value.res_id.tolist(), value.ins_code.tolist(), strict=True)
    at = rows.of([(chain, number, code.strip()) for chain, number, code in keys])
    for name in names:
        value.set_annotation(name, rows.values(name, at))
    if b_factors is not None:
        value.set_annotation("b_factor", rows.values(b_factors, at, 0.0).astype(float))


def _biopython(value: Any, rows: _Rows, names: list[str], b_factors: str | None) -> None:
    residues = [value] if value.get_level() == "R" else list(value.get_residues())
    # A point mutation has a residue for each of its names.
    residues = [one for residue in residues for one in (residue.disordered_get_list() if residue.is_disordered() == 2 else [residue])]
    at = rows.of([(str(one.get_parent().id), one.id[1], one.id[2].strip()) for one in residues])
    for name in names:
        values = rows.rows.column(name).to_pylist()
        for residue, row in zip(residues, at.tolist(), strict=True):
            residue.xtra.pop(name, None)
            if row >= 0 and values[row] is not None:
                residue.xtra[name] = values[row]
    if b_factors is not None:
        for residue, number in zip(residues, rows.values(b_factors, at, 0.0).tolist(), strict=True):
            for atom in residue.get_unpacked_list():
                atom.set_bfactor(number)


def _gemmi(value: Any, rows: _Rows, names: list[str], b_factors: str | None) -> None:
    if names:
        raise PrismError('gemmi\'s objects have no place for columns; give b_factors="sasa", say, and leave out columns')
    level = type(value).__name__
    if level == "Block":
        raise PrismError("gemmi's blocks are text; annotate gemmi.make_structure_from_block(block)")
    models = [value] if level == "Model" else [[value]] if level == "Chain" else list(value)
    residues = [(chain.name, residue) for model in models for chain in model for residue in chain]
    at = rows.of([(chain, residue.seqid.num, residue.seqid.icode.strip()) for chain, residue in residues])
    assert b_factors is not None
    for (_, residue), number in zip(residues, rows.values(b_factors, at, 0.0).tolist(), strict=True):
        for atom in residue:
            atom.b_iso = number


def _mdanalysis(value: Any, rows: _Rows, names: list[str], b_factors: str | None) -> None:
    from MDAnalysis.core.topologyattrs import ResidueAttr

    universe = value.universe
    chains = chains_of_mdanalysis(universe.atoms)
    residues = universe.residues
    codes = residues.icodes if hasattr(residues, "icodes") else [""] * len(residues)
    firsts = [int(residue.atoms.indices[0]) for residue in residues]
    keys = zip(firsts, residues.resids.tolist(), codes, strict=True)
    at = rows.of([(chains[first], int(number), str(code).strip()) for first, number, code in keys])
    for name in names:
        values = rows.values(name, at)
        if name in universe._topology.read_attributes or hasattr(residues, name):
            setattr(residues, name, values)
            continue
        own = type(name, (ResidueAttr,), {"attrname": name, "singular": name, "dtype": object if values.dtype.kind == "U" else float})
        universe.add_TopologyAttr(own(values))
    if b_factors is not None:
        if not hasattr(universe.atoms, "tempfactors"):
            universe.add_TopologyAttr("tempfactors")
        universe.atoms.tempfactors = rows.values(b_factors, at, 0.0)[universe.atoms.resindices]


def _prody(value: Any, rows: _Rows, names: list[str], b_factors: str | None) -> None:
    codes = value.getIcodes()
    codes = [""] * value.numAtoms() if codes is None else codes
    keys = zip(value.getChids(), value.getResnums(), codes, strict=True)
    at = rows.of([(str(chain).strip(), int(number), str(code).strip()) for chain, number, code in keys])
    for name in names:
        value.setData(name, rows.values(name, at))
    if b_factors is not None:
        value.setBetas(rows.values(b_factors, at, 0.0).astype(float))


_WRITERS: dict[str, Callable[[Any, _Rows, list[str], str | None], None]] = {
    "biotite": _biotite,
    "Bio": _biopython,
    "gemmi": _gemmi,
    "MDAnalysis": _mdanalysis,
    "prody": _prody,
}
