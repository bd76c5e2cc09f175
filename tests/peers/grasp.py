"""GrASP (https://github.com/tiwarylab/GrASP) on one structure at a time: called by sites.py.

Its own functions prepare the structure, predict a probability for each atom at the surface, and group these atoms into sites, all with
the defaults of its programs `parse_files.py`, `infer_test_set.py` and `site_metrics.py`. They take torch, torch_geometric, MDAnalysis,
openbabel-wheel, rdkit, mdtraj, pandas, scikit-learn, matplotlib, tqdm, cython and networkx before version 3. The repository has the
models.
"""

import argparse
import contextlib
import os
import pathlib
import shutil
import sys
import tempfile
import warnings

import numpy as np

MODEL = "trained_models/train_full/trained_model_s_train_full_ag_multi_1680643832.8660116/cv_0/epoch_49"
# Of site_metrics.py: atoms above a probability, grouped by average linkage up to a distance in Å.
PROBABILITY, LINKAGE = 0.3, 15.0


class Grasp:
    """The model of a clone of the repository."""

    def __init__(self, repository):
        # Its graphs are files of whole objects, which it wrote itself.
        os.environ["TORCH_FORCE_NO_WEIGHTS_ONLY_LOAD"] = "1"
        warnings.simplefilter("ignore")
        repository = pathlib.Path(repository).resolve()
        sys.path.insert(0, str(repository))
        import torch
        from utils import initialize_model

        torch.set_num_threads(1)
        settings = argparse.Namespace(model="gatv2", weight_groups=1, group_layers=12, aggregator="multi")
        self.model = initialize_model(settings)
        self.model.load_state_dict(torch.load(repository / MODEL, map_location="cpu"))
        self.model.eval()

    def predict(self, path):
        """Of a PDB file: the chain, number and probability of each surface atom's residue, and centres and scores of sites by rank."""
        with tempfile.TemporaryDirectory() as folder, contextlib.chdir(folder), open(os.devnull, "w") as nowhere:
            with contextlib.redirect_stdout(nowhere):
                return self._predict(pathlib.Path(path))

    def _predict(self, path):
        import MDAnalysis
        import torch
        from GASP_dataset import GASPData
        from parse_files import process_production_set
        from site_metrics import cluster_atoms_average, hulls_from_clusters

        shutil.copy(path, path.name)
        process_production_set(path.name, "data")
        data = GASPData(f"{os.getcwd()}/data", 1, cutoff=5, surface_subgraph_hops=1, sasa_threshold=1e-4)
        data.process()
        graph, _ = data[0]
        graph.batch = torch.zeros(graph.num_nodes, dtype=torch.long)
        with torch.no_grad():
            out, _ = self.model.forward(graph)
        on_surface = graph.surf_mask
        probabilities = torch.softmax(out[on_surface], dim=-1).numpy()
        atoms = MDAnalysis.Universe(f"data/mol2/{path.stem}.mol2").atoms[graph.atom_index[on_surface].numpy()]
        # The prepared file has no chains: residues are found by position.
        positions = atoms.positions.astype(float)
        coordinates, order, _ = cluster_atoms_average(
            positions, probabilities, threshold=PROBABILITY, n_clusters=None, distance_threshold=LINKAGE, score_type="square"
        )
        sites = []
        if coordinates is not None:
            _, _, centres = hulls_from_clusters(coordinates, order, 1000)
            chosen = probabilities[:, 1][probabilities[:, 1] > PROBABILITY]
            ranks = np.unique(order)[::-1]
            sites = [(centre, float((chosen[order == rank] ** 2).sum())) for centre, rank in zip(centres, ranks, strict=True)]
        return positions, probabilities[:, 1], sites
