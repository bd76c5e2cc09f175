"""Trajectories: tables of every frame, and of all frames together."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Literal, get_args

import pyarrow as pa

from . import _prism
from ._adapters import structures
from ._arguments import check
from ._arguments import columns as check_columns
from ._arguments import texts
from ._engine import Engine
from ._errors import InputFailure, PrismError, input_error
from ._options import Backend, FrameTable, Options, OwnOptions, ReadingOptions, engine_options, split, table_options
from ._signatures import spelled_out
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
            found = pa.Table.from_batches(self._source.batches(self._engine, "features", names, self._options, 1))
            # What the name of a frame adds to that of its structure says nothing of a residue.
            found = found.set_column(0, found.schema.field(0), pa.array([self._source.name] * found.num_rows))
            self._rows = Table(found.select(names))
        return self._rows

    @spelled_out
    def stream(
        self, columns: str | Sequence[str] | None = None, *, table: FrameTable = "features", **options: Unpack[OwnOptions]
    ) -> Iterator[pa.RecordBatch]:
        """Batches of the table, in the order of frames: as :meth:`table`, in memory that does not grow with them.

        Arguments are those of :meth:`table`.
        """
        check("table", table)
        chosen = check_columns(columns)
        if table != "features" and chosen is not None:
            raise TypeError(f"columns is for the table features; {table} has columns of its own")
        if table not in get_args(FrameTable):
            *others, last = [f'"{one}"' for one in get_args(FrameTable)]
            raise PrismError(f"table must be {', '.join(others)} or {last}, which frames have, not {table!r}")
        return self._source.batches(self._engine, table, chosen, self._with(options), None)

    @spelled_out
    def table(
        self, columns: str | Sequence[str] | None = None, *, table: FrameTable = "features", **options: Unpack[OwnOptions]
    ) -> Table:
        """A row for each residue in each frame, as ``prism features --trajectory`` writes it; or for each site, edge, interface, atom, chain
        or comparison with a reference, as the command of that name writes it.

        Args:
            columns: As in :func:`prism.features`. ``frame`` and ``time_ps`` follow the structure's name.
            table: Which table.
            options: Those of the table that its function has: ``kinds`` of :func:`prism.edges`, say. What is read, and ``points`` and the like,
                are options of :func:`prism.trajectory`.

        Examples:
            >>> run = prism.trajectory("top.pdb", "run.xtc")
            >>> run.table(["chain", "resnum", "sasa"]).to_pandas().head(2)
               frame  time_ps chain  resnum       sasa
            0      0      0.0     A       1  74.802582
            1      0      0.0     A       2  11.546484
            >>> run.table(table="edges", kinds=["ca"]).to_pandas().head(2)
              structure  frame  time_ps  row_i  row_j  distance kind
            0   top.pdb      0      0.0      0      1  2.933446   ca
            1   top.pdb      0      0.0      0      2  5.284222   ca
        """
        return Table(pa.Table.from_batches(self.stream(columns, table=table, **options)))

    def reduce(self, statistics: str | Sequence[str] = ("mean", "sd"), columns: str | Sequence[str] | None = None) -> Table:
        """Statistics of features over all frames: a row for each residue, as ``prism features --trajectory --reduce`` writes it, in memory
        that does not grow with the frames.

        Args:
            statistics: ``"mean"``, ``"sd"``, ``"min"``, ``"max"``, ``"median"``, and quantiles in percent, such as ``"q05"``. There is a
                column for each of each feature (``sasa_mean``); of dihedral angles ``mean`` and ``sd`` alone, on the circle; of ``ss`` the
                share of frames in each state (``ss_H``).
            columns: Features. ``None`` takes all.

        Examples:
            >>> run = prism.trajectory("top.pdb", "run.xtc")
            >>> table = run.reduce(["mean", "q05"], ["sasa"])
            >>> table.select(["chain", "resnum", "frames", "sasa_mean", "sasa_q05"]).to_pandas().head(2)
              chain  resnum  frames  sasa_mean   sasa_q05
            0     A       1       6  75.821228  66.230240
            1     A       2       6  12.238976   5.510743
        """
        of = [statistics] if isinstance(statistics, str) else statistics
        return self._together("reduced", check_columns(columns), {"statistics": of})

    def occupancy(
        self, kinds: Sequence[str] = ("ca", "atom"), *, cutoff: float = 4.5, neighbors: int = 30, steps: int = 1
    ) -> Table:
        """Contacts over all frames: a row for each pair of residues that is in contact in any frame, with the share of frames and its mean and
        smallest distance (Å), as ``prism edges --trajectory --occupancy`` writes it.

        Args:
            kinds: As of :func:`prism.edges`.
            cutoff: As of :func:`prism.edges`.
            neighbors: As of :func:`prism.edges`.
            steps: As of :func:`prism.edges`.

        Examples:
            >>> run = prism.trajectory("top.pdb", "run.xtc")
            >>> run.occupancy(["ca"]).select(["residue_i", "residue_j", "frames", "occupancy"]).to_pandas().head(3)
              residue_i residue_j  frames  occupancy
            0       A_1       A_2       6   1.000000
            1       A_1       A_3       6   1.000000
            2       A_1       A_4       2   0.333333
        """
        own = {"kinds": kinds, "cutoff": cutoff, "neighbors": neighbors, "steps": steps}
        return self._together("occupancy", None, own)

    def pockets(
        self,
        *,
        max_sites: int = 20,
        min_probability: float = 0.1,
        all: bool = False,
        min_plddt: float | None = None,
        pocket_shape: bool = False,
    ) -> Table:
        """Pockets, which are sites of several frames with common residues: a row for each, with the share of frames that have it, and statistics
        of its score, area (Å²) and volume (Å³), as ``prism sites --trajectory --pockets`` writes it. Their numbers are those of the column
        ``pocket`` in the table of sites.

        Args:
            max_sites: As of :func:`prism.sites`.
            min_probability: As of :func:`prism.sites`.
            all: As of :func:`prism.sites`.
            min_plddt: As of :func:`prism.sites`.
            pocket_shape: As of :func:`prism.sites`.
        """
        own: dict[str, Any] = {"max_sites": max_sites, "min_probability": min_probability, "all": all, "min_plddt": min_plddt}
        found = self._together("pockets", None, {**own, "pocket_shape": pocket_shape})
        if isinstance(self._source, _Files):
            return found
        # Frames of an object are numbered in the order in which it gave them.
        arrow = found.arrow
        for name in ("first_frame", "last_frame"):
            at = arrow.column_names.index(name)
            numbers = pa.array([self._source.numbers[index] for index in arrow[name].to_pylist()], pa.int32())
            arrow = arrow.set_column(at, arrow.schema.field(at), numbers)
        return Table(arrow)

    def measure(self, pockets: Table | str | os.PathLike[str] | Mapping[int, Sequence[str]]) -> Table:
        """The volume (Å³) of known pockets in every frame, whether a site is there or not: a row for each frame and pocket, as
        ``prism sites --trajectory --measure`` writes it.

        Args:
            pockets: The table of :meth:`pockets` or its CSV file; or the residues of each pocket by its number (``{1: ["A_30", "A_31"]}``).

        Raises:
            PrismError: A pocket has no residues, or its number is there twice.
            InputError: A frame lacks a residue.

        Examples:
            >>> run = prism.trajectory("top.pdb", "run.xtc")
            >>> run.measure({1: ["A_3", "A_26", "A_33"]}).to_pandas().head(2)
              structure  frame  time_ps  pocket  volume
            0   top.pdb      0      0.0       1     0.0
            1   top.pdb      1     10.0       1     0.0
        """
        known: Any
        if isinstance(pockets, (str, os.PathLike)):
            known = os.fspath(pockets)
        elif isinstance(pockets, Mapping):
            known = tuple((number, tuple(texts("pockets", residues, '"A_30", "A_31"'))) for number, residues in pockets.items())
        elif isinstance(pockets, Table) and {"pocket", "residues"} <= set(pockets.column_names):
            known = tuple((row["pocket"], tuple(row["residues"].split())) for row in pockets.to_pylist())
        else:
            raise TypeError(f"pockets takes the table of Trajectory.pockets, its file, or residues by number, not {pockets!r}")
        options = {**self._options, "known_pockets": known}
        return Table(pa.Table.from_batches(self._source.batches(self._engine, "measured", None, options, None)))

    def _together(self, table: str, columns: list[str] | None, own: dict[str, Any]) -> Table:
        found = pa.Table.from_batches(self._source.batches(self._engine, table, columns, {**self._options, **own}, None))
        # The name of its first frame.
        return Table(found.set_column(0, found.schema.field(0), pa.array([self._source.name] * found.num_rows, pa.string())))

    def _with(self, options: Any) -> dict[str, Any]:
        for name in options:
            if name in ReadingOptions.__annotations__:
                raise TypeError(f"{name} is an option of prism.trajectory, which reads the topology, and not of a table of its frames")
        return {**self._options, **options}

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

    def __init__(self, read: Callable[..., _prism.Frames]) -> None:
        self.read = read
        self.native = read("features")
        self.name = self.native.name
        # Tables that need more of the topology.
        self.others: dict[str, _prism.Frames] = {}

    @property
    def numbers(self) -> list[int]:
        return self.native.numbers

    @property
    def times(self) -> list[float]:
        return self.native.times

    def batches(
        self, engine: Engine, table: str, columns: list[str] | None, options: dict[str, Any], most: int | None
    ) -> Iterator[pa.RecordBatch]:
        return engine._frames(self._of_table(table, options), table, columns, options, most)

    def _of_table(self, table: str, options: dict[str, Any]) -> _prism.Frames:
        if table == "dockq" and options.get("small_molecules"):
            # Says that they are not compared.
            return self.read(table, small_molecules=True)
        if table not in ("atoms", "dockq"):
            return self.native
        if table not in self.others:
            self.others[table] = self.read(table)
        return self.others[table]


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
        self, engine: Engine, table: str, columns: list[str] | None, options: dict[str, Any], most: int | None
    ) -> Iterator[pa.RecordBatch]:
        if table != "features":
            return self._relation(engine, table, columns, options)
        return self._features(engine, columns, options, most)

    def _frames(self, chosen: Sequence[int]) -> Iterator[Structure]:
        return (self.first.at(self._positions(number), f"{self.name}#{number}") for number in chosen)

    def _relation(
        self, engine: Engine, table: str, columns: list[str] | None, options: dict[str, Any]
    ) -> Iterator[pa.RecordBatch]:
        frame_of = {f"{self.name}#{number}": (number, time) for number, time in zip(self.numbers, self.times, strict=True)}
        native = "sites of frames" if table == "sites" else table
        for batch in engine._stream(native, self._frames(self.numbers), columns, options):
            yield self._framed(batch, frame_of) if table in (*get_args(FrameTable), "measured") else batch

    def _framed(self, batch: pa.RecordBatch, frame_of: dict[str, tuple[int, float]]) -> pa.RecordBatch:
        """A batch with the columns of frames after the structure's name, which says the frame."""
        at = batch.schema.names.index("structure")
        frames = [frame_of[name] for name in batch.column(at).to_pylist()]
        fields, arrays = list(batch.schema), list(batch.columns)
        arrays[at : at + 1] = [
            pa.array([self.name] * len(frames), pa.string()),
            pa.array([number for number, _ in frames], pa.int32()),
            pa.array([time for _, time in frames], pa.float32(), from_pandas=True),
        ]
        metadata = [{"unit": unit, "definition": definition} for _, unit, definition in _prism.frame_columns()]
        fields[at : at + 1] = [
            fields[at],
            pa.field("frame", pa.int32(), nullable=False, metadata=metadata[0]),
            pa.field("time_ps", pa.float32(), metadata=metadata[1]),
        ]
        return pa.RecordBatch.from_arrays(arrays, schema=pa.schema(fields, batch.schema.metadata))

    def _features(
        self, engine: Engine, columns: list[str] | None, options: dict[str, Any], most: int | None
    ) -> Iterator[pa.RecordBatch]:
        chosen = list(zip(self.numbers, self.times, strict=True))[:most]
        frame_of = {f"{self.name}#{number}": (number, time) for number, time in chosen}
        asked = None if columns is None else [name for name in columns if name.strip() not in _FRAME]
        # A name tells the frame: without it, the columns of frames could not be made.
        identity = {"structure", "row", "chain", "resnum", "icode", "resname", "parent"}
        has_name = asked is None or not identity & {name.strip() for name in asked} or "structure" in asked
        read = asked if has_name or asked is None else ["structure", *asked]
        for batch in engine.stream(self._frames([number for number, _ in chosen]), read, **options):
            framed = self._framed(batch, frame_of)
            yield framed if has_name else framed.drop_columns(["structure"])


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
        PrismError: A file cannot be read, or an argument has a wrong value. If a file is missing, it is an :class:`InputError` and a
            :class:`FileNotFoundError`.

    Examples:
        >>> run = prism.trajectory("top.pdb", "run.xtc", frames=slice(0, None, 2))
        >>> run
        <prism.Trajectory 'top.pdb': 3 frames>
        >>> areas = run.array("sasa")
        >>> areas.shape  # (frames, residues)
        (3, 46)
        >>> run.times
        array([ 0., 20., 40.])
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
    top, files = os.fspath(topology), [os.fspath(path) for path in paths]

    def read(table: str, **own: Any) -> _prism.Frames:
        try:
            return _prism.Frames(top, files, _range(frames), every, pbc, table, {**reading, **own})
        except (OverflowError, RuntimeError, ValueError) as error:
            for path in (top, *files):
                if not os.path.exists(path):
                    raise input_error(InputFailure(path, "there is no such file", missing=True)) from None
            raise PrismError(str(error)) from None

    return Trajectory(_Files(read), made, dict(rest))


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
