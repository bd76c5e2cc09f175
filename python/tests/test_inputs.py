"""What inputs may come as, beside paths."""

from __future__ import annotations

import gzip
import io
import logging
import os
import tarfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

import prism_features as prism


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
    assert list(dict.fromkeys(names)) == ["1crn.pdb", "memory", f"{crambin.parent.name}/1crn.pdb", "again"]
    assert len(names) == 46 + 194 + 46 + 194


@pytest.mark.parametrize("own", [KeyError, RuntimeError, ValueError, OSError])
def test_an_iterators_own_error_comes_after_what_was_before_it(rbd: Path, own: type[Exception]) -> None:
    def inputs() -> Iterator[Any]:
        yield rbd
        raise own("gone")

    stream = prism.stream(inputs(), ["wcn"], "cpu")
    assert next(stream).num_rows == 194
    with pytest.raises(own, match="gone") as raised:
        next(stream)
    assert raised.type is own and raised.traceback[-1].name == "inputs"
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


def names_of(table: pa.Table) -> list[str]:
    return list(dict.fromkeys(table["structure"].to_pylist()))


def test_paths_are_told_apart_from_all_inputs_of_a_call(crambin: Path, tmp_path: Path) -> None:
    content = crambin.read_bytes()
    for folder in ("a", "b"):
        (tmp_path / folder).mkdir()
        (tmp_path / folder / "x.pdb").write_bytes(content)
    first, second = tmp_path / "a" / "x.pdb", tmp_path / "b" / "x.pdb"
    # A list is known whole. Of an iterator, names before are.
    mixed = [first, ("memory", content), second]
    assert names_of(prism.features(mixed, ["wcn"], "cpu")) == ["a/x.pdb", "memory", "b/x.pdb"]
    assert names_of(prism.features(iter(mixed), ["wcn"], "cpu")) == ["x.pdb", "memory", "b/x.pdb"]
    mixed = [("x.pdb", content), first]
    assert names_of(prism.features(mixed, ["wcn"], "cpu")) == ["x.pdb", "a/x.pdb"]
    for inputs in ([first, ("memory", content), second], [("x.pdb", content), first]):
        for given in (inputs, iter(inputs)):
            with pytest.raises(prism.PrismError, match="would have the same name"):
                prism.features(given, ["wcn"], "cpu", name_by="name")


def test_equal_names_in_memory_get_numbers_and_a_warning(crambin: Path) -> None:
    content = crambin.read_bytes()
    inputs = [("x.pdb", content), ("x.pdb", content), ("y", content), ("x.pdb.gz", gzip.compress(content)), ("x.pdb~2", content)]
    expected = ["x.pdb", "x.pdb~2", "y", "x.pdb~3", "x.pdb~2~2"]
    for given in (inputs, iter(inputs), inputs[:1] + [io.BytesIO(content)] + inputs[1:]):
        with pytest.warns(prism.InputWarning) as warnings:
            table = prism.features(given, ["wcn"], "cpu")
        assert [name for name in names_of(table) if name != "input1"] == expected
        assert sorted(str(one.message).partition(": ")[0] for one in warnings) == ["x.pdb", "x.pdb~2"]
        assert "x.pdb: is the name of several inputs; those after the first are named x.pdb~2 and so on" in map(
            str, (one.message for one in warnings)
        )
    with pytest.warns(prism.InputWarning):
        table = prism.features([("x", content), ("x", b"nothing")], ["wcn"], "cpu", on_error="report")
    assert [failure.name for failure in table.failures] == ["x~2"]


def test_structures_with_the_name_of_another_input_fail(crambin: Path) -> None:
    content = crambin.read_bytes()
    atoms = b"".join(line for line in content.splitlines(keepends=True) if line.startswith(b"ATOM"))
    models = b"".join(b"MODEL %8d\n%sENDMDL\n" % (number, atoms) for number in (1, 2)) + b"END\n"
    tar = ("t.tar", tar_of([crambin], "w"))
    for inputs, names, clash, of in [
        ([("m", models), ("m#2", content)], ["m#1", "m#2"], "m#2", "m"),
        ([tar, ("t.tar/1crn.pdb", content)], ["t.tar/1crn.pdb"], "t.tar/1crn.pdb", "t.tar"),
    ]:
        engine = prism.Engine("cpu")
        for given in (inputs, iter(inputs)):
            table = engine.features(given, ["wcn"], on_error="report", model="all")
            assert names_of(table) == names
            assert len(table) == 46 * len(names)
            assert [failure.name for failure in table.failures] == [clash]
            assert f"a structure of {of} would have this name, but there is an input {clash}" in str(table.failures[0])
        # A worker knows the names of inputs that others compute.
        with pytest.raises(prism.PrismError, match="would have this name"):
            list(engine._tensors("tensors", inputs, ["wcn"], "raise", False, {"model": "all"}, (0, 2)))


def test_missing_files_are_inputs_that_fail(rbd: Path) -> None:
    table = prism.features([rbd, "no/such.pdb"], ["wcn"], "cpu", on_error="report")
    assert len(table) == 194
    assert [failure.name for failure in table.failures] == ["no/such.pdb"]


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
        table = prism.features(inputs, ["wcn"], "cpu", on_error="report")
        assert len(table) in (194, 5 * 194)
        assert table.failures == [prism.InputFailure("unread.pdb", reason)]
    with pytest.raises(prism.InputError, match="^unread.pdb: "):
        prism.features(Unread(gives), ["wcn"], "cpu")


def test_names_that_are_no_unicode_are_replaced(rbd: Path) -> None:
    table = prism.features([("a\udcff.pdb", rbd.read_bytes())], ["wcn"], "cpu")
    (name,) = set(table["structure"].to_pylist())
    assert name.startswith("a\ufffd") and name.endswith(".pdb")


def test_names_of_bytes_are_kept_but_for_a_compression(crambin: Path) -> None:
    content = crambin.read_bytes()
    inputs = [("/a/x.pdb", content), ("s3://a//y.pdb", content), ("z.pdb.gz", gzip.compress(content))]
    assert names_of(prism.features(inputs, ["wcn"], "cpu")) == ["/a/x.pdb", "s3://a//y.pdb", "z.pdb"]


def test_paths_may_be_of_bytes(rbd: Path) -> None:
    class OfBytes:
        def __fspath__(self) -> bytes:
            return os.fsencode(rbd)

    for inputs in (OfBytes(), [OfBytes()], iter([OfBytes()])):
        assert len(prism.features(inputs, ["wcn"], "cpu")) == 194


def test_decisions_are_logged(rbd: Path, caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.INFO, "prism_features"):
        prism.features(rbd, ["wcn"], "cpu")
    assert "6m0j_rbd.pdb: 1 residue has alternate locations" in caplog.messages


def test_files_that_are_passed_over_are_logged(rbd: Path, caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.INFO, "prism_features"):
        prism.features(rbd.parent, ["wcn"], "cpu")
    assert any("files are ignored" in message for message in caplog.messages)


def test_a_folder_without_structures_is_a_warning(rbd: Path, tmp_path: Path) -> None:
    (tmp_path / "notes.txt").write_text("")
    for inputs in (tmp_path, [rbd, tmp_path], iter([rbd, tmp_path]), iter([tmp_path])):
        with pytest.warns(prism.InputWarning, match=f"^{tmp_path}: holds no structure files; the formats are .pdb"):
            table = prism.features(inputs, ["wcn"], "cpu")
        assert len(table) in (0, 194)


def test_progress_takes_tqdm(rbd: Path, capsys: pytest.CaptureFixture[str]) -> None:
    pytest.importorskip("tqdm")
    prism.features([rbd], ["wcn"], "cpu", progress=True)
    assert "1/1" in capsys.readouterr().err
