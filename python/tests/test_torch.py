"""Samples of a data loader, where PyTorch is installed."""

from __future__ import annotations

from pathlib import Path

import pytest

import prism

torch = pytest.importorskip("torch")


@pytest.mark.parametrize("workers", [0, 2])
def test_samples_are_the_tables_rows(rbd: Path, crambin: Path, workers: int) -> None:
    from torch.utils.data import DataLoader

    from prism.torch import StructureDataset

    inputs = [crambin, rbd, crambin, rbd]
    columns = ["wcn", "sasa"]
    dataset = StructureDataset([(f"{index}", path.read_bytes()) for index, path in enumerate(inputs)], columns, "cpu")
    context = "spawn" if workers else None
    samples = list(DataLoader(dataset, batch_size=None, num_workers=workers, multiprocessing_context=context))
    assert sorted(sample.name for sample in samples) == ["0", "1", "2", "3"]
    for sample in samples:
        path = inputs[int(sample.name)]
        table = prism.features(path, columns, "cpu")
        expected = torch.tensor([table[name].to_pylist() for name in columns]).T
        assert torch.equal(sample.features, expected)
