"""Objects of other packages as structures. No package is imported here: a caller with an object has imported its package."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from typing import Any, Literal

from ._arguments import check
from ._errors import PrismError
from ._structure import Structure

#: A model's number, ``"all"``, or ``None`` for the first.
Model = int | Literal["all"] | None


def structures(
    value: Any, name: str | None = None, *, model: Model = None, decimals: int | None = None
) -> Iterator[Structure]:
    """Turns an object of another package into structures, one for each model or frame that you ask for.

    =====================================  ====================================================================
    package                                objects
    =====================================  ====================================================================
    gemmi                                  ``Structure``, ``Model``
    Biopython (``Bio.PDB``)                ``Structure``, ``Model``, ``Chain``
    Biotite                                ``AtomArray``, ``AtomArrayStack``
    MDAnalysis                             ``Universe``, ``AtomGroup``
    mdtraj                                 ``Trajectory``
    =====================================  ====================================================================

    Args:
        value: The object.
        name: The structure's name. If ``None``, the object's own name; for MDAnalysis, the name of its file.
        model: The number of a model or frame, as the package counts them (frames from 1). ``"all"`` gives each of them, one
            at a time, with the names ``name#1`` and so on. ``None`` gives the first; for MDAnalysis, the current frame.
        decimals: See :class:`prism.Structure`.

    Raises:
        PrismError: The object is of another kind, or it has no such model.
    """
    if name is not None:
        check("name", name)
    check("model", model)
    check("decimals", decimals)
    adapter = _adapter(value)
    if adapter is None:
        raise PrismError(f"{kind(value)} is no structure of a known package; see prism.structures for those that are")
    return adapter(value, name or own_name(value) or "structure", model, decimals)


def is_known(value: Any) -> bool:
    """Whether :func:`structures` takes the object."""
    return _adapter(value) is not None


def own_name(value: Any) -> str:
    """The name that the package gives an object, or an empty text."""
    package = type(value).__module__.partition(".")[0]
    if package == "gemmi":
        name: Any = getattr(value, "name", "")
        return name if isinstance(name, str) else ""
    if package == "Bio":
        named = value.get_parent() if value.get_level() == "M" and value.get_parent() is not None else value
        return str(named.id)
    if package == "MDAnalysis":
        return os.path.basename(value.universe.filename or "")
    return ""


def is_of_known_package(value: Any) -> bool:
    """Whether a package of :func:`structures` made the object, which may be of a kind that is not taken."""
    return type(value).__module__.partition(".")[0] in {package for package, _ in _ADAPTERS}


def kind(value: Any) -> str:
    """The name of its class."""
    return f"{type(value).__module__}.{type(value).__qualname__}"


def _adapter(value: Any) -> Callable[[Any, str, Model, int | None], Iterator[Structure]] | None:
    for of in type(value).__mro__:
        adapter = _ADAPTERS.get((of.__module__.partition(".")[0], of.__name__))
        if adapter is not None:
            return adapter
    return None


def _chosen(models: list[tuple[int, Any]], model: Model, name: str) -> Iterator[tuple[str, Any]]:
    """The requested models with their names. `models` has all models with their numbers."""
    if not models:
        raise PrismError(f"{name}: has no model")
    if model == "all":
        several = len(models) > 1
        yield from ((f"{name}#{number}" if several else name, one) for number, one in models)
    elif model is None:
        yield name, models[0][1]
    elif isinstance(model, str):
        raise PrismError(f'model must be a number or "all", not {model!r}')
    else:
        found = [one for number, one in models if number == model]
        if not found:
            raise PrismError(f"{name}: no model {model}; it has {', '.join(str(number) for number, _ in models[:20])}")
        yield name, found[0]


def _gemmi(value: Any, name: str, model: Model, decimals: int | None) -> Iterator[Structure]:
    if type(value).__name__ == "Model":
        models = [(_gemmi_number(value, 1), value)]
    else:
        models = [(_gemmi_number(one, place + 1), one) for place, one in enumerate(value)]
    for called, one in _chosen(models, model, name):
        atoms = [(atom, residue, chain) for chain in one for residue in chain for atom in residue]
        labels = [residue.label_seq is not None for _, residue, _ in atoms]
        yield Structure(
            [atom.pos.tolist() for atom, _, _ in atoms],
            [atom.name for atom, _, _ in atoms],
            [residue.name for _, residue, _ in atoms],
            [residue.seqid.num for _, residue, _ in atoms],
            [chain.name for _, _, chain in atoms],
            insertion_codes=[residue.seqid.icode.strip() for _, residue, _ in atoms],
            altlocs=[atom.altloc.strip("\0 ") for atom, _, _ in atoms],
            elements=[atom.element.name for atom, _, _ in atoms],
            hetero=[residue.het_flag == "H" for _, residue, _ in atoms],
            # Only mmCIF files have sequence numbers. Without them nothing is known.
            in_chain=labels if any(labels) else None,
            occupancies=[atom.occ for atom, _, _ in atoms],
            b_factors=[atom.b_iso for atom, _, _ in atoms],
            name=called,
            decimals=decimals,
        )


def _gemmi_number(model: Any, place: int) -> int:
    number = getattr(model, "num", None)
    return int(number) if number is not None else place


def _biopython(value: Any, name: str, model: Model, decimals: int | None) -> Iterator[Structure]:
    level = value.get_level()
    models = [(one.serial_num or place + 1, one) for place, one in enumerate(value)] if level == "S" else [(1, value)]
    for called, one in _chosen(models, model, name):
        chains = [one] if level == "C" else list(one)
        residues = [(residue, chain.id) for chain in chains for residue in chain.get_unpacked_list()]
        atoms = [(atom, residue, chain) for residue, chain in residues for atom in residue.get_unpacked_list()]
        missing = float("nan")
        yield Structure(
            [atom.coord for atom, _, _ in atoms],
            [atom.name for atom, _, _ in atoms],
            [residue.resname for _, residue, _ in atoms],
            [residue.id[1] for _, residue, _ in atoms],
            [chain for _, _, chain in atoms],
            insertion_codes=[residue.id[2].strip() for _, residue, _ in atoms],
            altlocs=[atom.altloc.strip() for atom, _, _ in atoms],
            elements=[atom.element or "" for atom, _, _ in atoms],
            hetero=[residue.id[0] != " " for _, residue, _ in atoms],
            occupancies=[missing if atom.occupancy is None else atom.occupancy for atom, _, _ in atoms],
            b_factors=[missing if atom.bfactor is None else atom.bfactor for atom, _, _ in atoms],
            name=called,
            decimals=decimals,
        )


def _biotite(value: Any, name: str, model: Model, decimals: int | None) -> Iterator[Structure]:
    known = set(value.get_annotation_categories())

    def optional(category: str) -> Any:
        return value.get_annotation(category) if category in known else None

    frames = value.coord if value.coord.ndim == 3 else value.coord[None]
    first: Structure | None = None
    for called, place in _chosen([(place + 1, place) for place in range(len(frames))], model, name):
        if first is not None:
            yield first.at(frames[place], called, decimals=decimals)
            continue
        first = Structure(
            frames[place],
            value.atom_name,
            value.res_name,
            value.res_id,
            value.chain_id,
            insertion_codes=value.ins_code,
            altlocs=_blank_dots(optional("altloc_id")),
            elements=value.element,
            hetero=value.hetero,
            occupancies=optional("occupancy"),
            b_factors=optional("b_factor"),
            name=called,
            decimals=decimals,
        )
        yield first


def _blank_dots(texts: Any) -> Any:
    """The texts, with empty ones for mmCIF's `.` and `?`."""
    return None if texts is None else ["" if text in (".", "?", " ") else str(text) for text in texts]


def _mdanalysis(value: Any, name: str, model: Model, decimals: int | None) -> Iterator[Structure]:
    atoms = value.atoms
    universe = atoms.universe

    def optional(attribute: str) -> Any:
        return getattr(atoms, attribute) if hasattr(atoms, attribute) else None

    def texts(attribute: str) -> Any:
        values = optional(attribute)
        return None if values is None else [str(text).strip() for text in values]

    chains = texts("chainIDs")
    if chains is None or not any(chains):
        chains = texts("segids")
    kinds = optional("record_types")
    first = Structure(
        atoms.positions,
        texts("names"),
        texts("resnames"),
        atoms.resids,
        "A" if chains is None else chains,
        insertion_codes=texts("icodes"),
        altlocs=texts("altLocs"),
        elements=texts("elements"),
        hetero=None if kinds is None else [kind == "HETATM" for kind in kinds],
        occupancies=optional("occupancies"),
        b_factors=optional("tempfactors"),
        name=name,
        decimals=decimals,
    )
    if model is None:
        yield first
        return
    frames = len(universe.trajectory)
    for label, place in _chosen([(place + 1, place) for place in range(frames)], model, name):
        # The universe reads the frame.
        universe.trajectory[place]
        yield first.at(atoms.positions, label, decimals=decimals)


def _mdtraj(value: Any, name: str, model: Model, decimals: int | None) -> Iterator[Structure]:
    atoms = list(value.topology.atoms)

    def chain(atom: Any) -> str:
        known = getattr(atom.residue.chain, "chain_id", None)
        return str(known) if known else _letters(atom.residue.chain.index)

    first: Structure | None = None
    for called, place in _chosen([(place + 1, place) for place in range(value.n_frames)], model, name):
        # mdtraj has nm, as float32.
        positions = value.xyz[place].astype("float64") * 10.0
        if first is not None:
            yield first.at(positions, called, decimals=decimals)
            continue
        first = Structure(
            positions,
            [atom.name for atom in atoms],
            [atom.residue.name for atom in atoms],
            [atom.residue.resSeq for atom in atoms],
            [chain(atom) for atom in atoms],
            elements=["" if atom.element is None else atom.element.symbol for atom in atoms],
            name=called,
            decimals=decimals,
        )
        yield first


def _letters(number: int) -> str:
    """A, B, ..., Z, AA, AB, ..."""
    text = ""
    while True:
        text = chr(ord("A") + number % 26) + text
        number = number // 26 - 1
        if number < 0:
            return text


_ADAPTERS: dict[tuple[str, str], Callable[[Any, str, Model, int | None], Iterator[Structure]]] = {
    ("gemmi", "Structure"): _gemmi,
    ("gemmi", "Model"): _gemmi,
    ("Bio", "Structure"): _biopython,
    ("Bio", "Model"): _biopython,
    ("Bio", "Chain"): _biopython,
    ("biotite", "AtomArray"): _biotite,
    ("biotite", "AtomArrayStack"): _biotite,
    ("MDAnalysis", "Universe"): _mdanalysis,
    ("MDAnalysis", "AtomGroup"): _mdanalysis,
    ("mdtraj", "Trajectory"): _mdtraj,
}
