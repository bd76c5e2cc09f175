"""Trajectories: arrays and tables of frames, from files and from objects of other packages."""

from __future__ import annotations

import subprocess
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.csv
import pytest

import prism_features as prism

MADE = Path(__file__).resolve().parents[2] / "host" / "trajectory" / "tests" / "data"
TOP, XTC = MADE / "top.pdb", MADE / "small.xtc"


@pytest.fixture
def run() -> prism.Trajectory:
    return prism.trajectory(TOP, XTC, "cpu")


def test_an_array_has_frames_and_residues(run: prism.Trajectory) -> None:
    areas = run.array("sasa")
    assert areas.shape == (6, 46) and areas.dtype == np.float32
    assert len(run) == 6 and list(run.frames) == [0, 1, 2, 3, 4, 5]
    assert list(run.times) == [0, 10, 20, 30, 40, 50]
    assert run.rows.column_names == ["structure", "row", "chain", "resnum", "icode", "resname", "parent"]
    assert run.rows.num_rows == 46 and run.rows["structure"].unique().to_pylist() == ["top.pdb"]
    states = run.array("ss")
    assert states.shape == (6, 46) and set(states.ravel()) <= set("HBEGIPTS-")
    assert np.isnan(run.array("phi")[:, 0]).all()


def test_the_table_is_that_of_the_command(run: prism.Trajectory, command: Path, tmp_path: Path) -> None:
    table = run.table(["sasa", "wcn"])
    out = tmp_path / "t.csv"
    arguments = ["features", TOP, "--trajectory", XTC, "--columns", "sasa,wcn", "--backend", "cpu", "-q", "-o", out]
    subprocess.run([command, *arguments], check=True)
    written = pa.csv.read_csv(out)
    assert table.column_names == written.column_names
    for name in ["frame", "time_ps", "sasa", "wcn"]:
        assert np.array_equal(table[name].to_numpy(), written[name].to_numpy().astype(table[name].to_numpy().dtype)), name
    assert sum(batch.num_rows for batch in run.stream(["sasa"])) == table.num_rows
    assert table["sasa"].to_numpy().reshape(6, 46).tobytes() == run.array("sasa").tobytes()


def test_frames_are_chosen(run: prism.Trajectory) -> None:
    areas = run.array("sasa")
    for frames, rows in [(slice(1, None, 2), [1, 3, 5]), ("::3", [0, 3]), (-1, [5]), (2, [2])]:
        some = prism.trajectory(TOP, XTC, "cpu", frames=frames)
        assert list(some.frames) == rows
        assert np.array_equal(some.array("sasa"), areas[rows])
    both = prism.trajectory(TOP, [XTC, MADE / "small.trr"], "cpu", every=20, frames=":6")
    assert list(both.times) == [0, 20, 40]
    assert prism.trajectory(TOP, XTC, "cpu", points=500).array("sasa").shape == (6, 46)


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        ((TOP, MADE / "few.xtc"), "has 417 atoms, but few.xtc has 9"),
        ((TOP, "missing.xtc"), "missing.xtc: cannot be read"),
        ((TOP,), "trajectory is missing"),
    ],
)
def test_what_does_not_fit_is_explained(arguments: tuple[Path, ...], told: str) -> None:
    with pytest.raises(prism.PrismError, match=told):
        prism.trajectory(*arguments, backend="cpu")
    with pytest.raises(prism.PrismError, match="none of the 6 frames"):
        prism.trajectory(TOP, XTC, "cpu", frames="9:")
    with pytest.raises(prism.PrismError, match="pbc must be"):
        prism.trajectory(TOP, XTC, "cpu", pbc="all")  # type: ignore[arg-type]
    with pytest.raises(TypeError, match="no trajectory"):
        prism.trajectory(7)


def test_a_file_that_is_cut_off_fails(tmp_path: Path) -> None:
    cut = tmp_path / "cut.xtc"
    cut.write_bytes(XTC.read_bytes()[:8000])
    run = prism.trajectory(TOP, cut, "cpu")
    assert len(run) == 4
    with pytest.raises(prism.InputError, match="frame 4, at byte 6880"):
        run.array("sasa")


def test_a_universe_gives_all_frames(run: prism.Trajectory) -> None:
    mda = pytest.importorskip("MDAnalysis")
    universe = mda.Universe(str(TOP), str(XTC))
    own = prism.trajectory(universe, backend="cpu")
    assert list(own.times) == list(run.times) and len(own) == 6
    # The same single-precision positions in Å.
    assert own.array("sasa").tobytes() == run.array("sasa").tobytes()
    assert list(prism.trajectory(universe, backend="cpu", frames=slice(1, 3)).frames) == [1, 2]
    table = own.table(["sasa"])
    assert table.column_names[1:3] == ["frame", "time_ps"]
    assert set(table["frame"].to_pylist()) == set(range(6))
    assert own.rows["resnum"].to_pylist() == run.rows["resnum"].to_pylist()


def test_an_mdtraj_trajectory_gives_all_frames(run: prism.Trajectory) -> None:
    mdtraj = pytest.importorskip("mdtraj")
    own = prism.trajectory(mdtraj.load(str(XTC), top=str(TOP)), backend="cpu")
    assert list(own.times) == list(run.times)
    # nm times 10 in double precision differs in the last bits.
    assert np.allclose(own.array("sasa"), run.array("sasa"), atol=0.5)
