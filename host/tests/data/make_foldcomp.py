"""Makes the database `foldcomp` and what FoldComp's own program reads from it: pip install foldcomp==1.0.0"""

import gzip
from pathlib import Path

import foldcomp

here = Path(__file__).parent
data, index, lookup, texts = b"", "", "", []
for key, name in enumerate(["1ubq", "1crn"]):
    lines = (here / f"{name}.pdb").read_text().splitlines()
    atoms = [line for line in lines if line.startswith("ATOM")]
    entry = foldcomp.compress(name, "\n".join(atoms))
    texts.append(foldcomp.decompress(entry)[1])
    # Databases of MMseqs2 put a zero after an entry.
    entry += b"\0"
    index += f"{key}\t{len(data)}\t{len(entry)}\n"
    lookup += f"{key}\t{name}\t0\n"
    data += entry
(here / "foldcomp").write_bytes(data)
(here / "foldcomp.index").write_text(index)
(here / "foldcomp.lookup").write_text(lookup)
(here / "foldcomp.dbtype").write_bytes(b"\x0c\0\0\0")
(here / "foldcomp.pdb.gz").write_bytes(gzip.compress("".join(texts).encode(), 9, mtime=0))
