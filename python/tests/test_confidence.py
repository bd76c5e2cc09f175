"""Predicted complexes: the command's tables, and matrices without a copy."""

import shutil
import subprocess
from pathlib import Path

import numpy as np
import prism_features as prism
import pyarrow
import pyarrow.csv
import pyarrow.parquet
import pytest

MADE = Path(__file__).parents[2] / "host/tests/data/predictions"


@pytest.mark.parametrize("options", [{}, {"by_residue": True}, {"by_structure": True}])
def test_tables_are_the_commands(command, tmp_path, options):
    names = [f"--{name.replace('_', '-')}={tmp_path / 'table.csv'}" for name in options] or ["-o", tmp_path / "table.csv"]
    subprocess.run([command, "confidence", MADE, "-q", *names], check=True, stdout=subprocess.DEVNULL)
    own = pyarrow.csv.read_csv(tmp_path / "table.csv")
    table = prism.confidence(MADE, **options)
    assert own.column_names == table.column_names and own.num_rows == table.num_rows > 10
    for name in table.column_names:
        given, expected = table[name].to_pylist(), own[name].to_pylist()
        if pyarrow.types.is_floating(table.schema.field(name).type):
            np.testing.assert_allclose(np.array(given, dtype=float), np.array(expected, dtype=float), rtol=1e-6)
        else:
            texts = [["" if value is None else str(value) for value in values] for values in (given, expected)]
            assert texts[0] == texts[1], name


def test_the_best_designs_are_the_commands(command, tmp_path):
    output = tmp_path / "best.csv"
    words = ["confidence", MADE, "-q", "--by-structure", output, "--best", "2"]
    subprocess.run([command, *words], check=True, stdout=subprocess.DEVNULL)
    best = prism.confidence(MADE, by_structure=True, best=2)
    assert best.num_rows == 2 and best["structure"].to_pylist() == pyarrow.csv.read_csv(output)["structure"].to_pylist()
    with pytest.raises(prism.PrismError, match="add by_structure=True"):
        prism.confidence(MADE, best=2)


def test_matrices_are_numpys_without_a_copy():
    (prediction,) = prism.predictions(MADE / "chai")
    with np.load(MADE / "chai/pae.model_idx_0.npz") as file:
        np.testing.assert_array_equal(prediction.pae, file["pae"])
    # The same memory each time, which lives as long as the array.
    address = prediction.pae.__array_interface__["data"][0]
    assert prediction.pae.__array_interface__["data"] == (address, True)
    array = prediction.pae
    expected = float(array.sum())
    del prediction
    assert float(array.sum()) == expected
    with pytest.raises(ValueError, match="read-only"):
        array[0, 0] = 1.0


def test_a_prediction_has_chains_tokens_and_scores():
    (prediction,) = prism.predictions(MADE / "af3")
    assert prediction.chains == ["A", "B", "C"] and len(prediction.tokens) == len(prediction.pae) == 61
    assert prediction.tokens[-1] == ("C", 1, "LIG_C") and prediction.iptm == pytest.approx(0.7)
    assert prediction.scores().num_rows == 9 and prediction.scores(by_structure=True).num_rows == 1
    assert "61 tokens" in repr(prediction)


def test_failures_are_named(tmp_path):
    shutil.copytree(MADE / "boltz", tmp_path / "boltz")
    shutil.copytree(MADE / "chai", tmp_path / "chai")
    (tmp_path / "boltz/pae_made_model_0.npz").write_bytes(b"PK\x03\x04 cut")
    with pytest.raises(prism.InputError, match="boltz/made_model_0.cif: pae_made_model_0.npz: is no npz"):
        prism.confidence(tmp_path)
    table = prism.confidence(tmp_path, on_error="report")
    assert table.num_rows == 3 and [failure.name for failure in table.failures] == ["boltz/made_model_0.cif"]
    with pytest.warns(prism.InputWarning, match="is no npz"):
        assert prism.confidence(tmp_path, on_error="skip").num_rows == 3
    read = prism.predictions(tmp_path)
    with pytest.raises(prism.InputError, match="is no npz"):
        next(read)
    assert next(read).name == "chai/pred.model_idx_0.cif"
    both = {"by_residue": True, "by_structure": True}
    for options in ({"pae_cutoff": 0}, {"distance_cutoff": float("nan")}, both, {"on_error": "ignore"}):
        with pytest.raises(prism.PrismError):
            prism.confidence(tmp_path, **options)
    for options in ({"pae_cutoff": "10"}, {"by_residue": 1}, {"reference": 3}):
        with pytest.raises(TypeError, match=next(iter(options))):
            prism.confidence(tmp_path, **options)
    with pytest.raises(FileNotFoundError, match="reference: no/such.pdb: "):
        prism.confidence(tmp_path, reference="no/such.pdb")
    for call in (prism.confidence, lambda path: next(prism.predictions(path))):
        with pytest.raises(FileNotFoundError, match="^no/such.cif: ") as missing:
            call("no/such.cif")
        assert isinstance(missing.value, prism.InputError)


def test_a_reference_adds_dockq():
    model = MADE / "boltz/made_model_0.cif"
    pairs = prism.confidence(MADE / "boltz", reference=model)
    assert pairs.column_names[-6:] == ["reference_a", "reference_b", "dockq", "fnat", "irmsd", "lrmsd"]
    # The ligand is not compared.
    assert pairs["dockq"].to_pylist()[:4] == [1, 1, 1, None] and pairs["reference_a"].to_pylist()[1] == "B"
    structures = prism.confidence(MADE / "boltz", reference=model, by_structure=True)
    assert structures["dockq"].to_pylist() == [1] and structures["mapping"].to_pylist() == ["A:A,B:B"]


def test_edges_and_interfaces_have_the_errors_beside_their_models(command, tmp_path):
    folder = MADE / "colabfold"
    for name, table in (("edges", prism.edges(folder, "cpu", pae=True)), ("interface", prism.interface(folder, "cpu", pae=True))):
        output = tmp_path / f"{name}.parquet"
        subprocess.run([command, name, folder, "--pae", "--backend", "cpu", "-q", "-o", output], check=True)
        own = pyarrow.parquet.read_table(output)
        assert table.column_names == own.column_names and table["pae"].to_pylist() == own["pae"].to_pylist()
        assert table["pae"].null_count < len(table)
    model = next(folder.glob("*.pdb"))
    assert prism.interface(model, "cpu", pae=True)["pae"].to_pylist() == table["pae"].to_pylist()
    # A model in memory has no files beside it.
    with pytest.warns(prism.InputWarning, match="no file with predicted aligned errors lies beside it"):
        alone = prism.interface([("x.pdb", model.read_bytes())], "cpu", pae=True)
    assert alone["pae"].null_count == len(alone)
    for wrong in ({"by_residue": True}, {}):
        with pytest.raises(prism.PrismError, match="leave out by_residue" if wrong else "no iterator"):
            prism.interface(folder if wrong else iter([folder]), "cpu", pae=True, **wrong)
