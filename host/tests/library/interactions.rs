//! Interactions of atoms that are placed so that the rules decide, and of an entry.

mod places;

use prism_host::interactions::{Dictionary, Entity, Interactions, Kind, Options, interactions, interactions_of};
use prism_host::read::{Alternates, ReadOptions, read_bytes};
use std::fmt::Write as _;

/// A PDB file in the making.
#[derive(Default)]
struct Pdb {
    text: String,
    serial: usize,
}

impl Pdb {
    fn atom(mut self, name: &str, residue: &str, number: i32, at: [f64; 3]) -> Self {
        self.serial += 1;
        let record = if ["LIG", "ZN", "K", "HOH", "NAG"].contains(&residue) { "HETATM" } else { "ATOM  " };
        let element: String = if residue == name {
            name.to_owned()
        } else {
            name.chars().take(if name.starts_with("CL") { 2 } else { 1 }).collect()
        };
        let [x, y, z] = at;
        writeln!(
            self.text,
            "{record}{:5} {:<4} {residue:>3} A{number:4}    {x:8.3}{y:8.3}{z:8.3}  1.00 10.00          {element:>2}",
            self.serial,
            if name.len() < 4 && element.len() == 1 { format!(" {name}") } else { name.to_owned() },
        )
        .unwrap();
        self
    }

    fn atoms(self, residue: &str, number: i32, atoms: &[(&str, [f64; 3])]) -> Self {
        atoms.iter().fold(self, |pdb, (name, at)| pdb.atom(name, residue, number, *at))
    }

    /// A ring of phenylalanine or of a ligand, with a normal along z, or along x where it stands.
    fn benzene(self, residue: &str, number: i32, centre: [f64; 3], stands: bool) -> Self {
        let names = ["CG", "CD1", "CE1", "CZ", "CE2", "CD2"];
        (0..6).fold(self, |pdb, k| {
            let (sin, cos) = (f64::from(k) * std::f64::consts::FRAC_PI_3).sin_cos();
            let [x, y, z] = if stands { [0.0, 1.39 * cos, 1.39 * sin] } else { [1.39 * cos, 1.39 * sin, 0.0] };
            pdb.atom(names[k as usize], residue, number, [centre[0] + x, centre[1] + y, centre[2] + z])
        })
    }

    fn find(&self, kinds: &[Kind]) -> Interactions {
        let options = Options { kinds, chains: None, alternates: Alternates::Highest, dictionary: None };
        interactions(format!("{}END\n", self.text).as_bytes(), "made", &options)
            .unwrap_or_else(|error| panic!("{error}"))
    }

    /// The lines of one kind: names of the first atoms, and distance and angle to two digits.
    fn lines(&self, kind: Kind) -> Vec<String> {
        let all = self.find(&[kind]);
        let end = |atoms: &[u32]| &*all.atoms[atoms[0] as usize].name;
        let line = |one: &prism_host::interactions::Interaction| {
            let angle = if one.angle.is_nan() { String::new() } else { format!(" {:.0}", one.angle) };
            format!("{} {} {:.2}{angle}", end(&one.atoms[0]), end(&one.atoms[1]), one.distance)
        };
        all.found.iter().map(line).collect()
    }
}

/// A carbonyl of a glycine whose oxygen is at `at`, on the line that leads on in this direction.
fn carbonyl(pdb: Pdb, number: i32, at: [f64; 3], along: [f64; 3]) -> Pdb {
    let beyond = |distance: f64| [0, 1, 2].map(|axis| at[axis] + distance * along[axis]);
    let carbon = beyond(1.23);
    let alpha = [carbon[0] + 0.76 * along[0], carbon[1] + 0.76 * along[1], carbon[2] + 1.32];
    pdb.atoms("GLY", number, &[("CA", alpha), ("C", carbon), ("O", at)])
}

#[test]
fn hydroxyls_donate_on_their_cone() {
    let serine = || Pdb::default().atoms("SER", 1, &[("CB", [0.0; 3]), ("OG", [1.42, 0.0, 0.0])]);
    let with_oxygen = |degrees: f64| {
        // The angle CB, OG, O.
        let direction = [-degrees.to_radians().cos(), degrees.to_radians().sin(), 0.0];
        carbonyl(serine(), 5, [1.42 + 2.8 * direction[0], 2.8 * direction[1], 0.0], direction).lines(Kind::HBond)
    };
    assert_eq!(with_oxygen(109.47), ["OG O 2.80 180"]);
    // The hydrogen is 19.47 degrees off the line: by the law of cosines 1.91 Å from the oxygen, at an angle of 151 degrees.
    assert_eq!(with_oxygen(90.0), ["OG O 2.80 151"]);
    assert!(with_oxygen(45.0).is_empty());
}

#[test]
fn amides_donate_in_their_plane() {
    // Asparagine's nitrogen at the origin, CG on x, and its hydrogens at 120 degrees in the plane of z = 0.
    let amide = || {
        let own = [
            ("CB", [-2.08, 1.32, 0.0]),
            ("CG", [-1.33, 0.0, 0.0]),
            ("OD1", [-1.95, -1.07, 0.0]),
            ("ND2", [0.0, 0.0, 0.0]),
        ];
        Pdb::default().atoms("ASN", 1, &own)
    };
    let (x, y) = (0.5, 0.75_f64.sqrt());
    let at = |direction: [f64; 3]| carbonyl(amide(), 5, direction.map(|x| 2.9 * x), direction).lines(Kind::HBond);
    assert_eq!(at([x, y, 0.0]), ["ND2 O 2.90 180"]);
    assert_eq!(at([x, -y, 0.0]), ["ND2 O 2.90 180"]);
    // Over the plane no hydrogen points at it.
    assert!(at([0.0, 0.0, 1.0]).is_empty());
}

#[test]
fn hydrogens_of_the_file_decide() {
    let serine = |hydrogen: [f64; 3]| {
        let own = [("CB", [0.0; 3]), ("OG", [1.42, 0.0, 0.0]), ("HG", hydrogen)];
        let direction = [0.3333, 0.9428, 0.0];
        carbonyl(Pdb::default().atoms("SER", 1, &own), 5, [2.353, 2.640, 0.0], direction).lines(Kind::HBond)
    };
    assert_eq!(serine([1.743, 0.915, 0.0]), ["OG O 2.80 180"]);
    assert!(serine([1.743, -0.915, 0.0]).is_empty());
}

#[test]
fn near_charges_are_salt_bridges() {
    let pair = |lysine: &str, apart: f64| {
        let own = [("CE", [-1.47, 0.0, 0.0]), ("NZ", [0.0; 3])];
        let acid = [("CG", [apart + 0.5, 1.1, 0.0]), ("OD1", [apart, 0.0, 0.0]), ("OD2", [apart + 1.75, 1.1, 0.0])];
        Pdb::default().atoms(lysine, 1, &own).atoms("ASP", 5, &acid).lines(Kind::SaltBridge)
    };
    assert_eq!(pair("LYS", 3.0), ["NZ OD1 3.00"]);
    assert_eq!(pair("LYS", 4.4), ["NZ OD1 4.40"]);
    assert!(pair("LYS", 4.6).is_empty());
    assert!(pair("LYN", 3.0).is_empty(), "its name says that it has no charge");
}

/// The N of two residues of chain A from `number` on, beside an aspartate of residue 50; what stands before the atoms is `header`.
fn first_nitrogen(number: i32, header: &str, hydrogens: &[(&str, [f64; 3])]) -> Vec<String> {
    let first = [("N", [0.0; 3]), ("CA", [-1.46, 0.0, 0.0]), ("C", [-2.0, 1.42, 0.0]), ("O", [-1.24, 2.39, 0.0])];
    let second =
        [("N", [-3.32, 1.53, 0.0]), ("CA", [-3.99, 2.83, 0.0]), ("C", [-5.5, 2.7, 0.0]), ("O", [-6.1, 1.6, 0.0])];
    let acid = [("CG", [3.5, 1.1, 0.0]), ("OD1", [3.0, 0.0, 0.0]), ("OD2", [4.75, 1.1, 0.0])];
    let atoms = Pdb::default().atoms("SER", number, &first).atoms("SER", number, hydrogens);
    let atoms = atoms.atoms("VAL", number + 1, &second).atoms("ASP", 50, &acid);
    Pdb { text: format!("{header}{}", atoms.text), ..atoms }.lines(Kind::SaltBridge)
}

#[test]
fn the_first_residue_with_atoms_is_charged_only_if_it_begins_its_molecule() {
    let (charged, neutral) = (vec!["N OD1 3.00".to_owned()], Vec::<String>::new());
    // Without a sequence, the number decides.
    assert_eq!(first_nitrogen(1, "", &[]), charged);
    assert_eq!(first_nitrogen(-3, "", &[]), charged, "a tag");
    assert_eq!(first_nitrogen(15, "", &[]), neutral);
    // Chymotrypsin's chains begin at 16 and 149.
    let sequence = |names: &str| format!("SEQRES   1 A    6  {names}\n");
    assert_eq!(first_nitrogen(16, &sequence("SER VAL ASP"), &[]), charged);
    assert_eq!(first_nitrogen(15, &sequence("GLY LYS SER VAL ASP"), &[]), neutral);
    assert_eq!(first_nitrogen(1, &sequence("GLY LYS SER VAL ASP"), &[]), neutral);
    // The sequence repeats itself.
    let unobserved =
        format!("REMARK 465     SER A    13\nREMARK 465     VAL A    14\n{}", sequence("SER VAL SER VAL ASP"));
    assert_eq!(first_nitrogen(15, &unobserved, &[]), neutral);
    let at_the_end = format!("REMARK 465     GLY A    51\n{}", sequence("SER VAL ASP GLY"));
    assert_eq!(first_nitrogen(1, &at_the_end, &[]), charged);
    // Hydrogens say what it is.
    let hydrogens = [("H1", [0.34, 0.94, 0.0]), ("H2", [0.34, -0.47, 0.82]), ("H3", [0.34, -0.47, -0.82])];
    assert_eq!(first_nitrogen(15, "", &hydrogens), charged);
    assert_eq!(first_nitrogen(1, "", &hydrogens[..1]), neutral);
}

#[test]
fn rings_stack_in_parallel_and_at_right_angles() {
    let pair = |centre: [f64; 3], stands: bool| {
        let rings = Pdb::default().benzene("PHE", 1, [0.0; 3], false).benzene("PHE", 5, centre, stands);
        (rings.lines(Kind::PiStack), rings.lines(Kind::TStack))
    };
    let none = Vec::<String>::new;
    assert_eq!(pair([1.5, 0.0, 3.5], false), (vec!["CG CG 3.81 0".to_owned()], none()));
    assert_eq!(pair([3.0, 0.0, 3.5], false), (none(), none()), "beside the ring");
    assert_eq!(pair([0.0, 0.0, 5.0], true), (none(), vec!["CG CG 5.00 90".to_owned()]));
    assert_eq!(pair([0.0, 0.0, 7.0], true), (none(), none()));
}

#[test]
fn rings_of_ligands_are_found_by_geometry() {
    let rings = Pdb::default().benzene("PHE", 1, [0.0; 3], false).benzene("LIG", 5, [1.5, 0.0, 3.5], false);
    assert_eq!(rings.lines(Kind::PiStack), ["CG CG 3.81 0"]);
    assert!(rings.find(&[]).notes.iter().any(|note| note.contains("bonds of LIG follow from geometry")));
    // Cyclohexane's chair is a ring that is not flat.
    let chair = ["C1", "C2", "C3", "C4", "C5", "C6"].iter().zip(0..).fold(
        Pdb::default().benzene("PHE", 1, [0.0; 3], false),
        |pdb, (name, k)| {
            let (sin, cos) = (f64::from(k) * std::f64::consts::FRAC_PI_3).sin_cos();
            pdb.atom(name, "LIG", 5, [1.46 * cos, 1.46 * sin, 3.8 + if k % 2 == 0 { 0.25 } else { -0.25 }])
        },
    );
    assert!(chair.lines(Kind::PiStack).is_empty());
}

#[test]
fn cations_stand_over_rings() {
    let at = |position: [f64; 3]| {
        let lysine = [("CE", [position[0], position[1], position[2] + 1.47]), ("NZ", position)];
        Pdb::default().benzene("PHE", 1, [0.0; 3], false).atoms("LYS", 5, &lysine).lines(Kind::CationPi)
    };
    assert_eq!(at([0.0, 0.0, 4.0]), ["NZ CG 4.00 0"]);
    assert!(at([4.0, 0.0, 1.0]).is_empty() && at([0.0, 0.0, 6.5]).is_empty());
}

#[test]
fn metals_bind_lone_pairs() {
    let cysteine = [("CB", [-1.1, 1.5, 0.0]), ("SG", [0.0; 3])];
    let zinc = |apart: f64| Pdb::default().atoms("CYS", 1, &cysteine).atom("ZN", "ZN", 5, [apart, 0.0, 0.0]);
    assert_eq!(zinc(2.3).lines(Kind::Metal), ["ZN SG 2.30"]);
    assert!(zinc(3.2).lines(Kind::Metal).is_empty());
    let all = zinc(2.3).find(&[Kind::Clash]);
    assert!(all.found.is_empty() && all.residues[1].entity == Entity::Ion);
    // Potassium is larger; a carbon has no lone pair.
    let potassium = Pdb::default().atoms("SER", 1, &[("CB", [-1.42, 0.0, 0.0]), ("OG", [0.0; 3])]);
    assert_eq!(potassium.atom("K", "K", 5, [3.2, 0.0, 0.0]).lines(Kind::Metal), ["K OG 3.20"]);
}

#[test]
fn a_thiolate_that_binds_a_metal_donates_no_hydrogen_bond() {
    let cysteine = [("CB", [-0.6, 1.7, 0.0]), ("SG", [0.0; 3])];
    let beside = |metal: bool| {
        let pdb = carbonyl(Pdb::default().atoms("CYS", 1, &cysteine), 9, [3.3, 0.0, 0.0], [1.0, 0.0, 0.0]);
        if metal { pdb.atom("ZN", "ZN", 5, [0.0, -2.3, 0.0]) } else { pdb }.lines(Kind::HBond)
    };
    assert_eq!(beside(false).len(), 1);
    assert!(beside(true).is_empty());
}

#[test]
fn two_hydroxyls_share_one_hydrogen() {
    // Either points its hydrogen at the other.
    let pdb = Pdb::default().atoms("SER", 1, &[("CB", [-0.47, 1.34, 0.0]), ("OG", [0.0; 3])]);
    let pdb = pdb.atoms("THR", 5, &[("CB", [3.27, -1.34, 0.0]), ("OG1", [2.8, 0.0, 0.0])]);
    assert_eq!(pdb.lines(Kind::HBond).len(), 1, "{:?}", pdb.lines(Kind::HBond));
}

#[test]
fn waters_bridge_residues() {
    let first = [("CB", [-1.42, 0.0, 0.0]), ("OG", [0.0; 3])];
    let water = [0.933, 2.640, 0.0];
    let bridge = |degrees: f64| {
        // The second oxygen, at this angle at the water.
        let back = (-2.640_f64).atan2(-0.933);
        let (sin, cos) = (back + degrees.to_radians()).sin_cos();
        let position = [water[0] + 2.8 * cos, water[1] + 2.8 * sin, 0.0];
        let pdb = Pdb::default().atoms("SER", 1, &first).atom("O", "HOH", 9, water);
        carbonyl(pdb, 5, position, [cos, sin, 0.0])
    };
    let found = bridge(105.0);
    assert_eq!(found.lines(Kind::WaterBridge), ["OG O 2.80 105"]);
    let all = found.find(&[Kind::WaterBridge]);
    assert_eq!(all.residues[all.found[0].water.unwrap() as usize].number, 9);
    assert!(bridge(160.0).lines(Kind::WaterBridge).is_empty());
    assert!(found.lines(Kind::HBond).is_empty(), "water is no end of hydrogen bonds in the table");
}

#[test]
fn the_atoms_of_water_and_points_decide_what_they_are() {
    let serine = || Pdb::default().atoms("SER", 1, &[("CB", [-1.42, 0.0, 0.0]), ("OG", [0.0; 3])]);
    let entities = |pdb: Pdb| -> Vec<Entity> {
        pdb.find(&[Kind::HBond]).residues.iter().map(|residue| residue.entity).skip(1).collect()
    };
    for name in ["SOL", "TP3", "MEM"] {
        assert_eq!(entities(serine().benzene(name, 9, [6.0, 0.0, 0.0], false)), [Entity::Ligand], "{name}");
    }
    assert_eq!(entities(serine().atom("O", "SOL", 9, [6.0, 0.0, 0.0])), [Entity::Water]);
    assert_eq!(entities(serine().atom("N", "MEM", 9, [6.0, 0.0, 0.0])), []);
}

#[test]
fn what_a_file_calls_water_is_water() {
    let items = "group_PDB type_symbol label_atom_id label_comp_id label_asym_id label_entity_id label_seq_id auth_seq_id auth_asym_id \
                 Cartn_x Cartn_y Cartn_z";
    let tags: String = items.split(' ').map(|item| format!("_atom_site.{item}\n")).collect();
    for (kind, expected) in [("water", Entity::Water), ("non-polymer", Entity::Ion)] {
        let text = format!(
            "data_x\nloop_\n_entity.id\n_entity.type\n1 polymer\n2 {kind}\nloop_\n{tags}\
             ATOM C CB SER A 1 1 1 A -1.42 0 0\nATOM O OG SER A 1 1 1 A 0 0 0\nHETATM O O WTR B 2 . 9 B 6 0 0\n"
        );
        let options =
            Options { kinds: &[Kind::HBond], chains: None, alternates: Alternates::Highest, dictionary: None };
        let found = interactions(text.as_bytes(), "x", &options).unwrap();
        assert_eq!(found.residues[1].entity, expected);
    }
}

#[test]
fn halogens_point_at_acceptors() {
    let pair = |direction: [f64; 3]| {
        let ring = Pdb::default().benzene("LIG", 1, [0.0; 3], false).atom("CL1", "LIG", 1, [3.13, 0.0, 0.0]);
        let oxygen = [3.13 + 3.1 * direction[0], 3.1 * direction[1], 0.0];
        // The carbonyl is at 120 degrees to the line.
        carbonyl(ring, 5, oxygen, [0.5, 0.75_f64.sqrt(), 0.0]).lines(Kind::Halogen)
    };
    assert_eq!(pair([1.0, 0.0, 0.0]), ["CL1 O 3.10 180"]);
    assert!(pair([0.0, 1.0, 0.0]).is_empty());
}

#[test]
fn bonds_between_residues_are_covalent_and_no_clashes() {
    let cysteine = [("CB", [-1.1, 1.5, 0.0]), ("SG", [0.0; 3])];
    let linked =
        Pdb::default().atoms("CYS", 1, &cysteine).atoms("LIG", 5, &[("C1", [1.82, 0.0, 0.0]), ("C2", [2.4, 1.4, 0.0])]);
    assert_eq!(linked.lines(Kind::Covalent), ["SG C1 1.82"]);
    assert!(linked.lines(Kind::Clash).is_empty());
    let disulfide =
        Pdb::default().atoms("CYS", 1, &cysteine).atoms("CYS", 9, &[("CB", [3.2, 1.5, 0.0]), ("SG", [2.05, 0.0, 0.0])]);
    assert_eq!(disulfide.lines(Kind::Disulfide), ["SG SG 2.05"]);
    assert!(disulfide.lines(Kind::Covalent).is_empty());
    let methyls = Pdb::default().atoms("ALA", 1, &[("CB", [0.0; 3])]).atoms("ALA", 5, &[("CB", [2.5, 0.0, 0.0])]);
    assert_eq!(
        (methyls.lines(Kind::Clash), methyls.lines(Kind::Hydrophobic)),
        (vec!["CB CB 2.50".to_owned()], vec!["CB CB 2.50".to_owned()])
    );
}

#[test]
fn carbons_donate_weakly() {
    // Benzene's hydrogen is in the line from the centre.
    let pdb = carbonyl(Pdb::default().benzene("PHE", 1, [0.0; 3], false), 5, [-1.39 - 3.3, 0.0, 0.0], [-1.0, 0.0, 0.0]);
    assert_eq!(pdb.lines(Kind::WeakHBond), ["CZ O 3.30 180"]);
    assert!(pdb.lines(Kind::HBond).is_empty());
}

#[test]
fn the_dictionary_says_what_geometry_cannot() {
    // Without a double bond, the flat ring is not aromatic.
    let ring = Pdb::default().benzene("PHE", 1, [0.0; 3], false).benzene("LIG", 5, [1.5, 0.0, 3.5], false);
    let bonds = ["CG CD1", "CD1 CE1", "CE1 CZ", "CZ CE2", "CE2 CD2", "CD2 CG"].map(|bond| format!("LIG {bond} SING\n"));
    let tags = ["comp_id", "atom_id_1", "atom_id_2", "value_order"].map(|tag| format!("_chem_comp_bond.{tag}\n"));
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("lig.cif");
    std::fs::write(&path, format!("data_LIG\nloop_\n{}{}#\n", tags.concat(), bonds.concat())).unwrap();
    let dictionary = Dictionary::read(&path).unwrap();
    let kinds = &[Kind::PiStack];
    let options = Options { kinds, chains: None, alternates: Alternates::Highest, dictionary: Some(&dictionary) };
    let found = interactions(format!("{}END\n", ring.text).as_bytes(), "made", &options).unwrap();
    assert!(found.found.is_empty() && !found.notes.iter().any(|note| note.contains("geometry")));
    std::fs::write(&path, "data_LIG\n_chem_comp.id LIG\n").unwrap();
    let refused = Dictionary::read(&path).unwrap_err().to_string();
    assert!(refused.contains("no _chem_comp_bond table"), "{refused}");
}

#[test]
fn crambin_has_its_disulfides_and_the_bonds_of_its_helices() {
    let bytes = std::fs::read("tests/data/1crn.pdb").unwrap();
    let kinds = &[Kind::HBond, Kind::Disulfide, Kind::SaltBridge];
    let options = Options { kinds, chains: None, alternates: Alternates::Highest, dictionary: None };
    let all = interactions(&bytes, "1crn", &options).unwrap();
    let number = |residue: u32| all.residues[residue as usize].number;
    let is =
        |kind: Kind, ends: [i32; 2]| all.found.iter().any(|one| one.kind == kind && one.residues.map(number) == ends);
    for pair in [[3, 40], [4, 32], [16, 26]] {
        assert!(is(Kind::Disulfide, pair), "{pair:?}");
    }
    // Kabsch and Sander's hydrogen bonds with an energy below -1.5 kcal/mol, donor first, computed from their formula.
    const STRONG: [[i32; 2]; 21] = [
        [3, 33],
        [4, 46],
        [10, 6],
        [11, 7],
        [12, 8],
        [13, 9],
        [14, 10],
        [15, 11],
        [16, 12],
        [17, 13],
        [20, 17],
        [26, 22],
        [27, 23],
        [28, 24],
        [29, 25],
        [30, 26],
        [31, 27],
        [33, 3],
        [35, 1],
        [44, 41],
        [46, 4],
    ];
    for pair in STRONG {
        assert!(is(Kind::HBond, pair), "{pair:?}");
    }
    // The guanidine and the end of the chain.
    assert!(is(Kind::SaltBridge, [10, 46]));
    assert!(all.residues.iter().all(|residue| residue.entity == Entity::Protein));
}

#[test]
fn a_structure_has_the_interactions_of_its_file() {
    let bytes = std::fs::read("../tests/data/1crn.pdb.gz").unwrap();
    let read = ReadOptions { atoms: true, ..ReadOptions::default() };
    let structure = read_bytes(&bytes, "1crn", &read).unwrap().structure;
    let options = Options { kinds: Kind::ALL, chains: None, alternates: Alternates::Highest, dictionary: None };
    let (of_file, own) =
        (interactions(&bytes, "1crn", &options).unwrap(), interactions_of(&structure, &options).unwrap());
    // Angles may be NaN, which no value equals.
    let known = |all: &Interactions| -> Vec<_> {
        all.found
            .iter()
            .map(|one| (one.kind, one.residues, one.atoms.clone(), one.distance, one.angle.to_bits()))
            .collect()
    };
    assert_eq!(known(&own), known(&of_file), "crambin has neither water nor hydrogens");
    assert_eq!((own.residues.len(), own.found.len() > 60), (46, true));
}

/// Zinc at the centre of four sulfurs, and groups of an entry of two chains.
#[test]
fn groups_have_areas_and_interactions() {
    use prism_host::interactions::{Group, group_interfaces};
    use prism_host::{Backend, Engine};
    let engine = Engine::builder().backend(Backend::Cpu).build().unwrap();
    let options = Options { kinds: &[], chains: None, alternates: Alternates::Highest, dictionary: None };
    let between = |a: &str, b: &str| -> [Group; 2] { [a.parse().unwrap(), b.parse().unwrap()] };
    // Two spheres: the area that each covers of the other is a cap, of height R - x, where x is the distance of their plane.
    let zinc = Pdb::default().atoms("CYS", 1, &[("SG", [0.0; 3])]).atom("ZN", "ZN", 5, [2.3, 0.0, 0.0]).text;
    let text = format!("{zinc}END\n");
    let found =
        group_interfaces(text.as_bytes(), "made", &options, Some(&between("protein", "resname:ZN")), false, &engine)
            .unwrap();
    let [pair] = &found.pairs[..] else { panic!("{found:?}") };
    let (sulfur, metal) = (1.77 + 1.4, 1.7 + 1.4);
    let plane = (2.3_f64 * 2.3 + sulfur * sulfur - metal * metal) / (2.0 * 2.3);
    let cap = |radius: f64, x: f64| 2.0 * std::f64::consts::PI * radius * (radius - x);
    assert!((pair.buried[1] - cap(sulfur, plane)).abs() < 3.0, "{pair:?}");
    assert!((pair.buried[0] - cap(metal, 2.3 - plane)).abs() < 3.0, "{pair:?}");
    assert_eq!((pair.contacts, pair.residues), (1, [1, 1]));
    let metals = Kind::ALL.iter().position(|kind| *kind == Kind::Metal).unwrap();
    assert_eq!(pair.counts[metals], 1);
    assert_eq!(pair.hot, [vec!["A_1".to_owned()], vec!["A_5".to_owned()]]);
    let error = |a: &str, b: &str| {
        group_interfaces(text.as_bytes(), "made", &options, Some(&between(a, b)), false, &engine)
            .unwrap_err()
            .to_string()
    };
    assert!(
        error("protein", "nucleic").contains("group nucleic of --between has no residues"),
        "{}",
        error("protein", "nucleic")
    );
    assert!(error("protein", "A").contains("in both groups"));
}

/// Two chains by their atoms bury as much as by their rows.
#[test]
fn groups_of_single_chains_have_the_areas_of_chains() {
    use prism_host::contacts::interfaces;
    use prism_host::interactions::{Group, group_interfaces};
    use prism_host::read::{ReadOptions, read_path};
    use prism_host::{Backend, Engine};
    let path = "../tests/data/1jcd.pdb.gz";
    let structure = read_path(path, "1jcd", &ReadOptions::default()).unwrap().structure;
    let engine = Engine::builder().backend(Backend::Cpu).build().unwrap();
    let options = Options { kinds: &[], chains: None, alternates: Alternates::Highest, dictionary: None };
    let bytes = std::fs::read(path).unwrap();
    let groups: [Group; 2] = ["A".parse().unwrap(), "B".parse().unwrap()];
    let ours = group_interfaces(&bytes, "1jcd", &options, Some(&groups), true, &engine).unwrap();
    let theirs = interfaces(&engine, &structure, Some(["A", "B"])).unwrap();
    let ([ours], [theirs]) = (&ours.pairs[..], &theirs.pairs[..]) else { panic!("one pair each") };
    // Another centre rounds coordinates differently, which changes a point or two of a hundred.
    assert!((ours.buried.iter().sum::<f64>() - f64::from(theirs.buried_area)).abs() < 10.0, "{ours:?} {theirs:?}");
    assert_eq!(ours.contacts, theirs.contacts);
    // 0.750 by shape-complementarity 0.2.0, with the radii of CCP4's sc and other dots.
    let shape = ours.shape.unwrap();
    assert!((shape.fit.unwrap().complementarity - 0.750).abs() < 0.02 && shape.gap_volume > 1000.0, "{shape:?}");
    let both: [Group; 2] = ["A+C".parse().unwrap(), "B".parse().unwrap()];
    let joined = group_interfaces(&bytes, "1jcd", &options, Some(&both), false, &engine).unwrap();
    assert!(joined.pairs[0].buried.iter().sum::<f64>() > ours.buried.iter().sum::<f64>());
    let all = group_interfaces(&bytes, "1jcd", &options, None, false, &engine).unwrap();
    assert!(all.pairs.iter().any(|pair| pair.groups == ["A", "B"]));
    // Chains of one id are told apart as in tables of rows, and a residue of a chain is one whatever its name.
    let text = String::from_utf8(prism_host::read::plain(&bytes).unwrap().into_owned()).unwrap();
    let is_atom = |line: &str| line.starts_with("ATOM") || line.starts_with("TER");
    let of = |chain: &str| text.lines().filter(|line| is_atom(line) && &line[21..22] == chain).collect::<Vec<_>>();
    let [a, b] = ["A", "B"].map(of);
    let one_id: String = a.iter().chain(&b).map(|line| format!("{}A{}\n", &line[..21], &line[22..])).collect();
    let renamed: String = a
        .iter()
        .chain(&b)
        .map(|line| match &line[21..26] {
            "B  30" => format!("HETATM{}XYZ{}\n", &line[6..17], &line[20..]),
            _ => format!("{line}\n"),
        })
        .collect();
    for (text, names) in [(one_id, ["A", "A~2"]), (renamed, ["A", "B"])] {
        let found = group_interfaces(text.as_bytes(), "made", &options, None, false, &engine).unwrap();
        let [pair] = &found.pairs[..] else { panic!("{found:?}") };
        assert_eq!((&pair.groups, pair.contacts), (&names.map(str::to_owned), ours.contacts));
    }
    // Alpha carbons alone have neither areas nor interactions.
    let carbons: String =
        a.iter().chain(&b).filter(|line| &line[12..16] == " CA ").map(|line| format!("{line}\n")).collect();
    let found = group_interfaces(carbons.as_bytes(), "made", &options, None, true, &engine).unwrap();
    let [pair] = &found.pairs[..] else { panic!("{found:?}") };
    assert!(pair.buried.iter().all(|area| area.is_nan()) && pair.contacts > 0, "{pair:?}");
    assert!(pair.counts.iter().all(|count| *count == 0) && pair.shape.unwrap().fit.is_none(), "{pair:?}");
    assert!(found.notes.iter().any(|note| note.contains("alpha carbons")), "{:?}", found.notes);
}

#[test]
fn mmcif_as_text_and_binary_has_the_same_interactions() {
    let of = |file: &str| {
        let bytes = std::fs::read(format!("tests/data/{file}")).unwrap();
        let options = Options { kinds: Kind::ALL, chains: None, alternates: Alternates::Highest, dictionary: None };
        interactions(&bytes, "1crn", &options).unwrap()
    };
    let [cif, binary] = ["1crn.cif", "1crn.bcif"].map(of);
    assert!(cif.found.len() > 50);
    // Angles may be NaN, which differs from itself.
    let lines = |all: &Interactions| all.found.iter().map(|one| format!("{one:?}")).collect::<Vec<_>>();
    assert_eq!((lines(&cif), &cif.residues), (lines(&binary), &binary.residues));
}

/// The Dickerson dodecamer, CGCGAATTCGCG with itself: eight pairs of G and C with three hydrogen bonds, four of A and T with two.
#[test]
fn base_pairs_have_the_hydrogen_bonds_of_watson_and_crick() {
    let bytes = std::fs::read("../tests/data/1bna.pdb.gz").unwrap();
    let options = Options {
        kinds: &[Kind::HBond, Kind::PiStack],
        chains: None,
        alternates: Alternates::Highest,
        dictionary: None,
    };
    let all = interactions(&bytes, "1bna", &options).unwrap();
    let of = |kind: Kind| all.found.iter().filter(move |one| one.kind == kind);
    let chains = |one: &prism_host::interactions::Interaction| {
        one.residues.map(|residue| &*all.residues[residue as usize].chain)
    };
    assert_eq!(of(Kind::HBond).count(), 8 * 3 + 4 * 2);
    assert!(of(Kind::HBond).all(|one| chains(one)[0] != chains(one)[1]));
    // Residue i of one strand pairs with 25 - i of the other.
    let sums = of(Kind::HBond)
        .map(|one| one.residues.iter().map(|&residue| all.residues[residue as usize].number).sum::<i32>());
    assert!(sums.into_iter().all(|sum| sum == 25));
    assert!(of(Kind::PiStack).count() >= 20, "neighbours in a strand stack");
    let dna = all.residues.iter().filter(|residue| residue.entity == Entity::Nucleic);
    assert_eq!(dna.count(), 24);
}

#[test]
fn models_that_are_not_read_are_noted() {
    let notes = |bytes: &[u8]| {
        let options = Options { kinds: &[], chains: None, alternates: Alternates::Highest, dictionary: None };
        interactions(bytes, "made", &options).unwrap().notes
    };
    let model = |number: i32| {
        format!("MODEL     {number:4}\n{}ENDMDL\n", Pdb::default().atoms("ALA", 1, &[("CB", [0.0; 3])]).text)
    };
    let has = |notes: &[String]| notes.iter().any(|note| note.contains("further models"));
    assert!(!has(&notes(format!("{}END\n", model(1)).as_bytes())));
    assert!(has(&notes(format!("{}{}END\n", model(1), model(2)).as_bytes())));
    // Its table has standard uncertainties of coordinates.
    assert!(!has(&notes(&std::fs::read("../tests/data/1a8o.cif.gz").unwrap())));
}
