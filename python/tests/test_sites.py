"""Sites, predicted models, and messages about columns, as the command has them."""

from __future__ import annotations

import gzip
import subprocess
import warnings
from pathlib import Path

import pytest

import prism_features as prism


def predicted(data: Path, confidence: float) -> bytes:
    """Ubiquitin as a predictor writes it."""
    lines = gzip.decompress((data / "1ubq.pdb.gz").read_bytes()).decode().splitlines(keepends=True)
    atoms = [f"{line[:60]}{confidence:6.2f}{line[66:]}" for line in lines if line.startswith("ATOM")]
    return "".join(["TITLE     ALPHAFOLD MODEL\n", *atoms, "END\n"]).encode()


def test_sites_have_the_commands_limits(rbd: Path) -> None:
    every = prism.sites(rbd, "cpu", all=True)
    assert every["rank"].to_pylist() == list(range(1, 21))
    assert all(every["residues"].to_pylist())
    probabilities = every["probability"].to_pylist()
    usual = prism.sites(rbd, "cpu")
    assert usual.num_rows == sum(one >= 0.1 for one in probabilities) < 20
    assert prism.sites(rbd, "cpu", min_probability=0.0).equals(every)
    assert prism.Engine("cpu").table("sites", rbd, max_sites=2).equals(usual.slice(0, 2))
    ids = prism.features(rbd, ["site_id", "chain", "resnum"], "cpu").to_pylist()
    first = usual["residues"].to_pylist()[0].split()
    assert [f"{row['chain']}_{row['resnum']}" for row in ids if row["site_id"] == 1] == first
    assert any(row["site_id"] is None for row in ids)
    with pytest.raises(TypeError, match="min_score, since scores have no upper bound; min_probability, from 0 to 1"):
        prism.sites(rbd, "cpu", min_score=0.5)  # type: ignore[call-arg]


def test_sites_of_unsure_models_are_warned_of_or_left_out(data: Path) -> None:
    low, high = ("low.pdb", predicted(data, 0.4)), ("high.pdb", predicted(data, 92.0))
    with pytest.warns(prism.InputWarning, match="^low.pdb: .* with a mean pLDDT below 50"):
        table = prism.sites([low, high], "cpu", all=True).to_pylist()
    assert {(row["structure"], row["plddt"]) for row in table} == {("low.pdb", 40.0), ("high.pdb", 92.0)}
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        limited = prism.sites([low, high], "cpu", all=True, min_plddt=50.0)
    assert set(limited["structure"].to_pylist()) == {"high.pdb"}
    assert set(prism.features([low], ["plddt"], "cpu")["plddt"].to_pylist()) == {40.0}


def test_columns_are_suggested(rbd: Path) -> None:
    for given, meant in [("sassa", "sasa"), ("SASA", "sasa"), ("dpeth", "depth")]:
        with pytest.raises(prism.PrismError, match=rf"`{given}` \(did you mean `{meant}`\?\); prism.columns\(\) lists"):
            prism.features(rbd, [given], "cpu")
        with pytest.raises(prism.PrismError, match=rf"did you mean `{meant}`\?"):
            prism.tensors(rbd, [given], "cpu")


def test_columns_that_nothing_fills_are_a_warning(rbd: Path, tmp_path: Path) -> None:
    with pytest.warns(prism.InputWarning, match="column conservation has no values: neither annotations nor lineages"):
        assert prism.features(rbd, ["conservation"], "cpu")["conservation"].null_count == 194
    with pytest.warns(prism.InputWarning, match="column conservation has no values"):
        list(prism.tensors(rbd, ["conservation", "sasa"], "cpu"))
    known = tmp_path / "known.csv"
    known.write_text("structure,chain,resnum,icode,conservation\n6m0j_rbd.pdb,E,400,,0.5\n")
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        prism.features(rbd, ["conservation"], "cpu", annotations=known)
        prism.features(rbd, backend="cpu")


def test_options_without_effect_are_refused(rbd: Path) -> None:
    with pytest.raises(prism.PrismError, match="contact_threshold has no effect on kinds"):
        prism.edges(rbd, "cpu", kinds=["atom"], contact_threshold=6.0)
    assert prism.edges(rbd, "cpu", kinds=["ca"], contact_threshold=6.0).num_rows > 0


def test_packed_structures_are_not_warned_of_again(command: Path, crambin: Path, tmp_path: Path) -> None:
    atoms = [line for line in crambin.read_text().splitlines(keepends=True) if line.startswith("ATOM")]
    double = tmp_path / "double.pdb"
    double.write_text("".join([*atoms, *(line.replace(" A ", " B ") for line in atoms)]))
    packed = tmp_path / "set.arrow"
    subprocess.run([command, "pack", double, "-q", "-o", packed], check=True)
    with pytest.warns(prism.InputWarning, match="begin at the very point"):
        expected = prism.features(double, ["wcn"], "cpu")
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert prism.features(packed, ["wcn"], "cpu").equals(expected)
        assert pa_rows(prism.stream(packed, ["wcn"], "cpu")) == expected.num_rows


def pa_rows(batches: object) -> int:
    return sum(batch.num_rows for batch in batches)  # type: ignore[attr-defined]
