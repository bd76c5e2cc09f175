"""Per-residue features and binding sites of protein structures, on a GPU or on CPU cores.

>>> import prism_features as prism
>>> table = prism.features(prism.sample("1crn"), columns=["sasa", "wcn"])  # a row for each residue
>>> table.num_rows
46
>>> frame = table.to_pandas()

The import computes nothing and starts no device.
"""

from ._adapters import structures
from ._annotate import annotate
from ._api import areas, atoms, columns, dockq, edges, features, interface, ligands, sites, stream, summary, tensors
from ._clusters import RayFeatures, spark_features
from ._confidence import Prediction, confidence, predictions
from ._engine import Engine
from ._errors import InputError, InputFailure, InputWarning, MissingInputError, PrismError
from ._every_atom import dssp
from ._options import EngineOptions, Options, OwnOptions, ReadingOptions, StreamOptions, TableOptions
from ._prism import Tensor, __version__
from ._report import report
from ._runs import Stream
from ._samples import sample, samples
from ._signatures import spelled_out as _spelled_out
from ._splits import splits
from ._structure import Structure
from ._table import RESIDUES, STATES, Table
from ._trajectory import Trajectory, trajectory

_spelled_out(trajectory)

__all__ = [
    "Engine",
    "EngineOptions",
    "InputError",
    "InputFailure",
    "InputWarning",
    "MissingInputError",
    "Options",
    "OwnOptions",
    "Prediction",
    "PrismError",
    "RESIDUES",
    "RayFeatures",
    "ReadingOptions",
    "STATES",
    "Stream",
    "StreamOptions",
    "Structure",
    "Table",
    "TableOptions",
    "Tensor",
    "Trajectory",
    "__version__",
    "annotate",
    "areas",
    "atoms",
    "columns",
    "confidence",
    "dockq",
    "dssp",
    "edges",
    "features",
    "interface",
    "ligands",
    "predictions",
    "report",
    "sample",
    "samples",
    "sites",
    "spark_features",
    "splits",
    "stream",
    "structures",
    "summary",
    "tensors",
    "trajectory",
]
