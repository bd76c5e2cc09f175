"""Structures as graphs for PyTorch Geometric: residues are nodes with features, contacts are edges with distances."""

# %%
from __future__ import annotations

import sys
from pathlib import Path

import numpy as np
import torch
from torch_geometric.data import Data
from torch_geometric.loader import DataLoader

import prism

DATA = Path(__file__).resolve().parents[2] / "tests" / "data"
COLUMNS = ["contact_number", "wcn", "sasa", "hydropathy", "centrality"]

# %%
files = sys.argv[1:] or [DATA / "1crn.pdb.gz", DATA / "1ubq.pdb.gz", DATA / "1jcd.pdb.gz"]
engine = prism.Engine()
edges = engine.table("edges", files, kinds=["ca"]).to_pandas()
of_structure = dict(list(edges.groupby("structure", sort=False)))

# %%
graphs = []
for tensor in engine.tensors(files, COLUMNS):
    pairs = of_structure[tensor.name]
    one_way = torch.from_numpy(np.stack([pairs["row_i"], pairs["row_j"]]).astype(np.int64))
    distances = torch.from_numpy(pairs["distance"].to_numpy(copy=True))
    graphs.append(
        Data(
            x=torch.nan_to_num(torch.from_dlpack(tensor)),
            # Contacts are written once; a graph has both ways.
            edge_index=torch.cat([one_way, one_way.flip(0)], dim=1),
            edge_attr=torch.cat([distances, distances])[:, None],
            name=tensor.name,
        )
    )

# %%
batch = next(iter(DataLoader(graphs, batch_size=len(graphs))))
print(f"{batch.num_graphs} graphs, {batch.num_nodes} residues, {batch.num_edges // 2} contacts, features {tuple(batch.x.shape)}")
