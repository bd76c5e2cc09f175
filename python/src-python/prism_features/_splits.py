"""Shares of a set of structures that have no relatives in each other, for training and tests."""

from __future__ import annotations

import hashlib
import math
import shutil
import subprocess
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

import pyarrow as pa

from ._engine import Engine
from ._errors import PrismError
from ._options import OnError
from ._table import Table

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

#: Of 20 amino acids, in the order of their three-letter names.
_LETTERS = {
    "ALA": "A", "ARG": "R", "ASN": "N", "ASP": "D", "CYS": "C", "GLN": "Q", "GLU": "E", "GLY": "G", "HIS": "H", "ILE": "I",
    "LEU": "L", "LYS": "K", "MET": "M", "PHE": "F", "PRO": "P", "SER": "S", "THR": "T", "TRP": "W", "TYR": "Y", "VAL": "V",
}  # fmt: skip
#: Letters of a word, and how many words there are.
_WORD = 4
_WORDS = 20**_WORD
#: The share of the shorter chain's words that relatives have in common, beside what chance gives, and the fewest such words.
_SHARE = 0.03
_FEWEST = 4
#: The part of the shorter chain that MMseqs2 has to align.
_COVERAGE = 0.8


def splits(
    inputs: Any,
    parts: Mapping[str, float] | None = None,
    *,
    identity: float = 0.3,
    by: Literal["auto", "mmseqs", "words"] = "auto",
    seed: int = 0,
    on_error: OnError = "raise",
) -> Table:
    """Divides structures into parts for training and tests, so that no structure has a relative in another part. A row for each structure:
    ``structure``, its ``group``, and its ``part``.

    A group are structures of one entry (files whose names are equal up to the first dot, such as ``1abc.pdb`` and ``1ABC.cif.gz``), and
    structures that have relatives among their chains, also by way of others. Relatives are chains with equal sequences, and

    - by ``"mmseqs"``, chains that MMseqs2 clusters at this ``identity``, aligned over 80% of both;
    - by ``"words"``, chains that share at least 4 different words of 4 amino acids, and of the shorter chain's words at least
      3% + 2 (words of the longer chain) / 20^4. This finds relatives of about 40% identity and more, whatever ``identity`` says.

    The largest groups come first, each into the part that lacks most of its share; of equal ones the order follows from ``seed``. The
    same structures get the same parts. Structures of nucleic acids alone are grouped by entry.

    Args:
        inputs: As of :func:`prism.features`.
        parts: Names of the parts, and the share of the structures that each should get, divided by the sum of all: ``{"a": 4, "b": 1}`` is
            80% and 20%. ``None`` is ``{"train": 0.8, "validation": 0.1,
            "test": 0.1}``. A group may be larger than a share.
        identity: The least sequence identity of relatives, above 0 and at most 1, for MMseqs2.
        by: ``"auto"`` is ``"mmseqs"`` where the program ``mmseqs`` is installed, else ``"words"``. The table's metadata has which it was.
        seed: Another one orders groups of equal size in another way.
        on_error: As of :func:`prism.features`.

    Raises:
        PrismError: A share is not above 0 and finite, ``identity`` is out of range, or MMseqs2 is missing or fails.

    Examples:
        >>> prism.splits(prism.samples(), {"train": 0.5, "test": 0.5}, by="words").column_names
        ['structure', 'group', 'part']
    """
    shares = dict(parts if parts is not None else {"train": 0.8, "validation": 0.1, "test": 0.1})
    wrong = [name for name, share in shares.items() if not 0 < share < math.inf]
    if wrong or not shares:
        raise PrismError(f"parts: {wrong[0]!r} has no finite share above 0" if wrong else "parts names no part")
    if not 0 < identity <= 1:
        raise PrismError(f"identity is above 0 and at most 1, not {identity}")
    if by not in ("auto", "mmseqs", "words"):
        raise PrismError(f'by is "auto", "mmseqs" or "words", not {by!r}')
    program = shutil.which("mmseqs")
    if by == "mmseqs" and program is None:
        raise PrismError('by="mmseqs": there is no program mmseqs on the PATH; install MMseqs2, or take by="words"')
    table = Engine("cpu").features(inputs, ["structure", "chain", "parent"], on_error=on_error)
    structures, sequences = _sequences(table.arrow)
    unique = sorted({sequence for chains in sequences for sequence in chains})
    with_mmseqs = by != "words" and program is not None
    links = _by_mmseqs(str(program), unique, identity) if with_mmseqs else _by_words(unique)
    groups = _groups(structures, sequences, unique, links)
    part_of = _parts(groups, shares, seed)
    columns = {"structure": structures, "group": groups, "part": [part_of[group] for group in groups]}
    rule = f"MMseqs2, identity {identity}" if with_mmseqs else f"words of {_WORD} amino acids"
    return Table(pa.table(columns).replace_schema_metadata({"relatives": rule, "seed": str(seed)}), table.failures)


def _sequences(rows: pa.Table) -> tuple[list[str], list[list[str]]]:
    """The structures in order, and the sequences of each one's chains of amino acids."""
    chains: dict[str, dict[str, list[str]]] = {}
    for name, chain, parent in zip(*(rows.column(of).to_pylist() for of in ("structure", "chain", "parent"))):
        own = chains.setdefault(name, {}).setdefault(chain, [])
        own.append(_LETTERS.get(parent, "X"))
    texts = ["".join(chain) for own in chains.values() for chain in own.values()]
    proteins = {text for text in texts if text.strip("X")}
    return list(chains), [[text for text in map("".join, own.values()) if text in proteins] for own in chains.values()]


def _by_mmseqs(program: str, sequences: Sequence[str], identity: float) -> list[tuple[int, int]]:
    if len(sequences) < 2:
        return []
    with tempfile.TemporaryDirectory() as folder:
        fasta = Path(folder, "chains.fasta")
        fasta.write_text("".join(f">{index}\n{sequence}\n" for index, sequence in enumerate(sequences)), encoding="ascii")
        # Connected components, so that no relative of a representative's relative is left out.
        words = ["--min-seq-id", str(identity), "-c", str(_COVERAGE), "--cluster-mode", "1", "-v", "1"]
        made = subprocess.run([program, "easy-cluster", fasta, f"{folder}/made", f"{folder}/tmp", *words], capture_output=True, text=True)
        found = Path(folder, "made_cluster.tsv")
        if made.returncode != 0 or not found.exists():
            raise PrismError(f"mmseqs easy-cluster failed: {(made.stderr or made.stdout).strip()[-500:]}")
        pairs = (line.split("\t") for line in found.read_text(encoding="ascii").splitlines())
        return [(int(one), int(other)) for one, other in pairs]


def _words(sequence: str) -> npt.NDArray[np.int64]:
    """The numbers of a sequence's different words, without those with unknown amino acids."""
    import numpy as np

    order = {letter: number for number, letter in enumerate(sorted(_LETTERS.values()))}
    numbers = np.array([order.get(letter, -1) for letter in sequence], np.int64)
    count = len(numbers) - _WORD + 1
    if count < 1:
        return np.zeros(0, np.int64)
    windows = np.stack([numbers[first : first + count] for first in range(_WORD)])
    known = windows[:, (windows >= 0).all(axis=0)]
    return np.unique((known.T * 20 ** np.arange(_WORD)).sum(axis=1))


def _by_words(sequences: Sequence[str]) -> list[tuple[int, int]]:
    import numpy as np

    words = [_words(sequence) for sequence in sequences]
    counts = np.array([len(own) for own in words], np.int64)
    if not counts.any():
        return []
    # Which chains have a word: the chains in the order of words, and where those of each word begin.
    chains = np.repeat(np.arange(len(words)), counts)[np.argsort(np.concatenate(words), kind="stable")]
    begins = np.searchsorted(np.sort(np.concatenate(words)), np.arange(_WORDS + 1))
    links = []
    for one, own in enumerate(words):
        shared = np.zeros(len(words), np.int64)
        for word in own:
            shared[chains[begins[word] : begins[word + 1]]] += 1
        shorter, longer = np.minimum(counts, len(own)), np.maximum(counts, len(own))
        related = (shared >= _FEWEST) & (shared >= shorter * (_SHARE + 2 * longer / _WORDS))
        links += [(one, int(other)) for other in np.nonzero(related)[0] if other > one]
    return links


def _groups(
    structures: Sequence[str], sequences: Sequence[Sequence[str]], unique: Sequence[str], links: Sequence[tuple[int, int]]
) -> list[str]:
    """The group of each structure, by the name of the first one in it."""
    # Chains, then structures.
    first = list(range(len(unique) + len(structures)))

    def of(node: int) -> int:
        while first[node] != node:
            first[node] = first[first[node]]
            node = first[node]
        return node

    def join(one: int, other: int) -> None:
        one, other = sorted((of(one), of(other)))
        first[other] = one

    number = {sequence: index for index, sequence in enumerate(unique)}
    entries: dict[str, int] = {}
    for index, (name, own) in enumerate(zip(structures, sequences), len(unique)):
        # A structure of a file with several is called FILE:PART.
        stem = Path(name.split(":")[0]).name.split(".")[0].lower()
        join(index, entries.setdefault(stem, index))
        for sequence in own:
            join(index, number[sequence])
    for one, other in links:
        join(one, other)
    named: dict[int, str] = {}
    return [named.setdefault(of(index), name) for index, name in enumerate(structures, len(unique))]


def _parts(groups: Sequence[str], shares: Mapping[str, float], seed: int) -> dict[str, str]:
    """The part of each group."""
    sizes: dict[str, int] = {}
    for group in groups:
        sizes[group] = sizes.get(group, 0) + 1

    def order(group: str) -> tuple[int, str]:
        return -sizes[group], hashlib.sha256(f"{seed}:{group}".encode()).hexdigest()

    total = sum(shares.values())
    lacking = {name: share / total * len(groups) for name, share in shares.items()}
    part_of = {}
    for group in sorted(sizes, key=order):
        name = max(lacking, key=lambda part: lacking[part])
        part_of[group] = name
        lacking[name] -= sizes[group]
    return part_of
