"""Features of many files with Dask, on a local cluster of two processes.

Dask is taken beside Ray since it needs Python alone, where Spark needs Java; `mapInArrow` takes the same few lines there.
"""

# %%
from __future__ import annotations

import sys
from collections.abc import Iterator
from functools import cache

import dask
import dask.bag
import pyarrow as pa

import prism_features as prism

COLUMNS = ["wcn", "sasa"]


@cache
def engine() -> prism.Engine:
    """One for each process."""
    return prism.Engine()


def features(paths: Iterator[str]) -> list[pa.Table]:
    """The table of a partition."""
    # By paths: a partition does not know which names others have.
    return [engine().features(list(paths), COLUMNS, on_error="skip", name_by="path").arrow]


# %%
if __name__ == "__main__":
    files = sys.argv[1:] or [str(path) for path in prism.samples()]
    bag = dask.bag.from_sequence(files, npartitions=4)
    with dask.config.set(scheduler="processes", num_workers=2):
        table = pa.concat_tables(bag.map_partitions(features).compute())
    print(f"{len(files)} files, {table.num_rows} rows: {', '.join(table.column_names)}")
