//! Atoms and bonds as interactions need them.

use crate::programs::{same, ubiquitin, with};
use prism_read::{
    AtomRecord, ComponentBond, LinkEnd, LinkKind, Problem, each_atom, each_atom_but_damaged_water, read_system, text_of,
};

/// What a file's system has.
#[derive(Default)]
struct Contents {
    atoms: usize,
    left_out: usize,
    links: Vec<String>,
}

impl prism_read::SystemContents for Contents {
    fn atom(&mut self, _: AtomRecord<'_>) -> Result<(), Problem> {
        self.atoms += 1;
        Ok(())
    }
    fn further(&mut self) {}
    fn left_out(&mut self, records: usize) {
        self.left_out += records;
    }
    fn link(&mut self, kind: LinkKind, ends: [LinkEnd<'_>; 2]) {
        let named = |end: LinkEnd<'_>| {
            let [chain, residue, icode, atom] = [end.chain, end.residue, end.icode, end.atom].map(text_of);
            format!("{chain}/{residue}{}{icode}/{atom}", end.number)
        };
        self.links.push(format!("{kind:?} {}", ends.map(named).join(" ")));
    }
    fn to_copy(&mut self) {}
    fn conect(&mut self, _: [i32; 2]) {}
    fn component_bond(&mut self, _: ComponentBond<'_>) {}
    fn sequence(&mut self, _: &[u8], _: &[u8]) {}
    fn unobserved(&mut self, _: &[u8], _: i32) {}
}

fn system(text: &str) -> Result<Contents, prism_read::ReadError> {
    let mut contents = Contents::default();
    read_system(text.as_bytes(), "x", &mut contents).map(|()| contents)
}

/// Names of four letters and chain ids of two have column 21 in these records, too.
#[test]
fn ends_of_bonds_have_the_columns_of_atoms() {
    let link = |first: &str, second: &str| {
        let half = format!("LINK         NE2 {first}");
        format!("{half:<42} SG  {second:<11}   1555   1555  1.33\n")
    };
    let disulfide = |first: &str, second: &str| {
        format!("SSBOND   1 {first:<11}   {second:<11}                       1555   1555  2.03\n")
    };
    let text = link("HSE1A  68 ", "POPCL   1 ")
        + &link("HIS A  68X", "CYS     2 ")
        + &disulfide("CYS2A    3 ", "CYS A   40A")
        + &ubiquitin(1..=76, same);
    let expected =
        ["Covalent A/HSE168/NE2 L/POPC1/SG", "Covalent A/HIS68X/NE2  /CYS2/SG", "Disulfide A/CYS23/SG A/CYS40A/SG"];
    assert_eq!(system(&text).unwrap().links, expected);
    let chain = |line: &str| with(line, 21, "XA");
    let text = link("HISXA  68 ", "HEMYA   1 ") + &disulfide("CYSXA    3 ", "CYSXA   40 ") + &ubiquitin(1..=76, chain);
    assert_eq!(system(&text).unwrap().links, ["Covalent XA/HIS68/NE2 YA/HEM1/SG", "Disulfide XA/CYS3/SG XA/CYS40/SG"]);
    // A bond to another copy in the crystal.
    assert!(system(&text.replacen("1555   1555", "1555   2565", 1)).unwrap().links.len() == 1);
}

#[test]
fn damaged_water_is_left_out() {
    let atoms = ubiquitin(1..=9, same);
    let hetero = |name: &str, z: &str, number: &str| {
        format!("HETATM  999  O   {name} A{number}      60.000  24.430{z}  1.00  9.67           O\n")
    };
    let (good, stars) = (hetero("HOH", "   2.614", " 300"), hetero("HOH", "********", " 301"));
    let (unnumbered, ligand) = (hetero("WAT", "   2.614", "****"), hetero("LIG", "********", " 302"));
    let sound = atoms.lines().count() + 1;
    let text = format!("{atoms}{good}{stars}{unnumbered}");
    let contents = system(&text).unwrap();
    assert_eq!((contents.atoms, contents.left_out), (sound, 2));
    let mut taken = 0;
    let left_out = each_atom_but_damaged_water(text.as_bytes(), "x", &mut |_| {
        taken += 1;
        Ok(())
    });
    assert_eq!((left_out.unwrap(), taken), (2, sound));
    // Where atoms are counted, none may be missing, and a ligand's are needed.
    assert!(each_atom(text.as_bytes(), "x", &mut |_| Ok(())).is_err());
    assert!(system(&format!("{text}{ligand}")).is_err());
}

#[test]
fn a_line_of_a_text_is_no_further_block() {
    let further = |text: &str| each_atom(text.as_bytes(), "x", &mut |_| Ok(())).unwrap();
    let text = "data_a\nloop_\n_atom_site.auth_seq_id\n_atom_site.label_comp_id\n_atom_site.label_atom_id\n_atom_site.Cartn_x\n\
                _atom_site.Cartn_y\n_atom_site.Cartn_z\n1 GLY CA 1.0 2.0 3.0\n#\n";
    let note = "_note.text\n;one\ndata_b\n_atom_site.id 1\n;\n";
    assert!(!further(text) && !further(&format!("{text}{note}")));
    let other = text.replace("data_a", "data_b");
    assert!(further(&format!("{text}{other}")) && further(&format!("{text}{note}{other}")));
}
