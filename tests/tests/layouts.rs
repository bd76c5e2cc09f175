//! Interfaces that others rely on: layouts of shared structs, the feature table, the residue table.
//!
//! These are deliberate copies. A change here changes an interface: of existing PTX, or of files that were written before.

use cuda_layout::DeviceLayout;
use shared_types::residue::{CHARGE, HYDROPATHY, MAX_AREA, VOLUME, kind_of};
use shared_types::{
    Atom, BatchStructureDesc, FEATURES, FeatureRow, Group, MegaFusedConfig, RESIDUES, ROW_WIDTH, STANDARD,
};
use shared_types::{MAX_POINTS, MIN_POINTS, NO_CA, PointGroup, StructureSummary};
use std::mem::{align_of, size_of};

#[test]
fn layouts_are_what_they_were() {
    let layouts = [
        (Atom::DESCRIPTION, "Atom{x:f32@0,y:f32@4,z:f32@8,radius:f32@12}16:16", size_of::<Atom>(), align_of::<Atom>()),
        (
            BatchStructureDesc::DESCRIPTION,
            "BatchStructureDesc{atom_offset:u32@0,ca_offset:u32@4,n_atoms:u32@8,n_residues:u32@12,lineage_hash:u32@16,\
             country_id:u8@20,_padding:[u8;3]@21}24:8",
            size_of::<BatchStructureDesc>(),
            align_of::<BatchStructureDesc>(),
        ),
        (
            MegaFusedConfig::DESCRIPTION,
            "MegaFusedConfig{contact_threshold:f32@0,min_feature_value:f32@4,points:u32@8,\
             site_threshold:f32@12}16:4",
            size_of::<MegaFusedConfig>(),
            align_of::<MegaFusedConfig>(),
        ),
        (
            StructureSummary::DESCRIPTION,
            "StructureSummary{contacts:u64@0,residues:u32@8,atoms:u32@12,radius_of_gyration:f32@16,area:f32@20,\
             sites:u32@24,_padding:u32@28}32:8",
            size_of::<StructureSummary>(),
            align_of::<StructureSummary>(),
        ),
        (
            PointGroup::DESCRIPTION,
            "PointGroup{points:[TestPoint{x:f32@0,y:f32@4,z:f32@8,_padding:f32@12}16:16;128]@0,masks:[Mask{certain:[u32;4]@0,possible:[u32;4]@16}32:32;131074]@2048,side:u32@4196416,_padding:[u32;7]@4196420}4196448:32",
            size_of::<PointGroup>(),
            align_of::<PointGroup>(),
        ),
        (
            FeatureRow::DESCRIPTION,
            "FeatureRow{columns:[f32;32]@0}128:16",
            size_of::<FeatureRow>(),
            align_of::<FeatureRow>(),
        ),
    ];
    for (found, expected, size, align) in layouts {
        assert_eq!(found, expected);
        assert!(expected.ends_with(&format!("}}{size}:{align}")), "{expected}: {size} bytes, aligned to {align}");
    }
    assert_eq!((ROW_WIDTH, NO_CA), (32, 0xffff_ffff));
}

#[test]
fn defaults_are_what_they_were() {
    let MegaFusedConfig { contact_threshold, min_feature_value, points, site_threshold } = MegaFusedConfig::default();
    assert_eq!((contact_threshold, min_feature_value, points), (8.0, 0.0, 100));
    assert_eq!(site_threshold, shared_types::site_model::DEFAULT_THRESHOLD);
    assert_eq!((MIN_POINTS, MAX_POINTS), (20, 5000));
}

/// Column and name of every feature of the output, in its order.
const COLUMNS: &[(usize, &str)] = &[
    (0, "contact_number"),
    (1, "wcn"),
    (2, "hse_up"),
    (3, "hse_down"),
    (4, "centrality"),
    (5, "clustering"),
    (6, "long_range_contacts"),
    (7, "contact_order"),
    (8, "ca_angle"),
    (9, "ca_dihedral"),
    (10, "centroid_distance"),
    (11, "sasa"),
    (12, "rsa"),
    (13, "sasa_apolar"),
    (14, "cx"),
    (15, "depth"),
    (16, "atomic_contacts"),
    (17, "hydropathy"),
    (18, "hydropathy_local"),
    (19, "charge"),
    (20, "charge_local"),
    (21, "volume"),
    (22, "bfactor_z"),
    (23, "bfactor_local"),
    (24, "conservation"),
    (25, "conservation_local"),
    (26, "gisaid_freq"),
    (27, "gisaid_velocity"),
    (28, "freq_local"),
    (29, "velocity_local"),
    (30, "exposed_velocity"),
    (31, "site_score"),
];

#[test]
fn the_feature_table_is_what_it_was() {
    let found: Vec<_> = Group::Residue.features().map(|feature| (feature.column, feature.name)).collect();
    assert_eq!(found, COLUMNS);
    for feature in FEATURES {
        let name = feature.name;
        assert!(
            name.bytes().all(|c| c.is_ascii_lowercase() || c.is_ascii_digit() || c == b'_'),
            "{name} is a column name everywhere"
        );
        assert!(!feature.definition.is_empty(), "{name}");
        assert!(
            feature.source.is_empty() || feature.source.bytes().any(|c| c.is_ascii_digit()),
            "{name}: a source has a year"
        );
    }
}

/// Name, letter, hydropathy (Kyte and Doolittle 1982, as in Biopython), volume in Å^3 (Zamyatnin 1972), charge at pH 7,
/// largest accessible area in Å^2 (Tien et al. 2013, theoretical).
const PROPERTIES: &str = "
    ALA A  1.8  88.6  0  129
    ARG R -4.5 173.4  1  274
    ASN N -3.5 114.1  0  195
    ASP D -3.5 111.1 -1  193
    CYS C  2.5 108.5  0  167
    GLN Q -3.5 143.8  0  225
    GLU E -3.5 138.4 -1  223
    GLY G -0.4  60.1  0  104
    HIS H -3.2 153.2  0  224
    ILE I  4.5 166.7  0  197
    LEU L  3.8 166.7  0  201
    LYS K -3.9 168.6  1  236
    MET M  1.9 162.9  0  224
    PHE F  2.8 189.9  0  240
    PRO P -1.6 112.7  0  159
    SER S -0.8  89.0  0  155
    THR T -0.7 116.1  0  172
    TRP W -0.9 227.8  0  285
    TYR Y -1.3 193.6  0  263
    VAL V  4.2 140.0  0  174";

#[test]
fn residues_have_their_published_properties() {
    let lines: Vec<Vec<&str>> = PROPERTIES.trim().lines().map(|line| line.split_whitespace().collect()).collect();
    assert_eq!(lines.len(), STANDARD);
    for (kind, (line, residue)) in lines.iter().zip(&RESIDUES).enumerate() {
        let [name, letter, numbers @ ..] = &line[..] else { unreachable!() };
        let numbers: Vec<f32> = numbers.iter().map(|number| number.parse().unwrap()).collect();
        assert_eq!((residue.name, residue.letter.to_string().as_str()), (*name, *letter));
        assert_eq!([residue.hydropathy, residue.volume, residue.charge, residue.max_area], numbers[..], "{name}");
        assert_eq!([HYDROPATHY[kind], VOLUME[kind], CHARGE[kind], MAX_AREA[kind]], numbers[..], "{name}");
        assert_eq!(kind_of(name.as_bytes()), Some(kind as u8), "{name}");
    }
    for other in ["MSE", "UNK", "ala", "AL", "ALAN", ""] {
        assert_eq!(kind_of(other.as_bytes()), None, "{other:?}");
    }
}
