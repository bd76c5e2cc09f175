// Turns as unit quaternions [x, y, z, w]: where the camera looks from, and what brings points onto others.

const average = points => [0, 1, 2].map(axis => points.reduce((sum, point) => sum + point[axis], 0) / Math.max(points.length, 1));
const cross = (a, b) => [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]];
const dot = (a, b) => a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
const normed = vector => { const length = Math.hypot(...vector); return length > 1e-9 ? vector.map(value => value / length) : vector; };

// The shortest turn that brings a direction to another one of length 1.
function shortestTurn(from, to) {
  if (Math.hypot(...from) < 1e-6) return [0, 0, 0, 1];
  const own = normed(from), turn = [...cross(own, to), 1 + dot(own, to)];
  // The opposite direction: half a turn about anything across.
  return Math.hypot(...turn) > 1e-6 ? normed(turn) : [...normed(Math.abs(to[0]) < .9 ? cross(to, [1, 0, 0]) : cross(to, [0, 1, 0])), 0];
}

function rotated(point, [x, y, z, w]) {
  const t = cross([x, y, z], point).map(value => 2 * value), u = cross([x, y, z], t);
  return point.map((value, axis) => value + w * t[axis] + u[axis]);
}

// One turn after another: first b, then a.
function multiplied(a, b) {
  const [p, q] = [a.slice(0, 3), b.slice(0, 3)], c = cross(p, q);
  return [...[0, 1, 2].map(axis => a[3] * q[axis] + b[3] * p[axis] + c[axis]), a[3] * b[3] - dot(p, q)];
}

// The turn, as a unit quaternion, that brings centred points nearest to others (Horn 1987).
function fittingTurn(points, target) {
  const s = [0, 1, 2].map(i => [0, 1, 2].map(j => points.reduce((sum, point, at) => sum + point[i] * target[at][j], 0)));
  const [[xx, xy, xz], [yx, yy, yz], [zx, zy, zz]] = s;
  // The order of the quaternion is x, y, z, w.
  const matrix = [
    [xx - yy - zz, xy + yx, zx + xz, yz - zy], [xy + yx, yy - xx - zz, yz + zy, zx - xz],
    [zx + xz, yz + zy, zz - xx - yy, xy - yx], [yz - zy, zx - xz, xy - yx, xx + yy + zz],
  ];
  // Powers find the eigenvalue of the greatest size, so all are made positive.
  const shift = Math.hypot(...matrix.flat());
  let turn = [.1, .2, .3, 1];
  for (let step = 0; step < 200; step++) {
    const next = normed(matrix.map((row, i) => row.reduce((sum, value, j) => sum + value * turn[j], shift * turn[i])));
    const change = Math.hypot(...next.map((value, i) => value - turn[i]));
    turn = next;
    if (change < 1e-7) break;
  }
  return turn;
}

// What moves points onto others so that the sum of their squared distances is least.
function fit(points, target) {
  const [from, to] = [average(points), average(target)], off = (list, middle) => list.map(point => point.map((value, axis) => value - middle[axis]));
  const turn = fittingTurn(off(points, from), off(target, to));
  return point => rotated(point.map((value, axis) => value - from[axis]), turn).map((value, axis) => value + to[axis]);
}

// The two longest principal axes of points, by powers of their covariance.
function axesOf(points) {
  const center = average(points), sums = [[0, 0, 0], [0, 0, 0], [0, 0, 0]];
  for (const point of points) {
    const off = point.map((value, axis) => value - center[axis]);
    for (let i = 0; i < 3; i++) for (let j = 0; j < 3; j++) sums[i][j] += off[i] * off[j];
  }
  const times = vector => sums.map(row => dot(row, vector));
  const longest = without => {
    let axis = normed([.7, .5, .3]);
    for (let step = 0; step < 100; step++) {
      let next = times(axis);
      if (without) { const along = dot(next, without); next = next.map((value, at) => value - along * without[at]); }
      if (Math.hypot(...next) < 1e-9) break;
      axis = normed(next);
    }
    return axis;
  };
  const first = longest(null);
  return [first, longest(first)];
}

// From which direction a position is hidden least: by the fewest residues in a cylinder before it. Of equal ones, the one that is nearest
// to a given direction.
function outlook(model, center, outward) {
  const tries = 120, near = model.middle.filter(point => squared(point, center) < 45 ** 2).map(point => point.map((value, axis) => value - center[axis])), to = normed(outward);
  let best = to, least = Infinity;
  for (let index = 0; index < tries; index++) {
    // Evenly over the sphere, by the golden angle.
    const z = 1 - 2 * (index + .5) / tries, ring = Math.sqrt(1 - z * z), angle = index * 2.399963;
    const direction = [ring * Math.cos(angle), ring * Math.sin(angle), z];
    let hidden = -.5 * dot(direction, to);
    for (const point of near) {
      const ahead = dot(point, direction);
      if (ahead > 3 && dot(point, point) - ahead * ahead < 49) hidden++;
    }
    if (hidden < least) { least = hidden; best = direction; }
  }
  return best;
}
