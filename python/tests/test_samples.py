"""The structures that come with the package."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

import prism_features as prism


def test_samples_are_found_by_name() -> None:
    paths = prism.samples()
    assert paths == sorted(paths) and all(isinstance(path, Path) and path.is_file() for path in paths)
    assert [prism.sample(path.name.split(".")[0]) for path in paths] == paths
    for wrong in ("1crn.pdb", "", "README"):
        with pytest.raises(prism.PrismError, match=f"there is no sample '{wrong}'; there are 1a8o, 1aki, .*, 6m0j_rbd"):
            prism.sample(wrong)


def test_every_sample_is_read_without_a_warning(recwarn: pytest.WarningsRecorder) -> None:
    table = prism.features(prism.samples(), ["structure", "sasa"], "cpu")
    assert not recwarn.list
    assert set(table["structure"].to_pylist()) == {path.name.removesuffix(".gz") for path in prism.samples()}
    assert table["sasa"].null_count == 0


def test_their_source_comes_with_them_and_is_reported() -> None:
    text = (prism.samples()[0].parent / "README.md").read_text(encoding="utf-8")
    listed = re.findall(r"^\| `(\S+)` \| \[(\w+)\]", text, re.MULTILINE)
    assert [name for name, _ in listed] == [path.name for path in prism.samples()]
    assert all(name.startswith(entry.lower()) for name, entry in listed)
    assert "CC0 1.0" in text
    # Editors show the names.
    assert all(f"``{path.name.split('.')[0]}``" in (prism.sample.__doc__ or "") for path in prism.samples())
