"""Batches for training with PyTorch: workers of a data loader compute features while the model learns."""

# %%
from __future__ import annotations

import sys
from pathlib import Path

import torch
from torch.utils.data import DataLoader

from prism_features.torch import Sample, StructureDataset

DATA = Path(__file__).resolve().parents[2] / "tests" / "data"


def padded(samples: list[Sample]) -> torch.Tensor:
    """Structures of a batch, shape (structures, residues, columns), NaN beyond a structure's end."""
    values = [sample.features for sample in samples]
    return torch.nn.utils.rnn.pad_sequence(values, batch_first=True, padding_value=float("nan"))


# %%
if __name__ == "__main__":
    files = sys.argv[1:] or sorted(DATA.glob("*.gz"))
    dataset = StructureDataset(files, ["contact_number", "wcn", "sasa"])
    # Processes that are forked would have the parent's threads.
    loader = DataLoader(dataset, batch_size=2, num_workers=2, multiprocessing_context="spawn", collate_fn=padded)
    shapes = [tuple(batch.shape) for batch in loader]
    print(f"{sum(shape[0] for shape in shapes)} structures in batches of {shapes}")
