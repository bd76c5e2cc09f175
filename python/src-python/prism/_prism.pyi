from collections.abc import Iterator
from typing import Any, final

__version__: str

def columns() -> list[tuple[str, str, str, str]]: ...
def end() -> None: ...
def stem(path: str) -> str: ...
def check_options(options: dict[str, Any]) -> None: ...

@final
class Engine:
    def __new__(
        cls,
        backend: str,
        devices: list[int] | None,
        contact_threshold: float | None,
        points: int | None,
        site_threshold: float | None,
        min_feature_value: float | None,
    ) -> Engine: ...
    @property
    def description(self) -> str: ...
    def job(self, table: str, columns: list[str] | None, options: dict[str, Any]) -> Job: ...

@final
class Job:
    def stream(self, inputs: list[Any] | Iterator[Any], share: tuple[int, int] | None = None) -> Stream: ...

@final
class Stream(Iterator[Batch]):
    def __iter__(self) -> Stream: ...
    def __next__(self) -> Batch: ...
    def only(self) -> Batch | None: ...
    def empty(self) -> Batch: ...
    @property
    def total(self) -> int | None: ...
    def cancel(self) -> None: ...

@final
class Batch:
    def __arrow_c_array__(self, requested_schema: object | None = None) -> tuple[object, object]: ...
    def address(self) -> int: ...
    def __len__(self) -> int: ...
    def tensors(self) -> list[Tensor]: ...
    @property
    def failures(self) -> list[tuple[str, str]]: ...
    @property
    def warnings(self) -> list[tuple[str, str]]: ...
    @property
    def notes(self) -> list[tuple[str, str]]: ...
    @property
    def inputs(self) -> int: ...
    @property
    def seconds(self) -> tuple[float, float, float, tuple[float, float, float] | None] | None: ...

@final
class Atoms:
    def __new__(
        cls,
        atom_names: tuple[str, int, bytes],
        residue_names: tuple[str, int, bytes],
        chain_ids: tuple[str, int, bytes],
        residue_numbers: bytes,
        *,
        insertion_codes: tuple[str, int, bytes] | None,
        altlocs: tuple[str, int, bytes] | None,
        elements: tuple[str, int, bytes] | None,
        hetero: bytes | None,
        in_chain: bytes | None,
        occupancies: bytes | None,
        b_factors: bytes | None,
    ) -> Atoms: ...
    def __len__(self) -> int: ...

@final
class Tensor:
    """A structure's features: ``float32``, shape ``(residues, columns)``, NaN where a feature is not defined."""

    @property
    def name(self) -> str:
        """The structure, as in the column ``structure``."""
    @property
    def columns(self) -> list[str]:
        """What the columns are, in the order of :func:`prism.columns`."""
    @property
    def shape(self) -> tuple[int, int]: ...
    def __array__(self, dtype: Any = None, copy: bool | None = None) -> Any: ...
    def __dlpack__(
        self,
        *,
        stream: int | None = None,
        max_version: tuple[int, int] | None = None,
        dl_device: tuple[int, int] | None = None,
        copy: bool | None = None,
    ) -> Any: ...
    def __dlpack_device__(self) -> tuple[int, int]: ...
