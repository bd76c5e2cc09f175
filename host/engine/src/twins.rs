//! Twins: structures that differ only in annotations, such as lineages with the same substitutions in several countries.
//! Features of geometry and residue types are computed for one of them, and the others get its bits.

use super::StructureFeatures;
use super::batch_results::BatchResults;
use super::results::StructureView;
use super::selection::{Request, Selection};
use crate::annotated::is_of_annotations;
use kernels_gpu::exposed_velocity;
use prism_read::structure::StructureInput;
use shared_types::{FEATURES, Feature};
use std::collections::HashMap;

/// The twins of a batch, and what to compute for which structures.
#[derive(Debug)]
pub(super) struct Twins {
    /// Indices in the batch of the first structure of each geometry.
    pub(super) firsts: Vec<usize>,
    /// For each structure, the index in `firsts` of its geometry.
    pub(super) first_of: Vec<usize>,
    /// The request for `firsts`. Values that depend on annotations are not used.
    pub(super) geometry: Request,
    /// The request for all structures, if a requested feature depends on annotations.
    pub(super) annotated: Option<Request>,
}

impl Twins {
    /// `None` if there are no twins, or if each structure must be computed separately. Only structures that represent lineages
    /// are compared, because others are rarely equal.
    pub(super) fn of(request: &Request, structures: &[StructureInput]) -> Option<Self> {
        let (geometry, annotated) = requests(request)?;
        let (mut firsts, mut first_of) = (Vec::new(), Vec::with_capacity(structures.len()));
        let mut alike: HashMap<(usize, &[u8]), Vec<usize>> = HashMap::new();
        for (index, structure) in structures.iter().enumerate() {
            let mut place = firsts.len();
            if structure.lineage.is_some() {
                let known = alike.entry((structure.n_atoms(), &structure.residue_types)).or_default();
                match known.iter().find(|&&first| are_twins(&structures[firsts[first]], structure)) {
                    Some(first) => place = *first,
                    None => known.push(place),
                }
            }
            if place == firsts.len() {
                firsts.push(index);
            }
            first_of.push(place);
        }
        (firsts.len() < structures.len()).then_some(Self { firsts, first_of, geometry, annotated })
    }

    /// The requested values of each structure, from the results of `firsts` and of all.
    ///
    /// # Panics
    /// If a structure has an error instead of results.
    pub(super) fn merged(
        &self,
        request: &Request,
        structures: &[StructureInput],
        geometry: &BatchResults,
        annotated: Option<&BatchResults>,
    ) -> Vec<StructureFeatures> {
        const WHOLE: &str = "structures without errors";
        let one = |(index, structure): (usize, &StructureInput)| {
            let geometry = geometry.get(self.first_of[index]).expect(WHOLE);
            let annotated = annotated.map(|all| all.get(index).expect(WHOLE));
            let mut values = Vec::with_capacity(request.selection.width() * geometry.n_residues);
            for feature in request.selection.features() {
                add(feature, geometry, annotated, &mut values);
            }
            let StructureFeatures { n_residues, site_ids, sites, atom_points, summary, .. } = geometry.to_owned();
            let (name, selection) = (structure.name.clone(), request.selection.clone());
            StructureFeatures { name, n_residues, site_ids, sites, atom_points, summary, selection, values }
        };
        structures.iter().enumerate().map(one).collect()
    }
}

/// Adds the values of a feature.
fn add(feature: &Feature, geometry: StructureView<'_>, annotated: Option<StructureView<'_>>, values: &mut Vec<f32>) {
    match annotated.filter(|_| is_of_annotations(feature)) {
        Some(own) if feature.name == EXPOSED_VELOCITY => {
            let areas = named(geometry, RSA).zip(named(own, VELOCITY_LOCAL));
            values.extend(areas.map(|(&relative, &velocity)| exposed_velocity(relative, velocity)));
        }
        Some(own) => values.extend(named(own, feature.name)),
        None => values.extend(named(geometry, feature.name)),
    }
}

fn named<'a>(view: StructureView<'a>, name: &str) -> impl Iterator<Item = &'a f32> {
    view.named(name).expect("a feature that was asked for").iter()
}

/// The one feature that depends on both, and its inputs.
const EXPOSED_VELOCITY: &str = "exposed_velocity";
const RSA: &str = "rsa";
const VELOCITY_LOCAL: &str = "velocity_local";

/// The requests for geometries and for annotations. `None` if values stay on a device, or if there is nothing to share.
fn requests(Request { config, selection }: &Request) -> Option<(Request, Option<Request>)> {
    let asks = |name: &str| selection.features().iter().any(|feature| feature.name == name);
    let of = |name: &'static str| FEATURES.iter().filter(move |feature| feature.name == name);
    let exposed = asks(EXPOSED_VELOCITY);
    // Small features are replaced by 0, but only after other features were computed from them.
    if selection.stays_on_device() || exposed && config.min_feature_value != 0.0 {
        return None;
    }
    let (annotated, geometry): (Vec<_>, Vec<_>) =
        selection.features().iter().copied().partition(|feature| is_of_annotations(feature));
    if geometry.is_empty() && !exposed && !selection.has_sites() && !selection.has_points() {
        return None;
    }
    let geometry = selection.with_features(geometry.into_iter().chain(of(RSA).filter(|_| exposed)));
    let computed = annotated.iter().copied().filter(|feature| feature.name != EXPOSED_VELOCITY);
    let of_annotations = Selection::new(computed.chain(of(VELOCITY_LOCAL).filter(|_| exposed)), false);
    let request = |selection| Request { config: *config, selection };
    Some((request(geometry), (!annotated.is_empty()).then(|| request(of_annotations))))
}

/// Whether structures have the same bits in all inputs except annotations.
fn are_twins(a: &StructureInput, b: &StructureInput) -> bool {
    macro_rules! inputs {
        ($($(#[$doc:meta])* $name:ident: $type:ty, $kind:ident $(($absent:expr $(, $limit:expr)*))?;)*) => {
            true $(&& same!($kind a.$name, b.$name))*
        };
    }
    macro_rules! same {
        (annotation $a:expr, $b:expr) => {
            true
        };
        ($kind:ident $a:expr, $b:expr) => {
            bytemuck::cast_slice::<_, u8>(&$a) == bytemuck::cast_slice::<_, u8>(&$b)
        };
    }
    let same_atoms = same!(index a.atoms, b.atoms) && a.residue_atoms == b.residue_atoms;
    same_atoms && same!(index a.center, b.center) && shared_types::residue_inputs!(inputs)
}
