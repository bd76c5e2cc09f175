"""Batches for training with PyTorch: workers of a data loader compute features while the model learns."""

# %%
from __future__ import annotations

import sys

from torch.utils.data import DataLoader

import prism_features as prism
from prism_features.torch import StructureDataset, StructureList, collate

COLUMNS = ["contact_number", "wcn", "sasa", "ss"]


# %%
if __name__ == "__main__":
    files = sys.argv[1:] or prism.samples()
    # Computed while they are asked for, by workers that share the files.
    loader = DataLoader(StructureDataset(files, COLUMNS), batch_size=2, num_workers=2, collate_fn=collate)
    shapes = [tuple(batch.features.shape) for batch in loader]
    print(f"{sum(shape[0] for shape in shapes)} structures in batches of {shapes}")
    # Computed once, and shuffled in every epoch. With cache="folder" the next program finds them there.
    shuffled = DataLoader(StructureList(files, COLUMNS), batch_size=4, shuffle=True, collate_fn=collate)
    for epoch in range(2):
        residues = sum(int(batch.mask.sum()) for batch in shuffled)
        print(f"epoch {epoch}: {residues} residues, first of {next(iter(shuffled)).names[0]}")
