// Values along the sequence: an overview of all chains, and below it the tracks of a window of residues.

const TALL = 46, TOP = 8;
// Letters of residues have room from so many points on.
const LETTER = 9;
const LETTERS = Object.fromEntries("ALA A ARG R ASN N ASP D CYS C GLN Q GLU E GLY G HIS H ILE I LEU L LYS K MET M PHE F PRO P SER S THR T TRP W TYR Y VAL V".split(" ").flatMap((name, at, all) => at % 2 ? [] : [[name, all[at + 1]]]));
// A residue's letter in the sequence: that of the standard one of which it was made; x where there is none.
const letterOf = (model, row) => { const name = model.parent(row); return LETTERS[name] ?? (/^D?[ACGUTI]$/.test(name) ? name.at(-1) : "x"); };

function trackPanel(model, { choose, windowed }) {
  const { data, rows } = model, names = columnsOf(data);
  const usual = ["site_score", "rsa", "depth", "contact_number", "plddt", "b_factor", "B factor"].filter(name => names.includes(name));
  const shown = new Set(usual.length ? usual : names.slice(0, 5));
  const overview = $("canvas", { role: "img", "aria-label": "All chains: a click or a drag moves the window of the tracks" });
  const tracks = $("canvas", { tabindex: 0, role: "img", "aria-label": "Values along the sequence; the arrow keys move along it, plus and minus zoom" });
  const readout = $("p", { class: "readout", "aria-live": "polite" });
  // Where a chain begins, and where the last one ends.
  const bounds = [0];
  for (let row = 1; row < rows; row++) if (data.chain[row] !== data.chain[row - 1]) bounds.push(row);
  bounds.push(rows);
  let window = [0, rows > 1500 ? bounds.find(bound => bound > 0 && bound >= Math.min(400, rows)) ?? rows : rows];
  if (window[1] > 3000) window[1] = 1000;
  let cursor = null, marked = [];

  const label = () => tracks.parentElement.clientWidth < 600 ? 92 : 176;
  const left = () => label();
  const wide = () => Math.max(tracks.parentElement.clientWidth - 18, 200);
  const x = row => left() + (row - window[0] + .5) / (window[1] - window[0]) * (wide() - left() - 6);
  const ready = (canvas, tall) => {
    const scale = devicePixelRatio || 1;
    canvas.width = wide() * scale; canvas.height = tall * scale;
    canvas.style.width = wide() + "px"; canvas.style.height = tall + "px";
    const pen = canvas.getContext("2d");
    pen.scale(scale, scale); pen.font = "12px system-ui, sans-serif"; pen.textBaseline = "middle";
    return pen;
  };
  const chainAt = row => data.chains[data.chain[row]].trim();

  const drawOverview = () => {
    const pen = ready(overview, 38), inner = wide() - left() - 6, at = row => left() + row / rows * inner;
    pen.fillStyle = css("--soft");
    pen.fillText(bounds.length > 2 ? `${bounds.length - 1} chains` : chainName(data, data.chain[0]), 4, 12);
    for (let index = 0; index + 1 < bounds.length; index++) {
      const [begin, end] = [at(bounds[index]), at(bounds[index + 1])];
      pen.fillStyle = kindColour(data.chain[bounds[index]]);
      pen.fillRect(begin, 5, Math.max(end - begin - (end - begin > 4 ? 1 : 0), .5), 14);
      const text = chainAt(bounds[index]);
      if (end - begin > pen.measureText(text).width + 8) { pen.fillStyle = "#111111"; pen.fillText(text, (begin + end - pen.measureText(text).width) / 2, 12.5); }
    }
    pen.fillStyle = css("--mark");
    for (let row = 0; row < rows; row++) if (data.site[row] != null) pen.fillRect(at(row), 22, Math.max(inner / rows, 1), 4);
    pen.strokeStyle = css("--text"); pen.lineWidth = 2;
    if (window[1] - window[0] < rows) pen.strokeRect(at(window[0]), 2, Math.max(at(window[1]) - at(window[0]), 3), 27);
    if (cursor != null) { pen.fillStyle = css("--text"); pen.fillRect(at(cursor) - 1, 28, 2, 8); }
  };

  // As much of a text as the labels have room for.
  const fitted = (pen, text) => {
    let end = text.length;
    while (end > 1 && pen.measureText(text.slice(0, end)).width > left() - 10) end--;
    return end < text.length ? `${text.slice(0, end - 1)}…` : text;
  };

  const drawTracks = () => {
    const list = [...shown], strips = data.states ? 22 : 0, tall = list.length * TALL + 46 + strips, pen = ready(tracks, tall);
    const [begin, end] = window, n = end - begin, inner = wide() - left() - 6, step = inner / n;
    for (const row of marked) if (row >= begin && row < end) { pen.fillStyle = css("--hold"); pen.fillRect(x(row) - step / 2, 0, Math.max(step, 2), tall); }
    for (let row = begin; row < end; row++) {
      pen.fillStyle = kindColour(data.chain[row]);
      if (step < LETTER) pen.fillRect(x(row) - step / 2, TOP - 4, Math.max(step, .6), 6);
      else {
        const letter = letterOf(model, row);
        pen.fillRect(x(row) - step / 2, TOP - 7, step - .5, 14);
        pen.fillStyle = "#111111"; pen.fillText(letter, x(row) - pen.measureText(letter).width / 2, TOP + .5);
      }
      if (data.site[row] != null) { pen.fillStyle = css("--mark"); pen.fillRect(x(row) - step / 2, TOP + 10, Math.max(step, 1.5), 6); }
      const state = data.states && STATES[data.states[row]];
      if (state) { pen.fillStyle = state[1]; pen.fillRect(x(row) - step / 2, TOP + 30 - state[2] / 2, Math.max(step, .6), state[2]); }
    }
    pen.fillStyle = css("--soft");
    pen.fillText("chain", 4, TOP); pen.fillText("in a site", 4, TOP + 14);
    if (data.states) pen.fillText(fitted(pen, labelOf("ss")), 4, TOP + 30);
    list.forEach((name, index) => {
      const top = 36 + strips + index * TALL, bottom = top + TALL - 10, values = data.columns[name], [low, high] = range(values), y = value => bottom - (value - low) / (high - low) * (TALL - 14);
      pen.fillStyle = css("--text"); pen.fillText(fitted(pen, labelOf(name)), 4, top + 10);
      pen.fillStyle = css("--soft"); pen.fillText(fitted(pen, ends(values).join(" to ")), 4, top + 26);
      pen.strokeStyle = css("--line"); pen.lineWidth = 1; pen.beginPath(); pen.moveTo(left(), bottom + .5); pen.lineTo(wide() - 6, bottom + .5); pen.stroke();
      if (step < .7) return band(pen, values, y);
      pen.strokeStyle = css("--accent"); pen.lineWidth = 1.4; pen.beginPath();
      for (let row = begin, down = false; row < end; row++) {
        const value = values[row];
        if (value == null || (row > begin && data.chain[row] !== data.chain[row - 1])) down = false;
        if (value == null) continue;
        if (down) pen.lineTo(x(row), y(value)); else { pen.moveTo(x(row), y(value)); pen.lineTo(x(row) + .4, y(value)); }
        down = true;
      }
      pen.stroke();
    });
    axis(pen, tall, step);
    if (cursor != null && cursor >= begin && cursor < end) {
      pen.strokeStyle = css("--mark"); pen.lineWidth = 1.5; pen.beginPath(); pen.moveTo(x(cursor), 0); pen.lineTo(x(cursor), tall - 12); pen.stroke();
    }
  };
  // Where several residues share a point of the screen: from the lowest to the highest value, and the mean.
  const band = (pen, values, y) => {
    const inner = Math.floor(wide() - left() - 6), means = [];
    pen.fillStyle = css("--accent"); pen.globalAlpha = .35;
    for (let at = 0; at < inner; at++) {
      const part = values.slice(window[0] + Math.floor(at / inner * (window[1] - window[0])), window[0] + Math.ceil((at + 1) / inner * (window[1] - window[0]))).filter(value => value != null);
      if (!part.length) { means.push(null); continue; }
      const [top, bottom] = [y(Math.max(...part)), y(Math.min(...part))];
      pen.fillRect(left() + at, top, 1, Math.max(bottom - top, 1));
      means.push(part.reduce((sum, value) => sum + value, 0) / part.length);
    }
    pen.globalAlpha = 1;
    means.forEach((mean, at) => { if (mean != null) pen.fillRect(left() + at, y(mean) - .7, 1, 1.4); });
  };
  const axis = (pen, tall, step) => {
    pen.fillStyle = css("--soft");
    const every = [1, 2, 5, 10, 20, 50, 100, 200, 500, 1000, 2000, 5000].find(by => by * step > 70) ?? 10000;
    for (let row = Math.ceil(window[0] / every) * every; row < window[1]; row += every) {
      const text = model.label(row), half = pen.measureText(text).width / 2;
      pen.fillText(text, clamp(x(row) - half, left(), wide() - 2 * half - 4), tall - 6);
    }
  };

  const tell = row => {
    say(readout, row == null ? null : `${model.called(row)}: `
      + [...shown].map(name => `${labelOf(name)} ${data.columns[name][row] == null ? "not defined" : short(data.columns[name][row])}`).join(", ")
      + (data.states && STATES[data.states[row]] ? `, ${STATES[data.states[row]][0]}` : "") + (data.site[row] != null ? `, site ${data.site[row]}` : ""), "Click on the tracks, or move along them by the arrow keys.");
  };
  const draw = () => { drawOverview(); drawTracks(); };
  const setWindow = (begin, end) => {
    const n = clamp(Math.round(end - begin), Math.min(20, rows), rows), first = clamp(Math.round(begin), 0, rows - n);
    window = [first, first + n];
    draw();
    windowed(window);
  };
  const zoom = by => {
    const middle = cursor != null && cursor >= window[0] && cursor < window[1] ? cursor : (window[0] + window[1]) / 2, n = (window[1] - window[0]) * by;
    setWindow(middle - n / 2, middle + n / 2);
  };
  const rowAt = event => clamp(window[0] + Math.floor((event.offsetX - left()) / (wide() - left() - 6) * (window[1] - window[0])), window[0], window[1] - 1);
  tracks.addEventListener("click", event => choose(rowAt(event)));
  tracks.addEventListener("mousemove", event => tell(rowAt(event)));
  tracks.addEventListener("mouseleave", () => tell(cursor));
  tracks.addEventListener("keydown", event => {
    const by = { ArrowLeft: -1, ArrowRight: 1, PageUp: -10, PageDown: 10, Home: -rows, End: rows }[event.key];
    if (by) { event.preventDefault(); choose(clamp(cursor == null ? window[0] : cursor + by, 0, rows - 1)); }
    if (event.key === "+" || event.key === "-") { event.preventDefault(); zoom(event.key === "+" ? .5 : 2); }
  });
  const drag = event => {
    if (!(event.buttons & 1)) return;
    const row = (event.offsetX - left()) / (wide() - left() - 6) * rows, n = window[1] - window[0];
    // On a whole sequence a click zooms to where it is.
    const wanted = n < rows ? n : Math.max(Math.min(300, rows / 4), 40);
    setWindow(row - wanted / 2, row + wanted / 2);
  };
  overview.addEventListener("pointerdown", event => { overview.setPointerCapture?.(event.pointerId); drag(event); });
  overview.addEventListener("pointermove", drag);

  const which = $("select", { "aria-label": "Column of a track" }, names.map(columnOption));
  const toggle = button("", () => { shown.has(which.value) ? shown.delete(which.value) : shown.add(which.value); name(); draw(); tell(cursor); });
  const name = () => { toggle.textContent = shown.has(which.value) ? "Hide track" : "Show track"; };
  which.addEventListener("change", name);
  which.value = names.find(name => !shown.has(name)) ?? names[0];
  name();
  const chains = $("select", { "aria-label": "Chain in the window" }, $("option", { value: "" }, "Chain…"), bounds.slice(0, -1).map((bound, index) => $("option", { value: String(index) }, chainName(data, data.chain[bound]))));
  chains.addEventListener("change", () => { if (chains.value) setWindow(bounds[Number(chains.value)], bounds[Number(chains.value) + 1]); });
  return {
    elements: [
      $("div", { class: "tools" }, which, toggle, bounds.length > 2 && chains, button("Zoom in", () => zoom(.5)), button("Zoom out", () => zoom(2)), button("All", () => setWindow(0, rows))),
      $("div", { class: "tracks" }, overview, tracks), readout, data.states && $("div", { class: "legend" }, statesKey(data.states)),
    ],
    draw,
    window: () => window,
    select: selection => {
      const own = selection?.residues.filter(residue => residue < rows) ?? [];
      marked = own.length > 1 ? own : [];
      cursor = own.length ? own[0] : null;
      if (cursor != null && (cursor < window[0] || cursor >= window[1])) { const n = window[1] - window[0]; setWindow(cursor - n / 2, cursor + n / 2); }
      tell(cursor);
      draw();
    },
  };
}
