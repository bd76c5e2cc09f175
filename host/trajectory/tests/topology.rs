//! Atoms of topologies, in short files written by hand as the programs write them.

use prism_trajectory::{Topology, is_topology};

fn text(name: &[u8; 8]) -> &str {
    std::str::from_utf8(name).unwrap().trim_end_matches('\0')
}

/// Atoms as `segment residue number atom`.
fn atoms_of(topology: &Topology) -> Vec<String> {
    let atom = |atom: usize| {
        let (segment, residue) = (text(&topology.segments[atom]), text(&topology.residue_names[atom]));
        format!("{segment} {residue} {} {}", topology.residue_numbers[atom], text(&topology.names[atom]))
    };
    (0..topology.len()).map(atom).collect()
}

fn read(text: &str) -> Topology {
    assert!(is_topology(text.as_bytes()), "{text}");
    Topology::of_bytes("x", text).unwrap_or_else(|error| panic!("{error}: {text}"))
}

const PSF: &str = "\
PSF CMAP

       1 !NTITLE
* A TITLE

       4 !NATOM
       1 4AKE 1    MET  N      56  -0.300000       14.0070           0   0.00000     -0.301140E-02
       2 4AKE 1    MET  CA     22   0.210000       12.0110           0   0.00000     -0.301140E-02
       3 4AKE 2A   ALA  N      54  -0.470000       14.0070           0   0.00000     -0.301140E-02
       4 WAT  -1   TIP3 OH2    54  -0.470000       15.9990           0   0.00000     -0.301140E-02

       2 !NBOND: bonds
       1       2       2       3

       0 !NTHETA: angles
";

#[test]
fn psf_has_segments_residues_and_bonds() {
    let topology = read(PSF);
    assert_eq!(atoms_of(&topology), ["4AKE MET 1 N", "4AKE MET 1 CA", "4AKE ALA 2 N", "WAT TIP3 -1 OH2"]);
    assert_eq!(topology.bonds, [[0, 1], [1, 2]]);
    let without = PSF.replace("4AKE", "    ").replace("WAT ", "    ");
    assert_eq!(atoms_of(&read(&without)), [" MET 1 N", " MET 1 CA", " ALA 2 N", " TIP3 -1 OH2"]);
    let extended = PSF
        .replace("PSF CMAP", "PSF EXT CMAP XPLOR")
        .replace("4AKE 1    MET  N ", "4AKE     1        MET      N       ");
    assert_eq!(atoms_of(&read(&extended)), atoms_of(&read(PSF)));
}

const PRMTOP: &str = "\
%VERSION  VERSION_STAMP = V0001.000  DATE = 06/12/03 13:34:18
%FLAG TITLE
%FORMAT(20a4)
ALANINE
%FLAG POINTERS
%FORMAT(10I8)
       5       2       1       2
%FLAG ATOM_NAME
%FORMAT(20a4)
N   H1  CA  O   H1'\x20
%FLAG ATOMIC_NUMBER
%FORMAT(10I8)
       7       1       6       8       1
%FLAG RESIDUE_LABEL
%FORMAT(20a4)
ALA WAT
%FLAG RESIDUE_POINTER
%FORMAT(10I8)
       1       4
%FLAG BONDS_INC_HYDROGEN
%FORMAT(10I8)
       0       3       1       9      12       1
%FLAG BONDS_WITHOUT_HYDROGEN
%FORMAT(10I8)
       0       6       1
";

#[test]
fn prmtop_has_residues_elements_and_bonds() {
    let topology = read(PRMTOP);
    assert_eq!(atoms_of(&topology), [" ALA 1 N", " ALA 1 H1", " ALA 1 CA", " WAT 2 O", " WAT 2 H1'"]);
    assert_eq!(topology.bonds, [[0, 1], [3, 4], [0, 2]]);
    assert_eq!(topology.elements, [7, 1, 6, 8, 1]);
    let named = format!(
        "{PRMTOP}%FLAG RESIDUE_NUMBER\n%FORMAT(20I4)\n  10 901\n%FLAG RESIDUE_CHAINID\n%COMMENT chains\n%FORMAT(20a4)\nA   B   \n"
    );
    assert_eq!(atoms_of(&read(&named))[2..4], ["A ALA 10 CA", "B WAT 901 O"]);
}

#[test]
fn damage_is_named() {
    let refused = |text: &str| Topology::of_bytes("x", text).unwrap_err().to_string();
    for (text, expected) in [
        (
            PSF.replace("       1       2       2       3", "       1       9       2       3"),
            "a bond of atom \"9\" of 4",
        ),
        (PSF.replace("       4 !NATOM", "       9 !NATOM"), "an atom has the line"),
        (PSF[..PSF.find("       4 WAT").unwrap()].to_owned(), "the file ends within the atoms"),
        (PSF[..40].to_owned(), "before its atoms"),
        (PRMTOP.replace("       1       4\n", "       4       1\n"), "the first atoms of residues"),
        (PRMTOP.replace("ATOM_NAME", "NAMES"), "it has no ATOM_NAME"),
        (PRMTOP.replace("       5       2", "       6       2"), "the names of atoms"),
        (PRMTOP.replace("%FORMAT(20a4)", "%FORMAT(20x)"), "the format"),
        (PRMTOP.replace("       0       6       1", "       0      99       1"), "a bond of coordinates 0 and 99"),
    ] {
        let error = refused(&text);
        assert!(error.contains(expected), "{error}: {text}");
    }
    assert!(
        !is_topology(b"ATOM      1  N   MET A   1      27.340  24.430   2.614\n") && !is_topology(b"data_x\nloop_\n")
    );
}

#[test]
fn the_first_frame_of_gro_is_a_topology() {
    let path = format!("{}/tests/data/small.gro", env!("CARGO_MANIFEST_DIR"));
    let topology = Topology::open(path).unwrap();
    assert_eq!((topology.len(), topology.positions.as_ref().map(Vec::len)), (417, Some(417)));
    assert_eq!(atoms_of(&topology)[..2], [" THR 1 N", " THR 1 CA"]);
    assert_eq!(atoms_of(&topology)[416], " HOH 75 H2");
}
