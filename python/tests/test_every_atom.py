"""What is computed from files as a whole has the command's values: edges by residues, interfaces of groups, mkdssp's files."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pyarrow.parquet as pq
import pytest

import prism_features as prism

MADE = Path(__file__).resolve().parents[2] / "host" / "tests" / "data"


def of_command(command: Path, output: Path, *arguments: object) -> list[dict[str, object]]:
    subprocess.run([command, *map(str, arguments), "-q", "-o", output], check=True)
    rows: list[dict[str, object]] = pq.read_table(output).to_pylist()
    return rows


def test_edges_may_be_by_residues_and_of_another_distance(command: Path, rbd: Path, tmp_path: Path) -> None:
    own = prism.edges(rbd, "cpu", kinds=["atom"], ids="residues", cutoff=3.6)
    assert {"chain_i", "resnum_i"} & set(own.column_names) or {"chain_a", "resnum_a"} & set(own.column_names)
    options = ("--kinds", "atom", "--ids", "residues", "--cutoff", "3.6", "--backend", "cpu")
    assert own.to_pylist() == of_command(command, tmp_path / "edges.parquet", "edges", rbd, *options)
    for wrong, message in [({"ids": "names"}, "ids must be"), ({"cutoff": 0.0}, "cutoff must be above 0"), ({"cutoff": 21}, "cutoff must be")]:
        with pytest.raises(prism.PrismError, match=message):
            prism.edges(rbd, "cpu", **wrong)  # type: ignore[arg-type]
    with pytest.raises(prism.PrismError, match="interactions are by residues"):
        prism.edges(rbd, "cpu", kinds=["hbond"], ids="rows")


def test_interfaces_of_groups_are_the_commands(command: Path, data: Path, tmp_path: Path) -> None:
    path = data / "1jcd.pdb.gz"
    engine = prism.Engine("cpu")
    groups = tmp_path / "groups.csv"
    groups.write_text("structure,group,residues\n1jcd.pdb,half,A:1-25\n1jcd.pdb,rest,chain A and not resnum 1-25\n1jcd.pdb,others,B+C\n")
    for number, (options, arguments) in enumerate(
        [
            ({"all_atoms": True}, ["--all-atoms"]),
            ({"between": ("A+B", "C")}, ["--between", "A+B,C"]),
            ({"all_atoms": True, "shape": True}, ["--all-atoms", "--shape"]),
            ({"groups": groups}, ["--groups", groups]),
            ({"groups": str(groups), "shape": True}, ["--groups", groups, "--shape"]),
            ({"between": ("A", "B"), "all_atoms": True}, ["--between", "A,B", "--all-atoms"]),
        ]
    ):
        own = engine.interface(path, **options)  # type: ignore[arg-type]
        expected = of_command(command, tmp_path / f"{number}.parquet", "interface", path, *arguments)
        assert own.num_rows > 0 and own.to_pylist() == expected
    with pytest.raises(prism.InputError, match="ligand"):
        engine.interface(path, between=("A", "ligand"))
    with pytest.raises(prism.InputError, match=r"groups\.csv has no line of it; its structures are 1jcd\.pdb"):
        engine.interface(("x", path.read_bytes()), groups=groups)
    for wrong, message in [
        ({"between": ("A+B", "C"), "by_residue": True}, "by_residue is of residues of proteins"),
        ({"ccd": path}, "add all_atoms=True"),
        ({"groups": groups, "between": ("A", "B")}, "give one of both"),
        ({"groups": groups, "by_residue": True}, "by_residue is of residues of proteins"),
        ({"groups": path}, r"groups: .*1jcd\.pdb\.gz: line 1"),
        ({"shape": True}, "shape has no effect on interfaces of proteins"),
        ({"all_atoms": True, "residues": "standard"}, "residues has no effect on interfaces of every atom"),
    ]:
        with pytest.raises(prism.PrismError, match=message):
            engine.interface(path, **wrong)  # type: ignore[arg-type]


def test_dssp_is_the_commands(command: Path, data: Path, tmp_path: Path) -> None:
    path = data / "1aki.cif.gz"
    for format in ("dssp", "mmcif"):
        table = prism.dssp([path, ("x", path.read_bytes())], format=format)  # type: ignore[arg-type]
        assert table["structure"].to_pylist() == ["1aki.cif", "x"] and table["residues"].to_pylist() == [129, 129]
        done = subprocess.run([command, "dssp", path, "-q", "--format", format], capture_output=True, text=True, check=True)
        assert table["text"][0].as_py() == done.stdout
    assert table.schema.metadata[b"prism.version"].decode() == prism.__version__
    table = prism.dssp(["no/such.pdb", path], on_error="report")
    assert table.num_rows == 1 and table.failures[0].missing
    for wrong in ({"format": "pdb"}, {"min_pp_stretch": 4}, {"on_error": "ignore"}):
        with pytest.raises(prism.PrismError):
            prism.dssp(path, **wrong)  # type: ignore[arg-type]


def test_confidence_compares_as_dockq_does() -> None:
    model = MADE / "predictions" / "boltz" / "made_model_0.cif"
    if not model.is_file():
        from test_confidence import MADE as predictions

        model = predictions / "boltz" / "made_model_0.cif"
    mapped = prism.confidence(model.parent, reference=model, mapping=["A:B", "B:A"], by_structure=True)
    assert mapped["mapping"].to_pylist() == ["A:B,B:A"]
    assert mapped.schema.metadata[b"prism.reference"].decode() == model.name
    small = prism.confidence(model.parent, reference=model, small_molecules=True)
    plain = prism.confidence(model.parent, reference=model)
    assert small["dockq"].null_count <= plain["dockq"].null_count
    with pytest.raises(prism.PrismError, match="mapping has no effect without a reference"):
        prism.confidence(model.parent, mapping=["A:A"])
    with pytest.raises(prism.PrismError, match="mapping: "):
        prism.confidence(model.parent, reference=model, mapping=["A"])
