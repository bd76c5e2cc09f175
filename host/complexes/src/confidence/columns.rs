//! The columns of scores: names, units, definitions, sources.

/// How the numbers of two directions become one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Together {
    Max,
    Min,
    Mean,
    /// From the two columns before it.
    OfLis,
    /// Of the direction that has the highest of this column.
    Of(&'static str),
}

/// A column of numbers.
#[derive(Clone, Copy, Debug)]
pub struct ScoreColumn {
    /// Its name.
    pub name: &'static str,
    /// Whether its numbers are integers that are always defined.
    pub is_count: bool,
    /// Their unit; empty if they have none.
    pub unit: &'static str,
    /// Their definition.
    pub definition: &'static str,
    /// Where it was published, or which program defines it.
    pub source: &'static str,
    together: Together,
}

use Together::{Max, Mean, Min, Of, OfLis};

const fn score(name: &'static str, definition: &'static str, source: &'static str) -> ScoreColumn {
    ScoreColumn { name, is_count: false, unit: "", definition, source, together: Max }
}

const fn length(name: &'static str, definition: &'static str, source: &'static str, together: Together) -> ScoreColumn {
    ScoreColumn { name, is_count: false, unit: "Å", definition, source, together }
}

const fn count(name: &'static str, definition: &'static str, source: &'static str) -> ScoreColumn {
    ScoreColumn { name, is_count: true, unit: "", definition, source, together: Max }
}

const fn with(column: ScoreColumn, together: Together) -> ScoreColumn {
    ScoreColumn { together, ..column }
}

const DUNBRACK: &str = "Dunbrack 2025, 10.1101/2025.02.10.637595; ipsae.py";
const BRYANT: &str = "Bryant, Pozzati and Elofsson 2022, 10.1038/s41467-022-28865-w";
const ZHU: &str = "Zhu, Shenoy, Kundrotas and Elofsson 2023, 10.1093/bioinformatics/btad424; ipsae.py";
const KIM: &str = "Kim, Hu, Comjean, Rodiger, Mohr and Perrimon 2024, 10.1101/2024.02.19.580970";
const VARGA: &str = "Varga, Ovchinnikov and Schueler-Furman 2025, 10.1093/bioinformatics/btaf107; reactifptm";
const ZHANG: &str = "Zhang and Skolnick 2004, 10.1002/prot.20264; Evans et al. 2021, 10.1101/2021.10.04.463034";
const PREDICTOR: &str = "the predictor";

/// The numbers of a pair of chains.
pub const PAIR_NUMBERS: [ScoreColumn; 28] = [
    score(
        "iptm",
        "ipTM of the two chains as the predictor wrote it, aligned on chain_a; that of the whole if it wrote no other",
        PREDICTOR,
    ),
    score("ptm", "pTM of the whole as the predictor wrote it", PREDICTOR),
    score(
        "ranking",
        "the value by which the predictor ranks its models; 0.8 ipTM + 0.2 pTM if it wrote these alone",
        PREDICTOR,
    ),
    score(
        "ipsae",
        "the highest, over residues i of chain_a, of the mean of 1 / (1 + (e / d0res)^2) over the errors e of residues of chain_b, \
         aligned on i, that are below --pae-cutoff",
        DUNBRACK,
    ),
    score("ipsae_d0chn", "as ipsae, with d0chn in place of d0res", DUNBRACK),
    score("ipsae_d0dom", "as ipsae, with d0dom in place of d0res", DUNBRACK),
    score("iptm_d0chn", "as ipsae_d0chn, over all residues of chain_b: the ipTM of the matrix", DUNBRACK),
    score(
        "pdockq",
        "0.724 / (1 + exp(-0.052 (x - 152.611))) + 0.018, where x is plddt_interface times the decimal logarithm of \
         pdockq_contacts; 0 without contacts, undefined for ligands",
        BRYANT,
    ),
    score(
        "pdockq2",
        "1.31 / (1 + exp(-0.075 (x - 84.733))) + 0.005, where x is plddt_interface times the mean of 1 / (1 + (e / 10)^2) over the \
         errors e of pdockq_contacts; 0 without contacts, undefined for ligands",
        ZHU,
    ),
    with(
        score(
            "lis",
            "the mean of (12 - e) / 12 over all errors e of at most 12 Å; the row max has the mean of both",
            KIM,
        ),
        Mean,
    ),
    with(score("clis", "as lis, over pdockq_contacts alone; the row max has the mean of both", KIM), Mean),
    with(score("ilis", "the square root of lis times clis", "AFM-LIS (lis.py)"), OfLis),
    score(
        "actifptm",
        "the highest, over residues i of chain_a, of the mean of 1 / (1 + (e / d0)^2) over the errors of its contacts in chain_b \
         (CB atoms, C1' of nucleotides, closer than 8 Å), with d0 of all residues of the model, ligands not counted; undefined without contacts",
        VARGA,
    ),
    length("pae_mean", "the mean of all errors; the row max has the mean of both", "", Mean),
    length("pae_min", "the smallest error; the row max has the smaller of both", "", Min),
    ScoreColumn {
        name: "plddt_interface",
        is_count: false,
        unit: "",
        definition: "the mean pLDDT, from 0 to 100, of the residues of pdockq_contacts, at CB; undefined without contacts",
        source: BRYANT,
        together: Max,
    },
    count("contacts", "pairs of residues closer than --distance-cutoff whose error is below --pae-cutoff", ""),
    count(
        "pdockq_contacts",
        "pairs of residues whose CB atoms (CA of glycine, C3' of nucleotides) are at most 8 Å apart",
        BRYANT,
    ),
    with(
        count(
            "n0res",
            "the number of errors below --pae-cutoff of the residue that gives ipsae; the row max has that of the direction with the \
             higher ipsae",
            DUNBRACK,
        ),
        Of("ipsae"),
    ),
    count("n0chn", "the number of residues of both chains; of a ligand, its heavy atoms", DUNBRACK),
    with(
        count(
            "n0dom",
            "residues_a and residues_b together; the row max has that of the direction with the higher ipsae_d0dom",
            DUNBRACK,
        ),
        Of("ipsae_d0dom"),
    ),
    length(
        "d0res",
        "1.24 (n0res - 15)^(1/3) - 1.8, for n0res of at least 27, and at least 1 Å (2 Å with nucleic acids)",
        "Zhang and Skolnick 2004, 10.1002/prot.20264",
        Of("ipsae"),
    ),
    length("d0chn", "the same of n0chn", DUNBRACK, Max),
    length("d0dom", "the same of n0dom", DUNBRACK, Of("ipsae_d0dom")),
    count("residues_a", "residues of chain_a with an error below --pae-cutoff", DUNBRACK),
    count("residues_b", "residues of chain_b with an error below --pae-cutoff", DUNBRACK),
    count("contact_residues_a", "residues of chain_a in contacts", DUNBRACK),
    count("contact_residues_b", "residues of chain_b in contacts", DUNBRACK),
];

/// The numbers of a residue and another chain.
pub const RESIDUE_NUMBERS: [ScoreColumn; 10] = [
    score(
        "plddt",
        "the predictor's confidence, from 0 to 100: the mean of the residue's atoms, where they have their own; of a ligand's atom",
        PREDICTOR,
    ),
    score("ipsae", "the mean of 1 / (1 + (e / d0res)^2) over the errors below --pae-cutoff", DUNBRACK),
    score("ipsae_d0chn", "the same with d0chn", DUNBRACK),
    score("ipsae_d0dom", "the same with d0dom", DUNBRACK),
    score("iptm_d0chn", "the same with d0chn, over all errors", DUNBRACK),
    count("n0res", "the number of errors below --pae-cutoff", DUNBRACK),
    length("d0res", "1.24 (n0res - 15)^(1/3) - 1.8, for n0res of at least 27", DUNBRACK, Max),
    length("pae_mean", "the mean error of the other chain", "", Mean),
    length("pae_min", "the smallest error of the other chain", "", Min),
    count(
        "contacts",
        "residues of the other chain closer than --distance-cutoff whose error is below --pae-cutoff",
        "",
    ),
];

/// The numbers of a structure.
pub const STRUCTURE_NUMBERS: [ScoreColumn; 14] = [
    score("iptm", "ipTM as the predictor wrote it", PREDICTOR),
    score("ptm", "pTM as the predictor wrote it", PREDICTOR),
    score(
        "ranking",
        "the value by which the predictor ranks its models; 0.8 ipTM + 0.2 pTM if it wrote these alone",
        PREDICTOR,
    ),
    score(
        "iptm_pae",
        "ipTM of the matrix: the highest, over rows, of the mean of 1 / (1 + (e / d0)^2) over the errors e of other chains, with d0 of \
         all residues and ligands' atoms; undefined for one chain",
        ZHANG,
    ),
    score("ptm_pae", "pTM of the matrix: the same over all errors of a row", ZHANG),
    score("ipsae", "the highest of all pairs", DUNBRACK),
    score("pdockq", "the highest of all pairs", BRYANT),
    score("pdockq2", "the highest of all pairs", ZHU),
    score("lis", "the highest of the rows max", KIM),
    score("ilis", "the highest of the rows max", KIM),
    score("actifptm", "the highest of all pairs", VARGA),
    score("plddt", "the mean of the residues' plddt, and of ligands' atoms", PREDICTOR),
    score("plddt_interface", "the mean pLDDT, at CB, of the residues of pdockq_contacts between any chains", BRYANT),
    length("pae_mean", "the mean of all errors but those of residues aligned on themselves", "", Mean),
];

/// The index of a number of pairs.
const fn index(name: &str) -> usize {
    let mut at = 0;
    while at < PAIR_NUMBERS.len() {
        if same(PAIR_NUMBERS[at].name.as_bytes(), name.as_bytes()) {
            return at;
        }
        at += 1;
    }
    panic!("no column has this name")
}

const fn same(one: &[u8], other: &[u8]) -> bool {
    let mut at = 0;
    if one.len() != other.len() {
        return false;
    }
    while at < one.len() {
        if one[at] != other[at] {
            return false;
        }
        at += 1;
    }
    true
}

/// The numbers of both directions together, as seen from the first.
pub(super) fn together([forward, mut back]: [[f32; 28]; 2]) -> [f32; 28] {
    const SWAPPED: [[usize; 2]; 2] =
        [[index("residues_a"), index("residues_b")], [index("contact_residues_a"), index("contact_residues_b")]];
    SWAPPED.iter().for_each(|[a, b]| back.swap(*a, *b));
    let mut both = [0.0; 28];
    for (at, column) in PAIR_NUMBERS.iter().enumerate() {
        let (one, other) = (forward[at], back[at]);
        both[at] = match column.together {
            Max => one.max(other),
            Min => one.min(other),
            Mean => f32::midpoint(one, other),
            OfLis => (both[index("lis")] * both[index("clis")]).sqrt(),
            // Where both are equal, ipSAE's script takes the way back.
            Of(score) if forward[index(score)] > back[index(score)] => one,
            Of(_) => other,
        };
    }
    both
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_row_of_both_has_the_counts_of_the_direction_with_the_higher_score() {
        let direction = |ipsae: f32, n0res: f32, ipsae_d0dom: f32, n0dom: f32, residues: [f32; 2]| {
            let mut numbers = [0.0; 28];
            let given = [
                ("ipsae", ipsae),
                ("n0res", n0res),
                ("d0res", n0res / 10.0),
                ("ipsae_d0dom", ipsae_d0dom),
                ("n0dom", n0dom),
                ("d0dom", n0dom / 10.0),
                ("residues_a", residues[0]),
                ("residues_b", residues[1]),
                ("lis", n0res / 128.0),
            ];
            given.iter().for_each(|(name, value)| numbers[index(name)] = *value);
            numbers
        };
        let both =
            together([direction(0.5, 40.0, 0.7, 50.0, [20.0, 30.0]), direction(0.6, 30.0, 0.6, 60.0, [35.0, 25.0])]);
        let expected = [
            ("ipsae", 0.6),
            ("n0res", 30.0),
            ("d0res", 3.0),
            ("ipsae_d0dom", 0.7),
            ("n0dom", 50.0),
            ("d0dom", 5.0),
            // From both sides of the pair, as seen from the first.
            ("residues_a", 25.0),
            ("residues_b", 35.0),
            ("lis", 35.0 / 128.0),
        ];
        for (name, value) in expected {
            assert_eq!(both[index(name)], value, "{name}");
        }
    }
}
