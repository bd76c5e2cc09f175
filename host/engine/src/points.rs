//! Test points on the unit sphere, which measure accessible surface.

use super::masks;
use bytemuck::allocation::try_zeroed_vec;
use cuda_std::math::f64::{cos, sin, sqrt};
use shared_types::{MASK_SIDE, POINTS_PER_GROUP, PointGroup, TestPoint};
use std::alloc::{Layout, handle_alloc_error};
use std::f64::consts::PI;
use std::sync::{Arc, Mutex, PoisonError};

/// `n` points spread evenly on the unit sphere, along a spiral of golden angles: point `k` has
/// `z = 1 - (2 k + 1) / n` and the azimuth `k pi (3 - sqrt 5)`.
///
/// FreeSASA uses the same set, so areas can be compared point for point. The points are computed in f64 with the functions that
/// kernels use, and then rounded. So the bits are the same on every machine.
#[must_use]
pub fn sphere_points(n: u32) -> Vec<[f32; 3]> {
    directions(n).map(|point| point.map(|along| along as f32)).collect()
}

/// The same points before they are rounded.
pub(crate) fn directions(n: u32) -> impl Iterator<Item = [f64; 3]> {
    let golden_angle = PI * (3.0 - sqrt(5.0));
    (0..n).map(move |k| {
        let z = 1.0 - (2.0 * f64::from(k) + 1.0) / f64::from(n);
        let (azimuth, radius) = (f64::from(k) * golden_angle, sqrt(1.0 - z * z));
        [cos(azimuth) * radius, sin(azimuth) * radius, z]
    })
}

/// Cells along each side of the maps of masks that [`CpuWorker`](super::cpu::CpuWorker) has. Its tables take 400 kB, so that a core's
/// second cache of a megabyte has room for them beside the atoms. With a megabyte of tables surfaces took 2% longer on an idle machine,
/// and 10% where other programs used its caches. Smaller ones leave more points to be tested.
pub(super) const SIDE_ON_CORES: u32 = 20;

/// [`sphere_points`] in the form that kernels read on devices and on CPU cores, with their masks.
///
/// ```
/// use prism_engine::{point_groups, sphere_points};
///
/// let (points, groups) = (sphere_points(200), point_groups(200));
/// assert_eq!((points.len(), groups.len()), (200, 2)); // 128 a group
/// assert_eq!(groups[1].points[0], shared_types::TestPoint::new(points[128]));
/// assert!(points.iter().all(|[x, y, z]| (x * x + y * y + z * z - 1.0).abs() < 1e-6));
/// ```
#[must_use]
pub fn point_groups(n: u32) -> Vec<PointGroup> {
    groups_with_maps_of(MASK_SIDE as u32, n)
}

/// [`point_groups`], whose maps of masks have `side` cells along each side.
pub(super) fn groups_with_maps_of(side: u32, n: u32) -> Vec<PointGroup> {
    let points = sphere_points(n);
    let len = points.len().div_ceil(POINTS_PER_GROUP);
    // The groups are too large for a thread's stack. If memory runs out, the process ends, as for any other vector.
    let mut groups: Vec<PointGroup> = try_zeroed_vec(len).unwrap_or_else(|()| match Layout::array::<PointGroup>(len) {
        Ok(layout) => handle_alloc_error(layout),
        Err(error) => panic!("{n} points: {error}"),
    });
    for (group, points) in groups.iter_mut().zip(points.chunks(POINTS_PER_GROUP)) {
        for (to, point) in group.points.iter_mut().zip(points) {
            *to = TestPoint::new(*point);
        }
        group.side = side;
        masks::fill(group, points.len());
    }
    groups
}

/// Groups for CPU cores only, which are kept while the same number of points is requested. Making them takes longer than computing
/// a small structure.
pub(super) fn point_groups_for_cores(n: u32) -> Arc<Vec<PointGroup>> {
    type Known = Option<(u32, Arc<Vec<PointGroup>>)>;
    static LAST: Mutex<Known> = Mutex::new(None);
    let mut last = LAST.lock().unwrap_or_else(PoisonError::into_inner);
    match &*last {
        Some((known, groups)) if *known == n => Arc::clone(groups),
        _ => {
            let groups: Arc<Vec<PointGroup>> = Arc::new(groups_with_maps_of(SIDE_ON_CORES, n));
            *last = Some((n, Arc::clone(&groups)));
            groups
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use shared_types::site_model::{DIRECTIONS, SPIRAL};
    use shared_types::{MAX_POINTS, MIN_POINTS};

    /// Kernels on cores take the directions of sites from the bits of test points.
    #[test]
    fn directions_of_sites_are_every_sixth_point() {
        let (points, n) = (sphere_points(SPIRAL), DIRECTIONS.len());
        let every = SPIRAL as usize / n;
        let chosen: Vec<[f32; 3]> = (0..n).map(|k| points[every * k + every - 1]).collect();
        assert_eq!(chosen, DIRECTIONS);
    }

    #[test]
    fn points_lie_on_the_sphere_and_are_spread_evenly() {
        for n in [MIN_POINTS, 100, 1000, MAX_POINTS] {
            let points = sphere_points(n);
            assert_eq!(points.len(), n as usize);
            let coordinates: Vec<[f64; 3]> = points.iter().map(|point| point.map(f64::from)).collect();
            for [x, y, z] in &coordinates {
                let length = sqrt(x * x + y * y + z * z);
                assert!((length - 1.0).abs() < 1e-7, "{n} points: length {length}");
            }
            for axis in 0..3 {
                let mean = coordinates.iter().map(|p| p[axis]).sum::<f64>() / f64::from(n);
                assert!(mean.abs() < 1.0 / f64::from(n), "{n} points: mean {mean} along axis {axis}");
            }
            // Each point has the same share of the sphere, 4 pi / n, so no two are much closer than its square root.
            let nearest = (1..n as usize)
                .flat_map(|i| (0..i).map(move |j| (i, j)))
                .filter(|(i, j)| i - j < 200)
                .map(|(i, j)| (0..3).map(|axis| (coordinates[i][axis] - coordinates[j][axis]).powi(2)).sum::<f64>())
                .fold(f64::INFINITY, f64::min);
            assert!(sqrt(nearest * f64::from(n)) > 2.5, "{n} points: two are {} apart", sqrt(nearest));
        }
    }
}
