// A structure's data: its atoms, which residues are near others, and which atoms are bonded.
//
// Residues are counted from 0: first those with rows, then ligands and other residues without rows.

// Positions from their differences: x of all atoms, then y, then z.
function coordinatesOf(deltas, steps) {
  const bytes = bytesOf(deltas), n = bytes.length / 12;
  return [0, 1, 2].map(axis => {
    const coordinates = new Float32Array(n);
    for (let index = 0, at = 0; index < n; index++) {
      const first = axis * n + index, zigzag = bytes[first] | bytes[first + 3 * n] << 8 | bytes[first + 6 * n] << 16 | bytes[first + 9 * n] << 24;
      at += (zigzag >>> 1) ^ -(zigzag & 1);
      coordinates[index] = at / steps;
    }
    return coordinates;
  });
}

// The data of a structure of this report. Interactions of members of archives lie apart.
async function detailOf({ detail }) {
  const data = JSON.parse(await unpack(`s${detail - 1}`)), apart = `i${detail - 1}`;
  if (document.getElementById(apart)) data.relations.interactions = JSON.parse(await unpack(apart));
  return data;
}

// The middles of nucleotides in contact are closer than this, in Å.
const NUCLEOTIDES_TOUCH = 12;

function structureOf(data) {
  const { steps, deltas, kinds, of, without_rows: others } = data.atoms;
  const axes = coordinatesOf(deltas, steps), n = axes[0].length, rows = data.residue.length;
  const split = kinds.map(kind => kind.map(words => words.split(" ")));
  const first = new Uint32Array(of.length + 1);
  of.forEach((kind, residue) => { first[residue + 1] = first[residue] + split[kind][0].length; });
  if (first[of.length] !== n) throw new Error(`there are ${n} atoms, and names of ${first[of.length]}`);
  const names = residue => split[of[residue]][0], elements = residue => split[of[residue]][1];
  const position = atom => [axes[0][atom], axes[1][atom], axes[2][atom]];
  const atom = (residue, name) => {
    const at = names(residue).indexOf(name);
    return at < 0 ? null : first[residue] + at;
  };
  // The atom that stands for a residue in maps: the alpha carbon, C1' of a nucleotide, or else the first.
  const middle = Array.from({ length: of.length }, (_, residue) => position(atom(residue, "CA") ?? atom(residue, "C1'") ?? first[residue]));
  const isNucleotide = residue => names(residue).includes("C1'") && (residue < rows || others[residue - rows].nucleotide);
  const model = {
    data, rows, residues: of.length, names, elements, position, atom, middle, isNucleotide,
    atoms: residue => Array.from({ length: first[residue + 1] - first[residue] }, (_, at) => first[residue] + at),
    element: residue => elements(residue)[0],
    // Which residue it is, and with its name.
    id: residue => residue < rows ? data.residue[residue] : others[residue - rows].id,
    // As people read it: a chain without a name is left out.
    label: residue => model.id(residue).replace(/^\s*_/, ""),
    called: residue => `${model.label(residue)} (${model.resname(residue)})`,
    // The standard residue that a modified one, or one in another state, was made of: HIS of HSD.
    parent: row => data.parents[data.resname[row]] ?? data.resname[row],
    resname: residue => residue < rows ? data.resname[residue] : others[residue - rows].name,
    chainOf: residue => residue < rows ? data.chain[residue] : data.chains.indexOf(others[residue - rows].chain),
    byId: new Map(),
    // The chains with rows; those of glycans alone have none.
    chains: [...new Set(data.chain)],
  };
  // Whether two residues are in contact in maps, by their middles: alpha carbons by the run's threshold. Those of paired bases (C1') are 10.5 Å apart.
  model.reach = (a, b) => isNucleotide(a) || isNucleotide(b) ? NUCLEOTIDES_TOUCH : run.threshold;
  model.touch = (a, b) => squared(middle[a], middle[b]) < model.reach(a, b) ** 2;
  model.hasNucleotides = Array.from({ length: rows }, (_, row) => row).some(isNucleotide);
  for (let residue = of.length - 1; residue >= 0; residue--) model.byId.set(model.id(residue), residue);
  model.ligands = Array.isArray(data.relations.ligands) ? data.relations.ligands.map(ligand => ({ ...ligand, residue: ligand.residue + rows })) : [];
  bondLigands(model);
  model.interfaces = Array.isArray(data.relations.interfaces) ? data.relations.interfaces : [];
  const found = data.relations.interactions;
  model.interactions = found?.kinds ? found.kind.map((kind, index) => ({
    index, kind: found.kinds[kind].name, ends: found.ends[index], atoms: found.atoms[index].map(words => words.split(" ")), distance: found.distance[index], class: found.class[index], bridge: found.bridges[index],
  })) : [];
  for (const { bridge } of model.interactions) if (bridge) bridge.at = bridge.at.map((value, axis) => value - data.atoms.center[axis]);
  for (const ligand of model.ligands) {
    const bound = model.interactions.filter(({ kind, ends }) => kind === "metal" && ends.includes(ligand.residue)).map(({ ends }) => ends.find(end => end !== ligand.residue));
    ligand.coordinated = [...new Set(bound)].filter(end => end != null && !ligand.partners.includes(end));
  }
  return model;
}

// Points in cells: calls `take` with each other point's index that may be within `reach` of a point.
function cells(points, reach) {
  const grid = new Map(), cell = value => Math.floor(value / reach);
  points.forEach((point, index) => {
    const at = point.map(cell).join();
    if (grid.has(at)) grid.get(at).push(index); else grid.set(at, [index]);
  });
  return (point, take) => {
    const [x, y, z] = point.map(cell);
    for (let i = x - 1; i <= x + 1; i++) for (let j = y - 1; j <= y + 1; j++) for (let k = z - 1; k <= z + 1; k++) {
      for (const index of grid.get(`${i},${j},${k}`) ?? []) take(index);
    }
  };
}
const squared = (a, b) => (a[0] - b[0]) ** 2 + (a[1] - b[1]) ** 2 + (a[2] - b[2]) ** 2;

// A test of whether a position is within `reach` of some points.
function near(points, reach) {
  const inCells = cells(points, reach);
  return position => {
    let hit = false;
    inCells(position, index => { hit ||= squared(position, points[index]) <= reach * reach; });
    return hit;
  };
}

// Residues with an atom within `reach` of an atom of the given ones, themselves included.
function around(model, residues, reach) {
  const own = residues.flatMap(residue => model.atoms(residue).map(model.position));
  const isNear = near(own, reach), found = new Set(residues);
  const [low, high] = [0, 1, 2].map(axis => own.map(point => point[axis])).reduce(([low, high], values) =>
    [[...low, Math.min(...values) - reach], [...high, Math.max(...values) + reach]], [[], []]);
  for (let residue = 0; residue < model.residues; residue++) {
    if (found.has(residue) || model.middle[residue].some((value, axis) => value < low[axis] - 15 || value > high[axis] + 15)) continue;
    if (model.atoms(residue).some(atom => isNear(model.position(atom)))) found.add(residue);
  }
  return [...found].sort((a, b) => a - b);
}

// Covalent radii in Å (Cordero 2008), for the bonds of sticks. Metals have no sticks.
const COVALENT = { C: .76, N: .71, O: .66, S: 1.05, P: 1.07, F: .57, CL: 1.02, BR: 1.2, I: 1.39, SE: 1.2, B: .84, SI: 1.11, H: .31 };
function bonds(positions, elements) {
  const near = cells(positions, 3), all = positions.map(() => []);
  positions.forEach((position, a) => {
    const own = COVALENT[elements[a]];
    if (own) near(position, b => {
      const other = COVALENT[elements[b]], distance = Math.sqrt(squared(position, positions[b]));
      if (other && b > a && distance > .4 && distance < own + other + .3) { all[a].push(b); all[b].push(a); }
    });
  });
  return all;
}

// What ligands are bonded to: residues with rows, and other ligands, such as the next sugar of a glycan.
function bondLigands(model) {
  const atoms = model.ligands.filter(ligand => ligand.kind !== "ion").flatMap(ligand => model.atoms(ligand.residue).map((atom, at) => ({ atom, ligand, element: (model.elements(ligand.residue)[at] || "C").toUpperCase() })));
  const linked = bonds(atoms.map(({ atom }) => model.position(atom)), atoms.map(({ element }) => element));
  for (const ligand of model.ligands) ligand.partners = new Set(ligand.bonds);
  linked.forEach((ends, at) => { for (const end of ends) if (atoms[end].ligand !== atoms[at].ligand) atoms[at].ligand.partners.add(atoms[end].ligand.residue); });
  for (const ligand of model.ligands) ligand.partners = [...ligand.partners];
}

// Whether two residues follow each other in a chain.
function isLinked(model, a, b) {
  if (b >= model.residues || a < 0 || model.chainOf(a) !== model.chainOf(b) || model.isNucleotide(a) !== model.isNucleotide(b)) return false;
  const isNucleotide = model.isNucleotide(a), [end, begin] = isNucleotide ? [model.atom(a, "O3'"), model.atom(b, "P")] : [model.atom(a, "C"), model.atom(b, "N")];
  if (end != null && begin != null) return squared(model.position(end), model.position(begin)) < 2.5 ** 2;
  return squared(model.middle[a], model.middle[b]) < (isNucleotide ? 7.5 : 4.5) ** 2;
}
