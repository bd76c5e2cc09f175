#!/usr/bin/env python3
"""Tries a wheel as a new user does: in a new environment for each interpreter.

    try_wheel.py WHEEL [INTERPRETER ...] [--extras pandas,polars] [--examples] [--graphs]

Each environment gets the wheel and what it asks for, and nothing else. Then the command, the module as a program, and the first lines of
README run there. An extra is installed after that, and its own line of README runs: `--extras` names them, `pandas` alone without.
`--examples` installs the extra `notebooks`, runs every notebook, alone in a folder, and compares what it prints with what it shows. `--graphs` installs
PyTorch Geometric for the cell of `graph.ipynb` that takes it. Packages come from Python's index.
"""

import argparse
import json
import os
import shutil
import subprocess
import sys
import tempfile
import zipfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
IMPORTS = "import prism_features as prism; "
BARE = "assert prism.features(prism.samples(), ['structure', 'sasa']).group_by('structure').aggregate([]).num_rows == 12"
OF_EXTRAS = {
    "pandas": "assert len(prism.features(prism.sample('6m0j_rbd'), ['sasa', 'wcn']).to_pandas()) == 194",
    "polars": "assert len(prism.features(prism.sample('6m0j_rbd'), ['sasa']).to_polars()) == 194",
    "progress": "assert prism.features(prism.samples(), ['sasa'], progress=True).num_rows > 1000",
    "torch": "import prism_features.torch as t; assert len(list(t.StructureDataset(prism.samples(), ['sasa']))) == 12",
}
EXAMPLES = ROOT / "python" / "examples"


def run(*command: object, folder: Path | None = None) -> str:
    """What a command prints. An error of it ends this program."""
    words = [str(word) for word in command]
    # Packages beside this program are none of the environment's.
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
    done = subprocess.run(words, capture_output=True, text=True, cwd=folder, env=environment)
    if done.returncode != 0:
        sys.exit(f"{' '.join(words)}\n{done.stdout}{done.stderr}")
    return done.stdout


def check_names(wheel: Path) -> None:
    """A wheel's files are in a folder of its own name: nothing of another package is overwritten, and another overwrites nothing."""
    folders = {name.split("/")[0] for name in zipfile.ZipFile(wheel).namelist()}
    own = {folder for folder in folders if folder == "prism_features" or folder.startswith("prism_features-")}
    if folders != own:
        sys.exit(f"{wheel}: has {sorted(folders - own)} beside prism_features")


def printed(notebook: Path) -> list[str]:
    """What each cell of code prints or shows as text, without what other packages warn of. Tables are compared cell by cell, whatever the
    width of their columns."""
    cells = json.loads(notebook.read_text(encoding="utf-8"))["cells"]
    outputs = [[one for one in cell["outputs"] if one.get("name") != "stderr"] for cell in cells if cell["cell_type"] == "code"]
    texts = ["".join("".join(output.get("text", output.get("data", {}).get("text/plain", ""))) for output in own) for own in outputs]
    return [" ".join(text.split()) for text in texts]


def try_notebooks(python: Path, folder: Path, version: str, graphs: bool) -> None:
    """Runs a copy of each notebook, alone in a folder. It must print what the notebook shows."""
    for notebook in sorted(EXAMPLES.glob("*.ipynb")):
        alone = folder / notebook.stem
        alone.mkdir()
        copy = shutil.copy(notebook, alone)
        run(python, "-m", "jupyter", "nbconvert", "--to", "notebook", "--execute", "--inplace", copy, folder=alone)
        for number, (shown, found) in enumerate(zip(printed(notebook), printed(Path(copy)), strict=True), 1):
            if shown != found and (graphs or not found.startswith("LEFT OUT")):
                sys.exit(f"{version}: {notebook.name}, cell {number} shows\n{shown}\nbut prints\n{found}")
        print(f"{version}: {notebook.name}", flush=True)


def try_in(wheel: Path, interpreter: str, extras: list[str], examples: bool, graphs: bool) -> None:
    """In an environment of this interpreter."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        run(interpreter, "-m", "venv", folder / "venv")
        programs = folder / "venv" / ("Scripts" if os.name == "nt" else "bin")
        python = programs / "python"
        pip = [python, "-m", "pip", "install", "--quiet", "--disable-pip-version-check"]
        run(*pip, wheel)
        version = run(python, "-c", "import sys; print(sys.version.split()[0])").strip()
        installed = run(python, "-m", "pip", "list", "--format", "freeze").split()
        command = run(programs / "prism", "--version", folder=folder)
        module = run(python, "-m", "prism_features", "--version", folder=folder)
        if command != module or wheel.name.split("-")[1] not in command:
            sys.exit(f"{interpreter}: the command says {command!r}, the module {module!r}")
        run(python, "-c", IMPORTS + BARE, folder=folder)
        print(f"{version}: {command.strip()} with {', '.join(sorted(installed))}", flush=True)
        for extra in extras:
            run(*pip, f"prism-features[{extra}] @ {wheel.resolve().as_uri()}")
            run(python, "-c", IMPORTS + OF_EXTRAS[extra], folder=folder)
            print(f"{version}: [{extra}]", flush=True)
        if examples:
            run(*pip, f"prism-features[notebooks{',torch' if graphs else ''}] @ {wheel.resolve().as_uri()}")
            if graphs:
                run(*pip, "torch_geometric")
            try_notebooks(python, folder, version, graphs)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("wheel", type=Path)
    parser.add_argument("interpreters", nargs="*", default=[sys.executable])
    parser.add_argument("--extras", default="pandas", help="separated by commas: " + ", ".join(OF_EXTRAS))
    parser.add_argument("--examples", action="store_true", help="run notebooks, too")
    parser.add_argument("--graphs", action="store_true", help="with PyTorch and PyTorch Geometric; takes --examples")
    given = parser.parse_args()
    extras = [extra for extra in given.extras.split(",") if extra]
    if unknown := [extra for extra in extras if extra not in OF_EXTRAS]:
        parser.error(f"no line of README is known for {', '.join(unknown)}; --extras takes {', '.join(OF_EXTRAS)}")
    check_names(given.wheel)
    for interpreter in given.interpreters:
        try_in(given.wheel, interpreter, extras, given.examples, given.graphs)


if __name__ == "__main__":
    main()
