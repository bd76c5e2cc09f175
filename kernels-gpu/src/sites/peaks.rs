//! Peaks of sites, one after another, and the site around each.

#[cfg(not(target_arch = "nvptx64"))]
use super::position;
use super::{Found, GROUPS, PART, Peak, Rows, Top, is_within};
use cuda_std::math::to_u32;
use cuda_std::prelude::*;
use shared_types::Site;
use shared_types::site_model::{AROUND, MOST_SITES};

/// Added to differences along an axis, in the unit of [`PART`], to make them positive.
const ABOVE: u32 = 8 * PART as u32;
/// Threads that share the points of a row of cells. Each finds the row's atoms by itself.
#[cfg(target_arch = "nvptx64")]
const THREADS_PER_ROW: u32 = 4;
/// Fewest atoms in a group.
const LEAST_GROUP: u32 = 64;

#[cfg(target_arch = "nvptx64")]
impl Found<'_> {
    /// The number of an atom's points within [`AROUND`] of `center`.
    #[inline(always)]
    fn points_around(&self, k: u32, center: [f32; 3]) -> u32 {
        let points = self.point_atoms.get(k);
        (0..points.count()).filter(|i| is_within(AROUND, center, self.spots.at(points.first + i).at())).count() as u32
    }
}

/// Finds peaks until there are [`MOST_SITES`], or no atom with a sum is far enough from all of them. Returns their number.
///
/// Consecutive atoms lie near each other. So a new peak takes the candidates of a few groups only, and only these groups
/// are searched again.
#[inline(always)]
pub(super) fn find<V>(
    block: &mut Block,
    n: u32,
    found: &Found,
    tops: &mut Shared<Top, GROUPS>,
    peaks: &mut Tile<Peak>,
    #[cfg(not(target_arch = "nvptx64"))] sites: &mut Segment<Site>,
) -> u32 {
    let size = n.div_ceil(LEAST_GROUP * GROUPS as u32).max(1) * LEAST_GROUP;
    let groups = n.div_ceil(size);
    let mut tops = tops.fill(block, groups, |_| Top::default());
    tops.fill_by_warp(block, groups, |warp, group| {
        top::<[V; 0]>(warp, found, group * size, n.min((group + 1) * size), (0, |_| Peak::default()))
    });
    let mut count = 0;
    while count < MOST_SITES as u32 {
        let most = block.reduce(groups, 0u64, |group| tops.get(group).key, |a, b| if a > b { a } else { b });
        if most == 0 {
            break;
        }
        let rank = found.cells.rank.get(!(most as u32));
        #[cfg(target_arch = "nvptx64")]
        let peak = Peak { center: center::<V>(block, found, found.at(rank)), rank };
        #[cfg(not(target_arch = "nvptx64"))]
        let (peak, site) = site::<V>(found, rank);
        #[cfg(not(target_arch = "nvptx64"))]
        sites.set(block, count, site);
        peaks.set(block, count, peak);
        count += 1;
        tops.update_by_warp(block, groups, |warp, group, own| {
            if own.key == 0 || !peak.takes(own.at, own.rank) {
                return own;
            }
            top::<[V; 1]>(warp, found, group * size, n.min((group + 1) * size), (count, |i| peaks.get(i)))
        });
    }
    count
}

/// The atom with the largest sum of atoms `first .. end` that none of the first `count` peaks takes.
#[inline(always)]
fn top<V>(
    warp: &mut Warp,
    found: &Found,
    first: u32,
    end: u32,
    (count, peak): (u32, impl Fn(u32) -> Peak + Sync),
) -> Top {
    #[cfg(target_arch = "nvptx64")]
    let key = {
        let own = warp.per_lane(|lane| {
            let (mut most, mut k) = (0, first + lane.index());
            while k < end {
                let key = found.key(k);
                if key > most && !(0..count).rev().any(|i| peak(i).takes(found.at(k), k)) {
                    most = key;
                }
                k += 32;
            }
            most
        });
        warp.reduce(&own, |a, b| if a > b { a } else { b })
    };
    #[cfg(not(target_arch = "nvptx64"))]
    let key = {
        let _ = warp;
        largest_key::<V>(found, first, end, (count, peak))
    };
    if key == 0 {
        return Top::default();
    }
    let rank = found.cells.rank.get(!(key as u32));
    Top { key, at: found.at(rank), rank }
}

/// The largest key of atoms `first .. end` that none of the first `count` peaks takes. There is no branch that depends on an atom, so a
/// core compares several at a time.
#[inline(always)]
#[cfg(not(target_arch = "nvptx64"))]
fn largest_key<V>(found: &Found, first: u32, end: u32, (count, peak): (u32, impl Fn(u32) -> Peak)) -> u64 {
    const TURN: usize = 16;
    let (sums, sorted, order) = (found.sums.clamped(), found.sorted.clamped(), found.cells.order.clamped());
    let mut keys = [0u64; TURN];
    let mut k = first;
    while k < end {
        let mut is_taken = [0u32; TURN];
        let (mut x, mut y, mut z) = ([0.0; TURN], [0.0; TURN], [0.0; TURN]);
        for i in 0..TURN {
            [x[i], y[i], z[i]] = position(sorted.get(k + i as u32));
        }
        for number in 0..count {
            let peak = peak(number);
            for i in 0..TURN {
                is_taken[i] |= u32::from(peak.takes([x[i], y[i], z[i]], k + i as u32));
            }
        }
        for i in 0..TURN {
            let at = k + i as u32;
            let sum = sums.get(at);
            let counts = (sum > 0) & (is_taken[i] == 0) & (at < end);
            let key = u64::from(sum) << 32 | u64::from(!order.get(at));
            let key = if counts { key } else { 0 };
            keys[i] = if key > keys[i] { key } else { keys[i] };
        }
        k += TURN as u32;
    }
    let mut most = 0;
    for key in keys {
        most = if key > most { key } else { most };
    }
    most
}

/// The mean position of the points around a peak, weighted by their scores. Differences from the peak are summed up as
/// integers.
#[inline(always)]
#[cfg(target_arch = "nvptx64")]
fn center<V>(block: &mut Block, found: &Found, peak: [f32; 3]) -> [f32; 3] {
    let rows = Rows::within(found, AROUND, peak);
    let weighted = |part: u32| {
        let mut sums = [0u64; 4];
        let share = [part % THREADS_PER_ROW, THREADS_PER_ROW];
        found.each_point_of(rows.run(part / THREADS_PER_ROW), share, (peak, AROUND), |point, score| {
            // (Written out: in a loop, the sums would be in local memory on a device.)
            sums[0] += weighted_along(point[0] - peak[0], score);
            sums[1] += weighted_along(point[1] - peak[1], score);
            sums[2] += weighted_along(point[2] - peak[2], score);
            sums[3] += u64::from(score);
        });
        sums
    };
    let parts = rows.region.rows() * THREADS_PER_ROW;
    let sums = block.reduce(parts, [0u64; 4], weighted, |a, b| core::array::from_fn(|i| a[i] + b[i]));
    mean(peak, sums)
}

/// The mean position, from the weighted sums of differences from the peak and from the sum of weights.
#[inline(always)]
fn mean(peak: [f32; 3], [x, y, z, score]: [u64; 4]) -> [f32; 3] {
    let along = |sum: u64| (sum.cast_signed() - ABOVE as i64 * score.cast_signed()) as f32 / (score as f32 * PART);
    [peak[0] + along(x), peak[1] + along(y), peak[2] + along(z)]
}

/// A point's difference from a peak along an axis, in the unit of [`PART`] and with [`ABOVE`] added, times its score. The
/// point is within 6 Å of the peak.
#[inline(always)]
fn weighted_along(away: f32, score: u32) -> u64 {
    u64::from(to_u32((away + ABOVE as f32 / PART) * PART)) * u64::from(score)
}

/// The site of a peak. The warp counts the points around it and adds up their area.
#[inline(always)]
#[cfg(target_arch = "nvptx64")]
pub(super) fn site<V>(warp: &mut Warp, found: &Found, peak: Peak) -> Site {
    let at = found.at(peak.rank);
    let rows = Rows::within(found, AROUND, at);
    let own = warp.per_lane(|lane| {
        let (mut sums, mut row) = ([0u64; 2], lane.index());
        while row < rows.region.rows() {
            let [first, end] = rows.run(row);
            for k in first..end {
                let points = u64::from(found.points_around(k, at));
                if points > 0 {
                    sums = [sums[0] + found.area_per_point(k) * points, sums[1] + points];
                }
            }
            row += 32;
        }
        sums
    });
    let sums = warp.reduce(&own, |a, b| [a[0] + b[0], a[1] + b[1]]);
    found.site(peak, sums)
}

/// The peak at an atom, and its site. A core passes over the points around it once.
#[inline(always)]
#[cfg(not(target_arch = "nvptx64"))]
fn site<V>(found: &Found, rank: u32) -> (Peak, Site) {
    let at = found.at(rank);
    let rows = Rows::within(found, AROUND, at);
    let (mut weighted, mut of_points) = ([0u64; 4], [0u64; 2]);
    for row in 0..rows.region.rows() {
        let [first, end] = rows.run(row);
        for k in first..end {
            let (points, mut count) = (found.point_atoms.get(k), 0);
            for i in points.first..points.first + points.count() {
                let spot = found.spots.at(i);
                if is_within(AROUND, at, spot.at()) {
                    for (axis, sum) in weighted.iter_mut().take(3).enumerate() {
                        *sum += weighted_along(spot.at()[axis] - at[axis], spot.score);
                    }
                    weighted[3] += u64::from(spot.score);
                    count += 1;
                }
            }
            if count > 0 {
                of_points = [of_points[0] + found.area_per_point(k) * count, of_points[1] + count];
            }
        }
    }
    let peak = Peak { center: mean(at, weighted), rank };
    (peak, found.site(peak, of_points))
}
