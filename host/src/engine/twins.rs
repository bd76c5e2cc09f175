//! Structures that differ in annotations alone, such as one structure for lineages with the same substitutions in several
//! countries: what follows from geometry and residue types is computed for one of them, and the others have its bits.

use super::StructureFeatures;
use super::each::BatchResults;
use super::results::StructureView;
use super::selection::{Request, Selection};
use crate::annotations::is_of_annotations;
use crate::structure::StructureInput;
use kernels_gpu::exposed_velocity;
use shared_types::{FEATURES, Feature};
use std::collections::HashMap;

/// Which structures of a batch are twins, and what is computed of whom.
#[derive(Debug)]
pub(super) struct Twins {
    /// The structures that have geometries of their own, by their places in the batch.
    pub(super) firsts: Vec<usize>,
    /// Of each structure, which of `firsts` has its geometry.
    pub(super) first_of: Vec<usize>,
    /// What is computed of `firsts`: what depends on annotations is not used.
    pub(super) geometry: Request,
    /// What is computed of all structures, where anything that is asked for depends on annotations.
    pub(super) annotated: Option<Request>,
}

impl Twins {
    /// Nothing where there are none, or where each structure has to be computed by itself. Only structures that stand for
    /// lineages are compared: others are hardly ever equal.
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

    /// What was asked for of each structure, of results of `firsts` and of all.
    ///
    /// # Panics
    /// Where a structure has an error in place of results.
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

/// The one feature that takes both, and what it is computed of.
const EXPOSED_VELOCITY: &str = "exposed_velocity";
const RSA: &str = "rsa";
const VELOCITY_LOCAL: &str = "velocity_local";

/// What is asked for of geometries, and of annotations. Nothing where values stay on a device, or where there is nothing
/// to share.
fn requests(Request { config, selection }: &Request) -> Option<(Request, Option<Request>)> {
    let asks = |name: &str| selection.features().iter().any(|feature| feature.name == name);
    let of = |name: &'static str| FEATURES.iter().filter(move |feature| feature.name == name);
    let exposed = asks(EXPOSED_VELOCITY);
    // Features that are small enough are replaced by 0, after that which is computed of them.
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

/// Whether structures have the same bits in all that is computed with but annotations.
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
