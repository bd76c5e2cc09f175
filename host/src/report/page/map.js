// The contact map of the residues in the window, which the tracks share.

// Calls `draw` with rows of a window that are in contact.
function contacts(model, [begin, end], take) {
  const points = model.middle.slice(begin, end), near = cells(points, model.hasNucleotides ? NUCLEOTIDES_TOUCH : run.threshold);
  points.forEach((point, i) => near(point, j => { if (j <= i && (i === j || model.touch(begin + i, begin + j))) take(begin + i, begin + j); }));
}

function contactMap(model, { choose }) {
  const canvas = $("canvas", { tabindex: 0, role: "img", "aria-label": `Contact map; the arrow keys move along it, a click chooses two residues` });
  const readout = $("p", { class: "readout" }), axes = withAxes(model, canvas, ["", ""]);
  let window = [0, model.rows], picture = null, at = null;
  const side = () => Math.max(Math.min(window[1] - window[0], 800), 1);
  const cell = () => (window[1] - window[0]) / side();
  const bin = row => Math.floor((row - window[0]) / cell());

  const fill = () => {
    const n = side(), counts = new Uint16Array(n * n);
    contacts(model, window, (i, j) => { counts[bin(i) * n + bin(j)]++; if (i !== j) counts[bin(j) * n + bin(i)]++; });
    picture = new OffscreenCanvas(n, n);
    const pen = picture.getContext("2d"), image = pen.createImageData(n, n), dark = root.classList.contains("dark"), on = dark ? [254, 232, 56] : [0, 34, 78];
    // Where a point stands for many pairs, a few of them are a lighter point.
    const full = Math.max(1, cell());
    counts.forEach((value, index) => { if (value) image.data.set([...on, 80 + 175 * Math.min(value / full, 1)], 4 * index); });
    pen.putImageData(image, 0, 0);
  };
  // Lines part the chains, unless they would hide the map.
  const partChains = (pen, shown) => {
    const bounds = [];
    for (let row = window[0] + 1; row < window[1]; row++) if (model.data.chain[row] !== model.data.chain[row - 1]) bounds.push(Math.round((row - window[0]) / (window[1] - window[0]) * shown));
    pen.fillStyle = css("--soft");
    pen.globalAlpha = .6;
    const long = bounds.length > 24 ? shown / 50 : shown;
    for (const bound of bounds) { pen.fillRect(bound, 0, 1, long); pen.fillRect(0, bound, long, 1); }
    pen.globalAlpha = 1;
  };
  const draw = () => {
    if (!picture) fill();
    const n = picture.width, shown = Math.max(n, 600);
    canvas.width = canvas.height = shown;
    const pen = canvas.getContext("2d");
    pen.imageSmoothingEnabled = shown < n;
    pen.drawImage(picture, 0, 0, shown, shown);
    partChains(pen, shown);
    axes.draw(Array.from({ length: window[1] - window[0] }, (_, index) => window[0] + index));
    if (!at) return;
    pen.strokeStyle = css("--mark");
    pen.lineWidth = 1.5;
    const middle = at.map(row => (row - window[0] + .5) / (window[1] - window[0]) * shown);
    for (const [x, y] of [[middle[0], middle[1]], [middle[1], middle[0]]]) {
      pen.globalAlpha = .45;
      pen.beginPath(); pen.moveTo(x, 0); pen.lineTo(x, shown); pen.moveTo(0, y); pen.lineTo(shown, y); pen.stroke();
      pen.globalAlpha = 1;
      pen.beginPath(); pen.arc(x, y, 7, 0, 7); pen.stroke();
    }
  };
  const rowAt = share => clamp(window[0] + Math.floor(share * (window[1] - window[0])), window[0], window[1] - 1);
  const tell = (i, j) => {
    const distance = Math.sqrt(squared(model.middle[i], model.middle[j]));
    say(readout, i === j ? model.called(i) : `${model.called(i)} and ${model.called(j)}: ${short(distance)} Å`);
  };
  // The contact that is nearest to a pointer, within some points of the screen, or else the pair under it.
  const nearest = event => {
    const scaled = [event.offsetY, event.offsetX].map(value => value / canvas.clientWidth * (window[1] - window[0]) + window[0]);
    const [i, j] = [event.offsetY, event.offsetX].map(value => rowAt(value / canvas.clientWidth)), reach = Math.max(6 / canvas.clientWidth * (window[1] - window[0]), .5);
    let best = [i, j], least = Infinity;
    for (let a = Math.max(window[0], Math.floor(i - reach)); a <= Math.min(window[1] - 1, i + reach); a++) for (let b = Math.max(window[0], Math.floor(j - reach)); b <= Math.min(window[1] - 1, j + reach); b++) {
      const off = (a + .5 - scaled[0]) ** 2 + (b + .5 - scaled[1]) ** 2;
      if (off < least && model.touch(a, b)) { best = [a, b]; least = off; }
    }
    return best;
  };
  canvas.addEventListener("mousemove", event => tell(...nearest(event)));
  canvas.addEventListener("click", event => { const [i, j] = nearest(event); choose(i === j ? [i] : [i, j]); });
  canvas.addEventListener("keydown", event => {
    const by = { ArrowUp: [-1, 0], ArrowDown: [1, 0], ArrowLeft: [0, -1], ArrowRight: [0, 1] }[event.key];
    if (!by) return;
    event.preventDefault();
    const from = at ?? [window[0], window[0]];
    choose(from.map((row, axis) => clamp(row + by[axis], window[0], window[1] - 1)));
  });
  return {
    element: $("div", { class: "map" }, axes.element, readout),
    draw: () => { picture = null; draw(); },
    window: next => { window = next; picture = null; draw(); },
    select: selection => {
      const rows = selection?.residues.filter(residue => residue < model.rows) ?? [];
      at = rows.length === 1 ? [rows[0], rows[0]] : rows.length === 2 ? rows : null;
      if (at) tell(...at); else say(readout, null, "Click on a point to see both residues in the structure.");
      draw();
    },
  };
}
