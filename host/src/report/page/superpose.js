// Two chains superposed along their alignment: the fit, its deviations, and a picture of both.

// Pairs farther apart than this in Å are left out of a fit on those that agree, some at a time: a tenth of all, or half of those that are
// too far, whichever are fewer, the farthest first, as in ChimeraX's matchmaker (Meng 2006).
const AGREE = 2;

const meanSquare = distances => Math.sqrt(distances.reduce((sum, one) => sum + one * one, 0) / distances.length);

// Moves the second of each pair of points onto the first. Returns what moves a point, all distances, the pairs that were fitted and both
// root mean square deviations; null for fewer than three pairs, which no turn follows from.
function superposed(points, onlyAgreeing) {
  if (points.length < 3) return null;
  let fitted = points.map((_, at) => at), move, distances;
  for (;;) {
    move = fit(fitted.map(at => points[at][1]), fitted.map(at => points[at][0]));
    distances = points.map(([a, b]) => Math.sqrt(squared(a, move(b))));
    const far = fitted.filter(at => distances[at] > AGREE).sort((a, b) => distances[b] - distances[a]);
    const out = new Set(far.slice(0, Math.min(Math.ceil(fitted.length / 10), Math.ceil(far.length / 2))));
    if (!onlyAgreeing || !out.size || fitted.length - out.size < 3) break;
    fitted = fitted.filter(at => !out.has(at));
  }
  return { move, distances, fitted, deviation: meanSquare(fitted.map(at => distances[at])), overall: meanSquare(distances) };
}

// The colours of the first and the second.
const SIDES = [KINDS[4], KINDS[5]];

// Draws a chain of each of two models. `of` gives the colour of a row of a side, `thin` says whether the second is thin; `choose` and `tell`
// take a side and a row.
async function pairView(box, models, { of, thin, choose, tell }) {
  const scene = await emptyScene(box, models[0].rows + models[1].rows);
  if (!scene) return null;
  let drawn = [], middles = [];
  const paint = () => drawnOnce(scene, () => {
    scene.setBackgroundColor(css("--ground"));
    drawn.forEach((chain, side) => styleChains(chain, models[side], atom => of(side, atom.row), () => side === 1 && thin()));
    scene.render();
  });
  return {
    paint,
    // Other chains, as their rows, and what moves the second onto the first; null leaves it where its file has it.
    show: (rows, move) => drawnOnce(scene, () => {
      scene.removeAllModels(); scene.removeAllShapes();
      drawn = models.map((model, side) => {
        const own = new Set(rows[side]), chain = scene.addModel(), moved = side && move ? move : point => point;
        chain.addAtoms(backbone(model).filter(atom => own.has(atom.row)).map(atom => {
          const [x, y, z] = moved([atom.x, atom.y, atom.z]);
          return { ...atom, x, y, z };
        }));
        chain.setClickable({}, true, atom => choose(side, atom.row));
        chain.setHoverable({}, true, atom => tell(`${models[side].called(atom.row)}, ${side ? "second" : "first"}`), () => tell(null));
        return chain;
      });
      middles = models.map((model, side) => row => side && move ? move(model.middle[row]) : model.middle[row]);
      paint();
      lookAlong(scene, box, rows[0].map(middles[0]).concat(rows[1].map(middles[1])));
    }),
    mark: pair => {
      scene.removeAllShapes();
      const [start, end] = pair.map((row, side) => middles[side](row)).map(([x, y, z]) => ({ x, y, z }));
      for (const center of [start, end]) scene.addSphere({ center, radius: .9, color: css("--text"), opacity: .7 });
      scene.addCylinder({ start, end, radius: .12, color: css("--text"), dashed: true, dashLength: .3, gapLength: .25 });
      scene.render();
    },
    turn: (axis, by) => { scene.rotate(by, axis); scene.render(); }, zoom: by => { scene.zoom(by); scene.render(); }, resize: () => scene.resize(), picture: () => scene.pngURI(),
  };
}

// Both chains in three dimensions, with their fit. `pairs` gives the aligned rows.
function superposition(models, names, { choose, pairs, query, changed }) {
  let scene = null, found = null;
  const view = viewFrame("Both structures in three dimensions, superposed; the arrow keys turn them, plus and minus zoom", () => scene);
  const on = $("select", { "aria-label": "Superpose" }, [["all", "all aligned residues"], ["agreeing", `those that agree within ${AGREE} Å`]].map(([value, text]) => $("option", { value }, text)));
  const by = $("select", { "aria-label": "Colour both by" }, ["structure", "distance"].map(value => $("option", { value }, value)));
  const readout = $("p", { class: "readout", "aria-live": "polite" }), legend = $("div", { class: "legend" });
  let far = [new Map(), new Map()], rows = [];
  const most = () => Math.max(5, ...(found?.distances ?? []).filter(distance => distance < 20)), colour = (side, row) => {
    if (by.value === "structure") return SIDES[side];
    const distance = far[side].get(row);
    return distance == null ? UNDEFINED : hex(between(scale(), distance / most()));
  };
  const paint = () => {
    legend.replaceChildren(...(by.value === "structure" ? names.map((name, side) => key(SIDES[side], name)) : [...ramp("0", `${short(most())} Å apart`, scale().map(hex)), key(UNDEFINED, "not aligned"), $("span", {}, `${names[1]} is thinner`)]));
    scene?.paint();
  };
  const fill = () => {
    found = superposed(pairs().map(([a, b]) => [models[0].middle[a], models[1].middle[b]]), on.value === "agreeing");
    far = [0, 1].map(side => new Map(pairs().map((pair, at) => [pair[side], found?.distances[at]])));
    readout.textContent = !found ? "Fewer than three residues are aligned, so they cannot be superposed."
      : `Root mean square deviation ${found.deviation.toFixed(2)} Å over ${count(found.fitted.length, "residue")}${found.fitted.length < pairs().length ? `, ${found.overall.toFixed(2)} Å over all ${pairs().length} that are aligned` : ""}, between alpha carbons${models.some(model => model.hasNucleotides) ? " or C1' of nucleotides" : ""}.`;
    scene?.show(rows, found?.move);
    paint();
  };
  if (query.get("fit") === "agreeing") on.value = "agreeing";
  if (query.get("colour") === "distance") by.value = "distance";
  on.addEventListener("change", () => { fill(); changed(); });
  by.addEventListener("change", () => { paint(); changed(); });
  return {
    element: $("section", {}, $("h2", { class: "hidden" }, "Superposed"), $("div", { class: "tools" }, $("label", {}, "Superpose ", on), $("label", {}, "Colour by ", by), button("Save picture", () => view.save(names.join("-")))), view.frame, legend, readout),
    // What the address has of it.
    query: () => ({ ...(on.value === "all" ? {} : { fit: on.value }), ...(by.value === "structure" ? {} : { colour: by.value }) }),
    show: next => { rows = next; fill(); },
    apart: at => found ? `; ${short(found.distances[at])} Å apart when superposed` : "",
    mark: at => { if (found) scene?.mark(pairs()[at]); },
    open: async next => {
      rows = next;
      try {
        scene = await pairView(view.box, models, { of: colour, thin: () => by.value === "distance", tell: view.tell, choose: (side, row) => { const at = pairs().findIndex(pair => pair[side] === row); if (at >= 0) choose(at); } });
        view.ready();
        fill();
        view.box.setAttribute("aria-description", readout.textContent);
      } catch (error) { view.failed(error); }
    },
    paint, resize: () => scene?.resize(),
  };
}
