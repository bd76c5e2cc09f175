"""Predicted complexes: scores of their chains, and matrices of predicted aligned errors."""

from __future__ import annotations

import logging
import os
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Union

import pyarrow as pa

from . import _prism
from ._arguments import check
from ._arguments import on_error as check_on_error
from ._errors import InputFailure, PrismError, input_error, reference_error, warn
from ._options import OnError, table_options
from ._table import Table, with_metadata

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

#: A path.
Path = Union[str, "os.PathLike[str]"]
#: A path, or several.
Paths = Union[Path, Sequence[Path]]

_log = logging.getLogger("prism_features")


class Prediction:
    """A predicted model with its matrix of predicted aligned errors.

    Attributes:
        name: The path of its model below the given folder, as in the column ``structure``.
        chains: The ids of its chains, in the order of the model.
        tokens: Chain id, residue number and residue name of each row of the matrix.
        iptm, ptm, ranking: What the predictor wrote, or None.
    """

    def __init__(self, native: _prism.Prediction) -> None:
        self._native = native
        self.name = native.name
        self.chains = native.chains
        self.tokens = native.tokens
        self.iptm, self.ptm, self.ranking = native.own

    @property
    def pae(self) -> npt.NDArray[np.float32]:
        """The predicted aligned errors in Å, ``float32``, a row for each token that is aligned. It is read-only and no copy."""
        import numpy

        return numpy.asarray(self._native.errors)

    def scores(
        self,
        *,
        by_residue: bool = False,
        by_structure: bool = False,
        pae_cutoff: float = 10.0,
        distance_cutoff: float = 10.0,
    ) -> Table:
        """Its part of the table of :func:`confidence`."""
        batch = self._native.table(_which(by_residue, by_structure), *_cutoffs(pae_cutoff, distance_cutoff))
        return Table(with_metadata(pa.table(batch)))

    def __repr__(self) -> str:
        return f"<prism.Prediction {self.name}: chains {','.join(self.chains)}, {len(self.tokens)} tokens>"


def _which(by_residue: bool, by_structure: bool) -> str:
    check("by_residue", by_residue)
    check("by_structure", by_structure)
    if by_residue and by_structure:
        raise PrismError("by_residue and by_structure are two tables; ask for one at a time")
    return "residue" if by_residue else "structure" if by_structure else "pair"


def _cutoffs(pae: float, distance: float) -> tuple[float, float]:
    for name, value in (("pae_cutoff", pae), ("distance_cutoff", distance)):
        check(name, value)
        if not 0 < value < float("inf"):
            raise PrismError(f"{name}: {value!r} is no distance in Å above 0")
    return float(pae), float(distance)


def _paths(inputs: Paths) -> list[str]:
    several = [inputs] if isinstance(inputs, (str, os.PathLike)) else list(inputs)
    return [os.fspath(path) for path in several]


def _report(failures: list[InputFailure], on_error: OnError) -> None:
    if failures and on_error == "raise":
        raise input_error(failures[0])
    if on_error == "skip":
        for failure in failures:
            warn(f"{failure.name}: {failure.reason}")


def confidence(
    inputs: Paths,
    *,
    by_residue: bool = False,
    by_structure: bool = False,
    pae_cutoff: float = 10.0,
    distance_cutoff: float = 10.0,
    best: int | None = None,
    reference: Path | None = None,
    mapping: Sequence[str] | None = None,
    allowed_mismatches: int = 0,
    by_number: bool = False,
    peptide: bool = False,
    small_molecules: bool = False,
    on_error: OnError = "raise",
) -> Table:
    """Scores of the chains of predicted complexes: rows for each pair of chains, as ``prism confidence`` writes them.

    Args:
        inputs: Folders, tars and zip archives of predictions, or a model and the files about it.
        by_residue: A row for each residue and each other chain instead (``--by-residue``).
        by_structure: A row for each structure instead, with its ranks (``--by-structure``).
        pae_cutoff: ipSAE and contacts take predicted aligned errors below this, in Å.
        distance_cutoff: Contacts are pairs of residues closer than this, in Å.
        reference: A file with the true structure, with which the models are compared (``--reference``): DockQ and its parts, in
            the tables of pairs and of structures.
        best: So many designs alone, the best first, of each the model with the highest ipSAE (``--best``); with ``by_structure``.
        mapping: Chains that correspond, as of :func:`dockq`.
        allowed_mismatches: As of :func:`dockq`.
        by_number: As of :func:`dockq`.
        peptide: As of :func:`dockq`.
        small_molecules: As of :func:`dockq`.
        on_error: ``"raise"``, ``"skip"`` (a warning) or ``"report"``; the table's attribute ``failures`` lists them.

    Raises:
        InputError: A prediction cannot be read, and ``on_error`` is ``"raise"``; or the reference cannot be.
        PrismError: An argument has a wrong value.

    Examples:
        >>> table = prism.confidence("predictions/boltz", by_structure=True)
        >>> table.select(["structure", "chains", "tokens", "iptm", "ptm"]).to_pandas()
                  structure  chains  tokens  iptm  ptm
        0  made_model_0.cif       3      61  0.76  0.8
    """
    which, cutoffs = _which(by_residue, by_structure), _cutoffs(pae_cutoff, distance_cutoff)
    check_on_error(on_error, ("raise", "skip", "report"))
    if reference is not None:
        check("reference", reference)
    check("best", best)
    if best is not None and not by_structure:
        raise PrismError("best chooses among structures; add by_structure=True")
    compared = {"mapping": mapping, "allowed_mismatches": allowed_mismatches, "by_number": by_number, "peptide": peptide}
    compared["small_molecules"] = small_molecules
    given = [name for name, value in compared.items() if value not in (None, 0, False)]
    if reference is None and given:
        raise PrismError(f"{given[0]} has no effect without a reference to compare the models with")
    options = table_options(compared, "dockq")  # type: ignore[arg-type]
    files, failed, notes = _prism.find_predictions(_paths(inputs))
    try:
        batch = _prism.score_predictions(files, which, *cutoffs, None if reference is None else os.fspath(reference), best, options)
    except ValueError as error:
        raise PrismError(str(error)) from None
    except RuntimeError as error:
        raise (PrismError(str(error)) if reference is None else reference_error(reference, str(error))) from None
    for note in notes:
        _log.info(note)
    for name, note in batch.notes:
        _log.info("%s: %s", name, note)
    for name, text in batch.warnings:
        warn(f"{name}: {text}")
    failures = [InputFailure(*failure) for failure in [*failed, *batch.failures]]
    _report(failures, on_error)
    own = {"prism.pae_cutoff": f"{cutoffs[0]:g}", "prism.distance_cutoff": f"{cutoffs[1]:g}"}
    if reference is not None:
        own["prism.reference"] = os.path.basename(os.fspath(reference))
    return Table(with_metadata(pa.table(batch), own), failures)


def predictions(inputs: Paths) -> Iterator[Prediction]:
    """Reads predictions one after the other, each with its matrix.

    Raises:
        InputError: A prediction cannot be read. The next one can still be asked for.

    Examples:
        >>> for prediction in prism.predictions("predictions/boltz"):
        ...     print(prediction.name, prediction.pae.shape)
        made_model_0.cif (61, 61)
    """
    files, failed, _ = _prism.find_predictions(_paths(inputs))
    return _Predictions(files, failed)


class _Predictions(Iterator[Prediction]):
    def __init__(self, files: list[_prism.PredictedFiles], failed: list[tuple[str, str, bool]]) -> None:
        self._files, self._failed = iter(files), iter(failed)

    def __next__(self) -> Prediction:
        for failure in self._failed:
            raise input_error(InputFailure(*failure))
        files = next(self._files)
        try:
            return Prediction(files.read())
        except RuntimeError as error:
            raise input_error(InputFailure(files.name, str(error))) from None
