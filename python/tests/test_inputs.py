"""What inputs may come as, beside paths."""

from __future__ import annotations

import io
import logging
import os
import tarfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import prism


def tar_of(paths: list[Path], mode: Any) -> bytes:
    memory = io.BytesIO()
    with tarfile.open(fileobj=memory, mode=mode) as tar:
        for path in paths:
            tar.add(path, path.name)
    return memory.getvalue()


@pytest.mark.parametrize("mode", ["w", "w:gz"])
def test_tars(rbd: Path, crambin: Path, tmp_path: Path, mode: str) -> None:
    content = tar_of([crambin, rbd], mode)
    path = tmp_path / "all.tar"
    path.write_bytes(content)
    expected = prism.features(path, ["wcn"], "cpu")
    assert list(dict.fromkeys(expected["structure"].to_pylist())) == ["all.tar/1crn.pdb", "all.tar/6m0j_rbd.pdb"]
    with path.open("rb") as file:
        for inputs in [("all.tar", content), file]:
            assert prism.features(inputs, ["wcn"], "cpu").equals(expected)
    assert len(prism.features(content, ["wcn"], "cpu")) == len(expected)


def test_iterators_are_read_while_others_are_computed(rbd: Path, crambin: Path) -> None:
    content = rbd.read_bytes()
    given = 0

    def inputs() -> Iterator[Any]:
        nonlocal given
        for index in range(5000):
            given += 1
            yield f"copy {index}", content

    stream = prism.stream(inputs(), ["wcn"], "cpu")
    first = next(stream)
    assert first.column("structure")[0].as_py() == "copy 0"
    # Some batches are ahead, and not all of 5,000.
    assert given < 3000
    del stream
    mixed = (one for one in [crambin, ("memory", content), crambin.parent, ("again", content)])
    names = prism.features(mixed, ["wcn"], "cpu")["structure"].to_pylist()
    assert list(dict.fromkeys(names)) == ["1crn.pdb", "memory", "again"]
    assert len(names) == 46 + 194 + 46 + 194


def test_an_iterators_own_error_comes_after_what_was_before_it(rbd: Path) -> None:
    def inputs() -> Iterator[Any]:
        yield rbd
        raise KeyError("gone")

    stream = prism.stream(inputs(), ["wcn"], "cpu")
    assert next(stream).num_rows == 194
    with pytest.raises(KeyError, match="gone"):
        next(stream)
    with pytest.raises(prism.PrismError, match="input 1: int is no input"):
        prism.features((one for one in [rbd, 3]), ["wcn"], "cpu")


def test_paths_of_one_name_get_their_folders(rbd: Path, tmp_path: Path) -> None:
    for folder in ("a", "b"):
        (tmp_path / folder).mkdir()
        (tmp_path / folder / "x.pdb").write_bytes(rbd.read_bytes())
    paths = [tmp_path / "a" / "x.pdb", tmp_path / "b" / "x.pdb"]
    for inputs in (paths, iter(paths)):
        names = prism.features(inputs, ["wcn"], "cpu")["structure"].to_pylist()
        assert list(dict.fromkeys(names)) == ["a/x.pdb", "b/x.pdb"]
    for inputs in (paths, iter(paths)):
        with pytest.raises(prism.PrismError, match="would have the same name"):
            prism.features(inputs, ["wcn"], "cpu", name_by="name")


def test_missing_files_are_inputs_that_fail(rbd: Path) -> None:
    table, failures = prism.features([rbd, "no/such.pdb"], ["wcn"], "cpu", on_error="report")
    assert len(table) == 194
    assert [failure.name for failure in failures] == ["no/such.pdb"]


class Unread:
    """A file object that cannot be read."""

    name = "folder/unread.pdb"

    def __init__(self, gives: Any) -> None:
        self._gives = gives

    def read(self) -> Any:
        if isinstance(self._gives, Exception):
            raise self._gives
        return self._gives


@pytest.mark.parametrize(
    ("gives", "reason"),
    [
        (OSError("disk gone"), "cannot be read: disk gone"),
        (KeyError(), "cannot be read: KeyError"),
        (None, "read() returns NoneType and not bytes"),
        (5, "read() returns int and not bytes"),
    ],
)
def test_file_objects_that_cannot_be_read_are_inputs_that_fail(rbd: Path, gives: Any, reason: str) -> None:
    copies = [(str(index), rbd.read_bytes()) for index in range(5)]
    for inputs in ([Unread(gives), rbd], [Unread(gives), *copies], iter([Unread(gives), rbd])):
        table, failures = prism.features(inputs, ["wcn"], "cpu", on_error="report")
        assert len(table) in (194, 5 * 194)
        assert failures == [prism.InputFailure("unread.pdb", reason)]
    with pytest.raises(prism.InputError, match="^unread.pdb: "):
        prism.features(Unread(gives), ["wcn"], "cpu")


def test_names_that_are_no_unicode_are_replaced(rbd: Path) -> None:
    table = prism.features([("a\udcff.pdb", rbd.read_bytes())], ["wcn"], "cpu")
    (name,) = set(table["structure"].to_pylist())
    assert name.startswith("a\ufffd") and name.endswith(".pdb")


def test_paths_may_be_of_bytes(rbd: Path) -> None:
    class OfBytes:
        def __fspath__(self) -> bytes:
            return os.fsencode(rbd)

    for inputs in (OfBytes(), [OfBytes()], iter([OfBytes()])):
        assert len(prism.features(inputs, ["wcn"], "cpu")) == 194


def test_decisions_are_logged(rbd: Path, caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.INFO, "prism"):
        prism.features(rbd, ["wcn"], "cpu")
    assert "6m0j_rbd.pdb: 1 residues have alternate locations" in caplog.messages


def test_files_that_are_passed_over_are_logged(rbd: Path, caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.INFO, "prism"):
        prism.features(rbd.parent, ["wcn"], "cpu")
    assert any("files are ignored" in message for message in caplog.messages)


def test_progress_takes_tqdm(rbd: Path, capsys: pytest.CaptureFixture[str]) -> None:
    pytest.importorskip("tqdm")
    prism.features([rbd], ["wcn"], "cpu", progress=True)
    assert "1/1" in capsys.readouterr().err
