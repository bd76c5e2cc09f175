#!/usr/bin/env python3
"""Compares every frame of every trajectory in the test data of MDAnalysis and mdtraj with what these programs read, bit for bit.

    pip install MDAnalysis==2.11.0 MDAnalysisTests==2.11.0 mdtraj==1.11.1 netCDF4
    cargo build --release -p prism-trajectory --example dump
    python3 host/trajectory/tests/compare.py target/release/examples/dump [FOLDER]...

Folders are searched for more trajectories. The exit status is 1 if anything differs.
"""

import subprocess
import sys
import warnings
from pathlib import Path

import MDAnalysis as mda
import mdtraj
import MDAnalysisTests
import numpy as np
from MDAnalysis.lib.mdamath import triclinic_vectors

warnings.filterwarnings("ignore")
ENDINGS = {".xtc": "XTC", ".trr": "TRR", ".dcd": "DCD", ".nc": "NCDF", ".ncdf": "NCDF", ".gro": "GRO"}


def ours(program, path):
    done = subprocess.run([program, path], capture_output=True)
    first, *lines = done.stderr.decode().splitlines()
    if done.returncode != 0:
        return None, first
    format, frames, atoms, without = first.split()
    positions = np.frombuffer(done.stdout, dtype="<u4").reshape(int(frames), int(atoms), 3)
    return (positions, int(without), lines), None


def of_mdanalysis(path, format):
    if format == "GRO":
        universe = mda.Universe(str(path))
    else:
        atoms = mda._READERS[format].parse_n_atoms(str(path))
        universe = mda.Universe.empty(atoms, trajectory=False)
        universe.load_new(str(path), format=format)
    frames, cells, times = [], [], []
    for frame in universe.trajectory:
        if frame.has_positions:
            frames.append(frame.positions.astype("<f4").view("<u4").copy())
            cells.append(None if frame.dimensions is None else frame.triclinic_dimensions.copy())
            times.append(float(frame.time))
    return np.array(frames), cells, times


def of_mdtraj(path, format):
    files = {"XTC": mdtraj.formats.XTCTrajectoryFile, "TRR": mdtraj.formats.TRRTrajectoryFile,
             "DCD": mdtraj.formats.DCDTrajectoryFile, "NCDF": mdtraj.formats.NetCDFTrajectoryFile,
             "GRO": mdtraj.formats.GroTrajectoryFile}
    with files[format](str(path)) as file:
        xyz = np.asarray(file.read()[0], dtype=np.float32)
    return (xyz if format in ("DCD", "NCDF") else xyz * np.float32(10)).astype("<f4").view("<u4")


program, *folders = sys.argv[1:]
folders = [Path(MDAnalysisTests.__file__).parent / "data", Path(mdtraj.__file__).parent, *map(Path, folders)]
files = sorted(path for folder in folders for path in folder.rglob("*") if path.suffix in ENDINGS)
differing = 0
for path in files:
    format = ENDINGS[path.suffix]
    found, error = ours(program, path)
    results = []
    for other, read in [("MDAnalysis", of_mdanalysis), ("mdtraj", of_mdtraj)]:
        try:
            result = read(path, format)
        except Exception as failure:  # whatever it is, that program does not read it
            results.append(f"{other} does not read it ({type(failure).__name__})")
            continue
        positions, cells, times = result if other == "MDAnalysis" else (result, None, None)
        if found is None:
            results.append(f"{other} reads {len(positions)} frames")
            differing += 1
            continue
        if other == "MDAnalysis" and format == "GRO":
            positions = positions[:1]
            same = np.array_equal(positions, found[0][:1])
        else:
            same = positions.shape == found[0].shape and np.array_equal(positions, found[0])
        text = "same bits" if same else f"DIFFERS {positions.shape} {found[0].shape}"
        differing += not same
        if cells is not None and same and format != "GRO":
            own = [line for line in found[2] if line.startswith(("Some", "None"))]
            for line, cell, time in zip(own, cells, times):
                time_text, _, cell_text = line.partition(" ")
                own_time = float(time_text[5:-1]) if time_text.startswith("Some") else None
                if own_time is not None and not np.isclose(own_time, time, rtol=1e-5, atol=1e-5):
                    text += f", time {own_time} and {time}"
                    differing += 1
                    break
                own_cell = None if cell_text == "None" else np.array(eval(cell_text[5:-1]))
                cell = None if cell is None or not np.any(cell) else cell
                if (own_cell is None) != (cell is None):
                    text += f", cell {own_cell} and {cell}"
                    differing += 1
                    break
                # Another program may turn the cell: its lengths and angles are compared.
                if cell is not None and not np.allclose(own_cell @ own_cell.T, cell @ cell.T, rtol=1e-3, atol=0.5):
                    text += f", cell {own_cell.tolist()} and {cell.tolist()}"
                    differing += 1
                    break
        results.append(f"{other}: {text}")
    shape = "" if found is None else f"{found[0].shape[0]} frames of {found[0].shape[1]} atoms"
    print(f"{path.parent.name}/{path.name}: {shape or error}; {'; '.join(results)}")
print(f"{len(files)} files, {differing} differences")
sys.exit(differing > 0)
