//! Dots on the solvent-excluded surface of spheres, that is the surface that a rolling probe touches or cannot enter (Connolly 1983,
//! J Appl Cryst 16:548): convex where the probe touches one sphere, a part of a torus where it touches two, concave where three.

use super::cells::Cells;
use super::geometry::{Point, cross, dot, length, minus, plus, times, unit};
use crate::points;
use std::f64::consts::TAU;
use std::rc::Rc;

/// A sphere, such as an atom.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Sphere {
    pub(crate) centre: Point,
    pub(crate) radius: f64,
}

/// A piece of surface.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Dot {
    pub(crate) at: Point,
    /// Unit vector away from the spheres. The probe that touches the dot has its centre in this direction.
    pub(crate) normal: Point,
    /// In Å².
    pub(crate) area: f64,
}

/// Where the probe touches three spheres.
struct Corner {
    centre: Point,
    /// The directions of the spheres.
    directions: [Point; 3],
}

/// The dots of the spheres that are `wanted`, and of those parts between spheres of which one is wanted. `density` is the number of
/// dots in 1 Å², and `probe` the probe's radius in Å. All spheres cover.
pub(crate) fn dots(spheres: &[Sphere], wanted: &[bool], probe: f64, density: f64) -> Vec<Dot> {
    let centres: Vec<Point> = spheres.iter().map(|sphere| sphere.centre).collect();
    let largest = spheres.iter().map(|sphere| sphere.radius).fold(0.0, f64::max);
    let reach = 2.0 * (largest + probe);
    let cells = Cells::new(&centres, reach);
    let (dots, corners, directions) = (Vec::new(), Vec::new(), Vec::new());
    let mut rolling = Rolling { spheres, wanted, probe, density, dots, corners, directions };
    let mut near: Vec<u32> = Vec::new();
    for one in 0..spheres.len() as u32 {
        near.clear();
        cells.near(centres[one as usize], reach, |other, distance2| {
            let touching = spheres[one as usize].radius + spheres[other as usize].radius + 2.0 * probe;
            if other != one && distance2 < touching * touching {
                near.push(other);
            }
        });
        near.sort_unstable();
        near.retain(|&other| !rolling.contains(one, other));
        if near.iter().any(|&other| rolling.contains(other, one)) {
            continue;
        }
        if wanted[one as usize] {
            rolling.touch_one(one, &near);
        }
        for &other in near.iter().filter(|&&other| other > one) {
            if wanted[one as usize] || wanted[other as usize] {
                rolling.touch_two([one, other], &near);
            }
        }
    }
    rolling.touch_three();
    rolling.dots
}

/// A probe that rolls over spheres.
struct Rolling<'s> {
    spheres: &'s [Sphere],
    wanted: &'s [bool],
    probe: f64,
    density: f64,
    dots: Vec<Dot>,
    corners: Vec<Corner>,
    /// The directions of dots on spheres of the radii so far, which are few.
    directions: Vec<(f64, Rc<[Point]>)>,
}

impl Rolling<'_> {
    /// Directions spread evenly on a sphere of this radius.
    fn directions(&mut self, radius: f64) -> Rc<[Point]> {
        if let Some((_, known)) = self.directions.iter().find(|(own, _)| own.to_bits() == radius.to_bits()) {
            return Rc::clone(known);
        }
        let count = (2.0 * TAU * radius * radius * self.density).ceil().max(1.0) as u32;
        let new: Rc<[Point]> = points::directions(count).collect();
        self.directions.push((radius, Rc::clone(&new)));
        new
    }

    /// How far the probe's centre is from that of a sphere that it touches.
    fn touching(&self, sphere: u32) -> f64 {
        self.spheres[sphere as usize].radius + self.probe
    }

    fn centre(&self, sphere: u32) -> Point {
        self.spheres[sphere as usize].centre
    }

    /// Whether `outer` has all of `inner` inside. Of equal spheres, the first one has the others.
    fn contains(&self, outer: u32, inner: u32) -> bool {
        let [large, small] = [outer, inner].map(|index| self.spheres[index as usize]);
        let apart = length(minus(large.centre, small.centre));
        apart + small.radius <= large.radius && (large.radius > small.radius || outer < inner)
    }

    /// The probe touches a sphere alone.
    fn touch_one(&mut self, one: u32, near: &[u32]) {
        let Sphere { centre, radius } = self.spheres[one as usize];
        let directions = self.directions(radius);
        let area = 2.0 * TAU * radius * radius / directions.len() as f64;
        // The sphere that was last in the probe's way is often the next one, too.
        let mut last = None;
        for &normal in directions.iter() {
            let probe = plus(centre, times(normal, self.touching(one)));
            let is_in_way = |&other: &u32| {
                let apart = minus(probe, self.centre(other));
                dot(apart, apart) < self.touching(other).powi(2)
            };
            if last.is_some_and(|last| is_in_way(&last)) {
                continue;
            }
            last = near.iter().copied().find(is_in_way);
            if last.is_none() {
                self.dots.push(Dot { at: plus(centre, times(normal, radius)), normal, area });
            }
        }
    }

    /// The probe's centre runs around the axis of two spheres. `near` are the spheres near the first one.
    fn touch_two(&mut self, [a, b]: [u32; 2], near: &[u32]) {
        let between = minus(self.centre(b), self.centre(a));
        let (Some(axis), distance) = (unit(between), length(between)) else { return };
        // The plane of the circle, counted from the first sphere, and the circle's radius.
        let plane = 0.5 * (distance + (self.touching(a).powi(2) - self.touching(b).powi(2)) / distance);
        let radius2 = self.touching(a).powi(2) - plane * plane;
        if radius2 <= 0.0 {
            return;
        }
        let (middle, radius) = (plus(self.centre(a), times(axis, plane)), radius2.sqrt());
        let across = if axis[0].abs() < 0.6 { [1.0, 0.0, 0.0] } else { [0.0, 1.0, 0.0] };
        let Some(first) = unit(cross(axis, across)) else { return };
        let second = cross(axis, first);
        let outward = |angle: f64| plus(times(first, angle.cos()), times(second, angle.sin()));

        // What other spheres take of the circle: from an angle, to another one, by which sphere.
        let mut taken: Vec<(f64, f64, u32)> = Vec::new();
        for &other in near.iter().filter(|&&other| other != b) {
            let to = minus(self.centre(other), middle);
            let (x, y) = (dot(to, first), dot(to, second));
            let (reach, least) = (x.hypot(y), (dot(to, to) + radius2 - self.touching(other).powi(2)) / (2.0 * radius));
            if least <= -reach {
                return;
            }
            if least < reach {
                let (towards, half) = (y.atan2(x), (least / reach).acos());
                let begin = (towards - half).rem_euclid(TAU);
                taken.push((begin, begin + 2.0 * half, other));
                // What goes on over the end of the circle.
                if begin + 2.0 * half > TAU {
                    taken.push((begin - TAU, begin + 2.0 * half - TAU, other));
                }
            }
        }
        taken.sort_by(|one, other| one.0.total_cmp(&other.0));

        let (mut free, mut by) = (0.0, None);
        let ends = taken.into_iter().map(|(begin, until, other)| (begin, until, Some(other)));
        for (begin, until, other) in ends.chain([(TAU, TAU, None)]) {
            if begin > free {
                self.saddle([a, b], [free, begin], middle, axis, radius, &outward);
                for (angle, third) in [(free, by), (begin, other)] {
                    if let Some(third) = third {
                        self.corner([a, b, third], plus(middle, times(outward(angle), radius)));
                    }
                }
            }
            if until > free {
                (free, by) = (until, other);
            }
        }
    }

    /// Keeps a place where the probe touches three spheres, at the end of an arc around the first two. Arcs around others end there, too:
    /// one of them counts.
    fn corner(&mut self, touched: [u32; 3], centre: Point) {
        let mut all = touched;
        all.sort_unstable();
        let [x, y, z] = all;
        let counts = if self.wanted[x as usize] || self.wanted[y as usize] { [x, y] } else { [x, z] };
        if counts == touched[..2] {
            let directions = all.map(|sphere| times(minus(self.centre(sphere), centre), 1.0 / self.touching(sphere)));
            self.corners.push(Corner { centre, directions });
        }
    }

    /// The part of a torus that the probe cannot enter, for an arc of its centre's circle.
    fn saddle(
        &mut self,
        [a, b]: [u32; 2],
        [begin, end]: [f64; 2],
        middle: Point,
        axis: Point,
        radius: f64,
        outward: &dyn Fn(f64) -> Point,
    ) {
        let spacing = self.density.sqrt().recip();
        // On the probe, counted from the direction of the axis: where it touches the spheres.
        let [from, to] = [a, b].map(|sphere| dot(minus(self.centre(sphere), middle), axis).atan2(radius));
        let widest = [from, to].map(|tilt| radius - self.probe * tilt.cos()).into_iter().fold(0.0, f64::max);
        let around = ((end - begin) * widest / spacing).ceil().max(1.0);
        let along = ((to - from) * self.probe / spacing).ceil().max(1.0);
        let [around_step, along_step] = [(end - begin) / around, (to - from) / along];
        for i in 0..around as u32 {
            let out = outward(begin + (f64::from(i) + 0.5) * around_step);
            let centre = plus(middle, times(out, radius));
            for k in 0..along as u32 {
                let tilt = from + (f64::from(k) + 0.5) * along_step;
                // Beyond the axis, the probe on the other side is in the way.
                let off_axis = radius - self.probe * tilt.cos();
                if off_axis > 0.0 {
                    let normal = minus(times(out, tilt.cos()), times(axis, tilt.sin()));
                    let at = minus(centre, times(normal, self.probe));
                    self.dots.push(Dot { at, normal, area: self.probe * along_step * off_axis * around_step });
                }
            }
        }
    }

    /// The probe rests on three spheres: the triangle on it between them, unless it is in another resting probe.
    fn touch_three(&mut self) {
        let centres: Vec<Point> = self.corners.iter().map(|corner| corner.centre).collect();
        let cells = Cells::new(&centres, 2.0 * self.probe);
        let all = self.directions(self.probe);
        let area = 2.0 * TAU * self.probe * self.probe / all.len() as f64;
        let inside = self.probe * self.probe - 1e-9;
        for Corner { centre, directions: [a, b, c] } in &self.corners {
            let sides = [cross(*a, *b), cross(*b, *c), cross(*c, *a)];
            let turn = dot(sides[0], *c).signum();
            let mut others = Vec::new();
            cells.near(*centre, 2.0 * self.probe, |other, distance2| {
                if distance2 > 1e-12 {
                    others.push(centres[other as usize]);
                }
            });
            for direction in all.iter().filter(|own| sides.iter().all(|side| dot(*side, **own) * turn >= 0.0)) {
                let at = plus(*centre, times(*direction, self.probe));
                let is_inside = |other: &Point| {
                    let apart = minus(at, *other);
                    dot(apart, apart) < inside
                };
                if !others.iter().any(is_inside) {
                    self.dots.push(Dot { at, normal: times(*direction, -1.0), area });
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::f64::consts::PI;

    fn area(spheres: &[Sphere], density: f64) -> f64 {
        dots(spheres, &vec![true; spheres.len()], 1.5, density).iter().map(|dot| dot.area).sum()
    }

    fn sphere(x: f64, y: f64, radius: f64) -> Sphere {
        Sphere { centre: [x, y, 0.0], radius }
    }

    #[test]
    fn spheres_apart_have_their_whole_surface() {
        let two = [sphere(0.0, 0.0, 2.0), sphere(9.0, 0.0, 1.0)];
        assert!((area(&two, 10.0) - 20.0 * PI).abs() < 1e-9);
        // One inside another, and the same twice.
        assert!((area(&[two[0], sphere(0.5, 0.0, 1.0), two[0]], 10.0) - 16.0 * PI).abs() < 1e-9);
    }

    /// Two equal spheres: caps whose height ends where the probe touches, and the band of a torus (Connolly 1983).
    #[test]
    fn two_spheres_have_the_area_of_the_formula() {
        for apart in [2.0_f64, 3.0, 3.9, 5.5] {
            let (radius, probe) = (2.0, 1.5_f64);
            let half = 0.5 * apart;
            let circle = ((radius + probe).powi(2) - half * half).sqrt();
            let cap = TAU * radius * radius * (1.0 + half / (radius + probe));
            // From the waist, or from where the probe meets its axis, to the sphere.
            let tilt = (half / (radius + probe)).asin();
            let waist = if circle < probe { (circle / probe).acos() } else { 0.0 };
            let band = TAU * probe * (circle * (tilt - waist) - probe * (tilt.sin() - waist.sin()));
            let expected = 2.0 * (cap + band);
            let found = area(&[sphere(0.0, 0.0, radius), sphere(apart, 0.0, radius)], 400.0);
            assert!((found / expected - 1.0).abs() < 2e-3, "{apart}: {found}, {expected}");
        }
    }

    /// Every dot is where a probe rests: nothing is within the probe, and the probe touches it.
    #[test]
    fn no_probe_of_a_dot_meets_a_sphere() {
        let spheres = [
            sphere(0.0, 0.0, 1.7),
            sphere(2.6, 0.0, 1.5),
            sphere(1.2, 2.5, 1.9),
            Sphere { centre: [1.3, 0.9, 2.4], radius: 1.6 },
        ];
        let (probe, found) = (1.5, dots(&spheres, &[true; 4], 1.5, 20.0));
        let mut concave = 0.0;
        for dot in &found {
            let centre = plus(dot.at, times(dot.normal, probe));
            let distances = spheres.map(|sphere| length(minus(centre, sphere.centre)) - sphere.radius - probe);
            assert!((length(dot.normal) - 1.0).abs() < 1e-9);
            assert!(distances.iter().all(|distance| *distance > -1e-6), "{dot:?}");
            let touched = distances.iter().filter(|distance| **distance < 1e-6).count();
            assert!(touched > 0, "{dot:?}");
            if touched == 3 {
                concave += dot.area;
            }
        }
        assert!(concave > 1.0, "{concave}");
        // A closed surface: normals, weighted with areas, have the sum zero, and their products with places three times the volume.
        let sum = found.iter().fold([0.0; 3], |sum, own| plus(sum, times(own.normal, own.area)));
        let total: f64 = found.iter().map(|dot| dot.area).sum();
        assert!(length(sum) < 0.02 * total, "{sum:?} of {total}");
    }
}
