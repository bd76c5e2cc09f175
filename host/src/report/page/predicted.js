// Predicted aligned errors: the matrix, and the scores of chains.

// Scores by their usual names.
const SCORES = { iptm: "ipTM", ptm: "pTM", ranking: "ranking score", ipsae: "ipSAE", pdockq: "pDockQ", pdockq2: "pDockQ2", lis: "LIS", actifptm: "actifpTM", pae_mean: "mean error, Å", contacts: "contacts" };

function predictedErrors(model, { choose }) {
  const pae = model.data.pae, heading = $("h2", {}, "Predicted aligned errors");
  if (pae.reason) return { section: $("section", {}, heading, $("p", {}, `They cannot be shown: ${pae.reason}`)), draw() {}, select() {} };
  const bytes = bytesOf(pae.errors), rows = pae.rows, side = rows.length, { data } = model;
  const canvas = $("canvas", { tabindex: 0, role: "img", "aria-label": "Predicted aligned errors: a row for each residue on which both structures are aligned; the arrow keys move along it" });
  const readout = $("p", { class: "readout", "aria-live": "polite" }), axes = withAxes(model, canvas, ["scored residue", "aligned residue"]);
  const error = (i, j) => bytes[i * side + j] === 255 ? null : bytes[i * side + j] / pae.steps;
  let at = null, picture = null;
  const fill = () => {
    picture = new OffscreenCanvas(side, side);
    const pen = picture.getContext("2d"), image = pen.createImageData(side, side);
    bytes.forEach((value, index) => image.data.set([...(value === 255 ? [150, 150, 150] : between(GREENS, value / pae.steps / 30)), 255], 4 * index));
    pen.putImageData(image, 0, 0);
  };
  const draw = () => {
    if (!picture) fill();
    const shown = 600, cell = shown / side;
    canvas.width = canvas.height = shown;
    const pen = canvas.getContext("2d");
    pen.imageSmoothingEnabled = false;
    pen.drawImage(picture, 0, 0, shown, shown);
    pen.fillStyle = "#000000";
    for (let row = 1; row < side; row++) if (data.chain[rows[row]] !== data.chain[rows[row - 1]]) { pen.fillRect(row * cell, 0, 1, shown); pen.fillRect(0, row * cell, shown, 1); }
    axes.draw(rows.map(row => row));
    if (!at) return;
    pen.strokeStyle = "#d55e00"; pen.lineWidth = 1; pen.globalAlpha = .7;
    for (const index of at) { pen.strokeRect(index * cell, 0, Math.max(cell, 1), shown); pen.strokeRect(0, index * cell, shown, Math.max(cell, 1)); }
    pen.globalAlpha = 1; pen.lineWidth = 3;
    pen.beginPath(); pen.arc((at[1] + .5) * cell, (at[0] + .5) * cell, 9, 0, 7); pen.stroke();
  };
  const tell = () => {
    if (!at) { say(readout, null, "Click on the matrix, or move along it by the arrow keys: two residues are marked in the structure."); return; }
    const [row, column] = at.map(index => rows[index]), value = error(...at);
    say(readout, `${model.called(column)}, aligned on ${model.called(row)}: ${value == null ? "no error" : `${short(value)} Å`}`);
  };
  const go = (i, j) => {
    at = [i, j].map(index => clamp(index, 0, side - 1));
    const [row, column] = at.map(index => rows[index]);
    choose(row === column ? [row] : [row, column]);
  };
  canvas.addEventListener("click", event => go(...[event.offsetY / canvas.clientHeight, event.offsetX / canvas.clientWidth].map(share => Math.floor(share * side))));
  canvas.addEventListener("keydown", event => {
    const by = { ArrowUp: [-1, 0], ArrowDown: [1, 0], ArrowLeft: [0, -1], ArrowRight: [0, 1] }[event.key];
    if (by) { event.preventDefault(); go((at?.[0] ?? 0) + by[0], (at?.[1] ?? 0) + by[1]); }
  });
  // The surest pair of residues of two chains.
  const surest = chains => {
    let best = null;
    for (let i = 0; i < side; i++) for (let j = 0; j < side; j++) {
      const own = [i, j].map(index => data.chains[data.chain[rows[index]]]), value = error(i, j);
      if (own[0] === chains[0] && own[1] === chains[1] && value != null && (!best || value < best[2])) best = [i, j, value];
    }
    if (best) go(best[0], best[1]);
  };
  const own = Object.entries(pae.own).map(([name, value]) => `${SCORES[name] ?? name} ${short(value)}`).join(", ");
  const legend = $("div", { class: "legend" }, ramp("0", "30 Å or more", GREENS.map(hex)));
  const scores = table(["Chains", ...pae.columns.map(name => SCORES[name] ?? name)], pae.pairs.map(pair => ({
    cells: [button(pair.chains.join(", "), () => surest(pair.chains), { class: "pick" }), ...pae.columns.map(name => short(pair.numbers[name]))],
  })), { label: "Scores of pairs of chains" });
  const section = $("section", {}, heading, $("div", { class: "two" },
    $("div", { class: "map" }, $("p", { class: "soft" }, `In Å; a row for each residue on which both structures are aligned${side < data.residue.length ? `, ${side} of ${data.residue.length}` : ""}; lines part the chains.${pae.left_out ? ` ${count(pae.left_out, "row")} of ligands and other tokens without a residue in the tables ${pae.left_out === 1 ? "is" : "are"} left out.` : ""}`), axes.element, legend, readout),
    $("div", {}, $("p", { class: "soft" }, `The predictor's own: ${own || "none"}. ${pae.pairs.length ? "The scores of two chains are the better of both directions, as prism confidence defines them." : ""}`, pae.pairs.length > 0 && $("span", { class: "hint" }, " A button marks their surest residues.")), pae.pairs.length > 0 && scores,
      pae.warnings.map(text => $("p", {}, `Warning: ${text}`)))));
  const select = selection => {
    // Ligands have no row of the matrix.
    const chosen = selection?.residues.every(residue => residue < model.rows) ? selection.residues : [], indices = chosen.map(residue => rows.indexOf(residue));
    // Of a thinned matrix, the nearest row.
    const nearest = residue => rows.reduce((best, row, index) => Math.abs(row - residue) < Math.abs(rows[best] - residue) ? index : best, 0);
    const found = indices.map((own, index) => own >= 0 ? own : nearest(chosen[index]));
    at = chosen.length === 1 ? [found[0], found[0]] : chosen.length === 2 ? found : null;
    tell(); draw();
  };
  return { section, draw, select };
}
