"""The reference, the recipe and the names of the package agree with what it is."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

import prism_features as prism

tomllib = pytest.importorskip("tomllib", reason="Python 3.11 reads TOML")

PYTHON = Path(__file__).resolve().parents[1]


def test_the_reference_names_what_the_package_has() -> None:
    named = [name for page in sorted((PYTHON / "docs").glob("*.md")) for name in re.findall(r"^::: prism_features\.(\S+)$", page.read_text(), re.MULTILINE)]
    own = [name for name in named if "." not in name]
    assert len(named) == len(set(named))
    # Unions of options, and constants, which other texts explain.
    others = {"Options", "StreamOptions", "TableOptions", "RESIDUES", "STATES", "__version__"}
    assert set(own) == set(prism.__all__) - others
    torch = pytest.importorskip("torch") and __import__("prism_features.torch", fromlist=["torch"])
    assert all(hasattr(torch, name.removeprefix("torch.")) for name in named if "." in name)


def test_names_are_no_other_packages() -> None:
    """`prism` is another package of the index, which would overwrite ours."""
    project = tomllib.loads((PYTHON / "pyproject.toml").read_text())
    assert project["project"]["name"] == "prism-features" and project["tool"]["maturin"]["module-name"] == "prism_features._prism"
    assert sorted(path.name for path in (PYTHON / "src-python").iterdir() if path.name != "__pycache__") == ["prism_features"]


def test_readme_says_which_extras_there_are() -> None:
    extras = tomllib.loads((PYTHON / "pyproject.toml").read_text())["project"]["optional-dependencies"]
    text = (PYTHON / "README.md").read_text()
    assert all(f"[{extra}]" in text for extra in extras if extra != "test")


def test_the_recipe_has_the_packages_version_and_needs() -> None:
    """Rendered with what conda gives; conda itself is not asked."""
    jinja2, yaml = pytest.importorskip("jinja2"), pytest.importorskip("yaml")
    given = {"PYTHON": "python", "compiler": "{}_compiler".format, "stdlib": "{}_stdlib".format, "pin_subpackage": lambda name, **_: name}
    recipe = yaml.safe_load(jinja2.Template((PYTHON / "conda" / "meta.yaml").read_text()).render(**given))
    project = tomllib.loads((PYTHON / "pyproject.toml").read_text())
    assert recipe["package"] == {"name": project["project"]["name"], "version": prism.__version__}
    needs = {need.replace(" ", "") for need in recipe["requirements"]["run"]}
    assert needs == {f"python{project['project']['requires-python']}", *project["project"]["dependencies"]}
    assert [need for need in recipe["requirements"]["host"] if need.replace(" ", "") in project["build-system"]["requires"]]
    (name, target), = project["project"]["scripts"].items()
    assert recipe["build"]["entry_points"] == [f"{name} = {target}"]
    root = PYTHON / "conda" / recipe["source"]["path"]
    assert all((root / file).is_file() for file in recipe["about"]["license_file"])
    assert recipe["about"]["license"] == project["project"]["license"]
