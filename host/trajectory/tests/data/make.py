#!/usr/bin/env python3
"""Makes the trajectories beside it: crambin (1CRN, CC0) in some water, moved by random waves, as mdtraj and MDAnalysis write them.

    pip install mdtraj==1.11.1 MDAnalysis==2.11.0 netCDF4
    python3 host/trajectory/tests/data/make.py

For each file `x`, `x.f32` has the positions that MDAnalysis reads, in Å: frame by frame, in single precision, little-endian. The
formats without rounding share `exact.f32`. The script checks that mdtraj reads the same.
"""

import struct
import warnings
from pathlib import Path

import MDAnalysis as mda
import mdtraj
import numpy as np

warnings.filterwarnings("ignore")
HERE = Path(__file__).parent
SIDE = 4.0  # of the cubic cell, in nm
FRAMES = 6


def system():
    """Crambin in the middle of the cell, and 30 waters around it."""
    protein = mdtraj.load(str(HERE.parents[2] / "tests/data/1crn.pdb"))
    random = np.random.default_rng(20)
    topology, positions = protein.topology.copy(), protein.xyz[0] - protein.xyz[0].mean(axis=0) + SIDE / 2
    chain = topology.add_chain()
    water = np.array([[0, 0, 0], [0.0957, 0, 0], [-0.024, 0.0927, 0]])
    while topology.n_atoms < protein.n_atoms + 90:
        at = random.uniform(0.1, SIDE - 0.2, 3)
        if np.linalg.norm(positions - at, axis=1).min() < 0.3:
            continue
        residue = topology.add_residue("HOH", chain)
        for name, element in [("O", "O"), ("H1", "H"), ("H2", "H")]:
            topology.add_atom(name, getattr(mdtraj.element, {"O": "oxygen", "H": "hydrogen"}[element]), residue)
        positions = np.vstack([positions, at + water])
    return topology, positions


def frames(positions):
    """Slow waves through space, and a little noise."""
    random = np.random.default_rng(21)
    waves = [(random.normal(0, 1.2, 3), random.normal(0, 0.06, 3), random.uniform(0, 6, 2)) for _ in range(8)]
    for frame in range(FRAMES):
        moved = positions + random.normal(0, 0.01, positions.shape)
        for along, amplitude, (phase, speed) in waves:
            moved += np.sin(positions @ along + phase + speed * frame)[:, None] * amplitude
        yield moved


def write(name, universe):
    positions = np.array([frame.positions.copy() for frame in universe.trajectory], dtype="<f4")
    (HERE / f"{name}.f32").write_bytes(positions.tobytes())
    print(name, positions.shape, [round(float(frame.time), 4) for frame in universe.trajectory])
    return positions


def empty(atoms):
    return mda.Universe.empty(atoms, trajectory=False)


def read(name, atoms, **options):
    universe = empty(atoms)
    universe.load_new(str(HERE / name), **options)
    return universe


topology, positions = system()
xyz = np.array(list(frames(positions)), dtype=np.float32)
cell = dict(unitcell_lengths=np.full((FRAMES, 3), SIDE), unitcell_angles=np.full((FRAMES, 3), 90.0))
run = mdtraj.Trajectory(xyz, topology, time=np.arange(FRAMES) * 10.0, **cell)
for name in ["small.xtc", "small.trr", "small.dcd", "small.nc"]:
    run.save(str(HERE / name))
    atoms = topology.n_atoms
    if name == "small.xtc":
        own = write(name, read(name, atoms))
        assert np.array_equal(mdtraj.load(str(HERE / name), top=topology).xyz * np.float32(10), own)
    elif name == "small.trr":
        exact = write("exact", read(name, atoms))
    else:
        format = "NCDF" if name.endswith(".nc") else None
        assert np.array_equal([f.positions.copy() for f in read(name, atoms, format=format).trajectory], exact), name
run[:2].save(str(HERE / "small.gro"))
run[0].save(str(HERE / "top.pdb"))
with mdtraj.formats.GroTrajectoryFile(str(HERE / "small.gro")) as gro:
    (HERE / "small.gro.f32").write_bytes((gro.read()[0] * np.float32(10)).astype("<f4").tobytes())

# Every atom of the protein in the cell, wherever that breaks it.
shifted = xyz + np.linspace(0, SIDE, FRAMES)[:, None, None].astype(np.float32)
wrapped = mdtraj.Trajectory(np.mod(shifted, SIDE), topology, time=run.time, **cell)
wrapped.save(str(HERE / "wrapped.xtc"))

# Few atoms, which XTC does not compress; and positions that need more than 57, and more than 72 bits.
random = np.random.default_rng(22)
few = mdtraj.Trajectory(xyz[:, :9], topology.subset(range(9)), time=run.time, **cell)
few.save(str(HERE / "few.xtc"))
write("few.xtc", read("few.xtc", 9))
for name, side, precision in [("wide.xtc", 100, 5), ("huge.xtc", 300, 6)]:
    universe = empty(20)
    universe.trajectory = mda.coordinates.memory.MemoryReader(
        np.cumsum(random.uniform(-side / 8, side / 8, (3, 20, 3)), axis=1).astype(np.float32))
    with mda.coordinates.XTC.XTCWriter(str(HERE / name), 20, precision=precision) as out:
        for frame in universe.trajectory:
            out.write(universe)
    write(name, read(name, 20))

# Big-endian, with fixed atoms, as CHARMM writes it.
def record(data):
    return struct.pack(">i", len(data)) + data + struct.pack(">i", len(data))


def axes(positions):
    return b"".join(record(positions[:, axis].astype(">f4").tobytes()) for axis in range(3))


atoms, moving = 12, [1, 4, 5, 11]
control = [3, 100, 50, 150, 0, 0, 0, 0, atoms - len(moving)] + [0] * 11
control[9] = struct.unpack(">i", struct.pack(">f", 0.002 / 4.888821e-2))[0]
control[10], control[19] = 1, 24
data = record(b"CORD" + struct.pack(">20i", *control)) + record(struct.pack(">i", 1) + b"fixed atoms".ljust(80))
data += record(struct.pack(">i", atoms)) + record(struct.pack(">4i", *[atom + 1 for atom in moving]))
unit = record(struct.pack(">6d", 40, 0, 40, 0, 0, 40))
all_atoms = xyz[0, :atoms] * 10
for frame in range(3):
    data += unit + (axes(all_atoms) if frame == 0 else axes(all_atoms[moving] + frame))
(HERE / "fixed.dcd").write_bytes(data)
write("fixed.dcd", read("fixed.dcd", atoms))

# Double precision, as GROMACS writes it if compiled so; the second frame has velocities alone.
data = b""
for frame in range(3):
    x, v = (0, 24 * atoms) if frame == 1 else (24 * atoms, 0)
    data += struct.pack(">ii", 1993, 13) + struct.pack(">i", 12) + b"GMX_trn_file"
    data += struct.pack(">13i", 0, 0, 72, 0, 0, 0, 0, x, v, 0, atoms, frame, 0)
    data += struct.pack(">2d", 2.5 * frame, 0) + struct.pack(">9d", 4, 0, 0, 0, 4, 0, 0, 0, 4)
    data += (xyz[frame, :atoms].astype(">f8") + 1e-9).tobytes()
(HERE / "double.trr").write_bytes(data)
frames_of = [f.positions.copy() for f in read("double.trr", atoms).trajectory if f.has_positions]
(HERE / "double.trr.f32").write_bytes(np.array(frames_of, dtype="<f4").tobytes())

for offsets in HERE.glob(".*_offsets.*"):  # MDAnalysis' own
    offsets.unlink()
