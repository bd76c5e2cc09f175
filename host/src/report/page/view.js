// The structure in three dimensions, by 3Dmol.js, which is unpacked when the first structure is opened.

let library = null;
const viewerLibrary = () => library ??= unpack("viewer").then(text => {
  document.head.append($("script", {}, text));
  const found = globalThis["3Dmol"] ?? globalThis.$3Dmol;
  found.setSyncSurface?.(true);
  return found;
});

// Smooth edges take most of the time where the processor draws.
function isDrawnByProcessor() {
  const gl = document.createElement("canvas").getContext("webgl"), info = gl?.getExtension("WEBGL_debug_renderer_info");
  if (!gl) return true;
  const name = gl.getParameter(info ? info.UNMASKED_RENDERER_WEBGL : gl.RENDERER);
  gl.getExtension("WEBGL_lose_context")?.loseContext();
  return /swiftshader|llvmpipe|softpipe|software|basic render/i.test(name);
}

// Larger structures are drawn as sticks between alpha carbons.
const MOST_IN_CARTOON = 9000;
// Larger structures do not become pale around a selection, because that draws all of their cartoons again.
const MOST_PALE = 3000;

// The bonds of the next atom to draw a chain through, which are drawn where the structure is large.
function linksOf(atoms, resi, isDrawn) {
  if (!isDrawn || resi === 1) return { bonds: [], bondOrder: [] };
  atoms.at(-1).bonds.push(atoms.length); atoms.at(-1).bondOrder.push(1);
  return { bonds: [atoms.length - 1], bondOrder: [1] };
}

// The atoms that the viewer draws chains through. Stretches that are not linked have names of their own, because the viewer joins what
// follows each other in a chain.
function backbone(model) {
  const atoms = [], large = model.rows > MOST_IN_CARTOON;
  const states = { H: "h", G: "h", I: "h", E: "s" };
  let stretch = 0, resi = 0, isTrace = [];
  for (let residue = 0; residue < model.residues; residue++) {
    const nucleotide = model.isNucleotide(residue), isChain = residue < model.rows || nucleotide;
    if (!isChain) continue;
    if (!isLinked(model, residue - 1, residue)) { stretch++; resi = 0; }
    resi++;
    const names = model.names(residue), elements = model.elements(residue);
    // Without oxygens, nothing says which way a ribbon faces.
    const thin = large || (nucleotide ? !names.includes("P") && !names.includes("O5'") : !names.includes("O"));
    if (thin) isTrace[residue] = true;
    const wanted = thin ? ["CA", "P", "C1'"] : nucleotide ? null : ["CA", "C", "O"];
    const drawn = model.atoms(residue).filter((_, at) => !wanted || wanted.includes(names[at]));
    const first = model.atoms(residue)[0];
    for (const atom of thin ? drawn.slice(0, 1) : drawn) {
      const [x, y, z] = model.position(atom), at = atom - first;
      atoms.push({
        x, y, z, serial: atom, row: residue, resi, chain: `s${stretch}`, reschain: stretch, hetflag: false, ...linksOf(atoms, resi, large),
        // A trace is drawn through what is called an alpha carbon.
        atom: thin ? "CA" : names[at], elem: thin ? "C" : elements[at] || "C",
        resn: thin || !nucleotide ? "ALA" : names.includes("N9") ? "A" : "U",
        ss: residue < model.rows && states[model.data.states?.[residue]] || "c", thin: Boolean(thin),
      });
    }
  }
  return atoms;
}

// Atoms of residues with their bonds, to draw as sticks. `position` says where an atom is.
function sticks(model, residues, position = model.position) {
  const chosen = residues.flatMap(residue => model.atoms(residue).map((atom, at) => ({ atom, residue, name: model.names(residue)[at], elem: (model.elements(residue)[at] || "C").toUpperCase() })));
  const positions = chosen.map(({ atom }) => position(atom)), linked = bonds(positions, chosen.map(({ elem }) => elem));
  return chosen.map(({ residue, name, elem }, index) => {
    const [x, y, z] = positions[index];
    return { x, y, z, row: residue, resi: residue + 1, chain: "X", hetflag: true, atom: name, resn: model.resname(residue), serial: index,
      elem: elem.length > 1 ? elem[0] + elem.slice(1).toLowerCase() : elem, bonds: linked[index], bondOrder: linked[index].map(() => 1) };
  });
}

const elementColour = (atom, carbon) => ELEMENTS[atom.elem.toUpperCase()] ?? (atom.elem === "C" ? carbon : UNDEFINED);

// A viewer in a box, for structures of some rows; null if the page is another one by now.
async function emptyScene(box, rows) {
  const $3Dmol = await viewerLibrary();
  if (!box.isConnected) return null;
  const quality = rows > 4000 ? 3 : rows > 1500 ? 5 : 8;
  return $3Dmol.createViewer(box, { backgroundColor: css("--ground"), antialias: !isDrawnByProcessor(), cartoonQuality: quality, hoverDuration: 80, disableFog: false });
}

// The viewer draws after each step. Large structures take long to draw, so this draws once, after all of some steps.
function drawnOnce(scene, steps) {
  if (Object.hasOwn(scene, "show")) return steps();
  scene.show = () => {};
  let result;
  try { result = steps(); } finally { delete scene.show; }
  scene.show();
  return result;
}

// Cartoons, and tubes where a ribbon has no sides. Large structures are sticks between alpha carbons: the graphics card, or what stands
// for it, makes each of a few points, and a tube has hundreds.
function styleChains(chains, model, colorfunc, isThin = () => false) {
  for (const thin of [false, true]) chains.setStyle({ predicate: atom => !atom.thin && isThin(atom.row) === thin }, { cartoon: { style: "oval", arrows: true, thickness: thin ? .15 : .35, ...(thin ? { width: .6 } : {}), colorfunc } });
  chains.setStyle({ predicate: atom => atom.thin }, model.rows > MOST_IN_CARTOON ? { stick: { radius: 1, colorfunc } } : { cartoon: { style: "trace", thickness: .5, colorfunc } });
}

// Zooms so that points fill the box as they are turned now; `of` selects their atoms, or all.
function fillBox(scene, box, points, of) {
  const turn = scene.getView().slice(4), center = average(points), seen = points.map(point => rotated(point.map((value, axis) => value - center[axis]), turn));
  const radius = seen.reduce((most, point) => Math.max(most, Math.hypot(...point)), 1);
  const [wide, tall] = [0, 1].map(axis => seen.reduce((most, point) => Math.max(most, Math.abs(point[axis])), 1) + 3);
  scene.zoomTo(of);
  scene.zoom(clamp(Math.min(radius / tall, radius * box.clientWidth / Math.max(box.clientHeight, 1) / wide) * .92, .5, 4));
}

// Points as a whole: their longest axis lies across, and they fill the box.
function lookAlong(scene, box, points) {
  const [long, second] = axesOf(points), first = shortestTurn(long, [1, 0, 0]);
  const turned = rotated(second, first), roll = Math.atan2(turned[2], turned[1]), about = [-Math.sin(roll / 2), 0, 0, Math.cos(roll / 2)];
  const turn = multiplied(about, first);
  drawnOnce(scene, () => {
    scene.setSlab(-1000, 1000);
    scene.setView([...scene.getView().slice(0, 4), ...turn]);
    fillBox(scene, box, points);
    scene.render();
  });
}

// Draws into a box. `choose` is called with a residue that is clicked on; `of` gives the colour of a residue with a row.
async function view3d(box, model, { choose, tell, of }) {
  const scene = await emptyScene(box, model.rows), $3Dmol = await viewerLibrary();
  if (!scene) return null;
  const chains = scene.addModel(), others = scene.addModel();
  chains.addAtoms(backbone(model));
  const isOther = residue => !model.isNucleotide(residue);
  const outside = Array.from({ length: model.residues - model.rows }, (_, at) => model.rows + at).filter(isOther);
  // The residues to which glycans and other ligands are bonded, so that they do not float.
  const anchors = [...new Set(model.ligands.flatMap(ligand => ligand.bonds))];
  others.addAtoms(sticks(model, [...outside, ...anchors]));
  const carbonOf = residue => residue < model.rows ? of(residue) : lit.has(residue) ? css("--lit") : ligandColour();
  const byElement = { colorfunc: atom => elementColour(atom, carbonOf(atom.row)) };
  let focus = null, cloud = null, surface = null, sequence = 0, moved = null;
  // What is selected stands out: other rows are thin and pale, and its ligands have a colour of their own.
  let isPale = () => false, lit = new Set(), lifted = "false  ";
  const pale = colour => hex(between([parts(colour), parts(css("--ground"))], .6));

  const pick = model3d => {
    model3d.setClickable({}, true, atom => choose(atom.row));
    model3d.setHoverable({}, true, atom => tell(model.called(atom.row), atom.row), () => tell(null));
  };
  pick(chains); pick(others);

  const paint = () => drawnOnce(scene, () => {
    const colorfunc = atom => atom.row < model.rows ? isPale(atom.row) ? pale(of(atom.row)) : of(atom.row) : UNDEFINED;
    scene.setBackgroundColor(css("--ground"));
    styleChains(chains, model, colorfunc, isPale);
    for (const isLit of [false, true]) others.setStyle({ predicate: atom => lit.has(atom.row) === isLit }, { stick: { radius: isLit ? .36 : .27, ...byElement } });
    others.setStyle({ predicate: atom => atom.bonds.length === 0 }, { sphere: { scale: .45, ...byElement } });
    paintFocus();
    scene.render();
  });
  const paintFocus = () => focus?.setStyle({ predicate: atom => atom.shown }, { stick: { radius: .17, ...byElement } });

  const whole = average(model.middle.slice(0, model.rows));
  // Turns and moves so that a selection is seen: from where least lies before it, and two chains side by side.
  const look = selection => {
    const points = selection.residues.flatMap(residue => model.atoms(residue).map(model.position)), center = average(points);
    const radius = Math.max(...points.map(point => Math.sqrt(squared(point, center))), 1);
    if (selection.sides) {
      const [left, right] = selection.sides.map(side => average(side.map(residue => model.middle[residue])));
      turnTo(right.map((value, axis) => value - left[axis]), [1, 0, 0]);
    } else turnTo(outlook(model, center, center.map((value, axis) => value - whole[axis])), [0, 0, 1]);
    if (selection.isInterface) {
      // Both chains as a whole, with what lies before them.
      const both = new Set(selection.sides.flat());
      fillBox(scene, box, [...both].map(row => model.middle[row]), { predicate: atom => both.has(atom.row) });
      scene.setSlab(-1000, 1000);
      return;
    }
    scene.zoomTo({ predicate: atom => selection.residues.includes(atom.row) });
    // Not so close that one no longer sees where it is.
    if (radius < 25) scene.zoom(clamp(radius / 14, .5, .85));
    // What would hide it is cut away.
    scene.setSlab(-(radius + (selection.residues.length > 2 ? 9 : 5)), 400);
  };
  const turnTo = (from, to) => scene.setView([...scene.getView().slice(0, 4), ...shortestTurn(from, to)]);
  const lookAtAll = () => lookAlong(scene, box, model.middle);

  // Makes the chains pale and the ligands bright, unless that would take long.
  const lift = selection => {
    if (model.rows > MOST_PALE) return;
    const bright = new Set(selection?.isInterface ? selection.sides.flat() : []);
    const now = selection ? [...selection.residues, ...(selection.ligands ?? [])].filter(residue => residue >= model.rows) : [];
    // What looks the same is not drawn again: most selections differ in their residues alone.
    const look = `${selection != null} ${selection?.isInterface ? selection.key : ""} ${now}`;
    if (look === lifted) return;
    lifted = look;
    isPale = row => selection != null && !bright.has(row);
    lit = new Set(now);
    paint();
  };

  // Shows a selection: sticks of its residues and of those beside them, dashed interactions, and what `as` says: a surface or points.
  const select = (selection, how) => drawnOnce(scene, () => show(selection, how));
  const show = (selection, { as, move = true }) => {
    const call = ++sequence, withSurface = as === "surface";
    lift(selection);
    for (const drawn of [focus, cloud]) if (drawn) scene.removeModel(drawn);
    focus = cloud = null;
    scene.removeAllShapes();
    scene.removeAllSurfaces();
    surface = null;
    if (!selection) { scene.setSlab(-1000, 1000); scene.render(); return Promise.resolve(); }
    // Further frames of a large trajectory have no side chains.
    const isWhole = residue => !moved || model.atoms(residue).every(atom => moved.has(atom)), position = atom => moved?.get(atom) ?? model.position(atom);
    const rows = selection.residues.filter(residue => (residue < model.rows || model.isNucleotide(residue)) && isWhole(residue));
    const beside = selection.beside.filter(isWhole).filter(residue => residue < model.rows && !rows.includes(residue));
    const lining = withSurface && selection.surface && !moved ? around(model, selection.surface, 7) : [];
    const shown = new Set([...rows, ...beside]);
    focus = scene.addModel();
    focus.addAtoms(sticks(model, [...new Set([...shown, ...lining])], position).map(atom => ({ ...atom, shown: shown.has(atom.row), lines: withSurface && selection.surface?.includes(atom.row) && (!selection.wall || selection.wall([atom.x, atom.y, atom.z])) })));
    focus.setStyle({}, {});
    paintFocus();
    focus.setClickable({ predicate: atom => atom.shown }, true, atom => choose(atom.row));
    focus.setHoverable({ predicate: atom => atom.shown }, true, atom => tell(`${model.called(atom.row)} ${atom.atom}`, atom.row), () => tell(null));
    // A single residue is marked where its sticks would be lost.
    const marked = selection.residues.length <= 2 ? selection.residues : [];
    for (const residue of marked) {
      const [x, y, z] = moved?.get(model.atom(residue, "CA")) ?? model.middle[residue];
      scene.addSphere({ center: { x, y, z }, radius: model.rows > MOST_IN_CARTOON ? 4 : .8, color: css("--mark"), opacity: .6 });
    }
    const vector = ([x, y, z]) => ({ x, y, z });
    for (const edge of moved ? [] : selection.edges.slice(0, 400)) {
      const ends = edge.ends.map((residue, end) => {
        const own = edge.atoms[end].map(name => model.atom(residue, name)).filter(atom => atom != null).map(model.position);
        return own.length ? [0, 1, 2].map(axis => own.reduce((sum, point) => sum + point[axis], 0) / own.length) : model.middle[residue];
      });
      // A bridge leads through its water.
      const line = edge.bridge ? [ends[0], edge.bridge.at, ends[1]] : ends, color = interactionColour(edge.kind);
      for (let leg = 1; leg < line.length; leg++) scene.addCylinder({ start: vector(line[leg - 1]), end: vector(line[leg]), radius: .09, color, dashed: true, dashLength: .25, gapLength: .2, fromCap: 1, toCap: 1 });
      if (edge.bridge) scene.addSphere({ center: vector(edge.bridge.at), radius: .35, color: ELEMENTS.O });
    }
    if (as === "points" && selection.points && !moved) {
      cloud = scene.addModel();
      cloud.addAtoms(selection.points.map(({ at: [x, y, z], probability }, serial) => ({ x, y, z, serial, elem: "X", atom: "X", resn: "X", chain: "X", bonds: [], bondOrder: [], hetflag: true, probability })));
      cloud.setStyle({}, { sphere: { radius: .5, colorfunc: atom => pointColour(atom.probability) } });
    }
    if (move) look(selection);
    scene.render();
    if (!lining.length) return Promise.resolve();
    return scene.addSurface($3Dmol.SurfaceType.VDW, { opacity: .5, color: css("--pocket") }, { model: focus, predicate: atom => atom.lines }, { model: focus })
      .then(id => { if (call === sequence) { surface = id; scene.render(); } });
  };

  drawnOnce(scene, () => { paint(); lookAtAll(); });
  return {
    paint, select,
    reset: lookAtAll,
    // Draws the chains where a frame has their atoms, or where the first one has them.
    frame: positions => {
      moved = positions;
      for (const atom of chains.selectedAtoms({})) [atom.x, atom.y, atom.z] = moved?.get(atom.serial) ?? model.position(atom.serial);
      paint();
    },
    turn: (axis, by) => { scene.rotate(by, axis); scene.render(); },
    zoom: by => { scene.zoom(by); scene.render(); },
    resize: () => scene.resize(),
    picture: () => scene.pngURI(),
    // What is drawn besides the chains.
    state: () => ({ sticks: focus ? new Set(focus.selectedAtoms({ predicate: atom => atom.shown }).map(atom => atom.row)).size : 0, surface: surface != null, points: cloud ? cloud.selectedAtoms({}).length : 0 }),
  };
}
