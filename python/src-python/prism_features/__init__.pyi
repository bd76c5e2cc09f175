"""Per-residue features and binding sites of protein structures. (This file is written by `python/stubs.py`.)"""

import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, Literal

import numpy as np
import numpy.typing as npt
import pyarrow as pa
from typing_extensions import Self

from ._adapters import structures as structures
from ._annotate import annotate as annotate
from ._confidence import Prediction as Prediction
from ._confidence import confidence as confidence
from ._confidence import predictions as predictions
from ._errors import InputError as InputError
from ._errors import InputFailure as InputFailure
from ._errors import InputWarning as InputWarning
from ._errors import MissingInputError as MissingInputError
from ._errors import PrismError as PrismError
from ._every_atom import dssp as dssp
from ._options import EngineOptions as EngineOptions
from ._options import Options as Options
from ._options import OwnOptions as OwnOptions
from ._options import ReadingOptions as ReadingOptions
from ._options import StreamOptions as StreamOptions
from ._options import TableOptions as TableOptions
from ._prism import Tensor as Tensor
from ._prism import __version__ as __version__
from ._runs import Stream as Stream
from ._samples import sample as sample
from ._samples import samples as samples
from ._structure import Structure as Structure
from ._table import RESIDUES as RESIDUES
from ._table import STATES as STATES
from ._table import Table as Table
from ._options import Backend, Device, FrameTable, OnError, TableName
from ._report import Paths

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

def features(
    inputs: Any,
    columns: str | Sequence[str] | None = None,
    backend: Backend = 'auto',
    *,
    on_error: OnError = 'raise',
    progress: bool = False,
    chains: Sequence[str] | None = None,
    select: str | None = None,
    each: Literal['chain', 'molecule', 'assembly', 'model'] | None = None,
    residues: Literal['all', 'standard'] = 'all',
    polymers: Literal['protein', 'nucleic', 'all'] | None = None,
    altloc: str = 'highest',
    model: int | Literal['all', 'join'] | None = None,
    assembly: str | None = None,
    het: Literal['none', 'cover', 'rows'] = 'none',
    name_by: Literal['name', 'path', 'stem'] | None = None,
    annotations: str | os.PathLike[str] | None = None,
    lineages: str | os.PathLike[str] | None = None,
    devices: Sequence[int] | Literal['all'] | None = None,
    threads: int | None = None,
    contact_threshold: float = 8.0,
    points: int = 100,
    site_threshold: float = 0.326,
    min_feature_value: float = 0.0,
) -> Table:
    """A table with a row for each residue, as ``prism features`` writes it: the same rows, order and bits.

    Args:
        inputs: One input or an iterable of them. An input is

            - a path of a file, a tar, a packed data set, or a folder, which is walked;
            - ``bytes``, or ``(name, bytes)``: the content of a file or tar, compressed or not;
            - a file object, which is read to its end;
            - a :class:`Structure`, which is made of arrays;
            - an object of another package: see :func:`structures`.

            Another thread advances an iterator while earlier inputs are computed. It takes all paths in a row
            first, and otherwise at most 256 structures or 32 MiB ahead.
        columns: Names of the features to compute; :func:`columns` lists them. ``None`` takes all. Columns that identify the
            residue (``structure``, ``chain``, ``resnum``, ...) come first. If you name one of those too, the table has exactly
            the columns that you name.
        on_error: What to do about inputs that fail. ``"raise"``: the first raises :class:`InputError`. ``"skip"``: leave them out,
            with an :class:`InputWarning` for each. ``"report"``: leave them out. In both cases :attr:`Table.failures` lists them.
        progress: Show a progress bar. This needs tqdm.

    The other options say what is read: see :class:`ReadingOptions`.

    Returns:
        A table. Undefined values are null. The metadata of a field has the feature's unit, definition and source, that of the table
        the version and the options.

        Choices made while reading (alternate locations, say) go to the logger ``prism_features`` at level INFO. Something odd about
        an input is an :class:`InputWarning`.

    Raises:
        InputError: An input failed. The error names it.
        PrismError: An argument has a wrong value, or the backend failed.
        TypeError: An argument is of a wrong type, or there is no such option.

    Examples:
        >>> table = prism.features("6m0j_rbd.pdb", ["chain", "resnum", "resname", "sasa", "rsa", "ss"])
        >>> table.to_pandas().head(3)
          chain  resnum resname        sasa       rsa ss
        0     E     333     THR  180.778320  1.051037  -
        1     E     334     ASN  111.225906  0.570389  P
        2     E     335     LEU  126.965385  0.631669  B
    """

def sites(
    inputs: Any,
    backend: Backend = 'auto',
    *,
    max_sites: int = 20,
    min_probability: float = 0.1,
    all: bool = False,
    min_plddt: float | None = None,
    pocket_shape: bool = False,
    on_error: OnError = 'raise',
    progress: bool = False,
    chains: Sequence[str] | None = None,
    select: str | None = None,
    each: Literal['chain', 'molecule', 'assembly', 'model'] | None = None,
    residues: Literal['all', 'standard'] = 'all',
    polymers: Literal['protein', 'nucleic', 'all'] | None = None,
    altloc: str = 'highest',
    model: int | Literal['all', 'join'] | None = None,
    assembly: str | None = None,
    het: Literal['none', 'cover', 'rows'] = 'none',
    name_by: Literal['name', 'path', 'stem'] | None = None,
    annotations: str | os.PathLike[str] | None = None,
    lineages: str | os.PathLike[str] | None = None,
    devices: Sequence[int] | Literal['all'] | None = None,
    threads: int | None = None,
    contact_threshold: float = 8.0,
    points: int = 100,
    site_threshold: float = 0.326,
    min_feature_value: float = 0.0,
) -> Table:
    """Where ligands may bind: a row for each site, as ``prism sites`` writes it. A site has a rank, a score, a probability, a centre
    (Å), an area (Å²), a volume (Å³), its residues as ``A_120``, separated by spaces, and their mean pLDDT in predicted models. A site
    of a mean pLDDT below 50 is an :class:`InputWarning`. Its rank is the ``site_id`` of its residues in :func:`features`.

    Args:
        max_sites: The most sites of a structure.
        min_probability: Leave out sites with a lower probability of binding a ligand.
        all: Sites of any probability.
        min_plddt: Leave out sites of predicted models whose residues have a lower mean pLDDT, from 0 to 100.
        pocket_shape: Columns with the shape of each site's pocket (``--pocket-shape``), which take longer than all others.

    Other arguments, and errors, are those of :func:`features`.

    Examples:
        >>> table = prism.sites("6m0j_rbd.pdb", max_sites=3)
        >>> table.select(["rank", "score", "probability", "area", "volume"]).to_pandas()
           rank     score  probability        area  volume
        0     1  2.179916     0.529257   71.804688   443.0
        1     2  1.104448     0.421828  123.006836   566.0
        2     3  1.057761     0.415144   43.916992   419.0
    """

def edges(
    inputs: Any,
    backend: Backend = 'auto',
    *,
    kinds: Sequence[str] = ('ca', 'atom'),
    attributes: Sequence[Literal['rbf', 'frame']] = (),
    ids: Literal['rows', 'residues'] | None = None,
    cutoff: float = 4.5,
    neighbors: int = 30,
    steps: int = 1,
    ccd: str | os.PathLike[str] | None = None,
    pae: bool = False,
    on_error: OnError = 'raise',
    progress: bool = False,
    chains: Sequence[str] | None = None,
    select: str | None = None,
    each: Literal['chain', 'molecule', 'assembly', 'model'] | None = None,
    residues: Literal['all', 'standard'] = 'all',
    polymers: Literal['protein', 'nucleic', 'all'] | None = None,
    altloc: str = 'highest',
    model: int | Literal['all', 'join'] | None = None,
    assembly: str | None = None,
    het: Literal['none', 'cover', 'rows'] = 'none',
    name_by: Literal['name', 'path', 'stem'] | None = None,
    annotations: str | os.PathLike[str] | None = None,
    lineages: str | os.PathLike[str] | None = None,
    devices: Sequence[int] | Literal['all'] | None = None,
    threads: int | None = None,
    contact_threshold: float = 8.0,
    points: int = 100,
    site_threshold: float = 0.326,
    min_feature_value: float = 0.0,
) -> Table:
    """Residues in contact: a row for each pair, as ``prism edges`` writes it. A pair has the rows of both residues in
    :func:`features`, their distance (Å), and the kind of contact.

    Args:
        kinds: ``"ca"``: alpha carbons closer than ``contact_threshold``. ``"atom"``: heavy atoms within ``cutoff``, where the residues are
            at least two rows apart or in different chains. ``"knn"``: from each residue to its nearest ``neighbors``. ``"sequence"``:
            residues at most ``steps`` rows apart in a chain. ``"hbond_backbone"``, ``"bridge"``: by DSSP, with columns of energies and
            ladders. Or interactions of every atom (``"hbond"``, ``"salt_bridge"``, ``"pi_stack"``, ``"metal"``, ...;
            ``prism edges --list`` shows all), which are named by chain, number and name, with their atoms; they are computed from
            files on CPU cores, and take the options ``chains``, ``altloc`` and ``name_by``.
        attributes: Columns for networks. ``"rbf"``: 16 Gaussians of the distance, with centres from 2 to 22 Å and a width of 1.25 Å, as
            in ProteinMPNN. ``"frame"``: the second alpha carbon in the local frame of the first residue, and the quaternion between
            both frames. Interactions have none.
        ids: Residues by their ``"rows"``, or, as ``"residues"``, by chain, number, insertion code and name. ``None`` is rows;
            interactions, which have no rows, are by residues.
        cutoff: Heavy atoms of kind ``"atom"`` within this distance are in contact, at most 20 Å.
        neighbors: Nearest residues of each one, for kind ``"knn"``, at most 100,000.
        steps: Rows along a chain, for kind ``"sequence"``, at most 100,000.
        ccd: Bonds of ligands for interactions: a file of the Chemical Component Dictionary.
        pae: Columns with the predicted aligned errors (Å), and the predictor's probability of a contact, of models that lie beside
            their matrices (``--pae``). The inputs are paths then.

    Other arguments, and errors, are those of :func:`features`.

    Examples:
        >>> prism.edges("6m0j_rbd.pdb", kinds=["ca"]).to_pandas().head(3)
              structure  row_i  row_j  distance kind
        0  6m0j_rbd.pdb      0      1  3.828752   ca
        1  6m0j_rbd.pdb      0      2  6.811656   ca
        2  6m0j_rbd.pdb      0     27  7.735856   ca
        >>> bonds = prism.edges("6m0j_rbd.pdb", kinds=["disulfide"])
        >>> bonds.select(["chain_a", "resnum_a", "chain_b", "resnum_b", "distance"]).to_pandas()
          chain_a  resnum_a chain_b  resnum_b  distance
        0       E       336       E       361  2.037571
        1       E       379       E       432  2.043762
        2       E       391       E       525  2.047252
        3       E       480       E       488  2.066047
    """

def interface(
    inputs: Any,
    backend: Backend = 'auto',
    *,
    between: tuple[str, str] | None = None,
    groups: str | os.PathLike[str] | None = None,
    all_atoms: bool = False,
    shape: bool = False,
    ccd: str | os.PathLike[str] | None = None,
    by_residue: bool = False,
    pae: bool = False,
    on_error: OnError = 'raise',
    progress: bool = False,
    chains: Sequence[str] | None = None,
    select: str | None = None,
    each: Literal['chain', 'molecule', 'assembly', 'model'] | None = None,
    residues: Literal['all', 'standard'] = 'all',
    polymers: Literal['protein', 'nucleic', 'all'] | None = None,
    altloc: str = 'highest',
    model: int | Literal['all', 'join'] | None = None,
    assembly: str | None = None,
    het: Literal['none', 'cover', 'rows'] = 'none',
    name_by: Literal['name', 'path', 'stem'] | None = None,
    annotations: str | os.PathLike[str] | None = None,
    lineages: str | os.PathLike[str] | None = None,
    devices: Sequence[int] | Literal['all'] | None = None,
    threads: int | None = None,
    contact_threshold: float = 8.0,
    points: int = 100,
    site_threshold: float = 0.326,
    min_feature_value: float = 0.0,
) -> Table:
    """The area (Å²) buried between chains: a row for each pair of chains that touch, as ``prism interface`` writes it.

    Args:
        between: Only the interface between these two chains, as if there were no others. A structure without one of them fails. Or
            between two groups: chains joined by ``+`` (``"H+L"``), residues of a chain (``"A:10-50"``), ``"protein"``, ``"nucleic"``,
            ``"ligand"``, ``"ion"``, ``"glycan"``, ``"resname:NAME"``, or a selection as ``select`` takes it. Between groups every atom
            counts, as with ``all_atoms``.
        groups: The interfaces of all pairs of a structure's groups, from a table (CSV or TSV) with the columns ``structure``,
            ``group`` and ``residues`` (``--groups``). A structure without a line fails. Every atom counts, too.
        all_atoms: Interfaces of nucleic acids, ligands, ions and sugars, too, with polar area and interactions counted
            (``--all-atoms``). They are computed from files, and take the options ``chains``, ``altloc`` and ``name_by``.
        shape: Columns with how the surfaces of groups fit: their shape complementarity, and the volume of gaps (``--shape``).
        ccd: Bonds of ligands where every atom counts: a file of the Chemical Component Dictionary.
        by_residue: A row for each residue instead: its surface in the chain alone, in the complex, and buried (``--by-residue``).
        pae: Columns with the predicted aligned errors (Å) of the contacts, of models that lie beside their matrices (``--pae``).

    Other arguments, and errors, are those of :func:`features`.

    Examples:
        >>> prism.interface("4zhl.cif").to_pandas()
          structure chain_a chain_b  buried_area  residues_a  residues_b  contacts
        0  4zhl.cif       U       P  1500.629517          31           9        45
        >>> own = prism.interface("4zhl.cif", by_residue=True)
        >>> own.column_names
        ['structure', 'row', 'chain', 'resnum', 'icode', 'resname', 'sasa_alone', 'sasa_complex', 'buried']
    """

def ligands(
    inputs: Any,
    backend: Backend = 'auto',
    *,
    on_error: OnError = 'raise',
    progress: bool = False,
    chains: Sequence[str] | None = None,
    select: str | None = None,
    each: Literal['chain', 'molecule', 'assembly', 'model'] | None = None,
    residues: Literal['all', 'standard'] = 'all',
    polymers: Literal['protein', 'nucleic', 'all'] | None = None,
    altloc: str = 'highest',
    model: int | Literal['all', 'join'] | None = None,
    assembly: str | None = None,
    het: Literal['none', 'cover', 'rows'] = 'none',
    name_by: Literal['name', 'path', 'stem'] | None = None,
    annotations: str | os.PathLike[str] | None = None,
    lineages: str | os.PathLike[str] | None = None,
    devices: Sequence[int] | Literal['all'] | None = None,
    threads: int | None = None,
    contact_threshold: float = 8.0,
    points: int = 100,
    site_threshold: float = 0.326,
    min_feature_value: float = 0.0,
) -> Table:
    """Ligands, ions and sugars, as ``prism ligands`` writes them: a row for each residue that has none in :func:`features`, except
    water and the nucleotides of DNA and RNA, and one for each cluster of buried water. Areas are in Å², distances in Å. Packed data sets
    have no ligands.

    Arguments, and errors, are those of :func:`features`.

    Examples:
        >>> table = prism.ligands("1kx2_cut.pdb")
        >>> table.select(["chain", "resnum", "resname", "kind", "sasa_complex", "bonds"]).to_pandas()
          chain  resnum resname    kind  sasa_complex                    bonds
        0     A      90     HEC  ligand    141.335938  A_11:SG-CAB A_14:SG-CAC
    """

def atoms(
    inputs: Any,
    backend: Backend = 'auto',
    *,
    probe: float = 1.4,
    radii: str | os.PathLike[str] = 'protor',
    algorithm: Literal['shrake-rupley', 'lee-richards'] = 'shrake-rupley',
    slices: int = 20,
    on_error: OnError = 'raise',
    progress: bool = False,
    chains: Sequence[str] | None = None,
    select: str | None = None,
    each: Literal['chain', 'molecule', 'assembly', 'model'] | None = None,
    residues: Literal['all', 'standard'] = 'all',
    polymers: Literal['protein', 'nucleic', 'all'] | None = None,
    altloc: str = 'highest',
    model: int | Literal['all', 'join'] | None = None,
    assembly: str | None = None,
    het: Literal['none', 'cover', 'rows'] = 'none',
    name_by: Literal['name', 'path', 'stem'] | None = None,
    annotations: str | os.PathLike[str] | None = None,
    lineages: str | os.PathLike[str] | None = None,
    devices: Sequence[int] | Literal['all'] | None = None,
    threads: int | None = None,
    contact_threshold: float = 8.0,
    points: int = 100,
    site_threshold: float = 0.326,
    min_feature_value: float = 0.0,
) -> Table:
    """Heavy atoms, as ``prism atoms`` writes them: a row for each, with its radius, accessible area (Å²), depth (Å) and the chains
    that bury it. With ``het="cover"`` atoms of ligands and nucleic acids have rows, too. Packed data sets do not have what atoms are.

    Args:
        probe: Radius of the probe, above 0 and at most 5 Å.
        radii: ``"protor"``, ``"naccess"``, ``"bondi"``, or a file in FreeSASA's configuration format.
        algorithm: ``"shrake-rupley"``, by test points (``points``), or ``"lee-richards"``, by slices.
        slices: Slices of each atom, 1 to 1000.

    Other arguments, and errors, are those of :func:`features`.

    Examples:
        >>> table = prism.atoms("1crn.pdb")
        >>> table.select(["chain", "resnum", "resname", "atom", "radius", "sasa", "depth"]).to_pandas().head(3)
          chain  resnum resname atom  radius       sasa     depth
        0     A       1     THR    N    1.64  23.226675  0.000000
        1     A       1     THR   CA    1.88  14.871345  0.000000
        2     A       1     THR    C    1.61   0.000000  1.335037
    """

def areas(
    inputs: Any,
    backend: Backend = 'auto',
    *,
    format: Literal['rsa', 'naccess', 'pdb'] = 'rsa',
    probe: float = 1.4,
    radii: str | os.PathLike[str] = 'protor',
    algorithm: Literal['shrake-rupley', 'lee-richards'] = 'shrake-rupley',
    slices: int = 20,
    on_error: OnError = 'raise',
    progress: bool = False,
    chains: Sequence[str] | None = None,
    select: str | None = None,
    each: Literal['chain', 'molecule', 'assembly', 'model'] | None = None,
    residues: Literal['all', 'standard'] = 'all',
    polymers: Literal['protein', 'nucleic', 'all'] | None = None,
    altloc: str = 'highest',
    model: int | Literal['all', 'join'] | None = None,
    assembly: str | None = None,
    het: Literal['none', 'cover', 'rows'] = 'none',
    name_by: Literal['name', 'path', 'stem'] | None = None,
    annotations: str | os.PathLike[str] | None = None,
    lineages: str | os.PathLike[str] | None = None,
    devices: Sequence[int] | Literal['all'] | None = None,
    threads: int | None = None,
    contact_threshold: float = 8.0,
    points: int = 100,
    site_threshold: float = 0.326,
    min_feature_value: float = 0.0,
) -> Table:
    """Accessible areas in the files of other programs, as ``prism atoms -o x.rsa`` writes them: a row for each structure, with the
    ``text`` of the file.

    Args:
        format: ``"rsa"``, areas of residues in FreeSASA's format; ``"naccess"``, the same with NACCESS's -99.9 in place of N/A; or
            ``"pdb"``, the areas of atoms as B factors.
        probe: As of :func:`atoms`.
        radii: As of :func:`atoms`. Percentages need ``"protor"`` or ``"naccess"``.
        algorithm: As of :func:`atoms`.
        slices: As of :func:`atoms`.

    Other arguments, and errors, are those of :func:`features`.

    Examples:
        >>> text = prism.areas("1crn.pdb")["text"][0].as_py()
        >>> text.splitlines()[-1]
        'TOTAL          3001.1       2258.0        743.1       1982.7       1018.4'
    """

def summary(
    inputs: Any,
    backend: Backend = 'auto',
    *,
    on_error: OnError = 'raise',
    progress: bool = False,
    chains: Sequence[str] | None = None,
    select: str | None = None,
    each: Literal['chain', 'molecule', 'assembly', 'model'] | None = None,
    residues: Literal['all', 'standard'] = 'all',
    polymers: Literal['protein', 'nucleic', 'all'] | None = None,
    altloc: str = 'highest',
    model: int | Literal['all', 'join'] | None = None,
    assembly: str | None = None,
    het: Literal['none', 'cover', 'rows'] = 'none',
    name_by: Literal['name', 'path', 'stem'] | None = None,
    annotations: str | os.PathLike[str] | None = None,
    lineages: str | os.PathLike[str] | None = None,
    devices: Sequence[int] | Literal['all'] | None = None,
    threads: int | None = None,
    contact_threshold: float = 8.0,
    points: int = 100,
    site_threshold: float = 0.326,
    min_feature_value: float = 0.0,
) -> Table:
    """Summaries of structures, as ``prism summary`` writes them: a row for each structure, with an empty ``chain``, then a row for
    each of its chains. Areas are in Å², radii of gyration in Å.

    Arguments, and errors, are those of :func:`features`.

    Examples:
        >>> table = prism.summary("4zhl.cif")
        >>> table.select(["chain", "residues", "atoms", "area", "helix", "strand"]).to_pandas()
          chain  residues  atoms          area     helix    strand
        0             257   2030  11322.279297  0.108949  0.385214
        1     U       247   1953  10897.904297  0.113360  0.396761
        2     P        10     77    424.374725  0.000000  0.100000
    """

def dockq(
    inputs: Any,
    reference: str | os.PathLike[str],
    backend: Backend = 'auto',
    *,
    mapping: Sequence[str] | None = None,
    allowed_mismatches: int = 0,
    by_number: bool = False,
    peptide: bool = False,
    small_molecules: bool = False,
    on_error: OnError = 'raise',
    progress: bool = False,
    chains: Sequence[str] | None = None,
    select: str | None = None,
    each: Literal['chain', 'molecule', 'assembly', 'model'] | None = None,
    residues: Literal['all', 'standard'] = 'all',
    polymers: Literal['protein', 'nucleic', 'all'] | None = None,
    altloc: str = 'highest',
    model: int | Literal['all', 'join'] | None = None,
    assembly: str | None = None,
    het: Literal['none', 'cover', 'rows'] = 'none',
    name_by: Literal['name', 'path', 'stem'] | None = None,
    annotations: str | os.PathLike[str] | None = None,
    lineages: str | os.PathLike[str] | None = None,
    devices: Sequence[int] | Literal['all'] | None = None,
    threads: int | None = None,
    contact_threshold: float = 8.0,
    points: int = 100,
    site_threshold: float = 0.326,
    min_feature_value: float = 0.0,
) -> Table:
    """Models of a complex compared with a reference, as ``prism dockq`` writes it: a row for each model, with empty chains, then one
    for each interface of the reference.

    Args:
        reference: The file of the reference.
        mapping: Chains that correspond, as ``--mapping`` takes them: ``["A:H", "B:L"]``. ``None`` searches the best mapping.
        allowed_mismatches: Chains correspond if at most so many residues differ in their alignment.
        by_number: Residues correspond by their numbers, not by an alignment of sequences.
        peptide: Contacts and interfaces as CAPRI defines them for peptides.
        small_molecules: The poses of ligands, ions and sugars are compared, too.

    Other arguments, and errors, are those of :func:`features`.

    Examples:
        >>> table = prism.dockq("1jcd.pdb", "1jcd.pdb")
        >>> table.select(["chain_a", "chain_b", "dockq", "fnat"]).to_pandas()
          chain_a chain_b  dockq  fnat
        0                    1.0   NaN
        1       A       B    1.0   1.0
        2       A       C    1.0   1.0
        3       B       C    1.0   1.0
    """

def stream(
    inputs: Any,
    columns: str | Sequence[str] | None = None,
    backend: Backend = 'auto',
    *,
    table: TableName = 'features',
    on_error: OnError = 'raise',
    progress: bool = False,
    max_sites: int = 20,
    min_probability: float = 0.1,
    all: bool = False,
    min_plddt: float | None = None,
    pocket_shape: bool = False,
    kinds: Sequence[str] = ('ca', 'atom'),
    attributes: Sequence[Literal['rbf', 'frame']] = (),
    ids: Literal['rows', 'residues'] | None = None,
    cutoff: float = 4.5,
    neighbors: int = 30,
    steps: int = 1,
    between: tuple[str, str] | None = None,
    by_residue: bool = False,
    probe: float = 1.4,
    radii: str | os.PathLike[str] = 'protor',
    algorithm: Literal['shrake-rupley', 'lee-richards'] = 'shrake-rupley',
    slices: int = 20,
    format: Literal['rsa', 'naccess', 'pdb'] = 'rsa',
    reference: str | os.PathLike[str] | None = None,
    mapping: Sequence[str] | None = None,
    allowed_mismatches: int = 0,
    by_number: bool = False,
    peptide: bool = False,
    small_molecules: bool = False,
    pae: bool = False,
    chains: Sequence[str] | None = None,
    select: str | None = None,
    each: Literal['chain', 'molecule', 'assembly', 'model'] | None = None,
    residues: Literal['all', 'standard'] = 'all',
    polymers: Literal['protein', 'nucleic', 'all'] | None = None,
    altloc: str = 'highest',
    model: int | Literal['all', 'join'] | None = None,
    assembly: str | None = None,
    het: Literal['none', 'cover', 'rows'] = 'none',
    name_by: Literal['name', 'path', 'stem'] | None = None,
    annotations: str | os.PathLike[str] | None = None,
    lineages: str | os.PathLike[str] | None = None,
    devices: Sequence[int] | Literal['all'] | None = None,
    threads: int | None = None,
    contact_threshold: float = 8.0,
    points: int = 100,
    site_threshold: float = 0.326,
    min_feature_value: float = 0.0,
) -> Stream[pa.RecordBatch]:
    """Batches of a table, in order. Others are computed meanwhile. Memory is bounded, however many inputs there are. Leaving the
    loop, or Ctrl-C, ends the run. Leaving it waits until an iterator of inputs has given the one that it is at; Ctrl-C does not.

    Args:
        table: ``"features"``, ``"sites"``, ``"edges"``, ``"interface"``, ``"ligands"``, ``"atoms"``, ``"areas"``, ``"summary"`` or
            ``"dockq"``. It takes the options of the function of that name.

    Other arguments, and errors, are those of :func:`features`. Inputs that fail are in the attribute ``failures``.

    Examples:
        >>> for batch in prism.stream(["1crn.pdb", "6m0j_rbd.pdb"], ["sasa"]):
        ...     print(batch.num_rows, batch.column_names)
        240 ['structure', 'row', 'chain', 'resnum', 'icode', 'resname', 'parent', 'sasa']
    """

def tensors(
    inputs: Any,
    columns: str | Sequence[str] | None = None,
    backend: Backend = 'auto',
    *,
    device: str = 'cpu',
    on_error: OnError = 'raise',
    progress: bool = False,
    chains: Sequence[str] | None = None,
    select: str | None = None,
    each: Literal['chain', 'molecule', 'assembly', 'model'] | None = None,
    residues: Literal['all', 'standard'] = 'all',
    polymers: Literal['protein', 'nucleic', 'all'] | None = None,
    altloc: str = 'highest',
    model: int | Literal['all', 'join'] | None = None,
    assembly: str | None = None,
    het: Literal['none', 'cover', 'rows'] = 'none',
    name_by: Literal['name', 'path', 'stem'] | None = None,
    annotations: str | os.PathLike[str] | None = None,
    lineages: str | os.PathLike[str] | None = None,
    devices: Sequence[int] | Literal['all'] | None = None,
    threads: int | None = None,
    contact_threshold: float = 8.0,
    points: int = 100,
    site_threshold: float = 0.326,
    min_feature_value: float = 0.0,
) -> Stream[Tensor]:
    """A tensor for each structure, in the order of the inputs: ``float32``, shape ``(residues, columns)``, NaN where a feature is not
    defined.

    ``torch.from_dlpack``, ``cupy.from_dlpack`` and ``numpy.from_dlpack`` take a tensor without a copy. It may be used after the engine
    is gone, by any thread and, on a device, on any stream: the values are complete when you get it.

    Args:
        columns: Names of features. ``None`` takes those that every protein has values of: all features but those of annotations,
            lineages and nucleotides. The tensor's columns have the order of :func:`columns`; its attribute ``columns`` lists them.
        device: Where the tensors are. ``"cpu"``: in the host's memory, whichever backend computed them. ``"cuda"``: on the GPU that
            computed them, without a way through the host's memory; the backend is ``"cuda"`` then. ``"cuda:1"`` means ``devices=[1]``. The memory is kept until the
            last reader drops it. Dropping it waits for all work of that GPU, without the GIL; a CUDA graph that is being captured at
            that moment fails.

    Other arguments, and errors, are those of :func:`features`.

    Examples:
        >>> import numpy
        >>> for tensor in prism.tensors("1crn.pdb", ["sasa", "ss"]):
        ...     print(tensor.name, numpy.from_dlpack(tensor).shape, tensor.columns)
        1crn.pdb (46, 2) ['sasa', 'ss']
    """

def trajectory(
    topology: Any,
    trajectory: str | os.PathLike[str] | Sequence[str | os.PathLike[str]] | None = None,
    backend: Backend = 'auto',
    *,
    frames: int | slice | str | None = None,
    every: float | None = None,
    pbc: Literal['whole', 'none'] = 'whole',
    chains: Sequence[str] | None = None,
    select: str | None = None,
    each: Literal['chain', 'molecule', 'assembly', 'model'] | None = None,
    residues: Literal['all', 'standard'] = 'all',
    polymers: Literal['protein', 'nucleic', 'all'] | None = None,
    altloc: str = 'highest',
    model: int | Literal['all', 'join'] | None = None,
    assembly: str | None = None,
    het: Literal['none', 'cover', 'rows'] = 'none',
    name_by: Literal['name', 'path', 'stem'] | None = None,
    annotations: str | os.PathLike[str] | None = None,
    lineages: str | os.PathLike[str] | None = None,
    devices: Sequence[int] | Literal['all'] | None = None,
    threads: int | None = None,
    contact_threshold: float = 8.0,
    points: int = 100,
    site_threshold: float = 0.326,
    min_feature_value: float = 0.0,
) -> Trajectory:
    """Features of every frame of a trajectory, as ``prism features --trajectory`` computes them: the same rows, order and bits.

    Args:
        topology: A path of PDB, mmCIF, GRO, PSF or PRMTOP; or an MDAnalysis universe or group of atoms, or an mdtraj trajectory, which has
            its frames.
        trajectory: The path of XTC, TRR, DCD, AMBER NetCDF or GRO, or several, one after the other. Opening a file finds its frames, and
            decodes none.
        backend: See :class:`Engine`.
        frames: Frames to take: a slice, a text ``"start:stop:step"``, or one number. ``None`` takes all.
        every: Take frames at least so many ps apart. Files alone.
        pbc: ``"whole"`` puts together what a periodic boundary divides, ``"none"`` takes positions as they are. Objects are taken as they
            are.
        options: What is read, and how features are computed: see :class:`Options`.

    Raises:
        PrismError: A file cannot be read, or an argument has a wrong value. If a file is missing, it is an :class:`InputError` and a
            :class:`FileNotFoundError`.

    Examples:
        >>> run = prism.trajectory("top.pdb", "run.xtc", frames=slice(0, None, 2))
        >>> run
        <prism.Trajectory 'top.pdb': 3 frames>
        >>> areas = run.array("sasa")
        >>> areas.shape  # (frames, residues)
        (3, 46)
        >>> run.times
        array([ 0., 20., 40.])
    """

def report(
    inputs: Paths,
    output: str | os.PathLike[str],
    backend: Backend = 'auto',
    *,
    details: int = 500,
    title: str | None = None,
    pae: bool = False,
    full_paths: bool = False,
    chains: Sequence[str] | None = None,
    select: str | None = None,
    each: Literal['chain', 'molecule', 'assembly', 'model'] | None = None,
    residues: Literal['all', 'standard'] = 'all',
    polymers: Literal['protein', 'nucleic', 'all'] | None = None,
    altloc: str = 'highest',
    model: int | Literal['all', 'join'] | None = None,
    assembly: str | None = None,
    het: Literal['none', 'cover', 'rows'] = 'none',
    name_by: Literal['name', 'path', 'stem'] | None = None,
    annotations: str | os.PathLike[str] | None = None,
    lineages: str | os.PathLike[str] | None = None,
    devices: Sequence[int] | Literal['all'] | None = None,
    threads: int | None = None,
    contact_threshold: float = 8.0,
    points: int = 100,
    site_threshold: float = 0.326,
    min_feature_value: float = 0.0,
) -> Path:
    """Shows structures, features and sites in one self-contained HTML file, as ``prism report`` does, which runs in a process of its own.

    Args:
        inputs: Paths of files, archives, packed data sets and folders.
        output: The file, an ``.html``.
        backend: As of :class:`Engine`.
        details: So many structures, from the first, get a page of their own.
        title: The report's title. ``None`` takes the number of structures, or the name of a single one.
        pae: Show predicted aligned errors and scores of chains, from the files beside each model.
        full_paths: Show inputs with their folders, which others may not be meant to see.
        options: What is read, and how features are computed: see :class:`Options`.

    Returns:
        The path of the file.

    Raises:
        InputError: There is nothing at a path, and so it is a :class:`FileNotFoundError`.
        PrismError: The command failed: the error has its message.
        TypeError: An argument is of a wrong type, or there is no such option.

    Examples:
        >>> str(prism.report("1crn.pdb", "report.html"))
        'report.html'
    """

def columns() -> Table:
    """All columns of :func:`features`, in their order: a row for each, with

    - ``name``;
    - ``role``: ``"identity"`` (which residue a row is of), ``"feature"`` (a number, which tensors have, too), ``"state"`` (a letter, which
      tensors have as a number: see :data:`STATES`), ``"other"``, or ``"on request"`` (in no table that does not name it);
    - ``dtype``: the type in Arrow's words;
    - ``unit``, ``definition``, ``source``.

    Examples:
        >>> prism.columns().select(["name", "role", "dtype", "unit"]).to_pandas()[7:11]
                      name     role  dtype  unit
        7   contact_number  feature  float
        8              wcn  feature  float  Å^-2
        9           hse_up  feature  float
        10        hse_down  feature  float
    """

def spark_features(
    columns: Sequence[str] | None = None,
    backend: Backend = 'auto',
    on_error: Literal['raise', 'skip'] = 'skip',
    *,
    chains: Sequence[str] | None = None,
    select: str | None = None,
    each: Literal['chain', 'molecule', 'assembly', 'model'] | None = None,
    residues: Literal['all', 'standard'] = 'all',
    polymers: Literal['protein', 'nucleic', 'all'] | None = None,
    altloc: str = 'highest',
    model: int | Literal['all', 'join'] | None = None,
    assembly: str | None = None,
    het: Literal['none', 'cover', 'rows'] = 'none',
    name_by: Literal['name', 'path', 'stem'] | None = None,
    annotations: str | os.PathLike[str] | None = None,
    lineages: str | os.PathLike[str] | None = None,
    devices: Sequence[int] | Literal['all'] | None = None,
    threads: int | None = None,
    contact_threshold: float = 8.0,
    points: int = 100,
    site_threshold: float = 0.326,
    min_feature_value: float = 0.0,
) -> tuple[Callable[[Iterator[pa.RecordBatch]], Iterator[pa.RecordBatch]], str]:
    """A function for Spark's ``mapInArrow``, and the schema of what it returns. It computes features of files that Spark has read with its
    format ``binaryFile``, in each worker with an engine of its own. Names are the paths of files, as for :class:`RayFeatures`.

    >>> function, schema = prism.spark_features(["sasa", "ss"])
    >>> files = spark.read.format("binaryFile").load("structures/*.cif.gz")
    >>> table = files.select("path", "content").mapInArrow(function, schema)

    Arguments are those of :class:`RayFeatures`.
    """

def splits(
    inputs: Any,
    parts: Mapping[str, float] | None = None,
    *,
    identity: float = 0.3,
    by: Literal['auto', 'mmseqs', 'words'] = 'auto',
    seed: int = 0,
    on_error: OnError = 'raise',
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

class Engine:
    """A backend with its memory. Any number of threads may use one engine. ``with prism.Engine("cuda") as engine:`` gives its memory back
    at the end of the block.

    Functions of the module make an engine for each call, or take that of the last small call. If you call often, keep one.

    Args:
        backend: ``"cuda"``, ``"cpu"`` or ``"auto"``. ``"auto"`` begins on CPU cores, and adds a GPU where there is one and enough work
            for it. Results have the same bits.
        options: See :class:`prism.EngineOptions`.

    Raises:
        PrismError: You ask for CUDA and it cannot be used, or an argument has a wrong value.
        TypeError: An argument is of a wrong type, or there is no such option.
    """

    def __init__(
        self,
        backend: Backend = 'auto',
        *,
        devices: Sequence[int] | Literal['all'] | None = None,
        threads: int | None = None,
        contact_threshold: float = 8.0,
        points: int = 100,
        site_threshold: float = 0.326,
        min_feature_value: float = 0.0,
    ) -> None: ...

    @property
    def description(self) -> str:
        """The backend, and why it was chosen.
        """

    def close(self) -> None:
        """Gives the memory back, when the runs that use it have ended. Later calls raise :class:`PrismError`.
        """

    def __enter__(self) -> Self: ...

    def __exit__(
        self,
        *_: object,
    ) -> None: ...

    def features(
        self,
        inputs: Any,
        columns: str | Sequence[str] | None = None,
        *,
        on_error: OnError = 'raise',
        progress: bool = False,
        chains: Sequence[str] | None = None,
        select: str | None = None,
        each: Literal['chain', 'molecule', 'assembly', 'model'] | None = None,
        residues: Literal['all', 'standard'] = 'all',
        polymers: Literal['protein', 'nucleic', 'all'] | None = None,
        altloc: str = 'highest',
        model: int | Literal['all', 'join'] | None = None,
        assembly: str | None = None,
        het: Literal['none', 'cover', 'rows'] = 'none',
        name_by: Literal['name', 'path', 'stem'] | None = None,
        annotations: str | os.PathLike[str] | None = None,
        lineages: str | os.PathLike[str] | None = None,
    ) -> Table:
        """A table with a row for each residue, as ``prism features`` writes it: the same rows, order and bits.

        Args:
            inputs: One input or an iterable of them. An input is

                - a path of a file, a tar, a packed data set, or a folder, which is walked;
                - ``bytes``, or ``(name, bytes)``: the content of a file or tar, compressed or not;
                - a file object, which is read to its end;
                - a :class:`Structure`, which is made of arrays;
                - an object of another package: see :func:`structures`.

                Another thread advances an iterator while earlier inputs are computed. It takes all paths in a row
                first, and otherwise at most 256 structures or 32 MiB ahead.
            columns: Names of the features to compute; :func:`columns` lists them. ``None`` takes all. Columns that identify the
                residue (``structure``, ``chain``, ``resnum``, ...) come first. If you name one of those too, the table has exactly
                the columns that you name.
            on_error: What to do about inputs that fail. ``"raise"``: the first raises :class:`InputError`. ``"skip"``: leave them out,
                with an :class:`InputWarning` for each. ``"report"``: leave them out. In both cases :attr:`Table.failures` lists them.
            progress: Show a progress bar. This needs tqdm.

        The other options say what is read: see :class:`ReadingOptions`.

        Returns:
            A table. Undefined values are null. The metadata of a field has the feature's unit, definition and source, that of the table
            the version and the options.

            Choices made while reading (alternate locations, say) go to the logger ``prism_features`` at level INFO. Something odd about
            an input is an :class:`InputWarning`.

        Raises:
            InputError: An input failed. The error names it.
            PrismError: An argument has a wrong value, or the backend failed.
            TypeError: An argument is of a wrong type, or there is no such option.

        Examples:
            >>> table = prism.features("6m0j_rbd.pdb", ["chain", "resnum", "resname", "sasa", "rsa", "ss"])
            >>> table.to_pandas().head(3)
              chain  resnum resname        sasa       rsa ss
            0     E     333     THR  180.778320  1.051037  -
            1     E     334     ASN  111.225906  0.570389  P
            2     E     335     LEU  126.965385  0.631669  B
        """

    def sites(
        self,
        inputs: Any,
        *,
        max_sites: int = 20,
        min_probability: float = 0.1,
        all: bool = False,
        min_plddt: float | None = None,
        pocket_shape: bool = False,
        on_error: OnError = 'raise',
        progress: bool = False,
        chains: Sequence[str] | None = None,
        select: str | None = None,
        each: Literal['chain', 'molecule', 'assembly', 'model'] | None = None,
        residues: Literal['all', 'standard'] = 'all',
        polymers: Literal['protein', 'nucleic', 'all'] | None = None,
        altloc: str = 'highest',
        model: int | Literal['all', 'join'] | None = None,
        assembly: str | None = None,
        het: Literal['none', 'cover', 'rows'] = 'none',
        name_by: Literal['name', 'path', 'stem'] | None = None,
        annotations: str | os.PathLike[str] | None = None,
        lineages: str | os.PathLike[str] | None = None,
    ) -> Table:
        """Where ligands may bind: a row for each site, as ``prism sites`` writes it. A site has a rank, a score, a probability, a centre
        (Å), an area (Å²), a volume (Å³), its residues as ``A_120``, separated by spaces, and their mean pLDDT in predicted models. A site
        of a mean pLDDT below 50 is an :class:`InputWarning`. Its rank is the ``site_id`` of its residues in :func:`features`.

        Args:
            max_sites: The most sites of a structure.
            min_probability: Leave out sites with a lower probability of binding a ligand.
            all: Sites of any probability.
            min_plddt: Leave out sites of predicted models whose residues have a lower mean pLDDT, from 0 to 100.
            pocket_shape: Columns with the shape of each site's pocket (``--pocket-shape``), which take longer than all others.

        Other arguments, and errors, are those of :func:`features`.

        Examples:
            >>> table = prism.sites("6m0j_rbd.pdb", max_sites=3)
            >>> table.select(["rank", "score", "probability", "area", "volume"]).to_pandas()
               rank     score  probability        area  volume
            0     1  2.179916     0.529257   71.804688   443.0
            1     2  1.104448     0.421828  123.006836   566.0
            2     3  1.057761     0.415144   43.916992   419.0
        """

    def edges(
        self,
        inputs: Any,
        *,
        kinds: Sequence[str] = ('ca', 'atom'),
        attributes: Sequence[Literal['rbf', 'frame']] = (),
        ids: Literal['rows', 'residues'] | None = None,
        cutoff: float = 4.5,
        neighbors: int = 30,
        steps: int = 1,
        ccd: str | os.PathLike[str] | None = None,
        pae: bool = False,
        on_error: OnError = 'raise',
        progress: bool = False,
        chains: Sequence[str] | None = None,
        select: str | None = None,
        each: Literal['chain', 'molecule', 'assembly', 'model'] | None = None,
        residues: Literal['all', 'standard'] = 'all',
        polymers: Literal['protein', 'nucleic', 'all'] | None = None,
        altloc: str = 'highest',
        model: int | Literal['all', 'join'] | None = None,
        assembly: str | None = None,
        het: Literal['none', 'cover', 'rows'] = 'none',
        name_by: Literal['name', 'path', 'stem'] | None = None,
        annotations: str | os.PathLike[str] | None = None,
        lineages: str | os.PathLike[str] | None = None,
    ) -> Table:
        """Residues in contact: a row for each pair, as ``prism edges`` writes it. A pair has the rows of both residues in
        :func:`features`, their distance (Å), and the kind of contact.

        Args:
            kinds: ``"ca"``: alpha carbons closer than ``contact_threshold``. ``"atom"``: heavy atoms within ``cutoff``, where the residues are
                at least two rows apart or in different chains. ``"knn"``: from each residue to its nearest ``neighbors``. ``"sequence"``:
                residues at most ``steps`` rows apart in a chain. ``"hbond_backbone"``, ``"bridge"``: by DSSP, with columns of energies and
                ladders. Or interactions of every atom (``"hbond"``, ``"salt_bridge"``, ``"pi_stack"``, ``"metal"``, ...;
                ``prism edges --list`` shows all), which are named by chain, number and name, with their atoms; they are computed from
                files on CPU cores, and take the options ``chains``, ``altloc`` and ``name_by``.
            attributes: Columns for networks. ``"rbf"``: 16 Gaussians of the distance, with centres from 2 to 22 Å and a width of 1.25 Å, as
                in ProteinMPNN. ``"frame"``: the second alpha carbon in the local frame of the first residue, and the quaternion between
                both frames. Interactions have none.
            ids: Residues by their ``"rows"``, or, as ``"residues"``, by chain, number, insertion code and name. ``None`` is rows;
                interactions, which have no rows, are by residues.
            cutoff: Heavy atoms of kind ``"atom"`` within this distance are in contact, at most 20 Å.
            neighbors: Nearest residues of each one, for kind ``"knn"``, at most 100,000.
            steps: Rows along a chain, for kind ``"sequence"``, at most 100,000.
            ccd: Bonds of ligands for interactions: a file of the Chemical Component Dictionary.
            pae: Columns with the predicted aligned errors (Å), and the predictor's probability of a contact, of models that lie beside
                their matrices (``--pae``). The inputs are paths then.

        Other arguments, and errors, are those of :func:`features`.

        Examples:
            >>> prism.edges("6m0j_rbd.pdb", kinds=["ca"]).to_pandas().head(3)
                  structure  row_i  row_j  distance kind
            0  6m0j_rbd.pdb      0      1  3.828752   ca
            1  6m0j_rbd.pdb      0      2  6.811656   ca
            2  6m0j_rbd.pdb      0     27  7.735856   ca
            >>> bonds = prism.edges("6m0j_rbd.pdb", kinds=["disulfide"])
            >>> bonds.select(["chain_a", "resnum_a", "chain_b", "resnum_b", "distance"]).to_pandas()
              chain_a  resnum_a chain_b  resnum_b  distance
            0       E       336       E       361  2.037571
            1       E       379       E       432  2.043762
            2       E       391       E       525  2.047252
            3       E       480       E       488  2.066047
        """

    def interface(
        self,
        inputs: Any,
        *,
        between: tuple[str, str] | None = None,
        groups: str | os.PathLike[str] | None = None,
        all_atoms: bool = False,
        shape: bool = False,
        ccd: str | os.PathLike[str] | None = None,
        by_residue: bool = False,
        pae: bool = False,
        on_error: OnError = 'raise',
        progress: bool = False,
        chains: Sequence[str] | None = None,
        select: str | None = None,
        each: Literal['chain', 'molecule', 'assembly', 'model'] | None = None,
        residues: Literal['all', 'standard'] = 'all',
        polymers: Literal['protein', 'nucleic', 'all'] | None = None,
        altloc: str = 'highest',
        model: int | Literal['all', 'join'] | None = None,
        assembly: str | None = None,
        het: Literal['none', 'cover', 'rows'] = 'none',
        name_by: Literal['name', 'path', 'stem'] | None = None,
        annotations: str | os.PathLike[str] | None = None,
        lineages: str | os.PathLike[str] | None = None,
    ) -> Table:
        """The area (Å²) buried between chains: a row for each pair of chains that touch, as ``prism interface`` writes it.

        Args:
            between: Only the interface between these two chains, as if there were no others. A structure without one of them fails. Or
                between two groups: chains joined by ``+`` (``"H+L"``), residues of a chain (``"A:10-50"``), ``"protein"``, ``"nucleic"``,
                ``"ligand"``, ``"ion"``, ``"glycan"``, ``"resname:NAME"``, or a selection as ``select`` takes it. Between groups every atom
                counts, as with ``all_atoms``.
            groups: The interfaces of all pairs of a structure's groups, from a table (CSV or TSV) with the columns ``structure``,
                ``group`` and ``residues`` (``--groups``). A structure without a line fails. Every atom counts, too.
            all_atoms: Interfaces of nucleic acids, ligands, ions and sugars, too, with polar area and interactions counted
                (``--all-atoms``). They are computed from files, and take the options ``chains``, ``altloc`` and ``name_by``.
            shape: Columns with how the surfaces of groups fit: their shape complementarity, and the volume of gaps (``--shape``).
            ccd: Bonds of ligands where every atom counts: a file of the Chemical Component Dictionary.
            by_residue: A row for each residue instead: its surface in the chain alone, in the complex, and buried (``--by-residue``).
            pae: Columns with the predicted aligned errors (Å) of the contacts, of models that lie beside their matrices (``--pae``).

        Other arguments, and errors, are those of :func:`features`.

        Examples:
            >>> prism.interface("4zhl.cif").to_pandas()
              structure chain_a chain_b  buried_area  residues_a  residues_b  contacts
            0  4zhl.cif       U       P  1500.629517          31           9        45
            >>> own = prism.interface("4zhl.cif", by_residue=True)
            >>> own.column_names
            ['structure', 'row', 'chain', 'resnum', 'icode', 'resname', 'sasa_alone', 'sasa_complex', 'buried']
        """

    def ligands(
        self,
        inputs: Any,
        *,
        on_error: OnError = 'raise',
        progress: bool = False,
        chains: Sequence[str] | None = None,
        select: str | None = None,
        each: Literal['chain', 'molecule', 'assembly', 'model'] | None = None,
        residues: Literal['all', 'standard'] = 'all',
        polymers: Literal['protein', 'nucleic', 'all'] | None = None,
        altloc: str = 'highest',
        model: int | Literal['all', 'join'] | None = None,
        assembly: str | None = None,
        het: Literal['none', 'cover', 'rows'] = 'none',
        name_by: Literal['name', 'path', 'stem'] | None = None,
        annotations: str | os.PathLike[str] | None = None,
        lineages: str | os.PathLike[str] | None = None,
    ) -> Table:
        """Ligands, ions and sugars, as ``prism ligands`` writes them: a row for each residue that has none in :func:`features`, except
        water and the nucleotides of DNA and RNA, and one for each cluster of buried water. Areas are in Å², distances in Å. Packed data sets
        have no ligands.

        Arguments, and errors, are those of :func:`features`.

        Examples:
            >>> table = prism.ligands("1kx2_cut.pdb")
            >>> table.select(["chain", "resnum", "resname", "kind", "sasa_complex", "bonds"]).to_pandas()
              chain  resnum resname    kind  sasa_complex                    bonds
            0     A      90     HEC  ligand    141.335938  A_11:SG-CAB A_14:SG-CAC
        """

    def atoms(
        self,
        inputs: Any,
        *,
        probe: float = 1.4,
        radii: str | os.PathLike[str] = 'protor',
        algorithm: Literal['shrake-rupley', 'lee-richards'] = 'shrake-rupley',
        slices: int = 20,
        on_error: OnError = 'raise',
        progress: bool = False,
        chains: Sequence[str] | None = None,
        select: str | None = None,
        each: Literal['chain', 'molecule', 'assembly', 'model'] | None = None,
        residues: Literal['all', 'standard'] = 'all',
        polymers: Literal['protein', 'nucleic', 'all'] | None = None,
        altloc: str = 'highest',
        model: int | Literal['all', 'join'] | None = None,
        assembly: str | None = None,
        het: Literal['none', 'cover', 'rows'] = 'none',
        name_by: Literal['name', 'path', 'stem'] | None = None,
        annotations: str | os.PathLike[str] | None = None,
        lineages: str | os.PathLike[str] | None = None,
    ) -> Table:
        """Heavy atoms, as ``prism atoms`` writes them: a row for each, with its radius, accessible area (Å²), depth (Å) and the chains
        that bury it. With ``het="cover"`` atoms of ligands and nucleic acids have rows, too. Packed data sets do not have what atoms are.

        Args:
            probe: Radius of the probe, above 0 and at most 5 Å.
            radii: ``"protor"``, ``"naccess"``, ``"bondi"``, or a file in FreeSASA's configuration format.
            algorithm: ``"shrake-rupley"``, by test points (``points``), or ``"lee-richards"``, by slices.
            slices: Slices of each atom, 1 to 1000.

        Other arguments, and errors, are those of :func:`features`.

        Examples:
            >>> table = prism.atoms("1crn.pdb")
            >>> table.select(["chain", "resnum", "resname", "atom", "radius", "sasa", "depth"]).to_pandas().head(3)
              chain  resnum resname atom  radius       sasa     depth
            0     A       1     THR    N    1.64  23.226675  0.000000
            1     A       1     THR   CA    1.88  14.871345  0.000000
            2     A       1     THR    C    1.61   0.000000  1.335037
        """

    def areas(
        self,
        inputs: Any,
        *,
        format: Literal['rsa', 'naccess', 'pdb'] = 'rsa',
        probe: float = 1.4,
        radii: str | os.PathLike[str] = 'protor',
        algorithm: Literal['shrake-rupley', 'lee-richards'] = 'shrake-rupley',
        slices: int = 20,
        on_error: OnError = 'raise',
        progress: bool = False,
        chains: Sequence[str] | None = None,
        select: str | None = None,
        each: Literal['chain', 'molecule', 'assembly', 'model'] | None = None,
        residues: Literal['all', 'standard'] = 'all',
        polymers: Literal['protein', 'nucleic', 'all'] | None = None,
        altloc: str = 'highest',
        model: int | Literal['all', 'join'] | None = None,
        assembly: str | None = None,
        het: Literal['none', 'cover', 'rows'] = 'none',
        name_by: Literal['name', 'path', 'stem'] | None = None,
        annotations: str | os.PathLike[str] | None = None,
        lineages: str | os.PathLike[str] | None = None,
    ) -> Table:
        """Accessible areas in the files of other programs, as ``prism atoms -o x.rsa`` writes them: a row for each structure, with the
        ``text`` of the file.

        Args:
            format: ``"rsa"``, areas of residues in FreeSASA's format; ``"naccess"``, the same with NACCESS's -99.9 in place of N/A; or
                ``"pdb"``, the areas of atoms as B factors.
            probe: As of :func:`atoms`.
            radii: As of :func:`atoms`. Percentages need ``"protor"`` or ``"naccess"``.
            algorithm: As of :func:`atoms`.
            slices: As of :func:`atoms`.

        Other arguments, and errors, are those of :func:`features`.

        Examples:
            >>> text = prism.areas("1crn.pdb")["text"][0].as_py()
            >>> text.splitlines()[-1]
            'TOTAL          3001.1       2258.0        743.1       1982.7       1018.4'
        """

    def summary(
        self,
        inputs: Any,
        *,
        on_error: OnError = 'raise',
        progress: bool = False,
        chains: Sequence[str] | None = None,
        select: str | None = None,
        each: Literal['chain', 'molecule', 'assembly', 'model'] | None = None,
        residues: Literal['all', 'standard'] = 'all',
        polymers: Literal['protein', 'nucleic', 'all'] | None = None,
        altloc: str = 'highest',
        model: int | Literal['all', 'join'] | None = None,
        assembly: str | None = None,
        het: Literal['none', 'cover', 'rows'] = 'none',
        name_by: Literal['name', 'path', 'stem'] | None = None,
        annotations: str | os.PathLike[str] | None = None,
        lineages: str | os.PathLike[str] | None = None,
    ) -> Table:
        """Summaries of structures, as ``prism summary`` writes them: a row for each structure, with an empty ``chain``, then a row for
        each of its chains. Areas are in Å², radii of gyration in Å.

        Arguments, and errors, are those of :func:`features`.

        Examples:
            >>> table = prism.summary("4zhl.cif")
            >>> table.select(["chain", "residues", "atoms", "area", "helix", "strand"]).to_pandas()
              chain  residues  atoms          area     helix    strand
            0             257   2030  11322.279297  0.108949  0.385214
            1     U       247   1953  10897.904297  0.113360  0.396761
            2     P        10     77    424.374725  0.000000  0.100000
        """

    def dockq(
        self,
        inputs: Any,
        reference: str | os.PathLike[str],
        *,
        mapping: Sequence[str] | None = None,
        allowed_mismatches: int = 0,
        by_number: bool = False,
        peptide: bool = False,
        small_molecules: bool = False,
        on_error: OnError = 'raise',
        progress: bool = False,
        chains: Sequence[str] | None = None,
        select: str | None = None,
        each: Literal['chain', 'molecule', 'assembly', 'model'] | None = None,
        residues: Literal['all', 'standard'] = 'all',
        polymers: Literal['protein', 'nucleic', 'all'] | None = None,
        altloc: str = 'highest',
        model: int | Literal['all', 'join'] | None = None,
        assembly: str | None = None,
        het: Literal['none', 'cover', 'rows'] = 'none',
        name_by: Literal['name', 'path', 'stem'] | None = None,
        annotations: str | os.PathLike[str] | None = None,
        lineages: str | os.PathLike[str] | None = None,
    ) -> Table:
        """Models of a complex compared with a reference, as ``prism dockq`` writes it: a row for each model, with empty chains, then one
        for each interface of the reference.

        Args:
            reference: The file of the reference.
            mapping: Chains that correspond, as ``--mapping`` takes them: ``["A:H", "B:L"]``. ``None`` searches the best mapping.
            allowed_mismatches: Chains correspond if at most so many residues differ in their alignment.
            by_number: Residues correspond by their numbers, not by an alignment of sequences.
            peptide: Contacts and interfaces as CAPRI defines them for peptides.
            small_molecules: The poses of ligands, ions and sugars are compared, too.

        Other arguments, and errors, are those of :func:`features`.

        Examples:
            >>> table = prism.dockq("1jcd.pdb", "1jcd.pdb")
            >>> table.select(["chain_a", "chain_b", "dockq", "fnat"]).to_pandas()
              chain_a chain_b  dockq  fnat
            0                    1.0   NaN
            1       A       B    1.0   1.0
            2       A       C    1.0   1.0
            3       B       C    1.0   1.0
        """

    def table(
        self,
        table: TableName,
        inputs: Any,
        columns: str | Sequence[str] | None = None,
        *,
        on_error: OnError = 'raise',
        progress: bool = False,
        max_sites: int = 20,
        min_probability: float = 0.1,
        all: bool = False,
        min_plddt: float | None = None,
        pocket_shape: bool = False,
        kinds: Sequence[str] = ('ca', 'atom'),
        attributes: Sequence[Literal['rbf', 'frame']] = (),
        ids: Literal['rows', 'residues'] | None = None,
        cutoff: float = 4.5,
        neighbors: int = 30,
        steps: int = 1,
        between: tuple[str, str] | None = None,
        by_residue: bool = False,
        probe: float = 1.4,
        radii: str | os.PathLike[str] = 'protor',
        algorithm: Literal['shrake-rupley', 'lee-richards'] = 'shrake-rupley',
        slices: int = 20,
        format: Literal['rsa', 'naccess', 'pdb'] = 'rsa',
        reference: str | os.PathLike[str] | None = None,
        mapping: Sequence[str] | None = None,
        allowed_mismatches: int = 0,
        by_number: bool = False,
        peptide: bool = False,
        small_molecules: bool = False,
        pae: bool = False,
        chains: Sequence[str] | None = None,
        select: str | None = None,
        each: Literal['chain', 'molecule', 'assembly', 'model'] | None = None,
        residues: Literal['all', 'standard'] = 'all',
        polymers: Literal['protein', 'nucleic', 'all'] | None = None,
        altloc: str = 'highest',
        model: int | Literal['all', 'join'] | None = None,
        assembly: str | None = None,
        het: Literal['none', 'cover', 'rows'] = 'none',
        name_by: Literal['name', 'path', 'stem'] | None = None,
        annotations: str | os.PathLike[str] | None = None,
        lineages: str | os.PathLike[str] | None = None,
    ) -> Table:
        """Any table by its name: ``"features"``, ``"sites"``, ``"edges"``, ``"interface"``, ``"ligands"``, ``"atoms"``, ``"areas"``,
        ``"summary"`` or ``"dockq"``, with the options of the function of that name.
        """

    def stream(
        self,
        inputs: Any,
        columns: str | Sequence[str] | None = None,
        *,
        table: TableName = 'features',
        on_error: OnError = 'raise',
        progress: bool = False,
        max_sites: int = 20,
        min_probability: float = 0.1,
        all: bool = False,
        min_plddt: float | None = None,
        pocket_shape: bool = False,
        kinds: Sequence[str] = ('ca', 'atom'),
        attributes: Sequence[Literal['rbf', 'frame']] = (),
        ids: Literal['rows', 'residues'] | None = None,
        cutoff: float = 4.5,
        neighbors: int = 30,
        steps: int = 1,
        between: tuple[str, str] | None = None,
        by_residue: bool = False,
        probe: float = 1.4,
        radii: str | os.PathLike[str] = 'protor',
        algorithm: Literal['shrake-rupley', 'lee-richards'] = 'shrake-rupley',
        slices: int = 20,
        format: Literal['rsa', 'naccess', 'pdb'] = 'rsa',
        reference: str | os.PathLike[str] | None = None,
        mapping: Sequence[str] | None = None,
        allowed_mismatches: int = 0,
        by_number: bool = False,
        peptide: bool = False,
        small_molecules: bool = False,
        pae: bool = False,
        chains: Sequence[str] | None = None,
        select: str | None = None,
        each: Literal['chain', 'molecule', 'assembly', 'model'] | None = None,
        residues: Literal['all', 'standard'] = 'all',
        polymers: Literal['protein', 'nucleic', 'all'] | None = None,
        altloc: str = 'highest',
        model: int | Literal['all', 'join'] | None = None,
        assembly: str | None = None,
        het: Literal['none', 'cover', 'rows'] = 'none',
        name_by: Literal['name', 'path', 'stem'] | None = None,
        annotations: str | os.PathLike[str] | None = None,
        lineages: str | os.PathLike[str] | None = None,
    ) -> Stream[pa.RecordBatch]:
        """Batches of a table, in order. Others are computed meanwhile. Memory is bounded, however many inputs there are. Leaving the
        loop, or Ctrl-C, ends the run. Leaving it waits until an iterator of inputs has given the one that it is at; Ctrl-C does not.

        Args:
            table: ``"features"``, ``"sites"``, ``"edges"``, ``"interface"``, ``"ligands"``, ``"atoms"``, ``"areas"``, ``"summary"`` or
                ``"dockq"``. It takes the options of the function of that name.

        Other arguments, and errors, are those of :func:`features`. Inputs that fail are in the attribute ``failures``.

        Examples:
            >>> for batch in prism.stream(["1crn.pdb", "6m0j_rbd.pdb"], ["sasa"]):
            ...     print(batch.num_rows, batch.column_names)
            240 ['structure', 'row', 'chain', 'resnum', 'icode', 'resname', 'parent', 'sasa']
        """

    def tensors(
        self,
        inputs: Any,
        columns: str | Sequence[str] | None = None,
        *,
        device: Device = 'cpu',
        on_error: OnError = 'raise',
        progress: bool = False,
        chains: Sequence[str] | None = None,
        select: str | None = None,
        each: Literal['chain', 'molecule', 'assembly', 'model'] | None = None,
        residues: Literal['all', 'standard'] = 'all',
        polymers: Literal['protein', 'nucleic', 'all'] | None = None,
        altloc: str = 'highest',
        model: int | Literal['all', 'join'] | None = None,
        assembly: str | None = None,
        het: Literal['none', 'cover', 'rows'] = 'none',
        name_by: Literal['name', 'path', 'stem'] | None = None,
        annotations: str | os.PathLike[str] | None = None,
        lineages: str | os.PathLike[str] | None = None,
    ) -> Stream[Tensor]:
        """A tensor for each structure, in the order of the inputs: ``float32``, shape ``(residues, columns)``, NaN where a feature is not
        defined.

        ``torch.from_dlpack``, ``cupy.from_dlpack`` and ``numpy.from_dlpack`` take a tensor without a copy. It may be used after the engine
        is gone, by any thread and, on a device, on any stream: the values are complete when you get it.

        Args:
            columns: Names of features. ``None`` takes those that every protein has values of: all features but those of annotations,
                lineages and nucleotides. The tensor's columns have the order of :func:`columns`; its attribute ``columns`` lists them.
            device: Where the tensors are. ``"cpu"``: in the host's memory, whichever backend computed them. ``"cuda"``: on the GPU that
                computed them, without a way through the host's memory; that takes the backend ``"cuda"``. The memory is kept until the
                last reader drops it. Dropping it waits for all work of that GPU, without the GIL; a CUDA graph that is being captured at
                that moment fails.

        Other arguments, and errors, are those of :func:`features`.

        Examples:
            >>> import numpy
            >>> for tensor in prism.tensors("1crn.pdb", ["sasa", "ss"]):
            ...     print(tensor.name, numpy.from_dlpack(tensor).shape, tensor.columns)
            1crn.pdb (46, 2) ['sasa', 'ss']
        """

class RayFeatures:
    """Computes features of batches of files that Ray Data has read.

    Each worker makes its engine once. The rows of a batch depend on that batch alone, so Ray can compute a batch again after
    a worker is lost, and no row is lost or repeated.

    Structures are named by the paths of their files, as Ray gives them, because a batch does not know which names other batches have.
    ``name_by="name"`` or ``"stem"`` names them by the files' names alone, where you know that these differ. Files of one batch
    whose names are equal then raise :class:`PrismError`.

    >>> files = ray.data.read_binary_files("structures/", include_paths=True)
    >>> table = files.map_batches(prism.RayFeatures, concurrency=2, num_gpus=1)

    Args:
        columns: As of :func:`prism.features`.
        backend: As of :class:`prism.Engine`.
        on_error: ``"raise"``, or ``"skip"``, which leaves out inputs that fail and warns in the worker's log.
        options: As of :func:`prism.features`.
    """

    def __init__(
        self,
        columns: Sequence[str] | None = None,
        backend: Backend = 'auto',
        on_error: Literal['raise', 'skip'] = 'skip',
        *,
        chains: Sequence[str] | None = None,
        select: str | None = None,
        each: Literal['chain', 'molecule', 'assembly', 'model'] | None = None,
        residues: Literal['all', 'standard'] = 'all',
        polymers: Literal['protein', 'nucleic', 'all'] | None = None,
        altloc: str = 'highest',
        model: int | Literal['all', 'join'] | None = None,
        assembly: str | None = None,
        het: Literal['none', 'cover', 'rows'] = 'none',
        name_by: Literal['name', 'path', 'stem'] | None = None,
        annotations: str | os.PathLike[str] | None = None,
        lineages: str | os.PathLike[str] | None = None,
        devices: Sequence[int] | Literal['all'] | None = None,
        threads: int | None = None,
        contact_threshold: float = 8.0,
        points: int = 100,
        site_threshold: float = 0.326,
        min_feature_value: float = 0.0,
    ) -> None: ...

    def __call__(
        self,
        batch: Any,
    ) -> pa.Table: ...

class Trajectory:
    """The frames of a trajectory: see :func:`prism.trajectory`. Features are computed when they are asked for, frame by frame, and every
    frame has the same rows.
    """

    @property
    def frames(self) -> npt.NDArray[np.int64]:
        """The number of each frame, from 0 through all files.
        """

    @property
    def times(self) -> npt.NDArray[np.float64]:
        """The time of each frame in ps, NaN where it is unknown.
        """

    @property
    def rows(self) -> Table:
        """The residues: the columns that identify a row of a frame.
        """

    def stream(
        self,
        columns: str | Sequence[str] | None = None,
        *,
        table: FrameTable = 'features',
        max_sites: int = 20,
        min_probability: float = 0.1,
        all: bool = False,
        min_plddt: float | None = None,
        pocket_shape: bool = False,
        kinds: Sequence[str] = ('ca', 'atom'),
        attributes: Sequence[Literal['rbf', 'frame']] = (),
        ids: Literal['rows', 'residues'] | None = None,
        cutoff: float = 4.5,
        neighbors: int = 30,
        steps: int = 1,
        between: tuple[str, str] | None = None,
        by_residue: bool = False,
        probe: float = 1.4,
        radii: str | os.PathLike[str] = 'protor',
        algorithm: Literal['shrake-rupley', 'lee-richards'] = 'shrake-rupley',
        slices: int = 20,
        format: Literal['rsa', 'naccess', 'pdb'] = 'rsa',
        reference: str | os.PathLike[str] | None = None,
        mapping: Sequence[str] | None = None,
        allowed_mismatches: int = 0,
        by_number: bool = False,
        peptide: bool = False,
        small_molecules: bool = False,
        pae: bool = False,
    ) -> Iterator[pa.RecordBatch]:
        """Batches of the table, in the order of frames: as :meth:`table`, in memory that does not grow with them.

        Arguments are those of :meth:`table`.
        """

    def table(
        self,
        columns: str | Sequence[str] | None = None,
        *,
        table: FrameTable = 'features',
        max_sites: int = 20,
        min_probability: float = 0.1,
        all: bool = False,
        min_plddt: float | None = None,
        pocket_shape: bool = False,
        kinds: Sequence[str] = ('ca', 'atom'),
        attributes: Sequence[Literal['rbf', 'frame']] = (),
        ids: Literal['rows', 'residues'] | None = None,
        cutoff: float = 4.5,
        neighbors: int = 30,
        steps: int = 1,
        between: tuple[str, str] | None = None,
        by_residue: bool = False,
        probe: float = 1.4,
        radii: str | os.PathLike[str] = 'protor',
        algorithm: Literal['shrake-rupley', 'lee-richards'] = 'shrake-rupley',
        slices: int = 20,
        format: Literal['rsa', 'naccess', 'pdb'] = 'rsa',
        reference: str | os.PathLike[str] | None = None,
        mapping: Sequence[str] | None = None,
        allowed_mismatches: int = 0,
        by_number: bool = False,
        peptide: bool = False,
        small_molecules: bool = False,
        pae: bool = False,
    ) -> Table:
        """A row for each residue in each frame, as ``prism features --trajectory`` writes it; or for each site, edge, interface, atom, chain
        or comparison with a reference, as the command of that name writes it.

        Args:
            columns: As in :func:`prism.features`. ``frame`` and ``time_ps`` follow the structure's name.
            table: Which table.
            options: Those of the table that its function has: ``kinds`` of :func:`prism.edges`, say. What is read, and ``points`` and the like,
                are options of :func:`prism.trajectory`.

        Examples:
            >>> run = prism.trajectory("top.pdb", "run.xtc")
            >>> run.table(["chain", "resnum", "sasa"]).to_pandas().head(2)
               frame  time_ps chain  resnum       sasa
            0      0      0.0     A       1  74.802582
            1      0      0.0     A       2  11.546484
            >>> run.table(table="edges", kinds=["ca"]).to_pandas().head(2)
              structure  frame  time_ps  row_i  row_j  distance kind
            0   top.pdb      0      0.0      0      1  2.933446   ca
            1   top.pdb      0      0.0      0      2  5.284222   ca
        """

    def reduce(
        self,
        statistics: str | Sequence[str] = ('mean', 'sd'),
        columns: str | Sequence[str] | None = None,
    ) -> Table:
        """Statistics of features over all frames: a row for each residue, as ``prism features --trajectory --reduce`` writes it, in memory
        that does not grow with the frames.

        Args:
            statistics: ``"mean"``, ``"sd"``, ``"min"``, ``"max"``, ``"median"``, and quantiles in percent, such as ``"q05"``. There is a
                column for each of each feature (``sasa_mean``); of dihedral angles ``mean`` and ``sd`` alone, on the circle; of ``ss`` the
                share of frames in each state (``ss_H``).
            columns: Features. ``None`` takes all.

        Examples:
            >>> run = prism.trajectory("top.pdb", "run.xtc")
            >>> table = run.reduce(["mean", "q05"], ["sasa"])
            >>> table.select(["chain", "resnum", "frames", "sasa_mean", "sasa_q05"]).to_pandas().head(2)
              chain  resnum  frames  sasa_mean   sasa_q05
            0     A       1       6  75.821228  66.230240
            1     A       2       6  12.238976   5.510743
        """

    def occupancy(
        self,
        kinds: Sequence[str] = ('ca', 'atom'),
        *,
        cutoff: float = 4.5,
        neighbors: int = 30,
        steps: int = 1,
    ) -> Table:
        """Contacts over all frames: a row for each pair of residues that is in contact in any frame, with the share of frames and its mean and
        smallest distance (Å), as ``prism edges --trajectory --occupancy`` writes it.

        Args:
            kinds: As of :func:`prism.edges`.
            cutoff: As of :func:`prism.edges`.
            neighbors: As of :func:`prism.edges`.
            steps: As of :func:`prism.edges`.

        Examples:
            >>> run = prism.trajectory("top.pdb", "run.xtc")
            >>> run.occupancy(["ca"]).select(["residue_i", "residue_j", "frames", "occupancy"]).to_pandas().head(3)
              residue_i residue_j  frames  occupancy
            0       A_1       A_2       6   1.000000
            1       A_1       A_3       6   1.000000
            2       A_1       A_4       2   0.333333
        """

    def pockets(
        self,
        *,
        max_sites: int = 20,
        min_probability: float = 0.1,
        all: bool = False,
        min_plddt: float | None = None,
        pocket_shape: bool = False,
    ) -> Table:
        """Pockets, which are sites of several frames with common residues: a row for each, with the share of frames that have it, and statistics
        of its score, area (Å²) and volume (Å³), as ``prism sites --trajectory --pockets`` writes it. Their numbers are those of the column
        ``pocket`` in the table of sites.

        Args:
            max_sites: As of :func:`prism.sites`.
            min_probability: As of :func:`prism.sites`.
            all: As of :func:`prism.sites`.
            min_plddt: As of :func:`prism.sites`.
            pocket_shape: As of :func:`prism.sites`.
        """

    def measure(
        self,
        pockets: Table | str | os.PathLike[str] | Mapping[int, Sequence[str]],
    ) -> Table:
        """The volume (Å³) of known pockets in every frame, whether a site is there or not: a row for each frame and pocket, as
        ``prism sites --trajectory --measure`` writes it.

        Args:
            pockets: The table of :meth:`pockets` or its CSV file; or the residues of each pocket by its number (``{1: ["A_30", "A_31"]}``).

        Raises:
            PrismError: A pocket has no residues, or its number is there twice.
            InputError: A frame lacks a residue.

        Examples:
            >>> run = prism.trajectory("top.pdb", "run.xtc")
            >>> run.measure({1: ["A_3", "A_26", "A_33"]}).to_pandas().head(2)
              structure  frame  time_ps  pocket  volume
            0   top.pdb      0      0.0       1     0.0
            1   top.pdb      1     10.0       1     0.0
        """

    def array(
        self,
        column: str,
    ) -> npt.NDArray[Any]:
        """A column as an array of shape ``(frames, residues)``: ``float32``, NaN where it is not defined; texts for states (``ss``).

        Args:
            column: The name of a feature; :func:`prism.columns` lists them.
        """
