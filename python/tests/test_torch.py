"""Samples of a data loader, where PyTorch is installed."""

from __future__ import annotations

import gzip
from pathlib import Path

import pytest

import prism_features as prism

torch = pytest.importorskip("torch")


@pytest.mark.parametrize(("workers", "context"), [(0, None), (2, "spawn"), (2, "fork"), (2, None)])
def test_samples_are_the_tables_rows(rbd: Path, crambin: Path, workers: int, context: str | None) -> None:
    from torch.utils.data import DataLoader

    from prism_features.torch import StructureDataset

    inputs = [crambin, rbd, crambin, rbd]
    columns = ["wcn", "sasa"]
    dataset = StructureDataset([(f"{index}", path.read_bytes()) for index, path in enumerate(inputs)], columns, "cpu")
    # Forked workers have none of the parent's threads.
    prism.features([(str(index), rbd.read_bytes()) for index in range(20)], ["wcn"], "cpu")
    samples = list(DataLoader(dataset, batch_size=None, num_workers=workers, multiprocessing_context=context))
    assert sorted(sample.name for sample in samples) == ["0", "1", "2", "3"]
    for sample in samples:
        path = inputs[int(sample.name)]
        table = prism.features(path, columns, "cpu")
        expected = torch.tensor([table[name].to_pylist() for name in columns]).T
        assert torch.equal(sample.features, expected)
        assert sample.rows.column("resnum").equals(table["resnum"].combine_chunks())
        names = [prism.RESIDUES[kind] for kind in sample.residue_types]
        assert names == table["parent"].to_pylist() and list(sample.columns) == columns


def test_usual_columns_have_values(rbd: Path) -> None:
    from prism_features.torch import StructureDataset

    (sample,) = StructureDataset(rbd, backend="cpu")
    assert not sample.features.isnan().all(dim=0).any()
    assert {"sasa", "ss", "phi"} <= set(sample.columns) and "conservation" not in sample.columns


def test_a_batch_is_padded_and_says_where(rbd: Path, crambin: Path) -> None:
    from torch.utils.data import DataLoader

    from prism_features.torch import StructureDataset, collate, one_hot

    dataset = StructureDataset([crambin, rbd], ["ss", "phi", "sasa"], "cpu")
    (batch,) = DataLoader(dataset, batch_size=2, collate_fn=collate)
    assert batch.names == ["1crn.pdb", "6m0j_rbd.pdb"] and batch.features.shape == (2, 194, 3)
    assert batch.mask.sum(dim=1).tolist() == [46, 194]
    assert not batch.features.isnan().any()
    # The first residue has no phi, and beyond the end nothing is defined.
    assert not batch.defined[0, 0, 1] and batch.defined[0, 1, 1] and not batch.defined[0, 46:].any()
    table = prism.features(crambin, ["ss"], "cpu")
    states = one_hot(batch.features[0, :46, 0])
    assert [prism.STATES[state] for state in states.argmax(dim=-1)] == table["ss"].to_pylist()
    types = one_hot(batch.residue_types, prism.RESIDUES)
    assert types.shape == (2, 194, len(prism.RESIDUES)) and types.sum().item() == 46 + 194
    assert one_hot(torch.tensor([float("nan"), 1.0])).sum(dim=-1).tolist() == [0.0, 1.0]


@pytest.mark.parametrize("is_cached", [False, True])
def test_a_list_has_a_length_and_is_shuffled(data: Path, rbd: Path, crambin: Path, tmp_path: Path, is_cached: bool) -> None:
    from torch.utils.data import DataLoader

    from prism_features.torch import StructureDataset, StructureList, collate

    inputs = [crambin, rbd, data / "1ubq.pdb.gz"]
    cache = tmp_path / "cache" if is_cached else None
    expected = list(StructureDataset(inputs, backend="cpu"))
    dataset = StructureList(inputs, backend="cpu", cache=cache)
    assert len(dataset) == 3 and dataset[-1].name == dataset[2].name == "1ubq.pdb"
    for own, other in zip((dataset[index] for index in range(3)), expected):
        assert own.name == other.name and torch.equal(own.residue_types, other.residue_types)
        assert torch.allclose(own.features, other.features, rtol=0, atol=0, equal_nan=True)
        assert own.rows.equals(other.rows)
    with pytest.raises(IndexError):
        dataset[3]
    torch.manual_seed(3)
    loader = DataLoader(dataset, batch_size=2, shuffle=True, num_workers=2, collate_fn=collate)
    assert sorted(name for batch in loader for name in batch.names) == sorted(sample.name for sample in expected)


def test_a_cache_is_used_until_something_changes(crambin: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from prism_features import torch as own

    path, cache = tmp_path / "x.pdb", tmp_path / "cache"
    path.write_bytes(crambin.read_bytes())
    runs = []
    samples = own._Request.samples
    monkeypatch.setattr(own._Request, "samples", lambda self, *share: runs.append(1) or samples(self, *share))
    for columns, text, expected in [(["sasa"], b"", 1), (["sasa"], b"", 1), (["wcn"], b"", 2), (["wcn"], b"REMARK\n", 3)]:
        if text:
            path.write_bytes(crambin.read_bytes() + text)
        assert len(own.StructureList(path, columns, "cpu", cache=cache)) == 1
        assert len(runs) == expected
    with pytest.raises(prism.PrismError, match="cache takes paths"):
        own.StructureList([("x", b"")], cache=cache)
    with pytest.raises(prism.PrismError, match="no structure could be computed"), pytest.warns(prism.InputWarning):
        own.StructureList(tmp_path / "none.pdb", backend="cpu", on_error="skip", cache=tmp_path / "other")


def test_graphs_have_typed_edges(rbd: Path, crambin: Path) -> None:
    pytest.importorskip("torch_geometric")
    from torch_geometric.loader import DataLoader

    from prism_features.torch import graphs

    found = list(graphs([crambin, rbd], ["wcn", "ss"], "cpu"))
    edges = prism.edges([crambin, rbd], "cpu").to_pylist()
    for graph, size in zip(found, (46, 194)):
        graph.validate(raise_on_error=True)
        assert graph.x.shape == (size, 2) and torch.equal(graph.edge_index.flip(0).roll(graph.num_edges // 2, 1), graph.edge_index)
        own = [row for row in edges if row["structure"] == graph.name]
        half = graph.edge_index.shape[1] // 2
        pairs = {(int(i), int(j), graph.kinds[kind]) for (i, j), kind in zip(graph.edge_index.T[:half], graph.edge_type[:half])}
        assert pairs == {(row["row_i"], row["row_j"], row["kind"]) for row in own}
        assert graph.edge_attr[:half, 0].tolist() == pytest.approx([row["distance"] for row in own])
    batch = next(iter(DataLoader(found, batch_size=2)))
    assert batch.num_graphs == 2 and batch.num_nodes == 240
    with pytest.raises(prism.PrismError, match="give a list"):
        next(graphs(iter([crambin])))


@pytest.mark.filterwarnings("ignore::prism_features.InputWarning")
def test_names_do_not_depend_on_the_number_of_workers(crambin: Path, tmp_path: Path) -> None:
    from torch.utils.data import DataLoader

    from prism_features.torch import StructureDataset

    content = crambin.read_bytes()
    for file in ("a/x.pdb", "b/x.pdb", "folder/y.pdb", "folder/z.pdb", "folder/w.pdb"):
        (tmp_path / file).parent.mkdir(exist_ok=True)
        (tmp_path / file).write_bytes(content)
    inputs = [tmp_path / "a/x.pdb", ("m", content), ("n", content), ("m.gz", gzip.compress(content)), content]
    inputs += [tmp_path / "b/x.pdb", tmp_path / "folder"]
    names = ["a/x.pdb", "m", "n", "m~2", "input4", "b/x.pdb", "w.pdb", "y.pdb", "z.pdb"]
    dataset = StructureDataset(inputs, ["wcn"], "cpu")
    with pytest.warns(prism.InputWarning, match="m: is the name of several inputs"):
        assert [sample.name for sample in dataset] == names
    loader = DataLoader(dataset, batch_size=None, num_workers=2, multiprocessing_context="spawn")
    assert sorted(sample.name for sample in loader) == sorted(names)
    # As workers do, without their processes.
    engine = prism.Engine("cpu")
    for workers in (1, 3, 20):
        found = []
        for worker in range(workers):
            found += engine._tensors("tensors", inputs, ["wcn"], "raise", False, {}, (worker, workers))
        assert sorted(tensor.name for tensor in found) == sorted(names)
    assert [sample.name for sample in StructureDataset(tmp_path / "folder", ["wcn"], "cpu")] == names[-3:]
    assert [sample.name for sample in StructureDataset(str(crambin), ["wcn"], "cpu")] == ["1crn.pdb"]


def test_wrong_arguments_are_reported_at_once(crambin: Path) -> None:
    from prism_features.torch import StructureDataset

    for wrong, message in [
        ({"columns": ["nope"]}, "'nope' is no feature"),
        ({"columns": ["SASA"]}, r"'SASA' is no feature \(did you mean `sasa`\?\)"),
        ({"columns": "sasa"}, "columns takes a list of texts"),
        ({"backend": "gpu"}, "backend must be"),
        ({"on_error": "report"}, "on_error of StructureDataset must be"),
        ({"max_sites": 3}, "max_sites is an option of the table sites"),
        ({"points": "100"}, "points takes a whole number"),
        ({"name_by": "folder"}, 'name_by must be "name", "path" or "stem", not "folder"'),
        ({"residues": "some"}, "residues must be"),
        ({"altloc": "second"}, "altloc must be"),
    ]:
        with pytest.raises((TypeError, prism.PrismError), match=message):
            StructureDataset([crambin], **wrong)  # type: ignore[arg-type]


@pytest.mark.parametrize("inputs", [{"a.pdb": b""}, 3, None])
def test_what_is_no_input_of_a_call_is_none_of_a_data_set(inputs: object) -> None:
    from prism_features.torch import StructureDataset

    with pytest.raises(prism.PrismError) as of_call:
        prism.features(inputs)
    with pytest.raises(prism.PrismError) as of_dataset:
        StructureDataset(inputs)
    assert str(of_dataset.value) == str(of_call.value)


def test_directions_and_attributes_of_graphs(crambin: Path) -> None:
    pytest.importorskip("torch_geometric")
    from prism_features.torch import graphs

    (graph,) = graphs(crambin, ["ss"], "cpu", kinds=["knn", "sequence"], attributes=["rbf", "frame"], neighbors=4)
    knn, along = (int((graph.edge_type == kind).sum()) for kind in (0, 1))
    assert (knn, along) == (4 * 46, 2 * 45) and graph.edge_attr.shape == (knn + along, 1 + 16 + 7)
    at = {name: index for index, name in enumerate(graph.edge_columns)}
    there, back = graph.edge_attr[graph.edge_type == 1].chunk(2)
    assert torch.equal(there[:, :17], back[:, :17])
    place = [at[name] for name in ("local_x", "local_y", "local_z")]
    # Both places are as far away as the alpha carbons.
    for way in (there, back):
        assert torch.allclose(way[:, place].norm(dim=1), way[:, at["distance"]], atol=1e-3)
    # The command's own edges the other way, which kNN has, are the inverse.
    table = {(i, j): row for i, j, row in zip(*graph.edge_index[:, :knn].tolist(), graph.edge_attr[:knn])}
    ends = graph.edge_index[:, graph.edge_type == 1].T.chunk(2)[1].tolist()
    compared = [(own, table[i, j]) for (i, j), own in zip(ends, back) if (i, j) in table]
    assert len(compared) > 20
    for own, expected in compared:
        assert torch.allclose(own, expected, atol=1e-4)


def test_graphs_for_dgl_are_the_same(crambin: Path) -> None:
    pytest.importorskip("dgl")
    pytest.importorskip("torch_geometric")
    from prism_features.torch import dgl_graphs, graphs

    ((name, own),) = dgl_graphs(crambin, ["wcn"], "cpu", kinds=["ca"], attributes=["rbf"])
    (other,) = graphs(crambin, ["wcn"], "cpu", kinds=["ca"], attributes=["rbf"])
    assert name == "1crn.pdb" and torch.equal(torch.stack(own.edges()), other.edge_index)
    assert torch.equal(own.ndata["x"], other.x) and torch.equal(own.edata["edge_attr"], other.edge_attr)
