"""Interactions of every atom: the command's table, from files and bytes."""

import subprocess

import prism_features as prism
import pyarrow.csv
import pyarrow.parquet as pq
import pytest

KINDS = ["hbond", "disulfide", "metal", "water_bridge"]


def test_interactions_are_the_commands(command, data, tmp_path):
    inputs = [data / file for file in ("1crn.pdb.gz", "1aki.cif.gz")]
    output = tmp_path / "out.parquet"
    subprocess.run([command, "edges", *inputs, "-q", "--kinds", ",".join(KINDS), "-o", output], check=True)
    table, expected = prism.edges(inputs, kinds=KINDS), pq.read_table(output).replace_schema_metadata(None)
    assert table.num_rows == expected.num_rows > 100
    for name in table.column_names:
        assert [str(value) for value in table[name].to_pylist()] == [str(value) for value in expected[name].to_pylist()], name


def test_bytes_have_interactions_too(data):
    path = data / "1crn.pdb.gz"
    table = prism.edges(("crambin", path.read_bytes()), kinds=["disulfide"])
    assert table["structure"].to_pylist() == ["crambin"] * 3
    ends = zip(table["resnum_a"].to_pylist(), table["resnum_b"].to_pylist())
    assert list(ends) == [(3, 40), (4, 32), (16, 26)]


def test_what_cannot_be_meant_is_refused(data):
    path = data / "1crn.pdb.gz"
    with pytest.raises(prism.PrismError, match="is of rows of proteins"):
        prism.edges(path, kinds=["hbond", "ca"])
    with pytest.raises(prism.PrismError, match="het has no effect on interactions"):
        prism.edges(path, kinds=["hbond"], het="cover")
    with pytest.raises(prism.PrismError, match="ccd has no effect on contacts"):
        prism.edges(path, kinds=["ca"], ccd=path)
    with pytest.raises(prism.InputError, match="no/such"):
        prism.edges("no/such.pdb", kinds=["hbond"])
    table = prism.edges([path, "no/such.pdb"], kinds=["disulfide"], on_error="report")
    assert table.num_rows == 3 and [failure.name for failure in table.failures] == ["no/such.pdb"]
