"""Per-residue features and binding sites of protein structures, on a GPU or on CPU cores.

>>> import prism
>>> table = prism.features("structures/", columns=["sasa", "wcn"])  # a pyarrow.Table, a row a residue
>>> frame = table.to_pandas()

Nothing is computed and no device is started by the import. See :func:`features`, :func:`sites`, :func:`stream` and
:class:`Engine`.
"""

from ._api import Engine, columns, features, sites, stream
from ._errors import InputError, InputFailure, InputWarning, PrismError
from ._prism import __version__
from ._ray import RayFeatures

__all__ = [
    "Engine",
    "InputError",
    "InputFailure",
    "InputWarning",
    "PrismError",
    "RayFeatures",
    "__version__",
    "columns",
    "features",
    "sites",
    "stream",
]
