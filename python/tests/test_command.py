"""Tables have the command's columns, rows, order and bits."""

from __future__ import annotations

import inspect
import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import prism_features as prism

FILES = ["1crn.pdb.gz", "1a8o.cif.gz", "1jcd.pdb.gz", "4zhl.cif.gz"]

CASES: list[tuple[str, Callable[..., Any], dict[str, Any], list[str]]] = [
    ("features", prism.features, {}, []),
    ("features", prism.features, {"columns": ["wcn", "sasa", "ss"]}, ["--columns", "wcn,sasa,ss"]),
    ("features", prism.features, {"columns": ["resnum", "wcn"]}, ["--columns", "resnum,wcn"]),
    ("features", prism.features, {"columns": ["label_seq_id", "uniprot_number"]}, ["--columns", "label_seq_id,uniprot_number"]),
    ("features", prism.features, {"residues": "standard", "altloc": "first"}, ["--residues", "standard", "--altloc", "first"]),
    ("features", prism.features, {"chains": ["A"], "het": "cover"}, ["--chains", "A", "--het", "cover"]),
    ("features", prism.features, {"het": "rows", "columns": ["resname", "sasa"]}, ["--het", "rows", "--columns", "resname,sasa"]),
    ("features", prism.features, {"assembly": "1", "columns": ["sasa"]}, ["--assembly", "1", "--columns", "sasa"]),
    ("features", prism.features, {"model": "all", "name_by": "stem"}, ["--model", "all", "--name-by", "stem"]),
    ("features", prism.features, {"points": 50, "contact_threshold": 7.0}, ["--points", "50", "--contact-threshold", "7"]),
    ("features", prism.features, {"min_feature_value": 0.5}, ["--min-feature-value", "0.5"]),
    ("sites", prism.sites, {}, []),
    ("sites", prism.sites, {"max_sites": 2, "min_probability": 0.15}, ["--max-sites", "2", "--min-probability", "0.15"]),
    ("sites", prism.sites, {"all": True, "min_plddt": 70.0}, ["--all", "--min-plddt", "70"]),
    ("sites", prism.sites, {"site_threshold": 0.2}, ["--site-threshold", "0.2"]),
    ("edges", prism.edges, {}, []),
    ("edges", prism.edges, {"kinds": ["knn", "sequence"], "neighbors": 5, "steps": 2}, ["--kinds", "knn,sequence", "--neighbors", "5", "--steps", "2"]),
    ("sites", prism.sites, {"pocket_shape": True}, ["--pocket-shape"]),
    ("features", prism.features, {"model": "join", "columns": ["sasa"]}, ["--model", "join", "--columns", "sasa"]),
    ("edges", prism.edges, {"kinds": ["ca"], "contact_threshold": 10.0}, ["--kinds", "ca", "--contact-threshold", "10"]),
    ("interface", prism.interface, {}, []),
    ("ligands", prism.ligands, {}, []),
    ("ligands", prism.ligands, {"select": "protein or resname NAG"}, ["--select", "protein or resname NAG"]),
    ("ligands", prism.ligands, {"each": "chain"}, ["--each", "chain"]),
    ("features", prism.features, {"each": "chain", "columns": ["sasa"]}, ["--each", "chain", "--columns", "sasa"]),
    ("atoms", prism.atoms, {}, []),
    ("atoms", prism.atoms, {"probe": 1.2, "radii": "naccess", "het": "cover"}, ["--probe", "1.2", "--radii", "naccess", "--het", "cover"]),
    ("atoms", prism.atoms, {"algorithm": "lee-richards", "slices": 10}, ["--algorithm", "lee-richards", "--slices", "10"]),
    ("summary", prism.summary, {}, []),
]


def read(path: Path) -> pa.Table:
    """A table without what a file says beside it."""
    return pq.read_table(path).replace_schema_metadata(None)


def bits(table: pa.Table) -> dict[str, list[Any]]:
    """Values, numbers by their bits, null where there is none."""
    def of(column: pa.ChunkedArray) -> list[Any]:
        if column.type != pa.float32():
            return list(column.to_pylist())
        return [None if value is None else value.hex() for value in column.to_pylist()]

    return {name: of(table[name]) for name in table.column_names}


@pytest.mark.parametrize(("name", "function", "options", "arguments"), CASES, ids=lambda case: str(case)[:40])
def test_same_as_the_command(
    command: Path, data: Path, tmp_path: Path, name: str, function: Callable[..., Any], options: dict[str, Any], arguments: list[str]
) -> None:
    inputs = [data / file for file in FILES]
    if "chains" in options:
        inputs = [data / "1crn.pdb.gz", data / "1jcd.pdb.gz"]
    elif "assembly" in options:
        inputs = [data / "1a8o.cif.gz", data / "4zhl.cif.gz"]
    if name == "ligands" or options.get("het") == "rows":
        inputs = [data / "1igy_cut.cif.gz", data / "1kx2_cut.pdb.gz"]
    output = tmp_path / "out.parquet"
    subprocess.run([command, name, *inputs, "--backend", "cpu", "-q", "-o", output, *arguments], check=True)
    table = function(inputs, backend="cpu", **options)
    expected = read(output)
    assert table.column_names == expected.column_names
    assert table.num_rows == expected.num_rows > 0
    assert bits(table) == bits(expected)
    # Units and definitions, in pyarrow's own words.
    for field in pq.read_schema(output):
        assert field.metadata[b"definition"] and b"unit" in field.metadata, field
        assert table.schema.field(field.name).metadata == field.metadata
    assert pq.read_schema(output).metadata[b"prism.command"].startswith(f"prism {name}".encode())
    statistics = pq.read_metadata(output).row_group(0)
    columns = [statistics.column(index) for index in range(statistics.num_columns)]
    assert all(one.statistics.has_min_max or one.statistics.null_count == statistics.num_rows for one in columns)


def test_residues_of_interfaces(command: Path, data: Path, tmp_path: Path) -> None:
    path, output = data / "1jcd.pdb.gz", tmp_path / "residues.parquet"
    arguments = ["--between", "A,B", "--by-residue", output, "-o", tmp_path / "pairs.parquet"]
    subprocess.run([command, "interface", path, "--backend", "cpu", "-q", *arguments], check=True)
    table = prism.interface(path, "cpu", between=("A", "B"), by_residue=True)
    assert bits(table) == bits(read(output))
    with pytest.raises(prism.InputError, match="^1jcd.pdb: there is no chain \"X\""):
        prism.interface(path, "cpu", between=("A", "X"))
    with pytest.raises(prism.PrismError, match="between must be two chains"):
        prism.interface(path, "cpu", between=("A", "A"))


def test_models_beside_a_reference(command: Path, data: Path, tmp_path: Path) -> None:
    path, output = data / "1jcd.pdb.gz", tmp_path / "out.parquet"
    arguments = ["--reference", path, "--mapping", "B:A,*:*", "--allowed-mismatches", "2", "--peptide", "--by-number"]
    subprocess.run([command, "dockq", path, "--backend", "cpu", "-q", "-o", output, *arguments], check=True)
    options: dict[str, Any] = {"mapping": ["B:A", "*:*"], "allowed_mismatches": 2, "peptide": True, "by_number": True}
    table = prism.dockq(path, path, "cpu", **options)
    assert bits(table) == bits(read(output)) and table["reference_a"].to_pylist()[0] == ""
    assert prism.dockq(path, path, backend="cpu")["dockq"].to_pylist()[0] == pytest.approx(1.0)
    dna = data / "1bna.pdb.gz"
    assert prism.dockq(dna, dna, backend="cpu")["reference_b"].to_pylist() == ["", "B"]
    haem = data / "1kx2_cut.pdb.gz"
    pose = prism.dockq(haem, haem, backend="cpu", small_molecules=True)
    assert pose["chain_b"].to_pylist() == ["", "A/HEC90"] and pose["lrmsd"].to_pylist()[1] == pytest.approx(0.0, abs=1e-3)
    with pytest.raises(prism.InputError, match="1crn.pdb has fewer than two chains of protein"):
        prism.dockq(data / "1crn.pdb.gz", path)
    with pytest.raises(prism.PrismError, match='reference: .* has no chain "X"'):
        prism.dockq(path, path, mapping=["A:X"])
    with pytest.raises(prism.PrismError, match="mapping: give pairs MODEL:REFERENCE"):
        prism.dockq(path, path, mapping=["AX"])
    with pytest.raises(FileNotFoundError, match="^reference: no/such.pdb: No such file") as missing:
        prism.dockq(path, "no/such.pdb")
    assert isinstance(missing.value, prism.InputError) and missing.value.filename == "no/such.pdb"


@pytest.mark.parametrize("format", ["rsa", "naccess", "pdb"])
def test_areas_in_files_of_other_programs(command: Path, data: Path, tmp_path: Path, format: Any) -> None:
    inputs, output = [data / "1crn.pdb.gz", data / "1jcd.pdb.gz"], tmp_path / ("areas.pdb" if format == "pdb" else "areas.rsa")
    words = ["--radii", "naccess", *(["--rsa", "naccess"] if format == "naccess" else [])]
    subprocess.run([command, "atoms", *inputs, "--backend", "cpu", "-q", "-o", output, *words], check=True)
    table = prism.areas(inputs, "cpu", format=format, radii="naccess")
    assert table["structure"].to_pylist() == ["1crn.pdb", "1jcd.pdb"]
    assert "".join(table["text"].to_pylist()) == output.read_text()
    with pytest.raises(prism.PrismError, match='format must be "rsa", "naccess" or "pdb"'):
        prism.areas(inputs, "cpu", format="asa")  # type: ignore[arg-type]


def test_a_report_is_the_commands(command: Path, data: Path, rbd: Path, tmp_path: Path) -> None:
    made = prism.report([rbd, data / "1crn.pdb.gz"], tmp_path / "own.html", "cpu", title="two of them", details=1, points=50, chains=["A", "E"])
    words = ["--title", "two of them", "--details", "1", "--points", "50", "--chains", "A,E", "--backend", "cpu", "-q", "-o", tmp_path / "its.html"]
    subprocess.run([command, "report", rbd, data / "1crn.pdb.gz", *words], check=True)
    assert made == tmp_path / "own.html" and "two of them" in made.read_text(encoding="utf-8")
    of_page = [path.read_text(encoding="utf-8") for path in (made, tmp_path / "its.html")]
    # It says by which command it was made.
    assert abs(len(of_page[0]) - len(of_page[1])) < 400
    for inputs in (tmp_path / "none.pdb", [rbd, tmp_path / "none.pdb"]):
        with pytest.raises(prism.MissingInputError, match="none.pdb: No such file") as missing:
            prism.report(inputs, tmp_path / "x.html")
        assert missing.value.filename == str(tmp_path / "none.pdb")
    with pytest.raises(prism.PrismError, match="there are no inputs; give one path at least"):
        prism.report([], tmp_path / "x.html")
    with pytest.raises(TypeError, match="no option 'annotations' of a report"):
        prism.report(rbd, tmp_path / "x.html", annotations="x.csv")
    with pytest.raises(TypeError, match="give paths, not bytes"):
        prism.report([b""], tmp_path / "x.html")  # type: ignore[list-item]


#: The command's options that are none of Python's functions, and why.
OF_THE_COMMAND = {
    "where and how a table is written": {"output", "format", "provenance", "digests", "status", "timings", "quiet", "verbose"},
    "what `columns()`, `help()` and docstrings say": {"list", "explain", "help"},
    "runs into folders, and shares of them": {"resume", "shard", "part-inputs"},
    "inputs are lists, and bytes have names": {"from-file", "name"},
    "`on_error`": {"keep-going", "fail-fast"},
    "`prism.trajectory`": {"trajectory", "frames", "every", "pbc", "reduce", "occupancy"},
    "files for viewers": {"write-structures", "color-by", "annotate", "script", "write-structure", "pockets"},
    "`prism.areas`": {"rsa"},
    "takes a table that another run of the command has written": {"measure"},
}
#: Where Python has another name.
RENAMED = {"device": "devices"}
COMMANDS = ["features", "sites", "edges", "interface", "ligands", "atoms", "summary", "confidence", "dockq", "dssp", "report"]
#: Options that a command lists and refuses, as it reads each file as a whole.
REFUSED = {"dssp": {"chains", "select", "each", "residues", "polymers", "altloc", "model", "assembly", "het"}, "confidence": {"threads"}}


@pytest.mark.parametrize("name", COMMANDS)
def test_every_option_of_the_command_has_its_form(command: Path, name: str) -> None:
    text = subprocess.run([command, name, "--help"], capture_output=True, text=True, check=True).stdout
    listed = set(re.findall(r"^ +(?:-\w, )?--([a-z-]+)", text, re.MULTILINE))
    assert {"output", "help"} <= listed
    known = {RENAMED.get(one, one).replace("_", "-") for one in inspect.signature(getattr(prism, name)).parameters}
    other = set().union(*OF_THE_COMMAND.values()) | REFUSED.get(name, set())
    assert {RENAMED.get(one, one) for one in listed} - known - other - ({"threads"} if name == "dssp" else set()) == set()


def test_annotations_and_lineages(command: Path, rbd: Path, tmp_path: Path) -> None:
    annotations, output = tmp_path / "a.csv", tmp_path / "out.parquet"
    annotations.write_text("structure,chain,resnum,icode,conservation\n6m0j_rbd.pdb,E,400,,0.5\n")
    subprocess.run([command, "features", rbd, "--backend", "cpu", "-q", "--annotations", annotations, "-o", output], check=True)
    assert bits(prism.features(rbd, backend="cpu", annotations=annotations)) == bits(read(output))
    lineages = tmp_path / "l.csv"
    lineages.write_text(
        "lineage,date,count,country,total,substitutions\n"
        "X,2021-01-01,10,Iceland,100,E:N501Y\nX,2021-01-08,20,Iceland,100,E:N501Y\n"
    )
    subprocess.run([command, "features", rbd, "--backend", "cpu", "-q", "--lineages", lineages, "-o", output], check=True)
    assert bits(prism.features(rbd, backend="cpu", lineages=lineages)) == bits(read(output))


def test_the_package_has_the_command(command: Path, data: Path, tmp_path: Path) -> None:
    def run(program: list[str], *arguments: str) -> tuple[int, str, str]:
        done = subprocess.run([*program, *arguments], capture_output=True, text=True, cwd=tmp_path)
        return done.returncode, done.stdout, done.stderr

    module = [sys.executable, "-m", "prism_features"]
    crambin = str(data / "1crn.pdb.gz")
    for arguments in [
        ("features", crambin, "--columns", "sasa,ss", "--backend", "cpu", "-q"),
        ("features", "--list"),
        ("features", "no/such/file.pdb"),
        ("features", "--no-such-option"),
        ("--version",),
    ]:
        assert run(module, *arguments) == run([str(command)], *arguments), arguments
    status, table, _ = run(module, "features", crambin, "--columns", "sasa,ss", "--backend", "cpu", "-q")
    assert status == 0 and len(table.splitlines()) == 1 + 46


@pytest.mark.parametrize("file", FILES)
def test_gemmi_reads_annotated_structures(command: Path, data: Path, tmp_path: Path, file: str) -> None:
    gemmi = pytest.importorskip("gemmi")
    table, annotated = tmp_path / "t.parquet", tmp_path / "x.cif"
    options = ["--columns", "rsa,depth,site_score", "--backend", "cpu", "-q"]
    subprocess.run([command, "features", data / file, *options, "--annotate", annotated, "-o", table], check=True)
    block = gemmi.cif.read(str(annotated)).sole_block()
    metrics = {row[1]: row[0] for row in block.find("_ma_qa_metric.", ["id", "name"])}
    names = ["rsa", "depth", "site_score"]
    assert [gemmi.cif.as_string(name) for name in metrics] == [one for name in names for one in (name, f"{name} (QMEAN colours)")]
    local = block.find("_ma_qa_metric_local.", ["metric_id", "label_asym_id", "label_seq_id", "metric_value"])
    # The residues of gemmi's structure, by mmCIF's names, have the author's names of the table.
    structure = gemmi.read_structure(str(annotated))
    residues = {
        (residue.subchain, residue.label_seq): (chain.name, residue.seqid.num, residue.seqid.icode.strip())
        for chain in structure[0]
        for residue in chain
        if residue.label_seq is not None
    }
    rows = read(table).to_pylist()
    assert len(rows) > 0
    for name in names:
        own = {residues[row[1], int(row[2])]: float(row[3]) for row in local if row[0] == metrics[name]}
        known = {(row["chain"], row["resnum"], row["icode"]): row[name] for row in rows if row[name] is not None}
        assert own == {place: pytest.approx(value, rel=1e-6) for place, value in known.items()}
