"""Writes host/read/src/components/table.rs from the Chemical Component Dictionary (wwPDB, CC0 1.0).

    pip install biotite==1.6.0 && python data/components/generate.py

biotite's wheel ships the dictionary as BinaryCIF. Taken are the components that link as peptides, each with its
parent, and those that link as nucleic acids. The parent is

1. the dictionary's `mon_nstd_parent_comp_id`, where that is one of the 20 standard amino acids, or a component that has one
   itself;
2. else the standard amino acid of its `one_letter_code`, which D-amino acids have;
3. for SEC and PYL, which the genetic code has of its own, the amino acid that most tools put in their place.

A component made of several residues (a fluorophore) has several parents, and so none here. Components that are obsolete are
taken as well: files name them.

Of the components with a parent, the heavy atoms are listed whose element is not the first letter of their name. The program
checks what host/read/src/atoms.rs relies on: the names of the backbone and of the parent's side chain always mean the same
element.
"""

from collections import defaultdict
from pathlib import Path

from biotite.structure.info.ccd import get_ccd

STANDARD = {
    "A": "ALA", "R": "ARG", "N": "ASN", "D": "ASP", "C": "CYS", "Q": "GLN", "E": "GLU", "G": "GLY", "H": "HIS", "I": "ILE",
    "L": "LEU", "K": "LYS", "M": "MET", "F": "PHE", "P": "PRO", "S": "SER", "T": "THR", "W": "TRP", "Y": "TYR", "V": "VAL",
}
OF_THE_CODE = {"SEC": "CYS", "PYL": "LYS"}
# Names of force fields, which the reader knows by itself with their protonation.
FORCE_FIELDS = {"HIP", "ASH", "GLH", "LYN", "CYM", "CYX", "HID", "HIE", "HSD", "HSE", "HSP"}
OUTPUT = Path(__file__).resolve().parents[2] / "host/read/src/components/table.rs"


def components():
    """Per component: parent's name as the dictionary has it, one-letter code, type in lower case."""
    table = get_ccd()["chem_comp"]
    names, kinds = table["id"].as_array(), table["type"].as_array()
    parents, letters = table["mon_nstd_parent_comp_id"].as_array(), table["one_letter_code"].as_array()
    return {str(n): (str(p), str(l), str(k).lower()) for n, p, l, k in zip(names, parents, letters, kinds)}


def parent(name, known, seen=()):
    """The standard amino acid that a component stands for, or none."""
    if name in STANDARD.values():
        return name
    if name in OF_THE_CODE:
        return OF_THE_CODE[name]
    if name not in known or name in seen:
        return None
    named, letter, _ = known[name]
    if "," not in named and (found := parent(named, known, (*seen, name))):
        return found
    return STANDARD.get(letter) if "," not in named else None


def heavy_atoms():
    """Per component: names and elements of its heavy atoms."""
    table, atoms = get_ccd()["chem_comp_atom"], defaultdict(list)
    columns = (table[name].as_array() for name in ("comp_id", "atom_id", "type_symbol"))
    for component, atom, element in zip(*columns):
        if element not in ("H", "D"):
            atoms[str(component)].append((str(atom), str(element).upper()))
    return atoms


def other_elements(peptides):
    """Per element: the atoms of components with a parent whose names begin with another letter."""
    atoms, others = heavy_atoms(), defaultdict(list)
    for of, names in peptides.items():
        known = {"N", "CA", "C", "O", "OXT", "CB"} | {atom for atom, _ in atoms.get(of, [])}
        for name in names:
            for atom, element in atoms[name]:
                assert atom not in known or element == atom[0], (name, atom, element)
                if of and element != atom.lstrip("0123456789")[:1]:
                    others[element].append(f"{name}/{atom}")
    return others


def lines(names):
    """Names in lines that are not too long, as the inside of a string."""
    line, all_lines = "", []
    for name in names:
        if len(line) + len(name) > 105:
            all_lines.append(line)
            line = ""
        line += name + " "
    return all_lines + [line.rstrip()] if line else all_lines


def text_of(names):
    return "\\\n         ".join(lines(names))


def main():
    known = components()
    peptides, nucleic = defaultdict(list), []
    for name, (_, _, kind) in sorted(known.items()):
        if name in STANDARD.values() or name in FORCE_FIELDS or name == "UNK" or len(name) > 8:
            continue
        if "peptide" in kind and kind != "peptide-like":
            peptides[parent(name, known) or ""].append(name)
        elif "dna" in kind or "rna" in kind:
            nucleic.append(name)
    out = [
        "//! Components that link in chains. This file is generated: `data/components/generate.py` makes it from the Chemical",
        "//! Component Dictionary of the wwPDB (CC0 1.0).",
        "",
        "/// The names of peptide-linking components other than the standard ones, by parent; empty for no parent.",
        "#[rustfmt::skip]",
        f"pub(super) const PEPTIDES: [(&str, &str); {len(peptides)}] = [",
    ]
    for name in sorted(peptides):
        out.append(f'    ("{name}", "\\\n         {text_of(peptides[name])}"),')
    others = other_elements(peptides)
    out += ["];", "", "/// Atoms of these components whose element is not the first letter of their name, by the element's symbol."]
    out += ["#[rustfmt::skip]", f"pub(super) const OTHER_ELEMENTS: [(&str, &str); {len(others)}] = ["]
    for element in sorted(others):
        out.append(f'    ("{element}", "\\\n         {text_of(sorted(others[element]))}"),')
    out += ["];", "", "/// The names of nucleic-acid components.", "#[rustfmt::skip]"]
    out.append(f'pub(super) const NUCLEIC: &str = "\\\n         {text_of(nucleic)}";')
    OUTPUT.parent.mkdir(parents=True, exist_ok=True)
    OUTPUT.write_text("\n".join(out) + "\n")
    print({k: len(v) for k, v in peptides.items()}, len(nucleic))


main()
