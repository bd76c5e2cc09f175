#!/usr/bin/env bash
# Builds the extension with what cargo has built for the tests, runs pytest and mypy on the package, and builds its reference: in PYTHON, or
# in a virtual environment of its own, whose packages come from Python's package index. `--install` only installs these.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
target=${CARGO_TARGET_DIR:-$PWD/target}
python=${PYTHON:-}

# Without compiling all modules of the packages beforehand, which takes longer than the rest: Python compiles those that it imports.
install() {
    "$python" -m pip install --quiet --disable-pip-version-check --no-compile "$@"
}

packages() {
    local needed=(pytest mypy pyarrow numpy tqdm gemmi biopython)
    # For the notebooks, and the code in documents. PyTorch is too large for every check: what takes it runs where it is installed.
    if ! install "${needed[@]}" pandas polars scikit-learn matplotlib MDAnalysis mdtraj biotite prody openmm \
        'pyright[nodejs]' pandas-stubs pyarrow-stubs mkdocs 'mkdocstrings[python]'; then
        echo "left out: tests, notebooks and documents that take pandas, Polars, scikit-learn, matplotlib, MDAnalysis, mdtraj, Biotite, ProDy, OpenMM, pyright and mkdocs, which cannot be had from Python's package index"
        install "${needed[@]}"
    fi
}

installing=
if [[ -z $python ]]; then
    environment=$target/python
    python=$environment/bin/python
    if [[ ! -x $python ]] && ! python3 -m venv "$environment"; then
        echo "left out: python3 makes no virtual environment here; Debian's package python3-venv lets it"
        exit 0
    fi
    # Beside the build.
    packages &
    installing=$!
fi
absent="left out: pytest, mypy, pyarrow, NumPy, tqdm, gemmi and Biopython cannot be had from Python's package index"
if [[ ${1:-} == --install ]]; then
    [[ -z $installing ]] || wait "$installing" || echo "$absent"
    exit 0
fi
# With the features that `cargo test --workspace` unites, so that nothing is built twice.
cargo build --locked --quiet --workspace --exclude prism-fuzz --lib --tests
if [[ -n $installing ]] && ! wait "$installing"; then
    echo "$absent"
    exit 0
fi
site=$target/python-site
rm -rf "$site"
mkdir -p "$site"
# Samples are links to the data of other tests.
cp -rL python/src-python/prism_features "$site/prism_features"
cp "$target/debug/lib_prism.so" "$site/prism_features/_prism.abi3.so"
cd python
export PYTHONPATH=$site
# Both at a time.
"$python" -m mypy --strict --cache-dir "$target/mypy" "$site/prism_features" >"$target/mypy.log" 2>&1 &
checking=$!
"$python" -m pytest -p no:cacheprovider -rs
# The toolkit's own module.
cp "$target/debug/libattention.so" "$site/attention.abi3.so"
"$python" ../toolkit/tests/tensor/python/test_attention.py
wait "$checking" || { cat "$target/mypy.log"; exit 1; }
cat "$target/mypy.log"
if "$python" -c 'import mkdocs, mkdocstrings' 2>"$target/mkdocs.log"; then
    "$python" -m mkdocs build --quiet --strict --config-file mkdocs.yml --site-dir "$target/python-reference"
else
    echo "left out: the reference, since Python has no mkdocs and mkdocstrings"
fi
