"""Structures that other libraries hold in memory."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any


@dataclass(frozen=True)
class Atoms:
    """A structure as columns, one entry an atom, in the order of a file.

    Residues are runs of atoms with the same chain, number and insertion code. Atoms of hydrogen are ignored, as in
    files.

    Attributes:
        positions: Å, shape ``(n, 3)``.
        names: Atom names, ``"CA"``.
        resnames: Residue names, ``"ALA"``.
        resnums: Residue numbers.
        chains: Chain ids; ``"A"`` for all if empty.
        icodes: Insertion codes; none if empty.
        elements: Element symbols; told by the names if empty.
        b_factors: Å²; unknown if empty.
        name: What the structure is called in the column ``structure``.
    """

    positions: Any
    names: Sequence[str]
    resnames: Sequence[str]
    resnums: Sequence[int]
    chains: Sequence[str] = field(default=())
    icodes: Sequence[str] = field(default=())
    elements: Sequence[str] = field(default=())
    b_factors: Sequence[float] = field(default=())
    name: str = "atoms"


def from_gemmi(structure: Any) -> Atoms:
    """The first model of a ``gemmi.Structure``."""
    rows = [
        (tuple(atom.pos), atom.name, residue.name, residue.seqid.num, chain.name, residue.seqid.icode.strip(),
         atom.element.name, atom.b_iso)
        for chain in structure[0]
        for residue in chain
        for atom in residue
    ]  # fmt: skip
    return _of_rows(rows, structure.name or "structure")


def from_biopython(entity: Any) -> Atoms:
    """The first model of a ``Bio.PDB`` structure, or a model, a chain or a residue."""
    model = entity
    if entity.level == "S":
        model = next(entity.get_models())
    rows = []
    for atom in model.get_atoms():
        residue = atom.get_parent()
        _, number, icode = residue.id
        chain = residue.get_parent()
        row = (tuple(atom.coord), atom.get_name(), residue.resname.strip(), number, chain.id if chain else "A",
               icode.strip(), (atom.element or "").strip(), atom.bfactor)  # fmt: skip
        rows.append(row)
    full = getattr(entity, "full_id", None)
    return _of_rows(rows, str(full[0]) if full else str(entity.id))


def from_biotite(array: Any) -> Atoms:
    """A ``biotite.structure.AtomArray``, or the first model of a stack."""
    if type(array).__name__ == "AtomArrayStack":
        array = array[0]
    annotations = array.get_annotation_categories()
    return Atoms(
        positions=array.coord,
        names=array.atom_name,
        resnames=array.res_name,
        resnums=array.res_id,
        chains=array.chain_id,
        icodes=array.ins_code,
        elements=array.element,
        b_factors=array.b_factor if "b_factor" in annotations else (),
        name="structure",
    )


def from_mdanalysis(group: Any) -> Atoms:
    """An ``MDAnalysis`` universe or group of atoms, in its present frame."""
    atoms = group.atoms

    def attribute(name: str) -> Any:
        return getattr(atoms, name) if hasattr(atoms, name) else ()

    chains = attribute("chainIDs")
    if len(chains) == 0 or not any(chains):
        chains = attribute("segids")
    return Atoms(
        positions=atoms.positions,
        names=atoms.names,
        resnames=atoms.resnames,
        resnums=atoms.resids,
        chains=chains,
        icodes=attribute("icodes"),
        elements=attribute("elements"),
        b_factors=attribute("tempfactors"),
        name="universe",
    )


def from_mdtraj(trajectory: Any) -> Atoms:
    """The first frame of an ``mdtraj.Trajectory``, whose nanometres become Å."""
    atoms = list(trajectory.topology.atoms)

    def chain(atom: Any) -> str:
        identity = getattr(atom.residue.chain, "chain_id", None)
        return str(identity) if identity else chr(ord("A") + atom.residue.chain.index % 26)

    return Atoms(
        positions=trajectory.xyz[0] * 10.0,
        names=[atom.name for atom in atoms],
        resnames=[atom.residue.name for atom in atoms],
        resnums=[atom.residue.resSeq for atom in atoms],
        chains=[chain(atom) for atom in atoms],
        elements=[atom.element.symbol if atom.element is not None else "" for atom in atoms],
        name="trajectory",
    )


# By the module that a type comes from: a library is not imported to find out that nobody uses it.
_ADAPTERS: dict[str, Callable[[Any], Atoms]] = {
    "gemmi": from_gemmi,
    "Bio": from_biopython,
    "biotite": from_biotite,
    "MDAnalysis": from_mdanalysis,
    "mdtraj": from_mdtraj,
}


def adapted(value: Any) -> Atoms | None:
    """The atoms of another library's structure; ``None`` for anything else."""
    if isinstance(value, Atoms):
        return value
    adapter = _ADAPTERS.get(type(value).__module__.split(".")[0])
    return None if adapter is None else adapter(value)


def _of_rows(rows: list[tuple[Any, ...]], name: str) -> Atoms:
    if not rows:
        rows_by_field: tuple[Sequence[Any], ...] = ((),) * 8
    else:
        rows_by_field = tuple(zip(*rows, strict=True))
    positions, names, resnames, resnums, chains, icodes, elements, b_factors = rows_by_field
    return Atoms(positions, names, resnames, resnums, chains, icodes, elements, b_factors, name)
