//! The names that predictors give their files: which files are about a model follows from its name, letter by letter.
//!
//! A design may have any name, also one with words of a layout in it (`bind_full`, `relaxed_2`). So a model's name is taken apart by the
//! templates of the layouts, and the names of its files are put together from the parts. Names that are alike are not the same.

use super::folder::stem;

/// The names of a layout's files without their extensions. `*` stands for any text, and `#` for digits.
struct Layout {
    models: &'static [&'static str],
    matrices: &'static [&'static str],
    /// Those with the predictor's ipTM, pTM and ranking, if they are not beside the matrix.
    summaries: &'static [&'static str],
    others: &'static [&'static str],
}

impl Layout {
    /// All but the models, those of matrices first.
    fn files(&self) -> impl Iterator<Item = &&'static str> {
        self.matrices.iter().chain(self.summaries).chain(self.others)
    }
}

const NONE: Layout = Layout { models: &[], matrices: &[], summaries: &[], others: &[] };

const LAYOUTS: &[Layout] = &[
    // AlphaFold 3.
    Layout {
        models: &["*_model"],
        matrices: &["*_confidences"],
        summaries: &["*_summary_confidences"],
        others: &["*_confidences_aggregated"],
    },
    // Its first release, in a folder for each sample.
    Layout { models: &["model"], matrices: &["confidences"], summaries: &["summary_confidences"], ..NONE },
    // AlphaFold's server.
    Layout { models: &["*_model_#"], matrices: &["*_full_data_#"], summaries: &["*_summary_confidences_#"], ..NONE },
    // Boltz.
    Layout {
        models: &["*_model_#"],
        matrices: &["pae_*_model_#"],
        summaries: &["confidence_*_model_#"],
        others: &["plddt_*_model_#", "pde_*_model_#"],
    },
    // Chai.
    Layout {
        models: &["pred.model_idx_#"],
        matrices: &["pae.model_idx_#", "pae_model_idx_#"],
        summaries: &["scores.model_idx_#"],
        others: &["plddt.model_idx_#", "pde.model_idx_#", "ranking_model_idx_#"],
    },
    // Protenix.
    Layout {
        models: &["*_sample_#"],
        matrices: &["*_full_data_sample_#"],
        summaries: &["*_summary_confidence_sample_#"],
        ..NONE
    },
    // AlphaFold 2, which has the scores of all models in one file.
    Layout {
        models: &["unrelaxed_*", "relaxed_*"],
        matrices: &["pae_*"],
        summaries: &["ranking_debug"],
        others: &["confidence_*", "result_*"],
    },
    // ColabFold.
    Layout { models: &["*_unrelaxed_rank_*", "*_relaxed_rank_*"], matrices: &["*_scores_rank_*"], ..NONE },
    // Without ranks, as it calls its models until it has all.
    Layout {
        models: &["*_unrelaxed_alphafold2_*", "*_relaxed_alphafold2_*"],
        matrices: &["*_scores_alphafold2_*"],
        ..NONE
    },
    // Its older versions call the scores after the unrelaxed model, those of relaxed ones, too.
    Layout {
        models: &["*_unrelaxed_rank_#_model_#", "*_relaxed_rank_#_model_#"],
        matrices: &["*_unrelaxed_rank_#_model_#_scores"],
        ..NONE
    },
    Layout { models: &["*_unrelaxed_model_#", "*_relaxed_model_#"], matrices: &["*_unrelaxed_model_#_scores"], ..NONE },
    // It writes the matrix of its best model once more.
    Layout {
        models: &["*_unrelaxed_rank_001_*", "*_relaxed_rank_001_*", "*_unrelaxed_rank_1_*", "*_relaxed_rank_1_*"],
        matrices: &["*_predicted_aligned_error_v1"],
        ..NONE
    },
    // AlphaFold's database.
    Layout {
        models: &["*-model_v#"],
        matrices: &["*-predicted_aligned_error_v#"],
        others: &["*-confidence_v#"],
        ..NONE
    },
];

/// What other programs write beside a model of any name.
const ANY: Layout = Layout {
    models: &["*"],
    matrices: &[
        "*",
        "*_pae",
        "*-pae",
        "*.pae",
        "pae_*",
        "*_scores",
        "*_confidences",
        "*_full_data",
        "*_predicted_aligned_error",
    ],
    others: &["*_plddt", "plddt_*", "*_confidence", "confidence_*", "*_summary", "*_summary_confidences"],
    ..NONE
};

/// The names of the files about a model, without their extensions.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Wanted {
    /// By layout, those of matrices before others.
    pub(super) names: Vec<String>,
    /// Those that have its matrix, one for each layout that its name may be of.
    pub(super) matrices: Vec<String>,
    /// The same of those that have the predictor's scores.
    pub(super) summaries: Vec<String>,
}

impl Wanted {
    /// By the layouts that a model's name may be of. Empty if it is of none.
    pub(super) fn of(model: &str) -> Self {
        let mut wanted = Self::default();
        let (own, number) = without_number(model);
        LAYOUTS.iter().for_each(|layout| wanted.add(layout, own));
        let all = [&mut wanted.names, &mut wanted.matrices, &mut wanted.summaries];
        all.into_iter().flatten().for_each(|name| name.push_str(number));
        wanted
    }

    /// By the names that other programs give.
    pub(super) fn of_any(model: &str) -> Self {
        let mut wanted = Self::default();
        wanted.add(&ANY, model);
        wanted
    }

    fn add(&mut self, layout: &Layout, model: &str) {
        let Some(parts) = layout.models.iter().find_map(|template| parts(template, model)) else { return };
        let filled = |template: &&str| filled(template, &parts);
        self.names.extend(layout.files().map(filled));
        self.matrices.extend(layout.matrices.first().map(filled));
        self.summaries.extend(layout.summaries.first().map(filled));
    }
}

/// A name, and the number behind it that browsers give to files of one name: `a_model (1)`.
fn without_number(name: &str) -> (&str, &str) {
    match parts("* (#)", name).as_deref() {
        Some([own, _]) => name.split_at(own.len()),
        _ => (name, ""),
    }
}

/// Whether a name is that of a matrix in a layout.
pub(super) fn is_matrix(name: &str) -> bool {
    let (name, _) = without_number(name);
    let has = |template: &&str| parts(template, name).is_some();
    // The scores of AlphaFold 3's x have the name of a matrix of x_summary.
    LAYOUTS.iter().flat_map(|layout| layout.matrices).any(has) && !has(&"*_summary_confidences")
}

/// Whether a name says which model a file of a layout is about.
pub(super) fn says_which(name: &str) -> bool {
    let (name, _) = without_number(name);
    let mut files = LAYOUTS.iter().flat_map(Layout::files);
    files.any(|template| parts(template, name).is_some_and(|parts| !parts.is_empty()))
}

/// The name of a design whose models lie in the given folder, and have no part of a name in common.
pub(super) const GIVEN_FOLDER: &str = ".";

/// What the models of one design have in common: the design's path, by the path of a model; a dot if it is the given folder.
///
/// ```
/// use prism_complexes::confidence::design_of;
///
/// assert_eq!(design_of("predictions/bind/bind_model_1.cif"), "predictions/bind/bind");
/// assert_eq!(design_of("job/seed-1_sample-0/job_seed-1_sample-0_model.cif"), "job/job");
/// assert_eq!(design_of("job/seed_101/predictions/job_sample_0.cif"), "job/job");
/// assert_eq!(design_of("run/unrelaxed_model_1_multimer_v3_pred_0.pdb"), "run");
/// assert_eq!(design_of("pred.model_idx_1.cif"), ".");
/// assert_eq!(design_of("bind.pdb"), "bind");
/// ```
#[must_use]
pub fn design_of(model: &str) -> String {
    /// Without the design's name, which the folder has.
    const UNNAMED: [&str; 5] = ["pred.model_idx_#", "model", "unrelaxed_*", "relaxed_*", "ranked_#"];
    const NAMED: [&str; 15] = [
        "*_seed-#_sample-#_model",
        "*_seed_#_sample_#_model",
        "*_seed_#_sample_#",
        "*_sample_#",
        "*_unrelaxed_rank_#_model_#",
        "*_relaxed_rank_#_model_#",
        "*_unrelaxed_model_#",
        "*_relaxed_model_#",
        "*_model_#",
        "*_unrelaxed_rank_*",
        "*_relaxed_rank_*",
        "*_unrelaxed_alphafold2_*",
        "*_relaxed_alphafold2_*",
        "*-model_v#",
        "*_model",
    ];
    let (folder, file) = model.rsplit_once('/').unwrap_or(("", model));
    let folder = without_samples(folder);
    let own = stem(file);
    let has = |template: &&str| parts(template, own).is_some();
    let name = match () {
        () if UNNAMED.iter().any(has) => "",
        () => NAMED.iter().find_map(|template| parts(template, own)?.first().copied()).unwrap_or(own),
    };
    match (folder, name) {
        ("", "") => GIVEN_FOLDER.to_owned(),
        ("", only) | (only, "") => only.to_owned(),
        (folder, name) => format!("{folder}/{name}"),
    }
}

/// A folder's path without the folders of seeds, of what Chai calls trunks, and of predictions in those.
fn without_samples(folder: &str) -> &str {
    let Some((parent, last)) = folder.rsplit_once('/').or((!folder.is_empty()).then_some(("", folder))) else {
        return folder;
    };
    let is_sample =
        |name: &str| name.starts_with("seed-") || ["seed_#", "trunk_#"].iter().any(|own| parts(own, name).is_some());
    match last {
        "predictions" if is_sample(parent.rsplit('/').next().unwrap_or_default()) => without_samples(parent),
        last if is_sample(last) => without_samples(parent),
        _ => folder,
    }
}

/// The job whose best model's matrix a file of ColabFold has.
pub(super) fn job_of(name: &str) -> Option<&str> {
    parts("*_predicted_aligned_error_v1", name)?.first().copied()
}

/// Whether a model has no matrix among others that have: a copy by rank, or what ColabFold writes of a recycle before the last.
pub(super) fn may_be_alone(model: &str) -> bool {
    ["ranked_#", "*_unrelaxed_*.r#"].iter().any(|template| parts(template, model).is_some())
}

/// The number of a model of Chai, by which files of all models have its arrays.
pub(super) fn index_of(model: &str) -> Option<usize> {
    parts("pred.model_idx_#", model)?.first()?.parse().ok()
}

/// The rank of a model of AlphaFold 2, whose own name `ranking_debug.json` has.
pub(super) fn rank_of(model: &str) -> Option<usize> {
    parts("ranked_#", model)?.first()?.parse().ok()
}

/// What a name has where a template has `*` and `#`. The first of these is as long as it can be, because a design's own name comes first
/// and may have the words of a layout in it.
fn parts<'a>(template: &str, name: &'a str) -> Option<Vec<&'a str>> {
    let Some(at) = template.find(['*', '#']) else { return (template == name).then(Vec::new) };
    let (before, rest) = template.split_at(at);
    let name = name.strip_prefix(before)?;
    let (is_number, rest) = (rest.starts_with('#'), &rest[1..]);
    let ends = (1..=name.len()).rev().filter(|&end| name.is_char_boundary(end));
    let ends = ends.filter(|&end| !is_number || name[..end].bytes().all(|digit| digit.is_ascii_digit()));
    let found = |end: usize| {
        let mut more = parts(rest, &name[end..])?;
        more.insert(0, &name[..end]);
        Some(more)
    };
    ends.into_iter().find_map(found)
}

/// A template with parts instead of `*` and `#`.
fn filled(template: &str, parts: &[&str]) -> String {
    let mut parts = parts.iter();
    let mut name = String::with_capacity(template.len() + 32);
    for letter in template.chars() {
        match letter {
            '*' | '#' => name.push_str(parts.next().copied().unwrap_or_default()),
            _ => name.push(letter),
        }
    }
    name
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_taken_apart_by_templates() {
        assert_eq!(parts("*_model_#", "fold_model_2_model_11"), Some(vec!["fold_model_2", "11"]));
        assert_eq!(parts("*_model_#", "fold_model_x"), None);
        assert_eq!(parts("*_unrelaxed_rank_*", "a_unrelaxed_unrelaxed_rank_001_x"), Some(vec!["a_unrelaxed", "001_x"]));
        assert_eq!(parts("model", "model"), Some(Vec::new()));
        assert_eq!(parts("*_model", "_model"), None);
        assert_eq!(parts("*_é", "ä_é"), Some(vec!["ä"]));
        assert!(may_be_alone("ranked_0") && may_be_alone("a_unrelaxed_alphafold2_ptm_model_1_seed_000.r12"));
        assert!(!may_be_alone("a_unrelaxed_rank_001_alphafold2_ptm_model_1_seed_000") && !may_be_alone("a_model.r1"));
    }

    #[test]
    fn a_models_files_have_its_own_name_and_number() {
        let has = |model: &str, file: &str| Wanted::of(model).names.iter().any(|name| name == file);
        for (model, file) in [
            ("bind_full_model", "bind_full_confidences"),
            ("fold_a_model_1", "fold_a_full_data_1"),
            ("a_model_0", "confidence_a_model_0"),
            ("pred.model_idx_3", "scores.model_idx_3"),
            ("x_seed_1_sample_2", "x_seed_1_full_data_sample_2"),
            ("relaxed_model_1_pred_0", "pae_model_1_pred_0"),
            ("a_relaxed_rank_001_b", "a_scores_rank_001_b"),
            ("a_relaxed_rank_001_b", "a_predicted_aligned_error_v1"),
            ("a_unrelaxed_alphafold2_ptm_model_4_seed_000", "a_scores_alphafold2_ptm_model_4_seed_000"),
            ("a_unrelaxed_rank_2_model_4", "a_unrelaxed_rank_2_model_4_scores"),
            ("a_relaxed_rank_1_model_4", "a_unrelaxed_rank_1_model_4_scores"),
            ("a_relaxed_model_5", "a_unrelaxed_model_5_scores"),
            ("a_model (1)", "a_confidences (1)"),
            ("AF-P0-F1-model_v4", "AF-P0-F1-predicted_aligned_error_v4"),
        ] {
            assert!(has(model, file), "{model}: {file}");
            assert!(says_which(file), "{file}");
        }
        for (model, file) in [
            ("bind_full_model", "bind_confidences"),
            ("bind_model", "Bind_confidences"),
            ("fold_a_model_1", "fold_a_full_data_0"),
            ("fold_a_model_1", "fold_a_full_data_11"),
            ("a_relaxed_rank_002_b", "a_predicted_aligned_error_v1"),
            ("pred.model_idx_0", "pae.model_idx_3"),
            ("a_unrelaxed_rank_1_model_4", "a_unrelaxed_rank_1_model_5_scores"),
            ("a_model (1)", "a_confidences"),
            ("a_model (1)", "a_confidences (2)"),
            ("a_model", "a_confidences (1)"),
        ] {
            assert!(!has(model, file), "{model}: {file}");
        }
        assert!(!says_which("errors") && !says_which("pae"));
    }
}
