#!/usr/bin/env python3
"""Writes a long trajectory by small random moves of a structure's atoms, for measurements.

    python3 tests/peers/make_trajectory.py structure.pdb 100000 run.xtc

The moves are normal, each from the structure's own positions, and the same every time. mdtraj, from Python's package index, writes them;
the ending (.xtc, .dcd, .trr, .nc) gives the format.
"""

import argparse

import mdtraj
import numpy as np

#: Frames that are in memory at a time.
PART = 500


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("structure", help="PDB, also the topology of the trajectory")
    parser.add_argument("frames", type=int)
    parser.add_argument("output")
    parser.add_argument("--deviation", type=float, default=0.2, help="of an atom along an axis, in Angstrom")
    arguments = parser.parse_args()
    structure = mdtraj.load_frame(arguments.structure, 0)
    at = structure.xyz[0]
    numbers = np.random.default_rng(20261128)
    with mdtraj.open(arguments.output, "w") as file:
        # XTC and TRR take nm and times, the others Angstrom.
        is_gromacs = arguments.output.endswith((".xtc", ".trr"))
        for begin in range(0, arguments.frames, PART):
            some = min(PART, arguments.frames - begin)
            moved = at + numbers.normal(0.0, arguments.deviation / 10.0, (some, *at.shape)).astype(np.float32)
            if is_gromacs:
                time = np.arange(begin, begin + some, dtype=np.float32)
                file.write(moved, time=time, step=np.arange(begin, begin + some, dtype=np.int32))
            else:
                file.write(10.0 * moved)


if __name__ == "__main__":
    main()
