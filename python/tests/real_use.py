"""A program as a user would write it: `test_api.py` runs it, and type checkers read it at their strictest.

    real_use.py STRUCTURE TOPOLOGY TRAJECTORY
"""

import sys
from pathlib import Path

import numpy as np
import numpy.typing as npt

import prism_features as prism

Areas = dict[str, npt.NDArray[np.float32]]


def areas(paths: list[Path]) -> tuple[Areas, list[str]]:
    """Areas of the residues of each structure, and the inputs that failed."""
    table = prism.features([*paths, ("broken", b"")], ["sasa"], "cpu", on_error="report", chains=["E"])
    names = [str(row["structure"]) for row in table.rows.to_pylist()]
    values = np.array(table.to_pydict()["sasa"], dtype=np.float32)
    found = {name: values[[own == name for own in names]] for name in dict.fromkeys(names)}
    return found, [failure.name for failure in table.failures]


def tensors(paths: list[Path]) -> dict[str, npt.NDArray[np.float32]]:
    """Features of each structure."""
    found: dict[str, npt.NDArray[np.float32]] = {}
    for tensor in prism.tensors(paths, ["sasa", "ss"], device="cpu"):
        values: npt.NDArray[np.float32] = np.array(tensor, dtype=np.float32)
        states = [prism.STATES[int(state)] for state in values[:, tensor.columns.index("ss")] if not np.isnan(state)]
        print(tensor.name, tensor.shape, "".join(states)[:20])
        found[tensor.name] = values
    return found


def bonds(paths: list[Path]) -> int:
    """How many hydrogen bonds and contacts there are."""
    with prism.Engine("cpu", threads=2, points=200) as engine:
        sites = engine.sites(paths, max_sites=3)
        print(sites.num_rows, "sites;", engine.description)
        with engine.stream(paths, table="edges", kinds=["ca"]) as batches:
            contacts: int = sum(batch.num_rows for batch in batches)
    return contacts + prism.edges(paths, kinds=["hbond"]).num_rows


def frames(topology: Path, trajectory: Path) -> npt.NDArray[np.float64]:
    """The mean area of each frame."""
    run = prism.trajectory(topology, trajectory, "cpu", every=20)
    values: npt.NDArray[np.float64] = run.array("sasa").mean(axis=1, dtype=np.float64)
    assert len(values) == len(run.times)
    return values


def missing() -> str:
    """The message about a file that is not there."""
    try:
        prism.features("no-such-file.pdb", backend="cpu")
    except FileNotFoundError as error:
        return str(error)
    raise AssertionError("a file that is not there has no features")


def main(structure: Path, topology: Path, trajectory: Path) -> None:
    found, failed = areas([structure])
    assert failed == ["broken"] and list(found) == [structure.name]
    values = tensors([structure])[structure.name]
    # Columns of a tensor are in the order of the table of columns.
    order = [str(row["name"]) for row in prism.columns().to_pylist() if row["name"] in ("sasa", "ss")]
    assert np.array_equal(values[:, order.index("sasa")], found[structure.name])
    print(bonds([structure]), "contacts and bonds;", frames(topology, trajectory))
    print(missing())


if __name__ == "__main__":
    main(*map(Path, sys.argv[1:]))
