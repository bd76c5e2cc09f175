"""Objects of other packages as structures. No package is imported here: a caller with an object has imported its package."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from typing import Any, Literal

from ._arguments import check
from ._errors import PrismError
from ._structure import Structure, letters

#: A model's number, ``"all"``, or ``None`` for the first.
Model = int | Literal["all"] | None


def structures(
    value: Any, name: str | None = None, *, model: Model = None, decimals: int | None = None
) -> Iterator[Structure]:
    """Turns an object of another package into structures, one for each model or frame that you ask for.

    =====================================  ====================================================================
    package                                objects
    =====================================  ====================================================================
    gemmi                                  ``Structure``, ``Model``, ``Chain``; ``cif.Block`` of coordinates
    Biopython (``Bio.PDB``)                ``Structure``, ``Model``, ``Chain``, ``Residue``
    Biotite                                ``AtomArray``, ``AtomArrayStack``
    MDAnalysis                             ``Universe``, ``AtomGroup``
    mdtraj                                 ``Trajectory``
    ProDy                                  ``AtomGroup``, ``Selection``, ``Chain``, ``Residue``
    OpenMM (``openmm.app``)                ``PDBFile``, ``PDBxFile``, ``Modeller``; a pair of a ``Topology`` and positions
    =====================================  ====================================================================

    Arrays as models of machine learning have them: :meth:`Structure.from_atom37`, :meth:`Structure.from_atom14`.

    Chains and residues are named as the object has them. Files of mmCIF have two kinds of names, and tables have the author's, as gemmi,
    Biopython, ProDy and MDAnalysis do. Biotite's arrays of mmCIF have what ``get_structure`` was told: the author's with
    ``use_author_fields=True``, the default before version 2, and otherwise the file's label ids, whose rows match no other table. Read the
    annotations ``auth_asym_id`` and ``auth_seq_id``, too (``extra_fields``), and they are taken. mdtraj numbers chains itself.

    Args:
        value: The object.
        name: The structure's name. If ``None``, the object's own name; for MDAnalysis, the name of its file.
        model: The number of a model or frame, as the package counts them (frames from 1). ``"all"`` gives each of them, one
            at a time, with the names ``name#1`` and so on. ``None`` gives the first; for MDAnalysis, the current frame. (As an input
            of a call, an object of which others are left out is an :class:`InputWarning`.)
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


def n_models(value: Any) -> int:
    """The number of models or frames that an object has."""
    package, name = _kind_of(value)
    if package in ("gemmi", "Bio"):
        return len(value) if name == "Structure" else 1
    if package == "MDAnalysis":
        return len(value.universe.trajectory)
    of = {"biotite": "stack_depth", "mdtraj": "n_frames", "prody": "numCoordsets", "openmm": "getNumFrames"}
    count = getattr(value, of.get(package, ""), 1)
    return int(count() if callable(count) else count)


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
        if value.get_level() == "R":
            return f"{value.resname}{value.id[1]}{value.id[2].strip()}"
        named = value.get_parent() if value.get_level() == "M" and value.get_parent() is not None else value
        return str(named.id)
    if package == "MDAnalysis":
        return os.path.basename(value.universe.filename or "")
    if package == "prody":
        return str(value.getTitle()) if hasattr(value, "getTitle") else ""
    return ""


def is_of_known_package(value: Any) -> bool:
    """Whether a package of :func:`structures` made the object, which may be of a kind that is not taken."""
    return type(value).__module__.partition(".")[0] in {package for package, _ in _ADAPTERS}


def kind(value: Any) -> str:
    """The name of its class."""
    return f"{type(value).__module__}.{type(value).__qualname__}"


def _kind_of(value: Any) -> tuple[str, str]:
    """The package and the name of the class that an adapter takes, or empty texts."""
    for of in type(value).__mro__:
        key = (of.__module__.partition(".")[0], of.__name__)
        if key in _ADAPTERS:
            return key
    if isinstance(value, tuple) and len(value) == 2:
        first = type(value[0])
        if (first.__module__.partition(".")[0], first.__name__) == ("openmm", "Topology"):
            return "openmm", "Topology"
    return "", ""


def _adapter(value: Any) -> Callable[[Any, str, Model, int | None], Iterator[Structure]] | None:
    return _ADAPTERS.get(_kind_of(value))


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
    level = type(value).__name__
    if level == "Block":
        import gemmi

        value = gemmi.make_structure_from_block(value)
    if level == "Chain":
        models: list[tuple[int, Any]] = [(1, [value])]
    elif level == "Model":
        models = [(_gemmi_number(value, 1), value)]
    else:
        models = [(_gemmi_number(one, index + 1), one) for index, one in enumerate(value)]
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


def _gemmi_number(model: Any, default: int) -> int:
    number = getattr(model, "num", None)
    return int(number) if number is not None else default


def _biopython(value: Any, name: str, model: Model, decimals: int | None) -> Iterator[Structure]:
    level = value.get_level()
    models = [(one.serial_num or index + 1, one) for index, one in enumerate(value)] if level == "S" else [(1, value)]
    for called, one in _chosen(models, model, name):
        if level == "R":
            parent = one.get_parent()
            alone = one.disordered_get_list() if one.is_disordered() == 2 else [one]
            residues = [(residue, "A" if parent is None else parent.id) for residue in alone]
        else:
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

    # mmCIF has them as texts.
    author_numbers: Any = [int(text) for text in value.get_annotation("auth_seq_id")] if "auth_seq_id" in known else None
    frames = value.coord if value.coord.ndim == 3 else value.coord[None]
    first: Structure | None = None
    for called, index in _chosen([(index + 1, index) for index in range(len(frames))], model, name):
        if first is not None:
            yield first.at(frames[index], called, decimals=decimals)
            continue
        first = Structure(
            frames[index],
            value.atom_name,
            value.res_name,
            author_numbers if "auth_seq_id" in known else value.res_id,
            value.get_annotation("auth_asym_id") if "auth_asym_id" in known else value.chain_id,
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


def chains_of_mdanalysis(atoms: Any) -> list[str]:
    """The chain of each atom: what the file calls so, or else the segment."""
    for attribute in ("chainIDs", "segids"):
        chains = [str(text).strip() for text in getattr(atoms, attribute, ())]
        if any(chains):
            return chains
    return chains or ["A"] * len(atoms)


def _mdanalysis(value: Any, name: str, model: Model, decimals: int | None) -> Iterator[Structure]:
    atoms = value.atoms
    universe = atoms.universe

    def optional(attribute: str) -> Any:
        return getattr(atoms, attribute) if hasattr(atoms, attribute) else None

    def texts(attribute: str) -> Any:
        values = optional(attribute)
        return None if values is None else [str(text).strip() for text in values]

    kinds = optional("record_types")
    first = Structure(
        atoms.positions,
        texts("names"),
        texts("resnames"),
        atoms.resids,
        chains_of_mdanalysis(atoms),
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
    for label, index in _chosen([(index + 1, index) for index in range(frames)], model, name):
        # The universe reads the frame.
        universe.trajectory[index]
        yield first.at(atoms.positions, label, decimals=decimals)


def _mdtraj(value: Any, name: str, model: Model, decimals: int | None) -> Iterator[Structure]:
    atoms = list(value.topology.atoms)

    def chain(atom: Any) -> str:
        known = getattr(atom.residue.chain, "chain_id", None)
        return str(known) if known else letters(atom.residue.chain.index)

    first: Structure | None = None
    for called, index in _chosen([(index + 1, index) for index in range(value.n_frames)], model, name):
        # mdtraj has nm, as float32.
        positions = value.xyz[index].astype("float64") * 10.0
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


def _prody(value: Any, name: str, model: Model, decimals: int | None) -> Iterator[Structure]:
    atoms = value.numAtoms()

    def texts(values: Any) -> Any:
        return None if values is None else [str(text).strip() for text in values]

    chains, hetero = texts(value.getChids()), value.getFlags("hetatm")
    first: Structure | None = None
    for called, index in _chosen([(index + 1, index) for index in range(value.numCoordsets())], model, name):
        positions = value.getCoordsets(index)
        if first is not None:
            yield first.at(positions, called, decimals=decimals)
            continue
        first = Structure(
            positions,
            texts(value.getNames()),
            texts(value.getResnames()),
            value.getResnums(),
            ["A"] * atoms if chains is None else chains,
            insertion_codes=texts(value.getIcodes()),
            altlocs=texts(value.getAltlocs()),
            elements=texts(value.getElements()),
            hetero=hetero,
            occupancies=value.getOccupancies(),
            b_factors=value.getBetas(),
            name=called,
            decimals=decimals,
        )
        yield first


def _openmm(value: Any, name: str, model: Model, decimals: int | None) -> Iterator[Structure]:
    import numpy as np
    from openmm import unit

    topology, several = (value[0], False) if isinstance(value, tuple) else (value.topology, hasattr(value, "getNumFrames"))

    def positions(index: int) -> Any:
        given = value.getPositions(frame=index) if several else value[1] if isinstance(value, tuple) else value.getPositions()
        # Without a unit, they are in nm, as all of OpenMM.
        return np.array(given.value_in_unit(unit.nanometers) if hasattr(given, "unit") else given, dtype=np.float64) * 10.0

    atoms = list(topology.atoms())
    first: Structure | None = None
    for called, index in _chosen([(index + 1, index) for index in range(n_models(value))], model, name):
        if first is not None:
            yield first.at(positions(index), called, decimals=decimals)
            continue
        first = Structure(
            positions(index),
            [atom.name for atom in atoms],
            [atom.residue.name for atom in atoms],
            [int(atom.residue.id) for atom in atoms],
            [str(atom.residue.chain.id) for atom in atoms],
            insertion_codes=[atom.residue.insertionCode.strip() for atom in atoms],
            elements=["" if atom.element is None else atom.element.symbol for atom in atoms],
            name=called,
            decimals=decimals,
        )
        yield first


_ADAPTERS: dict[tuple[str, str], Callable[[Any, str, Model, int | None], Iterator[Structure]]] = {
    ("gemmi", "Structure"): _gemmi,
    ("gemmi", "Model"): _gemmi,
    ("gemmi", "Chain"): _gemmi,
    ("gemmi", "Block"): _gemmi,
    ("Bio", "Structure"): _biopython,
    ("Bio", "Model"): _biopython,
    ("Bio", "Chain"): _biopython,
    ("Bio", "Residue"): _biopython,
    ("biotite", "AtomArray"): _biotite,
    ("biotite", "AtomArrayStack"): _biotite,
    ("MDAnalysis", "Universe"): _mdanalysis,
    ("MDAnalysis", "AtomGroup"): _mdanalysis,
    ("mdtraj", "Trajectory"): _mdtraj,
    ("prody", "AtomGroup"): _prody,
    ("prody", "AtomSubset"): _prody,
    ("openmm", "PDBFile"): _openmm,
    ("openmm", "PDBxFile"): _openmm,
    ("openmm", "Modeller"): _openmm,
    ("openmm", "Topology"): _openmm,
}
