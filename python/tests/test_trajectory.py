"""Trajectories: arrays and tables of frames, from files and from objects of other packages."""

from __future__ import annotations

import gzip
import subprocess
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.csv
import pyarrow.parquet as pq
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


#: Tables of frames, with options and the command's words for them.
TABLES: list[tuple[str, dict[str, Any], list[str]]] = [
    ("sites", {"min_probability": 0.0}, ["--min-probability", "0"]),
    ("edges", {"kinds": ["ca", "knn"], "neighbors": 3}, ["--kinds", "ca,knn", "--neighbors", "3"]),
    ("atoms", {"probe": 1.2, "radii": "naccess"}, ["--probe", "1.2", "--radii", "naccess"]),
    ("summary", {}, []),
    ("interface", {}, []),
]


def of_command(command: Path, output: Path, *words: object) -> pa.Table:
    subprocess.run([command, *map(str, words), "--trajectory", XTC, "--backend", "cpu", "-q", "-o", output], check=True)
    return pq.read_table(output)


def same(own: prism.Table, written: pa.Table) -> bool:
    """Whether tables have the same columns, rows and bits, and the same definitions."""
    assert own.column_names == written.column_names
    for field in written.schema:
        assert own.schema.field(field.name).metadata == field.metadata, field.name
    text = [str([value.hex() if isinstance(value, float) else value for value in row.values()]) for row in own.to_pylist()]
    return text == [str([value.hex() if isinstance(value, float) else value for value in row.values()]) for row in written.to_pylist()]


@pytest.mark.parametrize(("name", "options", "words"), TABLES, ids=[name for name, *_ in TABLES])
def test_every_table_of_frames_is_the_commands(
    run: prism.Trajectory, command: Path, tmp_path: Path, name: Any, options: dict[str, Any], words: list[str]
) -> None:
    table = run.table(table=name, **options)
    assert same(table, of_command(command, tmp_path / "t.parquet", name, TOP, *words))
    if name != "interface":
        assert table.num_rows > 0 and set(table["frame"].to_pylist()) == set(range(6))


def test_models_of_a_complex_move(command: Path, data: Path, tmp_path: Path) -> None:
    mda = pytest.importorskip("MDAnalysis")
    top, moving = tmp_path / "top.pdb", tmp_path / "moving.dcd"
    top.write_bytes(gzip.decompress((data / "1jcd.pdb.gz").read_bytes()))
    universe = mda.Universe(str(top))
    chain = universe.select_atoms("chainID A")
    with mda.Writer(str(moving), universe.atoms.n_atoms) as writer:
        for _ in range(3):
            chain.translate([0.0, 0.0, 0.7])
            writer.write(universe.atoms)
    run = prism.trajectory(top, moving, "cpu")
    for name, options, words in [("interface", {"between": ("A", "B")}, ["--between", "A,B"]), ("dockq", {"reference": top}, ["-r", top])]:
        table = run.table(table=name, **options)  # type: ignore[arg-type]
        output = tmp_path / f"{name}.parquet"
        words = [name, top, "--trajectory", moving, "--backend", "cpu", "-q", "-o", output, *words]
        subprocess.run([command, *map(str, words)], check=True)
        assert table.num_rows >= 3 and same(table, pq.read_table(output))
    scores = [row["dockq"] for row in run.table(table="dockq", reference=top).to_pylist() if row["reference_a"] == ""]
    assert scores == sorted(scores, reverse=True) and scores[0] > scores[2]
    with pytest.raises(prism.PrismError, match="ligands of trajectories are not compared"):
        run.table(table="dockq", reference=top, small_molecules=True)


def test_frames_together_are_the_commands(run: prism.Trajectory, command: Path, tmp_path: Path) -> None:
    columns, statistics = ["sasa", "phi", "ss"], ["mean", "sd", "q05", "max"]
    own = run.reduce(statistics, columns)
    words = ["features", TOP, "--columns", ",".join(columns), "--reduce", ",".join(statistics)]
    assert own.num_rows == 46 and same(own, of_command(command, tmp_path / "r.parquet", *words))
    # A run keeps nothing of the one before.
    assert run.reduce(statistics, columns) == own
    areas = run.array("sasa").astype(float)
    assert own["sasa_max"].to_numpy() == pytest.approx(areas.max(axis=0), rel=1e-6)
    assert own["sasa_sd"].to_numpy() == pytest.approx(areas.std(axis=0, ddof=1), rel=1e-4, abs=1e-3)
    pockets = tmp_path / "p.parquet"
    of_command(command, tmp_path / "s.parquet", "sites", TOP, "--all", "--pockets", pockets)
    own = run.pockets(all=True)
    assert own.num_rows > 0 and same(own, pq.read_table(pockets))
    assert set(own["pocket"].to_pylist()) == set(run.table(table="sites", all=True)["pocket"].to_pylist())
    own = run.occupancy(["ca", "atom"], cutoff=4.0)
    words = ["edges", TOP, "--occupancy", "--kinds", "ca,atom", "--cutoff", "4"]
    assert own.num_rows > 46 and same(own, of_command(command, tmp_path / "o.parquet", *words))
    assert "sasa_mean" in run.reduce("mean").column_names and "conservation_mean" not in run.reduce("mean").column_names


def test_known_pockets_are_measured_in_every_frame(run: prism.Trajectory, command: Path, tmp_path: Path) -> None:
    file = tmp_path / "pockets.csv"
    of_command(command, tmp_path / "s.parquet", "sites", TOP, "--all", "--pockets", file)
    own = run.measure(file)
    assert same(own, of_command(command, tmp_path / "v.parquet", "sites", TOP, "--measure", file))
    pockets = run.pockets(all=True)
    assert own.column_names == ["structure", "frame", "time_ps", "pocket", "volume"] and own.num_rows == 6 * pockets.num_rows
    assert run.measure(pockets) == own
    assert run.measure({row["pocket"]: row["residues"].split() for row in pockets.to_pylist()}) == own
    # Crambin has none; of a larger protein, more residues line more.
    rbd = Path(__file__).resolve().parents[2] / "data" / "6m0j_rbd.pdb"
    lines = [line for line in rbd.read_text().splitlines() if line.startswith(("ATOM", "HETATM"))]
    placed = [[float(line[begin : begin + 8]) / 10 for begin in (30, 38, 46)] for line in lines]
    atoms = "".join(f"{1:5}{'X':5}{'X':>5}{1:5}{x:8.4f}{y:8.4f}{z:8.4f}\n" for x, y, z in placed)
    (tmp_path / "rbd.gro").write_text(f"rbd\n{len(lines)}\n{atoms}   0.0   0.0   0.0\n")
    large = prism.trajectory(rbd, tmp_path / "rbd.gro", "cpu")
    rows = [f"{row['chain']}_{row['resnum']}" for row in large.rows.to_pylist()]
    few, many = large.measure({3: rows[:60], 7: rows})["volume"].to_pylist()
    assert 0 < few < many and many > 100
    with pytest.raises(prism.InputError, match="has no residue Z_1, which lines pocket 7"):
        run.measure({7: ["A_1", "Z_1"]})
    with pytest.raises(prism.PrismError, match="pockets: pocket 7 is there twice"):
        run.measure(prism.Table(pa.table({"pocket": [7, 7], "residues": ["A_1", "A_2"]})))
    for wrong in [["A_1"], pa.table({"pocket": [7]})]:
        with pytest.raises(TypeError, match="pockets takes the table of Trajectory.pockets"):
            run.measure(wrong)  # type: ignore[arg-type]


def test_what_frames_do_not_have_is_explained(run: prism.Trajectory) -> None:
    with pytest.raises(prism.PrismError, match='which frames have, not \'ligands\''):
        run.table(table="ligands")  # type: ignore[arg-type]
    with pytest.raises(TypeError, match="chains is an option of prism.trajectory"):
        run.table(table="edges", chains=["A"])  # type: ignore[call-arg]
    with pytest.raises(TypeError, match="columns is for the table features; sites has columns of its own"):
        run.table(["sasa"], table="sites")
    with pytest.raises(TypeError, match="kinds is an option of the table edges, and not of sites"):
        run.table(table="sites", kinds=["ca"])
    with pytest.raises(prism.PrismError, match="statistics: give mean, sd"):
        run.reduce(["mode"])
    with pytest.raises(prism.PrismError, match="pae is of models beside their matrices, and not of frames"):
        run.table(table="edges", pae=True)


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
    ("arguments", "message"),
    [
        ((TOP, MADE / "few.xtc"), "has 417 atoms, but .*few.xtc has 9"),
        ((TOP, "missing.xtc"), "missing.xtc: there is no such file"),
        (("missing.pdb", XTC), "missing.pdb: there is no such file"),
        ((TOP,), "trajectory is missing"),
    ],
)
def test_what_does_not_fit_is_explained(arguments: tuple[Path, ...], message: str) -> None:
    with pytest.raises(prism.PrismError, match=message):
        prism.trajectory(*arguments, backend="cpu")
    with pytest.raises(FileNotFoundError):
        prism.trajectory(TOP, "missing.xtc", backend="cpu")
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
    for name, options in [("edges", {"kinds": ["ca"]}), ("summary", {}), ("sites", {"all": True})]:
        of_files = run.table(table=name, **options)  # type: ignore[arg-type]
        assert own.table(table=name, **options).drop_columns("structure") == of_files.drop_columns("structure")  # type: ignore[arg-type]
    for mine, other in [(own.reduce(columns=["sasa"]), run.reduce(columns=["sasa"])), (own.occupancy(["ca"]), run.occupancy(["ca"])), (own.pockets(all=True), run.pockets(all=True)), (own.measure({1: ["A_3"]}), run.measure({1: ["A_3"]}))]:
        assert mine.drop_columns("structure") == other.drop_columns("structure") and set(mine["structure"].to_pylist()) == {own.rows["structure"][0].as_py()}


def test_an_mdtraj_trajectory_gives_all_frames(run: prism.Trajectory) -> None:
    mdtraj = pytest.importorskip("mdtraj")
    own = prism.trajectory(mdtraj.load(str(XTC), top=str(TOP)), backend="cpu")
    assert list(own.times) == list(run.times)
    # nm times 10 in double precision differs in the last bits.
    assert np.allclose(own.array("sasa"), run.array("sasa"), atol=0.5)
