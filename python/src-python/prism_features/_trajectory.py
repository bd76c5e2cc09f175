"""Trajectories: features of every frame."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any, Literal

import pyarrow as pa

from . import _prism
from ._adapters import structures
from ._arguments import check
from ._arguments import columns as check_columns
from ._engine import Engine
from ._errors import PrismError
from ._options import Backend, Options, engine_options, split, table_options
from ._table import Table

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt
    from typing_extensions import Unpack

    from ._structure import Structure

#: The columns of a frame.
_FRAME = ("frame", "time_ps")


class Trajectory:
    """The frames of a trajectory: see :func:`prism.trajectory`. Features are computed when they are asked for, frame by frame, and every
    frame has the same rows."""

    def __init__(self, source: _Files | _Object, engine: Engine, options: dict[str, Any]) -> None:
        self._source = source
        self._engine = engine
        self._options = options
        self._rows: Table | None = None

    def __len__(self) -> int:
        return len(self.frames)

    def __repr__(self) -> str:
        return f"<prism.Trajectory {self._source.name!r}: {len(self)} frames>"

    @property
    def frames(self) -> npt.NDArray[np.int64]:
        """The number of each frame, from 0 through all files."""
        import numpy as np

        return np.asarray(self._source.numbers, dtype=np.int64)

    @property
    def times(self) -> npt.NDArray[np.float64]:
        """The time of each frame in ps, NaN where it is unknown."""
        import numpy as np

        return np.asarray(self._source.times, dtype=np.float64)

    @property
    def rows(self) -> Table:
        """The residues: the columns that identify a row of a frame."""
        if self._rows is None:
            names = ["structure", "row", "chain", "resnum", "icode", "resname", "parent"]
            found = pa.Table.from_batches(self._source.batches(self._engine, names, self._options, 1))
            # What the name of a frame adds to that of its structure says nothing of a residue.
            found = found.set_column(0, found.schema.field(0), pa.array([self._source.name] * found.num_rows))
            self._rows = Table(found.select(names))
        return self._rows

    def stream(self, columns: Sequence[str] | None = None) -> Iterator[pa.RecordBatch]:
        """Batches of the table, in the order of frames: as :meth:`table`, in memory that does not grow with them.

        Args:
            columns: As in :func:`prism.features`. ``frame`` and ``time_ps`` follow the structure's name.
        """
        return self._source.batches(self._engine, check_columns(columns), self._options, None)

    def table(self, columns: Sequence[str] | None = None) -> Table:
        """A row for each residue in each frame, as ``prism features --trajectory`` writes it.

        Args:
            columns: As in :meth:`stream`.
        """
        return Table(pa.Table.from_batches(self.stream(columns)))

    def array(self, column: str) -> npt.NDArray[Any]:
        """A column as an array of shape ``(frames, residues)``: ``float32``, NaN where it is not defined; texts for states (``ss``).

        Args:
            column: The name of a feature; :func:`prism.columns` lists them.
        """
        import numpy as np

        check("column", column)
        residues = self.rows.num_rows
        parts = [batch.column(batch.schema.names.index(column.strip())) for batch in self.stream(["row", column])]
        values = np.concatenate([_numbers(part) for part in parts])
        if len(values) != len(self) * residues:
            raise PrismError(f"{self._source.name}: {len(values)} values of {len(self)} frames with {residues} residues each")
        return values.reshape(len(self), residues)


def _numbers(values: pa.Array) -> Any:
    import numpy as np

    if pa.types.is_floating(values.type):
        return values.to_numpy(zero_copy_only=False)
    if pa.types.is_integer(values.type):
        return values.cast(pa.float32()).to_numpy(zero_copy_only=False)
    return np.asarray(values.to_pylist())


class _Files:
    """A trajectory in files, which threads of Rust read."""

    def __init__(self, native: _prism.Frames) -> None:
        self.name = native.name
        self.native = native

    @property
    def numbers(self) -> list[int]:
        return self.native.numbers

    @property
    def times(self) -> list[float]:
        return self.native.times

    def batches(
        self, engine: Engine, columns: list[str] | None, options: dict[str, Any], most: int | None
    ) -> Iterator[pa.RecordBatch]:
        return engine._frames(self.native, columns, options, most)


class _Object:
    """A trajectory of another package, which reads its frames."""

    def __init__(self, value: Any, chosen: Sequence[int], times: list[float]) -> None:
        self.value = value
        self.numbers = list(chosen)
        self.times = times
        self.first: Structure = next(iter(structures(value)))
        self.name = self.first.name

    def _positions(self, frame: int) -> Any:
        if hasattr(self.value, "xyz"):
            # mdtraj has nm.
            return self.value.xyz[frame].astype("float64") * 10.0
        atoms = self.value.atoms
        atoms.universe.trajectory[frame]
        return atoms.positions

    def batches(
        self, engine: Engine, columns: list[str] | None, options: dict[str, Any], most: int | None
    ) -> Iterator[pa.RecordBatch]:
        chosen = list(zip(self.numbers, self.times, strict=True))[:most]
        place = {f"{self.name}#{number}": (number, time) for number, time in chosen}
        asked = None if columns is None else [name for name in columns if name.strip() not in _FRAME]
        # A name tells the frame: without it, the columns of frames could not be made.
        identity = {"structure", "row", "chain", "resnum", "icode", "resname", "parent"}
        has_name = asked is None or not identity & {name.strip() for name in asked} or "structure" in asked
        read = asked if has_name or asked is None else ["structure", *asked]
        frames = (self.first.at(self._positions(number), f"{self.name}#{number}") for number, _ in chosen)
        for batch in engine.stream(frames, read, **options):
            names = batch.column(batch.schema.names.index("structure")).to_pylist()
            numbers = pa.array([place[name][0] for name in names], pa.int32())
            times = pa.array([place[name][1] for name in names], pa.float32())
            table = pa.Table.from_batches([batch])
            at = batch.schema.names.index("structure")
            table = table.set_column(at, batch.schema.field(at), pa.array([self.name] * len(names)))
            table = table.add_column(at + 1, "frame", numbers).add_column(at + 2, "time_ps", times)
            if not has_name:
                table = table.drop_columns(["structure"])
            yield from table.to_batches()


def _range(frames: int | slice | str | None) -> str | None:
    """Frames as the command takes them."""
    if frames is None or isinstance(frames, str):
        return frames
    if isinstance(frames, slice):
        parts = ["" if part is None else str(int(part)) for part in (frames.start, frames.stop, frames.step)]
        return ":".join(parts)
    return str(int(frames))


def _chosen(count: int, frames: int | slice | str | None) -> list[int]:
    """The frames of so many, with Python's rules."""
    text = _range(frames)
    if text is None:
        return list(range(count))
    try:
        parts = [int(part) if part.strip() else None for part in text.split(":")]
    except ValueError:
        raise PrismError(f"frames: {text!r} is no start:stop:step") from None
    found = list(range(count)[parts[0] : (parts[0] or 0) + 1 or None] if len(parts) == 1 else range(count)[slice(*parts)])
    if not found:
        raise PrismError(f"frames chooses none of the {count} frames")
    return found


def trajectory(
    topology: Any,
    trajectory: str | os.PathLike[str] | Sequence[str | os.PathLike[str]] | None = None,
    backend: Backend = "auto",
    *,
    frames: int | slice | str | None = None,
    every: float | None = None,
    pbc: Literal["whole", "none"] = "whole",
    **options: Unpack[Options],
) -> Trajectory:
    """Features of every frame of a trajectory, as ``prism features --trajectory`` computes them: the same rows, order and bits.

    Args:
        topology: A path of PDB, mmCIF, GRO, PSF or PRMTOP; or an MDAnalysis universe or group of atoms, or an mdtraj trajectory, which has
            its frames.
        trajectory: The path of XTC, TRR, DCD, AMBER NetCDF or GRO, or several, one after the other. Opening a file finds its frames, and
            decodes none.
        backend: See :class:`Engine`.
        frames: Frames to take: a slice, a text ``"start:stop:step"``, or one number. ``None`` takes all.
        every: Take frames at least so many ps apart. Files alone.
        pbc: ``"whole"`` puts together what a periodic boundary divides, ``"none"`` takes positions as they are. Objects are taken as they
            are.
        options: What is read, and how features are computed: see :class:`Options`.

    Raises:
        PrismError: A file cannot be read, or an argument has a wrong value.

    >>> run = prism.trajectory("top.pdb", "run.xtc", frames=slice(0, None, 10))
    >>> areas = run.array("sasa")  # shape (frames, residues)
    """
    check("backend", backend)
    engine, rest = split(options)
    engine_options(engine)
    reading = table_options(rest)
    made = Engine(backend, **engine)
    if trajectory is None:
        if isinstance(topology, (str, os.PathLike)):
            raise PrismError("trajectory is missing: the file of the frames, beside the topology")
        return Trajectory(_object(topology, frames, every), made, dict(rest))
    paths = [trajectory] if isinstance(trajectory, (str, os.PathLike)) else list(trajectory)
    top = os.fspath(topology)
    try:
        native = _prism.Frames(top, [os.fspath(path) for path in paths], _range(frames), every, pbc, reading)
    except (OverflowError, RuntimeError, ValueError) as error:
        raise PrismError(str(error)) from None
    return Trajectory(_Files(native), made, dict(rest))


def _object(value: Any, frames: int | slice | str | None, every: float | None) -> _Object:
    if every is not None:
        raise PrismError("every is for files; choose frames of an object by frames")
    if hasattr(value, "xyz") and hasattr(value, "n_frames"):
        chosen = _chosen(value.n_frames, frames)
        return _Object(value, chosen, [float(value.time[frame]) for frame in chosen])
    if hasattr(value, "atoms") and hasattr(value, "universe"):
        steps = value.atoms.universe.trajectory
        chosen = _chosen(len(steps), frames)
        return _Object(value, chosen, [float(steps[frame].time) for frame in chosen])
    raise TypeError(f"{type(value).__name__} is no trajectory; give paths, an MDAnalysis universe, or an mdtraj trajectory")
