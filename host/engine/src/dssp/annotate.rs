//! The categories that mkdssp adds to mmCIF.

use super::residue::{HelixPart, HydrogenBond, Residue, State};
use super::sheet_bonds::{self, Neighbours};
use super::text::{chirality, helix_sign};
use super::{Dssp, Statistics};
use crate::mmcif::{Table, id};
use prism_read::PolymerResidue;
use std::collections::{BTreeMap, HashMap};

/// The categories that are written, and those that would contradict them. Names end with a dot.
pub(super) const REPLACED: [&str; 14] = [
    "_struct_conf.",
    "_struct_conf_type.",
    "_struct_sheet.",
    "_struct_sheet_order.",
    "_struct_sheet_range.",
    "_struct_sheet_hbond.",
    "_pdbx_struct_sheet_hbond.",
    "_dssp_struct_bridge_pairs.",
    "_dssp_struct_ladder.",
    "_dssp_statistics.",
    "_dssp_statistics_hbond.",
    "_dssp_statistics_histogram.",
    "_dssp_struct_summary.",
    "_dssp_struct_bridge.",
];

/// The text of all categories.
pub(super) fn categories(dssp: &Dssp) -> String {
    let mut text = String::new();
    for table in [conformations(dssp), sheets(dssp), summaries(dssp)].into_iter().flatten() {
        table.write(&mut text);
    }
    text
}

/// Names of both ends of a stretch: mmCIF's own, then the author's.
const ENDS: [&str; 14] = [
    "beg_label_comp_id",
    "beg_label_asym_id",
    "beg_label_seq_id",
    "pdbx_beg_PDB_ins_code",
    "end_label_comp_id",
    "end_label_asym_id",
    "end_label_seq_id",
    "pdbx_end_PDB_ins_code",
    "beg_auth_comp_id",
    "beg_auth_asym_id",
    "beg_auth_seq_id",
    "end_auth_comp_id",
    "end_auth_asym_id",
    "end_auth_seq_id",
];

impl Dssp {
    pub(super) fn asym(&self, of: usize) -> &str {
        &self.asyms[self.polymers[of].asym as usize]
    }

    /// The values of [`ENDS`].
    fn ends(&self, first: usize, last: usize) -> Vec<String> {
        let label = |at: usize| {
            let own = &self.polymers[at];
            [own.name.clone(), self.asym(at).to_owned(), own.seq.to_string(), own.icode.clone()]
        };
        let author = |own: &PolymerResidue| [own.name.clone(), own.chain.clone(), own.number.to_string()];
        let authors = [first, last].map(|at| author(&self.polymers[at]));
        label(first).into_iter().chain(label(last)).chain(authors.into_iter().flatten()).collect()
    }

    /// The name of a state in mmCIF.
    fn conformation(state: State) -> Option<&'static str> {
        Some(match state {
            State::Loop => return None,
            State::Helix3 => "HELX_RH_3T_P",
            State::AlphaHelix => "HELX_RH_AL_P",
            State::Helix5 => "HELX_RH_PI_P",
            State::Polyproline => "HELX_LH_PP_P",
            State::Turn => "TURN_TY1_P",
            State::Bend => "BEND",
            State::Bridge | State::Strand => "STRN",
        })
    }
}

/// Stretches of residues with one state.
fn conformations(dssp: &Dssp) -> Vec<Table> {
    let mut all = Table::new("struct_conf", ["conf_type_id", "id"].into_iter().chain(ENDS));
    let mut types = Table::new("struct_conf_type", ["id", "criteria"]);
    let mut counts: HashMap<&str, usize> = HashMap::new();
    let mut first = 0;
    for stretch in dssp.residues.chunk_by(|a, b| a.state == b.state) {
        let last = first + stretch.len() - 1;
        if let Some(name) = Dssp::conformation(stretch[0].state) {
            let count = counts.entry(name).or_insert(0);
            *count += 1;
            if *count == 1 {
                types.rows.push(vec![name.to_owned(), "DSSP".to_owned()]);
            }
            let head = [name.to_owned(), format!("{name}{count}")];
            all.rows.push(head.into_iter().chain(dssp.ends(first, last)).collect());
        }
        first = last + 1;
    }
    vec![types, all]
}

/// A strand: its sheet within its chain, and its residues.
struct Strand {
    sheet: usize,
    first: usize,
    last: usize,
}

/// Sheets of each chain, their strands and which of these are neighbours; ladders.
fn sheets(dssp: &Dssp) -> Vec<Table> {
    let residues = &dssp.residues;
    let mut numbers: HashMap<(u32, u32), usize> = HashMap::new();
    let mut strands: Vec<Strand> = Vec::new();
    for (at, residue) in residues.iter().enumerate() {
        if residue.state != State::Strand {
            continue;
        }
        let next = numbers.len();
        let sheet = *numbers.entry((residue.asym, residue.sheet)).or_insert(next);
        match strands.last_mut() {
            Some(last) if last.last + 1 == at && last.sheet == sheet => last.last = at,
            _ => strands.push(Strand { sheet, first: at, last: at }),
        }
    }
    strands.sort_by_key(|strand| (strand.sheet, strand.first));
    let mut sheet = Table::new("struct_sheet", ["id", "number_strands"]);
    let mut range = Table::new("struct_sheet_range", ["sheet_id", "id"].into_iter().chain(ENDS));
    // Of each residue of a strand, its sheet and the strand's number there.
    let mut place: HashMap<usize, (usize, usize)> = HashMap::new();
    for own in strands.chunk_by(|a, b| a.sheet == b.sheet) {
        let name = id(own[0].sheet);
        sheet.rows.push(vec![name.clone(), own.len().to_string()]);
        for (strand, number) in own.iter().zip(1..) {
            let head = [name.clone(), number.to_string()];
            range.rows.push(head.into_iter().chain(dssp.ends(strand.first, strand.last)).collect());
            place.extend((strand.first..=strand.last).map(|at| (at, (strand.sheet, number))));
        }
    }
    let mut neighbours: BTreeMap<(usize, usize, usize), bool> = BTreeMap::new();
    for (at, residue) in residues.iter().enumerate() {
        let Some(&(own_sheet, own)) = place.get(&at) else { continue };
        for bridge in residue.bridges.iter().flatten() {
            let Some(&(other_sheet, other)) = place.get(&bridge.residue) else { continue };
            if own_sheet == other_sheet && own != other {
                let pair = (own_sheet, own.min(other), own.max(other));
                neighbours.entry(pair).or_insert(bridge.is_parallel);
            }
        }
    }
    let in_sheet = |sheet: usize, number: usize| {
        let own = strands.iter().filter(|strand| strand.sheet == sheet).nth(number - 1);
        own.map_or(0..=0, |strand| strand.first..=strand.last)
    };
    let neighbours: Vec<Neighbours> = neighbours
        .into_iter()
        .map(|((sheet, a, b), is_parallel)| {
            let (numbers, residues) = ([a, b], [a, b].map(|number| in_sheet(sheet, number)));
            Neighbours { sheet: id(sheet), numbers, residues, is_parallel }
        })
        .collect();
    let mut order = Table::new("struct_sheet_order", ["sheet_id", "range_id_1", "range_id_2", "sense"]);
    let line = |of: &Neighbours| {
        let [a, b] = of.numbers.map(|number| number.to_string());
        vec![of.sheet.clone(), a, b, sense(of.is_parallel)]
    };
    order.rows = neighbours.iter().map(line).collect();
    let [bonds, first_bonds] = sheet_bonds::tables(dssp, &neighbours);
    vec![sheet, order, bonds, first_bonds, range, ladders(dssp)]
}

fn sense(is_parallel: bool) -> String {
    if is_parallel { "parallel" } else { "anti-parallel" }.to_owned()
}

fn ladders(dssp: &Dssp) -> Table {
    // The first pair of residues and the last, in the order of the file.
    let mut ladders: Vec<(u32, bool, [usize; 2], [usize; 2])> = Vec::new();
    let mut known: HashMap<u32, usize> = HashMap::new();
    for (at, residue) in dssp.residues.iter().enumerate() {
        for bridge in residue.bridges.iter().flatten().filter(|bridge| at < bridge.residue) {
            let pair = [at, bridge.residue];
            match known.get(&bridge.ladder) {
                Some(&place) => ladders[place].3 = pair,
                None => {
                    known.insert(bridge.ladder, ladders.len());
                    ladders.push((bridge.ladder, bridge.is_parallel, pair, pair));
                }
            }
        }
    }
    let of = |number: &str, item: &str| match item.strip_prefix("pdbx_") {
        Some(rest) => format!("pdbx_{}", rest.replacen('_', &format!("_{number}_"), 1)),
        None => item.replacen('_', &format!("_{number}_"), 1),
    };
    let items = ["1", "2"].into_iter().flat_map(|number| ENDS.map(|item| of(number, item)));
    let mut table = Table::new("dssp_struct_ladder", ["id", "type"].map(str::to_owned).into_iter().chain(items));
    for (ladder, is_parallel, [a, b], [c, d]) in ladders {
        let head = [id(ladder as usize), sense(is_parallel)];
        table.rows.push(head.into_iter().chain(dssp.ends(a, c)).chain(dssp.ends(b, d)).collect());
    }
    table
}

/// Hydrogen bonds, counts, and a row of values for each residue.
fn summaries(dssp: &Dssp) -> Vec<Table> {
    let entry = || dssp.header.id.clone();
    let [statistics, bonds, histogram] = statistics(&dssp.statistics, dssp.residues.len(), &entry());
    let mut summary = Table::new(
        "dssp_struct_summary",
        [
            "entry_id",
            "label_comp_id",
            "label_asym_id",
            "label_seq_id",
            "secondary_structure",
            "ss_bridge",
            "helix_3_10",
            "helix_alpha",
            "helix_pi",
            "helix_pp",
            "bend",
            "chirality",
            "ladder_1",
            "ladder_2",
            "sheet",
            "accessibility",
            "TCO",
            "kappa",
            "alpha",
            "phi",
            "psi",
            "x_ca",
            "y_ca",
            "z_ca",
        ],
    );
    for (at, (residue, own)) in dssp.residues.iter().zip(&dssp.polymers).enumerate() {
        summary.rows.push(summary_row(dssp, at, residue, own));
    }
    vec![pairs(dssp), statistics, bonds, histogram, summary]
}

fn summary_row(dssp: &Dssp, at: usize, residue: &Residue, own: &PolymerResidue) -> Vec<String> {
    let or_dot = |sign: char| if sign == ' ' { ".".to_owned() } else { sign.to_string() };
    let helix = |kind: usize| match residue.helices[kind] {
        HelixPart::None => ".".to_owned(),
        part => helix_sign(part, kind).to_string(),
    };
    let ladder = |place: usize| residue.bridges[place].map_or(".".to_owned(), |bridge| id(bridge.ladder as usize));
    let [x, y, z] = own.backbone[1];
    let one = |value: f32| format!("{value:.1}");
    let mut row = vec![dssp.header.id.clone(), own.name.clone(), dssp.asym(at).to_owned(), own.seq.to_string()];
    row.push(or_dot(residue.state.letter()));
    row.push(if residue.disulfide == 0 { ".".to_owned() } else { residue.disulfide.to_string() });
    row.extend([0, 1, 2, 3].map(helix));
    row.push(if residue.is_bend { "S" } else { "." }.to_owned());
    row.extend([or_dot(chirality(residue)), ladder(0), ladder(1)]);
    row.push(if residue.sheet == 0 { ".".to_owned() } else { id(residue.sheet as usize - 1) });
    row.extend([one(residue.accessibility), format!("{:.3}", residue.tco)]);
    row.extend([residue.kappa, residue.alpha, residue.phi, residue.psi, x, y, z].map(one));
    row
}

/// The two strongest bonds of each N-H and each C=O.
fn pairs(dssp: &Dssp) -> Table {
    const OWN: [&str; 6] =
        ["label_comp_id", "label_seq_id", "label_asym_id", "auth_seq_id", "auth_asym_id", "pdbx_PDB_ins_code"];
    let mut items: Vec<String> = ["id"].into_iter().chain(OWN).map(str::to_owned).collect();
    for of in ["acceptor_1", "acceptor_2", "donor_1", "donor_2"] {
        items.extend(OWN.into_iter().chain(["energy"]).map(|item| format!("{of}_{item}")));
    }
    let mut table = Table::new("dssp_struct_bridge_pairs", items);
    let names = |at: usize| {
        let own = &dssp.polymers[at];
        let (asym, seq, number) = (dssp.asym(at).to_owned(), own.seq.to_string(), own.number.to_string());
        [own.name.clone(), seq, asym, number, own.chain.clone(), own.icode.clone()]
    };
    let bond = |bond: Option<HydrogenBond>| match bond {
        None => vec![String::new(); OWN.len() + 1],
        Some(bond) => names(bond.residue).into_iter().chain([format!("{:.1}", bond.energy)]).collect(),
    };
    for (at, residue) in dssp.residues.iter().enumerate() {
        let [a, b] = residue.acceptors;
        let [c, d] = residue.donors;
        let mut row = vec![(at + 1).to_string()];
        row.extend(names(at));
        row.extend([a, b, c, d].map(bond).into_iter().flatten());
        table.rows.push(row);
    }
    table
}

fn statistics(of: &Statistics, residues: usize, entry: &str) -> [Table; 3] {
    let entry = || entry.to_owned();
    let [disulfides, within] = of.disulfides;
    let mut all = Table::new(
        "dssp_statistics",
        [
            "entry_id",
            "nr_of_residues",
            "nr_of_chains",
            "nr_of_ss_bridges_total",
            "nr_of_ss_bridges_intra_chain",
            "nr_of_ss_bridges_inter_chain",
            "accessible_surface_of_protein",
        ],
    );
    let counts = [residues, of.chains, disulfides, within, disulfides - within].map(|count| count.to_string());
    all.rows.push([entry()].into_iter().chain(counts).chain([format!("{:.2}", of.accessible)]).collect());
    let mut bonds = Table::new("dssp_statistics_hbond", ["entry_id", "type", "count", "count_per_100"]);
    let mut bond = |kind: String, count: usize| {
        let share = if residues == 0 { 0.0 } else { count as f64 * 100.0 / residues as f64 };
        bonds.rows.push(vec![entry(), kind, count.to_string(), format!("{share:.1}")]);
    };
    let [total, parallel, antiparallel] = of.hydrogen_bonds;
    bond("O(I)-->H-N(J)".to_owned(), total);
    bond("PARALLEL BRIDGES".to_owned(), parallel);
    bond("ANTIPARALLEL BRIDGES".to_owned(), antiparallel);
    for (count, apart) in of.by_distance.iter().zip(-5_i32..) {
        let sign = if apart < 0 { '-' } else { '+' };
        bond(format!("O(I)-->H-N(I{sign}{})", apart.abs()), *count);
    }
    let items = ["entry_id", "type"].map(str::to_owned).into_iter();
    let bins = (1..=super::BINS).map(|bin| bin.to_string());
    let mut histogram = Table::new("dssp_statistics_histogram", items.chain(bins));
    let [parallel, antiparallel] = &of.ladders;
    for (kind, bins) in [
        ("residues_per_alpha_helix", &of.helices),
        ("parallel_bridges_per_ladder", parallel),
        ("antiparallel_bridges_per_ladder", antiparallel),
        ("ladders_per_sheet", &of.sheets),
    ] {
        let head = [entry(), kind.to_owned()].into_iter();
        histogram.rows.push(head.chain(bins.iter().map(ToString::to_string)).collect());
    }
    [all, bonds, histogram]
}
