//! Lists the residues of structure files as CSV: `residues FILE...`.
//!
//! With `--atoms` first, lists atoms instead: absolute position in Å (stored as f32 relative to the centre, so exact to
//! about 1e-5 Å), and radius.

use prism_host::read::{ReadOptions, read_path};
use shared_types::{NO_CA, RESIDUES};
use std::io::{BufWriter, Write};

fn main() -> std::io::Result<()> {
    let mut paths: Vec<String> = std::env::args().skip(1).collect();
    let atoms = paths.first().is_some_and(|first| first == "--atoms");
    if atoms {
        paths.remove(0);
    }
    let mut out = BufWriter::new(std::io::stdout().lock());
    if atoms {
        writeln!(out, "structure,row,x,y,z,radius")?;
    } else {
        writeln!(out, "structure,row,chain,resnum,icode,resname,natoms,has_ca,b_ca")?;
    }
    for path in &paths {
        let file = path.rsplit('/').next().unwrap_or(path);
        let name = file.strip_suffix(".gz").unwrap_or(file);
        let read = match read_path(path, name, &ReadOptions::default()) {
            Ok(read) => read,
            Err(error) => {
                eprintln!("{error}");
                continue;
            }
        };
        for warning in &read.warnings {
            eprintln!("{name}: {warning}");
        }
        let s = &read.structure;
        for row in 0..s.n_residues() {
            let (begin, end) = (s.residue_atoms[row] as usize, s.residue_atoms[row + 1] as usize);
            if atoms {
                for a in &s.atoms[begin..end] {
                    let [x, y, z] = [0, 1, 2].map(|i| f64::from([a.x, a.y, a.z][i]) + s.center[i]);
                    writeln!(out, "{name},{row},{x:.5},{y:.5},{z:.5},{}", a.radius)?;
                }
                continue;
            }
            let chain = &s.chains[s.chain_ids[row] as usize];
            let residue = RESIDUES[usize::from(s.residue_types[row])].name;
            let (number, icode, b) = (s.residue_numbers[row], &s.insertion_codes[row], s.bfactor[row]);
            let has_ca = u8::from(s.ca_indices[row] != NO_CA);
            writeln!(out, "{name},{row},{chain},{number},{icode},{residue},{},{has_ca},{b}", end - begin)?;
        }
    }
    out.flush()
}
