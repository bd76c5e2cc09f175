"""The functions of the module."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, overload

import pyarrow as pa

from . import _prism
from ._arguments import check
from ._engine import Engine, Report
from ._errors import PrismError
from ._interactions import are_interactions, interactions
from ._options import Backend, EngineOptions, OnError, Options, StreamOptions, TableName, engine_options, split

if TYPE_CHECKING:
    from typing_extensions import Unpack


#: The engine of the last small call, one at most: making an engine takes longer than a small call.
_kept: dict[Any, Engine] = {}
#: A call with more rows than these does not keep its engine.
_FEW_ROWS = 10_000


class Column(NamedTuple):
    """A feature: its name, its unit, its definition, and the definition's source."""

    name: str
    unit: str
    definition: str
    source: str


def columns() -> list[Column]:
    """All features, in the order of the table's columns."""
    return [Column(*column) for column in _prism.columns()]


def _table(
    table: TableName, inputs: Any, columns: str | Sequence[str] | None, backend: Backend, run: dict[str, Any], options: Any
) -> Any:
    check("backend", backend)
    engine: EngineOptions = {}
    rest: Any = {}
    key: tuple[Any, ...] = (backend,)
    # Without options, as in most small calls, there is less to look at.
    if options:
        engine, rest = split(options)
        if "columns" in rest:
            raise TypeError(f"columns is for prism.features; {table} has columns of its own")
        engine_options(engine)
        devices = engine.get("devices")
        named = {**engine, "devices": devices if devices is None or isinstance(devices, str) else tuple(devices)}
        key = (backend, *sorted(named.items()))
    kept = _kept.get(key) if backend != "cuda" else None
    if kept is None:
        kept = Engine(backend, **engine)
    found = kept.table(table, inputs, columns, **run, **rest)
    rows = (found[0] if isinstance(found, tuple) else found).num_rows
    if rows > _FEW_ROWS or backend == "cuda":
        # Its memory is worth more to others.
        _kept.pop(key, None)
    elif key not in _kept:
        _kept.clear()
        _kept[key] = kept
    return found


@overload
def features(
    inputs: Any,
    columns: str | Sequence[str] | None = ...,
    backend: Backend = ...,
    *,
    on_error: Literal["raise", "skip"] = ...,
    progress: bool = ...,
    **options: Unpack[Options],
) -> pa.Table: ...
@overload
def features(
    inputs: Any,
    columns: str | Sequence[str] | None = ...,
    backend: Backend = ...,
    *,
    on_error: Literal["report"],
    progress: bool = ...,
    **options: Unpack[Options],
) -> Report: ...
@overload
def features(
    inputs: Any,
    columns: str | Sequence[str] | None = ...,
    backend: Backend = ...,
    *,
    device: str,
    on_error: Literal["raise", "skip"] = ...,
    progress: bool = ...,
    **options: Unpack[Options],
) -> list[_prism.Tensor]: ...


def features(
    inputs: Any,
    columns: str | Sequence[str] | None = None,
    backend: Backend = "auto",
    *,
    device: str | None = None,
    on_error: OnError = "raise",
    progress: bool = False,
    **options: Unpack[Options],
) -> pa.Table | Report | list[_prism.Tensor]:
    """A table with a row for each residue, as ``prism features`` writes it: the same rows, order and bits.

    Args:
        inputs: One input or an iterable of them. An input is

            - a path of a file, a tar, a packed data set, or a folder, which is walked;
            - ``bytes``, or ``(name, bytes)``: the content of a file or tar, compressed or not;
            - a file object, which is read to its end;
            - a :class:`Structure`, which is made of arrays;
            - an object of gemmi, Biopython, Biotite, MDAnalysis or mdtraj: see :func:`structures`.

            Another thread advances an iterator while earlier inputs are computed. It takes all paths in a row
            first, and otherwise at most 256 structures or 32 MiB ahead.
        columns: Names of the features to compute; :func:`columns` lists them. ``None`` takes all. Columns that identify the
            residue (``structure``, ``chain``, ``resnum``, ...) come first. If you name one of those too, the table has exactly
            the columns that you name.
        backend: See :class:`Engine`.
        device: ``"cuda"`` or ``"cpu"``: return a list of tensors there, one for each structure, and no table. See
            :func:`tensors`.
        on_error: What to do about inputs that fail. ``"raise"``: the first raises :class:`InputError`. ``"skip"``: leave them out,
            with an :class:`InputWarning` for each. ``"report"``: leave them out, and return ``(table, failures)``.
        progress: Show a progress bar. This needs tqdm.
        options: What is read, and how features are computed: see :class:`Options`.

    Returns:
        A table. Undefined values are null. The metadata of a field has the feature's unit, definition and source.

        Choices made while reading (alternate locations, say) go to the logger ``prism_features`` at level INFO. Something odd about an
        input is an :class:`InputWarning`.

    Raises:
        InputError: An input failed. The error names it.
        PrismError: An argument has a wrong value, or the backend failed.
        TypeError: An argument is of a wrong type, or there is no such option.

    >>> table = prism.features("structures/", columns=["sasa", "wcn"])
    """
    if device is not None:
        if on_error == "report":
            raise PrismError('on_error of tensors must be "raise" or "skip", not \'report\'')
        return list(tensors(inputs, columns, backend, device=device, on_error=on_error, progress=progress, **options))
    return _table("features", inputs, columns, backend, {"on_error": on_error, "progress": progress}, options)


@overload
def sites(
    inputs: Any,
    backend: Backend = ...,
    *,
    max_sites: int = ...,
    min_probability: float = ...,
    all: bool = ...,
    min_plddt: float | None = ...,
    on_error: Literal["raise", "skip"] = ...,
    progress: bool = ...,
    **options: Unpack[Options],
) -> pa.Table: ...
@overload
def sites(
    inputs: Any,
    backend: Backend = ...,
    *,
    max_sites: int = ...,
    min_probability: float = ...,
    all: bool = ...,
    min_plddt: float | None = ...,
    on_error: Literal["report"],
    progress: bool = ...,
    **options: Unpack[Options],
) -> Report: ...


def sites(
    inputs: Any,
    backend: Backend = "auto",
    *,
    max_sites: int = 20,
    min_probability: float = 0.1,
    all: bool = False,
    min_plddt: float | None = None,
    on_error: OnError = "raise",
    progress: bool = False,
    **options: Unpack[Options],
) -> pa.Table | Report:
    """Where ligands may bind: a row for each site, as ``prism sites`` writes it. A site has a rank, a score, a probability, a centre
    (Å), an area (Å²), a volume (Å³), its residues as ``A_120``, separated by spaces, and their mean pLDDT in predicted models. A site of
    a mean pLDDT below 50 is an :class:`InputWarning`.

    Args:
        max_sites: The most sites of a structure.
        min_probability: Leave out sites with a lower probability of binding a ligand.
        all: Sites of any probability.
        min_plddt: Leave out sites of predicted models whose residues have a lower mean pLDDT, from 0 to 100.

    Other arguments, and errors, are those of :func:`features`.
    """
    run: dict[str, Any] = {"on_error": on_error, "progress": progress, "max_sites": max_sites}
    run |= {"min_probability": min_probability, "all": all, "min_plddt": min_plddt}
    return _table("sites", inputs, None, backend, run, options)


@overload
def edges(
    inputs: Any,
    backend: Backend = ...,
    *,
    kinds: Sequence[str] = ...,
    ccd: str | os.PathLike[str] | None = ...,
    pae: bool = ...,
    on_error: Literal["raise", "skip"] = ...,
    progress: bool = ...,
    **options: Unpack[Options],
) -> pa.Table: ...
@overload
def edges(
    inputs: Any,
    backend: Backend = ...,
    *,
    kinds: Sequence[str] = ...,
    ccd: str | os.PathLike[str] | None = ...,
    pae: bool = ...,
    on_error: Literal["report"],
    progress: bool = ...,
    **options: Unpack[Options],
) -> Report: ...


def edges(
    inputs: Any,
    backend: Backend = "auto",
    *,
    kinds: Sequence[str] = ("ca", "atom"),
    ccd: str | os.PathLike[str] | None = None,
    pae: bool = False,
    on_error: OnError = "raise",
    progress: bool = False,
    **options: Unpack[Options],
) -> pa.Table | Report:
    """Residues in contact: a row for each pair, as ``prism edges`` writes it. A pair has the rows of both residues in
    :func:`features`, their distance (Å), and the kind of contact.

    Args:
        kinds: ``"ca"``: alpha carbons closer than ``contact_threshold``. ``"atom"``: heavy atoms within 4.5 Å, where the residues are
            at least two rows apart or in different chains. ``"knn"``: from each residue to the 30 nearest ones. ``"sequence"``: residues that
            follow each other in a chain. ``"hbond_backbone"``, ``"bridge"``: by DSSP, with columns of energies and ladders. Or interactions of
            every atom (``"hbond"``, ``"salt_bridge"``, ``"pi_stack"``,
            ``"metal"``, ...; ``prism edges --list`` shows all), which are named by chain, number and name, with their atoms; they are
            computed from files on CPU cores, and take the options ``chains``, ``altloc`` and ``name_by``.
        ccd: Bonds of ligands for interactions: a file of the Chemical Component Dictionary.
        pae: Columns with the predicted aligned errors (Å), and the predictor's probability of a contact, of models that lie beside
            their matrices (``--pae``). The inputs are paths then.

    Other arguments, and errors, are those of :func:`features`.
    """
    if are_interactions(kinds):
        if pae:
            raise PrismError("pae is of pairs of residues with rows (such as kinds \"ca\" and \"atom\"), not of interactions")
        return interactions(inputs, kinds, ccd, on_error, dict(options))
    if ccd is not None:
        raise PrismError("ccd has no effect on contacts; it has the bonds of ligands for interactions")
    if "contact_threshold" in options and not isinstance(kinds, str) and "ca" not in list(kinds):
        raise PrismError('contact_threshold has no effect on kinds=["atom"], heavy atoms within 4.5 Å; add the kind "ca"')
    run = {"on_error": on_error, "progress": progress, "kinds": kinds, "pae": pae}
    return _table("edges", inputs, None, backend, run, options)


@overload
def interface(
    inputs: Any,
    backend: Backend = ...,
    *,
    between: tuple[str, str] | None = ...,
    by_residue: bool = ...,
    pae: bool = ...,
    on_error: Literal["raise", "skip"] = ...,
    progress: bool = ...,
    **options: Unpack[Options],
) -> pa.Table: ...
@overload
def interface(
    inputs: Any,
    backend: Backend = ...,
    *,
    between: tuple[str, str] | None = ...,
    by_residue: bool = ...,
    pae: bool = ...,
    on_error: Literal["report"],
    progress: bool = ...,
    **options: Unpack[Options],
) -> Report: ...


def interface(
    inputs: Any,
    backend: Backend = "auto",
    *,
    between: tuple[str, str] | None = None,
    by_residue: bool = False,
    pae: bool = False,
    on_error: OnError = "raise",
    progress: bool = False,
    **options: Unpack[Options],
) -> pa.Table | Report:
    """The surface (Å²) that chains bury in each other: a row for each pair of chains that touch, as ``prism interface`` writes it.

    Args:
        between: Only the interface between these two chains, as if there were no others. A structure without one of them fails.
        by_residue: A row for each residue instead: its surface in the chain alone, in the complex, and buried (``--by-residue``).
        pae: Columns with the predicted aligned errors (Å) of the contacts, of models that lie beside their matrices (``--pae``).

    Other arguments, and errors, are those of :func:`features`.
    """
    run = {"on_error": on_error, "progress": progress, "between": between, "by_residue": by_residue, "pae": pae}
    return _table("interface", inputs, None, backend, run, options)


@overload
def ligands(
    inputs: Any,
    backend: Backend = ...,
    *,
    on_error: Literal["raise", "skip"] = ...,
    progress: bool = ...,
    **options: Unpack[Options],
) -> pa.Table: ...
@overload
def ligands(
    inputs: Any,
    backend: Backend = ...,
    *,
    on_error: Literal["report"],
    progress: bool = ...,
    **options: Unpack[Options],
) -> Report: ...


def ligands(
    inputs: Any,
    backend: Backend = "auto",
    *,
    on_error: OnError = "raise",
    progress: bool = False,
    **options: Unpack[Options],
) -> pa.Table | Report:
    """Ligands, ions and sugars, as ``prism ligands`` writes them: a row for each residue that has none in :func:`features`, except water and
    the nucleotides of DNA and RNA. Areas are in Å², distances in Å. Packed data sets have no ligands.

    Arguments, and errors, are those of :func:`features`.
    """
    return _table("ligands", inputs, None, backend, {"on_error": on_error, "progress": progress}, options)


@overload
def atoms(
    inputs: Any,
    backend: Backend = ...,
    *,
    probe: float = ...,
    radii: str | os.PathLike[str] = ...,
    algorithm: Literal["shrake-rupley", "lee-richards"] = ...,
    slices: int = ...,
    on_error: Literal["raise", "skip"] = ...,
    progress: bool = ...,
    **options: Unpack[Options],
) -> pa.Table: ...
@overload
def atoms(
    inputs: Any,
    backend: Backend = ...,
    *,
    probe: float = ...,
    radii: str | os.PathLike[str] = ...,
    algorithm: Literal["shrake-rupley", "lee-richards"] = ...,
    slices: int = ...,
    on_error: Literal["report"],
    progress: bool = ...,
    **options: Unpack[Options],
) -> Report: ...


def atoms(
    inputs: Any,
    backend: Backend = "auto",
    *,
    probe: float = 1.4,
    radii: str | os.PathLike[str] = "protor",
    algorithm: Literal["shrake-rupley", "lee-richards"] = "shrake-rupley",
    slices: int = 20,
    on_error: OnError = "raise",
    progress: bool = False,
    **options: Unpack[Options],
) -> pa.Table | Report:
    """Heavy atoms, as ``prism atoms`` writes them: a row for each, with its radius, accessible area (Å²), depth (Å) and the chains that
    bury it. With ``het="cover"`` atoms of ligands and nucleic acids have rows, too. Packed data sets do not have what atoms are.

    Args:
        probe: Radius of the probe, above 0 and at most 5 Å.
        radii: ``"protor"``, ``"naccess"``, ``"bondi"``, or a file in FreeSASA's configuration format.
        algorithm: ``"shrake-rupley"``, by test points (``points``), or ``"lee-richards"``, by slices.
        slices: Slices of each atom, 1 to 1000.

    Other arguments, and errors, are those of :func:`features`.
    """
    run = {"on_error": on_error, "progress": progress, "probe": probe, "radii": radii, "algorithm": algorithm, "slices": slices}
    return _table("atoms", inputs, None, backend, run, options)


@overload
def summary(
    inputs: Any,
    backend: Backend = ...,
    *,
    on_error: Literal["raise", "skip"] = ...,
    progress: bool = ...,
    **options: Unpack[Options],
) -> pa.Table: ...
@overload
def summary(
    inputs: Any,
    backend: Backend = ...,
    *,
    on_error: Literal["report"],
    progress: bool = ...,
    **options: Unpack[Options],
) -> Report: ...


def summary(
    inputs: Any,
    backend: Backend = "auto",
    *,
    on_error: OnError = "raise",
    progress: bool = False,
    **options: Unpack[Options],
) -> pa.Table | Report:
    """Summaries of structures, as ``prism summary`` writes them: a row for each structure, with an empty ``chain``, then a row for each
    of its chains. Areas are in Å², radii of gyration in Å.

    Arguments, and errors, are those of :func:`features`.
    """
    return _table("summary", inputs, None, backend, {"on_error": on_error, "progress": progress}, options)


@overload
def dockq(
    inputs: Any,
    reference: str | os.PathLike[str],
    backend: Backend = ...,
    *,
    mapping: Sequence[str] | None = ...,
    allowed_mismatches: int = ...,
    by_number: bool = ...,
    peptide: bool = ...,
    small_molecules: bool = ...,
    on_error: Literal["raise", "skip"] = ...,
    progress: bool = ...,
    **options: Unpack[Options],
) -> pa.Table: ...
@overload
def dockq(
    inputs: Any,
    reference: str | os.PathLike[str],
    backend: Backend = ...,
    *,
    mapping: Sequence[str] | None = ...,
    allowed_mismatches: int = ...,
    by_number: bool = ...,
    peptide: bool = ...,
    small_molecules: bool = ...,
    on_error: Literal["report"],
    progress: bool = ...,
    **options: Unpack[Options],
) -> Report: ...


def dockq(
    inputs: Any,
    reference: str | os.PathLike[str],
    backend: Backend = "auto",
    *,
    mapping: Sequence[str] | None = None,
    allowed_mismatches: int = 0,
    by_number: bool = False,
    peptide: bool = False,
    small_molecules: bool = False,
    on_error: OnError = "raise",
    progress: bool = False,
    **options: Unpack[Options],
) -> pa.Table | Report:
    """Models of a complex compared with a reference, as ``prism dockq`` writes it: a row for each model, with empty chains, then one for
    each interface of the reference.

    Args:
        reference: The file of the reference.
        mapping: Chains that correspond, as ``--mapping`` takes them: ``["A:H", "B:L"]``. ``None`` searches the best mapping.
        allowed_mismatches: Chains correspond if at most so many residues differ in their alignment.
        by_number: Residues correspond by their numbers, not by an alignment of sequences.
        peptide: Contacts and interfaces as CAPRI defines them for peptides.
        small_molecules: The poses of ligands, ions and sugars are compared, too.

    Other arguments, and errors, are those of :func:`features`.
    """
    of_table = {"mapping": mapping, "allowed_mismatches": allowed_mismatches, "by_number": by_number, "peptide": peptide}
    of_table["small_molecules"] = small_molecules
    run = {"on_error": on_error, "progress": progress, "reference": reference, **of_table}
    return _table("dockq", inputs, None, backend, run, options)


def stream(
    inputs: Any,
    columns: str | Sequence[str] | None = None,
    backend: Backend = "auto",
    *,
    table: TableName = "features",
    on_error: Literal["raise", "skip"] = "raise",
    progress: bool = False,
    **options: Unpack[StreamOptions],
) -> Iterator[pa.RecordBatch]:
    """Batches of a table, in order. Others are computed meanwhile. Memory is bounded, however many inputs there are. Leaving the
    loop, or Ctrl-C, ends the run. Leaving it waits until an iterator of inputs has given the one that it is at; Ctrl-C does not.

    Args:
        table: ``"features"``, ``"sites"``, ``"edges"``, ``"interface"``, ``"ligands"``, ``"atoms"``, ``"summary"`` or ``"dockq"``. It takes the options of
            the function of that name.

    Other arguments, and errors, are those of :func:`features`.
    """
    engine, rest = split(options)
    return Engine(backend, **engine).stream(
        inputs, columns, table=table, on_error=on_error, progress=progress, **rest
    )


def tensors(
    inputs: Any,
    columns: str | Sequence[str] | None = None,
    backend: Backend = "auto",
    *,
    device: str = "cpu",
    on_error: Literal["raise", "skip"] = "raise",
    progress: bool = False,
    **options: Unpack[Options],
) -> Iterator[_prism.Tensor]:
    """A tensor for each structure, in the order of the inputs: ``float32``, shape ``(residues, columns)``, NaN where a feature is not
    defined.

    ``torch.from_dlpack``, ``cupy.from_dlpack`` and ``numpy.from_dlpack`` take a tensor without a copy. It may be used after the engine
    is gone, by any thread and, on a device, on any stream: the values are complete when you get it.

    Args:
        device: Where the tensors are. ``"cpu"``: in the host's memory, whichever backend computed them. ``"cuda"``: on the GPU that
            computed them, without a way through the host's memory; the backend is ``"cuda"`` then. ``"cuda:1"`` means
            ``devices=[1]``. The memory is kept until the last reader drops it. Dropping it waits for all work of that GPU, without
            the GIL; a CUDA graph that is being captured at that moment fails.
        columns: Names of features. The tensor's columns have the order of :func:`columns`; its attribute ``columns`` lists them.

    Other arguments, and errors, are those of :func:`features`.
    """
    engine, rest = split(options)
    reading: Any = rest
    check("device", device)
    place, colon, ordinal = device.partition(":")
    if colon:
        if place != "cuda" or not ordinal.isdecimal() or engine.get("devices") is not None:
            raise PrismError(f'device must be "cpu", "cuda", or "cuda:1" without devices=, not {device!r}')
        engine["devices"] = [int(ordinal)]
    if place == "cuda" and backend == "auto":
        backend = "cuda"
    where: Any = place
    return Engine(backend, **engine).tensors(
        inputs, columns, device=where, on_error=on_error, progress=progress, **reading
    )
