// A trajectory: means with their deviations along the sequence, values over time, and a slider of frames.

// The parts of -180 to 180 degrees within a deviation of an angle.
function roundSpans(angle, deviation) {
  if (deviation >= 180) return [[-180, 180]];
  const [from, to] = [angle - deviation, angle + deviation];
  return [[Math.max(from, -180), Math.min(to, 180)], ...(from < -180 ? [[from + 360, 180]] : []), ...(to > 180 ? [[-180, to - 360]] : [])];
}

async function trajectory(model, { choose, frame }) {
  const moving = JSON.parse(await unpack("frames")), { data, rows } = model, names = Object.keys(moving.columns), kept = moving.numbers.length;
  const column = $("select", { "aria-label": "Column of the trajectory" }, names.map(columnOption));
  column.value = ["rsa", "sasa"].find(name => names.includes(name)) ?? names[0];
  const slider = $("input", { type: "range", min: 0, max: kept - 1, value: 0, step: 1, "aria-label": "Frame" }), when = $("span", { class: "soft-inline" });
  const means = $("canvas", { role: "img", "aria-label": "Mean and standard deviation of each residue over all frames" });
  const heat = $("canvas", { tabindex: 0, role: "img", "aria-label": "Values of residues, across, over time, down; a click chooses a residue and a frame" });
  const readout = $("p", { class: "readout", "aria-live": "polite" }), legend = $("div", { class: "legend" }), panel = $("div", { class: "tracks" }, means, heat);
  let cursor = null, timer = null;
  const at = () => Number(slider.value), LEFT = 90;
  const frameLabel = index => `frame ${moving.numbers[index]}${moving.times[index] == null ? "" : `, ${moving.times[index].toLocaleString("en")} ps`}`;
  // Every frame is turned onto the first, so that a molecule that tumbles stays where it is.
  const own = moving.atoms.map(model.position), middles = new Set(Array.from({ length: rows }, (_, row) => model.atom(row, "CA") ?? model.atom(row, "C1'"))), guides = own.map((_, at) => at).filter(at => middles.has(moving.atoms[at]));
  const guided = points => guides.length > 2 ? guides.map(at => points[at]) : points;
  const placed = new Map();
  const positions = index => {
    if (!placed.has(index)) {
      const axes = coordinatesOf(moving.positions[index], moving.steps), points = moving.atoms.map((_, nth) => axes.map(axis => axis[nth])), moved = fit(guided(points), guided(own));
      placed.set(index, new Map(moving.atoms.map((atom, nth) => [atom, moved(points[nth])])));
    }
    return placed.get(index);
  };
  const wide = () => Math.max(panel.clientWidth - 18, 200), inner = () => wide() - LEFT - 6, x = row => LEFT + row / rows * inner();
  const sized = (canvas, tall) => {
    const scale = devicePixelRatio || 1, pen = canvas.getContext("2d");
    canvas.width = wide() * scale; canvas.height = tall * scale; canvas.style.width = `${wide()}px`; canvas.style.height = `${tall}px`;
    pen.scale(scale, scale); pen.font = "12px system-ui, sans-serif"; pen.textBaseline = "middle";
    return pen;
  };
  const drawMeans = () => {
    const pen = sized(means, 110), { mean, deviation } = moving.columns[column.value];
    // Angles go from -180 to 180 degrees, and what leaves the axis there comes in at its other end.
    const isRound = isAngle(column.value), [low, high] = isRound ? [-180, 180] : range(mean.flatMap((value, row) => value == null ? [] : [value - deviation[row], value + deviation[row]])), y = value => 102 - (value - low) / (high - low) * 94, step = Math.max(inner() / rows, .7);
    pen.fillStyle = css("--soft");
    for (const [text, baseline] of [[short(high), 12], ["mean ± sd", 55], [short(low), 100]]) pen.fillText(text, 4, baseline);
    mean.forEach((value, row) => {
      if (value == null) return;
      pen.fillStyle = css("--accent"); pen.globalAlpha = .28;
      for (const [from, to] of isRound ? roundSpans(value, deviation[row] ?? 0) : [[value - deviation[row], value + deviation[row]]]) pen.fillRect(x(row), y(to), step, Math.max(y(from) - y(to), 1));
      pen.globalAlpha = 1;
      pen.fillRect(x(row), y(value) - .8, step, 1.6);
    });
    mark(pen, 110);
  };
  const mark = (pen, tall) => { if (cursor != null) { pen.strokeStyle = css("--mark"); pen.lineWidth = 1.5; pen.strokeRect(x(cursor), 0, Math.max(inner() / rows, 2), tall); } };
  const drawHeat = () => {
    const map = moving.maps[column.value], tall = map ? clamp(kept * 3, 80, 320) : 30, pen = sized(heat, tall + 6);
    if (!map) { pen.fillStyle = css("--soft"); pen.fillText(`Values over time are kept of ${Object.keys(moving.maps).map(labelOf).join(", ")}.`, LEFT, 14); legend.replaceChildren(); return; }
    const levels = bytesOf(map.levels), { stops } = isAngle(column.value) ? { stops: circle() } : { stops: scale() }, picture = new OffscreenCanvas(rows, kept), own = picture.getContext("2d"), image = own.createImageData(rows, kept);
    levels.forEach((level, index) => image.data.set([...(level === 255 ? [150, 150, 150] : between(stops, level / 254)), 255], 4 * index));
    own.putImageData(image, 0, 0);
    pen.imageSmoothingEnabled = false;
    pen.drawImage(picture, LEFT, 4, inner(), tall);
    pen.fillStyle = css("--soft");
    for (const [index, baseline] of [[0, 10], [kept - 1, tall - 2]]) pen.fillText(moving.times[index] == null ? `frame ${moving.numbers[index]}` : `${short(moving.times[index])} ps`, 4, baseline);
    pen.strokeStyle = css("--mark"); pen.lineWidth = 1.5; pen.strokeRect(LEFT, 4 + at() / kept * tall, inner(), Math.max(tall / kept, 2));
    mark(pen, tall + 4);
    legend.replaceChildren(...ramp(short(map.low), `${short(map.high)} ${unit(run.units[column.value])}`.trim(), stops.map(hex)));
  };
  const tell = (row = cursor) => {
    when.textContent = frameLabel(at());
    if (row == null) { say(readout, null, "Click on the values over time: the residue is selected, and the frame is shown."); return; }
    const { mean, deviation } = moving.columns[column.value], map = moving.maps[column.value], level = map && bytesOf(map.levels)[at() * rows + row];
    say(readout, `${model.called(row)}: ${labelOf(column.value)} ${short(mean[row])} ± ${short(deviation[row])}${map && level !== 255 ? `, ${short(map.low + level / 254 * (map.high - map.low))} in ${frameLabel(at())}` : ""}`);
  };
  const draw = () => { drawMeans(); drawHeat(); tell(); };
  const go = index => { slider.value = String(index); drawHeat(); tell(); frame(at() === 0 ? null : positions(at())); };
  slider.addEventListener("input", () => go(at()));
  column.addEventListener("change", draw);
  const rowAt = event => clamp(Math.floor((event.offsetX - LEFT) / inner() * rows), 0, rows - 1);
  heat.addEventListener("click", event => { go(clamp(Math.floor((event.offsetY - 4) / (heat.clientHeight - 6) * kept), 0, kept - 1)); choose(rowAt(event)); });
  means.addEventListener("click", event => choose(rowAt(event)));
  heat.addEventListener("keydown", event => {
    const by = { ArrowUp: [0, -1], ArrowDown: [0, 1], ArrowLeft: [-1, 0], ArrowRight: [1, 0] }[event.key];
    if (!by) return;
    event.preventDefault();
    if (by[1]) go(clamp(at() + by[1], 0, kept - 1)); else choose(clamp((cursor ?? 0) + by[0], 0, rows - 1));
  });
  const play = button("Play", () => {
    if (timer) { clearInterval(timer); timer = null; play.textContent = "Play"; return; }
    play.textContent = "Stop";
    timer = setInterval(() => { if (!play.isConnected) { clearInterval(timer); return; } go((at() + 1) % kept); }, 120);
  });
  return {
    // Beside the structure that they move.
    controls: $("div", { class: "tools time" }, play, slider, when),
    elements: [
      $("p", { class: "soft" }, `${count(moving.frames, "frame")}${kept < moving.frames ? `, ${kept} of them over time and in the slider` : ""}; means and standard deviations are of all. The sites, maps, interactions and other values of this page are those of the first frame; dashes and surfaces are drawn in it alone.${isAngle(names[0]) || names.some(isAngle) ? " Means and deviations of angles are on the circle." : ""}`),
      $("div", { class: "tools" }, $("label", {}, "Column ", column)), panel, legend, readout,
    ],
    draw,
    select: selection => { cursor = selection?.residues.find(residue => residue < rows) ?? null; draw(); },
  };
}
