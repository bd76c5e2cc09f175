"""All columns for each frame of a trajectory, with MDAnalysis.

Frames are read one at a time, so a trajectory of any length takes little memory. Give a topology and a trajectory, or nothing for a
small one that is made here.

    python trajectory.py top.pdb run.xtc
"""

# %%
from __future__ import annotations

import sys
import time
import warnings
from pathlib import Path

import MDAnalysis
import numpy as np
from MDAnalysis.coordinates.memory import MemoryReader

import prism

warnings.filterwarnings("ignore", module="MDAnalysis")
RBD = Path(__file__).resolve().parents[2] / "data" / "6m0j_rbd.pdb"

# %%
if len(sys.argv) > 1:
    universe = MDAnalysis.Universe(*sys.argv[1:])
else:
    universe = MDAnalysis.Universe(str(RBD))
    shaken = np.random.default_rng(7).normal(scale=0.2, size=(50, universe.atoms.n_atoms, 3))
    universe.load_new((universe.atoms.positions + shaken).astype("float32"), format=MemoryReader)

# %%
protein = universe.select_atoms("protein")
frames = prism.structures(protein, "frame", model="all")
begin, rows, areas = time.perf_counter(), 0, []
for batch in prism.stream(frames):
    rows += batch.num_rows
    areas.append(batch.to_pandas().groupby("structure", sort=False)["sasa"].sum())
seconds = time.perf_counter() - begin

# %%
count = len(universe.trajectory)
area = np.concatenate(areas)
print(f"{count} frames, {rows} rows of all columns, {count / seconds:.0f} frames/s")
print(f"accessible area: {area.mean():.0f} ± {area.std():.0f} Å²")
