//! What a run computes: the requested columns, and so the necessary steps.

use shared_types::{FEATURES, Feature, Group, MegaFusedConfig, Steps, steps};
use std::ops::Range;
use std::sync::Arc;

/// The most residues of a structure whose `wcn` is computed unless it is asked for by name: the work grows with their square, and beyond
/// it takes several times as long as all other features together.
pub const LARGEST_WCN: u32 = 32_768;

/// The features to compute, and whether to find sites.
///
/// ```
/// use prism_engine::Selection;
/// use shared_types::{FEATURES, Steps};
///
/// let sasa = Selection::new(FEATURES.iter().filter(|feature| feature.name == "sasa"), false);
/// assert_eq!((sasa.width(), sasa.has_sites()), (1, false));
/// assert!(sasa.steps().has(Steps::EXPOSURE) && !sasa.steps().has(Steps::PAIRS));
/// assert_eq!(Selection::default().width(), FEATURES.len());
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Selection {
    /// Group by group, each in the order of the table, without repetition.
    features: Arc<[&'static Feature]>,
    sites: bool,
    points: bool,
    on_device: bool,
    /// Whether `wcn` is computed in structures of any size.
    any_wcn: bool,
    steps: Steps,
}

impl Default for Selection {
    /// Everything but `wcn` of structures of more than [`LARGEST_WCN`] residues.
    fn default() -> Self {
        Self::new(FEATURES, true).without_large_wcn()
    }
}

impl Selection {
    /// These features, and sites if `sites` is true.
    pub fn new(features: impl IntoIterator<Item = &'static Feature>, sites: bool) -> Self {
        let features = in_order(features);
        let of_sites = if sites { Steps::SITES } else { Steps::NONE };
        let steps = steps::of(features.iter().map(|feature| feature.steps)).and(of_sites).complete();
        Self { features, sites, points: false, on_device: false, any_wcn: true, steps }
    }

    /// The features and sites of both.
    #[must_use]
    pub fn and(&self, other: &Self) -> Self {
        let features = in_order(self.features.iter().chain(other.features.iter()).copied());
        let computes_any_wcn = |one: &Self| one.any_wcn && one.steps.has(Steps::WCN);
        Self {
            features,
            sites: self.sites || other.sites,
            points: self.points || other.points,
            on_device: self.on_device && other.on_device,
            any_wcn: computes_any_wcn(self) || computes_any_wcn(other),
            steps: self.steps.and(other.steps),
        }
    }

    /// The same, but `wcn` is undefined in structures of more than [`LARGEST_WCN`] residues.
    #[must_use]
    pub fn without_large_wcn(self) -> Self {
        Self { any_wcn: false, ..self }
    }

    /// Whether `wcn` is selected, and left undefined in a structure of so many residues.
    ///
    /// ```
    /// use prism_engine::Selection;
    /// use shared_types::FEATURES;
    ///
    /// assert!(Selection::default().leaves_out_wcn(538_200) && !Selection::default().leaves_out_wcn(26_910));
    /// let by_name = Selection::new(FEATURES.iter().filter(|feature| feature.name == "wcn"), false);
    /// assert!(!by_name.leaves_out_wcn(538_200));
    /// ```
    #[must_use]
    pub fn leaves_out_wcn(&self, residues: usize) -> bool {
        self.steps.has(Steps::WCN) && residues > self.largest_wcn() as usize
    }

    /// The most residues of a structure whose `wcn` is computed.
    pub(super) fn largest_wcn(&self) -> u32 {
        if self.any_wcn { u32::MAX } else { LARGEST_WCN }
    }

    /// The same steps, with other features as results.
    pub(super) fn with_features(&self, features: impl IntoIterator<Item = &'static Feature>) -> Self {
        Self { features: in_order(features), ..self.clone() }
    }

    /// The same, and also the surface points from which sites are found.
    #[must_use]
    pub fn with_points(self) -> Self {
        Self { points: true, steps: self.steps.and(Steps::SITES).complete(), ..self }
    }

    /// The same, but values stay on the device that computes them. A worker that has a device leaves them there for
    /// [`device_values`](super::BatchResults::device_values) and copies none to the host. Other workers are not affected.
    #[must_use]
    pub fn on_device(self) -> Self {
        Self { on_device: true, ..self }
    }

    /// The same, but values come to the host.
    pub(super) fn on_host(&self) -> Self {
        Self { on_device: false, ..self.clone() }
    }

    /// Whether values stay on the device that computes them.
    #[must_use]
    pub fn stays_on_device(&self) -> bool {
        self.on_device
    }

    /// Whether surface points are requested.
    #[must_use]
    pub fn has_points(&self) -> bool {
        self.points
    }

    /// The features in the order of the results: group by group.
    #[must_use]
    pub fn features(&self) -> &[&'static Feature] {
        &self.features
    }

    /// The number of features.
    #[must_use]
    pub fn width(&self) -> usize {
        self.features.len()
    }

    /// Whether sites are requested.
    #[must_use]
    pub fn has_sites(&self) -> bool {
        self.sites
    }

    /// The steps that have to run.
    #[must_use]
    pub fn steps(&self) -> Steps {
        self.steps
    }

    /// The index of a feature in the selection.
    #[must_use]
    pub fn place(&self, feature: &Feature) -> Option<usize> {
        // Compared by the fields that identify a feature. Comparing the texts as well would take longer than looking at the
        // values.
        self.features.iter().position(|one| one.column == feature.column && one.group == feature.group)
    }

    /// The indices of a group's features in the selection.
    pub(super) fn of_group(&self, group: Group) -> Range<usize> {
        let first = self.features.partition_point(|feature| feature.group < group);
        first..self.features.partition_point(|feature| feature.group <= group)
    }
}

/// Features group by group, each in the order of the table, without repetition.
fn in_order(features: impl IntoIterator<Item = &'static Feature>) -> Arc<[&'static Feature]> {
    let asked: Vec<_> = features.into_iter().collect();
    let of_group = |&group: &Group| group.features().filter(|feature| asked.contains(feature)).collect::<Vec<_>>();
    Group::ALL.iter().flat_map(of_group).collect()
}

/// What to compute, and with which configuration.
///
/// ```
/// use prism_engine::{Request, Selection};
/// use shared_types::MegaFusedConfig;
///
/// let everything: Request = MegaFusedConfig::default().into();
/// assert_eq!(everything.selection, Selection::default());
/// ```
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Request {
    /// The configuration for every feature.
    pub config: MegaFusedConfig,
    /// What to compute.
    pub selection: Selection,
}

impl From<MegaFusedConfig> for Request {
    /// Everything.
    fn from(config: MegaFusedConfig) -> Self {
        Self { config, selection: Selection::default() }
    }
}

impl From<&Self> for Request {
    fn from(request: &Self) -> Self {
        request.clone()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn groups_follow_each_other_whatever_the_order() {
        let named = |name: &str| FEATURES.iter().find(|feature| feature.name == name).unwrap();
        let asked = ["ca_z", "sasa", "b_factor", "wcn", "sasa"].map(named);
        let selection = Selection::new(asked, false);
        let names: Vec<_> = selection.features().iter().map(|feature| feature.name).collect();
        assert_eq!(names, ["wcn", "sasa", "b_factor", "ca_z"]);
        assert_eq!((selection.of_group(Group::Residue), selection.of_group(Group::Position)), (0..2, 2..4));
        assert_eq!(selection.place(named("b_factor")), Some(2));
        assert_eq!(selection.place(named("ca_x")), None);
        assert!(!selection.steps().has(Steps::CONTACTS));
    }
}
