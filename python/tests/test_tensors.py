"""Tensors read the memory that features were computed into, as long as anybody has them."""

from __future__ import annotations

import ctypes
import gc
import threading
from pathlib import Path
from typing import Any

import pytest

import prism_features as prism

np = pytest.importorskip("numpy")
COLUMNS = ["wcn", "sasa"]
#: The name of a capsule whose tensor was taken.
USED = b"used_dltensor"


def expected(path: Path) -> "np.ndarray[tuple[int, int], np.dtype[np.float32]]":
    table = prism.features(path, COLUMNS, "cpu")
    return np.column_stack([table[name].to_numpy() for name in COLUMNS])


def test_a_tensor_a_structure(rbd: Path, crambin: Path) -> None:
    tensors = list(prism.tensors([rbd, crambin], COLUMNS, "cpu"))
    assert [tensor.name for tensor in tensors] == ["6m0j_rbd.pdb", "1crn.pdb"]
    for tensor, path in zip(tensors, (rbd, crambin), strict=True):
        assert sorted(tensor.columns) == sorted(COLUMNS)
        order = [tensor.columns.index(name) for name in COLUMNS]
        array = np.from_dlpack(tensor)
        assert array.shape == tensor.shape
        assert array.dtype == np.float32
        np.testing.assert_array_equal(array[:, order], expected(path))


def test_a_tensor_is_an_array_and_says_what_it_is(rbd: Path) -> None:
    tensor = next(prism.tensors(rbd, COLUMNS, "cpu"))
    array = np.from_dlpack(tensor)
    # Without `__array__`, NumPy made an array of one object.
    shared = np.asarray(tensor)
    assert np.shares_memory(shared, array) and shared.shape == (194, 2)
    assert not np.shares_memory(np.array(tensor), array)
    assert np.asarray(tensor, dtype="float64").dtype == np.float64
    assert repr(tensor) == '<prism.Tensor "6m0j_rbd.pdb": 194 residues, 2 columns: wcn, sasa>'
    assert repr(next(prism.tensors(rbd))).endswith("columns: contact_number, wcn, hse_up, hse_down, ...>")


def test_no_copy_is_made(rbd: Path) -> None:
    tensor = next(prism.tensors(rbd, COLUMNS, "cpu"))
    one, other = np.from_dlpack(tensor), np.from_dlpack(tensor)
    assert one.ctypes.data == other.ctypes.data
    assert np.from_dlpack(tensor, copy=True).ctypes.data != one.ctypes.data


def test_a_tensor_outlives_its_run_in_another_thread(rbd: Path) -> None:
    engine = prism.Engine("cpu")
    arrays = [np.from_dlpack(tensor) for tensor in engine.tensors([(str(i), rbd.read_bytes()) for i in range(50)], COLUMNS)]
    del engine
    gc.collect()
    # Memory of others is reused meanwhile.
    prism.features([(str(i), rbd.read_bytes()) for i in range(50)], backend="cpu")
    found = []
    thread = threading.Thread(target=lambda: found.extend(float(np.nansum(array)) for array in arrays))
    thread.start()
    thread.join()
    total = float(np.nansum(arrays[0]))
    assert total > 0 and found == [total] * 50


def test_unread_capsules_free_their_memory(rbd: Path) -> None:
    tensor = next(prism.tensors(rbd, COLUMNS, "cpu"))
    for _ in range(1000):
        tensor.__dlpack__()
    assert tensor.__dlpack_device__() == (1, 0)


def drop_as_readers_do(capsule: Any, with_lock: bool) -> None:
    """Takes the tensor of a capsule, and calls its deleter: readers in C++ do so with Python's lock or without it."""
    api = ctypes.pythonapi
    api.PyCapsule_GetPointer.restype = ctypes.c_void_p
    api.PyCapsule_GetPointer.argtypes = [ctypes.py_object, ctypes.c_char_p]
    api.PyCapsule_SetName.argtypes = [ctypes.py_object, ctypes.c_char_p]
    tensor = api.PyCapsule_GetPointer(capsule, b"dltensor")
    # A capsule keeps the pointer to its name.
    api.PyCapsule_SetName(capsule, USED)
    deleter = ctypes.cast(tensor + 56, ctypes.POINTER(ctypes.c_void_p))[0]
    # `CFUNCTYPE` gives the lock back for the call.
    kind = ctypes.PYFUNCTYPE if with_lock else ctypes.CFUNCTYPE
    kind(None, ctypes.c_void_p)(deleter)(tensor)


@pytest.mark.parametrize("with_lock", [True, False])
def test_readers_drop_tensors_with_the_lock_and_without(rbd: Path, with_lock: bool) -> None:
    for _ in range(50):
        (tensor,) = prism.tensors(rbd, COLUMNS, "cpu")
        capsule = tensor.__dlpack__()
        # The reader has the last reference.
        del tensor
        drop_as_readers_do(capsule, with_lock)


def test_no_rows_for_what_only_covers(data: Path) -> None:
    path = data / "4zhl.cif.gz"
    tensor = next(prism.tensors(path, ["sasa"], "cpu", het="cover"))
    table = prism.features(path, ["sasa"], "cpu", het="cover")
    np.testing.assert_array_equal(np.from_dlpack(tensor)[:, 0], table["sasa"].to_numpy())


def test_ligands_have_rows_where_they_are_asked_for(data: Path) -> None:
    path = data / "1fbl_cut.cif.gz"
    tensor = next(prism.tensors(path, ["sasa", "depth", "ca_x", "charge"], "cpu", het="rows"))
    table = prism.features(path, ["sasa", "depth", "ca_x", "charge"], "cpu", het="rows")
    for place, name in enumerate(tensor.columns):
        np.testing.assert_array_equal(np.from_dlpack(tensor)[:, place], table[name].to_numpy())
    kinds = table["polymer"].to_pylist()
    assert kinds == ["protein"] * 113 + ["ion"] * 6 + ["ligand"]
    assert tensor.rows["resname"].to_pylist()[-1] == "HTA"
    assert table["resnum"].to_pylist()[-1] == 900 and table["charge"].to_pylist()[-1] is None
    for function in (prism.sites, prism.edges, prism.interface, prism.ligands, prism.atoms, prism.summary):
        with pytest.raises(prism.PrismError, match='het="rows" is for features and tensors'):
            function(path, backend="cpu", het="rows")  # type: ignore[operator]


def test_what_cannot_be_given_is_refused(rbd: Path) -> None:
    tensor = next(prism.tensors(rbd, COLUMNS, "cpu"))
    with pytest.raises(BufferError, match="no streams"):
        tensor.__dlpack__(stream=1)
    with pytest.raises(BufferError, match="host's memory"):
        tensor.__dlpack__(dl_device=(2, 0))
    with pytest.raises(prism.PrismError, match="'resname' is no feature|\"resname\" is no feature"):
        prism.tensors(rbd, ["resname"], "cpu")
