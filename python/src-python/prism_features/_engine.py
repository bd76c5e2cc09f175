"""An engine, for programs that call often."""

from __future__ import annotations

import atexit
import logging
import os
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any, Literal

import pyarrow as pa

from . import _prism
from ._arguments import check
from ._arguments import columns as check_columns
from ._arguments import on_error as check_on_error
from ._errors import InputFailure, PrismError, input_error, reference_error, warn
from ._inputs import Share, items, paths
from ._every_atom import are_groups, are_interactions, interactions, interfaces
from ._options import (
    RELATIONS,
    Backend,
    Device,
    EngineOptions,
    OnError,
    ReadingOptions,
    TableName,
    TableOptions,
    engine_options,
    table_options,
)
from ._runs import Bar, Job, Stream
from ._signatures import spelled_out
from ._table import Table

if TYPE_CHECKING:
    from typing_extensions import Self, Unpack

_log = logging.getLogger("prism_features")

# Threads that still work at the end of the interpreter must not ask for its lock.
atexit.register(_prism.end)

#: The most jobs that an engine keeps.
_MOST_JOBS = 64


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

    @spelled_out
    def __init__(self, backend: Backend = "auto", **options: Unpack[EngineOptions]) -> None:
        self._open(backend, options, None)

    @classmethod
    def _begun(cls, backend: Backend, options: EngineOptions, inputs: Any) -> Engine:
        """An engine that is made while the files of its first run are found."""
        engine = cls.__new__(cls)
        engine._open(backend, options, paths(inputs))
        return engine

    def _open(self, backend: Backend, options: EngineOptions, begin: list[str] | None) -> None:
        check("backend", backend)
        engine_options(options)
        devices = options.get("devices")
        # The native side takes an empty list as all devices.
        chosen = None if devices is None else [] if devices == "all" else list(devices) or None
        self._jobs: dict[Any, Job] = {}
        self._usual_jobs: dict[Any, Job] = {}
        try:
            self._kept: _prism.Engine | None = _prism.Engine(
                backend,
                chosen,
                options.get("contact_threshold"),
                options.get("points"),
                options.get("site_threshold"),
                options.get("min_feature_value"),
                options.get("threads"),
                begin,
            )
        except (OverflowError, RuntimeError, ValueError) as error:
            raise PrismError(str(error)) from None

    @property
    def _native(self) -> _prism.Engine:
        if self._kept is None:
            raise PrismError("the engine is closed")
        return self._kept

    @property
    def description(self) -> str:
        """The backend, and why it was chosen."""
        return self._native.description

    def close(self) -> None:
        """Gives the memory back, when the runs that use it have ended. Later calls raise :class:`PrismError`."""
        self._kept = None
        self._jobs.clear()
        self._usual_jobs.clear()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def __repr__(self) -> str:
        return f"<prism.Engine: {'closed' if self._kept is None else self.description}>"

    @spelled_out
    def features(
        self,
        inputs: Any,
        columns: str | Sequence[str] | None = None,
        *,
        on_error: OnError = "raise",
        progress: bool = False,
        **options: Unpack[ReadingOptions],
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
        return self.table("features", inputs, columns, on_error=on_error, progress=progress, **options)

    @spelled_out
    def sites(
        self,
        inputs: Any,
        *,
        max_sites: int = 20,
        min_probability: float = 0.1,
        all: bool = False,
        min_plddt: float | None = None,
        pocket_shape: bool = False,
        on_error: OnError = "raise",
        progress: bool = False,
        **options: Unpack[ReadingOptions],
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
        own: dict[str, Any] = {"max_sites": max_sites, "min_probability": min_probability, "all": all, "min_plddt": min_plddt}
        own["pocket_shape"] = pocket_shape
        return self.table("sites", inputs, on_error=on_error, progress=progress, **{**own, **options})

    @spelled_out
    def edges(
        self,
        inputs: Any,
        *,
        kinds: Sequence[str] = ("ca", "atom"),
        attributes: Sequence[Literal["rbf", "frame"]] = (),
        ids: Literal["rows", "residues"] | None = None,
        cutoff: float = 4.5,
        neighbors: int = 30,
        steps: int = 1,
        ccd: str | os.PathLike[str] | None = None,
        pae: bool = False,
        on_error: OnError = "raise",
        progress: bool = False,
        **options: Unpack[ReadingOptions],
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
        if are_interactions(kinds):
            if pae:
                raise PrismError("pae is of pairs of residues with rows (such as kinds \"ca\" and \"atom\"), not of interactions")
            if len(attributes) > 0:
                raise PrismError("attributes have no effect on interactions, whose ends have no local frames and which have distances of atoms")
            if ids == "rows":
                raise PrismError('ids="rows": ligands, nucleotides, ions and waters have no rows; interactions are by residues')
            return interactions(inputs, kinds, ccd, on_error, dict(options))
        if ccd is not None:
            raise PrismError("ccd has no effect on contacts; it has the bonds of ligands for interactions")
        own: dict[str, Any] = {"kinds": kinds, "attributes": attributes, "ids": ids, "cutoff": cutoff, "neighbors": neighbors, "steps": steps, "pae": pae}
        return self.table("edges", inputs, on_error=on_error, progress=progress, **{**own, **options})

    @spelled_out
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
        on_error: OnError = "raise",
        progress: bool = False,
        **options: Unpack[ReadingOptions],
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
        check("all_atoms", all_atoms)
        check("shape", shape)
        if groups is not None and between is not None:
            raise PrismError("groups are those of a table, and between names two; give one of both")
        if all_atoms or groups is not None or are_groups(between):
            if by_residue or pae:
                raise PrismError(f"{'by_residue' if by_residue else 'pae'} is of residues of proteins, not of interfaces of every atom")
            return interfaces(self._native, inputs, between, groups, ccd, shape, on_error, dict(options))
        if ccd is not None or shape:
            raise PrismError(f"{'shape' if ccd is None else 'ccd'} has no effect on interfaces of proteins; add all_atoms=True")
        own: dict[str, Any] = {"between": between, "by_residue": by_residue, "pae": pae}
        return self.table("interface", inputs, on_error=on_error, progress=progress, **{**own, **options})

    @spelled_out
    def ligands(
        self, inputs: Any, *, on_error: OnError = "raise", progress: bool = False, **options: Unpack[ReadingOptions]
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
        return self.table("ligands", inputs, on_error=on_error, progress=progress, **options)

    @spelled_out
    def atoms(
        self,
        inputs: Any,
        *,
        probe: float = 1.4,
        radii: str | os.PathLike[str] = "protor",
        algorithm: Literal["shrake-rupley", "lee-richards"] = "shrake-rupley",
        slices: int = 20,
        on_error: OnError = "raise",
        progress: bool = False,
        **options: Unpack[ReadingOptions],
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
        own: dict[str, Any] = {"probe": probe, "radii": radii, "algorithm": algorithm, "slices": slices}
        return self.table("atoms", inputs, on_error=on_error, progress=progress, **{**own, **options})

    @spelled_out
    def areas(
        self,
        inputs: Any,
        *,
        format: Literal["rsa", "naccess", "pdb"] = "rsa",
        probe: float = 1.4,
        radii: str | os.PathLike[str] = "protor",
        algorithm: Literal["shrake-rupley", "lee-richards"] = "shrake-rupley",
        slices: int = 20,
        on_error: OnError = "raise",
        progress: bool = False,
        **options: Unpack[ReadingOptions],
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
        own: dict[str, Any] = {"format": format, "probe": probe, "radii": radii, "algorithm": algorithm, "slices": slices}
        return self.table("areas", inputs, on_error=on_error, progress=progress, **{**own, **options})

    @spelled_out
    def summary(
        self, inputs: Any, *, on_error: OnError = "raise", progress: bool = False, **options: Unpack[ReadingOptions]
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
        return self.table("summary", inputs, on_error=on_error, progress=progress, **options)

    @spelled_out
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
        on_error: OnError = "raise",
        progress: bool = False,
        **options: Unpack[ReadingOptions],
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
        own: dict[str, Any] = {"reference": reference, "mapping": mapping, "allowed_mismatches": allowed_mismatches}
        how: dict[str, Any] = {"by_number": by_number, "peptide": peptide, "small_molecules": small_molecules}
        return self.table("dockq", inputs, on_error=on_error, progress=progress, **{**own, **how, **options})

    @spelled_out
    def table(
        self,
        table: TableName,
        inputs: Any,
        columns: str | Sequence[str] | None = None,
        *,
        on_error: OnError = "raise",
        progress: bool = False,
        **options: Unpack[TableOptions],
    ) -> Table:
        """Any table by its name: ``"features"``, ``"sites"``, ``"edges"``, ``"interface"``, ``"ligands"``, ``"atoms"``, ``"areas"``,
        ``"summary"`` or ``"dockq"``, with the options of the function of that name."""
        check_on_error(on_error, ("raise", "skip", "report"))
        job, run = self._begin(table, inputs, columns, options)
        failures: list[InputFailure] = []
        only = None if progress else run.only()
        if only is not None:
            self._tell(only, on_error, failures)
            batches = [job.arrow(only)]
        else:
            batches = [job.arrow(batch) for batch in self._batches(run, on_error, progress, failures)]
        return Table(pa.Table.from_batches(batches or [job.arrow(run.empty())]), failures)

    @spelled_out
    def stream(
        self,
        inputs: Any,
        columns: str | Sequence[str] | None = None,
        *,
        table: TableName = "features",
        on_error: OnError = "raise",
        progress: bool = False,
        **options: Unpack[TableOptions],
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
        return self._stream(table, inputs, columns, options, on_error, progress)

    def _stream(
        self, table: str, inputs: Any, columns: Any, options: Any, on_error: OnError = "raise", progress: bool = False
    ) -> Stream[pa.RecordBatch]:
        check_on_error(on_error, ("raise", "skip", "report"))
        # Begins here and not at the first batch, so that wrong arguments raise at once.
        job, run = self._begin(table, inputs, columns, options)
        failures: list[InputFailure] = []
        return Stream((job.arrow(batch) for batch in self._batches(run, on_error, progress, failures)), failures)

    @spelled_out
    def tensors(
        self,
        inputs: Any,
        columns: str | Sequence[str] | None = None,
        *,
        device: Device = "cpu",
        on_error: OnError = "raise",
        progress: bool = False,
        **options: Unpack[ReadingOptions],
    ) -> Stream[_prism.Tensor]:
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
        check("device", device)
        if device not in ("cpu", "cuda"):
            raise PrismError(f'device must be "cpu" or "cuda", not {device!r}; prism.Engine("cuda", devices=[1]) is on another')
        table = "tensors" if device == "cpu" else "device tensors"
        return self._tensors(table, inputs, columns, on_error, progress, options)

    def _tensors(
        self,
        table: str,
        inputs: Any,
        columns: str | Sequence[str] | None,
        on_error: OnError,
        progress: bool,
        options: Any,
        share: Share | None = None,
    ) -> Stream[_prism.Tensor]:
        """Tensors of all inputs, or of this worker's share."""
        check_on_error(on_error, ("raise", "skip", "report"))
        _, run = self._begin(table, inputs, columns, options, share)
        failures: list[InputFailure] = []
        return Stream(self._tensors_of(run, on_error, progress, failures), failures)

    def _tensors_of(
        self, run: _prism.Stream, on_error: OnError, progress: bool, failures: list[InputFailure]
    ) -> Iterator[_prism.Tensor]:
        # What small calls compute is there already.
        only = None if progress else run.only()
        if only is not None:
            self._tell(only, on_error, failures)
            yield from only.tensors()
            return
        for batch in self._batches(run, on_error, progress, failures):
            yield from batch.tensors()

    def _frames(
        self, frames: _prism.Frames, table: str, columns: list[str] | None, options: Any, most: int | None
    ) -> Iterator[pa.RecordBatch]:
        """A table of some frames, batch by batch."""
        try:
            job = Job(self._native.job(table, columns, table_options(options, table)))
            run = job.native.stream_frames(frames, most)
        except (RuntimeError, ValueError) as error:
            raise PrismError(str(error)) from None
        for text in job.warnings:
            warn(text)
        return (job.arrow(batch) for batch in self._batches(run, "raise", False, []))

    def _begin(
        self, table: str, inputs: Any, columns: str | Sequence[str] | None, options: Any, share: Share | None = None
    ) -> tuple[Job, _prism.Stream]:
        # Without options, as in most small calls, there is less to look at.
        job = self._checked_job(table, columns, options) if options else self._usual_job(table, columns)
        for text in job.warnings:
            warn(text)
        try:
            return job, job.native.stream(items(inputs, options.get("model"), share), share)
        except (RuntimeError, ValueError) as error:
            raise PrismError(str(error)) from None

    def _usual_job(self, table: str, columns: str | Sequence[str] | None) -> Job:
        """A job without options. What was checked once is a key, and is not checked again."""
        key: Any = (table, tuple(columns) if type(columns) is list else columns)
        try:
            kept = self._usual_jobs.get(key)
        except TypeError:
            # A name of a column can be a key. The checks say what is wrong.
            kept = None
        if kept is None:
            kept = self._checked_job(table, columns, {})
            if columns is None or type(columns) in (str, list, tuple):
                if len(self._usual_jobs) >= _MOST_JOBS:
                    self._usual_jobs.clear()
                self._usual_jobs[key] = kept
        return kept

    def _checked_job(self, table: str, columns: str | Sequence[str] | None, options: Any) -> Job:
        chosen = check_columns(columns)
        if table in RELATIONS and chosen is not None:
            raise TypeError(f"columns is for the table features; {table} has columns of its own")
        check("table", table)
        try:
            return self._job(table, chosen, table_options(options, table))
        except (RuntimeError, ValueError) as error:
            reference = options.get("reference")
            if reference is not None and not os.path.exists(reference):
                raise reference_error(reference, str(error)) from None
            raise PrismError(str(error)) from None

    def _job(self, table: str, columns: list[str] | None, options: dict[str, Any]) -> Job:
        """A job, which later calls reuse. Files of annotations, lineages and pockets may change, so their jobs are not reused."""
        is_of_file = options["annotations"] is not None or options["lineages"] is not None
        if is_of_file or isinstance(options["known_pockets"], str):
            return Job(self._native.job(table, columns, options))
        # Sorted, so that their order does not matter. With their types, since 1 == True.
        values = [tuple(value) if isinstance(value, list) else value for value in options.values()]
        key = (table, columns and tuple(columns), *((type(value), value) for value in values))
        kept = self._jobs.get(key)
        if kept is None:
            kept = Job(self._native.job(table, columns, options))
            if len(self._jobs) >= _MOST_JOBS:
                self._jobs.clear()
            self._jobs[key] = kept
        return kept

    def _batches(
        self, run: _prism.Stream, on_error: OnError, progress: bool, failures: list[InputFailure]
    ) -> Iterator[_prism.Batch]:
        with Bar(progress, run.total) as bar:
            try:
                for batch in run:
                    self._tell(batch, on_error, failures)
                    bar.advance(batch.inputs)
                    yield batch
            except GeneratorExit:
                # Dropping the run ends it. An exception that is raised here, such as that of Ctrl-C, would be lost.
                raise
            except _prism.RunError as error:
                run.cancel()
                raise PrismError(str(error)) from None
            except BaseException:
                run.cancel()
                raise

    def _tell(self, batch: _prism.Batch, on_error: OnError, failures: list[InputFailure]) -> None:
        """Reports failures and warnings of a batch's inputs."""
        for failed in batch.failures:
            failure = InputFailure(*failed)
            if on_error == "raise":
                raise input_error(failure)
            if on_error == "skip":
                warn(f"{failure.name}: {failure.reason}")
            failures.append(failure)
        for name, text in batch.warnings:
            warn(f"{name}: {text}")
        if _log.isEnabledFor(logging.INFO):
            for name, text in batch.notes:
                _log.info("%s: %s", name, text)
