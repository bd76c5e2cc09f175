"""Samples of a data loader, where PyTorch is installed."""

from __future__ import annotations

import gzip
from pathlib import Path

import pytest

import prism_features as prism

torch = pytest.importorskip("torch")


@pytest.mark.parametrize("workers", [0, 2])
def test_samples_are_the_tables_rows(rbd: Path, crambin: Path, workers: int) -> None:
    from torch.utils.data import DataLoader

    from prism_features.torch import StructureDataset

    inputs = [crambin, rbd, crambin, rbd]
    columns = ["wcn", "sasa"]
    dataset = StructureDataset([(f"{index}", path.read_bytes()) for index, path in enumerate(inputs)], columns, "cpu")
    context = "spawn" if workers else None
    samples = list(DataLoader(dataset, batch_size=None, num_workers=workers, multiprocessing_context=context))
    assert sorted(sample.name for sample in samples) == ["0", "1", "2", "3"]
    for sample in samples:
        path = inputs[int(sample.name)]
        table = prism.features(path, columns, "cpu")
        expected = torch.tensor([table[name].to_pylist() for name in columns]).T
        assert torch.equal(sample.features, expected)


@pytest.mark.filterwarnings("ignore::prism_features.InputWarning")
def test_names_do_not_depend_on_the_number_of_workers(crambin: Path, tmp_path: Path) -> None:
    from torch.utils.data import DataLoader

    from prism_features.torch import StructureDataset

    content = crambin.read_bytes()
    for file in ("a/x.pdb", "b/x.pdb", "folder/y.pdb", "folder/z.pdb", "folder/w.pdb"):
        (tmp_path / file).parent.mkdir(exist_ok=True)
        (tmp_path / file).write_bytes(content)
    inputs = [tmp_path / "a/x.pdb", ("m", content), ("n", content), ("m.gz", gzip.compress(content)), content]
    inputs += [tmp_path / "b/x.pdb", tmp_path / "folder"]
    names = ["a/x.pdb", "m", "n", "m~2", "input4", "b/x.pdb", "w.pdb", "y.pdb", "z.pdb"]
    dataset = StructureDataset(inputs, ["wcn"], "cpu")
    with pytest.warns(prism.InputWarning, match="m: is the name of several inputs"):
        assert [sample.name for sample in dataset] == names
    loader = DataLoader(dataset, batch_size=None, num_workers=2, multiprocessing_context="spawn")
    assert sorted(sample.name for sample in loader) == sorted(names)
    # As workers do, without their processes.
    engine = prism.Engine("cpu")
    for workers in (1, 3, 20):
        found = []
        for worker in range(workers):
            found += engine._tensors("tensors", inputs, ["wcn"], "raise", False, {}, (worker, workers))
        assert sorted(tensor.name for tensor in found) == sorted(names)
    assert [sample.name for sample in StructureDataset(tmp_path / "folder", ["wcn"], "cpu")] == names[-3:]
    assert [sample.name for sample in StructureDataset(str(crambin), ["wcn"], "cpu")] == ["1crn.pdb"]


def test_wrong_arguments_are_told_at_once(crambin: Path) -> None:
    from prism_features.torch import StructureDataset

    for wrong, message in [
        ({"columns": ["nope"]}, "'nope' is no feature"),
        ({"columns": ["SASA"]}, r"'SASA' is no feature \(did you mean `sasa`\?\)"),
        ({"columns": "sasa"}, "columns takes a list of texts"),
        ({"backend": "gpu"}, "backend must be"),
        ({"on_error": "report"}, "on_error of StructureDataset must be"),
        ({"max_sites": 3}, "max_sites is an option of the table sites"),
        ({"points": "100"}, "points takes a whole number"),
        ({"name_by": "folder"}, 'name_by must be "name", "path" or "stem", not "folder"'),
        ({"residues": "some"}, "residues must be"),
        ({"altloc": "second"}, "altloc must be"),
    ]:
        with pytest.raises((TypeError, prism.PrismError), match=message):
            StructureDataset([crambin], **wrong)  # type: ignore[arg-type]


@pytest.mark.parametrize("inputs", [{"a.pdb": b""}, 3, None])
def test_what_is_no_input_of_a_call_is_none_of_a_data_set(inputs: object) -> None:
    from prism_features.torch import StructureDataset

    with pytest.raises(prism.PrismError) as of_call:
        prism.features(inputs)
    with pytest.raises(prism.PrismError) as of_dataset:
        StructureDataset(inputs)
    assert str(of_dataset.value) == str(of_call.value)
