"""Structures as tensors, for PyTorch's data loaders. This module imports PyTorch."""

from __future__ import annotations

import hashlib
import json
import os
import warnings
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from difflib import get_close_matches
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

import numpy as np
import pyarrow as pa
import torch
from torch.utils.data import Dataset, IterableDataset, get_worker_info
from torch.utils.dlpack import from_dlpack

from . import _prism
from ._api import columns as all_columns
from ._arguments import columns as check_columns
from ._arguments import on_error as check_on_error
from ._engine import Engine
from ._errors import PrismError
from ._inputs import check_several, is_one
from ._options import Backend, Options, engine_options, split, table_options
from ._signatures import spelled_out
from ._table import STATES

if TYPE_CHECKING:
    from typing_extensions import Unpack

#: Kinds of edges of residues with rows.
Kind = Literal["ca", "atom", "knn", "sequence", "hbond_backbone", "bridge"]


class Sample(NamedTuple):
    """The features of one structure.

    Attributes:
        name: The structure's name, as in the column ``structure``.
        features: ``float32``, shape ``(residues, columns)``; NaN where a feature is not defined.
        residue_types: ``int64``, shape ``(residues,)``: indices in :data:`prism.RESIDUES`, for an embedding or :func:`one_hot`.
        rows: The residues of the rows: the columns that identify them, as a :class:`pyarrow.RecordBatch`.
        columns: The names of the features.
    """

    name: str
    features: torch.Tensor
    residue_types: torch.Tensor
    rows: pa.RecordBatch
    columns: tuple[str, ...]


class Batch(NamedTuple):
    """Samples of the same columns, padded to the longest.

    Attributes:
        names: The structures' names.
        features: ``float32``, shape ``(structures, residues, columns)``; 0 where a feature is not defined, and beyond a structure's end.
        defined: ``bool``, of the same shape: where a feature is defined.
        residue_types: ``int64``, shape ``(structures, residues)``; -1 beyond a structure's end.
        mask: ``bool``, shape ``(structures, residues)``: where there is a residue.
        rows: The residues of each structure.
        columns: The names of the features.
    """

    names: list[str]
    features: torch.Tensor
    defined: torch.Tensor
    residue_types: torch.Tensor
    mask: torch.Tensor
    rows: list[pa.RecordBatch]
    columns: tuple[str, ...]


def collate(samples: Sequence[Sample]) -> Batch:
    """The ``collate_fn`` of a ``DataLoader``: samples as a :class:`Batch`."""
    pad = torch.nn.utils.rnn.pad_sequence
    features = pad([sample.features for sample in samples], batch_first=True, padding_value=float("nan"))
    types = pad([sample.residue_types for sample in samples], batch_first=True, padding_value=-1)
    defined = ~features.isnan()
    names, rows = [sample.name for sample in samples], [sample.rows for sample in samples]
    return Batch(names, features.nan_to_num(0.0), defined, types, types >= 0, rows, samples[0].columns)


def one_hot(values: torch.Tensor, categories: Sequence[str] = STATES) -> torch.Tensor:
    """Categories as vectors: ``float32``, with another axis at the end, all 0 where a value is NaN or negative.

    Args:
        values: Numbers of categories, such as the feature ``ss`` or ``residue_types``.
        categories: :data:`prism.STATES` or :data:`prism.RESIDUES`.
    """
    numbers = torch.arange(len(categories), device=values.device, dtype=values.dtype)
    return (values.unsqueeze(-1) == numbers).to(torch.float32)


def _features(columns: Sequence[str] | None) -> list[str] | None:
    """Checked names of features, in the caller's order."""
    chosen = check_columns(columns)
    if chosen is None:
        return None
    if isinstance(columns, str):
        raise TypeError(f'columns takes a list of texts, such as ["sasa"], not {columns!r}')
    known = [row["name"] for row in all_columns().to_pylist() if row["role"] in ("feature", "state")]
    # Of nucleotides, and of annotations: they are on request.
    known += [name for name in _on_request() if name not in known]
    for name in chosen:
        if name not in known:
            near = get_close_matches(name.lower(), known, 1)
            meant = f" (did you mean `{near[0]}`?)" if near else ""
            raise PrismError(f"{name!r} is no feature{meant}: see prism.columns()")
    return chosen


def _on_request() -> list[str]:
    rows = all_columns().to_pylist()
    return [row["name"] for row in rows if row["role"] == "on request" and row["unit"] + row["source"] != ""]


def _sample(tensor: _prism.Tensor, columns: list[str] | None) -> Sample:
    values: torch.Tensor = from_dlpack(tensor)  # type: ignore[no-untyped-call,unused-ignore]
    found = tensor.columns
    if columns is not None and found != columns:
        values = values[:, [found.index(name) for name in columns]]
    types = torch.from_numpy(tensor.residue_types.astype(np.int64))
    return Sample(tensor.name, values, types, tensor.rows, tuple(columns or found))


class _Request:
    """What both kinds of data sets ask for. Wrong arguments raise here, and not in a worker, which makes its engine."""

    def __init__(
        self, of: str, inputs: Any, columns: Sequence[str] | None, backend: Backend, on_error: Literal["raise", "skip"], options: Any
    ) -> None:
        if backend not in ("auto", "cuda", "cpu"):
            raise PrismError(f'backend must be "auto", "cuda" or "cpu", not {backend!r}')
        check_on_error(on_error, of=f" of {of}")
        self.engine, self.reading = split(options)
        engine_options(self.engine)
        try:
            _prism.check_options(table_options(self.reading, "tensors"))
        except ValueError as error:
            raise PrismError(str(error)) from None
        self.columns = _features(columns)
        if is_one(inputs):
            self.inputs = [inputs]
        else:
            check_several(inputs)
            self.inputs = list(inputs)
        self.backend: Backend = backend
        self.on_error: Literal["raise", "skip"] = on_error

    def samples(self, share: tuple[int, int] | None = None) -> Iterator[Sample]:
        engine = Engine(self.backend, **self.engine)
        for tensor in engine._tensors("tensors", self.inputs, self.columns, self.on_error, False, self.reading, share):
            yield _sample(tensor, self.columns)


class StructureDataset(IterableDataset[Sample]):
    """Gives a sample for each structure, in the order of the inputs. The next ones are computed meanwhile.

    Workers of a data loader share the inputs: each takes every n-th file, those in folders too, or structure in memory, and has its own
    engine, whether it was forked or not. Names do not depend on the number of workers.

    Samples are in the host's memory. Where ``columns`` have the order of :func:`prism.columns`, the features are the memory that they were
    computed into; else they are a copy in the order that you ask for.

    Args:
        inputs: An input of :func:`prism.features`, or a list of them.
        columns: Features, by name. ``None`` takes those that every protein has values of.
        backend: As of :class:`prism.Engine`.
        on_error: ``"raise"`` or ``"skip"``.
        options: As of :func:`prism.features`.
    """

    @spelled_out
    def __init__(
        self,
        inputs: Any,
        columns: Sequence[str] | None = None,
        backend: Backend = "auto",
        on_error: Literal["raise", "skip"] = "raise",
        **options: Unpack[Options],
    ) -> None:
        self._request = _Request("StructureDataset", inputs, columns, backend, on_error, options)

    def __iter__(self) -> Iterator[Sample]:
        worker = get_worker_info()
        return self._request.samples(None if worker is None else (worker.id, worker.num_workers))


class StructureList(Dataset[Sample]):
    """All structures, computed once: a data set with a length, which a ``DataLoader`` may shuffle.

    The first use computes everything, with all cores or the GPU, and keeps it in memory or in a folder. From a folder it is mapped, so that
    workers share it, and a later program finds it there if neither the files nor what is asked of them has changed.

    Args:
        inputs: An input of :func:`prism.features`, or a list of them; paths, if there is a cache.
        columns: Features, by name. ``None`` takes those that every protein has values of.
        backend: As of :class:`prism.Engine`.
        cache: A folder for the values, which is made if there is none.
        on_error: ``"raise"`` or ``"skip"``.
        options: As of :func:`prism.features`.
    """

    @spelled_out
    def __init__(
        self,
        inputs: Any,
        columns: Sequence[str] | None = None,
        backend: Backend = "auto",
        *,
        cache: str | os.PathLike[str] | None = None,
        on_error: Literal["raise", "skip"] = "raise",
        **options: Unpack[Options],
    ) -> None:
        request = _Request("StructureList", inputs, columns, backend, on_error, options)
        if cache is None:
            self._samples: list[Sample] | _Cache = [_copied(sample) for sample in request.samples()]
        else:
            self._samples = _Cache.of(Path(cache), request)

    def __len__(self) -> int:
        return len(self._samples)

    def __getitem__(self, index: int) -> Sample:
        return self._samples[index]


def _copied(sample: Sample) -> Sample:
    # A tensor keeps its whole batch, atoms included.
    return sample._replace(features=sample.features.clone())


class _Cache:
    """Samples in a folder: values one structure after another, which are mapped, and a table of residues."""

    def __init__(self, folder: Path, index: dict[str, Any]) -> None:
        self._names: list[str] = index["names"]
        self._columns = tuple(index["columns"])
        self._ends: list[int] = index["ends"]
        shape = (self._ends[-1] if self._ends else 0, len(self._columns))
        self._values = np.memmap(folder / "features.f32", np.float32, "r", shape=shape) if shape[0] * shape[1] else np.zeros(shape, np.float32)
        self._types = np.fromfile(folder / "types.u8", np.uint8)
        with pa.memory_map(str(folder / "rows.arrow")) as file:
            self._rows = pa.ipc.open_file(file).read_all()

    @classmethod
    def of(cls, folder: Path, request: _Request) -> _Cache:
        key = _key(request)
        index = folder / "index.json"
        if index.is_file():
            known = json.loads(index.read_text(encoding="utf-8"))
            if known.get("key") == key:
                return cls(folder, known)
        folder.mkdir(parents=True, exist_ok=True)
        # A program that ends meanwhile leaves no index, and the next one computes again.
        index.unlink(missing_ok=True)
        names: list[str] = []
        ends: list[int] = []
        columns: tuple[str, ...] = tuple(request.columns or ())
        writer: Any = None
        with open(folder / "features.f32", "wb") as values, open(folder / "types.u8", "wb") as types:
            for sample in request.samples():
                names.append(sample.name)
                ends.append((ends[-1] if ends else 0) + len(sample.residue_types))
                columns = sample.columns
                sample.features.contiguous().numpy().tofile(values)
                sample.residue_types.numpy().astype(np.uint8).tofile(types)
                writer = writer or pa.ipc.new_file(str(folder / "rows.arrow"), sample.rows.schema)
                writer.write_batch(sample.rows)
        if writer is None:
            raise PrismError("no structure could be computed, so there is nothing to keep")
        writer.close()
        known = {"key": key, "names": names, "columns": columns, "ends": ends}
        written = folder / f"index.json.{os.getpid()}"
        written.write_text(json.dumps(known), encoding="utf-8")
        os.replace(written, index)
        return cls(folder, known)

    def __len__(self) -> int:
        return len(self._names)

    def __getitem__(self, index: int) -> Sample:
        if not -len(self) <= index < len(self):
            raise IndexError(f"there are {len(self)} structures, and no {index}")
        index %= len(self)
        begin, end = self._ends[index - 1] if index else 0, self._ends[index]
        with warnings.catch_warnings():
            # The mapped values are not written: a sample is given as it is.
            warnings.filterwarnings("ignore", message="The given NumPy array is not writ")
            values = torch.from_numpy(self._values[begin:end])
        types = torch.from_numpy(self._types[begin:end].astype(np.int64))
        (rows,) = self._rows.slice(begin, end - begin).combine_chunks().to_batches() or [None]
        return Sample(self._names[index], values, types, rows, self._columns)


def _key(request: _Request) -> str:
    """What the values depend on."""
    files = []
    for value in request.inputs:
        if not isinstance(value, (str, os.PathLike)):
            raise PrismError(f"cache takes paths as inputs, which it can look at again, and no {type(value).__name__}")
        path = Path(os.fsdecode(value))
        found = sorted(one for one in path.rglob("*") if one.is_file()) if path.is_dir() else [path]
        files += [(str(one), one.stat().st_size, one.stat().st_mtime_ns) for one in found if one.exists()]
    engine = {name: value for name, value in request.engine.items() if name not in ("devices", "threads")}
    asked = [_prism.__version__, request.columns, request.on_error, sorted(engine.items()), sorted(request.reading.items()), files]
    return hashlib.sha256(json.dumps(asked, default=str).encode()).hexdigest()


def graphs(
    inputs: Any,
    columns: Sequence[str] | None = None,
    backend: Backend = "auto",
    *,
    kinds: Sequence[Kind] = ("ca", "atom"),
    attributes: Sequence[Literal["rbf", "frame"]] = (),
    cutoff: float = 4.5,
    neighbors: int = 30,
    steps: int = 1,
    **options: Unpack[Options],
) -> Iterator[Any]:
    """Structures as graphs: a :class:`torch_geometric.data.Data` for each, with

    - ``x``: the features of its residues, ``float32``, 0 where one is not defined;
    - ``residue_types``: ``int64``, indices in :data:`prism.RESIDUES`;
    - ``edge_index``: pairs of residues, ``int64``, shape ``(2, edges)``: those of ``"knn"`` and ``"hbond_backbone"`` as they are, from the
      residue to its neighbour and from N-H to O, all others in both directions;
    - ``edge_type``: the index of the edge's kind in ``kinds``, ``int64``;
    - ``edge_attr``: distances (Å), then the attributes, ``float32``, shape ``(edges, 1 + attributes)``, 0 where one is not defined;
    - ``name``, ``columns``, ``kinds`` and ``edge_columns``.

    Args:
        inputs: An input of :func:`prism.features`, or a list of them, no iterator: they are read for features and for contacts.
        columns: Features, by name. ``None`` takes those that every protein has values of.
        backend: As of :class:`prism.Engine`.
        kinds: Kinds of contacts, as of :func:`prism.edges`.
        attributes: As of :func:`prism.edges`.
        cutoff: As of :func:`prism.edges`.
        neighbors: As of :func:`prism.edges`.
        steps: As of :func:`prism.edges`.
        options: As of :func:`prism.features`.

    Raises:
        ImportError: PyTorch Geometric is not installed.
    """
    from torch_geometric.data import Data

    edges: dict[str, Any] = {"kinds": kinds, "attributes": attributes, "cutoff": cutoff, "neighbors": neighbors, "steps": steps}
    for graph in _graphs("graphs", inputs, columns, backend, edges, options):
        yield Data(
            x=graph.features,
            residue_types=graph.residue_types,
            edge_index=torch.stack([graph.begins, graph.ends]),
            edge_type=graph.kinds,
            edge_attr=graph.attributes,
            num_nodes=len(graph.residue_types),
            name=graph.name,
            columns=graph.columns,
            kinds=tuple(kinds),
            edge_columns=graph.edge_columns,
        )


def dgl_graphs(
    inputs: Any,
    columns: Sequence[str] | None = None,
    backend: Backend = "auto",
    *,
    kinds: Sequence[Kind] = ("ca", "atom"),
    attributes: Sequence[Literal["rbf", "frame"]] = (),
    cutoff: float = 4.5,
    neighbors: int = 30,
    steps: int = 1,
    **options: Unpack[Options],
) -> Iterator[tuple[str, Any]]:
    """The same for the Deep Graph Library: each structure's name, and a :class:`dgl.DGLGraph` whose nodes have ``x`` and
    ``residue_types``, and whose edges have ``edge_type`` and ``edge_attr``, as :func:`graphs` has them.

    Args:
        inputs: As of :func:`graphs`.
        columns: As of :func:`graphs`.
        backend: As of :class:`prism.Engine`.
        kinds: As of :func:`graphs`.
        attributes: As of :func:`prism.edges`.
        cutoff: As of :func:`prism.edges`.
        neighbors: As of :func:`prism.edges`.
        steps: As of :func:`prism.edges`.
        options: As of :func:`prism.features`.

    Raises:
        ImportError: The Deep Graph Library is not installed.
    """
    import dgl

    edges: dict[str, Any] = {"kinds": kinds, "attributes": attributes, "cutoff": cutoff, "neighbors": neighbors, "steps": steps}
    for graph in _graphs("dgl_graphs", inputs, columns, backend, edges, options):
        made = dgl.graph((graph.begins, graph.ends), num_nodes=len(graph.residue_types))
        made.ndata["x"], made.ndata["residue_types"] = graph.features, graph.residue_types
        made.edata["edge_type"], made.edata["edge_attr"] = graph.kinds, graph.attributes
        yield graph.name, made


@dataclass(frozen=True)
class _Graph:
    """What graphs of every library have."""

    name: str
    columns: tuple[str, ...]
    features: torch.Tensor
    residue_types: torch.Tensor
    begins: torch.Tensor
    ends: torch.Tensor
    kinds: torch.Tensor
    edge_columns: tuple[str, ...]
    attributes: torch.Tensor


#: Kinds of edges that have a direction.
_DIRECTED = ("knn", "hbond_backbone")
#: Of the columns of edges, those that are no attributes.
_NO_ATTRIBUTES = ("structure", "row_i", "row_j", "kind", "energy", "ladder")


def _graphs(
    who: str, inputs: Any, columns: Sequence[str] | None, backend: Backend, of_edges: dict[str, Any], options: Any
) -> Iterator[_Graph]:
    if isinstance(inputs, Iterator):
        raise PrismError(f"{who} reads its inputs twice, for features and for contacts; give a list")
    request = _Request(who, inputs, columns, backend, "raise", options)
    engine = Engine(backend, **request.engine)
    edges = engine.edges(request.inputs, **of_edges, **request.reading).arrow  # type: ignore[misc]
    kinds, names = list(of_edges["kinds"]), edges.column("structure").to_pylist()
    edge_columns = tuple(name for name in edges.column_names if name not in _NO_ATTRIBUTES)
    # Contacts come structure by structure.
    first: dict[str, int] = {}
    count: dict[str, int] = {}
    for row, name in enumerate(names):
        first.setdefault(name, row)
        count[name] = count.get(name, 0) + 1
    for tensor in engine.tensors(request.inputs, request.columns, **request.reading):  # type: ignore[misc]
        sample = _sample(tensor, request.columns)
        own = edges.slice(first.get(sample.name, 0), count.get(sample.name, 0))
        one, other = (torch.tensor(own.column(name).to_numpy().astype(np.int64)) for name in ("row_i", "row_j"))
        kind = torch.tensor([kinds.index(value) for value in own.column("kind").to_pylist()], dtype=torch.int64)
        there = [torch.tensor(own.column(name).to_numpy().astype(np.float32)) for name in edge_columns]
        values = torch.stack(there, dim=1).nan_to_num(0.0)
        directed = torch.tensor([name in _DIRECTED for name in kinds], dtype=torch.bool)
        back = ~directed[kind]
        yield _Graph(
            name=sample.name,
            columns=sample.columns,
            features=sample.features.nan_to_num(0.0),
            residue_types=sample.residue_types,
            begins=torch.cat([one, other[back]]),
            ends=torch.cat([other, one[back]]),
            kinds=torch.cat([kind, kind[back]]),
            edge_columns=edge_columns,
            attributes=torch.cat([values, _turned(values[back], edge_columns)]),
        )


def _turned(values: torch.Tensor, columns: tuple[str, ...]) -> torch.Tensor:
    """The attributes of edges in the other direction: of frames, the inverse."""
    if "turn_w" not in columns:
        return values
    at = columns.index("local_x")
    place, w, axis = values[:, at : at + 3], values[:, at + 3 : at + 4], values[:, at + 4 : at + 7]
    # The place of the first residue in the second one's frame: minus the place, turned back.
    back = -place - 2.0 * torch.linalg.cross(axis, torch.linalg.cross(axis, place) - w * place)
    inverse = values.clone()
    inverse[:, at : at + 3], inverse[:, at + 4 : at + 7] = back, -axis
    return inverse
