"""The results of a call."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

import pyarrow as pa

from . import _prism
from ._errors import InputFailure

if TYPE_CHECKING:
    import pandas
    import polars

#: The columns that identify a row of residues.
IDENTITY = ("structure", "row", "chain", "resnum", "icode", "resname", "parent")


#: The letters of secondary structure in the order of its numbers in tensors, and the names of the types of residues.
STATES: tuple[str, ...]
RESIDUES: tuple[str, ...]
STATES, RESIDUES = map(tuple, _prism.categories())


def with_metadata(table: pa.Table, more: dict[str, str] | None = None) -> pa.Table:
    """A table that no engine has computed, with what the command writes about such tables."""
    return table.replace_schema_metadata(dict(_prism.metadata()) | (more or {}))


class Table:
    """An Arrow table, and the inputs that have no rows in it.

    It has the methods of :class:`pyarrow.Table`, and packages that know Arrow's interface take it as it is (``pyarrow.table(table)``,
    ``polars.DataFrame(table)``). What asks for a :class:`pyarrow.Table` itself, such as ``pyarrow.parquet.write_table``, takes
    ``table.arrow``. Undefined values are null. ``table.schema`` has the unit, definition and source of each column, and the version and
    options that made the table.

    Attributes:
        arrow: The :class:`pyarrow.Table`.
        failures: The inputs without rows, with reasons, where ``on_error`` is not ``"raise"``.
    """

    __slots__ = ("arrow", "failures")

    arrow: pa.Table
    failures: list[InputFailure]

    def __init__(self, arrow: pa.Table, failures: Sequence[InputFailure] = ()) -> None:
        self.arrow = arrow
        self.failures = list(failures)

    @property
    def rows(self) -> Table:
        """Which residue each row is of: the columns that identify it, of those that the table has."""
        return self.select([name for name in IDENTITY if name in self.arrow.column_names])

    @property
    def column_names(self) -> list[str]:
        """The names of the columns, in order."""
        names: list[str] = self.arrow.column_names
        return names

    @property
    def num_rows(self) -> int:
        """The number of rows."""
        return int(self.arrow.num_rows)

    @property
    def schema(self) -> pa.Schema:
        """Types, units and definitions of the columns; version and options as metadata."""
        return self.arrow.schema

    def column(self, name: str | int) -> pa.ChunkedArray:
        """A column by its name or place."""
        return self.arrow.column(name)

    def select(self, names: Sequence[str]) -> Table:
        """The table with these columns alone."""
        return Table(self.arrow.select(list(names)), self.failures)

    def to_pandas(self, **options: Any) -> pandas.DataFrame:
        """As a data frame of pandas. `options` are those of :meth:`pyarrow.Table.to_pandas`."""
        return self.arrow.to_pandas(**options)

    def to_polars(self) -> polars.DataFrame:
        """As a data frame of Polars."""
        import polars

        frame = polars.from_arrow(self.arrow)
        assert isinstance(frame, polars.DataFrame)
        return frame

    def to_pylist(self) -> list[dict[str, Any]]:
        """A dictionary for each row."""
        rows: list[dict[str, Any]] = self.arrow.to_pylist()
        return rows

    def to_pydict(self) -> dict[str, list[Any]]:
        """A list for each column."""
        columns: dict[str, list[Any]] = self.arrow.to_pydict()
        return columns

    def equals(self, other: Any, check_metadata: bool = False) -> bool:
        """Whether another table has the same columns and values."""
        return bool(self.arrow.equals(getattr(other, "arrow", other), check_metadata=check_metadata))

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, (Table, pa.Table)):
            return NotImplemented
        return self.equals(other)

    __hash__ = None  # type: ignore[assignment]

    def __len__(self) -> int:
        return int(self.arrow.num_rows)

    def __getitem__(self, key: str | int | slice) -> Any:
        return self.arrow[key]

    def __iter__(self) -> Iterator[pa.ChunkedArray]:
        return iter(self.arrow.columns)

    def __arrow_c_stream__(self, requested_schema: Any = None) -> Any:
        return self.arrow.__arrow_c_stream__(requested_schema)

    def __getattr__(self, name: str) -> Any:
        # Of an object that is being unpickled, there is no table yet.
        if name in Table.__slots__:
            raise AttributeError(name)
        return getattr(self.arrow, name)

    def __reduce__(self) -> tuple[type[Table], tuple[pa.Table, list[InputFailure]]]:
        return Table, (self.arrow, self.failures)

    def __repr__(self) -> str:
        failed = f", {len(self.failures)} failed" if self.failures else ""
        return f"<prism.Table: {len(self)} rows{failed}>\n{self.arrow!r}"
